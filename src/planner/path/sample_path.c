/*
 * sample_path.c
 *		Adds a GpuSample path where PostgreSQL scans a sampled table.
 *
 * Called from set_rel_pathlist_hook for every table of a query, once
 * PostgreSQL has added its own path: one sample scan.  The device decides
 * which rows are in the sample and pass those conditions that can be lowered
 * (lower_select.c); whatever else the query does with rows is PostgreSQL's.
 * So nearly every scan of a sampled table can be taken; partitions and
 * inheritance children come one by one, as tables of their own.
 *
 * A sample's arguments may be lateral references.  They are expressions of
 * the plan, and become parameters of a nested loop as those of PostgreSQL's
 * own sample scan do.
 *
 * At a level of the query that groups, GpuAgg may take scan and grouping
 * together; see offer.c.
 *
 * Privileges and row security need no code: permissions are checked for the
 * range table as always, and policies are conditions of the table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/transam.h"
#include "device/ops/sample.h"
#include "heap/page_shares.h"
#include "ipc/shmem.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_select.h"
#include "planner/offer/offer.h"
#include "planner/offer/path_cost.h"
#include "planner/offer/table_check.h"
#include "planner/path/sample_clause.h"
#include "planner/path/sample_path.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"
#include "utils/spccache.h"

/* What a path keeps for its plan */
enum
{
	KEPT_PACKED,				/* custom_private (plan.h) */
	KEPT_LOWERED,				/* RestrictInfos of the device's filter */
	KEPT_RUNTIME				/* the runtime constants' expressions */
};

static set_rel_pathlist_hook_type prev_set_rel_pathlist_hook = NULL;

/* One scan while it is looked at */
typedef struct GpuSampleScan
{
	PlannerInfo *root;
	RelOptInfo *rel;
	GpuAggLower *lw;
	List	   *lowered;		/* RestrictInfos of the device's filter */
	double		sample_lines;
	double		drawn_pages;	/* of which a sample of pages draws */
	double		checked;		/* part of the pages that are not all-visible */
	bool		ring;			/* the table is read through a ring */
	GpuAggWhatIf *what_if;
	GpuAggPlanInfo info;
} GpuSampleScan;

/* ------------------------------------------------------------------ path --- */

/* What PostgreSQL evaluates: RestrictInfos of table and parameters */
static List *
remaining_clauses(const GpuSampleScan *scan, const Path *path)
{
	List	   *clauses = list_difference_ptr(scan->rel->baserestrictinfo,
											  scan->lowered);

	if (path->param_info != NULL)
		clauses = list_concat(clauses, path->param_info->ppi_clauses);
	return clauses;
}

/* Cost of the device, of the remaining conditions and of the target list */
static void
set_costs(GpuSampleScan *scan, Path *path, Cost postgres_cost)
{
	RelOptInfo *rel = scan->rel;
	List	   *lowered = scan->lowered;
	GpuAggCostInput input = {.scale = gpuagg_cost_scale};
	GpuAggCost	cost;
	QualCost	rest;

	input.pages = rel->pages;
	if (scan->info.sample == GPUAGG_SAMPLE_SYSTEM)
		get_tablespace_page_costs(rel->reltablespace, &input.page_cost, NULL);
	else
		get_tablespace_page_costs(rel->reltablespace, NULL, &input.page_cost);
	input.drawn = scan->drawn_pages;
	input.lines = scan->sample_lines;
	input.rows = rel->tuples;
	input.passed = clamp_row_est(rel->tuples *
								 clauselist_selectivity(scan->root, lowered, 0,
														JOIN_INNER, NULL));
	input.checked = scan->checked;
	input.postgres_cost = postgres_cost;
	input.ring = scan->ring;
	cost = gpuagg_cost_sample(&input, &scan->info);
	scan->what_if = gpuagg_offer_what_if(&input, &scan->info, 0);

	cost_qual_eval(&rest, remaining_clauses(scan, path), scan->root);
	path->rows = path->param_info != NULL ? path->param_info->ppi_rows :
		rel->rows;
	path->startup_cost = cost.startup + rest.startup +
		path->pathtarget->cost.startup;
	path->total_cost = cost.total + rest.startup +
		rest.per_tuple * input.passed + path->pathtarget->cost.startup +
		path->pathtarget->cost.per_tuple * path->rows;
}

static Plan *plan_custom_path(PlannerInfo *root, RelOptInfo *rel,
							  CustomPath *best_path, List *tlist,
							  List *clauses, List *custom_plans);

static const CustomPathMethods path_methods = {
	.CustomName = GPUAGG_SAMPLE_NODE_NAME,
	.PlanCustomPath = plan_custom_path
};

static CustomPath *
make_path(GpuSampleScan *scan)
{
	CustomPath *path = makeNode(CustomPath);
	Relids		outer = scan->rel->lateral_relids;

	path->path.pathtype = T_CustomScan;
	path->path.parent = scan->rel;
	path->path.pathtarget = scan->rel->reltarget;
	path->path.param_info = get_baserel_parampathinfo(scan->root, scan->rel,
													  outer);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	path->custom_paths = list_make1(create_samplescan_path(scan->root,
														   scan->rel, outer));
	set_costs(scan, &path->path,
			  ((Path *) linitial(path->custom_paths))->total_cost);
	path->custom_private = list_make3(gpuagg_plan_pack(&scan->info), scan->lowered,
									  scan->lw->runtime_exprs);	/* as KEPT_... say */
	return path;
}

