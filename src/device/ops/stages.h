/*
 * stages.h
 *		A filter in stages, so that columns of a later one are loaded, and tables
 *		looked up, only for rows that are left; and how many rows that are.
 *
 * A filter is a chain: conditions that AND joins from left to right, as lowering makes
 * it.  A stage ends before a condition that looks up what none before it has.  Behind
 * each the filter is known so far: what is false or an error stays so, whatever comes.
 * A filter without look-ups is one stage.
 */
#ifndef GPUAGG_DEVICE_OPS_STAGES_H
#define GPUAGG_DEVICE_OPS_STAGES_H

#include "device/program.h"

/* A register that no stage needs */
#define GPUAGG_STAGE_NONE 0xFF

typedef struct GpuAggStages
{
	uint32_t	n;				/* at least one; that of rows which pass comes behind */
	uint16_t	reg[GPUAGG_STAGES]; /* the filter so far; GPUAGG_NO_REG: none */
	uint16_t	end[GPUAGG_STAGES]; /* by when its instructions have run: first one behind */
	uint8_t		first[GPUAGG_MAX_REGS]; /* stage that first needs a register, or n */
	bool		kept[GPUAGG_MAX_REGS];	/* a row that was looked up, needed again later */
} GpuAggStages;

#ifdef __cplusplus
extern "C" {
#endif

extern void gpuagg_stages_find(const GpuAggProgram *program, GpuAggStages *stages);

#ifdef __cplusplus
}
#endif

/* Is a row left behind a stage?  False or an error stays so; NULL may become an error. */
GPUAGG_FN bool
gpuagg_stage_leaves(int64_t value, uint8_t state)
{
	return state == GPUAGG_ST_VALUE ? value != 0 : state == GPUAGG_ST_NULL;
}

#endif							/* GPUAGG_DEVICE_OPS_STAGES_H */
