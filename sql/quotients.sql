--
-- Decimals divided by constants: values, and how many decimals they show.
--
\a
\t on
CREATE TABLE qu (
	id int4, g int4, i2 int2, i4 int4, i8 int8, whole numeric(9, 0), price numeric(12, 2), fine numeric(10, 6),
	rough numeric(8, -2), free numeric);
INSERT INTO qu
SELECT i, i % 13,
	   CASE WHEN i % 7 > 0 THEN (hashint4(i) % (10::int8 ^ (i % 5))::int8)::int2 END,
	   CASE WHEN i % 11 > 0 THEN (hashint4(i + 1) % (10::int8 ^ (i % 10))::int8)::int4 END,
	   CASE WHEN i % 5 > 0 THEN hashint8(i)::int8 * (i % 3) * (10::int8 ^ (i % 5))::int8 END,
	   CASE WHEN i % 6 > 0 THEN hashint4(i + 2) % (10::int8 ^ (i % 10))::int8 END,
	   CASE WHEN i % 9 > 0 THEN hashint4(i + 3) % (10::int8 ^ (i % 10))::int8 / 100.0 END,
	   CASE WHEN i % 8 > 0 THEN hashint4(i + 4) % (10::int8 ^ (i % 10))::int8 / 1000000.0 END,
	   (i % 1000) * 100 - 40000, round((hashint4(i + 5) % 100000)::numeric / 1000, i % 4)
FROM generate_series(1, 6000) i;
-- where the number of decimals changes: around (f + 1) * 10000^w, and zero
INSERT INTO qu
SELECT 0, 20 + w, (sign * at)::int2, sign * at, sign * at, sign * at, sign * at / 100.0, sign * at / 1000000.0, sign * at,
	   sign * at / 10000.0
FROM unnest(ARRAY[1, -1]) sign,
	 unnest(ARRAY[0, 1, 2, 3, 4, 5, 9, 10, 11, 99, 100, 101, 102, 999, 1000, 1001, 1002, 9999, 10000, 10001, 10100, 20000, 30000])
		WITH ORDINALITY at (at, w);
INSERT INTO qu
SELECT 1, 50 + w, NULL, at, at::int8 * 1000000, at, at / 10, at / 1000000.0, at, at / 100
FROM unnest(ARRAY[1000000, 1009999, 1010000, 1010001, 19999999, 20000000, 100000000, 101000000, 999999999, -999999999])
		WITH ORDINALITY at (at, w);
ANALYZE qu;

-- each type by each kind of divisor, whatever the group has of it
SELECT d, string_agg(DISTINCT compare(format('SELECT g, sum(%1$s), avg(%1$s), min(%1$s), max(%1$s), count(%1$s) FROM qu GROUP BY g', format('%s / %s', x, d)),
	CASE WHEN divisor IN ('12800', '1e6', '0.001', '0.0004') THEN 'prefer' ELSE 'require' END), ', ')
FROM unnest(ARRAY['100', '100.0', '100.00', '1', '1.000', '2', '4.0', '8', '0.25', '0.5', '0.1', '0.2', '-20', '(-0.04)', '0.001', '1000', '10000.0',
	'12800', '1e6', '0.0004', '625', '99.0 * 0 + 50']) WITH ORDINALITY divisors (divisor, n),
	 LATERAL (SELECT format('(%s)::numeric', divisor)) s (d),
	 unnest(ARRAY['i2', 'i4', 'i8', 'whole', 'price', 'fine', 'rough', 'free', 'i2::numeric(8, 2)', 'price::numeric']) x
GROUP BY d, n ORDER BY n;
-- more digits than 64 bits have, or more decimals than are kept, is PostgreSQL's; so are quotients that need not end
SELECT d, compare(format('SELECT g, sum(i8 / %1$s), sum(price / %1$s) FROM qu GROUP BY g', d), 'prefer')
FROM unnest(ARRAY['1e14', '1e-10', '0.00000001', '1048576.0', '9765625', '3', '7.5']) d;

-- inside of others
SELECT e, compare(format('SELECT g, sum(%1$s), avg(%1$s), count(%1$s) FROM qu GROUP BY g', e)),
	   compare(format('SELECT sum(%1$s), avg(%1$s), stddev(%1$s), var_pop(%1$s), count(*) FROM qu', e))
