/*
 * decode.c
 *		Heap pages to vectors of registers, a block at a time.
 *
 * Page by page, a first loop follows the line pointers.  A tuple that is
 * full (it has all attributes up to the last one needed, none of them NULL)
 * is crossed stretch by stretch (prepared.h): variable-length attributes are
 * stepped over, and of each run of fixed-length ones only the start is
 * noted.  Then fixed-length columns are loaded one after the other from all
 * these starts, in loops without branches.  Tuples that are not full are
 * decoded attribute by attribute.
 *
 * A row whose needed value is compressed or external goes to the list of
 * rows for PostgreSQL and leaves no trace in the vectors.
 *
 * A sample of lines narrows the page's visibility bitmap before anything else
 * is looked at; so scans without a sample pay nothing for it.  Which lines
 * are in it is known without the page, so their line pointers are asked for
 * two pages ahead, and their tuples one page ahead.
 */
#include <stdio.h>

#include "device/ops/page.h"
#include "host/decode.h"
#include "host/host_compare.h"
#include "host/host_dictionary.h"
#include "host/sample_lines.h"

/* Bytes of a tuple header without NULLs */
#define PREFETCH_HEADER 24

/* Full tuples of one page that wait for their fixed columns. */
typedef struct GpuAggFullTuples
{
	uint16_t	start[GPUAGG_MAX_ANCHORS][GPUAGG_MAX_LINES];	/* in the page */
	uint16_t	row[GPUAGG_MAX_LINES];
	uint32_t	n;
} GpuAggFullTuples;

static GpuAggStatus
corrupt(const GpuAggDecoder *d, uint32_t line, GpuAggError *error)
{
	error->status = GPUAGG_CORRUPT_PAGE;
	error->detail = d->first + d->page;
	snprintf(error->message, sizeof(error->message),
			 "line pointer %u of page %u of the batch points outside of its page or tuple",
			 line + 1, d->first + d->page);
	return error->status;
}

GpuAggRowRef *
gpuagg_decode_room(GpuAggDecoder *d, uint32_t n, GpuAggError *error)
{
	uint32_t	max = d->max_listed == 0 ? 64 : d->max_listed * 2;
	GpuAggRowRef *refs;

	if (n <= d->max_listed - d->nlisted)
		return d->listed + d->nlisted;
	if (max < d->nlisted + n)
		max = d->nlisted + n;
	refs = gpuagg_memory_alloc(d->memory, max * sizeof(*refs));
	if (refs == NULL)
	{
		gpuagg_memory_error(d->memory, error);
		return NULL;
	}
	if (d->nlisted > 0)
		memcpy(refs, d->listed, d->nlisted * sizeof(*refs));
	gpuagg_memory_free(d->memory, d->listed, d->max_listed * sizeof(*refs));
	d->listed = refs;
	d->max_listed = max;
	return refs + d->nlisted;
}

static GpuAggRowRef
row_ref(const GpuAggDecoder *d, uint32_t line)
{
	GpuAggRowRef ref = {d->first + d->page, line + 1};

	return ref;
}

static GpuAggStatus
skip_row(GpuAggDecoder *d, uint32_t line, GpuAggError *error)
{
	GpuAggRowRef *ref = gpuagg_decode_room(d, 1, error);

	if (ref == NULL)
		return error->status;
	*ref = row_ref(d, line);
	d->nlisted++;
	return GPUAGG_OK;
}

static void
set_null(GpuAggVector *v, uint32_t row)
{
	v->st[row] = GPUAGG_ST_NULL;
	v->clean = false;
}

/* VALUE, or TOASTED: no device holds such a value. */
static GpuAggFetch
store_value(GpuAggVector *v, const GpuAggAttr *a, uint32_t row, const char *value,
			uint32_t len)
{
	switch (a->type)
	{
		case GPUAGG_T_NUMERIC:
			if (!gpuagg_load_numeric(value, len, a->scale, &v->v.i[row]))
				return GPUAGG_FETCH_TOASTED;
			break;
		case GPUAGG_T_TIMETZ:
			if (!gpuagg_load_timetz(value, &v->v.i[row]))
				return GPUAGG_FETCH_TOASTED;
			break;
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			v->v.f[row] = gpuagg_load_f64(a->type, value);
			break;
		case GPUAGG_T_NAME:
			len = gpuagg_name_length(value);
			__attribute__((fallthrough));
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_UUID:
		case GPUAGG_T_INET:
		case GPUAGG_T_INTERVAL:
			v->v.b[row].data = value;
			v->v.b[row].len = len;
			break;
		default:
			v->v.i[row] = gpuagg_load_i64(a->type, value);
			break;
	}
	return GPUAGG_FETCH_VALUE;
}

