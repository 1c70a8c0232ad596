--
-- Expressions over columns of types that no device knows (jsonb, arrays, ranges), and those
-- whose results are numerics or intervals: computed once for each of the device's groups.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TYPE cv_pair AS (a int, b text);
CREATE TABLE cv AS
SELECT i AS id, i % 7 AS g, i % 500 * 25 AS cents, (i % 90 * 1.25)::numeric(10, 2) AS n, '2020-01-01'::date + i % 90 AS d,
	   '2019-03-01'::timestamp + i % 70 * interval '31 h' AS ts, i % 20 * interval '1 h' AS v,
	   CASE WHEN i % 13 > 0 THEN jsonb_build_object('a', jsonb_build_object('b', i % 5), 'n', i % 11, 's', 'x' || i % 3,
			'f', CASE i % 4 WHEN 0 THEN 1.0 WHEN 1 THEN 2.25 ELSE i % 4 + 5 END, 'tags', jsonb_build_array('p', 'q' || i % 2), 'null', NULL) END AS j,
	   CASE i % 3 WHEN 0 THEN '{"n": 1, "s":"a"}' WHEN 1 THEN '{"n":1,"s":"a"}' ELSE '{"n":"two"}' END::json AS js,
	   ARRAY[i % 3, NULL, i % 4] AS arr, ARRAY['t' || i % 4, 'u'] AS tags, int4range(i % 5, i % 5 + 3) AS rg, ROW(i % 3, 'r' || i % 2)::cv_pair AS p, i % 2 = 0 AS b
FROM generate_series(1, 9000) i;
INSERT INTO cv (id, g) SELECT i, NULL FROM generate_series(9001, 9010) i;
VACUUM ANALYZE cv;
CREATE TABLE cv_empty (LIKE cv);

-- as keys, conditions, arguments
SELECT x, compare(format('SELECT %s AS k, count(*), sum(id) FROM cv GROUP BY 1', x)), compare(format('SELECT g, count(%s), count(DISTINCT %1$s) FROM cv GROUP BY g', x)),
	   compare(format('SELECT g, count(*) FILTER (WHERE (%s) IS NOT NULL), max(id) FROM cv WHERE (%1$s)::text <> ''1'' GROUP BY g', x))
FROM unnest(ARRAY['j->>''s''', '(j->>''n'')::int', 'j->''a''->>''b''', 'j @> ''{"n": 3}''', 'j ? ''s''', 'j #>> ''{tags,1}''', 'js->>''n''', 'jsonb_array_length(j->''tags'')',
	'(j->>''f'')::numeric', 'jsonb_typeof(j->''null'')', 'arr[1]', 'array_length(arr, 1)', 'tags[1]', '2 = ANY (arr)', '''t1'' = ANY (tags)', 'cardinality(tags)',
	'lower(rg)', 'rg @> 3', 'isempty(rg)', '(p).a', '(p).b', 'n / 3', 'cents / 100.0', 'round(n / 7, 2)', 'sqrt(n)', 'round(n / nullif(g, 0), 6)', 'age(ts, ''2018-12-31'')',
	'extract(year FROM age(d, ''1990-05-05''))', 'make_interval(days => g)', 'g * interval ''12 h''', 'factorial(g)', 'make_date(2020, 1 + g, 1)', 'to_date(tags[1] || ''2020-01'', ''XXYYYY-MM'')']) x;
SELECT x, compare(format('SELECT g, sum(%s), avg(%1$s), count(%1$s), sum(%1$s) FILTER (WHERE b) FROM cv GROUP BY g', x)),
	   compare(format('SELECT sum(%s), avg(%1$s), percentile_disc(0.4) WITHIN GROUP (ORDER BY %1$s), percentile_cont(0.5) WITHIN GROUP (ORDER BY %1$s) FROM cv WHERE id > 5', x)),
	   compare(format('SELECT sum(%s), avg(%1$s) FROM cv_empty', x))
