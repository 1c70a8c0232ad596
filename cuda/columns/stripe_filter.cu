/*
 * stripe_filter.cu
 *		The positions of a stripe that a task takes: as flags, for the kernels that
 *		interpret rows (kernels.h), or as a bitmap of those that also pass the
 *		filter, for those that read columns as they lie (groupby_sources.cu); until
 *		a kernel of the query's own makes it (frame/selected.cuh).
 */
#include "cuda/columns/cuda_stripe.h"
#include "cuda/frame/stripe_input.cuh"
#include "cuda/kernel/row.cuh"

#define CHOOSE_THREADS 256
#define CHOOSE_BLOCKS 8			/* of a multiprocessor */
#define WARP_LANES 32

/* The warp's word of input positions, or of those that are left over, in all lanes */
static __device__ __forceinline__ uint32_t
warp_bits(const GpuAggStripeInput &input, bool leftover, uint32_t word)
{
	uint32_t	bits = 0;

	if (threadIdx.x % WARP_LANES == 0)
		bits = leftover ? left_bits(input, word) : input_bits(input, word);
	return __shfl_sync(0xFFFFFFFFu, bits, 0);
}

static __device__ __forceinline__ void
report_scanned(GpuAggBatchHead *head, uint32_t scanned)
{
	if (threadIdx.x % WARP_LANES == 0 && scanned > 0)
		atomicAdd(&head->rows_scanned, (unsigned long long) scanned);
}

/* ---------- flags ---------- */

static __global__ void
__launch_bounds__(CHOOSE_THREADS)
stripe_flags_kernel(const __grid_constant__ GpuAggStripeInput input, bool leftover, uint8_t *flags,
				  GpuAggBatchHead *head)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t words = (input.positions + 31) / 32;
	uint32_t	word = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;
	uint32_t	scanned = 0;

	for (; word < words; word += gridDim.x * blockDim.x / WARP_LANES)
	{
		const uint32_t bits = warp_bits(input, leftover, word);

		if (word * 32 + lane < input.positions)
			flags[word * 32 + lane] = bits >> lane & 1;
		scanned += __popc(bits);
	}
	if (!leftover)
		report_scanned(head, scanned);
}

void
gpuagg_cuda_stripe_flags(const GpuAggStripeInput *input, bool leftover, uint8_t *flags,
					   GpuAggBatchHead *head, uint32_t sms, cudaStream_t stream)
{
	const uint32_t useful = (input->positions + CHOOSE_THREADS - 1) / CHOOSE_THREADS;
	const uint32_t blocks = useful < sms * CHOOSE_BLOCKS ? useful : sms * CHOOSE_BLOCKS;

	stripe_flags_kernel<<<blocks, CHOOSE_THREADS, 0, stream>>>(*input, leftover, flags, head);
}

/* ---------- bitmaps ---------- */

/* The input that has a bitmap's word, counted through all inputs, from i on */
static __device__ __forceinline__ uint32_t
input_of(const GpuAggStripeRun &run, uint32_t at, uint32_t i)
{
	while (i + 1 < run.n && run.inputs[i + 1].first_tile <= at / (GPUAGG_STRIPE_TILE / 32))
		i++;
	return i;
}

/* A word of each bitmap for a thread */
static __global__ void
__launch_bounds__(CHOOSE_THREADS)
stripe_take_kernel(const __grid_constant__ GpuAggStripeRun run)
{
	const uint32_t words = run.tiles * (GPUAGG_STRIPE_TILE / 32);
	uint32_t	at = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t	scanned = 0;
	uint32_t	passed = 0;
	uint32_t	with_null = 0;
	uint32_t	i = 0;

	for (; at < words; at += gridDim.x * blockDim.x)
	{
		uint32_t	nulls = 0;
		uint32_t	word;
		uint32_t	bits;

		i = input_of(run, at, i);
		const GpuAggStripeInput &input = run.inputs[i];

		word = at - input.first_tile * (GPUAGG_STRIPE_TILE / 32);
		bits = input.chosen != NULL ? input.chosen[word] : input_bits(input, word);
		for (uint32_t c = 0; c < run.nused && bits != 0; c++)
			nulls |= gpuagg_card_nulls(input.columns[run.used[c]].nulls, word);
		input.leftover[word] = bits & ~nulls;
		if (input.chosen == NULL)
			scanned += __popc(bits);
		passed += __popc(bits);
		with_null += __popc(bits & nulls);
	}
	__syncwarp();
	report_scanned(run.head, warp_sum(scanned));
	passed = warp_sum(passed);
	with_null = warp_sum(with_null);
	if (threadIdx.x % WARP_LANES == 0 && passed > 0)
	{
		atomicAdd(&run.head->rows_passed, (unsigned long long) passed);
		atomicAdd(&run.head->nkept, passed);
		if (with_null > 0)
			atomicAdd(&run.head->nnulls, with_null);
	}
}

