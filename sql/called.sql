--
-- What only PostgreSQL computes of a kept column's strings is computed once for each string, and
-- kept with them.
--
\a
\t on
CREATE TABLE ca_s (id int4, f float8, s text, v varchar(30), d text, c text COLLATE "C", b char(8)) WITH (autovacuum_enabled = off);
INSERT INTO ca_s SELECT i, i % 90 / 7.0,
	CASE WHEN i % 13 > 0 THEN (ARRAY['city ', 'Größe ', '', 'a.b/', 'ÀÉ x_', E'back\\slash ', ' end '])[1 + i % 7] || i % 60 END,
	CASE WHEN i % 5 > 0 THEN 'https://host' || i % 30 || '.org/p' END,
	CASE i % 10 WHEN 0 THEN 'no number' WHEN 1 THEN '1e400' WHEN 2 THEN '' ELSE (i % 70)::text END,
	chr(65 + i % 26) || i % 9, 'B ' || i % 4
	FROM generate_series(1, 30000) i;
VACUUM (FREEZE, ANALYZE) ca_s;

CREATE FUNCTION ca_outcomes(queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o NOT IN ('ok', 'same error') THEN min(q) END)
		FROM (SELECT regexp_replace(regexp_replace(compare(q), '^ok: .*', 'ok'), '^same error: .*', 'same error') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;
-- how many expressions are computed by string, and of how many strings it was computed now
CREATE FUNCTION ca_called(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	node jsonb;
BEGIN
	PERFORM prefer_device();
	node := node_that_ran(query);
	RETURN concat_ws(' ', jsonb_array_length(node -> 'Computed by String'), 'of', node -> 'Strings Computed', node ->> 'Fallback Reason');
END $$;

CREATE TABLE ca_cases AS SELECT format(form, x) AS q FROM unnest(ARRAY[
	$$s ~ '^(city|a\.b).*[0-5]$'$$, $$s !~* 'CITY|größe'$$, $$v ~ 'host(1|2)[0-9]*\.'$$, $$s ILIKE 'C%_1%'$$, $$s SIMILAR TO '%(1|2)%'$$,
	$$upper(s) = 'CITY 7'$$, $$initcap(s) LIKE '%X%'$$, $$position('b' IN s) > 2$$, $$split_part(v, '/', 3) IN ('host1.org', 'host22.org')$$,
	$$length(regexp_replace(s, '[0-9]', '', 'g')) > 4$$, $$reverse(s) > 'm' COLLATE "C"$$, $$s ~ 'city' OR v ~ 'host3' AND f > 5$$, $$NOT (s ~ '1')$$,
	$$(s ~ 'city') IS NOT TRUE$$, $$CASE WHEN d ~ '^[0-9]+$' THEN d::int4 > 30 END$$, $$d <> '' AND d NOT LIKE '%no%' AND d <> '1e400' AND d::float8 < 20$$,
	$$ascii(c) BETWEEN 66 AND 80$$, $$md5(c) < '8' COLLATE "C"$$, $$c COLLATE "default" < 'F'$$, $$s ~ ANY (ARRAY['1$', '2$', 'x'])$$, $$strpos(s, c) > 0 OR c ~ '[A-D]'$$,
	$$s ~ '^$'$$, $$substring(s FROM '[a-z]+') = 'city'$$, $$s ~ 'not there'$$]) AS x,
	unnest(ARRAY[$$SELECT count(*), sum(id) FROM ca_s WHERE %s$$, $$SELECT id %% 7, count(*) FILTER (WHERE %s), max(f) FROM ca_s GROUP BY 1$$,
		$$SELECT %s, count(*), sum(id) FROM ca_s GROUP BY 1$$, $$SELECT s, count(*), count(DISTINCT id %% 5) FROM ca_s WHERE %s GROUP BY s$$]) AS form;
INSERT INTO ca_cases SELECT format(form, x) FROM unnest(ARRAY[
	$$upper(s)$$, $$initcap(v)$$, $$regexp_replace(s, '[0-9]+$', '')$$, $$split_part(v, '.', 1)$$, $$length(translate(s, 'aeiou', ''))$$, $$left(s, -1)$$, $$ascii(s)$$,
	$$lower(c)$$, $$nullif(upper(c), 'A1')$$, $$CASE WHEN s ~ 'city' THEN 'a city' ELSE 'none' END$$, $$CASE WHEN s ~ '1' THEN id % 3 END$$,
	$$s::varchar(3)$$, $$regexp_count_or_length(s)$$, $$CASE WHEN d ~ '^[0-9]+$' THEN d::int2 END$$, $$CASE WHEN d ~ '^[0-9]+$' THEN d::float4 / 3 END$$,
	$$CASE WHEN length(d) BETWEEN 1 AND 2 THEN d::int8 + id %% 2 END$$, $$upper(s) || initcap(v)$$, $$coalesce(upper(s), v)$$, $$quote_ident(c)$$, $$c ~ '[A-M]'$$]) AS x,
	unnest(ARRAY[$$SELECT %s, count(*), sum(id) FROM ca_s GROUP BY 1$$, $$SELECT %1$s, count(*) FROM ca_s WHERE id %% 11 < 5 GROUP BY 1 HAVING count(*) > 100 ORDER BY 2 DESC, 1 LIMIT 3$$,
		$$SELECT %1$s, id %% 3, count(*) FROM ca_s GROUP BY GROUPING SETS ((1, 2), (1), ())$$, $$SELECT id %% 4, count(DISTINCT %1$s), count(%1$s), min(%1$s) FROM ca_s GROUP BY 1$$]) AS form;
CREATE FUNCTION regexp_count_or_length(t text) RETURNS int4 IMMUTABLE LANGUAGE sql AS $$SELECT length(regexp_replace($1, '[^0-9]', '', 'g'))$$;
UPDATE ca_cases SET q = replace(q, '%%', '%');
SELECT count(*) FROM ca_cases;

SET gpuagg.cache = off;
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;
RESET gpuagg.cache;
SELECT gpuagg.load('ca_s') > 0;
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;
-- again, with values that are there; by processes, with a string that comes later; and with some that are changed
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;
SELECT ca_called('SELECT upper(s), count(*) FROM ca_s WHERE v ~ ''1'' GROUP BY 1');
INSERT INTO ca_s SELECT i, -i, 'city new' || i, 'host' || i, i::text, 'Z' || i FROM generate_series(1, 300) i;
SET gpuagg.debug_feeders = 2;
SELECT ca_called('SELECT upper(s), count(*) FROM ca_s WHERE v ~ ''1'' GROUP BY 1');
SELECT ca_called('SELECT regexp_replace(s, ''[a-z]'', ''?''), count(*) FROM ca_s GROUP BY 1'), ca_called('SELECT regexp_replace(s, ''[a-z]'', ''?''), count(*) FROM ca_s GROUP BY 1');
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;
RESET gpuagg.debug_feeders;
UPDATE ca_s SET s = s || ' changed' WHERE id % 97 = 1;
DELETE FROM ca_s WHERE id % 89 = 2;
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;
VACUUM (FREEZE) ca_s;
SELECT gpuagg.load('ca_s') > 0;
SELECT ca_outcomes(array_agg(q)) FROM ca_cases;

-- values are the expression's and no other's, wherever it stands
SELECT ca_called('SELECT count(*) FROM ca_s WHERE s ~ ''x''') AS first, ca_called('SELECT id % 3, sum(f) FROM ca_s WHERE f > 1 AND (s ~ ''x'') GROUP BY 1') AS same,
	   ca_called('SELECT count(*) FROM ca_s WHERE s ~ ''X''') AS pattern, ca_called('SELECT count(*) FROM ca_s WHERE s ~* ''x''') AS operator,
	   ca_called('SELECT count(*) FROM ca_s WHERE (s COLLATE "C") ~ ''x''') AS collation, ca_called('SELECT count(*) FROM ca_s WHERE v ~ ''x''') AS "column";
-- several of a column, and of more than one
SELECT ca_called('SELECT upper(s), split_part(v, ''.'', 2), count(*) FILTER (WHERE c ~ ''A'') FROM ca_s WHERE s ~ ''1'' AND d ~ ''2'' GROUP BY 1, 2');
-- joined
CREATE TABLE ca_d AS SELECT i AS k, 'name' || i % 5 AS name FROM generate_series(0, 89) i;
ANALYZE ca_d;
SELECT ca_outcomes(ARRAY['SELECT name, upper(s), count(*) FROM ca_s JOIN ca_d ON id % 90 = k GROUP BY 1, 2', 'SELECT name, count(*) FROM ca_s JOIN ca_d ON id % 90 = k WHERE s ~ ''[12]$'' AND name ~ ''[34]'' GROUP BY 1',
	'SELECT name, sum(id) FROM ca_s LEFT JOIN ca_d ON id % 90 = k AND k < 50 WHERE split_part(s, '' '', 1) = ''city'' GROUP BY 1']);

-- errors are PostgreSQL's, if a row has them that passes
SELECT compare('SELECT sum(d::int4) FROM ca_s'), compare('SELECT d::float8, count(*) FROM ca_s WHERE d <> '''' AND d !~ ''no'' GROUP BY 1'), compare('SELECT count(*) FROM ca_s WHERE s ~ ''(''');
SELECT compare('SELECT sum(d::int4) FROM ca_s WHERE id < 0'), compare('SELECT sum(d::int4) FILTER (WHERE d ~ ''^[0-9]+$'') FROM ca_s');

-- what is not computed so
SET gpuagg.cache = off;
SELECT ca_called('SELECT upper(s), count(*) FROM ca_s GROUP BY 1');
RESET gpuagg.cache;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT ca_called('SELECT upper(s), count(*) FROM ca_s GROUP BY 1');
COMMIT;
SELECT x, ca_called(x) FROM unnest(ARRAY['SELECT s || v, count(*) FROM ca_s GROUP BY 1', 'SELECT concat(s, ''x''), count(*) FROM ca_s GROUP BY 1', 'SELECT b ~ ''1'', count(*) FROM ca_s GROUP BY 1',
	'SELECT to_date(s, ''YYYY'') IS NULL, count(*) FROM ca_s WHERE s IS NULL GROUP BY 1', 'SELECT count(*) FROM ca_s TABLESAMPLE SYSTEM (50) REPEATABLE (1) WHERE s ~ ''1''']) x;
CREATE FUNCTION ca_own(t text) RETURNS text IMMUTABLE STRICT LANGUAGE plpgsql AS 'BEGIN RETURN upper(t); END';
SELECT ca_called('SELECT ca_own(s), count(*) FROM ca_s GROUP BY 1');
SET plan_cache_mode = force_generic_plan;
PREPARE ca_some (text) AS SELECT count(*), sum(id) FROM ca_s WHERE s ~ $1 AND v ~ 'host';
EXECUTE ca_some ('city [12]');
EXECUTE ca_some ('Gr');
DEALLOCATE ca_some;
RESET plan_cache_mode;
-- nor after what it is of is gone
PREPARE ca_later AS SELECT upper(c), count(*) FROM ca_s WHERE c < 'B2' GROUP BY 1 ORDER BY 1;
SELECT prefer_device(false);
EXECUTE ca_later;
SELECT gpuagg.unload('ca_s') > 0;
SELECT ca_called('EXECUTE ca_later');
EXECUTE ca_later;
DEALLOCATE ca_later;
DROP FUNCTION ca_own, ca_called, ca_outcomes, regexp_count_or_length;
DROP TABLE ca_s, ca_d, ca_cases;
