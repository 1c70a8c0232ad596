/*
 * group_test.c
 *		Keys and states of a group: hashing, equality as the types mean it,
 *		transitions and merges against plain arithmetic; strings that come
 *		and go in an arena; tables that grow.
 */
#include "device/ops/group.h"
#include "device_support.h"
#include "host/update.h"
#include "tap.h"

static GpuAggBytes
bytes_of(const char *s)
{
	return (GpuAggBytes) {s, strlen(s)};
}

static void
test_hash(void)
{
	enum
	{
		N = 1 << 16
	};
	static uint32_t low[N];
	static uint32_t high[N];
	char		text[40] = "0123456789abcdefghijklmnopqrstuvwxyz";
	const uint64_t seed = 12345;
	uint32_t	most_low = 0;
	uint32_t	most_high = 0;
	bool		differ = true;

	/* keys that differ in their high bits only, one per bucket on average */
	for (uint64_t i = 0; i < N; i++)
	{
		uint64_t	h = gpuagg_hash_finish(gpuagg_hash_word(seed, i << 40, seed));

		if (++low[h % N] > most_low)
			most_low = low[h % N];
		if (++high[h >> 48] > most_high)
			most_high = high[h >> 48];
	}
	ok(most_low < 12 && most_high < 12, "words spread over low and high bits");
	for (uint64_t len = 1; len <= 36; len++)
		for (uint64_t at = 0; at < len; at++)
		{
			uint64_t	before = gpuagg_hash_bytes(text, len, seed);

			text[at] ^= 1;
			differ &= before != gpuagg_hash_bytes(text, len, seed);
			text[at] ^= 1;
			differ &= before != gpuagg_hash_bytes(text, len - 1, seed);
		}
	ok(differ, "every byte of a string counts, and its length");
	ok(gpuagg_hash_bytes(text, 20, 1) != gpuagg_hash_bytes(text, 20, 2), "so does the seed");
}

static bool
f64_equal(double a, double b)
{
	return gpuagg_key_slots_equal(GPUAGG_T_FLOAT8, (char *) &a, (char *) &b);
}

static bool
string_equal(uint32_t type, const char *a, const char *b)
{
	char		x[16];
	char		y[16];
	bool		equal;

	gpuagg_key_store_bytes(type, x, bytes_of(a));
	gpuagg_key_store_bytes(type, y, bytes_of(b));
	equal = gpuagg_key_slots_equal(type, x, y);
	if (equal != (gpuagg_key_word_bytes(type, bytes_of(a), 7) ==
				  gpuagg_key_word_bytes(type, bytes_of(b), 7)))
		return !equal;			/* fails whichever is expected */
	return equal;
}

static void
test_keys(void)
{
	double		nan1;
	double		nan2;
	uint64_t	bits1 = UINT64_C(0x7ff8000000000000);
	uint64_t	bits2 = UINT64_C(0xfff8000000000123);
	char		slot[16];
	int32_t		i4;

	memcpy(&nan1, &bits1, 8);
	memcpy(&nan2, &bits2, 8);
	ok(f64_equal(0.0, -0.0) && f64_equal(nan1, nan2) && !f64_equal(nan1, 1) && f64_equal(2, 2) &&
	   !f64_equal(2, 3), "-0 is 0, NaN is NaN");
	ok(gpuagg_key_word_f64(0.0) == gpuagg_key_word_f64(-0.0) &&
	   gpuagg_key_word_f64(nan1) == gpuagg_key_word_f64(nan2), "and hash alike");
	ok(string_equal(GPUAGG_T_TEXT, "abc", "abc") && !string_equal(GPUAGG_T_TEXT, "abc", "abc ") &&
	   !string_equal(GPUAGG_T_TEXT, "abc", "abd"), "short text");
	ok(string_equal(GPUAGG_T_TEXT, "abcdefghijklmnop", "abcdefghijklmnop") &&
	   !string_equal(GPUAGG_T_TEXT, "abcdefghijklmnop", "abcdefghijklmnoq") &&
	   !string_equal(GPUAGG_T_TEXT, "abcdefghijkl", "abcdefghijklm"), "long text");
	ok(string_equal(GPUAGG_T_BPCHAR, "abc", "abc  ") && string_equal(GPUAGG_T_BPCHAR, "", "  ") &&
	   string_equal(GPUAGG_T_BPCHAR, "abcdefghijkl", "abcdefghijkl   ") &&
	   !string_equal(GPUAGG_T_BPCHAR, "abc", "  abc"), "char(n) ignores trailing blanks");
	ok(string_equal(GPUAGG_T_UUID, "0123456789abcdef", "0123456789abcdef") &&
	   !string_equal(GPUAGG_T_UUID, "0123456789abcdef", "0123456789abcdeF"), "uuid");
	gpuagg_key_store_i64(GPUAGG_T_DATE, slot, -5);
	memcpy(&i4, slot, 4);
	is_int(i4, -5, "a date's slot has 4 bytes");
}

