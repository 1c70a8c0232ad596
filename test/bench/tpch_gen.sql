-- tpch_gen.sql: the tables of TPC-H, made inside PostgreSQL (psql script).
--
-- usage:  psql -v sf=1 -f tpch_gen.sql                all tables, VACUUMed
--         psql -v sf=1 -v from=1 -v to=0 -f ...       the tables, and what is in the small ones;
--                                                     tpch_keys.sql when they are full
--         psql -v sf=1 -v from=A -v to=B -f ...       orders A to B and their items, and that
--                                                     share of part, partsupp and customer:
--                                                     for several sessions at once
--   sf    scale: 1.5 million orders, 6 million items each; fractions work
--
-- Tables, counts, keys, dates and distributions by the rules of the TPC-H specification,
-- chapter 4.2.  What differs: values come from hashint8extended, so that any machine
-- and any number of sessions make the same rows; texts are words drawn from its lists,
-- not its grammar, shorter, and hold what its queries look for as often as published.
\set ON_ERROR_STOP on
\if :{?sf} \else \set sf 1 \endif
SELECT greatest(1, (1500000 * :sf)::int8) AS orders,
	greatest(3, (150000 * :sf)::int8) AS customers,
	greatest(8, (10000 * :sf)::int8) AS suppliers,
	greatest(1, (200000 * :sf)::int8) AS parts \gset

\ir gen_begin.sql
SELECT (:from - 1)::int8 * :parts / :orders + 1 AS part_from, :to::int8 * :parts / :orders AS part_to,
	(:from - 1)::int8 * :customers / :orders + 1 AS customer_from, :to::int8 * :customers / :orders AS customer_to \gset

