/*
 * page_parts.h
 *		Which part of a table's pages a run need not feed, and what it costs to know that.
 */
#ifndef GPUAGG_PLANNER_PAGE_PARTS_H
#define GPUAGG_PLANNER_PAGE_PARTS_H

#include "postgres.h"

#include "planner/lower/lower.h"
#include "storage/block.h"

typedef struct GpuAggPageParts
{
	double		cached;			/* 0 to 1; 0 if columns do not stay */
	double		gaps;			/* of all pages, those that are fed, but not the one before */
	double		compared;		/* of all pages, those whose LSNs tell whether they are fed */
	double		checked;		/* of all pages, those that are fed and not all-visible: their rows
								 * are checked one by one */
	double		recent;			/* of all pages, those that are fed because they have changed since
								 * they were kept: who did that has them in shared_buffers */
} GpuAggPageParts;

/* Of a table of so many pages, for the columns of a program */
extern void gpuagg_page_parts(Relation relation, const GpuAggLower *lw, BlockNumber pages,
							  GpuAggPageParts *parts);

#endif							/* GPUAGG_PLANNER_PAGE_PARTS_H */
