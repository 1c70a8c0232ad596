/*
 * host_scan.c
 *		One thread's work on the input of one task.
 *
 * A block of rows is decoded into registers; the filter's instructions run, stage
 * by stage; the rows that a stage leaves are moved together in the registers still
 * needed; the other instructions run for them; then they are grouped.  Rows that
 * PostgreSQL evaluated skip all but the last step.  A program that selects
 * rows ends with the filter: rows that pass are listed.  A stripe's rows differ
 * only in where their vectors come from.
 */
#include "host/host_load.h"
#include "host/host_scan.h"

/* Rows of a block that a stage but the last drops before they are moved: one of so many */
#define STAY_SHARE 8

/* Memory for strings of a block, before they are encoded */
static size_t
strings_bytes(const GpuAggPrepared *prepared)
{
	uint32_t	n = 0;

	if (prepared->dictionaries == NULL)
		return 0;
	for (uint32_t r = 0; r < prepared->program->ncolumns; r++)
		n += prepared->dictionaries[r] != NULL;
	return n * GPUAGG_VECTOR_ROWS * sizeof(GpuAggBytes) +
		prepared->program->ncolumns * sizeof(GpuAggVector);
}

/* Columns that are encoded are decoded into vectors of their own; states are
 * the same. */
static void
position_strings(GpuAggScanner *scanner, char *memory)
{
	const GpuAggPrepared *s = scanner->prepared;

	scanner->columns = (GpuAggVector *) memory;
	memory += s->program->ncolumns * sizeof(GpuAggVector);
	for (uint32_t r = 0; r < s->program->ncolumns; r++)
	{
		scanner->columns[r] = scanner->vectors.reg[r];
		if (s->dictionaries[r] == NULL)
			continue;
		scanner->columns[r].v.b = (GpuAggBytes *) memory;
		memory += GPUAGG_VECTOR_ROWS * sizeof(GpuAggBytes);
	}
}

GpuAggScanner *
gpuagg_scanner_create(GpuAggGroups *groups, const GpuAggPrepared *prepared,
					  const GpuAggMakeWish *make, GpuAggMemory *memory, uint32_t thread)
{
	const GpuAggProgram *p = prepared->program;
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	size_t		head = gpuagg_align(sizeof(GpuAggScanner), 64);
	size_t		where = p->select ? GPUAGG_VECTOR_ROWS * sizeof(GpuAggRowRef) : 0;
	size_t		vectors = gpuagg_vectors_bytes(p);
	size_t		bytes = head + where + vectors + strings_bytes(prepared);
	GpuAggScanner *scanner = gpuagg_memory_alloc(memory, bytes);

	if (scanner == NULL)
		return NULL;
	memset(scanner, 0, head);
	scanner->bytes = bytes;
	scanner->prepared = prepared;
	scanner->memory = memory;
	if (p->select)
		scanner->where = (GpuAggRowRef *) ((char *) scanner + head);
	else if (make != NULL)
		scanner->kept = gpuagg_made_rows_create(prepared, make, memory);
	else
		scanner->grouper = gpuagg_grouper_create(groups, thread);
	if (scanner->where == NULL && scanner->kept == NULL && scanner->grouper == NULL)
	{
		gpuagg_memory_free(memory, scanner, bytes);
		return NULL;
	}
	gpuagg_vectors_init(&scanner->vectors, p, (char *) scanner + head + where);
	scanner->columns = scanner->vectors.reg;
	if (prepared->dictionaries != NULL)
		position_strings(scanner, (char *) scanner + head + where + vectors);
	for (uint32_t i = 0; i < p->nkeys; i++)
		scanner->inputs.keys[i] = &scanner->vectors.reg[keys[i].reg];
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (trans[i].arg != GPUAGG_NO_REG)
			scanner->inputs.args[i] = &scanner->vectors.reg[trans[i].arg];
		if (trans[i].filter != GPUAGG_NO_REG)
			scanner->inputs.filters[i] = &scanner->vectors.reg[trans[i].filter];
	}
	return scanner;
}

