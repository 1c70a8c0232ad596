/*
 * codegen.h
 *		Programs as C++: a row of a stripe evaluated by straight-line calls of the
 *		operators, for kernels that are compiled for a query (cuda/frame/).
 *
 * The text defines a structure with everything that a frame asks of a program:
 * which columns are loaded, before and after the filter; whether a row passes;
 * its keys and arguments; the states that it enters.  It means what
 * device/ops/eval.h and the interpreting kernels do with the same program, states
 * (NULL, errors) included.
 *
 * Equal shapes have equal texts: values of constants are arguments, registers are
 * numbered as they are first used, and what no output needs is left out.  Of look-up
 * tables a text knows whether they are bits or slots, and how columns lie in them.
 */
#ifndef GPUAGG_DEVICE_CODEGEN_CODEGEN_H
#define GPUAGG_DEVICE_CODEGEN_CODEGEN_H

#include "device/compiled.h"
#include "device/ops/record.h"
#include "device/program.h"

/* Constants, and IN lists, of a text, at most */
#define GPUAGG_CODEGEN_CONSTS 64
#define GPUAGG_CODEGEN_LISTS 16

/* Look-up tables of bits, and columns of look-up tables, that it knows the place of */
#define GPUAGG_CODEGEN_TABLES 16
#define GPUAGG_CODEGEN_FETCHED 32

/* Bytes of a string that is a minimum or maximum: fewer (cuda/frame/handle.cuh) */
#define GPUAGG_CODEGEN_STRING 0x7FFF

/* Threads of a block; of one that has groups whose states shared memory adds up in loops */
#define GPUAGG_CODEGEN_THREADS 512
#define GPUAGG_CODEGEN_LOOP_THREADS 384

/* Keys of groups that are numbered by their values, at most */
#define GPUAGG_CODEGEN_NUMBERED 8

/* Where a text's arguments come from */
typedef struct GpuAggCodegenArgs
{
	uint32_t	nconsts;
	uint32_t	nlists;
	uint32_t	ntables;
	uint32_t	nfetched;
	uint16_t	consts[GPUAGG_CODEGEN_CONSTS];	/* registers */
	uint16_t	lists[GPUAGG_CODEGEN_LISTS];	/* instructions */
	uint16_t	tables[GPUAGG_CODEGEN_TABLES];	/* registers */
	struct
	{
		uint32_t	table;		/* register */
		uint32_t	column;
	}			fetched[GPUAGG_CODEGEN_FETCHED];
} GpuAggCodegenArgs;

typedef struct GpuAggCodegen
{
	char	   *text;			/* malloc'ed; NULL: no memory */
	size_t		bytes;
	char		shape[96];		/* for people */
	GpuAggCodegenArgs args;
	uint32_t	shared_bytes;	/* of a group's states in shared memory */
	uint32_t	threads;		/* of a block of its kernel, at most */
} GpuAggCodegen;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Can a program be text at all?  Else *reason is a static string: if it selects all rows,
 * is too long, or may have a minimum of a very long string.
 */
extern bool gpuagg_codegen_takes(const GpuAggProgram *program, const char **reason);

/* Can its groups be numbered: are all keys integers or columns of strings, and not too many? */
extern bool gpuagg_codegen_numbers(const GpuAggProgram *program);

/* Has a row of it a record (device/ops/record.h), as rows come? */
extern bool gpuagg_codegen_packs(const GpuAggProgram *program);

/*
 * Offset, in an entry, of a count that is not 0 in groups that are there, but for
 * those whose head says so; 0: there is none.  Of frames that number groups.
 */
extern uint32_t gpuagg_codegen_counted(const GpuAggProgram *program);

/* Bytes of a group's states in shared memory: GpuAggCodegen.shared_bytes, without a text */
extern uint32_t gpuagg_codegen_shared_bytes(const GpuAggProgram *program);

/* The name of a text's kernel */
#define GPUAGG_CODEGEN_ENTRY "gpuagg_query_kernel"

/*
 * The program of rows that PostgreSQL has evaluated: the same groups, but columns are the
 * program's outputs and nothing is computed.  malloc'ed; NULL: no memory.
 */
extern GpuAggProgram *gpuagg_rows_program(const GpuAggProgram *program);

/*
 * A kernel's text, of a program that it takes; SELECTED has its filter alone.  record:
 * what rows become, where that is another program's of the same groups; NULL: its own.
 * packed: its columns may be packed (device/ops/packed.h), which costs those that are not some
 * time.
 */
extern void gpuagg_codegen_kernel(const GpuAggProgram *program, const GpuAggRecord *record,
								  bool packed, GpuAggFrame frame, GpuAggCodegen *out);

/*
 * As gpuagg_codegen_kernel, from what was written for such a program before, whatever its literals
 * were (texts.c).  For one thread; forget: all of what was written.
 */
extern void gpuagg_codegen_kernel_again(const GpuAggProgram *program, const GpuAggRecord *record,
										bool packed, GpuAggFrame frame, GpuAggCodegen *out);
extern void gpuagg_codegen_forget(void);

/* The structure alone, by that name */
extern void gpuagg_codegen_program(const GpuAggProgram *program, const GpuAggRecord *record,
								   bool packed, const char *name, GpuAggCodegen *out);

/* A frame's header in cuda/frame/; its strategy, as EXPLAIN tells it */
extern const char *gpuagg_frame_name(GpuAggFrame frame);
extern const char *gpuagg_frame_strategy(GpuAggFrame frame);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_CODEGEN_CODEGEN_H */
