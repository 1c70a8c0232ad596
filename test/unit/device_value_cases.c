/*
 * device_value_cases.c
 *		Keys of every type alone and together, exact sums under contention,
 *		programs as wide as programs may be, and errors that are consumed or
 *		not.
 */
#include "device_oracle.h"
#include "device_table.h"

/* ---------- keys of every type ---------- */

static const uint8_t key_types[] = {GPUAGG_T_BOOL, GPUAGG_T_INT2, GPUAGG_T_INT4, GPUAGG_T_INT8,
	GPUAGG_T_FLOAT4, GPUAGG_T_FLOAT8, GPUAGG_T_DATE, GPUAGG_T_TIMESTAMP, GPUAGG_T_TIMESTAMPTZ,
GPUAGG_T_TEXT, GPUAGG_T_BPCHAR, GPUAGG_T_UUID};

#define NTYPES (sizeof(key_types) / sizeof(*key_types))

static double
random_float(void)
{
	static const double special[] = {0.0, -0.0, 1.0 / 0.0, -1.0 / 0.0, 1.5, -1.5, 0x1p-149, 1e30};
	uint64_t	r = random_next() % 12;

	if (r >= 8)
		return r % 2 ? 0.0 / 0.0 : -(0.0 / 0.0);
	return special[r];
}

/* Texts that differ late, or in trailing blanks only */
static TestValue
random_text(char *buf)
{
	static const char *const words[] = {"", " ", "a", "a  ", "b", "twelve bytes", "twelve bytes ",
		"twelve byte", "thirteen byte", "thirteen byte  ", "a text that is long, ends in 1",
		"a text that is long, ends in 2", "a text that is long, ends in 2    ",
	"\xC3\xA4", "\xC3\xA4 "};
	const char *word = words[random_next() % (sizeof(words) / sizeof(*words))];
	uint32_t	len = (uint32_t) strlen(word);

	return random_next() % 3 == 0 ? long_text(buf, word, len, 0) : short_text(buf, word, len);
}

/* A value of few, stored at buf as a page has it */
static TestValue
random_value(uint32_t type, char *buf)
{
	int64_t		few = (int64_t) (random_next() % 4) - 2;
	int16_t		i2 = (int16_t) (few * 16000);
	int32_t		i4 = (int32_t) (few * 1000000000);
	int64_t		i8 = few * INT64_C(4000000000000000000);
	double		f8 = random_float();
	float		f4 = (float) f8;

	switch (type)
	{
		case GPUAGG_T_BOOL:
			*buf = few > 0;
			return (TestValue) {buf, 1, 1};
		case GPUAGG_T_INT2:
			memcpy(buf, &i2, 2);
			return (TestValue) {buf, 2, 2};
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			memcpy(buf, &i4, 4);
			return (TestValue) {buf, 4, 4};
		case GPUAGG_T_FLOAT4:
			memcpy(buf, &f4, 4);
			return (TestValue) {buf, 4, 4};
		case GPUAGG_T_FLOAT8:
			memcpy(buf, &f8, 8);
			return (TestValue) {buf, 8, 8};
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
			return random_text(buf);
		case GPUAGG_T_UUID:
			memset(buf, 0xAB, 16);
			buf[random_next() % 16] = (char) few;
			return (TestValue) {buf, 16, 1};
		default:
			memcpy(buf, &i8, 8);
			return (TestValue) {buf, 8, 8};
	}
}

/* A table of one column per type; one value in ten is NULL. */
static void
keys_make(uint32_t n)
{
	TestValue	values[NTYPES];
	char		bufs[NTYPES][64];

	npages = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		for (size_t k = 0; k < NTYPES; k++)
		{
			values[k] = random_value(key_types[k], bufs[k]);
			if (random_next() % 10 == 0)
				values[k].bytes = NULL;
		}
		while (npages == 0 || !page_add(&pages[npages - 1], values, NTYPES))
			page_init(&pages[npages++]);
	}
	for (uint32_t i = 0; i < npages; i++)
		page_list[i] = (GpuAggPage) {.page = pages[i].bytes,.nlines = pages[i].nlines,.block = i};
}

