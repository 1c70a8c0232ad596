--
-- Columns whose equal values may look unlike each other (floats, intervals, numerics without a
-- scale, char without a length), and numerics that no device has room for: as input of functions
-- they are told apart by what is stored.  jsonb as a key.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TABLE sv AS
SELECT i AS id, i % 7 AS g,
	   CASE i % 11 WHEN 0 THEN '-0' WHEN 1 THEN 0 WHEN 2 THEN 'NaN' WHEN 3 THEN 'Infinity' WHEN 4 THEN NULL ELSE i % 90 * 1.5 END::float8 AS f,
	   CASE i % 10 WHEN 0 THEN '-0' WHEN 1 THEN 0 WHEN 2 THEN 1e-40 ELSE i % 60 * 0.1 END::float4 AS r,
	   CASE i % 9 WHEN 0 THEN '1 mon' WHEN 1 THEN '30 days' WHEN 2 THEN '720 hours' WHEN 3 THEN NULL WHEN 4 THEN '-1 year 400 days 50:00'
			ELSE i % 50 * interval '1 day 7:00' END::interval AS v,
	   CASE i % 6 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 WHEN 2 THEN 1 WHEN 3 THEN NULL ELSE i % 40 * 0.25 END::numeric AS n,
	   CASE i % 8 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN 1e30 WHEN 3 THEN 123456789012345678901234567890.123 WHEN 4 THEN 2.50 WHEN 5 THEN 2.5 WHEN 6 THEN NULL
			ELSE i % 30 / 7.0 END::numeric AS l,
	   CASE i % 3 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' ELSE 'b  ' END::bpchar AS c, (i % 50 / 3.0)::numeric(30, 20) AS e,
	   CASE i % 5 WHEN 0 THEN '{"a": 1.0, "b": [1, true]}' WHEN 1 THEN '{"b": [1.00, true], "a": 1}' WHEN 2 THEN '[]' WHEN 3 THEN '{}'
			ELSE '"text ' || i % 3 || '"' END::jsonb AS j
FROM generate_series(1, 9000) i;
INSERT INTO sv (id, g) SELECT i, NULL FROM generate_series(9001, 9010) i;
INSERT INTO sv (id, g, j) SELECT i, 1, v::jsonb FROM generate_series(1, 20) i,
	unnest(ARRAY['null', 'true', 'false', '1', '1.0', '[1]', '["1"]', '[[1]]', '{"a": null}', '{"a": {}}', '{"a": []}', '[1, 2]', '[[1], 2]', '""', '[""]', '[null]']) v;
VACUUM ANALYZE sv;

-- as keys, conditions, arguments
SELECT x, compare(format('SELECT %s AS k, count(*), sum(id) FROM sv GROUP BY 1', x)), compare(format('SELECT g, count(%s), count(DISTINCT %1$s) FROM sv GROUP BY g', x)),
	   compare(format('SELECT g, count(*) FILTER (WHERE (%s) IS NOT NULL), max(id) FROM sv WHERE (%1$s)::text <> ''1'' GROUP BY g', x))
FROM unnest(ARRAY['width_bucket(f, 0, 100, 7)', 'width_bucket(nullif(f, ''NaN''), 0, 100, 7)', 'f::text', 'float8send(f)', 'sign(f)::text', 'exp(f / 1000)', 'ln(abs(f) + 1)', 'power(f, 0.5)', 'atan2(f, -1)', 'f * r', 'cbrt(f)', 'round(f::numeric, 1)',
	'r::text', 'float4send(r)', 'ln(r + 1)', 'atan2(r, -1)', 'v::text', 'justify_days(v)::text', 'justify_interval(v)::text', 'extract(day FROM justify_hours(v))', 'date_trunc(''day'', v)::text',
	'n::text', 'scale(n)', 'ln(n + 1)', 'round(sqrt(n), 3)', 'width_bucket(n, 0, 10, 5)', 'n / 3', 'c || ''.''', 'octet_length(c::text || ''.'')', 'l::text', 'scale(l)', 'l / 3', 'sign(l)', 'l > 2.5', 'round(e, 1)', 'e / 3', 'e > 1.5']) x;
-- the column itself, beside a function of it
SELECT compare('SELECT g, width_bucket(f, 0, 100, 3), count(f), min(f), max(f) FROM sv WHERE f < 50 GROUP BY 1, 2'), compare('SELECT f + 0, width_bucket(f, 0, 100, 3), count(*) FROM sv WHERE f <> ''NaN'' GROUP BY 1, 2'),
	   compare('SELECT round(n / 3, 2), sum(n), avg(n), count(*) FROM sv GROUP BY 1'), compare('SELECT justify_days(v)::text, sum(v), count(*) FROM sv GROUP BY 1'),
	   compare('SELECT g, count(l), count(DISTINCT l), sum(l), avg(l), sum(l) FILTER (WHERE id % 2 = 0) FROM sv WHERE l < 1e31 GROUP BY g');
-- numerics beyond what devices have room for
SELECT compare('SELECT sum(l), avg(l), count(*), sum(id) FROM sv'), compare('SELECT g, sum(l), avg(l) FROM sv WHERE l < ''Infinity'' AND l <> 1e30 GROUP BY g'),
	   compare('SELECT g, trim_scale(min(l)), trim_scale(max(l)), min(l / 3), max(n / 3), max(l) FILTER (WHERE l < 5) FROM sv GROUP BY g'),
	   compare('SELECT trim_scale(l), count(*) FROM sv GROUP BY l'), compare('SELECT e, count(*) FROM sv GROUP BY e'), compare('SELECT count(DISTINCT e), sum(e), avg(e), min(e), max(e) FROM sv'), compare('SELECT g, percentile_disc(0.6) WITHIN GROUP (ORDER BY l) FROM sv WHERE l > 3 GROUP BY g'),
	   compare('SELECT g, min(justify_days(v) * 2), max(v / 3) FROM sv GROUP BY g');
