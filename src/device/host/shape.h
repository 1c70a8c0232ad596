/*
 * shape.h
 *		What one task's threads share and never change: its program, checked
 *		and copied, and all that follows from the program alone.
 *
 * Built by gpuagg_shape_create() when a task begins, freed when it ends;
 * read without locks in between.
 */
#ifndef GPUAGG_DEVICE_HOST_SHAPE_H
#define GPUAGG_DEVICE_HOST_SHAPE_H

#include "device/host/memory.h"
#include "device/layout.h"

/* How two key images are compared; table.c has a probe for each. */
typedef enum GpuAggKeyMode
{
	GPUAGG_KEYS_NONE,			/* one group */
	GPUAGG_KEYS_WORD,			/* head and one 4-byte key: 8 bytes */
	GPUAGG_KEYS_TWO_WORDS,		/* one 8-byte key, or three of 4 bytes */
	GPUAGG_KEYS_WORDS,			/* more, equal if their bytes are */
	GPUAGG_KEYS_STRING,			/* one text key */
	GPUAGG_KEYS_TYPED			/* the types decide: floats, char(n), text */
} GpuAggKeyMode;

typedef struct GpuAggShape
{
	GpuAggProgram *program;		/* own copy */
	GpuAggLayout layout;
	GpuAggKeyMode key_mode;
	uint32_t	key_bytes;		/* head and keys: the start of a row */
	char	   *first_row;		/* a row with no keys and initial states */
	bool		long_keys;		/* a key may point outside its row */
	bool		long_states;	/* a state may */

	/*
	 * Decoding.  Loaded attributes at a fixed offset are read column by
	 * column from full tuples; if there are others, each tuple is walked
	 * from attribute walk_from, which starts at walk_off.
	 */
	uint16_t   *fixed;			/* attribute numbers */
	uint32_t	nfixed;
	uint32_t	fixed_bytes;	/* what a tuple needs to hold all of them */
	bool		walks;
	uint32_t	walk_from;
	uint32_t	walk_off;

	/* Registers that rows passing the filter carry along. */
	uint16_t   *carry;
	uint32_t	ncarry;
	size_t		bytes;			/* of this whole block */
} GpuAggShape;

/*
 * Copies the program and derives the shape.  NULL: no memory
 * (GPUAGG_OUT_OF_MEMORY) or not a program that runs here
 * (GPUAGG_UNSUPPORTED).
 */
extern GpuAggShape *gpuagg_shape_create(const GpuAggProgram *program,
										GpuAggMemory *memory,
										GpuAggError *error);
extern void gpuagg_shape_free(GpuAggShape *shape, GpuAggMemory *memory);

#endif							/* GPUAGG_DEVICE_HOST_SHAPE_H */
