/*
 * groupby_pack.cu
 *		Rows to records (device/ops/record.h): expressions are evaluated, and what a
 *		row contributes to its group is packed, in any order.
 *
 * Rows are those of a decoded batch: batches of pages, rows that PostgreSQL
 * evaluated, or those of stripes, one after the other into the same records.
 * Rows of sources become records without anything being evaluated.
 */
#include "cuda/groupby/groupby.h"
#include "cuda/groupby/groupby_fast.cuh"

/* The next free record; lanes that ask together share an add. */
static __device__ __forceinline__ unsigned long long
record_place(const GpuAggGroupByArgs &a)
{
	const uint32_t lanes = __activemask();
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const int	leader = __ffs(lanes) - 1;
	unsigned long long at = 0;

	if (lane == (uint32_t) leader)
		at = atomicAdd(&a.head->npacked, (unsigned long long) __popc(lanes));
	return __shfl_sync(lanes, at, leader) + __popc(lanes & ((1u << lane) - 1));
}

/* ---------- decoded batches ---------- */

/* Fields are in these registers of the program.  Is anything of it NULL, or left out? */
static __device__ bool
pack_row(const GpuAggGroupByArgs &a, const uint16_t *regs, const GpuAggProgram *p,
		 const GpuAggValue *reg, const uint8_t *st, char *record, uint32_t *errors)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	flags = 0;

	for (uint32_t i = 0; i < p->nkeys; i++)
		if (st[keys[i].reg] & GPUAGG_ST_NULL)
			flags |= 1u << i;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (!row_enters(&trans[i], reg, st, errors))
			flags |= a.has_head ? 1u << (p->nkeys + i) : 0;
	if (a.has_head)
		*(uint32_t *) record = flags;
	for (uint32_t i = 0; i < a.nfields; i++)
	{
		const uint32_t r = regs[i];
		const int64_t v = st[r] == GPUAGG_ST_VALUE ? reg[r].i : 0;

		if (a.fields[i].bytes == 4)
			*(uint32_t *) (record + a.field_off[i]) = (uint32_t) v;
		else
			*(uint64_t *) (record + a.field_off[i]) = (uint64_t) v;
	}
	return flags != 0;
}

static __device__ void
pack_decoded_rows(const GpuAggGroupByArgs &a, const GpuAggPackDecodedBatch &c,
				const GpuAggProgram *p, GpuAggValue *reg, uint8_t *st)
{
	uint32_t	row = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	errors = 0;
	uint32_t	passed = 0;
	uint32_t	kept = 0;
	uint32_t	nulls = 0;
	const RowKeys keys = {c.prepared, p, &a.table, reg, st};

	gpuagg_eval_constants(p, reg, st);
	for (; row < c.decoded.nrows; row += gridDim.x * blockDim.x)
	{
		if (!c.decoded.valid[row])
			continue;
		load_row(c.prepared, p, &c.decoded, row, reg, st);
		if (row_prepare(c.prepared, p, reg, st, &errors, c.decoded.head) != ROW_READY)
			continue;
		passed++;
		if (gpuagg_hash_window_has(c.prepared->hash_window, keys.hash()))
		{
			char	   *record = c.records + record_place(a) * a.record_bytes;

			nulls += pack_row(a, c.regs, p, reg, st, record, &errors);
			kept++;
		}
	}
	__syncwarp();
	passed = warp_sum(passed);
	kept = warp_sum(kept);
	nulls = warp_sum(nulls);
	if (errors != 0)
		atomicOr(&c.decoded.head->errors, errors);
	if (threadIdx.x % WARP_LANES == 0 && passed > 0)
	{
		atomicAdd(&c.decoded.head->rows_passed, (unsigned long long) passed);
		atomicAdd(&c.decoded.head->nkept, kept);
		if (nulls > 0)
			atomicAdd(&c.decoded.head->nnulls, nulls);
	}
}

