/*
 * lower_join.c
 *		Joins as look-ups: each input after the first becomes a look-up table, a
 *		constant of the program that is filled in when execution starts
 *		(node/lookups.c).
 *
 *		row = LOOKUP(keys, table)	NULL: no row matches
 *		row = row if the rest of ON is true, else NULL
 *		inner, semi		the filter asks whether there is a row
 *		anti			the filter asks whether there is none
 *		left			the filter asks nothing
 *
 * A column of the input is FETCH(row, table), NULL where there is no row; so later
 * joins, keys and aggregates need to know nothing of joins.  One row at most is joined:
 * inner and left joins, and conditions besides the keys, need an input whose keys are
 * unique, which PostgreSQL proves and node/lookups.c checks.  Another input is folded
 * (lower_fold.c): a row for each key, which the aggregates know how often to count.
 *
 * The filter consumes errors of keys and conditions in any kind of join, unless an
 * earlier condition or join has dropped the row; PostgreSQL would meet them, too.
 *
 * A table that may be larger than memory is made in windows of its keys, and rows of one window
 * pass at a time (node/lookup_windows.c).
 *
 * Keys are integers and what is held as such (one or two), or one string; the input's
 * side is a column, or computed of some by PostgreSQL.  Three or four integers of 32 bits are
 * two keys.  Other equalities are conditions.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/ops_lookup.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "planner/harmless.h"
#include "planner/join_tree.h"
#include "planner/lower/lower_join.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* ---------------------------------------------------------------- columns --- */

static GpuAggLookupLower *
find_lookup(GpuAggLower *lw, Index relid)
{
	for (int i = 0; i < lw->nlookups; i++)
	{
		if (lw->lookups[i].rel != NULL && bms_is_member(relid, lw->lookups[i].rel->relids))
			return &lw->lookups[i];
	}
	return NULL;
}

/* Columns of the input as its own paths have them; what they do not have stays NULL. */
static Node *
own_columns(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) gpuagg_lower_input_column(context, (Var *) node);
	return expression_tree_mutator(node, own_columns, context);
}

Expr *
gpuagg_lower_input_expr(RelOptInfo *rel, Expr *expr)
{
	ListCell   *lc;

	foreach(lc, pull_var_clause((Node *) expr, PVC_RECURSE_PLACEHOLDERS))
	{
		if (gpuagg_lower_input_column(rel, lfirst_node(Var, lc)) == NULL)
			return NULL;
	}
	/* a column itself: who has it is known by its address */
	return (Expr *) own_columns((Node *) expr, rel);
}

Var *
gpuagg_lower_input_column(const RelOptInfo *rel, const Var *var)
{
	ListCell   *lc;

	foreach(lc, rel->reltarget->exprs)
	{
		Var		   *column = (Var *) lfirst(lc);

		if (IsA(column, Var) && column->varno == var->varno &&
			column->varattno == var->varattno && column->varlevelsup == 0)
			return column;
	}
	return NULL;
}

static int
add_column(GpuAggLookupLower *lookup, Expr *column, uint8 type, uint8 scale)
{
	int			n = list_length(lookup->columns);

	lookup->columns = lappend(lookup->columns, column);
	lookup->types[n] = type;
	lookup->scales[n] = scale;
	return n;
}

/*
 * The column's number, those of the keys not counted.  A string and its number are two
 * columns.
 */
static bool
payload_column(GpuAggLookupLower *lookup, Expr *column, uint8 type, uint8 scale, int *number)
{
	const bool	numbered = scale == GPUAGG_SCALE_NUMBERED;
	ListCell   *lc;

	for_each_from(lc, lookup->columns, lookup->nkeys)
	{
		if (equal(lfirst(lc), column) &&
			(lookup->scales[foreach_current_index(lc)] == GPUAGG_SCALE_NUMBERED) == numbered)
		{
			*number = foreach_current_index(lc) - lookup->nkeys;
			return true;
		}
	}
	if (list_length(lookup->columns) == GPUAGG_LOOKUP_MAX_COLUMNS)
		return GPUAGG_REFUSE("more than %d columns of an input of the join",
							 GPUAGG_LOOKUP_MAX_COLUMNS);
	*number = add_column(lookup, column, type, scale) - lookup->nkeys;
	return true;
}

