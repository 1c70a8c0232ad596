--
-- any_value, which came with PostgreSQL 16: of groups whose rows have one value, as any will do.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TYPE av_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE av AS
SELECT i AS id, i % 9 AS g, i % 9 > 4 AS b, (i % 9)::int2 AS i2, (i % 9)::int8 << 40 AS i8, (i % 9) / 4.0::float8 AS f, (i % 9 * 0.1)::float4 AS r, (i % 9 * 1.25)::numeric(10, 2) AS n,
	   (i % 9 * 0.5)::numeric AS m, '2020-01-01'::date + i % 9 AS d, '2020-01-01'::timestamp + i % 9 * interval '1 h' AS ts, '2020-01-01'::timestamptz + i % 9 * interval '1 h' AS tz, time '10:00' + i % 9 * interval '1 s' AS tm,
	   repeat('word ', i % 9) AS t, (i % 9)::text::char(4) AS c, decode(repeat('0' || i % 9, i % 9), 'hex') AS y, (ARRAY['sad', 'ok', 'happy'])[1 + i % 9 % 3]::av_mood AS e, (i % 9)::oid AS o, (i % 9)::money AS mo
FROM generate_series(1, 9000) i;
INSERT INTO av (id, g) SELECT i, NULL FROM generate_series(1, 5) i;
VACUUM ANALYZE av;
-- the same from PostgreSQL and from the device; before 16 there is nothing to ask
CREATE FUNCTION av_agrees(query text, mode text DEFAULT 'require') RETURNS bool LANGUAGE sql AS $$
	SELECT CASE WHEN current_setting('server_version_num')::int < 160000 THEN true ELSE compare(query, mode) ~ '^ok' END $$;
SELECT a.attname, av_agrees(format('SELECT g, any_value(%I), count(*) FROM av GROUP BY g', a.attname)),
	   av_agrees(format('SELECT g, any_value(%I) FILTER (WHERE id > 100), any_value(%1$I) FILTER (WHERE id < 0) FROM av GROUP BY g', a.attname)),
	   av_agrees(format('SELECT any_value(%I) FROM av WHERE g = 5', a.attname)), av_agrees(format('SELECT any_value(%I) FROM av WHERE g IS NULL', a.attname))
FROM pg_attribute a WHERE a.attrelid = 'av'::regclass AND a.attnum > 2 ORDER BY a.attnum;
SELECT av_agrees('SELECT g, any_value(lower(t)), count(DISTINCT id) FROM av GROUP BY g', 'try'), av_agrees('SELECT g, b, any_value(t) FROM av GROUP BY ROLLUP (g, b) HAVING g IS NOT NULL AND b IS NOT NULL');
DROP TABLE av;
DROP TYPE av_mood;
DROP FUNCTION av_agrees;
