/*
 * ops_test.c
 *		Every known answer through both interpreters of the host: one row at
 *		a time (eval.h) and whole vectors (host/vector.h), plus the vectors'
 *		own rules: clean vectors, constants, ranges of instructions.
 *
 *		cc -std=gnu11 -ffp-contract=off -I src test/unit/ops_test.c \
 *			src/host/vector.c -lm
 */
#include <stdlib.h>

#include "host/vector.h"
#include "ops_cases.h"

/* How the lanes of a vector test differ from the known answers */
typedef enum LaneMode
{
	LANES_CLEAN,				/* as they are, clean where possible */
	LANES_STATES,				/* as they are, states written out */
	LANES_MIXED					/* strict: every third lane's first or last
								 * argument is a NULL or an error, with
								 * garbage for its value */
} LaneMode;

static GpuAggValue
value_of(const OpsArg *a)
{
	GpuAggValue v;

	memset(&v, 0, sizeof(v));
	if (a->cls == GPUAGG_CLASS_F64)
		v.f = a->f;
	else if (a->cls == GPUAGG_CLASS_BYTES)
	{
		v.b.data = a->s != NULL ? a->s : (const char *) 1;
		v.b.len = a->len;
	}
	else
		v.i = a->i;
	return v;
}

static void
test_eval(void)
{
	int			failed[GPUAGG_NOPS] = {0};
	int			seen[GPUAGG_NOPS] = {0};

	for (int n = 0; n < OPS_NCASES; n++)
	{
		const OpsCase *c = &ops_cases[n];
		uint64_t	memory[OPS_PROGRAM_BYTES / 8] = {0};
		GpuAggProgram *p = ops_build(c, memory);
		GpuAggValue reg[32];
		uint8_t		st[32] = {0};
		uint32_t	r = p->nregs - 1u;

		memset(reg, 0, sizeof(reg));
		for (int i = 0; i < 3; i++)
		{
			reg[i] = value_of(&c->arg[i]);
			st[i] = c->arg[i].st;
		}
		gpuagg_eval_constants(p, reg, st);
		gpuagg_eval(p, 0, 1, reg, st);
		seen[c->op]++;
		if (ops_same(c, reg[r], st[r], reg[r].b.data))
			continue;
		failed[c->op]++;
		ops_explain(c, reg[r], st[r]);
	}
	for (int op = 0; op < GPUAGG_NOPS; op++)
	{
		char		name[64];

		snprintf(name, sizeof(name), "row: %s, %d answers", ops_names[op],
				 seen[op]);
		ok((seen[op] > 0 || !ops_has_cases(op)) && failed[op] == 0, name);
	}
}

static void
put_lane(GpuAggVector *v, uint32_t lane, const OpsArg *a)
{
	GpuAggValue value = value_of(a);

	if (a->cls == GPUAGG_CLASS_F64)
		v->v.f[lane] = value.f;
	else if (a->cls == GPUAGG_CLASS_BYTES)
		v->v.b[lane] = value.b;
	else
		v->v.i[lane] = value.i;
	v->st[lane] = a->st;
	v->clean = v->clean && a->st == GPUAGG_ST_VALUE;
}

static GpuAggValue
get_lane(const GpuAggVector *v, uint32_t lane, uint8_t cls)
{
	GpuAggValue value;

	memset(&value, 0, sizeof(value));
	if (cls == GPUAGG_CLASS_F64)
		value.f = v->v.f[lane];
	else if (cls == GPUAGG_CLASS_BYTES)
		value.b = v->v.b[lane];
	else
		value.i = v->v.i[lane];
	return value;
}

/* The case of a lane, perhaps with one argument spoilt */
static OpsCase
lane_case(const OpsCase *c, uint32_t lane, LaneMode mode)
{
	OpsCase		result = *c;
	int			last = c->arg[2].used ? 2 : c->arg[1].used ? 1 : 0;
	OpsArg	   *spoilt = &result.arg[lane % 2 == 0 ? 0 : last];

	if (mode != LANES_MIXED || lane % 3 == 0 || !ops_is_strict(c->op))
		return result;
	spoilt->st = lane % 3 == 1 ? GPUAGG_ST_NULL : GPUAGG_ST_NEEDS_PG;
	spoilt->i = INT64_MIN + lane % 2;
	spoilt->f = NAN;
	spoilt->s = (const char *) 1;
	spoilt->len = UINT32_MAX;
	result.want.st = spoilt->st;
	return result;
}

