--
-- Aggregates of one argument that share a state (planner/lower/lower_share.c).  That they
-- do shows where a program has room for no more: of 64 transitions.
--
\a
\t on
CREATE TABLE sh (
	g int4, k int4 NOT NULL, a int4, b int4 NOT NULL, c int4 NOT NULL, f4 float4, f8 float8, x float8, y float8 NOT NULL, z float8 NOT NULL);
INSERT INTO sh
SELECT i % 7, i % 900, CASE WHEN i % 5 > 0 THEN (h % 4294967296 - 2147483648)::int4 END, h % 1000, i,
	   CASE WHEN i % 11 > 0 THEN (h % 2003 - 1001) / 64.0 END, CASE WHEN i % 3 > 0 THEN (h % 2000003 - 1000001) / 64.0 END,
	   CASE WHEN i % 4 > 0 THEN (h % 1009) / 8.0 END, i % 64, (h % 129) / 4.0
FROM (SELECT i, hashint8extended(i, 0) & 2305843009213693951 AS h FROM generate_series(1, 9000) i) v;
-- group 8 is NULL; 9 has -0 alone, 10 also 0
INSERT INTO sh SELECT 8, 1000, NULL, 1, 1, NULL, NULL, NULL, 1, 1 FROM generate_series(1, 20);
INSERT INTO sh SELECT 9 + i % 2, 1000 + i % 2, i, 1, 1, -0.0, '-0', '-0', '-0', '-0' FROM generate_series(0, 19) i;
INSERT INTO sh VALUES (10, 1001, 0, 0, 0, 0, 0, 0, 0, 0);
ANALYZE sh;

-- a query of n aggregates each
CREATE FUNCTION sh_many(n int4, VARIADIC calls text[]) RETURNS text LANGUAGE sql AS $$
	SELECT 'SELECT g, ' || string_agg(replace(c, '#', i::text), ', ') || ' FROM sh GROUP BY g'
	FROM generate_series(1, n) i, unnest(calls) c
$$;

-- sum and avg of floating point
SELECT g, sum(f4), avg(f4), sum(f8), avg(f8), avg(y), sum(y) FROM sh WHERE g > 7 GROUP BY g ORDER BY g;
SELECT g, avg(f8), avg(f4), sum(y + 0), avg(-z) FROM sh WHERE g > 7 GROUP BY g ORDER BY g;
SELECT sum(f8), avg(f8), avg(f8) FILTER (WHERE a > 0), sum(f8) FILTER (WHERE a > 0) FROM sh WHERE g = 9;
SELECT compare(sh_many(31, 'sum(f8 + #)', 'avg(f8 + #)')), compare(sh_many(31, 'avg(f4 - #)', 'sum(f4 - #)'));
SELECT e, string_agg(DISTINCT compare(format(q, e)), ', ') FROM
	unnest(ARRAY['SELECT g, sum(%1$s), avg(%1$s) FROM sh GROUP BY g', 'SELECT k, avg(%1$s), count(*), sum(%1$s), count(%1$s) FROM sh GROUP BY k',
	'SELECT sum(%1$s), avg(%1$s) FROM sh', 'SELECT sum(%1$s), avg(%1$s) FROM sh WHERE g < 0', 'SELECT g, sum(%1$s), avg(%1$s) FROM sh WHERE g > 7 GROUP BY g',
	'SELECT g, sum(%1$s) FILTER (WHERE b > 500), avg(%1$s), avg(%1$s) FILTER (WHERE b > 500), sum(%1$s) FROM sh GROUP BY g',
	'SELECT k, avg(%1$s), sum(%1$s) AS s FROM sh GROUP BY k HAVING sum(%1$s) > 100 ORDER BY s DESC, k LIMIT 5',
	'SELECT k, sum(%1$s), avg(%1$s) AS s FROM sh GROUP BY k HAVING avg(%1$s) < 5 ORDER BY s, k LIMIT 5',
	'SELECT g, sum(DISTINCT %1$s), avg(%1$s), sum(%1$s) FROM sh GROUP BY ROLLUP (g)']) q, unnest(ARRAY['f4', 'f8', 'y']) e GROUP BY e ORDER BY e;
-- beyond the limit of an average; infinities; overflow
CREATE TABLE sh_f (g int4, x float8);
INSERT INTO sh_f VALUES (1, 1e200), (2, 1e200), (2, -1e200), (3, 'inf'), (3, '-inf'), (4, 'nan'), (5, 1), (6, 1.7e308), (6, 1.7e308), (7, 1e145), (7, -1e145);
SELECT g, compare(format('SELECT sum(x), avg(x) FROM sh_f WHERE g = %s', g), 'prefer'), compare(format('SELECT avg(x), sum(x) FROM sh_f WHERE g = %s', g), 'prefer'),
	   compare(format('SELECT sum(x) FROM sh_f WHERE g = %s', g), 'prefer') FROM generate_series(1, 7) g;

