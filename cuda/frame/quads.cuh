/*
 * quads.cuh
 *		Columns of stripes as a thread of a query's own kernel reads them: four values at once.
 *
 * A text says of each column whether it is plain, or may be packed (device/ops/packed.h), and is
 * FramePlain or FrameMiniblock then; the same words read both.
 *
 * Loading and unpacking are two steps, that what is loaded may be on its way while the rows before
 * it are at work.  Until it is unpacked, a quad holds the words of 32 bits that its packed values
 * lie in, the first in the lowest bits.  Which width a miniblock has is the same for all lanes.
 *
 * Compiles for the host, too, where the tests compare it with the interpreter.
 */
#ifndef GPUAGG_CUDA_FRAME_QUADS_CUH
#define GPUAGG_CUDA_FRAME_QUADS_CUH

#include "cuda/kernel/card_types.h"

/* Rows of a column that a thread loads at once */
#define GPUAGG_QUAD 4

typedef struct GpuAggQuad32
{
	int32_t		v[GPUAGG_QUAD];
} GpuAggQuad32;

typedef struct GpuAggQuad64
{
	int64_t		v[GPUAGG_QUAD];
} GpuAggQuad64;

typedef struct GpuAggQuadF64
{
	double		v[GPUAGG_QUAD];
} GpuAggQuadF64;

/* Values of a column that is plain in all stripes, from the first position on */
typedef struct FramePlain
{
	const char *values;
} FramePlain;

/* Values of a granule, which does not leave its miniblock */
typedef struct FrameMiniblock
{
	const char *values;
	int64_t		base;
	double		power;			/* of decimals; of others 0 */
	uint32_t	unit;
	uint32_t	width;			/* bits; as many as a plain value's: they are plain */
} FrameMiniblock;

GPUAGG_FN void
frame_open(const GpuAggStripeColumn &column, uint32_t, FramePlain *c)
{
	c->values = column.values;
}

GPUAGG_FN void
frame_open(const GpuAggStripeColumn &column, uint32_t first, FrameMiniblock *c)
{
	c->values = column.values + (uint64_t) first * column.bytes;
	c->width = 8 * column.bytes;
	c->unit = 1;
	c->base = 0;
	c->power = 0;
	if (column.blocks == NULL)
		return;
	const GpuAggMiniblock &b = column.blocks[first / GPUAGG_MINIBLOCK];

	c->values = column.values + b.word * sizeof(uint64_t) + first % GPUAGG_MINIBLOCK / 8 * b.width;
	c->width = b.width;
	c->unit = (uint32_t) b.unit;
	c->base = b.base;
	if (b.digits != GPUAGG_NOT_DECIMAL)
		c->power = gpuagg_decimal_power(b.digits);
}

/* ---------- words ---------- */

/* A position's first bit, from the granule's on */
GPUAGG_FN uint32_t
quad_bit(const FrameMiniblock &c, uint32_t at)
{
	return at % GPUAGG_FRAME_GRANULE * c.width;
}

GPUAGG_FN uint32_t
quad_word(const uint32_t *words, uint32_t i)
{
#ifdef __CUDA_ARCH__
	return __ldg(words + i);
#else
	return words[i];
#endif
}

/* 32 bits of two words, from one that may be the second one's first */
GPUAGG_FN uint32_t
quad_shift(uint32_t low, uint32_t high, uint32_t bits)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_rc(low, high, bits);
#else
	return (uint32_t) (((uint64_t) high << 32 | low) >> bits);
#endif
}

GPUAGG_FN int64_t
quad_pair(uint32_t low, uint32_t high)
{
	return (int64_t) ((uint64_t) high << 32 | low);
}

/* So many words, two of them a value */
template <uint32_t N>
GPUAGG_FN void
quad_pairs(const uint32_t *words, int64_t *v)
{
	for (uint32_t i = 0; i < N; i++)
		v[i] = quad_pair(quad_word(words, 2 * i), quad_word(words, 2 * i + 1));
}

