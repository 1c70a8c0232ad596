/*
 * long_values.c
 *		Numerics that devices have no form of, beside the groups of a task
 *		(long_values.h).
 *
 * A row with such a value is one of those that the device leaves to the row plan
 * (rows.c).  It goes to the device with NULL in the value's place, wherever that is an
 * argument, so its group is there and all else of the row counts; the value itself is kept
 * here, under the group's key.
 * When the group is shown (results.c), PostgreSQL's own functions add it to what the
 * device has.  That is exact: sums of numerics do not depend on their order, and what
 * the device holds of the group is an integer.
 *
 * Only arguments of sum, avg, min, max, count and variances, where no other output reads the
 * same state.  Of a variance the argument is kept, and not the products that its squares are made
 * of (planner/lower/lower_statistic.c), which the device gets as NULLs.  A minimum needs the
 * COUNT beside it, which tells whether the device has met any
 * value at all.
 *
 * A row whose key is such a value is none of the device's: it is kept as it is.  No other
 * row of the device's has that key, so long_rows.c makes these groups.
 *
 * Values are entered one by one, in the order in which they come, so that those of a task
 * that is run again can be cut off.  They are sorted by key, and summed up, when they are
 * first asked for.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "compat.h"
#include "device/ops/group.h"
#include "miscadmin.h"
#include "node/result/long_values.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* Digits of what may be squared without coming near to a numeric's end */
#define MOST_SQUARED 10000

typedef struct LongEntry
{
	GpuAggLongSum sum;
	HeapTuple	row;			/* NULL: a value of this group and transition */
	int			transition;		/* of a row: its table (long_values.h) */
	int			key_bytes;
	char		key[FLEXIBLE_ARRAY_MEMBER];
} LongEntry;

struct GpuAggLongValues
{
	MemoryContext context;
	bool		take[GPUAGG_MAX_TRANSITIONS];
	int16		variance[GPUAGG_MAX_TRANSITIONS];	/* the transition of its sum; -1: none */
	bool		sorted;
	Size		bytes;
	int			count;
	int			room;
	LongEntry **entries;
	int			nrows;			/* of them, behind the others once they are sorted */
};

/* -------------------------------------------------------------- creation --- */

/* Is it shown as a sum, average, minimum or maximum of numerics? */
static bool
is_taken(const GpuAggOutput *output)
{
	switch ((GpuAggFinalBeside) gpuagg_final_traits(output->final)->beside)
	{
		case GPUAGG_BESIDE_SUM:
		case GPUAGG_BESIDE_AVERAGE:
		case GPUAGG_BESIDE_PARTIAL:
			return true;
		case GPUAGG_BESIDE_VARIANCE:
			return output->type == GPUAGG_T_NUMERIC;
		case GPUAGG_BESIDE_EXTREME:
			return output->type == GPUAGG_T_NUMERIC && output->count_index >= 0;
		case GPUAGG_BESIDE_NONE:
		case GPUAGG_BESIDE_COUNT:
			break;
	}
	return false;
}

static bool
is_beside(const GpuAggOutput *output, GpuAggFinalBeside beside)
{
	return gpuagg_final_traits(output->final)->beside == beside;
}

/* The states of outputs that are taken, or of those that are not */
static void
set_taken(GpuAggLongValues *values, const GpuAggOutput *outputs, int noutputs, bool taken)
{
	for (int i = 0; i < noutputs; i++)
	{
		const GpuAggOutput *output = &outputs[i];

		if (gpuagg_final_is_key(output->final) ||
			(is_taken(output) || is_beside(output, GPUAGG_BESIDE_COUNT)) != taken)
			continue;
		values->take[output->index] = taken;
		if (output->count_index >= 0)
			values->take[output->count_index] = taken;
		for (int k = 0; k < GPUAGG_SQUARE_PARTS; k++)
			if (output->squares[k] > 0)
				values->take[output->squares[k] - 1] = taken;
	}
}