void
gpuagg_cuda_stripe_take(const GpuAggStripeRun *run, uint32_t sms, cudaStream_t stream)
{
	stripe_take_kernel<<<sms * CHOOSE_BLOCKS, CHOOSE_THREADS, 0, stream>>>(*run);
}

/* ---------- the filter ---------- */

static __device__ void
choose_rows(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p, const GpuAggStripeRun &run,
			GpuAggValue *reg, uint8_t *st)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	uint32_t	at = (blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES;
	uint32_t	scanned = 0;
	uint32_t	errors = 0;
	uint32_t	i = 0;

	gpuagg_eval_constants(p, reg, st);
	for (; at < run.tiles * (GPUAGG_STRIPE_TILE / 32); at += gridDim.x * blockDim.x / WARP_LANES)
	{
		uint32_t	word;
		uint32_t	bits;
		bool		chosen;

		i = input_of(run, at, i);
		const GpuAggStripeInput &input = run.inputs[i];

		word = at - input.first_tile * (GPUAGG_STRIPE_TILE / 32);
		bits = warp_bits(input, false, word);
		scanned += __popc(bits);
		chosen = bits >> lane & 1;
		if (chosen)
		{
			load_resident(p, input.columns, word * 32 + lane, reg, st);
			chosen = row_prepare(prepared, p, reg, st, &errors, run.head) == ROW_READY;
		}
		__syncwarp();
		bits = __ballot_sync(0xFFFFFFFFu, chosen);
		if (lane == 0)
			input.chosen[word] = bits;
	}
	report_scanned(run.head, scanned);
	if (errors != 0)
		atomicOr(&run.head->errors, errors);
}

template <bool WIDE>
static __global__ void
__launch_bounds__(CHOOSE_THREADS) stripe_choose_kernel(const GpuAggCudaPrepared *prepared,
													   const __grid_constant__ GpuAggStripeRun run,
													   char *scratch, uint32_t scratch_stride)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);

	if (WIDE)
	{
		char	   *mine = scratch +
			(uint64_t) (blockIdx.x * blockDim.x + threadIdx.x) * scratch_stride;

		choose_rows(prepared, p, run, (GpuAggValue *) mine,
					(uint8_t *) (mine + p->nregs * sizeof(GpuAggValue)));
	}
	else
	{
		GpuAggValue reg[GPUAGG_LOCAL_REGS];
		uint8_t		st[GPUAGG_LOCAL_REGS];

		choose_rows(prepared, p, run, reg, st);
	}
}

uint32_t
gpuagg_cuda_stripe_choose_threads(uint32_t sms)
{
	return sms * CHOOSE_BLOCKS * CHOOSE_THREADS;
}

void
gpuagg_cuda_stripe_choose(const GpuAggCudaPrepared *prepared, const GpuAggStripeRun *run,
						  char *scratch, uint32_t scratch_stride, uint32_t sms, cudaStream_t stream)
{
	const uint32_t blocks = sms * CHOOSE_BLOCKS;

	if (scratch != NULL)
		stripe_choose_kernel<true><<<blocks, CHOOSE_THREADS, 0, stream>>>
			(prepared, *run, scratch, scratch_stride);
	else
		stripe_choose_kernel<false><<<blocks, CHOOSE_THREADS, 0, stream>>>(prepared, *run, NULL, 0);
}
