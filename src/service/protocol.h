/*
 * protocol.h
 *		Messages between a backend and a device worker.
 *
 * Two shm_mq queues of one task carry them, each message led by a
 * GpuAggMsg.  All structures are 8-byte aligned within a message.  The
 * order of a task:
 *
 *		client						worker
 *		BEGIN (program)
 *									READY		(admitted; memory granted)
 *		PAGES, ROWS ...				BATCH_DONE	(per batch; rows to evaluate)
 *		FINISH						RESULTS ...	(groups)
 *									DONE		(statistics)
 * FAILED may take the place of any worker message and is the last.
 *
 * Pages travel as buffer numbers; the worker reads them in shared_buffers.
 */
#ifndef GPUAGG_SERVICE_PROTOCOL_H
#define GPUAGG_SERVICE_PROTOCOL_H

#include "device/device.h"

typedef enum GpuAggMsgType
{
	/* client to worker */
	GPUAGG_MSG_BEGIN = 1,		/* GpuAggBeginMsg */
	GPUAGG_MSG_PAGES,			/* count GpuAggMsgPage, then the bitmaps of
								 * those that have one, in order, each
								 * GPUAGG_VISIBILITY_BYTES long */
	GPUAGG_MSG_ROWS,			/* count rows; columns as below */
	GPUAGG_MSG_FINISH,
	/* worker to client */
	GPUAGG_MSG_READY,			/* GpuAggReadyMsg */
	GPUAGG_MSG_BATCH_DONE,		/* count GpuAggRowRef: rows for PostgreSQL */
	GPUAGG_MSG_RESULTS,			/* count groups, as task_results wrote them */
	GPUAGG_MSG_DONE,			/* GpuAggDoneMsg */
	GPUAGG_MSG_FAILED			/* GpuAggFailedMsg */
} GpuAggMsgType;

typedef struct GpuAggMsg
{
	uint32_t	type;			/* GpuAggMsgType */
	uint32_t	count;
	uint64_t	batch_id;		/* PAGES, ROWS, BATCH_DONE */
} GpuAggMsg;

typedef struct GpuAggMsgPage
{
	int32_t		buffer;			/* PostgreSQL's Buffer, pinned by the client */
	uint16_t	nlines;
	uint16_t	has_visibility;
	uint32_t	block;
	uint32_t	pad;
} GpuAggMsgPage;

typedef struct GpuAggBeginMsg
{
	GpuAggMsg	msg;
	GpuAggTaskConfig config;
	uint32_t	host;			/* 1: on the host device, whatever others
								 * there are */
	uint32_t	measure;		/* 1: to measure that device
								 * (device/probe/task.h) */
	/* GpuAggProgram follows */
} GpuAggBeginMsg;

/*
 * ROWS: for each output of the program, in order:
 *		uint8_t states[count], padded to 8;
 *		I64, F64: 8-byte values[count];
 *		BYTES: uint32_t lengths[count], padded to 8, then the strings one
 *		after the other (nothing for NULLs), padded to 8.
 */

typedef struct GpuAggReadyMsg
{
	GpuAggMsg	msg;
	GpuAggDeviceInfo info;
} GpuAggReadyMsg;

typedef struct GpuAggDoneMsg
{
	GpuAggMsg	msg;
	uint64_t	rows_scanned;
	uint64_t	rows_passed;
	uint64_t	groups;
	uint64_t	memory_bytes;
	uint64_t	device_ns;
	uint64_t	transfer_ns;
	uint64_t	decode_ns;
	uint64_t	kernel_ns;
	uint64_t	link_bytes;
	uint64_t	switches;		/* of strategy */
	char		strategy[32];
} GpuAggDoneMsg;

typedef struct GpuAggFailedMsg
{
	GpuAggMsg	msg;
	GpuAggError error;
	uint64_t	rows_passed;	/* until then, and groups found in them */
	uint64_t	groups;
} GpuAggFailedMsg;

#define GPUAGG_ALIGN8(n) (((n) + 7) & ~((size_t) 7))

#endif							/* GPUAGG_SERVICE_PROTOCOL_H */
