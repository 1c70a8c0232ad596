/*
 * dictionary.cu
 *		Dictionaries of the CUDA device, their host side: room before strings
 *		come, and strings as the host reads them.
 *
 * Kernels add strings; the host sees to it, before each of them is enqueued,
 * that there is room for all strings that it might bring.  What is there it
 * learns later, when a copy of the counters has come back; until then, the
 * strings of what is under way count as if all were new.
 *
 * All that touches a dictionary, in whatever stream, is in one order, by an
 * event that each waits for and then records anew.  So tables may grow between
 * two kernels of two tasks.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "cuda/columns/cuda_stripe.h"
#include "cuda/columns/dictionary.h"

/* Slots at first; strings of a block of the arena, at least */
#define MIN_SLOTS ((uint64_t) 1 << 12)
#define MIN_ARENA ((uint64_t) 1 << 20)

#define HUGE_PAGE ((uintptr_t) 2 << 20)

/* Batches that a block of the arena has room for, were all their bytes new strings */
#define ARENA_BATCHES 4

/* Arena blocks double up to this size. */
#define MAX_ARENA ((uint64_t) 64 << 20)

/* Kernels under way of which the counters are awaited */
#define MAX_USES 8

/* A kernel that may add strings, or several of them */
typedef struct DictionaryUse
{
	cudaEvent_t done;			/* the kernel has run, and the counters are here */
	uint64_t	strings;		/* strings that it may have added, at most */
	uint64_t	bytes;
	uint32_t	block;			/* of the arena */
	uint32_t	at;				/* its counters' */
} DictionaryUse;

typedef struct ArenaBlock
{
	char	   *data;
	uint64_t	bytes;
} ArenaBlock;

struct GpuAggDictionary
{
	GpuAggDevice *device;
	GpuAggDictionaryRef ref;
	uint64_t	bytes;			/* of memory */
	uint64_t	slots_bytes;
	GpuAggBytes *blocks[GPUAGG_STRING_BLOCKS];
	uint32_t	nblocks;
	ArenaBlock *arenas;
	uint32_t	narenas;
	bool		full;			/* no memory for more */

	uint64_t	encoded;		/* strings of the host */

	/* what is known, and what is under way */
	GpuAggDictionaryHead known;
	uint32_t	known_block;	/* of the arena, to which known.arena_used belongs */
	DictionaryUse uses[MAX_USES];
	uint32_t	first;			/* of the uses, in a ring */
	uint32_t	nuses;
	GpuAggPinned *heads;		/* counters of each */
	cudaEvent_t order;

	/* strings that the host has read */
	uint32_t	text_entries;
	uint64_t   *starts;
	char	   *text;

	struct GpuAggCodeTableEntry *tables;	/* cuda_codes.cu */
};

#define CALL(call) CUDA_OK(d->device, call, error)

/* ---------- making ---------- */

static void *
dictionary_alloc(GpuAggDictionary *d, size_t bytes, GpuAggError *error)
{
	void	   *p = gpuagg_cuda_stripe_alloc(d->device, bytes, error);

	if (p != NULL)
		d->bytes += bytes;
	return p;
}

void
gpuagg_cuda_dictionary_free(GpuAggDictionary *d)
{
	GpuAggDevice *device = d->device;

	gpuagg_cuda_code_tables_free(d);
	for (uint32_t i = 0; i < d->nblocks; i++)
		gpuagg_cuda_stripe_release(device, d->blocks[i], GPUAGG_STRING_BLOCK * sizeof(GpuAggBytes));
	for (uint32_t i = 0; i < d->narenas; i++)
		gpuagg_cuda_stripe_release(device, d->arenas[i].data, d->arenas[i].bytes);
	gpuagg_cuda_stripe_release(device, d->ref.slots, d->slots_bytes);
	gpuagg_cuda_stripe_release(device, d->ref.strings, sizeof(d->blocks));
	gpuagg_cuda_stripe_release(device, d->ref.head, sizeof(*d->ref.head));
	gpuagg_cuda_unpin(device, d->heads);
	for (uint32_t i = 0; i < MAX_USES; i++)
		if (d->uses[i].done != NULL)
			(void) cudaEventDestroy(d->uses[i].done);
	if (d->order != NULL)
		(void) cudaEventDestroy(d->order);
	free(d->arenas);
	free(d->starts);
	free(d->text);
	free(d);
}

