--
-- NaN, infinities and long numerics, of which statistics know, as arguments of DISTINCT and of ordered sets, and as
-- keys that are not in every grouping set: told apart by their stored bytes.  "require" admits no fallback.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = warning;
CREATE TABLE nd AS
SELECT i AS id, i % 7 AS g, i % 3 AS h, i % 5 = 0 AS b, i % 40 AS k,
	   CASE i % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE i % 100 * 0.25 END::numeric(15, 2) AS d,
	   CASE WHEN i % 50 < 2 THEN 123456789012345678901234567890.1 + i % 4 ELSE i % 100 * 0.25 END::numeric(40, 2) AS w,
	   CASE i % 50 WHEN 0 THEN 123456789012345678901234567890.1 WHEN 1 THEN i % 100 * 0.5 ELSE i % 100 * 0.50 END AS u,
	   CASE i % 50 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' ELSE i % 100 * 0.25 END::numeric AS n,
	   (i % 30)::numeric(10, 1) AS plain
FROM generate_series(1, 9000) i;
VACUUM ANALYZE nd;
CREATE TABLE nd_uses (no int, q text);
INSERT INTO nd_uses VALUES
	(1, 'SELECT g, count(DISTINCT %1$s) FROM nd GROUP BY g'), (2, 'SELECT count(DISTINCT %1$s), sum(DISTINCT %1$s), avg(DISTINCT %1$s), min(%1$s), max(%1$s), sum(%1$s), count(*) FROM nd'),
	(3, 'SELECT g, count(DISTINCT %1$s) FILTER (WHERE b), sum(DISTINCT %1$s) FILTER (WHERE NOT b), count(%1$s), sum(plain) FROM nd GROUP BY g'), (4, 'SELECT h, count(DISTINCT %1$s), count(DISTINCT k), count(DISTINCT plain), sum(id) FROM nd GROUP BY h'),
	(5, 'SELECT g, count(DISTINCT %1$s + 1), count(DISTINCT -%1$s) FROM nd GROUP BY g'), (6, 'SELECT g, count(DISTINCT CASE WHEN b THEN %1$s END), stddev(plain) FROM nd WHERE id > 100 GROUP BY g'),
	(7, 'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s DESC), count(*) FROM nd GROUP BY g'), (8, 'SELECT percentile_disc(0.99) WITHIN GROUP (ORDER BY %1$s) FILTER (WHERE b) FROM nd'),
	(9, 'SELECT g, %1$s, count(*), sum(id) FROM nd GROUP BY ROLLUP (1, 2)'), (10, 'SELECT g, %1$s, h, count(*), GROUPING(%1$s, h) FROM nd GROUP BY CUBE (1, 2, 3)'), (11, 'SELECT %1$s, h, count(DISTINCT k), max(id) FROM nd GROUP BY GROUPING SETS ((1), (2), (1, 2), ())'),
	(12, 'SELECT %1$s, count(*), sum(plain) FROM nd GROUP BY 1'), (13, 'SELECT %1$s, count(DISTINCT h) FROM nd GROUP BY 1'), (14, 'SELECT h, count(DISTINCT %1$s) FROM nd WHERE %1$s > 3 GROUP BY h'), (15, 'SELECT DISTINCT h, %1$s FROM nd'),
	(16, 'SELECT g, sum(%1$s), max(%1$s), count(DISTINCT %1$s) FROM nd GROUP BY g'), (17, 'SELECT sum(%1$s) FROM nd WHERE %1$s > 3 OR b HAVING count(DISTINCT %1$s) > 2');
CREATE FUNCTION nd_agree() RETURNS TABLE (c text, no int, differs text) LANGUAGE sql AS $$
	SELECT c, no, r FROM unnest('{d,w,u,n,plain}'::text[]) c, nd_uses, LATERAL compare(format(q, c)) r WHERE r NOT LIKE 'ok%' ORDER BY 1, 2 $$;
