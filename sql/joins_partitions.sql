--
-- Joins whose largest table is several: pruning, strings that are numbered, one task or more.
-- (All queries of joins.sql are asked of such tables there.)
--
\a
\t on
CREATE TABLE pall (id int4, a int4, b int8, t text, v int4, flag bool, pad text);
INSERT INTO pall SELECT i, CASE WHEN i % 50 > 0 THEN i % 700 END, i % 900, 't' || i % 30, i % 1000 - 500, i % 3 = 0, repeat('x', 100)
FROM generate_series(1, 20000) i;
CREATE TABLE pd (k int4 PRIMARY KEY, n text, r int4);
INSERT INTO pd SELECT i, 'name ' || i % 25, CASE WHEN i % 7 > 0 THEN i % 10 END FROM generate_series(0, 599) i;
CREATE TABLE pdup (k int4, n int4);
INSERT INTO pdup SELECT CASE WHEN i % 11 > 0 THEN i % 200 END, i FROM generate_series(1, 1000) i;
CREATE TABLE pf (LIKE pall) PARTITION BY RANGE (id);
CREATE TABLE pf1 PARTITION OF pf FOR VALUES FROM (0) TO (8000);
CREATE TABLE pf2 (pad text, gone int, flag bool, v int4, t text, b int8, a int4, id int4);
ALTER TABLE pf2 DROP COLUMN gone;
ALTER TABLE pf ATTACH PARTITION pf2 FOR VALUES FROM (8000) TO (14000);
CREATE TABLE pf3 PARTITION OF pf FOR VALUES FROM (14000) TO (30000) PARTITION BY LIST (flag);
CREATE TABLE pf3t PARTITION OF pf3 FOR VALUES IN (true);
CREATE TABLE pf3f PARTITION OF pf3 DEFAULT;
INSERT INTO pf SELECT * FROM pall;
VACUUM ANALYZE pf;
ANALYZE pall, pd, pdup;

-- pruned while planning, when execution begins, at each run
SELECT prefer_device(false);
EXPLAIN (COSTS OFF, VERBOSE) SELECT pd.n, count(*) FROM pf JOIN pd ON a = k WHERE pf.id < 9000 AND r > 4 GROUP BY 1;
PREPARE p (int4, int4) AS SELECT r, count(*) FROM pf JOIN pd ON a = k WHERE pf.id < $1 AND r > $2 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE p (100, 4)');
EXECUTE p (100, 4);
EXECUTE p (10000, 7);
EXECUTE p (NULL, 4);
RESET plan_cache_mode;
SELECT regexp_replace(line, 'rows=51.67', 'rows=52') FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT i, x.* FROM generate_series(1, 3) i,
	LATERAL (SELECT count(*), sum(v) FROM pf JOIN pd ON a = k WHERE r = i AND pf.id < i * 6000 OFFSET 0) x') line;
