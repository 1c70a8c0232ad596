/*
 * constant.c
 *		SQL types and Datums as a device sees them (constant.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/load_types.h"
#include "device/ops/page.h"
#include "planner/value/constant.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/pg_locale.h"
#include "utils/uuid.h"

/* Types with a form of their own (device/ops/load_types.h), and money, an int8 */
static bool
other_type(Oid base, uint8 *type)
{
	static const struct
	{
		Oid			typid;
		uint8		type;
	}			types[] = {
		{MONEYOID, GPUAGG_T_INT8},
		{OIDOID, GPUAGG_T_OID},
		{REGPROCOID, GPUAGG_T_OID},
		{REGPROCEDUREOID, GPUAGG_T_OID},
		{REGOPEROID, GPUAGG_T_OID},
		{REGOPERATOROID, GPUAGG_T_OID},
		{REGCLASSOID, GPUAGG_T_OID},
		{REGCOLLATIONOID, GPUAGG_T_OID},
		{REGTYPEOID, GPUAGG_T_OID},
		{REGROLEOID, GPUAGG_T_OID},
		{REGNAMESPACEOID, GPUAGG_T_OID},
		{REGCONFIGOID, GPUAGG_T_OID},
		{REGDICTIONARYOID, GPUAGG_T_OID},
		{CHAROID, GPUAGG_T_CHAR},
		{PG_LSNOID, GPUAGG_T_LSN},
		{XID8OID, GPUAGG_T_LSN},
		{MACADDROID, GPUAGG_T_MACADDR},
		{MACADDR8OID, GPUAGG_T_MACADDR8},
		{TIMETZOID, GPUAGG_T_TIMETZ},
		{NAMEOID, GPUAGG_T_NAME},
		{INETOID, GPUAGG_T_INET},
		{CIDROID, GPUAGG_T_INET},
		{BITOID, GPUAGG_T_INET},
		{VARBITOID, GPUAGG_T_INET}
	};

	for (int i = 0; i < lengthof(types); i++)
	{
		if (types[i].typid == base)
		{
			*type = types[i].type;
			return true;
		}
	}
	*type = GPUAGG_T_ENUM;
	return type_is_enum(base);
}

bool
gpuagg_constant_type(Oid typid, uint8 *type)
{
	switch (getBaseType(typid))
	{
		case BOOLOID:
			*type = GPUAGG_T_BOOL;
			return true;
		case INT2OID:
			*type = GPUAGG_T_INT2;
			return true;
		case INT4OID:
			*type = GPUAGG_T_INT4;
			return true;
		case INT8OID:
			*type = GPUAGG_T_INT8;
			return true;
		case FLOAT4OID:
			*type = GPUAGG_T_FLOAT4;
			return true;
		case FLOAT8OID:
			*type = GPUAGG_T_FLOAT8;
			return true;
		case DATEOID:
			*type = GPUAGG_T_DATE;
			return true;
		case TIMESTAMPOID:
			*type = GPUAGG_T_TIMESTAMP;
			return true;
		case TIMESTAMPTZOID:
			*type = GPUAGG_T_TIMESTAMPTZ;
			return true;
		case TIMEOID:
			*type = GPUAGG_T_TIME;
			return true;
		case INTERVALOID:
			*type = GPUAGG_T_INTERVAL;
			return true;
		case TEXTOID:
		case VARCHAROID:
		case BYTEAOID:
			*type = GPUAGG_T_TEXT;
			return true;
		case BPCHAROID:
			*type = GPUAGG_T_BPCHAR;
			return true;
		case UUIDOID:
			*type = GPUAGG_T_UUID;
			return true;
		default:
			return other_type(getBaseType(typid), type);
	}
}

/*
 * As numeric_typmod_scale(), which is not exported: negative where digits before the point are
 * rounded
 */
int
gpuagg_numeric_typmod_scale(int32 typmod)
{
	return (((typmod - VARHDRSZ) & 0x7FF) ^ 0x400) - 0x400;
}

int
gpuagg_numeric_typmod_precision(int32 typmod)
{
	return ((typmod - VARHDRSZ) >> 16) & 0xFFFF;
}

bool
gpuagg_constant_column(Oid typid, int32 typmod, uint8 *type, GpuAggScale *scale)
{
	int			decimals = 0;

	*scale = gpuagg_scale(0);
	if (getBaseTypeAndTypmod(typid, &typmod) != NUMERICOID)
		return gpuagg_constant_type(typid, type);
	*type = GPUAGG_T_NUMERIC;
	if (typmod >= VARHDRSZ)
		decimals = Max(0, gpuagg_numeric_typmod_scale(typmod));
	*scale = typmod < VARHDRSZ ? gpuagg_scale_as(GPUAGG_SCALE_WORD, 0) : gpuagg_scale(decimals);
	return decimals <= GPUAGG_MAX_SCALE;
}

bool
gpuagg_numeric_stored(Datum value, GpuAggScale scale, int64 *result)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);

	return gpuagg_load_numeric(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), scale, result);
}

bool
gpuagg_numeric_word(Datum value, int scale, int64 *result)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);
	GpuAggNumericDigits d;

	return gpuagg_numeric_parse(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), &d) &&
		gpuagg_numeric_decimal(&d, scale, result) &&
		gpuagg_decimal_word(*result, d.scale, result);
}

bool
gpuagg_numeric_scaled(Datum value, bool any, int scale, int64 *result)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);
	GpuAggNumericDigits d;

	return gpuagg_numeric_parse(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), &d) &&
		(any || d.scale == scale) &&
		gpuagg_numeric_decimal(&d, scale, result);
}

/*
 * Adds to *v, which is 0, the number without its sign times 10^scale, less what is behind the
 * point; sets *rest if that is not 0.  False: too large.
 */
