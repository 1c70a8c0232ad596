--
-- Scalar subqueries that depend on the row: groupings that are joined.
--
\a
\t on
SET client_min_messages = warning;
-- Is the subquery grouped, with the device preferred, or run for each row?  And are the answers those of gpuagg off?
CREATE FUNCTION co_plan(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'prefer' AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN CASE WHEN plan LIKE '%SubPlan%' AND plan NOT LIKE '%hashed SubPlan%' THEN 'for each row' WHEN plan LIKE '%GpuAgg%' THEN 'grouped' ELSE 'no GpuAgg' END;
END $$;
CREATE FUNCTION co(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF co_plan(query) <> 'grouped' THEN
		RETURN co_plan(query) || ', ' || compare(query, 'any');
	END IF;
	RETURN concat_ws(', ', nullif(compare(query, 'prefer'), 'ok'), compare(query, 'any'));
END $$;
-- Why not, of what concerns such subqueries
CREATE FUNCTION co_why(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(regexp_replace(r, '[0-9]+ instead of [0-9]+', 'x instead of y'), '; ') FROM gpuagg.why_not(query) r WHERE r LIKE 'a subquery%'
$$;
CREATE TABLE co_i (id int, k int, b int8, v int, n numeric(10,2), m numeric, f float8, r float4, t text, c char(8), d date, z int) WITH (autovacuum_enabled = off);
INSERT INTO co_i
SELECT i, CASE WHEN i % 40 > 0 THEN i % 90 END, CASE WHEN i % 30 > 0 THEN i % 70 END, i * 7919 % 1000, (i * 7919 % 9000) / 100.0, (i % 50) * 1.0,
	   CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN -0.0 ELSE i % 20 END, i % 20, 't' || i % 90, 'c' || i % 70, date '2020-01-01' + i % 100, i % 2
FROM generate_series(1, 2400) i;
CREATE TABLE co_o (id int, k int, b int8, x int, n numeric(10,2), m numeric(6,3), f float8, t text, c char(12), ts timestamp, s text) WITH (autovacuum_enabled = off);
INSERT INTO co_o
SELECT i, CASE WHEN i % 20 > 0 THEN i % 110 END, CASE WHEN i % 15 > 0 THEN i % 80 END, i * 31 % 1000, (i * 31 % 9000) / 100.0, i % 60, CASE i % 6 WHEN 0 THEN 'NaN' WHEN 1 THEN 0.0 ELSE i % 24 END,
	   't' || i % 100, 'c' || i % 80, timestamp '2020-01-01' + i % 110 * interval '1 day', 's' || i % 4
FROM generate_series(1, 300) i;
CREATE TABLE co_none (k int, v int) WITH (autovacuum_enabled = off);
CREATE TABLE co_d (k int PRIMARY KEY, g text) WITH (autovacuum_enabled = off);
INSERT INTO co_d SELECT i, 'g' || i % 5 FROM generate_series(0, 95) i;
VACUUM ANALYZE co_i, co_o, co_none, co_d;

-- as in TPC-H: one key, two keys, joins inside
SET gpuagg.debug_require = prefer;
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE n < (SELECT 0.2 * avg(n) FROM co_i i WHERE i.k = o.k)');
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE x > (SELECT 0.05 * sum(v) FROM co_i i WHERE i.k = o.k AND o.b = i.b AND d >= ''2020-01-10'')');
SELECT explained('EXPLAIN (COSTS OFF) SELECT s, count(*) FROM co_o o, co_d e WHERE o.k = e.k AND x < (SELECT max(v) FROM co_i i, co_d j WHERE i.k = j.k AND i.k = e.k AND j.g = ''g3'') GROUP BY s');
-- other conditions leave groups out
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE k < 50 AND s = ''s1'' AND x = (SELECT min(v) FROM co_i i WHERE i.k = o.k)');
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE k IN (SELECT k FROM co_d WHERE g = ''g1'') AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
SELECT explained('EXPLAIN (VERBOSE, COSTS OFF) SELECT id, n FROM co_o o WHERE n < 0.2 * (SELECT avg(n) FROM co_i i WHERE i.k = o.k AND i.b = o.b) ORDER BY id');
RESET gpuagg.debug_require;
-- chosen by its cost, where the table is large; and not
CREATE TABLE co_large AS SELECT i % 90 AS k, i % 977 AS v FROM generate_series(1, 40000) i;
ANALYZE co_large;
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE x < (SELECT min(v) FROM co_large i WHERE i.k = o.k)');
SELECT co('SELECT id FROM co_o o WHERE id < 30 AND x < (SELECT 0.5 * avg(v) FROM co_large i WHERE i.k = o.k)');
DROP TABLE co_large;
CREATE INDEX co_index ON co_i (k);
SELECT co_why('SELECT id FROM co_o o WHERE id = 77 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
DROP INDEX co_index;

CREATE TABLE co_q (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO co_q (q) SELECT format('SELECT id FROM co_o o WHERE %s', c) FROM unnest(ARRAY[
	'n < (SELECT 0.2 * avg(n) FROM co_i i WHERE i.k = o.k)',
	'n < 0.2 * (SELECT avg(n) FROM co_i i WHERE i.k = o.k)',
	'(SELECT min(v) FROM co_i i WHERE o.k = i.k) > x',
	'x = (SELECT max(v) FROM co_i i WHERE i.k = o.k AND i.b = o.b)',
	'x <> (SELECT max(v) FROM co_i i WHERE i.k = o.k AND z = 1)',
	'x > (SELECT sum(v) FILTER (WHERE z = 0) FROM co_i i WHERE i.b = o.b)',
	'x > (SELECT 0.5 * avg(DISTINCT v) FROM co_i i WHERE i.b = o.b)',
	'n < (SELECT sum(n * (1 - n)) - avg(v) FROM co_i i WHERE i.b = o.b)',
	'(SELECT bool_and(v > 100) FROM co_i i WHERE i.b = o.b AND i.k = o.k)',
	's || ''x'' < (SELECT max(t) FROM co_i i WHERE i.k = o.k)',
	-- the same key twice, compared with two columns; a key that is an expression
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND i.k = o.id)',
	'x < (SELECT max(v) FROM co_i i WHERE lower(i.t) = o.t)',
	-- equalities: of two types, of numerics that look different, -0 and NaN, blanks
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.b)',
	'x < (SELECT max(v) FROM co_i i WHERE i.b = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.m = o.m)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.m)',
	'x < (SELECT max(v) FROM co_i i WHERE i.f = o.f)',
	'x < (SELECT max(v) FROM co_i i WHERE i.r = o.f)',
	'x < (SELECT max(v) FROM co_i i WHERE i.c = o.c)',
	'x < (SELECT max(v) FROM co_i i WHERE i.d = o.ts)',
	'x < (SELECT max(v) FROM co_i i WHERE i.t = o.t)',
	-- no rows, or none that are equal
	'x < (SELECT max(v) FROM co_none i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND v > 5000)',
	-- two of them; with others that stay
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k) AND x > (SELECT min(v) FROM co_i i WHERE i.b = o.b)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k) AND k IN (SELECT v FROM co_none) IS NOT TRUE',
	-- conditions that leave groups out
	'k BETWEEN 10 AND 50 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)',
	'm < 10 AND x < (SELECT max(v) FROM co_i i WHERE i.m = o.m)',
	'k IN (SELECT k FROM co_d WHERE g = ''g1'') AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND i.b = o.b)',
	's = ''s2'' AND t LIKE ''t1%'' AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND i.b = o.b)',
	'(k < 9 OR s = ''s3'') AND x < (SELECT max(v) FROM co_i i WHERE o.k = i.k)']) c;
-- elsewhere in a query
INSERT INTO co_q (q) VALUES
	('SELECT s, count(*), sum(x) FROM co_o o JOIN co_d e USING (k) WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = e.k) GROUP BY s'),
	('SELECT o.id, e.g FROM co_o o LEFT JOIN co_d e ON e.k = o.k AND e.g < ''g3'' WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = e.k)'),
	('SELECT o.id, e.g FROM co_d e RIGHT JOIN co_o o ON e.k = o.k AND e.g < ''g3'' WHERE e.g IS NULL AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	('SELECT k, id FROM co_o o FULL JOIN co_d e USING (k) WHERE k > (SELECT min(v) FROM co_i i WHERE i.k = e.k)'),
	('SELECT g FROM co_d e WHERE EXISTS (SELECT FROM co_o o WHERE o.k = e.k AND x < (SELECT min(v) FROM co_i i WHERE i.k = o.k))'),
	('SELECT g FROM co_d e WHERE k IN (SELECT k FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k))'),
	('SELECT g FROM co_d e WHERE k NOT IN (SELECT k FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k))'),
	('SELECT count(*) FROM (SELECT * FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)) q JOIN co_d USING (k)'),
	('WITH w AS MATERIALIZED (SELECT * FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)) SELECT s, count(*) FROM w GROUP BY s'),
	('SELECT id FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k) UNION ALL SELECT k FROM co_d e WHERE k > (SELECT max(b) FROM co_i i WHERE i.k = e.k)'),
	('SELECT id, (SELECT count(*) FROM co_o p WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = p.k)) FROM co_o o WHERE id < 9'),
	('SELECT DISTINCT s, rank() OVER (PARTITION BY s ORDER BY x) FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k)'),
	('SELECT id FROM co_o o TABLESAMPLE SYSTEM (40) REPEATABLE (3) WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	('SELECT id FROM co_o o, LATERAL (SELECT o.x + 1 AS y) l WHERE y < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	('SELECT id FROM co_o o WHERE x % 300 < (SELECT max(v / 3) FROM co_i i WHERE i.k = o.k AND v % 7 <> 1 AND (v & 3) < 3 AND b >> 1 < 40 AND (v | ~z # 5) <> 1)'),
	('SELECT o.id FROM co_o o JOIN co_o p ON p.id = o.k WHERE p.x < (SELECT max(v) FROM co_i i, co_d j WHERE i.k = j.k AND i.b = o.b AND j.k = p.k)'),
	-- of groups: of a query of WITH that is named twice, of such of others, of a subquery
	('WITH w AS (SELECT k / 2 AS k, b % 7::int2 AS b, sum(z) AS s FROM co_i GROUP BY 1, 2) SELECT k, b, s FROM w w1 WHERE s > (SELECT avg(s) * 0.9 FROM w w2 WHERE w2.k = w1.k)'),
	('WITH w AS (SELECT k, b, sum(n) AS s FROM co_i WHERE z = 1 GROUP BY k, b) SELECT k, b, s FROM w w1 WHERE s > (SELECT avg(s) * 1.2 FROM w w2 WHERE w2.k = w1.k)'),
	('WITH w AS (SELECT k, b, sum(n) AS s, count(*) AS c FROM co_i GROUP BY k, b HAVING min(v) < 900), y AS (SELECT b, max(s) AS s, sum(c) AS c FROM w GROUP BY b) SELECT o.id, y1.s FROM co_o o JOIN y y1 ON y1.b = o.b WHERE y1.c > (SELECT sum(c) / 7 FROM w w2 WHERE w2.k = o.k) AND y1.s > (SELECT min(s) FROM y y2 WHERE y2.b = o.k)'),
	('SELECT k, s FROM (SELECT k, sum(n) AS s FROM co_i GROUP BY k) q WHERE s > (SELECT 2 * avg(s) FROM (SELECT k, b, sum(n) AS s FROM co_i GROUP BY k, b) r WHERE r.k = q.k)'),
	('WITH w AS (SELECT k, b, sum(n) AS s FROM co_i GROUP BY k, b) SELECT g, (WITH v AS (SELECT k, max(s) AS s FROM w GROUP BY k) SELECT count(*) FROM w w1, v WHERE w1.k = v.k AND w1.s > (SELECT 0.9 * avg(s) FROM v v2 WHERE v2.k = w1.k)) FROM co_d e WHERE k < 5');
SELECT n, co(q) FROM co_q ORDER BY n;
TRUNCATE co_q;

-- run for each row, and why
INSERT INTO co_q (q) SELECT format('SELECT id FROM co_o o WHERE id < 20 AND %s', c) FROM unnest(ARRAY[
	'x < (SELECT count(*) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT coalesce(max(v), 7) FROM co_i i WHERE i.k = o.k)',
	'coalesce(x < (SELECT max(v) FROM co_i i WHERE i.k = o.k), true)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k) IS NOT TRUE',
	'(x < (SELECT max(v) FROM co_i i WHERE i.k = o.k) OR x = 5)',
	'x < ALL (SELECT max(v) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k < o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k OR i.b = o.b)',
	'x < (SELECT max(v + o.x) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND v <> o.x)',
	'x < (SELECT max(v) FROM co_i i JOIN co_d j ON j.k = o.k WHERE i.k = o.k)',
	'x < (SELECT v FROM co_i i WHERE i.k = o.k ORDER BY id LIMIT 1)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k HAVING max(v) > 7)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k GROUP BY i.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k LIMIT 1)',
	'x < (SELECT max(v) FROM (SELECT * FROM co_i LIMIT 2300) i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND EXISTS (SELECT FROM co_d j WHERE j.k = i.k))',
	-- errors that PostgreSQL may not meet
	'x < (WITH w AS (SELECT k, v FROM co_i) SELECT max(v) FROM w WHERE w.k = o.k)',
	'x < (SELECT max(s::numeric(3,0)) FROM (SELECT k, sum(n) AS s FROM co_i WHERE k <> 5 GROUP BY k, b, z HAVING sum(n) < 900) i WHERE i.k = o.k)',
	'x < (SELECT max(y) FROM co_i i, LATERAL (SELECT max(j.k) + i.v AS y FROM co_d j WHERE j.k = i.k) l WHERE i.k = o.k)',
	'x < (SELECT max(y) FROM co_i i, LATERAL (SELECT 10 / (i.v + 1) AS y) l WHERE i.k = o.k)',
	'x NOT IN (SELECT y FROM co_d i, LATERAL (SELECT max(j.k) + i.k AS y FROM co_d j WHERE j.k = i.k GROUP BY j.g) l WHERE y < 9)',
	'x < (SELECT max(s) FROM (SELECT k, max(v) AS s FROM co_i GROUP BY k, ROW(k, b)) i WHERE i.k = o.k)',
	'x < (SELECT avg(s) FROM (SELECT k, sum(m) AS s FROM co_i GROUP BY k, b) i WHERE i.k = o.k)',
	'x < (SELECT avg(s) FROM (SELECT k, sum(n) AS s FROM co_i GROUP BY k, b UNION ALL SELECT k, sum(m) FROM co_i GROUP BY k) i WHERE i.k = o.k)',
	'x < (SELECT avg(s) FROM (SELECT k, sum(n) AS s FROM co_i GROUP BY k, 10 / v) i WHERE i.k = o.k)',
	'x < (SELECT avg(s) FROM (SELECT k, sum(n) AS s FROM co_i GROUP BY k HAVING 10 / max(v) > 0) i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND 10 / v > 0)',
	'x < (SELECT max(10 / v) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v / -1) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v % 0) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT 10 / max(v) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE 10 / i.v = o.k)',
	'10 / x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)',
	'f < (SELECT sum(f) FROM co_i i WHERE i.k = o.k)',
	'm < (SELECT sum(m) FROM co_i i WHERE i.k = o.k)',
	'x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND random() < 2)',
	'random() < 2 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)']) c;
INSERT INTO co_q (q) VALUES
	('SELECT id FROM co_o o, co_d e WHERE o.k = e.k AND 10 / (o.id - e.k * 1000) <> 5 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	('SELECT id, (SELECT max(v) FROM co_i i WHERE i.k = o.k) FROM co_o o WHERE id < 20'),
	('SELECT g FROM co_d e WHERE EXISTS (SELECT FROM co_o o WHERE o.k = e.k AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND i.k = e.k))'),
	('WITH RECURSIVE w AS (SELECT 1 AS k UNION ALL SELECT w.k + 1 FROM w WHERE k < 50 AND k < (SELECT max(v) FROM co_i i WHERE i.k = w.k)) SELECT count(*) FROM w');
SELECT n, co_plan(q), compare(q, 'any'), co_why(q) FROM co_q ORDER BY n;
SELECT co_plan(q), co_why(q) FROM (VALUES ('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k) FOR UPDATE')) f (q);
SELECT co_plan('DELETE FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
SELECT co_plan('UPDATE co_o o SET x = 1 WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
DROP TABLE co_q;

-- collations: equal where bytes differ
CREATE COLLATION co_nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE co_c AS SELECT i AS id, i % 50 AS v, CASE i % 3 WHEN 0 THEN 'A' ELSE 'a' END || i % 40 AS t FROM generate_series(1, 1000) i;
ALTER TABLE co_c ALTER t TYPE text COLLATE co_nocase;
ANALYZE co_c;
SELECT co('SELECT id FROM co_c o WHERE id < 50 AND v < (SELECT max(v) FROM co_c i WHERE i.t = o.t)');
SELECT co('SELECT id FROM co_c o WHERE id < 50 AND t > ''A2'' AND v < (SELECT max(v) FROM co_c i WHERE i.t = o.t)');
SELECT co('SELECT id FROM co_c o WHERE id < 50 AND v < (SELECT max(v) FROM co_c i WHERE i.t = o.t COLLATE "C")');
DROP TABLE co_c;
DROP COLLATION co_nocase;

-- partitions, views, INSERT, functions
CREATE TABLE co_p (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE co_p1 PARTITION OF co_p FOR VALUES FROM (0) TO (150);
CREATE TABLE co_p2 PARTITION OF co_p DEFAULT;
INSERT INTO co_p SELECT k, v FROM co_i;
ANALYZE co_p;
CREATE VIEW co_v AS SELECT id, s FROM co_o o WHERE x < (SELECT max(v) FROM co_p i WHERE i.k = o.k);
CREATE VIEW co_barrier WITH (security_barrier) AS SELECT k, v FROM co_i WHERE z = 1;
SELECT co('SELECT s, count(*) FROM co_v GROUP BY s'), co('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_barrier i WHERE i.k = o.k)'),
	   co('SELECT v FROM co_barrier o WHERE v < (SELECT 0.1 * avg(v) FROM co_p i WHERE i.k = o.k)');
CREATE TABLE co_out (id serial, o int);
SELECT co_plan('INSERT INTO co_out (o) SELECT id FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k)');
SET gpuagg.debug_require = prefer;
INSERT INTO co_out (o) SELECT id FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k);
SET gpuagg.enable = off;
SELECT count(*), count(DISTINCT id), sum(o) = (SELECT sum(id) FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k)) FROM co_out;
RESET gpuagg.enable;
CREATE FUNCTION co_count(int) RETURNS int8 LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT count(*) FROM co_o o WHERE x < $1 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND v < $1));
END $$;
SELECT co_count(x), co_count(x + 1) FROM generate_series(100, 900, 400) x;
RESET gpuagg.debug_require;
SELECT co_count(x), co_count(x + 1) FROM generate_series(100, 900, 400) x;

-- prepared: parameters, later rows, a table that changes
PREPARE co_s(int, int) AS SELECT count(*), sum(id) FROM co_o o WHERE x > $1 AND x < (SELECT max(v) - $2 + $2 FROM co_i i WHERE i.k = o.k);
PREPARE co_t(int, text) AS SELECT count(*), sum(id) FROM co_o o WHERE s = $2 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND v < $1);
SET gpuagg.debug_require = prefer;
SET plan_cache_mode = force_generic_plan;
SELECT explained('EXPLAIN (COSTS OFF) EXECUTE co_t(700, ''s1'')');
EXECUTE co_t(700, 's1');
EXECUTE co_t(300, 's2');
BEGIN;
INSERT INTO co_i (k, v) SELECT k, 299 FROM co_d;
EXECUTE co_t(300, 's2');
SET LOCAL gpuagg.debug_require = allow;
SET LOCAL gpuagg.enable = off;
SELECT count(*), sum(id) FROM co_o o WHERE s = 's2' AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k AND v < 300);
ROLLBACK;
ALTER TABLE co_i DROP COLUMN r;
EXECUTE co_t(300, 's2');
DROP VIEW co_v;
ALTER TABLE co_o ALTER s TYPE varchar;
EXECUTE co_t(300, 's2');
RESET plan_cache_mode;
EXECUTE co_t(300, 's2');
-- int4 minus a parameter may overflow
EXECUTE co_s(10, 5);
RESET gpuagg.debug_require;
EXECUTE co_s(10, 5);
DEALLOCATE ALL;

-- cursors find their rows
BEGIN;
SET LOCAL gpuagg.debug_require = prefer;
DECLARE co_cursor CURSOR FOR SELECT id FROM co_o o WHERE id < 20 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k);
FETCH 1 FROM co_cursor;
DELETE FROM co_o WHERE CURRENT OF co_cursor RETURNING id;
ROLLBACK;

