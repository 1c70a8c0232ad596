/*
 * sql_aggregate.c
 *		The catalogue of PostgreSQL's aggregates (sql_aggregate.h).
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "device/transition.h"
#include "planner/catalogue/aggregates.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/catalogue/sql_function.h"
#include "planner/catalogue/sql_types.h"

#define STATE(register, transition, of) \
	.made_of = GPUAGG_MADE_OF_STATE,.type = GPUAGG_T_##register,.op = GPUAGG_TRANS_##transition, \
	.final = GPUAGG_FINAL_##of
#define STATISTIC_OF(register, which, of) \
	.made_of = GPUAGG_MADE_OF_STATISTIC,.type = GPUAGG_T_##register, \
	.statistic = GPUAGG_STATISTIC_##which,.final = GPUAGG_FINAL_##of
#define VARIANCE(register, which) STATISTIC_OF(register, which, VARIANCE)
#define MOMENTS(register, which) STATISTIC_OF(register, which, MOMENTS)
#define ORDERED(which, is_many) \
	.made_of = GPUAGG_MADE_OF_ORDER,.ordered = GPUAGG_ORDERED_##which,.many = is_many
#define PARTIAL(of) .partial = GPUAGG_FINAL_PARTIAL_##of
#define HARMLESS(when) .harmless = GPUAGG_HARMLESS_##when
#define DIGITS(rule) .digits = GPUAGG_DIGITS_##rule

static const GpuAggAggregate aggregates[GPUAGG_NAGGREGATES] = {
#define AGG(name, types, type, which, ...) \
	[GPUAGG_AGG_##name] = {.oid = F_##name,.result = type##OID, \
		.args = {GPUAGG_SQL_TYPES types},.nargs = GPUAGG_SQL_COUNT types, \
		.kind = GPUAGG_KIND_##which,##__VA_ARGS__},
#include "planner/catalogue/aggregates.def"
#undef AGG
};

static const uint8 row_of[FirstGenbkiObjectId] = {
#define AGG(name, ...) [F_##name] = GPUAGG_AGG_##name,
#include "planner/catalogue/aggregates.def"
#undef AGG
};

const GpuAggAggregate *
gpuagg_aggregate(Oid oid)
{
	StaticAssertDecl(GPUAGG_NAGGREGATES <= PG_UINT8_MAX, "rows have numbers of a byte");

	return &aggregates[oid < lengthof(row_of) ? row_of[oid] : GPUAGG_AGG_NONE];
}

Oid
gpuagg_aggregate_oid(GpuAggAggregateId id)
{
	return aggregates[id].oid;
}

bool
gpuagg_is_count(Oid oid)
{
	const uint8 kind = gpuagg_aggregate(oid)->kind;

	return kind == GPUAGG_KIND_COUNT_ROWS || kind == GPUAGG_KIND_COUNT;
}
