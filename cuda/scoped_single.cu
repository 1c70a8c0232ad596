/*
 * scoped_single.cu
 *		Grouping in the task's table in device memory, all of it at once or
 *		window by window (paper 000, 5.3), and what is left over by the
 *		strategies that use shared memory.
 *
 * A window is a range of hashes, and so of the table.  Passes over the rows
 * take a window each; where each group of multiprocessors that shares a TLB
 * has a window of its own, one pass serves all ("spatial").  The first pass
 * may keep the rows outside its window as records, which later passes read.
 */
#include "cuda/scoped.h"
#include "cuda/scoped_rows.cuh"

#define SINGLE_THREADS 256

/*
 * Blocks for which registers are saved: what hides the latency of random
 * accesses is threads, of which some cards have 2048 on a multiprocessor, and
 * all of them 1024.
 */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#define SINGLE_BLOCKS 8
#else
#define SINGLE_BLOCKS 4
#endif

/* Rows of which a thread has the keys at once */
#define SINGLE_ROWS 4

static __device__ __forceinline__ bool
in_window(const GpuAggWindows &w, uint32_t window, uint64_t hash)
{
	return w.log2 == 0 || hash >> (64 - w.log2) == window;
}

static __device__ __forceinline__ uint32_t
multiprocessor(void)
{
	uint32_t	sm;

	asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
	return sm;
}

/* Fields of a row into a record */
static __device__ void
write_record(const GpuAggScopedArgs &a, uint64_t row, uint32_t flags, char *record)
{
	if (a.has_head)
		*(uint32_t *) record = flags;
	for (uint32_t i = 0; i < a.nfields; i++)
		if (a.fields[i].bytes == 4)
			*(uint32_t *) (record + a.field_off[i]) = field_u32(&a.fields[i], row);
		else
			*(uint64_t *) (record + a.field_off[i]) = field_u64(&a.fields[i], row);
}

/* The row is kept for a later pass; lanes that do so together share an add. */
static __device__ __forceinline__ void
keep_row(const GpuAggScopedArgs &a, uint64_t row, uint32_t flags, char *kept)
{
	const uint32_t lanes = __activemask();
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const int	leader = __ffs(lanes) - 1;
	unsigned long long at = 0;

	if (lane == (uint32_t) leader)
		at = atomicAdd(&a.head->npacked, (unsigned long long) __popc(lanes));
	at = __shfl_sync(lanes, at, leader) + __popc(lanes & ((1u << lane) - 1));
	write_record(a, row, flags, kept + at * a.record_bytes);
}

template <int KEY>
static __global__ void
__launch_bounds__(SINGLE_THREADS, SINGLE_BLOCKS)
group_single_kernel(const __grid_constant__ GpuAggScopedArgs a,
					const __grid_constant__ GpuAggWindows w)
{
	const uint32_t window = w.sm_windows != NULL ? w.sm_windows[multiprocessor()] : w.window;
	unsigned long long *tiles = w.sm_windows != NULL ? &w.tiles[window] : &a.head->tile;
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint64_t	tile;

	while ((tile = next_tile(a, tiles)) != UINT64_MAX)
	{
		const uint64_t first = tile * GPUAGG_WARP_TILE + lane;
		const uint64_t end = min(a.n, (tile + 1) * GPUAGG_WARP_TILE);
		uint32_t	added = 0;

		for (uint64_t row = first; row < end; row += SINGLE_ROWS * WARP_LANES)
		{
			uint64_t	hash[SINGLE_ROWS];

			#pragma unroll
			for (int r = 0; r < SINGLE_ROWS; r++)
			{
				const uint64_t at = min(row + r * WARP_LANES, end - 1);

				hash[r] = row_hash<KEY>(a, at, row_flags(a, at));
			}
			#pragma unroll
			for (int r = 0; r < SINGLE_ROWS; r++)
			{
				const uint64_t at = row + r * WARP_LANES;

				if (at >= end)
					continue;
				if (in_window(w, window, hash[r]))
					row_to_table<KEY>(a, at, row_flags(a, at), hash[r], &added);
				else if (w.kept != NULL)
					keep_row(a, at, row_flags(a, at), w.kept);
			}
		}
		__syncwarp();
		count_added(a, added);
	}
}

/*
 * Rows that waited for a larger table.  `from` is the list; those that must
 * wait again go to a.waiting.
 */
template <int KEY>
static __global__ void
group_waiting_kernel(const __grid_constant__ GpuAggScopedArgs a, const uint64_t *from,
					 uint64_t n)
{
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	added = 0;

	for (; i < n; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t row = from[i];
		const uint32_t flags = row_flags(a, row);

		row_to_table<KEY>(a, row, flags, row_hash<KEY>(a, row, flags), &added);
	}
	__syncwarp();
	count_added(a, added);
}

