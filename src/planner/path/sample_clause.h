/*
 * sample_clause.h
 *		TABLESAMPLE as the planner sees it.
 */
#ifndef GPUAGG_PLANNER_SAMPLE_CLAUSE_H
#define GPUAGG_PLANNER_SAMPLE_CLAUSE_H

#include "postgres.h"

#include "device/program.h"
#include "nodes/pathnodes.h"
#include "utils/relcache.h"

/* Can this table's sample, if it is one, be taken?  If not, it is refused. */
extern bool gpuagg_sample_check(PlannerInfo *root, RelOptInfo *rel);

/* Can a program's sample be taken?  Draws need its columns in the cache.  If not, it is refused. */
extern bool gpuagg_sample_check_program(PlannerInfo *root, RelOptInfo *rel,
										Relation relation,
										const GpuAggProgram *program);

/* Its GpuAggSampleMethod */
extern int	gpuagg_sample_method(PlannerInfo *root, RelOptInfo *rel);

/*
 * Expressions without Vars that the sample takes: the percentage, then the
 * seed if *repeatable.  NIL without a sample.
 */
extern List *gpuagg_sample_exprs(PlannerInfo *root, RelOptInfo *rel,
								 bool *repeatable);

/* Pages of the table, of which rel has those that a sample reads */
extern BlockNumber gpuagg_sample_pages(int method, const RelOptInfo *rel, Relation relation);

/* On so many pages a sample of pages decides; 0: it is none. */
extern double gpuagg_sample_drawn_pages(int method, Relation relation);

/* PostgreSQL's scan of the table, sampled or not */
extern Path *gpuagg_sample_scan_path(PlannerInfo *root, RelOptInfo *rel);

/* Line pointers that have to be decided */
extern double gpuagg_sample_lines(PlannerInfo *root, RelOptInfo *rel,
								  Relation relation);

#endif							/* GPUAGG_PLANNER_SAMPLE_CLAUSE_H */
