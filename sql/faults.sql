--
-- Faults at every stage: PostgreSQL answers, and it is counted; with
-- gpuagg.fallback off they are errors.
--
\a
\t on
CREATE TABLE fa (id int4, g int4, v int8, t text);
INSERT INTO fa SELECT i, i % 50, i, CASE i % 100 WHEN 0 THEN repeat('long ' || i % 300, 2000) ELSE 't' || i % 9 END FROM generate_series(1, 20000) i;
ANALYZE fa;
-- A device that was lost comes back: in a second, and after several losses in
-- half a minute.
CREATE FUNCTION device_ready() RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..900 LOOP
		IF EXISTS (SELECT FROM gpuagg.devices WHERE state = 'ready') THEN
			RETURN true;
		END IF;
		PERFORM pg_sleep(0.05);
	END LOOP;
	RETURN false;
END $$;
-- Which counters moved between a query's start and its end?
CREATE FUNCTION counted(query text, mode text DEFAULT 'prefer') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before jsonb;
	answer text;
	moved text;
BEGIN
	SELECT jsonb_object_agg(name, value) INTO before FROM gpuagg.stat;
	answer := compare(query, mode);
	SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") INTO moved FROM gpuagg.stat
	WHERE value > (before ->> name)::numeric AND name ~ '^(tasks|fallbacks|errors|cancelled)' AND name <> 'tasks_foreseen';
	RETURN answer || '; ' || coalesce(moved, 'nothing counted');
END $$;
SELECT device_ready();
-- A task that a GPU loses is redone on the host device, one that the host
-- device loses by PostgreSQL.
SELECT kind <> 'host' AS gpu FROM gpuagg.devices WHERE state = 'ready' \gset
SELECT stage, set_config('gpuagg.debug_fault', stage, false) = stage AS set,
	   counted('SELECT g, count(*), sum(v), max(t COLLATE "C") FROM fa GROUP BY g'),
	   counted('SELECT count(*), sum(v) FROM fa WHERE v > 5'),
	   set_config('gpuagg.debug_fault', 'none', false) = 'none' AS reset
FROM unnest(ARRAY['none', 'begin', 'pages', 'rows', 'finish', 'results', 'memory']) stage;
SET gpuagg.debug_fault = 'lost';
SELECT replace(counted('SELECT g, count(*), sum(v) FROM fa GROUP BY g'),
			   CASE WHEN :'gpu' THEN 'errors tasks' ELSE 'errors fallbacks_device' END, 'as it should');
RESET gpuagg.debug_fault;
SELECT device_ready();
SELECT compare('SELECT g, count(*), sum(v) FROM fa GROUP BY g');
-- values that PostgreSQL must judge
SELECT counted('SELECT g, sum(1 / (v - v)) FROM fa GROUP BY g');
SELECT counted('SELECT count(*) FROM fa WHERE t LIKE ''t\1''', 'try');
-- faults while a cursor, a LATERAL's rescans, a subtransaction, a prepared plan run
SET gpuagg.debug_fault = 'results';
SELECT compare('SELECT d.i, x.* FROM generate_series(1, 5) d(i), LATERAL (SELECT count(*), sum(v) FROM fa WHERE g = d.i) x', 'prefer');
BEGIN;
SELECT prefer_device();
DECLARE c CURSOR FOR SELECT g, count(*) FROM fa GROUP BY g ORDER BY g;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
COMMIT;
RESET gpuagg.debug_fault;
-- without fallback: errors, with a SQLSTATE, and the session goes on
SET gpuagg.fallback = off;
SELECT stage, set_config('gpuagg.debug_fault', stage, false) = stage AS set,
	   regexp_replace(device_error('SELECT g, count(*), sum(v), max(t COLLATE "C") FROM fa GROUP BY g'), '[0-9]+ kB', 'N kB'),
	   set_config('gpuagg.debug_fault', 'none', false) = 'none' AS reset
FROM unnest(ARRAY['none', 'begin', 'pages', 'rows', 'finish', 'results', 'memory']) stage;
SET gpuagg.debug_fault = 'lost';
SELECT CASE WHEN e IS NULL THEN :'gpu'::bool
			ELSE NOT :'gpu' AND e = '57000 the device stopped before the query was done injected fault: the device is lost' END AS as_it_should
FROM device_error('SELECT g, count(*), sum(v) FROM fa GROUP BY g') e;
RESET gpuagg.debug_fault;
SELECT device_ready();
SELECT device_error('SELECT g, sum(1 / (v - v)) FROM fa GROUP BY g');
SELECT device_error('SELECT g, sum((v * 100000000000000)::int8 * 1000000) FROM fa GROUP BY g');
SELECT device_error('SELECT count(*) FROM fa WHERE g > 3');
\set VERBOSITY default
BEGIN;
SELECT prefer_device();
SET LOCAL gpuagg.debug_fault = 'finish';
SELECT count(*), sum(v) FROM fa;
ROLLBACK;
RESET gpuagg.fallback;
-- debug_require = require does not let a fault pass as a success
SET gpuagg.debug_fault = 'pages';
SET gpuagg.debug_require = 'require';
SELECT count(*), sum(v) FROM fa;
RESET gpuagg.debug_require;
RESET gpuagg.debug_fault;
-- keys that a condition makes constant are no keys of PostgreSQL's own plan since 16
SET gpuagg.cache = off;
SET gpuagg.debug_fault = 'pages';
SELECT q, counted(q) FROM unnest(ARRAY[
	'SELECT g, count(*), sum(v) FROM fa WHERE g = 3 GROUP BY g',
	'SELECT g, count(*), sum(v) FROM fa WHERE g = -3 GROUP BY g',
	'SELECT g, v % 3, count(*) FROM fa WHERE g = 3 GROUP BY g, v % 3 ORDER BY v % 3, g',
	'SELECT DISTINCT g, v % 3 FROM fa WHERE g = 3'
]) q;
RESET gpuagg.debug_fault;
RESET gpuagg.cache;
-- nothing is left behind
SELECT count(*) FROM gpuagg.tasks;
VACUUM (FREEZE) fa;
SELECT compare('SELECT g, count(*), sum(v), max(t COLLATE "C") FROM fa GROUP BY g');
DROP FUNCTION device_ready, counted;
DROP TABLE fa;
