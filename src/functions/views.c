/*
 * views.c
 *		SQL functions behind gpuagg.devices, gpuagg.tasks and gpuagg.stat, and
 *		the resets of the counters and of the device.
 *
 * They work on shared memory and touch no device.  Who may call what is said in
 * the extension script; only gpuagg.tasks also looks at the caller: like
 * pg_stat_activity it tells about a task only to roles that could be its
 * user, and to pg_read_all_stats.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "settings.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_devices);
PG_FUNCTION_INFO_V1(gpuagg_tasks);
PG_FUNCTION_INFO_V1(gpuagg_stat);
PG_FUNCTION_INFO_V1(gpuagg_stat_reset);
PG_FUNCTION_INFO_V1(gpuagg_reset_device);
PG_FUNCTION_INFO_V1(gpuagg_reset_device_number);

#define GPUAGG_DEVICES_COLUMNS 18
#define GPUAGG_TASKS_COLUMNS 14
#define GPUAGG_STAT_COLUMNS 3

/*
 * gpuagg.reset_device() waits so long for the new worker: a second for the
 * postmaster, and a GPU that takes its time to open.
 */
#define GPUAGG_RESET_MS 20000
#define GPUAGG_RESET_CHECK_MS 200

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

/*
 * Tasks on a worker's primary device, or on the host device behind it; and tasks
 * meant for it that have a slot but not yet a place.
 */
static void
count_tasks(int device, bool fallback, int32 *running, int32 *queued)
{
	*running = *queued = 0;
	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);

		if (!slot_shown(slot) || slot->device != device || slot->host != fallback)
			continue;
		if (pg_atomic_read_u32(&slot->phase) == GPUAGG_PHASE_QUEUED)
			(*queued)++;
		else
			(*running)++;
	}
}

/* Of all cards there may be fewer than devices. */
static bool
device_has_worker(int device)
{
	return device == 0 || pg_atomic_read_u32(&gpuagg_shmem_state(device)->asked_for) != 0;
}

static void
put_row(FunctionCallInfo fcinfo, const Datum *values, const bool *nulls)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc,
						 (Datum *) values, (bool *) nulls);
}

/* A row of gpuagg.devices */
typedef struct GpuAggDeviceRow
{
	int32		number;
	const GpuAggDeviceInfo *info;	/* no kind: not known; no memory_limit:
									 * not open */
	const char *state;
	const char *why_not;		/* empty: nothing to tell */
	bool		working;		/* the worker uses it */
	bool		primary;		/* the worker runs tasks on it */
	int			device;			/* if primary, which of the devices at work */
	bool		open;			/* it takes tasks */
	int32		running;
	int32		queued;
	int32		waiting;
} GpuAggDeviceRow;

static void
put_device(FunctionCallInfo fcinfo, const GpuAggDeviceFacts *facts,
		   const GpuAggDeviceRow *row)
{
	Datum		values[GPUAGG_DEVICES_COLUMNS];
	bool		nulls[GPUAGG_DEVICES_COLUMNS] = {0};
	bool		known = row->info->kind[0] != '\0';
	bool		measured = known && row->info->memory_limit > 0;
	bool		worker = row->working && facts->worker_pid != 0;
	uint64		cache_limit = 0;
	uint64		cache_used = 0;
	int			i = 0;

	if (row->primary)
		gpuagg_cache_memory(row->device, &cache_limit, &cache_used);
	values[i++] = Int32GetDatum(row->number);
	nulls[i] = !known;
	values[i++] = CStringGetTextDatum(row->info->kind);
	nulls[i] = !known;
	values[i++] = CStringGetTextDatum(row->info->name);
	values[i++] = CStringGetTextDatum(row->state);
	nulls[i] = !worker;
	values[i++] = Int32GetDatum(facts->worker_pid);
	nulls[i] = !measured;
	values[i++] = Int64GetDatum(row->info->memory_used);
	nulls[i] = !measured;
	values[i++] = Int64GetDatum(row->info->memory_limit);
	values[i++] = Int32GetDatum(row->running);
	values[i++] = Int32GetDatum(row->queued);
	values[i++] = Int32GetDatum(row->waiting);
	values[i++] = Int32GetDatum(row->working && facts->starts > 0 ?
								facts->starts - 1 : 0);
	nulls[i] = row->why_not[0] == '\0';
	values[i++] = CStringGetTextDatum(row->why_not);
	nulls[i] = !worker;
	values[i++] = TimestampTzGetDatum(facts->started_at);
	nulls[i] = !row->primary;
	values[i++] = Int64GetDatum(cache_used);
	nulls[i] = !row->primary;
	values[i++] = Int64GetDatum(cache_limit);
	nulls[i] = !row->open;
	values[i++] = Int32GetDatum(100 - row->info->unregistered);
	nulls[i] = row->info->compiler[0] == '\0';
	values[i++] = CStringGetTextDatum(row->info->compiler);
	nulls[i] = row->info->uuid[0] == '\0';
	values[i++] = CStringGetTextDatum(row->info->uuid);
	Assert(i == GPUAGG_DEVICES_COLUMNS);
	put_row(fcinfo, values, nulls);
}

