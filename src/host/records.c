/*
 * records.c
 *		Rows that one thread keeps, by partition, until a partition is
 *		aggregated.
 *
 * Rows are packed column by column into records that lie side by side in the
 * L1 cache, then each is copied to its partition's stage: a few cache lines,
 * for hundreds of partitions as much as the L1 and L2 caches hold.  A full
 * stage is written, past the caches, to the record block that its partition is
 * filling: whole lines at once need not be fetched first, and will not be
 * looked at until they have left the caches.
 *
 * Record blocks are cut from blocks of a huge page, for otherwise each would be pages
 * of its own.  They are used again and again: memory that is touched for the
 * first time costs more than what is done with it.
 */
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "device/ops/group.h"
#include "host/records.h"

/* Rows that are packed at once, to be in the L1 cache when they are copied */
#define RECORD_PACKED_ROWS 256

/* So far ahead are records fetched that have left the caches. */
#define RECORD_PREFETCH_BYTES 1024

typedef struct GpuAggRecordMemory
{
	struct GpuAggRecordMemory *next;
	size_t		bytes;
} GpuAggRecordMemory;

/* ---------- memory ---------- */

static size_t
stage_bytes(const GpuAggRecordForm *f)
{
	return (size_t) f->stage_rows * f->row_bytes;
}

GpuAggRecords *
gpuagg_records_create(const GpuAggRecordLayout *layout, GpuAggMemory *memory,
					  _Atomic uint64_t *total_bytes)
{
	const size_t partitions = (size_t) 1 << layout->partition_bits;
	const size_t stages = gpuagg_align(sizeof(GpuAggRecords), GPUAGG_RECORD_LINE_BYTES);
	const size_t stage = stage_bytes(&layout->whole) > stage_bytes(&layout->compact) ?
		stage_bytes(&layout->whole) : stage_bytes(&layout->compact);
	const size_t packed = stages + partitions * stage;
	const size_t lists = packed + RECORD_PACKED_ROWS * layout->whole.row_bytes;
	const size_t staged = lists + partitions * sizeof(GpuAggRecordList);
	const size_t bytes = staged + partitions;
	GpuAggRecords *r = gpuagg_memory_alloc(memory, bytes);

	if (r == NULL)
		return NULL;
	memset(r, 0, sizeof(*r));
	r->own_bytes = bytes;
	r->layout = layout;
	r->form = &layout->compact;
	r->memory = memory;
	r->total_bytes = total_bytes;
	r->stages = (char *) r + stages;
	r->packed = (char *) r + packed;
	r->lists = (GpuAggRecordList *) ((char *) r + lists);
	r->staged = (uint8_t *) r + staged;
	memset(r->lists, 0, bytes - lists);
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
		GpuAggRecordMemory *block = r->blocks;

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
	gpuagg_memory_free(r->memory, r, r->own_bytes);
}

static bool
new_block(GpuAggRecords *r)
{
	const size_t record_block = r->form->record_block_bytes;
	size_t		bytes = GPUAGG_MEMORY_BLOCK;
	GpuAggRecordMemory *block;

	if (bytes < GPUAGG_RECORD_HEAD_BYTES + record_block)
		bytes = GPUAGG_RECORD_HEAD_BYTES + record_block;
	if (r->bytes + bytes > r->bytes_most)
		return false;
	block = gpuagg_memory_grow(r->memory, bytes);
	if (block == NULL)
		return false;
	block->bytes = bytes;
	block->next = r->blocks;
	r->blocks = block;
	r->next = (char *) block + GPUAGG_RECORD_HEAD_BYTES;
	r->left = bytes - GPUAGG_RECORD_HEAD_BYTES;
	count_bytes(r, bytes);
	return true;
}

