--
-- How many rows a grouping on the device offers to what stands above it in the query: how many
-- there were when it ran last makes the device cheaper, but no join above it a nested loop.
--
\a
\t on
SET max_parallel_workers_per_gather = 0;
SET gpuagg.debug_require = 'prefer';
CREATE TABLE ra (week int4 NOT NULL, store int4 NOT NULL, v int4 NOT NULL) WITH (autovacuum_enabled = off);
-- 250 weeks and 250 stores, but 500 of both
INSERT INTO ra SELECT i % 250, (i % 250 + i / 250 % 2) % 250, i FROM generate_series(1, 60000) i;
VACUUM ANALYZE ra;
CREATE TABLE ra_store AS SELECT i AS id, 'store ' || i AS name FROM generate_series(0, 249) i;
CREATE TABLE ra_week AS SELECT i / 7 AS week, i / 30 AS month FROM generate_series(0, 1749) i;
ANALYZE ra_store;
ANALYZE ra_week;
CREATE FUNCTION ra_joins(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (SELECT string_agg(DISTINCT x #>> '{}', ', ') FROM jsonb_path_query(plan, 'strict $.**."Node Type"') x WHERE x #>> '{}' ~ 'Join|Loop|Custom');
END $$;
CREATE FUNCTION ra_query() RETURNS text LANGUAGE sql AS $$
SELECT 'WITH w AS (SELECT week, store, sum(v) AS s FROM ra GROUP BY week, store)
	SELECT count(*), sum(a.s - b.s)
	FROM (SELECT w.week, store, name, s FROM w, ra_store, ra_week d WHERE store = id AND d.week = w.week AND month BETWEEN 10 AND 21 AND s BETWEEN 1 AND 1000000000) a,
		(SELECT w.week, store, name, s FROM w, ra_store, ra_week d WHERE store = id AND d.week = w.week AND month BETWEEN 22 AND 33 AND s BETWEEN 1 AND 1000000000) b
	WHERE a.store = b.store AND a.week = b.week - 52'
$$;
SELECT ra_joins(ra_query());
SELECT count(*), sum(s) FROM (SELECT week, store, sum(v) AS s FROM ra GROUP BY week, store OFFSET 0) w;
SELECT ra_joins(ra_query());
RESET ALL;
DROP TABLE ra, ra_store, ra_week;
DROP FUNCTION ra_joins, ra_query;
