/*
 * code_table_test.c
 *		Expressions as tables by code: random programs over strings give what the same
 *		programs give over codes and tables, states included; and which expressions there are.
 */
#include "device/ops/code_table.h"
#include "device/ops/encode.h"
#include "device/ops/places.h"
#include "device/ops/program_check.h"
#include "device_support.h"
#include "random.h"
#include "tap.h"

#define TEXTS 2
#define COLUMNS 3
#define STRINGS 40
#define ROWS 60
#define PROGRAMS 4000
#define OUTPUTS 3

#define NONE GPUAGG_NO_REG

static uint32_t
random_below(uint32_t n)
{
	return (uint32_t) (random_next() % n);
}

/* ---------- dictionaries ---------- */

static const char *const words[] = {"", "a", "ab", "abc", "a%c", "b", "b ", "b  ", "cab", "caba",
	"\xc3\xa9t\xc3\xa9", "x_y", "\\", "a\\b", "abcabc"};
#define WORDS (sizeof(words) / sizeof(*words))

typedef struct Strings
{
	GpuAggBytes string[STRINGS];
	uint32_t	n;
} Strings;

static Strings dictionary[TEXTS];
static Strings constants;

static GpuAggBytes
string_of(const char *s)
{
	return (GpuAggBytes) {s, strlen(s)};
}

static int32_t
code_of(Strings *d, GpuAggBytes b)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->string[i].len == b.len && memcmp(d->string[i].data, b.data, b.len) == 0)
			return (int32_t) i;
	if (d->n == STRINGS)
		abort();
	d->string[d->n] = b;
	return (int32_t) d->n++;
}

/* ---------- programs ---------- */

static TestProgram p;

/* Registers by class */
typedef struct Pool
{
	uint16_t	reg[64];
	uint32_t	n;
} Pool;

static Pool integers;
static Pool texts;

static uint16_t
any_of(const Pool *pool)
{
	return pool->reg[random_below(pool->n)];
}

static void
add(Pool *pool, uint16_t reg)
{
	pool->reg[pool->n++] = reg;
}

/* Constants come before instructions; the last ones are a list in order. */
static void
start(uint32_t *list)
{
	program_init(&p);
	integers.n = texts.n = 0;
	for (int i = 0; i < TEXTS; i++)
		add(&texts, program_attr(&p, GPUAGG_T_TEXT, true));
	add(&integers, program_attr(&p, GPUAGG_T_INT4, true));
	for (int i = 0; i < 4; i++)
		add(&texts, program_const_text(&p, words[random_below(WORDS)]));
	p.consts[random_below(4)].state = random_below(4) == 0 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	for (int i = 0; i < 2; i++)
		add(&integers, program_const_i64(&p, GPUAGG_T_INT4, (int64_t) random_below(5) - 1));
	*list = p.head.nconsts;
	program_const_text(&p, "a");
	program_const_text(&p, "abc");
	program_const_text(&p, "b");
}

