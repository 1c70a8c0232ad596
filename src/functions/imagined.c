/*
 * imagined.c
 *		gpuagg.what_if(query, multiprocessors, memory_bandwidth, memory, profile_id): how long the
 *		device's part of a query would take on another device.
 *
 * Plans the query, without running it, on rates of that device; wherever it can be the
 * device is used.  What it shows is what EXPLAIN tells as Predicted Time.
 */
#include "postgres.h"

#include "cost/profile.h"
#include "extension.h"
#include "fmgr.h"
#include "functions/plan_text.h"
#include "functions/survey_report.h"
#include "settings.h"
#include "utils/builtins.h"
#include "utils/guc.h"

PG_FUNCTION_INFO_V1(gpuagg_what_if_query);

enum
{
	ARG_QUERY,
	ARG_MULTIPROCESSORS,
	ARG_BANDWIDTH,
	ARG_MEMORY,
	ARG_PROFILE
};

static void
refuse_argument(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s must be more than 0", name),
			 errhint("NULL stands for what the device has.")));
}

static void
read_arguments(FunctionCallInfo fcinfo, GpuAggImagined *device)
{
	if (!PG_ARGISNULL(ARG_MULTIPROCESSORS) &&
		(device->units = PG_GETARG_INT32(ARG_MULTIPROCESSORS)) <= 0)
		refuse_argument("multiprocessors");
	if (!PG_ARGISNULL(ARG_BANDWIDTH) &&
		!((device->bandwidth = PG_GETARG_FLOAT8(ARG_BANDWIDTH)) > 0))
		refuse_argument("memory_bandwidth");
	if (!PG_ARGISNULL(ARG_MEMORY) && (device->memory = PG_GETARG_INT64(ARG_MEMORY)) <= 0)
		refuse_argument("memory");
	if (!PG_ARGISNULL(ARG_PROFILE) && (device->profile = PG_GETARG_INT32(ARG_PROFILE)) <= 0)
		refuse_argument("profile_id");
}

/* Milliseconds; less than 0: none of the query would run on a device. */
static double
query_time(const char *text)
{
	double		ms = -1;
	ListCell   *lc;

	foreach(lc, gpuagg_plan_text(text, "gpuagg.what_if()"))
		ms = gpuagg_survey_predicted_ms(ms, lfirst_node(PlannedStmt, lc));
	return ms;
}

static double
imagined_time(const GpuAggImagined *device, const char *text)
{
	const GpuAggImagined *before = gpuagg_profile_imagine(device);
	volatile double ms = 0;

	PG_TRY();
	{
		ms = query_time(text);
	}
	PG_FINALLY();
	{
		(void) gpuagg_profile_imagine(before);
	}
	PG_END_TRY();
	return ms;
}

/* Until the nest level ends, which it also does with an error */
static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

Datum
gpuagg_what_if_query(PG_FUNCTION_ARGS)
{
	GpuAggImagined device = {0};
	double		ms;
	int			nest;

	gpuagg_require_preload();
	if (PG_ARGISNULL(ARG_QUERY))
		PG_RETURN_NULL();
	read_arguments(fcinfo, &device);
	nest = NewGUCNestLevel();
	set_option("gpuagg.enable", "on");
	set_option("gpuagg.debug_require", "prefer");
	ms = imagined_time(&device, text_to_cstring(PG_GETARG_TEXT_PP(ARG_QUERY)));
	AtEOXact_GUC(true, nest);
	if (ms < 0)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(ms);
}
