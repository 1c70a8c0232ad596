/*
 * ranges.h
 *		Which values a program's register can have, told from its columns' ranges and, of rows
 *		that pass, from conditions of its filter.
 *
 * For choosing how groups are numbered: a range that is too narrow costs time and
 * nothing else, for every row is checked against it.
 */
#ifndef GPUAGG_DEVICE_CHOICE_RANGES_H
#define GPUAGG_DEVICE_CHOICE_RANGES_H

#include "device/program.h"

/* Values from low to high; low > high: none */
typedef struct GpuAggRange
{
	int64_t		low;
	int64_t		high;
} GpuAggRange;

/* Values of a key: low, and others by so many units above it up to high */
typedef struct GpuAggKeyRange
{
	int64_t		low;
	int64_t		high;
	int64_t		unit;
} GpuAggKeyRange;

/* Groups are numbered if their entries stay in the card's cache. */
#define GPUAGG_NUMBERED_BYTES (UINT64_C(32) << 20)

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the columns whose ranges are asked for a register's. */
extern void gpuagg_range_needs(const GpuAggProgram *program, uint16_t reg, uint8_t *columns);

/*
 * How far apart an integer register's values are, of those expressions that it is told for: hours
 * and the like, bins of a stride, products by a constant (1: of one that is not known yet); 0: of
 * all others.  Which they are does not depend on what constants are.  A few values may lie between,
 * as hours do of a zone whose offset was none of whole hours.
 */
extern int64_t gpuagg_range_unit(const GpuAggProgram *program, uint16_t reg);

/*
 * The instruction by which a register's moments are cut to hours or less, so that their numbers
 * follow from what is cut, too; NULL: they are not
 */
extern const GpuAggInstr *gpuagg_range_cut(const GpuAggProgram *program, uint16_t reg);

/*
 * Numbers of groups, entries of so many bytes, by their keys' values, NULL being one of
 * each key; and the ranges of these.  ranges: of those registers that keys follow from,
 * columns and what is fetched of look-up tables that are not made yet; low > high: not
 * known.  Rows that do not pass have no number: conditions of a column and a constant that the
 * filter joins by AND narrow the column's range.  False: the keys' are not known, or too many.
 */
extern bool gpuagg_range_numbers(const GpuAggProgram *program, const GpuAggRange *ranges,
								 double entry_bytes, GpuAggKeyRange *keys, uint64_t *numbers);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_CHOICE_RANGES_H */
