/*
 * records.c
 *		Rows that one thread keeps, by partition, until a partition is
 *		aggregated.
 *
 * Adding a block of rows is done in passes: each row gets its place, in the
 * chunk that its partition is filling; then hashes, images and each column
 * are scattered to these places.  A partition's next places are a cache line
 * per column, written one after the other, so that a few hundred partitions
 * are written from the L1 and L2 caches.
 *
 * Chunks are cut from blocks of a huge page, for otherwise each of those
 * lines would be a page of its own.  They are used again and again: memory
 * that is touched for the first time costs more than what is done with it.
 *
 * States are written only if a column has had others than values since the
 * last restart.
 */
#include "device/group.h"
#include "device/host/records.h"

#define RECORD_HEAD_BYTES 64	/* of a block and of a chunk */

/*
 * What the chunks that are being filled should not exceed, together and by
 * thread, there in scopes; rows in a chunk, at least.
 */
#define RECORD_FILLING_BYTES ((size_t) 64 << 20)
#define RECORD_FILLING_SCOPES 24
#define RECORD_CHUNK_ROWS 32

typedef struct GpuAggRecordBlock
{
	struct GpuAggRecordBlock *next;
	size_t		bytes;
} GpuAggRecordBlock;

/* ---------- layout ---------- */

/* The column of a register; a new one if need be. */
static uint8_t
column_of(GpuAggRecordLayout *l, uint32_t reg, uint32_t transition, bool is_filter)
{
	GpuAggRecordColumn *column = l->columns;

	while (column < l->columns + l->ncolumns &&
		   (column->reg != reg || column->is_filter != is_filter))
		column++;
	if (column == l->columns + l->ncolumns)
	{
		l->ncolumns++;
		column->reg = (uint16_t) reg;
		column->transition = (uint8_t) transition;
		column->is_filter = is_filter;
	}
	return (uint8_t) (column - l->columns);
}

void
gpuagg_record_layout_columns(GpuAggRecordLayout *l, const GpuAggShape *shape)
{
	const GpuAggProgram *p = shape->program;
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	memset(l, 0, sizeof(*l));
	l->shape = shape;
	l->possible = !shape->long_keys;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		GpuAggRecordColumn *column;

		l->arg_column[i] = l->filter_column[i] = GPUAGG_NO_COLUMN;
		if (trans[i].filter != GPUAGG_NO_REG)
		{
			l->filter_column[i] = column_of(l, trans[i].filter, i, true);
			l->columns[l->filter_column[i]].width = sizeof(int64_t);
		}
		if (trans[i].arg == GPUAGG_NO_REG)
			continue;
		l->arg_column[i] = column_of(l, trans[i].arg, i, false);
		column = &l->columns[l->arg_column[i]];
		if (gpuagg_transition_is_string(trans[i].op))
			l->possible = false;
		else if (trans[i].op != GPUAGG_TRANS_COUNT)
			column->width = sizeof(int64_t);
	}
	l->row_bytes = sizeof(uint64_t) + shape->key_bytes;
	for (uint32_t c = 0; c < l->ncolumns; c++)
		l->row_bytes += l->columns[c].width + 1;
}

void
gpuagg_record_layout_chunks(GpuAggRecordLayout *l, uint32_t partition_bits,
							uint32_t threads, size_t scope_bytes)
{
	size_t		most = RECORD_FILLING_BYTES / threads;
	uint32_t	off = RECORD_HEAD_BYTES;

	if (most / RECORD_FILLING_SCOPES > scope_bytes)
		most = RECORD_FILLING_SCOPES * scope_bytes;
	l->partition_bits = partition_bits;
	l->chunk_rows = GPUAGG_VECTOR_ROWS;
	while (l->chunk_rows > RECORD_CHUNK_ROWS &&
		   ((size_t) l->chunk_rows * l->row_bytes << partition_bits) > most)
		l->chunk_rows /= 2;
	off += l->chunk_rows * (uint32_t) sizeof(uint64_t);
	l->images_off = off;
	off += l->chunk_rows * l->shape->key_bytes;
	for (uint32_t c = 0; c < l->ncolumns; c++)
	{
		l->columns[c].values_off = off;
		off += l->chunk_rows * l->columns[c].width;
	}
	for (uint32_t c = 0; c < l->ncolumns; c++)
	{
		l->columns[c].states_off = off;
		off += l->chunk_rows;
	}
	/* an odd number of lines, so that chunks do not share their cache sets */
	l->chunk_bytes = ((off + 63) & ~63u) | 64u;
}

/* ---------- memory ---------- */

