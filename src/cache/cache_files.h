/*
 * cache_files.h
 *		Tables whose files have gone leave the column cache.
 */
#ifndef GPUAGG_CACHE_CACHE_FILES_H
#define GPUAGG_CACHE_CACHE_FILES_H

/*
 * Forgets tables whose files have gone, once a second.  How many ms until it should be
 * called again at the latest; -1: nothing is kept.
 */
extern long gpuagg_cache_check_files(void);

#endif							/* GPUAGG_CACHE_CACHE_FILES_H */
