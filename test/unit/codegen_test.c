/*
 * codegen_test.c
 *		Texts of programs (device/codegen/) mean what the interpreter does: many
 *		random ones are written to a file, compiled as C++ of the host, and compared
 *		with device/ops/eval.h row by row and bit by bit: what passes, keys and their
 *		hashes, what enters which state, errors that are consumed; and what states a
 *		thread holds of all rows, and two of them together.  All of it again over the
 *		same rows as decoded pages have them (cuda/columns/page_columns.h).  Some of the
 *		programs are those of rows that PostgreSQL evaluated, some select rows.
 *
 *		GPUAGG_CODEGEN_PROGRAMS		how many
 *		CXX							the compiler; without one there is no test
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "codegen_programs.h"
#include "codegen_row.h"
#include "cuda/columns/page_columns.h"
#include "cuda/frame/frame.h"
#include "device/choice/ranges.h"
#include "device/codegen/codegen.h"
#include "device/ops/group.h"
#include "device/ops/record.h"
#include "tap.h"

#define ROWS 64

/* Fewer with sanitizers: what they look at is the same for all. */
#ifdef __SANITIZE_ADDRESS__
#define PROGRAMS 100
#else
#define PROGRAMS 1500
#endif
#define MAX_COLUMNS (GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS)

/* Ranges of keys that number groups: many values lie outside */
#define NUMBER_FIRST (-100)		/* times the key's unit */
#define NUMBER_EXTENT 1000
#define NUMBER_STEP(i) (1 + 7919 * (i))
#define NSTRINGS 8

typedef void (*RunText) (uint32_t number, const GpuAggFrameArgs *args, const GpuAggStripeColumn *columns,
						 uint32_t nrows, CodegenRow *out, CodegenStates *states);

/* Of so many some have what is rare */
#define MANY_PROGRAMS 1000

static uint32_t nprograms;
static uint32_t nrecords;
static uint32_t nstates;
static char folder[] = "/tmp/gpuagg-codegen-XXXXXX";

/* ---------- a stripe ---------- */

static int64_t values[MAX_COLUMNS][ROWS];
static uint32_t nulls[MAX_COLUMNS][ROWS / 32];
static GpuAggStripeColumn columns[MAX_COLUMNS];
static GpuAggBytes strings[NSTRINGS];
static GpuAggBytes *const blocks[] = {strings};
static uint64_t random_state;

static uint64_t
random_next(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return random_state >> 20;
}

static int64_t
random_int(uint32_t type)
{
	static const int64_t edges[] = {0, 1, -1, 2, 7, 100, INT16_MAX, INT16_MIN, INT32_MAX, INT32_MIN,
	8000, 9131, -5000, INT64_MAX, INT64_MIN, 788918400000000};
	const int64_t v = random_next() % 3 > 0 ? edges[random_next() % 16] : (int64_t) (random_next() % 2000) - 1000;

	switch (type)
	{
		case GPUAGG_T_BOOL:
			return v & 1;
		case GPUAGG_T_INT2:
			return (int16_t) v;
		case GPUAGG_T_TEXT:
			return v & (NSTRINGS - 1);
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			return (int32_t) v;
		default:
			return v;
	}
}

static double
random_double(uint32_t type)
{
	static const double edges[] = {0, -0.0, 1.5, -2.25, 1e300, -1e300, 1e-300, INFINITY, -INFINITY, NAN, 3, 40000};
	const double v = random_next() % 2 ? edges[random_next() % 12] : (double) (random_next() % 1000) / 8;

	return type == GPUAGG_T_FLOAT4 ? (double) (float) v : v;
}

