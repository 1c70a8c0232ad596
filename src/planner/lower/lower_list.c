/*
 * lower_list.c
 *		x = ANY (array) and the like: IN and NOT IN lists above all.
 *
 * = ANY and <> ALL of a constant array become one IN operation over a sorted
 * list of constants, however long.  Other operators, and arrays built of
 * expressions, are spelled out: x op a OR x op b ... in PostgreSQL's own
 * order of evaluation.
 *
 * An array that is known when execution starts (= ANY ($1) in a generic plan) is a
 * table (list_table.h), if its elements are integers to devices: a program's constants
 * are counted before it runs.
 *
 * Does not handle: other elements of these, and arrays that depend on the row.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/qunique.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_func.h"
#include "planner/lower/lower_list.h"
#include "planner/lower/lower_numeric.h"
#include "planner/value/args.h"
#include "planner/value/list_table.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Comparisons spelled out at most */
#define MAX_SPELLED_OUT 64

/* An array's elements, however it was written. */
typedef struct ArrayElements
{
	bool		is_null;		/* the array itself */
	bool		all_const;		/* values and nulls are set, else exprs */
	Oid			type;
	int			n;
	Datum	   *values;
	bool	   *nulls;
	List	   *exprs;
} ArrayElements;

static bool
get_elements(Expr *expr, ArrayElements *e)
{
	memset(e, 0, sizeof(*e));
	if (IsA(expr, Const))
	{
		Const	   *con = (Const *) expr;
		ArrayType  *array;
		int16		len;
		bool		byval;
		char		align;

		e->all_const = true;
		e->is_null = con->constisnull;
		if (con->constisnull)
			return true;
		array = DatumGetArrayTypeP(con->constvalue);
		e->type = ARR_ELEMTYPE(array);
		get_typlenbyvalalign(e->type, &len, &byval, &align);
		deconstruct_array(array, e->type, len, byval, align, &e->values,
						  &e->nulls, &e->n);
		return true;
	}
	if (IsA(expr, ArrayExpr) && !((ArrayExpr *) expr)->multidims)
	{
		e->type = ((ArrayExpr *) expr)->element_typeid;
		e->exprs = ((ArrayExpr *) expr)->elements;
		e->n = list_length(e->exprs);
		return true;
	}
	return GPUAGG_REFUSE("an array that is not known while planning is not supported (as in = ANY ($1) of a generic plan)");
}

static Expr *
element_expr(const ArrayElements *e, int i, Oid collation)
{
	int16		len;
	bool		byval;

	if (!e->all_const)
		return (Expr *) list_nth(e->exprs, i);
	get_typlenbyval(e->type, &len, &byval);
	return (Expr *) makeConst(e->type, -1, collation, len, e->values[i],
							  e->nulls[i], byval);
}

static bool
spell_out(GpuAggLower *lw, ScalarArrayOpExpr *saop, const ArrayElements *e,
		  GpuAggLowered *out)
{
	GpuAggOp	join = saop->useOr ? GPUAGG_OP_OR : GPUAGG_OP_AND;
	GpuAggLowered acc;

	if (e->n > MAX_SPELLED_OUT)
		return GPUAGG_REFUSE("a comparison with more than %d array elements",
							 MAX_SPELLED_OUT);
	for (int i = 0; i < e->n; i++)
	{
		List	   *args = list_make2(gpuagg_arg(saop->args, 0),
									  element_expr(e, i, saop->inputcollid));
		GpuAggLowered next;

		if (!gpuagg_lower_function(lw, saop->opfuncid, saop->opno, args,
								   saop->inputcollid, &next))
			return false;
		if (i == 0)
			acc = next;
		else if (!gpuagg_lower_op(lw, join, GPUAGG_T_BOOL, &acc, &next, NULL,
								  0, &acc))
			return false;
	}
	*out = acc;
	return true;
}

static int
compare_i64(const void *a, const void *b)
{
	int64		x = ((const GpuAggConstant *) a)->value.v.i;
	int64		y = ((const GpuAggConstant *) b)->value.v.i;

	return x < y ? -1 : x > y;
}

