--
-- Strategies of grouping: each one forced, with scopes so small that little
-- data takes many passes.  The answer never changes.
--
\a
\t on
-- every window reads all pages
SET gpuagg.cache = off;
-- How a query runs on the device: answers, and what EXPLAIN ANALYZE tells
CREATE FUNCTION ran(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuAgg")');
END $$;
CREATE TABLE sy (id int4, k int4, big int8, t text COLLATE "C", f float8, n int4);
INSERT INTO sy
SELECT i, i % 2000, (i % 3000) * 10000000000::int8, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN repeat('long ' || i % 400, 8) ELSE 't' || i % 500 END,
	   CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN -0.0 WHEN 2 THEN 0 ELSE i % 90 / 4.0 END, nullif(i % 11, 0)
FROM generate_series(1, 20000) i;
CREATE TABLE sy_toast (k text, v int4);
INSERT INTO sy_toast SELECT CASE WHEN i % 10 = 0 THEN (SELECT string_agg(md5((i % 40 * 1000 + j)::text), '') FROM generate_series(1, 100) j) ELSE 'k' || i % 300 END, i FROM generate_series(1, 3000) i;
CREATE TABLE sy_empty (k int4, v int4);
VACUUM ANALYZE sy, sy_toast, sy_empty;
CREATE TABLE sy_queries (no int4, q text);
INSERT INTO sy_queries VALUES
	(1, 'SELECT k, count(*), sum(id) FROM sy GROUP BY k'),
	(2, 'SELECT n, count(*), count(n), min(id), max(big) FROM sy GROUP BY n'),
	(3, 'SELECT t, count(*), max(t), min(t), sum(id) FROM sy GROUP BY t'),
	(4, 'SELECT f, count(*), avg(id), sum(n) FROM sy GROUP BY f'),
	(5, 'SELECT k, t, n, count(*), sum(big) FROM sy WHERE id % 3 <> 0 GROUP BY k, t, n'),
	(6, 'SELECT big, sum(id) FROM sy GROUP BY big HAVING sum(id) > 60000'),
	(7, 'SELECT k, count(*), sum(id) FROM sy TABLESAMPLE BERNOULLI (30) REPEATABLE (5) GROUP BY k'),
	(8, 'SELECT t, count(*) FROM sy TABLESAMPLE SYSTEM (40) REPEATABLE (2) GROUP BY t'),
	(9, 'SELECT md5(k), n, s FROM (SELECT k, count(*) AS n, sum(v) AS s FROM sy_toast GROUP BY k) x'),
	(10, 'SELECT k, count(*), sum(v) FROM sy_empty GROUP BY k'),
	(11, 'SELECT count(*), sum(id), max(t) FROM sy'),
	(12, 'SELECT k, count(*) FROM sy WHERE id < 0 GROUP BY k'),
	(13, 'SELECT DISTINCT k FROM sy'),
	(14, 'SELECT k, sum(1000 / (id + 1)) FROM sy GROUP BY k'),
	(15, 'SELECT k, sum(1000 / (id - 19999)) FROM sy GROUP BY k');
CREATE VIEW sy_same AS
SELECT current_setting('gpuagg.strategy') AS strategy, current_setting('gpuagg.scope_size') AS scope,
	   string_agg(no::text, ' ' ORDER BY no) FILTER (WHERE c ~ '^(ok: [0-9]+ rows?$|same error)') AS same,
	   string_agg(no || ': ' || c, E'\n' ORDER BY no) FILTER (WHERE c !~ '^(ok: [0-9]+ rows?$|same error)') AS other
FROM (SELECT no, compare(q) AS c FROM sy_queries OFFSET 0) x;
SELECT * FROM sy_same;
SET gpuagg.strategy = 'block-local';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'single-pass';
SELECT * FROM sy_same;
SET gpuagg.scope_size = 4;
SET gpuagg.strategy = 'multi-pass-naive';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'multi-pass-copy';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'partitioned';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'spatial';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'sorted';
SELECT * FROM sy_same;
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = 1;
SELECT * FROM sy_same;
RESET gpuagg.scope_size;
-- what ran; rows and pages count once, however often they are read
SELECT prefer_device(false);
SET gpuagg.scope_size = 8;
SELECT (r ->> 'Passes')::int > 5 AS passes, r ->> 'Strategy' AS strategy, r ->> 'Pass Strategy' IS NOT NULL AS within, r ->> 'Planned Strategy' AS planned,
	   (r ->> 'Planned Passes')::int > 5 AS planned_passes, r ->> 'Scope Size' AS scope, r ->> 'Rows Scanned' AS rows, r ->> 'Groups' AS groups, r ->> 'Device Runs' AS runs,
	   (r ->> 'Pages')::int = pg_relation_size('sy') / 8192 AS pages
FROM ran('SELECT k, count(*) FROM sy GROUP BY k') r;
SELECT value AS before FROM gpuagg.stat WHERE name = 'rows_scanned' \gset
SELECT count(*) FROM (SELECT k, count(*) FROM sy GROUP BY k OFFSET 0) x;
SELECT value - :before AS scanned FROM gpuagg.stat WHERE name = 'rows_scanned';
-- no windows without keys, none of an empty table but one
SELECT r ->> 'Passes' AS passes, r ->> 'Strategy' AS strategy, r ->> 'Planned Strategy' AS planned FROM ran('SELECT count(*) FROM sy') r;
SELECT r ->> 'Strategy' AS strategy, r ->> 'Groups' AS groups FROM ran('SELECT k, count(*) FROM sy_empty GROUP BY k') r;
-- rows that PostgreSQL evaluates for the device count once, too
SELECT (r ->> 'Passes')::int > 1 AS passes, r ->> 'Rows Evaluated by PostgreSQL' AS evaluated, r ->> 'Groups' AS groups
FROM ran('SELECT k, count(*) FROM sy_toast GROUP BY k') r;
RESET gpuagg.scope_size;
SET gpuagg.strategy = 'single-pass';
SELECT r ->> 'Passes' AS passes, r ->> 'Strategy' AS strategy FROM ran('SELECT k, count(*) FROM sy GROUP BY k') r;
SET gpuagg.strategy = 'partitioned';
SELECT r ->> 'Passes' AS passes, r ->> 'Strategy' AS strategy, r ->> 'Planned Strategy' AS planned FROM ran('SELECT k, count(*) FROM sy GROUP BY k') r;
SET gpuagg.strategy = 'block-local';
SELECT r ->> 'Passes' AS passes, r ->> 'Strategy' AS strategy FROM ran('SELECT n, count(*) FROM sy GROUP BY n') r;
RESET gpuagg.strategy;
SELECT r ->> 'Passes' AS passes, r ->> 'Strategy' AS strategy, r ->> 'Strategy Switches' AS switches FROM ran('SELECT n, count(*) FROM sy GROUP BY n') r;
-- EXPLAIN tells what would run now
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = 1;
CREATE FUNCTION planned(options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || options || ' SELECT n, t, count(*) FROM sy GROUP BY n, t' LOOP
		IF line ~ 'Strategy|Passes|Scope' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT regexp_replace(planned('(VERBOSE)'), '[0-9]{2,}', 'many');
SELECT planned('');
SELECT planned('(VERBOSE, COSTS OFF)');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- a cursor and a rescan see all windows; a fault in a later one starts over
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = 16;
SELECT compare('SELECT d.i, x.* FROM generate_series(1, 3) d(i), LATERAL (SELECT k, count(*) AS n FROM sy WHERE id % 3 = d.i GROUP BY k ORDER BY k LIMIT 5) x', 'prefer');
SELECT prefer_device(false);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM sy GROUP BY k ORDER BY k;
FETCH 2 FROM c;
MOVE LAST FROM c;
FETCH PRIOR FROM c;
COMMIT;
SET gpuagg.debug_fault_pass = 2;
SELECT stage, set_config('gpuagg.debug_fault', stage, false) = stage AS set,
	   compare('SELECT k, count(*), sum(id) FROM sy GROUP BY k', 'prefer'),
	   compare('SELECT md5(k), n, s FROM (SELECT k, count(*) AS n, sum(v) AS s FROM sy_toast GROUP BY k) x', 'prefer'),
	   set_config('gpuagg.debug_fault', 'none', false) = 'none' AS reset
FROM unnest(ARRAY['begin', 'pages', 'rows', 'finish', 'results']) stage;
SET gpuagg.fallback = off;
SET gpuagg.debug_fault = 'finish';
SELECT k, count(*) FROM sy GROUP BY k;
-- a lack of memory in one pass splits its window, whichever pass it is
SET gpuagg.debug_fault = 'memory';
SELECT compare('SELECT k, count(*), sum(id) FROM sy GROUP BY k', 'prefer');
SELECT compare('SELECT md5(k), n, s FROM (SELECT k, count(*) AS n, sum(v) AS s FROM sy_toast GROUP BY k) x', 'prefer');
RESET gpuagg.strategy;
SET gpuagg.debug_fault_pass = 1;
SELECT compare(q, 'prefer') FROM sy_queries WHERE no IN (1, 3, 7, 9) ORDER BY no;
SELECT prefer_device(false);
SELECT r ->> 'Window Splits' AS splits, r ->> 'Passes' AS passes, r ->> 'Rows Scanned' AS rows, r ->> 'Groups' AS groups, r ->> 'Redone' AS redone
FROM ran('SELECT k, count(*), sum(id) FROM sy GROUP BY k') r;
-- in a query without keys there is nothing to split
RESET gpuagg.fallback;
SELECT compare('SELECT count(*), sum(id) FROM sy', 'prefer');
RESET gpuagg.debug_fault;
RESET gpuagg.debug_fault_pass;
RESET gpuagg.debug_require;
RESET cpu_tuple_cost;
RESET cpu_operator_cost;
-- the strategy of the plan is the one that runs, from pages and from columns: groups come in no order
CREATE TABLE sy_many (a int4 NOT NULL, b int4 NOT NULL, c int4 NOT NULL, d int4 NOT NULL, v int4);
INSERT INTO sy_many SELECT h % 10, h % 1000, h % 100000, i, i % 77 FROM generate_series(1, 400000) i, LATERAL (SELECT hashint4(i) & 2147483647) x (h);
VACUUM ANALYZE sy_many;
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
SET gpuagg.cache = on;
SET gpuagg.compile = always;
SELECT prefer_device(false);
SELECT pages, key, r ->> 'Planned Strategy' = r ->> 'Strategy' AS same, r ->> 'Groups' AS groups
FROM (VALUES ('from pages'), ('from columns')) t (pages), unnest('{a,b,c,d}'::text[]) key,
	ran(format('SELECT %I, count(*), sum(v) FROM sy_many GROUP BY 1', key)) r
ORDER BY pages DESC, key;
-- by columns of what is joined, whose ranges statistics tell before the look-up table is made
CREATE TABLE sy_dim (id int4 PRIMARY KEY, e int4, name text COLLATE "C");
INSERT INTO sy_dim SELECT i, i * 7 % 100000 + 1000000, 'name ' || i % 700 FROM generate_series(0, 99999) i;
VACUUM ANALYZE sy_dim;
SELECT key, r ->> 'Planned Strategy' = r ->> 'Strategy' AS same, r ->> 'Groups' AS groups
FROM unnest('{e,name}'::text[]) key, ran(format('SELECT %s, count(*), sum(v) FROM sy_many JOIN sy_dim ON c = id GROUP BY 1', key)) r
ORDER BY key;
DROP TABLE sy_many, sy_dim;
SET gpuagg.cache = off;
RESET gpuagg.compile;
RESET gpuagg.debug_require;
RESET cpu_tuple_cost;
RESET cpu_operator_cost;
-- the settings
SET gpuagg.strategy = 'fastest';
SET gpuagg.scope_size = -1;
SET gpuagg.scope_size = '2MB';
SHOW gpuagg.scope_size;
RESET gpuagg.scope_size;
DROP TABLE sy, sy_toast, sy_empty, sy_queries CASCADE;
DROP FUNCTION ran, planned;
