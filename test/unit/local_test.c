/*
 * local_test.c
 *		Tables in shared memory, and partitions that fit them
 *		(device/choice/local.h).
 */
#include "device/choice/local.h"
#include "device_support.h"
#include "tap.h"

/* An int4 or int8 key; count, sum and maximum of an int4 */
static uint32_t
entry_bytes(uint32_t key, bool nullable)
{
	TestProgram p;
	uint8_t		flags[GPUAGG_MAX_REGS] = {0, nullable};
	GpuAggRecord r;

	program_init(&p);
	program_attr(&p, key, true);
	program_attr(&p, GPUAGG_T_INT4, true);
	program_key(&p, 0, key);
	program_trans(&p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_MAX_I64, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
	return gpuagg_record_compute(&p.head, flags, &r) ? gpuagg_local_entry_bytes(&p.head, &r) : 0;
}

static void
test_entries(void)
{
	is_int(entry_bytes(GPUAGG_T_INT4, false), 4 + 4 + 8 + 4, "an int4 key and three states");
	is_int(entry_bytes(GPUAGG_T_INT8, false), 8 + 4 + 8 + 4, "an int8 key is a hash and a row");
	is_int(entry_bytes(GPUAGG_T_INT4, true), 8 + 4 + 8 + 8,
		   "arguments that can be NULL: whole states, and no key alone");
}

static void
bits_are(double groups, uint32_t first, uint32_t second, const char *name)
{
	uint32_t	bits[2];

	gpuagg_radix_bits(groups, gpuagg_local_part_slots(233472, 16, 128), GPUAGG_RADIX_FILL,
					  GPUAGG_RADIX_DEAR_FILL, bits);
	if (!ok(bits[0] == first && bits[1] == second, name))
		printf("#   got %u and %u\n", bits[0], bits[1]);
}

static void
test_bits(void)
{
	is_int((long long) gpuagg_local_part_slots(233472, 16, 128), 7168,
		   "places of a partition's table");
	is_int((long long) gpuagg_local_part_slots(233472, 16, 24), 6400,
		   "less what short rows leave through");
	bits_are(10, 7, 0, "few groups: the least");
	bits_are(1e5, 7, 0, "a hundred thousand, too");
	bits_are(1.6e6, 9, 0, "512 partitions at one level");
	bits_are(1.7e6, 5, 5, "one more bit: two levels");
	bits_are(1e8, 7, 7, "where bits are dear, tables are fuller");
	bits_are(2e9, 10, 9, "billions");
	bits_are(1e15, 12, 12, "not without end");
}

int
main(void)
{
	test_entries();
	test_bits();
	return done_testing();
}
