/*
 * program_append.h
 *		Appending to a program that is being made of another one, in a block with room for it.
 */
#ifndef GPUAGG_DEVICE_OPS_PROGRAM_APPEND_H
#define GPUAGG_DEVICE_OPS_PROGRAM_APPEND_H

#include "device/program.h"

/* Appends n bytes, zero if `from` is NULL; their offset */
static inline uint32_t
gpuagg_program_append(GpuAggProgram *p, const void *from, size_t n)
{
	const uint32_t off = p->bytes;
	const size_t room = gpuagg_align(n, 8);

	memset((char *) p + off, 0, room);
	if (from != NULL && n > 0)
		memcpy((char *) p + off, from, n);
	p->bytes = (uint32_t) (off + room);
	return off;
}

/* What lies at an offset */
static inline void *
gpuagg_program_at(GpuAggProgram *p, uint32_t off)
{
	return (char *) p + off;
}

#endif							/* GPUAGG_DEVICE_OPS_PROGRAM_APPEND_H */
