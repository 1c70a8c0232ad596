--
-- The least and greatest texts of a kept column, in the order of bytes, are places in its dictionary's
-- order; groups get their texts back.
--
\a
\t on
CREATE TABLE et (id int4, f float8, s text COLLATE "C", v varchar(40) COLLATE "C", u text COLLATE "C", none text COLLATE "C", d text)
	WITH (autovacuum_enabled = off);
INSERT INTO et SELECT i, i % 90,
	CASE WHEN i % 13 > 0 THEN (ARRAY['city', 'city ', 'Größe', '', 'a', 'a text that is longer than a slot ', 'ÀÉ', 'city' || chr(1)])[1 + i % 8] || CASE WHEN i % 3 > 0 THEN (i % 60)::text ELSE '' END END,
	CASE WHEN i % 5 > 0 THEN 'https://host' || i % 30 || '.org/page/' || i % 211 END,
	'u' || i % 900, NULL, 'D' || i % 20
	FROM generate_series(1, 12000) i;
VACUUM (FREEZE, ANALYZE) et;

CREATE FUNCTION et_outcomes(queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o <> 'ok' THEN min(q) END)
		FROM (SELECT regexp_replace(compare(q), '^ok: .*', 'ok') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;
CREATE FUNCTION et_called(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	node jsonb;
BEGIN
	PERFORM prefer_device();
	node := node_that_ran(query);
	RETURN concat_ws(' ', jsonb_array_length(node -> 'Computed by String'), 'of', node -> 'Strings Computed', node ->> 'Fallback Reason');
END $$;

CREATE TABLE et_cases AS SELECT format(form, x) AS q FROM unnest(ARRAY[
	'min(s)', 'max(s)', 'min(s), max(s), count(s)', 'min(s), max(v), min(u), max(u)', 'min(none), max(none), min(u)', 'min(s) FILTER (WHERE id > 12000), max(s) FILTER (WHERE f > 5)',
	'max(v) FILTER (WHERE v LIKE ''%7''), sum(id), avg(f)', 'min(v), length(max(v)), max(length(v))', 'min(s || v), max(s)', 'min(s), count(DISTINCT s)', 'min(s), count(DISTINCT id % 7), max(v)',
	'max(u), percentile_disc(0.5) WITHIN GROUP (ORDER BY f)', 'min(d COLLATE "C"), min(s)', 'min(s COLLATE "C"), max(substring(u, 2))']) AS x,
	unnest(ARRAY['SELECT %s FROM et', 'SELECT id %% 7, %s FROM et GROUP BY 1', 'SELECT s, %s FROM et GROUP BY s', 'SELECT u, %s FROM et WHERE f > 3 GROUP BY u', 'SELECT id %% 2000, %s FROM et GROUP BY 1',
		'SELECT %s FROM et WHERE id < 0', 'SELECT d, %s FROM et WHERE s LIKE ''city%%'' GROUP BY d HAVING count(*) > 5', 'SELECT u, v, %s FROM et WHERE v IS NOT NULL GROUP BY u, v',
		'SELECT d, id %% 3, %s FROM et GROUP BY GROUPING SETS ((1, 2), (1), ())']) AS form;
UPDATE et_cases SET q = replace(q, '%%', '%');
-- in the order of such texts, and the first of them
INSERT INTO et_cases SELECT format('SELECT u, %1$s AS e FROM et GROUP BY u ORDER BY e %2$s, u LIMIT 7', x, y)
	FROM unnest(ARRAY['min(s)', 'max(v)', 'max(s) FILTER (WHERE id % 5 = 0)']) AS x, unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) AS y;
INSERT INTO et_cases SELECT format('SELECT %s, %s FROM et GROUP BY 1', x, y)
	FROM unnest(ARRAY['regexp_replace(v, ''^https?://([^/]+)/.*$'', ''\1'')', 'upper(u)', 'split_part(s, '' '', 1)', 'v ~ ''[13579]$''']) AS x,
		unnest(ARRAY['min(v), max(v), count(*)', 'min(u), max(s), avg(length(v))', 'min(v) FILTER (WHERE id % 3 = 0)']) AS y;
SELECT count(*) FROM et_cases;

SET gpuagg.cache = off;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
RESET gpuagg.cache;
SELECT gpuagg.load('et') > 0;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
-- beside what only PostgreSQL computes of strings, which needs these as codes
SELECT et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(v), max(s) FROM et GROUP BY 1'), et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(v), max(s) FROM et GROUP BY 1');
SELECT et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(v) AS m FROM et GROUP BY 1 ORDER BY m DESC LIMIT 3');
-- strings that come later: least ones, greatest ones and some between, on pages that are not kept and on such as were
INSERT INTO et SELECT i, i, chr(64 + i % 3) || i, 'https://host' || i || '.org', 'u' || i % 7 || chr(1), NULL, 'D' FROM generate_series(1, 300) i;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
SELECT et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(v), max(s) FROM et GROUP BY 1');
UPDATE et SET s = CASE id % 3 WHEN 0 THEN '' WHEN 1 THEN 'zz' || id ELSE 'b' || id END, v = v || '~' WHERE id % 97 = 1;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
DELETE FROM et WHERE s LIKE 'zz%' OR s = '';
-- of the one column nothing is to be computed, and in the other one strings are new
SELECT et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(s), max(s) FROM et GROUP BY 1');
UPDATE et SET s = 'new' || id WHERE id % 97 = 2;
SELECT et_called('SELECT regexp_replace(v, ''/[^/]*$'', ''''), min(s), max(s) FROM et GROUP BY 1');
SELECT et_outcomes(array_agg(q)) FROM et_cases;
VACUUM (FREEZE) et;
SELECT gpuagg.load('et') > 0;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
-- values that a device leaves to PostgreSQL, with strings of their own
INSERT INTO et SELECT i, i, repeat(md5(i::text), 1000), 'B' || i, 'u1', NULL, 'D' FROM generate_series(1, 20) i;
ALTER TABLE et ALTER v TYPE text COLLATE "C";
INSERT INTO et SELECT i, i, 'A' || i, 'x' || repeat(i::text, 3000), 'u2', NULL, 'D' FROM generate_series(1, 20) i;
VACUUM (FREEZE) et;
SET client_min_messages = warning;
SELECT gpuagg.load('et') > 0;
RESET client_min_messages;
SELECT et_outcomes(array_agg(q)) FROM et_cases;
-- one table of several keeps strings of its own
CREATE TABLE et_parts (id int4, s text COLLATE "C") PARTITION BY RANGE (id);
CREATE TABLE et_parts1 PARTITION OF et_parts FOR VALUES FROM (0) TO (1000) WITH (autovacuum_enabled = off);
CREATE TABLE et_parts2 PARTITION OF et_parts FOR VALUES FROM (1000) TO (9000) WITH (autovacuum_enabled = off);
INSERT INTO et_parts SELECT i, 's' || i % 700 FROM generate_series(0, 8999) i;
VACUUM (FREEZE, ANALYZE) et_parts1;
VACUUM (FREEZE, ANALYZE) et_parts2;
SELECT et_outcomes(ARRAY['SELECT id % 5, min(s), max(s) FROM et_parts GROUP BY 1', 'SELECT min(s) FROM et_parts', 'SELECT id % 5, min(s), max(s) FROM et_parts2 GROUP BY 1']) FROM generate_series(1, 2);
-- more strings than are put in order for this, by default
CREATE TABLE et_many (id int4, s text COLLATE "C") WITH (autovacuum_enabled = off);
INSERT INTO et_many SELECT i, 'https://host' || md5(i::text) FROM generate_series(1, 30000) i;
VACUUM (FREEZE, ANALYZE) et_many;
SELECT gpuagg.load('et_many') > 0;
SELECT et_outcomes(ARRAY['SELECT id % 5, min(s), max(s) FROM et_many GROUP BY 1', 'SELECT left(s, 15), min(s), max(s) FROM et_many GROUP BY 1', 'SELECT upper(left(s, 14)), min(s), max(s) FROM et_many GROUP BY 1'])
	FROM generate_series(1, 2);
DROP TABLE et, et_cases, et_parts, et_many;
DROP FUNCTION et_outcomes, et_called;
