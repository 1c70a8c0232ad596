/*
 * agg_partial.c
 *		Partial groups of the tables that a device reads, below an Append with PostgreSQL's
 *		of the others, and Finalize (agg_partial.h).
 *
 *		Finalize Aggregate
 *		  -> Append
 *			   -> Custom Scan (GpuAgg)		tables that the device reads
 *			   -> Partial Aggregate			foreign and temporary ones
 *					-> Append ...
 *
 * or, where parallel workers may read the others and that costs less,
 *
 *		Finalize Aggregate
 *		  -> Gather
 *			   -> Parallel Append
 *					-> Parallel Custom Scan (GpuAgg)
 *					-> Partial Aggregate
 *						 -> Parallel Append ...
 *
 * There one process, whichever comes first, runs the whole task (a path of the Append that is
 * not partial), while others read.  GpuAgg counts as parallel-aware because the leader is
 * told what a worker's run was like (node/run/shared_run.h).
 *
 * The states are those that PostgreSQL's combine and deserialise functions expect.  An
 * aggregate without a final function has its result as its state.  Of the others those of
 * integers and numerics are known (node/result/partials.c, node/result/variances.c), and of
 * floating point the moments (node/result/moments.c).  Aggregates may share a state, as sum and avg
 * of one column do: so each has all of it, also what its own result does not need.  For the same
 * reason an average of floating point is lowered as moments here (lower_statistic.c).
 *
 * Does not handle: joins, grouping sets, keys without columns, samples, what cannot be combined
 * (DISTINCT, ordered sets); rows of a plan in each worker, whose many groups would all meet
 * again in Finalize.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "planner/catalogue/sql_aggregate.h"
#include "planner/path/agg_partial.h"
#include "planner/path/agg_tables.h"
#include "planner/path/fallback_path.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* Is the aggregate's state its result? */
static bool
is_own_state(const Aggref *agg)
{
	HeapTuple	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(agg->aggfnoid));
	bool		own;

	if (!HeapTupleIsValid(tuple))
		return false;
	own = !OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn) &&
		agg->aggtranstype == agg->aggtype;
	ReleaseSysCache(tuple);
	return own;
}

/* How the state is made of what the result would be made of */
static bool
partial_final(const Aggref *agg, GpuAggOutput *output)
{
	const GpuAggAggregate *aggregate = gpuagg_aggregate(agg->aggfnoid);
	const int	final = output->final;
	const bool	own = is_own_state(agg);

	if (aggregate->partial != 0)
	{
		output->final = aggregate->partial;
		return final == aggregate->final;
	}
	if (final != GPUAGG_FINAL_MOMENTS || own)
		return own && final != GPUAGG_FINAL_DATUM;
	/* the value that all rows share has to be that of other parts to the last bit */
	if (GPUAGG_COMMON_VALUES > 0 && list_length(agg->args) > 1)
		return false;
	output->final = GPUAGG_FINAL_PARTIAL_MOMENTS;
	return true;
}

bool
gpuagg_agg_partial_outputs(GpuAggGrouping *g)
{
	PathTarget *target = create_empty_pathtarget();
	List	   *exprs = NIL;
	ListCell   *lc;

	foreach(lc, g->exprs)
	{
		const int	i = foreach_current_index(lc);
		Node	   *expr = lfirst(lc);

		if (IsA(expr, Aggref))
		{
			Aggref	   *agg = (Aggref *) expr;
			GpuAggOutput *output = &g->info.outputs[i];

			if (!partial_final(agg, output) ||
				(gpuagg_final_traits(output->final)->count == GPUAGG_COUNT_NEEDS &&
				 output->count_index < 0))
				return GPUAGG_REFUSE(
					"aggregate %s cannot be combined with that of tables which no device reads",
					get_func_name(agg->aggfnoid));
			agg = copyObject(agg);
			mark_partial_aggref(agg, AGGSPLIT_INITIAL_SERIAL);
			expr = (Node *) agg;
		}
		exprs = lappend(exprs, expr);
		add_column_to_pathtarget(target, (Expr *) expr, list_nth_int(g->refs, i));
	}
	g->exprs = exprs;
	g->final_target = g->target;
	g->final_having = g->having;
	g->target = set_pathtarget_cost_width(g->root, target);
	g->having = NIL;
	return true;
}

/* What the partial groups are groups of: no relation that anybody else knows */
static RelOptInfo *
partial_rel(const GpuAggGrouping *g)
{
	RelOptInfo *rel = palloc(sizeof(RelOptInfo));

	*rel = *g->grouped_rel;
	rel->reltarget = g->target;
	rel->pathlist = rel->partial_pathlist = NIL;
	return rel;
}

