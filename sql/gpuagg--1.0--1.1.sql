-- gpuagg--1.0--1.1.sql

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpuagg UPDATE TO '1.1'" to load this file. \quit

-- What binds here binds to PostgreSQL's own operators and functions (gpuagg--1.1.sql).
SET LOCAL search_path = pg_catalog, pg_temp;

--
-- gpuagg.devices: progress, compiler and uuid.  Views on it stay: it takes its rows from the
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
    OUT compiler text,
    OUT uuid text)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_devices';
COMMENT ON FUNCTION gpuagg.get_devices() IS
'behind view gpuagg.devices';

CREATE OR REPLACE VIEW gpuagg.devices AS
    SELECT device, kind, name, state, pid, memory_used, memory_limit,
           memory_limit - memory_used AS memory_free,
           tasks_running, tasks_queued, clients_waiting, restarts, why_not,
           started_at, cache_used, cache_limit, progress, compiler, uuid
    FROM gpuagg.get_devices();
DROP FUNCTION gpuagg.get_devices_of_1_0();
COMMENT ON COLUMN gpuagg.devices.state IS
'of the device that runs tasks: starting (takes tasks if there is a progress), ready, stuck (its worker does not answer; queries go to PostgreSQL), failed (cannot be opened; tried again every minute) or stopped (its worker restarts in a second); of others: not used, failed (a GPU that cannot be used), off (a GPU that was lost too often; see gpuagg.reset_device) or fallback (the host device, for tasks that the GPU fails)';
COMMENT ON COLUMN gpuagg.devices.progress IS
'per cent of shared_buffers that the device reads in place, other pages through copies: 100 where it is not starting; NULL if it takes no tasks';
COMMENT ON COLUMN gpuagg.devices.compiler IS
'what compiles kernels for queries, or why nothing does and queries are interpreted; NULL: the device does not, or it is not yet known';

COMMENT ON COLUMN gpuagg.devices.uuid IS
'of a GPU, as nvidia-smi tells it; NULL of others, and of one that the machine does not have';
COMMENT ON VIEW gpuagg.devices IS
'devices of this machine, one row each; those that run tasks are those that are not "not used", "off" or "fallback"';

--
-- Several GPUs: gpuagg.cache tells the device, and one worker can be started anew
--

ALTER FUNCTION gpuagg.get_cache() RENAME TO get_cache_of_1_0;
CREATE FUNCTION gpuagg.get_cache(
    OUT datid oid,
    OUT relid oid,
    OUT attnum smallint,
    OUT relfilenode oid,
    OUT extents integer,
    OUT pages bigint,
    OUT rows bigint,
    OUT bytes bigint,
    OUT strings bigint,
    OUT uses bigint,
    OUT last_use timestamptz,
    OUT note text,
    OUT device integer,
    OUT pages_valid bigint,
    OUT pinned boolean,
    OUT plain_bytes bigint)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_cache_columns';
COMMENT ON FUNCTION gpuagg.get_cache() IS
'behind view gpuagg.cache, which has those of this database: columns of all databases'' tables, by their OIDs';

CREATE OR REPLACE VIEW gpuagg.cache AS
    SELECT c.datid, d.datname, c.relid, r.oid::pg_catalog.regclass AS relation,
           c.attnum, a.attname AS column_name, c.extents, c.pages,
           pg_catalog.pg_relation_size(r.oid) OPERATOR(pg_catalog./)
               pg_catalog.current_setting('block_size')::pg_catalog.int8 AS pages_total,
           c.rows, c.bytes, c.strings, c.uses, c.last_use, c.note, c.device,
           c.pages_valid, n.nspname AS schema_name, r.relname AS table_name,
           c.pinned, c.plain_bytes
    FROM gpuagg.get_cache() c
         LEFT JOIN pg_catalog.pg_database d
         ON d.oid OPERATOR(pg_catalog.=) c.datid
         LEFT JOIN pg_catalog.pg_class r
         ON r.oid OPERATOR(pg_catalog.=) c.relid
            AND d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
         LEFT JOIN pg_catalog.pg_attribute a
         ON a.attrelid OPERATOR(pg_catalog.=) r.oid
            AND a.attnum OPERATOR(pg_catalog.=) c.attnum
         LEFT JOIN pg_catalog.pg_namespace n
         ON n.oid OPERATOR(pg_catalog.=) r.relnamespace
    WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database();
