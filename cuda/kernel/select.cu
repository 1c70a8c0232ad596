/*
 * select.cu
 *		Programs that select rows: the filter, one thread a row; those that
 *		pass are listed beside the rows that the decoder left to PostgreSQL.
 *		Or which pass is known, by a kernel of the query's own
 *		(columns/page_path.h), and they are only listed.
 *
 * A warp looks at 32 rows that follow each other and takes their places in
 * the list at once.  It does so together, so its lanes leave the loop
 * together, whatever each of them found.  A row is decoded or left to
 * PostgreSQL, never both, so the list, with a place for each line pointer,
 * cannot overflow.  Its order is anybody's.
 */
#include "cuda/kernel/row.cuh"

#define FULL_WARP 0xFFFFFFFFu

/* The page that a row lies on: the last one that begins at or before it */
static __device__ uint32_t
row_page(const GpuAggDecodedBatch *decoded, uint32_t row)
{
	uint32_t	low = 0;
	uint32_t	high = decoded->npages;

	while (high - low > 1)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (decoded->refs[middle].row_base <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The rows of a warp that `keep` join the list; all lanes call this. */
static __device__ void
list_rows(const GpuAggDecodedBatch *decoded, uint32_t row, bool keep)
{
	const uint32_t lane = threadIdx.x % warpSize;
	const uint32_t kept = __ballot_sync(FULL_WARP, keep);
	uint32_t	place = 0;

	if (kept == 0)
		return;
	if (lane == 0)
		place = atomicAdd(&decoded->head->nskipped, (uint32_t) __popc(kept));
	place = __shfl_sync(FULL_WARP, place, 0);
	if (keep)
	{
		const uint32_t page = row_page(decoded, row);
		GpuAggRowRef *ref = &decoded->skipped[place + __popc(kept & ((1u << lane) - 1))];

		ref->page = page;
		ref->line = (row - decoded->refs[page].row_base + 1) | GPUAGG_ROW_PASSED;
	}
}

static __device__ void
select_rows(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			const GpuAggDecodedBatch *decoded, GpuAggValue *reg, uint8_t *st)
{
	const uint32_t lane = threadIdx.x % warpSize;
	uint32_t	passed = 0;
	uint32_t	errors = 0;

	gpuagg_eval_constants(p, reg, st);
	for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < decoded->nrows;
		 first += gridDim.x * blockDim.x)
	{
		const uint32_t row = first + lane;
		bool		keep = false;

		if (row < decoded->nrows && decoded->valid[row])
		{
			load_row(prepared, p, decoded, row, reg, st);
			keep = row_prepare(prepared, p, reg, st, &errors, decoded->head) == ROW_READY;
		}
		__syncwarp();
		list_rows(decoded, row, keep);
		passed += keep;
	}
	__syncwarp();
	passed = warp_sum(passed);
	if (errors != 0)
		atomicOr(&decoded->head->errors, errors);
	if (lane == 0 && passed > 0)
		atomicAdd(&decoded->head->rows_passed, (unsigned long long) passed);
}

template <bool WIDE>
static __global__ void
__launch_bounds__(GPUAGG_GROUP_THREADS)
	select_decoded_kernel(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded,
						  char *scratch, uint32_t scratch_stride)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);

	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		select_rows(prepared, p, &decoded, (GpuAggValue *) mine,
					(uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)));
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		select_rows(prepared, p, &decoded, reg, st);
	}
}

/* Rows whose bit is set */
static __global__ void
__launch_bounds__(GPUAGG_GROUP_THREADS)
selected_list_kernel(const __grid_constant__ GpuAggDecodedBatch decoded, const uint32_t *rows)
{
	const uint32_t lane = threadIdx.x % warpSize;

	for (uint32_t first = blockIdx.x * blockDim.x + threadIdx.x - lane; first < decoded.nrows;
		 first += gridDim.x * blockDim.x)
		list_rows(&decoded, first + lane, rows[first / 32] >> lane & 1);
}

const GpuAggKernelRef gpuagg_cuda_select_kernels[] = {
	{"select_decoded", (const void *) select_decoded_kernel<false>, GPUAGG_GROUP_THREADS, 0},
	{"select_decoded wide", (const void *) select_decoded_kernel<true>, GPUAGG_GROUP_THREADS, 0},
	{"selected_list", (const void *) selected_list_kernel, GPUAGG_GROUP_THREADS, 0},
	{NULL, NULL, 0, 0}
};

/* At most so many blocks as have rows */
static uint32_t
useful_blocks(const GpuAggDecodedBatch *decoded, uint32_t blocks)
{
	const uint32_t useful = (decoded->nrows + GPUAGG_GROUP_THREADS - 1) / GPUAGG_GROUP_THREADS;

	return blocks < useful ? blocks : useful;
}

void
gpuagg_cuda_select(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
				   char *scratch, uint32_t scratch_stride, uint32_t blocks, cudaStream_t stream)
{
	const uint32_t threads = GPUAGG_GROUP_THREADS;

	blocks = useful_blocks(decoded, blocks);
	if (blocks == 0)
		return;
	if (scratch != NULL)
		select_decoded_kernel<true><<<blocks, threads, 0, stream>>>
			(prepared, *decoded, scratch, scratch_stride);
	else
		select_decoded_kernel<false><<<blocks, threads, 0, stream>>>
			(prepared, *decoded, scratch, scratch_stride);
}

void
gpuagg_cuda_selected_list(const GpuAggDecodedBatch *decoded, const uint32_t *rows, uint32_t blocks,
						  cudaStream_t stream)
{
	blocks = useful_blocks(decoded, blocks);
	if (blocks > 0)
		selected_list_kernel<<<blocks, GPUAGG_GROUP_THREADS, 0, stream>>>(*decoded, rows);
}
