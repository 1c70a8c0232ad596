--
-- What PostgreSQL does around the node: HAVING, ORDER BY, LIMIT, DISTINCT,
-- subqueries, joins, window functions, changes of data.
--
\a
\t on
CREATE TABLE pl (id int4 PRIMARY KEY, g int4, h text COLLATE "C", v int8, f float8);
INSERT INTO pl SELECT i, i % 20, 'h' || i % 5, i % 100, i / 4.0 FROM generate_series(1, 5000) i;
CREATE TABLE pl_dim (g int4 PRIMARY KEY, name text);
INSERT INTO pl_dim SELECT i, 'dim ' || i FROM generate_series(0, 25) i;
ANALYZE pl, pl_dim;
-- README.md, "Use"
CREATE TABLE orders (customer int, placed date, cents int);
INSERT INTO orders SELECT i % 100, date '2025-12-01' + i % 90, i FROM generate_series(1, 5000) i;
SELECT compare('SELECT customer, count(*), sum(cents), avg(cents) FROM orders WHERE placed >= date ''2026-01-01'' GROUP BY customer HAVING count(*) > 10 ORDER BY sum(cents) DESC LIMIT 20', 'require');
DROP TABLE orders;
-- every grouping step is one for the device
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT g, sum(v) FROM pl GROUP BY g HAVING sum(v) > 12000',
	'SELECT g FROM pl GROUP BY g HAVING count(*) FILTER (WHERE v > 50) > 100 AND min(f) < 2',
	'SELECT sum(v) FROM pl HAVING count(*) > 10000',
	'SELECT 1 FROM pl HAVING max(v) > 5',
	'SELECT g, sum(v) FROM pl GROUP BY g HAVING g > 3 AND g % 2 = 0 AND sum(v) IS NOT NULL',
	'SELECT g + 1, sum(v) * 2 - count(*), sum(v) / nullif(count(*), 0)::float8, upper(max(h)) FROM pl GROUP BY g',
	'SELECT sum(v) FROM pl GROUP BY g',
	'SELECT count(*) + g, -g FROM pl GROUP BY g',
	'SELECT 7, ''x'', NULL FROM pl GROUP BY g',
	'SELECT DISTINCT count(*) FROM pl GROUP BY g',
	'SELECT DISTINCT h, count(*) FROM pl GROUP BY g, h',
	'SELECT h, count(*) FROM pl GROUP BY h ORDER BY count(*) DESC, h LIMIT 3',
	'SELECT g, sum(v) FROM pl GROUP BY g ORDER BY 2 DESC, 1 OFFSET 3 LIMIT 4',
	'SELECT h, sum(v) FROM pl GROUP BY h ORDER BY sum(v) FETCH FIRST 2 ROWS WITH TIES',
	'SELECT id, g, h, sum(v) FROM pl GROUP BY id',
	'SELECT id, g + id, h || id, sum(v) FROM pl GROUP BY id HAVING h <> ''h1''',
	'SELECT CASE WHEN g < 5 THEN ''low'' ELSE ''high'' END AS c, count(*) FROM pl GROUP BY c',
	'SELECT g AS h, count(*) FROM pl GROUP BY pl.g, pl.h',
	'SELECT x.g, x.n FROM (SELECT g, count(*) AS n FROM pl GROUP BY g) x WHERE x.n > 10',
	'WITH x AS (SELECT g, count(*) AS n FROM pl GROUP BY g) SELECT * FROM x WHERE g < 5',
	'WITH x AS MATERIALIZED (SELECT g, count(*) AS n FROM pl GROUP BY g) SELECT a.g, b.n FROM x a, x b WHERE a.g = b.g + 1',
	'SELECT * FROM pl_dim d LEFT JOIN (SELECT g, sum(v) AS s FROM pl GROUP BY g) x USING (g)',
	'SELECT * FROM pl_dim d JOIN (SELECT g, sum(v) AS s FROM pl GROUP BY g) x ON d.g < x.g',
	'SELECT name, (SELECT count(*) FROM pl WHERE pl.g = 3) FROM pl_dim',
	'SELECT name FROM pl_dim WHERE g IN (SELECT g FROM pl GROUP BY g HAVING sum(v) > 12000)',
	'SELECT name FROM pl_dim d WHERE EXISTS (SELECT g FROM pl GROUP BY g HAVING count(*) > d.g * 10)',
	'SELECT g, count(*) FROM pl GROUP BY g UNION ALL SELECT -g, sum(v) FROM pl GROUP BY g',
	'SELECT g, sum(v), rank() OVER (ORDER BY sum(v), g), sum(sum(v)) OVER (ORDER BY g) FROM pl GROUP BY g',
	'SELECT g, count(*), lag(count(*)) OVER w FROM pl GROUP BY g WINDOW w AS (ORDER BY g)',
	'SELECT g, sum(v) FROM pl p GROUP BY p.g',
	'SELECT g, sum(v) FROM ONLY pl GROUP BY g',
	'SELECT g, ARRAY[sum(v), count(*)], ROW(g, max(h))::text FROM pl GROUP BY g',
	'SELECT g, count(*) FROM pl WHERE id = ANY (ARRAY[1, 2, 3]) GROUP BY g',
	'SELECT g, sum(v) FROM (SELECT * FROM pl) x GROUP BY g',
	'SELECT gg, sum(vv) FROM (SELECT g % 3 AS gg, v * 2 AS vv FROM pl WHERE f > 10) x GROUP BY gg',
	'SELECT g, count(*) FROM pl WHERE f > 3 GROUP BY g HAVING max(f) > 3 ORDER BY g DESC LIMIT 100']) q;