SELECT * FROM nd_agree();
SELECT gpuagg.load('nd') > 0;
SELECT * FROM nd_agree();
SELECT g, count(DISTINCT d), sum(DISTINCT n), percentile_disc(1) WITHIN GROUP (ORDER BY w) FROM nd WHERE g < 3 GROUP BY g ORDER BY g;
-- of joins, of partitions
CREATE TABLE nd_dim AS SELECT k, 'k' || k % 4 AS name FROM generate_series(0, 39) k;
ALTER TABLE nd_dim ADD PRIMARY KEY (k);
CREATE TABLE nd_parts (g int, d numeric(15, 2), w numeric(40, 2)) PARTITION BY LIST (g);
CREATE TABLE nd_1 PARTITION OF nd_parts FOR VALUES IN (0, 1, 2);
CREATE TABLE nd_2 PARTITION OF nd_parts DEFAULT;
INSERT INTO nd_parts SELECT g, d, w FROM nd;
VACUUM ANALYZE nd_dim, nd_parts;
SELECT compare(q), q FROM unnest(ARRAY['SELECT name, count(DISTINCT d), sum(DISTINCT w) FROM nd JOIN nd_dim USING (k) GROUP BY 1', 'SELECT name, d, count(*) FROM nd JOIN nd_dim USING (k) GROUP BY ROLLUP (1, 2)',
	'SELECT g, count(DISTINCT d), percentile_disc(0.5) WITHIN GROUP (ORDER BY w) FROM nd_parts GROUP BY g', 'SELECT g, d, count(*) FROM nd_parts GROUP BY CUBE (1, 2)']) q;
-- where statistics do not know of such values, they leave the query to PostgreSQL, once; then it is remembered that the column has them
ALTER TABLE nd SET (autovacuum_enabled = off);
INSERT INTO nd (id, g, plain) SELECT i, 1, 'NaN' FROM generate_series(9001, 9050) i;
CREATE FUNCTION nd_fallback(query text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(trim(l), ', '), 'device') FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query) l WHERE l ~ 'Fallback' $$;
SELECT nd_fallback('SELECT g, count(DISTINCT plain) FROM nd GROUP BY g'), nd_fallback('SELECT g, count(DISTINCT plain) FROM nd GROUP BY g'), compare('SELECT g, count(DISTINCT plain) FROM nd GROUP BY g');
SELECT * FROM nd_agree();
-- of a join, of partitions whose columns lie elsewhere
CREATE TABLE ne WITH (autovacuum_enabled = off) AS SELECT k, (g * 0.5)::numeric(10, 2) AS d, (h * 0.5)::numeric AS u FROM nd;
CREATE TABLE np (k int, d numeric(10, 2), u numeric) PARTITION BY LIST (k);
CREATE TABLE np_1 PARTITION OF np FOR VALUES IN (1, 2, 3) WITH (autovacuum_enabled = off);
CREATE TABLE np_2 (u numeric, d numeric(10, 2), k int) WITH (autovacuum_enabled = off);
ALTER TABLE np ATTACH PARTITION np_2 DEFAULT;
INSERT INTO np SELECT * FROM ne;
VACUUM ANALYZE ne, np, np_1, np_2;
INSERT INTO ne SELECT i, 'NaN', CASE WHEN i % 2 = 0 THEN 'Infinity' ELSE 12345678901234567890123 END FROM generate_series(0, 30) i;
INSERT INTO np TABLE ne;
SELECT q, nd_fallback(q), compare(q) FROM unnest(ARRAY['SELECT name, count(DISTINCT d) FROM ne JOIN nd_dim USING (k) GROUP BY 1', 'SELECT name, count(DISTINCT u) FROM ne JOIN nd_dim USING (k) GROUP BY 1', 'SELECT k, count(DISTINCT d) FROM np GROUP BY 1',
	'SELECT name, percentile_disc(0.9) WITHIN GROUP (ORDER BY u) FROM np JOIN nd_dim USING (k) GROUP BY 1']) q;
-- not to whom row security may hide the row
CREATE ROLE nd_user;
GRANT SELECT ON ne TO nd_user;
CREATE POLICY nd_policy ON ne USING (k >= 0);
ALTER TABLE ne ENABLE ROW LEVEL SECURITY;
SELECT nd_fallback('SELECT k, count(DISTINCT d) FROM ne GROUP BY 1');
SET ROLE nd_user;
SELECT nd_fallback('SELECT k, count(DISTINCT d) FROM ne GROUP BY 1');
RESET ROLE;
-- ANALYZE tells of them as well
ANALYZE nd;
SELECT compare('SELECT g, count(DISTINCT plain) FROM nd GROUP BY g');
DROP TABLE ne, np;
DROP ROLE nd_user;
DROP FUNCTION nd_agree, nd_fallback;
DROP TABLE nd, nd_uses, nd_dim, nd_parts;