static bool
dictionary_open(GpuAggDictionary *d, GpuAggError *error)
{
	cudaStream_t stream;

	d->ref.head = (GpuAggDictionaryHead *) dictionary_alloc(d, sizeof(*d->ref.head), error);
	if (d->ref.head == NULL)
		return false;
	stream = d->device->stripe_stream;
	d->ref.strings = (GpuAggBytes **) dictionary_alloc(d, sizeof(d->blocks), error);
	d->heads = gpuagg_cuda_pin(d->device, MAX_USES * sizeof(GpuAggDictionaryHead), error);
	if (d->ref.strings == NULL || d->heads == NULL ||
		!CALL(cudaEventCreateWithFlags(&d->order, cudaEventDisableTiming)))
		return false;
	for (uint32_t i = 0; i < MAX_USES; i++)
	{
		d->uses[i].at = i;
		if (!CALL(cudaEventCreateWithFlags(&d->uses[i].done, cudaEventDisableTiming)))
			return false;
	}
	return CALL(cudaMemsetAsync(d->ref.head, 0, sizeof(*d->ref.head), stream)) &&
		CALL(cudaMemsetAsync(d->ref.strings, 0, sizeof(d->blocks), stream)) &&
		CALL(cudaEventRecord(d->order, stream)) && gpuagg_cuda_stripe_done(d->device, error);
}

