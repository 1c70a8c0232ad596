/*
 * cuda_codes.cu
 *		Code tables on the card (cuda_codes.h): made, found again, filled up.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_codes.h"

/* Codes that a table has room for, at least */
#define MIN_CODES ((uint64_t) 1 << 16)

/* ---------- filling ---------- */

/* What the stream does from now on finds values of all codes of which strings may have come. */
static bool
table_complete(GpuAggTask *task, GpuAggCudaCodeTable *t, cudaStream_t stream, GpuAggError *error)
{
	GpuAggDictionary *d = t->dictionary;
	const uint32_t known = (uint32_t) gpuagg_cuda_dictionary_known(d);
	const uint32_t codes = (uint32_t) gpuagg_cuda_dictionary_bound(d);
	const uint32_t end = codes < t->made.head->nrows ? codes : t->made.head->nrows;
	GpuAggCodeTableFill fill = {};

	if (!gpuagg_cuda_dictionary_follow(task, d, stream, error) ||
		(t->texts != NULL && !gpuagg_cuda_dictionary_follow(task, t->texts, stream, error)))
		return false;
	if (t->done >= end)
		return true;
	/* what it makes lies in the dictionary's strings, or in the expression */
	if (t->texts != NULL)
	{
		if (!gpuagg_cuda_dictionary_add_begin(t->texts, codes, stream, error))
			return false;
		fill.texts = *gpuagg_cuda_dictionary_ref(t->texts);
	}
	fill.block = t->made.block;
	fill.expression = (const GpuAggProgram *) (t->made.block + t->made.head->bytes);
	fill.first = t->done;
	fill.from = *gpuagg_cuda_dictionary_ref(d);
	gpuagg_cuda_code_table_fill(&fill, end, stream);
	/* of those that may yet come it is not known how many there are */
	t->done = known < end ? known : end;
	return CUDA_LAUNCHED(task->device, error) && gpuagg_cuda_dictionary_used(d, stream, error) &&
		(t->texts == NULL || gpuagg_cuda_dictionary_add_end(t->texts, stream, error));
}

bool
gpuagg_cuda_code_tables_begin(GpuAggTask *task, const GpuAggMadeTables *tables, GpuAggError *error)
{
	for (uint32_t i = 0; i < tables->n; i++)
		if (tables->tables[i]->codes != NULL && task->ncode_tables < GPUAGG_MADE_TABLES)
			task->code_tables[task->ncode_tables++] = tables->tables[i]->codes;
	return gpuagg_cuda_code_tables_complete(task, NULL, task->streams->group, error);
}

bool
gpuagg_cuda_code_tables_complete(GpuAggTask *task, const GpuAggDictionary *dictionary,
								 cudaStream_t stream, GpuAggError *error)
{
	for (uint32_t i = 0; i < task->ncode_tables; i++)
		if ((dictionary == NULL || task->code_tables[i]->dictionary == dictionary) &&
			!table_complete(task, task->code_tables[i], stream, error))
			return false;
	return true;
}

/* ---------- tables ---------- */

/* Bytes on the card, the expression's included */
static size_t
table_bytes(const GpuAggCudaCodeTable *t)
{
	return gpuagg_cuda_align((size_t) t->made.head->bytes + t->entry.expression->bytes);
}

static void
table_free(GpuAggCudaCodeTable *t)
{
	if (t->made.block != NULL)
		gpuagg_cuda_dictionary_release(t->dictionary, t->made.block, table_bytes(t));
	if (t->texts != NULL)
		gpuagg_cuda_dictionary_free(t->texts);
	free(t->made.head);
	free(t->entry.expression);
	free(t);
}

/* Memory on the card: without NULLs, and the header and the expression */
static bool
table_open(GpuAggCudaCodeTable *t, GpuAggError *error)
{
	GpuAggDevice *device = t->made.device;
	const size_t head_bytes = sizeof(GpuAggLookup) + sizeof(GpuAggLookupColumn);
	cudaStream_t stream;

	t->made.block = (char *) gpuagg_cuda_dictionary_alloc(t->dictionary, table_bytes(t), error);
	if (t->made.block == NULL)
		return false;
	stream = device->stripe_stream;
	/* from memory that is not pinned: it is read before the calls return */
	return CUDA_OK(device, cudaMemsetAsync(t->made.block, 0, t->made.bytes, stream), error) &&
		CUDA_OK(device, cudaMemcpyAsync(t->made.block, t->made.head, head_bytes,
										cudaMemcpyHostToDevice, stream), error) &&
		CUDA_OK(device, cudaMemcpyAsync(t->made.block + t->made.head->bytes, t->entry.expression,
										t->entry.expression->bytes, cudaMemcpyHostToDevice, stream),
				error) &&
		gpuagg_cuda_stripe_done(device, error);
}

