--
-- Look-up tables that the device has made for an earlier statement of the session are
-- used again, for as long as the input is as it was.
--
\a
\t on
SET client_min_messages = warning;
-- What each input became
CREATE FUNCTION ag_inputs(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(format('%s rows%s%s', x->>'Rows',
									 CASE WHEN (x->>'From Kept Columns')::bool THEN ' from kept columns' END,
									 CASE WHEN (x->>'Made Before')::bool THEN ', made before' END), '; ' ORDER BY n)
			FROM jsonb_array_elements(plan->'Look-up Joins') WITH ORDINALITY e (x, n));
END $$;
-- The plan of a first run, its answer against PostgreSQL's, the plan of another
CREATE FUNCTION ag(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT ag_inputs(query);
	RETURN NEXT compare(query);
	RETURN NEXT ag_inputs(query);
END $$;
CREATE TABLE agf (id int, a int, v int) WITH (autovacuum_enabled = off);
INSERT INTO agf SELECT i, i % 700, i % 1000 FROM generate_series(1, 20000) i;
CREATE TABLE aga (k int PRIMARY KEY, name text, n int, q numeric(6,1)) WITH (autovacuum_enabled = off);
INSERT INTO aga SELECT i, 'name ' || i % 25, i % 9, i / 10.0 FROM generate_series(0, 599) i;
VACUUM (FREEZE, ANALYZE) agf, aga;
SELECT length(gpuagg.load('agf')::text) > 0 AND gpuagg.load('aga') > 0;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
-- another condition is another table; the first one stays
SELECT ag('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n < 4 GROUP BY 1');
SELECT ag_inputs('SELECT name, count(*), max(v) FROM agf JOIN aga ON a = k GROUP BY 1');
-- by parameters: each value has its own
PREPARE by_n(int) AS SELECT count(*), sum(q) FROM agf JOIN aga ON a = k WHERE n = $1;
SET plan_cache_mode = force_generic_plan;
SELECT ag_inputs('EXECUTE by_n(3)'), ag_inputs('EXECUTE by_n(4)'), ag_inputs('EXECUTE by_n(3)');
EXECUTE by_n(3);
EXECUTE by_n(4);
EXECUTE by_n(3);
EXECUTE by_n(NULL);
RESET plan_cache_mode;
-- a change, before and behind VACUUM; own changes that are undone
UPDATE aga SET name = 'changed' WHERE k = 5;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
VACUUM aga;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
BEGIN;
DELETE FROM aga WHERE n = 2;
SELECT ag_inputs('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
SELECT compare('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
ROLLBACK;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
VACUUM aga;
-- more rows; other files
INSERT INTO aga SELECT i, 'late ' || i % 3, 1, 1 FROM generate_series(600, 699) i;
VACUUM aga;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
CLUSTER aga USING aga_pkey;
VACUUM aga;
SELECT gpuagg.load('aga') > 0;
SELECT ag('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
-- a column that rows written earlier do not have
ALTER TABLE aga ADD COLUMN late int DEFAULT 7;
SELECT compare('SELECT late, count(*) FROM agf JOIN aga ON a = k GROUP BY 1');
SELECT compare('SELECT late, count(*) FROM agf JOIN aga ON a = k GROUP BY 1');
ALTER TABLE aga DROP COLUMN late;
ALTER TABLE aga ADD COLUMN late int DEFAULT 8;
SELECT compare('SELECT late, count(*) FROM agf JOIN aga ON a = k GROUP BY 1');
-- its strings are there for whoever still reads them
BEGIN;
SET LOCAL gpuagg.debug_require = 'require';
DECLARE c CURSOR FOR SELECT name, count(*) FROM agf JOIN aga ON a = k GROUP BY 1 ORDER BY 1;
FETCH 2 FROM c;
RESET gpuagg.debug_require;
SELECT count(ag_inputs(format('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n <> %s GROUP BY 1', i)))
FROM generate_series(100, 150) i;
FETCH 3 FROM c;
COMMIT;
SELECT ag_inputs('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n <> 150 GROUP BY 1'),
	   ag_inputs('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n <> 100 GROUP BY 1');
-- without the cache nothing is made, and what was made is not used
SET gpuagg.cache = off;
SELECT ag_inputs('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n <> 150 GROUP BY 1');
RESET gpuagg.cache;
-- whoever unloads the input, or has the device keep none of its columns, has it made anew
SELECT gpuagg.unload('aga') > 0;
SELECT compare('SELECT name, count(*) FROM agf JOIN aga ON a = k WHERE n <> 150 GROUP BY 1');
-- a device that is lost has no tables any more
SELECT ag_inputs('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
SET gpuagg.debug_fault = 'lost';
SELECT count(*) FROM (SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1) x;
RESET gpuagg.debug_fault;
DO $$
BEGIN
	FOR i IN 1 .. 1200 LOOP
		EXIT WHEN (SELECT state = 'ready' FROM gpuagg.devices WHERE device = 0);
		PERFORM pg_sleep(0.1);
	END LOOP;
END $$;
SELECT compare('SELECT name, count(*), sum(v) FROM agf JOIN aga ON a = k GROUP BY 1');
DROP TABLE agf, aga;
DROP FUNCTION ag, ag_inputs;
