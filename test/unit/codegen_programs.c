/*
 * codegen_programs.c
 *		Programs at random (codegen_programs.h).
 */
#include <math.h>

#include "codegen_programs.h"
#include "device/ops/ops.h"

#define NONE GPUAGG_NO_REG
#define MAX_INSTRS 14

static uint64_t state;

static uint32_t
random_below(uint32_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t) (state >> 33) % n;
}

/* ---------- columns and constants ---------- */

static void
add_columns(TestProgram *p)
{
	static const uint8_t types[] = {GPUAGG_T_BOOL, GPUAGG_T_INT2,	   GPUAGG_T_INT4,
									GPUAGG_T_INT8, GPUAGG_T_FLOAT4,	   GPUAGG_T_FLOAT8,
									GPUAGG_T_DATE, GPUAGG_T_TIMESTAMP, GPUAGG_T_TEXT};
	const uint32_t n = 2 + random_below(6);

	for (uint32_t i = 0; i < n; i++)
		program_attr(p, types[random_below(sizeof(types))], random_below(8) > 0);
	program_attr(p, GPUAGG_T_INT4, true);
}

/* Rows of look-up tables, and what those are looked up by */
#define TABLE_ROWS 48

enum
{
	TABLE_BITS, TABLE_SLOTS, TABLE_PAIRS, TABLE_STRINGS, NTABLES
};

/* Columns of tables, those of keys not counted */
enum
{
	COLUMN_SMALL, COLUMN_WIDE, COLUMN_REAL, COLUMN_STRING, NTABLE_COLUMNS
};

/*
 * Numbers of the first constants of IN lists, of three members each; registers of
 * tables, which are no strings
 */
typedef struct Lists
{
	int32_t		first[3];
	uint16_t	tables[NTABLES];
} Lists;

/* ---------- look-up tables ---------- */

static const char *const table_strings[] = {
	"", "a", "ab", "abc", "b", "x  ", "longer than those of columns"};

/* Keys of a table: some that columns have, and no two alike */
static void
table_keys(uint32_t table, uint64_t n, int64_t *a, int64_t *b, GpuAggBytes *s)
{
	static const int64_t far[] = {INT64_MIN, INT32_MIN, -5000, -1,	 0,			1,
								  2,		 7,			100,   8000, INT32_MAX, INT64_MAX};

	for (uint64_t i = 0; i < n; i++)
	{
		a[i] = table == TABLE_BITS ? (int64_t) i * 3 - 20 :
			table == TABLE_PAIRS   ? (int64_t) i / 6 - 2 :
			i < 12				   ? far[i] :
									 (int64_t) i << 33;
		b[i] = (int64_t) i % 6 - 1;
		s[i].data = table_strings[i % 7];
		s[i].len = strlen(table_strings[i % 7]);
	}
}

static void
add_table(TestProgram *p, uint32_t table, Lists *lists)
{
	static int64_t keys[2][TABLE_ROWS];
	static int64_t small[TABLE_ROWS];
	static int64_t wide[TABLE_ROWS];
	static double reals[TABLE_ROWS];
	static GpuAggBytes strings[TABLE_ROWS];
	static uint8_t nulls[TABLE_ROWS];
	const uint64_t n = table == TABLE_STRINGS ? 7 : TABLE_ROWS;
	const uint32_t nkeys = table == TABLE_PAIRS ? 2 : 1;
	GpuAggLookupSource columns[2 + NTABLE_COLUMNS] = {
		{GPUAGG_CLASS_I64, keys[0], NULL},
		{GPUAGG_CLASS_I64, keys[1], NULL}
	};
	GpuAggLookupRows rows = {n, nkeys, nkeys + NTABLE_COLUMNS, columns, 1 + random_below(1000),
	random_below(2) ? UINT64_MAX : 0, NULL};

	table_keys(table, n, keys[0], keys[1], strings);
	if (table == TABLE_STRINGS)
		columns[0] = (GpuAggLookupSource) {GPUAGG_CLASS_BYTES, strings, NULL};
	for (uint64_t i = 0; i < n; i++)
	{
		small[i] = (int64_t) random_below(40) - 3;
		wide[i] = (int64_t) random_below(1000) << 40;
		reals[i] = (double) random_below(100) / 8;
		nulls[i] = random_below(4) == 0;
	}
	columns[nkeys + COLUMN_SMALL] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, small, nulls};
	columns[nkeys + COLUMN_WIDE] = (GpuAggLookupSource) {GPUAGG_CLASS_I64, wide, NULL};
	columns[nkeys + COLUMN_REAL] = (GpuAggLookupSource){GPUAGG_CLASS_F64, reals,
														random_below(2) ? nulls : NULL};
	columns[nkeys + COLUMN_STRING] = (GpuAggLookupSource) {GPUAGG_CLASS_BYTES, strings, nulls};
	lists->tables[table] = program_const_table(p, &rows);
}

