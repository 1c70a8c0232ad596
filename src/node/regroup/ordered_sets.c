/*
 * ordered_sets.c
 *		Ordered-set aggregates (ordered_sets.h).
 *
 * PostgreSQL sorts rows; here each value is sorted once and stands for as many rows as
 * the device has counted (value_sort.h).  Walking through it, rows that fractions
 * ask for are met one after the other: row numbers, proportions and errors are those of
 * PostgreSQL's orderedsetaggs.c, and so is the mode, the first of the commonest values.
 * Several aggregates of one order share its sort.
 *
 * Fractions have no columns, so they are computed once for all groups, when there is a
 * group.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type_d.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "node/regroup/ordered_sets.h"
#include "node/regroup/regroup_datum.h"
#include "node/regroup/value_sort.h"
#include "node/result/datum_bytes.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_aggregate.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* The value of a row of the current group */
typedef struct Wish
{
	int64		row;			/* from 1 */
	Datum	   *into;
} Wish;

typedef struct Fraction
{
	double		value;
	bool		isnull;
	double		proportion;		/* of the way from the lower value to the upper one */
	Datum		lower;
	Datum		upper;
} Fraction;

typedef struct Ordered
{
	GpuAggOrderedKind kind;
	bool		multi;
	int			sort;
	int			state;			/* where the answer goes */
	ExprState  *direct;			/* the fractions */

	/* once they are computed */
	bool		isnull;			/* of them all */
	ArrayType  *array;
	int			nfractions;
	Fraction   *fractions;

	/* mode */
	Datum		best;
	int64		best_rows;
} Ordered;

typedef struct Order
{
	const GpuAggRegroupSort *plan;
	GpuAggValueSort *values;	/* NULL: it has not begun */
	int16		typlen;
	bool		typbyval;
	char		typalign;
	FmgrInfo	equal;
	Wish	   *wishes;
	int			nwishes;
} Order;

struct GpuAggOrderedSets
{
	const GpuAggRegroup *plan;
	ExprContext *econtext;
	MemoryContext context;		/* that it lives in */
	MemoryContext group;		/* of the current group's values */
	Order	   *sorts;
	int			nordered;
	Ordered    *ordered;
	bool		computed;		/* the fractions are */
};

/* ------------------------------------------------------------ creation --- */

static void
create_sort(Order *sort, const GpuAggRegroupSort *plan)
{
	sort->plan = plan;
	get_typlenbyvalalign(plan->type, &sort->typlen, &sort->typbyval, &sort->typalign);
	fmgr_info(get_opcode(plan->eqop), &sort->equal);
}

static void
create_ordered(Ordered *o, const GpuAggRegroupState *state, int number, const Aggref *agg,
			   PlanState *ps)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(agg->aggfnoid);

	o->kind = aggregate->ordered;
	o->multi = aggregate->many;
	o->sort = state->sort;
	o->state = number;
	if (o->kind != GPUAGG_ORDERED_MODE)
		o->direct = ExecInitExpr(linitial(agg->aggdirectargs), ps);
}

GpuAggOrderedSets *
gpuagg_ordered_create(const GpuAggPlanInfo *info, List *tlist, PlanState *ps)
{
	const GpuAggRegroup *plan = info->regroup;
	GpuAggOrderedSets *sets = palloc0(sizeof(GpuAggOrderedSets));

	sets->plan = plan;
	sets->econtext = ps->ps_ExprContext != NULL ? ps->ps_ExprContext :
		CreateExprContext(ps->state);
	sets->context = CurrentMemoryContext;
	sets->group = AllocSetContextCreate(CurrentMemoryContext, "gpuagg ordered set",
										ALLOCSET_DEFAULT_SIZES);
	sets->sorts = palloc0(plan->nsorts * sizeof(Order));
	sets->ordered = palloc0(plan->nstates * sizeof(Ordered));
	for (int i = 0; i < plan->nsorts; i++)
		create_sort(&sets->sorts[i], &plan->sorts[i]);
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *state = &plan->states[i];

		if (state->output != GPUAGG_REGROUP_NONE)
			create_ordered(&sets->ordered[sets->nordered++], state, i,
						   (Aggref *) list_nth_node(TargetEntry, tlist, state->output)->expr, ps);
	}
	return sets;
}

void
gpuagg_ordered_begin(GpuAggOrderedSets *sets, bool lone)
{
	MemoryContext old = MemoryContextSwitchTo(sets->context);

	for (int i = 0; i < sets->plan->nsorts; i++)
	{
		Order	   *order = &sets->sorts[i];

		if (order->values != NULL)
			gpuagg_value_sort_end(order->values);
		order->values = gpuagg_value_sort_begin(order->plan, lone);
	}
	MemoryContextSwitchTo(old);
}

void
gpuagg_ordered_add(GpuAggOrderedSets *sets, int sort, char *group, Datum value, int64 rows)
{
	const GpuAggSortedValue v = {group, value, rows};

	gpuagg_value_sort_add(sets->sorts[sort].values, &v);
}

