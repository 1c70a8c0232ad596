--
-- Every aggregate over every type that it takes, grouped and plain.
--
\a
\t on
CREATE TABLE ag (
	g int4, b bool, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8,
	d date, ts timestamp, tz timestamptz, t text COLLATE "C", vc varchar(20) COLLATE "C",
	ch char(8) COLLATE "C", u uuid);
-- group 0 is all NULL, group 1 has one row, group 2 is half NULL.  Floats are
-- multiples of 1/64, whose sums are exact in any order.
INSERT INTO ag
SELECT g, h % 3 = 0, (h % 65536 - 32768)::int2, (h % 4294967296 - 2147483648)::int4,
	   h * 2, (h % 2000 - 1000) / 64.0, (h % 2000000 - 1000000) / 64.0,
	   '2000-01-01'::date + (h % 20000 - 10000)::int4,
	   '2000-01-01'::timestamp + (h % 1000000007 - 500000000) * interval '1 second',
	   '2000-01-01 00:00+00'::timestamptz + (h % 1000003) * interval '1 millisecond',
	   'k' || h % 1000, 'v' || repeat('x', (h % 19)::int4), 'c' || h % 100,
	   md5(h::text)::uuid
FROM (SELECT i, CASE WHEN i = 7 THEN 1 ELSE 2 + i % 5 END AS g,
			 hashint8extended(i, 0) & 2305843009213693951 AS h
	  FROM generate_series(1, 20000) i) x
WHERE g <> 2 OR i % 2 = 0;
INSERT INTO ag (g) SELECT 0 FROM generate_series(1, 100);
INSERT INTO ag (g) SELECT 2 FROM generate_series(1, 2000);
ANALYZE ag;

CREATE TABLE ag_call (f text, c text);
INSERT INTO ag_call
SELECT f, c FROM (VALUES
	('count', 'b,i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,u'),
	('sum', 'i2,i4,i8,f4,f8'),
	('avg', 'i2,i4,i8,f4,f8'),
	('min', 'i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch'),
	('max', 'i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch'),
	('bool_and', 'b'), ('bool_or', 'b'), ('every', 'b'),
	('bit_and', 'i2,i4,i8'), ('bit_or', 'i2,i4,i8'), ('bit_xor', 'i2,i4,i8')) v(f, cs),
	unnest(string_to_array(cs, ',')) c;
SELECT format('%s(%s)', f, c), compare(format('SELECT g, %s(%s) FROM ag GROUP BY g', f, c))
FROM ag_call ORDER BY f COLLATE "C", c COLLATE "C";
-- all NULL in one plain aggregate; no row at all; with and without FILTER
SELECT format('%s(%s)', f, c),
	   compare(format('SELECT %s(%s), %1$s(%2$s) FILTER (WHERE g > 3) FROM ag', f, c)),
	   compare(format('SELECT %s(%s) FROM ag WHERE g = 0', f, c)),
	   compare(format('SELECT %s(%s) FROM ag WHERE g < 0', f, c)),
	   compare(format('SELECT g, %s(%s) FILTER (WHERE i4 > 0) FROM ag GROUP BY g', f, c))
FROM ag_call ORDER BY f COLLATE "C", c COLLATE "C";
-- all together, up to the number of transitions a program holds
SELECT compare((SELECT format('SELECT g, %s FROM ag GROUP BY g',
							  string_agg(format('%s(%s) AS %1$s_%2$s', f, c), ', '))
				FROM (SELECT * FROM ag_call WHERE f <> 'bit_xor' AND f <> 'avg') x));
SELECT compare('SELECT count(*) FROM ag');
SELECT compare('SELECT g FROM ag GROUP BY g');
SELECT compare('SELECT DISTINCT ON (g) g, count(*) FROM ag GROUP BY g ORDER BY g', 'any');
SELECT compare('SELECT count(*), count(*) FILTER (WHERE NULL), count(*) FILTER (WHERE b), count(*) FILTER (WHERE NOT b) FROM ag');
SELECT compare('SELECT ALL count(ALL i4), sum(ALL i4) FROM ag');
-- every ordered type of the issue, uuid and bool too: PostgreSQL 15 has no
-- min(uuid) or min(bool), so the error must be its own
SELECT compare('SELECT min(u) FROM ag', 'any');
SELECT compare('SELECT max(b) FROM ag', 'any');

