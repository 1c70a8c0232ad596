-- types_gen.sql: the tables of types.sql, made inside PostgreSQL (psql script).
--
-- usage:  psql -v sf=1 -v from=1 -v to=0 -f types_gen.sql     the tables, empty
--         psql -v sf=1 -v from=A -v to=B -f types_gen.sql     sales A to B, four rows each,
--                                                             and the visits of every sixth
--                                                             row: for several sessions at once
--   sf    scale: six million sales and a million visits for each 1; fractions work
--
-- The first columns of sales are those of TPC-H's lineitem that its questions 1 and 6 read, by
-- its rules.  Of the others the number of values does not depend on the scale.  Values
-- come from hashint8extended, so that any machine and any number of sessions make the
-- same rows.
\set ON_ERROR_STOP on
SELECT :to < :from AS begin \gset

\if :begin
DROP TABLE IF EXISTS sales, visits;
CREATE TABLE sales (
	l_quantity numeric(15, 2) NOT NULL, l_extendedprice numeric(15, 2) NOT NULL,
	l_discount numeric(15, 2) NOT NULL, l_tax numeric(15, 2) NOT NULL,
	l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL,
	shop int4, buyer int8, item int4, sold timestamptz, phrase text COLLATE "C",
	region int4, channel int4, day date);
CREATE TABLE visits (shop int4, buyer int8);
\endif

-- a number of 0 to k - 1 for the i-th row
CREATE FUNCTION pg_temp.u(i int8, seed int8, k int8) RETURNS int8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT (hashint8extended(i, seed) & 9223372036854775807) % k';

INSERT INTO sales
SELECT quantity, quantity * (90000 + pg_temp.u(i, 2, 110000)) / 100, pg_temp.u(i, 3, 11) / 100.0,
	pg_temp.u(i, 4, 9) / 100.0,
	CASE WHEN received > '1995-06-17' THEN 'N' WHEN pg_temp.u(i, 5, 2) = 0 THEN 'R' ELSE 'A' END,
	CASE WHEN shipped > '1995-06-17' THEN 'O' ELSE 'F' END, shipped,
	pg_temp.u(i, 7, 1000), hashint8extended(pg_temp.u(i, 8, 1000000), 9), pg_temp.u(i, 10, 1000000),
	'2024-01-01 00:00+00'::timestamptz + pg_temp.u(i, 11, 2 * 366 * 86400) * interval '1 s',
	'Phrase ' || pg_temp.u(i, 12, 100000), pg_temp.u(i, 13, 25), pg_temp.u(i, 14, 8),
	'2024-01-01'::date + pg_temp.u(i, 15, 365)::int4
FROM (SELECT i, shipped, shipped + 1 + pg_temp.u(i, 6, 30)::int4 AS received,
		(1 + pg_temp.u(i, 1, 50))::numeric AS quantity
	FROM generate_series(4 * (:from - 1) + 1, 4 * :to::int8) i,
		LATERAL (SELECT '1992-01-02'::date + pg_temp.u(i, 16, 2526)::int4 AS shipped) s) t;

INSERT INTO visits
SELECT pg_temp.u(i, 7, 1000), hashint8extended(pg_temp.u(i, 8, 1000000), 9)
FROM generate_series(4 * (:from - 1) + 1, 4 * :to::int8) i WHERE i % 6 = 0;
