/*
 * rearrange.cu
 *		Rows of stripes, copied into another in another order.
 *
 * A block of threads copies one range, a warp 32 positions that share a word of the new stripe's
 * bitmaps, and so a zone; one launch a column, and one for which rows there are.  Nobody else knows
 * the new stripe yet; at the ends of ranges two warps write one word.
 *
 * All of it is in the stripe stream: behind what was done to stripes, before what will be.  What
 * was decoded into the others is complete, as far as anybody may use it.
 */
#include <stdlib.h>

#include "cuda/columns/warp_bounds.h"

#define THREADS 128
#define BLOCKS_PER_SM 16

/* Stripes that are read by one call, at most */
#define SOURCES 16

typedef struct Piece
{
	uint32_t	source;
	uint32_t	from;
	uint32_t	to;
	uint32_t	count;
} Piece;

/* What of a stripe a launch reads; values NULL: which rows there are, or it has no such column */
typedef struct Source
{
	const char *values;
	const GpuAggMiniblock *blocks;
	const uint32_t *nulls;
	const uint32_t *valid;
} Source;

/* What it writes: a column, or, with values NULL, which rows there are */
typedef struct Target
{
	char	   *values;
	uint32_t   *bits;			/* NULLs, or rows */
	uint32_t   *has_nulls;
	GpuAggZone *zones;
	uint32_t	bytes;			/* of a value */
	bool		f64;
	Source		sources[SOURCES];
} Target;

static __device__ __forceinline__ bool
bit_at(const uint32_t *bits, uint32_t i)
{
	return bits[i / 32] >> i % 32 & 1;
}

/* A value, copied; as zones order it */
static __device__ __forceinline__ int64_t
copy_value(const Target &target, const Source &source, uint32_t from, uint32_t to)
{
	const int64_t v = gpuagg_card_value(source.values, source.blocks, target.bytes, from);

	if (target.bytes == 4)
		((int32_t *) target.values)[to] = (int32_t) v;
	else
		((int64_t *) target.values)[to] = v;
	return gpuagg_zone_image(v, target.bytes, target.f64);
}

/* 32 positions of a piece, from one that begins a word; all lanes call it. */
static __device__ __forceinline__ void
copy_word(const Target &target, const Piece &piece, uint32_t first)
{
	const Source &source = target.sources[piece.source];
	const uint32_t to = first + threadIdx.x % GPUAGG_WARP_LANES;
	const bool	inside = to >= piece.to && to < piece.to + piece.count;
	const uint32_t from = piece.from + (to - piece.to);
	const bool	valid = inside && bit_at(source.valid, from);
	const bool	null = valid && source.nulls != NULL && bit_at(source.nulls, from);
	const bool	value = valid && source.values != NULL && !null;
	const uint32_t bits = __ballot_sync(0xFFFFFFFFu, target.values != NULL ? null : valid);
	GpuAggZone *zone = &target.zones[first / GPUAGG_ZONE];
	long long	low;
	long long	high;

	if (target.values != NULL)
	{
		gpuagg_warp_bounds(value, value ? copy_value(target, source, from, to) : 0, &low,
						   &high);
		if (threadIdx.x % GPUAGG_WARP_LANES == 0)
			gpuagg_zone_widen(zone, low, high);
		if (null)
			*target.has_nulls = 1;
	}
	if (threadIdx.x % GPUAGG_WARP_LANES != 0 || bits == 0)
		return;
	atomicOr(&target.bits[first / 32], bits);
	atomicAdd((unsigned long long *) &zone->count, (unsigned long long) __popc(bits));
}

static __global__ void
__launch_bounds__(THREADS)
rearrange_kernel(const Piece *pieces, uint32_t npieces, const Target target)
{
	for (uint32_t i = blockIdx.x; i < npieces; i += gridDim.x)
	{
		const Piece piece = pieces[i];

		for (uint32_t first = (piece.to / 32 + threadIdx.x / GPUAGG_WARP_LANES) * 32;
			 first < piece.to + piece.count; first += THREADS)
			copy_word(target, piece, first);
	}
}

/* ---------- host ---------- */