static void
one_instr(uint32_t list)
{
	const uint32_t kind = random_below(18);
	GpuAggInstr *ins = &p.instrs[p.head.ninstrs];
	const uint16_t s = any_of(&texts);
	const uint16_t t = any_of(&texts);
	const uint16_t i = any_of(&integers);
	const uint16_t k = any_of(&integers);
	static const uint16_t compare[] = {GPUAGG_OP_BYTES_EQ, GPUAGG_OP_BYTES_NE, GPUAGG_OP_BYTES_LT,
		GPUAGG_OP_BYTES_GE, GPUAGG_OP_STARTS_WITH};

	ins->c = GPUAGG_NO_REG;
	if (kind < 4)
		add(&integers, program_instr(&p, compare[random_below(5)], GPUAGG_CLASS_I64, s, t));
	else if (kind == 4 || kind == 5)
	{
		add(&integers, program_instr(&p, GPUAGG_OP_LIKE, GPUAGG_CLASS_I64, s, t));
		ins->imm = GPUAGG_IMM_UTF8;
	}
	else if (kind == 6)
		add(&integers, program_instr(&p, GPUAGG_OP_LENGTH_UTF8, GPUAGG_CLASS_I64, s, NONE));
	else if (kind == 7)
		add(&texts, program_instr(&p, GPUAGG_OP_RTRIM, GPUAGG_CLASS_BYTES, s, NONE));
	else if (kind == 8)
	{
		add(&texts, program_instr3(&p, GPUAGG_OP_SUBSTR, GPUAGG_CLASS_BYTES, s, i, k));
		ins->imm = GPUAGG_IMM_UTF8;
	}
	else if (kind == 9)
	{
		add(&integers, program_instr(&p, GPUAGG_OP_IN_BYTES, GPUAGG_CLASS_I64, s, NONE));
		ins->imm = (int32_t) list;
		ins->imm2 = 1 + (int32_t) random_below(3);
		ins->flags = (uint16_t) random_below(4);
	}
	else if (kind == 10)
		add(&integers, program_instr(&p, random_below(2) ? GPUAGG_OP_IS_NULL :
									 GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, s, NONE));
	else if (kind == 11)
		add(&integers, program_instr(&p, random_below(2) ? GPUAGG_OP_AND : GPUAGG_OP_OR,
									 GPUAGG_CLASS_I64, i, k));
	else if (kind == 12)
		add(&integers, program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, i, k));
	else if (kind == 13)
		add(&integers, program_instr(&p, GPUAGG_OP_INT4_ADD, GPUAGG_CLASS_I64, i, k));
	else if (kind == 14)
		add(&integers, program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_I64, i, k,
									  any_of(&integers)));
	else if (kind == 15)
		add(&texts, random_below(2) ?
			program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, i, s, t) :
			random_below(2) ? program_instr(&p, GPUAGG_OP_COALESCE, GPUAGG_CLASS_BYTES, s, t) :
			program_instr(&p, GPUAGG_OP_NULL_IF, GPUAGG_CLASS_BYTES, s, i));
	else if (kind == 16)
		add(&integers, program_instr(&p, random_below(2) ? GPUAGG_OP_COALESCE : GPUAGG_OP_NULL_IF,
									 GPUAGG_CLASS_I64, i, k));
	else
		add(&integers, program_instr(&p, GPUAGG_OP_IS_NOT_TRUE, GPUAGG_CLASS_I64, i, NONE));
}

static void
random_program(void)
{
	const uint32_t n = 1 + random_below(12);
	uint32_t	list;

	start(&list);
	for (uint32_t i = 0; i < n; i++)
		one_instr(list);
	if (random_below(2))
		program_filter(&p, p.instrs[random_below(n)].dst);
	if (p.head.filter_reg != GPUAGG_NO_REG &&
		p.classes[p.head.filter_reg] != GPUAGG_CLASS_I64)
		p.head.filter_reg = GPUAGG_NO_REG;
	p.head.filter_instrs = p.head.filter_reg == GPUAGG_NO_REG ? 0 : p.head.ninstrs;
	for (int i = 0; i < OUTPUTS; i++)
		program_trans(&p, GPUAGG_TRANS_SUM_I64, any_of(&integers), NONE, GPUAGG_T_INT4);
	if (random_below(2))
		program_key(&p, random_below(2) ? any_of(&texts) : texts.reg[texts.n - 1], GPUAGG_T_TEXT);
}

/* ---------- codes ---------- */

typedef struct Coded
{
	GpuAggProgram *program;
	uint16_t	of[GPUAGG_MAX_REGS];
	uint32_t	ntables;
	GpuAggCodeExpression e[GPUAGG_CODE_TABLES];
	GpuAggLookup *tables[GPUAGG_CODE_TABLES];
	GpuAggProgram *expressions[GPUAGG_CODE_TABLES];
	uint16_t	read[GPUAGG_CODE_TABLES];	/* registers that they are read into */
	Strings		texts[GPUAGG_CODE_TABLES];	/* that they make */
} Coded;

/* The dictionary of a source of strings */
static Strings *
strings_of(Coded *c, uint16_t source)
{
	for (uint32_t i = 0; i < c->ntables; i++)
		if (c->read[i] == source)
			return &c->texts[i];
	return source == GPUAGG_OF_CONSTANTS ? &constants : &dictionary[source];
}

