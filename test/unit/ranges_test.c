/*
 * ranges_test.c
 *		Keys whose values are units apart (device/choice/ranges.h): hours, in zones, bins,
 *		products; how they are numbered (cuda/frame/frame.h).
 *
 * Each value is computed by the device's own operators (device/ops/eval.h).
 */
#include "cuda/frame/frame.h"
#include "device/choice/ranges.h"
#include "device/ops/eval.h"
#include "device/ops/ops_zone.h"
#include "device_support.h"
#include "tap.h"

#define HOUR INT64_C(3600000000)
#define MINUTE INT64_C(60000000)
#define DAY INT64_C(86400000000)
#define TWENTIES (8766 * DAY)		/* 2024-01-01 */

static GpuAggValue reg[GPUAGG_MAX_REGS];
static uint8_t st[GPUAGG_MAX_REGS];

/* What numbers there are of a program of one key over one column */
typedef struct Numbers
{
	bool		known;
	uint64_t	numbers;
	GpuAggKeyRange range;
	GpuAggFrameKey key;
} Numbers;

static Numbers
numbers_of(const GpuAggProgram *p, int64_t low, int64_t high)
{
	GpuAggRange ranges[GPUAGG_MAX_REGS];
	Numbers		n;

	memset(&n, 0, sizeof(n));
	for (int i = 0; i < GPUAGG_MAX_REGS; i++)
		ranges[i] = (GpuAggRange) {1, 0};
	ranges[0] = (GpuAggRange) {low, high};
	n.known = gpuagg_range_numbers(p, ranges, 16, &n.range, &n.numbers);
	if (n.known)
		n.key = gpuagg_frame_key(n.range.low, n.range.high, n.range.unit, 1);
	return n;
}

/*
 * Has each of some 10^5 moments from low to high a number that means its key, but for some?  How
 * many have none
 */
static uint32_t
without_number(const GpuAggProgram *p, const Numbers *n, int64_t low, int64_t high)
{
	const uint16_t key = gpuagg_program_keys(p)[0].reg;
	const int64_t step = (high - low) / 100000 | 1;
	uint32_t	none = 0;
	uint32_t	wrong = 0;

	gpuagg_eval_constants(p, reg, st);
	for (int64_t v = low; v <= high && v >= low; v += step)
	{
		uint64_t	at;

		reg[0].i = v;
		st[0] = GPUAGG_ST_VALUE;
		gpuagg_eval(p, 0, p->ninstrs, reg, st);
		at = gpuagg_frame_units(&n->key, reg[key].i);
		if (st[key] != GPUAGG_ST_VALUE || at >= n->key.extent)
			none++;
		else if (n->key.base + (int64_t) at * n->key.unit != reg[key].i)
			wrong++;
	}
	is_int(wrong, 0, "... which mean their keys");
	return none;
}

/* ---------- numbers ---------- */

/* Each value by units above the first has its number, and none between. */
static void
test_units(void)
{
	static const int64_t units[] = {1, 2, 3, 1000, MINUTE, HOUR, 7 * DAY, INT64_C(1) << 40};
	static const int64_t lows[] = {0, -1, -5, TWENTIES, GPUAGG_TIMESTAMP_MIN, INT64_MIN};
	uint32_t	wrong = 0;

	for (uint32_t i = 0; i < 8 * 6; i++)
	{
		const int64_t unit = units[i / 6];
		const int64_t low = lows[i % 6];
		const GpuAggFrameKey key = gpuagg_frame_key(low, low + 1000 * unit + unit / 2, unit, 1);

		wrong += key.extent != 1001;
		for (int64_t n = -3; n < 1004; n++)
		{
			const int64_t offs[] = {0, 1, -1, unit / 2, unit - 1};

			for (int o = 0; o < 5; o++)
			{
				const int64_t above = n * unit + offs[o];
				const uint64_t at = gpuagg_frame_units(
					&key, (int64_t) ((uint64_t) low + (uint64_t) above));
				const bool	has = above >= 0 && above <= 1000 * unit && above % unit == 0;

				wrong += has != (at < key.extent) || (has && at != (uint64_t) (above / unit));
			}
		}
	}
	is_int(wrong, 0, "values that are units apart, and what lies between");
}

/* ---------- moments cut ---------- */

