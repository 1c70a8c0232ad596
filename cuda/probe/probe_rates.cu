/*
 * probe_rates.cu
 *		Kernels that reach the card's ceilings (Revisiting Query Performance in
 *		GPU Database Systems, 5.2).
 */
#include "device/common.h"

#include "cuda/probe/probe_device.cuh"

#define PIECE_THREADS 256
#define PIECE_QUADS (GPUAGG_PAGE_BYTES / sizeof(uint4))

/* A thread's multiply-adds that do not wait for each other */
#define INT_PARALLEL 8

/* ---------- reading in order ---------- */

static __device__ __forceinline__ uint32_t
fold(const uint4 *quad)
{
	return quad->x ^ quad->y ^ quad->z ^ quad->w;
}

/*
 * All of `threads` threads read n quads around and around, side by side.
 * __ldcg: a multiprocessor would have its share of a small region in its own
 * cache.
 */
static __device__ uint32_t
read_around(const uint4 *quads, uint64_t n, uint64_t thread, uint64_t threads,
			uint64_t rounds)
{
	uint64_t	at = thread % n;
	const uint64_t step = threads % n;
	uint32_t	sum = 0;

	for (uint64_t i = 0; i < rounds; i++)
	{
		uint4		got[GPUAGG_READ_AHEAD];

		#pragma unroll
		for (int j = 0; j < GPUAGG_READ_AHEAD; j++)
		{
			got[j] = __ldcg(quads + at);
			at += step;
			at -= at >= n ? n : 0;
		}
		#pragma unroll
		for (int j = 0; j < GPUAGG_READ_AHEAD; j++)
			sum ^= fold(&got[j]);
	}
	return sum;
}

static __global__ void
__launch_bounds__(GPUAGG_READ_THREADS)
read_memory_kernel(const uint4 *quads, uint64_t n, uint64_t rounds,
				   GpuAggProbeReport *report)
{
	consume(scramble(read_around(quads, n, this_thread(), all_threads(), rounds)), report);
}

static __global__ void
__launch_bounds__(GPUAGG_READ_UNIT_THREADS)
read_memory_alone_kernel(uint32_t smid, const uint4 *quads, uint64_t n,
						 uint64_t rounds, GpuAggProbeReport *report)
{
	__shared__ bool mine;
	__shared__ unsigned long long last;
	const long long start = clock64();

	if (threadIdx.x == 0)
	{
		mine = claim(smid, &report->claimed[0]);
		last = 0;
	}
	__syncthreads();
	if (!mine)
		return;
	consume(scramble(read_around(quads, n, threadIdx.x, blockDim.x, rounds)), report);
	atomicMax(&last, (unsigned long long) clock64());
	__syncthreads();
	if (threadIdx.x == 0)
	{
		report->events = rounds * GPUAGG_READ_AHEAD * blockDim.x * sizeof(uint4);
		report->cycles = last - (unsigned long long) start;
	}
}

/* ---------- arithmetic and shared memory ---------- */

static __global__ void
__launch_bounds__(GPUAGG_INT_THREADS)
multiply_add_kernel(uint64_t rounds, uint32_t factor, GpuAggProbeReport *report)
{
	uint32_t	x[INT_PARALLEL];
	uint32_t	sum = 0;

	for (int j = 0; j < INT_PARALLEL; j++)
		x[j] = (uint32_t) this_thread() + j;
	for (uint64_t i = 0; i < rounds; i++)
	{
		#pragma unroll
		for (int j = 0; j < GPUAGG_INT_CHAINS; j++)
			asm volatile("mad.lo.u32 %0, %0, %1, %1;"
						 : "+r"(x[j % INT_PARALLEL]) : "r"(factor));
	}
	for (int j = 0; j < INT_PARALLEL; j++)
		sum ^= x[j];
	consume(scramble(sum), report);
}

/*
 * Addresses and addend are not known to be the same of a warp's threads, for
 * then nvcc adds the warp's up first.
 */
