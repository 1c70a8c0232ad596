/*
 * regroup_parts.c
 *		Regrouping in parts (regroup_parts.h).
 *
 * A state needs the keys of the device that its value, its filter or its sort are made of,
 * beyond those that the query's keys and WHERE need in any case.  States that need
 * the same are a part.  One that does not tell repeated values apart may also be of a part
 * that has more keys; one that needs nothing is of the first.
 */
#include "postgres.h"

#include "planner/plan/regroup_parts.h"

/* ---------------------------------------------------------------- parts --- */

static uint32
value_reads(const GpuAggRegroup *plan, int value)
{
	return value == GPUAGG_REGROUP_NONE ? 0 : plan->values[value].reads;
}

/* What is needed for the query's keys and WHERE */
static uint32
common_reads(const GpuAggRegroup *plan)
{
	uint32		reads = 0;

	for (int i = 0; i < plan->nkeys; i++)
		reads |= value_reads(plan, plan->keys[i]);
	for (int i = 0; i < plan->nfilters; i++)
		reads |= value_reads(plan, plan->filters[i]);
	return reads;
}

static uint32
state_reads(const GpuAggRegroup *plan, const GpuAggRegroupState *state)
{
	uint32		reads = value_reads(plan, state->value) | value_reads(plan, state->second) |
		value_reads(plan, state->filter);

	if (state->sort != GPUAGG_REGROUP_NONE)
		reads |= value_reads(plan, plan->sorts[state->sort].value) |
			value_reads(plan, plan->sorts[state->sort].filter);
	return reads;
}

/* The part for a state that needs so much; more: it may have more.  One too many: none */
static int
find_part(GpuAggRegroup *plan, uint32 reads, bool more)
{
	for (int i = 0; i < plan->nparts; i++)
		if (plan->parts[i].inputs == reads)
			return i;
	for (int i = 0; i < plan->nparts && more; i++)
		if ((reads & ~plan->parts[i].inputs) == 0)
			return i;
	if (plan->nparts < GPUAGG_REGROUP_PARTS)
		plan->parts[plan->nparts].inputs = reads;
	return plan->nparts++;
}

/* Of the states that tell repeated values apart, or of the others */
static void
find_parts(GpuAggRegroup *plan, uint32 common, bool distinct)
{
	for (int i = 0; i < plan->nstates && plan->nparts <= GPUAGG_REGROUP_PARTS; i++)
	{
		GpuAggRegroupState *state = &plan->states[i];
		const uint32 reads = state_reads(plan, state) & ~common;

		if (reads != 0 && state->distinct == distinct)
			state->part = find_part(plan, reads, !distinct);
	}
}

/* Each part would number the values of such a key by itself, and they are merged by the keys. */
static bool
has_numbered_key(const GpuAggRegroup *plan)
{
	for (int i = 0; i < plan->nkeys; i++)
		if (plan->values[plan->keys[i]].form == GPUAGG_REGROUP_EQUAL)
			return true;
	return false;
}

void
gpuagg_regroup_find_parts(GpuAggRegroup *plan)
{
	const uint32 common = common_reads(plan);

	plan->nparts = 0;
	if (has_numbered_key(plan))
		return;
	find_parts(plan, common, true);
	find_parts(plan, common, false);
	if (plan->nparts < 2 || plan->nparts > GPUAGG_REGROUP_PARTS)
	{
		plan->nparts = 0;
		return;
	}
	for (int i = 0; i < plan->nparts; i++)
		plan->parts[i].inputs |= common;
}

/* -------------------------------------------------------------- program --- */

/* A program while it is reduced: which registers are read, and the numbers they get */
typedef struct Reduction
{
	GpuAggProgram *p;
	bool		live[GPUAGG_MAX_REGS];
	uint16		number[GPUAGG_MAX_REGS];
} Reduction;

static void
mark(Reduction *r, uint16 reg)
{
	if (reg != GPUAGG_NO_REG)
		r->live[reg] = true;
}

/* Constants stay, for execution knows their numbers. */
static void
mark_all(Reduction *r)
{
	const GpuAggProgram *p = r->p;
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	mark(r, p->filter_reg);
	for (int i = 0; i < p->nkeys; i++)
		mark(r, gpuagg_program_keys(p)[i].reg);
	for (int i = 0; i < p->ntransitions; i++)
	{
		mark(r, gpuagg_program_transitions(p)[i].arg);
		mark(r, gpuagg_program_transitions(p)[i].filter);
	}
	for (int i = 0; i < p->nconsts; i++)
		mark(r, p->ncolumns + i);
	for (int i = p->ninstrs - 1; i >= 0; i--)
	{
		if (!r->live[instrs[i].dst])
			continue;
		mark(r, instrs[i].a);
		mark(r, instrs[i].b);
		mark(r, instrs[i].c);
	}
}

