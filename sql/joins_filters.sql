--
-- Look-up tables of slots with a filter before them, which is asked first.
--
\a
\t on
SET client_min_messages = warning;
-- What each input became, in the order of the joins
CREATE FUNCTION jl_inputs(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(concat_ws(', ', x->>'Join Type', x->>'Table', CASE WHEN (x->>'Filter')::bool THEN 'filter' END,
										CASE WHEN (x->>'Windows')::int > 1 THEN 'windows' END,
										CASE WHEN (x->>'From Kept Columns')::bool THEN 'kept' END,
										CASE WHEN (x->>'Made Before')::bool THEN 'made before' END), '; ' ORDER BY n)
			FROM jsonb_array_elements(plan->'Look-up Joins') WITH ORDINALITY e (x, n));
END $$;
CREATE FUNCTION jl(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT jl_inputs(query);
	RETURN NEXT compare(query);
END $$;
CREATE TABLE jl_f (id int, a int, big int8, s text, c char(8), m numeric(8,2), v int) WITH (autovacuum_enabled = off);
INSERT INTO jl_f SELECT i, i % 700, CASE WHEN i % 50 > 0 THEN (i % 5000)::int8 * 1000000007 END, CASE WHEN i % 40 > 0 THEN 'key ' || i % 5000 END,
	   'c' || i % 90, i % 90 / 4.0, i % 1000
FROM generate_series(1, 30000) i;
-- a tenth of the keys; of the device's tables, keys that are NULL
CREATE TABLE jl_big (k int8 UNIQUE, n text, up int, r int) WITH (autovacuum_enabled = off);
INSERT INTO jl_big SELECT CASE WHEN i % 40 > 0 THEN i * 1000000007::int8 END, 'big ' || i % 9, i % 8, i % 5 FROM generate_series(0, 500) i;
CREATE TABLE jl_s (k text PRIMARY KEY, n int) WITH (autovacuum_enabled = off);
INSERT INTO jl_s SELECT 'key ' || i, i % 6 FROM generate_series(100, 600) i;
CREATE TABLE jl_ab (a int, b int8, n text, PRIMARY KEY (a, b)) WITH (autovacuum_enabled = off);
INSERT INTO jl_ab SELECT i % 700, (i % 5000)::int8 * 1000000007, 'pair ' || i % 6 FROM generate_series(1, 3000) i;
CREATE TABLE jl_sm (c char(8), m numeric(8,2), a int, t text, PRIMARY KEY (c, m, a)) WITH (autovacuum_enabled = off);
INSERT INTO jl_sm SELECT DISTINCT ON (1, 2, 3) 'c' || i % 90, i % 90 / 4.0, i % 700, 't' || i % 4 FROM generate_series(1, 2000) i;
CREATE TABLE jl_d (k int PRIMARY KEY, n text) WITH (autovacuum_enabled = off);
INSERT INTO jl_d SELECT i, 'd' || i % 5 FROM generate_series(0, 7) i;
CREATE TABLE jl_dup (k int8, n int) WITH (autovacuum_enabled = off);
INSERT INTO jl_dup SELECT (i % 300)::int8 * 1000000007, i FROM generate_series(1, 1000) i;
ANALYZE jl_f, jl_big, jl_s, jl_ab, jl_sm, jl_d, jl_dup;
CREATE TABLE jl_q (q text);
INSERT INTO jl_q VALUES
 ('SELECT n, count(*), sum(v) FROM jl_f JOIN jl_big ON big = k GROUP BY 1'),
 ('SELECT jl_s.n, count(*), sum(v) FROM jl_f JOIN jl_s ON s = k GROUP BY 1'),
 ('SELECT n, count(*) FROM jl_f JOIN jl_ab ON jl_f.a = jl_ab.a AND big = b GROUP BY 1'),
 ('SELECT t, count(*) FROM jl_f JOIN jl_sm USING (c, m, a) GROUP BY 1'),
 ('SELECT jl_d.n, count(*) FROM jl_f JOIN jl_big ON big = jl_big.k JOIN jl_d ON up = jl_d.k GROUP BY 1'),
 ('SELECT n, count(*), count(k) FROM jl_f LEFT JOIN jl_big ON big = k AND r > 2 GROUP BY 1'),
 ('SELECT v % 7, count(*) FROM jl_f WHERE NOT EXISTS (SELECT FROM jl_big WHERE k = big) GROUP BY 1'),
 ('SELECT v % 7, count(*) FROM jl_f WHERE EXISTS (SELECT FROM jl_dup WHERE k = big AND n > 500) GROUP BY 1'),
 ('SELECT v % 7, count(*) FROM jl_f WHERE big IN (SELECT k FROM jl_dup WHERE n < 900) GROUP BY 1'),
 ('SELECT v % 7, count(*), sum(n) FROM jl_f JOIN jl_dup ON k = big GROUP BY 1'),
 ('SELECT count(*) FROM jl_f JOIN jl_big ON big = k WHERE r = 77');
-- small tables have none; where they are asked for, all have one but those of bits
SELECT jl(q) FROM jl_q;
SET gpuagg.debug_filters = always;
SELECT jl(q) FROM jl_q;
SET gpuagg.debug_filters = off;
SELECT jl_inputs(q) FROM jl_q;
SET gpuagg.debug_filters = always;
SELECT regexp_replace(line, '\d+ bytes', 'n bytes', 'g') FROM explained('EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT jl_d.n, count(*) FROM jl_f JOIN jl_big ON big = jl_big.k JOIN jl_d ON up = jl_d.k GROUP BY 1') line
WHERE line ~ 'Look-up';
-- made by the device of columns that it keeps
VACUUM (FREEZE, ANALYZE) jl_f, jl_big, jl_s, jl_ab, jl_sm, jl_d, jl_dup;
SELECT jl(q) FROM jl_q WHERE q !~ 'jl_sm';
-- a table that is there already, with or without: each is found as it is wanted
SELECT jl_inputs(q) FROM jl_q LIMIT 1;
SET gpuagg.debug_filters = off;
SELECT jl_inputs(q) FROM jl_q LIMIT 1;
SELECT jl_inputs(q) FROM jl_q LIMIT 1;
SET gpuagg.debug_filters = always;
SELECT jl_inputs(q) FROM jl_q LIMIT 1;
-- where it pays: by a profile with which all but the smallest tables are slow to read
SET gpuagg.debug_filters = auto;
SET gpuagg.cache = off;
CREATE TABLE jl_all (k int8 PRIMARY KEY, r int) WITH (autovacuum_enabled = off);
INSERT INTO jl_all SELECT i * 1000000007::int8, i % 5 FROM generate_series(0, 4999) i;
ANALYZE jl_all;
BEGIN;
INSERT INTO gpuagg.profile (device_kind, device_name, origin, measured_at, units, feed_page_ns, round_trip_ns, cost_unit_ns, postgres_row_ns, postgres_value_ns, postgres_group_ns)
SELECT kind, name, 'edited', now(), 4, 100, 1e5, 3400, 40, 25, 500 FROM gpuagg.devices WHERE state = 'ready' LIMIT 1;
INSERT INTO gpuagg.random_access (profile_id, region_bytes, read8_per_second, read32_per_second, atomic8_per_second)
SELECT max(profile_id), bytes, rate, rate, rate FROM gpuagg.profile, (VALUES (8192, 1e9), (16384, 1e7)) v (bytes, rate) GROUP BY bytes, rate;
-- few are found, all are, or few rows are looked up
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big WHERE r = 3 GROUP BY 1');
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big GROUP BY 1');
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big WHERE r = 3 AND id = 5 GROUP BY 1');
SELECT jl_inputs('SELECT r, count(*) FROM jl_f LEFT JOIN jl_all ON k = big AND r = 3 GROUP BY 1');
-- a wrong estimate: what the first run has found is believed
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big WHERE r + 0 < 9 GROUP BY 1');
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big WHERE r + 0 < 9 GROUP BY 1');
SELECT jl_inputs('SELECT count(*) FROM jl_f WHERE NOT EXISTS (SELECT FROM jl_all WHERE k = big AND r + 0 < 9)');
SELECT jl_inputs('SELECT count(*) FROM jl_f WHERE NOT EXISTS (SELECT FROM jl_all WHERE k = big AND r + 0 < 9)');
ROLLBACK;
SELECT jl_inputs('SELECT r, count(*) FROM jl_f JOIN jl_all ON k = big WHERE r = 3 GROUP BY 1');
RESET gpuagg.cache;
SET gpuagg.debug_filters = always;
-- in windows of keys; a value that PostgreSQL refuses
SET gpuagg.lookup_memory = '1MB';
CREATE TABLE jl_many (k int8 PRIMARY KEY, n int) WITH (autovacuum_enabled = off);
INSERT INTO jl_many SELECT i * 1000000007::int8, i % 10 FROM generate_series(1, 40000) i;
ANALYZE jl_many;
SELECT jl('SELECT jl_many.n, count(*) FROM jl_f JOIN jl_many ON big = k GROUP BY 1');
RESET gpuagg.lookup_memory;
SELECT compare('SELECT count(*) FROM jl_f JOIN jl_big ON big = k WHERE 10 / (r - 3) > 2');
RESET ALL;
DROP TABLE jl_f, jl_big, jl_s, jl_ab, jl_sm, jl_d, jl_dup, jl_all, jl_many, jl_q;
DROP FUNCTION jl, jl_inputs;
