--
-- percentile_cont, percentile_disc and mode WITHIN GROUP, made of finer groups.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TYPE os_size AS ENUM ('small', 'large', 'medium');
CREATE TABLE os AS
SELECT i AS id, i % 7 AS g, CASE WHEN i % 11 > 0 THEN i % 13 END AS h, (i * 7919 % 400)::int8 * 5000000000 AS big, (i % 50)::int2 AS s,
	   (i * 31 % 300 / 4.0)::numeric(8, 2) AS n, CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' WHEN 3 THEN NULL ELSE i % 30 / 8.0 END::float8 AS f,
	   (i % 97 / 3.0)::float8 AS x, ((i % 40) / 4.0)::float4 AS r, CASE i % 5 WHEN 0 THEN 'B' WHEN 1 THEN 'a' ELSE '' END || i % 60 AS t, ('c' || i % 5)::char(6) AS c,
	   repeat('long', i % 8 * 3) || i % 3 AS lt, '2020-01-01'::date + i % 90 AS d, '2020-03-20'::timestamptz + i % 500 * interval '1 h' AS z,
	   i % 20 * interval '1 h 7 min' + i % 3 * interval '40 days' AS v, md5((i % 20)::text)::uuid AS u, i % 3 = 0 AS b,
	   (ARRAY['small', 'large', 'medium'])[i % 3 + 1]::os_size AS e, CASE WHEN i % 2 = 0 THEN i % 60 * 1.25 ELSE i % 60 + 0.1 END AS free, ('10.0.' || i % 9 || '.' || i % 4)::inet AS ip
FROM generate_series(1, 8000) i;
INSERT INTO os (id, g) SELECT i, NULL FROM generate_series(8001, 8020) i;
INSERT INTO os (id, g) SELECT i, 99 FROM generate_series(8021, 8023) i;
VACUUM ANALYZE os;
CREATE TABLE os_empty (LIKE os);

