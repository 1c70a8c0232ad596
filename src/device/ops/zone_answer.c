/*
 * zone_answer.c
 *		Answers from zones alone (zone_answer.h).
 */
#include "device/ops/group.h"
#include "device/ops/zone_answer.h"

bool
gpuagg_zone_answerable(const GpuAggProgram *p)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	if (p->nkeys > 0 || p->select)
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		const bool	range = t[i].op == GPUAGG_TRANS_MIN_I64 || t[i].op == GPUAGG_TRANS_MAX_I64 ||
			t[i].op == GPUAGG_TRANS_MIN_F64 || t[i].op == GPUAGG_TRANS_MAX_F64;
		const bool	all = t[i].op == GPUAGG_TRANS_COUNT && t[i].arg == GPUAGG_NO_REG;

		if (t[i].filter != GPUAGG_NO_REG ||
			!(all || ((range || t[i].op == GPUAGG_TRANS_COUNT) && t[i].arg < p->ncolumns)))
			return false;
	}
	return true;
}

void
gpuagg_zone_answer_init(const GpuAggProgram *p, char *answer)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	memset(answer, 0, layout.row_bytes);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_init(t[i].op, answer + layout.state_off[i]);
}

/* The state of a transition over all rows of a zone; ranges are states already. */
static int64_t
zone_state(const GpuAggTransition *t, const GpuAggZone *rows, const GpuAggZone *const *columns)
{
	if (t->op == GPUAGG_TRANS_COUNT)
		return (int64_t) (rows->count - (t->arg == GPUAGG_NO_REG ? 0 : columns[t->arg]->count));
	if (t->op == GPUAGG_TRANS_MIN_I64 || t->op == GPUAGG_TRANS_MIN_F64)
		return columns[t->arg]->low;
	return columns[t->arg]->high;
}

void
gpuagg_zone_answer_add(const GpuAggProgram *p, char *answer, const GpuAggZone *rows,
					   const GpuAggZone *const *columns)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		/* as wide as the widest state */
		const int64_t state[2] = {zone_state(&t[i], rows, columns), 0};

		gpuagg_state_merge(t[i].op, answer + layout.state_off[i], (const char *) state);
	}
}

void
gpuagg_zone_answer_merge(const GpuAggProgram *p, char *answer, const char *other)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_merge(t[i].op, answer + layout.state_off[i], other + layout.state_off[i]);
}
