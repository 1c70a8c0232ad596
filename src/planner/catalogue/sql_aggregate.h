/*
 * sql_aggregate.h
 *		The catalogue of PostgreSQL's aggregates: what planning knows of each (aggregates.def).
 *
 * A second table, beside that of functions, because it tells something else: which
 * transitions an aggregate becomes, and how its result is made of their states.
 */
#ifndef GPUAGG_PLANNER_SQL_AGGREGATE_H
#define GPUAGG_PLANNER_SQL_AGGREGATE_H

#include "postgres.h"

#include "utils/fmgroids.h"

/* The row of an aggregate: GPUAGG_AGG_SUM_INT8 */
typedef enum GpuAggAggregateId
{
	GPUAGG_AGG_NONE,
#define AGG(name, ...) GPUAGG_AGG_##name,
#include "planner/catalogue/aggregates.def"
#undef AGG
	GPUAGG_NAGGREGATES
} GpuAggAggregateId;

/* What it is, whatever its argument's type */
typedef enum GpuAggAggregateKind
{
	GPUAGG_KIND_OTHER,
	GPUAGG_KIND_COUNT_ROWS,		/* count(*) */
	GPUAGG_KIND_COUNT,			/* of any type */
	GPUAGG_KIND_SUM,
	GPUAGG_KIND_AVG,
	GPUAGG_KIND_MIN,
	GPUAGG_KIND_MAX,
	GPUAGG_KIND_ANY_VALUE
} GpuAggAggregateKind;

/* Of what its result is made */
typedef enum GpuAggMadeOf
{
	GPUAGG_MADE_OF_NOTHING,		/* that the table says */
	GPUAGG_MADE_OF_STATE,		/* one transition, and a count beside it */
	GPUAGG_MADE_OF_STATISTIC,	/* sums and sums of squares, or moments, as "final" says */
	GPUAGG_MADE_OF_ORDER		/* the values in their order */
} GpuAggMadeOf;

#define GPUAGG_AGGREGATE_ARGS 2

typedef struct GpuAggAggregate
{
	Oid			oid;			/* InvalidOid: none of the catalogue's */
	Oid			result;
	Oid			args[GPUAGG_AGGREGATE_ARGS];
	uint8		nargs;
	uint8		kind;			/* GpuAggAggregateKind */
	uint8		made_of;		/* GpuAggMadeOf */
	uint8		type;			/* STATE, STATISTIC: GpuAggType of the arguments */
	uint8		op;				/* STATE: GpuAggTransOp */
	uint8		final;			/* STATE, STATISTIC: GpuAggFinal */
	uint8		statistic;		/* STATISTIC: GpuAggStatistic */
	uint8		ordered;		/* ORDER: GpuAggOrderedKind */
	bool		many;			/* ORDER: an array of fractions */
	uint8		partial;		/* GpuAggFinal of PostgreSQL's state; 0: not told here */
	uint8		harmless;		/* GpuAggHarmless */
	uint8		digits;			/* GpuAggDigitRule */
} GpuAggAggregate;

/* The row; of an aggregate that the catalogue has not, one without anything.  Never NULL. */
extern const GpuAggAggregate *gpuagg_aggregate(Oid oid);

extern Oid gpuagg_aggregate_oid(GpuAggAggregateId id);

/* count(*), or count of any type? */
extern bool gpuagg_is_count(Oid oid);

#endif							/* GPUAGG_PLANNER_SQL_AGGREGATE_H */
