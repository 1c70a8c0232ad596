/*
 * calibrate.c
 *		gpuagg.calibrate(device, effort): measures a device and stores what
 *		comes out as a profile.
 *
 * The device's part is a task of its worker (probe/probe_task.h), which
 * runs beside others, shows up in gpuagg.tasks and ends when the query is
 * cancelled.  The backend's part (measure.c) follows: what it costs to feed
 * a page, and what PostgreSQL's cost unit takes.  All rows are stored at the
 * end, in the caller's transaction: there is a whole run, or none.
 *
 * The SQL function is SECURITY DEFINER, so that whoever may execute it needs
 * no right on the tables.
 */
#include "postgres.h"

#include "calibrate/calibrate.h"
#include "executor/spi.h"
#include "extension.h"
#include "fmgr.h"
#include "functions/ping.h"
#include "ipc/client.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "probe/probe_task.h"
#include "settings.h"
#include "storage/ipc.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(gpuagg_calibrate);
PG_FUNCTION_INFO_V1(gpuagg_machine);

/* Empty tasks that tell the round trip */
#define PINGS 101

/* Seconds that a device may measure, by effort */
static const double device_seconds[] = {4, 60, 240};

/* ------------------------------------------------------------- arguments --- */

static GpuAggEffort
parse_effort(const char *effort)
{
	if (strcmp(effort, "low") == 0)
		return GPUAGG_EFFORT_LOW;
	if (strcmp(effort, "normal") == 0)
		return GPUAGG_EFFORT_NORMAL;
	if (strcmp(effort, "high") == 0)
		return GPUAGG_EFFORT_HIGH;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("effort must be \"low\", \"normal\" or \"high\"")));
}

/* The device at work that is this card, or the first that is a GPU; -1: none */
static int
find_card(int ordinal)
{
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
	{
		GpuAggDeviceView view;

		gpuagg_shmem_device(i, &view);
		if (view.gpu && (ordinal < 0 || ordinal == view.facts.info.ordinal))
			return i;
	}
	return -1;
}

/*
 * Is it the host device that is asked for?  Only devices that run tasks and the host
 * device can be measured; *at is which of those.
 */
static bool
parse_device(const char *device, int *at)
{
	GpuAggDeviceChoice choice;

	*at = 0;
	if (!gpuagg_device_parse(device, &choice) || choice.ndevices > 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid device \"%s\"", device),
				 errhint("Devices are \"auto\", \"host\", \"cuda\" and \"cuda:N\"; several are measured one by one.")));
	if (!choice.gpu)
		return true;
	*at = find_card(choice.ordinals[0]);
	if (*at < 0 && !choice.must)
		*at = 0;				/* auto */
	if (*at < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("device \"%s\" runs no tasks", device),
				 errhint("Only the device in use and the host device can be measured; see gpuagg.devices and gpuagg.device.")));
	return false;
}

/* ---------------------------------------------------------- the session --- */

static void
take_record(GpuAggCalibration *c, const GpuAggProbeRecord *record)
{
	const char *data = (const char *) (record + 1);
	int			n = record->bytes / sizeof(GpuAggCurvePoint);

	if (record->kind == GPUAGG_RECORD_RESULT)
	{
		memcpy(&c->result, data, Min(record->bytes, sizeof(c->result)));
		return;
	}
	c->points = c->points == NULL ? palloc(n * sizeof(GpuAggCurvePoint)) :
		repalloc(c->points, (c->npoints + n) * sizeof(GpuAggCurvePoint));
	memcpy(c->points + c->npoints, data, n * sizeof(GpuAggCurvePoint));
	c->npoints += n;
}

static void
take_results(GpuAggCalibration *c, const GpuAggMsg *msg, Size bytes)
{
	const char *at = (const char *) (msg + 1);
	const char *end = (const char *) msg + bytes;

	for (uint32 i = 0; i < msg->count && end - at >= sizeof(GpuAggProbeRecord); i++)
	{
		const GpuAggProbeRecord *record = (const GpuAggProbeRecord *) at;

		at += sizeof(*record);
		if (record->bytes > end - at)
			break;
		take_record(c, record);
		at += record->bytes;
	}
}

