--
-- TABLESAMPLE gpuagg.random_rows: the rows that the definition draws, by PostgreSQL's executor.
--
\a
\t on
-- The definition (src/device/ops/draw.h), in SQL
CREATE FUNCTION rr_unsigned(a int8) RETURNS numeric IMMUTABLE LANGUAGE sql AS
$$ SELECT CASE WHEN a < 0 THEN a + 18446744073709551616 ELSE a END $$;
CREATE FUNCTION rr_signed(a numeric) RETURNS int8 IMMUTABLE LANGUAGE sql AS
$$ SELECT (CASE WHEN m >= 9223372036854775808 THEN m - 18446744073709551616 ELSE m END)::int8
	FROM mod(a, 18446744073709551616) m $$;
CREATE FUNCTION rr_mix(a numeric) RETURNS numeric IMMUTABLE LANGUAGE plpgsql AS $$
DECLARE
	x numeric := mod(a, 18446744073709551616);
BEGIN
	x := rr_unsigned(rr_signed(x) # rr_signed(div(x, 1073741824)));
	x := mod(x * 13787848793156543929, 18446744073709551616);
	x := rr_unsigned(rr_signed(x) # rr_signed(div(x, 134217728)));
	x := mod(x * 10723151780598845931, 18446744073709551616);
	RETURN rr_unsigned(rr_signed(x) # rr_signed(div(x, 2147483648)));
END $$;
CREATE FUNCTION rr_row(seed float8, draw int8, nrows int8) RETURNS int8 IMMUTABLE LANGUAGE sql AS $$
	SELECT div(rr_mix(rr_mix(mod(hashfloat8(seed)::numeric + 4294967296, 4294967296) + 11400714819323198485) +
		(draw + 1) * 11400714819323198485) * nrows, 18446744073709551616)::int8 $$;
SELECT rr_mix(11400714819323198485) = 16294208416658607535;

-- full pages; dead and moved rows, not vacuumed, vacuumed, and with new rows where the dead ones were; no
-- row, one, and none left
CREATE TABLE rr (id int4, v float8) WITH (autovacuum_enabled = off);
INSERT INTO rr SELECT i, sin(i) FROM generate_series(1, 5000) i;
CREATE TABLE rr_dead (LIKE rr) WITH (autovacuum_enabled = off, fillfactor = 60);
CREATE TABLE rr_clean (LIKE rr) WITH (autovacuum_enabled = off, fillfactor = 90);
CREATE TABLE rr_used (LIKE rr) WITH (autovacuum_enabled = off);
CREATE TABLE rr_empty (LIKE rr);
CREATE TABLE rr_one (LIKE rr);
CREATE TABLE rr_gone (LIKE rr) WITH (autovacuum_enabled = off);
INSERT INTO rr_one VALUES (1, 2);
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['rr_dead', 'rr_clean', 'rr_used', 'rr_gone'] LOOP
		EXECUTE format('INSERT INTO %I SELECT * FROM rr', name);
		EXECUTE format('DELETE FROM %I WHERE id %% 7 < 2 OR id BETWEEN 1000 AND 1500', name);
		EXECUTE format('UPDATE %I SET v = v + 1 WHERE id %% 5 = 0', name);
	END LOOP;
END $$;
DELETE FROM rr_gone;
VACUUM (FREEZE) rr_clean;
VACUUM rr_used;
INSERT INTO rr_used SELECT * FROM rr WHERE id % 7 = 1;
DELETE FROM rr_used WHERE id % 11 = 3;
ANALYZE rr, rr_dead, rr_clean, rr_used;

-- rows come in the table's order, each as often as it was drawn
CREATE FUNCTION rr_check(tab text, n int8, seed float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	got tid[];
	want tid[];
BEGIN
	EXECUTE format('SELECT array_agg(ctid) FROM %I TABLESAMPLE gpuagg.random_rows (%s) REPEATABLE (%s)', tab, n, seed) INTO got;
	EXECUTE format('WITH r AS (SELECT ctid AS at, row_number() OVER (ORDER BY ctid) - 1 AS no FROM %I),
		d AS (SELECT rr_row(%s, i, (SELECT count(*) FROM r)) AS no FROM generate_series(0, %s - 1) i WHERE EXISTS (SELECT FROM r))
		SELECT array_agg(at ORDER BY at) FROM d JOIN r USING (no)', tab, seed, n) INTO want;
	RETURN CASE WHEN got IS NOT DISTINCT FROM want THEN 'ok' ELSE format('%s %s %s: %s, not %s', tab, n, seed, got, want) END;
END $$;
SELECT rr_check(t, n, s), count(*)
	FROM unnest(ARRAY['rr', 'rr_dead', 'rr_clean', 'rr_used', 'rr_empty', 'rr_one', 'rr_gone']) t,
		unnest('{0,1,10,1000}'::int8[]) n, unnest('{0,42,-1.5}'::float8[]) s
	GROUP BY 1;
-- more rows than there are
SELECT count(*), count(DISTINCT id) FROM rr_one TABLESAMPLE gpuagg.random_rows (100);
SELECT count(*), count(DISTINCT id) > 4900, min(id) >= 1, max(id) <= 5000 FROM rr TABLESAMPLE gpuagg.random_rows (30000) REPEATABLE (3);
-- another seed, another sample; none, and each query has its own
SELECT array_agg(id) FROM rr TABLESAMPLE gpuagg.random_rows (8) REPEATABLE (1);
SELECT array_agg(id) FROM rr TABLESAMPLE gpuagg.random_rows (8) REPEATABLE (2);
SELECT (SELECT array_agg(id) FROM rr TABLESAMPLE gpuagg.random_rows (50)) <>
	(SELECT array_agg(id) FROM rr TABLESAMPLE gpuagg.random_rows (50));

-- uniform: chi-square of 5000 rows over 200000 draws; an average; with fixed seeds
SELECT c BETWEEN 4700 AND 5300 AS uniform FROM (
	SELECT sum((coalesce(n, 0) - 40) ^ 2 / 40) AS c FROM rr LEFT JOIN
		(SELECT id, count(*) AS n FROM rr TABLESAMPLE gpuagg.random_rows (200000) REPEATABLE (7) GROUP BY id) d USING (id)) x;
SELECT abs(avg(v) - (SELECT avg(v) FROM rr)) < 4 * 0.7071 / sqrt(20000) AS near FROM rr TABLESAMPLE gpuagg.random_rows (20000) REPEATABLE (9);
-- dead rows do not count: what is left is drawn uniformly
SELECT c BETWEEN 0.85 AND 1.15 AS uniform FROM (
	SELECT sum((coalesce(n, 0) - e) ^ 2 / e) / count(*) AS c FROM
		(SELECT id, 100000.0 / count(*) OVER () AS e FROM rr_dead) r LEFT JOIN
		(SELECT id, count(*) AS n FROM rr_dead TABLESAMPLE gpuagg.random_rows (100000) REPEATABLE (7) GROUP BY id) d USING (id)) x;

-- arguments
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows (-1);
SELECT count(*) FROM rr_empty TABLESAMPLE gpuagg.random_rows (-1);
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows (NULL);
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows (10, 20);
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows ('many');
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows (10) REPEATABLE (NULL);
DO $$ BEGIN PERFORM count(*) FROM rr TABLESAMPLE gpuagg.random_rows (-5);
EXCEPTION WHEN invalid_tablesample_argument THEN RAISE NOTICE '%', SQLSTATE; END $$;
PREPARE rr_p(int8, float8) AS SELECT count(*), sum(id) FROM rr TABLESAMPLE gpuagg.random_rows ($1) REPEATABLE ($2);
EXECUTE rr_p(5, 1);
EXECUTE rr_p(0, 1);
EXECUTE rr_p(5, 1);
DEALLOCATE rr_p;

-- rescans: with other arguments, with the same; below a join that reads it again and again
SELECT n, (SELECT array_agg(id) FROM rr TABLESAMPLE gpuagg.random_rows (n) REPEATABLE (1)) FROM (VALUES (3), (0), (5), (3)) v(n);
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT k, count(*), min(id), max(id) FROM generate_series(1, 3) k CROSS JOIN rr_dead TABLESAMPLE gpuagg.random_rows (2000) REPEATABLE (6) GROUP BY k ORDER BY k;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
-- a part of it; cursors, back and forth
SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1) LIMIT 3;
BEGIN;
DECLARE rr_c SCROLL CURSOR FOR SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (6) REPEATABLE (1);
FETCH 4 FROM rr_c;
FETCH BACKWARD 2 FROM rr_c;
MOVE FORWARD ALL IN rr_c;
FETCH BACKWARD 1 FROM rr_c;
FETCH FIRST FROM rr_c;
DECLARE rr_d CURSOR WITH HOLD FOR SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (3) REPEATABLE (1);
-- a cursor's snapshot, when rows of it go and pages are pruned
DECLARE rr_e CURSOR FOR SELECT count(*), sum(id) FROM rr_used TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (1);
SAVEPOINT s;
DELETE FROM rr_used WHERE id % 2 = 0;
SELECT count(*) = 500, bool_and(id % 2 = 1) FROM rr_used TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (1);
SELECT rr_check('rr_used', 300, 1);
FETCH rr_e;
ROLLBACK TO s;
SELECT count(*), sum(id) FROM rr_used TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (1);
COMMIT;
FETCH ALL FROM rr_d;
CLOSE rr_d;

-- joined, filtered, locked, written from; rows drawn twice are locked and changed once
SELECT count(*) FROM rr TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1) JOIN rr_dead USING (id) WHERE rr.v > 0;
BEGIN;
SELECT count(*), count(DISTINCT ctid) FROM (SELECT ctid, id FROM rr_one TABLESAMPLE gpuagg.random_rows (3) FOR UPDATE) x;
UPDATE rr_one SET v = v + 1 FROM (SELECT id FROM rr_one TABLESAMPLE gpuagg.random_rows (3)) x WHERE rr_one.id = x.id RETURNING rr_one.v;
INSERT INTO rr_one SELECT id + 1, v FROM rr_one TABLESAMPLE gpuagg.random_rows (2) RETURNING id, v;
SELECT rr_check('rr_one', 20, 1);
ROLLBACK;
-- each partition by itself; a materialized view; a temporary table; toasted columns
CREATE TABLE rr_part (id int4, v float8) PARTITION BY RANGE (id);
CREATE TABLE rr_part1 PARTITION OF rr_part FOR VALUES FROM (0) TO (1000);
CREATE TABLE rr_part2 PARTITION OF rr_part FOR VALUES FROM (1000) TO (9000);
INSERT INTO rr_part SELECT * FROM rr;
SELECT tableoid::regclass, count(*) FROM rr_part TABLESAMPLE gpuagg.random_rows (10) GROUP BY 1 ORDER BY 1;
CREATE MATERIALIZED VIEW rr_mat AS SELECT * FROM rr;
SELECT count(*) FROM rr_mat TABLESAMPLE gpuagg.random_rows (10);
CREATE TEMP TABLE rr_temp AS SELECT i AS id, repeat(md5(i::text), 500) AS t FROM generate_series(1, 20) i;
SELECT rr_check('rr_temp', 40, 1), (SELECT min(length(t)) FROM rr_temp TABLESAMPLE gpuagg.random_rows (10));
CREATE VIEW rr_view AS SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (10) REPEATABLE (5);
SELECT substring(pg_get_viewdef('rr_view') FROM 'FROM.*');
SELECT count(*) FROM rr_view;

-- more than work_mem holds: of draws, and of blocks; more windows than rows
CREATE UNLOGGED TABLE rr_wide (id int4, t text) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO rr_wide SELECT i, repeat('x', 700) FROM generate_series(1, 10000) i;
SELECT pg_relation_size('rr_wide') / 8192 > 2 * 4096 AS "more than two buffers of counts";
SELECT count(*), sum(id) FROM rr_wide TABLESAMPLE gpuagg.random_rows (30000) REPEATABLE (1);
SET work_mem = '64kB';
SELECT count(*), sum(id) FROM rr_wide TABLESAMPLE gpuagg.random_rows (30000) REPEATABLE (1);
SELECT n, (SELECT sum(id) FROM rr_wide TABLESAMPLE gpuagg.random_rows (n) REPEATABLE (1)) FROM (VALUES (30000), (100), (30000)) v(n);
SELECT count(*), count(DISTINCT id) FROM rr_one TABLESAMPLE gpuagg.random_rows (100000);
RESET work_mem;

-- plans: so many rows, a scan of the table and pages for the draws; groupings are PostgreSQL's
SELECT * FROM explained($$EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (25) REPEATABLE (1)$$);
CREATE FUNCTION rr_estimate(query text, OUT nrows float8, OUT cost float8) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	nrows := plan->0->'Plan'->'Plan Rows';
	cost := plan->0->'Plan'->'Total Cost';
END $$;
SELECT nrows FROM rr_estimate('SELECT * FROM rr TABLESAMPLE gpuagg.random_rows (25)');
SELECT nrows FROM rr_estimate('SELECT * FROM rr TABLESAMPLE gpuagg.random_rows (100000)');
SELECT nrows FROM rr_estimate('SELECT * FROM rr TABLESAMPLE gpuagg.random_rows ((random() * 9)::int8)');
SELECT few.cost BETWEEN whole.cost / 2 AND whole.cost * 2 AND many.cost > few.cost
	FROM rr_estimate('SELECT * FROM rr TABLESAMPLE gpuagg.random_rows (1)') few,
		rr_estimate('SELECT * FROM rr TABLESAMPLE gpuagg.random_rows (1000)') many,
		rr_estimate('SELECT * FROM rr') whole;
SELECT gpuagg.unload('rr') >= 0 AS unloaded;
SELECT gpuagg.why_not('SELECT id % 3, count(*) FROM rr TABLESAMPLE gpuagg.random_rows (25) GROUP BY 1');
SET gpuagg.debug_require = 'prefer';
SELECT count(*), sum(id) FROM rr TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1);
SELECT id FROM rr TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1) WHERE id < 10;
RESET gpuagg.debug_require;
-- far more draws than rows: no more memory than for a number of each
CREATE TABLE rr_three AS SELECT i AS id FROM generate_series(1, 3) i;
SELECT count(*) AS rows, sum(n) AS draws, min(n) > 660000 AND max(n) < 673000 AS even
FROM (SELECT id, count(*) AS n FROM rr_three TABLESAMPLE gpuagg.random_rows (2000000) REPEATABLE (7) GROUP BY id) s;
DROP TABLE rr_three;

-- one sample of a query, also where parallel workers would each draw one; whatever plan answers
CREATE TABLE rr_big AS SELECT i % 50000 AS k, i % 100 AS g FROM generate_series(1, 200000) i;
CREATE TABLE rr_small AS SELECT i AS k FROM generate_series(0, 49999) i;
VACUUM (ANALYZE) rr_big, rr_small;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET enable_indexscan = off;
SET gpuagg.enable = off;
SELECT count(DISTINCT s.k) <= 10, string_agg(DISTINCT 'x', '') FROM rr_big JOIN rr_small s TABLESAMPLE gpuagg.random_rows (10) USING (k);
SELECT count(*) FROM rr_big TABLESAMPLE gpuagg.random_rows (10);
RESET gpuagg.enable;
SELECT count(DISTINCT s.k) <= 10, string_agg(DISTINCT 'x', '') FROM rr_big JOIN rr_small s TABLESAMPLE gpuagg.random_rows (10) USING (k);
SET gpuagg.debug_require = 'prefer';
SELECT count(DISTINCT s.k) <= 10, count(DISTINCT g) > 0 FROM rr_big JOIN rr_small s TABLESAMPLE gpuagg.random_rows (10) USING (k);
SELECT count(*) FROM rr_big TABLESAMPLE gpuagg.random_rows (10);
RESET gpuagg.debug_require;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
RESET enable_indexscan;
DROP TABLE rr_big, rr_small;

DROP VIEW rr_view;
DROP MATERIALIZED VIEW rr_mat;
DROP TABLE rr, rr_dead, rr_clean, rr_used, rr_empty, rr_one, rr_gone, rr_part, rr_temp, rr_wide;
DROP FUNCTION rr_check, rr_row, rr_mix, rr_signed, rr_unsigned, rr_estimate;
