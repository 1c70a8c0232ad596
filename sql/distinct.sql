--
-- Aggregates with DISTINCT, and SELECT DISTINCT: the device groups by a finer key.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TABLE di AS
SELECT i AS id, i % 7 AS g, CASE WHEN i % 11 > 0 THEN i % 13 END AS h, (i % 400)::int8 * 5000000000 AS big, (i % 50)::int2 AS s,
	   (i % 300 / 4.0)::numeric(8, 2) AS n, CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN 0 WHEN 2 THEN '-0' WHEN 3 THEN NULL ELSE i % 30 / 8.0 END::float8 AS f,
	   ((i % 40) / 4.0)::float4 AS r, 'name ' || i % 60 AS t, ('c' || i % 5)::char(6) AS c, repeat('long', i % 8 * 3) || i % 3 AS lt,
	   '2020-01-01'::date + i % 90 AS d, '2020-03-20'::timestamptz + i % 500 * interval '1 h' AS z, md5((i % 20)::text)::uuid AS u, i % 3 = 0 AS b
FROM generate_series(1, 20000) i;
INSERT INTO di (id, g) SELECT i, NULL FROM generate_series(20001, 20020) i;
VACUUM ANALYZE di;
CREATE TABLE di_empty (LIKE di);

-- every type as the argument, with groups and without
SELECT x, compare(format('SELECT count(DISTINCT %s), count(*), sum(id) FROM di', x)),
	   compare(format('SELECT g, count(DISTINCT %s), count(*), sum(id), min(d), avg(big) FROM di GROUP BY g', x)),
	   compare(format('SELECT h, g, count(DISTINCT %s) FILTER (WHERE id %% 2 = 0) FROM di WHERE s > 10 GROUP BY g, h', x))
FROM unnest(ARRAY['id', 'g', 'h', 'big', 's', 'n', 'f', 'r', 't', 'c', 'lt', 'd', 'z', 'u', 'b', 'id % 100', '1', 'd - 5', 'substr(t, 1, 6)', 'z::date', 'date_trunc(''day'', z)']) x;
SELECT x, compare(format('SELECT g, sum(DISTINCT %s), avg(DISTINCT %1$s), count(DISTINCT %1$s), sum(%1$s), max(DISTINCT %1$s) FROM di GROUP BY g', x)),
	   compare(format('SELECT sum(DISTINCT %s) FILTER (WHERE h < 4), avg(DISTINCT %1$s) FILTER (WHERE b), avg(%1$s) FILTER (WHERE b) FROM di', x))
FROM unnest(ARRAY['id', 'h', 'big', 's', 'n', 'big * 3', 'n + 1', '(id % 9)::float8', 'r']) x;
SELECT compare('SELECT g, count(DISTINCT f), min(DISTINCT t COLLATE "C"), bool_or(DISTINCT b), bit_and(DISTINCT s), bit_xor(DISTINCT s) FROM di GROUP BY g');
-- all that need no regrouping: DISTINCT does not matter
EXPLAIN (COSTS OFF) SELECT g, min(DISTINCT id), bool_and(DISTINCT b) FROM di GROUP BY g;

-- several arguments
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT h), count(DISTINCT s), sum(DISTINCT n) FROM di GROUP BY g',
	'SELECT count(DISTINCT h), sum(DISTINCT h), count(DISTINCT t), count(DISTINCT lt), count(h), sum(big) FROM di',
	'SELECT g, count(DISTINCT h), count(DISTINCT h) FILTER (WHERE s > 20), count(DISTINCT h) FILTER (WHERE b) FROM di GROUP BY g',
	'SELECT lt, count(DISTINCT lt), count(DISTINCT c), avg(DISTINCT s) FROM di GROUP BY lt']) q;

