--
-- Cursors: partial reads, scrolling, holding, insensitivity.
--
\a
\t on
CREATE TABLE cu (id int4 PRIMARY KEY, g int4, v int8);
INSERT INTO cu SELECT i, i % 10, i FROM generate_series(1, 2000) i;
ANALYZE cu;
SET gpuagg.debug_require = 'require';
BEGIN;
DECLARE plain CURSOR FOR SELECT g, sum(v) FROM cu GROUP BY g ORDER BY g;
DECLARE scroll SCROLL CURSOR FOR SELECT g, count(*) FROM cu GROUP BY g ORDER BY g;
DECLARE unsorted SCROLL CURSOR FOR SELECT count(*) FROM cu GROUP BY g;
FETCH 2 FROM plain;
-- what happens after DECLARE is not seen, also not by a cursor that has not begun
UPDATE cu SET v = 0;
DELETE FROM cu WHERE g = 0;
INSERT INTO cu VALUES (0, 99, 99);
FETCH 2 FROM plain;
FETCH ALL FROM scroll;
FETCH BACKWARD 3 FROM scroll;
FETCH ABSOLUTE 5 FROM scroll;
FETCH RELATIVE -2 FROM scroll;
FETCH FIRST FROM scroll;
FETCH LAST FROM scroll;
MOVE ABSOLUTE 0 IN scroll;
FETCH 1 FROM scroll;
FETCH ALL FROM unsorted;
FETCH BACKWARD 1 FROM unsorted;
CLOSE plain;
ROLLBACK;
-- rows that the transaction itself has added: some are deleted, changed or undone after DECLARE
BEGIN;
INSERT INTO cu SELECT i, 50 + i % 3, i FROM generate_series(3001, 3300) i;
DECLARE added CURSOR FOR SELECT g, count(*), sum(v) FROM cu WHERE g > 8 GROUP BY g ORDER BY g;
DELETE FROM cu WHERE g = 51;
DECLARE deleted CURSOR FOR SELECT g, count(*), sum(v) FROM cu WHERE g > 8 GROUP BY g ORDER BY g;
UPDATE cu SET v = 0 WHERE g = 52;
DECLARE updated CURSOR FOR SELECT g, count(*), sum(v) FROM cu WHERE g > 8 GROUP BY g ORDER BY g;
SAVEPOINT s;
DELETE FROM cu WHERE g IN (9, 50);
FETCH ALL FROM added;
DECLARE gone CURSOR FOR SELECT g, count(*), sum(v) FROM cu WHERE g > 8 GROUP BY g ORDER BY g;
UPDATE cu SET v = 1 WHERE g = 52;
FETCH ALL FROM gone;
ROLLBACK TO s;
DELETE FROM cu WHERE g = 52;
FETCH ALL FROM deleted;
FETCH ALL FROM updated;
SELECT g, count(*), sum(v) FROM cu WHERE g > 8 GROUP BY g ORDER BY g;
ROLLBACK;
-- closed before it began, and half way; with a savepoint's abort in between
BEGIN;
DECLARE c1 CURSOR FOR SELECT g, sum(v) FROM cu GROUP BY g ORDER BY g;
CLOSE c1;
DECLARE c2 CURSOR FOR SELECT g, sum(v) FROM cu GROUP BY g ORDER BY g;
SAVEPOINT s;
FETCH 1 FROM c2;
SELECT 1 / 0;
ROLLBACK TO s;
FETCH 2 FROM c2;
SAVEPOINT t;
DECLARE c3 CURSOR FOR SELECT g, sum(v) FROM cu GROUP BY g ORDER BY g;
FETCH 1 FROM c3;
ROLLBACK TO t;
FETCH 1 FROM c3;
ROLLBACK;
-- holding: rows are kept, tables may go
BEGIN;
DECLARE held SCROLL CURSOR WITH HOLD FOR SELECT g, sum(v) FROM cu GROUP BY g ORDER BY g;
FETCH 2 FROM held;
COMMIT;
DELETE FROM cu WHERE g > 4;
FETCH 2 FROM held;
ALTER TABLE cu ADD COLUMN later int4;
FETCH LAST FROM held;
FETCH BACKWARD 2 FROM held;
CLOSE held;
-- an error in a held cursor comes at COMMIT, as ever
BEGIN;
DECLARE bad CURSOR WITH HOLD FOR SELECT g, sum(1 / (v - 5)) FROM cu GROUP BY g ORDER BY g;
COMMIT;
SELECT count(*) FROM cu;
-- WHERE CURRENT OF is not for grouped queries; beside a GpuAgg it works as ever
BEGIN;
DECLARE cur CURSOR FOR SELECT g, sum(v) FROM cu GROUP BY g;
FETCH 1 FROM cur \g /dev/null
DELETE FROM cu WHERE CURRENT OF cur;
ROLLBACK;
BEGIN;
DECLARE cur CURSOR FOR SELECT * FROM cu WHERE id < 3 ORDER BY id FOR UPDATE;
FETCH 1 FROM cur;
SELECT count(*) FROM cu;
UPDATE cu SET v = -1 WHERE CURRENT OF cur;
SELECT sum(v) FROM cu;
ROLLBACK;
-- cursors of plpgsql, FETCH in steps, two at once
DO $$
DECLARE
	a CURSOR FOR SELECT g, count(*) AS n FROM cu GROUP BY g ORDER BY g;
	b CURSOR (k int4) FOR SELECT v % k AS m, count(*) AS n FROM cu GROUP BY 1 ORDER BY 1;
	x record;
	y record;
BEGIN
	OPEN b(4);
	FOR x IN a LOOP
		FETCH b INTO y;
		EXIT WHEN y IS NULL;
		RAISE NOTICE '% % % %', x.g, x.n, y.m, y.n;
	END LOOP;
END $$;
-- many unread cursors hold nothing of the device
BEGIN;
SELECT format('DECLARE many%s CURSOR FOR SELECT g, count(*) FROM cu GROUP BY g', i) FROM generate_series(1, 80) i \gexec
FETCH 1 FROM many80 \g /dev/null
SELECT count(*) FROM gpuagg.tasks;
COMMIT;
RESET gpuagg.debug_require;
DROP TABLE cu;
