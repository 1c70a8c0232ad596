--
-- Plain scans of sampled tables: the device chooses the rows that PostgreSQL's scan returns.
--
\a
\t on
-- pages as they were filled; with dead and moved rows, before and after VACUUM and with new rows
-- where the dead ones were; no row, one, and none left
CREATE TABLE gs (id int4, g int4, v int8, f float8, t text, n numeric(30, 20), b bool) WITH (autovacuum_enabled = off);
INSERT INTO gs SELECT i, i % 10, nullif(i % 777, 0), i / 8.0, repeat('t' || i % 4, 1 + i % 9), i, i % 3 = 0
FROM generate_series(1, 12000) i;
CREATE TABLE gs_dead (LIKE gs) WITH (autovacuum_enabled = off, fillfactor = 70);
CREATE TABLE gs_clean (LIKE gs) WITH (autovacuum_enabled = off, fillfactor = 90);
CREATE TABLE gs_used (LIKE gs) WITH (autovacuum_enabled = off);
CREATE TABLE gs_empty (LIKE gs);
CREATE TABLE gs_one (LIKE gs);
CREATE TABLE gs_gone (LIKE gs) WITH (autovacuum_enabled = off);
CREATE UNLOGGED TABLE gs_unlogged (LIKE gs) WITH (autovacuum_enabled = off);
INSERT INTO gs_one SELECT * FROM gs WHERE id = 5;
INSERT INTO gs_unlogged SELECT * FROM gs;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['gs_dead', 'gs_clean', 'gs_used', 'gs_gone'] LOOP
		EXECUTE format('INSERT INTO %I SELECT * FROM gs', name);
		EXECUTE format('DELETE FROM %I WHERE id %% 7 < 2 OR id BETWEEN 1000 AND 1500', name);
		EXECUTE format('UPDATE %I SET v = v + 1 WHERE id %% 5 = 0', name);
	END LOOP;
END $$;
DELETE FROM gs_gone;
VACUUM (FREEZE) gs_clean;
VACUUM gs_used;
INSERT INTO gs_used SELECT * FROM gs WHERE id % 7 = 1;
DELETE FROM gs_used WHERE id % 11 = 3;
ANALYZE gs, gs_dead, gs_clean, gs_used, gs_unlogged;

-- As run_query() (setup.sql), row by row: an aggregate over the query would be a grouping.
CREATE FUNCTION run_scan(query text, OUT error text, OUT result text[]) LANGUAGE plpgsql AS $$
DECLARE
	r record;
	state text;
BEGIN
	result := '{}';
	FOR r IN EXECUTE query LOOP
		result := result || r::text;
	END LOOP;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, error = MESSAGE_TEXT;
	error := concat_ws(' ', state, error);
END $$;
-- As compare() (setup.sql), of scans.  mode: require, prefer (the device wherever it can be), or fallback
-- (the device, of which a fault is expected).
CREATE FUNCTION compare_scan(query text, mode text DEFAULT 'require') RETURNS text LANGUAGE plpgsql
SET gpuagg.enable = off
SET gpuagg.debug_require = 'allow'
SET client_min_messages = warning
AS $$
DECLARE
	stock record;
	device record;
	diff text;
	node bool := false;
	line text;
BEGIN
	stock := run_scan(query);
	SET LOCAL gpuagg.enable = on;
	PERFORM set_config('gpuagg.debug_require', CASE mode WHEN 'require' THEN 'require' ELSE 'prefer' END, true);
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		node := node OR line LIKE '%GpuSample%';
	END LOOP;
	IF NOT node THEN
		RETURN 'NOT PLANNED on the device';
	END IF;
	device := run_scan(query);
	SET LOCAL gpuagg.enable = off;
	SET LOCAL gpuagg.debug_require = 'allow';
	IF stock.error IS NOT NULL OR device.error IS NOT NULL THEN
		IF stock.error IS NOT DISTINCT FROM device.error THEN
			RETURN 'same error: ' || stock.error;
		END IF;
		RETURN format('DIFFERENT ERRORS: stock: %s device: %s', coalesce(stock.error, 'none'), coalesce(device.error, 'none'));
	END IF;
	diff := differences(stock.result, device.result);
	IF diff IS NOT NULL THEN
		RETURN E'DIFFERENT ROWS:\n' || diff;
	END IF;
	RETURN format('ok: %s rows', cardinality(stock.result));
END $$;

