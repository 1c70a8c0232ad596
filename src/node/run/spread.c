/*
 * spread.c
 *		A task that several cards share (spread.h).
 *
 * Each card has a task of its own, over a part of the tables' blocks.  One backend drives
 * them all: it feeds and hears whichever has something to do, and sleeps when none has.  When
 * all have read everything, groups are collected from one after the other, so that what a
 * card fails half way can be cut off the store.  What it was to do is then left to the
 * caller, for another card or the host device.  Groups of all parts are merged like those of
 * several tables (merge.c).
 *
 * Parts follow each other in the order of the tables, and begin where extents of the column
 * cache do, if a table is large enough: so a card finds again what it has kept.
 *
 * Nobody waits for a slot while he has one, and tasks are begun in the order of the cards:
 * backends that spread tasks over the same cards cannot wait for each other in a ring.
 *
 * Values that no device holds (long_values.c) lie beside all groups in the order of their
 * rows, not by part: if there are any, a failure leaves the whole task to do again.
 */
#include "postgres.h"

#include "heap/cache_request.h"
#include "ipc/shmem.h"
#include "node/regroup/regroup_run.h"
#include "node/run/passes.h"
#include "node/run/spread.h"
#include "settings.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

/* So many groups a LIMIT is taken to want. */
#define FEW_GROUPS 1000

/* ----------------------------------------------------------------- plan --- */

/* Of an order's columns, those that are keys before the first that is not */
static int
leading_keys(const GpuAggAnswer *answer)
{
	int			n = 0;

	while (n < answer->ncolumns && answer->columns[n].value.form == GPUAGG_VALUE_KEY)
		n++;
	return n;
}

/* Do keys alone tell of groups that are not wanted?  limited: not all that pass are */
static bool
keys_tell(const GpuAggAnswer *answer, bool limited)
{
	bool		keys = answer->nsums == 0 && (!limited || leading_keys(answer) > 0);

	for (int i = 0; i < answer->nterms; i++)
		keys &= answer->terms[i].value.form == GPUAGG_VALUE_KEY;
	return keys;
}

/*
 * What comes first by its keys comes first in every part that has it, as do its equals; so
 * enough others come before what a part leaves out.  Whatever states tell is known when
 * parts have been merged.
 */
static void
spread_answer(GpuAggAnswer *answer)
{
	if (!keys_tell(answer, answer->first > 0))
		memset(answer, 0, sizeof(*answer));
	answer->ncolumns = leading_keys(answer);
	answer->ties = answer->first > 0;
}

/* LIMIT and OFFSET are known in execution only. */
double
gpuagg_spread_returned(const GpuAggOrder *order, double part_groups)
{
	const GpuAggWanted *wanted = &order->demand->info->wanted;

	return wanted->limited && order->demand->info->regroup == NULL &&
		keys_tell(&wanted->answer, true) ? Min(part_groups, FEW_GROUPS) : part_groups;
}

double
gpuagg_spread_left(const GpuAggOrder *order)
{
	const GpuAggPlanInfo *info = order->demand->info;
	const GpuAggWanted *wanted = &info->wanted;
	const bool	all = !wanted->limited && wanted->answer.nterms == 0;
	GpuAggRegrouping wish;

	gpuagg_regroup_wish(info, order->whole, &wish);
	if (wish.nsets > 0 || (info->left_out > 0 && order->whole) ||
		(!all && !keys_tell(&wanted->answer, wanted->limited)))
		return Max(order->demand->expected.groups, 0);
	return 0;
}

/*
 * Where the device would make look-up tables whose strings are numbers, the backend reads
 * all inputs for several cards, which nothing has foretold.
 */
static bool
lookups_stay(const GpuAggPlanInfo *info)
{
	return !gpuagg_lookups_makeable(info) || !gpuagg_lookups_numbers(info);
}

/* gpuagg.load() loads all to one card, where draws can be made of it, unless told otherwise. */
bool
gpuagg_spread_possible(const GpuAggOrder *order, int ncards)
{
	const GpuAggPlanInfo *info = order->demand->info;

	if (ncards < 2 || order->nblocks < ncards || gpuagg_spread == GPUAGG_SPREAD_OFF ||
		info->program->select || info->of_plan || order->sample.method == GPUAGG_SAMPLE_DRAWS)
		return false;
	return gpuagg_spread == GPUAGG_SPREAD_ALWAYS || (!gpuagg_cache_loading && lookups_stay(info));
}

