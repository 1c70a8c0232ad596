/*
 * sample_node.h
 *		The executor node GpuSample.
 */
#ifndef GPUAGG_NODE_SAMPLE_NODE_H
#define GPUAGG_NODE_SAMPLE_NODE_H

#include "postgres.h"

/* Registers the node; called when the library is loaded. */
extern void gpuagg_sample_node_init(void);

#endif							/* GPUAGG_NODE_SAMPLE_NODE_H */
