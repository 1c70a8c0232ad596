/*
 * probes.c
 *		The order of look-ups, and their counts (probes.h).
 *
 * The cheapest way to drop a row comes first: ns of a probe for each row that it drops.
 * A look-up whose key another one finds comes behind that.  What is measured of a
 * look-up is of the rows that those before it have left, so it depends on the order: it is
 * remembered once, by the order that estimates made, and changes no more until the
 * table has half or twice its pages.  Else two orders could take turns, each with kernels
 * to be compiled.
 */
#include "postgres.h"

#include "device/ops/filter_order.h"
#include "device/ops/instr.h"
#include "node/probes.h"

/* Of rows that are looked up, the least part that is believed to be left */
#define LEAST_SHARE 1e-9

typedef struct Order
{
	const GpuAggProgram *program;
	const GpuAggPlanInfo *info;
	uint16		row[GPUAGG_MAX_LOOKUPS];	/* registers of rows */
	double		rank[GPUAGG_MAX_LOOKUPS];
	bool		needs[GPUAGG_MAX_LOOKUPS][GPUAGG_MAX_LOOKUPS];
} Order;

/* ----------------------------------------------------------------- order --- */

/* The register of the row that is looked up in the table */
static uint16
row_register(const GpuAggProgram *p, int const_no)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	const uint16 table = p->ncolumns + const_no;

	for (int i = 0; i < p->ninstrs; i++)
	{
		if (gpuagg_looks_up(&ins[i]) &&
			(ins[i].op == GPUAGG_OP_LOOKUP_PAIR ? ins[i].c : ins[i].b) == table)
			return ins[i].dst;
	}
	return GPUAGG_NO_REG;
}

/* Registers that are made of the row of look-up i */
static void
find_needs(Order *order, int i)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(order->program);
	bool		of_row[GPUAGG_MAX_REGS] = {false};

	if (order->row[i] == GPUAGG_NO_REG)
		return;
	of_row[order->row[i]] = true;
	for (int k = 0; k < order->program->ninstrs; k++)
	{
		uint16		args[3];
		const int	n = gpuagg_instr_args(&ins[k], args);

		for (int a = 0; a < n; a++)
			of_row[ins[k].dst] |= args[a] != GPUAGG_NO_REG && of_row[args[a]];
	}
	for (int j = 0; j < order->info->nlookups; j++)
		order->needs[j][i] = j != i && order->row[j] != GPUAGG_NO_REG && of_row[order->row[j]];
}

static bool
is_ready(const Order *order, int i, const bool *taken)
{
	for (int j = 0; j < order->info->nlookups; j++)
	{
		if (order->needs[i][j] && !taken[j] &&
			order->info->lookups[j].expected.test != GPUAGG_NO_REG)
			return false;
	}
	return true;
}

/* The tests that may change places, best first; how many */
static int
order_tests(const Order *order, uint16 *tests)
{
	const GpuAggLookupPlan *lookups = order->info->lookups;
	bool		taken[GPUAGG_MAX_LOOKUPS] = {false};
	int			n = 0;

	for (;;)
	{
		int			best = -1;

		for (int i = 0; i < order->info->nlookups; i++)
		{
			if (!taken[i] && lookups[i].expected.test != GPUAGG_NO_REG && is_ready(order, i, taken) &&
				(best < 0 || order->rank[i] < order->rank[best]))
				best = i;
		}
		if (best < 0)
			return n;
		taken[best] = true;
		tests[n++] = lookups[best].expected.test;
	}
}

/* ns for each row that is dropped */
static double
rank_of(const GpuAggLookupExpected *expected, Oid relid, double pages, bool *known)
{
	const double one_of = gpuagg_seen_groups_find(relid, &expected->seen, pages);
	double		share = expected->share;

	*known = one_of > 0;
	if (*known)
		share = 1 / one_of;
	return expected->probe_ns / Max(LEAST_SHARE, 1 - share);
}

/* ---------------------------------------------------------------- stages --- */

static const GpuAggInstr *
instr_of(const GpuAggProgram *p, uint16 reg)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	for (int i = 0; i < p->ninstrs; i++)
	{
		if (ins[i].dst == reg)
			return &ins[i];
	}
	return NULL;
}

/* Does a stage add nothing but this test? */
static bool
is_alone(const GpuAggProgram *p, const GpuAggStages *stages, int stage, uint16 test)
{
	const GpuAggInstr *last;

	if (stage >= stages->n || test == GPUAGG_NO_REG)
		return false;
	if (stage == 0)
		return stages->reg[0] == test;
	last = instr_of(p, stages->reg[stage]);
	return last != NULL && last->op == GPUAGG_OP_AND && last->a == stages->reg[stage - 1] && last->b == test;
}

void
gpuagg_probes_arrange(GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid, double pages,
					  GpuAggProgram *program)
{
	uint16		tests[GPUAGG_MAX_LOOKUPS];
	Order		order = {.program = program,.info = info};
	GpuAggStages stages;

	for (int i = 0; i < info->nlookups; i++)
	{
		order.row[i] = row_register(program, info->lookups[i].const_no);
		order.rank[i] = rank_of(&info->lookups[i].expected, relid, pages, &probes->known[i]);
	}
	for (int i = 0; i < info->nlookups; i++)
		find_needs(&order, i);
	gpuagg_filter_order(program, tests, order_tests(&order, tests));
	gpuagg_stages_find(program, &stages);
	probes->nstages = stages.n;
	for (int i = 0; i < info->nlookups; i++)
	{
		probes->stage[i] = order.row[i] == GPUAGG_NO_REG ? GPUAGG_STAGE_NONE : stages.first[order.row[i]];
		/* without a filter all rows pass, by one stage */
		if (program->filter_reg == GPUAGG_NO_REG && probes->stage[i] == 0)
			probes->stage[i] = stages.n;
		probes->alone[i] = is_alone(program, &stages, probes->stage[i], info->lookups[i].expected.test);
	}
}

bool
gpuagg_probes_filter(const GpuAggProbes *probes, int lookup)
{
	return probes->stage[lookup] < probes->nstages;
}

/* ---------------------------------------------------------------- counts --- */

/* Rows that a stage has left */
static uint64
rows_behind(const GpuAggProbes *probes, const GpuAggStageRows *rows, int stage)
{
	return stage < 0 ? rows->scanned : stage + 1 < probes->nstages ? rows->left[stage] : rows->passed;
}

void
gpuagg_probes_note(GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid, double pages,
				   const GpuAggStageRows *rows)
{
	probes->runs++;
	for (int i = 0; i < info->nlookups; i++)
	{
		const int	stage = probes->stage[i];
		uint64		probed;
		uint64		left;

		if (stage == GPUAGG_STAGE_NONE)
			continue;
		probed = rows_behind(probes, rows, stage - 1);
		left = gpuagg_probes_filter(probes, i) ? rows_behind(probes, rows, stage) : probed;
		probes->probed[i] += probed;
		probes->left[i] += left;
		if (probes->alone[i] && !probes->known[i] && probed > 0)
			gpuagg_seen_groups_note(relid, &info->lookups[i].expected.seen, pages,
									1 / Max(LEAST_SHARE, (double) left / probed));
	}
}
