/*
 * local.h
 *		Group tables in the shared memory of a GPU's blocks: what an entry takes,
 *		how many fit, and into how many parts rows must be partitioned for it.
 *
 * Grouping in device memory (cuda/groupby/groupby.h) makes its tables so, and
 * device/choice/strategy.h reckons with it; both ask here.
 */
#ifndef GPUAGG_DEVICE_CHOICE_LOCAL_H
#define GPUAGG_DEVICE_CHOICE_LOCAL_H

#include "device/ops/record.h"
#include "limits.h"

/* How such a table keeps a state (cuda/groupby/groupby_local.cuh) */
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

/* Kernels have versions for these keys. */
typedef enum GpuAggKeyShape
{
	GPUAGG_KEY_I32,				/* one of 4 bytes, never NULL */
	GPUAGG_KEY_I64,				/* one integer of 8 bytes, never NULL */
	GPUAGG_KEY_ANY
} GpuAggKeyShape;

/* Slots of 4-byte integer keys that are read at once */
#define GPUAGG_BUCKET_SLOTS 4

/* Tables for few rows a group (cuda/groupby/groupby_few_rows.cuh) */
typedef enum GpuAggFewRows
{
	GPUAGG_FEW_ROWS_NOT,
	GPUAGG_FEW_ROWS_WORDS,
	GPUAGG_FEW_ROWS_PACKED		/* count and sum in two words */
} GpuAggFewRows;

/* Rows of a partition that is grouped so, at most: what 16 bits count */
#define GPUAGG_FEW_ROWS_MAX_ROWS 65535

/*
 * Rows of an expected group below which groups have few rows; slots that their
 * steps need, the fill at which probes are still few, blocks of a
 * multiprocessor, and their threads
 */
#define GPUAGG_FEW_ROWS_ROWS 16
#define GPUAGG_FEW_ROWS_SLOTS 64
#define GPUAGG_FEW_ROWS_FILL 0.8
#define GPUAGG_FEW_ROWS_BLOCKS 2
#define GPUAGG_FEW_ROWS_THREADS 512

/* What of rows decides how they are partitioned */
typedef struct GpuAggPartRows
{
	uint8_t		key;			/* GpuAggKeyShape */
	uint8_t		fast;			/* one integer key, one 4-byte argument at most, and
								 * no state that needs whole words */
	uint8_t		pairs;			/* fast, with an argument */
	uint8_t		packed;			/* fast, and nothing but one count and one sum */
} GpuAggPartRows;

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
		if (trans[i].filter != GPUAGG_NO_REG || gpuagg_transition_squares(trans[i].op) ||
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

/* Entries for groups that nobody expected, where there is room for copies */
#define GPUAGG_PAGE_LOCAL_LEAST 256

/* Keys of an entry there, its head included, at most */
#define GPUAGG_PAGE_LOCAL_KEY_BYTES 48

/*
 * Entries of a block's own table in the kernels that group pages, and rows without a
 * compiled kernel, for so many expected groups; 0: no such table.  Entries of so many
 * bytes, of which so many come before the states; string states need locks, which it has
 * not.  forced: as many as there is room for.
 */
GPUAGG_FN uint32_t
gpuagg_page_local_entries(double groups, bool keyed, uint32_t entry_bytes, uint32_t key_bytes,
						  bool locked, bool forced)
{
	uint64_t	entries = 1;

	while (keyed && (double) entries < 2 * groups + 16 && entries < GPUAGG_LOCAL_MAX_BYTES)
		entries *= 2;
	while (forced && entries > 1 && entries * entry_bytes > GPUAGG_LOCAL_MAX_BYTES)
		entries /= 2;
	if (entries > 1 && entries < GPUAGG_PAGE_LOCAL_LEAST &&
		2 * (uint64_t) GPUAGG_PAGE_LOCAL_LEAST * entry_bytes <= GPUAGG_LOCAL_MAX_BYTES)
		entries = GPUAGG_PAGE_LOCAL_LEAST;
	return locked || key_bytes > GPUAGG_PAGE_LOCAL_KEY_BYTES ||
		entries * entry_bytes > GPUAGG_LOCAL_MAX_BYTES ? 0 : (uint32_t) entries;
}

/* The most groups that get one; 0: none */
GPUAGG_FN double
gpuagg_page_local_groups(uint32_t entry_bytes, uint32_t key_bytes, bool locked)
{
	uint32_t	entries = 1;

	while (entry_bytes > 0 && 2 * entries * entry_bytes <= GPUAGG_LOCAL_MAX_BYTES)
		entries *= 2;
	return locked || key_bytes > GPUAGG_PAGE_LOCAL_KEY_BYTES || entries <= 16 ? 0 :
																				(entries - 16) / 2;
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

GPUAGG_FN GpuAggKeyShape
gpuagg_local_key_shape(const GpuAggProgram *p, const GpuAggRecord *record)
{
	if (p->nkeys != 1 || record->has_head || record->fields[0].cls != GPUAGG_CLASS_I64)
		return GPUAGG_KEY_ANY;
	return gpuagg_local_key_is_word(p, record) ? GPUAGG_KEY_I32 : GPUAGG_KEY_I64;
}

GPUAGG_FN bool
gpuagg_local_is_fast(const GpuAggProgram *p, const GpuAggRecord *record)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (gpuagg_local_key_shape(p, record) == GPUAGG_KEY_ANY || record->nfields > 2)
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (gpuagg_local_kind_of(record, trans, i) == GPUAGG_LOCAL_STATE ||
			(record->arg_field[i] != GPUAGG_NO_FIELD &&
			 record->arg_field[i] != record->nfields - 1))
			return false;
	return record->nfields < 2 || record->fields[1].bytes == 4;
}

GPUAGG_FN void
gpuagg_part_rows(const GpuAggProgram *p, const GpuAggRecord *record, GpuAggPartRows *rows)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	kinds = 0;

	for (uint32_t i = 0; i < p->ntransitions; i++)
		kinds |= 1u << gpuagg_local_kind_of(record, trans, i);
	rows->key = (uint8_t) gpuagg_local_key_shape(p, record);
	rows->fast = gpuagg_local_is_fast(p, record);
	rows->pairs = rows->fast && record->nfields == 2;
	rows->packed = rows->pairs && p->ntransitions == 2 &&
		kinds == (1u << GPUAGG_LOCAL_COUNT | 1u << GPUAGG_LOCAL_SUM);
}

