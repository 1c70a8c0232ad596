/*
 * value_bound.c
 *		How many different values an expression can have (value_bound.h).
 *
 * PostgreSQL takes an expression to have as many values as its columns together:
 * extract(dow FROM t) as many as t.  Three rules find fewer:
 *
 *	- a function has no more values than its arguments have combinations;
 *	- some return few, whatever their arguments: booleans, fields of a date,
 *	  remainders, a CASE of constants;
 *	- some return few over the range of a column, which its histogram tells: date_trunc,
 *	  years, a quotient.
 *
 * Of a column the statistics tell the values and the range; of strings that the cache
 * has, their number.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "datatype/timestamp.h"
#include "ipc/cache_shared.h"
#include "nodes/nodeFuncs.h"
#include "parser/scansup.h"
#include "planner/value_bound.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/timestamp.h"

#define YEAR_USECS (DAYS_PER_YEAR * USECS_PER_DAY)

static const GpuAggValueBound unknown = {.values = HUGE_VAL,.nullable = true};

/* --------------------------------------------------------------- columns --- */

/* A value on the scale of GpuAggValueBound's range; false: of other types, or infinite */
static bool
scalar_of(Oid type, Datum value, double *scalar)
{
	switch (type)
	{
		case INT2OID:
			*scalar = DatumGetInt16(value);
			return true;
		case INT4OID:
			*scalar = DatumGetInt32(value);
			return true;
		case INT8OID:
			*scalar = (double) DatumGetInt64(value);
			return true;
		case DATEOID:
			*scalar = (double) DatumGetDateADT(value) * USECS_PER_DAY;
			return !DATE_NOT_FINITE(DatumGetDateADT(value));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*scalar = (double) DatumGetTimestamp(value);
			return !TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value));
		default:
			return false;
	}
}

/* How far apart values of a type are at least; 0: nothing is known */
static double
type_step(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return 1;
		case DATEOID:
			return (double) USECS_PER_DAY;
		default:
			return 0;
	}
}

/* Of values that are multiples of step */
static double
steps_in_range(const GpuAggValueBound *b, double step)
{
	return b->ranged && step > 0 ?
		floor(b->high / step) - floor(b->low / step) + 1 : HUGE_VAL;
}

/* Of units that begin at their own times: months, say, which are not equally long */
static double
units_in_range(const GpuAggValueBound *b, double usecs)
{
	if (usecs <= USECS_PER_DAY)
		return steps_in_range(b, usecs);
	return b->ranged ? floor((b->high - b->low) / usecs) + 2 : HUGE_VAL;
}

/* Widens the range by some of a column's statistics. */
static void
range_of_slot(HeapTuple stats, int kind, Oid type, GpuAggValueBound *b)
{
	AttStatsSlot slot;

	if (!get_attstatsslot(&slot, stats, kind, InvalidOid, ATTSTATSSLOT_VALUES))
		return;
	for (int i = 0; i < slot.nvalues; i++)
	{
		double		scalar;

		if (!scalar_of(type, slot.values[i], &scalar))
			continue;
		b->low = b->ranged ? Min(b->low, scalar) : scalar;
		b->high = b->ranged ? Max(b->high, scalar) : scalar;
		b->ranged = true;
	}
	free_attstatsslot(&slot);
}

static void
bound_by_statistics(const GpuAggBoundSource *source, Var *var, GpuAggValueBound *b)
{
	VariableStatData data;
	bool		is_default;
	double		values;

	examine_variable(source->root, (Node *) var, 0, &data);
	values = get_variable_numdistinct(&data, &is_default);
	if (!is_default)
		b->values = values;
	if (HeapTupleIsValid(data.statsTuple))
	{
		b->nullable = ((Form_pg_statistic) GETSTRUCT(data.statsTuple))->stanullfrac > 0;
		range_of_slot(data.statsTuple, STATISTIC_KIND_HISTOGRAM, var->vartype, b);
		range_of_slot(data.statsTuple, STATISTIC_KIND_MCV, var->vartype, b);
	}
	ReleaseVariableStats(data);
}

