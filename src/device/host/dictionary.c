/*
 * dictionary.c
 *		Numbers for strings, on the host device (dictionary.h).
 *
 * Open addressing, at most half full.  A slot holds 32 bits of the hash beside
 * the code, so that almost only the string looked for is compared, and the table
 * grows without a look at strings.  Strings are
 * looked up in batches: first all slots are asked for, then all strings that
 * they point at, then they are compared.
 *
 * It takes no more strings when it has GPUAGG_DICTIONARY_ENTRIES, or its memory
 * is at its limit.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "device/hash.h"
#include "device/host/dictionary.h"
#include "device/host/task.h"

#define FIRST_SLOTS 1024

/* Memory is charged in such steps. */
#define CHARGE_STEP ((size_t) 64 << 10)

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

void
gpuagg_host_dictionary_free(GpuAggDictionary *d)
{
	if (d->bytes != NULL)
		munmap(d->bytes, d->reserved);
	if (d->starts != NULL)
		munmap(d->starts, STARTS_BYTES);
	if (d->slots != NULL)
		gpuagg_memory_free(d->memory, d->slots, d->nslots * sizeof(*d->slots));
	gpuagg_memory_uncharge(d->memory, d->charged);
	pthread_rwlock_destroy(&d->lock);
	free(d);
}

static uint64_t *
new_slots(GpuAggDictionary *d, uint32_t n)
{
	uint64_t   *slots = gpuagg_memory_alloc(d->memory, n * sizeof(*slots));

	if (slots != NULL)
		memset(slots, 0, n * sizeof(*slots));
	return slots;
}

GpuAggStatus
gpuagg_host_dictionary_create(GpuAggDevice *device, GpuAggDictionary **result,
							  GpuAggError *error)
{
	GpuAggDictionary *d = calloc(1, sizeof(*d));
	uint64_t	limit = gpuagg_memory_limit(&device->slabs);

	memset(error, 0, sizeof(*error));
	*result = NULL;
	if (d == NULL)
		return gpuagg_memory_error(&device->slabs, error);
	pthread_rwlock_init(&d->lock, NULL);
	d->memory = &device->slabs;
	d->reserved = (size_t) (limit < MOST_BYTES ? limit : MOST_BYTES);
	if (d->reserved > 0 && gpuagg_memory_charge(d->memory, CHARGE_STEP))
	{
		d->charged = CHARGE_STEP;
		d->bytes = reserve(d->reserved);
		d->starts = reserve(STARTS_BYTES);
		d->slots = new_slots(d, FIRST_SLOTS);
		d->nslots = FIRST_SLOTS;
	}
	if (d->bytes == NULL || d->starts == NULL || d->slots == NULL)
	{
		gpuagg_host_dictionary_free(d);
		return gpuagg_memory_error(&device->slabs, error);
	}
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

/* Of a hash, or of what another slot holds */
static uint32_t
slot_of(const GpuAggDictionary *d, uint64_t hash)
{
	return (uint32_t) (hash >> 32) & (d->nslots - 1);
}

/* The code, or GPUAGG_NO_CODE.  Locked. */
static int32_t
look_up(const GpuAggDictionary *d, GpuAggBytes b, uint64_t hash)
{
	for (uint32_t i = slot_of(d, hash);; i = (i + 1) & (d->nslots - 1))
	{
		uint64_t	slot = d->slots[i];
		GpuAggBytes s;

		if (slot == 0)
			return GPUAGG_NO_CODE;
		if (slot_tag(slot) != slot_tag(hash))
			continue;
		s = gpuagg_dictionary_string(d, (int32_t) ((uint32_t) slot - 1));
		if (s.len == b.len && (b.len == 0 || memcmp(s.data, b.data, b.len) == 0))
			return (int32_t) ((uint32_t) slot - 1);
	}
}

/* The first entry of each string's chain, and the string it points at */
static void
prefetch(const GpuAggDictionary *d, const uint64_t *hashes, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		__builtin_prefetch(&d->slots[slot_of(d, hashes[k])]);
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	code = (uint32_t) d->slots[slot_of(d, hashes[k])];

		if (code != 0)
			__builtin_prefetch(&d->starts[code - 1]);
	}
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	code = (uint32_t) d->slots[slot_of(d, hashes[k])];

		if (code != 0)
			__builtin_prefetch(d->bytes + d->starts[code - 1]);
	}
}

