--
-- Strings under collations that are not deterministic, and types of other extensions: equal values
-- may have different bytes.  The device groups by bytes, and the backend finds which are equal.
-- Which of equal spellings a group shows is not defined: they are compared as lower() has them.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = warning;
CREATE COLLATION nd_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION nd_accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE nd (id int, g int, x text COLLATE nd_case, v varchar(20) COLLATE nd_accents, c char(8) COLLATE nd_case, u text COLLATE "C", n numeric(8, 2)) WITH (autovacuum_enabled = off);
INSERT INTO nd
SELECT i, i % 7, CASE WHEN i % 17 > 0 THEN (ARRAY['Ab', 'aB', 'ab', 'AB', 'b', 'B', '', 'zz', 'Zz'])[1 + i % 9] || CASE i % 4 WHEN 0 THEN 'x' ELSE '' END END,
	   (ARRAY['résumé', 'resume', 'Résume', 'RESUME', 'e', 'É', 'ss', 'n'])[1 + i % 8], (ARRAY['k', 'K', 'k ', 'Q', 'q', ''])[1 + i % 6], (ARRAY['u', 'U'])[1 + i % 2], i % 100 / 4.0
FROM generate_series(1, 6000) i;
VACUUM ANALYZE nd;
CREATE FUNCTION nd_agree() RETURNS TABLE (query text, differ text) LANGUAGE sql AS $$
	SELECT q, r FROM unnest(ARRAY[
		'SELECT lower(x), count(*), sum(id), avg(n), max(u) FROM nd GROUP BY x', 'SELECT lower(translate(v COLLATE "C", ''éÉ'', ''eE'')), g, count(*), sum(n) FROM nd GROUP BY v, g', 'SELECT lower(c), count(*), min(id) FROM nd GROUP BY c',
		'SELECT lower(x), lower(c), count(x), stddev(id) FROM nd WHERE g > 2 GROUP BY x, c', 'SELECT u COLLATE nd_case = ''u'', count(*) FROM nd GROUP BY u COLLATE nd_case',
		'SELECT lower(x || ''!''), count(*) FROM nd GROUP BY x || ''!''', 'SELECT lower(upper(x)), count(*) FROM nd GROUP BY upper(x)', 'SELECT lower(substr(x, 1, 1)), count(*) FROM nd GROUP BY substr(x, 1, 1)',
		'SELECT lower(x) FROM (SELECT DISTINCT x FROM nd) s', 'SELECT lower(x), g FROM (SELECT DISTINCT x, g FROM nd WHERE id > 100) s',
		'SELECT count(DISTINCT x), count(DISTINCT v), count(DISTINCT c) FROM nd', 'SELECT g, count(DISTINCT x), sum(id) FROM nd GROUP BY g', 'SELECT g, count(DISTINCT x) FILTER (WHERE id % 2 = 0), count(DISTINCT u COLLATE nd_case) FROM nd GROUP BY g',
		'SELECT lower(x), count(DISTINCT v), count(DISTINCT x) FROM nd GROUP BY x', 'SELECT lower(x), g, count(*), GROUPING(x) FROM nd GROUP BY ROLLUP (x, g)', 'SELECT lower(x), lower(c), count(DISTINCT g) FROM nd GROUP BY CUBE (x, c)',
		'SELECT g, count(*) FROM nd WHERE x = ''AB'' GROUP BY g', 'SELECT g, count(*), sum(id) FILTER (WHERE x <> ''ab'') FROM nd WHERE v IN (''Resume'', ''SS'') GROUP BY g', 'SELECT count(*) FROM nd WHERE x > ''AB'' OR c = ''K'' OR x IS NULL',
		'SELECT g, count(*) FROM nd WHERE NOT x = ANY (ARRAY[''ab'', ''ZZ'']) GROUP BY g', 'SELECT CASE WHEN x = ''aB'' THEN 1 ELSE 2 END, count(*) FROM nd GROUP BY 1', 'SELECT x = ''ab'', count(*) FROM nd GROUP BY 1',
		'SELECT lower(min(x)), lower(max(x)), lower(max(v COLLATE nd_case)) FROM nd', 'SELECT g, lower(min(c)), lower(max(x)) FROM nd GROUP BY g', 'SELECT g, lower(mode() WITHIN GROUP (ORDER BY x)) FROM nd WHERE id % 9 < 7 AND x <> '''' AND x <> ''zz'' AND x <> ''b'' GROUP BY g',
		'SELECT lower(x), count(*) FROM nd GROUP BY x HAVING count(*) > 500 ORDER BY count(*) DESC, x LIMIT 3', 'SELECT count(*) FROM nd WHERE x COLLATE "C" = ''AB''', 'SELECT count(x), count(v) FROM nd',
		'SELECT lower(array_to_string(a, '''')), count(*) FROM (SELECT ARRAY[x, v COLLATE nd_case] AS a FROM nd) s GROUP BY a']) q, compare(q) r $$;
SELECT differ, query FROM nd_agree();
SELECT gpuagg.load('nd') > 0;
SELECT count(*), string_agg(differ, '; ') FILTER (WHERE differ !~ '^ok') FROM nd_agree();
SET gpuagg.debug_parts = always;
SELECT count(*), string_agg(differ, '; ') FILTER (WHERE differ !~ '^ok') FROM nd_agree();
RESET gpuagg.debug_parts;
SELECT lower(x), count(*) FROM nd GROUP BY x ORDER BY x;
-- more than one DISTINCT argument, with keys that the backend numbers and without
SET gpuagg.debug_parts = always;
SELECT compare('SELECT lower(x), count(DISTINCT v), count(DISTINCT c), count(DISTINCT id % 10) FROM nd GROUP BY x'), compare('SELECT g, count(DISTINCT x), count(DISTINCT v), count(DISTINCT id % 10), sum(n) FROM nd GROUP BY g');
RESET gpuagg.debug_parts;
EXPLAIN (COSTS OFF, VERBOSE) SELECT x, count(*), count(DISTINCT v) FROM nd WHERE c = 'K' GROUP BY x;
-- a group shows one of its own spellings
SELECT count(*), bool_and(EXISTS (SELECT FROM nd WHERE nd.x COLLATE "C" = k.x COLLATE "C")) FROM (SELECT x, count(*) FROM nd WHERE x IS NOT NULL GROUP BY x OFFSET 0) k;
-- of several tables, a join, the rows of a plan
CREATE TABLE nd_parts (LIKE nd) PARTITION BY LIST (g);
CREATE TABLE nd_1 PARTITION OF nd_parts FOR VALUES IN (0, 1, 2);
CREATE TABLE nd_2 PARTITION OF nd_parts DEFAULT;
INSERT INTO nd_parts SELECT * FROM nd;
CREATE TABLE nd_names (g int PRIMARY KEY, name text COLLATE nd_case);
INSERT INTO nd_names SELECT i, (ARRAY['one', 'ONE', 'Two', 'tWO'])[1 + i % 4] FROM generate_series(0, 6) i;
VACUUM ANALYZE nd_parts, nd_names;
SELECT compare(q), q FROM unnest(ARRAY['SELECT lower(x), count(*), count(DISTINCT c) FROM nd_parts GROUP BY x', 'SELECT lower(x), count(*) FROM (SELECT x FROM nd_1 UNION ALL SELECT x FROM nd) s GROUP BY x']) q;
SELECT compare(q, 'prefer'), q FROM unnest(ARRAY['SELECT lower(name), count(*) FROM nd JOIN nd_names USING (g) GROUP BY name', 'SELECT lower(x), count(*) FROM (SELECT x FROM nd OFFSET 1) s GROUP BY x',
	'SELECT lower(k.x), count(*) FROM nd k JOIN (SELECT DISTINCT x FROM nd_1 WHERE x < ''b'') s ON k.x = s.x GROUP BY k.x']) q;
-- joined by bytes, where a column's own collation finds more equal: its rows are not grouped by that
CREATE TABLE nd_some_names AS SELECT i AS id, i % 3 AS g, (ARRAY['Ab', 'aB', 'ab', 'b', 'B'])[1 + i % 5] COLLATE nd_case AS x, (ARRAY['u', 'U'])[1 + i % 2] COLLATE nd_case AS y FROM generate_series(1, 60) i;
VACUUM ANALYZE nd_some_names;
SELECT compare(q, 'try'), q FROM unnest(ARRAY['SELECT k.x COLLATE "C" AS x, count(s.x), sum(s.id) FROM nd k JOIN nd_some_names s ON k.x = s.x COLLATE "C" GROUP BY 1', 'SELECT k.g, count(s.id) FROM nd k LEFT JOIN nd_some_names s ON k.x COLLATE "C" = s.x GROUP BY k.g',
	'SELECT k.g, count(*) FROM nd k JOIN nd_some_names s ON k.x = s.x COLLATE "C" AND k.g = s.g AND k.u = s.y COLLATE "C" GROUP BY k.g', 'SELECT k.g, count(*) FROM nd k WHERE EXISTS (SELECT FROM nd_some_names s WHERE k.x COLLATE "C" = s.x) GROUP BY k.g',
	'SELECT k.g, count(*) FROM nd k WHERE NOT EXISTS (SELECT FROM nd_some_names s WHERE k.x COLLATE "C" = s.x AND s.g = 1) GROUP BY k.g', 'SELECT k.g, count(*) FROM nd k WHERE k.x COLLATE "C" NOT IN (SELECT x FROM nd_some_names) GROUP BY k.g',
	'SELECT k.g, count(*) FROM nd k JOIN nd_some_names s ON k.g = s.g AND k.x = s.x COLLATE "C" GROUP BY k.g']) q;
-- twice from one execution; more values than there is memory for
PREPARE nd_some (text) AS SELECT count(*), sum(n) FROM (SELECT x, count(*) AS n FROM nd WHERE x > $1 GROUP BY x OFFSET 0) s;
SET plan_cache_mode = force_generic_plan;
EXECUTE nd_some ('A');
EXECUTE nd_some ('b');
RESET plan_cache_mode;
SELECT compare('SELECT i, (SELECT count(*) FROM (SELECT x FROM nd WHERE id > i GROUP BY x OFFSET 0) s) FROM generate_series(5900, 6000, 40) i', 'any');
CREATE TABLE nd_many AS SELECT (CASE WHEN i % 2 = 0 THEN 'v' ELSE 'V' END || i / 2) COLLATE nd_case AS x, i FROM generate_series(1, 20000) i;
VACUUM ANALYZE nd_many;
SELECT compare('SELECT lower(x), count(*), sum(i) FROM nd_many GROUP BY x'), compare('SELECT count(DISTINCT x) FROM nd_many');
SET work_mem = '64kB';
SELECT compare('SELECT lower(x), count(*), sum(i) FROM nd_many GROUP BY x', 'prefer'), compare('SELECT count(DISTINCT x) FROM nd_many', 'prefer');
-- what both take is the cost then
SET gpuagg.debug_require = 'allow';
SET gpuagg.cost_scale = 0.001;
SELECT plans_gpuagg('SELECT x, count(*) FROM nd_many GROUP BY x'), plans_gpuagg('SELECT count(DISTINCT x) FROM nd_many');
RESET work_mem;
SELECT plans_gpuagg('SELECT x, count(*) FROM nd_many GROUP BY x'), plans_gpuagg('SELECT count(DISTINCT x) FROM nd_many');
RESET gpuagg.cost_scale;
SET gpuagg.debug_require = 'prefer';
-- types of other extensions, by their hash function
CREATE EXTENSION citext;
CREATE TABLE nd_ci AS SELECT i AS id, i % 5 AS g, (ARRAY['Ab', 'aB', 'b', 'B', ''])[1 + i % 5]::citext AS x FROM generate_series(1, 3000) i;
VACUUM ANALYZE nd_ci;
SELECT compare(q), q FROM unnest(ARRAY['SELECT lower(x), count(*), sum(id) FROM nd_ci GROUP BY x', 'SELECT g, count(DISTINCT x) FROM nd_ci GROUP BY g', 'SELECT g, count(*) FROM nd_ci WHERE x = ''AB'' GROUP BY g', 'SELECT lower(x::text) FROM (SELECT DISTINCT x FROM nd_ci) s']) q;
-- blanks at the end of a char(n) are no part of it, whatever its length
CREATE TABLE nd_blank (id int, p bpchar COLLATE nd_case, c char(3) COLLATE nd_case, t text COLLATE nd_case);
INSERT INTO nd_blank SELECT i, (ARRAY['a', 'A ', 'a  ', 'b', NULL])[1 + i % 5], (ARRAY['a', 'b', NULL])[1 + i % 3], (ARRAY['a', 'A ', 'c'])[1 + i % 3] FROM generate_series(1, 300) i;
VACUUM ANALYZE nd_blank;
SELECT compare(q), q FROM unnest(ARRAY['SELECT lower(rtrim(p)), count(*), sum(id) FROM nd_blank GROUP BY p', 'SELECT count(DISTINCT p), count(DISTINCT coalesce(c, ''a '')) FROM nd_blank', 'SELECT lower(rtrim(p)) FROM (SELECT DISTINCT p FROM nd_blank) s',
	'SELECT lower(rtrim(coalesce(c, ''a''))), count(*) FROM nd_blank GROUP BY coalesce(c, ''a'')', 'SELECT lower(rtrim(k)), count(*) FROM (SELECT CASE WHEN id % 2 = 0 THEN p ELSE ''A'' END AS k FROM nd_blank) s GROUP BY k', 'SELECT lower(rtrim(p)), count(*) FROM nd_blank GROUP BY GROUPING SETS ((p), ())',
	'SELECT count(DISTINCT coalesce(t::char(5), '''')), count(DISTINCT nullif(p, ''a'')) FROM nd_blank']) q;