static GpuAggValueBound
bound_var(const GpuAggBoundSource *source, Var *var)
{
	GpuAggValueBound b = unknown;
	double		strings;

	if (var->varlevelsup != 0 || var->varno != source->rel->relid || var->varattno <= 0)
		return b;
	bound_by_statistics(source, var, &b);
	if (TupleDescAttr(RelationGetDescr(source->relation), var->varattno - 1)->attnotnull)
		b.nullable = false;
	b.values = Min(b.values, steps_in_range(&b, type_step(var->vartype)));
	if (source->exact_hidden || get_typlen(var->vartype) != -1)
		return b;
	strings = gpuagg_cache_strings(RelationGetRelid(source->relation),
								   GPUAGG_FILES_NUMBER(source->relation),
								   var->varattno, source->rel->pages);
	if (strings > 0)
		b.values = Min(b.values, strings);
	return b;
}

/* ----------------------------------------------------------------- times --- */

/* The unit or field that a constant names, DTK_...; -1: none */
static int
time_unit(Node *node)
{
	Const	   *c = (Const *) node;
	char	   *name;
	int			value;

	if (!IsA(node, Const) || c->constisnull || c->consttype != TEXTOID)
		return -1;
	name = TextDatumGetCString(c->constvalue);
	name = downcase_truncate_identifier(name, strlen(name), false);
	if (DecodeUnits(0, name, &value) != UNKNOWN_FIELD ||
		DecodeSpecial(0, name, &value) != UNKNOWN_FIELD)
		return value;
	return -1;
}

/* As long as one of these is at least; 0: no such unit */
static double
unit_usecs(int unit)
{
	switch (unit)
	{
		case DTK_MILLISEC:
			return 1000;
		case DTK_SECOND:
			return USECS_PER_SEC;
		case DTK_MINUTE:
			return USECS_PER_MINUTE;
		case DTK_HOUR:
			return (double) USECS_PER_HOUR;
		case DTK_DAY:
			return (double) USECS_PER_DAY;
		case DTK_WEEK:
			return 7.0 * USECS_PER_DAY;
		case DTK_MONTH:
			return YEAR_USECS / 12;
		case DTK_QUARTER:
			return YEAR_USECS / 4;
		case DTK_YEAR:
		case DTK_ISOYEAR:
			return YEAR_USECS;
		case DTK_DECADE:
			return 10 * YEAR_USECS;
		case DTK_CENTURY:
			return 100 * YEAR_USECS;
		case DTK_MILLENNIUM:
			return 1000 * YEAR_USECS;
		default:
			return 0;
	}
}

/* Values of a field that comes round again; HUGE_VAL: it does not */
static double
field_values(int field)
{
	switch (field)
	{
		case DTK_DOW:
		case DTK_ISODOW:
			return 7;
		case DTK_QUARTER:
			return 4;
		case DTK_MONTH:
			return 12;
		case DTK_HOUR:
			return 24;
		case DTK_DAY:
			return 31;
		case DTK_WEEK:
			return 53;
		case DTK_MINUTE:
			return 60;
		case DTK_DOY:
			return 366;
		default:
			return HUGE_VAL;
	}
}

/* Years and longer count on and on. */
static void
bound_extract(GpuAggValueBound *b, int field, const GpuAggValueBound *time)
{
	double		usecs = unit_usecs(field);

	b->values = Min(b->values, field_values(field));
	if (usecs >= YEAR_USECS)
		b->values = Min(b->values, units_in_range(time, usecs));
}

static void
bound_trunc(GpuAggValueBound *b, int unit, const GpuAggValueBound *time)
{
	double		usecs = unit_usecs(unit);

	if (usecs <= 0 || !time->ranged)
		return;
	b->ranged = true;
	b->low = floor(time->low / usecs) * usecs;
	b->high = time->high;
	b->values = Min(b->values, units_in_range(time, usecs));
}

/* --------------------------------------------------------------- numbers --- */

static void
copy_range(GpuAggValueBound *b, const GpuAggValueBound *from)
{
	b->ranged = from->ranged;
	b->low = from->low;
	b->high = from->high;
}

static void
bound_shift(GpuAggValueBound *b, const GpuAggValueBound *from, double by)
{
	copy_range(b, from);
	b->low += by;
	b->high += by;
}

