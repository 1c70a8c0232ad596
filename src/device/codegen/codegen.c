/*
 * codegen.c
 *		A kernel's text: what a frame asks of a program, as members of a structure.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/choice/ranges.h"
#include "device/ops/instr.h"
#include "device/ops/record.h"
#include "device/ops/value_set.h"
#include "states.h"

/* Instructions, and those that are much code, beyond which rows are a loop */
#define LONG_INSTRS 24
#define LONG_OPERATOR 16

/* ---------- members of the structure ---------- */

static const char *
value_type(const GpuAggProgram *p, uint16_t reg)
{
	static const char *const types[] = {"int64_t", "double", "GpuAggBytes"};

	return types[gpuagg_program_classes(p)[reg]];
}

/* A structure of the columns that stages from first to last load */
static void
add_struct(GpuAggWriter *w, const char *what, uint32_t first, uint32_t last)
{
	gpuagg_write(w, "\tstruct %s\n\t{\n", what);
	for (uint32_t c = 0; c < w->program->ncolumns; c++)
		if (w->stages.first[c] >= first && w->stages.first[c] <= last)
			gpuagg_write(w, "\t\tGPUAGG_QUAD_OF(%s, %u)\n", gpuagg_write_quad(w, c), c);
	gpuagg_write(w, "\t};\n");
}

static void
add_each(GpuAggWriter *w, const char *what, uint32_t stage)
{
	for (uint32_t c = 0; c < w->program->ncolumns; c++)
		if (w->stages.first[c] == stage)
			gpuagg_write(w, "\t\t%s(%u)\n", what, c);
}

/* The function that loads a stage's; tag: what tells it from those of other stages */
static void
add_load(GpuAggWriter *w, const char *function, const char *what, const char *tag, uint32_t stage)
{
	gpuagg_write(w, "\tGPUAGG_FN void\n\t%s(const Columns &k, uint32_t at, %s &q%s)\n\t{\n",
				 function, what, tag);
	add_each(w, "GPUAGG_LOAD", stage);
	if (stage > 0)
		add_each(w, "GPUAGG_UNPACK", stage);
	gpuagg_write(w, "\t}\n");
}

/* What was loaded ahead, which columns of the first stage are */
static void
add_unpack(GpuAggWriter *w)
{
	gpuagg_write(w, "\tGPUAGG_FN void\n\tunpack(const Columns &k, uint32_t at, Early &q)\n\t{\n");
	add_each(w, "GPUAGG_UNPACK", 0);
	gpuagg_write(w, "\t}\n");
}

static void
add_columns(GpuAggWriter *w)
{
	const uint32_t n = w->stages.n;
	char		tag[32];

	add_struct(w, "Early", 0, 0);
	add_load(w, "early", "Early", "", 0);
	add_unpack(w);
	add_struct(w, "More", 1, n - 1);
	for (uint32_t s = 1; s < n; s++)
	{
		snprintf(tag, sizeof(tag), ", FrameStage<%u>", s);
		add_load(w, "more", "More", tag, s);
	}
	add_struct(w, "Late", n, n);
	add_load(w, "late", "Late", "", n);
}

/* Rows that were looked up, of four rows */
static void
add_found(GpuAggWriter *w)
{
	gpuagg_write(w, "\tstruct Found\n\t{\n");
	for (uint32_t r = w->program->ncolumns; r < w->program->nregs; r++)
		if (w->stages.kept[r])
			gpuagg_write(w, "\t\tGPUAGG_FOUND(%u)\n", gpuagg_write_number(w, (uint16_t) r));
	gpuagg_write(w, "\t};\n");
}

