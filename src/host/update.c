/*
 * update.c
 *		Transitions of the host device, a column at a time.
 *
 * Each transition first selects the rows that enter it: those that pass its
 * FILTER and whose argument is not NULL.  Errors that a FILTER or, behind
 * it, an argument holds are consumed there.  What follows is one tight loop
 * per transition without tests.  Where all rows belong to one group, sums
 * and the like are kept in registers instead.
 */
#include <stdio.h>

#include "device/ops/group.h"
#include "host/update.h"

/* Rows that enter one transition; rows is NULL if there is only one group. */
typedef struct GpuAggEntering
{
	const uint16_t *sel;
	char	   *const *rows;
	uint32_t	n;
	uint16_t	own_sel[GPUAGG_VECTOR_ROWS];
	char	   *own_rows[GPUAGG_VECTOR_ROWS];
} GpuAggEntering;

GpuAggStatus
gpuagg_update_value_error(uint32_t states, GpuAggError *error)
{
	error->status = GPUAGG_VALUE_ERROR;
	error->detail = states & ~(uint32_t) GPUAGG_ST_NULL;
	snprintf(error->message, sizeof(error->message),
			 "evaluating an expression raised an error");
	return error->status;
}

/*
 * Keep of the entering rows those where v is a value and, for a filter,
 * true.  Returns the states seen.
 */
static uint32_t
keep_values(GpuAggEntering *e, const GpuAggVector *v, bool is_filter)
{
	const uint16_t *sel = e->sel;
	char	   *const *rows = e->rows;
	uint32_t	states = 0;
	uint32_t	kept = 0;

	for (uint32_t k = 0; k < e->n; k++)
	{
		uint32_t	i = sel != NULL ? sel[k] : k;
		uint8_t		st = v->clean ? GPUAGG_ST_VALUE : v->st[i];

		states |= st;
		e->own_sel[kept] = (uint16_t) i;
		if (rows != NULL)
			e->own_rows[kept] = rows[k];
		kept += st == GPUAGG_ST_VALUE && (!is_filter || v->v.i[i] != 0);
	}
	e->sel = e->own_sel;
	if (rows != NULL)
		e->rows = e->own_rows;
	e->n = kept;
	return states;
}

/* Selects what enters a transition; returns the states consumed. */
static uint32_t
select_entering(GpuAggEntering *e, const GpuAggVector *arg,
				const GpuAggVector *filter, const uint16_t *sel,
				char *const *rows, uint32_t n)
{
	uint32_t	states = 0;

	e->sel = sel;
	e->rows = rows;
	e->n = n;
	if (filter != NULL)
		states = keep_values(e, filter, true);
	if (arg != NULL && !arg->clean)
		states |= keep_values(e, arg, false);
	return states;
}

#define EACH_ROW(statement) \
	for (uint32_t k = 0; k < n; k++) \
	{ \
		uint32_t	i = sel[k]; \
		char	   *state = rows[k] + off; \
		\
		statement; \
	} \
	break

#define STEP_I64(op) \
	case op: \
		EACH_ROW(gpuagg_state_step_i64(op, state, arg->v.i[i]))

#define STEP_F64(op) \
	case op: \
		EACH_ROW(gpuagg_state_step_f64(op, state, arg->v.f[i]))

