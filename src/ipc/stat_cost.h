/*
 * stat_cost.h
 *		The last predictions of the cost model and what became of them, in
 *		shared memory, behind view gpuagg.stat_cost.
 *
 * A ring: the newest GPUAGG_COST_PAIRS tasks of all databases.  Kept until the
 * server ends or gpuagg.stat_reset().
 */
#ifndef GPUAGG_IPC_STAT_COST_H
#define GPUAGG_IPC_STAT_COST_H

#include "postgres.h"

#include "datatype/timestamp.h"
#include "storage/spin.h"

#define GPUAGG_COST_PAIRS 256

/* One task: from its start until its groups or rows can be returned */
typedef struct GpuAggCostPair
{
	TimestampTz ended_at;
	Oid			datid;
	Oid			userid;			/* who logged in */
	Oid			relid;
	bool		select;			/* GpuSample, else GpuAgg */
	char		device[16];		/* kind */
	const char *bound;			/* static string */
	double		predicted_ms;
	double		measured_ms;
} GpuAggCostPair;

typedef struct GpuAggCostRing
{
	slock_t		mutex;
	uint64		count;			/* pairs ever noted */
	GpuAggCostPair pairs[GPUAGG_COST_PAIRS];
} GpuAggCostRing;

/* The backend's identity and the time are filled in. */
extern void gpuagg_stat_cost_add(GpuAggCostPair *pair);
extern void gpuagg_stat_cost_reset(void);

#endif							/* GPUAGG_IPC_STAT_COST_H */
