--
-- Decimals: numeric columns with a scale, their arithmetic, comparisons and aggregates.
--
\a
\t on
CREATE DOMAIN nu_money AS numeric(12, 2);
CREATE TABLE nu (
	id int4, g int4, price numeric(15, 2), disc numeric(4, 2), tax numeric(4, 2),
	whole numeric(9, 0), rough numeric(6, -2), fine numeric(18, 12), wide numeric(38, 4),
	m nu_money, small numeric(3, 3), i2 int2, i8 int8, free numeric);
INSERT INTO nu
SELECT i, i % 17,
	   CASE WHEN i % 13 > 0 THEN (hashint4(i) % 100000000)::numeric / 100 END,
	   CASE WHEN i % 11 > 0 THEN (i % 11)::numeric / 100 END,
	   (i % 9)::numeric / 100,
	   CASE WHEN i % 7 > 0 THEN hashint4(i + 1) % 1000000 END,
	   CASE WHEN i % 5 > 0 THEN (i % 1000) * 100 - 40000 END,
	   CASE WHEN i % 19 > 0 THEN (hashint8(i) % 1000000)::numeric / 1000007 END,
	   CASE WHEN i % 3 > 0 THEN hashint4(i + 2)::numeric * 100003 / 10000 END,
	   CASE WHEN i % 4 > 0 THEN (i % 4000)::numeric / 8 END,
	   CASE WHEN i % 6 > 0 THEN (i % 999 - 499)::numeric / 1000 END,
	   i % 100 - 50, hashint8(i)::int8 * 1000, (i % 50)::numeric / (i % 3 + 1)
FROM generate_series(1, 20000) i;
ANALYZE nu;

-- values as arguments and keys: zeros, NULLs, both signs, every scale
SELECT k, compare(format('SELECT g, count(%1$I), sum(%1$I), avg(%1$I), min(%1$I), max(%1$I) FROM nu GROUP BY g', k))
FROM unnest(ARRAY['price', 'disc', 'tax', 'whole', 'rough', 'fine', 'wide', 'm', 'small']) k;
SELECT k, compare(format('SELECT sum(%1$I), avg(%1$I), min(%1$I), max(%1$I), count(%1$I) FROM nu', k))
FROM unnest(ARRAY['price', 'disc', 'tax', 'whole', 'rough', 'fine', 'wide', 'm', 'small']) k;
SELECT k, compare(format('SELECT %1$I, count(*), sum(id) FROM nu GROUP BY %1$I', k))
FROM unnest(ARRAY['price', 'disc', 'tax', 'whole', 'rough', 'fine', 'wide', 'm', 'small']) k;
SELECT compare('SELECT disc, tax, whole % 7, count(*), sum(price) FROM nu GROUP BY disc, tax, whole % 7');
SELECT compare('SELECT DISTINCT disc, m FROM nu');
SELECT compare('SELECT sum(price), avg(price), min(price) FROM nu WHERE id < 0');
SELECT compare('SELECT g, sum(price) FROM nu WHERE price IS NULL GROUP BY g');

-- arithmetic, and how many decimals it shows
SELECT e, compare(format('SELECT g, sum(%1$s), avg(%1$s), count(%1$s) FROM nu GROUP BY g', e)),
	   compare(format('SELECT min(%1$s), max(%1$s) FROM nu', e)),
	   compare(format('SELECT %1$s, count(*) FROM nu GROUP BY 1', e))
FROM unnest(ARRAY['price * (1 - disc)', 'price * (1 - disc) * (1 + tax)', 'price + fine', 'disc - whole',
	'-price', '+price', 'abs(price)', '@ whole', 'price * i2', 'whole + i8', 'price % 7', 'mod(price, 0.03)',
	'small * small', 'price + 0.50', '2 * price - 1.005', 'disc * 0', 'm + rough', 'wide - price',
	'round(price)', 'round(price, 1)', 'round(price, 5)', 'round(price, -3)', 'trunc(price)', 'trunc(price, 1)',
	'trunc(price, 4)', 'trunc(price, -2)', 'floor(price)', 'ceil(price)', 'ceiling(fine)', 'floor(small)',
	'round(-small, 2)', 'price::numeric(12, 1)', 'fine::numeric(10, 3)', 'i2::numeric(8, 2)', 'price::numeric',
	'NULLIF(disc, 0.05)', 'least(disc, tax)']) e;

