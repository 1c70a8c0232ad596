--
-- Numerics of a join's input that have no scale: compared by their bounds at the other side's scale.
--
\a
\t on
CREATE TABLE jb (id int, k int, g int, x numeric(8, 2), y numeric(19, 4), own numeric, i int, b bigint);
INSERT INTO jb SELECT i, i % 27, i % 4, (i % 9 - 4) / 100.0 + (i % 3 - 1) * 1.25, (i % 9 - 4) / 10000.0 + (i % 5 - 2) * 1.25, i % 7 * 0.625 - 1.25, i % 5 - 2,
	i % 3 FROM generate_series(1, 4000) i;
INSERT INTO jb (id, k, g) SELECT i, i % 30, 5 FROM generate_series(4001, 4060) i;
INSERT INTO jb SELECT i, i % 27, 6, 0, CASE i % 2 WHEN 0 THEN 922337203685477.5807 ELSE -922337203685477.5807 END, 0, 0,
	CASE i % 3 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775807 ELSE -9223372036854775808 END FROM generate_series(4101, 4200) i;
-- v: at decimals and between them, on both sides of zero, more digits than a word has, and what is no number
CREATE TABLE jv (k int PRIMARY KEY, v numeric, n numeric(12, 4), w numeric(60, 30), m int);
INSERT INTO jv SELECT k - 1, v, (k - 12) * 0.3333, v, k % 9 FROM unnest(ARRAY[0, 1.25, -1.25, 1.2500, 1.250000000000000000000000000001, -1.250000000000000000000000000001,
	1.249999999999999999999999999999, -1.249999999999999999999999999999, 0.004, -0.004, 0.01, -0.01, 1e-100, -1e-100, 2.5, -2.505, 1.2501, 1.25009, -1.2501,
	922337203685477.5807, 922337203685477.58071, 922337203685477.58069, NULL, 3, -2]) WITH ORDINALITY AS t(v, k);
CREATE DOMAIN jb_amount AS numeric CHECK (VALUE IS NULL OR VALUE > -1e9);
CREATE TABLE jn (k int PRIMARY KEY, v numeric, d jb_amount);
INSERT INTO jn SELECT k - 1, v, v FROM unnest(ARRAY['NaN', 'Infinity', 1e30, 9223372036854775807, 9223372036854775807.5, 9223372036854775808, 9223372036854775806.5, 1e131071,
	NULL, 1e-16000, 92233720368547758.07, 0.5]::numeric[]) WITH ORDINALITY AS t(v, k);
INSERT INTO jn SELECT 11 + k, v FROM unnest(ARRAY[-9223372036854775807, -9223372036854775806.5, -922337203685477.5807, -922337203685477.58070001]::numeric[]) WITH ORDINALITY AS t(v, k);
VACUUM ANALYZE jb, jv, jn;
-- each comparison, either way round: in WHERE, in ON of a left join, in FILTER and CASE
CREATE FUNCTION compared(input text, x text, v text) RETURNS TABLE (c text, answer text) LANGUAGE plpgsql AS $$
DECLARE
	condition text;
BEGIN
	FOREACH c IN ARRAY ARRAY['<', '<=', '=', '<>', '>=', '>'] LOOP
		FOREACH condition IN ARRAY ARRAY[format('%s %s %s', x, c, v), format('%s %s %s', v, c, x)] LOOP
			c := condition;
			answer := concat_ws(', ',
				compare(format('SELECT g, count(*), sum(id) FROM jb JOIN %s d USING (k) WHERE %s GROUP BY g', input, c), 'require'),
				compare(format('SELECT g, count(*), count(d.k), sum(id) FROM jb LEFT JOIN %s d ON jb.k = d.k AND %s GROUP BY g', input, c), 'require'),
				compare(format('SELECT g, count(*) FILTER (WHERE %1$s), count(*) FILTER (WHERE NOT %1$s), sum(CASE WHEN %1$s THEN id WHEN (%1$s) IS NULL THEN 0 ELSE -id END)'
					' FROM jb LEFT JOIN %2$s d USING (k) GROUP BY g', c, input), 'require'));
			IF answer !~ '^(ok: \d+ rows?(, |$)){3}' THEN
				RETURN NEXT;
			END IF;
		END LOOP;
	END LOOP;
	c := format('%s by %s: all', x, v);
	answer := 'asked';
	RETURN NEXT;
