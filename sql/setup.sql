--
-- The extension, and what the other files test with.
--
CREATE EXTENSION gpuagg;

-- Plans are those of the profile, whatever ran before on whatever machine.
DO $$ BEGIN
	EXECUTE format('ALTER DATABASE %I SET gpuagg.learn_costs = off', current_database());
END $$;

-- Are these floats equal, or as close as sums in another order may be?
CREATE FUNCTION floats_agree(a float8[], b float8[], tolerance float8)
RETURNS bool IMMUTABLE LANGUAGE sql AS $$
	SELECT coalesce(bool_and(coalesce(
			   x IS NOT DISTINCT FROM y OR
			   abs(x) < 'inf' AND abs(y) < 'inf' AND
			   abs(x - y) <= tolerance * greatest(abs(x), abs(y)), false)),
			   true)
	FROM unnest(a, b) AS u(x, y)
$$;

-- The same for the same rows in any order.
CREATE FUNCTION checksum_of(rows text[]) RETURNS numeric LANGUAGE sql AS $$
	SELECT sum(hashtextextended(r, 0)) FROM unnest(rows) AS r
$$;

-- What differs between two sets of rows; NULL: nothing.
CREATE FUNCTION differences(stock text[], device text[]) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(what || ' ' || left(r, 300), E'\n')
	FROM (SELECT * FROM
			  ((SELECT 'stock only:' AS what, r FROM unnest(stock) AS r
				EXCEPT ALL SELECT 'stock only:', r FROM unnest(device) AS r)
			   UNION ALL
			   (SELECT 'device only:', r FROM unnest(device) AS r
				EXCEPT ALL SELECT 'device only:', r FROM unnest(stock) AS r)) x
		  ORDER BY r, what LIMIT 6) y
	WHERE checksum_of(stock) IS DISTINCT FROM checksum_of(device)
$$;

-- The same, but numbers may be off by a relative tolerance.
CREATE FUNCTION differences(stock text[], device text[], tolerance float8) RETURNS text
LANGUAGE sql AS $$
	WITH split AS (
		SELECT which, r, regexp_replace(r, number, '?', 'g') AS k,
			   ARRAY(SELECT m[1]::float8 FROM regexp_matches(r, number, 'g') m) AS f
		FROM (SELECT 's' AS which, unnest(stock) AS r
			  UNION ALL SELECT 'd', unnest(device)) x,
			 (VALUES ('(-?[0-9]+(?:[.][0-9]+)?(?:e[-+][0-9]+)?)')) v(number)),
	numbered AS (
		SELECT *, row_number() OVER (PARTITION BY which ORDER BY k COLLATE "C", f) AS n FROM split)
	SELECT string_agg(format('stock: %s device: %s', s.r, d.r), E'\n')
	FROM (SELECT * FROM numbered WHERE which = 's') s
		 FULL JOIN (SELECT * FROM numbered WHERE which = 'd') d USING (n)
	WHERE s.k IS DISTINCT FROM d.k OR NOT floats_agree(s.f, d.f, tolerance)
$$;

-- Runs a query and gives its rows as text, or its SQLSTATE and message.
CREATE FUNCTION run_query(query text, OUT error text, OUT result text[])
LANGUAGE plpgsql AS $$
DECLARE
	state text;
	detail text;
BEGIN
	EXECUTE format('SELECT ARRAY(SELECT q::text FROM (%s) AS q)', query) INTO result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE,
		error = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	-- 19 says so of functions that are not there
	error := concat_ws(' ', state, error, nullif(nullif(detail, ''), 'No function of that name accepts the given argument types.'));
END
$$;

