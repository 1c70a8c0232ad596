--
-- SQL's three truth values, NULLs in comparisons and lists.
--
\a
\t on
CREATE TABLE lo (n int4, p bool, q bool, i int4, f float8, t text COLLATE "C", d date, c char(4), u uuid);
INSERT INTO lo
SELECT row_number() OVER (ORDER BY a, b, k), (ARRAY[true, false, NULL])[a], (ARRAY[true, false, NULL])[b],
	   (ARRAY[NULL, 0, 1, 2, 3, -7])[k], (ARRAY[NULL, 0, -0.0, 1.5, 'NaN', 'inf']::float8[])[k],
	   (ARRAY[NULL, '', 'a', 'b', 'a ', 'thirteen bytes!'])[k],
	   (ARRAY[NULL, '2000-01-01', 'infinity', '-infinity', '2024-02-29', '1999-12-31']::date[])[k],
	   (ARRAY[NULL, '', 'a', 'b', 'a ', 'abcd'])[k],
	   (ARRAY[NULL, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
			  '00000000-0000-0000-0000-000000000001', '10000000-0000-0000-0000-000000000000',
			  '0fffffff-0000-0000-0000-000000000000']::uuid[])[k]
FROM generate_series(1, 3) a, generate_series(1, 3) b, generate_series(1, 6) k;
ANALYZE lo;
-- each expression as a filter, negated, as a key, and under FILTER
CREATE FUNCTION lo_all(e text, mode text DEFAULT 'require') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(DISTINCT r, '; ')
	FROM unnest(ARRAY[
		format('SELECT count(*), sum(n) FROM lo WHERE %s', e),
		format('SELECT count(*), sum(n) FROM lo WHERE NOT (%s)', e),
		format('SELECT (%s) AS k, count(*), sum(n) FROM lo GROUP BY 1', e),
		format('SELECT n, bool_or((%1$s) IS NULL), count(*) FILTER (WHERE %1$s), count(*) FILTER (WHERE (%1$s) IS NOT TRUE) FROM lo GROUP BY n', e)]) q,
		LATERAL (SELECT regexp_replace(compare(q, mode), ': [0-9]+ rows?$', '') AS r) r
$$;
SELECT e, lo_all(e)
FROM unnest(ARRAY['p', 'NOT p', 'p AND q', 'p OR q', 'p AND NOT q', 'NOT p OR NOT q', 'NOT (p AND q)', 'NOT (p OR q)', '(p AND q) OR (NOT p AND NOT q)',
	'p = q', 'p <> q', 'p < q', 'p >= q', 'p IS DISTINCT FROM q', 'p IS NOT DISTINCT FROM q',
	'p IS TRUE', 'p IS NOT TRUE', 'p IS FALSE', 'p IS NOT FALSE', 'p IS UNKNOWN', 'p IS NOT UNKNOWN', 'p IS NULL', 'p IS NOT NULL',
	'(p AND q) IS TRUE', '(p OR q) IS NOT TRUE', '(p AND q) IS UNKNOWN', '(p OR q) IS NOT FALSE', '(p = q) IS NULL',
	'coalesce(p, q)', 'coalesce(p, q, true)', 'CASE WHEN p THEN q END', 'CASE WHEN p THEN q ELSE NOT q END', 'nullif(p, q)',
	'p IN (true, NULL)', 'p IN (false)',
	'bool(i)', 'i::bool', 'num_nulls(i, f, t, d, c, u, p) = 2', 'num_nonnulls(c) > 0', 'num_nulls(u, p) < num_nonnulls(q, n)']) e;
SELECT lo_all('num_nulls(VARIADIC ARRAY[i, n]) = 1', 'allow');
SELECT e, lo_all(e)
FROM unnest(ARRAY['i = 1', '1 = i', 'i <> 1', 'i IS NULL', 'i IS DISTINCT FROM 1', 'i IS NOT DISTINCT FROM NULL', 'i IS DISTINCT FROM NULL',
	'i IN (1, 2)', 'i IN (1, NULL)', 'i NOT IN (1, 2)', 'i NOT IN (1, NULL)', 'i IN (1, 1, 1)', 'i IN (99)', 'i IN (2147483647, -7, 0, 3)',
	'i = ANY (''{1,2}'')', 'i = ANY (''{}'')', 'i <> ALL (''{}'')', 'i = ALL (''{}'')', 'i <> ANY (''{}'')', 'i = ANY (''{NULL}'')', 'i <> ALL (''{1,NULL}'')',
	'i = ANY (NULL::int4[])', 'i <> ALL (NULL::int4[])',
	'i BETWEEN 0 AND 2', 'i NOT BETWEEN 0 AND 2', 'i BETWEEN 2 AND 0', 'i BETWEEN SYMMETRIC 2 AND 0', 
	'i IN (1, 2::int8)', 'i IN (SELECT 1 WHERE false) OR p']) e
