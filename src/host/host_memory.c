/*
 * host_memory.c
 *		Memory of a task, counted against its budget and the device's.
 *
 * Pieces of a huge page and more ask for huge pages: tables are read at
 * random, and beyond the TLB's reach translating addresses costs as much as
 * fetching the data.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "host/host_memory.h"

#define MEMORY_ALIGN 64

void
gpuagg_memory_init(GpuAggMemory *m, GpuAggMemory *parent, uint64_t limit)
{
	m->parent = parent;
	m->limit = limit != 0 ? limit : UINT64_MAX;
	atomic_init(&m->used, 0);
	atomic_init(&m->peak, 0);
	atomic_init(&m->fault, false);
	m->blocks = parent != NULL ? parent->blocks : NULL;
}

/* ---------- free blocks ---------- */

void
gpuagg_blocks_init(GpuAggFreeBlocks *blocks, uint64_t most)
{
	pthread_mutex_init(&blocks->lock, NULL);
	blocks->first = NULL;
	blocks->bytes = 0;
	blocks->most = most;
}

void
gpuagg_blocks_destroy(GpuAggFreeBlocks *blocks)
{
	while (blocks->first != NULL)
	{
		void	   *block = blocks->first;

		memcpy(&blocks->first, block, sizeof(void *));
		free(block);
	}
	pthread_mutex_destroy(&blocks->lock);
}

/* NULL: none is kept. */
static void *
take_block(GpuAggFreeBlocks *blocks)
{
	void	   *block;

	pthread_mutex_lock(&blocks->lock);
	block = blocks->first;
	if (block != NULL)
	{
		memcpy(&blocks->first, block, sizeof(void *));
		blocks->bytes -= GPUAGG_MEMORY_BLOCK;
	}
	pthread_mutex_unlock(&blocks->lock);
	return block;
}

/* False: enough are kept. */
static bool
keep_block(GpuAggFreeBlocks *blocks, void *block)
{
	bool		keep;

	pthread_mutex_lock(&blocks->lock);
	keep = blocks->bytes + GPUAGG_MEMORY_BLOCK <= blocks->most;
	if (keep)
	{
		memcpy(block, &blocks->first, sizeof(void *));
		blocks->first = block;
		blocks->bytes += GPUAGG_MEMORY_BLOCK;
	}
	pthread_mutex_unlock(&blocks->lock);
	return keep;
}

/* ---------- budgets ---------- */

void
gpuagg_memory_uncharge(GpuAggMemory *m, size_t bytes)
{
	for (; m != NULL; m = m->parent)
		atomic_fetch_sub_explicit(&m->used, bytes, memory_order_relaxed);
}

bool
gpuagg_memory_charge(GpuAggMemory *m, size_t bytes)
{
	for (GpuAggMemory *level = m; level != NULL; level = level->parent)
	{
		uint64_t	used = bytes +
			atomic_fetch_add_explicit(&level->used, bytes, memory_order_relaxed);
		uint64_t	peak = atomic_load_explicit(&level->peak, memory_order_relaxed);

		if (used > level->limit)
		{
			for (GpuAggMemory *undo = m;; undo = undo->parent)
			{
				atomic_fetch_sub_explicit(&undo->used, bytes, memory_order_relaxed);
				if (undo == level)
					return false;
			}
		}
		while (used > peak &&
			   !atomic_compare_exchange_weak_explicit(&level->peak, &peak, used,
													  memory_order_relaxed,
													  memory_order_relaxed))
			;
	}
	return true;
}

uint64_t
gpuagg_memory_left(const GpuAggMemory *m)
{
	uint64_t	left = UINT64_MAX;

	for (; m != NULL; m = m->parent)
	{
		uint64_t	used = atomic_load_explicit(&m->used, memory_order_relaxed);

		if (m->limit - used < left && used < m->limit)
			left = m->limit - used;
		else if (used >= m->limit)
			left = 0;
	}
	return left;
}

static void *
take_memory(GpuAggMemory *m, size_t bytes)
{
	const size_t huge = GPUAGG_MEMORY_BLOCK;
	size_t		align = bytes >= huge ? huge : MEMORY_ALIGN;
	void	   *p = NULL;

	if (bytes == huge && m->blocks != NULL && (p = take_block(m->blocks)) != NULL)
		return p;
	if (posix_memalign(&p, align, bytes) != 0)
		return NULL;
	if (bytes >= huge)
		(void) madvise(p, bytes, MADV_HUGEPAGE);	/* advice only */
	return p;
}

static void
give_memory(GpuAggMemory *m, void *p, size_t bytes)
{
	if (bytes != GPUAGG_MEMORY_BLOCK || m->blocks == NULL || !keep_block(m->blocks, p))
		free(p);
}

void *
gpuagg_memory_alloc(GpuAggMemory *m, size_t bytes)
{
	void	   *p = NULL;

	if (!gpuagg_memory_charge(m, bytes))
		return NULL;
	p = take_memory(m, bytes);
	if (p == NULL)
		gpuagg_memory_uncharge(m, bytes);
	return p;
}

void *
gpuagg_memory_alloc_for(GpuAggMemory *m, size_t bytes)
{
	return take_memory(m, bytes);
}

void
gpuagg_memory_exchanged(GpuAggMemory *m, void *old, size_t old_bytes, size_t bytes)
{
	give_memory(m, old, old_bytes);
	gpuagg_memory_uncharge(m, old_bytes - bytes);
}

void *
gpuagg_memory_grow(GpuAggMemory *m, size_t bytes)
{
	if (atomic_load_explicit(&m->fault, memory_order_relaxed))
		return NULL;
	return gpuagg_memory_alloc(m, bytes);
}

void
gpuagg_memory_free(GpuAggMemory *m, void *p, size_t bytes)
{
	if (p == NULL)
		return;
	give_memory(m, p, bytes);
	gpuagg_memory_uncharge(m, bytes);
}

uint64_t
gpuagg_memory_limit(const GpuAggMemory *m)
{
	uint64_t	limit = UINT64_MAX;

	for (; m != NULL; m = m->parent)
		if (m->limit < limit)
			limit = m->limit;
	return limit;
}

GpuAggStatus
gpuagg_memory_error(GpuAggMemory *m, GpuAggError *error)
{
	uint64_t	device_limit = m->parent != NULL ? m->parent->limit : m->limit;

	error->status = GPUAGG_OUT_OF_MEMORY;
	error->detail = 0;
	if (m->limit != UINT64_MAX)
		snprintf(error->message, sizeof(error->message),
				 "the task's %" PRIu64 " kB of device memory are used up",
				 m->limit / 1024);
	else if (device_limit != UINT64_MAX)
		snprintf(error->message, sizeof(error->message),
				 "the device's %" PRIu64 " kB of memory are used up",
				 device_limit / 1024);
	else
		snprintf(error->message, sizeof(error->message),
				 "the device ran out of memory");
	return error->status;
}