static __global__ void
__launch_bounds__(GPUAGG_ATOMICS_THREADS)
add_shared_kernel(uint32_t mask, uint32_t addend, uint64_t rounds,
				  GpuAggProbeReport *report)
{
	__shared__ uint32_t table[GPUAGG_ATOMICS_MAX];
	uint64_t	random = scramble(this_thread());

	for (uint32_t i = threadIdx.x; i < GPUAGG_ATOMICS_MAX; i += blockDim.x)
		table[i] = 0;
	__syncthreads();
	for (uint64_t i = 0; i < rounds; i++)
	{
		uint64_t	bits = next_random(&random);

		/* 4 times 10 of the upper bits of each draw */
		#pragma unroll
		for (int j = 0; j < GPUAGG_ATOMICS_AHEAD; j++)
		{
			if (j == GPUAGG_ATOMICS_AHEAD / 2)
				bits = next_random(&random);
			atomicAdd(&table[(bits >> (54 - 10 * (j % (GPUAGG_ATOMICS_AHEAD / 2)))) & mask],
					  addend);
		}
	}
	__syncthreads();
	consume(scramble(table[threadIdx.x & mask]), report);
}

/* ---------- the link ---------- */

static __global__ void
__launch_bounds__(PIECE_THREADS)
read_pieces_kernel(const uint4 *quads, uint64_t npieces, uint32_t bits,
				   GpuAggProbeReport *report)
{
	uint32_t	sum = 0;

	for (uint64_t i = blockIdx.x; i < npieces; i += gridDim.x)
	{
		const uint4 *piece = quads + shuffled(i, npieces, bits) * PIECE_QUADS;
		uint4		got[PIECE_QUADS / PIECE_THREADS];

		#pragma unroll
		for (int j = 0; j < PIECE_QUADS / PIECE_THREADS; j++)
			got[j] = __ldcv(piece + threadIdx.x + j * PIECE_THREADS);
		#pragma unroll
		for (int j = 0; j < PIECE_QUADS / PIECE_THREADS; j++)
			sum ^= fold(&got[j]);
	}
	consume(scramble(sum), report);
}

static __global__ void
__launch_bounds__(PIECE_THREADS)
write_pieces_kernel(uint4 *quads, uint64_t npieces, uint32_t bits)
{
	for (uint64_t i = blockIdx.x; i < npieces; i += gridDim.x)
	{
		uint4	   *piece = quads + shuffled(i, npieces, bits) * PIECE_QUADS;

		for (uint32_t q = threadIdx.x; q < PIECE_QUADS; q += PIECE_THREADS)
			piece[q] = make_uint4((uint32_t) i, q, (uint32_t) i, q);
	}
}

static __global__ void
do_nothing_kernel(void)
{
}

/* ---------- launches ---------- */

void
gpuagg_cuda_probe_read(const char *start, uint64_t bytes, uint32_t blocks,
					   uint64_t rounds, GpuAggProbeReport *report, cudaStream_t stream)
{
	read_memory_kernel<<<blocks, GPUAGG_READ_THREADS, 0, stream>>>
		((const uint4 *) start, bytes / sizeof(uint4), rounds, report);
}

void
gpuagg_cuda_probe_read_unit(uint32_t smid, const char *start, uint64_t bytes,
							uint32_t blocks, uint64_t rounds,
							GpuAggProbeReport *report, cudaStream_t stream)
{
	read_memory_alone_kernel<<<blocks, GPUAGG_READ_UNIT_THREADS, 0, stream>>>
		(smid, (const uint4 *) start, bytes / sizeof(uint4), rounds, report);
}

void
gpuagg_cuda_probe_int(uint32_t blocks, uint64_t rounds, GpuAggProbeReport *report,
					  cudaStream_t stream)
{
	multiply_add_kernel<<<blocks, GPUAGG_INT_THREADS, 0, stream>>>
		(rounds, 0x01000193, report);
}

void
gpuagg_cuda_probe_atomics(uint32_t addresses, uint32_t blocks, uint64_t rounds,
						  GpuAggProbeReport *report, cudaStream_t stream)
{
	add_shared_kernel<<<blocks, GPUAGG_ATOMICS_THREADS, 0, stream>>>
		(addresses - 1, 3, rounds, report);
}

void
gpuagg_cuda_probe_pieces(bool write, char *start, uint64_t npieces, uint32_t blocks,
						 GpuAggProbeReport *report, cudaStream_t stream)
{
	uint32_t	bits = 1;

	while (bits < 63 && (npieces - 1) >> bits > 0)
		bits++;
	if (write)
		write_pieces_kernel<<<blocks, PIECE_THREADS, 0, stream>>>
			((uint4 *) start, npieces, bits);
	else
		read_pieces_kernel<<<blocks, PIECE_THREADS, 0, stream>>>
			((const uint4 *) start, npieces, bits, report);
}

void
gpuagg_cuda_probe_empty(cudaStream_t stream)
{
	do_nothing_kernel<<<1, 1, 0, stream>>>();
}
