--
-- Groups that are wanted: LIMIT, ORDER BY, HAVING.
--
\a
\t on
CREATE TABLE tn (id int4, g int4, h int8, t text COLLATE "C", c char(12) COLLATE "C", d date, f float8,
				 r float4, b bool, u uuid, v int8, w int4, ts timestamp);
INSERT INTO tn
SELECT i, CASE WHEN i % 97 > 0 THEN i % 1600 - 800 END,
	   CASE WHEN i % 89 > 0 THEN (i % 1001)::int8 * 3000000019 - 4500000000000 END,
	   CASE WHEN i % 83 > 0 THEN repeat('ab', i % 9) || i % 300 END,
	   CASE WHEN i % 79 > 0 THEN substr(md5((i % 400)::text), 1, i % 7) || repeat(' ', i % 3) END,
	   CASE WHEN i % 73 > 0 THEN date '1999-12-01' + i % 450 END,
	   CASE i % 1200 WHEN 0 THEN 'nan' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'inf' WHEN 4 THEN '-inf'
		   WHEN 5 THEN NULL ELSE (i % 1200 - 600) / 7.0 END,
	   (i % 613) / 3.0, CASE WHEN i % 3 > 0 THEN i % 2 = 0 END, md5((i % 500)::text)::uuid,
	   CASE WHEN i % 11 > 0 THEN (i % 977)::int8 * (i % 977) * 1000003 * CASE WHEN i % 2 = 0 THEN 1 ELSE -1 END END,
	   CASE WHEN i % 7 > 0 THEN (i * 7919) % 100003 - 50000 END,
	   timestamp '2001-01-01' + i % 777 * interval '1 hour'
FROM generate_series(1, 20000) i;
ANALYZE tn;

-- every order, in both directions, NULLs at both ends, several limits; ids part ties
CREATE TEMP TABLE orders AS
SELECT k AS key, o AS ord, row_number() OVER () AS n
FROM unnest(ARRAY['g', 'h', 't', 'c', 'd', 'f', 'b', 'u', 'ts', 'r', 'g % 100']) k,
	 unnest(ARRAY['k', 'count(*)', 'count(v)', 'sum(w)', 'sum(v)', 'avg(w)', 'avg(v)', 'min(w)', 'max(v)',
				  'min(t)', 'max(t)', 'max(d)', 'bool_and(b)', 'min(r)', 'max(r)', 'bit_or(w)']) o;
SELECT key, ord, dir, x FROM (
	SELECT key, ord, dir, n, compare(format(
		'SELECT %s AS k, count(*), sum(w) FROM tn GROUP BY 1 ORDER BY %s %s, 1 LIMIT %s OFFSET %s',
		key, CASE ord WHEN 'k' THEN '1' ELSE ord END, dir, 1 + n % 23, n % 5 * 3), 'prefer') AS x
	FROM orders, unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) dir) y
WHERE x NOT LIKE 'ok%' ORDER BY n, dir;

