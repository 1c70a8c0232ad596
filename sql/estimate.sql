--
-- gpuagg.estimate: what random draws say of the whole table, and how sure that is.
--
\a
\t on
SET extra_float_digits = -6;
CREATE TABLE es (id int4, g int4, v float8, w numeric, d int4) WITH (autovacuum_enabled = off);
-- skewed, with NULLs
INSERT INTO es SELECT i, i % 10, exp(sin(i) * 2), (i % 1000) / 8.0, nullif(i % 3, 0) FROM generate_series(1, 3000) i;
CREATE TABLE es_dim AS SELECT g, 'name ' || g AS name FROM generate_series(0, 9) g;
ANALYZE es, es_dim;

-- the normal distribution
SELECT round(gpuagg.normal_quantile(p)::numeric, 9) FROM unnest('{0.5,0.975,0.995,0.841344746068543,1e-10,0.025}'::float8[]) p;
SELECT gpuagg.normal_quantile(0);
SELECT gpuagg.normal_quantile(1);
SELECT gpuagg.normal_quantile('NaN');

-- all of it, beside the truth
SELECT 'avg', avg(v) FROM es UNION ALL SELECT 'sum', sum(v) FROM es UNION ALL
SELECT 'quantile 0.5', percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM es;
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1)');
-- with a condition: what does not pass is no value
SELECT 'avg', avg(w) FROM es WHERE g < 3 UNION ALL SELECT 'fraction', avg((g < 3)::int) FROM es UNION ALL
SELECT 'count', count(*) FROM es WHERE g < 3 UNION ALL SELECT 'sum', sum(w) FROM es WHERE g < 3 UNION ALL
SELECT 'quantile ' || q, percentile_disc(q) WITHIN GROUP (ORDER BY w) FROM es, unnest('{0.25,0.9}'::float8[]) q WHERE g < 3 GROUP BY q;
SELECT * FROM gpuagg.estimate('SELECT w FROM es TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1) WHERE g < 3;',
	confidence => 0.99, quantiles => '{0.25,0.9}');
-- the same by CASE, and NULLs of the column itself
SELECT count(*) FROM (SELECT * FROM gpuagg.estimate('SELECT w FROM es TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1) WHERE g < 3')
	EXCEPT SELECT * FROM gpuagg.estimate('SELECT CASE WHEN g < 3 THEN w END FROM es TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1)')) x;
SELECT what, estimate BETWEEN 1.4 AND 1.6, low <= 1.5 AND 1.5 <= high FROM gpuagg.estimate('SELECT d FROM es TABLESAMPLE gpuagg.random_rows (1000) REPEATABLE (1)', quantiles => '{}')
	WHERE what = 'avg';
-- joined with one row each; the table's rows given
SELECT what, round(estimate) FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (500) REPEATABLE (1) JOIN es_dim USING (g) WHERE name <> ''name 9''',
	quantiles => '{}', total => 3000000) WHERE what IN ('count', 'sum');
-- few rows, none, no draws, an empty table, one of which nothing is known
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (1) REPEATABLE (1)');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (100) REPEATABLE (1) WHERE g > 10');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (0)');
CREATE TABLE es_empty (LIKE es);
SELECT * FROM gpuagg.estimate('SELECT v FROM es_empty TABLESAMPLE gpuagg.random_rows (10)');
-- arguments
\set VERBOSITY terse
SELECT * FROM gpuagg.estimate('SELECT v FROM es');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE BERNOULLI (10)');
SELECT * FROM gpuagg.estimate('SELECT a.v FROM es a TABLESAMPLE gpuagg.random_rows (9), es b TABLESAMPLE gpuagg.random_rows (9)');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9), es_dim');
SELECT * FROM gpuagg.estimate('SELECT name FROM es TABLESAMPLE gpuagg.random_rows (9) REPEATABLE (1) JOIN es_dim USING (g)');
SELECT * FROM gpuagg.estimate('DELETE FROM es');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', 1);
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', quantiles => '{0.5,1}');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', quantiles => '{NULL}');
\set VERBOSITY default
\set VERBOSITY terse
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows ((SELECT 9))');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows ((random() * 9)::int8)');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (NULL)');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (-9)');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', total => -1);
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', total => 'NaN');
SELECT * FROM gpuagg.estimate('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (9)', total => 'Infinity');
\set VERBOSITY default
-- quantiles in arrays of any bounds and dimensions, and a comment at the query's end
SELECT q, string_agg(what || ' = ' || estimate, ', ' ORDER BY what) FROM unnest(ARRAY['{0.5,0.2}', '[0:1]={0.5,0.2}', '{{0.5,0.2},{0.2,0.5}}', '{}']) q,
	gpuagg.estimate('SELECT id FROM es TABLESAMPLE gpuagg.random_rows (999) REPEATABLE (1) -- ids', quantiles => q::float8[]) WHERE what LIKE 'q%' GROUP BY q ORDER BY q COLLATE "C";
SELECT count(*) FROM gpuagg.estimate(NULL);
SELECT count(*) FROM es;

-- how often intervals of 90 % hold the truth, of 300 samples: 270, give or take 5.2
CREATE TABLE es_truth AS SELECT 'avg' AS what, avg(v) AS truth FROM es WHERE g <> 4
	UNION ALL SELECT 'fraction', 0.9 UNION ALL SELECT 'count', 2700
	UNION ALL SELECT 'sum', sum(v) FROM es WHERE g <> 4
	UNION ALL SELECT 'quantile ' || q, percentile_disc(q) WITHIN GROUP (ORDER BY v) FROM es, unnest('{0.1,0.5,0.9}'::float8[]) q WHERE g <> 4 GROUP BY q;
SELECT what, count(*), count(*) FILTER (WHERE truth BETWEEN low AND high) BETWEEN 254 AND 290 AS covered,
	sqrt(avg((estimate - truth) ^ 2)) / avg(standard_error) BETWEEN 0.85 AND 1.2 AS honest
	FROM generate_series(1, 300) seed, gpuagg.estimate(format('SELECT v FROM es TABLESAMPLE gpuagg.random_rows (300) REPEATABLE (%s) WHERE g <> 4', seed),
		0.9, '{0.1,0.5,0.9}') JOIN es_truth USING (what)
	GROUP BY what ORDER BY what;
DROP TABLE es, es_dim, es_empty, es_truth;
