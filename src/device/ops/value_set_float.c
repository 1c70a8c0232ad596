/*
 * value_set_float.c
 *		Rules of doubles: products, quotients, what rises; and how many values there are
 *		(value_set.h).
 */
#include <float.h>
#include <math.h>

#include "device/ops/value_rules.h"

typedef GpuAggValueSet Set;
__extension__ typedef __int128 Wide;

static double
low_of(const Set *s)
{
	return gpuagg_f64_unorder(s->low);
}

static double
high_of(const Set *s)
{
	return gpuagg_f64_unorder(s->high);
}

static bool
has_zero(const Set *s)
{
	return low_of(s) <= 0 && high_of(s) >= 0;
}

/* The least amount but 0; 0: there is only that */
static double
least_amount(const Set *s)
{
	if (low_of(s) == 0 && high_of(s) == 0)
		return 0;
	return has_zero(s) ? nextafter(0, 1) : fmin(fabs(low_of(s)), fabs(high_of(s)));
}

static double
most_amount(const Set *s)
{
	return fmax(fabs(low_of(s)), fabs(high_of(s)));
}

/* May a result be too small for a number other than 0?  The smallest would be. */
static bool
may_underflow(const GpuAggInstr *ins, bool quotient, const Set *a, const Set *b)
{
	const int64_t smallest[2] = {
		gpuagg_set_image(least_amount(a)),
		gpuagg_set_image(quotient ? most_amount(b) : least_amount(b))
	};
	uint8_t		st;

	(void) gpuagg_set_apply(ins, smallest, &st);
	return GPUAGG_ST_IS_ERROR(st);
}

void
gpuagg_set_float_corners(const GpuAggInstr *ins, bool quotient, const Set *const *args,
						 Set *result)
{
	const Set  *a = args[0];
	const Set  *b = args[1];

	if (quotient && has_zero(b))
	{
		result->may |= GPUAGG_MAY_ERROR;
		if (b->low < b->high)
			gpuagg_set_add_values(result, ins->op);
		return;
	}
	if (may_underflow(ins, quotient, a, b))
		result->may |= GPUAGG_MAY_ERROR;
	for (int i = 0; i < 4; i++)
	{
		const int64_t corner[2] = {i / 2 ? a->high : a->low, i % 2 ? b->high : b->low};
		uint8_t		st;
		const int64_t v = gpuagg_set_apply(ins, corner, &st);

		if (st == GPUAGG_ST_VALUE)
			gpuagg_set_add(result, v);
		else
			result->may |= GPUAGG_MAY_ERROR;
		/* what lies beside one that is too small is next to 0; beside a great one, anything */
		if (st == GPUAGG_ST_FLOAT_UNDERFLOW)
			gpuagg_set_add(result, gpuagg_set_image(0));
		else if (st != GPUAGG_ST_VALUE)
			gpuagg_set_add_values(result, ins->op);
	}
}

Set
gpuagg_set_rising(const Set *a, double (*function) (double))
{
	Set			result = GPUAGG_SET_NOTHING;
	double		low;
	double		high;

	result.may = a->may & (GPUAGG_MAY_NULL | GPUAGG_MAY_ERROR);
	if (!gpuagg_set_may_value(a))
		return result;
	low = function(low_of(a));
	high = function(high_of(a));
	if (isfinite(low) && isfinite(high))
	{
		gpuagg_set_add(&result, gpuagg_set_image(low));
		gpuagg_set_add(&result, gpuagg_set_image(high));
	}
	else
	{
		result.may |= GPUAGG_MAY_ERROR;
		gpuagg_set_add_any(&result);
	}
	return result;
}

double
gpuagg_set_steps(const Set *s, uint32_t cls, double step)
{
	double		width;

	if (!gpuagg_set_may_value(s))
		return 0;
	if (!gpuagg_set_is_bounded(s) || !(step > 0))
		return HUGE_VAL;
	width = cls == GPUAGG_CLASS_F64 ? high_of(s) - low_of(s) : (double) ((Wide) s->high - s->low);
	return isfinite(width) ? floor(width / step + 0.5) + 1 : HUGE_VAL;
}
