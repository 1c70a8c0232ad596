--
-- One grouping over several tables: partitions, child tables, UNION ALL.
--
\a
\t on
-- a range of partitions: groups that lie in one of them, and in all of them
CREATE TABLE pa (id int4, k int4, t text, b char(5), d date, v int8, n numeric(10,2), f float8, u uuid) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE pa_%s PARTITION OF pa FOR VALUES FROM (%s) TO (%s)', i, i * 1000, (i + 1) * 1000) FROM generate_series(0, 5) i \gexec
INSERT INTO pa
SELECT i, nullif(i % 11, 10), CASE WHEN i % 17 > 0 THEN repeat('t', i % 29) END, 'b' || i % 3, '2024-01-01'::date + i % 40,
	   nullif(i % 100, 7) * i, CASE WHEN i % 5 > 0 THEN i / 4.0 END, CASE i % 9 WHEN 0 THEN '-0' WHEN 1 THEN 0 ELSE i / 8.0 END, md5((i % 6)::text)::uuid
FROM generate_series(0, 5999) i;
ANALYZE pa;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(*), count(t), sum(v), sum(n), avg(v), avg(n), min(d), max(d), min(n), max(v) FROM pa GROUP BY k',
	'SELECT t, b, count(*), min(t COLLATE "C"), max(b COLLATE "C"), max(t COLLATE "C") FROM pa GROUP BY t, b',
	'SELECT u, k, d, count(*), bit_and(k), bit_or(k), bit_xor(id), bool_and(v > 0), bool_or(v > 0), every(f > 1) FROM pa GROUP BY u, k, d',
	'SELECT id, sum(v) FROM pa GROUP BY id',
	'SELECT id / 1000, sum(v) FROM pa GROUP BY 1 HAVING count(*) > 5',
	'SELECT n, count(*) FROM pa GROUP BY n',
	'SELECT f < 100, count(*), min(f), max(f) FROM pa GROUP BY 1',
	'SELECT count(*), sum(v), min(t COLLATE "C"), avg(n) FROM pa',
	'SELECT count(*), sum(v) FROM pa WHERE k = 77',
	'SELECT k, count(*) FROM pa WHERE k = 77 GROUP BY k',
	'SELECT DISTINCT k, b FROM pa',
	'SELECT count(*) FILTER (WHERE k > 3), sum(v) FILTER (WHERE t LIKE ''tt%'') FROM pa WHERE d > ''2024-01-05''',
	'SELECT date_trunc(''month'', d), extract(dow FROM d), count(*) FROM pa GROUP BY 1, 2',
	'SELECT k, c FROM (SELECT k, b, count(*) AS c FROM pa GROUP BY k, b) x WHERE c > 10']) q;
SELECT compare('SELECT f, count(*), sum(f), avg(f) FROM pa GROUP BY f', tolerance => 1e-12);
SELECT compare('SELECT k, sum(f), avg(f) FROM pa GROUP BY k', tolerance => 1e-12);
SELECT compare('SELECT k, count(*) FROM pa GROUP BY k ORDER BY count(*) DESC, k LIMIT 3');
-- again, from columns that the first queries have left on the device
VACUUM (FREEZE) pa;
SELECT compare('SELECT t, b, count(*), sum(v) FROM pa GROUP BY t, b') FROM generate_series(1, 2);
-- tables with one program are one task: with it groups may be left out, and strings are strings
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT id, count(*), sum(v) FROM pa GROUP BY id HAVING count(*) > 1 ORDER BY sum(v) DESC LIMIT 3;
RESET gpuagg.debug_require;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT v, count(*), sum(id) FROM pa GROUP BY v HAVING sum(id) > 7000 ORDER BY sum(id) DESC, v LIMIT 4',
	'SELECT t, id % 100, count(*), max(b COLLATE "C") FROM pa GROUP BY 1, 2',
	'SELECT a, count(*) FROM (SELECT k AS a FROM pa UNION ALL SELECT k FROM pa) x GROUP BY a']) q;
