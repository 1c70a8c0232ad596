/*
 * code_table.c
 *		Expressions as tables by code (code_table.h): which, and what becomes of a program.
 */
#include "device/ops/code_table.h"

#include "device/ops/encode.h"
#include "device/ops/instr.h"
#include "device/ops/lookup_make.h"
#include "device/ops/program_append.h"

/* ---------- which expressions ---------- */

/* What a register is made of, in place of a column: constants alone; anything else */
#define OF_CONSTANTS GPUAGG_NO_REG
#define OF_OTHERS (GPUAGG_NO_REG - 1)

typedef struct Search
{
	const GpuAggProgram *p;
	GpuAggCodeExpression *found;
	uint32_t	n;
	uint16_t	of[GPUAGG_MAX_REGS];	/* the column of strings that each register is made of */
	bool		looks[GPUAGG_MAX_REGS]; /* at bytes of it, where codes would not do */
	bool		given[GPUAGG_MAX_REGS]; /* only a table has it */
	bool		seen[GPUAGG_MAX_REGS];
	const bool *forbidden;		/* columns that must stay strings, and so what is made of them */
	GpuAggProgram *room;
} Search;

static uint32_t
first_result(const GpuAggProgram *p)
{
	return p->ncolumns + (uint32_t) p->nconsts;
}

static uint32_t
class_of(const GpuAggProgram *p, uint16_t reg)
{
	return gpuagg_program_classes(p)[reg];
}

/* LIKE without an escape, and a length that is not negative: neither raises an error. */
static bool
is_open_but_safe(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggConst *c;
	GpuAggBytes pattern;

	switch (ins->op)
	{
		case GPUAGG_OP_LIKE:
			c = gpuagg_const_of(p, ins->b);
			/* a pattern that is NULL, or not known yet */
			if (c == NULL)
				return ins->b >= p->ncolumns && ins->b < first_result(p);
			pattern = gpuagg_const_bytes(p, c);
			return gpuagg_find_byte(pattern.data, pattern.len, 0, '\\') == pattern.len;
		case GPUAGG_OP_SUBSTR:
			c = gpuagg_const_of(p, ins->c);
			return c != NULL && c->v.i >= 0;
		default:
			return false;
	}
}

/* Values make no error, and no NULL but as is_null_made() tells. */
static bool
is_safe(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggOpTraits *traits = gpuagg_op_traits(ins->op);

	if (traits->rule == GPUAGG_RULE_OPEN)
		return is_open_but_safe(p, ins);
	return traits->rule < GPUAGG_RULE_SAME;
}

/* May it make NULL of values? */
static bool
is_null_made(const GpuAggInstr *ins)
{
	return ins->op == GPUAGG_OP_NULL_IF || gpuagg_is_called(ins) ||
		(gpuagg_has_list(ins) && (ins->flags & GPUAGG_IN_HAS_NULL) != 0);
}

/* Would the instruction do with a code in the place of a column's string? */
static bool
takes_code(const GpuAggInstr *ins)
{
	switch (ins->op)
	{
		case GPUAGG_OP_BYTES_EQ:
		case GPUAGG_OP_BYTES_NE:
		case GPUAGG_OP_IN_BYTES:
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
		case GPUAGG_OP_DISTINCT_FROM:
			return true;
		default:
			return gpuagg_op_traits(ins->op)->rule == GPUAGG_RULE_SELECT ||
				gpuagg_op_traits(ins->op)->rule == GPUAGG_RULE_COALESCE ||
				gpuagg_op_traits(ins->op)->rule == GPUAGG_RULE_NULL_IF;
	}
}

/* What an instruction's result is made of */
static void
look_at_instr(Search *s, const GpuAggInstr *ins)
{
	const GpuAggProgram *p = s->p;
	uint16_t   *of = &s->of[ins->dst];
	uint16_t	args[3];
	const uint32_t n = gpuagg_instr_args(ins, args);

	s->given[ins->dst] = gpuagg_is_given(ins);
	*of = is_safe(p, ins) || s->given[ins->dst] ? OF_CONSTANTS : OF_OTHERS;
	for (uint32_t i = 0; i < n && *of != OF_OTHERS; i++)
	{
		const uint16_t arg = s->given[args[i]] ? OF_OTHERS : s->of[args[i]];

		s->looks[ins->dst] |= s->looks[args[i]] ||
			(args[i] < p->ncolumns && class_of(p, args[i]) == GPUAGG_CLASS_BYTES &&
			 !takes_code(ins));
		if (*of == OF_CONSTANTS)
			*of = arg;
		else if (arg != OF_CONSTANTS && arg != *of)
			*of = OF_OTHERS;
	}
}

