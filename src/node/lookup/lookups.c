/*
 * lookups.c
 *		The inputs of joins as look-up tables (lookups.h).
 *
 * Where a device keeps all of a table's columns, current to the query's snapshot, it makes
 * the look-up table itself (lookup_made.h).  Each other input is a child plan, run to its
 * end under that snapshot before the task begins; but for those behind an inner join's input that
 * has no rows, as PostgreSQL
 * looks no further then.  Its rows are kept as columns, in a context that goes with them once
 * the table is made; rows with a NULL key match nothing and are left out.
 *
 * Tables that the device makes take a part of its memory (ipc/made_shared.h), those that are made
 * here gpuagg.lookup_memory at most, all together; while a table is made, its columns
 * take about as much again.  An input that needs more is made in windows (lookup_windows.h), if
 * its keys are integers; else it, an input whose keys turn out not
 * to be unique, and a value that devices have no form of end the device's turn.  One that the
 * device was to make at once, but has not, is made in as many windows as the planner has said.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "ipc/made_shared.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "node/lookup/filters.h"
#include "node/lookup/lookup_made.h"
#include "node/lookup/lookup_rows.h"
#include "node/lookup/lookup_table.h"
#include "node/lookup/lookups.h"
#include "node/lookup/runtime.h"
#include "node/lookup/string_values.h"
#include "nodes/extensible.h"
#include "planner/value/constant.h"
#include "settings.h"
#include "utils/memutils.h"


struct GpuAggLookups
{
	const GpuAggPlanInfo *info;
	PlanState  *plans[GPUAGG_MAX_LOOKUPS];	/* children, and subplans of the statement's */
	bool		read[GPUAGG_MAX_LOOKUPS];	/* was read before; has to be rescanned */
	bool		any[GPUAGG_MAX_LOOKUPS];	/* were there rows? */
	bool		null_keys[GPUAGG_MAX_LOOKUPS];	/* had any row a NULL key? */
	PlanState  *node;			/* whose expressions runtime and params are */
	List	   *runtime[GPUAGG_MAX_LOOKUPS];	/* runtime constants of programs */
	List	   *params[GPUAGG_MAX_LOOKUPS];	/* parameters in these constants */
	Oid			relid;			/* the table whose rows are looked up */
	double		pages;			/* size of that table */
	MemoryContext tables;		/* context of what a run makes */
	bool		made;
	bool		current;		/* the tables of this run have been made */
	bool		nothing;		/* no row can be joined */
	bool		again;			/* they are made more than once */
	int			windowed;		/* the table that is made in windows; -1: none */
	int			windows;		/* number of windows */
	int			window;			/* the window at work */
	int			made_window;	/* the window of which the table is */
	GpuAggLookupShown shown[GPUAGG_MAX_LOOKUPS];
	const GpuAggLookup *blocks[GPUAGG_MAX_LOOKUPS];
	MemoryContext strings;		/* of groups, until they are asked for again */
	GpuAggNumbered **numbered[GPUAGG_MAX_LOOKUPS];	/* by column */
};

/* ----------------------------------------------------------------- begin --- */

/*
 * A program's runtime constants; of a subquery itself, for EXPLAIN; of strings what is computed
 * of them
 */
static int
nexprs(const GpuAggLookupPlan *lookup)
{
	if (lookup->values_of > 0)
		return lookup->ncolumns - lookup->nkeys;
	return lookup->subquery > 0 ? 1 : lookup->nruntime;
}

int
gpuagg_lookups_nexprs(const GpuAggPlanInfo *info)
{
	int			n = 0;

	for (int i = 0; i < info->nlookups; i++)
		n += nexprs(&info->lookups[i]);
	return n;
}

static void
begin_programs(GpuAggLookups *lookups, List *exprs)
{
	int			at = 0;

	for (int i = 0; i < lookups->info->nlookups; i++)
	{
		const int	n = nexprs(&lookups->info->lookups[i]);

		/* of a subquery: so it is a subplan of the node's, which EXPLAIN shows */
		gpuagg_runtime_init(lookups->node, list_truncate(list_copy_tail(exprs, at), n),
							&lookups->runtime[i], &lookups->params[i]);
		at += n;
	}
}