/* Groups of local tables that waited; those that must wait again likewise */
static __global__ void
merge_spilled_kernel(const __grid_constant__ GpuAggScopedArgs a, const char *from, uint64_t n)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) a.plan + a.plan->program_off);
	uint64_t	i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

	for (; i < n; i += (uint64_t) gridDim.x * blockDim.x)
	{
		const char *group = from + i * a.row_bytes;
		char	   *again;

		if (merge_entry(a.plan, p, &a.table, group))
			continue;
		again = a.spilled + atomicAdd(&a.head->nspilled, 1ull) * a.row_bytes;
		for (uint32_t at = 0; at < a.row_bytes; at += 8)
			*(uint64_t *) (again + at) = *(const uint64_t *) (group + at);
	}
}

/* ---------- packing ---------- */

/* A row of resident columns into registers */
static __device__ void
load_columns(const GpuAggProgram *p, const GpuAggPackColumns &columns, uint64_t row,
			 GpuAggValue *reg, uint8_t *st)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const GpuAggPackColumn *column = &columns.columns[c];

		st[c] = column->nulls != NULL && column->nulls[row / 32] >> (row % 32) & 1 ?
			GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		if (st[c] == GPUAGG_ST_VALUE)
			reg[c].i = field_value(&column->values, row);
	}
}

static __device__ void
pack_row(const GpuAggScopedArgs &a, const GpuAggProgram *p, const GpuAggValue *reg,
		 const uint8_t *st, char *record, uint32_t *errors)
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
		const uint32_t r = a.field_reg[i];
		const int64_t v = st[r] == GPUAGG_ST_VALUE ? reg[r].i : 0;

		if (a.fields[i].bytes == 4)
			*(uint32_t *) (record + a.field_off[i]) = (uint32_t) v;
		else
			*(uint64_t *) (record + a.field_off[i]) = (uint64_t) v;
	}
}

static __device__ void
pack_rows(const GpuAggScopedArgs &a, const GpuAggProgram *p,
		  const GpuAggPackColumns &columns, char *out, GpuAggValue *reg, uint8_t *st)
{
	uint64_t	row = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	errors = 0;

	gpuagg_eval_constants(p, reg, st);
	for (; row < columns.n; row += (uint64_t) gridDim.x * blockDim.x)
	{
		load_columns(p, columns, row, reg, st);
		if (row_prepare(p, reg, st, &errors) == ROW_READY)
		{
			const uint32_t lanes = __activemask();
			const uint32_t lane = threadIdx.x % WARP_LANES;
			const int	leader = __ffs(lanes) - 1;
			unsigned long long at = 0;

			if (lane == (uint32_t) leader)
				at = atomicAdd(&a.head->npacked, (unsigned long long) __popc(lanes));
			at = __shfl_sync(lanes, at, leader) + __popc(lanes & ((1u << lane) - 1));
			pack_row(a, p, reg, st, out + at * a.record_bytes, &errors);
		}
	}
	if (errors != 0)
		atomicOr(&a.head->errors, errors);
}

template <bool WIDE>
static __global__ void
__launch_bounds__(SINGLE_THREADS)
pack_columns_kernel(const __grid_constant__ GpuAggScopedArgs a,
					const __grid_constant__ GpuAggPackColumns columns, char *out,
					char *scratch, uint32_t scratch_stride)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) a.plan + a.plan->program_off);

	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		pack_rows(a, p, columns, out, (GpuAggValue *) mine,
				  (uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)));
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		pack_rows(a, p, columns, out, reg, st);
	}
}

/* ---------- launches ---------- */

cudaError_t
gpuagg_cuda_scoped_single(const GpuAggScopedArgs *a, GpuAggKeyShape key,
						  const GpuAggWindows *w, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * 8;

	switch (key)
	{
		case GPUAGG_KEY_I32:
			group_single_kernel<GPUAGG_KEY_I32><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, *w);
			break;
		case GPUAGG_KEY_I64:
			group_single_kernel<GPUAGG_KEY_I64><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, *w);
			break;
		default:
			group_single_kernel<GPUAGG_KEY_ANY><<<blocks, SINGLE_THREADS, 0, stream>>>(*a, *w);
			break;
	}
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_scoped_waiting(const GpuAggScopedArgs *a, const uint64_t *rows, uint64_t nrows,
						   const char *spilled, uint64_t nspilled, uint32_t sms,
						   cudaStream_t stream)
{
	if (nrows > 0)
		group_waiting_kernel<GPUAGG_KEY_ANY><<<sms * 4, SINGLE_THREADS, 0, stream>>>
			(*a, rows, nrows);
	if (nspilled > 0)
		merge_spilled_kernel<<<sms * 4, SINGLE_THREADS, 0, stream>>>(*a, spilled, nspilled);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_scoped_pack(const GpuAggScopedArgs *a, const GpuAggPackColumns *columns,
						char *out, char *scratch, uint32_t scratch_stride,
						uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * GPUAGG_PACK_BLOCKS;

	if (scratch != NULL)
		pack_columns_kernel<true><<<blocks, SINGLE_THREADS, 0, stream>>>
			(*a, *columns, out, scratch, scratch_stride);
	else
		pack_columns_kernel<false><<<blocks, SINGLE_THREADS, 0, stream>>>
			(*a, *columns, out, NULL, 0);
	return cudaGetLastError();
}
