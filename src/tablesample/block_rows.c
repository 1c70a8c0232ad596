/*
 * block_rows.c
 *		How many rows each block of a table has (block_rows.h).
 *
 * Counts are written in order and read in order, any number of times; so one
 * buffer serves both, and what it cannot hold lies in a file of such buffers.
 */
#include "postgres.h"

#include "tablesample/block_rows.h"
#include "temp_file.h"

/* The smallest buffer, and how large it begins */
#define LEAST_COUNTS 4096

struct GpuAggBlockRows
{
	uint64		total;
	uint64		nblocks;
	uint64		most;			/* counts that the buffer may hold */
	uint64		room;			/* counts that the buffer has room for */
	uint64		held;			/* in the buffer */
	uint64		at;				/* that is read next */
	uint64		read;			/* of all, before the buffer's first */
	bool		complete;		/* reading: all are in the file, if there is one */
	uint16	   *counts;
	BufFile    *file;
	MemoryContext context;
};

GpuAggBlockRows *
gpuagg_block_rows_create(Size memory)
{
	GpuAggBlockRows *rows = palloc0(sizeof(GpuAggBlockRows));

	rows->most = Max(memory / sizeof(uint16), LEAST_COUNTS);
	rows->room = LEAST_COUNTS;
	rows->context = CurrentMemoryContext;
	rows->counts = palloc(LEAST_COUNTS * sizeof(uint16));
	return rows;
}

void
gpuagg_block_rows_free(GpuAggBlockRows *rows)
{
	if (rows->file != NULL)
		BufFileClose(rows->file);
	pfree(rows->counts);
	pfree(rows);
}

uint64
gpuagg_block_rows_total(const GpuAggBlockRows *rows)
{
	return rows->total;
}

/* ------------------------------------------------------------- writing --- */

static void
buffer_write(GpuAggBlockRows *rows)
{
	if (rows->file == NULL)
		rows->file = gpuagg_temp_file(rows->context, CurrentResourceOwner);
	BufFileWrite(rows->file, rows->counts, rows->held * sizeof(uint16));
	rows->held = 0;
}

void
gpuagg_block_rows_add(GpuAggBlockRows *rows, uint16 count)
{
	if (rows->held == rows->room && rows->room < rows->most)
	{
		rows->room = Min(2 * rows->room, rows->most);
		rows->counts = repalloc_huge(rows->counts, rows->room * sizeof(uint16));
	}
	else if (rows->held == rows->room)
		buffer_write(rows);
	rows->counts[rows->held++] = count;
	rows->nblocks++;
	rows->total += count;
}

/* ------------------------------------------------------------- reading --- */

static void
buffer_read(GpuAggBlockRows *rows)
{
	Size		bytes;

	rows->read += rows->held;
	rows->held = Min(rows->room, rows->nblocks - rows->read);
	bytes = rows->held * sizeof(uint16);
	if (BufFileRead(rows->file, rows->counts, bytes) != bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read from gpuagg's temporary file")));
	rows->at = 0;
}

void
gpuagg_block_rows_rewind(GpuAggBlockRows *rows)
{
	rows->at = 0;
	if (rows->file == NULL)
		return;
	if (!rows->complete)
		buffer_write(rows);
	rows->complete = true;
	rows->held = 0;
	rows->read = 0;
	if (BufFileSeek(rows->file, 0, 0, SEEK_SET) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not rewind gpuagg's temporary file")));
}

bool
gpuagg_block_rows_next(GpuAggBlockRows *rows, uint16 *count)
{
	if (rows->read + rows->at == rows->nblocks)
		return false;
	if (rows->at == rows->held)
		buffer_read(rows);
	*count = rows->counts[rows->at++];
	return true;
}
