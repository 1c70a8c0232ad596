/*
 * chosen_rows.h
 *		Rows that a device lists for a program that selects, on their way to the TID
 *		store.
 */
#ifndef GPUAGG_NODE_CHOSEN_ROWS_H
#define GPUAGG_NODE_CHOSEN_ROWS_H

#include "postgres.h"

#include "heap/feed.h"
#include "node/device_scan.h"

/*
 * Keeps the rows that a batch of the feed lists, which devices do in any order, in
 * scan->tids.  False: the list is garbled.
 */
extern bool gpuagg_chosen_rows_add(GpuAggScan *scan, const GpuAggFeed *feed,
								   const GpuAggMsg *msg);

#endif							/* GPUAGG_NODE_CHOSEN_ROWS_H */
