/*
 * host_draws.c
 *		Random draws from what is resident, on the host device (host_draws.h).
 *
 * The ranges' positions are cut into segments, whose rows are counted once; a
 * row number is looked up among them, and within a segment by counting bits of
 * the stripe's validity.  A morsel's draws are sorted by their rows first:
 * then segments and words come in order, and so do reads of the columns.
 */
#include "host/host_draws.h"
#include "host/host_stripe.h"

#define WORD_BITS 64

/* Digits of the sort */
#define DIGIT_BITS 8
#define DIGITS (1 << DIGIT_BITS)

/* ---------- segments ---------- */

uint32_t
gpuagg_draw_segments(const GpuAggStripeRange *ranges, uint32_t nranges)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nranges; i++)
		n += (ranges[i].positions.count + GPUAGG_DRAW_SEGMENT - 1) / GPUAGG_DRAW_SEGMENT;
	return n;
}

/* Valid ones of up to a word of positions */
static uint64_t
valid_word(const GpuAggStripe *stripe, uint32_t first, uint32_t count)
{
	const uint32_t word = first / WORD_BITS;
	const uint32_t shift = first % WORD_BITS;
	uint64_t	bits = atomic_load_explicit(&stripe->valid[word], memory_order_relaxed) >> shift;

	if (shift + count > WORD_BITS)
		bits |= atomic_load_explicit(&stripe->valid[word + 1], memory_order_relaxed) <<
			(WORD_BITS - shift);
	return count < WORD_BITS ? bits & ((UINT64_C(1) << count) - 1) : bits;
}

static uint32_t
count_rows(const GpuAggStripe *stripe, GpuAggPositions positions)
{
	uint32_t	rows = 0;

	for (uint32_t i = 0; i < positions.count; i += WORD_BITS)
	{
		const uint32_t left = positions.count - i;

		rows += (uint32_t) __builtin_popcountll(valid_word(stripe, positions.first + i,
														   left < WORD_BITS ? left : WORD_BITS));
	}
	return rows;
}

void
gpuagg_draw_index(const GpuAggStripeRange *ranges, uint32_t nranges,
				  GpuAggDrawSegment *segments, GpuAggDrawIndex *index)
{
	uint64_t	row = 0;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nranges; i++)
		for (uint32_t at = 0; at < ranges[i].positions.count; at += GPUAGG_DRAW_SEGMENT)
		{
			const uint32_t left = ranges[i].positions.count - at;
			GpuAggDrawSegment *s = &segments[n++];

			s->stripe = ranges[i].stripe;
			s->positions.first = ranges[i].positions.first + at;
			s->positions.count = left < GPUAGG_DRAW_SEGMENT ? left : GPUAGG_DRAW_SEGMENT;
			s->row = row;
			row += count_rows(s->stripe, s->positions);
		}
	index->segments = segments;
	index->nsegments = n;
	index->draws.rows = row;
}

/* The position of the k-th row of a segment, which has more than k */
static uint32_t
segment_position(const GpuAggDrawSegment *s, uint64_t k)
{
	uint32_t	at = 0;
	uint64_t	bits;

	for (;;)
	{
		const uint32_t left = s->positions.count - at;
		uint32_t	n;

		bits = valid_word(s->stripe, s->positions.first + at, left < WORD_BITS ? left : WORD_BITS);
		n = (uint32_t) __builtin_popcountll(bits);
		if (k < n)
			break;
		k -= n;
		at += WORD_BITS;
	}
	while (k-- > 0)
		bits &= bits - 1;
	return s->positions.first + at + (uint32_t) __builtin_ctzll(bits);
}

/* ---------- draws ---------- */

/* By one digit, from one half of the scratch memory to the other */
static void
sort_digit(const uint64_t *from, uint64_t *to, uint32_t n, uint32_t shift)
{
	uint32_t	start[DIGITS + 1] = {0};

	for (uint32_t i = 0; i < n; i++)
		start[(from[i] >> shift) % DIGITS + 1]++;
	for (int d = 0; d < DIGITS; d++)
		start[d + 1] += start[d];
	for (uint32_t i = 0; i < n; i++)
		to[start[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* The last segment, from `low` on, that begins at this row or before it */
static uint32_t
find_segment(const GpuAggDrawIndex *index, uint32_t low, uint64_t row)
{
	uint32_t	high = index->nsegments;

	while (high - low > 1)
	{
		const uint32_t middle = low + (high - low) / 2;

		if (index->segments[middle].row <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void
gpuagg_draw_begin(GpuAggDrawCursor *cursor, const GpuAggDrawIndex *index, uint64_t first,
				  uint32_t n, uint64_t *scratch)
{
	uint64_t   *from = scratch;
	uint64_t   *to = scratch + n;

	for (uint32_t i = 0; i < n; i++)
		from[i] = gpuagg_draw_row(&index->draws, first + i);
	for (uint32_t shift = 0; shift < WORD_BITS && (index->draws.rows - 1) >> shift != 0;
		 shift += DIGIT_BITS)
	{
		uint64_t   *sorted = to;

		sort_digit(from, to, n, shift);
		to = from;
		from = sorted;
	}
	cursor->index = index;
	cursor->rows = from;
	cursor->n = n;
	cursor->at = 0;
	cursor->segment = 0;
}

bool
gpuagg_draw_next(GpuAggDrawCursor *cursor, GpuAggDrawn *drawn)
{
	const GpuAggDrawSegment *segments = cursor->index->segments;

	drawn->n = 0;
	while (cursor->at < cursor->n && drawn->n < GPUAGG_VECTOR_ROWS)
	{
		const uint64_t row = cursor->rows[cursor->at];
		const GpuAggDrawSegment *s;

		cursor->segment = find_segment(cursor->index, cursor->segment, row);
		s = &segments[cursor->segment];
		if (drawn->n > 0 && s->stripe != drawn->stripe)
			break;
		drawn->stripe = s->stripe;
		drawn->positions[drawn->n++] = segment_position(s, row - s->row);
		cursor->at++;
	}
	return drawn->n > 0;
}
