--
-- Intervals and times: with timestamps, as values, in aggregates; seconds since 1970; to_char of whole units as a key.
--
\a
\t on
CREATE TABLE iv (id int4, t timestamp, u timestamp, z timestamptz, y timestamptz, d date, i interval, c time, v int4, n interval);
INSERT INTO iv SELECT g,
	'2024-01-31 23:59:59.999999'::timestamp + (g % 900) * interval '1 day 01:02:03.000001' - (g % 7) * interval '1 month',
	'2023-12-31 00:00'::timestamp + (g % 1000) * interval '33 min 0.5 s',
	'2023-10-29 00:30+00'::timestamptz + (g % 400) * interval '17 min',
	'2024-03-31 00:00+00'::timestamptz + (g % 300) * interval '11 min 1.25 s',
	'2024-02-29'::date + g % 800,
	(ARRAY['1 mon', '30 days', '720:00:00', '1 day', '24:00:00', '-1 day', '1 year 2 mons 3 days 04:05:06.000007', '-00:00:00.000001', '0',
		'36:00:00', '1 day 12:00:00', '-1 mon -1 day -12:00:00'])[g % 12 + 1]::interval,
	'00:00'::time + (g % 97) * interval '14 min 59.999999 s', g % 100, CASE WHEN g % 5 > 0 THEN (g % 20) * interval '1 day 25 min' END
	FROM generate_series(1, 6000) g;
INSERT INTO iv (id, t, z, d, c, v) VALUES (7001, 'infinity', '-infinity', '2000-01-01', '24:00', 1), (7002, NULL, NULL, NULL, NULL, NULL);
INSERT INTO iv (id, t, u, z, y, d, c, v) VALUES (7003, '0044-03-15 12:00 BC', '4714-11-24 BC', '1883-11-18 18:00+00', '1972-01-07 00:44:29+00', '0044-03-15 BC', '00:00', 2),
	(7004, '294276-12-31 23:59:59.999999', '0001-01-01', '1800-01-01 00:00+00', '2099-12-31 00:00+00', '5874897-12-31', '23:59:59.999999', 3);