static uint16
renumbered(const Reduction *r, uint16 reg)
{
	return reg == GPUAGG_NO_REG ? reg : r->number[reg];
}

static void
reduce_attrs(const Reduction *r)
{
	GpuAggAttr *attrs = (GpuAggAttr *) gpuagg_program_attrs(r->p);

	for (int i = 0; i < r->p->nattrs; i++)
	{
		if (attrs[i].reg != GPUAGG_NO_REG && !r->live[attrs[i].reg])
			attrs[i].reg = attrs[i].missing_const = GPUAGG_NO_REG;
		attrs[i].reg = renumbered(r, attrs[i].reg);
		attrs[i].missing_const = renumbered(r, attrs[i].missing_const);
	}
	while (r->p->nattrs > 0 && attrs[r->p->nattrs - 1].reg == GPUAGG_NO_REG)
		r->p->nattrs--;
}

static void
reduce_instrs(const Reduction *r)
{
	GpuAggProgram *p = r->p;
	GpuAggInstr *instrs = (GpuAggInstr *) gpuagg_program_instrs(p);
	int			kept = 0;
	int			filter = 0;

	for (int i = 0; i < p->ninstrs; i++)
	{
		GpuAggInstr in = instrs[i];

		if (!r->live[in.dst])
			continue;
		in.dst = renumbered(r, in.dst);
		in.a = renumbered(r, in.a);
		in.b = renumbered(r, in.b);
		in.c = renumbered(r, in.c);
		instrs[kept++] = in;
		if (i < p->filter_instrs)
			filter = kept;
	}
	p->ninstrs = kept;
	p->filter_instrs = filter;
}

static void
reduce_outputs(const Reduction *r)
{
	GpuAggKey  *keys = (GpuAggKey *) gpuagg_program_keys(r->p);
	GpuAggTransition *transitions = (GpuAggTransition *) gpuagg_program_transitions(r->p);

	for (int i = 0; i < r->p->nkeys; i++)
		keys[i].reg = renumbered(r, keys[i].reg);
	for (int i = 0; i < r->p->ntransitions; i++)
	{
		transitions[i].arg = renumbered(r, transitions[i].arg);
		transitions[i].filter = renumbered(r, transitions[i].filter);
	}
	r->p->filter_reg = renumbered(r, r->p->filter_reg);
}

/* Drops columns and instructions that nothing reads. */
static void
reduce(GpuAggProgram *p)
{
	Reduction	r = {.p = p};
	uint8	   *classes = (uint8 *) gpuagg_program_classes(p);
	int			columns = 0;
	int			n = 0;

	mark_all(&r);
	for (int i = 0; i < p->nregs; i++)
	{
		if (!r.live[i])
			continue;
		columns += i < p->ncolumns;
		classes[n] = classes[i];
		r.number[i] = n++;
	}
	reduce_attrs(&r);
	reduce_instrs(&r);
	reduce_outputs(&r);
	p->ncolumns = columns;
	p->nregs = n;
}

/* ----------------------------------------------------------- one of them --- */

/* What a part has of the whole; the places of what is there, else -1 */
typedef struct Places
{
	int			keys[GPUAGG_MAX_KEYS];
	int			transitions[GPUAGG_MAX_TRANSITIONS];
	bool		sorts[GPUAGG_REGROUP_SORTS];
} Places;

static void
want_transition(Places *places, const GpuAggProgram *p, int number)
{
	if (number == GPUAGG_REGROUP_NONE)
		return;
	places->transitions[number] = 0;
	if (gpuagg_program_transitions(p)[number].op == GPUAGG_TRANS_COMOMENTS_F64)
		places->transitions[number - 1] = 0;
}

static void
want_sort(const GpuAggPlanInfo *info, int number, Places *places)
{
	const GpuAggRegroup *plan = info->regroup;
	const GpuAggRegroupSort *sort = &plan->sorts[number];
	const GpuAggRegroupValue *value = &plan->values[sort->value];

	places->sorts[number] = true;
	want_transition(places, info->program, sort->weight);
	/* what tells how many decimals are shown */
	if (!value->computed)
		want_transition(places, info->program, plan->inputs[value->number].shown_by - 1);
}

