/*
 * task_inputs.c
 *		The tables that a task reads (task_inputs.h).
 *
 * While the last batches of a table are at the device, the next one is settled with the
 * cache and fed, so that the device need not wait between tables.  All feeds together
 * keep to the pins that one may hold.  A table is over when its last batch is complete;
 * what it took of memory goes then, so that thousands of tables take no more than a few.
 *
 * A table may have feeders, processes beside its own feed (feeders.h).  The next one is
 * begun when they have read all, and they are gone when it is over.
 *
 * A batch's number begins with that of its table (ipc/protocol.h).
 */
#include "postgres.h"

#include "device/batch_memory.h"
#include "node/task_inputs.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Uses of extents that may be in flight while the next table is begun */
#define USES_AHEAD 128

/* Batches of pages that may be, where devices want fewer */
#define PAGES_AHEAD 4

GpuAggTaskInputs *
gpuagg_inputs_create(const GpuAggScan *scan)
{
	GpuAggTaskInputs *inputs = palloc0(sizeof(GpuAggTaskInputs));

	inputs->n = scan->nread;
	inputs->inputs = palloc0(scan->nread * sizeof(GpuAggTaskInput));
	for (int i = 0; i < scan->nread; i++)
	{
		inputs->inputs[i].table = scan->read[i];
		inputs->inputs[i].next_batch = GPUAGG_TABLE_BATCH(i);
		if (scan->read[i]->rows != NULL)
			gpuagg_rows_reset(scan->read[i]->rows);
	}
	return inputs;
}

GpuAggTaskInput *
gpuagg_inputs_begin(GpuAggTaskInputs *inputs, bool cached)
{
	GpuAggTaskInput *input = &inputs->inputs[inputs->begun++];
	MemoryContext old;

	input->context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg task input",
										   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(input->context);
	if (cached)
	{
		input->cached = gpuagg_cached_begin(input->table->rel, input->table->nblocks);
		gpuagg_cached_only(input->cached, input->table->first, input->table->end);
	}
	MemoryContextSwitchTo(old);
	return input;
}

GpuAggTaskInput *
gpuagg_inputs_at(const GpuAggTaskInputs *inputs)
{
	return &inputs->inputs[inputs->at];
}

GpuAggTaskInput *
gpuagg_inputs_of(const GpuAggTaskInputs *inputs, uint64 batch_id)
{
	uint32		i = GPUAGG_BATCH_TABLE(batch_id);

	return i < (uint32) inputs->begun ? &inputs->inputs[i] : NULL;
}

/* ----------------------------------------------------------------- over --- */

/* Pages of one that is not over, by whom ever */
static uint64
input_by_feeders(const GpuAggTaskInput *input)
{
	return input->feeders == NULL ? 0 : gpuagg_feeders_pages(input->feeders);
}

static uint64
input_fed(const GpuAggTaskInput *input)
{
	return (input->feed == NULL ? 0 : gpuagg_feed_pages(input->feed)) + input_by_feeders(input);
}

/* Feeders have ended by themselves, or hold pages no longer than we do. */
static void
input_end_feeders(GpuAggTaskInputs *inputs, GpuAggTaskInput *input)
{
	if (input->feeders == NULL)
		return;
	gpuagg_feeders_end(input->feeders);
	input->feeders = NULL;
	inputs->nfeeders--;
}

/* Nothing of it is in flight, and nothing is left to send but rows, which need no page. */
static void
input_close(GpuAggTaskInputs *inputs, GpuAggTaskInput *input)
{
	inputs->fed += input_fed(input);
	inputs->by_feeders += input_by_feeders(input);
	if (input->feed != NULL)
		gpuagg_feed_end(input->feed);
	input_end_feeders(inputs, input);
	if (input->cached != NULL)
	{
		inputs->used += input->cached->used;
		inputs->done += input->cached->done;
	}
	MemoryContextDelete(input->context);
	input->context = NULL;
	input->feed = NULL;
	input->cached = NULL;
	while (inputs->oldest < inputs->at && inputs->inputs[inputs->oldest].context == NULL)
		inputs->oldest++;
}

static void
input_close_if_over(GpuAggTaskInputs *inputs, GpuAggTaskInput *input)
{
	if (input < gpuagg_inputs_at(inputs) && input->context != NULL &&
		gpuagg_feed_batches(input->feed) == 0 &&
		(input->feeders == NULL || !gpuagg_feeders_in_flight(input->feeders)) &&
		(input->cached == NULL || input->cached->in_flight == 0))
		input_close(inputs, input);
}

/* Will there be more pages of it? */
static bool
input_more(const GpuAggTaskInput *input)
{
	return gpuagg_feed_more(input->feed) ||
		(input->feeders != NULL && !gpuagg_feeders_read_all(input->feeders));
}

bool
gpuagg_inputs_may_go_on(const GpuAggTaskInputs *inputs, const GpuAggDeviceInfo *device)
{
	return inputs->at + 1 < inputs->n && !input_more(gpuagg_inputs_at(inputs)) &&
		inputs->uses_in_flight < USES_AHEAD &&
		inputs->pages_in_flight < Max(device->batches_ahead, PAGES_AHEAD);
}

