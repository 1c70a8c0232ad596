/*
 * cuda_codes.cu
 *		Code tables on the card (cuda_codes.h): made, found again, filled up.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_codes.h"
#include "device/ops/places.h"

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

	if (!gpuagg_cuda_dictionary_follow(d, stream, error) ||
		(t->texts != NULL && !gpuagg_cuda_dictionary_follow(t->texts, stream, error)))
		return false;
	/* what was given is there, and a code beyond that is beyond the table's rows */
	if (t->done >= end || gpuagg_code_table_is_given(t->entry.expression))
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
	if (t->order != NULL)
		gpuagg_cuda_dictionary_release(t->dictionary, t->order,
									   t->entry.codes * sizeof(*t->order));
	if (t->texts != NULL)
		gpuagg_cuda_dictionary_free(t->texts);
	free(t->order_here);
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

/* The places of the strings that it has room for */
static bool
places_make(GpuAggCudaCodeTable *t, GpuAggError *error)
{
	GpuAggDictionary *d = t->dictionary;
	GpuAggDevice *device = t->made.device;
	const GpuAggDictionaryRef *ref = gpuagg_cuda_dictionary_ref(d);
	const uint32_t n = (uint32_t) t->entry.codes;
	cudaStream_t stream = device->stripe_stream;
	void	   *memory = NULL;
	size_t		bytes;
	bool		ok;

	t->order = (uint32_t *) gpuagg_cuda_dictionary_alloc(d, n * sizeof(*t->order), error);
	ok = t->order != NULL &&
		CUDA_OK(device, gpuagg_cuda_places_bytes(ref, n, &bytes), error) &&
		CUDA_OK(device, cudaMallocFromPoolAsync(&memory, bytes, device->pool, stream), error) &&
		gpuagg_cuda_dictionary_follow(d, stream, error) &&
		CUDA_OK(device, gpuagg_cuda_places_fill(ref, t->order, n, t->made.block, memory, bytes,
												stream), error) &&
		CUDA_LAUNCHED(device, error) && gpuagg_cuda_dictionary_used(d, stream, error);
	if (memory != NULL && !device->lost)
		(void) cudaFreeAsync(memory, stream);
	t->done = n;
	return ok;
}

/* A table with room for so many codes; NULL: *error tells. */
static GpuAggCudaCodeTable *
table_make(GpuAggDictionary *d, const GpuAggProgram *expression, uint64_t codes,
		   GpuAggError *error)
{
	const bool	places = gpuagg_code_table_is_places(expression);
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
		if (places)
			gpuagg_places_bound(t->made.head, (uint32_t) codes);
		else if (gpuagg_code_table_is_called(expression))
			t->made.head->nrows = 0;
		if ((!gpuagg_code_table_is_text(expression) ||
			 gpuagg_cuda_dictionary_create(t->made.device, &t->texts, error) == GPUAGG_OK) &&
			table_open(t, error) && (!places || places_make(t, error)))
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
	const bool	places = gpuagg_code_table_is_places(expression);
	const uint64_t codes = gpuagg_cuda_dictionary_known(d);
	const uint64_t more = codes + (places ? 0 : codes / 2);
	const uint64_t most = more < GPUAGG_DICTIONARY_ENTRIES ? more : GPUAGG_DICTIONARY_ENTRIES;
	GpuAggCodeTableEntry **list = gpuagg_cuda_dictionary_tables(d);
	GpuAggCudaCodeTable *t = (GpuAggCudaCodeTable *) gpuagg_code_table_take(list, expression, most);
	GpuAggCodeTableEntry *outgrown;
	uint64_t	room = MIN_CODES;

	memset(error, 0, sizeof(*error));
	*table = NULL;
	while (places &&
		   (outgrown = gpuagg_code_table_outgrown(list, expression, codes)) != NULL)
		table_free((GpuAggCudaCodeTable *) outgrown);
	while (room < 4 * codes && room < GPUAGG_DICTIONARY_ENTRIES)
		room *= 2;
	/* what was given would have to be given again */
	if (gpuagg_code_table_is_called(expression) && room > MIN_CODES)
		room = GPUAGG_DICTIONARY_ENTRIES;
	if (places)
		room = codes;
	if (t == NULL && (t = table_make(d, expression, room, error)) == NULL)
		return error->status;
	bounds_set(t);
	gpuagg_code_table_add(list, &t->entry);
	(void) tables_drop(d, GPUAGG_CODE_TABLES_KEPT);
	*table = &t->made;
	return GPUAGG_OK;
}

/* ---------- given values ---------- */

uint64_t
gpuagg_cuda_code_table_given(const GpuAggMade *table)
{
	return table->codes->done;
}

/* Values as the table has them, and the words of its bits that these are in */
typedef struct Given
{
	char	   *values;
	uint64_t   *nulls;
	uint64_t   *errors;
	int32_t    *codes;			/* of texts */
} Given;

static void
given_free(Given *g)
{
	free(g->values);
	free(g->nulls);
	free(g->errors);
	free(g->codes);
}

/* Room for n values; false: there is none */
static bool
given_alloc(Given *g, const GpuAggLookupColumn *column, uint32_t n)
{
	g->values = (char *) calloc(n + 1, column->width);
	g->nulls = (uint64_t *) calloc(n / 64 + 2, sizeof(uint64_t));
	g->errors = (uint64_t *) calloc(n / 64 + 2, sizeof(uint64_t));
	g->codes = (int32_t *) calloc(n + 1, sizeof(int32_t));
	return g->values != NULL && g->nulls != NULL && g->errors != NULL && g->codes != NULL;
}