-- whose work it is to group the finer groups: the device's where it can, else the backend's, and with the same answers
CREATE FUNCTION made_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM prefer_device();
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan::jsonb, '$.**."Groups Made By"') #>> '{}';
END $$;
SELECT made_by(q), compare(q), q FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT big), count(*), sum(id), min(d), avg(big), bit_or(s), every(b) FROM di GROUP BY g',
	'SELECT count(DISTINCT h), sum(DISTINCT h), avg(DISTINCT h) FROM di',
	'SELECT count(DISTINCT h), count(*) FROM di WHERE id < 0',
	'SELECT g, count(DISTINCT h), count(DISTINCT s) FROM di GROUP BY g',
	'SELECT g, count(DISTINCT z::date) FROM di GROUP BY g',
	'SELECT upper(t || g), count(*) FROM di GROUP BY 1']) q;
-- days as timestamptz, shown or not, are keys that the device makes groups of, but where two begin at the same moment; as values they are the backend's
CREATE TABLE di_days AS SELECT '2011-12-20'::date + i % 20 AS d, i % 7 AS c, i % 3 AS k, i AS v FROM generate_series(1, 3000) i;
VACUUM ANALYZE di_days;
CREATE FUNCTION in_zone(zone text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	RETURN concat_ws(' ', zone, 'made by', made_by(query)) || ', ' || compare(query, 'prefer');
END $$;
SELECT in_zone(zone, q), q FROM unnest(ARRAY['Europe/Berlin', 'Pacific/Apia']) WITH ORDINALITY z (zone, n), unnest(ARRAY[
	'SELECT date_trunc(''day'', d), count(DISTINCT c), sum(v) FROM di_days GROUP BY 1',
	'SELECT k, count(DISTINCT c) FROM di_days GROUP BY date_trunc(''day'', d), k',
	'SELECT k, count(DISTINCT c) FROM di_days GROUP BY ROLLUP (date_trunc(''day'', d), k) HAVING count(*) > 1',
	'SELECT k, count(DISTINCT date_trunc(''day'', d)) FROM di_days GROUP BY k']) WITH ORDINALITY q (q, o) ORDER BY z.n, o;
RESET TimeZone;
DROP FUNCTION in_zone;
DROP TABLE di_days;
-- a card leaves strings that are no codes to the backend
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, h, count(DISTINCT lt) FILTER (WHERE b), count(*) FILTER (WHERE b), max(lt COLLATE "C") FROM di GROUP BY g, h',
	'SELECT lt, count(DISTINCT s), min(t COLLATE "C") FROM di GROUP BY lt']) q;
SELECT compare('SELECT g, count(DISTINCT h), variance(r), corr(r, id), sum(r) FROM di GROUP BY g', 'require', 1e-9);
SET gpuagg.debug_regroup = off;
SELECT made_by(q), compare(q), q FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT big), count(*), sum(id), min(d), avg(big), bit_or(s), every(b) FROM di GROUP BY g',
	'SELECT count(DISTINCT h), sum(DISTINCT h), avg(DISTINCT h) FROM di',
	'SELECT g, h, count(DISTINCT lt) FILTER (WHERE b), count(*) FILTER (WHERE b), max(lt COLLATE "C") FROM di GROUP BY g, h',
	'SELECT count(DISTINCT h), count(*) FROM di WHERE id < 0']) q;
RESET gpuagg.debug_regroup;
-- the device's groups are gone, and finer ones come by hash windows
SET gpuagg.debug_fault = 'memory-late';
SET gpuagg.debug_fault_pass = 1;
SELECT made_by(q), compare(q) FROM unnest(ARRAY['SELECT g, count(DISTINCT id), sum(big) FROM di GROUP BY g']) q;
RESET gpuagg.debug_fault_pass;
RESET gpuagg.debug_fault;

