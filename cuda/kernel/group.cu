/*
 * group.cu
 *		The fused pass: filter, keys, arguments and transitions of the rows of
 *		a decoded batch, one thread a row.
 *
 * The program is interpreted; all threads of a warp run the same instruction.
 * A row's registers are local memory (L1), or, of programs with many of them,
 * memory given by the caller.
 *
 * Single pass: every row goes to the table in device memory.
 * Block-local: each block keeps tables of its own in shared memory, several
 * copies of them against contention (a warp always uses the same one), and
 * merges them into the table at its end.  A row whose keys the local table has
 * no room for, or whose key is a long string, goes to the table at once.  What
 * the table has no room for at the end is spilled, to be merged behind a
 * larger one.
 *
 * A task may want only a window of the hash space: a row outside of it is
 * through when it is hashed.
 *
 * A local entry is found by the bytes of its keys: -0 and 0, NaNs, and char(n)
 * with more or fewer blanks get entries of their own, which become one group
 * when they are merged.  All threads touch shared heads and keys by atomics
 * only, so nothing is left to chance between two barriers.
 *
 * Strategies of other kinds plug in beside these: they read the same decoded
 * batches and use row_prepare(), row_update().
 */
#include "cuda/kernel/row.cuh"
#include "cuda/kernel/table.cuh"

/* Bytes of head and keys of a block-local entry, at most */
#define LOCAL_KEY_BYTES 48
#define LOCAL_KEY_WORDS (LOCAL_KEY_BYTES / 4)

/* Entries that a row looks at in its local table */
#define LOCAL_PROBES 16

/*
 * The row enters the states of its entry.  Strings first: they alone may find
 * no room, and a string that enters twice changes nothing.  False: no room,
 * and no other state has changed.
 */
static __device__ bool
row_update(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
		   const GpuAggTableRef *table, char *entry, const GpuAggValue *reg,
		   const uint8_t *st, uint32_t *errors)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const GpuAggValue *first = reg;

	for (uint32_t i = 0; prepared->lock_off != 0 && i < p->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op) &&
			row_enters(&trans[i], reg, st, errors) &&
			!string_step(table, entry, prepared->lock_off, prepared->layout.state_off[i],
						 trans[i].op, reg[trans[i].arg].b))
			return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		const GpuAggValue *v = trans[i].arg != GPUAGG_NO_REG ? &reg[trans[i].arg] : reg;

		if (!gpuagg_transition_is_string(trans[i].op) &&
			row_enters(&trans[i], reg, st, errors))
			row_step(trans[i].op, entry + prepared->layout.state_off[i], first, v);
		first = v;
	}
	return true;
}

/* ---------- block-local tables ---------- */

/* Shared memory: the copies' counts, then their entries */
typedef struct LocalTable
{
	uint32_t   *count;
	char	   *slots;
	uint32_t	mask;
	uint32_t	limit;
} LocalTable;

static __device__ LocalTable
local_table(char *shared, const GpuAggCudaPrepared *prepared, const GpuAggLocalShape *shape,
			uint32_t copy)
{
	LocalTable	t;

	t.count = (uint32_t *) shared + copy;
	t.slots = shared + (shape->copies * 4 + 15) / 16 * 16 +
		(uint64_t) copy * shape->capacity * prepared->stride;
	t.mask = shape->capacity - 1;
	t.limit = shape->limit;
	return t;
}

static __device__ void
local_init(char *shared, const GpuAggCudaPrepared *prepared, const GpuAggLocalShape *shape)
{
	const uint32_t words = prepared->stride / 4;
	const uint32_t total = shape->copies * shape->capacity * words;
	uint32_t   *slots = (uint32_t *) local_table(shared, prepared, shape, 0).slots;

	for (uint32_t i = threadIdx.x; i < shape->copies; i += blockDim.x)
		((uint32_t *) shared)[i] = 0;
	for (uint32_t i = threadIdx.x; i < total; i += blockDim.x)
		slots[i] = ((const uint32_t *) prepared->init_row)[i % words];
}

