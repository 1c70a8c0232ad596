/*
 * regroup_datum.c
 *		Values that no device has a form of (regroup_datum.h).
 *
 * Numerics that are equal may show different decimals, also within jsonb, and intervals
 * different parts.
 * Such values are told apart by a form that equal ones share; the group shows the first
 * that it has met, as PostgreSQL does.  Sums of numerics are PostgreSQL's own, exact and
 * with the most decimals of all, whatever the order: a value of n rows adds n times
 * itself.
 */
#include "postgres.h"

#include "compat.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "node/regroup_datum.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#define INTERVAL_LENGTH ((int16) sizeof(Interval))

GpuAggBytes
gpuagg_datum_bytes(Datum *value, int16 typlen, bool typbyval)
{
	struct varlena *v;

	if (typbyval)
		return (GpuAggBytes) {(const char *) value, sizeof(Datum)};
	if (typlen > 0)
		return (GpuAggBytes) {DatumGetPointer(*value), typlen};
	v = PG_DETOAST_DATUM(*value);
	return (GpuAggBytes) {(const char *) v, VARSIZE(v)};
}

Datum
gpuagg_bytes_datum(GpuAggBytes b, int16 typlen, bool typbyval)
{
	Datum		value;
	char	   *copy;

	if (typbyval)
	{
		memcpy(&value, b.data, sizeof(value));
		return value;
	}
	copy = palloc(b.len);
	memcpy(copy, b.data, b.len);
	return PointerGetDatum(copy);
}

/* As interval_cmp_value(), which is not exported: a month has 30 days, a day 24 hours. */
static GpuAggBytes
interval_form(const Interval *interval)
{
	int128	   *form = palloc(sizeof(int128));
	int64		days = interval->month * INT64CONST(30) + interval->day;

	*form = (int128) days * USECS_PER_DAY + interval->time;
	return (GpuAggBytes) {(const char *) form, sizeof(*form)};
}

static GpuAggBytes
numeric_form(Datum value)
{
	struct varlena *v = (struct varlena *) DatumGetPointer(DirectFunctionCall1(numeric_trim_scale,
																			   value));

	return (GpuAggBytes) {VARDATA(v), VARSIZE(v) - VARHDRSZ};
}

static void
append_bytes(StringInfo form, GpuAggBytes b)
{
	const uint32 len = b.len;

	appendBinaryStringInfo(form, (const char *) &len, sizeof(len));
	appendBinaryStringInfo(form, b.data, (int) b.len);
}

static void
append_jsonb_value(StringInfo form, const JsonbValue *value)
{
	appendStringInfoChar(form, (char) value->type);
	switch (value->type)
	{
		case jbvString:
			append_bytes(form, (GpuAggBytes) {value->val.string.val, value->val.string.len});
			break;
		case jbvNumeric:
			append_bytes(form, numeric_form(NumericGetDatum(value->val.numeric)));
			break;
		case jbvBool:
			appendStringInfoChar(form, (char) value->val.boolean);
			break;
		default:				/* a null; an array or object begins, as jbvArray is
								 * a scalar or is not */
			if (value->type == jbvArray)
				appendStringInfoChar(form, (char) value->val.array.rawScalar);
			break;
	}
}

/* What compareJsonbContainers() compares, which is not exported with a form */
static GpuAggBytes
jsonb_form(Datum value)
{
	StringInfoData form;
	JsonbIterator *it = JsonbIteratorInit(&DatumGetJsonbP(value)->root);
	JsonbValue	v;
	JsonbIteratorToken token;

	initStringInfo(&form);
	while ((token = JsonbIteratorNext(&it, &v, false)) != WJB_DONE)
	{
		appendStringInfoChar(&form, (char) token);
		if (token != WJB_END_ARRAY && token != WJB_END_OBJECT)
			append_jsonb_value(&form, &v);
	}
	return (GpuAggBytes) {form.data, form.len};
}

GpuAggBytes
gpuagg_datum_form(GpuAggRegroupForm form, Datum value)
{
	if (form == GPUAGG_REGROUP_INTERVAL)
		return interval_form(DatumGetIntervalP(value));
	if (form == GPUAGG_REGROUP_JSONB)
		return jsonb_form(value);
	return numeric_form(value);
}

static Datum
times(Datum value, int64 rows)
{
	return rows == 1 ? value :
		DirectFunctionCall2(numeric_mul, value, NumericGetDatum(int64_to_numeric(rows)));
}

/* Does a value take the place of the one that a state has? */
static bool
is_preferred(GpuAggRegroupDatumOp op, GpuAggRegroupForm form, GpuAggBytes state, Datum value)
{
	const bool	interval = form == GPUAGG_REGROUP_INTERVAL;
	Datum		old;
	int			order;

	if (state.len == GPUAGG_STRING_NONE || op == GPUAGG_REGROUP_FIRST)
		return state.len == GPUAGG_STRING_NONE;
	old = gpuagg_bytes_datum(state, interval ? INTERVAL_LENGTH : -1, false);
	order = DatumGetInt32(DirectFunctionCall2(interval ? interval_cmp : numeric_cmp, value, old));
	return op == GPUAGG_REGROUP_LEAST ? order < 0 : order > 0;
}

void
gpuagg_datum_enter(GpuAggRowTable *table, const GpuAggRegroupState *s, GpuAggRegroupForm form,
				   char *state, Datum value, int64 rows)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(state);

	if (s->datum != GPUAGG_REGROUP_SUM)
	{
		if (is_preferred(s->datum, form, b, value))
			gpuagg_row_table_replace(table, state,
										 gpuagg_datum_bytes(&value, form == GPUAGG_REGROUP_INTERVAL ?
															INTERVAL_LENGTH : -1, false));
		return;
	}
	value = times(value, rows);
	if (b.len != GPUAGG_STRING_NONE)
		value = DirectFunctionCall2(numeric_add, gpuagg_bytes_datum(b, -1, false), value);
	gpuagg_row_table_replace(table, state, gpuagg_datum_bytes(&value, -1, false));
}

Datum
gpuagg_datum_average(GpuAggBytes sum, int64 count)
{
	return DirectFunctionCall2(numeric_div, gpuagg_bytes_datum(sum, -1, false),
							   NumericGetDatum(int64_to_numeric(count)));
}