DROP FUNCTION gpuagg.get_cache_of_1_0();
COMMENT ON COLUMN gpuagg.cache.device IS
'number of the device that it is on (gpuagg.devices); of several GPUs a table may be on more than one';
COMMENT ON COLUMN gpuagg.cache.pages_valid IS
'of these pages those that a query can use now: pages that have changed since they came do not count. Of a table with pages that are not all-visible an estimate, by some of them; NULL while the table is locked';
COMMENT ON COLUMN gpuagg.cache.schema_name IS
'the table''s schema';
COMMENT ON COLUMN gpuagg.cache.table_name IS
'the table''s name';
COMMENT ON VIEW gpuagg.cache IS
'columns of this database''s tables that stay on the device between queries: of tables that you may read, and with pg_read_all_stats all';
COMMENT ON FUNCTION gpuagg.unload(regclass, name[]) IS
'drops columns of a table, with its partitions and child tables, from the device; without names all; returns the bytes that they took; for who may vacuum them';
COMMENT ON COLUMN gpuagg.cache.relation IS
'the table';
COMMENT ON COLUMN gpuagg.cache.column_name IS
'its name; NULL for 0';
COMMENT ON COLUMN gpuagg.cache.pages IS
'pages of the table whose rows are there';
COMMENT ON COLUMN gpuagg.cache.pinned IS
'whether the column is pinned (gpuagg.pin): it does not go for others';
COMMENT ON COLUMN gpuagg.cache.plain_bytes IS
'memory that it would take if nothing of it was packed; NULL where bytes is';

COMMENT ON FUNCTION gpuagg.reset_device() IS
'restarts the workers of all devices at work, with GPUs that were turned off because they had been lost too often; tasks that run are redone; true if these devices are ready again';

CREATE FUNCTION gpuagg.reset_device(device integer)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_reset_device_number';
COMMENT ON FUNCTION gpuagg.reset_device(integer) IS
'the same of one device at work, by its number in gpuagg.devices; an error if that runs no tasks';
REVOKE ALL ON FUNCTION gpuagg.reset_device(integer) FROM PUBLIC;

COMMENT ON FUNCTION gpuagg.stat_reset() IS
'sets all counters of gpuagg.stat to zero, and empties gpuagg.stat_cost, gpuagg.learned, gpuagg.stat_tables and gpuagg.stat_databases';

--
-- Counters of tables and databases: for pg_monitor
--

CREATE FUNCTION gpuagg.get_stat_tables(
    OUT datid oid,
    OUT relid oid,
    OUT runs bigint,
    OUT fallbacks bigint,
    OUT refusals bigint,
    OUT redone bigint,
    OUT rows_scanned bigint,
    OUT rows_passed bigint,
    OUT rows_evaluated bigint,
    OUT groups bigint,
    OUT pages bigint,
    OUT pages_cached bigint,
    OUT pages_kept bigint,
    OUT zones_read bigint,
    OUT zones_skipped bigint,
    OUT zones_answered bigint,
    OUT device_us bigint,
    OUT run_us bigint)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_stat_tables';
COMMENT ON FUNCTION gpuagg.get_stat_tables() IS
'behind views gpuagg.stat_tables and gpuagg.stat_databases';
REVOKE ALL ON FUNCTION gpuagg.get_stat_tables() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg.get_stat_tables() TO pg_monitor;

CREATE VIEW gpuagg.stat_tables AS
    SELECT s.datid, d.datname, s.relid,
           CASE WHEN d.datname = current_database() THEN s.relid::regclass END AS relation,
           s.runs,
           s.fallbacks,
           s.refusals,
           s.redone,
           s.rows_scanned,
           s.rows_passed,
           s.rows_evaluated,
           s.groups,
           s.pages,
           s.pages_cached,
           s.pages_kept,
           s.zones_read,
           s.zones_skipped,
           s.zones_answered,
           s.device_us::float8 / 1000 AS device_ms,
           s.run_us::float8 / 1000 AS run_ms
    FROM gpuagg.get_stat_tables() s
         LEFT JOIN pg_database d ON d.oid = s.datid
    WHERE s.relid <> 0;
