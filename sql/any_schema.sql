--
-- Queries over schemas that nobody expects: functions without arguments, tables of
-- which nothing is left, filters and constants of any type, decimals with a negative
-- scale, zones with leap seconds, orders by averages of rows that count several times.
--
CREATE TABLE any_small (v int);
INSERT INTO any_small SELECT generate_series(1, 10);
CREATE TABLE any_dim (id int, g int, t text, dt date, n numeric(9,2), f float8, j jsonb, b bool, iv interval);
INSERT INTO any_dim
SELECT i % 60, i % 3, 'x' || i % 5, date '2024-01-01' + i % 9, i / 4.0, i / 8.0, to_jsonb(i % 7), i % 2 = 0,
	   i % 11 * interval '1 hour'
FROM generate_series(1, 1000) i;
CREATE TABLE any_fact (k int, t text, flag bool, w int, m numeric(9,2));
INSERT INTO any_fact SELECT i % 50, 'k' || i % 2, i % 3 = 0, nullif(i % 17, 5), i % 19 / 4.0 FROM generate_series(1, 3000) i;
ANALYZE any_small, any_dim, any_fact;
SELECT prefer_device(false);

-- Functions without arguments, in every clause
CREATE FUNCTION any_one() RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN 1; END';
CREATE FUNCTION any_two() RETURNS int IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN 2; END';
CREATE FUNCTION any_day() RETURNS date STABLE LANGUAGE plpgsql AS $$ BEGIN RETURN date '2024-01-03'; END $$;
CREATE FUNCTION any_default(int DEFAULT 3, int DEFAULT 4) RETURNS int STABLE LANGUAGE plpgsql
AS 'BEGIN RETURN $1 * $2; END';
CREATE FUNCTION any_many(VARIADIC int[]) RETURNS int STABLE LANGUAGE plpgsql AS 'BEGIN RETURN cardinality($1); END';
SELECT clause, compare(query, 'any') FROM (VALUES
	('where', 'SELECT count(*) FROM any_small WHERE v = any_one()'),
	('argument', 'SELECT sum(any_one() + v), max(v * any_two()) FROM any_small'),
	('key', 'SELECT v + any_one(), count(*) FROM any_small GROUP BY 1'),
	('filter', 'SELECT count(*) FILTER (WHERE v > any_one()) FROM any_small'),
	('having', 'SELECT v, count(*) FROM any_small GROUP BY v HAVING sum(v) > any_two()'),
	('sample', 'SELECT count(*) FROM any_small TABLESAMPLE bernoulli (100) WHERE v > any_one()'),
	('on', 'SELECT count(*) FROM any_fact f JOIN any_dim d ON f.k = d.id AND d.g = any_one()'),
	('list', 'SELECT count(*) FROM any_small WHERE v IN (any_one(), any_two(), v - any_one())'),
	('case', 'SELECT sum(CASE WHEN v > any_one() THEN any_two() ELSE v END) FROM any_small'),
	('day', 'SELECT count(*), min(dt - any_day()) FROM any_dim WHERE dt >= any_day()'),
	('defaults', 'SELECT sum(v * any_default()), sum(any_default(v)), sum(any_many(v, v)) FROM any_small'),
	('order', 'SELECT g, sum(id) FROM any_dim GROUP BY g ORDER BY sum(id) + any_one(), 1 LIMIT 2'),
	('sub-select', 'SELECT count(*) FROM any_small WHERE v = (SELECT any_one())')) AS q(clause, query)
ORDER BY clause COLLATE "C";
SELECT gpuagg.why_not('SELECT sum(v + any_one()) FROM any_small WHERE v = any_one()') IS NOT NULL AS told;

-- the policy of a schema with tenants
CREATE ROLE regress_any_tenant;
GRANT SELECT ON any_small TO regress_any_tenant;
CREATE POLICY any_policy ON any_small USING (v > any_two());
ALTER TABLE any_small ENABLE ROW LEVEL SECURITY;
SET ROLE regress_any_tenant;
SELECT count(*), sum(v) FROM any_small;
RESET ROLE;
ALTER TABLE any_small DISABLE ROW LEVEL SECURITY;

