--
-- Numerics that are known when execution starts: parameters and results of sub-selects in arithmetic.
--
\a
\t on
CREATE TABLE np (id int, g int, price numeric(12, 2), own numeric, q int);
INSERT INTO np SELECT i, i % 7, CASE WHEN i % 11 > 0 THEN (i % 5000) / 100.0 END, round((i % 300) / 7.0, i % 3), i % 9 FROM generate_series(1, 3000) i;
VACUUM ANALYZE np;
SET plan_cache_mode = force_generic_plan;
-- a prepared statement's rows for a value, and whether they are PostgreSQL's, digit for digit
CREATE FUNCTION answers(name text, value text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('EXECUTE %I(%s)', name, value);
EXCEPTION WHEN data_exception THEN
	RETURN NEXT SQLERRM;
END $$;
CREATE FUNCTION agree(name text, mode text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	device text[];
	stock text[];
BEGIN
	PERFORM set_config('gpuagg.debug_require', mode, true);
	device := ARRAY(SELECT answers(name, value));
	PERFORM set_config('gpuagg.debug_require', 'allow', true), set_config('gpuagg.enable', 'off', true);
	stock := ARRAY(SELECT answers(name, value));
	PERFORM set_config('gpuagg.enable', 'on', true);
	RETURN CASE WHEN device = stock THEN 'ok ' || cardinality(stock) ELSE concat('DIFFERENT: ', stock, ' ', device) END;
END $$;
PREPARE np_sum(numeric) AS SELECT concat_ws(' ', g, sum($1 * price), sum(price * $1), sum(price + $1), sum($1 - own), avg(price * $1), max(own * $1)) FROM np GROUP BY g ORDER BY g;
PREPARE np_net(numeric) AS SELECT concat_ws(' ', g, sum(q * price * (1 - $1)), sum(round(price * (1 + $1), 2)), sum(price % ($1 + 1000000)), sum(-$1)) FROM np GROUP BY g ORDER BY g;
PREPARE np_case(numeric) AS SELECT concat_ws(' ', g, sum(CASE WHEN q > 4 THEN $1 ELSE price END), sum(COALESCE(price, $1)), max(GREATEST(price, $1)), min(LEAST(own, $1)), count(NULLIF(price, $1)), sum($1::numeric(8, 3) * price)) FROM np GROUP BY g ORDER BY g;
PREPARE np_key(numeric) AS SELECT concat_ws(' ', q * $1, count(*), count(DISTINCT price * $1), stddev(price * $1), avg(price + $1) FILTER (WHERE price * $1 > 20)) FROM np GROUP BY q * $1 ORDER BY q * $1;
PREPARE np_where(numeric) AS SELECT concat_ws(' ', g, count(*)) FROM np WHERE price * $1 > 3 AND price IN ($1, 2 * $1, 7) IS NOT TRUE GROUP BY g ORDER BY g;
-- on the device
SELECT s, v, agree(s, 'require', v) FROM unnest(ARRAY['np_sum', 'np_net', 'np_case', 'np_key', 'np_where']) s, unnest(ARRAY['0.19', '0', '-3.1400', 'NULL', '12345']) v;
-- more decimals, what is no number or large: PostgreSQL's before a page is read
SELECT s, v, agree(s, 'prefer', v) FROM unnest(ARRAY['np_sum', 'np_net', 'np_case', 'np_key', 'np_where']) s, unnest(ARRAY['0.1234567', '''NaN''', '''-inf''', '1e20', '1e-20']) v;
SET gpuagg.debug_require = 'require';
EXPLAIN (COSTS OFF) EXECUTE np_net(0.19);
SELECT prefer_device(false);
CREATE FUNCTION reasons(name text, value text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE %I(%s)', name, value) LOOP
		IF line ~ 'Fallback Reason' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
PREPARE np_rate(numeric) AS SELECT concat_ws(' ', g, sum(price * $1)) FROM np GROUP BY g;
SELECT s, v, reasons(s, v) FROM (VALUES ('np_net', '0.1234'), ('np_net', '0.12345'), ('np_rate', '1.084325'), ('np_rate', '1.0843251')) x(s, v);
-- a declared scale has its own room, in PL/pgSQL too
CREATE FUNCTION taxed(rate numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	exact numeric(10, 7) := rate;
BEGIN
	RETURN (SELECT sum(price * exact) FROM np);
END $$;
SET gpuagg.debug_require = 'require';
SELECT taxed(0.1234567), taxed(1);
SET gpuagg.debug_require = 'allow';
SET gpuagg.enable = off;
SELECT taxed(0.1234567), taxed(1);
RESET ALL;
DEALLOCATE ALL;
-- sub-selects: at the decimals of their columns; an average has too many, and goes by the values
SELECT q, compare(q) FROM unnest(ARRAY[
	'SELECT g, sum(price - (SELECT max(price) FROM np)), max(price * (SELECT sum(q) FROM np)) FROM np GROUP BY g',
	'SELECT g, sum(price * (SELECT min(own) FROM np WHERE own > 1)) FROM np GROUP BY g',
	'SELECT g, sum(price * (SELECT price FROM np WHERE id < 0)) FROM np GROUP BY g',
	'SELECT g, sum((price - (SELECT avg(price) FROM np)) ^ 2) FROM np GROUP BY g',
	'SELECT price - (SELECT min(price) FROM np), count(*) FROM np GROUP BY 1']) q;
DROP FUNCTION answers, agree, reasons, taxed;
DROP TABLE np;
