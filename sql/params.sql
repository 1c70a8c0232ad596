--
-- Parameters, prepared statements, plans that outlive changes.
--
\a
\t on
CREATE TABLE pa (id int4, g int4, t text, d date, f float8, v int8, b bool, u uuid, c char(4));
INSERT INTO pa SELECT i, i % 10, 't' || i % 4, '2020-01-01'::date + i % 30, i / 8.0, i, i % 2 = 0, md5((i % 3)::text)::uuid, 'c' || i % 2 FROM generate_series(1, 3000) i;
ANALYZE pa;
SET gpuagg.debug_require = 'require';
PREPARE pa_all(int4, text, date, float8, int8, bool, uuid, char(4)) AS
	SELECT g, count(*), sum(v + $5), max(f), count(*) FILTER (WHERE b = $6)
	FROM pa WHERE g > $1 AND t <> $2 AND d >= $3 AND f < $4 AND u <> $7 AND c = $8 GROUP BY g ORDER BY g;
SET plan_cache_mode = force_custom_plan;
EXECUTE pa_all(4, 't1', '2020-01-05', 300, 10, true, md5('1')::uuid, 'c1');
SET plan_cache_mode = force_generic_plan;
EXECUTE pa_all(4, 't1', '2020-01-05', 300, 10, true, md5('1')::uuid, 'c1');
EXECUTE pa_all(8, 't2', '2020-01-01', 'inf', -10, false, md5('2')::uuid, 'c1  ');
EXECUTE pa_all(NULL, 't2', '2020-01-01', 'inf', -10, false, md5('2')::uuid, 'c1');
EXECUTE pa_all(-1, 't2', '2020-01-01', 'inf', NULL, NULL, md5('2')::uuid, 'c1');
SET gpuagg.debug_require = 'allow';
SET gpuagg.enable = off;
EXECUTE pa_all(4, 't1', '2020-01-05', 300, 10, true, md5('1')::uuid, 'c1');
EXECUTE pa_all(8, 't2', '2020-01-01', 'inf', -10, false, md5('2')::uuid, 'c1  ');
EXECUTE pa_all(-1, 't2', '2020-01-01', 'inf', NULL, NULL, md5('2')::uuid, 'c1');
SET gpuagg.enable = on;
SET gpuagg.debug_require = 'require';
-- every place a parameter may take: key, argument, list, CASE, pattern
PREPARE pa_key(int4) AS SELECT g % $1 AS k, count(*), sum(v) FROM pa GROUP BY 1 ORDER BY 1;
EXECUTE pa_key(3);
EXECUTE pa_key(4);
EXECUTE pa_key(0);
EXECUTE pa_key(NULL);
PREPARE pa_const(int4) AS SELECT $1, count(*), sum($1), min($1 + g) FROM pa;
EXECUTE pa_const(3);
EXECUTE pa_const(NULL);
PREPARE pa_like(text) AS SELECT t, count(*) FROM pa WHERE t LIKE $1 GROUP BY t ORDER BY t;
EXECUTE pa_like('t%');
EXECUTE pa_like('_1');
EXECUTE pa_like(NULL);
RESET gpuagg.debug_require;
SELECT prefer_device(false);
EXECUTE pa_like('t\1');
EXECUTE pa_like('t\');
PREPARE pa_in(int4, int4) AS SELECT g, count(*) FROM pa WHERE g IN ($1, $2, 7) GROUP BY g ORDER BY g;
EXECUTE pa_in(1, 2);
EXECUTE pa_in(NULL, 2);
PREPARE pa_any(int4[]) AS SELECT g, count(*) FROM pa WHERE g = ANY ($1) GROUP BY g ORDER BY g;
EXECUTE pa_any('{1,2,NULL}');
EXECUTE pa_any('{}');
EXECUTE pa_any(NULL);
PREPARE pa_err(int4) AS SELECT g, sum(v / $1) FROM pa GROUP BY g ORDER BY g LIMIT 1;
EXECUTE pa_err(2);
EXECUTE pa_err(0);
PREPARE pa_init AS SELECT g, count(*) FROM pa WHERE v > (SELECT avg(v) FROM pa) AND t = (SELECT max(t COLLATE "C") FROM pa) GROUP BY g ORDER BY g;
EXECUTE pa_init;
EXECUTE pa_init;
-- an init plan of no row, of one NULL, of too many rows, with an error
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT count(*) FROM pa WHERE v > (SELECT 1 WHERE false)',
	'SELECT count(*), sum(CASE WHEN g > 8 THEN (SELECT v FROM pa) ELSE 1 END) FROM pa',
	'SELECT count(*) FROM pa WHERE g = (SELECT id FROM pa)',
	'SELECT count(*) FROM pa WHERE g > 0 AND g = (SELECT 1 / (count(*) - 3000) FROM pa)']) q;
