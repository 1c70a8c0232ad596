/*
 * segment.h
 *		A dynamic shared memory segment for what is too long for a queue: the program of a
 *		task with look-up tables, blocks of rows.
 *
 * Whoever receives it copies it before looking at it, so the sender cannot change it any
 * more.
 */
#ifndef GPUAGG_IPC_SEGMENT_H
#define GPUAGG_IPC_SEGMENT_H

#include "postgres.h"

#include "storage/dsm.h"

/*
 * A segment with these bytes, data NULL: with any, of the current resource owner; NULL: none
 * is to be had
 */
extern dsm_segment *gpuagg_segment_make(const void *data, Size bytes);

/*
 * A copy of so many bytes of a segment, in that context.  NULL: there is no such
 * segment, it is shorter, or there is no memory.
 */
extern void *gpuagg_segment_copy(dsm_handle handle, Size offset, Size bytes,
								 MemoryContext context);

#endif							/* GPUAGG_IPC_SEGMENT_H */