/* A state's 16 bytes after all values, or after two halves merged. */
static void
run_i64(uint32_t op, const int64_t *v, int n, bool halves, char *state)
{
	char		other[16];

	_Alignas(8) char left[GPUAGG_MAX_STATE_BYTES];
	_Alignas(8) char right[GPUAGG_MAX_STATE_BYTES];

	gpuagg_state_init(op, left);
	gpuagg_state_init(op, right);
	for (int i = 0; i < n; i++)
		gpuagg_state_step_i64(op, halves && i >= n / 2 ? right : left, v[i]);
	memcpy(other, right, sizeof(other));
	if (halves)
		gpuagg_state_merge(op, left, other);
	memcpy(state, left, gpuagg_transition_bytes(op));
}

static void
test_states(void)
{
	const int64_t v[] = {5, -3, INT64_MAX, INT64_MAX, 17, INT64_MIN, INT64_MAX, -1};
	const int	n = sizeof(v) / sizeof(*v);
	uint64_t	sum = 0;
	__int128	wide = 0;
	int64_t		want[GPUAGG_NTRANSITIONS] = {0};
	const uint32_t ops[] = {GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_I64, GPUAGG_TRANS_MIN_I64,
	GPUAGG_TRANS_MAX_I64, GPUAGG_TRANS_AND_I64, GPUAGG_TRANS_OR_I64, GPUAGG_TRANS_XOR_I64};

	want[GPUAGG_TRANS_MIN_I64] = INT64_MIN;
	want[GPUAGG_TRANS_MAX_I64] = INT64_MAX;
	want[GPUAGG_TRANS_COUNT] = n;
	want[GPUAGG_TRANS_AND_I64] = -1;
	for (int i = 0; i < n; i++)
	{
		sum += (uint64_t) v[i];
		wide += v[i];
		want[GPUAGG_TRANS_AND_I64] &= v[i];
		want[GPUAGG_TRANS_OR_I64] |= v[i];
		want[GPUAGG_TRANS_XOR_I64] ^= v[i];
	}
	want[GPUAGG_TRANS_SUM_I64] = (int64_t) sum;
	for (int halves = 0; halves < 2; halves++)
	{
		bool		good = true;
		__int128	got;

		for (size_t k = 0; k < sizeof(ops) / sizeof(*ops); k++)
		{
			int64_t		state;

			run_i64(ops[k], v, n, halves, (char *) &state);
			good &= state == want[ops[k]];
		}
		ok(good, halves ? "integer states, merged" : "integer states");
		run_i64(GPUAGG_TRANS_SUM_I128, v, n, halves, (char *) &got);
		ok(got == wide, halves ? "128-bit sum, merged" : "128-bit sum");
	}
}

/* A state's moments after all values, or after two halves merged */
static void
run_moments(const double *x, const double *y, int n, int first, double *s)
{
	double		other[8];

	gpuagg_moments_init(GPUAGG_TRANS_COMOMENTS_F64, s);
	gpuagg_moments_init(GPUAGG_TRANS_COMOMENTS_F64, other);
	for (int i = 0; i < n; i++)
		gpuagg_comoments_step(i < first ? s : other, y[i], x[i]);
	gpuagg_moments_merge(GPUAGG_TRANS_COMOMENTS_F64, s, other);
}

/* The same by sums around the first value, finished */
static void
run_shared_moments(const double *x, const double *y, int n, int first, double *s)
{
	double		other[8];

	gpuagg_moments_init(GPUAGG_TRANS_COMOMENTS_F64, s);
	gpuagg_moments_init(GPUAGG_TRANS_COMOMENTS_F64, other);
	for (int i = 0; i < n; i++)
		gpuagg_comoments_step_shared(i < first ? s : other, y[i], x[i]);
	gpuagg_moments_merge_shared(GPUAGG_TRANS_COMOMENTS_F64, s, other);
	gpuagg_moments_finish(GPUAGG_TRANS_COMOMENTS_F64, s);
}

