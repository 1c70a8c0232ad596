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
	static const uint8_t types[] = {
		GPUAGG_T_BOOL, GPUAGG_T_INT2, GPUAGG_T_INT4, GPUAGG_T_INT8, GPUAGG_T_FLOAT4, GPUAGG_T_FLOAT8,
		GPUAGG_T_DATE, GPUAGG_T_TIMESTAMP, GPUAGG_T_TEXT
	};
	const uint32_t n = 2 + random_below(6);

	for (uint32_t i = 0; i < n; i++)
		program_attr(p, types[random_below(sizeof(types))], random_below(8) > 0);
	program_attr(p, GPUAGG_T_INT4, true);
}

/* Numbers of the first constants of IN lists, of three members each */
typedef struct Lists
{
	int32_t		first[3];
} Lists;

static void
add_constants(TestProgram *p, Lists *lists)
{
	static const int64_t ints[] = {0, 1, -1, 7, 100, INT32_MAX, INT64_MIN, 5000000};
	static const double doubles[] = {0, -0.0, 1.5, -2.25, 1e200, 1e-200, INFINITY, NAN};
	static const char *const texts[] = {"", "a%", "_b%", "abc", "%é%", "x "};

	for (int i = 0; i < 3; i++)
	{
		program_const_i64(p, GPUAGG_T_INT8, ints[random_below(8)]);
		p->consts[p->head.nconsts - 1].state = random_below(8) == 0 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
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
}

/* ---------- instructions ---------- */

/* A register of a class, rather a late one */
static uint16_t
pick(const TestProgram *p, uint32_t cls)
{
	uint32_t	r = 0;

	for (int i = 0; i < 64; i++)
	{
		r = random_below(p->head.nregs);
		if (random_below(3) > 0 && p->head.nregs > p->head.ncolumns + p->head.nconsts)
			r = p->head.nregs - 1 - random_below(p->head.nregs - p->head.ncolumns - p->head.nconsts);
		if (p->classes[r] == cls)
			return (uint16_t) r;
	}
	for (r = 0; p->classes[r] != cls; r++)
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
add_special(TestProgram *p, uint32_t op, const Lists *lists)
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
			ins->imm = lists->first[op - GPUAGG_OP_IN_I64];
			ins->imm2 = (int32_t) random_below(4);
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, op - GPUAGG_OP_IN_I64), 0);
			break;
		case GPUAGG_OP_IS_NULL:
		case GPUAGG_OP_IS_NOT_NULL:
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, cls), 0);
			break;
		default:
			program_instr(p, op, GPUAGG_CLASS_I64, pick(p, GPUAGG_CLASS_I64), pick(p, GPUAGG_CLASS_I64));
			break;
	}
}

static void
add_instr(TestProgram *p, const Lists *lists)
{
	static const char *const sigs[] = {
#define X(name, sig, fn) #sig,
		GPUAGG_OP_LIST(X)
#undef X
	};
	uint32_t	op = random_below(GPUAGG_NOPS);
	const char *sig;
	uint16_t	args[3] = {0, 0, 0};
	uint32_t	n = 0;

	/* a string is no look-up table */
	while (op >= GPUAGG_OP_LOOKUP && op <= GPUAGG_OP_FETCH_BYTES)
		op = random_below(GPUAGG_NOPS);
	sig = sigs[op];
	if (strcmp(sig, "SPECIAL") == 0)
	{
		add_special(p, op, lists);
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
		GPUAGG_TRANS_MAX_F64
	};
	const uint32_t cls = random_below(3);
	const uint16_t filter = random_below(3) == 0 ? pick(p, GPUAGG_CLASS_I64) : NONE;

	if (cls == GPUAGG_CLASS_I64)
		program_trans(p, of_ints[random_below(sizeof(of_ints))], pick(p, cls), filter, GPUAGG_T_INT8);
	else if (cls == GPUAGG_CLASS_F64)
		program_trans(p, of_doubles[random_below(sizeof(of_doubles))], pick(p, cls), filter, GPUAGG_T_FLOAT8);
	else
		program_trans(p, GPUAGG_TRANS_COUNT, random_below(2) ? pick(p, cls) : NONE, filter, GPUAGG_T_TEXT);
}

static void
add_key(TestProgram *p)
{
	const uint32_t cls = random_below(4) == 0 ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_I64;
	const uint16_t reg = pick(p, cls);
	uint32_t	type = cls == GPUAGG_CLASS_F64 ? GPUAGG_T_FLOAT8 : GPUAGG_T_INT8;

	for (uint32_t i = 0; i < p->head.nattrs; i++)
		if (p->attrs[i].reg == reg)
			type = p->attrs[i].type;
	program_key(p, reg, type);
}

void
codegen_program_make(uint32_t number, TestProgram *p)
{
	const uint32_t before = number % 3 == 0 ? 0 : 1 + number % 7;
	Lists		lists;
	uint32_t	n;

	state = number * UINT64_C(0x9E3779B97F4A7C15) + 12345;
	program_init(p);
	p->head.utf8 = 1;
	add_columns(p);
	add_constants(p, &lists);
	for (uint32_t i = 0; i < before; i++)
		add_instr(p, &lists);
	if (before > 0)
		program_filter(p, pick(p, GPUAGG_CLASS_I64));
	n = random_below(MAX_INSTRS - 6);
	for (uint32_t i = 0; i < n; i++)
		add_instr(p, &lists);
	n = random_below(4);
	for (uint32_t i = 0; i < n; i++)
		add_key(p);
	n = 1 + random_below(5);
	for (uint32_t i = 0; i < n; i++)
		add_transition(p);
}