/* A table with room for so many codes; NULL: *error tells. */
static GpuAggCudaCodeTable *
table_make(GpuAggDictionary *d, const GpuAggProgram *expression, uint64_t codes,
		   GpuAggError *error)
{
	GpuAggCudaCodeTable *t = (GpuAggCudaCodeTable *) calloc(1, sizeof(*t));

	if (t == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	t->dictionary = d;
	t->made.device = gpuagg_cuda_dictionary_device(d);
	t->made.codes = t;
	t->made.head = (GpuAggLookup *) malloc(sizeof(GpuAggLookup) + sizeof(GpuAggLookupColumn));
	t->entry.expression = (GpuAggProgram *) malloc(expression->bytes);
	if (t->made.head == NULL || t->entry.expression == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else
	{
		memcpy(t->entry.expression, expression, expression->bytes);
		t->entry.codes = codes;
		gpuagg_code_table_lay_out(expression, (uint32_t) codes, t->made.head);
		t->made.bytes = (size_t) t->made.head->bytes;
		if ((!gpuagg_code_table_is_text(expression) ||
			 gpuagg_cuda_dictionary_create(t->made.device, &t->texts, error) == GPUAGG_OK) &&
			table_open(t, error))
			return t;
	}
	table_free(t);
	return NULL;
}

/* Those that nobody has go, but for so many that were used last; was there any? */
static bool
tables_drop(GpuAggDictionary *d, uint32_t kept)
{
	GpuAggCodeTableEntry *spare;
	bool		any = false;

	while ((spare = gpuagg_code_table_spare(gpuagg_cuda_dictionary_tables(d), kept)) != NULL)
	{
		table_free((GpuAggCudaCodeTable *) spare);
		any = true;
	}
	return any;
}

/* What whoever numbers groups by codes of strings that it makes is told: those that are known */
static void
bounds_set(GpuAggCudaCodeTable *t)
{
	GpuAggLookupColumn *column = (GpuAggLookupColumn *) (t->made.head + 1);
	GpuAggDictionaryInfo info;

	if (t->texts == NULL)
		return;
	gpuagg_cuda_dictionary_info(t->texts, &info);
	if (info.entries == 0)
		return;
	column->low = 0;
	column->high = (int64_t) info.entries - 1;
}

GpuAggStatus
gpuagg_cuda_code_table(GpuAggDictionary *d, const GpuAggProgram *expression, GpuAggMade **table,
					   GpuAggError *error)
{
	/* what is under way is mostly known already; what is not finds room, or the task runs again */
	const uint64_t codes = gpuagg_cuda_dictionary_known(d);
	const uint64_t most = codes + codes / 2 < GPUAGG_DICTIONARY_ENTRIES ? codes + codes / 2 :
		GPUAGG_DICTIONARY_ENTRIES;
	GpuAggCodeTableEntry **list = gpuagg_cuda_dictionary_tables(d);
	GpuAggCudaCodeTable *t = (GpuAggCudaCodeTable *) gpuagg_code_table_take(list, expression, most);
	uint64_t	room = MIN_CODES;

	memset(error, 0, sizeof(*error));
	*table = NULL;
	while (room < 4 * codes && room < GPUAGG_DICTIONARY_ENTRIES)
		room *= 2;
	if (t == NULL && (t = table_make(d, expression, room, error)) == NULL)
		return error->status;
	bounds_set(t);
	gpuagg_code_table_add(list, &t->entry);
	(void) tables_drop(d, GPUAGG_CODE_TABLES_KEPT);
	*table = &t->made;
	return GPUAGG_OK;
}

void
gpuagg_cuda_code_table_leave(GpuAggMade *table)
{
	table->codes->entry.users--;
}

bool
gpuagg_cuda_code_tables_drop(GpuAggDictionary *d)
{
	return tables_drop(d, 0);
}

GpuAggDictionary *
gpuagg_cuda_code_table_texts(GpuAggMade *table)
{
	return table->codes->texts;
}

uint64_t
gpuagg_cuda_code_tables_text_bytes(GpuAggDictionary *d)
{
	uint64_t	bytes = 0;

	for (GpuAggCodeTableEntry *at = *gpuagg_cuda_dictionary_tables(d); at != NULL; at = at->next)
	{
		const GpuAggCudaCodeTable *t = (const GpuAggCudaCodeTable *) at;
		GpuAggDictionaryInfo info = {};

		if (t->texts != NULL)
			gpuagg_cuda_dictionary_info(t->texts, &info);
		bytes += info.bytes;
	}
	return bytes;
}

void
gpuagg_cuda_code_tables_free(GpuAggDictionary *d)
{
	(void) tables_drop(d, 0);
}