-- one after the other in hash windows, without the cache, and with a value in each that only PostgreSQL reads
SET gpuagg.cache = off;
SELECT compare('SELECT id, t, count(*), sum(v) FROM pa GROUP BY id, t');
RESET gpuagg.cache;
SET gpuagg.strategy = 'multi-pass-naive';
SELECT compare('SELECT id, v, count(*), sum(f) FROM pa GROUP BY id, v', tolerance => 1e-12);
RESET gpuagg.strategy;
BEGIN;
INSERT INTO pa (id, k, t) SELECT i * 1000 + 1, 2, repeat('compressed ', 900) FROM generate_series(0, 5) i;
SELECT compare('SELECT t, count(*), min(id) FROM pa GROUP BY t');
ROLLBACK;
-- more groups than a hash table may have memory for: they are merged by parts of the hash
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id, t, count(*), sum(v) FROM pa GROUP BY id, t');
SELECT compare('SELECT id % 3000, count(*), sum(v), max(t COLLATE "C") FROM pa GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
-- sums that PostgreSQL has to look at
INSERT INTO pa (id, k, f) VALUES (1, 1, 'inf'), (2001, 1, '-inf');
SELECT compare('SELECT k, sum(f) FROM pa GROUP BY k', 'prefer', 1e-12);
UPDATE pa SET f = CASE WHEN f > 0 THEN 1e308 ELSE -1e308 END WHERE abs(f) = 'inf';
SELECT compare('SELECT k, sum(f) FROM pa WHERE abs(f) >= 1e308 GROUP BY k', 'prefer');
INSERT INTO pa (id, k, f) VALUES (4001, 1, 1e308), (5001, 1, 1e308);
SELECT compare('SELECT k, sum(f) FROM pa WHERE f >= 1e308 GROUP BY k', 'prefer');
DELETE FROM pa WHERE abs(f) >= 1e308;

-- pruned while planning, when execution begins, and while it runs
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT k, sum(v) FROM pa WHERE id >= 2000 AND id < 4000 AND v > 5 GROUP BY k;
EXPLAIN (COSTS OFF, VERBOSE) SELECT k, sum(v) FROM pa WHERE id >= 2000 AND id < 4000 AND v > 5 GROUP BY k;
EXPLAIN (COSTS OFF) SELECT k, sum(v) FROM pa WHERE id = 2000 GROUP BY k;
PREPARE pa_q(int4, int4) AS SELECT k, count(*), sum(v) FROM pa WHERE id >= $1 AND id < $2 GROUP BY k ORDER BY k;
SET plan_cache_mode = 'force_generic_plan';
EXPLAIN (COSTS OFF) EXECUTE pa_q(1000, 3000);
SELECT explained('EXPLAIN (COSTS OFF, FORMAT YAML) EXECUTE pa_q(1000, 1010)');
EXECUTE pa_q(1000, 1010);
EXECUTE pa_q(7000, 9000);
EXECUTE pa_q(2995, 3005);
PREPARE pa_all(int4) AS SELECT count(*), sum(v) FROM pa WHERE id = $1;
EXPLAIN (COSTS OFF) EXECUTE pa_all(99999);
EXECUTE pa_all(99999);
EXECUTE pa_all(3456);
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT x, s FROM generate_series(0, 3) x, LATERAL (SELECT sum(v) AS s FROM pa WHERE id = (SELECT x * 1500)) y');
RESET plan_cache_mode;
RESET gpuagg.debug_require;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT x, (SELECT sum(v) FROM pa WHERE id = x * 1500) FROM generate_series(-1, 5) x',
	'SELECT k, count(*) FROM pa WHERE id < (SELECT 1500) GROUP BY k',
	'SELECT count(*) FROM pa WHERE id > (SELECT 1500000)',
	'SELECT k, count(*) FROM pa WHERE id IN (5, 5000) OR id BETWEEN 3990 AND 4010 GROUP BY k']) q;
SET enable_partition_pruning = off;
SELECT compare('SELECT k, count(*) FROM pa WHERE id < 1500 GROUP BY k');
RESET enable_partition_pruning;
SELECT compare('SELECT count(*) FROM pa WHERE id < 0 AND id > 10', 'any');
SET enable_partitionwise_aggregate = on;
SELECT compare('SELECT id, count(*) FROM pa GROUP BY id');
RESET enable_partitionwise_aggregate;

-- cursors, transactions, subtransactions
BEGIN;
INSERT INTO pa (id, k) SELECT i, 3 FROM generate_series(0, 5999, 500) i;
SELECT compare('SELECT k, count(*) FROM pa GROUP BY k');
SAVEPOINT s;
DELETE FROM pa WHERE id % 2 = 0;
SELECT compare('SELECT k, count(*) FROM pa GROUP BY k');
ROLLBACK TO s;
SELECT compare('SELECT k, count(*) FROM pa GROUP BY k');
SET LOCAL gpuagg.debug_require = 'require';
DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM pa GROUP BY k ORDER BY k;
MOVE LAST FROM c;
FETCH BACKWARD 2 FROM c;
ROLLBACK;

