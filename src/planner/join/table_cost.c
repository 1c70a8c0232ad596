/*
 * table_cost.c
 *		What making look-up tables takes (table_cost.h).
 */
#include "postgres.h"

#include "cost/choose.h"
#include "cost/predict_table.h"
#include "nodes/nodeFuncs.h"
#include "planner/join/table_cost.h"
#include "planner/join/table_finder.h"
#include "planner/lower/lower_join.h"
#include "planner/offer/path_cost.h"
#include "utils/lsyscache.h"

/* Of one string of 17 bytes, by PostgreSQL: LIKE, =, lower() and < take 80 to 96 on an EPYC. */
#define VALUE_NS 100.0

/* Looking whether a table is as it was */
#define BEFORE_NS 2000.0

static bool
is_string(const GpuAggLookupLower *lookup, int column)
{
	return gpuagg_constant_class(lookup->types[column]) == GPUAGG_CLASS_BYTES;
}

/* Of a string column of so many rows */
static double
string_bytes(const GpuAggLookupLower *lookup, int column, double rows)
{
	const Node *expr = list_nth(lookup->columns, column);

	return rows * get_typavgwidth(exprType(expr), exprTypmod(expr));
}

double
gpuagg_table_bytes(const GpuAggLookupLower *lookup)
{
	const int	n = list_length(lookup->columns);
	double		bytes = lookup->rows * (GPUAGG_TABLE_ROW_BYTES + 8.0 * n);

	for (int i = 0; i < n; i++)
		bytes += is_string(lookup, i) ? string_bytes(lookup, i, lookup->rows) : 0;
	return bytes;
}

/* A device that folds rows has memory for all of them. */
static double
made_rows(const GpuAggLookupLower *lookup, double rows)
{
	return lookup->folds ? lookup->scanned->rows : rows;
}

/* Is another table's number in the key's place? */
static bool
is_numbered(const GpuAggLookupLower *lookup, int key)
{
	return key < GPUAGG_KEY_COLUMNS && (lookup->forms[key] & GPUAGG_KEY_NUMBERED) != 0;
}

static GpuAggTableWork
table_work(PlannerInfo *root, const GpuAggLookupLower *lookup, double rows)
{
	const int	n = list_length(lookup->columns);
	GpuAggTableWork work = {.rows = rows,.columns = n};

	work.hashed = gpuagg_table_finder(root, lookup, rows, &work.finder_bytes) != GPUAGG_FINDER_BITS;
	work.bytes = work.finder_bytes + 8 * rows * (work.hashed ? n : n - 1);
	for (int i = 0; i < lookup->nkeys; i++)
	{
		work.string_bytes += is_string(lookup, i) && !is_numbered(lookup, i) ?
			string_bytes(lookup, i, rows) :
			0;
		work.numbers += is_numbered(lookup, i);
	}
	work.bytes += work.string_bytes;
	return work;
}

double
gpuagg_table_made_bytes(PlannerInfo *root, const GpuAggLookupLower *lookup)
{
	return lookup->folds ? table_work(root, lookup, made_rows(lookup, 0)).bytes :
						   gpuagg_table_bytes(lookup);
}

double
gpuagg_table_read_ns(PlannerInfo *root, const GpuAggLookupLower *lookup, double rows)
{
	const GpuAggTableWork work = table_work(root, lookup, rows);
	GpuAggRates rates;

	gpuagg_cost_rates(&rates);
	return gpuagg_predict_table_read(&rates, &work) * (1 + gpuagg_lower_numbered_keys(lookup));
}

double
gpuagg_table_made_ns(PlannerInfo *root, const GpuAggLookupLower *lookup, const RelOptInfo *input,
					 const GpuAggProgram *program, double rows)
{
	GpuAggTableWork work;
	GpuAggWork	scan = {0};
	GpuAggRates rates;

	if (lookup->known)
		return BEFORE_NS;
	rows = made_rows(lookup, rows);
	work = table_work(root, lookup, rows);
	gpuagg_cost_rates(&rates);
	gpuagg_choose_work(&scan, program);
	gpuagg_compiled_work(&scan.compiled, program);
	scan.rows = scan.cached_rows = input->tuples;
	scan.passed = rows;
	/* nothing is grouped */
	scan.keys = scan.string_keys = 0;
	return gpuagg_predict_table_made(&rates, &work, &scan);
}

double
gpuagg_table_values_ns(const GpuAggLookupLower *lookup)
{
	return lookup->rows * list_length(lookup->columns) * VALUE_NS;
}
