/*
 * views.c
 *		SQL functions behind gpuagg.devices, gpuagg.tasks and gpuagg.stat, and
 *		the reset of the counters.
 *
 * They read shared memory and touch no device.  Who may call what is said in
 * the extension script; only gpuagg.tasks also looks at the caller: like
 * pg_stat_activity it tells about a task only to roles that could be its
 * user, and to pg_read_all_stats.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "gpuagg.h"
#include "miscadmin.h"
#include "service/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_devices);
PG_FUNCTION_INFO_V1(gpuagg_tasks);
PG_FUNCTION_INFO_V1(gpuagg_stat);
PG_FUNCTION_INFO_V1(gpuagg_stat_reset);

#define GPUAGG_DEVICES_COLUMNS 13
#define GPUAGG_TASKS_COLUMNS 11
#define GPUAGG_STAT_COLUMNS 3

static const char *
status_name(GpuAggDeviceStatus status)
{
	switch (status)
	{
		case GPUAGG_STARTING:
			return "starting";
		case GPUAGG_READY:
			return "ready";
		case GPUAGG_FAILED:
			return "failed";
		case GPUAGG_STOPPED:
			break;
	}
	return "stopped";
}

static const char *
phase_name(GpuAggPhase phase)
{
	switch (phase)
	{
		case GPUAGG_PHASE_QUEUED:
			return "queued";
		case GPUAGG_PHASE_RUNNING:
			return "running";
		case GPUAGG_PHASE_DRAINING:
			break;
	}
	return "draining";
}

/*
 * A task to show: its backend has announced it and has not left it.  Before
 * that the slot may still tell of its last task; what the worker then does
 * with it is tidying.
 */
static bool
slot_shown(GpuAggSlot *slot)
{
	uint32		holders = pg_atomic_read_u32(&slot->holders);

	return (holders & GPUAGG_HOLD_CLIENT) != 0 &&
		(holders & (GPUAGG_HOLD_OPEN | GPUAGG_HOLD_WORKER)) != 0;
}

/* Tasks on the device, and tasks that have a slot but not yet a place. */
static void
count_tasks(int32 *running, int32 *queued)
{
	*running = *queued = 0;
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);

		if (!slot_shown(slot))
			continue;
		if (pg_atomic_read_u32(&slot->phase) == GPUAGG_PHASE_QUEUED)
			(*queued)++;
		else
			(*running)++;
	}
}

static void
put_row(FunctionCallInfo fcinfo, const Datum *values, const bool *nulls)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
						 (Datum *) values, (bool *) nulls);
}

Datum
gpuagg_devices(PG_FUNCTION_ARGS)
{
	Datum		values[GPUAGG_DEVICES_COLUMNS];
	bool		nulls[GPUAGG_DEVICES_COLUMNS] = {0};
	GpuAggDeviceView view;
	int32		running;
	int32		queued;
	bool		opened;
	int			i = 0;

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	gpuagg_shmem_device(&view);
	count_tasks(&running, &queued);
	opened = view.info.kind[0] != '\0';

	values[i++] = Int32GetDatum(0);
	nulls[i] = !opened;
	values[i++] = opened ? CStringGetTextDatum(view.info.kind) : (Datum) 0;
	nulls[i] = !opened;
	values[i++] = opened ? CStringGetTextDatum(view.info.name) : (Datum) 0;
	values[i++] = CStringGetTextDatum(status_name(view.status));
	nulls[i] = view.worker_pid == 0;
	values[i++] = Int32GetDatum(view.worker_pid);
	nulls[i] = !opened;
	values[i++] = Int64GetDatum(view.info.memory_used);
	nulls[i] = !opened;
	values[i++] = Int64GetDatum(view.info.memory_limit);
	values[i++] = Int32GetDatum(running);
	values[i++] = Int32GetDatum(queued);
	values[i++] = Int32GetDatum(pg_atomic_read_u32(&gpuagg_shared->device.waiting));
	values[i++] = Int32GetDatum(view.starts > 0 ? view.starts - 1 : 0);
	nulls[i] = view.why_not[0] == '\0';
	values[i++] = CStringGetTextDatum(view.why_not);
	nulls[i] = view.worker_pid == 0;
	values[i++] = TimestampTzGetDatum(view.started_at);
	Assert(i == GPUAGG_DEVICES_COLUMNS);
	put_row(fcinfo, values, nulls);
	return (Datum) 0;
}

static bool
may_see(Oid userid)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		has_privs_of_role(GetUserId(), userid);
}

Datum
gpuagg_tasks(PG_FUNCTION_ARGS)
{
	bool		nulls[GPUAGG_TASKS_COLUMNS] = {0};

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	for (int n = 0; n < gpuagg_shared->nslots; n++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(n);
		Datum		values[GPUAGG_TASKS_COLUMNS];
		int			i = 0;

		if (!slot_shown(slot) || !may_see(slot->userid))
			continue;
		values[i++] = Int32GetDatum(0);
		values[i++] = Int32GetDatum(slot->pid);
		values[i++] = ObjectIdGetDatum(slot->datid);
		values[i++] = ObjectIdGetDatum(slot->userid);
		nulls[i] = !OidIsValid(slot->relid);
		values[i++] = ObjectIdGetDatum(slot->relid);
		values[i++] = CStringGetTextDatum(phase_name(pg_atomic_read_u32(&slot->phase)));
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->pages_done));
		values[i++] = Int64GetDatum(slot->pages_total);
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->rows));
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->memory));
		values[i++] = TimestampTzGetDatum(slot->started_at);
		Assert(i == GPUAGG_TASKS_COLUMNS);
		put_row(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

Datum
gpuagg_stat(PG_FUNCTION_ARGS)
{
	static const struct
	{
		const char *name;
		const char *meaning;
	}			stats[] = {
#define X(name, meaning) {#name, meaning},
		GPUAGG_STAT_LIST(X)
#undef X
	};
	bool		nulls[GPUAGG_STAT_COLUMNS] = {0};

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GPUAGG_NSTATS; i++)
	{
		Datum		values[GPUAGG_STAT_COLUMNS];

		values[0] = CStringGetTextDatum(stats[i].name);
		values[1] = Int64GetDatum(pg_atomic_read_u64(&gpuagg_shared->stats[i]));
		values[2] = CStringGetTextDatum(stats[i].meaning);
		put_row(fcinfo, values, nulls);
	}
	return (Datum) 0;
}

Datum
gpuagg_stat_reset(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	for (int i = 0; i < GPUAGG_NSTATS; i++)
		pg_atomic_write_u64(&gpuagg_shared->stats[i], 0);
	PG_RETURN_VOID();
}
