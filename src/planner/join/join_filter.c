/*
 * join_filter.c
 *		Filters before the slots of look-up tables (join_filter.h).
 *
 * What one gains is predicted for each number of slots that a table may turn out to have
 * (cost/choose.h); who makes the table goes by the number that it has.  Tables of keys
 * that lie close together have bits instead, which statistics tell of before (table_finder.h).
 */
#include "postgres.h"

#include "cost/choose.h"
#include "cost/profile.h"
#include "device/ops/lookup_make.h"
#include "ipc/shmem.h"
#include "planner/join/join_filter.h"
#include "planner/join/table_finder.h"

void
gpuagg_join_expect_filter(const GpuAggLower *lw, const GpuAggLookupLower *lookup,
						  GpuAggLookupExpected *expected)
{
	const GpuAggRates *rates = &gpuagg_profile_planned()->rates;
	const uint64 slots = gpuagg_lookup_slots((uint64) Min(Max(lookup->rows, 1), 1 << 30));
	const GpuAggProbing probing = {expected->probes, expected->found, lookup->kept};
	double		bytes;
	double		without;

	/* of a subquery, or a helper, no share is known, and columns are not of this query */
	if (lookup->join == NULL ||
		gpuagg_choose_filters(gpuagg_shmem_plan_device(), &probing, slots) == 0 ||
		gpuagg_table_finder(lw->root, lookup, lookup->rows, &bytes) != GPUAGG_FINDER_SLOTS)
		return;
	without = gpuagg_predict_probe(rates, bytes, expected->found, false);
	if (without > 0)
		expected->probe_ns *= gpuagg_predict_probe(rates, bytes, expected->found, true) / without;
}
