/*
 * expr_hash.c
 *		By what expressions are remembered (expr_hash.h).
 *
 * What tells a node, without its place in the text, and then its arguments, are written
 * behind each other and hashed.  A join's conditions are asked for with every statement, so
 * nodes of the usual kinds write their fields; others write all that they are as text, which
 * takes twenty times as long.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/estimate/expr_hash.h"
#include "rewrite/rewriteManip.h"
#include "utils/datum.h"

typedef struct Writing
{
	StringInfoData text;
	Index		relid;
} Writing;

static bool
has_param(Node *node, void *context)
{
	return node != NULL &&
		(IsA(node, Param) || expression_tree_walker(node, has_param, context));
}

static void
write_number(Writing *w, int64 number)
{
	appendBinaryStringInfo(&w->text, (const char *) &number, sizeof(number));
}

static void
write_numbers(Writing *w, int64 a, int64 b, int64 c)
{
	const int64 numbers[] = {a, b, c};

	appendBinaryStringInfo(&w->text, (const char *) numbers, sizeof(numbers));
}

/* Which columns outer joins have made NULL is numbered as the query is; that says nothing. */
static void
write_var(Writing *w, const Var *var)
{
	write_number(w, var->varno == w->relid && var->varlevelsup == 0 ? 1 : var->varno);
	write_numbers(w, var->varattno, var->vartype, var->vartypmod);
	write_numbers(w, var->varcollid, var->varlevelsup, 0);
}

static void
write_const(Writing *w, const Const *c)
{
	write_numbers(w, c->consttype, c->constcollid, c->constisnull);
	if (c->constisnull)
		return;
	if (c->constbyval)
		write_number(w, (int64) c->constvalue);
	else
	{
		Size		bytes = datumGetSize(c->constvalue, false, c->constlen);

		write_number(w, bytes);
		appendBinaryStringInfo(&w->text, DatumGetPointer(c->constvalue), bytes);
	}
}

/* Of a node of any kind: its text, without places */
static void
write_text(Writing *w, Node *node)
{
	static const char place[] = ":location ";
	Node	   *copy = copyObject(node);
	char	   *from;

	ChangeVarNodes(copy, w->relid, 1, 0);
	from = nodeToString(copy);
	while (*from != '\0')
	{
		char	   *next = strstr(from, place);
		Size		bytes = next != NULL ? next - from : strlen(from);

		appendBinaryStringInfo(&w->text, from, bytes);
		from += bytes;
		if (next == NULL)
			break;
		from += strlen(place);
		from += strspn(from, "-0123456789");
	}
}

/* Fields that tell a node besides its kind and arguments; false: of another kind */
static bool
write_fields(Writing *w, Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			write_var(w, (Var *) node);
			return true;
		case T_Const:
			write_const(w, (Const *) node);
			return true;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			write_numbers(w, ((OpExpr *) node)->opno, ((OpExpr *) node)->inputcollid,
						  list_length(((OpExpr *) node)->args));
			return true;
		case T_ScalarArrayOpExpr:
			write_numbers(w, ((ScalarArrayOpExpr *) node)->opno,
						  ((ScalarArrayOpExpr *) node)->inputcollid,
						  ((ScalarArrayOpExpr *) node)->useOr);
			return true;
		case T_FuncExpr:
			write_numbers(w, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->inputcollid,
						  list_length(((FuncExpr *) node)->args));
			write_numbers(w, ((FuncExpr *) node)->funcresulttype, ((FuncExpr *) node)->funccollid,
						  ((FuncExpr *) node)->funcvariadic);
			return true;
		case T_BoolExpr:
			write_number(w, ((BoolExpr *) node)->boolop);
			write_number(w, list_length(((BoolExpr *) node)->args));
			return true;
		case T_RelabelType:
			write_numbers(w, ((RelabelType *) node)->resulttype,
						  ((RelabelType *) node)->resulttypmod,
						  ((RelabelType *) node)->resultcollid);
			return true;
		case T_NullTest:
			write_number(w, ((NullTest *) node)->nulltesttype);
			write_number(w, ((NullTest *) node)->argisrow);
			return true;
		case T_List:
			write_number(w, list_length((List *) node));
			return true;
		case T_FromExpr:
			write_number(w, list_length(((FromExpr *) node)->fromlist));
			return true;
		case T_JoinExpr:
			write_number(w, ((JoinExpr *) node)->jointype);
			return true;
		case T_RangeTblRef:
			write_number(w, ((RangeTblRef *) node)->rtindex);
			return true;
		default:
			return false;
	}
}

static bool
write_node(Node *node, void *context)
{
	Writing    *w = context;

	if (node == NULL)
		return false;
	write_number(w, nodeTag(node));
	if (write_fields(w, node))
		return expression_tree_walker(node, write_node, context);
	write_text(w, node);
	return false;
}

uint64
gpuagg_exprs_hash(List *exprs, Index relid)
{
	Writing		w = {.relid = relid};
	uint64		hash = 0;
	ListCell   *lc;

	if (exprs == NIL || has_param((Node *) exprs, NULL) ||
		contain_mutable_functions((Node *) exprs))
		return 0;
	initStringInfo(&w.text);
	foreach(lc, exprs)
	{
		resetStringInfo(&w.text);
		(void) write_node(lfirst(lc), &w);
		hash += DatumGetUInt64(hash_any_extended((unsigned char *) w.text.data, w.text.len, 0));
	}
	pfree(w.text.data);
	return hash;
}