/* The list's record block is full, or there is none: begin the next. */
static bool
next_record_block(GpuAggRecords *r, GpuAggRecordList *list)
{
	GpuAggRecordBlock *record_block = r->free;

	if (record_block != NULL)
		r->free = record_block->next;
	else
	{
		if (r->left < r->form->record_block_bytes && !new_block(r))
			return false;
		record_block = (GpuAggRecordBlock *) r->next;
		r->next += r->form->record_block_bytes;
		r->left -= r->form->record_block_bytes;
	}
	if (list->filling != NULL)
	{
		list->filling->next = list->full;
		list->full = list->filling;
		list->nfull++;
	}
	list->filling = record_block;
	list->n = 0;
	return true;
}

/* ---------- adding ---------- */

/* A row's field of a packed record */
#define PACK(off, type, value) \
	for (uint32_t k = 0; k < n; k++) \
	{ \
		const type field = (type) (value); \
		\
		memcpy(to + k * (size_t) stride + (off), &field, sizeof(field)); \
	}

#define PACK_BYTES(off, from, bytes) \
	for (uint32_t k = 0; k < n; k++) \
		memcpy(to + k * (size_t) stride + (off), from, bytes)

static void
pack_images(const GpuAggRecordForm *f, char *to, const GpuAggKeyBlock *block,
			const uint16_t *sel, uint32_t n)
{
	const uint32_t stride = f->row_bytes;
	const char *images = block->images + f->image_first;

	if (f->image_bytes == 4)
		PACK_BYTES(GPUAGG_HOST_RECORD_HASH, images + sel[k] * block->stride, 4);
	else if (f->image_bytes == 8)
		PACK_BYTES(GPUAGG_HOST_RECORD_HASH, images + sel[k] * block->stride, 8);
	else
		PACK_BYTES(GPUAGG_HOST_RECORD_HASH, images + sel[k] * block->stride, f->image_bytes);
}

static void
pack_column(const GpuAggRecordForm *f, char *to, const GpuAggRecordColumn *column,
			uint32_t c, const GpuAggVector *v, const uint16_t *sel, uint32_t n)
{
	const uint32_t stride = f->row_bytes;
	const uint32_t off = f->values_off + column->off;

	if (column->is_filter)
		PACK(off, int32_t, v->v.i[sel[k]] != 0)
	else if (column->width == sizeof(int32_t))
		PACK(off, int32_t, v->v.i[sel[k]])
	else if (column->width == sizeof(int64_t))
		PACK(off, int64_t, v->v.i[sel[k]])
	if (f->has_states && v->clean)
		PACK(f->states_off + c, uint8_t, GPUAGG_ST_VALUE)
	else if (f->has_states)
		PACK(f->states_off + c, uint8_t, v->st[sel[k]])
}

static const GpuAggVector *
column_vector(const GpuAggRecordColumn *column, const GpuAggInputs *in)
{
	return column->is_filter ? in->filters[column->transition] : in->args[column->transition];
}

static void
pack_rows(GpuAggRecords *r, const GpuAggKeyBlock *block, const GpuAggInputs *in,
		  const uint16_t *sel, uint32_t n)
{
	const GpuAggRecordLayout *l = r->layout;
	const uint32_t stride = r->form->row_bytes;
	char	   *to = r->packed;

	PACK(0, uint32_t, block->hashes[sel[k]])
	pack_images(r->form, to, block, sel, n);
	for (uint32_t c = 0; c < l->ncolumns; c++)
		pack_column(r->form, to, &l->columns[c], c, column_vector(&l->columns[c], in), sel, n);
}

/* Whole cache lines, past the caches */
static inline void
write_lines(char *to, const char *from, size_t bytes)
{
#if defined(__SSE2__)
	for (size_t i = 0; i < bytes; i += sizeof(__m128i))
		_mm_stream_si128((__m128i *) (to + i), _mm_load_si128((const __m128i *) (from + i)));
#else
	memcpy(to, from, bytes);
#endif
}

