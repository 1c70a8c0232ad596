/*
 * regroup_run.c
 *		The query's groups, made of finer ones that a device has returned (regroup_run.h).
 *
 * The groups of a device are in a store, which may be read more than once.  For each
 * grouping set it is read, and each group's values are computed: keys as they are, and
 * expressions by PostgreSQL's executor.  They give the keys of the query's group, which
 * a table finds, and whose states take in the device's states, or values.  What the
 * table has goes to a second store, from which results.c makes tuples.
 *
 * A set that another one contains is made of that one's groups, if all of its states
 * are merged: they are fewer.
 *
 * Of an aggregate with DISTINCT a value enters once.  Where the device's groups differ
 * in nothing but the query's keys and this value, each does.  Else a second table has
 * the values of each group that have entered.
 *
 * Of an ordered-set aggregate a value and its number of rows go to a sort, which gives
 * the answers when the set has been read (ordered_sets.h).
 *
 * Memory.  Where a table outgrows its share, the set is made in two parts, by a bit of
 * the hash of its keys, and each of them likewise.  A set of one group has no parts;
 * then PostgreSQL's plan answers, which sorts on disk.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/ordered_sets.h"
#include "node/regroup_datum.h"
#include "node/regroup_layout.h"
#include "node/regroup_output.h"
#include "node/regroup_run.h"
#include "node/regroup_table.h"
#include "planner/constant.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#define LEAST_MEMORY ((Size) 64 * 1024)	/* of a table */
#define MOST_PARTS (1 << 20)

StaticAssertDecl(GPUAGG_REGROUP_VALUES <= 64, "a bit for each");

typedef struct Regroup
{
	GpuAggScan *scan;
	const GpuAggRegroup *plan;
	GpuAggError *error;
	Size		limit;			/* of the tables */

	const GpuAggProgram *device;
	GpuAggLayout from;			/* the device's groups */
	GpuAggProgram *program;
	GpuAggLayout into;			/* the query's */
	GpuAggResults *groups;
	GpuAggResults *results;

	/* expressions over keys: a tuple of the table with what they read */
	List	   *computed;		/* ExprStates */
	ExprContext *econtext;
	TupleTableSlot *slot;
	int			nread;
	AttrNumber *read;			/* columns that they are; 0: none reads it */
	Datum	   *read_values;
	bool	   *read_nulls;

	/* arguments of ordered-set aggregates */
	GpuAggOrderedSets *ordered; /* NULL: there are none */
	int			sorted[GPUAGG_MAX_KEYS];	/* of a key: its place in read_values */

	/* the set at work */
	int			set;
	int			parent;			/* the set of whose groups it is made; -1: the device's */
	bool		unique;			/* each of the device's groups is one of the set's */
	GpuAggRegroupTable *table;
	char	   *lone;			/* the only group, of a set without keys */
	bool		repeats;		/* values may enter more than once, and these tell: */
	GpuAggRegroupTable *entered[GPUAGG_REGROUP_VALUES]; /* NULL: all enter once */

	/* the group at work */
	GpuAggRegroupDatum values[GPUAGG_REGROUP_VALUES];
	uint64		loaded;			/* bits: which of them are there */
	bool		enters[GPUAGG_REGROUP_VALUES];
} Regroup;

/* --------------------------------------------------------------- values --- */

static bool
row_is_null(const char *row, int key)
{
	uint32		head;

	memcpy(&head, row, sizeof(head));
	return (head >> key & 1) != 0;
}

/* An expression's value; what it points to lasts until the next group. */
static void
compute(Regroup *r, const GpuAggRegroupValue *value, GpuAggRegroupDatum *d)
{
	Datum		datum = ExecEvalExprSwitchContext(list_nth(r->computed, value->number),
												  r->econtext, &d->isnull);
	MemoryContext old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);
	GpuAggConstant c = {0};

	if (value->form == GPUAGG_REGROUP_CONSTANT)
		c = gpuagg_constant_make(value->type, datum, d->isnull);
	else if (!d->isnull)
		d->v.b = gpuagg_datum_form(value->form, datum);
	d->datum = datum;
	MemoryContextSwitchTo(old);
	if (value->form != GPUAGG_REGROUP_CONSTANT)
		return;
	if (gpuagg_key_class(value->type) == GPUAGG_CLASS_BYTES)
		d->v.b = (GpuAggBytes) {c.bytes, c.value.len};
	else if (gpuagg_key_class(value->type) == GPUAGG_CLASS_F64)
		d->v.f = c.value.v.f;
	else
		d->v.i = c.value.v.i;
}

