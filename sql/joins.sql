--
-- Joins below the grouping, as look-ups in the pass over the largest table.
--
\a
\t on
-- the fact table; f.a to f.e are keys of the others, with NULLs and misses
CREATE TABLE jf (id int4, a int4, b int8, c int2, t text, d date, big int8, v int4, w float8, x numeric(8,2),
				 flag bool, pad text);
INSERT INTO jf
SELECT i, CASE WHEN i % 50 > 0 THEN i % 700 END, CASE WHEN i % 60 > 0 THEN (i * 7919) % 900 END,
	   CASE WHEN i % 70 > 0 THEN i % 40 END, CASE WHEN i % 80 > 0 THEN 't' || i % 300 END,
	   CASE WHEN i % 90 > 0 THEN date '2020-01-01' + i % 800 END,
	   CASE WHEN i % 30 > 0 THEN (i % 500)::int8 * 1000000007 END,
	   (i * 31) % 1000 - 500, i / 8.0, (i % 10000) / 100.0, i % 3 = 0, repeat('x', 100)
FROM generate_series(1, 20000) i;
-- dimensions: dense keys, sparse keys, strings, days, two columns; some with NULLs in their columns
CREATE TABLE ja (k int4 PRIMARY KEY, n text, r int4, q float8, m numeric(6,1), y date, z bool, bp char(5), u uuid, tz timestamptz);
INSERT INTO ja SELECT i, 'name ' || i % 25, CASE WHEN i % 7 > 0 THEN i % 10 END, i / 3.0, i / 10.0,
	   date '2000-01-01' + i, i % 2 = 0, 'c' || i % 4,
	   md5((i % 3)::text)::uuid, timestamptz '2000-01-01 00:00 UTC' + (i % 5) * interval '1 day'
FROM generate_series(0, 599) i;
CREATE TABLE jr (k int4 PRIMARY KEY, n text NOT NULL, up int2);
INSERT INTO jr SELECT i, 'region ' || i, i % 3 FROM generate_series(0, 7) i;
CREATE TABLE ju (k int2 PRIMARY KEY, n varchar(20));
INSERT INTO ju VALUES (0, 'zero'), (1, 'one'), (2, NULL);
CREATE TABLE jbig (k int8 UNIQUE, n text);
INSERT INTO jbig SELECT CASE WHEN i % 40 > 0 THEN i * 1000000007::int8 END, 'big ' || i % 9
FROM generate_series(0, 450) i;
CREATE TABLE jt (k text PRIMARY KEY, n int4);
INSERT INTO jt SELECT 't' || i, i % 12 FROM generate_series(0, 250) i;
CREATE TABLE jd (day date PRIMARY KEY, year int4, month int4);
INSERT INTO jd SELECT d, extract(year FROM d), extract(month FROM d)
FROM (SELECT (date '2020-01-01' + i) AS d FROM generate_series(0, 700) i) x;
CREATE TABLE jab (a int4, b int8, n text, PRIMARY KEY (a, b));
INSERT INTO jab SELECT i, (i * 7919) % 900, 'pair ' || i % 6 FROM generate_series(0, 699) i;
CREATE TABLE jdup (k int4, n int4);
INSERT INTO jdup SELECT CASE WHEN i % 11 > 0 THEN i % 200 END, i FROM generate_series(1, 1000) i;
CREATE TABLE jnone (k int4 PRIMARY KEY, n text);
CREATE TABLE jempty (k int4, v int4);
ANALYZE jf, ja, jr, ju, jbig, jt, jd, jab, jdup, jnone, jempty;

CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, q text);
CREATE FUNCTION compared(which text DEFAULT '%') RETURNS TABLE (q text, answer text) LANGUAGE sql AS
$$ SELECT q, compare(q) FROM queries WHERE q LIKE which ORDER BY n $$;