/* Four integers of up to 32 bits that lie in 128, from a bit of the first word on */
GPUAGG_FN void
quad_narrow(const uint32_t *words, uint32_t bit, uint32_t width, uint32_t *n)
{
	const uint32_t mask = (uint32_t) ((UINT64_C(1) << width) - 1);
	uint32_t	a = quad_shift(words[0], words[1], bit);
	uint32_t	b = quad_shift(words[1], words[2], bit);
	uint32_t	c = quad_shift(words[2], words[3], bit);
	const uint32_t d = words[3] >> bit;

	n[0] = a & mask;
	a = quad_shift(a, b, width);
	b = quad_shift(b, c, width);
	c = quad_shift(c, d, width);
	n[1] = a & mask;
	a = quad_shift(a, b, width);
	b = quad_shift(b, c, width);
	n[2] = a & mask;
	n[3] = quad_shift(a, b, width) & mask;
}

/* Four integers of 40, 48 or 56 bits: all words behind the lowest 32 bits move by some bytes. */
GPUAGG_FN void
quad_wide(const uint32_t *words, uint32_t width, int64_t *n)
{
	const uint32_t bits = width - 32;
	const uint32_t mask = (1u << bits) - 1;
	uint32_t	w[8];

	for (uint32_t i = 0; i < 8; i++)
		w[i] = words[i];
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
	{
		n[r] = quad_pair(w[0], w[1] & mask);
		for (uint32_t i = 0; i < 6 - 2 * r; i++)
			w[i] = quad_shift(w[i + 1], w[i + 2], bits);
	}
}

/* ---------- loading ---------- */

#ifdef __CUDA_ARCH__
/* Values are read once: they need not stay in a cache. */
static __device__ __forceinline__ void
quad_read(const char *from, GpuAggQuad32 *q)
{
	const int4	w = __ldcs((const int4 *) from);

	q->v[0] = w.x;
	q->v[1] = w.y;
	q->v[2] = w.z;
	q->v[3] = w.w;
}

static __device__ __forceinline__ void
quad_read(const char *from, GpuAggQuad64 *q)
{
	const longlong2 low = __ldcs((const longlong2 *) from);
	const longlong2 high = __ldcs((const longlong2 *) from + 1);

	q->v[0] = low.x;
	q->v[1] = low.y;
	q->v[2] = high.x;
	q->v[3] = high.y;
}

static __device__ __forceinline__ void
quad_read(const char *from, GpuAggQuadF64 *q)
{
	const double2 low = __ldcs((const double2 *) from);
	const double2 high = __ldcs((const double2 *) from + 1);

	q->v[0] = low.x;
	q->v[1] = low.y;
	q->v[2] = high.x;
	q->v[3] = high.y;
}
#else
template <typename Quad>
static inline GPUAGG_HD void
quad_read(const char *from, Quad *q)
{
	memcpy(q, from, sizeof(*q));
}
#endif

template <typename Quad>
GPUAGG_FN void
quad_load(const FramePlain &c, uint32_t at, Quad *q)
{
	quad_read(c.values + (uint64_t) at * (sizeof(*q) / GPUAGG_QUAD), q);
}

GPUAGG_FN void
quad_load(const FrameMiniblock &c, uint32_t at, GpuAggQuad32 *q)
{
	const char *from = c.values + quad_bit(c, at) / 32 * sizeof(uint32_t);

	if (c.width == 32)
	{
		quad_read(from, q);
		return;
	}
	for (uint32_t i = 0; i < GPUAGG_QUAD; i++)
		q->v[i] = (int32_t) quad_word((const uint32_t *) from, i);
}

/* Values of 8 bytes, or what they are unpacked from */
GPUAGG_FN void
quad_load(const FrameMiniblock &c, uint32_t at, GpuAggQuad64 *q)
{
	const char *from = c.values + quad_bit(c, at) / 32 * sizeof(uint32_t);

	if (c.width == 64)
	{
		quad_read(from, q);
		return;
	}
	quad_pairs<2>((const uint32_t *) from, q->v);
	if (c.width > 32)
		quad_pairs<2>((const uint32_t *) from + 4, q->v + 2);
}

