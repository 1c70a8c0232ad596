/*
 * stages.c
 *		A filter in stages (stages.h).
 */
#include "device/ops/instr.h"
#include "stages.h"

/* Marks a register and what it is made of, but for `known` and what that is made of. */
static void
reach(const GpuAggProgram *p, uint16_t reg, uint16_t known, uint8_t *marks)
{
	uint16_t	args[3];
	uint32_t	n;

	if (reg == known || reg == GPUAGG_NO_REG || marks[reg])
		return;
	marks[reg] = 1;
	if (reg < p->ncolumns + p->nconsts)
		return;
	n = gpuagg_instr_args(gpuagg_instr_of(p, reg), args);
	for (uint32_t i = 0; i < n; i++)
		reach(p, args[i], known, marks);
}

static void
reach_outputs(const GpuAggProgram *p, uint8_t *marks)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	for (uint32_t i = 0; i < p->nkeys; i++)
		reach(p, gpuagg_program_keys(p)[i].reg, GPUAGG_NO_REG, marks);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		reach(p, t[i].arg, GPUAGG_NO_REG, marks);
		reach(p, t[i].filter, GPUAGG_NO_REG, marks);
	}
}

/* The filter's chain, from its first condition on; *from: where it begins in the array */
static void
chain_find(const GpuAggProgram *p, uint16_t *chain, uint32_t *from)
{
	uint16_t	reg = p->filter_reg;

	*from = GPUAGG_MAX_REGS - 1;
	chain[*from] = reg;
	while (reg >= p->ncolumns + p->nconsts && (gpuagg_instr_of(p, reg)->op == GPUAGG_OP_AND ||
											   gpuagg_instr_of(p, reg)->op == GPUAGG_OP_IS_TRUE))
	{
		reg = gpuagg_instr_of(p, reg)->a;
		chain[--*from] = reg;
	}
}

/* Are there look-ups among these that are not among those seen?  They are seen then. */
static bool
sees_lookup(const GpuAggProgram *p, const uint8_t *marks, uint8_t *seen)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	bool		found = false;

	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		if (!gpuagg_looks_up(&ins[i]) || !marks[ins[i].dst] || seen[ins[i].dst])
			continue;
		seen[ins[i].dst] = 1;
		found = true;
	}
	return found;
}

static void
stages_cut(const GpuAggProgram *p, GpuAggStages *s)
{
	uint16_t	chain[GPUAGG_MAX_REGS];
	uint8_t		seen[GPUAGG_MAX_REGS] = {0};
	uint32_t	from;

	chain_find(p, chain, &from);
	for (uint32_t i = from; i < GPUAGG_MAX_REGS; i++)
	{
		uint8_t		marks[GPUAGG_MAX_REGS] = {0};

		reach(p, chain[i], i > from ? chain[i - 1] : GPUAGG_NO_REG, marks);
		if (sees_lookup(p, marks, seen) && i > from && s->n < GPUAGG_STAGES - 1)
			s->reg[s->n++] = chain[i - 1];
	}
	s->reg[s->n++] = p->filter_reg;
}

/* Registers of a stage are needed there first, or again. */
static void
stage_take(const GpuAggProgram *p, const uint8_t *marks, uint8_t stage, GpuAggStages *s)
{
	for (uint32_t r = 0; r < p->nregs; r++)
	{
		if (!marks[r])
			continue;
		if (s->first[r] == GPUAGG_STAGE_NONE)
			s->first[r] = stage;
		else if (s->first[r] < stage)
			s->kept[r] = r >= p->ncolumns + p->nconsts &&
				gpuagg_looks_up(gpuagg_instr_of(p, (uint16_t) r));
	}
}

/* Instructions are in the order in which each has its arguments. */
static void
stages_end(const GpuAggProgram *p, GpuAggStages *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		s->end[i] = s->reg[i] < p->ncolumns + p->nconsts ? 0 :
			(uint16_t) (gpuagg_instr_of(p, s->reg[i]) - gpuagg_program_instrs(p) + 1);
	s->end[s->n - 1] = p->filter_instrs;
}

void
gpuagg_stages_find(const GpuAggProgram *p, GpuAggStages *s)
{
	uint8_t		outputs[GPUAGG_MAX_REGS] = {0};

	memset(s, 0, sizeof(*s));
	memset(s->first, GPUAGG_STAGE_NONE, sizeof(s->first));
	reach_outputs(p, outputs);
	if (p->filter_reg == GPUAGG_NO_REG)
	{
		s->reg[s->n++] = GPUAGG_NO_REG;
		stage_take(p, outputs, 0, s);
		return;
	}
	stages_cut(p, s);
	stages_end(p, s);
	for (uint32_t i = 0; i < s->n; i++)
	{
		uint8_t		marks[GPUAGG_MAX_REGS] = {0};

		reach(p, s->reg[i], i > 0 ? s->reg[i - 1] : GPUAGG_NO_REG, marks);
		stage_take(p, marks, (uint8_t) i, s);
	}
	stage_take(p, outputs, (uint8_t) s->n, s);
}
