--
-- timestamptz in the session's time zone and in others.
--
\a
\t on
-- every quarter of an hour around changes of offset would be many rows: days around the usual dates of change
-- of all years, hours of some years, seconds of local mean times, both ends
CREATE TABLE tz (id int4, x timestamptz, v int4);
INSERT INTO tz SELECT row_number() OVER (), x, (row_number() OVER ()) % 100 FROM (
	SELECT make_timestamptz(y, m, d, h, 30 * (d % 2), 15, 'UTC') AS x
	FROM generate_series(1883, 2098, 5) y, unnest('{3,4,9,10,11}'::int4[]) m, generate_series(1, 30, 3) d, unnest('{0,1,7,23}'::int4[]) h
	UNION ALL
	SELECT generate_series('2011-12-28'::timestamptz, '2012-01-02', '17 min')
	UNION ALL
	SELECT generate_series('2018-11-03 20:00+00'::timestamptz, '2018-11-05 12:00+00', '13 min')
	UNION ALL
	SELECT generate_series('2024-03-30 00:00+00'::timestamptz, '2024-04-08 00:00+00', '29 min')
	UNION ALL
	SELECT generate_series('1972-01-06 00:00+00'::timestamptz, '1972-01-08 00:00+00', '601.5 s')
	UNION ALL
	SELECT unnest('{infinity,-infinity,NULL,1970-01-01 00:00+00,1999-12-31 23:59:59.999999+00,2000-01-01 00:00+00}'::timestamptz[])) y;
CREATE TABLE tz_beyond AS SELECT id, x + '400 years' AS x, v FROM tz WHERE id <= 100;
ANALYZE tz, tz_beyond;
CREATE TABLE tz_query AS SELECT row_number() OVER () AS no, q FROM unnest(ARRAY[
	'SELECT x::timestamp, count(*) FROM tz GROUP BY 1',
	'SELECT date_trunc(''day'', x), count(*), sum(v) FROM tz GROUP BY 1',
	'SELECT date_trunc(''week'', x), date_trunc(''month'', x), count(*) FROM tz GROUP BY 1, 2',
	'SELECT date_trunc(''year'', x), count(*) FROM tz GROUP BY 1 HAVING count(*) > 3',
	'SELECT date_trunc(''hour'', x), count(*), min(x) FROM tz GROUP BY 1',
	'SELECT date_trunc(''minute'', x), max(date_trunc(''second'', x)) FROM tz GROUP BY 1',
	'SELECT x::date, count(*), max(date_trunc(''day'', x)) FROM tz GROUP BY 1',
	'SELECT date_trunc(''month'', x)::date, count(*) FROM tz GROUP BY 1',
	'SELECT extract(hour FROM x), extract(dow FROM x), count(*) FROM tz WHERE id < 8000 AND x > ''-infinity'' AND x < ''infinity'' GROUP BY 1, 2',
	'SELECT date_part(''month'', x), count(*) FROM tz WHERE x > ''1900-01-01'' AND x < ''2090-01-01'' GROUP BY 1',
	'SELECT count(*) FROM tz WHERE x::date BETWEEN ''2012-01-01'' AND ''2012-01-02''',
	'SELECT v, count(*) FROM tz WHERE date_trunc(''hour'', x)::timestamp < ''2018-11-04 10:00'' GROUP BY v',
	'SELECT x AT TIME ZONE ''Australia/Lord_Howe'', count(*) FROM tz GROUP BY 1',
	'SELECT date_trunc(''day'', x AT TIME ZONE ''America/Sao_Paulo''), extract(year FROM x::date), count(*) FROM tz WHERE x::date < ''infinity'' AND x::date > ''-infinity'' GROUP BY 1, 2']) q;

