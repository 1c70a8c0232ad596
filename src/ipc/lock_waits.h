/*
 * lock_waits.h
 *		Waits for the device and for PostgreSQL's locks that go round in a ring.
 */
#ifndef GPUAGG_IPC_LOCK_WAITS_H
#define GPUAGG_IPC_LOCK_WAITS_H

#include "postgres.h"

/* Does a backend that has a task wait, for another one or at the end, for a lock of ours? */
extern bool gpuagg_lock_waits_task(void);

#endif
