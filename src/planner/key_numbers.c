/*
 * key_numbers.c
 *		By how many numbers the keys of a grouping can tell its groups (key_numbers.h).
 *
 * The rule is the device's (device/choice/ranges.c), which has its columns' least and
 * greatest values from zones; here they are those of statistics, and of a string's column
 * as many as its dictionary has.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "device/choice/ranges.h"
#include "device/layout.h"
#include "device/ops/encode.h"
#include "nodes/makefuncs.h"
#include "parser/parsetree.h"
#include "planner/key_numbers.h"
#include "planner/value_bound.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

/* Ranges beyond are of no use, and of doubles inexact. */
#define WIDEST 1e12

static Var *
column_var(const GpuAggBoundSource *source, AttrNumber attno)
{
	Form_pg_attribute att = TupleDescAttr(RelationGetDescr(source->relation), attno - 1);

	return makeVar(source->rel->relid, attno, att->atttypid, att->atttypmod, att->attcollation, 0);
}

/* low > high: not known */
static GpuAggRange
column_range(const GpuAggBoundSource *source, const GpuAggColumn *column, bool coded)
{
	GpuAggValueBound b = {0};
	GpuAggRange r = {1, 0};
	double		unit = column->type == GPUAGG_T_DATE ? (double) USECS_PER_DAY : 1;

	if (column->type == GPUAGG_T_BOOL)
		return (GpuAggRange) {0, 1};
	if (column->attno > 0)
		b = gpuagg_value_bound(source, (Node *) column_var(source, column->attno));
	if (coded && b.values >= 1 && b.values < WIDEST)
		r = (GpuAggRange) {0, (int64) b.values - 1};
	else if (!coded && b.ranged && fabs(b.low / unit) < WIDEST && fabs(b.high / unit) < WIDEST)
		r = (GpuAggRange) {(int64) floor(b.low / unit), (int64) floor(b.high / unit)};
	return r;
}

double
gpuagg_key_numbers(PlannerInfo *root, RelOptInfo *rel, const GpuAggLower *lw,
				   const GpuAggProgram *program)
{
	GpuAggBoundSource source = {.root = root,.rel = rel,
	.exact_hidden = root->qual_security_level > 0};
	GpuAggProgram *p;
	bool		coded[GPUAGG_MAX_REGS] = {0};
	const int32 codes[GPUAGG_MAX_REGS] = {0};
	GpuAggRange columns[GPUAGG_MAX_REGS];
	GpuAggRange keys[GPUAGG_MAX_KEYS];
	GpuAggLayout layout;
	uint64		numbers;
	bool		known;

	/* what look-up tables have is known when they are made */
	if (program->nkeys == 0 || lw->nlookups > 0)
		return 0;
	p = palloc(program->bytes);
	memcpy(p, program, program->bytes);
	if (gpuagg_encode_plan(p, coded) > 0)
		gpuagg_encode_program(p, coded, codes);
	source.relation = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	for (int i = 0; i < lw->ncolumns; i++)
		columns[i] = column_range(&source, &lw->columns[i], coded[i]);
	table_close(source.relation, NoLock);
	gpuagg_layout_compute(p, &layout);
	known = gpuagg_range_numbers(p, columns, layout.row_bytes, keys, &numbers);
	pfree(p);
	return known ? (double) numbers : 0;
}
