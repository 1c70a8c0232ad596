--
-- Dates and timestamps: arithmetic, comparison, date_trunc, extract, casts.
--
\a
\t on
SET timezone = 'UTC';
CREATE TABLE dt (n int4, d date, ts timestamp, tz timestamptz, i int4);
INSERT INTO dt
SELECT n, ts::date, ts, ts AT TIME ZONE 'UTC', n % 13 - 6
FROM (SELECT n, '2000-01-01'::timestamp + ((n * 7919) % 200003 - 100000) * interval '11 days 7 hours 13 minutes 59.123457 seconds' AS ts
	  FROM generate_series(1, 1500) n) x
WHERE ts > '4712-01-01 BC';
INSERT INTO dt
SELECT 10000 + row_number() OVER (), d::date, d::timestamp, d::timestamptz, 0
FROM unnest(ARRAY['2000-01-01', '1999-12-31', '2000-12-31', '2001-01-01', '2004-02-29', '1900-02-28', '1900-03-01', '0001-01-01', '0001-12-31 BC', '0005-02-28 BC',
	'0100-12-31 BC', '0101-01-01 BC', '1000-12-31', '1001-01-01', '2026-01-01', '2020-12-31', '2021-01-03', '2021-01-04']) d;
INSERT INTO dt VALUES (20000, NULL, NULL, NULL, NULL);
ANALYZE dt;
SELECT f, compare(format('SELECT extract(%s FROM d) AS k, count(*), sum(n) FROM dt GROUP BY 1', f)),
	   compare(format('SELECT extract(%s FROM ts) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), CASE WHEN f LIKE '%second%' THEN 'try' ELSE 'require' END)
FROM unnest(ARRAY['year', 'month', 'day', 'dow', 'isodow', 'doy', 'week', 'isoyear', 'quarter', 'decade', 'century', 'millennium']) f;
SELECT f, compare(format('SELECT extract(%s FROM ts) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'try'),
	   compare(format('SELECT extract(%s FROM tz) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'try'),
	   compare(format('SELECT extract(%s FROM d) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'try'),
	   compare(format('SELECT date_part(%L, ts) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'try')
FROM unnest(ARRAY['hour', 'minute', 'second', 'milliseconds', 'microseconds', 'epoch', 'julian', 'timezone', 'year', 'month', 'dow', 'nonsense']) f;
SELECT f, compare(format('SELECT date_trunc(%L, ts) AS k, count(*), sum(n) FROM dt GROUP BY 1', f))
FROM unnest(ARRAY['microseconds', 'milliseconds', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium']) f;
SELECT f, compare(format('SELECT date_trunc(%L, d) AS k, count(*), sum(n) FROM dt WHERE d < ''200000-01-01'' GROUP BY 1', f), 'try'),
	   compare(format('SELECT date_trunc(%L, tz) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'try')
FROM unnest(ARRAY['day', 'week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium', 'hour', 'nonsense']) f;
-- date_trunc of a date is a timestamptz of the session's zone
SET timezone = 'America/Sao_Paulo';
SELECT compare('SELECT date_trunc(''month'', d) AS k, count(*), sum(n) FROM dt WHERE d BETWEEN ''1900-01-01'' AND ''2100-01-01'' GROUP BY 1', 'try');
SELECT compare('SELECT date_trunc(''day'', tz) AS k, count(*), sum(n) FROM dt GROUP BY 1', 'try');
SELECT compare('SELECT tz::date AS k, count(*), sum(n) FROM dt GROUP BY 1', 'try');
SELECT compare('SELECT tz::timestamp AS k, ts::timestamptz, count(*) FROM dt WHERE ts BETWEEN ''1900-01-01'' AND ''2100-01-01'' GROUP BY 1, 2', 'try');
SELECT compare('SELECT count(*) FROM dt WHERE d = tz OR ts > tz', 'try');
SET timezone = 'UTC';
-- the integral numeric of extract in further expressions
SELECT e, compare(format('SELECT %s AS k, count(*), sum(n) FROM dt GROUP BY 1', e), 'try')
FROM unnest(ARRAY['extract(year FROM d)::int4', 'extract(year FROM d)::int8', 'extract(month FROM ts)::int2', 'extract(dow FROM d) IN (0, 6)', 'extract(year FROM d) > 2000', 'extract(year FROM d) = 1999',
	'extract(year FROM d) BETWEEN 1990 AND 2010', 'extract(year FROM d) + 1', 'extract(year FROM d) * 12 + extract(month FROM d)', '(extract(year FROM d) / 10)::int4', 'extract(year FROM d)::float8',
	'CASE WHEN extract(month FROM d) <= 6 THEN 1 ELSE 2 END']) e;
SELECT e, compare(format('SELECT i, %s FROM dt GROUP BY i', e), 'try')
FROM unnest(ARRAY['sum(extract(year FROM d))', 'max(extract(year FROM d))', 'avg(extract(day FROM ts))', 'count(extract(year FROM d))', 'sum(extract(year FROM d)::int4)']) e;
-- arithmetic and casts
SELECT e, compare(format('SELECT %s AS k, count(*), sum(n) FROM dt GROUP BY 1', e))
FROM unnest(ARRAY['d + i', 'd - i', 'd - ''2000-01-01''::date', 'ts::date', 'd::timestamp', '(d + 1)::timestamp']) e;
SELECT e, compare(format('SELECT count(*), sum(n) FROM dt WHERE %s', e), 'try')
FROM unnest(ARRAY['d > ''1999-06-01''', 'd = ''2000-01-01''', 'd <= ts', 'ts = d', 'ts < ''2000-01-01 12:00''', 'tz >= ''2000-01-01 00:00+05''', 'd + 30 > ''2000-01-01''', 'ts BETWEEN ''1990-01-01'' AND ''1990-12-31''', 'd < ts + interval ''1 day''', 'd - d = 0', 'ts - ts = interval ''0''', 'd > current_date', 'tz > now()', 'd + interval ''1 month'' > ts']) e;
SELECT compare('SELECT i, min(d), max(d), min(ts), max(ts), min(tz), max(tz), count(d) FROM dt GROUP BY i');
SELECT compare('SELECT i, min(d + i), max(ts::date - d), min(date_trunc(''year'', ts)) FROM dt GROUP BY i');
-- the ends of what a timestamp holds
INSERT INTO dt SELECT 50000, d::date, d::timestamp, d::timestamptz, 1 FROM unnest(ARRAY['4713-01-01 BC', '4714-11-24 BC', '294276-12-31']) d;
SELECT f, compare(format('SELECT date_trunc(%L, ts) AS k, count(*), sum(n) FROM dt GROUP BY 1', f), 'prefer'),
	   compare(format('SELECT extract(%s FROM ts) AS k, extract(%1$s FROM d), count(*), sum(n) FROM dt GROUP BY 1, 2', f), 'prefer')
FROM unnest(ARRAY['day', 'week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium']) f;
DELETE FROM dt WHERE n = 50000;
-- a zone of the user's own that skips 2018-03-11, and such days each year
CREATE TABLE dt_skip AS SELECT '2017-01-01'::date + i AS d FROM generate_series(0, 3000) i;
SET timezone = 'AAA12BBB-12,M3.2.0/0,M11.1.0/0';
SELECT date_trunc('day', d)::date AS "2018-03-11 is" FROM dt_skip WHERE d = '2018-03-11';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1', 'try');
SET timezone = 'AAA12BBB-12';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1', 'try');
SET timezone = 'AAA12_BB-12,M3.2.0/0,M11.1.0/0';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1', 'try');
SET timezone = '<AAA>12<BBB>-12,M3.2.0/0,M11.1.0/0';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1', 'try');
SET timezone = '<+0530>-05:30';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1');
SET timezone = '<+03>-3';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1');
SET timezone = 'EST5EDT';
SELECT compare('SELECT date_trunc(''day'', d)::date AS k, count(*) FROM dt_skip GROUP BY 1');
DROP TABLE dt_skip;
SET timezone = 'UTC';
-- out of range
SELECT e, compare(format('SELECT sum(i), max(%s) FROM dt', e))
FROM unnest(ARRAY['d + 2147483647', 'd - 2147483647', 'd + 2100000000']) e;
INSERT INTO dt VALUES (30000, '5874897-12-31', NULL, NULL, 1);
SELECT e, compare(format('SELECT max(%s) FROM dt', e), 'prefer') FROM unnest(ARRAY['d::timestamp', 'd + 1', 'date_trunc(''year'', d)']) e;
-- infinities need PostgreSQL where there is no number
INSERT INTO dt VALUES (40000, 'infinity', 'infinity', 'infinity', 2), (40001, '-infinity', '-infinity', '-infinity', 2);
DELETE FROM dt WHERE n = 30000;
SELECT e, compare(format('SELECT %s AS k, count(*), sum(n) FROM dt GROUP BY 1', e), 'prefer')
FROM unnest(ARRAY['extract(year FROM d)', 'extract(year FROM ts)', 'extract(month FROM d)', 'date_trunc(''month'', ts)', 'd + 1', 'd - ''2000-01-01''::date', 'd::timestamp', 'ts::date']) e;
SELECT compare('SELECT count(*), sum(n) FROM dt WHERE extract(year FROM d) > 2000', 'prefer');
SELECT compare('SELECT count(*), sum(n) FROM dt WHERE d < ''2500-01-01'' AND d > ''-infinity'' AND extract(month FROM d) = 2', 'prefer');
DROP TABLE dt;
RESET timezone;
