/*
 * job_input.c
 *		Messages from clients: checked to the last byte, then handed to the
 *		device.
 *
 * A message that is not exactly what protocol.h says, or a program that cannot
 * be, fails its task (GPUAGG_REFUSED) and nothing else.  Messages are only read here, never kept:
 * the device copies what it needs, and the pages themselves stay pinned by the client.
 */
#include "postgres.h"

#include "cache/cache_fill.h"
#include "cache/cache_map.h"
#include "device/ops/answer_row.h"
#include "device/ops/lookup_make.h"
#include "device/ops/ordered_row.h"
#include "device/ops/program_check.h"
#include "device/ops/regrouping_row.h"
#include "ipc/made_shared.h"
#include "ipc/segment.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "worker/devices.h"
#include "worker/encoding.h"
#include "worker/job_called.h"
#include "worker/job_input.h"
#include "worker/job_made.h"
#include "worker/job_share.h"
#include "worker/job_tables.h"

/* Bytes of a message that are yet to be read */
typedef struct GpuAggReader
{
	const char *at;
	Size		left;
} GpuAggReader;

/* The next n elements, 8-byte padded; NULL if there are not so many. */
static const void *
reader_take(GpuAggReader *reader, Size n, Size size)
{
	const char *at = reader->at;
	Size		bytes;

	if (n > reader->left / size)
		return NULL;
	bytes = GPUAGG_ALIGN8(n * size);
	if (bytes > reader->left)
		return NULL;
	reader->at += bytes;
	reader->left -= bytes;
	return at;
}

static void
job_garbled(GpuAggWorkerJob *job, const char *what)
{
	gpuagg_job_fail_with(job, GPUAGG_REFUSED, what);
}

/* ------------------------------------------------------------- messages --- */

/* More than any device has: a job with this estimate is admitted when no other one runs. */
#define WHOLE_MEMORY (PG_UINT64_MAX / 2)

/*
 * Of a value of a look-up table that is made: in columns that grow, put together, and in the table
 */
#define MADE_VALUE_BYTES 32.0

/*
 * What a task will need: its groups at the fill of an open-addressing table
 * (at most one half), half as much again for the table that it grew out of, its
 * program, and the look-up table that it makes, which has a part of the device's memory at
 * most.  Only admission uses it; the device keeps the true account.
 */
static uint64
memory_estimate(const GpuAggProgram *program, const GpuAggTaskConfig *config, uint64 most)
{
	GpuAggLayout layout;
	double		groups = Min(config->expected_groups, 1e15);
	double		made = config->make.nkeys == 0 ?
		0 :
		Min(config->expected_rows * program->nkeys * MADE_VALUE_BYTES,
			(double) most / GPUAGG_MADE_SHARE);

	gpuagg_layout_compute(program, &layout);
	return program->bytes + (uint64) (groups * layout.row_bytes * 3 + made);
}

/*
 * The job's own copy of the program, which the client cannot change any more.  NULL: the
 * job has failed.
 */
static GpuAggProgram *
program_copy(GpuAggWorkerJob *job, const GpuAggBeginMsg *begin, Size bytes)
{
	const Size	program = begin->program_bytes;
	void	   *copy = NULL;

	if (bytes != (begin->segment == 0 ? program : 0))
	{
		job_garbled(job, "unexpected BEGIN message");
		return NULL;
	}
	if (begin->segment != 0)
		copy = gpuagg_segment_copy(begin->segment, 0, program, job->context);
	else if ((copy = MemoryContextAllocExtended(job->context, Max(1, program),
												MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM)) != NULL)
		memcpy(copy, begin + 1, program);
	if (copy == NULL)
		gpuagg_job_fail_with(job, GPUAGG_OUT_OF_MEMORY, "the worker has no memory for the program");
	return copy;
}

