/*
 * fold.c
 *		Constants computed as the planner will, before it does (fold.h).
 *
 * Whether a query may be rewritten is asked of a copy, parts of which the planner might drop before
 * it computes them.  So an error of theirs is nobody's yet.  It is caught without a subtransaction:
 * what PostgreSQL's planner and its own immutable functions hold then, entries of caches, belongs
 * to a resource owner that is released.
 */
#include "postgres.h"

#include "access/transam.h"
#include "ipc/errors.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "planner/value/fold.h"
#include "utils/resowner.h"

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

static void
owner_end(ResourceOwner owner, ResourceOwner before)
{
	CurrentResourceOwner = before;
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	/* locks stay the transaction's */
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, true, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
}

static Node *
try_to_fold(Node *node, bool *failed)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner before = CurrentResourceOwner;
	ResourceOwner owner = ResourceOwnerCreate(before, "gpuagg fold");
	Node	   *volatile folded = node;

	CurrentResourceOwner = owner;
	PG_TRY();
	{
		folded = eval_const_expressions(NULL, node);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (!gpuagg_error_is_of_values(geterrcode()))
		{
			CurrentResourceOwner = before;
			PG_RE_THROW();
		}
		FlushErrorState();
		*failed = true;
	}
	PG_END_TRY();
	owner_end(owner, before);
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
