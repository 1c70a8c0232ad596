--
-- What is left to PostgreSQL, and gpuagg.why_not() about it.
--
\a
\t on
CREATE TABLE re (id int4, g int4, i2 int2, i8 int8, f float8, n numeric(30, 20), t text, ct text COLLATE "C", c char(3), d date, ts timestamp, tz timestamptz, iv interval, tm time, b bytea, j jsonb, a int4[], u uuid, x "char", nm name, o oid, ip inet, m money, bt bit(4), bool bool);
INSERT INTO re (id, g, i2, i8, f, n, t, ct, iv, j, a, d, ts, tz, bool) SELECT i, i % 5, 1, i, i, i, 't', 't', i * interval '1 day', '{}', '{1}', '2020-01-01', '2020-01-01', '2020-01-01', true FROM generate_series(1, 1000) i;
ANALYZE re;
CREATE TABLE re_dim (g int4, name text);
INSERT INTO re_dim SELECT i, 'd' || i FROM generate_series(0, 4) i;
CREATE TEMP TABLE re_temp AS SELECT i AS a FROM generate_series(1, 100) i;
CREATE AGGREGATE re_sum (int4) (SFUNC = int4pl, STYPE = int4, INITCOND = '0');
CREATE FUNCTION re_fn(int4) RETURNS int4 IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
CREATE FUNCTION re_srf() RETURNS SETOF int4 LANGUAGE sql AS 'SELECT 1';
SELECT q, refused(q) FROM unnest(ARRAY[
	-- forms of queries
	'SELECT name, id, count(*) FROM re JOIN re_dim USING (g) GROUP BY name, id',
	'SELECT r.g, count(*) FROM re r, re_dim GROUP BY r.g',
	'SELECT g, count(*) FROM (SELECT g FROM re LIMIT 10) x GROUP BY g',
	'SELECT g, count(*) FROM (SELECT DISTINCT ON (g) g, id FROM re) x GROUP BY g',
	'SELECT g, count(*) FROM (SELECT g FROM re FOR UPDATE) x GROUP BY g',
	'SELECT r.g, count(*), max(x.name) FROM re r JOIN (SELECT g, name FROM re_dim FOR SHARE) x ON x.g = r.g GROUP BY r.g',
	'SELECT s, count(*) FROM (SELECT string_agg(name, '''' ORDER BY name) AS s FROM re_dim GROUP BY ROLLUP (g)) x GROUP BY s',
	'SELECT r.g, count(*), max(x.s) FROM re r JOIN (SELECT g, string_agg(name, '''' ORDER BY name) AS s FROM re_dim GROUP BY CUBE (g)) x ON x.g = r.g GROUP BY r.g',
	'SELECT n, count(*) FROM (VALUES (1), (2)) v(n) GROUP BY n',
	'SELECT n, count(*) FROM generate_series(1, 3) n GROUP BY n',
	'SELECT count(*)',
	-- kinds of tables
	'SELECT a, count(*) FROM re_temp GROUP BY a',
	'SELECT relkind, count(*) FROM pg_class GROUP BY relkind',
	'SELECT schemaname, count(*) FROM pg_stats GROUP BY 1',
	-- aggregates
	'SELECT count(DISTINCT array_to_tsvector(ARRAY[ct])) FROM re',
	'SELECT g, string_agg(DISTINCT t, '','') FROM re GROUP BY g',
	'SELECT g, string_agg(t, '','' ORDER BY id) FROM re GROUP BY g',
	'SELECT g, array_agg(id ORDER BY id) FROM re GROUP BY g',
	'SELECT g, sum(id ORDER BY id) FROM re GROUP BY g',
	'SELECT g, percentile_cont(g / 100.0) WITHIN GROUP (ORDER BY f) FROM re GROUP BY g',
	'SELECT rank(5) WITHIN GROUP (ORDER BY g) FROM re',
	'SELECT g, re_sum(id) FROM re GROUP BY g',
	'SELECT corr(DISTINCT ln(f), 1) FROM re',
	'SELECT regr_slope(DISTINCT exp(f / 1000), 2), max(justify_days(iv)) FROM re',
	'SELECT min(ip), json_agg(a), min(o), max(m) FROM re',
	'SELECT g, json_agg(id ORDER BY id) FROM re GROUP BY g',
	'SELECT bit_and(bt) FROM re',
	-- types of keys
	'SELECT array_to_tsvector(ARRAY[ct]), x, nm, count(*) FROM re GROUP BY CUBE (1, x, nm)',
	'SELECT row(g, array_to_tsvector(ARRAY[ct])), count(*) FROM re GROUP BY 1',
	'SELECT a, array[array_to_tsvector(ARRAY[ct])], count(*) FROM re GROUP BY 1, 2',
	'SELECT re, count(*) FROM re GROUP BY re',
	'SELECT ctid, count(*) FROM re GROUP BY ctid',
	'SELECT tableoid, xmin, count(*) FROM re GROUP BY tableoid, xmin',
	-- expressions
	'SELECT g, count(*) FROM re WHERE random() < 2 GROUP BY g',
	'SELECT g, corr(DISTINCT re_fn(id)::float8, 3) FROM re GROUP BY g',
	'SELECT g, count(*) FROM re WHERE sin(f) > 2 + random() GROUP BY g',
	'SELECT covar_pop(DISTINCT sqrt(f) + ln(f), 4) FROM re',
	'SELECT g, count(*) FROM re WHERE EXISTS (SELECT 1 FROM re_dim WHERE re_dim.g < re.g) GROUP BY g',
	'SELECT g, count(*) FROM re WHERE g NOT IN (SELECT g FROM re_dim WHERE re_dim.g = re.id % 5) GROUP BY g',
	'SELECT g, max((SELECT name FROM re_dim WHERE re_dim.g = re.g)) FROM re GROUP BY g',
	'SELECT g, count(*) FROM re WHERE pg_column_size(t) > 0 GROUP BY g']) q;
