/*
 * cuda_made.cu
 *		Look-up tables that are made on the card (cuda_made.h): when, how they lie, and what
 *		becomes of them.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_made.h"

#define CODES_WORD_BYTES (sizeof(GpuAggLookupBits) + sizeof(uint64_t))

/* ---------- begin ---------- */

/* The type of the column that a register is */
static const GpuAggAttr *
attr_of(const GpuAggProgram *p, uint32_t reg)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg == reg)
			return &attrs[i];
	return NULL;
}

static bool
is_string(const GpuAggAttr *a)
{
	return gpuagg_key_class(a->type) == GPUAGG_CLASS_BYTES;
}

static GpuAggClass
column_class(const GpuAggAttr *a)
{
	return is_string(a) || gpuagg_key_class(a->type) == GPUAGG_CLASS_I64 ? GPUAGG_CLASS_I64 :
																		   GPUAGG_CLASS_F64;
}

/* The dictionary of a column, or NULL */
static GpuAggDictionary *
dictionary_of(const GpuAggMakeWish *wish, uint32_t reg)
{
	return wish->dictionaries != NULL ? wish->dictionaries[reg] : NULL;
}

/*
 * A key is an integer, or a string by itself, or either of them numbered by a table of such keys.
 */
static bool
key_fits(const GpuAggMakeWish *wish, uint32_t key, const GpuAggAttr *a, uint32_t reg)
{
	const GpuAggClass cls = is_string(a) ? GPUAGG_CLASS_BYTES : column_class(a);

	if (is_string(a) && dictionary_of(wish, reg) == NULL)
		return false;
	if (gpuagg_make_is_numbered(wish, key))
		return wish->helpers[key] != NULL &&
			gpuagg_lookup_has_keys(wish->helpers[key]->head, 1, cls);
	return is_string(a) ? wish->nkeys == 1 : cls == GPUAGG_CLASS_I64;
}

/* Integers are folded, and of anything values are counted. */
static bool
fold_fits(const GpuAggKey *key, const GpuAggAttr *a)
{
	return key->fold <= GPUAGG_FOLD_COUNT || (!is_string(a) && column_class(a) == GPUAGG_CLASS_I64);
}

/* Its keys are columns, and that is all. */
static bool
program_fits(const GpuAggProgram *p, const GpuAggMakeWish *wish)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	if (p->select || p->ntransitions > 0 || gpuagg_make_words(wish) == 0 || wish->nkeys > p->nkeys)
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggAttr *a = attr_of(p, keys[i].reg);

		if (a == NULL ||
			(i < wish->nkeys ?
				 keys[i].fold != GPUAGG_FOLD_NONE || !key_fits(wish, i, a, keys[i].reg) :
				 !fold_fits(&keys[i], a)))
			return false;
	}
	return true;
}

/* The dictionary of the table's key; NULL: that is no string */
static GpuAggDictionary *
key_dictionary(const GpuAggProgram *p, const GpuAggMakeWish *wish)
{
	const uint32_t reg = gpuagg_program_keys(p)[0].reg;

	return wish->nkeys == 1 && is_string(attr_of(p, reg)) ? dictionary_of(wish, reg) : NULL;
}

/* Are its keys words that are made of columns? */
static bool
is_formed(const GpuAggMakeWish *wish)
{
	for (uint32_t i = 0; i < wish->nkeys; i++)
		if (wish->forms[i] != 0)
			return true;
	return false;
}

bool
gpuagg_cuda_making_begin(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggMaking *making;

	if (config->make.nkeys == 0)
		return true;
	if (!program_fits(p, &config->make))
	{
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
						  "no look-up table can be made by this program");
		return false;
	}
	making = (GpuAggMaking *) calloc(1, sizeof(*making));
	if (making == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	making->wish = config->make;
	making->dictionary = key_dictionary(p, &config->make);
	making->first = INT64_MAX;
	making->last = INT64_MIN;
	task->making = making;
	task->strategy = "look-up table";
	/* pages that are only kept are grouped as they come, and nobody asks for that */
	task->forced = GPUAGG_STRATEGY_SINGLE_PASS;
	return true;
}