static void
table_fill(const GpuAggProgram *expression, const Strings *d, Strings *texts, GpuAggLookup *table)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (table + 1);
	GpuAggValue reg[GPUAGG_CODE_TABLE_REGS];
	uint8_t		st[GPUAGG_CODE_TABLE_REGS];

	gpuagg_eval_constants(expression, reg, st);
	for (uint32_t i = 0; i < d->n; i++)
	{
		uint8_t		state;
		GpuAggValue v = gpuagg_code_table_value(expression, d->string[i], reg, st, &state);

		if (state == GPUAGG_ST_VALUE && gpuagg_code_table_is_text(expression))
			v.i = code_of(texts, v.b);
		if (state == GPUAGG_ST_VALUE)
			gpuagg_code_table_put(table, (char *) table, i, v);
		else if (state == GPUAGG_ST_NULL && column->nulls != 0)
			((uint64_t *) ((char *) table + column->nulls))[i / 64] |= UINT64_C(1) << i % 64;
		else
			abort();			/* an error, or a NULL that there is no room for */
	}
}

/* Is it a program that a device takes, before tables take the places of their headers? */
static bool
coded_make(const GpuAggProgram *original, Coded *c)
{
	static char dummy;
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS] = {NULL};
	const GpuAggLookup *heads[GPUAGG_CODE_TABLES];
	int32_t		codes[GPUAGG_MAX_REGS] = {0};
	GpuAggProgram *room = malloc(gpuagg_code_tables_room(original));
	GpuAggConst *consts;
	const char *reason = NULL;
	uint32_t	first;
	bool		good;

	memset(c, 0, sizeof(*c));
	c->program = malloc(original->bytes + gpuagg_code_tables_more(original));
	memcpy(c->program, original, original->bytes);
	c->ntables = gpuagg_code_tables_find(original, c->e, room);
	free(room);
	for (uint32_t i = 0; i < c->ntables; i++)
	{
		struct
		{
			GpuAggLookup head;
			GpuAggLookupColumn column;
		}			h;

		c->expressions[i] = malloc(gpuagg_code_tables_room(original));
		gpuagg_code_table_program(original, &c->e[i], c->expressions[i]);
		gpuagg_code_table_lay_out(c->expressions[i], STRINGS, &h.head);
		c->tables[i] = calloc(1, h.head.bytes);
		memcpy(c->tables[i], &h, sizeof(h));
		heads[i] = c->tables[i];
	}
	first = gpuagg_code_tables_use(original, c->e, c->ntables, heads, c->program);
	if (c->program->bytes > original->bytes + gpuagg_code_tables_more(original))
		abort();
	for (uint32_t i = 0; i < c->ntables; i++)
		c->read[i] = gpuagg_code_table_register(c->program, first + i);
	gpuagg_encode_plan(c->program, c->of);
	consts = (GpuAggConst *) ((char *) c->program + c->program->consts_off);
	for (uint32_t k = 0; k < c->program->nconsts; k++)
	{
		const uint16_t of = c->of[c->program->ncolumns + k];

		if (gpuagg_encode_is_constant(c->program, c->of, k))
			codes[k] = code_of(strings_of(c, of), gpuagg_const_bytes(c->program, &consts[k]));
	}
	gpuagg_encode_program(c->program, c->of, codes);
	for (uint32_t r = 0; r < c->program->nregs; r++)
		if (c->of[r] != GPUAGG_NO_REG)
			dictionaries[r] = (GpuAggDictionary *) (void *) &dummy;
	good = gpuagg_program_check_coded(c->program, c->program->bytes, dictionaries, &reason);
	if (!good)
		printf("# %s\n", reason);
	for (uint32_t i = 0; i < c->ntables; i++)
	{
		good &= c->of[c->e[i].column] != GPUAGG_NO_REG;
		table_fill(c->expressions[i], &dictionary[c->e[i].column], &c->texts[i], c->tables[i]);
		consts[first + i].v.off = (uint64_t) ((uintptr_t) c->tables[i] - (uintptr_t) c->program);
		consts[first + i].len = (uint32_t) c->tables[i]->bytes;
	}
	return good;
}

static void
coded_free(Coded *c)
{
	for (uint32_t i = 0; i < c->ntables; i++)
	{
		free(c->tables[i]);
		free(c->expressions[i]);
	}
	free(c->program);
}

/* ---------- rows ---------- */

typedef struct Row
{
	int32_t		code[TEXTS];	/* -1: NULL */
	int64_t		number;
} Row;