/* What all registers are made of; arguments stand before results. */
static void
look(Search *s)
{
	const GpuAggProgram *p = s->p;

	for (uint16_t r = 0; r < first_result(p); r++)
		s->of[r] = r >= p->ncolumns ? OF_CONSTANTS :
			class_of(p, r) == GPUAGG_CLASS_BYTES && !s->forbidden[r] ? r : OF_OTHERS;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		look_at_instr(s, &gpuagg_program_instrs(p)[i]);
}

/* A row whose string is NULL has no code, and so no value in the table. */
static bool
is_null_of_null(const GpuAggProgram *expression)
{
	GpuAggValue reg[GPUAGG_CODE_TABLE_REGS];
	uint8_t		st[GPUAGG_CODE_TABLE_REGS];

	memset(reg, 0, sizeof(reg));
	st[0] = GPUAGG_ST_NULL;
	gpuagg_eval_constants(expression, reg, st);
	gpuagg_eval(expression, 0, expression->ninstrs, reg, st);
	return st[gpuagg_program_keys(expression)[0].reg] == GPUAGG_ST_NULL;
}

static bool
is_expression(const Search *s, uint16_t reg, GpuAggCodeExpression *e)
{
	const GpuAggProgram *p = s->p;

	e->reg = reg;
	e->column = s->of[reg];
	if (reg < first_result(p) || s->forbidden[reg] || e->column == OF_CONSTANTS ||
		e->column == OF_OTHERS || !s->looks[reg])
		return false;
	/* of a string that is made of the column's nobody computes it */
	if (s->given[reg] && gpuagg_instr_of(p, reg)->a != e->column)
		return false;
	gpuagg_code_table_program(p, e, s->room);
	return s->room->nregs <= GPUAGG_CODE_TABLE_REGS && is_null_of_null(s->room);
}

static void
search(Search *s, uint16_t reg)
{
	const GpuAggInstr *ins;
	GpuAggCodeExpression e;
	uint16_t	args[3];
	uint32_t	n;

	if (reg == GPUAGG_NO_REG || s->seen[reg])
		return;
	s->seen[reg] = true;
	ins = gpuagg_instr_of(s->p, reg);
	if (ins == NULL)
		return;
	if (s->n < GPUAGG_CODE_TABLES && s->p->nregs + s->n < GPUAGG_MAX_REGS &&
		is_expression(s, reg, &e))
	{
		s->found[s->n++] = e;
		return;
	}
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = 0; i < n; i++)
		search(s, args[i]);
}

/* Registers that are used as they are, not by instructions alone */
static void
search_outputs(Search *s)
{
	const GpuAggProgram *p = s->p;

	search(s, p->filter_reg);
	for (uint32_t i = 0; i < p->nkeys; i++)
		search(s, gpuagg_program_keys(p)[i].reg);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		search(s, gpuagg_program_transitions(p)[i].arg);
		search(s, gpuagg_program_transitions(p)[i].filter);
	}
}

uint32_t
gpuagg_code_tables_find(const GpuAggProgram *p, GpuAggCodeExpression *found, GpuAggProgram *room)
{
	bool		forbidden[GPUAGG_MAX_REGS] = {false};
	bool		all;
	Search		s;

	/* a column that cannot be codes in spite of its tables has none, which may leave others */
	do
	{
		uint16_t	of[GPUAGG_MAX_REGS];

		memset(&s, 0, sizeof(s));
		s.p = p;
		s.found = found;
		s.forbidden = forbidden;
		s.room = room;
		look(&s);
		search_outputs(&s);
		if (s.n == 0)
			return 0;
		memcpy(room, p, gpuagg_program_head_bytes(p));
		room->bytes = gpuagg_program_head_bytes(p);
		(void) gpuagg_code_tables_use(p, found, s.n, NULL, room);
		gpuagg_encode_plan(room, of);
		all = true;
		for (uint32_t i = 0; i < s.n; i++)
		{
			const uint16_t reg = gpuagg_code_table_register(room, p->nconsts + i);
			const bool	stays = of[found[i].column] == GPUAGG_NO_REG;
			const bool	text = class_of(p, found[i].reg) == GPUAGG_CLASS_BYTES;

			forbidden[found[i].column] |= stays;
			forbidden[found[i].reg] |= text && of[reg] == GPUAGG_NO_REG;
			all &= !stays && !forbidden[found[i].reg];
		}
	} while (!all);
	return s.n;
}