/* The value of an attribute that was added after the tuple was written. */
static void
store_missing(const GpuAggProgram *p, const GpuAggAttr *a, GpuAggVector *v,
			  uint32_t row)
{
	const GpuAggConst *c;

	if (a->missing_const == GPUAGG_NO_REG)
	{
		set_null(v, row);
		return;
	}
	c = &gpuagg_program_consts(p)[a->missing_const - p->ncolumns];
	if (c->state != GPUAGG_ST_VALUE)
	{
		set_null(v, row);
		return;
	}
	switch (a->type)
	{
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			v->v.f[row] = c->v.f;
			break;
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_UUID:
		case GPUAGG_T_NAME:
		case GPUAGG_T_INET:
		case GPUAGG_T_INTERVAL:
			v->v.b[row].data = (const char *) p + c->v.off;
			v->v.b[row].len = c->len;
			break;
		default:
			v->v.i[row] = c->v.i;
			break;
	}
}

/*
 * Load a tuple's attributes from number `from` on, which starts at or after
 * off.  TOASTED: skip the row.  What a skipped row has written is
 * overwritten by the next one, except for its states; they are reset here.
 */
static GpuAggFetch
walk_tuple(const GpuAggDecoder *d, const GpuAggTuple *tuple, uint32_t from,
		   uint32_t off, uint32_t row)
{
	const GpuAggProgram *p = d->prepared->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = from; i < p->nattrs; i++)
	{
		const GpuAggAttr *a = &attrs[i];
		const char *value = NULL;
		uint32_t	len = 0;
		GpuAggFetch fetch = gpuagg_tuple_attr(tuple, a, i, &off, &value, &len);
		GpuAggVector *v;

		if (fetch == GPUAGG_FETCH_CORRUPT)
			return fetch;
		if (a->reg == GPUAGG_NO_REG)
			continue;
		v = &d->columns[a->reg];
		if (fetch == GPUAGG_FETCH_VALUE)
			fetch = store_value(v, a, row, value, len);
		else if (fetch == GPUAGG_FETCH_NULL)
			set_null(v, row);
		else if (fetch == GPUAGG_FETCH_MISSING)
			store_missing(p, a, v, row);
		if (fetch == GPUAGG_FETCH_TOASTED)
		{
			for (uint32_t r = 0; r < p->ncolumns; r++)
				d->columns[r].st[row] = GPUAGG_ST_VALUE;
			return fetch;
		}
	}
	return GPUAGG_FETCH_VALUE;
}

/*
 * Step over an attribute of variable length of a full tuple and, if it is
 * loaded, leave its bytes in the row.
 */
static GpuAggFetch
step_over(const GpuAggDecoder *d, const GpuAggTuple *tuple, uint32_t i,
		  uint32_t *off, uint32_t row)
{
	const GpuAggAttr *a = &gpuagg_program_attrs(d->prepared->program)[i];
	const char *value = NULL;
	uint32_t	len = 0;
	GpuAggFetch fetch = gpuagg_tuple_attr(tuple, a, i, off, &value, &len);

	if (fetch == GPUAGG_FETCH_VALUE && a->reg != GPUAGG_NO_REG)
		fetch = store_value(&d->columns[a->reg], a, row, value, len);
	else if (fetch == GPUAGG_FETCH_TOASTED && a->reg == GPUAGG_NO_REG)
		fetch = GPUAGG_FETCH_VALUE;
	return fetch;
}