static void
stripe_make(const GpuAggProgram *p)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const uint32_t type = codegen_column_type(p, c);

		memset(&columns[c], 0, sizeof(columns[c]));
		columns[c].values = (char *) values[c];
		columns[c].nulls = nulls[c];
		columns[c].bytes = gpuagg_column_bytes(p, c);
		columns[c].strings = type == GPUAGG_T_TEXT ? blocks : NULL;
		for (uint32_t w = 0; w < ROWS / 32; w++)
			nulls[c][w] = (uint32_t) (random_next() & random_next() & random_next());
		for (uint32_t r = 0; r < ROWS; r++)
			if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
				((double *) values[c])[r] = random_double(type);
			else if (columns[c].bytes == 4)
				((int32_t *) values[c])[r] = (int32_t) random_int(type);
			else
				values[c][r] = random_int(type);
	}
}

/* ---------- pages ---------- */

/* A row's words, as the decoder leaves them: of a string, its address and length */
static void
page_words(uint32_t c, bool text, uint64_t *words)
{
	for (uint32_t r = 0; r < ROWS; r++)
		if (nulls[c][r / 32] >> (r % 32) & 1)
			words[text ? 2 * r : r] = UINT64_MAX;
		else if (text)
			memcpy(&words[2 * r], &strings[((uint32_t *) values[c])[r]], sizeof(GpuAggBytes));
		else if (columns[c].bytes == 4)
			words[r] = (uint64_t) ((int32_t *) values[c])[r];
		else
			words[r] = (uint64_t) values[c][r];
}

/* The rows of the stripe as pages, and these as columns, as kernels make them */
static const GpuAggStripeColumn *
pages_make(const GpuAggProgram *p, GpuAggPageColumns *l, uint64_t (*words)[2 * ROWS])
{
	uint64_t	at;

	gpuagg_page_columns_layout(p, ROWS, 0, l);
	l->memory = calloc(1, l->bytes);
	at = l->values;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const bool	text = gpuagg_program_classes(p)[c] == GPUAGG_CLASS_BYTES;
		uint32_t   *there = (uint32_t *) (l->memory + gpuagg_page_column_nulls(l, c));

		page_words(c, text, words[c]);
		gpuagg_page_column_open(l, c, at, words[c], text);
		for (uint32_t r = 0; r < ROWS; r++)
		{
			const uint32_t null = nulls[c][r / 32] >> (r % 32) & 1;

			there[r / 32] |= null << (r % 32);
			gpuagg_page_value_put(l->memory + at, gpuagg_page_column_bytes(l, c), r, null ? NULL : words[c], text);
		}
		at += gpuagg_page_values_bytes(l, c);
	}
	return (const GpuAggStripeColumn *) (l->memory + l->columns);
}

/* ---------- the interpreter ---------- */

static GpuAggValue reg[GPUAGG_MAX_REGS];
static uint8_t st[GPUAGG_MAX_REGS];

static void
row_load(const GpuAggProgram *p, uint32_t r)
{
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		st[c] = nulls[c][r / 32] >> (r % 32) & 1;
		memset(&reg[c], 0, sizeof(reg[c]));
		if (columns[c].strings != NULL)
			reg[c].b = st[c] ? reg[c].b : strings[((uint32_t *) values[c])[r]];
		else
			reg[c].i = columns[c].bytes == 4 ? ((int32_t *) values[c])[r] : values[c][r];
	}
}

/* As cuda/kernel/row.cuh has it */
static bool
consume(uint8_t state, uint32_t *errors)
{
	*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
	return state == GPUAGG_ST_VALUE;
}

static bool
row_enters(const GpuAggTransition *t, uint32_t *errors)
{
	if (t->filter != GPUAGG_NO_REG && (!consume(st[t->filter], errors) || reg[t->filter].i == 0))
		return false;
	if (t->arg == GPUAGG_NO_REG)
		return true;
	if (!consume(st[t->arg], errors))
		return false;
	if (!gpuagg_transition_squares(t->op) || !gpuagg_f64_needs_pg(reg[t->arg].f))
		return true;
	*errors |= GPUAGG_ST_NEEDS_PG;
	return false;
}

