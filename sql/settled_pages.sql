--
-- Pages that are not all-visible stay on the device until a record of the WAL changes their rows: a
-- change has a page read again once, by the first query behind it, not by each until VACUUM comes.
-- Where the WAL does not tell, LSNs of pages do.
--
-- counts here depend on where pages lie: those of packed columns lie elsewhere
SET gpuagg.debug_pack = off;
\a
\t on
SET client_min_messages = warning;
-- Pages that a query read, that the device had, and whether their LSNs told; with a plan of ours
CREATE FUNCTION sp_pages(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" like_regex "Gpu")');
	RETURN format('read %s, cached %s%s', plan->'Pages', coalesce(plan->'Cached Pages', '0'), CASE WHEN (plan->>'LSNs Compared')::int8 > 0 THEN ', by LSN' END);
END $$;
-- The same, without pages that newer PostgreSQL has added in advance, and that have no rows
CREATE FUNCTION sp_filled(query text, rel regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	pages text := sp_pages(query);
	filled int;
	empty int;
BEGIN
	EXECUTE format('SELECT max((ctid::text::point)[0]) + 1 FROM %s', rel) INTO filled;
	empty := pg_relation_size(rel) / current_setting('block_size')::int - filled;
	RETURN regexp_replace(pages, '^read \d+', format('read %s', substring(pages FROM '\d+')::int - empty));
END $$;
CREATE FUNCTION sp_both(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT sp_pages(query);
	RETURN NEXT sp_pages(query);
	RETURN NEXT compare(query);
END $$;
\set query 'SELECT g, count(*), sum(v), max(t COLLATE "C") FROM sp GROUP BY g'
-- never vacuumed: kept at first reading
CREATE TABLE sp (id int PRIMARY KEY, g int, v numeric(10,2), t text) WITH (autovacuum_enabled = off, fillfactor = 80);
INSERT INTO sp SELECT i, i % 7, i / 3.0, 't' || i % 11 FROM generate_series(1, 6000) i;
SELECT sp_both(:'query');
-- each kind of change
UPDATE sp SET v = v + 1 WHERE id = 1;
SELECT sp_both(:'query');
DELETE FROM sp WHERE id IN (2, 3000);
SELECT sp_both(:'query');
INSERT INTO sp VALUES (6001, 1, 1, 'new'), (6002, 2, NULL, NULL);
SELECT sp_both(:'query');
INSERT INTO sp VALUES (1, 3, 1, 'x'), (6003, 3, 1, 'x') ON CONFLICT (id) DO UPDATE SET v = sp.v + 1;
SELECT sp_both(:'query');
COPY sp FROM stdin;
6004	4	4.00	copied
\.
SELECT sp_both(:'query');
-- what is rolled back changes pages, but no answer; a part of a transaction, too
BEGIN; UPDATE sp SET v = 0 WHERE id = 10; ROLLBACK;
SELECT FROM pg_logical_emit_message(true, 'gpuagg', 'a commit, so that all before is written');
SELECT sp_both(:'query');
BEGIN; SAVEPOINT s; UPDATE sp SET v = 0 WHERE id = 10; ROLLBACK TO s; UPDATE sp SET v = 77 WHERE id = 11; COMMIT;
SELECT sp_both(:'query');
-- its own changes a transaction reads itself, each time: nobody else sees them yet
BEGIN;
UPDATE sp SET v = 5 WHERE id = 12;
SELECT sp_both(:'query');
COMMIT;
SELECT sp_both(:'query');
-- locks change no row, but the page
SELECT count(*) FROM (SELECT 1 FROM sp WHERE id = 13 FOR UPDATE) x;
SELECT sp_both(:'query');
-- VACUUM sets bits: what is held stays
VACUUM sp;
SELECT sp_both(:'query');
UPDATE sp SET v = v + 1 WHERE id = 6000;
SELECT sp_both(:'query');
-- LSNs tell, too: of what has changed, and of locks
SET gpuagg.debug_wal = off;
CREATE TABLE sp_lsn (id int PRIMARY KEY, g int, v int) WITH (autovacuum_enabled = off, fillfactor = 80);
INSERT INTO sp_lsn SELECT i, i % 7, i FROM generate_series(1, 6000) i;
SELECT sp_both('SELECT g, count(*), sum(v) FROM sp_lsn GROUP BY g');
UPDATE sp_lsn SET v = v + 1 WHERE id = 1;
SELECT sp_both('SELECT g, count(*), sum(v) FROM sp_lsn GROUP BY g');
SELECT count(*) FROM (SELECT 1 FROM sp_lsn WHERE id = 13 FOR UPDATE) x;
SELECT sp_pages('SELECT g, count(*), sum(v) FROM sp_lsn GROUP BY g') ~ ', by LSN$' AS compared;
SELECT sp_both('SELECT g, count(*), sum(v) FROM sp_lsn GROUP BY g');
DROP TABLE sp_lsn;
RESET gpuagg.debug_wal;
-- a table that was written anew has no bits
VACUUM FULL sp;
SELECT sp_both(:'query');
CREATE MATERIALIZED VIEW sp_view AS SELECT id, g, v FROM sp;
SELECT sp_filled('SELECT g, sum(v) FROM sp_view GROUP BY g', 'sp_view'), sp_filled('SELECT g, sum(v) FROM sp_view GROUP BY g', 'sp_view'), compare('SELECT g, sum(v) FROM sp_view GROUP BY g');
REFRESH MATERIALIZED VIEW sp_view;
SELECT sp_filled('SELECT g, sum(v) FROM sp_view GROUP BY g', 'sp_view'), sp_filled('SELECT g, sum(v) FROM sp_view GROUP BY g', 'sp_view'), compare('SELECT g, sum(v) FROM sp_view GROUP BY g');
-- rows alone, one more column, conditions; NaN, infinity and negative zero that come and go
SELECT sp_both('SELECT count(*) FROM sp');
UPDATE sp SET t = NULL WHERE id % 1000 = 0;
SELECT sp_both('SELECT t COLLATE "C", count(*) FROM sp WHERE v > 100 GROUP BY 1');
CREATE TABLE sp_float (id int, f float8) WITH (autovacuum_enabled = off);
INSERT INTO sp_float SELECT i, i FROM generate_series(1, 1000) i;
SELECT sp_both('SELECT f, count(*) FROM sp_float WHERE id < 5 GROUP BY f');
UPDATE sp_float SET f = CASE id WHEN 1 THEN float8 'NaN' WHEN 2 THEN '-0' WHEN 3 THEN '-Infinity' END WHERE id <= 3;
SELECT sp_both('SELECT f, count(*) FROM sp_float WHERE id < 5 GROUP BY f');
DELETE FROM sp_float WHERE id = 1;
SELECT sp_both('SELECT f, count(*) FROM sp_float WHERE id < 5 GROUP BY f');
-- rows grow: their pages come to have more lines than room was made for, again and again
CREATE TABLE sp_grows (id int, v int) WITH (autovacuum_enabled = off, fillfactor = 10);
INSERT INTO sp_grows SELECT i, i FROM generate_series(1, 3000) i;
SELECT sp_both('SELECT count(*), sum(v) FROM sp_grows');
DO $$
DECLARE
	kept bool := true;
BEGIN
	FOR i IN 1 .. 12 LOOP
		UPDATE sp_grows SET v = v + 1 WHERE id % 4 = i % 4;
		kept := kept AND compare('SELECT count(*), sum(v), min(v) FROM sp_grows') ~ '^ok'
			AND compare('SELECT v % 5, count(*) FROM sp_grows GROUP BY 1') ~ '^ok';
	END LOOP;
	RAISE WARNING 'right after each: %', kept;
END $$;
SELECT compare('SELECT count(*), sum(v) FROM sp_grows');
SELECT pages = pages_total AS all_kept, pages_valid = pages AS all_valid FROM gpuagg.cache WHERE relation = 'sp_grows'::regclass AND column_name = 'v';
-- that the LSNs are compared is what makes answers right: as if all were those that are held
SET gpuagg.debug_fault = 'lsns';
SET gpuagg.debug_require = 'require';
SELECT sum(v) AS before FROM sp_grows \gset
UPDATE sp_grows SET v = v + 1000 WHERE id = 1;
SELECT sum(v) = :before AS is_stale FROM sp_grows;
RESET gpuagg.debug_fault;
SELECT sum(v) = :before + 1000 AS is_right FROM sp_grows;
RESET gpuagg.debug_require;
DROP MATERIALIZED VIEW sp_view;
DROP TABLE sp, sp_float, sp_grows;
DROP FUNCTION sp_pages, sp_filled, sp_both;
