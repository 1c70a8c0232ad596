/*
 * attempt.c
 *		One task of a scan, and what is tried when it fails (attempt.h).
 */
#include "postgres.h"

#include "compat.h"
#include "device/ops/places.h"
#include "ipc/stat.h"
#include "node/called/called.h"
#include "node/leftover/leftover.h"
#include "node/run/answers.h"
#include "node/run/attempt.h"
#include "node/run/device_task.h"
#include "node/run/passes.h"
#include "node/run/place.h"
#include "node/run/remedy.h"
#include "node/run/run_notes.h"
#include "node/run/scan_bind.h"
#include "node/run/spread.h"
#include "storage/bufmgr.h"
#include "storage/predicate.h"
#include "utils/rel.h"

/* Is the condition without columns, if there is one, anything but TRUE? */
static bool
scan_gate_closed(const GpuAggPlanInfo *info, const GpuAggProgram *program)
{
	const GpuAggConst *gate;

	if (info->gate < 0)
		return false;
	gate = gpuagg_program_consts(program) + info->gate;
	return gate->state != GPUAGG_ST_VALUE || gate->v.i == 0;
}

/*
 * Nothing is to be read: a condition without columns is not TRUE, or there is nothing to join.
 * Draws are of all blocks or of none.
 */
static void
read_nothing(GpuAggOrder *order)
{
	GpuAggTaskTable *read;

	if (order->sample.method == GPUAGG_SAMPLE_DRAWS)
		return;
	read = palloc(Max(1, order->nread) * sizeof(GpuAggTaskTable));
	for (int i = 0; i < order->nread; i++)
	{
		read[i] = order->read[i];
		read[i].end = read[i].first;
	}
	order->read = read;
}

/*
 * An order of all blocks of the tables, for whom it is not known yet; false: there is one that no
 * task can read.
 */
static bool
order_all(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggOrder *order,
		  GpuAggError *error)
{
	GpuAggTaskTable *read = gpuagg_order_begin(demand, order);
	uint64		sum = 0;

	for (int i = 0; i < order->nread; i++)
	{
		GpuAggTaskTable *table = &read[i];

		/* a plan reads whatever it likes, and is asked for rows in any case */
		if (table->rel == NULL)
		{
			sum++;
			continue;
		}
		if (RelationUsesLocalBuffers(table->rel))
		{
			(void) gpuagg_error_set(error, GPUAGG_UNSUPPORTED, 0,
									"the table's buffers are private to this session");
			return false;
		}

		/*
		 * As heap_beginscan: who adds a page after it was counted must see the lock,
		 * since none will look at that page's rows.
		 */
		PredicateLockRelation(table->rel, scan->css.ss.ps.state->es_snapshot);
		table->nblocks = RelationGetNumberOfBlocks(table->rel);
		table->end = table->nblocks;
		sum += table->nblocks;
	}
	order->nblocks = Min(sum, MaxBlockNumber);
	return true;
}

/* Values of strings that come while it is tried are given so often. */
#define MOST_GIVEN 4

/* The task, from its first try to its last */
typedef struct Attempt
{
	const GpuAggScan *scan;
	GpuAggPlace *place;
	GpuAggOrder order;			/* The next try's. */
	GpuAggBinding binding;		/* The order's program, which is this attempt's to change. */
	GpuAggStoreMark mark;		/* Where its groups begin. */
	GpuAggTally *tally;			/* It adds up what all tries took, and what the last one did. */
	GpuAggOutcome outcome;		/* The last try's. */
	uint32		been_on;		/* A set of devices that it was given to. */
	bool		limited;		/* Its numerics are limited to their scale. */
	bool		together;		/* Tasks of other cards share its tables. */
	int			given;			/* So often values of strings were given for it. */
	bool		all_called;		/* The device has all of them. */
	bool		again;			/* It has met strings that were new. */
} Attempt;

/*
 * Its program on the device of its order.  here: with all look-up tables; those that a device has
 * made are not at hand elsewhere.  False: see error.
 */
static bool
attempt_bind(Attempt *a, bool here, GpuAggError *error)
{
	if (!gpuagg_scan_bind(a->scan, &a->order, a->place, here, &a->binding, error))
		return false;
	a->order.program = a->binding.program;
	a->limited = false;
	if (a->binding.nothing)
		a->order.nblocks = 0;
	return true;
}

static void
attempt_mark(Attempt *a)
{
	const GpuAggFound *found = a->order.demand->found;

	if (found->results != NULL)
		gpuagg_results_mark(found->results, &a->mark);
}

