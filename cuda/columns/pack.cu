/*
 * pack.cu
 *		Columns of stripes, packed (device/ops/packed.h).
 *
 * A block of threads takes a miniblock: once to know how it is stored, and, where the host has
 * found that the whole pays and has put the miniblocks one behind the other, once more to store it.
 * What lies at positions without a value, or that are not read any more, becomes the base, which is
 * some value, or 0 as in a plain column: who loads a NULL's code finds some string by it.
 *
 * All of it is in the stripe stream: behind what was done to stripes, before what will be.
 */
#include <stdlib.h>

#include <cub/block/block_reduce.cuh>

#include "cuda/columns/cuda_stripe.h"
#include "cuda/frame/stripe_input.cuh"
#include "device/ops/pack.h"

#define THREADS 256
#define VALUES (GPUAGG_MINIBLOCK / THREADS)	/* of a thread */
#define HALVES (GPUAGG_MINIBLOCK * 2)	/* words of 32 bits, at most */

/* A unit is one factor of a product of words: of a greater one its half will do, and so on. */
#define UNIT_LIMIT (UINT64_C(1) << 32)

/* Words that reading the last values may look at behind them */
#define SPARE_WORDS 4

/* A column, plain, and its stripe; `without` are the positions that are read */
typedef struct Packing
{
	GpuAggStripeInput live;
	GpuAggStripeColumn column;
} Packing;

typedef cub::BlockReduce<long long, THREADS> Reduce;

/* What the threads of a block share */
typedef struct Shared
{
	Reduce::TempStorage reduce;
	long long	bound;
	unsigned long long unit;
	unsigned long long rest;
} Shared;

struct Least
{
	__device__ long long
	operator()(long long a, long long b) const
	{
		return a < b ? a : b;
	}
};

struct Greatest
{
	__device__ long long
	operator()(long long a, long long b) const
	{
		return a > b ? a : b;
	}
};

/* The block's, in all of its threads */
template <typename Op>
static __device__ long long
block_bound(Shared &shared, long long mine, Op op)
{
	const long long bound = Reduce(shared.reduce).Reduce(mine, op);

	if (threadIdx.x == 0)
		shared.bound = bound;
	__syncthreads();
	const long long all = shared.bound;

	__syncthreads();
	return all;
}

/* Of a word's positions those that have a value and are read */
static __device__ __forceinline__ uint32_t
word_values(const Packing &p, uint32_t word)
{
	const GpuAggStripeInput &live = p.live;
	const int64_t left = (int64_t) live.positions - (int64_t) word * 32;

	return left <= 0 ? 0 : live.valid[word] & word_bits(0, left) & ~p.column.nulls[word] &
		listed_bits(live, word);
}

/* A thread's values, which lie THREADS positions apart, and which of them there are */
static __device__ uint32_t
values_read(const Packing &p, uint32_t block, int64_t *values)
{
	uint32_t	there = 0;

	#pragma unroll
	for (uint32_t i = 0; i < VALUES; i++)
	{
		const uint32_t at = block * GPUAGG_MINIBLOCK + i * THREADS + threadIdx.x;

		values[i] = 0;
		if (!(word_values(p, at / 32) >> (at % 32) & 1))
			continue;
		there |= 1u << i;
		values[i] = gpuagg_card_value(p.column.values, NULL, p.column.bytes, at);
	}
	return there;
}

/* Doubles become integers, if all are decimals of so many digits. */
static __device__ bool
to_decimals(int64_t *values, uint32_t there, uint32_t digits)
{
	const double power = gpuagg_decimal_power(digits);
	int64_t		integers[VALUES];
	bool		all = true;

	#pragma unroll
	for (uint32_t i = 0; i < VALUES; i++)
		if (there >> i & 1)
			all = all && gpuagg_decimal_encode(values[i], power, &integers[i]);
	if (!__syncthreads_and(all))
		return false;
	#pragma unroll
	for (uint32_t i = 0; i < VALUES; i++)
		if (there >> i & 1)
			values[i] = integers[i];
	return true;
}

static __device__ uint8_t
decimal_digits(int64_t *values, uint32_t there)
{
	for (uint8_t digits = 0; digits <= GPUAGG_DECIMAL_DIGITS; digits++)
		if (to_decimals(values, there, digits))
			return digits;
	return GPUAGG_NOT_DECIMAL;
}