FROM unnest(ARRAY['cents / 100.0', 'n / 3', '(j->>''n'')::numeric', '(j->>''n'')::int', '(j->>''f'')::numeric / 3', 'CASE WHEN g > 4 THEN ''NaN'' ELSE n / 3 END', 'CASE g WHEN 4 THEN ''Infinity'' WHEN 3 THEN ''-Infinity'' ELSE n * 1e20 / 7 END']) x;
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT j->>''s'' AS s, (j->>''n'')::int AS n, count(*), sum(cents), avg(n) FROM cv WHERE j @> ''{"a": {"b": 2}}'' GROUP BY 1, 2',
	'SELECT g, j->>''s'', percentile_cont(0.5) WITHIN GROUP (ORDER BY (j->>''n'')::float8), mode() WITHIN GROUP (ORDER BY j->''a''->>''b'') FROM cv GROUP BY 1, 2',
	'SELECT j->>''s'', g, count(*) FROM cv GROUP BY ROLLUP (1, 2)',
	'SELECT n / 3, cents / 100.0, count(*), sum(n / 3) FROM cv GROUP BY 1, 2 HAVING sum(n / 3) > 100 ORDER BY 1 DESC, 2 LIMIT 5',
	'SELECT count(j), count(*) FILTER (WHERE j IS NULL), count(DISTINCT j->>''n'') FROM cv',
	'SELECT DISTINCT n / 3 FROM cv WHERE b',
	'SELECT js->>''n'' AS k, count(*) FROM cv GROUP BY 1']) q;
SELECT compare('SELECT n / 3, g, count(*) FROM cv GROUP BY CUBE (1, 2)');
-- of equal values that look different a group shows one
SELECT bool_and(k = 1), count(*) FROM (SELECT (j->>'f')::numeric / (j->>'f')::numeric * CASE WHEN g > 3 THEN 1.0 ELSE 1.00 END AS k, count(*) FROM cv WHERE j->>'f' = '1.0' GROUP BY 1) q;
-- errors are PostgreSQL's, and only of rows that matter
SELECT compare('SELECT (js->>''n'')::int, count(*) FROM cv GROUP BY 1'), compare('SELECT sum(n / (g - 3)) FROM cv'),
	   compare('SELECT sum(n / (g - 3)) FILTER (WHERE g <> 3) FROM cv'), compare('SELECT (js->>''n'')::int, count(*) FROM cv WHERE id % 3 < 2 AND js->>''n'' <> ''two'' GROUP BY 1', 'prefer');

-- little memory, compressed and external values
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id / 3.0, count(*), sum(id / 7.0) FROM cv GROUP BY 1'), compare('SELECT id % 2500, sum(cents / 100.0), count(j->>''n'') FROM cv GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
INSERT INTO cv (id, g, j, arr) SELECT i, 3, jsonb_build_object('s', repeat('long', 3000), 'n', i % 2), array_fill(i % 3, ARRAY[4000]) FROM generate_series(1, 30) i;
SELECT compare('SELECT md5(j->>''s''), (j->>''n'')::int, arr[3], count(*) FROM cv GROUP BY 1, 2, 3');
-- versions of PostgreSQL make other pages of these rows; 015_cache reads the notice
SET client_min_messages = warning;
SELECT gpuagg.load('cv') > 0;
RESET client_min_messages;
SELECT compare('SELECT j->>''s'', arr[1], n / 3, count(*) FROM cv GROUP BY 1, 2, 3');

SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF, VERBOSE) SELECT j->>'s', n / 3, sum(n / 3) FROM cv WHERE j ? 'n' GROUP BY 1, 2;
SET gpuagg.debug_require = 'allow';
DROP TABLE cv, cv_empty;
DROP TYPE cv_pair;
-- made in parts, a value is computed until its part is known, and then for its part: not once for each part
CREATE SEQUENCE cv_calls;
CREATE FUNCTION cv_counted(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM nextval('cv_calls'); RETURN t || 'x'; END $$;
CREATE TABLE cv_many WITH (autovacuum_enabled = off) AS SELECT 'value number ' || i % 6000 AS t, i AS v FROM generate_series(1, 12000) i;
ANALYZE cv_many;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SET gpuagg.debug_require = 'require';
CREATE TABLE cv_made AS SELECT cv_counted(t) AS t, sum(v) AS v FROM cv_many GROUP BY 1;
SELECT nextval('cv_calls') BETWEEN 6000 AND 3 * 6000 AS few;
SET gpuagg.debug_require = 'allow';
SELECT compare('SELECT cv_counted(t), sum(v), count(DISTINCT v % 7) FROM cv_many WHERE v % 3 > 0 GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;
DROP TABLE cv_made, cv_many;
DROP FUNCTION cv_counted;
DROP SEQUENCE cv_calls;
