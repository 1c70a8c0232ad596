/*
 * what_if.c
 *		What would have a path on the device chosen (what_if.h).
 *
 * The cost is computed again with one thing changed: few groups, all columns in the
 * cache, another gpuagg.cost_scale, which the cost is linear in.
 */
#include "postgres.h"

#include "cost/profile.h"
#include "lib/stringinfo.h"
#include "planner/offer/what_if.h"
#include "settings.h"

/* The smallest gpuagg.cost_scale (settings.c) */
#define SMALLEST_SCALE 0.001

/* Of what is printed with two digits, so that rounding does not matter */
#define ROUNDED_DOWN 0.95

static Cost
task_total(const GpuAggWhatIf *what, const GpuAggCostInput *input)
{
	GpuAggPlanInfo info = what->info;
	const Size	bytes = info.nlookups * sizeof(GpuAggLookupPlan);

	/* what is predicted of look-up tables is added to them, and those of the plan stay */
	info.lookups = palloc(Max(bytes, 1));
	if (bytes > 0)
		memcpy(info.lookups, what->info.lookups, bytes);
	return info.program->select ? gpuagg_cost_sample(input, &info).total :
		gpuagg_cost_agg(input, &info).total;
}

/* The path's whole cost, changed as the task's is */
static Cost
changed_cost(const GpuAggWhatIf *what, const GpuAggCostInput *input)
{
	return what->device + task_total(what, input) - task_total(what, &what->input);
}

static void
groups_decide(const GpuAggWhatIf *what, StringInfo text)
{
	GpuAggCostInput few = what->input;
	Cost		cost;

	few.groups = few.returned = 1;
	cost = changed_cost(what, &few);
	if (what->info.program->select || what->input.groups <= 1 || cost >= what->postgres)
		return;
	appendStringInfo(text, "; PostgreSQL expects %.0f groups", what->postgres_groups);
	if (what->input.groups < what->postgres_groups / 2)
		appendStringInfo(text, ", gpuagg %.0f", what->input.groups);
	appendStringInfo(
		text, ": with few, cost %.2f on the device (if there are few, ANALYZE the table)", cost);
}

static void
cache_decides(const GpuAggWhatIf *what, StringInfo text)
{
	GpuAggCostInput all = what->input;
	Cost		cost;

	all.cached = 1;
	all.recent = 0;
	cost = changed_cost(what, &all);
	if (!what->info.program->select && gpuagg_cache && what->input.cached < 1 &&
		cost < what->postgres)
		appendStringInfo(text, "; with its columns in the cache, cost %.2f on the device (gpuagg.load() brings them there)",
						 cost);
}

static void
scale_decides(const GpuAggWhatIf *what, StringInfo text)
{
	GpuAggCostInput scaled = what->input;
	Cost		cost;
	double		scale;

	scaled.scale = SMALLEST_SCALE;
	cost = changed_cost(what, &scaled);
	if (cost >= what->postgres)
		return;
	scale = SMALLEST_SCALE + (what->input.scale - SMALLEST_SCALE) *
		(what->postgres - cost) / (what->device - cost);
	appendStringInfo(text, "; with gpuagg.cost_scale = %.2g the device is chosen",
					 ROUNDED_DOWN * scale);
}

char *
gpuagg_what_if(const GpuAggWhatIf *what)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "PostgreSQL's plan for table \"%s\" is estimated to be cheaper: cost %.2f, %.2f on the device",
					 what->table, what->postgres, what->device);
	groups_decide(what, &text);
	cache_decides(what, &text);
	if (what->info.profile_origin < GPUAGG_PROFILE_MEASURED)
		appendStringInfoString(
			&text, "; costs are not measured on this machine yet (SELECT gpuagg.calibrate())");
	if (what->info.predicted.learned != 1)
		appendStringInfo(
			&text,
			"; tasks took %.3g times as long as predicted, and the device's cost is so much higher",
			what->info.predicted.learned);
	scale_decides(what, &text);
	return text.data;
}