COMMENT ON VIEW gpuagg.stat_tables IS
'counters of the 1024 tables that queries used last, since the server started or gpuagg.stat_reset(); of a partitioned table those of queries that name it';
COMMENT ON COLUMN gpuagg.stat_tables.datid IS
'OID of the database';
COMMENT ON COLUMN gpuagg.stat_tables.datname IS
'name of the database';
COMMENT ON COLUMN gpuagg.stat_tables.relid IS
'OID of the table';
COMMENT ON COLUMN gpuagg.stat_tables.relation IS
'the table, if it is one of this database';
COMMENT ON COLUMN gpuagg.stat_tables.runs IS
'of nodes GpuAgg and GpuSample that a device answered';
COMMENT ON COLUMN gpuagg.stat_tables.fallbacks IS
'of nodes that PostgreSQL''s plan answered instead; of these only redone and run_ms count';
COMMENT ON COLUMN gpuagg.stat_tables.refusals IS
'plannings of a grouping or a sampled scan that found no way for a device; gpuagg.why_not() tells why. Queries too small to be looked at do not count';
COMMENT ON COLUMN gpuagg.stat_tables.redone IS
'tasks that the host device ran again because a GPU had failed them';
COMMENT ON COLUMN gpuagg.stat_tables.rows_scanned IS
'visible rows that devices read';
COMMENT ON COLUMN gpuagg.stat_tables.rows_passed IS
'of these, rows that passed the filter';
COMMENT ON COLUMN gpuagg.stat_tables.rows_evaluated IS
'rows that PostgreSQL evaluated for a device';
COMMENT ON COLUMN gpuagg.stat_tables.groups IS
'that devices found';
COMMENT ON COLUMN gpuagg.stat_tables.pages IS
'heap pages that devices read';
COMMENT ON COLUMN gpuagg.stat_tables.pages_cached IS
'heap pages that need not be read, for the column cache had them';
COMMENT ON COLUMN gpuagg.stat_tables.pages_kept IS
'heap pages added to the column cache';
COMMENT ON COLUMN gpuagg.stat_tables.zones_read IS
'zones of cached columns that were asked for their limits, and read';
COMMENT ON COLUMN gpuagg.stat_tables.zones_skipped IS
'zones not read, for the filter passes none of their rows';
COMMENT ON COLUMN gpuagg.stat_tables.zones_answered IS
'zones not read, for what is known of them answers';
COMMENT ON COLUMN gpuagg.stat_tables.device_ms IS
'milliseconds that devices worked';
COMMENT ON COLUMN gpuagg.stat_tables.run_ms IS
'milliseconds until the first row could be returned, fallbacks without PostgreSQL''s plan';
GRANT SELECT ON gpuagg.stat_tables TO pg_monitor;

CREATE VIEW gpuagg.stat_databases AS
    SELECT s.datid, d.datname,
           s.runs,
           s.fallbacks,
           s.refusals,
           s.redone,
           s.rows_scanned,
           s.rows_passed,
           s.rows_evaluated,
           s.groups,
           s.pages,
           s.pages_cached,
           s.pages_kept,
           s.zones_read,
           s.zones_skipped,
           s.zones_answered,
           s.device_us::float8 / 1000 AS device_ms,
           s.run_us::float8 / 1000 AS run_ms
    FROM gpuagg.get_stat_tables() s
         LEFT JOIN pg_database d ON d.oid = s.datid
    WHERE s.relid = 0;
COMMENT ON VIEW gpuagg.stat_databases IS
'counters of the 64 databases that were used last, since the server started or gpuagg.stat_reset(): of all tables, and of queries that have none of their own (UNION ALL)';
COMMENT ON COLUMN gpuagg.stat_databases.datid IS
'OID of the database';
COMMENT ON COLUMN gpuagg.stat_databases.datname IS
'name of the database';
COMMENT ON COLUMN gpuagg.stat_databases.runs IS
'of nodes GpuAgg and GpuSample that a device answered';
COMMENT ON COLUMN gpuagg.stat_databases.fallbacks IS
'of nodes that PostgreSQL''s plan answered instead; of these only redone and run_ms count';
COMMENT ON COLUMN gpuagg.stat_databases.refusals IS
'plannings of a grouping or a sampled scan that found no way for a device; gpuagg.why_not() tells why. Queries too small to be looked at do not count';
COMMENT ON COLUMN gpuagg.stat_databases.redone IS
'tasks that the host device ran again because a GPU had failed them';
COMMENT ON COLUMN gpuagg.stat_databases.rows_scanned IS
'visible rows that devices read';
COMMENT ON COLUMN gpuagg.stat_databases.rows_passed IS
'of these, rows that passed the filter';
COMMENT ON COLUMN gpuagg.stat_databases.rows_evaluated IS
'rows that PostgreSQL evaluated for a device';
COMMENT ON COLUMN gpuagg.stat_databases.groups IS
'that devices found';
COMMENT ON COLUMN gpuagg.stat_databases.pages IS
'heap pages that devices read';
COMMENT ON COLUMN gpuagg.stat_databases.pages_cached IS
'heap pages that need not be read, for the column cache had them';
COMMENT ON COLUMN gpuagg.stat_databases.pages_kept IS
'heap pages added to the column cache';
COMMENT ON COLUMN gpuagg.stat_databases.zones_read IS
'zones of cached columns that were asked for their limits, and read';
COMMENT ON COLUMN gpuagg.stat_databases.zones_skipped IS
'zones not read, for the filter passes none of their rows';
COMMENT ON COLUMN gpuagg.stat_databases.zones_answered IS
'zones not read, for what is known of them answers';
COMMENT ON COLUMN gpuagg.stat_databases.device_ms IS
'milliseconds that devices worked';
COMMENT ON COLUMN gpuagg.stat_databases.run_ms IS
'milliseconds until the first row could be returned, fallbacks without PostgreSQL''s plan';
GRANT SELECT ON gpuagg.stat_databases TO pg_monitor;

