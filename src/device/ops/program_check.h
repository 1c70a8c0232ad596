/*
 * program_check.h
 *		Is this block of bytes a program that a device may run?
 */
#ifndef GPUAGG_DEVICE_OPS_PROGRAM_CHECK_H
#define GPUAGG_DEVICE_OPS_PROGRAM_CHECK_H

#include "device/stripe.h"
#include "ops.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * True if the block of that many bytes holds a whole program in which every
 * offset, register, type and operation is legal and every register is
 * written before it is read, by an instruction of its class.  Else false,
 * and *reason is a static string.  The block must be 8-byte aligned.
 */
extern bool gpuagg_program_check(const void *block, size_t bytes,
								 const char **reason);

/*
 * gpuagg_program_check where strings have become codes (encode.h): dictionaries, NULL or for
 * each register one or NULL, as in GpuAggTaskConfig.  Registers with one hold codes.
 */
extern bool gpuagg_program_check_coded(const void *block, size_t bytes,
									   GpuAggDictionary *const *dictionaries,
									   const char **reason);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_OPS_PROGRAM_CHECK_H */
