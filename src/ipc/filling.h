/*
 * filling.h
 *		Which tasks bring many pages of a table to a device's column cache, so that others
 *		wait for these instead of bringing the same ones.
 *
 * Each slot says of its task which columns it brings, and as how many'th such task: who comes
 * later waits.  Without a lock: two that look at the same moment may both bring them, which is
 * twice the work, but no harm.
 */
#ifndef GPUAGG_IPC_FILLING_H
#define GPUAGG_IPC_FILLING_H

#include "postgres.h"

#include "port/atomics.h"
#include "storage/condition_variable.h"

/* Fewer pages are brought before another task's could be waited for. */
#define GPUAGG_FILLING_LEAST 4096

/* Columns of a table by their numbers, 1 to 63; OTHERS: further ones, whichever */
typedef uint64 GpuAggFillingColumns;

#define GPUAGG_FILLING_OTHERS (UINT64CONST(1) << 63)

/* In a slot */
typedef struct GpuAggFilling
{
	pg_atomic_uint64 number;	/* of these tasks; 0: it is none */
	GpuAggFillingColumns columns;
} GpuAggFilling;

/* Tables of which waiting was of no use: so many are told apart */
#define GPUAGG_FILLING_USELESS 64

/* Of all of them */
typedef struct GpuAggFillings
{
	pg_atomic_uint64 last;		/* their numbers */
	ConditionVariable over;		/* one of them is */
	pg_atomic_uint64 useless[GPUAGG_FILLING_USELESS];
} GpuAggFillings;

/* Another's */
typedef struct GpuAggFiller
{
	int			slot;
	uint64		number;
} GpuAggFiller;

extern void gpuagg_fillings_init(GpuAggFillings *fillings);

/*
 * The task of a slot is about to bring pages of these columns.  False: another task brings
 * them already, of the same table and to the same device; then this one has not begun.  other
 * NULL: it begins in any case.
 */
extern bool gpuagg_filling_begin(int slot, GpuAggFillingColumns columns, GpuAggFiller *other);

/* Until that is over or makes no progress, or for so many milliseconds; interruptibly */
extern void gpuagg_filling_wait(const GpuAggFiller *other, double limit_ms);

/* What the task of this slot brings is there, or will not come.  Harmless if it brings none. */
extern void gpuagg_filling_end(int slot);

/* A table of this database is not waited for for a minute, for that was of no use. */
extern void gpuagg_filling_useless(Oid relid);
extern bool gpuagg_filling_is_useless(Oid relid);

#endif							/* GPUAGG_IPC_FILLING_H */
