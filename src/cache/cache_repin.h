/*
 * cache_repin.h
 *		What is held of columns that have come to be pinned, or not to be.
 *
 * Inside the worker.
 */
#ifndef GPUAGG_CACHE_CACHE_REPIN_H
#define GPUAGG_CACHE_CACHE_REPIN_H

/* Looks whether the list of pinned columns has changed: what is there has the priority of now. */
extern void gpuagg_cache_pins_look(void);

#endif							/* GPUAGG_CACHE_CACHE_REPIN_H */
