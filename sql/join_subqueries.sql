--
-- IN and NOT IN of subqueries that are no joins, and joins of samples: look-ups, too.
--
\a
\t on
CREATE TABLE nf (id int4, a int4, b int8, d date, t text, w float8, x numeric(8,2), g int2);
INSERT INTO nf
SELECT i, CASE WHEN i % 50 > 0 THEN i % 700 END, (i * 7919) % 900, date '2020-01-01' + i % 100,
	   CASE WHEN i % 60 > 0 THEN 't' || i % 300 END, i % 9 / 3.0, i % 90, i % 7
FROM generate_series(1, 20000) i;
CREATE TABLE nd (k int4 NOT NULL, t text, d date, w float8, x numeric(8,2), g int4);
INSERT INTO nd SELECT i * 3, 't' || i, date '2020-01-01' + i * 2, i, i, i % 7 FROM generate_series(1, 100) i;
-- some with a NULL; none; only NULLs
CREATE TABLE nn (k int4);
INSERT INTO nn SELECT CASE WHEN i <> 5 THEN i * 3 END FROM generate_series(1, 100) i;
CREATE TABLE n0 (k int4);
CREATE TABLE nu (k int4);
INSERT INTO nu VALUES (NULL), (NULL);
ANALYZE nf, nd, nn, n0, nu;

CREATE TABLE queries (n int GENERATED ALWAYS AS IDENTITY, q text);
INSERT INTO queries (q)
SELECT format('SELECT g, count(*) FROM nf WHERE %s GROUP BY g', c) FROM unnest(ARRAY[
	'a NOT IN (SELECT k FROM nd)',
	'a NOT IN (SELECT k FROM nn)',
	'a NOT IN (SELECT k FROM nn WHERE k IS NOT NULL)',
	'a NOT IN (SELECT k FROM n0)',
	'a NOT IN (SELECT k FROM nu)',
	'a IN (SELECT k FROM nn) OR g = 3',
	'(a IN (SELECT k FROM nn)) IS NULL',
	'(a IN (SELECT k FROM n0)) IS NOT NULL',
	'(a NOT IN (SELECT k FROM nd)) IS NOT TRUE',
	'b NOT IN (SELECT k FROM nd)',
	'a NOT IN (SELECT k::int8 FROM nd)',
	'd NOT IN (SELECT d FROM nd)',
	't NOT IN (SELECT t FROM nd)',
	't NOT IN (SELECT t FROM nd WHERE k > 30 UNION ALL SELECT NULL)',
	'a NOT IN (VALUES (1), (2), (3))',
	'a + 1 NOT IN (SELECT k FROM nd WHERE t LIKE ''%7%'')',
	'a NOT IN (SELECT nd.k FROM nd JOIN nn USING (k)) AND b NOT IN (SELECT k FROM n0)',
	'a NOT IN (SELECT DISTINCT k FROM nd)',
	'a NOT IN (SELECT k FROM nd WHERE g NOT IN (SELECT k FROM nn WHERE k > 3))',
	-- PostgreSQL's
	'a NOT IN (SELECT 9 / (k - 9) FROM nd)',
	'a NOT IN (SELECT 9 / (k - 9) FROM nd) AND g > 100',
	'a NOT IN (SELECT max(k) FROM nd)',
	'a NOT IN (SELECT k FROM nd LIMIT 3)',
	'(a, g) NOT IN (SELECT k, g FROM nd)',
	'w NOT IN (SELECT w FROM nd)',
	'x NOT IN (SELECT x FROM nd)',
	'a NOT IN (SELECT k FROM nd WHERE nd.g = nf.g)',
	'a NOT IN (SELECT k FROM nd WHERE random() < 0)']) c;
INSERT INTO queries (q) VALUES
	('SELECT g, count(*) FILTER (WHERE a IN (SELECT k FROM nn)), count(*) FILTER (WHERE (a IN (SELECT k FROM nn)) IS NULL), sum(b) FILTER (WHERE a NOT IN (SELECT k FROM n0)) FROM nf GROUP BY 1'),
	('SELECT a IN (SELECT k FROM nn) AS found, count(*) FROM nf GROUP BY 1'),
	('SELECT sum(CASE WHEN a IN (SELECT k FROM nd) THEN b WHEN a IN (SELECT k FROM nn) THEN 1 ELSE -b END) FROM nf'),
	('SELECT g, count(DISTINCT b) FROM nf WHERE a NOT IN (SELECT k FROM nd) GROUP BY 1'),
	('SELECT nd.t, count(*), sum(b) FROM nf JOIN (SELECT DISTINCT k, t FROM nd) nd ON a = nd.k WHERE b NOT IN (SELECT k FROM nn WHERE k IS NOT NULL) GROUP BY 1'),
	('SELECT nf.g, count(*) FROM nf LEFT JOIN nd ON a = nd.k AND b NOT IN (SELECT k FROM n0 UNION ALL SELECT 5) WHERE nf.t NOT IN (SELECT t FROM nd WHERE t > ''t5'') GROUP BY 1'),
	('SELECT o.k, (SELECT count(*) FROM nf WHERE nf.g = o.k AND a NOT IN (SELECT k FROM nd)) FROM generate_series(1, 3) o(k)'),
	('SELECT count(*) FROM nf WHERE nf.id < 0 AND a NOT IN (SELECT k FROM nd)'),
	-- a sample of the table: with joins, and with both
	('SELECT nd.t, count(*), sum(b) FROM nf TABLESAMPLE BERNOULLI (30) REPEATABLE (7) JOIN (SELECT DISTINCT k, t FROM nd) nd ON a = nd.k GROUP BY 1'),
	('SELECT nd.t, count(*), sum(b) FROM nf TABLESAMPLE SYSTEM (30) REPEATABLE (7) LEFT JOIN (SELECT DISTINCT k, t FROM nd) nd ON a = nd.k GROUP BY 1'),
	('SELECT g, count(*) FROM nf TABLESAMPLE BERNOULLI (30) REPEATABLE (7) WHERE a NOT IN (SELECT k FROM nd) GROUP BY 1'),
	('SELECT g, count(*) FROM nf TABLESAMPLE BERNOULLI (30) REPEATABLE (7) WHERE EXISTS (SELECT 1 FROM nd WHERE k = a) AND b NOT IN (SELECT k FROM nn WHERE k IS NOT NULL) GROUP BY 1');