--
-- Metrics as Prometheus knows them: for pg_monitor
--

CREATE VIEW gpuagg.metrics AS
    SELECT 'gpuagg_' || regexp_replace(s.name, '_ms$', '_seconds') || '_total' AS name, 'counter' AS type,
           '{}'::jsonb AS labels,
           CASE WHEN s.name ~ '_ms$' THEN s.value / 1000.0 ELSE s.value END::float8 AS value,
           regexp_replace(s.description, '^milliseconds', 'seconds') AS help
    FROM gpuagg.get_stat() s
    UNION ALL
    SELECT m.name, m.type, jsonb_build_object('device', d.device, 'kind', d.kind), m.value, m.help
    FROM gpuagg.devices d,
         LATERAL (VALUES
              ('gpuagg_device_ready', 'gauge', (d.state = 'ready')::int4::float8, '1: the device takes tasks'),
              ('gpuagg_device_tasks_running', 'gauge', d.tasks_running, 'tasks on the device'),
              ('gpuagg_device_tasks_queued', 'gauge', d.tasks_queued, 'tasks that wait for its memory'),
              ('gpuagg_device_clients_waiting', 'gauge', d.clients_waiting, 'queries that wait for one of gpuagg.max_tasks places'),
              ('gpuagg_device_memory_used_bytes', 'gauge', d.memory_used, 'bytes that tasks use'),
              ('gpuagg_device_memory_limit_bytes', 'gauge', d.memory_limit, 'bytes that tasks may use'),
              ('gpuagg_device_cache_used_bytes', 'gauge', d.cache_used, 'bytes of columns that stay'),
              ('gpuagg_device_cache_limit_bytes', 'gauge', d.cache_limit, 'bytes that they may take'),
              ('gpuagg_device_restarts_total', 'counter', d.restarts, 'starts of the device worker after the first'))
              AS m(name, type, value, help)
    WHERE m.value IS NOT NULL
    UNION ALL
    SELECT m.name, 'counter', jsonb_build_object('database', d.datname), m.value, m.help
    FROM gpuagg.get_stat_tables() s
         JOIN pg_database d ON d.oid = s.datid,
         LATERAL (VALUES
              ('gpuagg_database_runs_total', s.runs, 'nodes that a device answered'),
              ('gpuagg_database_fallbacks_total', s.fallbacks, 'nodes that PostgreSQL''s plan answered instead'),
              ('gpuagg_database_refusals_total', s.refusals, 'plannings that found no way for a device'),
              ('gpuagg_database_redone_total', s.redone, 'tasks run again on the host device'),
              ('gpuagg_database_rows_scanned_total', s.rows_scanned, 'visible rows read'),
              ('gpuagg_database_rows_passed_total', s.rows_passed, 'rows that passed the filter'),
              ('gpuagg_database_rows_evaluated_total', s.rows_evaluated, 'rows that PostgreSQL evaluated for a device'),
              ('gpuagg_database_groups_total', s.groups, 'groups found'),
              ('gpuagg_database_pages_total', s.pages, 'heap pages read'),
              ('gpuagg_database_pages_cached_total', s.pages_cached, 'heap pages that the column cache had'),
              ('gpuagg_database_pages_kept_total', s.pages_kept, 'heap pages added to the column cache'),
              ('gpuagg_database_zones_read_total', s.zones_read, 'zones of cached columns read'),
              ('gpuagg_database_zones_skipped_total', s.zones_skipped, 'zones skipped'),
              ('gpuagg_database_zones_answered_total', s.zones_answered, 'zones that answered by themselves'),
              ('gpuagg_database_device_seconds_total', s.device_us / 1e6, 'seconds that devices worked'),
              ('gpuagg_database_run_seconds_total', s.run_us / 1e6, 'seconds until the first row could be returned'))
              AS m(name, value, help)
    WHERE s.relid = 0
    UNION ALL
    SELECT m.name, 'counter',
           jsonb_build_object('database', d.datname, 'schema', n.nspname, 'relation', c.relname), m.value, m.help
    FROM gpuagg.get_stat_tables() s
         JOIN pg_database d ON d.oid = s.datid AND d.datname = current_database()
         JOIN pg_class c ON c.oid = s.relid
         JOIN pg_namespace n ON n.oid = c.relnamespace,
         LATERAL (VALUES
              ('gpuagg_table_runs_total', s.runs, 'nodes that a device answered'),
              ('gpuagg_table_fallbacks_total', s.fallbacks, 'nodes that PostgreSQL''s plan answered instead'),
              ('gpuagg_table_refusals_total', s.refusals, 'plannings that found no way for a device'),
              ('gpuagg_table_redone_total', s.redone, 'tasks run again on the host device'),
              ('gpuagg_table_rows_scanned_total', s.rows_scanned, 'visible rows read'),
              ('gpuagg_table_rows_passed_total', s.rows_passed, 'rows that passed the filter'),
              ('gpuagg_table_rows_evaluated_total', s.rows_evaluated, 'rows that PostgreSQL evaluated for a device'),
              ('gpuagg_table_groups_total', s.groups, 'groups found'),
              ('gpuagg_table_pages_total', s.pages, 'heap pages read'),
              ('gpuagg_table_pages_cached_total', s.pages_cached, 'heap pages that the column cache had'),
              ('gpuagg_table_pages_kept_total', s.pages_kept, 'heap pages added to the column cache'),
              ('gpuagg_table_zones_read_total', s.zones_read, 'zones of cached columns read'),
              ('gpuagg_table_zones_skipped_total', s.zones_skipped, 'zones skipped'),
              ('gpuagg_table_zones_answered_total', s.zones_answered, 'zones that answered by themselves'),
              ('gpuagg_table_device_seconds_total', s.device_us / 1e6, 'seconds that devices worked'),
              ('gpuagg_table_run_seconds_total', s.run_us / 1e6, 'seconds until the first row could be returned'))
              AS m(name, value, help);
