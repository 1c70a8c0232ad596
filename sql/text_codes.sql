--
-- Strings of kept columns are codes: what patterns, lengths and comparisons make of them are
-- tables by code, and what a CASE chooses among are codes, too.
--
\a
\t on
CREATE TABLE tc (id int4, f float8, s text, v varchar(12), b char(6), p bpchar, u text COLLATE "C")
	WITH (autovacuum_enabled = off);
INSERT INTO tc SELECT i, i / 7.0,
	CASE WHEN i % 13 > 0 THEN (ARRAY['city1', 'city10', 'Größe', '', 'a%b', 'x_y', E'back\\slash', 'end '])[1 + i % 8] || repeat('z', i % 3) END,
	CASE WHEN i % 5 > 0 THEN 'v' || i % 40 END, 'b' || i % 4, rpad('p' || i % 3, 2 + i % 4), 'u' || i % 300
	FROM generate_series(1, 20000) i;
ALTER TABLE tc ADD late text DEFAULT 'as it was', ADD none text;
INSERT INTO tc SELECT i, i / 3.0, 's' || i % 50, NULL, 'b' || i % 5, 'p', 'U' || i % 9, 'late' || i % 4, 'n' || i % 3
	FROM generate_series(1, 3000) i;
VACUUM (FREEZE, ANALYZE) tc;