/* All of the work on one device; what was answered before is forgotten. */
static GpuAggStatus
attempt_task(Attempt *a, GpuAggError *error)
{
	GpuAggTally tally = {0};
	GpuAggStatus status;

	gpuagg_answers_cut(a->scan, a->order.demand, &a->mark);
	/* the store may be another one */
	attempt_mark(a);
	if (a->order.nblocks == 0)
		read_nothing(&a->order);
	memset(&a->outcome, 0, sizeof(a->outcome));
	status = gpuagg_passes_run(a->scan, &a->order, &tally, &a->outcome, error);
	gpuagg_tally_then(a->tally, &tally);
	return status;
}

/* A column's scale, limited to where an instruction takes it to one; else as it is */
static GpuAggScale
limited_scale(const GpuAggProgram *program, const GpuAggAttr *attr)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(program);

	for (uint32 i = 0; i < program->ninstrs && attr->scale.form == GPUAGG_SCALE_WORD; i++)
		if (instrs[i].op == GPUAGG_OP_DECIMAL_AT && instrs[i].a == attr->reg)
			return gpuagg_scale_as(GPUAGG_SCALE_FITS, instrs[i].imm);
	return attr->scale;
}

/*
 * Has it columns of numerics without a scale that can be loaded so that what does not fit the
 * query's scale is left to the row plan, not an error where it is used?  What is kept on the
 * device is not loaded so.
 */
static bool
attempt_limitable(const Attempt *a)
{
	const GpuAggScan *scan = a->scan;
	const GpuAggProgram *program = a->binding.program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);

	if (program->select || scan->rows != NULL ||
		(scan->lookups != NULL && !gpuagg_leftover_joined(scan)))
		return false;
	for (uint32 i = 0; i < program->nattrs; i++)
		if (!gpuagg_scale_same(limited_scale(program, &attrs[i]), attrs[i].scale))
			return true;
	return false;
}

static void
attempt_limit(Attempt *a)
{
	GpuAggProgram *program = a->binding.program;
	GpuAggAttr *attrs = (GpuAggAttr *) gpuagg_program_attrs(program);

	for (uint32 i = 0; i < program->nattrs; i++)
		attrs[i].scale = limited_scale(program, &attrs[i]);
	a->limited = true;
}

static bool
tables_there(const GpuAggScan *scan)
{
	return scan->lookups != NULL && gpuagg_lookups_on_device(scan->lookups);
}

static GpuAggRemedy
attempt_remedy(const Attempt *a, GpuAggStatus status, const GpuAggError *error)
{
	GpuAggTried tried;

	if (status == GPUAGG_OK)
		return GPUAGG_REMEDY_NONE;
	tried = (GpuAggTried) {
		.on_gpu = a->outcome.on_gpu,
		.on_host = a->order.host,
		.together = a->together,
		.cached = a->outcome.cached,
		.again = a->again,
		.called = a->scan->called != NULL,
		.all_called = a->all_called || a->given == MOST_GIVEN,
		.draws = a->order.sample.method == GPUAGG_SAMPLE_DRAWS,
		.limitable = attempt_limitable(a),
		.limited = a->limited,
		.met_long = a->outcome.met_long,
		.all_groups = gpuagg_answer_wants_all(&a->order.answer),
		.other_gpu = gpuagg_place_other(a->been_on) >= 0,
		.tables_there = tables_there(a->scan)
	};
	return gpuagg_remedy(status, error->detail, &tried);
}

static void
count_redone(GpuAggTally *tally, const GpuAggError *error, const char *device)
{
	gpuagg_stat_add(GPUAGG_STAT_redone, 1);
	tally->redone++;
	strlcpy(tally->redone_message, error->message, sizeof(tally->redone_message));
	gpuagg_redone_log(error, device);
}

/* Only where a device has made tables for it */
static bool
attempt_bind_here(Attempt *a, GpuAggError *error)
{
	return !tables_there(a->scan) || attempt_bind(a, true, error);
}

/* To another GPU, or to the host device */
static bool
attempt_move(Attempt *a, GpuAggRemedy remedy, GpuAggError *error)
{
	const GpuAggError why = *error;

	if (remedy == GPUAGG_REMEDY_OTHER_GPU)
	{
		a->order.device = gpuagg_place_other(a->been_on);
		a->been_on |= 1 << a->order.device;
		a->order.moved = a->place->moved = true;
		count_redone(a->tally, &why, psprintf("device %d", a->order.device));
	}
	if (!attempt_bind_here(a, error))
		return false;
	if (remedy == GPUAGG_REMEDY_HOST)
		count_redone(a->tally, &why, "the host device");
	a->order.host = remedy == GPUAGG_REMEDY_HOST;
	return true;
}

