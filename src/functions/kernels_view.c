/*
 * kernels_view.c
 *		The SQL function behind view gpuagg.kernels.
 */
#include "postgres.h"

#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "ipc/kernels_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "settings.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(gpuagg_kernels);

#define GPUAGG_KERNELS_COLUMNS 15

static const char *
stage_name(uint32 stage)
{
	switch ((GpuAggKernelStage) stage)
	{
		case GPUAGG_KERNEL_STAGE_SEEN:
			return "seen";
		case GPUAGG_KERNEL_STAGE_QUEUED:
			return "compiling";
		case GPUAGG_KERNEL_STAGE_LOADED:
			return "ready";
		case GPUAGG_KERNEL_STAGE_FAILED:
			break;
	}
	return "failed";
}

/* The columns that only one that is ready has, from i on; false in nulls if it is */
static int
put_loaded(const GpuAggCompiledInfo *entry, Datum *values, bool *nulls, int i)
{
	bool		loaded = entry->stage == GPUAGG_KERNEL_STAGE_LOADED;
	int			first = i;

	values[i++] = CStringGetTextDatum(entry->from_disk ? "disk" : "compiler");
	values[i++] = Float8GetDatum((double) entry->compile_ns / 1e6);
	values[i++] = Float8GetDatum((double) entry->load_ns / 1e6);
	values[i++] = Int64GetDatum(entry->bytes);
	values[i++] = Int32GetDatum(entry->registers);
	values[i++] = Int32GetDatum(entry->shared_bytes);
	values[i++] = Int32GetDatum(entry->local_bytes);
	values[i++] = Int32GetDatum(entry->block_threads);
	values[i++] = Int32GetDatum(entry->blocks);
	for (int k = first; k < i; k++)
		nulls[k] = !loaded;
	return i;
}

static void
put_kernels(ReturnSetInfo *rsinfo, int device)
{
	GpuAggCompiledInfo *entries;
	uint32		n = gpuagg_kernels_get(device, &entries);
	GpuAggDeviceView view;

	gpuagg_shmem_device(device, &view);
	for (uint32 e = 0; e < n; e++)
	{
		const GpuAggCompiledInfo *entry = &entries[e];
		Datum		values[GPUAGG_KERNELS_COLUMNS];
		bool		nulls[GPUAGG_KERNELS_COLUMNS] = {0};
		char		digest[17];
		int			i = 0;

		snprintf(digest, sizeof(digest), "%016llx", (unsigned long long) entry->digest);
		values[i++] = CStringGetTextDatum(digest);
		values[i++] = CStringGetTextDatum(entry->shape);
		values[i++] = CStringGetTextDatum(stage_name(entry->stage));
		values[i++] = Int64GetDatum(entry->uses);
		i = put_loaded(entry, values, nulls, i);
		nulls[i] = entry->message[0] == '\0';
		values[i++] = CStringGetTextDatum(entry->message);
		values[i++] = Int32GetDatum(gpuagg_shmem_number(&view));
		Assert(i == GPUAGG_KERNELS_COLUMNS);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	pfree(entries);
}

Datum
gpuagg_kernels(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		put_kernels((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}
