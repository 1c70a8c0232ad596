/*
 * registration.h
 *		The background workers as PostgreSQL is asked for them.
 */
#ifndef GPUAGG_WORKER_REGISTRATION_H
#define GPUAGG_WORKER_REGISTRATION_H

#include "postgres.h"

/* While the postmaster loads us: registers the first worker. */
extern void gpuagg_worker_define(void);

/* The first worker asks for that of another device, once. */
extern void gpuagg_worker_ask_for(int device);

#endif							/* GPUAGG_WORKER_REGISTRATION_H */