void
gpuagg_cuda_making_defers(const GpuAggTask *task, GpuAggStripeDeferral *deferral)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggMakeWish *wish = &task->making->wish;

	memset(deferral, 0, sizeof(*deferral));
	for (uint32_t i = 0; i < wish->nkeys; i++)
		deferral->run.used[deferral->run.nused++] = gpuagg_program_keys(p)[i].reg;
	deferral->open = true;
}

void
gpuagg_cuda_making_note(GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggAttr *key = attr_of(p, gpuagg_program_keys(p)[0].reg);
	const uint32_t attr = (uint32_t) (key - gpuagg_program_attrs(p));
	GpuAggMaking *making = task->making;

	for (uint32_t i = 0; i < n; i++)
	{
		GpuAggRange r;

		if (!gpuagg_cuda_column_range(pending[i].stripe, attr, true, &r))
		{
			making->unknown = true;
			continue;
		}
		if (r.low > r.high)
			continue;
		making->first = r.low < making->first ? r.low : making->first;
		making->last = r.high > making->last ? r.high : making->last;
	}
}

/* ---------- counting ---------- */

/*
 * What is counted lies in `staging` on its way to the card, and at the beginning on its way back.
 */
static size_t
report_at(const GpuAggProgram *p)
{
	return gpuagg_cuda_align(sizeof(GpuAggLookup) + p->nkeys * sizeof(GpuAggLookupColumn));
}

/* Memory for what is counted: zero, but for bounds */
static bool
report_make(GpuAggTask *task, GpuAggError *error)
{
	const size_t at = report_at(gpuagg_cuda_program(task->prepared));
	GpuAggMaking *making = task->making;
	cudaStream_t stream = task->streams->group;
	GpuAggMakingReport *report;

	making->report = (GpuAggMakingReport *) gpuagg_cuda_alloc(task, sizeof(*report), stream, error);
	making->staging = gpuagg_cuda_pin(task->device, at + sizeof(*report), error);
	making->events = gpuagg_cuda_events(task->device, error);
	if (making->report == NULL || making->staging == NULL || making->events == NULL)
		return false;
	report = (GpuAggMakingReport *) (making->staging->data + at);
	memset(report, 0, sizeof(*report));
	for (uint32_t i = 0; i < GPUAGG_MAX_KEYS; i++)
	{
		report->low[i] = INT64_MAX;
		report->high[i] = INT64_MIN;
	}
	return CUDA_OK(task->device, cudaEventRecord(making->events->group, stream), error) &&
		CUDA_OK(task->device, cudaMemcpyAsync(making->report, report, sizeof(*report),
											  cudaMemcpyHostToDevice, stream), error);
}

/* Behind what was launched: what it has counted comes back, and who waits is told. */
static bool
report_fetch(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	cudaStream_t stream = task->streams->group;

	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(making->staging->data, making->report, sizeof(GpuAggMakingReport),
								cudaMemcpyDeviceToHost, stream),
				error) &&
		CUDA_OK(task->device, cudaEventRecord(making->events->done, stream), error) &&
		gpuagg_cuda_notify(task->device, task->streams, error);
}

/* Every stripe's bits, and what there is before each word of them */
static void
bits_launch(GpuAggTask *task, const GpuAggMakingTable *table)
{
	const GpuAggResident *first = task->queue != NULL ? task->queue->deferral.first : NULL;
	const uint32_t sms = task->device->sms;
	cudaStream_t stream = task->streams->group;

	for (const GpuAggResident *r = first; r != NULL; r = r->next)
		for (uint32_t i = 0; i < r->n; i++)
			gpuagg_cuda_made_bits(table, &r->inputs[i], sms, stream);
	gpuagg_cuda_made_before(table, sms, stream);
}

/* The codes that rows may have */
static void
codes_bounds(const GpuAggMaking *making, GpuAggLookupCodes *codes)
{
	const int64_t most = GPUAGG_DICTIONARY_ENTRIES - 1;
	const int64_t first = making->unknown || making->first < 0 ? 0 : making->first;
	const int64_t last = making->unknown || making->last > most ? most : making->last;

	codes->first = first;
	codes->span = first <= last ? (uint64_t) (last - first) + 1 : 0;
}

