--
-- TABLESAMPLE: the device takes the rows that PostgreSQL takes.
--
\a
\t on
-- pages as they were filled; with dead and moved rows, before and after VACUUM and with new rows
-- where the dead ones were; no row, one, and none left
CREATE TABLE sa (id int4, g int4, v int8, f float8, t text) WITH (autovacuum_enabled = off);
INSERT INTO sa SELECT i, i % 10, i % 777, i / 8.0, repeat('t' || i % 4, 1 + i % 9) FROM generate_series(1, 12000) i;
CREATE TABLE sa_dead (LIKE sa) WITH (autovacuum_enabled = off, fillfactor = 70);
CREATE TABLE sa_clean (LIKE sa) WITH (autovacuum_enabled = off, fillfactor = 90);
CREATE TABLE sa_used (LIKE sa) WITH (autovacuum_enabled = off);
CREATE TABLE sa_empty (LIKE sa);
CREATE TABLE sa_one (LIKE sa);
CREATE TABLE sa_gone (LIKE sa) WITH (autovacuum_enabled = off);
INSERT INTO sa_one SELECT * FROM sa WHERE id = 5;
DO $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY ARRAY['sa_dead', 'sa_clean', 'sa_used', 'sa_gone'] LOOP
		EXECUTE format('INSERT INTO %I SELECT * FROM sa', name);
		EXECUTE format('DELETE FROM %I WHERE id %% 7 < 2 OR id BETWEEN 1000 AND 1500', name);
		EXECUTE format('UPDATE %I SET v = v + 1 WHERE id %% 5 = 0', name);
	END LOOP;
END $$;
DELETE FROM sa_gone;
VACUUM (FREEZE) sa_clean;
VACUUM sa_used;
INSERT INTO sa_used SELECT * FROM sa WHERE id % 7 = 1;
DELETE FROM sa_used WHERE id % 11 = 3;
ANALYZE sa, sa_dead, sa_clean, sa_used;

CREATE FUNCTION sa_outcomes(queries text[], mode text DEFAULT 'require') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o <> 'ok' THEN min(q) END)
		FROM (SELECT regexp_replace(compare(q, mode), '^ok: .*', 'ok') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;
CREATE FUNCTION sa_queries(form text, percents text[], seeds text[]) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(replace(replace(form, '$sample', format('TABLESAMPLE %s (%s) REPEATABLE (%s)', m, p, s)), '$table', t))
	FROM unnest(ARRAY['sa', 'sa_dead', 'sa_clean', 'sa_used', 'sa_empty', 'sa_one', 'sa_gone']) AS t,
		 unnest(ARRAY['BERNOULLI', 'SYSTEM']) AS m, unnest(percents) AS p, unnest(seeds) AS s
$$;
-- row by row, then in groups
SELECT sa_outcomes(sa_queries('SELECT id, count(*), min(v) FROM $table $sample GROUP BY id', '{10,60}', '{0,42}'));
SELECT sa_outcomes(sa_queries('SELECT g, count(*), sum(id), max(f) FROM $table $sample GROUP BY g',
	'{0,1e-30,0.01,1,24.999,33.3333,99.99,99.99999,100}', '{0,1,-1.5,1e300}'));
SELECT sa_outcomes(sa_queries('SELECT count(*) FROM $table $sample', '{0,3,50,100}', '{3,''NaN'',-0.0,''infinity''}'));
SELECT sa_outcomes(sa_queries('SELECT t, count(*), sum(v) FILTER (WHERE g > 3), avg(v) FROM $table $sample WHERE f < 900 AND t LIKE ''%t1%'' GROUP BY t HAVING count(*) > 1',
	'{15,80}', '{5,6}'));
-- the sample really is one, and nothing beside PostgreSQL's plan agrees with it
SELECT count(*), sum(id) FROM sa TABLESAMPLE BERNOULLI (10) REPEATABLE (1);
SELECT count(*), sum(id) FROM sa TABLESAMPLE SYSTEM (10) REPEATABLE (1);
SET gpuagg.debug_require = 'require';
SELECT count(*), sum(id) FROM sa TABLESAMPLE BERNOULLI (10) REPEATABLE (1);
SELECT count(*), sum(id) FROM sa TABLESAMPLE SYSTEM (10) REPEATABLE (1);
-- what is read and what is counted
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(v) FROM sa TABLESAMPLE BERNOULLI (10) REPEATABLE (1) WHERE g = 3$$);
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT count(v) FROM sa TABLESAMPLE SYSTEM (10) REPEATABLE (1) WHERE g = 3$$);
EXPLAIN (COSTS OFF) SELECT g, count(*) FROM sa x TABLESAMPLE SYSTEM (1.5) GROUP BY g;
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT JSON) SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (1) REPEATABLE (42)$$);
SELECT * FROM explained($$EXPLAIN (COSTS OFF, FORMAT YAML) SELECT count(*) FROM sa TABLESAMPLE SYSTEM ((SELECT 10)) WHERE v > (SELECT 5)$$);
RESET gpuagg.debug_require;
-- arguments and errors
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (101)',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM (-0.001)',
	'SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (''NaN'')',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM (NULL)',
	'SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (5) REPEATABLE (NULL)',
	'SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (-5) REPEATABLE (NULL)',
	'SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (NULL) REPEATABLE (NULL)',
	'SELECT count(*) FROM sa_empty TABLESAMPLE SYSTEM (200)',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM ((SELECT 200.0)) WHERE (SELECT false)',
	'SELECT count(*) FROM sa_empty TABLESAMPLE SYSTEM (200) WHERE (SELECT true)',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM ((SELECT 1 / (g - 5) FROM sa_one)) WHERE f > (SELECT sqrt(-g) FROM sa_one)',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM ((SELECT 1 / (g - 5) FROM sa_one)) WHERE (SELECT sqrt(-g) FROM sa_one) > 0',
	'SELECT g, sum(id) FROM sa TABLESAMPLE BERNOULLI ((SELECT max(g) * 5 FROM sa)) REPEATABLE (length(version()) * 0) GROUP BY g',
	'SELECT g, sum(id) FROM sa TABLESAMPLE BERNOULLI (abs(-3) + 2) REPEATABLE ((SELECT 2)) WHERE v > (SELECT 100) GROUP BY g',
	'SELECT g, sum(1 / (id - 6000)) FROM sa TABLESAMPLE BERNOULLI (100) GROUP BY g',
	'SELECT g, sum(1 / (id - 6000)) FROM sa TABLESAMPLE BERNOULLI (50) REPEATABLE (3) GROUP BY g',
	'SELECT g, sum(1 / (id - 6000)) FROM sa TABLESAMPLE BERNOULLI (50) REPEATABLE (4) GROUP BY g']) q;
