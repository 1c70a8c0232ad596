--
-- Variances, standard deviations and what else is made of sums of squares.
--
\a
\t on
CREATE TABLE st (
	g int4, k int4, i2 int2, i4 int4, i8 int8, n numeric(18, 2), small numeric(4, 4), rough numeric(6, -2),
	f4 float4, f8 float8, t text);
-- group 0 is all NULL, groups 1 and 2 have one row and two, group 3 is constant
INSERT INTO st
SELECT g, i % 4001, (h % 65536 - 32768)::int2, (h % 4294967296 - 2147483648)::int4,
	   CASE WHEN i % 13 > 0 THEN (h - 1152921504606846976) * 8 END,
	   CASE WHEN i % 11 > 0 THEN (h % 1000000007 - 500000003)::numeric / 100 END,
	   (h % 19999 - 9999)::numeric / 10000, (h % 10000 - 5000) * 100,
	   sin(i), (h % 2000003 - 1000001) / 64.0 + 1000000
FROM (SELECT i, CASE WHEN i < 2 THEN 1 WHEN i < 4 THEN 2 ELSE 4 + i % 13 END AS g,
			 hashint8extended(i, 0) & 2305843009213693951 AS h
	  FROM generate_series(1, 20000) i) x;
INSERT INTO st (g) SELECT 0 FROM generate_series(1, 100);
INSERT INTO st SELECT 3, 5000, -7, 2147483647, -9223372036854775807, 12345.67, 0.1, 100, 0.125, 0.125 FROM generate_series(1, 500);
ANALYZE st;

CREATE TABLE st_call AS
SELECT f, c, row_number() OVER () AS n FROM
	unnest(ARRAY['stddev', 'stddev_pop', 'stddev_samp', 'variance', 'var_pop', 'var_samp']) f,
	unnest(ARRAY['i2', 'i4', 'i8', 'n', 'small', 'rough']) c;
SELECT format('%s(%s)', f, c), compare(format('SELECT g, %s(%s) FROM st GROUP BY g', f, c)),
	   compare(format('SELECT %s(%s), %1$s(%2$s) FILTER (WHERE g > 6) FROM st', f, c)),
	   compare(format('SELECT %s(%s) FROM st WHERE g = 0', f, c)),
	   compare(format('SELECT %s(%s) FROM st WHERE g = 1', f, c)),
	   compare(format('SELECT %s(%s) FROM st WHERE g < 0', f, c)),
	   compare(format('SELECT g, %s(%s) FILTER (WHERE i4 > 0), count(*) FROM st GROUP BY g', f, c)),
	   compare(format('SELECT k, %s(%s) FROM st GROUP BY k', f, c))
FROM st_call ORDER BY n;
SELECT compare((SELECT format('SELECT g, %s, sum(i4), avg(i4), sum(n), avg(i8) FROM st GROUP BY g',
							  string_agg(format('%s(%s) AS %1$s_%2$s', f, c), ', ')) FROM st_call));
SELECT g, stddev(i2), var_pop(i4), var_samp(i8), stddev_pop(n), variance(small) FROM st WHERE g < 6 GROUP BY g ORDER BY g;

-- the ends of the types, and sums of squares beyond 128 bits
CREATE TABLE st_big (g int4, i2 int2, i4 int4, i8 int8, n numeric(18, 3));
INSERT INTO st_big SELECT i % 3, 32767, 2147483647, 9223372036854775807, 999999999999999.999 FROM generate_series(1, 3000) i;
INSERT INTO st_big SELECT i % 4, -32768, -2147483648, -9223372036854775808, -999999999999999.999 FROM generate_series(1, 3000) i;
INSERT INTO st_big SELECT 4 + i, a, b, c, d / 1000 FROM
	(VALUES (-1, 2147483648, 4294967295, 2147483648.0), (1, 2147483647, 4294967296, 2147483647), (0, -2147483648, -4294967297, -2147483648),
			(2, 3, 2147483648, 4294967296), (3, 4, -2147483649, -4294967295), (3, 4, 6442450944, 6442450944), (3, 4, 6442450943, -6442450945))
	v(a, b, c, d), generate_series(0, 3) i WHERE b BETWEEN -2147483648 AND 2147483647 AND (i < 3 OR a = 3);
SELECT g, var_pop(i2), var_pop(i4), var_pop(i8), var_pop(n) FROM st_big GROUP BY g ORDER BY g;
SELECT f, compare(format('SELECT g, %1$s(i2), %1$s(i4), %1$s(i8), %1$s(n) FROM st_big GROUP BY g', f)),
	   compare(format('SELECT %1$s(i2), %1$s(i4), %1$s(i8), %1$s(n) FROM st_big', f)),
	   compare(format('SELECT i8, %1$s(i2), %1$s(i4), %1$s(i8), %1$s(n) FROM st_big GROUP BY i8', f))