-- that is what ran
CREATE FUNCTION wanted(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM prefer_device();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		line := substring(line FROM '^ *(Device Top-N: .*|Device Having: .*|Groups: .*|Groups Returned: .*)$');
		IF line IS NOT NULL THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END
$$;
SELECT wanted('SELECT g, count(*) FROM tn GROUP BY g ORDER BY count(*) DESC, g LIMIT 7 OFFSET 3');
SELECT wanted('SELECT g, sum(w) FROM tn GROUP BY g ORDER BY sum(w) NULLS FIRST, g LIMIT 7');
SELECT wanted('SELECT g, h, sum(w) FROM tn GROUP BY g, h ORDER BY g DESC NULLS LAST, sum(w), h LIMIT 11');
SELECT wanted('SELECT t FROM tn GROUP BY t ORDER BY t LIMIT 5');
SELECT wanted('SELECT g FROM tn GROUP BY g LIMIT 12');
SELECT wanted('SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > 12 AND sum(w) < 100000');
SELECT wanted('SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > 11 ORDER BY sum(v) DESC, g LIMIT 4');
-- an average is rounded, and ties of it may follow in any order
SELECT wanted('SELECT g, avg(w) FROM tn GROUP BY g ORDER BY avg(w), g LIMIT 4');

-- ties at the limit; a beginning of the order
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g % 100 AS k, count(*) FROM tn GROUP BY 1 ORDER BY count(*) DESC FETCH FIRST 3 ROWS WITH TIES',
	'SELECT d, count(*) FROM tn GROUP BY d ORDER BY count(*) FETCH FIRST 40 ROWS WITH TIES',
	'SELECT t, max(w) FROM tn GROUP BY t ORDER BY substr(t, 1, 3), max(w) DESC, t LIMIT 10',
	'SELECT t, max(w) FROM tn GROUP BY t ORDER BY max(w) DESC, t COLLATE "POSIX" LIMIT 10',
	'SELECT b, g, count(*) FROM tn GROUP BY b, g ORDER BY b, count(*) DESC, md5(g::text) LIMIT 10',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY count(*) + 0, g LIMIT 10']) q;

-- limits of all kinds
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 0',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 1',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT NULL',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT ALL OFFSET 1590',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 10 OFFSET NULL',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 10 OFFSET 1595',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 10 OFFSET 1000000',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 9223372036854775807',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 9223372036854775807 OFFSET 9223372036854775807',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 100000',
	'SELECT id, count(*) FROM tn GROUP BY id ORDER BY id DESC LIMIT 15000',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT -1',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT 3 OFFSET -2',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT (SELECT 3 + count(*) FROM tn WHERE g = 5)',
	'SELECT g, count(*) FROM tn GROUP BY g ORDER BY g LIMIT (SELECT 1 / (count(*) - count(*)) FROM tn)',
	'SELECT count(*) FROM (SELECT g FROM tn GROUP BY g LIMIT 17) x',
	'SELECT count(*) FROM (SELECT g FROM tn GROUP BY g LIMIT 17 OFFSET 1600) x',
	'SELECT count(*) FROM (SELECT g FROM tn GROUP BY g HAVING count(*) = 12 LIMIT 17) x',
	'SELECT count(*), sum(w) FROM tn LIMIT 1',
	'SELECT count(*) FROM tn HAVING count(*) > 30000 LIMIT 1']) q;

-- HAVING: each comparison, both ways around, of each kind of number
SELECT q, x FROM (
	SELECT q, compare(q, 'prefer') AS x
	FROM unnest(ARRAY['count(*)', 'sum(w)', 'sum(v)', 'min(w)', 'max(v)', 'k', 'count(v)', 'avg(v)', 'avg(w)', 'bit_or(w)']) s,
		 unnest(ARRAY['=', '<>', '<', '<=', '>', '>=']) o, unnest(ARRAY['12', '-3000', '1000003::int8', '2::int2', '11.5', '-1000002.25']) c,
		 unnest(ARRAY[format('SELECT g AS k, count(*) FROM tn GROUP BY 1 HAVING %s %s %s', replace(s, 'k', 'g'), o, c),
					  format('SELECT g AS k, count(*) FROM tn GROUP BY 1 HAVING %s %s %s ORDER BY max(w) DESC, 1 LIMIT 5',
							 c, o, replace(s, 'k', 'g'))]) q) y