/*
 * What all distances from the least value are multiples of: the greatest distance is one, and as
 * long as some distance is none, some such rest is a divisor's.
 */
static __device__ uint64_t
unit_of(Shared &shared, const int64_t *values, uint32_t there, int64_t low, uint64_t most)
{
	uint64_t	unit = most;

	while (unit > 1)
	{
		unsigned long long rest = 0;

		#pragma unroll
		for (uint32_t i = 0; i < VALUES; i++)
			if (there >> i & 1)
				rest |= rest == 0 ? ((uint64_t) values[i] - (uint64_t) low) % unit : 0;
		if (threadIdx.x == 0)
			shared.rest = 0;
		if (!__syncthreads_or(rest != 0))
			break;
		atomicMax(&shared.rest, rest);
		__syncthreads();
		if (threadIdx.x == 0)
			shared.unit = gpuagg_common_divisor(unit, shared.rest);
		__syncthreads();
		unit = shared.unit;
		__syncthreads();
	}
	while (unit >= UNIT_LIMIT && unit % 2 == 0)
		unit /= 2;
	return unit < UNIT_LIMIT ? unit : 1;
}

static __device__ __forceinline__ uint32_t
bits_of(uint64_t most)
{
	return 64 - (uint32_t) __clzll((long long) most);
}

static __global__ void
__launch_bounds__(THREADS) choose_kernel(const __grid_constant__ Packing p, GpuAggMiniblock *blocks)
{
	__shared__ Shared shared;
	const uint32_t full = 8 * p.column.bytes;
	int64_t		values[VALUES];
	const uint32_t there = values_read(p, blockIdx.x, values);
	long long	low = INT64_MAX;
	long long	high = INT64_MIN;
	GpuAggMiniblock b = {};

	b.unit = 1;
	b.digits = GPUAGG_NOT_DECIMAL;
	if (__syncthreads_or(there != 0))
	{
		if (p.column.f64)
			b.digits = decimal_digits(values, there);
		#pragma unroll
		for (uint32_t i = 0; i < VALUES; i++)
			if (there >> i & 1)
			{
				low = Least()(low, values[i]);
				high = Greatest()(high, values[i]);
			}
		low = block_bound(shared, low, Least());
		high = block_bound(shared, high, Greatest());
		const uint64_t most = (uint64_t) high - (uint64_t) low;

		if (b.digits == GPUAGG_NOT_DECIMAL && bits_of(most) > GPUAGG_UNIT_WIDTH)
			b.unit = unit_of(shared, values, there, low, most);
		if (bits_of(most / b.unit) > 32)
			b.unit = 1;
		b.width = gpuagg_quad_width(bits_of(most / b.unit), full);
		b.base = low;
		if (b.width == full)
		{
			b.base = 0;
			b.unit = 1;
			b.digits = GPUAGG_NOT_DECIMAL;
		}
	}
	if (threadIdx.x == 0)
		blocks[blockIdx.x] = b;
}

/* Bits into words of 32, of which others are written at the same time */
static __device__ __forceinline__ void
put_bits(uint32_t *words, uint32_t at, uint64_t bits)
{
	const uint32_t shift = at % 32;
	const uint64_t low = bits << shift;
	const uint32_t high = shift == 0 ? 0 : (uint32_t) (bits >> (64 - shift));

	words += at / 32;
	if ((uint32_t) low != 0)
		atomicOr(words, (uint32_t) low);
	if (low >> 32 != 0)
		atomicOr(words + 1, (uint32_t) (low >> 32));
	if (high != 0)
		atomicOr(words + 2, high);
}

/* A value as the miniblock stores it */
static __device__ __forceinline__ uint64_t
stored_bits(const GpuAggMiniblock &b, int64_t value, uint32_t full)
{
	int64_t		n = value;

	if (b.digits != GPUAGG_NOT_DECIMAL)
		(void) gpuagg_decimal_encode(value, gpuagg_decimal_power(b.digits), &n);
	const uint64_t distance = (uint64_t) n - (uint64_t) b.base;

	return b.unit > 1 ? distance / b.unit : full == 32 ? (uint32_t) distance : distance;
}

