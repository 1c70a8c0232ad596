/*
 * worker_main.h
 *		What the module entry knows of the device worker.
 */
#ifndef GPUAGG_WORKER_WORKER_MAIN_H
#define GPUAGG_WORKER_WORKER_MAIN_H

#include "postgres.h"

#include "compat.h"

/* While the postmaster loads us: registers the background worker. */
extern void gpuagg_worker_define(void);

/* Its entry point, called by name */
pg_noreturn extern PGDLLEXPORT void gpuagg_worker_main(Datum arg);

#endif							/* GPUAGG_WORKER_WORKER_MAIN_H */