static bool
is_child(const GpuAggLookupPlan *lookup)
{
	return lookup->subquery == 0 && lookup->helps == 0 && lookup->values_of == 0;
}

/*
 * Inputs of joins are children; a subquery's plan is begun and ended with the statement, and
 * whoever reads it rescans it first, the hashed subplan of PostgreSQL's plan, too.  Helpers and
 * values of
 * strings have none.
 */
static PlanState *
begin_plan(CustomScanState *css, const GpuAggLookupPlan *lookup, int *nchildren, int eflags)
{
	CustomScan *plan = castNode(CustomScan, css->ss.ps.plan);
	PlanState  *child;

	if (lookup->helps > 0 || lookup->values_of > 0)
		return NULL;
	if (lookup->subquery > 0)
		return list_nth(css->ss.ps.state->es_subplanstates, lookup->subquery - 1);
	child = ExecInitNode(list_nth(plan->custom_plans, GPUAGG_PLAN_LOOKUPS + (*nchildren)++),
						 css->ss.ps.state, eflags);
	css->custom_ps = lappend(css->custom_ps, child);
	return child;
}

GpuAggLookups *
gpuagg_lookups_begin(CustomScanState *css, const GpuAggPlanInfo *info, List *exprs, int eflags)
{
	GpuAggLookups *lookups;
	int			nchildren = 0;

	if (info->nlookups == 0)
		return NULL;
	lookups = palloc0(sizeof(GpuAggLookups));
	lookups->info = info;
	lookups->windowed = -1;
	lookups->windows = 1;
	for (int i = 0; i < info->nlookups; i++)
	{
		if (info->lookups[i].window_const < 0)
			continue;
		lookups->windowed = i;
		lookups->windows = info->lookups[i].whole ? 1 : Max(1, info->lookups[i].windows);
	}
	lookups->strings = AllocSetContextCreate(CurrentMemoryContext, "gpuagg lookup strings",
											 ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < info->nlookups; i++)
		lookups->plans[i] = begin_plan(css, &info->lookups[i], &nchildren, eflags);
	lookups->node = &css->ss.ps;
	begin_programs(lookups, exprs);
	return lookups;
}

void
gpuagg_lookups_rescan(GpuAggLookups *lookups, Bitmapset *changed)
{
	for (int i = 0; i < lookups->info->nlookups && changed != NULL; i++)
	{
		/* that of a subquery does not depend on any (lower_subplan.c) */
		if (is_child(&lookups->info->lookups[i]))
			UpdateChangedParamSet(lookups->plans[i], changed);
	}
}

void
gpuagg_lookups_end(GpuAggLookups *lookups)
{
	for (int i = 0; i < lookups->info->nlookups; i++)
	{
		if (is_child(&lookups->info->lookups[i]))
			ExecEndNode(lookups->plans[i]);
	}
}

/* ---------------------------------------------------------------- tables --- */

/* Empty dictionaries of the columns that have one; of keys by their bytes */
static GpuAggNumbered **
numbered_create(const GpuAggLookupPlan *plan)
{
	GpuAggNumbered **numbered = palloc0(plan->ncolumns * sizeof(GpuAggNumbered *));

	for (int i = 0; i < plan->ncolumns; i++)
	{
		if (gpuagg_lookup_is_numbered(plan, i))
			numbered[i] = gpuagg_numbered_create(i < plan->nkeys ? GPUAGG_T_TEXT : plan->types[i]);
	}
	return numbered;
}

static void
show_table(GpuAggLookupShown *shown, const GpuAggLookup *block)
{
	shown->rows = block->nrows;
	shown->bytes = Max(shown->bytes, block->bytes);
	shown->kind = block->kind;
	shown->filter = block->filter != 0;
	shown->windows = 1;
}

/* Table i of the rows, after those that find numbers for its keys */
static const GpuAggLookup *
tables_make(GpuAggLookups *lookups, int i, GpuAggInputRows *rows, MemoryContext context, Size limit,
			GpuAggError *error)
{
	for (int k = 0; k < lookups->info->nlookups; k++)
	{
		const GpuAggLookupPlan *plan = &lookups->info->lookups[k];

		if (plan->helps != i + 1)
			continue;
		lookups->blocks[k] = gpuagg_lookup_helper(
			&rows->columns, plan->helped, rows->numbered[plan->helped], context, limit, error);
		if (lookups->blocks[k] == NULL)
			return NULL;
		limit -= Min(limit, lookups->blocks[k]->bytes);
		show_table(&lookups->shown[k], lookups->blocks[k]);
	}
	return gpuagg_lookup_table(&rows->columns, context, limit, error);
}

