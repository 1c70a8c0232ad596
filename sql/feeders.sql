--
-- Parallel workers that hand over a grouping's pages: the answers are those of one process, what they cannot do they
-- leave to it, and errors are the query's.
--
CREATE TABLE fe (id int4, g int4, v numeric(10,2), f float8, s text COLLATE "C", big text) WITH (autovacuum_enabled = off);
ALTER TABLE fe ALTER COLUMN big SET STORAGE EXTERNAL;
INSERT INTO fe SELECT i, i % 97, i / 7.0, i, 'k' || i % 13, CASE WHEN i % 500 = 0 THEN repeat('x', 5000) || i END FROM generate_series(1, 60000) i;
VACUUM (FREEZE, ANALYZE) fe;
UPDATE fe SET g = g + 1 WHERE id % 1000 = 0;
DELETE FROM fe WHERE id % 777 = 0;
CREATE TABLE fe_small AS SELECT 1 AS g;
CREATE TABLE fe_none (g int4);

-- As compare(), with this many feeders; and how many there were.  What is cached is not fed.
CREATE FUNCTION fed(query text, feeders int4) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before int8;
	stock text[];
	device text[];
BEGIN
	PERFORM set_config('gpuagg.enable', 'off', true);
	EXECUTE format('SELECT ARRAY(SELECT q::text FROM (%s) AS q)', query) INTO stock;
	PERFORM set_config('gpuagg.enable', 'on', true);
	PERFORM set_config('gpuagg.debug_feeders', feeders::text, true);
	PERFORM set_config('gpuagg.debug_require', 'require', true);
	before := (SELECT value FROM gpuagg.stat WHERE name = 'feeders');
	EXECUTE format('SELECT ARRAY(SELECT q::text FROM (%s) AS q)', query) INTO device;
	PERFORM set_config('gpuagg.debug_require', 'allow', true);
	RETURN coalesce(differences(stock, device, 1e-9), 'the same') || ', feeders: ' ||
		((SELECT value FROM gpuagg.stat WHERE name = 'feeders') - before);
END $$;

SET gpuagg.cache = off;
SELECT n, fed('SELECT g, count(*), sum(v), avg(f), min(s), max(id) FROM fe GROUP BY g', n) FROM generate_series(0, 4) n;
SELECT fed('SELECT count(*), sum(v) FROM fe WHERE s = ''k3'' AND g > 50', 2);
SELECT fed('SELECT s, count(*) FROM fe GROUP BY s HAVING count(*) > 100 ORDER BY 2 DESC, 1 LIMIT 5', 2);
SELECT fed('SELECT g, count(*), sum(id) FROM fe TABLESAMPLE BERNOULLI (20) REPEATABLE (7) GROUP BY g', 2);
SELECT fed('SELECT g, count(*), sum(id) FROM fe TABLESAMPLE SYSTEM (30) REPEATABLE (7) GROUP BY g', 2);
-- rows that only PostgreSQL can decode
SELECT fed('SELECT g, count(*), max(big) FROM fe WHERE big IS NOT NULL GROUP BY g', 2);
-- several passes, each with feeders of its own
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT fed('SELECT id, sum(v) FROM fe GROUP BY id', 2) ~ '^the same, feeders: [0-9]+$';
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- one page, none
SELECT fed('SELECT g, count(*) FROM fe_small GROUP BY g', 2);
SELECT fed('SELECT g, count(*) FROM fe_none GROUP BY g', 2);
-- rows that are selected come in order, and are read by one process
SELECT fed('SELECT id FROM fe TABLESAMPLE SYSTEM (30) REPEATABLE (3) WHERE g < 5', 2);
-- with the column cache: what is not there is read, and kept
SET gpuagg.cache = on;
SELECT gpuagg.unload('fe') >= 0;
SELECT fed('SELECT g, sum(f) FROM fe GROUP BY g', 3);
SELECT fed('SELECT g, sum(f) FROM fe GROUP BY g', 3);
SELECT pages > 0 AND pages = pages_total AS all_kept FROM gpuagg.cache WHERE relation = 'fe'::regclass AND column_name = 'f';
UPDATE fe SET f = f + 1 WHERE id BETWEEN 20000 AND 21000;
SELECT fed('SELECT g, sum(f) FROM fe GROUP BY g', 3);
SET gpuagg.cache = off;

-- several tables: feeders are the task's, and read whichever has its turn; an empty one, tiny ones, one laid out otherwise
CREATE TABLE fp (id int4, g int4, v numeric(10,2), big text) PARTITION BY RANGE (id);
CREATE TABLE fp_other (gone text, v numeric(10,2), id int4, big text, g int4);
ALTER TABLE fp_other DROP COLUMN gone;
DO $$
BEGIN
	FOR i IN 0 .. 39 LOOP
		EXECUTE format('CREATE TABLE fp_%s PARTITION OF fp FOR VALUES FROM (%s) TO (%s)', i, i * 1000, i * 1000 + 1000);
	END LOOP;