/* step_over with a short cut for what most strings are: short */
static inline GpuAggFetch
step_over_fast(const GpuAggDecoder *d, const GpuAggTuple *tuple, uint32_t i,
			   uint32_t *off, uint32_t row)
{
	const GpuAggAttr *a = &gpuagg_program_attrs(d->prepared->program)[i];
	const uint8_t *p = (const uint8_t *) tuple->data + *off;
	uint8_t		first;
	uint32_t	size;

	if (a->attlen != -1 || *off >= tuple->bytes)
		return step_over(d, tuple, i, off, row);
	first = *p;
	GPUAGG_READ_ONCE(first);
	size = GPUAGG_VARLENA_SHORT_BYTES(first);
	if (!GPUAGG_VARLENA_IS_SHORT(first) || GPUAGG_VARLENA_IS_EXTERNAL(first) ||
		size > tuple->bytes - *off)
		return step_over(d, tuple, i, off, row);
	*off += size;
	return a->reg == GPUAGG_NO_REG ? GPUAGG_FETCH_VALUE :
		store_value(&d->columns[a->reg], a, row, (const char *) p + 1, size - 1);
}

/*
 * Cross a full tuple; its starts go to the next position in `full`, which the
 * caller takes if this returns VALUE.
 */
static inline GpuAggFetch
cross_tuple(const GpuAggDecoder *d, const GpuAggTuple *tuple, uint32_t row,
			GpuAggFullTuples *full)
{
	const GpuAggPrepared *s = d->prepared;
	const GpuAggStretch *end = s->stretches + s->nstretches;
	const uint32_t data = (uint32_t) (tuple->data - d->pages[d->page].page);
	uint32_t	off = 0;

	full->row[full->n] = (uint16_t) row;
	for (const GpuAggStretch *st = s->stretches; st < end; st++)
	{
		for (uint32_t i = st->first; i < st->fixed; i++)
		{
			GpuAggFetch fetch = step_over_fast(d, tuple, i, &off, row);

			if (__builtin_expect(fetch != GPUAGG_FETCH_VALUE, 0))
				return fetch;
		}
		off = (off + st->align - 1) & ~((uint32_t) st->align - 1);
		if (st->anchor != GPUAGG_NO_ANCHOR)
			full->start[st->anchor][full->n] = (uint16_t) (data + off);
		off += st->bytes;
	}
	if (off > tuple->bytes)
		return GPUAGG_FETCH_CORRUPT;
	if (s->walk_from < s->program->nattrs)
		return walk_tuple(d, tuple, s->walk_from, off, row);
	return GPUAGG_FETCH_VALUE;
}

/* One column from every full tuple of the page. */
static void
load_column(const GpuAggFixedColumn *column, const GpuAggAttr *a, GpuAggVector *v,
			const char *page, const GpuAggFullTuples *full)
{
	const char *base = page + column->off;
	const uint32_t n = full->n;
	const uint16_t *start = full->start[column->anchor];
	const uint16_t *row = full->row;

	switch (a->type)
	{
		case GPUAGG_T_BOOL:
			for (uint32_t k = 0; k < n; k++)
				v->v.i[row[k]] = gpuagg_load_i64(GPUAGG_T_BOOL, base + start[k]);
			break;
		case GPUAGG_T_INT2:
			for (uint32_t k = 0; k < n; k++)
				v->v.i[row[k]] = gpuagg_load_i64(GPUAGG_T_INT2, base + start[k]);
			break;
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			for (uint32_t k = 0; k < n; k++)
				v->v.i[row[k]] = gpuagg_load_i64(GPUAGG_T_INT4, base + start[k]);
			break;
		case GPUAGG_T_FLOAT4:
			for (uint32_t k = 0; k < n; k++)
				v->v.f[row[k]] = gpuagg_load_f64(GPUAGG_T_FLOAT4, base + start[k]);
			break;
		case GPUAGG_T_FLOAT8:
			for (uint32_t k = 0; k < n; k++)
				v->v.f[row[k]] = gpuagg_load_f64(GPUAGG_T_FLOAT8, base + start[k]);
			break;
		case GPUAGG_T_UUID:
		case GPUAGG_T_INTERVAL:
			for (uint32_t k = 0; k < n; k++)
			{
				v->v.b[row[k]].data = base + start[k];
				v->v.b[row[k]].len = 16;
			}
			break;
		case GPUAGG_T_NAME:
			for (uint32_t k = 0; k < n; k++)
			{
				v->v.b[row[k]].data = base + start[k];
				v->v.b[row[k]].len = gpuagg_name_length(base + start[k]);
			}
			break;
		case GPUAGG_T_OID:
		case GPUAGG_T_ENUM:
		case GPUAGG_T_CHAR:
		case GPUAGG_T_LSN:
		case GPUAGG_T_MACADDR:
		case GPUAGG_T_MACADDR8:
			for (uint32_t k = 0; k < n; k++)
				v->v.i[row[k]] = gpuagg_load_type(a->type, base + start[k]);
			break;
		default:
			for (uint32_t k = 0; k < n; k++)
				v->v.i[row[k]] = gpuagg_load_i64(GPUAGG_T_INT8, base + start[k]);
			break;
	}
}

