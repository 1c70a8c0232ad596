/*
 * extension.h
 *		Is the module preloaded, and has the database the extension?
 */
#ifndef GPUAGG_EXTENSION_H
#define GPUAGG_EXTENSION_H

#include "postgres.h"

/* Loaded through shared_preload_libraries; _PG_init says so. */
extern void gpuagg_set_preloaded(void);
extern bool gpuagg_preloaded(void);

/* ERROR with a hint if not; every SQL function starts with it. */
extern void gpuagg_require_preload(void);

/* Does the current database have the extension?  Cached; cheap. */
extern bool gpuagg_extension_exists(void);

#endif							/* GPUAGG_EXTENSION_H */