void
gpuagg_scanner_free(GpuAggScanner *scanner)
{
	if (scanner == NULL)
		return;
	if (scanner->grouper != NULL)
		gpuagg_grouper_free(scanner->grouper);
	gpuagg_made_rows_free(scanner->kept);
	gpuagg_memory_free(scanner->memory, scanner, scanner->bytes);
}

/*
 * Rows whose filter is true, into sel; errors are consumed.  NULL is false, but before
 * the last stage, where an error may yet take its place: `null` is GPUAGG_ST_NULL there.
 */
static GpuAggStatus
select_rows(GpuAggScanner *scanner, const GpuAggVector *filter, uint8_t null, uint32_t n,
			uint32_t *npassed, GpuAggError *error)
{
	uint16_t   *sel = scanner->sel;
	uint32_t	passed = 0;
	uint32_t	states = 0;

	if (filter->clean)
		for (uint32_t i = 0; i < n; i++)
		{
			sel[passed] = (uint16_t) i;
			passed += filter->v.i[i] != 0;
		}
	else
		for (uint32_t i = 0; i < n; i++)
		{
			sel[passed] = (uint16_t) i;
			states |= filter->st[i];
			passed += filter->st[i] == GPUAGG_ST_VALUE ? filter->v.i[i] != 0 :
														 filter->st[i] == null;
		}
	*npassed = passed;
	return GPUAGG_ST_IS_ERROR(states) ? gpuagg_update_value_error(states, error) : GPUAGG_OK;
}

/* Move the selected rows of a register to its start. */
static void
compact(GpuAggVector *v, uint32_t cls, const uint16_t *sel, uint32_t n)
{
	if (cls == GPUAGG_CLASS_BYTES)
		for (uint32_t k = 0; k < n; k++)
			v->v.b[k] = v->v.b[sel[k]];
	else
		for (uint32_t k = 0; k < n; k++)
			v->v.i[k] = v->v.i[sel[k]];
	if (!v->clean)
		for (uint32_t k = 0; k < n; k++)
			v->st[k] = v->st[sel[k]];
}

/* The rows of a stage that are left, or all where hardly any is gone: moving rows costs, too. */
static void
keep_selected(GpuAggScanner *scanner, uint32_t stage, uint32_t npassed, uint32_t *n)
{
	const GpuAggPrepared *s = scanner->prepared;
	const uint8_t *classes = gpuagg_program_classes(s->program);

	if (npassed == *n || (stage + 1 < s->stages.n && npassed > *n - *n / STAY_SHARE))
		return;
	for (uint32_t i = 0; i < s->ncarry[stage]; i++)
		compact(&scanner->vectors.reg[s->carry[stage][i]], classes[s->carry[stage][i]],
				scanner->sel, npassed);
	*n = npassed;
}

static GpuAggStatus
filter_block(GpuAggScanner *scanner, uint32_t *n, GpuAggScanResult *result)
{
	const GpuAggStages *stages = &scanner->prepared->stages;
	uint32_t	done = 0;

	for (uint32_t i = 0; i < stages->n && *n > 0; i++)
	{
		const bool	last = i + 1 == stages->n;
		uint32_t	npassed;

		gpuagg_vectors_run(&scanner->vectors, done, stages->end[i], *n);
		done = stages->end[i];
		if (select_rows(scanner, &scanner->vectors.reg[stages->reg[i]],
						last ? GPUAGG_ST_VALUE : GPUAGG_ST_NULL, *n, &npassed,
						&result->error) != GPUAGG_OK)
			return result->error.status;
		if (!last)
			result->left[i] += npassed;
		keep_selected(scanner, i, npassed, n);
	}
	return GPUAGG_OK;
}

/* The n rows of a block that passed the filter join the list. */
static GpuAggStatus
list_block(GpuAggScanner *scanner, GpuAggDecoder *decoder, uint32_t n,
		   GpuAggError *error)
{
	const bool	filtered = scanner->prepared->program->filter_reg != GPUAGG_NO_REG;
	GpuAggRowRef *to = gpuagg_decode_room(decoder, n, error);

	if (to == NULL)
		return error->status;
	for (uint32_t k = 0; k < n; k++)
	{
		to[k] = scanner->where[filtered ? scanner->sel[k] : k];
		to[k].line |= GPUAGG_ROW_PASSED;
	}
	decoder->nlisted += n;
	return GPUAGG_OK;
}