/* The page after the current one, or that one again. */
static const char *
next_page(const GpuAggDecoder *d)
{
	return d->pages[d->page + 1 < d->npages ? d->page + 1 : d->page].page;
}

/*
 * When a page is begun, ask for the line pointers of the next one.  Samples
 * look after themselves.
 */
static void
prefetch_lines(const GpuAggDecoder *d)
{
	const char *ahead = next_page(d);
	uint32_t	bytes = GPUAGG_PAGE_HEADER_BYTES +
		(uint32_t) sizeof(GpuAggLinePointer) * d->pages[d->page].nlines;

	if (d->line > 0 || d->sample != NULL)
		return;
	for (uint32_t i = 0; i < bytes; i += 64)
		__builtin_prefetch(ahead + i);
}

/*
 * Ask for a tuple of the next page where one lies on this page: tuples of
 * neighbouring pages tend to lie alike.  Two cache lines of it, header
 * included, halve the time of a block of 84-byte tuples; a third gives nothing.
 */
static inline void
prefetch_tuple(const char *data, uint32_t bytes)
{
	const char *start = data - PREFETCH_HEADER;

	__builtin_prefetch(start);
	if (bytes + PREFETCH_HEADER > 64)
		__builtin_prefetch(start + 64);
}

/*
 * The next line from `line` on that is visible, or nlines.  Samples are mostly
 * gaps: a byte of them is one step.
 */
static inline uint32_t
next_visible(const uint8_t *visibility, uint32_t line, uint32_t nlines)
{
	while (line < nlines && !gpuagg_page_line_visible(visibility, line))
		line += visibility[line >> 3] == 0 ? 8 - line % 8 : 1;
	return line < nlines ? line : nlines;
}

/* Chooses the lines of the next page that has none, and asks for their pointers. */
static void
sample_choose(GpuAggDecoder *d)
{
	const GpuAggPage *page = &d->pages[d->nchosen];
	uint8_t    *chosen = d->chosen[d->nchosen % GPUAGG_CHOSEN_PAGES];

	d->nchosen++;
	if (!gpuagg_page_nlines_ok(page->nlines))
		return;					/* an error when its turn comes */
	gpuagg_choose_lines(d->sample, page, chosen);
	for (uint32_t line = next_visible(chosen, 0, page->nlines); line < page->nlines;
		 line = next_visible(chosen, line + 1, page->nlines))
		__builtin_prefetch(gpuagg_page_lines(page->page) + line);
}

/*
 * Asks for the chosen tuples of a page: what their line pointers say, right
 * or wrong, for nothing is read but these.
 */
static void
sample_prefetch(const GpuAggDecoder *d, uint32_t i)
{
	const GpuAggPage *page = &d->pages[i];
	const GpuAggLinePointer *lines = gpuagg_page_lines(page->page);
	const uint8_t *chosen = d->chosen[i % GPUAGG_CHOSEN_PAGES];

	if (!gpuagg_page_nlines_ok(page->nlines))
		return;
	for (uint32_t line = next_visible(chosen, 0, page->nlines); line < page->nlines;
		 line = next_visible(chosen, line + 1, page->nlines))
	{
		__builtin_prefetch(page->page + lines[line].off);
		__builtin_prefetch(page->page + lines[line].off + 64);
	}
}

/* Begins a page of a sample, and looks ahead. */
static void
sample_ahead(GpuAggDecoder *d)
{
	while (d->nchosen < d->npages && d->nchosen < d->page + GPUAGG_CHOSEN_PAGES)
		sample_choose(d);
	if (d->page + 1 < d->npages && d->prepared->program->nattrs > 0)
		sample_prefetch(d, d->page + 1);
	d->visibility = d->chosen[d->page % GPUAGG_CHOSEN_PAGES];
}