END $$;
ALTER TABLE fp ATTACH PARTITION fp_other FOR VALUES FROM (40000) TO (50000);
ALTER TABLE fp ALTER COLUMN big SET STORAGE EXTERNAL;
INSERT INTO fp SELECT i, i % 97, i / 7.0, CASE WHEN i % 500 = 0 THEN repeat('x', 5000) || i END FROM generate_series(1, 50000) i WHERE i / 1000 NOT IN (3, 50) AND (i / 1000 <> 4 OR i % 100 = 0);
VACUUM (FREEZE, ANALYZE) fp;
DELETE FROM fp WHERE id % 777 = 0;
SELECT n, fed('SELECT g, count(*), sum(v), max(id) FROM fp GROUP BY g', n) FROM generate_series(0, 4) n;
SELECT fed('SELECT g, count(*), sum(v) FROM fp WHERE id BETWEEN 2500 AND 7500 GROUP BY g', 2);
SELECT fed('SELECT g, count(*), sum(id) FROM fp TABLESAMPLE SYSTEM (30) REPEATABLE (7) GROUP BY g', 2);
SELECT fed('SELECT g, count(*), max(big) FROM fp WHERE big IS NOT NULL GROUP BY g', 2);
SELECT fed('SELECT g, count(*) FROM (SELECT g, id FROM fp UNION ALL SELECT g, id FROM fe) u GROUP BY g', 3);
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT fed('SELECT id, sum(v) FROM fp GROUP BY id', 2) ~ '^the same, feeders: [0-9]+$';
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- the first of them is kept, then all: those behind it are fed by feeders that begin later
SET gpuagg.cache = on;
SELECT fed('SELECT g, sum(v) FROM fp WHERE id < 2000 GROUP BY g', 2), fed('SELECT g, sum(v) FROM fp GROUP BY g', 2) ~ '^the same, feeders: [24]$';
SELECT fed('SELECT g, sum(v) FROM fp GROUP BY g', 2) ~ '^the same, feeders: [0-9]+$';
UPDATE fp SET g = g WHERE id BETWEEN 20000 AND 21000;
SELECT fed('SELECT g, sum(v) FROM fp GROUP BY g', 3) ~ '^the same, feeders: [0-9]+$';
SET gpuagg.cache = off;

-- EXPLAIN
SET gpuagg.debug_require = require;
SET gpuagg.debug_feeders = 2;
CREATE FUNCTION fe_explained(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS ON, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Feeders|Pages:|Rows Scanned' THEN
			RETURN NEXT regexp_replace(line, '^ +', '');
		END IF;
	END LOOP;
END $$;
SELECT l ~ '^(Feeders Planned: 2|Feeders Launched: 2|Rows Scanned: 59923)$' OR
	(l ~ '^Pages: ' AND split_part(l, ' ', 2)::int8 > 400) OR (l ~ '^Pages Read by Feeders: ' AND split_part(l, ': ', 2)::int8 > 400), regexp_replace(l, ':.*', '')
FROM fe_explained('SELECT g, sum(v) FROM fe GROUP BY g') l;
SELECT regexp_replace(l, '[0-9]{3,}', 'many') FROM fe_explained('SELECT g, sum(v) FROM fp GROUP BY g') l WHERE l ~ 'Feeders';

-- what a transaction has written itself, and its snapshot
BEGIN;
INSERT INTO fe SELECT i, 500, i, i, 'new' FROM generate_series(1, 1000) i;
SAVEPOINT a;
DELETE FROM fe WHERE g = 500 AND id > 400;
UPDATE fe SET v = v + 1 WHERE g = 500 AND id > 300;
SELECT g, count(*), sum(v) FROM fe WHERE g = 500 GROUP BY g;
ROLLBACK TO a;
SELECT g, count(*), sum(v) FROM fe WHERE g = 500 GROUP BY g;
DECLARE c CURSOR FOR SELECT g, count(*) FROM fe WHERE g >= 499 GROUP BY g;
DELETE FROM fe WHERE g = 500;
FETCH ALL FROM c;
CREATE TABLE fe_new AS SELECT i AS id, i % 3 AS g FROM generate_series(1, 5000) i;
SELECT g, count(*) FROM fe_new GROUP BY g ORDER BY g;
INSERT INTO fe_new SELECT 1, g FROM (SELECT g, count(*) FROM fe_new GROUP BY g) x;
SELECT g, count(*) FROM fe_new GROUP BY g ORDER BY g;
ROLLBACK;
-- serializable
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*), sum(id) FROM fe WHERE g = 3;
COMMIT;
-- as a function of another role, in PL/pgSQL with exceptions
CREATE FUNCTION fe_caught() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int8;
BEGIN
	BEGIN
		PERFORM g, sum(id / (g - 97)) FROM fe GROUP BY g;
	EXCEPTION WHEN division_by_zero THEN
		SELECT count(*) INTO n FROM fe WHERE g = 96;
		RETURN sqlerrm || ', then ' || n;
	END;
END $$;
SET gpuagg.debug_require = allow;
SELECT fe_caught();
-- errors of the data, of a feeder, of the device
SELECT g, sum(id / (g - 5)) FROM fe GROUP BY g;
SET gpuagg.debug_fault = 'feeder';
SELECT g, count(*) FROM fe GROUP BY g;
SELECT pg_catalog.count(*) FROM gpuagg.tasks;
SELECT g, count(*) FROM fp GROUP BY g;
SELECT pg_catalog.count(*) FROM gpuagg.tasks;
SET gpuagg.debug_fault = 'pages';
SELECT g, count(*) FROM fe WHERE g < 2 GROUP BY g ORDER BY g;
SET gpuagg.debug_fault = 'results';
SELECT g, count(*) FROM fe WHERE g < 2 GROUP BY g ORDER BY g;
RESET gpuagg.debug_fault;
SELECT g, count(*) FROM fe WHERE g < 2 GROUP BY g ORDER BY g;

-- by cost: on the host device, whose threads have the cores, none
RESET gpuagg.debug_feeders;
SELECT * FROM fe_explained('SELECT g, sum(v) FROM fe GROUP BY g') l WHERE l ~ 'Feeders';
DROP TABLE fe, fe_small, fe_none, fp;
DROP FUNCTION fed, fe_explained, fe_caught;