static GpuAggStatus
give_values(const Attempt *a, bool read, uint64 *strings, GpuAggError *error)
{
	return gpuagg_called_give(a->scan->called, a->scan->rel,
							  a->scan->css.ss.ps.state->es_snapshot, a->order.device, read,
							  strings, error);
}

/*
 * What only PostgreSQL computes of strings goes to the device; false: it has no values of some.  A
 * column that is not kept any more is read: a plan that stays would never be what it was.
 */
static bool
attempt_give(Attempt *a, GpuAggError *error)
{
	const bool	read = a->given++ > 0;
	const GpuAggError why = *error;
	GpuAggStatus status;
	uint64		strings;

	status = give_values(a, read, &strings, error);
	if (status == GPUAGG_UNSUPPORTED && !read)
		status = give_values(a, true, &strings, error);
	if (status != GPUAGG_OK)
		return false;
	a->tally->strings += strings;
	if (strings > 0)
		return true;
	/* a least or greatest string may have been new */
	if (!a->again && gpuagg_places_possible(a->binding.program))
	{
		a->again = true;
		return read || give_values(a, true, &strings, error) == GPUAGG_OK;
	}
	/* it has failed for another reason */
	a->all_called = true;
	*error = why;
	return false;
}

/* The task as it is to be tried next; false: that cannot be, see error. */
static bool
attempt_change(Attempt *a, GpuAggRemedy remedy, GpuAggError *error)
{
	GpuAggOrder *order = &a->order;

	a->together = false;
	order->uncached = remedy == GPUAGG_REMEDY_UNCACHED || remedy == GPUAGG_REMEDY_LIMITED ||
		(remedy == GPUAGG_REMEDY_ALL_GROUPS && order->uncached);
	switch (remedy)
	{
		case GPUAGG_REMEDY_UNCACHED:
			ereport(DEBUG1,
					(errmsg("gpuagg: redoing a task without the column cache: %s",
							error->message)));
			return true;
		case GPUAGG_REMEDY_AGAIN:
			a->again = true;
			ereport(DEBUG1, (errmsg("gpuagg: redoing a task: %s", error->message)));
			return true;
		case GPUAGG_REMEDY_CALLED:
			return attempt_give(a, error);
		case GPUAGG_REMEDY_LIMITED:
			attempt_limit(a);
			return true;
		case GPUAGG_REMEDY_ALL_GROUPS:
			memset(&order->answer, 0, sizeof(order->answer));
			return true;
		case GPUAGG_REMEDY_OTHER_GPU:
		case GPUAGG_REMEDY_HOST:
			return attempt_move(a, remedy, error);
		case GPUAGG_REMEDY_TABLES_HERE:
			return attempt_bind_here(a, error);
		case GPUAGG_REMEDY_ALONE:
		case GPUAGG_REMEDY_NONE:
			break;
	}
	return true;
}

/* As long as it fails, what may help is tried. */
static GpuAggStatus
attempt_go_on(Attempt *a, GpuAggStatus status, GpuAggError *error)
{
	GpuAggRemedy remedy;

	while ((remedy = attempt_remedy(a, status, error)) != GPUAGG_REMEDY_NONE)
	{
		if (!attempt_change(a, remedy, error))
			return error->status;
		status = attempt_task(a, error);
	}
	return status;
}

/*
 * What one of several cards has failed, alone: on another card, if that may help.  *here: a
 * program that has all look-up tables in it, once one was needed; NULL: none was yet.
 */
static GpuAggStatus
run_part(const Attempt *whole, GpuAggProgram **here, GpuAggSpreadTask *task, int i,
		 GpuAggTallyCards *cards, GpuAggError *error)
{
	GpuAggTally alone = {0};
	GpuAggProgram *program = *here != NULL ? *here : task->program;
	GpuAggStatus status;
	Attempt		a = {
		.scan = whole->scan,
		.place = whole->place,
		.order = task->order,
		.binding.program = program,
		.tally = &alone,
		.outcome = task->outcome,
		.been_on = 1 << task->order.device,
		.together = true
	};

	*error = task->error;
	a.order.program = program;
	a.order.moved = whole->place->moved;
	attempt_mark(&a);
	status = attempt_go_on(&a, task->status, error);
	if (a.binding.program != program)
		*here = a.binding.program;
	if (status == GPUAGG_OK)
		gpuagg_spread_count(cards, i, &alone);
	gpuagg_tally_beside(whole->tally, &alone);
	return status;
}

