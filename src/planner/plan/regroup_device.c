/*
 * regroup_device.c
 *		Which regroupings a device can do (regroup_device.h).
 *
 * It has keys and states, and knows nothing of expressions, of orders and of Datums.  Nor
 * has it a table that tells which values of DISTINCT are new to a group: each of the groups
 * that a set is made of has to bring one.  Where the finer groups do not, as of grouping sets,
 * a hidden set comes between, of the set's keys and the value.  That is one value:
 * different ones are the backend's, unless each has a part (regroup_parts.h).
 * Two days that begin at the same moment are the backend's to notice: in groups that are made, if
 * they are keys of these; DISTINCT ones in the finer groups.
 */
#include "postgres.h"

#include "device/ops/regrouping_row.h"
#include "planner/plan/plan.h"
#include "planner/plan/regroup_device.h"
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
			(found < 0 ||
			 pg_popcount32(plan->sets[i].keys) < pg_popcount32(plan->sets[found].keys)))
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
	if (value == NULL || value->computed || !s->distinct || s->weight != GPUAGG_REGROUP_NONE)
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

/* The key of the device whose DISTINCT values enter; -1: none.  False: there are several. */
static bool
entering_key(const GpuAggRegrouping *wish, int *key)
{
	*key = -1;
	for (int i = 0; i < wish->nstates; i++)
	{
		if (wish->states[i].of_key != 1)
			continue;
		if (*key >= 0 && *key != wish->states[i].from)
			return false;
		*key = wish->states[i].from;
	}
	return true;
}

/* The smallest set behind this one that has its keys and more */
static int
set_behind(const GpuAggRegrouping *wish, int set)
{
	int			found = GPUAGG_REGROUPING_FINER;

	for (int i = set + 1; i < wish->nsets; i++)
	{
		if ((wish->sets[set].keys & ~wish->sets[i].keys) == 0 &&
			(found < 0 ||
			 pg_popcount32(wish->sets[i].keys) < pg_popcount32(wish->sets[found].keys)))
			found = i;
	}
	return found;
}

/* The keys of the finer groups that a set has, and this one */
static uint32
told_keys(const GpuAggRegrouping *wish, int set, int key)
{
	uint32		told = UINT32_C(1) << key;

	for (int i = 0; i < wish->nkeys; i++)
		if ((wish->sets[set].keys >> i & 1) != 0)
			told |= UINT32_C(1) << wish->keys[i];
	return told;
}

/*
 * Sets in which the values of this key enter: of the finer groups if each has a value of its
 * own there, else of a hidden set.  False: there is no room for these.
 */
static bool
entered_sets(GpuAggRegrouping *wish, int key, int nfiner)
{
	const uint32 all = (uint32) ((UINT64CONST(1) << nfiner) - 1);
	const int	returned = wish->nsets;

	for (int i = 0; i < returned; i++)
	{
		wish->sets[i].parent = GPUAGG_REGROUPING_FINER;
		if (told_keys(wish, i, key) == all)
			continue;
		if (wish->nsets == GPUAGG_REGROUPING_SETS || wish->nkeys == GPUAGG_MAX_KEYS)
			return false;
		wish->sets[i].parent = wish->nsets;
		wish->sets[wish->nsets++].keys = wish->sets[i].keys | UINT32_C(1) << wish->nkeys;
	}
	wish->nhidden = wish->nsets - returned;
	if (wish->nhidden > 0)
		wish->keys[wish->nkeys + wish->nextra++] = key;
	for (int i = returned; i < wish->nsets; i++)
		wish->sets[i].parent = set_behind(wish, i);
	return true;
}

static bool
device_sets(const GpuAggRegroup *plan, GpuAggRegrouping *wish)
{
	int			key;

	wish->nsets = plan->nsets;
	for (int i = 0; i < plan->nsets; i++)
	{
		GpuAggRegroupingSet *set = &wish->sets[i];

		set->keys = plan->sets[i].keys & gpuagg_regrouping_all_keys(wish);
		set->parent = gpuagg_regroup_parent(plan, i);
		set->constants[0] = i;
		for (int k = 0; k < plan->ngroupings; k++)
			set->constants[1 + k] = plan->sets[i].groupings[k];
	}
	return entering_key(wish, &key) && (key < 0 || entered_sets(wish, key, plan->ninputs));
}

static bool
is_key(const GpuAggRegroup *plan, int input)
{
	for (int i = 0; i < plan->nkeys; i++)
		if (!plan->values[plan->keys[i]].computed && plan->values[plan->keys[i]].number == input)
			return true;
	return false;
}

static bool
is_entered(const GpuAggRegroup *plan, int input)
{
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &plan->states[i];

		if (!s->absent && s->value >= 0 && !plan->values[s->value].computed &&
			plan->values[s->value].number == input)
			return true;
	}
	return false;
}

/* Is there an input that the backend must judge, and cannot in the groups that are made? */
static bool
is_judged(const GpuAggRegroup *plan)
{
	for (int i = 0; i < plan->ninputs; i++)
		if (plan->inputs[i].final == GPUAGG_FINAL_KEY_DATE_TZ &&
			(!is_key(plan, i) || is_entered(plan, i)))
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
	return device_sets(plan, wish) && gpuagg_regrouping_check(wish, program);
}
