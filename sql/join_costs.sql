--
-- What an input of a join costs that one process reads, beside PostgreSQL's plan with several.
--
\a
\t on
-- many rows; many pages
CREATE TABLE jc (a int, v int, pad text) WITH (autovacuum_enabled = off, parallel_workers = 4);
INSERT INTO jc SELECT i % 12000, i % 100, repeat('x', 140) FROM generate_series(1, 200000) i;
CREATE TABLE jp (k int PRIMARY KEY, n int, pad text) WITH (autovacuum_enabled = off, parallel_workers = 4);
ALTER TABLE jp ALTER pad SET STORAGE PLAIN;
INSERT INTO jp SELECT i, i % 7, repeat('x', 1900) FROM generate_series(0, 11999) i;
VACUUM (FREEZE, ANALYZE) jc, jp;
-- what the device does costs nothing here, on whatever machine
SET gpuagg.cost_scale = 0.001;
SET gpuagg.cache = off;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION jc_plan(workers int) RETURNS TABLE (line text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
	RETURN QUERY SELECT (regexp_match(l, 'GpuAgg|(?:Parallel )?Seq Scan on \w+'))[1]
		FROM explained('EXPLAIN (COSTS OFF) SELECT n, count(*), sum(v) FROM jc JOIN jp ON a = k GROUP BY n') l
		WHERE l ~ 'GpuAgg|Seq Scan';
END $$;
-- the plan of one process costs more than reading the input; that of several shares that, too
SELECT jc_plan(0);
SELECT jc_plan(4);
-- unless several read the input, too
SET parallel_tuple_cost = 0;
SELECT jc_plan(4);
RESET parallel_tuple_cost;
-- nothing of it is read where the device keeps both
SET gpuagg.cache = on;
SELECT gpuagg.load('jc', VARIADIC ARRAY['a', 'v']) > 0, gpuagg.load('jp', VARIADIC ARRAY['k', 'n']) > 0;
SELECT jc_plan(4);
SELECT compare('SELECT n, count(*), sum(v) FROM jc JOIN jp ON a = k GROUP BY n');
-- how many groups an input has is known once it has run, though statistics tell of fewer
CREATE TABLE jg (k int, w int) WITH (autovacuum_enabled = off);
INSERT INTO jg SELECT i % 4000, i FROM generate_series(1, 100000) i;
ALTER TABLE jg ALTER k SET (n_distinct = 20);
VACUUM (FREEZE, ANALYZE) jg;
CREATE FUNCTION jg_groups() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT substring(l FROM 'rows=\d+') FROM explained('EXPLAIN SELECT v, count(*), sum(w) FILTER (WHERE w > 0) FROM jc JOIN jg ON a = k GROUP BY v') l WHERE l ~ '  +->  Custom Scan .GpuAgg'
$$;
SELECT jg_groups();
SELECT compare('SELECT v, count(*), sum(w) FILTER (WHERE w > 0) FROM jc JOIN jg ON a = k GROUP BY v');
SELECT jg_groups();
-- a UNION ALL has as many keys as what it is made of, of which there are statistics
CREATE TABLE ju AS SELECT i AS k, i % 50 AS w FROM generate_series(1, 30000) i;
CREATE TABLE ju_more AS SELECT k + 30000 AS k, w FROM ju;
CREATE TABLE ju_small (k int, n text) WITH (autovacuum_enabled = off);
INSERT INTO ju_small SELECT i, 'n' || i % 7 FROM generate_series(1, 100) i;
VACUUM ANALYZE ju, ju_more;
SET max_parallel_workers_per_gather = 0;
SET gpuagg.debug_require = 'prefer';
SELECT regexp_replace(l, 'cost=\S+ |width=\d+', '', 'g') FROM explained('EXPLAIN SELECT n, count(*), sum(w) FROM
	(SELECT * FROM ju UNION ALL SELECT * FROM ju_more) u JOIN ju_small USING (k) GROUP BY n') l
WHERE l ~ 'Agg.*cost';
RESET ALL;
DROP FUNCTION jc_plan, jg_groups;
DROP TABLE jc, jp, jg, ju, ju_more, ju_small;