/* Codes of those that are texts and no NULLs; false: *error tells. */
static bool
given_encode(const GpuAggCudaCodeTable *t, Given *g, const GpuAggRowColumn *values, uint32_t n,
			 GpuAggError *error)
{
	const GpuAggBytes *strings = (const GpuAggBytes *) values->values;
	GpuAggBytes *some = (GpuAggBytes *) malloc((n + 1) * sizeof(GpuAggBytes));
	uint32_t	m = 0;
	bool		good = some != NULL;

	for (uint32_t i = 0; good && i < n; i++)
		if (values->states[i] == GPUAGG_ST_VALUE)
			some[m++] = strings[i];
	if (some == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else
		good = gpuagg_cuda_dictionary_encode(t->texts, some, m, g->codes, error) == GPUAGG_OK;
	for (uint32_t i = 0; good && i < m; i++)
		if (g->codes[i] == GPUAGG_NO_CODE)
		{
			gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "a dictionary takes no more strings");
			good = false;
		}
	free(some);
	return good;
}

/* The n values as they lie in the table from code `first` on */
static void
given_lay_out(const GpuAggCudaCodeTable *t, Given *g, const GpuAggRowColumn *values, uint32_t n)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.head + 1);
	const int32_t *code = g->codes;

	for (uint32_t i = 0; i < n; i++)
	{
		if (values->states[i] != GPUAGG_ST_VALUE)
		{
			(values->states[i] == GPUAGG_ST_NULL ? g->nulls : g->errors)[(t->done % 64 + i) / 64] |=
				UINT64_C(1) << (t->done + i) % 64;
			continue;
		}
		if (t->texts != NULL)
			((int32_t *) g->values)[i] = *code++;
		else if (column->width == 4)
			((int32_t *) g->values)[i] = (int32_t) ((const int64_t *) values->values)[i];
		else
			((int64_t *) g->values)[i] = ((const int64_t *) values->values)[i];
	}
}

/* Words of bits to the card, which has the first one in part */
static bool
given_bits(const GpuAggCudaCodeTable *t, uint64_t *bits, uint64_t offset, uint32_t n,
		   GpuAggError *error)
{
	GpuAggDevice *device = t->made.device;
	const uint32_t first = t->done / 64;
	const uint32_t words = (t->done + n - 1) / 64 - first + 1;
	char	   *there = t->made.block + offset + (size_t) first * sizeof(uint64_t);
	uint64_t	before = 0;

	if (!CUDA_OK(device, cudaMemcpyAsync(&before, there, sizeof(before), cudaMemcpyDeviceToHost,
										 device->stripe_stream), error) ||
		!gpuagg_cuda_stripe_done(device, error))
		return false;
	bits[0] |= before;
	return CUDA_OK(device, cudaMemcpyAsync(there, bits, words * sizeof(uint64_t),
										   cudaMemcpyHostToDevice, device->stripe_stream), error);
}

/* To the card, which then has so many more rows */
static bool
given_copy(GpuAggCudaCodeTable *t, Given *g, uint32_t n, GpuAggError *error)
{
	GpuAggDevice *device = t->made.device;
	cudaStream_t stream = device->stripe_stream;
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (t->made.head + 1);

	if (!given_bits(t, g->nulls, column->nulls, n, error) ||
		!given_bits(t, g->errors, column->errors, n, error))
		return false;
	t->made.head->nrows = t->done + n;
	return CUDA_OK(device, cudaMemcpyAsync(t->made.block + column->values +
										   (size_t) t->done * column->width, g->values,
										   (size_t) n * column->width, cudaMemcpyHostToDevice,
										   stream), error) &&
		CUDA_OK(device, cudaMemcpyAsync(t->made.block, t->made.head, sizeof(GpuAggLookup),
										cudaMemcpyHostToDevice, stream), error) &&
		gpuagg_cuda_stripe_done(device, error);
}

GpuAggStatus
gpuagg_cuda_code_table_give(GpuAggMade *table, const GpuAggRowColumn *values, uint32_t n,
							GpuAggError *error)
{
	GpuAggCudaCodeTable *t = table->codes;
	Given		g = {};

	memset(error, 0, sizeof(*error));
	if (n == 0)
		return GPUAGG_OK;
	if (n > t->entry.codes - t->done)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "a code table has no room");
	if (!given_alloc(&g, (const GpuAggLookupColumn *) (t->made.head + 1), n))
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else if (t->texts == NULL || given_encode(t, &g, values, n, error))
	{
		given_lay_out(t, &g, values, n);
		if (given_copy(t, &g, n, error))
			t->done += n;
	}
	given_free(&g);
	return error->status;
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

const uint32_t *
gpuagg_cuda_code_table_there(const GpuAggMade *table)
{
	return table->codes->order;
}

const uint32_t *
gpuagg_cuda_code_table_order(GpuAggMade *table, GpuAggError *error)
{
	GpuAggCudaCodeTable *t = table->codes;
	GpuAggDevice *device = t->made.device;
	const size_t bytes = t->entry.codes * sizeof(*t->order);
	uint32_t   *here = t->order_here;

	memset(error, 0, sizeof(*error));
	if (here != NULL)
		return here;
	here = (uint32_t *) malloc(bytes);
	if (here == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	else if (CUDA_OK(device, cudaMemcpyAsync(here, t->order, bytes, cudaMemcpyDeviceToHost,
											 device->stripe_stream), error) &&
			 CUDA_OK(device, cudaStreamSynchronize(device->stripe_stream), error))
		return t->order_here = here;
	free(here);
	return NULL;
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