bool
gpuagg_lower_fetch(GpuAggLower *lw, GpuAggLookupLower *lookup, Expr *column, uint8 type,
				   uint8 scale, GpuAggValue *out)
{
	GpuAggOp	op = GPUAGG_OP_FETCH_I64;
	int			number;

	if (!payload_column(lookup, column, type, scale, &number))
		return false;
	if (gpuagg_constant_class(type) == GPUAGG_CLASS_F64)
		op = GPUAGG_OP_FETCH_F64;
	else if (gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES)
		op = GPUAGG_OP_FETCH_BYTES;
	if (!gpuagg_lower_op(lw, op, type, &lookup->row, &lookup->table, NULL, number, out))
		return false;
	/* whoever needs the row has consumed its errors */
	out->notnull = false;
	out->scale = out->shown = scale;
	return true;
}

static bool
check_column(const GpuAggLookupLower *lookup, const Var *var, uint8 *type, uint8 *scale)
{
	if (lookup == NULL || var->varlevelsup != 0)
		return GPUAGG_REFUSE("a column of another table");
	if (lookup->closed)
		return GPUAGG_REFUSE("a column of EXISTS or IN is needed later");
	if (var->varattno <= 0)
		return GPUAGG_REFUSE("whole rows and system columns are not supported");
	if (gpuagg_constant_column(var->vartype, var->vartypmod, type, scale) &&
		*type != GPUAGG_T_INTERVAL && *scale != GPUAGG_SCALE_WORD)
		return true;
	return GPUAGG_REFUSE("a column of the join has type %s, which is not supported",
						 format_type_with_typemod(var->vartype, var->vartypmod));
}

/* Of a folded input all rows of a key have no other column in common. */
static bool
is_common(const GpuAggLookupLower *lookup, const Var *column)
{
	return !lookup->folded ||
		list_member_ptr(list_copy_head(lookup->columns, lookup->nkeys), column);
}

bool
gpuagg_lower_joined_column(GpuAggLower *lw, Var *var, GpuAggValue *out)
{
	GpuAggLookupLower *lookup = find_lookup(lw, var->varno);
	Var		   *column;
	uint8		type;
	uint8		scale;

	if (!check_column(lookup, var, &type, &scale))
		return false;
	column = gpuagg_lower_input_column(lookup->rel, var);
	if (column == NULL)
		return GPUAGG_REFUSE("a column that an input of the join does not have");
	if (!is_common(lookup, column))
		return GPUAGG_REFUSE("more than one row of an input may match; its key is not unique");
	return gpuagg_lower_fetch(lw, lookup, (Expr *) column, type, scale, out);
}

/*
 * A string of a join's input that is a group key: its number is, and the backend writes
 * the string.  False: it is none such.
 */
bool
gpuagg_lower_numbered_key(GpuAggLower *lw, Expr *expr, GpuAggValue *out, GpuAggOutput *output)
{
	Var		   *var = (Var *) expr;
	GpuAggLookupLower *lookup;
	Var		   *column;
	uint8		type;
	uint8		scale;
	int			number;

	/* a cast may mean another equality */
	if (!lw->numbers || !IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	lookup = find_lookup(lw, var->varno);
	if (lookup == NULL || lookup->closed ||
		!gpuagg_constant_column(var->vartype, var->vartypmod, &type, &scale) ||
		gpuagg_constant_class(type) != GPUAGG_CLASS_BYTES || type == GPUAGG_T_INTERVAL ||
		(column = gpuagg_lower_input_column(lookup->rel, var)) == NULL ||
		!is_common(lookup, column) ||
		list_length(lookup->columns) == GPUAGG_LOOKUP_MAX_COLUMNS ||
		!payload_column(lookup, (Expr *) column, type, GPUAGG_SCALE_NUMBERED, &number) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_FETCH_I64, GPUAGG_T_INT4, &lookup->row, &lookup->table,
						 NULL, number, out))
		return false;
	out->notnull = false;
	out->scale = out->shown = 0;
	output->final = GPUAGG_FINAL_KEY_NUMBER;
	output->type = type;
	output->lookup = lookup - lw->lookups;
	output->column = lookup->nkeys + number;
	return true;
}

/* ------------------------------------------------------------------- keys --- */