/* NaN last, and equal to itself; -0 equals 0 */
static int
compare_f64(const void *a, const void *b)
{
	double		x = ((const GpuAggConstant *) a)->value.v.f;
	double		y = ((const GpuAggConstant *) b)->value.v.f;

	if (isnan(x) || isnan(y))
		return (int) isnan(x) - (int) isnan(y);
	return x < y ? -1 : x > y;
}

static int
compare_bytes(const void *a, const void *b)
{
	const GpuAggConstant *x = (const GpuAggConstant *) a;
	const GpuAggConstant *y = (const GpuAggConstant *) b;
	int			d = memcmp(x->bytes, y->bytes, Min(x->value.len, y->value.len));

	if (d != 0)
		return d;
	return x->value.len < y->value.len ? -1 : x->value.len > y->value.len;
}

/* The type that elements have as constants beside a scalar of that type */
static bool
member_type(Oid element, uint8 scalar, uint8 *type)
{
	if (!gpuagg_constant_type(element, type) ||
		gpuagg_constant_class(*type) != gpuagg_constant_class(scalar))
		return false;
	/* an array of integers that was cast to one of oids keeps its elements' type */
	if (*type == GPUAGG_T_INT4 && scalar == GPUAGG_T_OID)
		*type = GPUAGG_T_OID;
	return *type == scalar || (*type < GPUAGG_T_CODE && scalar < GPUAGG_T_CODE);
}

/*
 * Element i as a constant comparable with the scalar; *none: no value of the
 * scalar's type equals it.
 */
static bool
list_member_constant(const ArrayElements *e, int i, const GpuAggLowered *scalar,
					 GpuAggConstant *c, bool *none)
{
	uint8		type;

	*none = false;
	if (e->type == NUMERICOID && scalar->type == GPUAGG_T_NUMERIC)
	{
		int64		floor;
		bool		integral;

		*none = !gpuagg_lower_numeric_floor(e->values[i], scalar->scale.digits, &floor,
											&integral) || !integral;
		if (!*none)
			*c = gpuagg_constant_make(GPUAGG_T_NUMERIC, Int64GetDatum(floor),
									  false);
		return true;
	}
	if (!member_type(e->type, scalar->type, &type) || !gpuagg_constant_fits(type, e->values[i]))
		return GPUAGG_REFUSE("arrays of type %s are not supported here",
							 format_type_be(e->type));
	*c = gpuagg_constant_make(type, e->values[i], false);
	if (type == GPUAGG_T_BPCHAR)
	{
		while (c->value.len > 0 && c->bytes[c->value.len - 1] == ' ')
			c->value.len--;
	}
	return true;
}

static bool
add_sorted(GpuAggLower *lw, GpuAggConstant *list, int n, GpuAggClass class,
		   int *count)
{
	int			(*compare) (const void *, const void *) =
		class == GPUAGG_CLASS_I64 ? compare_i64 :
		class == GPUAGG_CLASS_F64 ? compare_f64 : compare_bytes;

	qsort(list, n, sizeof(GpuAggConstant), compare);
	n = qunique(list, n, sizeof(GpuAggConstant), compare);
	for (int i = 0; i < n; i++)
	{
		if (!gpuagg_lower_list_constant(lw, list[i]))
			return false;
	}
	*count = n;
	return true;
}

static bool
check_list_collation(Oid type, Oid collation)
{
	if (type_is_collatable(type) && !gpuagg_collation_is_bytewise(collation))
		return GPUAGG_REFUSE("comparisons under a nondeterministic collation are not supported");
	return true;
}

