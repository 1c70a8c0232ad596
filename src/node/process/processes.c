/*
 * processes.c
 *		Parallel workers beside a node (processes.h).
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "node/process/processes.h"
#include "pgstat.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"

/* Entries of the table of contents that all have; callers' begin at 1. */
#define KEY_QUERY UINT64CONST(0x100000001)
#define KEY_BUFFERS UINT64CONST(0x100000002)
#define KEY_WAL UINT64CONST(0x100000003)

/* ------------------------------------------------------------ the leader --- */

static const char *
query_text(void)
{
	return debug_query_string == NULL ? "" : debug_query_string;
}

void
gpuagg_processes_begin(GpuAggProcesses *p, const char *function, int n)
{
	memset(p, 0, sizeof(*p));
	EnterParallelMode();
	p->pcxt = CreateParallelContext("gpuagg", function, n);
}

void
gpuagg_processes_estimate(GpuAggProcesses *p, Size bytes)
{
	shm_toc_estimate_chunk(&p->pcxt->estimator, bytes);
	shm_toc_estimate_keys(&p->pcxt->estimator, 1);
}

bool
gpuagg_processes_segment(GpuAggProcesses *p)
{
	int			n = p->pcxt->nworkers;

	gpuagg_processes_estimate(p, mul_size(n, sizeof(BufferUsage)));
	gpuagg_processes_estimate(p, mul_size(n, sizeof(WalUsage)));
	gpuagg_processes_estimate(p, strlen(query_text()) + 1);
	InitializeParallelDSM(p->pcxt);
	/* without a segment it has none */
	n = p->pcxt->nworkers;
	if (n == 0)
		return false;
	p->buffers = gpuagg_processes_put(p, KEY_BUFFERS, mul_size(n, sizeof(BufferUsage)));
	p->wal = gpuagg_processes_put(p, KEY_WAL, mul_size(n, sizeof(WalUsage)));
	gpuagg_processes_put_text(p, KEY_QUERY, query_text());
	return true;
}

void *
gpuagg_processes_put(GpuAggProcesses *p, uint64 key, Size bytes)
{
	void	   *at = shm_toc_allocate(p->pcxt->toc, bytes);

	shm_toc_insert(p->pcxt->toc, key, at);
	return at;
}

void
gpuagg_processes_put_text(GpuAggProcesses *p, uint64 key, const char *text)
{
	strcpy(gpuagg_processes_put(p, key, strlen(text) + 1), text);
}

shm_mq_handle **
gpuagg_processes_queues(GpuAggProcesses *p, uint64 key, Size bytes, bool send)
{
	const int	n = p->pcxt->nworkers;
	char	   *queues = gpuagg_processes_put(p, key, mul_size(n, bytes));
	shm_mq_handle **handles = palloc0(n * sizeof(shm_mq_handle *));

	for (int i = 0; i < n; i++)
	{
		shm_mq	   *mq = shm_mq_create(queues + i * bytes, bytes);

		if (send)
			shm_mq_set_sender(mq, MyProc);
		else
			shm_mq_set_receiver(mq, MyProc);
		handles[i] = shm_mq_attach(mq, p->pcxt->seg, NULL);
	}
	return handles;
}

int
gpuagg_processes_launch(GpuAggProcesses *p)
{
	LaunchParallelWorkers(p->pcxt);
	p->launched = p->pcxt->nworkers_launched;
	return p->launched;
}

void
gpuagg_processes_watch(const GpuAggProcesses *p, shm_mq_handle **queues)
{
	for (int i = 0; i < p->launched; i++)
		shm_mq_set_handle(queues[i], p->pcxt->worker[i].bgwhandle);
}

int
gpuagg_processes_start(GpuAggProcesses *p, const char *function, int n, const char *text,
					   Size bytes, shm_mq_handle ***in, shm_mq_handle ***out)
{
	gpuagg_processes_begin(p, function, n);
	n = p->pcxt->nworkers;
	gpuagg_processes_estimate(p, strlen(text) + 1);
	gpuagg_processes_estimate(p, mul_size(n, bytes));
	gpuagg_processes_estimate(p, mul_size(n, bytes));
	if (!gpuagg_processes_segment(p))
		return 0;
	gpuagg_processes_put_text(p, GPUAGG_PROCESS_TEXT, text);
	*in = gpuagg_processes_queues(p, GPUAGG_PROCESS_IN, bytes, true);
	*out = gpuagg_processes_queues(p, GPUAGG_PROCESS_OUT, bytes, false);
	(void) gpuagg_processes_launch(p);
	gpuagg_processes_watch(p, *in);
	gpuagg_processes_watch(p, *out);
	return p->launched;
}

void
gpuagg_processes_gone(const GpuAggProcesses *p, int i, const char *what)
{
	(void) WaitForBackgroundWorkerShutdown(p->pcxt->worker[i].bgwhandle);
	CHECK_FOR_INTERRUPTS();
	ereport(ERROR,
			(errcode(ERRCODE_ADMIN_SHUTDOWN),
			 errmsg("a parallel worker that %s for gpuagg has gone", what)));
}

void
gpuagg_processes_end(GpuAggProcesses *p, bool done)
{
	if (done && p->launched > 0)
		WaitForParallelWorkersToFinish(p->pcxt);
	for (int i = 0; done && i < p->launched; i++)
		InstrAccumParallelQuery(&p->buffers[i], &p->wal[i]);
	DestroyParallelContext(p->pcxt);
	ExitParallelMode();
}

/* ------------------------------------------------------------- a process --- */

void
gpuagg_process_begin(shm_toc *toc)
{
	debug_query_string = shm_toc_lookup(toc, KEY_QUERY, false);
	pgstat_report_activity(STATE_RUNNING, debug_query_string);
	InstrStartParallelQuery();
}

void
gpuagg_process_end(shm_toc *toc)
{
	BufferUsage *buffers = shm_toc_lookup(toc, KEY_BUFFERS, false);
	WalUsage   *wal = shm_toc_lookup(toc, KEY_WAL, false);

	InstrEndParallelQuery(&buffers[ParallelWorkerNumber], &wal[ParallelWorkerNumber]);
}

shm_mq_handle *
gpuagg_process_queue(shm_toc *toc, dsm_segment *seg, uint64 key, Size bytes, bool send)
{
	shm_mq	   *mq = (shm_mq *) ((char *) shm_toc_lookup(toc, key, false) +
								 ParallelWorkerNumber * bytes);

	if (send)
		shm_mq_set_sender(mq, MyProc);
	else
		shm_mq_set_receiver(mq, MyProc);
	return shm_mq_attach(mq, seg, NULL);
}