END $$;
SELECT r.* FROM unnest(ARRAY['x', 'y', 'own', 'i', 'i * x', '1.25', 'jb.x + 0.001']) x, compared('jv', x, 'd.v') r;
SELECT r.* FROM unnest(ARRAY['d.w', '-d.w', 'd.n / 3', 'round(d.n / 7, 4)', 'abs(d.n / -1.5)']) v, compared('jv', 'y', v) r;
SELECT r.* FROM unnest(ARRAY['coalesce(d.v, d.w, 1.25)', 'coalesce(d.n, d.v)', 'coalesce(d.n / 3, x + 1, d.v)']) v, compared('jv', 'x', v) r;
-- what is no number, or beyond 64 bits; b has the least and the greatest of these
SELECT r.* FROM unnest(ARRAY['x', 'y', 'b', 'i']) x, compared('(SELECT * FROM jn WHERE k < 12)', x, 'd.v') r;
SELECT r.* FROM unnest(ARRAY['b', 'i']) x, compared('jn', x, 'd.v') r;
SELECT r.* FROM compared('(SELECT * FROM jn WHERE v > 0)', 'x', 'd.d') r;
-- two columns of one input, of two inputs; NULLs; no row matches; several; a value that is known later; as a key; of a UNION ALL
SELECT compare(q) FROM unnest(ARRAY[
	'SELECT g, count(*) FROM jb JOIN jv d USING (k) WHERE d.n < d.v OR d.n > g GROUP BY g',
	'SELECT g, count(*) FROM jb JOIN jv d USING (k) JOIN jv e ON e.k = jb.g WHERE d.n < e.v GROUP BY g',
	'SELECT g, count(*) FROM jb LEFT JOIN jv d USING (k) WHERE x < d.v OR d.v IS NULL GROUP BY g',
	'SELECT g, count(d.v), count(*) FILTER (WHERE d.n / 3 IS NULL) FROM jb LEFT JOIN jv d USING (k) GROUP BY g',
	'SELECT g, count(*) FILTER (WHERE d.v IS NOT NULL) FROM jb LEFT JOIN jv d USING (k) GROUP BY g',
	'SELECT g, count(*) FILTER (WHERE d.d IS NULL) FROM jb LEFT JOIN jn d USING (k) GROUP BY g',
	'SELECT g, count(*) FROM jb LEFT JOIN (SELECT * FROM jv WHERE k < 0) d USING (k) WHERE x < d.v IS NULL GROUP BY g',
	'SELECT g, count(*) FROM jb JOIN jv d USING (k) WHERE x BETWEEN d.v AND d.n AND y >= d.v AND own <> d.v GROUP BY g',
	'SELECT g, count(*) FILTER (WHERE d.v <= (SELECT max(n) FROM jv)) FROM jb LEFT JOIN jv d USING (k) GROUP BY g',
	'SELECT x < d.v AS less, y = d.v AS equal, count(*) FROM jb LEFT JOIN jv d USING (k) GROUP BY 1, 2',
	'SELECT g, count(*), sum(x) FROM (SELECT k, g, x FROM jb UNION ALL SELECT k, id % 3, x FROM jb) f JOIN jv d USING (k) WHERE x >= d.v GROUP BY g']) q;
-- an equality that is no key: its errors count where nothing is joined, as PostgreSQL hashes by it
SELECT compare('SELECT g, count(d.k) FROM jb ' || j || ' (SELECT * FROM jv WHERE k > 0) d ON d.k = jb.i AND -b = d.' || v || ' GROUP BY g') FROM unnest(ARRAY['JOIN', 'LEFT JOIN']) j, unnest(ARRAY['v', 'w']) v;
-- the average of a grouping, as a join and as a subquery for each row
CREATE TABLE jo AS SELECT i % 40 AS k, (i * 7919 % 1000) / 100.0 AS q FROM generate_series(1, 3000) i;
UPDATE jo SET q = NULL WHERE k = 3;
ALTER TABLE jo ALTER q TYPE numeric(10, 2);
VACUUM ANALYZE jo;
SELECT r.* FROM unnest(ARRAY['d.a', '1.5 * d.a', 'd.a - 4 + d.n', '(d.a - 5.5) / 2', 'coalesce(round(d.a, 1), d.n)']) v,
	compared('(SELECT k, avg(q) AS a, max(q) - 5 AS n FROM jo WHERE k % 7 > 0 GROUP BY k)', 'x', v) r;
