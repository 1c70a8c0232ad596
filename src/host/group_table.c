/*
 * group_table.c
 *		One group table of the host device.
 *
 * A directory of (hash, row number) entries, probed pair by pair and at most
 * half full, stands over rows in chunks.  The directory's position is the
 * low bits of the hash's lower half and all of that half is the tag, so a
 * directory is doubled without looking at rows, in two sequential streams.
 *
 * Finding works on many rows in stages: prefetch directory entries; probe
 * for the tag, prefetch the rows found, add new ones; compare keys.  A tag
 * that matches another group's key is rare and starts over, row by row.
 *
 * Rows are numbered in the order they came and never move, except that the
 * first chunk starts small and is replaced while it is the only one.
 */
#include "device/ops/group.h"
#include "host/group_table.h"

/*
 * Larger directories than this are worth prefetching, an L1 cache, if the
 * table is a thread's own; one of many partitions always is.
 */
#define TABLE_CACHED_ENTRIES 4096
#define TABLE_FIRST_ENTRIES 128
#define TABLE_FIRST_ROWS 32
#define TABLE_CHUNK_BYTES ((size_t) 64 << 10)
#define TABLE_NO_ROW UINT32_MAX

#define always_inline inline __attribute__((always_inline))

void
gpuagg_table_init(GpuAggTable *t, const GpuAggPrepared *prepared,
				  GpuAggMemory *memory, GpuAggPieces *pieces, bool keep_hashes)
{
	memset(t, 0, sizeof(*t));
	t->prepared = prepared;
	t->memory = memory;
	t->pieces = pieces;
	t->keep_hashes = keep_hashes;
	while (((size_t) 2 << t->chunk_shift) * prepared->layout.row_bytes <= TABLE_CHUNK_BYTES)
		t->chunk_shift++;
	gpuagg_arena_init(&t->arena, memory);
}

static void *
table_grow(GpuAggTable *t, size_t bytes)
{
	return t->pieces != NULL ? gpuagg_pieces_grow(t->pieces, bytes) :
		gpuagg_memory_grow(t->memory, bytes);
}

static void
table_free(GpuAggTable *t, void *p, size_t bytes)
{
	if (t->pieces != NULL)
		gpuagg_pieces_free(t->pieces, p, bytes);
	else
		gpuagg_memory_free(t->memory, p, bytes);
}

/* Bytes of chunk i. */
static size_t
chunk_bytes(const GpuAggTable *t, uint32_t i)
{
	uint32_t	rows = 1u << t->chunk_shift;

	if (i == 0 && t->max_rows < rows)
		rows = t->max_rows;
	return (size_t) rows * t->prepared->layout.row_bytes;
}

static void
free_directory(GpuAggTable *t)
{
	table_free(t, t->directory,
			   ((size_t) t->mask + 1) * sizeof(*t->directory));
}

static void
free_hashes(GpuAggTable *t)
{
	gpuagg_memory_free(t->memory, t->hashes, t->max_hashes * sizeof(*t->hashes));
	gpuagg_memory_free(t->memory, t->hits, t->max_hashes * sizeof(*t->hits));
}

void
gpuagg_table_clear(GpuAggTable *t)
{
	free_directory(t);
	free_hashes(t);
	for (uint32_t i = 0; i < t->nchunks; i++)
		table_free(t, t->chunks[i], chunk_bytes(t, i));
	gpuagg_memory_free(t->memory, t->chunks, t->max_chunks * sizeof(*t->chunks));
	gpuagg_arena_clear(&t->arena);
	gpuagg_table_init(t, t->prepared, t->memory, t->pieces, t->keep_hashes);
}

void
gpuagg_table_seal(GpuAggTable *t)
{
	free_directory(t);
	t->directory = NULL;
	t->mask = 0;
}

/*
 * Where a tag may lie, one slot after the other: where it belongs, beside that,
 * which is in the same cache line, then pair by pair.
 */
static always_inline uint32_t
next_slot(uint32_t at, uint32_t tag, uint32_t mask)
{
	const uint32_t odd = tag & 1;

	return (((at ^ odd) + 1) & mask) ^ odd;
}

