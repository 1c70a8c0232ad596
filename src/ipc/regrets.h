/*
 * regrets.h
 *		How long tasks over a table have waited for the device that has its columns, in
 *		main shared memory.
 *
 * With several GPUs a table's columns lie on one of them, until tasks have waited there
 * for longer than it takes to read the table on another one too (cost/placement.h).
 */
#ifndef GPUAGG_IPC_REGRETS_H
#define GPUAGG_IPC_REGRETS_H

#include "postgres.h"

#include "storage/spin.h"

/* Tables that are told apart; beyond that, who has waited least is forgotten. */
#define GPUAGG_REGRETS 64

typedef struct GpuAggRegrets
{
	slock_t		mutex;			/* guards the rest, for one look over it */
	struct
	{
		Oid			dbid;		/* InvalidOid: free */
		Oid			relid;
		double		ns;
	}			tables[GPUAGG_REGRETS];
} GpuAggRegrets;

/*
 * Adds to what tasks over a table of this database have waited for; if that is then
 * enough, forgets it all and returns true.
 */
extern bool gpuagg_regrets_add(Oid relid, double ns, double enough);

#endif							/* GPUAGG_IPC_REGRETS_H */