-- parameters from outside: the node is run again, with other values
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT d.g, x.* FROM pl_dim d, LATERAL (SELECT count(*), sum(v) FROM pl WHERE pl.g = d.g) x',
	'SELECT d.g, x.* FROM pl_dim d, LATERAL (SELECT h, count(*), sum(v + d.g) FROM pl WHERE pl.g < d.g GROUP BY h) x',
	'SELECT d.g, (SELECT sum(v) FROM pl WHERE pl.g = d.g) FROM pl_dim d',
	'SELECT d.g, (SELECT max(h) FROM pl WHERE pl.g = d.g AND h LIKE ''h%'') FROM pl_dim d WHERE d.g < (SELECT count(*) FROM pl WHERE f < d.g)',
	'SELECT name FROM pl_dim d WHERE (SELECT count(*) FROM pl WHERE pl.g = d.g AND v > d.g) > 10',
	'SELECT g, (SELECT count(*) FROM pl_dim x WHERE x.g = p.g) FROM (SELECT g, count(*) FROM pl GROUP BY g) p',
	'SELECT d.name, x.k, x.n FROM pl_dim d LEFT JOIN LATERAL (SELECT v % (d.g + 1) AS k, count(*) AS n FROM pl WHERE f < d.g GROUP BY 1) x ON true',
	'SELECT s.i, (SELECT sum(v) FROM pl WHERE pl.g BETWEEN s.i AND s.i + 2) FROM generate_series(0, 5) s(i)',
	'SELECT g, sum(v) FROM pl WHERE v > (SELECT 50) GROUP BY g',
	'SELECT g, sum(v) FROM pl WHERE h = (SELECT ''h1''::text COLLATE "C") AND f < (SELECT max(f) FROM pl) GROUP BY g',
	'SELECT g, sum(v + (SELECT 5)), count(*) FILTER (WHERE g < (SELECT NULL::int4)) FROM pl GROUP BY g']) q;
