/*
 * plan.c
 *		GpuAggPlanInfo as a List that PostgreSQL can copy, print and read, and
 *		the program with the values of its runtime constants.
 *
 * The list: the program as a bytea Const; the outputs and the runtime
 * constants, each an integer list; the gate; the estimates, float8 Consts; method
 * and repeatability of the sample, whether it is of a plan's rows and has own functions, an integer list; the prediction, a list of
 * float8 Consts; what bounds it and the profile, an integer list; the groups that are wanted,
 * under which key those found are remembered, and what regrouping makes of them (empty
 * if there is none), bytea Consts; the look-up tables, each an integer list.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "compat.h"
#include "nodes/makefuncs.h"
#include "nodes/value.h"
#include "planner/plan/plan.h"
#include "planner/value/constant.h"
#include "planner/value/enum_order.h"
#include "planner/value/list_table.h"
#include "planner/value/zone.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

static Const *
pack_bytes(const void *from, Size n)
{
	bytea	   *image = palloc(n + VARHDRSZ);

	SET_VARSIZE(image, n + VARHDRSZ);
	if (n > 0)
		memcpy(VARDATA(image), from, n);
	return makeConst(BYTEAOID, -1, InvalidOid, -1, PointerGetDatum(image),
					 false, false);
}

/* Its bits, which text would have to be written and read for */
static Const *
pack_float(double value)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value), false,
					 FLOAT8PASSBYVAL);
}

static double
unpack_float(const void *packed)
{
	return DatumGetFloat8(((const Const *) packed)->constvalue);
}

static List *
pack_prediction(const GpuAggPrediction *p)
{
	List	   *stages = list_make5(pack_float(p->reads), pack_float(p->start), pack_float(p->feed),
									pack_float(p->link), pack_float(p->kernel));

	stages = list_concat(stages, list_make3(pack_float(p->emit), pack_float(p->startup), pack_float(p->total)));
	return list_concat(stages, list_make3(pack_float(p->interpreted), pack_float(p->compiled),
										  pack_float(p->learned)));
}

static void
unpack_prediction(GpuAggPrediction *p, const List *packed)
{
	p->reads = unpack_float(linitial(packed));
	p->start = unpack_float(lsecond(packed));
	p->feed = unpack_float(lthird(packed));
	p->link = unpack_float(lfourth(packed));
	p->kernel = unpack_float(list_nth(packed, 4));
	p->emit = unpack_float(list_nth(packed, 5));
	p->startup = unpack_float(list_nth(packed, 6));
	p->total = unpack_float(list_nth(packed, 7));
	p->interpreted = unpack_float(list_nth(packed, 8));
	p->compiled = unpack_float(list_nth(packed, 9));
	p->learned = unpack_float(list_nth(packed, 10));
}

static List *
pack_runtime(const GpuAggRuntimeConst *runtime, int n)
{
	List	   *packed = NIL;

	for (int i = 0; i < n; i++)
		packed = lappend(packed, list_make3_int(runtime[i].const_no, runtime[i].may_fail,
												runtime[i].zone));
	return packed;
}

static GpuAggRuntimeConst *
unpack_runtime(const List *packed, int *n)
{
	GpuAggRuntimeConst *runtime = palloc(Max(1, list_length(packed)) * sizeof(GpuAggRuntimeConst));
	ListCell   *lc;

	*n = 0;
	foreach(lc, packed)
	{
		GpuAggRuntimeConst *r = &runtime[(*n)++];

		r->const_no = linitial_int((List *) lfirst(lc));
		r->may_fail = lsecond_int((List *) lfirst(lc)) != 0;
		r->zone = lthird_int((List *) lfirst(lc));
	}
	return runtime;
}

