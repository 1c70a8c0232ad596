/*
 * moments.c
 *		Variances, correlations and the like of moments.
 *
 * PostgreSQL's final functions take an array of float8: three numbers of one argument,
 * six of two, and what compat.h tells of.  It lies on the stack here.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "compat.h"
#include "device/transition.h"
#include "fmgr.h"
#include "node/result/moments.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"

#define MAX_MOMENTS (GPUAGG_MAX_STATE_BYTES / sizeof(float8) + GPUAGG_COMMON_VALUES)

typedef struct MomentsArray
{
	ArrayType	head;
	int32		dims[2];		/* length and lower bound of the one dimension */
	float8		values[MAX_MOMENTS];
} MomentsArray;

StaticAssertDecl(offsetof(MomentsArray, values) == ARR_OVERHEAD_NONULLS(1),
				 "an array's values follow its dimensions");

typedef struct FinalFunction
{
	PGFunction	function;
	int			moments;		/* that it takes */
} FinalFunction;

static const FinalFunction finals[] = {
	[GPUAGG_STATISTIC_VAR_POP] = {float8_var_pop, 3},
	[GPUAGG_STATISTIC_VAR_SAMP] = {float8_var_samp, 3},
	[GPUAGG_STATISTIC_STDDEV_POP] = {float8_stddev_pop, 3},
	[GPUAGG_STATISTIC_STDDEV_SAMP] = {float8_stddev_samp, 3},
	[GPUAGG_STATISTIC_COVAR_POP] = {float8_covar_pop, 6},
	[GPUAGG_STATISTIC_COVAR_SAMP] = {float8_covar_samp, 6},
	[GPUAGG_STATISTIC_CORR] = {float8_corr, 6},
	[GPUAGG_STATISTIC_REGR_COUNT] = {NULL, 6},
	[GPUAGG_STATISTIC_REGR_SXX] = {float8_regr_sxx, 6},
	[GPUAGG_STATISTIC_REGR_SYY] = {float8_regr_syy, 6},
	[GPUAGG_STATISTIC_REGR_SXY] = {float8_regr_sxy, 6},
	[GPUAGG_STATISTIC_REGR_AVGX] = {float8_regr_avgx, 6},
	[GPUAGG_STATISTIC_REGR_AVGY] = {float8_regr_avgy, 6},
	[GPUAGG_STATISTIC_REGR_R2] = {float8_regr_r2, 6},
	[GPUAGG_STATISTIC_REGR_SLOPE] = {float8_regr_slope, 6},
	[GPUAGG_STATISTIC_REGR_INTERCEPT] = {float8_regr_intercept, 6}
};

/*
 * Are squares of deviations no more than what rounding may leave of values that are all the
 * same?  The sum of N of them is off by N times DBL_EPSILON of itself at most, and so is each
 * of the N deviations of it.
 */
static bool
is_rounding(double n, double sum, double squares)
{
	double		off = sum * DBL_EPSILON;

	return squares <= 4 * n * off * off;
}

/*
 * The numbers as PostgreSQL has them; returns how many.  All values are one, the average,
 * where their squares of deviations are no more than rounding makes: where that may be
 * wrong, gpuagg_moments_sure() has said so, but for what merging states of tasks adds.
 */
static int
numbers_of(GpuAggStatistic statistic, const double *state, float8 *numbers)
{
	int			n = finals[statistic].moments;

	memcpy(numbers, state, n * sizeof(float8));
	if (n < 6)
		return n;
	for (int i = 0; i < GPUAGG_COMMON_VALUES; i++)
	{
		const double *one = state + 1 + 2 * i;

		numbers[n++] = is_rounding(state[0], one[0], one[1]) ? one[0] / state[0] : NAN;
	}
	return n;
}

bool
gpuagg_moments_datum(GpuAggStatistic statistic, const double *state, Datum *result)
{
	const FinalFunction *final = &finals[statistic];
	MomentsArray array = {.head = {.ndim = 1,.elemtype = FLOAT8OID}};
	LOCAL_FCINFO(fcinfo, 1);

	if (statistic == GPUAGG_STATISTIC_REGR_COUNT)
	{
		*result = Int64GetDatum((int64) state[0]);
		return true;
	}
	array.dims[0] = numbers_of(statistic, state, array.values);
	array.dims[1] = 1;
	SET_VARSIZE(&array, ARR_OVERHEAD_NONULLS(1) + array.dims[0] * sizeof(float8));
	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = PointerGetDatum(&array);
	fcinfo->args[0].isnull = false;
	*result = final->function(fcinfo);
	return !fcinfo->isnull;
}

Datum
gpuagg_moments_state(GpuAggStatistic statistic, const double *state)
{
	float8		numbers[MAX_MOMENTS];
	Datum		values[MAX_MOMENTS];
	const int	n = numbers_of(statistic, state, numbers);

	for (int i = 0; i < n; i++)
		values[i] = Float8GetDatum(numbers[i]);
	return PointerGetDatum(construct_array(values, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
										   TYPALIGN_DOUBLE));
}

bool
gpuagg_moments_sure(GpuAggStatistic statistic, const double *state)
{
	if (finals[statistic].moments < 6 || statistic == GPUAGG_STATISTIC_REGR_COUNT)
		return true;
	for (int i = 0; i < GPUAGG_COMMON_VALUES; i++)
	{
		const double *one = state + 1 + 2 * i;

		if (one[1] != 0 && is_rounding(state[0], one[0], one[1]))
			return false;
	}
	return true;
}

bool
gpuagg_moments_finite(GpuAggStatistic statistic, const double *state)
{
	bool		finite = true;

	if (statistic == GPUAGG_STATISTIC_REGR_COUNT)
		return true;
	for (int i = 0; i < finals[statistic].moments; i++)
		finite &= isfinite(state[i]) != 0;
	return finite;
}