template <bool WIDE>
static __global__ void
__launch_bounds__(GPUAGG_PACK_THREADS)
pack_decoded_kernel(const __grid_constant__ GpuAggGroupByArgs a,
				  const __grid_constant__ GpuAggPackDecodedBatch c, char *scratch,
				  uint32_t scratch_stride)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) c.prepared +
													  c.prepared->program_off);

	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		pack_decoded_rows(a, c, p, (GpuAggValue *) mine,
						(uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)));
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		pack_decoded_rows(a, c, p, reg, st);
	}
}

/* ---------- sources ---------- */

/* The source that has a tile of the rows of all sources */
static __device__ __forceinline__ const GpuAggSource &
tile_source(const GpuAggSources &sources, uint64_t row)
{
	uint32_t	low = 0;
	uint32_t	high = sources.n;

	while (high - low > 1)
	{
		const uint32_t mid = (low + high) / 2;

		if (sources.list[mid].first <= row)
			low = mid;
		else
			high = mid;
	}
	return sources.list[low];
}

/* Room for so many records of a warp, for all its lanes */
static __device__ __forceinline__ unsigned long long
warp_place(const GpuAggGroupByArgs &a, uint32_t n)
{
	unsigned long long at = 0;

	if (threadIdx.x % WARP_LANES == 0)
		at = atomicAdd(&a.head->npacked, (unsigned long long) n);
	return __shfl_sync(ALL_LANES, at, 0);
}

/* Rows of a tile that count */
static __device__ __forceinline__ uint32_t
tile_rows(const GpuAggSource &source, uint64_t first)
{
	const uint32_t *taken = (const uint32_t *) source.taken + first / 32;
	uint32_t	n = 0;

	for (uint32_t w = threadIdx.x % WARP_LANES; w < GPUAGG_WARP_TILE / 32; w += WARP_LANES)
		n += __popc(taken[w]);
	return all_lanes_add(n);
}

/* Which of a lane's rows are in the window of the hash space */
template <typename Word>
static __device__ __forceinline__ uint32_t
rows_in_scope(const GpuAggGroupByArgs &a, const Word *key, uint32_t rows)
{
	#pragma unroll
	for (int r = 0; r < LOCAL_ROWS; r++)
		if (!gpuagg_hash_window_has(a.table.hash_window, fast_hash(a, key[r])))
			rows &= ~(1u << r);
	return rows;
}

