--
-- Two sessions, the other one through dblink: snapshots that it exports, its
-- temporary tables.  test/isolation/specs has what needs no values passed between them.
--
\a
\t on
CREATE EXTENSION dblink;
CREATE TABLE ss (id int4, g int4, v int8) WITH (autovacuum_enabled = off);
INSERT INTO ss SELECT i, i % 4, i FROM generate_series(1, 4000) i;
VACUUM (FREEZE, ANALYZE) ss;
-- a server may ask for the password that the test's own session gave
\set password ''
\getenv password PGPASSWORD
SELECT dblink_connect('other', format('host=%s port=%s dbname=%s user=%s password=%L', :'HOST', :'PORT', :'DBNAME', :'USER', :'password'));
CREATE VIEW ss_queries AS SELECT * FROM unnest(ARRAY[
	'SELECT g, count(*), sum(v), min(id), max(id) FROM ss GROUP BY g',
	'SELECT count(*), sum(v) FROM ss WHERE v % 2 = 0',
	'SELECT count(*) FROM ss',
	'SELECT g, count(*) FROM ss TABLESAMPLE BERNOULLI (20) REPEATABLE (1) GROUP BY g',
	'SELECT g, sum(v) FROM ss TABLESAMPLE SYSTEM (50) REPEATABLE (1) GROUP BY g',
	'SELECT id FROM ss TABLESAMPLE BERNOULLI (2) REPEATABLE (1)']) q;
-- the other session exports a snapshot and stays as it is
SELECT dblink_exec('other', 'SET gpuagg.debug_require = ''require''');
SELECT dblink_exec('other', 'BEGIN ISOLATION LEVEL REPEATABLE READ');
SELECT id FROM dblink('other', 'SELECT pg_export_snapshot()') x(id text) \gset
PREPARE ss_groups AS SELECT g, count(*), sum(v), max(id) FROM ss GROUP BY g ORDER BY g;
SET gpuagg.debug_require = 'require';
EXECUTE ss_groups;
-- changes of all kinds after the snapshot was taken, and what vacuum makes of them
INSERT INTO ss SELECT i, 7, i FROM generate_series(5001, 5100) i;
UPDATE ss SET v = v + 1000000 WHERE g = 1;
DELETE FROM ss WHERE g = 2;
VACUUM (TRUNCATE false) ss;
EXECUTE ss_groups;
-- whoever imports it sees none of them
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET TRANSACTION SNAPSHOT :'id';
EXECUTE ss_groups;
SELECT compare(q) FROM ss_queries;
-- own changes on top of it
SAVEPOINT a;
INSERT INTO ss VALUES (6001, 8, 1), (6002, 8, 2);
DELETE FROM ss WHERE g = 3;
EXECUTE ss_groups;
ROLLBACK TO a;
EXECUTE ss_groups;
COMMIT;
-- pages that have been frozen and filled up since; only some transactions may import it
DELETE FROM ss WHERE g = 7;
VACUUM (FREEZE, TRUNCATE false) ss;
INSERT INTO ss SELECT i, 6, i FROM generate_series(7001, 8000) i;
VACUUM (TRUNCATE false) ss;
EXECUTE ss_groups;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SET TRANSACTION SNAPSHOT :'id';
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET TRANSACTION SNAPSHOT :'id';
EXECUTE ss_groups;
SELECT compare(q) FROM ss_queries;
COMMIT;
-- the same to the session that took it, and after it nothing to keep
SELECT * FROM dblink('other', 'SELECT g, count(*), sum(v), max(id) FROM ss GROUP BY g ORDER BY g') x(g int4, n int8, s numeric, m int4);
SELECT dblink_exec('other', 'COMMIT');
VACUUM ss;
EXECUTE ss_groups;
RESET gpuagg.debug_require;
DEALLOCATE ss_groups;

-- another session's temporary table lies in its own memory
SELECT dblink_exec('other', 'SET gpuagg.debug_require = ''allow''');
SELECT dblink_exec('other', 'CREATE TEMP TABLE ss_temp AS SELECT i AS id, i % 3 AS g FROM generate_series(1, 2000) i');
SELECT nspname FROM dblink('other', 'SELECT nspname FROM pg_namespace WHERE oid = pg_my_temp_schema()') x(nspname text) \gset
CREATE TABLE ss_temp_queries AS SELECT q FROM unnest(ARRAY[
	'SELECT count(*) FROM %s',
	'SELECT g, count(*), sum(id) FROM %s GROUP BY g',
	'SELECT count(*) FROM %s WHERE id % 2 = 0',
	'SELECT g, count(*) FROM %s TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY g',
	'SELECT count(*) FROM %s TABLESAMPLE SYSTEM (100)',
	'SELECT id FROM %s TABLESAMPLE BERNOULLI (50) REPEATABLE (1)',
	'SELECT id FROM %s TABLESAMPLE SYSTEM (100)',
	'SELECT count(*) FROM %s TABLESAMPLE gpuagg.random_rows (10)']) q;
SELECT q, compare(replace(q, '%s', :'nspname' || '.ss_temp'), 'try') FROM ss_temp_queries;
SELECT w FROM gpuagg.why_not('SELECT g, count(*) FROM ' || :'nspname' || '.ss_temp GROUP BY g') w;
-- the session that owns it may read it
SELECT * FROM dblink('other', 'SELECT g, count(*), sum(id) FROM ss_temp GROUP BY g ORDER BY g') x(g int4, n int8, s int8);
SELECT dblink_disconnect('other');
DROP VIEW ss_queries;
DROP TABLE ss, ss_temp_queries;
DROP EXTENSION dblink;
