/*
 * plan_pack.c
 *		GpuAggPlanInfo as a List that PostgreSQL can copy, print and read.
 *
 * Structs and arrays are packed as their bytes: who reads them is this library in a process
 * of the same server.  Pointers among them mean nothing to the reader, which replaces them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "planner/plan/plan.h"

/* Members of a packed plan */
enum
{
	PLAN_STRUCT,				/* GpuAggPlanInfo; images are bytea Consts */
	PLAN_PROGRAM,				/* GpuAggProgram */
	PLAN_OUTPUTS,				/* GpuAggOutput of each */
	PLAN_RUNTIME,				/* GpuAggRuntimeConst of each */
	PLAN_REGROUP,				/* GpuAggRegroup, or nothing */
	PLAN_LOOKUPS,				/* a List of each */
	PLAN_JOINED,				/* outputs of joined rows, NULL until they are known */
	PLAN_MEMBERS
};

/* Of a look-up table */
enum
{
	LOOKUP_STRUCT,				/* GpuAggLookupPlan */
	LOOKUP_TYPES,				/* a byte for each column: types */
	LOOKUP_SCALES,				/* a byte for each column: scales */
	LOOKUP_PROGRAM,				/* GpuAggProgram, or nothing */
	LOOKUP_RUNTIME,				/* GpuAggRuntimeConst of each */
	LOOKUP_MEMBERS
};

/* Of a plan of several tables */
enum
{
	TABLES_PROGRAMS,			/* a packed plan for each program */
	TABLES_PROGRAM_OF,			/* integers: of each table */
	TABLES_PRUNED,
	TABLES_SHARED,
	TABLES_MEMBERS
};

static List *
no_members(int n)
{
	List	   *packed = NIL;

	for (int i = 0; i < n; i++)
		packed = lappend(packed, NULL);
	return packed;
}

static void *
member(const List *packed, int which)
{
	return list_nth(packed, which);
}

static void
set_member(List *packed, int which, void *node)
{
	lfirst(list_nth_cell(packed, which)) = node;
}

static void
pack_bytes(List *packed, int which, const void *from, Size bytes)
{
	bytea	   *image = palloc(bytes + VARHDRSZ);

	SET_VARSIZE(image, bytes + VARHDRSZ);
	if (bytes > 0)
		memcpy(VARDATA(image), from, bytes);
	set_member(packed, which, makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(image),
										false, false));
}

/* palloc'd; NULL: nothing was packed */
static void *
unpack_bytes(const List *packed, int which)
{
	const bytea *image = DatumGetByteaPP(castNode(Const, member(packed, which))->constvalue);
	void	   *bytes;

	if (VARSIZE_ANY_EXHDR(image) == 0)
		return NULL;
	bytes = palloc(VARSIZE_ANY_EXHDR(image));
	memcpy(bytes, VARDATA_ANY(image), VARSIZE_ANY_EXHDR(image));
	return bytes;
}

static void
pack_program(List *packed, int which, const GpuAggProgram *program)
{
	pack_bytes(packed, which, program, program == NULL ? 0 : program->bytes);
}

static List *
pack_lookup(const GpuAggLookupPlan *lookup)
{
	List	   *packed = no_members(LOOKUP_MEMBERS);

	pack_bytes(packed, LOOKUP_STRUCT, lookup, sizeof(*lookup));
	pack_bytes(packed, LOOKUP_TYPES, lookup->types, lookup->ncolumns);
	pack_bytes(packed, LOOKUP_SCALES, lookup->scales,
			   lookup->ncolumns * sizeof(GpuAggScale));
	pack_program(packed, LOOKUP_PROGRAM, lookup->program);
	pack_bytes(packed, LOOKUP_RUNTIME, lookup->runtime,
			   lookup->nruntime * sizeof(GpuAggRuntimeConst));
	return packed;
}

static GpuAggLookupPlan
unpack_lookup(const List *packed)
{
	GpuAggLookupPlan lookup = *(GpuAggLookupPlan *) unpack_bytes(packed, LOOKUP_STRUCT);

	lookup.types = unpack_bytes(packed, LOOKUP_TYPES);
	lookup.scales = unpack_bytes(packed, LOOKUP_SCALES);
	lookup.program = unpack_bytes(packed, LOOKUP_PROGRAM);
	lookup.runtime = unpack_bytes(packed, LOOKUP_RUNTIME);
	return lookup;
}

