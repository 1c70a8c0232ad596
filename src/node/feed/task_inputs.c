/*
 * task_inputs.c
 *		The tables that a task reads (task_inputs.h).
 *
 * While the last batches of a table are at the device, the next one is settled with the
 * cache and fed, so that the device need not wait between tables.  All feeds together
 * keep to the pins that one may hold.  A table is over when its last batch is complete;
 * what it took of memory goes then, so that thousands of tables take no more than a few.
 *
 * A task may have feeders, processes beside its own feeds (feeders.h).  Then tables are
 * opened ahead, and the backend takes blocks where they do.
 *
 * A batch's number begins with that of its table (ipc/protocol.h).
 */
#include "postgres.h"

#include "device/batch_memory.h"
#include "ipc/seen_groups.h"
#include "miscadmin.h"
#include "node/feed/task_inputs.h"
#include "pgstat.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/lock.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* Uses of extents that may be in flight while the next table is begun */
#define USES_AHEAD 128

/* Pages that tell how long the others will take */
#define PAGES_TELL 1024

/* Batches of pages that may be, where devices want fewer */
#define PAGES_AHEAD 4

/* Under which what a page takes is remembered: no hash of keys (ipc/seen_groups.h) */
static const GpuAggSeenKey page_key = {.keys = UINT64_C(0x7061676520746F6F)};

/* For tests: until whoever holds the n-th advisory lock from gpuagg.debug_wait on gives it up */
static void
wait_for_tests(uint32 n)
{
	LOCKTAG		tag;

	if (gpuagg_debug_wait == 0)
		return;
	/* as pg_advisory_lock(bigint) takes it */
	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, (uint32) gpuagg_debug_wait + n, 1);
	(void) LockAcquire(&tag, ShareLock, false, false);
	(void) LockRelease(&tag, ShareLock, false);
}

/* The table's blocks, if they are enough that feeders may be worth while for it */
static uint64
input_large(const GpuAggTaskTable *table)
{
	BlockNumber blocks = table->end - table->first;

	return blocks >= GPUAGG_FEEDERS_LEAST ? blocks : 0;
}

GpuAggTaskInputs *
gpuagg_inputs_create(const GpuAggOrder *order)
{
	GpuAggTaskInputs *inputs = palloc0(sizeof(GpuAggTaskInputs));

	inputs->context = CurrentMemoryContext;
	inputs->order = order;
	inputs->n = order->nread;
	inputs->inputs = palloc0(order->nread * sizeof(GpuAggTaskInput));
	for (int i = 0; i < order->nread; i++)
	{
		inputs->inputs[i].table = &order->read[i];
		inputs->inputs[i].next_batch = GPUAGG_TABLE_BATCH(i);
		inputs->behind += input_large(&order->read[i]);
		if (*order->read[i].rows != NULL)
			gpuagg_rows_reset(*order->read[i].rows);
	}
	return inputs;
}