-- every type: the discrete ones, with groups and without, both directions, filters
SELECT x, compare(format('SELECT mode() WITHIN GROUP (ORDER BY %s), percentile_disc(0.3) WITHIN GROUP (ORDER BY %1$s) FROM os', x)),
	   compare(format('SELECT g, mode() WITHIN GROUP (ORDER BY %s DESC), count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s),
					   percentile_disc(0.9) WITHIN GROUP (ORDER BY %1$s DESC) FROM os GROUP BY g', x)),
	   compare(format('SELECT h, percentile_disc(ARRAY[[0, 0.1, NULL], [1, 0.5, 0.05]]) WITHIN GROUP (ORDER BY %s) FILTER (WHERE id %% 2 = 0), sum(id)
					   FROM os WHERE id %% 3 > 0 GROUP BY h', x))
FROM unnest(ARRAY['id', 'h', 'big', 's', 'n', 'f', 'x', 'r', 't', 't COLLATE "C"', 'c', 'lt', 'd', 'z', 'u', 'b', 'e', 'ip', 'id % 100', 'upper(lt)', 'n * 2', 'z::date',
	'date_trunc(''day'', z)', 'd - 5', 'free']) x;
SELECT x, compare(format('SELECT mode() WITHIN GROUP (ORDER BY %s), percentile_disc(0.3) WITHIN GROUP (ORDER BY %1$s) FROM os', x), 'prefer'),
	   compare(format('SELECT g, percentile_disc(ARRAY[0.2, 0.7]) WITHIN GROUP (ORDER BY %s), mode() WITHIN GROUP (ORDER BY %1$s) FROM os GROUP BY g', x), 'prefer')
FROM unnest(ARRAY['v', 'id::text', 'upper(t) COLLATE "C"']) x;
-- interpolated
SELECT x, p, compare(format('SELECT percentile_cont(%s) WITHIN GROUP (ORDER BY %s), min(id) FROM os WHERE id < 8000', p, x)),
	   compare(format('SELECT g, percentile_cont(%s) WITHIN GROUP (ORDER BY %s), percentile_cont(%1$s) WITHIN GROUP (ORDER BY %2$s DESC) FILTER (WHERE b) FROM os GROUP BY g', p, x))
FROM unnest(ARRAY['id', 'n', 'x', 'f', 'r', 'big', 'x * 3', 'id % 10', 'v', 'sqrt(id)', 'free']) x,
	 unnest(ARRAY['0.5', '0', '1', '0.123456', 'NULL::float8', 'ARRAY[0.25, 0.5, NULL, 0.75, 0.99]', 'ARRAY[]::float8[]', 'NULL::float8[]', '''[5:6]={0.3,0.1}''::float8[]']) p;
SELECT compare('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) - avg(x) > 0, percentile_cont(0.9) WITHIN GROUP (ORDER BY x), percentile_cont(0.99) WITHIN GROUP (ORDER BY x),
	percentile_disc(0.9) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY h), count(DISTINCT h), sum(DISTINCT s), max(t COLLATE "C") FROM os');

-- a mode of equals: the first in order; and of values that the device counts apart
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT b, mode() WITHIN GROUP (ORDER BY s), mode() WITHIN GROUP (ORDER BY s DESC), count(DISTINCT h) FROM os GROUP BY b',
	'SELECT g, mode() WITHIN GROUP (ORDER BY lower(t)), mode() WITHIN GROUP (ORDER BY length(lt)), percentile_disc(0.5) WITHIN GROUP (ORDER BY left(t, 1)) FROM os GROUP BY g',
	'SELECT upper(left(t, 1)) AS k, mode() WITHIN GROUP (ORDER BY lower(t)), percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM os WHERE lower(t) <> ''b5'' GROUP BY 1',
	'SELECT mode() WITHIN GROUP (ORDER BY n) FILTER (WHERE t ~ ''a''), percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FILTER (WHERE lower(t) < ''b'') FROM os']) q;
-- grouping sets, keys that are the argument, what stands above
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, s, percentile_cont(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY t), grouping(g) FROM os GROUP BY CUBE (g, s)',
	'SELECT h, mode() WITHIN GROUP (ORDER BY h), percentile_disc(0.5) WITHIN GROUP (ORDER BY h), count(*) FROM os GROUP BY h',
	'SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS m FROM os GROUP BY g HAVING percentile_cont(0.5) WITHIN GROUP (ORDER BY x) > 15.9 ORDER BY m, g LIMIT 3',
	'SELECT g FROM os GROUP BY g HAVING mode() WITHIN GROUP (ORDER BY h) > 3',
	'SELECT percentile_cont(0.25 + 0.5 * length(current_setting(''is_superuser'')) / 4) WITHIN GROUP (ORDER BY x) FROM os']) q;
-- no rows; errors, with their SQLSTATEs
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY t), percentile_disc(ARRAY[2.0]) WITHIN GROUP (ORDER BY s) FROM os_empty',
	'SELECT g, percentile_cont(7) WITHIN GROUP (ORDER BY x) FROM os WHERE id < 0 GROUP BY g',
	'SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY x) FROM os WHERE id < 0',
	'SELECT g, percentile_cont(-0.1) WITHIN GROUP (ORDER BY x) FROM os GROUP BY g',
	'SELECT percentile_disc(''NaN''::float8) WITHIN GROUP (ORDER BY t) FROM os',
	'SELECT g, percentile_disc(ARRAY[0.5, 1.01]) WITHIN GROUP (ORDER BY x) FROM os GROUP BY g',
	'SELECT g, percentile_disc(ARRAY[0.5, 1.01]) WITHIN GROUP (ORDER BY x) FROM os WHERE g = 99 GROUP BY g']) q;

-- memory, parts of a set, a cache of columns
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT compare('SELECT id % 3000, percentile_cont(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY lt) FROM os GROUP BY 1');
SELECT compare('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY md5(id::text)) FROM os');
RESET work_mem;
RESET hash_mem_multiplier;
SELECT gpuagg.load('os') > 0;
SELECT compare('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY t), percentile_disc(0.4) WITHIN GROUP (ORDER BY e) FROM os GROUP BY g');

-- parameters, rescans, values that only PostgreSQL can decode
SET gpuagg.debug_require = 'require';
SET plan_cache_mode = force_generic_plan;
PREPARE os_at (float8) AS SELECT g, percentile_disc($1) WITHIN GROUP (ORDER BY id) FROM os WHERE g < 3 GROUP BY g ORDER BY g;
EXECUTE os_at (0);
EXECUTE os_at (1);
EXECUTE os_at (2);
DEALLOCATE os_at;
RESET plan_cache_mode;
SELECT k, m FROM generate_series(0, 2) k, LATERAL (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id) AS m FROM os WHERE g = k) q;
EXPLAIN (COSTS OFF) SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM os GROUP BY g;
SET gpuagg.debug_require = 'allow';
ALTER TABLE os ALTER lt SET STORAGE EXTENDED;
INSERT INTO os (id, g, lt, x) SELECT i, i % 7, repeat('x' || i % 3, 9000), i FROM generate_series(1, 40) i;
SELECT compare('SELECT g, mode() WITHIN GROUP (ORDER BY lt), percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM os GROUP BY g');

-- not taken
SELECT q, w FROM unnest(ARRAY[
	'SELECT g, percentile_cont(g / 100.0) WITHIN GROUP (ORDER BY x) FROM os GROUP BY g',
	'SELECT percentile_cont((SELECT 0.5 WHERE random() < 2)) WITHIN GROUP (ORDER BY x) FROM os',
	'SELECT rank(5) WITHIN GROUP (ORDER BY h) FROM os']) q, gpuagg.why_not(q) w;
DROP TABLE os, os_empty;
DROP TYPE os_size;

-- many values: the device merges those between the rows that are asked for
CREATE TABLE os_many AS
SELECT i, i % 7 AS g, i % 900 AS few, hashint4(i) % 5000 AS v4, hashint8(i)::int8 AS v8, (hashint4(i) % 100000 / 100.0)::numeric(10, 2) AS n,
	   CASE WHEN i % 50 = 0 THEN 'NaN' WHEN i % 51 = 0 THEN 'inf' WHEN i % 52 = 0 THEN -0.0 ELSE hashint4(i) / 7.0 END::float8 AS f,
	   CASE WHEN i % 11 > 3 THEN date '2020-01-01' + hashint4(i) % 3000 END AS d, timestamptz '2020-01-01' + hashint4(i) * interval '1 second' AS t,
	   CASE WHEN i % 2000 = 7 THEN 'NaN' ELSE hashint4(i) % 1000 / 10.0 END::numeric(8, 1) AS strange
FROM generate_series(1, 12000) i;
ANALYZE os_many;
SELECT v, compare(format('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s), percentile_disc(ARRAY[0, 0.01, 0.333, 0.99, 1, NULL]) WITHIN GROUP (ORDER BY %1$s DESC),
	count(%1$s), count(*), sum(i), min(few), max(i) FROM os_many GROUP BY g', v))
FROM unnest(ARRAY['v4', 'v8', 'n', 'f', 'd', 't', 'i', 'few']) v;
SELECT v, compare(format('SELECT g, percentile_cont(0.25) WITHIN GROUP (ORDER BY %1$s), percentile_cont(ARRAY[[0, 0.5], [0.9999, 1]]) WITHIN GROUP (ORDER BY %1$s DESC)
	FROM os_many GROUP BY g', v), 'require', 1e-12) FROM unnest(ARRAY['v4', 'v8', 'i', 'few']) v;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), percentile_cont(0.1) WITHIN GROUP (ORDER BY i) FROM os_many',
	'SELECT few, percentile_disc(ARRAY[0.3, 0.7]) WITHIN GROUP (ORDER BY v8), count(*) FROM os_many GROUP BY few',
	'SELECT g, few % 3, percentile_disc(0.9) WITHIN GROUP (ORDER BY n) FROM os_many GROUP BY 1, 2',
	'SELECT d, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4) FROM os_many GROUP BY d',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FILTER (WHERE few > 500), count(*) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FILTER (WHERE few > 5000), count(*) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), mode() WITHIN GROUP (ORDER BY v4) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), count(DISTINCT v4), sum(v4) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), avg(n), stddev(few), max(d) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many WHERE few < 100 GROUP BY g HAVING count(*) > 10',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY ROLLUP (g)',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY strange), percentile_disc(1) WITHIN GROUP (ORDER BY strange) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), max(strange) FROM os_many GROUP BY g',
	'SELECT few, percentile_disc(0.5) WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY few',
	'SELECT g, few, percentile_disc(0.5) WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY g, few',
	'SELECT left(v8::text, 1), percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY 1',
	'SELECT g, to_hex(g), percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), sum(strange) FROM os_many GROUP BY 1, 2',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), sum(strange) FROM os_many GROUP BY g',
	'SELECT a.g, percentile_disc(0.5) WITHIN GROUP (ORDER BY a.v8) FROM os_many a JOIN (SELECT DISTINCT few FROM os_many WHERE few < 500) b ON a.few = b.few GROUP BY a.g']) q;
SELECT compare(format('SELECT g, percentile_disc(%s) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY g', f), 'prefer') FROM unnest(ARRAY['NULL', '1.5', 'ARRAY[NULL, NULL]::float8[]', '''NaN''::float8']) f;
SELECT v, compare(format('SELECT g, mode() WITHIN GROUP (ORDER BY %1$s), count(%1$s), count(*), sum(i), min(few), max(i) FROM os_many GROUP BY g', v)),
	compare(format('SELECT few %% 100 AS k, mode() WITHIN GROUP (ORDER BY %1$s DESC), count(*) FROM os_many GROUP BY 1', v), 'prefer')
FROM unnest(ARRAY['v4', 'v8', 'n', 'f', 'd', 't', 'i', 'few', 'i % 300', 'few / 7', 'strange']) v;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT mode() WITHIN GROUP (ORDER BY few), count(few), avg(n) FROM os_many',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE v4 > 0), mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE v4 > 0), count(*) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE g > 2), count(few), sum(few), count(*) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY d) FILTER (WHERE few > 500), count(*), count(d), max(v8) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), mode() WITHIN GROUP (ORDER BY few DESC) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), count(DISTINCT few), sum(DISTINCT few) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), mode() WITHIN GROUP (ORDER BY d) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY d), max(strange), stddev(few) FROM os_many GROUP BY g HAVING count(d) > 10',
	'SELECT few, mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY few',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY ROLLUP (g)']) q;
-- by rows that are sorted, where a device has that
SET gpuagg.strategy = 'sorted';
SELECT v, compare(format('SELECT g, percentile_disc(ARRAY[0.333, 1]) WITHIN GROUP (ORDER BY %1$s), percentile_disc(0.01) WITHIN GROUP (ORDER BY %1$s DESC), count(%1$s), count(*), sum(i), min(few) FROM os_many GROUP BY g', v))
FROM unnest(ARRAY['v4', 'v8', 'n', 'f', 'd', 't', 'i', 'few']) v;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), percentile_cont(0.1) WITHIN GROUP (ORDER BY v8 DESC) FROM os_many',
	'SELECT f, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), count(*) FROM os_many GROUP BY f',
	'SELECT d, few, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8), sum(n) FROM os_many GROUP BY d, few',
	'SELECT few::text, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY 1',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY d) FILTER (WHERE few > 500), count(*), count(d), max(v8) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FILTER (WHERE few > 5000), sum(few) FROM os_many GROUP BY g',
	'SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v4), percentile_disc(0.5) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY g',
	'SELECT g, count(DISTINCT v4), count(DISTINCT f), count(DISTINCT d) FROM os_many GROUP BY g',
	'SELECT g, few, count(*), avg(n), stddev(few) FILTER (WHERE f < 1e9) FROM os_many WHERE i % 3 > 0 GROUP BY g, few',
	'SELECT v8, n, f, d, t, count(*) FROM os_many GROUP BY v8, n, f, d, t']) q;
SELECT v, compare(format('SELECT g, count(DISTINCT %1$s), count(%1$s), count(*), sum(i), min(few) FROM os_many GROUP BY g', v)),
	compare(format('SELECT count(DISTINCT %1$s), max(few) FROM os_many', v)), compare(format('SELECT %1$s AS k, count(DISTINCT few) FROM os_many GROUP BY 1', v), 'prefer')
FROM unnest(ARRAY['v4', 'v8', 'n', 'f', 'd', 't', 'i', 'few', 'few / 8.0::float8']) v;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, count(DISTINCT v4) FILTER (WHERE few > 500), max(i) FROM os_many GROUP BY g',
	'SELECT g, d, count(DISTINCT v4), avg(n), stddev(few) FROM os_many GROUP BY g, d',
	'SELECT g, count(DISTINCT v4), sum(DISTINCT v4) FROM os_many GROUP BY g',
	'SELECT few, count(DISTINCT v4) AS c FROM os_many GROUP BY few ORDER BY c DESC, few LIMIT 7',
	'SELECT few, sum(i) FROM os_many GROUP BY few HAVING count(DISTINCT d) > 5',
	'SELECT g, count(DISTINCT v4) FROM os_many WHERE i < 0 GROUP BY g', 'SELECT count(DISTINCT v4) FROM os_many WHERE i < 0',
	'SELECT g, count(DISTINCT d) FROM os_many GROUP BY ROLLUP (g)', 'SELECT few::text, count(DISTINCT v8) FROM os_many GROUP BY 1',
	'SELECT g, count(DISTINCT f * 0) FROM os_many GROUP BY g', 'SELECT count(DISTINCT (g, few)), count(DISTINCT few) FROM os_many']) q;
