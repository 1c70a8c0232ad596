/*
 * groupby_batches.cu
 *		Begin of grouping in device memory, and rows that arrive in batches:
 *		each decoded batch's rows are packed to records, behind those that are
 *		there; when the last one is packed, grouping begins with all records as
 *		its input.
 *
 * Records lie side by side in one piece of memory, which doubles when it might
 * not have room for all rows of the decoded batches under way.  How many there
 * are, the card counts; the host knows a bound, and less and less as decoded
 * batches come to their end.
 */
#include <stdlib.h>

#include "cuda/groupby/groupby_run.h"

/* Room at first */
#define MIN_RECORDS ((uint64_t) 1 << 20)

void
gpuagg_groupby_args_set(GpuAggGroupBy *s, const GpuAggGroupByArgs *args, GpuAggKeyShape key)
{
	s->args = *args;
	s->args.prepared = s->device_prepared;
	s->args.table.hash_window = s->prepared->hash_window;
	s->args.head = &s->device->head;
	s->key = key;
}

GpuAggStatus
gpuagg_cuda_groupby_open(const GpuAggGroupByConfig *config, const GpuAggCudaPrepared *prepared,
						 const GpuAggCudaPrepared *device_prepared,
						 const GpuAggGroupByMemory *memory, GpuAggGroupByReport *report,
						 cudaStream_t stream, GpuAggGroupBy **groupby, GpuAggError *error)
{
	GpuAggGroupBy *s = (GpuAggGroupBy *) calloc(1, sizeof(*s));
	GpuAggGroupByArgs args;

	*groupby = s;
	if (s == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	s->config = *config;
	s->memory = *memory;
	s->report = report;
	s->stream = stream;
	s->prepared = prepared;
	s->device_prepared = device_prepared;
	s->program = gpuagg_cuda_program(prepared);
	memset(report, 0, sizeof(*report));
	if (!gpuagg_record_of_rows(s->program, &s->record))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "rows have no records");
	s->device = (GpuAggGroupByReport *) gpuagg_groupby_take(s, sizeof(*s->device), error);
	if (s->device == NULL)
		return error->status;
	gpuagg_cuda_groupby_args(prepared, s->program, &s->record, &args);
	gpuagg_groupby_args_set(s, &args, gpuagg_local_key_shape(s->program, &s->record));
	GROUPBY_CHECK(cudaMemsetAsync(s->device, 0, sizeof(*s->device), s->stream));
	return GPUAGG_OK;
}

/* Room for that many more records; the old ones move along. */
static GpuAggStatus
records_room(GpuAggGroupBy *s, uint64_t more, GpuAggError *error)
{
	uint64_t	room = s->max_records > 0 ? s->max_records : MIN_RECORDS;
	char	   *old = s->records;

	if (s->bound + more <= s->max_records)
		return GPUAGG_OK;
	while (room < s->bound + more)
		room *= 2;
	s->records = (char *) gpuagg_groupby_take(s, room * s->record.bytes, error);
	if (s->records == NULL)
	{
		s->records = old;
		return error->status;
	}
	s->max_records = room;
	if (old == NULL)
		return GPUAGG_OK;
	GROUPBY_CHECK(cudaMemcpyAsync(s->records, old, s->bound * s->record.bytes,
								 cudaMemcpyDeviceToDevice, s->stream));
	gpuagg_groupby_give(s, old);
	return GPUAGG_OK;
}

/* Where another program with the same keys and transitions has the fields */
static void
field_regs(const GpuAggRecord *record, const GpuAggProgram *p, uint16_t *regs)
{
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (record->arg_field[i] != GPUAGG_NO_FIELD)
			regs[record->arg_field[i]] = gpuagg_program_transitions(p)[i].arg;
	for (uint32_t i = 0; i < p->nkeys; i++)
		regs[record->key_field[i]] = gpuagg_program_keys(p)[i].reg;
}

GpuAggStatus
gpuagg_cuda_groupby_decoded(GpuAggGroupBy *s, const GpuAggCudaPrepared *device_prepared,
						 const GpuAggProgram *program, const GpuAggDecodedBatch *decoded,
						 char *scratch, uint32_t scratch_stride, uint32_t blocks,
						 GpuAggError *error)
{
	GpuAggPackDecodedBatch c = {};

	if (records_room(s, decoded->nrows, error) != GPUAGG_OK)
		return error->status;
	c.prepared = device_prepared;
	c.decoded = *decoded;
	c.records = s->records;
	field_regs(&s->record, program, c.regs);
	s->bound += decoded->nrows;
	s->unsettled++;
	GROUPBY_CHECK(gpuagg_cuda_groupby_pack_decoded(&s->args, &c, scratch, scratch_stride, blocks,
											   s->stream));
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_groupby_room(GpuAggGroupBy *s, uint32_t places, char **records,
						 unsigned long long **nrecords, GpuAggError *error)
{
	if (records_room(s, places, error) != GPUAGG_OK)
		return error->status;
	s->bound += places;
	s->unsettled++;
	*records = s->records;
	*nrecords = &s->device->head.npacked;
	return GPUAGG_OK;
}

void
gpuagg_cuda_groupby_settle(GpuAggGroupBy *s, uint32_t places, uint64_t records, uint64_t with_null)
{
	s->bound -= places - records;
	s->with_null += with_null;
	s->unsettled--;
}

/*
 * Where it is known that no row has a NULL, heads say nothing: fields are read where they
 * lie, keys may be single words, and what is written from now on has no heads.
 */
static void
heads_drop(GpuAggGroupBy *s)
{
	const uint8_t nullable[GPUAGG_MAX_REGS] = {};
	const GpuAggRecord lying = s->record;
	GpuAggGroupByArgs args;

	if (lying.has_head && s->with_null == 0 && s->unsettled == 0 &&
		gpuagg_record_compute(s->program, nullable, &s->record))
	{
		gpuagg_cuda_groupby_args(s->prepared, s->program, &s->record, &args);
		gpuagg_groupby_args_set(s, &args, gpuagg_local_key_shape(s->program, &s->record));
	}
	gpuagg_cuda_groupby_records(&lying, s->records, 0, &s->args);
}

GpuAggStatus
gpuagg_groupby_batches_end(GpuAggGroupBy *s, GpuAggError *error)
{
	heads_drop(s);
	s->phase = GPUAGG_GROUPBY_PHASE_PACKED;
	return gpuagg_groupby_ask(s, error);
}

void
gpuagg_groupby_batches_read(GpuAggGroupBy *s)
{
	if (s->records != NULL)
		gpuagg_groupby_give(s, s->records);
	s->records = NULL;
}