/* first: the other argument of moments of two */
static void
step_rows(uint32_t op, uint32_t off, const GpuAggEntering *e, const GpuAggVector *arg,
		  const GpuAggVector *first)
{
	const uint16_t *sel = e->sel;
	char	   *const *rows = e->rows;
	const uint32_t n = e->n;

	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			for (uint32_t k = 0; k < n; k++)
				gpuagg_state_step_i64(GPUAGG_TRANS_COUNT, rows[k] + off, 0);
			break;
			STEP_I64(GPUAGG_TRANS_SUM_I64);
			STEP_I64(GPUAGG_TRANS_SUM_I128);
			STEP_I64(GPUAGG_TRANS_MIN_I64);
			STEP_I64(GPUAGG_TRANS_MAX_I64);
			STEP_I64(GPUAGG_TRANS_AND_I64);
			STEP_I64(GPUAGG_TRANS_OR_I64);
			STEP_I64(GPUAGG_TRANS_XOR_I64);
			STEP_F64(GPUAGG_TRANS_SUM_F64);
			STEP_F64(GPUAGG_TRANS_SUM_F64_AVG);
			STEP_F64(GPUAGG_TRANS_MIN_F64);
			STEP_F64(GPUAGG_TRANS_MAX_F64);
		case GPUAGG_TRANS_MOMENTS_F64:
			EACH_ROW(gpuagg_moments_step((double *) state, arg->v.f[i]));
		case GPUAGG_TRANS_COMOMENTS_F64:
			EACH_ROW(gpuagg_comoments_step((double *) state, first->v.f[i], arg->v.f[i]));
		default:
			break;
	}
}

static bool
step_string(GpuAggTable *t, uint32_t op, char *slot, GpuAggBytes value)
{
	return !gpuagg_state_prefers(op, slot, value) ||
		gpuagg_arena_replace(&t->arena, slot, value);
}

/* Does a value enter avg() or moments that is PostgreSQL's?  See transition.h. */
static bool
any_needs_pg(uint32_t op, const GpuAggEntering *e, const GpuAggVector *arg)
{
	bool		found = false;

	if (!gpuagg_transition_squares(op))
		return false;
	for (uint32_t k = 0; k < e->n; k++)
		found |= gpuagg_f64_needs_pg(arg->v.f[e->sel != NULL ? e->sel[k] : k]);
	return found;
}

/*
 * What enters transition j, in *e; errors are consumed.  *first: the other argument of
 * moments of two, which then has a value as well.
 */
