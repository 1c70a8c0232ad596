--
-- Strings of a join's input that the device has as codes: what is asked of them, keys, and columns that
-- follow from a key.
--
\a
\t on
SET client_min_messages = warning;
-- What each input became, in the order of the joins
CREATE FUNCTION jc_inputs(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(format('%s (%s rows%s)', x->>'Join Type', x->>'Rows',
									 CASE WHEN (x->>'From Kept Columns')::bool THEN ' from kept columns' END),
							  ', ' ORDER BY n)
			FROM jsonb_array_elements(plan->'Look-up Joins') WITH ORDINALITY e (x, n));
END $$;
CREATE FUNCTION jc(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT compare(query);
	RETURN NEXT jc_inputs(query);
END $$;
CREATE TABLE cf (id int, a int, v int, pad text, t text) WITH (autovacuum_enabled = off);
INSERT INTO cf SELECT i, CASE WHEN i % 50 > 0 THEN i % 35000 END, i % 997, repeat('x', 100), 'name ' || i % 9
FROM generate_series(1, 40000) i;
CREATE TABLE ci (k int PRIMARY KEY, name text, city varchar(20) COLLATE "C", code char(6), free bpchar, r int)
WITH (autovacuum_enabled = off);
INSERT INTO ci SELECT i, CASE i % 27 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'Name ' || i % 27 END,
	   CASE WHEN i % 9 > 0 THEN 'city ' || i % 12 END, CASE WHEN i % 11 > 0 THEN 'c' || repeat(' ', i % 3) || i % 4 END,
	   CASE i % 3 WHEN 0 THEN 'f' WHEN 1 THEN 'f ' ELSE 'g' END, i % 10
FROM generate_series(0, 999) i;
CREATE TABLE cw (k int8 PRIMARY KEY, w text NOT NULL, x char(12), j jsonb, c int, n numeric(12, 2), d numeric) WITH (autovacuum_enabled = off);
INSERT INTO cw SELECT i, 'wide ' || i, CASE WHEN i % 10 > 0 THEN 'x' || i END, jsonb_build_object('n', i), i % 1000, i * 1.25, i * 0.5
FROM generate_series(0, 29999) i;
VACUUM (FREEZE, ANALYZE) cf, ci, cw;
-- conditions inside of aggregates: equality, patterns, lists, order
SELECT jc('SELECT sum(CASE WHEN name = ''Name 3'' OR name = ''Name 4'' THEN v ELSE 0 END), count(*) FILTER (WHERE name LIKE ''%1%''), sum(CASE WHEN name IN (''Name 7'', '''', ''none'') THEN 1 END) FROM cf JOIN ci ON a = k');
SELECT jc('SELECT r, sum(v) FILTER (WHERE city > ''city 3''), count(*) FILTER (WHERE NOT city LIKE ''%1''), count(city), count(*) FILTER (WHERE city IS NULL) FROM cf JOIN ci ON a = k GROUP BY 1');
SELECT jc('SELECT sum(CASE name WHEN ''Name 3'' THEN v WHEN ''Name 4'' THEN 2 * v ELSE -1 END), sum(CASE city WHEN ''city 1'' THEN 1 END), count(CASE code WHEN ''c1'' THEN CASE city WHEN ''city 4'' THEN 1 END END) FROM cf LEFT JOIN ci ON a = k');
-- what no device computes
SELECT jc('SELECT r, sum(CASE WHEN lower(name) = ''name 5'' THEN v END), count(*) FILTER (WHERE name ~ ''e 1[0-9]''), count(*) FILTER (WHERE md5(name) < ''8'') FROM cf JOIN ci ON a = k GROUP BY 1');
SELECT jc('SELECT r, sum(length(name)), max(length(name || city)), count(*) FILTER (WHERE name ILIKE ''nAME 2%'') FROM cf JOIN ci ON a = k GROUP BY 1');
-- char(n): blanks at the end are part of patterns, and of nothing else; without n it is read
SELECT jc('SELECT count(*) FILTER (WHERE code = ''c1''), count(*) FILTER (WHERE code LIKE ''c1''), count(*) FILTER (WHERE code::text LIKE ''c1''), count(*) FILTER (WHERE code LIKE ''c1%''), count(*) FILTER (WHERE code < ''c 2'') FROM cf JOIN ci ON a = k');
SELECT jc('SELECT count(*) FILTER (WHERE free = ''f''), count(*) FILTER (WHERE free LIKE ''f'') FROM cf JOIN ci ON a = k');
-- two columns of one input; with a column of the table; the string as such beside
SELECT jc('SELECT count(*) FROM cf JOIN ci ON a = k WHERE (name = ''Name 3'' AND v > 500) OR (city = ''city 4'' AND v < 100)');
SELECT jc('SELECT count(*) FROM cf JOIN ci ON a = k WHERE name = ''Name 3'' OR name = t');
SELECT jc('SELECT max(city), count(*) FILTER (WHERE city = ''city 4'') FROM cf JOIN ci ON a = k');
-- no row, a NULL, a condition of ON
SELECT jc('SELECT count(*) FILTER (WHERE name LIKE ''N%''), count(*) FILTER (WHERE name IS NULL), count(name), count(*) FILTER (WHERE (name LIKE ''N%'') IS NOT TRUE), sum(CASE WHEN coalesce(name = '''', true) THEN 1 END) FROM cf LEFT JOIN ci ON a = k');
SELECT jc('SELECT r, count(*) FROM cf LEFT JOIN ci ON a = k AND (name LIKE ''Name 1%'' OR v > 900) GROUP BY 1');
SELECT jc('SELECT count(*) FROM cf WHERE EXISTS (SELECT FROM ci WHERE a = k AND (city = ''city 1'' OR v < 10))');
-- what may fail for a string is for PostgreSQL
SELECT compare('SELECT count(*) FILTER (WHERE substr(name, 6)::int > 3) FROM cf JOIN ci ON a = k WHERE name <> ''''', 'try');
SELECT compare('SELECT count(*) FILTER (WHERE CASE WHEN name = '''' THEN name ELSE ''7'' END::int > 3) FROM cf JOIN ci ON a = k', 'try');
-- keys: conditions, lengths, strings that expressions read, strings and what is distinct in them
SELECT jc('SELECT name LIKE ''%2'', length(city), count(*) FROM cf JOIN ci ON a = k GROUP BY 1, 2');
SELECT jc('SELECT name, code, count(DISTINCT v), sum(v) FROM cf JOIN ci ON a = k GROUP BY 1, 2');
SELECT jc('SELECT name, count(DISTINCT city), count(DISTINCT r) FROM cf JOIN ci ON a = k WHERE city <> ''city 7'' OR v < 3 GROUP BY 1');
SELECT jc('SELECT lower(name), left(city, 5), code || ''!'', sum(v), count(*) FROM cf JOIN ci ON a = k GROUP BY 1, 2, 3');
SELECT jc('SELECT r, min(name), max(name), min(upper(city) COLLATE "C") FROM cf JOIN ci ON a = k GROUP BY 1');
SELECT jc('SELECT name, city, grouping(name, city), count(*), sum(v) FROM cf LEFT JOIN ci ON a = k GROUP BY ROLLUP (name, city)');
SELECT jc('SELECT upper(code), count(DISTINCT name), percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM cf JOIN ci ON a = k GROUP BY 1');
-- parameters
PREPARE cp (text, text) AS SELECT count(*) FILTER (WHERE name = $1), count(*) FILTER (WHERE city LIKE $2), count(*) FILTER (WHERE city > $2) FROM cf JOIN ci ON a = k;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
EXECUTE cp('Name 3', 'city 1%');
EXECUTE cp('Name 4', 'city');
EXECUTE cp(NULL, NULL);
-- beside strings of the program's own that are known later
PREPARE cr (int) AS SELECT count(*) FILTER (WHERE name = 'Name ' || $1), count(*) FILTER (WHERE t = 'name ' || $1), count(*) FILTER (WHERE t > repeat('name ', $1)) FROM cf JOIN ci ON a = k;
EXECUTE cr(3);
EXECUTE cr(1);
RESET gpuagg.debug_require;
RESET plan_cache_mode;
-- a subquery's value, and one of the row outside
SELECT jc('SELECT count(*) FILTER (WHERE name = (SELECT ''Name '' || min(r) + 3 FROM ci)) FROM cf JOIN ci ON a = k');
SELECT jc('SELECT x, (SELECT count(*) FROM cf JOIN ci ON a = k WHERE name = x OR v = 5) FROM (VALUES (''Name 3''), (''Name 4''), (NULL)) y (x)');
-- strings come and go; a column becomes another
INSERT INTO ci SELECT i, 'New ' || i % 3, 'city n', 'n', 'n', 3 FROM generate_series(1000, 1500) i;
SELECT jc('SELECT count(*) FILTER (WHERE name LIKE ''New%''), count(*) FILTER (WHERE city = ''city n'') FROM cf JOIN ci ON a = k');
VACUUM (FREEZE, ANALYZE) ci;
SELECT jc('SELECT count(*) FILTER (WHERE name LIKE ''New%''), count(*) FILTER (WHERE city = ''city n'') FROM cf JOIN ci ON a = k');
UPDATE ci SET name = 'Gone' WHERE name LIKE 'New%';
VACUUM (FREEZE, ANALYZE) ci;
SELECT jc('SELECT name, count(*) FILTER (WHERE name LIKE ''New%''), count(*) FILTER (WHERE name > ''G'') FROM cf JOIN ci ON a = k GROUP BY 1');
PREPARE cq AS SELECT count(*) FILTER (WHERE code LIKE 'c1%'), count(*) FILTER (WHERE code LIKE 'c1  ') FROM cf JOIN ci ON a = k;
EXECUTE cq;
ALTER TABLE ci ALTER code TYPE char(4);
VACUUM (FREEZE, ANALYZE) ci;
EXECUTE cq;
SELECT jc('SELECT count(*) FILTER (WHERE code LIKE ''c1%''), count(*) FILTER (WHERE code LIKE ''c1  '') FROM cf JOIN ci ON a = k');
-- columns that follow from a key: strings that are all different, and what no device knows
SELECT jc('SELECT cw.k, w, x, j, count(*), sum(v) FROM cf JOIN cw ON a = cw.k GROUP BY cw.k');
SELECT jc('SELECT cw.k, w, x, c, sum(v) FROM cf JOIN cw ON a = cw.k WHERE c < 500 GROUP BY cw.k, w, x, c ORDER BY sum(v) DESC, cw.k LIMIT 20');
SELECT jc('SELECT cw.k, w, x, count(*) FROM cf LEFT JOIN cw ON a = cw.k GROUP BY cw.k');
SELECT jc('SELECT cw.k, c, n, d, count(*) FROM cf LEFT JOIN cw ON a = cw.k GROUP BY cw.k ORDER BY c DESC, n DESC, cw.k LIMIT 9');
SELECT jc('SELECT cw.k, count(*) FROM cf JOIN cw ON a = cw.k GROUP BY cw.k HAVING w LIKE ''%77'' AND sum(v) > 100');
SELECT jc('SELECT upper(w) || x, ci.k, name, sum(v) FROM cf JOIN cw ON a = cw.k JOIN ci ON c = ci.k GROUP BY cw.k, ci.k ORDER BY w DESC LIMIT 7');
SELECT jc('SELECT cw.k, w, count(DISTINCT v) FROM cf JOIN cw ON a = cw.k GROUP BY cw.k');
-- not without the key; not of the key of another one; in a cursor, while rows change
SELECT jc('SELECT w, count(*) FROM cf JOIN cw ON a = cw.k GROUP BY w');
SELECT jc('SELECT y.k, y.w, z.w, count(*) FROM cf JOIN cw y ON a = y.k JOIN cw z ON v = z.k GROUP BY y.k, z.w');
BEGIN;
SET LOCAL gpuagg.debug_require = 'require';
DECLARE cc CURSOR FOR SELECT cw.k, w, sum(v) FROM cf JOIN cw ON a = cw.k WHERE c = 7 GROUP BY cw.k;
CREATE TEMP TABLE cfirst AS SELECT 0::int8 AS k, ''::text AS w;
FETCH 0 FROM cc;
UPDATE cw SET w = 'changed' WHERE c = 7;
RESET gpuagg.debug_require;
DO $$
DECLARE
	cc refcursor := 'cc';
	one record;
	changed int := 0;
	n int := 0;
BEGIN
	LOOP
		FETCH cc INTO one;
		EXIT WHEN NOT FOUND;
		n := n + 1;
		changed := changed + (one.w <> 'wide ' || one.k)::int;
	END LOOP;
	RAISE WARNING '% groups, % of them changed', n, changed;
END $$;
SELECT jc('SELECT cw.k, w, sum(v) FROM cf JOIN cw ON a = cw.k WHERE c = 7 GROUP BY cw.k');
ROLLBACK;
-- IN and NOT IN of subqueries whose rows are kept columns: without NULLs, with some, empty ones, strings
SELECT jc('SELECT t, count(*) FROM cf WHERE a NOT IN (SELECT k FROM ci WHERE name LIKE ''Name 1%'') GROUP BY 1');
SELECT jc('SELECT t, count(*), count(*) FILTER (WHERE v IN (SELECT k FROM ci WHERE city = ''city 4'')) FROM cf GROUP BY 1');
SELECT jc('SELECT t, count(*) FROM cf WHERE a NOT IN (SELECT k FROM ci WHERE name = ''none'') GROUP BY 1');
SELECT jc('SELECT count(*) FROM cf WHERE a NOT IN (SELECT r FROM ci WHERE k < 30) OR v = 3');
SELECT jc('SELECT count(*) FROM cf WHERE t NOT IN (SELECT w FROM cw WHERE k < 1000) OR v = 3');
SELECT jc('SELECT count(*) FROM cf WHERE a NOT IN (SELECT DISTINCT k FROM ci WHERE r < 9) OR v = 3');
SELECT jc('SELECT count(*) FROM cf WHERE a NOT IN (SELECT k FROM ci WHERE r > (SELECT min(r) + 5 FROM ci)) OR v = 3');
SELECT jc('SELECT count(*) FROM cf WHERE a NOT IN (SELECT ci.k FROM ci JOIN cw ON ci.k = c) OR v = 3');
PREPARE cn (int) AS SELECT count(*) FROM cf WHERE a NOT IN (SELECT k FROM ci WHERE r > $1) OR v = 3;
EXECUTE cn(4);
EXECUTE cn(NULL);
SET gpuagg.enable = off;
EXECUTE cn(4);
EXECUTE cn(NULL);
RESET gpuagg.enable;
UPDATE ci SET k = k + 100000 WHERE name = 'Name 12';
SELECT jc('SELECT t, count(*) FROM cf WHERE a NOT IN (SELECT k FROM ci WHERE name LIKE ''Name 1%'') GROUP BY 1');
-- the key goes, and with it the plan
PREPARE ck AS SELECT cw.k, w, sum(v) FROM cf JOIN cw ON a = cw.k GROUP BY cw.k, w ORDER BY sum(v) DESC, cw.k LIMIT 2;
EXECUTE ck;
ALTER TABLE cw DROP CONSTRAINT cw_pkey;
EXECUTE ck;
ALTER TABLE cw ADD UNIQUE (k);
VACUUM (FREEZE, ANALYZE) cw;
EXECUTE ck;
DROP FUNCTION jc(text), jc_inputs(text);
DROP TABLE cf, ci, cw;
