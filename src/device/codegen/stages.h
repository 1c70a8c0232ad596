/*
 * stages.h
 *		Inside the generator: a filter in stages, so that columns of a later one are
 *		loaded, and tables looked up, only for rows that are left.
 *
 * A filter is a chain: conditions that AND joins from left to right, as lowering makes
 * it.  A stage ends before a condition that looks up what none before it has.  Behind
 * each the filter is known so far: what is false or an error stays so, whatever comes.
 * A filter without look-ups is one stage.
 */
#ifndef GPUAGG_DEVICE_CODEGEN_STAGES_H
#define GPUAGG_DEVICE_CODEGEN_STAGES_H

#include "device/program.h"

#define GPUAGG_CODEGEN_STAGES 8

/* A register that no stage needs */
#define GPUAGG_STAGE_NONE 0xFF

typedef struct GpuAggStages
{
	uint32_t	n;				/* at least one; that of rows which pass comes behind */
	uint16_t	reg[GPUAGG_CODEGEN_STAGES]; /* the filter so far; GPUAGG_NO_REG: none */
	uint8_t		first[GPUAGG_MAX_REGS]; /* stage that first needs a register, or n */
	bool		kept[GPUAGG_MAX_REGS];	/* a row that was looked up, needed again later */
} GpuAggStages;

extern void gpuagg_stages_find(const GpuAggProgram *program, GpuAggStages *stages);

/* Does an instruction look a row up? */
extern bool gpuagg_looks_up(const GpuAggInstr *ins);

#endif							/* GPUAGG_DEVICE_CODEGEN_STAGES_H */
