--
-- Numerics that devices have no form of (NaN, infinities, many digits) as arguments beside what
-- is grouped by a finer key: DISTINCT, grouping sets, ordered sets, functions that PostgreSQL
-- computes.  Such a row is evaluated by PostgreSQL, and the rest of the query stays the
-- device's: "require" admits no fallback.  Statistics must not know of them: no autovacuum.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = warning;
CREATE TABLE nr WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 7 AS g, i % 5 = 0 AS b, ('k' || i % 4) AS t, ('c' || i % 3)::char(5) AS c, md5((i % 3)::text)::uuid AS u,
	   (i % 3 - 1) * 0.5::float8 AS f, i % 11 AS x, (i % 3)::numeric(5, 1) AS nk, '2020-01-01'::date + i % 3 AS d,
	   (i % 100 * 0.25)::numeric(15, 2) AS n, (i % 50 * 0.5)::numeric AS m
FROM generate_series(1, 5000) i;
VACUUM ANALYZE nr;
INSERT INTO nr
SELECT 5000 + i, g, i % 2 = 0, CASE WHEN i % 3 > 0 THEN 'k' || i % 5 END, CASE WHEN i % 2 > 0 THEN 'c1' END, md5((i % 4)::text)::uuid,
	   (ARRAY['-0', 'NaN', '0.5', NULL])[1 + i % 4]::float8, i % 13, i % 3, '2020-01-01'::date + i % 4, n, m
FROM (VALUES (1, 1, 'NaN'::numeric, '1.25'::numeric), (2, 2, 2.5, 'NaN'), (3, 3, 1, 123456789012345678901234567890.5), (4, 4, 1, 'Infinity'),
			 (5, 5, 1, '-Infinity'), (6, 6, 1, 'Infinity'), (7, 6, 1, '-Infinity'), (8, 8, 'NaN', 'NaN'), (9, 9, 1, 1e40), (10, 9, 2, -1e40),
			 (11, 9, 3, 7), (12, 10, 3, 1e300), (13, 10, 3, -1e300 + 0.001), (14, NULL, 4, 98765432109876543210.123456789), (15, 11, NULL, 'NaN')) v(i, g, n, m);
CREATE TABLE nr_uses (n int, aggs text);
INSERT INTO nr_uses VALUES
	(1, 'sum(n), avg(m), count(m), count(*)'), (2, 'min(n), max(n), min(m), max(m)'), (3, 'stddev(m), var_pop(n), sum(m), count(n)'),
	(4, 'sum(m) FILTER (WHERE b), avg(m) FILTER (WHERE id > 5000), max(m) FILTER (WHERE NOT b), variance(m) FILTER (WHERE b)'),
	(5, 'sum(m * 2), max(-m), min(coalesce(n, m)), sum(CASE WHEN b THEN m ELSE n END)');
-- what makes the grouping finer, of every kind of key
CREATE FUNCTION nr_agree() RETURNS TABLE (finer text, differ text) LANGUAGE sql AS $$
	SELECT d, string_agg(k || ' ' || aggs || ': ' || r, '; ')
	FROM unnest(ARRAY['count(DISTINCT x)', 'count(DISTINCT x) FILTER (WHERE b)', 'count(DISTINCT x), sum(DISTINCT d - ''2020-01-01''), count(DISTINCT t)',
					  'percentile_cont(0.5) WITHIN GROUP (ORDER BY x)', 'mode() WITHIN GROUP (ORDER BY x), count(DISTINCT nk)', 'max(upper(t) COLLATE "C")',
					  'count(*) FILTER (WHERE upper(t) > ''K1'')']) WITH ORDINALITY q(d, o), nr_uses,
		 unnest(ARRAY['g', 't, b', 'c, u', 'nk', 'd', 'lower(t)', 'upper(t), g', '()']) k,
		 LATERAL compare(format('SELECT %s FROM nr %s', concat_ws(', ', nullif(k, '()'), d, aggs), 'GROUP BY ' || nullif(k, '()'))) r
	GROUP BY d, o HAVING NOT bool_and(r ~ '^ok') ORDER BY o $$;
SELECT * FROM nr_agree();
SELECT gpuagg.load('nr') > 0;
SELECT * FROM nr_agree();
-- made by the backend alone
SET gpuagg.debug_regroup = off;
SELECT * FROM nr_agree();
RESET gpuagg.debug_regroup;
-- one part after the other
SET gpuagg.debug_parts = always;
SELECT * FROM nr_agree();
SELECT compare('SELECT g, count(DISTINCT x), count(DISTINCT nk), count(DISTINCT d), sum(m), avg(n), stddev(m), min(m) FROM nr GROUP BY g'), compare('SELECT count(DISTINCT x), count(DISTINCT nk), sum(m), max(m) FROM nr'),
	   compare('SELECT t, b, count(DISTINCT x), count(DISTINCT nk), sum(m), count(n) FROM nr GROUP BY ROLLUP (t, b)');