-- inner joins
INSERT INTO queries (q) VALUES
	('SELECT ja.n, count(*), sum(v) FROM jf JOIN ja ON a = k GROUP BY 1'),
	('SELECT count(*), sum(w), min(x) FROM jf JOIN ja ON a = k'),
	('SELECT r, avg(q)::numeric(10,3), sum(m), min(y), max(y), bool_or(z), count(r) FROM jf JOIN ja ON a = k GROUP BY r'),
	('SELECT u, tz, count(*), min(ja.n COLLATE "C") FROM jf JOIN ja ON a = k GROUP BY 1, 2'),
	('SELECT bp, count(*), max(m) FROM jf JOIN ja ON a = k GROUP BY 1'),
	('SELECT m, z, y, count(*) FROM jf JOIN ja ON a = k WHERE k < 50 GROUP BY 1, 2, 3'),
	('SELECT q, sum(v) FROM jf JOIN ja ON a = k WHERE r = 3 AND v > 0 GROUP BY 1'),
	('SELECT jbig.n, count(*) FROM jf JOIN jbig ON big = k GROUP BY 1'),
	('SELECT ja.n, jbig.n, jt.n, count(*) FROM jf JOIN ja ON a = ja.k JOIN jbig ON big = jbig.k JOIN jt ON t = jt.k GROUP BY 1, 2, 3'),
	('SELECT year, month, sum(v) FROM jf JOIN jd ON d = day GROUP BY 1, 2'),
	('SELECT year, sum(v * r) FILTER (WHERE z), sum(CASE WHEN month < 6 THEN v ELSE -r END) FROM jf JOIN jd ON d = day JOIN ja ON a = k GROUP BY 1'),
	('SELECT jab.n, count(*) FROM jf JOIN jab USING (a, b) GROUP BY 1'),
	('SELECT ja.n || ''!'', count(*) FROM jf JOIN ja ON a = k GROUP BY ja.n'),
	('SELECT count(*) FROM jf JOIN ja ON a + 1 = k AND v < q'),
	('SELECT count(*) FROM jf JOIN ja ON a = k WHERE jf.d > ja.y + 7000'),
	('SELECT ju.n, count(*) FROM jf JOIN ju ON c = k GROUP BY 1'),
	('SELECT ju.k, count(*) FROM jf JOIN ju ON b = k GROUP BY 1'),
	('SELECT jnone.n, count(*) FROM jf JOIN jnone ON a = k GROUP BY 1'),
	('SELECT count(*) FROM jf JOIN jnone ON a = k'),
	('SELECT DISTINCT ja.n, flag FROM jf JOIN ja ON a = k');
-- left joins: ON against WHERE
INSERT INTO queries (q) VALUES
	('SELECT ja.n, count(*), count(r) FROM jf LEFT JOIN ja ON a = k GROUP BY 1'),
	('SELECT ja.n, count(*) FROM jf LEFT JOIN ja ON a = k AND r > 3 GROUP BY 1'),
	('SELECT ja.n, count(*) FROM jf LEFT JOIN ja ON a = k AND v > r GROUP BY 1'),
	('SELECT ja.n, count(*) FROM jf LEFT JOIN ja ON a = k AND v > 0 GROUP BY 1'),
	('SELECT ja.n, count(*) FROM jf LEFT JOIN ja ON a = k WHERE r > 3 OR r IS NULL GROUP BY 1'),
	('SELECT r IS NULL, count(*), sum(coalesce(r, v)) FROM jf LEFT JOIN ja ON a = k AND flag WHERE coalesce(r, 1) < 5 GROUP BY 1'),
	('SELECT count(*), count(k), sum(CASE WHEN k IS NULL THEN v END) FROM jf LEFT JOIN ja ON a = k'),
	('SELECT jt.n, count(*) FROM jf LEFT JOIN jt ON t = k AND n > 4 GROUP BY 1'),
	('SELECT jnone.n, count(*) FROM jf LEFT JOIN jnone ON a = k GROUP BY 1'),
	('SELECT jr.n, count(*) FROM jf LEFT JOIN ja ON a = ja.k LEFT JOIN jr ON r = jr.k GROUP BY 1'),
	('SELECT jr.n, count(*) FROM jf LEFT JOIN ja ON a = ja.k JOIN jr ON coalesce(r, 1) = jr.k GROUP BY 1'),
	('SELECT jr.n, count(*) FROM ja RIGHT JOIN jf ON a = ja.k LEFT JOIN jr ON r = jr.k AND ja.z GROUP BY 1');
-- chains, the same dimension twice
INSERT INTO queries (q) VALUES
	('SELECT jr.n, count(*), sum(v) FROM jf JOIN ja ON a = ja.k JOIN jr ON r = jr.k GROUP BY 1'),
	('SELECT ju.n, jr.n, count(*) FROM jf JOIN ja ON a = ja.k JOIN jr ON r = jr.k JOIN ju ON up = ju.k GROUP BY 1, 2'),
	('SELECT x.n, y.n, count(*) FROM jf JOIN ja x ON a = x.k JOIN ja y ON b = y.k WHERE x.r <> y.r GROUP BY 1, 2'),
	('SELECT x.r, y.r, count(*) FROM jf LEFT JOIN ja x ON a = x.k JOIN ja y ON b = y.k AND y.z GROUP BY 1, 2');