FROM unnest(ARRAY['stddev_pop', 'stddev_samp', 'var_pop', 'var_samp']) f;

-- expressions, constants, domains; decimals that depend on the row
CREATE DOMAIN st_money AS numeric(12, 2);
SELECT e, compare(format('SELECT g, stddev(%1$s), var_pop(%1$s), avg(%1$s) FROM st GROUP BY g', e)),
	   compare(format('SELECT stddev(%1$s), var_pop(%1$s) FROM st WHERE g > 5', e))
FROM unnest(ARRAY['i4 / 2 + i2', 'i2 * i2::int4', 'i8 % 1000', 'i4::int8 * 3', 'n + small', '-n', 'round(n, 1)', 'n * 3',
	'small * small', 'coalesce(n, 0)', 'CASE WHEN i2 > 0 THEN n ELSE 0 END', 'CASE WHEN g = 4 THEN small END', '5', '7::int8',
	'1.50', 'NULL::int4', 'NULL::numeric', 'i4::st_money', 'i2::numeric(10, 3)']) e;
SELECT compare('SELECT g, variance(1000000000 / (i4 - 2147483647)) FROM st GROUP BY g');
SELECT compare('SELECT g, variance(n * n) FROM st GROUP BY g', 'prefer');
SELECT compare('SELECT g % 2 AS h, var_samp(i4) FROM st WHERE i2 > 0 GROUP BY 1 HAVING var_samp(i4) > 1');

-- floating point: moments, of one argument and of two.  The last digits depend on the order of the rows
SELECT f, c, compare(format('SELECT g, %s(%s) FROM st GROUP BY g', f, c), 'require', 1e-9),
	   compare(format('SELECT %s(%s), %1$s(%2$s) FILTER (WHERE g > 6) FROM st', f, c), 'require', 1e-9),
	   compare(format('SELECT %s(%s) FROM st WHERE g = 0', f, c)),
	   compare(format('SELECT %s(%s) FROM st WHERE g = 1', f, c)),
	   compare(format('SELECT %s(%s) FROM st WHERE g < 0', f, c)),
	   compare(format('SELECT g, %s(%s) FILTER (WHERE i4 > 0), count(*) FROM st GROUP BY g', f, c), 'require', 1e-9),
	   compare(format('SELECT k, %s(%s) FROM st GROUP BY k', f, c), 'require', 1e-9)
FROM unnest(ARRAY['stddev', 'stddev_pop', 'stddev_samp', 'variance', 'var_pop', 'var_samp']) f, unnest(ARRAY['f4', 'f8']) c;
CREATE TABLE st_pair AS SELECT unnest(ARRAY['corr', 'covar_pop', 'covar_samp', 'regr_avgx', 'regr_avgy', 'regr_count', 'regr_intercept',
	'regr_r2', 'regr_slope', 'regr_sxx', 'regr_sxy', 'regr_syy']) f;
SELECT f, compare(format('SELECT g, %s(f8, k + i2), %1$s(k + i2, f8) FROM st GROUP BY g', f), 'require', 1e-7),
	   compare(format('SELECT %s(n::float8 + i2, i2), %1$s(i2, f8 + 1000 * i2) FILTER (WHERE i4 > 0) FROM st', f), 'require', 1e-7),
	   compare(format('SELECT %s(f8, i2) FROM st WHERE g = 0', f)), compare(format('SELECT %s(f8, i2) FROM st WHERE g = 1', f)),
	   compare(format('SELECT %s(f8, f4) FROM st WHERE g < 0', f)), compare(format('SELECT g, %s(f4 + 2, f4 * 3), %1$s(f4, 1), %1$s(1, f4) FROM st GROUP BY g', f), 'require', 1e-9),
	   compare(format('SELECT k, %s(nullif(g, 7) + f8, i2 + f4) FROM st GROUP BY k', f), 'require', 1e-7)