-- how many groups there are is for the time zone database to say
CREATE FUNCTION agrees(query text, mode text DEFAULT 'require') RETURNS text LANGUAGE sql AS
$$ SELECT regexp_replace(compare(query, mode), ': [0-9]+ rows?$', '') $$;
-- in zones with summer time, for all of the year, too, midnights that do not exist, half hours, seconds, skipped days, and none of these
CREATE FUNCTION in_zone(zone text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	answer := agrees(query, 'prefer');
	RETURN answer;
END
$$;
SELECT zone, string_agg(no || ': ' || in_zone(zone, q), ', ' ORDER BY no)
FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Australia/Lord_Howe',
	'Africa/Monrovia', 'Pacific/Apia', 'Asia/Tehran', '<+0330>-03:30', 'CET-1CEST', 'A1B,0/0,J365/25']) WITH ORDINALITY z(zone, n), tz_query
WHERE zone IN ('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Africa/Monrovia') OR no IN (2, 5, 7, 9) GROUP BY zone, n ORDER BY n;
-- all of it on the device, where no zone skips days and no year is beyond the table
SET TimeZone = 'Europe/Berlin';
SELECT no, agrees(q) FROM tz_query ORDER BY no;
-- summer time goes on by the calendar: 400 years later no value is PostgreSQL's
SELECT compare('SELECT x::date, count(*) FROM tz_beyond GROUP BY 1'), compare('SELECT v, count(x::date) FROM tz_beyond WHERE x < ''2300-01-01'' GROUP BY v');

-- no year is beyond a zone's table, but that there is a beginning where summer time was always; the Ramadans of Casablanca end in 2087
CREATE TABLE tz_ends AS SELECT i AS id, m::timestamptz AS x, m::timestamptz AT TIME ZONE 'UTC' AS l FROM unnest(ARRAY['-infinity', '4713-01-04 00:00+00 BC', '0044-03-15 11:00+00 BC', '0001-01-01 00:00+00', '1492-10-12 06:07:08+00', '1799-12-31 23:59:59+00',
	'1890-01-01 00:00+00', '2020-07-01 12:00+00', '2099-12-30 00:00+00', '2131-12-31 00:00+00', '2132-01-01 00:00+00', '9999-12-31 23:59:59+00', '294276-12-20 00:00+00', 'infinity']) WITH ORDINALITY m(m, i);
-- hours of days around changes, in years of several calendars, centuries of both kinds and the last year: gaps and hours that come twice,
-- also at the year's turn
CREATE TABLE tz_later AS SELECT row_number() OVER () AS id, x, x AT TIME ZONE 'UTC' AS l FROM (SELECT make_timestamptz(y, m, d, h, 30 * (h % 2), 0, 'UTC') AS x
	FROM unnest('{2100,2131,2132,2133,2204,2300,2400,9999,294276}'::int4[]) y, unnest('{3,4,9,10,11}'::int4[]) m, generate_series(1, 30) d, generate_series(0, 23) h
	UNION ALL SELECT generate_series(make_timestamptz(y, 12, 29, 0, 0, 0, 'UTC'), make_timestamptz(y + 1, 1, 3, 0, 0, 0, 'UTC'), '45 min') FROM unnest('{2099,2131,2203,2399,9999}'::int4[]) y) t;
ANALYZE tz_ends, tz_later;
CREATE FUNCTION ends(zone text, condition text, tab text DEFAULT 'tz_ends') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	RETURN (SELECT string_agg(DISTINCT split_part(compare(format(q, tab, condition)), ':', 1), ' ') FROM unnest(ARRAY['SELECT x::date, x::timestamp, count(*) FROM %s WHERE %s GROUP BY 1, 2',
		'SELECT date_trunc(''month'', x), min(date_trunc(''hour'', x)) FROM %s WHERE %s GROUP BY 1', 'SELECT id, sum(extract(year FROM x)), max(extract(hour FROM x)) FROM %s WHERE %s AND isfinite(x) GROUP BY 1',
		'SELECT l::timestamptz, count(*) FROM %s WHERE %s GROUP BY 1', 'SELECT count(*) FROM %s WHERE %s AND x::date > ''1000-01-01''']) q);
END $$;
SELECT z, ends(z, 'id > 0') FROM unnest(ARRAY['UTC', 'Asia/Tokyo', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Africa/Monrovia', '<+0330>-03:30', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe',
	'Europe/Dublin', 'Africa/Casablanca', 'America/Santiago', 'Asia/Gaza', 'Pacific/Chatham', 'Antarctica/Troll']) z;
