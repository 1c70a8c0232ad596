/*
 * shape.c
 *		What one task's threads share: its program and what follows from it.
 *
 * A program comes from another process through shared memory.  Its numbers
 * are checked once, here, so that nothing that runs it has to bound a
 * register, an offset or a type again.
 */
#include <stdio.h>

#include "device/group.h"
#include "device/host/shape.h"
#include "device/ops.h"

/* Does an array of n elements lie inside of the program, and aligned? */
static bool
array_ok(const GpuAggProgram *p, uint32_t off, uint32_t n, size_t size,
		 size_t align)
{
	return n == 0 ||
		(off % align == 0 && off >= sizeof(GpuAggProgram) && off <= p->bytes &&
		 n * size <= p->bytes - off);
}

#define ARRAY_OK(p, off, n, type) array_ok(p, off, n, sizeof(type), _Alignof(type))

static bool
reg_ok(const GpuAggProgram *p, uint32_t reg, uint32_t cls)
{
	return reg < p->nregs && gpuagg_program_classes(p)[reg] == cls;
}

static bool
optional_reg_ok(const GpuAggProgram *p, uint32_t reg, uint32_t cls)
{
	return reg == GPUAGG_NO_REG || reg_ok(p, reg, cls);
}

/* The class of a loaded attribute's register */
static uint32_t
attr_class(const GpuAggAttr *a, GpuAggDictionary *const *dictionaries)
{
	uint32_t	cls = gpuagg_key_class(a->type);

	return cls == GPUAGG_CLASS_BYTES && dictionaries != NULL &&
		dictionaries[a->reg] != NULL ? GPUAGG_CLASS_I64 : cls;
}

static const char *
check_attrs(const GpuAggProgram *p, GpuAggDictionary *const *dictionaries)
{
	static const int8_t page_bytes[] = {
#define X(name, cls, pagebytes, slotbytes) pagebytes,
		GPUAGG_TYPE_LIST(X)
#undef X
	};

	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		const GpuAggAttr *a = &gpuagg_program_attrs(p)[i];

		if (a->attlen == 0 || a->attlen < -2 ||
			(a->align != 1 && a->align != 2 && a->align != 4 && a->align != 8) ||
			a->fixed_off < -1 || a->fixed_off >= GPUAGG_PAGE_BYTES)
			return "attribute";
		if (a->reg == GPUAGG_NO_REG)
			continue;
		if (a->type >= GPUAGG_NTYPES || a->attlen != page_bytes[a->type] ||
			a->reg >= p->ncolumns ||
			!reg_ok(p, a->reg, attr_class(a, dictionaries)))
			return "loaded attribute";
		if (a->missing_const != GPUAGG_NO_REG &&
			(a->missing_const < p->ncolumns ||
			 a->missing_const >= p->ncolumns + p->nconsts ||
			 !reg_ok(p, a->missing_const, gpuagg_key_class(a->type))))
			return "missing value";
	}
	return NULL;
}

static const char *
check_code(const GpuAggProgram *p)
{
	for (uint32_t i = 0; i < p->nconsts; i++)
	{
		const GpuAggConst *c = &gpuagg_program_consts(p)[i];

		if (c->type >= GPUAGG_NTYPES ||
			(c->state & ~GPUAGG_ST_NULL) != 0 ||
			!reg_ok(p, p->ncolumns + i, gpuagg_key_class(c->type)))
			return "constant";
		if (gpuagg_key_class(c->type) == GPUAGG_CLASS_BYTES &&
			c->state == GPUAGG_ST_VALUE &&
			(c->v.off > p->bytes || c->len > p->bytes - c->v.off))
			return "string constant";
	}
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		const GpuAggInstr *ins = &gpuagg_program_instrs(p)[i];

		if (ins->op >= GPUAGG_NOPS || ins->dst >= p->nregs ||
			ins->dst < p->ncolumns + p->nconsts ||
			(ins->a != GPUAGG_NO_REG && ins->a >= p->nregs) ||
			(ins->b != GPUAGG_NO_REG && ins->b >= p->nregs) ||
			(ins->c != GPUAGG_NO_REG && ins->c >= p->nregs))
			return "instruction";
		if ((ins->op == GPUAGG_OP_IN_I64 || ins->op == GPUAGG_OP_IN_F64 ||
			 ins->op == GPUAGG_OP_IN_BYTES) &&
			(ins->imm < 0 || ins->imm2 < 0 || ins->imm > p->nconsts ||
			 ins->imm2 > p->nconsts - ins->imm))
			return "list";
	}
	return NULL;
}

static const char *
check_outputs(const GpuAggProgram *p)
{
	static const uint8_t classes[] = {
#define X(name, bytes, cls) GPUAGG_CLASS_##cls,
		GPUAGG_TRANSITION_LIST(X)
#undef X
	};

	if (!optional_reg_ok(p, p->filter_reg, GPUAGG_CLASS_I64))
		return "filter";
	if (p->select && (p->nkeys > 0 || p->ntransitions > 0 || p->ninstrs != p->filter_instrs))
		return "selection";
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggKey *k = &gpuagg_program_keys(p)[i];

		if (k->type >= GPUAGG_NTYPES ||
			!reg_ok(p, k->reg, gpuagg_key_class(k->type)))
			return "key";
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		const GpuAggTransition *t = &gpuagg_program_transitions(p)[i];

		if (t->op >= GPUAGG_NTRANSITIONS ||
			!optional_reg_ok(p, t->filter, GPUAGG_CLASS_I64))
			return "transition";
		/* count(x) takes any class */
		if (t->op == GPUAGG_TRANS_COUNT ?
			t->arg != GPUAGG_NO_REG && t->arg >= p->nregs :
			!reg_ok(p, t->arg, classes[t->op]))
			return "transition argument";
	}
	return NULL;
}

