/*
 * regroup_enter.c
 *		What one of a device's groups gives to a group that is made of several
 *		(regroup_enter.h): its keys, values that enter states, and states that are merged.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/regroup/regroup_datum.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_enter.h"
#include "node/regroup/regroup_long.h"
#include "node/regroup/regroup_value.h"
#include "utils/varlena.h"

/* ----------------------------------------------------------------- keys --- */

static void
want_key(const GpuAggLayout *layout, char *wanted, int key, uint32 type,
		 const GpuAggRegroupDatum *d)
{
	uint32		head;

	if (d->isnull)
		return;
	memcpy(&head, wanted, sizeof(head));
	head &= ~(UINT32_C(1) << key);
	memcpy(wanted, &head, sizeof(head));
	gpuagg_regroup_slot(type, d, wanted + layout->key_off[key]);
}

static void
want_integer(GpuAggRegroupWork *r, char *wanted, int key, int32 value)
{
	GpuAggRegroupDatum d = {.v.i = value};

	want_key(&r->into, wanted, key, GPUAGG_T_INT4, &d);
}

/* The keys of the group of the set that a row belongs to, made or the device's */
const char *
gpuagg_regroup_want_group(GpuAggRegroupWork *r, const char *row, int number)
{
	const GpuAggRegroup *plan = r->plan;
	const GpuAggRegroupSet *set = &plan->sets[r->set];
	char	   *wanted = gpuagg_row_table_wanted(r->table, number);

	for (int i = 0; i < plan->nkeys; i++)
	{
		const uint32 type = plan->values[plan->keys[i]].type;
		GpuAggRegroupDatum made;

		if ((set->keys >> i & 1) == 0)
			continue;
		if (r->parent >= 0)
		{
			made.isnull = gpuagg_regroup_is_null(row, i);
			if (!made.isnull)
				gpuagg_regroup_datum(r->results, type, row, r->into.key_off[i], &made);
		}
		want_key(&r->into, wanted, i, type, r->parent >= 0 ? &made :
				 gpuagg_regroup_value(r, plan->keys[i], row));
	}
	if (!plan->numbered)
		return wanted;
	want_integer(r, wanted, plan->nkeys, r->set);
	for (int i = 0; i < plan->ngroupings; i++)
		want_integer(r, wanted, plan->nkeys + 1 + i, set->groupings[i]);
	return wanted;
}

/* --------------------------------------------------------------- states --- */

static void
enter_string(GpuAggRegroupWork *r, const GpuAggRegroupState *s, char *state, GpuAggBytes b)
{
	if (gpuagg_regroup_prefers(s, state, b))
		gpuagg_row_table_keep(r->table, state, b);
}

/* A value of so many rows; of one that enters once: 1 */
static void
enter_integer(const GpuAggRegroupState *s, char *state, int64 value, int64 rows)
{
	int128		product;

	switch (s->op)
	{
		case GPUAGG_TRANS_COUNT:
			gpuagg_state_merge(GPUAGG_TRANS_COUNT, state, (const char *) &rows);
			break;
		case GPUAGG_TRANS_SUM_I64:
			gpuagg_state_step_i64(GPUAGG_TRANS_SUM_I64, state,
								  (int64) ((uint64) value * (uint64) rows));
			break;
		case GPUAGG_TRANS_SUM_I128:
			product = (int128) value * rows;
			gpuagg_state_add_i128(state, (uint64) product, (uint64) (product >> 64));
			break;
		case GPUAGG_TRANS_XOR_I64:
			gpuagg_state_step_i64(s->op, state, (rows & 1) != 0 ? value : 0);
			break;
		default:
			gpuagg_state_step_i64(s->op, state, value);
			break;
	}
}

static GpuAggStatus
enter_datum(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const GpuAggRegroupDatum *d,
			int64 rows, char *state)
{
	MemoryContext old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);
	bool		ok = gpuagg_datum_enter(r->table, s, &r->plan->values[s->value], state, d->datum,
										rows);

	MemoryContextSwitchTo(old);
	return ok ? GPUAGG_OK :
		gpuagg_error_set(r->error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
						 "a sum of intervals may be out of range");
}

