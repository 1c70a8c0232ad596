/* gpuagg 1.0: views on devices, tasks and counters, and tools */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpuagg" to load this file. \quit

-- What binds here (views, checks, defaults, bodies that begin atomic) binds to
-- PostgreSQL's own operators and functions, whatever lies in schema gpuagg.
-- Bodies that are strings are parsed when they run, under the caller's
-- search_path: they have one of their own, or leave nothing to it.
-- test/lib/script checks that.
SET LOCAL search_path = pg_catalog, pg_temp;

GRANT USAGE ON SCHEMA gpuagg TO PUBLIC;

--
-- Devices: for everyone
--

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

CREATE VIEW gpuagg.devices AS
    SELECT device, kind, name, state, pid, memory_used, memory_limit,
           memory_limit - memory_used AS memory_free,
           tasks_running, tasks_queued, clients_waiting, restarts, why_not,
           started_at, cache_used, cache_limit, progress, compiler, uuid
    FROM gpuagg.get_devices();
COMMENT ON VIEW gpuagg.devices IS
'devices of this machine, one row each; those that run tasks are those that are not "not used", "off" or "fallback"';
COMMENT ON COLUMN gpuagg.devices.device IS
'number of the device: N of "cuda:N"; the host device comes after the last GPU';
COMMENT ON COLUMN gpuagg.devices.kind IS
'cuda: an NVIDIA GPU; host: a pool of threads on the processor';
COMMENT ON COLUMN gpuagg.devices.name IS
'what the device calls itself';
COMMENT ON COLUMN gpuagg.devices.state IS
'of the device that runs tasks: starting (takes tasks if there is a progress), ready, stuck (its worker does not answer; queries go to PostgreSQL), failed (cannot be opened; tried again every minute) or stopped (its worker restarts in a second); of others: not used, failed (a GPU that cannot be used), off (a GPU that was lost too often; see gpuagg.reset_device) or fallback (the host device, for tasks that the GPU fails)';
COMMENT ON COLUMN gpuagg.devices.pid IS
'process of the device worker; NULL if it does not use the device';
COMMENT ON COLUMN gpuagg.devices.memory_used IS
'bytes that tasks use on the device';
COMMENT ON COLUMN gpuagg.devices.memory_limit IS
'bytes that all tasks may use together (gpuagg.device_memory); of a GPU that is not used, all it has';
COMMENT ON COLUMN gpuagg.devices.memory_free IS
'bytes left of memory_limit';
COMMENT ON COLUMN gpuagg.devices.tasks_running IS
'tasks on the device';
COMMENT ON COLUMN gpuagg.devices.tasks_queued IS
'tasks that the worker knows and that wait for memory';
COMMENT ON COLUMN gpuagg.devices.clients_waiting IS
'queries that wait for one of gpuagg.max_tasks places';
COMMENT ON COLUMN gpuagg.devices.restarts IS
'how often the worker was started again since the server started';
COMMENT ON COLUMN gpuagg.devices.why_not IS
'why the device is not ready, or why it and not a GPU runs tasks; NULL if there is nothing to tell';
COMMENT ON COLUMN gpuagg.devices.started_at IS
'when the worker started';
COMMENT ON COLUMN gpuagg.devices.cache_used IS
'bytes that columns of tables and their dictionaries take on it (gpuagg.cache), beside memory_used, and the directory of them in the worker; NULL if it runs no tasks';
COMMENT ON COLUMN gpuagg.devices.cache_limit IS
'bytes that they may take (gpuagg.cache_size)';
COMMENT ON COLUMN gpuagg.devices.progress IS
'per cent of shared_buffers that the device reads in place, other pages through copies: 100 where it is not starting; NULL if it takes no tasks';
COMMENT ON COLUMN gpuagg.devices.compiler IS
'what compiles kernels for queries, or why nothing does and queries are interpreted; NULL: the device does not, or it is not yet known';
COMMENT ON COLUMN gpuagg.devices.uuid IS
'of a GPU, as nvidia-smi tells it; NULL of others, and of one that the machine does not have';
GRANT SELECT ON gpuagg.devices TO PUBLIC;

--
-- Tasks: one's own; all for pg_read_all_stats
--

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

CREATE VIEW gpuagg.tasks AS
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
COMMENT ON VIEW gpuagg.tasks IS
'tasks that devices run now: your own, and with pg_read_all_stats those of others';
COMMENT ON COLUMN gpuagg.tasks.device IS
'number of the device';
COMMENT ON COLUMN gpuagg.tasks.pid IS
'process of the backend whose query it is';
COMMENT ON COLUMN gpuagg.tasks.datid IS
'OID of the database';
COMMENT ON COLUMN gpuagg.tasks.datname IS
'name of the database';
COMMENT ON COLUMN gpuagg.tasks.usesysid IS
'OID of the user who logged in';
COMMENT ON COLUMN gpuagg.tasks.usename IS
'name of that user';
COMMENT ON COLUMN gpuagg.tasks.relid IS
'OID of the table';
COMMENT ON COLUMN gpuagg.tasks.relation IS
'the table, if it is one of this database';
COMMENT ON COLUMN gpuagg.tasks.state IS
'queued, running, measuring (gpuagg.calibrate), or draining (over; the device finishes what it reads)';
COMMENT ON COLUMN gpuagg.tasks.pages_done IS
'pages of the table handed to the device, or found on it; of a measurement thousandths of it';
COMMENT ON COLUMN gpuagg.tasks.pages_total IS
'pages of the table; of a measurement 1000';
COMMENT ON COLUMN gpuagg.tasks.rows IS
'visible rows that the device has read';
COMMENT ON COLUMN gpuagg.tasks.memory IS
'bytes that the task uses on the device';
COMMENT ON COLUMN gpuagg.tasks.started_at IS
'when the query asked for the device';
COMMENT ON COLUMN gpuagg.tasks.share IS
'gpuagg.share of the session: against those of other roles, while tasks wait';
COMMENT ON COLUMN gpuagg.tasks.predicted_ms IS
'milliseconds that it is expected to have the device; up to 10 it is a short one';
COMMENT ON COLUMN gpuagg.tasks.waited_ms IS
'milliseconds that it has waited, or waited, for a place on the device';
GRANT SELECT ON gpuagg.tasks TO PUBLIC;