/* Is it known beforehand that memory here is too little for table i, or for its windows? */
static bool
is_too_large(const GpuAggLookups *lookups, int i)
{
	const GpuAggLookupPlan *plan = &lookups->info->lookups[i];

	return plan->windows == 0 || (i == lookups->windowed && lookups->windows < plan->windows);
}

/* Reads input i and makes its table; what it read is gone then. */
static const GpuAggLookup *
lookup_make(GpuAggLookups *lookups, int i, int device, Size limit, GpuAggError *error)
{
	PlanState  *plan = lookups->plans[i];
	MemoryContext context = CurrentMemoryContext;
	MemoryContext reading = AllocSetContextCreate(context, "gpuagg lookup rows",
												  ALLOCSET_DEFAULT_SIZES);
	GpuAggInputRows rows = {.columns.plan = &lookups->info->lookups[i],
							.limit = limit + GPUAGG_INPUT_ROWS * 1024};
	const GpuAggLookup *block = NULL;

	if (is_too_large(lookups, i))
	{
		(void) gpuagg_lookup_too_large(error);
		return NULL;
	}
	MemoryContextSwitchTo(plan->state->es_query_cxt);
	/* with changed parameters the node rescans itself */
	if (lookups->info->lookups[i].subquery > 0 || (lookups->read[i] && plan->chgParam == NULL))
		ExecReScan(plan);
	lookups->read[i] = true;
	MemoryContextSwitchTo(lookups->strings);
	/* windows share numbers, for their groups are merged */
	if (lookups->numbered[i] == NULL)
		lookups->numbered[i] = numbered_create(rows.columns.plan);
	rows.numbered = lookups->numbered[i];
	rows.columns.filters = gpuagg_lookup_filters(device, rows.columns.plan, lookups->relid,
												 lookups->pages, false);
	rows.windows = i == lookups->windowed ? lookups->windows : 1;
	rows.window = lookups->window;
	MemoryContextSwitchTo(reading);
	if (gpuagg_input_rows_read(&rows, plan, error) == GPUAGG_OK)
		block = tables_make(lookups, i, &rows, context, limit, error);
	lookups->null_keys[i] = rows.null_keys;
	lookups->any[i] = rows.null_keys || rows.strange_keys || rows.columns.nrows > 0;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(reading);
	return block;
}

/* Table i of values of strings, which another table has numbers of */
static const GpuAggLookup *
values_make(GpuAggLookups *lookups, int i, Size limit, GpuAggError *error)
{
	const GpuAggLookupPlan *plan = &lookups->info->lookups[i];
	ExprContext *econtext = lookups->node->ps_ExprContext;

	gpuagg_runtime_params(lookups->params[i], econtext);
	return gpuagg_string_values(
		plan, lookups->runtime[i], econtext,
		gpuagg_lookups_numbered(lookups, plan->values_of - 1, plan->values_column), limit, error);
}

/* The program that makes a table, with its runtime constants; NULL: they have no values. */
static GpuAggProgram *
bind_program(GpuAggLookups *lookups, int i)
{
	const GpuAggLookupPlan *plan = &lookups->info->lookups[i];
	ExprContext *econtext = lookups->node->ps_ExprContext;
	const GpuAggPlanInfo info = {
		.program = plan->program,
		.runtime = plan->runtime,
		.nruntime = plan->nruntime
	};
	Datum	   *values = palloc0(Max(1, plan->nruntime) * sizeof(Datum));
	bool	   *isnull = palloc0(Max(1, plan->nruntime) * sizeof(bool));
	GpuAggError error;

	/* of a subquery's program there are none */
	if (plan->subquery == 0)
		gpuagg_runtime_params(lookups->params[i], econtext);
	if (gpuagg_runtime_values(plan->subquery > 0 ? NIL : lookups->runtime[i], plan->runtime,
							  plan->program, econtext, values, isnull, &error) != GPUAGG_OK)
		return NULL;
	return gpuagg_plan_bind(&info, values, isnull, NULL);
}

