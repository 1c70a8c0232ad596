/*
 * agreement_test.c
 *		What predictions and the choice of a strategy assume of a device, and what
 *		the device does: known answers, and the device's own functions asked.
 */
#include "device/batch_memory.h"
#include "device/choice/ranges.h"
#include "device/ops/lookup_make.h"
#include "device/ops/ops.h"
#include "device_support.h"
#include "h200_rates.h"
#include "host/groups.h"
#include "tap.h"

#define ALL (~UINT32_C(0))
#define PART 524288

/* One key and so many sums of int4 columns, no row of which is NULL */
static void
program_make(TestProgram *p, uint32_t key, uint32_t nsums)
{
	program_init(p);
	program_attr(p, key, true);
	program_attr(p, GPUAGG_T_INT4, true);
	program_key(p, 0, key);
	program_trans(p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, GPUAGG_T_INT4);
	for (uint32_t i = 0; i < nsums; i++)
		program_trans(p, GPUAGG_TRANS_SUM_I64, 1, GPUAGG_NO_REG, GPUAGG_T_INT4);
}

static double
entry_bytes(const GpuAggProgram *p)
{
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	return layout.row_bytes;
}

/* ---------- the host device ---------- */

static GpuAggRates
host_rates(int threads)
{
	GpuAggRates rates = {.units = threads,.part_bytes = PART};

	rates.ceiling[GPUAGG_CEILING_MEMORY_READ] = 1e10 * threads;
	rates.ceiling[GPUAGG_CEILING_PARTITION] = 2e8 * threads;
	return rates;
}

/* What the device makes of a grouping whose groups it was told rightly */
static void
host_device(const GpuAggProgram *p, int threads, double groups, bool *keeps, uint32_t *bits,
			uint32_t *local_rows)
{
	const GpuAggTaskConfig config = {.expected_groups = groups,.expected_rows = 1e9,
	.scope_bytes = PART};
	GpuAggMemory memory;
	GpuAggError error;
	GpuAggPrepared *shape;
	GpuAggGroups g;

	gpuagg_memory_init(&memory, NULL, 0);
	shape = gpuagg_prepared_create(p, NULL, &memory, &error);
	gpuagg_groups_init(&g, shape, &memory, threads, &config);
	gpuagg_partitions_make(&g.partitions, 1, 1);
	*keeps = g.partitions.partitioned;
	*bits = g.partitions.bits;
	*local_rows = g.local_rows;
	gpuagg_groups_free(&g);
	gpuagg_prepared_free(shape, &memory);
}

static void
test_host_parts(uint32_t nsums)
{
	static const int threads[] = {1, 2, 6, 16, 64};
	static const double groups[] = {1e3, 1e5, 3e5, 4e5, 1e6, 1e7, 1e8};
	TestProgram p;
	GpuAggProgram *packed;
	int			kept = 0;
	int			different = 0;
	int			misses = 0;

	program_make(&p, GPUAGG_T_INT4, nsums);
	packed = program_pack(&p);
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++)
		for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
		{
			const GpuAggRates rates = host_rates(threads[t]);
			const GpuAggStrategyInput in = {.possible = ALL,.rows = 1e9,.groups = groups[g],
				.entry_bytes = entry_bytes(packed),.record_bytes = 12,.updates = 1 + nsums};
			GpuAggStrategyRates strategy;
			GpuAggStrategyChoice choice;
			uint32_t	bits;
			uint32_t	rows;
			bool		keeps;
			bool		expected;

			gpuagg_rates_strategy(&rates, &strategy);
			gpuagg_strategy_choose(&strategy, &in, &choice);
			host_device(packed, threads[t], groups[g], &keeps, &bits, &rows);
			expected = choice.predicted_ns[GPUAGG_STRATEGY_PARTITIONED] >= 0;
			kept += keeps;
			different += keeps != expected || (keeps && bits != choice.radix_bits[0]);
			misses += !keeps && bits != gpuagg_host_single_pass_bits((uint32_t) threads[t]);
			different += rows != gpuagg_host_local_rows((uint32_t) entry_bytes(packed),
														GPUAGG_HOST_LOCAL_BYTES);
		}
	ok(kept > 0 && kept < 35, "host: some tables are worth records, some not");
	is_int(different, 0, "... as the strategy's choice has it, in as many parts");
	is_int(misses, 0, "... and as predicted in a single pass");
	free(packed);
}

