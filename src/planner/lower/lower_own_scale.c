/*
 * lower_own_scale.c
 *		Numeric columns without a declared scale.
 *
 * A device loads such a value as it is stored: an integer and the value's own number
 * of decimals, in one word (program.h).  So what is loaded, and what stays on the
 * device, does not depend on the query.  The query then has the integer at a scale
 * chosen here, DECIMAL_AT, and beside it the decimals that the row shows.  From there
 * on it is a decimal like any other (lower_numeric.c).  A value that does not fit the
 * scale is an error of the device; that matters only in rows that do.
 *
 * The scale is the most decimals that ANALYZE has seen, among the most common values
 * and the bounds of the histogram.  Values of more decimals may have been missed, so
 * some more are taken where there is room.  Products need that room themselves.
 *
 * Of tables whose groups are merged the scale is one for all: by statistics of the parent
 * with its children, or else by those of all children.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/page.h"
#include "fmgr.h"
#include "ipc/seen_groups.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/appendinfo.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_own_scale.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Decimals beyond those seen, at most and of the digits left; where nothing is multiplied */
#define MORE_DECIMALS 4
#define MORE_SHARE 2

/* Decimals if nothing is known of the values */
#define UNKNOWN_DECIMALS 4

void
gpuagg_digits_add(GpuAggDigits *seen, Datum value)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);
	GpuAggNumericDigits d;
	int			before = 0;
	int16		first = 0;

	if (!gpuagg_numeric_parse(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), &d))
	{
		seen->special = true;
		return;
	}
	if (d.n > 0 && d.weight >= 0)
	{
		before = d.weight * GPUAGG_NUMERIC_DECIMALS;
		memcpy(&first, d.digits, sizeof(first));
	}
	for (; first > 0; first /= 10)
		before++;
	if (seen->lenient && before + (int) d.scale > GPUAGG_WORD_DIGITS)
	{
		seen->left_out++;
		return;
	}
	seen->taken++;
	seen->before = Max(seen->before, before);
	seen->behind = Max(seen->behind, (int) d.scale);
	seen->any = true;
}

void
gpuagg_digits_of_tuple(GpuAggDigits *seen, HeapTuple tuple)
{
	static const int kinds[] = {STATISTIC_KIND_MCV, STATISTIC_KIND_HISTOGRAM};

	for (int i = 0; i < lengthof(kinds); i++)
	{
		AttStatsSlot slot;

		if (!get_attstatsslot(&slot, tuple, kinds[i], InvalidOid, ATTSTATSSLOT_VALUES))
			continue;
		for (int k = 0; k < slot.nvalues; k++)
			gpuagg_digits_add(seen, slot.values[k]);
		free_attstatsslot(&slot);
	}
}

/* By the table's own statistics, or those with its children; false: there are none. */
static bool
digits_of_statistics(Oid relid, AttrNumber attno, bool inherited, GpuAggDigits *seen)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid),
										Int16GetDatum(attno), BoolGetDatum(inherited));

	if (!HeapTupleIsValid(tuple))
		return false;
	gpuagg_digits_of_tuple(seen, tuple);
	ReleaseSysCache(tuple);
	return true;
}

/* Which column of the siblings' parent is this one?  0: none, or an expression */
static AttrNumber
parent_column(const GpuAggLower *lw, AttrNumber attno)
{
	Index		relid = lw->rel->relid;

	while (relid != lw->siblings->parent->relid && attno > 0)
	{
		const AppendRelInfo *member = lw->root->append_rel_array[relid];
		AttrNumber	found = 0;
		ListCell   *lc;

		foreach(lc, member->translated_vars)
		{
			const Var  *var = lfirst(lc);

			if (found == 0 && var != NULL && IsA(var, Var) && var->varno == relid &&
				var->varattno == attno)
				found = foreach_current_index(lc) + 1;
		}
		attno = found;
		relid = member->parent_relid;
	}
	return attno;
}

static void
digits_of_siblings(const GpuAggLower *lw, const Var *column, GpuAggDigits *seen)
{
	const RelOptInfo *parent = lw->siblings->parent;
	const Oid	relid = planner_rt_fetch(parent->relid, lw->root)->relid;
	ListCell   *lc;

	if (OidIsValid(relid) && digits_of_statistics(relid, column->varattno, true, seen))
		return;
	foreach(lc, lw->siblings->rels)
	{
		RelOptInfo *rel = lfirst(lc);
		const Var  *var = (const Var *)
			gpuagg_adjust_appendrel_attrs(lw->root, (Node *) copyObject(column), rel,
										  (RelOptInfo *) parent);

		if (IsA(var, Var) && var->varno == rel->relid)
			(void) digits_of_statistics(planner_rt_fetch(rel->relid, lw->root)->relid,
										var->varattno, false, seen);
	}
}

