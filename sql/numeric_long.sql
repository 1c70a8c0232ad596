--
-- Numerics that devices have no form of, in columns whose other values they have: NaN,
-- infinities, many digits.  Such a row is evaluated by PostgreSQL, and the rest of the
-- query stays the device's: "require" admits no fallback.  Statistics must not know of the
-- finite ones: no autovacuum.
--
\a
\t on
SELECT prefer_device(false);
SET client_min_messages = warning;
CREATE TABLE nl WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 7 AS g, i % 5 = 0 AS b, ('k' || i % 4) AS t, ('c' || i % 3)::char(5) AS c, md5((i % 3)::text)::uuid AS u,
	   (i % 3 - 1) * 0.5::float8 AS f, (i % 3)::numeric(5, 1) AS nk, '2020-01-01'::date + i % 3 AS d,
	   (i % 100 * 0.25)::numeric(15, 2) AS n, (i % 50 * 0.5)::numeric AS m
FROM generate_series(1, 5000) i;
VACUUM ANALYZE nl;
INSERT INTO nl
SELECT 5000 + i, g, i % 2 = 0, CASE WHEN i % 3 > 0 THEN 'k' || i % 5 END, CASE WHEN i % 2 > 0 THEN 'c1' END, md5((i % 4)::text)::uuid,
	   (ARRAY['-0', 'NaN', '0.5', NULL])[1 + i % 4]::float8, i % 3, '2020-01-01'::date + i % 4, n, m
FROM (VALUES (1, 1, 'NaN'::numeric, '1.25'::numeric), (2, 2, 2.5, 'NaN'), (3, 3, 1, 123456789012345678901234567890.5), (4, 4, 1, 'Infinity'),
			 (5, 5, 1, '-Infinity'), (6, 6, 1, 'Infinity'), (7, 6, 1, '-Infinity'), (8, 8, 'NaN', 'NaN'), (9, 9, 1, 1e40), (10, 9, 2, -1e40),
			 (11, 9, 3, 7), (12, 10, 3, 1e300), (13, 10, 3, -1e300 + 0.001), (14, NULL, 4, 98765432109876543210.123456789), (15, 11, NULL, 'NaN')) v(i, g, n, m);
CREATE TABLE nl_uses (n int, aggs text);
INSERT INTO nl_uses VALUES
	(1, 'sum(n), sum(m)'), (2, 'avg(n), avg(m)'), (3, 'min(n), max(n), min(m), max(m)'), (4, 'count(n), count(m), count(*)'),
	(5, 'sum(m) FILTER (WHERE b), avg(m) FILTER (WHERE id > 5000), max(m) FILTER (WHERE NOT b)'),
	(6, 'sum(m * 2), sum(n + m), max(-m), min(abs(m))'), (7, 'sum(CASE WHEN b THEN m ELSE n END), max(coalesce(n, m))'),
	(8, 'stddev(m), var_pop(n), var_samp(m), stddev_pop(m), sum(m), count(m)'), (9, 'variance(m) FILTER (WHERE b), stddev(n) FILTER (WHERE id > 5000), var_pop(m * 2), sum(n), avg(m)');
-- every key, from pages and from what the device keeps
CREATE FUNCTION nl_agree() RETURNS TABLE (key text, differ text) LANGUAGE sql AS $$
	SELECT k, string_agg(aggs || ': ' || r, '; ')
	FROM unnest(ARRAY['g', 'b', 't', 'c', 'u', 'f', 'nk', 'd', 't, g', 'c, f, u', 'date_trunc(''month'', d)', 'id % 2', '()']) WITH ORDINALITY x(k, o), nl_uses,
		 LATERAL compare(format('SELECT %s FROM nl %s', concat_ws(', ', nullif(regexp_replace(k, '\mf\M', 'abs(f)'), '()'), aggs), 'GROUP BY ' || nullif(k, '()'))) r
	GROUP BY k, o HAVING NOT bool_and(r ~ '^ok') ORDER BY o $$;
SELECT * FROM nl_agree();
SELECT gpuagg.load('nl') > 0;
SELECT * FROM nl_agree();
SELECT g, sum(m), avg(m), min(m), max(m), count(m) FROM nl WHERE id > 5000 GROUP BY g ORDER BY g;
-- conditions; parameters; nothing left
SELECT compare('SELECT g, count(*), sum(n) FROM nl WHERE m > 3 GROUP BY g'), compare('SELECT g, sum(m) FROM nl WHERE m > 1000 OR m < 0 GROUP BY g'),
	   compare('SELECT g, sum(m) FROM nl WHERE id = 5012 GROUP BY g'), compare('SELECT sum(m), max(m) FROM nl WHERE id > 9999');
