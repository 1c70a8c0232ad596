-- ssb_gen.sql: tables of the Star Schema Benchmark, made inside PostgreSQL
-- (psql script).
--
-- usage:  psql -v sf=1 -f ssb_gen.sql                 all tables, VACUUMed
--         psql -v sf=1 -v from=1 -v to=0 -f ...        the tables, dimensions filled
--         psql -v sf=1 -v from=A -v to=B -f ...        orders A to B of lineorder, too:
--                                                      for several sessions at once
--   sf    scale: 1.5 million orders, 6 million rows of lineorder each; fractions work
--
-- Tables, counts and distributions as in "Star Schema Benchmark", revision 3
-- (O'Neil, O'Neil, Chen 2009), and in TPC-H's rules where that refers to them.
-- What differs: values come from hashint8extended, so that any machine and any number
-- of sessions make the same rows; columns that no query of the benchmark reads are
-- short (addresses, phones) or left out (of dates: holidays and flags).
\set ON_ERROR_STOP on
\if :{?sf} \else \set sf 1 \endif
SELECT greatest(1, (1500000 * :sf)::int8) AS orders,
	greatest(1, (30000 * :sf)::int8) AS customers,
	greatest(1, (2000 * :sf)::int8) AS suppliers,
	CASE WHEN :sf >= 1 THEN (200000 * (1 + floor(log(2, :sf::numeric))))::int8
		ELSE greatest(1, (200000 * :sf)::int8) END AS parts \gset

\ir gen_begin.sql

-- in cents
CREATE FUNCTION pg_temp.price(part int8) RETURNS int8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT 90000 + part / 10 % 20001 + 100 * (part % 1000)';

\if :begin
SET client_min_messages = error;
DROP TABLE IF EXISTS lineorder, customer, supplier, part, date;
CREATE TABLE date (
	d_datekey int4 PRIMARY KEY, d_date text, d_dayofweek text, d_month text,
	d_year int4, d_yearmonthnum int4, d_yearmonth text, d_daynuminweek int4,
	d_daynuminmonth int4, d_daynuminyear int4, d_monthnuminyear int4,
	d_weeknuminyear int4);
CREATE TABLE customer (
	c_custkey int4 PRIMARY KEY, c_name text, c_city text, c_nation text,
	c_region text, c_mktsegment text);
CREATE TABLE supplier (
	s_suppkey int4 PRIMARY KEY, s_name text, s_city text, s_nation text,
	s_region text);
CREATE TABLE part (
	p_partkey int4 PRIMARY KEY, p_name text, p_mfgr text, p_category text,
	p_brand1 text, p_color text, p_size int4);
CREATE TABLE lineorder (
	lo_orderkey int8, lo_linenumber int4, lo_custkey int4, lo_partkey int4,
	lo_suppkey int4, lo_orderdate int4, lo_orderpriority text, lo_quantity int4,
	lo_extendedprice int4, lo_ordtotalprice int4, lo_discount int4, lo_revenue int4,
	lo_supplycost int4, lo_tax int4, lo_commitdate int4, lo_shipmode text);

INSERT INTO date
SELECT to_char(d, 'YYYYMMDD')::int4, to_char(d, 'FMMonth FMDD, YYYY'), to_char(d, 'FMDay'),
	to_char(d, 'FMMonth'), extract(year FROM d)::int4, to_char(d, 'YYYYMM')::int4,
	to_char(d, 'MonYYYY'), to_char(d, 'D')::int4, extract(day FROM d)::int4,
	extract(doy FROM d)::int4, extract(month FROM d)::int4,
	(extract(doy FROM d)::int4 - 1) / 7 + 1
FROM generate_series(timestamp '1992-01-01', '1998-12-31', '1 day') d;