static void
add_open(GpuAggWriter *w)
{
	const GpuAggProgram *p = w->program;

	gpuagg_write(w, "\tstruct Columns\n\t{\n");
	for (uint32_t c = 0; c < p->ncolumns; c++)
		if (w->stages.first[c] != GPUAGG_STAGE_NONE)
			gpuagg_write(w, "\t\tGPUAGG_COLUMN%s(%s, %u)\n",
						 gpuagg_write_is_text(w, c) ? "_TEXT" : "",
						 w->packed ? "FrameMiniblock" : "FramePlain", c);
	gpuagg_write(
		w, "\t};\n\tGPUAGG_FN void\n\topen(const GpuAggStripeColumn *columns, uint32_t first, Columns &k)\n\t{\n");
	for (uint32_t c = 0; c < p->ncolumns; c++)
		if (w->stages.first[c] != GPUAGG_STAGE_NONE)
			gpuagg_write(w, "\t\tGPUAGG_OPEN%s(%u)\n", gpuagg_write_is_text(w, c) ? "_TEXT" : "",
						 c);
	gpuagg_write(w, "\t}\n");
}

/* Whether a row is left behind a stage, and what it has looked up for later ones */
static void
add_stage(GpuAggWriter *w, uint32_t stage)
{
	const uint16_t reg = w->stages.reg[stage];

	gpuagg_write(w, "\tGPUAGG_FN bool\n\tpasses(const GpuAggFrameArgs &a, const Columns &k, const Early &q, "
				 "const More &m, Found &found, uint32_t r, uint32_t *nulls, uint32_t *errors, FrameStage<%u>)\n\t{\n",
				 stage);
	if (reg == GPUAGG_NO_REG)
	{
		gpuagg_write(w, "\t\treturn true;\n\t}\n");
		return;
	}
	gpuagg_write_begin(w, stage);
	gpuagg_write_register(w, reg);
	for (uint32_t r = w->program->ncolumns; r < w->program->nregs; r++)
		if (w->stages.kept[r] && w->stages.first[r] == stage)
			gpuagg_write(w, "\t\tGPUAGG_KEEP(%u)\n", gpuagg_write_number(w, (uint16_t) r));
	if (stage + 1 < w->stages.n)
		gpuagg_write(w, "\t\treturn frame_is_left(v%u, s%u, r, nulls, errors);\n\t}\n",
					 gpuagg_write_number(w, reg), gpuagg_write_number(w, reg));
	else
		gpuagg_write(w, "\t\treturn frame_passes(v%u, s%u, errors);\n\t}\n",
					 gpuagg_write_number(w, reg), gpuagg_write_number(w, reg));
}

static void
add_passes(GpuAggWriter *w)
{
	for (uint32_t s = 0; s < w->stages.n; s++)
		add_stage(w, s);
}

/* Does a row enter what is held, and with which value? */
static void
add_held(GpuAggWriter *w, const GpuAggHeld *h, uint32_t i)
{
	gpuagg_write(w, "\t\trow.e%u = true;\n", i);
	if (h->filter != GPUAGG_NO_REG)
	{
		gpuagg_write_register(w, h->filter);
		gpuagg_write(w, "\t\trow.e%u = frame_passes(v%u, s%u, errors);\n", i,
					 gpuagg_write_number(w, h->filter), gpuagg_write_number(w, h->filter));
	}
	if (h->arg == GPUAGG_NO_REG)
		return;
	gpuagg_write_register(w, h->arg);
	gpuagg_write(w, "\t\trow.e%u = row.e%u && frame_consume(s%u, errors);\n", i, i,
				 gpuagg_write_number(w, h->arg));
	if (h->averaged)
		gpuagg_write(w, "\t\trow.e%u = row.e%u && frame_averages(v%u, errors);\n", i, i,
					 gpuagg_write_number(w, h->arg));
	if (gpuagg_transition_is_string(h->op))
		gpuagg_write(w, "\t\trow.e%u = row.e%u && frame_holds(v%u, errors);\n", i, i,
					 gpuagg_write_number(w, h->arg));
	if (h->first != GPUAGG_NO_FIRST)
		gpuagg_write(w, "\t\trow.e%u = row.e%u && row.e%u;\n", i, i, h->first);
	if (h->op != GPUAGG_TRANS_COUNT)
		gpuagg_write(w, "\t\trow.a%u = v%u;\n", i, gpuagg_write_number(w, h->arg));
}

