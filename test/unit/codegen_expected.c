/*
 * codegen_expected.c
 *		What the interpreter says of rows, for codegen_test.c.
 */
#include <string.h>

#include "codegen_expected.h"
#include "codegen_rows.h"
#include "device/choice/ranges.h"
#include "device/codegen/codegen.h"
#include "device/ops/group.h"

GpuAggValue codegen_reg[GPUAGG_MAX_REGS];
uint8_t		codegen_st[GPUAGG_MAX_REGS];

static void
row_load(const GpuAggProgram *p, uint32_t r)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		codegen_st[c] = codegen_nulls[c][r / 32] >> (r % 32) & 1;
		memset(&codegen_reg[c], 0, sizeof(codegen_reg[c]));
		if (codegen_columns[c].strings != NULL)
			codegen_reg[c].b = codegen_st[c] ? codegen_reg[c].b :
											   codegen_string(((uint32_t *) codegen_values[c])[r]);
		else
			codegen_reg[c].i = codegen_columns[c].bytes == 4 ? ((int32_t *) codegen_values[c])[r] :
															   codegen_values[c][r];
	}
}

/* As cuda/kernel/row.cuh has it */
static bool
consume(uint8_t state, uint32_t *errors)
{
	*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
	return state == GPUAGG_ST_VALUE;
}

static bool
row_enters(const GpuAggTransition *t, uint32_t *errors)
{
	if (t->filter != GPUAGG_NO_REG &&
		(!consume(codegen_st[t->filter], errors) || codegen_reg[t->filter].i == 0))
		return false;
	if (t->arg == GPUAGG_NO_REG)
		return true;
	if (!consume(codegen_st[t->arg], errors))
		return false;
	if (!gpuagg_transition_squares(t->op) || !gpuagg_f64_needs_pg(codegen_reg[t->arg].f))
		return true;
	*errors |= GPUAGG_ST_NEEDS_PG;
	return false;
}

/* A sum that shares what is held with an average: its errors, too */
static bool
is_shared(const GpuAggProgram *p, uint32_t i)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	for (uint32_t o = 0; t[i].op == GPUAGG_TRANS_SUM_F64 && o < p->ntransitions; o++)
		if (t[o].op == GPUAGG_TRANS_SUM_F64_AVG && t[o].arg == t[i].arg &&
			t[o].filter == t[i].filter)
			return true;
	return false;
}

static void
row_keys(const GpuAggProgram *p, CodegenRow *out)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint64_t	h = p->hash_seed;
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggValue *v = &codegen_reg[keys[i].reg];
		const bool	f64 = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64;
		const bool	bytes = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES;
		char	   *slot = out->entry + layout.key_off[i];

		if (codegen_st[keys[i].reg] != GPUAGG_ST_VALUE)
			out->nulls |= 1u << i;
		else if (f64)
			memcpy(slot, &v->f, sizeof(v->f));
		else if (bytes)
			gpuagg_key_store_bytes(keys[i].type, slot, v->b);
		else
			gpuagg_key_store_i64(keys[i].type, slot, v->i);
		h = gpuagg_hash_word(h,
							 codegen_st[keys[i].reg] != GPUAGG_ST_VALUE ? GPUAGG_HASH_NULL :
								 f64   ? gpuagg_key_word_f64(v->f) :
								 bytes ? gpuagg_key_word_bytes(keys[i].type, v->b, p->hash_seed) :
										 (uint64_t) v->i,
							 p->hash_seed);
	}
	out->hash = gpuagg_hash_finish(h);
	out->equal = true;
}

uint32_t	codegen_nmultiples, codegen_nbeyond;

int64_t
codegen_key_unit(const GpuAggProgram *p, uint32_t key)
{
	const int64_t unit = gpuagg_range_unit(p, gpuagg_program_keys(p)[key].reg);

	return unit > 0 ? unit : 1;
}

