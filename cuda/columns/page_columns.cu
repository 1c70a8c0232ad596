/*
 * page_columns.cu
 *		Decoded pages become columns of a stripe (page_columns.h): behind the decoder,
 *		in place of grouping them row by row.
 *
 * A warp takes 32 rows, which are a word of each bitmap.  What says where columns are
 * is written by the first block, so that nothing of it need go up.
 */
#include "cuda/columns/page_path.h"

#define MAKE_THREADS 256
#define MAKE_BLOCKS 8			/* of a multiprocessor */
#define WARP_LANES 32

static __device__ __forceinline__ const uint64_t *
column_words(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch &decoded, uint32_t c)
{
	return decoded.words + (uint64_t) prepared->column_words[c] * decoded.nrows;
}

/* Where everything is; all threads of a block call it. */
static __device__ void
columns_describe(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch &decoded,
				 const uint8_t *classes, const GpuAggPageColumns &l)
{
	uint64_t	values = l.values;

	for (uint32_t c = 0; c < l.ncolumns; c++)
	{
		if (c % blockDim.x == threadIdx.x)
			gpuagg_page_column_open(&l, c, values, column_words(prepared, decoded, c),
									classes[c] == GPUAGG_CLASS_BYTES);
		values += gpuagg_page_values_bytes(&l, c);
	}
	if (threadIdx.x == 0)
	{
		gpuagg_page_columns_input(&l, (GpuAggStripeInput *) (l.memory + l.input));
		*(uint32_t *) (l.memory + l.nentries) = 0;
	}
}

/*
 * The values of a lane's row, zeros of one that is not there: kernels load whole tiles.
 * All lanes call it.
 */
static __device__ __forceinline__ void
columns_put(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch &decoded,
			const uint8_t *classes, const GpuAggPageColumns &l, uint32_t row, bool valid)
{
	char	   *values = l.memory + l.values;

	for (uint32_t c = 0; c < l.ncolumns; c++)
	{
		const bool	null = valid &&
			decoded.states[(uint64_t) c * decoded.nrows + row] != GPUAGG_ST_VALUE;
		const uint32_t bits = __ballot_sync(0xFFFFFFFFu, null);

		if (threadIdx.x % WARP_LANES == 0)
			((uint32_t *) (l.memory + gpuagg_page_column_nulls(&l, c)))[row / WARP_LANES] = bits;
		gpuagg_page_value_put(values, gpuagg_page_column_bytes(&l, c), row,
							  valid && !null ? column_words(prepared, decoded, c) : NULL,
							  classes[c] == GPUAGG_CLASS_BYTES);
		values += gpuagg_page_values_bytes(&l, c);
	}
}

static __global__ void
__launch_bounds__(MAKE_THREADS)
	page_columns_kernel(const GpuAggCudaPrepared *prepared,
						const __grid_constant__ GpuAggDecodedBatch decoded,
						const __grid_constant__ GpuAggPageColumns l)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	const uint8_t *classes = gpuagg_program_classes(p);
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	word = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;

	if (blockIdx.x == 0)
		columns_describe(prepared, decoded, classes, l);
	for (; word < l.tiles * GPUAGG_PAGE_WORDS; word += gridDim.x * blockDim.x / WARP_LANES)
	{
		const uint32_t row = word * WARP_LANES + lane;
		const bool	valid = row < l.nrows && decoded.valid[row];
		const uint32_t bits = __ballot_sync(0xFFFFFFFFu, valid);

		if (lane == 0)
			((uint32_t *) (l.memory + l.rows))[word] = bits;
		columns_put(prepared, decoded, classes, l, row, valid);
	}
}

void
gpuagg_cuda_page_columns(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
						 const GpuAggPageColumns *columns, uint32_t sms, cudaStream_t stream)
{
	const uint32_t useful = columns->tiles * (GPUAGG_STRIPE_TILE / MAKE_THREADS);
	const uint32_t blocks = useful < sms * MAKE_BLOCKS ? useful : sms * MAKE_BLOCKS;

	page_columns_kernel<<<blocks, MAKE_THREADS, 0, stream>>>(prepared, *decoded, *columns);
}
