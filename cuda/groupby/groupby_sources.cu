/*
 * groupby_sources.cu
 *		Grouping in device memory of columns that stay (device/stripe.h): rows
 *		of one integer key and one 4-byte argument at most, none of them NULL.
 *
 * Partitions are made of the columns as they lie; where rows are to be read in
 * another way, or only a window of the hash space is wanted, they are packed
 * first.  Records of decoded batches, which may have come along, become
 * columns, too.
 */
#include <stdlib.h>

#include "cuda/groupby/groupby_run.h"

/* A key alone has itself as its argument. */
static void
record_make_pair(const GpuAggProgram *p, GpuAggRecord *record)
{
	GpuAggRecordField *arg = &record->fields[1];

	*arg = record->fields[0];
	arg->bytes = 4;
	record->nfields = 2;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (record->arg_field[i] == 0)
			record->arg_field[i] = 1;
	gpuagg_record_place(record);
}

/* Is a key of 8 bytes an argument, too? */
static bool
sums_wide_key(const GpuAggProgram *p, const GpuAggRecord *record)
{
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (record->arg_field[i] == 0 && record->fields[0].bytes != 4)
			return true;
	return false;
}

/* Records of rows without a NULL, and their shape; false: they are no pairs */
static bool
pair_record(const GpuAggCudaPrepared *prepared, GpuAggRecord *record, GpuAggGroupByArgs *args,
			GpuAggKeyShape *key)
{
	const GpuAggProgram *p = gpuagg_cuda_program(prepared);
	const uint8_t nullable[GPUAGG_MAX_REGS] = {};

	if (!gpuagg_record_compute(p, nullable, record) || sums_wide_key(p, record))
		return false;
	if (record->nfields == 1)
		record_make_pair(p, record);
	gpuagg_cuda_groupby_args(prepared, p, record, args);
	*key = gpuagg_local_key_shape(p, record);
	return args->kind.fast;
}

bool
gpuagg_cuda_groupby_takes_sources(const GpuAggCudaPrepared *prepared, GpuAggSourceShape *shape)
{
	const GpuAggProgram *p = gpuagg_cuda_program(prepared);
	GpuAggRecord record;
	GpuAggGroupByArgs args;
	GpuAggKeyShape key;

	if (!pair_record(prepared, &record, &args, &key))
		return false;
	shape->key = record.fields[0].reg;
	shape->arg = record.fields[1].reg;
	shape->key_bytes = record.fields[0].bytes;
	shape->has_arg = false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		shape->has_arg |= record.arg_field[i] == 1;
	return true;
}

/* ---------- taking them ---------- */

static uint64_t
whole_tiles(uint64_t rows)
{
	return (rows + GPUAGG_WARP_TILE - 1) / GPUAGG_WARP_TILE * GPUAGG_WARP_TILE;
}

/* Rows of a source are numbered from `first` on. */
static void
source_number(GpuAggSource *source, uint32_t key_bytes, uint64_t first)
{
	source->first = first;
	source->key -= source->key_blocks == 0 ? first * key_bytes : 0;
	source->arg -= source->arg_blocks == 0 ? first * sizeof(uint32_t) : 0;
	source->taken -= first / 8;
}

/* Records of decoded batches, n of them, as one more source */
static GpuAggStatus
source_of_records(GpuAggGroupBy *s, uint64_t n, GpuAggSource *source, GpuAggError *error)
{
	const uint64_t room = whole_tiles(n);
	const uint32_t key_bytes = s->record.fields[0].bytes;
	char	   *key = (char *) gpuagg_groupby_take(s, room * key_bytes, error);
	uint32_t   *arg = (uint32_t *) gpuagg_groupby_take(s, room * sizeof(uint32_t), error);
	uint32_t   *taken = (uint32_t *) gpuagg_groupby_take(s, room / 8, error);

	if (key == NULL || arg == NULL || taken == NULL)
		return error->status;
	GROUPBY_CHECK(gpuagg_cuda_groupby_to_source(&s->record, s->records, n, room, key, arg, taken,
											  s->config.sms, s->stream));
	gpuagg_groupby_batches_read(s);
	source->key_blocks = source->arg_blocks = 0;
	source->key = (uint64_t) (uintptr_t) key;
	source->arg = (uint64_t) (uintptr_t) arg;
	source->taken = (uint64_t) (uintptr_t) taken;
	return GPUAGG_OK;
}