/* What was written past the caches is seen before anything written later. */
static inline void
written_lines(void)
{
#if defined(__SSE2__)
	_mm_sfence();
#endif
}

/* Empty a full stage.  False: no memory. */
static bool
write_stage(GpuAggRecords *r, uint32_t partition)
{
	const GpuAggRecordForm *f = r->form;
	const size_t bytes = stage_bytes(f);
	GpuAggRecordList *list = &r->lists[partition];

	if ((list->filling == NULL || list->n == f->record_block_rows) && !next_record_block(r, list))
		return false;
	write_lines((char *) list->filling + GPUAGG_RECORD_HEAD_BYTES + (size_t) list->n * f->row_bytes,
				r->stages + partition * bytes, bytes);
	list->n += f->stage_rows;
	r->staged[partition] = 0;
	return true;
}

/* Packed records to their partitions' stages; returns how many found room. */
static inline __attribute__((always_inline)) uint32_t
stage_rows(GpuAggRecords *r, const uint64_t *hashes, const uint16_t *sel, uint32_t n,
		   const uint32_t row_bytes)
{
	const uint32_t shift = 64 - r->layout->partition_bits;
	const uint32_t full = r->form->stage_rows;
	const size_t stage = (size_t) full * row_bytes;
	const char *from = r->packed;
	char	   *const stages = r->stages;
	uint8_t    *const staged = r->staged;

	for (uint32_t k = 0; k < n; k++, from += row_bytes)
	{
		const uint32_t p = (uint32_t) (hashes[sel[k]] >> shift);
		uint32_t	at = staged[p];

		if (__builtin_expect(at == full, 0))
		{
			if (!write_stage(r, p))
				return k;
			at = 0;
		}
		memcpy(stages + p * stage + at * row_bytes, from, row_bytes);
		staged[p] = (uint8_t) (at + 1);
	}
	return n;
}

static uint32_t
stage_packed(GpuAggRecords *r, const uint64_t *hashes, const uint16_t *sel, uint32_t n)
{
	switch (r->form->row_bytes)
	{
		case 8:
			return stage_rows(r, hashes, sel, n, 8);
		case 12:
			return stage_rows(r, hashes, sel, n, 12);
		case 16:
			return stage_rows(r, hashes, sel, n, 16);
		case 20:
			return stage_rows(r, hashes, sel, n, 20);
		case 24:
			return stage_rows(r, hashes, sel, n, 24);
		default:
			return stage_rows(r, hashes, sel, n, r->form->row_bytes);
	}
}

static inline void
write_narrow(char *record, uint32_t field, uint32_t value)
{
	memcpy(record + field * sizeof(value), &value, sizeof(value));
}

/*
 * Rows of narrow records, one after the other to their stages: packed by
 * column they would be read and written once more.
 */
static inline __attribute__((always_inline)) uint32_t
stage_narrow_rows(GpuAggRecords *r, const GpuAggKeyBlock *block, const GpuAggInputs *in,
				  const uint16_t *sel, uint32_t n, const uint32_t ncolumns)
{
	const GpuAggRecordLayout *l = r->layout;
	const uint32_t shift = 64 - l->partition_bits;
	const uint32_t row_bytes = (2 + ncolumns) * sizeof(uint32_t);
	const uint32_t full = GPUAGG_RECORD_NARROW_STAGE;
	const uint64_t *const hashes = block->hashes;
	const int64_t *const keys = in->keys[0]->v.i;
	char	   *const stages = r->stages;
	uint8_t    *const staged = r->staged;
	const int64_t *values[GPUAGG_RECORD_NARROW_COLUMNS];

	for (uint32_t c = 0; c < ncolumns; c++)
		values[c] = column_vector(&l->columns[c], in)->v.i;
	for (uint32_t k = 0; k < n; k++)
	{
		const uint32_t i = sel[k];
		const uint32_t p = (uint32_t) (hashes[i] >> shift);
		uint32_t	at = staged[p];
		char	   *to;

		if (__builtin_expect(at == full, 0))
		{
			if (!write_stage(r, p))
				return k;
			at = 0;
		}
		to = stages + ((size_t) p * full + at) * row_bytes;
		write_narrow(to, 0, (uint32_t) hashes[i]);
		write_narrow(to, 1, (uint32_t) keys[i]);
		for (uint32_t c = 0; c < ncolumns; c++)
			write_narrow(to, 2 + c, (uint32_t) values[c][i]);
		staged[p] = (uint8_t) (at + 1);
	}
	return n;
}

