/*
 * lower_join.h
 *		What the lowering of joins shares: columns of the inputs, and inputs that are
 *		folded, a row for each key.
 *
 * Where more than one row of an input may match, the input is grouped by its keys before
 * it becomes a look-up table.  Its columns besides the keys are aggregates then:
 *
 *	count(*)			how often what is joined with the row counts
 *	those of the query	over its columns alone: of all rows of the key
 *	min, max			for EXISTS with another comparison: some row is beyond x if the
 *						least or the greatest one is
 */
#ifndef GPUAGG_PLANNER_LOWER_JOIN_H
#define GPUAGG_PLANNER_LOWER_JOIN_H

#include "planner/lower/lower.h"
#include "planner/lower/lower_expr.h"

/* The column as the input's own paths have it; NULL: they do not. */
extern Var *gpuagg_lower_input_column(const RelOptInfo *rel, const Var *var);

/* An expression with all its columns as the input's own paths have them; NULL: they do not. */
extern Expr *gpuagg_lower_input_expr(RelOptInfo *rel, Expr *expr);

/* A column of the row that is joined: a Var of the input, or an Aggref of a folded one */
extern bool gpuagg_lower_fetch(GpuAggLower *lw, GpuAggLookupLower *lookup, Expr *column,
							   uint8 type, GpuAggScale scale, GpuAggLowered *out);

/* The input that has the table; NULL: none has */
extern GpuAggLookupLower *gpuagg_lower_find_lookup(GpuAggLower *lw, Index relid);

/*
 * Is a column of the input the same value in all rows that a look-up finds, not just an equal one?
 */
extern bool gpuagg_lower_is_common(const GpuAggLookupLower *lookup, const Var *column);

/* A string's number in the input's table; *column: which of its columns that is */
extern bool gpuagg_lower_fetch_number(GpuAggLower *lw, GpuAggLookupLower *lookup, Var *var,
									  uint8 type, int *column, GpuAggLowered *out);

/* Is that one ordinary table, all of whose rows count that pass its own conditions? */
extern bool gpuagg_lower_is_plain_scan(PlannerInfo *root, const RelOptInfo *rel);

/* A further look-up table, a constant that is filled in later; NULL: there is no room. */
extern GpuAggLookupLower *gpuagg_lower_add_lookup(GpuAggLower *lw);

/*
 * May a column of this type be a key of a look-up table, compared under this collation?  Not
 * if its own finds more equal: by that one the input's rows are grouped where it is folded.
 */
extern bool gpuagg_lower_is_join_key(Oid collation, Oid own, uint8 type);

/* Looks a row up by one key: a column of the table, of this type; a numeric at the probe's scale */
extern bool gpuagg_lower_probe(GpuAggLower *lw, GpuAggLookupLower *lookup,
							   const GpuAggLowered *probe, Expr *column, uint8 type,
							   GpuAggScale scale);

/* One more column of the table, of which its number is returned: there must be room. */
extern int gpuagg_lower_add_column(GpuAggLookupLower *lookup, Expr *column, uint8 type,
								   GpuAggScale scale);

/*
 * lower_join_key.c: looks rows up, of which there is one at most where there must be.  *rest:
 * clauses of ON that are no keys
 */
extern bool gpuagg_lower_join_keys(GpuAggLower *lw, GpuAggLookupLower *lookup,
								   const GpuAggJoin *join, List **rest);

/* How many of its key columns are numbered: only once all rows are known it has keys. */
extern int	gpuagg_lower_numbered_keys(const GpuAggLookupLower *lookup);

/* lower_fold.c */

/*
 * May the input be folded by these keys?  rest: conditions besides them.  Sets folded,
 * and extreme if one of them is decided by the least and greatest value.
 */
extern bool gpuagg_fold_begin(GpuAggLower *lw, GpuAggLookupLower *lookup, List *keys,
							  List *rest);

/* The condition named extreme: is it true of some row of the key? */
extern bool gpuagg_fold_lower_extreme(GpuAggLower *lw, GpuAggLookupLower *lookup,
									  GpuAggLowered *out);

/*
 * behind gpuagg_lower_filter(), in the order of the joins.  windowed: the table
 * is to be made in windows, if its keys allow that
 */
extern bool gpuagg_lower_join(GpuAggLower *lw, const GpuAggJoin *join, bool windowed);

/* A column of an input that is looked up */
extern bool gpuagg_lower_joined_column(GpuAggLower *lw, Var *var, GpuAggLowered *out);

/* A string of such an input as the key that its number is; false: it is none */
extern bool gpuagg_lower_numbered_key(GpuAggLower *lw, Expr *expr, GpuAggLowered *out,
									  GpuAggOutput *output);

#endif							/* GPUAGG_PLANNER_LOWER_JOIN_H */
