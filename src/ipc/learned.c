/*
 * learned.c
 *		How much longer tasks took than a generic profile predicts (learned.h).
 *
 * The factor is made by who adds a task, outside of the lock; of two at the same time one writes
 * a median that lacks the other's task, until the next one comes.
 */
#include "postgres.h"

#include "access/xact.h"
#include "compat.h"
#include "extension.h"
#include "funcapi.h"
#include "ipc/learned.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(gpuagg_learned);

#define COLUMNS 4

#define FORGET_US (INT64CONST(3600) * USECS_PER_SEC)

static const char *const kinds[GPUAGG_LEARNED_KINDS] = {"host", "cuda"};

void
gpuagg_learned_init(void)
{
	pg_atomic_init_u32(&gpuagg_shared->learned_told, 0);
	for (int i = 0; i < GPUAGG_LEARNED_KINDS; i++)
	{
		GpuAggLearned *l = &gpuagg_shared->learned[i];

		pg_atomic_init_u64(&l->factor, 0);
		pg_atomic_init_u64(&l->at, 0);
		SpinLockInit(&l->mutex);
		l->tasks = 0;
	}
}

static uint64
bits_of(double factor)
{
	uint64		bits;

	memcpy(&bits, &factor, sizeof(bits));
	return bits;
}

static int
compare_ratios(const void *a, const void *b)
{
	const double x = *(const double *) a;
	const double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* A median, so that neither a pause nor a task that was cheap for a reason of its own counts */
static double
median(double *ratios, int n)
{
	qsort(ratios, n, sizeof(double), compare_ratios);
	return Min(Max(ratios[n / 2], 1 / GPUAGG_LEARNED_MOST), GPUAGG_LEARNED_MOST);
}

static bool
is_forgotten(GpuAggLearned *l, TimestampTz now)
{
	return now - (TimestampTz) pg_atomic_read_u64(&l->at) > FORGET_US;
}

/* Once for a server: a statement in its log is where a DBA looks */
static void
tell(void)
{
	uint32		expected = 0;

	if (pg_atomic_read_u32(&gpuagg_shared->learned_told) == 0 &&
		pg_atomic_compare_exchange_u32(&gpuagg_shared->learned_told, &expected, 1))
		ereport(LOG,
				(errhidestmt(true),
				 errmsg("gpuagg: plans go by a profile of no machine in particular, scaled by what tasks take"),
				 errhint("SELECT gpuagg.calibrate() on the idle machine measures this one.")));
}

void
gpuagg_learned_add(bool gpu, double ratio)
{
	GpuAggLearned *l = &gpuagg_shared->learned[gpu];
	const TimestampTz now = GetCurrentTimestamp();
	double		ratios[GPUAGG_LEARNED_TASKS];
	int			n;

	SpinLockAcquire(&l->mutex);
	if (is_forgotten(l, now))
		l->tasks = 0;
	l->ratios[l->tasks++ % GPUAGG_LEARNED_TASKS] = ratio;
	n = (int) Min(l->tasks, GPUAGG_LEARNED_TASKS);
	memcpy(ratios, l->ratios, n * sizeof(double));
	pg_atomic_write_u64(&l->at, (uint64) now);
	SpinLockRelease(&l->mutex);
	pg_atomic_write_u64(&l->factor, n < GPUAGG_LEARNED_LEAST ? 0 : bits_of(median(ratios, n)));
	tell();
}

double
gpuagg_learned_factor(bool gpu)
{
	GpuAggLearned *l = &gpuagg_shared->learned[gpu];
	const uint64 bits = pg_atomic_read_u64(&l->factor);
	double		factor;

	if (bits == 0 || is_forgotten(l, GetCurrentStatementStartTimestamp()))
		return 1;
	memcpy(&factor, &bits, sizeof(factor));
	return factor;
}

void
gpuagg_learned_reset(void)
{
	for (int i = 0; i < GPUAGG_LEARNED_KINDS; i++)
	{
		GpuAggLearned *l = &gpuagg_shared->learned[i];

		SpinLockAcquire(&l->mutex);
		l->tasks = 0;
		SpinLockRelease(&l->mutex);
		pg_atomic_write_u64(&l->factor, 0);
	}
}

Datum
gpuagg_learned(PG_FUNCTION_ARGS)
{
	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GPUAGG_LEARNED_KINDS; i++)
	{
		ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
		GpuAggLearned *l = &gpuagg_shared->learned[i];
		uint64		tasks;
		bool		nulls[COLUMNS] = {0};
		Datum		values[COLUMNS];

		SpinLockAcquire(&l->mutex);
		tasks = is_forgotten(l, GetCurrentStatementStartTimestamp()) ? 0 : l->tasks;
		SpinLockRelease(&l->mutex);
		values[0] = CStringGetTextDatum(kinds[i]);
		values[1] = Int64GetDatum((int64) Min(tasks, GPUAGG_LEARNED_TASKS));
		values[2] = Float8GetDatum(gpuagg_learned_factor(i != 0));
		values[3] = TimestampTzGetDatum((TimestampTz) pg_atomic_read_u64(&l->at));
		nulls[3] = tasks == 0;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
