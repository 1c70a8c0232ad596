/*
 * async_commits.c
 *		Commits that did not wait for their WAL (async_commits.h).
 *
 * A backend counts such a commit before it writes the record, for soon after that others see it,
 * and once more when its end is known.  A counter that nobody with synchronous_commit = on touches
 * costs these nothing.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "ipc/async_commits.h"
#include "ipc/shmem.h"

/* This transaction is counted as begun. */
static bool counted = false;

static void
raise_end(pg_atomic_uint64 *end, uint64 lsn)
{
	uint64		old = pg_atomic_read_u64(end);

	while (old < lsn && !pg_atomic_compare_exchange_u64(end, &old, lsn))
		;
}

static void
at_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_COMMIT)
	{
		/* whoever is called behind us may write the transaction's first row */
		if (synchronous_commit != SYNCHRONOUS_COMMIT_OFF || counted)
			return;
		(void) pg_atomic_fetch_add_u64(&gpuagg_shared->async_commits.begun, 1);
		counted = true;
	}
	else if (counted && (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT))
	{
		if (event == XACT_EVENT_COMMIT)
			raise_end(&gpuagg_shared->async_commits.end, XactLastCommitEnd);
		(void) pg_atomic_fetch_add_u64(&gpuagg_shared->async_commits.done, 1);
		counted = false;
	}
}

void
gpuagg_async_commits_init(void)
{
	RegisterXactCallback(at_end, NULL);
}

void
gpuagg_async_commits_start(GpuAggAsyncCommits *shared)
{
	pg_atomic_init_u64(&shared->begun, 0);
	pg_atomic_init_u64(&shared->done, 0);
	pg_atomic_init_u64(&shared->end, 0);
}

/* Those done are read first: if as many have begun later on, none was open between. */
bool
gpuagg_async_commits_within(uint64 lsn)
{
	GpuAggAsyncCommits *shared = &gpuagg_shared->async_commits;
	const uint64 done = pg_atomic_read_u64(&shared->done);

	pg_memory_barrier();
	if (pg_atomic_read_u64(&shared->begun) != done)
		return false;
	pg_memory_barrier();
	return pg_atomic_read_u64(&shared->end) <= lsn;
}
