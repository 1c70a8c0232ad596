/*
 * program_check.h
 *		Is this block of bytes a program that a device may run?
 */
#ifndef GPUAGG_SERVICE_PROGRAM_CHECK_H
#define GPUAGG_SERVICE_PROGRAM_CHECK_H

#include "device/ops.h"

/*
 * True if the block of that many bytes holds a whole program in which every
 * offset, register, type and operation is legal and every register is
 * written before it is read, by an instruction of its class.  Else false,
 * and *reason is a static string.  The block must be 8-byte aligned.
 */
extern bool gpuagg_program_check(const void *block, size_t bytes,
								 const char **reason);

#endif							/* GPUAGG_SERVICE_PROGRAM_CHECK_H */