SELECT z, ends(z, 'id > 0', 'tz_later') FROM unnest(ARRAY['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Europe/Dublin', 'America/Santiago', 'Asia/Gaza', 'Pacific/Chatham', 'Africa/Casablanca', 'CET-1CEST']) z;
SELECT ends('CET-1CEST', 'id > 6');
SELECT compare('SELECT x::date, count(*) FROM tz_ends GROUP BY 1', 'prefer'), compare('SELECT l::timestamptz, count(*) FROM tz_ends GROUP BY 1', 'prefer') FROM (SELECT set_config('TimeZone', 'CET-1CEST', true) OFFSET 0) z;
-- a zone whose summer begins at the year's turn is left to PostgreSQL from 2132 on
SELECT ends('AAA0BBB,J1/0,J180/0', 'x > ''2132-01-01''', 'tz_later');
SELECT compare('SELECT x::date, x::timestamp, count(*) FROM tz_later GROUP BY 1, 2', 'prefer'), compare('SELECT l::timestamptz, count(*) FROM tz_later GROUP BY 1', 'prefer') FROM (SELECT set_config('TimeZone', 'AAA0BBB,J1/0,J180/0', true) OFFSET 0) z;
DROP TABLE tz_later;
DROP FUNCTION ends;
DROP TABLE tz_ends;

-- months are looked up in the zone's table: around each month's beginning of the years that it knows, and some on both sides; where an
-- offset changes there, too, also back into the month before
CREATE TABLE tz_months AS SELECT row_number() OVER () AS id, x, x AT TIME ZONE 'UTC' AS l FROM (
	SELECT m AT TIME ZONE 'UTC' + d AS x FROM generate_series('1969-10-01'::timestamp, '2070-04-01', '1 month') m, (
		SELECT h * interval '45 min' FROM generate_series(-18, 18) h
		UNION ALL SELECT (h * interval '1 hour') - interval '1 us' FROM generate_series(-14, 12, 2) h
		UNION ALL SELECT h * interval '1 hour' FROM generate_series(-14, 12, 2) h
		UNION ALL SELECT interval '12 days 01:02:03') o(d)
	UNION ALL SELECT unnest('{infinity,-infinity,NULL,4713-01-04 00:00+00 BC,1582-10-15 00:00+00,294276-12-20 00:00+00}'::timestamptz[])) y;
