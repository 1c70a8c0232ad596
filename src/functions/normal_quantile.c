/*
 * normal_quantile.c
 *		The standard normal distribution's quantile, for the intervals of
 *		gpuagg.estimate(); PostgreSQL has none before 16, and no inverse after.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

PG_FUNCTION_INFO_V1(gpuagg_normal_quantile);

/* No double p has its quantile beyond that. */
#define BOUND 40.0

/* Halvings until an interval of 2 * BOUND has no double inside */
#define HALVINGS 64

Datum
gpuagg_normal_quantile(PG_FUNCTION_ARGS)
{
	double		p = PG_GETARG_FLOAT8(0);
	double		low = -BOUND;
	double		high = BOUND;

	if (!(p > 0 && p < 1))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a probability must lie between 0 and 1")));
	for (int i = 0; i < HALVINGS; i++)
	{
		double		x = (low + high) / 2;

		if (erfc(-x / M_SQRT2) / 2 < p)
			low = x;
		else
			high = x;
	}
	PG_RETURN_FLOAT8((low + high) / 2);
}
