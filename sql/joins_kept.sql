--
-- Inputs of joins that the device makes look-up tables of, from columns that it keeps.
--
\a
\t on
SET client_min_messages = warning;
-- What each input became, in the order of the joins
CREATE FUNCTION kj_inputs(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	-- rows with the key of another one are in some devices' tables, and not in others'
	RETURN (SELECT jsonb_agg(format('%s (%srows%s, %s)', x->>'Join Type',
									CASE WHEN x->>'Join Type' IN ('inner', 'left') THEN x->>'Rows' || ' ' END,
									CASE WHEN (x->>'From Kept Columns')::bool THEN ' from kept columns' END,
									x->>'Table') ORDER BY n)
			FROM jsonb_array_elements(plan->'Look-up Joins') WITH ORDINALITY e (x, n));
END $$;
CREATE FUNCTION kj(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(query);
	RETURN NEXT kj_inputs(query);
END $$;
CREATE TABLE kf (id int, a int, b int8, c int, big int8, v int, d date) WITH (autovacuum_enabled = off);
INSERT INTO kf SELECT i, CASE WHEN i % 50 > 0 THEN i % 700 END, i % 300, i % 40, (i % 500)::int8 * 1000000007,
	   i % 1000, date '2020-01-01' + i % 800
FROM generate_series(1, 30000) i;
CREATE TABLE ka (k int PRIMARY KEY, name text, city varchar(20), code char(6), r int, q float8, m numeric(6,1))
WITH (autovacuum_enabled = off);
INSERT INTO ka SELECT i, 'name ' || i % 25, CASE WHEN i % 9 > 0 THEN 'city ' || i % 12 END, 'c' || i % 4,
	   CASE WHEN i % 7 > 0 THEN i % 10 END, i / 4.0, i / 10.0
FROM generate_series(0, 599) i;
CREATE TABLE kbig (k int8 UNIQUE, n text, up int) WITH (autovacuum_enabled = off);
INSERT INTO kbig SELECT CASE WHEN i % 40 > 0 THEN i * 1000000007::int8 END, 'big ' || i % 9, i % 8
FROM generate_series(0, 450) i;
CREATE TABLE kab (a int, b int8, n text, PRIMARY KEY (a, b)) WITH (autovacuum_enabled = off);
INSERT INTO kab SELECT DISTINCT ON (a, b) i % 700 AS a, i % 300 AS b, 'pair ' || i % 6 FROM generate_series(0, 6000) i ORDER BY 1, 2, 3;
CREATE TABLE kd (day date PRIMARY KEY, year int, month int) WITH (autovacuum_enabled = off);
INSERT INTO kd SELECT d, extract(year FROM d), extract(month FROM d)
FROM (SELECT (date '2020-01-01' + i) AS d FROM generate_series(0, 700) i) x;
CREATE TABLE kr (k int PRIMARY KEY, n text NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO kr SELECT i, 'region ' || i FROM generate_series(0, 7) i;
CREATE TABLE kdup (k int, n int) WITH (autovacuum_enabled = off);
INSERT INTO kdup SELECT CASE WHEN i % 11 > 0 THEN i % 200 END, i FROM generate_series(1, 1000) i;
ANALYZE kf, ka, kbig, kab, kd, kr, kdup;
-- before anybody knows what is visible to everyone, the backend reads the inputs
SELECT kj('SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
VACUUM (FREEZE, ANALYZE) kf, ka, kbig, kab, kd, kr, kdup;
-- then they are kept when they are needed first
SELECT kj('SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
-- strings, NULLs, char(n), numbers of all kinds as columns
SELECT kj('SELECT city, code, count(*), sum(q), sum(m), min(r) FROM kf JOIN ka ON kf.a = k GROUP BY 1, 2');
SELECT kj('SELECT r, avg(q)::numeric(10,3), max(m) FROM kf JOIN ka ON kf.a = k WHERE code = ''c1'' GROUP BY 1');
-- conditions: of strings, also by their order, and on what is a group key, too
SELECT kj('SELECT name, count(*) FROM kf JOIN ka ON kf.a = k WHERE city IN (''city 3'', ''city 5'') GROUP BY 1');
SELECT kj('SELECT city, count(*) FROM kf JOIN ka ON kf.a = k WHERE city COLLATE "C" BETWEEN ''city 2'' AND ''city 7'' GROUP BY 1');
SELECT kj('SELECT city, count(*) FROM kf JOIN ka ON kf.a = k WHERE city LIKE ''%1'' AND r > 3 GROUP BY 1');
SELECT kj('SELECT city, count(*) FROM kf JOIN ka ON kf.a = k WHERE r IS NULL OR m > 55.5 GROUP BY 1');
-- a filter alone; nothing that passes; several inputs, of which one leads to the next
SELECT kj('SELECT count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 3');
SELECT kj('SELECT count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 33');
SELECT kj('SELECT year, name, sum(v) FROM kf JOIN ka ON kf.a = ka.k JOIN kd ON d = day WHERE r < 4 AND month = 2 GROUP BY 1, 2');
SELECT kj('SELECT kr.n, count(*) FROM kf JOIN ka ON kf.a = ka.k JOIN kr ON r = kr.k GROUP BY 1');
-- keys far apart, and pairs of them
SELECT kj('SELECT n, count(*), sum(up) FROM kf JOIN kbig ON big = k GROUP BY 1');
SELECT kj('SELECT n, count(*) FROM kf JOIN kab USING (a, b) GROUP BY 1');
-- outer joins, EXISTS, NOT EXISTS; keys that are there more than once, and NULL
SELECT kj('SELECT name, count(*), count(k) FROM kf LEFT JOIN ka ON kf.a = k AND r > 2 GROUP BY 1');
SELECT kj('SELECT c, count(*) FROM kf WHERE EXISTS (SELECT FROM kdup WHERE k = a AND n > 500) GROUP BY 1');
SELECT kj('SELECT c, count(*) FROM kf WHERE NOT EXISTS (SELECT FROM kdup WHERE k = a) GROUP BY 1');
-- the same table twice; strings that are needed as such are read by the backend
SELECT kj('SELECT x.name, y.city, count(*) FROM kf JOIN ka x ON kf.a = x.k JOIN ka y ON c = y.k GROUP BY 1, 2');
SELECT kj('SELECT max(name COLLATE "C"), count(*) FROM kf JOIN ka ON kf.a = k GROUP BY r');
-- parameters of the conditions, and subqueries
PREPARE kp (int, text) AS SELECT name, count(*) FROM kf JOIN ka ON kf.a = k WHERE r < $1 AND city > $2 COLLATE "C" GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
EXECUTE kp(2, 'city 4');
EXECUTE kp(1, 'city 1');
EXECUTE kp(NULL, 'city');
RESET gpuagg.debug_require;
RESET plan_cache_mode;
SELECT kj('SELECT name, count(*) FROM kf JOIN ka ON kf.a = k WHERE r = (SELECT min(up) + 1 FROM kbig) GROUP BY 1');
SELECT kj('SELECT x, (SELECT sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = x) FROM generate_series(1, 3) x');
-- a value that PostgreSQL refuses
SELECT count(*) FROM kf JOIN ka ON kf.a = k WHERE 10 / r > 2;
SELECT count(*) FROM kf JOIN ka ON kf.a = k WHERE 10 / (r - 3) > 2;
-- rows that change between two executions, and those of this very transaction
PREPARE kq AS SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 4 GROUP BY 1 ORDER BY 1 LIMIT 3;
EXECUTE kq;
BEGIN;
UPDATE ka SET name = 'other' WHERE r = 4 AND k < 100;
EXECUTE kq;
SELECT kj('SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 4 GROUP BY 1');
ROLLBACK;
EXECUTE kq;
DELETE FROM ka WHERE k % 100 = 4;
EXECUTE kq;
SELECT kj('SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 4 GROUP BY 1');
VACUUM (FREEZE) ka;
SELECT kj('SELECT name, count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 4 GROUP BY 1');
EXECUTE kq;
INSERT INTO ka SELECT 100 * i + 4, 'new', 'new city', 'n', 4, 0, 0 FROM generate_series(0, 5) i;
VACUUM (FREEZE) ka;
SELECT kj('SELECT name, city, count(*), sum(v) FROM kf JOIN ka ON kf.a = k WHERE r = 4 GROUP BY 1, 2');
TRUNCATE kr;
SELECT kj('SELECT kr.n, count(*) FROM kf JOIN ka ON kf.a = ka.k JOIN kr ON r = kr.k GROUP BY 1');
-- more strings than codes of 16 bits tell apart
CREATE TABLE kmany (k int PRIMARY KEY, n text) WITH (autovacuum_enabled = off);
CREATE TABLE kfew (id int, pad char(100)) WITH (autovacuum_enabled = off);
INSERT INTO kmany SELECT i, 'number ' || i FROM generate_series(1, 70000) i;
INSERT INTO kfew SELECT i % 100, '' FROM generate_series(1, 70000) i;
VACUUM (FREEZE, ANALYZE) kmany, kfew;
SELECT kj('SELECT n, count(*) FROM kfew JOIN kmany ON id = k GROUP BY 1');
DROP TABLE kmany, kfew;
-- row security of an input
ALTER TABLE ka ENABLE ROW LEVEL SECURITY;
CREATE POLICY ka_few ON ka USING (r < 3 AND city <> 'city 5');
CREATE ROLE kj_reader;
GRANT SELECT ON kf, ka TO kj_reader;
SET ROLE kj_reader;
SELECT kj('SELECT city, count(*), sum(v) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
RESET ROLE;
ALTER TABLE ka DISABLE ROW LEVEL SECURITY;
-- without the cache, and with tables that find no room
SET gpuagg.cache = off;
SELECT kj('SELECT name, count(*) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
RESET gpuagg.cache;
SELECT kj('SELECT name, count(*) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
-- several passes, several runs, a cursor
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '16kB';
SELECT kj('SELECT id, name, count(*) FROM kf JOIN ka ON kf.a = k GROUP BY 1, 2');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- values that only PostgreSQL reads are not kept, and their table's input is read, again and again
CREATE TABLE klong (k int PRIMARY KEY, n text) WITH (autovacuum_enabled = off);
INSERT INTO klong SELECT i, repeat('x', 5000) || i % 3 FROM generate_series(0, 600) i;
VACUUM (FREEZE, ANALYZE) klong;
SELECT kj('SELECT right(n, 1), n, count(*) FROM kf JOIN klong ON a = k GROUP BY n');
SELECT kj('SELECT right(n, 1), n, count(*) FROM kf JOIN klong ON a = k GROUP BY n');
SELECT explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) SELECT name, count(*) FROM kf JOIN ka ON kf.a = k GROUP BY 1');
-- keys that are strings: text, varchar, uuid; empty ones, NULLs, ones that are there more than once
CREATE TABLE kfs (id int, t text, s varchar(12), u uuid, v int, pad text) WITH (autovacuum_enabled = off);
INSERT INTO kfs SELECT i, CASE WHEN i % 50 > 0 THEN 'key ' || i % 700 ELSE '' END, CASE WHEN i % 60 > 0 THEN 's' || i % 90 END,
	   md5((i % 300)::text)::uuid, i % 1000 - 500, repeat('x', 200)
FROM generate_series(1, 20000) i;
CREATE TABLE ks (k text PRIMARY KEY, s varchar(12) UNIQUE, u uuid UNIQUE, n text, r int) WITH (autovacuum_enabled = off);
INSERT INTO ks SELECT CASE WHEN i > 0 THEN 'key ' || i ELSE '' END, CASE WHEN i % 8 > 0 THEN 's' || i END, md5(i::text)::uuid,
	   'name ' || i % 20, CASE WHEN i % 7 > 0 THEN i % 10 END
FROM generate_series(0, 599) i;
CREATE TABLE kdups (k text, n int) WITH (autovacuum_enabled = off);
INSERT INTO kdups SELECT CASE WHEN i % 11 > 0 THEN 'key ' || i % 200 END, i FROM generate_series(1, 1000) i;
VACUUM (FREEZE, ANALYZE) kfs, ks, kdups;
SELECT kj('SELECT n, count(*), sum(v) FROM kfs JOIN ks ON t = k GROUP BY 1');
SELECT kj('SELECT k, n, count(*), sum(v) FROM kfs JOIN ks ON t = k GROUP BY 1, 2');
SELECT kj('SELECT n, count(*), min(r) FROM kfs JOIN ks ON kfs.s = ks.s WHERE r > 3 GROUP BY 1');
SELECT kj('SELECT r, count(*), sum(v) FROM kfs JOIN ks ON kfs.u = ks.u GROUP BY 1');
SELECT kj('SELECT n, count(*), count(r) FROM kfs LEFT JOIN ks ON t = k AND r > 2 GROUP BY 1');
SELECT kj('SELECT count(*), sum(v) FROM kfs WHERE EXISTS (SELECT FROM kdups WHERE k = t AND n > 500)');
SELECT kj('SELECT v, count(*) FROM kfs WHERE NOT EXISTS (SELECT FROM kdups WHERE k = t) GROUP BY 1');
SELECT kj('SELECT n, count(*) FROM kfs JOIN ks ON t = k WHERE r = 33 GROUP BY 1');
SELECT kj('SELECT x.n, y.r, count(*) FROM kfs JOIN ks x ON t = x.k JOIN ks y ON kfs.s = y.s GROUP BY 1, 2');
-- strings that change; more of them than are numbered
UPDATE ks SET n = 'changed' WHERE k IN ('key 5', '');
SELECT kj('SELECT n, count(*), sum(v) FROM kfs JOIN ks ON t = k GROUP BY 1');
VACUUM (FREEZE) ks;
SELECT kj('SELECT n, count(*), sum(v) FROM kfs JOIN ks ON t = k GROUP BY 1');
CREATE TABLE kmany (k text PRIMARY KEY, r int) WITH (autovacuum_enabled = off);
INSERT INTO kmany SELECT 'key ' || i, i % 9 FROM generate_series(0, 79999) i;
VACUUM (FREEZE, ANALYZE) kmany;
SELECT kj('SELECT r, count(*), sum(v) FROM kfs JOIN kmany ON t = k GROUP BY 1');
DEALLOCATE ALL;
DROP TABLE kfs, ks, kdups, kmany;
-- keys of several columns: numbers of strings and of wide integers, halves of words, NULLs among them
CREATE TABLE kms (company text, account varchar(12), day date, big int8, wide int8, a int2, b int, v int) WITH (autovacuum_enabled = off);
INSERT INTO kms SELECT CASE WHEN i % 31 > 0 THEN 'co ' || i % 7 END, 'acc ' || i % 40, date '2026-01-01' + i % 9, (i % 5) * 10000000000,
	   (i % 11) * 10000000000, i % 6, -(i % 3), i FROM generate_series(1, 12000) i;
CREATE TABLE kmk (company text, account text, day date, big int8, wide int8, a int2, b int, n text, r int) WITH (autovacuum_enabled = off);
INSERT INTO kmk SELECT CASE WHEN i % 13 > 0 THEN 'co ' || i % 6 END, CASE WHEN i % 29 > 0 THEN 'acc ' || i / 6 % 37 END,
	   date '2026-01-01' + i % 10, (i % 6) * 10000000000, (i % 7) * 10000000000, i % 5, -(i % 4), 'name ' || i % 8, i
FROM generate_series(0, 999) i;
CREATE TABLE kma AS SELECT DISTINCT ON (company, account) company, account, n, r FROM kmk WHERE company <> '' AND account <> '' ORDER BY company, account, r, n;
CREATE TABLE kmd AS SELECT DISTINCT ON (company, account, day) company, account, day, n, r FROM kmk WHERE company <> '' AND account <> '' ORDER BY company, account, day, r, n;
CREATE TABLE kmb AS SELECT DISTINCT ON (company, big, wide) company, big, wide, n, r FROM kmk WHERE company <> '' ORDER BY company, big, wide, r, n;
CREATE TABLE kmw AS SELECT DISTINCT ON (big, wide, account, company) big, wide, account, company, n, r FROM kmk WHERE company <> '' AND account <> '' ORDER BY big, wide, account, company, r, n;
CREATE TABLE kmi AS SELECT DISTINCT ON (a, b, day) a, b, day, n, r FROM kmk ORDER BY a, b, day, r, n;
CREATE UNIQUE INDEX ON kma (company, account);
CREATE UNIQUE INDEX ON kmd (company, account, day);
CREATE UNIQUE INDEX ON kmb (company, big, wide);
CREATE UNIQUE INDEX ON kmw (big, wide, account, company);
CREATE UNIQUE INDEX ON kmi (a, b, day);
VACUUM (FREEZE, ANALYZE) kms, kmk, kma, kmd, kmb, kmw, kmi;
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) GROUP BY 1');
SELECT kj('SELECT n, count(*), count(r) FROM kms LEFT JOIN kma ON kma.company = kms.company AND kma.account = kms.account AND r > 99 GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) WHERE r % 3 = 1 GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kmd USING (company, account, day) GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kmb USING (company, big, wide) GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kmw USING (company, big, wide, account) GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kmi USING (a, b, day) GROUP BY 1');
SELECT kj('SELECT count(*), sum(v) FROM kms WHERE EXISTS (SELECT FROM kmk WHERE kmk.company = kms.company AND kmk.account = kms.account AND r > 500)');
SELECT kj('SELECT count(*), sum(v) FROM kms WHERE NOT EXISTS (SELECT FROM kmk WHERE kmk.company = kms.company AND kmk.account = kms.account)');
SELECT kj('SELECT x.n, y.n, count(*), sum(v) FROM kms JOIN kma x USING (company, account) JOIN kmd y USING (company, account, day) GROUP BY 1, 2');
SELECT kj('SELECT n, count(*) FROM kms JOIN kma USING (company, account) WHERE r < 0 GROUP BY 1');
-- parameters; rows that change: numbers of another table of helpers are none of the old one's
PREPARE kp (int) AS SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) WHERE r > $1 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
EXECUTE kp(150);
EXECUTE kp(10);
EXECUTE kp(150);
RESET gpuagg.debug_require;
SET gpuagg.enable = off;
EXECUTE kp(150);
EXECUTE kp(10);
RESET gpuagg.enable;
RESET plan_cache_mode;
DELETE FROM kma WHERE r % 7 = 3;
INSERT INTO kma VALUES ('co 6', 'acc 38', 'new', -1), ('co 6', 'acc 39', 'new', -2);
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) GROUP BY 1');
VACUUM (FREEZE) kma;
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) GROUP BY 1');
SELECT kj('SELECT n, count(*), sum(v) FROM kms JOIN kma USING (company, account) GROUP BY 1');
DEALLOCATE ALL;
DROP TABLE kms, kmk, kma, kmd, kmb, kmw, kmi;
-- a table that the backend reads in a moment is no task of the device's, where costs decide
CREATE TABLE ktiny (k int PRIMARY KEY, name text) WITH (autovacuum_enabled = off);
INSERT INTO ktiny SELECT i, 'tiny ' || i % 3 FROM generate_series(0, 39) i;
VACUUM (FREEZE, ANALYZE) ktiny;
SELECT gpuagg.load('ktiny') > 0 AS kept;
ALTER FUNCTION kj_inputs SET gpuagg.debug_require = 'allow';
ALTER FUNCTION kj_inputs SET gpuagg.cost_scale = 0.001;
SELECT kj_inputs('SELECT name, count(*) FROM kf JOIN ktiny ON c = k GROUP BY 1');
SELECT kj_inputs('SELECT n, count(*) FROM kf JOIN kab USING (a, b) WHERE kab.a <> 700 GROUP BY 1');
-- but where it is asked for; then it is there
ALTER FUNCTION kj_inputs SET gpuagg.debug_require = 'require';
SELECT kj_inputs('SELECT name, count(*) FROM kf JOIN ktiny ON c = k GROUP BY 1');
ALTER FUNCTION kj_inputs SET gpuagg.debug_require = 'allow';
SELECT kj_inputs('SELECT name, count(*) FROM kf JOIN ktiny ON c = k GROUP BY 1');
DROP TABLE ktiny;
DROP TABLE kf, ka, kbig, kab, kd, kr, kdup, klong;
DROP ROLE kj_reader;