COMMENT ON VIEW gpuagg.metrics IS
'what gpuagg counts and measures, as Prometheus names it: gpuagg.stat, gpuagg.devices, gpuagg.stat_databases, and gpuagg.stat_tables of this database';
COMMENT ON COLUMN gpuagg.metrics.name IS
'name of the metric; of counters it ends with _total';
COMMENT ON COLUMN gpuagg.metrics.type IS
'counter (rises until the server starts anew or gpuagg.stat_reset()) or gauge';
COMMENT ON COLUMN gpuagg.metrics.labels IS
'what it is of: nothing, device and kind, database, or database, schema and relation';
COMMENT ON COLUMN gpuagg.metrics.value IS
'its value, in the unit that its name ends with';
COMMENT ON COLUMN gpuagg.metrics.help IS
'what it is';
GRANT SELECT ON gpuagg.metrics TO pg_monitor;

CREATE FUNCTION gpuagg.metrics_text()
RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT string_agg(
               format(E'# HELP %1$s %2$s\n# TYPE %1$s %3$s\n%4$s', f.name, f.help, f.type, f.samples),
               '' ORDER BY f.name COLLATE "C")
    FROM (SELECT m.name, min(m.help) AS help, min(m.type) AS type,
                 string_agg(m.name || coalesce('{' || l.text || '}', '') || ' ' || m.value || E'\n',
                            '' ORDER BY l.text COLLATE "C") AS samples
          FROM gpuagg.metrics m,
               LATERAL (SELECT string_agg(
                            p.key || '="' ||
                            replace(replace(replace(p.value, E'\\', E'\\\\'), '"', E'\\"'), E'\n', E'\\n') || '"',
                            ',' ORDER BY p.key COLLATE "C") AS text
                        FROM jsonb_each_text(m.labels) p) l
          GROUP BY m.name) f;
