/*
 * regroup.c
 *		How values of an ordered-set aggregate are sorted, for the planner and the node.
 */
#include "postgres.h"

#include "catalog/pg_type_d.h"
#include "planner/plan/regroup.h"
#include "utils/typcache.h"

/* Numbers, dates and moments in their usual order, this way or the other way round */
bool
gpuagg_regroup_has_words(const GpuAggRegroupSort *sort, int64 *inverted)
{
	TypeCacheEntry *type;

	switch (sort->type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			break;
		default:
			return false;
	}
	type = lookup_type_cache(sort->type, TYPECACHE_LT_OPR | TYPECACHE_GT_OPR);
	*inverted = sort->sortop == type->gt_opr ? -1 : 0;
	return sort->sortop == type->lt_opr || sort->sortop == type->gt_opr;
}
