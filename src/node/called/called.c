/*
 * called.c
 *		Values of strings that only PostgreSQL computes (called.h).
 *
 * A task of its own asks for the strings of which values are missing, some at a time, and gives
 * these.  The first ones tell how long the others will take; if that is long, parallel
 * workers compute, one message each at a time, in turn: values are given in the order of codes.
 *
 * Strings of pages that are not kept come into the dictionary as they are read, and a task ends at
 * the first one without a value.  So if it ends so again, a task before reads all of them.
 */
#include "postgres.h"

#include "device/ops/places.h"
#include "executor/executor.h"
#include "heap/cache_request.h"
#include "heap/kept_task.h"
#include "ipc/client.h"
#include "miscadmin.h"
#include "node/called/called.h"
#include "node/called/called_process.h"
#include "node/called/called_work.h"
#include "node/process/processes.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "planner/plan/called_notes.h"
#include "portability/instr_time.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "storage/ipc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

/* The strings that tell how long others take; of a message so many as take about so long, ns */
#define TOLD_BY 64
#define MESSAGE_STRINGS 4096
#define MESSAGE_NS 2e7

/* What starting processes takes, ns (EPYC) */
#define START_NS 6e6
#define PROCESS_NS 1e6

struct GpuAggCalled
{
	PlanState  *node;
	const GpuAggPlanInfo *info;
	List	   *exprs;
};

/* Giving the values of one expression */
typedef struct Giving
{
	const GpuAggCalled *called;
	Expr	   *expr;
	GpuAggClient *client;
	GpuAggCalledWork *work;
	StringInfoData values;		/* a ROWS message */
	uint64		next;			/* code to be asked for */
	uint64		total;			/* strings, as the worker has said */
	uint64		given;
	double		string_ns;		/* of one, by those that were computed here */
	GpuAggError *error;
} Giving;

GpuAggCalled *
gpuagg_called_begin(PlanState *node, const GpuAggPlanInfo *info, List *exprs)
{
	GpuAggCalled *called;

	if (info->ncalled == 0)
		return NULL;
	called = palloc(sizeof(GpuAggCalled));
	called->node = node;
	called->info = info;
	called->exprs = exprs;
	return called;
}

/* ---------------------------------------------------------------- names --- */

static const GpuAggInstr *
instruction_of(const GpuAggCalled *called, int i)
{
	const GpuAggProgram *p = called->info->program;
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	for (uint32 k = 0; k < p->ninstrs; k++)
		if (gpuagg_is_called(&ins[k]) && ins[k].b == p->ncolumns + called->info->called[i])
			return &ins[k];
	elog(ERROR, "gpuagg: a plan without the instruction of an expression");
	return NULL;
}

void
gpuagg_called_know(const GpuAggCalled *called, Relation rel, bool there)
{
	for (int i = 0; i < called->info->ncalled; i++)
	{
		const GpuAggProgram *p = called->info->program;
		const GpuAggConst *c = gpuagg_const_of(p, instruction_of(called, i)->b);
		const GpuAggBytes name = gpuagg_const_bytes(p, c);

		gpuagg_called_note(RelationGetRelid(rel), name.data, name.len,
						   there ? GPUAGG_CALLED_THERE : GPUAGG_CALLED_REFUSED);
	}
}

/* ------------------------------------------------------------- messages --- */

static GpuAggStatus
garbled(Giving *g)
{
	return gpuagg_error_set(g->error, GPUAGG_DEVICE_FAULT, 0,
							"unexpected message from the device worker");
}

/* The next message of this type; what the worker tells of the cache is not needed. */
static GpuAggStatus
receive(Giving *g, GpuAggMsgType type, const GpuAggMsg **msg, Size *bytes)
{
	GpuAggStatus status;

	do
	{
		CHECK_FOR_INTERRUPTS();
		status = gpuagg_client_receive(g->client, true, msg, bytes, g->error);
		if (status != GPUAGG_OK)
			return status;
		if (*bytes < sizeof(GpuAggMsg) ||
			((*msg)->type != type && (*msg)->type != GPUAGG_MSG_CACHED))
			return garbled(g);
	} while ((*msg)->type != type);
	return GPUAGG_OK;
}