/* Bit k of wanted: column k is a key. */
static bool
keys_ok(uint32_t wanted)
{
	static TestProgram p;

	program_init(&p);
	for (size_t k = 0; k < NTYPES && wanted >> k != 0; k++)
	{
		uint16_t	reg = program_attr(&p, key_types[k], wanted >> k & 1);

		if (wanted >> k & 1)
			program_key(&p, reg, key_types[k]);
	}
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	for (uint32_t k = 0; k < p.head.nkeys; k++)
		if (test_type_class[p.keys[k].type] == GPUAGG_CLASS_BYTES)
			program_trans(&p, k % 2 ? GPUAGG_TRANS_MIN_BYTES : GPUAGG_TRANS_MAX_BPCHAR,
						  p.keys[k].reg, NONE, p.keys[k].type);
		else
			program_trans(&p, GPUAGG_TRANS_COUNT, p.keys[k].reg, NONE, p.keys[k].type);
	return oracle_run(&p, page_list, npages, &plain_config, 32, 6);
}

static void
test_key_types(void)
{
	static const char *const names[] = {
#define X(name, cls, pagebytes, slotbytes) "a key of type " #name,
		GPUAGG_TYPE_LIST(X)
#undef X
	};
	bool		good = true;

	keys_make(scaled(20000));
	for (size_t k = 0; k < NTYPES; k++)
		ok(keys_ok(1u << k), names[key_types[k]]);
	ok(keys_ok((1u << NTYPES) - 1), "all types together");
	ok(keys_ok(0xFF), "eight keys without strings");
	ok(keys_ok(0xFF << (NTYPES - 8)), "eight keys with strings");
	for (int i = 0; i < 8; i++)
		good &= keys_ok((uint32_t) (random_next() % ((1u << NTYPES) - 1)) + 1);
	ok(good, "some together");
}

/* The most keys that a program may have */
static void
test_most_keys(void)
{
	static TestProgram p;

	table_make(scaled(20000), 3000, 0);
	program_columns(&p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D));
	for (int i = 0; i < GPUAGG_MAX_KEYS; i++)
	{
		static const uint8_t types[] = {GPUAGG_T_INT4, GPUAGG_T_TEXT, GPUAGG_T_INT8,
										GPUAGG_T_FLOAT8};

		program_key(&p, col[i % 4], types[i % 4]);
	}
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	ok(oracle_run(&p, page_list, npages, &plain_config, 32, 6), "31 keys");
}

/* ---------- sums ---------- */

