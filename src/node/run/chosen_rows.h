/*
 * chosen_rows.h
 *		Rows that a device lists for a program that selects, on their way to the TID
 *		store.
 */
#ifndef GPUAGG_NODE_CHOSEN_ROWS_H
#define GPUAGG_NODE_CHOSEN_ROWS_H

#include "postgres.h"

#include "node/feed/task_inputs.h"

/*
 * Keeps the rows that a batch of pages lists, which devices do in any order, in
 * the store, and counts those that PostgreSQL has to evaluate.  False: the list is garbled.
 */
extern bool gpuagg_chosen_rows_add(GpuAggTidStore *tids, const GpuAggTaskInputs *inputs,
								   const GpuAggMsg *msg, uint64 *evaluated);

#endif							/* GPUAGG_NODE_CHOSEN_ROWS_H */
