/*
 * codegen_rows.c
 *		Rows at random, for codegen_test.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen_programs.h"
#include "codegen_rows.h"

#define NSTRINGS 8

/* Words of a column's first miniblock */
#define BEFORE_WORDS 96

/* Integers below it are decimals, whatever digits they have. */
#define MOST_DECIMAL (INT64_C(1) << 50)

int64_t		codegen_values[CODEGEN_COLUMNS][CODEGEN_ROWS];
uint32_t	codegen_nulls[CODEGEN_COLUMNS][CODEGEN_ROWS / 32];
GpuAggStripeColumn codegen_columns[CODEGEN_COLUMNS];
static GpuAggBytes strings[NSTRINGS] = {
	{"", 0}, {"a", 1}, {"ab", 2}, {"abc", 3}, {"b", 1}, {"x  ", 3}, {"é", 2}, {"\xff", 1}
};
static GpuAggBytes *const blocks[] = {strings};
static uint64_t random_state;

GpuAggBytes
codegen_string(int64_t value)
{
	return strings[value];
}

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
	const int64_t v = random_next() % 3 > 0 ? edges[random_next() % 16] :
											  (int64_t) (random_next() % 2000) - 1000;

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
	static const double edges[] = {0,	   -0.0,	 1.5,		-2.25, 1e300, -1e300,
								   1e-300, INFINITY, -INFINITY, NAN,   3,	  40000};
	const double v = random_next() % 2 ? edges[random_next() % 12] :
										 (double) (random_next() % 1000) / 8;

	return type == GPUAGG_T_FLOAT4 ? (double) (float) v : v;
}

/* ---------- packed columns ---------- */

/* Of a column: integers of so many bits, times a unit and from a base on; as decimals, if doubles */
typedef struct Narrow
{
	uint32_t	bits;
	uint64_t	unit;
	int64_t		base;
	uint32_t	digits;
} Narrow;

static Narrow
random_narrow(uint32_t bytes)
{
	const Narrow n = {
		.bits = random_next() % (bytes == 4 ? 27 : 54),
		.unit = random_next() % 2 ? 1 : 1 + random_next() % 13,
		.base = (int64_t) (random_next() % 4000) - 2000,
		.digits = random_next() % (GPUAGG_DECIMAL_DIGITS + 1)
	};

	return n;
}

static int64_t
narrow_value(const Narrow *n)
{
	return n->base + (int64_t) (n->unit * (random_next() & ((UINT64_C(1) << n->bits) - 1)));
}

static void
put_bits(uint64_t *words, uint32_t at, uint64_t bits, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		words[(at + i) / 64] |= (bits >> i & 1) << (at + i) % 64;
}

/* What is at a row, as it is packed: the integer, or that which the double is over */
static int64_t
packed_integer(uint32_t c, uint32_t r, bool f64, uint32_t digits)
{
	int64_t		value = codegen_columns[c].bytes == 4 ? ((int32_t *) codegen_values[c])[r] :
		codegen_values[c][r];

	if (f64 && digits != GPUAGG_NOT_DECIMAL)
		(void) gpuagg_decimal_encode(value, gpuagg_decimal_power(digits), &value);
	return value;
}

/*
 * The column as a card has it packed, of the width that its values need: whatever is read of it is
 * in its words.
 */
static void
column_pack(uint32_t c, bool f64, uint64_t unit, uint32_t digits)
{
	static GpuAggMiniblock miniblocks[CODEGEN_COLUMNS][2];
	static uint64_t words[CODEGEN_COLUMNS][BEFORE_WORDS + GPUAGG_MINIBLOCK + 4];
	GpuAggMiniblock *b = &miniblocks[c][1];
	const uint32_t full = 8 * codegen_columns[c].bytes;
	int64_t		low = INT64_MAX;
	uint64_t	most = 0;
	uint32_t	bits = 0;

	for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
		low = packed_integer(c, r, f64, digits) < low ? packed_integer(c, r, f64, digits) : low;
	for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
		most |= ((uint64_t) packed_integer(c, r, f64, digits) - (uint64_t) low) / unit;
	while (bits < 64 && most >> bits != 0)
		bits++;
	memset(b, 0, sizeof(*b));
	b->width = gpuagg_quad_width(bits, full);
	b->unit = b->width > 32 ? 1 : unit;
	b->digits = (uint8_t) digits;
	b->base = low;
	if (b->width > 32 && unit > 1)
		return;
	if (b->width == full)
	{
		b->base = 0;
		b->unit = 1;
		b->digits = GPUAGG_NOT_DECIMAL;
	}
	b->word = BEFORE_WORDS;
	memset(words[c], 0, sizeof(words[c]));
	for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
		put_bits(words[c] + b->word, (CODEGEN_FIRST % GPUAGG_MINIBLOCK + r) * b->width,
				 ((uint64_t) packed_integer(c, r, f64, b->digits) - (uint64_t) b->base) / b->unit,
				 b->width);
	codegen_columns[c].values = (char *) words[c];
	codegen_columns[c].blocks = miniblocks[c];
}

static bool
is_number(uint32_t type)
{
	return type == GPUAGG_T_INT4 || type == GPUAGG_T_INT8;
}

