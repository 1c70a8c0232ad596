/*
 * offer.c
 *		What becomes of a path that the device could take (offer.h).
 *
 * A sampled scan at a level of a query that also groups is silent: if the
 * grouping runs on the device, the scan is part of that, and if not, the
 * grouping's reasons are the ones to tell.
 */
#include "postgres.h"

#include "extension.h"
#include "ipc/shmem.h"
#include "ipc/stat_tables.h"
#include "lib/stringinfo.h"
#include "optimizer/pathnode.h"
#include "parser/parsetree.h"
#include "planner/offer/offer.h"
#include "planner/offer/path_cost.h"
#include "planner/plan/refuse.h"
#include "settings.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

GpuAggSurvey *gpuagg_active_survey = NULL;

static const char *const step_words[GPUAGG_NSTEPS] = {
	[GPUAGG_STEP_GROUPING] = "grouping",
	[GPUAGG_STEP_SAMPLE] = "sampled scan"
};

/* The survey that sees this planning; NULL: none */
static GpuAggSurvey *
looking_on(void)
{
	GpuAggSurvey *survey = gpuagg_active_survey;

	if (survey != NULL && survey->bystander &&
		!(ActiveSnapshotSet() && GetActiveSnapshot() == survey->snapshot))
		return NULL;
	return survey;
}

/* Does a survey ask what would be, whatever the settings? */
static bool
asked(void)
{
	GpuAggSurvey *survey = looking_on();

	return survey != NULL && !survey->bystander;
}

int
gpuagg_offer_require(void)
{
	return asked() ? GPUAGG_ALLOW : gpuagg_debug_require;
}

static void
report_required(const GpuAggOffer *offer, List *reasons)
{
	StringInfoData text;
	ListCell   *lc;

	initStringInfo(&text);
	foreach(lc, reasons)
		appendStringInfo(&text, "%s%s", foreach_current_index(lc) > 0 ?
						 "; " : "", (char *) lfirst(lc));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("gpuagg.debug_require = require, but this %s cannot run on the device",
					step_words[offer->kind]),
			 errdetail_internal("%s", text.data),
			 errhint("Set gpuagg.debug_require to \"allow\" to use PostgreSQL's plan.")));
}

static void
report_forbidden(const GpuAggOffer *offer)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("gpuagg.debug_require = forbid, but this %s can run on the device",
					step_words[offer->kind]),
			 errhint("Set gpuagg.debug_require to \"allow\" to use the device.")));
}

static Cost
cheapest_cost(RelOptInfo *rel)
{
	Cost		cheapest = -1;
	ListCell   *lc;

	foreach(lc, rel->pathlist)
	{
		Path	   *path = (Path *) lfirst(lc);

		if (cheapest < 0 || path->total_cost < cheapest)
			cheapest = path->total_cost;
	}
	return cheapest;
}

static void
note_obstacle(GpuAggSurvey *survey, char *part, char *reason)
{
	GpuAggObstacle *obstacle = palloc(sizeof(GpuAggObstacle));

	obstacle->part = part;
	obstacle->reason = reason;
	survey->obstacles = lappend(survey->obstacles, obstacle);
}

/* The names of what a grouping groups; NULL: a sample, whose obstacles tell */
static char *
part_name(const GpuAggOffer *offer)
{
	StringInfoData text;
	int			rti = -1;

	if (offer->input_rel == NULL)
		return NULL;
	initStringInfo(&text);
	while ((rti = bms_next_member(offer->input_rel->relids, rti)) > 0)
		appendStringInfo(&text, "%s\"%s\"", text.len > 0 ? ", " : "",
						 planner_rt_fetch(rti, offer->root)->eref->aliasname);
	return text.data;
}

static void
note_survey(GpuAggSurvey *survey, const GpuAggOffer *offer, List *reasons)
{
	GpuAggStep *step;
	ListCell   *lc;

	survey->seen++;
	foreach(lc, reasons)
		note_obstacle(survey, part_name(offer), lfirst(lc));
	/* that it reads no table by itself is told, whether or not a plan's rows are cheaper */
	if (offer->path == NULL || offer->of_plan)
		return;
	step = palloc0(sizeof(GpuAggStep));
	step->kind = offer->kind;
	offer->what_if->table = get_rel_name(offer->table);
	offer->what_if->device = offer->path->total_cost;
	offer->what_if->postgres = cheapest_cost(offer->rel);
	if (offer->what_if->device > offer->what_if->postgres)
		step->dearer = gpuagg_what_if(offer->what_if);
	survey->steps = lappend(survey->steps, step);
}

