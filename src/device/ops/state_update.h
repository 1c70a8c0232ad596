/*
 * state_update.h
 *		How a word of a state changes.
 *
 * As they stand here updates are plain and need the row to be one thread's; a device
 * whose threads share rows defines them as atomics before it includes this file.
 */
#ifndef GPUAGG_DEVICE_OPS_STATE_UPDATE_H
#define GPUAGG_DEVICE_OPS_STATE_UPDATE_H

#include "device/common.h"

/* v if there is none; what is there then (moment_state.h) */
GPUAGG_FN double
gpuagg_update_once_f64(double *p, uint64_t none, double v)
{
	uint64_t	old;

	memcpy(&old, p, sizeof(old));
	if (old == none)
		*p = v;
	return *p;
}

#ifndef GPUAGG_UPDATE_ADD_U64
#define GPUAGG_UPDATE_ADD_U64(p, v) (*(p) += (v))
#define GPUAGG_UPDATE_ADD_F64(p, v) (*(p) += (v))
#define GPUAGG_UPDATE_MIN_I64(p, v) (*(p) = (v) < *(p) ? (v) : *(p))
#define GPUAGG_UPDATE_MAX_I64(p, v) (*(p) = (v) > *(p) ? (v) : *(p))
#define GPUAGG_UPDATE_AND_U64(p, v) (*(p) &= (v))
#define GPUAGG_UPDATE_OR_U64(p, v) (*(p) |= (v))
#define GPUAGG_UPDATE_XOR_U64(p, v) (*(p) ^= (v))
/* adds, and returns the carry */
#define GPUAGG_UPDATE_ADD_CARRY(p, v) ((*(p) += (v)) < (v))
#define GPUAGG_UPDATE_ONCE_F64(p, none, v) gpuagg_update_once_f64(p, none, v)
#endif

#endif							/* GPUAGG_DEVICE_OPS_STATE_UPDATE_H */