static uint16_t
instr_imm(TestProgram *p, uint32_t op, uint16_t a, int32_t imm)
{
	const uint16_t reg = program_instr(p, op, GPUAGG_CLASS_I64, a, 0);

	p->instrs[p->head.ninstrs - 1].imm = imm;
	return reg;
}

static GpuAggProgram *
cut_program(uint32_t field)
{
	TestProgram p;
	uint16_t	moment;

	program_init(&p);
	moment = program_attr(&p, GPUAGG_T_TIMESTAMP, true);
	program_key(&p, instr_imm(&p, GPUAGG_OP_TIMESTAMP_TRUNC, moment, (int32_t) field),
				GPUAGG_T_TIMESTAMP);
	return program_pack(&p);
}

static void
test_hours(void)
{
	GpuAggProgram *p = cut_program(GPUAGG_FIELD_HOUR);
	Numbers		n = numbers_of(p, TWENTIES + 1, TWENTIES + 366 * DAY - 1);

	ok(n.known && n.numbers == 8784 + 1 && n.range.low == TWENTIES && n.range.unit == HOUR,
	   "hours of a year");
	is_int(without_number(p, &n, TWENTIES + 1, TWENTIES + 366 * DAY - 1), 0, "... have numbers");
	n = numbers_of(p, -DAY - 1, -1);
	ok(n.known && n.numbers == 25 + 1 && n.range.low == -DAY - HOUR && n.range.high == -HOUR,
	   "before 2000");
	is_int(without_number(p, &n, -DAY - 1, -1), 0, "... have numbers");
	ok(!numbers_of(p, TWENTIES, INT64_MAX).known && !numbers_of(p, INT64_MIN, TWENTIES).known,
	   "infinity: not known");
	ok(!numbers_of(p, 1, 0).known, "of a column that is not known: not known");
	ok(!numbers_of(p, GPUAGG_TIMESTAMP_MIN, GPUAGG_TIMESTAMP_END - 1).known,
	   "of all time: too many");
	free(p);
	p = cut_program(GPUAGG_FIELD_MINUTE);
	ok(numbers_of(p, TWENTIES, TWENTIES + 366 * DAY - 1).numbers == 366 * 1440 + 1,
	   "minutes of a year");
	ok(!numbers_of(p, TWENTIES, TWENTIES + 3660 * DAY).known, "... of ten: too many");
	free(p);
	p = cut_program(GPUAGG_FIELD_MILLISECOND);
	ok(numbers_of(p, -7, 2000).numbers == 4 + 1, "milliseconds");
	free(p);
	p = cut_program(GPUAGG_FIELD_MONTH);
	is_int(gpuagg_range_unit(p, gpuagg_program_keys(p)[0].reg), 0, "months are not equally long");
	free(p);
}

/* ---------- in zones ---------- */

typedef struct Zone
{
	GpuAggZoneHead head;
	GpuAggZoneSpan spans[2];
	uint16_t	index[4];
} Zone;

/* A zone whose offset changes once */
static Zone
zone_make(int64_t before, int64_t after, int64_t change)
{
	const int64_t end = 4 * TWENTIES;

	return (Zone){{GPUAGG_TIMESTAMP_MIN, end, change, 2, 1, 63, 0, 0, 0},
				  {{change, before}, {end, after}},
				  {0, 0, 0, 0}};
}

/* As lower_zone.c makes it of date_trunc('hour', timestamptz) */
static GpuAggProgram *
zone_program(const Zone *zone)
{
	TestProgram p;
	uint16_t	moment;
	uint16_t	table;
	uint16_t	local;
	uint16_t	offset;
	uint16_t	cut;

	program_init(&p);
	moment = program_attr(&p, GPUAGG_T_TIMESTAMPTZ, true);
	table = program_const_bytes(&p, zone, sizeof(*zone));
	local = program_instr(&p, GPUAGG_OP_ZONE_LOCAL, GPUAGG_CLASS_I64, moment, table);
	offset = program_instr(&p, GPUAGG_OP_INT8_SUB, GPUAGG_CLASS_I64, local, moment);
	cut = instr_imm(&p, GPUAGG_OP_TIMESTAMP_TRUNC, local, GPUAGG_FIELD_HOUR);
	program_key(&p, program_instr(&p, GPUAGG_OP_INT8_SUB, GPUAGG_CLASS_I64, cut, offset),
				GPUAGG_T_TIMESTAMPTZ);
	return program_pack(&p);
}