-- Does the query's plan hold a GpuAgg node under the settings of the moment?
CREATE FUNCTION plans_gpuagg(query text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%GpuAgg%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END
$$;

-- The GpuAgg node of a query's plan, as EXPLAIN (ANALYZE) has it; the caller has settings that
-- plan one.
CREATE FUNCTION node_that_ran(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuAgg")');
END
$$;

-- Make PostgreSQL's own ways of grouping too dear, for this transaction (or
-- calling function) or for the session.
CREATE FUNCTION prefer_device(local bool DEFAULT true) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.enable', 'on', local),
			set_config('gpuagg.debug_require', 'prefer', local),
			set_config('cpu_tuple_cost', '10', local),
			set_config('cpu_operator_cost', '100', local),
			set_config('max_parallel_workers_per_gather', '0', local),
			set_config('jit', 'off', local);
END
$$;

-- Run query with gpuagg off and on and compare rows (as text, so that 1.0 and
-- 1.00 differ) or errors.  mode:
--	require		every grouping step must be planned on the device and must
--				not fall back (but may raise PostgreSQL's errors)
--	prefer		the plan must hold a GpuAgg node, which may fall back
--	try			as prefer, but the answer only tells which plan it was
--	any			whatever is planned
-- tolerance, if given, is what numbers may be off by, relatively.
CREATE FUNCTION compare(query text, mode text DEFAULT 'require',
						tolerance float8 DEFAULT NULL) RETURNS text
LANGUAGE plpgsql
SET gpuagg.enable = off
SET gpuagg.debug_require = 'allow'
SET cpu_tuple_cost FROM CURRENT
SET cpu_operator_cost FROM CURRENT
SET max_parallel_workers_per_gather FROM CURRENT
SET jit FROM CURRENT
SET client_min_messages = warning
AS $$
DECLARE
	stock record;
	device record;
	diff text;
	ok text := 'ok';
	n int8;
BEGIN
	stock := run_query(query);
	IF mode = 'require' THEN
		SET LOCAL gpuagg.enable = on;
		SET LOCAL gpuagg.debug_require = 'require';
	ELSIF mode IN ('prefer', 'try') THEN
		PERFORM prefer_device();
		IF stock.error IS NULL AND NOT plans_gpuagg(query) THEN
			IF mode = 'prefer' THEN
				RETURN 'NOT PLANNED on the device';
			END IF;
			ok := 'ok, not on the device';
		END IF;
	ELSE
		SET LOCAL gpuagg.enable = on;
	END IF;
	device := run_query(query);
	SET LOCAL gpuagg.enable = off;
	SET LOCAL gpuagg.debug_require = 'allow';
	IF stock.error IS NOT NULL OR device.error IS NOT NULL THEN
		IF stock.error IS NOT DISTINCT FROM device.error THEN
			RETURN 'same error: ' || stock.error;
		END IF;
		RETURN format('DIFFERENT ERRORS: stock: %s device: %s',
					  coalesce(stock.error, 'none'), coalesce(device.error, 'none'));
	END IF;
	IF tolerance IS NULL THEN
		diff := differences(stock.result, device.result);
	ELSE
		diff := differences(stock.result, device.result, tolerance);
	END IF;
	IF diff IS NOT NULL THEN
		RETURN E'DIFFERENT ROWS:\n' || diff;
	END IF;
	n := cardinality(stock.result);
	RETURN format('%s: %s row%s', ok, n, CASE WHEN n = 1 THEN '' ELSE 's' END);
END
$$;

-- What EXPLAIN shows, in the words of every version: since 17 init plans have other names; since 18
-- rows are shown with decimals, nodes tell of searches of an index and whether they are disabled, ANALYZE tells of buffers unasked,
-- and planning of its own.
CREATE FUNCTION explained(statement text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	IF statement !~ 'BUFFERS' THEN
		statement := replace(statement, '(ANALYZE,', '(ANALYZE, BUFFERS OFF,');
	END IF;
	FOR line IN EXECUTE statement LOOP
		EXIT WHEN line = 'Planning:';
		CONTINUE WHEN line ~ '^ *Index Searches: ';
		line := replace(line, 'unnamed_subquery', '"*SELECT*"');
		line := regexp_replace(line, '(InitPlan|SubPlan) [a-z]+_(\d+)', '\1 \2', 'g');
		line := regexp_replace(line, 'InitPlan \d+\M( \(returns \$\d+\))?(?!\))', 'InitPlan', 'g');
		line := regexp_replace(line, '\$\d+|\(InitPlan \d+\)\.col\d+', '(InitPlan)', 'g');
		line := regexp_replace(line, '\(ANY \([^()]+ = (\(hashed SubPlan \d+\))\.col\d+\)\)', '\1', 'g');
		line := regexp_replace(line, '\n *["<]?Disabled[^\n]*', '', 'g');
		RETURN NEXT regexp_replace(line, '(actual rows=\d+)\.00', '\1', 'g');
	END LOOP;
END $$;

-- The error of a query whose plan has a GpuAgg node; NULL: none.
CREATE FUNCTION device_error(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.enable FROM CURRENT
SET gpuagg.debug_require FROM CURRENT
SET cpu_tuple_cost FROM CURRENT
SET cpu_operator_cost FROM CURRENT
SET max_parallel_workers_per_gather FROM CURRENT
SET jit FROM CURRENT
AS $$
BEGIN
	PERFORM prefer_device();
	IF NOT plans_gpuagg(query) THEN
		RETURN 'NOT PLANNED on the device';
	END IF;
	RETURN (run_query(query)).error;
END
$$;

-- A query that no device takes: it must run as ever with gpuagg on, must not
-- be planned on a device however cheap that looks, and the reasons are told.
CREATE FUNCTION refused(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.debug_require = 'forbid'
SET client_min_messages = warning
AS $$
DECLARE
	answer text;
BEGIN
	answer := (run_query(query)).error;
	IF answer IS NOT NULL THEN
		RETURN 'ERROR: ' || answer;
	END IF;
	SET LOCAL gpuagg.debug_require = 'allow';
	answer := compare(query, 'try');
	IF answer NOT LIKE 'ok%' THEN
		RETURN answer;
	END IF;
	-- or the device groups rows that PostgreSQL's plan gives
	SELECT CASE WHEN answer LIKE 'ok, not on the device%' THEN '' ELSE 'rows of a plan: ' END ||
		   coalesce(string_agg(w::text, E'\n' ORDER BY w::text COLLATE "C"), 'NO REASON')
	INTO answer FROM gpuagg.why_not(query) AS w;
	RETURN answer;
END
$$;