END;
COMMENT ON FUNCTION gpuagg.metrics_text() IS
'gpuagg.metrics in Prometheus''s text format';
REVOKE ALL ON FUNCTION gpuagg.metrics_text() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg.metrics_text() TO pg_monitor;

--
-- gpuagg.cache: row-level security
--

COMMENT ON COLUMN gpuagg.cache.bytes IS
'memory that it takes, with what expressions make of its strings; the directory''s is the worker''s own; NULL of strings that row-level security may hide from you';
COMMENT ON COLUMN gpuagg.cache.strings IS
'different strings of the column so far, each kept once; NULL if it has none, or if row-level security may hide some from you';

--
-- gpuagg.tasks: shares and waiting
--

ALTER FUNCTION gpuagg.get_tasks() RENAME TO get_tasks_of_1_0;
CREATE FUNCTION gpuagg.get_tasks(
    OUT device integer,
    OUT pid integer,
    OUT datid oid,
    OUT usesysid oid,
    OUT relid oid,
    OUT state text,
    OUT pages_done bigint,
    OUT pages_total bigint,
    OUT rows bigint,
    OUT memory bigint,
    OUT started_at timestamptz,
    OUT share integer,
    OUT predicted_ms double precision,
    OUT waited_ms double precision)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_tasks';
COMMENT ON FUNCTION gpuagg.get_tasks() IS
'behind view gpuagg.tasks';

CREATE OR REPLACE VIEW gpuagg.tasks AS
    SELECT t.device, t.pid, t.datid, d.datname, t.usesysid,
           pg_catalog.pg_get_userbyid(t.usesysid) AS usename,
           t.relid,
           CASE WHEN d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
                THEN t.relid::pg_catalog.regclass END AS relation,
           t.state, t.pages_done, t.pages_total, t.rows, t.memory, t.started_at,
           t.share, t.predicted_ms, t.waited_ms
    FROM gpuagg.get_tasks() t
         LEFT JOIN pg_catalog.pg_database d
         ON d.oid OPERATOR(pg_catalog.=) t.datid;
DROP FUNCTION gpuagg.get_tasks_of_1_0();
COMMENT ON COLUMN gpuagg.tasks.share IS
'gpuagg.share of the session: against those of other roles, while tasks wait';
COMMENT ON COLUMN gpuagg.tasks.predicted_ms IS
'milliseconds that it is expected to have the device; up to 10 it is a short one';
COMMENT ON COLUMN gpuagg.tasks.waited_ms IS
'milliseconds that it has waited, or waited, for a place on the device';

--
-- What parallel workers that feed take, and rows of a plan
--

ALTER TABLE gpuagg.profile
    ADD feeder_start_ns double precision
        CHECK (feeder_start_ns > 0 AND feeder_start_ns < 1e12),
    ADD feeder_ns double precision CHECK (feeder_ns > 0 AND feeder_ns < 1e12),
    ADD device_uuid text,
    ADD copy_row_ns double precision CHECK (copy_row_ns > 0 AND copy_row_ns < 1e9),
    ADD copy_value_ns double precision CHECK (copy_value_ns > 0 AND copy_value_ns < 1e9);
COMMENT ON COLUMN gpuagg.profile.feeder_start_ns IS
'from when a backend asks for a parallel worker until it is at work; NULL: PostgreSQL''s parallel_setup_cost';
COMMENT ON COLUMN gpuagg.profile.feeder_ns IS
'what it takes of the backend to start one and to wait until it has gone; NULL: likewise';
COMMENT ON COLUMN gpuagg.profile.device_uuid IS
'of the GPU that was measured, as in gpuagg.devices; its own profiles count before those of other GPUs of its name; NULL: not known';
COMMENT ON COLUMN gpuagg.profile.copy_row_ns IS
'moving a row of a plan into columns and to the worker, beside its values; NULL: as shipped';
COMMENT ON COLUMN gpuagg.profile.copy_value_ns IS
'and each of its values; NULL: as shipped';

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
    OUT message text,
    OUT device integer)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_kernels';
COMMENT ON FUNCTION gpuagg.get_kernels() IS
'behind view gpuagg.kernels';
REVOKE ALL ON FUNCTION gpuagg.get_kernels() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg.get_kernels() TO pg_monitor;

