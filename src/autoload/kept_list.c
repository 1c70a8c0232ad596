/*
 * kept_list.c
 *		The columns that devices keep (kept_list.h).
 *
 * Order.  Pinned tables come first, then those that were used most, and of those that
 * were used as often the one that was loaded earlier, or else used last.  Loading counts
 * as a use of each, so tables that nobody has used since stay in the order that they had.
 */
#include "postgres.h"

#include "autoload/kept_list.h"
#include "ipc/cache_shared.h"
#include "ipc/pins_shared.h"
#include "ipc/shmem.h"

static int
compare_tables(const void *x, const void *y)
{
	const GpuAggKept *a = x;
	const GpuAggKept *b = y;

	if (a->dbid != b->dbid)
		return a->dbid < b->dbid ? -1 : 1;
	return (a->relid > b->relid) - (a->relid < b->relid);
}

static int
compare_columns(const void *x, const void *y)
{
	const GpuAggKept *a = x;
	const GpuAggKept *b = y;

	if (compare_tables(a, b) != 0)
		return compare_tables(a, b);
	return (a->attnum > b->attnum) - (a->attnum < b->attnum);
}

/* By what columns of a table share, then by column */
static int
compare_worth(const void *x, const void *y)
{
	const GpuAggKept *a = x;
	const GpuAggKept *b = y;

	if (a->with_pinned != b->with_pinned)
		return a->with_pinned ? -1 : 1;
	if (a->uses != b->uses)
		return a->uses > b->uses ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->last_use != b->last_use)
		return a->last_use > b->last_use ? -1 : 1;
	return compare_columns(a, b);
}

/* Adds what a device has; columns only of which something is there. */
static void
add_device(GpuAggKeptList *list, int device)
{
	GpuAggCacheEntry *entries;
	uint32		n = gpuagg_cache_entries_last(device, &entries);

	list->kept = repalloc(list->kept, Max(list->n + n, 1) * sizeof(GpuAggKept));
	for (uint32 i = 0; i < n; i++)
		if (entries[i].blocks > 0)
			list->kept[list->n++] = (GpuAggKept) {
				.dbid = entries[i].dbid,
				.relid = entries[i].relid,
				.attnum = entries[i].attnum,
				.bytes = entries[i].bytes,
				.uses = entries[i].uses,
				.last_use = entries[i].last_use,
			};
	pfree(entries);
}

/* Of pinned columns, also those of which nothing is there: they are pinned again. */
static void
add_pins(GpuAggKeptList *list)
{
	GpuAggPin  *pins;
	uint32		n = gpuagg_pins_copy(&pins);

	list->kept = repalloc(list->kept, Max(list->n + n, 1) * sizeof(GpuAggKept));
	for (uint32 i = 0; i < n; i++)
		list->kept[list->n++] = (GpuAggKept) {
			.dbid = pins[i].dbid,
			.relid = pins[i].relid,
			.attnum = pins[i].attnum,
			.pinned = true
		};
	pfree(pins);
}

/* Of a column that is there more than once, of devices or as a pin, one stays. */
static void
merge_columns(GpuAggKeptList *list)
{
	uint32		n = 0;

	qsort(list->kept, list->n, sizeof(GpuAggKept), compare_columns);
	for (uint32 i = 0; i < list->n; i++)
	{
		const GpuAggKept *one = &list->kept[i];
		GpuAggKept *last = n == 0 ? NULL : &list->kept[n - 1];

		if (last == NULL || compare_columns(last, one) != 0)
		{
			list->kept[n++] = *one;
			continue;
		}
		last->pinned |= one->pinned;
		last->bytes = Max(last->bytes, one->bytes);
		last->uses += one->uses;
		last->last_use = Max(last->last_use, one->last_use);
	}
	list->n = n;
}

void
gpuagg_kept_rank(GpuAggKeptList *list)
{
	for (uint32 i = 0; i < list->n; i++)
		list->kept[i].rank = i;
	qsort(list->kept, list->n, sizeof(GpuAggKept), compare_columns);
}