static void
test_zones(void)
{
	const Zone summer = zone_make(HOUR, 2 * HOUR, TWENTIES + 90 * DAY + HOUR);
	const Zone half = zone_make(-210 * MINUTE, -150 * MINUTE, TWENTIES + 90 * DAY);
	const Zone island = zone_make(630 * MINUTE, 660 * MINUTE, TWENTIES + 90 * DAY);
	const Zone mean = zone_make(3208 * INT64_C(1000000), HOUR, -39000 * DAY);
	const int64_t to = TWENTIES + 366 * DAY - 1;
	GpuAggProgram *p = zone_program(&summer);
	Numbers		n = numbers_of(p, TWENTIES, to);

	ok(n.known && n.numbers == 8784 + 1 && n.range.low == TWENTIES && n.range.unit == HOUR,
	   "hours in a zone");
	is_int(without_number(p, &n, TWENTIES, to), 0, "... have numbers, with summer time");
	((GpuAggConst *) gpuagg_program_consts(p))->state = GPUAGG_ST_NULL;
	n = numbers_of(p, TWENTIES, to);
	ok(n.known && n.numbers == 8784 + 1, "... also while planning, without its table");
	ok(!numbers_of(p, TWENTIES, INT64_MAX).known, "infinity: not known");
	free(p);
	p = zone_program(&half);
	n = numbers_of(p, TWENTIES, to);
	ok(n.known && n.numbers == 8785 + 1 && n.range.low == TWENTIES - 30 * MINUTE,
	   "of half an hour");
	is_int(without_number(p, &n, TWENTIES, to), 0, "... have numbers");
	free(p);
	p = zone_program(&island);
	n = numbers_of(p, TWENTIES, to);
	ok(n.known && n.range.low == TWENTIES, "of an island whose summer is half an hour");
	ok(without_number(p, &n, TWENTIES, to) > 20000 &&
		   without_number(p, &n, TWENTIES + 91 * DAY, to) == 0,
	   "... hours of the other half have none");
	free(p);
	p = zone_program(&mean);
	n = numbers_of(p, -39200 * DAY, -38900 * DAY);
	ok(n.known && without_number(p, &n, -39200 * DAY, -38900 * DAY) > 60000,
	   "local mean time has none");
	ok(without_number(p, &n, -38999 * DAY, -38900 * DAY) == 0, "... what is later has");
	free(p);
}

/* ---------- bins and products ---------- */

static void
test_bins(void)
{
	const int64_t bin[2] = {15 * MINUTE, -7 * MINUTE};
	TestProgram t;
	GpuAggProgram *p;
	Numbers		n;
	uint16_t	moment;
	uint16_t	table;

	program_init(&t);
	moment = program_attr(&t, GPUAGG_T_TIMESTAMP, true);
	table = program_const_bytes(&t, bin, sizeof(bin));
	program_key(&t, program_instr(&t, GPUAGG_OP_DATE_BIN, GPUAGG_CLASS_I64, moment, table),
				GPUAGG_T_TIMESTAMP);
	p = program_pack(&t);
	n = numbers_of(p, TWENTIES, TWENTIES + 100 * DAY - 1);
	ok(n.known && n.numbers == 9601 + 1 && n.range.low == TWENTIES - 7 * MINUTE,
	   "bins of a quarter");
	is_int(without_number(p, &n, TWENTIES, TWENTIES + 100 * DAY - 1), 0, "... have numbers");
	ok(!numbers_of(p, TWENTIES, INT64_MAX).known, "infinity: not known");
	((GpuAggConst *) gpuagg_program_consts(p))->state = GPUAGG_ST_NULL;
	ok(!numbers_of(p, TWENTIES, TWENTIES).known, "a stride that is not known");
	is_int(gpuagg_range_unit(p, gpuagg_program_keys(p)[0].reg), 1,
		   "... does not change which expressions are told");
	free(p);
}

