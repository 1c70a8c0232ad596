/*
 * prepared.h
 *		What one task's threads share and never change: its program, checked
 *		and copied, and all that follows from the program alone.
 *
 * Built by gpuagg_prepared_create() when a task begins, freed when it ends;
 * read without locks in between.
 */
#ifndef GPUAGG_HOST_PREPARED_H
#define GPUAGG_HOST_PREPARED_H

#include "device/layout.h"
#include "device/ops/stages.h"
#include "device/stripe.h"
#include "host/host_memory.h"

/* How two key images are compared; group_table.c has a probe for each. */
typedef enum GpuAggKeyMode
{
	GPUAGG_KEYS_NONE,			/* one group */
	GPUAGG_KEYS_WORD,			/* head and one 4-byte key: 8 bytes */
	GPUAGG_KEYS_TWO_WORDS,		/* one 8-byte key, or three of 4 bytes */
	GPUAGG_KEYS_WORDS,			/* more, equal if their bytes are */
	GPUAGG_KEYS_STRING,			/* one text key */
	GPUAGG_KEYS_TYPED			/* the types decide: floats, char(n), text */
} GpuAggKeyMode;

/*
 * A stretch of a tuple without NULLs: attributes [first, fixed) of variable
 * length, then, from an aligned start, attributes of fixed length at fixed
 * distances from it.
 */
typedef struct GpuAggStretch
{
	uint16_t	first;
	uint16_t	fixed;
	uint16_t	align;			/* of the start */
	uint16_t	anchor;			/* the start's number, or GPUAGG_NO_ANCHOR */
	uint32_t	bytes;			/* of the fixed part */
} GpuAggStretch;

/* Starts that a decoder remembers for each tuple of a page */
#define GPUAGG_MAX_ANCHORS 8
#define GPUAGG_NO_ANCHOR 0xFFFF

/* A loaded attribute in the fixed part of a stretch */
typedef struct GpuAggFixedColumn
{
	uint16_t	attr;
	uint16_t	anchor;
	uint32_t	off;			/* from the anchor */
} GpuAggFixedColumn;

typedef struct GpuAggPrepared
{
	GpuAggProgram *program;		/* own copy */
	GpuAggLayout layout;
	GpuAggKeyMode key_mode;
	uint32_t	key_bytes;		/* head and keys: the start of a row */
	char	   *first_row;		/* a row with no keys and initial states */
	bool		long_keys;		/* a key may point outside its row */
	bool		long_states;	/* a state may */

	/*
	 * Decoding.  Tuples without NULLs are crossed stretch by stretch up to
	 * attribute walk_from; then their fixed columns are loaded one column
	 * after the other.  Attributes from walk_from on (those behind too many
	 * anchors) are walked one by one.
	 */
	GpuAggStretch *stretches;
	uint32_t	nstretches;
	GpuAggFixedColumn *columns;
	uint32_t	ncolumns;
	uint32_t	walk_from;
	bool		fixed_only;		/* one stretch, nothing of variable length */

	/* NULL, or for each column NULL or what makes codes of its strings */
	GpuAggDictionary **dictionaries;

	/* The filter's stages, and registers that rows which one leaves carry along. */
	GpuAggStages stages;
	uint16_t   *carry[GPUAGG_STAGES];
	uint32_t	ncarry[GPUAGG_STAGES];
	size_t		bytes;			/* of this whole block */
} GpuAggPrepared;

/*
 * Copies program and dictionaries (NULL: none) and derives the prepared
 * program.  NULL: no memory (GPUAGG_OUT_OF_MEMORY) or not a program that runs
 * here (GPUAGG_UNSUPPORTED).
 */
extern GpuAggPrepared *gpuagg_prepared_create(const GpuAggProgram *program,
										GpuAggDictionary *const *dictionaries,
										GpuAggMemory *memory,
										GpuAggError *error);

/*
 * gpuagg_prepared_create of groups that are made of others: a program of nothing but keys and
 * transitions, which is our own
 */
extern GpuAggPrepared *gpuagg_prepared_of_groups(const GpuAggProgram *program,
												 GpuAggMemory *memory, GpuAggError *error);

extern void gpuagg_prepared_free(GpuAggPrepared *prepared, GpuAggMemory *memory);

#endif							/* GPUAGG_HOST_PREPARED_H */