/* ----------------------------------------------------------- fractions --- */

static void
check_fraction(const Fraction *f)
{
	if (!f->isnull && (f->value < 0 || f->value > 1 || isnan(f->value)))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("percentile value %g is not between 0 and 1", f->value)));
}

static void
compute_array(Ordered *o, Datum array)
{
	Datum	   *values;
	bool	   *nulls;

	o->array = DatumGetArrayTypePCopy(array);
	deconstruct_array(o->array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &values, &nulls, &o->nfractions);
	o->fractions = palloc0((o->nfractions + 1) * sizeof(Fraction));
	for (int i = 0; i < o->nfractions; i++)
	{
		o->fractions[i].isnull = nulls[i];
		o->fractions[i].value = nulls[i] ? 0 : DatumGetFloat8(values[i]);
	}
}

/* One fraction is checked even where no group has rows, an array is not. */
static void
compute_fractions(Ordered *o, ExprContext *econtext)
{
	Datum		value;

	if (o->direct == NULL)
		return;
	value = ExecEvalExprSwitchContext(o->direct, econtext, &o->isnull);
	if (o->isnull)
		return;
	if (o->multi)
	{
		compute_array(o, value);
		return;
	}
	o->nfractions = 1;
	o->fractions = palloc0(sizeof(Fraction));
	o->fractions[0].value = DatumGetFloat8(value);
	check_fraction(&o->fractions[0]);
}

static int
compare_wishes(const void *a, const void *b)
{
	int64		left = ((const Wish *) a)->row;
	int64		right = ((const Wish *) b)->row;

	return left < right ? -1 : left > right;
}

/* The rows that a fraction asks for, of so many */
static int
wish_fraction(const Ordered *o, Fraction *f, int64 rows, Wish *wishes)
{
	double		place;

	check_fraction(f);
	if (f->isnull)
		return 0;
	if (o->kind == GPUAGG_ORDERED_DISC)
	{
		f->proportion = 0;
		wishes[0] = (Wish) {Max(1, (int64) ceil(f->value * rows)), &f->lower};
		return 1;
	}
	place = f->value * (rows - 1);
	f->proportion = place - floor(place);
	wishes[0] = (Wish) {1 + (int64) floor(place), &f->lower};
	wishes[1] = (Wish) {1 + (int64) ceil(place), &f->upper};
	return 2;
}

/* What all aggregates of a sort ask for, in order */
static void
wish(GpuAggOrderedSets *sets, Order *sort, int64 rows)
{
	sort->nwishes = 0;
	for (int i = 0; i < sets->nordered; i++)
	{
		Ordered    *o = &sets->ordered[i];

		o->best_rows = 0;
		if (&sets->sorts[o->sort] != sort)
			continue;
		for (int f = 0; f < o->nfractions; f++)
			sort->nwishes += wish_fraction(o, &o->fractions[f], rows,
										   &sort->wishes[sort->nwishes]);
	}
	qsort(sort->wishes, sort->nwishes, sizeof(Wish), compare_wishes);
}

/* ------------------------------------------------------------- answers --- */

static Datum
interpolate(GpuAggOrderedKind kind, const Fraction *f)
{
	double		low;
	Datum		difference;

	if (f->proportion == 0 || kind == GPUAGG_ORDERED_DISC)
		return f->lower;
	if (kind == GPUAGG_ORDERED_CONT_FLOAT8)
	{
		low = DatumGetFloat8(f->lower);
		return Float8GetDatum(low + f->proportion * (DatumGetFloat8(f->upper) - low));
	}
	difference = DirectFunctionCall2(interval_mi, f->upper, f->lower);
	return DirectFunctionCall2(interval_pl,
							   DirectFunctionCall2(interval_mul, difference,
												   Float8GetDatumFast(f->proportion)),
							   f->lower);
}

static Datum
array_answer(const Ordered *o, const Order *sort)
{
	Datum	   *values = palloc((o->nfractions + 1) * sizeof(Datum));
	bool	   *nulls = palloc((o->nfractions + 1) * sizeof(bool));

	if (o->nfractions == 0)
		return PointerGetDatum(construct_empty_array(sort->plan->type));
	for (int i = 0; i < o->nfractions; i++)
	{
		nulls[i] = o->fractions[i].isnull;
		values[i] = nulls[i] ? (Datum) 0 : interpolate(o->kind, &o->fractions[i]);
	}
	return PointerGetDatum(construct_md_array(values, nulls, ARR_NDIM(o->array),
											  ARR_DIMS(o->array), ARR_LBOUND(o->array),
											  sort->plan->type, sort->typlen, sort->typbyval,
											  sort->typalign));
}

