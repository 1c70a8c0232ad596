/*
 * probe_order.c
 *		In which order a filter asks for joined rows (probe_order.h).
 *
 * The cheapest way to drop a row comes first.  Tests that may raise an error stay where PostgreSQL
 * has them, and none passes by them.  A look-up by a column that another one finds comes behind
 * it; what no test asks for comes last, or where it is first needed.
 */
#include "postgres.h"

#include "device/ops/instr.h"
#include "device/ops/stages.h"
#include "nodes/nodes.h"
#include "planner/plan/probe_order.h"

/* Of rows that are looked up, the least part that is believed to be dropped */
#define LEAST_SHARE 1e-9

typedef struct Order
{
	const GpuAggLookupPlan *plans;
	int			n;
	const double *rank;
	bool		taken[GPUAGG_MAX_LOOKUPS];
	int		   *order;
	int			norder;
} Order;

double
gpuagg_probe_rank(const GpuAggLookupPlan *plan, double share)
{
	return plan->expected.probe_ns / Max(LEAST_SHARE, 1 - share);
}

uint16
gpuagg_probe_row(const GpuAggProgram *p, const GpuAggLookupPlan *plan)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	const uint16 table = p->ncolumns + plan->const_no;

	for (int i = 0; i < p->ninstrs; i++)
	{
		if (gpuagg_looks_up(&ins[i]) && gpuagg_instr_table(&ins[i]) == table)
			return ins[i].dst;
	}
	return GPUAGG_NO_REG;
}

/* Registers that are made of this row */
static void
find_made(const GpuAggProgram *p, uint16 row, bool *made)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	memset(made, 0, GPUAGG_MAX_REGS * sizeof(bool));
	made[row] = true;
	for (int k = 0; k < p->ninstrs; k++)
	{
		uint16		args[3];
		const int	n = gpuagg_instr_args(&ins[k], args);

		for (int a = 0; a < n; a++)
			made[ins[k].dst] |= args[a] != GPUAGG_NO_REG && made[args[a]];
	}
}

void
gpuagg_probe_needs(const GpuAggProgram *p, GpuAggLookupPlan *plans, int n)
{
	bool		made[GPUAGG_MAX_REGS];

	for (int i = 0; i < n; i++)
	{
		const uint16 row = gpuagg_probe_row(p, &plans[i]);

		if (row == GPUAGG_NO_REG)
			continue;
		find_made(p, row, made);
		for (int j = 0; j < n; j++)
		{
			const uint16 other = j == i ? GPUAGG_NO_REG : gpuagg_probe_row(p, &plans[j]);

			if (other != GPUAGG_NO_REG && made[other])
				plans[j].expected.needs |= 1 << i;
		}
	}
}

static bool
moves(const GpuAggLookupPlan *plan)
{
	return plan->expected.test != GPUAGG_NO_REG;
}

/* Does the filter have a test of it that stays where it is? */
static bool
stays(const GpuAggLookupPlan *plan)
{
	return !moves(plan) && plan->join != JOIN_LEFT && plan->subquery == 0;
}

static void
take(Order *o, int i)
{
	o->taken[i] = true;
	for (int j = 0; j < o->n; j++)
	{
		if ((o->plans[i].expected.needs & 1 << j) != 0 && !o->taken[j])
			take(o, j);
	}
	o->order[o->norder++] = i;
}

/* Are all tests asked that find what it is looked up by? */
static bool
is_ready(const Order *o, int i)
{
	for (int j = 0; j < o->n; j++)
	{
		if ((o->plans[i].expected.needs & 1 << j) != 0 && !o->taken[j] && moves(&o->plans[j]))
			return false;
	}
	return true;
}

/* Those tests from one look-up to another that may change places */
static void
take_best(Order *o, int from, int to)
{
	for (;;)
	{
		int			best = -1;

		for (int i = from; i < to; i++)
		{
			if (!o->taken[i] && moves(&o->plans[i]) && is_ready(o, i) &&
				(best < 0 || o->rank[i] < o->rank[best]))
				best = i;
		}
		if (best < 0)
			return;
		take(o, best);
	}
}

void
gpuagg_probe_order(const GpuAggLookupPlan *plans, int n, const double *rank, int *order)
{
	Order		o = {.plans = plans,.n = n,.rank = rank,.order = order};
	int			from = 0;

	for (int i = 0; i <= n; i++)
	{
		if (i < n && !stays(&plans[i]))
			continue;
		take_best(&o, from, i);
		if (i < n && !o.taken[i])
			take(&o, i);
		from = i + 1;
	}
	for (int i = 0; i < n; i++)
	{
		if (!o.taken[i])
			take(&o, i);
	}
}
