/*
 * sample.c
 *		TABLESAMPLE as the planner sees it.
 *
 * PostgreSQL has already estimated what a sample comes to: rel->tuples are
 * those sampled, and rel->pages those read.
 *
 * Does not handle: methods but PostgreSQL's own BERNOULLI and SYSTEM; an
 * argument with a subquery that is no init plan, for two nodes would share it.
 */
#include "postgres.h"

#include "device/sample.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "planner/refuse.h"
#include "planner/sample.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

static TableSampleClause *
sample_clause(PlannerInfo *root, RelOptInfo *rel)
{
	return planner_rt_fetch(rel->relid, root)->tablesample;
}

static GpuAggSampleMethod
clause_method(const TableSampleClause *clause)
{
	if (clause == NULL)
		return GPUAGG_SAMPLE_NONE;
	if (clause->tsmhandler == F_BERNOULLI)
		return GPUAGG_SAMPLE_BERNOULLI;
	return clause->tsmhandler == F_SYSTEM ? GPUAGG_SAMPLE_SYSTEM :
		GPUAGG_NSAMPLES;
}

bool
gpuagg_sample_check(PlannerInfo *root, RelOptInfo *rel)
{
	TableSampleClause *clause = sample_clause(root, rel);

	if (clause == NULL)
		return true;
	if (clause_method(clause) == GPUAGG_NSAMPLES)
		return GPUAGG_REFUSE("sampling method \"%s\" is not supported",
							 get_func_name(clause->tsmhandler));
	if (contain_subplans((Node *) clause->args) ||
		contain_subplans((Node *) clause->repeatable))
		return GPUAGG_REFUSE("an argument of TABLESAMPLE tests a subquery with IN, ANY or ALL");
	return true;
}

int
gpuagg_sample_method(PlannerInfo *root, RelOptInfo *rel)
{
	return clause_method(sample_clause(root, rel));
}

List *
gpuagg_sample_exprs(PlannerInfo *root, RelOptInfo *rel, bool *repeatable)
{
	TableSampleClause *clause = sample_clause(root, rel);
	List	   *exprs;

	*repeatable = clause != NULL && clause->repeatable != NULL;
	if (clause == NULL)
		return NIL;
	exprs = copyObject(clause->args);
	return *repeatable ? lappend(exprs, copyObject(clause->repeatable)) : exprs;
}

Path *
gpuagg_sample_scan_path(PlannerInfo *root, RelOptInfo *rel)
{
	return sample_clause(root, rel) != NULL ?
		create_samplescan_path(root, rel, NULL) :
		create_seqscan_path(root, rel, NULL, 0);
}

double
gpuagg_sample_lines(PlannerInfo *root, RelOptInfo *rel, Relation relation)
{
	BlockNumber pages;
	double		tuples;
	double		allvisfrac;

	if (gpuagg_sample_method(root, rel) != GPUAGG_SAMPLE_BERNOULLI)
		return 0;
	estimate_rel_size(relation, NULL, &pages, &tuples, &allvisfrac);
	return tuples;
}
