/*
 * scan.c
 *		The record of a scan that a device does (scan.h).
 */
#include "postgres.h"

#include "executor/instrument.h"
#include "node/scan/scan.h"

bool
gpuagg_scan_timing(const GpuAggScan *scan)
{
	return scan->css.ss.ps.instrument != NULL &&
		gpuagg_instrument_timed(scan->css.ss.ps.instrument);
}

void
gpuagg_scan_end_table(GpuAggScanTable *table)
{
	for (int i = 0; i < lengthof(table->rows); i++)
		if (table->rows[i] != NULL)
			gpuagg_rows_end(table->rows[i]);
}
