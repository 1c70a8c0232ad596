/*
 * device_stripe_encoded.h
 *		Programs over codes, with dictionaries of the test table's columns and tables by code, for
 *		tests of devices.
 */
#ifndef DEVICE_STRIPE_ENCODED_H
#define DEVICE_STRIPE_ENCODED_H

#include "device/ops/code_table.h"
#include "device/ops/encode.h"
#include "device/ops/places.h"
#include "device_stripe_table.h"

/* Of the test table's columns, by attribute */
static GpuAggDictionary *dictionaries[NCOLS];

static inline void
dictionaries_make(void)
{
	static const int strings[] = {COL_T, COL_C};
	GpuAggError error;

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		ok(STRIPES->dictionary_create(device, &dictionaries[strings[i]], &error) == GPUAGG_OK,
		   "a dictionary");
}

static inline void
dictionaries_free(void)
{
	for (int i = 0; i < NCOLS; i++)
		if (dictionaries[i] != NULL)
			STRIPES->dictionary_free(dictionaries[i]);
	memset(dictionaries, 0, sizeof(dictionaries));
}

/* A program whose strings are codes where they can be */
typedef struct Encoded
{
	GpuAggProgram *program;		/* malloc'ed */
	uint16_t	of[GPUAGG_MAX_REGS];
	GpuAggDictionary *dictionaries[GPUAGG_MAX_REGS];
	GpuAggMade *places[GPUAGG_MAX_REGS];
	GpuAggDictionary *constants;	/* a dictionary of their strings; NULL: they are all others' */
	uint16_t	read[GPUAGG_CODE_TABLES];	/* registers that code tables are read into */
	uint32_t	ntables;
	GpuAggTaskConfig config;
} Encoded;

/* The attribute that a column is */
static inline uint32_t
column_attr(const TestProgram *p, uint32_t column)
{
	uint32_t	i = 0;

	while (p->attrs[i].reg != column)
		i++;
	return i;
}

/* Are least and greatest texts places?  Of those that dictionaries have when a program is encoded. */
static bool with_places;

/* Code tables in the place of expressions */
static inline void
use_tables(const TestProgram *p, Encoded *e)
{
	GpuAggMadeTables *made = &e->config.made;
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	const GpuAggLookup *heads[GPUAGG_CODE_TABLES];
	GpuAggProgram *room = malloc(gpuagg_places_tables_room(e->program));
	GpuAggProgram *placed = malloc(gpuagg_places_room(e->program));
	const GpuAggProgram *from = with_places && gpuagg_places_use(e->program, placed, room) ?
		placed : e->program;
	const uint32_t n = gpuagg_code_tables_find(from, found, room);
	GpuAggProgram *tabled = malloc(e->program->bytes + gpuagg_code_tables_more(from));
	bool		places[GPUAGG_CODE_TABLES];
	uint32_t	first;

	for (uint32_t i = 0; i < n; i++)
	{
		GpuAggError error;

		gpuagg_code_table_program(from, &found[i], room);
		places[i] = gpuagg_code_table_is_places(room);
		if (STRIPES->code_table(dictionaries[column_attr(p, found[i].column)], room,
								&made->tables[i], &error) != GPUAGG_OK)
			abort();
		heads[i] = OPS->made->head(made->tables[i]);
	}
	memcpy(tabled, e->program, e->program->bytes);
	first = gpuagg_code_tables_use(from, found, n, heads, tabled);
	for (uint32_t i = 0; i < n; i++)
	{
		made->constants[i] = (uint16_t) (first + i);
		e->read[i] = gpuagg_code_table_register(tabled, first + i);
		if (places[i])
		{
			e->dictionaries[e->read[i]] = dictionaries[column_attr(p, found[i].column)];
			e->places[e->read[i]] = made->tables[i];
		}
	}
	made->n = e->ntables = n;
	free(placed);
	free(room);
	free(e->program);
	e->program = tabled;
}

/* Of a column, or of a register that a code table is read into */
static inline GpuAggDictionary *
source_dictionary(const TestProgram *p, const Encoded *e, uint16_t source)
{
	for (uint32_t i = 0; i < e->ntables; i++)
		if (e->read[i] == source)
			return STRIPES->code_table_texts(e->config.made.tables[i]);
	return dictionaries[column_attr(p, source)];
}