--
-- Counters: for pg_monitor; the reset can be granted
--

CREATE FUNCTION gpuagg.get_stat(
    OUT name text,
    OUT value bigint,
    OUT description text)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_stat';
COMMENT ON FUNCTION gpuagg.get_stat() IS
'behind view gpuagg.stat';
REVOKE ALL ON FUNCTION gpuagg.get_stat() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION gpuagg.get_stat() TO pg_monitor;

CREATE VIEW gpuagg.stat AS
    SELECT name, value, description FROM gpuagg.get_stat();
COMMENT ON VIEW gpuagg.stat IS
'counters of all databases since the server started or gpuagg.stat_reset()';
COMMENT ON COLUMN gpuagg.stat.name IS
'name of the counter';
COMMENT ON COLUMN gpuagg.stat.value IS
'its value';
COMMENT ON COLUMN gpuagg.stat.description IS
'what it counts';
GRANT SELECT ON gpuagg.stat TO pg_monitor;

CREATE FUNCTION gpuagg.stat_reset()
RETURNS void
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_stat_reset';
COMMENT ON FUNCTION gpuagg.stat_reset() IS
'sets all counters of gpuagg.stat to zero, and empties gpuagg.stat_cost, gpuagg.learned, gpuagg.stat_tables and gpuagg.stat_databases';
REVOKE ALL ON FUNCTION gpuagg.stat_reset() FROM PUBLIC;

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
-- How honest the cost model is: one's own tasks; all for pg_read_all_stats
--

CREATE FUNCTION gpuagg.get_stat_cost(
    OUT ended_at timestamptz,
    OUT datid oid,
    OUT usesysid oid,
    OUT relid oid,
    OUT node text,
    OUT device text,
    OUT predicted_ms double precision,
    OUT measured_ms double precision,
    OUT bound_by text)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_stat_cost';
COMMENT ON FUNCTION gpuagg.get_stat_cost() IS
'behind view gpuagg.stat_cost';

CREATE VIEW gpuagg.stat_cost AS
    SELECT c.ended_at, c.datid, d.datname, c.usesysid, c.relid,
           CASE WHEN d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
                THEN c.relid::pg_catalog.regclass END AS relation,
           c.node, c.device, c.predicted_ms, c.measured_ms,
           c.predicted_ms OPERATOR(pg_catalog./)
               NULLIF(c.measured_ms, 0) AS ratio,
           c.bound_by
    FROM gpuagg.get_stat_cost() c
         LEFT JOIN pg_catalog.pg_database d
         ON d.oid OPERATOR(pg_catalog.=) c.datid;
COMMENT ON VIEW gpuagg.stat_cost IS
'the last 256 tasks that devices completed: predicted and measured time until the first group or row could be returned; your own, and with pg_read_all_stats those of others';
COMMENT ON COLUMN gpuagg.stat_cost.ended_at IS
'when';
COMMENT ON COLUMN gpuagg.stat_cost.datid IS
'OID of the database';
COMMENT ON COLUMN gpuagg.stat_cost.datname IS
'name of the database';
COMMENT ON COLUMN gpuagg.stat_cost.usesysid IS
'OID of the user who logged in';
COMMENT ON COLUMN gpuagg.stat_cost.relid IS
'OID of the table';
COMMENT ON COLUMN gpuagg.stat_cost.relation IS
'the table, if it is one of this database';
COMMENT ON COLUMN gpuagg.stat_cost.node IS
'GpuAgg or GpuSample';
COMMENT ON COLUMN gpuagg.stat_cost.device IS
'kind of the device that ran it';
COMMENT ON COLUMN gpuagg.stat_cost.predicted_ms IS
'as planned';
COMMENT ON COLUMN gpuagg.stat_cost.measured_ms IS
'as it was';
COMMENT ON COLUMN gpuagg.stat_cost.ratio IS
'predicted_ms / measured_ms';
COMMENT ON COLUMN gpuagg.stat_cost.bound_by IS
'what was predicted to bound it: feed, link, compute, cache, memory, emit or start';
GRANT SELECT ON gpuagg.stat_cost TO PUBLIC;

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
-- Columns that stay on the device: of tables that one may read; all for
-- pg_read_all_stats
--

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

CREATE VIEW gpuagg.cache AS
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
COMMENT ON VIEW gpuagg.cache IS
'columns of this database''s tables that stay on the device between queries: of tables that you may read, and with pg_read_all_stats all';
COMMENT ON COLUMN gpuagg.cache.datid IS
'OID of the database';
COMMENT ON COLUMN gpuagg.cache.datname IS
'name of the database';
COMMENT ON COLUMN gpuagg.cache.relid IS
'OID of the table';
COMMENT ON COLUMN gpuagg.cache.relation IS
'the table';
COMMENT ON COLUMN gpuagg.cache.attnum IS
'number of the column; 0 for what the table''s columns share: which rows there are, and the directory of its pages';
COMMENT ON COLUMN gpuagg.cache.column_name IS
'its name; NULL for 0';
COMMENT ON COLUMN gpuagg.cache.extents IS
'ranges of 32672 pages of which something is there';
COMMENT ON COLUMN gpuagg.cache.pages IS
'pages of the table whose rows are there';
COMMENT ON COLUMN gpuagg.cache.pages_total IS
'pages that the table has';
COMMENT ON COLUMN gpuagg.cache.rows IS
'rows that these pages have room for: one for each line pointer';
COMMENT ON COLUMN gpuagg.cache.bytes IS
'memory that it takes, with what expressions make of its strings; the directory''s is the worker''s own; NULL of strings that row-level security may hide from you';
COMMENT ON COLUMN gpuagg.cache.strings IS
'different strings of the column so far, each kept once; NULL if it has none, or if row-level security may hide some from you';
COMMENT ON COLUMN gpuagg.cache.uses IS
'tasks that asked for the column; of 0, those that needed no column';
COMMENT ON COLUMN gpuagg.cache.last_use IS
'when the last one did';
COMMENT ON COLUMN gpuagg.cache.note IS
'why the column does not stay; NULL if there is nothing to tell';
COMMENT ON COLUMN gpuagg.cache.device IS
'number of the device that it is on (gpuagg.devices); of several GPUs a table may be on more than one';
COMMENT ON COLUMN gpuagg.cache.pages_valid IS
'of these pages those that a query can use now: pages that have changed since they came do not count. Of a table with pages that are not all-visible an estimate, by some of them; NULL while the table is locked';
COMMENT ON COLUMN gpuagg.cache.schema_name IS
'the table''s schema';
COMMENT ON COLUMN gpuagg.cache.table_name IS
'the table''s name';
COMMENT ON COLUMN gpuagg.cache.pinned IS
'whether the column is pinned (gpuagg.pin): it does not go for others';
COMMENT ON COLUMN gpuagg.cache.plain_bytes IS
'memory that it would take if nothing of it was packed; NULL where bytes is';
GRANT SELECT ON gpuagg.cache TO PUBLIC;

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

