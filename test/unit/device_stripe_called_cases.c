/*
 * device_stripe_called_cases.c
 *		Programs with values that only PostgreSQL computes of a column's strings, and gives
 *		(device/ops/code_table.h).
 */
#include "device_stripe_encoded.h"

#define GIVEN_KINDS 5
#define GIVEN_COLUMNS (WANT(COL_A) | WANT(COL_T) | WANT(COL_V) | WANT(COL_D) | WANT(COL_C))

/* As PostgreSQL would compute it, or as an operator does; kind 4: with errors, which do not pass */
static void
program_given(TestProgram *p, int kind, bool called)
{
	static const uint8_t ops[GIVEN_KINDS] = {GPUAGG_OP_CALLED_INT4, GPUAGG_OP_CALLED_TEXT,
		GPUAGG_OP_CALLED_BOOL, GPUAGG_OP_CALLED_FLOAT8, GPUAGG_OP_CALLED_INT8};
	static const uint8_t classes[GIVEN_KINDS] = {GPUAGG_CLASS_I64, GPUAGG_CLASS_BYTES,
		GPUAGG_CLASS_I64, GPUAGG_CLASS_F64, GPUAGG_CLASS_I64};
	const uint16_t name = program_const_text(p, "what is computed");
	const uint16_t one = program_const_i64(p, GPUAGG_T_INT4, 1);
	const uint16_t two = program_const_i64(p, GPUAGG_T_INT4, 2);
	const uint16_t pattern = program_const_text(p, "%0%");
	const uint16_t like = program_instr3(p, GPUAGG_OP_LIKE, GPUAGG_CLASS_I64, col[COL_T], pattern,
										 NONE);
	uint16_t	value;

	p->instrs[p->head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	if (called)
		value = program_instr(p, ops[kind], classes[kind], col[COL_T], name);
	else if (kind == 1)
	{
		value = program_instr3(p, GPUAGG_OP_SUBSTR, GPUAGG_CLASS_BYTES, col[COL_T], one, two);
		p->instrs[p->head.ninstrs - 1].imm = GPUAGG_IMM_UTF8;
	}
	else if (kind == 2)
		value = like;
	else
		value = program_instr(p, GPUAGG_OP_LENGTH_UTF8, GPUAGG_CLASS_I64, col[COL_T], NONE);
	if (kind == 3 && !called)
		value = program_instr(p, GPUAGG_OP_INT_TO_FLOAT8, GPUAGG_CLASS_F64, value, NONE);
	if (kind == 2 || kind == 4)
		program_filter(p, kind == 2 ? value : like);
	program_key(p, kind == 0 || kind == 1 ? value : col[COL_C],
				kind == 0 ? GPUAGG_T_INT4 : GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	if (kind == 3)
		program_trans(p, GPUAGG_TRANS_MAX_F64, value, NONE, GPUAGG_T_FLOAT8);
	else if (kind != 1)
		program_trans(p, GPUAGG_TRANS_SUM_I64, value, NONE, GPUAGG_T_INT4);
}

/* Two characters of a string, its length, or whether it has a zero */
static void
value_of(int kind, GpuAggBytes s, GpuAggBytes *text, int64_t *bits, uint8_t *state)
{
	const bool	zero = s.len > 0 && memchr(s.data, '0', s.len) != NULL;
	const double length = (double) gpuagg_length_utf8(s, state);

	*state = kind == 4 && !zero ? GPUAGG_ST_NEEDS_PG : GPUAGG_ST_VALUE;
	*text = gpuagg_slice(s, 1, 2, true);
	*bits = kind == 2 ? zero : (int64_t) length;
	if (kind == 3)
		memcpy(bits, &length, sizeof(length));
}

/* Values of the next n strings at most; how many strings have none then */
static uint64_t
values_give(GpuAggMade *table, int kind, uint64_t n)
{
	GpuAggDictionaryText text;
	GpuAggBytes *texts;
	int64_t    *bits;
	uint8_t    *states;
	GpuAggRowColumn values;
	GpuAggError error;
	const uint64_t given = STRIPES->code_table_given(table);

	STRIPES->dictionary_read(dictionaries[COL_T], &text, &error);
	if (n > text.entries - given)
		n = text.entries - given;
	texts = malloc((n + 1) * sizeof(*texts));
	bits = malloc((n + 1) * sizeof(*bits));
	states = malloc(n + 1);
	for (uint64_t i = 0; i < n; i++)
	{
		const uint64_t *start = text.starts + given + i;
		const GpuAggBytes s = {text.bytes + start[0], start[1] - start[0]};

		value_of(kind, s, &texts[i], &bits[i], &states[i]);
	}
	values = (GpuAggRowColumn) {states, kind == 1 ? (void *) texts : bits};
	ok(STRIPES->code_table_give(table, &values, (uint32_t) n, &error) == GPUAGG_OK,
	   "values are given");
	free(texts);
	free(bits);
	free(states);
	return text.entries - STRIPES->code_table_given(table);
}

/* The table of a program's called expression, among others of the same column */
static GpuAggMade *
called_table(const Encoded *e, const TestProgram *p)
{
	GpuAggProgram *packed = program_pack(p);
	GpuAggProgram *room = malloc(gpuagg_code_tables_room(packed));
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	const uint32_t n = gpuagg_code_tables_find(packed, found, room);
	GpuAggMade *table = NULL;

	for (uint32_t i = 0; i < n; i++)
		if (gpuagg_is_called(gpuagg_instr_of(packed, found[i].reg)))
			table = e->config.made.tables[i];
	ok(gpuagg_called_count(packed) == 1 && gpuagg_called_have_tables(packed, room) &&
	   table != NULL, "what is called has a table");
	free(room);
	free(packed);
	return table;
}

/* By given values, against the oracle, which computes them */
static bool
given_agree(const TestProgram *native, const TestProgram *called, GpuAggStripe *stripe)
{
	Oracle	   *o = oracle_start(native);
	static Encoded e;
	Run			run;
	bool		agree;

	oracle_list(o, page_list, npages);
	encode(called, &e);
	agree = encoded_begin(&run, &e) &&
		(stripe == NULL ? run_feed(&run) : run_resident(&run, stripe, NULL, 0) &&
		 run_collect(&run, 1)) && run_finish(&run, 4096) &&
		run_decode(&run, called, &e) && oracle_agrees(o, &run);
	if (run.error.status != GPUAGG_OK)
		printf("# %s\n", run.error.message);
	run_end(&run);
	encode_end(&e);
	oracle_end(o);
	return agree;
}

/* A task without values ends, as if a value had been one that only PostgreSQL computes. */
static void
given_missing(const TestProgram *called)
{
	static Encoded e;
	Run			run;

	encode(called, &e);
	ok(encoded_begin(&run, &e) && (!run_feed(&run) || !run_finish(&run, 4096)) &&
	   run.error.status == GPUAGG_VALUE_ERROR && (run.error.detail & GPUAGG_ST_NEEDS_PG) != 0,
	   "without values there is no answer");
	run_end(&run);
	encode_end(&e);
}

static void
test_given(int kind)
{
	static TestProgram native;
	static TestProgram called;
	static Encoded e;
	GpuAggStripe *stripe;
	GpuAggMade *table;
	GpuAggBytes b = {"a string that came later 0", 26};
	GpuAggError error;
	int32_t		code;

	table_make(scaled(20000), 3000, 0);
	dictionaries_make();
	stripe = stripe_of_strings();
	program_columns(&native, GIVEN_COLUMNS);
	program_given(&native, kind, false);
	program_columns(&called, GIVEN_COLUMNS);
	program_given(&called, kind, true);
	given_missing(&called);
	keep_pages(stripe, 0, npages, 0);
	ok(given_agree(&native, &native, NULL), "kept");
	given_missing(&called);
	encode(&called, &e);
	table = called_table(&e, &called);
	ok(values_give(table, kind, 70) > 0 && values_give(table, kind, 1) > 0, "some are missing");
	given_missing(&called);
	is_int((long long) values_give(table, kind, UINT32_MAX), 0, "and then all are there");
	encode_end(&e);
	ok(given_agree(&native, &called, NULL), "given values");
	ok(given_agree(&native, &called, stripe), "from a stripe");
	STRIPES->dictionary_encode(dictionaries[COL_T], &b, 1, &code, &error);
	encode(&called, &e);
	table = called_table(&e, &called);
	is_int((long long) values_give(table, kind, UINT32_MAX), 0, "one that came later");
	encode_end(&e);
	ok(given_agree(&native, &called, stripe), "as before");
	keep_nothing();
	STRIPES->free(stripe);
	dictionaries_free();
	is_int((long long) STRIPES->used(device), 0, "nothing is left");
}

int
device_stripe_called_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	STRIPES->limit(device, STRIPE_LIMIT);
	for (int kind = 0; kind < GIVEN_KINDS; kind++)
		test_given(kind);
	is_at_rest("no task has left memory behind");
	table_free();
	device_close();
	return done_testing();
}
