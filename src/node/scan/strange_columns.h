/*
 * strange_columns.h
 *		Columns with numerics that no device has a form of, for later plans.
 */
#ifndef GPUAGG_NODE_STRANGE_COLUMNS_H
#define GPUAGG_NODE_STRANGE_COLUMNS_H

#include "postgres.h"

#include "node/scan/scan.h"

/*
 * A row that a regrouped run of this plan could not give to the device: which of its columns are
 * numerics that no device has a form of, so that the next plan reads these as they are stored
 */
extern void gpuagg_note_strange(const GpuAggScan *scan, const GpuAggPlanInfo *info, Relation rel,
								HeapTuple row);

#endif							/* GPUAGG_NODE_STRANGE_COLUMNS_H */