GpuAggStatus
gpuagg_cuda_dictionary_create(GpuAggDevice *device, GpuAggDictionary **dictionary,
							  GpuAggError *error)
{
	GpuAggDictionary *d = (GpuAggDictionary *) calloc(1, sizeof(*d));

	*dictionary = NULL;
	memset(error, 0, sizeof(*error));
	if (d == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	d->device = device;
	if (!dictionary_open(d, error))
	{
		gpuagg_cuda_dictionary_free(d);
		return error->status;
	}
	*dictionary = d;
	return GPUAGG_OK;
}

/* ---------- what is there ---------- */

static GpuAggDictionaryHead *
use_head(const GpuAggDictionary *d, const DictionaryUse *use)
{
	return (GpuAggDictionaryHead *) d->heads->data + use->at;
}

/* Reads the counters of what has come to its end. */
static void
uses_settle(GpuAggDictionary *d)
{
	while (d->nuses > 0 && !d->device->lost)
	{
		DictionaryUse *use = &d->uses[d->first];

		if (cudaEventQuery(use->done) != cudaSuccess)
		{
			(void) cudaGetLastError();
			return;
		}
		d->known = *use_head(d, use);
		d->known_block = use->block;
		if (d->known.entries > GPUAGG_DICTIONARY_ENTRIES)
			d->known.entries = GPUAGG_DICTIONARY_ENTRIES;
		d->first = (d->first + 1) % MAX_USES;
		d->nuses--;
	}
}

/* Strings that may be there, with n more; bytes of the block being filled */
static uint64_t
bound_strings(const GpuAggDictionary *d, uint64_t n)
{
	n += d->known.entries;
	for (uint32_t i = 0; i < d->nuses; i++)
		n += d->uses[(d->first + i) % MAX_USES].strings;
	return n < GPUAGG_DICTIONARY_ENTRIES ? n : GPUAGG_DICTIONARY_ENTRIES;
}

static uint64_t
bound_bytes(const GpuAggDictionary *d, uint64_t bytes)
{
	if (d->known_block == d->narenas)
		bytes += d->known.arena_used;
	for (uint32_t i = 0; i < d->nuses; i++)
		if (d->uses[(d->first + i) % MAX_USES].block == d->narenas)
			bytes += d->uses[(d->first + i) % MAX_USES].bytes;
	return bytes;
}

/* ---------- room ---------- */

static bool
slots_grow(GpuAggDictionary *d, uint64_t capacity, GpuAggError *error)
{
	cudaStream_t stream = d->device->stripe_stream;
	const GpuAggDictionaryRef old = d->ref;
	const uint64_t old_bytes = d->slots_bytes;
	const uint64_t bytes = capacity * sizeof(*d->ref.slots);

	d->ref.slots = (unsigned long long *) dictionary_alloc(d, bytes, error);
	if (d->ref.slots == NULL)
	{
		d->ref.slots = old.slots;
		return false;
	}
	d->ref.capacity = capacity;
	d->slots_bytes = bytes;
	if (!CALL(cudaMemsetAsync(d->ref.slots, 0, bytes, stream)))
		return false;
	if (old.slots == NULL)
		return true;
	gpuagg_cuda_dictionary_move(old.slots, old.capacity, &d->ref, stream);
	gpuagg_cuda_stripe_release(d->device, old.slots, old_bytes);
	d->bytes -= old_bytes;
	return CUDA_LAUNCHED(d->device, error);
}

static bool
block_add(GpuAggDictionary *d, GpuAggError *error)
{
	GpuAggBytes **block = &d->blocks[d->nblocks];

	*block = (GpuAggBytes *) dictionary_alloc(d, GPUAGG_STRING_BLOCK * sizeof(GpuAggBytes), error);
	if (*block == NULL)
		return false;
	d->nblocks++;
	return CALL(cudaMemsetAsync(*block, 0, GPUAGG_STRING_BLOCK * sizeof(GpuAggBytes),
								d->device->stripe_stream)) &&
		CALL(cudaMemcpyAsync(&d->ref.strings[d->nblocks - 1], block, sizeof(*block),
							 cudaMemcpyHostToDevice, d->device->stripe_stream));
}

static bool
arena_add(GpuAggDictionary *d, uint64_t bytes, GpuAggError *error)
{
	ArenaBlock *arenas = (ArenaBlock *) realloc(d->arenas, (d->narenas + 1) * sizeof(*arenas));
	uint64_t	size = d->narenas > 0 ? 2 * d->arenas[d->narenas - 1].bytes : MIN_ARENA;

	if (arenas == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	d->arenas = arenas;
	if (size > MAX_ARENA)
		size = MAX_ARENA;
	if (size < bytes)
		size = bytes;
	arenas[d->narenas].data = (char *) dictionary_alloc(d, size, error);
	arenas[d->narenas].bytes = size;
	if (arenas[d->narenas].data == NULL)
		return false;
	d->ref.arena = arenas[d->narenas].data;
	d->ref.arena_bytes = size;
	d->narenas++;
	return CALL(cudaMemsetAsync(&d->ref.head->arena_used, 0, sizeof(d->ref.head->arena_used),
								d->device->stripe_stream));
}

/* Places for so many strings in all */
static bool
places_make(GpuAggDictionary *d, uint64_t strings, GpuAggError *error)
{
	uint64_t	slots = d->ref.capacity > 0 ? d->ref.capacity : MIN_SLOTS;

	while (slots < 2 * strings)
		slots *= 2;
	if (slots > d->ref.capacity && !slots_grow(d, slots, error))
		return false;
	while ((uint64_t) d->nblocks * GPUAGG_STRING_BLOCK < strings)
		if (!block_add(d, error))
			return false;
	return true;
}

/*
 * Room for n more strings of so many bytes together.  Of a batch of pages few bytes are new
 * strings: more memory is for some under way.
 */
static bool
room_make(GpuAggDictionary *d, uint64_t n, uint64_t bytes, GpuAggError *error)
{
	return places_make(d, bound_strings(d, n), error) &&
		((d->narenas > 0 && bound_bytes(d, bytes) <= d->ref.arena_bytes) ||
		 arena_add(d, ARENA_BATCHES * bytes, error));
}

/* Room for so many strings in all, whose bytes stay where they are, beside those of the host */
static bool
room_in_all(GpuAggDictionary *d, uint64_t strings, GpuAggError *error)
{
	const uint64_t all = strings + d->encoded;

	return places_make(d, all < GPUAGG_DICTIONARY_ENTRIES ? all : GPUAGG_DICTIONARY_ENTRIES, error);
}

/* It takes no more strings, but knows those that it has. */
static bool
dictionary_close(GpuAggDictionary *d, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	d->full = true;
	return CALL(cudaMemsetAsync(&d->ref.head->full, 1, sizeof(d->ref.head->full),
								d->device->stripe_stream));
}

/*
 * Before a kernel that may add so many strings is enqueued in a stream, and
 * behind it.  Without memory for them the dictionary is full; one that never
 * had any has no slots.  in_all: as many as such kernels add together, whose bytes stay where
 * they are.
 */
static bool
use_begin(GpuAggDictionary *d, uint64_t n, uint64_t bytes, bool in_all, cudaStream_t stream,
		  GpuAggError *error)
{
	cudaStream_t own = d->device->stripe_stream;

	uses_settle(d);
	if (!CALL(cudaStreamWaitEvent(own, d->order, 0)))
		return false;
	if (!d->full && !(in_all ? room_in_all(d, n, error) : room_make(d, n, bytes, error)) &&
		(error->status != GPUAGG_OUT_OF_MEMORY || !dictionary_close(d, error)))
		return false;
	return CALL(cudaEventRecord(d->order, own)) && CALL(cudaStreamWaitEvent(stream, d->order, 0));
}

static bool
use_end(GpuAggDictionary *d, uint64_t n, uint64_t bytes, cudaStream_t stream, GpuAggError *error)
{
	DictionaryUse *use;

	/* where there are too many, the last one stands for several */
	if (d->nuses < MAX_USES)
	{
		use = &d->uses[(d->first + d->nuses++) % MAX_USES];
		use->strings = use->bytes = 0;
		use->block = d->narenas;
	}
	else
		use = &d->uses[(d->first + MAX_USES - 1) % MAX_USES];
	if (use->block != d->narenas)
		use->bytes = 0;
	use->block = d->narenas;
	use->strings += n;
	use->bytes += bytes;
	return CALL(cudaMemcpyAsync(use_head(d, use), d->ref.head, sizeof(*d->ref.head),
								cudaMemcpyDeviceToHost, stream)) &&
		CALL(cudaEventRecord(use->done, stream)) && CALL(cudaEventRecord(d->order, stream));
}

/* ---------- code tables ---------- */

void *
gpuagg_cuda_dictionary_alloc(GpuAggDictionary *d, size_t bytes, GpuAggError *error)
{
	return dictionary_alloc(d, bytes, error);
}

void
gpuagg_cuda_dictionary_release(GpuAggDictionary *d, void *p, size_t bytes)
{
	gpuagg_cuda_stripe_release(d->device, p, bytes);
	d->bytes -= bytes;
}

bool
gpuagg_cuda_dictionary_used(GpuAggDictionary *d, cudaStream_t stream, GpuAggError *error)
{
	return CALL(cudaEventRecord(d->order, stream));
}

uint64_t
gpuagg_cuda_dictionary_bound(GpuAggDictionary *d)
{
	uses_settle(d);
	return bound_strings(d, 0);
}

uint64_t
gpuagg_cuda_dictionary_known(GpuAggDictionary *d)
{
	uses_settle(d);
	return d->known.entries;
}

bool
gpuagg_cuda_dictionary_add_begin(GpuAggDictionary *d, uint64_t strings, cudaStream_t stream,
								 GpuAggError *error)
{
	if (!use_begin(d, strings, 0, true, stream, error))
		return false;
	if (!d->full)
		return true;
	gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
					  "an expression makes more strings than a dictionary takes");
	return false;
}

bool
gpuagg_cuda_dictionary_add_end(GpuAggDictionary *d, cudaStream_t stream, GpuAggError *error)
{
	/* there is room for what it may have added, whatever that was */
	return use_end(d, 0, 0, stream, error);
}

const GpuAggDictionaryRef *
gpuagg_cuda_dictionary_ref(const GpuAggDictionary *d)
{
	return &d->ref;
}

struct GpuAggCodeTableEntry **
gpuagg_cuda_dictionary_tables(GpuAggDictionary *d)
{
	return &d->tables;
}

GpuAggDevice *
gpuagg_cuda_dictionary_device(const GpuAggDictionary *d)
{
	return d->device;
}

/* ---------- tasks ---------- */

GpuAggBytes *const *
gpuagg_cuda_dictionary_strings(const GpuAggDictionary *d)
{
	return d->ref.strings;
}

bool
gpuagg_cuda_dictionary_follow(const GpuAggDictionary *d, cudaStream_t stream, GpuAggError *error)
{
	return CALL(cudaStreamWaitEvent(stream, d->order, 0));
}

/* The dictionary of a string column of a batch, or NULL: its codes are not wanted */
static GpuAggDictionary *
column_dictionary(const GpuAggTask *task, const GpuAggBatch *batch, uint32_t attr, uint16_t reg)
{
	if (task->dictionaries != NULL && task->dictionaries[reg] != NULL)
		return task->dictionaries[reg];
	return batch->filled != NULL ? gpuagg_cuda_stripe_stored(batch->filled, attr)->dictionary :
								   NULL;
}

bool
gpuagg_cuda_encode_columns(GpuAggTask *task, GpuAggBatch *batch, cudaStream_t stream,
						   GpuAggError *error)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(batch->program);
	const uint64_t n = batch->decoded.nrows;
	const uint64_t bytes = (uint64_t) batch->decoded.npages * GPUAGG_PAGE_BYTES;

	for (uint32_t i = 0; i < batch->program->nattrs; i++)
	{
		const uint16_t reg = attrs[i].reg;
		GpuAggDictionary *d;

		if (n == 0 || reg == GPUAGG_NO_REG || gpuagg_key_class(attrs[i].type) != GPUAGG_CLASS_BYTES)
			continue;
		d = column_dictionary(task, batch, i, reg);
		if (d == NULL)
			continue;
		if (!use_begin(d, n, bytes, false, stream, error))
			return false;
		gpuagg_cuda_encode_decoded(&d->ref, batch->prepared, &batch->decoded, reg, stream);
		if (!CUDA_LAUNCHED(task->device, error) || !use_end(d, n, bytes, stream, error) ||
			!gpuagg_cuda_code_tables_complete(task, d, stream, error))
			return false;
	}
	return true;
}