/* A record takes what was predicted. */
static void
test_host_record(uint32_t key, uint32_t nsums, uint32_t want)
{
	const uint8_t nullable[GPUAGG_MAX_REGS] = {0};
	GpuAggRecordLayout layout;
	GpuAggMemory memory;
	GpuAggError error;
	GpuAggPrepared *shape;
	GpuAggRecord record;
	TestProgram p;
	GpuAggProgram *packed;

	program_make(&p, key, nsums);
	packed = program_pack(&p);
	ok(gpuagg_record_compute(packed, nullable, &record), "host: a program with records");
	gpuagg_memory_init(&memory, NULL, 0);
	shape = gpuagg_prepared_create(packed, NULL, &memory, &error);
	gpuagg_record_layout_columns(&layout, shape);
	is_int(layout.compact.row_bytes, want, "... of so many bytes");
	is_int(gpuagg_host_record_bytes(gpuagg_record_field_bytes(&record)), want, "... as predicted");
	gpuagg_prepared_free(shape, &memory);
	free(packed);
}

/* Which groupings fit a thread's table */
static void
test_host_local(void)
{
	const GpuAggRates rates = host_rates(2);
	const double most = gpuagg_host_local_groups(24);
	GpuAggStrategyInput in = {.possible = ALL,.rows = 1e9,.groups = most,.entry_bytes = 24,
	.record_bytes = 12,.updates = 2};
	GpuAggStrategyRates strategy;
	GpuAggStrategyChoice choice;

	gpuagg_rates_strategy(&rates, &strategy);
	gpuagg_strategy_choose(&strategy, &in, &choice);
	ok(choice.predicted_ns[GPUAGG_STRATEGY_BLOCK_LOCAL] >= 0,
	   "host: as many groups as a thread's table holds beside a block of new ones");
	in.groups = most + 1;
	gpuagg_strategy_choose(&strategy, &in, &choice);
	ok(choice.predicted_ns[GPUAGG_STRATEGY_BLOCK_LOCAL] < 0, "... and one more does not fit");
}

static void
test_host_limits(void)
{
	is_int(gpuagg_host_local_rows(24, GPUAGG_HOST_LOCAL_BYTES), 15420,
		   "groups of a thread's table");
	is_int(gpuagg_host_local_rows(4096, GPUAGG_HOST_LOCAL_BYTES), 2048, "... two blocks at least");
	is_double(gpuagg_host_local_groups(24), 14396, "... beside a block of new ones");
	is_int(gpuagg_host_single_pass_bits(1), 4, "parts of one thread");
	is_int(gpuagg_host_single_pass_bits(6), 7, "... of six");
	is_int(gpuagg_host_single_pass_bits(64), 8, "... of many");
	is_double(gpuagg_host_tables_bytes(1e6, 24), 48e6, "tables of a million groups");
	is_int(gpuagg_host_partition_bits(2, 48e6, PART), 6, "... in parts of two scopes");
	is_int(gpuagg_host_partition_bits(2, 48e9, PART), 10, "... at most 1024");
	ok(!gpuagg_host_keeps_records(32.0 * PART, PART) &&
		   gpuagg_host_keeps_records(33.0 * PART, PART),
	   "records from 32 scopes on");
	is_int(gpuagg_host_morsel_pages(false), 16, "pages of a piece");
	is_int(gpuagg_host_morsel_pages(true), 64, "... of a sample");
}

/* ---------- parts of a GPU ---------- */

typedef struct Bits
{
	uint32_t	key;
	uint32_t	nsums;
	double		rows;
	double		groups;
	uint32_t	first;
	uint32_t	second;
	GpuAggFewRows few_rows;
} Bits;

