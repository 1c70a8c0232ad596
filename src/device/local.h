/*
 * local.h
 *		Group tables in the shared memory of a GPU's blocks: what an entry takes,
 *		how many fit, and into how many parts rows must be partitioned for it.
 *
 * scoped grouping (cuda/scoped.h) makes its tables so, and device/strategy.h
 * reckons with it; both ask here.
 */
#ifndef GPUAGG_DEVICE_LOCAL_H
#define GPUAGG_DEVICE_LOCAL_H

#include "record.h"

/* How such a table keeps a state (cuda/scoped_local.cuh) */
typedef enum GpuAggLocalKind
{
	GPUAGG_LOCAL_COUNT,			/* uint32 */
	GPUAGG_LOCAL_SUM,			/* two uint32, apart */
	GPUAGG_LOCAL_MIN32,			/* int32, where every row enters */
	GPUAGG_LOCAL_MAX32,
	GPUAGG_LOCAL_STATE			/* as in the group's row */
} GpuAggLocalKind;

/* Shared memory of a block that is not ours: static variables, and CUDA's */
#define GPUAGG_LOCAL_OVERHEAD 2048

/* Fill up to which a table's look-ups are worth more than another place */
#define GPUAGG_LOCAL_MAX_FILL 0.7

/* Of tables of partitions: half of them would cost another level sooner */
#define GPUAGG_RADIX_FILL 0.45

/*
 * From so many bits on, another one costs more in writing shorter runs than
 * fuller tables do.
 */
#define GPUAGG_RADIX_DEAR_BITS 14
#define GPUAGG_RADIX_DEAR_FILL 0.88

/* One level of partitioning at most; beyond, a tile's runs become too short */
#define GPUAGG_RADIX_LEVEL_BITS 9
#define GPUAGG_RADIX_LEAST_BITS 7
#define GPUAGG_RADIX_MOST_BITS 24	/* of two levels */

/* narrow: of a 4-byte argument; always: every row has one */
GPUAGG_FN GpuAggLocalKind
gpuagg_local_kind(uint32_t op, bool narrow, bool always)
{
	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			return GPUAGG_LOCAL_COUNT;
		case GPUAGG_TRANS_SUM_I64:
			return GPUAGG_LOCAL_SUM;
		case GPUAGG_TRANS_MIN_I64:
			return narrow && always ? GPUAGG_LOCAL_MIN32 : GPUAGG_LOCAL_STATE;
		case GPUAGG_TRANS_MAX_I64:
			return narrow && always ? GPUAGG_LOCAL_MAX32 : GPUAGG_LOCAL_STATE;
		default:
			return GPUAGG_LOCAL_STATE;
	}
}

GPUAGG_FN GpuAggLocalKind
gpuagg_local_kind_of(const GpuAggRecord *record, const GpuAggTransition *trans, uint32_t i)
{
	const uint8_t field = record->arg_field[i];

	return gpuagg_local_kind(trans[i].op,
							 field != GPUAGG_NO_FIELD && record->fields[field].bytes == 4,
							 !record->has_head);
}

GPUAGG_FN uint32_t
gpuagg_local_state_bytes(GpuAggLocalKind kind, uint32_t op)
{
	return kind == GPUAGG_LOCAL_STATE ? gpuagg_transition_bytes(op) :
		kind == GPUAGG_LOCAL_SUM ? 8 : 4;
}

/* One integer key of 4 bytes is kept itself; of others, half of the hash and a row */
GPUAGG_FN bool
gpuagg_local_key_is_word(const GpuAggProgram *p, const GpuAggRecord *record)
{
	return p->nkeys == 1 && !record->has_head && record->fields[0].cls == GPUAGG_CLASS_I64 &&
		record->fields[0].bytes == 4;
}

/*
 * Does a program want nothing but columns of rows that pass, and one key?  Then
 * rows of resident columns are grouped as they lie.
 */
GPUAGG_FN bool
gpuagg_local_is_plain(const GpuAggProgram *p)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const uint32_t done = p->filter_reg != GPUAGG_NO_REG ? p->filter_instrs : 0;

	if (p->select || p->nkeys != 1 || done != p->ninstrs || keys[0].reg >= p->ncolumns ||
		gpuagg_key_class(keys[0].type) != GPUAGG_CLASS_I64)
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].filter != GPUAGG_NO_REG || trans[i].op == GPUAGG_TRANS_SUM_F64_AVG ||
			(trans[i].arg != GPUAGG_NO_REG && trans[i].arg >= p->ncolumns))
			return false;
	return true;
}

/* Bytes of a group, its key included */
GPUAGG_FN uint32_t
gpuagg_local_entry_bytes(const GpuAggProgram *p, const GpuAggRecord *record)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	bytes = gpuagg_local_key_is_word(p, record) ? 4 : 8;

	for (uint32_t i = 0; i < p->ntransitions; i++)
		bytes += gpuagg_local_state_bytes(gpuagg_local_kind_of(record, trans, i), trans[i].op);
	return bytes;
}

/*
 * Groups of a partition leave its block by way of shared memory, a warp's at a
 * time, if their rows are no longer than this: bytes for each warp.
 */
#define GPUAGG_LOCAL_STAGE_ROW 64

GPUAGG_FN uint32_t
gpuagg_local_stage_bytes(uint32_t row_bytes)
{
	return row_bytes <= GPUAGG_LOCAL_STAGE_ROW ? 32 * row_bytes : 0;
}

/*
 * Places in the table of a partition, whose groups are rows of so many bytes:
 * two blocks of 16 warps are on a multiprocessor.
 */
GPUAGG_FN double
gpuagg_local_part_slots(uint32_t sm_bytes, uint32_t entry_bytes, uint32_t row_bytes)
{
	return (sm_bytes / 2 - GPUAGG_LOCAL_OVERHEAD - 16 * gpuagg_local_stage_bytes(row_bytes)) /
		entry_bytes;
}

/* So many bits, on both levels of partitioning; bits[1] 0: one is enough */
GPUAGG_FN void
gpuagg_radix_levels(uint32_t all, uint32_t *bits)
{
	bits[1] = all > GPUAGG_RADIX_LEVEL_BITS ? all / 2 : 0;
	bits[0] = all - bits[1];
}

/*
 * Bits of both levels, so that the groups of a partition fill a table of so
 * many places no more than `fill`, or `dear_fill` where bits are dear
 */
GPUAGG_FN void
gpuagg_radix_bits(double groups, double slots, double fill, double dear_fill, uint32_t *bits)
{
	uint32_t	all = GPUAGG_RADIX_LEAST_BITS;

	while (all < GPUAGG_RADIX_MOST_BITS &&
		   groups / (double) ((uint64_t) 1 << all) >
		   slots * (all < GPUAGG_RADIX_DEAR_BITS ? fill : dear_fill))
		all++;
	gpuagg_radix_levels(all, bits);
}

#endif							/* GPUAGG_DEVICE_LOCAL_H */