-- sum and avg of an int4 beside its variances
SELECT compare(sh_many(20, 'sum(a / 3 - #)', 'avg(a / 3 - #)', 'var_pop(a / 3 - #)')), compare(sh_many(20, 'stddev(a / 3 - #)', 'sum(a / 3 - #)'));
SELECT e, string_agg(DISTINCT compare(format(q, e)), ', ') FROM
	unnest(ARRAY['SELECT g, sum(%1$s), avg(%1$s), stddev(%1$s) FROM sh GROUP BY g', 'SELECT k, var_samp(%1$s), sum(%1$s), count(%1$s) FROM sh GROUP BY k',
	'SELECT sum(%1$s), avg(%1$s), variance(%1$s) FROM sh', 'SELECT sum(%1$s), var_pop(%1$s) FILTER (WHERE b > 500) FROM sh',
	'SELECT k, sum(%1$s) AS s, stddev(%1$s) FROM sh GROUP BY k HAVING sum(%1$s) > 100 ORDER BY s DESC, k LIMIT 5',
	'SELECT k, avg(%1$s) AS s, stddev(%1$s) FROM sh GROUP BY k ORDER BY s, k LIMIT 5',
	'SELECT g, sum(%1$s), var_pop(%1$s), avg(%1$s) FROM sh GROUP BY ROLLUP (g)',
	'SELECT k %% 10, sum(%1$s), var_pop(%1$s), sum(DISTINCT %1$s) FROM sh GROUP BY 1']) q, unnest(ARRAY['a', 'b', 'c', 'b::int2', 'a::int8']) e GROUP BY e ORDER BY e;

-- the same of a filter that only PostgreSQL computes, of finer groups
SELECT compare(sh_many(40, 'sum(y + #) FILTER (WHERE to_char(b, ''999'') > '' 3'')', 'avg(y + #) FILTER (WHERE to_char(b, ''999'') > '' 3'')'));
SELECT e, string_agg(DISTINCT compare(replace(replace(q, '@', e), '#', $$FILTER (WHERE to_char(b, '999') > ' 3')$$), 'require', 1e-9), ', ') FROM
	unnest(ARRAY['SELECT g, sum(@) #, avg(@) # FROM sh GROUP BY g', 'SELECT k, avg(@) #, count(@) #, sum(@), sum(@) # FROM sh GROUP BY k',
	'SELECT sum(@) #, avg(@), avg(@) # FROM sh', 'SELECT avg(@), sum(@) # FROM sh WHERE g > 7', 'SELECT g, count(@) #, sum(@) #, var_pop(@) # FROM sh WHERE g < 8 GROUP BY g']) q,
	unnest(ARRAY['f8', 'y', 'a', 'b + c']) e GROUP BY e ORDER BY e;
SELECT g, compare(format('SELECT sum(x) FILTER (WHERE to_char(g, ''9'') > '' 3''), avg(x) FILTER (WHERE to_char(g, ''9'') > '' 3'') FROM sh_f WHERE g = %s', g), 'prefer') FROM generate_series(1, 7) g;

-- a count of what is never NULL beside an aggregate whose errors it has
SELECT compare(sh_many(50, 'count(b + c + #)', 'sum(b + c + #)'));
SELECT compare(format('SELECT g, count(%1$s), sum(%1$s), max(%1$s) FROM sh GROUP BY g', e)), compare(format('SELECT g, count(%s) FROM sh GROUP BY g', e)),
	   compare(format('SELECT count(%1$s), avg(%1$s) FILTER (WHERE b < 2) FROM sh', e)), compare(format('SELECT count(%1$s) FILTER (WHERE b < 2), avg(%1$s) FILTER (WHERE b < 2) FROM sh', e)),
	   compare(format('SELECT count(%1$s), min(%1$s), var_pop(%1$s) FROM sh WHERE g < 0', e))
FROM unnest(ARRAY['b + c', 'a + b', 'c / b', 'c * 2147483647', 'c / (b - 1000)']) e;