CREATE FUNCTION gpuagg.load(relation regclass, columns name[] DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_load';
COMMENT ON FUNCTION gpuagg.load(regclass, name[]) IS
'brings columns of a table, with its partitions and child tables, onto the device, ahead of the queries that need them; without names all that can stay there; returns the bytes that they take now';

CREATE FUNCTION gpuagg.unload(relation regclass, columns name[] DEFAULT NULL)
RETURNS bigint
LANGUAGE c VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_unload';
COMMENT ON FUNCTION gpuagg.unload(regclass, name[]) IS
'drops columns of a table, with its partitions and child tables, from the device; without names all; returns the bytes that they took; for who may vacuum them';

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
-- Tools
--

CREATE FUNCTION gpuagg.reset_device()
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_reset_device';
COMMENT ON FUNCTION gpuagg.reset_device() IS
'restarts the workers of all devices at work, with GPUs that were turned off because they had been lost too often; tasks that run are redone; true if these devices are ready again';
REVOKE ALL ON FUNCTION gpuagg.reset_device() FROM PUBLIC;

CREATE FUNCTION gpuagg.reset_device(device integer)
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_reset_device_number';
COMMENT ON FUNCTION gpuagg.reset_device(integer) IS
'the same of one device at work, by its number in gpuagg.devices; an error if that runs no tasks';
REVOKE ALL ON FUNCTION gpuagg.reset_device(integer) FROM PUBLIC;

CREATE FUNCTION gpuagg.why_not(query text)
RETURNS SETOF text
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_why_not';
COMMENT ON FUNCTION gpuagg.why_not(text) IS
'why a query does not run on a device: a row for each obstacle, none if it does';

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

CREATE FUNCTION gpuagg.ping(n integer DEFAULT 1)
RETURNS double precision
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_ping';
COMMENT ON FUNCTION gpuagg.ping(integer) IS
'median microseconds that n empty tasks take from the query to the device and back';

--
-- Device profiles: what the hardware was measured to do.  One row of
-- gpuagg.profile is one run; the newest one of a device counts.
--

CREATE TABLE gpuagg.profile (
    profile_id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    device_kind text NOT NULL CHECK (device_kind IN ('cuda', 'host')),
    device_name text NOT NULL,
    origin text NOT NULL DEFAULT 'edited'
        CHECK (origin IN ('shipped', 'measured', 'edited')),
    measured_at timestamptz NOT NULL DEFAULT now(),
    effort text CHECK (effort IN ('low', 'normal', 'high')),
    seconds double precision CHECK (seconds > 0 AND seconds < 'Infinity'),
    units integer NOT NULL CHECK (units > 0),
    memory_bytes bigint CHECK (memory_bytes > 0),
    clock_ghz double precision CHECK (clock_ghz > 0 AND clock_ghz < 1000),
    feed_page_ns double precision NOT NULL
        CHECK (feed_page_ns > 0 AND feed_page_ns < 1e9),
    round_trip_ns double precision NOT NULL
        CHECK (round_trip_ns > 0 AND round_trip_ns < 1e12),
    cost_unit_ns double precision NOT NULL
        CHECK (cost_unit_ns > 0 AND cost_unit_ns < 1e9),
    postgres_row_ns double precision NOT NULL
        CHECK (postgres_row_ns > 0 AND postgres_row_ns < 1e9),
    postgres_value_ns double precision NOT NULL
        CHECK (postgres_value_ns > 0 AND postgres_value_ns < 1e9),
    postgres_group_ns double precision NOT NULL
        CHECK (postgres_group_ns > 0 AND postgres_group_ns < 1e9),
    postgres_slowdown double precision NOT NULL DEFAULT 1
        CHECK (postgres_slowdown >= 1 AND postgres_slowdown < 1000),
    spread double precision CHECK (spread >= 0 AND spread < 'Infinity'),
    busy boolean NOT NULL DEFAULT false,
    huge_pages boolean,
    server_version text,
    machine text,
    feeder_start_ns double precision
        CHECK (feeder_start_ns > 0 AND feeder_start_ns < 1e12),
    feeder_ns double precision CHECK (feeder_ns > 0 AND feeder_ns < 1e12),
    device_uuid text,
    copy_row_ns double precision CHECK (copy_row_ns > 0 AND copy_row_ns < 1e9),
    copy_value_ns double precision CHECK (copy_value_ns > 0 AND copy_value_ns < 1e9)
);
CREATE INDEX profile_device_idx
    ON gpuagg.profile (device_kind, device_name, measured_at);
COMMENT ON TABLE gpuagg.profile IS
'runs of gpuagg.calibrate(): what a device was measured to do; of a device the newest row counts; rows of gpuagg itself serve until there is one';
COMMENT ON SEQUENCE gpuagg.profile_profile_id_seq IS
'numbers of profiles';
COMMENT ON INDEX gpuagg.profile_device_idx IS
'finds the newest profile of a device';
COMMENT ON COLUMN gpuagg.profile.profile_id IS
'number of the run; negative: came with gpuagg';
COMMENT ON COLUMN gpuagg.profile.device_kind IS
'cuda or host, as in gpuagg.devices';
COMMENT ON COLUMN gpuagg.profile.device_name IS
'as in gpuagg.devices; *: any device of this kind';
COMMENT ON COLUMN gpuagg.profile.origin IS
'measured: by gpuagg.calibrate(); shipped: came with gpuagg; edited: by hand, also where rows of another profile, its levels, groups, random accesses or ceilings were updated or deleted';
COMMENT ON COLUMN gpuagg.profile.measured_at IS
'when; the newest counts';
COMMENT ON COLUMN gpuagg.profile.effort IS
'as asked of gpuagg.calibrate()';
COMMENT ON COLUMN gpuagg.profile.seconds IS
'how long it took';
COMMENT ON COLUMN gpuagg.profile.units IS
'multiprocessors of a GPU; threads of the host device';
COMMENT ON COLUMN gpuagg.profile.memory_bytes IS
'memory of the device';
COMMENT ON COLUMN gpuagg.profile.clock_ghz IS
'clock of a unit';
COMMENT ON COLUMN gpuagg.profile.feed_page_ns IS
'what a backend needs to pin an all-visible page in shared_buffers, look at it, hand it over and unpin it';
COMMENT ON COLUMN gpuagg.profile.round_trip_ns IS
'an empty task, from a backend to the device and back';
COMMENT ON COLUMN gpuagg.profile.cost_unit_ns IS
'what one of PostgreSQL''s cost units takes on this machine, in the mean';
COMMENT ON COLUMN gpuagg.profile.postgres_row_ns IS
'what PostgreSQL''s sequential scan takes for a row';
COMMENT ON COLUMN gpuagg.profile.postgres_value_ns IS
'a third of what its hash aggregate takes for a row with a key, a count and a sum, on top of the scan';
COMMENT ON COLUMN gpuagg.profile.postgres_group_ns IS
'what it takes for a group of 10^5, its outputs among it, on top';
COMMENT ON COLUMN gpuagg.profile.postgres_slowdown IS
'how many times as long as its fastest run, which the three before tell, a run takes in the mean (geometric), as CPUs that share a core with others are slow at times';
COMMENT ON COLUMN gpuagg.profile.spread IS
'(maximum - minimum) / median of repeated measurements that two thirds of the ceilings do not exceed';
COMMENT ON COLUMN gpuagg.profile.busy IS
'something else used the device or the CPUs meanwhile, it seems, for more than a third of the ceilings have a spread of a quarter, or postgres_slowdown is above 1.4: calibrate again';
COMMENT ON COLUMN gpuagg.profile.huge_pages IS
'shared_buffers were in huge pages';
COMMENT ON COLUMN gpuagg.profile.server_version IS
'PostgreSQL''s version then';
COMMENT ON COLUMN gpuagg.profile.machine IS
'gpuagg.machine() of where it was measured: elsewhere, as after a restore on other hardware, it does not count; NULL: counts everywhere';
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

CREATE TABLE gpuagg.memory_level (
    profile_id integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('cache', 'tlb', 'memory')),
    level smallint NOT NULL CHECK (level > 0),
    entries bigint CHECK (entries > 0),
    page_bytes bigint CHECK (page_bytes > 0),
    sector_bytes bigint CHECK (sector_bytes > 0),
    reach_bytes bigint CHECK (reach_bytes > 0),
    hit_ns double precision CHECK (hit_ns > 0 AND hit_ns < 1e9),
    hit_cycles double precision CHECK (hit_cycles > 0 AND hit_cycles < 1e9),
    miss_ns double precision CHECK (miss_ns > 0 AND miss_ns < 1e9),
    miss_cycles double precision CHECK (miss_cycles > 0 AND miss_cycles < 1e9),
    confidence double precision NOT NULL DEFAULT 1
        CHECK (confidence >= 0 AND confidence <= 1),
    searched_bytes bigint CHECK (searched_bytes > 0),
    PRIMARY KEY (profile_id, kind, level),
    CONSTRAINT memory_level_searched
        CHECK (kind = 'memory' OR reach_bytes IS NOT NULL OR
               kind = 'tlb' AND confidence = 0 AND searched_bytes IS NOT NULL),
    CONSTRAINT memory_level_sector CHECK (sector_bytes <= page_bytes)
);
COMMENT ON TABLE gpuagg.memory_level IS
'levels of a device''s memory hierarchy: caches, translation lookaside buffers, memory';
COMMENT ON COLUMN gpuagg.memory_level.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.memory_level.kind IS
'cache, tlb, or the memory behind them';
COMMENT ON COLUMN gpuagg.memory_level.level IS
'from 1, of its kind; reaches grow with it';
COMMENT ON COLUMN gpuagg.memory_level.entries IS
'of a TLB: pages that it translates';
COMMENT ON COLUMN gpuagg.memory_level.page_bytes IS
'of a TLB: what an entry covers; of a cache: its line';
COMMENT ON COLUMN gpuagg.memory_level.sector_bytes IS
'of a cache: what a miss fetches, a line or less';
COMMENT ON COLUMN gpuagg.memory_level.reach_bytes IS
'bytes that can be accessed at random without missing it; NULL of a TLB, with confidence 0: no level was found up to searched_bytes';
COMMENT ON COLUMN gpuagg.memory_level.hit_ns IS
'a dependent access that it answers';
COMMENT ON COLUMN gpuagg.memory_level.hit_cycles IS
'the same in cycles';
COMMENT ON COLUMN gpuagg.memory_level.miss_ns IS
'what missing it adds to an access';
COMMENT ON COLUMN gpuagg.memory_level.miss_cycles IS
'the same in cycles';
COMMENT ON COLUMN gpuagg.memory_level.confidence IS
'share of the repeated measurements that agree, less for what was not seen whole; of the TLB levels of a virtual machine half of it, for its pages are not what the processor translates';
COMMENT ON COLUMN gpuagg.memory_level.searched_bytes IS
'how far was looked';