/* Is it a row that no count of the group's has counted? */
static void
add_bare(GpuAggWriter *w, const GpuAggHeldStates *s)
{
	gpuagg_write(w, "\tGPUAGG_FN bool\n\tbare(const Row &row)\n\t{\n");
	if (s->bare < s->n)
		gpuagg_write(w, "\t\treturn row.e%u;\n\t}\n", s->bare);
	else
		gpuagg_write(w, "\t\treturn false;\n\t}\n");
}

/* Keys and arguments; false: a key is an error. */
static void
add_row(GpuAggWriter *w, const GpuAggHeldStates *s)
{
	const GpuAggProgram *p = w->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);

	gpuagg_write(w, "\tstruct Row\n\t{\n");
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		gpuagg_write(w, "\t\t%s k%u; bool z%u;\n", value_type(p, keys[i].reg), i, i);
		if (gpuagg_key_is_coded(p, &keys[i]))
			gpuagg_write(w, "\t\tuint32_t n%u;\n", i);
		if (gpuagg_range_cut(p, keys[i].reg) != NULL)
			gpuagg_write(w, "\t\tint64_t c%u;\n", i);
	}
	for (uint32_t i = 0; i < s->n; i++)
	{
		gpuagg_write(w, "\t\tbool e%u;\n", i);
		if (s->held[i].op != GPUAGG_TRANS_COUNT)
			gpuagg_write(w, "\t\t%s a%u;\n", value_type(p, s->held[i].arg), i);
	}
	gpuagg_write(w, "\t};\n\tGPUAGG_FN bool\n\trow(const GpuAggFrameArgs &a, const Columns &k, const Early &q, "
				 "const More &m, const Found &found, const Late &l, uint32_t r, Row &row, uint32_t *errors)\n\t{\n");
	gpuagg_write_begin(w, w->stages.n);
	for (uint32_t i = 0; i < p->nkeys; i++)
		gpuagg_write_register(w, keys[i].reg);
	if (p->nkeys > 0)
	{
		gpuagg_write(w, "\t\tconst uint8_t state = 0");
		for (uint32_t i = 0; i < p->nkeys; i++)
			gpuagg_write(w, " | s%u", gpuagg_write_number(w, keys[i].reg));
		gpuagg_write(w, ";\n\t\t(void) frame_consume(state, errors);\n"
					 "\t\tif (GPUAGG_ST_IS_ERROR(state))\n\t\t\treturn false;\n");
	}
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggInstr *cut = gpuagg_range_cut(p, keys[i].reg);

		gpuagg_write(w, "\t\trow.k%u = v%u; row.z%u = s%u != GPUAGG_ST_VALUE;\n", i,
					 gpuagg_write_number(w, keys[i].reg), i, gpuagg_write_number(w, keys[i].reg));
		if (gpuagg_key_is_coded(p, &keys[i]))
			gpuagg_write(w, "\t\trow.n%u = GPUAGG_CODE(%u, %s);\n", i, keys[i].reg,
						 gpuagg_write_loaded(w, keys[i].reg));
		if (cut != NULL)
		{
			gpuagg_write_register(w, cut->a);
			gpuagg_write(w, "\t\trow.c%u = v%u;\n", i, gpuagg_write_number(w, cut->a));
		}
	}
	for (uint32_t i = 0; i < s->n; i++)
		if (i != s->bare)
			add_held(w, &s->held[i], i);
	if (s->bare < s->n && s->counted != s->bare)
		gpuagg_write(w, "\t\trow.e%u = !row.e%u;\n", s->bare, s->counted);
	else if (s->bare < s->n)
		gpuagg_write(w, "\t\trow.e%u = true;\n", s->bare);
	gpuagg_write(w, "\t\treturn true;\n\t}\n");
	if (p->nkeys > 0)
		add_bare(w, s);
}