WHERE e NOT LIKE '%SELECT%';
-- lists of every class; more members than a linear search likes; float NaN and -0
SELECT e, lo_all(e)
FROM unnest(ARRAY['f = 0', 'f = -0.0', 'f = ''NaN''', 'f > ''inf''', 'f < ''NaN''', 'f IN (0, 1.5)', 'f IN (''NaN'', -1)', 'f NOT IN (''inf'', ''NaN'')', 'f IN (-0.0)', 'f <> ALL (''{0,NULL}'')',
	'f BETWEEN -1 AND 2', 't = ''a''', 't <> ''a''', 't = ''''', 't IN (''a'', ''thirteen bytes!'')', 't NOT IN (''a'', '''')', 't IN (''a'', NULL)', 't IS DISTINCT FROM ''a''', 't = ANY (''{}'')',
	'd = ''2000-01-01''', 'd IN (''infinity'', ''1999-12-31'')', 'd < ''infinity''', 'd > ''-infinity''', 'd BETWEEN ''2000-01-01'' AND ''2024-12-31''', 'd <> ALL (''{2000-01-01}'')',
	'c = ''a''', 'c IN (''a'', ''b '')', 'c <> ''''', 'c IN (''abcd'', NULL)',
	'u = ''00000000-0000-0000-0000-000000000001''', 'u < ''10000000-0000-0000-0000-000000000000''', 'u IN (''ffffffff-ffff-ffff-ffff-ffffffffffff'')', 'u >= ''0fffffff-0000-0000-0000-000000000000''']) e;
SELECT compare(format('SELECT count(*), sum(n) FROM lo WHERE i IN (%s, NULL)', string_agg(i::text, ', '))) FROM generate_series(-50, 2) i;
SELECT compare(format('SELECT count(*), sum(n) FROM lo WHERE i NOT IN (%s)', string_agg(i::text, ', '))) FROM generate_series(-50, 2) i;
SELECT compare(format('SELECT count(*), sum(n) FROM lo WHERE t IN (%s)', string_agg(quote_literal(chr(97 + i)), ', '))) FROM generate_series(0, 20) i;
-- lists with elements that are not constants, row comparisons, ordering operators with ANY/ALL: as PostgreSQL, wherever it runs
SELECT e, lo_all(e, 'try')
FROM unnest(ARRAY['i IN (1, n)', 'i IN (n, i + 1, NULL)', 'i < ANY (''{1,2}'')', 'i >= ALL (''{0,1,NULL}'')', '(i, n) = (1, 3)', '(i, n) < (2, 5)', '(i, f) <> (1, 0)',
	'ROW(p, q) IS NULL', 'ROW(p, q) IS NOT NULL', 't ~ ''a''', 't < ''b''', 't COLLATE "C" < ''b''', 'i::text = ''1''', 't = ANY (ARRAY[''a'', ''b''])', 'i = ANY (ARRAY[1, 2, n])']) e;
-- what is known to be NULL or false before anything is read
SELECT e, lo_all(e, 'try')
FROM unnest(ARRAY['i = NULL', 'i IN (NULL)', 'i BETWEEN NULL AND 2', 'i BETWEEN 5 AND NULL', 'p AND NULL', 'p OR NULL', 'i = NULL::int4 + 1']) e;
-- constant filters
SELECT e, compare('SELECT count(*), sum(i) FROM lo WHERE ' || e, 'try')
FROM unnest(ARRAY['true', 'false', 'NULL', '1 = 1', '1 = 0', 'NULL::int4 = 1', 'p OR true', 'p AND false', 'now() IS NULL', 'now() IS NOT NULL']) e;
SELECT e, compare(format('SELECT i, count(*) FROM lo WHERE %s GROUP BY i', e), 'try')
FROM unnest(ARRAY['true', 'false', 'NULL', 'now() IS NULL', 'now() IS NOT NULL']) e;
DROP FUNCTION lo_all;
DROP TABLE lo;