-- other orders of columns, dropped columns, columns added with defaults of their own
CREATE TABLE pl (a int4, x text, b int8, c text, n numeric(8,2)) PARTITION BY LIST (a);
CREATE TABLE pl_1 PARTITION OF pl FOR VALUES IN (1);
INSERT INTO pl SELECT 1, 'x', i, 'c' || i % 4, i / 3.0 FROM generate_series(1, 400) i;
ALTER TABLE pl DROP COLUMN x;
CREATE TABLE pl_2 PARTITION OF pl FOR VALUES IN (2);
CREATE TABLE pl_3 (n numeric(8,2), gone float8, c text, b int8 NOT NULL, more int2, a int4);
ALTER TABLE pl_3 DROP COLUMN gone, DROP COLUMN more;
INSERT INTO pl_3 SELECT i / 7.0, 'c' || i % 5, i, 3 FROM generate_series(1, 300) i;
ALTER TABLE pl ATTACH PARTITION pl_3 FOR VALUES IN (3);
CREATE TABLE pl_d PARTITION OF pl DEFAULT PARTITION BY HASH (b);
CREATE TABLE pl_d0 PARTITION OF pl_d FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE pl_d1 (b int8, c text, n numeric(8,2), a int4);
ALTER TABLE pl_d ATTACH PARTITION pl_d1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO pl SELECT i % 6, i, 'c' || i % 3, i FROM generate_series(1, 3000) i WHERE i % 6 <> 1;
INSERT INTO pl VALUES (NULL, 5, NULL, NULL), (1, NULL, NULL, NULL);
-- toasted values are PostgreSQL's to evaluate, each with its table
INSERT INTO pl SELECT a, a, repeat('long, but the same ', 400), 1 FROM generate_series(1, 6) a;
ALTER TABLE pl ADD COLUMN e int4 DEFAULT 10;
INSERT INTO pl SELECT a, a, 'new', 1, a FROM generate_series(1, 6) a;
ALTER TABLE pl_2 ALTER COLUMN e SET DEFAULT 20;
ANALYZE pl;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT c, count(*), count(b), sum(b), sum(n), max(a) FROM pl GROUP BY c',
	'SELECT a, e, count(*), min(b), max(c COLLATE "C"), sum(e) FROM pl GROUP BY a, e',
	'SELECT b, count(*) FROM pl WHERE n > 3 GROUP BY b',
	'SELECT e, count(*) FROM pl WHERE a IN (2, 3) AND c = ''c1'' GROUP BY e',
	'SELECT count(*), min(b), sum(n), sum(e) FROM pl WHERE a IS NULL OR a > 3',
	'SELECT c, sum(b) FROM pl WHERE a = 3 GROUP BY c']) q;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT c, count(*) FROM pl WHERE a = 2 GROUP BY c;
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT c, count(*) FROM pl WHERE a > 3 AND b = (SELECT 7) GROUP BY c');
RESET gpuagg.debug_require;
-- added columns whose missing values differ from table to table
CREATE TABLE pm (a int4) PARTITION BY LIST (a);
CREATE TABLE pm_1 (a int4);
CREATE TABLE pm_2 (a int4);
INSERT INTO pm_1 VALUES (1), (1);
INSERT INTO pm_2 VALUES (2);
ALTER TABLE pm_1 ADD COLUMN m text DEFAULT 'of the first, and long';
ALTER TABLE pm_2 ADD COLUMN m text DEFAULT 'second';
ALTER TABLE pm ADD COLUMN m text;
ALTER TABLE pm ATTACH PARTITION pm_1 FOR VALUES IN (1);
ALTER TABLE pm ATTACH PARTITION pm_2 FOR VALUES IN (2);
CREATE TABLE pm_3 PARTITION OF pm FOR VALUES IN (3);
INSERT INTO pm VALUES (1), (2), (3);
SELECT compare('SELECT m, count(*), sum(a) FROM pm GROUP BY m');