/* ---------- keys ---------- */

/* One line of a function over keys, for each of them, by what they are; NULL: none */
typedef struct KeyLines
{
	const char *integer;
	const char *real;
	const char *bytes;
	const char *apart;			/* NULL, or of integers that are a unit apart (choice/ranges.h) */
	const char *cut;			/* NULL, or of moments that are cut */
} KeyLines;

static void
add_for_keys(GpuAggWriter *w, const char *head, const KeyLines *lines, const char *tail)
{
	const GpuAggKey *keys = gpuagg_program_keys(w->program);
	GpuAggLayout layout;

	gpuagg_layout_compute(w->program, &layout);
	gpuagg_write(w, "%s", head);
	for (uint32_t i = 0; i < w->program->nkeys; i++)
	{
		const GpuAggInstr *cut = lines->cut == NULL ? NULL :
			gpuagg_range_cut(w->program, keys[i].reg);
		const bool	apart = lines->apart != NULL && gpuagg_range_unit(w->program, keys[i].reg) > 0;
		const char *line = cut != NULL ? lines->cut : gpuagg_key_is_integer(&keys[i]) ?
			(apart ? lines->apart : lines->integer) :
			gpuagg_key_is_bytes(&keys[i]) ? lines->bytes :
											lines->real;
		const char *type = !gpuagg_key_is_integer(&keys[i]) ? "double" :
			gpuagg_type_slot_bytes(keys[i].type) == 4 ? "int32_t" : "int64_t";

		/* a format must not leave out an argument before its last */
		if (cut != NULL)
			gpuagg_write(w, line, i, (long long) gpuagg_cut_unit(cut));
		else if (line != NULL && gpuagg_key_is_bytes(&keys[i]))
			gpuagg_write(w, line, i, keys[i].type, layout.key_off[i]);
		else if (line != NULL)
			gpuagg_write(w, line, i, layout.key_off[i], type);
	}
	gpuagg_write(w, "%s", tail);
}