/* Which strings of the key rows have, and how long they are */
static bool
codes_launch(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	GpuAggLookupCodes *codes = &making->codes;
	cudaStream_t stream = task->streams->group;
	GpuAggMakingTable table = {};
	uint64_t	words;

	codes_bounds(making, codes);
	words = (codes->span + 63) / 64;
	making->codes_bytes = (size_t) ((words + 1) * CODES_WORD_BYTES);
	codes->bits = (GpuAggLookupBits *) gpuagg_cuda_alloc(task, making->codes_bytes, stream, error);
	if (codes->bits == NULL)
		return false;
	codes->strings = (uint64_t *) (codes->bits + words);
	codes->text.entries = GPUAGG_DICTIONARY_ENTRIES;
	codes->text.blocks = gpuagg_cuda_dictionary_strings(making->dictionary);
	if (!CUDA_OK(task->device, cudaMemsetAsync(codes->bits, 0, making->codes_bytes, stream),
				 error) ||
		!gpuagg_cuda_dictionary_follow(making->dictionary, stream, error))
		return false;
	table.report = making->report;
	table.codes = *codes;
	table.key = gpuagg_program_keys(gpuagg_cuda_program(task->prepared))[0].reg;
	bits_launch(task, &table);
	return report_fetch(task, error);
}

/* ---------- how it lies ---------- */

static void
shape_column(const GpuAggTask *task, uint32_t i, GpuAggLookupColumn *column)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggMaking *making = task->making;
	const GpuAggKey *key = &gpuagg_program_keys(p)[i];
	const GpuAggAttr *a = attr_of(p, key->reg);

	column->cls = key->fold == GPUAGG_FOLD_COUNT ? GPUAGG_CLASS_I64 : column_class(a);
	column->width = gpuagg_fold_width(
		key->fold, is_string(a) ? sizeof(int32_t) : gpuagg_type_slot_bytes(a->type));
	column->nulls = i >= making->wish.nkeys && key->fold != GPUAGG_FOLD_COUNT &&
		(key->fold == GPUAGG_FOLD_NONE || !key->notnull);
	if (i == 0 && making->dictionary != NULL)
		column->cls = GPUAGG_CLASS_BYTES;
	if (i < making->wish.nkeys && (making->dictionary != NULL || is_formed(&making->wish)))
		column->width = sizeof(uint64_t);
	if (gpuagg_make_is_numbered(&making->wish, i))
		column->cls = GPUAGG_CLASS_I64;
}

static bool
shape_find(const GpuAggTask *task, uint64_t nrows, uint64_t strings, GpuAggMade *made)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggMaking *making = task->making;
	GpuAggLookupShape *shape = (GpuAggLookupShape *) calloc(1, sizeof(*shape));
	GpuAggLookup *head = (GpuAggLookup *) calloc(
		1, sizeof(*head) + GPUAGG_MAX_KEYS * sizeof(GpuAggLookupColumn));

	if (shape == NULL || head == NULL)
	{
		free(shape);
		free(head);
		return false;
	}
	shape->nrows = nrows;
	shape->seed = making->wish.seed;
	shape->nkeys = gpuagg_make_words(&making->wish);
	shape->first = making->unknown ? INT64_MIN : making->first;
	shape->last = making->unknown ? INT64_MAX : making->last;
	shape->strings = strings;
	shape->filters = making->wish.filters;
	for (uint32_t i = 0; i < p->nkeys; i++)
		if (!gpuagg_make_is_lower(&making->wish, i))
			shape_column(task, i, &shape->columns[shape->ncolumns++]);
	making->strings = gpuagg_lookup_lay_out(shape, head, (GpuAggLookupColumn *) (head + 1));
	made->bytes = (size_t) head->bytes;
	made->head = head;
	free(shape);
	return making->strings > 0;
}

/* A key's column, as part of a word */
static GpuAggMakingKey
key_of(const GpuAggTask *task, uint32_t key)
{
	const GpuAggMakeWish *wish = &task->making->wish;
	const uint16_t reg = gpuagg_program_keys(gpuagg_cuda_program(task->prepared))[key].reg;
	GpuAggMakingKey k = {};

	k.from = reg;
	if (!gpuagg_make_is_numbered(wish, key))
		return k;
	k.helper = wish->helpers[key]->block;
	if (dictionary_of(wish, reg) == NULL)
		return k;
	k.text.entries = GPUAGG_DICTIONARY_ENTRIES;
	k.text.blocks = gpuagg_cuda_dictionary_strings(dictionary_of(wish, reg));
	return k;
}

