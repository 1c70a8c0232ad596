--
-- IN of a subquery that has one that depends on its row: a grouping by itself, with the other one as an input.
--
\a
\t on
SET client_min_messages = warning;
CREATE COLLATION ci_blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE ci_s (id int PRIMARY KEY, name text, c int);
INSERT INTO ci_s SELECT i, 'n' || i % 40, i % 9 FROM generate_series(0, 120) i;
CREATE TABLE ci_p (k int, s int, q int, n numeric(8, 2), t text, l text COLLATE ci_blind, b bigint);
INSERT INTO ci_p SELECT i % 300, i % 97, i % 50, i % 60 / 4.0, 'n' || i % 30, CASE WHEN i % 300 < 200 THEN 'N' ELSE 'n' END || i % 30, i % 60 FROM generate_series(1, 1000) i;
INSERT INTO ci_p SELECT i, NULL, 3, NULL, NULL, NULL, NULL FROM generate_series(1, 20) i;
CREATE TABLE ci_l (k int, q numeric(10, 2), d int);
INSERT INTO ci_l SELECT i % 280, i % 41, i % 7 FROM generate_series(1, 1100) i;
VACUUM ANALYZE ci_s, ci_p, ci_l;
-- as many groupings as the device makes, and are the answers those of gpuagg off?
CREATE FUNCTION ci(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	n int := 0;
BEGIN
	PERFORM prefer_device();
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		n := n + (line LIKE '%GpuAgg%')::int;
	END LOOP;
	RETURN concat_ws(', ', n, compare(query, 'prefer'));
END $$;
CREATE FUNCTION ci_in(condition text, others text DEFAULT '') RETURNS text LANGUAGE sql AS $$
	SELECT ci(format('SELECT s.id, s.name FROM ci_s s WHERE %s FROM ci_p p WHERE q > (SELECT 0.3 * avg(l.q) FROM ci_l l WHERE l.k = p.k AND d < 5) %s)', condition, others))
$$;
SELECT o, ci_in('s.id IN (SELECT p.s', o) FROM unnest(ARRAY['', 'AND k < 100', 'AND k IN (SELECT c FROM ci_s WHERE name LIKE ''n1%'')', 'AND n > 3 AND s IS NOT NULL']) o;
SELECT c, ci_in(c) FROM unnest(ARRAY['s.name IN (SELECT p.t', 's.id = ANY (SELECT p.b', 's.c > 3 AND s.id IN (SELECT p.s', 's.id > ANY (SELECT p.s', 's.id IN (SELECT p.s % 20']) c;
-- joined as ever: where values that are equal may differ, rows are counted, are limited or of several columns, or it is no condition by itself
SELECT c, ci_in(c) FROM unnest(ARRAY['s.c IN (SELECT p.n', 's.id IN (SELECT DISTINCT p.s', '(s.id, s.c) IN (SELECT p.s, p.q', 's.c < 2 OR s.id IN (SELECT p.s', 's.id NOT IN (SELECT p.s', 'EXISTS (SELECT']) c;
SELECT o, ci_in('s.id IN (SELECT p.s', o) FROM unnest(ARRAY['ORDER BY p.s LIMIT 5', 'GROUP BY p.s']) o;
SELECT ci_in('s.id < 5 AND s.id IN (SELECT p.s', 'AND p.s < s.c * 10');
SELECT ci('SELECT count(*) FROM ci_p o WHERE o.s IN (SELECT p.s FROM ci_p p WHERE q > (SELECT 0.3 * avg(l.q) FROM ci_l l WHERE l.k = p.k) AND p.k IN (SELECT l.k FROM ci_l l WHERE d > (SELECT min(x.c) FROM ci_s x WHERE x.id = l.k)))');
BEGIN;
SELECT prefer_device();
-- equal values that differ, of which PostgreSQL's own plan may keep the wrong one: no grouping is made of them
SELECT count(*) FROM explained('EXPLAIN (COSTS OFF) SELECT s.id FROM ci_s s WHERE s.name COLLATE "C" IN (SELECT p.l FROM ci_p p WHERE q > (SELECT 0.3 * avg(l.q) FROM ci_l l WHERE l.k = p.k))') l
WHERE l LIKE '%GpuAgg%';
EXPLAIN (COSTS OFF) SELECT name FROM ci_s WHERE id IN (SELECT s FROM ci_p p WHERE q > (SELECT 0.3 * avg(l.q) FROM ci_l l WHERE l.k = p.k));
ROLLBACK;
DROP FUNCTION ci_in, ci;
DROP TABLE ci_s, ci_p, ci_l;
DROP COLLATION ci_blind;
