-- gen_begin.sql: what ssb_gen.sql, tpch_gen.sql and reports_gen.sql begin with, once they know
-- how many :orders there are (psql script).
--
--   whole    all tables are made in one session, orders 1 to :orders among them
--   begin    this session makes the tables
\set whole 0
\set begin 0
\if :{?from}
	SELECT :to < :from AS begin \gset
\else
	\set whole 1
	\set begin 1
	\set from 1
	\set to :orders
\endif

-- a number of 0 to k - 1 for the i-th row
CREATE FUNCTION pg_temp.u(i int8, seed int8, k int8) RETURNS int8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT (hashint8extended(i, seed) & 9223372036854775807) % k';
