/*
 * encode.c
 *		Programs over codes (encode.h).
 *
 * Registers of strings that are compared with each other, or of which one may be the other
 * (CASE, coalesce), hold codes of one dictionary, or all of them strings: they are a *set*.  A set
 * stays strings as soon as one use of one of them needs more than equality (LIKE, an order,
 * min()), and where it has two columns, for these have two dictionaries.  So has what a code
 * table makes of strings.
 */
#include "device/ops/encode.h"

#include "device/ops/group.h"
#include "device/ops/instr.h"

/* ---------- sets of registers ---------- */

typedef struct Sets
{
	const GpuAggProgram *p;
	uint16_t	parent[GPUAGG_MAX_REGS];	/* itself: the set's first */
	bool		strings[GPUAGG_MAX_REGS];	/* of the first: none of the set may be a code */
	uint16_t	source[GPUAGG_MAX_REGS];	/* of the first: the column in the set, or what comes of
										 * a code table; or NO_REG */
	bool		chosen[GPUAGG_MAX_REGS];	/* of the first: a result is in the set */
	bool		listed[GPUAGG_MAX_REGS];	/* constants of a list, which are put in order */
	bool		used[GPUAGG_MAX_REGS];	/* as an argument, or as an output */
} Sets;

static bool
is_bytes(const GpuAggProgram *p, uint32_t reg)
{
	return reg != GPUAGG_NO_REG && gpuagg_program_classes(p)[reg] == GPUAGG_CLASS_BYTES;
}

static uint16_t
first_of(Sets *s, uint16_t reg)
{
	while (s->parent[reg] != reg)
	{
		s->parent[reg] = s->parent[s->parent[reg]];
		reg = s->parent[reg];
	}
	return reg;
}

static void
keep_strings(Sets *s, uint32_t reg)
{
	if (is_bytes(s->p, reg))
		s->strings[first_of(s, (uint16_t) reg)] = true;
}

static void
join(Sets *s, uint32_t a, uint32_t b)
{
	const uint16_t x = first_of(s, (uint16_t) a);
	const uint16_t y = first_of(s, (uint16_t) b);

	if (x == y)
		return;
	s->parent[y] = x;
	s->strings[x] |= s->strings[y] ||
		(s->source[x] != GPUAGG_NO_REG && s->source[y] != GPUAGG_NO_REG);
	s->chosen[x] |= s->chosen[y];
	if (s->source[x] == GPUAGG_NO_REG)
		s->source[x] = s->source[y];
}

static void
use(Sets *s, uint32_t reg)
{
	if (reg == GPUAGG_NO_REG)
		return;
	s->used[reg] = true;
	if (s->listed[reg])
		keep_strings(s, reg);
}

/* A constant of a list, which has another place in the order of codes: so it has no other use. */
static void
list(Sets *s, uint32_t reg)
{
	if (s->used[reg] || s->listed[reg])
		keep_strings(s, reg);
	s->listed[reg] = true;
}

/* May the argument that a register is be a code, where others of its set are? */
static bool
takes_codes(const GpuAggInstr *in, uint32_t reg)
{
	switch (in->op)
	{
		case GPUAGG_OP_BYTES_EQ:
		case GPUAGG_OP_BYTES_NE:
		case GPUAGG_OP_IN_BYTES:
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
		case GPUAGG_OP_SELECT:
		case GPUAGG_OP_COALESCE:
		case GPUAGG_OP_NULL_IF:
		case GPUAGG_OP_DISTINCT_FROM:
			return true;
		case GPUAGG_OP_FETCH_I64:
		case GPUAGG_OP_FETCH_F64:
			return in->a == reg;
		default:
			return false;
	}
}