-- groups that are left out on the device: not where a value is missing there
SELECT compare('SELECT g, sum(m) FROM nl GROUP BY g HAVING sum(m) > 100'), compare('SELECT g, max(m) FROM nl GROUP BY g HAVING max(m) > 1000'),
	   compare('SELECT g, avg(m) FROM nl GROUP BY g ORDER BY 2 DESC, 1 LIMIT 3'), compare('SELECT t, min(m) FROM nl GROUP BY t ORDER BY 2, 1 LIMIT 2'),
	   compare('SELECT g, count(*), sum(m) FROM nl GROUP BY g ORDER BY count(*), g LIMIT 4');
-- in passes, and in partitions alike and not
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT compare('SELECT id, sum(m), max(n) FROM nl GROUP BY id'), compare('SELECT id % 3000, t, avg(m), min(n) FROM nl GROUP BY 1, 2');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
CREATE TABLE nl_parts (junk int, g int, m numeric, t text) PARTITION BY RANGE (g);
ALTER TABLE nl_parts DROP COLUMN junk;
CREATE TABLE nl_1 PARTITION OF nl_parts FOR VALUES FROM (0) TO (3) WITH (autovacuum_enabled = off);
CREATE TABLE nl_2 PARTITION OF nl_parts FOR VALUES FROM (3) TO (6) WITH (autovacuum_enabled = off);
CREATE TABLE nl_3 (t text, m numeric, g int) WITH (autovacuum_enabled = off);
ALTER TABLE nl_parts ATTACH PARTITION nl_3 FOR VALUES FROM (6) TO (99);
INSERT INTO nl_parts SELECT g, m, t FROM nl WHERE id <= 5000;
VACUUM ANALYZE nl_parts;
INSERT INTO nl_parts SELECT g, m, t FROM nl WHERE id > 5000 AND g IS NOT NULL;
SELECT compare('SELECT t, sum(m), avg(m), min(m), max(m) FROM nl_parts GROUP BY t'), compare('SELECT sum(m) FROM nl_parts WHERE g < 6'),
	   compare('SELECT g, max(m), sum(m) FROM nl_parts GROUP BY g');
-- by every strategy, also where rows come as records: arguments of different FILTERs share a value
CREATE TABLE nl_every WITH (autovacuum_enabled = off) AS
SELECT i AS id, i % 3 AS g, CASE WHEN i % 2 = 0 THEN 'NaN' ELSE (i % 5)::numeric END::numeric(15, 2) AS a, i % 11 AS x FROM generate_series(1, 400) i;
VACUUM ANALYZE nl_every;
SELECT s, compare(q) FROM unnest(ARRAY['block-local', 'single-pass', 'multi-pass-naive', 'multi-pass-copy', 'partitioned']) s, set_config('gpuagg.strategy', s, true), unnest(ARRAY[
	'SELECT g, sum(x) FILTER (WHERE id % 3 = 0), sum(x), avg(x), count(x) FILTER (WHERE id % 5 = 0) FROM nl_every WHERE a >= 2 GROUP BY g',
	'SELECT x, count(*), sum(x) FILTER (WHERE id % 3 = 0), min(x) FILTER (WHERE id % 7 = 0), sum(x) FROM nl_every WHERE a >= 2 GROUP BY x',
	'SELECT x, sum(a) FILTER (WHERE id % 3 = 0), sum(a), avg(a), count(a) FILTER (WHERE id % 3 = 1), min(a) FILTER (WHERE x > 3), max(a) FROM nl_every GROUP BY x',
	'SELECT count(a + 1), sum(a) FILTER (WHERE id % 3 = 0), sum(a + 1), avg(a), min(a + 1) FILTER (WHERE x > 3), count(a + 1) FILTER (WHERE x > 5) FROM nl_every']) q;
RESET gpuagg.strategy;
DROP TABLE nl_every;
-- more decimals than statistics know of, or more than fit with as many digits before them: read once more, such rows evaluated by PostgreSQL
CREATE TABLE nl_more WITH (autovacuum_enabled = off) AS SELECT g, t, b, m AS q FROM nl WHERE id <= 5000;
VACUUM ANALYZE nl_more;
INSERT INTO nl_more VALUES (3, 'k1', true, 0.333333333333333), (4, 'k2', false, 99999999999999999), (5, NULL, NULL, 1.5000000000), (6, 'k3', true, 1 / 7.0), (20, 'new', true, 'NaN'), (21, 'k1', true, 1e-30);
SELECT compare('SELECT g, sum(q), avg(q), min(q), max(q), count(q) FROM nl_more GROUP BY g'), compare('SELECT t, sum(q * 3), max(q) FILTER (WHERE b) FROM nl_more WHERE q < 20 OR q > 1000 GROUP BY t'),
	   compare('SELECT sum(q), min(q) FROM nl_more'), compare('SELECT t, max(q) FROM nl_more GROUP BY t ORDER BY 2 DESC, 1 LIMIT 2'), compare('SELECT g, count(*) FROM nl_more WHERE q > 3 GROUP BY g'),
	   compare('SELECT trim_scale(q), count(*) FROM nl_more GROUP BY q');