/* ---------- the worker ---------- */

void
gpuagg_cuda_dictionary_info(GpuAggDictionary *d, GpuAggDictionaryInfo *info)
{
	uses_settle(d);
	memset(info, 0, sizeof(*info));
	info->entries = d->known.entries;
	info->full = d->full || d->known.full;
	info->bytes = d->bytes + gpuagg_cuda_code_tables_text_bytes(d);
}

/* Waits until everything that touches the dictionary is done. */
static bool
dictionary_wait(GpuAggDictionary *d, GpuAggError *error)
{
	if (d->device->lost)
	{
		*error = d->device->lost_error;
		return false;
	}
	if (!CALL(cudaEventSynchronize(d->order)))
		return false;
	uses_settle(d);
	return true;
}

/* Strings on their way to the card, and codes back: one piece of memory each */
static bool
encode_copy(GpuAggDictionary *d, const GpuAggBytes *strings, uint32_t n, uint64_t bytes,
			GpuAggPinned *pinned, char *there, GpuAggError *error)
{
	const size_t codes = n * sizeof(GpuAggBytes);
	const size_t text = codes + n * sizeof(int32_t);
	cudaStream_t stream = d->device->stripe_stream;
	GpuAggBytes *list = (GpuAggBytes *) pinned->data;
	uint64_t	at = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		list[i].data = there + text + at;
		list[i].len = strings[i].len;
		if (strings[i].len > 0)
			memcpy(pinned->data + text + at, strings[i].data, strings[i].len);
		at += strings[i].len;
	}
	if (!use_begin(d, n, bytes, false, stream, error) ||
		!CALL(cudaMemcpyAsync(there, pinned->data, text + at, cudaMemcpyHostToDevice, stream)))
		return false;
	gpuagg_cuda_encode_strings(&d->ref, (const GpuAggBytes *) there, n, (int32_t *) (there + codes),
							   stream);
	return CUDA_LAUNCHED(d->device, error) && use_end(d, n, bytes, stream, error) &&
		CALL(cudaMemcpyAsync(pinned->data + codes, there + codes, n * sizeof(int32_t),
							 cudaMemcpyDeviceToHost, stream)) &&
		CALL(cudaStreamSynchronize(stream));
}

