/*
 * feeder_process.h
 *		What a leader and its feeders share: a dynamic segment, and the messages in its
 *		queues.  A feeder's numbers of batches begin with those of tables, as the task's do.
 */
#ifndef GPUAGG_NODE_FEEDER_PROCESS_H
#define GPUAGG_NODE_FEEDER_PROCESS_H

#include "postgres.h"

#include "device/ops/sample.h"
#include "heap/feed_share.h"
#include "ipc/client.h"
#include "ipc/protocol.h"
#include "storage/proc.h"
#include "utils/dsa.h"

/* Entries of the segment's table of contents */
#define GPUAGG_FEEDER_KEY_TASK 1
#define GPUAGG_FEEDER_KEY_SNAPSHOT 2
#define GPUAGG_FEEDER_KEY_CACHED 3	/* area of what is known of cached blocks, by table */
#define GPUAGG_FEEDER_KEY_PAGES 4	/* queues to the leader, one behind the other */
#define GPUAGG_FEEDER_KEY_RELEASES 5	/* queues from it */
#define GPUAGG_FEEDER_KEY_TABLES 6	/* a GpuAggFeederTable each */
#define GPUAGG_FEEDER_KEY_SHARE 7
#define GPUAGG_FEEDER_KEY_WAITING 8	/* a pg_atomic_uint32 of each feeder */

/* As a slot's queue in: five batches of 256 pages with bitmaps */
#define GPUAGG_FEEDER_PAGES_BYTES (64 * 1024)

/*
 * A feeder has at most some dozens of batches in flight, and so many releases of 16
 * bytes may be on their way to it: the leader never waits for a place.
 */
#define GPUAGG_FEEDER_RELEASES_BYTES (16 * 1024)

typedef struct GpuAggFeederTask
{
	PGPROC	   *leader;
	GpuAggTicket ticket;		/* The leader's task. */
	int			sample_method;
	bool		bulkread;
	bool		fault;			/* debug_fault: an ERROR after the first batch. */
	GpuAggSample sample;
	uint32		batches_ahead;
	pg_atomic_uint32 active;	/* Feeders that may have taken blocks. */
} GpuAggFeederTask;

/* A table of the task; good once the share says that it is open */
typedef struct GpuAggFeederTable
{
	dsa_pointer cached;			/* gpuagg_cached_copy's; InvalidDsaPointer: no cache request. */
	Oid			relid;
	uint32		batch_pages;
} GpuAggFeederTable;

/* To the leader: PAGES messages with the feeder's own numbers, then one of these */
typedef struct GpuAggFeederEnd
{
	GpuAggMsg	msg;			/* FINISH, or FAILED. */
	uint64		pages;			/* Pages that it has read. */
	GpuAggError error;			/* Why, if it has FAILED. */
} GpuAggFeederEnd;

/*
 * From the leader: the number of a batch that is consumed, or GPUAGG_FEEDER_WAKE, once
 * for each time that the feeder has said it waits for a table to be opened
 */
typedef struct GpuAggFeederRelease
{
	uint64		batch_id;
} GpuAggFeederRelease;

#define GPUAGG_FEEDER_WAKE PG_UINT64_MAX

#define GPUAGG_FEEDER_FUNCTION "gpuagg_feeder_main"

#endif							/* GPUAGG_NODE_FEEDER_PROCESS_H */