/* The sign of a remainder is that of the dividend. */
static void
bound_remainder(GpuAggValueBound *b, const GpuAggValueBound *dividend, double divisor)
{
	double		most = fabs(divisor) - 1;

	if (divisor == 0)
		return;
	b->ranged = true;
	b->low = dividend->ranged && dividend->low > -most ? Min(dividend->low, 0) : -most;
	b->high = dividend->ranged && dividend->high < most ? Max(dividend->high, 0) : most;
	b->values = Min(b->values, b->high - b->low + 1);
}

static void
bound_quotient(GpuAggValueBound *b, const GpuAggValueBound *dividend, double divisor)
{
	double		one = trunc(dividend->low / divisor);
	double		other = trunc(dividend->high / divisor);

	if (divisor == 0 || !dividend->ranged)
		return;
	b->ranged = true;
	b->low = Min(one, other);
	b->high = Max(one, other);
	b->values = Min(b->values, b->high - b->low + 1);
}

static bool
constant_scalar(Node *node, double *scalar)
{
	Const	   *c = (Const *) node;

	return IsA(node, Const) && !c->constisnull &&
		scalar_of(c->consttype, c->constvalue, scalar);
}

/* ------------------------------------------------------------- functions --- */

/* One operation of all widths of integers */
#define INTEGER_CASES(operation) \
	case F_INT2##operation: \
	case F_INT4##operation: \
	case F_INT8##operation: \
	case F_INT24##operation: \
	case F_INT42##operation: \
	case F_INT28##operation: \
	case F_INT82##operation: \
	case F_INT48##operation: \
	case F_INT84##operation

/* What two arguments, the second one a number, make */
static void
bound_arithmetic(Oid funcid, GpuAggValueBound *b, const GpuAggValueBound *left, double right)
{
	switch (funcid)
	{
			INTEGER_CASES(PL):
			bound_shift(b, left, right);
			break;
			INTEGER_CASES(MI):
			bound_shift(b, left, -right);
			break;
			INTEGER_CASES(DIV):
			bound_quotient(b, left, right);
			break;
		case F_INT2MOD:
		case F_INT4MOD:
		case F_INT8MOD:
		case F_MOD_INT2_INT2:
		case F_MOD_INT4_INT4:
		case F_MOD_INT8_INT8:
			bound_remainder(b, left, right);
			break;
		case F_INT2AND:
		case F_INT4AND:
		case F_INT8AND:
			if (right >= 0)
				b->values = Min(b->values, right + 1);
			break;
		default:
			break;
	}
}

/* Functions that return fewer values than their arguments have */
static void
bound_function(Oid funcid, List *args, const GpuAggValueBound *bounds, GpuAggValueBound *b)
{
	double		number;

	switch (funcid)
	{
		case F_EXTRACT_TEXT_DATE:
		case F_EXTRACT_TEXT_TIMESTAMP:
		case F_EXTRACT_TEXT_TIMESTAMPTZ:
		case F_DATE_PART_TEXT_TIMESTAMP:
		case F_DATE_PART_TEXT_TIMESTAMPTZ:
			bound_extract(b, time_unit(linitial(args)), &bounds[1]);
			break;
		case F_DATE_TRUNC_TEXT_TIMESTAMP:
		case F_DATE_TRUNC_TEXT_TIMESTAMPTZ:
			bound_trunc(b, time_unit(linitial(args)), &bounds[1]);
			break;
		case F_DATE_TIMESTAMP:
		case F_DATE_TIMESTAMPTZ:
			bound_trunc(b, DTK_DAY, &bounds[0]);
			break;
		case F_TIMESTAMP_DATE:
		case F_TIMESTAMPTZ_DATE:
		case F_TIMESTAMP_TIMESTAMPTZ:
		case F_TIMESTAMPTZ_TIMESTAMP:
		case F_INT4_INT2:
		case F_INT8_INT2:
		case F_INT2_INT4:
		case F_INT8_INT4:
		case F_INT2_INT8:
		case F_INT4_INT8:
			copy_range(b, &bounds[0]);
			break;
		default:
			if (list_length(args) == 2 && constant_scalar(lsecond(args), &number))
				bound_arithmetic(funcid, b, &bounds[0], number);
			break;
	}
}

