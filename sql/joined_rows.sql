--
-- Rows that are joined and have a value that only PostgreSQL reads: NaN, infinities, many digits, compressed and
-- stored elsewhere.  They are joined by its plan and grouped by the device; "require" admits no fallback.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = warning;
CREATE TABLE jr WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 7 AS g, i % 500 AS k, i % 37 AS e, (i % 100 * 0.25)::numeric(15, 2) AS d, (i % 100 * 0.25)::numeric AS u, 'word ' || i % 9 AS t, i % 5 = 0 AS b FROM generate_series(1, 20000) i;
CREATE TABLE jd AS SELECT i AS k, i % 5 AS h, CASE WHEN i % 11 > 0 THEN 'n' || i % 4 END AS t, ('c' || i % 3)::char(4) AS c, (i * 0.5)::numeric(15, 2) AS p FROM generate_series(0, 499) i;
CREATE TABLE je AS SELECT i AS e, 'e' || i % 6 AS name, i % 3 AS z FROM generate_series(0, 33) i;
ALTER TABLE jd ADD PRIMARY KEY (k);
ALTER TABLE je ADD PRIMARY KEY (e);
VACUUM ANALYZE jr, jd, je;
-- some without a partner, and some deleted
INSERT INTO jr SELECT 100000 + i, i % 8, CASE WHEN i % 10 = 3 THEN NULL ELSE i * 37 % 520 END, i % 40, (ARRAY['NaN', '1.5', NULL, '2']::numeric[])[1 + i % 4],
	(ARRAY['NaN', 'Infinity', '-Infinity', '123456789012345678901234567890.125', '0.3333333333333333333', '5']::numeric[])[1 + i % 6],
	CASE WHEN i % 3 = 0 THEN repeat('word ' || i % 4, 2000) ELSE 'word ' || i % 4 END, i % 2 = 0 FROM generate_series(1, 300) i;