/* Strings from g->next on, which is then behind them; none: *msg has no count */
static GpuAggStatus
ask(Giving *g, const GpuAggMsg **msg, Size *bytes)
{
	const double most = g->string_ns > 0 ? MESSAGE_NS / g->string_ns : TOLD_BY;
	const GpuAggMsg question = {
		.type = GPUAGG_MSG_ASK,
		.count = Max(1, Min(most, MESSAGE_STRINGS)),
		.batch_id = g->next
	};
	GpuAggStatus status = gpuagg_client_send(g->client, &question, sizeof(question), g->error);

	if (status == GPUAGG_OK)
		status = receive(g, GPUAGG_MSG_STRINGS, msg, bytes);
	if (status != GPUAGG_OK)
		return status;
	if (*bytes < sizeof(GpuAggStringsMsg))
		return garbled(g);
	g->total = ((const GpuAggStringsMsg *) *msg)->total;
	g->next = (*msg)->batch_id + (*msg)->count;
	return GPUAGG_OK;
}

static GpuAggStatus
give(Giving *g, const char *values, Size bytes)
{
	g->given += ((const GpuAggMsg *) values)->count;
	return gpuagg_client_send(g->client, values, bytes, g->error);
}

/* ------------------------------------------------------------ processes --- */

/* How many processes are to compute what is left; 0: this backend does */
static int
processes_wanted(const Giving *g)
{
	const int	most = Min(max_parallel_workers_per_gather, max_parallel_workers);
	const double ns = (double) (g->total - Min(g->total, g->next)) * g->string_ns;

	if (!g->called->info->called_safe || IsParallelWorker() || !ActiveSnapshotSet() ||
		gpuagg_debug_feeders == 0)
		return 0;
	if (gpuagg_debug_feeders > 0)
		return gpuagg_debug_feeders;
	return most >= 2 && ns > START_NS + most * PROCESS_NS + ns / most ? most : 0;
}

/* Processes, and the queues to and from each */
typedef struct Processes
{
	GpuAggProcesses all;
	int			launched;
	shm_mq_handle **in;
	shm_mq_handle **out;
} Processes;

static int
launch(Processes *p, const Giving *g, int n)
{
	p->launched = gpuagg_processes_start(&p->all, GPUAGG_CALLED_FUNCTION, n,
										 nodeToString(g->expr), GPUAGG_CALLED_QUEUE_BYTES,
										 &p->in, &p->out);
	return p->launched;
}

static void
send_strings(const Processes *p, int i, const GpuAggMsg *strings, Size bytes)
{
	if (shm_mq_send(p->in[i], bytes, strings, false, true) != SHM_MQ_SUCCESS)
		gpuagg_processes_gone(&p->all, i, "computed");
}

/* What a process has made of its strings goes to the device. */
static GpuAggStatus
give_made(Giving *g, const Processes *p, int i)
{
	const GpuAggMsg *values;
	Size		bytes;
	void	   *data;

	if (shm_mq_receive(p->out[i], &bytes, &data, false) != SHM_MQ_SUCCESS)
		gpuagg_processes_gone(&p->all, i, "computed");
	values = data;
	if (bytes < sizeof(GpuAggMsg) ||
		(values->type == GPUAGG_MSG_FAILED && bytes != sizeof(GpuAggCalledFailed)))
		elog(ERROR, "unexpected message from a parallel worker that computes");
	if (values->type != GPUAGG_MSG_FAILED)
		return give(g, data, bytes);
	*g->error = ((const GpuAggCalledFailed *) values)->error;
	return g->error->status;
}

/* All that is left; each process has one message of strings at a time. */
static GpuAggStatus
give_by(Giving *g, const Processes *p)
{
	const GpuAggMsg end = {0};
	const GpuAggMsg *strings;
	GpuAggStatus status = GPUAGG_OK;
	uint64		sent = 0;
	uint64		made = 0;
	Size		bytes;
	bool		more = true;

	while (status == GPUAGG_OK && (more || made < sent))
	{
		if (made < sent && (!more || sent - made == (uint64) p->launched))
			status = give_made(g, p, made++ % p->launched);
		else if ((status = ask(g, &strings, &bytes)) == GPUAGG_OK)
		{
			more = strings->count > 0;
			if (more)
				send_strings(p, sent++ % p->launched, strings, bytes);
		}
	}
	for (int i = 0; i < p->launched && status == GPUAGG_OK; i++)
		send_strings(p, i, &end, sizeof(end));
	return status;
}

