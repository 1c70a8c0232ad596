/*
 * scoped_pack.cu
 *		Rows to records (device/record.h): expressions are evaluated, and what a
 *		row contributes to its group is packed, in any order.
 *
 * Rows are those of resident columns, or those of a chunk: batches of pages,
 * or rows that PostgreSQL evaluated, one after the other into the same
 * records.
 */
#include "cuda/scoped.h"
#include "cuda/scoped_rows.cuh"

/* The next free record; lanes that ask together share an add. */
static __device__ __forceinline__ unsigned long long
record_place(const GpuAggScopedArgs &a)
{
	const uint32_t lanes = __activemask();
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const int	leader = __ffs(lanes) - 1;
	unsigned long long at = 0;

	if (lane == (uint32_t) leader)
		at = atomicAdd(&a.head->npacked, (unsigned long long) __popc(lanes));
	return __shfl_sync(lanes, at, leader) + __popc(lanes & ((1u << lane) - 1));
}

/* ---------- resident columns ---------- */

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

/* Fields are in these registers of the program. */
static __device__ void
pack_row(const GpuAggScopedArgs &a, const uint16_t *regs, const GpuAggProgram *p,
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
			char	   *record = out + record_place(a) * a.record_bytes;

			pack_row(a, a.field_reg, p, reg, st, record, &errors);
		}
	}
	if (errors != 0)
		atomicOr(&a.head->errors, errors);
}

template <bool WIDE>
static __global__ void
__launch_bounds__(GPUAGG_PACK_THREADS)
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

/* ---------- chunks ---------- */

static __device__ void
pack_chunk_rows(const GpuAggScopedArgs &a, const GpuAggPackChunk &c,
				const GpuAggProgram *p, GpuAggValue *reg, uint8_t *st)
{
	uint32_t	row = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	errors = 0;
	uint32_t	passed = 0;
	uint32_t	kept = 0;
	const RowKeys keys = {c.plan, p, &a.table, reg, st};

	gpuagg_eval_constants(p, reg, st);
	for (; row < c.chunk.nrows; row += gridDim.x * blockDim.x)
	{
		if (!c.chunk.valid[row])
			continue;
		load_row(c.plan, p, &c.chunk, row, reg, st);
		if (row_prepare(p, reg, st, &errors) != ROW_READY)
			continue;
		passed++;
		if (gpuagg_scope_has(c.plan->scope, keys.hash()))
		{
			char	   *record = c.records + record_place(a) * a.record_bytes;

			pack_row(a, c.regs, p, reg, st, record, &errors);
			kept++;
		}
	}
	__syncwarp();
	passed = warp_sum(passed);
	kept = warp_sum(kept);
	if (errors != 0)
		atomicOr(&c.chunk.head->errors, errors);
	if (threadIdx.x % WARP_LANES == 0 && passed > 0)
	{
		atomicAdd(&c.chunk.head->rows_passed, (unsigned long long) passed);
		atomicAdd(&c.chunk.head->nkept, kept);
	}
}

template <bool WIDE>
static __global__ void
__launch_bounds__(GPUAGG_PACK_THREADS)
pack_chunk_kernel(const __grid_constant__ GpuAggScopedArgs a,
				  const __grid_constant__ GpuAggPackChunk c, char *scratch,
				  uint32_t scratch_stride)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) c.plan + c.plan->program_off);

	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		pack_chunk_rows(a, c, p, (GpuAggValue *) mine,
						(uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)));
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		pack_chunk_rows(a, c, p, reg, st);
	}
}

/* ---------- launches ---------- */

/* "wide": of programs with more than GPUAGG_LOCAL_REGS registers */
const GpuAggKernelRef gpuagg_cuda_pack_kernels[] = {
	{"pack_chunk", (const void *) pack_chunk_kernel<false>, GPUAGG_PACK_THREADS, 0},
	{"pack_chunk wide", (const void *) pack_chunk_kernel<true>, GPUAGG_PACK_THREADS, 0},
	{NULL, NULL, 0, 0}
};

cudaError_t
gpuagg_cuda_scoped_pack_chunk(const GpuAggScopedArgs *a, const GpuAggPackChunk *c,
							  char *scratch, uint32_t scratch_stride, uint32_t blocks,
							  cudaStream_t stream)
{
	const uint32_t useful = (c->chunk.nrows + GPUAGG_PACK_THREADS - 1) / GPUAGG_PACK_THREADS;

	if (blocks > useful)
		blocks = useful;
	if (blocks == 0)
		return cudaSuccess;
	if (scratch != NULL)
		pack_chunk_kernel<true><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
			(*a, *c, scratch, scratch_stride);
	else
		pack_chunk_kernel<false><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>(*a, *c, NULL, 0);
	return cudaGetLastError();
}

cudaError_t
gpuagg_cuda_scoped_pack(const GpuAggScopedArgs *a, const GpuAggPackColumns *columns,
						char *out, char *scratch, uint32_t scratch_stride,
						uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * GPUAGG_PACK_BLOCKS;

	if (scratch != NULL)
		pack_columns_kernel<true><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
			(*a, *columns, out, scratch, scratch_stride);
	else
		pack_columns_kernel<false><<<blocks, GPUAGG_PACK_THREADS, 0, stream>>>
			(*a, *columns, out, NULL, 0);
	return cudaGetLastError();
}
