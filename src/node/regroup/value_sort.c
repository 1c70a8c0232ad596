/*
 * value_sort.c
 *		Sorts values of groups (value_sort.h).
 *
 * Numbers, dates and moments in their usual order are sorted as integers of that order,
 * in an array, several times as fast as tuples are.  All others, and what exceeds
 * work_mem, PostgreSQL's tuplesort takes.  Groups are told apart by their address.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "compat.h"
#include "device/transition.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "node/regroup/value_sort.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#define FIRST_VALUES 1024

enum
{
	COLUMN_GROUP,
	COLUMN_VALUE,
	COLUMN_ROWS,
	COLUMNS
};

/* A value as an integer; a descending order has all bits inverted. */
typedef struct Word
{
	char	   *group;
	int64		order;
	int64		rows;
} Word;

StaticAssertDecl(sizeof(Word) == GPUAGG_REGROUP_WORD_BYTES, "as the planner counts them");

static inline int
compare_words(const Word *a, const Word *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

#define ST_SORT sort_words
#define ST_ELEMENT_TYPE Word
#define ST_COMPARE(a, b) compare_words(a, b)
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"
#include "utils/typcache.h"

struct GpuAggValueSort
{
	const GpuAggRegroupSort *plan;
	MemoryContext context;
	bool		lone;

	/* in memory: */
	Word	   *words;			/* NULL: they are tuples */
	size_t		nwords;
	size_t		room;
	size_t		most;
	size_t		at;
	int64		inverted;		/* -1: descending, 0 */

	Tuplesortstate *tuples;
	TupleTableSlot *in;
	TupleTableSlot *out;
};

/* --------------------------------------------------------------- words --- */

/* -0 is 0. */
static int64
word_of(Oid type, Datum value)
{
	double		d;

	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
		case DATEOID:
			return DatumGetInt32(value);
		case FLOAT4OID:
		case FLOAT8OID:
			d = type == FLOAT4OID ? DatumGetFloat4(value) : DatumGetFloat8(value);
			return gpuagg_f64_order(d == 0 ? 0 : d);
		default:
			return DatumGetInt64(value);
	}
}

static Datum
value_of(Oid type, int64 word)
{
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) word);
		case INT4OID:
		case DATEOID:
			return Int32GetDatum((int32) word);
		case FLOAT4OID:
			return Float4GetDatum((float4) gpuagg_f64_unorder(word));
		case FLOAT8OID:
			return Float8GetDatum(gpuagg_f64_unorder(word));
		default:
			return Int64GetDatum(word);
	}
}

/* -------------------------------------------------------------- tuples --- */

static void
begin_tuples(GpuAggValueSort *sort)
{
	const GpuAggRegroupSort *plan = sort->plan;
	int			lone = sort->lone;
	AttrNumber	columns[] = {COLUMN_GROUP + 1, COLUMN_VALUE + 1};
	Oid			operators[] = {lookup_type_cache(INT8OID, TYPECACHE_LT_OPR)->lt_opr, plan->sortop};
	Oid			collations[] = {InvalidOid, plan->collation};
	bool		nulls_first[] = {false, plan->nulls_first};
	TupleDesc	tupdesc = CreateTemplateTupleDesc(COLUMNS);

	TupleDescInitEntry(tupdesc, COLUMN_GROUP + 1, "group", INT8OID, -1, 0);
	TupleDescInitEntry(tupdesc, COLUMN_VALUE + 1, "value", plan->type, -1, 0);
	TupleDescInitEntry(tupdesc, COLUMN_ROWS + 1, "rows", INT8OID, -1, 0);
	gpuagg_tupdesc_finish(tupdesc);
	sort->in = MakeSingleTupleTableSlot(tupdesc, &TTSOpsVirtual);
	sort->out = MakeSingleTupleTableSlot(tupdesc, &TTSOpsMinimalTuple);
	sort->tuples = tuplesort_begin_heap(tupdesc, 2 - lone, columns + lone, operators + lone,
										collations + lone, nulls_first + lone, work_mem, NULL,
										TUPLESORT_NONE);
}