-- EXISTS, IN, NOT EXISTS
INSERT INTO queries (q) VALUES
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM jdup WHERE k = a) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE a IN (SELECT k FROM jdup WHERE n > 500) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM jdup WHERE k = a) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM ja WHERE k = a AND v > r) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM ja WHERE k = a AND v > r) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM jt WHERE k = t) AND NOT EXISTS (SELECT 1 FROM jdup WHERE k = b) GROUP BY 1'),
	('SELECT count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM jnone WHERE k = a)'),
	('SELECT ja.n, count(*) FROM jf LEFT JOIN ja ON a = k WHERE k IS NULL GROUP BY 1'),
	('SELECT jr.n, count(*) FROM jf JOIN ja ON a = ja.k JOIN jr ON r = jr.k WHERE EXISTS (SELECT 1 FROM jdup JOIN ju ON jdup.n % 3 = ju.k WHERE jdup.k = b) GROUP BY 1');
-- several rows of a key: counted, summed by key, or only the least and greatest asked for
INSERT INTO queries (q) VALUES
	('SELECT c, count(*), count(v), sum(v), avg(v), min(w), max(jf.d), sum(x), avg(x), sum(b), avg(b) FROM jf JOIN jdup ON a = k GROUP BY 1'),
	('SELECT c, count(*), count(n), sum(n), avg(n), min(n), max(n), bit_or(n), count(k), sum(k) FROM jf LEFT JOIN jdup ON a = k GROUP BY 1'),
	('SELECT count(*), count(n), sum(n), sum(v) FROM jf LEFT JOIN jdup ON a = k AND n < 0'),
	('SELECT k, count(*), sum(n) FROM jf JOIN jdup ON a = k GROUP BY 1'),
	('SELECT c, count(*) FILTER (WHERE flag), sum(v) FILTER (WHERE v > 3 AND t IS NOT NULL), count(n) FILTER (WHERE n > 500), sum(n) FILTER (WHERE n <> 7) FROM jf LEFT JOIN jdup ON a = k GROUP BY 1'),
	('SELECT c, count(*) FILTER (WHERE n > 500), count(*) FILTER (WHERE n IS NULL) FROM jf JOIN jdup ON a = k GROUP BY 1'),
	('SELECT c, count(*), sum(x1.n), avg(y1.n), min(y1.n), sum(v) FROM jf JOIN jdup x1 ON a = x1.k LEFT JOIN jdup y1 ON b = y1.k GROUP BY 1'),
	('SELECT ja.n, count(*), sum(jdup.n), sum(v * r) FROM jf JOIN jdup ON a = jdup.k JOIN ja ON jdup.k = ja.k GROUP BY 1'),
	('SELECT t, count(*), sum(v) FROM jf JOIN jab ON jf.a = jab.b GROUP BY 1'),
	('SELECT c, count(*), sum(m), avg(m), max(q), min(ja.n COLLATE "C"), bool_and(z), max(y), min(tz) FROM jf JOIN ja ON c = r GROUP BY 1'),
	('SELECT DISTINCT c FROM jf JOIN jdup ON a = k'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM jdup WHERE k = a AND n > v) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM jdup WHERE k = a AND n > v) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM jdup WHERE k = a AND n <> v) AND NOT EXISTS (SELECT 1 FROM jdup WHERE k = a AND n <= v - 100 AND flag) GROUP BY 1'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM ja WHERE r = c AND x < m) AND NOT EXISTS (SELECT 1 FROM ja WHERE r = c AND y <> jf.d) GROUP BY 1'),
	('SELECT sum(x * 1000000) FROM jf JOIN jdup ON a = k'),
	('SELECT count(*), count(s) FROM jf JOIN (SELECT k, sum(n) OVER () AS s FROM jdup) y ON a = k');
-- the table that is read is not the largest one
INSERT INTO queries (q) VALUES
	('SELECT ja.n, count(*), count(v), sum(v), max(x) FROM ja LEFT JOIN jf ON a = k GROUP BY 1'),
	('SELECT r, count(*) FROM ja WHERE EXISTS (SELECT 1 FROM jf WHERE a = k AND v > 490) GROUP BY 1'),
	('SELECT r, count(*) FROM ja WHERE NOT EXISTS (SELECT 1 FROM jf WHERE a = k) GROUP BY 1');
-- inputs that are plans of their own
INSERT INTO queries (q) VALUES
	('SELECT s.top, count(*) FROM jf JOIN (SELECT k, max(n) AS top FROM jdup GROUP BY k) s ON a = s.k GROUP BY 1'),
	('SELECT s.n, count(*) FROM jf JOIN (SELECT DISTINCT ON (k) k, n FROM jdup ORDER BY k, n) s ON a = s.k GROUP BY 1'),
	('SELECT count(*) FROM jf WHERE a IN (VALUES (1), (2), (3), (NULL), (2))'),
	('SELECT (SELECT max(n) FROM ju) AS u, count(*) FROM jf JOIN ja ON a = k WHERE r > (SELECT min(k) FROM ju) GROUP BY 1');
