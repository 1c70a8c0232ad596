--
-- Joins with an input that is larger than gpuagg.lookup_memory: looked up in windows of its keys.
--
\a
\t on
CREATE TABLE wl (id int, a int4, b int8, v int4, pad text);
INSERT INTO wl SELECT i, CASE WHEN i % 50 > 0 THEN (i * 7 % 75000) - 10000 END, i % 3000, i % 100, repeat('x', 200) FROM generate_series(1, 60000) i;
CREATE TABLE wd (k int4 PRIMARY KEY, n text, r int4, m numeric(8,2), x float8);
INSERT INTO wd SELECT i, 'name ' || abs(i) % 40, CASE WHEN i % 7 > 0 THEN abs(i) % 10 END, i / 8.0, i FROM generate_series(-10000, 40000) i;
CREATE TABLE wdup (k int4, n int4);
INSERT INTO wdup SELECT CASE WHEN i % 11 > 0 THEN i % 50000 END, i FROM generate_series(1, 70000) i;
CREATE TABLE ws (r int4 PRIMARY KEY, t text);
INSERT INTO ws SELECT i, 's' || i FROM generate_series(0, 8) i;
-- the same, in partitions of two layouts
CREATE TABLE wlp (LIKE wl) PARTITION BY RANGE (id);
CREATE TABLE wlp1 PARTITION OF wlp FOR VALUES FROM (0) TO (20000);
CREATE TABLE wlp2 (pad text, v int4, b int8, a int4, id int);
ALTER TABLE wlp ATTACH PARTITION wlp2 FOR VALUES FROM (20000) TO (1000000);
INSERT INTO wlp SELECT * FROM wl;
VACUUM ANALYZE wl, wlp, wd, wdup, ws;
SET gpuagg.lookup_memory = '1MB';
SET gpuagg.cache = off;
SELECT prefer_device(false);
-- how many windows depends on estimates
SELECT regexp_replace(line, '\d+ windows', 'n windows') FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT n, count(*), sum(v) FROM wl JOIN wd ON a = k GROUP BY 1') line
WHERE line ~ 'Look-up|Custom Scan';
-- every kind of join; keys that are NULL, negative, not there; errors, and none of rows in other windows
SELECT q, f, compare(replace(q, 'FACT', f)) FROM (VALUES
 ('SELECT n, count(*), sum(v) FROM FACT JOIN wd ON a = k GROUP BY 1'),
 ('SELECT n, count(*), sum(v) FROM FACT LEFT JOIN wd ON a = k GROUP BY 1'),
 ('SELECT n, count(*), sum(v) FROM FACT LEFT JOIN wd ON a = k AND v > r GROUP BY 1'),
 ('SELECT count(*), sum(m), max(n COLLATE "C") FROM FACT JOIN wd ON a = k WHERE r > 3'),
 ('SELECT r, count(*) FROM FACT LEFT JOIN wd ON a = k WHERE k IS NULL GROUP BY 1'),
 ('SELECT v, count(*) FROM FACT WHERE NOT EXISTS (SELECT 1 FROM wd WHERE k = a) GROUP BY 1'),
 ('SELECT v, count(*) FROM FACT WHERE EXISTS (SELECT 1 FROM wd WHERE k = a AND v > r) GROUP BY 1'),
 ('SELECT v, count(*) FROM FACT WHERE EXISTS (SELECT 1 FROM wdup WHERE k = a) GROUP BY 1'),
 ('SELECT v, count(*), sum(wdup.n) FROM FACT LEFT JOIN wdup ON a = k GROUP BY 1'),
 ('SELECT t, n, count(*) FROM FACT JOIN wd ON a = k JOIN ws ON wd.r = ws.r GROUP BY 1, 2'),
 ('SELECT t, n, count(*) FROM FACT LEFT JOIN wd ON a = k LEFT JOIN ws ON wd.r = ws.r AND m > 100 GROUP BY 1, 2'),
 ('SELECT n, count(*), sum(v) FROM FACT JOIN wd ON a = k GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 3'),
 ('SELECT n, count(*), sum(v) FROM FACT JOIN wd ON a = k GROUP BY 1 HAVING count(*) > 1800'),
 ('SELECT count(DISTINCT n), r FROM FACT JOIN wd ON a = k GROUP BY 2'),
 ('SELECT n, r, count(*) FROM FACT JOIN wd ON a = k GROUP BY ROLLUP (1, 2)'),
 ('SELECT count(*) FROM FACT JOIN wd ON a = k WHERE k < -30000'),
 ('SELECT sum(10 / coalesce(r, v)) FROM FACT LEFT JOIN wd ON a = k'),
 ('SELECT sum(10 / coalesce(r, 1)) FROM FACT LEFT JOIN wd ON a = k AND r > 0'),
 ('SELECT r, sum(x) FROM FACT JOIN wd ON a + 5 = k GROUP BY 1'),
 ('SELECT v, count(*) FILTER (WHERE n LIKE ''%3''), sum(CASE WHEN n = ''name 7'' OR n > ''name 3'' COLLATE "C" THEN 1 ELSE 0 END) FROM FACT JOIN wd ON a = k GROUP BY 1'),
 ('SELECT upper(n), count(*) FROM FACT LEFT JOIN wd ON a = k WHERE n IS NOT NULL AND n <> ''name 5'' GROUP BY 1'),
 ('SELECT r, b % 5, count(*) FROM FACT JOIN wd ON b = k GROUP BY 1, 2')) v(q), unnest(ARRAY['wl', 'wlp']) f;
