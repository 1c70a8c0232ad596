/*
 * worker_main.h
 *		The device worker as PostgreSQL starts it.
 */
#ifndef GPUAGG_WORKER_WORKER_MAIN_H
#define GPUAGG_WORKER_WORKER_MAIN_H

#include "postgres.h"

#include "compat.h"

/* The entry point, called by name */
pg_noreturn extern PGDLLEXPORT void gpuagg_worker_main(Datum arg);

#endif							/* GPUAGG_WORKER_WORKER_MAIN_H */
