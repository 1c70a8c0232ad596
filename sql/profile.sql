--
-- Device profiles: what their tables take, who may write them, and what costs
-- and EXPLAIN make of them.  Measuring itself is in test/t/012_calibrate.pl.
--
\a
-- what is shipped: known by negative numbers, one for any device of a kind
SELECT profile_id, device_kind, device_name, origin FROM gpuagg.profile ORDER BY profile_id DESC;
SELECT count(*) > 0 AS levels, bool_and(profile_id < 0) AS shipped FROM gpuagg.memory_level;
-- how a statement ends, once its deferred constraints have been looked at
CREATE FUNCTION pf_try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text;
	name text;
BEGIN
	BEGIN
		EXECUTE statement;
		SET CONSTRAINTS ALL IMMEDIATE;
		RAISE EXCEPTION USING ERRCODE = 'UE000';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, name = CONSTRAINT_NAME;
	END;
	RETURN CASE state WHEN 'UE000' THEN 'ok' ELSE rtrim(state || ' ' || name) END;
END $$;
-- a profile that is good but for one column
CREATE FUNCTION pf_profile(col text, val text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	row jsonb := '{"device_kind": "host", "device_name": "pf", "units": 2, "feed_page_ns": 100, "round_trip_ns": 1000, "cost_unit_ns": 3000, "postgres_row_ns": 30, "postgres_value_ns": 20, "postgres_group_ns": 400}';
BEGIN
	row := row || jsonb_build_object(col, val);
	RETURN pf_try(format('INSERT INTO gpuagg.profile (%s) VALUES (%s)',
		(SELECT string_agg(quote_ident(key), ', ' ORDER BY key) FROM jsonb_each_text(row)),
		(SELECT string_agg(quote_nullable(value), ', ' ORDER BY key) FROM jsonb_each_text(row))));
END $$;
SELECT pf_profile('units', '8') AS good;
SELECT c AS refused, array_agg(pf_profile(c, v) ORDER BY n) AS "0, -1, NaN, Infinity, NULL"
FROM unnest(ARRAY['feed_page_ns', 'round_trip_ns', 'cost_unit_ns', 'postgres_row_ns', 'postgres_value_ns', 'postgres_group_ns', 'postgres_slowdown']) c,
	unnest(ARRAY['0', '-1', 'NaN', 'Infinity', NULL]) WITH ORDINALITY x(v, n)
GROUP BY c ORDER BY c COLLATE "C";
SELECT c || ' = ' || v AS refused, pf_profile(c, v)
FROM (VALUES ('clock_ghz', 'NaN'), ('clock_ghz', '0'), ('device_kind', 'quantum'), ('effort', 'much'), ('memory_bytes', '0'), ('origin', 'guessed'), ('postgres_slowdown', '0.99'), ('postgres_slowdown', '1000'), ('seconds', 'Infinity'), ('seconds', '0'), ('spread', '-1'), ('spread', 'NaN'), ('units', '-1'), ('units', '0')) x(c, v)
ORDER BY 1;
-- the tables behind it, on a profile of this test
INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
VALUES (990001, 'host', 'pf: no device has this name', 2, 100, 1000, 3000, 30, 20, 400) RETURNING origin;
SELECT s AS statement, pf_try('INSERT INTO gpuagg.' || s) AS result
FROM unnest(ARRAY[
	'ceiling VALUES (990001, ''x'', 1e9, NULL)',
	'ceiling VALUES (990001, ''x'', NULL, 100)',
	'ceiling VALUES (990001, ''x'', 1e9, 100)',
	'ceiling VALUES (990001, ''x'', NULL, NULL)',
	'ceiling VALUES (990001, ''x'', 0, NULL)',
	'ceiling VALUES (990001, ''x'', -5, NULL)',
	'ceiling VALUES (990001, ''x'', ''NaN'', NULL)',
	'ceiling VALUES (990001, ''x'', NULL, ''NaN'')',
	'ceiling VALUES (990001, ''x'', ''Infinity'', NULL)',
	'ceiling VALUES (990001, ''x'', 1, NULL), (990001, ''x'', 2, NULL)',
	'ceiling VALUES (990002, ''x'', 1, NULL)',
	'random_access VALUES (990001, 1024, 1, 1, 1)',
	'random_access VALUES (990001, 1024, 0, 1, 1)',
	'random_access VALUES (990001, 1024, 1, -1, 1)',
	'random_access VALUES (990001, 1024, 1, 1, ''NaN'')',
	'random_access VALUES (990001, 1024, 1, 1, ''Infinity'')',
	'random_access VALUES (990001, 0, 1, 1, 1)',
	'kernel VALUES (990001, ''k'', 256, 32, 0, 0, 8)',
	'kernel VALUES (990001, ''k'', 0, 32, 0, 0, 8)',
	'host_pattern VALUES (990001, 1, false, 1024, 5)',
	'host_pattern VALUES (990001, 1, false, 1024, ''NaN'')',
	'memory_level VALUES (990001, ''cache'', 1, NULL, 128, 32, 4096, 1, 1, 1, 1, 1, 4096)',
	'memory_level VALUES (990001, ''cache'', 1, NULL, 128, 256, 4096, 1, 1, 1, 1, 1, 4096)',
	'memory_level VALUES (990001, ''cache'', 1, NULL, 128, 0, 4096, 1, 1, 1, 1, 1, 4096)',
	'thread_scaling VALUES (990001, 2, 1e9)',
	'thread_scaling VALUES (990001, 0, 1e9)',
	'tlb_group VALUES (990001, 0, 0)',
	'tlb_group VALUES (990001, -1, 0)',
	'cost_unit VALUES (990001, ''SELECT 1'', 1, 1)',
	'cost_unit VALUES (990001, ''SELECT 1'', 0, 1)',
	'cost_unit VALUES (990001, ''SELECT 1'', 1, ''Infinity'')',
	'curve VALUES (990001, ''chase'', 1, 1, 1)',
	'curve VALUES (990001, ''chase'', -1, 1, 1)',
	'curve VALUES (990001, ''chase'', 1, -1, 1)',
	'curve VALUES (990001, ''chase'', 1, 1, ''NaN'')',
	'curve VALUES (990001, ''chase'', 1, 1, -1)',
	'memory_level VALUES (990001, ''tlb'', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4096)',
	'memory_level VALUES (990001, ''tlb'', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 4096)',
	'memory_level VALUES (990001, ''tlb'', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL)',
	'memory_level VALUES (990001, ''cache'', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 4096)',
	'curve VALUES (990001, ''bend'', 1, 1, 1)']) WITH ORDINALITY x(s, n)
ORDER BY n;
-- reaches grow with the level, whatever the order in which rows come
SELECT v AS levels, pf_try('INSERT INTO gpuagg.memory_level (profile_id, kind, level, reach_bytes, hit_ns, confidence) VALUES ' || v) AS result
FROM unnest(ARRAY[
	'(990001, ''tlb'', 1, 4096, 1, 1), (990001, ''tlb'', 2, 8192, 2, 1)',
	'(990001, ''tlb'', 2, 8192, 2, 1), (990001, ''tlb'', 1, 4096, 1, 1)',
	'(990001, ''tlb'', 1, 4096, 1, 1), (990001, ''cache'', 2, 1024, 2, 1)',
	'(990001, ''cache'', 1, 4096, 1, 1), (990001, ''memory'', 1, NULL, 2, 1)',
	'(990001, ''tlb'', 1, 4096, 1, 1), (990001, ''tlb'', 2, 4096, 2, 1)',
	'(990001, ''tlb'', 1, 8192, 1, 1), (990001, ''tlb'', 3, 4096, 2, 1)',
	'(990001, ''tlb'', 1, NULL, 1, 1)',
	'(990001, ''tlb'', 1, 0, 1, 1)',
	'(990001, ''tlb'', 1, 4096, ''NaN'', 1)',
	'(990001, ''tlb'', 1, 4096, 0, 1)',
	'(990001, ''tlb'', 1, 4096, 1, 1.5)',
	'(990001, ''tlb'', 0, 4096, 1, 1)',
	'(990001, ''register'', 1, 4096, 1, 1)']) WITH ORDINALITY x(v, n)
ORDER BY n;
BEGIN;
INSERT INTO gpuagg.memory_level (profile_id, kind, level, reach_bytes) VALUES (990001, 'tlb', 1, 4096), (990001, 'tlb', 2, 8192);
UPDATE gpuagg.memory_level SET reach_bytes = 10000 WHERE profile_id = 990001 AND level = 1;
\echo meanwhile it may be otherwise
UPDATE gpuagg.memory_level SET reach_bytes = 20000 WHERE profile_id = 990001 AND level = 2;
COMMIT;
BEGIN;
UPDATE gpuagg.memory_level SET reach_bytes = 30000 WHERE profile_id = 990001 AND level = 1;
COMMIT;
-- a profile goes with all that belongs to it
DELETE FROM gpuagg.profile WHERE profile_id = 990001;
SELECT count(*) FROM gpuagg.memory_level WHERE profile_id = 990001;
-- everyone reads, superusers write; measuring can be granted, trigger functions cannot be called
CREATE ROLE gpuagg_carol;
SELECT relname, has_table_privilege('gpuagg_carol', c.oid, 'SELECT') AS reads,
	has_table_privilege('gpuagg_carol', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') AS writes
FROM pg_class c WHERE relnamespace = 'gpuagg'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname COLLATE "C";
SELECT has_function_privilege('gpuagg_carol', 'gpuagg.calibrate(text, text)', 'EXECUTE') AS measures,
	has_schema_privilege('gpuagg_carol', 'gpuagg', 'CREATE') AS creates;
SET ROLE gpuagg_carol;
SELECT count(*) > 0 AS reads FROM gpuagg.profile;
UPDATE gpuagg.profile SET units = 1;
SELECT gpuagg.calibrate();
RESET ROLE;
DROP ROLE gpuagg_carol;
SELECT gpuagg.profile_changed();
-- every object, column and trigger says what it is
SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'gpuagg'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
	AND col_description(c.oid, a.attnum) IS NULL;
SELECT c.relname, c.relkind FROM pg_class c
WHERE c.relnamespace = 'gpuagg'::regnamespace AND obj_description(c.oid, 'pg_class') IS NULL
	AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid) AND c.relkind <> 't';
SELECT tgrelid::regclass, tgname FROM pg_trigger
WHERE NOT tgisinternal AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'gpuagg'::regnamespace)
	AND obj_description(oid, 'pg_trigger') IS NULL;
SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'gpuagg'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL;
-- arguments of calibrate() are looked at before anything is measured
SELECT pf_try(s) AS state, s FROM unnest(ARRAY[
	'SELECT gpuagg.calibrate(''quantum'')', 'SELECT gpuagg.calibrate(''cuda:x'')', 'SELECT gpuagg.calibrate(''host'', ''much'')',
	'SELECT gpuagg.calibrate(''host'', ''LOW'')', 'SELECT gpuagg.calibrate(''cuda:77'')', 'SELECT gpuagg.calibrate(NULL)']) s;
SELECT gpuagg.calibrate('quantum');
SELECT gpuagg.calibrate('host', 'much');
SELECT gpuagg.calibrate('cuda:77');
-- EXPLAIN: what is predicted, what bounds it, and from which profile
CREATE TABLE pf AS SELECT i AS id, i % 10 AS g FROM generate_series(1, 200000) i;
VACUUM ANALYZE pf;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION pf_explain(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		-- numbers, and which of its resources bounds a device, are the machine's
		line := regexp_replace(line, '[0-9]+\.[0-9]+ ms', 'N ms');
		line := regexp_replace(line, 'Bound By: (feed|link|compute|contention|cache|memory|emit|start)$', 'Bound By: a resource');
		line := regexp_replace(line, 'Profile: (generic|shipped)$', 'Profile: not measured');
		line := regexp_replace(line, 'Profile Number: -[0-9]+$', 'Profile Number: negative');
		IF line ~ 'Predicted|Measured|Bound|Profile|Scan' THEN
			RETURN NEXT regexp_replace(line, '  \(cost=.*', '');
		END IF;
	END LOOP;
END $$;
SET gpuagg.debug_require = 'require';
SELECT * FROM pf_explain('COSTS', 'SELECT g, count(*) FROM pf GROUP BY g');
SELECT * FROM pf_explain('COSTS, VERBOSE', 'SELECT g, count(*) FROM pf GROUP BY g');
SELECT * FROM pf_explain('COSTS OFF, VERBOSE', 'SELECT g, count(*) FROM pf GROUP BY g');
-- what was measured stands beside it, but not of a plan that fell back
SELECT * FROM pf_explain('ANALYZE', 'SELECT g, count(*) FROM pf GROUP BY g');
SELECT * FROM pf_explain('ANALYZE, VERBOSE', 'SELECT g, count(*) FROM pf GROUP BY g');
SELECT * FROM pf_explain('ANALYZE, TIMING OFF', 'SELECT g, count(*) FROM pf GROUP BY g');
SET gpuagg.debug_require = 'prefer';
SET gpuagg.debug_fault = 'finish';
SELECT * FROM pf_explain('ANALYZE, TIMING ON', 'SELECT g, count(*) FROM pf GROUP BY g') line WHERE line !~ 'Seq Scan';
RESET gpuagg.debug_fault;
SET gpuagg.debug_require = 'require';
SELECT * FROM pf_explain('COSTS', 'SELECT * FROM pf TABLESAMPLE BERNOULLI (1)');
CREATE FUNCTION pf_node(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan->0->'Plan';
END $$;
SELECT key, CASE WHEN jsonb_typeof(value) = 'number' THEN CASE WHEN value::float8 >= 0 THEN 'a time' ELSE 'negative' END ELSE 'text' END AS value
FROM jsonb_each(pf_node('SELECT g, count(*) FROM pf GROUP BY g')) WHERE key ~ 'Predicted|Bound|Profile' AND key <> 'Predicted Link Time' ORDER BY key COLLATE "C";
-- of a node that ran more than once, the mean of its runs; no stage that cannot overlap is longer than all
CREATE FUNCTION pf_measured(query text) RETURNS TABLE (runs int, whole boolean, start boolean, feed boolean, emit boolean) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	total float8;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.** ? (@."Custom Plan Provider" == "GpuAgg")');
	runs := (plan->'Device Runs')::int;
	total := (plan->'Measured Time')::float8;
	whole := abs(total - (plan->'Actual Total Time')::float8 * (plan->'Actual Loops')::int / runs) < 0.01;
	start := (plan->'Measured Start Time')::float8 BETWEEN 0.001 AND total;
	feed := (plan->'Measured Feed Time')::float8 BETWEEN 0.001 AND total;
	emit := (plan->'Measured Emit Time')::float8 BETWEEN 0.001 AND total;
	RETURN NEXT;
END $$;
SELECT * FROM pf_measured('SELECT g, count(*) FROM pf GROUP BY g');
SELECT * FROM pf_measured('SELECT d, x.n FROM generate_series(1, 3) d, LATERAL (SELECT count(*) AS n FROM pf WHERE pf.g < d) x');
-- of many groups the node's time is less than what PostgreSQL shows of it, which has EXPLAIN's clock in it
SELECT whole, start, emit FROM pf_measured('SELECT id, count(*) FROM pf GROUP BY id');
-- predictions follow the work
SELECT (pf_node('SELECT id, count(*) FROM pf GROUP BY id')->>'Predicted Time')::float8 > (pf_node('SELECT g, count(*) FROM pf GROUP BY g')->>'Predicted Time')::float8 AS more_groups_take_longer;
-- a third of the groups is expected to come back, and is, if the device tells all of HAVING
SELECT h, (pf_node('SELECT id, count(*) FROM pf GROUP BY id HAVING ' || h)->>'Predicted Emit Time')::float8 / (pf_node('SELECT id, count(*) FROM pf GROUP BY id')->>'Predicted Emit Time')::float8 BETWEEN 0.3 AND 0.4 AS fewer
FROM unnest(ARRAY['count(*) > 1', 'count(*) > (SELECT count(*) FROM pf)', 'count(*) > 1 AND id % 2 = 0', 'count(*) + 1 > 2']) h;
RESET gpuagg.debug_require;
-- gpuagg.cost_scale decides between the plans
SET gpuagg.cost_scale = 0.001;
SELECT pf_node('SELECT g, count(*) FROM pf GROUP BY g')->>'Custom Plan Provider' AS cheap;
SET gpuagg.cost_scale = 1000;
SELECT pf_node('SELECT g, count(*) FROM pf GROUP BY g')->>'Node Type' AS dear;
SELECT regexp_replace(split_part(w, ';', 1), '[0-9]+\.[0-9]+', 'N', 'g') AS why_not FROM gpuagg.why_not('SELECT g, count(*) FROM pf GROUP BY g') w;
SET gpuagg.cost_scale = 0;
SET gpuagg.cost_scale = 'NaN';
SET gpuagg.cost_scale = 1001;
RESET gpuagg.cost_scale;
-- a profile of hand-made numbers is used at once; rows of other devices are not; pages are to be fed
SET gpuagg.cache = off;
SELECT kind AS pf_kind, name AS pf_name FROM gpuagg.devices WHERE state = 'ready' \gset
SET gpuagg.debug_require = 'require';
BEGIN;
INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
VALUES (990001, :'pf_kind', 'pf: no device has this name', 2, 1e8, 1e9, 3000, 30, 20, 400);
SELECT (pf_node('SELECT count(*) FROM pf')->>'Profile Number')::int < 0 AS not_ours;
UPDATE gpuagg.profile SET device_name = :'pf_name' WHERE profile_id = 990001;
SELECT j->>'Profile Number' AS number, j->>'Profile' AS profile, j->>'Bound By' AS bound, (j->>'Predicted Start Time')::float8 >= 1000 AS start FROM pf_node('SELECT count(*) FROM pf') j;
-- nor are rows of this device's name that were measured on another machine, and EXPLAIN says which
UPDATE gpuagg.profile SET machine = gpuagg.machine() || '?' WHERE profile_id = 990001;
SELECT (j->>'Profile Number')::int < 0 AS not_ours, j->>'Profile of Another Machine' AS elsewhere FROM pf_node('SELECT count(*) FROM pf') j;
UPDATE gpuagg.profile SET machine = gpuagg.machine() WHERE profile_id = 990001;
SELECT j->>'Profile Number' AS number, j ? 'Profile of Another Machine' AS elsewhere FROM pf_node('SELECT count(*) FROM pf') j;
-- one that is newer does not stand before it
INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, machine, measured_at, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
VALUES (990002, :'pf_kind', :'pf_name', 'another', now() + interval '1 day', 2, 1e8, 1e9, 3000, 30, 20, 400);
SELECT j->>'Profile Number' AS number, j ? 'Profile of Another Machine' AS elsewhere FROM pf_node('SELECT count(*) FROM pf') j;
SELECT gpuagg.machine() ~ '^.+ \w+-\w+-\w+, \d+ MiB of cache, [0-9.]+ GiB of memory$' AS machine;
-- whoever changes what was measured is told of in EXPLAIN
CREATE FUNCTION pf_origin() RETURNS text LANGUAGE sql AS $$
	SELECT p.origin || ', ' || (j->>'Profile') FROM gpuagg.profile p, pf_node('SELECT count(*) FROM pf') j WHERE profile_id = 990001
$$;
INSERT INTO gpuagg.ceiling (profile_id, name, per_second) VALUES (990001, 'int_ops', 1e9), (990001, 'memory_read', 1e9);
INSERT INTO gpuagg.memory_level (profile_id, kind, level, reach_bytes) VALUES (990001, 'tlb', 1, 4096);
INSERT INTO gpuagg.tlb_group VALUES (990001, 0, 0);
INSERT INTO gpuagg.random_access VALUES (990001, 1048576, 1e9, 1e9, 1e9);
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
SELECT pf_origin() AS "said to be measured";
UPDATE gpuagg.profile SET units = units WHERE profile_id = 990001;
SELECT pf_origin() AS "nothing changed";
UPDATE gpuagg.profile SET units = units + 1 WHERE profile_id = 990001;
SELECT pf_origin() AS "changed itself";
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
UPDATE gpuagg.ceiling SET per_second = 2e9 WHERE profile_id = 990001 AND name = 'int_ops';
SELECT pf_origin() AS "a ceiling";
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
DELETE FROM gpuagg.ceiling WHERE profile_id = 990001 AND name = 'memory_read';
SELECT pf_origin() AS "a ceiling deleted";
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
UPDATE gpuagg.memory_level SET reach_bytes = 8192 WHERE profile_id = 990001;
SELECT pf_origin() AS "a level";
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
UPDATE gpuagg.tlb_group SET group_no = 1 WHERE profile_id = 990001;
SELECT pf_origin() AS "a group";
UPDATE gpuagg.profile SET origin = 'measured' WHERE profile_id = 990001;
UPDATE gpuagg.random_access SET read8_per_second = 2e9 WHERE profile_id = 990001;
SELECT pf_origin() AS "a random access";
DROP FUNCTION pf_origin;
-- PostgreSQL's plan that takes twice as long in the mean: twice as long a unit, and the same times
SET LOCAL gpuagg.debug_require = 'allow';
SET LOCAL gpuagg.cost_scale = 0.01;
DELETE FROM gpuagg.ceiling WHERE profile_id = 990001;
UPDATE gpuagg.profile SET feed_page_ns = 1e5, round_trip_ns = 1e7 WHERE profile_id = 990001;
CREATE TEMPORARY TABLE pf_slow AS SELECT (j->>'Total Cost')::float8 - relpages AS cost, j->>'Predicted Time' AS ms FROM pf_node('SELECT count(*) FROM pf') j, pg_class WHERE oid = 'pf'::regclass;
UPDATE gpuagg.profile SET postgres_slowdown = 2 WHERE profile_id = 990001;
SELECT s.ms = j->>'Predicted Time' AS same_time, s.cost / ((j->>'Total Cost')::float8 - relpages) BETWEEN 1.99 AND 2.01 AS half_as_dear FROM pf_slow s, pf_node('SELECT count(*) FROM pf') j, pg_class WHERE oid = 'pf'::regclass;
ROLLBACK;
SELECT (pf_node('SELECT count(*) FROM pf')->>'Profile Number')::int < 0 AS forgotten;
-- whatever numbers the checks allow, predictions and costs are numbers
BEGIN;
CREATE FUNCTION pf_extreme(small float8, large float8) RETURNS TABLE (numbers bool, plan text) LANGUAGE plpgsql AS $$
DECLARE
	name text;
	kind text;
	line text;
BEGIN
	SELECT d.kind, d.name INTO kind, name FROM gpuagg.devices d WHERE state = 'ready';
	DELETE FROM gpuagg.profile WHERE profile_id = 990001;
	INSERT INTO gpuagg.profile (profile_id, device_kind, device_name, machine, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
	VALUES (990001, kind, name, gpuagg.machine(), 2, large, large, small, small, small, small);
	INSERT INTO gpuagg.ceiling (profile_id, name, per_second)
	SELECT DISTINCT 990001, c.name, small FROM gpuagg.ceiling c WHERE c.name <> 'launch' UNION VALUES (990001, 'int_ops', small), (990001, 'memory_read', small);
	INSERT INTO gpuagg.random_access SELECT 990001, 1024 * 4 ^ i, small, large, small FROM generate_series(1, 12) i;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE) SELECT id, avg(g) FROM pf GROUP BY id' LOOP
		IF line ~* '\m(nan|inf|infinity)\M' THEN
			RETURN QUERY VALUES (false, line);
		END IF;
		plan := coalesce(plan, substring(line FROM 'GpuAgg'));
	END LOOP;
	numbers := true;
	RETURN NEXT;
END $$;
SELECT x.* FROM (VALUES (1e-300, 1e-300), (1e-300, 9e8), (9e8, 1e-300), (9e8, 9e8)) v(small, large), pf_extreme(small, large) x;
SET LOCAL gpuagg.cost_scale = 1000;
SELECT x.* FROM (VALUES (1e-300, 1e-300), (1e-300, 9e8), (9e8, 1e-300), (9e8, 9e8)) v(small, large), pf_extreme(small, large) x;
ROLLBACK;
-- without any profile, constants of the code serve, and answers are right
SET client_min_messages = warning;
BEGIN;
TRUNCATE gpuagg.profile CASCADE;
SELECT j->>'Profile' AS profile, j ? 'Profile Number' AS number, (j->>'Predicted Time')::float8 > 0 AS predicted FROM pf_node('SELECT count(*) FROM pf') j;
SELECT g, count(*) FROM pf WHERE g < 2 GROUP BY g ORDER BY g;
ROLLBACK;
RESET ALL;
DROP TABLE pf;
DROP FUNCTION pf_try, pf_profile, pf_explain, pf_node;