static void
sums_ok(const char *name, bool keyed)
{
	static TestProgram p;
	static GpuAggPage list[ARENA_PAGES * 4];
	uint32_t	n = 0;

	program_columns(&p, WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	if (keyed)
		program_key(&p, col[COL_C], GPUAGG_T_TEXT);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(&p, GPUAGG_TRANS_XOR_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	for (int round = 0; round < 10; round++)
		for (uint32_t i = 0; i < npages; i++)
			list[n++] = page_list[i];
	ok(oracle_run(&p, list, n, &plain_config, 256, 6), name);
}

/* A million rows in one group: carries out of the low half, both ways */
static void
test_sums(void)
{
	table_make(scaled(100000), 1000, 0);
	sums_ok("sums of numbers at random", false);
	sums_ok("the same by one key", true);
	for (uint32_t i = 0; i < nrows; i++)
	{
		rows[i].v = i % 2 ? INT64_MIN : INT64_MAX - (int64_t) (i % 3);
		rows[i].v_null = false;
	}
	table_build();
	sums_ok("sums of the greatest and the least", true);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v = INT64_MIN;
	table_build();
	sums_ok("sums far below 64 bits", true);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v = i % 2 ? -1 : 1;
	table_build();
	sums_ok("sums that cross zero", true);
}

/* ---------- wide programs ---------- */

/* Registers that hold 0 or 1 */
static bool is_boolean[GPUAGG_MAX_REGS];

/* A register of that class, more often than not a recent one */
static uint16_t
random_reg(const TestProgram *p, uint32_t cls, bool boolean)
{
	for (;;)
	{
		uint32_t	back = random_next() % 4 == 0 ? p->head.nregs : 16;
		uint16_t	r = (uint16_t) (p->head.nregs - 1 - random_next() % back);

		if (back > p->head.nregs || p->classes[r] != cls || is_boolean[r] != boolean)
			r = (uint16_t) (random_next() % p->head.nregs);
		if (p->classes[r] == cls && is_boolean[r] == boolean)
			return r;
	}
}

static uint16_t
random_int(const TestProgram *p)
{
	return random_reg(p, GPUAGG_CLASS_I64, false);
}

static uint16_t
random_bool(const TestProgram *p)
{
	return random_reg(p, GPUAGG_CLASS_I64, true);
}

/* What works on any class */
static void
random_special(TestProgram *p)
{
	uint32_t	cls = (uint32_t) (random_next() % 3);
	uint16_t	a = random_reg(p, cls, false);
	uint16_t	b = random_reg(p, cls, false);

	switch (random_next() % 3)
	{
		case 0:
			program_instr3(p, GPUAGG_OP_SELECT, cls, random_bool(p), a, b);
			break;
		case 1:
			program_instr(p, GPUAGG_OP_COALESCE, cls, a, b);
			break;
		default:
			program_instr(p, GPUAGG_OP_NULL_IF, cls, a, random_bool(p));
			break;
	}
}

static uint16_t
random_test(TestProgram *p)
{
	static const uint16_t compare_int[] = {GPUAGG_OP_I64_EQ, GPUAGG_OP_I64_NE, GPUAGG_OP_I64_LT,
	GPUAGG_OP_I64_LE, GPUAGG_OP_I64_GT, GPUAGG_OP_I64_GE};
	static const uint16_t compare_float[] = {GPUAGG_OP_F64_EQ, GPUAGG_OP_F64_NE, GPUAGG_OP_F64_LT,
	GPUAGG_OP_F64_LE, GPUAGG_OP_F64_GT, GPUAGG_OP_F64_GE};
	static const uint16_t compare_bytes[] = {GPUAGG_OP_BYTES_EQ, GPUAGG_OP_BYTES_NE,
	GPUAGG_OP_BYTES_LT, GPUAGG_OP_BYTES_LE, GPUAGG_OP_BYTES_GT, GPUAGG_OP_STARTS_WITH};
	static const uint16_t tests[] = {GPUAGG_OP_IS_TRUE, GPUAGG_OP_IS_NOT_TRUE, GPUAGG_OP_IS_FALSE,
	GPUAGG_OP_IS_NOT_FALSE, GPUAGG_OP_IS_NULL, GPUAGG_OP_IS_NOT_NULL};
	uint64_t	k = random_next() % 6;
	uint32_t	cls = (uint32_t) (random_next() % 3);
	const uint16_t *compare = cls == GPUAGG_CLASS_I64 ? compare_int :
		cls == GPUAGG_CLASS_F64 ? compare_float : compare_bytes;
	uint16_t	a = random_reg(p, cls, false);
	uint16_t	b = random_reg(p, cls, false);

	switch (random_next() % 6)
	{
		case 0:
			return program_instr(p, tests[k], GPUAGG_CLASS_I64, random_bool(p), 0);
		case 1:
			return program_instr(p, k < 3 ? GPUAGG_OP_AND : GPUAGG_OP_OR, GPUAGG_CLASS_I64,
								 random_bool(p), random_bool(p));
		case 2:
			return program_instr(p, GPUAGG_OP_NOT, GPUAGG_CLASS_I64, random_bool(p), 0);
		case 3:
			return program_instr(p, k < 3 ? GPUAGG_OP_IS_NULL : GPUAGG_OP_IS_NOT_NULL,
								 GPUAGG_CLASS_I64, a, 0);
		default:
			return program_instr(p, compare[k], GPUAGG_CLASS_I64, a, b);
	}
}

/* Arithmetic that cannot fail on these columns, however often it is repeated */
static void
random_arithmetic(TestProgram *p, uint16_t modulus)
{
	static const uint16_t ints[] = {GPUAGG_OP_INT_AND, GPUAGG_OP_INT_OR, GPUAGG_OP_INT_XOR,
	GPUAGG_OP_INT_XOR, GPUAGG_OP_I64_MIN, GPUAGG_OP_I64_MAX};
	static const uint16_t floats[] = {GPUAGG_OP_FLOAT8_ADD, GPUAGG_OP_FLOAT8_SUB};
	static const uint16_t rounding[] = {GPUAGG_OP_FLOAT_NEG, GPUAGG_OP_FLOAT_ABS,
	GPUAGG_OP_FLOAT_FLOOR, GPUAGG_OP_FLOAT_CEIL, GPUAGG_OP_FLOAT_TRUNC, GPUAGG_OP_FLOAT_ROUND};
	uint64_t	k = random_next() % 6;
	uint16_t	f = random_reg(p, GPUAGG_CLASS_F64, false);
	uint16_t	b = random_reg(p, GPUAGG_CLASS_BYTES, false);

	switch (random_next() % 8)
	{
		case 0:
			program_instr(p, floats[k % 2], GPUAGG_CLASS_F64, f,
						  random_reg(p, GPUAGG_CLASS_F64, false));
			break;
		case 1:
			program_instr(p, rounding[k], GPUAGG_CLASS_F64, f, 0);
			break;
		case 2:
			program_instr(p, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, random_int(p), 0);
			break;
		case 3:
			program_instr(p, k < 3 ? GPUAGG_OP_OCTET_LENGTH : GPUAGG_OP_LENGTH_UTF8,
						  GPUAGG_CLASS_I64, b, 0);
			break;
		case 4:
			program_instr(p, GPUAGG_OP_INT_MOD, GPUAGG_CLASS_I64, random_int(p), modulus);
			p->instrs[p->head.ninstrs].imm = GPUAGG_IMM_UTF8;
			program_instr(p, GPUAGG_OP_SUBSTR_FROM, GPUAGG_CLASS_BYTES, b,
						  (uint16_t) (p->head.nregs - 1));
			break;
		case 5:
			program_instr(p, k < 2 ? GPUAGG_OP_RTRIM : GPUAGG_OP_INT_NOT,
						  k < 2 ? GPUAGG_CLASS_BYTES : GPUAGG_CLASS_I64, k < 2 ? b : random_int(p),
						  0);
			break;
		default:
			program_instr(p, ints[k], GPUAGG_CLASS_I64, random_int(p), random_int(p));
			break;
	}
}

static void
random_instrs(TestProgram *p, uint32_t until, uint16_t modulus)
{
	while (p->head.ninstrs < until)
		switch (random_next() % 4)
		{
			case 0:
				is_boolean[random_test(p)] = true;
				break;
			case 1:
				random_special(p);
				break;
			default:
				random_arithmetic(p, modulus);
				break;
		}
}

static void
random_transitions(TestProgram *p, uint32_t n)
{
	static const uint16_t ops[3][4] = {{GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_I128,
	GPUAGG_TRANS_XOR_I64, GPUAGG_TRANS_MIN_I64}, {GPUAGG_TRANS_COUNT, GPUAGG_TRANS_MIN_F64,
	GPUAGG_TRANS_MAX_F64, GPUAGG_TRANS_MAX_F64}, {GPUAGG_TRANS_COUNT, GPUAGG_TRANS_MIN_BYTES,
	GPUAGG_TRANS_MAX_BYTES, GPUAGG_TRANS_MAX_BPCHAR}};
	static const uint8_t types[3] = {GPUAGG_T_INT8, GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	cls = (uint32_t) (random_next() % 3);

		program_trans(p, ops[cls][random_next() % 4], random_reg(p, cls, false),
					  random_next() % 4 == 0 ? random_bool(p) : NONE, types[cls]);
	}
}

static void
random_program(TestProgram *p, uint32_t ninstrs, uint32_t ntransitions)
{
	uint16_t	modulus;

	memset(is_boolean, 0, sizeof(is_boolean));
	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C));
	modulus = program_const_i64(p, GPUAGG_T_INT8, 37);
	program_const_f64(p, -0.75);
	program_const_text(p, "constant ");
	is_boolean[program_instr(p, GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, col[COL_A], modulus)] = true;
	is_boolean[program_instr(p, GPUAGG_OP_IS_NOT_NULL, GPUAGG_CLASS_I64, col[COL_V], 0)] = true;
	random_instrs(p, ninstrs / 2, modulus);
	program_filter(p, program_instr3(p, GPUAGG_OP_OR, GPUAGG_CLASS_I64, random_bool(p),
									 random_bool(p), 0));
	is_boolean[p->head.filter_reg] = true;
	random_instrs(p, ninstrs, modulus);
	program_key(p, program_instr(p, GPUAGG_OP_INT_MOD, GPUAGG_CLASS_I64, random_int(p), modulus),
				GPUAGG_T_INT8);
	random_transitions(p, ntransitions);
}