static const Bits known_bits[] = {
	{GPUAGG_T_INT4, 1, 1e9, 1e5, 7, 0, GPUAGG_FEW_ROWS_NOT},
	{GPUAGG_T_INT4, 1, 1e9, 1e7, 6, 6, GPUAGG_FEW_ROWS_NOT},
	{GPUAGG_T_INT4, 1, 1e9, 1e8, 8, 7, GPUAGG_FEW_ROWS_PACKED},
	{GPUAGG_T_INT8, 1, 1e9, 1e8, 8, 7, GPUAGG_FEW_ROWS_PACKED},
	{GPUAGG_T_INT4, 2, 1e9, 1e8, 8, 7, GPUAGG_FEW_ROWS_WORDS},
	{GPUAGG_T_INT4, 0, 1e9, 1e8, 7, 7, GPUAGG_FEW_ROWS_NOT},
	{GPUAGG_T_FLOAT8, 1, 1e9, 1e8, 8, 7, GPUAGG_FEW_ROWS_NOT}
};

static void
test_bits(const Bits *k)
{
	GpuAggStrategyInput in = {.possible = ALL,.rows = k->rows,.groups = k->groups,.updates = 3,
	.resident = true};
	const uint8_t nullable[GPUAGG_MAX_REGS] = {0};
	GpuAggStrategyRates rates;
	GpuAggStrategyChoice c;
	GpuAggRecord record;
	TestProgram p;
	GpuAggProgram *packed;
	GpuAggFewRows few_rows;

	program_make(&p, k->key, k->nsums);
	packed = program_pack(&p);
	ok(gpuagg_record_compute(packed, nullable, &record), "GPU: a program with records");
	in.entry_bytes = entry_bytes(packed);
	in.record_bytes = record.bytes;
	in.local_entry_bytes = gpuagg_local_entry_bytes(packed, &record);
	gpuagg_part_rows(packed, &record, &in.part_rows);
	h200_rates(&rates);
	gpuagg_strategy_choose(&rates, &in, &c);
	if (!ok(c.radix_bits[0] == k->first && c.radix_bits[1] == k->second, "... in so many parts"))
		printf("#   key %u, %u sums: got %u and %u\n", k->key, k->nsums, c.radix_bits[0],
			   c.radix_bits[1]);
	few_rows = gpuagg_few_rows_kind(&in.part_rows, 228 << 10,
								(uint32_t) in.local_entry_bytes -
								gpuagg_local_key_bytes(in.part_rows.key),
								(uint32_t) in.entry_bytes, k->rows, k->groups, 0);
	is_int(few_rows, k->few_rows, "... in tables of that kind");
	free(packed);
}

/* What a card tells is what the choice takes. */
static void
test_card(void)
{
	GpuAggRates rates = {.gpu = true,.units = 40,.unit_shared_bytes = 64 << 10,
	.block_shared_bytes = 64 << 10};
	GpuAggStrategyRates strategy;

	gpuagg_rates_strategy(&rates, &strategy);
	is_double(strategy.shared_bytes, 64 << 10, "shared memory as the card tells");
	is_double(strategy.local_bytes, 47 << 10, "... but that of tables of pages is ours");
}

/* ---------- memory of a batch ---------- */

static void
test_batch(uint32_t key, uint32_t lines, uint64_t want, const char *name)
{
	GpuAggBatchSizes shape = {.npages = 1000,.nbitmaps = 1000};
	GpuAggBatchLayout layout;
	uint8_t		words[GPUAGG_MAX_REGS];
	TestProgram p;
	GpuAggProgram *packed;
	double		planned;

	program_make(&p, key, 1);
	packed = program_pack(&p);
	shape.ncolumns = packed->ncolumns;
	shape.nwords = gpuagg_batch_words(packed, words, &shape.copies);
	shape.nrows = shape.npages * lines;
	gpuagg_batch_layout(&shape, &layout);
	planned = gpuagg_batch_page_bytes(packed, lines) * shape.npages;
	ok((double) layout.bytes >= planned &&
	   (double) layout.bytes <= planned + 11 * GPUAGG_DECODED_ALIGN, name);
	is_int((long long) layout.bytes, (long long) want, "... so many bytes");
	ok(layout.words % GPUAGG_DECODED_ALIGN == 0 && layout.upload == layout.valid,
	   "... that come from the host up to the rows' flags");
	free(packed);
}

