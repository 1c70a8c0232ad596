/*
 * lower_to_char.c
 *		to_char(moment, pattern) as a group key.
 *
 * A pattern whose text and a unit of time determine each other: of YYYY-MM that is the
 * month, of YYYY-MM-DD the day, of IYYY-IW the week.  The device groups by the truncated
 * moment, in local time, and PostgreSQL makes the text of each group that is returned.
 *
 * The text determines the unit if its fields can be read back: those of fixed length can,
 * and numbers without leading zeros (FM) that something other than a digit ends.  That holds
 * for the years 1 to 9999; others, and infinities, which have no text, are left to PostgreSQL
 * when groups come back (node/result/results.c).
 *
 * Does not handle: what depends on the locale (TM), zones (TZ, OF), ordinals (TH), and
 * patterns that tell less, or more, than a unit: YYYY-DD, Month, YY.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "planner/catalogue/sql_function.h"
#include "planner/lower/lower.h"
#include "planner/lower/lower_datetime.h"
#include "planner/lower/lower_expr.h"
#include "planner/lower/lower_to_char.h"
#include "planner/lower/lower_zone.h"
#include "planner/value/args.h"
#include "utils/builtins.h"

/* What a field tells */
#define TELLS_YEAR 0x0001
#define TELLS_QUARTER 0x0002
#define TELLS_MONTH 0x0004
#define TELLS_DAY_OF_MONTH 0x0008
#define TELLS_DAY_OF_YEAR 0x0010
#define TELLS_ISO_YEAR 0x0020
#define TELLS_ISO_WEEK 0x0040
#define TELLS_DAY_OF_WEEK 0x0080
#define TELLS_ISO_DAY 0x0100	/* of the ISO year */
#define TELLS_HOUR 0x0200
#define TELLS_HALF_HOUR 0x0400	/* of the half of a day */
#define TELLS_HALF 0x0800
#define TELLS_MINUTE 0x1000
#define TELLS_SECOND 0x2000

typedef struct PatternField
{
	const char *name;			/* longer ones before their beginnings */
	int			tells;
	GpuAggField unit;			/* the longest within which it does not change */
	bool		number;
} PatternField;

static const PatternField fields[] = {
	{"YYYY", TELLS_YEAR, GPUAGG_FIELD_YEAR, true},
	{"IYYY", TELLS_ISO_YEAR, GPUAGG_FIELD_WEEK, true},
	{"IDDD", TELLS_ISO_DAY, GPUAGG_FIELD_DAY, true},
	{"ID", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, true},
	{"IW", TELLS_ISO_WEEK, GPUAGG_FIELD_WEEK, true},
	{"Q", TELLS_QUARTER, GPUAGG_FIELD_QUARTER, true},
	{"MONTH", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"Month", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"month", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"MON", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"Mon", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"mon", TELLS_MONTH, GPUAGG_FIELD_MONTH, false},
	{"MM", TELLS_MONTH, GPUAGG_FIELD_MONTH, true},
	{"MI", TELLS_MINUTE, GPUAGG_FIELD_MINUTE, true},
	{"DDD", TELLS_DAY_OF_YEAR, GPUAGG_FIELD_DAY, true},
	{"DD", TELLS_DAY_OF_MONTH, GPUAGG_FIELD_DAY, true},
	{"DAY", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"Day", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"day", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"DY", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"Dy", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"dy", TELLS_DAY_OF_WEEK, GPUAGG_FIELD_DAY, false},
	{"HH24", TELLS_HOUR, GPUAGG_FIELD_HOUR, true},
	{"HH12", TELLS_HALF_HOUR, GPUAGG_FIELD_HOUR, true},
	{"AM", TELLS_HALF, GPUAGG_FIELD_HOUR, false},
	{"PM", TELLS_HALF, GPUAGG_FIELD_HOUR, false},
	{"SS", TELLS_SECOND, GPUAGG_FIELD_SECOND, true}
};

static const struct
{
	GpuAggField field;
	const char *name;
}			units[] = {
	{GPUAGG_FIELD_SECOND, "second"},
	{GPUAGG_FIELD_MINUTE, "minute"},
	{GPUAGG_FIELD_HOUR, "hour"},
	{GPUAGG_FIELD_DAY, "day"},
	{GPUAGG_FIELD_WEEK, "week"},
	{GPUAGG_FIELD_MONTH, "month"},
	{GPUAGG_FIELD_QUARTER, "quarter"},
	{GPUAGG_FIELD_YEAR, "year"}
};