/*
 * Strings of rows [first, last) of the block become codes.  What is not encoded
 * lies where it should, but for whether all of it are values.
 */
static GpuAggStatus
encode_rows(const GpuAggDecoder *d, uint32_t first, uint32_t last, GpuAggError *error)
{
	GpuAggDictionary *const *dictionaries = d->prepared->dictionaries;
	int32_t		codes[GPUAGG_MAX_LINES];

	for (uint32_t r = 0; r < d->prepared->program->ncolumns; r++)
	{
		const GpuAggVector *from = &d->columns[r];
		GpuAggVector *to = &d->vectors->reg[r];

		to->clean = from->clean;
		if (dictionaries[r] == NULL)
			continue;
		if (!gpuagg_dictionary_encode(dictionaries[r], from->v.b + first,
									  from->clean ? NULL : from->st + first,
									  last - first, codes))
		{
			error->status = GPUAGG_UNSUPPORTED;
			error->detail = 0;
			snprintf(error->message, sizeof(error->message),
					 "a column has more strings than its dictionary takes");
			return error->status;
		}
		for (uint32_t k = 0; k < last - first; k++)
			to->v.i[first + k] = codes[k];
	}
	return GPUAGG_OK;
}

static GpuAggStatus
not_same(const GpuAggPage *page, const char *what, GpuAggError *error)
{
	error->status = GPUAGG_NOT_SAME;
	error->detail = 0;
	snprintf(error->message, sizeof(error->message), "block %u: %s", page->block, what);
	return error->status;
}

/*
 * Lines of the current page from d->line on, and before `end`, have become rows
 * [first, last) of the block: they go to the page's stripe, too, or are compared with it.
 */
static GpuAggStatus
fill_rows(GpuAggDecoder *d, uint32_t end, uint32_t first, uint32_t last, GpuAggError *error)
{
	const GpuAggPage *page = &d->pages[d->page];
	GpuAggFillRows rows = {
		.position = page->position,
		.line = d->line,
		.end = end < page->nlines ? end : page->nlines,
		.row = first,
		.nrows = last - first,
		.lines = d->lines + first,
		.beside = page->beside != 0,
		.there = page->there
	};

	if (page->compare != 0)
	{
		const char *wrong = gpuagg_stripe_compare(page->stripe, d->vectors, &rows,
												  page->positions);

		return wrong == NULL ? GPUAGG_OK : not_same(page, wrong, error);
	}
	gpuagg_stripe_fill(page->stripe, d->vectors, &rows);
	return GPUAGG_OK;
}

/* Of a page that is kept, and that has no more lines */
static GpuAggStatus
fill_rest(const GpuAggPage *page, GpuAggError *error)
{
	const GpuAggPositions rest = {
		page->position + page->nlines, page->positions - page->nlines
	};

	if (page->stripe == NULL || page->beside != 0 || page->positions <= page->nlines)
		return GPUAGG_OK;
	if (page->compare == 0)
		gpuagg_stripe_clear(page->stripe, rest);
	else if (!gpuagg_stripe_is_clear(page->stripe, rest))
		return not_same(page, "a row is kept that is not there", error);
	return GPUAGG_OK;
}

/*
 * Lines from `line` on, as long as they are visible tuples without NULLs, all
 * of whose attributes have fixed length.  Returns the first that is not, or
 * for which there is no room.
 */
static uint32_t
cross_plain_tuples(GpuAggDecoder *d, uint32_t line, uint32_t *nrows, GpuAggFullTuples *full)
{
	const GpuAggPage *page = &d->pages[d->page];
	const char *bytes = page->page;
	const char *ahead = next_page(d);
	const uint8_t *visibility = d->visibility;
	const uint32_t natts = d->prepared->program->nattrs;
	const uint32_t size = d->prepared->stretches->bytes;
	const uint32_t first = line;
	const uint32_t row = *nrows - line;
	const uint32_t tuple = full->n - line;
	uint32_t	end = page->nlines;

	if (end - line > GPUAGG_VECTOR_ROWS - *nrows)
		end = line + (GPUAGG_VECTOR_ROWS - *nrows);
	for (; line < end && gpuagg_page_line_visible(visibility, line); line++)
	{
		uint32_t	start = gpuagg_page_plain_tuple(bytes, line, natts, size);

		if (start == 0)
			break;
		prefetch_tuple(ahead + start, size);
		full->start[0][tuple + line] = (uint16_t) start;
		full->row[tuple + line] = (uint16_t) (row + line);
	}
	for (uint32_t l = first; page->stripe != NULL && l < line; l++)
		d->lines[row + l] = (uint16_t) l;
	full->n += line - first;
	*nrows += line - first;
	d->rows_scanned += line - first;
	return line;
}