SELECT compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT g, count(*), sum(x) FROM jb JOIN (SELECT k, 0.2 * avg(q) AS a FROM jo GROUP BY k) d USING (k) WHERE x < a GROUP BY g',
	'SELECT g, count(*), count(a IS NULL) FILTER (WHERE i >= a) FROM jb LEFT JOIN (SELECT k, avg(q) - 4 AS a FROM jo WHERE k % 3 > 0 GROUP BY k) d USING (k) GROUP BY g',
	'SELECT sum(x) / 7.0 FROM jb, jv d WHERE d.k = jb.k AND d.n > -2 AND x < (SELECT 0.2 * avg(q) FROM jo WHERE jo.k = d.k)',
	'SELECT g, count(*) FROM jb WHERE i >= (SELECT avg(q) - 4 FROM jo WHERE jo.k = jb.k AND q < 7) GROUP BY g',
	'SELECT g, count(*) FROM jb WHERE i > 0.3 * (SELECT avg(q) FROM jo WHERE jo.k = jb.k) + 0.1 GROUP BY g']) q;
BEGIN;
SELECT prefer_device();
EXPLAIN (COSTS OFF) SELECT sum(x) / 7.0 FROM jb, jv d WHERE d.k = jb.k AND d.n > -2 AND x < (SELECT 0.2 * avg(q) FROM jo WHERE jo.k = d.k);
ROLLBACK;
-- a fact's value that only PostgreSQL compares
INSERT INTO jb SELECT 5000 + i, i, 7, 'NaN' FROM generate_series(0, 20) i;
SELECT compare(format('SELECT g, count(*), sum(id) FROM jb JOIN %s d USING (k) WHERE x %s v GROUP BY g', t, o), 'prefer') FROM unnest(ARRAY['jv', 'jn']) t, unnest(ARRAY['<', '=', '>=']) o;
DELETE FROM jb WHERE id >= 5000;
-- what may overflow is computed of rows that are joined only
SELECT compare('SELECT g, count(*) FROM jb JOIN ' || d || ' ON d.k = jb.i WHERE x < a * 10 GROUP BY g', 'any') FROM unnest(ARRAY['(SELECT k, max(v) AS a FROM jn GROUP BY k) d', '(SELECT k, v AS a FROM jn) d']) d;
-- below 64 bits there is no bound, which PostgreSQL then finds the answer of
INSERT INTO jv VALUES (100, '-Infinity'), (101, -1e30), (102, -1e131071);
SELECT compare('SELECT g, count(*) FROM jb JOIN jv d USING (k) WHERE x > d.v GROUP BY g', 'prefer');
-- none has what has no scale on both sides, might raise an error, is there where no row is; nor what is in more than one row, or asked for itself
SELECT refused(q) FROM unnest(ARRAY[
	'SELECT count(*) FROM jb JOIN jv d USING (k) JOIN jv e ON e.k = jb.g WHERE d.v < e.v',
	'SELECT count(*) FROM jb JOIN jv d USING (k) WHERE x < d.v + 1',
	'SELECT count(*) FILTER (WHERE x < coalesce(d.v * 2, 1)) FROM jb LEFT JOIN jv d USING (k)',
	'SELECT count(*) FILTER (WHERE x < CASE WHEN d.k > 3 THEN d.v END) FROM jb LEFT JOIN jv d USING (k)',
	'SELECT count(*) FROM jb JOIN jv d USING (k) WHERE x IS DISTINCT FROM d.v',
	'SELECT count(*) FROM jb WHERE EXISTS (SELECT FROM jv d WHERE d.m = jb.k AND d.v > x)',
	'SELECT count(*) FROM jb JOIN jv d ON d.m = jb.k WHERE x < d.v']) q;
DROP FUNCTION compared;
DROP TABLE jb, jv, jn, jo;
DROP DOMAIN jb_amount;