void
gpuagg_inputs_go_on(GpuAggTaskInputs *inputs)
{
	GpuAggTaskInput *left = gpuagg_inputs_at(inputs);

	inputs->at++;
	input_close_if_over(inputs, left);
}

void
gpuagg_inputs_end(GpuAggTaskInputs *inputs)
{
	for (int i = 0; i < inputs->begun; i++)
		if (inputs->inputs[i].context != NULL)
			input_close(inputs, &inputs->inputs[i]);
}

/* ----------------------------------------------------------------- pages --- */

/* Starts them if they pay; *left and *share: what is left to the backend's own feed */
static void
input_begin_feeders(GpuAggTaskInputs *inputs, GpuAggScan *scan, const GpuAggFeedersWork *work,
					bool host, BlockNumber *left, GpuAggFeedShare **share)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	GpuAggCounters *counters = &scan->counters;
	double		pages = gpuagg_sample_share(&scan->sample, work->end - work->first) -
		(work->cached != NULL ? (double) work->cached->used : 0);
	int			n = gpuagg_feeders_planned(scan, pages, host);

	*left = work->end - work->first;
	*share = NULL;
	if (n > 0)
		input->feeders = gpuagg_feeders_begin(scan, work, n);
	counters->feeders_planned = Max(counters->feeders_planned, n);
	if (input->feeders == NULL)
		return;
	inputs->nfeeders++;
	counters->feeders_launched = Max(counters->feeders_launched,
									 gpuagg_feeders_launched(input->feeders));
	*share = gpuagg_feeders_share(input->feeders);
	if (*share == NULL)
		*left = 0;
}

void
gpuagg_inputs_feed(GpuAggTaskInputs *inputs, GpuAggScan *scan,
				   const GpuAggClient *client, double page_bytes, bool host)
{
	const GpuAggDeviceInfo *device = gpuagg_client_info(client);
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	GpuAggFeedersWork work = {
		.rel = input->table->rel,
		.ticket = gpuagg_client_ticket(client),
		.nblocks = input->table->nblocks,
		.first = input->table->first,
		.end = input->table->end,
		.cached = input->cached,
		.batch_pages = gpuagg_batch_pages(device, page_bytes),
		.batches_ahead = device->batches_ahead
	};
	BlockNumber left;
	GpuAggFeedShare *share;
	MemoryContext old = MemoryContextSwitchTo(input->context);

	if (inputs->n > 1)
		work.batch_pages = Min(work.batch_pages, Max(work.end - work.first, 1));
	/* PostgreSQL counts sequential scans, not sample scans; several tasks make one */
	if (scan->sample.method == GPUAGG_SAMPLE_NONE && work.first == 0)
		pgstat_count_heap_scan(work.rel);
	input_begin_feeders(inputs, scan, &work, host, &left, &share);
	input->feed = gpuagg_feed_begin(work.rel, scan->css.ss.ps.state->es_snapshot, work.nblocks,
									&scan->sample, input->cached, share, work.batch_pages,
									work.batches_ahead);
	if (share == NULL && left < work.nblocks)
		gpuagg_feed_only(input->feed, work.first, left);
	if (inputs->at > 0)
		gpuagg_feed_whole_batches(input->feed);
	MemoryContextSwitchTo(old);
}

/* More than the share that a feed keeps to is never held. */
bool
gpuagg_inputs_has_room(const GpuAggTaskInputs *inputs)
{
	GpuAggFeed *feed = gpuagg_inputs_at(inputs)->feed;

	return gpuagg_feed_more(feed) &&
		gpuagg_feed_has_room(feed, inputs->pins - gpuagg_feed_pins(feed));
}

GpuAggStatus
gpuagg_inputs_next_pages(GpuAggTaskInputs *inputs, const GpuAggMsg **msg, Size *bytes,
						 GpuAggError *error)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	uint32		pins = gpuagg_feed_pins(input->feed);
	GpuAggStatus status = gpuagg_feed_next(input->feed, input->next_batch, msg, bytes, error);

	if (status != GPUAGG_OK || *msg == NULL)
		return status;
	input->next_batch++;
	inputs->pins += gpuagg_feed_pins(input->feed) - pins;
	inputs->pages_in_flight++;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_inputs_pass_on(GpuAggTaskInputs *inputs, const GpuAggMsg **msg, Size *bytes,
					  GpuAggError *error)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	GpuAggStatus status;

	*msg = NULL;
	if (input->feeders == NULL)
		return GPUAGG_OK;
	status = gpuagg_feeders_next(input->feeders, input->next_batch,
								 gpuagg_feed_batches(input->feed), msg, bytes, error);
	if (status != GPUAGG_OK || *msg == NULL)
		return status;
	input->next_batch++;
	inputs->pages_in_flight++;
	return GPUAGG_OK;
}