-- of columns that the device keeps it makes the table at once; where it then cannot, there are windows again
CREATE FUNCTION wl_inputs(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT compare(query)
	UNION ALL
	SELECT regexp_replace(line, '\d+ windows', 'n windows')
	FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query) line WHERE line ~ 'Look-up'
$$;
SET gpuagg.cache = on;
SELECT wl_inputs(q) FROM (VALUES
 ('SELECT n, count(*), sum(v) FROM wl JOIN wd ON a = k GROUP BY 1'),
 ('SELECT t, n, count(*) FROM wl JOIN wd ON a = k JOIN ws ON wd.r = ws.r GROUP BY 1, 2'),
 ('SELECT v % 10, sum(CASE WHEN n = ''name 7'' OR n = ''name 9'' THEN 1 ELSE 0 END) FROM wl JOIN wd ON a = k GROUP BY 1'),
 ('SELECT n, count(*), sum(v) FROM wlp JOIN wd ON a = k GROUP BY 1')) v(q);
DELETE FROM wd WHERE k = 7;
SELECT wl_inputs(q) FROM (VALUES
 ('SELECT n, count(*), sum(v) FROM wl JOIN wd ON a = k GROUP BY 1'),
 ('SELECT n, count(*), sum(v) FROM wlp JOIN wd ON a = k GROUP BY 1')) v(q);
SET gpuagg.cache = off;
-- rescans, with windows or without
SELECT compare('SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT n, count(*) FROM wl JOIN wd ON a = k WHERE v % 3 = i GROUP BY 1 OFFSET 0) x');
SELECT compare('SELECT i, x.* FROM generate_series(1, 3) i, LATERAL (SELECT count(*), sum(v) FROM wl JOIN wd ON a = k WHERE r = i OFFSET 0) x');
-- more windows than expected: strings have become longer
CREATE TABLE wlong (k int4 PRIMARY KEY, n text) WITH (autovacuum_enabled = off);
INSERT INTO wlong SELECT i, 'short ' || i FROM generate_series(1, 20000) i;
ANALYZE wlong;
UPDATE wlong SET n = n || repeat(' but long', 10);
SELECT regexp_replace(line, '\d+ windows', 'n windows') FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT length(n), count(*) FROM wl JOIN wlong ON a = k GROUP BY 1') line
WHERE line ~ 'Look-up|Custom Scan';
SELECT compare('SELECT length(n), count(*), min(n COLLATE "C") FROM wl JOIN wlong ON a = k GROUP BY 1');
SELECT compare('SELECT length(n), count(*), min(n COLLATE "C") FROM wlp JOIN wlong ON a = k GROUP BY 1');
-- keys without windows, and too few windows: PostgreSQL's plan, beforehand
CREATE TABLE wt (k text PRIMARY KEY, n text);
INSERT INTO wt SELECT 'k' || i, repeat('n', 100) FROM generate_series(1, 20000) i;
ANALYZE wt;
SELECT * FROM gpuagg.why_not('SELECT length(n), v, count(*) FROM wl JOIN wt ON pad = k GROUP BY 1, 2');
-- but the device makes such a table of kept columns, and PostgreSQL answers if it then cannot
CREATE TABLE wf AS SELECT 'k' || i % 30000 AS f, i % 100 AS v FROM generate_series(1, 60000) i;
VACUUM ANALYZE wf, wt;
SET gpuagg.cache = on;
SELECT wl_inputs('SELECT v, count(*) FROM wf JOIN wt ON f = k GROUP BY 1');
PREPARE wf_kept AS SELECT v, count(*) FROM wf JOIN wt ON f = k GROUP BY 1;
SELECT line FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE wf_kept') line
WHERE line ~ 'Look-up|Fallback';
DELETE FROM wt WHERE k = 'k7';
SELECT line FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE wf_kept') line
WHERE line ~ 'Look-up|Fallback';
DEALLOCATE wf_kept;
-- who plans now sees that a page has changed
SELECT compare('SELECT v, count(*) FROM wf JOIN wt ON f = k GROUP BY 1', 'prefer');
RESET ALL;
DROP FUNCTION wl_inputs;
DROP TABLE wl, wlp, wd, wdup, ws, wlong, wt, wf;
