--
-- What only PostgreSQL computes, of columns by which the device groups: once for each group.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE FUNCTION sf_own(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN substr($1, 2) || ''!''; END';
CREATE TABLE sf AS
SELECT i AS id, i % 7 AS g, CASE i % 13 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE repeat('Ab', i % 3 * 7) || chr(97 + i % 5) || 'Ä@x.' || i % 4 END AS t,
	   (i % 50)::text || '|' || i % 3 AS digits, ('C' || i % 5)::char(6) AS c, '2020-01-01'::timestamp + i % 30 * interval '5 h' AS ts,
	   '2020-01-01'::date + i % 90 AS d, (i % 40 / 4.0)::numeric(6, 2) AS n, i % 20 / 4.0::float8 AS f, (i % 100)::int8 * 5000000000 AS big, md5((i % 9)::text)::uuid AS u
FROM generate_series(1, 10000) i;
INSERT INTO sf (id, g) VALUES (10001, NULL), (10002, 3);
VACUUM ANALYZE sf;
CREATE TABLE sf_empty (LIKE sf);

-- keys
SELECT x, compare(format('SELECT %s, count(*), sum(id), avg(n), min(d), sum(f) FROM sf GROUP BY 1', x)),
	   compare(format('SELECT g, %s, count(*), count(DISTINCT id), sum(DISTINCT big) FROM sf WHERE id > 100 GROUP BY 1, 2', x)),
	   compare(format('SELECT DISTINCT %s FROM sf', x), 'prefer'),
	   compare(format('SELECT %s, g, count(*), GROUPING(g) FROM sf GROUP BY ROLLUP (1, 2)', x)),
	   compare(format('SELECT count(DISTINCT %s), count(DISTINCT %1$s) FILTER (WHERE g = 3), count(%1$s) FROM sf', x))
FROM unnest(ARRAY['lower(t)', 'left(t, 3)', 'split_part(digits, ''|'', 2)', 'split_part(digits, ''|'', 1)::int', 'regexp_replace(t, ''[a-z]'', '''')', 't || c', 't ILIKE ''%ab%''', 't < ''m'' COLLATE "en-x-icu"',
	'sf_own(t)', 'to_char(ts, ''YYYY-MM-DD'')', 'upper(c)', 'u::text', 'coalesce(lower(t), ''none'')', 'g::text || d', 'octet_length(t) + length(digits || ''x'')', 'to_char(d, ''Dy'')']) x;

-- conditions
SELECT x, compare(format('SELECT count(*), sum(id), sum(f) FROM sf WHERE %s', x)),
	   compare(format('SELECT g, count(*), min(t), count(DISTINCT c) FROM sf WHERE %s AND id > 50 GROUP BY g', x)),
	   compare(format('SELECT g, count(*) FROM sf WHERE g < 5 AND %s AND t IS NOT NULL GROUP BY g', x)),
	   compare(format('SELECT g, count(*) FILTER (WHERE %s), sum(id) FILTER (WHERE %1$s AND g > 2), avg(n) FILTER (WHERE %1$s), min(d) FILTER (WHERE %1$s) FROM sf GROUP BY g', x)),
	   compare(format('SELECT sum(big) FILTER (WHERE %s), count(*), count(DISTINCT g) FILTER (WHERE %1$s) FROM sf_empty', x))
FROM unnest(ARRAY['lower(t) = ''äa''', 't ~ ''^Ab.*a''', 't ILIKE ''%B%''', 't < ''Ac'' COLLATE "en-x-icu"', 'sf_own(t) LIKE ''%4''', 'upper(c) IN (''C1'', ''C3'')', 't !~* ''B'' OR left(c, 2) = ''C2''']) x;
SELECT compare('SELECT count(*) FROM sf WHERE lower(t) LIKE ''ab%'' AND sf_own(c) = ''1!'' AND current_user IS NOT NULL');

-- arguments
SELECT x, compare(format('SELECT g, sum(%s), avg(%1$s), min(%1$s), max(%1$s), count(%1$s), bit_or(%1$s) FROM sf GROUP BY g', x)),
	   compare(format('SELECT sum(%s) FILTER (WHERE g > 2), avg(%1$s) FILTER (WHERE t ~ ''b''), count(%1$s) FILTER (WHERE lower(t) > ''b'' COLLATE "C"), min(%1$s) FILTER (WHERE g = 99) FROM sf', x))
FROM unnest(ARRAY['split_part(digits, ''|'', 1)::int', 'strpos(t, ''x'')', 'ascii(t)::int8 * 1000000000000', 'length(t || c)']) x;
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, min(lower(t)), max(upper(t)), max(lower(t) COLLATE "C"), min(t), max(t COLLATE "en-x-icu"), max(c), min(c) FILTER (WHERE id > 9000) FROM sf GROUP BY g',
	'SELECT bool_and(t ~ ''b''), bool_or(t ~ ''b''), every(t IS NULL OR t ILIKE ''%x%'') FROM sf',
	'SELECT g, max(to_char(ts, ''YYYYMMDD'') COLLATE "C") FROM sf GROUP BY g HAVING max(to_char(ts, ''YYYYMMDD'') COLLATE "C") > ''20200101''']) q;