static uint32
rank_of(const GpuAggKeptList *before, const GpuAggKept *one)
{
	const GpuAggKept *there = before->n == 0 ? NULL :
		bsearch(one, before->kept, before->n, sizeof(GpuAggKept), compare_tables);

	return there == NULL ? PG_UINT32_MAX : there->rank;
}

/*
 * Of a table that is in order of columns: what it is worth, for all its columns.  Its rows,
 * which come with columns, are left out, but for their bytes.  Returns the columns left.
 */
static uint32
weigh_table(GpuAggKept *table, uint32 n, const GpuAggKeptList *before)
{
	const bool	has_rows = table[0].attnum == InvalidAttrNumber && n > 1;
	GpuAggKept	worth = table[0];

	worth.rank = rank_of(before, &worth);
	worth.with_pinned = worth.pinned;
	for (uint32 i = 1; i < n; i++)
	{
		worth.with_pinned |= table[i].pinned;
		worth.uses = Max(worth.uses, table[i].uses);
		worth.last_use = Max(worth.last_use, table[i].last_use);
	}
	if (has_rows)
	{
		n--;
		memmove(&table[0], &table[1], n * sizeof(GpuAggKept));
		table[0].bytes += worth.bytes;
	}
	for (uint32 i = 0; i < n; i++)
	{
		table[i].rank = worth.rank;
		table[i].with_pinned = worth.with_pinned;
		table[i].uses = worth.uses;
		table[i].last_use = worth.last_use;
	}
	return n;
}

uint32
gpuagg_kept_table(const GpuAggKeptList *list, uint32 from)
{
	uint32		n = 1;

	while (from + n < list->n && compare_tables(&list->kept[from], &list->kept[from + n]) == 0)
		n++;
	return n;
}

void
gpuagg_kept_look(GpuAggKeptList *list, const GpuAggKeptList *before)
{
	uint32		n = 0;
	uint32		length;

	list->n = 0;
	list->kept = palloc(sizeof(GpuAggKept));
	for (int i = 0; i < gpuagg_shared->ndevices; i++)
		add_device(list, i);
	add_pins(list);
	merge_columns(list);
	for (uint32 i = 0; i < list->n; i += length)
	{
		uint32		left;

		length = gpuagg_kept_table(list, i);
		left = weigh_table(&list->kept[i], length, before);
		memmove(&list->kept[n], &list->kept[i], left * sizeof(GpuAggKept));
		n += left;
	}
	list->n = n;
	qsort(list->kept, list->n, sizeof(GpuAggKept), compare_worth);
}

bool
gpuagg_kept_same(const GpuAggKeptList *a, const GpuAggKeptList *b)
{
	GpuAggKept *sorted[2];
	const GpuAggKeptList *lists[2] = {a, b};
	bool		same = a->n == b->n;

	if (!same)
		return false;
	for (int i = 0; i < 2; i++)
	{
		sorted[i] = palloc(Max(a->n, 1) * sizeof(GpuAggKept));
		memcpy(sorted[i], lists[i]->kept, a->n * sizeof(GpuAggKept));
		qsort(sorted[i], a->n, sizeof(GpuAggKept), compare_columns);
	}
	for (uint32 i = 0; i < a->n && same; i++)
		same = compare_columns(&sorted[0][i], &sorted[1][i]) == 0 &&
			sorted[0][i].pinned == sorted[1][i].pinned;
	pfree(sorted[0]);
	pfree(sorted[1]);
	return same;
}

void
gpuagg_kept_fit(GpuAggKeptList *list, uint64 bytes)
{
	uint32		n = 0;
	uint32		length;

	for (uint32 i = 0; i < list->n; i += length)
	{
		uint64		takes = 0;

		length = gpuagg_kept_table(list, i);
		for (uint32 k = 0; k < length; k++)
			takes += list->kept[i + k].bytes;
		if (takes > bytes)
			continue;
		bytes -= takes;
		memmove(&list->kept[n], &list->kept[i], length * sizeof(GpuAggKept));
		n += length;
	}
	list->n = n;
}

void
gpuagg_kept_free(GpuAggKeptList *list)
{
	if (list->kept != NULL)
		pfree(list->kept);
	list->kept = NULL;
	list->n = 0;
}