/* What a clause compares: the chain's side, and a column of the input or what is made of some */
typedef struct KeyClause
{
	List	   *clauses;		/* one, or those whose integers share a key */
	Expr	   *probe;
	Expr	   *column;
	uint8		type;
	uint8		scale;
} KeyClause;

static Node *
bare_expr(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/*
 * Types whose equal values are equal in registers, whichever of two types they have;
 * numerics at the scale of what is looked up, char(n) without trailing blanks
 */
static bool
is_key_type(uint8 type)
{
	return type < GPUAGG_T_CODE && gpuagg_constant_class(type) != GPUAGG_CLASS_F64;
}

bool
gpuagg_lower_is_join_key(Oid collation, uint8 type)
{
	return is_key_type(type) &&
		((type != GPUAGG_T_TEXT && type != GPUAGG_T_BPCHAR) ||
		 (OidIsValid(collation) && get_collation_isdeterministic(collation)));
}

/*
 * The input's side of a clause, which PostgreSQL computes for each of its rows, those that
 * nothing is joined with, too: so it must be harmless.  NULL: it cannot be had.
 */
static Expr *
key_column(const GpuAggLookupLower *lookup, Expr *side)
{
	side = (Expr *) bare_expr((Node *) side);
	if (IsA(side, Var) ? ((Var *) side)->varattno <= 0 : !gpuagg_is_harmless((Node *) side))
		return NULL;
	return gpuagg_lower_input_expr(lookup->rel, side);
}

/* Is the clause an equality that a row can be looked up by? */
static bool
key_clause(const GpuAggLookupLower *lookup, RestrictInfo *clause, KeyClause *key)
{
	OpExpr	   *op = (OpExpr *) clause->clause;
	bool		right;
	bool		negated;

	if (!clause->can_join || !IsA(op, OpExpr) || list_length(op->args) != 2)
		return false;
	set_opfuncid(op);
	right = bms_is_subset(clause->right_relids, lookup->rel->relids);
	if ((!right && !bms_is_subset(clause->left_relids, lookup->rel->relids)) ||
		!gpuagg_lower_is_equality(op->opfuncid, &negated) || negated)
		return false;
	key->clauses = list_make1(clause);
	key->probe = right ? linitial(op->args) : lsecond(op->args);
	/* a text as char(n) is the same bytes, of which the blanks go in any case */
	if (op->opfuncid == F_BPCHAREQ)
		key->probe = (Expr *) bare_expr((Node *) key->probe);
	key->column = key_column(lookup, right ? lsecond(op->args) : linitial(op->args));
	return key->column != NULL &&
		gpuagg_constant_column(exprType((Node *) key->column), exprTypmod((Node *) key->column),
							   &key->type, &key->scale) &&
		gpuagg_lower_is_join_key(op->inputcollid, key->type) &&
		(op->opfuncid == F_BPCHAREQ) == (key->type == GPUAGG_T_BPCHAR);
}

static bool
is_short_integer(const Expr *expr)
{
	const Oid	type = exprType((const Node *) expr);

	return type == INT2OID || type == INT4OID;
}

static Expr *
call(Oid function, List *args)
{
	return (Expr *) makeFuncExpr(function, INT8OID, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static Expr *
as_int8(Expr *integer)
{
	return call(exprType((Node *) integer) == INT2OID ? F_INT8_INT2 : F_INT8_INT4,
				list_make1(integer));
}

/* high << 32 | low & 0xFFFFFFFF, which has no errors: other integers make another one. */
static Expr *
shared_key(Expr *high, Expr *low)
{
	Const	   *bits = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(32), false, true);
	Const	   *mask = makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								 Int64GetDatum(INT64CONST(0xFFFFFFFF)), false, FLOAT8PASSBYVAL);

	return call(F_INT8OR, list_make2(call(F_INT8SHL, list_make2(as_int8(high), bits)),
									 call(F_INT8AND, list_make2(as_int8(low), mask))));
}

/* A further key shares that of another short integer, if both sides of both are such. */
static void
share_key(KeyClause *keys, const KeyClause *next)
{
	for (int i = 0; i < GPUAGG_LOOKUP_MAX_KEYS; i++)
	{
		KeyClause  *key = &keys[i];

		if (!is_short_integer(key->probe) || !is_short_integer(key->column) ||
			!is_short_integer(next->probe) || !is_short_integer(next->column))
			continue;
		key->probe = shared_key(key->probe, next->probe);
		key->column = shared_key(key->column, next->column);
		key->type = GPUAGG_T_INT8;
		key->clauses = list_concat_copy(key->clauses, next->clauses);
		return;
	}
}

/*
 * Two integers if there are, else one, else a string.  Where there are more integers, and the
 * first two tell rows not apart, two that are short are one key.
 */
static int
choose_keys(GpuAggLower *lw, const GpuAggLookupLower *lookup, List *on, KeyClause *keys)
{
	KeyClause	key;
	int			n = 0;
	bool		share = false;
	ListCell   *lc;

	foreach(lc, on)
	{
		if (!key_clause(lookup, lfirst(lc), &key) ||
			gpuagg_constant_class(key.type) != GPUAGG_CLASS_I64)
			continue;
		if (n < GPUAGG_LOOKUP_MAX_KEYS)
		{
			keys[n++] = key;
			continue;
		}
		share = share || !gpuagg_join_is_unique(lw->root, lookup->rel,
												list_concat_copy(keys[0].clauses, keys[1].clauses));
		if (share)
			share_key(keys, &key);
	}
	if (n > 0)
		return n;
	foreach(lc, on)
	{
		if (n == 0 && key_clause(lookup, lfirst(lc), &key))
			keys[n++] = key;
	}
	return n;
}

/* The next key of the table, that a row is looked up by */
static bool
add_key(GpuAggLookupLower *lookup, const GpuAggValue *probe, Expr *column, uint8 type, uint8 scale)
{
	if (gpuagg_constant_class(probe->type) != gpuagg_constant_class(type) ||
		!is_key_type(probe->type) ||
		(probe->type == GPUAGG_T_NUMERIC) != (type == GPUAGG_T_NUMERIC))
		return GPUAGG_REFUSE("a join compares types in a way that is not supported");
	/* a row of the input with more decimals matches nothing (node/lookups.c) */
	if (type == GPUAGG_T_NUMERIC)
		scale = probe->scale;
	if (lookup->nkeys == 0)
		lookup->probe = *probe;
	lookup->nkeys = add_column(lookup, column, type, scale) + 1;
	return true;
}

bool
gpuagg_lower_probe(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggValue *probe,
				   Expr *column, uint8 type, uint8 scale)
{
	const bool	string = gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES;
	GpuAggValue value = *probe;

	/* the table's are without their blanks, too (node/lookups.c) */
	if (type == GPUAGG_T_BPCHAR &&
		!gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, probe, NULL, NULL, 0, &value))
		return false;
	return add_key(lookup, &value, column, type, scale) &&
		gpuagg_lower_op(lw, string ? GPUAGG_OP_LOOKUP_BYTES : GPUAGG_OP_LOOKUP, GPUAGG_T_INT8,
						&value, &lookup->table, NULL, 0, &lookup->row);
}

