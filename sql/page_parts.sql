--
-- How many pages the planner expects to be fed: by the visibility map and the pages' LSNs as
-- they are now, not by what VACUUM found last.
--
SET max_parallel_workers_per_gather = 0;
SET gpuagg.debug_require = 'require';
CREATE TABLE pp (id int4, g int4, v int8, pad text) WITH (autovacuum_enabled = off, fillfactor = 40);
INSERT INTO pp SELECT i, i % 10, i, repeat('x', 60) FROM generate_series(1, 60000) i;
VACUUM ANALYZE pp;
CREATE FUNCTION pp_node(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, 'strict $.** ? (@."Custom Plan Provider" == "GpuAgg")');
END $$;
-- tenths of all pages: the time of feeding beside what it takes where none is kept and all are all-visible
CREATE TABLE pp_all (ms float8);
CREATE FUNCTION pp_fed(query text) RETURNS float8 LANGUAGE sql AS $$
	SELECT round((pp_node(query)->>'Predicted Feed Time')::float8 / ms * 10) FROM pp_all
$$;
INSERT INTO pp_all SELECT (pp_node('SELECT g, sum(v) FROM pp GROUP BY g')->>'Predicted Feed Time')::float8;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') AS nothing_kept;
SELECT g, sum(v) FROM pp GROUP BY g HAVING g = 1;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') AS all_kept;
-- rows of pages that are not all-visible are checked one by one, which takes longer than the page
UPDATE pp SET v = v + 1 WHERE id <= 30000;
SELECT relallvisible = relpages AS pg_class_knows_nothing FROM pg_class WHERE oid = 'pp'::regclass;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') > 5 AS half_and_checked;
-- whoever has changed them has them in shared_buffers: no disk is paid for
SET gpuagg.debug_require = 'allow';
SET seq_page_cost = 1000;
SELECT (pp_node('SELECT g, sum(v) FROM pp GROUP BY g')->>'Total Cost')::float8 < 100 * pg_relation_size('pp') / 8192 AS from_memory;
SELECT (pp_node('SELECT g, sum(v) FROM (SELECT g, v FROM pp UNION ALL SELECT g, v FROM pp WHERE false) x GROUP BY g')->>'Total Cost')::float8
	< 100 * pg_relation_size('pp') / 8192 AS from_memory;
RESET seq_page_cost;
SET gpuagg.debug_require = 'require';
-- as many for a table among others, and for a sample
SELECT pp_fed('SELECT g, sum(v) FROM (SELECT g, v FROM pp UNION ALL SELECT g, v FROM pp WHERE false) x GROUP BY g') > 5 AS half_and_checked;
SELECT pp_fed('SELECT g, sum(v) FROM pp TABLESAMPLE BERNOULLI (50) GROUP BY g') > 10 AS all_and_half_checked;
-- once they were fed they are kept, whatever VACUUM does
SELECT g, sum(v) FROM pp GROUP BY g HAVING g = 1;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') < 3 AS all_kept_half_compared;
VACUUM pp;
SELECT FROM pg_logical_emit_message(true, 'gpuagg', 'a commit, so that all before is written');
SELECT g, sum(v) FROM pp GROUP BY g HAVING g = 1;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') AS all_kept;
-- half of them, but here and there: what is fed lies behind what is kept, which takes longer
UPDATE pp SET v = v WHERE hashint4((ctid::text::point)[0]::int) % 2 = 0;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') > 20 AS half_with_gaps;
VACUUM pp;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') > 12 AS half_with_gaps;
-- VACUUM that changes nothing has no page fed again
VACUUM (FREEZE) pp;
SELECT FROM pg_logical_emit_message(true, 'gpuagg', 'a commit, so that all before is written');
SELECT g, sum(v) FROM pp GROUP BY g HAVING g = 1;
SELECT pp_fed('SELECT g, sum(v) FROM pp GROUP BY g') AS all_kept;
-- an unlogged table's map is believed, too, for its rows
CREATE UNLOGGED TABLE pp_unlogged WITH (autovacuum_enabled = off) AS SELECT * FROM pp;
VACUUM ANALYZE pp_unlogged;
SELECT pp_fed('SELECT g, sum(v) FROM pp_unlogged GROUP BY g') <= 10 AS none_checked;
RESET ALL;
DROP TABLE pp, pp_all, pp_unlogged;
DROP FUNCTION pp_node, pp_fed;
