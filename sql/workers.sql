--
-- Groupings inside PostgreSQL's parallel workers: they see what their leader
-- sees, and conflict for it.
--
\a
\t on
CREATE TABLE wk (id int4, g int4, v int4);
INSERT INTO wk SELECT i, i % 4, i FROM generate_series(1, 4000) i;
CREATE TABLE wk_outer (k int4);
INSERT INTO wk_outer SELECT i * 1000 FROM generate_series(0, 3) i;
ANALYZE wk, wk_outer;
-- a query's rows in one string; of what kind the process is that runs it, if asked
CREATE FUNCTION wk_run(query text, tell bool DEFAULT true) RETURNS text
STABLE PARALLEL SAFE LANGUAGE plpgsql AS $$
DECLARE
	answer text := '';
	r record;
BEGIN
	IF tell THEN
		-- NULL until the postmaster has noted the process that it started
		SELECT coalesce(backend_type, 'parallel worker') || ':' INTO answer FROM pg_stat_activity WHERE pid = pg_backend_pid();
	END IF;
	FOR r IN EXECUTE query LOOP
		answer := answer || ' ' || r::text;
	END LOOP;
	RETURN answer;
END $$;
-- another name since 16
SELECT name AS forced_parallel FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :forced_parallel = on;
SET gpuagg.debug_require = 'require';
SELECT wk_run('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
SELECT wk_run('SELECT count(*), sum(v), min(id), max(id) FROM wk WHERE v % 3 = 0');
SELECT wk_run('SELECT g, count(*) FROM wk TABLESAMPLE BERNOULLI (10) REPEATABLE (1) GROUP BY g ORDER BY g');
SELECT wk_run('SELECT id FROM wk TABLESAMPLE BERNOULLI (1) REPEATABLE (1) WHERE g = 1');
-- errors, after which the session goes on
\set VERBOSITY terse
SELECT wk_run('SELECT g, sum(100 / (v - 77)) FROM wk GROUP BY g');
SELECT wk_run('SELECT array_agg(g) FROM wk');
\set VERBOSITY default
-- the transaction's own changes, kept and undone, of several commands and savepoints
CREATE FUNCTION wk_both(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	stock text;
	device text;
BEGIN
	SET LOCAL gpuagg.debug_require = 'allow';
	SET LOCAL gpuagg.enable = off;
	EXECUTE 'SELECT wk_run($1)' INTO stock USING query;
	SET LOCAL gpuagg.enable = on;
	SET LOCAL gpuagg.debug_require = 'require';
	EXECUTE 'SELECT wk_run($1)' INTO device USING query;
	RETURN CASE WHEN stock = device THEN 'same: ' || device
		   ELSE format('DIFFERENT: stock: %s device: %s', stock, device) END;
END $$;
BEGIN;
DELETE FROM wk WHERE g = 2;
INSERT INTO wk VALUES (5001, 9, 1), (5002, 9, 2);
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
SAVEPOINT a;
UPDATE wk SET v = -v WHERE g = 9;
SAVEPOINT b;
DELETE FROM wk WHERE g = 0;
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
ROLLBACK TO b;
UPDATE wk SET v = v * 10 WHERE g = 9;
DELETE FROM wk WHERE id = 5002;
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
ROLLBACK TO a;
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
SELECT wk_both('SELECT g, count(*) FROM wk TABLESAMPLE SYSTEM (50) REPEATABLE (2) GROUP BY g ORDER BY g');
ROLLBACK;
SELECT wk_run('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
-- a serializable transaction's workers lock for it; test/isolation/specs/serializable.spec has the conflicts
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT wk_run('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
SELECT locktype, mode FROM pg_locks WHERE relation = 'wk'::regclass AND mode = 'SIReadLock' AND pid = pg_backend_pid();
INSERT INTO wk VALUES (5001, 9, 1);
DELETE FROM wk WHERE id <= 2000;
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT wk_both('SELECT g, count(*), sum(v) FROM wk GROUP BY g ORDER BY g');
COMMIT;
RESET :forced_parallel;
-- a grouping for each row of a parallel scan, by several processes at once
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT k, wk_run('SELECT g, count(*), sum(v) FROM wk WHERE id > ' || k || ' GROUP BY g ORDER BY g', false) FROM wk_outer ORDER BY k;
SELECT k, wk_run('SELECT g, count(*), sum(v) FROM wk WHERE id > ' || k || ' GROUP BY g ORDER BY g', false) FROM wk_outer ORDER BY k;
SET parallel_leader_participation = off;
SELECT k, wk_run('SELECT g, count(*), sum(v) FROM wk WHERE id > ' || k || ' GROUP BY g ORDER BY g', false) FROM wk_outer ORDER BY k;
RESET ALL;
DROP FUNCTION wk_run, wk_both;
DROP TABLE wk, wk_outer;

-- of gpuagg's functions: what any process may run, what is the leader's (draws are made once, tasks belong to one
-- backend), and what no parallel plan may hold
SELECT proparallel, count(*), string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_proc p, pg_depend d
WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND
	d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gpuagg')
GROUP BY 1 ORDER BY 1;
