--
-- Groupings of the rows of a plan of PostgreSQL's: of what no device reads by itself.
--
\a
\t on
CREATE TABLE pw (id int4 PRIMARY KEY, k int4, s int2, v int8, n numeric(12,3), f float8, r float4, t text, d date, z timestamptz, u uuid, i interval, j jsonb, c char(4), m money);
INSERT INTO pw SELECT x, nullif(x % 7, 6), x % 300, nullif(x % 50, 7) * 10000000000, (x % 90)::numeric / 8, (x % 30) / 4.0, x % 11,
	CASE WHEN x % 9 > 0 THEN repeat('t', x % 6) END, '2024-01-01'::date + x % 40, '2024-03-01 00:00+00'::timestamptz + x % 40 * '1 h'::interval,
	lpad((x % 20)::text, 32, '0')::uuid, x % 5 * '1 day'::interval, jsonb_build_object('a', x % 3), (x % 13)::text, x % 17
FROM generate_series(1, 3000) x;
CREATE TABLE pw_other (k int4, w int4);
INSERT INTO pw_other SELECT x % 9, x FROM generate_series(1, 30) x;
CREATE TEMP TABLE pw_temp AS SELECT * FROM pw;
CREATE TYPE pw_mood AS ENUM ('sad', 'ok', 'happy');
CREATE FUNCTION pw_rows(n int4) RETURNS TABLE (a int4, b numeric(8,2), e pw_mood) IMMUTABLE LANGUAGE sql ROWS 2000 AS $$
	SELECT x % 10, x / 4.0, (ARRAY['sad', 'ok', 'happy', NULL])[x % 4 + 1]::pw_mood FROM generate_series(1, n) x $$;
CREATE FUNCTION pw_rows_plpgsql(n int4) RETURNS SETOF int4 STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT x % 10 FROM generate_series(1, n) x; END $$;
ANALYZE pw, pw_other, pw_temp;
-- inputs of every kind
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT x % 100, count(*), sum(x), avg(x), min(x) FROM generate_series(1, 5000) x GROUP BY 1',
	'SELECT x, count(*) FROM generate_series(1, 10, 1) x GROUP BY x HAVING count(*) > 1',
	'SELECT a, count(*), sum(b), avg(b), min(e), max(e), count(e) FROM pw_rows(2000) GROUP BY a',
	'SELECT e, max(b) FROM pw_rows(2000) GROUP BY e',
	'SELECT x, count(*) FROM pw_rows_plpgsql(500) x GROUP BY x',
	'SELECT a, sum(b), count(c) FROM (VALUES (1, 2, NULL), (3, 4, ''x''), (1, NULL, ''y'')) v(a, b, c) GROUP BY a',
	'SELECT o, count(*) FROM unnest(ARRAY[1, 2, 2, NULL]) WITH ORDINALITY x(v, o) GROUP BY o',
	'WITH c AS MATERIALIZED (SELECT * FROM pw) SELECT k, count(*), sum(v) FROM c GROUP BY k',
	'WITH c AS MATERIALIZED (SELECT k % 2 AS k2, v FROM pw) SELECT x.k2, count(*), sum(y.n) FROM c x, (SELECT k2, count(*) AS n FROM c GROUP BY k2) y WHERE x.k2 = y.k2 GROUP BY x.k2',
	'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500) SELECT n % 5, sum(n) FROM c GROUP BY 1',
	'SELECT k, sum(v) FROM (SELECT * FROM pw ORDER BY id LIMIT 1000) x GROUP BY k',
	'SELECT k, max(rn) FROM (SELECT k, row_number() OVER (ORDER BY id) AS rn FROM pw) x GROUP BY k',
	'SELECT k, count(*) FROM (SELECT k FROM pw EXCEPT ALL SELECT k FROM pw_other) x GROUP BY k',
	'SELECT k, count(*) FROM (SELECT k FROM pw WHERE k > 1 UNION SELECT k FROM pw_other) x GROUP BY k',
	'SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM pw GROUP BY k) x GROUP BY n',
	'SELECT k, count(*), sum(v) FROM (SELECT k, v FROM pw WHERE v > 3 UNION ALL SELECT x % 5, x FROM generate_series(1, 50) x) y GROUP BY k',
	'SELECT g, count(*) FROM (SELECT x % 100 AS g FROM generate_series(1, 40000) x UNION ALL (SELECT count(*) % 100 FROM pw GROUP BY k)) y GROUP BY g',
	'SELECT a.k, b.w, count(*), sum(a.v) FROM pw a FULL JOIN pw_other b ON a.k = b.k GROUP BY a.k, b.w',
	'SELECT a.k, count(*), sum(b.w) FROM pw a JOIN pw_other b ON a.k < b.w GROUP BY a.k',
	'SELECT b.w, count(*), sum(a.v) FROM pw a RIGHT JOIN pw_other b ON a.k = b.k AND a.s > 150 GROUP BY b.w',
	'SELECT b.w, count(*) FROM pw a JOIN pw_other b USING (k) GROUP BY b.w',
	'SELECT x.k, count(*) FROM pw x, LATERAL (SELECT x.s % 3 AS l OFFSET 0) y GROUP BY x.k, y.l',
	'SELECT k, count(*), sum(v), avg(n), min(t COLLATE "C"), max(f) FROM pw_temp GROUP BY k',
	'SELECT DISTINCT k, s % 5 FROM pw_temp',
	'SELECT count(*), sum(x), avg(x) FROM generate_series(1, 1000) x',
	'SELECT count(*), sum(x) FROM generate_series(1, 0) x',
	'SELECT x, count(*) FROM generate_series(1, 0) x GROUP BY x',
	'SELECT xt.a, count(*) FROM jsonb_to_recordset(''[{"a": 1}, {"a": 2}, {"a": 1}]'') xt(a int) GROUP BY xt.a']) q;