static uint32_t
stage_narrow(GpuAggRecords *r, const GpuAggKeyBlock *block, const GpuAggInputs *in,
			 const uint16_t *sel, uint32_t n)
{
	switch (r->layout->ncolumns)
	{
		case 0:
			return stage_narrow_rows(r, block, in, sel, n, 0);
		case 1:
			return stage_narrow_rows(r, block, in, sel, n, 1);
		case 2:
			return stage_narrow_rows(r, block, in, sel, n, 2);
		default:
			return stage_narrow_rows(r, block, in, sel, n, 3);
	}
}

/* Rows packed some at a time; returns how many found room. */
static uint32_t
stage_wide(GpuAggRecords *r, const GpuAggKeyBlock *block, const GpuAggInputs *in,
		   const uint16_t *sel, uint32_t n)
{
	uint32_t	added = 0;
	uint32_t	found = 0;
	uint32_t	rows = 0;

	for (; found == rows && added < n; added += found)
	{
		rows = n - added < RECORD_PACKED_ROWS ? n - added : RECORD_PACKED_ROWS;
		pack_rows(r, block, in, sel + added, rows);
		found = stage_packed(r, block->hashes, sel + added, rows);
	}
	return added;
}

/* Are all keys, arguments and filters values? */
static bool
all_values(const GpuAggRecordLayout *l, const GpuAggInputs *in)
{
	bool		clean = true;

	for (uint32_t i = 0; i < l->prepared->layout.nkeys; i++)
		clean &= in->keys[i]->clean;
	for (uint32_t c = 0; c < l->ncolumns; c++)
		clean &= column_vector(&l->columns[c], in)->clean;
	return clean;
}

uint32_t
gpuagg_records_add(GpuAggRecords *r, const GpuAggKeyBlock *block,
				   const GpuAggInputs *in, const uint16_t *sel, uint32_t n)
{
	uint32_t	added;

	if (r->form == &r->layout->compact && !all_values(r->layout, in))
	{
		if (r->kept > 0)
			return 0;
		gpuagg_records_release(r);
		r->form = &r->layout->whole;
	}
	added = r->form->narrow ? stage_narrow(r, block, in, sel, n) :
		stage_wide(r, block, in, sel, n);
	written_lines();
	r->kept += added;
	return added;
}

/* ---------- reading ---------- */

GpuAggRecordView *
gpuagg_record_view_create(const GpuAggRecordLayout *l, GpuAggMemory *memory)
{
	const size_t head = gpuagg_align(sizeof(GpuAggRecordView), GPUAGG_RECORD_LINE_BYTES);
	const size_t column = sizeof(int64_t) + 1;
	const size_t bytes = head + GPUAGG_RECORD_VIEW_ROWS *
		(sizeof(uint64_t) + l->prepared->key_bytes + l->ncolumns * column);
	GpuAggRecordView *view = gpuagg_memory_alloc(memory, bytes);
	char	   *values;

	if (view == NULL)
		return NULL;
	memset(view, 0, sizeof(*view));
	view->bytes = bytes;
	view->hashes = (uint64_t *) ((char *) view + head);
	view->images = (char *) (view->hashes + GPUAGG_RECORD_VIEW_ROWS);
	view->block = (GpuAggKeyBlock) {view->images, l->prepared->key_bytes, view->hashes};
	values = view->images + GPUAGG_RECORD_VIEW_ROWS * (size_t) l->prepared->key_bytes;
	for (uint32_t c = 0; c < l->ncolumns; c++, values += GPUAGG_RECORD_VIEW_ROWS * column)
	{
		view->vectors[c].v.i = (int64_t *) values;
		view->vectors[c].st = (uint8_t *) (view->vectors[c].v.i + GPUAGG_RECORD_VIEW_ROWS);
	}
	for (uint32_t i = 0; i < l->prepared->layout.ntransitions; i++)
	{
		if (l->arg_column[i] != GPUAGG_NO_COLUMN)
			view->in.args[i] = &view->vectors[l->arg_column[i]];
		if (l->filter_column[i] != GPUAGG_NO_COLUMN)
			view->in.filters[i] = &view->vectors[l->filter_column[i]];
	}
	return view;
}

