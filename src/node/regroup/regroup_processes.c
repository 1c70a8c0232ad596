/*
 * regroup_processes.c
 *		The leader's side of processes that regroup (regroup_processes.h).
 *
 * They are of a task's end (node/process/processes.h).  Messages of groups go to the processes as
 * they lie in the store, in turn.  Each makes groups of what it has been given, as this backend
 * would of all, and the leader merges them as it merges those of several tasks.  So what processes
 * make must be of states that can be merged: not of DISTINCT, which one table has to tell, of
 * orders, nor of Datums.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "node/process/processes.h"
#include "node/regroup/merge.h"
#include "node/regroup/regroup_process.h"
#include "node/regroup/regroup_processes.h"
#include "node/regroup/regroup_store.h"
#include "node/regroup/regroup_value.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "settings.h"
#include "utils/snapmgr.h"

/* Groups whose expressions tell how long those of others take */
#define TOLD_BY 128

/* What starting processes takes, and handing a group to one and back, ns (EPYC) */
#define START_NS 6e6
#define PROCESS_NS 1e6
#define HAND_NS 150.0

typedef struct Processes
{
	GpuAggProcesses all;
	int			launched;
	shm_mq_handle **in;			/* to each */
	shm_mq_handle **out;		/* from each */
	GpuAggResults **made;		/* by each */
	int			turn;			/* who is given the next groups */
} Processes;

/* ----------------------------------------------------------------- plan --- */

/* Do groups that processes make of shares of the rows give those of all, merged? */
static bool
can_merge(const GpuAggRegroup *plan)
{
	if (plan->nsorts > 0)
		return false;
	for (int i = 0; i < plan->nstates; i++)
	{
		const GpuAggRegroupState *s = &plan->states[i];

		if (!s->absent && (s->distinct || s->datum != GPUAGG_REGROUP_STATE ||
						   s->output != GPUAGG_REGROUP_NONE))
			return false;
	}
	for (int i = 0; i < plan->nvalues; i++)
		if (plan->values[i].computed && plan->values[i].form == GPUAGG_REGROUP_EQUAL)
			return false;
	return true;
}

static bool
is_possible(const GpuAggRegroupWork *r)
{
	return r->plan->safe && r->computed != NIL && !r->longs && r->scan->lookups == NULL &&
		!IsParallelWorker() && ActiveSnapshotSet() && gpuagg_debug_feeders != 0 &&
		can_merge(r->plan);
}

/* The keys of a group, and whether it passes, as any group's are computed */
static void
compute_keys(GpuAggRegroupWork *r, const char *row)
{
	r->loaded = 0;
	if (!gpuagg_regroup_passes(r, row))
		return;
	for (int i = 0; i < r->plan->nkeys; i++)
		if ((r->plan->sets[0].keys >> i & 1) != 0)
			(void) gpuagg_regroup_value(r, r->plan->keys[i], row);
}

