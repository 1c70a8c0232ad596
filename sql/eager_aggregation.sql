--
-- Since 19 PostgreSQL may group before it joins, and finish afterwards: such plans compete with the device's, are what it
-- falls back to, and may be the rows that it groups.  Before 19 the same queries have nothing of the kind.
--
\a
\t on
CREATE TABLE ea (id int4, k int4, g int4, v int8, n numeric(10,2), t text);
CREATE TABLE ea_dim (k int4, name text, w int4);
INSERT INTO ea SELECT i, nullif(i % 50, 49), i % 7, nullif(i % 100, 3) * 100000000000, i % 90 / 8.0, 't' || i % 5 FROM generate_series(1, 20000) i;
-- two rows of each key, so that this is no look-up
INSERT INTO ea_dim SELECT i % 50, 'name' || i % 6, i FROM generate_series(0, 99) i;
VACUUM ANALYZE ea, ea_dim;
-- whether PostgreSQL groups before it joins: where it can, it does
CREATE FUNCTION ea_groups_first(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
	joined bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		joined := joined OR line ~ 'Join|Nested Loop';
		IF joined AND line ~ 'Partial .*Aggregate' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
CREATE TABLE ea_queries AS SELECT q FROM unnest(ARRAY[
	'SELECT d.name, count(*), sum(e.v), avg(e.v), min(e.n) FROM ea e JOIN ea_dim d ON e.k = d.k GROUP BY d.name',
	'SELECT d.name, avg(e.n), max(e.t COLLATE "C"), count(e.v) FROM ea e JOIN ea_dim d ON e.k = d.k WHERE e.g > 2 GROUP BY d.name HAVING count(*) > 100',
	'SELECT d.w, sum(e.n) FROM ea e LEFT JOIN ea_dim d ON e.k = d.k GROUP BY d.w',
	'SELECT e.g, d.name, sum(e.v) FROM ea e JOIN ea_dim d ON e.k = d.k GROUP BY e.g, d.name ORDER BY sum(e.v) DESC, 1, 2 LIMIT 5',
	'SELECT sum(e.v), avg(e.id) FROM ea e JOIN ea_dim d ON e.k = d.k',
	'SELECT x.name, count(*), sum(x.s) FROM (SELECT d.name, d.w, sum(e.v) AS s FROM ea e JOIN ea_dim d ON e.k = d.k GROUP BY d.name, d.w) x GROUP BY x.name',
	'SELECT d.name, sum(e.v), sum(f.c) FROM ea e JOIN ea_dim d ON e.k = d.k JOIN (SELECT g, count(*) AS c FROM ea GROUP BY g) f ON e.g = f.g GROUP BY d.name']) q;
SET gpuagg.enable = off;
SELECT bool_or(ea_groups_first(q)) = EXISTS (SELECT FROM pg_settings WHERE name = 'enable_eager_aggregate') AS as_expected FROM ea_queries;
RESET gpuagg.enable;
-- on the device: from look-ups, as rows of a join, and whatever costs least
SELECT q, compare(q, 'any') FROM ea_queries;
SELECT q, compare(q, 'try') FROM ea_queries;
SET gpuagg.lookup_memory = 0;
SELECT q, compare(q, 'try') FROM ea_queries;
RESET gpuagg.lookup_memory;
-- a look-up of unique keys
ALTER TABLE ea_dim ADD PRIMARY KEY (w);
SELECT compare('SELECT d.name, count(*), sum(e.v), avg(e.n) FROM ea e JOIN ea_dim d ON e.k = d.w GROUP BY d.name');
-- where the device fails, PostgreSQL's plan answers, however it groups
SET gpuagg.debug_fault = 'results';
SELECT q, compare(q, 'try') FROM ea_queries;
RESET gpuagg.debug_fault;
-- sums beyond their type are errors, wherever they are made
INSERT INTO ea (k, g, n) VALUES (1, 1, 99999999.99);
UPDATE ea SET v = 9223372036854775807 WHERE g = 1;
SELECT compare('SELECT d.name, sum(e.v::numeric), sum(e.id + 2147483640) FROM ea e JOIN ea_dim d ON e.k = d.k GROUP BY d.name', 'any');
-- partitions, of which each may be grouped before it is joined, and a parallel plan
CREATE TABLE ea_p (LIKE ea) PARTITION BY RANGE (id);
CREATE TABLE ea_p1 PARTITION OF ea_p FOR VALUES FROM (0) TO (7000);
CREATE TABLE ea_p2 PARTITION OF ea_p DEFAULT;
INSERT INTO ea_p SELECT * FROM ea WHERE id IS NOT NULL;
VACUUM ANALYZE ea_p;
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT q, compare(q, m) FROM unnest(ARRAY['any', 'try']) m, unnest(ARRAY[
	'SELECT d.name, count(*), sum(e.n), min(e.v) FROM ea_p e JOIN ea_dim d ON e.k = d.k GROUP BY d.name',
	'SELECT e.g, sum(e.n), max(d.name COLLATE "C") FROM ea_p e JOIN ea_dim d ON e.k = d.k GROUP BY e.g',
	'SELECT d.name, avg(e.n) FROM ea e JOIN ea_dim d ON e.k = d.k GROUP BY d.name']) q;
DROP TABLE ea, ea_dim, ea_p, ea_queries;
DROP FUNCTION ea_groups_first;