/* One that takes tasks may still be starting. */
static const char *
primary_state(const GpuAggDeviceView *view, bool idle)
{
	if (view->status != GPUAGG_READY)
		return status_name(view->status);
	if (idle)
		return "stuck";
	return view->facts.info.registering ? "starting" : "ready";
}

/* The device that runs tasks */
static void
put_primary(FunctionCallInfo fcinfo, const GpuAggDeviceView *view)
{
	const GpuAggDeviceFacts *facts = &view->facts;
	char		why_not[GPUAGG_MESSAGE_BYTES];
	bool		idle = gpuagg_shmem_why_not(view, why_not);
	bool		opening = view->gpu && facts->card >= 0 &&
		view->status == GPUAGG_STARTING;
	GpuAggDeviceRow row = {
		.number = gpuagg_shmem_number(view),
		.info = opening ? &facts->cards[facts->card] : &facts->info,
		.state = primary_state(view, idle),
		.why_not = why_not,
		.working = true,
		.primary = true,
		.device = view->device,
		.open = view->status == GPUAGG_READY,
		.waiting = view->device == 0 ? pg_atomic_read_u32(&gpuagg_shared->waiting) : 0
	};

	count_tasks(view->device, false, &row.running, &row.queued);
	put_device(fcinfo, facts, &row);
}

/* The host device behind a GPU */
static void
put_fallback(FunctionCallInfo fcinfo, const GpuAggDeviceView *view)
{
	static const GpuAggDeviceInfo closed = {.kind = "host"};
	const GpuAggDeviceFacts *facts = &view->facts;
	GpuAggDeviceRow row = {
		.number = gpuagg_shmem_host_number(facts),
		.info = facts->host.kind[0] != '\0' ? &facts->host : &closed,
		.state = "fallback",
		.why_not = "",
		.working = true
	};

	count_tasks(0, true, &row.running, &row.queued);
	put_device(fcinfo, facts, &row);
}

/* A card, which the device of these facts is to be, or is not */
static void
put_card(FunctionCallInfo fcinfo, const GpuAggDeviceFacts *facts, const GpuAggDeviceInfo *card,
		 bool chosen)
{
	GpuAggDeviceRow row = {
		.number = card->ordinal,
		.info = card,
		.state = !chosen ? "not used" : facts->gpu_off ? "off" : "failed",
		.why_not = chosen ? facts->gpu_why_not : ""
	};

	put_device(fcinfo, facts, &row);
}

/* Which of those at work is a card, if any is; -1: none */
static int
device_of_card(const GpuAggDeviceView *views, const GpuAggDeviceInfo *card)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		const GpuAggDeviceFacts *facts = &views[i].facts;

		if (facts->card >= 0 && facts->cards[facts->card].ordinal == card->ordinal)
			return i;
	}
	return -1;
}

/* A card that gpuagg.device names and the machine does not have */
static void
put_missing(FunctionCallInfo fcinfo, const GpuAggDeviceView *view, int ordinal)
{
	GpuAggDeviceInfo unknown = {.kind = "cuda",.ordinal = ordinal};
	GpuAggDeviceRow row = {
		.number = ordinal,
		.info = &unknown,
		.state = status_name(view->status),
		.why_not = view->facts.gpu_why_not
	};

	put_device(fcinfo, &view->facts, &row);
}

Datum
gpuagg_devices(PG_FUNCTION_ARGS)
{
	GpuAggDeviceView *views;
	GpuAggDeviceChoice choice;

	gpuagg_require_preload();
	views = palloc(gpuagg_shared->ndevices * sizeof(GpuAggDeviceView));
	InitMaterializedSRF(fcinfo, 0);
	(void) gpuagg_device_parse(gpuagg_device, &choice);
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		/* tells whether it is stuck, when we are asked again */
		(void) gpuagg_shmem_wake_worker(i);
		gpuagg_shmem_device(i, &views[i]);
	}
	for (int i = 0; i < views[0].facts.ncards; i++)
	{
		const GpuAggDeviceInfo *card = &views[0].facts.cards[i];
		int			device = device_of_card(views, card);

		if (device >= 0 && views[device].gpu)
			put_primary(fcinfo, &views[device]);
		else
			put_card(fcinfo, &views[Max(device, 0)].facts, card, device >= 0);
	}
	for (int i = 1; i < gpuagg_shared->ndevices; i++)
		if (choice.ordinals[i] >= 0 && views[i].facts.card < 0 && views[i].facts.starts > 0)
			put_missing(fcinfo, &views[i], choice.ordinals[i]);
	if (views[0].gpu)
		put_fallback(fcinfo, &views[0]);
	else
		put_primary(fcinfo, &views[0]);
	return (Datum) 0;
}