-- what stands above
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT h) FROM di GROUP BY g HAVING count(DISTINCT h) > 12 AND g <> 3',
	'SELECT row_number() OVER (), q.* FROM (SELECT g, count(DISTINCT h) AS n FROM di GROUP BY g ORDER BY n DESC, g NULLS FIRST LIMIT 3) q',
	'SELECT g, count(DISTINCT h) + sum(s), rank() OVER (ORDER BY count(DISTINCT t) DESC, g) FROM di GROUP BY g',
	'SELECT DISTINCT count(DISTINCT h) FROM di GROUP BY g',
	'SELECT * FROM (SELECT g, count(DISTINCT h) AS n FROM di GROUP BY g) x WHERE n > 5',
	'SELECT count(DISTINCT h) FROM di HAVING count(DISTINCT h) > 100',
	'SELECT count(DISTINCT h) FROM di GROUP BY current_user']) q;
-- no rows
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT count(DISTINCT h), sum(DISTINCT n), avg(DISTINCT f), count(*), max(t COLLATE "C") FROM di_empty',
	'SELECT g, count(DISTINCT h) FROM di_empty GROUP BY g',
	'SELECT count(DISTINCT h) FROM di WHERE id < 0',
	'SELECT count(DISTINCT h) FROM di WHERE current_user IS NULL',
	'SELECT g, count(DISTINCT h), sum(DISTINCT h) FROM di WHERE h IS NULL GROUP BY g']) q;
-- SELECT DISTINCT
SELECT compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT DISTINCT g, h FROM di', 'SELECT DISTINCT lt FROM di WHERE b', 'SELECT count(*) FROM (SELECT DISTINCT g, s FROM di) x',
	'SELECT count(DISTINCT g), count(*) FROM (SELECT DISTINCT g, h FROM di OFFSET 0) x']) q;

-- overflows of sums: by PostgreSQL's plan
SELECT compare('SELECT sum(DISTINCT f * 1e308) FROM di', 'prefer'), compare('SELECT avg(DISTINCT f * 1e200) FROM di', 'prefer');
SELECT compare('SELECT count(DISTINCT 1 / (id - 5)) FROM di'), compare('SELECT count(DISTINCT 1 / s) FILTER (WHERE s > 0) FROM di');

-- strategies, the cache, little memory
SELECT s, set_config('gpuagg.strategy', s, false) = s AS set, compare('SELECT g, count(DISTINCT id), count(DISTINCT lt), sum(DISTINCT n) FROM di GROUP BY g')
FROM unnest(ARRAY['single-pass', 'block-local', 'multi-pass-naive', 'partitioned', 'auto']) s;
SELECT gpuagg.load('di') > 0;
SELECT made_by(q), compare(q) FROM unnest(ARRAY[
	'SELECT lt, count(DISTINCT t), count(*) FROM di GROUP BY lt', 'SELECT lt, t, count(DISTINCT c) FROM di GROUP BY lt, t', 'SELECT count(DISTINCT t) FROM di']) q;
SELECT compare('SELECT g, count(DISTINCT lt), count(DISTINCT t), sum(DISTINCT big) FROM di GROUP BY g');
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT g, count(DISTINCT id), count(*), max(lt COLLATE "C") FROM di GROUP BY g');
SELECT compare('SELECT id % 5000, count(DISTINCT s), count(*), min(lt), max(t) FROM di GROUP BY 1');
SELECT compare('SELECT id / 2 AS k, count(DISTINCT s), count(DISTINCT h), count(*), min(lt COLLATE "C") FROM di GROUP BY 1');
-- a lone group's values do not fit: PostgreSQL sorts them on disk
SELECT compare('SELECT count(DISTINCT id), count(DISTINCT lt) FROM di', 'prefer');
-- nor those of a group that has most of them: it gives up before others are made, and costs what both take
CREATE TABLE di_heavy AS SELECT CASE WHEN i % 50 = 0 THEN i ELSE -1 END AS g, i AS a, i % 20011 AS b FROM generate_series(1, 40000) i;
VACUUM ANALYZE di_heavy;
CREATE FUNCTION di_plan(query text) RETURNS TABLE (node text, made int, fallback text) LANGUAGE plpgsql AS $$
DECLARE plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := plan -> 0 -> 'Plan';
	RETURN QUERY SELECT plan ->> 'Node Type', (plan ->> 'Groups Made')::int, plan ->> 'Fallback Reason';