-- DISTINCT alone is a step; some are not: DISTINCT ON, UNION by hash, grouping above joins, set-returning functions
SELECT q, compare(q, 'try') FROM unnest(ARRAY[
	'SELECT g, count(*) FROM pl GROUP BY g UNION SELECT g, count(*) FROM pl GROUP BY g',
	'SELECT g, count(*) FROM pl GROUP BY g INTERSECT SELECT g, 250 FROM pl_dim',
	'SELECT n, count(*) FROM (SELECT g, count(*) AS n FROM pl GROUP BY g) x GROUP BY n',
	'SELECT name, sum(v) FROM pl JOIN pl_dim USING (g) GROUP BY name',
	'SELECT max(s) FROM (SELECT sum(v) AS s FROM pl GROUP BY g) x',
	'SELECT d.name, sum(x.s) FROM pl_dim d JOIN (SELECT g, sum(v) AS s FROM pl GROUP BY g) x USING (g) GROUP BY 1',
	'SELECT g, sum(v), generate_series(1, 2) FROM pl GROUP BY g',
	'SELECT (pl).g, count(*) FROM pl WHERE (pl).h IS NOT NULL GROUP BY 1',
	'SELECT current_user::text, count(*), max(current_date) FROM pl',
	'SELECT max(v), generate_series(1, 2) FROM pl',
	'SELECT g, generate_series(1, g) AS s, count(*) FROM pl GROUP BY g, s',
	'SELECT generate_series(1, 3) AS s, count(*) FROM pl GROUP BY s',
	'SELECT g, h, sum(v) FROM pl GROUP BY ROLLUP (g, h)',
	'SELECT g, sum(v) FROM pl GROUP BY g, ROLLUP (g)',
	'SELECT g, h, sum(v), grouping(g) FROM pl GROUP BY GROUPING SETS ((g), (h), ())',
	'SELECT g, count(*) FROM pl GROUP BY CUBE (g)',
	'SELECT count(*) FROM pl GROUP BY ()',
	'SELECT count(*) FROM pl GROUP BY GROUPING SETS (())',
	'SELECT DISTINCT g FROM pl',
	'SELECT DISTINCT g, h FROM pl WHERE v > 5',
	'SELECT DISTINCT ON (g) g, h, v FROM pl ORDER BY g, h, v',
	'SELECT min(id), max(id) FROM pl',
	'SELECT max(id) FROM pl WHERE id < 100',
	'SELECT g, sum(v) FROM pl WHERE id = 77 GROUP BY g',
	'SELECT g, count(*) FROM pl WHERE false GROUP BY g',
	'SELECT count(*) FROM pl WHERE 1 = 0',
	'SELECT g, pl.ctid, count(*) FROM pl GROUP BY g, pl.ctid',
	'SELECT tableoid::regclass, count(*) FROM pl GROUP BY 1',
	'SELECT g, count(pl) FROM pl GROUP BY g',
	'SELECT g, count(pl.*) FROM pl GROUP BY g',
	'SELECT pl, count(*) FROM pl WHERE id < 10 GROUP BY pl',
	'SELECT g, count(*) FROM pl TABLESAMPLE BERNOULLI (50) REPEATABLE (7) GROUP BY g']) q;
-- sorted input of a Sort below and above: the node promises no order, and merge joins get theirs
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT compare('SELECT d.g, x.s FROM pl_dim d JOIN (SELECT g, sum(v) AS s FROM pl GROUP BY g) x USING (g)');
RESET enable_hashjoin;
RESET enable_nestloop;
SET gpuagg.debug_require = 'require';
SELECT g, count(*), sum(v) FROM pl GROUP BY g ORDER BY g LIMIT 4;
SELECT h, count(*), sum(v) FROM pl GROUP BY h ORDER BY h DESC;
SELECT h, g FROM (SELECT g, h FROM pl GROUP BY g, h) x ORDER BY h, g LIMIT 3;
RESET gpuagg.debug_require;

-- data that a grouping feeds
CREATE TABLE pl_sink (g int4, s int8);
SET gpuagg.debug_require = 'require';
INSERT INTO pl_sink SELECT g, sum(v) FROM pl GROUP BY g;
SELECT count(*), sum(s) FROM pl_sink;
UPDATE pl_sink SET s = x.n FROM (SELECT g, count(*) AS n FROM pl GROUP BY g) x WHERE x.g = pl_sink.g AND x.g < 10;
SELECT count(*), sum(s) FROM pl_sink;
DELETE FROM pl_sink WHERE g IN (SELECT g FROM pl GROUP BY g HAVING sum(v) > 12000);
SELECT count(*), sum(s) FROM pl_sink;
CREATE TABLE pl_ctas AS SELECT h, count(*) AS n, avg(v) AS a FROM pl GROUP BY h;
SELECT * FROM pl_ctas ORDER BY h;
COPY (SELECT h, max(g) FROM pl GROUP BY h ORDER BY h) TO STDOUT;
MERGE INTO pl_sink USING (SELECT g, sum(v) AS s FROM pl GROUP BY g) x ON x.g = pl_sink.g
WHEN MATCHED THEN UPDATE SET s = 0 WHEN NOT MATCHED THEN INSERT VALUES (x.g, x.s);
SELECT count(*), sum(s) FROM pl_sink;
INSERT INTO pl SELECT 100000 + g, g, 'new', count(*), 0 FROM pl GROUP BY g RETURNING id, v \g (format=unaligned) /dev/null
SELECT count(*) FROM pl;
RESET gpuagg.debug_require;
DROP TABLE pl_sink, pl_ctas;