-- parameters, in custom and in generic plans
PREPARE sa_p(float4, float8, int4) AS SELECT count(*), sum(id) FROM sa TABLESAMPLE BERNOULLI ($1) REPEATABLE ($2 + $3) WHERE g <> $3;
PREPARE sa_s(float4, float8) AS SELECT count(*), sum(id) FROM sa TABLESAMPLE SYSTEM ($1) REPEATABLE ($2);
SET gpuagg.debug_require = 'require';
SET plan_cache_mode = force_custom_plan;
EXECUTE sa_p(20, 1, 4);
EXECUTE sa_s(20, 1);
SET plan_cache_mode = force_generic_plan;
EXECUTE sa_p(20, 1, 4);
EXECUTE sa_s(20, 1);
EXECUTE sa_p(100, 0, 11);
EXECUTE sa_s(0, 0);
EXECUTE sa_p(NULL, 0, 1);
EXECUTE sa_p(1, NULL, 1);
EXECUTE sa_s(100.1, 0);
EXPLAIN (COSTS OFF) EXECUTE sa_p(20, 1, 4);
SET gpuagg.debug_require = 'allow';
SET gpuagg.enable = off;
EXECUTE sa_p(20, 1, 4);
EXECUTE sa_s(20, 1);
SET gpuagg.enable = on;
RESET plan_cache_mode;
-- rescans: arguments are evaluated again, the seed stays
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT p, x.* FROM generate_series(0, 100, 20) p, LATERAL (SELECT count(*), sum(id) FROM sa TABLESAMPLE BERNOULLI (p) REPEATABLE (p)) x',
	'SELECT p, x.* FROM generate_series(0, 100, 20) p, LATERAL (SELECT count(*), sum(id) FROM sa_dead TABLESAMPLE SYSTEM (p / 2) REPEATABLE (7)) x',
	'SELECT p, (SELECT sum(id) FROM sa TABLESAMPLE SYSTEM ((SELECT g * 9 FROM sa_one WHERE sa_one.id = p)) REPEATABLE (1)) FROM generate_series(5, 5) p',
	'SELECT p, (SELECT sum(id) FROM sa TABLESAMPLE SYSTEM (50) REPEATABLE (p)) FROM generate_series(1, 9) p',
	'SELECT p, x.* FROM generate_series(99, 101) p, LATERAL (SELECT count(*) FROM sa TABLESAMPLE BERNOULLI (p)) x']) q;
