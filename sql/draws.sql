--
-- Random draws on the device, from columns that stay there: the rows of PostgreSQL's executor.
--
-- counts here depend on where pages lie: those of packed columns lie elsewhere
SET gpuagg.debug_pack = off;
\a
\t on
CREATE TABLE dw (id int4, g int4, v int8, f float8, w int4) WITH (autovacuum_enabled = off, fillfactor = 60);
INSERT INTO dw SELECT i, i % 7, i * 3, sin(i), nullif(i % 5, 0) FROM generate_series(1, 20000) i;
DELETE FROM dw WHERE id % 3 = 0 OR id BETWEEN 5000 AND 6500;
UPDATE dw SET v = v + 1 WHERE id % 11 = 0;
VACUUM (ANALYZE) dw;
SELECT gpuagg.why_not('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10) GROUP BY g');
SELECT gpuagg.load('dw', '{id,g,v,f,w}') >= 0;
SELECT w ~ 'estimated to be cheaper' FROM gpuagg.why_not('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10) GROUP BY g') w;
SELECT q, n, s, compare(format(q, n, s), 'require') FROM
	unnest(ARRAY['SELECT g, count(*), sum(v), min(id), max(w) FROM dw TABLESAMPLE gpuagg.random_rows (%s) REPEATABLE (%s) GROUP BY g',
		'SELECT id, count(*), count(w) FROM dw TABLESAMPLE gpuagg.random_rows (%s) REPEATABLE (%s) WHERE g < 3 GROUP BY id']) q,
	unnest('{0,1,1000,200000}'::int8[]) n, unnest('{1,42}'::float8[]) s;

-- what is shown and counted
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (3) WHERE w > 1 GROUP BY g;
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(v) FROM dw TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (3) WHERE g < 9$$);
-- parameters, sub-selects, rescans, cursors; errors of arguments
PREPARE dw_p(int8, float8) AS SELECT count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows ($1) REPEATABLE ($2);
EXECUTE dw_p(50, 1);
EXECUTE dw_p(0, 1);
EXECUTE dw_p(-1, 1);
EXECUTE dw_p(NULL, 1);
EXECUTE dw_p(50, NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE dw_p(50, 1);
RESET plan_cache_mode;
SELECT count(v) FROM dw TABLESAMPLE gpuagg.random_rows ((SELECT 20 + 3)) REPEATABLE (1);
BEGIN;
DECLARE dw_c SCROLL CURSOR FOR SELECT g, count(*) FROM dw TABLESAMPLE gpuagg.random_rows (700) REPEATABLE (1) GROUP BY g ORDER BY g;
FETCH 2 FROM dw_c;
FETCH BACKWARD 1 FROM dw_c;
COMMIT;
-- another seed each time, the same for all of one execution
SELECT a = b FROM (SELECT sum(v) a FROM dw TABLESAMPLE gpuagg.random_rows (100)) x, (SELECT sum(v) b FROM dw TABLESAMPLE gpuagg.random_rows (100)) y;
RESET gpuagg.debug_require;

-- a row has changed: PostgreSQL's executor answers, whatever gpuagg.fallback says
SET gpuagg.debug_require = 'prefer';
SELECT compare('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'require');
UPDATE dw SET v = -1000000 WHERE id = 4000;
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(v) FROM dw TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (3)$$);
-- from 17 on the page is then no longer in the cache, and the node not planned
SELECT sum(v) < 0 FROM dw TABLESAMPLE gpuagg.random_rows (100000) REPEATABLE (3) WHERE id = 4000;
SET gpuagg.fallback = off;
SELECT compare('SELECT g, count(*), sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'try') ~ '^ok.* 7 rows';
SELECT count(*), count(DISTINCT n) FROM (SELECT count(v) AS n FROM dw TABLESAMPLE gpuagg.random_rows (900)) x;
RESET gpuagg.fallback;
-- deleted in this transaction, and not
BEGIN;
DELETE FROM dw WHERE id > 10000;
SELECT compare('SELECT g, count(*), max(id) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'try') ~ '^ok.* 7 rows';
ROLLBACK;
SELECT compare('SELECT g, count(*), max(id) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'try') ~ '^ok.* 7 rows';
-- cleaned up and loaded again
VACUUM dw;
SELECT gpuagg.load('dw', '{id,g,v,f,w}') >= 0;
SELECT compare('SELECT g, count(*), sum(v), max(id) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'require');
SELECT sum(v) < 0 FROM dw TABLESAMPLE gpuagg.random_rows (100000) REPEATABLE (3) WHERE id = 4000;
-- rows appended: not in the cache
INSERT INTO dw SELECT i, 1, 1, 1, 1 FROM generate_series(30001, 31000) i;
SELECT compare('SELECT g, count(*), sum(v), max(id) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'prefer');
VACUUM dw;
SELECT gpuagg.load('dw', '{id,g,v,f,w}') >= 0;
SELECT compare('SELECT g, count(*), sum(v), max(id) FROM dw TABLESAMPLE gpuagg.random_rows (900) REPEATABLE (3) GROUP BY g', 'require');
-- not of plain scans, not without the cache, not of columns that it has not
RESET gpuagg.debug_require;
SELECT gpuagg.why_not('SELECT id FROM dw TABLESAMPLE gpuagg.random_rows (10)');
SELECT gpuagg.why_not('SELECT count(*) FROM dw TABLESAMPLE gpuagg.random_rows (10)');
SET gpuagg.cache = off;
SELECT gpuagg.why_not('SELECT sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10)');
RESET gpuagg.cache;
SELECT gpuagg.unload('dw') > 600000;
SELECT gpuagg.why_not('SELECT sum(v) FROM dw TABLESAMPLE gpuagg.random_rows (10)');
-- gpuagg.estimate() asks for the plan's sampling
SELECT gpuagg.load('dw', '{v}') >= 0;
SELECT what, estimate > 0 FROM gpuagg.estimate('SELECT v FROM dw TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (1) WHERE v > 0');
DROP TABLE dw;
-- text, in the cache as codes
CREATE TABLE dw_text (t text COLLATE "C", v int4) WITH (autovacuum_enabled = off);
INSERT INTO dw_text SELECT nullif('name ' || i % 50, 'name 7'), i FROM generate_series(1, 5000) i;
VACUUM (ANALYZE) dw_text;
SELECT gpuagg.load('dw_text') >= 0;
SELECT compare('SELECT t, count(*), sum(v) FROM dw_text TABLESAMPLE gpuagg.random_rows (3000) REPEATABLE (5) GROUP BY t', 'require');
SELECT compare('SELECT max(t), count(v) FROM dw_text TABLESAMPLE gpuagg.random_rows (3000) REPEATABLE (5) WHERE t <> ''name 9''', 'require');
DROP TABLE dw_text;
-- tables grow by many pages since 16: those that nobody has written to hold nothing
CREATE TABLE dw_new WITH (autovacuum_enabled = off) AS SELECT i AS id, i % 50 AS g FROM generate_series(1, 200000) i;
VACUUM (ANALYZE) dw_new;
SELECT gpuagg.load('dw_new') > 0;
SELECT compare('SELECT g, count(*), sum(id) FROM dw_new TABLESAMPLE gpuagg.random_rows (300000) REPEATABLE (7) GROUP BY g', 'require');
INSERT INTO dw_new VALUES (0, 0);
SELECT compare('SELECT g, count(*), sum(id) FROM dw_new TABLESAMPLE gpuagg.random_rows (300000) REPEATABLE (7) GROUP BY g', 'try') ~ '^ok.* 50 rows';
DROP TABLE dw_new;