static bool
is_table(const Lists *lists, uint32_t r)
{
	return r >= lists->tables[0] && r <= lists->tables[NTABLES - 1];
}

static void
add_constants(TestProgram *p, Lists *lists)
{
	static const int64_t ints[] = {0, 1, -1, 7, 100, INT32_MAX, INT64_MIN, 5000000};
	static const double doubles[] = {0, -0.0, 1.5, -2.25, 1e200, 1e-200, INFINITY, NAN};
	static const char *const texts[] = {"", "a%", "_b%", "abc", "%é%", "x "};

	for (int i = 0; i < 3; i++)
	{
		program_const_i64(p, GPUAGG_T_INT8, ints[random_below(8)]);
		p->consts[p->head.nconsts - 1].state = random_below(8) == 0 ? GPUAGG_ST_NULL :
																	  GPUAGG_ST_VALUE;
	}
	lists->first[GPUAGG_CLASS_I64] = p->head.nconsts;
	for (int i = 0; i < 3; i++)
		program_const_i64(p, GPUAGG_T_INT8, -1 + i * (1 + (int64_t) random_below(3)));
	program_const_f64(p, doubles[random_below(8)]);
	program_const_f64(p, doubles[random_below(8)]);
	lists->first[GPUAGG_CLASS_F64] = p->head.nconsts;
	program_const_f64(p, -2.25);
	program_const_f64(p, 0);
	program_const_f64(p, NAN);
	program_const_text(p, texts[random_below(6)]);
	program_const_text(p, texts[random_below(6)]);
	lists->first[GPUAGG_CLASS_BYTES] = p->head.nconsts;
	program_const_text(p, "");
	program_const_text(p, "ab");
	program_const_text(p, "abc");
	for (uint32_t t = 0; t < NTABLES; t++)
		add_table(p, t, lists);
}

/* ---------- instructions ---------- */

static Lists lists;

/* A register of a class, rather a late one; no table */
static uint16_t
pick(const TestProgram *p, uint32_t cls)
{
	uint32_t	r = 0;

	for (int i = 0; i < 64; i++)
	{
		r = random_below(p->head.nregs);
		if (random_below(3) > 0 && p->head.nregs > p->head.ncolumns + p->head.nconsts)
			r = p->head.nregs - 1 -
				random_below(p->head.nregs - p->head.ncolumns - p->head.nconsts);
		if (p->classes[r] == cls && !is_table(&lists, r))
			return (uint16_t) r;
	}
	for (r = 0; p->classes[r] != cls || is_table(&lists, r); r++)
		;
	return (uint16_t) r;
}

static uint32_t
class_of(char letter)
{
	return letter == 'I' ? GPUAGG_CLASS_I64 : letter == 'F' ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_BYTES;
}

/* Its second argument is, as lowering makes it, whether the others are equal. */
static void
add_distinct_from(TestProgram *p)
{
	const uint16_t a = pick(p, GPUAGG_CLASS_I64);
	const uint16_t c = pick(p, GPUAGG_CLASS_I64);

	program_instr3(p, GPUAGG_OP_DISTINCT_FROM, GPUAGG_CLASS_I64, a,
				   program_instr(p, GPUAGG_OP_I64_EQ, GPUAGG_CLASS_I64, a, c), c);
}