-- An init plan runs when the node starts, as it does for PostgreSQL's parallel
-- plans: its errors show even if no row comes to need its value.
SELECT device_error('SELECT count(*), sum(CASE WHEN g > 100 THEN (SELECT v FROM pa) ELSE 1 END) FROM pa');
SELECT device_error('SELECT count(*) FROM pa WHERE g < 0 AND g = (SELECT 1 / (count(*) - 3000) FROM pa)');
-- but expressions of parameters are evaluated for the rows that need them
PREPARE pa_never(int4) AS SELECT count(*) FROM pa WHERE g < 0 AND v > 10 / $1;
EXECUTE pa_never(0);
PREPARE pa_case(int4) AS SELECT g, sum(CASE WHEN g > 100 THEN 1 / $1 ELSE v END), count(*) FILTER (WHERE g > 100 AND t LIKE substr('t%', $1, $1 - 1)) FROM pa GROUP BY g ORDER BY g LIMIT 1;
EXECUTE pa_case(0);
EXECUTE pa_case(1);
PREPARE pa_needed(int4) AS SELECT count(*) FROM pa WHERE g > 0 AND v > 10 / $1;
EXECUTE pa_needed(0);
EXECUTE pa_needed(5);

-- a generic plan and what happens to its table
SET gpuagg.debug_require = 'require';
PREPARE pa_inv AS SELECT t, count(*), sum(v) FROM pa GROUP BY t ORDER BY t;
EXECUTE pa_inv;
EXECUTE pa_inv;
INSERT INTO pa (id, t, v) VALUES (-1, 't9', 5);
EXECUTE pa_inv;
ALTER TABLE pa DROP COLUMN u;
EXECUTE pa_inv;
ALTER TABLE pa ADD COLUMN w int4 DEFAULT 3;
EXECUTE pa_inv;
VACUUM FULL pa;
EXECUTE pa_inv;
DELETE FROM pa WHERE id = -1;
VACUUM FREEZE pa;
EXECUTE pa_inv;
CREATE INDEX ON pa (t);
CLUSTER pa USING pa_t_idx;
EXECUTE pa_inv;
BEGIN;
TRUNCATE pa;
EXECUTE pa_inv;
ROLLBACK;
EXECUTE pa_inv;
ALTER TABLE pa SET UNLOGGED;
EXECUTE pa_inv;
ALTER TABLE pa ALTER COLUMN v TYPE numeric;
RESET gpuagg.debug_require;
EXECUTE pa_inv;
ALTER TABLE pa ALTER COLUMN v TYPE int4;
EXECUTE pa_inv;
-- the session's zone is that of the execution, not of the planning
CREATE TABLE pa_zone AS SELECT '2024-01-01'::date + i AS d, '2024-01-01 00:00+00'::timestamptz + i * interval '7 hours' AS tz FROM generate_series(0, 200) i;
ANALYZE pa_zone;
SELECT prefer_device(false);
SET timezone = 'UTC';
PREPARE pa_zone AS SELECT date_trunc('month', d) AS m, count(*), min(tz) FROM pa_zone WHERE tz >= '2024-01-15' GROUP BY 1 ORDER BY 1 LIMIT 2;
PREPARE pa_cast(text) AS SELECT count(*), min(tz), max(tz) FROM pa_zone WHERE tz > $1::timestamptz AND d < $1::date + 90;
EXPLAIN (COSTS OFF) EXECUTE pa_zone;
EXECUTE pa_zone;
EXECUTE pa_cast('2024-01-10 00:00');
SET timezone = 'Pacific/Auckland';
EXECUTE pa_zone;
EXECUTE pa_cast('2024-01-10 00:00');
SET datestyle = 'ISO, DMY';
EXECUTE pa_cast('03/02/2024');
SET gpuagg.enable = off;
EXECUTE pa_zone;
EXECUTE pa_cast('2024-01-10 00:00');
EXECUTE pa_cast('03/02/2024');
RESET ALL;
DROP TABLE pa_zone;
SET plan_cache_mode = force_generic_plan;
-- settings apply to cached plans, too
PREPARE pa_set AS SELECT g, count(*) FROM pa WHERE g < 2 GROUP BY g ORDER BY g;
EXECUTE pa_set;
SET gpuagg.enable = off;
EXECUTE pa_set;
SET gpuagg.enable = on;
SET gpuagg.debug_require = 'require';
EXECUTE pa_set;
DROP TABLE pa;
EXECUTE pa_set;
DEALLOCATE ALL;
RESET ALL;