-- regr_count: alone it counts, beside others it is theirs (+ 0: since 19 an average of -0 alone is -0)
SELECT compare(sh_many(60, 'regr_count(f8 + #, x)')), compare(sh_many(30, 'regr_count(y + #, z)', 'regr_sxy(y + #, z)'), 'require', 1e-9);
SELECT e, string_agg(DISTINCT compare(format(q, e)), ', ') FROM
	unnest(ARRAY['SELECT g, regr_count(%1$s), count(*) FROM sh GROUP BY g', 'SELECT k, regr_count(%1$s), count(f8) FROM sh GROUP BY k', 'SELECT regr_count(%1$s) FROM sh',
	'SELECT regr_count(%1$s), regr_count(%1$s) FILTER (WHERE b > 500) FROM sh', 'SELECT regr_count(%1$s) FROM sh WHERE g < 0', 'SELECT g, regr_count(%1$s), round(regr_avgx(%1$s)) + 0 FROM sh GROUP BY g',
	'SELECT g, round(regr_avgy(%1$s)) + 0, regr_count(%1$s) FROM sh GROUP BY g', 'SELECT g, regr_count(%1$s), round(regr_avgx(%1$s) FILTER (WHERE b > 500)) + 0 FROM sh GROUP BY g',
	'SELECT k, regr_count(%1$s) AS n FROM sh GROUP BY k HAVING regr_count(%1$s) > 3 ORDER BY n DESC, k LIMIT 5', 'SELECT g, regr_count(%1$s) FROM sh GROUP BY ROLLUP (g)']) q,
	unnest(ARRAY['f8, x', 'x, f8', 'y, z', 'f4, y', 'f8, 1', '1, x', 'y, NULL', 'y + z, f8 / 2', 'a, b', '1 / (y - y), x', 'f8, 1 / (x - x)', 'nullif(y, 3), nullif(z, 4)']) e GROUP BY e ORDER BY e;
-- all pairs of aggregates, in both orders
CREATE TABLE sh_call AS SELECT c, row_number() OVER () AS n FROM unnest(ARRAY['count(#)', 'sum(#)', 'avg(#)', 'min(#)', 'max(#)', 'stddev(#)', 'var_pop(#)', 'regr_count(#, 2)']) c;
SELECT e, string_agg(DISTINCT compare(replace(format('SELECT g, %s, %s FROM sh GROUP BY g', l.c, r.c), '#', e), 'require', 1e-9), ', ')
FROM sh_call l, sh_call r, unnest(ARRAY['a', 'b', 'c', 'f4', 'f8', 'y', 'b + c', 'x + y']) e WHERE l.n <> r.n GROUP BY e ORDER BY e;
-- of several tables, of rows that PostgreSQL evaluates, of columns that stay
CREATE TABLE sh_parts (LIKE sh) PARTITION BY LIST (g);
CREATE TABLE sh_part1 PARTITION OF sh_parts FOR VALUES IN (0, 1, 2, 3);
CREATE TABLE sh_part2 PARTITION OF sh_parts DEFAULT;
INSERT INTO sh_parts SELECT * FROM sh;
ANALYZE sh_parts;
CREATE TABLE sh_query AS SELECT * FROM (VALUES
	('SELECT g, sum(f8), avg(f8), avg(f4), sum(f4) FROM sh_parts GROUP BY g'), ('SELECT b % 10, avg(y), sum(y), sum(a), var_pop(a), avg(a) FROM sh_parts GROUP BY 1'),
	('SELECT k, regr_count(f8, x), regr_count(y, z), round(regr_slope(y, z)::numeric, 6), count(b + c), sum(b + c) FROM sh_parts GROUP BY k'),
	('SELECT sum(f8), avg(f8), sum(a), stddev(a), regr_count(x, y) FROM sh_parts')) v(q);
SELECT compare(q), compare(replace(q, 'sh_parts', 'sh')) FROM sh_query;
VACUUM sh, sh_parts;
SELECT gpuagg.load('sh', '{g,k,a,b,c,f4,f8,x,y,z}') > 0;
SELECT compare(q), compare(replace(q, 'sh_parts', 'sh')) FROM sh_query;
-- values that are all the same, whose average is not exact: since 19 PostgreSQL knows that they are
CREATE TABLE sh_same AS SELECT i % 5 AS g, 0.1::float8 AS x, i::float8 AS y FROM generate_series(1, 100) i;
ANALYZE sh_same;
SELECT CASE WHEN current_setting('server_version_num')::int < 190000 THEN 'ok: 5 rows' ELSE
	compare('SELECT g, corr(x, y), corr(y, x), regr_avgx(y, x), regr_avgy(x, y), regr_sxx(y, x), regr_syy(x, y), covar_pop(x, y), regr_slope(x, y), regr_slope(y, x), regr_intercept(y, x), regr_r2(x, y), regr_r2(y, x) FROM sh_same GROUP BY g', 'prefer', 1e-9) END;
DROP TABLE sh, sh_f, sh_call, sh_parts, sh_query, sh_same;
DROP FUNCTION sh_many;