static void
add_special(TestProgram *p, uint32_t op)
{
	const uint32_t cls = random_below(3);
	GpuAggInstr *ins = &p->instrs[p->head.ninstrs];

	switch (op)
	{
		case GPUAGG_OP_SELECT:
			program_instr3(p, op, cls, pick(p, GPUAGG_CLASS_I64), pick(p, cls), pick(p, cls));
			break;
		case GPUAGG_OP_COALESCE:
			program_instr(p, op, cls, pick(p, cls), pick(p, cls));
			break;
		case GPUAGG_OP_NULL_IF:
			program_instr(p, op, cls, pick(p, cls), pick(p, GPUAGG_CLASS_I64));
			break;
		case GPUAGG_OP_DISTINCT_FROM:
			add_distinct_from(p);
			break;
		case GPUAGG_OP_IN_I64:
		case GPUAGG_OP_IN_F64:
		case GPUAGG_OP_IN_BYTES:
			ins->flags = (uint16_t) random_below(4);
			ins->imm = lists.first[op - GPUAGG_OP_IN_I64];
			ins->imm2 = (int32_t) random_below(4);
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, op - GPUAGG_OP_IN_I64), 0);
			break;
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, cls), 0);
			break;
		default:
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, GPUAGG_CLASS_I64),
						  pick(p, GPUAGG_CLASS_I64));
			break;
	}
}

/* The row of a key that a table may have */
static uint16_t
add_lookup(TestProgram *p, uint32_t op)
{
	const uint16_t a = pick(p,
							op == GPUAGG_OP_LOOKUP_BYTES ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64);

	if (op == GPUAGG_OP_LOOKUP_PAIR)
		return program_instr3(p, op, GPUAGG_CLASS_I64, a, pick(p, GPUAGG_CLASS_I64),
							  lists.tables[TABLE_PAIRS]);
	return program_instr(p, op, GPUAGG_CLASS_I64, a,
						 lists.tables[op == GPUAGG_OP_LOOKUP_BYTES ? TABLE_STRINGS :
										  random_below(2)		   ? TABLE_BITS :
																	 TABLE_SLOTS]);
}

/* A column of a row, which a look-up has found or not, or of any */
static void
add_fetch(TestProgram *p, uint32_t op)
{
	uint16_t	row = pick(p, GPUAGG_CLASS_I64);
	uint32_t	table = random_below(NTABLES);
	uint32_t	cls = GPUAGG_CLASS_I64;
	int32_t		column = (int32_t) random_below(2);

	for (uint32_t i = random_below(2) * p->head.ninstrs; i > 0; i--)
	{
		const GpuAggInstr *ins = &p->instrs[i - 1];

		if (ins->op < GPUAGG_OP_LOOKUP || ins->op > GPUAGG_OP_LOOKUP_BYTES || random_below(3) == 0)
			continue;
		row = ins->dst;
		table = (ins->op == GPUAGG_OP_LOOKUP_PAIR ? ins->c : ins->b) - lists.tables[0];
	}
	if (op == GPUAGG_OP_FETCH_F64)
	{
		cls = GPUAGG_CLASS_F64;
		column = COLUMN_REAL;
	}
	else if (op == GPUAGG_OP_FETCH_BYTES)
	{
		cls = GPUAGG_CLASS_BYTES;
		column = COLUMN_STRING;
	}
	p->instrs[p->head.ninstrs].imm = column;
	program_instr(p, op, cls, row, lists.tables[table]);
}

/* Instructions of a program of which one is computed by PostgreSQL alone */
#define CALLED_AFTER 20

static void
add_instr(TestProgram *p)
{
	static const char *const sigs[] = {
#define X(name, sig, fn, ...) #sig,
		GPUAGG_OP_LIST(X)
#undef X
	};
	const uint32_t ncalled = GPUAGG_OP_CALLED_TEXT - GPUAGG_OP_CALLED_BOOL + 1;
	uint32_t	op = random_below(GPUAGG_NOPS - ncalled);
	const char *sig;
	uint16_t	args[3] = {0, 0, 0};
	uint32_t	n = 0;

	/* what no device computes is an error: one in a while, or all that is made of it would be */
	if (op >= GPUAGG_OP_CALLED_BOOL)
		op += ncalled;
	if (p->head.ninstrs % CALLED_AFTER == CALLED_AFTER - 1)
		op = GPUAGG_OP_CALLED_BOOL + p->head.nconsts % ncalled;
	if (op >= GPUAGG_OP_LOOKUP && op <= GPUAGG_OP_LOOKUP_BYTES)
	{
		(void) add_lookup(p, op);
		return;
	}
	if (op >= GPUAGG_OP_FETCH_I64 && op <= GPUAGG_OP_FETCH_BYTES)
	{
		add_fetch(p, op);
		return;
	}
	sig = sigs[op];
	if (strcmp(sig, "SPECIAL") == 0)
	{
		add_special(p, op);
		return;
	}
	while (sig[n] != '_')
	{
		args[n] = pick(p, class_of(sig[n]));
		n++;
	}
	if (strstr(sig, "_IMM") != NULL)
		p->instrs[p->head.ninstrs].imm = op >= GPUAGG_OP_SUBSTR_FROM ? (int32_t) random_below(2) :
			(int32_t) random_below(GPUAGG_FIELD_MILLENNIUM + 1);
	program_instr3(p, op, class_of(sig[n + 1]), args[0], args[1], args[2]);
}