/* The rows that count, as pairs; a warp takes a tile at a time */
template <int KEY>
static __global__ void
__launch_bounds__(GPUAGG_PACK_THREADS)
pack_sources_kernel(const __grid_constant__ GpuAggGroupByArgs a,
					const __grid_constant__ GpuAggSources sources, GpuAggSlice slice, char *records)
{
	typedef typename FastRow<KEY>::Pair Pair;
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const bool	groupby = a.table.hash_window.count > 1;
	const uint64_t warps = (uint64_t) gridDim.x * blockDim.x / WARP_LANES;
	const uint64_t tiles = sources.end / GPUAGG_WARP_TILE;
	const uint64_t end = gpuagg_slice_end(slice, tiles);
	uint64_t	tile = gpuagg_slice_first(slice, tiles) +
		((uint64_t) blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;

	for (; tile < end; tile += warps)
	{
		const uint64_t first = tile * GPUAGG_WARP_TILE;
		const GpuAggSource source = tile_source(sources, first);
		unsigned long long at = groupby ? 0 : warp_place(a, tile_rows(source, first));

		for (uint32_t set = 0; set < GPUAGG_WARP_TILE; set += LOCAL_ROWS * WARP_LANES)
		{
			typename FastRow<KEY>::Word key[LOCAL_ROWS];
			uint32_t	arg[LOCAL_ROWS];
			uint32_t	rows = source_load<KEY, LOCAL_ROWS>(source, first + set + lane, WARP_LANES,
															key, arg);

			if (groupby)
			{
				rows = rows_in_scope(a, key, rows);
				at = warp_place(a, all_lanes_add(__popc(rows)));
			}
			#pragma unroll
			for (int r = 0; r < LOCAL_ROWS; r++)
			{
				const uint32_t lanes = __ballot_sync(ALL_LANES, rows >> r & 1);

				if (rows >> r & 1)
					((Pair *) records)[at + __popc(lanes & ((1u << lane) - 1))] =
						pair_make(key[r], arg[r]);
				at += __popc(lanes);
			}
		}
	}
}

/* Records as a source: n of them, in whole tiles */
static __global__ void
__launch_bounds__(GPUAGG_PACK_THREADS)
records_to_source_kernel(const char *records, uint32_t record_bytes, uint32_t key_off,
						 uint32_t key_bytes, uint32_t arg_off, uint64_t n, uint64_t room,
						 char *key, uint32_t *arg, uint32_t *taken)
{
	uint64_t	row = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (; row < room; row += (uint64_t) gridDim.x * blockDim.x)
	{
		const char *record = records + min(row, n - 1) * record_bytes;
		const uint32_t lanes = __ballot_sync(ALL_LANES, row < n);

		if (key_bytes == 4)
			((uint32_t *) key)[row] = *(const uint32_t *) (record + key_off);
		else
			((uint64_t *) key)[row] = *(const uint64_t *) (record + key_off);
		arg[row] = *(const uint32_t *) (record + arg_off);
		if (row % 32 == 0)
			taken[row / 32] = lanes;
	}
}

/* ---------- launches ---------- */

/* "wide": of programs with more than GPUAGG_LOCAL_REGS registers */
const GpuAggKernelRef gpuagg_cuda_pack_kernels[] = {
	{"pack_decoded", (const void *) pack_decoded_kernel<false>, GPUAGG_PACK_THREADS, 0},
	{"pack_decoded wide", (const void *) pack_decoded_kernel<true>, GPUAGG_PACK_THREADS, 0},
	{NULL, NULL, 0, 0}
};

cudaError_t
gpuagg_cuda_groupby_pack_decoded(const GpuAggGroupByArgs *a, const GpuAggPackDecodedBatch *c,
							  char *scratch, uint32_t scratch_stride, uint32_t blocks,
							  cudaStream_t stream)
{
	const uint32_t useful = (c->decoded.nrows + GPUAGG_PACK_THREADS - 1) / GPUAGG_PACK_THREADS;

	if (blocks > useful)
		blocks = useful;
	if (blocks == 0)
		return cudaSuccess;
	if (scratch != NULL)
		pack_decoded_kernel<true><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
			(*a, *c, scratch, scratch_stride);
	else
		pack_decoded_kernel<false><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>(*a, *c, NULL, 0);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_pack_sources(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
								const GpuAggSources *sources, uint32_t slices, char *records,
								uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * GPUAGG_PACK_BLOCKS;

	for (GpuAggSlice slice = {0, slices}; slice.at < slice.of; slice.at++)
		if (key == GPUAGG_KEY_I32)
			pack_sources_kernel<GPUAGG_KEY_I32><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
				(*a, *sources, slice, records);
		else
			pack_sources_kernel<GPUAGG_KEY_I64><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
				(*a, *sources, slice, records);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_groupby_to_source(const GpuAggRecord *record, const char *records, uint64_t n,
							 uint64_t room, char *key, uint32_t *arg, uint32_t *taken,
							 uint32_t sms, cudaStream_t stream)
{
	const GpuAggRecordField *k = &record->fields[0];
	const GpuAggRecordField *v = &record->fields[record->nfields - 1];

	records_to_source_kernel<<<sms * GPUAGG_PACK_BLOCKS, GPUAGG_PACK_THREADS, 0, stream>>>
		(records, record->bytes, k->off, k->bytes, v->off, n, room, key, arg, taken);
	return cudaGetLastError();
}