-- inheritance: more columns, conditions of child tables, ONLY
CREATE TABLE ih (a int4, b int4);
SET client_min_messages = warning;
CREATE TABLE ih_1 (c text, d int8) INHERITS (ih);
CREATE TABLE ih_2 (z float8, b int4, a int4 CHECK (a > 100)) INHERITS (ih);
CREATE TABLE ih_3 () INHERITS (ih_1);
RESET client_min_messages;
INSERT INTO ih SELECT i % 5, i FROM generate_series(1, 300) i;
INSERT INTO ih_1 SELECT i % 7, i, 'c', i FROM generate_series(1, 300) i;
INSERT INTO ih_2 (a, b) SELECT 100 + i % 3 + 1, i FROM generate_series(1, 300) i;
INSERT INTO ih_3 SELECT i % 9, NULL FROM generate_series(1, 300) i;
ALTER TABLE ONLY ih ALTER COLUMN a SET NOT NULL;
ANALYZE ih;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT a, count(*), sum(b), min(a), count(b) FROM ih GROUP BY a',
	'SELECT a, count(*), sum(b) FROM ONLY ih GROUP BY a',
	'SELECT a, c, count(*), sum(d) FROM ih_1 GROUP BY a, c',
	'SELECT a, count(*), sum(b) FROM ih WHERE a < 50 GROUP BY a',
	'SELECT a, count(*) FROM ih WHERE b IS NULL GROUP BY a']) q;
SET constraint_exclusion = off;
SELECT compare('SELECT a, count(*), sum(b) FROM ih WHERE a < 50 GROUP BY a');
-- a sample with a computed key, of which PostgreSQL's plan makes an Append
SET gpuagg.debug_fault = 'begin';
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT a / 2, count(*), sum(b + 1) FROM ih TABLESAMPLE SYSTEM (100) REPEATABLE (1) GROUP BY a / 2',
	'SELECT a % 3 = 1, nullif(a, 3), count(*) FROM ih TABLESAMPLE BERNOULLI (40) REPEATABLE (1) WHERE b > 7 GROUP BY 1, 2']) q;
RESET gpuagg.debug_fault;
RESET constraint_exclusion;
SELECT compare('SELECT tableoid, count(*) FROM ih GROUP BY tableoid', 'try');
SELECT compare('SELECT ih, count(*) FROM ih GROUP BY ih', 'try');

-- UNION ALL of tables: casts, constants, the same table twice, partitions in it
CREATE TABLE un_1 (a int4, b text, v int8, n numeric(6,2), s int2);
CREATE TABLE un_2 (b varchar(20), a int2, v int4, n numeric(8,3), s int2);
INSERT INTO un_1 SELECT i % 7, 'b' || i % 3, i, i / 4.0, i % 3 FROM generate_series(1, 500) i;
INSERT INTO un_2 SELECT 'b' || i % 4, i % 5, i, i / 8.0, i % 3 FROM generate_series(1, 500) i;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT a, count(*), sum(v) FROM (SELECT a, v FROM un_1 UNION ALL SELECT a::int4, v::int8 FROM un_2) x GROUP BY a',
	'SELECT w, b, count(*), sum(v), min(v) FROM (SELECT ''one'' AS w, b, v FROM un_1 UNION ALL SELECT ''the second of them'', b::text, v::int8 FROM un_2) x GROUP BY w, b',
	'SELECT w, count(*), count(w), min(w), sum(w) FROM (SELECT 1 AS w, b FROM un_1 UNION ALL SELECT NULL, b::text FROM un_2 UNION ALL SELECT a + 1, b FROM un_1) x GROUP BY w',
	'SELECT b, sum(s), avg(s), count(*) FROM (SELECT b, s FROM un_1 UNION ALL SELECT b::text, s FROM un_2 UNION ALL SELECT t, 1::int2 FROM pa) x WHERE b COLLATE "C" > ''b0'' GROUP BY b',
	'SELECT count(*), sum(v) FROM (SELECT v FROM un_1 UNION ALL SELECT v FROM un_1) x WHERE v > 10',
	'SELECT k, count(*) FROM (SELECT k FROM pa UNION ALL SELECT a FROM pl UNION ALL SELECT a FROM ih) x GROUP BY k']) q;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF, VERBOSE) SELECT a, count(*) FROM (SELECT a FROM un_1 UNION ALL SELECT a::int4 FROM un_2) x WHERE a > 2 GROUP BY a;
