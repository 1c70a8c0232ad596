/*
 * numerics.c
 *		Numerics of integers, of decimals and of averages, made in place.
 *
 * An average is a quotient of two integers, to a scale that PostgreSQL chooses from
 * their first digits (select_div_scale() in its numeric.c).  numeric_div() divides
 * numbers of any length; here long division by a machine word does, which takes a fifth
 * of the time.  The scale is always a multiple of a digit's four decimals, so rounding
 * looks at the remainder only.
 *
 * The form is that of numerics on disk, "short" (numeric.c): sign, scale and weight in
 * 16 bits, then digits without zeros at either end.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "node/numerics.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#define BASE 10000
#define DECIMALS 4				/* of a digit */
#define SIGNIFICANT 16			/* decimals of a quotient, at least */

#define INTEGER_DIGITS 5		/* of 64 bits */
#define FRACTION_DIGITS (GPUAGG_NUMERIC_DIGITS - 1 - INTEGER_DIGITS)

#define FORM_SHORT 0x8000
#define FORM_NEGATIVE 0x2000
#define FORM_SCALE_SHIFT 7
#define FORM_WEIGHT_MASK 0x007F /* with its sign */

StaticAssertDecl(offsetof(GpuAggNumeric, form) == VARHDRSZ, "a numeric follows its header");

/* Digits from the left; the first has the weight INTEGER_DIGITS */
typedef struct Digits
{
	int16		d[GPUAGG_NUMERIC_DIGITS];
	int			n;				/* in use; the others are not set */
} Digits;

static uint64
magnitude(int64 v)
{
	return v < 0 ? -(uint64) v : (uint64) v;
}

/* The carry's digit, and those of an integer */
static void
put_integer(Digits *x, uint64 v)
{
	memset(x->d, 0, (1 + INTEGER_DIGITS) * sizeof(int16));
	for (int i = INTEGER_DIGITS; v != 0; v /= BASE)
		x->d[i--] = (int16) (v % BASE);
	x->n = 1 + INTEGER_DIGITS;
}

static Datum
pack(const Digits *x, int weight_of_first, bool negative, int scale, GpuAggNumeric *room)
{
	int			first = 0;
	int			end = x->n;
	int			weight = 0;

	while (end > 0 && x->d[end - 1] == 0)
		end--;
	while (first < end && x->d[first] == 0)
		first++;
	if (first < end)
		weight = weight_of_first - first;
	else
		negative = false;
	room->form = (uint16) (FORM_SHORT | (negative ? FORM_NEGATIVE : 0) |
						   scale << FORM_SCALE_SHIFT | (weight & FORM_WEIGHT_MASK));
	memcpy(room->digits, x->d + first, (end - first) * sizeof(int16));
	SET_VARSIZE(room, offsetof(GpuAggNumeric, digits) + (end - first) * sizeof(int16));
	return PointerGetDatum(room);
}

Datum
gpuagg_numeric_integer(int64 v, GpuAggNumeric *room)
{
	Digits		x;

	put_integer(&x, magnitude(v));
	return pack(&x, INTEGER_DIGITS, v < 0, 0, room);
}

/* Weight, and first digit, of an integer */
static int
weight_of(uint64 v, uint64 *first)
{
	int			weight = 0;

	for (; v >= BASE; v /= BASE)
		weight++;
	*first = v;
	return weight;
}

/* Digits behind the point that PostgreSQL gives to a quotient */
static int
quotient_digits(uint64 sum, uint64 count)
{
	uint64		first_sum;
	uint64		first_count;
	int			weight = weight_of(sum, &first_sum) - weight_of(count, &first_count);

	if (first_sum <= first_count)
		weight--;
	return Max(SIGNIFICANT / DECIMALS - weight, 0);
}

/* Adds one to the last digit. */
static void
round_up(Digits *x)
{
	int			i = x->n - 1;

	while (x->d[i] == BASE - 1)
		x->d[i--] = 0;
	x->d[i]++;
}

Datum
gpuagg_numeric_average(int64 sum, int64 count, GpuAggNumeric *room)
{
	const uint64 by = (uint64) count;
	const int	fraction = quotient_digits(magnitude(sum), by);
	uint64		rest = magnitude(sum) % by;
	Digits		x;

	if (by > PG_UINT64_MAX / BASE || fraction > FRACTION_DIGITS)
		return DirectFunctionCall2(numeric_div, NumericGetDatum(int64_to_numeric(sum)),
								   NumericGetDatum(int64_to_numeric(count)));
	put_integer(&x, magnitude(sum) / by);
	for (int i = 0; i < fraction && rest != 0; i++)
	{
		rest *= BASE;
		x.d[x.n++] = (int16) (rest / by);
		rest %= by;
	}
	/* rest is left only if all digits were made */
	if (rest >= by - rest)
		round_up(&x);
	return pack(&x, INTEGER_DIGITS, sum < 0, fraction * DECIMALS, room);
}

/* Fills x from its end on; returns where the digits begin. */
static int
put_digits(Digits *x, unsigned __int128 v)
{
	int			first = GPUAGG_NUMERIC_DIGITS;
	uint64		low;

	/* machine words as soon as one does */
	for (; (uint64) (v >> 64) != 0; v /= BASE)
		x->d[--first] = (int16) (v % BASE);
	for (low = (uint64) v; low != 0; low /= BASE)
		x->d[--first] = (int16) (low % BASE);
	x->n = GPUAGG_NUMERIC_DIGITS;
	return first;
}

Datum
gpuagg_numeric_decimal_datum(uint64 low, int64 high, int scale, int shown,
							 GpuAggNumeric *room)
{
	const int	places = (scale + DECIMALS - 1) / DECIMALS;
	unsigned __int128 v = (unsigned __int128) (uint64) high << 64 | low;
	Digits		x;
	int			first;

	if (high < 0)
		v = -v;
	/* the last digit is whole */
	for (int i = scale; i < places * DECIMALS; i++)
		v *= 10;
	first = put_digits(&x, v);
	memset(x.d, 0, first * sizeof(int16));
	return pack(&x, GPUAGG_NUMERIC_DIGITS - 1 - places, high < 0, shown, room);
}
