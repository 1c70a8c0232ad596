--
-- DISTINCT in aggregates, grouping sets and what only PostgreSQL computes, over joins and over several tables.
--
\a
\t on
CREATE TABLE rt (id int4, k int4, t text, d date, v int8, n numeric(10,2), f float8, j jsonb) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE rt_%s PARTITION OF rt FOR VALUES FROM (%s) TO (%s)', i, i * 1000, (i + 1) * 1000) FROM generate_series(0, 3) i \gexec
-- one with another order of columns and a dropped one: a program, and a task, of its own
CREATE TABLE rt_4 (j jsonb, f float8, gone int8, n numeric(10,2), v int8, t text, d date, k int4 NOT NULL, id int4);
ALTER TABLE rt_4 DROP COLUMN gone;
ALTER TABLE rt ATTACH PARTITION rt_4 FOR VALUES FROM (4000) TO (5000);
INSERT INTO rt
SELECT i, CASE WHEN i >= 4000 OR i % 11 < 10 THEN i % 11 END, CASE WHEN i % 17 > 0 THEN repeat('Tt', i % 13) || i % 3 END, '2024-01-01'::date + i % 40,
	   nullif(i % 100, 7) * (i % 3), CASE WHEN i % 5 > 0 THEN (i % 50) / 4.0 END, CASE i % 9 WHEN 0 THEN '-0' WHEN 1 THEN 0 ELSE (i % 60) / 8.0 END, jsonb_build_object('a', i % 4, 'b', 'x' || i % 2)
FROM generate_series(0, 4999) i;
ANALYZE rt;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(DISTINCT v), sum(DISTINCT v), avg(DISTINCT v), count(*), sum(v) FROM rt GROUP BY k',
	'SELECT count(DISTINCT t), count(DISTINCT d), sum(DISTINCT n), min(t COLLATE "C"), count(*) FROM rt',
	'SELECT k, count(DISTINCT t) FILTER (WHERE v > 5), count(*) FILTER (WHERE v > 5) FROM rt GROUP BY k HAVING count(DISTINCT t) > 3',
	'SELECT f, count(DISTINCT k), array_length(array[count(*)], 1) FROM rt GROUP BY f',
	'SELECT k, d, count(*), sum(v) FROM rt GROUP BY ROLLUP (k, d)',
	'SELECT k, t, d, grouping(k, t, d), count(*), max(n), avg(n) FROM rt GROUP BY CUBE (k, t, d)',
	'SELECT k, t, count(*), count(DISTINCT v) FROM rt WHERE v > 3 GROUP BY GROUPING SETS ((k), (t), ())',
	'SELECT upper(t), count(*), sum(v) FROM rt GROUP BY upper(t)',
	'SELECT md5(t), k, min(v), count(t) FROM rt GROUP BY 1, 2',
	'SELECT j->>''a'', count(*), sum((j->>''a'')::int4) FROM rt GROUP BY 1',
	'SELECT k, count(*) FILTER (WHERE t ~* ''t+1$''), sum(v) FROM rt WHERE initcap(t) > ''Tt1'' COLLATE "C" GROUP BY k',
	'SELECT k, percentile_cont(0.5) WITHIN GROUP (ORDER BY v), percentile_disc(0.25) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY t) FROM rt GROUP BY k',
	'SELECT count(DISTINCT v), max(t) FROM rt WHERE id < 1500',
	'SELECT k, count(DISTINCT v) FROM rt WHERE id = 77777 GROUP BY k',
	'SELECT count(DISTINCT v), sum(v) FROM rt WHERE k = 77',
	'SELECT k, count(*) FROM rt WHERE k = 77 GROUP BY ROLLUP (k)',
	'SELECT DISTINCT upper(t), k FROM rt']) q;
-- several tasks, whose groups are merged before; spilled, too
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT id % 2000, count(DISTINCT v), count(*) FROM rt GROUP BY 1',
	'SELECT id, upper(t), count(*) FROM rt GROUP BY ROLLUP (id, upper(t))']) q;