/* A sum that shares what is held with an average: its errors, too */
static bool
is_shared(const GpuAggProgram *p, uint32_t i)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	for (uint32_t o = 0; t[i].op == GPUAGG_TRANS_SUM_F64 && o < p->ntransitions; o++)
		if (t[o].op == GPUAGG_TRANS_SUM_F64_AVG && t[o].arg == t[i].arg && t[o].filter == t[i].filter)
			return true;
	return false;
}

static void
row_keys(const GpuAggProgram *p, CodegenRow *out)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint64_t	h = p->hash_seed;
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggValue *v = &reg[keys[i].reg];
		const bool	f64 = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_F64;
		const bool	bytes = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES;
		char	   *slot = out->entry + layout.key_off[i];

		if (st[keys[i].reg] != GPUAGG_ST_VALUE)
			out->nulls |= 1u << i;
		else if (f64)
			memcpy(slot, &v->f, sizeof(v->f));
		else if (bytes)
			gpuagg_key_store_bytes(keys[i].type, slot, v->b);
		else
			gpuagg_key_store_i64(keys[i].type, slot, v->i);
		h = gpuagg_hash_word(h, st[keys[i].reg] != GPUAGG_ST_VALUE ? GPUAGG_HASH_NULL :
							 f64 ? gpuagg_key_word_f64(v->f) :
							 bytes ? gpuagg_key_word_bytes(keys[i].type, v->b, p->hash_seed) : (uint64_t) v->i,
							 p->hash_seed);
	}
	out->hash = gpuagg_hash_finish(h);
	out->equal = true;
}

/* Values of keys that are units apart: those that have numbers, and others */
static uint32_t nmultiples, nbeyond;

static int64_t
key_unit(const GpuAggProgram *p, uint32_t key)
{
	const int64_t unit = gpuagg_range_unit(p, gpuagg_program_keys(p)[key].reg);

	return unit > 0 ? unit : 1;
}

/* The number of its group, by its values, or the codes that a column of strings has */
static void
row_number(const GpuAggProgram *p, uint32_t r, CodegenRow *out)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	out->numbered = true;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const uint16_t key = keys[i].reg;
		const int64_t unit = key_unit(p, i);
		const int64_t v = gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES ?
			((const int32_t *) values[key])[r] : reg[key].i;

		if (st[key] == GPUAGG_ST_VALUE)
		{
			out->number += ((uint32_t) (v / unit) - (uint32_t) NUMBER_FIRST + 1) * NUMBER_STEP(i);
			out->numbered &= v % unit == 0 && v / unit >= NUMBER_FIRST && v / unit < NUMBER_FIRST + NUMBER_EXTENT;
			nmultiples += unit > 1 && out->numbered;
			nbeyond += unit > 1 && !out->numbered;
		}
		if (!out->numbered)
			return;
	}
}

/* A value enters a state, as device/ops/group.h has it. */
static void
state_step(const GpuAggProgram *p, const GpuAggTransition *t, char *state)
{
	const GpuAggValue *v = t->arg != GPUAGG_NO_REG ? &reg[t->arg] : reg;

	if (gpuagg_transition_is_string(t->op))
	{
		if (gpuagg_state_prefers(t->op, state, v->b))
			gpuagg_string_slot_store(state, v->b);
	}
	else if (t->op == GPUAGG_TRANS_MOMENTS_F64)
		gpuagg_moments_step_shared((double *) state, v->f);
	else if (t->op == GPUAGG_TRANS_COMOMENTS_F64)
		gpuagg_comoments_step_shared((double *) state, reg[t[-1].arg].f, v->f);
	else if (t->op != GPUAGG_TRANS_COUNT && gpuagg_program_classes(p)[t->arg] == GPUAGG_CLASS_F64)
		gpuagg_state_step_f64(t->op, state, v->f);
	else
		gpuagg_state_step_i64(t->op, state, v->i);
}

