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
#include "ipc/shmem.h"
#include "nodes/extensible.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/analyze.h"
#include "planner/agg_path.h"
#include "planner/offer.h"
#include "planner/refuse.h"
#include "planner/sample_path.h"
#include "rewrite/rewriteHandler.h"
#include "settings.h"
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

static const char *const node_names[GPUAGG_NSTEPS] = {
	[GPUAGG_STEP_GROUPING] = GPUAGG_NODE_NAME,
	[GPUAGG_STEP_SAMPLE] = GPUAGG_SAMPLE_NODE_NAME
};

/* Is it a node of this module?  *kind tells of which. */
static bool
is_device_node(const Plan *plan, GpuAggStepKind *kind)
{
	const char *name;

	if (!IsA(plan, CustomScan))
		return false;
	name = ((const CustomScan *) plan)->methods->CustomName;
	for (int i = 0; i < GPUAGG_NSTEPS; i++)
	{
		*kind = i;
		if (strcmp(name, node_names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Adds our nodes in a plan tree by their kinds, those that only a fallback
 * would run apart.
 */
static void
count_nodes(Plan *plan, int *used)
{
	GpuAggStepKind kind;
	ListCell   *lc;

	if (plan == NULL)
		return;
	if (is_device_node(plan, &kind))
	{
		used[kind]++;
		return;
	}
	count_nodes(plan->lefttree, used);
	count_nodes(plan->righttree, used);
	switch (nodeTag(plan))
	{
		case T_Append:
			foreach(lc, ((Append *) plan)->appendplans)
				count_nodes((Plan *) lfirst(lc), used);
			break;
		case T_MergeAppend:
			foreach(lc, ((MergeAppend *) plan)->mergeplans)
				count_nodes((Plan *) lfirst(lc), used);
			break;
		case T_SubqueryScan:
			count_nodes(((SubqueryScan *) plan)->subplan, used);
			break;
		case T_CustomScan:
			foreach(lc, ((CustomScan *) plan)->custom_plans)
				count_nodes((Plan *) lfirst(lc), used);
			break;
		default:
			break;
	}
}

static void
count_statement(PlannedStmt *stmt, int *used)
{
	ListCell   *lc;

	count_nodes(stmt->planTree, used);
	foreach(lc, stmt->subplans)
		count_nodes((Plan *) lfirst(lc), used);
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
			stmt = pg_plan_query(one, text, CURSOR_OPT_PARALLEL_OK, NULL);
			gpuagg_check_permissions(stmt);
			count_statement(stmt, used);
		}
	}
	PG_FINALLY();
	{
		gpuagg_active_survey = outer;
	}
	PG_END_TRY();
}

/*
 * Why steps that the device could take were not planned on it; appends to
 * the report.
 */
static List *
report_steps(List *report, const GpuAggSurvey *survey, GpuAggStepKind kind,
			 int used)
{
	int			steps = 0;
	List	   *dearer = NIL;
	ListCell   *lc;

	foreach(lc, survey->steps)
	{
		GpuAggStep *step = (GpuAggStep *) lfirst(lc);

		if (step->kind != kind)
			continue;
		steps++;
		if (step->dearer != NULL)
			dearer = lappend(dearer, step->dearer);
	}
	if (used >= steps)
		return report;
	if (dearer == NIL)
		dearer = list_make1("PostgreSQL's plan is estimated to be cheaper for the query as a whole (its order, its LIMIT or its index)");
	return list_concat(report, dearer);
}

/* Of a query of several steps it is told which one has the obstacle. */
static List *
report_obstacles(const GpuAggSurvey *survey)
{
	List	   *report = NIL;
	ListCell   *lc;

	foreach(lc, survey->obstacles)
	{
		const GpuAggObstacle *obstacle = lfirst(lc);
		char	   *reason = obstacle->reason;

		if (survey->seen > 1 && obstacle->part != NULL)
			reason = psprintf("grouping of %s: %s", obstacle->part, reason);
		report = gpuagg_refuse_append(report, reason);
	}
	return report;
}

/* A plan on the device is of no use while there is none. */
static List *
report_device(List *report)
{
	char		why_not[GPUAGG_MESSAGE_BYTES];
	GpuAggDeviceView view;

	gpuagg_shmem_device_nth(gpuagg_shmem_plan_device(), &view);
	if (!gpuagg_shmem_why_not(&view, why_not))
		return report;
	return lappend(report, psprintf("no device takes tasks at present: %s", why_not));
}

/* What is to be said, a List of char * */
static List *
make_report(const GpuAggSurvey *survey, const int *used)
{
	List	   *report = report_obstacles(survey);

	if (survey->seen == 0)
		return list_make1("the query has no GROUP BY, no DISTINCT, no aggregate and no TABLESAMPLE to run on the device");
	for (int kind = 0; kind < GPUAGG_NSTEPS; kind++)
		report = report_steps(report, survey, kind, used[kind]);
	if (!gpuagg_enable && survey->steps != NIL)
		report = lappend(report, "gpuagg.enable is off");
	return report_device(report);
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