ANALYZE tz_months;
CREATE FUNCTION months(zone text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	RETURN (SELECT string_agg(DISTINCT split_part(compare(q, 'prefer'), ':', 1), ' ') FROM unnest(ARRAY['SELECT to_char(x, ''YYYY-MM''), count(*), min(x), max(x) FROM tz_months WHERE id < 60000 GROUP BY 1',
		'SELECT date_trunc(''month'', x), count(*), min(x), max(x) FROM tz_months GROUP BY 1', 'SELECT date_trunc(''quarter'', x)::date, count(*) FROM tz_months GROUP BY 1',
		'SELECT extract(year FROM x), extract(month FROM x), extract(quarter FROM x), count(*) FROM tz_months WHERE isfinite(x) GROUP BY 1, 2, 3',
		'SELECT to_char(x, ''YYYY'') AS y, date_trunc(''century'', x), extract(decade FROM x), count(*) FROM tz_months WHERE x > ''1900-01-01'' AND isfinite(x) GROUP BY 1, 2, 3',
		'SELECT count(*), max(date_trunc(''month'', x)), min(date_trunc(''year'', x)) FROM tz_months WHERE date_trunc(''month'', x) > ''2023-02-28 12:34''',
		'SELECT count(*), sum(id) FROM tz_months WHERE isfinite(x) AND extract(month FROM x) IN (1, 10) AND date_part(''year'', x) BETWEEN 1969 AND 2010']) q);
END $$;
SELECT z, months(z) FROM unnest(ARRAY['UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Monrovia', '<+0330>-03:30',
	'AAA0BBB,J32/0:30,J60/0:30', 'AAA12BBB-12,J121/0,J274/0']) z;
-- in a zone that is named, and of local time as it is cast
SELECT string_agg(DISTINCT split_part(compare(q), ':', 1), ' ') FROM unnest(ARRAY[
	'SELECT date_trunc(''month'', x AT TIME ZONE ''America/New_York''), to_char(x AT TIME ZONE ''Asia/Tokyo'', ''YYYY-MM''), count(*) FROM tz_months WHERE id < 60000 GROUP BY 1, 2',
	'SELECT date_trunc(''year'', x::timestamp), extract(month FROM x::timestamp), count(*) FROM tz_months WHERE isfinite(x) GROUP BY 1, 2',
	'SELECT extract(year FROM x AT TIME ZONE ''Pacific/Apia''), date_trunc(''month'', x, ''Pacific/Apia''), count(*) FROM tz_months WHERE isfinite(x) GROUP BY 1, 2',
	'SELECT to_char(l, ''YYYY-MM''), date_trunc(''quarter'', l), count(*) FROM tz_months WHERE id < 60000 GROUP BY 1, 2',
	'SELECT x AT TIME ZONE ''Asia/Tokyo'', date_trunc(''month'', x AT TIME ZONE ''Asia/Tokyo''), date_trunc(''day'', x AT TIME ZONE ''Asia/Tokyo''), count(*) FROM tz_months WHERE id % 7 = 0 GROUP BY 1, 2, 3']) q;
DROP FUNCTION months;
-- a TimeZone a week away has no table: nothing is skipped by it
CREATE TABLE tz_week AS SELECT row_number() OVER (ORDER BY g) AS id, g AS x FROM generate_series('2011-12-15 00:00+00'::timestamptz, '2012-01-15', '9 s') g;
VACUUM (FREEZE, ANALYZE) tz_week;
SELECT gpuagg.load('tz_week') > 0;
CREATE FUNCTION weeks(zone text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', zone, true);
	RETURN (SELECT string_agg(DISTINCT compare(q, 'prefer'), ' ') FROM unnest(ARRAY['SELECT count(*), sum(id) FROM tz_week WHERE extract(year FROM x) = 2011',
		'SELECT count(*), sum(id) FROM tz_week WHERE x::timestamp < ''2012-01-01''', 'SELECT count(*), sum(id) FROM tz_week WHERE date_trunc(''hour'', x)::date = ''2012-01-01''',
		'SELECT count(*), sum(id) FROM tz_week WHERE to_timestamp(extract(epoch FROM x)::float8)::timestamp::timestamptz > ''2012-01-08 00:00+00''']) q);
END $$;
SELECT z, weeks(z) FROM unnest(ARRAY['<-30>+30', 'AAA160', 'AAA-160', 'AAA-24', 'AAA23:59', 'AAA-12BBB-36,J100/0,J200/0']) z;
DROP FUNCTION weeks;
DROP TABLE tz_week;
DROP TABLE tz_months;

-- a plan follows the setting
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
PREPARE tz_days AS SELECT date_trunc('day', x), count(*) FROM tz WHERE x BETWEEN '2018-11-03 22:00+00' AND '2018-11-04 08:00+00' GROUP BY 1 ORDER BY 1;
EXECUTE tz_days;
SET TimeZone = 'America/Sao_Paulo';
EXECUTE tz_days;
SET TimeZone = 'Asia/Tokyo';
EXECUTE tz_days;
SET TIME ZONE INTERVAL '-05:30' HOUR TO MINUTE;
EXECUTE tz_days;
DEALLOCATE tz_days;
RESET plan_cache_mode;
SET gpuagg.debug_require = 'allow';
RESET TimeZone;
EXPLAIN (COSTS OFF) SELECT date_trunc('day', x), x::date, count(*) FROM tz GROUP BY 1, 2;
-- what is not taken
SELECT compare('SELECT extract(timezone FROM x), count(*) FROM tz GROUP BY 1', 'prefer'), compare('SELECT sum(extract(timezone FROM x)), count(*) FROM tz', 'prefer');
DROP FUNCTION in_zone, agrees;
DROP TABLE tz, tz_beyond, tz_query;
