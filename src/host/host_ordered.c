/*
 * host_ordered.c
 *		Groups by values, those between the rows that are wanted merged, or all but the commonest
 *		value's (host_ordered.h).
 *
 * The query's groups are numbered, and the task's parted by that number.  In each, rows that are
 * wanted are selected by the bytes of values, the first that differs first: only what holds one
 * is looked at by the next byte, and what lies between two is merged in any order.
 */
#include "host/host_answer.h"
#include "host/host_ordered.h"

#define RADIX 256
#define VALUE_BYTES 8

/* So many are sorted at once. */
#define FEW_ENTRIES 32

/* Fewer groups are returned as they are. */
#define LEAST_GROUPS 256

#define FIRST_SLOTS 1024

typedef struct Entry
{
	uint64_t	value;			/* in its order */
	uint64_t	position;
	int64_t		count;			/* of rows */
	uint32_t	group;
	uint32_t	pad;
} Entry;

/* The query's groups so far; slots: number + 1, 0: free, twice as many as there are at least */
typedef struct Numbers
{
	uint32_t   *slots;
	uint32_t	mask;
	uint32_t	n;
	uint64_t   *hashes;			/* of each, half as many as slots; behind them positions of the
								 * first of the task's groups */
} Numbers;

typedef struct Order
{
	GpuAggTask *task;
	const GpuAggOrdered *wish;
	const GpuAggPrepared *rows;
	bool		counts;			/* there are no states but the count */
	Entry	   *entries;
	Entry	   *other;
	uint64_t	nentries;		/* of values that are not NULL */
	Numbers		numbers;
} Order;

static char *
row_at(const Order *o, uint64_t position)
{
	return gpuagg_table_row(gpuagg_host_group_table(o->task, (uint32_t) (position >> 32)),
							(uint32_t) position);
}

static uint32_t
nulls_of(const char *row)
{
	uint32_t	nulls;

	memcpy(&nulls, row, sizeof(nulls));
	return nulls;
}

/* ---------- numbers ---------- */

/* Of the keys but the value */
static uint64_t
group_hash(const Order *o, const char *row)
{
	const GpuAggProgram *p = o->rows->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const uint32_t nulls = nulls_of(row);
	uint64_t	h = p->hash_seed;

	for (uint32_t i = 0; i < p->nkeys; i++)
		if (i != o->wish->key)
			h = gpuagg_hash_word(h, (nulls >> i & 1) != 0 ? GPUAGG_HASH_NULL :
								 gpuagg_key_slot_word(keys[i].type,
													  row + o->rows->layout.key_off[i],
													  p->hash_seed), p->hash_seed);
	return gpuagg_hash_finish(h);
}

/* Neither has a NULL as its value. */
static bool
same_group(const Order *o, const char *a, const char *b)
{
	const GpuAggProgram *p = o->rows->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);

	if (nulls_of(a) != nulls_of(b))
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (i != o->wish->key && (nulls_of(a) >> i & 1) == 0 &&
			!gpuagg_key_slots_equal(keys[i].type, a + o->rows->layout.key_off[i],
									b + o->rows->layout.key_off[i]))
			return false;
	return true;
}

static size_t
numbers_bytes(uint64_t slots)
{
	return slots * sizeof(uint32_t) + slots / 2 * 2 * sizeof(uint64_t);
}

static void
numbers_free(Order *o)
{
	Numbers    *numbers = &o->numbers;

	gpuagg_memory_free(&o->task->memory, numbers->hashes,
					   numbers->hashes == NULL ? 0 : numbers_bytes((uint64_t) numbers->mask + 1));
	numbers->hashes = NULL;
}

static uint64_t *
firsts(const Numbers *numbers)
{
	return numbers->hashes + ((uint64_t) numbers->mask + 1) / 2;
}