-- decimals that depend on the row
SELECT e, compare(format('SELECT g, sum(%1$s), avg(%1$s), count(%1$s) FROM nu GROUP BY g', e)),
	   compare(format('SELECT sum(%1$s), avg(%1$s) FROM nu WHERE id < 0', e))
FROM unnest(ARRAY['CASE WHEN disc > 0.05 THEN price ELSE 0 END', 'coalesce(price, 0)', 'greatest(price, fine, 1)',
	'CASE g WHEN 1 THEN price WHEN 2 THEN fine WHEN 3 THEN 7 END', 'coalesce(disc, whole, 1.500) * tax',
	'least(disc, 0) + price', '-coalesce(disc, 3)', 'CASE WHEN g < 20 THEN 0 ELSE price END',
	'coalesce(price, 0) - coalesce(fine, 0)', 'round(coalesce(price, 0), 1)',
	'coalesce(price, NULL::numeric)', 'CASE WHEN g = 4 THEN price END']) e;
SELECT e, compare(format('SELECT g, trim_scale(max(%1$s)), trim_scale(min(%1$s)) FROM nu GROUP BY g', e)),
	   compare(format('SELECT trim_scale(%1$s), count(*), sum(%1$s) FROM nu GROUP BY %1$s', e))
FROM unnest(ARRAY['coalesce(price, 0)', 'CASE g WHEN 1 THEN price WHEN 2 THEN small WHEN 3 THEN 7 END', 'least(disc, 0) + price']) e;
SELECT compare('SELECT g, max(coalesce(price, -1e9)), min(coalesce(price, 1e9)) FROM nu GROUP BY g');
SELECT compare('SELECT g, sum(CASE WHEN disc > 0.05 THEN price ELSE 0 END) FILTER (WHERE tax > 0.02), sum(price) FILTER (WHERE g > 8) FROM nu GROUP BY g');

-- comparisons: other scales, constants between two decimals, lists
SELECT c, compare(format('SELECT g, count(*), sum(price) FROM nu WHERE %s GROUP BY g', c))
FROM unnest(ARRAY['price > 100', 'price >= 100.005', 'price < -0.001', 'price <= 250000.125', 'price = 12.3400',
	'price <> 12.345', 'disc = 0.055', 'NOT disc <> 0.055', '0.05 = disc', '0.049 < disc', 'disc BETWEEN 0.05 AND 0.07',
	'disc IN (0.01, 0.02, 0.030, 0.0455)', 'disc NOT IN (0.01, 0.020)', 'disc NOT IN (0.01, NULL)', 'disc NOT IN (0.0455)', '(disc IN (0.0455, 1e30)) IS NULL', 'whole <> ALL (''{2.5}'')', 'disc NOT IN (0.0455, NULL)', 'whole IN (1, 2.5, 3)',
	'price > fine', 'disc = tax', 'whole < price', 'disc IS DISTINCT FROM tax', 'disc IS NOT DISTINCT FROM 0.03',
	'i2 > 1.5', 'price > i8', 'price * disc > 10.5', 'price IS NOT NULL AND disc IS NULL', 'm > 12.5 OR small < 0',
	'wide > 100000000000', 'price > ALL (ARRAY[1.5, disc])', 'price IS NULL']) c;

-- casts
SELECT e, compare(format('SELECT %s AS k, count(*) FROM nu GROUP BY 1', e))
FROM unnest(ARRAY['disc::float8', 'whole::float8', 'whole::int4', 'disc::int4', 'small::int2', 'price::int8',
	'price::float8', 'fine::float8 > 0', 'round(price)::int8 % 10', 'whole::float4']) e;