/* The number of its group, by its values, or the codes that a column of strings has */
static void
row_number(const GpuAggProgram *p, uint32_t r, CodegenRow *out)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	out->numbered = true;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const uint16_t key = keys[i].reg;
		const int64_t unit = codegen_key_unit(p, i);
		const int64_t v = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES ?
			((const int32_t *) codegen_values[key])[r] : codegen_reg[key].i;

		if (codegen_st[key] == GPUAGG_ST_VALUE)
		{
			out->number += ((uint32_t) (v / unit) - (uint32_t) CODEGEN_NUMBER_FIRST + 1) *
				CODEGEN_NUMBER_STEP(i);
			out->numbered &= v % unit == 0 && v / unit >= CODEGEN_NUMBER_FIRST &&
				v / unit <= CODEGEN_NUMBER_LAST;
			codegen_nmultiples += unit > 1 && out->numbered;
			codegen_nbeyond += unit > 1 && !out->numbered;
		}
		if (!out->numbered)
			return;
	}
}

/* A value enters a state, as device/ops/group.h has it. */
static void
state_step(const GpuAggProgram *p, const GpuAggTransition *t, char *state)
{
	const GpuAggValue *v = t->arg != GPUAGG_NO_REG ? &codegen_reg[t->arg] : codegen_reg;

	if (gpuagg_transition_is_string(t->op))
	{
		if (gpuagg_state_prefers(t->op, state, v->b))
			gpuagg_string_slot_store(state, v->b);
	}
	else if (t->op == GPUAGG_TRANS_MOMENTS_F64)
		gpuagg_moments_step_shared((double *) state, v->f);
	else if (t->op == GPUAGG_TRANS_COMOMENTS_F64)
		gpuagg_comoments_step_shared((double *) state, codegen_reg[t[-1].arg].f, v->f);
	else if (t->op != GPUAGG_TRANS_COUNT && gpuagg_program_classes(p)[t->arg] == GPUAGG_CLASS_F64)
		gpuagg_state_step_f64(t->op, state, v->f);
	else
		gpuagg_state_step_i64(t->op, state, v->i);
}

void
codegen_expect(const GpuAggProgram *p, uint32_t r, CodegenRow *out, CodegenStates *all)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint8_t		states = 0;

	row_load(p, r);
	gpuagg_eval(p, 0, p->ninstrs, codegen_reg, codegen_st);
	out->passed = p->filter_reg == GPUAGG_NO_REG ||
		(consume(codegen_st[p->filter_reg], &out->errors) && codegen_reg[p->filter_reg].i != 0);
	if (!out->passed)
		return;
	for (uint32_t i = 0; i < p->nkeys; i++)
		states |= codegen_st[keys[i].reg];
	(void) consume(states, &out->errors);
	out->ready = !GPUAGG_ST_IS_ERROR(states);
	if (!out->ready)
		return;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		out->enters[i] = row_enters(&t[i], &out->errors);
		if (out->enters[i] && is_shared(p, i))
			out->enters[i] = !gpuagg_f64_needs_pg(codegen_reg[t[i].arg].f);
		if (t[i].op == GPUAGG_TRANS_COMOMENTS_F64)
		{
			out->enters[i] &= out->enters[i - 1];
			out->firsts[i] = (uint64_t) codegen_reg[t[i - 1].arg].i;
		}
		if (!out->enters[i])
			continue;
		if (gpuagg_transition_is_string(t[i].op))
			out->values[i] = gpuagg_hash_bytes(codegen_reg[t[i].arg].b.data,
											   codegen_reg[t[i].arg].b.len, CODEGEN_STRING_SEED);
		else if (t[i].op != GPUAGG_TRANS_COUNT)
			out->values[i] = (uint64_t) codegen_reg[t[i].arg].i;
		state_step(p, &t[i], all->one[i]);
	}
	if (p->nkeys > 0)
		row_keys(p, out);
	if (gpuagg_codegen_numbers(p))
		row_number(p, r, out);
}