static bool
grow_directory(GpuAggTable *t, uint32_t rows)
{
	uint64_t	entries = t->directory != NULL ? (uint64_t) t->mask + 1 : TABLE_FIRST_ENTRIES;
	uint64_t   *directory;
	uint32_t	mask;

	while (entries < (uint64_t) rows * 2)
		entries *= 2;
	if (entries > (uint64_t) 1 << 32)
		return false;
	directory = table_grow(t, entries * sizeof(*directory));
	if (directory == NULL)
		return false;
	memset(directory, 0, entries * sizeof(*directory));
	mask = (uint32_t) (entries - 1);
	for (uint64_t i = 0; t->directory != NULL && i <= t->mask; i++)
	{
		uint64_t	entry = t->directory[i];
		uint32_t	at = (uint32_t) entry & mask;

		if (entry == 0)
			continue;
		while (directory[at] != 0)
			at = next_slot(at, (uint32_t) entry, mask);
		directory[at] = entry;
	}
	free_directory(t);
	__atomic_store_n(&t->directory, directory, __ATOMIC_RELAXED);
	__atomic_store_n(&t->mask, mask, __ATOMIC_RELAXED);
	return true;
}

/* Copies *array to one of twice the size, or of `first` elements. */
static bool
grow_array(GpuAggTable *t, void **array, uint32_t old, uint32_t grown, size_t size)
{
	void	   *p = gpuagg_memory_grow(t->memory, grown * size);

	if (p == NULL)
		return false;
	if (old > 0)
		memcpy(p, *array, old * size);
	gpuagg_memory_free(t->memory, *array, old * size);
	*array = p;
	return true;
}

static bool
grow_hashes(GpuAggTable *t, uint32_t rows)
{
	uint32_t	grown = t->max_hashes == 0 ? TABLE_FIRST_ROWS : t->max_hashes;
	uint32_t   *hits;

	while (grown < rows)
		grown *= 2;
	hits = gpuagg_memory_grow(t->memory, grown * sizeof(*hits));
	if (hits == NULL)
		return false;
	if (!grow_array(t, (void **) &t->hashes, t->max_hashes, grown, sizeof(*t->hashes)))
	{
		gpuagg_memory_free(t->memory, hits, grown * sizeof(*hits));
		return false;
	}
	if (t->max_hashes > 0)
		memcpy(hits, t->hits, t->max_hashes * sizeof(*hits));
	gpuagg_memory_free(t->memory, t->hits, t->max_hashes * sizeof(*hits));
	t->hits = hits;
	t->max_hashes = grown;
	return true;
}

/* One more chunk, or a larger first one. */
static bool
grow_rows(GpuAggTable *t, uint32_t rows)
{
	uint32_t	whole = 1u << t->chunk_shift;
	size_t		row_bytes = t->prepared->layout.row_bytes;

	if (t->nchunks == t->max_chunks)
	{
		uint32_t	grown = t->max_chunks == 0 ? 8 : t->max_chunks * 2;

		if (!grow_array(t, (void **) &t->chunks, t->max_chunks, grown, sizeof(char *)))
			return false;
		t->max_chunks = grown;
	}
	if (t->max_rows < whole)
	{
		uint32_t	grown = t->max_rows == 0 ? TABLE_FIRST_ROWS : t->max_rows;
		char	   *chunk;

		while (grown < rows && grown < whole)
			grown *= 2;
		if (grown > whole)
			grown = whole;
		chunk = table_grow(t, grown * row_bytes);
		if (chunk == NULL)
			return false;
		if (t->nchunks > 0)
		{
			memcpy(chunk, t->chunks[0], t->nrows * row_bytes);
			table_free(t, t->chunks[0], t->max_rows * row_bytes);
		}
		t->chunks[0] = chunk;
		t->nchunks = 1;
		t->max_rows = grown;
		return true;
	}
	t->chunks[t->nchunks] = table_grow(t, whole * row_bytes);
	if (t->chunks[t->nchunks] == NULL)
		return false;
	t->nchunks++;
	t->max_rows += whole;
	return true;
}

bool
gpuagg_table_expect(GpuAggTable *t, uint32_t rows)
{
	return (t->directory != NULL && (uint64_t) rows * 2 <= (uint64_t) t->mask + 1) ||
		grow_directory(t, rows);
}

