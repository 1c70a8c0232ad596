--
-- x = ANY (array) where the array is known when execution starts: a parameter, the result of a sub-select.
--
\a
\t on
CREATE TYPE ap_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE ap (id int4, g int4, s int2, v int8, d date, t timestamp, z timestamptz, e ap_mood, b bool, o oid, x text, f float8, n numeric(8, 2));
INSERT INTO ap SELECT i, i % 10, i % 7, CASE WHEN i % 11 > 0 THEN i * 1000000007::int8 END, '2024-01-01'::date + i % 30, '2024-01-01'::timestamp + i * interval '1 hour',
	'2024-01-01 00:00+00'::timestamptz + i % 50 * interval '1 day', (ARRAY['sad', 'ok', 'happy', NULL])[1 + i % 4]::ap_mood, i % 3 = 0, i % 5, 't' || i % 4, i / 8.0, i / 4.0
FROM generate_series(1, 3000) i;
CREATE TABLE ap_lists AS SELECT '{3,5,5,-1,NULL,2147483647}'::int4[] AS i, '{3,7,9}'::int2[] AS s, '{7000000049,9223372036854775807,-9223372036854775808,12000000084}'::int8[] AS v, '{2024-01-03,infinity,2024-01-09}'::date[] AS d,
	'{2024-01-03 05:00,-infinity}'::timestamp[] AS t, '{2024-01-05 00:00+00,infinity}'::timestamptz[] AS z, '{happy,NULL}'::ap_mood[] AS e, '{t}'::bool[] AS b, '{1,2}'::oid[] AS o, '{t1,t3,zz}'::text[] AS x,
	'{1.5,NaN,-0}'::float8[] AS f, '{0.25,7,1000000}'::numeric[] AS n, '{}'::int4[] AS none, NULL::int4[] AS absent, '{NULL,NULL}'::int4[] AS nulls, '{{1,2},{3,NULL}}'::int4[] AS more, '[5:6]={4,2}'::int4[] AS slice;
CREATE TABLE ap_ids AS SELECT i * 3 AS id FROM generate_series(1, 700) i;
VACUUM ANALYZE ap, ap_lists, ap_ids;
-- conditions, negated ones, keys, arguments, FILTER
SELECT q, compare('SELECT g, count(*), sum(v) FROM ap WHERE ' || q || ' GROUP BY g') FROM unnest(ARRAY[
	'id = ANY ((SELECT i FROM ap_lists)::int4[])',
	'g <> ALL ((SELECT i FROM ap_lists)::int4[])',
	'g <> ALL ((SELECT slice FROM ap_lists)::int4[])',
	'v = ANY ((SELECT v FROM ap_lists)::int8[])',
	'v = ANY ((SELECT i FROM ap_lists)::int4[])',
	'g = ANY ((SELECT v FROM ap_lists)::int8[])',
	's = ANY ((SELECT s FROM ap_lists)::int2[]) AND d = ANY ((SELECT d FROM ap_lists)::date[])',
	't = ANY ((SELECT t FROM ap_lists)::timestamp[]) OR z = ANY ((SELECT z FROM ap_lists)::timestamptz[])',
	'e = ANY ((SELECT e FROM ap_lists)::ap_mood[])',
	'e <> ALL ((SELECT e FROM ap_lists)::ap_mood[])',
	'b = ANY ((SELECT b FROM ap_lists)::bool[])',
	'id = ANY (ARRAY(SELECT id FROM ap_ids))',
	'id + g = ANY (ARRAY(SELECT id FROM ap_ids))',
	'g = ANY ((SELECT more FROM ap_lists)::int4[])']) q;
SELECT q, compare('SELECT ' || q || ', count(*), max(id), count(*) FILTER (WHERE ' || q || '), sum(CASE WHEN ' || q || ' THEN 1 ELSE g END) FROM ap GROUP BY 1') FROM unnest(ARRAY[
	'v = ANY ((SELECT v FROM ap_lists)::int8[])',
	'v <> ALL ((SELECT v FROM ap_lists)::int8[])',
	'v = ANY ((SELECT i FROM ap_lists)::int4[])',
	'v = ANY ((SELECT none FROM ap_lists)::int4[])',
	'v <> ALL ((SELECT none FROM ap_lists)::int4[])',
	'v = ANY ((SELECT absent FROM ap_lists)::int4[])',
	'v <> ALL ((SELECT nulls FROM ap_lists)::int4[])',
	'(v = ANY ((SELECT nulls FROM ap_lists)::int4[])) IS NULL',
	'g = ANY ((SELECT slice FROM ap_lists)::int4[])']) q;
-- others go by distinct value, and so does what has no equality
SELECT q, compare('SELECT g, count(*) FROM ap WHERE ' || q || ' GROUP BY g') FROM unnest(ARRAY[
	'o = ANY ((SELECT o FROM ap_lists)::oid[])',
	'x = ANY ((SELECT x FROM ap_lists)::text[])',
	'f = ANY ((SELECT f FROM ap_lists)::float8[])',
	'n = ANY ((SELECT n FROM ap_lists)::numeric[])',
	'g > ANY ((SELECT slice FROM ap_lists)::int4[])',
	'g = ALL ((SELECT slice FROM ap_lists)::int4[])']) q;
-- an error of the scalar is one even if there is nothing to compare it with
SELECT compare('SELECT count(*) FROM ap WHERE id / (g - g) = ANY ((SELECT none FROM ap_lists)::int4[])', 'prefer');
-- one plan for every list: no value is told apart
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
PREPARE ap_any(int4[]) AS SELECT count(*), sum(v) FROM ap WHERE id = ANY ($1);
EXPLAIN (COSTS OFF) EXECUTE ap_any(NULL);
EXECUTE ap_any('{1,2,3,3000,3001}');
SELECT format('EXECUTE ap_any(%L)', array_agg(i)) FROM generate_series(-20000, 2000) i \gexec
EXECUTE ap_any('{}');
EXECUTE ap_any(NULL);
EXECUTE ap_any('{5,NULL}');
PREPARE ap_oids(oid[]) AS SELECT count(*) FROM ap WHERE o = ANY ($1);
EXECUTE ap_oids('{-1,1}'::int4[]);
DEALLOCATE ALL;
RESET gpuagg.debug_require;
RESET plan_cache_mode;
-- behind a join, and in a condition of one
CREATE TABLE ap_dim AS SELECT i AS g, i * 10 AS w FROM generate_series(0, 9) i;
ALTER TABLE ap_dim ADD PRIMARY KEY (g);
VACUUM ANALYZE ap_dim;
SELECT compare('SELECT w, count(*) FROM ap JOIN ap_dim USING (g) WHERE id = ANY (ARRAY(SELECT id FROM ap_ids)) AND w = ANY ((SELECT ARRAY[10, 30, 50])::int4[]) GROUP BY w');
DROP TABLE ap, ap_lists, ap_ids, ap_dim;
DROP TYPE ap_mood;
