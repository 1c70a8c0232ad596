--
-- EXPLAIN: shapes of plans, no execution without ANALYZE, machine-readable
-- properties with it.
--
CREATE TABLE xp (id int4 PRIMARY KEY, g int4, t text, v int8, f float8);
INSERT INTO xp SELECT i, i % 10, 't' || i % 3, i, i / 2.0 FROM generate_series(1, 5000) i;
CREATE TABLE xp_dim (g int4, name text);
INSERT INTO xp_dim SELECT i, 'd' || i FROM generate_series(0, 9) i;
VACUUM ANALYZE xp, xp_dim;
SET max_parallel_workers_per_gather = 0;
-- counts of pages are those of a first run; cache.sql has the others
SET gpuagg.cache = off;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT g, count(*) FROM xp GROUP BY g;
EXPLAIN (COSTS OFF) SELECT g, t, sum(v) FROM xp WHERE f > 10 AND t <> 't1' GROUP BY g, t HAVING sum(v) > 5 ORDER BY 3 LIMIT 5;
EXPLAIN (COSTS OFF, VERBOSE) SELECT g + 1, avg(f) FILTER (WHERE v % 2 = 0), upper(max(t COLLATE "C")) FROM xp WHERE t LIKE 't%' GROUP BY g;
EXPLAIN (COSTS OFF, VERBOSE) SELECT count(*) FROM xp;
EXPLAIN (COSTS OFF) SELECT d.name, x.n FROM xp_dim d, LATERAL (SELECT count(*) AS n FROM xp WHERE xp.g = d.g) x;
SELECT * FROM explained($$EXPLAIN (COSTS OFF) SELECT g FROM xp WHERE v > (SELECT 5) GROUP BY g$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT JSON) SELECT g, count(*) FROM xp GROUP BY g$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT YAML) SELECT g, count(*) FROM xp GROUP BY g$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT XML) SELECT g, count(*) FROM xp GROUP BY g$$);
SELECT explained($$EXPLAIN (COSTS OFF) INSERT INTO xp_dim SELECT g, 'x' FROM xp GROUP BY g$$);
PREPARE xp_prepared(int4) AS SELECT g, sum(v) FROM xp WHERE g > $1 GROUP BY g;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE xp_prepared(5);
RESET plan_cache_mode;
DEALLOCATE xp_prepared;
RESET gpuagg.debug_require;
-- off is PostgreSQL's plan, and so is what is too small to be worth a task
SET gpuagg.enable = off;
EXPLAIN (COSTS OFF) SELECT g, count(*) FROM xp GROUP BY g;
SET gpuagg.enable = on;
EXPLAIN (COSTS OFF) SELECT name, count(*) FROM xp_dim GROUP BY name;
-- EXPLAIN alone runs no task and raises no error that only running would
SET gpuagg.debug_require = 'require';
SELECT value AS tasks FROM gpuagg.stat WHERE name = 'tasks' \gset
EXPLAIN (COSTS OFF) SELECT sum(1 / (v - v)) FROM xp;
SELECT value - :tasks AS tasks_run FROM gpuagg.stat WHERE name = 'tasks';

