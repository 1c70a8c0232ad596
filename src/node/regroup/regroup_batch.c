/*
 * regroup_batch.c
 *		Rows that the groups of a set are made of, some at a time (regroup_batch.h).
 *
 * What expressions give lies in one memory context until all rows have entered their groups,
 * which then is emptied at once.  It is kept small.
 *
 * One row at a time goes where what it enters is not told by values: where sorts, Datums and
 * strings of states take part.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/regroup/regroup_batch.h"
#include "node/regroup/regroup_enter.h"
#include "node/regroup/regroup_value.h"
#include "utils/memutils.h"

#define BATCH_MEMORY ((Size) 64 * 1024)

/*
 * What is remembered of a row: nothing, that it does not pass, or its hash's bits with the last
 * one
 */
#define ROW_FAILS UINT32_C(0x40000000)
#define ROW_HASH UINT32_C(0x80000000)

/* Which states has the set?  False: values are not all that rows give to them. */
static bool
find_states(GpuAggRegroupWork *r)
{
	const GpuAggRegroup *plan = r->plan;
	bool		values_only = plan->nsorts == 0 && !r->longs;

	r->nshown = 0;
	r->loads = r->repeats;
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &plan->states[i];

		if (s->output != GPUAGG_REGROUP_NONE || !gpuagg_regroup_is_shown(plan, s, r->set))
			continue;
		r->shown[r->nshown++] = i;
		r->loads |= s->merge == GPUAGG_REGROUP_NONE || s->filter != GPUAGG_REGROUP_NONE;
		values_only &= !gpuagg_transition_is_string(s->op) && s->datum == GPUAGG_REGROUP_STATE;
	}
	return values_only;
}

void
gpuagg_regroup_batch_begin(GpuAggRegroupWork *r)
{
	r->batch.most = find_states(r) ? GPUAGG_ROWS_WANTED : 1;
	r->batch.values = palloc(r->batch.most * Max(r->plan->nvalues, 1) * sizeof(GpuAggRegroupDatum));
	if (r->repeats)
		r->batch.entered = palloc(r->batch.most * r->plan->nvalues * sizeof(GpuAggRegroupEntered));
}

/* Is it remembered that a row is not in this part? */
static bool
is_elsewhere(const GpuAggRegroupWork *r, uint64 number, uint32 part, uint32 parts)
{
	const uint32 known = r->known == NULL ? 0 : r->known[number];

	return known == ROW_FAILS || (known != 0 && (known & (parts - 1)) != part);
}

/* Is a row one of those that the set is made of? */
static bool
is_of_set(GpuAggRegroupWork *r, const char *row, uint64 number)
{
	if (r->parent >= 0)
		return *(const int32 *) (row + r->into.key_off[r->plan->nkeys]) == r->parent;
	if (gpuagg_regroup_passes(r, row))
		return true;
	if (r->known != NULL)
		r->known[number] = ROW_FAILS;
	return false;
}

/* Computes the i-th row's keys, and its values; false: it is none of this part of the set's. */
static bool
prepare(GpuAggRegroupWork *r, int i, uint32 part, uint32 parts)
{
	const char *row = r->batch.rows[i].row;
	const uint64 number = r->batch.rows[i].number;
	uint64		hash = 0;

	if (is_elsewhere(r, number, part, parts) || !is_of_set(r, row, number))
		return false;
	if (r->lone == NULL)
	{
		r->batch.rows[i].wanted = gpuagg_regroup_want_group(r, row, i);
		if (!r->unique)
			hash = gpuagg_row_table_hash(r->table, r->batch.rows[i].wanted);
		if (!r->unique && r->known != NULL)
			r->known[number] = (uint32) (hash >> 32) | ROW_HASH;
		if ((hash >> 32 & (parts - 1)) != part)
			return false;
		gpuagg_row_table_prefetch(r->table, hash);
		r->batch.rows[i].hash = hash;
	}
	if (r->loads && r->batch.most > 1 && r->parent < 0)
		gpuagg_regroup_load(r, row);
	return true;
}

int
gpuagg_regroup_batch_fill(GpuAggRegroupWork *r, GpuAggResults *from, uint32 part, uint32 parts)
{
	GpuAggRegroupBatch *batch = &r->batch;
	const char *row;

	batch->n = 0;
	ResetExprContext(r->econtext);
	do
	{
		CHECK_FOR_INTERRUPTS();
		row = gpuagg_results_row(from);
		if (row == NULL)
			break;
		batch->rows[batch->n].row = row;
		batch->rows[batch->n].number = r->row + batch->n;
		r->values = batch->values + batch->n * r->plan->nvalues;
		r->loaded = 0;
		batch->rows[batch->n].skip = !prepare(r, batch->n, part, parts);
		batch->rows[batch->n].loaded = r->loaded;
		batch->n++;
	} while (batch->n < batch->most && gpuagg_results_beside(from) > 0 &&
			 r->econtext->ecxt_per_tuple_memory->mem_allocated <= BATCH_MEMORY);
	return batch->n;
}

static char *
find_group(GpuAggRegroupWork *r, int i)
{
	char	   *group;
	bool		is_new;

	if (r->lone != NULL)
		return r->lone;
	if (r->unique)
		return gpuagg_row_table_append(r->table, r->batch.rows[i].wanted);
	group = gpuagg_row_table_find(r->table, r->batch.rows[i].wanted, r->batch.rows[i].hash,
								  &is_new);
	if (r->plan->sets[r->set].keys == 0)
		r->lone = group;
	return group;
}

/* To the values of a row of the batch */
static void
turn_to(GpuAggRegroupWork *r, int i)
{
	r->values = r->batch.values + i * r->plan->nvalues;
	r->loaded = r->batch.rows[i].loaded;
}

/* The groups of all rows, and which values are to be looked for there */
static void
find_groups(GpuAggRegroupWork *r)
{
	for (int i = 0; i < r->batch.n; i++)
	{
		if (r->batch.rows[i].skip)
			continue;
		r->batch.rows[i].group = find_group(r, i);
		if (r->parent >= 0 || !r->repeats)
			continue;
		turn_to(r, i);
		gpuagg_regroup_want_entered(r, r->batch.rows[i].row, i, r->batch.rows[i].group,
									r->batch.entered + i * r->plan->nvalues);
		r->batch.rows[i].loaded = r->loaded;
	}
}

GpuAggStatus
gpuagg_regroup_batch_enter(GpuAggRegroupWork *r)
{
	GpuAggStatus status = GPUAGG_OK;

	find_groups(r);
	for (int i = 0; i < r->batch.n && status == GPUAGG_OK; i++)
	{
		char	   *group = r->batch.rows[i].group;

		if (r->batch.rows[i].skip)
			continue;
		turn_to(r, i);
		if (r->parent < 0 && r->repeats)
			gpuagg_regroup_note_entered(r, group, r->batch.entered + i * r->plan->nvalues);
		status = gpuagg_regroup_enter_row(r, r->batch.rows[i].row, group);
	}
	return status;
}
