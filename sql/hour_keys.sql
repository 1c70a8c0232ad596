--
-- Keys whose values are a unit apart, which number groups where kernels are compiled: hours and minutes, in zones of
-- whole and half hours, bins, seconds and products; values between them, and infinities.
--
\a
\t on
CREATE TABLE hk AS
SELECT i AS id, i % 7 AS g, (i % 100)::numeric(10, 2) AS n, CASE WHEN i % 101 > 0 THEN '1999-12-20'::timestamp + i * interval '7 min 3.000001 s' END AS t,
	   '2024-03-01'::timestamptz + i * interval '3 min 7 sec' AS x
FROM generate_series(1, 20000) i;
-- the same, with moments of local mean times, before our era, and infinities
CREATE TABLE hk_odd AS
SELECT id, g, n, CASE WHEN id % 103 = 0 THEN 'infinity' WHEN id % 107 = 0 THEN '-infinity' ELSE t END AS t,
	   CASE WHEN id % 103 = 0 THEN 'infinity' WHEN id % 109 = 0 THEN '0001-01-01 00:00+00' WHEN id % 113 = 0 THEN x - interval '150 years' ELSE x END AS x FROM hk WHERE id < 5000;
INSERT INTO hk_odd SELECT -o, o, o, t, t AT TIME ZONE 'UTC' FROM unnest(ARRAY['4713-01-02 00:00 BC', '0001-12-31 23:59:59.999999 BC', '0001-01-01', '1582-10-15 11:59:59.9999',
	'1900-01-01', '1999-12-31 23:59:59.999999', '2000-01-01', '9999-12-31 23:59:59']::timestamp[]) WITH ORDINALITY t(t, o);
VACUUM ANALYZE hk;
VACUUM ANALYZE hk_odd;
CREATE TABLE hk_queries (q text);
INSERT INTO hk_queries SELECT format(q, r) FROM unnest(ARRAY['hk', 'hk_odd']) r, unnest(ARRAY[
	'SELECT date_trunc(''hour'', t), count(*), sum(n), min(t), max(t) FROM %s GROUP BY 1', 'SELECT date_trunc(''minute'', t), g, count(*) FROM %s WHERE id < 900 GROUP BY 1, 2',
	'SELECT date_trunc(''second'', t), count(*) FROM %s WHERE id < 300 GROUP BY 1', 'SELECT date_trunc(''milliseconds'', t), date_trunc(''microseconds'', t), count(*) FROM %s WHERE id < 300 GROUP BY 1, 2',
	'SELECT date_trunc(''hour'', t + interval ''20 minutes''), count(*) FROM %s WHERE id > 0 GROUP BY 1', 'SELECT date_trunc(''hour'', t), date_trunc(''day'', t), extract(hour FROM date_trunc(''hour'', t)), count(*) FROM %s WHERE isfinite(t) GROUP BY 1, 2',
	'SELECT date_bin(''15 minutes'', t, ''2001-01-01 00:07:03''), count(*), sum(n) FROM %s WHERE id > 0 GROUP BY 1', 'SELECT date_bin(''5 minutes'', x, ''2001-01-01''), count(*) FROM %s WHERE id > 0 AND x > ''1000-01-01'' GROUP BY 1',
	'SELECT floor(extract(epoch FROM x) / 300) * 300, count(*), sum(n) FROM %s WHERE isfinite(x) GROUP BY 1', 'SELECT to_timestamp(floor(extract(epoch FROM x) / 300) * 300), count(*) FROM %s WHERE isfinite(x) AND id > 0 GROUP BY 1',
	'SELECT extract(epoch FROM t)::int8 / 600 * 600, count(*) FROM %s WHERE isfinite(t) GROUP BY 1', 'SELECT id / 10 * 10, id * -3, g * 1000, count(*) FROM %s GROUP BY 1, 2, 3',
	-- groups that are wanted, and that are made of finer ones
	'SELECT date_trunc(''hour'', t) AS h, count(*) FROM %s GROUP BY 1 ORDER BY 1 DESC LIMIT 24', 'SELECT date_trunc(''hour'', t) AS h, count(*) FROM %s GROUP BY 1 HAVING date_trunc(''hour'', t) > ''2000-01-03'' AND count(*) > 8',
	'SELECT date_trunc(''hour'', t), g, count(DISTINCT id %% 10), sum(n) FROM %s GROUP BY ROLLUP (1, 2)', 'SELECT g, count(DISTINCT date_trunc(''hour'', t)), percentile_disc(0.5) WITHIN GROUP (ORDER BY date_trunc(''minute'', t)) FROM %s GROUP BY g']) q;
SELECT compare(q), q FROM hk_queries;
SELECT gpuagg.load('hk') > 0, gpuagg.load('hk_odd') > 0;
SELECT count(*), bool_and(compare(q) LIKE 'ok%') FROM hk_queries;
-- in zones: whole hours, halves and quarters, half an hour of summer time, seconds of local mean time
SELECT count(*), bool_and(compare(format(q, r)) LIKE 'ok%') FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe', 'Africa/Monrovia', '<+0530>-05:30']) z,
	unnest(ARRAY['hk', 'hk_odd']) r, unnest(ARRAY['SELECT date_trunc(''hour'', x), count(*), sum(n), min(x), max(x) FROM %s GROUP BY 1', 'SELECT date_trunc(''minute'', x), g, count(*) FROM %s WHERE id < 2000 GROUP BY 1, 2',
	'SELECT date_trunc(''hour'', x AT TIME ZONE ''Asia/Kolkata''), count(*) FROM %s GROUP BY 1', 'SELECT date_trunc(''hour'', x, ''Australia/Lord_Howe''), date_trunc(''hour'', x), count(*) FROM %s GROUP BY 1, 2',
	'SELECT date_trunc(''hour'', x), count(*) FROM %s GROUP BY 1 ORDER BY 1 LIMIT 5']) q, LATERAL set_config('TimeZone', z, false);
-- a prepared statement follows the zone
SET gpuagg.debug_require = 'require';
PREPARE hk_hours AS SELECT date_trunc('hour', x) AS h, count(*) FROM hk WHERE x >= $1 AND x < $1 + interval '90 minutes' GROUP BY 1 ORDER BY 1;
SET TimeZone = 'Asia/Kolkata';
EXECUTE hk_hours('2024-03-10 12:00');
SET TimeZone = 'Australia/Lord_Howe';
EXECUTE hk_hours('2024-04-07 01:00');
DEALLOCATE hk_hours;
RESET gpuagg.debug_require;
RESET TimeZone;
DROP TABLE hk, hk_odd, hk_queries;
