--
-- How many groups the planner expects of expressions: for the device's plan, and for what
-- stands above it.
--
\a
\t on
CREATE TABLE ge (i int4 NOT NULL, n int4, d date NOT NULL, t timestamp NOT NULL, s text COLLATE "C", b boolean) WITH (autovacuum_enabled = off);
INSERT INTO ge SELECT i, CASE WHEN i % 2 = 0 THEN i END, date '2023-01-01' + i % 1000, timestamp '2024-01-01' + i * interval '10 min', 's' || i, i % 3 = 0
FROM generate_series(1, 20000) i;
ANALYZE ge;
-- the rows of the first node of the device in a plan; a plan of PostgreSQL's alone names its first node
CREATE FUNCTION ge_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	plan := plan->0->'Plan';
	WHILE plan->>'Custom Plan Provider' IS DISTINCT FROM 'GpuAgg' LOOP
		IF plan->'Plans' IS NULL THEN
			RETURN plan->>'Node Type';
		END IF;
		plan := plan->'Plans'->0;
	END LOOP;
	RETURN plan->>'Plan Rows';
END
$$;
SET gpuagg.debug_require = 'require';
SELECT q, ge_rows('SELECT ' || q || ', count(*) FROM ge GROUP BY ' || q) FROM unnest(ARRAY[
	-- fields of a date
	'extract(dow FROM t), extract(hour FROM t)',
	'extract(month FROM d)',
	'date_part(''week'', t)',
	'extract(isodow FROM d), b',
	-- over the histogram
	'extract(year FROM d)',
	'date_trunc(''month'', t)',
	'date_trunc(''week'', t)',
	'date_trunc(''hour'', t)',
	'date_trunc(''month'', d)',
	't::date',
	'i / 1000',
	'(i - 1) / 1000 % 4',
	'abs(i - 10000) / 1000',
	'i * 0',
	'(d + interval ''1 month'')::date',
	'to_timestamp(i * 3600)::date',
	'floor(extract(second FROM t) / 15)',
	-- remainders, and bits
	'i % 10',
	'n % 10',
	'-i % 10',
	'(n % 10)::int8 + 5',
	'i & 7',
	-- booleans
	'n > 5',
	'i IN (5, 7), n IS NULL',
	'NOT (b AND i > 5)',
	-- choices
	'CASE WHEN i < 5 THEN ''a'' WHEN i < 10 THEN ''b'' ELSE ''a'' END',
	'CASE WHEN i < 5 THEN 1 WHEN i < 10 THEN 2 END',
	'coalesce(n % 10, 0)',
	'CASE WHEN b THEN i % 10 ELSE -1 END',
	'nullif(i % 10, 0)',
	'greatest(i % 10, 3)',
	-- nothing fewer to be known
	'i',
	'i, extract(dow FROM t)',
	'i + 1',
	'CASE WHEN b THEN i ELSE 0 END',
	'extract(dow FROM t), s']) q;
SELECT ge_rows('SELECT DISTINCT extract(dow FROM t), i % 2 FROM ge');
-- never more than rows
SELECT ge_rows('SELECT extract(hour FROM t), i % 1000, count(*) FROM ge WHERE i <= 500 GROUP BY 1, 2')::int <= 500 AS few;
-- a table without statistics
CREATE TABLE ge_new (LIKE ge) WITH (autovacuum_enabled = off);
INSERT INTO ge_new SELECT * FROM ge;
SELECT q, ge_rows('SELECT ' || q || ', count(*) FROM ge_new GROUP BY ' || q) FROM unnest(ARRAY[
	'extract(dow FROM t)', 'extract(dow FROM t), extract(hour FROM t), n % 10', 'date_trunc(''month'', t)', 'i', 'b']) q;