static void
find_places(const GpuAggPlanInfo *info, int part, Places *places)
{
	const GpuAggRegroup *plan = info->regroup;
	int			n = 0;

	memset(places, 0, sizeof(*places));
	for (int i = 0; i < GPUAGG_MAX_KEYS; i++)
		places->keys[i] = (plan->parts[part].inputs >> i & 1) != 0 ? n++ : -1;
	for (int i = 0; i < GPUAGG_MAX_TRANSITIONS; i++)
		places->transitions[i] = -1;
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *state = &plan->states[i];

		if (state->part != part)
			continue;
		want_transition(places, info->program, state->merge);
		want_transition(places, info->program, state->weight);
		if (state->sort != GPUAGG_REGROUP_NONE)
			want_sort(info, state->sort, places);
	}
	n = 0;
	for (int i = 0; i < info->program->ntransitions; i++)
		if (places->transitions[i] >= 0)
			places->transitions[i] = n++;
}

/* The program with these keys and transitions */
static GpuAggProgram *
part_program(const GpuAggProgram *whole, const Places *places, Bitmapset **outputs)
{
	GpuAggProgram *p = palloc(whole->bytes);
	GpuAggKey  *keys = (GpuAggKey *) ((char *) p + whole->keys_off);
	GpuAggTransition *transitions = (GpuAggTransition *) ((char *) p + whole->transitions_off);
	int			output = 0;

	memcpy(p, whole, whole->bytes);
	p->nkeys = p->ntransitions = 0;
	*outputs = NULL;
	for (int i = 0; i < whole->nkeys; i++, output++)
	{
		if (places->keys[i] < 0)
			continue;
		keys[p->nkeys++] = keys[i];
		*outputs = bms_add_member(*outputs, output);
	}
	for (int i = 0; i < whole->ntransitions; i++)
	{
		const GpuAggTransition t = transitions[i];
		const int	n = (t.arg != GPUAGG_NO_REG) + (t.filter != GPUAGG_NO_REG);

		if (places->transitions[i] >= 0)
		{
			transitions[p->ntransitions++] = t;
			if (n > 0)
				*outputs = bms_add_range(*outputs, output, output + n - 1);
		}
		output += n;
	}
	reduce(p);
	return p;
}

static int16
placed_transition(const Places *places, int16 number)
{
	return number == GPUAGG_REGROUP_NONE ? number : places->transitions[number];
}

static void
place_inputs(GpuAggRegroup *plan, const Places *places)
{
	int			n = 0;

	for (int i = 0; i < plan->ninputs; i++)
	{
		if (places->keys[i] < 0)
			continue;
		plan->inputs[n] = plan->inputs[i];
		plan->targets[n++] = plan->targets[i];
	}
	plan->ninputs = n;
	for (int i = 0; i < n; i++)
		if (plan->inputs[i].shown_by != 0)
			plan->inputs[i].shown_by = places->transitions[plan->inputs[i].shown_by - 1] + 1;
	for (int i = 0; i < plan->nvalues; i++)
		if (!plan->values[i].computed)
			plan->values[i].number = Max(places->keys[plan->values[i].number], 0);
}

/* What is made of its groups */
static GpuAggRegroup *
part_plan(const GpuAggRegroup *whole, int part, const Places *places)
{
	GpuAggRegroup *plan = palloc(sizeof(GpuAggRegroup));

	*plan = *whole;
	plan->nparts = 0;
	plan->parted = false;
	place_inputs(plan, places);
	for (int i = 0; i < plan->nstates; i++)
	{
		GpuAggRegroupState *state = &plan->states[i];

		state->absent = state->part != part;
		if (state->absent)
			state->merge = state->weight = GPUAGG_REGROUP_NONE;
		state->merge = placed_transition(places, state->merge);
		state->weight = placed_transition(places, state->weight);
	}
	for (int i = 0; i < plan->nsorts; i++)
	{
		plan->sorts[i].absent = !places->sorts[i];
		plan->sorts[i].weight = plan->sorts[i].absent ? GPUAGG_REGROUP_NONE :
			placed_transition(places, plan->sorts[i].weight);
	}
	return plan;
}

GpuAggPlanInfo *
gpuagg_regroup_part(const GpuAggPlanInfo *info, int part, Bitmapset **outputs)
{
	const GpuAggRegroupPart *p = &info->regroup->parts[part];
	GpuAggPlanInfo *to = palloc(sizeof(GpuAggPlanInfo));
	Bitmapset  *own;
	Places		places;

	find_places(info, part, &places);
	*to = *info;
	to->program = part_program(info->program, &places, &own);
	to->regroup = part_plan(info->regroup, part, &places);
	to->est_groups = p->groups;
	to->est_numbers = 0;
	to->seen = p->seen;
	to->predicted = p->predicted;
	if (outputs != NULL)
		*outputs = own;
	return to;
}
