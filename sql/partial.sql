--
-- Groupings of which the device reads some tables and PostgreSQL the others, foreign and temporary ones: states are combined.
--
\a
\t on
CREATE EXTENSION file_fdw;
CREATE SERVER pr_files FOREIGN DATA WRAPPER file_fdw;
CREATE TABLE pr (id int4, k int4, s int2, v int8, n numeric(12,3), w numeric, f float8, t text, d date, b bool) PARTITION BY RANGE (id);
CREATE TABLE pr_0 PARTITION OF pr FOR VALUES FROM (0) TO (1000);
CREATE TABLE pr_1 (b bool, d date, t text, f float8, w numeric, n numeric(12,3), v int8, s int2, k int4, id int4);
ALTER TABLE pr ATTACH PARTITION pr_1 FOR VALUES FROM (1000) TO (2000);
CREATE TABLE pr_2 PARTITION OF pr FOR VALUES FROM (2000) TO (3000);
INSERT INTO pr SELECT i, nullif(i % 7, 6), i % 300, nullif(i % 50, 7) * 100000000000000000, nullif(i % 40, 3) / 7.0, CASE WHEN i % 5 > 0 THEN ((i % 90)::numeric / 8)::numeric(10,3) END,
	   (i % 30) / 4.0, CASE WHEN i % 9 > 0 THEN repeat('t', i % 6) END, '2024-01-01'::date + i % 40, i % 3 = 0
FROM generate_series(0, 2999) i;
-- the last partition is a file of a program: PostgreSQL's rows of the same kind, with NULLs
CREATE FOREIGN TABLE pr_f PARTITION OF pr FOR VALUES FROM (3000) TO (4000) SERVER pr_files
OPTIONS (program $$awk 'BEGIN { for (i = 3000; i < 3500; i++) printf "%d,%d,%d,%s,%.3f,%.2f,%.2f,%s,2024-02-%02d,%s\n", i, i % 8, i % 200, (i % 11 ? (i % 50) "00000000000000000" : ""), i % 40 / 7, i % 100 / 8, i % 30 / 4, (i % 4 ? "tt" : ""), i % 28 + 1, (i % 2 ? "t" : "f") }'$$, format 'csv');
ANALYZE pr;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(*), count(v), count(t) FROM pr GROUP BY k',
	'SELECT k, sum(s), sum(id), avg(s), avg(id), avg(k) FROM pr GROUP BY k',
	'SELECT k, sum(v), avg(v) FROM pr GROUP BY k',
	'SELECT k, avg(v), sum(v), avg(v) + 1 FROM pr GROUP BY k HAVING sum(v) > 0 AND avg(n) > 1',
	'SELECT k, sum(n), avg(n), min(n), max(n) FROM pr GROUP BY k',
	'SELECT k, sum(w), avg(w), min(w), max(w) FROM pr GROUP BY k',
	'SELECT t, min(t COLLATE "C"), max(t COLLATE "C"), min(d), max(d), min(v), max(s) FROM pr GROUP BY t',
	'SELECT k, bool_and(b), bool_or(b), every(b), bit_and(id), bit_or(s), bit_xor(v) FROM pr GROUP BY k',
	'SELECT f, k, count(*) FILTER (WHERE s > 100), sum(v) FILTER (WHERE b) FROM pr GROUP BY f, k',
	'SELECT count(*), sum(v), avg(n), min(t COLLATE "C"), avg(id), sum(w) FROM pr',
	'SELECT count(*), sum(v), avg(n), avg(id) FROM pr WHERE k = 77',
	'SELECT count(v), sum(v), avg(v), sum(n), avg(w) FROM pr WHERE v IS NULL',
	'SELECT k, count(*) FROM pr WHERE k = 77 GROUP BY k',
	'SELECT upper(t), count(*), sum(id) FROM pr GROUP BY upper(t)',
	'SELECT upper(t), avg(s), sum(v) FROM pr WHERE md5(t) > ''2'' GROUP BY 1 HAVING count(*) > 3',
	'SELECT DISTINCT k, b FROM pr',
	'SELECT id, count(*), sum(v) FROM pr GROUP BY id',
	'SELECT k, n FROM (SELECT k, count(*) AS n FROM pr GROUP BY k) x WHERE n > 400',
	'SELECT k, count(*) FROM pr GROUP BY k ORDER BY count(*) DESC, k LIMIT 3',
	'SELECT k, sum(v) FROM pr WHERE id < 2500 GROUP BY k',
	'SELECT k, sum(v) FROM (SELECT k, v FROM pr UNION ALL SELECT k, v FROM pr_0) x GROUP BY k',
	'SELECT k, stddev(v), var_pop(v), variance(n), stddev_pop(n), var_samp(w) FROM pr GROUP BY k',
	'SELECT k, stddev(id), var_pop(s), avg(id), sum(id), var_samp(s), stddev_samp(k) FROM pr GROUP BY k',
	'SELECT id, stddev(v), var_pop(n), var_samp(s) FILTER (WHERE b) FROM pr GROUP BY id',
	'SELECT var_pop(v), stddev(n), variance(s), regr_count(f, s) FROM pr WHERE k = 77',
	'SELECT stddev(v), var_pop(v), stddev(n) FROM pr WHERE v IS NULL OR id IN (3, 3001)']) q;