GpuAggStatus
gpuagg_cuda_dictionary_encode(GpuAggDictionary *d, const GpuAggBytes *strings, uint32_t n,
							  int32_t *codes, GpuAggError *error)
{
	uint64_t	bytes = 0;
	size_t		size;
	GpuAggPinned *pinned;
	void	   *there = NULL;

	memset(error, 0, sizeof(*error));
	if (n == 0 || !dictionary_wait(d, error))
		return error->status;
	for (uint32_t i = 0; i < n; i++)
		bytes += strings[i].len;
	d->encoded += n;
	size = n * (sizeof(GpuAggBytes) + sizeof(int32_t)) + bytes;
	pinned = gpuagg_cuda_pin(d->device, size, error);
	if (pinned != NULL &&
		CALL(cudaMallocFromPoolAsync(&there, size, d->device->pool, d->device->stripe_stream)) &&
		encode_copy(d, strings, n, bytes, pinned, (char *) there, error))
		memcpy(codes, pinned->data + n * sizeof(GpuAggBytes), n * sizeof(*codes));
	if (there != NULL && !d->device->lost)
		(void) cudaFreeAsync(there, d->device->stripe_stream);
	gpuagg_cuda_unpin(d->device, pinned);
	return error->status;
}

/* ---------- strings for the host ---------- */