/* floor(extract(epoch from x) / 300) * 300, and as a moment again */
static void
test_seconds(void)
{
	for (int again = 0; again < 2; again++)
	{
		TestProgram t;
		GpuAggProgram *p;
		Numbers		n;
		uint16_t	by;
		uint16_t	r;

		program_init(&t);
		r = program_attr(&t, GPUAGG_T_TIMESTAMP, true);
		by = program_const_i64(&t, GPUAGG_T_INT8, 300);
		r = instr_imm(&t, GPUAGG_OP_TIMESTAMP_EXTRACT, r, GPUAGG_FIELD_EPOCH);
		r = program_instr(&t, GPUAGG_OP_EPOCH_QUOTIENT, GPUAGG_CLASS_I64, r, by);
		r = program_instr(&t, GPUAGG_OP_INT8_MUL, GPUAGG_CLASS_I64, r, by);
		if (again)
		{
			r = program_instr(&t, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, r, 0);
			r = program_instr(&t, GPUAGG_OP_TO_TIMESTAMP, GPUAGG_CLASS_I64, r, 0);
		}
		program_key(&t, r, again ? GPUAGG_T_TIMESTAMPTZ : GPUAGG_T_NUMERIC);
		p = program_pack(&t);
		n = numbers_of(p, TWENTIES + 1, TWENTIES + 30 * DAY - 1);
		ok(n.known && n.numbers == 30 * 288 + 1 && n.range.unit == (again ? 300000000 : 300),
		   "five minutes, of seconds");
		is_int(without_number(p, &n, TWENTIES + 1, TWENTIES + 30 * DAY - 1), 0, "... have numbers");
		free(p);
	}
}

static void
test_products(void)
{
	TestProgram t;
	GpuAggProgram *p;
	Numbers		n;
	uint16_t	column;
	uint16_t	ten;
	uint16_t	r;

	program_init(&t);
	column = program_attr(&t, GPUAGG_T_INT4, true);
	ten = program_const_i64(&t, GPUAGG_T_INT4, -1000);
	r = program_instr(&t, GPUAGG_OP_INT4_DIV, GPUAGG_CLASS_I64, column,
					  program_const_i64(&t, GPUAGG_T_INT4, 1000));
	program_key(&t, program_instr(&t, GPUAGG_OP_INT4_MUL, GPUAGG_CLASS_I64, r, ten), GPUAGG_T_INT4);
	p = program_pack(&t);
	n = numbers_of(p, -1000000, 999999);
	ok(n.known && n.numbers == 2000 + 1 && n.range.unit == 1000, "thousands of integers");
	is_int(without_number(p, &n, -1000000, 999999), 0, "... have numbers");
	free(p);
}

/* What filters of zones know is known of keys, too. */
static void
test_computed(void)
{
	TestProgram t;
	GpuAggProgram *p;
	Numbers		n;
	uint16_t	r;

	program_init(&t);
	r = program_attr(&t, GPUAGG_T_INT8, true);
	program_key(&t, program_instr(&t, GPUAGG_OP_TO_INT2, GPUAGG_CLASS_I64, r, 0), GPUAGG_T_INT2);
	p = program_pack(&t);
	n = numbers_of(p, 1, 0);
	ok(n.known && n.numbers == 65536 + 1, "a smallint of what is not known");
	n = numbers_of(p, 5, 100000);
	ok(n.known && n.range.low == 5 && n.range.high == INT16_MAX, "... of what it has not all of");
	free(p);
	program_init(&t);
	r = program_attr(&t, GPUAGG_T_DATE, true);
	r = program_instr(&t, GPUAGG_OP_DATE_TO_TIMESTAMP, GPUAGG_CLASS_I64, r, 0);
	r = instr_imm(&t, GPUAGG_OP_TIMESTAMP_TRUNC, r, GPUAGG_FIELD_HOUR);
	program_key(&t, r, GPUAGG_T_TIMESTAMP);
	p = program_pack(&t);
	n = numbers_of(p, 8766, 8775);
	ok(n.known && n.numbers == 9 * 24 + 1 + 1 && n.range.low == TWENTIES, "moments of dates");
	free(p);
	program_init(&t);
	r = program_attr(&t, GPUAGG_T_INT4, true);
	r = program_instr(&t, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, r, 0);
	r = program_instr(&t, GPUAGG_OP_FLOAT_NEG, GPUAGG_CLASS_F64, r, 0);
	r = program_instr(&t, GPUAGG_OP_FLOAT_TO_INT4, GPUAGG_CLASS_I64, r, 0);
	program_key(&t, r, GPUAGG_T_INT4);
	p = program_pack(&t);
	n = numbers_of(p, -7, 100);
	ok(n.known && n.range.low == -100 && n.range.high == 7, "integers of doubles of integers");
	free(p);
}

int
main(void)
{
	test_units();
	test_hours();
	test_zones();
	test_bins();
	test_seconds();
	test_products();
	test_computed();
	return done_testing();
}