static void
row_expect(const GpuAggProgram *p, uint32_t r, CodegenRow *out, CodegenStates *all)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint8_t		states = 0;

	row_load(p, r);
	gpuagg_eval(p, 0, p->ninstrs, reg, st);
	out->passed = p->filter_reg == GPUAGG_NO_REG ||
		(consume(st[p->filter_reg], &out->errors) && reg[p->filter_reg].i != 0);
	if (!out->passed)
		return;
	for (uint32_t i = 0; i < p->nkeys; i++)
		states |= st[keys[i].reg];
	(void) consume(states, &out->errors);
	out->ready = !GPUAGG_ST_IS_ERROR(states);
	if (!out->ready)
		return;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		out->enters[i] = row_enters(&t[i], &out->errors);
		if (out->enters[i] && is_shared(p, i))
			out->enters[i] = !gpuagg_f64_needs_pg(reg[t[i].arg].f);
		if (t[i].op == GPUAGG_TRANS_COMOMENTS_F64)
		{
			out->enters[i] &= out->enters[i - 1];
			out->firsts[i] = (uint64_t) reg[t[i - 1].arg].i;
		}
		if (!out->enters[i])
			continue;
		if (gpuagg_transition_is_string(t[i].op))
			out->values[i] = gpuagg_hash_bytes(reg[t[i].arg].b.data, reg[t[i].arg].b.len, CODEGEN_STRING_SEED);
		else if (t[i].op != GPUAGG_TRANS_COUNT)
			out->values[i] = (uint64_t) reg[t[i].arg].i;
		state_step(p, &t[i], all->one[i]);
	}
	if (p->nkeys > 0)
		row_keys(p, out);
	if (gpuagg_codegen_numbers(p))
		row_number(p, r, out);
}

/* ---------- texts ---------- */

/* One file with all texts, each in a namespace, and what runs one of them */
static bool
texts_write(const char *path)
{
	FILE	   *out = fopen(path, "w");
	bool		good = out != NULL;

	if (!good)
		return false;
	fprintf(out, "#include \"test/unit/codegen_shim.h\"\n");
	for (uint32_t i = 0; i < nprograms; i++)
	{
		GpuAggProgram *p = codegen_program_number(i);
		const char *reason;
		GpuAggRecord record;
		GpuAggCodegen code;

		good &= gpuagg_codegen_takes(p, &reason);
		gpuagg_codegen_program(p, codegen_program_record(i, &record) ? &record : NULL, "Query", &code);
		fprintf(out, "namespace p%u {\n%s}\n", i, code.text);
		free(code.text);
		free(p);
	}
	fprintf(out, "static const CodegenRows texts[] = {\n");
	for (uint32_t i = 0; i < nprograms; i++)
	{
		GpuAggProgram *p = codegen_program_number(i);
		GpuAggRecord record;

		fprintf(out, "codegen_rows<p%u::Query, %s, %s>,\n", i, codegen_program_record(i, &record) ? "CODEGEN_RECORDS" :
				p->nkeys > 0 ? "CODEGEN_KEYS" : "CODEGEN_PLAIN", gpuagg_codegen_numbers(p) ? "true" : "false");
		free(p);
	}
	fprintf(out, "};\nextern \"C\" void\nrun_text(uint32_t number, const GpuAggFrameArgs *args, "
			"const GpuAggStripeColumn *columns, uint32_t nrows, CodegenRow *out, CodegenStates *states)\n"
			"{\n\ttexts[number](*args, columns, nrows, out, states);\n}\n");
	return fclose(out) == 0 && good;
}

