/*
 * encode_test.c
 *		Which columns of a program may be codes, and what becomes of it.  What
 *		devices make of such programs is device_stripe_cases.c's.
 */
#include "device/ops/encode.h"
#include "device/ops/ops.h"
#include "device_support.h"
#include "tap.h"

static TestProgram p;
static uint16_t a;
static uint16_t b;
static uint16_t n;

/* Two texts and an integer */
static void
start(void)
{
	program_init(&p);
	a = program_attr(&p, GPUAGG_T_TEXT, true);
	b = program_attr(&p, GPUAGG_T_TEXT, true);
	n = program_attr(&p, GPUAGG_T_INT4, true);
}

static uint16_t
instr(uint32_t op, uint16_t x, uint16_t y)
{
	uint16_t	reg = program_instr(&p, op, GPUAGG_CLASS_I64, x, y);

	p.instrs[p.head.ninstrs - 1].c = GPUAGG_NO_REG;
	return reg;
}

/* May a and b be codes? */
static void
plan_is(bool a_coded, bool b_coded, const char *name)
{
	uint16_t	of[GPUAGG_MAX_REGS];

	gpuagg_encode_plan(&p.head, of);
	ok((of[a] == a) == a_coded && (of[b] == b) == b_coded && of[n] == GPUAGG_NO_REG &&
	   (a_coded || of[a] == GPUAGG_NO_REG) && (b_coded || of[b] == GPUAGG_NO_REG), name);
}

