/*
 * expressions.h
 *		Inside the generator: text as it grows, and registers as text.
 */
#ifndef GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H
#define GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H

#include "codegen.h"
#include "device/layout.h"

typedef struct GpuAggWriter
{
	const GpuAggProgram *program;
	char	   *text;
	size_t		bytes;
	size_t		room;
	bool		failed;			/* no memory */
	GpuAggCodegenArgs args;
	const uint8_t *early;		/* columns of the filter */
	const char *quads[2];		/* what these are called, and the others */
	uint32_t	nnumbers;
	uint16_t	number[GPUAGG_MAX_REGS];	/* in the text, of registers that are no
											 * columns; 0: none yet */
	uint8_t		written[GPUAGG_MAX_REGS];	/* in this function */
} GpuAggWriter;

extern void gpuagg_writer_init(GpuAggWriter *w, const GpuAggProgram *program);
extern void gpuagg_write(GpuAggWriter *w, const char *format,...)
	__attribute__((format(printf, 2, 3)));

/* A function begins: no register has been computed in it. */
extern void gpuagg_write_begin(GpuAggWriter *w, const char *early, const char *late);

/* A register, and first whatever it is made of */
extern void gpuagg_write_register(GpuAggWriter *w, uint16_t reg);

/* A register's number in the text */
extern uint32_t gpuagg_write_number(GpuAggWriter *w, uint16_t reg);

/* Of a column: the type of four values, their bytes; is it a string in a dictionary? */
extern const char *gpuagg_write_quad(const GpuAggWriter *w, uint32_t column);
extern uint32_t gpuagg_write_column_bytes(const GpuAggWriter *w, uint32_t column);
extern bool gpuagg_write_is_text(const GpuAggWriter *w, uint32_t column);

/* Argument registers of an instruction; their number */
extern uint32_t gpuagg_instr_args(const GpuAggInstr *ins, uint16_t *args);

/* A transition's name in C */
extern const char *gpuagg_write_transition(uint32_t op);

#endif							/* GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H */
