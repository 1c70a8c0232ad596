/*
 * codes_kernel.cu
 *		The kernel that fills a code table (cuda_codes.h): a thread a string.
 */
#include "cuda/columns/cuda_codes.h"
#include "cuda/columns/dictionary.cuh"

#define FILL_THREADS 128
#define FILL_BLOCKS 2048

static __global__ void
__launch_bounds__(FILL_THREADS)
	code_table_kernel(const __grid_constant__ GpuAggCodeTableFill fill, uint32_t end)
{
	const GpuAggLookup *head = (const GpuAggLookup *) fill.block;
	const uint64_t nulls = ((const GpuAggLookupColumn *) (head + 1))->nulls;
	const uint32_t n = fill.from.head->entries < end ? fill.from.head->entries : end;
	uint32_t	code = fill.first + blockIdx.x * blockDim.x + threadIdx.x;
	GpuAggValue reg[GPUAGG_CODE_TABLE_REGS];
	uint8_t		st[GPUAGG_CODE_TABLE_REGS];

	if (code >= n)
		return;
	gpuagg_eval_constants(fill.expression, reg, st);
	for (; code < n; code += gridDim.x * blockDim.x)
	{
		uint8_t		state;
		const GpuAggBytes string =
			fill.from.strings[code / GPUAGG_STRING_BLOCK][code % GPUAGG_STRING_BLOCK];
		GpuAggValue v = gpuagg_code_table_value(fill.expression, string, reg, st, &state);

		if (state == GPUAGG_ST_VALUE && fill.texts.head != NULL)
			v.i = string_code(fill.texts, v.b, true);
		if (state == GPUAGG_ST_VALUE)
			gpuagg_code_table_put(head, fill.block, code, v);
		else if (nulls != 0)
			atomicOr((uint32_t *) (fill.block + nulls) + code / 32, 1u << code % 32);
	}
}

void
gpuagg_cuda_code_table_fill(const GpuAggCodeTableFill *fill, uint32_t end, cudaStream_t stream)
{
	const uint32_t n = end - fill->first;
	const uint32_t blocks = (n + FILL_THREADS - 1) / FILL_THREADS;

	code_table_kernel<<<blocks < FILL_BLOCKS ? blocks : FILL_BLOCKS, FILL_THREADS, 0, stream>>>
		(*fill, end);
}