CREATE FUNCTION gpuagg.memory_level_check()
RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT 1
               FROM gpuagg.memory_level a JOIN gpuagg.memory_level b
                    USING (profile_id, kind)
               WHERE a.profile_id = NEW.profile_id AND a.kind = NEW.kind
                     AND a.level < b.level
                     AND a.reach_bytes >= b.reach_bytes) THEN
        RAISE EXCEPTION 'reach_bytes of gpuagg.memory_level must grow with level'
            USING ERRCODE = 'check_violation',
                  TABLE = 'memory_level', SCHEMA = 'gpuagg',
                  CONSTRAINT = 'memory_level_reach',
                  DETAIL = format('Profile %s, kind %s.', NEW.profile_id, NEW.kind);
    END IF;
    RETURN NULL;
END $$;
COMMENT ON FUNCTION gpuagg.memory_level_check() IS
'behind constraint trigger memory_level_reach: reaches grow with the level';
REVOKE ALL ON FUNCTION gpuagg.memory_level_check() FROM PUBLIC;
CREATE CONSTRAINT TRIGGER memory_level_reach
    AFTER INSERT OR UPDATE ON gpuagg.memory_level
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION gpuagg.memory_level_check();
COMMENT ON TRIGGER memory_level_reach ON gpuagg.memory_level IS
'reaches grow with the level';