-- errors are those of values that count
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT left(t, 0)::int, count(*) FROM sf GROUP BY 1',
	'SELECT sum(t::int) FILTER (WHERE t ~ ''^[0-9]+$'') FROM sf',
	'SELECT sum(digits::int) FILTER (WHERE digits ~ ''^[0-9]+$'') FROM sf',
	'SELECT sum(t::int) FILTER (WHERE id < 0) FROM sf',
	'SELECT count(*) FROM sf WHERE id < 0 AND t::int > 5',
	'SELECT count(*) FROM sf WHERE 10 / g > 1 AND lower(t) = ''a''',
	'SELECT count(*) FROM sf WHERE t = ''nothing like this'' AND sf_own(c)::int > 5',
	'SELECT count(DISTINCT left(t, 0)::int) FROM sf']) q;
-- a condition that may fail does not pass by a cheaper one that comes after it
SET gpuagg.cost_scale = 0.01;
SELECT gpuagg.why_not('SELECT count(*) FROM sf WHERE t::int = 3 AND id > 20000');
RESET gpuagg.cost_scale;
SELECT compare('SELECT count(*) FROM sf WHERE t ~ ''('' AND id > 20000', 'any'), compare('SELECT count(*) FROM sf WHERE t::int = 3 AND id > 20000', 'any');

-- row security, with conditions that only PostgreSQL computes on either side
CREATE TABLE sf_rls (id int, owner text, secret text);
INSERT INTO sf_rls SELECT i, 'Owner' || i % 3, 'secret' || i % 20 FROM generate_series(1, 1000) i;
ANALYZE sf_rls;
ALTER TABLE sf_rls ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON sf_rls USING (lower(owner) = 'owner1');
CREATE ROLE regress_sf;
GRANT SELECT ON sf_rls TO regress_sf;
CREATE FUNCTION sf_leak(text) RETURNS bool IMMUTABLE LANGUAGE plpgsql AS 'BEGIN IF $1 LIKE ''%0'' THEN RAISE ''leaked %'', $1; END IF; RETURN true; END';
SET ROLE regress_sf;
SET gpuagg.debug_require = 'prefer';
SELECT count(*), min(owner), max(owner), count(DISTINCT upper(secret)) FROM sf_rls;
SELECT count(*) FROM sf_rls WHERE upper(secret) LIKE 'SECRET1%';
SELECT count(*) FROM sf_rls WHERE id > 500 AND sf_leak(owner);
SELECT count(*) FROM sf_rls WHERE sf_leak(owner || CASE lower(owner) WHEN 'owner1' THEN '' ELSE '0' END);
SELECT count(*) FROM sf_rls WHERE 1 / (id % 3 - 2) < 5;
RESET gpuagg.debug_require;
RESET ROLE;
DROP TABLE sf_rls;
DROP ROLE regress_sf;

SET gpuagg.debug_require = 'require';
SET gpuagg.cache = off;
EXPLAIN (COSTS OFF) SELECT lower(t), count(*), count(DISTINCT c) FILTER (WHERE g = 2) FROM sf WHERE id > 7 AND t ILIKE '%b%' GROUP BY 1;
RESET gpuagg.cache;
PREPARE sf_some (text) AS SELECT lower(t COLLATE "C"), count(*) FROM sf WHERE lower(t COLLATE "C") LIKE $1 AND id < 50 GROUP BY 1 ORDER BY count(*) DESC, max(id) LIMIT 3;
EXECUTE sf_some ('%a%');
SET plan_cache_mode = force_generic_plan;
EXECUTE sf_some ('%x.1');
RESET plan_cache_mode;
RESET gpuagg.debug_require;
SET gpuagg.debug_fault = 'begin';
SELECT compare('SELECT lower(t), count(*), sum(split_part(digits, ''|'', 1)::int) FROM sf WHERE t ~ ''b'' GROUP BY 1', 'prefer');
RESET gpuagg.debug_fault;
-- volatile functions, sums of floats, types that no device has
SELECT gpuagg.why_not(q) FROM unnest(ARRAY['SELECT left(t, (random() * 9)::int), count(*) FROM sf GROUP BY 1',
	'SELECT count(*) FROM sf WHERE t || random() = ''x''', 'SELECT sum(length(t)::float8 * f) FROM sf WHERE cos(f) > 0']) q;
DROP TABLE sf, sf_empty;
DROP FUNCTION sf_own, sf_leak;
