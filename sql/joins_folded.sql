--
-- Inputs of joins of which several rows match: the device makes tables of one row for each key, from columns that
-- it keeps.
--
\a
\t on
SET client_min_messages = warning;
CREATE FUNCTION fo_inputs(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(x->>'Join Type' || CASE WHEN (x->>'From Kept Columns')::bool THEN ' kept' ELSE ' read' END, ', ' ORDER BY n)
			FROM jsonb_array_elements(plan->'Look-up Joins') WITH ORDINALITY e (x, n));
END $$;
CREATE FUNCTION fo(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(query);
	RETURN NEXT fo_inputs(query);
END $$;
CREATE TABLE fof (id int, a int, b int8, c int, big int8, d date, s text, m numeric(9,2)) WITH (autovacuum_enabled = off);
INSERT INTO fof SELECT i, CASE WHEN i % 50 > 0 THEN i % 900 END, i % 30, i % 40, (i % 500)::int8 * 1000000007,
	   date '2020-01-01' + i % 800, 'key ' || i % 70, (i % 97) / 4.0
FROM generate_series(1, 20000) i;
CREATE TABLE foi (k int, k2 int8, big int8, day date, name text, v int, w int8 NOT NULL, m numeric(9,2), wide numeric(18,4),
	t timestamp, ok bool, f float8, huge int8) WITH (autovacuum_enabled = off);
INSERT INTO foi SELECT CASE WHEN i % 37 > 0 THEN i % 600 END, i % 30, (i % 400)::int8 * 1000000007, date '2020-01-01' + i % 500,
	   CASE WHEN i % 5 > 0 THEN 'key ' || i % 60 END, CASE WHEN i % 13 > 0 AND i % 600 <> 7 THEN i * 31 % 1000 - 500 END,
	   (i::int8 - 2000) * 100000000000, (i % 1000 - 300) / 7.0, CASE WHEN i % 3 > 0 THEN i * 1234567.8901 END,
	   timestamp '2000-01-01' + i * interval '1 minute', i % 3 = 0, i / 3.0, 9000000000000000000 + i
FROM generate_series(1, 4000) i;
VACUUM (FREEZE, ANALYZE) fof, foi;
-- rows count as often as others are joined with them
SELECT fo('SELECT c, count(*) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(id), avg(fof.m), min(d) FROM fof JOIN foi ON a = k WHERE v > 0 GROUP BY 1');
SELECT fo('SELECT c, count(*), count(k), sum(id) FROM fof LEFT JOIN foi ON a = k AND v > 100 GROUP BY 1');
-- numbers of values, sums, least and greatest ones, of columns with NULLs and without
SELECT fo('SELECT c, count(v), sum(v), min(v), max(v) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT a, count(v), sum(v), min(v), max(v), avg(v) FROM fof LEFT JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(w), sum(w), min(w), max(w) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, sum(foi.m), min(foi.m), max(foi.m), avg(foi.m) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, sum(wide), min(wide), max(wide), count(wide) FROM fof LEFT JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, min(t), max(t), min(day), max(day), count(name) FROM fof JOIN foi ON a = k GROUP BY 1');
-- keys far apart, pairs, dates, strings
SELECT fo('SELECT c, count(*), sum(v), min(v) FROM fof JOIN foi USING (big) GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(v), max(v), count(v) FROM fof JOIN foi ON a = k AND b = k2 GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(v) FROM fof JOIN foi ON d = day GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(v), min(v) FROM fof LEFT JOIN foi ON s = name GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(v), min(v) FROM fof LEFT JOIN foi ON s = name AND b = k2 GROUP BY 1');
-- the same behind filters before the slots
SET gpuagg.debug_filters = always;
SELECT fo('SELECT c, count(*), sum(v), min(v) FROM fof JOIN foi USING (big) GROUP BY 1');
RESET gpuagg.debug_filters;
-- EXISTS and NOT EXISTS with a comparison: extremes decide
SELECT fo('SELECT c, count(*) FROM fof WHERE EXISTS (SELECT FROM foi WHERE k = a AND v < c * 10) GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof WHERE NOT EXISTS (SELECT FROM foi WHERE k = a AND v > c * 10) GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof WHERE EXISTS (SELECT FROM foi WHERE k = a AND v <> c AND v > 450)
	AND NOT EXISTS (SELECT FROM foi WHERE k = a AND v <> c AND v < -480) GROUP BY 1');
-- several of them; no row passes
SELECT fo('SELECT c, count(*), sum(x.v) FROM fof JOIN foi x ON a = x.k JOIN foi y ON d = y.day GROUP BY 1');
SELECT fo('SELECT c, count(*), min(v) FROM fof LEFT JOIN foi ON a = k AND v > 1000 GROUP BY 1');
-- what a table has no form of: the backend reads groups
SELECT fo('SELECT c, count(*) FILTER (WHERE ok) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, min(f), max(f) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, bool_or(ok) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, min(name COLLATE "C") FROM fof JOIN foi ON a = k GROUP BY 1');
-- a sum beyond 64 bits, which no device has; the greatest value is what it is
SELECT compare('SELECT c, sum(huge), count(*) FROM fof JOIN foi ON a = k GROUP BY 1', 'prefer');
SELECT fo('SELECT c, max(huge), count(*) FROM fof JOIN foi ON a = k GROUP BY 1');
-- a table of an earlier statement, of other aggregates, and of rows that have changed since
SELECT fo('SELECT c, min(v) FROM fof JOIN foi ON a = k GROUP BY 1');
SELECT fo('SELECT c, max(v) FROM fof JOIN foi ON a = k GROUP BY 1');
UPDATE foi SET v = v + 1 WHERE k = 100;
SELECT fo('SELECT c, max(v) FROM fof JOIN foi ON a = k GROUP BY 1');
VACUUM (FREEZE) foi;
SELECT fo('SELECT c, max(v) FROM fof JOIN foi ON a = k GROUP BY 1');
-- subqueries that group a table by what they are joined by
SELECT fo('SELECT c, count(*), sum(n), sum(x.s), min(lo), max(hi) FROM fof JOIN
	(SELECT k, count(*) AS n, sum(v) AS s, min(v) AS lo, max(v) AS hi FROM foi WHERE v < 400 GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT n, count(*), count(lo) FROM fof LEFT JOIN (SELECT k, count(v) AS n, min(v) AS lo FROM foi GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, sum(n), max(k) FROM fof JOIN (SELECT big, min(k) AS k, count(*) AS n FROM foi GROUP BY big) x USING (big) GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(w) FROM fof JOIN (SELECT k, k2, sum(v) AS w FROM foi GROUP BY k2, k) x ON a = k AND b = k2 GROUP BY 1');
SELECT fo('SELECT name, count(*), sum(lo) FROM fof JOIN (SELECT name, min(v) AS lo FROM foi GROUP BY 1) x ON s = name GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT DISTINCT k FROM foi WHERE v > 0) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof WHERE EXISTS (SELECT FROM (SELECT k, max(v) AS hi FROM foi GROUP BY k) x
	WHERE k = a AND hi > c * 10) GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof WHERE a IN (SELECT k FROM foi GROUP BY k) GROUP BY 1');
SELECT fo('SELECT c, sum(n), sum(dn) FROM fof JOIN (SELECT k, count(v) AS n, count(DISTINCT v) AS dn FROM foi GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, sum(n), min(lo) FROM fof JOIN (SELECT k, sum(DISTINCT w % 5)::int8 AS n, min(DISTINCT v) AS lo FROM foi GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, min(lo), max(hi) FROM fof JOIN (SELECT k, min((v + 3000000000)::oid) AS lo, max(f) AS hi FROM foi GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT k, sum(k2) AS n FROM foi WHERE k2 < 3 GROUP BY k) x ON a = k WHERE fof.m < n GROUP BY 1');
-- groups of it that are left out, expressions of aggregates, further keys: the backend reads what it makes
SELECT fo('SELECT c, count(*), sum(n) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k HAVING count(*) > 6) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(n) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k) x ON a = k WHERE n < 7 GROUP BY 1');
SELECT fo('SELECT c, sum(n) FROM fof JOIN (SELECT k, coalesce(sum(v), 0) AS n FROM foi GROUP BY k) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k) x ON a = k AND n = b GROUP BY 1');
SELECT fo('SELECT c, sum(n) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k ORDER BY k LIMIT 50) x ON a = k GROUP BY 1');
SELECT fo('SELECT c, count(*), sum(n) FROM fof JOIN (SELECT DISTINCT k, count(*) AS n FROM foi GROUP BY k, k2) x ON a = k GROUP BY 1');
-- DISTINCT of one group; what is computed for the order alone fails as it does
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT DISTINCT count(*) AS n FROM foi) x ON a = n GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT DISTINCT count(v) AS n FROM foi) x ON a = n GROUP BY 1');
SELECT fo('SELECT c, count(*) FROM fof JOIN (SELECT DISTINCT max(k) AS n FROM foi) x ON a = n GROUP BY 1');
SELECT compare('SELECT c, count(*) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k ORDER BY sum(10 / v)) x ON a = k GROUP BY 1', 'prefer');
SELECT compare('SELECT c, count(*) FROM fof JOIN (SELECT k FROM foi GROUP BY k ORDER BY 1 / (count(*) - 6)) x ON a = k GROUP BY 1', 'prefer');
SELECT fo('SELECT c, count(*), sum(n) FROM fof JOIN (SELECT k, count(*) AS n FROM foi GROUP BY k ORDER BY n) x ON a = k GROUP BY 1');
-- conditions that are known later
PREPARE fo_p (int) AS SELECT c, count(*), sum(v) FROM fof JOIN foi ON a = k WHERE v < $1 GROUP BY 1 ORDER BY 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
EXECUTE fo_p(-490);
EXECUTE fo_p(0);
RESET gpuagg.debug_require;
SET gpuagg.enable = off;
EXECUTE fo_p(-490);
EXECUTE fo_p(0);
RESET gpuagg.enable;
RESET plan_cache_mode;
DEALLOCATE fo_p;
DROP FUNCTION fo(text);
DROP FUNCTION fo_inputs(text);
DROP TABLE fof, foi;