/* Of this column of the parent, looked up once for all siblings */
static GpuAggDigits
digits_of_parent(const GpuAggLower *lw, AttrNumber attno)
{
	const RelOptInfo *parent = lw->siblings->parent;
	GpuAggDigits *seen;

	if (lw->siblings->digits == NULL)
		lw->siblings->digits = palloc0((parent->max_attr + 1) * sizeof(GpuAggDigits));
	seen = (GpuAggDigits *) lw->siblings->digits + attno;
	if (!seen->looked)
		digits_of_siblings(lw, makeVar(parent->relid, attno, NUMERICOID, -1, InvalidOid, 0), seen);
	seen->looked = true;
	return *seen;
}

static GpuAggDigits
digits_of_column(const GpuAggLower *lw, AttrNumber attno)
{
	AttrNumber	of_parent = lw->siblings == NULL ? 0 : parent_column(lw, attno);
	GpuAggDigits	seen = {0};

	if (of_parent > 0)
		return digits_of_parent(lw, of_parent);
	(void) digits_of_statistics(RelationGetRelid(lw->relation), attno, false, &seen);
	return seen;
}

bool
gpuagg_digits_fit(const GpuAggDigits *seen)
{
	return seen->behind <= GPUAGG_MAX_SCALE && seen->before + seen->behind <= GPUAGG_WORD_DIGITS;
}

static bool
multiplies_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (gpuagg_function_of(node)->digits == GPUAGG_DIGITS_PRODUCT)
		return true;
	return expression_tree_walker(node, multiplies_walker, context);
}

static bool
query_multiplies(const GpuAggLower *lw)
{
	return query_tree_walker(lw->root->parse, multiplies_walker, NULL, QTW_IGNORE_RANGE_TABLE);
}

static int
choose_scale(const GpuAggLower *lw, const GpuAggDigits *seen)
{
	const int	left = GPUAGG_WORD_DIGITS - seen->before - seen->behind;

	if (!seen->any)
		return UNKNOWN_DECIMALS;
	if (query_multiplies(lw))
		return seen->behind;
	return seen->behind + Min(left / MORE_SHARE, MORE_DECIMALS);
}

bool
gpuagg_lower_own_scale_fits(GpuAggLower *lw, AttrNumber attno)
{
	const GpuAggDigits seen = digits_of_column(lw, attno);

	return gpuagg_digits_fit(&seen);
}

/*
 * Has a run met such a value that statistics did not tell of?  Not where row security might have
 * hidden it from this user.
 */
static bool
was_met(const GpuAggLower *lw, AttrNumber attno)
{
	const AttrNumber of_parent = lw->siblings == NULL ? 0 : parent_column(lw, attno);
	const Oid	relid = lw->siblings == NULL ? RelationGetRelid(lw->relation) :
		planner_rt_fetch(lw->siblings->parent->relid, lw->root)->relid;

	return lw->root->qual_security_level == 0 && OidIsValid(relid) &&
		(lw->siblings == NULL || of_parent > 0) &&
		gpuagg_seen_strange(relid, lw->siblings == NULL ? attno : of_parent);
}

bool
gpuagg_lower_is_strange(GpuAggLower *lw, const Var *var)
{
	uint8		type;
	GpuAggScale scale;
	GpuAggDigits seen;

	if (lw->of_plan || var->varno != lw->rel->relid || var->varlevelsup != 0 ||
		var->varattno <= 0 ||
		!gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale) ||
		type != GPUAGG_T_NUMERIC)
		return false;
	seen = digits_of_column(lw, var->varattno);
	return seen.special || was_met(lw, var->varattno) ||
		(!gpuagg_scale_is_word(scale) && seen.before + scale.digits > GPUAGG_MAX_SCALE);
}

bool
gpuagg_lower_word_scale(GpuAggLower *lw, const GpuAggLowered *word, const GpuAggDigits *seen,
						GpuAggLowered *out)
{
	const int	scale = choose_scale(lw, seen);
	GpuAggConstant mask = gpuagg_constant_make(GPUAGG_T_INT4,
											   Int32GetDatum(GPUAGG_WORD_DECIMALS), false);
	GpuAggLowered bits;
	GpuAggLowered shown;

	if (!gpuagg_lower_constant(lw, mask, &bits) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_INT_AND, GPUAGG_T_INT4, word, &bits, NULL, 0, &shown) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_DECIMAL_AT, GPUAGG_T_NUMERIC, word, NULL, NULL, scale,
						 out))
		return false;
	out->scale = gpuagg_scale(scale);
	out->shown = scale;
	out->shown_reg = shown.reg;
	return true;
}

bool
gpuagg_lower_own_scale(GpuAggLower *lw, AttrNumber attno, GpuAggLowered *out)
{
	const GpuAggDigits seen = digits_of_column(lw, attno);
	GpuAggLowered word;

	if (!gpuagg_digits_fit(&seen))
		return GPUAGG_REFUSE("numerics of column \"%s\" have more than %d digits",
							 NameStr(TupleDescAttr(RelationGetDescr(lw->relation),
												   attno - 1)->attname), GPUAGG_WORD_DIGITS);
	return gpuagg_lower_column(lw, attno, GPUAGG_T_NUMERIC,
							   gpuagg_scale_as(GPUAGG_SCALE_WORD, 0), &word) &&
		gpuagg_lower_word_scale(lw, &word, &seen, out);
}
