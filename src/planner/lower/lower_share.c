/*
 * lower_share.c
 *		Which aggregates of one argument share a state.
 *
 * Equal transitions are kept once (lower_agg.c).  Beyond that one may have all that another
 * has, and serves both where the query asks for both:
 *
 *	aggregate		has its value in the state of			which is
 *	sum(float)		avg(float)								the same sum, whose values have a
 *															limit (device/transition.h)
 *	sum, avg(int4)	variances of it							the same sum with 64 more bits
 *	count(x)		any aggregate of x that evaluates it	rows, where x is never NULL: its
 *															errors are the other's
 *	regr_count		statistics of the same two arguments	N of their moments
 *
 * What might be shared and is not:
 *
 *	- sum and avg of floating point beside a variance: a GPU keeps the sum of moments around
 *	  a value of the group, and loses digits of it where that lies far from the others;
 *	- a variance beside a correlation of its argument: PostgreSQL rounds their squares
 *	  differently;
 *	- count(x) beside a variance of floating point, which counts in a double: LIMIT and
 *	  HAVING want an integer, and a count stands beside any average anyway;
 *	- corr(y, x) beside corr(x, y): the last digits of merged parts differ.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/lower/lower_agg.h"

/* Of the same values, of the same rows? */
static bool
is_beside(const Aggref *agg, const Aggref *other)
{
	return other->aggdistinct == NIL && other->aggorder == NIL &&
		other->aggkind == AGGKIND_NORMAL && equal(other->args, agg->args) &&
		equal(other->aggfilter, agg->aggfilter);
}

/* What an aggregate evaluates its argument for; GPUAGG_NTRANSITIONS: not known */
static uint16
transition_of(const GpuAggLower *lw, const Aggref *agg)
{
	GpuAggStatisticRow statistic;
	GpuAggAggregateRow row;

	if (gpuagg_aggregate(agg->aggfnoid)->statistic == GPUAGG_STATISTIC_REGR_COUNT)
		return GPUAGG_TRANS_COUNT;
	if (gpuagg_lower_statistic_of(lw, agg->aggfnoid, &statistic))
		return statistic.final == GPUAGG_FINAL_VARIANCE ?
			gpuagg_lower_variance_sum(statistic.type) :
			list_length(agg->args) == 2 ? GPUAGG_TRANS_COMOMENTS_F64 :
										  GPUAGG_TRANS_MOMENTS_F64;
	return gpuagg_lower_find_aggregate(agg->aggfnoid, &row) ? row.op : GPUAGG_NTRANSITIONS;
}

/* Has the state of another transition, of the same values, what one has that is wanted? */
static bool
serves(uint16 other, uint16 wanted)
{
	switch (wanted)
	{
		case GPUAGG_TRANS_SUM_F64:
			return other == GPUAGG_TRANS_SUM_F64_AVG;
		case GPUAGG_TRANS_SUM_I64:
			return other == GPUAGG_TRANS_SUM_I128;
		case GPUAGG_TRANS_COUNT:
			return other != GPUAGG_TRANS_COUNT;
		default:
			return other == wanted;
	}
}

uint16
gpuagg_lower_transition_beside(const GpuAggLower *lw, const Aggref *agg, uint16 wanted)
{
	ListCell   *lc;

	foreach(lc, lw->aggs)
	{
		const Aggref *other = lfirst_node(Aggref, lc);
		const uint16 op = transition_of(lw, other);

		if (op != GPUAGG_NTRANSITIONS && serves(op, wanted) && is_beside(agg, other))
			return op;
	}
	return GPUAGG_NTRANSITIONS;
}

uint16
gpuagg_lower_shared_transition(const GpuAggLower *lw, const Aggref *agg, uint16 op)
{
	const uint16 beside = gpuagg_lower_transition_beside(lw, agg, op);

	return op == GPUAGG_TRANS_COUNT || beside == GPUAGG_NTRANSITIONS ? op : beside;
}
