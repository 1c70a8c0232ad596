--
-- gpuagg.what_if(): what a query is predicted to take on another device.
--
CREATE TABLE wi (i int4, g int4, v int8, f float8) WITH (autovacuum_enabled = off);
INSERT INTO wi SELECT i, i % 1000, i, i / 8.0 FROM generate_series(1, 200000) i;
CREATE TABLE wi_dim AS SELECT i AS g, i % 10 AS h FROM generate_series(0, 999) i;
CREATE TABLE wi_parts (i int4, v int4) PARTITION BY RANGE (i);
CREATE TABLE wi_low PARTITION OF wi_parts FOR VALUES FROM (MINVALUE) TO (50000);
CREATE TABLE wi_high PARTITION OF wi_parts FOR VALUES FROM (50000) TO (MAXVALUE);
INSERT INTO wi_parts SELECT i, i % 7 FROM generate_series(1, 100000) i;
VACUUM ANALYZE wi, wi_dim, wi_parts;
SET max_parallel_workers_per_gather = 0;
SET gpuagg.cache = off;
\a
\t on
-- as EXPLAIN predicts it of nodes, whose look-ups are in that
CREATE FUNCTION wi_predicted(q text) RETURNS float8 LANGUAGE plpgsql SET gpuagg.debug_require = prefer AS $$
DECLARE
	plan json;
	ms float8;
BEGIN
	EXECUTE 'EXPLAIN (VERBOSE, FORMAT JSON) ' || q INTO plan;
	SELECT sum((n->>'Predicted Time')::float8) INTO ms FROM jsonb_path_query(plan::jsonb, 'strict $.** ? (@."Custom Plan Provider" starts with "Gpu")') n;
	RETURN ms;
END $$;
SELECT q, abs(gpuagg.what_if(q) - wi_predicted(q)) < 0.002 AS as_explained FROM unnest(ARRAY[
	'SELECT g, sum(v) FROM wi GROUP BY g',
	'SELECT count(*) FROM wi WHERE v > 100000',
	'SELECT h, sum(v) FROM wi JOIN wi_dim USING (g) GROUP BY h',
	'SELECT v, count(*) FROM wi_parts GROUP BY v',
	'SELECT * FROM wi TABLESAMPLE bernoulli (1) WHERE f > 7',
	'SELECT avg(n) FROM (SELECT g, count(*) AS n FROM wi GROUP BY g) s']) q;
SELECT gpuagg.what_if('EXPLAIN SELECT g, sum(v) FROM wi GROUP BY g') > 0 AS inside, gpuagg.what_if('SELECT g, sum(v) FROM wi WHERE i < $1 GROUP BY g') > 0 AS parameter;
-- fewer units, less bandwidth: longer; what they had: the same
WITH d AS (SELECT p.units FROM gpuagg.profile p, gpuagg.devices d WHERE d.state = 'ready' AND p.device_kind = d.kind ORDER BY p.measured_at DESC LIMIT 1),
	 q (q) AS (VALUES ('SELECT g, sum(v), avg(f) FROM wi GROUP BY g'))
SELECT gpuagg.what_if(q, 1) >= gpuagg.what_if(q) AS fewer, gpuagg.what_if(q, 100000) <= gpuagg.what_if(q) AS more,
	   gpuagg.what_if(q, memory_bandwidth => 1e6) >= gpuagg.what_if(q) AS slower,
	   gpuagg.what_if(q, memory => 1048576) >= gpuagg.what_if(q) AS smaller, gpuagg.what_if(q, NULL, NULL, NULL, NULL) = gpuagg.what_if(q) AS same FROM q;
-- another profile, of the same kind
BEGIN;
INSERT INTO gpuagg.profile (device_kind, device_name, origin, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
SELECT kind, 'one that is not here', 'edited', 4, 1e6, 5e8, 3400, 40, 25, 500 FROM gpuagg.devices WHERE state = 'ready' LIMIT 1;
SELECT gpuagg.what_if('SELECT g, sum(v) FROM wi GROUP BY g', profile_id => profile_id) > 500 AS slow, gpuagg.what_if('SELECT g, sum(v) FROM wi GROUP BY g') < 500 AS as_before
FROM gpuagg.profile WHERE device_name = 'one that is not here';
ROLLBACK;
-- nothing for a device; whatever the settings
SELECT gpuagg.what_if('SELECT string_agg(v::text, '','') FROM wi') IS NULL AS none, gpuagg.what_if(NULL) IS NULL AS nothing, gpuagg.what_if('SELECT 1') IS NULL AS no_table;
SET gpuagg.enable = off;
SELECT gpuagg.what_if('SELECT g, sum(v) FROM wi GROUP BY g') > 0 AS there;
SHOW gpuagg.enable;
RESET gpuagg.enable;
SHOW gpuagg.debug_require;
-- errors
\set VERBOSITY terse
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', 0);
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', memory_bandwidth => -1);
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', memory_bandwidth => 'NaN');
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', memory => -5);
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', profile_id => -1);
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g', profile_id => 2147483647) IS NULL;
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g; SELECT 1');
SELECT gpuagg.what_if('VACUUM wi');
SELECT gpuagg.what_if('SELECT nothing FROM wi GROUP BY g');
SHOW gpuagg.debug_require;
SELECT abs(gpuagg.what_if('SELECT g, sum(v) FROM wi GROUP BY g') - wi_predicted('SELECT g, sum(v) FROM wi GROUP BY g')) < 0.002 AS still;
-- as for EXPLAIN, who asks must be allowed to run it
CREATE ROLE regress_gpuagg_wi;
SET ROLE regress_gpuagg_wi;
SELECT gpuagg.what_if('SELECT g FROM wi GROUP BY g');
RESET ROLE;
DROP ROLE regress_gpuagg_wi;
DROP FUNCTION wi_predicted(text);
DROP TABLE wi, wi_dim, wi_parts;
