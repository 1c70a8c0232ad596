--
-- Where groups go: into tables, through cursors, joins and windows.
--
\a
\t on
CREATE TABLE rt (id int4, g int8, t text COLLATE "C", l text COLLATE "C", u uuid, v int4, w int8);
INSERT INTO rt
SELECT i, CASE WHEN i % 101 > 0 THEN hashint8extended(i % 7000, 1) END,
	   CASE WHEN i % 103 > 0 THEN repeat('s', i % 13) || i % 50 END,
	   CASE WHEN i % 107 > 0 THEN repeat('long', i % 40) || i % 900 END,
	   md5((i % 3000)::text)::uuid, (i * 7919) % 1000003 - 500000, hashint8extended(i, 2) / 3
FROM generate_series(1, 30000) i;
ANALYZE rt;
CREATE TEMP TABLE rt_query AS
SELECT * FROM (VALUES
	(1, 'SELECT g, count(*) AS n, sum(v) AS s, avg(v) AS a FROM rt GROUP BY g'),
	(2, 'SELECT t, l, count(*) AS n, sum(w) AS s, avg(w) AS a FROM rt GROUP BY t, l'),
	(3, 'SELECT u, count(*) AS n, max(l) AS s, min(t) AS a FROM rt GROUP BY u')) x(no, sql);

-- CREATE TABLE AS, INSERT ... SELECT, RETURNING, a materialized view: rows of the one plan not the other's
CREATE FUNCTION differ(a text, b text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n int8;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((SELECT x::text FROM %1$s x EXCEPT ALL SELECT x::text FROM %2$s x) UNION ALL
					(SELECT x::text FROM %2$s x EXCEPT ALL SELECT x::text FROM %1$s x)) y', a, b) INTO n;
	RETURN n;
END
$$;
CREATE FUNCTION into_tables(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	n int8 := 0;
BEGIN
	SET LOCAL client_min_messages = warning;
	DROP TABLE IF EXISTS rt_stock, rt_made, rt_filled, rt_returned;
	DROP MATERIALIZED VIEW IF EXISTS rt_view;
	PERFORM set_config('gpuagg.enable', 'off', true);
	EXECUTE 'CREATE TABLE rt_stock AS ' || query;
	EXECUTE 'CREATE TABLE rt_filled AS ' || query || ' LIMIT 0';
	EXECUTE 'CREATE TABLE rt_returned AS ' || query || ' LIMIT 0';
	PERFORM set_config('gpuagg.enable', 'on', true), set_config('gpuagg.debug_require', 'require', true);
	EXECUTE 'CREATE TABLE rt_made AS ' || query;
	EXECUTE 'CREATE MATERIALIZED VIEW rt_view AS ' || query;
	EXECUTE 'INSERT INTO rt_filled ' || query;
	FOR r IN EXECUTE format('INSERT INTO rt_returned %s RETURNING n', query) LOOP
		n := n + 1;
	END LOOP;
	PERFORM set_config('gpuagg.debug_require', 'allow', true), set_config('gpuagg.enable', 'off', true);
	RETURN format('%s rows, differing: %s %s %s %s', n, differ('rt_stock', 'rt_made'), differ('rt_stock', 'rt_view'),
				  differ('rt_stock', 'rt_filled'), differ('rt_stock', 'rt_returned'));
END
$$;
SELECT no, into_tables(sql) FROM rt_query ORDER BY no;
SET gpuagg.enable = on;

-- a cursor reads n at a time, whatever happens between; the values of a row stay while it is looked at
CREATE FUNCTION by_cursor(query text, step int4) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	answer text;
	r record;
	n int8 := 0;
BEGIN
	CREATE TEMP TABLE fetched (x text);
	PERFORM set_config('gpuagg.debug_require', 'require', true);
	OPEN c FOR EXECUTE query;
	PERFORM set_config('gpuagg.debug_require', 'allow', true);
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		INSERT INTO fetched VALUES (r::text);
		n := n + 1;
		IF n % step = 0 THEN
			-- another task while this one's groups are being read
			PERFORM count(*) FROM rt WHERE v < n GROUP BY t;
			BEGIN
				PERFORM 1 / (n % step);
			EXCEPTION WHEN division_by_zero THEN
			END;
		END IF;
	END LOOP;
	CLOSE c;
	PERFORM set_config('gpuagg.enable', 'off', true);
	EXECUTE 'CREATE TEMP TABLE stock AS SELECT x::text FROM (' || query || ') x';
	PERFORM set_config('gpuagg.enable', 'on', true);
	SELECT format('%s rows, differing: %s', n, count(*)) INTO answer FROM (
		(SELECT x FROM fetched EXCEPT ALL SELECT x FROM stock) UNION ALL
		(SELECT x FROM stock EXCEPT ALL SELECT x FROM fetched)) y;
	DROP TABLE fetched, stock;
	RETURN answer;
END
$$;
SELECT no, by_cursor(sql, 500) FROM rt_query ORDER BY no;
BEGIN;
DECLARE part CURSOR FOR SELECT v % 5, t, count(*), avg(w) FROM rt WHERE t IN ('s1', 'ss2', 'sss3') GROUP BY 1, 2 ORDER BY 1, 2;
FETCH 3 FROM part;
SAVEPOINT s;
FETCH 2 FROM part;
ROLLBACK TO s;
FETCH 2 FROM part;
MOVE 100 FROM part;
FETCH 1 FROM part;
COMMIT;
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT t, count(*) FROM rt GROUP BY t ORDER BY count(*) DESC, t;
FETCH 1 FROM held;
COMMIT;
FETCH 2 FROM held;
CLOSE held;

-- strings about 1 kB; several MB of groups, again in the memory of those before
CREATE TABLE rt_long (id int4, x text COLLATE "C");
ALTER TABLE rt_long ALTER x SET STORAGE plain;
INSERT INTO rt_long SELECT i, substr(repeat(md5(i::text), 40), 1, 1018 + i % 12) FROM generate_series(1, 500) i;
ANALYZE rt_long;
SET work_mem = '64MB';
SELECT compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT x, count(*), max(x), min(x) FROM rt_long GROUP BY x',
	'SELECT a.x, b.x AS y FROM (SELECT x, count(*) FROM rt_long GROUP BY x) a, (SELECT x, count(*) FROM rt_long WHERE id < 4 GROUP BY x) b',
	'SELECT id, g, t, l, u, v, w, count(*) FROM rt GROUP BY id, g, t, l, u, v, w',
	'SELECT id, l, t, u, max(l), sum(w), sum(v) FROM rt GROUP BY id, l, t, u',
	'SELECT id, g, t, l, u, v, w, count(*) FROM rt GROUP BY id, g, t, l, u, v, w']) q;