GPUAGG_FN uint64_t
frame_f64_bits(double d)
{
	uint64_t	bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

GPUAGG_FN double
frame_bits_f64(uint64_t bits)
{
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

GPUAGG_FN void
quad_load(const FrameMiniblock &c, uint32_t at, GpuAggQuadF64 *q)
{
	GpuAggQuad64 bits;

	quad_load(c, at, &bits);
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		q->v[r] = frame_bits_f64((uint64_t) bits.v[r]);
}

/* ---------- unpacking ---------- */

template <typename Quad>
GPUAGG_FN void
quad_unpack(const FramePlain &, uint32_t, Quad *)
{
}

GPUAGG_FN void
quad_unpack(const FrameMiniblock &c, uint32_t at, GpuAggQuad32 *q)
{
	uint32_t	words[GPUAGG_QUAD];
	uint32_t	n[GPUAGG_QUAD];

	if (c.width == 32)
		return;
	for (uint32_t i = 0; i < GPUAGG_QUAD; i++)
		words[i] = (uint32_t) q->v[i];
	quad_narrow(words, quad_bit(c, at) % 32, c.width, n);
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		q->v[r] = (int32_t) ((uint32_t) c.base + n[r] * c.unit);
}

GPUAGG_FN void
quad_unpack(const FrameMiniblock &c, uint32_t at, GpuAggQuad64 *q)
{
	uint32_t	words[2 * GPUAGG_QUAD];

	if (c.width == 64)
		return;
	for (uint32_t i = 0; i < GPUAGG_QUAD; i++)
	{
		words[2 * i] = (uint32_t) q->v[i];
		words[2 * i + 1] = (uint32_t) ((uint64_t) q->v[i] >> 32);
	}
	if (c.width > 32)
	{
		quad_wide(words, c.width, q->v);
		for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
			q->v[r] = (int64_t) ((uint64_t) c.base + (uint64_t) q->v[r]);
	}
	else
	{
		uint32_t	n[GPUAGG_QUAD];

		quad_narrow(words, quad_bit(c, at) % 32, c.width, n);
		for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
			q->v[r] = (int64_t) ((uint64_t) c.base + (uint64_t) n[r] * c.unit);
	}
}

GPUAGG_FN void
quad_unpack(const FrameMiniblock &c, uint32_t at, GpuAggQuadF64 *q)
{
	GpuAggQuad64 bits;

	if (c.width == 64)
		return;
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		bits.v[r] = (int64_t) frame_f64_bits(q->v[r]);
	quad_unpack(c, at, &bits);
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++)
		q->v[r] = frame_bits_f64((uint64_t) (c.power != 0 ?
											 gpuagg_decimal_decode(bits.v[r], c.power) :
											 bits.v[r]));
}

/* ---------- what of four rows one has ---------- */

GPUAGG_FN uint32_t
quad_nulls(const FramePlain &, const uint32_t *nulls, uint32_t at)
{
	return nulls[at / 32] >> (at % 32) & 0xF;
}

GPUAGG_FN uint32_t
quad_nulls(const FrameMiniblock &, const uint32_t *nulls, uint32_t at)
{
	return gpuagg_card_nulls(nulls, at / 32) >> (at % 32) & 0xF;
}

/* One of four that are registers, which cannot be indexed */
template <typename V>
GPUAGG_FN V
quad_at(const V *v, uint32_t r)
{
	return r & 2 ? (r & 1 ? v[3] : v[2]) : (r & 1 ? v[1] : v[0]);
}

template <typename V>
GPUAGG_FN void
quad_put(V *v, uint32_t r, V x)
{
	for (uint32_t i = 0; i < GPUAGG_QUAD; i++)
		v[i] = i == r ? x : v[i];
}

#endif							/* GPUAGG_CUDA_FRAME_QUADS_CUH */
