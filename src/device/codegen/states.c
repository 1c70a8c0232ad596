/*
 * states.c
 *		What a block keeps of a group (states.h), and what frames do with it, as text.
 */
#include <string.h>

#include "states.h"

#include "device/ops/eval.h"
#include "device/ops/instr.h"
#include "device/ops/ops_lookup.h"

/* ---------- what is held ---------- */

/*
 * Are the values of a register integers of 32 bits, and none the least or greatest of these?  So
 * that one of them can stand for no value.
 */
static bool
is_narrow(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = reg == GPUAGG_NO_REG ? NULL : gpuagg_instr_of(p, reg);
	const uint8_t values = ins == NULL ? GPUAGG_VALUES_ANY : gpuagg_op_traits(ins->op)->values;
	const GpuAggConst *c = ins != NULL && ins->op == GPUAGG_OP_FETCH_I64 ?
		gpuagg_const_of(p, ins->b) : NULL;
	const GpuAggLookupColumn *column;

	if (c == NULL)
		return values == GPUAGG_VALUES_BOOL || values == GPUAGG_VALUES_INT2 ||
			values == GPUAGG_VALUES_LENGTH;
	column = gpuagg_lookup_column(gpuagg_lookup_of(gpuagg_const_bytes(p, c)), (uint32_t) ins->imm);
	return column->low > INT32_MIN && column->high < INT32_MAX;
}

static bool
is_extreme(uint32_t op)
{
	return op == GPUAGG_TRANS_MIN_I64 || op == GPUAGG_TRANS_MAX_I64;
}

/* Bytes of it in shared memory */
static uint32_t
shared_bytes(const GpuAggHeld *h)
{
	return h->narrow ? sizeof(int32_t) : gpuagg_transition_shared_bytes(h->op);
}

/* Pairs of words in registers */
static uint32_t
held_pairs(const GpuAggHeld *h)
{
	return h->op >= GPUAGG_TRANS_MOMENTS_F64 ? gpuagg_transition_bytes(h->op) / 16 : 1;
}

/* An average's sum is a sum, whose values have a limit. */
static uint32_t
held_find(const GpuAggProgram *p, GpuAggHeldStates *s, uint32_t op, uint16_t arg, uint16_t filter,
		  uint32_t first)
{
	const bool	averaged = gpuagg_transition_squares(op);
	uint32_t	i = 0;

	if (op == GPUAGG_TRANS_SUM_F64_AVG)
		op = GPUAGG_TRANS_SUM_F64;
	while (i < s->n &&
		   !(s->held[i].op == op && s->held[i].arg == arg && s->held[i].filter == filter &&
			 s->held[i].first == first))
		i++;
	if (i == s->n)
		s->held[s->n++] = (GpuAggHeld) {.op = op,
									   .first = first,
									   .arg = arg,
									   .filter = filter,
									   .narrow = is_extreme(op) && is_narrow(p, arg)};
	s->held[i].averaged |= averaged;
	return i;
}

/*
 * A group is there if a row had it.  A count tells that, but of rows whose argument
 * is NULL: those are counted beside it, which costs nothing where there are none.
 */
static void
rows_find(const GpuAggProgram *p, GpuAggHeldStates *s)
{
	const uint32_t n = s->n;

	s->counted = 0;
	while (s->counted < n && !(s->held[s->counted].op == GPUAGG_TRANS_COUNT &&
							   s->held[s->counted].filter == GPUAGG_NO_REG))
		s->counted++;
	s->bare = n;
	if (p->nkeys > 0 && (s->counted == n || s->held[s->counted].arg != GPUAGG_NO_REG))
		s->held[s->n++] = (GpuAggHeld){.op = GPUAGG_TRANS_COUNT,
									   .first = GPUAGG_NO_FIRST,
									   .arg = GPUAGG_NO_REG,
									   .filter = GPUAGG_NO_REG};
	if (s->counted == n)
		s->counted = s->bare;
}