CREATE TABLE gpuagg.tlb_group (
    profile_id integer NOT NULL,
    unit integer NOT NULL CHECK (unit >= 0),
    group_no integer NOT NULL CHECK (group_no >= 0),
    PRIMARY KEY (profile_id, unit)
);
COMMENT ON TABLE gpuagg.tlb_group IS
'which multiprocessors share their last TLB level';
COMMENT ON COLUMN gpuagg.tlb_group.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.tlb_group.unit IS
'number of the multiprocessor (%smid)';
COMMENT ON COLUMN gpuagg.tlb_group.group_no IS
'its group; those of one group evict each other''s entries';

CREATE TABLE gpuagg.random_access (
    profile_id integer NOT NULL,
    region_bytes bigint NOT NULL CHECK (region_bytes > 0),
    read8_per_second double precision NOT NULL
        CHECK (read8_per_second > 0 AND read8_per_second < 1e18),
    read32_per_second double precision NOT NULL
        CHECK (read32_per_second > 0 AND read32_per_second < 1e18),
    atomic8_per_second double precision NOT NULL
        CHECK (atomic8_per_second > 0 AND atomic8_per_second < 1e18),
    spread double precision CHECK (spread >= 0 AND spread < 'Infinity'),
    PRIMARY KEY (profile_id, region_bytes)
);
COMMENT ON TABLE gpuagg.random_access IS
'independent random accesses of the whole device by the size of the region';
COMMENT ON COLUMN gpuagg.random_access.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.random_access.region_bytes IS
'the region that accesses fall into';
COMMENT ON COLUMN gpuagg.random_access.read8_per_second IS
'reads of 8 bytes';
COMMENT ON COLUMN gpuagg.random_access.read32_per_second IS
'reads of an aligned sector of 32 bytes';
COMMENT ON COLUMN gpuagg.random_access.atomic8_per_second IS
'atomic additions to 8 bytes';
COMMENT ON COLUMN gpuagg.random_access.spread IS
'largest (maximum - minimum) / median of the three';

CREATE TABLE gpuagg.ceiling (
    profile_id integer NOT NULL,
    name text NOT NULL,
    per_second double precision CHECK (per_second > 0 AND per_second < 1e18),
    ns double precision CHECK (ns > 0 AND ns < 1e12),
    spread double precision CHECK (spread >= 0 AND spread < 'Infinity'),
    PRIMARY KEY (profile_id, name),
    CHECK ((per_second IS NULL) <> (ns IS NULL))
);
COMMENT ON TABLE gpuagg.ceiling IS
'what a device does at most: the lines of a roofline';
COMMENT ON COLUMN gpuagg.ceiling.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.ceiling.name IS
'memory_read, memory_copy, cache_read, copy_in, copy_out, zero_copy_in, zero_copy_out, thread_read, host_read (the host''s memory by a backend, whatever the device): bytes; int_ops, local_atomics_1, _32, _1024: operations; partition: rows; group (host: of pages in its caches, grouped as tasks do): rows; launch: time; compiled (a kernel compiled for a query over few rows, by the device''s clock): time; touch, touch_huge (host: pages of 4 KiB, of 2 MiB), touch_pinned_host, touch_pinned_device, touch_managed_host, touch_managed_device: bytes from asking for memory to having written all of it for the first time, by the device or by who is named';
COMMENT ON COLUMN gpuagg.ceiling.per_second IS
'bytes, operations or rows a second';
COMMENT ON COLUMN gpuagg.ceiling.ns IS
'time, of what is no rate';
COMMENT ON COLUMN gpuagg.ceiling.spread IS
'(maximum - minimum) / median of the repeats';

CREATE TABLE gpuagg.kernel (
    profile_id integer NOT NULL,
    name text NOT NULL,
    threads integer NOT NULL CHECK (threads > 0),
    registers integer NOT NULL CHECK (registers > 0),
    shared_bytes integer NOT NULL CHECK (shared_bytes >= 0),
    dynamic_bytes integer NOT NULL CHECK (dynamic_bytes >= 0),
    blocks_per_unit integer NOT NULL CHECK (blocks_per_unit > 0),
    PRIMARY KEY (profile_id, name)
);
COMMENT ON TABLE gpuagg.kernel IS
'what the kernels take of a multiprocessor';
COMMENT ON COLUMN gpuagg.kernel.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.kernel.name IS
'the kernel';
COMMENT ON COLUMN gpuagg.kernel.threads IS
'of a block, as it is launched';
COMMENT ON COLUMN gpuagg.kernel.registers IS
'of a thread';
COMMENT ON COLUMN gpuagg.kernel.shared_bytes IS
'static shared memory of a block';
COMMENT ON COLUMN gpuagg.kernel.dynamic_bytes IS
'dynamic shared memory of a block, at most';
COMMENT ON COLUMN gpuagg.kernel.blocks_per_unit IS
'blocks that fit a multiprocessor at once';