uint32_t
gpuagg_called_count(const GpuAggProgram *p)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < p->ninstrs; i++)
		n += gpuagg_is_called(&gpuagg_program_instrs(p)[i]);
	return n;
}

bool
gpuagg_called_have_tables(const GpuAggProgram *p, GpuAggProgram *room)
{
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	const uint32_t n = gpuagg_code_tables_find(p, found, room);
	uint32_t	called = 0;

	for (uint32_t i = 0; i < n; i++)
		called += gpuagg_is_called(gpuagg_instr_of(p, found[i].reg));
	return called == gpuagg_called_count(p);
}

/* ---------- programs ---------- */

/* Where registers of a program go in one that is made of it; NO_REG: nowhere */
typedef struct Places
{
	uint16_t	to[GPUAGG_MAX_REGS];
} Places;

static uint16_t
place(const Places *places, uint16_t reg)
{
	return reg == GPUAGG_NO_REG ? GPUAGG_NO_REG : places->to[reg];
}

/* An instruction's registers, where they have gone */
static void
instr_move(GpuAggInstr *ins, const Places *places)
{
	uint16_t	args[3];
	const uint32_t n = gpuagg_instr_args(ins, args);

	ins->dst = place(places, ins->dst);
	ins->a = n > 0 ? place(places, ins->a) : GPUAGG_NO_REG;
	ins->b = n > 1 ? place(places, ins->b) : GPUAGG_NO_REG;
	ins->c = n > 2 ? place(places, ins->c) : GPUAGG_NO_REG;
}

/* Marks what a register needs, itself included; not beyond registers in `ends` */
static void
mark(const GpuAggProgram *p, uint16_t reg, const bool *ends, bool *needed)
{
	const GpuAggInstr *ins;
	uint16_t	args[3];
	uint32_t	n;

	if (reg == GPUAGG_NO_REG || needed[reg])
		return;
	needed[reg] = true;
	ins = gpuagg_instr_of(p, reg);
	if (ins == NULL || (ends != NULL && ends[reg]))
		return;
	if (gpuagg_has_list(ins))
		for (int32_t i = ins->imm; i < ins->imm + ins->imm2; i++)
			needed[p->ncolumns + i] = true;
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = 0; i < n; i++)
		mark(p, args[i], ends, needed);
}

size_t
gpuagg_code_tables_more(const GpuAggProgram *p)
{
	const size_t instrs = (p->ninstrs + (size_t) GPUAGG_CODE_TABLES) * sizeof(GpuAggInstr);
	const size_t consts = (p->nconsts + (size_t) GPUAGG_CODE_TABLES) * sizeof(GpuAggConst);
	const size_t others = p->nkeys * sizeof(GpuAggKey) + p->ntransitions * sizeof(GpuAggTransition);

	return instrs + consts + others + p->nregs + sizeof(GpuAggProgram) +
		GPUAGG_CODE_TABLES * (sizeof(GpuAggLookup) + sizeof(GpuAggLookupColumn) + 1) +
		sizeof(GpuAggAttr) + sizeof(GpuAggKey) + 8 * (size_t) (p->nconsts + 16);
}

size_t
gpuagg_code_tables_room(const GpuAggProgram *p)
{
	return gpuagg_program_head_bytes(p) + gpuagg_code_tables_more(p);
}

/* The attribute that a column is loaded of */
static const GpuAggAttr *
attr_of(const GpuAggProgram *p, uint16_t column)
{
	const GpuAggAttr *a = gpuagg_program_attrs(p);

	while (a->reg != column)
		a++;
	return a;
}

