/*
 * numerics.c
 *		Numerics of integers, of decimals and of averages, made in place.
 *
 * An average is the quotient of a sum and a count, to a scale that PostgreSQL chooses
 * from their first digits (select_div_scale() in its numeric.c).  numeric_div() divides
 * numbers of any length; here long division by a machine word does, which takes a fifth
 * of the time.  Of integers the scale is always a multiple of a digit's four decimals,
 * so rounding looks at the remainder only.
 *
 * The form is that of numerics on disk, "short" (numeric.c): sign, scale and weight in
 * 16 bits, then digits without zeros at either end.
 */
#include "postgres.h"

#include "compat.h"
#include "device/ops/ops_int.h"
#include "fmgr.h"
#include "node/result/numerics.h"
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
#define FORM_MAX_SCALE 63

StaticAssertDecl(offsetof(GpuAggNumeric, form) == VARHDRSZ, "a numeric follows its header");

/* Up to so many digits are copied as so many, which takes no call */
#define FEW_DIGITS 8

/* Digits from the left; those before the first and from n on are not set */
typedef struct Digits
{
	int16		d[GPUAGG_NUMERIC_DIGITS + FEW_DIGITS];
	int			first;
	int			n;
} Digits;

static uint64
magnitude(int64 v)
{
	return v < 0 ? -(uint64) v : (uint64) v;
}

/* The carry's digit, and those of an integer, of which the last has the weight 0 */
static void
put_integer(Digits *x, uint64 v)
{
	int			i = INTEGER_DIGITS;

	for (; v != 0; v /= BASE)
		x->d[i--] = (int16) (v % BASE);
	x->d[i] = 0;
	x->first = i;
	x->n = 1 + INTEGER_DIGITS;
}

/* weight_of_first: of what stands, or would stand, in the place 0 */
static Datum
pack(const Digits *x, int weight_of_first, bool negative, int scale, GpuAggNumeric *room)
{
	int			first = x->first;
	int			end = x->n;
	int			weight = 0;
	Size		bytes;

	while (end > first && x->d[end - 1] == 0)
		end--;
	while (first < end && x->d[first] == 0)
		first++;
	if (first < end)
		weight = weight_of_first - first;
	else
		negative = false;
	room->form = (uint16) (FORM_SHORT | (negative ? FORM_NEGATIVE : 0) |
						   scale << FORM_SCALE_SHIFT | (weight & FORM_WEIGHT_MASK));
	bytes = (end - first) * sizeof(int16);
	if (end - first <= FEW_DIGITS)
		memcpy(room->digits, x->d + first, FEW_DIGITS * sizeof(int16));
	else
		memcpy(room->digits, x->d + first, bytes);
	SET_VARSIZE(room, offsetof(GpuAggNumeric, digits) + bytes);
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

/* Decimals that PostgreSQL gives to a quotient, of a sum's weight and first digit */
static int
quotient_decimals(int weight, uint64 first_sum, uint64 count)
{
	uint64		first_count;

	weight -= weight_of(count, &first_count);
	if (first_sum <= first_count)
		weight--;
	return Max(SIGNIFICANT - weight * DECIMALS, 0);
}

/* Adds to the last digit. */
static void
add_to_last(Digits *x, int16 v)
{
	int			i = x->n - 1;

	for (x->d[i] += v; x->d[i] >= BASE; x->d[i]++)
		x->d[i--] -= BASE;
}

Datum
gpuagg_numeric_average(int64 sum, int64 count, GpuAggNumeric *room)
{
	const uint64 by = (uint64) count;
	uint64		first_sum;
	const int	weight = weight_of(magnitude(sum), &first_sum);
	const int	fraction = quotient_decimals(weight, first_sum, by) / DECIMALS;
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
		add_to_last(&x, 1);
	return pack(&x, INTEGER_DIGITS, sum < 0, fraction * DECIMALS, room);
}

/* Fills x from its end on. */
static void
put_digits(Digits *x, unsigned __int128 v)
{
	int			first = GPUAGG_NUMERIC_DIGITS;
	uint64		low;

	/* machine words as soon as one does */
	for (; (uint64) (v >> 64) != 0; v /= BASE)
		x->d[--first] = (int16) (v % BASE);
	for (low = (uint64) v; low != 0; low /= BASE)
		x->d[--first] = (int16) (low % BASE);
	x->first = first;
	x->n = GPUAGG_NUMERIC_DIGITS;
}

/* An integer divided by 10^scale; returns the place that the point is before. */
static int
put_decimal(Digits *x, uint64 low, int64 high, int scale)
{
	const int	places = (scale + DECIMALS - 1) / DECIMALS;
	unsigned __int128 v = (unsigned __int128) (uint64) high << 64 | low;

	if (high < 0)
		v = -v;
	/* the last digit is whole */
	put_digits(x, v * (uint64) gpuagg_power_of_ten(places * DECIMALS - scale));
	return GPUAGG_NUMERIC_DIGITS - places;
}

Datum
gpuagg_numeric_decimal_datum(uint64 low, int64 high, int scale, int shown,
							 GpuAggNumeric *room)
{
	Digits		x;
	const int	point = put_decimal(&x, low, high, scale);

	if (shown > FORM_MAX_SCALE)
		return DirectFunctionCall2(numeric_round,
								   pack(&x, point - 1, high < 0, scale, room),
								   Int32GetDatum(shown));
	return pack(&x, point - 1, high < 0, shown, room);
}

/* Of a sum that shows so many decimals, and ends with them */
Datum
gpuagg_numeric_decimal_average(uint64 low, int64 high, int scale, int shown, int64 count,
							   GpuAggNumeric *room)
{
	const uint64 by = (uint64) count;
	Digits		sum;
	Digits		x;
	const int	point = put_decimal(&sum, low, high, scale);
	const int	first = sum.first;
	const bool	zero = first == GPUAGG_NUMERIC_DIGITS;
	const int	decimals = Max(shown, zero ? quotient_decimals(0, 0, by) :
							   quotient_decimals(point - 1 - first, sum.d[first], by));
	const int	end = point + (decimals + DECIMALS - 1) / DECIMALS;
	const int	start = Min(first, point);
	const int16 unit = (int16) gpuagg_power_of_ten((end - point) * DECIMALS - decimals);
	uint64		rest = 0;
	bool		up;

	if (by > PG_UINT64_MAX / BASE || decimals > FORM_MAX_SCALE ||
		end - start >= GPUAGG_NUMERIC_DIGITS)
		return DirectFunctionCall2(numeric_div,
								   gpuagg_numeric_decimal_datum(low, high, scale, shown, room),
								   NumericGetDatum(int64_to_numeric(count)));
	/* a carry's */
	x.d[0] = 0;
	x.first = 0;
	x.n = 1;
	for (int i = start; i < end; i++)
	{
		rest = rest * BASE + (i >= first && i < GPUAGG_NUMERIC_DIGITS ? sum.d[i] : 0);
		x.d[x.n++] = (int16) (rest / by);
		rest %= by;
	}
	/* of the last digit, or of the remainder, half or more is rounded up */
	up = unit > 1 ? x.d[x.n - 1] % unit >= unit / 2 : rest >= by - rest;
	x.d[x.n - 1] -= x.d[x.n - 1] % unit;
	if (up)
		add_to_last(&x, unit);
	return pack(&x, point - start, high < 0, decimals, room);
}