FROM st_pair;
SELECT compare((SELECT format('SELECT g, %s, regr_sxy(i2, f8), avg(f8), stddev(f8), corr(i4, f8 + i4 / 8) FROM st GROUP BY g', string_agg(f || '(f8, i2 + f4)', ', ')) FROM st_pair), 'require', 1e-7);
SELECT g, stddev(f8), var_pop(f8), corr(f8, i2), regr_count(i2, f8), regr_slope(f8, i2), regr_r2(i2, 1), regr_r2(1, i2) FROM st WHERE g < 4 GROUP BY g ORDER BY g;
-- a variance that is small beside the mean; an outlier ahead of the others
CREATE TABLE st_f (id int4, g int4, x float8, y float8);
INSERT INTO st_f SELECT i, i % 3, CASE WHEN i <= 3 THEN -9999 ELSE 1e6 + (i % 1000) / 1e3 END, i % 7 FROM generate_series(1, 60000) i;
SELECT compare('SELECT g, var_pop(x), stddev(x), covar_pop(x, 2 * x + y) FROM st_f WHERE id > 3 GROUP BY g', 'require', 1e-5);
-- (a GPU that meets the outlier first adds up squares that are 20,000 times the variance)
SELECT compare('SELECT g, var_pop(x), regr_sxx(x, y), corr(x, x + y) FROM st_f GROUP BY g', 'require', 1e-9);
-- NaN, infinities and overflow are PostgreSQL's
TRUNCATE st_f;
INSERT INTO st_f VALUES (1, 1, 'NaN', 1), (1, 1, 2, 2), (2, 2, 'inf', 1), (3, 3, '-inf', 'nan'), (4, 4, 1e200, -1e200), (4, 4, 1, 1),
	(5, 5, 1e-200, 3e-310), (5, 5, 0, 4e-310), (6, 6, NULL, 1), (6, 6, 1, NULL), (7, 7, 1e140, 1), (7, 7, -1e140, 2);
SELECT f, compare(format('SELECT g, %s(x) FROM st_f WHERE g <> 4 GROUP BY g', f), 'prefer'), compare(format('SELECT g, %s(x) FROM st_f GROUP BY g', f), 'prefer'),
	   compare(format('SELECT g, %s(x) FROM st_f WHERE g > 4 GROUP BY g', f)) FROM unnest(ARRAY['stddev', 'var_pop']) f;
SELECT f, compare(format('SELECT g, %s(x, y) FROM st_f WHERE g <> 4 GROUP BY g', f), 'prefer'), compare(format('SELECT g, %s(x, y) FROM st_f GROUP BY g', f), 'prefer'),
	   compare(format('SELECT g, %s(y, x) FROM st_f WHERE g > 4 GROUP BY g', f)) FROM st_pair;
SELECT compare('SELECT g, stddev(x) FROM st_f GROUP BY g ORDER BY 2 LIMIT 1', 'prefer');
SELECT compare('SELECT g, var_pop(1 / (x - x)) FROM st_f GROUP BY g'), compare('SELECT g, corr(1 / (x - x), y) FROM st_f GROUP BY g'),
	   compare('SELECT g, corr(y, 1 / (x - x)) FILTER (WHERE g > 7) FROM st_f GROUP BY g');

-- order, limit, HAVING
SELECT compare(format('SELECT k, %s AS s, sum(i4) FROM st GROUP BY k HAVING %s ORDER BY %s, k LIMIT 7', f, h, o)) FROM
	unnest(ARRAY['stddev(i4)', 'var_pop(n)', 'round(stddev(f8)::numeric, 3)']) f, unnest(ARRAY['true', 'count(i4) > 3', 'variance(i2) > 1000']) h,
	unnest(ARRAY['2', '2 DESC', '2 DESC NULLS LAST', '3']) o;
EXPLAIN (COSTS OFF) SELECT g, stddev(i4), var_pop(n) FILTER (WHERE i2 > 0) FROM st GROUP BY g HAVING variance(i8) > 5 ORDER BY 2 LIMIT 3;

-- every strategy; columns that stay; samples; rows that PostgreSQL evaluates
CREATE TABLE st_query AS SELECT * FROM (VALUES
	('SELECT g, stddev(i2), var_pop(i4), variance(i8), stddev_pop(n) FROM st GROUP BY g'),
	('SELECT k, stddev(i2), var_pop(i4), variance(i8) FILTER (WHERE i2 > 0), stddev_pop(n), count(*) FROM st GROUP BY k'),
	('SELECT k, round(stddev(f8)::numeric, 2), round(regr_intercept(f8, i2)::numeric, 2), stddev(i4), round(corr(f8, f4)::numeric, 6) FROM st GROUP BY k'),
	('SELECT stddev(i4), variance(i8), var_pop(small), round(var_pop(f8)::numeric), round(corr(f8, i2)::numeric, 9) FROM st')) v(q);