FROM unnest(ARRAY['price * (1 - i2/100.0)', '1 - i4 / 1000.0', 'CASE WHEN i4 > 5 THEN price / 4 ELSE 0 END', 'coalesce(price / 100, 1.5)',
	'round(price / 8, 2)', 'trunc(i4 / 40.0)', 'floor(price / 0.3 * 0 + price / 0.5)', '-(whole / 25.0)', 'price / 100 / 4', '(price + fine) / 2', 'abs(i2 / 64.0)',
	'greatest(price / 100, i2 / 10.0)', 'price / 2 + i2 / 100.0', 'coalesce(price, 0) / 50', '(CASE WHEN i4 > 5 THEN price ELSE 1 END) / 4.0',
	'(price / 100)::int4', '(price / 40)::numeric(12, 1)', 'free / 100 * i2', 'price / 100 % 7']) e;
SELECT e, compare(format('SELECT g, trim_scale(min(%1$s)), trim_scale(max(%1$s)) FROM qu GROUP BY g', e))
FROM unnest(ARRAY['CASE WHEN i4 > 5 THEN price / 4 ELSE 0 END', 'greatest(price / 100, 1)', 'least(i2 / 64.0, price)']) e;

-- conditions
SELECT c, compare(format('SELECT g, count(*), sum(id) FROM qu WHERE %s GROUP BY g', c)),
	   compare(format('SELECT g, count(*) FILTER (WHERE %s) FROM qu GROUP BY g', c))
FROM unnest(ARRAY['price / 100 > 0.35', 'i4 / 1000.0 = 0.1', 'i2 / 100.0 IN (0.05, 0.5, 1, 0.125)', 'price / 4 BETWEEN -10 AND 10.5', 'price / 100 < i2 / 10.0',
	'(price / 100) IS NULL', '(price / 1000)::float8 > 0.1', 'free / 2 <> 1.5']) c;

-- keys, and values that count once: PostgreSQL divides
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY['SELECT price / 100, count(*) FROM qu GROUP BY 1', 'SELECT i2 / 100.0, sum(price / 100) FROM qu GROUP BY 1',
	'SELECT g, sum(DISTINCT i2 / 100.0), count(DISTINCT price / 100) FROM qu GROUP BY g', 'SELECT g, sum(price / 100) FROM qu GROUP BY ROLLUP (g)',
	'SELECT a.g, sum(a.price / 100), sum(b.i2 / 8.0) FROM qu a JOIN (SELECT DISTINCT ON (g) g, i2 FROM qu ORDER BY g, id) b USING (g) GROUP BY a.g']) q;

-- more digits than the device has
SELECT compare('SELECT sum(i8::numeric * 1000000 / 0.001) FROM qu', 'prefer'), compare('SELECT sum(price / 0), count(*) FROM qu', 'prefer');
-- the largest dividends and divisors of many factors, and quotients that are rounded whatever is divided
CREATE TABLE qu_far AS SELECT i % 2 AS g, (1234567890123456789 + i)::numeric(20, 0) AS n20, (130000000000000.0001 + i)::numeric(38, 4) AS n38, (25000000000000000 + i)::numeric(20, 2) AS n2,
	(i % 10)::numeric(1, 0) AS n1, (i % 100)::numeric(2, 0) AS digits, i % 25 + 1 AS i4, (i * 100)::numeric(18, -2) AS hundreds FROM generate_series(1, 1000) i;
ANALYZE qu_far;
SELECT d, string_agg(DISTINCT compare(format('SELECT g, sum(%1$s), avg(%1$s), min(%1$s), max(%1$s) FROM qu_far GROUP BY g', format('%s / %s', x, d)), 'prefer'), ', ')
FROM unnest(ARRAY['100', '1', '10000', '0.026843545600000000', '0.000000000268435456', '0.000000001073741824', '0.33554432', '0.67108864', '0.0000000000000001']) WITH ORDINALITY divisors (d, n),
	 unnest(ARRAY['n20', 'n38', 'n2', 'n1', 'digits', 'i4::numeric', 'hundreds']) x
GROUP BY d, n ORDER BY n;
SELECT x, compare(format('SELECT g, sum(%s) FROM qu_far GROUP BY g', x), 'prefer') FROM unnest(ARRAY['n20 / 100', 'n38 / 100', 'n2 / 1', 'hundreds / 4']) x;
DROP TABLE qu, qu_far;
