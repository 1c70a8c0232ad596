/*
 * regrets.c
 *		How long tasks over a table have waited for the device that has its columns
 *		(regrets.h).
 */
#include "postgres.h"

#include "ipc/regrets.h"
#include "ipc/shmem.h"
#include "miscadmin.h"

bool
gpuagg_regrets_add(Oid relid, double ns, double enough)
{
	GpuAggRegrets *regrets = &gpuagg_shared->regrets;
	int			at = 0;
	bool		reached;

	SpinLockAcquire(&regrets->mutex);
	for (int i = 0; i < GPUAGG_REGRETS; i++)
	{
		if (regrets->tables[i].dbid == MyDatabaseId && regrets->tables[i].relid == relid)
		{
			at = i;
			break;
		}
		if (regrets->tables[i].ns < regrets->tables[at].ns)
			at = i;
	}
	if (regrets->tables[at].dbid != MyDatabaseId || regrets->tables[at].relid != relid)
		regrets->tables[at].ns = 0;
	regrets->tables[at].dbid = MyDatabaseId;
	regrets->tables[at].relid = relid;
	regrets->tables[at].ns += ns;
	reached = regrets->tables[at].ns >= enough;
	if (reached)
		regrets->tables[at].ns = 0;
	SpinLockRelease(&regrets->mutex);
	return reached;
}
