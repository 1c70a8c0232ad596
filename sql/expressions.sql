--
-- Arithmetic, comparisons, casts and the order in which errors appear.
--
\a
\t on
-- every pair of extreme values of every integer type under every operator,
-- one row at a time: value for value, error for error
CREATE TABLE ex_i (n int4, a2 int2, b2 int2, a4 int4, b4 int4, a8 int8, b8 int8);
INSERT INTO ex_i
SELECT row_number() OVER (ORDER BY i, j),
	   (ARRAY[0, 1, -1, 2, 7, -3, 181, 32767, -32768, NULL])[i],
	   (ARRAY[0, 1, -1, 2, 7, -3, 181, 32767, -32768, NULL])[j],
	   (ARRAY[0, 1, -1, 2, 7, -3, 46341, 2147483647, -2147483648, NULL])[i],
	   (ARRAY[0, 1, -1, 2, 7, -3, 46341, 2147483647, -2147483648, NULL])[j],
	   (ARRAY[0, 1, -1, 2, 7, -3, 3037000500, 9223372036854775807, -9223372036854775808, NULL])[i],
	   (ARRAY[0, 1, -1, 2, 7, -3, 3037000500, 9223372036854775807, -9223372036854775808, NULL])[j]
FROM generate_series(1, 10) i, generate_series(1, 10) j;
ANALYZE ex_i;
CREATE TABLE ex_op AS
SELECT op, x || ' ' || op || ' ' || y AS e
FROM unnest(ARRAY['+', '-', '*', '/', '%', '&', '|', '#']) op,
	 (VALUES ('a2', 'b2'), ('a4', 'b4'), ('a8', 'b8'), ('a2', 'b4'), ('a4', 'b8')) v(x, y);
SELECT op, outcome, count(*)
FROM (SELECT op, regexp_replace(compare(format('SELECT %s AS x, count(*) FROM ex_i WHERE n = %s GROUP BY %1$s', e, n)), 'ok: 1 row', 'ok') AS outcome
	  FROM ex_op, generate_series(1, 100, 3) n) x
GROUP BY 1, 2 ORDER BY op COLLATE "C", outcome COLLATE "C";
-- the same over all rows: the first error in row order wins in PostgreSQL, and
-- is the only one there is here
SELECT e, compare(format('SELECT sum(%s::int8) FROM ex_i', '(' || e || ')')) FROM ex_op ORDER BY e COLLATE "C";
SELECT e, compare(format('SELECT n, %s FROM ex_i GROUP BY n, %1$s', e))
FROM unnest(ARRAY['-a2', '-a4', '-a8', 'abs(a2)', 'abs(a4)', 'abs(a8)', '@ a4', '+a4', '~a2', '~a4', '~a8', 'a4 << 3', 'a4 >> 3', 'a8 << 40', 'a8 >> 40', 'a2 << 2', 'a2 >> 1', 'a4 << 33', 'mod(a4, 7)']) e;
SELECT e, compare(format('SELECT n, %s FROM ex_i WHERE a2 > -32768 GROUP BY n, %1$s', e))
FROM unnest(ARRAY['-a2', '-a4', '-a8', 'abs(a2)', 'abs(a4)', 'abs(a8)', '@ a4']) e;
SELECT e, compare(format('SELECT count(*), sum(n) FROM ex_i WHERE %s', e))
FROM (SELECT x || ' ' || op || ' ' || y AS e
	  FROM unnest(ARRAY['=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']) op,
		   (VALUES ('a2', 'b2'), ('a4', 'b4'), ('a8', 'b8'), ('a2', 'b8'), ('a4', 'b2'), ('a8', 'b4')) v(x, y)) x;