static void
row_eval(const GpuAggProgram *program, const uint16_t *of, const Row *row, GpuAggValue *reg,
		 uint8_t *st)
{
	memset(reg, 0, GPUAGG_MAX_REGS * sizeof(*reg));
	gpuagg_eval_constants(program, reg, st);
	for (int c = 0; c < TEXTS; c++)
	{
		st[c] = row->code[c] < 0 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
		if (row->code[c] < 0)
			continue;
		if (of != NULL && of[c] != GPUAGG_NO_REG)
			reg[c].i = row->code[c];
		else
			reg[c].b = dictionary[c].string[row->code[c]];
	}
	reg[TEXTS].i = row->number;
	st[TEXTS] = GPUAGG_ST_VALUE;
	gpuagg_eval(program, 0, program->ninstrs, reg, st);
}

static bool
same(const GpuAggValue *a, const uint8_t *sa, uint16_t ra, const GpuAggValue *b, const uint8_t *sb,
	 uint16_t rb)
{
	if ((ra == GPUAGG_NO_REG) != (rb == GPUAGG_NO_REG))
		return false;
	return ra == GPUAGG_NO_REG ||
		(sa[ra] == sb[rb] && (sa[ra] != GPUAGG_ST_VALUE || a[ra].i == b[rb].i));
}

/* A key, and the string that its code stands for */
static bool
same_string(Coded *c, const GpuAggValue *a, const uint8_t *sa, uint16_t ra,
			const GpuAggValue *b, const uint8_t *sb, uint16_t rb)
{
	GpuAggBytes s = b[rb].b;

	if (sa[ra] != sb[rb] || sa[ra] != GPUAGG_ST_VALUE)
		return sa[ra] == sb[rb];
	if (c->of[rb] != GPUAGG_NO_REG)
		s = strings_of(c, c->of[rb])->string[b[rb].i];
	return s.len == a[ra].b.len && memcmp(s.data, a[ra].b.data, s.len) == 0;
}

static bool
rows_agree(const GpuAggProgram *original, Coded *c)
{
	const GpuAggTransition *a = gpuagg_program_transitions(original);
	const GpuAggTransition *b = gpuagg_program_transitions(c->program);
	static GpuAggValue reg[2][GPUAGG_MAX_REGS];
	static uint8_t st[2][GPUAGG_MAX_REGS];

	for (int i = 0; i < ROWS; i++)
	{
		Row			row;

		for (int k = 0; k < TEXTS; k++)
			row.code[k] = (int32_t) random_below(dictionary[k].n + 2) - 2;
		row.number = (int64_t) random_below(7) - 2;
		row_eval(original, NULL, &row, reg[0], st[0]);
		row_eval(c->program, c->of, &row, reg[1], st[1]);
		if (!same(reg[0], st[0], original->filter_reg, reg[1], st[1], c->program->filter_reg))
			return false;
		for (int t = 0; t < OUTPUTS; t++)
			if (!same(reg[0], st[0], a[t].arg, reg[1], st[1], b[t].arg))
				return false;
		if (original->nkeys > 0 &&
			!same_string(c, reg[0], st[0], gpuagg_program_keys(original)[0].reg, reg[1], st[1],
						 gpuagg_program_keys(c->program)[0].reg))
			return false;
	}
	return true;
}

static void
test_random(void)
{
	uint32_t	sound = 0;
	uint32_t	agree = 0;
	uint32_t	tables = 0;
	uint32_t	both = 0;
	uint32_t	texts = 0;

	for (int i = 0; i < PROGRAMS; i++)
	{
		GpuAggProgram *original;
		Coded		c;

		constants.n = 0;
		for (int k = 0; k < TEXTS; k++)
		{
			dictionary[k].n = 0;
			for (uint32_t w = 0; w < WORDS; w++)
				if (random_below(3) > 0)
					(void) code_of(&dictionary[k], string_of(words[w]));
		}
		random_program();
		original = program_pack(&p);
		sound += coded_make(original, &c);
		agree += rows_agree(original, &c);
		tables += c.ntables > 0;
		both += c.ntables > 1;
		for (uint32_t t = 0; t < c.ntables; t++)
			texts += c.texts[t].n > 0;
		coded_free(&c);
		free(original);
	}
	is_int(sound, PROGRAMS, "what becomes of random programs is a program");
	is_int(agree, PROGRAMS, "and gives what they give");
	ok(tables > PROGRAMS / 10 && both > PROGRAMS / 100, "many have tables, some several");
	ok(texts > PROGRAMS / 100, "and of strings");
}