/* Transitions that go together; where one of them is not taken, none is. */
static void
set_variances(GpuAggLongValues *values, const GpuAggOutput *outputs, int noutputs)
{
	memset(values->variance, -1, sizeof(values->variance));
	for (int i = 0; i < noutputs; i++)
	{
		const GpuAggOutput *output = &outputs[i];
		bool		taken = is_beside(output, GPUAGG_BESIDE_VARIANCE) &&
			values->take[output->index];

		if (!is_beside(output, GPUAGG_BESIDE_VARIANCE))
			continue;
		for (int k = 0; k < GPUAGG_SQUARE_PARTS; k++)
			taken &= output->squares[k] == 0 || values->take[output->squares[k] - 1];
		values->take[output->index] = taken;
		values->variance[output->index] = output->index;
		for (int k = 0; k < GPUAGG_SQUARE_PARTS; k++)
		{
			if (output->squares[k] == 0)
				continue;
			values->take[output->squares[k] - 1] = taken;
			values->variance[output->squares[k] - 1] = output->index;
		}
	}
}

GpuAggLongValues *
gpuagg_long_values_create(const GpuAggOutput *outputs, int noutputs, MemoryContext parent)
{
	MemoryContext context = AllocSetContextCreate(parent, "GpuAgg long values",
												  ALLOCSET_SMALL_SIZES);
	GpuAggLongValues *values = MemoryContextAllocZero(context, sizeof(GpuAggLongValues));

	values->context = context;
	set_taken(values, outputs, noutputs, true);
	set_taken(values, outputs, noutputs, false);
	set_variances(values, outputs, noutputs);
	return values;
}

/* What several states are merged of is kept where each of these would be, a variance as a whole. */
GpuAggLongValues *
gpuagg_long_values_create_merged(const GpuAggOutput *outputs, int noutputs, const int16 *from,
								 int nstates, MemoryContext parent)
{
	GpuAggLongValues *values = gpuagg_long_values_create(outputs, noutputs, parent);
	const GpuAggLongValues of = *values;
	bool		refused[GPUAGG_MAX_TRANSITIONS] = {false};

	memset(values->take, false, sizeof(values->take));
	memset(values->variance, -1, sizeof(values->variance));
	for (int i = 0; i < nstates; i++)
	{
		if (from[i] < 0)
			continue;
		values->take[from[i]] = true;
		refused[from[i]] |= !of.take[i];
		if (of.variance[i] >= 0)
			values->variance[from[i]] = from[of.variance[i]];
	}
	for (int t = 0; t < GPUAGG_MAX_TRANSITIONS; t++)
	{
		values->take[t] &= !refused[t];
		if (!values->take[t] && values->variance[t] >= 0)
			refused[values->variance[t]] = true;
	}
	for (int t = 0; t < GPUAGG_MAX_TRANSITIONS; t++)
		values->take[t] &= values->variance[t] < 0 || !refused[values->variance[t]];
	return values;
}

void
gpuagg_long_values_move(GpuAggLongValues *values, MemoryContext parent)
{
	MemoryContextSetParent(values->context, parent);
}

bool
gpuagg_long_values_take(const GpuAggLongValues *values, int transition)
{
	return values->take[transition];
}

int
gpuagg_long_values_variance(const GpuAggLongValues *values, int transition)
{
	return values->variance[transition];
}

/* PostgreSQL's own sums of squares may go beyond what a numeric may be. */
bool
gpuagg_long_values_fits(const GpuAggLongValues *values, int transition, Datum value)
{
	return values->variance[transition] != transition ||
		strlen(DatumGetCString(DirectFunctionCall1(numeric_out, value))) <= MOST_SQUARED;
}

/* ------------------------------------------------------------------ keys --- */

void
gpuagg_long_key_null(StringInfo key)
{
	appendStringInfoChar(key, 1);
}

void
gpuagg_long_key_number(StringInfo key, uint8 type, uint64 bits)
{
	if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
	{
		double		d;

		memcpy(&d, &bits, sizeof(d));
		bits = gpuagg_key_word_f64(d);
	}
	appendStringInfoChar(key, 0);
	appendBinaryStringInfo(key, (const char *) &bits, sizeof(bits));
}

