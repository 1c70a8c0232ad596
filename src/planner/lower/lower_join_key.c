/*
 * lower_join_key.c
 *		What a row of a join's input is looked up by.
 *
 * Keys are integers and what is held as such (one or two), or one string; the input's
 * side is a column, or computed of some by PostgreSQL.  Other equalities are conditions.
 *
 * Where such keys do not tell rows apart and there are more equalities, up to four are the
 * key, and helper tables find numbers for strings, and for wide integers where there are too
 * many:
 *
 *		number = LOOKUP(value, helper)		NULL: no row has this value
 *		row = LOOKUP_PAIR(word, word, table)	a word is a value, a number, or two short ones
 *
 * A helper has the values of one column of the input, each once; a value's number is that of its
 * row.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/ops_lookup.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_func.h"
#include "planner/lower/lower_handlers.h"
#include "planner/lower/lower_join.h"
#include "planner/plan/join_tree.h"
#include "planner/value/args.h"
#include "planner/value/harmless.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

/* ---------------------------------------------------------------- clauses --- */

/* What a clause compares: the chain's side, and a column of the input or what is made of some */
typedef struct KeyClause
{
	RestrictInfo *clause;
	Expr	   *probe;
	Expr	   *column;
	uint8		type;
	GpuAggScale scale;
	uint8		form;			/* GPUAGG_KEY_... */
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
gpuagg_lower_is_join_key(Oid collation, Oid own, uint8 type)
{
	return is_key_type(type) &&
		((type != GPUAGG_T_TEXT && type != GPUAGG_T_BPCHAR) ||
		 (gpuagg_collation_is_bytewise(collation) && gpuagg_collation_is_bytewise(own)));
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

/*
 * A probe of another type of time than the input's, which it is made: as PostgreSQL compares
 * them, but for values that have no such form, which are errors of the device's.  Not the other way
 * round: making the table must not raise one.
 */
static bool
widen_probe(Oid function, bool right, Expr **probe)
{
	const GpuAggFunction *f = gpuagg_function(function);
	const GpuAggFunctionId cast = right ? gpuagg_lower_wider_time(f->args[0], f->args[1]) :
		gpuagg_lower_wider_time(f->args[1], f->args[0]);

	if (cast == GPUAGG_F_NONE || f->op != GPUAGG_OP_I64_EQ)
		return false;
	*probe = gpuagg_call(cast, list_make1(*probe));
	return true;
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
	key->form = 0;
	key->clause = clause;
	key->probe = right ? gpuagg_arg(op->args, 0) : gpuagg_arg(op->args, 1);
	if ((!right && !bms_is_subset(clause->left_relids, lookup->rel->relids)) ||
		((!gpuagg_lower_is_equality(op->opfuncid, &negated) || negated) &&
		 !widen_probe(op->opfuncid, right, &key->probe)))
		return false;
	/* a text as char(n) is the same bytes, of which the blanks go in any case */
	if (gpuagg_lower_ignores_blanks(op->opfuncid))
		key->probe = (Expr *) bare_expr((Node *) key->probe);
	key->column = key_column(lookup, right ? gpuagg_arg(op->args, 1) : gpuagg_arg(op->args, 0));
	return key->column != NULL &&
		gpuagg_constant_column(exprType((Node *) key->column), exprTypmod((Node *) key->column),
							   &key->type, &key->scale) &&
		gpuagg_lower_is_join_key(op->inputcollid, exprCollation((Node *) key->column), key->type) &&
		gpuagg_lower_ignores_blanks(op->opfuncid) == (key->type == GPUAGG_T_BPCHAR);
}

static bool
is_short_integer(const Expr *expr)
{
	const Oid	type = exprType((const Node *) expr);

	return type == INT2OID || type == INT4OID;
}

/* Two integers if there are, else one, else a string */
static int
choose_keys(const GpuAggLookupLower *lookup, List *on, KeyClause *keys)
{
	KeyClause	key;
	int			n = 0;
	ListCell   *lc;

	foreach(lc, on)
	{
		if (n < GPUAGG_LOOKUP_MAX_KEYS && key_clause(lookup, lfirst(lc), &key) &&
			gpuagg_constant_class(key.type) == GPUAGG_CLASS_I64)
			keys[n++] = key;
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

/* ------------------------------------------------------------ many columns --- */

/* Does it fit half a word? */
static bool
is_short(const KeyClause *key)
{
	const Oid	probe = exprType((Node *) key->probe);
	const Oid	column = exprType((Node *) key->column);

	return (key->form & GPUAGG_KEY_NUMBERED) != 0 ||
		(probe == DATEOID && column == DATEOID) ||
		(is_short_integer(key->probe) && is_short_integer(key->column));
}

static List *
used_clauses(const KeyClause *keys, int n)
{
	List	   *used = NIL;

	for (int i = 0; i < n; i++)
		used = lappend(used, keys[i].clause);
	return used;
}

/*
 * Numbers take the place of strings; of other wide values, the last ones first, until two words
 * have room for all.  Wide ones come first then, and the last short ones share a word.
 */
static void
form_keys(KeyClause *keys, int n)
{
	KeyClause	sorted[GPUAGG_KEY_COLUMNS] = {0};
	int			wide = 0;
	int			at = 0;

	for (int i = 0; i < n; i++)
	{
		if (gpuagg_constant_class(keys[i].type) == GPUAGG_CLASS_BYTES)
			keys[i].form = GPUAGG_KEY_NUMBERED;
		wide += !is_short(&keys[i]);
	}
	for (int i = n - 1; i >= 0; i--)
	{
		if (wide + (n - wide + 1) / 2 <= GPUAGG_LOOKUP_MAX_KEYS || is_short(&keys[i]))
			continue;
		keys[i].form = GPUAGG_KEY_NUMBERED;
		wide--;
	}
	for (int i = 0; i < n; i++)
		if (!is_short(&keys[i]))
			sorted[at++] = keys[i];
	for (int i = 0; i < n; i++)
		if (is_short(&keys[i]))
			sorted[at++] = keys[i];
	memcpy(keys, sorted, n * sizeof(KeyClause));
	for (int i = 0; i < n - GPUAGG_LOOKUP_MAX_KEYS; i++)
		keys[n - 1 - 2 * i].form |= GPUAGG_KEY_LOWER;
}

/*
 * All equalities, where fewer do not tell rows apart; how many columns, 0: there are not more.
 * Both words are made of them then.
 */
static int
choose_many(GpuAggLower *lw, const GpuAggLookupLower *lookup, List *on, const List *used,
			KeyClause *keys)
{
	int			n = 0;
	ListCell   *lc;

	foreach(lc, on)
	{
		if (n < GPUAGG_KEY_COLUMNS && key_clause(lookup, lfirst(lc), &keys[n]))
			n++;
	}
	if (n <= list_length(used))
		return 0;
	form_keys(keys, n);
	return n;
}

int
gpuagg_lower_numbered_keys(const GpuAggLookupLower *lookup)
{
	int			n = 0;

	for (int i = 0; i < GPUAGG_KEY_COLUMNS; i++)
		n += (lookup->forms[i] & GPUAGG_KEY_NUMBERED) != 0;
	return n;
}

/* ------------------------------------------------------------------ probes --- */

/* May the column's value be compared with the probe's as device values are?  *scale: at this one */
static bool
check_types(const GpuAggLowered *probe, uint8 type, GpuAggScale *scale)
{
	if (gpuagg_constant_class(probe->type) != gpuagg_constant_class(type) ||
		!is_key_type(probe->type) ||
		(probe->type == GPUAGG_T_NUMERIC) != (type == GPUAGG_T_NUMERIC))
		return GPUAGG_REFUSE("a join compares types in a way that is not supported");
	/* a row of the input with more decimals matches nothing (node/lookup/lookups.c) */
	if (type == GPUAGG_T_NUMERIC)
		*scale = probe->scale;
	return true;
}

/* The next key of the table, that a row is looked up by */
static bool
add_key(GpuAggLookupLower *lookup, const GpuAggLowered *probe, Expr *column, uint8 type,
		GpuAggScale scale)
{
	if (!check_types(probe, type, &scale))
		return false;
	if (lookup->nkeys == 0)
		lookup->probe = *probe;
	lookup->nkeys = gpuagg_lower_add_column(lookup, column, type, scale) + 1;
	return true;
}

/* A string as the table has it: of char(n) without blanks (node/lookup/lookups.c) */
static bool
without_blanks(GpuAggLower *lw, uint8 type, GpuAggLowered *value)
{
	return type != GPUAGG_T_BPCHAR ||
		gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, value, NULL, NULL, 0, value);
}

bool
gpuagg_lower_probe(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggLowered *probe,
				   Expr *column, uint8 type, GpuAggScale scale)
{
	const bool	string = gpuagg_constant_class(type) == GPUAGG_CLASS_BYTES;
	GpuAggLowered value = *probe;

	return without_blanks(lw, type, &value) && add_key(lookup, &value, column, type, scale) &&
		gpuagg_lower_op(lw, string ? GPUAGG_OP_LOOKUP_BYTES : GPUAGG_OP_LOOKUP, GPUAGG_T_INT8,
						&value, &lookup->table, NULL, 0, &lookup->row);
}

/* row = LOOKUP(keys, table) */
static bool
lower_lookup(GpuAggLower *lw, GpuAggLookupLower *lookup, const KeyClause *keys, int nkeys)
{
	GpuAggLowered probes[GPUAGG_LOOKUP_MAX_KEYS];

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

/* The number of a value of the table's next key column, which a helper finds */
static bool
lower_number(GpuAggLower *lw, GpuAggLookupLower *lookup, const KeyClause *key, GpuAggLowered *value)
{
	const bool	string = gpuagg_constant_class(key->type) == GPUAGG_CLASS_BYTES;
	GpuAggLookupLower *helper = gpuagg_lower_add_lookup(lw);
	GpuAggLowered	probe = *value;

	if (helper == NULL || !without_blanks(lw, key->type, &probe) ||
		!add_key(helper, &probe, key->column, key->type, key->scale))
		return false;
	helper->type = JOIN_LEFT;
	helper->unique = true;
	helper->closed = true;
	helper->rows = estimate_num_groups(lw->root, list_make1(key->column), lookup->rows, NULL, NULL);
	helper->helps = lookup - lw->lookups + 1;
	helper->helped = lookup->nkeys;
	lookup->nkeys = gpuagg_lower_add_column(lookup, key->column, key->type, helper->scales[0]) + 1;
	return gpuagg_lower_op(lw, string ? GPUAGG_OP_LOOKUP_BYTES : GPUAGG_OP_LOOKUP, GPUAGG_T_INT8,
						   &probe, &helper->table, NULL, 0, value);
}

/* *high = high << 32 | low & 0xFFFFFFFF, as node/lookup/lookup_table.c has it */
static bool
share_word(GpuAggLower *lw, GpuAggLowered *high, const GpuAggLowered *low)
{
	GpuAggLowered bits;
	GpuAggLowered mask;

	return gpuagg_lower_constant(lw, gpuagg_constant_make(GPUAGG_T_INT4, Int32GetDatum(32), false),
								 &bits) &&
		gpuagg_lower_constant(
			   lw,
			   gpuagg_constant_make(GPUAGG_T_INT8, Int64GetDatum(INT64CONST(0xFFFFFFFF)), false),
			   &mask) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT8_SHL, GPUAGG_T_INT8, high, &bits, NULL, 0, high) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT_AND, GPUAGG_T_INT8, low, &mask, NULL, 0, &mask) &&
		gpuagg_lower_op(lw, GPUAGG_OP_INT_OR, GPUAGG_T_INT8, high, &mask, NULL, 0, high);
}

/* row = LOOKUP_PAIR(word, word, table) */
static bool
lower_many(GpuAggLower *lw, GpuAggLookupLower *lookup, const KeyClause *keys, int n)
{
	GpuAggLowered words[GPUAGG_LOOKUP_MAX_KEYS];
	int			nwords = 0;

	for (int i = 0; i < n; i++)
	{
		GpuAggLowered value;

		if (!gpuagg_lower_expr(lw, keys[i].probe, &value))
			return false;
		lookup->forms[i] = keys[i].form;
		if (!((keys[i].form & GPUAGG_KEY_NUMBERED) != 0 ?
				  lower_number(lw, lookup, &keys[i], &value) :
				  add_key(lookup, &value, keys[i].column, keys[i].type, keys[i].scale)))
			return false;
		if ((keys[i].form & GPUAGG_KEY_LOWER) == 0)
			words[nwords++] = value;
		else if (!share_word(lw, &words[nwords - 1], &value))
			return false;
	}
	return gpuagg_lower_op(lw, GPUAGG_OP_LOOKUP_PAIR, GPUAGG_T_INT8, &words[0], &words[1],
						   &lookup->table, 0, &lookup->row);
}

/* ------------------------------------------------------------------- keys --- */

/* Is there one row of a key at most, if clauses of ON are left?  Else the input is folded. */
static bool
is_known_unique(GpuAggLower *lw, const GpuAggLookupLower *lookup, const GpuAggJoin *join,
				List *used)
{
	return (join->type != JOIN_INNER && join->type != JOIN_LEFT &&
			list_difference_ptr(join->on, used) == NIL) ||
		gpuagg_join_is_unique(lw->root, join->rel, used);
}

bool
gpuagg_lower_join_keys(GpuAggLower *lw, GpuAggLookupLower *lookup, const GpuAggJoin *join,
					   List **rest)
{
	KeyClause	keys[GPUAGG_LOOKUP_MAX_KEYS];
	KeyClause	many[GPUAGG_KEY_COLUMNS];
	int			nkeys = choose_keys(lookup, join->on, keys);
	int			nmany = 0;
	List	   *used = used_clauses(keys, nkeys);
	List	   *columns = NIL;

	if (nkeys == 0)
		return GPUAGG_REFUSE(
			"an input is joined by no equality of integers, numerics, dates or strings");
	if (!is_known_unique(lw, lookup, join, used) &&
		(nmany = choose_many(lw, lookup, join->on, used, many)) > 0)
		used = used_clauses(many, nmany);
	for (int i = 0; i < Max(nkeys, nmany); i++)
		columns = lappend(columns, nmany > 0 ? many[i].column : keys[i].column);
	*rest = list_difference_ptr(join->on, used);
	lookup->unique = join->type == JOIN_INNER || join->type == JOIN_LEFT || *rest != NIL;
	if (lookup->unique && !gpuagg_join_is_unique(lw->root, join->rel, used) &&
		!gpuagg_fold_begin(lw, lookup, columns, *rest))
		return false;
	return nmany > 0 ? lower_many(lw, lookup, many, nmany) : lower_lookup(lw, lookup, keys, nkeys);
}
