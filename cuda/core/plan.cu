/*
 * plan.cu
 *		A program and what kernels derive from it, as one block of bytes that
 *		is uploaded once a task.
 */
#include <stdlib.h>

#include "cuda/kernel/kernels.h"
#include "cuda/core/cuda_device.h"
#include "device/batch_memory.h"
#include "device/ops/group.h"

/*
 * A string of a page may be wanted as its code (GpuAggTaskConfig.codes),
 * or, where the page is kept in a stripe, beside it.
 */
static void
plan_columns(GpuAggPlan *plan, const GpuAggProgram *p)
{
	const uint8_t *classes = gpuagg_program_classes(p);
	uint8_t		words[GPUAGG_MAX_REGS];
	bool		has_bytes;
	uint32_t	at = 0;

	memset(plan->string_words, 0xFF, sizeof(plan->string_words));
	memset(plan->code_words, 0xFF, sizeof(plan->code_words));
	plan->nwords = gpuagg_decoded_words(p, words, &has_bytes);
	plan->has_bytes = has_bytes;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		plan->column_words[c] = (uint16_t) at;
		if (words[c] == GPUAGG_DECODED_STRING_WORDS)
		{
			plan->string_words[c] = (uint16_t) at;
			plan->code_words[c] = (uint16_t) (at + 2);
			if (classes[c] != GPUAGG_CLASS_BYTES)
				plan->column_words[c] = plan->code_words[c];
		}
		at += words[c];
	}
}

static void
plan_groups(GpuAggPlan *plan, const GpuAggProgram *p)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	bool		locked = false;

	gpuagg_layout_compute(p, &plan->layout);
	plan->states_off = p->ntransitions > 0 ? plan->layout.state_off[0] :
		plan->layout.row_bytes;
	for (uint32_t i = 0; i < p->nkeys; i++)
		plan->has_strings |= gpuagg_key_is_string(keys[i].type);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		locked |= gpuagg_transition_is_string(trans[i].op);
		gpuagg_state_init(trans[i].op, plan->init_row + plan->layout.state_off[i]);
	}
	plan->has_strings |= locked;
	plan->lock_off = locked ? plan->layout.row_bytes : 0;
	plan->stride = plan->layout.row_bytes + (locked ? 8 : 0);
}

GpuAggPlan *
gpuagg_cuda_plan(const GpuAggProgram *program, size_t *bytes)
{
	const size_t head = gpuagg_align(sizeof(GpuAggPlan), 16);
	GpuAggPlan *plan = (GpuAggPlan *) calloc(1, head + program->bytes);

	*bytes = head + program->bytes;
	if (plan == NULL)
		return NULL;
	plan->program_off = (uint32_t) head;
	memcpy((char *) plan + head, program, program->bytes);
	plan_columns(plan, program);
	plan_groups(plan, program);
	return plan;
}

/* Appends n bytes to a program that is being built; their offset */
static uint32_t
append(GpuAggProgram *p, const void *from, size_t n)
{
	uint32_t	off = p->bytes;

	if (n > 0)
		memcpy((char *) p + off, from, n);
	p->bytes = (uint32_t) (off + gpuagg_align(n, 8));
	return off;
}

/* The next output becomes a column; its register */
static uint16_t
add_output(GpuAggProgram *p, uint8_t *classes, uint8_t cls)
{
	classes[p->nregs] = cls;
	p->ncolumns++;
	return p->nregs++;
}

GpuAggPlan *
gpuagg_cuda_rows_plan(const GpuAggProgram *program, size_t *bytes)
{
	const uint8_t *from = gpuagg_program_classes(program);
	GpuAggKey	keys[GPUAGG_MAX_KEYS];
	GpuAggTransition trans[GPUAGG_MAX_TRANSITIONS];
	uint8_t		classes[GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS];
	size_t		room = sizeof(GpuAggProgram) + sizeof(keys) + sizeof(trans) + sizeof(classes) + 64;
	GpuAggProgram *p = (GpuAggProgram *) calloc(1, room);
	GpuAggPlan *plan;

	if (p == NULL)
		return NULL;
	memcpy(keys, gpuagg_program_keys(program), program->nkeys * sizeof(*keys));
	memcpy(trans, gpuagg_program_transitions(program), program->ntransitions * sizeof(*trans));
	p->version = program->version;
	p->hash_seed = program->hash_seed;
	p->utf8 = program->utf8;
	p->filter_reg = GPUAGG_NO_REG;
	p->nkeys = program->nkeys;
	p->ntransitions = program->ntransitions;
	for (uint32_t i = 0; i < p->nkeys; i++)
		keys[i].reg = add_output(p, classes, from[keys[i].reg]);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (trans[i].arg != GPUAGG_NO_REG)
			trans[i].arg = add_output(p, classes, from[trans[i].arg]);
		if (trans[i].filter != GPUAGG_NO_REG)
			trans[i].filter = add_output(p, classes, GPUAGG_CLASS_I64);
	}
	p->bytes = (uint32_t) gpuagg_align(sizeof(*p), 8);
	p->attrs_off = p->consts_off = p->instrs_off = p->bytes;
	p->keys_off = append(p, keys, p->nkeys * sizeof(*keys));
	p->transitions_off = append(p, trans, p->ntransitions * sizeof(*trans));
	p->classes_off = append(p, classes, p->nregs);
	plan = gpuagg_cuda_plan(p, bytes);
	free(p);
	return plan;
}