bool
gpuagg_table_reserve(GpuAggTable *t, uint32_t n)
{
	uint32_t	rows = t->nrows + n;

	if (rows >= INT32_MAX)
		return false;
	if (t->directory == NULL || (uint64_t) rows * 2 > (uint64_t) t->mask + 1)
		if (!grow_directory(t, rows))
			return false;
	while (rows > t->max_rows)
		if (!grow_rows(t, rows))
			return false;
	return !t->keep_hashes || rows <= t->max_hashes || grow_hashes(t, rows);
}

/* ---------- keys ---------- */

static inline uint64_t
read_word(const char *p)
{
	uint64_t	w;

	memcpy(&w, p, sizeof(w));
	return w;
}

static bool
words_equal(const char *a, const char *b, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 8)
		if (read_word(a + i) != read_word(b + i))
			return false;
	return true;
}

/* Key by key, as the types say. */
static bool
typed_equal(const GpuAggPrepared *s, const char *a, const char *b)
{
	const GpuAggKey *keys = gpuagg_program_keys(s->program);
	uint32_t	nulls;
	uint32_t	other;

	memcpy(&nulls, a, sizeof(nulls));
	memcpy(&other, b, sizeof(other));
	if (nulls != other)
		return false;
	for (uint32_t i = 0; i < s->layout.nkeys; i++)
		if (!(nulls >> i & 1) &&
			!gpuagg_key_slots_equal(keys[i].type, a + s->layout.key_off[i],
									b + s->layout.key_off[i]))
			return false;
	return true;
}

static always_inline bool
keys_equal(const GpuAggPrepared *s, const char *a, const char *b,
		   const GpuAggKeyMode mode)
{
	switch (mode)
	{
		case GPUAGG_KEYS_WORD:
			return read_word(a) == read_word(b);
		case GPUAGG_KEYS_TWO_WORDS:
			return ((read_word(a) ^ read_word(b)) |
					(read_word(a + 8) ^ read_word(b + 8))) == 0;
		case GPUAGG_KEYS_WORDS:
			return words_equal(a, b, s->key_bytes);
		case GPUAGG_KEYS_STRING:
			/* head; length and first bytes; the other bytes, or elsewhere */
			if (((read_word(a) ^ read_word(b)) |
				 (read_word(a + 8) ^ read_word(b + 8))) != 0)
				return false;
			if (read_word(a + 16) == read_word(b + 16))
				return true;
			return gpuagg_string_slot_is_long(a + 8) &&
				gpuagg_key_slots_equal(GPUAGG_T_TEXT, a + 8, b + 8);
		default:
			return words_equal(a, b, s->key_bytes) || typed_equal(s, a, b);
	}
}

/* ---------- finding ---------- */

/* Of whole words: rows are too short for a call of memcpy to pay. */
static always_inline void
copy_words(char *to, const char *from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 8)
		memcpy(to + i, from + i, 8);
}

/* Add a group to the table, not yet to the directory. */
static bool
add_row(GpuAggTable *t, const char *image, uint64_t hash)
{
	const GpuAggPrepared *s = t->prepared;
	char	   *row = gpuagg_table_row(t, t->nrows);

	copy_words(row, image, s->key_bytes);
	copy_words(row + s->key_bytes, s->first_row + s->key_bytes,
			   s->layout.row_bytes - s->key_bytes);
	if (s->long_keys)
	{
		const GpuAggKey *keys = gpuagg_program_keys(s->program);

		for (uint32_t i = 0; i < s->layout.nkeys; i++)
			if (gpuagg_key_is_string(keys[i].type) &&
				!gpuagg_arena_own(&t->arena, row + s->layout.key_off[i]))
				return false;
	}
	if (t->keep_hashes)
	{
		t->hashes[t->nrows] = hash;
		t->hits[t->nrows] = 0;
	}
	t->nrows++;
	return true;
}

/*
 * Is there room for one more group?  There always is, but where a string has changed
 * since it was looked for, for its client has left the page (ops/page.h): it may
 * make two groups.
 */
static bool
has_room(const GpuAggTable *t)
{
	return t->nrows < t->max_rows && 2 * ((uint64_t) t->nrows + 1) <= (uint64_t) t->mask + 1 &&
		(!t->keep_hashes || t->nrows < t->max_hashes);
}

