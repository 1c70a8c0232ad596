/*
 * encode.c
 *		Programs over codes (encode.h).
 *
 * A column stays a string as soon as one use of it needs more than equality:
 * LIKE, an order, min(), another column.  So does a column that is compared with
 * a constant which has another use, for the constant would have to be both.
 */
#include "device/ops/encode.h"

#include "device/ops/group.h"
#include "device/ops/instr.h"

/* ---------- which columns ---------- */

static uint32_t
register_class(const GpuAggProgram *p, uint32_t reg)
{
	return gpuagg_program_classes(p)[reg];
}

static bool
is_column(const GpuAggProgram *p, uint32_t reg)
{
	return reg < p->ncolumns;
}

/* A register of a string constant that is not NULL? */
static bool
is_string_constant(const GpuAggProgram *p, uint32_t reg)
{
	const GpuAggConst *c = gpuagg_program_consts(p) + reg - p->ncolumns;

	return reg != GPUAGG_NO_REG && reg >= p->ncolumns &&
		reg < p->ncolumns + (uint32_t) p->nconsts &&
		gpuagg_key_class(c->type) == GPUAGG_CLASS_BYTES && c->state == GPUAGG_ST_VALUE;
}

/* Does the instruction ask whether a column equals a constant? */
static bool
compares(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t *column,
		 uint32_t *constant)
{
	if (in->op != GPUAGG_OP_BYTES_EQ && in->op != GPUAGG_OP_BYTES_NE)
		return false;
	*column = is_column(p, in->a) ? in->a : in->b;
	*constant = is_column(p, in->a) ? in->b : in->a;
	return is_column(p, *column) && is_string_constant(p, *constant);
}

bool
gpuagg_encode_allows(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t reg)
{
	uint32_t	column;
	uint32_t	constant;

	switch (in->op)
	{
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
		case GPUAGG_OP_IN_BYTES:
			return true;
		case GPUAGG_OP_DISTINCT_FROM:
			return in->a == reg || in->c == reg;
		case GPUAGG_OP_FETCH_I64:
		case GPUAGG_OP_FETCH_F64:
			return in->a == reg;
		default:
			return compares(p, in, &column, &constant) && column == reg;
	}
}

static void
forbid(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t reg, bool *coded)
{
	if (reg != GPUAGG_NO_REG && is_column(p, reg) && !gpuagg_encode_allows(p, in, reg))
		coded[reg] = false;
}

/* The column that an instruction compares with a constant; NO_REG: none */
static uint32_t
constant_column(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t constant)
{
	uint32_t	column;
	uint32_t	reg;

	if (in->op == GPUAGG_OP_IN_BYTES)
		return constant >= (uint32_t) in->imm &&
			constant < (uint32_t) (in->imm + in->imm2) && is_column(p, in->a) ?
			in->a : GPUAGG_NO_REG;
	return compares(p, in, &column, &reg) && reg == p->ncolumns + constant ?
		column : GPUAGG_NO_REG;
}

/* Does an instruction take the constant as an argument or in a list? */
static bool
takes_constant(const GpuAggProgram *p, const GpuAggInstr *in, uint32_t constant)
{
	const uint32_t reg = p->ncolumns + constant;

	if (gpuagg_has_list(in) &&
		constant >= (uint32_t) in->imm && constant < (uint32_t) (in->imm + in->imm2))
		return true;
	return in->a == reg || in->b == reg || in->c == reg;
}

/* Is it used as something else than an instruction's argument? */
static bool
is_output(const GpuAggProgram *p, uint32_t constant)
{
	const uint32_t reg = p->ncolumns + constant;

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (gpuagg_program_attrs(p)[i].reg != GPUAGG_NO_REG &&
			gpuagg_program_attrs(p)[i].missing_const == reg)
			return true;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (gpuagg_program_keys(p)[i].reg == reg)
			return true;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (gpuagg_program_transitions(p)[i].arg == reg)
			return true;
	return false;
}

/*
 * The column that a constant is compared with, if it has no other use.
 * *shared: it has, or several columns; the columns must stay strings.
 */
static uint32_t
sole_column(const GpuAggProgram *p, uint32_t constant, bool *shared)
{
	uint32_t	column = GPUAGG_NO_REG;

	*shared = is_output(p, constant);
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		const GpuAggInstr *in = &gpuagg_program_instrs(p)[i];
		uint32_t	one;

		if (!takes_constant(p, in, constant))
			continue;
		one = constant_column(p, in, constant);
		*shared |= one == GPUAGG_NO_REG || (column != GPUAGG_NO_REG && column != one);
		column = one == GPUAGG_NO_REG ? column : one;
	}
	return column;
}