-- views, materialised views, functions, DO blocks
CREATE VIEW pl_view AS SELECT g, sum(v) AS s, count(*) AS n FROM pl GROUP BY g;
SELECT compare('SELECT * FROM pl_view');
SELECT compare('SELECT * FROM pl_view WHERE g = 3 OR s > 12000');
SELECT compare('SELECT x.g, y.n FROM pl_view x JOIN pl_view y ON x.g = y.g + 1');
CREATE FUNCTION pl_sql(k int4) RETURNS numeric STABLE LANGUAGE sql AS 'SELECT sum(v) FROM pl WHERE g = k';
CREATE FUNCTION pl_plpgsql(k int4) RETURNS numeric STABLE LANGUAGE plpgsql AS $$
DECLARE r numeric;
BEGIN
	SELECT sum(v) INTO r FROM pl WHERE g = k;
	RETURN r;
END $$;
SELECT compare('SELECT g, pl_sql(g), pl_plpgsql(g) FROM pl_dim');
SET gpuagg.debug_require = 'require';
SELECT sum(pl_sql(i) - pl_plpgsql(i)) FROM generate_series(0, 19) i;
DO $$
DECLARE
	r record;
	n int8 := 0;
BEGIN
	FOR r IN SELECT g, sum(v) AS s FROM pl GROUP BY g LOOP
		n := n + r.s;
		PERFORM count(*) FROM pl WHERE g = r.g;
	END LOOP;
	RAISE NOTICE 'sum %', n;
END $$;
RESET gpuagg.debug_require;
-- a query per outer row, interrupted by LIMIT; nodes within nodes
SELECT compare('SELECT d.g, x.h FROM pl_dim d, LATERAL (SELECT h, count(*) FROM pl WHERE pl.g >= d.g GROUP BY h ORDER BY h LIMIT 1) x');
SELECT compare('SELECT g, (SELECT count(*) FROM (SELECT h FROM pl p2 WHERE p2.g = p1.g GROUP BY h) y) FROM pl p1 GROUP BY g', 'try');

-- compiled expressions above the node and below it
SET jit_above_cost = 0;
SET jit_optimize_above_cost = 0;
SET jit_inline_above_cost = 0;
SELECT compare('SELECT g + 1, sum(v) * 2, upper(max(h)) FROM pl WHERE v > 3 GROUP BY g HAVING count(*) > 5');
SELECT compare('SELECT g, sum(1000 / (v - 50)) FROM pl GROUP BY g');
RESET jit_above_cost;
RESET jit_optimize_above_cost;
RESET jit_inline_above_cost;
-- forced parallel plans and none at all
-- another name since 16
SELECT name AS forced_parallel FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') \gset
SET :forced_parallel = on;
SELECT compare('SELECT g, sum(v), count(*) FROM pl GROUP BY g');
SELECT compare('SELECT d.g, (SELECT sum(v) FROM pl WHERE pl.g = d.g) FROM pl_dim d', 'try');
SET :forced_parallel = regress;
SELECT compare('SELECT g, sum(v), count(*) FROM pl GROUP BY g');
RESET :forced_parallel;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT compare('SELECT g, sum(v), count(*) FROM pl GROUP BY g');
SET parallel_leader_participation = off;
SELECT compare('SELECT g, sum(v), count(*) FROM pl GROUP BY g');
SET max_parallel_workers = 0;
SELECT compare('SELECT g, sum(v), count(*) FROM pl GROUP BY g');
RESET ALL;
\t on
\a
\a
DROP VIEW pl_view;
DROP FUNCTION pl_sql, pl_plpgsql;
DROP TABLE pl, pl_dim;
