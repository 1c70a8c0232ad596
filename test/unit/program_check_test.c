/*
 * program_check_test.c
 *		What the worker takes for a program, of those that select rows above all, and
 *		what it refuses.
 */
#include "device/ops/program_check.c"

#include "device_support.h"
#include "tap.h"

/* "SELECT ... WHERE column < 5" */
static void
program_make(TestProgram *p)
{
	uint16_t	column;
	uint16_t	five;

	program_init(p);
	column = program_attr(p, GPUAGG_T_INT4, true);
	five = program_const_i64(p, GPUAGG_T_INT4, 5);
	p->head.select = 1;
	program_filter(p, program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, column, five));
}

/* Two float8 columns, a boolean one, and the first argument of moments of two */
static void
program_pair(TestProgram *p)
{
	program_init(p);
	program_attr(p, GPUAGG_T_BOOL, true);
	program_attr(p, GPUAGG_T_FLOAT8, true);
	program_attr(p, GPUAGG_T_FLOAT8, true);
	program_trans(p, GPUAGG_TRANS_FIRST_F64, 2, GPUAGG_NO_REG, GPUAGG_T_FLOAT8);
}

static void
is_taken(const TestProgram *p, bool taken, const char *name)
{
	GpuAggProgram *packed = program_pack(p);
	const char *reason = NULL;
	bool		got = gpuagg_program_check(packed, packed->bytes, &reason);

	ok(got == taken && (got || reason != NULL), name);
	free(packed);
}

int
main(void)
{
	static TestProgram p;

	program_make(&p);
	is_taken(&p, true, "a filter");
	program_init(&p);
	p.head.select = 1;
	is_taken(&p, true, "none");
	program_attr(&p, GPUAGG_T_BOOL, true);
	program_filter(&p, 0);
	is_taken(&p, true, "a column as the filter");
	program_make(&p);
	p.head.select = 2;
	is_taken(&p, false, "another kind");
	program_make(&p);
	program_key(&p, 0, GPUAGG_T_INT4);
	is_taken(&p, false, "a key");
	program_make(&p);
	program_trans(&p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, 0);
	is_taken(&p, false, "a transition");
	program_make(&p);
	program_instr(&p, GPUAGG_OP_NOT, GPUAGG_CLASS_I64, p.head.filter_reg, 0);
	is_taken(&p, false, "an instruction behind the filter");
	program_make(&p);
	p.head.filter_reg = GPUAGG_NO_REG;
	is_taken(&p, false, "instructions for nothing");
	program_make(&p);
	p.head.version--;
	is_taken(&p, false, "an older version");
	program_make(&p);
	p.head.select = 0;
	program_key(&p, 0, GPUAGG_T_INT4);
	is_taken(&p, true, "a program that groups");
	program_make(&p);
	p.head.select = 0;
	program_key(&p, 0, GPUAGG_T_CODE);
	is_taken(&p, false, "a key of codes without a dictionary");
	program_pair(&p);
	program_trans(&p, GPUAGG_TRANS_COMOMENTS_F64, 1, GPUAGG_NO_REG, GPUAGG_T_FLOAT8);
	is_taken(&p, true, "moments of two arguments");
	program_pair(&p);
	is_taken(&p, false, "the first argument alone");
	program_pair(&p);
	program_trans(&p, GPUAGG_TRANS_MOMENTS_F64, 1, GPUAGG_NO_REG, GPUAGG_T_FLOAT8);
	is_taken(&p, false, "another transition behind the first argument");
	program_pair(&p);
	program_trans(&p, GPUAGG_TRANS_COMOMENTS_F64, 1, 0, GPUAGG_T_FLOAT8);
	is_taken(&p, false, "with another filter");
	program_pair(&p);
	p.trans[0].op = GPUAGG_TRANS_COMOMENTS_F64;
	is_taken(&p, false, "the second argument alone");
	return done_testing();
}