/* What is wrong with a program, or NULL. */
static const char *
check_program(const GpuAggProgram *p, GpuAggDictionary *const *dictionaries)
{
	const char *wrong;

	if (p->version != GPUAGG_PROGRAM_VERSION || p->bytes < sizeof(GpuAggProgram))
		return "version";
	if (p->nregs > GPUAGG_MAX_REGS || p->nkeys > GPUAGG_MAX_KEYS ||
		p->ntransitions > GPUAGG_MAX_TRANSITIONS ||
		p->ncolumns + p->nconsts > p->nregs ||
		p->filter_instrs > p->ninstrs)
		return "count";
	if (!ARRAY_OK(p, p->attrs_off, p->nattrs, GpuAggAttr) ||
		!ARRAY_OK(p, p->consts_off, p->nconsts, GpuAggConst) ||
		!ARRAY_OK(p, p->instrs_off, p->ninstrs, GpuAggInstr) ||
		!ARRAY_OK(p, p->keys_off, p->nkeys, GpuAggKey) ||
		!ARRAY_OK(p, p->transitions_off, p->ntransitions, GpuAggTransition) ||
		!ARRAY_OK(p, p->classes_off, p->nregs, uint8_t))
		return "array";
	wrong = check_attrs(p, dictionaries);
	if (wrong == NULL)
		wrong = check_code(p);
	if (wrong == NULL)
		wrong = check_outputs(p);
	return wrong;
}

static void
plan_keys(GpuAggShape *s)
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
add_stretch(GpuAggShape *s, uint32_t i, uint16_t align)
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
add_fixed(GpuAggShape *s, GpuAggStretch *stretch, uint32_t i, uint32_t *nanchors)
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

static void
plan_decode(GpuAggShape *s)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(s->program);
	GpuAggStretch *stretch = add_stretch(s, 0, 8);	/* where the tuple starts */
	uint32_t	nanchors = 0;
	uint32_t	i;

	for (i = 0; i < s->program->nattrs; i++)
	{
		const GpuAggAttr *a = &attrs[i];

		if (a->attlen < 0)
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

/* Columns and results of the filter's instructions that later ones use. */
static void
plan_carry(GpuAggShape *s)
{
	const GpuAggProgram *p = s->program;
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	bool		needed[GPUAGG_MAX_REGS] = {false};

	for (uint32_t i = p->filter_instrs; i < p->ninstrs; i++)
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
			s->carry[s->ncarry++] = (uint16_t) i;
	for (uint32_t i = 0; i < p->filter_instrs; i++)
		if (needed[instrs[i].dst])
			s->carry[s->ncarry++] = instrs[i].dst;
}

GpuAggShape *
gpuagg_shape_create(const GpuAggProgram *program,
					GpuAggDictionary *const *dictionaries, GpuAggMemory *memory,
					GpuAggError *error)
{
	const char *wrong = check_program(program, dictionaries);
	size_t		program_bytes;
	size_t		row_bytes = 16 * (GPUAGG_MAX_KEYS + GPUAGG_MAX_TRANSITIONS + 1);
	size_t		bytes;
	GpuAggShape *s;

	if (wrong != NULL)
	{
		error->status = GPUAGG_UNSUPPORTED;
		error->detail = 0;
		snprintf(error->message, sizeof(error->message),
				 "the host device cannot run this program: bad %s", wrong);
		return NULL;
	}
	program_bytes = gpuagg_align(program->bytes, 64);
	bytes = sizeof(GpuAggShape) + 64 + program_bytes + row_bytes +
		program->ncolumns * sizeof(GpuAggDictionary *) +
		(sizeof(GpuAggStretch) + sizeof(GpuAggFixedColumn)) * (program->nattrs + (size_t) 1) +
		sizeof(uint16_t) * (size_t) program->nregs;
	s = gpuagg_memory_alloc(memory, bytes);
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
		s->dictionaries = (GpuAggDictionary **) (s->first_row + row_bytes);
		memcpy(s->dictionaries, dictionaries, program->ncolumns * sizeof(*dictionaries));
	}
	s->stretches = (GpuAggStretch *) (s->first_row + row_bytes +
									  program->ncolumns * sizeof(*dictionaries));
	s->columns = (GpuAggFixedColumn *) (s->stretches + program->nattrs + 1);
	s->carry = (uint16_t *) (s->columns + program->nattrs + 1);
	memcpy(s->program, program, program->bytes);
	plan_keys(s);
	plan_decode(s);
	plan_carry(s);
	for (uint32_t i = 0; i < program->ntransitions; i++)
		gpuagg_state_init(gpuagg_program_transitions(s->program)[i].op,
						  s->first_row + s->layout.state_off[i]);
	return s;
}

void
gpuagg_shape_free(GpuAggShape *shape, GpuAggMemory *memory)
{
	if (shape != NULL)
		gpuagg_memory_free(memory, shape, shape->bytes);
}