RESET gpuagg.debug_parts;
CREATE FUNCTION nr_made_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM prefer_device();
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan::jsonb, '$.**."Groups Made By"') #>> '{}';
END $$;
SELECT nr_made_by('SELECT g, count(DISTINCT x), sum(m) FROM nr GROUP BY g'), nr_made_by('SELECT g, t, sum(m) FROM nr GROUP BY ROLLUP (g, t)'), nr_made_by('SELECT upper(t || g), sum(m) FROM nr GROUP BY 1');
DROP FUNCTION nr_made_by;
SELECT g, sum(m), avg(m), min(m), max(m), count(m), count(DISTINCT x) FROM nr WHERE id > 5000 GROUP BY g ORDER BY g;
-- grouping sets, with and without DISTINCT, conditions that PostgreSQL tests
SELECT k, string_agg(aggs || ': ' || r, '; ')
FROM unnest(ARRAY['ROLLUP (g, t)', 'CUBE (g, b, nk)', 'GROUPING SETS ((g), (t, d), ())', 'GROUPING SETS ((upper(t)), (g), ())']) k, nr_uses, unnest(ARRAY['', ', count(DISTINCT x)']) d,
	 LATERAL compare(format('SELECT %s%s, GROUPING(%s) FROM nr GROUP BY %s', aggs, d, CASE WHEN k ~ 'upper' THEN 'upper(t)' ELSE 'g' END, k)) r
WHERE k !~ 'upper' OR n < 4 GROUP BY k HAVING NOT bool_and(r ~ '^ok');
SELECT compare('SELECT g, t, sum(m), count(*) FROM nr GROUP BY ROLLUP (g, t) HAVING sum(m) > 100'), compare('SELECT g, count(DISTINCT x), sum(m) FROM nr WHERE upper(t) < ''K3'' AND id > 4000 GROUP BY g'),
	   compare('SELECT g, count(DISTINCT x), avg(m) FROM nr GROUP BY g ORDER BY 3 DESC, 1 LIMIT 3'), compare('SELECT count(DISTINCT x), sum(m), max(m) FROM nr WHERE id > 9999'),
	   compare('SELECT g, count(DISTINCT x), sum(m) FROM nr WHERE m > 3 GROUP BY g');
-- in passes, and where the backend's tables are made in parts; several tables
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT compare('SELECT id % 2000, count(DISTINCT x), sum(m), max(n) FROM nr GROUP BY 1'), compare('SELECT id, upper(t), avg(m), min(n) FROM nr GROUP BY 1, 2');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id % 2500, upper(t), count(DISTINCT x), sum(m), max(n) FROM nr GROUP BY 1, 2'), compare('SELECT id, t, count(DISTINCT x), sum(m) FROM nr GROUP BY ROLLUP (id, t)');
RESET work_mem;
RESET hash_mem_multiplier;
CREATE TABLE nr_parts (junk int, g int, x int, m numeric, t text) PARTITION BY RANGE (g);
ALTER TABLE nr_parts DROP COLUMN junk;
CREATE TABLE nr_1 PARTITION OF nr_parts FOR VALUES FROM (0) TO (3) WITH (autovacuum_enabled = off);
CREATE TABLE nr_2 PARTITION OF nr_parts FOR VALUES FROM (3) TO (6) WITH (autovacuum_enabled = off);
CREATE TABLE nr_3 (t text, m numeric, g int, x int) WITH (autovacuum_enabled = off);
ALTER TABLE nr_parts ATTACH PARTITION nr_3 FOR VALUES FROM (6) TO (99);
INSERT INTO nr_parts SELECT g, x, m, t FROM nr WHERE id <= 5000;
VACUUM ANALYZE nr_parts;
INSERT INTO nr_parts SELECT g, x, m, t FROM nr WHERE id > 5000 AND g IS NOT NULL;
SELECT compare('SELECT t, sum(m), avg(m), min(m), max(m), count(DISTINCT x) FROM nr_parts GROUP BY t'), compare('SELECT count(DISTINCT x), sum(m) FROM nr_parts WHERE g < 6'),
	   compare('SELECT g, t, max(m), sum(m) FROM nr_parts GROUP BY ROLLUP (g, t)'), compare('SELECT upper(t), mode() WITHIN GROUP (ORDER BY x), stddev(m) FROM nr_parts GROUP BY 1');