/* Cases [first, first + n), all of one instruction, as lanes of vectors */
static int
run_batch(const OpsCase *cases, uint32_t n, LaneMode mode)
{
	uint64_t	memory[OPS_PROGRAM_BYTES / 8] = {0};
	GpuAggProgram *p = ops_build(cases, memory);
	void	   *block = aligned_alloc(64, (gpuagg_vectors_bytes(p) + 63) / 64 * 64);
	uint8_t		cls = ops_result_class(cases);
	GpuAggVectors vs;
	GpuAggVector *dst;
	int			failed = 0;

	gpuagg_vectors_init(&vs, p, block);
	dst = &vs.reg[p->nregs - 1];
	for (int i = 0; i < 3; i++)
	{
		vs.reg[i].clean = mode == LANES_CLEAN;
		for (uint32_t lane = 0; lane < n; lane++)
		{
			OpsCase		c = lane_case(&cases[lane], lane, mode);

			put_lane(&vs.reg[i], lane, &c.arg[i]);
		}
		if (vs.reg[i].clean)
			memset(vs.reg[i].st, 0xFF, n);	/* must not be read */
	}
	memset(dst->st, 0xFF, GPUAGG_VECTOR_ROWS);
	gpuagg_vectors_run(&vs, 0, 1, n);
	for (uint32_t lane = 0; lane < n; lane++)
	{
		OpsCase		c = lane_case(&cases[lane], lane, mode);
		GpuAggValue got = get_lane(dst, lane, cls);
		uint8_t		st = dst->clean ? GPUAGG_ST_VALUE : dst->st[lane];

		if (ops_same(&c, got, st, got.b.data))
			continue;
		failed++;
		ops_explain(&c, got, st);
	}
	free(block);
	return failed;
}

static bool
same_instruction(const OpsCase *a, const OpsCase *b)
{
	for (int i = 0; i < 3; i++)
		if (a->arg[i].cls != b->arg[i].cls)
			return false;
	return a->op == b->op && a->imm == b->imm && a->flags == b->flags &&
		a->list == b->list;
}

static void
test_vectors(LaneMode mode, const char *label)
{
	int			failed[GPUAGG_NOPS] = {0};
	uint32_t	n;

	for (int first = 0; first < OPS_NCASES; first += (int) n)
	{
		const OpsCase *c = &ops_cases[first];

		n = 1;
		while (n < GPUAGG_VECTOR_ROWS && first + (int) n < OPS_NCASES &&
			   same_instruction(c, &c[n]))
			n++;
		failed[c->op] += run_batch(c, n, mode);
	}
	for (int op = 0; op < GPUAGG_NOPS; op++)
	{
		char		name[64];

		snprintf(name, sizeof(name), "%s: %s", label, ops_names[op]);
		ok(failed[op] == 0, name);
	}
}

/*
 * A program of several instructions over one column and constants:
 *		r5 = r0 + 2; r6 = r5 > 10; r7 = r0 / 0; r8 = CASE r6 THEN r5 ELSE r7
 * r3 and r4 are an IN list's members, which get no vectors.
 */
