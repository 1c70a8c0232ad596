/*
 * prepared.c
 *		What one task's threads share: its program and what follows from it.
 *
 * The program is checked (device/ops/program_check.h), so that nothing that
 * runs it has to bound a register, an offset or a type again.
 */
#include <stdio.h>

#include "device/ops/group.h"
#include "device/ops/program_check.h"
#include "host/prepared.h"

static void
plan_keys(GpuAggPrepared *s)
{
	const GpuAggProgram *p = s->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	bool		typed = false;

	gpuagg_layout_compute(p, &s->layout);
	s->key_bytes = p->ntransitions > 0 ? s->layout.state_off[0] : s->layout.row_bytes;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		if (gpuagg_key_is_string(keys[i].type))
			s->long_keys = true;
		if (gpuagg_key_is_string(keys[i].type) ||
			gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64)
			typed = true;
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			s->long_states = true;
	if (p->nkeys == 0)
		s->key_mode = GPUAGG_KEYS_NONE;
	else if (p->nkeys == 1 && keys[0].type == GPUAGG_T_TEXT)
		s->key_mode = GPUAGG_KEYS_STRING;
	else if (typed)
		s->key_mode = GPUAGG_KEYS_TYPED;
	else if (s->key_bytes == 8)
		s->key_mode = GPUAGG_KEYS_WORD;
	else if (s->key_bytes == 16)
		s->key_mode = GPUAGG_KEYS_TWO_WORDS;
	else
		s->key_mode = GPUAGG_KEYS_WORDS;
}

/* The next stretch, which begins at attribute i. */
static GpuAggStretch *
add_stretch(GpuAggPrepared *s, uint32_t i, uint16_t align)
{
	GpuAggStretch *stretch = &s->stretches[s->nstretches++];

	stretch->first = (uint16_t) i;
	stretch->fixed = (uint16_t) i;
	stretch->align = align;
	stretch->anchor = GPUAGG_NO_ANCHOR;
	stretch->bytes = 0;
	return stretch;
}

/* Adds attribute i to the fixed part.  False: there is no anchor left. */
static bool
add_fixed(GpuAggPrepared *s, GpuAggStretch *stretch, uint32_t i, uint32_t *nanchors)
{
	const GpuAggAttr *a = &gpuagg_program_attrs(s->program)[i];
	uint32_t	off = (stretch->bytes + a->align - 1) & ~((uint32_t) a->align - 1);

	if (a->reg != GPUAGG_NO_REG)
	{
		GpuAggFixedColumn *column = &s->columns[s->ncolumns];

		if (stretch->anchor == GPUAGG_NO_ANCHOR)
		{
			if (*nanchors == GPUAGG_MAX_ANCHORS)
				return false;
			stretch->anchor = (uint16_t) (*nanchors)++;
		}
		column->attr = (uint16_t) i;
		column->anchor = stretch->anchor;
		column->off = off;
		s->ncolumns++;
	}
	stretch->bytes = off + (uint32_t) a->attlen;
	return true;
}

/* A fixed length, but values that no device holds: each is looked at when it is met. */
static bool
is_stepped(const GpuAggAttr *a)
{
	return a->reg != GPUAGG_NO_REG && a->type == GPUAGG_T_TIMETZ;
}

static void
plan_decode(GpuAggPrepared *s)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(s->program);
	GpuAggStretch *stretch = add_stretch(s, 0, 8);	/* where the tuple starts */
	uint32_t	nanchors = 0;
	uint32_t	i;

	for (i = 0; i < s->program->nattrs; i++)
	{
		const GpuAggAttr *a = &attrs[i];

		if (a->attlen < 0 || is_stepped(a))
		{
			if (stretch->bytes > 0)
				stretch = add_stretch(s, i, 1);
			stretch->fixed = (uint16_t) (i + 1);
			continue;
		}
		if (stretch->bytes == 0 && stretch->fixed > stretch->first)
			stretch->align = a->align;
		else if (a->align > stretch->align)
			stretch = add_stretch(s, i, a->align);
		if (!add_fixed(s, stretch, i, &nanchors))
			break;
	}
	if (stretch->bytes == 0)
		stretch->align = 1;		/* nothing follows that padding would lead to */
	s->walk_from = i;
	s->fixed_only = s->nstretches == 1 && stretch->fixed == 0 && i == s->program->nattrs;
}

static void
mark(bool *needed, uint32_t reg)
{
	if (reg != GPUAGG_NO_REG)
		needed[reg] = true;
}