/* row = LOOKUP(keys, table) */
static bool
lower_lookup(GpuAggLower *lw, GpuAggLookupLower *lookup, const KeyClause *keys, int nkeys)
{
	GpuAggValue probes[GPUAGG_LOOKUP_MAX_KEYS];

	for (int i = 0; i < nkeys; i++)
	{
		if (!gpuagg_lower_expr(lw, keys[i].probe, &probes[i]))
			return false;
	}
	if (nkeys == 1)
		return gpuagg_lower_probe(lw, lookup, &probes[0], keys[0].column, keys[0].type,
								  keys[0].scale);
	for (int i = 0; i < nkeys; i++)
	{
		if (!add_key(lookup, &probes[i], keys[i].column, keys[i].type, keys[i].scale))
			return false;
	}
	return gpuagg_lower_op(lw, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_T_INT8, &probes[0],
						   &probes[1], &lookup->table, 0, &lookup->row);
}

/* ------------------------------------------------------------- conditions --- */

/* The program's filter AND next */
static bool
filter_and(GpuAggLower *lw, const GpuAggValue *next)
{
	GpuAggValue acc = *next;

	if (lw->filter_reg != GPUAGG_NO_REG)
	{
		memset(&acc, 0, sizeof(acc));
		acc.reg = lw->filter_reg;
		acc.type = GPUAGG_T_BOOL;
		acc.may_fail = true;
		acc.shown_reg = GPUAGG_NO_REG;
		if (!gpuagg_lower_and_qual(lw, &acc, next))
			return false;
	}
	lw->filter_reg = acc.reg;
	return true;
}