void
gpuagg_held_states(const GpuAggProgram *p, GpuAggHeldStates *s)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	memset(s, 0, sizeof(*s));
	for (uint32_t i = 0; i < p->ntransitions; i++)
		s->of[i] = held_find(p, s, t[i].op, t[i].arg, t[i].filter,
							 t[i].op == GPUAGG_TRANS_COMOMENTS_F64 && i > 0 ? s->of[i - 1] :
																			  GPUAGG_NO_FIRST);
	rows_find(p, s);
	/* those of whole pairs of words first, so that they are aligned */
	for (uint32_t wide = 0; wide < 2; wide++)
		for (uint32_t i = 0; i < s->n; i++)
			if ((shared_bytes(&s->held[i]) % 8 == 0) == (wide == 0))
			{
				s->held[i].off = s->bytes;
				s->bytes += shared_bytes(&s->held[i]);
			}
	for (uint32_t i = 0; i < s->n; i++)
	{
		s->held[i].at = s->nheld;
		s->nheld += held_pairs(&s->held[i]);
	}
}

bool
gpuagg_held_loops(const GpuAggHeldStates *s)
{
	bool		loops = false;

	for (uint32_t i = 0; i < s->n; i++)
		loops |= s->held[i].op > GPUAGG_TRANS_SUM_I128 && !s->held[i].narrow;
	return loops;
}

/* ---------- what frames do with them ---------- */

/* A row's value of what is held, as frames take it */
static void
add_value(GpuAggWriter *w, const GpuAggHeldStates *s, uint32_t i)
{
	const GpuAggHeld *h = &s->held[i];

	if (h->op == GPUAGG_TRANS_COUNT)
		gpuagg_write(w, "(row.e%u, (int64_t) 0);\n", i);
	else if (h->op == GPUAGG_TRANS_COMOMENTS_F64 && h->first != GPUAGG_NO_FIRST)
		gpuagg_write(w, "(row.e%u, FramePair {row.a%u, row.a%u});\n", i, h->first, i);
	else if (h->op == GPUAGG_TRANS_MOMENTS_F64)
		gpuagg_write(w, "(row.e%u, FramePair {0, row.a%u});\n", i, i);
	else
		gpuagg_write(w, "(row.e%u, row.a%u);\n", i, i);
}

/* What frames call it */
static const char *
held_name(const GpuAggHeld *h)
{
	if (h->narrow)
		return h->op == GPUAGG_TRANS_MIN_I64 ? "FRAME_MIN_I32" : "FRAME_MAX_I32";
	return gpuagg_write_transition(h->op);
}

void
gpuagg_write_states(GpuAggWriter *w, const GpuAggHeldStates *s)
{
	const GpuAggTransition *t = gpuagg_program_transitions(w->program);
	GpuAggLayout layout;

	gpuagg_layout_compute(w->program, &layout);
	gpuagg_write(w, "\ttemplate <typename F> static GPUAGG_HD void\n\thold(F &f)\n\t{\n");
	for (uint32_t i = 0; i < s->n; i++)
		if (shared_bytes(&s->held[i]) > 0)
			gpuagg_write(w, "\t\tf.template hold<%s, %u, %u>();\n", held_name(&s->held[i]),
						 s->held[i].at, s->held[i].off);
	gpuagg_write(
		w,
		"\t}\n\ttemplate <typename F> static GPUAGG_HD void\n\tenter(F &f, const Row &row)\n\t{\n");
	for (uint32_t i = 0; i < s->n; i++)
	{
		if (shared_bytes(&s->held[i]) == 0)
			continue;
		gpuagg_write(w, "\t\tf.template enter<%s, %u, %u>", held_name(&s->held[i]), s->held[i].at,
					 s->held[i].off);
		add_value(w, s, i);
	}
	gpuagg_write(w, "\t}\n\ttemplate <typename F> static GPUAGG_HD void\n\tstates(F &f)\n\t{\n");
	for (uint32_t i = 0; i < w->program->ntransitions; i++)
		if (gpuagg_transition_bytes(t[i].op) > 0)
			gpuagg_write(w, "\t\tf.template state<%s, %u, %u, %u>();\n",
						 gpuagg_write_transition(t[i].op), s->held[s->of[i]].at,
						 s->held[s->of[i]].off, layout.state_off[i]);
	gpuagg_write(
		w,
		"\t}\n\ttemplate <typename F> static GPUAGG_HD void\n\tstep(F &f, const Row &row)\n\t{\n");
	for (uint32_t i = 0; i < w->program->ntransitions; i++)
	{
		gpuagg_write(w, "\t\tf.template step<%s, %u>", gpuagg_write_transition(t[i].op),
					 layout.state_off[i]);
		add_value(w, s, s->of[i]);
	}
	gpuagg_write(w, "\t}\n");
}