/* Columns and results of a stage's instructions, and of those before, that later ones use. */
static void
plan_carry(GpuAggPrepared *s, uint32_t stage)
{
	const GpuAggProgram *p = s->program;
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	const uint32_t end = s->stages.end[stage];
	bool		needed[GPUAGG_MAX_REGS] = {false};

	for (uint32_t i = end; i < p->ninstrs; i++)
	{
		mark(needed, instrs[i].a);
		mark(needed, instrs[i].b);
		mark(needed, instrs[i].c);
	}
	for (uint32_t i = 0; i < p->nkeys; i++)
		mark(needed, gpuagg_program_keys(p)[i].reg);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		mark(needed, gpuagg_program_transitions(p)[i].arg);
		mark(needed, gpuagg_program_transitions(p)[i].filter);
	}
	for (uint32_t i = 0; i < p->ncolumns; i++)
		if (needed[i])
			s->carry[stage][s->ncarry[stage]++] = (uint16_t) i;
	for (uint32_t i = 0; i < end; i++)
		if (needed[instrs[i].dst])
			s->carry[stage][s->ncarry[stage]++] = instrs[i].dst;
}

/* Rows that are listed are those of a block that one stage has looked at. */
static void
plan_filter(GpuAggPrepared *s, uint16_t *registers)
{
	if (s->program->filter_reg == GPUAGG_NO_REG)
		return;
	gpuagg_stages_find(s->program, &s->stages);
	if (s->program->select)
	{
		s->stages.n = 1;
		s->stages.reg[0] = s->program->filter_reg;
		s->stages.end[0] = s->program->filter_instrs;
	}
	for (uint32_t i = 0; i < s->stages.n; i++)
	{
		s->carry[i] = registers + i * s->program->nregs;
		plan_carry(s, i);
	}
}

/* Of a program that has been checked, or that has nothing but keys and transitions */
static GpuAggPrepared *
prepare(const GpuAggProgram *program, GpuAggDictionary *const *dictionaries,
		GpuAggMemory *memory, GpuAggError *error)
{
	const size_t program_bytes = gpuagg_align(program->bytes, 64);
	const size_t bytes = sizeof(GpuAggPrepared) + 64 + program_bytes + GPUAGG_MAX_ROW_BYTES +
		program->nregs * sizeof(GpuAggDictionary *) +
		(sizeof(GpuAggStretch) + sizeof(GpuAggFixedColumn)) * (program->nattrs + (size_t) 1) +
		sizeof(uint16_t) * GPUAGG_STAGES * (size_t) program->nregs;
	GpuAggPrepared *s = gpuagg_memory_alloc(memory, bytes);

	if (s == NULL)
	{
		gpuagg_memory_error(memory, error);
		return NULL;
	}
	memset(s, 0, bytes);
	s->bytes = bytes;
	s->program = (GpuAggProgram *) gpuagg_align((uintptr_t) (s + 1), 64);
	s->first_row = (char *) s->program + program_bytes;
	if (dictionaries != NULL)
	{
		s->dictionaries = (GpuAggDictionary **) (s->first_row + GPUAGG_MAX_ROW_BYTES);
		memcpy(s->dictionaries, dictionaries, program->nregs * sizeof(*dictionaries));
	}
	s->stretches = (GpuAggStretch *) (s->first_row + GPUAGG_MAX_ROW_BYTES +
									  program->nregs * sizeof(*dictionaries));
	s->columns = (GpuAggFixedColumn *) (s->stretches + program->nattrs + 1);
	memcpy(s->program, program, program->bytes);
	plan_keys(s);
	plan_decode(s);
	plan_filter(s, (uint16_t *) (s->columns + program->nattrs + 1));
	for (uint32_t i = 0; i < program->ntransitions; i++)
		gpuagg_state_init(gpuagg_program_transitions(s->program)[i].op,
						  s->first_row + s->layout.state_off[i]);
	return s;
}

GpuAggPrepared *
gpuagg_prepared_create(const GpuAggProgram *program, GpuAggDictionary *const *dictionaries,
					   GpuAggMemory *memory, GpuAggError *error)
{
	const char *wrong;

	if (gpuagg_program_check_coded(program, program->bytes, dictionaries, &wrong))
		return prepare(program, dictionaries, memory, error);
	error->status = GPUAGG_UNSUPPORTED;
	error->detail = 0;
	snprintf(error->message, sizeof(error->message),
			 "the host device cannot run this program: %s", wrong);
	return NULL;
}

GpuAggPrepared *
gpuagg_prepared_of_groups(const GpuAggProgram *program, GpuAggMemory *memory, GpuAggError *error)
{
	return prepare(program, NULL, memory, error);
}

void
gpuagg_prepared_free(GpuAggPrepared *prepared, GpuAggMemory *memory)
{
	if (prepared != NULL)
		gpuagg_memory_free(memory, prepared, prepared->bytes);
}
