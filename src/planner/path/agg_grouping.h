/*
 * agg_grouping.h
 *		One grouping step while the planner looks at it.
 *
 * Inside of the planner, between agg_path.c, agg_input.c, agg_columns.c and agg_tables.c.
 */
#ifndef GPUAGG_PLANNER_AGG_GROUPING_H
#define GPUAGG_PLANNER_AGG_GROUPING_H

#include "postgres.h"

#include "device/regrouping.h"
#include "planner/lower/lower.h"
#include "planner/offer/offer.h"
#include "planner/offer/path_cost.h"
#include "planner/regroup/regroup_plan.h"

/* Of several tables below a grouping; each list has an entry for each table */
typedef struct GpuAggGroupingTables
{
	List	   *rels;			/* RelOptInfos */
	List	   *others;			/* those that no device reads, which have no entry elsewhere:
								 * then groups are partial (agg_partial.h) */
	List	   *row_exprs;		/* Lists of Expr: outputs of the row plan */
	List	   *program_of;		/* integers: its program */
	int			pruned;			/* partitions that need not be read */
	bool		sampled;		/* TABLESAMPLE of what is named, which is one of each */
	GpuAggSiblings siblings;	/* for lowering: all of them */

	int			nprograms;		/* different ones */
	GpuAggLower **lowers;		/* that made them */
	GpuAggProgram **programs;
	GpuAggLookupPlan **lookups; /* of each */
	GpuAggRegroupPlan *regroup; /* of the first table */
	List	   *computed;		/* expressions over keys, of the first table */

	/* sums over tables */
	double		pages;
	double		cached_pages;
	double		drawn_pages;
	double		checked_pages;
	double		compared_pages;
	double		recent_pages;
	double		gaps;
	double		page_cost;
	double		rows;
	double		kept;			/* rows that pass the table's conditions */
	double		passed;			/* rows that pass the conditions that the device tests */
	double		lines;			/* lines of which a sample is drawn */
	int			filled;			/* tables with pages */
	bool		shared;			/* tables of a program have one task */
} GpuAggGroupingTables;

typedef struct GpuAggGrouping
{
	PlannerInfo *root;
	RelOptInfo *input_rel;
	RelOptInfo *fact;			/* what is read, one table or several: the input, or of a join
								 * the largest */
	GpuAggJoinTree *joins;		/* of a join: what is joined with it */
	RelOptInfo *grouped_rel;
	List	   *clause;			/* SortGroupClauses of the keys */
	PathTarget *target;			/* what stands above */
	List	   *having;
	PathTarget *final_target;	/* what stands above partial groups, which have none of `having` */
	List	   *final_having;
	GpuAggGroupingTables *tables;	/* that are the fact; NULL: it is one */
	bool		refused;		/* for a reason that no table has to do with */
	bool		nullable;		/* what is known of a table's NULLs does not count */
	bool		key_rows;		/* columns that follow from a key may be read with their rows */
	bool		folded;			/* an input of a join; PostgreSQL's plan has no such groups */
	GpuAggLower *lw;			/* of the one table, or the first */
	GpuAggRegroupPlan *regroup; /* as lw */

	/* columns of custom_scan_tlist: expressions, their sortgrouprefs and operators */
	List	   *exprs;
	List	   *refs;
	List	   *eqops;
	List	   *dependent;		/* Vars */
	List	   *aggs;			/* Aggrefs */
	List	   *groupings;		/* GroupingFuncs */

	List	   *sample_exprs;
	List	   *wanted_exprs;
	double		sample_lines;
	double		cached;			/* part of the pages that the device has, 0 to 1 */
	double		gaps;			/* part of the pages that are fed, but not the one before */
	double		checked;		/* part of the pages that are fed and not all-visible */
	double		compared;		/* part of the pages whose LSNs are compared with kept ones */
	double		recent;			/* part of the pages that have changed since they were kept */
	double		drawn_pages;	/* of which a sample of pages draws */
	double		made_groups;	/* of the query; the device's may be finer */
	double		bounded_groups; /* `made_groups` without what earlier runs had */
	double		postgres_groups;	/* that PostgreSQL expects */
	GpuAggWhatIf *what_if;
	GpuAggPlanInfo info;
} GpuAggGrouping;

/* Does the device read some of the tables only, and return states?  When tables have been found */
static inline bool
gpuagg_grouping_is_partial(const GpuAggGrouping *g)
{
	return g->tables != NULL && g->tables->others != NIL;
}

/* Whichever were wanted: which of them are is found out above the node. */
static inline void
gpuagg_grouping_wants_all(GpuAggGrouping *g)
{
	memset(&g->info.wanted, 0, sizeof(g->info.wanted));
	g->wanted_exprs = NIL;
}

/* Offers a path that reads the fact, one table; the offer has which (agg_path.c). */
typedef void (*GpuAggTryTable) (GpuAggGrouping *g, GpuAggOffer *offer);

/* What a path below the node computes, which is no column of the query's */
extern PathTarget *gpuagg_grouping_target(PlannerInfo *root, const List *exprs);

/* The keys, and what target list and HAVING need beside them, as columns of the node */
extern bool gpuagg_grouping_collect(GpuAggGrouping *g);

/*
 * Lowers conditions, joins, keys, columns and aggregates over one table: the fact, or one
 * below it.  Fills in lw and what info has of the program, but for look-up tables' plans.
 */
extern bool gpuagg_grouping_lower(GpuAggGrouping *g, RelOptInfo *rel, Relation relation);

/* Will the device make the query's groups of the finer ones?  Of several tables it may not. */
extern bool gpuagg_grouping_regroups(const GpuAggGrouping *g, const GpuAggPlanInfo *info,
									 GpuAggRegrouping *wish);

/*
 * Sets the costs of the path, whose children are there, and what info has of them; lookups
 * are the paths of what is joined (agg_cost.c).
 */
extern void gpuagg_grouping_costs(GpuAggGrouping *g, CustomPath *custom, const List *lookups);

#endif							/* GPUAGG_PLANNER_AGG_GROUPING_H */