CREATE TEMP TABLE nation AS
SELECT (row_number() OVER () - 1)::int8 AS n, name, region
FROM (VALUES ('ALGERIA', 'AFRICA'), ('ARGENTINA', 'AMERICA'), ('BRAZIL', 'AMERICA'),
	('CANADA', 'AMERICA'), ('EGYPT', 'MIDDLE EAST'), ('ETHIOPIA', 'AFRICA'),
	('FRANCE', 'EUROPE'), ('GERMANY', 'EUROPE'), ('INDIA', 'ASIA'), ('INDONESIA', 'ASIA'),
	('IRAN', 'MIDDLE EAST'), ('IRAQ', 'MIDDLE EAST'), ('JAPAN', 'ASIA'),
	('JORDAN', 'MIDDLE EAST'), ('KENYA', 'AFRICA'), ('MOROCCO', 'AFRICA'),
	('MOZAMBIQUE', 'AFRICA'), ('PERU', 'AMERICA'), ('CHINA', 'ASIA'), ('ROMANIA', 'EUROPE'),
	('SAUDI ARABIA', 'MIDDLE EAST'), ('VIETNAM', 'ASIA'), ('RUSSIA', 'EUROPE'),
	('UNITED KINGDOM', 'EUROPE'), ('UNITED STATES', 'AMERICA')) v (name, region);

INSERT INTO customer
SELECT i, 'Customer#' || to_char(i, 'FM000000000'),
	rpad(left(n.name, 9), 9) || pg_temp.u(i, 102, 10), n.name, n.region,
	(ARRAY['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'MACHINERY', 'HOUSEHOLD'])[1 + pg_temp.u(i, 103, 5)]
FROM generate_series(1, :customers) i JOIN nation n ON n.n = pg_temp.u(i, 101, 25);

INSERT INTO supplier
SELECT i, 'Supplier#' || to_char(i, 'FM000000000'),
	rpad(left(n.name, 9), 9) || pg_temp.u(i, 202, 10), n.name, n.region
FROM generate_series(1, :suppliers) i JOIN nation n ON n.n = pg_temp.u(i, 201, 25);

INSERT INTO part
SELECT i, color || ' ' || (ARRAY['anodized', 'brushed', 'burnished', 'plated', 'polished'])[1 + pg_temp.u(i, 302, 5)],
	'MFGR#' || m, 'MFGR#' || m || c, 'MFGR#' || m || c || 1 + pg_temp.u(i, 305, 40),
	color, 1 + pg_temp.u(i, 306, 50)
FROM generate_series(1, :parts) i,
	LATERAL (SELECT 1 + pg_temp.u(i, 303, 5) AS m, 1 + pg_temp.u(i, 304, 5) AS c,
		(ARRAY['almond', 'azure', 'beige', 'black', 'blue', 'brown', 'coral', 'cyan',
			'forest', 'ghost', 'green', 'ivory', 'khaki', 'linen', 'maroon', 'navy',
			'olive', 'peru', 'red', 'snow'])[1 + pg_temp.u(i, 301, 20)] AS color) l;
\endif

INSERT INTO lineorder
SELECT o, line, cust, part, 1 + pg_temp.u(o * 8 + line, 5, :suppliers),
	to_char(day, 'YYYYMMDD')::int4,
	(ARRAY['1-URGENT', '2-HIGH', '3-MEDIUM', '4-NOT SPECI', '5-LOW'])[1 + pg_temp.u(o, 6, 5)],
	quantity, quantity * pg_temp.price(part), 
	sum(quantity * pg_temp.price(part) * (100 - discount) / 100) OVER (PARTITION BY o),
	discount, quantity * pg_temp.price(part) * (100 - discount) / 100,
	6 * pg_temp.price(part) / 10, pg_temp.u(o * 8 + line, 9, 9),
	to_char(day + (30 + pg_temp.u(o * 8 + line, 10, 61))::int4, 'YYYYMMDD')::int4,
	(ARRAY['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'])[1 + pg_temp.u(o * 8 + line, 11, 7)]
FROM generate_series(:from, :to) o,
	LATERAL (SELECT date '1992-01-01' + pg_temp.u(o, 3, 2406)::int4 AS day,
		1 + pg_temp.u(o, 4, :customers) AS cust) ord,
	LATERAL generate_series(1, 1 + pg_temp.u(o, 1, 7)) line,
	LATERAL (SELECT 1 + pg_temp.u(o * 8 + line, 2, :parts) AS part,
		1 + pg_temp.u(o * 8 + line, 7, 50) AS quantity,
		pg_temp.u(o * 8 + line, 8, 11) AS discount) lin;

\if :whole
VACUUM (FREEZE, ANALYZE) date, customer, supplier, part, lineorder;
\endif
