--
-- Keys of joins whose equality is not that of their bytes: char(n), whose trailing blanks do not
-- count, and numerics; keys that are computed of an input's columns; outer joins that ask for rows
-- without a match.
--
\a
\t on
CREATE TABLE kf (i int4, c char(6), t text, vc varchar(10), n numeric(8,2), m numeric(8,1), id numeric(20,0)) WITH (autovacuum_enabled = off);
INSERT INTO kf SELECT i, 'k' || i % 50, 'k' || i % 50 || repeat(' ', i % 3), 'k' || i % 50, i % 50 / 4.0, i % 50 / 2.0, i % 50 FROM generate_series(1, 5000) i;
INSERT INTO kf VALUES (-1, NULL, NULL, NULL, NULL, NULL, NULL), (-2, '', '', '', 0, 0, 0), (-3, ' ', ' ', ' ', 999999.99, -0.0, 7);
CREATE TABLE kc (c char(10), v int4) WITH (autovacuum_enabled = off);
INSERT INTO kc SELECT 'k' || i, i FROM generate_series(1, 40) i;
INSERT INTO kc VALUES (NULL, 3), ('', 4);
CREATE TABLE kt (t text COLLATE "C", v int4) WITH (autovacuum_enabled = off);
INSERT INTO kt SELECT 'k' || i || repeat(' ', i % 2), i FROM generate_series(1, 40) i;
CREATE TABLE kn (n numeric(8,2), m numeric(8,1), id numeric(18,0), v int4) WITH (autovacuum_enabled = off);
INSERT INTO kn SELECT i / 4.0, i / 2.0, i, i FROM generate_series(0, 40) i;
INSERT INTO kn VALUES (NULL, NULL, NULL, 50), (999999.99, 0.5, 999999999999999999, 51);
CREATE TABLE kd (id int4 PRIMARY KEY, name text, up text, w numeric) WITH (autovacuum_enabled = off);
INSERT INTO kd SELECT i, 'name ' || i % 7, 'K' || i, i / 4.0 FROM generate_series(0, 40) i;
INSERT INTO kd VALUES (101, 'close', 'K1', 0.25000001), (102, 'more decimals shown', NULL, 0.2500000), (103, 'none', 'k2', 'NaN'), (104, 'large', 'x', 1e60);
CREATE TABLE kw (i int4, w numeric) WITH (autovacuum_enabled = off);
INSERT INTO kw SELECT i, CASE WHEN i % 3 = 0 THEN i % 50 ELSE round((i % 50) / 4.0, 2) END FROM generate_series(1, 5000) i;
INSERT INTO kw VALUES (-1, NULL), (-2, -0.0), (-3, 1.000);
CREATE TABLE ks (a int4, b int2, c int4, d int4, e int8, name text, PRIMARY KEY (a, b, c)) WITH (autovacuum_enabled = off);
INSERT INTO ks SELECT a, b, c, a * c, a, 'name ' || (a + b + c) % 5 FROM generate_series(-3, 3) a, generate_series(-2, 2) b, generate_series(-3, 3) c;
CREATE TABLE kl (a int4, b int2, c int4, d int4, e int8, v int4) WITH (autovacuum_enabled = off);
INSERT INTO kl SELECT i % 7 - 3, i % 6 - 3, i % 5 - 2, (i % 7 - 3) * (i % 5 - 2), i % 7 - 3, i FROM generate_series(1, 7000) i;
INSERT INTO kl VALUES (NULL, 1, 1, 1, 1, 1), (1, NULL, 1, 1, 1, 1), (1, 1, NULL, 1, 1, 1), (2147483647, -1, -1, 1, 1, 1), (-2147483648, -32768, 0, 0, 0, 1);
-- accounts of clients and companies, exchange rates of days: keys of strings and others
CREATE TABLE ka (client char(3), company text, account varchar(10), kind int8, part int8, name text, PRIMARY KEY (client, company, account)) WITH (autovacuum_enabled = off);
INSERT INTO ka SELECT '10' || c, 'co ' || o || repeat(' ', o % 2), 'acc' || a, a * 10000000000, c, 'name ' || (a + o) % 6 FROM generate_series(0, 1) c, generate_series(1, 3) o, generate_series(1, 20) a;
CREATE TABLE kr (currency char(3), day date, rate numeric(8,4), n numeric, big int8, other int8, PRIMARY KEY (currency, day)) WITH (autovacuum_enabled = off);
INSERT INTO kr SELECT c, date '2026-01-01' + d, d / 16.0, d / 4.0, d * 10000000000, -d FROM unnest('{EUR,US,"",X}'::text[]) c, generate_series(-10, 30) d;
INSERT INTO kr VALUES ('EUR', 'infinity', 77, 'NaN', 1, 1), ('EUR', '-infinity', 78, 1e60, 1, 1);
CREATE TABLE kj (client text, company text, account text, kind int8, part int8, currency varchar(5), day date, n numeric(8,2), amount int4) WITH (autovacuum_enabled = off);
INSERT INTO kj SELECT '10' || i % 3 || repeat(' ', i % 2), 'co ' || i % 5 || repeat(' ', i % 2), 'acc' || i % 23, i % 23 * 10000000000, i % 3, (ARRAY['EUR', 'US', '', 'X', 'YEN'])[i % 5 + 1], date '2026-01-01' + i % 37 - 12, i % 37 / 4.0, i FROM generate_series(1, 7000) i;
INSERT INTO kj VALUES (NULL, 'co 1 ', 'acc1', 1, 1, NULL, '2026-01-01', 1, 1), ('100', NULL, 'acc1', NULL, 0, 'EUR', NULL, NULL, 2), ('100', 'co 1 ', NULL, 10000000000, NULL, 'EUR', 'infinity', 3, 3), ('101', 'co 1 ', 'acc1', 10000000000, 1, 'EUR', '-infinity', 3, NULL);
-- moments of days, in a zone whose days begin at another time in summer
SET timezone = 'Europe/Berlin';
CREATE TABLE kz (tz timestamptz PRIMARY KEY, ts timestamp UNIQUE, day date UNIQUE, name text) WITH (autovacuum_enabled = off);
INSERT INTO kz SELECT d + i % 3 * interval '1 hour', d + i % 2 * interval '1 hour', d::date, 'name ' || i % 4 FROM generate_series(1, 200) i, LATERAL (SELECT timestamp '2025-12-15' + i * interval '1 day') x (d);
INSERT INTO kz VALUES ('infinity', '-infinity', 'infinity', 'forever'), ('-infinity', 'infinity', '5874897-12-31', 'ever');
VACUUM (FREEZE, ANALYZE) kz;
VACUUM (FREEZE, ANALYZE) ka;
VACUUM (FREEZE, ANALYZE) kr;
VACUUM (FREEZE, ANALYZE) kj;
VACUUM (FREEZE, ANALYZE) ks;
VACUUM (FREEZE, ANALYZE) kl;
VACUUM (FREEZE, ANALYZE) kd;
VACUUM (FREEZE, ANALYZE) kw;
VACUUM (FREEZE, ANALYZE) kf;
VACUUM (FREEZE, ANALYZE) kc;
VACUUM (FREEZE, ANALYZE) kt;
VACUUM (FREEZE, ANALYZE) kn;
-- how a query's joins are done, and whether the answer is PostgreSQL's
CREATE FUNCTION joined(q text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = prefer AS $$
DECLARE
	line text;
	how text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || q LOOP
		IF line ~ 'Look-up Joins|Input: ' THEN
			how := how || trim(line) || ' ';
		END IF;
	END LOOP;
	RETURN how || compare(q, 'prefer');
END $$;
CREATE TABLE queries (q text);
INSERT INTO queries VALUES
	-- of strings, of numbers of one scale
	('SELECT v, count(*) FROM kf JOIN kc ON kf.c = kc.c GROUP BY 1'),
	('SELECT kc.c, count(*), min(kf.c) FROM kf JOIN kc ON kf.c = kc.c GROUP BY 1'),
	('SELECT v, count(*) FROM kf JOIN kc ON kf.t = kc.c GROUP BY 1'),
	('SELECT v, count(*) FROM kf JOIN kc ON kf.vc = kc.c GROUP BY 1'),
	('SELECT v, count(*) FROM kf JOIN kt ON kf.t = kt.t GROUP BY 1'),
	('SELECT count(v), count(*) FROM kf LEFT JOIN (SELECT DISTINCT c, v FROM kc) kc ON kf.c = kc.c AND v > 5'),
	('SELECT sum(v), count(*), sum(kf.n) FROM kf JOIN kn ON kn.n = kf.n'),
	('SELECT v, count(*) FROM kf JOIN (SELECT id, max(v) AS v FROM kn GROUP BY 1) q ON q.id = kf.i GROUP BY 1'),
	('SELECT sum(v), count(*) FROM kf JOIN kn ON kn.m = kf.m'),
	('SELECT sum(v), count(*) FROM kf JOIN kn ON kn.n = kf.n AND kn.m = kf.m'),
	('SELECT count(*), sum(kc.v), sum(kn.v) FROM kf JOIN kc ON kf.c = kc.c JOIN kn ON kn.id = kc.v'),
	-- EXISTS, IN, NOT IN
	('SELECT count(*) FROM kf WHERE EXISTS (SELECT FROM kc WHERE kc.c = kf.c AND v > 3)'),
	('SELECT count(*) FROM kf WHERE c IN (SELECT c FROM kc WHERE v < 20)'),
	('SELECT count(*) FROM kf WHERE c NOT IN (SELECT c FROM kc WHERE v < 20 AND c IS NOT NULL)'),
	('SELECT count(*) FROM kf WHERE c NOT IN (SELECT c FROM kc WHERE v < 20)'),
	('SELECT count(*) FROM kf WHERE NOT EXISTS (SELECT FROM kn WHERE kn.n = kf.n AND v > 3)'),
	('SELECT count(*) FROM kf WHERE n IN (SELECT n FROM kn)'),
	('SELECT count(*) FROM kf WHERE n NOT IN (SELECT n FROM kn WHERE n IS NOT NULL)'),
	('SELECT count(*) FROM kf WHERE m NOT IN (SELECT m FROM kn)'),
	-- other than equal columns, and scales
	('SELECT v, count(*) FROM kf JOIN kt ON kf.c = kt.t::bpchar GROUP BY 1'),
	('SELECT sum(v), count(*) FROM kf JOIN kn ON kn.id = kf.id'),
	('SELECT v, count(*) FROM kf JOIN kc ON kf.t::bpchar = kc.c GROUP BY 1'),
	('SELECT sum(v), count(*) FROM kf JOIN kn ON kn.m = kf.n'),
	-- integers as numerics; numerics without a scale; more decimals than the other side has
	('SELECT name, count(*) FROM kf JOIN kd ON kd.id = kf.n GROUP BY 1'),
	('SELECT name, count(*), sum(i) FROM kf LEFT JOIN kd ON kd.id = kf.id GROUP BY 1'),
	('SELECT name, count(*) FROM kw JOIN kd ON kd.id = kw.w GROUP BY 1'),
	('SELECT name, count(*) FROM kw JOIN (SELECT id, name FROM kd WHERE id > 2 UNION SELECT id, name FROM kd WHERE id < 9) q ON q.id = kw.w GROUP BY 1'),
	('SELECT sum(kd.id), count(*) FROM kf JOIN kd ON kd.w = kf.n'),
	('SELECT sum(kd.id), count(*) FROM kw JOIN kd ON kd.w = kw.w'),
	('SELECT sum(kd.id), count(*) FROM kw LEFT JOIN kd ON kd.w = kw.i'),
	('SELECT count(*) FROM kf WHERE n IN (SELECT w FROM kd)'),
	('SELECT count(*) FROM kf WHERE n NOT IN (SELECT w FROM kd)'),
	('SELECT count(*), count(n) FROM kf WHERE n NOT IN (SELECT w FROM kd WHERE kd.id > 102)'),
	('SELECT count(*) FROM kw WHERE NOT EXISTS (SELECT FROM kd WHERE kd.w = kw.w AND kd.id > 3)'),
	-- computed of the input's columns; where that may raise an error the other table is read
	('SELECT sum(kd.id), count(*) FROM kf JOIN kd ON lower(up) = kf.t'),
	('SELECT s, count(*) FROM kf LEFT JOIN (SELECT lower(up) AS l, max(id) AS s FROM kd GROUP BY 1) q ON l = kf.vc GROUP BY 1'),
	('SELECT count(*) FROM kf WHERE NOT EXISTS (SELECT FROM kd WHERE lower(up) = t)'),
	('SELECT count(*) FROM kf WHERE EXISTS (SELECT FROM kd WHERE coalesce(lower(up), ''k50'') = t AND kd.id < i)'),
	('SELECT sum(kd.id), count(*) FROM kf JOIN kd ON kd.id + 1 = i'),
	('SELECT sum(kd.id), count(*) FROM kf JOIN kd ON upper(t) = up'),
	-- more than two, of which short ones share a key
	('SELECT name, count(*), sum(v) FROM kl JOIN ks USING (a, b, c) GROUP BY 1'),
	('SELECT name, count(*), sum(v) FROM kl LEFT JOIN ks USING (b, c, a, d) GROUP BY 1'),
	('SELECT name, count(*), sum(v) FROM kl JOIN ks ON kl.a = ks.a AND kl.c = ks.b AND kl.b = ks.c AND kl.v > ks.d GROUP BY 1'),
	('SELECT count(*), sum(v), sum(ks.e) FROM kl LEFT JOIN ks USING (d, b, c)'),
	('SELECT count(*), sum(v) FROM kl WHERE EXISTS (SELECT FROM ks WHERE ks.d = kl.d AND ks.e = kl.e AND ks.b = kl.b)'),
	('SELECT count(*), sum(v) FROM kl WHERE EXISTS (SELECT FROM ks WHERE ks.d = kl.d AND ks.a = kl.a AND ks.b = kl.b AND ks.c = kl.c AND ks.c <> 1)'),
	('SELECT count(*), sum(v) FROM kl WHERE EXISTS (SELECT FROM ks WHERE ks.d = kl.d AND ks.e = kl.e AND ks.b = kl.b AND ks.c = kl.c)'),
	('SELECT count(*), sum(v) FROM kl WHERE NOT EXISTS (SELECT FROM ks WHERE ks.d = kl.d AND ks.b = kl.b AND ks.c = kl.c)'),
	('SELECT name, count(*) FROM kl JOIN ks ON kl.e = ks.a AND kl.b = ks.b AND kl.c = ks.c GROUP BY 1'),
	-- strings among several, of which helpers find numbers
	('SELECT name, count(*), sum(amount) FROM kj JOIN ka USING (client, company, account) GROUP BY 1'),
	('SELECT name, count(*), sum(amount) FROM kj JOIN ka ON ka.client = kj.client AND ka.company = kj.company AND ka.account = kj.account AND ka.part = kj.part GROUP BY 1'),
	-- (a maximum by a language's rules is no look-up's: below it is compared in either way)
	('SELECT ka.account, ka.company, count(*), max(ka.client COLLATE "C"), min(kj.client) FROM kj LEFT JOIN ka USING (company, account, client) GROUP BY 1, 2'),
	('SELECT count(*), sum(amount), sum(rate) FROM kj JOIN kr USING (currency, day)'),
	('SELECT kr.day, count(*), sum(amount * rate) FROM kj LEFT JOIN kr ON kj.currency::bpchar = kr.currency AND kj.day = kr.day AND kr.other < 5 GROUP BY 1'),
	('SELECT count(*), sum(amount) FROM kj JOIN kr r ON r.currency = kj.currency AND r.day = kj.day JOIN kr s ON s.currency = ''EUR'' AND s.day = r.day JOIN ka USING (client, company, account)'),
	('SELECT count(*), sum(amount) FROM kj WHERE EXISTS (SELECT FROM ka WHERE ka.company = kj.company AND ka.account = kj.account)'),
	('SELECT count(*), sum(amount) FROM kj WHERE NOT EXISTS (SELECT FROM ka WHERE ka.company = kj.company AND ka.kind = kj.kind AND ka.client = ''100'')'),
	('SELECT count(*), sum(amount) FROM kj WHERE NOT EXISTS (SELECT FROM ka WHERE lower(ka.company) = kj.company AND ka.kind = kj.kind AND ka.name <> kj.account)'),
	('SELECT count(*), sum(amount) FROM kj WHERE (company, account) IN (SELECT company, account FROM ka WHERE part = 1)'),
	-- inputs that are read anew for each row
	('SELECT x, (SELECT sum(amount) FROM kj JOIN ka USING (client, company, account) WHERE ka.part < x AND kj.amount > x) FROM generate_series(0, 3) x'),
	('SELECT x, (SELECT count(ka.name) FROM kj LEFT JOIN (SELECT * FROM ka WHERE part = x) ka USING (account, company, client)) FROM generate_series(0, 3) x'),
	-- wide numbers, too; numerics of another scale; several rows of a key
	('SELECT count(*), sum(amount), count(DISTINCT ka.kind) FROM kj JOIN (SELECT kind, part, length(company)::int8 AS l, max(account) FROM ka GROUP BY 1, 2, 3) ka ON ka.kind = kj.kind AND ka.part = kj.part AND ka.l = kj.part + 4'),
	('SELECT count(*), sum(amount), sum(m) FROM kj JOIN (SELECT n, big, currency, other, count(*) AS m FROM kr GROUP BY 1, 2, 3, 4) q ON q.n = kj.n AND q.big = kj.kind AND q.currency = kj.currency AND q.other = -kj.part'),
	('SELECT count(*), sum(amount), sum(m) FROM kj LEFT JOIN (SELECT n, currency, day, count(*) AS m FROM kr GROUP BY 1, 2, 3) q ON q.n = kj.n AND q.currency = kj.currency AND q.day = kj.day + 9'),
	('SELECT count(*), sum(amount), count(ka.name) FROM kj JOIN ka ON ka.company = kj.company AND ka.account = kj.account'),
	('SELECT count(*), sum(amount), sum(ka.part) FROM kj LEFT JOIN ka ON ka.company = kj.company AND ka.kind = kj.kind'),
	-- moments and days; the day of the table that is read becomes a moment
	('SELECT kz.name, count(*), sum(amount) FROM kj JOIN kz ON kz.tz = kj.day GROUP BY 1'),
	('SELECT kz.name, count(*), sum(amount) FROM kj LEFT JOIN kz ON kj.day = kz.ts AND kj.amount > 9 GROUP BY 1'),
	('SELECT kz.name, count(*), sum(amount) FROM kj JOIN kz ON kj.day + 190 = kz.tz GROUP BY 1'),
	('SELECT count(*), sum(amount) FROM kj WHERE NOT EXISTS (SELECT FROM kz WHERE kz.tz = kj.day::timestamp AND kz.name <> ''name 2'')'),
	('SELECT kz.name, count(*), sum(amount) FROM kj JOIN kz ON kz.day = kj.day::timestamptz GROUP BY 1'),
	-- NOT EXISTS if the column is NULL nowhere else
	('SELECT count(*), count(name), max(up COLLATE "C") FROM kf LEFT JOIN kd ON kd.w = kf.n WHERE kd.id IS NULL'),
	('SELECT kd.up, count(*) FROM kf LEFT JOIN kd ON lower(up) = kf.t AND kd.w > 3 WHERE kd.id IS NULL AND kd.up IS NULL AND kf.i > 7 GROUP BY 1'),
	('SELECT count(*) FROM kf LEFT JOIN kd ON kd.w = kf.n AND kd.id > kf.i WHERE kd.id IS NULL'),
	('SELECT count(*) FROM kf LEFT JOIN kd ON kd.w = kf.n WHERE kd.up IS NULL');
SELECT q, joined(q) FROM queries;
-- look-ups where the database's collation is C, rows of a plan where it is a language's (test 024)
SELECT compare('SELECT count(*), count(name), max(up) FROM kf LEFT JOIN kd ON kd.w = kf.n WHERE kd.id IS NULL', 'prefer');
SELECT compare('SELECT ka.account, ka.company, count(*), max(ka.client), min(kj.client) FROM kj LEFT JOIN ka USING (company, account, client) GROUP BY 1, 2', 'prefer');
-- the same of columns that the device keeps
SELECT gpuagg.load('kf') > 0 AND gpuagg.load('kc') > 0 AND gpuagg.load('kt') > 0 AND gpuagg.load('kn') > 0 AND gpuagg.load('kw') > 0 AND gpuagg.load('kl') > 0 AND gpuagg.load('kj') > 0 AS kept;
SELECT q, joined(q) FROM queries;
-- a key that has no form on the device is PostgreSQL's to compare
INSERT INTO kn VALUES ('NaN', 'NaN', 7, 52);
INSERT INTO kf VALUES (-4, NULL, NULL, NULL, 'NaN', 7, 99999999999999999999);
INSERT INTO kw VALUES (-4, 'NaN'), (-5, 1e60);
SELECT q, joined(q) FROM queries WHERE q ~ 'kn|kd';
-- a column that is NULL nowhere IS NULL where it is a row of NULLs
CREATE TYPE kpair AS (a int4, b int4);
CREATE TABLE kp (id int4 PRIMARY KEY, pair kpair NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO kp SELECT i, CASE WHEN i % 3 > 0 THEN ROW(NULLIF(i % 3, 1), NULL)::kpair ELSE ROW(NULL, NULL)::kpair END FROM generate_series(1, 40) i;
SELECT compare('SELECT count(*), count(kp.id), sum(i) FROM kf LEFT JOIN kp ON kp.id = kf.i % 50 WHERE kp.pair IS NULL', 'prefer');
-- a bpchar without a length has as many blanks as were stored, of which rows of a key differ
CREATE TABLE kb (c bpchar, v int4) WITH (autovacuum_enabled = off);
INSERT INTO kb SELECT 'k' || i % 40 || repeat(' ', i % 7), i FROM generate_series(1, 400) i;
SELECT compare(q, 'prefer') FROM (VALUES
	('SELECT count(*), sum(octet_length(kb.c)), count(*) FILTER (WHERE kb.c LIKE ''k1% ''), sum(i) FROM kf JOIN kb ON kb.c = kf.c'),
	('SELECT octet_length(kb.c), count(*) FROM kf LEFT JOIN kb ON kb.c = kf.c GROUP BY 1'),
	('SELECT kb.c::text, count(*), sum(i), sum(v) FROM kf LEFT JOIN kb ON kb.c = kf.c GROUP BY kb.c')) AS x(q);
DROP TABLE kf, kp, kb, kc, kt, kn, kd, kw, ks, kl, ka, kr, kj, kz, queries;
DROP FUNCTION joined;
DROP TYPE kpair;
