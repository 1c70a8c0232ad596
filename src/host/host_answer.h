/*
 * host_answer.h
 *		Which groups of a finished task are wanted (device/ops/answer_row.h), found by
 *		all threads of the pool, a table at a time.
 */
#ifndef GPUAGG_HOST_HOST_ANSWER_H
#define GPUAGG_HOST_HOST_ANSWER_H

#include <stdatomic.h>

#include "device/ops/answer_row.h"
#include "device/ops/regrouping_row.h"
#include "host/group_table.h"
#include "host/host_memory.h"

/* The first groups that a thread has seen, as their words; kept to a few times as many */
typedef struct GpuAggCandidates
{
	uint64_t   *words;			/* of each, one after the other */
	size_t		n;
	bool		full;			/* there have been more: bound holds */
	uint64_t	bound[GPUAGG_ANSWER_WORDS];	/* what comes after it is not wanted */
} GpuAggCandidates;

typedef struct GpuAggHostAnswer
{
	GpuAggAnswerPlan plan;
	GpuAggMemory *memory;
	uint32_t	threads;
	GpuAggCandidates *candidates;	/* by thread; NULL: none are looked for */
	atomic_bool all;			/* no memory for them: all that pass are wanted */
	bool		bounded;		/* by `last`, the words of the last group wanted */
	uint64_t	last[GPUAGG_ANSWER_WORDS];
	uint64_t   *positions;		/* of the only groups wanted, ascending; NULL: they do not tell */
	size_t		npositions;
} GpuAggHostAnswer;

/* Of a row of a table; what lies in fewer bits comes first */
static inline uint64_t
gpuagg_host_position(uint32_t table, uint32_t row)
{
	return (uint64_t) table << 32 | row;
}

/* Of groups of this program.  False: no memory. */
extern bool gpuagg_host_answer_init(GpuAggHostAnswer *a, const GpuAggAnswer *answer,
									const GpuAggProgram *program, GpuAggMemory *memory,
									uint32_t threads);
extern void gpuagg_host_answer_free(GpuAggHostAnswer *a);

/* Before any group is looked at: all are wanted after all. */
extern void gpuagg_host_answer_all(GpuAggHostAnswer *a);

/* Must all groups be looked at before the first is returned? */
extern bool gpuagg_host_answer_looks(const GpuAggHostAnswer *a);

/* All groups are there; dictionaries: by register, where keys are codes */
extern void gpuagg_host_answer_begin(GpuAggHostAnswer *a,
									 GpuAggDictionary *const *dictionaries);

/*
 * Looks at the groups of a table, of which by plan, unless that is NULL, those are made that are
 * meant; made: room for one.  False: *error tells what is wrong with one.
 */
extern bool gpuagg_host_answer_table(GpuAggHostAnswer *a, uint32_t thread, uint32_t table,
									 const GpuAggTable *t, const GpuAggRegroupingPlan *plan,
									 char *made, GpuAggError *error);

/* All tables have been looked at. */
extern void gpuagg_host_answer_settle(GpuAggHostAnswer *a);

/* Is this one wanted?  Not asked where there are positions. */
static inline bool
gpuagg_host_answer_wants(const GpuAggHostAnswer *a, const char *row, uint64_t position)
{
	return gpuagg_answer_passes(&a->plan, row) &&
		(!a->bounded || gpuagg_answer_within(&a->plan, row, position, a->last));
}

#endif							/* GPUAGG_HOST_HOST_ANSWER_H */