static void
test_plan(void)
{
	uint16_t	k;

	start();
	program_key(&p, a, GPUAGG_T_TEXT);
	program_key(&p, b, GPUAGG_T_BPCHAR);
	plan_is(true, false, "a key, and one that ignores blanks");
	start();
	program_trans(&p, GPUAGG_TRANS_COUNT, a, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, b, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	plan_is(true, false, "counted, and the least one");
	start();
	k = program_const_text(&p, "x");
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	instr(GPUAGG_OP_BYTES_LT, b, program_const_text(&p, "y"));
	plan_is(true, false, "compared for equality, and for order");
	start();
	instr(GPUAGG_OP_BYTES_EQ, a, b);
	plan_is(false, false, "compared with each other");
	start();
	k = program_const_text(&p, "x");
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	instr(GPUAGG_OP_BYTES_NE, k, b);
	plan_is(false, false, "compared with one constant");
	start();
	k = program_const_text(&p, "x");
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	program_key(&p, k, GPUAGG_T_TEXT);
	plan_is(true, true, "with a constant that is a key");
	start();
	k = program_const_text(&p, "x");
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	instr(GPUAGG_OP_BYTES_LT, b, k);
	plan_is(false, false, "with a constant that an order is asked of");
	start();
	k = program_const_text(&p, "x");
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	p.attrs[1].missing_const = k;
	plan_is(false, true, "with a constant that stands for missing values");
	start();
	k = program_const_text(&p, "x");
	p.consts[0].state = GPUAGG_ST_NULL;
	instr(GPUAGG_OP_BYTES_EQ, a, k);
	plan_is(true, true, "with NULL");
	start();
	instr(GPUAGG_OP_IS_NULL, a, GPUAGG_NO_REG);
	instr(GPUAGG_OP_OCTET_LENGTH, b, GPUAGG_NO_REG);
	plan_is(true, false, "NULL or not, and how long");
	start();
	program_const_text(&p, "x");
	program_const_text(&p, "y");
	instr(GPUAGG_OP_IN_BYTES, a, GPUAGG_NO_REG);
	p.instrs[0].imm2 = 2;
	plan_is(true, true, "listed");
	instr(GPUAGG_OP_IN_BYTES, b, GPUAGG_NO_REG);
	p.instrs[1].imm = 1;
	p.instrs[1].imm2 = 1;
	plan_is(false, false, "lists that share a constant");
}

static uint16_t
select3(uint16_t x, uint16_t y, uint16_t z)
{
	return program_instr3(&p, GPUAGG_OP_SELECT, GPUAGG_CLASS_BYTES, x, y, z);
}

/* Whose codes a register holds */
static void
of_is(uint16_t reg, uint16_t want, const char *name)
{
	uint16_t	of[GPUAGG_MAX_REGS];

	gpuagg_encode_plan(&p.head, of);
	is_int(of[reg], want, name);
}

/* CASE and its kin: what is chosen among */
static void
test_chosen(void)
{
	uint16_t	x;
	uint16_t	y;
	uint16_t	z;
	uint16_t	r;

	start();
	x = program_const_text(&p, "x");
	y = program_const_text(&p, "y");
	z = program_const_text(&p, "z");
	r = select3(n, x, select3(n, y, z));
	program_key(&p, r, GPUAGG_T_TEXT);
	of_is(r, GPUAGG_OF_CONSTANTS, "one of several constants");
	of_is(z, GPUAGG_OF_CONSTANTS, "and each of these");
	program_trans(&p, GPUAGG_TRANS_COUNT, r, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	of_is(r, GPUAGG_OF_CONSTANTS, "counted, too");
	program_trans(&p, GPUAGG_TRANS_MAX_BYTES, r, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	of_is(r, GPUAGG_NO_REG, "not where the greatest is wanted");
	start();
	x = program_const_text(&p, "x");
	r = select3(n, a, x);
	program_key(&p, r, GPUAGG_T_TEXT);
	of_is(r, a, "a column's string, or a constant");
	of_is(x, a, "which is one of that column's");
	plan_is(true, true, "and the other column");
	program_key(&p, select3(n, r, b), GPUAGG_T_TEXT);
	plan_is(false, false, "two columns' strings");
	start();
	r = program_instr(&p, GPUAGG_OP_COALESCE, GPUAGG_CLASS_BYTES, a, program_const_text(&p, "x"));
	program_key(&p, r, GPUAGG_T_TEXT);
	of_is(r, a, "coalesce");
	start();
	x = program_const_text(&p, "x");
	y = instr(GPUAGG_OP_BYTES_EQ, a, x);
	r = program_instr(&p, GPUAGG_OP_NULL_IF, GPUAGG_CLASS_BYTES, a, y);
	program_key(&p, r, GPUAGG_T_TEXT);
	of_is(r, a, "nullif");
	start();
	x = program_const_text(&p, "x");
	r = select3(n, x, program_const_text(&p, "x "));
	program_key(&p, r, GPUAGG_T_BPCHAR);
	of_is(r, GPUAGG_NO_REG, "constants that may be equal in spite of their blanks");
	start();
	x = program_const_text(&p, "x");
	r = select3(n, program_instr(&p, GPUAGG_OP_RTRIM, GPUAGG_CLASS_BYTES, a, GPUAGG_NO_REG), x);
	program_key(&p, r, GPUAGG_T_TEXT);
	of_is(r, GPUAGG_NO_REG, "a computed string");
}

static void
test_program(void)
{
	static const int32_t codes[] = {7, 3, 5};
	uint16_t	of[GPUAGG_MAX_REGS];

	start();
	program_const_text(&p, "x");
	program_const_text(&p, "y");
	program_const_text(&p, "z");
	instr(GPUAGG_OP_IN_BYTES, a, GPUAGG_NO_REG);
	p.instrs[0].imm2 = 2;
	instr(GPUAGG_OP_BYTES_NE, 5, a);
	program_key(&p, a, GPUAGG_T_TEXT);
	program_key(&p, n, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, b, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	gpuagg_encode_plan(&p.head, of);
	ok(gpuagg_encode_is_constant(&p.head, of, 1), "a constant that becomes a code");
	is_int(of[p.head.ncolumns + 1], a, "whose constant it is");
	gpuagg_encode_program(&p.head, of, codes);
	ok(p.classes[a] == GPUAGG_CLASS_I64 && p.classes[b] == GPUAGG_CLASS_I64, "columns");
	ok(p.attrs[0].type == GPUAGG_T_TEXT && p.keys[0].type == GPUAGG_T_CODE &&
	   p.keys[1].type == GPUAGG_T_INT4 && p.trans[0].type == GPUAGG_T_CODE, "types");
	ok(p.instrs[0].op == GPUAGG_OP_IN_I64 && p.instrs[1].op == GPUAGG_OP_I64_NE, "operations");
	ok(p.consts[0].v.i == 3 && p.consts[1].v.i == 7 && p.consts[2].v.i == 5, "a list in order");
	ok(p.classes[3] == GPUAGG_CLASS_I64 && p.consts[2].type == GPUAGG_T_CODE, "constants");
}

int
main(void)
{
	test_plan();
	test_chosen();
	test_program();
	return done_testing();
}