/* ------------------------------------------------------------------ plan --- */

/*
 * The fallback is to be a bare SampleScan, whose tuples we take as they are.
 * Conditions without columns have put a Result on it, as they do on us.
 */
static Plan *
bare_fallback(Plan *plan)
{
	if (IsA(plan, Result))
		plan = plan->lefttree;
	if (!IsA(plan, SampleScan))
		elog(ERROR, "gpuagg: fallback plan is not a sample scan");
	plan->targetlist = NIL;
	return plan;
}

/*
 * The sample's arguments are taken from the table's entry only now: where
 * PostgreSQL joins partitions, it may have put a partition's columns in the
 * place of its parent's.
 */
static Plan *
plan_custom_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *best_path,
				 List *tlist, List *clauses, List *custom_plans)
{
	List	   *lowered = list_nth(best_path->custom_private, KEPT_LOWERED);
	List	   *runtime = list_nth(best_path->custom_private, KEPT_RUNTIME);
	CustomScan *plan = makeNode(CustomScan);
	bool		repeatable;

	plan->scan.scanrelid = rel->relid;
	plan->scan.plan.targetlist = tlist;
	plan->scan.plan.qual =
		extract_actual_clauses(list_difference_ptr(clauses, lowered), false);
	plan->flags = best_path->flags;
	plan->custom_plans = list_make1(bare_fallback(linitial(custom_plans)));
	plan->custom_exprs =
		list_concat(list_concat_copy(runtime,
									 gpuagg_sample_exprs(root, rel,
														 &repeatable)),
					copyObject(extract_actual_clauses(lowered, false)));
	plan->custom_private = list_nth(best_path->custom_private, KEPT_PACKED);
	plan->methods = GetCustomScanMethods(GPUAGG_SAMPLE_NODE_NAME, false);
	return &plan->scan.plan;
}

/* ------------------------------------------------------------------ hook --- */

static bool
lower_scan(GpuSampleScan *scan, Relation relation)
{
	scan->lw = gpuagg_lower_create(scan->root, scan->rel, relation, false);
	scan->lowered = gpuagg_lower_selection(scan->lw,
										   scan->rel->baserestrictinfo);
	scan->info.program = gpuagg_lower_finish(scan->lw);
	scan->info.runtime = scan->lw->runtime;
	scan->info.nruntime = scan->lw->nruntime;
	scan->info.gate = scan->lw->gate;
	return scan->info.program != NULL;
}

/* Fills in what has become of the offer. */
static void
try_scan(GpuAggOffer *offer, PlannerInfo *root, RangeTblEntry *rte)
{
	RelOptInfo *rel = offer->rel;
	GpuAggPageShares pages;
	GpuSampleScan scan;
	Relation	relation;

	if (!gpuagg_table_check_kind(rte) || !gpuagg_sample_check(root, rel))
		return;
	if (gpuagg_sample_method(root, rel) == GPUAGG_SAMPLE_DRAWS)
	{
		(void) GPUAGG_REFUSE("random draws run on the device only for a grouping");
		return;
	}
	memset(&scan, 0, sizeof(scan));
	scan.root = root;
	scan.rel = rel;

	/* the parser, the plan cache or the planner's expansion holds the lock */
	relation = table_open(rte->relid, NoLock);
	if (gpuagg_table_check(relation) && lower_scan(&scan, relation))
	{
		scan.info.est_rows = rel->tuples;
		scan.info.est_passed = rel->rows;
		scan.info.sample = gpuagg_sample_method(root, rel);
		(void) gpuagg_sample_exprs(root, rel, &scan.info.repeatable);
		scan.sample_lines = gpuagg_sample_lines(root, rel, relation);
		scan.drawn_pages = gpuagg_sample_drawn_pages(scan.info.sample, relation);
		gpuagg_page_shares(relation, rel->pages, 0, 0, &pages);
		scan.checked = 1 - pages.visible;
		scan.ring = RelationGetNumberOfBlocks(relation) > NBuffers / 4;
		offer->path = &make_path(&scan)->path;
		offer->what_if = scan.what_if;
	}
	table_close(relation, NoLock);
}

static bool
level_groups(const Query *parse)
{
	return parse->hasAggs || parse->groupClause != NIL ||
		parse->groupingSets != NIL || parse->havingQual != NULL;
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti,
				 RangeTblEntry *rte)
{
	GpuAggOffer offer = {
		.kind = GPUAGG_STEP_SAMPLE,
		.rel = rel,
		.silent = level_groups(root->parse),
		.table = rte->relid,
		.excused = rte->relid < FirstNormalObjectId
	};

	if (prev_set_rel_pathlist_hook)
		prev_set_rel_pathlist_hook(root, rel, rti, rte);
	/* parents of partitions or child tables: those come by themselves */
	if (rte->rtekind != RTE_RELATION || rte->tablesample == NULL || rte->inh ||
		IS_DUMMY_REL(rel) || !gpuagg_offer_wanted() ||
		!gpuagg_offer_begin(&offer))
		return;
	try_scan(&offer, root, rte);
	gpuagg_offer_end(&offer);
}

void
gpuagg_sample_path_init(void)
{
	prev_set_rel_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_rel_pathlist;
}
