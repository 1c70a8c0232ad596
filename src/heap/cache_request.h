/*
 * cache_request.h
 *		What of a table may stay on the device: the cache request that a task sends.
 */
#ifndef GPUAGG_HEAP_CACHE_REQUEST_H
#define GPUAGG_HEAP_CACHE_REQUEST_H

#include "postgres.h"

#include "access/tupdesc.h"
#include "ipc/protocol.h"
#include "storage/block.h"
#include "utils/relcache.h"
#include "utils/snapshot.h"

/*
 * May a task use the cache for the program's columns, and fill them in?  Then
 * *request says so; else its relnumber is 0.
 */
extern bool gpuagg_cache_request(Relation rel, Snapshot snapshot,
						const GpuAggProgram *program, BlockNumber nblocks,
						GpuAggCacheRequest *request);

/* Why no column of a table is kept for now, as an error's detail; NULL: some are */
extern const char *gpuagg_cache_request_why_not(Relation rel, Snapshot snapshot);

/* Is a column kept that programs load as this GpuAggType? */
extern bool gpuagg_cache_request_column(Form_pg_attribute attr, uint8 type);

/* Is it json or jsonb?  Kept as text, where it is a group key or somebody asks for it */
extern bool gpuagg_cache_request_json(Form_pg_attribute attr);

/* This session is asked to load columns. */
extern bool gpuagg_cache_loading;

#endif							/* GPUAGG_HEAP_CACHE_REQUEST_H */
