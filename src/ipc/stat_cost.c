/*
 * stat_cost.c
 *		The last predictions of the cost model and what became of them.
 *
 * As gpuagg.tasks, the view tells about a task only to roles that could be
 * its user, and to pg_read_all_stats.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "settings.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_stat_cost);

#define COLUMNS 9

void
gpuagg_stat_cost_add(GpuAggCostPair *pair)
{
	GpuAggCostRing *ring = &gpuagg_shared->costs;

	pair->ended_at = GetCurrentTimestamp();
	pair->datid = MyDatabaseId;
	pair->userid = GetSessionUserId();
	SpinLockAcquire(&ring->mutex);
	ring->pairs[ring->count++ % GPUAGG_COST_PAIRS] = *pair;
	SpinLockRelease(&ring->mutex);
}

void
gpuagg_stat_cost_reset(void)
{
	GpuAggCostRing *ring = &gpuagg_shared->costs;

	SpinLockAcquire(&ring->mutex);
	ring->count = 0;
	SpinLockRelease(&ring->mutex);
}

static void
put_pair(ReturnSetInfo *result, const GpuAggCostPair *pair)
{
	bool		nulls[COLUMNS] = {0};
	Datum		values[COLUMNS];
	int			i = 0;

	values[i++] = TimestampTzGetDatum(pair->ended_at);
	values[i++] = ObjectIdGetDatum(pair->datid);
	values[i++] = ObjectIdGetDatum(pair->userid);
	values[i++] = ObjectIdGetDatum(pair->relid);
	values[i++] = CStringGetTextDatum(pair->select ? "GpuSample" : "GpuAgg");
	values[i++] = CStringGetTextDatum(pair->device);
	values[i++] = Float8GetDatum(pair->predicted_ms);
	values[i++] = Float8GetDatum(pair->measured_ms);
	values[i++] = CStringGetTextDatum(pair->bound);
	Assert(i == COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
gpuagg_stat_cost(PG_FUNCTION_ARGS)
{
	GpuAggCostRing *copy;
	bool		all = has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS);

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	copy = palloc(sizeof(GpuAggCostRing));
	SpinLockAcquire(&gpuagg_shared->costs.mutex);
	memcpy(copy, &gpuagg_shared->costs, sizeof(GpuAggCostRing));
	SpinLockRelease(&gpuagg_shared->costs.mutex);
	for (uint64 n = copy->count - Min(copy->count, GPUAGG_COST_PAIRS);
		 n < copy->count; n++)
	{
		const GpuAggCostPair *pair = &copy->pairs[n % GPUAGG_COST_PAIRS];

		if (all || has_privs_of_role(GetUserId(), pair->userid))
			put_pair((ReturnSetInfo *) fcinfo->resultinfo, pair);
	}
	pfree(copy);
	return (Datum) 0;
}
