--
-- Conditions of joins that only PostgreSQL computes: those that cannot raise an error are tested behind look-ups.
--
\a
\t on
CREATE TABLE jc (id int, k int, a int, n numeric(12, 2), own numeric, t text, c char(5), ts timestamp, tz timestamptz, j jsonb, ip inet);
INSERT INTO jc SELECT i, i % 40, i % 500, i % 900 / 4.0, i % 9 * 1.5, 'Name ' || i % 30, 'c' || i % 7, '2020-01-01'::timestamp + i % 300 * interval '7 h', '2020-01-01'::timestamptz + i % 300 * interval '7 h',
	jsonb_build_object('a', i % 6, 's', 'x' || i % 5, 'l', jsonb_build_array(i % 3)), ('10.0.' || i % 5 || '.1')::inet FROM generate_series(1, 6000) i;
INSERT INTO jc (id, k) SELECT i, i % 45 FROM generate_series(6001, 6050) i;
CREATE TABLE jd (k int PRIMARY KEY, g int);
INSERT INTO jd SELECT i, i % 3 FROM generate_series(1, 35) i;
VACUUM ANALYZE jc, jd;
-- is it a look-up, and are the answers PostgreSQL's?
CREATE FUNCTION looked_up(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := format('SELECT g, count(*), sum(a + g), max(n) FROM jc JOIN jd USING (k) WHERE %s GROUP BY g', condition);
	plan json;
BEGIN
	PERFORM prefer_device();
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN concat_ws(', ', CASE WHEN plan::text ~ 'Look-up' THEN 'looked up' ELSE 'not looked up' END, compare(query, 'any'));
END $$;
SELECT c, looked_up(c) FROM unnest(ARRAY[
	'floor(n / 10) > 2', 'round(a / 7.0, 1) <> 2', 'ceil(-n / 3) < -4', 'trunc(abs(n) / 2.5, 0) = 3', 'n / -4 > 1',
	'to_char(ts, ''YYYY-MM'') = ''2020-01''', 'to_char(tz, ''HH24'') BETWEEN ''08'' AND ''17''', 'to_char(ts, ''Dy'') IN (''Mon'', ''Sun'')',
	'upper(c) IN (''C1'', ''C2'')', 'lower(t) <> ALL (ARRAY[''name 3'', lower(''NAME 4'')])', 'split_part(t, '' '', 2) = ''7''', 'replace(t, ''a'', ''b'') = ''Nbme 3''', 'strpos(t, ''1'') > 0',
	't || c LIKE ''%1%''', 'NULLIF(upper(t), ''NAME 3'') IS NULL', 'md5(t) < ''8''', 'translate(t, ''am'', ''ma'') ~ ''3$''',
	'j->>''s'' = ''x1''', 'j @> ''{"a": 1}'' AND j ? ''s''', 'j#>>''{l,0}'' = ''2''', 'j->''l''->>0 <> ''1''', 'jsonb_typeof(j->''a'') = ''number''', 'ip << ''10.0.2.0/24''']) c;
-- these might: a quotient by a column, of what has no bound, by less than one; a text as a number; a part without a number; days beyond the range of moments
SELECT c, looked_up(c) FROM unnest(ARRAY['n / a > 1', 'own / 3 > 1', 'n / 0.5 > 10', '(j->>''a'')::int > 3', 'split_part(t, '' '', a) = ''7''', 'split_part(t, '' '', 0) = ''7''', 'to_char(ts, t) = ''x''', 'ceil(own / 2) > 1', 'to_char(ts::date, ''Dy'') = ''Mon''']) c;
DROP FUNCTION looked_up;
DROP TABLE jc, jd;