-- types and aggregates
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT s, count(v), sum(s), sum(v), sum(n), avg(s), avg(v), avg(n), sum(m) FROM pw_temp GROUP BY s',
	'SELECT k, min(d), max(z), min(u::text COLLATE "C"), min(i), sum(i), avg(i), max(m), count(j), count(i) FROM pw_temp GROUP BY k',
	'SELECT t, d, u, i, c, m, z, n, count(*) FROM pw_temp GROUP BY t, d, u, i, c, m, z, n',
	'SELECT lower(t), date_trunc(''week'', z), to_char(d, ''YYYY-MM''), sum(length(t)) FROM pw_temp GROUP BY 1, 2, 3',
	'SELECT k, bool_and(s > 3), bool_or(k = 2), bit_and(s), bit_or(v), count(*) FILTER (WHERE t LIKE ''tt%'') FROM pw_temp GROUP BY k',
	'SELECT k, sum(1000 / nullif(s, 5)) FILTER (WHERE s > 0), sum(v / s) FILTER (WHERE s <> 0) FROM pw_temp GROUP BY k',
	'SELECT k, var_pop(s), stddev(v), variance(n), var_samp(id) FROM pw_temp GROUP BY k',
	'SELECT k, sum(v + $$1$$::int8 * s), avg(CASE WHEN s > 5 THEN n ELSE 0.001 END::numeric(12,3)) FROM pw_temp GROUP BY k ORDER BY 2 DESC LIMIT 3',
	'SELECT k, count(1), count(NULL), sum(2), max(''x'' COLLATE "C") FROM pw_temp GROUP BY k',
	'SELECT f, r, count(*) FROM pw_temp GROUP BY f, r']) q;
