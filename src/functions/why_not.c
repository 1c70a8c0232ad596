/*
 * why_not.c
 *		gpuagg.why_not(query text): why a query is not run on the device.
 *
 * Plans the query, without running it, while the planner hook reports what
 * it sees (GpuAggSurvey).  One row for each obstacle; no row if every
 * grouping step of the chosen plan is a GpuAgg node and every other sampled
 * scan a GpuSample node.
 */
#include "postgres.h"

#include "extension.h"
#include "fmgr.h"
#include "funcapi.h"
#include "functions/plan_text.h"
#include "functions/survey_report.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(gpuagg_why_not);

/* Counts our nodes by their kinds; the survey stands in *survey. */
static void
survey_text(const char *text, GpuAggSurvey *survey, int *used)
{
	GpuAggSurvey *outer = gpuagg_active_survey;

	gpuagg_active_survey = survey;
	PG_TRY();
	{
		ListCell   *lc;

		foreach(lc, gpuagg_plan_text(text, "gpuagg.why_not()"))
			gpuagg_survey_count(lfirst_node(PlannedStmt, lc), used);
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
	List	   *report;
	int			used[GPUAGG_NSTEPS] = {0};
	ListCell   *lc;

	gpuagg_require_preload();
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	survey_text(query, &survey, used);
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
