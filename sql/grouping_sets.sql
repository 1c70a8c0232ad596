--
-- GROUPING SETS, ROLLUP, CUBE: the device groups by all keys, and each set is made of that.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TABLE gs AS
SELECT i AS id, i % 7 AS a, CASE WHEN i % 11 > 0 THEN i % 13 END AS b, CASE i % 5 WHEN 0 THEN NULL ELSE 'text that is long ' || i % 9 END AS t,
	   (i % 40)::int8 * 5000000000 AS big, (i % 300 / 4.0)::numeric(8, 2) AS n, (i % 30) / 8.0::float8 AS f,
	   '2020-01-01'::date + i % 90 AS d, '2020-03-20'::timestamptz + i % 50 * interval '7 h' AS z, i % 3 = 0 AS p, (i % 4)::text::varchar AS v
FROM generate_series(1, 10000) i;
INSERT INTO gs (id, a) SELECT i, NULL FROM generate_series(10001, 10020) i;
VACUUM ANALYZE gs;
CREATE TABLE gs_empty (LIKE gs);

SELECT s, compare(format('SELECT a, b, t, count(*), sum(big), avg(n), min(id), max(d), sum(f), bool_or(p), min(t COLLATE "C"), max(t) FROM gs GROUP BY %s', s)),
	   compare(format('SELECT a, b, t, count(*), sum(id), count(n) FILTER (WHERE p), sum(n) FROM gs_empty GROUP BY %s', s)),
	   compare(format('SELECT a, b, t, GROUPING(a), GROUPING(a, b, t), GROUPING(t, a), count(*) FROM gs WHERE id %% 3 = 1 GROUP BY %s', s)),
	   compare(format('SELECT a, b, t, count(DISTINCT n), count(DISTINCT t), sum(DISTINCT id %% 10), count(*) FROM gs GROUP BY %s', s))
FROM unnest(ARRAY['ROLLUP (a, b, t)', 'CUBE (a, b, t)', 'GROUPING SETS ((a), (b), (a, t), (a, b))', 'GROUPING SETS ((a, b, t), (a, b, t), (), ())', 'a, ROLLUP (b, t)',
	'ROLLUP (a, b), ROLLUP (a, t)', 'DISTINCT ROLLUP (a, b), ROLLUP (a, t)', 'ROLLUP ((a, b), t)', 'GROUPING SETS (a, b, t, ROLLUP (a, b), CUBE (b, t))']) s;

-- the same by the backend alone
SET gpuagg.debug_regroup = off;
SELECT s, compare(format('SELECT a, b, t, GROUPING(a), GROUPING(t, a), count(*), sum(big), avg(n), min(t COLLATE "C") FROM gs GROUP BY %s', s))
FROM unnest(ARRAY['ROLLUP (a, b, t)', 'GROUPING SETS ((a, b, t), (a, b, t), (), ())', 'GROUPING SETS (a, b, t, ROLLUP (a, b), CUBE (b, t))']) s;
RESET gpuagg.debug_regroup;
-- strings that are codes on the device
SELECT gpuagg.load('gs') > 0;
SELECT s, compare(format('SELECT a, t, v, GROUPING(t), count(*), sum(n), max(big) FROM gs GROUP BY %s', s))
FROM unnest(ARRAY['ROLLUP (t, v, a)', 'CUBE (v, t), a', 'GROUPING SETS ((a), (t, v), ())']) s;