static const char *
slot_state(GpuAggSlot *slot)
{
	uint32		phase = pg_atomic_read_u32(&slot->phase);

	return slot->measure && phase == GPUAGG_PHASE_RUNNING ? "measuring" :
		phase_name(phase);
}

static bool
may_see(Oid userid)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		has_privs_of_role(GetUserId(), userid);
}

/* Those of all devices at work; that of the host device behind them */
static int32
tasks_numbers(int32 *numbers)
{
	GpuAggDeviceView view;
	int32		host = 0;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		gpuagg_shmem_device(i, &view);
		numbers[i] = gpuagg_shmem_number(&view);
		if (i == 0)
			host = gpuagg_shmem_host_number(&view.facts);
	}
	return host;
}

Datum
gpuagg_tasks(PG_FUNCTION_ARGS)
{
	bool		nulls[GPUAGG_TASKS_COLUMNS] = {0};
	TimestampTz now = GetCurrentTimestamp();
	int32		numbers[GPUAGG_MAX_CARDS];
	int32		host;

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	host = tasks_numbers(numbers);
	for (int n = 0; n < gpuagg_shared->nslots; n++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(n);
		Datum		values[GPUAGG_TASKS_COLUMNS];
		TimestampTz begun = slot->begun_at;
		int			i = 0;

		if (!slot_shown(slot) || !may_see(slot->userid))
			continue;
		values[i++] = Int32GetDatum(slot->host ? host : numbers[slot->device]);
		values[i++] = Int32GetDatum(slot->pid);
		values[i++] = ObjectIdGetDatum(slot->datid);
		values[i++] = ObjectIdGetDatum(slot->userid);
		nulls[i] = !OidIsValid(slot->relid);
		values[i++] = ObjectIdGetDatum(slot->relid);
		values[i++] = CStringGetTextDatum(slot_state(slot));
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->pages_done));
		values[i++] = Int64GetDatum(slot->pages_total);
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->rows));
		values[i++] = Int64GetDatum(pg_atomic_read_u64(&slot->memory));
		values[i++] = TimestampTzGetDatum(slot->started_at);
		values[i++] = Int32GetDatum(slot->share);
		values[i++] = Float8GetDatum(slot->predicted_ms);
		values[i++] = Float8GetDatum(((begun != 0 ? begun : now) - slot->started_at) / 1000.0);
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
	gpuagg_stat_cost_reset();
	gpuagg_learned_reset();
	gpuagg_stat_tables_reset();
	PG_RETURN_VOID();
}

/*
 * Waits, interruptibly and bounded, until a device is ready again, or has failed to open,
 * since it had so many starts.
 */
static bool
reset_wait(int device, uint32 starts, TimestampTz until)
{
	static uint32 wait_event;
	GpuAggDeviceView view;
	long		left;

	ConditionVariablePrepareToSleep(&gpuagg_shared->changed);
	for (;;)
	{
		gpuagg_shmem_device(device, &view);
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), until);
		if (left <= 0 ||
			(view.facts.starts != starts &&
			 (view.status == GPUAGG_READY || view.status == GPUAGG_FAILED)))
			break;
		ConditionVariableTimedSleep(&gpuagg_shared->changed,
									Min(left, GPUAGG_RESET_CHECK_MS),
									gpuagg_wait_event(&wait_event,
													  "GpuAggReset"));
	}
	ConditionVariableCancelSleep();
	return view.facts.starts != starts && view.status == GPUAGG_READY;
}

/*
 * Asks the workers of all devices at work to start anew, or that of one of them.  True if
 * all of these are ready again.
 */
static bool
reset_devices(int only)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), GPUAGG_RESET_MS);
	uint32		starts[GPUAGG_MAX_CARDS] = {0};
	bool		ready = true;

	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if ((only < 0 || i == only) && device_has_worker(i))
			starts[i] = gpuagg_shmem_reset_device(i);
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		if ((only < 0 || i == only) && device_has_worker(i))
			ready &= reset_wait(i, starts[i], until);
	return ready;
}

Datum
gpuagg_reset_device(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	PG_RETURN_BOOL(reset_devices(-1));
}

Datum
gpuagg_reset_device_number(PG_FUNCTION_ARGS)
{
	int32		number = PG_GETARG_INT32(0);

	gpuagg_require_preload();
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		GpuAggDeviceView view;

		/* a card that is off is the device's, though the host device runs its tasks */
		gpuagg_shmem_device(i, &view);
		if (device_has_worker(i) &&
			(gpuagg_shmem_number(&view) == number ||
			 (view.facts.card >= 0 && view.facts.cards[view.facts.card].ordinal == number)))
			PG_RETURN_BOOL(reset_devices(i));
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("device %d runs no tasks", number),
			 errhint("See gpuagg.devices and gpuagg.device.")));
}
