-- EXPLAIN (GPUAGG), which PostgreSQL 18 has; before, it knows no options of extensions
\set VERBOSITY terse
EXPLAIN (GPUAGG, COSTS OFF) SELECT 1;
SELECT current_setting('server_version_num')::int < 180000 AS before \gset
\if :before
\quit
\endif
SET gpuagg.debug_require = prefer;
CREATE TABLE option_rows AS SELECT i % 10 AS g, i AS v, i::text AS s FROM generate_series(1, 1000) i;
ANALYZE option_rows;
EXPLAIN (GPUAGG, COSTS OFF) SELECT g, sum(v) FROM option_rows GROUP BY g;
EXPLAIN (GPUAGG off, COSTS OFF) SELECT g, sum(v) FROM option_rows GROUP BY g;
EXPLAIN (GPUAGG, GPUAGG false, COSTS OFF) SELECT g, sum(v) FROM option_rows GROUP BY g;
-- a reason, and the same that why_not() has
EXPLAIN (GPUAGG, COSTS OFF) SELECT count(*), string_agg(s, ',') FROM option_rows;
EXPLAIN (GPUAGG, COSTS OFF, FORMAT JSON) SELECT count(*), string_agg(s, ',') FROM option_rows;
SELECT gpuagg.why_not('SELECT count(*), string_agg(s, '','') FROM option_rows');
-- it looks on: settings count
SET gpuagg.enable = off;
EXPLAIN (GPUAGG, COSTS OFF) SELECT g, sum(v) FROM option_rows GROUP BY g;
RESET gpuagg.enable;
SET gpuagg.debug_require = allow;
EXPLAIN (GPUAGG, COSTS OFF) SELECT g FROM option_rows WHERE v = 7;
-- queries of functions that run are not the plan's
CREATE FUNCTION option_other() RETURNS text LANGUAGE plpgsql VOLATILE
	AS $$ BEGIN RETURN (SELECT string_agg(s, ',') FROM option_rows); END $$;
EXPLAIN (GPUAGG, ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
	SELECT length(option_other());
-- after an error nobody looks any more
EXPLAIN (GPUAGG, COSTS OFF) SELECT g FROM option_rows GROUP BY nothing;
EXPLAIN (GPUAGG, WRONG) SELECT g FROM option_rows;
SET gpuagg.debug_require = require;
SELECT count(*), string_agg(s, ',') IS NOT NULL FROM option_rows;
RESET gpuagg.debug_require;
DROP FUNCTION option_other;
DROP TABLE option_rows;