-- Tables of which nothing is left, on the side that an outer join may lack
CREATE TABLE any_days (day date, c int) PARTITION BY RANGE (day);
CREATE TABLE any_days_26 PARTITION OF any_days FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
INSERT INTO any_days SELECT date '2026-12-20' + i % 12, i FROM generate_series(1, 100) i;
CREATE TABLE any_none (day date, c int) PARTITION BY RANGE (day);
CREATE TABLE any_parent (day date, c int);
CREATE TABLE any_child () INHERITS (any_parent);
CREATE VIEW any_union AS
SELECT day, c FROM any_days WHERE day > '2027-01-01' UNION ALL SELECT day, c FROM any_parent WHERE false;
SELECT which, compare(format(query, which), 'any') FROM
	(VALUES ('SELECT d, count(l.c) FROM generate_series(date ''2026-12-30'', date ''2027-01-02'', interval ''1 day'') d
			  LEFT JOIN %s l ON l.day = d AND l.day >= ''2027-01-01'' GROUP BY d'),
			('SELECT count(*) FROM (SELECT DISTINCT dt FROM any_dim) d
			  WHERE NOT EXISTS (SELECT FROM %s l WHERE l.day = d.dt AND l.day > ''2027-01-01'')'),
			('SELECT d.g, count(l.c) FROM (SELECT g, dt, count(*) FROM any_dim GROUP BY g, dt) d
			  LEFT JOIN %s l ON l.day = d.dt AND l.c > 5 AND l.c < 2 GROUP BY d.g'),
			('WITH d AS MATERIALIZED (SELECT g, dt FROM any_dim)
			  SELECT d.g, count(*), max(l.c) FROM d LEFT JOIN %s l ON l.day = d.dt AND false GROUP BY d.g'),
			('SELECT count(*), sum(l.c) FROM (SELECT g, dt FROM any_dim OFFSET 0) d
			  LEFT JOIN (SELECT * FROM %s WHERE day > ''2027-01-01'') l ON l.day = d.dt'),
			('SELECT count(*) FROM (SELECT DISTINCT dt FROM any_dim) d
			  WHERE dt NOT IN (SELECT day FROM %s l WHERE day > ''2027-01-01'')'),
			('SELECT l.c, count(*) FROM %s l RIGHT JOIN (VALUES (date ''2027-01-01'')) d(dt)
			  ON l.day = d.dt AND l.day > ''2027-01-01'' GROUP BY l.c')) AS q(query),
	(VALUES ('any_days'), ('any_none'), ('any_parent'), ('any_union')) AS w(which)
ORDER BY which COLLATE "C", query COLLATE "C";
SELECT gpuagg.why_not($$ SELECT d, count(l.c) FROM generate_series(date '2027-01-01', date '2027-01-02', interval '1 day') d
	LEFT JOIN any_days l ON l.day = d AND l.day >= '2027-01-01' GROUP BY d $$);

-- FILTER by a column of an input with several rows of a key
SELECT call, compare(format('SELECT d.g, %s FILTER (WHERE f.flag), %s FILTER (WHERE f.t = ''k1'') FROM %s GROUP BY d.g',
							call, call, source), 'any', 1e-12)
FROM (VALUES ('sum(d.n)'), ('avg(d.n)'), ('stddev(d.n)'), ('min(d.t)'), ('max(d.n)'), ('min(d.dt)'), ('sum(d.iv)'),
			 ('avg(d.f)'), ('count(d.j)'), ('bool_and(d.b)'), ('max(d.iv)'), ('count(DISTINCT d.dt)'),
			 ('min(DISTINCT d.t)'), ('array_agg(d.id ORDER BY d.id)'), ('string_agg(d.t, '','' ORDER BY d.t)'),
			 ('percentile_cont(0.5) WITHIN GROUP (ORDER BY d.n)'), ('mode() WITHIN GROUP (ORDER BY d.t)'),
			 ('corr(d.f, d.id)'), ('bit_or(d.id)'), ('every(d.b)'), ('variance(d.f)')) AS c(call),
	 (VALUES ('(SELECT * FROM any_fact UNION ALL SELECT * FROM any_fact) f JOIN any_dim d ON f.k = d.id'),
			 ('any_dim d LEFT JOIN (SELECT * FROM any_fact OFFSET 0) f ON f.k = d.id')) AS s(source)
ORDER BY call COLLATE "C", source COLLATE "C";
SELECT compare('SELECT avg(greatest(a.n, (SELECT 0.2 * avg(n) FROM any_dim))) FILTER (WHERE a.t IN (''x1'', ''x2''))
				FROM any_dim e JOIN any_dim a ON a.n = e.n', 'any');

-- what was tried first leaves no key behind: the filter reads a column that looks rows up, and one of many rows
SELECT compare('SELECT avg(f.w::numeric) FILTER (WHERE d.id = d.g) FROM any_fact f JOIN any_dim d ON f.k = d.id', 'any'),
	   compare('SELECT f.t, avg(f.w::numeric) FILTER (WHERE d.id > d.g), sum(f.m) FILTER (WHERE f.k < d.g)
				FROM any_fact f JOIN any_dim d ON f.k = d.id GROUP BY f.t', 'any');

-- Constants of every type are counted, of tables, of a plan's rows, and beside columns
SELECT source, compare(format('SELECT g, count(%s), count(%s) FILTER (WHERE g = 1), count(*) FROM %s q GROUP BY g',
							  constant, constant, source), 'any')
FROM (SELECT source, string_agg(constant, '), count(') AS constant
	  FROM (VALUES ('''x'''), ('1.5'), ('NULL'), ('NULL::numeric'), ('''{}''::jsonb'), ('NULL::jsonb'), ('ARRAY[1, 2]'),
				   ('row(1, NULL)'), ('point ''(1,2)'''), ('date ''2020-01-01'''), ('7'), ('true'), ('NULL::int[]'),
				   ('''a''::"char"'), ('int4range(1, 2)'), ('interval ''1 day'''), ('''x''::bpchar'), ('bit ''101''')) AS c(constant),
		   (VALUES ('any_dim'), ('(SELECT DISTINCT id, g, t FROM any_dim)'), ('(SELECT * FROM any_dim OFFSET 0)'),
				   ('(SELECT g FROM any_dim UNION ALL SELECT k FROM any_fact)')) AS s(source)
	  GROUP BY source) AS x
ORDER BY source COLLATE "C";
SELECT compare('SELECT g, count(x), count(y), count(z) FROM
				(SELECT g, 1.5 AS x, NULL::numeric AS y, ''{}''::jsonb AS z FROM any_dim
				 UNION ALL SELECT k, k / 3.0, k / 4.0, NULL FROM any_fact) q GROUP BY g', 'any');

-- Decimals whose last digits before the point are zeros
CREATE TABLE any_thousands (x numeric(10,-3), y numeric(3,5), z bigint);
INSERT INTO any_thousands SELECT i * 777, i / 100000.0, i * 1000003::bigint FROM generate_series(1, 900) i;
ANALYZE any_thousands;
SELECT typmod, compare(format(query, typmod), 'any') FROM
	(VALUES ('SELECT sum(z::numeric(%1$s)), max(z::numeric(%1$s)), avg(z::numeric(%1$s)) FROM any_thousands'),
			('SELECT z::numeric(%1$s), count(*), sum(x) FROM any_thousands GROUP BY 1'),
			('SELECT count(*) FROM any_thousands WHERE (x * 1.5)::numeric(%1$s) > 5500'),
			('SELECT x, count(*) FROM any_thousands GROUP BY x HAVING max(z::numeric(%1$s)) > 500000000'),
			('SELECT count(DISTINCT (x + y)::numeric(%1$s)), sum((-z)::numeric(%1$s)) FROM any_thousands')) AS q(query),
	(VALUES ('10,-3'), ('18,-1'), ('9,-2'), ('2,-8'), ('1,-3'), ('38,-9'), ('20,0'), ('30,6')) AS t(typmod)
ORDER BY typmod COLLATE "C", query COLLATE "C";
SELECT compare('SELECT sum(x), min(x), count(DISTINCT x), sum(y), max(y) FROM any_thousands WHERE x > 5500');

-- Zones with leap seconds, where the machine has them, are PostgreSQL's
SELECT compare(query, 'any') ~ '^ok|^same error: 22023' AS same FROM
	(VALUES ('SELECT max(dt::timestamptz AT TIME ZONE ''right/UTC''), min(dt::timestamp AT TIME ZONE ''right/UTC'')
			  FROM any_dim'),
			('SELECT date_trunc(''day'', dt::timestamptz, ''right/UTC''), count(*) FROM any_dim GROUP BY 1')) AS q(query);

-- Averages of rows that count several times, in order
SELECT kind, what, compare(format('SELECT f.k, %2$s, count(*) FROM any_fact f %1$s JOIN (SELECT id FROM any_dim UNION ALL
								   SELECT id FROM any_dim) d ON f.k = d.id GROUP BY f.k ORDER BY %2$s, 1 LIMIT 5', kind, what))
FROM (VALUES ('INNER'), ('LEFT')) AS j(kind),
	 (VALUES ('avg(f.w)'), ('avg(f.m)'), ('sum(f.w)'), ('sum(f.m)')) AS o(what)
ORDER BY kind COLLATE "C", what COLLATE "C";
EXPLAIN (COSTS OFF) SELECT f.k, avg(f.w) FROM any_fact f JOIN any_dim d ON f.k = d.id GROUP BY f.k ORDER BY 2, 1 LIMIT 5;

-- Errors of constants that nobody asks for are nobody's: of outputs that are not used, of rows that are not there
SELECT what, compare(query, 'any') FROM (VALUES
	('unused output', 'SELECT count(*) FROM (SELECT b.id, count(jsonb_set_lax(''2''::jsonb, ''{a,b}'', ''{"k": 1}''::jsonb, true,
		''delete_key'')) FROM any_dim b GROUP BY b.id) q'),
	('unused state', 'SELECT count(*) FROM (SELECT b.g, bool_and(float8_accum(''{1}''::float8[], 1) > ''{1}''::float8[])
		FROM any_dim b GROUP BY b.g) q'),
	('unused quotient', 'SELECT count(*) FROM (SELECT b.g, sum(1 / 0) FROM any_dim b GROUP BY b.g) q'),
	('no rows', 'SELECT g, bool_or(record_lt(row(2, ''p''), pg_sequence_parameters(''21''::oid))) FROM any_dim
		WHERE id > 1000 GROUP BY g'),
	('no privilege', 'SELECT count(*) FROM any_dim WHERE id > 1000 AND has_table_privilege(''no_such_table'', ''SELECT'')'),
	('no setting', 'SELECT count(*) FROM any_dim WHERE id > 1000 AND g = current_setting(''any.tenant'')::int'))
	AS q(what, query) ORDER BY what COLLATE "C";

DROP VIEW any_union;
DROP TABLE any_small, any_dim, any_fact, any_days, any_none, any_child, any_parent, any_thousands;
DROP FUNCTION any_one, any_two, any_day, any_default, any_many;
DROP ROLE regress_any_tenant;