-- sequences are tables of one row, but not heap ones to count on
CREATE SEQUENCE re_seq;
SELECT nextval('re_seq');
SELECT q, refused(q) FROM unnest(ARRAY[
	'SELECT last_value, count(*) FROM re_seq GROUP BY last_value',
	'SELECT count(*), max(last_value) FROM re_seq']) q;
DROP SEQUENCE re_seq;
-- materialised views: an error before they are populated, a table afterwards; a plan follows
CREATE MATERIALIZED VIEW re_mv AS SELECT id, g FROM re WITH NO DATA;
PREPARE re_mv_plan AS SELECT g, count(*) FROM re_mv WHERE g > 2 GROUP BY g ORDER BY g;
SET gpuagg.debug_require = 'prefer';
EXECUTE re_mv_plan;
RESET gpuagg.debug_require;
SELECT refused('SELECT g, count(*) FROM re_mv GROUP BY g');
SELECT refused('SELECT count(*) FROM re_mv TABLESAMPLE SYSTEM (50)');
SELECT * FROM gpuagg.why_not('SELECT g, count(*) FROM re_mv GROUP BY g');
REFRESH MATERIALIZED VIEW re_mv;
SET gpuagg.debug_require = 'require';
EXECUTE re_mv_plan;
SELECT compare('SELECT g, count(*), sum(id) FROM re_mv GROUP BY g');
SELECT compare('SELECT g, count(*), sum(id) FROM re_mv TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY g');
CREATE UNIQUE INDEX re_mv_id ON re_mv (id);
INSERT INTO re (id, g) VALUES (2001, 7);
REFRESH MATERIALIZED VIEW CONCURRENTLY re_mv;
EXECUTE re_mv_plan;
DELETE FROM re WHERE id = 2001;
REFRESH MATERIALIZED VIEW CONCURRENTLY re_mv;
SELECT compare('SELECT g, count(*), sum(id) FROM re_mv GROUP BY g');
REFRESH MATERIALIZED VIEW re_mv WITH NO DATA;
SET gpuagg.debug_require = 'prefer';
EXECUTE re_mv_plan;
RESET gpuagg.debug_require;
DEALLOCATE re_mv_plan;
DROP MATERIALIZED VIEW re_mv;
-- foreign tables
CREATE EXTENSION file_fdw;
CREATE SERVER re_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE re_foreign (a int4) SERVER re_files OPTIONS (program 'printf "1\n2\n3\n"');
SELECT q, refused(q) FROM unnest(ARRAY[
	'SELECT a % 2, count(*) FROM re_foreign GROUP BY 1',
	'SELECT count(*), sum(a) FROM re_foreign WHERE a > 1']) q;