CREATE TABLE gpuagg.host_pattern (
    profile_id integer NOT NULL,
    words integer NOT NULL CHECK (words > 0),
    huge_pages boolean NOT NULL,
    region_bytes bigint NOT NULL CHECK (region_bytes > 0),
    ns double precision NOT NULL CHECK (ns > 0 AND ns < 1e9),
    PRIMARY KEY (profile_id, words, huge_pages, region_bytes)
);
COMMENT ON TABLE gpuagg.host_pattern IS
'reading some words of random buckets of 128 bytes, on small and on huge pages';
COMMENT ON COLUMN gpuagg.host_pattern.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.host_pattern.words IS
'words read: 1 (0), 2 (0, 3), 3 (0, 3, 7) or 4 (0, 3, 7, 8; the last in another line)';
COMMENT ON COLUMN gpuagg.host_pattern.huge_pages IS
'on pages of 2 MiB instead of 4 KiB';
COMMENT ON COLUMN gpuagg.host_pattern.region_bytes IS
'the region that buckets lie in';
COMMENT ON COLUMN gpuagg.host_pattern.ns IS
'a bucket';

CREATE TABLE gpuagg.thread_scaling (
    profile_id integer NOT NULL,
    threads integer NOT NULL CHECK (threads > 0),
    reads_per_second double precision NOT NULL
        CHECK (reads_per_second > 0 AND reads_per_second < 1e18),
    PRIMARY KEY (profile_id, threads)
);
COMMENT ON TABLE gpuagg.thread_scaling IS
'random reads of the host by number of threads';
COMMENT ON COLUMN gpuagg.thread_scaling.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.thread_scaling.threads IS
'threads that read at once';
COMMENT ON COLUMN gpuagg.thread_scaling.reads_per_second IS
'of all of them together';

CREATE TABLE gpuagg.cost_unit (
    profile_id integer NOT NULL,
    query text NOT NULL,
    cost_units double precision NOT NULL
        CHECK (cost_units > 0 AND cost_units < 'Infinity'),
    milliseconds double precision NOT NULL
        CHECK (milliseconds > 0 AND milliseconds < 'Infinity'),
    PRIMARY KEY (profile_id, query)
);
COMMENT ON TABLE gpuagg.cost_unit IS
'the queries that profile.cost_unit_ns comes from';
COMMENT ON COLUMN gpuagg.cost_unit.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.cost_unit.query IS
'on a table made for it';
COMMENT ON COLUMN gpuagg.cost_unit.cost_units IS
'PostgreSQL''s estimate, in its units';
COMMENT ON COLUMN gpuagg.cost_unit.milliseconds IS
'measured';

CREATE TABLE gpuagg.curve (
    profile_id integer NOT NULL,
    curve text NOT NULL CHECK (curve IN ('chase', 'size', 'sharing')),
    series bigint NOT NULL CHECK (series >= 0),
    x bigint NOT NULL CHECK (x >= 0),
    y double precision NOT NULL CHECK (y >= 0 AND y < 'Infinity')
);
CREATE INDEX curve_profile_idx ON gpuagg.curve (profile_id, curve);
COMMENT ON TABLE gpuagg.curve IS
'points that the levels and groups were found in, for pictures';
COMMENT ON INDEX gpuagg.curve_profile_idx IS
'finds a run''s points';
COMMENT ON COLUMN gpuagg.curve.profile_id IS
'the run';
COMMENT ON COLUMN gpuagg.curve.curve IS
'chase: dependent chase (TLB); size: the same for caches and lines; sharing: two multiprocessors at once';
COMMENT ON COLUMN gpuagg.curve.series IS
'stride in bytes; of sharing: one multiprocessor';
COMMENT ON COLUMN gpuagg.curve.x IS
'distance or size in bytes; of sharing: the other multiprocessor';
COMMENT ON COLUMN gpuagg.curve.y IS
'cycles (chase), ns (size), times slower than alone (sharing)';

GRANT SELECT ON gpuagg.profile, gpuagg.memory_level, gpuagg.tlb_group,
    gpuagg.random_access, gpuagg.ceiling, gpuagg.kernel, gpuagg.host_pattern,
    gpuagg.thread_scaling, gpuagg.cost_unit, gpuagg.curve TO PUBLIC;

