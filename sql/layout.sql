--
-- Physical shapes of tuples and tables.
--
\a
\t on
-- dropped columns, columns added with and without default, old short tuples
CREATE TABLE la (a int4, b text, c int8, d float8);
INSERT INTO la SELECT i, 'b' || i % 10, i * 10, i / 8.0 FROM generate_series(1, 1000) i;
ALTER TABLE la DROP COLUMN b;
SELECT compare('SELECT a % 7, sum(c), sum(d) FROM la GROUP BY 1');
ALTER TABLE la ADD COLUMN e int4;
ALTER TABLE la ADD COLUMN f int4 DEFAULT 42;
ALTER TABLE la ADD COLUMN g text DEFAULT 'fast default, longer than twelve';
ALTER TABLE la ADD COLUMN h char(5) DEFAULT 'hh', ADD COLUMN i date DEFAULT '2020-02-02', ADD COLUMN j float8 DEFAULT 'NaN', ADD COLUMN k uuid DEFAULT '11111111-2222-3333-4444-555555555555';
SELECT compare('SELECT e, f, g, h, i, k, count(*), sum(f), count(e), max(g COLLATE "C"), count(j) FROM la GROUP BY e, f, g, h, i, k');
INSERT INTO la SELECT i, i, i, i, i % 3, 'g' || i % 3, 'h', '2021-01-01', 0, NULL FROM generate_series(1, 500) i;
UPDATE la SET f = NULL WHERE a % 10 = 0;
SELECT compare('SELECT e, f, g, h, i, k, count(*), sum(f), count(e), max(g COLLATE "C"), count(j) FROM la GROUP BY e, f, g, h, i, k');
SELECT compare('SELECT count(*), sum(f) FROM la WHERE f = 42');
SELECT compare('SELECT count(*) FROM la WHERE g IS NULL OR e IS NULL');
ALTER TABLE la ALTER COLUMN f SET DEFAULT 43;
ALTER TABLE la DROP COLUMN a, ADD COLUMN l bool NOT NULL DEFAULT true;
SELECT compare('SELECT f, l, count(*), bool_and(l) FROM la GROUP BY f, l');
ALTER TABLE la ALTER COLUMN c TYPE int4;
SELECT compare('SELECT f, sum(c) FROM la GROUP BY f');
DROP TABLE la;

-- tuples of strings alone, which end where no fixed attribute would begin
CREATE TABLE la_text (a text, b varchar(9), c char(3), d bool);
INSERT INTO la_text SELECT repeat('a', i % 9), repeat('b', i % 5), 'c' || i % 3, i % 2 = 0 FROM generate_series(1, 500) i;
SELECT q, compare(q) FROM unnest(ARRAY['SELECT a, count(*) FROM la_text GROUP BY a', 'SELECT b, a, count(*) FROM la_text GROUP BY 1, 2', 'SELECT c, b, a, count(*) FROM la_text GROUP BY 1, 2, 3', 'SELECT a, d, count(*) FROM la_text GROUP BY 1, 2',
	'SELECT count(*) FROM la_text WHERE a LIKE ''aaa%'' AND b <> ''b''', 'SELECT d, count(*) FROM la_text GROUP BY d', 'SELECT a FROM la_text TABLESAMPLE BERNOULLI (50) REPEATABLE (1) WHERE a LIKE ''a%''']) q;
INSERT INTO la_text SELECT CASE WHEN i % 3 > 0 THEN repeat('a', i % 9) END, CASE WHEN i % 2 > 0 THEN 'b' END, NULL, NULL FROM generate_series(1, 500) i;
SELECT q, compare(q) FROM unnest(ARRAY['SELECT a, count(*) FROM la_text GROUP BY a', 'SELECT b, a, count(*) FROM la_text GROUP BY 1, 2', 'SELECT c, b, a, count(*), count(d) FROM la_text GROUP BY 1, 2, 3']) q;
CREATE TABLE la_one (a text);
INSERT INTO la_one VALUES ('ab');
SELECT compare('SELECT a, count(*) FROM la_one GROUP BY a'), compare('SELECT count(*) FROM la_one WHERE a = ''ab''');
ALTER TABLE la_one ADD COLUMN b text, ADD COLUMN c int;
SELECT compare('SELECT a, b, c, count(*) FROM la_one GROUP BY 1, 2, 3');
DROP TABLE la_text, la_one;