/* What the device has made */
typedef struct Made
{
	const GpuAggLookup *head;
	GpuAggNumbered **numbered;	/* strings by column */
	uint64		device_ns;		/* what it took */
	bool		before;			/* it was there */
} Made;

/*
 * Table i, of columns that the device keeps; made[] has those that number its keys.  False: it
 * cannot, or it is too large.
 */
static bool
made_one(GpuAggLookups *lookups, int i, int device, Size limit, Made *made)
{
	GpuAggMadeInput input = {
		.device = device,
		.plan = &lookups->info->lookups[i],
		.snapshot = lookups->node->state->es_snapshot,
		.fact = lookups->relid,
		.fact_pages = lookups->pages,
		.strings = lookups->strings
	};
	const GpuAggLookup *head;
	MemoryContext old;

	if ((input.program = bind_program(lookups, i)) == NULL)
		return false;
	for (int k = 0; k < lookups->info->nlookups; k++)
		if (lookups->info->lookups[k].helps == i + 1)
			input.helpers[lookups->info->lookups[k].helped] = made[k].head->made;
	old = MemoryContextSwitchTo(lookups->strings);
	input.numbered = palloc0(input.plan->ncolumns * sizeof(GpuAggNumbered *));
	MemoryContextSwitchTo(old);
	head = gpuagg_lookup_made(&input);
	if (head == NULL || head->bytes > limit)
		return false;
	made[i] = (Made) {head, input.numbered, input.device_ns, input.before};
	return true;
}

/* Table i, after those that number its keys: all of them are made, or none counts. */
static bool
made_on_device(GpuAggLookups *lookups, int i, int device, Size limit, Made *made)
{
	const GpuAggLookupPlan *plans = lookups->info->lookups;

	/* who asks for the device means it */
	if (plans[i].expected.small && gpuagg_debug_require == GPUAGG_ALLOW)
		return false;
	if (plans[i].program == NULL || (i == lookups->windowed && lookups->windows > 1))
		return false;
	for (int k = 0; k < lookups->info->nlookups; k++)
	{
		if (plans[k].helps != i + 1)
			continue;
		if (!made_one(lookups, k, device, limit, made))
			return false;
		limit -= made[k].head->bytes;
	}
	return made_one(lookups, i, device, limit, made);
}

/*
 * Table i, which is returned, and those that number its keys are the run's; NULL: the device
 * makes none of them.
 */
static const GpuAggLookup *
lookup_on_device(GpuAggLookups *lookups, int i, int device, Size limit)
{
	Made		made[GPUAGG_MAX_LOOKUPS];

	if (!made_on_device(lookups, i, device, limit, made))
		return NULL;
	for (int k = 0; k < lookups->info->nlookups; k++)
	{
		GpuAggLookupShown *shown = &lookups->shown[k];

		if (k != i && lookups->info->lookups[k].helps != i + 1)
			continue;
		lookups->blocks[k] = made[k].head;
		lookups->numbered[k] = made[k].numbered;
		lookups->any[k] = made[k].head->nrows > 0;
		lookups->null_keys[k] = false;
		shown->device_ns = made[k].device_ns;
		shown->before = made[k].before;
		shown->on_device = true;
		show_table(shown, made[k].head);
	}
	return made[i].head;
}

/* NULL or false, in a program that is bound */
static void
fill_constant(GpuAggProgram *program, int const_no, bool null)
{
	GpuAggConst *slot = (GpuAggConst *) ((char *) program + program->consts_off) + const_no;

	slot->state = null ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	slot->v.i = 0;
}

static void
fill_integer(GpuAggProgram *program, int const_no, int64 value)
{
	GpuAggConst *slot = (GpuAggConst *) ((char *) program + program->consts_off) + const_no;

	slot->state = GPUAGG_ST_VALUE;
	slot->v.i = value;
}

/* Of the first window there is one remainder only. */
static void
fill_window(GpuAggProgram *program, int const_no, int windows, int window)
{
	fill_integer(program, const_no, windows);
	fill_integer(program, const_no + 1, window);
	fill_integer(program, const_no + 2, window > 0 ? window - windows : 0);
}