static void
add_instr(Sets *s, const GpuAggInstr *in)
{
	uint16_t	args[3];
	const uint32_t n = gpuagg_instr_args(in, args);

	for (uint32_t i = 0; i < n; i++)
	{
		use(s, args[i]);
		if (!takes_codes(in, args[i]))
			keep_strings(s, args[i]);
	}
	switch (in->op)
	{
		case GPUAGG_OP_BYTES_EQ:
		case GPUAGG_OP_BYTES_NE:
			join(s, in->a, in->b);
			return;
		case GPUAGG_OP_IN_BYTES:
			for (int32_t i = in->imm; i < in->imm + in->imm2; i++)
			{
				list(s, s->p->ncolumns + (uint32_t) i);
				join(s, in->a, s->p->ncolumns + (uint32_t) i);
			}
			return;
		case GPUAGG_OP_DISTINCT_FROM:
			if (is_bytes(s->p, in->a))
				join(s, in->a, in->c);
			return;
		default:
			break;
	}
	if (!is_bytes(s->p, in->dst) || in->op == GPUAGG_OP_FETCH_I64)
		return;
	s->chosen[in->dst] = true;
	switch (in->op)
	{
		case GPUAGG_OP_SELECT:
			join(s, in->dst, in->b);
			join(s, in->dst, in->c);
			break;
		case GPUAGG_OP_COALESCE:
			join(s, in->dst, in->b);
			join(s, in->dst, in->a);
			break;
		case GPUAGG_OP_NULL_IF:
			join(s, in->dst, in->a);
			break;
		default:
			keep_strings(s, in->dst);
			break;
	}
}

/* The type of a loaded column */
static uint32_t
column_type(const GpuAggProgram *p, uint32_t reg)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	uint32_t	i = 0;

	while (attrs[i].reg != reg)
		i++;
	return attrs[i].type;
}

/*
 * Keys of another type than their column's may be equal where strings are not; so may those that
 * ignore blanks, but of one column, whose blanks are alike.
 */
static bool
key_takes_codes(const GpuAggProgram *p, const GpuAggKey *key)
{
	return key->reg < p->ncolumns ? key->type == column_type(p, key->reg) :
		key->type == GPUAGG_T_TEXT;
}

static void
add_outputs(Sets *s)
{
	const GpuAggProgram *p = s->p;
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		use(s, gpuagg_program_keys(p)[i].reg);
		if (!key_takes_codes(p, &gpuagg_program_keys(p)[i]))
			keep_strings(s, gpuagg_program_keys(p)[i].reg);
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		use(s, trans[i].arg);
		if (trans[i].op != GPUAGG_TRANS_COUNT)
			keep_strings(s, trans[i].arg);
	}
	/* what stands for missing values is a string, as those on pages are */
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (gpuagg_program_attrs(p)[i].reg != GPUAGG_NO_REG)
			keep_strings(s, gpuagg_program_attrs(p)[i].missing_const);
}

void
gpuagg_encode_plan(const GpuAggProgram *p, uint16_t *of)
{
	Sets		s = {.p = p};

	for (uint16_t r = 0; r < p->nregs; r++)
	{
		s.parent[r] = r;
		s.source[r] = r < p->ncolumns ? r : GPUAGG_NO_REG;
	}
	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (gpuagg_program_instrs(p)[i].op == GPUAGG_OP_FETCH_I64)
			s.source[gpuagg_program_instrs(p)[i].dst] = gpuagg_program_instrs(p)[i].dst;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		add_instr(&s, &gpuagg_program_instrs(p)[i]);
	add_outputs(&s);
	for (uint16_t r = 0; r < p->nregs; r++)
	{
		const uint16_t first = first_of(&s, r);

		of[r] = GPUAGG_NO_REG;
		if (!is_bytes(p, r) || s.strings[first])
			continue;
		if (s.source[first] != GPUAGG_NO_REG)
			of[r] = s.source[first];
		else if (s.chosen[first])
			of[r] = GPUAGG_OF_CONSTANTS;
	}
}

