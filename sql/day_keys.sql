--
-- date_trunc(unit of days, timestamp) as a key: devices group by days, and the node shows timestamps.
--
\a
\t on
CREATE TABLE dk AS
SELECT i AS id, i % 7 AS g, (i % 100)::numeric(10, 2) AS n,
	   CASE WHEN i % 101 = 0 THEN NULL WHEN i % 103 = 0 THEN 'infinity' WHEN i % 107 = 0 THEN '-infinity' ELSE '2023-12-30'::timestamp + i * interval '97 min 3.000001 s' END AS t,
	   '2023-12-30'::timestamptz + i * interval '3 hours 7 sec' AS x
FROM generate_series(1, 20000) i;
-- before our era, the first and the last day, turns of days, centuries and leap years
INSERT INTO dk SELECT -o, o % 3, o, t, '2024-03-31 00:59:59.999999+00' FROM unnest(ARRAY[
	'4713-01-01 00:00 BC', '0001-12-31 23:59:59.999999 BC', '0001-01-01', '1582-10-15', '1899-12-31 23:59:59.999999', '1900-02-28 24:00', '2000-02-29 12:00', '1999-12-31 23:59:59.999999',
	'2000-01-01', '294276-12-31 23:59:59.999999']::timestamp[]) WITH ORDINALITY t(t, o);
VACUUM ANALYZE dk;
SET TimeZone = 'Europe/Berlin';
SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT date_trunc(''day'', t), count(*), sum(n), min(t), max(t) FROM dk GROUP BY 1', 'SELECT date_trunc(''week'', t), date_trunc(''month'', t), count(*) FROM dk GROUP BY 1, 2',
	'SELECT date_trunc(''quarter'', t), g, count(t) FROM dk GROUP BY 1, 2', 'SELECT date_trunc(''century'', t), date_trunc(''decade'', t), count(*) FROM dk WHERE id > -1 GROUP BY 1, 2',
	'SELECT date_trunc(''day'', x AT TIME ZONE ''Europe/Berlin''), count(*), sum(n) FROM dk GROUP BY 1', 'SELECT date_trunc(''week'', x::timestamp), count(*) FROM dk GROUP BY 1', 'SELECT date_trunc(''day'', x AT TIME ZONE ''Europe/Berlin'') AT TIME ZONE ''Europe/Berlin'', count(*) FROM dk GROUP BY 1',
	'SELECT date_trunc(''day'', t + interval ''3 days 5 hours''), count(*) FROM dk WHERE id > -10 GROUP BY 1', 'SELECT date_trunc(''day'', date_bin(''5 days'', t, ''2001-01-01'')), count(*) FROM dk WHERE id > 0 AND isfinite(t) GROUP BY 1', 'SELECT date_trunc(''hour'', t), count(*) FROM dk GROUP BY 1',
	-- what is made of the key
	'SELECT date_trunc(''day'', t) + interval ''1 hour'', extract(dow FROM date_trunc(''day'', t)), count(*) FROM dk GROUP BY date_trunc(''day'', t)', 'SELECT DISTINCT date_trunc(''month'', t) FROM dk',
	'SELECT date_trunc(''year'', t), to_char(date_trunc(''year'', t), ''YYYY BC''), count(*) FROM dk WHERE isfinite(t) GROUP BY 1', 'SELECT date_trunc(''month'', t) AS m, lag(count(*)) OVER (ORDER BY date_trunc(''month'', t)) FROM dk GROUP BY 1',
	-- groups that are wanted
	'SELECT date_trunc(''day'', t) AS d, count(*) FROM dk GROUP BY 1 ORDER BY 1 DESC LIMIT 3', 'SELECT date_trunc(''day'', t) AS d, count(*) FROM dk GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT 4', 'SELECT date_trunc(''day'', t) AS d, count(*) FROM dk GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 4',
	'SELECT date_trunc(''day'', t), count(*) FROM dk GROUP BY 1 HAVING date_trunc(''day'', t) > ''2024-03-01'' AND count(*) > 3', 'SELECT date_trunc(''day'', t), count(*) FROM dk GROUP BY ROLLUP (1) HAVING date_trunc(''day'', t) > ''2024-03-01'' AND count(*) > 3',
	-- groups that are made of finer ones
	'SELECT g, count(DISTINCT date_trunc(''day'', t)), min(date_trunc(''day'', t)), max(date_trunc(''week'', t)) FROM dk GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY date_trunc(''day'', t)), mode() WITHIN GROUP (ORDER BY date_trunc(''month'', t)) FROM dk GROUP BY g', 'SELECT date_trunc(''day'', t), g, count(DISTINCT id % 10), sum(n) FROM dk GROUP BY CUBE (1, 2)',
	'SELECT date_trunc(''month'', t), count(DISTINCT date_trunc(''day'', t)), GROUPING(date_trunc(''month'', t)) FROM dk GROUP BY GROUPING SETS ((1), ())', 'SELECT date_trunc(''day'', t), bool_or(g > 3), max(upper(g::text)) FROM dk GROUP BY 1',
	-- behind a join, of several tables
	'SELECT b.g, date_trunc(''month'', a.t), count(*) FROM dk a JOIN dk b ON a.id = b.id GROUP BY 1, 2', 'SELECT date_trunc(''month'', b.t), count(*) FROM dk a JOIN dk b ON a.id = b.id GROUP BY 1', 'SELECT date_trunc(''month'', t), count(*) FROM (SELECT t FROM dk UNION ALL SELECT x::timestamp FROM dk) u GROUP BY 1']) q;
-- an error of PostgreSQL's: the month of the first day, a Monday, begins before all timestamps
CREATE TABLE dk_first AS SELECT '4714-11-24 00:00 BC'::timestamp AS t;
SELECT compare('SELECT date_trunc(''month'', t), count(*) FROM dk_first GROUP BY 1'), compare('SELECT date_trunc(''week'', t), date_trunc(''day'', t), count(*) FROM dk_first GROUP BY 1, 2');
DROP TABLE dk_first;
-- rows of a table that no device reads are grouped by PostgreSQL, whose groups join these
CREATE TEMP TABLE dk_temp AS SELECT id, t FROM dk WHERE id < 500;
SELECT compare('SELECT date_trunc(''day'', t), count(*), avg(id) FROM (SELECT id, t FROM dk UNION ALL SELECT id, t FROM dk_temp) u GROUP BY 1');
-- from what the device keeps, and prepared
SELECT gpuagg.load('dk') > 0;
SELECT compare('SELECT date_trunc(''day'', t), count(*), sum(n) FROM dk GROUP BY 1'), compare('SELECT date_trunc(''day'', x AT TIME ZONE ''Europe/Berlin''), sum(n) FROM dk GROUP BY 1');
SET gpuagg.debug_require = 'require';
PREPARE dk_days AS SELECT date_trunc('day', t) AS d, count(*) FROM dk WHERE t >= $1 AND t < $2 GROUP BY 1 ORDER BY 1;
EXECUTE dk_days('2024-02-28', '2024-03-02');
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE dk_days('2024-02-28', '2024-03-02');
DEALLOCATE dk_days;
RESET gpuagg.debug_require;
RESET TimeZone;
DROP TABLE dk, dk_temp;
