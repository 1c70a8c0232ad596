--
-- Q1 and Q6 of TPC-H over a small lineitem of its types.
--
\a
\t on
CREATE TABLE lineitem (
	l_orderkey int8 NOT NULL, l_partkey int8 NOT NULL, l_suppkey int8 NOT NULL, l_linenumber int4 NOT NULL,
	l_quantity numeric(15, 2) NOT NULL, l_extendedprice numeric(15, 2) NOT NULL, l_discount numeric(15, 2) NOT NULL,
	l_tax numeric(15, 2) NOT NULL, l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL,
	l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL,
	l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL);
INSERT INTO lineitem
SELECT i / 4, p, h % 1000, i % 4 + 1, q, q * (90000 + p % 20001 + p % 1000 * 100) / 100, (h >> 16) % 11 / 100.0, (h >> 24) % 9 / 100.0,
	   CASE WHEN shipped + 15 > date '1995-06-17' THEN 'N' WHEN h % 2 = 0 THEN 'R' ELSE 'A' END,
	   CASE WHEN shipped > date '1995-06-17' THEN 'O' ELSE 'F' END, shipped, shipped + 20, shipped + 15,
	   (ARRAY['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'])[i % 4 + 1],
	   (ARRAY['AIR', 'SHIP', 'TRUCK'])[i % 3 + 1], repeat('c', i % 30)
FROM (SELECT i, h, h % 200000 AS p, h / 7 % 50 + 1 AS q, date '1992-01-02' + (h / 31 % 2526)::int AS shipped
	  FROM (SELECT i, abs(hashint8extended(i, 1)::int8 / 2) AS h FROM generate_series(1, 20000) i) a) b;
VACUUM ANALYZE lineitem;
CREATE VIEW q1 AS
SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
	   sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
	   sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
	   avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
FROM lineitem
WHERE l_shipdate <= date '1998-12-01' - interval '90 days'
GROUP BY l_returnflag, l_linestatus
ORDER BY l_returnflag, l_linestatus;
CREATE VIEW q6 AS
SELECT sum(l_extendedprice * l_discount) AS revenue
FROM lineitem
WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1994-01-01' + interval '1 year'
  AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01 AND l_quantity < 24;
EXPLAIN (COSTS OFF) SELECT * FROM q1;
EXPLAIN (COSTS OFF) SELECT * FROM q6;
SET gpuagg.debug_require = 'require';
SELECT * FROM q1;
SELECT * FROM q6;
RESET gpuagg.debug_require;
-- from pages, then from the cache
SELECT compare('SELECT * FROM q1'), compare('SELECT * FROM q6') FROM generate_series(1, 3);
SET gpuagg.cache = off;
SELECT compare('SELECT * FROM q1'), compare('SELECT * FROM q6');
RESET gpuagg.cache;
-- the same of numerics without a scale
CREATE TABLE lineitem_free AS SELECT l_returnflag, l_linestatus, l_quantity::numeric, l_extendedprice::numeric, l_discount::numeric, l_tax::numeric, l_shipdate FROM lineitem;
ALTER TABLE lineitem_free ALTER l_quantity TYPE numeric, ALTER l_extendedprice TYPE numeric, ALTER l_discount TYPE numeric, ALTER l_tax TYPE numeric;
ANALYZE lineitem_free;
SELECT compare(replace(replace(rtrim(pg_get_viewdef(v::regclass), ';'), 'lineitem.', ''), 'FROM lineitem', 'FROM lineitem_free')) FROM (VALUES ('q1'), ('q6')) x (v);
-- a price whose product needs more than 64 bits, and sums of more than 64 bits
INSERT INTO lineitem SELECT -i, 1, 1, 1, 1, 9900000000000.00, 0.05, 0.01, 'A', 'F', date '1994-02-03', date '1994-02-03', date '1994-02-03', 'x', 'y', 'z'
FROM generate_series(1, 3000) i;
SELECT compare('SELECT * FROM q6');
SELECT compare('SELECT l_returnflag, sum(l_extendedprice), avg(l_extendedprice), sum(l_extendedprice * l_quantity) FROM lineitem GROUP BY 1');
SELECT compare('SELECT * FROM q1', 'prefer');
DROP VIEW q1, q6;
DROP TABLE lineitem, lineitem_free;