CREATE FUNCTION gs_outcomes(queries text[], mode text DEFAULT 'require') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o <> 'ok' THEN min(q) END)
		FROM (SELECT regexp_replace(compare_scan(q, mode), '^ok: .*', 'ok') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;
CREATE FUNCTION gs_queries(form text, percents text[], seeds text[]) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(replace(replace(form, '$sample', format('TABLESAMPLE %s (%s) REPEATABLE (%s)', m, p, s)), '$table', t))
	FROM unnest(ARRAY['gs', 'gs_dead', 'gs_clean', 'gs_used', 'gs_empty', 'gs_one', 'gs_gone', 'gs_unlogged']) AS t,
		 unnest(ARRAY['BERNOULLI', 'SYSTEM']) AS m, unnest(percents) AS p, unnest(seeds) AS s
$$;
-- every row by its place, whole, by conditions of the device, of PostgreSQL, of both
SELECT gs_outcomes(gs_queries('SELECT ctid, tableoid::regclass, xmin <> ''0'', x FROM $table x $sample', '{0,0.01,10,60,100}', '{0,-1.5}'));
SELECT gs_outcomes(gs_queries('SELECT id, t FROM $table $sample WHERE g = 3 AND v > 100', '{0,1,33.3333,100}', '{1,42}'));
SELECT gs_outcomes(gs_queries('SELECT id + 1, n FROM $table $sample WHERE n > 500 AND f < 900', '{15,100}', '{5}'));
SELECT gs_outcomes(gs_queries('SELECT 1 FROM $table $sample WHERE t ~ ''t1'' AND t LIKE ''%t1'' AND b', '{80}', '{6}'));
SELECT gs_outcomes(gs_queries('SELECT * FROM $table $sample WHERE v IS NULL OR NOT b', '{50,99.99999}', '{6,''NaN''}'));
SELECT gs_outcomes(gs_queries('SELECT t.* FROM $table t $sample WHERE t IS NOT NULL AND ctid > ''(3,1)''', '{50}', '{7}'));
SELECT gs_outcomes(gs_queries('SELECT DISTINCT ON (g) g FROM $table $sample ORDER BY g', '{3}', '{8}'));
-- rows come in PostgreSQL's order
CREATE FUNCTION gs_place(on_device bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	place text := '';
	r record;
BEGIN
	PERFORM set_config('gpuagg.enable', on_device::text, true),
			set_config('gpuagg.debug_require', CASE WHEN on_device THEN 'require' ELSE 'allow' END, true);
	FOR r IN SELECT ctid FROM gs TABLESAMPLE BERNOULLI (30) REPEATABLE (1) LOOP
		place := md5(place || r.ctid);
	END LOOP;
	FOR r IN SELECT ctid FROM gs_used TABLESAMPLE SYSTEM (30) REPEATABLE (1) WHERE b LOOP
		place := md5(place || r.ctid);
	END LOOP;
	RETURN place;
END $$;
SELECT gs_place(true) = gs_place(false);
-- what is shown
SET gpuagg.debug_require = 'require';
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM gs TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE g = 3 AND n > 500$$);
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM gs x TABLESAMPLE SYSTEM (10) REPEATABLE (1)$$);
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, x.ctid FROM gs x TABLESAMPLE SYSTEM (1.5) WHERE x.id > 5 AND x.n > 7;
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT JSON) SELECT * FROM gs TABLESAMPLE BERNOULLI (1) REPEATABLE (42) WHERE b$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT YAML) SELECT * FROM gs TABLESAMPLE SYSTEM ((SELECT 10)) WHERE v > (SELECT 5)$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF) SELECT * FROM gs TABLESAMPLE SYSTEM (1) WHERE random() < 2 AND id = 5 AND (SELECT true)$$);
RESET gpuagg.debug_require;
-- arguments and errors
SELECT q, compare_scan(q) FROM unnest(ARRAY[
	'SELECT * FROM gs TABLESAMPLE BERNOULLI (101)',
	'SELECT * FROM gs TABLESAMPLE SYSTEM (-0.001)',
	'SELECT * FROM gs TABLESAMPLE BERNOULLI (''NaN'')',
	'SELECT * FROM gs TABLESAMPLE SYSTEM (NULL)',
	'SELECT * FROM gs TABLESAMPLE BERNOULLI (5) REPEATABLE (NULL)',
	'SELECT * FROM gs TABLESAMPLE BERNOULLI (NULL) REPEATABLE (NULL)',
	'SELECT * FROM gs_empty TABLESAMPLE SYSTEM (200)',
	'SELECT * FROM gs TABLESAMPLE SYSTEM ((SELECT 200.0)) WHERE (SELECT false)',
	'SELECT * FROM gs_empty TABLESAMPLE SYSTEM (200) WHERE (SELECT true)',
	'SELECT * FROM gs TABLESAMPLE BERNOULLI (0) WHERE id > (SELECT 1 / (g - 5) FROM gs_one)',
	'SELECT * FROM gs_empty TABLESAMPLE BERNOULLI (50) WHERE id > (SELECT 1 / (g - 5) FROM gs_one)',
	'SELECT * FROM gs TABLESAMPLE SYSTEM ((SELECT 1 / (g - 5) FROM gs_one)) WHERE f > (SELECT sqrt(-g) FROM gs_one)',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI ((SELECT max(g) * 5 FROM gs_one)) REPEATABLE (length(version()) * 0)',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (abs(-3) + 2) REPEATABLE ((SELECT 2)) WHERE v > (SELECT 100)',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (100) WHERE 1 / (id - 6000) = 0',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (50) REPEATABLE (3) WHERE 1 / (id - 6000) = 0',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (50) REPEATABLE (4) WHERE 1 / (id - 6000) = 0',
	'SELECT 1 / (id - 6000) FROM gs TABLESAMPLE BERNOULLI (100)',
	'SELECT 1 / (id - 6000) FROM gs TABLESAMPLE BERNOULLI (100) WHERE id <> 6000',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (100) WHERE 1 / (n - 6000) < 5 AND id = 5',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (100) WHERE n <> 6000 AND 1 / (id - 6000) = 0',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (100) WHERE n::int4 <> 6000 AND 1 / (id - 6000) = 0 AND g = 1']) q;
-- comparisons that raise an error of any row come before what the device could test
CREATE TABLE gs_compared AS SELECT id, t COLLATE "C" AS c, t COLLATE "POSIX" AS p, ARRAY[g::text::json] AS j, ARRAY[g] AS a FROM gs;
SELECT q, compare_scan(q) FROM unnest(ARRAY[
	'SELECT id FROM gs_compared TABLESAMPLE SYSTEM (100) WHERE c < p AND id > 12000',
	'SELECT id FROM gs_compared TABLESAMPLE BERNOULLI (100) WHERE j < j AND id > 12000',
	'SELECT id FROM gs_compared TABLESAMPLE BERNOULLI (100) WHERE (gs_compared < gs_compared) IS NULL AND id > 12000',
	'SELECT id FROM gs_compared TABLESAMPLE BERNOULLI (100) WHERE a < a AND id < 12000']) q;
DROP TABLE gs_compared;
-- parameters, in custom and in generic plans
PREPARE gs_p(float4, float8, int4) AS SELECT id, ctid FROM gs TABLESAMPLE BERNOULLI ($1) REPEATABLE ($2 + $3) WHERE g <> $3 AND id < 100;
PREPARE gs_s(float4, float8) AS SELECT min(id), count(*) FROM (SELECT id FROM gs TABLESAMPLE SYSTEM ($1) REPEATABLE ($2) LIMIT 1000) x;
SET gpuagg.debug_require = 'prefer';
SET plan_cache_mode = force_custom_plan;
EXECUTE gs_p(20, 1, 4);
EXECUTE gs_s(20, 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE gs_p(20, 1, 4);
EXECUTE gs_s(20, 1);
EXECUTE gs_s(0, 0);
EXECUTE gs_p(NULL, 0, 1);
EXECUTE gs_p(1, NULL, 1);
EXECUTE gs_s(100.1, 0);
EXPLAIN (COSTS OFF) EXECUTE gs_p(20, 1, 4);
EXPLAIN (COSTS OFF) EXECUTE gs_s(20, 1);
SET gpuagg.debug_require = 'allow';
SET gpuagg.enable = off;
EXECUTE gs_p(20, 1, 4);
EXECUTE gs_s(20, 1);
SET gpuagg.enable = on;
RESET plan_cache_mode;
-- LATERAL arguments, rescans, joins of samples, subqueries, set operations
SET gpuagg.debug_require = 'prefer';
EXPLAIN (COSTS OFF) SELECT p, x.id FROM generate_series(0, 100, 20) p, LATERAL (SELECT * FROM gs TABLESAMPLE BERNOULLI (p) REPEATABLE (p)) x;
SELECT q, compare_scan(q, 'prefer') FROM unnest(ARRAY[
	'SELECT p, x.id FROM generate_series(0, 100, 20) p, LATERAL (SELECT * FROM gs TABLESAMPLE BERNOULLI (p) REPEATABLE (p)) x',
	'SELECT p, x.ctid, x.v FROM generate_series(0, 100, 20) p, LATERAL (SELECT ctid, * FROM gs_dead TABLESAMPLE SYSTEM (p / 2) REPEATABLE (7) WHERE g = p / 20) x',
	'SELECT p, x.id FROM generate_series(0, 100, 20) p, LATERAL (SELECT * FROM gs TABLESAMPLE BERNOULLI (p) REPEATABLE (3) WHERE g < p) x',
	'SELECT o.id, x.id FROM gs_one o, LATERAL (SELECT * FROM gs TABLESAMPLE SYSTEM (o.g * 10) REPEATABLE (3)) x WHERE x.id > o.id AND x.n > o.n',
	'SELECT p, x.id FROM generate_series(99, 101) p, LATERAL (SELECT id FROM gs TABLESAMPLE BERNOULLI (p)) x',
	'SELECT p, (SELECT string_agg(id::text, '','' ORDER BY id) FROM (SELECT id FROM gs TABLESAMPLE BERNOULLI (1) REPEATABLE (1) WHERE g = p LIMIT 100) y) FROM generate_series(1, 9) p',
	'SELECT a.id, b.v FROM gs a TABLESAMPLE BERNOULLI (20) REPEATABLE (1) JOIN gs_dead b TABLESAMPLE SYSTEM (30) REPEATABLE (2) USING (id) WHERE a.g < 5',
	'SELECT a.id, b.id FROM gs a TABLESAMPLE BERNOULLI (1) REPEATABLE (1) LEFT JOIN gs_used b TABLESAMPLE BERNOULLI (1) REPEATABLE (2) ON a.g = b.g AND b.v < a.v',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (20) REPEATABLE (1) EXCEPT SELECT id FROM gs TABLESAMPLE SYSTEM (50) REPEATABLE (1)',
	'WITH s AS MATERIALIZED (SELECT id, g FROM gs TABLESAMPLE BERNOULLI (20) REPEATABLE (1)) SELECT x.id FROM s x JOIN s y ON x.id = y.id + 1',
	'SELECT id, row_number() OVER (PARTITION BY g ORDER BY id) FROM gs TABLESAMPLE BERNOULLI (5) REPEATABLE (9)',
	'SELECT id, generate_series(1, 2) FROM gs TABLESAMPLE SYSTEM (3) REPEATABLE (9) WHERE b',
	'SELECT id FROM gs_one WHERE id IN (SELECT id FROM gs TABLESAMPLE BERNOULLI (90) REPEATABLE (1))',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE id IN (SELECT id FROM gs_one) OR v IN (SELECT id FROM gs_one)']) q;
SET gpuagg.debug_require = 'prefer';
-- grouping over a sample of a join: the scans are on the device
SET enable_mergejoin = off;
SET enable_sort = off;
SET gpuagg.lookup_memory = 0;
-- 19 might group before it joins
SELECT count(set_config(name, 'off', false)) AS n FROM pg_settings WHERE name = 'enable_eager_aggregate' \gset
EXPLAIN (COSTS OFF) SELECT a.g, count(*) FROM gs a TABLESAMPLE BERNOULLI (20) REPEATABLE (1) JOIN gs_one b ON a.g = b.g GROUP BY a.g;
RESET gpuagg.lookup_memory;
RESET enable_mergejoin;
RESET enable_sort;
-- the seed is drawn once; volatile arguments are evaluated each time
SELECT count(DISTINCT n) FROM generate_series(1, 5) i,
	LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM gs TABLESAMPLE BERNOULLI (50) WHERE id <> -i OFFSET 0) y) x;
CREATE SEQUENCE gs_seq;
SELECT array_agg(n ORDER BY i) FROM generate_series(1, 3) i LEFT JOIN LATERAL
	(SELECT count(*) AS n FROM (SELECT 1 FROM gs TABLESAMPLE SYSTEM (CASE WHEN nextval('gs_seq') % 2 = 0 THEN 100 ELSE 0 END) WHERE id <> -i OFFSET 0) y) x ON true;
SELECT count(DISTINCT n) FROM (
	SELECT array_agg(id) AS n FROM (SELECT id FROM gs TABLESAMPLE BERNOULLI (50) LIMIT 100) a UNION ALL
	SELECT array_agg(id) FROM (SELECT id FROM gs TABLESAMPLE BERNOULLI (50) LIMIT 100) b) x;
-- cursors: forwards, scrolling, held, WHERE CURRENT OF, over a subtransaction that is rolled back
CREATE TABLE gs_cur AS SELECT * FROM gs WHERE id <= 40;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM gs_cur TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE id > 10;
DECLARE s SCROLL CURSOR FOR SELECT id FROM gs_cur TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE id > 10;
DECLARE h CURSOR WITH HOLD FOR SELECT id FROM gs_cur TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE id > 10;
FETCH 3 FROM c;
SAVEPOINT a;
FETCH 2 FROM c;
UPDATE gs_cur SET v = -1 WHERE CURRENT OF c;
ROLLBACK TO a;
FETCH 1 FROM c;
UPDATE gs_cur SET v = -2 WHERE CURRENT OF c;
DELETE FROM gs_cur WHERE id > 30;
FETCH ALL FROM c;
FETCH LAST FROM s;
FETCH PRIOR FROM s;
FETCH ABSOLUTE 2 FROM s;
CLOSE s;
SELECT id, v FROM gs_cur WHERE v < 0;
COMMIT;
FETCH 2 FROM h;
CLOSE h;
-- locking and changing sampled rows
BEGIN;
SELECT id FROM gs_cur TABLESAMPLE BERNOULLI (50) REPEATABLE (2) WHERE g = 3 FOR UPDATE;
SELECT id FROM gs_cur x TABLESAMPLE SYSTEM (100) WHERE g = 4 FOR NO KEY UPDATE OF x SKIP LOCKED;
UPDATE gs_cur c SET v = 99 FROM gs_cur s TABLESAMPLE BERNOULLI (50) REPEATABLE (2) WHERE c.id = s.id AND s.g = 3 RETURNING c.id;
DELETE FROM gs_cur c USING gs_cur s TABLESAMPLE BERNOULLI (50) REPEATABLE (2) WHERE c.ctid = s.ctid AND s.g = 3 RETURNING s.id, s.v;
-- own changes, seen by later commands only
WITH d AS (DELETE FROM gs_cur WHERE g = 4 RETURNING id)
SELECT (SELECT count(*) FROM d), (SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM gs_cur TABLESAMPLE SYSTEM (100) WHERE g = 4 OFFSET 0) x);
SELECT id FROM gs_cur TABLESAMPLE SYSTEM (100) WHERE g = 4;
ROLLBACK;
-- into other tables; in functions
CREATE TABLE gs_copy AS SELECT * FROM gs TABLESAMPLE BERNOULLI (25) REPEATABLE (5) WHERE b;
INSERT INTO gs_copy SELECT * FROM gs_copy TABLESAMPLE SYSTEM (100);
SET gpuagg.enable = off;
SELECT count(*) = 2 * (SELECT count(*) FROM gs TABLESAMPLE BERNOULLI (25) REPEATABLE (5) WHERE b) FROM gs_copy;
RESET gpuagg.enable;
CREATE FUNCTION gs_sum(p float4) RETURNS int8 LANGUAGE plpgsql STABLE AS $$
DECLARE
	n int8 := 0;
	r record;
BEGIN
	FOR r IN SELECT id FROM gs TABLESAMPLE BERNOULLI (p) REPEATABLE (1) WHERE g = 1 LOOP
		n := n + r.id;
		EXIT WHEN n > 100000;
	END LOOP;
	RETURN n;
END $$;
SELECT gs_sum(5), gs_sum(50), gs_sum(0);
RESET gpuagg.debug_require;
-- the store of rows spills
SET work_mem = '64kB';
SELECT compare_scan('SELECT ctid, id FROM gs TABLESAMPLE BERNOULLI (99.9) REPEATABLE (1)');
SELECT compare_scan('SELECT x, y.id FROM generate_series(1, 2) x, LATERAL (SELECT id FROM gs TABLESAMPLE BERNOULLI (99) REPEATABLE (1) WHERE id <> -x) y');
SELECT compare_scan('SELECT a.id FROM gs a TABLESAMPLE BERNOULLI (90) REPEATABLE (1) LEFT JOIN gs_one o ON o.id > a.id WHERE a.id < 9000', 'prefer');
SET gpuagg.debug_require = 'prefer';
SELECT gs_place(true) = gs_place(false);
-- rows that are read again
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT compare_scan('SELECT o.i, a.id FROM generate_series(1, 3) o(i), gs a TABLESAMPLE BERNOULLI (95) REPEATABLE (1) WHERE a.id % 1000 = o.i', 'prefer');
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET work_mem;
RESET gpuagg.debug_require;
-- rows that only PostgreSQL can judge: values that are not on the page, in the filter or not
SET default_toast_compression = 'pglz';
CREATE TABLE gs_toast (id int4, t text, p text) WITH (autovacuum_enabled = off);
ALTER TABLE gs_toast ALTER COLUMN p SET STORAGE EXTERNAL;
INSERT INTO gs_toast SELECT i, repeat(i % 3 || 'x', CASE WHEN i % 2 = 0 THEN 3000 ELSE 3 END), repeat(chr(65 + i % 5), CASE WHEN i % 7 = 0 THEN 5000 ELSE 2 END) FROM generate_series(1, 3000) i;
SELECT gs_outcomes(ARRAY['SELECT id, length(t), p FROM gs_toast TABLESAMPLE BERNOULLI (30) REPEATABLE (1)',
	'SELECT id, md5(t) FROM gs_toast TABLESAMPLE BERNOULLI (30) REPEATABLE (1) WHERE t LIKE ''1x%''',
	'SELECT * FROM gs_toast TABLESAMPLE SYSTEM (60) REPEATABLE (1) WHERE t LIKE ''1x%'' AND p LIKE ''A%'' AND length(p) > 1',
	'SELECT id FROM gs_toast TABLESAMPLE SYSTEM (60) REPEATABLE (1) WHERE p LIKE ''B%'' AND 1 / (id - 1) >= 0 AND id::numeric > 0',
	'SELECT ctid FROM gs_toast TABLESAMPLE BERNOULLI (100) WHERE t IS NOT NULL']);
SET gpuagg.debug_require = 'require';
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM gs_toast TABLESAMPLE BERNOULLI (30) REPEATABLE (1) WHERE t LIKE '1x%' AND id::numeric < 1000$$);
RESET gpuagg.debug_require;
-- columns that were added, dropped
ALTER TABLE gs_clean ADD COLUMN c int4 DEFAULT 7, ADD COLUMN e text DEFAULT 'later';
ALTER TABLE gs_clean DROP COLUMN f;
INSERT INTO gs_clean (id, c) VALUES (-1, 8);
SELECT gs_outcomes(ARRAY['SELECT * FROM gs_clean TABLESAMPLE BERNOULLI (90) REPEATABLE (1) WHERE c = 7 AND e LIKE ''l%''',
	'SELECT x, id, e FROM gs_clean x TABLESAMPLE SYSTEM (100) WHERE c > 7 OR id < 100']);
-- partitions and child tables, each a scan of its own
CREATE TABLE gs_part (id int4, g int4, n numeric) PARTITION BY LIST (g);
CREATE TABLE gs_part1 PARTITION OF gs_part FOR VALUES IN (1);
CREATE TABLE gs_part2 (n numeric, junk int, g int4, id int4);
ALTER TABLE gs_part2 DROP COLUMN junk;
ALTER TABLE gs_part ATTACH PARTITION gs_part2 FOR VALUES IN (2);
INSERT INTO gs_part SELECT i, 1 + i % 2, i FROM generate_series(1, 4000) i;
CREATE TABLE gs_child (extra text) INHERITS (gs_one);
INSERT INTO gs_child SELECT *, 'child' FROM gs WHERE id < 300;
ANALYZE gs_part, gs_child;
SELECT gs_outcomes(ARRAY['SELECT tableoid::regclass, ctid, x FROM gs_part x TABLESAMPLE BERNOULLI (30) REPEATABLE (1) WHERE id % 3 = 0 AND n > 10',
	'SELECT x FROM gs_part x TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE g = 2 AND n > 10',
	'SELECT tableoid::regclass, * FROM gs_one TABLESAMPLE BERNOULLI (70) REPEATABLE (1) WHERE id < 250',
	'SELECT p, x.id FROM generate_series(10, 50, 20) p, LATERAL (SELECT * FROM gs_part TABLESAMPLE BERNOULLI (p) REPEATABLE (1) WHERE id > p) x']);
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT id FROM gs_part TABLESAMPLE SYSTEM (50) WHERE id < 5;
SET enable_partitionwise_join = on;
SELECT compare_scan('SELECT a.id, s.id FROM gs_part a JOIN LATERAL (SELECT * FROM gs_part b TABLESAMPLE SYSTEM (a.g * 40) REPEATABLE (a.g)) s ON a.id = s.id AND a.g = s.g WHERE a.id < 100', 'prefer');
RESET enable_partitionwise_join;
RESET gpuagg.debug_require;
-- row security and security-barrier views: nothing above them sees a hidden row
CREATE TABLE gs_secret (id int4, who text, n numeric);
INSERT INTO gs_secret SELECT i, CASE WHEN i % 2 = 0 THEN 'gs_user' ELSE 'other' END, i FROM generate_series(1, 3000) i;
ANALYZE gs_secret;
ALTER TABLE gs_secret ENABLE ROW LEVEL SECURITY;
CREATE ROLE gs_user;
CREATE POLICY gs_policy ON gs_secret USING (who = current_user);
CREATE VIEW gs_barrier WITH (security_barrier) AS SELECT * FROM gs_secret TABLESAMPLE SYSTEM (100) WHERE id % 10 = 0;
GRANT SELECT ON gs_secret, gs_barrier TO gs_user;
CREATE FUNCTION gs_leak(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$;
SET ROLE gs_user;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) SELECT id FROM gs_secret TABLESAMPLE SYSTEM (100) WHERE gs_leak(who) AND id < 5;
SELECT id FROM gs_secret TABLESAMPLE SYSTEM (100) WHERE gs_leak(who) AND id < 5;
EXPLAIN (COSTS OFF) SELECT id FROM gs_barrier WHERE gs_leak(who) AND 1 / (id - 40) < 9 AND id < 25;
SELECT id FROM gs_barrier WHERE gs_leak(who) AND id < 25;
SELECT count(*) FROM (SELECT 1 FROM gs_secret TABLESAMPLE BERNOULLI (100) WHERE 1 / (id - 7) > -9 OFFSET 0) x WHERE false;
RESET gpuagg.debug_require;
SELECT id FROM gs TABLESAMPLE SYSTEM (100);
RESET ROLE;
-- the fallback plan takes the same sample, and has all conditions
SET gpuagg.debug_fault = 'finish';
SELECT gs_outcomes(gs_queries('SELECT tableoid, ctid, id FROM $table $sample WHERE g <> 3 AND n > 100', '{20}', '{1,2}'), 'fallback');
SELECT gs_outcomes(ARRAY['SELECT p, x.id FROM generate_series(0, 100, 20) p, LATERAL (SELECT * FROM gs TABLESAMPLE BERNOULLI (p) REPEATABLE (p)) x',
	'SELECT id FROM gs TABLESAMPLE BERNOULLI (20) REPEATABLE (1) WHERE (SELECT true) AND g = 4',
	'SELECT x, id FROM gs x TABLESAMPLE BERNOULLI (20) REPEATABLE (1)'], 'fallback');
SET gpuagg.debug_require = 'prefer';
SELECT count(DISTINCT n) FROM generate_series(1, 3) i,
	LATERAL (SELECT count(*) AS n FROM (SELECT 1 FROM gs TABLESAMPLE BERNOULLI (50) WHERE id <> -i OFFSET 0) y) x;
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT id FROM gs TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE g = 3 AND n > 500$$);
CREATE SEQUENCE gs_calls;
SELECT count(*) = (SELECT last_value FROM gs_calls) FROM (SELECT id FROM gs TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE nextval('gs_calls') > 0 OFFSET 0) x;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM gs_cur TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE id > 10;
FETCH 2 FROM c;
DELETE FROM gs_cur WHERE CURRENT OF c RETURNING id;
ROLLBACK;
SET gpuagg.fallback = off;
CREATE FUNCTION gs_fault(stage text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.debug_fault', stage, true);
	RETURN stage || ': ' || coalesce((run_scan('SELECT id FROM gs TABLESAMPLE BERNOULLI (10)')).error, 'none');
END $$;
SELECT gs_fault(stage) FROM unnest(ARRAY['begin', 'pages', 'rows', 'finish', 'results']) stage;
RESET gpuagg.debug_fault;
SELECT (run_scan('SELECT id FROM gs TABLESAMPLE BERNOULLI (100) WHERE 1 / (id - 6000) = 0')).error;
RESET gpuagg.fallback;
SELECT gs_fault('memory');
RESET gpuagg.debug_fault;
RESET gpuagg.debug_require;
-- cost decides: PostgreSQL's plan for few rows and for the first ones
CREATE TABLE gs_large (id int4, g int4) WITH (autovacuum_enabled = off);
INSERT INTO gs_large SELECT i, i % 1000 FROM generate_series(1, 300000) i;
ANALYZE gs_large;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT * FROM gs_large TABLESAMPLE BERNOULLI (10) WHERE g = 5;
EXPLAIN (COSTS OFF) SELECT * FROM gs_large TABLESAMPLE BERNOULLI (10) WHERE g = 5 LIMIT 1;
EXPLAIN (COSTS OFF) SELECT * FROM gs_one TABLESAMPLE BERNOULLI (10);
SELECT gpuagg.why_not('SELECT * FROM gs_large TABLESAMPLE BERNOULLI (10) WHERE g = 5');
SELECT gpuagg.why_not('SELECT * FROM gs_large TABLESAMPLE BERNOULLI (10) WHERE g = 5 LIMIT 1');
SELECT regexp_replace(split_part(gpuagg.why_not('SELECT * FROM gs_cur TABLESAMPLE BERNOULLI (10) WHERE id = 5'), ';', 1), '[0-9]+\.[0-9]+', 'N', 'g');
RESET max_parallel_workers_per_gather;
-- left to PostgreSQL
CREATE FUNCTION gs_method(internal) RETURNS tsm_handler LANGUAGE internal AS 'tsm_bernoulli_handler';
CREATE TEMP TABLE gs_temp AS SELECT * FROM gs WHERE id < 1000;
CREATE MATERIALIZED VIEW gs_view AS SELECT * FROM gs WHERE id < 1000;
SELECT q, refused(q) FROM unnest(ARRAY[
	'SELECT * FROM gs TABLESAMPLE gs_method (50) REPEATABLE (1)',
	'SELECT * FROM gs_temp TABLESAMPLE SYSTEM (50) REPEATABLE (1)',
	'SELECT * FROM gs TABLESAMPLE SYSTEM (CASE WHEN 5 IN (SELECT g FROM gs_one) THEN 100 ELSE 0 END)']) q;
SELECT compare_scan('SELECT * FROM gs_view TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE g = 5');
SET gpuagg.debug_require = 'require';
SELECT * FROM gs_temp TABLESAMPLE SYSTEM (50);
SELECT relname FROM pg_class TABLESAMPLE SYSTEM (100) WHERE relname = 'gs';
SET gpuagg.debug_require = 'forbid';
SELECT * FROM gs TABLESAMPLE SYSTEM (50);
SELECT count(*) FROM gs TABLESAMPLE SYSTEM (50);
SELECT count(*) FROM gs_temp TABLESAMPLE SYSTEM (100);
RESET gpuagg.debug_require;
-- plans that are kept notice what happens to the table; plans can be printed
CREATE TABLE gs_plan AS SELECT * FROM gs WHERE id <= 400;
PREPARE gs_kept(int4) AS SELECT id FROM gs_plan TABLESAMPLE BERNOULLI (50) REPEATABLE (4) WHERE id < $1;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
SET debug_print_plan = on;
EXECUTE gs_kept(10);
RESET debug_print_plan;
DELETE FROM gs_plan WHERE id % 2 = 0;
VACUUM FULL gs_plan;
EXECUTE gs_kept(10);
ALTER TABLE gs_plan DROP COLUMN f;
EXECUTE gs_kept(10);
TRUNCATE gs_plan;
EXECUTE gs_kept(10);
ALTER TABLE gs_plan ALTER COLUMN id TYPE int8;
EXECUTE gs_kept(10);
DROP TABLE gs_plan;
EXECUTE gs_kept(10);
RESET gpuagg.debug_require;
RESET plan_cache_mode;
-- what PostgreSQL counts
CREATE FUNCTION gs_counted(on_device bool) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	scans int8 := pg_stat_get_xact_numscans('gs'::regclass);
	rows int8 := pg_stat_get_xact_tuples_returned('gs'::regclass);
BEGIN
	PERFORM set_config('gpuagg.enable', on_device::text, true),
			set_config('gpuagg.debug_require', CASE WHEN on_device THEN 'prefer' ELSE 'allow' END, true);
	PERFORM id FROM gs TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE g = 3;
	PERFORM id FROM gs TABLESAMPLE SYSTEM (10) REPEATABLE (1) WHERE g = 3;
	RETURN pg_stat_get_xact_numscans('gs'::regclass) - scans || ' ' || pg_stat_get_xact_tuples_returned('gs'::regclass) - rows;
END $$;
SELECT gs_counted(false), gs_counted(true);
DROP VIEW gs_barrier;
DROP TABLE gs, gs_dead, gs_clean, gs_used, gs_empty, gs_one, gs_child, gs_gone, gs_unlogged, gs_toast, gs_cur, gs_copy, gs_part,
	gs_secret, gs_large, gs_temp CASCADE;
DROP SEQUENCE gs_seq, gs_calls;
DROP FUNCTION run_scan, compare_scan, gs_outcomes, gs_queries, gs_place, gs_method, gs_sum, gs_leak, gs_counted, gs_fault;
DROP ROLE gs_user;
