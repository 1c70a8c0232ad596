--
-- Settings, their limits, the views and the reset.
--
\a
SELECT name, unit, category, vartype, context, min_val, max_val, enumvals, boot_val FROM pg_settings WHERE name LIKE 'gpuagg.%' ORDER BY name COLLATE "C";
\pset tuples_only on
SELECT name FROM pg_settings WHERE name LIKE 'gpuagg.%' AND (short_desc = '' OR short_desc IS NULL);
\set VERBOSITY default
SET gpuagg.enable = maybe;
SET gpuagg.debug_require = 'sometimes';
SET gpuagg.debug_fault = 'everywhere';
SET gpuagg.queue_timeout = -1;
SET gpuagg.queue_timeout = '1 apple';
SET gpuagg.host_threads = 3;
SET gpuagg.device = 'host';
SET gpuagg.max_tasks = 5;
SET gpuagg.device_memory = '1GB';
SET gpuagg.no_such_setting = 1;
ALTER SYSTEM SET gpuagg.device = 'quantum';
ALTER SYSTEM SET gpuagg.max_tasks = 0;
ALTER SYSTEM SET gpuagg.host_threads = -1;
-- user settings belong to users, databases, functions and transactions
CREATE FUNCTION st_off() RETURNS text SET gpuagg.enable = off LANGUAGE sql AS 'SELECT current_setting(''gpuagg.enable'')';
SELECT st_off(), current_setting('gpuagg.enable');
DROP FUNCTION st_off;
BEGIN;
SET LOCAL gpuagg.enable = off;
SHOW gpuagg.enable;
ROLLBACK;
SHOW gpuagg.enable;
-- the views
\pset tuples_only off
SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), col_description(attrelid, attnum) IS NOT NULL AS has_comment
FROM pg_attribute WHERE attrelid IN ('gpuagg.devices'::regclass, 'gpuagg.tasks'::regclass, 'gpuagg.stat'::regclass, 'gpuagg.kernels'::regclass, 'gpuagg.stat_tables'::regclass, 'gpuagg.stat_databases'::regclass, 'gpuagg.metrics'::regclass) AND attnum > 0 ORDER BY attrelid::regclass::text COLLATE "C", attnum;
SELECT name FROM gpuagg.stat ORDER BY name COLLATE "C";
SELECT count(*) FROM gpuagg.tasks;
SELECT count(*) FROM gpuagg.devices WHERE state = 'ready';
-- counting and forgetting
CREATE TABLE sg AS SELECT i AS id, i % 7 AS g FROM generate_series(1, 3000) i;
SELECT gpuagg.stat_reset();
SELECT name, value FROM gpuagg.stat WHERE value <> 0 AND name !~ '^(kernels|compiler)_';
SET gpuagg.debug_require = 'require';
SELECT g, count(*) FROM sg WHERE id <= 2500 GROUP BY g ORDER BY g;
RESET gpuagg.debug_require;
SELECT name, value FROM gpuagg.stat WHERE value <> 0 AND name !~ '^(kernels|compiler)_' ORDER BY name COLLATE "C";
SELECT relation, runs, fallbacks, refusals, rows_scanned, rows_passed, groups, pages + pages_cached = pg_relation_size('sg') / 8192 AS pages, run_ms > 0 AS took
FROM gpuagg.stat_tables WHERE datname = current_database();
SELECT t.runs, t.rows_scanned, t.run_ms = d.run_ms AS same FROM gpuagg.stat_tables t JOIN gpuagg.stat_databases d USING (datid) WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database());
CREATE ROLE gpuagg_carol;
GRANT EXECUTE ON FUNCTION gpuagg.stat_reset() TO gpuagg_carol;
GRANT USAGE ON SCHEMA gpuagg TO gpuagg_carol;
SET ROLE gpuagg_carol;
SELECT gpuagg.stat_reset();
RESET ROLE;
SELECT count(*) FROM gpuagg.stat_tables;
SELECT count(*) FROM gpuagg.stat_databases;
SELECT name, value FROM gpuagg.stat WHERE value <> 0 AND name !~ '^(kernels|compiler)_' ORDER BY name COLLATE "C";
REVOKE ALL ON FUNCTION gpuagg.stat_reset() FROM gpuagg_carol;
REVOKE USAGE ON SCHEMA gpuagg FROM gpuagg_carol;
DROP ROLE gpuagg_carol;
DROP TABLE sg;
-- the extension itself
SELECT extname, extversion, extrelocatable, nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'gpuagg';
ALTER EXTENSION gpuagg SET SCHEMA public;