/* Columns that are compared with a constant that cannot be a code */
static bool
forbid_shared(const GpuAggProgram *p, bool *coded)
{
	bool		changed = false;

	for (uint32_t k = 0; k < p->nconsts; k++)
	{
		bool		shared;
		uint32_t	sole = sole_column(p, k, &shared);

		if (sole == GPUAGG_NO_REG || (!shared && coded[sole]))
			continue;
		for (uint32_t i = 0; i < p->ninstrs; i++)
		{
			uint32_t	column = constant_column(p, &gpuagg_program_instrs(p)[i], k);

			if (column == GPUAGG_NO_REG || !coded[column])
				continue;
			coded[column] = false;
			changed = true;
		}
	}
	return changed;
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

/* Keys of another type than their column's may be equal where strings are not. */
static void
forbid_keys(const GpuAggProgram *p, bool *coded)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	for (uint32_t i = 0; i < p->nkeys; i++)
		if (is_column(p, keys[i].reg) && keys[i].type != column_type(p, keys[i].reg))
			coded[keys[i].reg] = false;
}

uint32_t
gpuagg_encode_plan(const GpuAggProgram *p, bool *coded)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	n = 0;

	for (uint32_t r = 0; r < p->ncolumns; r++)
		coded[r] = register_class(p, r) == GPUAGG_CLASS_BYTES;
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		const GpuAggInstr *in = &gpuagg_program_instrs(p)[i];

		forbid(p, in, in->a, coded);
		forbid(p, in, in->b, coded);
		forbid(p, in, in->c, coded);
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg != GPUAGG_NO_REG && is_column(p, trans[i].arg) &&
			trans[i].op != GPUAGG_TRANS_COUNT)
			coded[trans[i].arg] = false;
	forbid_keys(p, coded);
	while (forbid_shared(p, coded))
		;
	for (uint32_t r = 0; r < p->ncolumns; r++)
		n += coded[r];
	return n;
}

uint32_t
gpuagg_encode_constant(const GpuAggProgram *p, const bool *coded, uint32_t constant)
{
	bool		shared;
	uint32_t	column = sole_column(p, constant, &shared);

	return column != GPUAGG_NO_REG && coded[column] ? column : GPUAGG_NO_REG;
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
encode_instr(GpuAggProgram *p, GpuAggInstr *in, const bool *coded)
{
	uint32_t	column;
	uint32_t	constant;

	if (in->op == GPUAGG_OP_IN_BYTES && is_column(p, in->a) && coded[in->a])
	{
		in->op = GPUAGG_OP_IN_I64;
		sort_list(constants(p) + in->imm, in->imm2);
	}
	else if (compares(p, in, &column, &constant) && coded[column])
		in->op = in->op == GPUAGG_OP_BYTES_EQ ? GPUAGG_OP_I64_EQ : GPUAGG_OP_I64_NE;
}

void
gpuagg_encode_program(GpuAggProgram *p, const bool *coded, const int32_t *codes)
{
	uint8_t    *classes = (uint8_t *) p + p->classes_off;
	GpuAggKey  *keys = (GpuAggKey *) ((char *) p + p->keys_off);
	GpuAggInstr *instrs = (GpuAggInstr *) ((char *) p + p->instrs_off);
	GpuAggTransition *trans = (GpuAggTransition *) ((char *) p + p->transitions_off);
	bool		recoded[GPUAGG_MAX_REGS];

	for (uint32_t k = 0; k < p->nconsts; k++)
		recoded[k] = gpuagg_encode_constant(p, coded, k) != GPUAGG_NO_REG;
	for (uint32_t k = 0; k < p->nconsts; k++)
		if (recoded[k])
			constants(p)[k].v.i = codes[k];
	for (uint32_t i = 0; i < p->ninstrs; i++)
		encode_instr(p, &instrs[i], coded);
	for (uint32_t k = 0; k < p->nconsts; k++)
		if (recoded[k])
		{
			constants(p)[k].type = GPUAGG_T_CODE;
			constants(p)[k].len = 0;
			classes[p->ncolumns + k] = GPUAGG_CLASS_I64;
		}
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (is_column(p, keys[i].reg) && coded[keys[i].reg])
			keys[i].type = GPUAGG_T_CODE;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg != GPUAGG_NO_REG && is_column(p, trans[i].arg) && coded[trans[i].arg])
			trans[i].type = GPUAGG_T_CODE;
	for (uint32_t r = 0; r < p->ncolumns; r++)
		if (coded[r])
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