SELECT v, compare(format('SELECT g, mode() WITHIN GROUP (ORDER BY %1$s), count(%1$s), count(*), sum(i), min(few), max(i) FROM os_many GROUP BY g', v)),
	compare(format('SELECT few %% 100 AS k, mode() WITHIN GROUP (ORDER BY %1$s DESC), count(*) FROM os_many GROUP BY 1', v), 'prefer')
FROM unnest(ARRAY['v4', 'v8', 'n', 'f', 'd', 't', 'i', 'few', 'i % 300', 'few / 7', 'strange']) v;
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT mode() WITHIN GROUP (ORDER BY few), count(few), avg(n) FROM os_many',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE v4 > 0), mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE v4 > 0), count(*) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FILTER (WHERE g > 2), count(few), sum(few), count(*) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY d) FILTER (WHERE few > 500), count(*), count(d), max(v8) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), mode() WITHIN GROUP (ORDER BY few DESC) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), count(DISTINCT few), sum(DISTINCT few) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few), mode() WITHIN GROUP (ORDER BY d) FROM os_many GROUP BY g',
	'SELECT g, mode() WITHIN GROUP (ORDER BY d), max(strange), stddev(few) FROM os_many GROUP BY g HAVING count(d) > 10',
	'SELECT few, mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY few',
	'SELECT g, mode() WITHIN GROUP (ORDER BY few) FROM os_many GROUP BY ROLLUP (g)']) q;
RESET gpuagg.strategy;
PREPARE os_p (float8) AS SELECT md5(string_agg(x::text, ',' ORDER BY x)) FROM (SELECT g, percentile_disc($1) WITHIN GROUP (ORDER BY v8) FROM os_many GROUP BY g) x;
EXECUTE os_p (0.5);
SET gpuagg.enable = off;
EXECUTE os_p (0.5);
RESET gpuagg.enable;
DEALLOCATE os_p;
DROP TABLE os_many;