GpuAggRecords *
gpuagg_records_create(const GpuAggRecordLayout *layout, GpuAggMemory *memory,
					  _Atomic uint64_t *total_bytes)
{
	size_t		lists = sizeof(GpuAggRecordList) << layout->partition_bits;
	GpuAggRecords *r = gpuagg_memory_alloc(memory, sizeof(*r) + lists);

	if (r == NULL)
		return NULL;
	memset(r, 0, sizeof(*r) + lists);
	r->layout = layout;
	r->memory = memory;
	r->total_bytes = total_bytes;
	r->lists = (GpuAggRecordList *) (r + 1);
	for (uint32_t p = 0; p < 1u << layout->partition_bits; p++)
		r->lists[p].n = layout->chunk_rows;
	gpuagg_records_restart(r);
	return r;
}

static void
count_bytes(GpuAggRecords *r, uint64_t bytes)
{
	r->bytes += bytes;
	atomic_fetch_add_explicit(r->total_bytes, bytes, memory_order_relaxed);
}

void
gpuagg_records_release(GpuAggRecords *r)
{
	while (r->blocks != NULL)
	{
		GpuAggRecordBlock *block = r->blocks;

		r->blocks = block->next;
		count_bytes(r, -(uint64_t) block->bytes);
		gpuagg_memory_free(r->memory, block, block->bytes);
	}
	r->next = NULL;
	r->left = 0;
	r->free = NULL;
}

void
gpuagg_records_free(GpuAggRecords *r)
{
	if (r == NULL)
		return;
	gpuagg_records_release(r);
	gpuagg_memory_free(r->memory, r, sizeof(*r) +
					   (sizeof(GpuAggRecordList) << r->layout->partition_bits));
}

static bool
new_block(GpuAggRecords *r)
{
	const size_t chunk = r->layout->chunk_bytes;
	size_t		bytes = GPUAGG_MEMORY_BLOCK;
	GpuAggRecordBlock *block;

	if (bytes < RECORD_HEAD_BYTES + chunk)
		bytes = RECORD_HEAD_BYTES + chunk;
	if (r->bytes + bytes > r->bytes_most)
		return false;
	block = gpuagg_memory_grow(r->memory, bytes);
	if (block == NULL)
		return false;
	block->bytes = bytes;
	block->next = r->blocks;
	r->blocks = block;
	r->next = (char *) block + RECORD_HEAD_BYTES;
	r->left = bytes - RECORD_HEAD_BYTES;
	count_bytes(r, bytes);
	return true;
}

/* The list's chunk is full, or there is none: begin the next. */
static bool
next_chunk(GpuAggRecords *r, GpuAggRecordList *list)
{
	GpuAggRecordChunk *chunk = r->free;

	if (chunk != NULL)
		r->free = chunk->next;
	else
	{
		if (r->left < r->layout->chunk_bytes && !new_block(r))
			return false;
		chunk = (GpuAggRecordChunk *) r->next;
		r->next += r->layout->chunk_bytes;
		r->left -= r->layout->chunk_bytes;
	}
	if (list->filling != NULL)
	{
		list->filling->next = list->full;
		list->full = list->filling;
		list->nfull++;
	}
	list->filling = chunk;
	list->n = 0;
	return true;
}

/* ---------- adding ---------- */

/* Places for rows; returns how many there are. */
static uint32_t
place_rows(GpuAggRecords *r, const uint64_t *hashes, const uint16_t *sel, uint32_t n)
{
	const uint32_t shift = 64 - r->layout->partition_bits;
	const uint32_t chunk_rows = r->layout->chunk_rows;

	for (uint32_t k = 0; k < n; k++)
	{
		GpuAggRecordList *list = &r->lists[hashes[sel[k]] >> shift];

		if (list->n == chunk_rows && !next_chunk(r, list))
			return k;
		r->chunk[k] = (char *) list->filling;
		r->at[k] = (uint16_t) list->n++;
	}
	return n;
}

#define SCATTER(off, type, value) \
	for (uint32_t k = 0; k < n; k++) \
		((type *) (r->chunk[k] + (off)))[r->at[k]] = value

static void
scatter_images(GpuAggRecords *r, const GpuAggKeyBlock *block, const uint16_t *sel,
			   uint32_t n)
{
	const uint32_t off = r->layout->images_off;
	const uint32_t bytes = r->layout->shape->key_bytes;

	if (bytes == 8)
		for (uint32_t k = 0; k < n; k++)
			memcpy(r->chunk[k] + off + r->at[k] * (size_t) 8,
				   block->images + sel[k] * block->stride, 8);
	else if (bytes == 16)
		for (uint32_t k = 0; k < n; k++)
			memcpy(r->chunk[k] + off + r->at[k] * (size_t) 16,
				   block->images + sel[k] * block->stride, 16);
	else
		for (uint32_t k = 0; k < n; k++)
			memcpy(r->chunk[k] + off + r->at[k] * (size_t) bytes,
				   block->images + sel[k] * block->stride, bytes);
}