static GpuAggProgram *
unpack_program(Const *image)
{
	bytea	   *bytes = DatumGetByteaPP(image->constvalue);
	GpuAggProgram *program = palloc(VARSIZE_ANY_EXHDR(bytes));

	memcpy(program, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
	return program;
}

/* Numbers that stand before those of columns */
#define LOOKUP_FIELDS (15 + GPUAGG_KEY_COLUMNS)

static List *
pack_lookup(const GpuAggLookupPlan *lookup)
{
	List	   *packed = list_concat(list_make4_int(lookup->const_no, lookup->join, lookup->unique,
													lookup->nkeys),
									 list_make5_int(lookup->subquery, lookup->null_const,
													lookup->missed_const, lookup->window_const,
													lookup->windows));

	packed = lappend_int(lappend_int(lappend_int(packed, lookup->helps), lookup->helped), lookup->whole);
	packed = lappend_int(lappend_int(lappend_int(packed, lookup->values_of), lookup->values_column), lookup->folded);
	for (int i = 0; i < GPUAGG_KEY_COLUMNS; i++)
		packed = lappend_int(packed, lookup->forms[i]);
	for (int i = 0; i < lookup->ncolumns; i++)
		packed = lappend_int(lappend_int(packed, lookup->types[i]), lookup->scales[i]);
	if (lookup->program == NULL)
		return list_make2(packed, pack_bytes(&lookup->expected, sizeof(lookup->expected)));
	return list_make5(packed, pack_bytes(&lookup->expected, sizeof(lookup->expected)),
					  pack_bytes(lookup->program, lookup->program->bytes),
					  pack_runtime(lookup->runtime, lookup->nruntime),
					  makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(lookup->relid),
								false, true));
}

static void
unpack_bytes(void *to, Size n, const Const *image)
{
	memcpy(to, VARDATA_ANY(DatumGetByteaPP(image->constvalue)), n);
}

static void
unpack_lookup(GpuAggLookupPlan *lookup, const List *all)
{
	const List *packed = linitial(all);
	int			n = (list_length(packed) - LOOKUP_FIELDS) / 2;

	memset(lookup, 0, sizeof(*lookup));

	lookup->const_no = linitial_int(packed);
	lookup->join = lsecond_int(packed);
	lookup->unique = lthird_int(packed) != 0;
	lookup->nkeys = lfourth_int(packed);
	lookup->subquery = list_nth_int(packed, 4);
	lookup->null_const = list_nth_int(packed, 5);
	lookup->missed_const = list_nth_int(packed, 6);
	lookup->window_const = list_nth_int(packed, 7);
	lookup->windows = list_nth_int(packed, 8);
	lookup->helps = list_nth_int(packed, 9);
	lookup->helped = list_nth_int(packed, 10);
	lookup->whole = list_nth_int(packed, 11) != 0;
	lookup->values_of = list_nth_int(packed, 12);
	lookup->values_column = list_nth_int(packed, 13);
	lookup->folded = list_nth_int(packed, 14) != 0;
	for (int i = 0; i < GPUAGG_KEY_COLUMNS; i++)
		lookup->forms[i] = list_nth_int(packed, LOOKUP_FIELDS - GPUAGG_KEY_COLUMNS + i);
	lookup->ncolumns = n;
	lookup->types = palloc(n);
	lookup->scales = palloc(n);
	for (int i = 0; i < n; i++)
	{
		lookup->types[i] = list_nth_int(packed, LOOKUP_FIELDS + 2 * i);
		lookup->scales[i] = list_nth_int(packed, LOOKUP_FIELDS + 1 + 2 * i);
	}
	unpack_bytes(&lookup->expected, sizeof(lookup->expected), lsecond_node(Const, all));
	if (list_length(all) == 2)
		return;
	lookup->program = unpack_program(lthird_node(Const, all));
	lookup->runtime = unpack_runtime(lfourth(all), &lookup->nruntime);
	lookup->relid = DatumGetObjectId(list_nth_node(Const, all, 4)->constvalue);
}