/* ns of a group's expressions, by the first ones; the batch's values are not there yet. */
static double
group_ns(GpuAggRegroupWork *r)
{
	GpuAggRegroupDatum *before = r->values;
	instr_time	start;
	instr_time	end;
	int			n = 0;

	r->values = palloc(Max(r->plan->nvalues, 1) * sizeof(GpuAggRegroupDatum));
	gpuagg_results_rewind(r->groups);
	for (; n < TOLD_BY; n++)
	{
		const char *row = gpuagg_results_row(r->groups);

		/* the first one has functions looked up and compiled */
		if (n == 1)
			INSTR_TIME_SET_CURRENT(start);
		if (row == NULL)
			break;
		ResetExprContext(r->econtext);
		compute_keys(r, row);
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	pfree(r->values);
	r->values = before;
	return n < 2 ? 0 : INSTR_TIME_GET_DOUBLE(end) * 1e9 / (n - 1);
}

int
gpuagg_regroup_processes(GpuAggRegroupWork *r)
{
	const double groups = (double) gpuagg_store_groups(gpuagg_results_store(r->groups));
	const int	most = Min(max_parallel_workers_per_gather, max_parallel_workers);
	double		ns;

	if (!is_possible(r))
		return 0;
	if (gpuagg_debug_feeders > 0)
		return gpuagg_debug_feeders;
	if (most < 2 || groups < TOLD_BY)
		return 0;
	ns = group_ns(r);
	return groups * ns > START_NS + most * PROCESS_NS + groups * (HAND_NS + ns / most) ? most : 0;
}

/* ---------------------------------------------------------------- begin --- */

/*
 * Of the node's plan, what regrouping reads; and of the program whose groups these are, which may
 * be one of several
 */
static const char *
plan_text(const GpuAggRegroupWork *r)
{
	const CustomScan *all = castNode(CustomScan, r->scan->css.ss.ps.plan);
	CustomScan *plan = makeNode(CustomScan);
	Result	   *shown = makeNode(Result);

	shown->plan.targetlist = gpuagg_plan_regroup(r->scan->css.ss.ps.plan, r->info)->targetlist;
	plan->custom_scan_tlist = all->custom_scan_tlist;
	plan->custom_plans = list_make1(shown);
	plan->custom_private = gpuagg_plan_pack(r->info);
	plan->methods = all->methods;
	return nodeToString(plan);
}

/* In parallel mode from then on; how many processes were launched */
static int
launch(Processes *p, const GpuAggRegroupWork *r, int n)
{
	p->launched = gpuagg_processes_start(&p->all, GPUAGG_REGROUP_FUNCTION, n, plan_text(r),
										 GPUAGG_REGROUP_QUEUE_BYTES, &p->in, &p->out);
	return p->launched;
}

/* ---------------------------------------------------------------- groups --- */

/* To the process whose turn it is: all take what comes, and begin when they have all. */
static void
send_groups(Processes *p, const GpuAggRegroupMsg *head, const char *groups, Size bytes)
{
	shm_mq_iovec parts[2] = {
		{(const char *) head, sizeof(*head)},
		{groups, bytes}
	};

	if (shm_mq_sendv(p->in[p->turn], parts, 2, false, true) != SHM_MQ_SUCCESS)
		gpuagg_processes_gone(&p->all, p->turn, "regrouped");
	p->turn = (p->turn + 1) % p->launched;
}

static void
send_all(Processes *p, GpuAggRegroupWork *r)
{
	GpuAggStore *store = gpuagg_results_store(r->groups);
	GpuAggRegroupMsg head = {0};
	const char *groups;
	Size		bytes;

	gpuagg_results_rewind(r->groups);
	while ((groups = gpuagg_store_next_bytes(store, &head.count, &bytes)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		send_groups(p, &head, groups, bytes);
	}
	head.count = 0;
	for (int i = 0; i < p->launched; i++)
		send_groups(p, &head, "", 0);
}

/* What a process has made, and how it went */
static GpuAggStatus
receive_made(Processes *p, int i, GpuAggRegroupWork *r, GpuAggResults *made)
{
	for (;;)
	{
		const GpuAggRegroupMsg *head;
		GpuAggStatus status;
		Size		bytes;
		void	   *data;

		if (shm_mq_receive(p->out[i], &bytes, &data, false) != SHM_MQ_SUCCESS)
			gpuagg_processes_gone(&p->all, i, "regrouped");
		head = data;
		if (bytes < sizeof(*head))
			elog(ERROR, "unexpected message from a parallel worker that regroups");
		if (head->count == 0)
		{
			*r->error = head->error;
			return r->error->status;
		}
		status = gpuagg_results_add(made, (const char *) (head + 1), head->count,
									bytes - sizeof(*head), r->error);
		if (status != GPUAGG_OK)
			return status;
	}
}

static GpuAggStatus
merge_made(Processes *p, GpuAggRegroupWork *r)
{
	GpuAggStore **stores = palloc(p->launched * sizeof(GpuAggStore *));

	for (int i = 0; i < p->launched; i++)
		stores[i] = gpuagg_results_store(p->made[i]);
	return gpuagg_merge_groups(stores, p->launched, r->results, r->scan->owner, r->program,
							   r->plan, &r->made, r->error);
}

int
gpuagg_regroup_spread(GpuAggRegroupWork *r, int n, GpuAggStatus *status)
{
	Processes	p = {0};

	if (launch(&p, r, n) == 0)
	{
		gpuagg_processes_end(&p.all, true);
		return 0;
	}
	*status = GPUAGG_OK;
	send_all(&p, r);
	p.made = palloc0(p.launched * sizeof(GpuAggResults *));
	for (int i = 0; i < p.launched && *status == GPUAGG_OK; i++)
	{
		p.made[i] = gpuagg_regroup_made_of(r->scan, r->info, r->program,
										   get_hash_memory_limit() / p.launched);
		*status = receive_made(&p, i, r, p.made[i]);
	}
	gpuagg_processes_end(&p.all, *status == GPUAGG_OK);
	if (*status == GPUAGG_OK)
		*status = merge_made(&p, r);
	for (int i = 0; i < p.launched; i++)
		if (p.made[i] != NULL)
			gpuagg_results_free(p.made[i]);
	return p.launched;
}
