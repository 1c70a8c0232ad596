/*
 * results.h
 *		All groups of a task, kept until the node is closed or runs again,
 *		and turned into the columns of custom_scan_tlist one by one.
 */
#ifndef GPUAGG_NODE_RESULTS_H
#define GPUAGG_NODE_RESULTS_H

#include "postgres.h"

#include "node/lookup/lookups.h"
#include "node/result/long_values.h"
#include "node/result/result_store.h"
#include "planner/plan/plan.h"
#include "utils/resowner.h"

typedef struct GpuAggResults GpuAggResults;

/*
 * An empty store of groups of this program, shown by these outputs, which
 * tlist has as expressions (NIL: none is a text of to_char).  Keeps up to
 * limit bytes in a context of its own below parent, and the rest in a temporary file
 * of owner.
 */
extern GpuAggResults *gpuagg_results_create(const GpuAggProgram *program,
											const GpuAggOutput *outputs, int noutputs,
											List *tlist, Size limit, MemoryContext parent,
											ResourceOwner owner);

/*
 * Of these groups values that devices have no form of are kept beside them, and shown
 * with them.
 */
extern void gpuagg_results_keep_long(GpuAggResults *results, const GpuAggProgram *program,
									 const GpuAggOutput *outputs, int noutputs);

/*
 * Of finer groups those that states of such groups are merged of: from[i] is the transition of the
 * i-th state, or negative.
 */
extern void gpuagg_results_keep_merged(GpuAggResults *results, const GpuAggProgram *program,
									   const GpuAggOutput *outputs, int noutputs, const int16 *from,
									   int nstates);

/*
 * The key, in long_values.h's form and until the next one is asked for, of the group at row: the
 * current one, or one that is in the making (row_table.h).
 */
extern StringInfo gpuagg_results_long_key(GpuAggResults *results, const char *row, bool made);

/* NULL: none are kept */
extern GpuAggLongValues *gpuagg_results_long(const GpuAggResults *results);

/* Those of `from` are those of `to` from now on. */
extern void gpuagg_results_move_long(GpuAggResults *from, GpuAggResults *to);

/* Where the strings are whose numbers are keys */
extern void gpuagg_results_number(GpuAggResults *results, const GpuAggLookups *lookups);

/*
 * Copies the groups of a RESULTS message.  A status other than GPUAGG_OK:
 * there is a group that only PostgreSQL can compute; forget them all.
 */
extern GpuAggStatus gpuagg_results_add(GpuAggResults *results,
									   const char *groups, uint32 count,
									   Size bytes, GpuAggError *error);

/* Where the groups end now, and back to there */
extern void gpuagg_results_mark(GpuAggResults *results, GpuAggStoreMark *mark);
extern void gpuagg_results_cut(GpuAggResults *results, const GpuAggStoreMark *mark);

/* To the first group; call it once before gpuagg_results_next, too. */
extern void gpuagg_results_rewind(GpuAggResults *results);

/*
 * The next group.  What the Datums point to lies in CurrentMemoryContext or
 * in the store, there until the next call.  False: no more.
 */
extern bool gpuagg_results_next(GpuAggResults *results, Datum *values,
								bool *isnull);

/*
 * The next group in two steps: its row, there until the next call, or NULL; and the outputs of
 * the row.
 */
extern const char *gpuagg_results_row(GpuAggResults *results);
extern void gpuagg_results_emit(GpuAggResults *results, const char *row, Datum *values,
								bool *isnull);

/* Rows that may be asked for before this one goes */
extern uint32 gpuagg_results_beside(const GpuAggResults *results);

/* Does this lie where outputs are made, which the next ones overwrite? */
extern bool gpuagg_results_passing(const GpuAggResults *results, const char *data);

/* The string in this slot of that row */
extern GpuAggBytes gpuagg_results_string(const GpuAggResults *results, const char *row,
										 uint16 off);

/* The groups as they came */
extern GpuAggStore *gpuagg_results_store(GpuAggResults *results);

extern void gpuagg_results_free(GpuAggResults *results);

#endif							/* GPUAGG_NODE_RESULTS_H */
