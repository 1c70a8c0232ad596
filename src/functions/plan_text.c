/*
 * plan_text.c
 *		Plans a statement's text (plan_text.h).
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "functions/plan_text.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"

Query *
gpuagg_inner_query(Query *query)
{
	Node	   *stmt = query->utilityStmt;

	if (query->commandType != CMD_UTILITY)
		return query;
	switch (nodeTag(stmt))
	{
		case T_ExplainStmt:
			return castNode(Query, ((ExplainStmt *) stmt)->query);
		case T_CreateTableAsStmt:
			stmt = ((CreateTableAsStmt *) stmt)->query;
			break;
		case T_DeclareCursorStmt:
			stmt = ((DeclareCursorStmt *) stmt)->query;
			break;
		default:
			break;
	}
	return IsA(stmt, Query) ? (Query *) stmt : NULL;
}

/* Errors in the query point into it, as in a function's body. */
static void
error_in_query(void *query)
{
	int			position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(query);
}

static Query *
parse_query(const char *text, const char *function)
{
	List	   *raw = pg_parse_query(text);
	Oid		   *types = NULL;
	int			ntypes = 0;
	Query	   *query;

	if (list_length(raw) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s takes exactly one statement", function)));
	query = parse_analyze_varparams(linitial_node(RawStmt, raw), text, &types,
									&ntypes, NULL);
	query = gpuagg_inner_query(query);
	if (query == NULL || query->commandType == CMD_UTILITY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s takes a statement that is planned", function),
				 errhint("Give it a SELECT, INSERT, UPDATE, DELETE or MERGE.")));
	return query;
}

List *
gpuagg_plan_text(const char *text, const char *function)
{
	ErrorContextCallback callback = {
		.previous = error_context_stack,
		.callback = error_in_query,
		.arg = unconstify(char *, text)
	};
	List	   *plans = NIL;
	ListCell   *lc;

	error_context_stack = &callback;
	foreach(lc, QueryRewrite(parse_query(text, function)))
	{
		Query	   *query = lfirst_node(Query, lc);
		PlannedStmt *stmt;

		if (query->commandType == CMD_UTILITY)
			continue;
		stmt = gpuagg_plan_query(query, text, CURSOR_OPT_PARALLEL_OK);
		gpuagg_check_permissions(stmt);
		plans = lappend(plans, stmt);
	}
	error_context_stack = callback.previous;
	return plans;
}