/* No more values than combinations of its arguments, of which NULL may be one */
static GpuAggValueBound
bound_call(const GpuAggBoundSource *source, Oid funcid, Oid type, List *args)
{
	GpuAggValueBound b = {.values = 1};
	bool		strict = OidIsValid(funcid) && func_strict(funcid);
	GpuAggValueBound *bounds = palloc((list_length(args) + 1) * sizeof(GpuAggValueBound));
	ListCell   *lc;

	foreach(lc, args)
	{
		GpuAggValueBound *arg = &bounds[foreach_current_index(lc)];

		*arg = gpuagg_value_bound(source, lfirst(lc));
		b.values *= arg->values + (arg->nullable && !strict);
		b.nullable |= arg->nullable;
	}
	bound_function(funcid, args, bounds, &b);
	if (type == BOOLOID)
		b.values = Min(b.values, 2);
	pfree(bounds);
	return b;
}

/* --------------------------------------------------------------- choices --- */

/*
 * One of these: equal constants count once.  NULL may come of each, or only where all
 * are NULL.
 */
static GpuAggValueBound
bound_one_of(const GpuAggBoundSource *source, List *choices, bool any_null)
{
	GpuAggValueBound b = {.nullable = !any_null};
	List	   *constants = NIL;
	ListCell   *lc;

	foreach(lc, choices)
	{
		Node	   *choice = lfirst(lc);
		GpuAggValueBound one = gpuagg_value_bound(source, choice);

		b.nullable = any_null ? b.nullable || one.nullable : b.nullable && one.nullable;
		if (!IsA(choice, Const))
			b.values += one.values;
		else if (!((Const *) choice)->constisnull)
			constants = list_append_unique(constants, choice);
	}
	b.values += list_length(constants);
	return b;
}

static GpuAggValueBound
bound_case(const GpuAggBoundSource *source, CaseExpr *expr)
{
	List	   *results = list_make1(expr->defresult);
	ListCell   *lc;

	foreach(lc, expr->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	return bound_one_of(source, results, true);
}

static GpuAggValueBound
bound_const(Const *expr)
{
	GpuAggValueBound b = {.values = expr->constisnull ? 0 : 1,.nullable = expr->constisnull};

	b.ranged = !expr->constisnull && scalar_of(expr->consttype, expr->constvalue, &b.low);
	b.high = b.low;
	return b;
}

/* ------------------------------------------------------------------- all --- */

static GpuAggValueBound
bound_null_if(const GpuAggBoundSource *source, NullIfExpr *expr)
{
	GpuAggValueBound b = gpuagg_value_bound(source, linitial(expr->args));

	b.nullable = true;
	return b;
}

static GpuAggValueBound
bound_truth(const GpuAggBoundSource *source, List *args)
{
	return bound_call(source, InvalidOid, BOOLOID, args);
}

GpuAggValueBound
gpuagg_value_bound(const GpuAggBoundSource *source, Node *expr)
{
	switch (nodeTag(expr))
	{
		case T_Var:
			return bound_var(source, (Var *) expr);
		case T_Const:
			return bound_const((Const *) expr);
		case T_RelabelType:
			return gpuagg_value_bound(source, (Node *) ((RelabelType *) expr)->arg);
		case T_CollateExpr:
			return gpuagg_value_bound(source, (Node *) ((CollateExpr *) expr)->arg);
		case T_FuncExpr:
			return bound_call(source, ((FuncExpr *) expr)->funcid, exprType(expr),
							  ((FuncExpr *) expr)->args);
		case T_OpExpr:
			return bound_call(source, get_opcode(((OpExpr *) expr)->opno), exprType(expr),
							  ((OpExpr *) expr)->args);
		case T_NullIfExpr:
			return bound_null_if(source, (NullIfExpr *) expr);
		case T_BoolExpr:
			return bound_truth(source, ((BoolExpr *) expr)->args);
		case T_ScalarArrayOpExpr:
			return bound_truth(source, ((ScalarArrayOpExpr *) expr)->args);
		case T_NullTest:
		case T_BooleanTest:
		case T_DistinctExpr:
			return (GpuAggValueBound) {.values = 2};
		case T_CaseExpr:
			return bound_case(source, (CaseExpr *) expr);
		case T_CoalesceExpr:
			return bound_one_of(source, ((CoalesceExpr *) expr)->args, false);
		case T_MinMaxExpr:
			return bound_one_of(source, ((MinMaxExpr *) expr)->args, false);
		default:
			return unknown;
	}
}
