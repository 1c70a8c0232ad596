/*
 * frame_rule.h
 *		Where a compiled kernel over columns that stay has its groups, and how it is
 *		named in EXPLAIN.
 *
 * The device asks with what its columns' zones tell (cuda/columns/compiled_path.cu), the
 * planner with what statistics tell: so the strategy of a plan is the one that runs, as
 * far as both know the same.
 *
 *	1.	keys of small ranges number the groups: in shared memory if they fit, be it with one
 *		block a multiprocessor, else in as many entries as the card's cache holds;
 *	2.	few groups are in a hash table of each block;
 *	3.	of a strategy that keeps rows, they are kept, if they have records;
 *	4.	otherwise they are in the task's table.
 *
 * A strategy that is forced is not left, nor one that has kept rows, nor sorting for what it leaves
 * out, which has been weighed against all others.
 */
#ifndef GPUAGG_DEVICE_CHOICE_FRAME_RULE_H
#define GPUAGG_DEVICE_CHOICE_FRAME_RULE_H

#include "device/compiled.h"
#include "ranges.h"
#include "strategy.h"

/* Blocks of a multiprocessor with groups in shared memory */
#define GPUAGG_FRAME_BLOCKS 2

/* Slots of a block's hash table: a power of two, at least and at most */
#define GPUAGG_FRAME_LEAST_SLOTS 64
#define GPUAGG_FRAME_MOST_SLOTS (UINT32_C(1) << 19)

typedef struct GpuAggFrameCase
{
	GpuAggStrategy strategy;	/* the strategy that was chosen for stripes */
	bool		forced;			/* this strategy is not to be left */
	bool		leaves_out;		/* where rows are sorted, most of their groups need not be made */
	bool		kept;			/* rows are kept already */
	bool		whole;			/* no hash windows */
	bool		keyed;			/* there are groups at all */
	bool		filtered;
	bool		packs;			/* rows have records */
	bool		defers;			/* columns are read as they lie when rows are kept */
	double		groups;			/* expected */
	double		numbers;		/* of groups by their keys' ranges; 0: not known */
	uint32_t	entry_bytes;	/* of a group in device memory */
	uint32_t	key_bytes;		/* of a group in device memory, before its states */
	uint32_t	state_bytes;	/* of a group's states in shared memory */
	double		unit_shared_bytes;	/* of a multiprocessor */
} GpuAggFrameCase;

/* Shared memory that a block may have for groups */
GPUAGG_FN uint32_t
gpuagg_frame_room(double unit_shared_bytes)
{
	const double room = unit_shared_bytes / GPUAGG_FRAME_BLOCKS - GPUAGG_LOCAL_OVERHEAD;

	return room > 0 ? (uint32_t) room : 0;
}

/* Shared memory for groups that are numbered, of a block that has a multiprocessor for itself */
GPUAGG_FN uint32_t
gpuagg_frame_most_room(double unit_shared_bytes)
{
	const double room = unit_shared_bytes - GPUAGG_LOCAL_OVERHEAD;

	return room > 0 ? (uint32_t) room : 0;
}

/* What so many groups take there; keys only where they are looked up */
GPUAGG_FN double
gpuagg_frame_shared_bytes(double groups, uint32_t key_bytes, uint32_t state_bytes,
						  uint32_t copies_log2)
{
	const uint64_t copies = (uint64_t) groups << copies_log2;

	/* regions of 8 bytes are aligned: an even number of states (cuda/frame/shared.cuh) */
	return groups * key_bytes + (double) ((copies + 1) & ~UINT64_C(1)) * state_bytes;
}

/* Slots of a block's hash table for so many groups; 0: too many */
GPUAGG_FN uint32_t
gpuagg_frame_slots(double groups)
{
	uint32_t	slots = GPUAGG_FRAME_LEAST_SLOTS;

	while (slots < 2 * groups && slots <= GPUAGG_FRAME_MOST_SLOTS)
		slots *= 2;
	return slots <= GPUAGG_FRAME_MOST_SLOTS ? slots : 0;
}

/* Have they room by number, or in a hash table? */
GPUAGG_FN bool
gpuagg_frame_numbers_fit(const GpuAggFrameCase *c)
{
	return gpuagg_frame_shared_bytes(c->numbers, 0, c->state_bytes, 0) <=
		gpuagg_frame_most_room(c->unit_shared_bytes);
}

