/*
 * survey_report.c
 *		What a survey of a planning has seen (planner/offer/offer.h), in words: for
 *		gpuagg.why_not() and EXPLAIN (GPUAGG).
 */
#include "postgres.h"

#include "functions/survey_report.h"
#include "ipc/shmem.h"
#include "nodes/extensible.h"
#include "planner/path/agg_path.h"
#include "planner/path/sample_path.h"
#include "planner/plan/plan.h"
#include "planner/plan/refuse.h"
#include "settings.h"

#define NS_IN_MS 1e6

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
 * Adds our nodes in a plan tree to a List, the upper ones first; below them, too, if that
 * is asked for, but for those that only a fallback would run.
 */
static List *
collect_nodes(List *nodes, Plan *plan, bool below)
{
	GpuAggStepKind kind;
	List	   *children = NIL;
	ListCell   *lc;

	if (plan == NULL)
		return nodes;
	if (is_device_node(plan, &kind))
	{
		nodes = lappend(nodes, plan);
		if (below)
			children = list_copy_tail(((CustomScan *) plan)->custom_plans,
									  GPUAGG_PLAN_FALLBACK + 1);
	}
	else
	{
		nodes = collect_nodes(nodes, plan->lefttree, below);
		nodes = collect_nodes(nodes, plan->righttree, below);
		switch (nodeTag(plan))
		{
			case T_Append:
				children = ((Append *) plan)->appendplans;
				break;
			case T_MergeAppend:
				children = ((MergeAppend *) plan)->mergeplans;
				break;
			case T_SubqueryScan:
				children = list_make1(((SubqueryScan *) plan)->subplan);
				break;
			case T_CustomScan:
				children = ((CustomScan *) plan)->custom_plans;
				break;
			default:
				break;
		}
	}
	foreach(lc, children)
		nodes = collect_nodes(nodes, (Plan *) lfirst(lc), below);
	return nodes;
}

List *
gpuagg_device_nodes(PlannedStmt *stmt, bool below)
{
	List	   *nodes = collect_nodes(NIL, stmt->planTree, below);
	ListCell   *lc;

	foreach(lc, stmt->subplans)
		nodes = collect_nodes(nodes, (Plan *) lfirst(lc), below);
	return nodes;
}

/* Of several tables one prediction is that of all */
static double
node_ns(const CustomScan *node)
{
	List	   *private = node->custom_private;

	if (gpuagg_plan_has_tables(private))
	{
		List	   *programs;
		List	   *program_of;
		int			pruned;
		bool		shared;

		gpuagg_plan_unpack_tables(private, &programs, &program_of, &pruned, &shared);
		private = linitial_node(List, programs);
	}
	return gpuagg_plan_unpack(private)->predicted.total;
}

double
gpuagg_survey_predicted_ms(double ms, PlannedStmt *stmt)
{
	ListCell   *lc;

	foreach(lc, gpuagg_device_nodes(stmt, true))
		ms = Max(ms, 0) + node_ns(lfirst_node(CustomScan, lc)) / NS_IN_MS;
	return ms;
}

void
gpuagg_survey_count(PlannedStmt *stmt, int *used)
{
	ListCell   *lc;

	foreach(lc, gpuagg_device_nodes(stmt, false))
	{
		GpuAggStepKind kind;

		if (is_device_node((Plan *) lfirst(lc), &kind))
			used[kind]++;
	}
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

	gpuagg_shmem_device(gpuagg_shmem_plan_device(), &view);
	if (!gpuagg_shmem_why_not(&view, why_not))
		return report;
	return lappend(report, psprintf("no device takes tasks at present: %s", why_not));
}

List *
gpuagg_survey_report(const GpuAggSurvey *survey, const int *used)
{
	List	   *report = report_obstacles(survey);

	if (survey->seen == 0 && !survey->bystander)
		return list_make1("the query has no GROUP BY, no DISTINCT, no aggregate and no TABLESAMPLE to run on the device");
	for (int kind = 0; kind < GPUAGG_NSTEPS; kind++)
		report = report_steps(report, survey, kind, used[kind]);
	if (!gpuagg_enable && (survey->steps != NIL || survey->bystander))
		report = lappend(report, "gpuagg.enable is off");
	return report_device(report);
}
