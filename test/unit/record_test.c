/*
 * record_test.c
 *		Records (device/ops/record.h): which fields there are, and where.
 */
#include "device/ops/record.h"
#include "device_support.h"
#include "tap.h"

static GpuAggRecord
record_of(const TestProgram *p, const char *nullable, bool *has)
{
	uint8_t		flags[GPUAGG_MAX_REGS] = {0};
	GpuAggRecord record;

	for (uint32_t i = 0; nullable[i] != '\0'; i++)
		flags[i] = nullable[i] == 'n';
	*has = gpuagg_record_compute(&p->head, flags, &record);
	return record;
}

static void
test_pair(void)
{
	TestProgram p;
	GpuAggRecord r;
	bool		has;

	program_init(&p);
	program_attr(&p, GPUAGG_T_INT4, true);
	program_attr(&p, GPUAGG_T_INT4, true);
	program_key(&p, 0, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_MAX_I64, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	r = record_of(&p, "..", &has);
	ok(has && r.bytes == 8 && !r.has_head && r.nfields == 2, "int4 key and argument: 8 bytes");
	ok(r.key_field[0] == 0 && r.arg_field[0] == GPUAGG_NO_FIELD && r.arg_field[1] == 1 &&
	   r.arg_field[2] == 1, "one field for all uses of a register, none for a count");
	r = record_of(&p, ".n", &has);
	ok(has && r.bytes == 12 && r.has_head && r.fields[0].off == 4 && r.fields[1].off == 8,
	   "an argument that can be NULL: a head");
	r = record_of(&p, "n.", &has);
	ok(has && r.bytes == 12 && r.has_head, "a key that can be NULL: a head");
	p.trans[1].filter = 1;
	r = record_of(&p, "..", &has);
	ok(has && r.has_head, "FILTER: a head");
}

static void
test_wide(void)
{
	TestProgram p;
	GpuAggRecord r;
	bool		has;

	program_init(&p);
	program_attr(&p, GPUAGG_T_INT8, true);
	program_attr(&p, GPUAGG_T_INT2, true);
	program_attr(&p, GPUAGG_T_FLOAT4, true);
	program_key(&p, 0, GPUAGG_T_INT8);
	program_key(&p, 1, GPUAGG_T_INT2);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, 2, GPUAGG_NO_REG, GPUAGG_T_FLOAT4);
	r = record_of(&p, "...", &has);
	ok(has && r.bytes == 24 && r.fields[1].off == 0 && r.fields[0].off == 8 &&
		   r.fields[2].off == 16,
	   "4-byte fields first, 8-byte ones aligned");
	ok(r.fields[2].cls == GPUAGG_CLASS_F64 && r.fields[1].bytes == 4, "classes and widths");
	r = record_of(&p, "..n", &has);
	ok(has && r.bytes == 24 && r.fields[1].off == 4, "a head takes the place of padding");
}

static void
test_none(void)
{
	TestProgram p;
	bool		has;

	program_init(&p);
	program_attr(&p, GPUAGG_T_TEXT, true);
	program_attr(&p, GPUAGG_T_INT4, true);
	program_key(&p, 0, GPUAGG_T_TEXT);
	(void) record_of(&p, "..", &has);
	ok(!has, "no records with string keys");
	p.keys[0].reg = 1;
	p.keys[0].type = GPUAGG_T_INT4;
	program_trans(&p, GPUAGG_TRANS_MIN_BYTES, 0, GPUAGG_NO_REG, GPUAGG_T_TEXT);
	(void) record_of(&p, "..", &has);
	ok(!has, "nor with strings as states");
	p.head.ntransitions = 0;
	for (int i = 0; i < GPUAGG_RECORD_FLAGS; i++)
		program_trans(&p, GPUAGG_TRANS_COUNT, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	(void) record_of(&p, ".n", &has);
	ok(!has, "nor with more flags than the head has");
	(void) record_of(&p, "..", &has);
	ok(has, "which count only where there is a head");
	p.head.ntransitions = 0;
	p.head.nkeys = 0;
	p.head.select = 1;
	(void) record_of(&p, "..", &has);
	ok(!has, "nor where rows are selected");
}

int
main(void)
{
	test_pair();
	test_wide();
	test_none();
	return done_testing();
}