void
gpuagg_record_view_free(GpuAggRecordView *view, GpuAggMemory *memory)
{
	if (view != NULL)
		gpuagg_memory_free(memory, view, view->bytes);
}

/* Fields of n records, `stride` bytes apart */
#define UNPACK(to, wide, off, type) \
	for (uint32_t k = 0; k < n; k++) \
	{ \
		type		field; \
		\
		memcpy(&field, from + k * (size_t) stride + (off), sizeof(field)); \
		(to)[k] = (wide) field; \
	}

#define UNPACK_BYTES(to, off, bytes) \
	for (uint32_t k = 0; k < n; k++) \
		memcpy((to) + k * key_bytes, from + k * (size_t) stride + (off), bytes)

static void
unpack_images(const GpuAggRecordForm *f, const char *from, uint32_t n, char *images,
			  size_t key_bytes)
{
	const uint32_t stride = f->row_bytes;
	char	   *to = images + f->image_first;

	memset(images, 0, n * key_bytes);
	if (f->image_bytes == 4)
		UNPACK_BYTES(to, GPUAGG_HOST_RECORD_HASH, 4);
	else if (f->image_bytes == 8)
		UNPACK_BYTES(to, GPUAGG_HOST_RECORD_HASH, 8);
	else
		UNPACK_BYTES(to, GPUAGG_HOST_RECORD_HASH, f->image_bytes);
}

/*
 * Field by field: read and written through an array, compilers let a record go
 * by way of the stack.
 */
static inline int32_t
read_narrow(const char *record, uint32_t field)
{
	int32_t		value;

	memcpy(&value, record + field * sizeof(value), sizeof(value));
	return value;
}

/* All fields of a narrow record at once */
static inline __attribute__((always_inline)) void
unpack_narrow_rows(const char *from, uint32_t n, GpuAggRecordView *view,
				   const uint32_t ncolumns)
{
	const uint32_t at = view->n;
	uint64_t   *hashes = view->hashes + at;
	char	   *images = view->images + at * sizeof(uint64_t);
	int64_t    *values[GPUAGG_RECORD_NARROW_COLUMNS];

	for (uint32_t c = 0; c < ncolumns; c++)
	{
		view->vectors[c].clean = true;
		values[c] = view->vectors[c].v.i + at;
	}
	for (uint32_t k = 0; k < n; k++)
	{
		const char *row = from + k * (2 + ncolumns) * sizeof(uint32_t);
		const int32_t image[2] = {0, read_narrow(row, 1)};

		__builtin_prefetch(row + RECORD_PREFETCH_BYTES, 0, 0);
		hashes[k] = (uint32_t) read_narrow(row, 0);
		memcpy(images + k * sizeof(image), image, sizeof(image));
		for (uint32_t c = 0; c < ncolumns; c++)
			values[c][k] = read_narrow(row, 2 + c);
	}
}

