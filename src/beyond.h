/*
 * beyond.h
 *		Settings that ask for more than there is: whoever sets one gets a WARNING, and
 *		so does the log when a worker starts.  They are taken all the same, for the
 *		server may move to a larger machine.
 */
#ifndef GPUAGG_BEYOND_H
#define GPUAGG_BEYOND_H

#include "postgres.h"

/*
 * Bytes of memory of the device that runs tasks; of the machine, until somebody
 * who knows the device (ipc/shmem_start.c) has set it.
 */
extern uint64 (*gpuagg_beyond_device_bytes) (void);

/*
 * In a check hook of the setting behind this variable: warns whoever runs a
 * statement that sets it to this value, if that is too much.
 */
extern void gpuagg_beyond_check(const int *variable, int value);

/* A WARNING for each setting that is too much now */
extern void gpuagg_beyond_log(void);

#endif							/* GPUAGG_BEYOND_H */
