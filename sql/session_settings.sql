--
-- Text of values is as the session's settings have it when a query runs: TimeZone, DateStyle,
-- IntervalStyle, extra_float_digits and bytea_output, changed between runs of one plan, while
-- columns and what is looked up stay on the device.
--
\a
\t on
SET client_min_messages = warning;
CREATE TABLE stx (id int, a int, f float8, iv interval, b bytea, ts timestamptz, d date) WITH (autovacuum_enabled = off);
INSERT INTO stx SELECT i, i % 50, (i % 4) / 3.0, (i % 3) * interval '26 hours 3 min', decode('4100' || i % 3 || '7', 'hex'),
	timestamptz '2024-03-10 05:30:00+00' + i % 5 * interval '37 min', date '2024-01-30' + i % 3
FROM generate_series(1, 20000) i;
CREATE TABLE std (k int PRIMARY KEY, f float8, iv interval, b bytea, ts timestamptz, d date) WITH (autovacuum_enabled = off);
INSERT INTO std SELECT i, (i % 4) / 7.0, (i % 3) * interval '1 mon 5 hours', decode('00' || i % 3 || '9', 'hex'),
	timestamptz '2024-11-03 05:30:00+00' + i % 5 * interval '37 min', date '2024-02-28' + i % 3
FROM generate_series(0, 49) i;
VACUUM (FREEZE, ANALYZE) stx, std;
SELECT gpuagg.load('stx') > 0, gpuagg.load('std') > 0;
CREATE TABLE st_queries AS SELECT * FROM (VALUES
	(1, 'SELECT f::text, iv::text, b::text, count(*) FROM stx GROUP BY 1, 2, 3'),
	(2, 'SELECT ts::text, d::text, count(*), min(id) FROM stx GROUP BY 1, 2'),
	(3, 'SELECT ts::date, extract(hour FROM ts), count(*) FROM stx GROUP BY 1, 2'),
	(4, 'SELECT date_trunc(''day'', ts), count(*), max(ts::text) FROM stx WHERE ts::date = date ''2024-03-10'' GROUP BY 1'),
	(5, 'SELECT count(DISTINCT f::text), max(iv::text), min(b::text), max(d::text) FROM stx'),
	(6, 'SELECT std.f::text, std.iv::text, std.b::text, count(*) FROM stx JOIN std ON a = k GROUP BY 1, 2, 3'),
	(7, 'SELECT std.ts::text, std.d::text, count(*) FROM stx JOIN std ON a = k GROUP BY 1, 2'),
	(8, 'SELECT std.ts::date, count(*) FROM stx JOIN std ON a = k WHERE date_trunc(''day'', std.ts) > timestamptz ''2024-11-02'' GROUP BY 1'),
	(9, 'SELECT stx.iv::text = std.iv::text, count(*) FROM stx JOIN std ON a = k GROUP BY 1')) q (n, query);
-- each of them with PostgreSQL and on the device, by plans made before the settings were
CREATE FUNCTION st_answer(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('EXECUTE st_%s_%s', current_setting('gpuagg.enable'), n) INTO answer;
	RETURN answer;
END $$;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.enable = off;
SELECT format('PREPARE st_off_%s AS SELECT string_agg(x::text, E''\n'' ORDER BY x::text) FROM (%s) x', n, query) FROM st_queries ORDER BY n \gexec
SET gpuagg.enable = on;
SET gpuagg.debug_require = 'prefer';
SELECT format('PREPARE st_on_%s AS SELECT string_agg(x::text, E''\n'' ORDER BY x::text) FROM (%s) x', n, query) FROM st_queries ORDER BY n \gexec
CREATE FUNCTION st_same(settings text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	setting text;
	stock text;
	device text;
	answers text := '';
	wrong text := '';
	q int;
BEGIN
	FOREACH setting IN ARRAY string_to_array(settings, ';') LOOP
		EXECUTE 'SET ' || setting;
	END LOOP;
	FOR q IN SELECT n FROM st_queries ORDER BY n LOOP
		PERFORM set_config('gpuagg.enable', 'off', false);
		stock := st_answer(q);
		PERFORM set_config('gpuagg.enable', 'on', false);
		device := st_answer(q);
		answers := answers || device;
		IF stock IS DISTINCT FROM device THEN
			wrong := wrong || format(E'\n%s: %s, not %s', q, device, stock);
		END IF;
	END LOOP;
	wrong := CASE wrong WHEN '' THEN 'PostgreSQL''s answers' ELSE wrong END ||
		CASE WHEN current_setting('st.answers', true) <> md5(answers) THEN ', which are others than before' ELSE '' END;
	PERFORM set_config('st.answers', md5(answers), false);
	RETURN settings || ': ' || wrong;
END $$;
SELECT st_same('TimeZone = UTC');
-- these run on the device
CREATE FUNCTION st_on_device(n int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) EXECUTE st_on_%s', n) LOOP
		IF line LIKE '%(GpuAgg)%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT string_agg(n::text, ', ' ORDER BY n) FROM st_queries WHERE st_on_device(n);
SELECT st_same(s) FROM unnest(ARRAY[
	'TimeZone = ''America/New_York''',
	'TimeZone = ''Asia/Kathmandu'';DateStyle = ''German''',
	'DateStyle = ''SQL, DMY'';IntervalStyle = iso_8601',
	'extra_float_digits = -10;bytea_output = escape',
	'extra_float_digits = 0;IntervalStyle = sql_standard;TimeZone = ''+05:30''',
	'TimeZone = UTC;DateStyle = ISO;IntervalStyle = postgres;bytea_output = hex;extra_float_digits = 1']) WITH ORDINALITY u (s, n)
ORDER BY n;
DEALLOCATE ALL;
RESET plan_cache_mode;
DROP FUNCTION st_same, st_answer, st_on_device;
DROP TABLE stx, std, st_queries;