static void
answer(GpuAggOrderedSets *sets, const Ordered *o, GpuAggRowTable *table, char *group)
{
	const Order *sort = &sets->sorts[o->sort];
	char	   *state = group + gpuagg_row_table_layout(table)->state_off[o->state];
	Datum		value;

	if (o->isnull || (!o->multi && o->nfractions == 1 && o->fractions[0].isnull))
		return;
	if (o->kind == GPUAGG_ORDERED_MODE)
		value = o->best;
	else if (o->multi)
		value = array_answer(o, sort);
	else
		value = interpolate(o->kind, &o->fractions[0]);
	gpuagg_row_table_keep(table, state, o->multi ? gpuagg_datum_bytes(&value, -1, false) :
							  gpuagg_datum_bytes(&value, sort->typlen, sort->typbyval));
}

/* ------------------------------------------------------------- walking --- */

/* A value of the current group, and the rows before it */
static void
take_value(const Order *sort, Datum value, int64 before, int64 rows, int *met)
{
	while (*met < sort->nwishes && sort->wishes[*met].row <= before + rows)
		*sort->wishes[(*met)++].into = datumCopy(value, sort->typbyval, sort->typlen);
}

/* The end of a run of equal values; the value goes unless it is the commonest so far. */
static void
take_run(GpuAggOrderedSets *sets, const Order *sort, Datum value, int64 rows)
{
	bool		kept = false;

	for (int i = 0; i < sets->nordered; i++)
	{
		Ordered    *o = &sets->ordered[i];

		if (&sets->sorts[o->sort] != sort || o->kind != GPUAGG_ORDERED_MODE || rows <= o->best_rows)
			continue;
		o->best = value;
		o->best_rows = rows;
		kept = true;
	}
	if (!kept && rows > 0 && !sort->typbyval)
		pfree(DatumGetPointer(value));
}

static bool
has_mode(const GpuAggOrderedSets *sets, const Order *sort)
{
	for (int i = 0; i < sets->nordered; i++)
		if (&sets->sorts[sets->ordered[i].sort] == sort &&
			sets->ordered[i].kind == GPUAGG_ORDERED_MODE)
			return true;
	return false;
}

/* All values of the group that *v is the first of; false: it was the last group. */
static bool
walk_group(GpuAggOrderedSets *sets, Order *sort, GpuAggSortedValue *v, GpuAggRowTable *table,
		   bool mode)
{
	const GpuAggLayout *layout = gpuagg_row_table_layout(table);
	char	   *group = v->group;
	MemoryContext old = MemoryContextSwitchTo(sets->group);
	Datum		run = (Datum) 0;
	int64		run_rows = 0;
	int64		before = 0;
	int			met = 0;
	bool		more;

	MemoryContextReset(sets->group);
	wish(sets, sort, *(const int64 *) (group + layout->state_off[sort->plan->count]));
	do
	{
		CHECK_FOR_INTERRUPTS();
		take_value(sort, v->value, before, v->rows, &met);
		before += v->rows;
		if (mode && (run_rows == 0 ||
					 !DatumGetBool(FunctionCall2Coll(&sort->equal, sort->plan->collation, run,
													 v->value))))
		{
			take_run(sets, sort, run, run_rows);
			run = datumCopy(v->value, sort->typbyval, sort->typlen);
			run_rows = 0;
		}
		run_rows += mode ? v->rows : 0;
		more = gpuagg_value_sort_next(sort->values, v);
	} while (more && v->group == group);
	take_run(sets, sort, run, run_rows);
	for (int i = 0; i < sets->nordered; i++)
		if (&sets->sorts[sets->ordered[i].sort] == sort)
			answer(sets, &sets->ordered[i], table, group);
	MemoryContextSwitchTo(old);
	return more;
}

/* Room for what the aggregates of a sort may ask for */
static void
make_wishes(GpuAggOrderedSets *sets, Order *sort)
{
	int			most = 1;

	for (int i = 0; i < sets->nordered; i++)
		if (&sets->sorts[sets->ordered[i].sort] == sort)
			most += 2 * sets->ordered[i].nfractions;
	sort->wishes = palloc(most * sizeof(Wish));
}

static void
compute_all(GpuAggOrderedSets *sets)
{
	MemoryContext old = MemoryContextSwitchTo(sets->context);

	for (int i = 0; i < sets->nordered; i++)
		compute_fractions(&sets->ordered[i], sets->econtext);
	for (int i = 0; i < sets->plan->nsorts; i++)
		make_wishes(sets, &sets->sorts[i]);
	sets->computed = true;
	MemoryContextSwitchTo(old);
}

void
gpuagg_ordered_finish(GpuAggOrderedSets *sets, GpuAggRowTable *table)
{
	int			at = 0;
	uint32		count;

	if (!sets->computed && gpuagg_row_table_rows(table, &at, &count) != NULL)
		compute_all(sets);
	for (int i = 0; i < sets->plan->nsorts; i++)
	{
		Order	   *sort = &sets->sorts[i];
		bool		mode = has_mode(sets, sort);
		GpuAggSortedValue v;
		bool		more;

		gpuagg_value_sort_perform(sort->values);
		for (more = gpuagg_value_sort_next(sort->values, &v); more;)
			more = walk_group(sets, sort, &v, table, mode);
		gpuagg_value_sort_end(sort->values);
		sort->values = NULL;
	}
}