static __global__ void
__launch_bounds__(THREADS)
store_kernel(const __grid_constant__ Packing p, const GpuAggMiniblock *blocks, uint64_t *words)
{
	__shared__ uint32_t halves[HALVES];
	const GpuAggMiniblock b = blocks[blockIdx.x];
	const uint32_t n = b.width * (GPUAGG_MINIBLOCK / 32);
	uint32_t   *to = (uint32_t *) (words + b.word);
	int64_t		values[VALUES];
	const uint32_t there = values_read(p, blockIdx.x, values);

	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
		halves[i] = 0;
	__syncthreads();
	#pragma unroll
	for (uint32_t i = 0; i < VALUES; i++)
		if (b.width > 0 && there >> i & 1)
			put_bits(halves, (i * THREADS + threadIdx.x) * b.width,
					 stored_bits(b, values[i], 8 * p.column.bytes));
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < n; i += THREADS)
		to[i] = halves[i];
}

/* ---------- host ---------- */

/* Memory of the device's, whatever the cache's limit says: it takes the place of more. */
static void *
take(GpuAggDevice *device, size_t bytes, GpuAggError *error)
{
	void	   *p = NULL;

	(void) CUDA_OK(device, cudaMallocFromPoolAsync(&p, bytes, device->pool, device->stripe_stream),
				   error);
	return p;
}

static bool
copy(GpuAggDevice *device, void *to, const void *from, size_t bytes, GpuAggError *error)
{
	return CUDA_OK(device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault,
										   device->stripe_stream), error);
}

/* How all miniblocks are to be stored, here, and whether a value is NULL */
static bool
choose(GpuAggDevice *device, const Packing &p, uint32_t nblocks, GpuAggMiniblock *blocks,
	   uint32_t *has_nulls, GpuAggError *error)
{
	const size_t bytes = nblocks * sizeof(*blocks);
	GpuAggMiniblock *there = (GpuAggMiniblock *) take(device, bytes, error);
	bool		good = there != NULL;

	if (good)
	{
		choose_kernel<<<nblocks, THREADS, 0, device->stripe_stream>>>(p, there);
		good = CUDA_OK(device, cudaGetLastError(), error) &&
			copy(device, blocks, there, bytes, error) &&
			copy(device, has_nulls, p.column.has_nulls, sizeof(*has_nulls), error);
		(void) cudaFreeAsync(there, device->stripe_stream);
	}
	return good && CUDA_OK(device, cudaStreamSynchronize(device->stripe_stream), error);
}

/* Where each miniblock's words begin; how many there are */
static uint64_t
place(GpuAggMiniblock *blocks, uint32_t nblocks)
{
	uint64_t	words = 0;

	for (uint32_t b = 0; b < nblocks; b++)
	{
		blocks[b].word = words;
		words += gpuagg_miniblock_words(&blocks[b]);
	}
	return words;
}

/* The column as it becomes, but for its memory; false: that does not pay. */
static bool
packed_of(const GpuAggStripe *stripe, const GpuAggStored *plain, uint32_t nblocks, uint64_t words,
		  bool has_nulls, GpuAggStored *packed, size_t *values)
{
	const size_t blocks = gpuagg_cuda_align(nblocks * sizeof(GpuAggMiniblock));

	*packed = *plain;
	packed->memory = NULL;
	*values = blocks + (words + SPARE_WORDS) * sizeof(uint64_t);
	packed->memory_bytes = gpuagg_cuda_stored_layout(stripe, *values, has_nulls, packed);
	return gpuagg_pack_pays(packed->memory_bytes, plain->memory_bytes);
}