static RunText
texts_compile(void)
{
	const char *cxx = getenv("CXX") != NULL ? getenv("CXX") : "c++";
	char		path[64];
	char		command[512];
	void	   *library;

	snprintf(path, sizeof(path), "%s/texts.cpp", folder);
	if (!texts_write(path))
		return NULL;
	snprintf(command, sizeof(command), "%s -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -fwrapv -Isrc -I. -Itest/unit "
			 "-o %s/texts.so %s >&2", cxx, folder, path);
	if (system(command) != 0)
		return NULL;
	snprintf(path, sizeof(path), "%s/texts.so", folder);
	library = dlopen(path, RTLD_NOW);
	return library != NULL ? (RunText) dlsym(library, "run_text") : NULL;
}

static void
texts_remove(void)
{
	char		path[64];

	snprintf(path, sizeof(path), "%s/texts.cpp", folder);
	(void) unlink(path);
	snprintf(path, sizeof(path), "%s/texts.so", folder);
	(void) unlink(path);
	(void) rmdir(folder);
}

/* What a launch would be given of the program's constants */
static void
args_make(const GpuAggProgram *p, GpuAggFrameArgs *a)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	GpuAggCodegen code;

	memset(a, 0, sizeof(*a));
	gpuagg_codegen_program(p, NULL, "Query", &code);
	free(code.text);
	a->program = p;
	a->seed = p->hash_seed;
	for (uint32_t i = 0; i < p->nkeys && gpuagg_codegen_numbers(p); i++)
		a->keys[i] = gpuagg_frame_key(NUMBER_FIRST * key_unit(p, i), (NUMBER_FIRST + NUMBER_EXTENT - 1) * key_unit(p, i),
									  key_unit(p, i), NUMBER_STEP(i));
	gpuagg_frame_tables(p, &code.args, (const char *) p, NULL, a);
	for (uint32_t i = 0; i < code.args.nconsts; i++)
	{
		const GpuAggConst *c = &consts[code.args.consts[i] - p->ncolumns];

		if (gpuagg_program_classes(p)[code.args.consts[i]] == GPUAGG_CLASS_BYTES)
			a->consts[i].b = gpuagg_const_bytes(p, c);
		else
			a->consts[i].i = c->v.i;
	}
	for (uint32_t i = 0; i < code.args.nlists; i++)
	{
		const GpuAggInstr *ins = &gpuagg_program_instrs(p)[code.args.lists[i]];

		a->lists[i].members = consts + ins->imm;
		a->lists[i].n = ins->imm2;
	}
}

/* ---------- the tests ---------- */

static bool
field_same(const GpuAggRecordField *f, const GpuAggValue *want, const char *got)
{
	double		x;

	if (f->bytes == 4)
		return memcmp(got, &(int32_t) {(int32_t) want->i}, 4) == 0;
	memcpy(&x, got, sizeof(x));
	return memcmp(got, &want->i, 8) == 0 || (f->cls == GPUAGG_CLASS_F64 && x != x && want->f != want->f);
}

/* The register that a field is of, and whether it is a key */
static uint16_t
field_reg(const GpuAggProgram *p, const GpuAggRecord *record, uint32_t field, bool *key)
{
	uint32_t	t = 0;

	*key = true;
	for (uint32_t k = 0; k < p->nkeys; k++)
		if (record->key_field[k] == field)
			return gpuagg_program_keys(p)[k].reg;
	*key = false;
	while (record->arg_field[t] != field)
		t++;
	return gpuagg_program_transitions(p)[t].arg;
}

/*
 * Is it the record that the interpreter packs of the row in the registers?  What
 * fields of NULLs hold matters for keys alone, where it is 0.
 */
static bool
record_same(const GpuAggProgram *p, const GpuAggRecord *record, const CodegenRow *got, const CodegenRow *want)
{
	static const char zeros[8];
	uint32_t	head = want->nulls;
	bool		same = true;

	nrecords++;
	for (uint32_t t = 0; t < p->ntransitions; t++)
		head |= (uint32_t) !want->enters[t] << (p->nkeys + t);
	if (record->has_head)
		same = memcmp(got->record, &head, sizeof(head)) == 0;
	for (uint32_t i = 0; i < record->nfields; i++)
	{
		const GpuAggRecordField *f = &record->fields[i];
		bool		key;
		const uint16_t r = field_reg(p, record, i, &key);

		if (st[r] == GPUAGG_ST_VALUE)
			same &= field_same(f, &reg[r], got->record + f->off);
		else if (key)
			same &= memcmp(got->record + f->off, zeros, f->bytes) == 0;
	}
	return same;
}