void
gpuagg_long_key_bytes(StringInfo key, uint8 type, GpuAggBytes bytes)
{
	uint32		len;

	if (type == GPUAGG_T_BPCHAR)
		bytes = gpuagg_bpchar_trim(bytes);
	len = bytes.len;
	appendStringInfoChar(key, 0);
	appendBinaryStringInfo(key, (const char *) &len, sizeof(len));
	appendBinaryStringInfo(key, bytes.data, len);
}

int
gpuagg_long_key_bytes_at(const char *key, uint8 type)
{
	uint32		len;

	if (key[0] != 0)
		return 1;
	if (!gpuagg_key_is_string(type) && type != GPUAGG_T_UUID)
		return 1 + (int) sizeof(uint64);
	memcpy(&len, key + 1, sizeof(len));
	return (int) (1 + sizeof(len) + len);
}

/* ---------------------------------------------------------------- entries --- */

static Size
entry_bytes(const LongEntry *entry)
{
	return offsetof(LongEntry, key) + entry->key_bytes +
		(entry->row != NULL ? HEAPTUPLESIZE + entry->row->t_len :
		 VARSIZE(DatumGetPointer(entry->sum.sum)));
}

static void
make_room(GpuAggLongValues *values)
{
	if (values->count < values->room)
		return;
	values->room = values->room == 0 ? 64 : values->room * 2;
	values->entries = values->entries == NULL ?
		MemoryContextAlloc(values->context, values->room * sizeof(LongEntry *)) :
		repalloc(values->entries, values->room * sizeof(LongEntry *));
}

/* Is it one of the products that a variance has beside its argument? */
static bool
is_product(const GpuAggLongValues *values, int transition)
{
	return values->variance[transition] >= 0 && values->variance[transition] != transition;
}

/* In the context of the values: one of this group, without a sum */
static LongEntry *
new_entry(GpuAggLongValues *values, const char *key, int bytes, int transition)
{
	LongEntry  *entry = palloc(offsetof(LongEntry, key) + bytes);

	Assert(!values->sorted && values->take[transition]);
	make_room(values);
	entry->row = NULL;
	entry->transition = transition;
	entry->key_bytes = bytes;
	memcpy(entry->key, key, bytes);
	return entry;
}

static bool
add_entry(GpuAggLongValues *values, LongEntry *entry)
{
	values->entries[values->count++] = entry;
	values->bytes += entry_bytes(entry);
	return values->bytes <= (Size) work_mem * 1024;
}

bool
gpuagg_long_values_add(GpuAggLongValues *values, const StringInfoData *key, int transition,
					   Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(values->context);
	bool		room = true;

	if (!is_product(values, transition))
	{
		LongEntry  *entry = new_entry(values, key->data, key->len, transition);

		entry->sum.count = 1;
		entry->sum.sum = NumericGetDatum(DatumGetNumericCopy(value));
		entry->sum.least = entry->sum.greatest = entry->sum.sum;
		entry->sum.squares = values->variance[transition] != transition ? (Datum) 0 :
			DirectFunctionCall2(numeric_mul, entry->sum.sum, entry->sum.sum);
		room = add_entry(values, entry);
	}
	MemoryContextSwitchTo(old);
	return room;
}

static Datum
copied(Datum numeric)
{
	return NumericGetDatum(DatumGetNumericCopy(numeric));
}

bool
gpuagg_long_values_add_sum(GpuAggLongValues *values, const char *key, int bytes, int transition,
						   const GpuAggLongSum *sum)
{
	MemoryContext old = MemoryContextSwitchTo(values->context);
	bool		room = true;

	if (!is_product(values, transition))
	{
		LongEntry  *entry = new_entry(values, key, bytes, transition);

		entry->sum.count = sum->count;
		entry->sum.sum = copied(sum->sum);
		entry->sum.least = copied(sum->least);
		entry->sum.greatest = copied(sum->greatest);
		entry->sum.squares = values->variance[transition] != transition ? (Datum) 0 :
			copied(sum->squares);
		room = add_entry(values, entry);
	}
	MemoryContextSwitchTo(old);
	return room;
}

