/*
 * filters.c
 *		Filters of look-up tables (filters.h).
 */
#include "postgres.h"

#include "cost/choose.h"
#include "node/lookup/filters.h"
#include "nodes/nodes.h"

/*
 * The share of rows that have one in the table: where a condition asks for that alone, as it
 * was found
 */
static double
found_share(const GpuAggLookupPlan *plan, Oid relid, double pages)
{
	const double one_of = gpuagg_seen_groups_find(relid, &plan->expected.seen, pages);

	if (one_of <= 0)
		return plan->expected.found;
	return plan->join == JOIN_ANTI ? 1 - 1 / one_of : 1 / one_of;
}

uint64
gpuagg_lookup_filters(int device, const GpuAggLookupPlan *plan, Oid relid, double pages, bool made)
{
	const GpuAggProbing probing = {plan->expected.probes, found_share(plan, relid, pages), made};

	return gpuagg_choose_filters(device, &probing, UINT64_MAX);
}