SELECT compare('SELECT k, sum(f), avg(f), avg(r), sum(r), min(f), stddev(f), corr(f, r), regr_slope(f, r) FROM pw_temp GROUP BY k', tolerance => 1e-6);
-- what is made of finer groups
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(DISTINCT s), sum(DISTINCT v), count(DISTINCT t) FILTER (WHERE s > 7) FROM pw_temp GROUP BY k',
	'SELECT count(DISTINCT x % 10) FROM generate_series(1, 100) x',
	'SELECT x % 3, x % 4, count(*), sum(x), GROUPING(x % 3) FROM generate_series(1, 100) x GROUP BY ROLLUP (1, 2)',
	'SELECT k, t, d, count(*), sum(n) FROM pw_temp GROUP BY GROUPING SETS ((k, t), (d), ())',
	'SELECT a.k, b.w, count(*) FROM pw a FULL JOIN pw_other b ON a.k = b.k GROUP BY CUBE (a.k, b.w)',
	'SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY s), mode() WITHIN GROUP (ORDER BY d) FROM pw_temp GROUP BY k']) q;
-- numerics without a declared scale: as arguments, keys, and of what PostgreSQL makes; those that no word holds are kept beside
CREATE TEMP TABLE pw_free AS SELECT x AS id, x % 7 AS k, CASE WHEN x % 11 > 0 THEN ((x % 400)::numeric(10,2) / 4)::numeric(10,2)::numeric END AS w,
	(CASE WHEN x % 500 = 1 THEN 'NaN' WHEN x % 500 = 2 THEN 'infinity' WHEN x % 500 = 3 THEN 123456789012345678901234567890.5 WHEN x % 500 = 4 THEN 0.12345678901234567890 ELSE (x % 90)::numeric(9,1) END) AS o,
	(x % 5)::numeric AS i
FROM generate_series(1, 3000) x;
ANALYZE pw_free;
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT k, count(w), sum(w), avg(w), min(w), max(w) FROM pw_free GROUP BY k',
	'SELECT w, count(*) FROM pw_free GROUP BY w',
	'SELECT w, i, sum(w), max(i) FROM pw_free GROUP BY w, i HAVING sum(w) > 100',
	'SELECT k, sum(w * i), sum(w + 0.001), sum(-w), sum(abs(w - 7)), max(round(w, 1)), min(i * 2) FROM pw_free GROUP BY k',
	'SELECT k, sum(CASE WHEN id > 9 THEN w ELSE 0.5 END), sum(coalesce(w, 1.25)), sum(greatest(w, i)) FROM pw_free GROUP BY k',
	'SELECT k, sum(s), max(n) FROM (SELECT k, id % 100 AS m, sum(w) AS s, sum(id::int8) AS n FROM pw_free GROUP BY 1, 2 OFFSET 0) x GROUP BY k',
	'SELECT a, sum(b), avg(c) FROM (VALUES (1, 2.5, 3), (1, 2.25, 4.125), (2, 1, NULL)) v(a, b, c) GROUP BY a',
	'SELECT floor(x % 10), sum(x), avg(x), min(x), count(x) FROM generate_series(1::numeric, 2000, 1.5) x GROUP BY 1',
	'SELECT k, sum(o), avg(o), min(o), max(o), count(o) FROM pw_free GROUP BY k',
	'SELECT k, sum(o) FILTER (WHERE id % 2 = 0), count(o) FILTER (WHERE id > 1500), max(o), sum(w) FROM pw_free GROUP BY k',
	'SELECT k, w, sum(o), count(*) FROM pw_free GROUP BY k, w',
	'SELECT k, var_pop(w), stddev(i) FROM pw_free GROUP BY k',
	'SELECT k, sum(o) FROM pw_free GROUP BY k ORDER BY sum(o) DESC, k LIMIT 2',
	'SELECT k, count(*), sum(o) FROM pw_free GROUP BY k HAVING count(*) > 428',
	'SELECT k, sum(v), avg(v), min(v) FROM (SELECT k, (CASE WHEN id % 700 = 1 THEN ''NaN''::numeric ELSE w END)::numeric(10,2) AS v FROM pw_free OFFSET 0) x GROUP BY k']) q;
-- more of these than pay; as a key; in DISTINCT
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT right(x::text, 1), sum(x) FROM generate_series(123456789012345678901234567890, 123456789012345678901234568890) x GROUP BY 1',
	'SELECT o, count(*) FROM pw_free GROUP BY o',
	'SELECT k, count(DISTINCT w), count(DISTINCT o) FROM pw_free GROUP BY k']) q;