ANALYZE iv;
-- the device alone, or an error
SET gpuagg.fallback = off;
SET TimeZone = 'Europe/Berlin';
CREATE TABLE iv_query AS SELECT row_number() OVER () AS no, q FROM unnest(ARRAY[
	-- moments and intervals
	'SELECT t + interval ''1 month 1 day 00:00:01'', count(*) FROM iv WHERE id < 7000 GROUP BY 1',
	'SELECT t - interval ''1 year 1 month -3 days'', u + ''36 hours'', count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2',
	'SELECT interval ''-1 month'' + t, count(*), max(d + interval ''1 month'') FROM iv WHERE id < 7004 GROUP BY 1',
	'SELECT d - interval ''13 months 1 us'', count(*) FROM iv WHERE id < 7004 GROUP BY 1',
	'SELECT z + interval ''1 day'', count(*) FROM iv WHERE id < 7000 GROUP BY 1',
	'SELECT y - interval ''1 month'', y + interval ''2 hours'', count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2',
	'SELECT z + interval ''5 months 1 day -1 hour'', min(y - interval ''1 day'') FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT t + i, z + i, count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2',
	'SELECT v, max(z - n), min(t - n) FROM iv WHERE id < 7000 GROUP BY v',
	'SELECT v, count(*) FROM iv WHERE id < 7000 AND t > now() - interval ''100 years'' AND z <= localtimestamp + interval ''1 day'' AND d < current_date + 10000 GROUP BY v',
	'SELECT v, count(*) FROM iv WHERE t + interval ''1 day'' < z AND id < 7000 GROUP BY v',
	'SELECT d - date ''2024-01-01'', d + 1, d - 7, count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2, 3',
	-- differences
	'SELECT t - u, count(*) FROM iv WHERE id < 7000 GROUP BY 1',
	'SELECT v, sum(t - u), avg(t - u), min(t - u), max(u - t) FROM iv WHERE id < 7000 GROUP BY v',
	'SELECT v, avg(y - z), count(y - z) FILTER (WHERE y - z > interval ''100 days 12:00''), sum(CASE WHEN v > 50 THEN y - z END), sum(CASE WHEN v > 9 THEN y - z ELSE ''1 day 01:00'' END) FROM iv WHERE id < 7000 GROUP BY v',
	'SELECT v, avg(extract(epoch FROM t - u)), sum(extract(epoch FROM y - z)), max(extract(day FROM t - u)), min(extract(hour FROM u - t)) FROM iv WHERE id < 7000 GROUP BY v',
	'SELECT extract(minute FROM u - t), extract(second FROM u - t), extract(milliseconds FROM u - t), count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2, 3',
	'SELECT avg(t - u), sum(z - y) FROM iv WHERE id < 7000',
	'SELECT t - u AS x, count(*) FROM iv WHERE id < 7000 GROUP BY 1 HAVING count(*) > 5 ORDER BY 1 DESC LIMIT 7',
	'SELECT v, avg(t - u) FROM iv WHERE id < 0 GROUP BY v',
	'SELECT sum(t - u), min(t - u), count(*) FROM iv WHERE id < 0',
	-- intervals as values: one of the equal ones shows, so they are compared by their seconds
	'SELECT extract(epoch FROM i), n FROM (SELECT i, count(*) AS n FROM iv GROUP BY i OFFSET 0) x',
	'SELECT i::text, count(*), sum(v) FROM iv WHERE i < interval ''1 day'' OR i > interval ''13 mons'' GROUP BY i',
	'SELECT v, count(i), count(*) FROM iv WHERE i >= interval ''24 hours'' AND i <> interval ''1 mon'' GROUP BY v',
	'SELECT v, sum(i), avg(i) FROM iv GROUP BY v',
	'SELECT v, sum(n), avg(n), min(n), max(n) FROM iv GROUP BY v',
	'SELECT v, min(i), max(i) FILTER (WHERE i > ''31 days'') FROM iv WHERE id % 12 IN (3, 6, 7) GROUP BY v',
	'SELECT extract(year FROM i), extract(month FROM i), extract(day FROM i), extract(epoch FROM i), count(*) FROM iv GROUP BY 1, 2, 3, 4',
	'SELECT v, count(*) FROM iv WHERE i = n OR n IS NULL AND i < n GROUP BY v',
	-- times
	'SELECT c, count(*), sum(v) FROM iv GROUP BY c',
	'SELECT v, min(c), max(c), sum(c), avg(c), count(c) FROM iv WHERE c BETWEEN ''08:00'' AND ''24:00'' GROUP BY v',
	'SELECT t::time, count(*) FROM iv WHERE isfinite(t) GROUP BY 1',
	'SELECT z::time, count(*) FROM iv WHERE id < 7001 AND c IN (''00:00'', ''00:14:59.999999'', ''23:29:59.999906'') GROUP BY 1',
	'SELECT isfinite(t), isfinite(z), isfinite(d), count(*) FROM iv GROUP BY 1, 2, 3',
	-- seconds
	'SELECT extract(epoch FROM u), extract(epoch FROM z), count(*) FROM iv WHERE id < 7000 GROUP BY 1, 2',
	'SELECT extract(second FROM t), extract(milliseconds FROM t), extract(microseconds FROM t), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2, 3',
	'SELECT date_part(''epoch'', z), date_part(''second'', t), date_part(''milliseconds'', t), date_part(''microseconds'', t), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2, 3, 4',
	'SELECT extract(epoch FROM d), count(*) FROM iv GROUP BY 1',
	'SELECT v, sum(extract(epoch FROM t)), avg(extract(epoch FROM z)), max(extract(second FROM y)) FROM iv WHERE id < 7001 GROUP BY v',
	'SELECT floor(extract(epoch FROM t) / 300) * 300, count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT floor(extract(epoch FROM z) / 3600) * 3600 AS time, avg(v) FROM iv WHERE id < 7001 GROUP BY 1 ORDER BY 1',
	'SELECT to_timestamp(floor(extract(epoch FROM y) / 60) * 60), count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT extract(epoch FROM t)::int8 / 86400 * 86400, count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT to_timestamp(v * 1000.123456), count(*) FROM iv GROUP BY 1',
	'SELECT date_bin(''15 min'', t, ''2001-01-01''), count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT date_bin(''1 day 01:00'', z, ''2001-01-01 00:30+00''), count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT date_bin(''7 s'', t, ''2035-01-01 00:00:01.5''), count(*) FROM iv WHERE id < 7001 GROUP BY 1',
	-- local time and back
	'SELECT max(date_trunc(''day'', z)), min(date_trunc(''month'', y)), v FROM iv WHERE id < 7001 GROUP BY v',
	'SELECT date_trunc(''day'', z, ''Asia/Tokyo''), date_trunc(''hour'', y, ''Australia/Lord_Howe''), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2',
	'SELECT t::timestamptz, count(*) FROM iv WHERE id < 7000 GROUP BY 1',
	'SELECT t AT TIME ZONE ''America/New_York'', count(*) FROM iv WHERE id < 7000 GROUP BY 1',
	'SELECT v, max(d::timestamptz) FROM iv WHERE id < 7000 GROUP BY v',
	-- texts
	'SELECT to_char(t, ''YYYY-MM''), count(*), sum(v) FROM iv WHERE id < 7001 GROUP BY 1',
	'SELECT to_char(z, ''YYYY-MM-DD HH24'') AS hour, count(*) FROM iv WHERE id < 7001 GROUP BY 1 ORDER BY 1 LIMIT 20',
	'SELECT to_char(d, ''IYYY-IW''), to_char(d, ''YYYY"Q"Q''), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2',
	'SELECT to_char(z, ''FMDD. FMMonth YYYY, Dy''), to_char(y, ''yyyymmdd hh24:mi''), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2',
	'SELECT to_char(t, ''YYYY-DDD HH12:MI:SS AM''), to_char(date_trunc(''month'', z), ''Mon YYYY''), count(*) FROM iv WHERE id < 7001 GROUP BY 1, 2']) q;