List *
gpuagg_plan_pack(const GpuAggPlanInfo *info)
{
	List	   *packed = no_members(PLAN_MEMBERS);
	List	   *lookups = NIL;

	for (int i = 0; i < info->nlookups; i++)
		lookups = lappend(lookups, pack_lookup(&info->lookups[i]));
	pack_bytes(packed, PLAN_STRUCT, info, sizeof(*info));
	pack_program(packed, PLAN_PROGRAM, info->program);
	pack_bytes(packed, PLAN_OUTPUTS, info->outputs, info->noutputs * sizeof(GpuAggOutput));
	pack_bytes(packed, PLAN_RUNTIME, info->runtime, info->nruntime * sizeof(GpuAggRuntimeConst));
	pack_bytes(packed, PLAN_REGROUP, info->regroup,
			   info->regroup == NULL ? 0 : sizeof(GpuAggRegroup));
	set_member(packed, PLAN_LOOKUPS, lookups);
	return packed;
}

/* joins_rows tells an empty list of outputs from none. */
static List *
pack_joined(const List *packed, List *joined)
{
	List	   *with = list_copy(packed);
	GpuAggPlanInfo *info = unpack_bytes(packed, PLAN_STRUCT);

	info->joins_rows = true;
	pack_bytes(with, PLAN_STRUCT, info, sizeof(*info));
	set_member(with, PLAN_JOINED, joined);
	return with;
}

List *
gpuagg_plan_pack_joined(List *packed, List *joined)
{
	List	   *with;
	List	   *programs = NIL;
	ListCell   *lc;

	if (!gpuagg_plan_has_tables(packed))
		return pack_joined(packed, joined);
	foreach(lc, (List *) member(packed, TABLES_PROGRAMS))
		programs = lappend(programs, pack_joined(lfirst(lc), joined));
	with = list_copy(packed);
	set_member(with, TABLES_PROGRAMS, programs);
	return with;
}

GpuAggPlanInfo *
gpuagg_plan_unpack(List *custom_private)
{
	GpuAggPlanInfo *info = unpack_bytes(custom_private, PLAN_STRUCT);
	ListCell   *lc;

	info->program = unpack_bytes(custom_private, PLAN_PROGRAM);
	info->outputs = unpack_bytes(custom_private, PLAN_OUTPUTS);
	info->runtime = unpack_bytes(custom_private, PLAN_RUNTIME);
	info->regroup = unpack_bytes(custom_private, PLAN_REGROUP);
	info->joined = member(custom_private, PLAN_JOINED);
	info->lookups = palloc(Max(1, info->nlookups) * sizeof(GpuAggLookupPlan));
	foreach(lc, (List *) member(custom_private, PLAN_LOOKUPS))
		info->lookups[foreach_current_index(lc)] = unpack_lookup(lfirst(lc));
	return info;
}

bool
gpuagg_plan_is_of_plan(List *custom_private)
{
	return !gpuagg_plan_has_tables(custom_private) &&
		((GpuAggPlanInfo *) unpack_bytes(custom_private, PLAN_STRUCT))->of_plan;
}

List *
gpuagg_plan_pack_tables(List *programs, List *program_of, int pruned, bool shared)
{
	List	   *packed = no_members(TABLES_MEMBERS);

	set_member(packed, TABLES_PROGRAMS, programs);
	set_member(packed, TABLES_PROGRAM_OF, program_of);
	set_member(packed, TABLES_PRUNED, makeInteger(pruned));
	set_member(packed, TABLES_SHARED, makeInteger(shared));
	return packed;
}

/* A plan of one table begins with an image. */
bool
gpuagg_plan_has_tables(List *custom_private)
{
	return IsA(member(custom_private, 0), List);
}

void
gpuagg_plan_unpack_tables(List *custom_private, List **programs, List **program_of,
						  int *pruned, bool *shared)
{
	*programs = member(custom_private, TABLES_PROGRAMS);
	*program_of = member(custom_private, TABLES_PROGRAM_OF);
	*pruned = intVal(member(custom_private, TABLES_PRUNED));
	*shared = intVal(member(custom_private, TABLES_SHARED)) != 0;
}