/* Adds clauses to the filter, in PostgreSQL's order. */
static bool
filter_clauses(GpuAggLower *lw, List *clauses)
{
	ListCell   *lc;

	foreach(lc, gpuagg_order_quals(lw->root, clauses))
	{
		GpuAggValue next;

		if (!gpuagg_lower_expr(lw, lfirst_node(RestrictInfo, lc)->clause, &next) ||
			!filter_and(lw, &next))
			return false;
	}
	return true;
}

static bool
row_test(GpuAggLower *lw, const GpuAggLookupLower *lookup, GpuAggOp op, GpuAggValue *out)
{
	return gpuagg_lower_op(lw, op, GPUAGG_T_BOOL, &lookup->row, NULL, NULL, 0, out);
}

/* The row only if the clauses are true; errors where there is a row are the row's */
static bool
restrict_row(GpuAggLower *lw, GpuAggLookupLower *lookup, List *clauses)
{
	GpuAggConstant none = gpuagg_constant_make(GPUAGG_T_INT8, (Datum) 0, true);
	GpuAggValue acc;
	GpuAggValue null;
	ListCell   *lc;

	if (clauses == NIL)
		return true;
	if (!row_test(lw, lookup, GPUAGG_OP_IS_NOT_NULL, &acc))
		return false;
	foreach(lc, gpuagg_order_quals(lw->root, clauses))
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, lc);
		GpuAggValue next;

		if (!(clause == lookup->extreme ? gpuagg_fold_lower_extreme(lw, lookup, &next) :
			  gpuagg_lower_expr(lw, clause->clause, &next)))
			return false;
		/* acc may be NULL, and then hides what comes after */
		if (!gpuagg_lower_and_qual(lw, &acc, &next))
			return false;
	}
	return gpuagg_lower_constant(lw, none, &null) &&
		gpuagg_lower_op(lw, GPUAGG_OP_SELECT, GPUAGG_T_INT8, &acc, &lookup->row, &null, 0,
						&lookup->row);
}

/* Always true, but for the errors of the row */
static bool
consume_errors(GpuAggLower *lw, const GpuAggLookupLower *lookup)
{
	GpuAggValue test;
	GpuAggValue yes;

	return !lookup->row.may_fail ||
		(row_test(lw, lookup, GPUAGG_OP_IS_NULL, &test) &&
		 gpuagg_lower_bool(lw, true, &yes) &&
		 gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, &test, &yes, NULL, 0, &test) &&
		 filter_and(lw, &test));
}

/* Rows that have a match, or none, are asked for. */
static bool
filter_row(GpuAggLower *lw, GpuAggLookupLower *lookup, GpuAggOp op)
{
	if (!row_test(lw, lookup, op, &lookup->test) || !filter_and(lw, &lookup->test))
		return false;
	lookup->moves = !lookup->test.may_fail && lookup->test.notnull;
	return true;
}

static bool
lower_kind(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggJoin *join, List *rest)
{
	switch (join->type)
	{
		case JOIN_INNER:
			return filter_row(lw, lookup, GPUAGG_OP_IS_NOT_NULL) && filter_clauses(lw, rest);
		case JOIN_LEFT:
			return restrict_row(lw, lookup, rest) && consume_errors(lw, lookup);
		default:
			return restrict_row(lw, lookup, rest) &&
				filter_row(lw, lookup, join->type == JOIN_SEMI ? GPUAGG_OP_IS_NOT_NULL :
						   GPUAGG_OP_IS_NULL);
	}
}

/* ------------------------------------------------------------------ joins --- */

GpuAggLookupLower *
gpuagg_lower_add_lookup(GpuAggLower *lw)
{
	GpuAggLookupLower *lookup = &lw->lookups[lw->nlookups];
	GpuAggConstant table;

	if (lw->nlookups == GPUAGG_MAX_LOOKUPS)
	{
		(void) GPUAGG_REFUSE("more than %d inputs of a join", GPUAGG_MAX_LOOKUPS);
		return NULL;
	}
	memset(lookup, 0, sizeof(*lookup));
	memset(&table, 0, sizeof(table));
	table.value.type = GPUAGG_T_TEXT;
	table.value.state = GPUAGG_ST_NULL;
	table.value.runtime = 1;
	if (!gpuagg_lower_constant(lw, table, &lookup->table))
		return NULL;
	lw->nlookups++;
	return lookup;
}

