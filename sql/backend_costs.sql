--
-- What the backend does with the device's groups is predicted: it sorts values for percentiles, and
-- reads the documents that it computes of.
--
SET max_parallel_workers_per_gather = 0;
SET gpuagg.debug_require = 'require';
CREATE TABLE bc (q int4 NOT NULL, v float8 NOT NULL, n numeric(12,2) NOT NULL, short jsonb NOT NULL, long jsonb NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO bc SELECT i % 4, i, i, jsonb_build_object('a', i), jsonb_build_object('a', i, 'pad', repeat(md5(i::text), 12)) FROM generate_series(1, 40000) i;
VACUUM ANALYZE bc;
CREATE FUNCTION bc_ms(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json, VERBOSE) ' || query INTO plan;
	RETURN (plan->0->'Plan'->>'Predicted Time')::float8;
END $$;
-- 40000 values of 4 groups: beside the same groups of the device, which are only counted
CREATE TABLE bc_base AS SELECT bc_ms('SELECT q, count(DISTINCT v + 0) FROM bc GROUP BY q') AS ms;
SET gpuagg.debug_regroup = off;
SET work_mem = '64MB';
SELECT bc_ms('SELECT q, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM bc GROUP BY q') AS words,
	bc_ms('SELECT q, mode() WITHIN GROUP (ORDER BY n) FROM bc GROUP BY q') AS numerics \gset
SET work_mem = '64kB';
SELECT bc_ms('SELECT q, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM bc GROUP BY q') AS tuples,
	bc_ms('SELECT q, percentile_cont(0.5) WITHIN GROUP (ORDER BY v), percentile_cont(0.5) WITHIN GROUP (ORDER BY v DESC) FROM bc GROUP BY q') AS two \gset
RESET work_mem;
RESET gpuagg.debug_regroup;
SELECT :words > 1.5 * ms AS words, :tuples > 3 * :words AS tuples, :numerics > :tuples AS numerics, :two > 1.5 * :tuples AS two FROM bc_base;
-- where the device sorts, as the host does, and returns few of them, that is cheaper, but not nothing
SELECT bc_ms('SELECT q, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM bc GROUP BY q') BETWEEN 1.0001 * ms AND CASE WHEN kind = 'host' THEN 0.9 ELSE 1.001 END * :words AS by_device,
	bc_ms('SELECT q, mode() WITHIN GROUP (ORDER BY v) FROM bc GROUP BY q') BETWEEN 0.1 * ms AND CASE WHEN kind = 'host' THEN 0.9 ELSE 1.001 END * :words AS mode FROM bc_base, gpuagg.devices WHERE state = 'ready';
-- a document is as dear as it is long
SELECT bc_ms('SELECT long->>''a'', count(*) FROM bc GROUP BY 1') > 2 * bc_ms('SELECT short->>''a'', count(*) FROM bc GROUP BY 1') AS long_documents;
RESET ALL;
DROP TABLE bc, bc_base;
DROP FUNCTION bc_ms;
