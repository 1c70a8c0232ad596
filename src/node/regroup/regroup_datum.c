/*
 * regroup_datum.c
 *		Values that no device has a form of (regroup_datum.h).
 *
 * Numerics that are equal may show different decimals, also within jsonb and rows, and
 * intervals different parts.
 * Such values are told apart by a form that equal ones share; the group shows the first
 * that it has met, as PostgreSQL does.  Sums of numerics are PostgreSQL's own, exact and
 * with the most decimals of all, whatever the order: a value of n rows adds n times
 * itself.  So does an interval, part by part, unless a part could have been out of range on
 * the way, in whichever order PostgreSQL adds.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/group.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "node/regroup/regroup_datum.h"
#include "node/result/datum_bytes.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/multirangetypes.h"
#include "utils/numeric.h"
#include "utils/rangetypes.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

/* A sum of intervals as it lies in its group; what follows the sum are sums of absolute values */
typedef struct IntervalTotal
{
	Interval	sum;
	uint64		time;
	uint64		parts;			/* days and months */
} IntervalTotal;

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

/* By what is stored, without a header */
static GpuAggBytes
image_form(Datum value, int16 typlen, bool typbyval)
{
	Datum	   *copy = palloc(sizeof(Datum));
	struct varlena *v;

	*copy = value;
	if (typlen != -1)
		return gpuagg_datum_bytes(copy, typlen, typbyval);
	v = PG_DETOAST_DATUM_PACKED(value);
	return (GpuAggBytes) {VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v)};
}

/* -0 is 0, and NaN is NaN */
static GpuAggBytes
float_form(double value)
{
	uint64	   *word = palloc(sizeof(uint64));

	*word = gpuagg_key_word_f64(value);
	return (GpuAggBytes) {(const char *) word, sizeof(*word)};
}

static GpuAggBytes array_form(Datum value);
static GpuAggBytes row_form(Datum value);
static GpuAggBytes range_form(Datum value);
static GpuAggBytes ranges_form(Datum value);

/* Of a field or an element, which is not NULL */
static GpuAggBytes
field_form(Oid typid, int16 typlen, bool typbyval, Datum value)
{
	const Oid	base = getBaseType(typid);

	switch (base)
	{
		case NUMERICOID:
			return numeric_form(value);
		case INTERVALOID:
			return interval_form(DatumGetIntervalP(value));
		case JSONBOID:
			return jsonb_form(value);
		case FLOAT4OID:
			return float_form(DatumGetFloat4(value));
		case FLOAT8OID:
			return float_form(DatumGetFloat8(value));
		case BPCHAROID:
			return gpuagg_bpchar_trim(image_form(value, -1, false));
		default:
			if (OidIsValid(get_element_type(base)))
				return array_form(value);
			break;
	}
	switch (get_typtype(base))
	{
		case TYPTYPE_COMPOSITE:
			return row_form(value);
		case TYPTYPE_RANGE:
			return range_form(value);
		case TYPTYPE_MULTIRANGE:
			return ranges_form(value);
		default:
			return image_form(value, typlen, typbyval);
	}
}

/* Bounds and elements, where NULL equals NULL, as array_eq() has it */
static GpuAggBytes
array_form(Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	const Oid	element = ARR_ELEMTYPE(array);
	StringInfoData form;
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *values;
	bool	   *nulls;
	int			n;

	initStringInfo(&form);
	appendBinaryStringInfo(&form, (const char *) ARR_DIMS(array), ARR_NDIM(array) * sizeof(int));
	appendBinaryStringInfo(&form, (const char *) ARR_LBOUND(array), ARR_NDIM(array) * sizeof(int));
	get_typlenbyvalalign(element, &typlen, &typbyval, &typalign);
	deconstruct_array(array, element, typlen, typbyval, typalign, &values, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		appendStringInfoChar(&form, (char) nulls[i]);
		if (!nulls[i])
			append_bytes(&form, field_form(element, typlen, typbyval, values[i]));
	}
	return (GpuAggBytes) {form.data, form.len};
}

/* Field by field, where NULL equals NULL, as record_eq() has it */
static GpuAggBytes
row_form(Datum value)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(value);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header),.t_data = header};
	TupleDesc	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header),
											  HeapTupleHeaderGetTypMod(header));
	Datum	   *values = palloc(desc->natts * sizeof(Datum));
	bool	   *nulls = palloc(desc->natts * sizeof(bool));
	StringInfoData form;

	initStringInfo(&form);
	heap_deform_tuple(&tuple, desc, values, nulls);
	for (int i = 0; i < desc->natts; i++)
	{
		const Form_pg_attribute field = TupleDescAttr(desc, i);

		if (field->attisdropped)
			continue;
		appendStringInfoChar(&form, (char) nulls[i]);
		if (!nulls[i])
			append_bytes(&form, field_form(field->atttypid, field->attlen, field->attbyval,
										   values[i]));
	}
	ReleaseTupleDesc(desc);
	return (GpuAggBytes) {form.data, form.len};
}

static void
append_bound(StringInfo form, const TypeCacheEntry *element, const RangeBound *bound)
{
	appendStringInfoChar(form, (char) (bound->infinite ? 2 : bound->inclusive));
	if (!bound->infinite)
		append_bytes(form, field_form(element->type_id, element->typlen, element->typbyval,
									  bound->val));
}

/* By its bounds, as range_eq() has it: ranges of whole numbers have one spelling. */
static void
append_range(StringInfo form, TypeCacheEntry *type, const RangeType *range)
{
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;

	range_deserialize(type, range, &lower, &upper, &empty);
	appendStringInfoChar(form, (char) empty);
	if (empty)
		return;
	append_bound(form, type->rngelemtype, &lower);
	append_bound(form, type->rngelemtype, &upper);
}