/* Does a row have a key that must not stay in shared memory? */
static __device__ bool
has_long_key(const GpuAggProgram *p, const GpuAggValue *reg, const uint8_t *st)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	for (uint32_t i = 0; i < p->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type) &&
			st[keys[i].reg] == GPUAGG_ST_VALUE &&
			reg[keys[i].reg].b.len > GPUAGG_STRING_INLINE)
			return true;
	return false;
}

/* As table_probe(), in shared memory and by the bytes of the keys */
static __device__ char *
local_find(const LocalTable *t, const GpuAggCudaPrepared *prepared, const uint32_t *image,
		   uint64_t hash)
{
	const uint32_t words = prepared->states_off / 4;
	uint32_t	at = (uint32_t) (hash >> 32) & t->mask;
	uint32_t	probes = 0;

	while (probes < LOCAL_PROBES)
	{
		uint32_t   *entry = (uint32_t *) (t->slots + at * prepared->stride);
		uint32_t	seen = atomicOr(entry, 0u);
		bool		same = seen == image[0];

		if (seen == 0)
		{
			if (atomicAdd(t->count, 0u) >= t->limit)
				return NULL;
			seen = atomicCAS(entry, 0u, GPUAGG_HEAD_LOCKED);
			if (seen == 0)
			{
				for (uint32_t i = 1; i < words; i++)
					(void) atomicExch(entry + i, image[i]);
				__threadfence_block();
				(void) atomicExch(entry, image[0]);
				atomicAdd(t->count, 1u);
				return (char *) entry;
			}
			continue;
		}
		if (seen == GPUAGG_HEAD_LOCKED)
			continue;
		__threadfence_block();
		for (uint32_t i = 1; same && i < words; i++)
			same = atomicOr(entry + i, 0u) == image[i];
		if (same)
			return (char *) entry;
		at = (at + 1) & t->mask;
		if (++probes > t->mask)
			break;
	}
	return NULL;
}

/* The row's place in its warp's copy of the local table, or NULL */
static __device__ char *
local_place(char *shared, const GpuAggCudaPrepared *prepared, const GpuAggLocalShape *shape,
			const RowKeys *keys, uint64_t hash)
{
	LocalTable	t = local_table(shared, prepared, shape,
								(threadIdx.x / warpSize) & (shape->copies - 1));
	union
	{
		uint32_t	words[LOCAL_KEY_WORDS];
		uint64_t	align;
	}			image;

	if (has_long_key(keys->program, keys->reg, keys->st))
		return NULL;
	for (uint32_t i = 0; i < LOCAL_KEY_WORDS; i++)
		image.words[i] = 0;
	keys->put((char *) image.words);
	image.words[0] = GPUAGG_HEAD_READY | keys->nulls();
	return local_find(&t, prepared, image.words, hash);
}

/* ---------- merging entries ---------- */

static __device__ void
local_flush(char *shared, const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			const GpuAggLocalShape *shape, const GpuAggTableRef *table,
			const GpuAggDecodedBatch *decoded)
{
	const uint32_t total = shape->copies * shape->capacity;
	const char *slots = local_table(shared, prepared, shape, 0).slots;

	for (uint32_t i = threadIdx.x; i < total; i += blockDim.x)
	{
		const uint32_t *entry = (const uint32_t *) (slots + (uint64_t) i * prepared->stride);
		uint32_t   *to;

		if (entry[0] == 0 || merge_entry(prepared, p, table, (const char *) entry))
			continue;
		to = (uint32_t *) (decoded->spill +
						   (uint64_t) atomicAdd(&decoded->head->nspilled, 1u) * prepared->stride);
		for (uint32_t w = 0; w < prepared->stride / 4; w++)
			to[w] = entry[w];
	}
}

/* ---------- the kernel ---------- */

/* What a thread has to tell at its end */
typedef struct RowCounts
{
	uint32_t	passed;
	uint32_t	overflow;
	uint32_t	misses;
	uint32_t	errors;
} RowCounts;