/* Slots of strings that are not the row's own, which Keys::own() copies */
static void
add_own(GpuAggWriter *w)
{
	const GpuAggKey *keys = gpuagg_program_keys(w->program);
	GpuAggLayout layout;

	gpuagg_layout_compute(w->program, &layout);
	gpuagg_write(w, "\ttemplate <typename Keys> static GPUAGG_HD bool\n\town(const Keys &keys, const Row &row, char *entry)\n"
				 "\t{\n\t\treturn true");
	for (uint32_t i = 0; i < w->program->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			gpuagg_write(w, " && (row.z%u || keys.own(entry + %u, row.k%u))", i, layout.key_off[i],
						 i);
	gpuagg_write(w, ";\n\t}\n");
}

static void
add_keys(GpuAggWriter *w)
{
	static const KeyLines nulls = {
		" | (uint32_t) row.z%1$u << %1$u", " | (uint32_t) row.z%1$u << %1$u", " | (uint32_t) row.z%1$u << %1$u", NULL, NULL
	};
	static const KeyLines hash = {
		"\t\th = gpuagg_hash_word(h, row.z%1$u ? GPUAGG_HASH_NULL : frame_key_word(row.k%1$u), seed);\n",
		"\t\th = gpuagg_hash_word(h, row.z%1$u ? GPUAGG_HASH_NULL : frame_key_word(row.k%1$u), seed);\n",
		"\t\th = gpuagg_hash_word(h, row.z%1$u ? GPUAGG_HASH_NULL : gpuagg_key_word_bytes(%2$u, row.k%1$u, seed), seed);\n", NULL, NULL
	};
	static const KeyLines equal = {
		" &&\n\t\t\t(row.z%1$u || *(const %3$s *) (entry + %2$u) == (%3$s) row.k%1$u)",
		" &&\n\t\t\t(row.z%1$u || frame_key_word(*(const %3$s *) (entry + %2$u)) == frame_key_word(row.k%1$u))",
		" &&\n\t\t\t(row.z%1$u || frame_key_equal(%2$u, entry + %3$u, row.k%1$u))", NULL, NULL
	};
	static const KeyLines store = {
		"\t\t*(%3$s *) (entry + %2$u) = row.z%1$u ? 0 : (%3$s) row.k%1$u;\n",
		"\t\t*(%3$s *) (entry + %2$u) = row.z%1$u ? 0 : (%3$s) row.k%1$u;\n",
		"\t\tframe_key_store(%2$u, entry + %3$u, row.k%1$u, row.z%1$u);\n", NULL, NULL
	};
	static const KeyLines number = {
		" &&\n\t\t\tframe_number(a.keys[%1$u], row.k%1$u, row.z%1$u, n)", NULL,
		" &&\n\t\t\tframe_number(a.keys[%1$u], (int64_t) row.n%1$u, row.z%1$u, n)",
		" &&\n\t\t\tframe_number_apart(a.keys[%1$u], row.k%1$u, row.z%1$u, n)",
		" &&\n\t\t\tframe_number_cut(a.keys[%1$u], row.c%1$u, row.z%1$u, INT64_C(%2$lld), n)"
	};

	add_for_keys(w, "\tGPUAGG_FN uint32_t\n\tnulls(const Row &row)\n\t{\n\t\treturn 0", &nulls, ";\n\t}\n");
	add_for_keys(w, "\tGPUAGG_FN uint64_t\n\thash(const Row &row, uint64_t seed)\n\t{\n\t\tuint64_t h = seed;\n", &hash,
				 "\t\treturn gpuagg_hash_finish(h);\n\t}\n");
	add_for_keys(w, "\tGPUAGG_FN bool\n\tequal(const Row &row, const char *entry)\n\t{\n\t\treturn true", &equal,
				 ";\n\t}\n");
	add_for_keys(w, "\tGPUAGG_FN void\n\tstore(const Row &row, char *entry)\n\t{\n", &store, "\t}\n");
	add_own(w);
	if (gpuagg_codegen_numbers(w->program))
		add_for_keys(w, "\tGPUAGG_FN bool\n\tnumber(const GpuAggFrameArgs &a, const Row &row, uint32_t *n)\n\t{\n"
					 "\t\t*n = 0;\n\t\treturn true", &number, ";\n\t}\n");
}

/* ---------- records ---------- */

static const char *
field_type(const GpuAggRecordField *f)
{
	return f->cls == GPUAGG_CLASS_F64 ? "double" : f->bytes == 4 ? "int32_t" : "int64_t";
}

/*
 * A row as a record.  A field that several transitions have is their register's value,
 * whether the row enters them or not.
 */
static void
add_record_fields(GpuAggWriter *w, const GpuAggHeldStates *s, const GpuAggRecord *record)
{
	bool		written[GPUAGG_RECORD_FIELDS] = {false};

	for (uint32_t i = 0; i < w->program->nkeys; i++)
	{
		const GpuAggRecordField *f = &record->fields[record->key_field[i]];

		if (!written[record->key_field[i]])
			gpuagg_write(w, "\t\t*(%1$s *) (to + %2$u) = row.z%3$u ? 0 : (%1$s) row.k%3$u;\n",
						 field_type(f), f->off, i);
		written[record->key_field[i]] = true;
	}
	for (uint32_t t = 0; t < w->program->ntransitions; t++)
	{
		const uint8_t n = record->arg_field[t];

		if (n == GPUAGG_NO_FIELD || written[n])
			continue;
		written[n] = true;
		gpuagg_write(w, "\t\t*(%1$s *) (to + %2$u) = (%1$s) row.a%3$u;\n",
					 field_type(&record->fields[n]), record->fields[n].off, s->of[t]);
	}
}

static void
add_record(GpuAggWriter *w, const GpuAggRecord *record, const GpuAggHeldStates *s)
{
	const GpuAggProgram *p = w->program;
	GpuAggRecord own;

	if (record == NULL && p->nkeys > 0 && gpuagg_record_of_rows(p, &own))
		record = &own;
	if (record == NULL)
		return;
	gpuagg_write(w, "\tstatic constexpr uint32_t RECORD_BYTES = %u;\n\tstatic constexpr bool RECORD_HEAD = %s;\n"
				 "\tGPUAGG_FN void\n\trecord(const Row &row, char *to)\n\t{\n", record->bytes,
				 record->has_head ? "true" : "false");
	if (record->has_head)
	{
		gpuagg_write(w, "\t\t*(uint32_t *) to = nulls(row)");
		for (uint32_t t = 0; t < p->ntransitions; t++)
			gpuagg_write(w, " | (uint32_t) !row.e%u << %u", s->of[t], p->nkeys + t);
		gpuagg_write(w, ";\n");
	}
	add_record_fields(w, s, record);
	gpuagg_write(w, "\t}\n");
}

/* ---------- what frames are told ---------- */

/* Strings, dates, IN lists and look-ups among slots are loops, or long. */
static bool
is_long_instr(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	return gpuagg_op_traits(ins->op)->is_long && !gpuagg_lookup_is_short(p, ins);
}

static bool
is_long(const GpuAggProgram *p)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	uint32_t	n = 0;

	for (uint32_t i = 0; i < p->ninstrs; i++)
		n += is_long_instr(p, &ins[i]) ? LONG_OPERATOR : 1;
	return n >= LONG_INSTRS;
}