/* ---------- which ---------- */

/* Two texts and an integer; a pattern */
static uint16_t pattern;

static void
begin(const char *text)
{
	program_init(&p);
	program_attr(&p, GPUAGG_T_TEXT, true);
	program_attr(&p, GPUAGG_T_TEXT, true);
	program_attr(&p, GPUAGG_T_INT4, true);
	pattern = program_const_text(&p, text);
}

static uint16_t
like(uint16_t column)
{
	uint16_t	reg = program_instr3(&p, GPUAGG_OP_LIKE, GPUAGG_CLASS_I64, column, pattern, NONE);

	p.instrs[p.head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	return reg;
}

static uint32_t
found(void)
{
	GpuAggProgram *original = program_pack(&p);
	GpuAggProgram *room = malloc(gpuagg_code_tables_room(original));
	GpuAggCodeExpression e[GPUAGG_CODE_TABLES];
	const uint32_t n = gpuagg_code_tables_find(original, e, room);

	free(room);
	free(original);
	return n;
}

static void
test_which(void)
{
	uint16_t	a;
	uint16_t	b;

	begin("a%");
	a = like(0);
	b = like(0);
	program_filter(&p, program_instr(&p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, a, b));
	is_int(found(), 1, "of one column all that is there, at once");
	begin("a%");
	a = like(0);
	b = like(1);
	program_filter(&p, program_instr(&p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, a, b));
	is_int(found(), 2, "of two columns one each");
	begin("a\\%");
	program_filter(&p, like(0));
	is_int(found(), 0, "a pattern that may raise an error is none");
	begin("a%");
	program_filter(&p, like(0));
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, 0, NONE, GPUAGG_T_TEXT);
	is_int(found(), 0, "nor is anything of a column that must stay strings");
	begin("a%");
	program_filter(&p, program_instr3(&p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, 0, pattern, NONE));
	is_int(found(), 0, "equality needs no more than codes");
	begin("a%");
	a = program_instr3(&p, GPUAGG_OP_IS_NULL, GPUAGG_CLASS_I64, 0, NONE, NONE);
	program_filter(&p, program_instr(&p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, a, like(0)));
	p.head.filter_instrs = p.head.ninstrs;
	is_int(found(), 1, "what answers for NULL is left to the program");
	begin("a");
	a = program_instr3(&p, GPUAGG_OP_RTRIM, GPUAGG_CLASS_BYTES, 0, NONE, NONE);
	program_key(&p, a, GPUAGG_T_TEXT);
	is_int(found(), 1, "a string that is made of another one");
	program_key(&p, program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, 2, a, pattern),
				GPUAGG_T_TEXT);
	is_int(found(), 1, "or a constant in its place");
	program_key(&p, program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, 2, a, 0),
				GPUAGG_T_TEXT);
	is_int(found(), 0, "not where that one may be in its place, which is in another dictionary");
	begin("a%");
	for (int i = 0; i <= GPUAGG_CODE_TABLES; i++)
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, like(0), 0);
	is_int(found(), 0, "more than there may be of a column are none");
}

/* As many registers as a program may have: a table's constant would be one more. */
static void
test_full(void)
{
	uint16_t	reg;

	begin("a%");
	reg = like(0);
	while (p.head.nregs + 1 < GPUAGG_MAX_REGS)
		program_instr(&p, GPUAGG_OP_IS_TRUE, GPUAGG_CLASS_I64, reg, NONE);
	program_filter(&p, reg);
	is_int(found(), 1, "the last register is a table's constant");
	program_instr(&p, GPUAGG_OP_IS_TRUE, GPUAGG_CLASS_I64, reg, NONE);
	is_int(found(), 0, "without one there is no table");
}

