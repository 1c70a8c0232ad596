--
-- Zones of cached columns: what WHERE excludes is not read, and count, min and
-- max are known without reading.
--
-- counts here depend on where pages lie: those of packed columns lie elsewhere
SET gpuagg.debug_pack = off;
\a
\t on
SET client_min_messages = warning;
SET synchronize_seqscans = off;
-- Zones that a query read, that it skipped, and that answered
CREATE FUNCTION zo_zones(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" like_regex "Gpu")');
	RETURN format('read %s, skipped %s, answered %s; rows %s; pages %s', plan->'Zones Read', plan->'Zones Skipped', plan->'Zones Answered', plan->'Rows Scanned', plan->'Pages');
END $$;
CREATE FUNCTION zo_both(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(query);
	RETURN NEXT zo_zones(query);
END $$;
-- In order of time; 300,000 rows are five zones
CREATE TABLE zo (id int, day date, at timestamp, f float8, r real, x int, b bool, t text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO zo SELECT i, date '2026-01-01' + i / 1000, timestamp '2026-01-01' + i * interval '86.4 s', CASE WHEN i < 70000 THEN -0.0 WHEN i < 140000 THEN i WHEN i < 200000 THEN 'NaN' WHEN i < 280000 THEN '-Infinity' END, i / 2, i - 150000, i < 100000, CASE WHEN i % 1000 = 0 THEN 'rare' ELSE 't' || i / 60000 END FROM generate_series(1, 300000) i;
VACUUM (FREEZE, ANALYZE) zo;
SELECT gpuagg.load('zo') > 0;
-- the last seven days, and other ranges
SELECT zo_both('SELECT day, count(*), sum(x) FROM zo WHERE day > date ''2026-10-21'' GROUP BY day');
SELECT zo_both('SELECT day, count(*), sum(x) FROM zo WHERE at >= timestamp ''2026-03-01'' AND at < timestamp ''2026-03-08'' GROUP BY day');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE id BETWEEN 100000 AND 110000');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE id IN (1, 299999, 400000)');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE id = 5 OR id = 299999');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE id < 0');
SELECT zo_both('SELECT id % 10, count(*) FROM zo WHERE id < 0 GROUP BY 1');
SELECT zo_both('SELECT sum(id) FROM zo WHERE date_trunc(''month'', at) = timestamp ''2026-03-01''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE at::date = date ''2026-03-01''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE extract(year FROM day) = 2025');
SELECT zo_both('SELECT sum(id) FROM zo WHERE NOT b');
-- arithmetic, roundings and moments computed of a column
SELECT zo_both('SELECT sum(id) FROM zo WHERE id + 10 > 299000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE 300000 - id < 1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE id * -2 >= -1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE id / 1000 = 77');
SELECT zo_both('SELECT sum(id) FROM zo WHERE abs(x) < 1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE id & 1048575 > 290000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE greatest(id, 1000) = 1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE floor(r) > 149000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE id::float8 + 0.5 < 1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE id::float8 * -2.5 > -1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE 1000 / (id::float8 + 1) < 0.00334');
SELECT zo_both('SELECT sum(id) FROM zo WHERE r / 2 > 74000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE day + 7 > date ''2026-10-21''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE day - date ''2026-01-01'' < 10');
SELECT zo_both('SELECT sum(id) FROM zo WHERE at + interval ''3 days'' < timestamp ''2026-01-10''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE at - interval ''1 month'' >= timestamp ''2026-09-20''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE date_bin(''1 hour'', at, timestamp ''2001-01-01'') = timestamp ''2026-03-01''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE extract(month FROM day) = 3');
SELECT zo_both('SELECT sum(id) FROM zo WHERE extract(quarter FROM at) = 4');
SELECT zo_both('SELECT sum(id) FROM zo WHERE extract(hour FROM at) > 23');
SELECT zo_both('SELECT sum(id) FROM zo WHERE extract(epoch FROM at) < 1767300000');
SET timezone = 'Europe/Berlin';
SELECT zo_both('SELECT sum(id) FROM zo WHERE at AT TIME ZONE ''Asia/Tokyo'' >= timestamptz ''2026-10-20 00:00 UTC''');
RESET timezone;
-- an error that lies beyond a type is none where no row comes to it
SELECT zo_both('SELECT sum(id) FROM zo WHERE id + 2147300000 > 0 AND id < 1000');
SELECT compare('SELECT sum(id) FROM zo WHERE id + 2147400000 > 0 AND id < 1000');
SELECT zo_both('SELECT sum(id) FROM zo WHERE t = ''t4''');
SELECT zo_both('SELECT sum(id) FROM zo WHERE t = ''none such''');
SELECT zo_both('SELECT t, sum(id) FROM zo WHERE t >= ''r'' COLLATE "C" AND id < 1000 GROUP BY t');
-- parameters
SET plan_cache_mode = force_generic_plan;
PREPARE zo_last(date) AS SELECT day, count(*) FROM zo WHERE day >= $1 GROUP BY day;
SELECT zo_zones('EXECUTE zo_last(''2026-10-20'')');
SELECT zo_zones('EXECUTE zo_last(''2026-01-01'')');
SELECT zo_zones('EXECUTE zo_last(NULL)');
RESET plan_cache_mode;
-- NULLs, NaN, infinities, -0
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f IS NULL');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f IS NOT NULL');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f = 0');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f < 0');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f > 1e9');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f = ''NaN''');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE f = ''-Infinity''');
SELECT zo_both('SELECT count(*), sum(id) FROM zo WHERE x IS NULL');
-- an error where PostgreSQL raises one, and none where it does not
SELECT zo_both('SELECT sum(id) FROM zo WHERE id < 10 AND 1000000 / x > 0');
SELECT compare('SELECT sum(id) FROM zo WHERE 1000000 / x > 0 AND id < 10');
SELECT compare('SELECT sum(id) FROM zo WHERE id < 10 OR 1000000 / x > 0');
SELECT compare('SELECT sum(id) FROM zo WHERE 1000000 / x > 0 AND id < 0');
SELECT compare('SELECT sum(id) FROM zo WHERE id > 200000 AND 1000000 / x > 5');
SELECT compare('SELECT sum(id) FROM zo WHERE CASE WHEN id > 200000 THEN 1000000 / x > 5 END');
SELECT compare('SELECT sum(1 / x) FROM zo WHERE id > 290000');
SELECT compare('SELECT sum(1 / x) FROM zo WHERE id < 150001');
-- answers of zones alone, also where a filter passes all
SELECT zo_both('SELECT count(*) FROM zo');
SELECT zo_both('SELECT count(*), count(f), count(t), min(id), max(day), min(at), max(at), min(x), max(r) FROM zo');
SELECT zo_both('SELECT min(f), max(f) FROM zo');
SELECT zo_both('SELECT min(f), max(f), count(f), count(*) FROM zo WHERE id > 140000');
SELECT zo_both('SELECT count(*), min(id), max(id) FROM zo WHERE id > 100000');
SELECT zo_both('SELECT count(*), min(id) FROM zo WHERE id > 0');
SELECT zo_both('SELECT max(f) FROM zo WHERE id > 290000');
-- these need rows
SELECT zo_both('SELECT count(*), sum(id) FROM zo');
SELECT zo_both('SELECT count(*) FILTER (WHERE id > 10) FROM zo');
SELECT zo_both('SELECT max(id + 1) FROM zo');
SELECT zo_both('SELECT max(t) FROM zo');
SELECT zo_both('SELECT b, count(*) FROM zo GROUP BY b');
SELECT zo_both('SELECT count(*) FROM zo HAVING count(*) > 5');
-- a deleted row: its block is fed, the zone read, until VACUUM; then it is never exact again
DELETE FROM zo WHERE id = 1;
SELECT zo_both('SELECT count(*), min(id), max(id) FROM zo');
SELECT zo_both('SELECT sum(x) FROM zo WHERE id < 2');
VACUUM zo;
SELECT zo_both('SELECT count(*), min(id), max(id) FROM zo');
SELECT zo_both('SELECT count(*), min(id), max(id) FROM zo');
SELECT zo_both('SELECT sum(x) FROM zo WHERE id < 2');
-- an update far out of order widens a zone: its new row lies in a page of the last one, or a new one
UPDATE zo SET id = -5, day = 'infinity', at = '-infinity' WHERE id = 150000;
SELECT zo_both('SELECT count(*), min(id), max(day), min(at) FROM zo');
VACUUM zo;
SELECT zo_both('SELECT count(*), min(id), max(day), min(at) FROM zo');
SELECT zo_both('SELECT count(*), min(id), max(day), min(at) FROM zo');
SELECT zo_both('SELECT sum(x) FROM zo WHERE id < 0');
SELECT zo_both('SELECT sum(x) FROM zo WHERE day = ''infinity''');
SELECT zo_both('SELECT sum(x) FROM zo WHERE date_trunc(''year'', at) < ''2020-01-01''');
-- in a transaction of its own changes, and behind it
BEGIN;
UPDATE zo SET id = 1000000 WHERE id = 200000;
SELECT zo_both('SELECT count(*), max(id) FROM zo');
SELECT zo_both('SELECT sum(x) FROM zo WHERE id > 999999');
ROLLBACK;
SELECT compare('SELECT count(*), max(id) FROM zo');
SELECT compare('SELECT sum(x) FROM zo WHERE id > 999999');
-- columns that come later; blocks that were filled by parts
SELECT gpuagg.unload('zo') > 0;
SELECT zo_both('SELECT sum(id) FROM zo WHERE id < 1000');
SELECT zo_both('SELECT count(*), max(x) FROM zo');
SELECT zo_both('SELECT count(*), max(x), min(id) FROM zo');
-- rows alone; only NULLs; nothing
CREATE TABLE zo_few (a int, n int) WITH (autovacuum_enabled = off);
INSERT INTO zo_few SELECT i, NULL FROM generate_series(1, 1000) i;
DELETE FROM zo_few WHERE a % 3 = 0;
VACUUM (FREEZE, ANALYZE) zo_few;
SELECT zo_both('SELECT count(*) FROM zo_few');
SELECT zo_both('SELECT count(*), count(n), min(n), max(n), count(a), min(a) FROM zo_few');
SELECT zo_both('SELECT count(*), count(n), min(n), max(n), count(a), min(a) FROM zo_few');
SELECT zo_both('SELECT count(a) FROM zo_few WHERE n IS NULL');
SELECT zo_both('SELECT count(a) FROM zo_few WHERE n > 0');
SELECT name FROM gpuagg.stat WHERE name LIKE 'zones%' AND value > 0 ORDER BY 1;
SET gpuagg.debug_require = 'require';
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a FROM zo_few WHERE a < 0 GROUP BY a$$);
SELECT * FROM explained($$EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT a FROM zo_few WHERE a < 0 GROUP BY a$$);
RESET gpuagg.debug_require;
DROP TABLE zo, zo_few;
DROP FUNCTION zo_zones, zo_both;
