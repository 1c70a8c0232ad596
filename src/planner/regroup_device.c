/*
 * regroup_device.c
 *		Which regroupings a device can do (regroup_device.h).
 *
 * It has keys and states, and knows nothing of expressions, of orders and of Datums.  Nor
 * has it a table that tells which values of DISTINCT are new to a group: each of its
 * groups has to bring one.  Two days that begin at the same moment are the backend's to
 * notice, in the finer groups.
 */
#include "postgres.h"

#include "device/ops/regrouping_row.h"
#include "planner/plan.h"
#include "planner/regroup_device.h"
#include "port/pg_bitutils.h"

static bool
all_merged(const GpuAggRegroup *plan)
{
	for (int i = 0; i < plan->nstates; i++)
		if (!plan->states[i].absent &&
			(plan->states[i].distinct || plan->states[i].datum != GPUAGG_REGROUP_STATE))
			return false;
	return plan->nsorts == 0;
}

int
gpuagg_regroup_parent(const GpuAggRegroup *plan, int set)
{
	int			found = -1;

	if (!all_merged(plan))
		return found;
	for (int i = set + 1; i < plan->nsets; i++)
	{
		if ((plan->sets[set].keys & ~plan->sets[i].keys) == 0 &&
			(found < 0 || pg_popcount32(plan->sets[i].keys) < pg_popcount32(plan->sets[found].keys)))
			found = i;
	}
	return found;
}

bool
gpuagg_regroup_tells_all(const GpuAggRegroup *plan, int set, int value)
{
	uint32		told = 0;

	for (int i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupValue *v = &plan->values[plan->keys[i]];

		if ((plan->sets[set].keys >> i & 1) != 0 && !v->computed)
			told |= UINT32_C(1) << v->number;
	}
	if (value >= 0 && !plan->values[value].computed)
		told |= UINT32_C(1) << plan->values[value].number;
	return told == (uint32) ((UINT64CONST(1) << plan->ninputs) - 1);
}

bool
gpuagg_regroup_enters_once(const GpuAggRegroup *plan, int value)
{
	for (int i = 0; i < plan->nsets; i++)
		if (!gpuagg_regroup_tells_all(plan, i, value))
			return false;
	return true;
}

static bool
device_state(const GpuAggRegroup *plan, const GpuAggRegroupState *s, GpuAggRegroupingState *to)
{
	const GpuAggRegroupValue *value = s->value >= 0 ? &plan->values[s->value] : NULL;

	to->op = s->op;
	to->type = s->type;
	to->of_key = GPUAGG_REGROUPING_OF_NOTHING;
	if (s->absent)
		return true;
	to->of_key = 0;
	if (s->datum != GPUAGG_REGROUP_STATE || s->output != GPUAGG_REGROUP_NONE ||
		s->filter != GPUAGG_REGROUP_NONE || OidIsValid(s->collation))
		return false;
	if (s->merge != GPUAGG_REGROUP_NONE)
	{
		to->from = s->merge;
		return true;
	}
	if (value == NULL || value->computed || !s->distinct || s->weight != GPUAGG_REGROUP_NONE ||
		!gpuagg_regroup_enters_once(plan, s->value))
		return false;
	to->of_key = 1;
	to->from = value->number;
	return true;
}

static bool
device_keys(const GpuAggRegroup *plan, const GpuAggProgram *program, GpuAggRegrouping *wish)
{
	for (int i = 0; i < plan->nkeys; i++)
	{
		const GpuAggRegroupValue *value = &plan->values[plan->keys[i]];

		if (value->computed || value->number >= program->nkeys ||
			value->type != gpuagg_program_keys(program)[value->number].type)
			return false;
		wish->keys[i] = value->number;
	}
	wish->nkeys = plan->nkeys;
	return true;
}

static void
device_set(const GpuAggRegroup *plan, int number, GpuAggRegroupingSet *set)
{
	set->keys = plan->sets[number].keys;
	set->parent = gpuagg_regroup_parent(plan, number);
	set->constants[0] = number;
	for (int i = 0; i < plan->ngroupings; i++)
		set->constants[1 + i] = plan->sets[number].groupings[i];
}

/* Is there an input that only the backend can judge? */
static bool
is_judged(const GpuAggRegroup *plan)
{
	for (int i = 0; i < plan->ninputs; i++)
		if (plan->inputs[i].final == GPUAGG_FINAL_KEY_DATE_TZ)
			return true;
	return false;
}

bool
gpuagg_regroup_device(const GpuAggRegroup *plan, const GpuAggProgram *program,
					  GpuAggRegrouping *wish)
{
	StaticAssertStmt(GPUAGG_REGROUPING_CONSTANTS == GPUAGG_REGROUP_GROUPINGS + 1,
					 "the number of a set, and GROUPING()s");

	memset(wish, 0, sizeof(*wish));
	if (plan->nfilters > 0 || plan->nsorts > 0 || plan->nsets > GPUAGG_REGROUPING_SETS ||
		is_judged(plan) || !device_keys(plan, program, wish))
		return false;
	for (int i = 0; i < plan->nstates; i++)
		if (!device_state(plan, &plan->states[i], &wish->states[i]))
			return false;
	wish->nstates = plan->nstates;
	wish->nconstants = plan->numbered ? 1 + plan->ngroupings : 0;
	wish->grouped = plan->grouped;
	for (int i = 0; i < plan->nsets; i++)
	{
		device_set(plan, i, &wish->sets[i]);
		wish->sets[i].keys &= gpuagg_regrouping_all_keys(wish);
	}
	wish->nsets = plan->nsets;
	return gpuagg_regrouping_check(wish, program);
}