CREATE FUNCTION all_strategies() RETURNS TABLE (strategy text, answers text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH strategy IN ARRAY ARRAY['block-local', 'single-pass', 'multi-pass-naive', 'multi-pass-copy', 'partitioned', 'spatial', 'sorted'] LOOP
		PERFORM set_config('gpuagg.strategy', all_strategies.strategy, true);
		SELECT string_agg(compare(q), ', ') FROM st_query INTO answers;
		RETURN NEXT;
	END LOOP;
	PERFORM set_config('gpuagg.strategy', 'auto', true);
END
$$;
SELECT * FROM all_strategies();
VACUUM st;
SELECT gpuagg.load('st', '{g,k,i2,i4,i8,n,small,f4,f8}') > 0;
SELECT compare(q) FROM st_query;
SELECT * FROM all_strategies();
SELECT compare('SELECT g, stddev(i4), var_samp(n) FROM st TABLESAMPLE BERNOULLI (20) REPEATABLE (3) GROUP BY g');
SELECT compare('SELECT stddev(i8), var_pop(small), round(stddev(f8)::numeric, 3), regr_count(f8, i2) FROM st TABLESAMPLE SYSTEM (30) REPEATABLE (4)');
ALTER TABLE st ALTER t SET STORAGE EXTERNAL;
INSERT INTO st SELECT g, k, i2, i4, i8, n, small, rough, f4, f8, CASE k % 2 WHEN 0 THEN repeat('x', 3000) ELSE 'y' END FROM st WHERE k % 10 = 0 OR g = 3;
INSERT INTO st SELECT 20 + g, 1, i2, i4, i8, round(n, 2), NULL, NULL, NULL, NULL, repeat('z', 2500) FROM st_big;
SELECT compare('SELECT g, length(t), stddev(i2), var_pop(i4), variance(i8), stddev_pop(n), variance(small), var_pop(rough), round(regr_intercept(f8, i2)::numeric), regr_count(f4, i2) FROM st WHERE t > ''a'' COLLATE "C" GROUP BY g, length(t)');


-- divisors, multiples and signs, at the ends of the types
SELECT e, compare(format('SELECT g, sum(%1$s), min(%1$s) FROM st GROUP BY g', e)), compare(format('SELECT %s AS x, count(*) FROM st GROUP BY 1', e))
FROM unnest(ARRAY['gcd(i4, 36)', 'gcd(i4, i2)', 'gcd(i8, i4)', 'gcd(small, 0.0006)', 'lcm(i2, 6)', 'lcm(i2::int8, k)', 'lcm(small, 0.0012)', 'lcm(i8 % 1000, i4)',
	'sign(n)', 'sign(small) * 3', 'sign(-n)', 'sign(i4)', 'sign(f8 - 1000000)', 'sign(f4)', 'mod(i4, 7)', 'mod(n, 0.07)', 'mod(i8, 1000)']) e;
SELECT q, compare(format('SELECT %s FROM st_big', q), 'prefer') FROM unnest(ARRAY['sum(gcd(i4, 0))', 'sum(gcd(i8, i8))', 'sum(lcm(i4, 2))', 'sum(lcm(i8, i4))',
	'sum(gcd(i4, -1))', 'sum(lcm(i4, 0))', 'sum(gcd(i8, -1))', 'sum(gcd(n, n))', 'count(lcm(n, 0.5))', 'sum(gcd(i2, -32768))']) q;
SELECT compare('SELECT sign(x), sign(-x), count(*) FROM st_f GROUP BY 1, 2', 'prefer');
SELECT gpuagg.why_not('SELECT g, stddev(i4 ORDER BY i4), corr(DISTINCT f8, f4) FROM st GROUP BY g') AS why;
DROP FUNCTION all_strategies();
DROP TABLE st, st_big, st_call, st_query, st_pair, st_f;
DROP DOMAIN st_money;
-- moments that are merged: of finer groups, of several tables
CREATE TABLE st_parts (k int4, f float8, h float8) PARTITION BY LIST (k);
CREATE TABLE st_part1 PARTITION OF st_parts FOR VALUES IN (1, 2);
CREATE TABLE st_part2 PARTITION OF st_parts FOR VALUES IN (3, 4);
INSERT INTO st_parts SELECT 1 + i % 4, i / 8.0, (i * 7) % 64 FROM generate_series(1, 2000) i;
ANALYZE st_parts;
SET gpuagg.debug_require = 'require';
SELECT round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h), round(regr_avgx(1.5, 1.5)::numeric, 6), count(DISTINCT h) FROM st_part1;
SELECT k, round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h) FROM st_part1 GROUP BY ROLLUP (k) ORDER BY k;
SELECT round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h) FROM st_parts;
SET gpuagg.debug_require = 'allow';
SET gpuagg.enable = off;
SELECT round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h), round(regr_avgx(1.5, 1.5)::numeric, 6), count(DISTINCT h) FROM st_part1;
SELECT k, round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h) FROM st_part1 GROUP BY ROLLUP (k) ORDER BY k;
SELECT round(stddev(f)::numeric, 6), round(corr(f, h)::numeric, 6), regr_count(f, h) FROM st_parts;
RESET gpuagg.enable;
RESET gpuagg.debug_require;
DROP TABLE st_parts;