-- null bitmaps of every length, NULLs before and after what is read
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE la_null (%s)', string_agg(format('c%s %s', i, (ARRAY['int4', 'int2', 'int8', 'bool', 'text', 'float4', 'date', 'char(3)'])[i % 8 + 1]), ', '))
			 FROM generate_series(0, 39) i);
	EXECUTE (SELECT format('INSERT INTO la_null SELECT %s FROM generate_series(1, 2000) r',
						   string_agg(format((ARRAY['CASE WHEN (r * 7 + %1$s) %% 5 > 0 THEN r %% 9 END', 'CASE WHEN (r + %1$s) %% 3 > 0 THEN r %% 5 END', 'CASE WHEN r %% (%1$s + 2) > 0 THEN r %% 4 END', 'CASE WHEN r %% 3 > 0 THEN r %% 2 = 0 END',
								 'CASE WHEN (r + %1$s) %% 4 > 0 THEN repeat(''x'', r %% 17) END', 'CASE WHEN r %% 7 > %1$s %% 7 THEN r %% 3 END', 'CASE WHEN r %% 2 = %1$s / 8 %% 2 THEN ''2000-01-01''::date + r %% 5 END', '(r %% 4)::text'])[i % 8 + 1], i), ', ' ORDER BY i))
			 FROM generate_series(0, 39) i);
END
$$;
SELECT i, compare(format('SELECT c%s, count(*), count(c%s), count(c%s) FROM la_null GROUP BY 1', i, (i + 1) % 40, (i + 39) % 40)) FROM generate_series(0, 39) i;
SELECT compare('SELECT c0, c39, c20, c4, count(*), sum(c8), sum(c32), min(c36 COLLATE "C") FROM la_null GROUP BY 1, 2, 3, 4');
SELECT compare('SELECT count(*), sum(c16) FROM la_null WHERE c39 = ''1'' AND c7 <> ''2'' AND c3 IS NOT NULL');
DROP TABLE la_null;

-- hundreds of columns, the last ones read; t_hoff beyond 127; 1600 is PostgreSQL's limit
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE la_wide (%s)', string_agg(format('c%s int4', i), ', ')) FROM generate_series(1, 1600) i);
	EXECUTE (SELECT format('INSERT INTO la_wide (%s) SELECT %s FROM generate_series(1, 300) r', string_agg('c' || i, ', '), string_agg(format('CASE WHEN (r + %s) %% 3 > 0 THEN (r * %1$s) %% 11 END', i), ', '))
			 FROM generate_series(1, 1600) i WHERE i % 100 < 2 OR i = 1599);
END
$$;
SELECT i, compare(format('SELECT c%s, count(*), count(c%s) FROM la_wide GROUP BY 1', i, i % 1600 + 1)) FROM unnest(ARRAY[1, 2, 100, 300, 800, 1500, 1599, 1600]) i;
SELECT compare('SELECT c1, c1600, count(*), sum(c800) FROM la_wide GROUP BY 1, 2');
DROP TABLE la_wide;

-- alignment: every order of widths, with varlenas (short headers are not aligned) between
CREATE TABLE la_align (a bool, b int8, c int2, d text, e int8, f "char", g int4, h varchar(20), i int2, j float8, k char(3), l uuid, m int2, n timestamp, o numeric, p int4, q name, r bool, s interval, t float4, u bytea, v int8);
INSERT INTO la_align
SELECT r % 2 = 0, r, r % 7, repeat('d', r % 9), r * 2, 'f', r % 11, repeat('h', r % 13), r % 3, r / 4.0, 'k' || r % 3, md5((r % 5)::text)::uuid, r % 2, '2000-01-01'::timestamp + r % 4 * interval '1 day',
	   r / 3.0, r % 19, 'name' || r % 3, r % 5 = 0, r * interval '1 s', r % 8 / 2.0, decode(repeat('ab', r % 6), 'hex'), r
FROM generate_series(1, 3000) r;
INSERT INTO la_align (v, p, d) SELECT r, r % 19, repeat('long ', 30) || r % 3 FROM generate_series(1, 500) r;
ANALYZE la_align;
SELECT k, compare(format('SELECT %I, count(*), sum(v), sum(b), count(u), sum(p) FROM la_align GROUP BY %1$I', k))
FROM unnest(ARRAY['a', 'c', 'd', 'g', 'h', 'i', 'k', 'l', 'm', 'n', 'p', 'r', 't', 'j']) k;
SELECT compare('SELECT sum(e), sum(j), sum(t), sum(v), max(n), min(d COLLATE "C"), count(o), count(s), count(f), count(u) FROM la_align');
DROP TABLE la_align;

