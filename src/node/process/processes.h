/*
 * processes.h
 *		Parallel workers that a node has beside it while it runs: the segment that they share with
 *		the leader, their queues, and what they have used.
 *
 * Started as parallel CREATE INDEX starts its workers, inside of one call of the node: no tuple
 * leaves it meanwhile, so the backend is in parallel mode for them alone, and cursors, triggers and
 * functions above the node meet none of it.
 *
 * Entries of the segment's table of contents from 1 on are the caller's.
 */
#ifndef GPUAGG_NODE_PROCESSES_H
#define GPUAGG_NODE_PROCESSES_H

#include "postgres.h"

#include "access/parallel.h"
#include "compat.h"
#include "executor/instrument.h"
#include "storage/shm_mq.h"

/* ---------- the leader ---------- */

typedef struct GpuAggProcesses
{
	ParallelContext *pcxt;
	int			launched;
	BufferUsage *buffers;		/* of each */
	WalUsage   *wal;
} GpuAggProcesses;

/* In parallel mode from then on, until the end; n processes at most run this function. */
extern void gpuagg_processes_begin(GpuAggProcesses *p, const char *function, int n);

/* Room in the segment for one more entry */
extern void gpuagg_processes_estimate(GpuAggProcesses *p, Size bytes);

/* The segment.  False: there is none to be had, and no process. */
extern bool gpuagg_processes_segment(GpuAggProcesses *p);

/* An entry of the segment; one that is a text */
extern void *gpuagg_processes_put(GpuAggProcesses *p, uint64 key, Size bytes);
extern void gpuagg_processes_put_text(GpuAggProcesses *p, uint64 key, const char *text);

/* An entry that is a queue of so many bytes for each; send: to the processes */
extern shm_mq_handle **gpuagg_processes_queues(GpuAggProcesses *p, uint64 key, Size bytes,
											   bool send);

/* Starts them; how many there are */
extern int	gpuagg_processes_launch(GpuAggProcesses *p);

/* The queue to or from a process i that was launched notices if it never comes. */
extern void gpuagg_processes_watch(const GpuAggProcesses *p, shm_mq_handle **queues);

/*
 * All of that for processes that run this function with a text, and a queue of so many bytes to
 * each and from each: entries GPUAGG_PROCESS_TEXT, GPUAGG_PROCESS_IN and GPUAGG_PROCESS_OUT.  How
 * many were launched; in parallel mode from then on, until the end.
 */
#define GPUAGG_PROCESS_TEXT 1
#define GPUAGG_PROCESS_IN 2
#define GPUAGG_PROCESS_OUT 3

extern int	gpuagg_processes_start(GpuAggProcesses *p, const char *function, int n,
								   const char *text, Size bytes, shm_mq_handle ***in,
								   shm_mq_handle ***out);

/*
 * Process i has gone before its end: it was killed, or raised an ERROR, which is here when it has
 * gone.  what: it has done.
 */
pg_noreturn extern void gpuagg_processes_gone(const GpuAggProcesses *p, int i, const char *what);

/*
 * done: all of them have ended, or will; what they have used counts as this backend's.  Else those
 * at work are stopped.
 */
extern void gpuagg_processes_end(GpuAggProcesses *p, bool done);

/* ---------- a process ---------- */

/* Before its work, whose text pg_stat_activity then shows, and behind it */
extern void gpuagg_process_begin(shm_toc *toc);
extern void gpuagg_process_end(shm_toc *toc);

/* Its queue of such an entry */
extern shm_mq_handle *gpuagg_process_queue(shm_toc *toc, dsm_segment *seg, uint64 key, Size bytes,
										   bool send);

#endif							/* GPUAGG_NODE_PROCESSES_H */