/* Where a part begins that should begin at this block */
static BlockNumber
part_begins(const GpuAggTaskTable *table, uint64 block, int ncards)
{
	if (block >= table->nblocks || table->nblocks / GPUAGG_EXTENT_BLOCKS < ncards)
		return Min(block, table->nblocks);
	return (block + GPUAGG_EXTENT_BLOCKS / 2) / GPUAGG_EXTENT_BLOCKS * GPUAGG_EXTENT_BLOCKS;
}

/* Card i's part of all tables, whose blocks are counted from the first one's on */
static void
plan_read(const GpuAggOrder *whole, int n, int i, GpuAggOrder *part)
{
	GpuAggTaskTable *read = palloc(whole->nread * sizeof(GpuAggTaskTable));
	const uint64 from = (uint64) whole->nblocks * i / n;
	const uint64 to = (uint64) whole->nblocks * (i + 1) / n;
	uint64		before = 0;

	part->nread = 0;
	part->nblocks = 0;
	part->read = read;
	for (int k = 0; k < whole->nread; k++)
	{
		const GpuAggTaskTable *table = &whole->read[k];
		BlockNumber first = from <= before ? 0 : part_begins(table, from - before, n);
		BlockNumber end = to <= before ? 0 : part_begins(table, to - before, n);

		before += table->nblocks;
		if (first >= end)
			continue;
		read[part->nread] = *table;
		read[part->nread].rows = &whole->demand->tables[k]->rows[1 + i];
		read[part->nread].first = first;
		read[part->nread++].end = end;
		part->nblocks += end - first;
	}
}

static void
plan_order(const GpuAggOrder *whole, const GpuAggPlace *place, int i, GpuAggOrder *part)
{
	*part = *whole;
	part->device = place->cards[i];
	part->whole = false;
	spread_answer(&part->answer);
	plan_read(whole, place->ncards, i, part);
}

GpuAggSpreadTask *
gpuagg_spread_plan(const GpuAggScan *scan, const GpuAggOrder *order, const GpuAggPlace *place,
				   const GpuAggBinding *binding, GpuAggPlannedStrategy *planned)
{
	const int	n = place->ncards;
	GpuAggSpreadTask *tasks = palloc0(n * sizeof(GpuAggSpreadTask));
	bool		shared = order->nblocks >= n;

	for (int i = 0; shared && i < n; i++)
	{
		GpuAggSpreadTask *task = &tasks[i];
		GpuAggOrder *part = &task->order;

		task->program = binding->cards[i] != NULL ? binding->cards[i] : binding->program;
		plan_order(order, place, i, part);
		part->program = task->program;
		shared = part->nread > 0 &&
			gpuagg_passes_part(scan, part, (double) part->nblocks / order->nblocks, i + 1,
							   &task->pass, &task->tally);
	}
	if (shared && scan->css.ss.ps.instrument != NULL)
		gpuagg_passes_plan(order, order->device, planned);
	return shared ? tasks : NULL;
}

/* ------------------------------------------------------------------ run --- */

typedef struct Spread
{
	const GpuAggScan *scan;
	GpuAggSpreadTask *tasks;
	int			n;
	GpuAggResults *results;		/* The store of all. */
	int			turn;			/* whose worker is looked after in the next sleep */
} Spread;

static void
spread_abort(int code, Datum arg)
{
	Spread	   *s = (Spread *) DatumGetPointer(arg);

	for (int i = 0; i < s->n; i++)
		if (s->tasks[i].run != NULL)
			gpuagg_run_abort(s->tasks[i].run);
}

static void
task_fail(GpuAggSpreadTask *task, GpuAggStatus status)
{
	task->status = status;
	task->over = true;
	gpuagg_run_end(task->run, status);
}

