--
-- gpuagg.why_not(): which part of a query has the obstacle, where an error in the query
-- is, and what would have the device chosen where its cost was higher.
--
CREATE TABLE wn (i int4, g int4, v int4, n numeric(30, 20)) WITH (autovacuum_enabled = off);
INSERT INTO wn SELECT i, i % 10, i % 7, i % 9 FROM generate_series(1, 200000) i;
CREATE TABLE wn_dim AS SELECT i AS g, 'name ' || i AS name FROM generate_series(0, 9) i;
VACUUM ANALYZE wn, wn_dim;
SET max_parallel_workers_per_gather = 0;
\a
\t on
-- DISTINCT, windows: reasons of their own
SELECT q, gpuagg.why_not(q) FROM unnest(ARRAY[
	'SELECT string_agg(DISTINCT v::text, '','') FROM wn',
	'SELECT count(DISTINCT array_to_tsvector(ARRAY[g::text])) FROM wn',
	'SELECT DISTINCT ON (g) g, v FROM wn',
	'SELECT g, rank() OVER (ORDER BY v) FROM wn',
	'SELECT DISTINCT g, sum(v) OVER (PARTITION BY g) FROM wn']) q;
-- none of what is computed from a grouping
SET gpuagg.cost_scale = 0.001;
SELECT count(*) FROM gpuagg.why_not('SELECT g, rank() OVER (ORDER BY count(*)) FROM wn GROUP BY g');
SELECT count(*) FROM gpuagg.why_not('SELECT DISTINCT ON (count(*)) g, count(*) FROM wn GROUP BY g');
-- where a part of the query runs on the device, it is told which one does not
SELECT q, gpuagg.why_not(q) FROM unnest(ARRAY[
	'SELECT x, count(*) FROM (SELECT g, count(*) AS x FROM wn GROUP BY g) y GROUP BY x',
	'SELECT DISTINCT x FROM (SELECT g, count(*) AS x FROM wn GROUP BY g) y',
	'SELECT name, sum(s) FROM (SELECT g, sum(v) AS s FROM wn GROUP BY g) y JOIN wn_dim d ON d.g < y.g GROUP BY name',
	'WITH a AS MATERIALIZED (SELECT g, count(*) AS c FROM wn GROUP BY g) SELECT c, count(*) FROM a GROUP BY c',
	'SELECT g, count(*), (SELECT corr(DISTINCT ln(v), 1) FROM wn b) FROM wn a GROUP BY g',
	'SELECT g, sum(s) OVER (ORDER BY g) FROM (SELECT g, sum(v) AS s FROM wn GROUP BY g) y']) q;
-- of a query of one part it goes without saying
SELECT gpuagg.why_not('SELECT name, v, count(*) FROM wn JOIN wn_dim USING (g) GROUP BY name, v');
RESET gpuagg.cost_scale;
-- errors point into the query
SELECT gpuagg.why_not('SELEKT 1');
SELECT gpuagg.why_not('SELECT g, nothing FROM wn');
SELECT gpuagg.why_not(E'SELECT g,\n	count(*)\nFROM wn, no_such_table GROUP BY g');
SELECT gpuagg.why_not('SELECT g FROM wn WHERE g = ''x''::int4');
CREATE FUNCTION wn_why(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT w FROM gpuagg.why_not(q) w;
END $$;
SELECT wn_why('SELECT g FROM wn GROUP BY');
SELECT wn_why('SELECT 1/(g - g), count(*) FROM wn GROUP BY x');
-- cost: at which cost_scale each change counts is the machine's, but the advice holds on each
CREATE FUNCTION wn_on_device(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan::text ~ 'GpuAgg';
END $$;
-- the first advice that matches, among the scales that make PostgreSQL's plan the cheaper one
CREATE FUNCTION wn_advice(query text, pattern text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	advice text;
BEGIN
	FOR i IN 0 .. 200 LOOP
		PERFORM set_config('gpuagg.cost_scale', (0.002 * 1.06 ^ i)::text, false);
		SELECT substring(w FROM pattern) INTO advice FROM gpuagg.why_not(query) w;
		EXIT WHEN advice IS NOT NULL;
	END LOOP;
	RETURN advice;
END $$;
SELECT wn_advice('SELECT g, count(*) FROM wn GROUP BY g', 'costs are not measured on this machine yet.*calibrate\(\)\)') AS advice;
SELECT wn_advice('SELECT i, count(*) FROM wn GROUP BY i', 'PostgreSQL expects \d+ groups') AS advice;
SELECT wn_advice('SELECT i % 100000, count(*) FROM wn GROUP BY 1', 'PostgreSQL expects \d+ groups, gpuagg \d+: with few') IS NULL AS no_second_number;
SELECT wn_advice('SELECT g, sum(v) FROM wn GROUP BY g', 'with gpuagg.cost_scale = ([0-9.]+) the device is chosen') AS scale \gset
SELECT wn_on_device('SELECT g, sum(v) FROM wn GROUP BY g') AS before;
SET gpuagg.cost_scale = :scale;
SELECT wn_on_device('SELECT g, sum(v) FROM wn GROUP BY g') AS as_advised;
SELECT wn_advice('SELECT g, sum(v) FROM wn GROUP BY g', 'with its columns in the cache, cost [0-9.]+ on the device') IS NOT NULL AS advised;
SELECT wn_on_device('SELECT g, sum(v) FROM wn GROUP BY g') AS before;
SELECT gpuagg.load('wn') > 0 AS loaded;
SELECT wn_on_device('SELECT g, sum(v) FROM wn GROUP BY g') AS as_advised;
RESET gpuagg.cost_scale;
-- a sample has a scale, too, and nothing else
SELECT wn_advice('SELECT * FROM wn TABLESAMPLE BERNOULLI (1)', 'cheaper: .*cost_scale = ') ~ 'groups|cache' AS more;
-- ->> of a joined table: the device's by way of the documents that there are; else the reason in words
CREATE TABLE wn_json AS SELECT i AS g, jsonb_build_object('k', 'v' || i % 3) AS j FROM generate_series(0, 9) i;
VACUUM ANALYZE wn_json;
SET gpuagg.debug_require = prefer;
SELECT gpuagg.why_not('SELECT j->>''k'', count(*), sum(v) FROM wn JOIN wn_json USING (g) GROUP BY 1');
SELECT gpuagg.why_not('SELECT count(*), sum(v) FROM wn JOIN wn_json USING (g) WHERE j->>''k'' = ''v1''');
SELECT gpuagg.why_not('SELECT j->>''k'', count(*), sum(v) FROM wn LEFT JOIN wn_json USING (g) GROUP BY 1');
SELECT j->>'k', count(*), sum(v) FROM wn JOIN wn_json USING (g) GROUP BY 1 ORDER BY 1;
RESET gpuagg.debug_require;
DROP FUNCTION wn_why, wn_on_device, wn_advice;
DROP TABLE wn, wn_dim, wn_json;