-- more decimals than statistics know of
CREATE TABLE nr_more WITH (autovacuum_enabled = off) AS SELECT g, t, b, x, m AS q FROM nr WHERE id <= 5000;
VACUUM ANALYZE nr_more;
INSERT INTO nr_more VALUES (3, 'k1', true, 1, 0.333333333333333), (4, 'k2', false, 2, 99999999999999999), (5, NULL, NULL, 3, 1.5000000000), (6, 'k3', true, 4, 1 / 7.0), (20, 'new', true, 5, 'NaN'), (21, 'k1', true, 6, 1e-30);
SELECT compare('SELECT g, sum(q), avg(q), min(q), max(q), count(q), count(DISTINCT x) FROM nr_more GROUP BY g'), compare('SELECT t, g, sum(q * 3), max(q) FILTER (WHERE b) FROM nr_more GROUP BY ROLLUP (t, g)'),
	   compare('SELECT upper(t), stddev(q), max(q) FROM nr_more GROUP BY 1');
-- twice from one execution: a cursor, a rescan
BEGIN;
DECLARE nr_cursor SCROLL CURSOR FOR SELECT g, sum(m), count(DISTINCT x) FROM nr WHERE g < 4 GROUP BY g ORDER BY g;
FETCH ALL nr_cursor;
MOVE ABSOLUTE 1 nr_cursor;
FETCH 2 nr_cursor;
COMMIT;
SELECT compare('SELECT x, (SELECT concat(sum(m), '' '', count(DISTINCT t)) FROM nr WHERE g = x) FROM generate_series(0, 11) x', 'any');
-- as keys of the query: such a row is in no group of the device's
SELECT string_agg(p || ' ' || q || ': ' || r, '; ') FROM unnest(ARRAY['off', 'always']) p, set_config('gpuagg.debug_parts', p, false), unnest(ARRAY[
	'SELECT trim_scale(m), count(DISTINCT x), count(*), sum(n) FROM nr GROUP BY m', 'SELECT trim_scale(m), n, count(DISTINCT t), count(DISTINCT x), sum(id), max(upper(t) COLLATE "C") FROM nr GROUP BY m, n', 'SELECT trim_scale(m), upper(t), count(*), sum(m) FROM nr GROUP BY m, 2',
	'SELECT trim_scale(m), g, count(*), sum(n) FROM nr GROUP BY m, ROLLUP (g)', 'SELECT trim_scale(m), percentile_disc(0.5) WITHIN GROUP (ORDER BY x), count(DISTINCT d) FROM nr WHERE id > 1000 GROUP BY m',
	'SELECT trim_scale(m), count(DISTINCT x) FROM nr WHERE upper(t) < ''K3'' GROUP BY m ORDER BY 2, 1 LIMIT 9', 'SELECT trim_scale(m), count(DISTINCT x), sum(g) FROM nr_parts GROUP BY m', 'SELECT trim_scale(m), t, count(DISTINCT x) FROM nr_parts WHERE g < 9 GROUP BY m, t HAVING count(*) < 50']) q, compare(q) r
WHERE r !~ '^ok';
RESET gpuagg.debug_parts;
SELECT m, count(DISTINCT x), count(*) FROM nr WHERE id > 5000 GROUP BY m ORDER BY m;
-- what PostgreSQL answers: such a value as the argument of DISTINCT or of an ordered set, as a key of a set; too many
SELECT compare(q, 'prefer') FROM unnest(ARRAY['SELECT g, count(DISTINCT m), sum(m) FROM nr GROUP BY g', 'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY n), sum(m) FROM nr GROUP BY g', 'SELECT trim_scale(m), g, count(*) FROM nr GROUP BY ROLLUP (m, g)']) q;
SET work_mem = '64kB';
INSERT INTO nr SELECT 6000 + i, i % 100, true, 'many', 'c', NULL, 1, 1, 1, NULL, 1, 'NaN' FROM generate_series(1, 2000) i;
SELECT compare('SELECT g, sum(m), count(DISTINCT x) FROM nr GROUP BY g', 'prefer'), compare('SELECT upper(t), sum(m), count(DISTINCT x) FROM nr GROUP BY 1', 'prefer');
RESET work_mem;
SELECT compare('SELECT g, sum(m), count(DISTINCT x) FROM nr GROUP BY g'), compare('SELECT upper(t), g, sum(m) FROM nr GROUP BY ROLLUP (1, g)');
DROP TABLE nr, nr_uses, nr_parts, nr_more;
DROP FUNCTION nr_agree;