/* From now on the column's states are written: so far all are values. */
static void
spell_out(GpuAggRecords *r, uint32_t column)
{
	const uint32_t off = r->layout->columns[column].states_off;
	const uint32_t rows = r->layout->chunk_rows;

	for (uint32_t p = 0; p < 1u << r->layout->partition_bits; p++)
	{
		GpuAggRecordList *list = &r->lists[p];

		if (list->filling != NULL)
			memset((char *) list->filling + off, GPUAGG_ST_VALUE, rows);
		for (GpuAggRecordChunk *chunk = list->full; chunk != NULL; chunk = chunk->next)
			memset((char *) chunk + off, GPUAGG_ST_VALUE, rows);
	}
	r->clean[column] = false;
}

static void
scatter_column(GpuAggRecords *r, uint32_t c, const GpuAggVector *v,
			   const uint16_t *sel, uint32_t n)
{
	const GpuAggRecordColumn *column = &r->layout->columns[c];

	if (column->width == sizeof(int64_t))
		SCATTER(column->values_off, int64_t, v->v.i[sel[k]]);
	else if (column->width == sizeof(GpuAggBytes))
		SCATTER(column->values_off, GpuAggBytes, v->v.b[sel[k]]);
	if (r->clean[c] && v->clean)
		return;
	if (r->clean[c])
		spell_out(r, c);
	if (v->clean)
		SCATTER(column->states_off, uint8_t, GPUAGG_ST_VALUE);
	else
		SCATTER(column->states_off, uint8_t, v->st[sel[k]]);
}

static const GpuAggVector *
column_vector(const GpuAggRecordColumn *column, const GpuAggInputs *in)
{
	return column->is_filter ? in->filters[column->transition] : in->args[column->transition];
}

uint32_t
gpuagg_records_add(GpuAggRecords *r, const GpuAggKeyBlock *block,
				   const GpuAggInputs *in, const uint16_t *sel, uint32_t n)
{
	const uint64_t *hashes = block->hashes;

	n = place_rows(r, hashes, sel, n);
	SCATTER(RECORD_HEAD_BYTES, uint64_t, hashes[sel[k]]);
	scatter_images(r, block, sel, n);
	for (uint32_t c = 0; c < r->layout->ncolumns; c++)
		scatter_column(r, c, column_vector(&r->layout->columns[c], in), sel, n);
	r->kept += n;
	return n;
}

/* ---------- reading ---------- */

static void
view_chunk(const GpuAggRecords *r, char *chunk, uint32_t n, GpuAggRecordView *view)
{
	const GpuAggRecordLayout *l = r->layout;

	view->n = n;
	view->block.images = chunk + l->images_off;
	view->block.stride = l->shape->key_bytes;
	view->block.hashes = (const uint64_t *) (chunk + RECORD_HEAD_BYTES);
	for (uint32_t c = 0; c < l->ncolumns; c++)
	{
		view->vectors[c].v.i = (int64_t *) (chunk + l->columns[c].values_off);
		view->vectors[c].st = (uint8_t *) chunk + l->columns[c].states_off;
		view->vectors[c].clean = r->clean[c];
	}
	for (uint32_t i = 0; i < l->shape->layout.ntransitions; i++)
	{
		view->in.args[i] = l->arg_column[i] == GPUAGG_NO_COLUMN ? NULL :
			&view->vectors[l->arg_column[i]];
		view->in.filters[i] = l->filter_column[i] == GPUAGG_NO_COLUMN ? NULL :
			&view->vectors[l->filter_column[i]];
	}
}

bool
gpuagg_records_next(const GpuAggRecords *r, uint32_t partition,
					GpuAggRecordChunk **chunk, GpuAggRecordView *view)
{
	const GpuAggRecordList *list = &r->lists[partition];
	uint32_t	n = r->layout->chunk_rows;

	if (*chunk == NULL && list->filling != NULL)
	{
		*chunk = list->filling;
		n = list->n;
	}
	else
		*chunk = *chunk == NULL || *chunk == list->filling ? list->full : (*chunk)->next;
	if (*chunk == NULL)
		return false;
	view_chunk(r, (char *) *chunk, n, view);
	return true;
}

void
gpuagg_records_drop(GpuAggRecords *r, uint32_t partition)
{
	GpuAggRecordList *list = &r->lists[partition];

	if (list->filling != NULL)
	{
		list->filling->next = list->full;
		list->full = list->filling;
	}
	while (list->full != NULL)
	{
		GpuAggRecordChunk *chunk = list->full;

		list->full = chunk->next;
		chunk->next = r->free;
		r->free = chunk;
	}
	list->filling = NULL;
	list->nfull = 0;
	list->n = r->layout->chunk_rows;
}

void
gpuagg_records_restart(GpuAggRecords *r)
{
	r->kept = 0;
	for (uint32_t c = 0; c < r->layout->ncolumns; c++)
		r->clean[c] = true;
}