template <bool LOCAL>
static __device__ void
group_rows(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
		   const GpuAggDecodedBatch *decoded, const GpuAggTableRef *table,
		   const GpuAggLocalShape *shape, char *shared, GpuAggValue *reg, uint8_t *st,
		   RowCounts *counts)
{
	const RowKeys keys = {prepared, p, table, reg, st};
	const TableRoom room = {*table};

	gpuagg_eval_constants(p, reg, st);
	for (uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < decoded->nrows;
		 row += gridDim.x * blockDim.x)
	{
		char	   *entry = NULL;
		RowFate		fate;
		uint64_t	hash;

		if (!decoded->valid[row])
			continue;
		load_row(prepared, p, decoded, row, reg, st);
		fate = row_prepare(prepared, p, reg, st, &counts->errors, decoded->head);
		if (fate != ROW_READY)
		{
			decoded->valid[row] = 0;
			continue;
		}
		hash = keys.hash();
		if (!gpuagg_hash_window_has(prepared->hash_window, hash))
		{
			decoded->valid[row] = 0;
			counts->passed++;
			continue;
		}
		if (LOCAL)
		{
			entry = local_place(shared, prepared, shape, &keys, hash);
			counts->misses += entry == NULL;
		}
		if (entry == NULL)
			entry = table_probe(prepared->stride, table, keys, hash, room);
		if (entry == NULL ||
			!row_update(prepared, p, table, entry, reg, st, &counts->errors))
		{
			counts->overflow++;
			continue;
		}
		decoded->valid[row] = 0;
		counts->passed++;
	}
}

/* Adds up the warp's counts. */
static __device__ void
report_counts(const RowCounts *counts, GpuAggBatchHead *head)
{
	uint32_t	passed = warp_sum(counts->passed);
	uint32_t	overflow = warp_sum(counts->overflow);
	uint32_t	misses = warp_sum(counts->misses);

	if (counts->errors != 0)
		atomicOr(&head->errors, counts->errors);
	if (threadIdx.x % warpSize != 0)
		return;
	if (passed > 0)
		atomicAdd(&head->rows_passed, (unsigned long long) passed);
	if (overflow > 0)
		atomicAdd(&head->overflow, overflow);
	if (misses > 0)
		atomicAdd(&head->local_misses, misses);
}

template <bool LOCAL, bool WIDE>
static __global__ void
__launch_bounds__(GPUAGG_GROUP_THREADS)
group_decoded_kernel(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded,
				   const GpuAggTableRef table, const GpuAggLocalShape shape,
				   char *scratch, uint32_t scratch_stride)
{
	extern __shared__ uint4 shared_quads[];
	char	   *shared = (char *) shared_quads;
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	RowCounts	counts = {0, 0, 0, 0};

	if (LOCAL)
		local_init(shared, prepared, &shape);
	table_count_begin(table);
	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		group_rows<LOCAL>(prepared, p, &decoded, &table, &shape, shared, (GpuAggValue *) mine,
						  (uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)), &counts);
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		group_rows<LOCAL>(prepared, p, &decoded, &table, &shape, shared, reg, st, &counts);
	}
	__syncwarp();
	report_counts(&counts, decoded.head);
	if (LOCAL)
	{
		__syncthreads();
		local_flush(shared, prepared, p, &shape, &table, &decoded);
	}
	table_count_end(table);
}

static __global__ void
merge_spill_kernel(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded,
				   uint32_t nspilled, const GpuAggTableRef table)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);

	table_count_begin(table);
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < nspilled;
		 i += gridDim.x * blockDim.x)
	{
		char	   *entry = decoded.spill + (uint64_t) i * prepared->stride;

		/* an entry that was merged is empty */
		if (*(const uint32_t *) entry == 0)
			continue;
		if (merge_entry(prepared, p, &table, entry))
			*(uint32_t *) entry = 0;
		else
			atomicAdd(&decoded.head->overflow, 1u);
	}
	table_count_end(table);
}