/* Twice as many places; false: no memory. */
static bool
numbers_grow(Order *o)
{
	const Numbers old = o->numbers;
	const uint64_t slots = old.hashes == NULL ? FIRST_SLOTS : ((uint64_t) old.mask + 1) * 2;
	Numbers		grown = {.mask = (uint32_t) (slots - 1),.n = old.n};

	if (slots > UINT64_C(1) << 32)
		return false;
	grown.hashes = gpuagg_memory_alloc(&o->task->memory, numbers_bytes(slots));
	if (grown.hashes == NULL)
		return false;
	grown.slots = (uint32_t *) (grown.hashes + slots);
	memset(grown.slots, 0, slots * sizeof(uint32_t));
	for (uint32_t i = 0; i < old.n; i++)
	{
		uint32_t	at = (uint32_t) old.hashes[i] & grown.mask;

		while (grown.slots[at] != 0)
			at = (at + 1) & grown.mask;
		grown.slots[at] = i + 1;
		grown.hashes[i] = old.hashes[i];
		firsts(&grown)[i] = firsts(&old)[i];
	}
	numbers_free(o);
	o->numbers = grown;
	return true;
}

/* The number of the query's group that a row is of; false: no memory. */
static bool
number_of(Order *o, const char *row, uint64_t position, uint32_t *number)
{
	Numbers    *numbers = &o->numbers;
	const uint64_t hash = group_hash(o, row);
	uint32_t	at;

	if ((numbers->hashes == NULL || numbers->n >= (numbers->mask >> 1)) && !numbers_grow(o))
		return false;
	for (at = (uint32_t) hash & numbers->mask; numbers->slots[at] != 0;
		 at = (at + 1) & numbers->mask)
	{
		*number = numbers->slots[at] - 1;
		if (numbers->hashes[*number] == hash &&
			same_group(o, row, row_at(o, firsts(numbers)[*number])))
			return true;
	}
	*number = numbers->n++;
	numbers->slots[at] = numbers->n;
	numbers->hashes[*number] = hash;
	firsts(numbers)[*number] = position;
	return true;
}

/* ---------- entries ---------- */

static bool
collect_row(Order *o, const char *row, uint64_t position)
{
	const uint32_t key = o->wish->key;
	Entry	   *entry = &o->entries[o->nentries++];

	entry->value = gpuagg_ordered_word(gpuagg_program_keys(o->rows->program)[key].type,
									   row + o->rows->layout.key_off[key]);
	entry->position = position;
	memcpy(&entry->count, row + o->rows->layout.state_off[o->wish->count], sizeof(entry->count));
	return number_of(o, row, position, &entry->group);
}

/* NULLs are at no place: they are returned.  False: no memory, or nobody waits for it. */
static bool
collect(Order *o, uint64_t *positions, uint64_t *npositions)
{
	for (uint32_t t = 0; t < gpuagg_host_group_tables(o->task); t++)
	{
		const GpuAggTable *table = gpuagg_host_group_table(o->task, t);

		if (atomic_load(&o->task->stop))
			return false;
		for (uint32_t i = 0; table != NULL && i < table->nrows; i++)
		{
			const char *row = gpuagg_table_row(table, i);

			if ((nulls_of(row) >> o->wish->key & 1) != 0)
				positions[(*npositions)++] = gpuagg_host_position(t, i);
			else if (!collect_row(o, row, gpuagg_host_position(t, i)))
				return false;
		}
	}
	return true;
}

/* ---------- by groups ---------- */

/* Entries of each of the query's groups, one behind the other; starts: where, and the end */
static bool
part_groups(Order *o, uint64_t *starts)
{
	const uint32_t n = o->numbers.n;
	Entry	   *parted = o->other;

	memset(starts, 0, (n + 1) * sizeof(*starts));
	for (uint64_t i = 0; i < o->nentries; i++)
		starts[o->entries[i].group + 1]++;
	for (uint32_t i = 0; i < n; i++)
		starts[i + 1] += starts[i];
	if (n < 2)
		return true;
	if (atomic_load(&o->task->stop))
		return false;
	for (uint64_t i = 0; i < o->nentries; i++)
		parted[starts[o->entries[i].group]++] = o->entries[i];
	/* each start has moved to the next one's place */
	memmove(starts + 1, starts, n * sizeof(*starts));
	starts[0] = 0;
	o->other = o->entries;
	o->entries = parted;
	return true;
}

/* ---------- merging ---------- */

