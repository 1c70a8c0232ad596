/*
 * arena.c
 *		Bytes of a table's long strings, freed all at once.
 */
#include "device/ops/group.h"
#include "host/arena.h"

#define ARENA_FIRST_CHUNK ((size_t) 4 << 10)
#define ARENA_LARGEST_CHUNK ((size_t) 256 << 10)

typedef struct GpuAggArenaChunk
{
	struct GpuAggArenaChunk *next;
	size_t		bytes;
} GpuAggArenaChunk;

void
gpuagg_arena_init(GpuAggArena *a, GpuAggMemory *memory)
{
	memset(a, 0, sizeof(*a));
	a->memory = memory;
}

void
gpuagg_arena_clear(GpuAggArena *a)
{
	while (a->chunks != NULL)
	{
		GpuAggArenaChunk *chunk = a->chunks;

		a->chunks = chunk->next;
		gpuagg_memory_free(a->memory, chunk, chunk->bytes);
	}
	gpuagg_arena_init(a, a->memory);
}

char *
gpuagg_arena_alloc(GpuAggArena *a, size_t bytes)
{
	GpuAggArenaChunk *chunk;
	size_t		size = ARENA_FIRST_CHUNK;
	char	   *p;

	bytes = gpuagg_align(bytes, 8);
	if (bytes > a->left)
	{
		/* chunks grow with the arena; a huge string gets its own */
		while (size < a->bytes && size < ARENA_LARGEST_CHUNK)
			size *= 2;
		if (bytes > size / 4)
			size = bytes + sizeof(*chunk);
		chunk = gpuagg_memory_grow(a->memory, size);
		if (chunk == NULL)
			return NULL;
		chunk->bytes = size;
		chunk->next = a->chunks;
		a->chunks = chunk;
		a->bytes += size;
		if (size == bytes + sizeof(*chunk))
			return (char *) (chunk + 1);
		a->next = (char *) (chunk + 1);
		a->left = size - sizeof(*chunk);
	}
	p = a->next;
	a->next += bytes;
	a->left -= bytes;
	return p;
}

bool
gpuagg_arena_own(GpuAggArena *a, char *slot)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(slot);
	char	   *copy;

	if (!gpuagg_string_slot_is_long(slot))
		return true;
	copy = gpuagg_arena_alloc(a, b.len);
	if (copy == NULL)
		return false;
	memcpy(copy, b.data, b.len);
	b.data = copy;
	gpuagg_string_slot_store(slot, b);
	return true;
}

/* The size class of a string of more than GPUAGG_STRING_INLINE bytes. */
static int
class_of(uint64_t len)
{
	return 64 - __builtin_clzll(len - 1);
}

bool
gpuagg_arena_replace(GpuAggArena *a, char *slot, GpuAggBytes b)
{
	GpuAggBytes old = gpuagg_string_slot_bytes(slot);
	int			old_class = gpuagg_string_slot_is_long(slot) ? class_of(old.len) : 0;
	int			new_class = b.len > GPUAGG_STRING_INLINE ? class_of(b.len) : 0;
	char	   *copy = (char *) old.data;

	if (new_class >= GPUAGG_ARENA_CLASSES)
		return false;
	if (old_class != 0 && old_class != new_class)
	{
		memcpy(copy, &a->reusable[old_class], sizeof(void *));
		a->reusable[old_class] = copy;
	}
	if (new_class == 0)
	{
		gpuagg_string_slot_store(slot, b);
		return true;
	}
	if (old_class != new_class)
	{
		copy = a->reusable[new_class];
		if (copy != NULL)
			memcpy(&a->reusable[new_class], copy, sizeof(void *));
		else
			copy = gpuagg_arena_alloc(a, (size_t) 1 << new_class);
		if (copy == NULL)
			return false;
	}
	memcpy(copy, b.data, b.len);
	b.data = copy;
	gpuagg_string_slot_store(slot, b);
	return true;
}