-- exact sums: int2 and int4 in int8, int8 in numeric beyond 64 and near 128 bits
CREATE TABLE ag_big (g int4, i2 int2, i4 int4, i8 int8);
INSERT INTO ag_big SELECT i % 3, 32767, 2147483647, 9223372036854775807 FROM generate_series(1, 30000) i;
INSERT INTO ag_big SELECT 3 + i % 2, -32768, -2147483648, -9223372036854775808 FROM generate_series(1, 20000) i;
INSERT INTO ag_big SELECT 5, 0, 0, CASE i % 2 WHEN 0 THEN 9223372036854775807 ELSE -9223372036854775808 END FROM generate_series(1, 999) i;
SELECT compare('SELECT g, sum(i2), sum(i4), sum(i8), avg(i2), avg(i4), avg(i8) FROM ag_big GROUP BY g');
SELECT compare('SELECT sum(i2), sum(i4), sum(i8), avg(i2), avg(i4), avg(i8) FROM ag_big');
SELECT g, sum(i8), avg(i8) FROM ag_big GROUP BY g ORDER BY g;
SELECT compare('SELECT sum(i4::int8 * i4), avg(i4::int8 * i4) FROM ag_big');
-- avg prints digit for digit, whatever the magnitude of the quotient
CREATE TABLE ag_avg (g int4, v int8);
INSERT INTO ag_avg SELECT g, v FROM generate_series(1, 300) g, LATERAL
	(SELECT (power(10, g % 18) * i)::int8 / (g % 7 + 1) - g AS v FROM generate_series(1, g % 13 + 1) i) x;
SELECT compare('SELECT g, avg(v), sum(v) FROM ag_avg GROUP BY g');
SELECT compare('SELECT g, avg(v::int4) FROM ag_avg WHERE abs(v) < 2000000000 GROUP BY g');
SELECT compare('SELECT g, avg(v::int2) FROM ag_avg WHERE abs(v) < 32000 GROUP BY g');
-- at the edges of numeric's digits: every such sum by every such count
CREATE TABLE ag_quotient (g int4, v int8);
INSERT INTO ag_quotient SELECT 1000 * s.n + c, CASE i WHEN 1 THEN s.v ELSE 0 END
FROM (SELECT v, row_number() OVER (ORDER BY v) AS n FROM (
		SELECT DISTINCT sign * (power(10::numeric, e) + d)::int8 AS v
		FROM generate_series(0, 18) e, generate_series(-1, 1) d, unnest(ARRAY[-1, 1]) sign
		UNION VALUES (9223372036854775807), (-9223372036854775808), (49999), (5000), (-50005000)) x) s,
	 unnest(ARRAY[1, 2, 3, 4, 6, 7, 8, 9, 11, 13, 16, 64, 96, 99, 100, 101, 128]) c,
	 generate_series(1, c) i;
SELECT compare('SELECT g, avg(v), sum(v), count(*) FROM ag_quotient GROUP BY g');
SELECT compare('SELECT g, avg(v::int4), avg(v::int4 * 3::int8) FROM ag_quotient WHERE v BETWEEN -2000000000 AND 2000000000 GROUP BY g');
-- sums of expressions
SELECT compare('SELECT g, sum(i4 / 2 + i2), avg(i8 % 1000), sum(i2 * i2::int4), max(-i4 / 3) FROM ag GROUP BY g');
SELECT compare('SELECT sum(1), sum(2::int8), avg(3), min(4), max(5), count(6), sum(NULL::int4), count(NULL::text) FROM ag');
SELECT compare('SELECT g, sum(1.5::float8), sum(-0.25::float4) FROM ag GROUP BY g');