SELECT compare('SELECT i, x.* FROM generate_series(1, 3) i,
	LATERAL (SELECT count(*), sum(v) FROM pf JOIN pd ON a = k WHERE r = i AND pf.id < i * 6000 OFFSET 0) x');
-- everything is pruned, nothing can be joined
SELECT compare('SELECT pd.n, count(*) FROM pf JOIN pd ON a = k WHERE pf.id < -5 GROUP BY 1', 'any');
SELECT compare('SELECT count(*), sum(v) FROM pf JOIN pd ON a = k WHERE pf.id < (SELECT -5)');
SELECT compare('SELECT count(*), sum(v) FROM pf JOIN pd ON a = k WHERE k < (SELECT -5)');
RESET ALL;

-- tasks: one for each layout, or one for each table, because of its strings; numbered strings of an input are merged
CREATE VIEW punion AS SELECT id, a, t, v FROM pf1 UNION ALL SELECT id + 1, a, t, v FROM pf2 UNION ALL SELECT 7, 3, 'seven', v FROM pf3t;
CREATE FUNCTION compared(fact text) RETURNS TABLE (q text, answer text) LANGUAGE sql AS $$
	SELECT q, compare(replace(q, 'FACT', fact)) FROM (VALUES
		('SELECT pd.n, t, count(*), sum(v) FROM FACT JOIN pd ON a = k GROUP BY 1, 2'),
		('SELECT pd.n, count(*) FROM FACT JOIN pd ON a = k GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3'),
		('SELECT pd.n, count(*) FROM FACT LEFT JOIN pd ON a = k GROUP BY 1 HAVING sum(v) > 0'),
		('SELECT count(DISTINCT t), count(DISTINCT pd.n), r FROM FACT JOIN pd ON a = k GROUP BY 3'),
		('SELECT pd.n, v % 3 = 0, count(*), sum(v) FROM FACT JOIN pd ON a = k GROUP BY ROLLUP (1, 2)'),
		('SELECT pd.n, t, count(*), sum(v) FROM FACT JOIN pd ON a = k GROUP BY GROUPING SETS ((1), (2), ())'),
		('SELECT pd.n, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM FACT JOIN pd ON a = k GROUP BY 1'),
		('SELECT md5(pd.n || t), count(*) FROM FACT JOIN pd ON a = k GROUP BY 1'),
		('SELECT t, count(*), sum(n), avg(v) FROM FACT LEFT JOIN pdup ON a = k GROUP BY 1'),
		('SELECT t, count(*) FROM FACT WHERE a NOT IN (SELECT k FROM pdup WHERE k IS NOT NULL) GROUP BY 1'),
		('SELECT t, count(*) FROM FACT WHERE a NOT IN (SELECT k FROM pdup) GROUP BY 1'),
		('SELECT t, count(*) FROM FACT WHERE a IN (SELECT k FROM pdup) OR v > 400 GROUP BY 1'),
		('SELECT r, count(*) FROM FACT JOIN pd ON a = k WHERE id NOT IN (SELECT k FROM pdup WHERE k IS NOT NULL) GROUP BY 1'),
		('SELECT sum(10 / (v - 499)) FROM FACT JOIN pd ON a = k'),
		('SELECT x.n, y.r, count(*) FROM FACT JOIN pd x ON a = x.k JOIN pd y ON id % 600 = y.k WHERE x.r < 5 GROUP BY 1, 2')) v(q)
$$;
SELECT * FROM compared('pf');
SELECT q, answer FROM compared('punion') WHERE answer !~ '^(ok|same error)';
SELECT q, answer FROM compared('(SELECT * FROM pall UNION ALL SELECT * FROM pf) s') WHERE answer !~ '^(ok|same error)';
SET gpuagg.strategy = 'partitioned';
SELECT q, answer FROM compared('pf') WHERE answer !~ '^(ok|same error)';
RESET gpuagg.strategy;
-- tables of inputs made by the device, for all tasks
VACUUM pd;
SELECT gpuagg.load('pd') > 0;
SELECT q, answer FROM compared('pf') WHERE answer !~ '^(ok|same error)';
SELECT prefer_device(false);
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT pd.n, count(*) FROM pf JOIN pd ON a = k WHERE r < 5 GROUP BY 1');
RESET ALL;

-- samples: of each table
SELECT compare('SELECT pd.n, count(*) FROM pf TABLESAMPLE BERNOULLI (30) REPEATABLE (3) JOIN pd ON a = k GROUP BY 1');
SELECT compare('SELECT pd.n, count(*) FROM pf TABLESAMPLE SYSTEM (30) REPEATABLE (3) JOIN pd ON a = k GROUP BY 1');

-- a value that only PostgreSQL reads: its plan answers for all
INSERT INTO pf VALUES (9000, 3, 4, repeat('long ', 4000), 5, true, NULL);
SELECT compare('SELECT length(t), pd.n, count(*) FROM pf JOIN pd ON a = k GROUP BY 1, 2', 'prefer');
-- policies are those of what the query names
CREATE ROLE regress_joins_partitions;
GRANT SELECT ON pf, pd TO regress_joins_partitions;
ALTER TABLE pf ENABLE ROW LEVEL SECURITY;
CREATE POLICY positive ON pf USING (v > 0);
SET ROLE regress_joins_partitions;
SET gpuagg.debug_require = require;
SELECT count(*), min(v) FROM pf JOIN pd ON a = k;
SET gpuagg.debug_require = allow;
SET gpuagg.enable = off;
SELECT count(*), min(v) FROM pf JOIN pd ON a = k;
RESET ALL;
RESET ROLE;
ALTER TABLE pf DISABLE ROW LEVEL SECURITY;

-- what is left to PostgreSQL, and why
CREATE TABLE pq (id int4 PRIMARY KEY, z int) PARTITION BY RANGE (id);
CREATE TABLE pq1 PARTITION OF pq FOR VALUES FROM (0) TO (8000);
CREATE TABLE pq2 PARTITION OF pq FOR VALUES FROM (8000) TO (14000);
CREATE TABLE pq3 PARTITION OF pq FOR VALUES FROM (14000) TO (30000);
INSERT INTO pq SELECT i, i % 5 FROM generate_series(1, 20000) i;
ANALYZE pq;
SELECT compare('SELECT z, count(*) FROM pf JOIN pq USING (id) GROUP BY 1');
-- 19 keeps a path of the whole beside that of the partitions
SET enable_partitionwise_join = on;
SELECT coalesce((SELECT string_agg(w, ';') FROM gpuagg.why_not('SELECT z, count(*) FROM pf JOIN pq USING (id) GROUP BY 1') w), 'runs') =
	CASE WHEN current_setting('server_version_num')::int < 190000 THEN 'PostgreSQL joins partition by partition (enable_partitionwise_join)' ELSE 'runs' END;
SELECT compare('SELECT z, count(*) FROM pf JOIN pq USING (id) GROUP BY 1', 'any');
RESET ALL;
CREATE TEMP TABLE pt () INHERITS (pall);
SELECT * FROM gpuagg.why_not('SELECT pd.n, pall.flag, count(*) FROM pall JOIN pd ON a = k GROUP BY 1, 2');
DROP TABLE pt;

REVOKE ALL ON pf, pd FROM regress_joins_partitions;
DROP ROLE regress_joins_partitions;
DROP VIEW punion;
DROP FUNCTION compared(text);
DROP TABLE pall, pd, pdup, pf, pq;