static bool
has_strings(const GpuAggProgram *p)
{
	bool		strings = false;

	for (uint32_t i = 0; i < p->nkeys; i++)
		strings |= gpuagg_key_is_string(gpuagg_program_keys(p)[i].type);
	return strings;
}

static void
add_numbers(GpuAggWriter *w, const GpuAggHeldStates *s)
{
	const GpuAggProgram *p = w->program;
	const bool	locked = gpuagg_program_has_lock(p);
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	gpuagg_write(w,
				 "\tstatic constexpr uint32_t NHELD = %u, COUNTED_OFF = %u, BARE_OFF = %u,\n"
				 "\t\tSTRIDE = %u, STATES_OFF = %u, LOCK_OFF = %u;\n"
				 "\tstatic constexpr uint32_t STAGES = %u;\n",
				 s->nheld, s->held[s->counted].off,
				 s->held[s->bare < s->n ? s->bare : s->counted].off,
				 layout.row_bytes + (locked ? GPUAGG_LOCK_BYTES : 0),
				 p->ntransitions > 0 ? layout.state_off[0] : layout.row_bytes,
				 locked ? layout.row_bytes : 0, w->stages.n);
	gpuagg_write(w, "\tstatic constexpr bool LATE = %s, LONG = %s, LOOPS = %s, STRINGS = %s;\n",
				 p->filter_reg != GPUAGG_NO_REG ? "true" : "false", is_long(p) ? "true" : "false",
				 gpuagg_held_loops(s) ? "true" : "false", has_strings(p) ? "true" : "false");
}

/* ---------- the text ---------- */

static void
add_program(GpuAggWriter *w, const GpuAggRecord *record, const char *name, GpuAggCodegen *out)
{
	GpuAggHeldStates		s;

	gpuagg_held_states(w->program, &s);
	gpuagg_write(w, "struct %s\n{\n", name);
	add_numbers(w, &s);
	add_open(w);
	add_columns(w);
	add_found(w);
	add_passes(w);
	add_row(w, &s);
	if (w->program->nkeys > 0)
		add_keys(w);
	add_record(w, record, &s);
	gpuagg_write_states(w, &s);
	gpuagg_write(w, "};\n");
	out->shared_bytes = s.bytes;
}