static void
test_wide_programs(void)
{
	static TestProgram p;
	static const uint32_t sizes[] = {16, 70, 130, 260, GPUAGG_MAX_REGS - 20};

	table_make(scaled(6000), 1000, 0);
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
	{
		char		name[64];
		bool		good = true;

		for (int i = 0; i < 8; i++)
		{
			random_program(&p, sizes[k], i == 7 ? GPUAGG_MAX_TRANSITIONS : 10);
			good &= oracle_run(&p, page_list, npages, &plain_config, 16, 4);
		}
		snprintf(name, sizeof(name), "programs of %u instructions", sizes[k]);
		ok(good, name);
	}
}

/* IN lists that are found, not found, and have a NULL */
static void
test_in_lists(void)
{
	static TestProgram p;

	table_make(scaled(5000), 40, 0);
	for (int flags = 0; flags < 4; flags++)
	{
		uint16_t	reg;

		program_columns(&p, WANT(COL_A) | WANT(COL_T));
		for (int i = 0; i < 5; i++)
			program_const_i64(&p, GPUAGG_T_INT4, i * 9);
		program_const_text(&p, "10 is a longer string");
		program_const_text(&p, "7");
		p.instrs[0] = (GpuAggInstr) {.flags = (uint16_t) flags,.imm = 0,.imm2 = 5};
		p.instrs[1] = (GpuAggInstr) {.flags = (uint16_t) flags,.imm = 5,.imm2 = 2};
		reg = program_instr(&p, GPUAGG_OP_IN_I64, GPUAGG_CLASS_I64, col[COL_A], 0);
		program_key(&p, reg, GPUAGG_T_BOOL);
		program_key(&p, program_instr(&p, GPUAGG_OP_IN_BYTES, GPUAGG_CLASS_I64, col[COL_T], 0),
					GPUAGG_T_BOOL);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, reg, 0);
		program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
		ok(oracle_run(&p, page_list, npages, &plain_config, 16, 4), "IN lists");
	}
}