/* A task that several cards share; false: it is to be run by one of them after all. */
static bool
run_spread(const Attempt *a, GpuAggStatus *status, GpuAggError *error)
{
	GpuAggTallyCards cards = {.n = a->place->ncards};
	GpuAggSpreadTask *tasks = gpuagg_spread_plan(a->scan, &a->order, a->place, &a->binding,
												 &a->tally->planned);
	GpuAggProgram *here = NULL;

	if (tasks == NULL || !gpuagg_spread_run(a->scan, tasks, &cards, a->tally))
		return false;
	*status = GPUAGG_OK;
	for (int i = 0; *status == GPUAGG_OK && i < cards.n; i++)
		if (tasks[i].status != GPUAGG_OK)
			*status = run_part(a, &here, &tasks[i], i, &cards, error);
	if (*status == GPUAGG_OK)
		a->tally->work.runs = 1;
	a->tally->cards = cards;
	return true;
}

/* The order on its device, after that on others if need be; further tasks of the run follow it. */
static GpuAggStatus
run_one(Attempt *a, GpuAggError *error)
{
	GpuAggStatus status = attempt_go_on(a, attempt_task(a, error), error);

	a->place->device = a->order.device;
	a->place->been_on = a->been_on;
	return status;
}

/* What its look-ups left, for later plans: of a window of keys the filter drops most rows. */
static void
attempt_note(const Attempt *a)
{
	if (a->scan->lookups != NULL && !gpuagg_lookups_several(a->scan->lookups))
		gpuagg_note_probes(a->scan, a->order.demand->info, &a->binding.probes, a->tally);
}

/* Is it likely to fail again, as long as PostgreSQL computes of strings? */
static bool
is_of_called(GpuAggStatus status, const GpuAggError *error)
{
	return status == GPUAGG_UNSUPPORTED ||
		(status == GPUAGG_VALUE_ERROR && (error->detail & GPUAGG_ST_NEEDS_PG) != 0);
}

static GpuAggStatus
run_bound(Attempt *a, GpuAggError *error)
{
	const GpuAggScan *scan = a->scan;
	GpuAggStatus status;

	gpuagg_wanted_evaluate(&scan->wanted, scan->css.ss.ps.ps_ExprContext, &a->order.answer);
	if (gpuagg_lookups_several(scan->lookups))
		memset(&a->order.answer, 0, sizeof(a->order.answer));
	a->order.moved = a->place->moved;
	a->been_on = a->place->been_on;
	attempt_mark(a);
	if (a->place->ncards == 0 || scan->called != NULL || !run_spread(a, &status, error))
		status = run_one(a, error);
	if (status == GPUAGG_OK)
		attempt_note(a);
	if (scan->called != NULL && (status == GPUAGG_OK || is_of_called(status, error)))
		gpuagg_called_know(scan->called, scan->rel, status == GPUAGG_OK);
	a->tally->bulkread = a->order.sample.bulkread;
	return status;
}

/*
 * One task, on another device if need be.  What it allocates goes with the
 * current memory context, but for the results.
 */
GpuAggStatus
gpuagg_attempt_run(const GpuAggScan *scan, const GpuAggDemand *demand, GpuAggPlace *place,
				   GpuAggTally *tally, GpuAggError *error)
{
	const int	gate = demand->info->gate;
	ExprContext *econtext = scan->css.ss.ps.ps_ExprContext;
	Attempt		a = {.scan = scan,.place = place,.tally = tally};
	GpuAggOrder *order = &a.order;

	if (!order_all(scan, demand, order, error))
		return error->status;
	tally->blocks = order->nblocks;

	/* the sample's arguments first, but behind a condition without columns */
	if (gate < 0)
	{
		gpuagg_sample_evaluate(&scan->sample, demand->seed, econtext, &order->sample);
		if (gpuagg_sample_is_empty(&order->sample))
			order->nblocks = 0;
	}
	gpuagg_place(order, place);
	order->device = place->device;
	if (!attempt_bind(&a, false, error))
		return error->status;
	if (scan_gate_closed(demand->info, order->program))
		order->nblocks = 0;
	else if (gate >= 0)
		gpuagg_sample_evaluate(&scan->sample, demand->seed, econtext, &order->sample);
	if (order->nblocks == 0 && scan->tables != NULL)
		return GPUAGG_OK;
	return run_bound(&a, error);
}