-- a partition that was attached with another order of columns, queried as a table
CREATE TABLE la_part (a int4, b text, c int8) PARTITION BY LIST (a);
CREATE TABLE la_part1 (x int4, c int8, b text, a int4);
ALTER TABLE la_part1 DROP COLUMN x;
INSERT INTO la_part1 SELECT i, 'b' || i % 4, 1 FROM generate_series(1, 500) i;
ALTER TABLE la_part ATTACH PARTITION la_part1 FOR VALUES IN (1);
CREATE TABLE la_part2 PARTITION OF la_part FOR VALUES IN (2);
INSERT INTO la_part SELECT 2, 'b' || i % 3, i FROM generate_series(1, 500) i;
SELECT compare('SELECT b, count(*), sum(c), sum(a) FROM la_part1 GROUP BY b');
SELECT compare('SELECT b, count(*), sum(c), sum(a) FROM la_part2 GROUP BY b');
SELECT compare('SELECT b, count(*), sum(c), sum(a) FROM la_part GROUP BY b', 'try');
SELECT compare('SELECT b, count(*), sum(c), sum(a) FROM la_part WHERE a = 1 GROUP BY b', 'try');
SET enable_partitionwise_aggregate = on;
SELECT compare('SELECT a, count(*), sum(c) FROM la_part GROUP BY a', 'try');
RESET enable_partitionwise_aggregate;
DROP TABLE la_part;
-- inheritance: the parent with children, the parent alone, a child
CREATE TABLE la_inh (a int4, b int4);
CREATE TABLE la_inh1 (c int4) INHERITS (la_inh);
INSERT INTO la_inh SELECT i % 5, i FROM generate_series(1, 300) i;
INSERT INTO la_inh1 SELECT i % 7, i, i FROM generate_series(1, 300) i;
SELECT compare('SELECT a, count(*), sum(b) FROM la_inh GROUP BY a', 'try');
SELECT compare('SELECT a, count(*), sum(b) FROM ONLY la_inh GROUP BY a');
SELECT compare('SELECT a, count(*), sum(b) FROM la_inh1 GROUP BY a');
DROP TABLE la_inh CASCADE;

-- tables that are no permanent heap tables
CREATE UNLOGGED TABLE la_unlogged AS SELECT i % 5 AS a, i AS b FROM generate_series(1, 300) i;
CREATE TEMP TABLE la_temp AS SELECT i % 5 AS a, i AS b FROM generate_series(1, 300) i;
CREATE MATERIALIZED VIEW la_matview AS SELECT i % 5 AS a, i AS b FROM generate_series(1, 300) i;
SELECT compare('SELECT a, sum(b) FROM la_unlogged GROUP BY a');
SELECT compare('SELECT a, sum(b) FROM la_matview GROUP BY a', 'try');
SELECT compare('SELECT a, sum(b) FROM la_temp GROUP BY a', 'try');
DROP TABLE la_unlogged, la_temp;
DROP MATERIALIZED VIEW la_matview;

-- generated columns, identity, a fillfactor, empty pages in between, a primary key
CREATE TABLE la_gen (id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int4, b int4 GENERATED ALWAYS AS (a * 2) STORED) WITH (fillfactor = 20);
INSERT INTO la_gen (a) SELECT i FROM generate_series(1, 3000) i;
SELECT compare('SELECT b % 10, count(*), sum(id) FROM la_gen GROUP BY 1');
DELETE FROM la_gen WHERE id BETWEEN 500 AND 2500;
SELECT compare('SELECT b % 10, count(*), sum(id) FROM la_gen GROUP BY 1');
VACUUM la_gen;
SELECT compare('SELECT b % 10, count(*), sum(id) FROM la_gen GROUP BY 1');
SELECT compare('SELECT id, a, b, count(*) FROM la_gen GROUP BY id');
DROP TABLE la_gen;
-- tables of no columns, of whole rows only
CREATE TABLE la_zero ();
INSERT INTO la_zero SELECT FROM generate_series(1, 700);
SELECT compare('SELECT count(*) FROM la_zero');
DROP TABLE la_zero;
-- one row as wide as a page holds
CREATE TABLE la_page (n int4, t text);
ALTER TABLE la_page ALTER COLUMN t SET STORAGE PLAIN;
INSERT INTO la_page SELECT i, repeat(chr(97 + i % 3), 8000) FROM generate_series(1, 30) i;
SELECT compare('SELECT t, count(*), sum(n), min(t COLLATE "C") FROM la_page GROUP BY t');
DROP TABLE la_page;