-- casts between numbers
CREATE TABLE ex_c (n int4, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, b bool);
INSERT INTO ex_c VALUES
	(1, 0, 0, 0, 0, 0, false), (2, 1, 1, 1, 0.5, 0.5, true), (3, -1, -1, -1, 1.5, 1.5, NULL),
	(4, NULL, 32768, 2147483648, 2.5, 2.5, true), (5, 5, -32769, -2147483649, -2.5, -2.5, true),
	(6, 6, 2147483647, 9223372036854775807, 32767.4, 32767.5, true),
	(7, 7, -2147483648, -9223372036854775808, 2147483648, 2147483647.4, true),
	(8, 8, 16777217, 9007199254740993, 9.223372e18, 9223372036854775807, true),
	(9, 9, 9, 9, 'NaN', 'NaN', true), (10, 9, 9, 9, 'inf', '-inf', true),
	(11, 9, 9, 9, 1e-45, 1e-46, true), (12, 9, 9, 9, 3.4e38, 1e39, true), (13, 9, 9, 9, -0.0, -0.0, true);
SELECT e, outcome, count(*), string_agg(n::text, ' ' ORDER BY n)
FROM (SELECT e, n, compare(format('SELECT %s AS x, count(*) FROM ex_c WHERE n = %s GROUP BY %1$s', e, n)) AS outcome
	  FROM generate_series(1, 13) n,
		   (SELECT f || '::' || t AS e
			FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8']) f,
				 unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'float8']) t
			UNION ALL SELECT unnest(ARRAY['i4::bool', 'b::int4'])) x) y
GROUP BY 1, 2 ORDER BY e COLLATE "C", outcome COLLATE "C";

-- floating point: PostgreSQL's bits (no contraction) and PostgreSQL's errors
CREATE TABLE ex_f (n int4, x float8, y float8, z float8, p float4, q float4);
INSERT INTO ex_f
SELECT i, sin(i) * 1e3, cos(i) / 7, exp(i % 30 - 15), sin(i) * 1e3, cos(i) / 7
FROM generate_series(1, 3000) i;
SELECT e, compare(format('SELECT %s, count(*) FROM ex_f GROUP BY 1', e))
FROM unnest(ARRAY['x * y + z', 'x * y - z', 'x + y * z', 'x / z', 'x / y / z', 'x - y - z', 'p * q + p', 'p / q', 'p * q', 'p + q', 'p - q * q',
	'p * x', 'p::float8 * q', '(x * y)::float4', '-x', 'abs(x)', 'floor(x) + 0.0', 'ceil(x) + 0.0', 'trunc(x) + 0.0', 'round(x) + 0.0', 'sqrt(abs(x))', 'x::int4', 'p::int2', 'x::int8 * 3', 'n * y', 'n / 7.0::float8',
	'greatest(x, y)', 'least(x, y, z)']) e;
-- which of those a device need not take
SELECT e, compare(format('SELECT %s, count(*) FROM ex_f GROUP BY 1', e), 'try')
FROM unnest(ARRAY['sign(x)', 'x ^ 2', 'power(x, 2)', 'exp(y)', 'ln(z)', 'sin(x)', 'x::numeric', 'n::text', 'cbrt(x)', 'n::numeric / 3', 'width_bucket(x, 0, 1000, 10)']) e;
CREATE TABLE ex_fe (n int4, x float8, y float8, p float4, q float4);
INSERT INTO ex_fe
SELECT row_number() OVER (ORDER BY i, j),
	   (ARRAY[0, -0.0, 1, -3, 1e308, -1e308, 1e-308, 'inf', '-inf', 'NaN', NULL]::float8[])[i],
	   (ARRAY[0, -0.0, 1, -3, 1e308, -1e308, 1e-308, 'inf', '-inf', 'NaN', NULL]::float8[])[j],
	   (ARRAY[0, -0.0, 1, -3, 3e38, -3e38, 1e-38, 'inf', '-inf', 'NaN', NULL]::float4[])[i],
	   (ARRAY[0, -0.0, 1, -3, 3e38, -3e38, 1e-38, 'inf', '-inf', 'NaN', NULL]::float4[])[j]