/*
 * A value of one of the device's groups, computed when it is first asked for: an
 * argument need not be, where FILTER leaves no rows.
 */
static const GpuAggRegroupDatum *
group_value(Regroup *r, int n, const char *row)
{
	const GpuAggRegroupValue *value = &r->plan->values[n];
	GpuAggRegroupDatum *d = &r->values[n];

	if ((r->loaded >> n & 1) != 0)
		return d;
	r->loaded |= UINT64CONST(1) << n;
	if (value->computed)
	{
		compute(r, value, d);
		return d;
	}
	d->isnull = row_is_null(row, value->number);
	if (!d->isnull)
		gpuagg_regroup_datum(r->groups, value->type, row, r->from.key_off[value->number], d);
	return d;
}

static bool
value_is_true(Regroup *r, int n, const char *row)
{
	const GpuAggRegroupDatum *d = group_value(r, n, row);

	return !d->isnull && d->v.i != 0;
}

/* The tuple that expressions read */
static void
load_tuple(Regroup *r, const char *row)
{
	MemoryContext old;

	ResetExprContext(r->econtext);
	old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);
	gpuagg_results_emit(r->groups, row, r->read_values, r->read_nulls);
	MemoryContextSwitchTo(old);
	for (int i = 0; i < r->nread && r->slot != NULL; i++)
	{
		if (r->read[i] == 0)
			continue;
		r->slot->tts_values[r->read[i] - 1] = r->read_values[i];
		r->slot->tts_isnull[r->read[i] - 1] = r->read_nulls[i];
	}
}

/* Does one of the device's groups pass what is left of WHERE?  Nothing else is computed before. */
static bool
group_passes(Regroup *r, const char *row)
{
	r->loaded = 0;
	if (r->computed != NIL || r->ordered != NULL)
		load_tuple(r, row);
	for (int i = 0; i < r->plan->nfilters; i++)
		if (!value_is_true(r, r->plan->filters[i], row))
			return false;
	return true;
}

/* ----------------------------------------------------------------- keys --- */

static void
want_key(const GpuAggLayout *layout, char *wanted, int key, uint32 type, const GpuAggRegroupDatum *d)
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
want_integer(Regroup *r, char *wanted, int key, int32 value)
{
	GpuAggRegroupDatum d = {.v.i = value};

	want_key(&r->into, wanted, key, GPUAGG_T_INT4, &d);
}

/* The keys of the group of the set that a row belongs to, made or the device's */
static void
want_group(Regroup *r, const char *row)
{
	const GpuAggRegroup *plan = r->plan;
	const GpuAggRegroupSet *set = &plan->sets[r->set];
	char	   *wanted = gpuagg_regroup_table_wanted(r->table);

	for (int i = 0; i < plan->nkeys; i++)
	{
		const uint32 type = plan->values[plan->keys[i]].type;
		GpuAggRegroupDatum made;

		if ((set->keys >> i & 1) == 0)
			continue;
		if (r->parent >= 0)
		{
			made.isnull = row_is_null(row, i);
			if (!made.isnull)
				gpuagg_regroup_datum(r->results, type, row, r->into.key_off[i], &made);
		}
		want_key(&r->into, wanted, i, type, r->parent >= 0 ? &made :
				 group_value(r, plan->keys[i], row));
	}
	if (!plan->numbered)
		return;
	want_integer(r, wanted, plan->nkeys, r->set);
	for (int i = 0; i < plan->ngroupings; i++)
		want_integer(r, wanted, plan->nkeys + 1 + i, set->groupings[i]);
}

/* --------------------------------------------------------------- states --- */

/* Is a preferred to the string that a state has, in an order other than that of bytes? */
static bool
is_preferred(const GpuAggRegroupState *s, const char *state, GpuAggBytes a)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(state);
	int			order;

	if (!OidIsValid(s->collation) || b.len == GPUAGG_STRING_NONE)
		return gpuagg_state_prefers(s->op, state, a);
	if (s->type == GPUAGG_T_BPCHAR)
	{
		a = gpuagg_bpchar_trim(a);
		b = gpuagg_bpchar_trim(b);
	}
	order = varstr_cmp(a.data, (int) a.len, b.data, (int) b.len, s->collation);
	return s->op == GPUAGG_TRANS_MIN_BYTES || s->op == GPUAGG_TRANS_MIN_BPCHAR ?
		order < 0 : order > 0;
}

