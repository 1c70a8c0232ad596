/*
 * lower_func.c
 *		Functions and operators.
 *
 * By OID, never by name: a user's own function called sum or + has another
 * OID and is refused.  A row of the catalogue (planner/catalogue) says who
 * lowers a call.  Here are those that are one operation of a device, length
 * and LIKE, which depend on encoding and pattern.
 */
#include "postgres.h"

#include "compat.h"
#include "planner/lower/lower_const.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_func.h"
#include "planner/lower/lower_handlers.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"

static bool
check_collation(uint16 how, Oid collation)
{
	if ((how & GPUAGG_HOW_ORDER) && !gpuagg_collation_is_c(collation))
		return GPUAGG_REFUSE("less and greater of text need collation \"C\"");
	if ((how & GPUAGG_HOW_EQUAL) && !gpuagg_collation_is_bytewise(collation))
		return GPUAGG_REFUSE("comparisons under a nondeterministic collation are not supported");
	return true;
}

static bool
check_encoding(const GpuAggLower *lw)
{
	if (lw->chars_known)
		return true;
	return GPUAGG_REFUSE("characters of this database's encoding are not supported");
}

bool
gpuagg_lower_args(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *values)
{
	for (int i = 0; i < call->function->nargs; i++)
	{
		if (!gpuagg_lower_expr(lw, gpuagg_arg(call->args, i), &values[i]))
			return false;
	}
	return true;
}

static bool
trim_blanks(GpuAggLower *lw, GpuAggLowered *value)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, value, NULL,
						   NULL, 0, value);
}

static bool
date_as_timestamp(GpuAggLower *lw, GpuAggLowered *value)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_DATE_TO_TIMESTAMP,
						   GPUAGG_T_TIMESTAMP, value, NULL, NULL, 0, value);
}

bool
gpuagg_lower_by_operation(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const GpuAggFunction *f = call->function;
	const int	first = (f->how & GPUAGG_HOW_SWAPPED) != 0;
	GpuAggLowered v[GPUAGG_FUNCTION_ARGS];
	int32		imm = 0;

	if (!check_collation(f->how, call->collation))
		return false;
	if (f->how & GPUAGG_HOW_CHARS)
	{
		if (!check_encoding(lw))
			return false;
		imm = lw->utf8;
	}
	if (!gpuagg_lower_args(lw, call, v))
		return false;
	if ((f->how & GPUAGG_HOW_BLANKS) && (!trim_blanks(lw, &v[0]) || !trim_blanks(lw, &v[1])))
		return false;
	if ((f->how & GPUAGG_HOW_DATE1) && !date_as_timestamp(lw, &v[0]))
		return false;
	if ((f->how & GPUAGG_HOW_DATE2) && !date_as_timestamp(lw, &v[1]))
		return false;
	if (f->how & GPUAGG_HOW_SAME)
	{
		*out = v[0];
		out->type = f->type;
		return true;
	}
	return gpuagg_lower_op(lw, (GpuAggOp) f->op, f->type, &v[first],
						   f->nargs > 1 ? &v[1 - first] : NULL, f->nargs > 2 ? &v[2] : NULL, imm,
						   out);
}

/* length of text, or of char(n), which does not count trailing blanks */
bool
gpuagg_lower_by_length(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const bool	blanks = (call->function->how & GPUAGG_HOW_BLANKS) != 0;
	GpuAggLowered value;

	if (!check_encoding(lw) || !gpuagg_lower_args(lw, call, &value) ||
		(blanks && !trim_blanks(lw, &value)))
		return false;
	return gpuagg_lower_op(lw, lw->utf8 ? GPUAGG_OP_LENGTH_UTF8 :
						   GPUAGG_OP_OCTET_LENGTH,
						   GPUAGG_T_INT4, &value, NULL, NULL, 0, out);
}

/*
 * LIKE.  A backslash in a pattern known now is refused; one that turns up in
 * a parameter or a column makes the device leave the query to PostgreSQL.
 * char(n) ~~ text compares with the blanks, so its bytes are used as they
 * are.
 */
bool
gpuagg_lower_by_like(GpuAggLower *lw, const GpuAggCall *call, GpuAggLowered *out)
{
	const bool	negated = (call->function->how & GPUAGG_HOW_NEGATED) != 0;
	Expr	   *pattern = gpuagg_arg(call->args, 1);
	GpuAggLowered v[2];

	if (!check_collation(GPUAGG_HOW_EQUAL, call->collation) || !check_encoding(lw))
		return false;
	if (IsA(pattern, Const) && !((Const *) pattern)->constisnull &&
		strchr(TextDatumGetCString(((Const *) pattern)->constvalue), '\\') != NULL)
		return GPUAGG_REFUSE("LIKE patterns with an escape are not supported");
	if (!gpuagg_lower_args(lw, call, v) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_LIKE, GPUAGG_T_BOOL, &v[0], &v[1], NULL,
						 lw->utf8, out))
		return false;
	return !negated ||
		gpuagg_lower_op(lw, GPUAGG_OP_NOT, GPUAGG_T_BOOL, out, NULL, NULL, 0,
						out);
}

/* Nothing that devices have, or not of these arguments */
static bool
refuse(Oid funcid, Oid opno)
{
	if (OidIsValid(opno))
		return GPUAGG_REFUSE("no device has operator %s, nor can it be computed of each different "
							 "value here",
							 format_operator(opno));
	return GPUAGG_REFUSE("no device has function %s, nor can it be computed of each different "
						 "value here",
						 format_procedure(funcid));
}

bool
gpuagg_lower_function(GpuAggLower *lw, Oid funcid, Oid opno, List *args,
					  Oid collation, GpuAggLowered *out)
{
	static bool (*const handlers[GPUAGG_NHANDLERS]) (GpuAggLower *, const GpuAggCall *,
													 GpuAggLowered *) = {
#define X(name, function) [GPUAGG_HANDLER_##name] = gpuagg_lower_by_##function,
		GPUAGG_HANDLER_LIST(X)
#undef X
	};
	const GpuAggCall call = {gpuagg_function(funcid), args, collation};

	if (handlers[call.function->by] == NULL || list_length(args) != call.function->nargs ||
		((call.function->how & GPUAGG_HOW_COLUMNS) && gpuagg_lower_is_constant((Expr *) args)))
		return refuse(funcid, opno);
	return handlers[call.function->by] (lw, &call, out);
}

/* Does the row compare integers, decimals or strings for equality? */
static bool
is_equality(const GpuAggFunction *f, bool *negated)
{
	*negated = f->op == GPUAGG_OP_I64_NE || f->op == GPUAGG_OP_F64_NE ||
		f->op == GPUAGG_OP_BYTES_NE;
	return *negated || f->op == GPUAGG_OP_I64_EQ || f->op == GPUAGG_OP_F64_EQ ||
		f->op == GPUAGG_OP_BYTES_EQ;
}

bool
gpuagg_lower_is_equality(Oid funcid, bool *negated)
{
	const GpuAggFunction *f = gpuagg_function(funcid);

	return (f->by == GPUAGG_HANDLER_NUMERIC_COMPARISON || f->by == GPUAGG_HANDLER_OPERATION) &&
		(f->how & (GPUAGG_HOW_SAME | GPUAGG_HOW_DATE1 | GPUAGG_HOW_DATE2)) == 0 &&
		is_equality(f, negated);
}

bool
gpuagg_lower_ignores_blanks(Oid funcid)
{
	const GpuAggFunction *f = gpuagg_function(funcid);

	return f->by == GPUAGG_HANDLER_OPERATION && (f->how & GPUAGG_HOW_BLANKS) != 0;
}
