/*
 * chunk.h
 *		What batches of pages take of a device's memory, where their rows become
 *		columns there (GpuAggDeviceInfo.chunks): how many pages a batch should
 *		have, and what is left for groups.
 *
 * cuda/batch.cu lays a chunk out so; the planner and the executor reckon with
 * it.
 */
#ifndef GPUAGG_DEVICE_CHUNK_H
#define GPUAGG_DEVICE_CHUNK_H

#include "device.h"

/* Batches in flight take at most this part of the memory, or they are smaller. */
#define GPUAGG_CHUNK_SHARE 4

/* Launching smaller ones costs more than it saves (cuda/device.cu: BATCH_PAGES). */
#define GPUAGG_CHUNK_LEAST_PAGES 32

/* Of each page: where it is, and what of it is visible */
#define GPUAGG_CHUNK_PAGE_BYTES (32 + GPUAGG_VISIBILITY_BYTES)

/*
 * Bytes of a page with so many lines: of each a flag and a place in the list,
 * of each column a state and a value; strings point into a copy of the page.
 */
GPUAGG_FN double
gpuagg_chunk_page_bytes(const GpuAggProgram *p, double lines)
{
	const uint8_t *classes = gpuagg_program_classes(p);
	uint32_t	words = 0;
	bool		strings = false;

	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		words += classes[c] == GPUAGG_CLASS_BYTES ? 2 : 1;
		strings |= classes[c] == GPUAGG_CLASS_BYTES;
	}
	return lines * (1 + sizeof(GpuAggRowRef) + p->ncolumns + 8 * words) +
		GPUAGG_CHUNK_PAGE_BYTES + (strings ? GPUAGG_PAGE_BYTES : 0);
}

/* Pages of a batch on that device, as many as it likes if memory allows */
GPUAGG_FN uint32_t
gpuagg_chunk_pages(const GpuAggDeviceInfo *info, double page_bytes)
{
	double		pages;

	if (!info->chunks || info->memory_limit == 0 || info->batches_ahead == 0)
		return info->batch_pages;
	pages = (double) info->memory_limit / GPUAGG_CHUNK_SHARE / info->batches_ahead / page_bytes;
	if (pages >= info->batch_pages)
		return info->batch_pages;
	return pages > GPUAGG_CHUNK_LEAST_PAGES ? (uint32_t) pages : GPUAGG_CHUNK_LEAST_PAGES;
}

/* What all batches in flight leave of the memory limit; 0 stays 0: no limit */
GPUAGG_FN double
gpuagg_chunk_leaves(const GpuAggDeviceInfo *info, double page_bytes)
{
	const double batches = info->chunks ? (double) info->batches_ahead *
		gpuagg_chunk_pages(info, page_bytes) * page_bytes : 0;
	const double limit = (double) info->memory_limit;

	/* some batches are larger than planned: this is the least */
	return limit - batches > limit / GPUAGG_CHUNK_SHARE ? limit - batches :
		limit / GPUAGG_CHUNK_SHARE;
}

#endif							/* GPUAGG_DEVICE_CHUNK_H */
