/*
 * made_shared.h
 *		Which look-up tables a device has, in main shared memory, so that backends need
 *		not ask for a table that is still there.
 *
 * The worker writes the list, whoever reads it needs no lock: a number is in it or is
 * not.  One that goes while it is being used is an error of that task, which its backend
 * answers for (node/lookup/lookups.c).
 */
#ifndef GPUAGG_IPC_MADE_SHARED_H
#define GPUAGG_IPC_MADE_SHARED_H

#include "postgres.h"

#include "device/program.h"
#include "port/atomics.h"

/* A worker has no more tables than that. */
#define GPUAGG_MADE_ENTRIES 256

/* They take this part of what the tasks of their device may use, at most, all together. */
#define GPUAGG_MADE_SHARE 2

typedef struct GpuAggMadeShared
{
	pg_atomic_uint64 ids[GPUAGG_MADE_ENTRIES];	/* 0: none */
} GpuAggMadeShared;

extern void gpuagg_made_shared_init(GpuAggMadeShared *shared);

/* For the device's worker: as it begins, there are none; one that is there; one that goes. */
extern void gpuagg_made_shared_clear(int device);
extern void gpuagg_made_shared_add(int device, uint64 id);
extern void gpuagg_made_shared_remove(int device, uint64 id);

/* Is it there? */
extern bool gpuagg_made_shared_has(int device, uint64 id);

/* Bytes that tables may take of the device; 0: it is not known yet */
extern uint64 gpuagg_made_room(int device);

/*
 * For who predicts: the latest 32 tables that were made for this session, by the relation and
 * the program that makes them, whatever its seed.
 */
extern void gpuagg_made_note(int device, Oid relid, const GpuAggProgram *program, uint64 id);
extern bool gpuagg_made_is_known(int device, Oid relid, const GpuAggProgram *program);

#endif							/* GPUAGG_IPC_MADE_SHARED_H */
