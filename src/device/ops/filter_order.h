/*
 * filter_order.h
 *		The order in which a filter asks whether rows were found.
 */
#ifndef GPUAGG_DEVICE_OPS_FILTER_ORDER_H
#define GPUAGG_DEVICE_OPS_FILTER_ORDER_H

#include "device/program.h"

/*
 * Brings conditions of the filter (ops/stages.h: a chain), of which none is ever an
 * error or NULL, into an order: their registers are tests[0 .. n - 1].  Only neighbours
 * change places; what stands between them stays where it is.  Which rows pass does not
 * change.
 */
extern void gpuagg_filter_order(GpuAggProgram *program, const uint16_t *tests, uint32_t n);

#endif							/* GPUAGG_DEVICE_OPS_FILTER_ORDER_H */
