/*
 * rows_program.c
 *		The program of rows that PostgreSQL has evaluated: the same groups as the one
 *		that it is made from, but columns are that one's outputs
 *		(gpuagg_program_noutputs) and nothing is computed.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen.h"
#include "device/layout.h"

typedef struct Outputs
{
	GpuAggKey	keys[GPUAGG_MAX_KEYS];
	GpuAggTransition transitions[GPUAGG_MAX_TRANSITIONS];
	uint8_t		classes[GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS];
} Outputs;

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
add_output(GpuAggProgram *p, Outputs *out, uint8_t cls)
{
	out->classes[p->nregs] = cls;
	p->ncolumns++;
	return p->nregs++;
}

static void
add_outputs(GpuAggProgram *p, const GpuAggProgram *program, Outputs *out)
{
	const uint8_t *from = gpuagg_program_classes(program);

	memcpy(out->keys, gpuagg_program_keys(program), program->nkeys * sizeof(*out->keys));
	memcpy(out->transitions, gpuagg_program_transitions(program),
		   program->ntransitions * sizeof(*out->transitions));
	for (uint32_t i = 0; i < p->nkeys; i++)
		out->keys[i].reg = add_output(p, out, from[out->keys[i].reg]);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		GpuAggTransition *t = &out->transitions[i];

		if (t->arg != GPUAGG_NO_REG)
			t->arg = add_output(p, out, from[t->arg]);
		if (t->filter != GPUAGG_NO_REG)
			t->filter = add_output(p, out, GPUAGG_CLASS_I64);
	}
}

GpuAggProgram *
gpuagg_rows_program(const GpuAggProgram *program)
{
	Outputs		out;
	GpuAggProgram *p = calloc(1, sizeof(*p) + sizeof(out) + 64);

	if (p == NULL)
		return NULL;
	p->version = program->version;
	p->hash_seed = program->hash_seed;
	p->utf8 = program->utf8;
	p->filter_reg = GPUAGG_NO_REG;
	p->nkeys = program->nkeys;
	p->ntransitions = program->ntransitions;
	add_outputs(p, program, &out);
	p->bytes = (uint32_t) gpuagg_align(sizeof(*p), 8);
	p->attrs_off = p->consts_off = p->instrs_off = p->bytes;
	p->keys_off = append(p, out.keys, p->nkeys * sizeof(*out.keys));
	p->transitions_off = append(p, out.transitions, p->ntransitions * sizeof(*out.transitions));
	p->classes_off = append(p, out.classes, p->nregs);
	return p;
}