static void
enter_string(Regroup *r, const GpuAggRegroupState *s, char *state, GpuAggBytes b)
{
	if (is_preferred(s, state, b))
		gpuagg_regroup_table_keep(r->table, state, b);
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
		default:
			gpuagg_state_step_i64(s->op, state, value);
			break;
	}
}

static void
enter_datum(Regroup *r, const GpuAggRegroupState *s, const GpuAggRegroupDatum *d, int64 rows,
			char *state)
{
	MemoryContext old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);

	gpuagg_datum_enter(r->table, s, r->plan->values[s->value].form, state, d->datum, rows);
	MemoryContextSwitchTo(old);
}

static GpuAggStatus
enter_value(Regroup *r, const GpuAggRegroupState *s, const char *row, char *state)
{
	const GpuAggRegroupDatum *d;
	int64		rows = s->weight == GPUAGG_REGROUP_NONE ? 1 :
		*(const int64 *) (row + r->from.state_off[s->weight]);

	if (rows == 0 || (s->distinct && !r->enters[s->value]))
		return GPUAGG_OK;
	d = group_value(r, s->value, row);
	if (d->isnull)
		return GPUAGG_OK;
	if (s->datum != GPUAGG_REGROUP_STATE)
		enter_datum(r, s, d, rows, state);
	else if (s->op == GPUAGG_TRANS_COUNT)
		enter_integer(s, state, 0, rows);
	else if (gpuagg_transition_is_string(s->op))
		enter_string(r, s, state, d->v.b);
	else if (gpuagg_key_class(s->type) == GPUAGG_CLASS_F64)
	{
		if (s->op == GPUAGG_TRANS_SUM_F64_AVG && gpuagg_f64_needs_pg(d->v.f))
			return gpuagg_error_set(r->error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
									"an average of numbers whose squares may overflow");
		gpuagg_state_step_f64(s->op, state, d->v.f);
	}
	else
		enter_integer(s, state, d->v.i, rows);
	return GPUAGG_OK;
}

