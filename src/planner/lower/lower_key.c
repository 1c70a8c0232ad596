/*
 * lower_key.c
 *		Group keys.
 *
 * A key is an expression as any other, but for a few whose text or moment PostgreSQL makes
 * of each group (to_char, date_trunc to days).  Of columns whose equal values look unlike
 * each other, and of types that no device knows, what is stored may be a key.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_agg.h"
#include "planner/lower/lower_datetime.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_interval.h"
#include "planner/lower/lower_join.h"
#include "planner/lower/lower_key.h"
#include "planner/lower/lower_numeric.h"
#include "planner/lower/lower_own_scale.h"
#include "planner/lower/lower_to_char.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"

static bool
check_key(Expr *expr, uint8 type, Oid eqop)
{
	TypeCacheEntry *entry = lookup_type_cache(exprType((Node *) expr),
											  TYPECACHE_EQ_OPR);
	Oid			collation = exprCollation((Node *) expr);

	if (eqop != entry->eq_opr)
		return GPUAGG_REFUSE("GROUP BY uses another equality than that of type %s",
							 format_type_be(exprType((Node *) expr)));
	if (type_is_collatable(exprType((Node *) expr)) && !gpuagg_collation_is_bytewise(collation))
		return GPUAGG_REFUSE("GROUP BY under a nondeterministic collation is not supported");
	return true;
}

static bool
add_key(GpuAggLower *lw, const GpuAggLowered *value, Expr *row_expr, int *number)
{
	const GpuAggScale scale = gpuagg_lower_numeric_scale(value);

	if (value->type == GPUAGG_T_NUMERIC && !gpuagg_scale_is_word(value->scale) &&
		value->shown > value->scale.digits)
		return GPUAGG_REFUSE("GROUP BY of a quotient of numerics is not supported");
	for (int i = 0; i < lw->nkeys; i++)
	{
		if (lw->keys[i].reg == value->reg && lw->keys[i].type == value->type &&
			gpuagg_scale_same(lw->keys[i].scale, scale))
		{
			*number = i;
			return true;
		}
	}
	if (lw->nkeys == GPUAGG_MAX_KEYS)
		return GPUAGG_REFUSE("more than %d group keys", GPUAGG_MAX_KEYS);
	*number = lw->nkeys++;
	lw->keys[*number].reg = value->reg;
	lw->keys[*number].type = value->type;
	lw->keys[*number].notnull = value->notnull;
	lw->keys[*number].scale = scale;
	lw->key_exprs[*number] = row_expr;
	return true;
}

bool
gpuagg_lower_key(GpuAggLower *lw, Expr *expr, Oid eqop, GpuAggOutput *output)
{
	Expr	   *row_expr = expr;
	GpuAggLowered value;
	bool		date_tz;
	bool		day = false;
	bool		text = false;
	int			code = -1;
	bool		ok;

	output->count_index = -1;
	if (gpuagg_lower_numbered_key(lw, expr, &value, output))
		return (!OidIsValid(eqop) || check_key(expr, output->type, eqop)) &&
			add_key(lw, &value, row_expr, &output->index);
	ok = false;
	date_tz = false;
	/* a plan gives such a key as it is */
	if (!lw->of_plan)
		ok = gpuagg_lower_date_tz_key(lw, expr, &date_tz, &row_expr, &value);
	if (!date_tz && !lw->of_plan)
		ok = gpuagg_lower_day_key(lw, expr, &day, &row_expr, &value);
	if (!date_tz && !day && !lw->of_plan)
		ok = gpuagg_lower_to_char_key(lw, expr, &text, &row_expr, &value);
	if (!date_tz && !day && !text)
		ok = gpuagg_lower_expr(lw, expr, &value);
	if (ok && value.type == GPUAGG_T_INTERVAL)
		ok = gpuagg_lower_interval_key(lw, expr, &value, &code);
	if (!ok ||
		(OidIsValid(eqop) && !check_key(expr, text ? GPUAGG_T_TEXT : value.type, eqop)) ||
		!add_key(lw, &value, row_expr, &output->index))
		return false;
	output->final = date_tz ? GPUAGG_FINAL_KEY_DATE_TZ :
		day					? GPUAGG_FINAL_KEY_DAY :
		text				? GPUAGG_FINAL_KEY_TEXT :
		code >= 0			? GPUAGG_FINAL_KEY_INTERVAL :
							  GPUAGG_FINAL_KEY;
	output->shown_by = code + 1;
	output->type = value.type;
	output->scale = value.scale.digits;
	output->shown = value.shown;
	return gpuagg_lower_most_shown(lw, &value, row_expr, output);
}

