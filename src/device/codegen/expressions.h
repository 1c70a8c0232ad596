/*
 * expressions.h
 *		Inside the generator: text as it grows, and registers as text.
 */
#ifndef GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H
#define GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H

#include "codegen.h"
#include "device/layout.h"
#include "device/ops/stages.h"

typedef struct GpuAggWriter
{
	const GpuAggProgram *program;
	bool		packed;			/* columns may be */
	char	   *text;
	size_t		bytes;
	size_t		room;
	bool		failed;			/* no memory */
	GpuAggCodegenArgs args;
	GpuAggStages stages;
	uint32_t	stage;			/* that is written; n: rows that pass */
	uint32_t	nnumbers;
	uint16_t	number[GPUAGG_MAX_REGS];	/* in the text, of registers that are no
											 * columns; 0: none yet */
	uint8_t		written[GPUAGG_MAX_REGS];	/* in this function */
} GpuAggWriter;

extern void gpuagg_writer_init(GpuAggWriter *w, const GpuAggProgram *program, bool packed);
extern void gpuagg_write(GpuAggWriter *w, const char *format,...)
	__attribute__((format(printf, 2, 3)));

/* The function of a stage begins: no register has been computed in it. */
extern void gpuagg_write_begin(GpuAggWriter *w, uint32_t stage);

/* A register, and first whatever it is made of */
extern void gpuagg_write_register(GpuAggWriter *w, uint16_t reg);

/* A look-up, or what is fetched, that the text knows the place of; false: it does not */
extern bool gpuagg_write_lookup(GpuAggWriter *w, const GpuAggInstr *ins);

/* A look-up among bits, or a number that is fetched: a few instructions */
extern bool gpuagg_lookup_is_short(const GpuAggProgram *program, const GpuAggInstr *ins);

/* A register's number in the text */
extern uint32_t gpuagg_write_number(GpuAggWriter *w, uint16_t reg);

/* Of a column: the type of four values; is it a string in a dictionary? */
extern const char *gpuagg_write_quad(const GpuAggWriter *w, uint32_t column);
extern bool gpuagg_write_is_text(const GpuAggWriter *w, uint32_t column);

/* Where its function finds it: loaded by the first stage, a later one, or for rows that pass */
extern const char *gpuagg_write_loaded(const GpuAggWriter *w, uint32_t column);

/* ---------- keys ---------- */

GPUAGG_FN bool
gpuagg_key_is_integer(const GpuAggKey *key)
{
	return gpuagg_key_class(key->type) == GPUAGG_CLASS_I64;
}

GPUAGG_FN bool
gpuagg_key_is_bytes(const GpuAggKey *key)
{
	return gpuagg_key_class(key->type) == GPUAGG_CLASS_BYTES;
}

/* A string of a stripe: the code that it has there tells which. */
GPUAGG_FN bool
gpuagg_key_is_coded(const GpuAggProgram *p, const GpuAggKey *key)
{
	return gpuagg_key_is_bytes(key) && key->reg < p->ncolumns;
}

/* A transition's name in C */
extern const char *gpuagg_write_transition(uint32_t op);

#endif							/* GPUAGG_DEVICE_CODEGEN_EXPRESSIONS_H */