/* Columns of the rows from *nrows to n, of the current page's lines up to `line` */
static GpuAggStatus
take_rows(GpuAggDecoder *d, const GpuAggFullTuples *full, uint32_t line, uint32_t *nrows,
		  uint32_t n, GpuAggError *error)
{
	const GpuAggPrepared *s = d->prepared;
	const GpuAggPage *page = &d->pages[d->page];
	const GpuAggAttr *attrs = gpuagg_program_attrs(s->program);

	for (uint32_t i = 0; i < s->ncolumns; i++)
	{
		const GpuAggFixedColumn *column = &s->columns[i];
		const GpuAggAttr *a = &attrs[column->attr];

		load_column(column, a, &d->columns[a->reg], page->page, full);
	}
	if (s->dictionaries != NULL && encode_rows(d, *nrows, n, error) != GPUAGG_OK)
		return error->status;
	if (page->stripe != NULL && fill_rows(d, line, *nrows, n, error) != GPUAGG_OK)
		return error->status;
	d->line = line;
	*nrows = n;
	return GPUAGG_OK;
}

/*
 * Decode lines of the current page from d->line on, until the page or the
 * block is full.
 */
static GpuAggStatus
decode_page(GpuAggDecoder *d, uint32_t *nrows, GpuAggError *error)
{
	const GpuAggPrepared *s = d->prepared;
	const GpuAggPage *page = &d->pages[d->page];
	const uint32_t nattrs = s->program->nattrs;
	GpuAggFullTuples full;
	uint32_t	n = *nrows;
	uint32_t	line = d->line;
	const uint8_t *visibility = d->visibility;
	const char *ahead = next_page(d);
	bool		plain = s->fixed_only && d->sample == NULL && d->where == NULL;

	full.n = 0;
	prefetch_lines(d);
	for (; line < page->nlines && n < GPUAGG_VECTOR_ROWS; line++)
	{
		GpuAggTuple tuple;
		GpuAggLine kind;
		GpuAggFetch fetch = GPUAGG_FETCH_VALUE;

		if (plain)
		{
			line = cross_plain_tuples(d, line, &n, &full);
			if (line == page->nlines || n == GPUAGG_VECTOR_ROWS)
				break;
			plain = false;		/* until there is another such tuple */
		}
		if (!gpuagg_page_line_visible(visibility, line))
		{
			/* on to the next byte's lines, as next_visible() */
			if (visibility[line >> 3] == 0)
				line |= 7;
			continue;
		}
		kind = gpuagg_page_tuple(page->page, line, &tuple);
		if (kind == GPUAGG_LINE_NONE)
			continue;
		if (kind == GPUAGG_LINE_CORRUPT)
			return corrupt(d, line, error);
		if (d->sample == NULL)
			prefetch_tuple(ahead + (tuple.data - page->page), tuple.bytes);
		if (!gpuagg_tuple_is_full(&tuple, nattrs))
			fetch = walk_tuple(d, &tuple, 0, 0, n);
		else if (s->fixed_only)
		{
			if (tuple.bytes < s->stretches->bytes)
				return corrupt(d, line, error);
			full.start[0][full.n] = (uint16_t) (tuple.data - page->page);
			full.row[full.n++] = (uint16_t) n;
			plain = d->sample == NULL && d->where == NULL;
		}
		else
		{
			fetch = cross_tuple(d, &tuple, n, &full);
			full.n += fetch == GPUAGG_FETCH_VALUE;
		}
		d->rows_scanned++;
		if (fetch == GPUAGG_FETCH_VALUE)
		{
			d->lines[n] = (uint16_t) line;
			if (d->where != NULL)
				d->where[n] = row_ref(d, line);
			n++;
		}
		else if (fetch == GPUAGG_FETCH_CORRUPT)
			return corrupt(d, line, error);
		else if (skip_row(d, line, error) != GPUAGG_OK)
			return error->status;
	}
	return take_rows(d, &full, line, nrows, n, error);
}