static bool
whole_part(const GpuAggNumericDigits *d, int scale, uint64 *v, bool *rest)
{
	int			power = d->weight * GPUAGG_NUMERIC_DECIMALS + scale;

	for (uint32 i = 0; i < d->n; i++, power -= GPUAGG_NUMERIC_DECIMALS)
	{
		uint32		behind = 1;
		int16		digit;

		memcpy(&digit, d->digits + i * sizeof(digit), sizeof(digit));
		for (int k = power; k < 0 && behind < GPUAGG_NUMERIC_BASE; k++)
			behind *= 10;
		*rest = *rest || digit % behind != 0;
		if (!gpuagg_decimal_append(v, GPUAGG_NUMERIC_BASE / behind, digit / behind))
			return false;
	}
	for (power += GPUAGG_NUMERIC_DECIMALS; power > 0 && *v > 0; power--)
		if (!gpuagg_decimal_append(v, 10, 0))
			return false;
	return true;
}

/* NaN is greater than any number. */
static bool
is_positive(Datum value)
{
	return DatumGetBool(
		DirectFunctionCall2(numeric_gt, value, NumericGetDatum(int64_to_numeric(0))));
}

bool
gpuagg_numeric_bound(Datum value, bool below, int scale, int64 *bound)
{
	struct varlena *numeric = PG_DETOAST_DATUM_PACKED(value);
	GpuAggNumericDigits d = {.negative = false};
	bool		fits = gpuagg_numeric_parse(VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric), &d);
	bool		rest = false;
	uint64		whole = 0;

	if (!fits)
		d.negative = !is_positive(value);
	fits = fits && whole_part(&d, scale, &whole, &rest) && whole <= PG_INT64_MAX;
	if (!fits)
		*bound = PG_INT64_MAX;
	else if (d.negative)
		*bound = -(int64) whole - (below || rest);
	else
		*bound = (int64) whole - (below && !rest);
	return fits || !d.negative;
}

bool
gpuagg_collation_is_bytewise(Oid collation)
{
	return OidIsValid(collation) && get_collation_isdeterministic(collation);
}

bool
gpuagg_collation_orders_bytes(Oid collation, Oid type)
{
	return OidIsValid(collation) ? gpuagg_collation_is_c(collation) : !type_is_collatable(type);
}

GpuAggClass
gpuagg_constant_class(uint8 type)
{
	static const uint8 class_of[GPUAGG_NTYPES] = {
#define X(name, cls, pagebytes, slotbytes) GPUAGG_CLASS_##cls,
		GPUAGG_TYPE_LIST(X)
#undef X
	};

	return (GpuAggClass) class_of[type];
}

GpuAggConstant
gpuagg_constant_make(uint8 type, Datum value, bool isnull)
{
	GpuAggConstant c;

	memset(&c, 0, sizeof(c));
	c.value.type = type;
	c.value.state = isnull ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	if (isnull)
		return c;
	switch ((GpuAggType) type)
	{
		case GPUAGG_T_BOOL:
			c.value.v.i = DatumGetBool(value);
			break;
		case GPUAGG_T_INT2:
			c.value.v.i = DatumGetInt16(value);
			break;
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			c.value.v.i = DatumGetInt32(value);
			break;
		case GPUAGG_T_INT8:
		case GPUAGG_T_NUMERIC:
		case GPUAGG_T_TIMESTAMP:
		case GPUAGG_T_TIMESTAMPTZ:
		case GPUAGG_T_TIME:
			c.value.v.i = DatumGetInt64(value);
			break;
		case GPUAGG_T_FLOAT4:
			c.value.v.f = DatumGetFloat4(value);
			break;
		case GPUAGG_T_FLOAT8:
			c.value.v.f = DatumGetFloat8(value);
			break;
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_INET:
			{
				text	   *t = DatumGetTextPP(value);

				c.value.len = VARSIZE_ANY_EXHDR(t);
				c.bytes = VARDATA_ANY(t);
				break;
			}
		case GPUAGG_T_UUID:
			c.value.len = UUID_LEN;
			c.bytes = (const char *) DatumGetUUIDP(value)->data;
			break;
		case GPUAGG_T_NAME:
			c.bytes = NameStr(*DatumGetName(value));
			c.value.len = gpuagg_name_length(c.bytes);
			break;
		case GPUAGG_T_OID:
		case GPUAGG_T_ENUM:
			c.value.v.i = gpuagg_hold_oid(DatumGetObjectId(value));
			break;
		case GPUAGG_T_CHAR:
			c.value.v.i = (uint8) DatumGetChar(value);
			break;
		case GPUAGG_T_LSN:
			c.value.v.i = gpuagg_hold_u64(DatumGetUInt64(value));
			break;
		case GPUAGG_T_MACADDR:
		case GPUAGG_T_MACADDR8:
			c.value.v.i = gpuagg_load_type(type, DatumGetPointer(value));
			break;
		case GPUAGG_T_TIMETZ:
			(void) gpuagg_load_timetz(DatumGetPointer(value), &c.value.v.i);
			break;
		case GPUAGG_T_INTERVAL:
			c.value.len = sizeof(Interval);
			c.bytes = (const char *) DatumGetIntervalP(value);
			break;
		case GPUAGG_T_CODE:		/* no Datum's */
		case GPUAGG_T_SPAN:
		case GPUAGG_T_INTERVAL_CODE:
		case GPUAGG_NTYPES:
			break;
	}
	return c;
}

bool
gpuagg_constant_fits(uint8 type, Datum value)
{
	int64		held;

	return type != GPUAGG_T_TIMETZ || gpuagg_load_timetz(DatumGetPointer(value), &held);
}