/* The answer is of the task's groups, or of those that are made of them. */
static bool
answer_is_legal(const GpuAggTaskConfig *config, const GpuAggProgram *program)
{
	const GpuAggRegrouping *r = &config->regrouping;
	GpuAggProgram *made;
	bool		legal;

	if (r->nsets == 0)
		return gpuagg_answer_check(&config->answer, program);
	if (config->answer.nsums > 0 || !gpuagg_regrouping_check(r, program))
		return false;
	made = palloc(gpuagg_regrouping_program_bytes(r, false));
	gpuagg_regrouping_program(r, program, false, made);
	legal = gpuagg_answer_check(&config->answer, made);
	pfree(made);
	return legal;
}

/* Numbers and choices within their bounds, and nothing that excludes another; NaN is no number. */
static bool
config_is_legal(const GpuAggTaskConfig *config, const GpuAggProgram *program)
{
	const bool	windows = config->hash_window.count > 1;

	if ((config->regrouping.nsets > 0 || gpuagg_ordered_asked(&config->ordered)) && windows)
		return false;
	if (gpuagg_ordered_asked(&config->ordered) &&
		(config->answer.nsums > 0 || !gpuagg_answer_wants_all(&config->answer)))
		return false;
	return config->expected_groups >= 0 && config->expected_rows >= 0 &&
		config->expected_made >= 0 &&
		config->fault < GPUAGG_NFAULTS && config->strategy < GPUAGG_NSTRATEGIES &&
		config->resident_strategy < GPUAGG_NSTRATEGIES && config->units.n <= GPUAGG_SPATIAL_UNITS &&
		config->draw.way < GPUAGG_NDRAWWAYS && config->draw.windows <= GPUAGG_DRAW_WINDOWS &&
		gpuagg_hash_window_valid(config->hash_window) && (!windows || program->nkeys > 0) &&
		gpuagg_regrouping_check(&config->regrouping, program) &&
		answer_is_legal(config, program) &&
		gpuagg_ordered_check(&config->ordered, program) &&
		(config->regrouping.nsets == 0 || !gpuagg_ordered_asked(&config->ordered)) &&
		config->sample.method < GPUAGG_NSAMPLES &&
		(config->sample.cutoff <= GPUAGG_SAMPLE_ALL ||
		 config->sample.method == GPUAGG_SAMPLE_DRAWS);
}

static void
input_begin(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggBeginMsg *begin = (const GpuAggBeginMsg *) msg;
	const char *reason;
	GpuAggProgram *program;
	GpuAggDeviceInfo info;
	GpuAggError error = {0};

	if (job->state != GPUAGG_JOB_BEGIN || bytes < sizeof(GpuAggBeginMsg))
	{
		job_garbled(job, "unexpected BEGIN message");
		return;
	}
	program = program_copy(job, begin, bytes - sizeof(GpuAggBeginMsg));
	if (program == NULL)
		return;
	if (!gpuagg_program_check(program, begin->program_bytes, &reason))
	{
		job_garbled(job, reason);
		return;
	}
	job->config = begin->config;
	job->config.codes.dictionaries = NULL;
	job->config.codes.results = NULL;
	job->config.make.dictionaries = NULL;
	job->config.made.n = 0;
	if (!(begin->predicted_ms >= 0) || !config_is_legal(&job->config, program))
	{
		job_garbled(job, "BEGIN message with an illegal setting");
		return;
	}
	job->on = gpuagg_devices_route(begin->host != 0, begin->measure != 0,
								   &error);
	if (job->on == NULL)
	{
		gpuagg_job_fail_with(job, GPUAGG_DEVICE_FAULT, error.message);
		return;
	}
	job->on->ops->info(job->on->device, &info);
	if (gpuagg_program_looks_up(program) && !info.lookups)
	{
		gpuagg_job_fail_with(job, GPUAGG_UNSUPPORTED, "the device has no look-up tables");
		return;
	}
	job->program = program;
	job->several = begin->several != 0;
	job->called_wish = begin->called != 0;
	if (!gpuagg_job_called_wish_ok(job))
	{
		job_garbled(job, "BEGIN message of values that nobody asks for");
		return;
	}
	if (!gpuagg_made_wish_ok(job))
	{
		gpuagg_job_fail_with(job, GPUAGG_UNSUPPORTED, "the device makes no such look-up table");
		return;
	}
	if (!gpuagg_made_use(job, &error))
	{
		gpuagg_job_fail(job, &error);
		return;
	}
	job->estimate = begin->alone ? WHOLE_MEMORY :
								   memory_estimate(job->program, &job->config, info.memory_limit);
	job->predicted_ms = begin->predicted_ms;
	gpuagg_job_table_add(job, &begin->cache);
	if (!job->several)
		job->tables[0]->cache.ahead = begin->ahead;
	job->state = GPUAGG_JOB_QUEUED;
}