List *
gpuagg_plan_pack(const GpuAggPlanInfo *info)
{
	List	   *outputs = NIL;
	List	   *lookups = NIL;

	for (int i = 0; i < info->noutputs; i++)
	{
		const GpuAggOutput *o = &info->outputs[i];

		outputs = lappend(outputs,
						  list_concat(list_concat(list_make4_int(o->final, o->index,
																 o->count_index, o->type),
												  list_make3_int(o->scale, o->shown,
																 o->shown_by)),
									  list_concat(list_make4_int(o->statistic, o->squares[0],
																 o->squares[1], o->squares[2]),
												  list_make2_int(o->lookup, o->column))));
	}
	for (int i = 0; i < info->nlookups; i++)
		lookups = lappend(lookups, pack_lookup(&info->lookups[i]));
	return list_concat(list_make5(pack_bytes(info->program, info->program->bytes),
								  outputs, pack_runtime(info->runtime, info->nruntime),
								  makeInteger(info->gate),
								  pack_float(info->est_rows)),
					   list_concat(lappend(list_make5(pack_float(info->est_passed),
										  pack_float(info->est_groups),
										  list_make4_int(info->sample,
														 info->repeatable,
														 info->of_plan,
														 info->own_functions),
										  pack_prediction(&info->predicted),
										  list_make4_int(info->predicted.bound,
														 info->profile,
														 info->profile_origin,
														 info->profile_elsewhere)),
							   pack_bytes(&info->wanted, sizeof(info->wanted))),
							   list_make4(pack_bytes(&info->seen, sizeof(info->seen)),
										  pack_bytes(info->regroup, info->regroup == NULL ? 0 :
													 sizeof(*info->regroup)),
										  lookups, pack_float(info->est_numbers))));
}

/* Behind all of that */
#define PACKED_JOINED 15

List *
gpuagg_plan_pack_joined(List *packed, List *joined)
{
	List	   *programs = NIL;
	ListCell   *lc;

	packed = list_copy(packed);
	if (!gpuagg_plan_has_tables(packed))
	{
		Assert(list_length(packed) == PACKED_JOINED);
		return lappend(packed, joined);
	}
	foreach(lc, linitial_node(List, packed))
		programs = lappend(programs, gpuagg_plan_pack_joined(lfirst(lc), joined));
	linitial(packed) = programs;
	return packed;
}

static GpuAggRegroup *
unpack_regroup(const Const *image)
{
	GpuAggRegroup *regroup;

	if (VARSIZE_ANY_EXHDR(DatumGetByteaPP(image->constvalue)) == 0)
		return NULL;
	regroup = palloc(sizeof(GpuAggRegroup));
	unpack_bytes(regroup, sizeof(*regroup), image);
	return regroup;
}