END $$;
SELECT compare('SELECT g, count(DISTINCT a || ''x''), count(DISTINCT b || ''x'') FROM di_heavy GROUP BY g', 'prefer');
SET gpuagg.debug_require = 'prefer';
SELECT node, made, fallback FROM di_plan('SELECT g, count(DISTINCT a || ''x''), count(DISTINCT b || ''x'') FROM di_heavy GROUP BY g');
SET gpuagg.debug_require = 'allow';
SET gpuagg.cost_scale = 0.01;
SELECT node FROM di_plan('SELECT count(DISTINCT a || ''x''), count(DISTINCT b || ''x'') FROM di_heavy');
-- of sets the one without keys has all values in its group, where the backend makes it
SET gpuagg.debug_regroup = off;
SELECT plans_gpuagg('SELECT g % 4, count(DISTINCT a) FROM di_heavy GROUP BY ROLLUP (1)'), plans_gpuagg('SELECT g % 4, count(DISTINCT b % 10) FROM di_heavy GROUP BY ROLLUP (1)');
RESET gpuagg.debug_regroup;
SET work_mem = '64MB';
SELECT node FROM di_plan('SELECT count(DISTINCT a || ''x''), count(DISTINCT b || ''x'') FROM di_heavy');
SELECT plans_gpuagg('SELECT g % 4, count(DISTINCT a) FROM di_heavy GROUP BY ROLLUP (1)'), plans_gpuagg('SELECT g % 4, count(DISTINCT b % 10) FROM di_heavy GROUP BY ROLLUP (1)');
RESET gpuagg.cost_scale;
RESET work_mem;
RESET hash_mem_multiplier;

-- one plan, many runs: parameters, rescans, cursors, failures
SET gpuagg.debug_require = 'require';
PREPARE di_some (int) AS SELECT g, count(DISTINCT h), sum(DISTINCT n) FROM di WHERE s < $1 GROUP BY g ORDER BY g LIMIT 2;
EXECUTE di_some (10);
EXECUTE di_some (3);
SET plan_cache_mode = force_generic_plan;
EXECUTE di_some (10);
EXECUTE di_some (0);
RESET plan_cache_mode;
BEGIN;
DECLARE di_cursor SCROLL CURSOR FOR SELECT g, count(DISTINCT t) FROM di GROUP BY g ORDER BY g;
FETCH 2 FROM di_cursor;
SAVEPOINT s;
FETCH 1 FROM di_cursor;
ROLLBACK TO s;
FETCH BACKWARD 1 FROM di_cursor;
COMMIT;
RESET gpuagg.debug_require;
SET enable_material = off;
SELECT compare('SELECT o.i, x.* FROM generate_series(1, 3) o(i), LATERAL (SELECT count(DISTINCT h), count(*) FROM di WHERE s < o.i) x', 'prefer');
RESET enable_material;
SET gpuagg.debug_fault = 'begin';
SELECT compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT count(DISTINCT h), count(*), sum(DISTINCT n) FROM di',
	'SELECT g, s, count(DISTINCT h), min(id) FROM di GROUP BY g, s',
	'SELECT g, min(DISTINCT id), count(*) FROM di GROUP BY g']) q;
RESET gpuagg.debug_fault;

EXPLAIN (COSTS OFF) SELECT g, count(DISTINCT h) FILTER (WHERE b), count(*) FROM di WHERE id > 5 GROUP BY g;
EXPLAIN (COSTS OFF) SELECT count(DISTINCT h) FROM di;
-- what is not taken says so
SELECT gpuagg.why_not(q) FROM unnest(ARRAY[
	'SELECT count(DISTINCT (g, array_to_tsvector(ARRAY[t]))) FROM di', 'SELECT string_agg(DISTINCT t, '','') FROM di', 'SELECT count(DISTINCT i) FROM (SELECT interval ''1 h'' * r AS i FROM di) x']) q;
DROP FUNCTION made_by;
DROP TABLE di, di_empty;
