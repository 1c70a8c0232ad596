/*
 * cache_rest.c
 *		What of the column cache nobody uses, in the order in which it goes (cache_rest.h).
 */
#include "postgres.h"

#include "cache/cache_rest.h"

/* Columns of extents that nobody uses: that of least priority is the first. */
static int
queue_compare(const pairingheap_node *a, const pairingheap_node *b, void *unused)
{
	double		x = pairingheap_const_container(GpuAggCacheFill, queue, a)->priority;
	double		y = pairingheap_const_container(GpuAggCacheFill, queue, b)->priority;

	return x < y ? 1 : x > y ? -1 : 0;
}

static pairingheap queue = {.ph_compare = queue_compare};

/* Extents to be packed: the first has waited longest. */
static dlist_head pack_waiting = DLIST_STATIC_INIT(pack_waiting);

/* Of which nothing is held and no job knows: the first has been so for the longest time. */
static dlist_head empty_tables = DLIST_STATIC_INIT(empty_tables);

void
gpuagg_cache_extent_rest(GpuAggCacheExtent *extent)
{
	if (!gpuagg_cache_is_idle(extent))
		return;
	for (int i = 0; i < extent->nfills; i++)
	{
		GpuAggCacheFill *fill = extent->fills[i];

		if (fill->queued)
			continue;
		pairingheap_add(&queue, &fill->queue);
		fill->queued = true;
	}
}

void
gpuagg_cache_extent_wake(GpuAggCacheExtent *extent)
{
	for (int i = 0; i < extent->nfills; i++)
		gpuagg_cache_fill_gone(extent->fills[i]);
}

void
gpuagg_cache_fill_gone(GpuAggCacheFill *fill)
{
	if (fill->queued)
		pairingheap_remove(&queue, &fill->queue);
	fill->queued = false;
}

void
gpuagg_cache_pack_wait(GpuAggCacheExtent *extent)
{
	gpuagg_cache_pack_never(extent);
	dlist_push_tail(&pack_waiting, &extent->packing.node);
	extent->packing.waits = true;
}

void
gpuagg_cache_pack_never(GpuAggCacheExtent *extent)
{
	if (extent->packing.waits)
		dlist_delete(&extent->packing.node);
	extent->packing.waits = false;
}

dlist_head *
gpuagg_cache_pack_waiting(void)
{
	return &pack_waiting;
}

void
gpuagg_cache_table_rest(GpuAggCacheTable *table)
{
	if (table->is_empty || table->jobs > 0 || table->nheld > 0)
		return;
	dlist_push_tail(&empty_tables, &table->empty);
	table->is_empty = true;
}

void
gpuagg_cache_table_wake(GpuAggCacheTable *table)
{
	if (table->is_empty)
		dlist_delete(&table->empty);
	table->is_empty = false;
}

GpuAggCacheFill *
gpuagg_cache_least_fill(void)
{
	return pairingheap_is_empty(&queue) ? NULL :
		pairingheap_container(GpuAggCacheFill, queue, pairingheap_first(&queue));
}

GpuAggCacheTable *
gpuagg_cache_oldest_empty(void)
{
	return dlist_is_empty(&empty_tables) ? NULL :
		dlist_head_element(GpuAggCacheTable, empty, &empty_tables);
}