/* ---------------------------------------------------------------- giving --- */

/* Some of the strings, by this backend; *done: there were none */
static GpuAggStatus
give_here(Giving *g, bool *done)
{
	const GpuAggMsg *strings;
	GpuAggStatus status;
	Size		bytes;
	instr_time	start;
	instr_time	end;

	status = ask(g, &strings, &bytes);
	*done = status == GPUAGG_OK && strings->count == 0;
	if (status != GPUAGG_OK || *done)
		return status;
	INSTR_TIME_SET_CURRENT(start);
	status = gpuagg_called_compute(g->work, strings, bytes, &g->values, g->error);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	g->string_ns = INSTR_TIME_GET_DOUBLE(end) * 1e9 / strings->count;
	g->string_ns = Max(1, g->string_ns);
	return status == GPUAGG_OK ? give(g, g->values.data, g->values.len) : status;
}

static GpuAggStatus
give_missing(Giving *g)
{
	bool		done = false;
	GpuAggStatus status;
	int			n;

	g->next = GPUAGG_ASK_MISSING;
	status = give_here(g, &done);
	n = status == GPUAGG_OK && !done ? processes_wanted(g) : 0;
	if (n > 0)
	{
		Processes	p = {0};

		if (launch(&p, g, n) > 0)
		{
			status = give_by(g, &p);
			done = true;
		}
		gpuagg_processes_end(&p.all, status == GPUAGG_OK);
	}
	while (status == GPUAGG_OK && !done)
		status = give_here(g, &done);
	return status;
}

/* The worker has taken all that was given when it says that the task is over. */
static GpuAggStatus
finish(Giving *g)
{
	const GpuAggMsg finish = {GPUAGG_MSG_FINISH, 0, 0};
	const GpuAggMsg *msg;
	Size		bytes;
	GpuAggStatus status = gpuagg_client_send(g->client, &finish, sizeof(finish), g->error);

	return status == GPUAGG_OK ? receive(g, GPUAGG_MSG_DONE, &msg, &bytes) : status;
}

static void
cleanup(int code, Datum arg)
{
	gpuagg_client_abort(((Giving *) DatumGetPointer(arg))->client);
}

static void
cleanup_read(int code, Datum arg)
{
	gpuagg_client_abort(((GpuAggKeptTask *) DatumGetPointer(arg))->client);
}

/* All strings of the column that the snapshot sees, and maybe others, come to the device. */
static GpuAggStatus
read_strings(GpuAggKeptTask *task, GpuAggClientRequest *request)
{
	volatile GpuAggStatus status;

	if (!gpuagg_kept_task_begin(task, request))
		return task->error->status;
	PG_ENSURE_ERROR_CLEANUP(cleanup_read, PointerGetDatum(task));
	{
		status = gpuagg_kept_task_settle(task);
		if (status == GPUAGG_OK)
			status = gpuagg_kept_task_read(task, request->program);
	}
	PG_END_ENSURE_ERROR_CLEANUP(cleanup_read, PointerGetDatum(task));
	gpuagg_kept_task_end(task, false);
	return status;
}

static GpuAggStatus
run(Giving *g, GpuAggClientRequest *request)
{
	volatile GpuAggStatus status;

	g->client = gpuagg_client_begin(request, g->error);
	if (g->client == NULL)
		return g->error->status;
	PG_ENSURE_ERROR_CLEANUP(cleanup, PointerGetDatum(g));
	{
		status = give_missing(g);
		if (status == GPUAGG_OK)
			status = finish(g);
	}
	PG_END_ENSURE_ERROR_CLEANUP(cleanup, PointerGetDatum(g));
	if (status == GPUAGG_OK)
		gpuagg_client_end(g->client);
	else
		gpuagg_client_abort(g->client);
	return status;
}

/*
 * What is asked of a device about the strings of an instruction of p, and, with `read`, has been
 * read; request->program has room for it.
 */