/* Doubles are bits, but for those of NaNs: their signs and payloads nobody sees. */
static bool
f64_same(uint64_t a, uint64_t b)
{
	double		x;
	double		y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return a == b || (x != x && y != y);
}

static bool
is_f64(const GpuAggProgram *p, const GpuAggTransition *t)
{
	return t->arg != GPUAGG_NO_REG && t->op != GPUAGG_TRANS_COUNT &&
		gpuagg_program_classes(p)[t->arg] == GPUAGG_CLASS_F64;
}

/* record: NULL, or what its rows become */
static bool
row_same(const GpuAggProgram *p, const GpuAggRecord *record, const CodegenRow *got, const CodegenRow *want)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	bool		same = got->passed == want->passed && got->ready == want->ready &&
		got->errors == want->errors;

	if (!same || !want->ready)
		return same;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		same &= got->enters[i] == want->enters[i];
		if (want->enters[i])
			same &= is_f64(p, &t[i]) ? f64_same(got->values[i], want->values[i]) : got->values[i] == want->values[i];
		if (want->enters[i] && t[i].op == GPUAGG_TRANS_COMOMENTS_F64)
			same &= f64_same(got->firsts[i], want->firsts[i]);
	}
	return same && (p->nkeys == 0 ||
					(got->nulls == want->nulls && got->hash == want->hash && got->equal &&
					 got->numbered == want->numbered && (!want->numbered || got->number == want->number) &&
					 (record == NULL || record_same(p, record, got, want))));
}

/*
 * Moments that are infinite or NaN are PostgreSQL's to judge, whichever they are.  Which
 * depends on merging: what a thread holds is moved to the shift of the group's row, also
 * where that is the same, and 0 times a sum that is infinite or NaN makes a NaN of an
 * infinite sum of squares, to which rows one by one only add (gpuagg_moments_moved()).
 * A sum of squares is never finite where its sum is not.
 */
static bool
moment_same(uint64_t a, uint64_t b)
{
	double		x;
	double		y;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	return f64_same(a, b) || (!isfinite(x) && !isfinite(y));
}

/* Strings by what they are, char(n) but for blanks; numbers by their bits */
static bool
state_same(const GpuAggProgram *p, const GpuAggTransition *t, const char *got, const char *want)
{
	const bool	f64 = is_f64(p, t) && t->op != GPUAGG_TRANS_MIN_F64 && t->op != GPUAGG_TRANS_MAX_F64;
	bool		same = true;

	if (gpuagg_transition_is_string(t->op))
		return memcmp(got, want, sizeof(uint32_t)) == 0 &&
			(gpuagg_string_slot_bytes(got).len == GPUAGG_STRING_NONE ||
			 gpuagg_key_slots_equal(GPUAGG_T_TEXT, got, want));
	for (uint32_t at = 0; at < gpuagg_transition_bytes(t->op); at += 8)
	{
		uint64_t	a;
		uint64_t	b;

		memcpy(&a, got + at, sizeof(a));
		memcpy(&b, want + at, sizeof(b));
		same &= t->op >= GPUAGG_TRANS_MOMENTS_F64 ? moment_same(a, b) : f64 ? f64_same(a, b) : a == b;
	}
	return same;
}

/* Of two threads' sums of doubles the order differs, and of char(n) which blanks are kept. */
static bool
joins_exactly(const GpuAggProgram *p, const GpuAggTransition *t)
{
	return t->op != GPUAGG_TRANS_MIN_BPCHAR && t->op != GPUAGG_TRANS_MAX_BPCHAR &&
		(!is_f64(p, t) || t->op == GPUAGG_TRANS_MIN_F64 || t->op == GPUAGG_TRANS_MAX_F64);
}