-- how many groups there are is for the time zone database to say
CREATE FUNCTION agrees(query text, mode text DEFAULT 'require') RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace(compare(query, mode), ': [0-9]+ rows?$', '') $$;
SELECT no, agrees(q) FROM iv_query ORDER BY no;
RESET gpuagg.fallback;
-- values that PostgreSQL evaluates, and errors that it reports
SELECT q, agrees(q, 'prefer') FROM unnest(ARRAY['SELECT t + interval ''1 month'', count(*) FROM iv GROUP BY 1', 'SELECT v, max(t + interval ''-200000 years'') FROM iv WHERE id < 7000 GROUP BY v',
	'SELECT v, max(t - interval ''2147483648 us'') FROM iv GROUP BY v', 'SELECT z + interval ''1 day'', count(*) FROM iv GROUP BY 1',
	'SELECT extract(epoch FROM t), count(*) FROM iv GROUP BY 1', 'SELECT date_part(''epoch'', z), count(*) FROM iv GROUP BY 1',
	'SELECT date_bin(''7 s'', t, ''2035-01-01 00:00:00''), count(*) FROM iv GROUP BY 1', 'SELECT to_timestamp(v * 1e12), count(*) FROM iv GROUP BY 1', 'SELECT to_timestamp(''NaN''::float8 + v), count(*) FROM iv GROUP BY 1',
	'SELECT to_char(t, ''YYYY''), count(*) FROM iv GROUP BY 1', 'SELECT t::timestamptz, count(*) FROM iv GROUP BY 1', 'SELECT t::time, count(*) FROM iv GROUP BY 1',
	'SELECT v, sum(CASE WHEN v > 3 THEN i ELSE interval ''178000000 years'' END) FROM iv GROUP BY v',
	'SELECT min(CASE WHEN id > 7 THEN i ELSE interval ''1 day 25 hours'' END) FROM iv', 'SELECT CASE WHEN id > 7 THEN i ELSE interval ''5000 years'' END, count(*) FROM iv GROUP BY 1']) q;
-- since 17 a difference may be out of range
SELECT agrees('SELECT v, max(t - u) FROM iv GROUP BY v', 'prefer') =
	CASE WHEN current_setting('server_version_num')::int < 170000 THEN 'ok' ELSE 'same error: 22008 interval out of range' END;