GPUAGG_FN bool
gpuagg_frame_slots_fit(const GpuAggFrameCase *c)
{
	const uint32_t slots = gpuagg_frame_slots(c->groups);

	return slots > 0 && gpuagg_frame_shared_bytes(slots, c->key_bytes, c->state_bytes, 0) <=
		gpuagg_frame_room(c->unit_shared_bytes);
}

/* Groups up to which they have, for the chooser of strategies; 0: none */
GPUAGG_FN double
gpuagg_frame_local_groups(const GpuAggFrameCase *c)
{
	GpuAggFrameCase most = *c;

	if (c->numbers > 0 && gpuagg_frame_numbers_fit(c))
		return c->numbers;
	most.groups = GPUAGG_FRAME_MOST_SLOTS / 2;
	while (most.groups >= 1 && !gpuagg_frame_slots_fit(&most))
		most.groups /= 2;
	return most.groups >= 1 ? most.groups : 0;
}

/*
 * Rows are kept: what passes, if columns are then read as they lie, which without a
 * filter needs no kernel; records of all others.
 */
GPUAGG_FN bool
gpuagg_frame_kept(const GpuAggFrameCase *c, GpuAggFrame *frame)
{
	*frame = c->defers ? GPUAGG_FRAME_SELECTED : GPUAGG_FRAME_PACKED;
	return c->defers ? c->filtered : c->packs;
}

/* By number.  False: not known, or too many, or the strategy is another one. */
GPUAGG_FN bool
gpuagg_frame_numbered(const GpuAggFrameCase *c, bool local, bool single, GpuAggFrame *frame)
{
	if (c->numbers <= 0)
		return false;
	*frame = local && gpuagg_frame_numbers_fit(c) ? GPUAGG_FRAME_DIRECT : GPUAGG_FRAME_DENSE;
	return *frame == GPUAGG_FRAME_DIRECT ||
		(single && c->numbers * c->entry_bytes <= (double) GPUAGG_NUMBERED_BYTES);
}

/* False: no frame fits, and the interpreter groups, or nothing need run before rows are kept. */
GPUAGG_FN bool
gpuagg_frame_choose(const GpuAggFrameCase *c, GpuAggFrame *frame)
{
	const bool	defers = (GPUAGG_STRATEGY_BIT(c->strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;
	const bool	keeps = c->packs && defers;
	const bool	sorts = c->leaves_out && c->packs && c->strategy == GPUAGG_STRATEGY_SORTED;
	const bool	stays = c->forced || sorts;
	const bool	local = !stays || c->strategy == GPUAGG_STRATEGY_BLOCK_LOCAL;
	const bool	single = !stays || c->strategy == GPUAGG_STRATEGY_SINGLE_PASS;
	/* numbers in device memory, unless rows that can be kept are to be */
	const bool	dense = single && !(defers && (c->packs || c->defers));

	*frame = GPUAGG_FRAME_PLAIN;
	if (c->kept)
		return gpuagg_frame_kept(c, frame);
	if (!c->keyed)
		return true;
	if (c->whole && (local || single) && gpuagg_frame_numbered(c, local, dense, frame))
		return true;
	*frame = GPUAGG_FRAME_HASHED;
	if (c->whole && local && gpuagg_frame_slots_fit(c))
		return true;
	if (keeps && gpuagg_frame_kept(c, frame))
		return true;
	*frame = GPUAGG_FRAME_SINGLE;
	return single && !keeps;
}

/* The strategy that runs with it */
GPUAGG_FN GpuAggStrategy
gpuagg_frame_runs(GpuAggFrame frame, GpuAggStrategy strategy)
{
	switch (frame)
	{
		case GPUAGG_FRAME_DIRECT:
		case GPUAGG_FRAME_HASHED:
			return GPUAGG_STRATEGY_BLOCK_LOCAL;
		case GPUAGG_FRAME_DENSE:
		case GPUAGG_FRAME_SINGLE:
			return GPUAGG_STRATEGY_SINGLE_PASS;
		default:
			return strategy;
	}
}

#endif							/* GPUAGG_DEVICE_CHOICE_FRAME_RULE_H */