static GpuAggStatus
begin_one(const GpuAggProgram *p, const GpuAggInstr *ins, Relation rel, Snapshot snapshot,
		  bool read, GpuAggProgram *program, GpuAggClientRequest *request, GpuAggError *error)
{
	GpuAggKeptTask reading = {
		.rel = rel,
		.snapshot = snapshot,
		.nblocks = RelationGetNumberOfBlocks(rel),
		.error = error
	};

	request->program = program;
	request->relid = RelationGetRelid(rel);
	gpuagg_called_read_program(p, ins, program);
	if (!gpuagg_cache_request(rel, snapshot, program, reading.nblocks, &request->cache))
		return gpuagg_error_set(error, GPUAGG_UNSUPPORTED, 0,
								"the column's strings are not kept");
	return read ? read_strings(&reading, request) : GPUAGG_OK;
}

/* The strings of which the least or greatest are wanted come to the device, too. */
static GpuAggStatus
read_places(const GpuAggProgram *p, Relation rel, Snapshot snapshot, int device,
			GpuAggError *error)
{
	GpuAggProgram *placed = palloc(gpuagg_places_room(p));
	GpuAggProgram *room = palloc(gpuagg_places_tables_room(p));
	GpuAggStatus status = GPUAGG_OK;

	if (!gpuagg_places_use(p, placed, room))
		return GPUAGG_OK;
	for (uint32 i = 0; i < placed->ninstrs && status == GPUAGG_OK; i++)
	{
		const GpuAggInstr *ins = &gpuagg_program_instrs(placed)[i];
		GpuAggClientRequest request = {.device = device};

		if (ins->op == GPUAGG_OP_PLACE)
			status = begin_one(placed, ins, rel, snapshot, true, room, &request, error);
	}
	return status;
}

/* The values of one expression, in the current memory context */
static GpuAggStatus
give_one(Giving *g, int i, Relation rel, Snapshot snapshot, int device, bool read)
{
	const GpuAggProgram *p = g->called->info->program;
	GpuAggProgram *program = palloc(gpuagg_code_tables_room(p));
	GpuAggClientRequest request = {.device = device};

	if (begin_one(p, instruction_of(g->called, i), rel, snapshot, read, program, &request,
				  g->error) != GPUAGG_OK)
		return g->error->status;
	gpuagg_called_program(p, instruction_of(g->called, i), program);
	request.called = true;
	request.cache.fill = 0;
	g->expr = list_nth(g->called->exprs, i);
	g->work = gpuagg_called_work_begin(g->expr, g->called->node->ps_ExprContext);
	initStringInfo(&g->values);
	return run(g, &request);
}

GpuAggStatus
gpuagg_called_give(const GpuAggCalled *called, Relation rel, Snapshot snapshot, int device,
				   bool read, uint64 *strings, GpuAggError *error)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "gpuagg values of strings",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);
	GpuAggStatus status = GPUAGG_OK;

	*strings = 0;
	for (int i = 0; i < called->info->ncalled && status == GPUAGG_OK; i++)
	{
		Giving		g = {.called = called,.error = error};

		status = give_one(&g, i, rel, snapshot, device, read);
		*strings += g.given;
	}
	if (read && status == GPUAGG_OK)
		status = read_places(called->info->program, rel, snapshot, device, error);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return status;
}

/* ----------------------------------------------------------------- EXPLAIN --- */

/* The column in the place of a string that is given */
static Node *
of_column(Node *node, void *column)
{
	return node == NULL ? NULL : IsA(node, CaseTestExpr) ? copyObject((Node *) column) :
		expression_tree_mutator(node, of_column, column);
}

List *
gpuagg_called_shown(const GpuAggCalled *called, Relation rel)
{
	List	   *context = deparse_context_for(RelationGetRelationName(rel), RelationGetRelid(rel));
	List	   *shown = NIL;

	for (int i = 0; i < called->info->ncalled; i++)
	{
		const GpuAggAttr *attrs = gpuagg_program_attrs(called->info->program);
		const GpuAggAttr *attr = attrs;
		Form_pg_attribute column;
		Var		   *var;

		while (attr->reg != instruction_of(called, i)->a)
			attr++;
		column = TupleDescAttr(RelationGetDescr(rel), attr - attrs);
		var = makeVar(1, column->attnum, column->atttypid, column->atttypmod,
					  column->attcollation, 0);
		shown = lappend(shown,
						deparse_expression(of_column(list_nth(called->exprs, i), var), context,
										   false, false));
	}
	return shown;
}
