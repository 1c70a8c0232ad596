/*
 * lock_waits.c
 *		Waits for the device and for PostgreSQL's locks that go round in a ring
 *		(lock_waits.h).
 *
 * A backend that has a task may come to wait for a lock: it reads a long value for the
 * device, of which somebody makes the index anew, or looks into a catalogue.  If the lock's
 * owner waits for a place on the device meanwhile, neither goes on, and PostgreSQL's
 * deadlock detection sees only one of the two waits.  So who waits for a place looks who
 * waits for whom, as deadlock detection does: seldom, for that takes all locks of the lock
 * table.  The owner can do without a place, so it is the one that gives way.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "ipc/lock_waits.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

/* Those who keep a backend or parallel worker from a lock, behind others in the list */
static List *
add_blockers(List *pids, int pid)
{
	ArrayType  *blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids,
																  Int32GetDatum(pid)));
	const int32 *values = (const int32 *) ARR_DATA_PTR(blockers);
	const int	n = ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers));

	for (int i = 0; i < n; i++)
		pids = list_append_unique_int(pids, values[i]);
	return pids;
}

/* Those who wait for a lock and have a task; what is read here without a lock may be old. */
static List *
waiting_tasks(void)
{
	List	   *pids = NIL;

	for (int i = 0; i < gpuagg_shared->nslots; i++)
	{
		GpuAggSlot *slot = gpuagg_shmem_slot(i);

		if ((pg_atomic_read_u32(&slot->holders) & GPUAGG_HOLD_WORKER) != 0 &&
			slot->pid != MyProcPid &&
			GetPGProcByNumber(slot->procno)->waitStatus == PROC_WAIT_STATUS_WAITING)
			pids = lappend_int(pids, slot->pid);
	}
	return pids;
}

bool
gpuagg_lock_waits_task(void)
{
	/* locks are told of as the leader's */
	const int	ours = MyProc->lockGroupLeader != NULL ? MyProc->lockGroupLeader->pid : MyProcPid;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "gpuagg lock waits",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	List	   *pids = waiting_tasks();
	bool		found = false;

	for (int i = 0; i < list_length(pids) && !found; i++)
	{
		pids = add_blockers(pids, list_nth_int(pids, i));
		found = list_member_int(pids, ours);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return found;
}