-- sums on the way out of range, and back
CREATE TABLE iv_edge (v int4, i interval);
INSERT INTO iv_edge VALUES (1, '2147483647 days'), (1, '1 day'), (1, '-5 days'), (2, '9223372036854775807 us'), (2, '-1 us'), (3, '-178956970 years'), (3, '1 mon'), (4, NULL);
SELECT v, agrees('SELECT sum(i), avg(i), count(i) FROM iv_edge WHERE v = ' || v, 'prefer') FROM generate_series(1, 4) v;
SELECT agrees('SELECT v, count(*) FROM iv_edge WHERE i < interval ''1 day'' GROUP BY v', 'prefer');
-- examples of PostgreSQL's own tests: moments and months
CREATE TABLE iv_ts AS SELECT unnest('{-infinity,1997-02-10 17:32:01,1996-02-29 17:32:01,2000-12-31 17:32:01,2001-01-01 17:32:01,0097-02-16 17:32:01 BC,1097-02-16 17:32:01,1999-12-31 23:59:59.6,4713-01-01 00:00:00 BC,4714-11-24 00:00:00 BC,infinity}'::timestamp[]) AS t;
CREATE TABLE iv_iv AS SELECT unnest('{1 min,5 hours,10 days,34 years,3 mons,-14 secs ago,1 day 02:03:04,6 years,5 mons,5 mons 12 hours,-1 mon,-1 day,12 mons -30 days,0}'::interval[]) AS i;
CREATE TABLE iv_both AS SELECT t, t AT TIME ZONE 'UTC' AS z, i FROM iv_ts, iv_iv;
SELECT agrees('SELECT t, i, t + i, count(*) FROM iv_both WHERE t > ''0001-01-01'' GROUP BY t, i, t + i');
SELECT agrees('SELECT t + i, count(*) FROM iv_both WHERE extract(epoch FROM i) >= 0 GROUP BY 1');
SELECT agrees('SELECT t - i, count(*) FROM iv_both GROUP BY 1');
SELECT agrees('SELECT z + i, z - i, count(*) FROM iv_both WHERE t > ''1900-01-01'' GROUP BY 1, 2');
SELECT agrees('SELECT t - timestamp ''1997-01-02'', count(*) FROM iv_both WHERE isfinite(t) GROUP BY 1');
-- gaps, overlaps and second offsets: every quarter of an hour of local time, there and back
CREATE TABLE iv_local AS SELECT t, t AT TIME ZONE 'UTC' AS z FROM (
	SELECT generate_series('2024-03-30 00:00'::timestamp, '2024-04-01', '15 min') UNION ALL SELECT generate_series('2024-10-26 00:00'::timestamp, '2024-10-28', '15 min')
	UNION ALL SELECT generate_series('2011-12-28 00:00'::timestamp, '2012-01-01', '1 h') UNION ALL SELECT generate_series('2018-11-03 00:00'::timestamp, '2018-11-05', '15 min 0.5 s')
	UNION ALL SELECT generate_series('1883-11-17 12:00'::timestamp, '1883-11-19', '7 min 1 s') UNION ALL SELECT generate_series('1972-01-05 00:00'::timestamp, '1972-01-09', '44 min 30 s')
	UNION ALL SELECT generate_series('1850-01-01 00:00'::timestamp, '2090-01-01', '97 days 3 h')) x (t);
CREATE FUNCTION in_zone(zone text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	answer := agrees(query, 'prefer');
	RETURN answer;
END
$$;
SET gpuagg.fallback = off;
SELECT zone, string_agg(in_zone(zone, q), ', ') FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Lord_Howe',
	'Africa/Monrovia', 'Pacific/Apia', 'Asia/Tehran', '<+0330>-03:30', 'CET-1CEST']) WITH ORDINALITY z (zone, n),
	unnest(ARRAY['SELECT t::timestamptz, count(*) FROM iv_local GROUP BY 1', 'SELECT z + interval ''1 day'', z - interval ''1 month'', z + interval ''6 months -1 day 1 hour'', count(*) FROM iv_local GROUP BY 1, 2, 3',
	'SELECT to_char(z, ''YYYY-MM-DD HH24:MI''), count(*) FROM iv_local GROUP BY 1', 'SELECT min(date_trunc(''day'', z)), max(date_trunc(''week'', z)), z::time, extract(second FROM z) FROM iv_local GROUP BY 3, 4']) q GROUP BY zone, n ORDER BY n;
RESET gpuagg.fallback;
RESET TimeZone;
-- quotients as numeric rounds them, at both sides of every hour
CREATE TABLE iv_epoch AS SELECT '1970-01-01'::timestamp + h * interval '1 h' + d * interval '1 us' AS t FROM (SELECT generate_series(-3000, 3000) UNION ALL SELECT generate_series(277000, 280000)
	UNION ALL SELECT generate_series(400000, 500000, 97)) x (h), unnest('{-50,-3,-1,0,1,3,50}'::int4[]) d;