SELECT gpuagg.load('nl_more') > 0;
SELECT compare('SELECT g, sum(q), avg(q), min(q), max(q), count(q) FROM nl_more GROUP BY g'), compare('SELECT t, max(q) FROM nl_more GROUP BY t HAVING max(q) > 20');
-- twice from one execution: a cursor, a rescan
BEGIN;
DECLARE nl_cursor SCROLL CURSOR FOR SELECT g, sum(m) FROM nl WHERE g < 4 GROUP BY g ORDER BY g;
FETCH ALL nl_cursor;
MOVE ABSOLUTE 1 nl_cursor;
FETCH 2 nl_cursor;
COMMIT;
SELECT compare('SELECT x, (SELECT sum(m) FROM nl WHERE g = x) FROM generate_series(0, 11) x', 'any');
-- as keys: such a row is in no group of the device's
SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT m, count(*), sum(id), max(t COLLATE "C"), avg(n) FROM nl GROUP BY m', 'SELECT n, m, t, count(*), min(f), stddev(id) FROM nl GROUP BY m, t, n',
	'SELECT m + n, count(m), sum(m), stddev(m) FROM nl WHERE g < 10 OR t IS NULL GROUP BY 1', 'SELECT DISTINCT m FROM nl', 'SELECT DISTINCT g, m, b FROM nl WHERE id > 4990',
	'SELECT m, count(*) FROM nl GROUP BY m HAVING count(*) < 5', 'SELECT m, sum(id) FROM nl GROUP BY m ORDER BY m DESC LIMIT 5', 'SELECT m, sum(id) FROM nl GROUP BY m ORDER BY 2, 1 LIMIT 3 OFFSET 1',
	'SELECT coalesce(m, 0) AS k, count(*) FILTER (WHERE b), sum(CASE WHEN m > 3 THEN n END) FROM nl WHERE m > 5 GROUP BY 1',
	'SELECT m, rank() OVER (ORDER BY m), count(*) FROM nl WHERE id > 5000 GROUP BY m']) q;
SELECT m, count(*), sum(id) FROM nl WHERE id > 5000 GROUP BY m ORDER BY m;
SELECT compare('SELECT count(*), sum(c) FROM (SELECT m, count(*) AS c FROM nl GROUP BY m OFFSET 0) x', 'prefer'), compare('SELECT x, (SELECT count(*) FROM (SELECT m FROM nl WHERE id > x GROUP BY m OFFSET 0) y) FROM generate_series(4990, 5011, 7) x', 'any'),
	   compare('SELECT trim_scale(q), count(*), max(t COLLATE "C") FROM nl_more GROUP BY q'), compare('SELECT m, count(*) FROM nl TABLESAMPLE BERNOULLI (50) REPEATABLE (2) GROUP BY m', 'prefer');
-- of several tables, also such that are stored otherwise, and where a child's rows have another type or an expression
CREATE TABLE nl_child (extra int) INHERITS (nl) WITH (autovacuum_enabled = off);
INSERT INTO nl_child (id, g, m, t, extra) VALUES (7001, 1, 'NaN', 'k1', 1), (7002, 77, 1e50, 'new', 2), (7003, 78, 1.5, 'k1', 3);
CREATE TABLE nl_other WITH (autovacuum_enabled = off) AS SELECT t, m AS q, id FROM nl;
SELECT compare(q), q FROM unnest(ARRAY[
	'SELECT t, m, count(*), sum(g), max(m) FROM nl_parts GROUP BY t, m', 'SELECT m, count(*) FROM nl_parts WHERE g < 6 GROUP BY m', 'SELECT DISTINCT m FROM nl_parts WHERE g > 1', 'SELECT m, g FROM nl_parts GROUP BY m, g ORDER BY 1 DESC, 2 LIMIT 7',
	'SELECT m, count(*), sum(id), max(t COLLATE "C") FROM nl GROUP BY m', 'SELECT m, sum(g) FROM (SELECT m, g FROM nl_1 UNION ALL SELECT m, g FROM nl_2) x GROUP BY m',
	'SELECT m, count(*), sum(id) FROM (SELECT m, id FROM nl UNION ALL SELECT q, id FROM nl_other UNION ALL SELECT q, 1 FROM nl_other) x GROUP BY m HAVING count(*) < 7']) q;