CREATE FUNCTION tc_outcomes(queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o <> 'ok' THEN min(q) END)
		FROM (SELECT regexp_replace(compare(q), '^ok: .*', 'ok') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;

-- conditions, and what they are of
CREATE TABLE tc_cases AS SELECT format(form, x) AS q FROM unnest(ARRAY[
	$$s LIKE 'city1%'$$, $$s NOT LIKE '%z'$$, $$s LIKE '%\_%'$$, $$s LIKE '_____'$$, $$v LIKE 'v1%' OR v = 'v2'$$,
	$$s LIKE '%ö%' AND s <> 'Größe'$$, $$length(s) > 5$$, $$octet_length(s) BETWEEN 5 AND 7$$, $$u < 'u2'$$, $$u >= 'u1' AND u < 'u15'$$,
	$$s IS NULL OR s LIKE 'c%'$$, $$(s LIKE 'c%') IS NOT TRUE$$, $$s LIKE 'c%' OR u LIKE '%9'$$, $$substring(s, 2, 3) = 'ity'$$,
	$$coalesce(v, 'none') LIKE 'n%'$$, $$nullif(v, 'v3') LIKE '%3%'$$, $$b LIKE 'b1%'$$, $$b = 'b1' AND length(b) = 2$$, $$p = 'p1' OR length(p) > 2$$,
	$$late LIKE 'late%'$$, $$none LIKE 'n%' OR late = 'as it was'$$, $$v IN ('v1', 'v2', 'v33') AND s LIKE '%'$$, $$v NOT IN ('v1', NULL) AND s LIKE 'c%'$$,
	$$starts_with(s, 'city')$$, $$s LIKE v$$, $$(CASE WHEN s LIKE 'c%' THEN v ELSE 'x' END) = 'x'$$]) AS x,
	unnest(ARRAY[$$SELECT count(*), sum(id) FROM tc WHERE %s$$, $$SELECT id %% 7, count(*) FILTER (WHERE %s), max(f) FROM tc GROUP BY 1$$,
		$$SELECT %s, count(*), sum(id) FROM tc GROUP BY 1$$, $$SELECT s, count(*), count(DISTINCT id %% 5) FROM tc WHERE %s GROUP BY s$$]) AS form;
-- keys
INSERT INTO tc_cases SELECT format(form, x) FROM unnest(ARRAY[
	$$CASE WHEN f < 100 THEN 'low' WHEN f < 2000 THEN 'middle' ELSE 'high, and longer than a slot' END$$,
	$$CASE WHEN id % 3 = 0 THEN 'same' WHEN id % 3 = 1 THEN 'same' END$$, $$CASE WHEN id % 2 = 0 THEN s ELSE 'other' END$$, $$coalesce(s, 'nothing')$$,
	$$nullif(v, 'v7')$$, $$CASE WHEN id % 2 = 0 THEN s ELSE v END$$, $$CASE WHEN id % 2 = 0 THEN b ELSE 'other' END$$, $$b$$,
	$$late$$, $$coalesce(late, none)$$, $$coalesce(none, 'as it was')$$, $$length(s)$$, $$nullif(length(u), 3)$$, $$substring(u, 1, 2)$$, $$CASE v WHEN 'v1' THEN 'one' WHEN 'v2' THEN 'two' ELSE v END$$,
	$$CASE WHEN s LIKE 'city%' THEN 'a city' WHEN length(s) > 5 THEN s END$$]) AS x,
	unnest(ARRAY[$$SELECT %s, count(*), sum(id) FROM tc GROUP BY 1$$, $$SELECT %1$s, count(*) FROM tc WHERE id %% 11 < 5 GROUP BY 1 HAVING count(*) > 100 ORDER BY 2 DESC, 1 LIMIT 3$$,
		$$SELECT %1$s, id %% 3, count(*) FROM tc GROUP BY GROUPING SETS ((1, 2), (1), ())$$, $$SELECT id %% 4, count(DISTINCT %1$s), count(%1$s) FROM tc GROUP BY 1$$]) AS form;
SELECT count(*) FROM tc_cases;

SET gpuagg.cache = off;
SELECT tc_outcomes(array_agg(q)) FROM tc_cases;
RESET gpuagg.cache;
SELECT gpuagg.load('tc') > 0;
SELECT tc_outcomes(array_agg(q)) FROM tc_cases;
-- again, with tables that are there; and with strings that come later, kept and not
SELECT tc_outcomes(array_agg(q)) FROM tc_cases;
INSERT INTO tc SELECT i, -i, 'city1 new' || i, 'v' || i, 'b9', 'p9', 'u' || i, 'late' || i, NULL FROM generate_series(1, 400) i;
UPDATE tc SET s = s || ' changed' WHERE id % 97 = 1;
DELETE FROM tc WHERE id % 89 = 2;
SELECT tc_outcomes(array_agg(q)) FROM tc_cases;
VACUUM (FREEZE) tc;
SELECT gpuagg.load('tc') > 0;
SELECT tc_outcomes(array_agg(q)) FROM tc_cases;

-- tables are kept with the dictionary, and counted with it; what else is kept stays as large as it is
SET gpuagg.debug_pack = off;
CREATE TABLE tc_kept (s text);
INSERT INTO tc_kept SELECT 's' || i % 100000 FROM generate_series(1, 200000) i;
VACUUM (FREEZE, ANALYZE) tc_kept;
SELECT gpuagg.load('tc_kept') > 0;
CREATE FUNCTION tc_bytes() RETURNS int8 LANGUAGE sql AS $$ SELECT sum(bytes)::int8 FROM gpuagg.cache WHERE relation = 'tc_kept'::regclass $$;
SELECT tc_bytes() AS before \gset
SELECT compare($$SELECT count(*) FROM tc_kept WHERE s LIKE '%77%'$$);
SELECT tc_bytes() AS after \gset
SELECT :after > :before;
-- more than are kept of a dictionary
SELECT tc_outcomes(array_agg(format($$SELECT count(*) FROM tc_kept WHERE s LIKE '%%%s%%'$$, i))) FROM generate_series(100, 140) i;
SELECT tc_bytes() < :before + 40 * (:after - :before);
-- more in one query than there may be
SELECT compare('SELECT ' || string_agg(format($$count(*) FILTER (WHERE s LIKE '%%%s')$$, i), ', ') || ' FROM tc_kept') FROM generate_series(1, 20) i;
SELECT gpuagg.unload('tc_kept') > 0;
RESET gpuagg.debug_pack;
DROP TABLE tc, tc_cases, tc_kept;
DROP FUNCTION tc_outcomes, tc_bytes;
