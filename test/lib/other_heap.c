/*
 * other_heap.c
 *		A table access method that is PostgreSQL's heap under another name, so that no
 *		device reads its tables while PostgreSQL scans them, in parallel too.  They can
 *		have no index: heap builds those of its own tables only.
 *
 * test/t/041_gather.pl builds it.
 */
#include "postgres.h"

#include "access/tableam.h"
#include "catalog/pg_am.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(other_heap_handler);

/* Those have an index. */
static Oid
toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

Datum
other_heap_handler(PG_FUNCTION_ARGS)
{
	static TableAmRoutine routine;

	routine = *GetHeapamTableAmRoutine();
	routine.relation_toast_am = toast_am;
	PG_RETURN_POINTER(&routine);
}
