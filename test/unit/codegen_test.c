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
#include <stdio.h>
#include <unistd.h>

#include "codegen_expected.h"
#include "codegen_programs.h"
#include "codegen_rows.h"
#include "cuda/frame/frame.h"
#include "device/codegen/codegen.h"
#include "device/ops/group.h"
#include "device/ops/record.h"
#include "tap.h"

/* Fewer with sanitizers: what they look at is the same for all. */
#ifdef __SANITIZE_ADDRESS__
#define PROGRAMS 100
#else
#define PROGRAMS 1500
#endif

typedef void (*RunText)(uint32_t number, const GpuAggFrameArgs *args,
						const GpuAggStripeColumn *columns, uint32_t first, uint32_t nrows,
						CodegenRow *out, CodegenStates *states);

/* Of so many some have what is rare */
#define MANY_PROGRAMS 1000

static uint32_t nprograms;
static uint32_t nrecords;
static uint32_t nstates;
static char folder[] = "/tmp/gpuagg-codegen-XXXXXX";

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
		gpuagg_codegen_program(p, codegen_program_record(i, &record) ? &record : NULL,
							   codegen_packed(i), "Query", &code);
		fprintf(out, "namespace p%u {\n%s}\n", i, code.text);
		free(code.text);
		free(p);
	}
	fprintf(out, "static const CodegenRows texts[] = {\n");
	for (uint32_t i = 0; i < nprograms; i++)
	{
		GpuAggProgram *p = codegen_program_number(i);
		GpuAggRecord record;

		fprintf(out, "codegen_rows<p%u::Query, %s, %s>,\n", i,
				codegen_program_record(i, &record) ? "CODEGEN_RECORDS" :
					p->nkeys > 0				   ? "CODEGEN_KEYS" :
													 "CODEGEN_PLAIN",
				gpuagg_codegen_numbers(p) ? "true" : "false");
		free(p);
	}
	fprintf(out, "};\nextern \"C\" void\nrun_text(uint32_t number, const GpuAggFrameArgs *args, "
			"const GpuAggStripeColumn *columns, uint32_t first, uint32_t nrows, CodegenRow *out, "
			"CodegenStates *states)\n"
			"{\n\ttexts[number](*args, columns, first, nrows, out, states);\n}\n");
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
	snprintf(command, sizeof(command),
			 "%s -std=c++17 -O0 -w -fPIC -shared -ffp-contract=off -fwrapv -Isrc -I. -Itest/unit "
			 "-o %s/texts.so %s >&2",
			 cxx, folder, path);
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
	gpuagg_codegen_program(p, NULL, false, "Query", &code);
	free(code.text);
	a->program = p;
	a->seed = p->hash_seed;
	for (uint32_t i = 0; i < p->nkeys && gpuagg_codegen_numbers(p); i++)
	{
		const int64_t unit = codegen_key_unit(p, i);

		a->keys[i] = gpuagg_frame_key(CODEGEN_NUMBER_FIRST * unit, CODEGEN_NUMBER_LAST * unit, unit,
									  CODEGEN_NUMBER_STEP(i));
	}
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
	return memcmp(got, &want->i, 8) == 0 ||
		(f->cls == GPUAGG_CLASS_F64 && x != x && want->f != want->f);
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
record_same(const GpuAggProgram *p, const GpuAggRecord *record, const CodegenRow *got,
			const CodegenRow *want)
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

		if (codegen_st[r] == GPUAGG_ST_VALUE)
			same &= field_same(f, &codegen_reg[r], got->record + f->off);
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
row_same(const GpuAggProgram *p, const GpuAggRecord *record, const CodegenRow *got,
		 const CodegenRow *want)
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
			same &= is_f64(p, &t[i]) ? f64_same(got->values[i], want->values[i]) :
									   got->values[i] == want->values[i];
		if (want->enters[i] && t[i].op == GPUAGG_TRANS_COMOMENTS_F64)
			same &= f64_same(got->firsts[i], want->firsts[i]);
	}
	return same &&
		(p->nkeys == 0 ||
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
	const bool f64 = is_f64(p, t) && t->op != GPUAGG_TRANS_MIN_F64 && t->op != GPUAGG_TRANS_MAX_F64;
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
		same &= t->op >= GPUAGG_TRANS_MOMENTS_F64 ? moment_same(a, b) :
			f64									  ? f64_same(a, b) :
													a == b;
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
states_differ(const GpuAggProgram *p, uint32_t number, const CodegenStates *got,
			  const CodegenStates *want)
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
page_same(const GpuAggProgram *p, const GpuAggRecord *record, CodegenRow *got,
		  const CodegenRow *want)
{
	got->numbered = want->numbered;
	got->number = want->number;
	return row_same(p, record, got, want);
}

/* How many rows pass, how many differ */
static void
program_compare(RunText run_text, uint32_t number, uint32_t *passed, uint32_t *errors,
				uint32_t *different, uint32_t *states_different)
{
	GpuAggProgram *p = codegen_program_number(number);
	static GpuAggFrameArgs args;
	static CodegenRow got[CODEGEN_ROWS];
	static CodegenRow page_got[CODEGEN_ROWS];
	static CodegenStates held;
	static CodegenStates page_held;
	static CodegenStates wanted;
	GpuAggPageColumns pages;
	GpuAggRecord record;
	const GpuAggRecord *packed = codegen_program_record(number, &record) ? &record : NULL;

	codegen_stripe_make(p, number);
	args_make(p, &args);
	gpuagg_eval_constants(p, codegen_reg, codegen_st);
	memset(got, 0, sizeof(got));
	run_text(number, &args, codegen_columns, CODEGEN_FIRST, CODEGEN_ROWS, got, &held);
	memset(page_got, 0, sizeof(page_got));
	run_text(number, &args, codegen_pages_make(p, &pages), 0, CODEGEN_ROWS, page_got, &page_held);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_init(gpuagg_program_transitions(p)[i].op, wanted.one[i]);
	for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
	{
		CodegenRow	want;

		memset(&want, 0, sizeof(want));
		codegen_expect(p, r, &want, &wanted);
		*passed += want.passed;
		*errors += want.errors != 0;
		if (!row_same(p, packed, &got[r], &want) && ++*different < 10)
			printf(
				"# program %u row %u: passed %d/%d ready %d/%d errors %x/%x hash %d nulls %x/%x\n",
				number, r, got[r].passed, want.passed, got[r].ready, want.ready, got[r].errors,
				want.errors, got[r].hash == want.hash, got[r].nulls, want.nulls);
		if (!page_same(p, packed, &page_got[r], &want) && ++*different < 10)
			printf("# program %u row %u: of pages it differs\n", number, r);
	}
	*states_different += states_differ(p, number, &held, &wanted) +
		states_differ(p, number, &page_held, &wanted);
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
	ok(passed > nprograms * CODEGEN_ROWS / 4, "rows pass");
	ok(errors > nprograms, "... and some are errors");
	is_int(different, 0, "texts say of each what the interpreter does");
	ok(nrecords > nprograms, "records, too");
	ok(codegen_nmultiples > nprograms, "... numbers of values that are units apart");
	/* few programs may have none */
	ok(codegen_nbeyond > nprograms / 20 || nprograms < MANY_PROGRAMS,
	   "... and of values between them none");
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
		gpuagg_codegen_kernel(packed, NULL, false, GPUAGG_FRAME_DIRECT, &code[i]);
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

	for (uint32_t i = 0; i < 900; i++)
	{
		GpuAggProgram *p = codegen_program_number(i % 300);
		GpuAggConst *consts = (GpuAggConst *) ((char *) p + p->consts_off);
		/* of the same program plain columns, packed ones, and plain ones again, or all plain */
		const bool	packed = i % 3 == 0 && i / 300 == 1;
		GpuAggCodegen code[2];

		p->hash_seed += i / 300;
		for (uint32_t k = 0; k < p->nconsts; k++)
			if (gpuagg_program_classes(p)[p->ncolumns + k] == GPUAGG_CLASS_I64)
				consts[k].v.i += i / 300;
		gpuagg_codegen_kernel(p, NULL, packed, GPUAGG_FRAME_SINGLE, &code[0]);
		gpuagg_codegen_kernel_again(p, NULL, packed,
									i % 7 == 0 ? GPUAGG_FRAME_DENSE : GPUAGG_FRAME_SINGLE,
									&code[1]);
		same += (strcmp(code[0].text, code[1].text) == 0) == (i % 7 != 0) &&
			code[0].shared_bytes == code[1].shared_bytes &&
			memcmp(&code[0].args, &code[1].args, sizeof(code[0].args)) == 0;
		free(code[0].text);
		free(code[1].text);
		free(p);
	}
	is_int(same, 900, "texts that were written before are what is written anew");
	gpuagg_codegen_forget();
}

int
main(void)
{
	const char *n = getenv("GPUAGG_CODEGEN_PROGRAMS");
	RunText		run_text;

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