GpuAggTaskInput *
gpuagg_inputs_begin(GpuAggTaskInputs *inputs, const GpuAggCacheRequest *request)
{
	GpuAggTaskInput *input = &inputs->inputs[inputs->begun++];
	MemoryContext old;

	input->context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg task input",
										   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(input->context);
	if (request != NULL)
	{
		input->cached = gpuagg_cached_begin(input->table->rel, input->table->nblocks,
											request->compare != 0);
		gpuagg_cached_only(input->cached, input->table->first, input->table->end);
		gpuagg_cached_sample(input->cached, &inputs->order->sample.sample);
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

/* ----------------------------------------------------------------- rate --- */

double
gpuagg_inputs_page_ns(const GpuAggTaskInputs *inputs)
{
	const GpuAggTaskTable *table = gpuagg_inputs_at(inputs)->table;

	if (inputs->feed_pages >= PAGES_TELL)
		return INSTR_TIME_GET_DOUBLE(inputs->feed_time) * 1e9 / (double) inputs->feed_pages;
	return gpuagg_seen_groups_find(RelationGetRelid(table->rel), &page_key, table->nblocks);
}

/* For the next task over the table that this one began with */
static void
inputs_note_page_ns(const GpuAggTaskInputs *inputs)
{
	if (inputs->feed_pages >= PAGES_TELL)
		gpuagg_seen_groups_note(inputs->relid, &page_key, inputs->inputs[0].table->nblocks,
								gpuagg_inputs_page_ns(inputs));
}

/* ----------------------------------------------------------------- over --- */

/* Pages of one that is not over */
static uint64
input_fed(const GpuAggTaskInput *input)
{
	return input->feed == NULL ? 0 : gpuagg_feed_pages(input->feed);
}

/* Nothing of it is in flight, and nothing is left to send but rows, which need no page. */
static void
input_close(GpuAggTaskInputs *inputs, GpuAggTaskInput *input)
{
	inputs->fed += input_fed(input);
	if (input->feed != NULL)
		gpuagg_feed_end(input->feed);
	if (input->cached != NULL)
	{
		inputs->used += input->cached->used;
		inputs->done += input->cached->done;
		inputs->compared += input->cached->compared;
	}
	MemoryContextDelete(input->context);
	input->context = NULL;
	input->feed = NULL;
	input->cached = NULL;
	while (inputs->oldest < inputs->at && inputs->inputs[inputs->oldest].context == NULL)
		inputs->oldest++;
}

/* What feeders have of it is theirs: batches that are still to come need nothing of it. */
static void
input_close_if_over(GpuAggTaskInputs *inputs, GpuAggTaskInput *input)
{
	if (input < &inputs->inputs[inputs->read] && input->context != NULL &&
		(input->feed == NULL || gpuagg_feed_batches(input->feed) == 0) &&
		(input->cached == NULL || input->cached->in_flight == 0))
		input_close(inputs, input);
}

/* The backend reads nothing more of the tables before this one. */
static void
inputs_read_on(GpuAggTaskInputs *inputs, int to)
{
	int			from = inputs->read;

	inputs->read = to;
	for (int i = from; i < to; i++)
		input_close_if_over(inputs, &inputs->inputs[i]);
}

/* Of one that has been opened */
static bool
input_more(const GpuAggTaskInput *input)
{
	return input->feed != NULL && gpuagg_feed_more(input->feed);
}

bool
gpuagg_inputs_may_go_on(const GpuAggTaskInputs *inputs, const GpuAggDeviceInfo *device)
{
	if (inputs->at + 1 >= inputs->n || inputs->uses_in_flight >= USES_AHEAD)
		return false;
	if (inputs->feeders != NULL)
		return gpuagg_feeders_want_table(inputs->feeders);
	return !input_more(gpuagg_inputs_at(inputs)) &&
		inputs->pages_in_flight < Max(device->batches_ahead, PAGES_AHEAD);
}

void
gpuagg_inputs_go_on(GpuAggTaskInputs *inputs)
{
	inputs->at++;
	if (inputs->share == NULL)
		inputs_read_on(inputs, inputs->at);
}

void
gpuagg_inputs_end(GpuAggTaskInputs *inputs)
{
	inputs_note_page_ns(inputs);
	for (int i = 0; i < inputs->begun; i++)
		if (inputs->inputs[i].context != NULL)
			input_close(inputs, &inputs->inputs[i]);
	/* they have ended by themselves, or hold pages no longer than we do */
	if (inputs->feeders != NULL)
		gpuagg_feeders_end(inputs->feeders);
	inputs->feeders = NULL;
	inputs->share = NULL;
}

/* ----------------------------------------------------------------- pages --- */

static uint32
input_batch_pages(const GpuAggTaskInputs *inputs, const GpuAggTaskTable *table)
{
	uint32		pages = gpuagg_batch_pages(inputs->device, inputs->page_bytes);

	return inputs->n == 1 ? pages : Min(pages, Max(table->end - table->first, 1));
}

/* The backend's own feed of a table; given: it takes blocks of the share. */
static void
input_begin_feed(GpuAggTaskInputs *inputs, GpuAggTaskInput *input, bool given)
{
	const GpuAggTaskTable *table = input->table;
	const GpuAggScan *scan = inputs->scan;
	BlockNumber left = table->end - table->first;
	MemoryContext old = MemoryContextSwitchTo(input->context);

	input->feed = gpuagg_feed_begin(table->rel, scan->css.ss.ps.state->es_snapshot, table->nblocks,
									&inputs->order->sample, input->cached, given,
									input_batch_pages(inputs, table),
									inputs->device->batches_ahead);
	if (!given && left < table->nblocks)
		gpuagg_feed_only(input->feed, table->first, left);
	if (input > inputs->inputs)
		gpuagg_feed_whole_batches(input->feed);
	MemoryContextSwitchTo(old);
}

/*
 * Pages that the table at work and those behind it have for feeders.  Of these tables the cache
 * is taken to have what it has of those that are opened, which is known.
 */
static double
inputs_pages(const GpuAggTaskInputs *inputs)
{
	const GpuAggTaskInput *at = gpuagg_inputs_at(inputs);
	double		missing = 1 - Min((double) inputs->opened_used / Max(inputs->opened_pages, 1), 1);
	double pages = gpuagg_sample_share(&inputs->order->sample, at->table->end - at->table->first);

	if (at->cached != NULL)
		pages = Max(pages - (double) at->cached->used, 0);
	return pages + missing * gpuagg_sample_share(&inputs->order->sample,
												 (BlockNumber) Min(inputs->behind, MaxBlockNumber));
}


/* Starts feeders if they pay, for the table at work and all behind it. */
static void
inputs_begin_feeders(GpuAggTaskInputs *inputs, const GpuAggClient *client, bool host)
{
	const GpuAggOrder *order = inputs->order;
	const double pages = inputs_pages(inputs);
	const double page_ns = pages < GPUAGG_FEEDERS_LEAST ? 0 : gpuagg_inputs_page_ns(inputs);
	int			n = gpuagg_feeders_planned(inputs->scan, order->demand->info, order->device, pages,
										   page_ns, host);
	MemoryContext old;
	GpuAggFeedersWork work;

	inputs->feeders_planned = Max(inputs->feeders_planned, n);
	if (n == 0)
		return;
	old = MemoryContextSwitchTo(inputs->context);
	work = (GpuAggFeedersWork) {
		.ticket = gpuagg_client_ticket(client),
		.order = order,
		.first = inputs->at,
		.batches_ahead = inputs->device->batches_ahead
	};
	inputs->feeders_tried = true;
	inputs->feeders = gpuagg_feeders_begin(inputs->scan, &work, n);
	MemoryContextSwitchTo(old);
	if (inputs->feeders == NULL)
		return;
	inputs->share = gpuagg_feeders_share(inputs->feeders);
	inputs->feeders_launched = gpuagg_feeders_launched(inputs->feeders);
}

void
gpuagg_inputs_feed(GpuAggTaskInputs *inputs, const GpuAggScan *scan,
				   const GpuAggClient *client, double page_bytes, bool host)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	const GpuAggTaskTable *table = input->table;

	wait_for_tests(1);
	inputs->scan = scan;
	inputs->device = gpuagg_client_info(client);
	inputs->page_bytes = page_bytes;
	inputs->opened_pages += gpuagg_sample_share(&inputs->order->sample, table->end - table->first);
	inputs->behind -= input_large(table);
	inputs->opened_used += input->cached != NULL ? input->cached->used : 0;
	input->opened = true;
	if (input == inputs->inputs)
		inputs->relid = RelationGetRelid(table->rel);
	/* PostgreSQL counts sequential scans, not sample scans; several tasks make one */
	if (inputs->order->sample.method == GPUAGG_SAMPLE_NONE && table->first == 0)
		pgstat_count_heap_scan(table->rel);
	if (!inputs->feeders_tried)
		inputs_begin_feeders(inputs, client, host);
	if (inputs->feeders != NULL)
		gpuagg_feeders_open(inputs->feeders, input->cached, input_batch_pages(inputs, table));
	else if (input->cached == NULL ||
			 input->cached->used + input->cached->outside < table->end - table->first)
		input_begin_feed(inputs, input, false);
}

/* Blocks for the backend to read of those that are shared; NULL: there are none for it now */
static GpuAggFeed *
inputs_take(GpuAggTaskInputs *inputs)
{
	GpuAggTaskInput *input = &inputs->inputs[inputs->read];
	GpuAggFeedRun run;

	while (input->feed == NULL || !gpuagg_feed_more(input->feed))
	{
		if (gpuagg_feeders_suffice(inputs->feeders))
		{
			/* of the tables before it none is read by the backend any more */
			inputs_read_on(inputs, inputs->at);
			return NULL;
		}
		if (gpuagg_feed_share_take(inputs->share, &run) != GPUAGG_SHARE_RUN)
			return NULL;
		inputs_read_on(inputs, run.table);
		input = &inputs->inputs[run.table];
		if (input->feed == NULL)
			input_begin_feed(inputs, input, true);
		gpuagg_feed_run(input->feed, run.first, run.n);
	}
	return input->feed;
}

/* More than the share that a feed keeps to is never held. */
bool
gpuagg_inputs_has_room(GpuAggTaskInputs *inputs)
{
	GpuAggFeed *feed = inputs->share != NULL ? inputs_take(inputs) :
		inputs->inputs[inputs->read].feed;

	return feed != NULL && gpuagg_feed_more(feed) &&
		gpuagg_feed_has_room(feed, inputs->pins - gpuagg_feed_pins(feed));
}

GpuAggStatus
gpuagg_inputs_next_pages(GpuAggTaskInputs *inputs, const GpuAggMsg **msg, Size *bytes,
						 GpuAggError *error)
{
	GpuAggTaskInput *input = &inputs->inputs[inputs->read];
	uint32		pins = gpuagg_feed_pins(input->feed);
	uint64		pages = gpuagg_feed_pages(input->feed);
	instr_time	start;
	instr_time	end;
	GpuAggStatus status;

	INSTR_TIME_SET_CURRENT(start);
	status = gpuagg_feed_next(input->feed, input->next_batch, msg, bytes, error);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_ACCUM_DIFF(inputs->feed_time, end, start);
	inputs->feed_pages += gpuagg_feed_pages(input->feed) - pages;
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
	GpuAggStatus status;
	uint32		table;

	*msg = NULL;
	if (inputs->feeders == NULL)
		return GPUAGG_OK;
	status = gpuagg_feeders_next(
		inputs->feeders, inputs->pages_in_flight - gpuagg_feeders_in_flight(inputs->feeders), msg,
		bytes, &table, error);
	if (status != GPUAGG_OK || *msg == NULL)
		return status;
	gpuagg_feeders_number(inputs->feeders, *msg, inputs->inputs[table].next_batch++);
	inputs->pages_in_flight++;
	return GPUAGG_OK;
}

bool
gpuagg_inputs_have(const GpuAggTaskInputs *inputs, uint64 batch_id)
{
	return BufferIsValid(gpuagg_inputs_buffer(inputs, batch_id, 0)) ||
		(inputs->feeders != NULL && gpuagg_feeders_have(inputs->feeders, batch_id));
}

bool
gpuagg_inputs_pages_left(const GpuAggTaskInputs *inputs)
{
	return inputs->pages_in_flight > 0 ||
		(inputs->feeders != NULL && !gpuagg_feeders_read_all(inputs->feeders));
}

Buffer
gpuagg_inputs_pin(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n, bool *theirs)
{
	const GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);
	Buffer		buffer = gpuagg_inputs_buffer(inputs, batch_id, n);

	*theirs = !BufferIsValid(buffer) && input != NULL && inputs->feeders != NULL;
	return *theirs ? gpuagg_feeders_pin(inputs->feeders, input->table->rel, batch_id, n) : buffer;
}