/* Lines from d->line up to `end` that are rows, into d->lines from n on; where they end */
static uint32_t
list_lines(GpuAggDecoder *d, uint32_t end, uint32_t n)
{
	const GpuAggLinePointer *lines = gpuagg_page_lines(d->pages[d->page].page);

	for (uint32_t line = next_visible(d->visibility, d->line, end); line < end;
		 line = next_visible(d->visibility, line + 1, end))
		if (lines[line].flags == GPUAGG_LP_NORMAL)
			d->lines[n++] = (uint16_t) line;
	return n;
}

/* decode_page where no attribute is needed: rows are only counted */
static GpuAggStatus
count_page(GpuAggDecoder *d, uint32_t *nrows, GpuAggError *error)
{
	const GpuAggPage *page = &d->pages[d->page];
	const GpuAggLinePointer *lines = gpuagg_page_lines(page->page);
	uint32_t	n = *nrows;
	uint32_t	line = d->line;
	uint32_t	end = page->nlines;

	prefetch_lines(d);
	if (end - line > GPUAGG_VECTOR_ROWS - n)
		end = line + (GPUAGG_VECTOR_ROWS - n);
	if (page->stripe != NULL)
	{
		n = list_lines(d, end, n);
		if (fill_rows(d, end, *nrows, n, error) != GPUAGG_OK)
			return error->status;
		line = end;
	}
	else if (d->visibility == NULL)
		for (; line < end; line++)
			n += lines[line].flags == GPUAGG_LP_NORMAL;
	else
		for (line = next_visible(d->visibility, line, end); line < end;
			 line = next_visible(d->visibility, line + 1, end))
			n += lines[line].flags == GPUAGG_LP_NORMAL;
	d->rows_scanned += n - *nrows;
	d->line = line;
	*nrows = n;
	return GPUAGG_OK;
}

/* count_page where each row's position is wanted */
static void
place_page(GpuAggDecoder *d, uint32_t *nrows)
{
	const GpuAggPage *page = &d->pages[d->page];
	const GpuAggLinePointer *lines = gpuagg_page_lines(page->page);
	uint32_t	n = *nrows;
	uint32_t	line = d->line;

	prefetch_lines(d);
	for (line = next_visible(d->visibility, line, page->nlines);
		 line < page->nlines && n < GPUAGG_VECTOR_ROWS;
		 line = next_visible(d->visibility, line + 1, page->nlines))
		if (lines[line].flags == GPUAGG_LP_NORMAL)
			d->where[n++] = row_ref(d, line);
	d->rows_scanned += n - *nrows;
	d->line = line;
	*nrows = n;
}

GpuAggStatus
gpuagg_decode_block(GpuAggDecoder *d, uint32_t *nrows, GpuAggError *error)
{
	const GpuAggProgram *p = d->prepared->program;
	uint32_t	n = 0;

	for (uint32_t r = 0; r < p->ncolumns; r++)
	{
		memset(d->columns[r].st, GPUAGG_ST_VALUE, GPUAGG_VECTOR_ROWS);
		d->columns[r].clean = true;
	}
	while (d->page < d->npages && n < GPUAGG_VECTOR_ROWS)
	{
		const GpuAggPage *page = &d->pages[d->page];

		if (!gpuagg_page_nlines_ok(page->nlines))
			return corrupt(d, page->nlines, error);
		if (d->line == 0)
		{
			d->visibility = page->visibility;
			if (d->sample != NULL)
				sample_ahead(d);
		}
		if (p->nattrs == 0 && d->where != NULL)
			place_page(d, &n);
		else if ((p->nattrs == 0 ? count_page(d, &n, error) : decode_page(d, &n, error)) !=
				 GPUAGG_OK)
			return error->status;
		if (d->line >= page->nlines)
		{
			if (fill_rest(page, error) != GPUAGG_OK)
				return error->status;
			d->page++;
			d->line = 0;
		}
	}
	*nrows = n;
	return GPUAGG_OK;
}
