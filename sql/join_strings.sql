--
-- Strings of a join's inputs as group keys: the device groups by their numbers.
--
\a
\t on
CREATE TABLE sf (id int4, a int4, b int4, v int4, t text);
INSERT INTO sf SELECT i, CASE WHEN i % 50 > 0 THEN i % 400 END, i % 7, i % 1000 - 500, 's' || i % 5
FROM generate_series(1, 20000) i;
-- equal strings that differ by blanks, empty ones, NULLs, long ones
CREATE TABLE sd (k int4 PRIMARY KEY, tx text, vc varchar(30), bp bpchar, ch char(6), nm name, by bytea, ip inet,
				 bi bit(9), vb varbit, uu uuid, ci text COLLATE "C", long text);
INSERT INTO sd
SELECT i, CASE WHEN i % 9 > 0 THEN 'text ' || i % 40 END, 'v' || i % 11, 'b' || i % 3 || repeat(' ', i % 4),
	   'c' || i % 6, ('name' || i % 13)::name, decode(md5((i % 5)::text), 'hex'), ('10.0.0.' || i % 8)::inet,
	   (i % 512)::bit(9), (i % 16)::bit(4)::varbit, md5((i % 10)::text)::uuid, chr(65 + i % 26) || i % 2,
	   CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN repeat('long', 10) WHEN 2 THEN repeat('much longer ', 200) END
FROM generate_series(0, 299) i;
CREATE TABLE s2 (k int4 PRIMARY KEY, n text NOT NULL);
INSERT INTO s2 SELECT i, 'two ' || i % 3 FROM generate_series(0, 4) i;
ANALYZE sf, sd, s2;

CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO queries (q) SELECT format('SELECT %1$I, count(*), sum(v) FROM sf JOIN sd ON a = k GROUP BY %1$I', c)
FROM unnest('{tx,vc,ch,nm,by,ip,bi,vb,uu,ci,long}'::text[]) c;
INSERT INTO queries (q) SELECT format('SELECT %1$I, count(v) FROM sf LEFT JOIN sd ON a = k AND v > 0 GROUP BY %1$I', c)
FROM unnest('{tx,ch,nm,uu,long}'::text[]) c;
INSERT INTO queries (q) VALUES
	-- of equal char values any may be shown
	('SELECT rtrim(bp), count(*) FROM sf JOIN sd ON a = k GROUP BY bp'),
	-- a string as a key, in a condition and in an aggregate
	('SELECT tx, count(*) FILTER (WHERE tx COLLATE "C" < ''text 3''), max(tx COLLATE "C"), max(length(tx)) FROM sf JOIN sd ON a = k WHERE vc <> ''v1'' OR v > 0 GROUP BY tx'),
	('SELECT tx, tx || ''!'', upper(vc), count(*) FROM sf JOIN sd ON a = k GROUP BY tx, vc'),
	-- several, of several tables, and of the same twice
	('SELECT sd.tx, s2.n, d.vc, sf.t, count(*) FROM sf JOIN sd ON a = sd.k JOIN s2 ON b = s2.k JOIN sd d ON b = d.k GROUP BY 1, 2, 3, 4'),
	-- with casts and other expressions, which are no numbers
	('SELECT nm::text, bp::text, count(*) FROM sf JOIN sd ON a = k GROUP BY 1, 2'),
	('SELECT vc::bpchar, count(*) FROM sf JOIN sd ON a = k GROUP BY 1'),
	('SELECT substr(tx, 1, 3), count(*) FROM sf JOIN sd ON a = k GROUP BY 1'),
	-- what stays above the node
	('SELECT tx, sum(v) FROM sf JOIN sd ON a = k GROUP BY tx HAVING tx > ''text 2'' AND sum(v) > -1000'),
	('SELECT ci, sum(v) FROM sf JOIN sd ON a = k GROUP BY ci ORDER BY ci DESC LIMIT 7'),
	('SELECT ci, sum(v) FROM sf JOIN sd ON a = k GROUP BY ci ORDER BY sum(v), ci COLLATE "C" LIMIT 7'),
	('SELECT DISTINCT tx FROM sf JOIN sd ON a = k'),
	-- inputs of no row, of one row
	('SELECT tx, count(*) FROM sf JOIN sd ON a = k WHERE k < 0 GROUP BY tx'),
	('SELECT tx, count(*) FROM sf LEFT JOIN (SELECT * FROM sd WHERE k = 77) d ON a = k GROUP BY tx');
SELECT q, compare(q) FROM queries ORDER BY n;
-- groups that others are made of
SELECT compare('SELECT tx, count(DISTINCT v) FROM sf JOIN sd ON a = k GROUP BY tx');
SELECT compare('SELECT tx, vc, count(*) FROM sf JOIN sd ON a = k GROUP BY ROLLUP (tx, vc)');
SELECT compare('SELECT string_agg(tx || n, '','' ORDER BY tx COLLATE "C") FROM (SELECT tx, count(*) AS n FROM sf JOIN sd ON a = k GROUP BY tx) x', 'prefer');
-- groups that do not fit work_mem: numbers are kept, and written to disk
SET work_mem = '64kB';
SELECT compare('SELECT tx, id, count(*) FROM sf JOIN sd ON a = k GROUP BY 1, 2');
RESET work_mem;
-- inputs that change between runs of one node: their numbers do, too
SELECT prefer_device(false);
PREPARE p(int) AS SELECT ch, count(*) FROM sf JOIN (SELECT * FROM sd WHERE k % 3 = $1) d ON a = k GROUP BY ch ORDER BY ch COLLATE "C" LIMIT 2;
EXECUTE p(0);
EXECUTE p(1);
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT ci, count(*) FROM sf JOIN sd ON a = k WHERE k < 5 GROUP BY ci ORDER BY ci;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
FETCH 2 FROM c;
COMMIT;
RESET ALL;
SELECT compare('SELECT x, s.* FROM generate_series(0, 2) x,
	LATERAL (SELECT ci, count(*) FROM sf JOIN (SELECT * FROM sd WHERE k % 20 = x) d ON a = k GROUP BY ci ORDER BY ci LIMIT 3) s', 'prefer');
-- the first of an input's strings is empty
CREATE TABLE sempty AS SELECT CASE WHEN i > 1 THEN 's' || i ELSE '' END AS s FROM generate_series(0, 3) i;
SELECT compare('SELECT t, count(*) FROM sf WHERE t IN (SELECT s FROM sempty) GROUP BY t');
SELECT compare('SELECT long, count(*) FROM sf JOIN (SELECT k, long FROM sd WHERE length(long) = 0) d ON a = k GROUP BY long');
-- a table that does not fit a message
CREATE TABLE slarge (k int4 PRIMARY KEY, n text, x int8);
INSERT INTO slarge SELECT i * 3, 'string ' || i % 1000, i FROM generate_series(1, 8000) i;
ANALYZE slarge;
SELECT compare('SELECT n, count(*), sum(x) FROM sf JOIN slarge ON id = k GROUP BY n');
SELECT compare('SELECT length(n), max(n COLLATE "C"), count(*) FROM sf JOIN slarge ON id = k GROUP BY 1', 'prefer');
DROP TABLE sf, sd, s2, slarge, sempty, queries;