/* Into pieces, and the stripes that they are of; how many positions.  0 stripes: too many. */
static uint32_t
pieces_of(const GpuAggStripeRange *ranges, uint32_t nranges, Piece *pieces,
		  const GpuAggStripe **stripes, uint32_t *nstripes)
{
	uint32_t	at = 0;

	*nstripes = 0;
	for (uint32_t i = 0; i < nranges; i++)
	{
		uint32_t	s = 0;

		while (s < *nstripes && stripes[s] != ranges[i].stripe)
			s++;
		if (s == SOURCES)
		{
			*nstripes = 0;
			return 0;
		}
		if (s == *nstripes)
			stripes[(*nstripes)++] = ranges[i].stripe;
		pieces[i].source = s;
		pieces[i].from = ranges[i].positions.first;
		pieces[i].to = at;
		pieces[i].count = ranges[i].positions.count;
		at += pieces[i].count;
	}
	return at;
}

/* Which rows there are, or, with stored, a column of theirs */
static Target
target_of(const GpuAggStripe *to, const GpuAggStored *stored, const GpuAggStripe *const *stripes,
		  uint32_t nstripes)
{
	Target		target = {};

	target.bits = stored == NULL ? to->valid : stored->nulls;
	target.zones = stored == NULL ? to->zones.there : stored->zones.there;
	if (stored != NULL)
	{
		target.values = stored->values;
		target.has_nulls = stored->has_nulls;
		target.bytes = stored->bytes;
		target.f64 = gpuagg_key_class(stored->type) == GPUAGG_CLASS_F64;
	}
	for (uint32_t s = 0; s < nstripes; s++)
	{
		const GpuAggStored *from = stored == NULL ? NULL :
			gpuagg_cuda_stripe_stored(stripes[s], stored->attr);

		target.sources[s].valid = stripes[s]->valid;
		if (from == NULL)
			continue;
		target.sources[s].values = from->values;
		target.sources[s].blocks = from->blocks;
		target.sources[s].nulls = from->nulls;
	}
	return target;
}

static bool
launch(const GpuAggStripe *to, const Piece *pieces, uint32_t npieces, const Target &target,
	   GpuAggError *error)
{
	GpuAggDevice *device = to->device;
	const uint32_t most = (uint32_t) device->sms * BLOCKS_PER_SM;

	rearrange_kernel<<<npieces < most ? npieces : most, THREADS, 0, device->stripe_stream>>>(
		pieces, npieces, target);
	return CUDA_OK(device, cudaGetLastError(), error);
}

/* Zones are to be asked for anew: kernels have told of nothing. */
static void
zones_unknown(GpuAggStripe *to, uint32_t positions)
{
	gpuagg_cuda_stripe_extend(to, positions);
	for (uint32_t c = 0; c < to->ncolumns; c++)
		to->columns[c].zones.heard = UINT64_MAX;
}

static bool
copy_all(GpuAggStripe *to, const Piece *pieces, uint32_t npieces,
		 const GpuAggStripe *const *stripes, uint32_t nstripes, GpuAggError *error)
{
	bool		good = launch(to, pieces, npieces, target_of(to, NULL, stripes, nstripes), error);

	for (uint32_t c = 0; good && c < to->ncolumns; c++)
		good = launch(to, pieces, npieces, target_of(to, &to->columns[c], stripes, nstripes),
					  error);
	return good;
}

GpuAggStatus
gpuagg_cuda_rearrange(GpuAggStripe *to, const GpuAggStripeRange *ranges, uint32_t nranges,
					  GpuAggError *error)
{
	GpuAggDevice *device = to->device;
	const size_t bytes = nranges * sizeof(Piece);
	const GpuAggStripe *stripes[SOURCES];
	Piece	   *pieces = (Piece *) malloc(bytes + 1);
	void	   *there = NULL;
	uint32_t	nstripes;
	uint32_t	positions;

	memset(error, 0, sizeof(*error));
	if (pieces == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	positions = pieces_of(ranges, nranges, pieces, stripes, &nstripes);
	if (nranges > 0 && nstripes == 0)
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "more than %d stripes", SOURCES);
	else if (nranges > 0 &&
			 CUDA_OK(device, cudaMallocFromPoolAsync(&there, bytes, device->pool,
													 device->stripe_stream), error))
	{
		if (CUDA_OK(device, cudaMemcpyAsync(there, pieces, bytes, cudaMemcpyHostToDevice,
											device->stripe_stream), error) &&
			copy_all(to, (const Piece *) there, nranges, stripes, nstripes, error) &&
			gpuagg_cuda_stripe_done(device, error))
			zones_unknown(to, positions);
		(void) cudaFreeAsync(there, device->stripe_stream);
	}
	free(pieces);
	return error->status;
}