SELECT compare('SELECT g, sum(price::float8), avg(disc::float8) FROM nu GROUP BY g', 'require', 1e-9);
-- as PostgreSQL says it
SELECT compare(q) FROM unnest(ARRAY['SELECT sum(price::int2) FROM nu', 'SELECT sum(price::numeric(4, 2)) FROM nu',
	'SELECT g, sum(price % (disc - disc)) FROM nu GROUP BY g', 'SELECT sum(whole % 0) FROM nu WHERE whole > 0',
	'SELECT sum(1 % disc) FROM nu WHERE disc <> 0']) q;

-- what 64 bits do not hold is PostgreSQL's, of a row, an expression or a sum
CREATE TABLE nu_big (g int4, n numeric(38, 4), s numeric(18, 2), x numeric(10, 5));
INSERT INTO nu_big SELECT i % 5, i, i, (i % 1000) / 8.0 FROM generate_series(1, 3000) i;
INSERT INTO nu_big VALUES (1, 922337203685477.5807, 9999999999999999.99, 1), (1, -922337203685477.5807, -9999999999999999.99, 2),
	(2, 922337203685477.5808, 1, 1), (3, 9999999999999999999999999999999999.9999, 0, 0.5), (4, -922337203685477.5808, NULL, NULL);
SELECT compare('SELECT g, sum(s), avg(s), min(s), max(s) FROM nu_big GROUP BY g');
SELECT compare('SELECT g, sum(n), avg(n), min(n), max(n) FROM nu_big GROUP BY g', 'prefer');
SELECT compare('SELECT g, sum(n), count(*) FROM nu_big WHERE g IN (0, 1) GROUP BY g');
SELECT compare('SELECT g, count(*) FROM nu_big WHERE n > 5 AND g <> 3 GROUP BY g');
SELECT compare('SELECT g, sum(s * x) FROM nu_big GROUP BY g', 'prefer');
SELECT compare('SELECT g, sum(s * s) FROM nu_big GROUP BY g', 'prefer');
SELECT compare('SELECT sum(s * 1000000) FROM nu_big', 'prefer');
INSERT INTO nu_big SELECT 7, 900000000000000.0001, 9999999999999999.99, 99999.99999 FROM generate_series(1, 5000) i;
SELECT compare('SELECT g, sum(s), avg(s), sum(x), avg(x) FROM nu_big GROUP BY g');
SELECT compare('SELECT sum(n), avg(n) FROM nu_big WHERE g = 7');
INSERT INTO nu_big VALUES (1, 'NaN', 'NaN', 'NaN');
SELECT compare('SELECT g, sum(s), avg(s), min(s), max(s) FROM nu_big GROUP BY g', 'prefer');
SELECT compare('SELECT s, count(*) FROM nu_big GROUP BY s', 'prefer');
SELECT compare('SELECT g, sum(s) FROM nu_big WHERE s < 1000 GROUP BY g');

-- the order of groups, HAVING
SELECT compare(format('SELECT g, sum(price) AS s, avg(disc) AS a FROM nu GROUP BY g HAVING %s ORDER BY %s', h, o)) FROM
	unnest(ARRAY['true', 'sum(price) > 1000.5', 'sum(price) > 1000.555', 'max(disc) = 0.10', 'avg(disc) < 0.06']) h,
	unnest(ARRAY['s DESC', 'a, s', 'min(fine) LIMIT 3', 's LIMIT 4 OFFSET 1', 'sum(price) DESC FETCH FIRST 2 ROWS WITH TIES']) o;
SELECT compare('SELECT disc, count(*) FROM nu GROUP BY disc ORDER BY disc DESC NULLS LAST LIMIT 3');
SELECT compare('SELECT price, count(*) FROM nu GROUP BY price ORDER BY price LIMIT 7');