/* The constants that are needed, one behind the other */
static void
constants_copy(const GpuAggProgram *p, const bool *needed, Places *places, GpuAggProgram *out)
{
	GpuAggConst *to;
	uint16_t	n = 0;

	for (uint32_t k = 0; k < p->nconsts; k++)
		if (needed[p->ncolumns + k])
			places->to[p->ncolumns + k] = (uint16_t) (out->ncolumns + n++);
	out->nconsts = n;
	out->consts_off = gpuagg_program_append(out, NULL, n * sizeof(GpuAggConst));
	to = gpuagg_program_at(out, out->consts_off);
	for (uint32_t k = 0; k < p->nconsts; k++)
	{
		const GpuAggConst *c = &gpuagg_program_consts(p)[k];

		if (!needed[p->ncolumns + k])
			continue;
		*to = *c;
		if (class_of(p, (uint16_t) (p->ncolumns + k)) == GPUAGG_CLASS_BYTES)
		{
			const GpuAggBytes b = gpuagg_const_bytes(p, c);

			to->v.off = 0;
			if (c->state == GPUAGG_ST_VALUE)
				to->v.off = gpuagg_program_append(out, b.data, b.len);
		}
		else if (c->state != GPUAGG_ST_VALUE)
			to->v.i = 0;
		to++;
	}
}

/*
 * The attributes up to one, which alone is loaded, with what it is where a row is older than it;
 * or that one by itself, which is on no page
 */
static void
attributes_copy(const GpuAggProgram *p, uint16_t column, bool table, GpuAggProgram *out)
{
	const GpuAggAttr *from = gpuagg_program_attrs(p);
	const GpuAggAttr *attr = attr_of(p, column);
	GpuAggAttr *to;

	if (table)
		from = attr;
	out->nattrs = (uint16_t) (attr - from + 1);
	out->attrs_off = gpuagg_program_append(out, from, out->nattrs * sizeof(GpuAggAttr));
	to = gpuagg_program_at(out, out->attrs_off);
	for (uint32_t i = 0; i < out->nattrs; i++)
		to[i].reg = to[i].missing_const = GPUAGG_NO_REG;
	to[out->nattrs - 1].reg = 0;
	if (table)
		to->fixed_off = -1;
}

/* An expression of a column by itself, as the program of a code table, or of the table */
static void
expression_copy(const GpuAggProgram *p, const GpuAggCodeExpression *e, bool table,
				GpuAggProgram *out)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	static const uint8_t types[] = {GPUAGG_T_INT8, GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};
	GpuAggKey	key = {.type = types[class_of(p, e->reg)]};
	const uint16_t missing = attr_of(p, e->column)->missing_const;
	bool		needed[GPUAGG_MAX_REGS] = {false};
	Places		places;
	uint8_t    *classes;
	uint16_t	n = 0;

	mark(p, e->reg, NULL, needed);
	if (!table)
		mark(p, missing, NULL, needed);
	memset(&places, 0xFF, sizeof(places));
	memset(out, 0, sizeof(*out));
	out->bytes = (uint32_t) gpuagg_align(sizeof(*out), 8);
	out->version = p->version;
	out->utf8 = p->utf8;
	out->filter_reg = GPUAGG_NO_REG;
	out->ncolumns = out->nkeys = 1;
	places.to[e->column] = 0;
	attributes_copy(p, e->column, table, out);
	constants_copy(p, needed, &places, out);
	if (!table)
		((GpuAggAttr *) gpuagg_program_at(out, out->attrs_off))
			[out->nattrs - 1].missing_const = place(&places, missing);
	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (needed[ins[i].dst])
			places.to[ins[i].dst] = (uint16_t) (out->ncolumns + out->nconsts + n++);
	out->ninstrs = n;
	out->nregs = (uint16_t) (out->ncolumns + out->nconsts + n);
	out->instrs_off = gpuagg_program_append(out, NULL, n * sizeof(GpuAggInstr));
	n = 0;
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		GpuAggInstr *to = (GpuAggInstr *) gpuagg_program_at(out, out->instrs_off) + n;

		if (!needed[ins[i].dst])
			continue;
		*to = ins[i];
		instr_move(to, &places);
		if (gpuagg_has_list(to))
			to->imm = to->imm2 == 0 ? 0 :
				places.to[p->ncolumns + to->imm] - out->ncolumns;
		n++;
	}
	key.reg = places.to[e->reg];
	out->keys_off = gpuagg_program_append(out, &key, sizeof(key));
	out->transitions_off = out->bytes;
	out->classes_off = gpuagg_program_append(out, NULL, out->nregs);
	classes = gpuagg_program_at(out, out->classes_off);
	for (uint32_t r = 0; r < p->nregs; r++)
		if (places.to[r] != GPUAGG_NO_REG)
			classes[places.to[r]] = (uint8_t) class_of(p, (uint16_t) r);
}