void
gpuagg_offer_refuse(const char *reason)
{
	GpuAggSurvey *survey = looking_on();

	if (survey == NULL)
		return;
	survey->seen++;
	note_obstacle(survey, NULL, pstrdup(reason));
}

bool
gpuagg_offer_surveyed(void)
{
	return looking_on() != NULL;
}

void
gpuagg_offer_note(List *reasons)
{
	GpuAggSurvey *survey = looking_on();
	ListCell   *lc;

	if (survey == NULL)
		return;
	foreach(lc, reasons)
		note_obstacle(survey, NULL, lfirst(lc));
}

GpuAggSurvey
gpuagg_offer_seen(void)
{
	GpuAggSurvey *survey = looking_on();
	GpuAggSurvey seen = {0};

	if (survey != NULL)
	{
		seen = *survey;
		seen.obstacles = list_copy(survey->obstacles);
		seen.steps = list_copy(survey->steps);
	}
	return seen;
}

void
gpuagg_offer_forget(const GpuAggSurvey *seen)
{
	GpuAggSurvey *survey = looking_on();

	if (survey == NULL)
		return;
	survey->seen = seen->seen;
	survey->obstacles = list_copy(seen->obstacles);
	survey->steps = list_copy(seen->steps);
}

GpuAggWhatIf *
gpuagg_offer_what_if(const GpuAggCostInput *input, const GpuAggPlanInfo *info,
					 double postgres_groups)
{
	GpuAggWhatIf *what;

	if (looking_on() == NULL)
		return NULL;
	what = palloc0(sizeof(GpuAggWhatIf));
	what->input = *input;
	what->info = *info;
	what->postgres_groups = postgres_groups;
	return what;
}

/* debug_require: no other way, no matter what it costs. */
static void
force_path(RelOptInfo *rel, Path *path)
{
	path->startup_cost = 0;
	path->total_cost = 0;
	rel->pathlist = NIL;
	rel->partial_pathlist = NIL;
}

bool
gpuagg_offer_wanted(void)
{
	return (gpuagg_enable || asked()) &&
		gpuagg_preloaded() && gpuagg_extension_exists();
}

bool
gpuagg_offer_begin(const GpuAggOffer *offer)
{
	int			require = gpuagg_offer_require();

	if (offer->silent && require == GPUAGG_FORBID)
		return false;
	/* the many small queries, which no task can be cheaper than */
	if (looking_on() == NULL && require == GPUAGG_ALLOW &&
		cheapest_cost(offer->rel) <= gpuagg_cost_floor())
		return false;
	gpuagg_refuse_begin(!offer->silent && (looking_on() != NULL ||
										   require == GPUAGG_REQUIRE));
	return true;
}

/* Who asks what would be is not counted. */
static void
count_refusal(const GpuAggOffer *offer)
{
	uint64		values[GPUAGG_NTABLESTATS] = {0};

	if (asked() || offer->silent || offer->excused)
		return;
	values[GPUAGG_TABLE_STAT_refusals] = 1;
	gpuagg_stat_tables_add(offer->table, values);
}

void
gpuagg_offer_end(const GpuAggOffer *offer)
{
	int			require = gpuagg_offer_require();
	List	   *reasons = gpuagg_refuse_end();
	GpuAggSurvey *survey = looking_on();

	if (survey != NULL && !offer->silent)
		note_survey(survey, offer, reasons);
	if (offer->path == NULL)
	{
		count_refusal(offer);
		if (require == GPUAGG_REQUIRE && !offer->silent && !offer->excused)
			report_required(offer, reasons);
		return;
	}
	if (require == GPUAGG_FORBID)
		report_forbidden(offer);
	if (require == GPUAGG_REQUIRE || require == GPUAGG_PREFER)
		force_path(offer->rel, offer->path);
	add_path(offer->rel, offer->path);
	/* to be woken takes about as long as the rest of planning */
	if (survey == NULL && linitial(offer->rel->pathlist) == offer->path)
		gpuagg_shmem_wake_ahead(gpuagg_shmem_plan_device());
}