-- errors are PostgreSQL's, or none
INSERT INTO queries (q) VALUES
	('SELECT sum(1 / r) FROM jf JOIN ja ON a = k'),
	('SELECT sum(100 / r) FROM jf JOIN ja ON a = k WHERE r <> 0'),
	('SELECT count(*) FROM jf JOIN ja ON a = k AND r <> 0 AND v / r > 10'),
	('SELECT count(q) FROM jf LEFT JOIN ja ON a / (v - 3) = k'),
	('SELECT sum(CASE WHEN v = 3 THEN 1 ELSE r END) FROM jf LEFT JOIN ja ON a = k AND 1 / (v - 3) < 5'),
	('SELECT count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM ja WHERE a = k AND 10 / (v - 3) < 5)'),
	('SELECT sum(2000000000 + m::int4) FROM jf LEFT JOIN ja ON a = k AND k < 0');
-- the largest table is empty, or everything is
INSERT INTO queries (q) VALUES
	('SELECT s.v, count(*) FROM jempty s JOIN jnone ON s.k = jnone.k GROUP BY 1'),
	('SELECT count(*) FROM jf JOIN ja ON a = k WHERE jf.id < 0');
SELECT * FROM compared();

-- the same of two passes, one thread's tables and partitions, and of cached columns
SET gpuagg.strategy = 'partitioned';
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
SET gpuagg.strategy = 'multi-pass-naive';
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
RESET gpuagg.strategy;
VACUUM jf;
SELECT gpuagg.load('jf') > 0;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
SELECT gpuagg.unload('jf') > 0;
-- inputs that are read in parallel, and PostgreSQL's other kinds of joins
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
RESET ALL;
SET enable_hashjoin = off;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
SET enable_mergejoin = off;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
RESET ALL;
-- inputs with several rows of a key, grouped by it in tasks of their own: from pages, from kept columns
SET gpuagg.cost_scale = 0.001;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
SELECT prefer_device(false);
EXPLAIN (COSTS OFF) SELECT c, count(*), sum(v), max(n) FROM jf LEFT JOIN jdup ON a = k AND n % 3 > 0 GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM jdup WHERE k = a AND n <> v);
-- not by what stands above, and as often as there are others
EXPLAIN (COSTS OFF) SELECT c, count(*) AS s FROM jf JOIN jdup x ON a = x.k JOIN jdup y ON b = y.k WHERE x.n > 2 GROUP BY 1 HAVING count(*) > 3 ORDER BY s DESC, c LIMIT 2;
SELECT c, count(*) AS s FROM jf JOIN jdup x ON a = x.k JOIN jdup y ON b = y.k WHERE x.n > 2 GROUP BY 1 HAVING count(*) > 3 ORDER BY s DESC, c LIMIT 2;
-- with values of the outer query, again for each of its rows
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(n), sum(v) FROM jf LEFT JOIN jdup ON a = k AND n > i * 300 OFFSET 0) x;
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(n), sum(v) FROM jf JOIN jdup ON a = k WHERE c = i OFFSET 0) x;
RESET ALL;
SET gpuagg.enable = off;
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(n), sum(v) FROM jf LEFT JOIN jdup ON a = k AND n > i * 300 OFFSET 0) x;
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(n), sum(v) FROM jf JOIN jdup ON a = k WHERE c = i OFFSET 0) x;
RESET gpuagg.enable;

-- the largest table is several: partitions, one of them with its columns in another order, one of two
ALTER TABLE jf RENAME TO jall;
CREATE TABLE jf (LIKE jall) PARTITION BY RANGE (id);
CREATE TABLE jf1 PARTITION OF jf FOR VALUES FROM (0) TO (8000);
CREATE TABLE jf2 (pad text, gone int, x numeric(8,2), w float8, v int4, flag bool, big int8, d date, t text, c int2, b int8, a int4, id int4);
ALTER TABLE jf2 DROP COLUMN gone;
ALTER TABLE jf ATTACH PARTITION jf2 FOR VALUES FROM (8000) TO (14000);
CREATE TABLE jf3 PARTITION OF jf FOR VALUES FROM (14000) TO (30000) PARTITION BY LIST (flag);
CREATE TABLE jf3t PARTITION OF jf3 FOR VALUES IN (true);
CREATE TABLE jf3f PARTITION OF jf3 DEFAULT;
INSERT INTO jf SELECT * FROM jall;
ANALYZE jf;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
VACUUM jf;
SELECT bool_and(gpuagg.load(relid) > 0) FROM pg_partition_tree('jf') WHERE isleaf;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
DROP TABLE jf;
-- child tables
CREATE TABLE jf (LIKE jall);
CREATE TABLE jf1 (extra int) INHERITS (jf);
INSERT INTO jf SELECT * FROM jall WHERE id % 3 = 0;
INSERT INTO jf1 SELECT *, 1 FROM jall WHERE id % 3 > 0;
ANALYZE jf, jf1;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
-- a UNION ALL
ALTER TABLE jf RENAME TO jf0;
CREATE VIEW jf AS SELECT * FROM ONLY jf0 UNION ALL SELECT id, a, b, c, t, d, big, v, w, x, flag, pad FROM jf1;
SELECT q, answer FROM compared() WHERE answer !~ '^(ok|same error)';
DROP VIEW jf;
DROP TABLE jf0, jf1;
ALTER TABLE jall RENAME TO jf;