/* Some columns are packed as they are; numbers often get other values, fewer bits wide. */
static void
column_narrow(const GpuAggProgram *p, uint32_t c)
{
	const uint32_t type = codegen_column_type(p, c);
	const bool	f64 = gpuagg_key_class(type) == GPUAGG_CLASS_F64;
	const Narrow n = random_narrow(f64 ? 8 : codegen_columns[c].bytes);
	const bool	narrow = random_next() % 4 > 0;

	if (narrow && type == GPUAGG_T_FLOAT8)
		for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
			codegen_values[c][r] = gpuagg_decimal_decode(narrow_value(&n) % MOST_DECIMAL,
														 gpuagg_decimal_power(n.digits));
	else if (narrow && is_number(type))
		for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
			if (codegen_columns[c].bytes == 4)
				((int32_t *) codegen_values[c])[r] = (int32_t) narrow_value(&n);
			else
				codegen_values[c][r] = narrow_value(&n);
	else
	{
		column_pack(c, f64, 1, GPUAGG_NOT_DECIMAL);
		return;
	}
	column_pack(c, f64, f64 ? 1 : n.unit, f64 ? n.digits : GPUAGG_NOT_DECIMAL);
}

/* ---------- the stripe ---------- */

bool
codegen_packed(uint64_t seed)
{
	return seed % 4 != 0;
}

/* The rows' values and bits of NULLs, from the first one's position on */
static void
column_place(uint32_t c)
{
	static int64_t values[CODEGEN_COLUMNS][CODEGEN_FIRST + CODEGEN_ROWS];
	static uint32_t nulls[CODEGEN_COLUMNS][(CODEGEN_FIRST + CODEGEN_ROWS) / 32];
	GpuAggStripeColumn *column = &codegen_columns[c];

	if (column->blocks == NULL)
	{
		column->values = (char *) values[c];
		memcpy(column->values + (size_t) CODEGEN_FIRST * column->bytes, codegen_values[c],
			   (size_t) CODEGEN_ROWS * column->bytes);
	}
	if (column->nulls == NULL)
		return;
	column->nulls = nulls[c];
	memcpy(&nulls[c][CODEGEN_FIRST / 32], codegen_nulls[c], sizeof(codegen_nulls[c]));
}

void
codegen_stripe_make(const GpuAggProgram *p, uint64_t seed)
{
	random_state = seed;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const uint32_t type = codegen_column_type(p, c);

		memset(&codegen_columns[c], 0, sizeof(codegen_columns[c]));
		codegen_columns[c].values = (char *) codegen_values[c];
		codegen_columns[c].nulls = codegen_nulls[c];
		codegen_columns[c].bytes = gpuagg_column_bytes(p, c);
		codegen_columns[c].strings = type == GPUAGG_T_TEXT ? blocks : NULL;
		for (uint32_t w = 0; w < CODEGEN_ROWS / 32; w++)
			codegen_nulls[c][w] = (uint32_t) (random_next() & random_next() & random_next());
		for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
			if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
				((double *) codegen_values[c])[r] = random_double(type);
			else if (codegen_columns[c].bytes == 4)
				((int32_t *) codegen_values[c])[r] = (int32_t) random_int(type);
			else
				codegen_values[c][r] = random_int(type);
		if (codegen_packed(seed) && random_next() % 2)
			column_narrow(p, c);
		if (codegen_packed(seed) && random_next() % 8 == 0)
		{
			memset(codegen_nulls[c], 0, sizeof(codegen_nulls[c]));
			codegen_columns[c].nulls = NULL;
		}
		column_place(c);
	}
}

/* A row's words, as the decoder leaves them: of a string, its address and length */
static void
page_words(uint32_t c, bool text, uint64_t *words)
{
	for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
		if (codegen_nulls[c][r / 32] >> (r % 32) & 1)
			words[text ? 2 * r : r] = UINT64_MAX;
		else if (text)
			memcpy(&words[2 * r], &strings[((uint32_t *) codegen_values[c])[r]],
				   sizeof(GpuAggBytes));
		else if (codegen_columns[c].bytes == 4)
			words[r] = (uint64_t) ((int32_t *) codegen_values[c])[r];
		else
			words[r] = (uint64_t) codegen_values[c][r];
}

const GpuAggStripeColumn *
codegen_pages_make(const GpuAggProgram *p, GpuAggPageColumns *l)
{
	static uint64_t words[CODEGEN_COLUMNS][2 * CODEGEN_ROWS];
	uint64_t	at;

	gpuagg_page_columns_layout(p, CODEGEN_ROWS, 0, l);
	l->memory = calloc(1, l->bytes);
	at = l->values;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		const bool	text = gpuagg_program_classes(p)[c] == GPUAGG_CLASS_BYTES;
		uint32_t   *there = (uint32_t *) (l->memory + gpuagg_page_column_nulls(l, c));

		page_words(c, text, words[c]);
		gpuagg_page_column_open(l, c, at, words[c], text);
		for (uint32_t r = 0; r < CODEGEN_ROWS; r++)
		{
			const uint32_t null = codegen_nulls[c][r / 32] >> (r % 32) & 1;

			there[r / 32] |= null << (r % 32);
			gpuagg_page_value_put(l->memory + at, gpuagg_page_column_bytes(l, c), r,
								  null ? NULL : words[c], text);
		}
		at += gpuagg_page_values_bytes(l, c);
	}
	return (const GpuAggStripeColumn *) (l->memory + l->columns);
}