-- jsonb: equal values are one key, whatever their numbers look like
SELECT compare('SELECT (j || ''[]'')::text IS NULL, jsonb_typeof(j), count(*), sum(id) FROM sv GROUP BY j'), compare('SELECT count(DISTINCT j), count(j) FROM sv'),
	   compare('SELECT g, count(DISTINCT j->''b''), count(DISTINCT j) FROM sv GROUP BY g'), compare('SELECT j = ''{"a": 1, "b": [1, true]}'', count(*) FROM (SELECT DISTINCT j FROM sv) q GROUP BY 1', 'prefer'),
	   compare('SELECT jsonb_typeof(j->''a''), count(*) FROM sv GROUP BY j->''a'''), compare('SELECT j, count(*) FROM sv WHERE jsonb_typeof(j) NOT IN (''object'', ''array'', ''number'') GROUP BY j');
-- ranges: whatever their bounds look like
CREATE TABLE sr AS SELECT i AS id, CASE i % 5 WHEN 0 THEN numrange(1.0, 2) WHEN 1 THEN numrange(1, 2.00) WHEN 2 THEN 'empty' WHEN 3 THEN NULL ELSE numrange(NULL, i % 7) END AS r,
	CASE i % 3 WHEN 0 THEN daterange('2020-01-01', '2020-01-31', '[]') WHEN 1 THEN daterange('2020-01-01', '2020-02-01') ELSE daterange('2020-01-01', 'infinity') END AS d, int4range(i % 3, 5) AS k FROM generate_series(1, 4000) i;
VACUUM ANALYZE sr;
SELECT compare('SELECT r = ''[1,2)'', upper(r) > 1, count(*), sum(id) FROM sr GROUP BY r'), compare('SELECT d, count(*) FROM sr GROUP BY d'), compare('SELECT k, count(DISTINCT r), count(DISTINCT d) FROM sr GROUP BY k'), compare('SELECT DISTINCT k, d FROM sr'),
	   compare('SELECT k, d, count(*), GROUPING(k, d) FROM sr GROUP BY CUBE (k, d)'), compare('SELECT range_merge(k, ''[7,9)''), mode() WITHIN GROUP (ORDER BY k) FROM sr GROUP BY 1');
DROP TABLE sr;
-- not taken
SELECT gpuagg.why_not('SELECT n / 3, regr_slope(DISTINCT exp(f / 1000), 1) FROM sv GROUP BY 1');
-- which spelling of equal documents stands for a coarser group is not defined
SELECT compare('SELECT CASE WHEN j IN (''1'', ''{"a": 1, "b": [1, true]}'') THEN ''one of several'' ELSE j::text END, j = ''1'', g, GROUPING(j, g), count(*) FROM sv GROUP BY ROLLUP (j, g)');
-- compressed values, columns that stay
UPDATE sv SET j = jsonb_build_object('s', repeat('long', 3000), 'n', 1.0), l = repeat('12345', 600)::numeric WHERE id BETWEEN 40 AND 60;
VACUUM sv;
SELECT compare('SELECT j, count(*) FROM sv WHERE id < 90 AND jsonb_typeof(j) = ''object'' AND j ? ''s'' GROUP BY j'), compare('SELECT g, sum(l) FROM sv WHERE l <> ''Infinity'' AND l <> ''NaN'' GROUP BY g'),
	   compare('SELECT g, width_bucket(f, 0, 100, 7), count(*), justify_hours(v)::text, float4send(r) FROM sv WHERE f <> ''NaN'' GROUP BY 1, 2, 4, 5');
-- documents that stay: where somebody asks for it, or groups by them; new ones enter the dictionary
CREATE TABLE sj AS SELECT id, g, j, j::json AS js, jsonb_build_object('n', id) AS own FROM sv WHERE id < 5000 AND pg_column_size(j) < 1000;
VACUUM ANALYZE sj;
CREATE FUNCTION sj_agree() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(q || r, '; '), 'ok') FROM unnest(ARRAY['SELECT jsonb_typeof(j), j->''b''->>1, count(*), sum(id) FROM sj GROUP BY 1, 2', 'SELECT count(DISTINCT j), max(g) FROM sj', 'SELECT g, count(*) FROM sj WHERE js->>0 = ''1'' OR js::text ~ ''text'' GROUP BY g',
		'SELECT g, count(j), count(js), count(own) FROM sj GROUP BY g', 'SELECT js->>''a'', j->>''a'', count(*) FROM sj GROUP BY 1, 2']) q, LATERAL compare(q) r WHERE r !~ '^ok' $$;
SET client_min_messages = warning;
SELECT sj_agree(), gpuagg.load('sj') > 0, gpuagg.load('sj', '{j}') > 0;
SELECT column_name, strings > 0 FROM gpuagg.cache WHERE relid = 'sj'::regclass AND pages > 0 ORDER BY 1;
SELECT sj_agree();
INSERT INTO sj SELECT id, g, jsonb_build_object('a', id % 70), json_build_object('a', id % 50, 'b', NULL), 'null' FROM sv WHERE id < 3000;
SELECT sj_agree();
VACUUM sj;
SELECT sj_agree(), gpuagg.load('sj', '{j, js}') > 0, sj_agree();
DROP TABLE sj;
DROP FUNCTION sj_agree;
DROP TABLE sv;