static bool
lower_in(GpuAggLower *lw, ScalarArrayOpExpr *saop, const ArrayElements *e,
		 GpuAggLowered *out)
{
	static const uint8 operation[] = {
		[GPUAGG_CLASS_I64] = GPUAGG_OP_IN_I64,
		[GPUAGG_CLASS_F64] = GPUAGG_OP_IN_F64,
		[GPUAGG_CLASS_BYTES] = GPUAGG_OP_IN_BYTES
	};
	GpuAggConstant *list = palloc(e->n * sizeof(GpuAggConstant));
	GpuAggInstr instr;
	GpuAggLowered scalar;
	int			n = 0;
	int			first;
	int			count;
	bool		has_null = false;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(saop->args, 0), &scalar) ||
		!check_list_collation(exprType(gpuagg_arg(saop->args, 0)), saop->inputcollid))
		return false;
	if (scalar.type == GPUAGG_T_BPCHAR &&
		!gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, &scalar, NULL,
						 NULL, 0, &scalar))
		return false;
	for (int i = 0; i < e->n; i++)
	{
		bool		none;

		if (e->nulls[i])
			has_null = true;
		else if (!list_member_constant(e, i, &scalar, &list[n], &none))
			return false;
		else if (!none)
			n++;
	}
	first = lw->nconsts;
	if (!add_sorted(lw, list, n, gpuagg_constant_class(scalar.type), &count))
		return false;
	memset(&instr, 0, sizeof(instr));
	instr.op = operation[gpuagg_constant_class(scalar.type)];
	instr.a = scalar.reg;
	instr.b = GPUAGG_NO_REG;
	instr.c = GPUAGG_NO_REG;
	instr.flags = (has_null ? GPUAGG_IN_HAS_NULL : 0) |
		(saop->useOr ? 0 : GPUAGG_IN_NEGATED);
	instr.imm = first;
	instr.imm2 = count;
	out->notnull = scalar.notnull && !has_null;
	out->may_fail = scalar.may_fail;
	return gpuagg_lower_emit(lw, instr, GPUAGG_T_BOOL, out);
}

/*
 * No elements at all, or no array: the result does not depend on x, but
 * PostgreSQL computes x all the same.
 */
static bool
lower_without_elements(GpuAggLower *lw, ScalarArrayOpExpr *saop,
					   const ArrayElements *e, GpuAggLowered *out)
{
	GpuAggLowered scalar;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(saop->args, 0), &scalar))
		return false;
	if (scalar.may_fail)
		return GPUAGG_REFUSE("a comparison with an empty array is not supported");
	if (e->is_null)
		return gpuagg_lower_null_bool(lw, out);
	return gpuagg_lower_bool(lw, !saop->useOr, out);
}

/* x = ANY (array), or its negation, by the array's table */
static bool
lower_listed(GpuAggLower *lw, ScalarArrayOpExpr *saop, GpuAggLowered *out)
{
	Expr	   *array = gpuagg_arg(saop->args, 1);
	GpuAggLowered scalar;
	GpuAggLowered table;
	GpuAggLowered filled;
	GpuAggLowered null;

	if (!gpuagg_lower_expr(lw, gpuagg_arg(saop->args, 0), &scalar))
		return false;
	if (!gpuagg_list_type(get_base_element_type(exprType((Node *) array)), scalar.type))
		return GPUAGG_REFUSE(
			"an array of type %s that is not known while planning is not supported",
			format_type_be(exprType((Node *) array)));
	if (!gpuagg_lower_list(lw, array, GPUAGG_ZONE_LIST, &table) ||
		!gpuagg_lower_list(lw, array, GPUAGG_ZONE_LIST_FILLED, &filled) ||
		!gpuagg_lower_list(lw, array, GPUAGG_ZONE_LIST_NULL, &null) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_LISTED_I64, GPUAGG_T_BOOL, &scalar, &table, NULL, 0, out) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_AND, GPUAGG_T_BOOL, out, &filled, NULL, 0, out) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_OR, GPUAGG_T_BOOL, out, &null, NULL, 0, out))
		return false;
	return saop->useOr ||
		gpuagg_lower_op(lw, GPUAGG_OP_NOT, GPUAGG_T_BOOL, out, NULL, NULL, 0, out);
}

bool
gpuagg_lower_array_op(GpuAggLower *lw, ScalarArrayOpExpr *saop,
					  GpuAggLowered *out)
{
	ArrayElements e;
	bool		negated;

	set_sa_opfuncid(saop);
	if (IsA(gpuagg_arg(saop->args, 1), Param) &&
		gpuagg_lower_is_equality(saop->opfuncid, &negated) && negated == !saop->useOr)
		return lower_listed(lw, saop, out);
	if (!get_elements(gpuagg_arg(saop->args, 1), &e))
		return false;
	if (e.is_null || e.n == 0)
		return lower_without_elements(lw, saop, &e, out);
	if (e.all_const && gpuagg_lower_is_equality(saop->opfuncid, &negated) &&
		negated == !saop->useOr)
		return lower_in(lw, saop, &e, out);
	return spell_out(lw, saop, &e, out);
}