static uint32_t
states_differ(const GpuAggProgram *p, uint32_t number, const CodegenStates *got, const CodegenStates *want)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint32_t	n = 0;
	uint32_t	different = 0;

	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (gpuagg_transition_bytes(t[i].op) == 0)
			continue;
		if (!state_same(p, &t[i], got->one[n], want->one[i]) ||
			(joins_exactly(p, &t[i]) && !state_same(p, &t[i], got->joined[n], want->one[i])))
		{
			different++;
			printf("# program %u state %u: transition %u\n", number, i, t[i].op);
		}
		n++;
		nstates++;
	}
	return different;
}

/* Codes of strings are others where rows are of pages, and number no groups there. */
static bool
page_same(const GpuAggProgram *p, const GpuAggRecord *record, CodegenRow *got, const CodegenRow *want)
{
	got->numbered = want->numbered;
	got->number = want->number;
	return row_same(p, record, got, want);
}

/* How many rows pass, how many differ */
static void
program_compare(RunText run_text, uint32_t number, uint32_t *passed, uint32_t *errors, uint32_t *different,
				uint32_t *states_different)
{
	GpuAggProgram *p = codegen_program_number(number);
	static GpuAggFrameArgs args;
	static CodegenRow got[ROWS];
	static CodegenRow page_got[ROWS];
	static CodegenStates held;
	static CodegenStates page_held;
	static CodegenStates wanted;
	static uint64_t words[MAX_COLUMNS][2 * ROWS];
	GpuAggPageColumns pages;
	GpuAggRecord record;
	const GpuAggRecord *packed = codegen_program_record(number, &record) ? &record : NULL;

	random_state = number;
	stripe_make(p);
	args_make(p, &args);
	gpuagg_eval_constants(p, reg, st);
	memset(got, 0, sizeof(got));
	run_text(number, &args, columns, ROWS, got, &held);
	memset(page_got, 0, sizeof(page_got));
	run_text(number, &args, pages_make(p, &pages, words), ROWS, page_got, &page_held);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_init(gpuagg_program_transitions(p)[i].op, wanted.one[i]);
	for (uint32_t r = 0; r < ROWS; r++)
	{
		CodegenRow	want;

		memset(&want, 0, sizeof(want));
		row_expect(p, r, &want, &wanted);
		*passed += want.passed;
		*errors += want.errors != 0;
		if (!row_same(p, packed, &got[r], &want) && ++*different < 10)
			printf("# program %u row %u: passed %d/%d ready %d/%d errors %x/%x hash %d nulls %x/%x\n", number, r,
				   got[r].passed, want.passed, got[r].ready, want.ready, got[r].errors, want.errors,
				   got[r].hash == want.hash, got[r].nulls, want.nulls);
		if (!page_same(p, packed, &page_got[r], &want) && ++*different < 10)
			printf("# program %u row %u: of pages it differs\n", number, r);
	}
	*states_different += states_differ(p, number, &held, &wanted) + states_differ(p, number, &page_held, &wanted);
	free(pages.memory);
	free(p);
}

static void
test_meaning(RunText run_text)
{
	uint32_t	passed = 0;
	uint32_t	errors = 0;
	uint32_t	different = 0;
	uint32_t	states = 0;

	for (uint32_t i = 0; i < nprograms; i++)
		program_compare(run_text, i, &passed, &errors, &different, &states);
	ok(passed > nprograms * ROWS / 4, "rows pass");
	ok(errors > nprograms, "... and some are errors");
	is_int(different, 0, "texts say of each what the interpreter does");
	ok(nrecords > nprograms, "records, too");
	ok(nmultiples > nprograms, "... numbers of values that are units apart");
	/* few programs may have none */
	ok(nbeyond > nprograms / 20 || nprograms < MANY_PROGRAMS, "... and of values between them none");
	is_int(states, 0, "what threads hold of rows is their groups' states");
	ok(nstates > nprograms, "... of many");
}