static void
merge(const Order *o, char *into, const Entry *from)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(o->rows->program);
	const GpuAggLayout *layout = &o->rows->layout;

	if (o->counts)
	{
		gpuagg_state_merge(GPUAGG_TRANS_COUNT, into + layout->state_off[o->wish->count],
						   (const char *) &from->count);
		return;
	}
	for (uint32_t i = 0; i < o->rows->program->ntransitions; i++)
		gpuagg_state_merge(trans[i].op, into + layout->state_off[i],
						   row_at(o, from->position) + layout->state_off[i]);
}

/* Through the values of one of the query's groups, in their order */
typedef struct Walk
{
	const Order *order;
	int64_t		wanted[GPUAGG_ORDERED_ROWS];
	uint32_t	nwanted;
	uint32_t	met;			/* of these */
	int64_t		before;			/* rows of values that have been passed */
	char	   *into;			/* those that no row is wanted of; NULL: the last one is wanted */
	uint64_t   *positions;
	uint64_t   *npositions;
} Walk;

/* Is a row wanted of the next so many? */
static bool
is_wanted(const Walk *w, int64_t rows)
{
	return w->met < w->nwanted && w->wanted[w->met] <= w->before + rows;
}

static void
pass(Walk *w, const Entry *entry)
{
	const bool	holds = is_wanted(w, entry->count);

	w->before += entry->count;
	while (w->met < w->nwanted && w->wanted[w->met] <= w->before)
		w->met++;
	if (!holds && w->into != NULL)
	{
		merge(w->order, w->into, entry);
		return;
	}
	w->into = holds ? NULL : row_at(w->order, entry->position);
	w->positions[(*w->npositions)++] = entry->position;
}

static void
pass_all(Walk *w, const Entry *entries, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		pass(w, &entries[i]);
}

/* ---------- selecting ---------- */