SELECT q, compare(q, 'try') FROM queries ORDER BY n;

-- of columns that stay, in passes, and once more
VACUUM nf;
SELECT gpuagg.load('nf') > 0;
SELECT q, answer FROM (SELECT q, compare(q, 'try') AS answer FROM queries) x WHERE answer !~ '^(ok|same error)';
SET gpuagg.strategy = 'multi-pass-naive';
SELECT q, answer FROM (SELECT q, compare(q, 'try') AS answer FROM queries) x WHERE answer !~ '^(ok|same error)';
RESET gpuagg.strategy;
SELECT gpuagg.unload('nf') > 0;

-- a prepared statement reads the subquery's rows each time
SET gpuagg.debug_require = 'require';
PREPARE p(int) AS SELECT count(*) FROM nf WHERE a NOT IN (SELECT k FROM nn WHERE k > $1);
EXECUTE p(100);
INSERT INTO nn VALUES (NULL);
EXECUTE p(200);
UPDATE nn SET k = 1000 WHERE k IS NULL;
EXECUTE p(200);
DEALLOCATE p;
RESET gpuagg.debug_require;

-- NOT IN that keeps nearly all rows is asked behind a join that drops most: by its rows, join, probes, rows left.
-- Of the first run PostgreSQL's estimate decides, of those that follow what it has found.
CREATE TABLE na AS SELECT i AS k FROM generate_series(0, 2) i;
CREATE TABLE nb AS SELECT i AS k, i % 10 AS n FROM generate_series(0, 49) i;
ALTER TABLE nb ADD PRIMARY KEY (k);
CREATE TABLE ng AS SELECT i % 300 AS a, i % 50 AS b, i % 7 AS g FROM generate_series(1, 6000) i;
ANALYZE na, nb, ng;
CREATE FUNCTION nf_probes(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.debug_require = 'require' AS $$
DECLARE
	plan jsonb := node_that_ran(query);
BEGIN
	RETURN (SELECT string_agg(format('%s rows: %s probes%s', x->>'Rows', x->>'Probes', ', ' || (x->>'Rows Left') || ' left'), '; '
									 ORDER BY (x->>'Rows')::int)
			FROM jsonb_array_elements(plan->'Look-up Joins') x);
END $$;
SELECT nf_probes(q), nf_probes(q), nf_probes(q), compare(q) FROM (VALUES
	('SELECT g, count(*) FROM ng JOIN nb ON b = k WHERE a NOT IN (SELECT k FROM na) AND n < 6 GROUP BY g'),
	('SELECT g, count(*) FROM ng JOIN nb ON b = k WHERE a NOT IN (SELECT k FROM na) AND n < 1 GROUP BY g'),
	('SELECT g, count(*) FROM ng JOIN nb ON b = k WHERE a NOT IN (SELECT k FROM na) AND n < 9 GROUP BY g'),
	-- that may raise an error it stays where it is
	('SELECT g, count(*) FROM ng JOIN nb ON b = k WHERE 100 / (a + 1) NOT IN (SELECT k FROM na) AND n < 1 GROUP BY g')) v(q);
DROP FUNCTION nf_probes;
DROP TABLE na, nb, ng;

-- what EXPLAIN and why_not tell
SELECT regexp_replace(line, '\(ANY \(a = \((hashed SubPlan 1)\)\.col1\)\)', '(\1)')
FROM explained('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT g, count(*) FROM nf WHERE a NOT IN (SELECT k FROM nd WHERE t <> ''x'') GROUP BY 1') line;
SELECT why FROM gpuagg.why_not('SELECT count(*) FROM nf WHERE a NOT IN (SELECT 9 / k FROM nd)') w(why);
SELECT why FROM gpuagg.why_not('SELECT count(*) FROM nf WHERE (a, g) NOT IN (SELECT k, g FROM nd)') w(why);
DROP TABLE nf, nd, nn, n0, nu, queries;