GPUAGG_FN uint32_t
gpuagg_local_key_bytes(uint32_t key)
{
	return key == GPUAGG_KEY_I32 ? 4 : 8;
}

/*
 * At most so many slots: a prime number of buckets, or of slots, lest a key's
 * steps come back to where they began before they have been everywhere
 */
GPUAGG_FN uint32_t
gpuagg_local_good_slots(uint32_t key, uint32_t max)
{
	const uint32_t each = key == GPUAGG_KEY_I32 ? GPUAGG_BUCKET_SLOTS : 1;
	uint32_t	n = max / each > 3 ? max / each : 3;

	for (;; n--)
	{
		uint32_t	i = 2;

		while (i * i <= n && n % i != 0)
			i++;
		if (i * i > n)
			return n * each;
	}
}

/* Shared memory of a block that groups few rows of each group */
GPUAGG_FN uint32_t
gpuagg_few_rows_bytes(uint32_t sm_bytes)
{
	return (sm_bytes / GPUAGG_FEW_ROWS_BLOCKS - GPUAGG_LOCAL_OVERHEAD) / 16 * 16;
}

/* Slots of so many bytes of states there; wanted: at most so many, 0: any number */
GPUAGG_FN uint32_t
gpuagg_few_rows_slots(uint32_t key, uint32_t sm_bytes, uint32_t state_bytes,
					uint32_t stage_bytes, uint32_t wanted)
{
	const uint32_t room = gpuagg_few_rows_bytes(sm_bytes) - 16 -
		GPUAGG_FEW_ROWS_THREADS / 32 * stage_bytes;
	const uint32_t most = room / (gpuagg_local_key_bytes(key) + state_bytes) - 1;

	return gpuagg_local_good_slots(key, wanted > 0 && wanted < most ? wanted : most);
}

/* Bytes of states of a slot */
GPUAGG_FN uint32_t
gpuagg_few_rows_state_bytes(GpuAggFewRows kind, uint32_t state_bytes)
{
	return kind == GPUAGG_FEW_ROWS_PACKED ? 8 : state_bytes;
}

/* Are so many rows of so many groups few of each?  groups: rows of row_bytes */
GPUAGG_FN GpuAggFewRows
gpuagg_few_rows_kind(const GpuAggPartRows *r, uint32_t sm_bytes, uint32_t state_bytes,
				   uint32_t row_bytes, double rows, double groups, uint32_t wanted)
{
	const uint32_t stage_bytes = gpuagg_local_stage_bytes(row_bytes);
	const GpuAggFewRows kind = r->packed ? GPUAGG_FEW_ROWS_PACKED : GPUAGG_FEW_ROWS_WORDS;

	if (!r->pairs || groups * GPUAGG_FEW_ROWS_ROWS <= rows || stage_bytes == 0 ||
		gpuagg_few_rows_slots(r->key, sm_bytes, gpuagg_few_rows_state_bytes(kind, state_bytes),
							stage_bytes, wanted) < GPUAGG_FEW_ROWS_SLOTS)
		return GPUAGG_FEW_ROWS_NOT;
	return kind;
}

/* Bits of both levels for so many rows of so many groups */
GPUAGG_FN void
gpuagg_part_bits(const GpuAggPartRows *r, uint32_t sm_bytes, uint32_t entry_bytes,
				 uint32_t row_bytes, double rows, double groups, uint32_t wanted,
				 uint32_t *bits)
{
	const uint32_t states = entry_bytes - gpuagg_local_key_bytes(r->key);
	const GpuAggFewRows kind = gpuagg_few_rows_kind(r, sm_bytes, states, row_bytes, rows, groups,
												 wanted);
	uint32_t	all;

	if (kind == GPUAGG_FEW_ROWS_NOT)
	{
		gpuagg_radix_bits(groups, gpuagg_local_part_slots(sm_bytes, entry_bytes, row_bytes),
						  GPUAGG_RADIX_FILL, GPUAGG_RADIX_DEAR_FILL, bits);
		return;
	}
	gpuagg_radix_bits(groups,
					  gpuagg_few_rows_slots(r->key, sm_bytes,
										  gpuagg_few_rows_state_bytes(kind, states),
										  gpuagg_local_stage_bytes(row_bytes), wanted),
					  GPUAGG_FEW_ROWS_FILL, GPUAGG_FEW_ROWS_FILL, bits);
	/* half of what a partition may have, lest skew makes others of many */
	all = bits[0] + bits[1];
	while ((uint64_t) rows >> all > GPUAGG_FEW_ROWS_MAX_ROWS / 2)
		all++;
	gpuagg_radix_levels(all, bits);
}

#endif							/* GPUAGG_DEVICE_CHOICE_LOCAL_H */