/* PostgreSQL's partial groups of rows of tables that no device reads */
static Path *
partial_agg_path(const GpuAggGrouping *g, RelOptInfo *rel, Path *rows)
{
	return gpuagg_fallback_path(g->root, rel, rows, g->target, g->clause,
								AGGSPLIT_INITIAL_SERIAL,
								Min(g->made_groups, clamp_row_est(rows->rows)));
}

static Path *
others_path(const GpuAggGrouping *g, RelOptInfo *rel)
{
	List	   *paths = NIL;
	ListCell   *lc;

	foreach(lc, g->tables->others)
	{
		RelOptInfo *member = lfirst(lc);

		paths = lappend(paths, gpuagg_agg_tables_member_path(g, member,
															 member->cheapest_total_path));
	}
	return partial_agg_path(g, rel, (Path *)
							gpuagg_append_path(g->root, g->input_rel, paths, NIL, 0, false));
}

/* ------------------------------------------------------------- parallel --- */

/* As many as PostgreSQL has for so many tables */
static int
append_workers(int workers, int tables)
{
	workers = Max(workers, pg_leftmost_one_pos32(tables) + 1);
	return Min(workers, max_parallel_workers_per_gather);
}

/*
 * The rows of these tables for parallel workers: each scanned by all of them, or by one; a
 * single one that is scanned by one is no partial path.  NULL: there is a table for which
 * PostgreSQL has no such path.
 */
static Path *
others_parallel(const GpuAggGrouping *g)
{
	List	   *whole = NIL;
	List	   *shared = NIL;
	int			workers = 0;
	ListCell   *lc;

	foreach(lc, g->tables->others)
	{
		RelOptInfo *rel = lfirst(lc);
		Path	   *one = get_cheapest_parallel_safe_total_inner(rel->pathlist);
		Path	   *all = rel->partial_pathlist != NIL ? linitial(rel->partial_pathlist) : NULL;

		if (one == NULL && all == NULL)
			return NULL;
		if (all != NULL && (one == NULL || all->total_cost < one->total_cost))
		{
			shared = lappend(shared, gpuagg_agg_tables_member_path(g, rel, all));
			workers = Max(workers, all->parallel_workers);
		}
		else
			whole = lappend(whole, gpuagg_agg_tables_member_path(g, rel, one));
	}
	if (list_length(g->tables->others) > 1)
		workers = append_workers(workers, list_length(g->tables->others));
	return (Path *) gpuagg_append_path(g->root, g->input_rel, whole, shared, workers,
									   workers > 0);
}

/* The node, to be run as a whole by one process of a parallel plan */
static Path *
in_parallel(const Path *path)
{
	CustomPath *copy = makeNode(CustomPath);

	*copy = *(const CustomPath *) path;
	copy->path.parallel_safe = copy->path.parallel_aware = true;
	return &copy->path;
}

/* Partial groups of both, from parallel workers; NULL: they may not */
static Path *
gather_path(const GpuAggGrouping *g, RelOptInfo *rel, const Path *path)
{
	List	   *whole = list_make1(in_parallel(path));
	List	   *shared = NIL;
	Path	   *rows;
	Path	   *groups;
	AppendPath *append;
	double		gathered;

	if (!g->grouped_rel->consider_parallel || !enable_parallel_append ||
		max_parallel_workers_per_gather == 0 || (rows = others_parallel(g)) == NULL)
		return NULL;
	groups = partial_agg_path(g, rel, rows);
	if (rows->parallel_workers > 0)
		shared = list_make1(groups);
	else
		whole = lappend(whole, groups);
	append = gpuagg_append_path(g->root, rel, whole, shared,
								append_workers(rows->parallel_workers, 2), true);
	gathered = append->path.rows * append->path.parallel_workers;
	return (Path *) create_gather_path(g->root, rel, &append->path, rel->reltarget, NULL,
									   &gathered);
}

/* ------------------------------------------------------------- finalize --- */

static Path *
finalize_path(const GpuAggGrouping *g, Path *partial)
{
	AggClauseCosts costs;

	memset(&costs, 0, sizeof(costs));
	get_agg_clause_costs(g->root, AGGSPLIT_FINAL_DESERIAL, &costs);
	return (Path *) create_agg_path(g->root, g->grouped_rel, partial, g->final_target,
									g->clause == NIL ? AGG_PLAIN : AGG_HASHED,
									AGGSPLIT_FINAL_DESERIAL, gpuagg_needed_keys(g->root, g->clause),
									g->final_having, &costs, g->made_groups);
}

Path *
gpuagg_agg_partial_finish(const GpuAggGrouping *g, Path *path)
{
	RelOptInfo *rel = partial_rel(g);
	Path	   *appended = (Path *) gpuagg_append_path(g->root, rel,
													   list_make2(path, others_path(g, rel)), NIL,
													   0, false);
	Path	   *gathered = gather_path(g, rel, path);

	if (gathered != NULL && gathered->total_cost < appended->total_cost)
		return finalize_path(g, gathered);
	return finalize_path(g, appended);
}
