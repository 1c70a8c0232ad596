--
-- Columns of numeric without precision and scale: each value has its own.
--
\a
\t on
CREATE TABLE nf (
	id int4, g int4, price numeric, disc numeric, whole numeric, mixed numeric, fixed numeric(12, 2), i8 int8, t text);
-- of mixed, equal values may have different scales
INSERT INTO nf
SELECT i, i % 17,
	   CASE WHEN i % 13 > 0 THEN (hashint4(i) % 100000000)::numeric / 100 END::numeric(15, 2),
	   CASE WHEN i % 11 > 0 THEN round((i % 11)::numeric / 100, 2) END,
	   CASE WHEN i % 7 > 0 THEN hashint4(i + 1) % 1000000 END,
	   CASE WHEN i % 5 > 0 THEN round((i % 400 - 200)::numeric / 8, 3 + i % 4) END,
	   (i % 1000)::numeric / 8, hashint8(i)::int8 * 100, repeat('t', i % 50)
FROM generate_series(1, 20000) i;
ANALYZE nf;

-- sums show the most decimals, extremes those of their row, keys those of one row
SELECT k, compare(format('SELECT g, count(%1$I), sum(%1$I), avg(%1$I), trim_scale(min(%1$I)), trim_scale(max(%1$I)) FROM nf GROUP BY g', k)),
	compare(format('SELECT sum(%1$I), avg(%1$I), trim_scale(min(%1$I)), trim_scale(max(%1$I)), count(%1$I) FROM nf', k)),
	compare(format('SELECT trim_scale(%1$I), count(*), sum(id), sum(%1$I) FROM nf GROUP BY %1$I', k)),
	compare(format('SELECT %1$I %% 7, sum(%1$I) FILTER (WHERE id %% 3 = 0), avg(%1$I) FILTER (WHERE id < 0) FROM nf GROUP BY 1', k))
FROM unnest(ARRAY['price', 'disc', 'whole', 'mixed']) k;
SELECT k, compare(format('SELECT g, min(%1$I), max(%1$I) FROM nf GROUP BY g', k)),
	compare(format('SELECT %1$I, count(*) FROM nf GROUP BY %1$I', k)), compare(format('SELECT DISTINCT %1$I, g FROM nf', k))
FROM unnest(ARRAY['price', 'disc', 'whole']) k;
SELECT compare('SELECT sum(price), avg(mixed), min(price), max(mixed) FROM nf WHERE id < 0');

-- arithmetic, and how many decimals it shows
SELECT e, compare(format('SELECT g, sum(%1$s), avg(%1$s), count(%1$s) FROM nf GROUP BY g', e)),
	   compare(format('SELECT trim_scale(min(%1$s)), trim_scale(max(%1$s)) FROM nf', e)),
	   compare(format('SELECT trim_scale(%1$s), count(*) FROM nf GROUP BY %1$s', e))
FROM unnest(ARRAY['price * (1 - disc)', 'price + mixed', 'mixed - whole', '-mixed', 'abs(mixed)', 'mixed * 2', 'price * fixed',
	'whole + i8', 'mixed % 7', 'mod(mixed, 0.03)', 'div(mixed, 0.5)', 'div(price, 7)', 'sign(mixed)', 'mixed * mixed',
	'round(mixed)', 'round(mixed, 2)', 'round(price, -3)', 'trunc(mixed, 1)', 'floor(mixed)', 'ceil(mixed)',
	'mixed::numeric(12, 1)', 'NULLIF(mixed, 5)', 'least(mixed, disc)', 'greatest(mixed, 1)', 'coalesce(mixed, fixed)',
	'CASE WHEN g > 4 THEN mixed ELSE 0 END', 'CASE g WHEN 1 THEN price WHEN 2 THEN mixed END']) e;
SELECT compare('SELECT sum(div(mixed, mixed - mixed)) FROM nf');

-- comparisons
SELECT c, compare(format('SELECT g, count(*), sum(price) FROM nf WHERE %s GROUP BY g', c))
FROM unnest(ARRAY['price > 100', 'mixed = 1.5', 'mixed <> 1.5000', 'mixed <= -0.0005', 'disc = 0.055', 'disc BETWEEN 0.05 AND 0.07',
	'mixed IN (1.5, 2, 0.125, 0.3333333)', 'mixed NOT IN (1, 2.5)', 'mixed > disc', 'mixed = fixed', 'mixed IS DISTINCT FROM fixed',
	'mixed IS NULL', 'whole > i8', 'mixed > 2.5 AND price IS NOT NULL']) c;
PREPARE nf_p(numeric) AS SELECT g, count(*), sum(mixed) FROM nf WHERE mixed > $1 GROUP BY g ORDER BY g LIMIT 2;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.debug_require = 'require';
EXECUTE nf_p(2.505);
SET gpuagg.enable = off;
SET gpuagg.debug_require = 'allow';
EXECUTE nf_p(2.505);
RESET gpuagg.enable;
RESET plan_cache_mode;

-- casts
SELECT e, compare(format('SELECT %s AS k, count(*) FROM nf GROUP BY 1', e))
FROM unnest(ARRAY['disc::float8', 'whole::int4', 'mixed::int2', 'mixed::float8 > 0', 'price::int8', 'whole::int8']) e;

-- the order of groups, HAVING
SELECT compare(format('SELECT g, sum(mixed) AS s, min(mixed) AS a, max(price) FROM nf GROUP BY g HAVING %s ORDER BY %s', h, o)) FROM
	unnest(ARRAY['true', 'sum(mixed) > 10.5', 'max(price) > 999999', 'min(mixed) = -24.875', 'max(mixed) <> 24.75']) h,
	unnest(ARRAY['s DESC, g', 'g LIMIT 3', 's, g LIMIT 4 OFFSET 1', 'max(price) DESC LIMIT 3', 'sum(mixed) DESC FETCH FIRST 2 ROWS WITH TIES']) o;