-- keys that are expressions, dates of moments, what stands above
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT date_trunc(''day'', z), a, count(*) FROM gs GROUP BY ROLLUP (1, 2)',
	'SELECT a % 3, a % 3 + 1, b + 1, count(*) FROM gs GROUP BY CUBE (a % 3, b + 1)',
	'SELECT a, coalesce(b, -1), GROUPING(b), sum(n) FROM gs GROUP BY ROLLUP (a, b) HAVING count(*) > 50 AND GROUPING(a) = 0',
	'SELECT a, b, sum(n), rank() OVER (PARTITION BY GROUPING(a, b) ORDER BY sum(n) DESC, a, b) FROM gs GROUP BY ROLLUP (a, b)',
	'SELECT row_number() OVER (), q.* FROM (SELECT a, b, count(*) FROM gs GROUP BY CUBE (a, b) ORDER BY 3 DESC, 1, 2, GROUPING(a, b) LIMIT 9 OFFSET 2) q',
	'SELECT DISTINCT a, count(*) > 100 FROM gs GROUP BY ROLLUP (a, b)',
	'SELECT CASE WHEN GROUPING(a) = 1 THEN ''all'' ELSE a::text END, count(*) FROM gs GROUP BY ROLLUP (a)',
	'SELECT sum(id) FROM gs GROUP BY ROLLUP (a, b)',
	'SELECT a FROM gs GROUP BY ROLLUP (a)',
	'SELECT v, v::text, GROUPING(v, v::text), count(*) FROM gs GROUP BY GROUPING SETS ((v), (v::text), (v, v::text))',
	'SELECT a, t, count(*) FROM gs GROUP BY GROUPING SETS ((t, a))',
	'SELECT count(*) FROM gs GROUP BY GROUPING SETS (())',
	'SELECT count(*) FROM gs WHERE id < 0 GROUP BY GROUPING SETS ((), ())',
	'SELECT a, count(*) FROM gs WHERE a = 3 GROUP BY ROLLUP (a)']) q;
CREATE TABLE gs_key (id int PRIMARY KEY, x text, y int);
INSERT INTO gs_key SELECT i, 'x' || i % 50, i % 5 FROM generate_series(1, 300) i;
SELECT compare('SELECT id, x, y, count(*) FROM gs_key GROUP BY GROUPING SETS ((id, y), (id))');
DROP TABLE gs_key;

-- DISTINCT: by the device through hidden sets, several arguments in parts; else by the backend
CREATE FUNCTION made_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM prefer_device();
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan::jsonb, '$.**."Groups Made By"') #>> '{}';
END $$;
SELECT q, made_by(q) AS by, compare(q)
FROM unnest(ARRAY[
	'SELECT a, b, count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n), count(*), min(n) FROM gs GROUP BY ROLLUP (a, b)',
	'SELECT a, b, p, count(DISTINCT id % 50), sum(n), max(id) FILTER (WHERE a = 1) FROM gs GROUP BY CUBE (a, b, p)',
	'SELECT a, b, count(DISTINCT p), GROUPING(a, b), GROUPING(b) FROM gs GROUP BY GROUPING SETS ((a), (b), (a), (a, b), ())',
	'SELECT a, b, count(DISTINCT b) FROM gs GROUP BY CUBE (a, b)',
	'SELECT a, b, count(DISTINCT a), count(DISTINCT a) FROM gs GROUP BY ROLLUP (b, a)',
	'SELECT a, count(DISTINCT b) FILTER (WHERE n > 3), count(*) FILTER (WHERE b IS NULL) FROM gs GROUP BY ROLLUP (a)',
	'SELECT a, count(DISTINCT n) FROM gs WHERE id < 0 GROUP BY GROUPING SETS ((a), ())',
	'SELECT a, count(DISTINCT n) FROM gs_empty GROUP BY GROUPING SETS ((), (), (a))',
	'SELECT a, b, count(DISTINCT n) FROM gs GROUP BY ROLLUP (a, b) HAVING count(DISTINCT n) > 2',
	'SELECT a, b, p, id % 3, id % 4, count(DISTINCT n) FROM gs GROUP BY CUBE (a, b, p, 4, 5)',
	'SELECT a, b, count(DISTINCT upper(t || a)) FROM gs GROUP BY ROLLUP (a, b)']) q;
-- a card leaves strings that are no codes to the backend
SELECT q, compare(q)
FROM unnest(ARRAY['SELECT a, b, t, count(DISTINCT id % 50), sum(n) FROM gs GROUP BY CUBE (a, b, t)',
	'SELECT a, t, count(DISTINCT t), min(t COLLATE "C") FROM gs GROUP BY CUBE (a, t)']) q;
