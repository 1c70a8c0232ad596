--
-- What a snapshot sees, in one session.  test/isolation/specs has what needs two.
--
\a
\t on
CREATE TABLE tx (id int4 PRIMARY KEY, g int4, v int8, pad text);
INSERT INTO tx SELECT i, i % 4, i, 'x' FROM generate_series(1, 4000) i;
CREATE FUNCTION tx_check() RETURNS text LANGUAGE sql AS $$
	SELECT compare('SELECT g, count(*), sum(v), min(id), max(id) FROM tx GROUP BY g') || '; ' ||
		   compare('SELECT count(*), sum(v) FROM tx WHERE v % 2 = 0')
$$;
SELECT tx_check();
-- own changes, not yet committed; savepoints kept and undone
BEGIN;
INSERT INTO tx SELECT i, 77, i, 'new' FROM generate_series(5001, 5100) i;
SELECT tx_check();
UPDATE tx SET v = -v WHERE g = 1;
SELECT tx_check();
SAVEPOINT a;
DELETE FROM tx WHERE g = 2;
SELECT tx_check();
SAVEPOINT b;
UPDATE tx SET g = 2 WHERE g = 3;
UPDATE tx SET v = v + 1 WHERE g = 2;
SELECT tx_check();
ROLLBACK TO b;
SELECT tx_check();
RELEASE a;
SELECT tx_check();
SAVEPOINT c;
TRUNCATE tx;
SELECT tx_check();
INSERT INTO tx VALUES (1, 1, 1, 'only');
SELECT tx_check();
ROLLBACK TO c;
SELECT tx_check();
SELECT g, count(*), sum(v) FROM tx GROUP BY g ORDER BY g;
ROLLBACK;
SELECT tx_check();
SELECT g, count(*), sum(v) FROM tx GROUP BY g ORDER BY g;
-- more subtransactions than a snapshot lists
BEGIN;
DO $$
BEGIN
	FOR i IN 1..200 LOOP
		BEGIN
			UPDATE tx SET v = v + 1000000 WHERE id = i;
			IF i % 3 = 0 THEN
				RAISE EXCEPTION 'undone';
			END IF;
		EXCEPTION WHEN raise_exception THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT tx_check();
COMMIT;
SELECT tx_check();
-- dead, redirected, unused and reused line pointers; HOT chains; pages in every state
UPDATE tx SET v = v + 1 WHERE id % 2 = 0;
SELECT tx_check();
UPDATE tx SET v = v + 1 WHERE id % 4 = 0;
UPDATE tx SET v = v + 1 WHERE id % 4 = 0;
SELECT tx_check();
DELETE FROM tx WHERE id % 5 = 0;
SELECT tx_check();
VACUUM tx;
SELECT tx_check();
UPDATE tx SET pad = repeat('y', 100) WHERE id % 7 = 0;
SELECT tx_check();
INSERT INTO tx SELECT i, i % 6, i, 'again' FROM generate_series(6000, 6500) i;
SELECT tx_check();
VACUUM (FREEZE) tx;
SELECT tx_check();
DELETE FROM tx WHERE id < 500;
SELECT tx_check();
VACUUM (FREEZE, DISABLE_PAGE_SKIPPING) tx;
UPDATE tx SET v = 0 WHERE id = 777;
SELECT tx_check();
-- an aborted inserter's rows, on all-visible neighbours
BEGIN;
INSERT INTO tx SELECT i, 9, i, 'aborted' FROM generate_series(7000, 7500) i;
ROLLBACK;
SELECT tx_check();
-- locked rows, multixacts
BEGIN;
SELECT count(*) FROM (SELECT 1 FROM tx WHERE g = 1 FOR UPDATE) x;
SAVEPOINT s;
SELECT count(*) FROM (SELECT 1 FROM tx WHERE g = 1 FOR KEY SHARE) x;
UPDATE tx SET v = v + 5 WHERE g = 1 AND id % 3 = 0;
SELECT tx_check();
ROLLBACK TO s;
SELECT tx_check();
COMMIT;
SELECT tx_check();
-- the statement's snapshot: changes within the statement are not seen
BEGIN;
SET LOCAL gpuagg.debug_require = 'require';
WITH del AS (DELETE FROM tx WHERE g = 0 RETURNING id)
SELECT (SELECT count(*) FROM tx WHERE tx.g = 0) AS still_there, (SELECT count(*) FROM tx) = (SELECT count(*) FROM tx WHERE id IS NOT NULL) AS same;
SELECT count(*) FROM tx WHERE g = 0;
WITH ins AS (INSERT INTO tx SELECT i, 55, 1, '' FROM generate_series(10000, 10010) i RETURNING 1),
	 upd AS (UPDATE tx SET v = 12345 WHERE g = 3 RETURNING 1)
SELECT g, count(*), max(v) < 12345 FROM tx GROUP BY g ORDER BY g;
SELECT g, count(*), max(v) FROM tx WHERE g IN (3, 55) GROUP BY g ORDER BY g;
ROLLBACK;
-- volatile functions see what the statement has done so far, stable ones do not
CREATE FUNCTION tx_volatile() RETURNS int8 VOLATILE LANGUAGE sql AS 'SELECT count(*) FROM tx';
CREATE FUNCTION tx_stable() RETURNS int8 STABLE LANGUAGE sql AS 'SELECT count(*) FROM tx';
BEGIN;
SET LOCAL gpuagg.debug_require = 'require';
WITH x AS (INSERT INTO tx SELECT 20000 + i, 1, tx_volatile() - tx_stable(), '' FROM generate_series(1, 3) i RETURNING v) SELECT v FROM x;
ROLLBACK;
-- triggers
CREATE TABLE tx_log (n int8, s numeric);
CREATE FUNCTION tx_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO tx_log SELECT count(*), sum(v) FROM tx;
	RETURN NULL;
END $$;
CREATE TRIGGER tx_after AFTER INSERT OR DELETE ON tx FOR EACH ROW EXECUTE FUNCTION tx_trigger();
BEGIN;
SET LOCAL gpuagg.debug_require = 'require';
INSERT INTO tx VALUES (30001, 1, 1, ''), (30002, 1, 2, '');
DELETE FROM tx WHERE id = 30001;
SELECT * FROM tx_log;
ROLLBACK;
DROP TRIGGER tx_after ON tx;
-- isolation levels, read only, deferrable, exported snapshots
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT tx_check();
UPDATE tx SET v = v + 1 WHERE g = 2;
SELECT tx_check();
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SET LOCAL gpuagg.debug_require = 'require';
SELECT count(*) FROM tx;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT tx_check();
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_export_snapshot() IS NOT NULL;
SELECT tx_check();
COMMIT;
-- prepared transactions
BEGIN;
INSERT INTO tx VALUES (40000, 1, 1, '');
SELECT tx_check();
\set VERBOSITY terse
PREPARE TRANSACTION 'gpuagg_tx';
\set VERBOSITY default
SELECT tx_check();
ROLLBACK PREPARED 'gpuagg_tx';
SELECT tx_check();
-- a table made, filled and grouped in one transaction; rewritten; dropped
BEGIN;
CREATE TABLE tx_new AS SELECT i AS a, i % 3 AS b FROM generate_series(1, 1000) i;
SELECT compare('SELECT b, count(*), sum(a) FROM tx_new GROUP BY b');
ALTER TABLE tx_new ALTER COLUMN a TYPE int8;
SELECT compare('SELECT b, count(*), sum(a) FROM tx_new GROUP BY b');
ROLLBACK;
DROP FUNCTION tx_check, tx_volatile, tx_stable, tx_trigger;
DROP TABLE tx, tx_log;
