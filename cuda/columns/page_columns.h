/*
 * page_columns.h
 *		A batch of decoded pages as columns of a stripe, so that kernels which are
 *		compiled for stripes read it: rows that are there are bits, as those that a
 *		launch has left over are; a string's code is its row.
 *
 * All of it is one block of memory, laid out here.  Without CUDA's headers, because
 * a test of the host fills one, too.
 */
#ifndef GPUAGG_CUDA_COLUMNS_PAGE_COLUMNS_H
#define GPUAGG_CUDA_COLUMNS_PAGE_COLUMNS_H

#include "cuda/kernel/card_types.h"
#include "device/batch_memory.h"

/* Positions of a word of a bitmap, and words of a tile */
#define GPUAGG_PAGE_WORD 32
#define GPUAGG_PAGE_WORDS (GPUAGG_STRIPE_TILE / GPUAGG_PAGE_WORD)

/* Offsets are from the block's start. */
typedef struct GpuAggPageColumns
{
	char	   *memory;
	uint32_t	nrows;
	uint32_t	tiles;
	uint32_t	ncolumns;
	uint32_t	nblocks;		/* of strings of each column */
	uint64_t	input;			/* GpuAggStripeInput */
	uint64_t	columns;		/* GpuAggStripeColumn, ncolumns */
	uint64_t	strings;		/* of each column, nblocks addresses */
	uint64_t	nentries;		/* of what a kernel leaves */
	uint64_t	entries_head;	/* GpuAggTableHead */
	uint64_t	rows;			/* the bitmap */
	uint64_t	nulls;			/* of each column a bitmap */
	uint64_t	values;			/* of all columns, one behind the other */
	uint64_t	entries;
	uint64_t	bytes;
	uint32_t	wide[GPUAGG_MAX_REGS / 32];	/* columns whose values have 8 bytes */
} GpuAggPageColumns;

GPUAGG_FN uint32_t
gpuagg_page_column_bytes(const GpuAggPageColumns *l, uint32_t column)
{
	return l->wide[column / 32] >> (column % 32) & 1 ? 8 : 4;
}

/* A column's bitmap of NULLs; bytes of its values */
GPUAGG_FN uint64_t
gpuagg_page_column_nulls(const GpuAggPageColumns *l, uint32_t column)
{
	return l->nulls + (uint64_t) column * l->tiles * (GPUAGG_STRIPE_TILE / 8);
}

GPUAGG_FN uint64_t
gpuagg_page_values_bytes(const GpuAggPageColumns *l, uint32_t column)
{
	return (uint64_t) l->tiles * GPUAGG_STRIPE_TILE * gpuagg_page_column_bytes(l, column);
}

/* For so many rows of a program, and entries of so many bytes: all but `memory` */
GPUAGG_FN void
gpuagg_page_columns_layout(const GpuAggProgram *p, uint32_t nrows, uint64_t entries_bytes,
						   GpuAggPageColumns *l)
{
	uint64_t	values = 0;
	uint64_t	at = 0;

	memset(l, 0, sizeof(*l));
	l->nrows = nrows;
	l->tiles = (uint32_t) (((uint64_t) nrows + GPUAGG_STRIPE_TILE - 1) / GPUAGG_STRIPE_TILE);
	l->ncolumns = p->ncolumns;
	l->nblocks = (uint32_t) (((uint64_t) nrows + GPUAGG_STRING_BLOCK - 1) / GPUAGG_STRING_BLOCK);
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		if (gpuagg_column_bytes(p, c) == 8)
			l->wide[c / 32] |= 1u << (c % 32);
		values += gpuagg_page_values_bytes(l, c);
	}
	l->input = gpuagg_batch_part(&at, sizeof(GpuAggStripeInput));
	l->columns = gpuagg_batch_part(&at, (uint64_t) p->ncolumns * sizeof(GpuAggStripeColumn));
	l->strings = gpuagg_batch_part(&at,
								   (uint64_t) p->ncolumns * l->nblocks * sizeof(GpuAggBytes *));
	l->nentries = gpuagg_batch_part(&at, sizeof(uint32_t));
	l->entries_head = gpuagg_batch_part(&at, sizeof(GpuAggTableHead));
	l->rows = gpuagg_batch_part(&at, (uint64_t) l->tiles * (GPUAGG_STRIPE_TILE / 8));
	l->nulls = gpuagg_batch_part(&at, (uint64_t) p->ncolumns * l->tiles * (GPUAGG_STRIPE_TILE / 8));
	l->values = gpuagg_batch_part(&at, values);
	l->entries = gpuagg_batch_part(&at, entries_bytes);
	l->bytes = at;
}

/* As kernels find it: the rows are what is left over of a stripe that has them alone. */
GPUAGG_FN void
gpuagg_page_columns_input(const GpuAggPageColumns *l, GpuAggStripeInput *input)
{
	memset(input, 0, sizeof(*input));
	input->columns = (const GpuAggStripeColumn *) (l->memory + l->columns);
	input->positions = l->nrows;
	input->leftover = (uint32_t *) (l->memory + l->rows);
}

/*
 * Column c, whose values begin at an offset.  words: of its rows; of strings their
 * addresses and lengths; text: the program has it as such.
 */
GPUAGG_FN void
gpuagg_page_column_open(const GpuAggPageColumns *l, uint32_t c, uint64_t values,
						const uint64_t *words, bool text)
{
	GpuAggStripeColumn *column = (GpuAggStripeColumn *) (l->memory + l->columns) + c;
	GpuAggBytes **strings = (GpuAggBytes **) (l->memory + l->strings) + (uint64_t) c * l->nblocks;

	memset(column, 0, sizeof(*column));
	column->values = l->memory + values;
	column->nulls = (uint32_t *) (l->memory + gpuagg_page_column_nulls(l, c));
	column->bytes = gpuagg_page_column_bytes(l, c);
	column->strings = text ? strings : NULL;
	for (uint32_t i = 0; text && i < l->nblocks; i++)
		strings[i] = (GpuAggBytes *) words + (uint64_t) i * GPUAGG_STRING_BLOCK;
}

/* A row's value of a column; words NULL: it has none */
GPUAGG_FN void
gpuagg_page_value_put(char *values, uint32_t bytes, uint32_t row, const uint64_t *words, bool text)
{
	const uint64_t value = words == NULL ? 0 : text ? row : words[row];

	if (bytes == 4)
		((uint32_t *) values)[row] = (uint32_t) value;
	else
		((uint64_t *) values)[row] = value;
}

#endif							/* GPUAGG_CUDA_COLUMNS_PAGE_COLUMNS_H */