/*
 * Fills job->pages from the message.  Buffer numbers are checked against
 * shared_buffers; that the client pins them is its own promise.
 */
static bool
pages_decode(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggMsgPage *in = (const GpuAggMsgPage *) (msg + 1);
	Size		left = bytes - sizeof(GpuAggMsg);
	const uint8_t *bitmap;

	if (msg->count > left / sizeof(GpuAggMsgPage))
		return false;
	left -= msg->count * sizeof(GpuAggMsgPage);
	bitmap = (const uint8_t *) (in + msg->count);
	if (msg->count > job->npages)
	{
		if (job->pages != NULL)
			pfree(job->pages);
		job->pages = NULL;
		job->pages = MemoryContextAlloc(job->context,
										msg->count * sizeof(GpuAggPage));
		job->npages = msg->count;
	}
	for (uint32 i = 0; i < msg->count; i++)
	{
		GpuAggPage *page = &job->pages[i];

		if (in[i].buffer < 1 || in[i].buffer > NBuffers ||
			in[i].nlines > GPUAGG_MAX_LINES)
			return false;
		page->page = BufferBlocks + (Size) (in[i].buffer - 1) * BLCKSZ;
		page->nlines = in[i].nlines;
		page->block = in[i].block;
		page->visibility = NULL;
		page->stripe = NULL;
		page->positions = 0;
		page->beside = 0;
		page->there = 0;
		page->compare = 0;
		if (!in[i].has_visibility)
			continue;
		if (left < GPUAGG_VISIBILITY_BYTES)
			return false;
		page->visibility = bitmap;
		bitmap += GPUAGG_VISIBILITY_BYTES;
		left -= GPUAGG_VISIBILITY_BYTES;
	}
	return left == 0;
}

static void
input_pages(GpuAggWorkerJob *job, GpuAggJobTable *table, const GpuAggMsg *msg, Size bytes)
{
	GpuAggError error = {0};

	if (!pages_decode(job, msg, bytes))
	{
		job_garbled(job, "garbled PAGES message");
		return;
	}
	if (!gpuagg_job_begin_task(job))
		return;
	job->pages_read += msg->count;
	gpuagg_cache_pages(&table->cache, msg->batch_id, (const GpuAggMsgPage *) (msg + 1),
					   job->pages, msg->count);
	gpuagg_job_batch_added(job,
				job->on->ops->task_pages(job->task, msg->batch_id,
										 job->pages, msg->count, &error),
				&error);
}

