/*
 * why_not.c
 *		gpuagg.why_not(query text): why a query is not run on the device.
 *
 * Plans the query, without running it, while the planner hook reports what
 * it sees (GpuAggSurvey).  One row for each obstacle; no row if every
 * grouping step of the chosen plan is a GpuAgg node and every other sampled
 * scan a GpuSample node.  $1, $2 ... may stand in
 * the query.  As for EXPLAIN, the user must be allowed to run it.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "extension.h"
#include "fmgr.h"
#include "funcapi.h"
#include "functions/survey_report.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(gpuagg_why_not);

/* The query inside a utility statement that has one, as EXPLAIN does. */
static Query *
inner_query(Query *query)
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
parse_query(const char *text)
{
	List	   *raw = pg_parse_query(text);
	Oid		   *types = NULL;
	int			ntypes = 0;
	Query	   *query;

	if (list_length(raw) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gpuagg.why_not() takes exactly one statement")));
	query = parse_analyze_varparams(linitial_node(RawStmt, raw), text, &types,
									&ntypes, NULL);
	query = inner_query(query);
	if (query == NULL || query->commandType == CMD_UTILITY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gpuagg.why_not() takes a statement that is planned"),
				 errhint("Give it a SELECT, INSERT, UPDATE, DELETE or MERGE.")));
	return query;
}

/*
 * Plans what the query is rewritten to.  Counts our nodes by their kinds; the
 * survey stands in *survey.
 */
static void
survey_query(Query *query, const char *text, GpuAggSurvey *survey, int *used)
{
	GpuAggSurvey *outer = gpuagg_active_survey;
	List	   *queries = QueryRewrite(query);

	gpuagg_active_survey = survey;
	PG_TRY();
	{
		ListCell   *lc;

		foreach(lc, queries)
		{
			Query	   *one = lfirst_node(Query, lc);
			PlannedStmt *stmt;

			if (one->commandType == CMD_UTILITY)
				continue;
			stmt = gpuagg_plan_query(one, text, CURSOR_OPT_PARALLEL_OK);
			gpuagg_check_permissions(stmt);
			gpuagg_survey_count(stmt, used);
		}
	}
	PG_FINALLY();
	{
		gpuagg_active_survey = outer;
	}
	PG_END_TRY();
}

Datum
gpuagg_why_not(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	GpuAggSurvey survey = {0};
	ErrorContextCallback callback = {
		.previous = error_context_stack,
		.callback = error_in_query,
		.arg = query
	};
	List	   *report;
	int			used[GPUAGG_NSTEPS] = {0};
	ListCell   *lc;

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	error_context_stack = &callback;
	survey_query(parse_query(query), query, &survey, used);
	error_context_stack = callback.previous;
	report = gpuagg_survey_report(&survey, used);
	foreach(lc, report)
	{
		Datum		value = CStringGetTextDatum((char *) lfirst(lc));
		bool		isnull = false;

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value,
							 &isnull);
	}
	return (Datum) 0;
}