DELETE FROM jr WHERE id BETWEEN 100100 AND 100110;
CREATE TABLE jq AS SELECT row_number() OVER () AS no, q FROM unnest(ARRAY[
	'SELECT h, sum(d), avg(d), min(d), max(d), count(d), count(*) FROM jr JOIN jd USING (k) GROUP BY h', 'SELECT h, sum(u), avg(u), min(u), max(u), count(u), count(*) FROM jr JOIN jd USING (k) GROUP BY h', 'SELECT jd.t, sum(d), sum(u) FROM jr JOIN jd USING (k) GROUP BY jd.t',
	'SELECT jd.t, jd.c, g, sum(d), count(*) FILTER (WHERE b), sum(u) FILTER (WHERE b), max(u) FILTER (WHERE NOT b) FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3', 'SELECT name, jd.t, sum(u * 2), stddev(u), var_pop(d) FROM jr JOIN jd USING (k) JOIN je USING (e) GROUP BY 1, 2',
	'SELECT name, sum(u) FROM jr JOIN je USING (e) WHERE z < 2 AND u > 3 GROUP BY 1', 'SELECT name, sum(u) FROM jr LEFT JOIN je USING (e) GROUP BY 1', 'SELECT z, count(*), sum(d) FROM jr LEFT JOIN je ON jr.e = je.e AND z > 0 GROUP BY 1',
	'SELECT g, sum(u) FROM jr WHERE EXISTS (SELECT FROM je WHERE je.e = jr.e AND z = 1) GROUP BY g', 'SELECT g, sum(u), count(d) FROM jr WHERE NOT EXISTS (SELECT FROM je WHERE je.e = jr.e AND z = 1) GROUP BY g',
	'SELECT g, sum(u) FROM jr WHERE e IN (SELECT e FROM je WHERE z = 1) GROUP BY g', 'SELECT g, sum(u) FROM jr WHERE e NOT IN (SELECT e FROM je WHERE z = 1) GROUP BY g',
	'SELECT sum(u), avg(d), max(u) FROM jr JOIN jd USING (k)', 'SELECT h, count(*) FROM jr JOIN jd USING (k) WHERE jr.t LIKE ''word 1%'' GROUP BY h', 'SELECT jr.t, count(*), sum(u) FROM jr JOIN jd USING (k) WHERE h = 2 GROUP BY jr.t', 'SELECT h, max(jr.t COLLATE "C"), min(length(jr.t)) FROM jr JOIN jd USING (k) GROUP BY h',
	-- wanted groups; and many
	'SELECT h, sum(u) FROM jr JOIN jd USING (k) GROUP BY h ORDER BY 2 DESC, 1 LIMIT 2', 'SELECT jd.t, max(u) FROM jr JOIN jd USING (k) GROUP BY 1 HAVING max(u) > 100', 'SELECT h, count(*) FROM jr JOIN jd USING (k) GROUP BY h ORDER BY 2 DESC, 1 LIMIT 2', 'SELECT id % 3000, sum(u), sum(p) FROM jr JOIN jd USING (k) GROUP BY 1',
	-- such a numeric is a key: of its column, alone and among others, with HAVING and a limit, of some sets
	'SELECT d, count(*), sum(u) FROM jr JOIN jd USING (k) GROUP BY 1', 'SELECT u, h, jd.t, count(*), avg(d) FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3', 'SELECT d, u, count(DISTINCT g) FROM jr JOIN jd USING (k) GROUP BY 1, 2', 'SELECT u, name, max(d) FROM jr LEFT JOIN je USING (e) WHERE g < 6 GROUP BY 1, 2',
	'SELECT u, count(*) FROM jr JOIN jd USING (k) GROUP BY 1 HAVING count(*) > 3', 'SELECT d, count(*) FROM jr JOIN jd USING (k) GROUP BY 1 ORDER BY 1 DESC LIMIT 3', 'SELECT u, sum(d) FROM jr WHERE e IN (SELECT e FROM je WHERE z = 1) GROUP BY 1', 'SELECT DISTINCT d, h FROM jr JOIN jd USING (k)',
	'SELECT d, h, count(*), grouping(h) FROM jr JOIN jd USING (k) GROUP BY d, ROLLUP (h)', 'SELECT a.u, sum(b.h) FROM jr a JOIN jd b ON a.g = b.k JOIN jd ON a.k = jd.k GROUP BY 1', 'SELECT u, count(*) FROM jr JOIN jd USING (k) JOIN je USING (e) WHERE u > 5 GROUP BY 1',
	-- made of finer ones
	'SELECT h, count(DISTINCT g), sum(u) FROM jr JOIN jd USING (k) GROUP BY h', 'SELECT h, g, sum(u) FROM jr JOIN jd USING (k) GROUP BY ROLLUP (1, 2)', 'SELECT jd.t, g, sum(u), count(DISTINCT e) FROM jr JOIN jd USING (k) GROUP BY CUBE (1, 2)',
	-- several rows of a key, an input that is a query, the same table twice, a query within one
	'SELECT z, sum(u), count(*) FROM jr JOIN (SELECT e % 20 AS e, z FROM je) x USING (e) GROUP BY 1', 'SELECT n, sum(u) FROM jr JOIN (VALUES (1, ''a''), (2, ''b''), (7, ''b''), (39, ''c'')) x(e, n) USING (e) GROUP BY 1', 'SELECT a.g, sum(a.u) FROM jr a JOIN (SELECT k, h FROM jd WHERE h < 3) x ON a.k = x.k JOIN jd y ON y.k = a.e GROUP BY 1',
	-- rows that are counted, and have no outputs
	'SELECT count(*) FROM jr JOIN jd USING (k) WHERE u > 3', 'SELECT count(*) FROM jr LEFT JOIN je ON jr.e = je.e AND u > 3', 'SELECT count(*) FROM jr JOIN jd USING (k) WHERE jr.t LIKE ''word 1%''',
	'SELECT count(*) FROM jr WHERE EXISTS (SELECT FROM je WHERE je.e = jr.e AND z = 1) AND u > 3', 'SELECT count(*) FROM jr WHERE e NOT IN (SELECT e FROM je WHERE z = 1) AND u > 3 HAVING count(*) > 5']) q;