-- (i # i is one value, which nothing tells beforehand) what a grouping had when it ran last, whatever is asked of the groups; what stands above a subquery is not told of it
SELECT ge_rows('SELECT i # i, count(*) FROM ge GROUP BY 1');
SELECT i # i AS x, count(*) FROM ge GROUP BY 1;
SELECT ge_rows('SELECT i # i, count(*) FROM ge GROUP BY 1');
SELECT ge_rows('SELECT y, s FROM (SELECT   g.i # g.i AS y, sum(n) AS s FROM ge g GROUP BY 1) x');
-- of all rows it bounds what conditions leave; under conditions it is theirs
SELECT ge_rows('SELECT i # i, count(*) FROM ge WHERE i > 10 GROUP BY 1');
SELECT ge_rows('SELECT n # n, count(*) FROM ge WHERE i > 10 GROUP BY 1')::int > 1000 AS unknown;
SELECT n # n AS x, count(*) FROM ge WHERE i > 10 GROUP BY 1 ORDER BY 1;
SELECT ge_rows('SELECT n # n, count(*) FROM ge WHERE i > 10 GROUP BY 1');
SELECT ge_rows('SELECT n # n, count(*) FROM ge WHERE i > 11 GROUP BY 1')::int > 1000 AS unknown;
-- not of parameters, samples, conditions that are false for all rows
SET plan_cache_mode = force_generic_plan;
PREPARE ge_param(int4) AS SELECT (i # i) * 2 AS x, count(*) FROM ge WHERE i > $1 GROUP BY 1;
EXECUTE ge_param(19999);
SELECT (i # i) * 2 AS x, count(*) > 1 AS many FROM ge TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY 1;
SELECT (i # i) * 2 AS x, count(*) FROM ge WHERE (SELECT false) GROUP BY 1;
SELECT ge_rows('SELECT (i # i) * 2, count(*) FROM ge GROUP BY 1')::int > 1000 AS unknown;
SELECT ge_rows('EXECUTE ge_param(19999)')::int > 1000 AS unknown;
DEALLOCATE ge_param;
RESET plan_cache_mode;
-- a table that has grown is another one
INSERT INTO ge SELECT (x.g).* FROM (SELECT g FROM ge g, generate_series(1, 2)) x;
SELECT ge_rows('SELECT i # i, count(*) FROM ge GROUP BY 1')::int > 1000 AS unknown;
SELECT i # i AS x, count(*) FROM ge GROUP BY 1;
SELECT ge_rows('SELECT i # i, count(*) FROM ge GROUP BY 1');
-- strings of a column that the cache has
CREATE TABLE ge_code WITH (autovacuum_enabled = off) AS SELECT i, 's' || i % 5 AS s FROM generate_series(1, 50000) i;
VACUUM ge_code;
SELECT ge_rows('SELECT s, count(*) FROM ge_code GROUP BY s');
SELECT gpuagg.load('ge_code', '{s}') > 0 AS loaded;
SELECT ge_rows('SELECT s, count(*) FROM ge_code GROUP BY s');
-- row security: neither they nor groups of hidden rows are told
CREATE ROLE regress_gpuagg_ge;
GRANT SELECT ON ge_code TO regress_gpuagg_ge;
SELECT i # i AS x, count(*) FROM ge_code GROUP BY 1;
ALTER TABLE ge_code ENABLE ROW LEVEL SECURITY;
CREATE POLICY ge_own ON ge_code USING (i > 10);
-- what was kept may have gone for others' sake
SELECT gpuagg.load('ge_code', '{s}') >= 0 AS loaded;
SELECT ge_rows('SELECT s, count(*) FROM ge_code GROUP BY s'), ge_rows('SELECT i # i, count(*) FROM ge_code GROUP BY 1');
SET ROLE regress_gpuagg_ge;
SELECT ge_rows('SELECT s, count(*) FROM ge_code GROUP BY s'), ge_rows('SELECT i # i, count(*) FROM ge_code GROUP BY 1');
RESET ROLE;
-- moments in bins, in other zones and as text; numbers, rounded and scaled
CREATE TABLE ge_more (k int NOT NULL, t timestamp NOT NULL, z timestamptz NOT NULL, v numeric(10,2) NOT NULL, f float8 NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO ge_more SELECT i % 10, timestamp '2024-01-01' + i * interval '10 min', timestamptz '2024-01-01 UTC' + i * interval '10 min', i / 40.0, i / 8.0
FROM generate_series(1, 20000) i;
ANALYZE ge_more;
SELECT q, ge_rows('SELECT ' || q || ', count(*) FROM ge_more GROUP BY ' || q) FROM unnest(ARRAY[
	'date_bin(''6 hours'', t, timestamp ''2000-01-01'')',
	'(z AT TIME ZONE ''Europe/Berlin'')::date',
	'date_trunc(''day'', z, ''Asia/Tokyo'')',
	'(t - interval ''5 hours'')::date',
	'(t + k * interval ''1 day'')::date',
	't::date - date ''2024-01-01''',
	't::date + 7',
	'to_char(t, ''YYYY-MM'')',
	'to_char(z, ''YYYY-MM-DD'')',
	'to_char(t, ''YYYY-"Q"Q'')',
	'floor(extract(epoch FROM t) / 86400) * 86400',
	'extract(epoch FROM t)::int8 / 86400',
	'v',
	'floor(v / 50) * 50',
	'round(v, -2)',
	'2 * round(v * 0.1)',
	'(v - 10)::int',
	'width_bucket(v, 0, 500, 10)',
	'width_bucket(f, 0, 2500, 5)',
	'floor(log(v + 1))',
	'greatest(v, 100)::int',
	'trunc(f / 500)',
	'floor(round(v, 400)), floor(round(v, -400))']) q;
-- where values of hidden rows lie is told of types alone of which PostgreSQL's estimates tell it
GRANT SELECT ON ge_more TO regress_gpuagg_ge;
ALTER TABLE ge_more ENABLE ROW LEVEL SECURITY;
CREATE POLICY ge_own ON ge_more USING (k < 9);
SELECT ge_rows('SELECT floor(v / 50), count(*) FROM ge_more GROUP BY 1')::int < 20 AS few;
SET ROLE regress_gpuagg_ge;
SELECT ge_rows('SELECT floor(v / 50), count(*) FROM ge_more GROUP BY 1')::int < 20 AS few, ge_rows('SELECT floor(f / 50), count(*) FROM ge_more GROUP BY 1')::int < 100 AS few;
RESET ROLE;
ALTER TABLE ge_more DISABLE ROW LEVEL SECURITY;
-- groups made of finer ones have bounds as well
SELECT q, ge_rows('SELECT ' || q || ', count(DISTINCT v), count(DISTINCT f) FROM ge_more GROUP BY ' || q) FROM unnest(ARRAY['date_trunc(''month'', z)', 'to_char(t, ''YYYY-MM'')']) q;
SELECT ge_rows('SELECT date_trunc(''month'', z), k, count(DISTINCT f), count(DISTINCT v) FROM ge_more GROUP BY ROLLUP (1, 2)');
-- those of a join, too
CREATE TABLE ge_dim (k int PRIMARY KEY, name text NOT NULL, born date NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO ge_dim SELECT i, 'n' || i % 3, date '2024-01-01' + i FROM generate_series(0, 9) i;
ANALYZE ge_dim;
SELECT q, ge_rows('SELECT ' || q || ', sum(v) FROM ge_more m JOIN ge_dim e ON e.k = m.k GROUP BY ' || q) FROM unnest(ARRAY['name, date_trunc(''month'', z)', 'extract(year FROM born), t::date']) q;
SELECT ge_rows('SELECT name, to_char(t, ''YYYY-MM''), sum(v) FROM ge_more m LEFT JOIN ge_dim e ON e.k = m.k GROUP BY 1, 2');
-- of a join also what it had when it ran last, under all of its conditions; policies hide it
CREATE FUNCTION ge_join(on_clause text, rest text DEFAULT '') RETURNS int LANGUAGE sql AS $$
	SELECT ge_rows(format('SELECT v * 0, e.k * 0, count(*) FROM ge_more m %s %s GROUP BY 1, 2', on_clause, rest))::int $$;
SELECT v * 0 AS v, e.k * 0 AS k, count(*) FROM ge_more m JOIN ge_dim e ON e.k = m.k WHERE e.born > '2024-01-03' GROUP BY 1, 2;
SELECT ge_join('JOIN ge_dim e ON e.k = m.k', 'WHERE e.born > ''2024-01-03'''), ge_join('JOIN ge_dim e ON e.k = m.k', 'WHERE e.born > ''2024-01-02''') > 100 AS unknown,
	ge_join('LEFT JOIN ge_dim e ON e.k = m.k', 'WHERE e.born > ''2024-01-03''') AS inner, ge_join('LEFT JOIN ge_dim e ON e.k = m.k AND e.born > ''2024-01-03''') > 100 AS unknown,
	ge_join('JOIN ge_dim e ON e.k = m.k + 1', 'WHERE e.born > ''2024-01-03''') > 100 AS unknown, ge_join('JOIN ge_dim e ON e.k = m.k', 'WHERE m.k < 8 AND e.born > ''2024-01-03''') > 100 AS unknown;
-- nothing is remembered of keys that depend on settings, by which others could be taken for them
SELECT date_trunc('month', z) < '2025-01-01' AS past, count(*) FROM (SELECT date_trunc('month', z) AS z FROM ge_more m JOIN ge_dim e ON e.k = m.k GROUP BY 1) x GROUP BY 1;
SELECT ge_rows('SELECT date_trunc(''hour'', z), count(*) FROM ge_more m JOIN ge_dim e ON e.k = m.k GROUP BY 1')::int > 100 AS unknown;
SET join_collapse_limit = 1;
SET enable_hashjoin = off;
SELECT ge_join('JOIN ge_dim e ON e.k = m.k', 'WHERE e.born > ''2024-01-03''');
RESET enable_hashjoin;
RESET join_collapse_limit;
GRANT SELECT ON ge_dim TO regress_gpuagg_ge;
ALTER TABLE ge_dim ENABLE ROW LEVEL SECURITY;
CREATE POLICY ge_all ON ge_dim USING (true);
SET ROLE regress_gpuagg_ge;
SELECT ge_join('JOIN ge_dim e ON e.k = m.k', 'WHERE e.born > ''2024-01-03''') > 100 AS unknown;
RESET ROLE;
ALTER TABLE ge_dim DISABLE ROW LEVEL SECURITY;
-- what was known of a column's range goes with its statistics, those of a transaction that failed, too
CREATE TABLE ge_range WITH (autovacuum_enabled = off) AS SELECT i FROM generate_series(1, 20000) i;
ANALYZE ge_range;
SELECT ge_rows('SELECT i / 1000, count(*) FROM ge_range GROUP BY 1');
BEGIN;
UPDATE ge_range SET i = i * 10;
ANALYZE ge_range;
SELECT ge_rows('SELECT i / 1000, count(*) FROM ge_range GROUP BY 1');
ROLLBACK;
SELECT ge_rows('SELECT i / 1000, count(*) FROM ge_range GROUP BY 1');
UPDATE ge_range SET i = i * 5;
ANALYZE ge_range;
SELECT ge_rows('SELECT i / 1000, count(*) FROM ge_range GROUP BY 1');
-- under ordinary costs such a grouping runs on the device, and a sort of its groups costs little
RESET gpuagg.debug_require;
CREATE TABLE ge_large WITH (autovacuum_enabled = off) AS SELECT timestamp '2024-01-01' + i * interval '97 s' AS t FROM generate_series(1, 500000) i;
VACUUM ANALYZE ge_large;
EXPLAIN (COSTS OFF) SELECT extract(dow FROM t), extract(hour FROM t), count(*) FROM ge_large GROUP BY 1, 2 ORDER BY 3;
SELECT ge_rows('SELECT extract(dow FROM t), extract(hour FROM t), count(*) FROM ge_large GROUP BY 1, 2');
DROP TABLE ge, ge_new, ge_code, ge_more, ge_dim, ge_large, ge_range;
DROP FUNCTION ge_join, ge_rows;
DROP ROLE regress_gpuagg_ge;

-- of groups that are finer than the query's, PostgreSQL expects a tenth of the rows; a run tells how many there are, and the next one
-- makes its table for them
CREATE TABLE ge_finer WITH (autovacuum_enabled = off) AS SELECT i % 97 AS shop, i * 7919 % 5000 AS item FROM generate_series(1, 50000) i;
ANALYZE ge_finer;
CREATE FUNCTION ge_scope(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Scope Size';
END
$$;
SET gpuagg.debug_require = 'require';
SELECT q, ge_scope(q) * 5 < ge_scope(q) AS more, ge_scope(q) = ge_scope(q) AS then_the_same FROM unnest(ARRAY['SELECT shop, count(DISTINCT item) FROM ge_finer GROUP BY shop',
	'SELECT shop, count(DISTINCT item) FROM ge_finer WHERE item > 7 GROUP BY shop', 'SELECT shop, item, count(*) FROM ge_finer GROUP BY shop, item']) q;
RESET gpuagg.debug_require;
SELECT compare('SELECT shop, count(DISTINCT item) FROM ge_finer WHERE item > 7 GROUP BY shop');
DROP FUNCTION ge_scope;
DROP TABLE ge_finer;
