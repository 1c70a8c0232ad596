/*
 * lower_func.c
 *		Functions and operators.
 *
 * By OID, never by name: a user's own function called sum or + has another
 * OID and is refused.  Most are one row of lower_table.h.  By hand: integer
 * + date (arguments exchanged), length and LIKE (they depend on encoding and
 * pattern), numeric (lower_numeric.c) and time (lower_datetime.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_table.h"
#include "planner/value/args.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"

#define MAX_ARGS 3

typedef struct FunctionRow
{
	uint8		op;
	uint8		type;
	uint8		flags;
} FunctionRow;

static bool
find_function(Oid funcid, FunctionRow *row)
{
	switch (funcid)
	{
#define X(fn, operation, result, fl) \
		case fn: \
			row->op = GPUAGG_OP_##operation; \
			row->type = GPUAGG_T_##result; \
			row->flags = (fl); \
			return true;
			GPUAGG_FUNCTION_LIST(X)
#undef X
		default:
			return false;
	}
}

static bool
check_collation(uint8 flags, Oid collation)
{
	if ((flags & GPUAGG_LOWER_ORDER) && !gpuagg_collation_is_c(collation))
		return GPUAGG_REFUSE("less and greater of text need collation \"C\"");
	if ((flags & GPUAGG_LOWER_EQUAL) && !gpuagg_collation_is_bytewise(collation))
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

static bool
lower_args(GpuAggLower *lw, List *args, int n, GpuAggValue *values)
{
	for (int i = 0; i < n; i++)
	{
		if (!gpuagg_lower_expr(lw, gpuagg_arg(args, i), &values[i]))
			return false;
	}
	return true;
}

static bool
trim_blanks(GpuAggLower *lw, GpuAggValue *value)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_RTRIM, GPUAGG_T_TEXT, value, NULL,
						   NULL, 0, value);
}

static bool
date_as_timestamp(GpuAggLower *lw, GpuAggValue *value)
{
	return gpuagg_lower_op(lw, GPUAGG_OP_DATE_TO_TIMESTAMP,
						   GPUAGG_T_TIMESTAMP, value, NULL, NULL, 0, value);
}

static bool
lower_row(GpuAggLower *lw, const FunctionRow *row, List *args, Oid collation,
		  GpuAggValue *out)
{
	GpuAggValue v[MAX_ARGS];
	int			n = list_length(args);
	int32		imm = 0;

	if (!check_collation(row->flags, collation))
		return false;
	if (row->flags & GPUAGG_LOWER_CHARS)
	{
		if (!check_encoding(lw))
			return false;
		imm = lw->utf8;
	}
	if (!lower_args(lw, args, n, v))
		return false;
	if ((row->flags & GPUAGG_LOWER_BLANKS) &&
		(!trim_blanks(lw, &v[0]) || !trim_blanks(lw, &v[1])))
		return false;
	if ((row->flags & GPUAGG_LOWER_DATE1) && !date_as_timestamp(lw, &v[0]))
		return false;
	if ((row->flags & GPUAGG_LOWER_DATE2) && !date_as_timestamp(lw, &v[1]))
		return false;
	if (row->flags & GPUAGG_LOWER_SAME)
	{
		*out = v[0];
		out->type = row->type;
		return true;
	}
	return gpuagg_lower_op(lw, (GpuAggOp) row->op, row->type, &v[0],
						   n > 1 ? &v[1] : NULL, n > 2 ? &v[2] : NULL, imm,
						   out);
}

/* length of text, or of char(n), which does not count trailing blanks */
static bool
lower_length(GpuAggLower *lw, List *args, bool blanks, GpuAggValue *out)
{
	GpuAggValue value;

	if (!check_encoding(lw) || !lower_args(lw, args, 1, &value) ||
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
static bool
lower_like(GpuAggLower *lw, List *args, Oid collation, bool negated,
		   GpuAggValue *out)
{
	Expr	   *pattern = gpuagg_arg(args, 1);
	GpuAggValue v[2];

	if (!check_collation(GPUAGG_LOWER_EQUAL, collation) || !check_encoding(lw))
		return false;
	if (IsA(pattern, Const) && !((Const *) pattern)->constisnull &&
		strchr(TextDatumGetCString(((Const *) pattern)->constvalue), '\\') != NULL)
		return GPUAGG_REFUSE("LIKE patterns with an escape are not supported");
	if (!lower_args(lw, args, 2, v) ||
		!gpuagg_lower_op(lw, GPUAGG_OP_LIKE, GPUAGG_T_BOOL, &v[0], &v[1], NULL,
						 lw->utf8, out))
		return false;
	return !negated ||
		gpuagg_lower_op(lw, GPUAGG_OP_NOT, GPUAGG_T_BOOL, out, NULL, NULL, 0,
						out);
}

static bool
lower_by_hand(GpuAggLower *lw, Oid funcid, Oid opno, List *args,
			  Oid collation, GpuAggValue *out)
{
	GpuAggValue v[2];

	switch (funcid)
	{
		case F_INTEGER_PL_DATE:
			return lower_args(lw, args, 2, v) &&
				gpuagg_lower_op(lw, GPUAGG_OP_DATE_ADD, GPUAGG_T_DATE, &v[1],
								&v[0], NULL, 0, out);
		case F_TEXTLEN:
		case F_LENGTH_TEXT:
		case F_CHAR_LENGTH_TEXT:
		case F_CHARACTER_LENGTH_TEXT:
			return lower_length(lw, args, false, out);
		case F_LENGTH_BPCHAR:
		case F_CHAR_LENGTH_BPCHAR:
		case F_CHARACTER_LENGTH_BPCHAR:
			return lower_length(lw, args, true, out);
		case F_TEXTLIKE:
		case F_LIKE_TEXT_TEXT:
		case F_BPCHARLIKE:
		case F_NAMELIKE:
		case F_LIKE_NAME_TEXT:
			return lower_like(lw, args, collation, false, out);
		case F_TEXTNLIKE:
		case F_NOTLIKE_TEXT_TEXT:
		case F_BPCHARNLIKE:
		case F_NAMENLIKE:
		case F_NOTLIKE_NAME_TEXT:
			return lower_like(lw, args, collation, true, out);
		default:
			if (OidIsValid(opno))
				return GPUAGG_REFUSE("no device has operator %s, nor can it be computed of each different value here",
									 format_operator(opno));
			return GPUAGG_REFUSE("no device has function %s, nor can it be computed of each different value here",
								 format_procedure(funcid));
	}
}

bool
gpuagg_lower_function(GpuAggLower *lw, Oid funcid, Oid opno, List *args,
					  Oid collation, GpuAggValue *out)
{
	FunctionRow row;
	bool		handled;
	bool		ok;

	if (find_function(funcid, &row) && list_length(args) <= MAX_ARGS)
		return lower_row(lw, &row, args, collation, out);
	ok = gpuagg_lower_epoch(lw, funcid, args, &handled, out);
	if (handled)
		return ok;
	ok = gpuagg_lower_numeric(lw, funcid, args, &handled, out);
	if (handled)
		return ok;
	ok = gpuagg_lower_interval(lw, funcid, args, &handled, out);
	if (handled)
		return ok;
	ok = gpuagg_lower_datetime(lw, funcid, args, &handled, out);
	if (handled)
		return ok;
	ok = gpuagg_lower_types(lw, funcid, args, &handled, out);
	if (handled)
		return ok;
	return lower_by_hand(lw, funcid, opno, args, collation, out);
}

bool
gpuagg_lower_is_equality(Oid funcid, bool *negated)
{
	FunctionRow row;

	if (funcid == F_NUMERIC_EQ || funcid == F_NUMERIC_NE)
	{
		*negated = funcid == F_NUMERIC_NE;
		return true;
	}
	if (!find_function(funcid, &row) ||
		(row.flags & (GPUAGG_LOWER_DATE1 | GPUAGG_LOWER_DATE2)))
		return false;
	switch ((GpuAggOp) row.op)
	{
		case GPUAGG_OP_I64_EQ:
		case GPUAGG_OP_F64_EQ:
		case GPUAGG_OP_BYTES_EQ:
			*negated = false;
			break;
		case GPUAGG_OP_I64_NE:
		case GPUAGG_OP_F64_NE:
		case GPUAGG_OP_BYTES_NE:
			*negated = true;
			break;
		default:
			return false;
	}
	/* those under SAME name an operation that is not used */
	return (row.flags & GPUAGG_LOWER_SAME) == 0;
}

bool
gpuagg_lower_compares(Oid funcid, Oid type, GpuAggOp *op)
{
	static const struct
	{
		Oid			type;
		Oid			function;
		GpuAggOp	op;
	}			comparisons[] = {
#define ROW(type, name) {type##OID, F_##type##_##name, GPUAGG_OP_I64_##name}
#define ROWS(type) \
		ROW(type, EQ), ROW(type, NE), ROW(type, LT), ROW(type, LE), ROW(type, GT), ROW(type, GE)
		ROWS(NUMERIC),
		ROWS(INTERVAL)
#undef ROWS
#undef ROW
	};

	for (int i = 0; i < lengthof(comparisons); i++)
	{
		if (comparisons[i].function == funcid && comparisons[i].type == type)
		{
			*op = comparisons[i].op;
			return true;
		}
	}
	return false;
}
