--
-- Computed values of very many finer groups: more than the backend works on together, than a table
-- begins with, and than fit memory. Short and long results, and those that are an argument as it came.
--
\a
\t on
SELECT prefer_device(false);
SET gpuagg.debug_require = 'allow';
CREATE TABLE cm WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 10 AS g, CASE WHEN i % 997 > 0 THEN 'Key ' || i % 3000 END AS short, CASE WHEN i % 991 > 0 THEN repeat('A Long Key ', 3) || i % 3000 END AS long,
	   repeat('X', i % 40) || i % 1000 AS mixed, (i % 20 * 100)::text AS digits, i % 2000 AS n
FROM generate_series(1, 9000) i;
INSERT INTO cm (id, g, short, long, mixed, digits, n) SELECT i, 3, repeat('very ', 300) || i % 40, repeat('long ', 20000) || i % 4, '', '', -1 FROM generate_series(20001, 20030) i;
VACUUM ANALYZE cm;
CREATE FUNCTION cm_compare(x text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT compare(q) FROM unnest(ARRAY[
	format('SELECT %s AS k, count(*), sum(id), max(n), min(n), count(n) FILTER (WHERE g > 4) FROM cm GROUP BY 1', x),
	format('SELECT g, %s AS k, count(*), bit_xor(id) FROM cm WHERE g < 6 GROUP BY 1, 2', x),
	format('SELECT %s AS k, count(DISTINCT n %% 5), count(DISTINCT upper(short)), count(*) FROM cm GROUP BY 1', x),
	format('SELECT g, count(DISTINCT %s), sum(length(%1$s)), avg(octet_length(%1$s)), count(%1$s) FILTER (WHERE short LIKE ''%%7'') FROM cm GROUP BY g', x),
	format('SELECT count(DISTINCT %s), count(DISTINCT %1$s) FILTER (WHERE g = 3), count(*) FROM cm', x),
	format('SELECT %s AS k, g, GROUPING(g), count(*), sum(n) FROM cm GROUP BY ROLLUP (1, 2)', x),
	format('SELECT %s AS k, min(%1$s), max(lower(long)), count(*) FROM cm GROUP BY 1', x)]) q $$;
SELECT x, (SELECT string_agg(c, ', ') FROM cm_compare(x) c) FROM unnest(ARRAY['lower(short)', 'lower(long)', 'coalesce(nullif(upper(short), ''KEY 9''), long)', 'CASE WHEN left(long, 3) <> ''A'' THEN long ELSE upper(short) END', 'CASE lower(short) WHEN ''key 7'' THEN short ELSE long END',
	'left(short, 6)', 'substr(long, 20)', 'mixed || ''!''', 'nullif(mixed, upper(short))', 'n / 3', 'lower(mixed)', 'CASE WHEN length(reverse(mixed)) > 5 THEN mixed END', 'upper(left(mixed, 1)) = ''X''']) x;
-- groups in parts, and stores on disk; strings beyond all memory are elsewhere
DELETE FROM cm WHERE n < 0;
VACUUM cm;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT x, compare(format('SELECT %s AS k, count(*), sum(id), max(n), count(n) FILTER (WHERE g > 4) FROM cm GROUP BY 1', x)),
	   compare(format('SELECT %s AS k, count(DISTINCT n %% 5), count(DISTINCT upper(short)), count(*) FROM cm GROUP BY 1', x)),
	   compare(format('SELECT n, count(DISTINCT %s), sum(length(%1$s)) FROM cm GROUP BY n', x))
FROM unnest(ARRAY['lower(long)', 'coalesce(nullif(upper(short), ''KEY 9''), long)', 'CASE WHEN left(long, 3) <> ''A'' THEN long ELSE upper(short) END', 'lower(mixed)']) x;
RESET work_mem;
RESET hash_mem_multiplier;
-- errors: of the values that are there, and only of rows that matter
INSERT INTO cm (id, g, digits, n) VALUES (0, 3, '', -1);
SELECT compare('SELECT digits::int, count(*), sum(id) FROM cm GROUP BY 1'), compare('SELECT digits::int, count(*), sum(id) FROM cm WHERE n >= 0 AND digits <> '''' GROUP BY 1'),
	   compare('SELECT g, sum(digits::int) FILTER (WHERE digits <> ''''), count(DISTINCT short) FROM cm GROUP BY g');
DROP FUNCTION cm_compare;
DROP TABLE cm;
