--
-- Regrouping by parallel workers: the same groups, errors and settings as by the backend.
--
\a
\t on
SET client_min_messages = warning;
CREATE COLLATION rw_order (provider = icu, locale = 'en');
CREATE TABLE rw (id int4, g int4, s text COLLATE rw_order, c text COLLATE "C", n numeric(12, 2), f float8, d date, j jsonb)
	WITH (autovacuum_enabled = off);
INSERT INTO rw SELECT i, i % 7, CASE WHEN i % 50 > 0 THEN chr(97 + i % 26) || CASE WHEN i % 2 = 0 THEN 'B' ELSE 'b' END || i % 900 END, 'x' || i % 300,
	i % 1000 / 4.0, CASE WHEN i % 97 > 0 THEN i % 333 / 8.0 END, date '2020-01-01' + i % 800, jsonb_build_object('k', i % 5)
	FROM generate_series(1, 6000) i;
VACUUM (FREEZE, ANALYZE) rw;
CREATE FUNCTION rw_key(text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$ BEGIN RETURN left($1, 2) || current_setting('rw.suffix', true); END $$;
CREATE FUNCTION rw_unsafe(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN left($1, 2); END $$;
-- How many workers, and who made the groups
CREATE FUNCTION rw_workers(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, VERBOSE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuAgg")');
	RETURN format('%s by %s, workers: %s', plan->>'Groups Made', plan->>'Groups Made By', (plan->>'Regroup Workers')::int > 0);
END $$;
SET gpuagg.debug_feeders = 2;
SET rw.suffix = '!';
SELECT rw_workers('SELECT rw_key(s), count(*) FROM rw GROUP BY 1');
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT rw_key(s) AS k, count(*), sum(id), avg(n), min(f), max(d), bool_or(g > 3), variance(id) FROM rw GROUP BY 1',
	'SELECT rw_key(s) AS k, min(s), max(s), min(c), max(c) FROM rw GROUP BY 1',
	'SELECT substring(c FROM ''[0-9]''), min(s COLLATE "C"), max(lower(s)) FROM rw GROUP BY 1',
	'SELECT rw_key(s), g, count(*) FILTER (WHERE f > 10), sum(id) FILTER (WHERE md5(c) < ''8'') FROM rw GROUP BY 1, 2',
	'SELECT rw_key(s), count(*) FROM rw WHERE md5(s) < ''8'' GROUP BY 1',
	'SELECT rw_key(s), count(*) FROM rw WHERE id < 0 GROUP BY 1',
	'SELECT max(rw_key(s)), count(md5(c)) FROM rw',
	'SELECT max(rw_key(s)), count(md5(c)) FROM rw WHERE id < 0',
	'SELECT rw_key(s), g, grouping(g), count(*), sum(id) FROM rw GROUP BY GROUPING SETS ((1), (2), (1, 2), ())',
	'SELECT rw_key(s) AS k, count(*) FROM rw GROUP BY 1 HAVING count(*) > 100 ORDER BY 2 DESC, 1 LIMIT 5',
	'SELECT n * 2.50 / 3, count(*) FROM rw GROUP BY 1',
	'SELECT string_to_array(c, ''1''), count(*), sum(id) FROM rw GROUP BY 1',
	'SELECT j || ''{"a": 1}'', count(*) FROM rw GROUP BY 1',
	'SELECT to_char(d, ''Day'') || rw_key(s), sum(f) > 0 FROM rw GROUP BY 1',
	'SELECT rw_key(s), count(DISTINCT c) FROM rw GROUP BY 1',
	'SELECT rw_key(s), percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM rw GROUP BY 1',
	'SELECT upper(s), count(*) FROM rw GROUP BY 1']) q;
-- errors, where a group has one, and where WHERE keeps it out
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT 100 / nullif(length(md5(c)), 32), count(*) FROM rw GROUP BY 1',
	'SELECT rw_key(s), sum((10 / (length(c) - 2))::int8) FROM rw GROUP BY 1',
	'SELECT rw_key(s), sum((10 / (length(c) - 2))::int8) FROM rw WHERE length(md5(c)) = 32 AND c > ''x1'' GROUP BY 1']) q;