static void
spread_begin(Spread *s)
{
	/* they wake up side by side: that may take longer than to begin */
	for (int i = 0; i < s->n; i++)
		(void) gpuagg_shmem_wake_worker(s->tasks[i].order.device);
	for (int i = 0; i < s->n; i++)
	{
		GpuAggSpreadTask *task = &s->tasks[i];
		GpuAggStatus status;

		task->run = gpuagg_run_create(s->scan, &task->order, &task->pass, &task->tally,
									  &task->outcome, &task->error);
		status = gpuagg_run_begin(task->run);
		if (status != GPUAGG_OK)
			task_fail(task, status);
	}
}

/* One of those that are at work looks after its worker meanwhile; the latch is of all. */
static void
spread_sleep(Spread *s)
{
	GpuAggStatus status;
	GpuAggSpreadTask *task;

	do
		task = &s->tasks[s->turn++ % s->n];
	while (task->over);
	status = gpuagg_run_sleep(task->run);
	if (status != GPUAGG_OK)
		task_fail(task, status);
}

/* Until each has read all, or has failed */
static void
spread_feed(Spread *s)
{
	int			left;

	do
	{
		bool		idle = true;

		left = 0;
		for (int i = 0; i < s->n; i++)
		{
			GpuAggSpreadTask *task = &s->tasks[i];
			GpuAggStatus status;
			bool		waits;

			if (task->over)
				continue;
			status = gpuagg_run_step(task->run, &waits, &task->over);
			if (status != GPUAGG_OK)
				task_fail(task, status);
			left += !task->over;
			idle &= waits || task->over;
		}
		if (idle && left > 0)
			spread_sleep(s);
	} while (left > 0);
}

static void
spread_collect(Spread *s, GpuAggTallyCards *cards)
{
	for (int i = 0; i < s->n; i++)
	{
		GpuAggSpreadTask *task = &s->tasks[i];
		GpuAggStoreMark mark;

		if (task->status != GPUAGG_OK)
			continue;
		gpuagg_results_mark(s->results, &mark);
		task->status = gpuagg_run_collect(task->run);
		gpuagg_run_end(task->run, task->status);
		if (task->status == GPUAGG_OK)
			gpuagg_spread_count(cards, i, &task->tally);
		else
			gpuagg_results_cut(s->results, &mark);
	}
}

/* All of the tasks are one; feeders are those of the task that had most. */
static void
spread_tally(const Spread *s, GpuAggTally *tally)
{
	int			planned = 0;
	int			launched = 0;

	for (int i = 0; i < s->n; i++)
	{
		GpuAggTally *part = &s->tasks[i].tally;

		if (s->tasks[i].status != GPUAGG_OK)
			gpuagg_tally_fail(part);
		planned = Max(planned, part->feeders_planned);
		launched = Max(launched, part->feeders_launched);
		gpuagg_tally_beside(tally, part);
	}
	tally->feeders_planned = planned;
	tally->feeders_launched = launched;
}

/* Has one failed, and cannot be done again without the others? */
static bool
spread_is_lost(const Spread *s, const GpuAggStoreMark *begin)
{
	GpuAggStoreMark end;
	bool		failed = false;

	for (int i = 0; i < s->n; i++)
		failed |= s->tasks[i].status != GPUAGG_OK;
	gpuagg_results_mark(s->results, &end);
	return failed && end.beside != begin->beside;
}

bool
gpuagg_spread_run(const GpuAggScan *scan, GpuAggSpreadTask *tasks, GpuAggTallyCards *cards,
				  GpuAggTally *tally)
{
	Spread		s = {
		.scan = scan,
		.tasks = tasks,
		.n = cards->n,
		.results = tasks[0].order.demand->found->results
	};
	GpuAggStoreMark begin;

	gpuagg_results_mark(s.results, &begin);
	PG_ENSURE_ERROR_CLEANUP(spread_abort, PointerGetDatum(&s));
	{
		spread_begin(&s);
		spread_feed(&s);
		spread_collect(&s, cards);
	}
	PG_END_ENSURE_ERROR_CLEANUP(spread_abort, PointerGetDatum(&s));
	if (spread_is_lost(&s, &begin))
		return false;
	spread_tally(&s, tally);
	return true;
}

void
gpuagg_spread_count(GpuAggTallyCards *cards, int i, const GpuAggTally *tally)
{
	cards->cards[i].rows = tally->work.rows_scanned;
	strlcpy(cards->cards[i].name, tally->device, sizeof(cards->cards[i].name));
	cards->done++;
}