/* Huge pages where they fit, for groups look their strings up at random */
static void
advise_huge(void *p, size_t bytes)
{
	const uintptr_t from = ((uintptr_t) p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	const uintptr_t end = (uintptr_t) p + bytes;

	if (p != NULL && from < end)
		(void) madvise((void *) from, end - from, MADV_HUGEPAGE);	/* advice only */
}

static bool
text_room(GpuAggDictionary *d, uint32_t entries, uint64_t bytes, GpuAggError *error)
{
	uint64_t   *starts = (uint64_t *) realloc(d->starts, ((size_t) entries + 1) * sizeof(*starts));
	char	   *text = (char *) realloc(d->text, bytes + 1);

	advise_huge(starts, ((size_t) entries + 1) * sizeof(*starts));
	advise_huge(text, bytes + 1);
	if (starts != NULL)
		d->starts = starts;
	if (text != NULL)
		d->text = text;
	if (starts != NULL && text != NULL)
		return true;
	gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	return false;
}

/* The lengths of n strings more: starts, to be added behind those there */
static bool
starts_read(GpuAggDictionary *d, uint32_t n, GpuAggBytes *there, GpuAggError *error)
{
	cudaStream_t stream = d->device->stripe_stream;
	const uint32_t have = d->text_entries;
	GpuAggBytes *list = (GpuAggBytes *) malloc(n * sizeof(*list));
	bool		ok;

	if (list == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	gpuagg_cuda_dictionary_list(d->ref.strings, have, n, there, stream);
	ok = CUDA_LAUNCHED(d->device, error) &&
		CALL(cudaMemcpyAsync(list, there, n * sizeof(*list), cudaMemcpyDeviceToHost, stream)) &&
		CALL(cudaStreamSynchronize(stream)) &&
		text_room(d, have + n, have > 0 ? d->starts[have] : 0, error);
	if (ok && have == 0)
		d->starts[0] = 0;
	for (uint32_t i = 0; ok && i < n; i++)
		d->starts[have + i + 1] = d->starts[have + i] + list[i].len;
	free(list);
	return ok;
}

/* The bytes of n strings more; memory there: the list, starts, bytes */
static bool
text_read(GpuAggDictionary *d, uint32_t n, GpuAggError *error)
{
	cudaStream_t stream = d->device->stripe_stream;
	const uint32_t have = d->text_entries;
	const size_t list_bytes = n * sizeof(GpuAggBytes);
	uint64_t	from;
	uint64_t	bytes;
	char	   *there = NULL;
	char	   *text = NULL;
	bool		ok;

	ok = CALL(cudaMallocFromPoolAsync((void **) &there, list_bytes + n * sizeof(uint64_t),
									  d->device->pool, stream)) &&
		starts_read(d, n, (GpuAggBytes *) there, error);
	from = ok ? d->starts[have] : 0;
	bytes = ok ? d->starts[have + n] - from : 0;
	ok = ok && text_room(d, have + n, from + bytes, error) &&
		CALL(cudaMemcpyAsync(there + list_bytes, d->starts + have, n * sizeof(uint64_t),
							 cudaMemcpyHostToDevice, stream));
	if (ok && bytes > 0)
	{
		ok = CALL(cudaMallocFromPoolAsync((void **) &text, bytes, d->device->pool, stream));
		if (ok)
			gpuagg_cuda_dictionary_gather((const GpuAggBytes *) there,
										  (const uint64_t *) (there + list_bytes), n, text - from,
										  stream);
		ok = ok && CUDA_LAUNCHED(d->device, error) &&
			CALL(cudaMemcpyAsync(d->text + from, text, bytes, cudaMemcpyDeviceToHost, stream));
	}
	ok = ok && CALL(cudaStreamSynchronize(stream));
	if (ok)
		d->text_entries = have + n;
	if (!d->device->lost && text != NULL)
		(void) cudaFreeAsync(text, stream);
	if (!d->device->lost && there != NULL)
		(void) cudaFreeAsync(there, stream);
	return ok;
}

GpuAggStatus
gpuagg_cuda_dictionary_read(GpuAggDictionary *d, GpuAggDictionaryText *text, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	memset(text, 0, sizeof(*text));
	if (!dictionary_wait(d, error) || (d->starts == NULL && !text_room(d, 0, 0, error)))
		return error->status;
	if (d->text_entries == 0)
		d->starts[0] = 0;
	if (d->known.entries > d->text_entries &&
		!text_read(d, d->known.entries - d->text_entries, error))
		return error->status;
	text->entries = d->text_entries;
	text->starts = d->starts;
	text->bytes = d->text;
	return GPUAGG_OK;
}