void
gpuagg_code_table_program(const GpuAggProgram *p, const GpuAggCodeExpression *e, GpuAggProgram *out)
{
	expression_copy(p, e, true, out);
}

void
gpuagg_called_program(const GpuAggProgram *p, const GpuAggInstr *ins, GpuAggProgram *out)
{
	const GpuAggCodeExpression e = {.reg = ins->dst,.column = ins->a};

	expression_copy(p, &e, false, out);
}

void
gpuagg_called_read_program(const GpuAggProgram *p, const GpuAggInstr *ins, GpuAggProgram *out)
{
	GpuAggInstr *read;

	gpuagg_called_program(p, ins, out);
	read = gpuagg_program_at(out, out->instrs_off);
	read->op = GPUAGG_OP_BYTES_EQ;
	read->b = read->a;
	((uint8_t *) gpuagg_program_at(out, out->classes_off))[read->dst] = GPUAGG_CLASS_I64;
	((GpuAggKey *) gpuagg_program_at(out, out->keys_off))->type = GPUAGG_T_INT8;
}

/* Which registers the outputs need once tables are there */
static void
mark_outputs(const GpuAggProgram *p, const bool *tabled, bool *needed)
{
	mark(p, p->filter_reg, tabled, needed);
	for (uint32_t i = 0; i < p->nkeys; i++)
		mark(p, gpuagg_program_keys(p)[i].reg, tabled, needed);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		mark(p, gpuagg_program_transitions(p)[i].arg, tabled, needed);
		mark(p, gpuagg_program_transitions(p)[i].filter, tabled, needed);
	}
}

/* The constants as they are, and behind them one for each table */
static void
constants_add(const GpuAggProgram *p, uint32_t n, const GpuAggLookup *const *heads,
			  GpuAggProgram *out)
{
	GpuAggConst *tables;

	out->nconsts = (uint16_t) (p->nconsts + n);
	out->consts_off = gpuagg_program_append(out, NULL, out->nconsts * sizeof(GpuAggConst));
	tables = (GpuAggConst *) gpuagg_program_at(out, out->consts_off) + p->nconsts;
	memcpy(gpuagg_program_at(out, out->consts_off), gpuagg_program_consts(p),
		   p->nconsts * sizeof(GpuAggConst));
	for (uint32_t i = 0; i < n; i++)
	{
		tables[i].type = GPUAGG_T_TEXT;
		tables[i].state = GPUAGG_ST_NULL;
		if (heads == NULL)
			continue;
		tables[i].state = GPUAGG_ST_VALUE;
		tables[i].len = (uint32_t) gpuagg_lookup_head_bytes(heads[i]);
		tables[i].v.off = gpuagg_program_append(out, heads[i], tables[i].len);
	}
}

/* The table that a register is; NULL: none */
static const GpuAggCodeExpression *
expression_of(const GpuAggCodeExpression *e, uint32_t n, uint16_t reg)
{
	for (uint32_t i = 0; i < n; i++)
		if (e[i].reg == reg)
			return &e[i];
	return NULL;
}