GpuAggPlanInfo *
gpuagg_plan_unpack(List *custom_private)
{
	GpuAggPlanInfo *info = palloc0(sizeof(GpuAggPlanInfo));
	List	   *outputs = lsecond_node(List, custom_private);
	/* lists of integers, which are no node of type List */
	List	   *sample = list_nth(custom_private, 7);
	List	   *profile = list_nth(custom_private, 9);
	List	   *lookups;
	ListCell   *lc;

	info->program = unpack_program(linitial_node(Const, custom_private));
	info->outputs = palloc(Max(1, list_length(outputs)) *
						   sizeof(GpuAggOutput));
	foreach(lc, outputs)
	{
		GpuAggOutput *o = &info->outputs[info->noutputs++];
		List	   *packed = (List *) lfirst(lc);

		o->final = linitial_int(packed);
		o->index = lsecond_int(packed);
		o->count_index = lthird_int(packed);
		o->type = lfourth_int(packed);
		o->scale = list_nth_int(packed, 4);
		o->shown = list_nth_int(packed, 5);
		o->shown_by = list_nth_int(packed, 6);
		o->statistic = list_nth_int(packed, 7);
		for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
			o->squares[i] = list_nth_int(packed, 8 + i);
		o->lookup = list_nth_int(packed, 8 + GPUAGG_SQUARE_PARTS);
		o->column = list_nth_int(packed, 9 + GPUAGG_SQUARE_PARTS);
	}
	info->runtime = unpack_runtime(lthird_node(List, custom_private), &info->nruntime);
	info->gate = intVal(lfourth(custom_private));
	info->est_rows = unpack_float(list_nth(custom_private, 4));
	info->est_passed = unpack_float(list_nth(custom_private, 5));
	info->est_groups = unpack_float(list_nth(custom_private, 6));
	info->sample = linitial_int(sample);
	info->repeatable = lsecond_int(sample) != 0;
	info->of_plan = lthird_int(sample) != 0;
	info->own_functions = lfourth_int(sample) != 0;
	unpack_prediction(&info->predicted, list_nth_node(List, custom_private, 8));
	info->predicted.bound = linitial_int(profile);
	info->profile = lsecond_int(profile);
	info->profile_origin = lthird_int(profile);
	info->profile_elsewhere = lfourth_int(profile);
	unpack_bytes(&info->wanted, sizeof(info->wanted), list_nth_node(Const, custom_private, 10));
	unpack_bytes(&info->seen, sizeof(info->seen), list_nth_node(Const, custom_private, 11));
	info->regroup = unpack_regroup(list_nth_node(Const, custom_private, 12));
	lookups = list_nth(custom_private, 13);
	info->est_numbers = unpack_float(list_nth(custom_private, 14));
	info->joins_rows = list_length(custom_private) > PACKED_JOINED;
	if (info->joins_rows)
		info->joined = list_nth(custom_private, PACKED_JOINED);
	info->lookups = palloc(Max(1, list_length(lookups)) * sizeof(GpuAggLookupPlan));
	foreach(lc, lookups)
		unpack_lookup(&info->lookups[info->nlookups++], lfirst(lc));
	return info;
}

bool
gpuagg_plan_is_of_plan(List *custom_private)
{
	return !gpuagg_plan_has_tables(custom_private) &&
		lthird_int((List *) list_nth(custom_private, 7)) != 0;
}

Plan *
gpuagg_plan_regroup(const Plan *custom, const GpuAggPlanInfo *info)
{
	Assert(info->regroup != NULL);
	return llast(((const CustomScan *) custom)->custom_plans);
}

Plan *
gpuagg_plan_joins(Plan *fallback)
{
	Plan	   *plan = fallback;

	if (!IsA(plan, Agg))
		return NULL;
	do
		plan = plan->lefttree;
	while (IsA(plan, Sort) || IsA(plan, IncrementalSort));
	return plan;
}

List *
gpuagg_plan_pack_tables(List *programs, List *program_of, int pruned, bool shared)
{
	return list_make4(programs, program_of, makeInteger(pruned), makeInteger(shared));
}

bool
gpuagg_plan_has_tables(List *custom_private)
{
	return IsA(linitial(custom_private), List);
}

void
gpuagg_plan_unpack_tables(List *custom_private, List **programs, List **program_of,
						  int *pruned, bool *shared)
{
	*programs = linitial_node(List, custom_private);
	*program_of = lsecond(custom_private);
	*pruned = intVal(lthird(custom_private));
	*shared = intVal(lfourth(custom_private)) != 0;
}

int
gpuagg_plan_wanted_exprs(const GpuAggWanted *wanted)
{
	return wanted->limited + wanted->offset + wanted->answer.nterms;
}

List *
gpuagg_plan_device_quals(const GpuAggPlanInfo *info, List *custom_exprs)
{
	return list_copy_tail(custom_exprs,
						  info->nruntime + 1 + info->repeatable);
}