SELECT n, agrees(format('SELECT floor(extract(epoch FROM t) / %s) * %1$s, count(*) FROM iv_epoch GROUP BY 1', n)) FROM unnest('{1,7,60,300,3600,7200,86400,604800,99999999,2147483647}'::int8[]) n;
-- rows that PostgreSQL evaluates beside those of the device, and columns that came later
CREATE TABLE iv_rows AS SELECT id, t, u, z, d, i, n, c, v, CASE WHEN id % 3 = 0 THEN repeat('w', 3000) ELSE 'w' END AS w FROM iv WHERE id < 700;
ALTER TABLE iv_rows ADD COLUMN a interval DEFAULT '1 mon', ADD COLUMN b time DEFAULT '12:34:56.789';
INSERT INTO iv_rows SELECT id, t, u, z, d, i, n, c, v, w, n, c FROM iv_rows WHERE id < 50;
SELECT agrees(q) FROM unnest(ARRAY['SELECT t - u, count(*), sum(t - u), avg(u - t), min(t - u) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1',
	'SELECT c, b, max(b), count(*), sum(c), avg(b) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1, 2', 'SELECT n, count(*) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1',
	'SELECT v, sum(i), avg(n), max(n), min(a), sum(a), count(a) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1', 'SELECT extract(epoch FROM a), count(*) FROM iv_rows WHERE w LIKE ''w%'' AND a > ''1 day'' GROUP BY 1',
	'SELECT to_char(t, ''YYYY-MM''), to_char(z, ''YYYY-MM-DD HH24:MI''), to_char(d, ''IYYY-IW''), count(*) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1, 2, 3',
	'SELECT z + a, floor(extract(epoch FROM t) / 60), date_bin(''1 h'', t, ''2001-01-01''), count(*) FROM iv_rows WHERE w LIKE ''w%'' GROUP BY 1, 2, 3',
	'SELECT count(*), sum(i), min(c) FROM iv_rows TABLESAMPLE BERNOULLI (40) REPEATABLE (3) WHERE i > interval ''1 day'' AND w LIKE ''w%''']) q;
-- which patterns are keys
SELECT p, agrees(format('SELECT to_char(t, %L), count(*) FROM iv WHERE id < 7000 GROUP BY 1', p), 'try') FROM unnest(ARRAY['YYYY', 'YYYYMM', 'YYYY-"Q"Q', 'IYYYIW', 'IYYY-"W"IW-ID', 'YYYY-MM-DD"T"HH24:MI:SS',
	'FMMonth YYYY', 'FMDD.FMMM.YYYY', 'YYYYFMMMFMDD', 'YYYYFMMM""FMDD', 'YYYYFMMM"1"DD', 'Month', 'YY-MM', 'YYYY-DD', 'YYYY-IW', 'IYYY-MM', 'YYYY-MM-DD HH12', 'YYYY-MM-DD HH:MI', 'YYYY-MM-DD TZ', 'DDTH YYYY MM', 'TMMonth YYYY', 'YYYY-MM-DD HH24:MI:SS.MS', 'Y,YYY MM', '']) p;
EXPLAIN (COSTS OFF) SELECT to_char(t, 'YYYY-MM'), i, count(*), avg(t - u), min(i) FROM iv GROUP BY 1, 2;
-- sums and keys that PostgreSQL computes
SELECT q, agrees(q, 'prefer') FROM unnest(ARRAY['SELECT sum(n + interval ''1 day'') FROM iv', 'SELECT c + interval ''1 hour'', count(*) FROM iv GROUP BY 1']) q;
SELECT agrees(q, 'try') FROM unnest(ARRAY['SELECT sum(extract(epoch FROM i * 2)), count(*) FROM iv', 'SELECT (i * 2)::text, count(*) FROM iv GROUP BY i * 2, i::text', 'SELECT greatest(i, n)::text, count(*) FROM iv GROUP BY greatest(i, n), i::text, n::text',
	'SELECT justify_hours(i)::text, count(*) FROM iv GROUP BY justify_hours(i), i::text']) q;
-- parameters and plans that stay
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
PREPARE iv_moved(interval, interval) AS SELECT z + $1, count(*) FROM iv WHERE z > timestamptz '2023-11-02 00:00+00' - $2 AND z < timestamptz '2023-10-29 02:00+00' AND y - z < $2 * 1000 GROUP BY 1 ORDER BY 1 LIMIT 3;
EXECUTE iv_moved('1 day', '1 month');
EXECUTE iv_moved('0', '1 month 1 day');
EXECUTE iv_moved('1 month 1 hour', '40 days');
EXECUTE iv_moved(NULL, '1 month');
SET gpuagg.debug_require = 'allow';
RESET plan_cache_mode;
DEALLOCATE iv_moved;
DROP FUNCTION in_zone, agrees;
DROP TABLE iv, iv_rows, iv_query, iv_edge, iv_ts, iv_iv, iv_both, iv_local, iv_epoch;
