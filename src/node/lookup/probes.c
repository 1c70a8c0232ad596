/*
 * probes.c
 *		The order of look-ups, and their counts (probes.h).
 *
 * The order is the planner's rule (planner/plan/probe_order.h).  What is measured of a
 * look-up is of the rows that those before it have left, so it depends on the order: it is
 * remembered once, by the order that estimates made, and changes no more until the
 * table has half or twice its pages.  Else two orders could take turns, each with kernels
 * to be compiled.
 */
#include "postgres.h"

#include "device/ops/filter_order.h"
#include "device/ops/instr.h"
#include "node/lookup/probes.h"
#include "planner/plan/probe_order.h"

/* Of rows that are looked up, the least part that is believed to be left */
#define LEAST_SHARE 1e-9

/* ----------------------------------------------------------------- order --- */

/* The tests that may change places, best first; how many */
static int
order_tests(const GpuAggPlanInfo *info, const double *rank, uint16 *tests)
{
	int			order[GPUAGG_MAX_LOOKUPS];
	int			n = 0;

	gpuagg_probe_order(info->lookups, info->nlookups, rank, order);
	for (int i = 0; i < info->nlookups; i++)
	{
		const uint16 test = info->lookups[order[i]].expected.test;

		if (test != GPUAGG_NO_REG)
			tests[n++] = test;
	}
	return n;
}

/* What the look-up leaves, as it was found, or is expected */
static double
share_of(const GpuAggLookupExpected *expected, Oid relid, double pages, bool *known)
{
	const double one_of = gpuagg_seen_groups_find(relid, &expected->seen, pages);

	*known = one_of > 0;
	return *known ? 1 / one_of : expected->share;
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
	return last != NULL && last->op == GPUAGG_OP_AND && last->a == stages->reg[stage - 1] &&
		last->b == test;
}

void
gpuagg_probes_arrange(GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid, double pages,
					  GpuAggProgram *program)
{
	uint16		tests[GPUAGG_MAX_LOOKUPS];
	uint16		row[GPUAGG_MAX_LOOKUPS];
	double		rank[GPUAGG_MAX_LOOKUPS] = {0};
	GpuAggStages stages;

	for (int i = 0; i < info->nlookups; i++)
	{
		row[i] = gpuagg_probe_row(program, &info->lookups[i]);
		rank[i] = gpuagg_probe_rank(
			&info->lookups[i],
			share_of(&info->lookups[i].expected, relid, pages, &probes->known[i]));
	}
	gpuagg_filter_order(program, tests, order_tests(info, rank, tests));
	gpuagg_stages_find(program, &stages);
	probes->nstages = stages.n;
	for (int i = 0; i < info->nlookups; i++)
	{
		probes->stage[i] = row[i] == GPUAGG_NO_REG ? GPUAGG_STAGE_NONE : stages.first[row[i]];
		/* without a filter all rows pass, by one stage */
		if (program->filter_reg == GPUAGG_NO_REG && probes->stage[i] == 0)
			probes->stage[i] = stages.n;
		probes->alone[i] = is_alone(program, &stages, probes->stage[i],
									info->lookups[i].expected.test);
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
	return stage < 0				? rows->scanned :
		stage + 1 < probes->nstages ? rows->left[stage] :
									  rows->passed;
}

void
gpuagg_probes_note(const GpuAggProbes *probes, const GpuAggPlanInfo *info, Oid relid, double pages,
				   const GpuAggStageRows *rows, GpuAggProbed *probed)
{
	probed->probes = *probes;
	probed->tasks++;
	for (int i = 0; i < info->nlookups; i++)
	{
		const int	stage = probes->stage[i];
		uint64		asked;
		uint64		left;

		if (stage == GPUAGG_STAGE_NONE)
			continue;
		asked = rows_behind(probes, rows, stage - 1);
		left = gpuagg_probes_filter(probes, i) ? rows_behind(probes, rows, stage) : asked;
		probed->probed[i] += asked;
		probed->left[i] += left;
		if (probes->alone[i] && !probes->known[i] && asked > 0)
			gpuagg_seen_groups_note(relid, &info->lookups[i].expected.seen, pages,
									1 / Max(LEAST_SHARE, (double) left / asked));
	}
}

void
gpuagg_probed_then(GpuAggProbed *probed, const GpuAggProbed *next)
{
	if (next->tasks == 0)
		return;
	probed->probes = next->probes;
	probed->tasks += next->tasks;
	for (int i = 0; i < GPUAGG_MAX_LOOKUPS; i++)
	{
		probed->probed[i] += next->probed[i];
		probed->left[i] += next->left[i];
	}
}