static GpuAggStatus
session_drive(GpuAggCalibration *c, GpuAggClient *client, GpuAggError *error)
{
	GpuAggMsg	finish = {.type = GPUAGG_MSG_FINISH};
	GpuAggStatus status = gpuagg_client_send(client, &finish, sizeof(finish),
											 error);

	while (status == GPUAGG_OK)
	{
		const GpuAggMsg *msg;
		Size		bytes;

		status = gpuagg_client_receive(client, true, &msg, &bytes, error);
		if (status != GPUAGG_OK || msg->type == GPUAGG_MSG_DONE)
			break;
		if (msg->type == GPUAGG_MSG_RESULTS)
			take_results(c, msg, bytes);
	}
	return status;
}

static void
session_cleanup(int code, Datum arg)
{
	gpuagg_client_abort((GpuAggClient *) DatumGetPointer(arg));
}

static void
measure_device(GpuAggCalibration *c, int at)
{
	GpuAggClientRequest request = {
		.program = gpuagg_ping_program(),
		.device = at,
		.config.probe.effort = c->effort,
		.config.probe.limits.seconds = device_seconds[c->effort],
		.config.probe.limits.memory_share = 0.95,
		.total_pages = 1000,
		.host = c->host,
		.measure = true
	};
	GpuAggError error = {0};
	GpuAggClient *client = gpuagg_client_begin(&request, &error);
	volatile GpuAggStatus status = GPUAGG_OK;

	if (client != NULL)
	{
		PG_ENSURE_ERROR_CLEANUP(session_cleanup, PointerGetDatum(client));
		{
			status = session_drive(c, client, &error);
		}
		PG_END_ENSURE_ERROR_CLEANUP(session_cleanup, PointerGetDatum(client));
		c->info = *gpuagg_client_info(client);
		if (status == GPUAGG_OK)
			gpuagg_client_end(client);
		else
			gpuagg_client_abort(client);
	}
	if (client == NULL || status != GPUAGG_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the device cannot be measured"),
				 errdetail_internal("%s", error.message),
				 errhint("See view gpuagg.devices.")));
}

/* ------------------------------------------------------------------ SQL --- */

static void
report(const GpuAggCalibration *c)
{
	uint64		searched = gpuagg_calibration_no_tlb(c);

	if (searched > 0)
		ereport(NOTICE,
				(errmsg("no level of a translation lookaside buffer was found up to %.0f MB",
						searched / 1048576.0)));
	if (c->postgres_slowdown > GPUAGG_BUSY_SLOWDOWN)
		ereport(WARNING,
				(errmsg("the CPUs seem to have been used by others: PostgreSQL's own queries took %.1f times as long in the mean as at their fastest",
						c->postgres_slowdown),
				 errhint("Calibrate again when the machine is idle.")));
	if (c->result.busy)
		ereport(WARNING,
				(errmsg("the device seems to have been used by others: repeats of many measurements differ by %.0f %% or more",
						c->result.spread * 100),
				 errhint("Calibrate again when it is idle.")));
	if (!c->huge_pages)
		ereport(NOTICE,
				(errmsg("shared_buffers lie in pages of 4 kB"),
				 errhint("With \"huge_pages = on\" a session's first scan of a table need not map them one by one.")));
}

Datum
gpuagg_calibrate(PG_FUNCTION_ARGS)
{
	GpuAggCalibration *c = palloc0(sizeof(GpuAggCalibration));
	instr_time	start;
	instr_time	end;
	int			at;
	int			id;

	gpuagg_require_preload();
	PreventCommandIfReadOnly("gpuagg.calibrate()");	/* before it takes long */
	c->effort = parse_effort(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	c->host = parse_device(text_to_cstring(PG_GETARG_TEXT_PP(0)), &at);
	INSTR_TIME_SET_CURRENT(start);
	measure_device(c, at);
	c->round_trip_ns = gpuagg_ping_median(PINGS, at, c->host) * 1000;
	SPI_connect();
	gpuagg_measure_backend(c);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	c->seconds = INSTR_TIME_GET_DOUBLE(end);
	id = gpuagg_store_calibration(c);
	SPI_finish();
	report(c);
	PG_RETURN_INT32(id);
}

Datum
gpuagg_machine(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	PG_RETURN_TEXT_P(cstring_to_text(gpuagg_shared->machine));
}