/* What is left to do for the n rows of a block that passed the filter. */
static GpuAggStatus
group_block(GpuAggScanner *scanner, uint32_t n, GpuAggError *error)
{
	const GpuAggProgram *p = scanner->prepared->program;
	const uint32_t done = p->filter_reg == GPUAGG_NO_REG ? 0 : p->filter_instrs;

	gpuagg_vectors_run(&scanner->vectors, done, p->ninstrs, n);
	if (scanner->kept != NULL)
		return gpuagg_made_rows_add(scanner->kept, &scanner->inputs, n, error);
	return gpuagg_grouper_add(scanner->grouper, &scanner->inputs, n, error);
}

/* Values of the codes that rows have by now */
static GpuAggStatus
complete_codes(const GpuAggScanner *scanner, GpuAggError *error)
{
	return scanner->codes == NULL ? GPUAGG_OK : gpuagg_host_codes_complete(scanner->codes, error);
}

void
gpuagg_scanner_pages(GpuAggScanner *scanner, const GpuAggPage *pages,
					 uint32_t first, uint32_t npages,
					 const atomic_bool *stop, GpuAggScanResult *result)
{
	GpuAggError *error = &result->error;
	GpuAggDecoder decoder = {0};

	decoder.prepared = scanner->prepared;
	decoder.vectors = &scanner->vectors;
	decoder.columns = scanner->columns;
	decoder.memory = scanner->memory;
	decoder.pages = pages;
	decoder.first = first;
	decoder.npages = npages;
	decoder.sample = scanner->sample;
	decoder.where = scanner->where;
	for (;;)
	{
		uint32_t	n;

		if (atomic_load_explicit(stop, memory_order_relaxed))
		{
			error->status = GPUAGG_CANCELLED;
			break;
		}
		if (gpuagg_decode_block(&decoder, &n, error) != GPUAGG_OK || n == 0 ||
			complete_codes(scanner, error) != GPUAGG_OK ||
			filter_block(scanner, &n, result) != GPUAGG_OK)
			break;
		if (n == 0)
			continue;
		result->rows_passed += n;
		if (scanner->kept != NULL)
			continue;			/* the page was kept, which is all */
		if ((scanner->where != NULL ? list_block(scanner, &decoder, n, error) :
			 group_block(scanner, n, error)) != GPUAGG_OK)
			break;
	}
	result->rows_scanned = decoder.rows_scanned;
	result->listed = decoder.listed;
	result->nlisted = decoder.nlisted;
	result->max_listed = decoder.max_listed;
}

void
gpuagg_scanner_resident(GpuAggScanner *scanner, const GpuAggResident *resident,
						uint32_t first, uint32_t count, const atomic_bool *stop,
						GpuAggScanResult *result)
{
	GpuAggError *error = &result->error;

	if (complete_codes(scanner, error) != GPUAGG_OK)
		return;
	for (uint32_t at = gpuagg_stripe_next(resident, first); at < first + count;
		 at = gpuagg_stripe_next(resident, at + GPUAGG_VECTOR_ROWS))
	{
		uint32_t	n;

		if (atomic_load_explicit(stop, memory_order_relaxed))
		{
			error->status = GPUAGG_CANCELLED;
			return;
		}
		n = gpuagg_stripe_load(resident, &scanner->vectors, at);
		result->rows_scanned += n;
		if (n > 0 && filter_block(scanner, &n, result) != GPUAGG_OK)
			return;
		result->rows_passed += n;
		if (n > 0 && group_block(scanner, n, error) != GPUAGG_OK)
			return;
	}
}

/* Of the draws of a morsel, those that are read at once */
static GpuAggStatus
scan_drawn(GpuAggScanner *scanner, const GpuAggDrawn *drawn, GpuAggScanResult *result)
{
	uint32_t	n = drawn->n;

	gpuagg_stripe_gather(drawn->stripe, drawn->positions, n, &scanner->vectors);
	result->rows_scanned += n;
	if (filter_block(scanner, &n, result) != GPUAGG_OK)
		return result->error.status;
	result->rows_passed += n;
	return n == 0 ? GPUAGG_OK : group_block(scanner, n, &result->error);
}

