/*
 * regroup_long.c
 *		Numerics beside finer groups, to the query's (regroup_long.h).
 *
 * They are kept for the transition whose argument they are, under the key of the finer group.
 * A state that is merged of this transition gets them, under the key of the query's group:
 * where the backend makes the groups, with each of the finer ones; where the device does, from
 * the keys alone, of which the query's are some.
 *
 * Memory: the stores of both, work_mem each.
 */
#include "postgres.h"

#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_value.h"

static GpuAggStatus
too_many(GpuAggError *error)
{
	return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
							"too many numerics have no form that devices know");
}

void
gpuagg_regroup_long_keep(const GpuAggPlanInfo *info, GpuAggResults *finer)
{
	const GpuAggRegroup *plan = info->regroup;
	int16		from[GPUAGG_MAX_TRANSITIONS];

	for (int i = 0; i < plan->nstates; i++)
		from[i] = plan->states[i].absent ? GPUAGG_REGROUP_NONE : plan->states[i].merge;
	gpuagg_results_keep_merged(finer, info->program, info->outputs, info->noutputs, from,
							   plan->nstates);
}

/* Rows of the query's groups that no device makes: whole, they are told by a key of these. */
GpuAggStatus
gpuagg_regroup_long_rows(GpuAggResults *finer, GpuAggResults *made, GpuAggError *error)
{
	HeapTuple	row;
	int			table;

	for (int i = 0; (row = gpuagg_long_values_row(gpuagg_results_long(finer), i, &table)) != NULL;
		 i++)
		if (!gpuagg_long_values_add_row(gpuagg_results_long(made), row, table))
			return too_many(error);
	return GPUAGG_OK;
}

/* ---------------------------------------------------------- by the backend --- */

GpuAggStatus
gpuagg_regroup_long_enter(GpuAggRegroupWork *r, const char *row, const char *group)
{
	const StringInfoData *key = gpuagg_results_long_key(r->groups, row, false);
	StringInfo	of = NULL;

	for (int i = 0; i < r->plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &r->plan->states[i];
		const GpuAggLongSum *sum = s->merge == GPUAGG_REGROUP_NONE ? NULL :
			gpuagg_long_values_of(gpuagg_results_long(r->groups), key, s->merge);

		if (sum == NULL || !gpuagg_regroup_has_state(r, s, row))
			continue;
		if (of == NULL)
			of = gpuagg_results_long_key(r->results, group, true);
		if (!gpuagg_long_values_add_sum(gpuagg_results_long(r->results), of->data, of->len, i, sum))
			return too_many(r->error);
	}
	return GPUAGG_OK;
}

/* ----------------------------------------------------------- by the device --- */

/* Where each key of a finer group lies among its bytes, and how many these are */
typedef struct KeyPieces
{
	int			at[GPUAGG_MAX_KEYS];
	int			bytes[GPUAGG_MAX_KEYS];
} KeyPieces;

static void
cut_key(const GpuAggProgram *program, const char *key, KeyPieces *pieces)
{
	int			at = 0;

	for (int i = 0; i < program->nkeys; i++)
	{
		pieces->at[i] = at;
		at += gpuagg_long_key_bytes_at(key + at, gpuagg_program_keys(program)[i].type);
		pieces->bytes[i] = at - pieces->at[i];
	}
}

static void
append_number(StringInfo key, int32 number)
{
	gpuagg_long_key_number(key, GPUAGG_T_INT4, (uint64) (int64) number);
}

/* The key of a set's group, of that of a finer one */
static void
make_key(const GpuAggRegroup *plan, int number, const char *finer, const KeyPieces *pieces,
		 StringInfo key)
{
	const GpuAggRegroupSet *set = &plan->sets[number];

	resetStringInfo(key);
	for (int i = 0; i < plan->nkeys; i++)
	{
		const int	input = plan->values[plan->keys[i]].number;

		if ((set->keys >> i & 1) != 0)
			appendBinaryStringInfo(key, finer + pieces->at[input], pieces->bytes[input]);
		else
			gpuagg_long_key_null(key);
	}
	if (!plan->numbered)
		return;
	append_number(key, number);
	for (int i = 0; i < plan->ngroupings; i++)
		append_number(key, set->groupings[i]);
}

/* One of a finer group to all states of a set's that are merged of its transition */
static bool
add_to_states(const GpuAggRegroup *plan, int set, GpuAggLongValues *to, const StringInfoData *key,
			  int transition, const GpuAggLongSum *sum)
{
	bool		room = true;

	for (int i = 0; i < plan->nstates && room; i++)
		if (plan->states[i].merge == transition &&
			gpuagg_regroup_is_shown(plan, &plan->states[i], set))
			room = gpuagg_long_values_add_sum(to, key->data, key->len, i, sum);
	return room;
}

GpuAggStatus
gpuagg_regroup_long_made(const GpuAggPlanInfo *info, GpuAggResults *finer, GpuAggResults *made,
						 GpuAggError *error)
{
	const GpuAggRegroup *plan = info->regroup;
	const GpuAggLongSum *sum;
	const char *of;
	KeyPieces	pieces;
	StringInfoData key;
	int			bytes;
	int			transition;

	initStringInfo(&key);
	for (int n = 0; (sum = gpuagg_long_values_sum(gpuagg_results_long(finer), n, &of, &bytes,
												  &transition)) != NULL; n++)
	{
		cut_key(info->program, of, &pieces);
		for (int set = 0; set < plan->nsets; set++)
		{
			make_key(plan, set, of, &pieces, &key);
			if (!add_to_states(plan, set, gpuagg_results_long(made), &key, transition, sum))
				return too_many(error);
		}
	}
	pfree(key.data);
	return gpuagg_regroup_long_rows(finer, made, error);
}

/* ---------------------------------------------------------------- of parts --- */

GpuAggStatus
gpuagg_regroup_long_join(GpuAggResults *part, GpuAggResults *all, GpuAggError *error)
{
	const GpuAggLongSum *sum;
	const char *key;
	int			bytes;
	int			transition;

	for (int n = 0; (sum = gpuagg_long_values_sum(gpuagg_results_long(part), n, &key, &bytes,
												  &transition)) != NULL; n++)
		if (!gpuagg_long_values_add_sum(gpuagg_results_long(all), key, bytes, transition, sum))
			return too_many(error);
	return GPUAGG_OK;
}
