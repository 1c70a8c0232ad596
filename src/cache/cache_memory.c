/*
 * cache_memory.c
 *		What the column cache may take and takes (cache_memory.h).
 *
 * What is counted of the directory is what the allocator takes for it, with its
 * own heads and rounding.
 */
#include "postgres.h"

#include "cache/cache_memory.h"
#include "utils/memutils.h"

static const GpuAggStripeOps *cache_ops = NULL;
static GpuAggDevice *cache_device = NULL;
static int	cache_at = 0;
static MemoryContext cache_context = NULL;
static uint64 cache_limit = 0;	/* bytes */
static uint64 directory_bytes = 0;

const GpuAggStripeOps *
gpuagg_cache_stripe_ops(void)
{
	return cache_ops;
}

GpuAggDevice *
gpuagg_cache_device(void)
{
	return cache_device;
}

/* What the directory leaves is the device's. */
static void
tell_device(void)
{
	if (gpuagg_cache_stripe_ops() != NULL)
		gpuagg_cache_stripe_ops()->limit(cache_device,
									   cache_limit - Min(cache_limit, directory_bytes));
}

void
gpuagg_cache_set_device(int at, const GpuAggStripeOps *ops, GpuAggDevice *device,
						uint64 bytes)
{
	cache_at = at;
	cache_ops = ops;
	cache_device = device;
	cache_limit = gpuagg_cache_stripe_ops() != NULL ? bytes : 0;
	tell_device();
}

int
gpuagg_cache_at(void)
{
	return cache_at;
}

uint64
gpuagg_cache_limit(void)
{
	return cache_limit;
}

uint64
gpuagg_cache_used(void)
{
	if (gpuagg_cache_stripe_ops() == NULL)
		return 0;
	return directory_bytes +
		gpuagg_cache_stripe_ops()->used(cache_device);
}

void *
gpuagg_cache_alloc(uint64 *account, Size bytes)
{
	void	   *p;

	if (cache_context == NULL)
		cache_context = AllocSetContextCreate(TopMemoryContext, "gpuagg cache",
											  ALLOCSET_DEFAULT_SIZES);
	p = MemoryContextAllocZero(cache_context, bytes);
	*account += GetMemoryChunkSpace(p);
	directory_bytes += GetMemoryChunkSpace(p);
	tell_device();
	return p;
}

void
gpuagg_cache_free(uint64 *account, void *p)
{
	if (p == NULL)
		return;
	*account -= GetMemoryChunkSpace(p);
	directory_bytes -= GetMemoryChunkSpace(p);
	pfree(p);
	tell_device();
}

void *
gpuagg_cache_lengthen(uint64 *account, void *array, Size old_bytes, Size bytes)
{
	void	   *longer = gpuagg_cache_alloc(account, bytes);

	if (array != NULL)
		memcpy(longer, array, old_bytes);
	gpuagg_cache_free(account, array);
	return longer;
}