/* ---------- keys of what is joined ---------- */

/*
 * A group key of a look-up table, 50 more than 1990 to 1998: what the device reads of the
 * table is what the planner takes of statistics before there is one.
 */
static void
test_joined(void)
{
	static const int64_t keys[] = {3, 1, 2};
	static const int64_t years[] = {1998, 1990, 1995};
	const GpuAggLookupSource columns[] = {{GPUAGG_CLASS_I64, keys, NULL},
										  {GPUAGG_CLASS_I64, years, NULL}};
	const GpuAggLookupRows rows = {
		.nrows = 3, .nkeys = 1, .ncolumns = 2, .columns = columns, .seed = 7};
	GpuAggRange ranges[GPUAGG_MAX_REGS];
	GpuAggKeyRange key[GPUAGG_MAX_KEYS];
	TestProgram p;
	GpuAggProgram *packed;
	GpuAggConst *table;
	uint64_t	numbers = 0;
	uint16_t	column;
	uint16_t	t;
	uint16_t	more;
	uint16_t	fetched;

	program_init(&p);
	column = program_attr(&p, GPUAGG_T_INT4, true);
	t = program_const_table(&p, &rows);
	more = program_const_i64(&p, GPUAGG_T_INT4, 50);
	fetched = program_instr(&p, GPUAGG_OP_LOOKUP, GPUAGG_CLASS_I64, column, t);
	fetched = program_instr(&p, GPUAGG_OP_FETCH_I64, GPUAGG_CLASS_I64, fetched, t);
	program_key(&p, program_instr(&p, GPUAGG_OP_INT4_ADD, GPUAGG_CLASS_I64, fetched, more),
				GPUAGG_T_INT4);
	packed = program_pack(&p);
	table = (GpuAggConst *) &gpuagg_program_consts(packed)[0];
	for (int i = 0; i < GPUAGG_MAX_REGS; i++)
		ranges[i] = (GpuAggRange) {1, 0};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 10 &&
		   key[0].low == 2040 && key[0].high == 2048,
	   "a table that is there: its least and greatest");
	table->state = GPUAGG_ST_NULL;
	ok(!gpuagg_range_numbers(packed, ranges, 16, key, &numbers),
	   "one that is not made yet: not known");
	ranges[gpuagg_program_instrs(packed)[1].dst] = (GpuAggRange) {1990, 1998};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 10 &&
		   key[0].low == 2040 && key[0].high == 2048,
	   "... but what is said of the column");
	free(packed);
}

/* ---------- rows that pass ---------- */

/* A key is numbered by those of its column's values that conditions leave. */
static void
test_filtered(void)
{
	GpuAggRange ranges[GPUAGG_MAX_REGS];
	GpuAggKeyRange key[GPUAGG_MAX_KEYS];
	TestProgram p;
	GpuAggProgram *packed;
	uint64_t	numbers = 0;
	uint16_t	column;
	uint16_t	other;
	uint16_t	least;
	uint16_t	end;
	uint16_t	more;
	uint16_t	reg;

	program_init(&p);
	column = program_attr(&p, GPUAGG_T_INT4, true);
	other = program_attr(&p, GPUAGG_T_INT4, true);
	least = program_const_i64(&p, GPUAGG_T_INT4, 100);
	end = program_const_i64(&p, GPUAGG_T_INT4, 201);
	more = program_const_i64(&p, GPUAGG_T_INT4, 1000);
	reg = program_instr(&p, GPUAGG_OP_I64_GE, GPUAGG_CLASS_I64, column, least);
	reg = program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, reg,
						program_instr(&p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, other, column));
	reg = program_instr(&p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, reg,
						program_instr(&p, GPUAGG_OP_I64_GT, GPUAGG_CLASS_I64, end, column));
	program_filter(&p, reg);
	program_key(&p, program_instr(&p, GPUAGG_OP_INT4_ADD, GPUAGG_CLASS_I64, column, more),
				GPUAGG_T_INT4);
	packed = program_pack(&p);
	ranges[column] = (GpuAggRange) {-1000000, 1000000};
	ranges[other] = (GpuAggRange) {1, 0};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 102 &&
		   key[0].low == 1100 && key[0].high == 1200,
	   "what two conditions leave of a column");
	ranges[column] = (GpuAggRange) {150, 160};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 12 &&
		   key[0].low == 1150 && key[0].high == 1160,
	   "a column within them");
	ranges[column] = (GpuAggRange) {1, 9};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 10,
	   "no row passes: as if all did");
	ranges[column] = (GpuAggRange) {1, 0};
	ok(!gpuagg_range_numbers(packed, ranges, 16, key, &numbers), "a column that is not known");
	((GpuAggConst *) gpuagg_program_consts(packed))[0].state = GPUAGG_ST_NULL;
	ranges[column] = (GpuAggRange) {-1000, 1000};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && key[0].low == 0 &&
		   key[0].high == 1200,
	   "a constant that is not known yet");
	free(packed);
}

