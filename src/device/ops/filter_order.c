/*
 * filter_order.c
 *		The order in which a filter asks whether rows were found (filter_order.h).
 *
 * A chain's AND takes what is known so far and one condition.  Conditions change places
 * among neighbouring ANDs; then instructions are written anew, each condition's before
 * its AND, so that a stage's lie together and no later one's before them.
 */
#include "filter_order.h"

#include "instr.h"

typedef struct Chain
{
	GpuAggProgram *program;
	GpuAggInstr *instrs;
	uint32_t	nfixed;			/* registers of columns and constants */
	uint16_t	at[GPUAGG_MAX_REGS];	/* which instruction computes a register */
	uint32_t	n;
	uint16_t   *slots[GPUAGG_MAX_REGS]; /* where the conditions stand, in their order */
	uint16_t	so_far[GPUAGG_MAX_REGS];	/* the filter up to there */
} Chain;

static GpuAggInstr *
instr_of(Chain *c, uint16_t reg)
{
	return reg < c->nfixed ? NULL : &c->instrs[c->at[reg]];
}

/* From the last AND to the first; a test in between keeps what is on its sides apart. */
static void
chain_find(Chain *c)
{
	uint16_t   *slot = &c->program->filter_reg;
	GpuAggInstr *ins = instr_of(c, *slot);

	c->n = 0;
	while (ins != NULL && ins->op == GPUAGG_OP_AND && c->n + 1 < GPUAGG_MAX_REGS)
	{
		c->slots[c->n] = &ins->b;
		c->so_far[c->n++] = ins->dst;
		slot = &ins->a;
		ins = instr_of(c, *slot);
	}
	c->slots[c->n] = slot;
	c->so_far[c->n++] = *slot;
	for (uint32_t i = 0; i < c->n / 2; i++)
	{
		uint16_t   *other = c->slots[i];
		const uint16_t reg = c->so_far[i];

		c->slots[i] = c->slots[c->n - 1 - i];
		c->slots[c->n - 1 - i] = other;
		c->so_far[i] = c->so_far[c->n - 1 - i];
		c->so_far[c->n - 1 - i] = reg;
	}
}

/* How often a register is read */
static uint32_t
uses(const Chain *c, uint16_t reg)
{
	const GpuAggProgram *p = c->program;
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		uint16_t	args[3];
		const uint32_t nargs = gpuagg_instr_args(&c->instrs[i], args);

		for (uint32_t k = 0; k < nargs; k++)
			n += args[k] == reg;
	}
	for (uint32_t i = 0; i < p->nkeys; i++)
		n += gpuagg_program_keys(p)[i].reg == reg;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		n += (t[i].arg == reg) + (t[i].filter == reg);
	return n;
}

static uint32_t
place_of(uint16_t reg, const uint16_t *tests, uint32_t n)
{
	uint32_t	i = 0;

	while (i < n && tests[i] != reg)
		i++;
	return i;
}

/* Slots that may change conditions with the one before */
static bool
is_neighbour(const Chain *c, uint32_t i, const uint16_t *tests, uint32_t n)
{
	return i > 0 && place_of(*c->slots[i - 1], tests, n) < n &&
		place_of(*c->slots[i], tests, n) < n &&
		/* whoever else reads what is known in between would read something else */
		(i == 1 || uses(c, c->so_far[i - 1]) == 1);
}

static bool
conditions_order(Chain *c, const uint16_t *tests, uint32_t n)
{
	bool		moved = false;

	for (uint32_t end = c->n; end > 1; end--)
		for (uint32_t i = 1; i < end; i++)
		{
			const uint16_t reg = *c->slots[i];

			if (!is_neighbour(c, i, tests, n) ||
				place_of(*c->slots[i - 1], tests, n) <= place_of(reg, tests, n))
				continue;
			*c->slots[i] = *c->slots[i - 1];
			*c->slots[i - 1] = reg;
			moved = true;
		}
	return moved;
}

/* Instructions in a new order */
typedef struct Written
{
	uint32_t	n;
	GpuAggInstr instrs[GPUAGG_MAX_REGS];
	bool		done[GPUAGG_MAX_REGS];
} Written;

static void
write_register(Chain *c, uint16_t reg, Written *to)
{
	const GpuAggInstr *ins = instr_of(c, reg);
	uint16_t	args[3];
	uint32_t	n;

	if (ins == NULL || to->done[reg])
		return;
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = 0; i < n; i++)
		write_register(c, args[i], to);
	to->done[reg] = true;
	to->instrs[to->n++] = *ins;
}

static void
instrs_order(Chain *c)
{
	const uint32_t filter_instrs = c->program->filter_instrs;
	Written		to = {0};

	for (uint32_t i = 0; i < c->n; i++)
	{
		write_register(c, *c->slots[i], &to);
		if (i > 0)
			write_register(c, c->so_far[i], &to);
	}
	for (uint32_t i = 0; i < filter_instrs; i++)
		write_register(c, c->instrs[i].dst, &to);
	memcpy(c->instrs, to.instrs, filter_instrs * sizeof(GpuAggInstr));
}

void
gpuagg_filter_order(GpuAggProgram *p, const uint16_t *tests, uint32_t n)
{
	Chain		c;

	if (p->filter_reg == GPUAGG_NO_REG)
		return;
	c.program = p;
	c.instrs = (GpuAggInstr *) ((char *) p + p->instrs_off);
	c.nfixed = (uint32_t) p->ncolumns + p->nconsts;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		c.at[c.instrs[i].dst] = (uint16_t) i;
	chain_find(&c);
	if (conditions_order(&c, tests, n))
		instrs_order(&c);
}
