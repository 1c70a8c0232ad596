/*
 * ping.c
 *		gpuagg.ping(n): the median round trip of n empty tasks.
 *
 * An empty task is a whole one: slot, queues, admission, program (count(*)
 * without keys), no pages, groups, end.  So the figure is what offloading
 * costs a query before its first page, and a device that answers it works.
 */
#include "postgres.h"

#include "extension.h"
#include "fmgr.h"
#include "functions/ping.h"
#include "ipc/client.h"
#include "ipc/shmem.h"
#include "portability/instr_time.h"
#include "probe/stats.h"
#include "settings.h"
#include "storage/ipc.h"

PG_FUNCTION_INFO_V1(gpuagg_ping);

#define GPUAGG_PING_MAX 1000000

/* count(*) without keys */
static const struct
{
	GpuAggProgram program;
	GpuAggTransition count;
}			ping = {
	.program = {
		.version = GPUAGG_PROGRAM_VERSION,
		.bytes = sizeof(ping),
		.filter_reg = GPUAGG_NO_REG,
		.ntransitions = 1,
		.attrs_off = sizeof(ping),
		.consts_off = sizeof(ping),
		.instrs_off = sizeof(ping),
		.keys_off = sizeof(ping),
		.transitions_off = sizeof(GpuAggProgram),
		.classes_off = sizeof(ping)
	},
	.count = {
		.op = GPUAGG_TRANS_COUNT,
		.arg = GPUAGG_NO_REG,
		.filter = GPUAGG_NO_REG,
		.type = GPUAGG_T_INT8
	}
};

const GpuAggProgram *
gpuagg_ping_program(void)
{
	return &ping.program;
}

static void
ping_cleanup(int code, Datum arg)
{
	gpuagg_client_abort((GpuAggClient *) DatumGetPointer(arg));
}

/* From FINISH to DONE. */
static GpuAggStatus
ping_finish(GpuAggClient *client, GpuAggError *error)
{
	GpuAggMsg	finish = {.type = GPUAGG_MSG_FINISH};
	GpuAggStatus status;

	status = gpuagg_client_send(client, &finish, sizeof(finish), error);
	while (status == GPUAGG_OK)
	{
		const GpuAggMsg *msg;
		Size		bytes;

		status = gpuagg_client_receive(client, true, &msg, &bytes, error);
		if (status == GPUAGG_OK && msg->type == GPUAGG_MSG_DONE)
			break;
	}
	return status;
}

static GpuAggStatus
ping_once(int device, bool host, GpuAggError *error)
{
	GpuAggClientRequest request = {.program = &ping.program, .device = device, .host = host};
	GpuAggClient *client;
	volatile GpuAggStatus status = GPUAGG_OK;

	request.config.expected_groups = 1;
	client = gpuagg_client_begin(&request, error);
	if (client == NULL)
		return error->status;
	PG_ENSURE_ERROR_CLEANUP(ping_cleanup, PointerGetDatum(client));
	{
		status = ping_finish(client, error);
	}
	PG_END_ENSURE_ERROR_CLEANUP(ping_cleanup, PointerGetDatum(client));
	if (status == GPUAGG_OK)
		gpuagg_client_end(client);
	else
		gpuagg_client_abort(client);
	pfree(client);
	return status;
}

double
gpuagg_ping_median(int n, int device, bool host)
{
	double	   *us = palloc(n * sizeof(double));
	double		median;

	for (int i = 0; i < n; i++)
	{
		GpuAggError error;
		instr_time	start;
		instr_time	end;

		INSTR_TIME_SET_CURRENT(start);
		if (ping_once(device, host, &error) != GPUAGG_OK)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the device does not answer"),
					 errdetail_internal("%s", error.message),
					 errhint("See view gpuagg.devices.")));
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_SUBTRACT(end, start);
		us[i] = INSTR_TIME_GET_DOUBLE(end) * 1e6;
	}
	median = gpuagg_stat_sort_median(us, n);
	pfree(us);
	return median;
}

Datum
gpuagg_ping(PG_FUNCTION_ARGS)
{
	int32		n = PG_GETARG_INT32(0);

	gpuagg_require_preload();
	if (n < 1 || n > GPUAGG_PING_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of round trips must be between 1 and %d",
						GPUAGG_PING_MAX)));
	PG_RETURN_FLOAT8(gpuagg_ping_median(n, gpuagg_shmem_plan_device(), false));
}