/* Literals are no part of a text, nor is how registers are numbered. */
static void
test_shapes(void)
{
	TestProgram p[2];
	GpuAggCodegen code[2];

	for (int i = 0; i < 2; i++)
	{
		GpuAggProgram *packed;
		uint16_t	c;

		program_init(&p[i]);
		program_attr(&p[i], GPUAGG_T_INT4, true);
		for (int n = 0; n < i; n++)
			program_const_i64(&p[i], GPUAGG_T_INT4, 99);
		c = program_const_i64(&p[i], GPUAGG_T_INT4, 10 + i);
		program_filter(&p[i], program_instr(&p[i], GPUAGG_OP_I64_LT, GPUAGG_CLASS_I64, 0, c));
		program_key(&p[i], 0, GPUAGG_T_INT4);
		program_trans(&p[i], GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_NO_REG, GPUAGG_T_INT4);
		packed = program_pack(&p[i]);
		gpuagg_codegen_kernel(packed, NULL, GPUAGG_FRAME_DIRECT, &code[i]);
		free(packed);
	}
	ok(strcmp(code[0].text, code[1].text) == 0, "equal shapes have equal texts");
	is_int(code[1].args.consts[0], 2, "... whose arguments are found where they lie");
	free(code[0].text);
	free(code[1].text);
}

/* What is told again is what would be written, also where only literals and seeds differ. */
static void
test_again(void)
{
	uint32_t	same = 0;

	for (uint32_t i = 0; i < 600; i++)
	{
		GpuAggProgram *p = codegen_program_number(i % 300);
		GpuAggConst *consts = (GpuAggConst *) ((char *) p + p->consts_off);
		GpuAggCodegen code[2];

		p->hash_seed += i / 300;
		for (uint32_t k = 0; k < p->nconsts; k++)
			if (gpuagg_program_classes(p)[p->ncolumns + k] == GPUAGG_CLASS_I64)
				consts[k].v.i += i / 300;
		gpuagg_codegen_kernel(p, NULL, GPUAGG_FRAME_SINGLE, &code[0]);
		gpuagg_codegen_kernel_again(p, NULL, i % 7 == 0 ? GPUAGG_FRAME_DENSE : GPUAGG_FRAME_SINGLE, &code[1]);
		same += (strcmp(code[0].text, code[1].text) == 0) == (i % 7 != 0) && code[0].shared_bytes == code[1].shared_bytes &&
			memcmp(&code[0].args, &code[1].args, sizeof(code[0].args)) == 0;
		free(code[0].text);
		free(code[1].text);
		free(p);
	}
	is_int(same, 600, "texts that were written before are what is written anew");
	gpuagg_codegen_forget();
}

int
main(void)
{
	const char *n = getenv("GPUAGG_CODEGEN_PROGRAMS");
	RunText		run_text;

	for (uint32_t i = 0; i < NSTRINGS; i++)
	{
		static const char *const texts[] = {"", "a", "ab", "abc", "b", "x  ", "é", "\xff"};

		strings[i].data = texts[i];
		strings[i].len = strlen(texts[i]);
	}
	nprograms = n != NULL ? (uint32_t) atoi(n) : PROGRAMS;
	test_shapes();
	test_again();
	if (mkdtemp(folder) == NULL || access("src/device/ops/eval.h", R_OK) != 0 ||
		system("${CXX:-c++} --version >/dev/null 2>&1") != 0)
	{
		printf("# no C++ compiler, or not in the top directory: texts are not run\n");
		return done_testing();
	}
	run_text = texts_compile();
	ok(run_text != NULL, "texts of many programs compile");
	if (run_text != NULL)
		test_meaning(run_text);
	texts_remove();
	return done_testing();
}