RESET work_mem;
RESET hash_mem_multiplier;
-- pruned when execution begins, and while it runs
SET plan_cache_mode = 'force_generic_plan';
PREPARE rt_q(int4, int4) AS SELECT k, count(DISTINCT v), count(DISTINCT upper(t)) FROM rt WHERE id >= $1 AND id < $2 GROUP BY k ORDER BY k;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) EXECUTE rt_q(1000, 1020);
EXECUTE rt_q(1000, 1005);
EXECUTE rt_q(3998, 4002);
EXECUTE rt_q(7000, 8000);
RESET gpuagg.debug_require;
RESET plan_cache_mode;
SELECT compare('SELECT x, (SELECT count(DISTINCT v) FROM rt WHERE id = x * 1500) FROM generate_series(-1, 5) x');
-- what each table gives
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF, VERBOSE) SELECT upper(t), count(DISTINCT v) FROM rt WHERE initcap(t) <> 'x' AND v > 2 GROUP BY ROLLUP (upper(t));
RESET gpuagg.debug_require;

-- inheritance and UNION ALL; expressions over columns that are expressions there
CREATE TABLE ru_1 (a int4, b text, v int8);
CREATE TABLE ru_2 (b text, x float4, a int4, v int8);
INSERT INTO ru_1 SELECT i % 7, 'B' || i % 3, i % 20 FROM generate_series(1, 500) i;
INSERT INTO ru_2 SELECT 'b' || i % 4, 1, i % 5, i % 30 FROM generate_series(1, 500) i;
CREATE TABLE ru_3 (c int4) INHERITS (ru_1);
INSERT INTO ru_3 SELECT i % 9, NULL, i, i FROM generate_series(1, 300) i;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT a, count(DISTINCT v), count(DISTINCT upper(b)) FROM ru_1 GROUP BY a',
	'SELECT a, upper(b), count(*) FROM ru_1 GROUP BY CUBE (a, upper(b))',
	'SELECT a, count(DISTINCT v) FROM ONLY ru_1 GROUP BY a',
	'SELECT a, count(DISTINCT v), max(b) FROM (SELECT a, b, v FROM ru_1 UNION ALL SELECT a, b, v FROM ru_2) x GROUP BY a',
	'SELECT upper(b), count(*), sum(v) FROM (SELECT b, v FROM ru_1 UNION ALL SELECT b, v FROM ru_2) x GROUP BY ROLLUP (upper(b))',
	'SELECT w, count(DISTINCT v) FROM (SELECT ''one'' AS w, v FROM ru_1 UNION ALL SELECT ''two'', v FROM ru_2) x GROUP BY w',
	'SELECT a, count(DISTINCT v + 1) FROM (SELECT a, v FROM ru_1 UNION ALL SELECT a + 1, v * 2 FROM ru_2) x GROUP BY a']) q;
-- where the same expression is made of other keys, the device groups the rows of PostgreSQL's plan
SELECT compare('SELECT upper(b), count(*) FROM (SELECT b FROM ru_1 UNION ALL SELECT lower(b) FROM ru_2) x GROUP BY 1', 'try');
SELECT q, why FROM unnest(ARRAY['SELECT md5(b), count(*) FROM (SELECT b FROM ru_1 UNION ALL SELECT b || b FROM ru_2) x GROUP BY 1']) q, gpuagg.why_not(q) why;