static void
unpack_narrow(const GpuAggRecords *r, const char *from, uint32_t n, GpuAggRecordView *view)
{
	switch (r->layout->ncolumns)
	{
		case 0:
			unpack_narrow_rows(from, n, view, 0);
			break;
		case 1:
			unpack_narrow_rows(from, n, view, 1);
			break;
		case 2:
			unpack_narrow_rows(from, n, view, 2);
			break;
		default:
			unpack_narrow_rows(from, n, view, 3);
			break;
	}
	view->n += n;
}

/* n records become rows from view->n on. */
static void
unpack_rows(const GpuAggRecords *r, const char *from, uint32_t n, GpuAggRecordView *view)
{
	const GpuAggRecordForm *f = r->form;
	const GpuAggRecordLayout *l = r->layout;
	const uint32_t stride = f->row_bytes;
	const uint32_t at = view->n;

	UNPACK(view->hashes + at, uint64_t, 0, uint32_t)
	unpack_images(f, from, n, view->images + (size_t) at * l->prepared->key_bytes,
				  l->prepared->key_bytes);
	for (uint32_t c = 0; c < l->ncolumns; c++)
	{
		const uint32_t off = f->values_off + l->columns[c].off;
		GpuAggVector *v = &view->vectors[c];

		v->clean = !f->has_states;
		if (l->columns[c].width == sizeof(int32_t))
			UNPACK(v->v.i + at, int64_t, off, int32_t)
		else if (l->columns[c].width == sizeof(int64_t))
			UNPACK(v->v.i + at, int64_t, off, int64_t)
		if (f->has_states)
			UNPACK(v->st + at, uint8_t, f->states_off + c, uint8_t)
	}
	view->n += n;
}

/* The record block being filled, full ones, then the stage.  False: that was all. */
static bool
next_rows(const GpuAggRecords *r, uint32_t partition, GpuAggRecordCursor *c)
{
	const GpuAggRecordList *list = &r->lists[partition];
	const GpuAggRecordBlock *first = list->filling != NULL ? list->filling : list->full;

	if (c->in_stage)
		return false;
	if (c->rows == NULL)
		c->record_block = first;
	else
		c->record_block = c->record_block == list->filling ? list->full : c->record_block->next;
	c->in_stage = c->record_block == NULL;
	c->row = 0;
	c->nrows = c->in_stage ? r->staged[partition] :
		c->record_block == list->filling ? list->n : r->form->record_block_rows;
	c->rows = c->in_stage ? r->stages + partition * stage_bytes(r->form) :
		(const char *) c->record_block + GPUAGG_RECORD_HEAD_BYTES;
	return true;
}

bool
gpuagg_records_read(const GpuAggRecords *r, uint32_t partition,
					GpuAggRecordCursor *c, GpuAggRecordView *view)
{
	view->n = 0;
	while (view->n < GPUAGG_RECORD_VIEW_ROWS)
	{
		uint32_t	n = GPUAGG_RECORD_VIEW_ROWS - view->n;

		if (c->row == c->nrows && !next_rows(r, partition, c))
			break;
		if (n > c->nrows - c->row)
			n = c->nrows - c->row;
		if (r->form->narrow)
			unpack_narrow(r, c->rows + (size_t) c->row * r->form->row_bytes, n, view);
		else
			unpack_rows(r, c->rows + (size_t) c->row * r->form->row_bytes, n, view);
		c->row += n;
	}
	return view->n > 0;
}

void
gpuagg_records_drop(GpuAggRecords *r, uint32_t partition)
{
	GpuAggRecordList *list = &r->lists[partition];

	r->kept -= gpuagg_records_count(r, partition);
	if (list->filling != NULL)
	{
		list->filling->next = list->full;
		list->full = list->filling;
	}
	while (list->full != NULL)
	{
		GpuAggRecordBlock *record_block = list->full;

		list->full = record_block->next;
		record_block->next = r->free;
		r->free = record_block;
	}
	list->filling = NULL;
	list->nfull = 0;
	r->staged[partition] = 0;
}