static void
test_program(void)
{
	static const GpuAggInstr code[] = {
		{GPUAGG_OP_INT4_ADD, 5, 0, 1, 0, 0, 0, 0},
		{GPUAGG_OP_I64_GT, 6, 5, 2, 0, 0, 0, 0},
		{GPUAGG_OP_INT4_DIV, 7, 0, 9, 0, 0, 0, 0},
		{GPUAGG_OP_SELECT, 8, 6, 5, 7, 0, 0, 0},
		{GPUAGG_OP_IN_I64, 10, 5, 0, 0, 0, 2, 2},
	};
	struct
	{
		GpuAggProgram p;
		GpuAggConst consts[4];
		GpuAggInstr code[5];
		uint8_t		classes[16];
	}			m;
	GpuAggVectors vs;
	void	   *block;
	int			wrong = 0;

	memset(&m, 0, sizeof(m));
	m.p.ncolumns = 1;
	m.p.nconsts = 4;
	m.p.ninstrs = 5;
	m.p.nregs = 11;
	m.p.filter_reg = GPUAGG_NO_REG;
	m.p.consts_off = offsetof(__typeof__(m), consts);
	m.p.instrs_off = offsetof(__typeof__(m), code);
	m.p.classes_off = offsetof(__typeof__(m), classes);
	memcpy(m.code, code, sizeof(code));
	m.consts[0].v.i = 2;
	m.consts[1].v.i = 10;
	m.consts[2].v.i = 12;
	m.consts[3].v.i = 14;
	block = aligned_alloc(64, (gpuagg_vectors_bytes(&m.p) + 63) / 64 * 64);
	gpuagg_vectors_init(&vs, &m.p, block);
	ok(vs.reg[3].v.i == NULL && vs.reg[4].v.i == NULL,
	   "members of an IN list get no vector");
	ok(vs.reg[1].clean && vs.reg[1].v.i[GPUAGG_VECTOR_ROWS - 1] == 2,
	   "constants fill their vectors");
	memset(vs.reg[9].v.i, 0, GPUAGG_VECTOR_ROWS * sizeof(int64_t));
	vs.reg[9].clean = true;
	vs.reg[0].clean = true;
	for (int64_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
		vs.reg[0].v.i[i] = i;
	gpuagg_vectors_run(&vs, 0, 2, GPUAGG_VECTOR_ROWS);
	ok(vs.reg[5].clean && vs.reg[6].clean, "strict results of values are clean");
	gpuagg_vectors_run(&vs, 2, 5, GPUAGG_VECTOR_ROWS);
	ok(!vs.reg[7].clean && !vs.reg[8].clean, "errors make vectors unclean");
	for (int64_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
	{
		if (i + 2 > 10)
			wrong += vs.reg[8].st[i] != 0 || vs.reg[8].v.i[i] != i + 2;
		else
			wrong += vs.reg[8].st[i] != GPUAGG_ST_DIV_ZERO;
		wrong += vs.reg[10].v.i[i] != (i == 10 || i == 12);
	}
	is_int(wrong, 0, "a branch that is not taken hides its error");
	free(block);
}

/*
 * The calendar day by day, from the first date to the year 9000, and around
 * the last one: each day follows the one before, and both ways agree.
 */
static void
test_calendar(int64_t first, int64_t last, const char *name)
{
	static const int8_t length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	GpuAggCivil prev = gpuagg_civil((int32_t) first);
	int			wrong = 0;

	for (int64_t d = first + 1; d <= last; d++)
	{
		GpuAggCivil c = gpuagg_civil((int32_t) d);
		int			y = prev.year;
		bool		leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
		int			days = length[prev.month - 1] + (leap && prev.month == 2);

		if (++prev.day > days)
		{
			prev.day = 1;
			prev.year += prev.month == 12;
			prev.month = prev.month % 12 + 1;
		}
		wrong += prev.year != c.year || prev.month != c.month ||
			prev.day != c.day ||
			gpuagg_day_number(c.year, c.month, c.day) != d;
	}
	is_int(wrong, 0, name);
}

/* Days and times of timestamps at both sides of every midnight */
static void
test_midnights(void)
{
	const GpuAggInstr hour = {.imm = GPUAGG_FIELD_HOUR};
	int			wrong = 0;

	for (int64_t d = GPUAGG_DATE_MIN; d < GPUAGG_TIMESTAMP_END_DAY; d += 37)
	{
		int64_t		t = d * GPUAGG_USECS_PER_DAY;
		uint8_t		st = GPUAGG_ST_VALUE;

		wrong += gpuagg_timestamp_day(t) != d;
		wrong += gpuagg_timestamp_day(t + GPUAGG_USECS_PER_DAY - 1) != d;
		wrong += gpuagg_timestamp_extract(t + INT64_C(46800000000) - 1, &st,
										  &hour) != 12;
		wrong += gpuagg_timestamp_trunc(t + INT64_C(46800000000), &st,
										&hour) != t + INT64_C(46800000000);
	}
	is_int(wrong, 0, "midnights of timestamps");
}

int
main(void)
{
	test_calendar(GPUAGG_DATE_MIN, 2556696, "calendar to the year 9000");
	test_calendar(GPUAGG_DATE_END - 200000, GPUAGG_DATE_END - 1,
				  "calendar to the last date");
	test_midnights();
	test_eval();
	test_vectors(LANES_CLEAN, "clean vectors");
	test_vectors(LANES_STATES, "vectors with states");
	test_vectors(LANES_MIXED, "vectors with NULLs and errors");
	test_program();
	return done_testing();
}
