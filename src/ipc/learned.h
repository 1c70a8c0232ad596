/*
 * learned.h
 *		How much longer tasks took than a generic profile predicts, in main shared memory,
 *		behind view gpuagg.learned.
 *
 * Of the host device and of GPUs each a ring of the last tasks.  Their median is a factor, which
 * predictions by a generic profile are multiplied with (cost/predict.h).  Kept until the server
 * ends, gpuagg.stat_reset(), or no such task came for an hour: where a factor keeps tasks away
 * from the device, none could correct it.
 */
#ifndef GPUAGG_IPC_LEARNED_H
#define GPUAGG_IPC_LEARNED_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/spin.h"

/* Tasks that the median is of, and without how many there is none */
#define GPUAGG_LEARNED_TASKS 64
#define GPUAGG_LEARNED_LEAST 20

/* Of less, in milliseconds, the clock and the scheduler tell more than the task does. */
#define GPUAGG_LEARNED_MS 1.0

/* No factor is further from 1. */
#define GPUAGG_LEARNED_MOST 32.0

typedef struct GpuAggLearned
{
	pg_atomic_uint64 factor;	/* the bits of a double; 0: none yet */
	pg_atomic_uint64 at;		/* TimestampTz of the last task */
	slock_t		mutex;			/* guards the rest */
	uint64		tasks;			/* that came since it began anew */
	double		ratios[GPUAGG_LEARNED_TASKS];	/* taken / predicted */
} GpuAggLearned;

/* Of the host device, and of GPUs */
#define GPUAGG_LEARNED_KINDS 2

extern void gpuagg_learned_init(void);

/*
 * Notes that a task took so many times what the unscaled profile predicts.  The server's first
 * one writes a line to its log, for nothing is measured of this machine.
 */
extern void gpuagg_learned_add(bool gpu, double ratio);

/* The factor; 1 while there is none.  Takes no lock. */
extern double gpuagg_learned_factor(bool gpu);

extern void gpuagg_learned_reset(void);

#endif							/* GPUAGG_IPC_LEARNED_H */
