--
-- Groupings of a subquery by a primary key: the table's rows, joined with groups of another.
--
\a
\t on
SET client_min_messages = warning;
-- Is another table grouped before the join, with the device preferred?
CREATE FUNCTION ug_plan(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'prefer' AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN CASE WHEN plan LIKE '%Output: key1%' OR plan ~ 'agg[0-9]' THEN 'rows' ELSE 'groups' END;
END $$;
CREATE FUNCTION ug(query text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(', ', ug_plan(query), compare(query, 'prefer'), nullif(compare(query, 'any'), compare(query, 'prefer')))
$$;
CREATE TABLE ug_a (id int PRIMARY KEY, k int, s text, n numeric(10,2), w int8, z int) WITH (autovacuum_enabled = off);
INSERT INTO ug_a SELECT i, CASE WHEN i % 20 > 0 THEN i % 110 END, 's' || i % 7, i % 90 / 4.0, i % 50, i % 3 FROM generate_series(1, 600) i;
CREATE TABLE ug_b (id int, a int, k int8, v int, n numeric(10,2), m numeric, f float8, t text, d date, z int) WITH (autovacuum_enabled = off);
INSERT INTO ug_b
SELECT i, CASE WHEN i % 40 > 0 THEN i * 7 % 400 END, i % 130, CASE WHEN i % 9 > 0 THEN i * 7919 % 100 END, CASE WHEN i % 7 > 0 THEN (i * 31 % 900) / 100.0 END, i % 50 * 1.0,
	   i % 20, 't' || i % 90, date '2020-01-01' + i % 100, i % 4
FROM generate_series(1, 3000) i;
CREATE TABLE ug_two (x int, y int, g text, PRIMARY KEY (x, y)) WITH (autovacuum_enabled = off);
INSERT INTO ug_two SELECT i % 20, i / 20, 'g' || i % 5 FROM generate_series(1, 400) i;
CREATE TABLE ug_none (id int, a int, v int) WITH (autovacuum_enabled = off);
VACUUM ANALYZE ug_a, ug_b, ug_two, ug_none;

-- as in TPC-H: one node, with the grouping as its input
SET gpuagg.debug_require = prefer;
SELECT explained('EXPLAIN (COSTS OFF) SELECT c, count(*) FROM (SELECT a.id, count(b.id) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND t NOT LIKE ''%1%'' GROUP BY a.id) g GROUP BY c');
SELECT explained('EXPLAIN (COSTS OFF) SELECT s, sum(c), max(q) FROM (SELECT a.id, s, count(*) AS c, sum(v) AS q FROM ug_b b, ug_a a WHERE a.id = b.a AND b.z < 3 AND a.z < 2 GROUP BY s, a.id HAVING count(*) > 5) g GROUP BY s');
RESET gpuagg.debug_require;
-- chosen by its cost
CREATE TABLE ug_large (id int PRIMARY KEY);
INSERT INTO ug_large SELECT generate_series(1, 60000);
VACUUM ANALYZE ug_large;
SELECT explained('EXPLAIN (COSTS OFF) SELECT c, count(*) FROM (SELECT a.id, count(b.id) AS c FROM ug_large a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c');
SELECT ug('SELECT c, count(*) FROM (SELECT a.id, count(b.id) AS c FROM ug_large a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c');
DROP TABLE ug_large;

CREATE TABLE ug_q (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO ug_q (q) SELECT format('SELECT c, count(*), min(id), max(id) FROM (%s) g (id, c) GROUP BY c', s) FROM unnest(ARRAY[
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(*) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, sum(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND b.z = 1 GROUP BY a.id',
	'SELECT a.id, sum(b.n) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, floor(avg(v)) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, min(d) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, max(b.n) FROM ug_b b RIGHT JOIN ug_a a ON b.a = a.id AND b.v > 20 GROUP BY a.id',
	'SELECT a.id, count(v) FILTER (WHERE b.z IS NULL OR b.z = 1) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_none b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(*) FROM ug_a a JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(*) FILTER (WHERE v IS NULL) FROM ug_b b JOIN ug_a a ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, max(coalesce(v, 7)) FROM ug_a a, ug_b b WHERE a.id = b.a AND a.z = 1 GROUP BY a.id',
	-- keys: of two types, not the primary key, two, several columns
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.k GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.k = b.k AND b.v < 50 GROUP BY a.id',
	'SELECT a.id, sum(v) FROM ug_a a LEFT JOIN ug_b b ON b.a = a.id AND a.k = b.k GROUP BY a.id',
	'SELECT a.id, sum(v) FROM ug_a a LEFT JOIN ug_b b ON b.a = a.id AND a.k = b.a GROUP BY a.id',
	'SELECT x, sum(v) FROM ug_two a JOIN ug_b b ON b.z = a.x GROUP BY x, y',
	'SELECT y, count(v) FROM ug_two a LEFT JOIN ug_b b ON b.z = a.x GROUP BY x, g, y',
	'SELECT a.id, count(b.id) FROM ug_b b, ug_a a WHERE b.t = a.s || 1 GROUP BY a.id',
	-- conditions of the table that is kept
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a WHERE s = ''s3'' AND a.id < 400 GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND a.z = 1 GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a JOIN ug_b b USING (k) WHERE k < 50 GROUP BY a.id',
	-- HAVING; of an aggregate that is asked for twice; expressions
	'SELECT a.id, count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING count(v) < 6',
	'SELECT a.id, count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING sum(v) IS NULL OR count(*) = 1',
	'SELECT a.id, count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING max(b.n) > 8 AND s < ''s5''',
	'SELECT a.id, CASE WHEN count(v) > 5 THEN s END FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, coalesce(sum(v), -1) FROM ug_a a LEFT JOIN ug_b b USING (z) GROUP BY a.id',
	'SELECT a.id, count(*) FROM ug_a a JOIN ug_a b ON a.k = b.id GROUP BY a.id']) s;
INSERT INTO ug_q (q) VALUES
	('SELECT sum(c), count(*), avg(q) FROM (SELECT count(v) AS c, sum(v) AS q FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g'),
	('SELECT c, count(*), (SELECT max(c) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND b.z < h.c GROUP BY a.id) g) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) h GROUP BY c'),
	('SELECT DISTINCT c FROM (SELECT count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g'),
	('SELECT s, sum(c) AS c, count(q), min(g.n) FROM (SELECT s, a.n, count(v) AS c, sum(v) AS q FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g WHERE c <> 4 GROUP BY s HAVING count(*) > 3 ORDER BY c LIMIT 5'),
	('SELECT g.c, h.c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g JOIN (SELECT a.id, sum(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.k GROUP BY a.id) h USING (id) GROUP BY 1, 2'),
	('SELECT count(*) FROM ug_two WHERE x IN (SELECT max(c) FROM (SELECT s, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY s)'),
	('WITH w AS MATERIALIZED (SELECT c, count(*) FROM (SELECT count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c) SELECT * FROM w');
SELECT n, ug(q) FROM ug_q ORDER BY n;
TRUNCATE ug_q;

-- what stays a grouping
INSERT INTO ug_q (q) SELECT format('SELECT c, count(*) FROM (%s) g (id, c) GROUP BY c', s) FROM unnest(ARRAY[
	-- groups are no rows; columns of the other table
	'SELECT a.k, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.k',
	'SELECT x, count(b.id) FROM ug_two a LEFT JOIN ug_b b ON a.x = b.a GROUP BY x',
	'SELECT b.a, count(b.id) FROM ug_a a JOIN ug_b b ON a.id = b.a GROUP BY b.a',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id, b.z',
	'SELECT a.id + 1, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id + 1',
	-- aggregates
	'SELECT a.id, sum(f) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, min(f) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, sum(m) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, max(m) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(DISTINCT v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, sum(coalesce(v, 7)) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(*) FILTER (WHERE b.z IS NULL) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, sum(a.w) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, max(a.z + b.z) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, array_length(array_agg(v), 1) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	-- joins and conditions
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND a.z <> b.z GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id < b.a GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a WHERE b.z IS NULL GROUP BY a.id',
	-- the column of USING is one of the join
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b USING (k) WHERE k < 50 GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a FULL JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a, ug_b b, ug_two c WHERE a.id = b.a AND c.x = a.z GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b TABLESAMPLE SYSTEM (50) REPEATABLE (1) ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND EXISTS (SELECT FROM ug_two WHERE x = b.z) GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY GROUPING SETS ((a.id), ())',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id ORDER BY a.id LIMIT 7',
	'SELECT DISTINCT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, rank() OVER (ORDER BY count(b.id)) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND random() < 2 GROUP BY a.id',
	-- errors, of rows that no row asks for
	'SELECT a.id, count(10 / b.z) FROM ug_a a JOIN ug_b b ON a.id = b.a AND b.a < 0 GROUP BY a.id',
	'SELECT a.id, max(10 / b.z) FROM ug_a a JOIN ug_b b ON a.id = b.a WHERE a.id < 0 GROUP BY a.id',
	'SELECT a.id, count(b.id) FROM ug_a a JOIN ug_b b ON a.id = b.a AND 10 / b.z > 0 WHERE a.id < 0 GROUP BY a.id',
	'SELECT a.id, 10 / count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING count(v) > 0',
	'SELECT a.id, count(v) FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING 10 / (count(v) + 1) > 0']) s;
INSERT INTO ug_q (q) VALUES
	('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id HAVING count(v) > 0) g WHERE 10 / c > 1 GROUP BY c'),
	('SELECT g.c, count(*), count(e.x) FROM ug_two e LEFT JOIN (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g ON g.id = e.x * 30 GROUP BY g.c'),
	('SELECT (SELECT max(c) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a AND b.z < t.x GROUP BY a.id) g) FROM ug_two t WHERE y = 3'),
	('SELECT x, max(c) FROM ug_two t, LATERAL (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a WHERE a.id < t.x GROUP BY a.id) g GROUP BY x'),
	-- not aggregated
	('SELECT id, c FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g');
SELECT n, ug_plan(q), compare(q, 'any') FROM ug_q ORDER BY n;
DROP TABLE ug_q;
-- a key that is unique when the transaction ends; a table with children
CREATE TABLE ug_later (id int PRIMARY KEY DEFERRABLE);
CREATE TABLE ug_parent (id int PRIMARY KEY);
CREATE TABLE ug_child () INHERITS (ug_parent);
INSERT INTO ug_later SELECT generate_series(1, 50);
INSERT INTO ug_parent SELECT generate_series(1, 50);
INSERT INTO ug_child SELECT generate_series(20, 90);
ANALYZE ug_later, ug_parent, ug_child;
SELECT ug_plan(q), compare(q, 'any') FROM (VALUES
	('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_later a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c'),
	('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_parent a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c')) f (q);
DROP TABLE ug_later, ug_parent, ug_child;

-- prepared: later rows, another role, and no primary key any more
PREPARE ug_s AS SELECT count(*), sum(c), max(c) FROM (SELECT ug_a.id, count(v) AS c FROM ug_a LEFT JOIN ug_b b (i, a) ON ug_a.id = a GROUP BY ug_a.id) g;
CREATE ROLE gpuagg_ursula;
GRANT SELECT ON ug_a, ug_b TO gpuagg_ursula;
ALTER TABLE ug_b ENABLE ROW LEVEL SECURITY;
CREATE POLICY ug_policy ON ug_b USING (z = 1);
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = prefer;
SELECT explained('EXPLAIN (COSTS OFF) EXECUTE ug_s');
EXECUTE ug_s;
BEGIN;
INSERT INTO ug_b (a, v) SELECT 9, 1 FROM generate_series(1, 30);
EXECUTE ug_s;
ROLLBACK;
SET ROLE gpuagg_ursula;
SELECT explained('EXPLAIN (COSTS OFF) EXECUTE ug_s');
EXECUTE ug_s;
SELECT ug('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c');
RESET ROLE;
-- policies of the table that is kept; such that may fail
ALTER TABLE ug_a ENABLE ROW LEVEL SECURITY;
CREATE POLICY ug_policy ON ug_a USING (z < 2);
SET ROLE gpuagg_ursula;
EXECUTE ug_s;
SELECT ug('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c');
RESET ROLE;
DROP POLICY ug_policy ON ug_b;
CREATE POLICY ug_policy ON ug_b USING (10 / (z + 1) > 2);
SET ROLE gpuagg_ursula;
SELECT ug_plan('SELECT c, count(*) FROM (SELECT a.id, count(v) AS c FROM ug_a a LEFT JOIN ug_b b ON a.id = b.a GROUP BY a.id) g GROUP BY c');
RESET ROLE;
REVOKE SELECT ON ug_b FROM gpuagg_ursula;
SET ROLE gpuagg_ursula;
EXECUTE ug_s;
RESET ROLE;
ALTER TABLE ug_a DROP CONSTRAINT ug_a_pkey;
SELECT explained('EXPLAIN (COSTS OFF) EXECUTE ug_s');
INSERT INTO ug_a SELECT * FROM ug_a;
EXECUTE ug_s;
SET gpuagg.enable = off;
EXECUTE ug_s;
RESET gpuagg.enable;
RESET gpuagg.debug_require;
RESET plan_cache_mode;
DEALLOCATE ALL;
DROP TABLE ug_a, ug_b, ug_two, ug_none;
DROP FUNCTION ug_plan, ug;
DROP ROLE gpuagg_ursula;