static GpuAggLookupLower *
add_input(GpuAggLower *lw, const GpuAggJoin *join)
{
	GpuAggLookupLower *lookup = gpuagg_lower_add_lookup(lw);

	if (lookup == NULL)
		return NULL;
	lookup->rel = join->rel;
	lookup->type = join->type;
	lookup->rows = join->rel->rows;
	lookup->join = join;
	return lookup;
}

/* Keys, and that there is one row at most where there must be */
static bool
lower_keys(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggJoin *join, List **rest)
{
	KeyClause	keys[GPUAGG_LOOKUP_MAX_KEYS];
	int			nkeys = choose_keys(lw, lookup, join->on, keys);
	List	   *used = NIL;
	List	   *columns = NIL;

	if (nkeys == 0)
		return GPUAGG_REFUSE("an input is joined by no equality of integers, numerics, dates or strings");
	for (int i = 0; i < nkeys; i++)
	{
		used = list_concat(used, keys[i].clauses);
		columns = lappend(columns, keys[i].column);
	}
	*rest = list_difference_ptr(join->on, used);
	lookup->unique = join->type == JOIN_INNER || join->type == JOIN_LEFT || *rest != NIL;
	if (lookup->unique && !gpuagg_join_is_unique(lw->root, join->rel, used) &&
		!gpuagg_fold_begin(lw, lookup, columns, *rest))
		return false;
	return lower_lookup(lw, lookup, keys, nkeys);
}

/*
 * Only rows of the window at work pass, those with a NULL key in the first one.  That is
 * asked before anything of the joined row is, so it has no errors of rows of other windows.
 */
static bool
lower_window(GpuAggLower *lw, GpuAggLookupLower *lookup)
{
	GpuAggConstant filled = gpuagg_constant_make(GPUAGG_T_INT8, (Datum) 0, true);
	GpuAggConstant zero = gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(0), false);
	GpuAggValue consts[GPUAGG_WINDOW_CONSTS];
	GpuAggValue none;
	GpuAggValue remainder;
	GpuAggValue test;
	GpuAggValue other;

	if (gpuagg_constant_class(lookup->probe.type) != GPUAGG_CLASS_I64)
		return true;
	filled.value.runtime = 1;
	for (int i = 0; i < GPUAGG_WINDOW_CONSTS; i++)
	{
		if (!gpuagg_lower_constant(lw, filled, &consts[i]))
			return false;
	}
	lookup->windowed = true;
	lookup->window = consts[0];
	return gpuagg_lower_constant(lw, zero, &none) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT_MOD, GPUAGG_T_INT8, &lookup->probe, &consts[0], NULL, 0, &remainder) &&
		gpuagg_lower_op(lw, GPUAGG_OP_COALESCE, GPUAGG_T_INT8, &remainder, &none, NULL, 0, &remainder) &&
		gpuagg_lower_op(lw, GPUAGG_OP_I64_EQ, GPUAGG_T_BOOL, &remainder, &consts[1], NULL, 0, &test) &&
		gpuagg_lower_op(lw, GPUAGG_OP_I64_EQ, GPUAGG_T_BOOL, &remainder, &consts[2], NULL, 0, &other) &&
		gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, &test, &other, NULL, 0, &test) &&
		filter_and(lw, &test);
}

bool
gpuagg_lower_join(GpuAggLower *lw, const GpuAggJoin *join, bool windowed)
{
	GpuAggLookupLower *lookup = add_input(lw, join);
	List	   *rest;

	if (lookup == NULL || !lower_keys(lw, lookup, join, &rest) ||
		(windowed && !lower_window(lw, lookup)) ||
		!lower_kind(lw, lookup, join, rest) || !filter_clauses(lw, join->filter))
		return false;
	lookup->closed = join->type == JOIN_SEMI;
	lw->filter_instrs = lw->ninstrs;
	return true;
}
