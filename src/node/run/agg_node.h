/*
 * agg_node.h
 *		The executor node GpuAgg.
 */
#ifndef GPUAGG_NODE_AGG_NODE_H
#define GPUAGG_NODE_AGG_NODE_H

#include "postgres.h"

/* Registers the node; called when the library is loaded. */
extern void gpuagg_agg_node_init(void);

#endif							/* GPUAGG_NODE_AGG_NODE_H */
