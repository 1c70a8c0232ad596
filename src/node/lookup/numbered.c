/*
 * numbered.c
 *		Strings of a join's input as numbers (numbered.h).
 *
 * Where such a column is a group key, its number is the key on the device, an integer of
 * a small range; the string is written when the group returns.  Strings that are equal
 * have one number; of char(n) that differ by trailing blanks the first one is shown.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "compat.h"
#include "device/ops/hash.h"
#include "device/program.h"
#include "node/lookup/numbered.h"

#define FIRST_STRINGS 64
#define MOST_STRINGS (1 << 30)

typedef struct Entry
{
	Datum		datum;
	const char *data;			/* of it */
	uint32		len;
	uint32		hash;
} Entry;

struct GpuAggNumbered
{
	MemoryContext context;
	uint8		type;			/* GpuAggType */
	uint64		seed;
	int32		count;
	int32		room;
	Entry	   *entries;		/* by number */
	uint32	   *slots;			/* number + 1; 0: empty.  Twice as many as there is room for */
};

GpuAggNumbered *
gpuagg_numbered_create(uint8 type)
{
	GpuAggNumbered *n = palloc0(sizeof(GpuAggNumbered));

	n->context = CurrentMemoryContext;
	n->type = type;
	n->seed = pg_prng_uint64(&pg_global_prng_state);
	n->room = FIRST_STRINGS;
	n->entries = palloc(n->room * sizeof(Entry));
	n->slots = palloc0(2 * n->room * sizeof(uint32));
	return n;
}

/* The slot of an equal string, or where it belongs */
static uint32 *
find_slot(const GpuAggNumbered *n, const char *data, uint32 len, uint32 hash)
{
	uint32		mask = 2 * (uint32) n->room - 1;

	for (uint32 at = hash & mask;; at = (at + 1) & mask)
	{
		const Entry *e = &n->entries[n->slots[at] - 1];

		if (n->slots[at] == 0 ||
			(e->hash == hash && e->len == len && memcmp(e->data, data, len) == 0))
			return &n->slots[at];
	}
}

static void
grow(GpuAggNumbered *n, Size *bytes)
{
	*bytes += n->room * (sizeof(Entry) + 2 * sizeof(uint32));
	n->room *= 2;
	n->entries = repalloc_huge(n->entries, n->room * sizeof(Entry));
	pfree(n->slots);
	n->slots = MemoryContextAllocExtended(n->context, 2 * n->room * sizeof(uint32),
										  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int32 i = 0; i < n->count; i++)
		*find_slot(n, n->entries[i].data, n->entries[i].len, n->entries[i].hash) = i + 1;
}

/* The string as PostgreSQL has it, whose first bytes are those that are compared */
static void
entry_fill(const GpuAggNumbered *n, Entry *e, const char *data, Size len, Size *bytes)
{
	bool		header = n->type != GPUAGG_T_UUID && n->type != GPUAGG_T_NAME;
	Size		size = header ? VARHDRSZ + len : Max(len, NAMEDATALEN);
	char	   *copy = MemoryContextAllocZero(n->context, size);

	*bytes += size;
	if (header)
		SET_VARSIZE(copy, size);
	e->datum = PointerGetDatum(copy);
	e->data = header ? VARDATA(copy) : copy;
	memcpy(unconstify(char *, e->data), data, len);
}

/* What of a string is compared, and its hash */
static Size
compared_bytes(const GpuAggNumbered *n, const char *data, Size len, uint32 *hash)
{
	while (n->type == GPUAGG_T_BPCHAR && len > 0 && data[len - 1] == ' ')
		len--;
	*hash = (uint32) gpuagg_hash_finish(gpuagg_hash_bytes(data, len, n->seed));
	return len;
}

int32
gpuagg_numbered_find(const GpuAggNumbered *n, const char *data, Size len)
{
	uint32		hash;
	Size		compared = compared_bytes(n, data, len, &hash);

	return (int32) *find_slot(n, data, compared, hash) - 1;
}

int32
gpuagg_numbered_add(GpuAggNumbered *n, const char *data, Size len, Size *bytes)
{
	uint32		hash;
	Size		compared = compared_bytes(n, data, len, &hash);
	uint32	   *slot = find_slot(n, data, compared, hash);

	if (*slot != 0)
		return (int32) (*slot - 1);
	if (n->count == MOST_STRINGS)
		return -1;
	if (n->count == n->room)
	{
		grow(n, bytes);
		slot = find_slot(n, data, compared, hash);
	}
	entry_fill(n, &n->entries[n->count], data, len, bytes);
	n->entries[n->count].len = compared;
	n->entries[n->count].hash = hash;
	*slot = ++n->count;
	return n->count - 1;
}

int32
gpuagg_numbered_count(const GpuAggNumbered *n)
{
	return n->count;
}

Datum
gpuagg_numbered_datum(const GpuAggNumbered *n, int32 number)
{
	return n->entries[number].datum;
}