bool
gpuagg_inputs_have(const GpuAggTaskInputs *inputs, uint64 batch_id)
{
	const GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);

	return BufferIsValid(gpuagg_inputs_buffer(inputs, batch_id, 0)) ||
		(input != NULL && input->feeders != NULL &&
		 gpuagg_feeders_have(input->feeders, batch_id));
}

bool
gpuagg_inputs_pages_left(const GpuAggTaskInputs *inputs)
{
	const GpuAggTaskInput *input = gpuagg_inputs_at(inputs);

	return inputs->pages_in_flight > 0 ||
		(input->feeders != NULL && !gpuagg_feeders_read_all(input->feeders));
}

Buffer
gpuagg_inputs_pin(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n, bool *theirs)
{
	const GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);
	Buffer		buffer = gpuagg_inputs_buffer(inputs, batch_id, n);

	*theirs = !BufferIsValid(buffer) && input != NULL && input->feeders != NULL;
	return *theirs ? gpuagg_feeders_pin(input->feeders, batch_id, n) : buffer;
}

Buffer
gpuagg_inputs_buffer(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n)
{
	const GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);

	return input == NULL || input->feed == NULL ? InvalidBuffer :
		gpuagg_feed_buffer(input->feed, batch_id, n);
}

bool
gpuagg_inputs_release_pages(GpuAggTaskInputs *inputs, uint64 batch_id)
{
	GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);
	uint32		pins;

	if (input == NULL || input->feed == NULL)
		return false;
	pins = gpuagg_feed_pins(input->feed);
	if (gpuagg_feed_release(input->feed, batch_id))
		inputs->pins -= pins - gpuagg_feed_pins(input->feed);
	else if (input->feeders == NULL || !gpuagg_feeders_release(input->feeders, batch_id))
		return false;
	inputs->pages_in_flight--;
	input_close_if_over(inputs, input);
	return true;
}

/* ----------------------------------------------------------------- cache --- */

const GpuAggMsg *
gpuagg_inputs_next_map(GpuAggTaskInputs *inputs, Size *bytes)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	MemoryContext old = MemoryContextSwitchTo(input->context);
	uint32		in_flight = input->cached->in_flight;
	const GpuAggMsg *msg = gpuagg_cached_next(input->cached, input->next_batch, bytes);

	MemoryContextSwitchTo(old);
	if (msg == NULL)
		return NULL;
	input->next_batch++;
	inputs->uses_in_flight += input->cached->in_flight - in_flight;
	return msg;
}

GpuAggStatus
gpuagg_inputs_cached(GpuAggTaskInputs *inputs, const GpuAggMsg *msg, Size bytes)
{
	GpuAggTaskInput *input = gpuagg_inputs_of(inputs, msg->batch_id);
	GpuAggStatus status;
	MemoryContext old;

	if (input == NULL || input->cached == NULL || input->feed != NULL)
		return GPUAGG_DEVICE_FAULT;
	old = MemoryContextSwitchTo(input->context);
	status = msg->type == GPUAGG_MSG_CACHED ?
		gpuagg_cached_announced(input->cached, msg, bytes) :
		gpuagg_cached_validated(input->cached, msg, bytes);
	MemoryContextSwitchTo(old);
	return status;
}

bool
gpuagg_inputs_release_use(GpuAggTaskInputs *inputs, uint64 batch_id)
{
	GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);

	if (input == NULL || input->cached == NULL ||
		!gpuagg_cached_release(input->cached, batch_id))
		return false;
	inputs->uses_in_flight--;
	if (input->feed != NULL)
		input_close_if_over(inputs, input);
	return true;
}

/* --------------------------------------------------------------- figures --- */

uint64
gpuagg_inputs_fed(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->fed;

	for (int i = inputs->oldest; i < inputs->begun; i++)
		pages += input_fed(&inputs->inputs[i]);
	return pages;
}

uint64
gpuagg_inputs_by_feeders(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->by_feeders;

	for (int i = inputs->oldest; i < inputs->begun; i++)
		pages += input_by_feeders(&inputs->inputs[i]);
	return pages;
}

uint64
gpuagg_inputs_used(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->used;

	for (int i = inputs->oldest; i < inputs->begun; i++)
		if (inputs->inputs[i].cached != NULL)
			pages += inputs->inputs[i].cached->used;
	return pages;
}

uint64
gpuagg_inputs_done(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->done;

	for (int i = inputs->oldest; i < inputs->begun; i++)
		if (inputs->inputs[i].cached != NULL)
			pages += inputs->inputs[i].cached->done;
	return pages;
}

GpuAggTaskInput *
gpuagg_inputs_with_rows(const GpuAggTaskInputs *inputs)
{
	for (int i = 0; i < inputs->begun; i++)
	{
		const GpuAggRows *rows = inputs->inputs[i].table->rows;

		if (rows != NULL && gpuagg_rows_pending(rows) > 0)
			return &inputs->inputs[i];
	}
	return NULL;
}