/*
 * Joins as lowering makes them: the filter asks for a row, which may be looked up by
 * what an earlier one has, and perhaps for more.
 */
static uint16_t
add_joins(TestProgram *p, uint16_t filter)
{
	const uint32_t n = 1 + random_below(4);

	for (uint32_t i = 0; i < n; i++)
	{
		const uint16_t row = add_lookup(p, GPUAGG_OP_LOOKUP + random_below(3));
		const uint16_t test = program_instr(
			p, random_below(4) == 0 ? GPUAGG_OP_IS_NULL : GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64,
			row, 0);

		if (random_below(3) == 0)
			filter = program_instr(p, GPUAGG_OP_IS_TRUE, GPUAGG_CLASS_I64, filter, 0);
		filter = program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, filter, test);
		if (random_below(2) == 0)
		{
			add_fetch(p, GPUAGG_OP_FETCH_I64);
			filter = program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, filter, p->head.nregs - 1);
		}
	}
	return filter;
}

/* ---------- outputs ---------- */

static void
add_transition(TestProgram *p)
{
	static const uint8_t of_ints[] = {
		GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_I64, GPUAGG_TRANS_SUM_I128, GPUAGG_TRANS_MIN_I64,
		GPUAGG_TRANS_MAX_I64, GPUAGG_TRANS_AND_I64, GPUAGG_TRANS_OR_I64, GPUAGG_TRANS_XOR_I64
	};
	static const uint8_t of_doubles[] = {
		GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_F64, GPUAGG_TRANS_SUM_F64_AVG, GPUAGG_TRANS_MIN_F64,
		GPUAGG_TRANS_MAX_F64, GPUAGG_TRANS_MOMENTS_F64, GPUAGG_TRANS_COMOMENTS_F64
	};
	static const uint8_t of_strings[] = {
		GPUAGG_TRANS_COUNT, GPUAGG_TRANS_MIN_BYTES, GPUAGG_TRANS_MAX_BYTES, GPUAGG_TRANS_MIN_BPCHAR,
		GPUAGG_TRANS_MAX_BPCHAR, GPUAGG_TRANS_MIN_INET, GPUAGG_TRANS_MAX_INET
	};
	uint32_t	op;
	const uint32_t cls = random_below(3);
	const uint16_t filter = random_below(3) == 0 ? pick(p, GPUAGG_CLASS_I64) : NONE;

	if (cls == GPUAGG_CLASS_I64)
		program_trans(p, of_ints[random_below(sizeof(of_ints))], pick(p, cls), filter,
					  GPUAGG_T_INT8);
	else if (cls == GPUAGG_CLASS_F64)
	{
		op = of_doubles[random_below(sizeof(of_doubles))];
		if (op == GPUAGG_TRANS_COMOMENTS_F64)
			program_trans(p, GPUAGG_TRANS_FIRST_F64, pick(p, cls), filter, GPUAGG_T_FLOAT8);
		program_trans(p, op, pick(p, cls), filter, GPUAGG_T_FLOAT8);
	}
	else
	{
		op = of_strings[random_below(sizeof(of_strings))];
		program_trans(p, op, op != GPUAGG_TRANS_COUNT || random_below(2) ? pick(p, cls) : NONE,
					  filter, GPUAGG_T_TEXT);
	}
}

