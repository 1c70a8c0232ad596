/*
 * host_dictionary.c
 *		Numbers for strings, on the host device (host_dictionary.h).
 *
 * Open addressing, at most half full.  A slot holds 32 bits of the hash beside
 * the code, so that almost only the string looked for is compared, and the table
 * grows without a look at strings.  Strings are looked up in batches, step by
 * step, so that their cache misses overlap: the slots where they belong, the
 * places of the strings that the tags point at, those strings.
 *
 * It takes no more strings when it has GPUAGG_DICTIONARY_ENTRIES, or its memory
 * is at its limit.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "device/ops/hash.h"
#include "host/host_dictionary.h"
#include "host/host_task.h"

#define FIRST_SLOTS 1024

/*
 * Memory is charged in small steps, as it is touched, and in huge pages from
 * where strings and their places get these: translating addresses of a million
 * strings otherwise costs as much as fetching them.
 */
#define CHARGE_STEP ((size_t) 64 << 10)
#define CHARGE_LARGE (2 * GPUAGG_MEMORY_BLOCK)

/* Strings looked up at once */
#define BATCH 256

/* Strings take no more addresses than this, whatever the limit of memory. */
#define MOST_BYTES ((uint64_t) 64 << 30)

#define STARTS_BYTES ((GPUAGG_DICTIONARY_ENTRIES + 1) * sizeof(uint64_t))

#define SEED UINT64_C(0x9E3779B97F4A7C15)