static void
sort_few(Entry *entries, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
	{
		const Entry entry = entries[i];
		uint64_t	at = i;

		for (; at > 0 && entries[at - 1].value > entry.value; at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

static inline uint32_t
byte_of(const Entry *entry, int byte)
{
	return (uint32_t) (entry->value >> byte * 8) & 0xFF;
}

/*
 * Entries whose values differ in bytes up to this one at most.  They are parted by it, and what
 * holds a row that is wanted by the next one; others are merged in any order.  Nothing is done if
 * nobody waits for them.
 */
static void
walk(Walk *w, Entry *entries, Entry *other, uint64_t n, int byte)
{
	uint64_t	ends[RADIX];
	int64_t		rows[RADIX];
	uint64_t	at = 0;

	if (atomic_load(&w->order->task->stop))
		return;
	if (n <= FEW_ENTRIES || byte < 0)
	{
		sort_few(entries, n);
		pass_all(w, entries, n);
		return;
	}
	memset(ends, 0, sizeof(ends));
	memset(rows, 0, sizeof(rows));
	for (uint64_t i = 0; i < n; i++)
	{
		ends[byte_of(&entries[i], byte)]++;
		rows[byte_of(&entries[i], byte)] += entries[i].count;
	}
	for (int i = 0; i < RADIX; i++)
	{
		const uint64_t more = ends[i];

		ends[i] = at;
		at += more;
	}
	for (uint64_t i = 0; i < n; i++)
		other[ends[byte_of(&entries[i], byte)]++] = entries[i];
	at = 0;
	for (int i = 0; i < RADIX; at = ends[i++])
	{
		if (is_wanted(w, rows[i]))
			walk(w, other + at, entries + at, ends[i] - at, byte - 1);
		else
			pass_all(w, other + at, ends[i] - at);
	}
}

/* Is it commoner than the commonest so far?  Of equally common ones which is it? */
static bool
is_commoner(uint32_t mode, const Entry *entry, const Entry *so_far)
{
	if (so_far == NULL || entry->count != so_far->count)
		return entry->count > (so_far == NULL ? 0 : so_far->count);
	return mode == GPUAGG_MODE_LAST ? entry->value > so_far->value : entry->value < so_far->value;
}

static void
be_null(const Order *o, char *row)
{
	const uint32_t nulls = nulls_of(row) | UINT32_C(1) << o->wish->key;

	memcpy(row, &nulls, sizeof(nulls));
}

/* One of the query's groups, entries from .. end - 1: its commonest value stays by itself. */
static void
mode_of_group(const Order *o, uint64_t from, uint64_t end, uint64_t *positions,
			  uint64_t *npositions)
{
	const Entry *commonest = NULL;
	char	   *others = NULL;

	for (uint64_t i = from; i < end; i++)
		if (is_commoner(o->wish->mode, &o->entries[i], commonest))
			commonest = &o->entries[i];
	for (uint64_t i = from; i < end; i++)
	{
		const Entry *entry = &o->entries[i];

		if (entry != commonest && others != NULL)
		{
			merge(o, others, entry);
			continue;
		}
		if (entry != commonest)
		{
			others = row_at(o, entry->position);
			be_null(o, others);
		}
		positions[(*npositions)++] = entry->position;
	}
}

/* Places of one of the query's groups: entries from .. end - 1 */
static void
order_group(const Order *o, uint64_t from, uint64_t end, uint64_t *positions, uint64_t *npositions)
{
	Walk		w = {.order = o,.positions = positions,.npositions = npositions};
	uint64_t	differing = 0;
	int64_t		rows = 0;
	int			byte = VALUE_BYTES - 1;

	for (uint64_t i = from; i < end; i++)
	{
		rows += o->entries[i].count;
		differing |= o->entries[i].value ^ o->entries[from].value;
	}
	w.nwanted = gpuagg_ordered_wanted(o->wish, rows, w.wanted);
	while (byte >= 0 && (differing >> byte * 8 & 0xFF) == 0)
		byte--;
	walk(&w, o->entries + from, o->other + from, end - from, byte);
}

/* False: no memory, then all groups are as they were, or nobody waits for them. */
static bool
order_groups(Order *o)
{
	GpuAggHostOrdered *ordered = &o->task->ordered;
	const size_t bytes = ((size_t) o->numbers.n + 1) * sizeof(uint64_t);
	uint64_t   *starts = gpuagg_memory_alloc(&o->task->memory, bytes);
	bool		good = starts != NULL && part_groups(o, starts);

	for (uint32_t i = 0; good && i < o->numbers.n; i++)
	{
		if (o->wish->mode != GPUAGG_MODE_NONE)
			mode_of_group(o, starts[i], starts[i + 1], ordered->positions, &ordered->npositions);
		else
			order_group(o, starts[i], starts[i + 1], ordered->positions, &ordered->npositions);
		good = !atomic_load(&o->task->stop);
	}
	gpuagg_memory_free(&o->task->memory, starts, bytes);
	return good;
}

void
gpuagg_host_order(GpuAggTask *task)
{
	GpuAggHostOrdered *ordered = &task->ordered;
	const uint64_t n = gpuagg_host_task_groups(task);
	const size_t bytes = n * sizeof(Entry);
	Order		o = {.task = task,.wish = &task->config.ordered,.rows = task->prepared};

	if (n < LEAST_GROUPS)
		return;
	o.counts = task->prepared->program->ntransitions == 1;
	ordered->bytes = n * sizeof(uint64_t);
	ordered->positions = gpuagg_memory_alloc(&task->memory, ordered->bytes);
	o.entries = gpuagg_memory_alloc(&task->memory, bytes);
	o.other = gpuagg_memory_alloc(&task->memory, bytes);
	if (ordered->positions == NULL || o.entries == NULL || o.other == NULL ||
		!collect(&o, ordered->positions, &ordered->npositions) || !order_groups(&o))
		gpuagg_host_ordered_free(task);
	numbers_free(&o);
	gpuagg_memory_free(&task->memory, o.entries, bytes);
	gpuagg_memory_free(&task->memory, o.other, bytes);
}

void
gpuagg_host_ordered_free(GpuAggTask *task)
{
	gpuagg_memory_free(&task->memory, task->ordered.positions, task->ordered.bytes);
	task->ordered.positions = NULL;
	task->ordered.npositions = 0;
}
