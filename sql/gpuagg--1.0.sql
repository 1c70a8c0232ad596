/* gpuagg 1.0: views on devices, tasks and counters, and tools */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpuagg" to load this file. \quit

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
    OUT started_at timestamptz)
RETURNS SETOF record
LANGUAGE c VOLATILE STRICT PARALLEL SAFE
AS 'MODULE_PATHNAME', 'gpuagg_devices';
COMMENT ON FUNCTION gpuagg.get_devices() IS
'behind view gpuagg.devices';

CREATE VIEW gpuagg.devices AS
    SELECT device, kind, name, state, pid, memory_used, memory_limit,
           memory_limit - memory_used AS memory_free,
           tasks_running, tasks_queued, clients_waiting, restarts, why_not,
           started_at
    FROM gpuagg.get_devices();
COMMENT ON VIEW gpuagg.devices IS
'devices of this machine, one row each; the one that runs tasks is the one that is not "not used", "off" or "standby"';
COMMENT ON COLUMN gpuagg.devices.device IS
'number of the device: N of "cuda:N"; the host device comes after the last GPU';
COMMENT ON COLUMN gpuagg.devices.kind IS
'cuda: an NVIDIA GPU; host: a pool of threads on the processor';
COMMENT ON COLUMN gpuagg.devices.name IS
'what the device calls itself';
COMMENT ON COLUMN gpuagg.devices.state IS
'of the device that runs tasks: starting, ready, failed (cannot be opened; tried again every minute) or stopped (its worker restarts in a second); of others: not used, failed (a GPU that cannot be used), off (a GPU that was lost too often; see gpuagg.reset_device) or standby (the host device, for tasks that the GPU fails)';
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
    OUT started_at timestamptz)
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
           t.state, t.pages_done, t.pages_total, t.rows, t.memory, t.started_at
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
'queued, running, or draining (over; the device finishes what it reads)';
COMMENT ON COLUMN gpuagg.tasks.pages_done IS
'pages of the table handed to the device';
COMMENT ON COLUMN gpuagg.tasks.pages_total IS
'pages of the table';
COMMENT ON COLUMN gpuagg.tasks.rows IS
'visible rows that the device has read';
COMMENT ON COLUMN gpuagg.tasks.memory IS
'bytes that the task uses on the device';
COMMENT ON COLUMN gpuagg.tasks.started_at IS
'when the query asked for the device';
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
'sets all counters of gpuagg.stat to zero';
REVOKE ALL ON FUNCTION gpuagg.stat_reset() FROM PUBLIC;

--
-- Tools
--

CREATE FUNCTION gpuagg.reset_device()
RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_reset_device';
COMMENT ON FUNCTION gpuagg.reset_device() IS
'restarts the device worker, with a GPU that was turned off because it had been lost too often; tasks that run are redone; true if a device is ready again';
REVOKE ALL ON FUNCTION gpuagg.reset_device() FROM PUBLIC;

CREATE FUNCTION gpuagg.why_not(query text)
RETURNS SETOF text
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'gpuagg_why_not';
COMMENT ON FUNCTION gpuagg.why_not(text) IS
'why a query does not run on a device: a row for each obstacle, none if it does';

CREATE FUNCTION gpuagg.ping(n integer DEFAULT 1)
RETURNS double precision
LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'gpuagg_ping';
COMMENT ON FUNCTION gpuagg.ping(integer) IS
'median microseconds that n empty tasks take from the query to the device and back';