/* The unit that all of this together determines; false: none */
static bool
determined_unit(int tells, GpuAggField *unit)
{
#define TOLD(all) ((tells & (all)) == (all))
	const bool	day = TOLD(TELLS_YEAR | TELLS_MONTH | TELLS_DAY_OF_MONTH) ||
		TOLD(TELLS_YEAR | TELLS_DAY_OF_YEAR) || TOLD(TELLS_ISO_YEAR | TELLS_ISO_DAY) ||
		TOLD(TELLS_ISO_YEAR | TELLS_ISO_WEEK | TELLS_DAY_OF_WEEK);
	const bool	hour = day && (TOLD(TELLS_HOUR) || TOLD(TELLS_HALF_HOUR | TELLS_HALF));

	if (hour && TOLD(TELLS_MINUTE | TELLS_SECOND))
		*unit = GPUAGG_FIELD_SECOND;
	else if (hour && TOLD(TELLS_MINUTE))
		*unit = GPUAGG_FIELD_MINUTE;
	else if (hour)
		*unit = GPUAGG_FIELD_HOUR;
	else if (day)
		*unit = GPUAGG_FIELD_DAY;
	else if (TOLD(TELLS_ISO_YEAR | TELLS_ISO_WEEK))
		*unit = GPUAGG_FIELD_WEEK;
	else if (TOLD(TELLS_YEAR | TELLS_MONTH))
		*unit = GPUAGG_FIELD_MONTH;
	else if (TOLD(TELLS_YEAR | TELLS_QUARTER))
		*unit = GPUAGG_FIELD_QUARTER;
	else if (TOLD(TELLS_YEAR))
		*unit = GPUAGG_FIELD_YEAR;
	else
		return false;
	return true;
#undef TOLD
}

/* Does what keeps its value within a field's unit keep it within this one? */
static bool
is_constant_within(GpuAggField unit, GpuAggField field)
{
	/* weeks do not end with months */
	return unit == GPUAGG_FIELD_WEEK ? field == GPUAGG_FIELD_WEEK : field >= unit;
}

static const PatternField *
find_field(const char *p)
{
	for (int i = 0; i < lengthof(fields); i++)
	{
		char		lower[8];

		if (strncmp(p, fields[i].name, strlen(fields[i].name)) == 0)
			return &fields[i];
		/* numbers look the same */
		for (int k = 0; k <= strlen(fields[i].name); k++)
			lower[k] = pg_tolower((unsigned char) fields[i].name[k]);
		if (fields[i].number && strncmp(p, lower, strlen(lower)) == 0)
			return &fields[i];
	}
	return NULL;
}

/* Behind a literal in double quotes; NULL: it has an escape, or no end */
static const char *
skip_quoted(const char *p)
{
	for (p++; *p != '"'; p++)
	{
		if (*p == '\0' || *p == '\\')
			return NULL;
	}
	return p + 1;
}

/*
 * Reads a pattern: what it tells, and its fields' units.  False: something in it is not
 * known here, or could not be read back.
 */
static bool
read_pattern(const char *p, int *tells, uint32 *used)
{
	bool		open = false;	/* a number without a fixed length came before */

	*tells = 0;
	*used = 0;
	while (*p != '\0')
	{
		const PatternField *field;
		bool		fill = strncmp(p, "FM", 2) == 0 || strncmp(p, "fm", 2) == 0;

		if (fill)
			p += 2;
		field = find_field(p);
		if (field != NULL)
		{
			if (open && field->number)
				return false;
			p += strlen(field->name);
			*tells |= field->tells;
			*used |= UINT32_C(1) << field->unit;
			open = fill && field->number;
			/* an ordinal */
			if (pg_strncasecmp(p, "TH", 2) == 0)
				return false;
			continue;
		}
		if (fill || (open && isdigit((unsigned char) *p)))
			return false;
		if (*p == '"')
		{
			if (open && (isdigit((unsigned char) p[1]) || p[1] == '"'))
				return false;
			p = skip_quoted(p);
			if (p == NULL)
				return false;
		}
		else if (isalpha((unsigned char) *p) || *p == '\\' || IS_HIGHBIT_SET(*p))
			return false;
		else
			p++;
		open = false;
	}
	return true;
}

