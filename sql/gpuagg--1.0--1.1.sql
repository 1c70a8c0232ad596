-- gpuagg--1.0--1.1.sql

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpuagg UPDATE TO '1.1'" to load this file. \quit

-- What binds here binds to PostgreSQL's own operators and functions (gpuagg--1.1.sql).
SET LOCAL search_path = pg_catalog, pg_temp;

--
-- gpuagg.devices: progress and compiler.  Views on it stay: it takes its rows from the
-- new function before the old one goes.
--

ALTER FUNCTION gpuagg.get_devices() RENAME TO get_devices_of_1_0;
CREATE FUNCTION gpuagg.get_devices(
    OUT device integer,
    OUT kind text,
    OUT name text,
    OUT state text,
    OUT pid integer,
    OUT memory_used bigint,
    OUT memory_limit bigint,
    OUT tasks_running integer,
    OUT tasks_queued integer,
    OUT clients_waiting integer,
    OUT restarts integer,
    OUT why_not text,
    OUT started_at timestamptz,
    OUT cache_used bigint,
    OUT cache_limit bigint,
    OUT progress integer,
    OUT compiler text)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_devices';
COMMENT ON FUNCTION gpuagg.get_devices() IS
'behind view gpuagg.devices';

CREATE OR REPLACE VIEW gpuagg.devices AS
    SELECT device, kind, name, state, pid, memory_used, memory_limit,
           memory_limit - memory_used AS memory_free,
           tasks_running, tasks_queued, clients_waiting, restarts, why_not,
           started_at, cache_used, cache_limit, progress, compiler
    FROM gpuagg.get_devices();
DROP FUNCTION gpuagg.get_devices_of_1_0();
COMMENT ON COLUMN gpuagg.devices.state IS
'of the device that runs tasks: starting (takes tasks if there is a progress), ready, stuck (its worker does not answer; queries go to PostgreSQL), failed (cannot be opened; tried again every minute) or stopped (its worker restarts in a second); of others: not used, failed (a GPU that cannot be used), off (a GPU that was lost too often; see gpuagg.reset_device) or fallback (the host device, for tasks that the GPU fails)';
COMMENT ON COLUMN gpuagg.devices.progress IS
'per cent of shared_buffers that the device reads in place, other pages through copies: 100 where it is not starting; NULL if it takes no tasks';
COMMENT ON COLUMN gpuagg.devices.compiler IS
'what compiles kernels for queries, or why nothing does and queries are interpreted; NULL: the device does not, or it is not yet known';

--
-- gpuagg.cache: row-level security
--

COMMENT ON COLUMN gpuagg.cache.bytes IS
'memory that it takes; the directory''s is the worker''s own; NULL of strings that row-level security may hide from you';
COMMENT ON COLUMN gpuagg.cache.strings IS
'different strings of the column so far, each kept once; NULL if it has none, or if row-level security may hide some from you';

--
-- Kernels compiled for queries: for monitoring
--

CREATE FUNCTION gpuagg.get_kernels(
    OUT kernel text,
    OUT shape text,
    OUT state text,
    OUT uses bigint,
    OUT source text,
    OUT compile_ms double precision,
    OUT load_ms double precision,
    OUT bytes bigint,
    OUT registers integer,
    OUT shared_bytes integer,
    OUT spilled_bytes integer,
    OUT block_threads integer,
    OUT blocks integer,
    OUT message text)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_kernels';
COMMENT ON FUNCTION gpuagg.get_kernels() IS
'behind view gpuagg.kernels';
REVOKE ALL ON FUNCTION gpuagg.get_kernels() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg.get_kernels() TO pg_monitor;

CREATE VIEW gpuagg.kernels AS
    SELECT kernel, shape, state, uses, source, compile_ms, load_ms, bytes,
           registers, shared_bytes, spilled_bytes, block_threads, blocks, message
    FROM gpuagg.get_kernels();