void
gpuagg_lookups_fill(const GpuAggLookups *lookups, const GpuAggPlanInfo *info,
					GpuAggProgram *program)
{
	for (int i = 0; i < info->nlookups; i++)
	{
		const GpuAggLookupPlan *plan = &info->lookups[i];

		if (plan->window_const >= 0)
			fill_window(program, plan->window_const, lookups->windows, lookups->window);
		if (plan->subquery == 0)
			continue;
		fill_constant(program, plan->null_const, lookups->any[i]);
		fill_constant(program, plan->missed_const, lookups->null_keys[i]);
	}
}

bool
gpuagg_lookups_on_device(const GpuAggLookups *lookups)
{
	for (int i = 0; i < lookups->info->nlookups; i++)
	{
		if (lookups->shown[i].on_device)
			return true;
	}
	return false;
}

bool
gpuagg_lookups_numbers(const GpuAggPlanInfo *info)
{
	for (int i = 0; i < info->nlookups; i++)
	{
		for (int k = info->lookups[i].nkeys; k < info->lookups[i].ncolumns; k++)
			if (gpuagg_lookup_is_numbered(&info->lookups[i], k))
				return true;
	}
	return false;
}

bool
gpuagg_lookups_makeable(const GpuAggPlanInfo *info)
{
	for (int i = 0; i < info->nlookups; i++)
	{
		if (info->lookups[i].program != NULL)
			return true;
	}
	return false;
}

const GpuAggLookup *const *
gpuagg_lookups_make_again(GpuAggLookups *lookups, int device)
{
	const GpuAggLookup **blocks = palloc(sizeof(lookups->blocks));

	memcpy(blocks, lookups->blocks, sizeof(lookups->blocks));
	for (int i = 0; i < lookups->info->nlookups; i++)
	{
		Made		made[GPUAGG_MAX_LOOKUPS];

		if (lookups->info->lookups[i].helps > 0 || blocks[i] == NULL || blocks[i]->made == 0)
			continue;
		if (!made_on_device(lookups, i, device, gpuagg_made_room(device), made))
			return NULL;
		for (int k = 0; k < lookups->info->nlookups; k++)
			if (k == i || lookups->info->lookups[k].helps == i + 1)
				blocks[k] = made[k].head;
	}
	return blocks;
}

bool
gpuagg_lookups_again(const GpuAggLookups *lookups)
{
	return lookups->again;
}

void
gpuagg_lookups_run(GpuAggLookups *lookups)
{
	lookups->current = lookups->again = false;
	lookups->tables = CurrentMemoryContext;
}

void
gpuagg_lookups_of(GpuAggLookups *lookups, Oid relid, double pages)
{
	lookups->relid = relid;
	lookups->pages = pages;
}

bool
gpuagg_lookups_several(const GpuAggLookups *lookups)
{
	return lookups != NULL && lookups->windows > 1;
}

int
gpuagg_lookups_windows(const GpuAggLookups *lookups)
{
	return lookups->windows;
}

void
gpuagg_lookups_window(GpuAggLookups *lookups, int window)
{
	lookups->window = window;
}

bool
gpuagg_lookups_widen(GpuAggLookups *lookups)
{
	if (lookups->windowed < 0 || lookups->windows == GPUAGG_MAX_LOOKUP_WINDOWS)
		return false;
	lookups->windows = Min(
		Max(4 * lookups->windows, lookups->info->lookups[lookups->windowed].windows),
		GPUAGG_MAX_LOOKUP_WINDOWS);
	lookups->current = false;
	return true;
}

static void
drop_table(GpuAggLookups *lookups, int i)
{
	if (lookups->blocks[i] != NULL)
		pfree((void *) lookups->blocks[i]);
	lookups->blocks[i] = NULL;
}

/*
 * The table of the window before gives way to that of the one at work, which may have more
 * strings.
 */
static void
drop_window(GpuAggLookups *lookups)
{
	drop_table(lookups, lookups->windowed);
	for (int i = 0; i < lookups->info->nlookups; i++)
		if (lookups->info->lookups[i].values_of == lookups->windowed + 1)
			drop_table(lookups, i);
}