WHERE x NOT LIKE 'ok%';
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT d, count(*) FROM tn GROUP BY d HAVING d > ''2001-01-01'' AND count(*) > 65',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING min(d) = ''1999-12-01''',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING max(ts) < ''2001-02-01''::timestamp',
	'SELECT f, count(*) FROM tn GROUP BY f HAVING f > 80',
	'SELECT f, count(*) FROM tn GROUP BY f HAVING f = 0',
	'SELECT f, count(*) FROM tn GROUP BY f HAVING f >= ''nan'' OR f < -80',
	'SELECT g, max(r) FROM tn GROUP BY g HAVING max(r) > 203::float4 AND min(r) <= 3',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING sum(v) > 500000000000000.5',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING sum(v) > 99999999999999999999999999',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING sum(v) < ''nan''',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > (SELECT 11)',
	'SELECT g, count(*) FROM tn WHERE id < 0 GROUP BY g HAVING count(*) > (SELECT 1 / (id - id) FROM tn LIMIT 1)',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > 11 AND g IN (1, 2, 3)',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > 11 AND count(*) < 13 AND g > 0 AND g < 100 AND sum(w) > 0 AND max(w) > 0 AND min(w) < 0 AND sum(v) IS NOT NULL AND max(v) > 0 AND min(v) < 0']) q;

-- a constant with more decimals than the sum
SELECT wanted(format('SELECT g, sum(v) FROM tn GROUP BY g HAVING sum(v) %s %s', o, c))
FROM unnest(ARRAY['<', '<=', '>', '>=']) o, unnest(ARRAY['11.5', '-1000002.25']) c;
SELECT wanted('SELECT g, sum(v) FROM tn GROUP BY g HAVING sum(v) <> 11.5');
-- totals of sub-selects, which are run before the groups
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, sum(v) FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v) * 0.0001 FROM tn)',
	'SELECT g, sum(v) FROM tn GROUP BY g HAVING sum(v) <= (SELECT avg(v) FROM tn WHERE w > 0)',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING (SELECT count(*) / 1700 FROM tn) < count(*)',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING min(w) > (SELECT min(w) FROM tn WHERE id < 0)',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING max(d) >= (SELECT max(d) FROM tn) ORDER BY count(*), g LIMIT 7',
	'SELECT x, (SELECT count(*) FROM (SELECT g FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v) * x FROM tn)) y) FROM unnest(ARRAY[0.01, -0.01, 0]) x',
	'SELECT g, count(*) FROM tn WHERE id < 0 GROUP BY g HAVING sum(v) > (SELECT sum(v / (w - w)) FROM tn)']) q;
SELECT wanted('SELECT g FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v) * 0.0001 FROM tn)');
SELECT wanted('SELECT g FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v) * 0.0001 FROM tn) ORDER BY sum(v), g LIMIT 5');
-- one that may fail, has rows, or has a sub-select itself, is run when a group asks for it
SELECT q, (SELECT string_agg(x, ', ') FROM wanted(q) x) FROM unnest(ARRAY[
	'SELECT g FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v / nullif(w, 0)) FROM tn)',
	'SELECT g FROM tn GROUP BY g HAVING sum(v) > (SELECT sum(v) FROM tn GROUP BY id LIMIT 1)',
	'SELECT g FROM tn GROUP BY g HAVING count(*) > (SELECT count(*) FROM tn WHERE id < (SELECT 10 / (1 + count(*)) FROM tn))']) q;

-- of groups that the device makes of finer ones, as DISTINCT wants them
SELECT key, ord, dir, x FROM (
	SELECT key, ord, dir, n, compare(format(
		'SELECT %s AS k, count(DISTINCT w), sum(w) FROM tn WHERE id > 9 GROUP BY 1 ORDER BY %s %s, 1 LIMIT %s OFFSET %s',
		key, CASE ord WHEN 'k' THEN '1' ELSE ord END, dir, 1 + n % 23, n % 5 * 3), 'prefer') AS x
	FROM (SELECT k AS key, o AS ord, row_number() OVER () AS n
		FROM unnest(ARRAY['g', 'h', 't', 'c', 'd', 'b', 'u', 'ts', 'g % 100']) k,
			 unnest(ARRAY['k', 'count(DISTINCT w)', 'sum(DISTINCT w)', 'count(*)', 'sum(w)', 'sum(v)', 'avg(w)', 'avg(v)', 'min(w)', 'max(v)',
						  'max(t)', 'max(d)', 'min(f)']) o) orders, unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) dir) y
WHERE x NOT LIKE 'ok%' ORDER BY n, dir;
SELECT q, x FROM (
	SELECT q, compare(q, 'prefer') AS x
	FROM unnest(ARRAY['count(DISTINCT w)', 'sum(DISTINCT w)', 'count(*)', 'sum(w)', 'max(v)', 'k', 'avg(w)']) s,
		 unnest(ARRAY['=', '<>', '<', '<=', '>', '>=']) o, unnest(ARRAY['11', '-3000', '11.5']) c,
		 unnest(ARRAY[format('SELECT g AS k, count(DISTINCT w) FROM tn GROUP BY 1 HAVING %s %s %s', replace(s, 'k', 'g'), o, c),
					  format('SELECT g AS k, count(DISTINCT w) FROM tn GROUP BY 1 HAVING %s %s %s ORDER BY max(w) DESC, 1 LIMIT 5',
							 c, o, replace(s, 'k', 'g'))]) q) y
WHERE x NOT LIKE 'ok%';
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT t, count(DISTINCT w) FROM tn GROUP BY t ORDER BY 2 DESC, t COLLATE "POSIX" LIMIT 10',
	'SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY 2 DESC FETCH FIRST 3 ROWS WITH TIES',
	'SELECT g, count(DISTINCT w), count(DISTINCT v) FROM tn GROUP BY g ORDER BY 2 DESC, 3, 1 LIMIT 9',
	'SELECT g, count(DISTINCT w), count(DISTINCT d) FROM tn GROUP BY g HAVING count(DISTINCT d) > 10 ORDER BY 3, 1 LIMIT 9',
	'SELECT g, count(DISTINCT w), avg(f) FROM tn GROUP BY g ORDER BY 2, 1 LIMIT 9',
	'SELECT g, count(DISTINCT w), sum(f) FROM tn WHERE f BETWEEN -50 AND 50 GROUP BY g ORDER BY sum(f) IS NULL, 2, 1 LIMIT 9',
	'SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY g LIMIT 0',
	'SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY g LIMIT 10 OFFSET 1595',
	'SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY 2, 1 LIMIT (SELECT 3 + count(*) FROM tn WHERE g = 5)',
	'SELECT g, count(DISTINCT w) FILTER (WHERE b) FROM tn GROUP BY g ORDER BY 2 DESC, 1 LIMIT 4',
	'SELECT b, c, count(DISTINCT w) FROM tn GROUP BY GROUPING SETS ((b), (c), ()) ORDER BY 3 DESC, 1, 2 LIMIT 4',
	'SELECT date_trunc(''month'', d) AS m, count(DISTINCT w) FROM tn GROUP BY 1 ORDER BY 1 DESC LIMIT 4',
	'SELECT count(DISTINCT w) FROM tn LIMIT 1']) q;
SELECT wanted('SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY 2 DESC, 1 LIMIT 7');
SELECT wanted('SELECT g, count(DISTINCT w) FROM tn GROUP BY g HAVING count(DISTINCT w) > 11 AND sum(w) < 100000');
SELECT wanted('SELECT t COLLATE "C" AS k, count(DISTINCT w) FROM tn GROUP BY 1 HAVING sum(v) > 0 ORDER BY 1 LIMIT 7');
SET gpuagg.debug_regroup = off;
SELECT wanted('SELECT g, count(DISTINCT w) FROM tn GROUP BY g ORDER BY 2 DESC, 1 LIMIT 7');
RESET gpuagg.debug_regroup;

-- what would be an error of a group that nobody wants is PostgreSQL's
INSERT INTO tn (id, g, f, r) SELECT 100000 + i, 777777, 1.7e308, 3e38 FROM generate_series(1, 3) i;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, sum(f) FROM tn WHERE f < ''inf'' GROUP BY g ORDER BY g LIMIT 3',
	'SELECT g, avg(f) FROM tn WHERE f < ''inf'' GROUP BY g ORDER BY count(*) DESC, g LIMIT 3',
	'SELECT g, sum(r) FROM tn GROUP BY g HAVING count(*) > 10',
	'SELECT g, sum(f) FROM tn WHERE f > 0 AND f < ''inf'' AND g < 777777 GROUP BY g ORDER BY g LIMIT 3',
	'SELECT g, max(r) FROM tn WHERE g < 777777 GROUP BY g ORDER BY max(r) DESC, g LIMIT 3']) q;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, 1 / (count(*) - 12) FROM tn GROUP BY g ORDER BY g LIMIT 1',
	'SELECT g, 1 / (g - 790) FROM tn WHERE g > 780 GROUP BY g ORDER BY g LIMIT 1',
	'SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) > 100 AND 1 / (g - 790) > 0',
	'SELECT g, generate_series(1, 2) FROM tn GROUP BY g ORDER BY g LIMIT 3',
	'SELECT g, generate_series(1, g % 2) FROM tn WHERE g > 0 GROUP BY g ORDER BY g LIMIT 3',
	'SELECT g, row_number() OVER (ORDER BY g DESC) FROM tn GROUP BY g ORDER BY g LIMIT 3',
	'SELECT DISTINCT count(*) FROM tn GROUP BY g ORDER BY 1 LIMIT 3',
	'SELECT DISTINCT 1 / (g - 790) FROM tn WHERE g > 780 LIMIT 1',
	'SELECT x.g, n FROM (SELECT g, count(*) AS n FROM tn GROUP BY g ORDER BY n DESC, g LIMIT 5) x JOIN tn ON tn.id = x.n ORDER BY 1']) q;

-- DISTINCT is a grouping without aggregates
SELECT q, compare(q, 'require') FROM unnest(ARRAY[
	'SELECT DISTINCT g FROM tn',
	'SELECT DISTINCT t, c FROM tn WHERE g > 0',
	'SELECT DISTINCT f FROM tn WHERE f <> 0 OR f IS NULL',
	'SELECT DISTINCT g % 7, b FROM tn',
	'SELECT DISTINCT d, 5 FROM tn',
	'SELECT DISTINCT g + 1 FROM tn WHERE id < 0',
	'SELECT DISTINCT g FROM tn ORDER BY g LIMIT 7',
	'SELECT DISTINCT g FROM tn ORDER BY g DESC NULLS LAST LIMIT 7 OFFSET 2',
	'SELECT DISTINCT b, g FROM tn ORDER BY b, g DESC FETCH FIRST 5 ROWS WITH TIES',
	'SELECT h IS NULL FROM (SELECT DISTINCT h FROM tn WHERE h IS NULL LIMIT 9) x']) q;
SELECT wanted('SELECT DISTINCT h, b FROM tn ORDER BY b, h DESC LIMIT 6');
SELECT wanted('SELECT DISTINCT h FROM tn LIMIT 6');
-- these are PostgreSQL's
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT DISTINCT ON (g) g, b FROM tn ORDER BY g, b',
	'SELECT DISTINCT v / g FROM tn WHERE g <> 0',
	'SELECT DISTINCT generate_series(1, g % 3) FROM tn',
	'SELECT DISTINCT tn.g FROM tn JOIN tn x USING (id)',
	'SELECT DISTINCT g, count(*) OVER () FROM tn WHERE g < -700']) q;
SELECT * FROM gpuagg.why_not('SELECT DISTINCT ctid FROM tn');
-- prepared statements, parameters of a limit, rescans with others
SELECT prefer_device();
PREPARE top(int8, int8, int8) AS SELECT g, count(*) FROM tn GROUP BY g HAVING count(*) < $3 ORDER BY count(*) DESC, g LIMIT $1 OFFSET $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE top(2, 0, 100);
EXECUTE top(3, 1, 12);
EXECUTE top(NULL, 1598, 100);
EXECUTE top(2, 0, NULL);
RESET plan_cache_mode;
SELECT n, x.* FROM generate_series(1, 3) n, LATERAL (SELECT g, count(*) FROM tn GROUP BY g ORDER BY count(*) DESC, g LIMIT n) x ORDER BY 1, 3 DESC, 2;
-- a cursor fetches and goes back
BEGIN;
DECLARE cu SCROLL CURSOR FOR SELECT h, count(*) FROM tn GROUP BY h ORDER BY count(*) DESC, h LIMIT 5;
FETCH 2 FROM cu;
FETCH BACKWARD 1 FROM cu;
FETCH ALL FROM cu;
COMMIT;

-- a security barrier's own conditions come first
CREATE VIEW tn_view WITH (security_barrier) AS SELECT g, w FROM tn WHERE g > 0;
SELECT compare('SELECT g, sum(w) FROM tn_view GROUP BY g ORDER BY sum(w) DESC, g LIMIT 5', 'try');

-- windows of the hash space each return their own; groups in several tables
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = 64;
SELECT compare('SELECT id, sum(w) FROM tn GROUP BY id ORDER BY sum(w) DESC, id LIMIT 9', 'prefer');
SELECT compare('SELECT count(*) FROM (SELECT id FROM tn GROUP BY id LIMIT 13) x', 'prefer');
SET gpuagg.strategy = 'partitioned';
SELECT compare('SELECT id, sum(w) FROM tn GROUP BY id ORDER BY sum(w) DESC, id LIMIT 9', 'prefer');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
-- columns that stay: strings are codes
VACUUM tn;
SELECT gpuagg.load('tn') > 0 AS loaded;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT t, count(*) FROM tn GROUP BY t ORDER BY count(*) DESC, t LIMIT 5',
	'SELECT t, count(*) FROM tn GROUP BY t ORDER BY t LIMIT 5',
	'SELECT t, count(*) FROM tn GROUP BY t HAVING count(*) > 86 ORDER BY sum(w), t DESC LIMIT 5']) q;
SELECT wanted('SELECT t, count(*) FROM tn GROUP BY t ORDER BY count(*) DESC, max(w), t LIMIT 5');
DROP TABLE tn CASCADE;

-- strings that begin alike, as addresses do, and columns behind them
CREATE TABLE tu (id int4, t text COLLATE "C", c char(90) COLLATE "C", g int4, f float8);
INSERT INTO tu
SELECT i, CASE WHEN i % 31 > 0 THEN 'https://www.example.org/' ||
						   substr('a/part/of/an/address/that/is/not/short', 1, i % 39) || i % 1000 END,
	   CASE i % 3 WHEN 0 THEN rpad('sixty-four bytes', 62, '.') || i % 100 || repeat(' ', i % 3)
		   ELSE rpad('more bytes than words tell', 64, '.') || i % 700 END,
	   i % 400, (ARRAY['nan', '-0', 'inf', '0']::float8[])[1 + i % 4]
FROM generate_series(1, 12000) i;
ANALYZE tu;
CREATE TEMP TABLE tu_query AS SELECT row_number() OVER () AS n, q FROM unnest(ARRAY[
	'SELECT t, count(*) FROM tu GROUP BY t ORDER BY t LIMIT 5',
	'SELECT t, count(*) FROM tu GROUP BY t ORDER BY t DESC NULLS LAST LIMIT 5 OFFSET 7',
	'SELECT t, count(*) FROM tu GROUP BY t ORDER BY count(*) DESC, t LIMIT 5',
	'SELECT t, g, count(*) FROM tu GROUP BY t, g ORDER BY t, g DESC LIMIT 5',
	'SELECT t, g, avg(id) FROM tu GROUP BY t, g ORDER BY t, avg(id), g LIMIT 5',
	'SELECT g, t, min(t), max(t) FROM tu GROUP BY g, t ORDER BY max(t) DESC, min(t), g LIMIT 5',
	'SELECT c, count(*) FROM tu GROUP BY c ORDER BY c DESC LIMIT 5',
	'SELECT c, g, count(*) FROM tu WHERE c LIKE ''s%'' GROUP BY c, g ORDER BY c, g LIMIT 5',
	'SELECT t, count(*) FROM tu GROUP BY t ORDER BY count(*), t FETCH FIRST 5 ROWS WITH TIES',
	'SELECT DISTINCT t, g FROM tu ORDER BY t DESC, g LIMIT 5',
	-- cut off, all that begin alike come back
	'SELECT c, count(*) FROM tu GROUP BY c ORDER BY c LIMIT 5',
	'SELECT c, g, count(*) FROM tu WHERE c LIKE ''m%'' GROUP BY c, g ORDER BY c DESC, g LIMIT 5']) q;
SELECT q, compare(q, 'prefer') FROM tu_query ORDER BY n;
SELECT n, wanted(q) FROM tu_query ORDER BY n;
VACUUM tu;
SELECT gpuagg.load('tu') > 0 AS loaded;
SELECT q FROM tu_query WHERE compare(q, 'prefer') NOT LIKE 'ok%' ORDER BY n;
SELECT n, w FROM tu_query, wanted(q) w WHERE w LIKE 'Groups Returned%' ORDER BY n;

-- NaN, infinities and zeros of both signs at the limit; ties that nothing parts
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, max(f) FROM tu GROUP BY g ORDER BY max(f) DESC, g LIMIT 150',
	'SELECT g, min(f) FROM tu GROUP BY g ORDER BY min(f), g LIMIT 250',
	'SELECT f, g, count(*) FROM tu GROUP BY f, g ORDER BY f, g DESC LIMIT 150',
	'SELECT f + 0, count(*) FROM tu GROUP BY f ORDER BY f DESC FETCH FIRST 1 ROW WITH TIES',
	'SELECT g, max(f) FROM tu GROUP BY g ORDER BY max(f) FETCH FIRST 3 ROWS WITH TIES',
	'SELECT g, sum(f) FROM tu GROUP BY g ORDER BY g DESC LIMIT 2',
	'SELECT g, sum(f) FROM tu WHERE f = 0 GROUP BY g ORDER BY sum(f), g LIMIT 2',
	'SELECT n FROM (SELECT count(*) AS n FROM tu GROUP BY t ORDER BY n DESC LIMIT 37) x',
	'SELECT n FROM (SELECT t, count(*) AS n FROM tu GROUP BY t ORDER BY t IS NULL, n LIMIT 37) x']) q;

-- rescans with other limits and offsets; a barrier above a limit; DISTINCT under another grouping
CREATE VIEW tu_view WITH (security_barrier) AS
SELECT g, count(*) AS n, max(id) AS m FROM tu GROUP BY g ORDER BY m DESC, g LIMIT 9 OFFSET 2;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT n, x.* FROM generate_series(0, 4) n, LATERAL (SELECT g, count(*) AS m FROM tu WHERE id > 30 GROUP BY g ORDER BY m, g LIMIT n OFFSET 4 - n) x',
	'SELECT n, x.* FROM unnest(ARRAY[2, NULL, 0, 399, 1]) n, LATERAL (SELECT g, max(id) AS m FROM tu GROUP BY g ORDER BY m DESC LIMIT 2 OFFSET n) x',
	'SELECT n, (SELECT sum(m) FROM (SELECT g, count(*) AS m FROM tu GROUP BY g ORDER BY g LIMIT n) x) FROM generate_series(0, 5) n',
	'SELECT * FROM tu_view WHERE 1 / (m - 5) < 1',
	'SELECT count(*), sum(g) FROM (SELECT DISTINCT g FROM tu ORDER BY g DESC LIMIT 7) x']) q;
DROP TABLE tu CASCADE;

-- days of timestamptz as the first column of the order, intervals, decimals without a scale, minima of char(n)
CREATE TABLE tx AS
SELECT i AS id, i % 700 AS g, timestamptz '2011-12-20 12:00+00' + i % 3000 * interval '7 hours' AS tz, date '2011-12-20' + i % 300 AS d,
	   CASE i % 9 WHEN 0 THEN interval '1 mon' WHEN 1 THEN interval '30 days' WHEN 2 THEN NULL ELSE i % 500 * interval '37 min' END AS iv,
	   CASE i % 5 WHEN 0 THEN 1.50 WHEN 1 THEN 1.5 WHEN 2 THEN NULL ELSE i % 333 * 0.25 END::numeric AS m, (CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'a  ' ELSE 'b' || i % 300 END)::bpchar COLLATE "C" AS c
FROM generate_series(1, 12000) i;
ANALYZE tx;
CREATE TEMP TABLE tx_query AS SELECT row_number() OVER () AS n, q FROM unnest(ARRAY[
	'SELECT date_trunc(''day'', tz), count(*), sum(m) FROM tx GROUP BY 1 ORDER BY 1 DESC LIMIT 5',
	'SELECT date_trunc(''week'', tz), g, count(*) FROM tx GROUP BY 1, 2 ORDER BY 1, 2 DESC LIMIT 5 OFFSET 2',
	'SELECT date_trunc(''month'', tz) AS k, min(iv), count(*) FROM tx GROUP BY 1 ORDER BY k NULLS FIRST, 2 LIMIT 3',
	'SELECT iv IS NULL, iv > ''1 day'', count(*) FROM tx GROUP BY iv ORDER BY iv DESC NULLS LAST LIMIT 4',
	'SELECT iv = ''1 mon'', g, count(*) FROM tx GROUP BY iv, g ORDER BY iv, g LIMIT 4',
	'SELECT g, max(m) > 2 FROM tx GROUP BY g ORDER BY max(m) DESC, g LIMIT 5', 'SELECT g, min(m) > 1.5 FROM tx GROUP BY g HAVING min(m) > 1.4 ORDER BY min(m), g LIMIT 5',
	'SELECT g, count(*) FROM tx GROUP BY g HAVING max(m) = 1.5', 'SELECT g, max(c) = ''x'', min(c) = ''a'' FROM tx GROUP BY g ORDER BY min(c), max(c) DESC, g LIMIT 5',
	'SELECT g, max(iv) = ''1 mon'' FROM tx GROUP BY g ORDER BY g LIMIT 3',
	-- not: an order that begins with something else, dates, intervals that look differently
	'SELECT date_trunc(''day'', tz), count(*) FROM tx GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5', 'SELECT date_trunc(''day'', tz), count(*) FROM tx GROUP BY 1 HAVING count(*) > 3 ORDER BY 1 LIMIT 5',
	'SELECT date_trunc(''day'', d), count(*) FROM tx GROUP BY 1 ORDER BY 1 LIMIT 5', 'SELECT g, max(iv) = ''1 mon'' FROM tx GROUP BY g ORDER BY max(iv), g LIMIT 3']) q;
SELECT n, compare(q, 'prefer'), string_agg(substring(w FROM '^\S+ \S+'), ', ' ORDER BY w) FROM tx_query LEFT JOIN LATERAL wanted(q) w ON w LIKE 'Device%' GROUP BY n, q ORDER BY n;
-- zones: summer time, a day that was left out, offsets with seconds
SELECT z, n, r FROM unnest(ARRAY['Europe/Berlin', 'Pacific/Apia', 'Africa/Monrovia', 'America/Sao_Paulo', 'UTC']) WITH ORDINALITY x(z, o), tx_query,
	LATERAL set_config('TimeZone', z, true), LATERAL compare(q, 'prefer') r WHERE n < 4 AND r NOT LIKE 'ok%' ORDER BY o, n;
RESET TimeZone;
DROP TABLE tx;
-- zeros at the end of a bytea
CREATE TABLE tz (b bytea, t text);
INSERT INTO tz SELECT decode(repeat('00', i % 5) || CASE WHEN i % 3 = 0 THEN '01' ELSE '' END || repeat('00', i % 7 % 3), 'hex'), 'x' FROM generate_series(1, 2000) i;
SELECT q, compare(q, 'prefer') FROM (SELECT format('SELECT b, count(*) FROM tz GROUP BY b ORDER BY b %s LIMIT %s', d, n) AS q FROM unnest('{ASC,DESC}'::text[]) d, unnest('{1,2,5,9}'::int[]) n) x;
SELECT compare('SELECT t, b, count(*) FROM tz GROUP BY t, b ORDER BY t, b LIMIT 3', 'prefer');
DROP TABLE tz;