CREATE VIEW gpuagg.kernels AS
    SELECT kernel, shape, state, uses, source, compile_ms, load_ms, bytes,
           registers, shared_bytes, spilled_bytes, block_threads, blocks, message, device
    FROM gpuagg.get_kernels();
COMMENT ON VIEW gpuagg.kernels IS
'kernels that were compiled for queries, or asked for, used last first; at most 256 of a device';
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
COMMENT ON COLUMN gpuagg.kernels.device IS
'number of the device that it is for (gpuagg.devices)';
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

-- a ceiling that calibrate() measures of compiled kernels
COMMENT ON COLUMN gpuagg.ceiling.name IS
'memory_read, memory_copy, cache_read, copy_in, copy_out, zero_copy_in, zero_copy_out, thread_read, host_read (the host''s memory by a backend, whatever the device): bytes; int_ops, local_atomics_1, _32, _1024: operations; partition: rows; group (host: of pages in its caches, grouped as tasks do): rows; launch: time; compiled (a kernel compiled for a query over few rows, by the device''s clock): time; touch, touch_huge (host: pages of 4 KiB, of 2 MiB), touch_pinned_host, touch_pinned_device, touch_managed_host, touch_managed_device: bytes from asking for memory to having written all of it for the first time, by the device or by who is named';

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

-- what a scan draws is drawn once: each process below a Gather would draw a sample of its own
ALTER FUNCTION gpuagg.random_rows(internal) PARALLEL RESTRICTED;

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

CREATE FUNCTION gpuagg.what_if(query text, multiprocessors integer DEFAULT NULL,
                               memory_bandwidth double precision DEFAULT NULL,
                               memory bigint DEFAULT NULL, profile_id integer DEFAULT NULL)
RETURNS double precision
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_what_if_query';
COMMENT ON FUNCTION gpuagg.what_if(text, integer, double precision, bigint, integer) IS
'milliseconds that the device''s part of a query is predicted to take with so many multiprocessors (of the host device: threads), so many bytes a second and bytes of its memory, or by another profile of gpuagg.profile; NULL: as the device has them. NULL if no part can run on the device';

CREATE FUNCTION gpuagg.survey_statement(query text, role oid, path text,
    OUT status text, OUT reason text, OUT predicted_ms double precision, OUT gain double precision)
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_survey_statement';
COMMENT ON FUNCTION gpuagg.survey_statement(text, oid, text) IS
'behind gpuagg.survey(): would the device take a statement that a role has run, with that role''s search_path';

