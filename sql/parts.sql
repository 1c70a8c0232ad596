--
-- What several aggregates need is grouped one after the other: DISTINCT of several arguments,
-- ordered sets, functions that only PostgreSQL computes.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TABLE pa AS
SELECT i AS id, i % 7 AS g, CASE WHEN i % 11 > 0 THEN i * 7919 % 613 END AS a, (i * 104729 % 1009)::int8 * 5000000000 AS b, (i % 300 / 4.0)::numeric(8, 2) AS n,
	   CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN 0 WHEN 2 THEN '-0' WHEN 3 THEN NULL ELSE i % 30 / 8.0 END::float8 AS f, 'name ' || i * 31 % 97 AS t, 'C' || i % 5 AS c,
	   '2020-03-20'::timestamptz + i % 500 * interval '1 h' AS z, i % 3 = 0 AS p, jsonb_build_object('k', i % 17, 'v', i % 3 / 2.0) AS j
FROM generate_series(1, 12000) i;
INSERT INTO pa (id, g) SELECT i, NULL FROM generate_series(12001, 12020) i;
VACUUM ANALYZE pa;
CREATE TABLE pa_empty (LIKE pa);
SET gpuagg.debug_parts = always;

SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY g',
	'SELECT count(DISTINCT a), sum(DISTINCT b), avg(DISTINCT n), count(*), sum(id), min(z), max(f) FROM pa',
	'SELECT g, count(DISTINCT a), count(DISTINCT a) FILTER (WHERE p), sum(DISTINCT a) FILTER (WHERE id > 500), count(a) FROM pa GROUP BY g',
	'SELECT t, g, count(DISTINCT a), count(DISTINCT c), count(DISTINCT f), count(DISTINCT t), bool_or(p), min(t COLLATE "C"), max(c COLLATE "C") FROM pa WHERE id % 5 > 0 GROUP BY t, g',
	'SELECT date_trunc(''day'', z), count(DISTINCT a), count(DISTINCT b % 100), sum(n * 2) FROM pa GROUP BY 1',
	'SELECT z::date, count(DISTINCT a), count(DISTINCT b), count(*) FILTER (WHERE p) FROM pa GROUP BY 1',
	'SELECT g, count(DISTINCT a), count(DISTINCT 1000 / (id % 3 + 1)), count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n), count(DISTINCT c) FROM pa GROUP BY g HAVING count(DISTINCT a) > 5',
	'SELECT count(DISTINCT a), count(DISTINCT b) FROM pa_empty', 'SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa_empty GROUP BY g',
	'SELECT count(DISTINCT a), count(DISTINCT b), max(n) FROM pa WHERE id < 0', 'SELECT count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY current_user',
	'SELECT g, count(DISTINCT a), count(DISTINCT (a, c)), count(DISTINCT c) FROM pa GROUP BY g']) q;
-- ordered sets, functions and DISTINCT side by side
SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_disc(0.25) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY c), count(*) FROM pa GROUP BY g',
	'SELECT percentile_disc(ARRAY[0.1, 0.5, 1]) WITHIN GROUP (ORDER BY b), percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FILTER (WHERE p), count(DISTINCT a), count(DISTINCT t) FROM pa',
	'SELECT g, sum(length(upper(t))), count(*) FILTER (WHERE t ~ ''1''), sum((j->>''k'')::int), max(lower(c)), count(DISTINCT b), avg(n) FROM pa GROUP BY g',
	'SELECT upper(c), stddev((j->>''v'')::numeric), count(DISTINCT j->''k''), sum(width_bucket(a, 0, 600, 5)), mode() WITHIN GROUP (ORDER BY j) FROM pa WHERE t ~ ''[1-5]$'' AND j ? ''k'' GROUP BY 1',
	'SELECT j->''k'', j, count(DISTINCT a), count(DISTINCT t), sum(length(t)) FROM pa GROUP BY 1, j',
	'SELECT g, min(t), max(c), count(DISTINCT n) FROM pa GROUP BY g']) q;
-- grouping sets
SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT g, c, count(DISTINCT a), count(DISTINCT b), sum(id), GROUPING(g, c) FROM pa GROUP BY ROLLUP (g, c)',
	'SELECT g, c, count(DISTINCT a), percentile_disc(0.5) WITHIN GROUP (ORDER BY b), count(*) FROM pa GROUP BY GROUPING SETS ((g), (c), ())',
	'SELECT lower(t), g, sum(length(c)), count(DISTINCT b), max(n) FROM pa GROUP BY CUBE (1, g)']) q;
-- who did it, and how it is shown
EXPLAIN (COSTS OFF) SELECT g, count(DISTINCT a), count(DISTINCT b), sum(length(t)) FROM pa WHERE id > 5 GROUP BY g;
CREATE FUNCTION made_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM prefer_device();
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN concat_ws(' ', jsonb_path_query_first(plan::jsonb, '$.**."Groups Made By"') #>> '{}', jsonb_path_query_first(plan::jsonb, '$.**."Groups"'), jsonb_path_query_first(plan::jsonb, '$.**."Groups Made"'),
					 jsonb_path_query_first(plan::jsonb, '$.**."Rows Scanned"'));
