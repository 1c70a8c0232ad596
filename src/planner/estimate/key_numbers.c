/*
 * key_numbers.c
 *		By how many numbers the keys of a grouping can tell its groups (key_numbers.h).
 *
 * The rule is the device's (device/choice/ranges.c), which has its columns' least and
 * greatest values from zones, and those of a join's inputs from the look-up tables that
 * are made of them; here they are those of statistics, and of a string's column as many as
 * its dictionary has.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "cost/coded.h"
#include "device/choice/ranges.h"
#include "device/layout.h"
#include "nodes/makefuncs.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/estimate/key_numbers.h"
#include "planner/estimate/value_bound.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Codes of strings beyond are none; doubles tell these apart. */
#define MOST_CODES 9007199254740992.0

/* Are values of bounds the device's numbers? */
static bool
is_whole(uint8 type)
{
	return type != GPUAGG_T_NUMERIC && type != GPUAGG_T_FLOAT4 && type != GPUAGG_T_FLOAT8;
}

/* low > high: not known */
static GpuAggRange
range_of(const GpuAggBoundSource *source, Var *var, uint8 type, bool coded, double most)
{
	GpuAggValueBound b = gpuagg_value_bound(source, (Node *) var);
	GpuAggRange r = {1, 0};

	gpuagg_bound_limit(&b, most);
	if (coded && b.values >= 1 && b.values < MOST_CODES)
		r = (GpuAggRange) {0, (int64) b.values - 1};
	else if (!coded && is_whole(type) && gpuagg_set_is_bounded(&b.set))
		r = (GpuAggRange) {b.set.low, b.set.high};
	return r;
}

static Var *
column_var(const GpuAggBoundSource *source, AttrNumber attno)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(source->relation), attno - 1);

	return makeVar(source->rel->relid, attno, att->atttypid, att->atttypmod, att->attcollation, 0);
}

static GpuAggRange
column_range(const GpuAggBoundSource *source, const GpuAggColumn *column, bool coded)
{
	if (column->type == GPUAGG_T_BOOL)
		return (GpuAggRange) {0, 1};
	if (column->attno <= 0)
		return (GpuAggRange) {1, 0};
	return range_of(source, column_var(source, column->attno), column->type, coded, HUGE_VAL);
}

/* All of the table's, which the input's conditions may make fewer */
GpuAggRange
gpuagg_key_range(PlannerInfo *root, const GpuAggLookupLower *lookup, int column)
{
	Var *var = column < list_length(lookup->columns) ? list_nth(lookup->columns, column) : NULL;
	bool		numbered;
	GpuAggBoundSource source = {.root = root,.exact_hidden = root->qual_security_level > 0};
	RangeTblEntry *rte;
	GpuAggRange r;

	if (var == NULL || !IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return (GpuAggRange) {1, 0};
	if (lookup->types[column] == GPUAGG_T_BOOL)
		return (GpuAggRange) {0, 1};
	rte = planner_rt_fetch(var->varno, root);
	if (rte->rtekind != RTE_RELATION)
		return (GpuAggRange) {1, 0};
	numbered = lookup->scales[column].form == GPUAGG_SCALE_NUMBERED;
	source.rel = find_base_rel(root, var->varno);
	source.relation = table_open(rte->relid, NoLock);
	r = range_of(&source, var, lookup->types[column], numbered,
				 numbered ? Max(lookup->rows, 1) : HUGE_VAL);
	table_close(source.relation, NoLock);
	return r;
}

/* The look-up table that is this constant of a finished program; NULL: none */
static const GpuAggLookupLower *
lookup_of(const GpuAggLower *lw, int const_no)
{
	for (int i = 0; i < lw->nlookups; i++)
		if ((lw->lookups[i].table.reg & GPUAGG_VREG_NUMBER) == const_no)
			return &lw->lookups[i];
	return NULL;
}

/* What look-up tables have is known when they are made; till then as statistics tell. */
static void
fetched_ranges(PlannerInfo *root, const GpuAggLower *lw, const GpuAggProgram *p,
			   GpuAggRange *ranges)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	for (uint32 i = 0; i < p->ninstrs; i++)
	{
		const GpuAggLookupLower *lookup = ins[i].op == GPUAGG_OP_FETCH_I64 ?
			lookup_of(lw, ins[i].b - p->ncolumns) :
			NULL;

		ranges[ins[i].dst] = lookup != NULL ?
			gpuagg_key_range(root, lookup, lookup->nkeys + ins[i].imm) :
			(GpuAggRange){1, 0};
	}
}

double
gpuagg_key_numbers(PlannerInfo *root, RelOptInfo *rel, const GpuAggLower *lw,
				   const GpuAggProgram *program)
{
	GpuAggBoundSource source = {.root = root,.rel = rel,
	.exact_hidden = root->qual_security_level > 0};
	GpuAggProgram *p;
	uint16		of[GPUAGG_MAX_REGS];
	uint8		needed[GPUAGG_MAX_REGS] = {0};
	GpuAggRange ranges[GPUAGG_MAX_REGS];
	GpuAggKeyRange keys[GPUAGG_MAX_KEYS];
	GpuAggLayout layout;
	uint64		numbers;
	bool		known;

	if (program->nkeys == 0)
		return 0;
	p = gpuagg_coded_program(program, of);
	source.relation = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	for (uint32 i = 0; i < p->nkeys; i++)
		gpuagg_range_needs(p, gpuagg_program_keys(p)[i].reg, needed);
	for (int i = 0; i < lw->ncolumns; i++)
		ranges[i] = needed[i] ? column_range(&source, &lw->columns[i], of[i] != GPUAGG_NO_REG) :
								(GpuAggRange){1, 0};
	fetched_ranges(root, lw, p, ranges);
	table_close(source.relation, NoLock);
	gpuagg_layout_compute(p, &layout);
	known = gpuagg_range_numbers(p, ranges, layout.row_bytes, keys, &numbers);
	pfree(p);
	return known ? (double) numbers : 0;
}