/* ---------- days in a zone ---------- */

/*
 * A day in a zone, whose table need not be there yet, is numbered by the moments that the column
 * has.
 */
static void
test_zoned(void)
{
	const int64_t day = INT64_C(86400000000);
	GpuAggRange ranges[GPUAGG_MAX_REGS];
	GpuAggKeyRange key[GPUAGG_MAX_KEYS];
	TestProgram p;
	GpuAggProgram *packed;
	uint64_t	numbers = 0;
	uint16_t	moment;
	uint16_t	zone;
	uint16_t	reg;

	program_init(&p);
	moment = program_attr(&p, GPUAGG_T_TIMESTAMPTZ, true);
	zone = program_const_text(&p, "");
	reg = program_instr(&p, GPUAGG_OP_ZONE_LOCAL, GPUAGG_CLASS_I64, moment, zone);
	program_key(&p, program_instr(&p, GPUAGG_OP_TIMESTAMP_TO_DATE, GPUAGG_CLASS_I64, reg, 0),
				GPUAGG_T_DATE);
	packed = program_pack(&p);
	((GpuAggConst *) gpuagg_program_consts(packed))->state = GPUAGG_ST_NULL;
	ranges[moment] = (GpuAggRange) {8766 * day, 8766 * day + 731 * day};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && numbers == 735 &&
		   key[0].low == 8765 && key[0].high == 8766 + 732,
	   "days of two years, and one on both sides");
	ranges[moment] = (GpuAggRange) {-day, -1};
	ok(gpuagg_range_numbers(packed, ranges, 16, key, &numbers) && key[0].low == -2 &&
		   key[0].high == 0,
	   "before 2000");
	ranges[moment].high = INT64_MAX;
	ok(!gpuagg_range_numbers(packed, ranges, 16, key, &numbers), "with infinity: not known");
	ranges[moment] = (GpuAggRange) {1, 0};
	ok(!gpuagg_range_numbers(packed, ranges, 16, key, &numbers),
	   "of a column that is not known: not known");
	ranges[moment] = (GpuAggRange) {-2000000 * day, 100000000 * day};
	ok(!gpuagg_range_numbers(packed, ranges, 16, key, &numbers), "of all days: too many");
	free(packed);
}

int
main(void)
{
	test_joined();
	test_filtered();
	test_zoned();
	test_host_limits();
	test_host_parts(1);
	test_host_parts(6);
	test_host_record(GPUAGG_T_INT4, 0, 8);
	test_host_record(GPUAGG_T_INT4, 1, 12);
	test_host_record(GPUAGG_T_INT8, 1, 16);
	test_host_record(GPUAGG_T_FLOAT8, 1, 16);
	test_host_local();
	for (size_t i = 0; i < sizeof(known_bits) / sizeof(known_bits[0]); i++)
		test_bits(&known_bits[i]);
	test_card();
	test_batch(GPUAGG_T_INT4, 185, 5072896, "a batch of two numbers takes what was planned");
	test_batch(GPUAGG_T_TEXT, 100, 12569600, "a batch with strings, too");
	return done_testing();
}