SET gpuagg.debug_parts = off;
SELECT made_by('SELECT a, b, count(DISTINCT n), count(DISTINCT p) FROM gs GROUP BY ROLLUP (a, b)'),
	   compare('SELECT a, b, count(DISTINCT n), count(DISTINCT p) FROM gs GROUP BY ROLLUP (a, b)');
SET gpuagg.debug_parts = always;
SELECT q, made_by(q) AS by, compare(q)
FROM unnest(ARRAY['SELECT a, b, count(DISTINCT n), count(DISTINCT p), sum(n) FROM gs GROUP BY ROLLUP (a, b)',
	'SELECT a, b, count(DISTINCT n), sum(DISTINCT id % 10), count(DISTINCT p) FILTER (WHERE a > 1), GROUPING(a) FROM gs GROUP BY CUBE (a, b)']) q;
RESET gpuagg.debug_parts;
SET gpuagg.debug_regroup = off;
SELECT compare('SELECT a, b, count(DISTINCT n), count(*) FROM gs GROUP BY ROLLUP (a, b)');
RESET gpuagg.debug_regroup;
DROP FUNCTION made_by;

-- failures, sorted and hashed plans of PostgreSQL, little memory
SET gpuagg.debug_fault = 'begin';
SELECT s, compare(format('SELECT a, b, t, GROUPING(b, t), count(*), sum(n) FROM gs GROUP BY %s', s), 'prefer'),
	   compare(format('SELECT a, b, t, GROUPING(b), count(DISTINCT n), count(*) FROM gs GROUP BY %s', s), 'prefer')
FROM unnest(ARRAY['ROLLUP (a, b, t)', 'CUBE (a, b, t)']) s;
SELECT compare('SELECT a, b, GROUPING(b), count(DISTINCT n), count(*) FROM gs GROUP BY GROUPING SETS ((a), (b))', 'prefer'),
	   compare('SELECT count(*), sum(n) FROM gs GROUP BY GROUPING SETS ((), ())', 'prefer');
RESET gpuagg.debug_fault;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id / 2, b, t, GROUPING(b), count(*), sum(n), count(DISTINCT a) FROM gs GROUP BY CUBE (id / 2, b, t)'),
	   compare('SELECT id, a, t, count(*), sum(n) FROM gs GROUP BY ROLLUP (t, a, id)');
RESET work_mem;
RESET hash_mem_multiplier;
SET gpuagg.debug_require = 'require';
PREPARE gs_some (int) AS SELECT a, p, GROUPING(p), count(*) FROM gs WHERE id < $1 GROUP BY ROLLUP (a, p) ORDER BY 1, 2, 3 LIMIT 5;
EXECUTE gs_some (100);
SET plan_cache_mode = force_generic_plan;
EXECUTE gs_some (10);
EXPLAIN (COSTS OFF) SELECT a, p, GROUPING(p), count(*), sum(n) FROM gs GROUP BY ROLLUP (a, p) HAVING count(*) > 2;
RESET plan_cache_mode;
RESET gpuagg.debug_require;
SELECT gpuagg.why_not(q) FROM unnest(ARRAY['SELECT a, GROUPING(a) FROM gs GROUP BY GROUPING SETS ((a))']) q;
-- 18 wraps such keys
SELECT gpuagg.why_not(q) = CASE WHEN current_setting('server_version_num')::int < 180000 THEN w ELSE 'an expression of an outer join is not supported' END
FROM (VALUES ('SELECT a, count(*) FROM gs GROUP BY ROLLUP (a, current_user)', 'a key of grouping sets is without columns'),
	('SELECT NULL::bool FROM gs GROUP BY CUBE (1)', 'a key of grouping sets is without columns'),
	('SELECT x, y, count(*) FROM (SELECT a AS x, a AS y FROM gs) q GROUP BY ROLLUP (x, y)', 'a key of grouping sets is there twice')) v (q, w);
DROP TABLE gs, gs_empty;