bool
gpuagg_long_values_add_row(GpuAggLongValues *values, HeapTuple row, int table)
{
	MemoryContext old = MemoryContextSwitchTo(values->context);
	LongEntry  *entry;

	Assert(!values->sorted);
	make_room(values);
	entry = palloc0(sizeof(LongEntry));
	entry->row = heap_copytuple(row);
	entry->transition = table;
	values->entries[values->count++] = entry;
	values->bytes += entry_bytes(entry);
	MemoryContextSwitchTo(old);
	return values->bytes <= (Size) work_mem * 1024;
}

int
gpuagg_long_values_count(const GpuAggLongValues *values)
{
	return values->count;
}

void
gpuagg_long_values_cut(GpuAggLongValues *values, int count)
{
	Assert(!values->sorted);
	while (values->count > count)
	{
		LongEntry  *entry = values->entries[--values->count];

		values->bytes -= entry_bytes(entry);
		if (entry->row != NULL)
			heap_freetuple(entry->row);
		else
			pfree(DatumGetPointer(entry->sum.sum));
		pfree(entry);
	}
}

/* ------------------------------------------------------------------- sums --- */

static int
compare_keys(const LongEntry *entry, const char *key, int bytes, int transition)
{
	int			order = memcmp(entry->key, key, Min(entry->key_bytes, bytes));

	if (order == 0)
		order = entry->key_bytes - bytes;
	return order != 0 ? order : entry->transition - transition;
}

static int
compare_entries(const void *a, const void *b)
{
	const LongEntry *left = *(LongEntry *const *) a;
	const LongEntry *right = *(LongEntry *const *) b;

	if (left->row != NULL || right->row != NULL)
		return (left->row != NULL) - (right->row != NULL);
	return compare_keys(left, right->key, right->key_bytes, right->transition);
}

static void
add_up(GpuAggLongSum *to, const GpuAggLongSum *from)
{
	to->count += from->count;
	to->sum = DirectFunctionCall2(numeric_add, to->sum, from->sum);
	to->least = DirectFunctionCall2(numeric_smaller, to->least, from->least);
	to->greatest = DirectFunctionCall2(numeric_larger, to->greatest, from->greatest);
	if (to->squares != (Datum) 0)
		to->squares = DirectFunctionCall2(numeric_add, to->squares, from->squares);
}

/* One entry for each group and transition, in order */
static void
sort_entries(GpuAggLongValues *values)
{
	MemoryContext old = MemoryContextSwitchTo(values->context);
	int			n = 0;

	qsort(values->entries, values->count, sizeof(LongEntry *), compare_entries);
	for (int i = 0; i < values->count; i++)
	{
		LongEntry  *entry = values->entries[i];

		CHECK_FOR_INTERRUPTS();
		if (entry->row != NULL)
			values->entries[n + values->nrows++] = entry;
		else if (n > 0 && compare_entries(&values->entries[n - 1], &entry) == 0)
			add_up(&values->entries[n - 1]->sum, &entry->sum);
		else
			values->entries[n++] = entry;
	}
	values->count = n;
	values->sorted = true;
	MemoryContextSwitchTo(old);
}

HeapTuple
gpuagg_long_values_row(GpuAggLongValues *values, int i, int *table)
{
	const LongEntry *entry;

	if (!values->sorted)
		sort_entries(values);
	if (i >= values->nrows)
		return NULL;
	entry = values->entries[values->count + i];
	*table = entry->transition;
	return entry->row;
}

const GpuAggLongSum *
gpuagg_long_values_sum(GpuAggLongValues *values, int i, const char **key, int *bytes,
					   int *transition)
{
	const LongEntry *entry;

	if (!values->sorted)
		sort_entries(values);
	if (i >= values->count)
		return NULL;
	entry = values->entries[i];
	*key = entry->key;
	*bytes = entry->key_bytes;
	*transition = entry->transition;
	return &entry->sum;
}

const GpuAggLongSum *
gpuagg_long_values_of(GpuAggLongValues *values, const StringInfoData *key, int transition)
{
	int			low = 0;
	int			high;

	if (!values->sorted)
		sort_entries(values);
	high = values->count;
	while (low < high)
	{
		const int	mid = (low + high) / 2;
		const int	order = compare_keys(values->entries[mid], key->data, key->len, transition);

		if (order == 0)
			return &values->entries[mid]->sum;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}