bool
gpuagg_lower_looks_unlike_equals(const Var *var)
{
	int32		typmod = var->vartypmod;

	switch (getBaseTypeAndTypmod(var->vartype, &typmod))
	{
		case FLOAT4OID:
		case FLOAT8OID:
		case INTERVALOID:
			return true;
		case BPCHAROID:
		case NUMERICOID:
			return typmod < VARHDRSZ;
		default:
			return false;
	}
}

/* A value that a row's own has the bytes of */
static Expr *
relabelled(Expr *expr, Oid type)
{
	return (Expr *) makeRelabelType(expr, type, -1, InvalidOid, COERCE_EXPLICIT_CAST);
}

/* The bits of a float: as a double's */
static bool
stored_float(GpuAggLower *lw, Var *var, bool is_float4, GpuAggLowered *value, Expr **row_expr,
			 GpuAggOutput *output)
{
	Expr	   *wide = (Expr *) var;

	if (is_float4)
	{
		wide = (Expr *) makeFuncExpr(gpuagg_function_oid(GPUAGG_F_FLOAT8_FLOAT4), FLOAT8OID,
									 list_make1(var), InvalidOid, InvalidOid,
									 COERCE_EXPLICIT_CAST);
		output->final = GPUAGG_FINAL_KEY_FLOAT4;
	}
	*row_expr = relabelled(wide, INT8OID);
	return gpuagg_lower_nullness_column(lw, var, value) &&
		gpuagg_lower_op(lw, GPUAGG_OP_FLOAT_BITS, GPUAGG_T_INT8, value, NULL, NULL, 0, value);
}

/*
 * A numeric and the decimals that it shows: a word; or, of one that does not fit, the
 * bytes stored
 */
static bool
stored_numeric(GpuAggLower *lw, Var *var, GpuAggLowered *value, Expr **row_expr,
			   GpuAggOutput *output)
{
	if (!gpuagg_lower_is_strange(lw, var) && gpuagg_lower_own_scale_fits(lw, var->varattno))
	{
		output->final = GPUAGG_FINAL_KEY_WORD;
		output->scale = 0;
		*row_expr = (Expr *) var;
		if (!gpuagg_lower_own_scale(lw, var->varattno, value))
			return false;
		output->scale = value->scale.digits;
		return gpuagg_lower_numeric_word(lw, value, value);
	}
	*row_expr = relabelled((Expr *) var, BYTEAOID);
	return gpuagg_lower_column(lw, var->varattno, GPUAGG_T_TEXT, gpuagg_scale(0), value);
}

bool
gpuagg_lower_stored_key(GpuAggLower *lw, Var *var, GpuAggOutput *output)
{
	GpuAggLowered value;
	Expr	   *row_expr = (Expr *) var;
	Oid			base = getBaseType(var->vartype);
	uint8		type;
	bool		ok;

	if (lw->of_plan)
		return GPUAGG_REFUSE("what is stored of a column is known of tables only");
	if (!gpuagg_lower_check_var(lw, var))
		return false;
	*output = (GpuAggOutput) {.final = GPUAGG_FINAL_KEY,.count_index = -1};
	switch (base)
	{
		case FLOAT4OID:
		case FLOAT8OID:
			ok = stored_float(lw, var, base == FLOAT4OID, &value, &row_expr, output);
			break;
		case NUMERICOID:
			ok = stored_numeric(lw, var, &value, &row_expr, output);
			break;
		case INTERVALOID:
			ok = gpuagg_lower_nullness_column(lw, var, &value);
			row_expr = relabelled(row_expr, UUIDOID);
			value.type = GPUAGG_T_UUID;
			break;
		case BPCHAROID:
			ok = gpuagg_lower_nullness_column(lw, var, &value);
			row_expr = relabelled(row_expr, BYTEAOID);
			value.type = GPUAGG_T_TEXT;
			break;
		default:
			ok = get_typlen(var->vartype) == -1 && !gpuagg_constant_type(var->vartype, &type) &&
				gpuagg_lower_nullness_column(lw, var, &value) && value.type == GPUAGG_T_TEXT;
			break;
	}
	if (!ok)
		return false;
	output->type = value.type;
	return add_key(lw, &value, row_expr, &output->index);
}

bool
gpuagg_lower_unit_key(GpuAggLower *lw)
{
	GpuAggLowered value;
	int			number;

	return gpuagg_lower_bool(lw, true, &value) &&
		add_key(lw, &value, (Expr *) makeBoolConst(true, false), &number);
}