Buffer
gpuagg_inputs_buffer(const GpuAggTaskInputs *inputs, uint64 batch_id, uint32 n)
{
	const GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);

	return input == NULL || input->feed == NULL ? InvalidBuffer :
		gpuagg_feed_buffer(input->feed, batch_id, n);
}

/* False: not of a feed of the backend's own */
static bool
input_release(GpuAggTaskInputs *inputs, GpuAggTaskInput *input, uint64 batch_id)
{
	uint32		pins = input->feed == NULL ? 0 : gpuagg_feed_pins(input->feed);

	if (input->feed == NULL || !gpuagg_feed_release(input->feed, batch_id))
		return false;
	inputs->pins -= pins - gpuagg_feed_pins(input->feed);
	input_close_if_over(inputs, input);
	return true;
}

bool
gpuagg_inputs_release_pages(GpuAggTaskInputs *inputs, uint64 batch_id)
{
	GpuAggTaskInput *input = gpuagg_inputs_of(inputs, batch_id);

	if (input == NULL || (!input_release(inputs, input, batch_id) &&
						  (inputs->feeders == NULL ||
						   !gpuagg_feeders_release(inputs->feeders, batch_id))))
		return false;
	inputs->pages_in_flight--;
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

void
gpuagg_inputs_look_ahead(GpuAggTaskInputs *inputs, GpuAggAhead *ahead)
{
	GpuAggTaskInput *input = gpuagg_inputs_at(inputs);
	MemoryContext old;

	if (inputs->n > 1 || input->cached == NULL)
		return;
	old = MemoryContextSwitchTo(input->context);
	gpuagg_cached_look_ahead(input->cached, inputs->order->device, ahead);
	MemoryContextSwitchTo(old);
}

/* All of the only table is used, without another word. */
static GpuAggStatus
input_foreseen(GpuAggTaskInputs *inputs, GpuAggTaskInput *input, const GpuAggMsg *msg, Size bytes)
{
	GpuAggStatus status = gpuagg_cached_foreseen(input->cached, msg, bytes, input->next_batch);

	if (status != GPUAGG_OK)
		return status;
	input->next_batch += msg->count;
	inputs->uses_in_flight += msg->count;
	inputs->foreseen = true;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_inputs_cached(GpuAggTaskInputs *inputs, const GpuAggMsg *msg, Size bytes)
{
	GpuAggTaskInput *input = gpuagg_inputs_of(inputs, msg->batch_id);
	GpuAggStatus status;
	MemoryContext old;

	if (input == NULL || input->cached == NULL || input->opened)
		return GPUAGG_DEVICE_FAULT;
	old = MemoryContextSwitchTo(input->context);
	status = msg->type == GPUAGG_MSG_SETTLED ? input_foreseen(inputs, input, msg, bytes) :
		msg->type == GPUAGG_MSG_CACHED ?
		gpuagg_cached_announced(input->cached, msg, bytes) :
		gpuagg_cached_validated(input->cached, msg, bytes);
	MemoryContextSwitchTo(old);
	if (msg->type == GPUAGG_MSG_CACHED && status == GPUAGG_OK)
	{
		input->next_batch += input->cached->early;
		inputs->uses_in_flight += input->cached->in_flight;
		wait_for_tests(0);
	}
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
	input_close_if_over(inputs, input);
	return true;
}

/* --------------------------------------------------------------- figures --- */

uint64
gpuagg_inputs_fed(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->fed + gpuagg_inputs_by_feeders(inputs);

	for (int i = inputs->oldest; i < inputs->begun; i++)
		pages += input_fed(&inputs->inputs[i]);
	return pages;
}

uint64
gpuagg_inputs_by_feeders(const GpuAggTaskInputs *inputs)
{
	return inputs->feeders == NULL ? 0 : gpuagg_feeders_pages(inputs->feeders);
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

uint64
gpuagg_inputs_compared(const GpuAggTaskInputs *inputs)
{
	uint64		pages = inputs->compared;

	for (int i = inputs->oldest; i < inputs->begun; i++)
		if (inputs->inputs[i].cached != NULL)
			pages += inputs->inputs[i].cached->compared;
	return pages;
}

GpuAggTaskInput *
gpuagg_inputs_with_rows(const GpuAggTaskInputs *inputs)
{
	for (int i = 0; i < inputs->begun; i++)
	{
		const GpuAggRows *rows = *inputs->inputs[i].table->rows;

		if (rows != NULL && gpuagg_rows_pending(rows) > 0)
			return &inputs->inputs[i];
	}
	return NULL;
}
