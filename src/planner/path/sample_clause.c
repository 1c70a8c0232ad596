/*
 * sample_clause.c
 *		TABLESAMPLE as the planner sees it.
 *
 * PostgreSQL has already estimated what a sample comes to: rel->tuples are
 * those sampled, and rel->pages those read.
 *
 * Does not handle: methods but PostgreSQL's own BERNOULLI and SYSTEM, and random
 * draws (tablesample/random_rows.c) from what the column cache holds whole; an
 * argument with a subquery that is no init plan, for two nodes would share it.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "compat.h"
#include "device/ops/sample.h"
#include "heap/written.h"
#include "ipc/cache_shared.h"
#include "ipc/shmem.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "planner/catalogue/sql_function.h"
#include "planner/path/sample_clause.h"
#include "planner/plan/refuse.h"
#include "settings.h"
#include "storage/bufmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static TableSampleClause *
sample_clause(PlannerInfo *root, RelOptInfo *rel)
{
	return planner_rt_fetch(rel->relid, root)->tablesample;
}

/* The extension's own method */
static bool
is_random_rows(Oid handler)
{
	char	   *name = get_func_name(handler);

	return name != NULL && strcmp(name, "random_rows") == 0 &&
		get_func_namespace(handler) == get_namespace_oid("gpuagg", true);
}

static GpuAggSampleMethod
clause_method(const TableSampleClause *clause)
{
	if (clause == NULL)
		return GPUAGG_SAMPLE_NONE;
	if (clause->tsmhandler == gpuagg_function_oid(GPUAGG_F_BERNOULLI))
		return GPUAGG_SAMPLE_BERNOULLI;
	if (clause->tsmhandler == gpuagg_function_oid(GPUAGG_F_SYSTEM))
		return GPUAGG_SAMPLE_SYSTEM;
	return is_random_rows(clause->tsmhandler) ? GPUAGG_SAMPLE_DRAWS : GPUAGG_NSAMPLES;
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

static bool
device_draws(void)
{
	GpuAggDeviceView view;

	gpuagg_shmem_device(gpuagg_shmem_plan_device(), &view);
	return view.facts.info.draws != 0;
}

/* Of the table, but for pages that were never written to */
static bool
whole_table_cached(Relation rel, const AttrNumber *columns, int n)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(rel);
	Oid			relid = RelationGetRelid(rel);
	uint32		files = GPUAGG_FILES_NUMBER(rel);
	BlockNumber written;

	if (gpuagg_cache_fraction(relid, files, columns, n, nblocks) >= 1)
		return true;
	written = gpuagg_written_blocks(rel, nblocks, true);
	return written > 0 && gpuagg_cache_fraction(relid, files, columns, n, written) >= 1;
}

/*
 * The cache as it is now: a plan that is used later finds another one, and then
 * PostgreSQL's plan answers.
 */
bool
gpuagg_sample_check_program(PlannerInfo *root, RelOptInfo *rel, Relation relation,
							const GpuAggProgram *program)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(program);
	AttrNumber *columns = palloc(program->nattrs * sizeof(AttrNumber));
	int			n = 0;

	if (clause_method(sample_clause(root, rel)) != GPUAGG_SAMPLE_DRAWS)
		return true;
	for (uint32 i = 0; i < program->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			columns[n++] = i + 1;
	if (!device_draws())
		return GPUAGG_REFUSE("the device makes no random draws");
	if (!gpuagg_cache || n == 0 || !whole_table_cached(relation, columns, n))
		return GPUAGG_REFUSE(
			"random draws need all columns of the query in the column cache, for all of the table");
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

BlockNumber
gpuagg_sample_pages(int method, const RelOptInfo *rel, Relation relation)
{
	return method == GPUAGG_SAMPLE_SYSTEM ? RelationGetNumberOfBlocks(relation) : rel->pages;
}

double
gpuagg_sample_drawn_pages(int method, Relation relation)
{
	return method == GPUAGG_SAMPLE_SYSTEM ? RelationGetNumberOfBlocks(relation) : 0;
}

double
gpuagg_sample_lines(PlannerInfo *root, RelOptInfo *rel, Relation relation)
{
	BlockNumber pages;
	double		tuples;
	double		allvisfrac;

	if (gpuagg_sample_method(root, rel) != GPUAGG_SAMPLE_BERNOULLI &&
		gpuagg_sample_method(root, rel) != GPUAGG_SAMPLE_DRAWS)
		return 0;
	estimate_rel_size(relation, NULL, &pages, &tuples, &allvisfrac);
	return tuples;
}
