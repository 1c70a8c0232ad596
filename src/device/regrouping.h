/*
 * regrouping.h
 *		What a device makes of a finished task's groups, where these are finer than the
 *		query's: it groups them once more, by some of their keys.
 *
 * The groups that are made have a program of their own, of nothing but keys and
 * transitions, as which their rows are laid out (layout.h).  A state of theirs merges a
 * state of the finer groups, or a key's value enters it, once for each of these that has
 * one: so values are counted that are distinct.
 *
 * There may be several sets of them, of which each has some of the keys, and the
 * others NULL.  Behind the keys are int4 constants, by which sets differ.  A set
 * is made of the finer groups, or of those of a set that has its keys and more.
 *
 * The last sets may be hidden: they are not returned, and are there for others to be made
 * of.  Their groups have keys beyond those that are returned, of which the values enter
 * where a set is made of a hidden one, and no constants; what enters of a key is
 * initial in them.  So distinct values are counted where several of the finer groups
 * have the same one.
 *
 * device/ops/regrouping_row.h has the functions.  A device need not do it: its statistics
 * tell whether it has (GpuAggTaskStats.regrouped).
 */
#ifndef GPUAGG_DEVICE_REGROUPING_H
#define GPUAGG_DEVICE_REGROUPING_H

#include "device/program.h"

#define GPUAGG_REGROUPING_SETS 32
#define GPUAGG_REGROUPING_CONSTANTS 9

/* A set made of the finer groups */
#define GPUAGG_REGROUPING_FINER (-1)

typedef struct GpuAggRegroupingState
{
	uint8_t		op;				/* GpuAggTransOp */
	uint8_t		type;			/* GpuAggType of its argument */
	uint8_t		of_key;			/* 1: a key's value enters; 0: a state is merged; 2: neither,
								 * it stays as it begins */
	uint8_t		from;			/* which key, or transition, of the finer groups */
} GpuAggRegroupingState;

typedef struct GpuAggRegroupingSet
{
	uint32_t	keys;			/* bits of those that it has; of a hidden set extra ones, too */
	int32_t		parent;			/* of whose groups it is made: a set behind it, or FINER */
	int32_t		constants[GPUAGG_REGROUPING_CONSTANTS];
} GpuAggRegroupingSet;

typedef struct GpuAggRegrouping
{
	uint8_t		nsets;			/* 0: groups are wanted as they are */
	uint8_t		nkeys;
	uint8_t		nconstants;
	uint8_t		nstates;
	uint8_t		grouped;		/* 0: a set without keys has a group even of none */
	uint8_t		keys[GPUAGG_MAX_KEYS];	/* keys of the finer groups, extra ones behind */
	uint8_t		nhidden;		/* sets that are hidden, the last ones */
	uint8_t		nextra;			/* keys that hidden sets may have beside `nkeys` */
	uint8_t		pad[2];
	GpuAggRegroupingState states[GPUAGG_MAX_TRANSITIONS];
	GpuAggRegroupingSet sets[GPUAGG_REGROUPING_SETS];
} GpuAggRegrouping;

#endif							/* GPUAGG_DEVICE_REGROUPING_H */