-- joins
CREATE TABLE rd (k int4 PRIMARY KEY, name text, grp int4, doc jsonb);
INSERT INTO rd SELECT i, 'Name' || i % 5, i % 3, '{}' FROM generate_series(0, 9) i;
CREATE TABLE rm (k int4, w int4);		-- several rows of a key
INSERT INTO rm SELECT i % 6, i FROM generate_series(1, 20) i;
CREATE TABLE rf AS SELECT * FROM rt;
ANALYZE rd, rm, rf;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT rd.grp, count(DISTINCT v), count(DISTINCT t), sum(v) FROM rf JOIN rd USING (k) GROUP BY rd.grp',
	'SELECT name, count(DISTINCT v), count(*) FROM rf JOIN rd USING (k) GROUP BY name',
	'SELECT count(DISTINCT name), count(DISTINCT rf.v), sum(DISTINCT rd.grp) FROM rf LEFT JOIN rd USING (k)',
	'SELECT grp, name, count(*), sum(v) FROM rf JOIN rd USING (k) GROUP BY ROLLUP (grp, name)',
	'SELECT grp, d, grouping(grp, d), count(*) FROM rf LEFT JOIN rd ON rf.k = rd.k GROUP BY CUBE (grp, d)',
	'SELECT upper(name), count(*) FROM rf JOIN rd USING (k) GROUP BY upper(name)',
	'SELECT md5(name || coalesce(t, ''none'')), sum(v) FROM rf LEFT JOIN rd USING (k) GROUP BY 1',
	'SELECT grp, count(*) FILTER (WHERE md5(t) < ''8''), max(t) FROM rf JOIN rd USING (k) GROUP BY grp',
	'SELECT grp, sum(v) FROM rf JOIN rd USING (k) WHERE upper(t) > ''TT1'' COLLATE "C" GROUP BY grp',
	'SELECT grp, percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY name) FROM rf JOIN rd USING (k) GROUP BY grp',
	'SELECT rf.k, count(DISTINCT v), count(*), sum(v) FROM rf JOIN rm USING (k) GROUP BY rf.k',
	'SELECT d, count(DISTINCT v), percentile_disc(0.5) WITHIN GROUP (ORDER BY v), sum(w) FROM rf JOIN rm USING (k) GROUP BY ROLLUP (d)',
	'SELECT md5(t), count(*), count(t) FROM rf LEFT JOIN rm USING (k) GROUP BY 1',
	'SELECT d, count(DISTINCT v) FROM rf WHERE EXISTS (SELECT 1 FROM rm WHERE rm.k = rf.k) GROUP BY d',
	'SELECT d, count(DISTINCT v) FROM rf WHERE NOT EXISTS (SELECT 1 FROM rm WHERE rm.k = rf.k) GROUP BY GROUPING SETS ((d), ())']) q;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF, VERBOSE) SELECT upper(name), count(DISTINCT v) FROM rf JOIN rd USING (k) GROUP BY ROLLUP (upper(name));
RESET gpuagg.debug_require;
-- conditions that might fail do not go behind joins
SELECT q, why FROM unnest(ARRAY['SELECT grp, count(*) FROM rf JOIN rd USING (k) WHERE md5(t || k)::bytea > ''x'' GROUP BY grp']) q, gpuagg.why_not(q) why;
SELECT compare('SELECT grp, count(*) FROM rf JOIN rd USING (k) WHERE (''1'' || left(t, 0))::int4 = 1 GROUP BY grp', 'try');
-- an error of an expression is one of both plans
SELECT compare('SELECT 1 / (length(t) - 1), count(*) FROM rf JOIN rd USING (k) GROUP BY 1', 'prefer');
-- groups made by the backend, which makes room for as many as it expects: 683, hardly more than there is room for
CREATE TABLE re AS SELECT i, i % 531 AS a, i / 531 AS b FROM generate_series(0, 4399) i;
ANALYZE re;
SET gpuagg.debug_regroup = off;
SELECT DISTINCT regexp_replace(compare(format('SELECT a, b, sum(i) FROM re WHERE i < %s GROUP BY ROLLUP (a, b)', n)), ': .*', '') FROM generate_series(4100, 4400, 10) n;
RESET gpuagg.debug_regroup;

SET client_min_messages = warning;
DROP TABLE re, rt, ru_1, ru_2, rd, rm, rf CASCADE;
