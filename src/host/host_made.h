/*
 * host_made.h
 *		Look-up tables made of columns that stay (device/made.h), on the host device.
 */
#ifndef GPUAGG_HOST_HOST_MADE_H
#define GPUAGG_HOST_HOST_MADE_H

#include "device/made.h"
#include "device/ops/ops_lookup.h"
#include "host/groups.h"
#include "host/prepared.h"

/* host_codes.h */
typedef struct GpuAggHostCodeTable GpuAggHostCodeTable;

struct GpuAggMade
{
	GpuAggMemory *memory;		/* the device's */
	GpuAggLookup *table;
	GpuAggHostCodeTable *codes; /* of which it is a part; NULL: it is a table of rows */
};

/* Rows that a thread has found for a task's table, by column */
typedef struct GpuAggMadeRows
{
	const GpuAggPrepared *prepared;
	GpuAggMemory *memory;
	GpuAggMakeWish wish;
	uint64_t	nrows;
	uint64_t	room;
	int64_t    *values[GPUAGG_MAX_KEYS];	/* integers, or doubles */
	uint8_t    *nulls[GPUAGG_MAX_KEYS];
} GpuAggMadeRows;

extern const GpuAggMadeOps gpuagg_host_made_ops;

/* May such a table be made by the program?  Its keys are columns, and nothing else. */
extern bool gpuagg_host_made_fits(const GpuAggProgram *program, const GpuAggMakeWish *wish);

/* NULL: no memory */
extern GpuAggMadeRows *gpuagg_made_rows_create(const GpuAggPrepared *prepared,
											   const GpuAggMakeWish *wish, GpuAggMemory *memory);
extern void gpuagg_made_rows_free(GpuAggMadeRows *rows);

/* The n rows of a block, whose keys are the table's columns */
extern GpuAggStatus gpuagg_made_rows_add(GpuAggMadeRows *rows, const GpuAggInputs *inputs,
										 uint32_t n, GpuAggError *error);

/*
 * The table of what all threads have found; parts may be NULL.  The device's memory, where
 * it stays.  NULL: *error tells.
 */
extern GpuAggMade *gpuagg_made_create(GpuAggMadeRows *const *parts, uint32_t nparts,
									  GpuAggMemory *device, GpuAggError *error);

/* Tables take the places of the program's constants. */
extern void gpuagg_made_attach(GpuAggProgram *program, const GpuAggMadeTables *tables);

#endif							/* GPUAGG_HOST_HOST_MADE_H */
