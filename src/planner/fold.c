/*
 * fold.c
 *		Constants computed as the planner will, before it does (fold.h).
 *
 * Whether a query may be rewritten is asked of a copy, parts of which the planner might drop before
 * it computes them.  So an error of theirs is nobody's yet.  It is caught without a subtransaction:
 * immutable functions of PostgreSQL's own hold nothing that one would have to release.
 */
#include "postgres.h"

#include "access/transam.h"
#include "ipc/errors.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/fold.h"

static bool
is_of_others(Oid function, void *context)
{
	return function >= FirstGenbkiObjectId;
}

static bool
calls_others(Node *node, void *context)
{
	return node != NULL && (check_functions_in_node(node, is_of_others, NULL) ||
							expression_tree_walker(node, calls_others, context));
}

static Node *
try_to_fold(Node *node, bool *failed)
{
	MemoryContext context = CurrentMemoryContext;
	Node	   *volatile folded = node;

	PG_TRY();
	{
		folded = eval_const_expressions(NULL, node);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (!gpuagg_error_is_of_values(geterrcode()))
			PG_RE_THROW();
		FlushErrorState();
		*failed = true;
	}
	PG_END_TRY();
	return folded;
}

static Node *
fold_mutator(Node *node, void *context)
{
	bool	   *failed = context;

	if (node == NULL || *failed)
		return node;
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fold_mutator, context, 0);
	*failed = calls_others(node, NULL);
	return *failed ? node : try_to_fold(node, failed);
}

bool
gpuagg_fold_constants(Node *node, Node **folded)
{
	bool		failed = false;

	*folded = fold_mutator(node, &failed);
	return !failed;
}
