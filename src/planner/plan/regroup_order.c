/*
 * regroup_order.c
 *		What of a regrouping's values in order a device may be asked for (regroup_order.h).
 *
 * All that is made of the values are percentiles at constant fractions, of one order or its
 * reverse, and beside them states of the device are merged.  Then only groups that hold a row at
 * one of these places count by themselves; of others it is enough that they are there, merged, and
 * in their place.  Or all is the most frequent value (mode), or all is that of the reverse: others
 * are merged.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "device/ops/ordered_row.h"
#include "nodes/primnodes.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/plan/plan.h"
#include "planner/plan/regroup_device.h"
#include "planner/plan/regroup_order.h"
#include "utils/array.h"
#include "utils/typcache.h"

/* Is the device's order of the key's values the sort's, or its reverse? */
static bool
is_ordered(const GpuAggRegroupSort *sort, const GpuAggKey *key, bool *descending)
{
	int64		inverted;
	TypeCacheEntry *type;

	if (gpuagg_regroup_has_words(sort, &inverted))
	{
		*descending = inverted != 0;
		return true;
	}
	if (sort->type != NUMERICOID || key->scale.form != GPUAGG_SCALE_EXACT)
		return false;
	type = lookup_type_cache(sort->type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	*descending = sort->sortop == type->gt_opr;
	return *descending || sort->sortop == type->lt_opr;
}

/* A fraction that is not one is PostgreSQL's to report, when it comes to it. */
static bool
add_fraction(GpuAggOrdered *wish, double fraction, bool discrete, bool descending)
{
	if (wish->nfractions == GPUAGG_ORDERED_FRACTIONS || !(fraction >= 0 && fraction <= 1))
		return false;
	wish->fractions[wish->nfractions++] =
		(GpuAggOrderedFraction) {fraction, discrete, descending};
	return true;
}

static bool
add_fractions(GpuAggOrdered *wish, Datum array, bool discrete, bool descending)
{
	Datum	   *values;
	bool	   *nulls;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(array), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i] && !add_fraction(wish, DatumGetFloat8(values[i]), discrete, descending))
			return false;
	return true;
}

static bool
add_aggregate(GpuAggOrdered *wish, const Aggref *agg, bool descending)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(agg->aggfnoid);
	const uint8 mode = descending ? GPUAGG_MODE_LAST : GPUAGG_MODE_FIRST;
	const bool	discrete = aggregate->ordered == GPUAGG_ORDERED_DISC;
	const Const *fraction;

	if (aggregate->ordered == GPUAGG_ORDERED_MODE)
	{
		if (wish->nfractions > 0 || (wish->mode != GPUAGG_MODE_NONE && wish->mode != mode))
			return false;
		wish->mode = mode;
		return true;
	}
	if (wish->mode != GPUAGG_MODE_NONE || list_length(agg->aggdirectargs) != 1 ||
		!IsA(linitial(agg->aggdirectargs), Const))
		return false;
	fraction = linitial_node(Const, agg->aggdirectargs);
	if (fraction->constisnull)
		return true;
	return aggregate->many ?
		add_fractions(wish, fraction->constvalue, discrete, descending) :
		add_fraction(wish, DatumGetFloat8(fraction->constvalue), discrete, descending);
}

/* Is it the number of rows that have a value, or merged of the device's states? */
static bool
is_merged(const GpuAggRegroupState *s, const GpuAggRegroupSort *sort)
{
	if (s->datum != GPUAGG_REGROUP_STATE || s->distinct || s->filter != GPUAGG_REGROUP_NONE ||
		OidIsValid(s->collation))
		return false;
	return s->merge != GPUAGG_REGROUP_NONE ||
		(s->op == GPUAGG_TRANS_COUNT && s->value == sort->value && s->weight == sort->weight);
}

/* The one value, and count of its rows, that all sorts have; NULL: there are several */
static const GpuAggRegroupSort *
only_sort(const GpuAggRegroup *plan)
{
	const GpuAggRegroupSort *only = NULL;

	for (int i = 0; i < plan->nsorts; i++)
	{
		const GpuAggRegroupSort *sort = &plan->sorts[i];

		if (sort->absent)
			continue;
		if (sort->filter != GPUAGG_REGROUP_NONE || sort->weight < 0 ||
			(only != NULL && (sort->value != only->value || sort->weight != only->weight)))
			return NULL;
		only = sort;
	}
	return only;
}

/* Are the query's groups told by keys of the device, and not by the value? */
static bool
keys_are_others(const GpuAggRegroup *plan, const GpuAggRegroupValue *value)
{
	for (int i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupValue *key = &plan->values[plan->keys[i]];

		if (key->computed || key->number == value->number)
			return false;
	}
	return true;
}

bool
gpuagg_regroup_ordered(const GpuAggRegroup *plan, const GpuAggProgram *program,
					   const List *outputs, GpuAggOrdered *wish)
{
	const GpuAggRegroupSort *only = only_sort(plan);
	const GpuAggRegroupValue *value = only == NULL ? NULL : &plan->values[only->value];

	memset(wish, 0, sizeof(*wish));
	if (value == NULL || value->computed || plan->nfilters > 0 || plan->nsets != 1 ||
		plan->inputs[value->number].final != GPUAGG_FINAL_KEY ||
		!keys_are_others(plan, value) || !gpuagg_regroup_tells_all(plan, 0, only->value))
		return false;
	wish->key = value->number;
	wish->count = only->weight;
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &plan->states[i];
		const Node *output;
		bool		descending;

		if (s->absent)
			continue;
		if (s->output == GPUAGG_REGROUP_NONE)
		{
			if (!is_merged(s, only))
				return false;
			continue;
		}
		output = list_nth(outputs, s->output);
		if (IsA(output, TargetEntry))
			output = (const Node *) ((const TargetEntry *) output)->expr;
		if (!IsA(output, Aggref) ||
			!is_ordered(&plan->sorts[s->sort], &gpuagg_program_keys(program)[wish->key],
						&descending) ||
			!add_aggregate(wish, (const Aggref *) output, descending))
			return false;
	}
	return gpuagg_ordered_asked(wish) && gpuagg_ordered_check(wish, program);
}