END $$;
SELECT made_by(q), q FROM unnest(ARRAY['SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY g', 'SELECT g, count(DISTINCT a), count(DISTINCT n), sum(length(t)) FROM pa GROUP BY g']) q;
SET gpuagg.debug_parts = off;
SELECT made_by(q), q FROM unnest(ARRAY['SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY g']) q;
-- what costs less: few values at once, many in parts
RESET gpuagg.debug_parts;
CREATE TABLE pa_many AS SELECT i % 50 AS g, i AS a, i * 7 AS b FROM generate_series(1, 150000) i;
VACUUM ANALYZE pa_many;
SELECT prefer_device();
EXPLAIN (COSTS OFF) SELECT count(DISTINCT g), count(DISTINCT p), count(DISTINCT c) FROM pa;
EXPLAIN (COSTS OFF) SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa_many GROUP BY g;
SELECT compare('SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa_many GROUP BY g', 'prefer');
SET gpuagg.debug_require = 'allow';
SET gpuagg.debug_parts = always;

-- compressed values, numerics of many digits, errors, failures
CREATE TABLE pa_long AS SELECT id, g, a, n::numeric AS n, CASE WHEN id % 50 = 0 THEN repeat(t, 3000) ELSE t END AS t, c, b FROM pa;
VACUUM ANALYZE pa_long;
SELECT compare(q), q FROM unnest(ARRAY['SELECT g, count(DISTINCT t), count(DISTINCT b), sum(length(c)), max(t COLLATE "C") FROM pa_long GROUP BY g', 'SELECT g, count(DISTINCT a), sum(length(t)), count(DISTINCT n), sum(n) FROM pa_long WHERE length(t) > 3 GROUP BY g']) q;
UPDATE pa_long SET n = CASE id WHEN 7 THEN 'NaN' WHEN 8 THEN 1e30 WHEN 9 THEN 0.123456789012345678901 END WHERE id IN (7, 8, 9);
SELECT compare('SELECT g, count(DISTINCT n), sum(n), count(DISTINCT a) FROM pa_long GROUP BY g', 'prefer');
SELECT compare('SELECT count(DISTINCT 1 / (id - 5)), count(DISTINCT a) FROM pa'), compare('SELECT count(DISTINCT a), sum(DISTINCT f * 1e308) FROM pa', 'prefer'),
	   compare('SELECT count(DISTINCT a), count(DISTINCT 1 / (id % 4)) FILTER (WHERE id % 4 > 0) FROM pa');
SET gpuagg.debug_fault = 'begin';
SELECT compare('SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY g', 'prefer');
SET gpuagg.debug_fault = 'memory-late';
SET gpuagg.debug_fault_pass = 1;
SELECT compare('SELECT id / 2, count(DISTINCT a), count(DISTINCT b) FROM pa GROUP BY 1', 'prefer');
RESET gpuagg.debug_fault_pass;
RESET gpuagg.debug_fault;
SET gpuagg.debug_regroup = off;
SELECT compare('SELECT g, count(DISTINCT a), count(DISTINCT b), count(DISTINCT t) FROM pa GROUP BY g');
RESET gpuagg.debug_regroup;
-- little memory; kept on the device
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id / 2, count(DISTINCT a), count(DISTINCT b), min(t), sum(length(c)) FROM pa GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
SELECT gpuagg.load('pa', '{g,a,b,t,c,p,n}') > 0;
SELECT compare('SELECT t, count(DISTINCT a), count(DISTINCT c), sum(n) FROM pa GROUP BY t'), compare('SELECT count(DISTINCT a), count(DISTINCT t) FILTER (WHERE p) FROM pa');

-- one plan, many runs: parameters, rescans, cursors
SET gpuagg.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE pa_some (int) AS SELECT g, count(DISTINCT a), count(DISTINCT b), max(id) FROM pa WHERE id < $1 GROUP BY g ORDER BY g LIMIT 2;
EXECUTE pa_some (500);
EXECUTE pa_some (50);
EXECUTE pa_some (0);
RESET plan_cache_mode;
BEGIN;
DECLARE pa_cursor SCROLL CURSOR FOR SELECT g, count(DISTINCT t), count(DISTINCT c) FROM pa GROUP BY g ORDER BY g;
FETCH 2 FROM pa_cursor;
SAVEPOINT s;
FETCH 1 FROM pa_cursor;
ROLLBACK TO s;
FETCH BACKWARD 1 FROM pa_cursor;
COMMIT;
RESET gpuagg.debug_require;
SET enable_material = off;
SELECT compare('SELECT o.i, x.* FROM generate_series(1, 3) o(i), LATERAL (SELECT count(DISTINCT a), count(DISTINCT b), count(*) FROM pa WHERE id < o.i * 100) x', 'prefer');
RESET enable_material;
-- samples, joins and several tables are grouped at once
EXPLAIN (COSTS OFF) SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY g;
SELECT compare('SELECT g, count(DISTINCT a), count(DISTINCT b) FROM pa TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY g'),
	   compare('SELECT x.g, count(DISTINCT x.a), count(DISTINCT y.b) FROM pa x JOIN (VALUES (1, 10), (2, 20), (3, 30)) y(g, b) USING (g) GROUP BY x.g', 'prefer'),
	   compare('SELECT g, count(DISTINCT a), count(DISTINCT b) FROM (SELECT g, a, b FROM pa UNION ALL SELECT g, a, b FROM pa_long) x GROUP BY g', 'prefer');
RESET gpuagg.debug_parts;
DROP FUNCTION made_by;
DROP TABLE pa, pa_empty, pa_long, pa_many;
