/*
 * why_not.c
 *		gpuagg.why_not(query text): why a query is not run on the device.
 *
 * Plans the query, without running it, while the planner hook reports what
 * it sees (GpuAggSurvey).  One row for each obstacle; no row if every
 * grouping step of the chosen plan is a GpuAgg node.  $1, $2 ... may stand in
 * the query.  As for EXPLAIN, the user must be allowed to run it.
 */
#include "postgres.h"

#include "compat.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "gpuagg.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "planner/agg_path.h"
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

/* GpuAgg nodes in a plan tree, those that only a fallback would run apart */
static int
count_nodes(Plan *plan)
{
	int			n;
	ListCell   *lc;

	if (plan == NULL)
		return 0;
	if (IsA(plan, CustomScan) &&
		strcmp(((CustomScan *) plan)->methods->CustomName,
			   GPUAGG_NODE_NAME) == 0)
		return 1;
	n = count_nodes(plan->lefttree) + count_nodes(plan->righttree);
	switch (nodeTag(plan))
	{
		case T_Append:
			foreach(lc, ((Append *) plan)->appendplans)
				n += count_nodes((Plan *) lfirst(lc));
			break;
		case T_MergeAppend:
			foreach(lc, ((MergeAppend *) plan)->mergeplans)
				n += count_nodes((Plan *) lfirst(lc));
			break;
		case T_SubqueryScan:
			n += count_nodes(((SubqueryScan *) plan)->subplan);
			break;
		case T_CustomScan:
			foreach(lc, ((CustomScan *) plan)->custom_plans)
				n += count_nodes((Plan *) lfirst(lc));
			break;
		default:
			break;
	}
	return n;
}

static int
count_statement(PlannedStmt *stmt)
{
	int			n = count_nodes(stmt->planTree);
	ListCell   *lc;

	foreach(lc, stmt->subplans)
		n += count_nodes((Plan *) lfirst(lc));
	return n;
}

/*
 * Plans what the query is rewritten to.  Returns the number of GpuAgg nodes;
 * the survey stands in *survey.
 */
static int
survey_query(Query *query, const char *text, GpuAggSurvey *survey)
{
	GpuAggSurvey *outer = gpuagg_active_survey;
	List	   *queries = QueryRewrite(query);
	int			n = 0;

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
			stmt = pg_plan_query(one, text, CURSOR_OPT_PARALLEL_OK, NULL);
			gpuagg_check_permissions(stmt);
			n += count_statement(stmt);
		}
	}
	PG_FINALLY();
	{
		gpuagg_active_survey = outer;
	}
	PG_END_TRY();
	return n;
}

/* What is to be said, a List of char * */
static List *
make_report(const GpuAggSurvey *survey, int used)
{
	List	   *report = list_copy(survey->reasons);
	int			dearer = 0;
	ListCell   *lc;

	if (survey->groupings == 0)
		return list_make1("the query has no GROUP BY and no aggregate to run on the device");
	if (used < list_length(survey->steps))
	{
		foreach(lc, survey->steps)
		{
			GpuAggStep *step = (GpuAggStep *) lfirst(lc);

			if (step->device_cost <= step->postgres_cost)
				continue;
			dearer++;
			report = lappend(report,
							 psprintf("PostgreSQL's plan for table \"%s\" is estimated to be cheaper: cost %.2f, %.2f on the device",
									  step->table, step->postgres_cost,
									  step->device_cost));
		}
		if (dearer == 0)
			report = lappend(report,
							 "PostgreSQL's plan is estimated to be cheaper for the query as a whole (its order, its LIMIT or its index)");
	}
	if (!gpuagg_enable && survey->steps != NIL)
		report = lappend(report, "gpuagg.enable is off");
	return report;
}

Datum
gpuagg_why_not(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *query = text_to_cstring(PG_GETARG_TEXT_PP(0));
	GpuAggSurvey survey = {0};
	List	   *report;
	int			used;
	ListCell   *lc;

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	used = survey_query(parse_query(query), query, &survey);
	report = make_report(&survey, used);
	foreach(lc, report)
	{
		Datum		value = CStringGetTextDatum((char *) lfirst(lc));
		bool		isnull = false;

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value,
							 &isnull);
	}
	return (Datum) 0;
}