CREATE FUNCTION jr_agree() RETURNS TABLE (no int8, differs text) LANGUAGE sql AS $$ SELECT jq.no, c FROM jq, LATERAL compare(q) c WHERE c NOT LIKE 'ok%' ORDER BY 1 $$;
SELECT count(*) FROM jq;
-- by hash joins, by others, and by a plan for several processes
SELECT * FROM jr_agree();
SET enable_hashjoin = off;
SELECT * FROM jr_agree();
SET enable_mergejoin = off;
SELECT compare(q) FROM jq WHERE no IN (6, 7, 9, 10);
RESET enable_mergejoin;
RESET enable_hashjoin;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET gpuagg.debug_require = 'require';
CREATE TABLE jr_device AS SELECT jd.t, h, sum(d) AS d, sum(u) AS u, count(*) AS n FROM jr JOIN jd USING (k) GROUP BY 1, 2;
-- processes that make the look-up table make it once more for these rows: the plan above them is for one process, this one is not
CREATE TABLE jr_not AS SELECT g, count(*) AS n, count(d) AS d FROM jr WHERE k NOT IN (SELECT k FROM jd WHERE h = 1) GROUP BY g;
CREATE TABLE jr_keys AS SELECT d, u, h, count(*) AS n FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3;
RESET gpuagg.debug_require;
SET gpuagg.enable = off;
SELECT count(*) > 0 FROM explained('EXPLAIN (COSTS OFF) SELECT jd.t, h, sum(d), sum(u), count(*) FROM jr JOIN jd USING (k) GROUP BY 1, 2') l WHERE l ~ 'Gather';
SELECT count(*) FROM jr_device;
SELECT jd.t, h, sum(d), sum(u), count(*) FROM jr JOIN jd USING (k) GROUP BY 1, 2 EXCEPT SELECT * FROM jr_device;
SELECT count(*) > 0 FROM explained('EXPLAIN (COSTS OFF) SELECT count(*) FROM jr WHERE k NOT IN (SELECT k FROM jd WHERE h = 1)') l WHERE l ~ 'Gather';
SELECT g, count(*), count(d) FROM jr WHERE k NOT IN (SELECT k FROM jd WHERE h = 1) GROUP BY g EXCEPT SELECT * FROM jr_not;
SELECT count(*) > 100, count(*) FILTER (WHERE d = 'NaN') > 3, count(*) FILTER (WHERE u = 'Infinity') > 3 FROM jr_keys;
SELECT d, u, h, count(*) FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3 EXCEPT SELECT * FROM jr_keys;
SELECT count(*) = (SELECT count(*) FROM jr_keys) FROM (SELECT d, u, h FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3) x;
SELECT prefer_device(false);
DROP TABLE jr_device, jr_not, jr_keys;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- from what the device keeps; in passes
SELECT gpuagg.load('jr') > 0, gpuagg.load('jd') > 0, gpuagg.load('je') > 0;
SELECT * FROM jr_agree();
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT compare('SELECT id, sum(u), max(d) FROM jr JOIN jd USING (k) GROUP BY 1'), compare('SELECT id % 3000, jd.t, avg(u), min(d) FROM jr JOIN jd USING (k) GROUP BY 1, 2'), compare('SELECT id, d, u, count(*), sum(h) FROM jr JOIN jd USING (k) GROUP BY 1, 2, 3');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- within a query, with parameters, from a cursor
SELECT compare('SELECT count(*), sum(c) FROM (SELECT h, count(u) AS c FROM jr JOIN jd USING (k) GROUP BY h OFFSET 0) x', 'prefer'), compare('SELECT x, (SELECT sum(u) FROM jr JOIN jd USING (k) WHERE h = x) FROM generate_series(0, 5) x', 'any'),
	compare('SELECT x, (SELECT string_agg(u || '':'' || c, '' '' ORDER BY u) FROM (SELECT u, count(*) AS c FROM jr JOIN jd USING (k) WHERE h = x AND id > 90000 GROUP BY u OFFSET 0) s) FROM generate_series(0, 5) x', 'any');
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
PREPARE jr_sum AS SELECT h, sum(u), count(*) FROM jr JOIN jd USING (k) WHERE id > $1 AND p < $2 GROUP BY h ORDER BY h;
EXECUTE jr_sum(100200, 100);
EXECUTE jr_sum(19990, 300);
BEGIN;
DECLARE jr_cursor SCROLL CURSOR FOR SELECT h, sum(d) FROM jr JOIN jd USING (k) WHERE h < 3 GROUP BY h ORDER BY h;
FETCH ALL jr_cursor;
MOVE ABSOLUTE 1 jr_cursor;
FETCH 1 jr_cursor;
COMMIT;
DEALLOCATE jr_sum;
RESET plan_cache_mode;
RESET gpuagg.debug_require;
-- how many rows were joined so: those with NaN
SELECT regexp_replace(l, '.*PostgreSQL: ', '') FROM explained('EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT h, sum(d) FROM jr JOIN jd USING (k) GROUP BY h') l WHERE l ~ 'Evaluated|Fallback';
SELECT count(*) FROM jr WHERE d = 'NaN';
-- partitions, one of other columns, one of two levels, some pruned; child tables (which spelling of 5 and 5.00 a group shows is not defined)
UPDATE jr SET u = 5.00 WHERE u = 5 AND id > 100000;
CREATE TABLE jp (id int, g int, k int, e int, d numeric(15, 2), u numeric, t text, b bool) PARTITION BY RANGE (id);
CREATE TABLE jp_a PARTITION OF jp FOR VALUES FROM (0) TO (8000);
CREATE TABLE jp_b (gone int, b bool, t text, u numeric, d numeric(15, 2), e int, k int, more int, g int, id int);
ALTER TABLE jp_b DROP COLUMN gone, DROP COLUMN more;
ALTER TABLE jp ATTACH PARTITION jp_b FOR VALUES FROM (8000) TO (100150);
CREATE TABLE jp_c PARTITION OF jp DEFAULT PARTITION BY LIST (g);
CREATE TABLE jp_c1 PARTITION OF jp_c FOR VALUES IN (0, 1, 2, 3);
CREATE TABLE jp_c2 PARTITION OF jp_c DEFAULT;
INSERT INTO jp SELECT * FROM jr;
INSERT INTO jp SELECT id - 90000, g, k, e, d, u, t, b FROM jr WHERE id > 100000;
CREATE TABLE ji AS TABLE jr WITH NO DATA;
CREATE TABLE ji_child () INHERITS (ji);
INSERT INTO ji SELECT * FROM jr WHERE id % 2 = 0;
INSERT INTO ji_child SELECT * FROM jr WHERE id % 2 = 1;
VACUUM ANALYZE jp, jp_a, jp_b, jp_c, ji, ji_child;
SELECT count(*), count(*) FILTER (WHERE c LIKE 'ok%') FROM jq, unnest(ARRAY['jp', 'ji']) r, LATERAL compare(regexp_replace(q, '\mjr\M', r, 'g')) c;
SELECT r, no, c FROM jq, unnest(ARRAY['jp', 'ji']) r, LATERAL compare(regexp_replace(q, '\mjr\M', r, 'g')) c WHERE c NOT LIKE 'ok%' ORDER BY 1, 2;
SELECT compare('SELECT h, u, jp.t, sum(d), count(*) FROM jp JOIN jd USING (k) WHERE id >= 100000 GROUP BY 1, 2, 3');
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
PREPARE jp_sum AS SELECT h, d, count(*), sum(u) FROM jp JOIN jd USING (k) WHERE id > $1 AND d > 1000000 GROUP BY 1, 2 ORDER BY 1;
EXECUTE jp_sum(100200);
EXECUTE jp_sum(5000);
DEALLOCATE jp_sum;
-- partitions that are left out by a parameter of the statement, and others in each run of a query within it
PREPARE jp_runs AS SELECT x, ARRAY(SELECT concat(d, ':', count(*), ':', round(sum(u), 1)) FROM jp JOIN jd USING (k) WHERE id > $1 AND id > x * 1000 AND g = x % 7 GROUP BY d ORDER BY d) AS r FROM generate_series(0, 11) x;
CREATE TABLE jp_run AS EXECUTE jp_runs(8000);
CREATE TABLE jp_run_all AS EXECUTE jp_runs(-1);
DEALLOCATE jp_runs;
RESET plan_cache_mode;
RESET gpuagg.debug_require;
SELECT count(*), count(*) FILTER (WHERE r::text ~ 'NaN:') FROM jp_run;
SET gpuagg.enable = off;
SELECT lo, count(*) AS wrong FROM (VALUES (8000), (-1)) l(lo), LATERAL (SELECT x, ARRAY(SELECT concat(d, ':', count(*), ':', round(sum(u), 1)) FROM jp JOIN jd USING (k) WHERE id > lo AND id > x * 1000 AND g = x % 7 GROUP BY d ORDER BY d) AS r FROM generate_series(0, 11) x) q
	WHERE NOT EXISTS (SELECT FROM (SELECT 8000 AS n, * FROM jp_run UNION ALL SELECT -1, * FROM jp_run_all) d WHERE d.n = lo AND d.x = q.x AND d.r = q.r) GROUP BY 1;