--
-- Profiles that serve until gpuagg.calibrate() has run: an H200 as measured (its
-- host's cost unit with it; its caches on 2026-11-23), and cautious ones for any
-- other device.
--

INSERT INTO gpuagg.profile
    (profile_id, device_kind, device_name, origin, measured_at, units,
     memory_bytes, clock_ghz, feed_page_ns, round_trip_ns, cost_unit_ns,
     postgres_row_ns, postgres_value_ns, postgres_group_ns)
VALUES
    (-1, 'cuda', 'NVIDIA H200', 'shipped', '2026-11-21', 132, 150109880320, 1.98, 130, 66000, 3100, 28, 21, 300),
    (-2, 'cuda', '*', 'shipped', '2026-11-21', 60, 16000000000, 1.5, 200, 120000, 3400, 40, 25, 500),
    (-3, 'host', '*', 'shipped', '2026-11-21', 4, 16000000000, 2.6, 150, 50000, 3400, 40, 25, 500);
INSERT INTO gpuagg.memory_level
    (profile_id, kind, level, entries, page_bytes, sector_bytes, reach_bytes,
     hit_ns, hit_cycles, miss_ns, miss_cycles, confidence, searched_bytes)
VALUES
    (-1, 'cache', 1, NULL, 128, 32, 248448, 16.2, 32.03, 126.7, 250.6, 0.4, 188743680),
    (-1, 'cache', 2, NULL, 128, 64, 33554432, 142.9, 282.6, 190.8, 377.3, 0.4, 188743680),
    (-1, 'memory', 1, NULL, NULL, NULL, NULL, 333.8, 659.9, NULL, NULL, 0.4, 188743680),
    (-1, 'tlb', 1, 2048, 33554432, NULL, 68719476736, 150.8, 298.6, 45.25, 89.57, 0.8, 120085020672),
    (-2, 'cache', 2, NULL, NULL, NULL, 4194304, NULL, NULL, NULL, NULL, 0, NULL),
    (-3, 'cache', 1, NULL, 64, NULL, 32768, 1.2, NULL, 3, NULL, 0, NULL),
    (-3, 'cache', 2, NULL, 64, NULL, 1048576, 4, NULL, 10, NULL, 0, NULL),
    (-3, 'memory', 1, NULL, NULL, NULL, NULL, 120, NULL, NULL, NULL, 0, NULL);
INSERT INTO gpuagg.random_access
    (profile_id, region_bytes, read8_per_second, read32_per_second, atomic8_per_second)
VALUES
    (-1, 1048576, 1.64e11, 9.17e10, 1.05e11),
    (-1, 1441792, 1.64e11, 9.57e10, 1.06e11),
    (-1, 2097152, 1.62e11, 9.9e10, 1.05e11),
    (-1, 2949120, 1.62e11, 1.03e11, 1.05e11),
    (-1, 4194304, 1.61e11, 1.06e11, 1.06e11),
    (-1, 5898240, 1.6e11, 1.1e11, 1.05e11),
    (-1, 8388608, 1.6e11, 1.13e11, 1.06e11),
    (-1, 11862016, 1.61e11, 1.18e11, 1.07e11),
    (-1, 16777216, 1.6e11, 1.2e11, 1.06e11),
    (-1, 23724032, 1.6e11, 1.23e11, 1.07e11),
    (-1, 33554432, 1.41e11, 1.06e11, 9.91e10),
    (-1, 47448064, 1.04e11, 8.78e10, 9.49e10),
    (-1, 67108864, 8.17e10, 7.66e10, 3.61e10),
    (-1, 94896128, 6.66e10, 6.48e10, 2.54e10),
    (-1, 134217728, 5.85e10, 5.75e10, 2.2e10),
    (-1, 189792256, 5.33e10, 5.28e10, 2.01e10),
    (-1, 268435456, 4.99e10, 4.96e10, 1.89e10),
    (-1, 379584512, 4.77e10, 3.88e10, 1.81e10),
    (-1, 536870912, 4.62e10, 3.19e10, 1.75e10),
    (-1, 759234560, 4.52e10, 2.81e10, 1.71e10),
    (-1, 1073741824, 4.4e10, 2.59e10, 1.68e10),
    (-1, 1518469120, 4.3e10, 2.46e10, 1.65e10),
    (-1, 2147483648, 4.23e10, 2.37e10, 1.63e10),
    (-1, 3036938240, 4.18e10, 2.3e10, 1.61e10),
    (-1, 4294967296, 4.15e10, 2.27e10, 1.6e10),
    (-1, 6073942016, 4.13e10, 2.24e10, 1.6e10),
    (-1, 8589934592, 4.11e10, 2.22e10, 1.59e10),
    (-1, 12147949568, 4.09e10, 2.2e10, 1.59e10),
    (-1, 17179869184, 4.09e10, 2.2e10, 1.59e10),
    (-1, 24295964672, 4.09e10, 2.18e10, 1.59e10),
    (-1, 34359738368, 4.08e10, 2.18e10, 1.59e10),
    (-1, 48591994880, 4.08e10, 2.18e10, 1.59e10),
    (-1, 68719476736, 4.03e10, 2.13e10, 1.59e10),
    (-1, 97183989760, 1.04e10, 8.38e09, 1.04e10),
    (-1, 120085020672, 7.1e09, 5.37e09, 7.11e09),
    (-2, 1048576, 3e10, 2e10, 2e10),
    (-2, 4194304, 2.5e10, 1.8e10, 1.5e10),
    (-2, 67108864, 1e10, 8e09, 4e09),
    (-2, 8589934592, 5e09, 4e09, 2e09),
    (-3, 1048576, 2e09, 1.8e09, 6e08),
    (-3, 8388608, 1.5e09, 1.2e09, 5e08),
    (-3, 33554432, 1e09, 6e08, 3e08),
    (-3, 134217728, 6e08, 4e08, 2.5e08),
    (-3, 1073741824, 4e08, 2.5e08, 2e08);
INSERT INTO gpuagg.ceiling (profile_id, name, per_second, ns)
VALUES
    (-1, 'memory_read', 4.535e12, NULL),
    (-1, 'memory_copy', 4.298e12, NULL),
    (-1, 'cache_read', 9.125e12, NULL),
    (-1, 'int_ops', 1.668e13, NULL),
    (-1, 'local_atomics_1', 2.608e11, NULL),
    (-1, 'local_atomics_32', 2.363e12, NULL),
    (-1, 'local_atomics_1024', 2.362e12, NULL),
    (-1, 'partition', 1.1e11, NULL),
    (-1, 'copy_in', 5.551e10, NULL),
    (-1, 'copy_out', 5.543e10, NULL),
    (-1, 'zero_copy_in', 5.127e10, NULL),
    (-1, 'zero_copy_out', 5.268e10, NULL),
    (-1, 'launch', NULL, 7466),
    (-1, 'thread_read', 1.205e11, NULL),
    (-1, 'touch', 2.133e11, NULL),
    (-1, 'touch_pinned_host', 2.92e09, NULL),
    (-1, 'touch_pinned_device', 4.642e09, NULL),
    (-1, 'touch_managed_host', 3.807e09, NULL),
    (-1, 'touch_managed_device', 1.852e10, NULL),
    (-2, 'memory_read', 3e11, NULL),
    (-2, 'int_ops', 4e12, NULL),
    (-2, 'copy_in', 1.2e10, NULL),
    (-2, 'copy_out', 1.2e10, NULL),
    (-2, 'zero_copy_in', 1.1e10, NULL),
    (-2, 'launch', NULL, 1e4),
    (-3, 'int_ops', 2.4e10, NULL);

-- backends keep what they read of these tables until told
CREATE FUNCTION gpuagg.profile_changed()
RETURNS trigger
LANGUAGE c VOLATILE
AS 'MODULE_PATHNAME', 'gpuagg_profile_changed';
COMMENT ON FUNCTION gpuagg.profile_changed() IS
'behind the triggers profile_changed: makes all sessions read profiles again';
REVOKE ALL ON FUNCTION gpuagg.profile_changed() FROM PUBLIC;
CREATE TRIGGER profile_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gpuagg.profile
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_changed();
COMMENT ON TRIGGER profile_changed ON gpuagg.profile IS
'makes all sessions read profiles again';
CREATE TRIGGER profile_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gpuagg.memory_level
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_changed();
COMMENT ON TRIGGER profile_changed ON gpuagg.memory_level IS
'makes all sessions read profiles again';
CREATE TRIGGER profile_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gpuagg.tlb_group
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_changed();
COMMENT ON TRIGGER profile_changed ON gpuagg.tlb_group IS
'makes all sessions read profiles again';
CREATE TRIGGER profile_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gpuagg.random_access
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_changed();
COMMENT ON TRIGGER profile_changed ON gpuagg.random_access IS
'makes all sessions read profiles again';
CREATE TRIGGER profile_changed
    AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gpuagg.ceiling
    FOR EACH STATEMENT EXECUTE FUNCTION gpuagg.profile_changed();
COMMENT ON TRIGGER profile_changed ON gpuagg.ceiling IS
'makes all sessions read profiles again';

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

-- what came with gpuagg comes with it again
SELECT pg_extension_config_dump('gpuagg.profile', 'WHERE profile_id > 0');
SELECT pg_extension_config_dump('gpuagg.profile_profile_id_seq', '');
DO $$
DECLARE
    part regclass;
BEGIN
    FOREACH part IN ARRAY '{gpuagg.memory_level, gpuagg.tlb_group, gpuagg.random_access,
            gpuagg.ceiling, gpuagg.kernel, gpuagg.host_pattern, gpuagg.thread_scaling,
            gpuagg.cost_unit, gpuagg.curve}'::regclass[] LOOP
        EXECUTE format('CREATE CONSTRAINT TRIGGER profile_exists
            AFTER INSERT OR UPDATE ON %s
            FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_exists()', part);
        EXECUTE format('COMMENT ON TRIGGER profile_exists ON %s IS
            ''rows belong to a profile''', part);
        PERFORM pg_extension_config_dump(part, 'WHERE profile_id > 0');
    END LOOP;
END $$;

-- a profile that somebody changed is no longer what was measured
CREATE FUNCTION gpuagg.profile_edited()
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
COMMENT ON FUNCTION gpuagg.profile_edited() IS
'behind the triggers profile_edited: makes origin of a changed profile "edited"';
REVOKE ALL ON FUNCTION gpuagg.profile_edited() FROM PUBLIC;
CREATE TRIGGER profile_edited
    BEFORE UPDATE ON gpuagg.profile
    FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_edited();
COMMENT ON TRIGGER profile_edited ON gpuagg.profile IS
'makes origin "edited" unless it is set';
CREATE TRIGGER profile_edited
    AFTER UPDATE OR DELETE ON gpuagg.memory_level
    FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_edited();
COMMENT ON TRIGGER profile_edited ON gpuagg.memory_level IS
'makes origin of the profile "edited"';
CREATE TRIGGER profile_edited
    AFTER UPDATE OR DELETE ON gpuagg.tlb_group
    FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_edited();
COMMENT ON TRIGGER profile_edited ON gpuagg.tlb_group IS
'makes origin of the profile "edited"';
CREATE TRIGGER profile_edited
    AFTER UPDATE OR DELETE ON gpuagg.random_access
    FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_edited();
COMMENT ON TRIGGER profile_edited ON gpuagg.random_access IS
'makes origin of the profile "edited"';
CREATE TRIGGER profile_edited
    AFTER UPDATE OR DELETE ON gpuagg.ceiling
    FOR EACH ROW EXECUTE FUNCTION gpuagg.profile_edited();
COMMENT ON TRIGGER profile_edited ON gpuagg.ceiling IS
'makes origin of the profile "edited"';

CREATE FUNCTION gpuagg.machine() RETURNS text
LANGUAGE c STABLE PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_machine';
COMMENT ON FUNCTION gpuagg.machine() IS
'what tells this machine from others, for profiles: model, family, model number and stepping of its processor (of an ARM its implementer, part and revision), MiB of its last cache, GiB of its memory to a power of two';

CREATE FUNCTION gpuagg.calibrate(
    device text DEFAULT 'auto',
    effort text DEFAULT 'normal')
RETURNS integer
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS 'MODULE_PATHNAME', 'gpuagg_calibrate';
COMMENT ON FUNCTION gpuagg.calibrate(text, text) IS
'measures a device (auto: the one that runs tasks; host; cuda; cuda:N) with effort low, normal or high, stores a profile and returns its number; costs follow it from then on';
REVOKE ALL ON FUNCTION gpuagg.calibrate(text, text) FROM PUBLIC;

-- Random draws
-- what a scan draws is drawn once: each process below a Gather would draw a sample of its own
CREATE FUNCTION gpuagg.random_rows(internal) RETURNS tsm_handler
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_random_rows';
COMMENT ON FUNCTION gpuagg.random_rows(internal) IS
'TABLESAMPLE gpuagg.random_rows (n): n rows drawn uniformly at random with replacement';

CREATE FUNCTION gpuagg.normal_quantile(p float8) RETURNS float8
LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_normal_quantile';
COMMENT ON FUNCTION gpuagg.normal_quantile(float8) IS
'below which a standard normal variable is with probability p';

-- The one scan of a query's plan that draws, its n, and the rows of its table as the planner knows them
CREATE FUNCTION gpuagg.estimate_draws(query text, OUT draws bigint, OUT total float8)
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
COMMENT ON FUNCTION gpuagg.estimate_draws(text) IS
'behind gpuagg.estimate(): how many rows a query draws, and about how many its table has';

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

CREATE FUNCTION gpuagg.estimate(
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
COMMENT ON FUNCTION gpuagg.estimate(text, float8, float8[], float8) IS
'average, share, number, sum and quantiles of a query''s first column over the whole table, with confidence intervals, from the rows that it draws with TABLESAMPLE gpuagg.random_rows';

--
-- A word to who has forgotten to preload the module.  Not kept.
--

CREATE FUNCTION gpuagg.warn_unless_preloaded()
RETURNS void
LANGUAGE c VOLATILE STRICT
AS 'MODULE_PATHNAME', 'gpuagg_warn_unless_preloaded';
SELECT gpuagg.warn_unless_preloaded();
DROP FUNCTION gpuagg.warn_unless_preloaded();