static void
finish(GpuAggWriter *w, GpuAggCodegen *out)
{
	if (w->failed)
	{
		free(w->text);
		w->text = NULL;
	}
	out->text = w->text;
	out->bytes = w->bytes;
	out->args = w->args;
}

void
gpuagg_codegen_program(const GpuAggProgram *p, const GpuAggRecord *record, bool packed,
					   const char *name, GpuAggCodegen *out)
{
	GpuAggWriter w;

	memset(out, 0, sizeof(*out));
	gpuagg_writer_init(&w, p, packed);
	add_program(&w, record, name, out);
	finish(&w, out);
}

uint32_t
gpuagg_codegen_counted(const GpuAggProgram *p)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	GpuAggLayout layout;

	gpuagg_layout_compute(p, &layout);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (t[i].op == GPUAGG_TRANS_COUNT && t[i].filter == GPUAGG_NO_REG)
			return layout.state_off[i];
	return 0;
}

uint32_t
gpuagg_codegen_shared_bytes(const GpuAggProgram *p)
{
	GpuAggHeldStates		s;

	gpuagg_held_states(p, &s);
	return s.bytes;
}

static const char *const frame_headers[] = {
#define X(name, header, strategy) #header,
	GPUAGG_FRAME_LIST(X)
#undef X
};

static const char *const frame_strategies[] = {
#define X(name, header, strategy) strategy,
	GPUAGG_FRAME_LIST(X)
#undef X
};

const char *
gpuagg_frame_name(GpuAggFrame frame)
{
	return frame_headers[frame];
}

const char *
gpuagg_frame_strategy(GpuAggFrame frame)
{
	return frame_strategies[frame];
}

/* All that a kernel asks of a program: of one that selects, the filter */
static GpuAggProgram *
program_for(const GpuAggProgram *p, GpuAggFrame frame)
{
	GpuAggProgram *copy = malloc(p->bytes);

	if (copy == NULL)
		return NULL;
	memcpy(copy, p, p->bytes);
	if (frame == GPUAGG_FRAME_SELECTED)
		copy->nkeys = copy->ntransitions = 0;
	return copy;
}

/* Smaller blocks where states that are added up in loops need more registers than 64 */
static uint32_t
threads_of(const GpuAggProgram *p, GpuAggFrame frame)
{
	GpuAggHeldStates s;

	gpuagg_held_states(p, &s);
	return (frame == GPUAGG_FRAME_DIRECT || frame == GPUAGG_FRAME_HASHED) && gpuagg_held_loops(&s) ?
		GPUAGG_CODEGEN_LOOP_THREADS : GPUAGG_CODEGEN_THREADS;
}

void
gpuagg_codegen_kernel(const GpuAggProgram *program, const GpuAggRecord *record, bool packed,
					  GpuAggFrame frame, GpuAggCodegen *out)
{
	GpuAggProgram *p = program_for(program, frame);
	GpuAggWriter w;

	memset(out, 0, sizeof(*out));
	if (p == NULL)
		return;
	out->threads = threads_of(p, frame);
	gpuagg_writer_init(&w, p, packed);
	gpuagg_write(&w, "#include \"cuda/frame/%s.cuh\"\n\n", frame_headers[frame]);
	add_program(&w, record, "Query", out);
	gpuagg_write(&w,
				 "\nextern \"C\" __global__ void\n__launch_bounds__(%u, 2)\n" GPUAGG_CODEGEN_ENTRY
				 "(const __grid_constant__ GpuAggFrameArgs a)\n{\n\tframe_%s<Query>(a);\n}\n",
				 out->threads, frame_headers[frame]);
	finish(&w, out);
	snprintf(out->shape, sizeof(out->shape), "%s: %u columns%s, %u instructions, %u keys, %u states",
			 frame_headers[frame], p->ncolumns, packed ? " packed" : "", p->ninstrs, p->nkeys,
			 p->ntransitions);
	free(p);
}
