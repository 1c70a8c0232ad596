/*
 * kernel_states.h
 *		What views, log and counters are told of kernels that the device compiles.
 */
#ifndef GPUAGG_WORKER_KERNEL_STATES_H
#define GPUAGG_WORKER_KERNEL_STATES_H

#include "postgres.h"

/* Updates what gpuagg.kernels shows. */
extern void gpuagg_kernels_publish(void);

/*
 * gpuagg_kernels_publish if some kernel has come to another stage; called in each turn of the loop.
 * True: what gpuagg.devices shows is old.
 */
extern bool gpuagg_kernels_turn(void);

#endif							/* GPUAGG_WORKER_KERNEL_STATES_H */