RESET gpuagg.debug_require;
SELECT q, regexp_replace(why, '[0-9]+\.[0-9]+', 'n', 'g') AS why FROM unnest(ARRAY[
	'SELECT n, count(*) FROM (SELECT n FROM un_1 UNION ALL SELECT n FROM un_2) x GROUP BY n',
	'SELECT a, count(*) FROM (SELECT a FROM un_1 WHERE v > 5 UNION ALL SELECT a FROM un_2) x GROUP BY a',
	'SELECT a, count(*) FROM (SELECT a FROM un_1 UNION SELECT a FROM un_2) x GROUP BY a',
	'SELECT a, count(*) FROM (SELECT a FROM un_1 TABLESAMPLE SYSTEM (50) UNION ALL SELECT a FROM un_2) x GROUP BY a',
	'SELECT a, count(*) FROM (SELECT a FROM un_1 UNION ALL SELECT a FROM un_2) x GROUP BY a',
	'SELECT k, count(*) FROM pa TABLESAMPLE gpuagg.random_rows (50) GROUP BY k']) q, gpuagg.why_not(q) why;
SELECT compare('SELECT n::numeric(12,4), count(*) FROM (SELECT n FROM un_1 UNION ALL SELECT n FROM un_2) x GROUP BY 1', 'prefer');

-- samples: one of each table, PostgreSQL's own rows
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(*), sum(v) FROM pa TABLESAMPLE BERNOULLI (30) REPEATABLE (7) GROUP BY k',
	'SELECT t, b, count(*), count(DISTINCT v) FROM pa TABLESAMPLE BERNOULLI (30) REPEATABLE (7) GROUP BY t, b',
	'SELECT k, count(*), sum(v) FROM pa TABLESAMPLE SYSTEM (40) REPEATABLE (3) GROUP BY k',
	'SELECT id / 1000, count(*) FROM pa TABLESAMPLE SYSTEM (60) REPEATABLE (1.5) WHERE id > 1500 GROUP BY 1',
	'SELECT count(*), min(id), max(id) FROM pa TABLESAMPLE BERNOULLI (0)',
	'SELECT k, count(*) FROM pa TABLESAMPLE BERNOULLI (100) WHERE k > 3 GROUP BY k',
	'SELECT k, count(*) FROM pa TABLESAMPLE SYSTEM (100) GROUP BY ROLLUP (k)',
	'SELECT a, count(*), sum(b) FROM ih TABLESAMPLE BERNOULLI (50) REPEATABLE (2) GROUP BY a',
	'SELECT a, e, count(*) FROM pl TABLESAMPLE SYSTEM (50) REPEATABLE (9) GROUP BY a, e',
	'SELECT c, count(*), sum(n) FROM pl TABLESAMPLE BERNOULLI (20) REPEATABLE (9) WHERE a > 2 GROUP BY c',
	'SELECT a, count(*) FROM pl TABLESAMPLE BERNOULLI (50) REPEATABLE (9) WHERE a = 2 GROUP BY a',
	'SELECT x, (SELECT count(*) FROM pa TABLESAMPLE BERNOULLI (x * 20) REPEATABLE (x) WHERE id > x * 900) FROM generate_series(0, 5) x']) q;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT k, count(*) FROM pa TABLESAMPLE BERNOULLI (30) REPEATABLE (7) WHERE id > 1500 GROUP BY k;
EXPLAIN (COSTS OFF, VERBOSE) SELECT upper(c), count(*) FROM pl TABLESAMPLE SYSTEM (5 + 5) WHERE b > 3 GROUP BY 1;
-- dice of each table's own where none are given: equal rows in all of them, and another sample of each
CREATE TABLE ps (p int4, i int4) PARTITION BY LIST (p);
SELECT format('CREATE TABLE ps_%s PARTITION OF ps FOR VALUES IN (%s)', p, p) FROM generate_series(1, 4) p \gexec
INSERT INTO ps SELECT p, i FROM generate_series(1, 4) p, generate_series(1, 2000) i;
ANALYZE ps;
SET gpuagg.debug_require = 'prefer';
SELECT count(DISTINCT s), bool_and(n BETWEEN 800 AND 1200) FROM (SELECT p, count(*) AS n, sum(i) AS s FROM ps TABLESAMPLE BERNOULLI (50) GROUP BY p) x;
SELECT count(DISTINCT s), bool_and(n BETWEEN 800 AND 1200) FROM (SELECT p, count(*) AS n, sum(i) AS s FROM ps TABLESAMPLE BERNOULLI (50) REPEATABLE (5) GROUP BY p) x;
-- rescans draw again with the same dice
SET gpuagg.debug_require = 'require';
SELECT count(*), count(DISTINCT c) FROM (SELECT x, (SELECT sum(i) + 0 * x FROM ps TABLESAMPLE BERNOULLI (50) WHERE i > x - x) AS c FROM generate_series(1, 4) x) y;
SELECT sum(i) FROM ps TABLESAMPLE BERNOULLI (101);
SELECT sum(i) FROM ps TABLESAMPLE SYSTEM (50) REPEATABLE (NULL);
SELECT sum(i) FROM ps TABLESAMPLE BERNOULLI (101) WHERE 1 = (SELECT 2);
RESET gpuagg.debug_require;
-- where the device fails, PostgreSQL's plan draws by the same dice
SET gpuagg.debug_fault = 'results';
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT p, count(*), sum(i) FROM ps TABLESAMPLE BERNOULLI (50) REPEATABLE (5) GROUP BY p',
	'SELECT p, count(*), sum(i) FROM ps TABLESAMPLE BERNOULLI (100) GROUP BY p']) q;