static GpuAggBytes
range_form(Datum value)
{
	const RangeType *range = DatumGetRangeTypeP(value);
	StringInfoData form;

	initStringInfo(&form);
	append_range(&form, lookup_type_cache(RangeTypeGetOid(range), TYPECACHE_RANGE_INFO), range);
	return (GpuAggBytes) {form.data, form.len};
}

static GpuAggBytes
ranges_form(Datum value)
{
	MultirangeType *ranges = DatumGetMultirangeTypeP(value);
	TypeCacheEntry *type = lookup_type_cache(MultirangeTypeGetOid(ranges),
											 TYPECACHE_MULTIRANGE_INFO)->rngtype;
	StringInfoData form;
	RangeType **members;
	int32		n;

	initStringInfo(&form);
	multirange_deserialize(type, ranges, &n, &members);
	for (int i = 0; i < n; i++)
		append_range(&form, type, members[i]);
	return (GpuAggBytes) {form.data, form.len};
}

GpuAggBytes
gpuagg_datum_form(const GpuAggRegroupValue *as, Datum value)
{
	switch ((GpuAggRegroupForm) as->form)
	{
		case GPUAGG_REGROUP_NUMERIC:
			return numeric_form(value);
		case GPUAGG_REGROUP_INTERVAL:
			return interval_form(DatumGetIntervalP(value));
		case GPUAGG_REGROUP_JSONB:
			return jsonb_form(value);
		case GPUAGG_REGROUP_ROW:
			return row_form(value);
		case GPUAGG_REGROUP_ARRAY:
			return array_form(value);
		case GPUAGG_REGROUP_RANGE:
			return range_form(value);
		case GPUAGG_REGROUP_RANGES:
			return ranges_form(value);
		default:
			return image_form(value, as->typlen, as->typbyval);
	}
}

/* ----------------------------------------------------------------- sums --- */

static Datum
times(Datum value, int64 rows)
{
	return rows == 1 ? value :
		DirectFunctionCall2(numeric_mul, value, NumericGetDatum(int64_to_numeric(rows)));
}

/* Adds a numeric, or its square, as often as there are rows. */
static void
add_numeric(GpuAggRowTable *table, char *state, bool square, Datum value, int64 rows)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(state);

	if (square)
		value = DirectFunctionCall2(numeric_mul, value, value);
	value = times(value, rows);
	if (b.len != GPUAGG_STRING_NONE)
		value = DirectFunctionCall2(numeric_add, gpuagg_bytes_datum(b, -1, false), value);
	gpuagg_row_table_replace(table, state, gpuagg_datum_bytes(&value, -1, false));
}

/* The sum of an absolute value times rows, if it is in the range of the parts that it bounds */
static bool
add_guard(uint64 *sum, int64 value, int64 rows, uint64 limit)
{
	uint128		total = (uint128) (value < 0 ? -(uint64) value : (uint64) value) * (uint64) rows +
		*sum;

	*sum = (uint64) total;
	return total <= limit;
}

static bool
add_interval(GpuAggRowTable *table, char *state, const Interval *value, int64 rows)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(state);
	IntervalTotal total = {{0}};

	if (b.len != GPUAGG_STRING_NONE)
		memcpy(&total, b.data, sizeof(total));
#ifdef INTERVAL_NOT_FINITE
	if (INTERVAL_NOT_FINITE(value))
		return false;
#endif
	if (!add_guard(&total.time, value->time, rows, PG_INT64_MAX) ||
		!add_guard(&total.parts, value->day, rows, PG_INT32_MAX) ||
		!add_guard(&total.parts, value->month, rows, PG_INT32_MAX))
		return false;
	total.sum.time += value->time * rows;
	total.sum.day += (int32) (value->day * rows);
	total.sum.month += (int32) (value->month * rows);
	gpuagg_row_table_replace(table, state, (GpuAggBytes) {(const char *) &total, sizeof(total)});
	return true;
}

/* ------------------------------------------------------------- extremes --- */

/* Does a value take the place of the one that a state has? */
static bool
is_preferred(const GpuAggRegroupState *s, const GpuAggRegroupValue *as, GpuAggBytes state,
			 Datum value)
{
	Datum		old;
	int			order;

	if (state.len == GPUAGG_STRING_NONE || s->datum == GPUAGG_REGROUP_FIRST)
		return state.len == GPUAGG_STRING_NONE;
	old = gpuagg_bytes_datum(state, as->typlen, as->typbyval);
	order = DatumGetInt32(OidFunctionCall2Coll(s->compare, s->collation, value, old));
	return s->datum == GPUAGG_REGROUP_LEAST ? order < 0 : order > 0;
}

/* --------------------------------------------------------------- states --- */

bool
gpuagg_datum_enter(GpuAggRowTable *table, const GpuAggRegroupState *s,
				   const GpuAggRegroupValue *as, char *state, Datum value, int64 rows)
{
	switch ((GpuAggRegroupDatumOp) s->datum)
	{
		case GPUAGG_REGROUP_SUM:
		case GPUAGG_REGROUP_SQUARES:
			if (as->form == GPUAGG_REGROUP_INTERVAL)
				return add_interval(table, state, DatumGetIntervalP(value), rows);
			add_numeric(table, state, s->datum == GPUAGG_REGROUP_SQUARES, value, rows);
			return true;
		default:
			if (is_preferred(s, as, gpuagg_string_slot_bytes(state), value))
				gpuagg_row_table_replace(table, state,
										 gpuagg_datum_bytes(&value, as->typlen, as->typbyval));
			return true;
	}
}