SET gpuagg.debug_require = 'prefer';
SELECT count(DISTINCT n), min(n) BETWEEN 5000 AND 7000
FROM generate_series(1, 5) i, LATERAL (SELECT count(*) AS n FROM sa TABLESAMPLE BERNOULLI (50) WHERE id <> -i) x;
-- other rows every time
SELECT count(DISTINCT n) FROM (
	SELECT sum(id) AS n FROM sa TABLESAMPLE BERNOULLI (50) UNION ALL
	SELECT sum(id) FROM sa TABLESAMPLE BERNOULLI (50) UNION ALL
	SELECT sum(id) FROM sa TABLESAMPLE BERNOULLI (50)) x;
RESET gpuagg.debug_require;
-- rows that PostgreSQL evaluates are sampled once
CREATE TABLE sa_toast (id int4, t text) WITH (autovacuum_enabled = off);
INSERT INTO sa_toast SELECT i, repeat(i % 3 || 'x', 3000) FROM generate_series(1, 3000) i;
SELECT sa_outcomes(ARRAY['SELECT t, count(*), sum(id) FROM sa_toast TABLESAMPLE BERNOULLI (30) REPEATABLE (1) GROUP BY t',
	'SELECT t, count(*), sum(id) FROM sa_toast TABLESAMPLE SYSTEM (30) REPEATABLE (1) GROUP BY t']);
-- the fallback plan takes the same sample
SET gpuagg.debug_fault = 'finish';
SELECT sa_outcomes(sa_queries('SELECT g, count(*), sum(id) FROM $table $sample GROUP BY g', '{20}', '{1,2}'), 'prefer');
SELECT sa_outcomes(sa_queries('SELECT g, count(*), sum(id) FROM $table $sample WHERE (SELECT true) GROUP BY g', '{20}', '{1,2}'), 'prefer');
RESET gpuagg.debug_fault;
-- from kept columns, all of them, and beside pages that have changed since, or are new
CREATE FUNCTION sa_pages(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN format('read %s, cached %s, kept %s', plan->'Pages' <> '0', plan->'Cached Pages' <> '0', plan->'Pages Kept' <> '0');
END $$;
CREATE FUNCTION sa_kept() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT sa_outcomes(sa_queries('SELECT id, count(*), min(v) FROM $table $sample GROUP BY id', '{10,60}', '{0,42}')) UNION ALL
	SELECT sa_outcomes(sa_queries('SELECT g, count(*), sum(id), max(f) FROM $table $sample GROUP BY g', '{0,1e-30,1,24.999,99.99999,100}', '{1,-1.5}')) UNION ALL
	SELECT sa_outcomes(sa_queries('SELECT count(*) FROM $table $sample', '{3,50,100}', '{3,''NaN''}')) UNION ALL
	SELECT sa_outcomes(sa_queries('SELECT t, count(*), sum(v) FILTER (WHERE g > 3), avg(v) FROM $table $sample WHERE f < 900 AND t LIKE ''%t1%'' GROUP BY t HAVING count(*) > 1',
		'{15,80}', '{5,6}'))
$$;
CREATE TABLE sa_new AS SELECT i % 7 AS g, 't' || i AS t FROM generate_series(1, 3000) i;
SELECT m, sa_pages(format('SELECT g, max(t COLLATE "C") FROM sa_new TABLESAMPLE %s (40) GROUP BY g', m)) FROM unnest(ARRAY['BERNOULLI', 'SYSTEM']) m;
SELECT count(*) FROM gpuagg.cache WHERE table_name = 'sa_new';
DROP TABLE sa_new;
VACUUM (FREEZE) sa, sa_dead, sa_used, sa_one;
SET client_min_messages = warning;
SELECT count(gpuagg.load(t)) FROM unnest(ARRAY['sa', 'sa_dead', 'sa_clean', 'sa_used', 'sa_empty', 'sa_one', 'sa_gone']::regclass[]) t;
RESET client_min_messages;
SELECT sa_kept();
SELECT m, sa_pages(format('SELECT g, sum(v) FROM sa TABLESAMPLE %s (40) REPEATABLE (7) GROUP BY g', m)) FROM unnest(ARRAY['BERNOULLI', 'SYSTEM']) m;
UPDATE sa SET v = v + 1 WHERE id % 1009 = 0;
DELETE FROM sa_clean WHERE id % 1013 = 5;
INSERT INTO sa_dead SELECT * FROM sa WHERE id < 400;
SELECT sa_kept();
SELECT m, sa_pages(format('SELECT g, sum(v) FROM sa TABLESAMPLE %s (40) REPEATABLE (7) GROUP BY g', m)) FROM unnest(ARRAY['BERNOULLI', 'SYSTEM']) m;
-- pages that have changed are kept elsewhere, again and again
INSERT INTO sa SELECT i, i % 10, i, i / 8.0, 'more' FROM generate_series(20001, 20250) i;
SELECT compare('SELECT g, count(*), sum(id), max(f), min(t), sum(v) FROM sa GROUP BY g');
SELECT sa_kept();
CREATE FUNCTION sa_again() RETURNS SETOF text LANGUAGE sql BEGIN ATOMIC
	UPDATE sa SET t = repeat('u', 30 + id % 20) WHERE id % 97 = (SELECT min(id % 97) FROM sa WHERE t LIKE 't%');
	SELECT compare('SELECT g, count(*), sum(id), max(f), min(t), sum(v) FROM sa GROUP BY g');
	SELECT sa_kept();
END;
SELECT sa_again();
SELECT sa_again();
SELECT sa_again();
-- a sample leaves what is kept as it is
SELECT sa_pages('SELECT g, sum(v) FROM sa_used GROUP BY g');
-- of an error no more than the sample's rows
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT g, sum(1 / (id - 5000)) FROM sa_used TABLESAMPLE BERNOULLI (100) GROUP BY g',
	'SELECT g, sum(1 / (id - 5000)) FROM sa_used TABLESAMPLE BERNOULLI (50) REPEATABLE (3) GROUP BY g',
	'SELECT g, sum(1 / (id - 5000)) FROM sa_used TABLESAMPLE BERNOULLI (50) REPEATABLE (4) GROUP BY g',
	'SELECT g, sum(1 / (id - 5000)) FROM sa_used TABLESAMPLE SYSTEM (50) REPEATABLE (3) GROUP BY g',
	'SELECT g, sum(1 / (id - 5000)) FROM sa_used TABLESAMPLE SYSTEM (50) REPEATABLE (1) GROUP BY g']) q;