/* Its memory, written; the stripe's list is as it was. */
static bool
write_packed(GpuAggStripe *stripe, const Packing &p, const GpuAggStored *plain,
			 const GpuAggMiniblock *blocks, uint32_t nblocks, size_t values, GpuAggStored *packed,
			 GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const size_t offset = gpuagg_cuda_align(nblocks * sizeof(*blocks));
	const size_t zones = gpuagg_zones(stripe->positions) * sizeof(GpuAggZone);
	GpuAggMiniblock *there = (GpuAggMiniblock *) packed->memory;

	packed->blocks = there;
	packed->values = packed->memory + offset;
	(void) gpuagg_cuda_stored_layout(stripe, values, packed->nulls != NULL, packed);
	if (!copy(device, there, blocks, nblocks * sizeof(*blocks), error) ||
		!CUDA_OK(device, cudaMemsetAsync(packed->memory + values - SPARE_WORDS * sizeof(uint64_t),
										 0, SPARE_WORDS * sizeof(uint64_t), device->stripe_stream),
				 error) ||
		(packed->nulls != NULL &&
		 !copy(device, packed->nulls, plain->nulls, stripe->room / 8, error)) ||
		!copy(device, packed->has_nulls, plain->has_nulls, sizeof(*plain->has_nulls), error) ||
		!copy(device, packed->zones.there, plain->zones.there, zones, error) ||
		!copy(device, packed->zones.known, plain->zones.known, zones, error))
		return false;
	store_kernel<<<nblocks, THREADS, 0, device->stripe_stream>>>(p, there,
																 (uint64_t *) packed->values);
	return CUDA_OK(device, cudaGetLastError(), error) && gpuagg_cuda_stripe_done(device, error);
}

/* In the place of the plain column, whose memory goes */
static bool
put(GpuAggStripe *stripe, GpuAggStored *plain, const Packing &p, GpuAggMiniblock *blocks,
	uint32_t nblocks, bool has_nulls, GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	const uint64_t words = place(blocks, nblocks);
	GpuAggStored packed;
	size_t		values;

	if (!packed_of(stripe, plain, nblocks, words, has_nulls, &packed, &values))
	{
		plain->unpackable = true;
		return true;
	}
	packed.memory = (char *) take(device, packed.memory_bytes, error);
	if (packed.memory == NULL)
		return false;
	device->stripe_used += packed.memory_bytes;
	if (!write_packed(stripe, p, plain, blocks, nblocks, values, &packed, error))
	{
		gpuagg_cuda_stripe_release(device, packed.memory, packed.memory_bytes);
		return false;
	}
	gpuagg_cuda_stripe_release(device, plain->memory, plain->memory_bytes);
	*plain = packed;
	return true;
}

/* The list of positions, there; NULL: an error */
static GpuAggPositions *
upload(GpuAggDevice *device, const GpuAggPositions *live, uint32_t nlive, GpuAggError *error)
{
	const size_t bytes = (nlive + 1) * sizeof(*live);
	GpuAggPositions *there = (GpuAggPositions *) take(device, bytes, error);

	if (there == NULL || copy(device, there, live, nlive * sizeof(*live), error))
		return there;
	(void) cudaFreeAsync(there, device->stripe_stream);
	return NULL;
}

GpuAggStatus
gpuagg_cuda_pack(GpuAggStripe *stripe, uint32_t attr, const GpuAggPositions *live, uint32_t nlive,
				 GpuAggError *error)
{
	GpuAggDevice *device = stripe->device;
	GpuAggStored *stored = (GpuAggStored *) gpuagg_cuda_stripe_stored(stripe, attr);
	const uint32_t nblocks = gpuagg_miniblocks(stripe->positions);
	GpuAggMiniblock *blocks;
	GpuAggPositions *there;
	uint32_t	has_nulls = 0;
	Packing		p = {};

	memset(error, 0, sizeof(*error));
	if (device->lost)
	{
		*error = device->lost_error;
		return error->status;
	}
	if (stored == NULL || stored->blocks != NULL || stored->unpackable || nblocks == 0)
		return GPUAGG_OK;
	blocks = (GpuAggMiniblock *) malloc(nblocks * sizeof(*blocks));
	if (blocks == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	there = upload(device, live, nlive, error);
	if (there != NULL)
	{
		p.live.valid = stripe->valid;
		p.live.without = there;
		p.live.nwithout = nlive;
		p.live.positions = stripe->positions;
		gpuagg_cuda_stored_column(stored, &p.column);
		if (choose(device, p, nblocks, blocks, &has_nulls, error))
			(void) put(stripe, stored, p, blocks, nblocks, has_nulls != 0, error);
		(void) cudaFreeAsync(there, device->stripe_stream);
	}
	free(blocks);
	return error->status;
}