/* Nobody is told one, so what is drawn next is not known to who chooses the keys of groups. */
static uint64
random_seed(void)
{
	static pg_prng_state state;
	static bool seeded = false;

	if (!seeded && !pg_prng_strong_seed(&state))
		return pg_prng_uint64(&pg_global_prng_state);
	seeded = true;
	return pg_prng_uint64(&state);
}

/* A zone's table instead of its name, copied */
static void
constant_zone(GpuAggConstant *c, GpuAggZoneName kind)
{
	char	   *name = pnstrdup(c->bytes, c->value.len);
	const char *table = gpuagg_zone_table(name, kind, &c->value.len);
	char	   *bytes = palloc(Max(1, c->value.len));

	if (table != NULL)
		memcpy(bytes, table, c->value.len);
	c->bytes = bytes;
}

/* What of a table goes into the program: of one that a device has, its header */
static Size
lookup_bytes(const GpuAggLookup *block)
{
	return block == NULL ? 0 : block->made != 0 ? gpuagg_lookup_head_bytes(block) : block->bytes;
}

/* Copies the table to its place, where it stays aligned; returns the end of it. */
static uint32
bind_lookup(GpuAggProgram *program, int const_no, const GpuAggLookup *block, uint32 end)
{
	GpuAggConst *slot = (GpuAggConst *) ((char *) program + program->consts_off) + const_no;

	if (block == NULL)
		return end;
	memcpy((char *) program + end, block, lookup_bytes(block));
	slot->state = GPUAGG_ST_VALUE;
	slot->len = lookup_bytes(block);
	slot->v.off = end;
	return end + slot->len;
}

GpuAggProgram *
gpuagg_plan_bind(const GpuAggPlanInfo *info, const Datum *values,
				 const bool *isnull, const GpuAggLookup *const *blocks)
{
	GpuAggConstant *constants = palloc(Max(1, info->nruntime) *
									   sizeof(GpuAggConstant));
	const GpuAggConst *slots = gpuagg_program_consts(info->program);
	Size		bytes = info->program->bytes;
	uint32		end = info->program->bytes;
	GpuAggProgram *program;

	for (int i = 0; i < info->nruntime; i++)
	{
		const GpuAggZoneName zone = info->runtime[i].zone;

		if (zone == GPUAGG_ZONE_ENUM)
			constants[i] = gpuagg_enum_table(DatumGetObjectId(values[i]));
		else if (zone >= GPUAGG_ZONE_LIST)
			constants[i] = gpuagg_list_constant(values[i], isnull[i], zone);
		else
			constants[i] = gpuagg_constant_make(slots[info->runtime[i].const_no].type,
												values[i], isnull[i]);
		if ((zone == GPUAGG_ZONE_SETTING || zone == GPUAGG_ZONE_ARGUMENT) && !isnull[i])
			constant_zone(&constants[i], zone);
		bytes = MAXALIGN(bytes) + constants[i].value.len;
	}
	bytes = MAXALIGN(bytes);
	for (int i = 0; i < info->nlookups; i++)
		bytes += MAXALIGN(lookup_bytes(blocks[i]));
	if (bytes > PG_UINT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the constants of the query are too long for gpuagg")));
	program = MemoryContextAllocExtended(CurrentMemoryContext, bytes,
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	memcpy(program, info->program, info->program->bytes);
	program->bytes = bytes;
	program->hash_seed = random_seed();
	for (int i = 0; i < info->nruntime; i++)
	{
		GpuAggConst *slot = (GpuAggConst *)
			((char *) program + program->consts_off) +
			info->runtime[i].const_no;

		*slot = constants[i].value;
		if (constants[i].bytes == NULL)
			continue;
		end = MAXALIGN(end);	/* tables are read by words */
		memcpy((char *) program + end, constants[i].bytes, slot->len);
		slot->v.off = end;
		end += slot->len;
	}
	for (int i = 0; i < info->nlookups; i++)
		end = bind_lookup(program, info->lookups[i].const_no, blocks[i], MAXALIGN(end));
	pfree(constants);
	return program;
}