/* The instructions that are left, tables in the place of expressions */
static void
instrs_add(const GpuAggProgram *p, const GpuAggCodeExpression *e, uint32_t n, const bool *needed,
		   Places *places, GpuAggProgram *out)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	const uint16_t base = (uint16_t) (out->ncolumns + out->nconsts);
	GpuAggInstr *to;

	out->ninstrs = out->filter_instrs = 0;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (needed[ins[i].dst])
		{
			places->to[ins[i].dst] = base + out->ninstrs++;
			out->filter_instrs += i < p->filter_instrs;
		}
	out->instrs_off = gpuagg_program_append(out, NULL, out->ninstrs * sizeof(GpuAggInstr));
	to = gpuagg_program_at(out, out->instrs_off);
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		const GpuAggCodeExpression *one = expression_of(e, n, ins[i].dst);

		if (!needed[ins[i].dst])
			continue;
		*to = ins[i];
		if (one != NULL)
		{
			memset(to, 0, sizeof(*to));
			to->op = class_of(p, one->reg) == GPUAGG_CLASS_F64 ? GPUAGG_OP_FETCH_F64 :
				GPUAGG_OP_FETCH_I64;
			to->dst = places->to[one->reg];
			to->a = one->column;
			to->b = (uint16_t) (p->ncolumns + p->nconsts + (one - e));
			to->c = GPUAGG_NO_REG;
		}
		else
			instr_move(to, places);
		to++;
	}
}

static void
outputs_move(const GpuAggProgram *p, const Places *places, GpuAggProgram *out)
{
	GpuAggTransition *trans;
	GpuAggKey  *keys;

	out->filter_reg = place(places, p->filter_reg);
	out->keys_off = gpuagg_program_append(out, gpuagg_program_keys(p),
										  p->nkeys * sizeof(GpuAggKey));
	out->transitions_off = gpuagg_program_append(out, gpuagg_program_transitions(p),
												 p->ntransitions * sizeof(GpuAggTransition));
	keys = gpuagg_program_at(out, out->keys_off);
	trans = gpuagg_program_at(out, out->transitions_off);
	for (uint32_t i = 0; i < p->nkeys; i++)
		keys[i].reg = place(places, keys[i].reg);
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		trans[i].arg = place(places, trans[i].arg);
		trans[i].filter = place(places, trans[i].filter);
	}
}

uint16_t
gpuagg_code_table_register(const GpuAggProgram *p, uint32_t constant)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	while (gpuagg_instr_table(ins) != p->ncolumns + constant)
		ins++;
	return ins->dst;
}

uint32_t
gpuagg_code_tables_use(const GpuAggProgram *p, const GpuAggCodeExpression *e, uint32_t n,
					   const GpuAggLookup *const *heads, GpuAggProgram *out)
{
	bool		tabled[GPUAGG_MAX_REGS] = {false};
	bool		needed[GPUAGG_MAX_REGS] = {false};
	Places		places;
	uint8_t    *classes;

	for (uint32_t i = 0; i < n; i++)
		tabled[e[i].reg] = true;
	mark_outputs(p, tabled, needed);
	memset(&places, 0xFF, sizeof(places));
	for (uint16_t r = 0; r < first_result(p); r++)
		places.to[r] = r;
	/* strings stay where they are, in front of what is new */
	out->bytes = (uint32_t) gpuagg_align(out->bytes, 8);
	constants_add(p, n, heads, out);
	instrs_add(p, e, n, needed, &places, out);
	outputs_move(p, &places, out);
	out->nregs = (uint16_t) (out->ncolumns + out->nconsts + out->ninstrs);
	out->classes_off = gpuagg_program_append(out, NULL, out->nregs);
	classes = gpuagg_program_at(out, out->classes_off);
	for (uint32_t i = 0; i < n; i++)
		classes[p->ncolumns + p->nconsts + i] = GPUAGG_CLASS_BYTES;
	for (uint32_t r = 0; r < p->nregs; r++)
		if (places.to[r] != GPUAGG_NO_REG)
			classes[places.to[r]] = (uint8_t) class_of(p, (uint16_t) r);
	return p->nconsts;
}

/* ---------- the table ---------- */

/* May a string that is a value make NULL? */
static bool
may_be_null(const GpuAggProgram *expression)
{
	for (uint32_t k = 0; k < expression->nconsts; k++)
		if (gpuagg_program_consts(expression)[k].state != GPUAGG_ST_VALUE)
			return true;
	for (uint32_t i = 0; i < expression->ninstrs; i++)
		if (is_null_made(&gpuagg_program_instrs(expression)[i]))
			return true;
	return false;
}

