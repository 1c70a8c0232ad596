--
-- Aggregates of what only PostgreSQL computes: sums and averages of intervals and floating point,
-- variances, DISTINCT of these; rows, arrays and types without arithmetic as keys and in DISTINCT.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TYPE ca_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE ca_pair AS (a int, gone text, b numeric, c text[]);
ALTER TYPE ca_pair DROP ATTRIBUTE gone;
CREATE TABLE ca AS
SELECT i AS id, i % 7 AS g, (i % 90 * 1.25)::numeric(10, 2) AS n, 1e25::numeric + i % 50 AS big, i % 40 / 8.0::float8 AS f, (i % 11 - 5)::float4 AS r,
	   '2019-03-01'::timestamp + i % 70 * interval '31 h' AS ts, i % 20 * interval '1 h' - i % 3 * interval '1 mon' AS v, time '08:00' + i % 30 * interval '1 min' AS t,
	   'x' || i % 12 AS s, ('10.' || i % 4 || '.0.' || i % 9)::inet AS ip, (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::ca_mood AS m,
	   ARRAY[i % 3, NULL, i % 2] AS arr, ARRAY[i % 3 * 1.0, i % 2 * 1.00] AS nums, ARRAY['a' || i % 4, 'B'] AS tags, i % 2 = 0 AS b, jsonb_build_object('n', i % 9) AS j, ROW(i % 2, i % 3, ARRAY['x'])::ca_pair AS p
FROM generate_series(1, 8000) i;
INSERT INTO ca (id, g) SELECT i, CASE WHEN i % 2 = 0 THEN 3 END FROM generate_series(8001, 8010) i;
VACUUM ANALYZE ca;
CREATE TABLE ca_empty (LIKE ca);

-- sums and averages of intervals and floating point, variances of what is computed
SELECT x, compare(format('SELECT g, sum(%s), avg(%1$s), min(%1$s), max(%1$s), sum(%1$s) FILTER (WHERE b), avg(%1$s) FILTER (WHERE s ~ ''1'') FROM ca GROUP BY g', x)),
	   compare(format('SELECT g, sum(DISTINCT %s), avg(DISTINCT %1$s) FILTER (WHERE b), count(DISTINCT %1$s) FROM ca GROUP BY g', x)), compare(format('SELECT sum(%s), avg(%1$s) FROM ca_empty', x)), compare(format('SELECT sum(%s), avg(DISTINCT %1$s) FROM ca', x))
FROM unnest(ARRAY['age(ts, ''2018-12-31'')', 'justify_hours(v)', 'v * 2', 'v / 7', 'make_interval(mins => g)']) x;
SELECT x, compare(format('SELECT g, sum(%s), avg(%1$s), stddev(%1$s), var_pop(%1$s) FILTER (WHERE b), stddev_samp(%1$s) FILTER (WHERE s ~ ''1'') FROM ca GROUP BY g', x), 'prefer', e),
	   compare(format('SELECT g, sum(DISTINCT %s), stddev(DISTINCT %1$s), avg(DISTINCT %1$s) FILTER (WHERE b) FROM ca GROUP BY g', x), 'prefer', e), compare(format('SELECT sum(%s), variance(%1$s) FROM ca_empty', x)), compare(format('SELECT sum(%s), stddev_pop(%1$s) FROM ca WHERE id > 3', x), 'prefer', e)
FROM (VALUES ('ln(f + 1)', 1e-9), ('power(f, 2)', 1e-9), ('exp(r)', 1e-9), ('f ^ 3', 1e-9), ('(j->>''n'')::float8', 1e-9), ('sin(f)::float4', 1e-5)) v(x, e);
-- of numerics and integers, digit for digit
SELECT x, compare(format('SELECT g, stddev(%s), variance(%1$s), stddev_pop(%1$s), var_pop(%1$s) FILTER (WHERE b), var_samp(%1$s) FILTER (WHERE s ~ ''1'') FROM ca GROUP BY g', x)),
	   compare(format('SELECT g, stddev(DISTINCT %s), var_pop(DISTINCT %1$s) FILTER (WHERE b), sum(DISTINCT %1$s), avg(DISTINCT %1$s) FROM ca GROUP BY g', x)), compare(format('SELECT stddev(%s), var_pop(%1$s) FROM ca_empty', x)), compare(format('SELECT id, stddev(%s), var_pop(%1$s) FROM ca WHERE id < 20 GROUP BY id', x))
FROM unnest(ARRAY['n / 3', 'big', 'big * n', '-n / 1e20', '(j->>''n'')::int', '(j->>''n'')::int2', '(j->>''n'')::int8 * 1000000007', 'CASE WHEN g = 4 THEN ''NaN'' ELSE n / 7 END', 'CASE g WHEN 4 THEN ''Infinity'' WHEN 3 THEN ''-Infinity'' ELSE n / 7 END']) x;
-- of pairs
SELECT x, compare(format('SELECT g, corr(%s), regr_count(%1$s), covar_pop(%1$s), covar_samp(%1$s) FILTER (WHERE b), regr_slope(%1$s) FILTER (WHERE s ~ ''1'') FROM ca GROUP BY g', x), 'prefer', 1e-9),
	   compare(format('SELECT corr(%s), regr_intercept(%1$s), regr_r2(%1$s), regr_sxx(%1$s), regr_syy(%1$s), regr_sxy(%1$s), regr_avgx(%1$s), regr_avgy(%1$s), count(*) FROM ca WHERE id > 3', x), 'prefer', 1e-9),
	   compare(format('SELECT corr(%s), regr_count(%1$s), regr_avgx(%1$s) FROM ca_empty', x))
FROM unnest(ARRAY['ln(f + 1), f', 'f, ln(f + 1)', 'power(f, 2), (j->>''n'')::float8', 'CASE WHEN b THEN (j->>''n'')::float8 END, id', 'length(lower(s)) + g, g']) x;
SELECT compare('SELECT g, corr(ln(f + 1), r), count(DISTINCT s), stddev(n / 3) FROM ca GROUP BY ROLLUP (g)', 'prefer', 1e-9);
SELECT compare('SELECT g, stddev(DISTINCT f), variance(DISTINCT r), sum(DISTINCT v), avg(DISTINCT v), stddev(DISTINCT n), stddev(DISTINCT id % 100) FROM ca GROUP BY g', 'prefer', 1e-9),
	   compare('SELECT g, bit_xor((j->>''n'')::int), bit_xor((j->>''n'')::int) FILTER (WHERE b) FROM ca GROUP BY g');

-- rows, arrays and other types: keys, DISTINCT, and grouping sets of these
SELECT x, compare(format('SELECT %s AS k, count(*), sum(id) FROM ca GROUP BY 1', x)), compare(format('SELECT g, count(DISTINCT %s), count(DISTINCT %1$s) FILTER (WHERE b), count(DISTINCT %1$s) FILTER (WHERE s ~ ''1'') FROM ca GROUP BY g', x)),
	   compare(format('SELECT %s AS k, g, count(*), count(DISTINCT %1$s), GROUPING(%1$s) FROM ca GROUP BY ROLLUP (1, g)', x)), compare(format('SELECT DISTINCT %s FROM ca', x))
FROM unnest(ARRAY['(g, s)', 'ROW(n, f, v)', 'ROW(s::char(5), arr, m)', 'ROW(id)', 'ROW(NULL::int, ip)', 'arr', 'tags', 'nums', 'arr || g', 'CASE WHEN b THEN arr ELSE ''{}'' END', '''[0:1]={1,2}''::int[] || arr', 'string_to_array(s, ''1'')',
	'network(set_masklen(ip, 16))', 'set_masklen(ip, 24)::cidr', 't + v', 'lower(m::text)::ca_mood', 'n::money', 'n / 3', 'justify_hours(v)', 'j - ''x''', '(id % 50)::bit(8)', '(s || ''y'')::name', 'to_regclass(s)', 'p', 'ARRAY[p]', 'ROW(p, g)',
	'int4range(g, g + 3)', 'int4range(g, g + 2, ''[]'')', 'numrange(n, n + 1.00, ''[)'')', 'tsrange(ts, NULL, ''[]'')', 'daterange(ts::date, ts::date)', 'CASE WHEN b THEN int8range(NULL, id % 5) END', 'int4multirange(int4range(g, g + 1), int4range(g + 4, 20))', 'ROW(int4range(g, 7), g)', 'ARRAY[numrange(n, NULL)]']) x;
SELECT compare('SELECT g, min(t + v), max(t + v) FROM ca GROUP BY g'), compare('SELECT tags, percentile_disc(0.5) WITHIN GROUP (ORDER BY n / 3), mode() WITHIN GROUP (ORDER BY arr) FROM ca GROUP BY tags'),
	   compare('SELECT arr, n / 3, j, count(*), grouping(arr, j) FROM ca GROUP BY GROUPING SETS ((1), (2), (1, 3), ()) HAVING count(*) > 3');
SELECT gpuagg.why_not('SELECT g, count(DISTINCT (g, j::json)) FROM ca GROUP BY g');
SELECT gpuagg.why_not('SELECT ARRAY[ROW(g)], count(*) FROM ca GROUP BY 1');

-- minima and maxima by the type's own order, of columns that no device reads too
SELECT x, compare(format('SELECT g, min(%s), max(%1$s), min(%1$s) FILTER (WHERE b), max(%1$s) FILTER (WHERE s ~ ''1''), count(*) FROM ca GROUP BY g', x)),
	   compare(format('SELECT min(%s), max(DISTINCT %1$s) FROM ca_empty', x)), compare(format('SELECT g, b, max(%s) FROM ca GROUP BY CUBE (g, b)', x))
FROM unnest(ARRAY['(ts::timestamptz)::timetz', 'set_masklen(ip, 16)', 'network(ip)', 'lower(m::text)::ca_mood', 'arr', 'tags', 'arr || g', 'nums', 'ARRAY[s, lower(s)]', 'CASE WHEN b THEN tags END', 'n / 3', 'justify_hours(v)', 'n::money', '(s || ''y'')::char(4)']) x;
SELECT compare('SELECT g, corr(power(f, 2), 1), regr_count(2, ln(f + 1)), covar_pop(ln(f + 1), 3), regr_avgy(2.5, power(f, 2)), regr_avgx(power(f, 2), NULL) FROM ca GROUP BY g', 'prefer', 1e-9);

-- intervals out of range, whichever way they are added; floats that are not finite; what only PostgreSQL can tell
CREATE TABLE ca_far AS SELECT i % 2 AS g, CASE WHEN i % 4 < 2 THEN interval '100000000 years' ELSE interval '-100000000 years' END AS v, CASE i WHEN 3 THEN 1e308 ELSE i END::float8 AS f FROM generate_series(1, 40) i;
VACUUM ANALYZE ca_far;
SELECT compare('SELECT g, sum(v * 1) FROM ca_far GROUP BY g', 'prefer'), compare('SELECT sum(v * 1) FROM ca_far WHERE v > ''0''', 'prefer'), compare('SELECT avg(justify_hours(v)) FROM ca_far', 'prefer');
SELECT compare('SELECT g, sum(power(f, 1) * 10) FROM ca_far GROUP BY g', 'prefer'), compare('SELECT g, stddev(power(f, 1)) FROM ca_far GROUP BY g', 'prefer'), compare('SELECT g, corr(power(f, 1), f) FROM ca_far GROUP BY g', 'prefer'), compare('SELECT sum(ln(f - 1)) FROM ca_far', 'prefer'), compare('SELECT g, sum(ln(f - 2)) FROM ca_far WHERE f > 3 GROUP BY g', 'prefer', 1e-9);

-- little memory; and kept on the device
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id, sum(v * 2), stddev(n / 3), count(DISTINCT (g, s)) FROM ca GROUP BY id'), compare('SELECT id % 500, count(DISTINCT (id, arr)), avg(DISTINCT id * v) FROM ca GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
SELECT gpuagg.load('ca', '{g,n,f,s,ts,b}') > 0;
SELECT compare('SELECT g, count(DISTINCT (n, s)), sum(age(ts, ''2018-12-31'')), stddev(n / 3) FROM ca GROUP BY g'), compare('SELECT s, sum(ln(f + 1)) FROM ca WHERE b GROUP BY s', 'require', 1e-9);
DROP TABLE ca, ca_empty, ca_far;
DROP TYPE ca_mood, ca_pair;
