--
-- The column cache: what queries fill in and use, load, unload, the view, and
-- what does not stay on the device.
--
-- counts here depend on where pages lie: those of packed columns lie elsewhere
SET gpuagg.debug_pack = off;
\a
\t on
SET client_min_messages = warning;
-- Pages that a query read, that the device had, and that it kept
CREATE FUNCTION ca_pages(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" like_regex "Gpu")');
	RETURN format('read %s, cached %s, kept %s', plan->'Pages', plan->'Cached Pages', plan->'Pages Kept');
END $$;
-- The same twice, the answer before and after, and once more
CREATE FUNCTION ca_twice(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(query);
	RETURN NEXT ca_pages(query);
	RETURN NEXT compare(query);
	RETURN NEXT ca_pages(query);
END $$;
-- How long the planner thinks that it takes
CREATE FUNCTION ca_predicted(query text) RETURNS float8 LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuAgg")')->'Predicted Time';
END $$;
CREATE TABLE ca (id int, g int, v int8) WITH (autovacuum_enabled = off);
INSERT INTO ca SELECT i, i % 7, i FROM generate_series(1, 5000) i;
-- nothing is known to be visible to everyone yet
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
VACUUM (FREEZE, ANALYZE) ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
-- another column is added to them; then all three are there
SELECT ca_twice('SELECT g, max(id) FROM ca GROUP BY g');
SELECT ca_pages('SELECT g, max(id), sum(v) FROM ca WHERE v % 2 = 0 GROUP BY g');
SELECT compare('SELECT g, max(id), sum(v) FROM ca WHERE v % 2 = 0 GROUP BY g');
SELECT compare('SELECT id, v, count(*) FROM ca GROUP BY id, v');
SELECT compare('SELECT count(*) FILTER (WHERE id > 100), min(v) FROM ca');
-- in several passes
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '16kB';
SELECT ca_pages('SELECT id, count(*) FROM ca GROUP BY id');
SELECT compare('SELECT id, count(*) FROM ca GROUP BY id');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- without columns: which rows there are is known of any column
SELECT ca_twice('SELECT count(*) FROM ca');
SELECT compare('SELECT count(*), 7 AS seven FROM ca WHERE now() > ''2000-01-01'' GROUP BY now()');
SELECT ca_predicted('SELECT count(*) FROM ca') AS warm \gset
SET gpuagg.cache = off;
SELECT ca_predicted('SELECT count(*) FROM ca') > :warm AS slower;
RESET gpuagg.cache;
-- and kept where there is none; other columns take its place, and it theirs not
CREATE TABLE ca_rows (id int, g int) WITH (autovacuum_enabled = off);
INSERT INTO ca_rows SELECT i, i % 7 FROM generate_series(1, 5000) i;
DELETE FROM ca_rows WHERE id % 3 = 0;
VACUUM (FREEZE, ANALYZE) ca_rows;
SELECT ca_twice('SELECT count(*) FROM ca_rows');
SELECT attnum, column_name, pages = pages_total AS whole, bytes > 0 AS bytes FROM gpuagg.cache WHERE relation = 'ca_rows'::regclass ORDER BY attnum;
UPDATE ca_rows SET id = -id WHERE id = 1;
SELECT ca_twice('SELECT count(*) FROM ca_rows');
VACUUM ca_rows;
SELECT ca_twice('SELECT count(*) FROM ca_rows');
SELECT ca_twice('SELECT g, count(*) FROM ca_rows GROUP BY g');
SELECT ca_twice('SELECT count(*) FROM ca_rows');
DELETE FROM ca_rows WHERE id % 1000 = 1;
VACUUM ca_rows;
-- these pages are kept when the column is read
SELECT ca_twice('SELECT count(*) FROM ca_rows');
SELECT ca_twice('SELECT max(g) FROM ca_rows');
SELECT ca_twice('SELECT count(*) FROM ca_rows');
SELECT ca_twice('SELECT count(*), max(id) FROM ca_rows');
SELECT gpuagg.unload('ca_rows') > 0;
SELECT count(*) FROM gpuagg.cache WHERE relation = 'ca_rows'::regclass;
DROP TABLE ca_rows;
-- samples take what there is; no cache request
SELECT ca_pages('SELECT sum(v) FROM ca TABLESAMPLE BERNOULLI (50) REPEATABLE (1)');
SET gpuagg.cache = off;
SELECT ca_pages('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
RESET gpuagg.cache;
SELECT ca_pages('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
-- changed pages are read, and after VACUUM kept again
UPDATE ca SET v = -v WHERE id IN (1, 2);
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
DELETE FROM ca WHERE id % 100 = 3;
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
INSERT INTO ca SELECT i, i % 7, i FROM generate_series(6001, 6500) i;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
-- a page that is kept for one column is kept for others, too, when they are asked for
UPDATE ca SET v = -v WHERE id = 2000;
VACUUM ca;
SELECT ca_twice('SELECT max(g) FROM ca');
SELECT ca_twice('SELECT sum(v) FROM ca');
SELECT ca_twice('SELECT max(id) FROM ca');
SELECT ca_twice('SELECT g, count(*), sum(v), max(id) FROM ca GROUP BY g');
-- own changes that nobody else sees yet
BEGIN;
DELETE FROM ca WHERE id BETWEEN 3000 AND 3010;
INSERT INTO ca VALUES (-1, 0, 0);
SELECT compare('SELECT count(*) FROM ca');
SAVEPOINT s;
DELETE FROM ca WHERE id < 1000;
SELECT compare('SELECT count(*) FROM ca');
ROLLBACK TO s;
SELECT compare('SELECT count(*) FROM ca');
ROLLBACK;
SELECT compare('SELECT count(*) FROM ca');
VACUUM ca;
SELECT compare('SELECT g, count(*), sum(v), max(id) FROM ca GROUP BY g');
-- the view
SELECT relation, column_name, attnum, extents, pages, pages_total, rows >= 5450 AS rows, bytes > 20000 AS bytes, strings, uses > 3 AS uses, last_use <= clock_timestamp() AS last_use, note
FROM gpuagg.cache WHERE relation = 'ca'::regclass ORDER BY attnum;
SELECT cache_used > 0 AND cache_used <= cache_limit AS within FROM gpuagg.devices WHERE state = 'ready';
-- with what all columns share, the directory (16 bytes a page and more): the view tells of all that is used
SELECT bytes >= 16 * pages AS directory FROM gpuagg.cache WHERE relation = 'ca'::regclass AND attnum = 0;
SELECT sum(c.bytes) > 0.9 * min(cache_used) AND sum(c.bytes) <= min(cache_used) AS all_of_it FROM gpuagg.cache c, gpuagg.devices WHERE state = 'ready';
-- the planner knows
SELECT ca_predicted('SELECT g, sum(v) FROM ca GROUP BY g') AS warm \gset
SET gpuagg.cache = off;
SELECT ca_predicted('SELECT g, sum(v) FROM ca GROUP BY g') > :warm AS slower;
RESET gpuagg.cache;
-- load and unload
SELECT ca_pages('SELECT max(id) FROM ca');
SELECT gpuagg.unload('ca', '{id}') > 20000;
SELECT column_name, pages > 0 AS held FROM gpuagg.cache WHERE relation = 'ca'::regclass ORDER BY attnum;
SELECT ca_pages('SELECT max(id) FROM ca');
SELECT gpuagg.unload('ca') > 60000;
SELECT count(*) FROM gpuagg.cache WHERE relation = 'ca'::regclass AND pages > 0;
SELECT gpuagg.unload('ca');
SELECT gpuagg.load('ca', '{g,v}') > 40000;
SELECT ca_pages('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
SELECT gpuagg.load('ca') > 60000;
SELECT ca_pages('SELECT g, max(id), sum(v) FROM ca GROUP BY g');
SELECT gpuagg.load(NULL), gpuagg.unload(NULL);
SHOW gpuagg.debug_require;
-- errors
SELECT gpuagg.load('ca', '{g,nosuch}');
SELECT gpuagg.load('ca', '{}');
SELECT gpuagg.load('ca', '{NULL}');
SELECT gpuagg.load('ca', '{ctid}');
SELECT gpuagg.load('nosuch');
SELECT gpuagg.load('gpuagg.cache');
SELECT gpuagg.load('gpuagg.profile_pkey'), gpuagg.unload('gpuagg.profile_pkey');
SELECT gpuagg.load('gpuagg.profile_profile_id_seq');
SELECT gpuagg.load(0), gpuagg.unload(0);
SELECT gpuagg.unload(0);
SELECT gpuagg.load(4000000000), gpuagg.unload(4000000000);
SELECT gpuagg.unload('gpuagg.cache');
CREATE FOREIGN DATA WRAPPER ca_fdw;
CREATE SERVER ca_server FOREIGN DATA WRAPPER ca_fdw;
CREATE FOREIGN TABLE ca_foreign (v int) SERVER ca_server;
SELECT gpuagg.load('ca_foreign');
SELECT gpuagg.unload('ca_foreign');
DROP FOREIGN DATA WRAPPER ca_fdw CASCADE;
SELECT gpuagg.unload('ca', '{nosuch}');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT gpuagg.load('ca');
ROLLBACK;
-- what is missing is told
SET client_min_messages = notice;
UPDATE ca SET v = v + 1 WHERE id = 4000;
SELECT gpuagg.load('ca') > 60000;
SET client_min_messages = warning;
-- tables that do not stay
CREATE TEMP TABLE ca_temp AS SELECT i AS a FROM generate_series(1, 1000) i;
VACUUM ca_temp;
SELECT gpuagg.load('ca_temp');
CREATE UNLOGGED TABLE ca_unlogged AS SELECT i AS a FROM generate_series(1, 1000) i;
VACUUM ca_unlogged;
SELECT ca_twice('SELECT sum(a) FROM ca_unlogged');
SELECT gpuagg.load('ca_unlogged');
CREATE TABLE ca_types (n point, j jsonb, b bpchar, a int[]);
SELECT gpuagg.load('ca_types');
SELECT gpuagg.load('ca_types', '{n}');
CREATE VIEW ca_view AS SELECT * FROM ca;
SELECT gpuagg.load('ca_view');
DROP VIEW ca_view;
BEGIN;
CREATE TABLE ca_new AS SELECT i AS a FROM generate_series(1, 100) i;
SELECT ca_twice('SELECT sum(a) FROM ca_new');
SELECT gpuagg.load('ca_new');
ROLLBACK;
-- all types, with NULLs
CREATE TABLE ca_all (id int, bo bool, s int2, i int4, l int8, r float4, d float8, da date, ts timestamp, tz timestamptz,
	t text COLLATE "C", vc varchar(20), c char(5), u uuid) WITH (autovacuum_enabled = off);
INSERT INTO ca_all SELECT i, n % 3 = 0, n % 100, -n, n * 10000000000::int8, n / 3.0::float4, CASE n % 50 WHEN 0 THEN 'nan' WHEN 1 THEN '-inf' WHEN 2 THEN '-0' ELSE n / 7.0 END,
	date '2000-01-01' + n % 40, timestamp '2001-01-01' + n * interval '1 minute', timestamptz '2002-02-02 00:00Z' + n * interval '1 hour',
	't' || n % 13, repeat('v', n % 17), chr(97 + n % 26), md5(n::text)::uuid
FROM (SELECT i, CASE WHEN i % 11 <> 0 THEN i END AS n FROM generate_series(1, 4000) i) x;
VACUUM (FREEZE, ANALYZE) ca_all;
SELECT ca_twice(format('SELECT %s, count(*), count(id) FROM ca_all GROUP BY 1', c))
FROM unnest('{bo,s,i,l,r,d,da,ts,tz}'::text[]) c;
SELECT ca_twice('SELECT bo, count(*), sum(s), avg(i), min(l), max(da), max(ts), min(tz), min(d), max(r) FROM ca_all GROUP BY bo');
SELECT ca_twice('SELECT count(s), count(i), count(*), count(*) FILTER (WHERE da IS NULL) FROM ca_all WHERE l IS NOT NULL OR bo IS NULL');
-- strings: as keys, compared, listed, and taken apart
SELECT ca_twice(format('SELECT %s, count(*), sum(i) FROM ca_all GROUP BY 1', c)) FROM unnest('{t,vc,c,u}'::text[]) c;
SELECT ca_twice('SELECT t, c, count(*) FROM ca_all WHERE t = ''t3'' OR t IN (''t4'', ''nosuch'') GROUP BY t, c');
SELECT ca_twice('SELECT c, count(*), count(vc) FROM ca_all WHERE c = ''b'' OR c <> ''c  '' AND vc IS NOT NULL GROUP BY c');
SELECT ca_twice('SELECT count(*) FROM ca_all WHERE u = (md5(''17'')::uuid) OR t <> ''t1'' AND vc = ''''');
SELECT ca_twice('SELECT length(vc), count(*), min(t), max(t) FROM ca_all WHERE t LIKE ''t1%'' GROUP BY 1');
SELECT ca_twice('SELECT t, count(*) FROM ca_all WHERE d > -2 AND t <> ''t3'' GROUP BY t');
SELECT ca_twice('SELECT coalesce(t, vc), count(*) FROM ca_all GROUP BY 1');
SELECT ca_twice('SELECT count(*), sum(i) FROM ca_all WHERE t < vc OR t > ''t5''');
SELECT ca_twice('SELECT t, vc, bo, count(*) FROM ca_all GROUP BY t, vc, bo HAVING count(*) > 1');
-- a parameter, and one that is NULL
PREPARE ca_p(text) AS SELECT count(*) FROM ca_all WHERE t = $1;
SET gpuagg.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
EXECUTE ca_p('t3');
EXECUTE ca_p('absent');
EXECUTE ca_p(NULL);
RESET plan_cache_mode;
RESET gpuagg.debug_require;
DEALLOCATE ca_p;
-- an old row whose strings are compressed is left to PostgreSQL, and its page is not kept
CREATE TABLE ca_toast (g int, t text) WITH (autovacuum_enabled = off);
INSERT INTO ca_toast SELECT i % 5, CASE i WHEN 500 THEN repeat('long', 5000) ELSE 'short' || i % 3 END FROM generate_series(1, 2000) i;
VACUUM (FREEZE, ANALYZE) ca_toast;
SELECT ca_twice('SELECT t, count(*) FROM ca_toast GROUP BY t');
SELECT ca_twice('SELECT g, count(*) FROM ca_toast GROUP BY g');
-- nor is it tried again and again, which would take it from the others
SELECT ca_pages('SELECT t, count(*) FROM ca_toast GROUP BY t');
SELECT ca_pages('SELECT g, count(*) FROM ca_toast GROUP BY g');
SELECT ca_pages('SELECT count(*) FROM ca_toast');
-- dropped, added and retyped columns
ALTER TABLE ca DROP COLUMN g;
SELECT ca_twice('SELECT count(*), sum(v), max(id) FROM ca');
ALTER TABLE ca ADD COLUMN g int DEFAULT 5;
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
INSERT INTO ca SELECT i, i, i % 3 FROM generate_series(7001, 7100) i;
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
ALTER TABLE ca ALTER g TYPE int8;
SELECT compare('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
VACUUM ca;
SELECT ca_twice('SELECT g, count(*), sum(v) FROM ca GROUP BY g');
-- retyped without a rewrite
SET timezone = 'UTC';
CREATE TABLE ca_retype (g int, ts timestamp, t text, v varchar(10)) WITH (autovacuum_enabled = off);
INSERT INTO ca_retype SELECT i % 3, timestamp '2020-01-01' + i % 10 * interval '1 hour', 'x' || i % 2, 'y' || i % 4 FROM generate_series(1, 1000) i;
VACUUM (FREEZE, ANALYZE) ca_retype;
SELECT ca_twice('SELECT ts, t, v, count(*) FROM ca_retype GROUP BY ts, t, v');
SELECT pg_relation_filenode('ca_retype') AS filenode \gset
ALTER TABLE ca_retype ALTER ts TYPE timestamptz, ALTER t TYPE bpchar, ALTER v TYPE text;
SELECT pg_relation_filenode('ca_retype') = :filenode;
SELECT ca_twice('SELECT ts, v, count(*) FROM ca_retype GROUP BY ts, v');
SELECT ca_twice('SELECT t, count(*) FROM ca_retype GROUP BY t');
RESET timezone;
-- TRUNCATE, VACUUM FULL, CLUSTER
TRUNCATE ca_retype;
SELECT ca_twice('SELECT v, count(*) FROM ca_retype GROUP BY v');
INSERT INTO ca_retype SELECT 1, now(), 'a', 'b' FROM generate_series(1, 1000) i;
VACUUM ca_retype;
SELECT ca_twice('SELECT v, count(*) FROM ca_retype GROUP BY v');
VACUUM FULL ca_retype;
VACUUM ca_retype;
SELECT ca_twice('SELECT v, count(*) FROM ca_retype GROUP BY v');
-- partitions
CREATE TABLE ca_parts (k int, v int8) PARTITION BY RANGE (k);
CREATE TABLE ca_parts_1 PARTITION OF ca_parts FOR VALUES FROM (0) TO (10);
CREATE TABLE ca_parts_2 (v int8, x int, k int);
ALTER TABLE ca_parts_2 DROP COLUMN x;
ALTER TABLE ca_parts ATTACH PARTITION ca_parts_2 FOR VALUES FROM (10) TO (20);
INSERT INTO ca_parts SELECT i % 20, i FROM generate_series(1, 4000) i;
VACUUM (FREEZE, ANALYZE) ca_parts;
SELECT gpuagg.load('ca_parts', '{v}') > 16000;
SELECT ca_pages(format('SELECT sum(v) FROM ca_parts_%s', i)) FROM generate_series(1, 2) i;
SELECT gpuagg.load('ca_parts') > 32000;
SELECT relation, column_name, pages FROM gpuagg.cache WHERE relation::text LIKE 'ca_parts%' ORDER BY 1, 2;
SELECT gpuagg.unload('ca_parts') > 32000;
-- many columns take several queries
SELECT format('CREATE TABLE ca_wide (%s)', string_agg(format('c%s int', i), ', ')) FROM generate_series(1, 70) i \gexec
SELECT format('INSERT INTO ca_wide SELECT %s FROM generate_series(1, 500) i', string_agg(format('i + %s', i), ', ')) FROM generate_series(1, 70) i \gexec
VACUUM (FREEZE, ANALYZE) ca_wide;
SELECT gpuagg.load('ca_wide') > 70 * 500 * 4;
SELECT count(*), min(pages) = max(pages_total) AS whole FROM gpuagg.cache WHERE relation = 'ca_wide'::regclass;
SELECT ca_pages('SELECT sum(c1), sum(c33), sum(c70) FROM ca_wide');
SELECT compare('SELECT sum(c1), sum(c33), sum(c70) FROM ca_wide');
-- pages that a query can use now, and names
SELECT schema_name, table_name, count(*), min(pages) = min(pages_valid) AS valid FROM gpuagg.cache WHERE relation = 'ca_wide'::regclass GROUP BY 1, 2;
UPDATE ca_wide SET c1 = -c1 WHERE c1 = 2;
SELECT bool_and(pages = pages_total OR pages = pages_total - 1) AS pages, bool_and(pages_valid < pages AND pages_valid > 0) AS fewer_valid FROM gpuagg.cache WHERE relation = 'ca_wide'::regclass;
VACUUM ca_wide;
SELECT ca_twice('SELECT sum(c1), sum(c33), sum(c70) FROM ca_wide');
SELECT bool_and(pages = pages_valid) AS valid FROM gpuagg.cache WHERE relation = 'ca_wide'::regclass AND column_name IN ('c1', 'c33', 'c70');
-- more columns than a page can leave out: beside one of the last ones, all of them come again
SELECT gpuagg.unload('ca_wide') > 0;
SELECT ca_pages('SELECT sum(c70) FROM ca_wide');
SELECT ca_pages(format('SELECT sum(%s) FROM ca_wide', string_agg('c' || i, ' + '))) FROM generate_series(1, 70) i;
SELECT ca_pages(format('SELECT sum(%s) FROM ca_wide', string_agg('c' || i, ' + '))) FROM generate_series(1, 70) i;
SELECT ca_pages('SELECT sum(c70) FROM ca_wide');
SELECT compare(format('SELECT sum(%s) FROM ca_wide', string_agg('c' || i, ' + '))) FROM generate_series(1, 70) i;
-- who may load and see
CREATE ROLE ca_user;
GRANT SELECT (v) ON ca TO ca_user;
SET ROLE ca_user;
\set SHOW_CONTEXT never
SELECT gpuagg.load('ca');
\set SHOW_CONTEXT errors
SELECT gpuagg.load('ca', '{v}') > 20000;
SELECT relation, column_name FROM gpuagg.cache WHERE relid IN ('ca'::regclass, 'ca_all'::regclass) ORDER BY 1, 2;
-- but not drop what others use: that is for whoever may vacuum the table
\set VERBOSITY sqlstate
SELECT gpuagg.unload('ca_all');
SELECT gpuagg.unload('ca', '{v}');
SELECT gpuagg.unload('ca');
\set VERBOSITY default
RESET ROLE;
CREATE ROLE ca_owner;
GRANT USAGE ON SCHEMA public TO ca_owner;
ALTER TABLE ca OWNER TO ca_owner;
SET ROLE ca_owner;
SELECT gpuagg.unload('ca', '{v}') > 20000;
RESET ROLE;
ALTER TABLE ca OWNER TO CURRENT_USER;
REVOKE USAGE ON SCHEMA public FROM ca_owner;
DROP ROLE ca_owner;
SELECT column_name FROM gpuagg.cache WHERE relid = 'ca'::regclass AND attnum > 0 ORDER BY attnum;
GRANT SELECT ON ca_parts TO ca_user;
SELECT format('GRANT SELECT ON %s TO ca_user', min(inhrelid)::regclass) FROM pg_inherits WHERE inhparent = 'ca_parts'::regclass \gexec
SELECT gpuagg.load('ca_parts', '{v}') > 16000;
SET ROLE ca_user;
\set VERBOSITY sqlstate
SELECT gpuagg.unload('ca_parts');
\set VERBOSITY default
RESET ROLE;
SELECT count(DISTINCT relid) FROM gpuagg.cache WHERE relid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'ca_parts'::regclass);
CREATE TABLE ca_rls (owner name, v int, s text) WITH (autovacuum_enabled = off);
INSERT INTO ca_rls SELECT CASE WHEN i % 2 = 0 THEN 'ca_user' ELSE 'other' END, i, 's' || i FROM generate_series(1, 2000) i;
VACUUM (FREEZE, ANALYZE) ca_rls;
ALTER TABLE ca_rls ENABLE ROW LEVEL SECURITY;
CREATE POLICY ca_policy ON ca_rls USING (v % 2 = 0);
GRANT SELECT ON ca_rls TO ca_user;
SELECT gpuagg.load('ca_rls', '{v,s}') > 8000;
-- how many strings there are, and what they take, is not for whom policies hide some from
CREATE FUNCTION ca_seen() RETURNS TABLE (column_name name, pages bool, bytes bool, strings int8) LANGUAGE sql AS $$
	SELECT c.column_name, c.pages > 0, c.bytes > 0, c.strings FROM gpuagg.cache c
	WHERE c.relid = 'ca_rls'::regclass AND c.attnum > 0 ORDER BY c.attnum $$;
CREATE ROLE ca_monitor IN ROLE pg_read_all_stats;
CREATE ROLE ca_exempt BYPASSRLS IN ROLE ca_user;
SELECT ca_seen();
SET ROLE ca_exempt;
SELECT ca_seen();
SELECT gpuagg.load('ca_rls', '{v}') > 8000;
SET ROLE ca_monitor;
SELECT ca_seen();
SET row_security = off;
SELECT ca_seen();
RESET row_security;
SET ROLE ca_user;
SELECT ca_seen();
SELECT gpuagg.load('ca_rls', '{v}');
SELECT compare('SELECT count(*), sum(v) FROM ca_rls');
SELECT ca_pages('SELECT count(*), sum(v) FROM ca_rls');
SELECT count(*), sum(v) FROM ca_rls;
RESET ROLE;
SELECT compare('SELECT count(*), sum(v) FROM ca_rls');
SELECT count(*), sum(v) FROM ca_rls;
-- EXPLAIN
\t off
\a
SET gpuagg.debug_require = 'require';
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT bo, count(*) FROM ca_all GROUP BY bo$$);
RESET gpuagg.debug_require;
-- faults: nothing half-filled is ever used
\a
\t on
SELECT gpuagg.unload('ca_all') > 0;
CREATE FUNCTION ca_fault(stage text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gpuagg.unload('ca_all');
	PERFORM set_config('gpuagg.debug_fault', stage, true);
	RETURN NEXT stage || ' ' || compare('SELECT i, sum(s), max(da) FROM ca_all GROUP BY i', 'prefer');
	PERFORM set_config('gpuagg.debug_fault', 'none', true);
	RETURN NEXT compare('SELECT i, sum(s), max(da) FROM ca_all GROUP BY i');
	RETURN NEXT compare('SELECT i, sum(s), max(da) FROM ca_all GROUP BY i');
	PERFORM set_config('gpuagg.debug_fault', stage, true);
	RETURN NEXT stage || ' ' || compare('SELECT i, sum(s), max(da) FROM ca_all GROUP BY i', 'prefer');
	PERFORM set_config('gpuagg.debug_fault', 'none', true);
	RETURN NEXT ca_pages('SELECT i, sum(s), max(da) FROM ca_all GROUP BY i');
END $$;
SELECT ca_fault(stage) FROM unnest('{begin,pages,finish,results,memory}'::text[]) stage;
DROP TABLE ca, ca_all, ca_toast, ca_retype, ca_parts, ca_wide, ca_rls, ca_unlogged, ca_types;
DROP FUNCTION ca_seen;
DROP ROLE ca_user, ca_monitor, ca_exempt;