/* One row from the start of its probe sequence, comparing keys on the way. */
static char *
find_one(GpuAggTable *t, const char *image, uint64_t hash)
{
	uint32_t	tag = (uint32_t) hash;
	uint32_t	at = tag & t->mask;

	for (;; at = next_slot(at, tag, t->mask))
	{
		uint64_t	entry = t->directory[at];
		char	   *row;

		if (entry == 0)
			break;
		if ((uint32_t) entry != tag)
			continue;
		row = gpuagg_table_row(t, (uint32_t) (entry >> 32) - 1);
		if (keys_equal(t->prepared, row, image, t->prepared->key_mode))
			return row;
	}
	if (!has_room(t) || !add_row(t, image, hash))
		return NULL;
	t->directory[at] = (uint64_t) t->nrows << 32 | tag;
	return gpuagg_table_row(t, t->nrows - 1);
}

void
gpuagg_table_prefetch(const GpuAggTable *t, const GpuAggKeyBlock *block,
					  const uint16_t *sel, uint32_t n)
{
	/*
	 * Another thread may be replacing the directory.  An address of the old
	 * one, or beyond, is as harmless to prefetch as any.
	 */
	uintptr_t	directory = (uintptr_t) __atomic_load_n(&t->directory, __ATOMIC_RELAXED);
	uint32_t	mask = __atomic_load_n(&t->mask, __ATOMIC_RELAXED);

	if (mask < (t->keep_hashes ? TABLE_CACHED_ENTRIES : 1))
		return;
	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	at = (uint32_t) block->hashes[sel[k]] & mask;

		__builtin_prefetch((const void *) (directory + at * sizeof(uint64_t)));
	}
}

/*
 * The number of a row's group by its tag alone; a new group's row is added.
 * TABLE_NO_ROW: no memory for a string.
 */
static always_inline uint32_t
probe_row(GpuAggTable *t, const GpuAggKeyBlock *block, uint32_t i)
{
	const uint64_t hash = block->hashes[i];
	const uint32_t tag = (uint32_t) hash;
	uint32_t	at = tag & t->mask;
	uint64_t	entry;

	while ((entry = t->directory[at]) != 0 && (uint32_t) entry != tag)
		at = next_slot(at, tag, t->mask);
	if (entry == 0)
	{
		if (!add_row(t, block->images + i * block->stride, hash))
			return TABLE_NO_ROW;
		entry = (uint64_t) t->nrows << 32 | tag;
		t->directory[at] = entry;
	}
	return (uint32_t) (entry >> 32) - 1;
}

/*
 * Most tags lie where they belong or beside that, or are not there: both slots
 * are looked at without a branch, for which it is cannot be predicted.  Others
 * are probed for, at some 10 ns each, as measured.
 */
static always_inline bool
find_rows(GpuAggTable *t, const GpuAggKeyBlock *block, const uint16_t *sel,
		  uint32_t n, char **rows, const GpuAggKeyMode mode, const bool count_hits)
{
	/* in registers: for all that the compiler knows, rows may lie in *t */
	uint64_t   *const directory = t->directory;
	char	   *const *const chunks = t->chunks;
	const GpuAggPrepared *const prepared = t->prepared;
	const uint64_t *const hashes = block->hashes;
	const char *const images = block->images;
	const size_t stride = block->stride;
	const uint32_t mask = t->mask;
	const uint32_t chunk_shift = t->chunk_shift;
	const uint32_t chunk_mask = (1u << chunk_shift) - 1;
	const size_t row_bytes = prepared->layout.row_bytes;
	uint32_t   *const hits = t->hits;
	uint16_t	missed[GPUAGG_VECTOR_ROWS];
	uint32_t	nmissed = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		const uint32_t tag = (uint32_t) hashes[sel[k]];
		const uint32_t at = tag & mask;
		const uint64_t first = directory[at];
		const uint64_t second = directory[at ^ 1];
		const uint64_t entry = (uint32_t) first == tag ? first : second;
		const bool	found = ((uint32_t) entry == tag) & (entry != 0);	/* or any row */
		const uint32_t number = (uint32_t) (entry >> 32);
		const uint32_t row = number - (number != 0);

		rows[k] = chunks[row >> chunk_shift] + (row & chunk_mask) * row_bytes;
		__builtin_prefetch(rows[k], 1);
		__builtin_prefetch(rows[k] + row_bytes - 8, 1);
		missed[nmissed] = (uint16_t) k;
		nmissed += !found;
		if (count_hits)
			hits[row] += found;
	}
	for (uint32_t m = 0; m < nmissed; m++)
	{
		const uint32_t k = missed[m];
		const uint32_t row = probe_row(t, block, sel[k]);

		if (row == TABLE_NO_ROW)
			return false;
		rows[k] = chunks[row >> chunk_shift] + (row & chunk_mask) * row_bytes;
		__builtin_prefetch(rows[k], 1);
		__builtin_prefetch(rows[k] + row_bytes - 8, 1);
		if (count_hits)
			hits[row]++;
	}
	for (uint32_t k = 0; k < n; k++)
	{
		const char *image = images + sel[k] * stride;

		if (__builtin_expect(!keys_equal(prepared, rows[k], image, mode), 0))
		{
			rows[k] = find_one(t, image, hashes[sel[k]]);
			if (rows[k] == NULL)
				return false;
		}
	}
	return true;
}