CREATE FUNCTION gpuagg.survey(n integer DEFAULT 20)
RETURNS TABLE (queryid bigint, role text, calls bigint, total_ms double precision, mean_ms double precision,
    taken boolean, status text, reason text, predicted_ms double precision, gain double precision, query text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
AS $$
DECLARE
    home pg_catalog.name;
    met pg_catalog.record;
    found pg_catalog.record;
BEGIN
    SELECT s.nspname INTO home FROM pg_catalog.pg_extension e
        JOIN pg_catalog.pg_namespace s ON s.oid OPERATOR(pg_catalog.=) e.extnamespace
        WHERE e.extname OPERATOR(pg_catalog.=) 'pg_stat_statements';
    -- its settings are there where it is preloaded
    IF home IS NULL OR pg_catalog.current_setting('pg_stat_statements.track', true) IS NULL THEN
        RAISE EXCEPTION 'gpuagg.survey() needs pg_stat_statements'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'Add it to shared_preload_libraries in postgresql.conf, restart the server, and CREATE EXTENSION pg_stat_statements in this database.';
    END IF;
    FOR met IN EXECUTE pg_catalog.format($q$
        SELECT s.userid, s.queryid, pg_catalog.min(s.query) AS query, pg_catalog.sum(s.calls)::pg_catalog.int8 AS calls,
            pg_catalog.sum(s.total_exec_time OPERATOR(pg_catalog.+) s.total_plan_time) AS total_ms,
            (SELECT o.option_value FROM pg_catalog.pg_db_role_setting d, pg_catalog.pg_options_to_table(d.setconfig) o
                WHERE o.option_name OPERATOR(pg_catalog.=) 'search_path'
                    AND d.setrole OPERATOR(pg_catalog.=) ANY (ARRAY[0::pg_catalog.oid, s.userid])
                    AND d.setdatabase OPERATOR(pg_catalog.=) ANY (ARRAY[0::pg_catalog.oid, s.dbid])
                ORDER BY d.setrole OPERATOR(pg_catalog.=) 0, d.setdatabase OPERATOR(pg_catalog.=) 0 LIMIT 1) AS path
        FROM (TABLE %s) AS s
        WHERE s.dbid OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_catalog.pg_database b
            WHERE b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())
        GROUP BY s.userid, s.queryid, s.dbid ORDER BY 5 DESC, s.queryid LIMIT $1 $q$, pg_catalog.format('%I.pg_stat_statements', home)) USING n LOOP
        queryid := met.queryid;
        role := pg_catalog.pg_get_userbyid(met.userid);
        calls := met.calls;
        total_ms := met.total_ms;
        mean_ms := met.total_ms OPERATOR(pg_catalog./) greatest(met.calls, 1);
        query := met.query;
        IF met.queryid IS NULL OR met.query IS NULL THEN
            status := 'hidden';
            reason := CASE WHEN met.queryid IS NULL THEN 'statements of another role, whose texts pg_read_all_stats may see'
                ELSE 'pg_stat_statements has lost the text' END;
            predicted_ms := NULL;
            gain := NULL;
        ELSE
            found := gpuagg.survey_statement(met.query, met.userid, CASE WHEN met.userid OPERATOR(pg_catalog.<>)
                pg_catalog.to_regrole(pg_catalog.quote_ident(current_user)) THEN met.path END);
            status := found.status;
            reason := found.reason;
            predicted_ms := found.predicted_ms;
            gain := found.gain;
        END IF;
        taken := status OPERATOR(pg_catalog.=) ANY ('{taken,partly}');
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION gpuagg.survey(integer) IS
'of the n statements of this database that took longest, as pg_stat_statements has them: whether the device takes them, why not, milliseconds that its part is predicted to take, and how many times cheaper than PostgreSQL''s own plan the whole is predicted to be';

--
-- Pinned columns: not given up for others; for the table's owner
--

CREATE FUNCTION gpuagg.pin(relation regclass, columns name[] DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_pin';
COMMENT ON FUNCTION gpuagg.pin(regclass, name[]) IS
'brings columns of a table onto the device, as gpuagg.load() does, and keeps others from displacing them; pinned columns may take half of gpuagg.cache_size; returns the bytes that they take now';

CREATE FUNCTION gpuagg.unpin(relation regclass, columns name[] DEFAULT NULL)
RETURNS integer
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_unpin';
COMMENT ON FUNCTION gpuagg.unpin(regclass, name[]) IS
'lets others displace columns of a table, with its partitions and child tables, again; without names all; returns how many were pinned';

--
-- How much longer tasks take than a generic profile says
--

CREATE FUNCTION gpuagg.get_learned(
    OUT device text,
    OUT tasks bigint,
    OUT factor double precision,
    OUT last_task timestamptz)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_learned';
COMMENT ON FUNCTION gpuagg.get_learned() IS
'behind view gpuagg.learned';

CREATE VIEW gpuagg.learned AS
    SELECT l.device, l.tasks, l.factor, l.last_task
    FROM gpuagg.get_learned() l;
COMMENT ON VIEW gpuagg.learned IS
'what the server has learned of devices that were not measured: predictions by a generic profile are multiplied with factor (gpuagg.learn_costs)';
COMMENT ON COLUMN gpuagg.learned.device IS
'kind of device: host or cuda';
COMMENT ON COLUMN gpuagg.learned.tasks IS
'last tasks that it was learned of: of 1 ms or more, predicted by a generic profile, at most 64; none after an hour without one';
COMMENT ON COLUMN gpuagg.learned.factor IS
'median of measured / predicted time beyond the start of a task, between 1/32 and 32; 1 below 20 tasks';
COMMENT ON COLUMN gpuagg.learned.last_task IS
'when the last of them ended';
GRANT SELECT ON gpuagg.learned TO PUBLIC;

--
-- A word to who has forgotten to preload the module.  Not kept.
--

CREATE FUNCTION gpuagg.warn_unless_preloaded()
RETURNS void
LANGUAGE c VOLATILE STRICT
AS 'MODULE_PATHNAME', 'gpuagg_warn_unless_preloaded';
SELECT gpuagg.warn_unless_preloaded();
DROP FUNCTION gpuagg.warn_unless_preloaded();