/* The number of columns that are codes; encode_end() */
static inline uint32_t
encode(const TestProgram *p, Encoded *e)
{
	int32_t		codes[GPUAGG_MAX_REGS] = {0};
	uint32_t	n = 0;
	GpuAggError error;

	memset(e, 0, sizeof(*e));
	e->program = program_pack(p);
	use_tables(p, e);
	gpuagg_encode_plan(e->program, e->of);
	for (uint32_t r = 0; r < e->program->nregs; r++)
		if (e->of[r] == GPUAGG_OF_CONSTANTS)
		{
			if (e->constants == NULL &&
				STRIPES->dictionary_create(device, &e->constants, &error) != GPUAGG_OK)
				abort();
			e->dictionaries[r] = e->constants;
		}
		else if (e->of[r] != NONE)
			e->dictionaries[r] = source_dictionary(p, e, e->of[r]);
	for (uint32_t r = 0; r < p->head.ncolumns; r++)
		n += e->of[r] != NONE;
	for (uint32_t k = 0; k < e->program->nconsts; k++)
	{
		GpuAggBytes b;

		if (!gpuagg_encode_is_constant(e->program, e->of, k))
			continue;
		b = gpuagg_const_bytes(e->program, gpuagg_program_consts(e->program) + k);
		STRIPES->dictionary_encode(e->dictionaries[e->program->ncolumns + k], &b, 1, &codes[k],
								   &error);
	}
	gpuagg_encode_program(e->program, e->of, codes);
	e->config.codes.dictionaries = e->dictionaries;
	e->config.codes.places = e->places;
	return n;
}

static inline void
encode_end(Encoded *e)
{
	for (uint32_t i = 0; i < e->ntables; i++)
		STRIPES->code_table_leave(e->config.made.tables[i]);
	if (e->constants != NULL)
		STRIPES->dictionary_free(e->constants);
	free(e->program);
}

static inline bool
encoded_begin(Run *run, const Encoded *e)
{
	GpuAggProgram *copy = malloc(e->program->bytes);

	memcpy(copy, e->program, e->program->bytes);
	return run_begin_packed(run, copy, &e->config);
}

/* Groups of codes become groups of strings. */
static inline bool
run_decode(Run *run, const TestProgram *p, const Encoded *e)
{
	GpuAggDictionaryText texts[GPUAGG_MAX_REGS] = {{0}};
	GpuAggEncoding encoding = {&p->head, e->program, {0}, {0}, texts};
	char	   *results = NULL;
	size_t		bytes = 0;
	const char *at = run->results;
	GpuAggError error;

	gpuagg_layout_compute(&p->head, &encoding.from_layout);
	gpuagg_layout_compute(e->program, &encoding.to_layout);
	for (uint32_t r = 0; r < e->program->nregs; r++)
	{
		if (e->dictionaries[r] != NULL)
			STRIPES->dictionary_read(e->dictionaries[r], &texts[r], &error);
		if (e->places[r] == NULL)
			continue;
		texts[r].order = STRIPES->code_table_order(e->places[r], &error);
		texts[r].entries = (uint32_t) OPS->made->head(e->places[r])->nrows;
	}
	for (uint32_t g = 0; g < run->groups; g++)
	{
		const uint64_t size = gpuagg_decode_bytes(&encoding, at);

		if (size == 0)
			return false;
		if (bytes % (1 << 20) + size >= 1 << 20 || results == NULL)
			results = realloc(results, bytes + (2 << 20));
		gpuagg_decode_group(&encoding, at, at + encoding.to_layout.row_bytes,
							results + bytes);
		at += gpuagg_group_bytes(e->program, &encoding.to_layout, at);
		bytes += size;
	}
	if (at != run->results + run->results_bytes)
		return false;
	free(run->results);
	run->results = results;
	run->results_bytes = bytes;
	return true;
}

/* A stripe of all columns of the test table */
static inline GpuAggStripe *
stripe_of_strings(void)
{
	GpuAggStripe *stripe = stripe_create(lines_of(0, npages));
	GpuAggError error;

	for (uint32_t i = 0; i < NCOLS; i++)
	{
		static const uint8_t types[NCOLS] = {GPUAGG_T_INT4, GPUAGG_T_TEXT, GPUAGG_T_INT8,
		GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};

		ok(STRIPES->add_column(stripe, i, types[i], dictionaries[i], &error) == GPUAGG_OK,
		   "columns of strings and others");
	}
	return stripe;
}

#endif							/* DEVICE_STRIPE_ENCODED_H */