-- several tables, parts, constant keys alone, and what only PostgreSQL's plan answers
CREATE TABLE rw_parts (id int4, s text COLLATE rw_order, v int8) PARTITION BY RANGE (id);
CREATE TABLE rw_parts1 PARTITION OF rw_parts FOR VALUES FROM (0) TO (2500);
CREATE TABLE rw_parts2 (v int8, s text COLLATE rw_order, id int4);
ALTER TABLE rw_parts ATTACH PARTITION rw_parts2 FOR VALUES FROM (2500) TO (9000);
INSERT INTO rw_parts SELECT id, s, g FROM rw;
SELECT rw_workers('SELECT rw_key(s), count(*) FROM rw_parts GROUP BY 1');
SET gpuagg.debug_parts = always;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT rw_key(s), count(*), sum(v), min(s) FROM rw_parts GROUP BY 1',
	'SELECT rw_key(s), count(*), sum(v), min(s) FROM (SELECT s, v FROM rw_parts1 UNION ALL SELECT s, v FROM rw_parts2) x GROUP BY 1',
	'SELECT rw_key(s), count(DISTINCT id), max(c), min(s) FROM rw GROUP BY 1',
	'SELECT rw_key(s), count(DISTINCT g), max(md5(c)), sum(n) FROM rw GROUP BY 1',
	'SELECT rw_key(s), max(md5(c)), max(rw_key(s)), sum(length(md5(d::text))) FROM rw GROUP BY 1']) q;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT ''x'', count(DISTINCT id), max(md5(c)) FROM rw WHERE md5(s) = ''no'' GROUP BY 1',
	'SELECT ''x'', count(*), sum(id) FROM rw WHERE md5(s) = ''no'' GROUP BY 1',
	'SELECT ''x'', count(*), sum(id) FROM rw WHERE md5(s) <> ''no'' GROUP BY 1',
	'SELECT count(*), sum(id) FROM rw WHERE md5(s) = ''no''']) q;
RESET gpuagg.debug_parts;
UPDATE rw SET f = 'infinity' WHERE id = 77;
UPDATE rw SET f = 'NaN' WHERE id = 3077;
SELECT q, compare(q, 'any') FROM unnest(ARRAY[
	'SELECT rw_key(s), sum(f), avg(f) FROM rw GROUP BY 1',
	'SELECT s || md5(s), sum(f), count(*) FROM rw GROUP BY 1']) q;
-- what only the leader may compute, or knows
SELECT rw_workers(q) FROM unnest(ARRAY['SELECT rw_unsafe(s), count(*) FROM rw GROUP BY 1',
	'SELECT rw_key(s), count(DISTINCT c) FROM rw GROUP BY 1']) q;
SELECT compare('SELECT rw_unsafe(s), count(*), sum(id) FROM rw GROUP BY 1');
PREPARE rw_p(text) AS SELECT rw_key(s || $1) AS k, count(*) FROM rw GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE rw_p('z');
RESET plan_cache_mode;
-- a rescan, and a cursor
SELECT x, (SELECT sum(c) FROM (SELECT rw_key(s) AS k, count(*) AS c FROM rw GROUP BY 1) y WHERE k > x) FROM unnest(ARRAY['aa', 'kb', 'zz']) x;
BEGIN;
DECLARE rw_c CURSOR FOR SELECT rw_key(s) AS k, count(*) FROM rw GROUP BY 1 ORDER BY 1;
FETCH 2 FROM rw_c;
FETCH 1 FROM rw_c;
COMMIT;
-- none by default where little is to be computed
RESET gpuagg.debug_feeders;
SELECT rw_workers('SELECT rw_key(s), count(*) FROM rw WHERE id < 900 GROUP BY 1');
SET gpuagg.debug_feeders = 0;
SELECT rw_workers('SELECT rw_key(s), count(*) FROM rw GROUP BY 1');
RESET gpuagg.debug_feeders;
-- and some where it is much
CREATE FUNCTION rw_slow(text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 200 LOOP $1 := md5($1); END LOOP;
	RETURN left($1, 1);
END $$;
SELECT rw_workers('SELECT rw_slow(s), count(*) FROM rw GROUP BY 1');
SELECT compare('SELECT rw_slow(s), count(*), sum(id) FROM rw GROUP BY 1');
SET max_parallel_workers_per_gather = 0;
SELECT rw_workers('SELECT rw_slow(s), count(*) FROM rw GROUP BY 1');
RESET max_parallel_workers_per_gather;
DROP TABLE rw, rw_parts;
DROP FUNCTION rw_key, rw_unsafe, rw_workers, rw_slow;
DROP COLLATION rw_order;