/* To the card.  The list is copied before this returns: it is not pinned. */
static GpuAggStatus
sources_upload(GpuAggGroupBy *s, const GpuAggSource *list, uint32_t n, GpuAggError *error)
{
	GpuAggSource *there = (GpuAggSource *) gpuagg_groupby_take(s, n * sizeof(*list), error);

	if (there == NULL)
		return error->status;
	GROUPBY_CHECK(
		cudaMemcpyAsync(there, list, n * sizeof(*list), cudaMemcpyHostToDevice, s->stream));
	s->sources.list = there;
	s->sources.n = n;
	return GPUAGG_OK;
}

static GpuAggStatus
sources_take(GpuAggGroupBy *s, GpuAggSource *list, const uint64_t *rows, uint32_t n,
			 uint64_t taken, GpuAggError *error)
{
	const uint32_t key_bytes = s->record.fields[0].bytes;
	const uint64_t nrecords = s->bound;
	uint32_t	used = 0;

	for (uint32_t i = 0; i < n; i++)
		if (rows[i] > 0)
		{
			GpuAggSource source = list[i];

			source_number(&source, key_bytes, s->sources.end);
			s->sources.end += whole_tiles(rows[i]);
			list[used++] = source;
		}
	if (nrecords > 0)
	{
		if (source_of_records(s, nrecords, &list[used], error) != GPUAGG_OK)
			return error->status;
		source_number(&list[used++], key_bytes, s->sources.end);
		s->sources.end += whole_tiles(nrecords);
	}
	s->taken = taken + nrecords;
	return sources_upload(s, list, used, error);
}

GpuAggStatus
gpuagg_cuda_groupby_sources(GpuAggGroupBy *s, const GpuAggSource *sources, const uint64_t *rows,
						   uint32_t n, uint64_t taken, GpuAggError *error)
{
	GpuAggSource *list;
	GpuAggStatus status;

	if (taken == 0)
		return GPUAGG_OK;
	list = (GpuAggSource *) malloc((n + 1) * sizeof(*list));
	if (list == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	memcpy(list, sources, n * sizeof(*list));
	status = sources_take(s, list, rows, n, taken, error);
	free(list);
	return status;
}

/* ---------- grouping them ---------- */

/* As records, of which there may be fewer than rows */
static GpuAggStatus
sources_pack(GpuAggGroupBy *s, GpuAggError *error)
{
	s->records = (char *) gpuagg_groupby_take(s, s->taken * s->record.bytes, error);
	if (s->records == NULL)
		return error->status;
	GROUPBY_CHECK(cudaMemsetAsync(&s->device->head.npacked, 0, sizeof(s->device->head.npacked),
								 s->stream));
	GROUPBY_CHECK(gpuagg_cuda_groupby_pack_sources(&s->args, s->key, &s->sources,
												   gpuagg_groupby_slices(s, s->sources.end),
												   s->records, s->config.sms, s->stream));
	memset(&s->sources, 0, sizeof(s->sources));
	return gpuagg_groupby_batches_end(s, error);
}

GpuAggStatus
gpuagg_groupby_sources_begin(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggKeyShape key;
	GpuAggGroupByArgs args;

	if (!pair_record(s->prepared, &s->record, &args, &key))
		return gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "sources of rows that are no pairs");
	gpuagg_groupby_args_set(s, &args, key);
	if (s->config.strategy != GPUAGG_GROUPBY_PARTITIONED || s->prepared->hash_window.count > 1)
		return sources_pack(s, error);
	s->args.n = s->taken;
	return gpuagg_groupby_measure(s, error);
}