/* So many rows of equal numbers have no variance among them. */
static GpuAggStatus
enter_float(GpuAggRegroupWork *r, const GpuAggRegroupState *s, char *state, double value,
			int64 rows)
{
	const double moments[GPUAGG_MAX_STATE_BYTES / sizeof(double)] = {rows, rows * value};

	if (s->op == GPUAGG_TRANS_SUM_F64_AVG && gpuagg_f64_needs_pg(value))
		return gpuagg_error_set(r->error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"an average of numbers whose squares may overflow");
	if (s->op == GPUAGG_TRANS_MOMENTS_F64)
		gpuagg_state_merge_alone(s->op, state, (const char *) moments);
	else if (s->op == GPUAGG_TRANS_SUM_F64 || s->op == GPUAGG_TRANS_SUM_F64_AVG)
		gpuagg_state_step_f64(s->op, state, value * rows);
	else
		gpuagg_state_step_f64(s->op, state, value);
	return GPUAGG_OK;
}

/* Pairs, none of which has a NULL: so many that are equal */
static void
enter_pair(GpuAggRegroupWork *r, const GpuAggRegroupState *s, char *state, double y,
		   const char *row, int64 rows)
{
	const GpuAggRegroupDatum *x = gpuagg_regroup_value(r, s->second, row);
	const double moments[GPUAGG_MAX_STATE_BYTES / sizeof(double)] =
	{rows, rows * x->v.f, 0, rows * y};

	if (!x->isnull)
		gpuagg_state_merge_alone(s->op, state, (const char *) moments);
}

static GpuAggStatus
enter_value(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const char *row, char *state)
{
	const GpuAggRegroupDatum *d;
	int64		rows = s->weight == GPUAGG_REGROUP_NONE ? 1 :
		*(const int64 *) (row + r->from.state_off[s->weight]);

	if (rows == 0 || (s->distinct && !r->enters[s->value]))
		return GPUAGG_OK;
	d = gpuagg_regroup_value(r, s->value, row);
	if (d->isnull)
		return GPUAGG_OK;
	if (s->datum != GPUAGG_REGROUP_STATE)
		return enter_datum(r, s, d, rows, state);
	if (s->second != GPUAGG_REGROUP_NONE)
		enter_pair(r, s, state, d->v.f, row, rows);
	else if (s->op == GPUAGG_TRANS_COUNT)
		enter_integer(s, state, 0, rows);
	else if (gpuagg_transition_is_string(s->op))
		enter_string(r, s, state, d->v.b);
	else if (gpuagg_key_class(s->type) == GPUAGG_CLASS_F64)
		return enter_float(r, s, state, d->v.f, rows);
	else
		enter_integer(s, state, d->v.i, rows);
	return GPUAGG_OK;
}

static void
merge_state(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const GpuAggResults *from,
			const char *row, uint16 off, char *state)
{
	GpuAggBytes b;

	if (!gpuagg_transition_is_string(s->op))
	{
		gpuagg_state_merge_alone(s->op, state, row + off);
		return;
	}
	b = gpuagg_results_string(from, row, off);
	if (b.len != GPUAGG_STRING_NONE)
		enter_string(r, s, state, b);
}

/* An argument of an ordered-set aggregate, as PostgreSQL has it */
static Datum
sorted_datum(GpuAggRegroupWork *r, const GpuAggRegroupValue *value, bool *isnull)
{
	int			place;

	if (value->computed)
		return ExecEvalExprSwitchContext(r->states[value->number], r->econtext, isnull);
	place = r->sorted[value->number];
	*isnull = r->read_nulls[place];
	return r->read_values[place];
}

/* What a row gives to the sorts of its group */
static void
enter_sorts(GpuAggRegroupWork *r, const char *row, char *group)
{
	for (int i = 0; i < r->plan->nsorts; i++)
	{
		const GpuAggRegroupSort *sort = &r->plan->sorts[i];
		int64 rows = sort->absent ? 0 : *(const int64 *) (row + r->from.state_off[sort->weight]);
		Datum		value;
		bool		isnull;

		if (rows == 0 ||
			(sort->filter != GPUAGG_REGROUP_NONE && !gpuagg_regroup_is_true(r, sort->filter, row)))
			continue;
		value = sorted_datum(r, &r->plan->values[sort->value], &isnull);
		if (!isnull)
			gpuagg_ordered_add(r->ordered, i, group, value, rows);
	}
}