/* What the first columns are made of */
static void
words_of(const GpuAggTask *task, GpuAggMakingTable *t)
{
	const GpuAggMakeWish *wish = &task->making->wish;

	for (uint32_t i = 0; i < wish->nkeys && is_formed(wish); i++)
	{
		GpuAggMakingWord *word;

		t->nwords += !gpuagg_make_is_lower(wish, i);
		word = &t->words[t->nwords - 1];
		word->parts[word->nparts++] = key_of(task, i);
	}
}

/* What finds numbers, and their strings, is there before the keys are made of them. */
static bool
words_wait(GpuAggTask *task, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggMakeWish *wish = &task->making->wish;
	cudaStream_t stream = task->streams->group;

	if (!is_formed(wish))
		return true;
	for (uint32_t i = 0; i < wish->nkeys; i++)
	{
		const GpuAggDictionary *d = dictionary_of(wish, gpuagg_program_keys(p)[i].reg);

		if (d != NULL && !gpuagg_cuda_dictionary_follow(d, stream, error))
			return false;
	}
	return gpuagg_cuda_stripe_wait(task, stream, error);
}

/* The program's key that column c of the table is, but for words of keys, which are the first */
static const GpuAggKey *
key_of_column(const GpuAggTask *task, const GpuAggLookup *head, uint32_t c)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);

	return &gpuagg_program_keys(p)[p->nkeys - head->ncolumns + c];
}

static GpuAggMakingTable
table_of(const GpuAggTask *task, const GpuAggMade *made)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggLookup *head = made->head;
	const GpuAggLookupColumn *columns = (const GpuAggLookupColumn *) (head + 1);
	GpuAggMakingTable t = {};

	t.block = made->block;
	t.report = task->making->report;
	t.codes = task->making->codes;
	t.strings = task->making->strings;
	t.ncolumns = head->ncolumns;
	t.key = gpuagg_program_keys(p)[0].reg;
	if (head->kind == GPUAGG_LOOKUP_DIRECT)
	{
		t.codes.bits = (GpuAggLookupBits *) (made->block + head->finder);
		t.codes.first = head->first;
		t.codes.span = head->span;
	}
	for (uint32_t c = 0; c < head->ncolumns; c++)
	{
		const GpuAggKey *key = key_of_column(task, head, c);

		t.from[c] = key->reg;
		t.columns[c] = {columns[c].values, columns[c].nulls, columns[c].width, key->fold};
		t.folds = t.folds || key->fold != GPUAGG_FOLD_NONE;
	}
	words_of(task, &t);
	return t;
}

/* ---------- filling ---------- */

/* Memory for the table: zero, but for the header */
static bool
memory_make(GpuAggTask *task, GpuAggMade *made, GpuAggError *error)
{
	const size_t head_bytes = (size_t) gpuagg_lookup_head_bytes(made->head);
	cudaStream_t stream = task->streams->group;

	made->block = (char *) gpuagg_cuda_alloc(task, made->bytes, stream, error);
	if (made->block == NULL)
		return false;
	memcpy(task->making->staging->data, made->head, head_bytes);
	return CUDA_OK(task->device, cudaMemsetAsync(made->block, 0, made->bytes, stream), error) &&
		CUDA_OK(task->device, cudaMemcpyAsync(made->block, task->making->staging->data, head_bytes,
											  cudaMemcpyHostToDevice, stream), error);
}

static void
fill(GpuAggTask *task, const GpuAggMade *made, uint64_t nrows)
{
	const GpuAggMakingTable table = table_of(task, made);
	const GpuAggResident *first = task->queue != NULL ? task->queue->deferral.first : NULL;
	const uint32_t sms = task->device->sms;
	cudaStream_t stream = task->streams->group;

	if (made->head->kind == GPUAGG_LOOKUP_DIRECT)
		bits_launch(task, &table);
	if (table.folds)
		gpuagg_cuda_made_folds(&table, (uint32_t) nrows, sms, stream);
	for (const GpuAggResident *r = first; r != NULL; r = r->next)
		for (uint32_t i = 0; i < r->n; i++)
			gpuagg_cuda_made_rows(&table, &r->inputs[i], sms, stream);
	if (task->making->dictionary != NULL)
		gpuagg_cuda_made_strings(&table, sms, stream);
	if (made->head->kind == GPUAGG_LOOKUP_HASH)
		gpuagg_cuda_made_slots(&table, (uint32_t) nrows, sms, stream);
}