-- star queries as the Star Schema Benchmark's, small
CREATE TABLE lineorder AS
SELECT i AS lo_orderkey, i / 3 % 300 AS lo_custkey, i % 200 AS lo_partkey, i / 7 % 50 AS lo_suppkey,
	   to_char(date '1992-01-01' + i / 11 % 2000, 'YYYYMMDD')::int4 AS lo_orderdate,
	   i % 50 AS lo_quantity, i % 11 AS lo_discount, (i % 9000) * 100 AS lo_extendedprice,
	   (i % 9000) * 90 AS lo_revenue, (i % 9000) * 60 AS lo_supplycost
FROM generate_series(1, 30000) i;
CREATE TABLE dates AS
SELECT to_char(d, 'YYYYMMDD')::int4 AS d_datekey, extract(year FROM d)::int4 AS d_year,
	   to_char(d, 'YYYYMM')::int4 AS d_yearmonthnum, extract(week FROM d)::int4 AS d_weeknuminyear
FROM (SELECT date '1992-01-01' + i AS d FROM generate_series(0, 2555) i) x;
CREATE TABLE customer AS
SELECT i AS c_custkey, 'CITY' || i % 60 AS c_city, 'NATION' || i % 25 AS c_nation, 'REGION' || i % 5 AS c_region
FROM generate_series(0, 299) i;
CREATE TABLE supplier AS
SELECT i AS s_suppkey, 'CITY' || i % 20 AS s_city, 'NATION' || i % 25 AS s_nation, 'REGION' || i % 5 AS s_region
FROM generate_series(0, 49) i;
CREATE TABLE part AS
SELECT i AS p_partkey, 'MFGR#' || i % 5 AS p_mfgr, 'MFGR#' || i % 25 AS p_category, 'MFGR#' || i % 100 AS p_brand1
FROM generate_series(0, 199) i;
ALTER TABLE dates ADD PRIMARY KEY (d_datekey);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey);
ALTER TABLE part ADD PRIMARY KEY (p_partkey);
ANALYZE lineorder, dates, customer, supplier, part;
SELECT name, compare(q) FROM (VALUES
	('Q1.1', 'SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates
		WHERE lo_orderdate = d_datekey AND d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25'),
	('Q1.3', 'SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates
		WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35'),
	('Q2.1', 'SELECT sum(lo_revenue), d_year, p_brand1 FROM lineorder, dates, part, supplier
		WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey AND lo_suppkey = s_suppkey
		AND p_category = ''MFGR#12'' AND s_region = ''REGION1'' GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1'),
	('Q3.1', 'SELECT c_nation, s_nation, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates
		WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND c_region = ''REGION2''
		AND s_region = ''REGION2'' AND d_year >= 1992 AND d_year <= 1997 GROUP BY c_nation, s_nation, d_year ORDER BY d_year ASC, revenue DESC, 1, 2'),
	('Q3.3', 'SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates
		WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND (c_city = ''CITY1'' OR c_city = ''CITY5'')
		AND (s_city = ''CITY1'' OR s_city = ''CITY5'') AND d_year >= 1992 AND d_year <= 1997 GROUP BY c_city, s_city, d_year ORDER BY d_year, revenue DESC, 1, 2'),
	('Q4.1', 'SELECT d_year, c_nation, sum(lo_revenue - lo_supplycost) AS profit FROM dates, customer, supplier, part, lineorder
		WHERE lo_custkey = c_custkey AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey
		AND c_region = ''REGION3'' AND s_region = ''REGION3'' AND (p_mfgr = ''MFGR#1'' OR p_mfgr = ''MFGR#2'') GROUP BY d_year, c_nation ORDER BY d_year, c_nation')) x(name, q);

-- plans: the inputs are children, the largest table is read by the device
SELECT prefer_device(false);
EXPLAIN (COSTS OFF) SELECT jr.n, sum(v) FROM jf JOIN ja ON a = ja.k LEFT JOIN jr ON r = jr.k
WHERE v > 0 AND ja.z AND EXISTS (SELECT 1 FROM jdup WHERE jdup.k = b) GROUP BY 1;
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT ja.n, count(*) FROM jf JOIN ja ON a = k WHERE k % 2 = 0 AND k < 20 GROUP BY 1');
SELECT explained('EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(*) FROM jf JOIN jt ON t = k WHERE jt.n = 3');
EXPLAIN (COSTS OFF) SELECT c, count(*), sum(v), max(n) FROM jf LEFT JOIN jdup ON a = k GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT count(*) FROM jf WHERE NOT EXISTS (SELECT 1 FROM jdup WHERE k = a AND n <> v);
-- prepared, with parameters for a plan of all values
PREPARE p (int4, text) AS SELECT ja.n, count(*) FROM jf JOIN ja ON a = k WHERE r = $1 AND ja.n < $2 AND v > $1 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE p (3, 'name 2');
EXECUTE p (3, 'name 15');
EXECUTE p (4, 'name 15');
EXECUTE p (NULL, 'name 15');
RESET plan_cache_mode;
-- the node is rescanned, and the input with it or not
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(v) FROM jf JOIN ja ON a = k WHERE r = i OFFSET 0) x;
SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(v) FROM jf JOIN ja ON a = k WHERE c = i OFFSET 0) x;
SELECT i, (SELECT count(*) FROM jf JOIN ja ON a = k WHERE jf.id % 7 = i AND r = 3) FROM generate_series(1, 3) i;
-- an input is read under the query's snapshot
BEGIN;
DECLARE snap CURSOR FOR SELECT ja.n, count(*) FROM jf JOIN ja ON a = k WHERE k < 3 GROUP BY 1 ORDER BY 1;
DELETE FROM ja WHERE k = 1;
FETCH ALL FROM snap;
SELECT ja.n, count(*) FROM jf JOIN ja ON a = k WHERE k < 3 GROUP BY 1 ORDER BY 1;
ROLLBACK;
RESET ALL;

-- row security on an input and on the table
CREATE ROLE regress_joins;
GRANT SELECT ON jf, ja TO regress_joins;
ALTER TABLE ja ENABLE ROW LEVEL SECURITY;
CREATE POLICY odd ON ja USING (k % 2 = 1);
ALTER TABLE jf ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON jf USING (c < 20);
SET ROLE regress_joins;
SET gpuagg.debug_require = require;
SELECT count(*), sum(k % 2), max(c) FROM jf JOIN ja ON a = k;
SELECT count(*), count(k), max(c) FROM jf LEFT JOIN ja ON a = k;
RESET gpuagg.debug_require;
SET gpuagg.enable = off;
SELECT count(*), sum(k % 2), max(c) FROM jf JOIN ja ON a = k;
SELECT count(*), count(k), max(c) FROM jf LEFT JOIN ja ON a = k;
RESET gpuagg.enable;
RESET ROLE;
ALTER TABLE ja DISABLE ROW LEVEL SECURITY;
ALTER TABLE jf DISABLE ROW LEVEL SECURITY;

-- what is left to PostgreSQL, and why
SELECT q, w.reason FROM (VALUES
	('SELECT jf.t, count(*) FROM ja LEFT JOIN jf ON a = k GROUP BY 1'),
	('SELECT ja.n, count(*) FROM ja FULL JOIN jf ON a = k GROUP BY 1'),
	('SELECT jdup.n, count(*) FROM jf JOIN jdup ON a = k GROUP BY 1'),
	('SELECT jdup.n, count(*) FROM jf LEFT JOIN jdup ON a = k GROUP BY 1'),
	('SELECT sum(v * n) FROM jf JOIN jdup ON a = k'),
	('SELECT sum(w) FROM jf JOIN jdup ON a = k'),
	('SELECT stddev(v) FROM jf JOIN jdup ON a = k'),
	('SELECT sum(1 / n) FROM jf JOIN jdup ON a = k'),
	('SELECT sum(coalesce(n, 1)) FROM jf LEFT JOIN jdup ON a = k'),
	('SELECT count(*) FILTER (WHERE n IS NULL) FROM jf LEFT JOIN jdup ON a = k'),
	('SELECT c, count(*) FROM jf WHERE EXISTS (SELECT 1 FROM jdup WHERE k = a AND n > v AND n < v + 10) GROUP BY 1'),
	('SELECT count(*) FROM jf JOIN ja ON a < k'),
	('SELECT count(*) FROM jf, ju'),
	('SELECT count(*) FROM jf JOIN ja ON w = q'),
	('SELECT count(*) FROM jf JOIN ja ON a = k WHERE random() < 2'),
	('SELECT ctid FROM (SELECT ja.ctid FROM jf JOIN ja ON a = k) x GROUP BY 1'),
	('SELECT count(*) FROM jf WHERE (a, c) NOT IN (SELECT k, n FROM jdup)')) x(q),
	LATERAL (SELECT string_agg(reason, '; ') AS reason FROM gpuagg.why_not(q) reason) w;
SET gpuagg.lookup_memory = 0;
SELECT string_agg(reason, '; ') FROM gpuagg.why_not('SELECT count(*) FROM jf JOIN ja ON a = k') reason;
RESET gpuagg.lookup_memory;
-- another table than the largest is read where that one cannot be: its input is not unique, or it is temporary
CREATE TEMP TABLE jtemp AS SELECT * FROM jf;
ANALYZE jtemp;
SELECT q, compare(q) FROM (VALUES
	('SELECT jdup.n, count(*), sum(v), max(v) FROM jf JOIN jdup ON a = k GROUP BY 1'),
	('SELECT sum(1 / n), count(*) FROM jf JOIN jdup ON a = k'),
	('SELECT sum(1 / (n - 11)), sum(v) FROM jf JOIN jdup ON a = k'),
	('SELECT sum(1 / (n - 3)) FROM jf JOIN jdup ON a = k'),
	('SELECT min(1 / n), sum(n), sum(v) FROM jf JOIN jdup ON a = k AND c = 3 WHERE jf.v > 0'),
	('SELECT jdup.n, ja.n, count(*) FROM jf JOIN jdup ON jf.a = jdup.k JOIN ja ON jdup.k = ja.k GROUP BY 1, 2'),
	('SELECT sum(1 / (jdup.n + r)) FROM jf JOIN jdup ON jf.a = jdup.k JOIN ja ON jdup.k = ja.k'),
	('SELECT ja.n, count(*), sum(v) FROM jtemp JOIN ja ON a = k GROUP BY 1'),
	('SELECT count(*), round(sum(q)::numeric, 3) FROM jtemp JOIN ja ON a = k WHERE jtemp.v > 3')) x (q);
SELECT prefer_device(false);
SELECT q, line FROM (VALUES
	('SELECT sum(1 / n), count(*) FROM jf JOIN jdup ON a = k'),
	('SELECT count(*), sum(m) FROM jtemp JOIN ja ON a = k WHERE jtemp.v > 3')) x (q),
	LATERAL (SELECT line FROM explained('EXPLAIN (COSTS OFF) ' || q) line WHERE line ~ 'Relation:' LIMIT 1) y;
RESET ALL;
-- products beyond 64 bits: PostgreSQL's plan
SELECT compare('SELECT sum(big * 10000000), avg(big * 10000000) FROM jf JOIN jdup ON a = k', 'prefer');
-- an input that turns out larger than it may be: PostgreSQL's plan
CREATE TABLE jwide (k int4 PRIMARY KEY, n text);
INSERT INTO jwide SELECT i, repeat('w', 10) FROM generate_series(1, 700) i;
ANALYZE jwide;
ALTER TABLE jwide SET (autovacuum_enabled = off);
UPDATE jwide SET n = repeat('w', 3990) || k;
SET gpuagg.lookup_memory = '1MB';
SELECT compare('SELECT length(n), count(*) FROM jf JOIN jwide ON a = k GROUP BY 1', 'prefer');
SELECT prefer_device(false);
SET gpuagg.fallback = off;
SELECT length(n), count(*) FROM jf JOIN jwide ON a = k GROUP BY 1;
RESET ALL;
-- values that only PostgreSQL reads: of the table, of an input
CREATE TABLE jtoast (a int4, t text);
INSERT INTO jtoast SELECT i % 700, CASE WHEN i % 1000 = 0 THEN repeat('long ', 4000) ELSE 'short' END FROM generate_series(1, 20000) i;
ANALYZE jtoast;
SELECT compare('SELECT length(t), ja.n, count(*) FROM jtoast JOIN ja ON a = k GROUP BY 1, 2', 'prefer');
UPDATE ja SET n = repeat('much ', 4000) WHERE k = 5;
SELECT compare('SELECT length(ja.n), ja.n, count(*) FROM jf JOIN ja ON a = k GROUP BY 2', 'require');
SET gpuagg.cost_scale = 0.001;
SELECT compare('SELECT c, count(*), length(min(ja.n COLLATE "C")) FROM jf JOIN ja ON c = r GROUP BY 1', 'require');
RESET gpuagg.cost_scale;
UPDATE ja SET m = 'nan' WHERE k = 5;
SELECT compare('SELECT m, count(*) FROM jf JOIN ja ON a = k GROUP BY 1', 'prefer');

-- probes: as many as rows are left by then; the look-up that drops most comes first
CREATE TABLE pf (id int, a int, b int, v int, pad text);
INSERT INTO pf SELECT i, i % 1000, i / 20, i % 5, repeat('x', 100) FROM generate_series(0, 19999) i;
-- g and h are one: PostgreSQL expects a tenth of the rows that there are
CREATE TABLE p1 (k int PRIMARY KEY, g int, h int, up int);
INSERT INTO p1 SELECT i, i % 10, i % 10, i % 7 FROM generate_series(0, 999) i;
CREATE TABLE p2 (k int PRIMARY KEY, r int, name text);
INSERT INTO p2 SELECT i, i % 20, 'p' || i % 3 FROM generate_series(0, 999) i;
CREATE TABLE p3 (k int PRIMARY KEY, n text NOT NULL);
INSERT INTO p3 SELECT i, 'n' || i FROM generate_series(0, 6) i;
VACUUM ANALYZE pf, p1, p2, p3;
-- each input by its rows: join, probes, rows left
CREATE FUNCTION probes(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(format('%s of %s rows: %s probes%s', x->>'Join Type', x->>'Rows', x->>'Probes',
									 ', ' || (x->>'Rows Left') || ' left'), '; ' ORDER BY (x->>'Rows')::int)
			FROM jsonb_array_elements(plan->'Look-up Joins') x);
END $$;
SELECT probes('SELECT count(*) FROM pf JOIN p2 ON b = p2.k WHERE r = 3 AND v = 0');
SELECT probes('SELECT p2.name, count(*) FROM pf LEFT JOIN p2 ON b = p2.k WHERE v = 0 GROUP BY 1');
SELECT probes('SELECT count(*) FROM pf WHERE NOT EXISTS (SELECT 1 FROM p2 WHERE p2.k = b AND r <> 3)');
-- the first run goes by the estimate, later ones by what it has found
SELECT probes('SELECT count(*), sum(v) FROM pf JOIN p1 ON a = p1.k JOIN p2 ON b = p2.k WHERE g = 1 AND h = 1 AND r = 3');
SELECT probes('SELECT count(*), sum(v) FROM pf JOIN p1 ON a = p1.k JOIN p2 ON b = p2.k WHERE g = 1 AND h = 1 AND r = 3');
SELECT probes('SELECT count(*), sum(v) FROM pf JOIN p1 ON a = p1.k JOIN p2 ON b = p2.k WHERE g = 1 AND h = 1 AND r = 3');
SELECT compare('SELECT p2.name, count(*), sum(v) FROM pf JOIN p1 ON a = p1.k JOIN p2 ON b = p2.k WHERE g = 1 AND h = 1 AND r = 3 GROUP BY 1');
-- a look-up by what another has found comes behind it, whatever it drops
SELECT probes('SELECT count(*) FROM pf JOIN p1 ON a = p1.k JOIN p3 ON up = p3.k WHERE p3.n = ''n4''');
SELECT compare('SELECT p3.n, count(*) FROM pf JOIN p1 ON a = p1.k JOIN p3 ON up = p3.k JOIN p2 ON b = p2.k WHERE r < 2 AND p3.n <> ''n4'' GROUP BY 1');
-- what may raise an error keeps its place
SELECT compare('SELECT count(*) FROM pf JOIN p1 ON a = p1.k AND 10 / (v + 1) > g JOIN p2 ON b = p2.k WHERE r = 3');
SELECT compare('SELECT count(*) FROM pf JOIN p1 ON a = p1.k JOIN p2 ON b = p2.k WHERE r = 3 AND g = 1 AND 1 / v > 0');

-- nothing is read where nothing can be joined, or a condition without columns is not true
CREATE FUNCTION rows_read(query text) RETURNS bigint LANGUAGE plpgsql SET gpuagg.debug_require = 'require'
SET plan_cache_mode = 'force_generic_plan' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.**."Rows Scanned"');
END $$;
PREPARE closed(int) AS SELECT v, count(*) FROM pf WHERE $1 < 0 GROUP BY v;
PREPARE open(int) AS SELECT v, count(*) FROM pf WHERE $1 < 0 GROUP BY v;
SELECT cache, rows_read('SELECT r, count(*) FROM pf JOIN p2 ON b = p2.k WHERE r > 1000 GROUP BY r') AS no_row,
	   rows_read('EXECUTE closed(1)') AS closed, rows_read('EXECUTE open(-1)') = count AS all
FROM unnest(ARRAY['on', 'off']) cache, (SELECT count(*) FROM pf) x, set_config('gpuagg.cache', cache, false);
RESET gpuagg.cache;
DEALLOCATE closed;
DEALLOCATE open;
DROP FUNCTION rows_read;

REVOKE ALL ON jf, ja FROM regress_joins;
DROP ROLE regress_joins;
DROP FUNCTION compared(text), probes(text);
DROP TABLE queries;
DROP TABLE jf, ja, jr, ju, jbig, jt, jd, jab, jdup, jnone, jempty, jwide, jtoast, lineorder, dates, customer, supplier, part, pf, p1, p2, p3;