SELECT prefer_device(false);
SELECT gpuagg.load('jp_a') > 0, gpuagg.load('jp_b') > 0, gpuagg.load('ji') > 0;
SELECT compare('SELECT h, u, jp.t, sum(d), count(*) FROM jp JOIN jd USING (k) GROUP BY 1, 2, 3'), compare('SELECT h, sum(u), max(d) FROM jp JOIN jd USING (k) GROUP BY 1');
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET gpuagg.debug_require = 'require';
CREATE TABLE jp_device AS SELECT d, jd.t, count(*) AS n, sum(u) AS u FROM jp JOIN jd USING (k) GROUP BY 1, 2;
RESET gpuagg.debug_require;
SET gpuagg.enable = off;
(TABLE jp_device EXCEPT SELECT d, jd.t, count(*) AS n, sum(u) AS u FROM jp JOIN jd USING (k) GROUP BY 1, 2) UNION ALL (SELECT d, jd.t, count(*) AS n, sum(u) AS u FROM jp JOIN jd USING (k) GROUP BY 1, 2 EXCEPT TABLE jp_device);
SELECT prefer_device(false);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
DROP TABLE jp, ji, ji_child, jp_device, jp_run, jp_run_all;
-- what is left to PostgreSQL's plan: such a numeric as a key that is computed, or of an input, a key that its plan computes below, an input that
-- needs the device itself, more rows than work_mem has room for
CREATE FUNCTION jr_left(query text) RETURNS text LANGUAGE sql AS $$
	SELECT compare(query, 'any') || ': ' || string_agg(trim(l), ', ') FROM explained('EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query) l WHERE l ~ 'Fallback' $$;
-- since 19 the last one's groups would be made before they are joined
SELECT count(set_config(name, 'off', false)) >= 0 FROM pg_settings WHERE name = 'enable_eager_aggregate';
SELECT jr_left(q) FROM unnest(ARRAY['SELECT round(d, 1), count(*) FROM jr JOIN jd USING (k) GROUP BY 1', 'SELECT a.g, b.u, count(*) FROM jr a JOIN jr b ON a.id = b.id GROUP BY 1, 2', 'SELECT upper(jd.t), sum(u), avg(d) FROM jr JOIN jd USING (k) GROUP BY 1',
	'SELECT n, sum(u) FROM jr JOIN (SELECT e, count(*) AS n FROM je JOIN jd ON jd.h = je.z GROUP BY e) x USING (e) GROUP BY 1']) q;
UPDATE jr SET u = 'NaN' WHERE id <= 5000;
SELECT compare('SELECT h, sum(u), count(*) FROM jr JOIN jd USING (k) GROUP BY h');
SET work_mem = '64kB';
SELECT jr_left('SELECT h, sum(u), count(*) FROM jr JOIN jd USING (k) GROUP BY h');
RESET work_mem;
-- run 500 times in a statement, the plan that joins them, or groups those with such a key, leaves nothing behind until the end
CREATE TABLE jm AS SELECT i % 500 AS k, CASE WHEN i % 20 = 0 THEN 'NaN'::numeric ELSE i % 7 END::numeric(15, 2) AS u FROM generate_series(1, 300) i;
SET gpuagg.debug_require = 'require';
SELECT sum(v) > 0, max(v) FILTER (WHERE x = 0) < 16e6 FROM (SELECT x, (SELECT count(u) FROM jm JOIN jd USING (k) WHERE h = x % 5) AS v FROM generate_series(1, 500) x
	UNION ALL SELECT 0, sum(total_bytes) FROM pg_backend_memory_contexts) y;
SELECT sum(v) > 0, max(v) FILTER (WHERE x = 0) < 16e6 FROM (SELECT x, cardinality(ARRAY(SELECT u FROM jm WHERE k < x GROUP BY u)) AS v FROM generate_series(1, 500) x
	UNION ALL SELECT 0, sum(total_bytes) FROM pg_backend_memory_contexts) y;
RESET gpuagg.debug_require;
DROP FUNCTION jr_agree, jr_left;
DROP TABLE jr, jd, je, jq, jm;