SET gpuagg.debug_require = 'prefer';
SELECT * FROM explained($$EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT right(x::text, 1), sum(x) FROM generate_series(123456789012345678901234567890, 123456789012345678901234568890) x GROUP BY 1$$) line WHERE line !~ 'Memory Usage';
SELECT * FROM explained($$EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT right(x::text, 1), sum(x) FROM generate_series(12345678901234567800, 12345678901234567900) x GROUP BY 1$$) line;
RESET gpuagg.debug_require;
-- PostgreSQL's errors, each where it would raise it
SELECT q, compare(q, 'any') FROM unnest(ARRAY[
	'SELECT 1 / (x - 5), count(*) FROM generate_series(1, 10) x GROUP BY 1',
	'SELECT x % 2, sum(10 / (x - 5)) FROM generate_series(1, 10) x GROUP BY 1',
	'SELECT x % 2, sum(10 / (x - 90000)) FROM generate_series(1, 100000) x GROUP BY 1',
	'SELECT x % 2, sum(10 / (x - 5)) FILTER (WHERE x <> 5) FROM generate_series(1, 10) x GROUP BY 1',
	'SELECT x, sum(9223372036854775807) FROM generate_series(1, 3) x GROUP BY x']) q;
SET gpuagg.debug_require = 'require';
SELECT x % 2, sum(10 / (x - 5)) FROM generate_series(1, 10) x GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT k, count(*), sum(v) FROM (SELECT * FROM pw ORDER BY id LIMIT 100) x WHERE v > 5 GROUP BY k HAVING sum(v) > 5 ORDER BY 3 LIMIT 2;
EXPLAIN (COSTS OFF) SELECT a.k, count(DISTINCT b.w) FROM pw a FULL JOIN pw_other b ON a.k = b.k GROUP BY a.k;
SELECT * FROM explained($$EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT x % 3, count(*) FROM generate_series(1, 100) x GROUP BY 1$$);
RESET gpuagg.debug_require;
-- more blocks than are in flight, of numbers and of strings; NULLs
SELECT compare('SELECT x % 50000, count(*), sum(x), count(nullif(x % 3, 0)) FROM generate_series(1, 300000) x GROUP BY 1');
SELECT compare('SELECT repeat(''ab'', x % 40), md5((x % 100)::text), count(*), max(x::text COLLATE "C") FROM generate_series(1, 20000) x GROUP BY 1, 2');
SELECT compare('SELECT repeat(''x'', 300000 + x % 3), count(*) FROM generate_series(1, 9) x GROUP BY 1');
-- refused: what is volatile must not run twice; sets beside the grouping; no known scale
SELECT q, compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT x < 0, count(*) FROM (SELECT random() AS x FROM generate_series(1, 3) OFFSET 0) y GROUP BY 1',
	'WITH c AS MATERIALIZED (SELECT random() AS x) SELECT x < 0, count(*) FROM c GROUP BY 1',
	'SELECT unnest(ARRAY[1, x]), count(*) FROM generate_series(1, 3) x GROUP BY 1',
	'SELECT x, sum(n) FROM (SELECT k AS x, n / 7 AS n FROM pw OFFSET 0) y GROUP BY x']) q;