SELECT m, count(*), sum(g) FROM nl_parts WHERE m > 1000 OR m < 0 GROUP BY m ORDER BY m;
SELECT compare('SELECT x, (SELECT count(*) FROM (SELECT m FROM nl_parts WHERE g > x GROUP BY m OFFSET 0) y) FROM generate_series(0, 9, 3) x', 'any');
-- below Finalize, where PostgreSQL reads one of them
CREATE TEMP TABLE nl_temp (LIKE nl_other);
INSERT INTO nl_temp SELECT * FROM nl_other WHERE id > 4990;
SELECT compare('SELECT m, count(*), sum(id), avg(id) FROM (SELECT q AS m, id FROM nl_other UNION ALL SELECT q, id FROM nl_temp) x GROUP BY m');
INSERT INTO nl_temp VALUES ('k1', '-Infinity', 9001), ('k3', NULL, 9002);
SELECT compare(format('SELECT t, %s FROM (SELECT t, q AS m, id FROM nl_other UNION ALL SELECT t, q, id FROM nl_temp) x GROUP BY t', a)), compare(format('SELECT %s FROM (SELECT q AS m, id FROM nl_other UNION ALL SELECT q, id FROM nl_temp) x WHERE id %% 1000 BETWEEN 9 AND 16', a))
FROM unnest(ARRAY['sum(m), avg(m), count(m), count(*)', 'min(m), max(m), avg(m)', 'avg(m) FILTER (WHERE id > 5000), sum(m * 2), sum(id)']) a;
DROP TABLE nl_child, nl_other, nl_temp;
SET gpuagg.strategy = 'multi-pass-naive';
SET gpuagg.scope_size = '64kB';
SELECT compare('SELECT m, id, sum(n) FROM nl GROUP BY id, m');
RESET gpuagg.strategy;
RESET gpuagg.scope_size;
BEGIN;
DECLARE nl_keys SCROLL CURSOR FOR SELECT m, count(*) FROM nl WHERE id > 5005 GROUP BY m ORDER BY m;
FETCH 3 nl_keys;
MOVE ABSOLUTE 0 nl_keys;
FETCH ALL nl_keys;
COMMIT;
PREPARE nl_some (int) AS SELECT count(*), sum(c) FROM (SELECT m, count(*) AS c FROM nl WHERE id > $1 GROUP BY m OFFSET 0) x;
SET plan_cache_mode = force_generic_plan;
EXECUTE nl_some (5000);
EXECUTE nl_some (5010);
EXECUTE nl_some (6000);
RESET plan_cache_mode;
SELECT gpuagg.load('nl') > 0;
SELECT compare('SELECT m, count(*), sum(n) FROM nl GROUP BY m'), compare('SELECT DISTINCT n, t FROM nl');
-- what PostgreSQL answers: squares without end, beside what is regrouped, minima where nothing counts the values
SELECT compare('SELECT g, stddev(m), sum(m) FROM (SELECT g, CASE WHEN id = 5009 THEN ''1e70000'' ELSE m END AS m FROM nl) x GROUP BY g', 'prefer'), compare('SELECT g, stddev(m), sum(m) FROM nl WHERE m = m GROUP BY g'),
	   compare('SELECT g, count(DISTINCT n), sum(m) FROM nl GROUP BY g', 'prefer');
ALTER TABLE nl ALTER id SET NOT NULL;
CREATE TABLE nl_full WITH (autovacuum_enabled = off) AS SELECT g, m FROM nl WHERE id <= 5000;
ALTER TABLE nl_full ALTER m SET NOT NULL;
VACUUM ANALYZE nl_full;
INSERT INTO nl_full SELECT g, m FROM nl WHERE id > 5000;
SELECT compare('SELECT g, min(m) FROM nl_full GROUP BY g', 'prefer'), compare('SELECT g, sum(m), avg(m) FROM nl_full GROUP BY g');
-- too many of them
SET work_mem = '64kB';
INSERT INTO nl SELECT 6000 + i, i % 100, true, 'many', 'c', NULL, 1, 1, NULL, 1, 'NaN' FROM generate_series(1, 2000) i;
SELECT compare('SELECT g, sum(m), count(*) FROM nl GROUP BY g', 'prefer'), compare('SELECT m, sum(id), count(*) FROM nl GROUP BY m', 'prefer');
RESET work_mem;
SELECT compare('SELECT g, sum(m), count(*) FROM nl GROUP BY g');
DROP TABLE nl, nl_uses, nl_parts, nl_full, nl_more;
DROP FUNCTION nl_agree;