/* The table of at most so many rows, and so many bytes of strings */
static bool
fill_launch(GpuAggTask *task, uint64_t nrows, uint64_t strings, GpuAggError *error)
{
	GpuAggMaking *making = task->making;

	making->stage = GPUAGG_MAKING_FILLS;
	making->made = (GpuAggMade *) calloc(1, sizeof(*making->made));
	if (making->made == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	making->made->device = task->device;
	if (!shape_find(task, nrows, strings, making->made))
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "a look-up table is too large");
		return false;
	}
	if (!memory_make(task, making->made, error) || !words_wait(task, error))
		return false;
	fill(task, making->made, nrows);
	return report_fetch(task, error);
}

static bool
launch(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	const uint64_t passed = task->queue != NULL ? task->queue->deferral.rows : 0;

	if (task->device->stripe_stream == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "no columns stay on the device");
		return false;
	}
	if (!report_make(task, error))
		return false;
	making->passed = passed;
	if (making->dictionary == NULL)
		return fill_launch(task, passed - task->kept_nulls, 0, error);
	making->stage = GPUAGG_MAKING_COUNTS;
	return codes_launch(task, error);
}

/* What was counted is as it must be; *error tells. */
static bool
report_check(const GpuAggTask *task, GpuAggError *error)
{
	const GpuAggMaking *making = task->making;
	const GpuAggMakingReport *report = (const GpuAggMakingReport *) making->staging->data;

	if (report->outside > 0)
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a key lies beyond the bounds of its column");
	else if (report->repeated > 0 && making->wish.unique)
	{
		gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR,
						  "an input of a join has several rows of one key");
		error->detail = GPUAGG_ST_NEEDS_PG;
	}
	return error->status == GPUAGG_OK;
}

/* Strings have been counted: the table can be laid out. */
static bool
counted(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	const GpuAggMakingReport report = *(const GpuAggMakingReport *) making->staging->data;

	task->stats.kernel_ns += gpuagg_cuda_elapsed(making->events->group, making->events->done);
	return report_check(task, error) &&
		CUDA_OK(task->device, cudaEventRecord(making->events->group, task->streams->group),
				error) &&
		fill_launch(task, report.nrows, report.strings, error);
}

/* What was counted of a column; *error tells. */
static void
column_settle(const GpuAggTask *task, uint32_t c, GpuAggLookupColumn *column, GpuAggError *error)
{
	const GpuAggMaking *making = task->making;
	const GpuAggMakingReport *report = (const GpuAggMakingReport *) making->staging->data;
	const uint32_t fold = key_of_column(task, making->made->head, c)->fold;

	if (report->nulls[c] == 0)
		column->nulls = 0;
	else if (fold > GPUAGG_FOLD_COUNT && column->nulls == 0)
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "a column without NULLs has some");
	if (column->cls == GPUAGG_CLASS_I64 && report->low[c] <= report->high[c])
	{
		column->low = report->low[c];
		column->high = report->high[c];
	}
	if (!gpuagg_fold_bounds(fold, making->passed, &column->low, &column->high))
		gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
						  "a sum or a number of a look-up table may be too large");
}

/* What was counted has come: the header is complete. */
static void
settle(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	const GpuAggMakingReport *report = (const GpuAggMakingReport *) making->staging->data;
	GpuAggLookup *head = making->made->head;
	GpuAggLookupColumn *columns = (GpuAggLookupColumn *) (head + 1);

	task->stats.kernel_ns += gpuagg_cuda_elapsed(making->events->group, making->events->done);
	(void) report_check(task, error);
	head->nrows = report->nrows;
	for (uint32_t c = 0; c < head->ncolumns; c++)
		column_settle(task, c, &columns[c], error);
	/* who uses the table comes behind the stripes' stream */
	if (error->status == GPUAGG_OK &&
		CUDA_OK(task->device,
				cudaMemcpyAsync(making->made->block, head, (size_t) gpuagg_lookup_head_bytes(head),
								cudaMemcpyHostToDevice, task->device->stripe_stream),
				error))
		(void) gpuagg_cuda_stripe_done(task->device, error);
}