FROM generate_series(1, 11) i, generate_series(1, 11) j;
SELECT e, outcome, count(*)
FROM (SELECT e, n, compare(format('SELECT min(%s) AS x, count(*) FROM ex_fe WHERE n = %s', e, n)) AS outcome
	  FROM generate_series(1, 121) n,
		   (SELECT a || ' ' || op || ' ' || b AS e FROM unnest(ARRAY['+', '-', '*', '/']) op, (VALUES ('x', 'y'), ('p', 'q')) v(a, b)) x
	  WHERE n % 3 = 0 OR e LIKE '%*%' OR e LIKE '%/%') y
GROUP BY 1, 2 ORDER BY e COLLATE "C", outcome COLLATE "C";
SELECT e, compare(format('SELECT count(*), sum(n) FROM ex_fe WHERE %s', e))
FROM (SELECT x || ' ' || op || ' ' || y AS e
	  FROM unnest(ARRAY['=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM']) op,
		   (VALUES ('x', 'y'), ('p', 'q'), ('x', 'q')) v(x, y)) x;
SELECT e, compare(format('SELECT count(*), sum(n) FROM ex_fe WHERE %s', e), 'prefer')
FROM unnest(ARRAY['sqrt(x) > 0', 'sqrt(abs(x)) > 0', 'x < 0 OR sqrt(x) >= 0']) e;

-- nothing is evaluated that PostgreSQL would not evaluate ...
CREATE TABLE ex_z (g int4, a int4, b int4, d date, t text);
INSERT INTO ex_z SELECT i % 3, i, i % 5, '2020-01-01'::date + i, 't' || i FROM generate_series(0, 999) i;
SELECT q, compare('SELECT g, count(*), ' || q || ' GROUP BY g')
FROM unnest(ARRAY[
	'sum(CASE WHEN b <> 0 THEN a / b END) FROM ex_z',
	'sum(CASE b WHEN 0 THEN -1 ELSE a / b END) FROM ex_z',
	'sum(CASE WHEN b = 0 THEN 0 WHEN a / b > 10 THEN 1 ELSE 2 END) FROM ex_z',
	'sum(a / b) FILTER (WHERE b <> 0) FROM ex_z',
	'sum(a / b) FILTER (WHERE b <> 0 AND a / b > 3) FROM ex_z',
	'sum(a / b) FROM ex_z WHERE b <> 0',
	'sum(a / b) FROM ex_z WHERE b > 0 AND a / b > 3',
	'sum(a) FROM ex_z WHERE b = 0 OR a / b > 3',
	'sum(a) FROM ex_z WHERE NOT (b <> 0 AND a / b > 3)',
	'sum(a / nullif(b, 0)) FROM ex_z',
	'sum(coalesce(b, a / (b - b))) FROM ex_z',
	'sum(coalesce(nullif(b, 0), a, a / (a - a))) FROM ex_z',
	'sum(CASE WHEN b IS NULL THEN a / 0 ELSE 1 END) FROM ex_z',
	'max(CASE WHEN g < 5 THEN 1 ELSE 2147483647 + a END) FROM ex_z',
	'count(CASE WHEN b > 0 THEN 1 / b END) FROM ex_z']) q;
-- ... and everything is that it would
SELECT q, compare('SELECT g, count(*), ' || q || ' GROUP BY g')
FROM unnest(ARRAY[
	'sum(a / b) FROM ex_z',
	'sum(a) FROM ex_z WHERE a / b > 3',
	'sum(a) FROM ex_z WHERE a / b > 3 AND b <> 0',
	'sum(a) FROM ex_z WHERE a / b > 3 OR b = 0',
	'sum(a) FILTER (WHERE a / b > 3) FROM ex_z',
	'sum(CASE WHEN a / b > 0 THEN 1 END) FROM ex_z',
	'sum(coalesce(a / b, 0)) FROM ex_z',
	'sum(nullif(a / b, 0)) FROM ex_z',
	'count(a / b) FROM ex_z',
	'count(a / b) FROM ex_z WHERE b = 1',
	'sum(a + 2147483600) FROM ex_z',
	'sum((a + 32700)::int2) FROM ex_z',
	'count(*) FILTER (WHERE (a / b) IS NULL) FROM ex_z']) q;
