/*
 * places.h
 *		The least and greatest strings of a column as numbers: a code table (code_table.h) has the
 *		place of each of the dictionary's strings in the order of their bytes.
 *
 * A program gets instructions, PLACE, and MIN_I64 and MAX_I64 of them where MIN_BYTES and
 * MAX_BYTES of columns were; its groups get their strings back (decoding.h).  The table is of
 * strings that are known when it is made: a code beyond them is an error of the task.  Beside it
 * is the code at each place.
 *
 * Pure functions over programs.
 */
#ifndef GPUAGG_DEVICE_OPS_PLACES_H
#define GPUAGG_DEVICE_OPS_PLACES_H

#include "code_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has a program least or greatest strings of columns? */
extern bool gpuagg_places_possible(const GpuAggProgram *p);

/* The column of whose strings transition i wants the least or greatest; NO_REG: of none */
extern uint16_t gpuagg_places_column(const GpuAggProgram *p, uint32_t i);

/* Room for a program that gets places; for code tables of it, or of the one as it was */
extern size_t gpuagg_places_room(const GpuAggProgram *p);
extern size_t gpuagg_places_tables_room(const GpuAggProgram *p);

/*
 * The program with places for all least and greatest strings of columns, but for look-up tables,
 * in out.  False: there are none, or not all would have code tables.
 */
extern bool gpuagg_places_use(const GpuAggProgram *p, GpuAggProgram *out, GpuAggProgram *room);

/* The header of such a table, and its column, which was laid out for so many strings at least */
extern void gpuagg_places_bound(GpuAggLookup *head, uint32_t strings);

/* Is the code table of that expression one of places? */
static inline bool
gpuagg_code_table_is_places(const GpuAggProgram *expression)
{
	return gpuagg_instr_of(expression, gpuagg_program_keys(expression)[0].reg)->op ==
		GPUAGG_OP_PLACE;
}

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_OPS_PLACES_H */