DROP FOREIGN TABLE re_foreign;
DROP SERVER re_files;
DROP EXTENSION file_fdw;
-- more than one obstacle: a row for each
SELECT count(*) > 2 FROM gpuagg.why_not('SELECT array_to_tsvector(ARRAY[ct]), string_agg(t, '','' ORDER BY t), array_agg(DISTINCT id) FROM re WHERE sin(f) = random() GROUP BY 1');
-- nothing in the way but the cost; then nothing: no row
SELECT regexp_replace(split_part(w, ';', 1), '[0-9]+[.][0-9]+', 'N', 'g') FROM gpuagg.why_not('SELECT g, count(*) FROM re GROUP BY g') w;
SET gpuagg.cost_scale = 0.001;
SELECT * FROM gpuagg.why_not('SELECT g, count(*) FROM re GROUP BY g');
RESET gpuagg.cost_scale;
-- nothing to group; not a query; several; not SQL; a query that may not be read
SELECT * FROM gpuagg.why_not('SELECT * FROM re');
SELECT * FROM gpuagg.why_not('DELETE FROM re');
SELECT * FROM gpuagg.why_not('SELECT 1; SELECT 2');
SELECT * FROM gpuagg.why_not('');
SELECT * FROM gpuagg.why_not('SELEKT 1');
SELECT * FROM gpuagg.why_not('SELECT count(*) FROM no_such_table');
SELECT * FROM gpuagg.why_not(NULL);
-- it runs nothing
SELECT count(*) FROM gpuagg.why_not('INSERT INTO re_dim SELECT g, max(t) FROM re GROUP BY g');
SELECT count(*) FROM re_dim;
SET gpuagg.cost_scale = 0.001;
-- parameters, subqueries, more than one grouping step
SELECT count(*) FROM gpuagg.why_not('SELECT g, count(*) FROM re WHERE id > $1 GROUP BY g');
SELECT regexp_replace(split_part(w, ';', 1), '[0-9]+[.][0-9]+', 'N', 'g') FROM gpuagg.why_not('SELECT x, count(*) FROM (SELECT g, sum(id) AS x FROM re GROUP BY g) y GROUP BY x') w;
RESET gpuagg.cost_scale;
SET gpuagg.enable = off;
SELECT regexp_replace(split_part(w, ';', 1), '[0-9]+[.][0-9]+', 'N', 'g') FROM gpuagg.why_not('SELECT g, count(*) FROM re GROUP BY g') w;
RESET gpuagg.enable;
-- debug_require, in both directions
SET gpuagg.debug_require = 'require';
SELECT array_to_tsvector(ARRAY[ct]), count(*) FROM re GROUP BY 1;
SELECT count(DISTINCT array_to_tsvector(ARRAY[ct])) FROM re;
SELECT 1 AS one, upper('x') FROM re_dim LIMIT 1;
SET gpuagg.debug_require = 'forbid';
SELECT g, count(*) FROM re GROUP BY g;
SELECT count(DISTINCT array_to_tsvector(ARRAY[ct])) FROM re;
RESET gpuagg.debug_require;
DROP TABLE re, re_dim, re_temp;
DROP AGGREGATE re_sum (int4);
DROP FUNCTION re_fn, re_srf;