bool
gpuagg_encode_is_constant(const GpuAggProgram *p, const uint16_t *of, uint32_t constant)
{
	return of[p->ncolumns + constant] != GPUAGG_NO_REG &&
		gpuagg_program_consts(p)[constant].state == GPUAGG_ST_VALUE;
}

/* ---------- the program ---------- */

static GpuAggConst *
constants(GpuAggProgram *p)
{
	return (GpuAggConst *) ((char *) p + p->consts_off);
}

/* An IN list of codes is in their order. */
static void
sort_list(GpuAggConst *list, int32_t n)
{
	for (int32_t i = 1; i < n; i++)
	{
		GpuAggConst c = list[i];
		int32_t		k = i;

		for (; k > 0 && list[k - 1].v.i > c.v.i; k--)
			list[k] = list[k - 1];
		list[k] = c;
	}
}

static void
encode_instr(GpuAggProgram *p, GpuAggInstr *in, const uint16_t *of)
{
	if (in->op == GPUAGG_OP_IN_BYTES && of[in->a] != GPUAGG_NO_REG)
	{
		in->op = GPUAGG_OP_IN_I64;
		sort_list(constants(p) + in->imm, in->imm2);
	}
	else if (in->op == GPUAGG_OP_BYTES_EQ && of[in->a] != GPUAGG_NO_REG)
		in->op = GPUAGG_OP_I64_EQ;
	else if (in->op == GPUAGG_OP_BYTES_NE && of[in->a] != GPUAGG_NO_REG)
		in->op = GPUAGG_OP_I64_NE;
}

void
gpuagg_encode_program(GpuAggProgram *p, const uint16_t *of, const int32_t *codes)
{
	uint8_t    *classes = (uint8_t *) p + p->classes_off;
	GpuAggKey  *keys = (GpuAggKey *) ((char *) p + p->keys_off);
	GpuAggInstr *instrs = (GpuAggInstr *) ((char *) p + p->instrs_off);
	GpuAggTransition *trans = (GpuAggTransition *) ((char *) p + p->transitions_off);

	for (uint32_t k = 0; k < p->nconsts; k++)
		if (of[p->ncolumns + k] != GPUAGG_NO_REG)
		{
			constants(p)[k].v.i = codes[k];
			constants(p)[k].type = GPUAGG_T_CODE;
			constants(p)[k].len = 0;
		}
	for (uint32_t i = 0; i < p->ninstrs; i++)
		encode_instr(p, &instrs[i], of);
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (of[keys[i].reg] != GPUAGG_NO_REG)
			keys[i].type = GPUAGG_T_CODE;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg != GPUAGG_NO_REG && of[trans[i].arg] != GPUAGG_NO_REG)
			trans[i].type = GPUAGG_T_CODE;
	for (uint32_t r = 0; r < p->nregs; r++)
		if (of[r] != GPUAGG_NO_REG)
			classes[r] = GPUAGG_CLASS_I64;
}

/* ---------- groups ---------- */

/* Groups come in no order of their codes, so each is two misses of the caches. */
static void
fetch_key(const GpuAggEncoding *e, const char *row, uint32_t n, uint32_t i)
{
	const GpuAggDictionaryText *text = gpuagg_decode_text(e, i);
	const char *at = row;
	int32_t		code;

	for (uint32_t k = 0; k < n; k++, at += gpuagg_group_bytes(e->to, &e->to_layout, at))
		if (gpuagg_decode_code(e, at, i, &code))
			__builtin_prefetch(&text->starts[code]);
	at = row;
	for (uint32_t k = 0; k < n; k++, at += gpuagg_group_bytes(e->to, &e->to_layout, at))
		if (gpuagg_decode_code(e, at, i, &code))
			__builtin_prefetch(text->bytes + text->starts[code]);
}

void
gpuagg_decode_fetch(const GpuAggEncoding *e, const char *row, uint32_t n)
{
	for (uint32_t i = 0; i < e->from->nkeys; i++)
		if (gpuagg_decode_is_code(e, i))
			fetch_key(e, row, n, i);
}
