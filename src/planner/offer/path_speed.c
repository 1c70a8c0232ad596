/*
 * path_speed.c
 *		How much more of its cost a path of several processes does in a time (path_speed.h).
 *
 * PostgreSQL divides the processor's part of a parallel scan's cost by the processes that share it,
 * and leaves the pages' part as it is: a disk gives no more to several.  Of pages that lie in
 * memory they read as many times as much, so that such a plan, with the same cost as one of a
 * single process, is done in a part of its time.  With d processes, p the pages' cost and c the
 * whole, one process would have p + (c - p) * d to do, and takes that for what they do in a d-th of
 * it:
 *
 *		speed = c * d / (p + (c - p) * d)
 *
 * Whatever one process does beside such a plan costs as many times as much, in that plan's units.
 */
#include "postgres.h"

#include "compat.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "planner/offer/path_speed.h"
#include "utils/spccache.h"

typedef struct Shared
{
	double		processes;		/* at most, of a Gather; 1: there is none */
	Cost		pages;			/* cost of pages that they read together */
} Shared;

/* As PostgreSQL divides; what the leader does beside gathering */
static double
processes(const Path *path)
{
	const double leader = parallel_leader_participation ? 1 - 0.3 * path->parallel_workers : 0;

	return Max(1, path->parallel_workers + Max(0, leader));
}

static void
find_in_scan(const Path *path, Shared *shared)
{
	double		page_cost;

	if (path->pathtype != T_SeqScan || !path->parallel_aware)
		return;
	get_tablespace_page_costs(path->parent->reltablespace, NULL, &page_cost);
	shared->pages += path->parent->pages * page_cost;
}

/* What is not known here is taken for one process's. */
static void
find_shared(Path *path, Shared *shared)
{
	Path	   *below = gpuagg_path_below(path);
	ListCell   *lc;

	switch (nodeTag(path))
	{
		case T_Path:
			find_in_scan(path, shared);
			break;
		case T_GatherPath:
		case T_GatherMergePath:
			shared->processes = Max(shared->processes, processes(below));
			break;
		case T_AggPath:
			below = ((AggPath *) path)->subpath;
			break;
		case T_NestPath:
		case T_MergePath:
		case T_HashPath:
			find_shared(((JoinPath *) path)->innerjoinpath, shared);
			below = ((JoinPath *) path)->outerjoinpath;
			break;
		case T_AppendPath:
			foreach(lc, ((AppendPath *) path)->subpaths)
				find_shared(lfirst(lc), shared);
			break;
		default:
			break;
	}
	if (below != NULL)
		find_shared(below, shared);
}

double
gpuagg_path_speed(Path *path)
{
	Shared		shared = {.processes = 1};
	Cost		cost = path->total_cost;
	Cost		alone;

	find_shared(path, &shared);
	shared.pages = Min(shared.pages, cost);
	alone = shared.pages + (cost - shared.pages) * shared.processes;
	return alone > 0 ? Max(1, cost * shared.processes / alone) : 1;
}

double
gpuagg_paths_speed(const List *paths)
{
	Path	   *cheapest = NULL;
	ListCell   *lc;

	foreach(lc, paths)
	{
		Path	   *path = lfirst(lc);

		if (!IsA(path, CustomPath) && (cheapest == NULL || path->total_cost < cheapest->total_cost))
			cheapest = path;
	}
	return cheapest == NULL ? 1 : gpuagg_path_speed(cheapest);
}