static void
add_tuple(GpuAggValueSort *sort, char *group, Datum value, int64 rows)
{
	TupleTableSlot *slot = sort->in;

	ExecClearTuple(slot);
	memset(slot->tts_isnull, 0, COLUMNS * sizeof(bool));
	slot->tts_values[COLUMN_GROUP] = PointerGetDatum(group);
	slot->tts_values[COLUMN_VALUE] = value;
	slot->tts_values[COLUMN_ROWS] = Int64GetDatum(rows);
	ExecStoreVirtualTuple(slot);
	tuplesort_puttupleslot(sort->tuples, slot);
}

/* They have become too many. */
static void
words_to_tuples(GpuAggValueSort *sort)
{
	MemoryContext old = MemoryContextSwitchTo(sort->context);
	Word	   *words = sort->words;

	begin_tuples(sort);
	for (size_t i = 0; i < sort->nwords; i++)
		add_tuple(sort, words[i].group,
				  value_of(sort->plan->type, words[i].order ^ sort->inverted), words[i].rows);
	pfree(words);
	sort->words = NULL;
	MemoryContextSwitchTo(old);
}

/* ---------------------------------------------------------------- both --- */

GpuAggValueSort *
gpuagg_value_sort_begin(const GpuAggRegroupSort *plan, bool lone)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg values",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GpuAggValueSort *sort = palloc0(sizeof(GpuAggValueSort));

	sort->plan = plan;
	sort->context = context;
	sort->lone = lone;
	sort->room = FIRST_VALUES;
	sort->most = Max((size_t) work_mem * 1024 / sizeof(Word), FIRST_VALUES);
	if (gpuagg_regroup_has_words(plan, &sort->inverted))
		sort->words = palloc(sort->room * sizeof(Word));
	else
		begin_tuples(sort);
	MemoryContextSwitchTo(old);
	return sort;
}

void
gpuagg_value_sort_add(GpuAggValueSort *sort, const GpuAggSortedValue *v)
{
	if (sort->words != NULL && sort->nwords == sort->most)
		words_to_tuples(sort);
	if (sort->words == NULL)
	{
		add_tuple(sort, v->group, v->value, v->rows);
		return;
	}
	if (sort->nwords == sort->room)
	{
		sort->room = Min(sort->room * 2, sort->most);
		sort->words = repalloc_huge(sort->words, sort->room * sizeof(Word));
	}
	sort->words[sort->nwords++] = (Word) {
		.group = v->group,
		.order = word_of(sort->plan->type, v->value) ^ sort->inverted,
		.rows = v->rows
	};
}

void
gpuagg_value_sort_perform(GpuAggValueSort *sort)
{
	if (sort->words != NULL)
		sort_words(sort->words, sort->nwords);
	else
		tuplesort_performsort(sort->tuples);
}

bool
gpuagg_value_sort_next(GpuAggValueSort *sort, GpuAggSortedValue *v)
{
	if (sort->words != NULL)
	{
		const Word *word = &sort->words[sort->at];

		if (sort->at++ == sort->nwords)
			return false;
		v->group = word->group;
		v->value = value_of(sort->plan->type, word->order ^ sort->inverted);
		v->rows = word->rows;
		return true;
	}
	if (!tuplesort_gettupleslot(sort->tuples, true, false, sort->out, NULL))
		return false;
	slot_getallattrs(sort->out);
	v->group = DatumGetPointer(sort->out->tts_values[COLUMN_GROUP]);
	v->value = sort->out->tts_values[COLUMN_VALUE];
	v->rows = DatumGetInt64(sort->out->tts_values[COLUMN_ROWS]);
	return true;
}

void
gpuagg_value_sort_end(GpuAggValueSort *sort)
{
	if (sort->tuples != NULL)
	{
		ExecDropSingleTupleTableSlot(sort->in);
		ExecDropSingleTupleTableSlot(sort->out);
		tuplesort_end(sort->tuples);
	}
	MemoryContextDelete(sort->context);
}