RESET gpuagg.debug_fault;
-- the example of doc/sampling.md
CREATE TABLE sales (day date, shop int4, cents int4) PARTITION BY RANGE (day);
SELECT format('CREATE TABLE sales_%s PARTITION OF sales FOR VALUES FROM (%L) TO (%L)', to_char(d, 'YYYYMM'), d::date, (d + '1 month')::date)
FROM generate_series('2025-01-01'::timestamp, '2025-12-01', '1 month') d \gexec
INSERT INTO sales SELECT date '2025-01-01' + i % 365, i % 3, (i * 7919::int8) % 10000 FROM generate_series(0, 365000) i;
VACUUM ANALYZE sales;
SET gpuagg.debug_require = 'require';
SELECT shop, count(*) AS n, round(sum(cents) / 0.05) AS cents,
       round(sqrt(sum(cents::int8 * cents) * (1 - 0.05)) / 0.05) AS cents_se
FROM sales TABLESAMPLE BERNOULLI (5) REPEATABLE (1) WHERE day >= '2025-07-01' GROUP BY shop ORDER BY shop;
EXPLAIN (COSTS OFF) SELECT shop, count(*), sum(cents) FROM sales TABLESAMPLE BERNOULLI (5) REPEATABLE (1) WHERE day >= '2025-07-01' GROUP BY shop;
SELECT shop, sum(cents) FROM sales WHERE day >= '2025-07-01' GROUP BY shop ORDER BY shop;
RESET gpuagg.debug_require;

-- numerics without a scale, of which tables have seen other decimals: one scale for all
CREATE TABLE pn (p int4, n numeric, m numeric) PARTITION BY LIST (p);
CREATE TABLE pn_1 PARTITION OF pn FOR VALUES IN (1);
CREATE TABLE pn_2 PARTITION OF pn FOR VALUES IN (2);
CREATE TABLE pn_3 (m numeric, n numeric, p int4);
ALTER TABLE pn ATTACH PARTITION pn_3 FOR VALUES IN (3);
INSERT INTO pn SELECT 1, i, i FROM generate_series(1, 500) i;
INSERT INTO pn SELECT 2, (i / 100.0)::numeric(10,2), 1 FROM generate_series(1, 500) i;
INSERT INTO pn SELECT 3, (i / 100000.0)::numeric(10,5), 1.25 FROM generate_series(1, 500) i;
ANALYZE pn_1, pn_2, pn_3;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT p, count(n), sum(n), min(n), max(n), avg(m) FROM pn GROUP BY p',
	'SELECT m, count(*), sum(n) FROM pn GROUP BY m',
	'SELECT sum(n * m), max(n) FROM pn WHERE n > 0.5',
	'SELECT p, sum(x), count(*) FROM (SELECT p, n AS x FROM pn UNION ALL SELECT p, m FROM pn_3) y GROUP BY p']) q;
ANALYZE pn;
SELECT compare('SELECT p, count(n), sum(n), min(n), max(n), avg(m) FROM pn GROUP BY p');

-- empty ones, none at all
CREATE TABLE pe (a int4, b int4) PARTITION BY HASH (a);
SELECT compare('SELECT count(*), sum(b) FROM pe', 'any');
CREATE TABLE pe_0 PARTITION OF pe FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE pe_1 PARTITION OF pe FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT q, compare(q) FROM unnest(ARRAY['SELECT count(*), sum(b), max(b), avg(a) FROM pe', 'SELECT a, count(*) FROM pe GROUP BY a',
	'SELECT count(*) FROM pe WHERE b / 0 = 1', 'SELECT count(*) FROM pe WHERE b = (SELECT 1 / (random() * 0)::int4)']) q;
