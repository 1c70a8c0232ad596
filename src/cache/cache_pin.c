/*
 * cache_pin.c
 *		Columns that others do not displace (cache_pin.h).
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "cache/cache_pin.h"
#include "ipc/pins_shared.h"
#include "utils/memutils.h"

/* The list as it was after so many changes; no list was looked at yet: NULL */
static GpuAggPin *pins = NULL;
static uint32 npins = 0;
static uint32 seen = 0;

static uint64 secured = 0;		/* bytes */

bool
gpuagg_cache_is_pinned(const GpuAggCacheTable *table, uint32 attr)
{
	const GpuAggPin pin = {table->dbid, table->relid, (AttrNumber) (attr + 1)};

	return npins > 0 && attr != GPUAGG_CACHE_ROWS && gpuagg_pins_have(pins, npins, &pin);
}

bool
gpuagg_cache_would_secure(const GpuAggCacheColumn *column, uint64 bytes)
{
	return column->pinned && secured + bytes <= gpuagg_cache_limit() / GPUAGG_PINNED_PART;
}

void
gpuagg_cache_release(GpuAggCacheFill *fill)
{
	secured -= fill->secured;
	fill->secured = 0;
}

bool
gpuagg_cache_secure(GpuAggCacheFill *fill, uint64 bytes)
{
	gpuagg_cache_release(fill);
	if (!gpuagg_cache_would_secure(fill->column, bytes))
		return false;
	fill->secured = bytes;
	secured += bytes;
	return true;
}

bool
gpuagg_cache_pins_renew(void)
{
	uint32		changes = gpuagg_pins_changes();
	MemoryContext before;

	if (changes == seen)
		return false;
	seen = changes;
	if (pins != NULL)
		pfree(pins);
	pins = NULL;
	npins = 0;
	before = MemoryContextSwitchTo(TopMemoryContext);
	npins = gpuagg_pins_copy(&pins);
	MemoryContextSwitchTo(before);
	return true;
}