-- ANALYZE, in every format
CREATE FUNCTION xp_analyze(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN SELECT * FROM explained(format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, %s) %s', options, query)) LOOP
		-- times, sizes and the name of the device are the machine's
		line := regexp_replace(line, '[0-9]+\.[0-9]+', 'N', 'g');
		line := regexp_replace(line, '((Memory|Bytes Read|Bytes|Buffers|Pages)[^:]*:).*', '\1 N');
		RETURN NEXT line;
	END LOOP;
END $$;
SELECT * FROM xp_analyze('VERBOSE', 'SELECT g, count(*) FROM xp WHERE v <= 4000 GROUP BY g');
SELECT * FROM xp_analyze('BUFFERS', 'SELECT g, count(*) FROM xp WHERE v <= 4000 GROUP BY g HAVING g > 2');
CREATE FUNCTION xp_node(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.** ? (@."Custom Plan Provider" == "GpuAgg")');
	RETURN plan;
END $$;
SELECT key, CASE jsonb_typeof(value) WHEN 'number' THEN CASE WHEN key ~ 'Row|Group|Loops|Runs' THEN value::text ELSE 'a number' END ELSE jsonb_typeof(value) END
FROM jsonb_each(xp_node('SELECT g, count(*) FROM xp WHERE v <= 4000 GROUP BY g')) WHERE key !~ 'Disabled|Cost|Blocks|Width|Schema|Actual|Plan Rows|Startup|Total|^Transfer Time$|^Decode Time$|^Kernel Time$|^Link '
ORDER BY key COLLATE "C";
-- the farther a filter's column, the longer PostgreSQL takes, and the fewer of its units the device
CREATE TABLE xp_far (near int4, a text, b text, c text, far int4);
INSERT INTO xp_far SELECT i, 'a', 'b', 'c', i FROM generate_series(1, 5000) i;
VACUUM ANALYZE xp_far;
SET gpuagg.debug_require = 'allow';
SET gpuagg.cost_scale = 0.01;
SELECT (near->'Total Cost')::float8 > (far->'Total Cost')::float8 AS cheaper, near->'Predicted Time' = far->'Predicted Time' AS as_fast
FROM xp_node('SELECT sum(near), sum(far) FROM xp_far WHERE near < 2000') near, xp_node('SELECT sum(near), sum(far) FROM xp_far WHERE far < 2000') far;
RESET gpuagg.cost_scale;
SET gpuagg.debug_require = 'require';
DROP TABLE xp_far;
-- counts add up over rescans; a rescan without changed parameters is not run again
SELECT (xp_node('SELECT d.g, x.n FROM xp_dim d, LATERAL (SELECT count(*) AS n FROM xp WHERE xp.g = d.g) x'))->'Actual Loops' AS loops;
SELECT f, (SELECT string_agg(x, ' ') ~ 'GpuAgg.*Rows.Scanned.*Groups.*10' FROM xp_analyze('VERBOSE, FORMAT ' || f, 'SELECT g, count(*) FROM xp GROUP BY g') x) AS node FROM unnest(ARRAY['TEXT', 'JSON', 'XML', 'YAML']) f;
-- never executed
SELECT * FROM xp_analyze('VERBOSE OFF', 'SELECT d.g, x.n FROM xp_dim d, LATERAL (SELECT count(*) AS n FROM xp WHERE xp.g = d.g) x WHERE d.g < 0');
-- a query that PostgreSQL finished says so
RESET gpuagg.debug_require;
BEGIN;
SELECT prefer_device();
SET LOCAL gpuagg.debug_fault = 'pages';
SELECT * FROM xp_analyze('VERBOSE OFF', 'SELECT g, count(*) FROM xp WHERE v <= 4000 GROUP BY g');
COMMIT;
-- node trees survive being printed, read and copied
SET debug_print_plan = on;
SET client_min_messages = notice;
SET gpuagg.debug_require = 'require';
SELECT count(*), sum(v) FROM xp WHERE t IN ('t1', 't2');
RESET debug_print_plan;
RESET ALL;
-- predictions are kept beside what was measured
SET gpuagg.debug_require = 'require';
SELECT count(*) FROM xp WHERE g < 0;
RESET gpuagg.debug_require;
SELECT DISTINCT relation, node, predicted_ms > 0 AS predicted, measured_ms > 0 AS measured, ratio > 0 AS ratio, bound_by <> '' AS bound FROM gpuagg.stat_cost WHERE relation = 'xp'::regclass;
-- what everybody sees is five lines at most, whatever there is to tell; the rest with VERBOSE
CREATE FUNCTION xp_lines(options text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text[];
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		EXIT WHEN lines IS NOT NULL AND line ~ '-> ';
		IF line ~ 'Custom Scan' THEN
			lines := '{}';
		ELSIF lines IS NOT NULL AND line !~ '^ *(Filter|Output|Rows Removed by Filter|Buffers|Planning Time|Planning|Execution Time):' THEN
			lines := lines || substring(line FROM '^ *([^:]*)');
		END IF;
	END LOOP;
	RETURN CASE WHEN cardinality(lines) > 5 THEN 'more than five' ELSE array_to_string(lines, ', ') END;
END $$;
SET gpuagg.debug_require = 'require';
SELECT q, xp_lines('COSTS', q) AS costs, xp_lines('ANALYZE, BUFFERS', q) AS analyze, xp_lines('VERBOSE', q) AS verbose FROM unnest(ARRAY[
	'SELECT g, sum(v) FROM xp WHERE f > 10 GROUP BY g HAVING sum(v) > 5',
	'SELECT g, count(*) FROM xp WHERE f > 10 GROUP BY g HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 5',
	'SELECT g, count(*) FROM xp TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE f > 10 GROUP BY g HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 5',
	'SELECT t FROM xp TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE f > 10',
	'SELECT count(*) FROM xp']) q;
SET gpuagg.debug_require = 'prefer';
SET gpuagg.debug_fault = 'results';
SELECT xp_lines('ANALYZE', 'SELECT g, count(*) FROM xp WHERE f > 10 GROUP BY g ORDER BY 2, 1 LIMIT 3');
RESET gpuagg.debug_fault;
RESET gpuagg.debug_require;
DROP FUNCTION xp_lines;
DROP FUNCTION xp_analyze, xp_node;
DROP TABLE xp, xp_dim;