RESET work_mem;
DROP TABLE rt_long;

-- joins, windows, set operations and subqueries above
SELECT compare(q, 'prefer') FROM unnest(ARRAY[
	'SELECT a.*, b.n FROM (SELECT g, count(*) AS n FROM rt GROUP BY g) a JOIN (SELECT g, count(*) AS n, max(l) FROM rt WHERE v > 0 GROUP BY g) b USING (g)',
	'SELECT a.t, a.n, b.l, b.s FROM (SELECT t, count(*) AS n FROM rt GROUP BY t) a LEFT JOIN (SELECT l, sum(v) AS s FROM rt GROUP BY l) b ON b.l = a.t',
	'SELECT t, n, rank() OVER (ORDER BY n DESC), sum(n) OVER (ORDER BY t), lag(t) OVER (ORDER BY t) FROM (SELECT t, count(*) AS n FROM rt GROUP BY t) x',
	'SELECT t, count(*), avg(v), rank() OVER (ORDER BY count(*), t), avg(avg(v)) OVER (ORDER BY t ROWS 3 PRECEDING) FROM rt GROUP BY t',
	'SELECT u, max(l) AS m, first_value(max(l)) OVER w, last_value(min(t)) OVER w FROM rt GROUP BY u WINDOW w AS (ORDER BY u ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)',
	'SELECT t, count(*) FROM rt GROUP BY t UNION SELECT l, sum(v) FROM rt GROUP BY l',
	'SELECT u, avg(w) FROM rt GROUP BY u EXCEPT SELECT u, avg(w) FROM rt WHERE id > 100 GROUP BY u',
	'WITH a AS MATERIALIZED (SELECT t, avg(w) AS x FROM rt GROUP BY t) SELECT p.t, q.x FROM a p, a q WHERE p.x < q.x AND p.t = q.t || ''1''',
	'SELECT array_agg(t ORDER BY n, t) FROM (SELECT t, count(*) AS n FROM rt GROUP BY t) x',
	'SELECT t, l FROM (SELECT t, min(l) AS l, avg(w) AS a FROM rt GROUP BY t) x WHERE a > (SELECT avg(a) FROM (SELECT avg(w) AS a FROM rt GROUP BY t) y)']) q;
DROP FUNCTION into_tables, by_cursor, differ;
DROP MATERIALIZED VIEW IF EXISTS rt_view;
DROP TABLE rt, rt_stock, rt_made, rt_filled, rt_returned;