-- why the device does not read by itself, where its path is dearer; parameters, rescans, cursors
SELECT gpuagg.why_not('SELECT x, count(*) FROM generate_series(1, 1000) x GROUP BY x');
SET plan_cache_mode = 'force_generic_plan';
SET gpuagg.debug_require = 'require';
PREPARE pw_q(int4) AS SELECT x % $1, count(*), sum(x + $1) FROM generate_series(1, $1) x GROUP BY 1 ORDER BY 1;
EXECUTE pw_q(3);
EXECUTE pw_q(4);
SELECT o.w, l.* FROM pw_other o, LATERAL (SELECT x % 2, count(*), sum(x) FROM generate_series(1, o.w) x GROUP BY 1 OFFSET 0) l WHERE o.w < 4 ORDER BY 1, 2;
BEGIN;
DECLARE pw_c SCROLL CURSOR FOR SELECT x % 4, count(*) FROM generate_series(1, 100) x GROUP BY 1 ORDER BY 1;
FETCH 2 FROM pw_c;
FETCH BACKWARD 1 FROM pw_c;
SAVEPOINT a;
FETCH ALL FROM pw_c;
ROLLBACK TO a;
MOVE ABSOLUTE 1 FROM pw_c;
FETCH 1 FROM pw_c;
COMMIT;
UPDATE pw_other SET w = l.n FROM (SELECT x % 5 AS g, count(*) AS n FROM generate_series(1, 20) x GROUP BY 1) l WHERE k = l.g AND w < 10;
SELECT k, w FROM pw_other WHERE w < 5 ORDER BY 1, 2;
RESET gpuagg.debug_require;
RESET plan_cache_mode;
-- below it a grouping that has a task of its own; a device that fails: the plan answers once more
SELECT compare('SELECT n, count(*) FROM (SELECT id % 50 AS g, count(*) AS n FROM pw GROUP BY 1 OFFSET 0) x GROUP BY n');
SELECT fault, compare('SELECT k, count(*), sum(v) FROM (SELECT * FROM pw ORDER BY id LIMIT 2000) x GROUP BY k', 'prefer')
FROM unnest(ARRAY['begin', 'rows', 'finish', 'results', 'memory']) fault, set_config('gpuagg.debug_fault', fault, false);
RESET gpuagg.debug_fault;
-- an ordered set's argument is not computed of rows that FILTER leaves out
SELECT compare('SELECT k, percentile_disc(0.5) WITHIN GROUP (ORDER BY 10 / s) FILTER (WHERE s <> 0) FROM (SELECT k, s % 4 AS s FROM pw OFFSET 0) x GROUP BY k');
-- one window, whatever is asked for; a value that no device has a form of
-- one argument, of which once only whether it is NULL is known: kept as one field
SET gpuagg.strategy = 'partitioned';
SELECT compare('SELECT x % 2001, count(y), sum(y), count(y) FILTER (WHERE x > 9), min(y) FILTER (WHERE x > 99) FROM (SELECT x, nullif(x % 50, 7) AS y FROM generate_series(1, 20000) x OFFSET 0) s GROUP BY 1');
SET gpuagg.strategy = 'multi-pass-naive';
SELECT compare('SELECT x % 2000, count(*) FROM generate_series(1, 20000) x GROUP BY 1');
RESET gpuagg.strategy;
SELECT compare('SELECT b, count(*) FROM (SELECT (CASE WHEN x = 1 THEN ''NaN''::numeric ELSE x END)::numeric(8,2) AS b FROM generate_series(1, 9) x OFFSET 0) y GROUP BY b', 'prefer');
SET gpuagg.debug_fault = 'rows';
SET gpuagg.debug_require = 'prefer';
SELECT * FROM explained($$EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT x % 3, count(*) FROM generate_series(1, 100) x GROUP BY 1$$) line WHERE line !~ 'Memory Usage';
RESET gpuagg.debug_fault;
RESET gpuagg.debug_require;
-- partitions of a subquery that stands in the plan twice
CREATE TABLE pw_parts (k int4, v int4) PARTITION BY LIST (k);
CREATE TABLE pw_parts1 PARTITION OF pw_parts FOR VALUES IN (1);
CREATE TABLE pw_parts2 PARTITION OF pw_parts FOR VALUES IN (2);
INSERT INTO pw_parts SELECT 1 + i % 2, i % 7 FROM generate_series(1, 100) i;
SELECT compare('SELECT k, count(*) FROM (SELECT k, v FROM pw_parts ORDER BY k, v LIMIT 60) x GROUP BY k', 'prefer');
DROP TABLE pw_parts;
DROP TABLE pw, pw_other, pw_temp, pw_free;
DROP FUNCTION pw_rows(int4), pw_rows_plpgsql(int4);
DROP TYPE pw_mood;