DROP FUNCTION sa_pages, sa_kept, sa_again;
-- left to PostgreSQL
CREATE FUNCTION sa_method(internal) RETURNS tsm_handler LANGUAGE internal AS 'tsm_bernoulli_handler';
CREATE TABLE sa_part (id int4, g int4) PARTITION BY LIST (g);
CREATE TABLE sa_part1 PARTITION OF sa_part FOR VALUES IN (1);
SELECT q, refused(q) FROM unnest(ARRAY[
	'SELECT g, count(*) FROM sa TABLESAMPLE sa_method (50) REPEATABLE (1) GROUP BY g',
	'SELECT g, count(*) FROM sa_part TABLESAMPLE gpuagg.random_rows (50) GROUP BY g',
	'SELECT count(*) FROM sa TABLESAMPLE SYSTEM (CASE WHEN 5 IN (SELECT g FROM sa_one) THEN 100 ELSE 0 END)']) q;
SELECT compare('SELECT g, count(*) FROM sa_part1 TABLESAMPLE SYSTEM (50) REPEATABLE (1) GROUP BY g');
DROP TABLE sa, sa_dead, sa_clean, sa_used, sa_empty, sa_one, sa_gone, sa_toast, sa_part;
DROP FUNCTION sa_outcomes, sa_queries, sa_method;
-- by cost: scan and grouping together, rather than a scan below PostgreSQL's grouping
CREATE TABLE sample_large AS SELECT i % 50 AS g, i AS v FROM generate_series(1, 100000) i;
VACUUM (FREEZE, ANALYZE) sample_large;
SET gpuagg.debug_require = allow;
EXPLAIN (COSTS OFF) SELECT g, count(*), sum(v) FROM sample_large TABLESAMPLE BERNOULLI (5) GROUP BY g;
RESET gpuagg.debug_require;
DROP TABLE sample_large;