static always_inline bool
find_in_mode(GpuAggTable *t, const GpuAggKeyBlock *block, const uint16_t *sel,
			 uint32_t n, char **rows, const GpuAggKeyMode mode)
{
	return t->count_hits ? find_rows(t, block, sel, n, rows, mode, true) :
		find_rows(t, block, sel, n, rows, mode, false);
}

bool
gpuagg_table_find(GpuAggTable *t, const GpuAggKeyBlock *block,
				  const uint16_t *sel, uint32_t n, char **rows)
{
	switch (t->prepared->key_mode)
	{
		case GPUAGG_KEYS_WORD:
			return find_in_mode(t, block, sel, n, rows, GPUAGG_KEYS_WORD);
		case GPUAGG_KEYS_TWO_WORDS:
			return find_in_mode(t, block, sel, n, rows, GPUAGG_KEYS_TWO_WORDS);
		case GPUAGG_KEYS_STRING:
			return find_in_mode(t, block, sel, n, rows, GPUAGG_KEYS_STRING);
		case GPUAGG_KEYS_WORDS:
			return find_in_mode(t, block, sel, n, rows, GPUAGG_KEYS_WORDS);
		default:
			return find_in_mode(t, block, sel, n, rows, GPUAGG_KEYS_TYPED);
	}
}

uint32_t
gpuagg_table_match(const GpuAggTable *t, const GpuAggKeyBlock *block,
				   uint16_t *sel, uint32_t n, char **rows)
{
	uint16_t	missed[GPUAGG_VECTOR_ROWS];
	uint32_t	nmissed = 0;
	uint32_t	nfound = 0;

	for (uint32_t k = 0; k < n; k++)
	{
		uint32_t	i = sel[k];
		const char *image = block->images + i * block->stride;
		uint32_t	tag = (uint32_t) block->hashes[i];
		uint32_t	at = tag & t->mask;
		char	   *row = NULL;
		uint64_t	entry;

		for (; (entry = t->directory[at]) != 0; at = next_slot(at, tag, t->mask))
		{
			if ((uint32_t) entry != tag)
				continue;
			row = gpuagg_table_row(t, (uint32_t) (entry >> 32) - 1);
			if (keys_equal(t->prepared, row, image, t->prepared->key_mode))
				break;
			row = NULL;
		}
		if (row != NULL)
		{
			sel[nfound] = (uint16_t) i;
			rows[nfound++] = row;
		}
		else
			missed[nmissed++] = (uint16_t) i;
	}
	memcpy(sel + nfound, missed, nmissed * sizeof(*missed));
	return nfound;
}

char *
gpuagg_table_only_row(GpuAggTable *t)
{
	if (t->nrows == 0 &&
		!((t->max_rows > 0 || grow_rows(t, 1)) && add_row(t, t->prepared->first_row, 0)))
		return NULL;
	return gpuagg_table_row(t, 0);
}