/* Small beside their mean: sums of squares would lose all of it. */
static void
test_moments(void)
{
	const double x[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
	const double y[] = {-3, -1, 1, 3};
	const double far[] = {-9999, 1e6, 1e6 + 1, 1e6 + 2};
	double		s[8];
	double		exact[8];
	double		one[4];

	gpuagg_moments_init(GPUAGG_TRANS_MOMENTS_F64, one);
	for (int i = 0; i < 4; i++)
		gpuagg_moments_step(one, x[i]);
	ok(one[0] == 4 && one[1] == 4e9 + 10 && one[2] == 5, "moments of one number");
	for (int first = 0; first <= 4; first++)
	{
		run_moments(x, y, 4, first, s);
		ok(s[0] == 4 && s[1] == 4e9 + 10 && s[2] == 5 && s[3] == 0 && s[4] == 20 && s[5] == 10,
		   "moments of two, merged");
		run_shared_moments(x, y, 4, first, s);
		ok(s[0] == 4 && s[1] == 4e9 + 10 && s[2] == 5 && s[3] == 0 && s[4] == 20 && s[5] == 10,
		   "the same, which threads share");
		run_moments(far, y, 4, 4, exact);
		run_shared_moments(far, y, 4, first, s);
		ok(s[2] / exact[2] - 1 < 1e-14 && 1 - s[2] / exact[2] < 1e-14 && s[4] == 20,
		   "around a value that lies far off");
	}
	gpuagg_moments_init(GPUAGG_TRANS_MOMENTS_F64, one);
	for (int i = 0; i < 1000; i++)
		gpuagg_moments_step_shared(one, 0.1);
	gpuagg_moments_finish(GPUAGG_TRANS_MOMENTS_F64, one);
	ok(one[0] == 1000 && one[2] == 0, "equal values have no variance");
	ok(gpuagg_transition_bytes(GPUAGG_TRANS_FIRST_F64) == 0, "the first of two has no state");
}

static void
test_float_states(void)
{
	const double v[] = {1.5, -2.25, 1.0 / 0.0, -1e300, 0.0 / 0.0};
	int64_t		min;
	int64_t		max;
	double		sum;

	gpuagg_state_init(GPUAGG_TRANS_MIN_F64, (char *) &min);
	gpuagg_state_init(GPUAGG_TRANS_MAX_F64, (char *) &max);
	for (int i = 0; i < 4; i++)
	{
		gpuagg_state_step_f64(GPUAGG_TRANS_MIN_F64, (char *) &min, v[i]);
		gpuagg_state_step_f64(GPUAGG_TRANS_MAX_F64, (char *) &max, v[i]);
	}
	is_double(gpuagg_f64_unorder(min), -1e300, "min");
	is_double(gpuagg_f64_unorder(max), 1.0 / 0.0, "max");
	gpuagg_state_step_f64(GPUAGG_TRANS_MIN_F64, (char *) &min, v[4]);
	gpuagg_state_step_f64(GPUAGG_TRANS_MAX_F64, (char *) &max, v[4]);
	is_double(gpuagg_f64_unorder(min), -1e300, "min ignores NaN");
	is_double(gpuagg_f64_unorder(max), v[4], "NaN is the greatest");
	gpuagg_state_init(GPUAGG_TRANS_SUM_F64, (char *) &sum);
	gpuagg_state_step_f64(GPUAGG_TRANS_SUM_F64, (char *) &sum, -0.0);
	is_double(sum, -0.0, "the sum of -0 is -0");
	gpuagg_state_init(GPUAGG_TRANS_SUM_F64_AVG, (char *) &sum);
	gpuagg_state_step_f64(GPUAGG_TRANS_SUM_F64_AVG, (char *) &sum, -0.0);
	is_double(sum, -0.0, "also where an average shares it");
	ok(gpuagg_f64_needs_pg(1e146) && gpuagg_f64_needs_pg(-1e300) && !gpuagg_f64_needs_pg(1e145) &&
	   !gpuagg_f64_needs_pg(1.0 / 0.0) && !gpuagg_f64_needs_pg(0.0 / 0.0),
	   "avg leaves large finite values to PostgreSQL");
}

/* min and max of strings whose lengths change all the time */
static void
test_arena(void)
{
	GpuAggMemory memory;
	GpuAggArena arena;
	char		text[300];
	char		slot[16];
	GpuAggBytes got;
	bool		good = true;

	gpuagg_memory_init(&memory, NULL, 0);
	gpuagg_arena_init(&arena, &memory);
	gpuagg_state_init(GPUAGG_TRANS_MAX_BYTES, slot);
	for (uint32_t i = 0; i < 100000; i++)
	{
		uint32_t	len = (i * 37) % 290;
		GpuAggBytes v = {text, len};

		snprintf(text, sizeof(text), "%08u", i);
		memset(text + 8, 'a' + i % 26, sizeof(text) - 8);
		if (gpuagg_state_prefers(GPUAGG_TRANS_MAX_BYTES, slot, v))
			good &= gpuagg_arena_replace(&arena, slot, v);
	}
	got = gpuagg_string_slot_bytes(slot);
	ok(good && got.len == (99999 * 37) % 290 && memcmp(got.data, "00099999", 8) == 0,
	   "max of ascending strings");
	ok(memory.peak < 8192, "in a bounded arena");
	ok(!gpuagg_state_prefers(GPUAGG_TRANS_MAX_BPCHAR, slot, got) &&
	   gpuagg_state_prefers(GPUAGG_TRANS_MIN_BPCHAR, slot, bytes_of("000999")), "prefers");
	gpuagg_arena_clear(&arena);
	is_int((long long) memory.used, 0, "nothing left");
}

static void
test_inet(void)
{
	/* 10.0.0.1 and 10.128.0.0/9, which lies before it in bytes and behind it in order */
	const GpuAggBytes host = {"\2\40\12\0\0\1", 6};
	const GpuAggBytes net = {"\2\11\12\200\0\0", 6};
	char		slot[16];

	gpuagg_state_init(GPUAGG_TRANS_MAX_INET, slot);
	ok(gpuagg_state_prefers(GPUAGG_TRANS_MAX_INET, slot, host), "any address is a first maximum");
	gpuagg_string_slot_store(slot, host);
	ok(gpuagg_state_prefers(GPUAGG_TRANS_MAX_INET, slot, net) &&
		   !gpuagg_state_prefers(GPUAGG_TRANS_MIN_INET, slot, net) &&
		   !gpuagg_state_prefers(GPUAGG_TRANS_MAX_BYTES, slot, net) &&
		   !gpuagg_state_prefers(GPUAGG_TRANS_MAX_INET, slot, host),
	   "addresses have an order of their own");
}

/* Two tables of growing size with keys of one type, compared to themselves */
static void
test_table(uint32_t type, const char *name)
{
	enum
	{
		GROUPS = 20000
	};
	static uint64_t hashes[GPUAGG_VECTOR_ROWS];
	static char images[GPUAGG_VECTOR_ROWS * 24];
	static char texts[GPUAGG_VECTOR_ROWS][24];
	static uint16_t sel[GPUAGG_VECTOR_ROWS];
	static char *rows[GPUAGG_VECTOR_ROWS];
	static char *first[GROUPS];
	static TestProgram p;
	GpuAggMemory memory;
	GpuAggError error = {0};
	GpuAggPrepared *s;
	GpuAggTable t;
	GpuAggKeyBlock block = {images, 0, hashes};
	bool		good = true;

	program_init(&p);
	program_key(&p, program_attr(&p, type, true), type);
	program_trans(&p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, 0);
	gpuagg_memory_init(&memory, NULL, 0);
	s = gpuagg_prepared_create(&p.head, NULL, &memory, &error);
	gpuagg_table_init(&t, s, &memory, NULL, true);
	block.stride = s->key_bytes;
	/* three rounds: the first adds, and small tags make false matches */
	for (uint32_t i = 0; good && i < 3 * GROUPS; i += 500)
	{
		memset(images, 0, sizeof(images));
		for (uint32_t k = 0; k < 500; k++)
		{
			uint32_t	key = (i + k) % GROUPS;
			char	   *slot = images + k * block.stride + s->layout.key_off[0];

			sel[k] = (uint16_t) k;
			hashes[k] = key % 64 == 0 ? 0 : gpuagg_hash_finish(key);
			snprintf(texts[k], sizeof(texts[k]), key % 2 ? "%u" : "%020u", key);
			if (gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
				gpuagg_key_store_bytes(type, slot, bytes_of(texts[k]));
			else
				gpuagg_key_store_i64(type, slot, key);
		}
		good &= gpuagg_table_reserve(&t, 500) && gpuagg_table_find(&t, &block, sel, 500, rows);
		for (uint32_t k = 0; k < 500 && i >= GROUPS; k++)
		{
			uint32_t	key = (i + k) % GROUPS;

			if (i < 2 * GROUPS)
				first[key] = rows[k];
			good &= first[key] == rows[k];
		}
	}
	ok(good && t.nrows == GROUPS, name);
	gpuagg_table_clear(&t);
	gpuagg_prepared_free(s, &memory);
	is_int((long long) memory.used, 0, "nothing left");
}

int
main(void)
{
	test_hash();
	test_keys();
	test_states();
	test_moments();
	test_float_states();
	test_arena();
	test_inet();
	test_table(GPUAGG_T_INT4, "table with a 4-byte key");
	test_table(GPUAGG_T_INT8, "table with an 8-byte key");
	test_table(GPUAGG_T_TEXT, "table with a text key");
	test_table(GPUAGG_T_BPCHAR, "table with a char(n) key");
	return done_testing();
}