SELECT compare('SELECT trim_scale(mixed), count(*) FROM nf GROUP BY mixed ORDER BY mixed DESC NULLS LAST LIMIT 3');

-- what a word does not hold is PostgreSQL's, of a row, an expression or a sum
CREATE TABLE nf_big (g int4, n numeric, m numeric);
INSERT INTO nf_big SELECT i % 5, round(i / 10.0, 1), i % 100 FROM generate_series(1, 3000) i;
ALTER TABLE nf_big ALTER m SET STORAGE MAIN;
ANALYZE nf_big;
INSERT INTO nf_big VALUES (6, 288230376151711743, 1), (6, -288230376151711743, 2), (7, 288230376151711744, 1),
	(8, 1e40, 1), (9, 'NaN', 1), (10, 'Infinity', 1), (11, 0.12345678, 1), (12, 0.0000000000000000001, 1), (13, 1.00000000000000000000, 1),
	(14, 1e-100, 2), (15, round(1, 100), 2), (16, 0.5000000000, NULL);
SELECT n, compare(format('SELECT g, sum(n), avg(n), min(n), max(n), count(n), sum(m) FROM nf_big WHERE g %s GROUP BY g', n), 'prefer')
FROM unnest(ARRAY['< 5', '= 6', '= 7', '= 8', '= 9', '= 10', '= 11', '= 12', '= 13', '= 14', '= 15', '= 16', '> 5']) n;
SELECT compare('SELECT g, sum(n), avg(n) FROM nf_big WHERE g IN (1, 15, 13) GROUP BY g');
SELECT compare('SELECT n, count(*) FROM nf_big WHERE g < 5 GROUP BY n');
SELECT compare('SELECT trim_scale(n), count(*) FROM nf_big GROUP BY n');
SELECT compare('SELECT g, count(n), count(*) FILTER (WHERE n IS NULL) FROM nf_big GROUP BY g');
SELECT compare('SELECT g, count(*) FROM nf_big WHERE n > 5.05 AND g <> 9 GROUP BY g', 'prefer');
CREATE TABLE nf_long AS SELECT i % 3 AS g, i / 7.0 AS n FROM generate_series(1, 1000) i;
ANALYZE nf_long;
SELECT compare('SELECT g, count(n), count(*) FILTER (WHERE n IS NULL) FROM nf_long GROUP BY g');
-- sums of more than 64 bits
INSERT INTO nf_big SELECT 20, 200000000000000000, 99999999999999.9 FROM generate_series(1, 5000);
SELECT compare('SELECT sum(m), avg(m) FROM nf_big WHERE g = 20');
SELECT compare('SELECT g, sum(n), avg(n) FROM nf_big WHERE g = 20 GROUP BY g', 'prefer');

-- nothing known of the values
CREATE TABLE nf_new (g int4, n numeric) WITH (autovacuum_enabled = off);
INSERT INTO nf_new SELECT i % 9, round(i / 100.0, 2) FROM generate_series(1, 5000) i;
SELECT compare('SELECT g, sum(n), avg(n * 2), min(n) FROM nf_new GROUP BY g');

-- stored forms; columns that were added, and lost their scale; the cache
CREATE TABLE nf_kept (id int4, t text, n numeric(10, 2));
INSERT INTO nf_kept SELECT i, repeat('x', i % 200), i / 100.0 FROM generate_series(1, 3000) i;
ALTER TABLE nf_kept ADD COLUMN d numeric DEFAULT 1.250, ADD COLUMN e numeric;
INSERT INTO nf_kept SELECT i, NULL, -i * 10000, round(i / 1000.0, 3), round(i / 10.0, 1) FROM generate_series(3001, 5000) i;
VACUUM ANALYZE nf_kept;
SELECT gpuagg.load('nf_kept', '{n,d,e}') > 0;
SELECT compare('SELECT d, count(*), sum(n), sum(e), min(e), avg(d) FROM nf_kept GROUP BY d') FROM generate_series(1, 2);
SELECT compare('SELECT id % 3, sum(n), max(n) FROM nf_kept GROUP BY 1') FROM generate_series(1, 2);
SELECT column_name FROM gpuagg.cache WHERE relation = 'nf_kept'::regclass AND column_name = 'n' AND pages > 0;
ALTER TABLE nf_kept ALTER n TYPE numeric;
SELECT compare('SELECT id % 3, sum(n), max(n), avg(d) FROM nf_kept GROUP BY 1') FROM generate_series(1, 3);
UPDATE nf_kept SET n = n + 0.12345 WHERE id = 17;
VACUUM ANALYZE nf_kept;
SELECT compare('SELECT id % 3, sum(n), max(n), avg(d) FROM nf_kept GROUP BY 1') FROM generate_series(1, 3);
SELECT column_name, pages = pages_total AS whole FROM gpuagg.cache WHERE relation = 'nf_kept'::regclass ORDER BY 1;

SELECT compare(q) FROM unnest(ARRAY['SELECT sum(price / 3) FROM nf', 'SELECT sum(n), avg(n), trim_scale(min(n)), trim_scale(max(n)), count(DISTINCT n) FROM nf_long']) q;
SELECT q, why FROM unnest(ARRAY['SELECT sum(mixed * mixed * mixed * mixed) FROM nf']) q,
	gpuagg.why_not(q) AS why;
EXPLAIN (COSTS OFF) SELECT mixed, sum(price * (1 - disc)) FROM nf WHERE mixed > 0.5 GROUP BY mixed;
DROP TABLE nf, nf_big, nf_long, nf_new, nf_kept;