/* What enter_value() will ask for, and gpuagg_regroup_note_entered() */
void
gpuagg_regroup_load(GpuAggRegroupWork *r, const char *row)
{
	for (int i = 0; r->repeats && i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			(void) gpuagg_regroup_value(r, i, row);
	for (int i = 0; i < r->nshown; i++)
	{
		const GpuAggRegroupState *s = &r->plan->states[r->shown[i]];

		/* its filter is a value, too */
		if (!gpuagg_regroup_passes_filter(r, s, row) || s->merge != GPUAGG_REGROUP_NONE)
			continue;
		if (s->weight != GPUAGG_REGROUP_NONE &&
			*(const int64 *) (row + r->from.state_off[s->weight]) == 0)
			continue;
		if (!gpuagg_regroup_value(r, s->value, row)->isnull && s->second != GPUAGG_REGROUP_NONE)
			(void) gpuagg_regroup_value(r, s->second, row);
	}
}

/* What a row gives to the states of its group */
GpuAggStatus
gpuagg_regroup_enter_row(GpuAggRegroupWork *r, const char *row, char *group)
{
	for (int n = 0; n < r->nshown; n++)
	{
		const int	i = r->shown[n];
		const GpuAggRegroupState *s = &r->plan->states[i];
		char	   *state = group + r->into.state_off[i];
		GpuAggStatus status;

		if (!gpuagg_regroup_passes_filter(r, s, row))
			continue;
		if (r->parent >= 0)
			merge_state(r, s, r->results, row, r->into.state_off[i], state);
		else if (s->merge != GPUAGG_REGROUP_NONE)
			merge_state(r, s, r->groups, row, r->from.state_off[s->merge], state);
		else
		{
			status = enter_value(r, s, row, state);
			if (status != GPUAGG_OK)
				return status;
		}
	}
	enter_sorts(r, row, group);
	return r->longs ? gpuagg_regroup_long_enter(r, row, group) : GPUAGG_OK;
}

/* A value enters a group: Boyer and Moore's vote */
static void
vote(GpuAggRegroupWork *r, const char *group)
{
	r->nentered++;
	if (r->heavy_votes == 0)
		r->heavy = group;
	if (r->heavy == group)
		r->heavy_votes++;
	else
		r->heavy_votes--;
}

/* The keys of a value and its group, in the wanted row of that number */
static const char *
want_entered(GpuAggRegroupWork *r, int value, int number, const char *group)
{
	const GpuAggLayout *layout = gpuagg_row_table_layout(r->entered[value]);
	char	   *wanted = gpuagg_row_table_wanted(r->entered[value], number);
	GpuAggRegroupDatum of = {.v.i = (int64) (intptr_t) group};

	want_key(layout, wanted, 0, GPUAGG_T_INT8, &of);
	want_key(layout, wanted, 1, r->plan->values[value].type, &r->values[value]);
	return wanted;
}

void
gpuagg_regroup_want_entered(GpuAggRegroupWork *r, const char *row, int number, const char *group,
							GpuAggRegroupEntered *to)
{
	for (int i = 0; i < r->plan->nvalues; i++)
	{
		if (r->entered[i] == NULL || gpuagg_regroup_value(r, i, row)->isnull)
			continue;
		to[i].wanted = want_entered(r, i, number, group);
		to[i].hash = gpuagg_row_table_hash(r->entered[i], to[i].wanted);
		gpuagg_row_table_prefetch(r->entered[i], to[i].hash);
	}
}

void
gpuagg_regroup_note_entered(GpuAggRegroupWork *r, const char *group, const GpuAggRegroupEntered *of)
{
	for (int i = 0; i < r->plan->nvalues; i++)
	{
		if (r->entered[i] == NULL || r->values[i].isnull)
			continue;
		(void) gpuagg_row_table_find(r->entered[i], of[i].wanted, of[i].hash, &r->enters[i]);
		if (r->enters[i])
			vote(r, group);
	}
}