-- one of some words
CREATE FUNCTION pg_temp.word(i int8, seed int8, words text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$SELECT split_part(words, ' ', (1 + pg_temp.u(i, seed,
		length(words) - length(replace(words, ' ', '')) + 1))::int4)$$;

CREATE FUNCTION pg_temp.comment(i int8, seed int8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$SELECT concat_ws(' ',
		pg_temp.word(i, seed, 'furiously quickly carefully blithely slyly fluffily ruthlessly daringly'),
		pg_temp.word(i, seed + 1, 'special pending unusual express regular final ironic even bold silent'),
		pg_temp.word(i, seed + 2, 'foxes ideas theodolites pinto instructions dependencies excuses platelets asymptotes courts'),
		pg_temp.word(i, seed + 3, 'sleep wake are cajole haggle nag use boost affix detect'),
		pg_temp.word(i, seed + 4, 'requests deposits packages accounts warhorses dolphins multipliers sauternes'))$$;

CREATE FUNCTION pg_temp.phone(i int8, seed int8, nation int8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$SELECT nation + 10 || '-' || 100 + pg_temp.u(i, seed, 900) || '-' ||
		100 + pg_temp.u(i, seed + 1, 900) || '-' || 1000 + pg_temp.u(i, seed + 2, 9000)$$;

-- of a part, in cents
CREATE FUNCTION pg_temp.price(part int8) RETURNS int8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT 90000 + part / 10 % 20001 + 100 * (part % 1000)';

-- the n-th supplier of a part
CREATE FUNCTION pg_temp.supplier(part int8, n int8, suppliers int8) RETURNS int8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT (part + n * (suppliers / 4 + (part - 1) / suppliers)) % suppliers + 1';

\if :begin
SET client_min_messages = error;
DROP TABLE IF EXISTS lineitem, orders, customer, partsupp, part, supplier, nation, region;
CREATE TABLE region (
	r_regionkey int4 NOT NULL, r_name char(25) NOT NULL, r_comment varchar(152));
CREATE TABLE nation (
	n_nationkey int4 NOT NULL, n_name char(25) NOT NULL, n_regionkey int4 NOT NULL,
	n_comment varchar(152));
CREATE TABLE supplier (
	s_suppkey int4 NOT NULL, s_name char(25) NOT NULL, s_address varchar(40) NOT NULL,
	s_nationkey int4 NOT NULL, s_phone char(15) NOT NULL, s_acctbal numeric(15, 2) NOT NULL,
	s_comment varchar(101) NOT NULL);
CREATE TABLE part (
	p_partkey int4 NOT NULL, p_name varchar(55) NOT NULL, p_mfgr char(25) NOT NULL,
	p_brand char(10) NOT NULL, p_type varchar(25) NOT NULL, p_size int4 NOT NULL,
	p_container char(10) NOT NULL, p_retailprice numeric(15, 2) NOT NULL,
	p_comment varchar(23) NOT NULL);
CREATE TABLE partsupp (
	ps_partkey int4 NOT NULL, ps_suppkey int4 NOT NULL, ps_availqty int4 NOT NULL,
	ps_supplycost numeric(15, 2) NOT NULL, ps_comment varchar(199) NOT NULL);
CREATE TABLE customer (
	c_custkey int4 NOT NULL, c_name varchar(25) NOT NULL, c_address varchar(40) NOT NULL,
	c_nationkey int4 NOT NULL, c_phone char(15) NOT NULL, c_acctbal numeric(15, 2) NOT NULL,
	c_mktsegment char(10) NOT NULL, c_comment varchar(117) NOT NULL);
CREATE TABLE orders (
	o_orderkey int8 NOT NULL, o_custkey int4 NOT NULL, o_orderstatus char(1) NOT NULL,
	o_totalprice numeric(15, 2) NOT NULL, o_orderdate date NOT NULL,
	o_orderpriority char(15) NOT NULL, o_clerk char(15) NOT NULL,
	o_shippriority int4 NOT NULL, o_comment varchar(79) NOT NULL);
CREATE TABLE lineitem (
	l_orderkey int8 NOT NULL, l_partkey int4 NOT NULL, l_suppkey int4 NOT NULL,
	l_linenumber int4 NOT NULL, l_quantity numeric(15, 2) NOT NULL,
	l_extendedprice numeric(15, 2) NOT NULL, l_discount numeric(15, 2) NOT NULL,
	l_tax numeric(15, 2) NOT NULL, l_returnflag char(1) NOT NULL,
	l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL,
	l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL,
	l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL);

INSERT INTO region
SELECT i - 1, split_part('AFRICA,AMERICA,ASIA,EUROPE,MIDDLE EAST', ',', i), pg_temp.comment(i, 1)
FROM generate_series(1, 5) i;

INSERT INTO nation
SELECT row_number() OVER () - 1, name, region, pg_temp.comment(region, 7)
FROM (VALUES ('ALGERIA', 0), ('ARGENTINA', 1), ('BRAZIL', 1), ('CANADA', 1), ('EGYPT', 4),
	('ETHIOPIA', 0), ('FRANCE', 3), ('GERMANY', 3), ('INDIA', 2), ('INDONESIA', 2),
	('IRAN', 4), ('IRAQ', 4), ('JAPAN', 2), ('JORDAN', 4), ('KENYA', 0), ('MOROCCO', 0),
	('MOZAMBIQUE', 0), ('PERU', 1), ('CHINA', 2), ('ROMANIA', 3), ('SAUDI ARABIA', 4),
	('VIETNAM', 2), ('RUSSIA', 3), ('UNITED KINGDOM', 3), ('UNITED STATES', 1)) v (name, region);

INSERT INTO supplier
SELECT i, 'Supplier#' || to_char(i, 'FM000000000'), md5(i::text),
	nation, pg_temp.phone(i, 12, nation), (pg_temp.u(i, 15, 1099999) - 99999) / 100.0,
	CASE pg_temp.u(i, 16, 2000) WHEN 0 THEN 'Customer foxes Complaints'
		WHEN 1 THEN 'Customer foxes Recommends' ELSE pg_temp.comment(i, 17) END
FROM generate_series(1, :suppliers) i, LATERAL (SELECT pg_temp.u(i, 11, 25) AS nation) n;
\endif

INSERT INTO part
SELECT i, concat_ws(' ', pg_temp.word(i, 21, colors), pg_temp.word(i, 22, colors),
		pg_temp.word(i, 23, colors), pg_temp.word(i, 24, colors), pg_temp.word(i, 25, colors)),
	'Manufacturer#' || m, 'Brand#' || m || 1 + pg_temp.u(i, 27, 5),
	concat_ws(' ', pg_temp.word(i, 28, 'STANDARD SMALL MEDIUM LARGE ECONOMY PROMO'),
		pg_temp.word(i, 29, 'ANODIZED BURNISHED PLATED POLISHED BRUSHED'),
		pg_temp.word(i, 30, 'TIN NICKEL BRASS STEEL COPPER')),
	1 + pg_temp.u(i, 31, 50),
	concat_ws(' ', pg_temp.word(i, 32, 'SM LG MED JUMBO WRAP'),
		pg_temp.word(i, 33, 'CASE BOX BAG JAR PKG PACK CAN DRUM')),
	pg_temp.price(i) / 100.0, left(pg_temp.comment(i, 34), 23)
FROM generate_series(:part_from, :part_to) i,
	(VALUES ('almond antique aquamarine azure beige bisque black blanched blue blush brown '
		'burlywood burnished chartreuse chiffon chocolate coral cornflower cornsilk cream '
		'cyan dark deep dim dodger drab firebrick floral forest frosted gainsboro ghost '
		'goldenrod green grey honeydew hot indian ivory khaki lace lavender lawn lemon '
		'light lime linen magenta maroon medium metallic midnight mint misty moccasin '
		'navajo navy olive orange orchid pale papaya peach peru pink plum powder puff '
		'purple red rose rosy royal saddle salmon sandy seashell sienna sky slate smoke '
		'snow spring steel tan thistle tomato turquoise violet wheat white yellow')) c (colors),
	LATERAL (SELECT 1 + pg_temp.u(i, 26, 5) AS m) p;

INSERT INTO partsupp
SELECT i, pg_temp.supplier(i, n, :suppliers), 1 + pg_temp.u(i * 4 + n, 41, 9999),
	(100 + pg_temp.u(i * 4 + n, 42, 99901)) / 100.0, pg_temp.comment(i * 4 + n, 43)
FROM generate_series(:part_from, :part_to) i, generate_series(0, 3) n;

INSERT INTO customer
SELECT i, 'Customer#' || to_char(i, 'FM000000000'), md5(i::text), nation,
	pg_temp.phone(i, 52, nation), (pg_temp.u(i, 55, 1099999) - 99999) / 100.0,
	pg_temp.word(i, 56, 'AUTOMOBILE BUILDING FURNITURE MACHINERY HOUSEHOLD'),
	pg_temp.comment(i, 57)
FROM generate_series(:customer_from, :customer_to) i, LATERAL (SELECT pg_temp.u(i, 51, 25) AS nation) n;

-- Keys use 8 of 32 numbers; a third of the customers orders nothing.
CREATE TEMP TABLE item AS
SELECT o, (o - 1) / 8 * 32 + (o - 1) % 8 + 1 AS orderkey, line, day, part,
	pg_temp.supplier(part, pg_temp.u(o * 8 + line, 63, 4), :suppliers) AS supplier,
	quantity, quantity * pg_temp.price(part) / 100.0 AS price,
	pg_temp.u(o * 8 + line, 65, 11) / 100.0 AS discount,
	pg_temp.u(o * 8 + line, 66, 9) / 100.0 AS tax, ship,
	day + 30 + pg_temp.u(o * 8 + line, 68, 61)::int4 AS commit,
	ship + 1 + pg_temp.u(o * 8 + line, 69, 30)::int4 AS receipt
FROM generate_series(:from, :to) o,
	LATERAL (SELECT date '1992-01-01' + pg_temp.u(o, 61, 2406)::int4 AS day) d,
	LATERAL generate_series(1, 1 + pg_temp.u(o, 60, 7)) line,
	LATERAL (SELECT 1 + pg_temp.u(o * 8 + line, 62, :parts) AS part,
		1 + pg_temp.u(o * 8 + line, 64, 50) AS quantity,
		day + 1 + pg_temp.u(o * 8 + line, 67, 121)::int4 AS ship) l;

INSERT INTO lineitem
SELECT orderkey, part, supplier, line, quantity, price, discount, tax,
	CASE WHEN receipt > date '1995-06-17' THEN 'N'
		WHEN pg_temp.u(o * 8 + line, 70, 2) = 0 THEN 'R' ELSE 'A' END,
	CASE WHEN ship > date '1995-06-17' THEN 'O' ELSE 'F' END, ship, commit, receipt,
	split_part('DELIVER IN PERSON,COLLECT COD,NONE,TAKE BACK RETURN', ',', (1 + pg_temp.u(o * 8 + line, 71, 4))::int4),
	split_part('REG AIR,AIR,RAIL,SHIP,TRUCK,MAIL,FOB', ',', (1 + pg_temp.u(o * 8 + line, 72, 7))::int4),
	left(pg_temp.comment(o * 8 + line, 73), 44)
FROM item ORDER BY orderkey, line;

INSERT INTO orders
SELECT orderkey, (c - 1) / 2 * 3 + (c - 1) % 2 + 1, status, total, day,
	split_part('1-URGENT,2-HIGH,3-MEDIUM,4-NOT SPECIFIED,5-LOW', ',', (1 + pg_temp.u(o, 82, 5))::int4),
	'Clerk#' || to_char(1 + pg_temp.u(o, 83, greatest(1, (1000 * :sf)::int8)), 'FM000000000'),
	0, pg_temp.comment(o, 84)
FROM (SELECT o, orderkey, day,
		CASE WHEN bool_and(ship > date '1995-06-17') THEN 'O'
			WHEN bool_or(ship > date '1995-06-17') THEN 'P' ELSE 'F' END AS status,
		round(sum(price * (1 + tax) * (1 - discount)), 2) AS total
	FROM item GROUP BY o, orderkey, day) i,
	LATERAL (SELECT 1 + pg_temp.u(o, 81, :customers / 3 * 2) AS c) c
ORDER BY orderkey;

\if :whole
\ir tpch_keys.sql
VACUUM (FREEZE, ANALYZE) region, nation, supplier, part, partsupp, customer, orders, lineitem;
\endif