-- row security and privileges
CREATE ROLE gpuagg_carol;
GRANT SELECT ON co_i, co_out, co_none TO gpuagg_carol;
GRANT SELECT (id, x, k) ON co_o TO gpuagg_carol;
CREATE FUNCTION co_leak(int) RETURNS bool STABLE LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE WARNING 'saw %', $1; RETURN true; END $$;
ALTER TABLE co_i ENABLE ROW LEVEL SECURITY;
CREATE POLICY co_policy ON co_i USING (z = 1);
SET ROLE gpuagg_carol;
SELECT co('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	   co('SELECT id FROM co_o o WHERE id < 900 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'),
	   co('SELECT v FROM co_i o WHERE v < (SELECT 0.1 * avg(v) FROM co_i i WHERE i.k = o.k)'),
	   co('SELECT v FROM co_i o WHERE t = ''t7'' AND v < (SELECT 0.5 * avg(v) FROM co_i i WHERE i.k = o.k)');
SELECT run_query('SELECT id FROM co_o o WHERE s = ''s1'' AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
SELECT run_query('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_p i WHERE i.k = o.k)');
-- a function that tells what it sees is not asked about hidden rows
SELECT co_plan('SELECT count(*) FROM co_i o WHERE id < 5 AND co_leak(id) AND v < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
SET gpuagg.debug_require = prefer;
SELECT count(*) FROM co_i o WHERE id < 5 AND co_leak(id) AND v < (SELECT max(v) FROM co_i i WHERE i.k = o.k);
RESET gpuagg.debug_require;
RESET ROLE;
-- policies of the table outside, with subqueries of their own
ALTER TABLE co_o ENABLE ROW LEVEL SECURITY;
CREATE POLICY co_policy ON co_o USING (x < (SELECT max(k) * 8 FROM co_i i WHERE i.b = co_o.b) AND id IN (SELECT v FROM co_i j WHERE v > (SELECT 0.1 * avg(v) FROM co_i i WHERE i.k = j.k)));
SET ROLE gpuagg_carol;
SELECT compare('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)', 'prefer');
SELECT compare('SELECT id FROM co_o o WHERE id < 90 AND x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)', 'prefer');
RESET ROLE;
DROP POLICY co_policy ON co_o;
CREATE POLICY co_policy ON co_o USING (10 / id >= 0);
SET ROLE gpuagg_carol;
SELECT co_plan('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
RESET ROLE;
ALTER TABLE co_o DISABLE ROW LEVEL SECURITY;
DROP POLICY co_policy ON co_o;
-- policies that may raise errors are tested as PostgreSQL does
DROP POLICY co_policy ON co_i;
CREATE POLICY co_policy ON co_i USING (10 / (z + 1) > 2);
SET ROLE gpuagg_carol;
SELECT co_plan('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)'), co_why('SELECT id FROM co_o o WHERE x < (SELECT max(v) FROM co_i i WHERE i.k = o.k)');
RESET ROLE;
-- a plan is made again for another role
DROP POLICY co_policy ON co_i;
CREATE POLICY co_policy ON co_i USING (z = 1);
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = prefer;
PREPARE co_r AS SELECT count(*) FROM co_o o WHERE x < (SELECT 0.9 * avg(v) FROM co_i i WHERE i.k = o.k);
EXECUTE co_r;
SET ROLE gpuagg_carol;
EXECUTE co_r;
RESET ROLE;
REVOKE SELECT ON co_i FROM gpuagg_carol;
SET ROLE gpuagg_carol;
EXECUTE co_r;
RESET ROLE;
RESET gpuagg.debug_require;
RESET plan_cache_mode;
DEALLOCATE ALL;
-- off plans nothing
SET gpuagg.enable = off;
SELECT explained('EXPLAIN (COSTS OFF) SELECT id FROM co_o o WHERE x < (SELECT min(v) FROM co_i i WHERE i.k = o.k)');
RESET gpuagg.enable;
DROP VIEW co_barrier;
DROP TABLE co_i, co_o, co_none, co_d, co_p, co_out;
DROP FUNCTION co_plan, co, co_why, co_count, co_leak;
DROP ROLE gpuagg_carol;