/* ---------- adding; all of it locked alone ---------- */

static bool
slots_grow(GpuAggDictionary *d)
{
	uint64_t   *old = d->slots;
	uint32_t	nold = d->nslots;
	uint64_t   *slots = new_slots(d, 2 * nold);

	if (slots == NULL)
		return false;
	d->slots = slots;
	d->nslots = 2 * nold;
	for (uint32_t k = 0; k < nold; k++)
	{
		uint32_t	i = slot_of(d, old[k]);

		if (old[k] == 0)
			continue;
		while (slots[i] != 0)
			i = (i + 1) & (d->nslots - 1);
		slots[i] = old[k];
	}
	gpuagg_memory_free(d->memory, old, nold * sizeof(*old));
	return true;
}

/* Charges memory up to a string of so many bytes; false: there is none. */
static bool
charge(GpuAggDictionary *d, uint64_t len)
{
	uint64_t	end = d->starts[d->entries] + len;
	uint64_t	need = end + (d->entries + 2) * sizeof(uint64_t);
	uint64_t	more;

	if (end > d->reserved)
		return false;
	if (need <= d->charged)
		return true;
	more = (need - d->charged + CHARGE_STEP - 1) / CHARGE_STEP * CHARGE_STEP;
	if (!gpuagg_memory_charge(d->memory, more))
		return false;
	d->charged += more;
	return true;
}

/* A string that may have come since it was looked up */
static int32_t
add(GpuAggDictionary *d, GpuAggBytes b, uint64_t hash)
{
	int32_t		code = look_up(d, b, hash);
	uint64_t	start;
	uint32_t	i;

	if (code != GPUAGG_NO_CODE)
		return code;
	if (d->full || d->entries == GPUAGG_DICTIONARY_ENTRIES ||
		(2 * (d->entries + 1) > d->nslots && !slots_grow(d)) || !charge(d, b.len))
	{
		d->full = true;
		return GPUAGG_NO_CODE;
	}
	start = d->starts[d->entries];
	if (b.len > 0)
		memcpy(d->bytes + start, b.data, b.len);
	d->starts[d->entries + 1] = start + b.len;
	i = slot_of(d, hash);
	while (d->slots[i] != 0)
		i = (i + 1) & (d->nslots - 1);
	d->slots[i] = slot_tag(hash) | (d->entries + 1);
	return (int32_t) d->entries++;
}

/* ---------- encoding ---------- */

static bool
is_value(const uint8_t *states, uint32_t k)
{
	return states == NULL || states[k] == GPUAGG_ST_VALUE;
}

static bool
encode_batch(GpuAggDictionary *d, const GpuAggBytes *strings, const uint8_t *states,
			 uint32_t n, int32_t *codes)
{
	uint64_t	hashes[BATCH];
	uint32_t	missing = 0;
	bool		good = true;

	for (uint32_t k = 0; k < n; k++)
		hashes[k] = is_value(states, k) ?
			gpuagg_hash_bytes(strings[k].data, strings[k].len, SEED) : 0;
	pthread_rwlock_rdlock(&d->lock);
	prefetch(d, hashes, n);
	for (uint32_t k = 0; k < n; k++)
	{
		codes[k] = is_value(states, k) ? look_up(d, strings[k], hashes[k]) : 0;
		missing += codes[k] == GPUAGG_NO_CODE;
	}
	pthread_rwlock_unlock(&d->lock);
	if (missing == 0)
		return true;
	pthread_rwlock_wrlock(&d->lock);
	for (uint32_t k = 0; k < n; k++)
		if (codes[k] == GPUAGG_NO_CODE)
		{
			codes[k] = add(d, strings[k], hashes[k]);
			good &= codes[k] != GPUAGG_NO_CODE;
		}
	pthread_rwlock_unlock(&d->lock);
	return good;
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
	pthread_rwlock_rdlock(&d->lock);
	info->entries = d->entries;
	info->full = d->full;
	info->bytes = d->charged + d->nslots * sizeof(*d->slots);
	pthread_rwlock_unlock(&d->lock);
}

GpuAggStatus
gpuagg_host_dictionary_read(GpuAggDictionary *d, GpuAggDictionaryText *text,
							GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	pthread_rwlock_rdlock(&d->lock);
	text->entries = d->entries;
	pthread_rwlock_unlock(&d->lock);
	text->starts = d->starts;
	text->bytes = d->bytes;
	return GPUAGG_OK;
}