static GpuAggStatus
update_select(GpuAggEntering *e, const GpuAggInputs *in, uint32_t op, uint32_t j,
			  const uint16_t *sel, char *const *rows, uint32_t n,
			  const GpuAggVector **first, GpuAggError *error)
{
	uint32_t	states = select_entering(e, in->args[j], in->filters[j], sel, rows, n);

	*first = NULL;
	if (op == GPUAGG_TRANS_COMOMENTS_F64)
	{
		*first = in->args[j - 1];
		if (!(*first)->clean)
			states |= keep_values(e, *first, false);
	}
	if (GPUAGG_ST_IS_ERROR(states))
		return gpuagg_update_value_error(states, error);
	if (any_needs_pg(op, e, in->args[j]))
		return gpuagg_update_value_error(GPUAGG_ST_NEEDS_PG, error);
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_update_rows(GpuAggTable *t, const GpuAggInputs *in, const uint16_t *sel,
				   char *const *rows, uint32_t n, GpuAggError *error)
{
	const GpuAggLayout *layout = &t->prepared->layout;
	const GpuAggTransition *trans = gpuagg_program_transitions(t->prepared->program);
	GpuAggEntering e;

	for (uint32_t j = 0; j < layout->ntransitions; j++)
	{
		const GpuAggVector *arg = in->args[j];
		const uint32_t op = trans[j].op;
		const uint32_t off = layout->state_off[j];
		const GpuAggVector *first;

		if (update_select(&e, in, op, j, sel, rows, n, &first, error) != GPUAGG_OK)
			return error->status;
		if (!gpuagg_transition_is_string(op))
			step_rows(op, off, &e, arg, first);
		else
			for (uint32_t k = 0; k < e.n; k++)
				if (!step_string(t, op, e.rows[k] + off, arg->v.b[e.sel[k]]))
					return gpuagg_memory_error(t->memory, error);
	}
	return GPUAGG_OK;
}

/* ---------- one group ---------- */

/* Reduce with `statement` over value x of the entering rows. */
#define REDUCE(field, statement) \
	if (sel == NULL) \
		for (uint32_t k = 0; k < n; k++) \
		{ \
			__typeof__(*arg->v.field) x = arg->v.field[k]; \
			\
			statement; \
		} \
	else \
		for (uint32_t k = 0; k < n; k++) \
		{ \
			__typeof__(*arg->v.field) x = arg->v.field[sel[k]]; \
			\
			statement; \
		}

static void
reduce_i64(uint32_t op, char *state, const GpuAggEntering *e, const GpuAggVector *arg)
{
	const uint16_t *sel = e->sel;
	const uint32_t n = e->n;
	int64_t		min = INT64_MAX;
	int64_t		max = INT64_MIN;
	uint64_t	sum = 0;
	uint64_t	all = UINT64_MAX;
	uint64_t	high[2] = {0, 0};

	switch (op)
	{
		case GPUAGG_TRANS_SUM_I64:
			REDUCE(i, sum += (uint64_t) x);
			gpuagg_state_step_i64(op, state, (int64_t) sum);
			break;
		case GPUAGG_TRANS_SUM_I128:
			/* halves of 32 bits: 1024 of them cannot overflow 64 */
			REDUCE(i, (sum += (uint32_t) x, high[0] += (uint64_t) (x >> 32)));
			high[1] = (uint64_t) ((int64_t) high[0] >> 32);
			gpuagg_state_add_i128(state, high[0] << 32, high[1]);
			gpuagg_state_add_i128(state, sum, 0);
			break;
		case GPUAGG_TRANS_MIN_I64:
			REDUCE(i, min = x < min ? x : min);
			gpuagg_state_step_i64(op, state, min);
			break;
		case GPUAGG_TRANS_MAX_I64:
			REDUCE(i, max = x > max ? x : max);
			gpuagg_state_step_i64(op, state, max);
			break;
		case GPUAGG_TRANS_AND_I64:
			REDUCE(i, all &= (uint64_t) x);
			gpuagg_state_step_i64(op, state, (int64_t) all);
			break;
		case GPUAGG_TRANS_OR_I64:
			REDUCE(i, sum |= (uint64_t) x);
			gpuagg_state_step_i64(op, state, (int64_t) sum);
			break;
		case GPUAGG_TRANS_XOR_I64:
			REDUCE(i, sum ^= (uint64_t) x);
			gpuagg_state_step_i64(op, state, (int64_t) sum);
			break;
		default:
			break;
	}
}

static void
reduce_f64(uint32_t op, char *state, const GpuAggEntering *e, const GpuAggVector *arg)
{
	const uint16_t *sel = e->sel;
	const uint32_t n = e->n;
	double		sum = -0.0;		/* adding nothing changes nothing, even -0 */

	switch (op)
	{
		case GPUAGG_TRANS_MIN_F64:
			REDUCE(f, gpuagg_state_step_f64(GPUAGG_TRANS_MIN_F64, state, x));
			break;
		case GPUAGG_TRANS_MAX_F64:
			REDUCE(f, gpuagg_state_step_f64(GPUAGG_TRANS_MAX_F64, state, x));
			break;
		default:
			REDUCE(f, sum += x);
			gpuagg_state_step_f64(op, state, sum);
			break;
	}
}

/* In order, as PostgreSQL does */
static void
reduce_moments(uint32_t op, double *state, const GpuAggEntering *e, const GpuAggVector *arg,
			   const GpuAggVector *first)
{
	for (uint32_t k = 0; k < e->n && op != GPUAGG_TRANS_FIRST_F64; k++)
	{
		const uint32_t i = e->sel != NULL ? e->sel[k] : k;

		if (op == GPUAGG_TRANS_MOMENTS_F64)
			gpuagg_moments_step(state, arg->v.f[i]);
		else
			gpuagg_comoments_step(state, first->v.f[i], arg->v.f[i]);
	}
}

GpuAggStatus
gpuagg_update_only_row(GpuAggTable *t, char *row, const GpuAggInputs *in,
					   uint32_t n, GpuAggError *error)
{
	const GpuAggLayout *layout = &t->prepared->layout;
	const GpuAggTransition *trans = gpuagg_program_transitions(t->prepared->program);
	GpuAggEntering e;

	for (uint32_t j = 0; j < layout->ntransitions; j++)
	{
		const GpuAggVector *arg = in->args[j];
		const uint32_t op = trans[j].op;
		char	   *state = row + layout->state_off[j];
		const GpuAggVector *first;
		uint64_t	count;

		if (update_select(&e, in, op, j, NULL, NULL, n, &first, error) != GPUAGG_OK)
			return error->status;
		count = e.n;
		if (op == GPUAGG_TRANS_COUNT)
			gpuagg_state_merge(op, state, (const char *) &count);
		else if (op >= GPUAGG_TRANS_MOMENTS_F64)
			reduce_moments(op, (double *) state, &e, arg, first);
		else if (gpuagg_transition_is_string(op))
		{
			for (uint32_t k = 0; k < e.n; k++)
				if (!step_string(t, op, state, arg->v.b[e.sel != NULL ? e.sel[k] : k]))
					return gpuagg_memory_error(t->memory, error);
		}
		else if (op == GPUAGG_TRANS_SUM_F64 || op == GPUAGG_TRANS_SUM_F64_AVG ||
				 op == GPUAGG_TRANS_MIN_F64 || op == GPUAGG_TRANS_MAX_F64)
			reduce_f64(op, state, &e, arg);
		else
			reduce_i64(op, state, &e, arg);
	}
	return GPUAGG_OK;
}

/* ---------- merging ---------- */

#define MERGE(op) \
	case op: \
		for (uint32_t k = 0; k < n; k++) \
			gpuagg_state_merge(op, rows[k] + off, from + sel[k] * row_bytes + off); \
		break;

GpuAggStatus
gpuagg_update_merge(GpuAggTable *t, const char *from, const uint16_t *sel,
					char *const *rows, uint32_t n, GpuAggError *error)
{
	const GpuAggLayout *layout = &t->prepared->layout;
	const GpuAggTransition *trans = gpuagg_program_transitions(t->prepared->program);
	const size_t row_bytes = layout->row_bytes;

	for (uint32_t j = 0; j < layout->ntransitions; j++)
	{
		const uint32_t op = trans[j].op;
		const uint32_t off = layout->state_off[j];

		switch (op)
		{
				MERGE(GPUAGG_TRANS_COUNT)
				MERGE(GPUAGG_TRANS_SUM_I64)
				MERGE(GPUAGG_TRANS_SUM_I128)
				MERGE(GPUAGG_TRANS_SUM_F64)
				MERGE(GPUAGG_TRANS_SUM_F64_AVG)
				MERGE(GPUAGG_TRANS_MIN_I64)
				MERGE(GPUAGG_TRANS_MAX_I64)
				MERGE(GPUAGG_TRANS_MIN_F64)
				MERGE(GPUAGG_TRANS_MAX_F64)
				MERGE(GPUAGG_TRANS_AND_I64)
				MERGE(GPUAGG_TRANS_OR_I64)
				MERGE(GPUAGG_TRANS_XOR_I64)
			case GPUAGG_TRANS_MOMENTS_F64:
			case GPUAGG_TRANS_COMOMENTS_F64:
				for (uint32_t k = 0; k < n; k++)
					gpuagg_moments_merge(op, (double *) (rows[k] + off),
										 (const double *) (from + sel[k] * row_bytes + off));
				break;
			case GPUAGG_TRANS_FIRST_F64:
				break;
			default:
				for (uint32_t k = 0; k < n; k++)
				{
					GpuAggBytes value =
						gpuagg_string_slot_bytes(from + sel[k] * row_bytes + off);

					if (value.len != GPUAGG_STRING_NONE &&
						!step_string(t, op, rows[k] + off, value))
						return gpuagg_memory_error(t->memory, error);
				}
				break;
		}
	}
	return GPUAGG_OK;
}