static void
merge_state(Regroup *r, const GpuAggRegroupState *s, const GpuAggResults *from,
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
sorted_datum(Regroup *r, const GpuAggRegroupValue *value, bool *isnull)
{
	int			place;

	if (value->computed)
		return ExecEvalExprSwitchContext(list_nth(r->computed, value->number), r->econtext,
										 isnull);
	place = r->sorted[value->number];
	*isnull = r->read_nulls[place];
	return r->read_values[place];
}

/* What a row gives to the sorts of its group */
static void
enter_sorts(Regroup *r, const char *row, char *group)
{
	for (int i = 0; i < r->plan->nsorts; i++)
	{
		const GpuAggRegroupSort *sort = &r->plan->sorts[i];
		int64		rows = *(const int64 *) (row + r->from.state_off[sort->weight]);
		Datum		value;
		bool		isnull;

		if (rows == 0 ||
			(sort->filter != GPUAGG_REGROUP_NONE && !value_is_true(r, sort->filter, row)))
			continue;
		value = sorted_datum(r, &r->plan->values[sort->value], &isnull);
		if (!isnull)
			gpuagg_ordered_add(r->ordered, i, group, value, rows);
	}
}

/* What a row gives to the states of its group */
static GpuAggStatus
enter_row(Regroup *r, const char *row, char *group)
{
	for (int i = 0; i < r->plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &r->plan->states[i];
		char	   *state = group + r->into.state_off[i];
		GpuAggStatus status;

		if (s->output != GPUAGG_REGROUP_NONE)
			continue;
		if (r->parent >= 0)
			merge_state(r, s, r->results, row, r->into.state_off[i], state);
		else if (s->filter != GPUAGG_REGROUP_NONE && !value_is_true(r, s->filter, row))
			continue;
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
	return GPUAGG_OK;
}

/* Which values enter this group for the first time? */
static void
note_entered(Regroup *r, const char *row, char *group)
{
	for (int i = 0; i < r->plan->nvalues; i++)
	{
		const GpuAggLayout *layout;
		GpuAggRegroupDatum of = {.v.i = (int64) (intptr_t) group};
		char	   *wanted;

		if (r->entered[i] == NULL || group_value(r, i, row)->isnull)
			continue;
		layout = gpuagg_regroup_table_layout(r->entered[i]);
		wanted = gpuagg_regroup_table_wanted(r->entered[i]);
		want_key(layout, wanted, 0, GPUAGG_T_INT8, &of);
		want_key(layout, wanted, 1, r->plan->values[i].type, &r->values[i]);
		(void) gpuagg_regroup_table_find(r->entered[i],
										 gpuagg_regroup_table_hash(r->entered[i]),
										 &r->enters[i]);
	}
}

/* ----------------------------------------------------------------- sets --- */

/* All groups of the table into the store, which has been read perhaps */
static GpuAggStatus
flush_table(Regroup *r)
{
	GpuAggStatus status = gpuagg_regroup_output(r->table, r->program, r->results,
												&r->scan->counters.groups_made, r->error);

	gpuagg_regroup_table_reset(r->table);
	return status;
}

static Size
memory_taken(const Regroup *r)
{
	Size		bytes = gpuagg_regroup_table_memory(r->table);

	for (int i = 0; r->repeats && i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			bytes += gpuagg_regroup_table_memory(r->entered[i]);
	return bytes;
}

static void
reset_tables(Regroup *r)
{
	r->lone = NULL;
	gpuagg_regroup_table_reset(r->table);
	for (int i = 0; i < r->plan->nvalues; i++)
		if (r->entered[i] != NULL)
			gpuagg_regroup_table_reset(r->entered[i]);
}

/* The group of a row; false: it is in another part of the set. */
static bool
find_group(Regroup *r, const char *row, uint32 part, uint32 parts, char **group)
{
	uint64		hash;
	bool		is_new;

	*group = r->lone;
	if (*group != NULL)
		return true;
	want_group(r, row);
	if (r->unique)
	{
		*group = gpuagg_regroup_table_append(r->table);
		return true;
	}
	hash = gpuagg_regroup_table_hash(r->table);
	if ((hash >> 32 & (parts - 1)) != part)
		return false;
	*group = gpuagg_regroup_table_find(r->table, hash, &is_new);
	if (r->plan->sets[r->set].keys == 0)
		r->lone = *group;
	return true;
}

/* One row to its group, if that is in this part of the set */
static GpuAggStatus
regroup_row(Regroup *r, const char *row, uint32 part, uint32 parts)
{
	char	   *group;

	if (r->parent >= 0)
	{
		int			number = r->plan->nkeys;

		if (*(const int32 *) (row + r->into.key_off[number]) != r->parent)
			return GPUAGG_OK;
	}
	else if (!group_passes(r, row))
		return GPUAGG_OK;
	if (!find_group(r, row, part, parts, &group))
		return GPUAGG_OK;
	if (r->parent < 0 && r->repeats)
		note_entered(r, row, group);
	return enter_row(r, row, group);
}

/*
 * Reads all rows that the set is made of.  *full: there is no memory for their groups;
 * those of a set whose groups come one by one go to the store at once.
 */
static GpuAggStatus
read_rows(Regroup *r, uint32 part, uint32 parts, bool *full)
{
	GpuAggResults *from = r->parent >= 0 ? r->results : r->groups;
	GpuAggStatus status = GPUAGG_OK;
	const char *row;

	*full = false;
	gpuagg_results_rewind(from);
	while (status == GPUAGG_OK && (row = gpuagg_results_row(from)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		status = regroup_row(r, row, part, parts);
		if (memory_taken(r) <= r->limit)
			continue;
		if (!r->unique)
		{
			*full = true;
			break;
		}
		if (status == GPUAGG_OK)
			status = flush_table(r);
	}
	return status;
}

/* Without GROUP BY there is a group even of no rows. */
static void
add_lone_group(Regroup *r)
{
	bool		is_new;

	want_group(r, NULL);
	(void) gpuagg_regroup_table_find(r->table, gpuagg_regroup_table_hash(r->table), &is_new);
}

static GpuAggStatus
regroup_part(Regroup *r, uint32 part, uint32 parts)
{
	bool		lone = r->plan->sets[r->set].keys == 0;
	GpuAggStoreMark end;
	GpuAggStatus status;
	bool		full;

	reset_tables(r);
	if (r->ordered != NULL)
		gpuagg_ordered_begin(r->ordered, lone);
	if (lone && !r->plan->grouped)
		add_lone_group(r);
	if (r->parent >= 0)
		gpuagg_results_mark(r->results, &end);
	status = read_rows(r, part, parts, &full);
	if (r->parent >= 0)
		gpuagg_results_cut(r->results, &end);
	if (status != GPUAGG_OK)
		return status;
	if (!full && r->ordered != NULL)
		gpuagg_ordered_finish(r->ordered, r->table);
	if (!full)
		return flush_table(r);
	if (lone || parts >= MOST_PARTS)
		return gpuagg_error_set(r->error, GPUAGG_OUT_OF_MEMORY, 0,
								"the values of a DISTINCT aggregate exceed work_mem");
	status = regroup_part(r, part, parts * 2);
	return status == GPUAGG_OK ? regroup_part(r, part + parts, parts * 2) : status;
}

/* ---------------------------------------------------------------- begin --- */

static bool
all_merged(const GpuAggRegroup *plan)
{
	for (int i = 0; i < plan->nstates; i++)
		if (plan->states[i].distinct || plan->states[i].datum != GPUAGG_REGROUP_STATE)
			return false;
	return plan->nsorts == 0;
}

/*
 * The smallest set that contains this one, of those that are made before it, which stand
 * behind it (PostgreSQL lists small sets first); -1: none may be read.
 */
static int
find_parent(const GpuAggRegroup *plan, int set)
{
	int			found = -1;

	if (!all_merged(plan))
		return found;
	for (int i = set + 1; i < plan->nsets; i++)
	{
		if ((plan->sets[set].keys & ~plan->sets[i].keys) == 0 &&
			(found < 0 || pg_popcount32(plan->sets[i].keys) < pg_popcount32(plan->sets[found].keys)))
			found = i;
	}
	return found;
}

/* Keys of the device that the set's keys are, and this value if it is one */
static uint32
keys_told(const Regroup *r, int value)
{
	const GpuAggRegroup *plan = r->plan;
	uint32		told = 0;

	for (int i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupValue *v = &plan->values[plan->keys[i]];

		if ((plan->sets[r->set].keys >> i & 1) != 0 && !v->computed)
			told |= UINT32_C(1) << v->number;
	}
	if (value >= 0 && !plan->values[value].computed)
		told |= UINT32_C(1) << plan->values[value].number;
	return told;
}

static bool
are_all_keys(const Regroup *r, uint32 told)
{
	return told == (uint32) ((UINT64CONST(1) << r->plan->ninputs) - 1);
}

static void
begin_set(Regroup *r, int set)
{
	const GpuAggRegroup *plan = r->plan;
	int			tables = 1;

	r->set = set;
	r->parent = find_parent(plan, set);
	r->unique = r->parent < 0 && plan->nsorts == 0 && plan->sets[set].keys != 0 && are_all_keys(r, keys_told(r, -1));
	r->table = gpuagg_regroup_table_create(r->program, CurrentMemoryContext);
	memset(r->entered, 0, sizeof(r->entered));
	memset(r->enters, true, sizeof(r->enters));
	r->repeats = false;
	for (int i = 0; i < plan->nstates; i++)
	{
		int			value = plan->states[i].value;

		if (!plan->states[i].distinct || r->entered[value] != NULL ||
			are_all_keys(r, keys_told(r, value)))
			continue;
		r->entered[value] = gpuagg_regroup_table_create(gpuagg_regroup_entered_program(plan->values[value].type,
																		 r->program->hash_seed),
														CurrentMemoryContext);
		r->repeats = true;
		tables++;
	}
	r->limit = Max(get_hash_memory_limit() / 4, tables * LEAST_MEMORY);
}

static GpuAggStatus
regroup_set(Regroup *r, int set)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg set",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GpuAggStatus status;

	begin_set(r, set);
	status = regroup_part(r, 0, 1);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return status;
}

static void
begin_expressions(Regroup *r)
{
	CustomScan *plan = castNode(CustomScan, r->scan->css.ss.ps.plan);
	Plan	   *expressions;
	ListCell   *lc;

	r->econtext = CreateExprContext(r->scan->css.ss.ps.state);
	if (list_length(plan->custom_plans) <= GPUAGG_PLAN_REGROUP)
		return;
	expressions = list_nth(plan->custom_plans, GPUAGG_PLAN_REGROUP);
	foreach(lc, expressions->targetlist)
		r->computed = lappend(r->computed,
							  ExecInitExpr(lfirst_node(TargetEntry, lc)->expr,
										   &r->scan->css.ss.ps));
	r->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(RelationGetDescr(r->scan->rel)),
									   &TTSOpsVirtual);
	ExecStoreAllNullTuple(r->slot);
	r->econtext->ecxt_scantuple = r->slot;
}

static void
end_expressions(Regroup *r)
{
	if (r->slot != NULL)
		ExecDropSingleTupleTableSlot(r->slot);
	FreeExprContext(r->econtext, true);
}

/*
 * Outputs of the device's groups: keys that expressions read or sorts take, and those that
 * results.c has to check.  Returns their number; read[i] is the column that the i-th is,
 * or 0; sorted[i] is the place of the i-th key.
 */
static int
device_outputs(const GpuAggRegroup *plan, const GpuAggProgram *device,
			   GpuAggOutput *outputs, AttrNumber *read, int *sorted)
{
	int			n = 0;

	for (int i = 0; i < plan->ninputs; i++)
	{
		const GpuAggRegroupInput *input = &plan->inputs[i];
		const GpuAggKey *key = &gpuagg_program_keys(device)[i];

		/* texts are told apart where the query's groups are */
		if (input->attno == 0 && !input->sorted && input->final != GPUAGG_FINAL_KEY_DATE_TZ)
			continue;
		read[n] = input->attno;
		sorted[i] = n;
		outputs[n++] = (GpuAggOutput) {
			.final = input->final,
			.index = i,
			.count_index = -1,
			.type = key->type,
			.scale = input->sorted || input->final == GPUAGG_FINAL_KEY_WORD ? input->scale : key->scale,
			.shown = input->sorted ? input->shown : key->scale,
			.shown_by = input->shown_by
		};
	}
	return n;
}

GpuAggResults *
gpuagg_regroup_store(const GpuAggScan *scan)
{
	GpuAggOutput outputs[GPUAGG_MAX_KEYS];
	AttrNumber	read[GPUAGG_MAX_KEYS];
	int			sorted[GPUAGG_MAX_KEYS];
	int			n = device_outputs(scan->info->regroup, scan->info->program, outputs, read,
								   sorted);

	return gpuagg_results_create(scan->info->program, outputs, n, NIL, get_hash_memory_limit() / 2,
								 scan->css.ss.ps.state->es_query_cxt, scan->owner);
}

static void
begin(Regroup *r)
{
	GpuAggOutput outputs[GPUAGG_MAX_KEYS];
	GpuAggPlanInfo *info = r->scan->info;
	uint64		seed = (uint64) (uintptr_t) r;

	(void) pg_strong_random(&seed, sizeof(seed));
	r->plan = info->regroup;
	r->device = info->program;
	r->groups = r->scan->results;
	r->program = gpuagg_regroup_program(r->plan, seed);
	gpuagg_layout_compute(r->device, &r->from);
	gpuagg_layout_compute(r->program, &r->into);
	r->read = palloc(GPUAGG_MAX_KEYS * sizeof(AttrNumber));
	r->read_values = palloc(GPUAGG_MAX_KEYS * sizeof(Datum));
	r->read_nulls = palloc(GPUAGG_MAX_KEYS * sizeof(bool));
	r->nread = device_outputs(r->plan, r->device, outputs, r->read, r->sorted);
	r->results = gpuagg_results_create(r->program, info->outputs, info->noutputs,
									   ((CustomScan *) r->scan->css.ss.ps.plan)->custom_scan_tlist,
									   get_hash_memory_limit() / 4,
									   r->scan->css.ss.ps.state->es_query_cxt,
									   r->scan->owner);
	begin_expressions(r);
	if (r->plan->nsorts > 0)
		r->ordered = gpuagg_ordered_create(info, ((CustomScan *) r->scan->css.ss.ps.plan)->custom_scan_tlist,
										   &r->scan->css.ss.ps);
}

GpuAggStatus
gpuagg_regroup_run(GpuAggScan *scan, GpuAggError *error)
{
	Regroup		r = {.scan = scan,.error = error};
	GpuAggStatus status = GPUAGG_OK;

	begin(&r);
	for (int i = r.plan->nsets - 1; i >= 0 && status == GPUAGG_OK; i--)
		status = regroup_set(&r, i);
	end_expressions(&r);
	gpuagg_results_free(r.groups);
	scan->results = r.results;
	return status;
}