-- a value of two collations has neither, and nothing compares it
SELECT left(compare(q, 'any'), 17), q FROM unnest(ARRAY['SELECT max(coalesce(x, u)) FROM nd', 'SELECT k, count(*) FROM (SELECT coalesce(x, u) AS k FROM nd) s GROUP BY k', 'SELECT DISTINCT coalesce(x, v) FROM nd', 'SELECT count(DISTINCT coalesce(u, x)) FROM nd',
	'SELECT g, min(CASE WHEN id = 1 THEN u ELSE v END) FROM nd GROUP BY g', 'SELECT count(coalesce(x, u)) FROM nd', 'SELECT mode() WITHIN GROUP (ORDER BY coalesce(x, u)) FROM nd', 'SELECT count(*) FROM nd WHERE coalesce(x, u) = ''a''']) q;
-- strings are searched for under no such collation, whatever else a row is asked first
SELECT left(compare(q, 'any'), 17), q FROM unnest(ARRAY['SELECT count(*) FROM nd WHERE starts_with(x, ''a'') AND id < 0', 'SELECT count(*) FROM nd WHERE x ^@ ''a'' AND u = ''none''', 'SELECT count(*) FROM nd WHERE starts_with(u, ''u'') AND id < 100']) q;
-- what stays PostgreSQL's
SELECT * FROM gpuagg.why_not('SELECT min(x || ''!'') FROM nd');
DROP TABLE nd_blank, nd_some_names, nd, nd_parts, nd_names, nd_many, nd_ci;
DROP FUNCTION nd_agree;
DROP COLLATION nd_case, nd_accents;
DROP EXTENSION citext;
