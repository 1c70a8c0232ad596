/*
 * plan.c
 *		What a node asks of its plan (plan.h), and the program with the values of its
 *		runtime constants.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "compat.h"
#include "planner/plan/plan.h"
#include "planner/value/constant.h"
#include "planner/value/enum_order.h"
#include "planner/value/list_table.h"
#include "planner/value/zone.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

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