INSERT INTO pe VALUES (1, 2);
SELECT q, compare(q) FROM unnest(ARRAY['SELECT count(*), sum(b), max(b), avg(a) FROM pe', 'SELECT a, count(*) FROM pe GROUP BY a', 'SELECT count(*) FROM pe WHERE b / 0 = 1']) q;

-- one that a device cannot read: its groups are PostgreSQL's, where states can be combined (partial.sql)
CREATE EXTENSION file_fdw;
CREATE SERVER pa_files FOREIGN DATA WRAPPER file_fdw;
CREATE TABLE pf (a int4, b int4) PARTITION BY LIST (a);
CREATE TABLE pf_1 PARTITION OF pf FOR VALUES IN (1);
CREATE FOREIGN TABLE pf_2 PARTITION OF pf FOR VALUES IN (2) SERVER pa_files OPTIONS (filename '/dev/null');
INSERT INTO pf VALUES (1, 1), (1, 2);
CREATE TEMP TABLE ih_temp () INHERITS (ih);
INSERT INTO ih_temp SELECT -i, i FROM generate_series(1, 20) i;
SELECT compare('SELECT abs(a), a % 2 = 0, count(*), sum(b + 1) FROM ih GROUP BY 1, 2', 'prefer');
SET gpuagg.debug_fault = 'begin';
SELECT compare('SELECT a / 2, count(*), sum(b + 1) FROM ih GROUP BY a / 2', 'prefer');
RESET gpuagg.debug_fault;
SELECT q, why FROM unnest(ARRAY['SELECT a, count(DISTINCT b) FROM pf GROUP BY a']) q, gpuagg.why_not(q) why;
SELECT compare('SELECT a, count(*) FROM pf GROUP BY a');
SELECT compare('SELECT a, count(DISTINCT b) FROM pf GROUP BY a', 'try');
SELECT compare('SELECT a, count(*), sum(b) FROM pf WHERE a = 1 GROUP BY a');
SET client_min_messages = warning;
DROP EXTENSION file_fdw CASCADE;
RESET client_min_messages;

-- privileges are those of the table that is named; row security, too
CREATE ROLE pa_reader;
GRANT SELECT (k, v) ON pa TO pa_reader;
GRANT SELECT ON un_1 TO pa_reader;
ALTER TABLE pa_2 ENABLE ROW LEVEL SECURITY;
SET ROLE pa_reader;
SET gpuagg.debug_require = 'require';
SELECT count(*), sum(v) > 0 FROM pa WHERE k < 5;
SELECT count(*) FROM pa_1;
SELECT id, count(*) FROM pa GROUP BY id;
SELECT a, count(*) FROM (SELECT a FROM un_1 UNION ALL SELECT a::int4 FROM un_2) x GROUP BY a;
RESET ROLE;
ALTER TABLE pa ENABLE ROW LEVEL SECURITY;
CREATE POLICY pa_some ON pa USING (k = 1 AND v > 100);
SET ROLE pa_reader;
SELECT k, count(*), min(v) FROM pa GROUP BY k;
EXPLAIN (COSTS OFF) SELECT k, count(*) FROM pa WHERE v < 200 GROUP BY k;
RESET ROLE;
RESET gpuagg.debug_require;

-- faults: the whole query falls back, or a failed task alone is made again
SET gpuagg.debug_fault = 'results';
SELECT compare('SELECT k, count(*), sum(v) FROM pa GROUP BY k', 'prefer');
RESET gpuagg.debug_fault;
SET gpuagg.fallback = off;
SET gpuagg.debug_fault = 'pages';
SET gpuagg.debug_require = 'prefer';
SELECT k, count(*) FROM pa GROUP BY k;
RESET gpuagg.debug_require;
RESET gpuagg.debug_fault;
RESET gpuagg.fallback;

-- groups are remembered under the table that is named
SELECT compare('SELECT k % 5, count(*) FROM pa GROUP BY 1');
SET client_min_messages = warning;
DROP TABLE pa, pl, pm, pe, pf, ps, pn, sales, un_1, un_2;
DROP TABLE ih CASCADE;
DROP ROLE pa_reader;
