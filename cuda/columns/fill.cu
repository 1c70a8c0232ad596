/*
 * fill.cu
 *		Decoded pages into stripes: behind the decoder, before rows are grouped.
 *
 * A warp takes 32 positions that share the words of a stripe's bitmaps.  Only the
 * first and the last word of a page may have bits of another page's, which
 * another warp may be writing, or another task reading; these are changed by
 * atomics, of this page's bits alone.
 *
 * A warp's positions are of one zone (device/stripe.h), which it widens by what it
 * has found in its lanes.
 *
 * Positions of a page behind its lines become invalid, too.
 *
 * Beside tasks that read other columns of a page's rows, only bits of rows are changed, and
 * which rows there are is not written.  To a column that others read come the values that
 * it has.
 */
#include "cuda/columns/warp_bounds.h"

#define FILL_THREADS 256

/* What was done to a zone before is there for whoever hears of it. */
static __device__ __forceinline__ void
tell(unsigned long long *told, unsigned long long number)
{
	__threadfence_system();
	*(volatile unsigned long long *) told = number;
}

/*
 * Bits of the lanes that have a position of the page; zone counts those that are
 * set.  Returns whether that count has changed, in the first lane.  All lanes call it.
 */
static __device__ __forceinline__ bool
put_bits(uint32_t *word, uint32_t mine, bool bit, GpuAggZone *zone)
{
	const uint32_t bits = __ballot_sync(0xFFFFFFFFu, bit) & mine;
	uint32_t	old = 0;
	int			more;

	if (threadIdx.x % GPUAGG_WARP_LANES != 0)
		return false;
	if (mine == 0xFFFFFFFFu)
	{
		old = atomicExch(word, bits);
	}
	else
	{
		if (bits != mine)
			old = atomicAnd(word, ~mine | bits);
		if (bits != 0)
			old |= atomicOr(word, bits);
	}
	more = __popc(bits) - __popc(old & mine);
	if (more != 0)
		atomicAdd((unsigned long long *) &zone->count, (unsigned long long) (long long) more);
	return more != 0;
}

/*
 * The zone has these values, too.  Returns whether one lies outside of what the host knows,
 * whoever has widened it, in the first lane.  All lanes call it.
 */
static __device__ __forceinline__ bool
widen_zone(GpuAggZone *zone, const volatile GpuAggZone *known, bool is_value, int64_t v)
{
	long long	low;
	long long	high;

	gpuagg_warp_bounds(is_value, v, &low, &high);
	if (threadIdx.x % GPUAGG_WARP_LANES != 0)
		return false;
	gpuagg_zone_widen(zone, low, high);
	return low < known->low || high > known->high;
}

/* Has the dictionary of each string of a row taken it? */
static __device__ bool
has_codes(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
		  const GpuAggDecodedBatch &decoded, uint32_t row)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
		if (prepared->code_words[c] != GPUAGG_NO_REG &&
			decoded.states[(uint64_t) c * decoded.nrows + row] == GPUAGG_ST_VALUE &&
			(int32_t) decoded.words[(uint64_t) prepared->code_words[c] * decoded.nrows + row] ==
				GPUAGG_NO_CODE)
			return false;
	return true;
}

/* The values of a lane's row; all lanes call it. */
static __device__ void
fill_columns(const GpuAggCudaPrepared *prepared, const GpuAggProgram *p,
			 const GpuAggDecodedBatch &decoded, const GpuAggStripeColumn *columns,
			 uint64_t there, uint32_t position, uint32_t row, uint32_t mine, bool valid)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		if (!gpuagg_page_brings(there, c))
			continue;
		const GpuAggStripeColumn column = columns[c];
		const uint32_t first = prepared->code_words[c] != GPUAGG_NO_REG ? prepared->code_words[c] :
			prepared->column_words[c];
		const uint64_t *words = decoded.words + (uint64_t) first * decoded.nrows;
		const bool	null = valid &&
			decoded.states[(uint64_t) c * decoded.nrows + row] != GPUAGG_ST_VALUE;

		const bool	is_value = valid && !null;
		GpuAggZone *zone = &column.zones[position / GPUAGG_ZONE];
		const int64_t v = is_value ? (int64_t) words[row] : 0;
		bool		changes;

		if (is_value && column.bytes == 4)
			((uint32_t *) column.values)[position] = (uint32_t) v;
		else if (is_value)
			((uint64_t *) column.values)[position] = (uint64_t) v;
		changes = put_bits(&column.nulls[position / 32], mine, null, zone);
		changes |= widen_zone(zone, &column.known[position / GPUAGG_ZONE], is_value,
							  gpuagg_zone_image(v, column.bytes, column.f64));
		if (changes)
			tell(column.told, decoded.fill_number);
		if (null)
			*column.has_nulls = 1;
	}
}

static __global__ void
__launch_bounds__(FILL_THREADS)
fill_pages_kernel(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch decoded)
{
	const GpuAggProgram *p = (const GpuAggProgram *) ((const char *) prepared +
													  prepared->program_off);
	const uint32_t lane = threadIdx.x % GPUAGG_WARP_LANES;

	for (uint32_t i = blockIdx.x; i < decoded.npages; i += gridDim.x)
	{
		const GpuAggPageRef ref = decoded.refs[i];
		const bool	beside = ref.positions == 0;
		const uint32_t lines = ref.position + ref.nlines;
		const uint32_t end = beside ? lines : ref.position + ref.positions;

		if (ref.stripe == 0)
			continue;
		for (uint32_t first = (ref.position / 32 + threadIdx.x / GPUAGG_WARP_LANES) * 32;
			 first < end; first += FILL_THREADS)
		{
			const GpuAggStripeRef stripe = decoded.stripes[ref.stripe - 1];
			const uint32_t position = first + lane;
			const bool	inside = position >= ref.position && position < end;
			const bool	line = inside && position < lines;
			const uint32_t row = line ? ref.row_base + position - ref.position : 0;
			const bool	valid = line && decoded.valid[row] &&
				(!prepared->has_bytes || has_codes(prepared, p, decoded, row));
			const uint32_t mine = __ballot_sync(0xFFFFFFFFu, beside ? valid : inside);

			fill_columns(prepared, p, decoded, stripe.columns, ref.there, position, row, mine,
						 valid);
			if (!beside)
				(void) put_bits(&stripe.valid[first / 32], mine, valid,
								&stripe.zones[first / GPUAGG_ZONE]);
		}
	}
}

void
gpuagg_cuda_fill(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
				 uint32_t blocks, cudaStream_t stream)
{
	if (blocks > decoded->npages)
		blocks = decoded->npages;
	fill_pages_kernel<<<blocks, FILL_THREADS, 0, stream>>>(prepared, *decoded);
}