SELECT compare('SELECT a / b, count(*) FROM ex_z GROUP BY 1');
SELECT compare('SELECT g, sum(a) / (count(*) - 334) FROM ex_z GROUP BY g');
SELECT compare('SELECT g, sum(a) FROM ex_z GROUP BY g HAVING 1 / (g - 1) >= 0');
SELECT compare('SELECT g, sum(a) FROM ex_z GROUP BY g HAVING g <> 1 AND 1 / (g - 1) <> 0');
-- an error of a value that no row has
SELECT compare('SELECT g, sum(a / (b + 1)) FROM ex_z WHERE a < 0 GROUP BY g');
SELECT compare('SELECT sum(1 / (a - 5000)) FROM ex_z WHERE a > 4000');
-- the session is usable after errors, inside and outside of transactions
SET gpuagg.debug_require = 'require';
SELECT sum(a / b) FROM ex_z;
SELECT count(*) FROM ex_z;
BEGIN;
SAVEPOINT s;
SELECT sum(a / b) FROM ex_z;
ROLLBACK TO s;
SELECT count(*) FROM ex_z;
COMMIT;
RESET gpuagg.debug_require;

-- CASE, COALESCE, NULLIF, GREATEST, LEAST of every class of value
SELECT q, compare(format('SELECT %s AS k, count(*) FROM ex_z GROUP BY 1', q))
FROM unnest(ARRAY[
	'CASE WHEN a < 10 THEN t ELSE ''many'' END', 'CASE g WHEN 0 THEN d WHEN 1 THEN NULL ELSE d + 1 END',
	'CASE WHEN a < 10 THEN 1.5::float8 WHEN a < 20 THEN a END', 'CASE WHEN NULL THEN 1 ELSE 2 END',
	'CASE WHEN a > 5 THEN true WHEN a > 3 THEN false END', 'CASE WHEN a % 2 = 0 THEN CASE WHEN b = 0 THEN 1 ELSE 2 END ELSE CASE b WHEN 1 THEN 3 END END',
	'coalesce(nullif(g, 1), -1)', 'coalesce(CASE WHEN a < 100 THEN t END, ''none'')', 'coalesce(NULL::int4, b)', 'nullif(t, ''t5'')',
	'nullif(b::float8, 0)', 'nullif(d, ''2020-01-01'')', 'nullif(g, b)', 'greatest(g, b, 2)', 'least(a, b)', 'greatest(d, ''2021-01-01'')',
	'least(nullif(g, 0), nullif(b, 0))', 'greatest(g, NULL)', 'a > 500', 'NOT a > 500', 'a > 500 AND b > 2', '(a > 500) = (b > 2)', 'b IS NULL', 'a BETWEEN 10 AND 20']) q;
-- long and deep expressions
SELECT compare(format('SELECT sum(%s) FROM ex_z', string_agg('a', ' + ' ORDER BY i))) FROM generate_series(1, 150) i;
SELECT compare(format('SELECT count(*) FROM ex_z WHERE a IN (%s)', string_agg((i * 3)::text, ', ' ORDER BY i))) FROM generate_series(1, 300) i;
SELECT compare(format('SELECT %s FROM ex_z', string_agg(format('sum(a + %s)', i), ', ' ORDER BY i)), 'try') FROM generate_series(1, 100) i;
SELECT compare(format('SELECT count(*) FROM ex_z WHERE %s', string_agg(format('a = %s', i), ' OR ' ORDER BY i)), 'try') FROM generate_series(1, 600) i;
DROP TABLE ex_i, ex_op, ex_c, ex_f, ex_fe, ex_z;