/* One column of rows, with such states; false if the message does not hold it. */
static bool
column_decode(GpuAggReader *reader, uint32 count, uint32 cls, uint8 states,
			  GpuAggRowColumn *column)
{
	const uint32 *lengths;
	const char *data;
	GpuAggBytes *values;
	Size		total = 0;

	column->states = reader_take(reader, count, 1);
	if (column->states == NULL)
		return false;
	for (uint32 i = 0; i < count; i++)
		if ((column->states[i] & ~states) != 0)
			return false;
	if (cls != GPUAGG_CLASS_BYTES)
	{
		column->values = reader_take(reader, count, 8);
		return column->values != NULL;
	}

	lengths = reader_take(reader, count, sizeof(uint32));
	if (lengths == NULL)
		return false;
	values = palloc(Max(count, 1) * sizeof(GpuAggBytes));
	data = reader->at;
	for (uint32 i = 0; i < count; i++)
	{
		values[i].data = data + total;
		values[i].len = lengths[i];
		total += lengths[i];
		if (total > reader->left)
			return false;
	}
	column->values = values;
	return reader_take(reader, total, 1) != NULL;
}

/* All columns, in the order of gpuagg_program_noutputs. */
static bool
rows_decode(GpuAggWorkerJob *job, const char *data, Size bytes, uint32 count,
			GpuAggRowColumn *columns)
{
	const GpuAggProgram *p = gpuagg_encoding_original(job);
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	GpuAggReader reader = {data, bytes};

	for (uint32 i = 0; i < p->nkeys; i++)
		if (!column_decode(&reader, count, classes[keys[i].reg], GPUAGG_ST_NULL, columns++))
			return false;
	for (uint32 i = 0; i < p->ntransitions; i++)
	{
		if (trans[i].arg != GPUAGG_NO_REG &&
			!column_decode(&reader, count, classes[trans[i].arg], GPUAGG_ST_NULL,
						   columns++))
			return false;
		if (trans[i].filter != GPUAGG_NO_REG &&
			!column_decode(&reader, count, GPUAGG_CLASS_I64, GPUAGG_ST_NULL, columns++))
			return false;
	}
	return reader.left == 0;
}

