/*
 * host_scan.h
 *		One thread's work on the input of one task: pages or rows in, groups
 *		updated.
 */
#ifndef GPUAGG_HOST_HOST_SCAN_H
#define GPUAGG_HOST_HOST_SCAN_H

#include "host/decode.h"
#include "host/groups.h"
#include "host/host_codes.h"
#include "host/host_draws.h"
#include "host/host_made.h"

/* Of a task and a thread; made when the thread first works on the task. */
typedef struct GpuAggScanner
{
	const GpuAggPrepared *prepared;
	GpuAggMemory *memory;
	const GpuAggSample *sample; /* of lines; NULL: all of them */
	const GpuAggHostCodes *codes;	/* of which what is read must be there; NULL: none */
	GpuAggGrouper *grouper;		/* NULL: rows are selected, or kept: not grouped */
	GpuAggMadeRows *kept;		/* for a look-up table that is to be made */
	GpuAggRowRef *where;		/* of a block's rows, if they are selected */
	GpuAggVectors vectors;
	GpuAggVector *columns;		/* as they are decoded: decode.h */
	GpuAggInputs inputs;		/* of the program's registers */
	uint16_t	sel[GPUAGG_VECTOR_ROWS];
	size_t		bytes;			/* of this whole block */
} GpuAggScanner;

/* What a morsel came to. */
typedef struct GpuAggScanResult
{
	GpuAggError error;
	uint64_t	rows_scanned;
	uint64_t	rows_passed;
	uint64_t	left[GPUAGG_STAGES - 1];	/* GpuAggCompletion's */
	GpuAggRowRef *listed;		/* the caller frees it */
	uint32_t	nlisted;
	uint32_t	max_listed;
} GpuAggScanResult;

/* make: of a task that makes a look-up table, or NULL.  NULL: no memory */
extern GpuAggScanner *gpuagg_scanner_create(GpuAggGroups *groups,
											const GpuAggPrepared *prepared,
											const GpuAggMakeWish *make,
											GpuAggMemory *memory,
											uint32_t thread);
extern void gpuagg_scanner_free(GpuAggScanner *scanner);

/*
 * Pages first .. first + npages - 1 of a batch; pages[0] is page `first`.
 * Ends early with GPUAGG_CANCELLED once *stop is set.
 */
extern void gpuagg_scanner_pages(GpuAggScanner *scanner, const GpuAggPage *pages,
								 uint32_t first, uint32_t npages,
								 const atomic_bool *stop, GpuAggScanResult *result);

/* A morsel of draws: GPUAGG_DRAW_MORSEL of them, or what is left of all */
extern void gpuagg_scanner_draws(GpuAggScanner *scanner, const GpuAggDrawIndex *index,
								 uint32_t morsel, const atomic_bool *stop,
								 GpuAggScanResult *result);

/*
 * Positions first .. first + count - 1 of a stripe, first being a multiple of
 * GPUAGG_VECTOR_ROWS.
 */
extern void gpuagg_scanner_resident(GpuAggScanner *scanner,
									const GpuAggResident *resident,
									uint32_t first, uint32_t count,
									const atomic_bool *stop,
									GpuAggScanResult *result);

/* Rows first .. first + nrows - 1 of what task_rows was given. */
extern void gpuagg_scanner_rows(GpuAggScanner *scanner,
								const GpuAggRowColumn *columns, uint32_t first,
								uint32_t nrows, const atomic_bool *stop,
								GpuAggScanResult *result);

#endif							/* GPUAGG_HOST_HOST_SCAN_H */