void
gpuagg_scanner_draws(GpuAggScanner *scanner, const GpuAggDrawIndex *index, uint32_t morsel,
					 const atomic_bool *stop, GpuAggScanResult *result)
{
	const uint64_t first = (uint64_t) morsel * GPUAGG_DRAW_MORSEL;
	const uint64_t left = index->draws.draws - first;
	const uint32_t n = left < GPUAGG_DRAW_MORSEL ? (uint32_t) left : GPUAGG_DRAW_MORSEL;
	const size_t bytes = 2 * n * sizeof(uint64_t);
	uint64_t   *scratch = gpuagg_memory_alloc(scanner->memory, bytes);
	GpuAggDrawCursor cursor;
	GpuAggDrawn drawn;

	if (scratch == NULL)
		gpuagg_memory_error(scanner->memory, &result->error);
	if (scratch == NULL || complete_codes(scanner, &result->error) != GPUAGG_OK)
	{
		gpuagg_memory_free(scanner->memory, scratch, bytes);
		return;
	}
	gpuagg_draw_begin(&cursor, index, first, n, scratch);
	while (result->error.status == GPUAGG_OK && gpuagg_draw_next(&cursor, &drawn))
		if (atomic_load_explicit(stop, memory_order_relaxed))
			result->error.status = GPUAGG_CANCELLED;
		else
			scan_drawn(scanner, &drawn, result);
	gpuagg_memory_free(scanner->memory, scratch, bytes);
}

/* A vector over rows that PostgreSQL evaluated, from row `first` on. */
static void
column_vector(GpuAggVector *v, const GpuAggRowColumn *column, uint32_t cls,
			  uint32_t first)
{
	v->st = (uint8_t *) column->states + first;
	v->clean = false;
	if (cls == GPUAGG_CLASS_BYTES)
		v->v.b = (GpuAggBytes *) column->values + first;
	else
		v->v.i = (int64_t *) column->values + first;
}

static uint32_t
reg_class(const GpuAggProgram *p, uint32_t reg)
{
	return gpuagg_program_classes(p)[reg];
}

/* The program's outputs, in the order of gpuagg_program_noutputs(). */
static void
row_inputs(const GpuAggProgram *p, const GpuAggRowColumn *columns, uint32_t first,
		   GpuAggVector *vectors, GpuAggInputs *in)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	out = 0;

	memset(in, 0, sizeof(*in));
	for (uint32_t i = 0; i < p->nkeys; i++, out++)
	{
		column_vector(&vectors[out], &columns[out], reg_class(p, keys[i].reg), first);
		in->keys[i] = &vectors[out];
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (trans[i].arg != GPUAGG_NO_REG)
		{
			column_vector(&vectors[out], &columns[out], reg_class(p, trans[i].arg), first);
			in->args[i] = &vectors[out++];
		}
		if (trans[i].filter != GPUAGG_NO_REG)
		{
			column_vector(&vectors[out], &columns[out], GPUAGG_CLASS_I64, first);
			in->filters[i] = &vectors[out++];
		}
	}
}

void
gpuagg_scanner_rows(GpuAggScanner *scanner, const GpuAggRowColumn *columns,
					uint32_t first, uint32_t nrows, const atomic_bool *stop,
					GpuAggScanResult *result)
{
	GpuAggVector vectors[GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS];
	GpuAggInputs in;
	uint32_t	end = first + nrows;

	while (first < end)
	{
		uint32_t	n = end - first;

		if (n > GPUAGG_VECTOR_ROWS)
			n = GPUAGG_VECTOR_ROWS;
		if (atomic_load_explicit(stop, memory_order_relaxed))
		{
			result->error.status = GPUAGG_CANCELLED;
			return;
		}
		row_inputs(scanner->prepared->program, columns, first, vectors, &in);
		if (gpuagg_grouper_add(scanner->grouper, &in, n, &result->error) != GPUAGG_OK)
			return;
		result->rows_passed += n;
		first += n;
	}
}
