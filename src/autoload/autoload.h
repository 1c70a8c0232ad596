/*
 * autoload.h
 *		What the module entry knows of loading again what was kept.
 */
#ifndef GPUAGG_AUTOLOAD_AUTOLOAD_H
#define GPUAGG_AUTOLOAD_AUTOLOAD_H

#include "postgres.h"

#include "compat.h"

/* While the postmaster loads us: registers the background worker, unless it is off. */
extern void gpuagg_autoload_define(void);

/* Entry points, called by name: of the keeper, and of a loader for a database */
pg_noreturn extern PGDLLEXPORT void gpuagg_autoload_main(Datum arg);
extern PGDLLEXPORT void gpuagg_autoload_database(Datum arg);

#endif							/* GPUAGG_AUTOLOAD_AUTOLOAD_H */