/* Moments cut, or products by one of the first constants: values that are units apart */
static void
add_apart(TestProgram *p)
{
	const bool	cut = random_below(2) == 0;
	const uint16_t a = pick(p, GPUAGG_CLASS_I64);

	if (cut)
		p->instrs[p->head.ninstrs].imm = (int32_t) random_below(GPUAGG_FIELD_DAY);
	program_key(p,
				program_instr(p, cut ? GPUAGG_OP_TIMESTAMP_TRUNC : GPUAGG_OP_INT8_MUL,
							  GPUAGG_CLASS_I64, a,
							  cut ? 0 : p->head.ncolumns + (uint16_t) random_below(3)),
				GPUAGG_T_INT8);
}

static void
add_key(TestProgram *p)
{
	const uint32_t kind = random_below(6);
	const uint32_t cls = kind == 0 ? GPUAGG_CLASS_F64 :
		kind < 3				   ? GPUAGG_CLASS_BYTES :
									 GPUAGG_CLASS_I64;
	const uint16_t reg = pick(p, cls);
	uint32_t	type = cls == GPUAGG_CLASS_F64 ? GPUAGG_T_FLOAT8 :
		cls == GPUAGG_CLASS_I64				? GPUAGG_T_INT8 :
		random_below(2)						? GPUAGG_T_TEXT :
											  GPUAGG_T_BPCHAR;

	for (uint32_t i = 0; i < p->head.nattrs; i++)
		if (p->attrs[i].reg == reg)
			type = p->attrs[i].type;
	program_key(p, reg, type);
}

void
codegen_program_make(uint32_t number, TestProgram *p)
{
	const uint32_t before = number % 3 == 0 ? 0 : 1 + number % 7;
	uint16_t	filter;
	uint32_t	n;

	state = number * UINT64_C(0x9E3779B97F4A7C15) + 12345;
	program_init(p);
	p->head.utf8 = 1;
	add_columns(p);
	add_constants(p, &lists);
	for (uint32_t i = 0; i < before; i++)
		add_instr(p);
	if (before > 0)
	{
		filter = pick(p, GPUAGG_CLASS_I64);
		if (before % 2 == 0)
			filter = add_joins(p, filter);
		program_filter(p, filter);
	}
	n = random_below(MAX_INSTRS - 6);
	for (uint32_t i = 0; i < n; i++)
		add_instr(p);
	n = random_below(4);
	for (uint32_t i = 0; i < n; i++)
		if (random_below(2) == 0)
			add_apart(p);
		else
			add_key(p);
	n = 1 + random_below(5);
	for (uint32_t i = 0; i < n; i++)
		add_transition(p);
}

/* ---------- what is made of them ---------- */

static bool
is_evaluated(uint32_t i)
{
	return i % 5 == 3;
}

GpuAggProgram *
codegen_program_number(uint32_t i)
{
	static TestProgram made;
	GpuAggProgram *p;
	GpuAggProgram *rows;

	codegen_program_make(i, &made);
	p = program_pack(&made);
	if (i % 5 == 4 && p->filter_reg != GPUAGG_NO_REG)
	{
		p->select = 1;
		p->nkeys = p->ntransitions = 0;
	}
	if (!is_evaluated(i))
		return p;
	rows = gpuagg_rows_program(p);
	free(p);
	return rows;
}

bool
codegen_program_record(uint32_t i, GpuAggRecord *record)
{
	static TestProgram made;
	GpuAggProgram *p;
	bool		packs;

	codegen_program_make(i, &made);
	p = is_evaluated(i) ? program_pack(&made) : codegen_program_number(i);
	packs = gpuagg_codegen_packs(p) && gpuagg_record_of_rows(p, record);
	free(p);
	return packs;
}

uint32_t
codegen_column_type(const GpuAggProgram *p, uint32_t c)
{
	static const uint8_t types[] = {GPUAGG_T_INT8, GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	const uint32_t cls = gpuagg_program_classes(p)[c];

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (gpuagg_program_attrs(p)[i].reg == c)
			return gpuagg_program_attrs(p)[i].type;
	for (uint32_t i = 0; cls == GPUAGG_CLASS_I64 && i < p->nkeys; i++)
		if (gpuagg_program_keys(p)[i].reg == c)
			return gpuagg_program_keys(p)[i].type;
	for (uint32_t i = 0; cls == GPUAGG_CLASS_I64 && i < p->ntransitions; i++)
		if (t[i].filter == c)
			return GPUAGG_T_BOOL;
		else if (t[i].arg == c && gpuagg_key_class(t[i].type) == cls)
			return t[i].type;
	return types[cls];
}