/* Bytes of a value, or of a code */
static uint32_t
width_of(const GpuAggProgram *expression)
{
	const uint16_t reg = gpuagg_program_keys(expression)[0].reg;
	const uint8_t values = gpuagg_op_traits(gpuagg_instr_of(expression, reg)->op)->values;

	return gpuagg_code_table_is_text(expression) ||
		(class_of(expression, reg) == GPUAGG_CLASS_I64 &&
		 (values == GPUAGG_VALUES_BOOL || values == GPUAGG_VALUES_INT2 ||
		  values == GPUAGG_VALUES_INT4 || values == GPUAGG_VALUES_LENGTH)) ? 4 : 8;
}

void
gpuagg_code_table_lay_out(const GpuAggProgram *expression, uint32_t codes, GpuAggLookup *head)
{
	GpuAggLookupColumn *column = (GpuAggLookupColumn *) (head + 1);
	const uint16_t reg = gpuagg_program_keys(expression)[0].reg;
	uint64_t	end = gpuagg_align(sizeof(*head) + sizeof(*column), 64);

	memset(head, 0, sizeof(*head) + sizeof(*column));
	head->magic = GPUAGG_LOOKUP_MAGIC;
	head->made = GPUAGG_CODE_TABLE_MADE;
	head->kind = GPUAGG_LOOKUP_DIRECT;
	head->nkeys = 1;
	head->key_class = GPUAGG_CLASS_I64;
	head->ncolumns = 1;
	head->nrows = codes;
	head->finder = end;
	column->cls = gpuagg_code_table_is_text(expression) ? GPUAGG_CLASS_I64 :
		class_of(expression, reg);
	column->width = width_of(expression);
	column->low = gpuagg_op_is_boolean(gpuagg_instr_of(expression, reg)->op) ? 0 : INT64_MIN;
	column->high = column->low == 0 ? 1 : INT64_MAX;
	if (may_be_null(expression))
	{
		column->nulls = end;
		end += gpuagg_align(((uint64_t) codes + 63) / 64 * 8, 64);
	}
	if (gpuagg_code_table_is_called(expression))
	{
		column->errors = end;
		end += gpuagg_align(((uint64_t) codes + 63) / 64 * 8, 64);
	}
	column->values = end;
	head->bytes = gpuagg_align(end + (uint64_t) codes * column->width, 8);
}

/* ---------- the tables of a dictionary ---------- */

static GpuAggCodeTableEntry *
unlink_entry(GpuAggCodeTableEntry **at)
{
	GpuAggCodeTableEntry *table = *at;

	*at = table->next;
	return table;
}

static bool
is_of(const GpuAggCodeTableEntry *table, const GpuAggProgram *expression)
{
	return table->expression->bytes == expression->bytes &&
		memcmp(table->expression, expression, expression->bytes) == 0;
}

GpuAggCodeTableEntry *
gpuagg_code_table_take(GpuAggCodeTableEntry **list, const GpuAggProgram *expression, uint64_t codes)
{
	for (GpuAggCodeTableEntry **at = list; *at != NULL; at = &(*at)->next)
		if ((*at)->codes >= codes && is_of(*at, expression))
			return unlink_entry(at);
	return NULL;
}

GpuAggCodeTableEntry *
gpuagg_code_table_outgrown(GpuAggCodeTableEntry **list, const GpuAggProgram *expression,
						   uint64_t codes)
{
	for (GpuAggCodeTableEntry **at = list; *at != NULL; at = &(*at)->next)
		if ((*at)->codes < codes && (*at)->users == 0 && is_of(*at, expression))
			return unlink_entry(at);
	return NULL;
}

void
gpuagg_code_table_add(GpuAggCodeTableEntry **list, GpuAggCodeTableEntry *table)
{
	table->users++;
	table->next = *list;
	*list = table;
}

GpuAggCodeTableEntry *
gpuagg_code_table_spare(GpuAggCodeTableEntry **list, uint32_t kept)
{
	uint32_t	n = 0;

	for (GpuAggCodeTableEntry **at = list; *at != NULL; at = &(*at)->next)
		if (n++ >= kept && (*at)->users == 0)
			return unlink_entry(at);
	return NULL;
}