/* The columns of a ROWS message, or of a block */
static void
input_rows(GpuAggWorkerJob *job, const GpuAggMsg *msg, const char *data, Size bytes)
{
	uint32		noutputs = gpuagg_program_noutputs(job->program);
	MemoryContext scratch = AllocSetContextCreate(job->context, "gpuagg rows",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	GpuAggRowColumn *columns = palloc(Max(noutputs, 1) * sizeof(GpuAggRowColumn));
	GpuAggError error = {0};

	if (!gpuagg_job_begin_task(job))
		 /* it has failed */ ;
	else if (rows_decode(job, data, bytes, msg->count, columns))
	{
		GpuAggStatus status = gpuagg_encoding_rows(job, columns, msg->count,
												   &error);

		job->rows_evaluated += msg->count;
		if (status == GPUAGG_OK)
			status = job->on->ops->task_rows(job->task, msg->batch_id, columns,
											 msg->count, &error);
		gpuagg_job_batch_added(job, status, &error);
	}
	else
		job_garbled(job, "garbled ROWS message");
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/* Of a job that gives values of strings: what it asks and gives */
static void
input_called(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggProgram *p = job->program;
	const uint32 cls = gpuagg_program_classes(p)[gpuagg_program_keys(p)[0].reg];
	GpuAggReader reader = {(const char *) (msg + 1), bytes - sizeof(GpuAggMsg)};
	MemoryContext scratch;
	MemoryContext old;
	GpuAggRowColumn values;

	if (msg->type == GPUAGG_MSG_ASK && bytes == sizeof(GpuAggMsg))
	{
		gpuagg_job_called_ask(job, msg);
		return;
	}
	scratch = AllocSetContextCreate(job->context, "gpuagg values of strings",
									ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	if (msg->type == GPUAGG_MSG_ROWS &&
		column_decode(&reader, msg->count, cls, GPUAGG_ST_NULL | GPUAGG_ST_NEEDS_PG, &values) &&
		reader.left == 0)
		gpuagg_job_called_take(job, msg->batch_id, &values, msg->count);
	else
		job_garbled(job, "garbled message of a task that gives values of strings");
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

static void
input_block(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	const GpuAggBlockMsg *block = (const GpuAggBlockMsg *) msg;
	char	   *copy;

	if (bytes != sizeof(GpuAggBlockMsg) || block->bytes > GPUAGG_BLOCK_BYTES)
	{
		job_garbled(job, "garbled BLOCK message");
		return;
	}
	copy = gpuagg_segment_copy(block->segment, block->offset, Max(block->bytes, 1), job->context);
	if (copy == NULL)
	{
		gpuagg_job_fail_with(job, GPUAGG_OUT_OF_MEMORY, "the worker cannot read a block of rows");
		return;
	}
	input_rows(job, msg, copy, block->bytes);
	pfree(copy);
}

/* A TABLE message; tables are numbered as they come. */
static void
input_table(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	if (bytes != sizeof(GpuAggTableMsg) || !job->several ||
		job->ntables >= GPUAGG_TASK_TABLES ||
		msg->batch_id != GPUAGG_TABLE_BATCH(job->ntables))
		job_garbled(job, "unexpected TABLE message");
	else
		gpuagg_job_table_add(job, &((const GpuAggTableMsg *) msg)->cache);
}

/*
 * Batches of a table that uses the cache are told apart by their numbers, long
 * after their messages; so these must rise.
 */
static bool
number_ok(GpuAggJobTable *table, const GpuAggMsg *msg, Size bytes)
{
	bool		batch = msg->type != GPUAGG_MSG_MAP ||
		(bytes >= sizeof(GpuAggMapMsg) && ((const GpuAggMapMsg *) msg)->use);

	if (table->cache.cached == NULL || !batch)
		return true;
	if (msg->batch_id < table->next_batch)
		return false;
	table->next_batch = msg->batch_id + 1;
	return true;
}

/* A message about pages, rows, or an extent of a table */
static void
input_batch(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	GpuAggJobTable *table = gpuagg_job_table_find(job, msg->batch_id);

	if (table == NULL)
		job_garbled(job, "message about no table");
	else if (!number_ok(table, msg, bytes))
		job_garbled(job, "batches out of order");
	else if (msg->type == GPUAGG_MSG_MAP)
		gpuagg_cache_map(&table->cache, msg, bytes);
	else if (msg->type == GPUAGG_MSG_PAGES)
	{
		gpuagg_share_end(job);
		input_pages(job, table, msg, bytes);
	}
	else if (msg->type == GPUAGG_MSG_BLOCK)
		input_block(job, msg, bytes);
	else if (job->follower != NULL)
		job_garbled(job, "rows of no page");
	else
		input_rows(job, msg, (const char *) (msg + 1), bytes - sizeof(GpuAggMsg));
}

void
gpuagg_job_input(GpuAggWorkerJob *job, const GpuAggMsg *msg, Size bytes)
{
	if (bytes < sizeof(GpuAggMsg))
		job_garbled(job, "message too short");
	else if (msg->type == GPUAGG_MSG_BEGIN)
		input_begin(job, msg, bytes);
	else if (job->state != GPUAGG_JOB_RUNNING)
		job_garbled(job, "message out of order");
	else if (job->inflight >= GPUAGG_MAX_INFLIGHT)
		job_garbled(job, "too many batches in flight");
	else if (job->called_wish && msg->type != GPUAGG_MSG_FINISH)
		input_called(job, msg, bytes);
	else if (msg->type == GPUAGG_MSG_MAP || msg->type == GPUAGG_MSG_PAGES ||
			 ((msg->type == GPUAGG_MSG_ROWS || msg->type == GPUAGG_MSG_BLOCK) &&
			  !job->program->select))
		input_batch(job, msg, bytes);
	else if (msg->type == GPUAGG_MSG_TABLE)
		input_table(job, msg, bytes);
	else if (msg->type == GPUAGG_MSG_FINISH && bytes == sizeof(GpuAggMsg))
		job->state = GPUAGG_JOB_FINISHING;
	else
		job_garbled(job, "unknown message");
}
