/*
 * intervals.c
 *		Intervals and texts of moments (intervals.h).
 *
 * PostgreSQL's own functions divide intervals and make texts.
 */
#include "postgres.h"

#include "device/ops/ops_interval.h"
#include "device/program.h"
#include "node/result/intervals.h"
#include "planner/catalogue/aggregates.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"

/* Texts of to_char have four digits of a year from here to there. */
#define FIRST_YEAR_DAY (date2j(1, 1, 1) - POSTGRES_EPOCH_JDATE)
#define END_YEAR_DAY (date2j(10000, 1, 1) - POSTGRES_EPOCH_JDATE)

/* In the order of GpuAggIntervalSum */
typedef struct IntervalSums
{
	uint64		time;
	int64		time_high;
	uint64		time_guard;
	int64		time_guard_high;
	int64		days;
	int64		days_guard;
	int64		months;
} IntervalSums;

static void
fill(Interval *room, GpuAggInterval from)
{
	room->time = from.time;
	room->day = from.days;
	room->month = from.months;
}

Interval *
gpuagg_interval_fill(uint8 type, int64 v, Interval *room)
{
	if (type == GPUAGG_T_SPAN)
		fill(room, gpuagg_interval_of_span(v));
	else if (type == GPUAGG_T_INTERVAL_CODE)
		fill(room, gpuagg_interval_of_code(v));
	else
		return NULL;
	return room;
}

bool
gpuagg_interval_sums_fit(const char *states, int n)
{
	const IntervalSums *s = (const IntervalSums *) states;

	/* times are not negative: their sum is its own guard */
	if (n == 1)
		return s->time_high == 0 && s->time <= PG_INT64_MAX;
	return s->time_guard_high == 0 && s->time_guard <= PG_INT64_MAX &&
		s->days_guard <= PG_INT32_MAX;
}

Datum
gpuagg_interval_sum(const char *states, int n, Interval *room)
{
	const IntervalSums *s = (const IntervalSums *) states;

	room->time = (int64) s->time;
	room->day = n > GPUAGG_INTERVAL_SUM_DAYS ? (int32) s->days : 0;
	room->month = n > GPUAGG_INTERVAL_SUM_MONTHS ? (int32) s->months : 0;
	return IntervalPGetDatum(room);
}

Datum
gpuagg_interval_average(const char *states, int n, int64 count, Interval *room)
{
	return DirectFunctionCall2(interval_div, gpuagg_interval_sum(states, n, room),
							   Float8GetDatum((float8) count));
}

void
gpuagg_text_form(GpuAggTextForm *form, const Expr *to_char, bool date)
{
	const FuncExpr *call = castNode(FuncExpr, unconstify(Expr *, to_char));

	form->pattern = lsecond_node(Const, call->args)->constvalue;
	form->collation = call->inputcollid;
	form->date = date;
}

bool
gpuagg_text_is_distinct(const GpuAggTextForm *form, const char *slot)
{
	int64		v;

	if (form->date)
		return *(const int32 *) slot >= FIRST_YEAR_DAY && *(const int32 *) slot < END_YEAR_DAY;
	v = *(const int64 *) slot;
	return v >= FIRST_YEAR_DAY * USECS_PER_DAY && v < END_YEAR_DAY * USECS_PER_DAY;
}

Datum
gpuagg_text_of_key(const GpuAggTextForm *form, const char *slot)
{
	Timestamp	moment = form->date ? *(const int32 *) slot * USECS_PER_DAY :
		*(const int64 *) slot;

	return DirectFunctionCall2Coll(timestamp_to_char, form->collation,
								   TimestampGetDatum(moment), form->pattern);
}
