/*
 * explain_option.c
 *		EXPLAIN (GPUAGG): the plan that is run, and below it what gpuagg.why_not()
 *		says of its steps.
 *
 * A bystander looks on from the reading of the options to the end of the plan.  It lives
 * in the context that EXPLAIN runs in, with whose end it stops looking after an error.
 * What queries of functions that the plan runs are planned for, it does not see.
 */
#include "postgres.h"

#include "compat.h"
#include "functions/explain_option.h"

#ifdef GPUAGG_HAS_EXPLAIN_OPTIONS

#include "commands/defrem.h"
#include "commands/explain.h"
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#include "functions/survey_report.h"
#include "planner/offer/offer.h"
#include "utils/snapmgr.h"

typedef struct Bystander
{
	GpuAggSurvey survey;
	GpuAggSurvey *outer;
	MemoryContextCallback callback;
} Bystander;

static int	explain_id;
static explain_per_plan_hook_type prev_explain_per_plan_hook = NULL;

static void
stop_looking(void *state)
{
	Bystander  *bystander = state;

	if (gpuagg_active_survey == &bystander->survey)
		gpuagg_active_survey = bystander->outer;
}

/* The last one counts, as of PostgreSQL's own options. */
static void
read_option(ExplainState *es, DefElem *option, ParseState *pstate)
{
	Bystander  *bystander = GetExplainExtensionState(es, explain_id);

	if (bystander != NULL)
		stop_looking(bystander);
	SetExplainExtensionState(es, explain_id, NULL);
	if (!defGetBoolean(option) || !ActiveSnapshotSet())
		return;
	bystander = palloc0(sizeof(Bystander));
	bystander->survey.bystander = true;
	bystander->survey.snapshot = GetActiveSnapshot();
	bystander->callback.func = stop_looking;
	bystander->callback.arg = bystander;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &bystander->callback);
	bystander->outer = gpuagg_active_survey;
	gpuagg_active_survey = &bystander->survey;
	SetExplainExtensionState(es, explain_id, bystander);
}

static void
explain_plan(PlannedStmt *stmt, IntoClause *into, ExplainState *es, const char *text,
			 ParamListInfo params, QueryEnvironment *environment)
{
	Bystander  *bystander = GetExplainExtensionState(es, explain_id);
	int			used[GPUAGG_NSTEPS] = {0};
	List	   *report;
	ListCell   *lc;

	if (prev_explain_per_plan_hook)
		prev_explain_per_plan_hook(stmt, into, es, text, params, environment);
	if (bystander == NULL)
		return;
	gpuagg_survey_count(stmt, used);
	report = gpuagg_survey_report(&bystander->survey, used);
	ExplainPropertyInteger("GpuAgg Nodes", NULL, used[GPUAGG_STEP_GROUPING], es);
	ExplainPropertyInteger("GpuSample Nodes", NULL, used[GPUAGG_STEP_SAMPLE], es);
	if (es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyList("Not on the Device", report, es);
	else
		foreach(lc, report)
			ExplainPropertyText("Not on the Device", lfirst(lc), es);
	/* a rule may make several plans of one query */
	bystander->survey.seen = 0;
	bystander->survey.obstacles = bystander->survey.steps = NIL;
}

void
gpuagg_explain_option_init(void)
{
	explain_id = GetExplainExtensionId("gpuagg");
	gpuagg_register_explain_option("gpuagg", read_option);
	prev_explain_per_plan_hook = explain_per_plan_hook;
	explain_per_plan_hook = explain_plan;
}

#else							/* PostgreSQL has no such options */

void
gpuagg_explain_option_init(void)
{
}

#endif