SELECT q, compare(q, tolerance => 1e-12) FROM unnest(ARRAY[
	'SELECT k, sum(f), count(f), avg(f), avg(f::float4) FROM pr GROUP BY k',
	'SELECT sum(f), avg(f) FILTER (WHERE b), sum(f) FILTER (WHERE k = 3) FROM pr']) q;
-- variances are of sums of squares
-- (19's states of two arguments tell, too, which value all rows share: those are not combined)
SELECT q, replace(compare(q, CASE WHEN current_setting('server_version_num')::int < 190000 THEN 'require' ELSE 'try' END, 1e-9), ', not on the device', '') AS compare
FROM unnest(ARRAY[
	'SELECT k, avg(f), stddev(f), var_pop(f), var_samp(f::float4) FROM pr GROUP BY k HAVING stddev(f) > 0 AND avg(f) < 100',
	'SELECT k, avg(f) FILTER (WHERE b), stddev(f) FILTER (WHERE s < 3) FROM pr GROUP BY k',
	'SELECT avg(f), corr(f, s), regr_slope(s, f), regr_count(f, v), covar_pop(f, id), regr_r2(f, k), regr_intercept(f, s), regr_avgx(f, s) FROM pr',
	'SELECT k, corr(f, s), covar_samp(v, f), regr_sxx(f, v), regr_syy(f, v), regr_sxy(f, v) FROM pr GROUP BY k',
	'SELECT avg(f), stddev(f), corr(f, f) FROM pr WHERE id IN (3, 3001)',
	'SELECT avg(f), stddev(f), corr(f, f) FROM pr WHERE k = 77']) q;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT k, avg(v), count(*) FROM pr GROUP BY k HAVING sum(v) > 5;
EXPLAIN (COSTS OFF) SELECT count(*) FROM pr;
EXPLAIN (COSTS OFF) SELECT k, count(*) FROM pr WHERE id < 1500 GROUP BY k;
-- the step as a whole is the device's, whatever PostgreSQL would do partition by partition or in parallel
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
EXPLAIN (COSTS OFF) SELECT id, avg(f), stddev(v) FROM pr GROUP BY id;
SELECT compare('SELECT id, avg(f), stddev(v), sum(n) FROM pr GROUP BY id', tolerance => 1e-12);
RESET parallel_setup_cost;
RESET max_parallel_workers_per_gather;
RESET enable_partitionwise_aggregate;
RESET gpuagg.debug_require;
-- what cannot be combined, and what reads nothing but foreign tables
SELECT q, why FROM unnest(ARRAY[
	'SELECT k, count(DISTINCT v) FROM pr GROUP BY k',
	'SELECT k, count(*) FROM pr GROUP BY ROLLUP (k)',
	'SELECT k, count(*) FROM pr TABLESAMPLE BERNOULLI (50) GROUP BY k',
	'SELECT k, count(*) FROM pr WHERE id > 3000 GROUP BY k']) q, gpuagg.why_not(q) why;
-- pruned when execution begins; parameters; rescans
SET plan_cache_mode = 'force_generic_plan';
PREPARE pr_q(int4, int4) AS SELECT k, count(*), sum(v), avg(n) FROM pr WHERE id >= $1 AND id < $2 GROUP BY k ORDER BY k;
SET gpuagg.debug_require = 'require';
EXECUTE pr_q(995, 1005);
EXECUTE pr_q(2998, 3002);
EXECUTE pr_q(3998, 4002);
RESET gpuagg.debug_require;
RESET plan_cache_mode;
SELECT compare('SELECT x, (SELECT sum(v) FROM pr WHERE id >= x * 800 AND id < x * 800 + 900) FROM generate_series(0, 4) x');
SET enable_partitionwise_aggregate = on;
SELECT q, compare(q) FROM unnest(ARRAY['SELECT id, count(*) FROM pr GROUP BY id', 'SELECT k, avg(v) FROM pr GROUP BY k']) q;
RESET enable_partitionwise_aggregate;
-- where the device fails, PostgreSQL's partial groups take its place
SET gpuagg.debug_fault = 'results';
SELECT compare('SELECT k, count(*), sum(v), avg(v), avg(n), avg(s) FROM pr GROUP BY k', 'prefer');
RESET gpuagg.debug_fault;
INSERT INTO pr (id, k, f) VALUES (1, 1, 'inf'), (1001, 1, '-inf');
SELECT compare('SELECT k, sum(f), count(*) FROM pr GROUP BY k', 'prefer', 1e-12);

-- temporary child tables; a table that inherits
CREATE TABLE pi (a int4, v int8);
INSERT INTO pi SELECT i % 5, i FROM generate_series(1, 300) i;
CREATE TEMP TABLE pi_t (x text) INHERITS (pi);
INSERT INTO pi_t SELECT i % 7, i, 'x' FROM generate_series(1, 200) i;
SELECT q, compare(q) FROM unnest(ARRAY['SELECT a, count(*), sum(v), avg(v), min(v) FROM pi GROUP BY a', 'SELECT max(v), avg(a) FROM pi']) q;

SET client_min_messages = warning;
DROP TABLE pr, pi CASCADE;
DROP EXTENSION file_fdw CASCADE;