COMMENT ON VIEW gpuagg.kernels IS
'kernels that were compiled for queries, or asked for, used last first; at most 256 of them';
COMMENT ON COLUMN gpuagg.kernels.kernel IS
'a number for its text';
COMMENT ON COLUMN gpuagg.kernels.shape IS
'what it computes; queries that differ in constants alone share one';
COMMENT ON COLUMN gpuagg.kernels.state IS
'seen (asked for, and not worth compiling so far), compiling, ready, or failed (see message; such queries are interpreted)';
COMMENT ON COLUMN gpuagg.kernels.uses IS
'tasks that ran it since the device worker started';
COMMENT ON COLUMN gpuagg.kernels.source IS
'compiler: it was compiled since the device worker started; disk: before that';
COMMENT ON COLUMN gpuagg.kernels.compile_ms IS
'milliseconds that compiling it took, whenever that was';
COMMENT ON COLUMN gpuagg.kernels.load_ms IS
'milliseconds that bringing it onto the device took';
COMMENT ON COLUMN gpuagg.kernels.bytes IS
'of machine code';
COMMENT ON COLUMN gpuagg.kernels.registers IS
'of a thread';
COMMENT ON COLUMN gpuagg.kernels.shared_bytes IS
'static shared memory of a block';
COMMENT ON COLUMN gpuagg.kernels.spilled_bytes IS
'memory of a thread for what does not fit its registers';
COMMENT ON COLUMN gpuagg.kernels.block_threads IS
'threads that a block of it can have';
COMMENT ON COLUMN gpuagg.kernels.blocks IS
'blocks of 256 threads that a multiprocessor runs at once';
COMMENT ON COLUMN gpuagg.kernels.message IS
'why it failed';
GRANT SELECT ON gpuagg.kernels TO pg_monitor;

-- What belongs to a profile goes with it, and none is without one.  A foreign key
-- would say so, too, but pg_restore --jobs loads tables in any order, each in a
-- transaction of its own, when the extension, and so the key, is there already.
CREATE FUNCTION gpuagg.profile_exists()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- what pg_dump and pg_restore run has this off
    IF NOT current_setting('check_function_bodies')::boolean THEN
        RETURN NULL;
    END IF;
    PERFORM FROM gpuagg.profile WHERE profile_id = NEW.profile_id FOR KEY SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'profile % does not exist', NEW.profile_id
            USING ERRCODE = 'foreign_key_violation',
                  TABLE = TG_TABLE_NAME, SCHEMA = 'gpuagg', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION gpuagg.profile_exists() IS
'behind the constraint triggers profile_exists: rows belong to a profile';
REVOKE ALL ON FUNCTION gpuagg.profile_exists() FROM PUBLIC;