/* What tables that are there, of those that a device has made or the backend, leave of memory */
static Size
memory_left(const GpuAggLookups *lookups, bool made, Size memory)
{
	Size		left = memory;

	for (int i = 0; i < lookups->info->nlookups; i++)
	{
		const GpuAggLookup *block = lookups->blocks[i];

		if (block != NULL && (block->made != 0) == made)
			left -= Min(left, block->bytes);
	}
	return left;
}

static bool
make_one(GpuAggLookups *lookups, int i, int device, bool here, GpuAggError *error)
{
	const Size	memory = gpuagg_lookup_memory * (Size) 1048576;
	const bool	windowed = i == lookups->windowed && lookups->windows > 1;
	GpuAggLookupShown *shown = &lookups->shown[i];
	const GpuAggLookup *block = NULL;
	uint64		before;
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	if (lookups->info->lookups[i].values_of > 0)
		block = values_make(lookups, i, memory_left(lookups, false, memory), error);
	else
	{
		if (!here)
			block = lookup_on_device(lookups, i, device,
									 memory_left(lookups, true, gpuagg_made_room(device)));
		if (block == NULL)
			block = lookup_make(lookups, i, device, memory_left(lookups, false, memory), error);
	}
	if (block == NULL)
		return false;
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_ACCUM_DIFF(shown->took, end, start);
	lookups->blocks[i] = block;
	before = shown->rows;
	show_table(shown, block);
	if (windowed)
	{
		shown->rows += before;
		shown->windows = lookups->windows;
	}
	return true;
}

/* Those that are not there, up to one by which nothing can be joined; false: see error. */
static bool
make_all(GpuAggLookups *lookups, int device, bool here, GpuAggError *error)
{
	lookups->nothing = false;
	for (int i = 0; i < lookups->info->nlookups && !lookups->nothing; i++)
	{
		const int	join = lookups->info->lookups[i].join;

		if (lookups->blocks[i] == NULL && !make_one(lookups, i, device, here, error))
			return false;
		lookups->nothing = lookups->blocks[i]->nrows == 0 &&
			(join == JOIN_INNER || join == JOIN_SEMI);
	}
	return true;
}

const GpuAggLookup *const *
gpuagg_lookups_make(GpuAggLookups *lookups, int device, bool here, bool *nothing,
					GpuAggError *error)
{
	const bool	other = lookups->windowed >= 0 && lookups->made_window != lookups->window;

	if (!lookups->current || (here && gpuagg_lookups_on_device(lookups)))
	{
		lookups->again = lookups->current;
		lookups->current = false;
		memset(lookups->blocks, 0, sizeof(lookups->blocks));
		memset(lookups->shown, 0, sizeof(lookups->shown));
		memset(lookups->numbered, 0, sizeof(lookups->numbered));
		MemoryContextReset(lookups->strings);
	}
	else if (other)
		drop_window(lookups);
	if (!lookups->current || other)
	{
		MemoryContext old = MemoryContextSwitchTo(lookups->tables);
		bool		ok;

		lookups->made_window = lookups->window;
		ok = make_all(lookups, device, here, error);
		MemoryContextSwitchTo(old);
		if (!ok)
			return NULL;
		lookups->made = lookups->current = true;
	}
	*nothing = lookups->nothing;
	return lookups->blocks;
}

const GpuAggNumbered *
gpuagg_lookups_numbered(const GpuAggLookups *lookups, int table, int column)
{
	return lookups->numbered[table] != NULL ? lookups->numbered[table][column] : NULL;
}

const GpuAggLookupShown *
gpuagg_lookups_shown(const GpuAggLookups *lookups, int i)
{
	return lookups->made ? &lookups->shown[i] : NULL;
}

void
gpuagg_lookups_begin_subqueries(GpuAggLookups *lookups)
{
	for (int i = 0; lookups != NULL && i < lookups->info->nlookups; i++)
	{
		PlanState  *plan = lookups->plans[i];
		MemoryContext old;

		if (lookups->info->lookups[i].subquery == 0 || lookups->read[i])
			continue;
		lookups->read[i] = true;
		old = MemoryContextSwitchTo(plan->state->es_query_cxt);
		ExecReScan(plan);
		while (!TupIsNull(ExecProcNode(plan)))
			CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(old);
	}
}