static bool
pattern_unit(const Const *pattern, GpuAggField *unit)
{
	int			tells;
	uint32		used;

	if (!IsA(pattern, Const) || pattern->constisnull ||
		!read_pattern(TextDatumGetCString(pattern->constvalue), &tells, &used) ||
		!determined_unit(tells, unit))
		return false;
	for (int field = 0; field <= GPUAGG_FIELD_EPOCH; field++)
	{
		if ((used & UINT32_C(1) << field) && !is_constant_within(*unit, field))
			return false;
	}
	return true;
}

/* date_trunc(unit, local time), of days as a date */
static Expr *
trunc_expr(GpuAggField unit, Expr *local)
{
	const char *name = "";
	Expr	   *trunc;

	for (int i = 0; i < lengthof(units); i++)
	{
		if (units[i].field == unit)
			name = units[i].name;
	}
	trunc = gpuagg_call(GPUAGG_F_DATE_TRUNC_TEXT_TIMESTAMP,
						list_make2(makeConst(TEXTOID, -1, C_COLLATION_OID, -1,
											 CStringGetTextDatum(name), false, false), local));
	return unit < GPUAGG_FIELD_DAY ? trunc :
		gpuagg_call(GPUAGG_F_DATE_TIMESTAMP, list_make1(trunc));
}

/* Of a date, which SQL makes a timestamptz of */
static bool
lower_date_text(GpuAggLower *lw, GpuAggField unit, Expr *date, Expr **row_expr, GpuAggLowered *out)
{
	*row_expr = trunc_expr(unit, gpuagg_call(GPUAGG_F_TIMESTAMP_DATE, list_make1(date)));
	return gpuagg_lower_expr(lw, date, out) &&
		gpuagg_lower_op(lw, GPUAGG_OP_DATE_TRUNC, GPUAGG_T_DATE, out, NULL, NULL, unit, out) &&
		gpuagg_lower_guard_days(lw, out);
}

static bool
lower_moment_text(GpuAggLower *lw, GpuAggField unit, Expr *moment, Expr **row_expr,
				  GpuAggLowered *out)
{
	bool		zoned;
	bool		ok = gpuagg_lower_local_month(lw, moment, unit, &zoned, out);

	if (zoned)
	{
		*row_expr = trunc_expr(unit, moment);
		return ok && gpuagg_lower_cut_month(lw, out, unit, out);
	}
	if (!gpuagg_lower_expr(lw, moment, out))
		return false;
	zoned = out->type == GPUAGG_T_TIMESTAMPTZ;
	*row_expr = trunc_expr(unit, !zoned ? moment :
						   gpuagg_call(GPUAGG_F_TIMESTAMP_TIMESTAMPTZ, list_make1(moment)));
	if (unit >= GPUAGG_FIELD_DAY)
		return zoned ? gpuagg_lower_session_day(lw, out, unit, out) :
			gpuagg_lower_cut_day(lw, out, (out->reg & GPUAGG_VREG_KIND) == GPUAGG_VREG_COLUMN,
								 unit, out);
	return (!zoned || gpuagg_lower_session_local(lw, out, out)) &&
		gpuagg_lower_op(lw, GPUAGG_OP_TIMESTAMP_TRUNC, GPUAGG_T_TIMESTAMP, out, NULL, NULL,
						unit, out);
}

bool
gpuagg_lower_to_char_key(GpuAggLower *lw, Expr *expr, bool *handled, Expr **row_expr,
						 GpuAggLowered *out)
{
	FuncExpr   *to_char = (FuncExpr *) expr;
	FuncExpr   *moment;
	GpuAggField unit;

	*handled = gpuagg_is_call(expr, GPUAGG_F_TO_CHAR_TIMESTAMP_TEXT) ||
		gpuagg_is_call(expr, GPUAGG_F_TO_CHAR_TIMESTAMPTZ_TEXT);
	if (!*handled)
		return false;
	if (!pattern_unit(gpuagg_arg(to_char->args, 1), &unit))
		return GPUAGG_REFUSE(
			"this pattern of to_char is not one of a whole unit of time, as YYYY-MM is");
	moment = gpuagg_arg(to_char->args, 0);
	if (gpuagg_is_call(moment, GPUAGG_F_TIMESTAMPTZ_DATE) && unit >= GPUAGG_FIELD_DAY)
		return lower_date_text(lw, unit, gpuagg_arg(moment->args, 0), row_expr, out);
	return lower_moment_text(lw, unit, (Expr *) moment, row_expr, out);
}