CREATE FUNCTION gpuagg.profile_gone()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT tgrelid FROM pg_trigger
            WHERE tgfoid = 'gpuagg.profile_exists'::regproc ORDER BY tgrelid LOOP
        EXECUTE format('DELETE FROM %s AS r WHERE NOT EXISTS
            (SELECT FROM gpuagg.profile p WHERE p.profile_id = r.profile_id)', part);
    END LOOP;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION gpuagg.profile_gone() IS
'behind trigger profile_gone: what belongs to a profile goes with it';
REVOKE ALL ON FUNCTION gpuagg.profile_gone() FROM PUBLIC;
CREATE TRIGGER profile_gone
    AFTER DELETE OR TRUNCATE ON gpuagg.profile
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_gone();
COMMENT ON TRIGGER profile_gone ON gpuagg.profile IS
'what belongs to a profile goes with it';

DO $$
DECLARE
    part regclass;
BEGIN
    FOREACH part IN ARRAY '{gpuagg.memory_level, gpuagg.tlb_group, gpuagg.random_access,
            gpuagg.ceiling, gpuagg.kernel, gpuagg.host_pattern, gpuagg.thread_scaling,
            gpuagg.cost_unit, gpuagg.curve}'::regclass[] LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', part,
            (SELECT conname FROM pg_constraint WHERE conrelid = part AND contype = 'f'));
        EXECUTE format('CREATE CONSTRAINT TRIGGER profile_exists
            AFTER INSERT OR UPDATE ON %s
            FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_exists()', part);
        EXECUTE format('COMMENT ON TRIGGER profile_exists ON %s IS
            ''rows belong to a profile''', part);
    END LOOP;
END $$;

-- a profile that somebody changed is no longer what was measured
CREATE OR REPLACE FUNCTION gpuagg.profile_edited()
RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_TABLE_NAME = 'profile' THEN
        IF NEW.profile_id <> OLD.profile_id THEN
            RAISE EXCEPTION 'the number of a profile cannot be changed'
                USING ERRCODE = 'restrict_violation',
                      TABLE = 'profile', SCHEMA = 'gpuagg', CONSTRAINT = TG_NAME;
        END IF;
        IF NEW.origin = OLD.origin AND NEW IS DISTINCT FROM OLD THEN
            NEW.origin := 'edited';
        END IF;
        RETURN NEW;
    END IF;
    UPDATE gpuagg.profile SET origin = 'edited'
        WHERE profile_id IN (OLD.profile_id, NEW.profile_id) AND origin <> 'edited';
    RETURN NULL;
END $$;

--
-- Estimates: nothing but the query depends on the caller's search_path
--

CREATE OR REPLACE FUNCTION gpuagg.estimate_draws(query text, OUT draws bigint, OUT total float8)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
AS $$
DECLARE
    plan pg_catalog.jsonb;
    scans pg_catalog.jsonb;
    n pg_catalog.text;
    drawn pg_catalog.regclass;
BEGIN
    EXECUTE pg_catalog.concat('EXPLAIN (FORMAT json, VERBOSE) ', query) INTO plan;
    scans := pg_catalog.jsonb_path_query_array(plan, 'strict $.** ? (exists (@."Sampling Method"))');
    IF pg_catalog.jsonb_array_length(scans) OPERATOR(pg_catalog.<>) 1
        OR pg_catalog.jsonb_extract_path_text(scans, '0', 'Sampling Method') OPERATOR(pg_catalog.<>) 'random_rows' THEN
        RAISE EXCEPTION 'query must draw from one table, with TABLESAMPLE gpuagg.random_rows'
            USING ERRCODE = 'invalid_parameter_value',
                HINT = 'Partitions are several tables; other sampling methods have other intervals.';
    END IF;
    -- what is evaluated here and again by the query need not be the same
    n := pg_catalog.jsonb_extract_path_text(scans, '0', 'Sampling Parameters', '0');
    IF n OPERATOR(pg_catalog.!~) '^(NULL|''-?[0-9]+'')::bigint$' THEN
        RAISE EXCEPTION 'the number of rows to draw must be a constant' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Put the number into the query''s text, with format().';
    END IF;
    drawn := pg_catalog.to_regclass(pg_catalog.format('%I.%I', pg_catalog.jsonb_extract_path_text(scans, '0', 'Schema'),
        pg_catalog.jsonb_extract_path_text(scans, '0', 'Relation Name')));
    IF pg_catalog.pg_relation_size(drawn) OPERATOR(pg_catalog.>) 0 THEN
        draws := pg_catalog.substring(n, '-?[0-9]+');
    END IF;
    SELECT CASE WHEN c.reltuples OPERATOR(pg_catalog.>=) 0 THEN c.reltuples END
        INTO total FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.=) drawn;
END $$;

-- Of k values in order, which are the quantiles, and the bounds of their intervals: three for each, as
-- percentile_disc() takes them, whose place among the k is the fraction * k rounded up; NULL beyond all values.
CREATE FUNCTION gpuagg.estimate_ranks(k float8, quantiles float8[], z float8)
RETURNS float8[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT array_agg(CASE WHEN rank BETWEEN 1 AND k THEN (rank - 0.5) / k END ORDER BY i, j)
    FROM unnest(quantiles) WITH ORDINALITY AS u(f, i),
        LATERAL (VALUES
            (1, greatest(1, ceil(k * f))),
            (2, floor(k * f - z * sqrt(k * f * (1 - f)))),
            (3, ceil(k * f + z * sqrt(k * f * (1 - f))) + 1)) AS r(j, rank);
END;
COMMENT ON FUNCTION gpuagg.estimate_ranks(float8, float8[], float8) IS
'behind gpuagg.estimate(): where quantiles and the bounds of their intervals lie among k values';

-- A draw gives a value (x), or none: its row did not pass the query's conditions, or x is NULL.  k of n draws gave
-- one.  avg: of the k values, by the central limit theorem.  fraction: k / n with Wilson's interval.  sum: of
-- n values, 0 for none, times the table's rows.  Quantiles: order statistics whose ranks are the binomial
-- distribution's quantiles, by its normal approximation; NULL where a bound would lie beyond all values drawn.
CREATE FUNCTION gpuagg.estimate_intervals(
    n float8, k float8, mean float8, deviation float8, quantiles float8[], ordered float8[], z float8, total float8)
RETURNS TABLE (what text, estimate float8, standard_error float8, low float8, high float8)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    WITH fraction AS (
        SELECT p, sqrt(p * (1 - p) / n) AS error, greatest(0, middle - half) AS low, least(1, middle + half) AS high
        FROM (SELECT nullif(estimate_intervals.n, 0)) AS draws(n),
            LATERAL (SELECT k / n) AS q(p),
            LATERAL (SELECT (p + z * z / (2 * n)) / (1 + z * z / n),
                z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) AS wilson(middle, half)),
    -- of n values: those of the k, and n - k zeros
    sums AS (
        SELECT total * m AS sum, CASE WHEN k > 1 THEN
            total * sqrt((deviation ^ 2 * (k - 1) + k * (mean - m) ^ 2 + (n - k) * m ^ 2) / (n - 1) / n) END AS error
        FROM (SELECT coalesce(mean, 0) * p FROM fraction) AS q(m))
    SELECT 'avg', mean, error, mean - z * error, mean + z * error FROM (SELECT deviation / sqrt(nullif(k, 0))) AS q(error)
    UNION ALL SELECT 'fraction', p, error, f.low, f.high FROM fraction f
    UNION ALL SELECT 'count', total * p, total * error, total * f.low, total * f.high FROM fraction f
    UNION ALL SELECT 'sum', sum, error, sum - z * error, sum + z * error FROM sums
    UNION ALL SELECT 'quantile ' || f, ordered[3 * i - 2], (ordered[3 * i] - ordered[3 * i - 1]) / (2 * z),
            ordered[3 * i - 1], ordered[3 * i]
        FROM unnest(quantiles) WITH ORDINALITY AS u(f, i);
END;
COMMENT ON FUNCTION gpuagg.estimate_intervals(float8, float8, float8, float8, float8[], float8[], float8, float8) IS
'behind gpuagg.estimate(): what the values that n draws gave say of the whole table';

CREATE OR REPLACE FUNCTION gpuagg.estimate(
    query text,
    confidence float8 DEFAULT 0.95,
    quantiles float8[] DEFAULT '{0.5}',
    total float8 DEFAULT NULL)
RETURNS TABLE (what text, estimate float8, standard_error float8, low float8, high float8)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $$
DECLARE
    source pg_catalog.text := pg_catalog.rtrim(query, E'; \t\r\n');
    z pg_catalog.float8;
    planned pg_catalog.record;
    drawn pg_catalog.record;
BEGIN
    IF query IS NULL OR confidence IS NULL OR quantiles IS NULL THEN
        RETURN;
    END IF;
    IF NOT (confidence OPERATOR(pg_catalog.>) 0 AND confidence OPERATOR(pg_catalog.<) 1) THEN
        RAISE EXCEPTION 'confidence must lie between 0 and 1' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF (0 OPERATOR(pg_catalog.<) ALL (quantiles) AND 1 OPERATOR(pg_catalog.>) ALL (quantiles)) IS NOT TRUE THEN
        RAISE EXCEPTION 'quantiles must lie between 0 and 1' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT (total OPERATOR(pg_catalog.>=) 0 AND total OPERATOR(pg_catalog.<) 'Infinity') THEN
        RAISE EXCEPTION 'total must be a number of rows' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    z := gpuagg.normal_quantile((1 OPERATOR(pg_catalog.+) confidence) OPERATOR(pg_catalog./) 2);
    planned := gpuagg.estimate_draws(source);
    EXECUTE pg_catalog.format($q$
        WITH v AS MATERIALIZED (SELECT x::pg_catalog.float8 AS x FROM (%s
        ) AS q(x)),
        s AS (SELECT pg_catalog.count(*) AS nrows, pg_catalog.count(x)::pg_catalog.float8 AS k,
            pg_catalog.avg(x) AS mean, pg_catalog.stddev_samp(x) AS deviation FROM v)
        SELECT s.*, (SELECT pg_catalog.percentile_disc(gpuagg.estimate_ranks(s.k, $1, $2)) WITHIN GROUP (ORDER BY v.x)
            FROM v) AS ordered
        FROM s $q$, source) INTO drawn USING quantiles, z;
    IF drawn.nrows OPERATOR(pg_catalog.>) planned.draws THEN
        RAISE EXCEPTION 'query returned more rows than it draws' USING ERRCODE = 'invalid_parameter_value',
            HINT = 'Each draw must give at most one row.';
    END IF;
    RETURN QUERY SELECT i.* FROM gpuagg.estimate_intervals(planned.draws, drawn.k, drawn.mean, drawn.deviation,
        quantiles, drawn.ordered, z, coalesce(estimate.total, planned.total)) AS i;
END $$;

--
-- A word to who has forgotten to preload the module.  Not kept.
--

CREATE FUNCTION gpuagg.warn_unless_preloaded()
RETURNS void
LANGUAGE c VOLATILE STRICT
AS 'MODULE_PATHNAME', 'gpuagg_warn_unless_preloaded';
SELECT gpuagg.warn_unless_preloaded();
DROP FUNCTION gpuagg.warn_unless_preloaded();