bool
gpuagg_cuda_making_finish(GpuAggTask *task, GpuAggError *error)
{
	GpuAggMaking *making = task->making;
	cudaError_t rc;

	if (making->stage == GPUAGG_MAKING_WAITS)
	{
		task->stage = GPUAGG_TASK_GROUPING;
		return !launch(task, error);
	}
	rc = cudaEventQuery(making->events->done);
	if (rc == cudaErrorNotReady)
		return false;
	if (gpuagg_cuda_failed(task->device, rc, "cudaEventQuery", __FILE__, __LINE__, error) !=
		GPUAGG_OK)
		return true;
	if (making->stage == GPUAGG_MAKING_COUNTS)
		return !counted(task, error);
	settle(task, error);
	return true;
}

/* ---------- the table ---------- */

/* The card does nothing with it any more; its memory is a task's, or the device's alone. */
static void
made_destroy(GpuAggMade *made)
{
	free(made->head);
	free(made);
}

void
gpuagg_cuda_making_free(GpuAggTask *task)
{
	GpuAggMaking *making = task->making;

	if (making == NULL)
		return;
	if (making->made != NULL)
	{
		gpuagg_cuda_free(task, making->made->block, making->made->bytes, task->streams->group);
		made_destroy(making->made);
	}
	gpuagg_cuda_free(task, making->report, sizeof(*making->report), task->streams->group);
	gpuagg_cuda_free(task, making->codes.bits, making->codes_bytes, task->streams->group);
	gpuagg_cuda_unpin(task->device, making->staging);
	gpuagg_cuda_events_free(task->device, making->events);
	free(making);
	task->making = NULL;
}

static GpuAggStatus
made_take(GpuAggTask *task, GpuAggMade **made, GpuAggError *error)
{
	memset(error, 0, sizeof(*error));
	*made = NULL;
	if (task->error.status != GPUAGG_OK)
	{
		*error = task->error;
		return error->status;
	}
	if (task->making == NULL || task->stage != GPUAGG_TASK_RESULTS || task->making->made == NULL)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "the task has made no look-up table");
	*made = task->making->made;
	task->making->made = NULL;
	/* the device goes on to count it */
	task->memory_used -= (*made)->bytes;
	return GPUAGG_OK;
}

static const GpuAggLookup *
made_head(const GpuAggMade *made)
{
	return made->head;
}

static void
made_free(GpuAggMade *made)
{
	if (made == NULL)
		return;
	if (!made->device->lost)
		(void) cudaFreeAsync(made->block, made->device->stripe_stream);
	made->device->memory_used -= made->bytes;
	made_destroy(made);
}

const GpuAggMadeOps gpuagg_cuda_made_ops = {made_take, made_head, made_free};

/* ---------- programs that look up in it ---------- */

bool
gpuagg_cuda_made_attach(GpuAggTask *task, const GpuAggMadeTables *tables, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const char *there = (const char *) task->device_prepared + task->prepared->program_off;

	if (tables->n == 0)
		return true;
	if (!gpuagg_cuda_stripe_wait(task, task->streams->group, error))
		return false;
	task->made_at = (const char **) calloc(p->nconsts, sizeof(*task->made_at));
	if (task->made_at == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < tables->n; i++)
	{
		const uint32_t k = tables->constants[i];
		const GpuAggMade *made = tables->tables[i];
		GpuAggConst c = gpuagg_program_consts(p)[k];

		task->made_at[k] = made->block;
		c.len = (uint32_t) made->bytes;
		c.v.off = (uint64_t) ((uintptr_t) made->block - (uintptr_t) there);
		/* from memory that is not pinned: it is read before the call returns */
		if (!CUDA_OK(task->device,
					 cudaMemcpyAsync((char *) there + p->consts_off + k * sizeof(c), &c, sizeof(c),
									 cudaMemcpyHostToDevice, task->streams->group),
					 error))
			return false;
	}
	return gpuagg_cuda_code_tables_begin(task, tables, error);
}
