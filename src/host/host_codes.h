/*
 * host_codes.h
 *		Code tables (device/ops/code_table.h) of the host device.
 *
 * A table has addresses for as many codes as there can be, and gets memory as it is
 * written, so that it never moves.  Threads of a task see to it that what they are about to read
 * is there: each takes parts that nobody has taken.
 */
#ifndef GPUAGG_HOST_HOST_CODES_H
#define GPUAGG_HOST_HOST_CODES_H

#include "device/ops/code_table.h"
#include "host/host_dictionary.h"
#include "host/host_made.h"

/* Those of a task */
typedef struct GpuAggHostCodes
{
	uint32_t	n;
	GpuAggMade *tables[GPUAGG_CODE_TABLES];
} GpuAggHostCodes;

/* The code tables among what takes the places of a task's constants */
extern void gpuagg_host_codes_begin(GpuAggHostCodes *codes, const GpuAggMadeTables *made);

/*
 * All codes that there are by now have values.  By any thread, which returns once others,
 * too, are done with their parts.
 */
extern GpuAggStatus gpuagg_host_codes_complete(const GpuAggHostCodes *codes, GpuAggError *error);

/* The functions for gpuagg_host_stripe_ops */
extern GpuAggStatus gpuagg_host_code_table(GpuAggDictionary *dictionary,
										   const GpuAggProgram *expression, GpuAggMade **table,
										   GpuAggError *error);
extern void gpuagg_host_code_table_leave(GpuAggMade *table);
extern uint64_t gpuagg_host_code_table_given(const GpuAggMade *table);
extern GpuAggStatus gpuagg_host_code_table_give(GpuAggMade *table, const GpuAggRowColumn *values,
												uint32_t n, GpuAggError *error);
extern bool gpuagg_host_code_tables_drop(GpuAggDictionary *dictionary);
extern GpuAggDictionary *gpuagg_host_code_table_texts(GpuAggMade *table);
extern const uint32_t *gpuagg_host_code_table_order(GpuAggMade *table, GpuAggError *error);

/* Of a dictionary that goes, for nobody has any of its tables; bytes that all of them take */
extern void gpuagg_host_code_tables_free(GpuAggDictionary *dictionary);
extern uint64_t gpuagg_host_code_tables_used(const GpuAggDictionary *dictionary);

#endif							/* GPUAGG_HOST_HOST_CODES_H */
