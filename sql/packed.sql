--
-- Columns that stay on the device are packed: they take fewer bits a value, and give the same
-- answers, whatever reads them, and whatever comes to the table later.
--
\a
\t on
SET client_min_messages = warning;
SET gpuagg.debug_pack = on;
CREATE FUNCTION pk_outcomes(queries text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT concat_ws(' ', o, count(*), CASE WHEN o <> 'ok' THEN min(q) END)
		FROM (SELECT regexp_replace(compare(q), '^ok: .*', 'ok') AS o, q FROM unnest(queries) AS q) x
		GROUP BY o ORDER BY o;
END $$;
-- Is of these columns, and no others, less kept than so many percent of what they would take?  Of texts a GPU's strings,
-- which are not packed, take more: there they are asked for by 100 alone.
CREATE FUNCTION pk_packed(percent int, columns text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN packed = CASE WHEN skips THEN regexp_replace(columns, ' (word|code|c|len)\M', '', 'g') ELSE columns END THEN 'yes' ELSE packed END
	FROM (SELECT percent < 100 AND EXISTS (SELECT FROM gpuagg.devices WHERE kind <> 'host') AS skips) s,
		 LATERAL (SELECT coalesce(string_agg(column_name, ' ' ORDER BY attnum) FILTER (WHERE bytes * 100 < plain_bytes * percent), '') AS packed FROM gpuagg.cache
				  WHERE table_name = 'pk' AND attnum > 0 AND NOT (skips AND column_name IN ('word', 'code', 'c', 'len'))) c
$$;

-- Values of every type: narrow and wide ones, with a unit, decimals of several digits and none, one far off, none at all
CREATE TABLE pk (id int4, small int2, big int8, wide int8, far int4, one int4, none int4, flag bool, day date, days date, at timestamp, atz timestamptz, hours timestamptz, price numeric(12, 2), rate float8, half float8, any_f float8, odd_f float8,
	real float4, word text, code varchar(10), c char(6), len interval, tod time) WITH (autovacuum_enabled = off);
CREATE FUNCTION pk_rows(first int, last int) RETURNS SETOF pk LANGUAGE sql AS $$
	SELECT i, i % 100 - 50, 5000000000 + i % 7, hashint8extended(i, 0), CASE WHEN i = 20001 THEN -2000000000 ELSE i % 9 END, 7, NULL::int4, i % 3 = 0, date '2020-01-01' + i / 100, CASE WHEN i % 50 = 0 THEN 'infinity' ELSE date '1999-12-31' + i % 31 END,
		   timestamp '2001-02-03 04:05:06' + i * interval '1 s', timestamptz '2020-01-01 00:00+00' + i * interval '1 ms', timestamptz '1900-01-01 00:00+00' + (i % 1000) * interval '1 h', (i % 100000)::numeric / 100, (i % 1000) / 100.0, i / 2.0,
		   sqrt(i), CASE i % 4000 WHEN 0 THEN 'NaN' WHEN 1 THEN '-Infinity' WHEN 2 THEN -0.0 ELSE 0.5 END, (i % 100) / 4.0, 'word ' || i % 300, 'c' || i % 5, 'x' || i % 11, i % 5 * interval '1 day', time '10:00' + (i % 60) * interval '1 min'
	FROM generate_series(first, last) i
$$;
INSERT INTO pk SELECT * FROM pk_rows(1, 40000);
UPDATE pk SET big = NULL, word = NULL, rate = NULL, at = NULL WHERE id % 17 = 3;
DELETE FROM pk WHERE id BETWEEN 5000 AND 5500 OR id % 23 = 0;
VACUUM (FREEZE, ANALYZE) pk;
CREATE TABLE pk_dim AS SELECT i AS k, 'name ' || i % 4 AS name, i * 10 AS v FROM generate_series(-50, 49) i;
ANALYZE pk_dim;

CREATE TABLE pk_queries AS SELECT format('SELECT count(*), count(%1$s), min(%1$s), max(%1$s) FROM pk WHERE id > 100', a) AS q
	FROM unnest(ARRAY['id', 'small', 'big', 'wide', 'far', 'one', 'none', 'day', 'days', 'at', 'atz', 'hours', 'price', 'rate', 'half', 'any_f', 'odd_f', 'real', 'word', 'code', 'c', 'tod']) AS a;
INSERT INTO pk_queries SELECT format('SELECT %s, count(*), sum(id), min(price), max(atz) FROM pk GROUP BY 1', a)
	FROM unnest(ARRAY['small', 'big', 'far', 'one', 'none', 'flag', 'days', 'hours', 'rate', 'odd_f', 'real', 'word', 'code', 'c', 'tod', 'date_trunc(''hour'', at)', 'price', 'any_f']) AS a;
INSERT INTO pk_queries SELECT format('SELECT code, count(*), sum(big), sum(wide), sum(price) FROM pk WHERE %s GROUP BY code', a)
	FROM unnest(ARRAY['far < 0', 'big = 5000000003', 'day BETWEEN ''2020-03-01'' AND ''2020-04-01''', 'days = ''infinity''', 'at > ''2001-02-03 12:00''', 'hours = ''1900-01-02 03:00+00''', 'price IN (12.34, 99.99, 500)', 'rate >= 9.5', 'odd_f = 0',
		'odd_f = ''NaN''', 'any_f < 12', 'word LIKE ''word 1%''', 'word > ''word 2'' AND c <> ''x3''', 'none IS NULL AND small > 40', 'big IS NULL', 'id % 1000 = 7', 'real = 12.25', 'wide > 0', 'upper(word) = ''WORD 12''']) AS a;
INSERT INTO pk_queries VALUES ('SELECT name, count(*), sum(pk.id), max(v) FROM pk JOIN pk_dim ON small = k GROUP BY name'), ('SELECT count(*), sum(v) FROM pk LEFT JOIN pk_dim ON far = k'),
	('SELECT a.code, count(*) FROM pk a JOIN pk b ON a.id = b.id WHERE b.price < 100 GROUP BY a.code'), ('SELECT count(DISTINCT word), count(DISTINCT hours), count(DISTINCT any_f) FROM pk'),
	('SELECT flag, count(DISTINCT small), percentile_disc(0.5) WITHIN GROUP (ORDER BY price) FROM pk GROUP BY flag'), ('SELECT code, c, count(*) FROM pk GROUP BY ROLLUP (code, c)'),
	('SELECT code, count(*), sum(id) FROM pk TABLESAMPLE SYSTEM (40) REPEATABLE (1) GROUP BY code'), ('SELECT code, count(*), sum(id), max(at) FROM pk TABLESAMPLE BERNOULLI (20) REPEATABLE (1) GROUP BY code'),
	('SELECT id, price FROM pk TABLESAMPLE BERNOULLI (20) REPEATABLE (3) WHERE rate > 9'), ('SELECT code, count(*), sum(id), min(days) FROM pk TABLESAMPLE gpuagg.random_rows (30000) REPEATABLE (4) GROUP BY code'),
	('SELECT code, count(*), sum(id) FROM pk TABLESAMPLE gpuagg.random_rows (300) REPEATABLE (5) GROUP BY code');
SELECT count(*) FROM pk_queries;

SELECT gpuagg.load('pk') > 0;
SELECT pk_packed(50, 'id small big far one none flag day at atz hours price rate half odd_f real word code c len tod') AS half,
	   pk_packed(90, 'id small big far one none flag day at atz hours price rate half any_f odd_f real word code c len tod') AS less,
	   pk_packed(100, 'id small big far one none flag day at atz hours price rate half any_f odd_f real word code c len tod') AS all;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries;
SET gpuagg.debug_compare = on;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%TABLESAMPLE%';
RESET gpuagg.debug_compare;

-- rows change: what comes lies beside what is packed, and is packed, too.  Draws need a table that has
-- been vacuumed.
UPDATE pk SET price = price + 1, rate = rate / 2, word = 'new ' || id % 7, far = 100000 WHERE id % 41 = 5;
DELETE FROM pk WHERE id % 43 = 6;
INSERT INTO pk SELECT * FROM pk_rows(50001, 53000);
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
SET gpuagg.debug_compare = on;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%TABLESAMPLE%';
RESET gpuagg.debug_compare;
-- often, so that all stripes fill, and the table is laid in order
DO $$ BEGIN
	FOR round IN 1 .. 30 LOOP
		UPDATE pk SET big = big + 1, price = 1000 - price, at = at + interval '1 s' WHERE id % 30 = round;
		PERFORM compare(q) FROM pk_queries WHERE q LIKE '%sum(big)%' LIMIT 4;
	END LOOP;
END $$;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
VACUUM (FREEZE) pk;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries;

-- a column comes, one goes, and one becomes another
ALTER TABLE pk ADD extra int4 DEFAULT 5;
SELECT gpuagg.unload('pk', '{price,word}') > 0;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
SELECT compare('SELECT extra, count(*), sum(price) FROM pk GROUP BY extra');
ALTER TABLE pk ALTER far TYPE int8;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';

-- A column comes to a stripe of which a page has left: where that lay no value of it has ever been
CREATE TABLE pk_late (id int4, a int4, c text) WITH (autovacuum_enabled = off);
INSERT INTO pk_late SELECT i, i % 5, CASE WHEN i <= 100 THEN 'w' || i % 5 END FROM generate_series(1, 3000) i;
VACUUM (FREEZE, ANALYZE) pk_late;
SELECT gpuagg.load('pk_late', '{id,a}') > 0;
INSERT INTO pk_late SELECT i, 1, NULL FROM generate_series(3001, 3500) i;
SELECT compare('SELECT a, count(*), sum(id) FROM pk_late GROUP BY a'), compare('SELECT count(c) FROM pk_late'), compare('SELECT a, count(*), min(c), max(c) FROM pk_late GROUP BY a');
SELECT compare('SELECT x.a, count(*) FROM pk_late x LEFT JOIN pk_late y ON x.c = y.c AND y.id < 5 GROUP BY x.a');
DROP TABLE pk_late;

-- a transaction's own rows, and snapshots from before
BEGIN;
INSERT INTO pk SELECT * FROM pk WHERE id % 97 = 1;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
ROLLBACK;
SELECT pk_outcomes(array_agg(q)) FROM pk_queries WHERE q NOT LIKE '%random_rows%';
-- what is packed stays so
SELECT gpuagg.unload('pk') > 0;
SET gpuagg.debug_pack = off;
SELECT gpuagg.load('pk', '{id,small}') > 0;
SELECT bytes = plain_bytes FROM gpuagg.cache WHERE table_name = 'pk' ORDER BY attnum;
SELECT compare('SELECT small, count(*), sum(id) FROM pk GROUP BY 1');
DROP TABLE pk, pk_dim, pk_queries CASCADE;
DROP FUNCTION pk_outcomes, pk_packed;