/* ---------- errors ---------- */

typedef enum ErrorPlace
{
	IN_FILTER,
	IN_KEY,
	IN_ARGUMENT,
	IN_AGGREGATE_FILTER,
	BEHIND_AGGREGATE_FILTER,
	BEHIND_CASE,
	BEHIND_AND,
	BEHIND_WHERE,
	UNUSED,
	NPLACES
} ErrorPlace;

/* v / 0 where nothing, or something, keeps it from being consumed */
static void
program_error(TestProgram *p, ErrorPlace place)
{
	uint16_t	zero;
	uint16_t	error;
	uint16_t	never;
	uint16_t	key;
	uint16_t	arg;
	uint16_t	filter = NONE;

	program_columns(p, WANT(COL_A) | WANT(COL_V));
	zero = program_const_i64(p, GPUAGG_T_INT8, 0);
	never = program_instr(p, GPUAGG_OP_I64_NE, GPUAGG_CLASS_I64, col[COL_A], col[COL_A]);
	if (place == BEHIND_WHERE)
		program_filter(p, never);
	error = program_instr(p, GPUAGG_OP_INT8_DIV, GPUAGG_CLASS_I64, col[COL_V], zero);
	if (place == IN_FILTER)
		program_filter(p, error);
	key = place == IN_KEY ? error : col[COL_A];
	arg = place == IN_AGGREGATE_FILTER || place == UNUSED ? zero : error;
	if (place == IN_AGGREGATE_FILTER)
		filter = error;
	if (place == BEHIND_AGGREGATE_FILTER)
		filter = never;
	if (place == BEHIND_CASE)
		arg = program_instr3(p, GPUAGG_OP_SELECT, GPUAGG_CLASS_I64, never, error, zero);
	if (place == BEHIND_AND)
		filter = program_instr(p, GPUAGG_OP_AND, GPUAGG_CLASS_I64, zero, error);
	program_key(p, key, place == IN_KEY ? GPUAGG_T_INT8 : GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	if (place >= IN_ARGUMENT)
		program_trans(p, GPUAGG_TRANS_SUM_I64, arg, filter, GPUAGG_T_INT8);
}

/* What an error value does where it is consumed, and where it is not. */
static void
test_value_errors(void)
{
	static TestProgram p;
	static const char *const names[] = {"error in the filter", "error in a key",
		"error in an argument", "error in a FILTER", "error behind a FILTER does no harm",
		"nor behind CASE", "nor behind AND", "nor in a row that does not pass",
	"nor where nobody looks"};
	Run			run;

	table_make(scaled(3000), 100, 0);
	for (ErrorPlace place = 0; place < NPLACES; place++)
	{
		program_error(&p, place);
		if (place <= IN_AGGREGATE_FILTER)
		{
			ok(!run_all(&run, &p, 4096) && run.error.status == GPUAGG_VALUE_ERROR &&
			   run.error.detail == GPUAGG_ST_DIV_ZERO, names[place]);
			run_end(&run);
		}
		else
			ok(oracle_run(&p, page_list, npages, &plain_config, 16, 4), names[place]);
	}
}

/* One row in many has it. */
static void
test_rare_errors(void)
{
	static TestProgram p;
	uint16_t	sum;

	table_make(scaled(30000), 100, 0);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].v %= 1000000;
	rows[nrows - 2].v = INT64_MAX;
	rows[nrows - 2].v_null = false;
	table_build();
	program_columns(&p, WANT(COL_A) | WANT(COL_V));
	sum = program_const_i64(&p, GPUAGG_T_INT8, 1);
	sum = program_instr(&p, GPUAGG_OP_INT8_ADD, GPUAGG_CLASS_I64, col[COL_V], sum);
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_SUM_I128, sum, NONE, GPUAGG_T_INT8);
	ok(oracle_run(&p, page_list, npages, &plain_config, 40, 6), "an error in one row");
	ok(oracle_run(&p, page_list, npages - 1, &plain_config, 40, 6), "none without its page");
}

static void
test_large_floats(void)
{
	static TestProgram p;
	Run			run;

	table_make(scaled(3000), 100, 0);
	rows[0].d = 1e200;
	table_build();
	program_columns(&p, WANT(COL_A) | WANT(COL_D));
	program_trans(&p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(run_all(&run, &p, 4096), "sum of a large float");
	run_end(&run);
	program_trans(&p, GPUAGG_TRANS_SUM_F64_AVG, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	ok(!run_all(&run, &p, 4096) && run.error.status == GPUAGG_VALUE_ERROR &&
	   run.error.detail == GPUAGG_ST_NEEDS_PG, "avg of it");
	run_end(&run);
}

int
device_value_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	test_key_types();
	test_most_keys();
	test_sums();
	test_wide_programs();
	test_in_lists();
	test_value_errors();
	test_rare_errors();
	test_large_floats();
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