/* What only PostgreSQL computes is a table by itself, of a column alone. */
static void
test_called(void)
{
	const uint16_t name = (begin("an expression"), pattern);
	const uint16_t made = program_instr(&p, GPUAGG_OP_CALLED_TEXT, GPUAGG_CLASS_BYTES, 0, name);
	const uint16_t same = program_instr(&p, GPUAGG_OP_BYTES_EQ, GPUAGG_CLASS_I64, made, name);
	GpuAggProgram *original;
	GpuAggProgram *room;
	const char *reason;
	uint16_t	chosen;
	uint16_t	other;

	program_filter(&p, same);
	program_key(&p, made, GPUAGG_T_TEXT);
	is_int(found(), 1, "what is made of it is none");
	original = program_pack(&p);
	room = malloc(gpuagg_code_tables_room(original));
	is_int(gpuagg_called_count(original), 1, "one is called");
	ok(gpuagg_called_have_tables(original, room), "and has a table");
	gpuagg_called_program(original, gpuagg_program_instrs(original), room);
	ok(gpuagg_program_check(room, room->bytes, &reason) && room->nkeys == 1 &&
	   room->nattrs == 1, "it is a program by itself");
	gpuagg_called_read_program(original, gpuagg_program_instrs(original), room);
	ok(gpuagg_program_check(room, room->bytes, &reason) && gpuagg_called_count(room) == 0,
	   "and so is what reads its strings");
	free(room);
	free(original);
	(void) like(made);
	program_key(&p, like(made), GPUAGG_T_INT8);
	is_int(found(), 0, "nor is there one where its bytes are looked at");
	begin("an expression");
	chosen = like(1);
	other = program_instr(&p, GPUAGG_OP_CALLED_TEXT, GPUAGG_CLASS_BYTES, 0, pattern);
	program_key(&p, program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, chosen, 0, other),
				GPUAGG_T_TEXT);
	original = program_pack(&p);
	room = malloc(gpuagg_code_tables_room(original));
	ok(!gpuagg_called_have_tables(original, room), "nor where it stands beside the column's own");
	free(room);
	free(original);
}

/* Do the least and greatest strings of the program become places?  Then it is one that may run. */
static bool
placed(uint32_t tables)
{
	GpuAggProgram *original = program_pack(&p);
	GpuAggProgram *room = malloc(gpuagg_places_tables_room(original));
	GpuAggProgram *out = malloc(gpuagg_places_room(original));
	GpuAggCodeExpression e[GPUAGG_CODE_TABLES];
	const bool	some = gpuagg_places_use(original, out, room);
	const char *reason;

	if (some)
		ok(gpuagg_program_check(out, out->bytes, &reason) &&
		   out->bytes <= gpuagg_places_room(original) &&
		   gpuagg_code_tables_find(out, e, room) == tables, "a program with places");
	free(out);
	free(room);
	free(original);
	return some;
}

static void
test_places(void)
{
	begin("a%");
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, 0, NONE, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, 0, NONE, GPUAGG_T_TEXT);
	ok(placed(1), "the least and the greatest of a column");
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, 1, like(0), GPUAGG_T_TEXT);
	ok(placed(3), "and of another one, where a pattern passes");
	program_key(&p, 0, GPUAGG_T_TEXT);
	ok(placed(3), "of a key");
	program_key(&p, 1, GPUAGG_T_BPCHAR);
	ok(!placed(0), "not of a key that ignores blanks");
	begin("a%");
	program_trans(&p, GPUAGG_TRANS_MIN_BPCHAR, 0, NONE, GPUAGG_T_BPCHAR);
	ok(!placed(0), "nor where blanks are ignored");
	begin("a");
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES,
				  program_instr3(&p, GPUAGG_OP_RTRIM, GPUAGG_CLASS_BYTES, 0, NONE, NONE), NONE,
				  GPUAGG_T_TEXT);
	ok(!placed(0), "nor of what is made of a column");
	begin("a%");
	program_trans(&p, GPUAGG_TRANS_COUNT, 0, NONE, GPUAGG_T_TEXT);
	ok(!placed(0), "nor where there are none");
	while (p.head.nregs + 2 < GPUAGG_MAX_REGS)
		program_instr(&p, GPUAGG_OP_IS_TRUE, GPUAGG_CLASS_I64, 2, NONE);
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, 0, NONE, GPUAGG_T_TEXT);
	ok(placed(1), "with room for a register and a table");
	program_instr(&p, GPUAGG_OP_IS_TRUE, GPUAGG_CLASS_I64, 2, NONE);
	ok(!placed(0), "and without");
}

int
main(void)
{
	test_which();
	test_places();
	test_called();
	test_full();
	test_random();
	return done_testing();
}