-- values that are known when execution starts, of any scale
SET plan_cache_mode = force_generic_plan;
PREPARE nu_p(numeric) AS SELECT g, count(*), sum(price) FROM nu
	WHERE price > $1 OR disc = $1 OR disc <= $1 - 1 OR NOT tax <> $1 GROUP BY g ORDER BY g LIMIT 3;
SET gpuagg.debug_require = 'require';
EXECUTE nu_p(0.05);
EXECUTE nu_p(0.0500);
EXECUTE nu_p(0.055);
EXECUTE nu_p(900000);
EXECUTE nu_p(NULL);
SET gpuagg.debug_require = 'prefer';
EXECUTE nu_p(1e30);
EXECUTE nu_p('NaN');
SET gpuagg.enable = off;
SET gpuagg.debug_require = 'allow';
EXECUTE nu_p(0.05);
EXECUTE nu_p(0.0500);
EXECUTE nu_p(0.055);
EXECUTE nu_p(900000);
EXECUTE nu_p(NULL);
EXECUTE nu_p(1e30);
EXECUTE nu_p('NaN');
RESET gpuagg.enable;
DEALLOCATE nu_p;
RESET plan_cache_mode;
SELECT compare('SELECT g, count(*) FROM nu WHERE price > (SELECT avg(price) FROM nu) GROUP BY g');
SELECT compare('SELECT g, sum(x) FROM (SELECT g, price * (1 - disc) AS x FROM nu WHERE tax < 0.05) y GROUP BY g');

-- columns that were added, dropped, retyped; stored forms
CREATE TABLE nu_added (id int4, t text, n numeric(10, 2));
INSERT INTO nu_added SELECT i, repeat('x', i % 200), i / 100.0 FROM generate_series(1, 500) i;
ALTER TABLE nu_added ADD COLUMN d numeric(8, 3) DEFAULT 1.25, ADD COLUMN e numeric(5, 1);
INSERT INTO nu_added SELECT i, NULL, -i * 10000, i / 1000.0, i / 10.0 FROM generate_series(501, 999) i;
SELECT compare('SELECT d, count(*), sum(n), sum(e), min(e) FROM nu_added GROUP BY d');
ALTER TABLE nu_added DROP COLUMN t;
ALTER TABLE nu_added ALTER n TYPE numeric(14, 2);
INSERT INTO nu_added VALUES (1000, 123456789012.34, 1, 1);
SELECT compare('SELECT sum(n), max(n), avg(n) FROM nu_added');
ALTER TABLE nu_added ALTER n TYPE numeric(18, 4);
SELECT compare('SELECT sum(n), max(n), avg(n) FROM nu_added');
VACUUM nu_added;
SELECT compare('SELECT id % 3, sum(n), max(n), avg(d) FROM nu_added GROUP BY 1') FROM generate_series(1, 3);
SELECT gpuagg.load('nu_added', '{n,d}') > 0;
SELECT compare('SELECT d, count(*), sum(n) FROM nu_added GROUP BY d');

-- by groups of the columns
SELECT compare(q, 'prefer') FROM unnest(ARRAY['SELECT g, max(price::float4) FROM nu GROUP BY g', 'SELECT count(*), sum(price) FROM nu WHERE price > 1e20', 'SELECT g, sum(price / 3) FROM nu GROUP BY g', 'SELECT sum(fine * fine) FROM nu', 'SELECT sum(price + 1e-20) FROM nu', 'SELECT sum(free) FROM nu']) q;
SELECT compare('SELECT g, count(free) FROM nu GROUP BY g');
SELECT compare('SELECT g, count(*) FROM nu WHERE free IS NULL GROUP BY g');
EXPLAIN (COSTS OFF) SELECT g, sum(price * (1 - disc)) FROM nu WHERE tax BETWEEN 0.02 AND 0.04 GROUP BY g;
DROP TABLE nu, nu_big, nu_added;
DROP DOMAIN nu_money;