/* Addresses without memory; NULL: none to be had */
static void *
reserve(size_t bytes)
{
	void	   *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Huge pages for all but the first of them, for most dictionaries are small */
static void
advise_huge(void *p, size_t bytes)
{
	const uintptr_t huge = GPUAGG_MEMORY_BLOCK;
	const uintptr_t from = ((uintptr_t) p + 2 * huge - 1) / huge * huge;
	const uintptr_t end = (uintptr_t) p + bytes;

	if (from < end)
		(void) madvise((void *) from, end - from, MADV_HUGEPAGE);	/* advice only */
}

static GpuAggDictionarySlots *
newest_slots(GpuAggDictionary *d)
{
	return atomic_load_explicit(&d->slots, memory_order_acquire);
}

static size_t
slots_bytes(uint32_t n)
{
	return sizeof(GpuAggDictionarySlots) + n * sizeof(uint64_t);
}

static void
free_slots(GpuAggDictionary *d)
{
	GpuAggDictionarySlots *slots = newest_slots(d);

	while (slots != NULL)
	{
		GpuAggDictionarySlots *older = slots->older;

		gpuagg_memory_free(d->memory, slots, slots_bytes(slots->mask + 1));
		slots = older;
	}
}

/* Where a hash, or what another slot holds, belongs */
static uint32_t
slot_of(const GpuAggDictionarySlots *slots, uint64_t hash)
{
	return (uint32_t) (hash >> 32) & slots->mask;
}

static uint64_t
read_slot(const GpuAggDictionarySlots *slots, uint32_t i)
{
	return atomic_load_explicit(&slots->slot[i], memory_order_acquire);
}

/* Into a table that has room; what the slot's code stands for is there. */
static void
move_slot(GpuAggDictionarySlots *slots, uint64_t slot)
{
	uint32_t	i = slot_of(slots, slot);

	if (slot == 0)
		return;
	while (read_slot(slots, i) != 0)
		i = (i + 1) & slots->mask;
	atomic_store_explicit(&slots->slot[i], slot, memory_order_release);
}

void
gpuagg_host_dictionary_free(GpuAggDictionary *d)
{
	if (d->bytes != NULL)
		munmap(d->bytes, d->reserved);
	if (d->starts != NULL)
		munmap(d->starts, STARTS_BYTES);
	free_slots(d);
	gpuagg_memory_uncharge(d->memory, d->charged);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

/* One more table of so many slots; false: no memory. */
static bool
new_slots(GpuAggDictionary *d, uint32_t n)
{
	const size_t bytes = slots_bytes(n);
	GpuAggDictionarySlots *slots = gpuagg_memory_alloc(d->memory, bytes);

	if (slots == NULL)
		return false;
	memset(slots, 0, bytes);
	slots->mask = n - 1;
	slots->older = newest_slots(d);
	for (uint32_t k = 0; slots->older != NULL && k <= slots->older->mask; k++)
		move_slot(slots, slots->older->slot[k]);
	d->slot_bytes += bytes;
	atomic_store_explicit(&d->slots, slots, memory_order_release);
	return true;
}

GpuAggStatus
gpuagg_host_dictionary_create(GpuAggDevice *device, GpuAggDictionary **result,
							  GpuAggError *error)
{
	return gpuagg_dictionary_create(&device->stripes, result, error);
}

GpuAggStatus
gpuagg_dictionary_create(GpuAggMemory *memory, GpuAggDictionary **result, GpuAggError *error)
{
	GpuAggDictionary *d = calloc(1, sizeof(*d));
	uint64_t	limit = gpuagg_memory_limit(memory);

	memset(error, 0, sizeof(*error));
	*result = NULL;
	if (d == NULL)
		return gpuagg_memory_error(memory, error);
	pthread_mutex_init(&d->lock, NULL);
	d->memory = memory;
	d->reserved = (size_t) (limit < MOST_BYTES ? limit : MOST_BYTES);
	if (d->reserved > 0 && gpuagg_memory_charge(d->memory, CHARGE_STEP))
	{
		d->charged = CHARGE_STEP;
		d->bytes = reserve(d->reserved);
		d->starts = reserve(STARTS_BYTES);
	}
	if (d->bytes == NULL || d->starts == NULL || !new_slots(d, FIRST_SLOTS))
	{
		gpuagg_host_dictionary_free(d);
		return gpuagg_memory_error(memory, error);
	}
	advise_huge(d->bytes, d->reserved);
	advise_huge(d->starts, STARTS_BYTES);
	*result = d;
	return GPUAGG_OK;
}

/* ---------- looking up ---------- */

/* The upper half of a slot */
static uint64_t
slot_tag(uint64_t hash)
{
	return hash >> 32 << 32;
}

static bool
is_value(const uint8_t *states, uint32_t k)
{
	return states == NULL || states[k] == GPUAGG_ST_VALUE;
}

/* The first slot from i on that has the hash's tag, or nothing */
static uint64_t
next_slot(const GpuAggDictionarySlots *slots, uint64_t hash, uint32_t *i)
{
	uint64_t	slot;

	while ((slot = read_slot(slots, *i)) != 0 && slot_tag(slot) != slot_tag(hash))
		*i = (*i + 1) & slots->mask;
	return slot;
}

static int32_t
slot_code(uint64_t slot)
{
	return (int32_t) ((uint32_t) slot - 1);
}

/* The code, or GPUAGG_NO_CODE; slot: the first with its tag, at i */
static int32_t
compare_from(const GpuAggDictionary *d, const GpuAggDictionarySlots *slots,
			 GpuAggBytes b, uint64_t hash, uint64_t slot, uint32_t i)
{
	while (slot != 0)
	{
		const GpuAggBytes s = gpuagg_dictionary_string(d, slot_code(slot));

		if (s.len == b.len && (b.len == 0 || memcmp(s.data, b.data, b.len) == 0))
			return slot_code(slot);
		i = (i + 1) & slots->mask;
		slot = next_slot(slots, hash, &i);
	}
	return GPUAGG_NO_CODE;
}

/* Strings of a batch on their way to codes */
typedef struct Batch
{
	uint32_t	n;
	uint16_t	which[BATCH];	/* those that are values */
	uint64_t	hashes[BATCH];
	uint32_t	at[BATCH];		/* slot that has the tag */
	uint64_t	slots[BATCH];	/* what it holds; 0: nothing has it */
} Batch;

static void
hash_batch(Batch *batch, const GpuAggDictionarySlots *slots, const GpuAggBytes *strings,
		   const uint8_t *states, uint32_t n)
{
	batch->n = 0;
	for (uint32_t k = 0; k < n; k++)
		if (is_value(states, k))
		{
			const uint64_t hash = gpuagg_hash_bytes(strings[k].data, strings[k].len, SEED);

			batch->which[batch->n] = (uint16_t) k;
			batch->hashes[batch->n++] = hash;
			__builtin_prefetch(&slots->slot[slot_of(slots, hash)]);
		}
}

/* Tags first, then where their strings begin, then the strings themselves */
static void
probe_batch(const GpuAggDictionary *d, const GpuAggDictionarySlots *slots, Batch *batch)
{
	for (uint32_t j = 0; j < batch->n; j++)
	{
		batch->at[j] = slot_of(slots, batch->hashes[j]);
		batch->slots[j] = next_slot(slots, batch->hashes[j], &batch->at[j]);
		if (batch->slots[j] != 0)
			__builtin_prefetch(&d->starts[slot_code(batch->slots[j])]);
	}
	for (uint32_t j = 0; j < batch->n; j++)
		if (batch->slots[j] != 0)
			__builtin_prefetch(d->bytes + d->starts[slot_code(batch->slots[j])]);
}

/* ---------- adding; all of it locked alone ---------- */

/* Charges memory up to a string of so many bytes; false: there is none. */
static bool
charge(GpuAggDictionary *d, uint64_t len)
{
	uint64_t	end = d->starts[d->entries] + len;
	uint64_t	need = end + (d->entries + 2) * sizeof(uint64_t);
	uint64_t	step = need < CHARGE_LARGE ? CHARGE_STEP : CHARGE_LARGE;
	uint64_t	more;

	if (end > d->reserved)
		return false;
	if (need <= d->charged)
		return true;
	more = (need - d->charged + step - 1) / step * step;
	if (!gpuagg_memory_charge(d->memory, more))
		return false;
	d->charged += more;
	return true;
}

/* A string that may have come since it was looked up */
static int32_t
add(GpuAggDictionary *d, GpuAggBytes b, uint64_t hash)
{
	GpuAggDictionarySlots *slots = newest_slots(d);
	uint32_t	i = slot_of(slots, hash);
	const uint64_t slot = next_slot(slots, hash, &i);
	const int32_t code = compare_from(d, slots, b, hash, slot, i);
	uint32_t	new_code;
	uint64_t	start;

	if (code != GPUAGG_NO_CODE)
		return code;
	if (d->full || d->entries == GPUAGG_DICTIONARY_ENTRIES ||
		(2 * (d->entries + 1) > slots->mask + 1 && !new_slots(d, 2 * (slots->mask + 1))) ||
		!charge(d, b.len))
	{
		d->full = true;
		return GPUAGG_NO_CODE;
	}
	start = d->starts[d->entries];
	if (b.len > 0)
		memcpy(d->bytes + start, b.data, b.len);
	if (gpuagg_hash_bytes(d->bytes + start, b.len, SEED) != hash)
		return GPUAGG_NO_CODE;	/* of a page that its task has left (ops/page.h) */
	/* whoever finds the code finds it counted */
	new_code = d->entries;
	d->starts[new_code + 1] = start + b.len;
	d->entries = new_code + 1;
	move_slot(newest_slots(d), slot_tag(hash) | (new_code + 1));
	return (int32_t) new_code;
}

/* ---------- encoding ---------- */

/* Those of a batch that were not found */
static bool
add_batch(GpuAggDictionary *d, const Batch *batch, const GpuAggBytes *strings, int32_t *codes)
{
	bool		good = true;

	pthread_mutex_lock(&d->lock);
	for (uint32_t j = 0; j < batch->n; j++)
	{
		const uint32_t k = batch->which[j];

		if (codes[k] != GPUAGG_NO_CODE)
			continue;
		codes[k] = add(d, strings[k], batch->hashes[j]);
		good &= codes[k] != GPUAGG_NO_CODE;
	}
	pthread_mutex_unlock(&d->lock);
	return good;
}

static bool
encode_batch(GpuAggDictionary *d, const GpuAggBytes *strings, const uint8_t *states,
			 uint32_t n, int32_t *codes)
{
	const GpuAggDictionarySlots *slots = newest_slots(d);
	uint32_t	missing = 0;
	Batch		batch;

	memset(codes, 0, n * sizeof(*codes));
	hash_batch(&batch, slots, strings, states, n);
	probe_batch(d, slots, &batch);
	for (uint32_t j = 0; j < batch.n; j++)
	{
		const uint32_t k = batch.which[j];

		codes[k] = compare_from(d, slots, strings[k], batch.hashes[j], batch.slots[j],
								batch.at[j]);
		missing += codes[k] == GPUAGG_NO_CODE;
	}
	return missing == 0 || add_batch(d, &batch, strings, codes);
}

bool
gpuagg_dictionary_encode(GpuAggDictionary *d, const GpuAggBytes *strings,
						 const uint8_t *states, uint32_t n, int32_t *codes)
{
	bool		good = true;

	for (uint32_t at = 0; at < n; at += BATCH)
		good &= encode_batch(d, strings + at, states == NULL ? NULL : states + at,
							 n - at < BATCH ? n - at : BATCH, codes + at);
	return good;
}

GpuAggStatus
gpuagg_host_dictionary_encode(GpuAggDictionary *d, const GpuAggBytes *strings,
							  uint32_t n, int32_t *codes, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	(void) gpuagg_dictionary_encode(d, strings, NULL, n, codes);
	return GPUAGG_OK;
}

void
gpuagg_host_dictionary_info(GpuAggDictionary *d, GpuAggDictionaryInfo *info)
{
	pthread_mutex_lock(&d->lock);
	info->entries = d->entries;
	info->full = d->full;
	info->bytes = d->charged + d->slot_bytes;
	pthread_mutex_unlock(&d->lock);
}

GpuAggStatus
gpuagg_host_dictionary_read(GpuAggDictionary *d, GpuAggDictionaryText *text,
							GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	pthread_mutex_lock(&d->lock);
	text->entries = d->entries;
	pthread_mutex_unlock(&d->lock);
	text->starts = d->starts;
	text->bytes = d->bytes;
	return GPUAGG_OK;
}