static __global__ void
trap_kernel(void)
{
	asm volatile("trap;");
}

/* ---------- launches ---------- */

/* Counts of block-local tables: a warp has a copy of its own at best. */
#define LOCAL_COUNTS_BYTES (GPUAGG_GROUP_THREADS / 32 * 4)

/* merge_spill_kernel's, to tell its occupancy; launch.cu chooses the number */
#define MERGE_THREADS 256

/* "wide": of programs with more than GPUAGG_LOCAL_REGS registers */
const GpuAggKernelRef gpuagg_cuda_group_kernels[] = {
	{"group_decoded", (const void *) group_decoded_kernel<false, false>, GPUAGG_GROUP_THREADS, 0},
	{"group_decoded wide", (const void *) group_decoded_kernel<false, true>, GPUAGG_GROUP_THREADS,
	 0},
	{"group_decoded block-local", (const void *) group_decoded_kernel<true, false>,
	 GPUAGG_GROUP_THREADS, GPUAGG_LOCAL_MAX_BYTES + LOCAL_COUNTS_BYTES},
	{"group_decoded block-local wide", (const void *) group_decoded_kernel<true, true>,
	 GPUAGG_GROUP_THREADS, GPUAGG_LOCAL_MAX_BYTES + LOCAL_COUNTS_BYTES},
	{NULL, NULL, 0, 0}};

const GpuAggKernelRef gpuagg_cuda_merge_kernels[] = {
	{"merge_spill", (const void *) merge_spill_kernel, MERGE_THREADS, 0},
	{NULL, NULL, 0, 0}
};

size_t
gpuagg_cuda_scratch_bytes(const GpuAggProgram *program, uint32_t threads)
{
	size_t		row = (program->nregs * (sizeof(GpuAggValue) + 1) + 15) / 16 * 16;

	return program->nregs > GPUAGG_LOCAL_REGS ? row * threads : 0;
}

uint32_t
gpuagg_cuda_local_bytes(const GpuAggLocalShape *local, uint32_t stride)
{
	return local->capacity == 0 ? 0 :
		(local->copies * 4 + 15) / 16 * 16 + local->copies * local->capacity * stride;
}

void
gpuagg_cuda_group(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
				  const GpuAggTableRef *table, const GpuAggLocalShape *local,
				  uint32_t stride, char *scratch, uint32_t scratch_stride,
				  uint32_t blocks, cudaStream_t stream)
{
	const uint32_t threads = GPUAGG_GROUP_THREADS;
	const uint32_t useful = (decoded->nrows + threads - 1) / threads;
	const uint32_t bytes = gpuagg_cuda_local_bytes(local, stride);

	if (blocks > useful)
		blocks = useful;
	if (blocks == 0)
		return;
	if (local->capacity > 0 && scratch != NULL)
		group_decoded_kernel<true, true><<<blocks, threads, bytes, stream>>>
			(prepared, *decoded, *table, *local, scratch, scratch_stride);
	else if (local->capacity > 0)
		group_decoded_kernel<true, false><<<blocks, threads, bytes, stream>>>
			(prepared, *decoded, *table, *local, scratch, scratch_stride);
	else if (scratch != NULL)
		group_decoded_kernel<false, true><<<blocks, threads, 0, stream>>>
			(prepared, *decoded, *table, *local, scratch, scratch_stride);
	else
		group_decoded_kernel<false, false><<<blocks, threads, 0, stream>>>
			(prepared, *decoded, *table, *local, scratch, scratch_stride);
}

void
gpuagg_cuda_merge_spill(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
						uint32_t nspilled, const GpuAggTableRef *table,
						const GpuAggLaunch *launch, cudaStream_t stream)
{
	merge_spill_kernel<<<(uint32_t) launch->blocks, launch->threads, 0, stream>>>
		(prepared, *decoded, nspilled, *table);
}

void
gpuagg_cuda_trap(uint32_t threads, cudaStream_t stream)
{
	trap_kernel<<<1, threads, 0, stream>>>();
}