-- floating point: NaN, infinities, tolerance of order, overflow
CREATE TABLE ag_f (g int4, f4 float4, f8 float8);
INSERT INTO ag_f SELECT i % 4, sin(i), exp(sin(i) * 20) FROM generate_series(1, 20000) i;
SELECT compare('SELECT g, sum(f8), avg(f8), min(f8), max(f8), avg(f4) FROM ag_f GROUP BY g', 'require', 1e-9);
SELECT compare('SELECT g, sum(abs(f4)) FROM ag_f GROUP BY g', 'require', 1e-5);
SELECT compare('SELECT sum(f8), avg(f8) FROM ag_f', 'require', 1e-9);
TRUNCATE ag_f;
INSERT INTO ag_f VALUES (1, 'NaN', 'NaN'), (1, 1, 1), (2, 'inf', 'inf'), (2, 3, 3), (3, '-inf', '-inf'), (3, 4, 4),
	(4, 'inf', 'inf'), (4, '-inf', '-inf'), (5, 'NaN', 'NaN'), (5, '-inf', '-inf'), (5, 'inf', 'inf'),
	(6, NULL, NULL), (7, -0.0, -0.0), (8, '1e-45', '5e-324'), (9, '3.4028235e38', '1.7976931348623157e308');
SELECT compare('SELECT g, sum(f4), sum(f8), avg(f4), avg(f8), min(f4), min(f8), max(f4), max(f8), count(f8) FROM ag_f GROUP BY g', 'prefer');
SELECT compare('SELECT g, sum(f4), sum(f8), min(f4), min(f8), max(f4), max(f8), count(f8) FROM ag_f WHERE g <> 9 GROUP BY g', 'prefer');
SELECT compare('SELECT g, min(f4), min(f8), max(f4), max(f8), count(f8) FROM ag_f GROUP BY g');
SELECT compare('SELECT min(f8), max(f8), min(f4), max(f4) FROM ag_f');
SELECT g, sum(f8), min(f8), max(f8) FROM ag_f GROUP BY g ORDER BY g;
INSERT INTO ag_f VALUES (9, '3.4028235e38', '1.7976931348623157e308');
SELECT compare('SELECT sum(f8) FROM ag_f WHERE g = 9');
SELECT compare('SELECT sum(f4) FROM ag_f WHERE g = 9');
SELECT compare('SELECT avg(f8) FROM ag_f WHERE g = 9');
SELECT compare('SELECT avg(f4) FROM ag_f WHERE g = 9', 'prefer');
SELECT compare('SELECT g, sum(f8) FROM ag_f GROUP BY g');
-- avg(float8) also keeps a sum of squares in PostgreSQL, which overflows sooner
TRUNCATE ag_f;
INSERT INTO ag_f SELECT 1, i, 1e200 * i FROM generate_series(1, 3) i;
SELECT compare('SELECT avg(f8) FROM ag_f', 'prefer');
SELECT compare('SELECT sum(f8) FROM ag_f');
TRUNCATE ag_f;
INSERT INTO ag_f SELECT 1, 1, 1e200 FROM generate_series(1, 3) i;
SELECT compare('SELECT avg(f8), sum(f8) FROM ag_f', 'prefer', 1e-9);

-- text: least and greatest by bytes under collation C, of every length
CREATE TABLE ag_t (g int4, t text COLLATE "C");
INSERT INTO ag_t SELECT i % 50, repeat(chr(97 + i % 26), i % 40) || chr(228 + i % 100) FROM generate_series(1, 5000) i;
INSERT INTO ag_t VALUES (50, ''), (50, NULL), (51, NULL), (52, 'a'), (52, 'a '), (52, 'A');
SELECT compare('SELECT g, min(t), max(t), count(t) FROM ag_t GROUP BY g');
SELECT compare('SELECT min(t), max(t), min(t) FILTER (WHERE length(t) > 30) FROM ag_t');
SELECT compare('SELECT t, min(t), max(t) FROM ag_t GROUP BY t');
DROP TABLE ag, ag_call, ag_big, ag_avg, ag_f, ag_t;
