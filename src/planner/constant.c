/*
 * constant.c
 *		SQL types and Datums as a device sees them (constant.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "planner/constant.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

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
		case TEXTOID:
		case VARCHAROID:
			*type = GPUAGG_T_TEXT;
			return true;
		case BPCHAROID:
			*type = GPUAGG_T_BPCHAR;
			return true;
		case UUIDOID:
			*type = GPUAGG_T_UUID;
			return true;
		default:
			return false;
	}
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
			c.value.v.i = DatumGetInt32(value);
			break;
		case GPUAGG_T_DATE:
			c.value.v.i = DatumGetDateADT(value);
			break;
		case GPUAGG_T_INT8:
		case GPUAGG_T_INTNUM:
			c.value.v.i = DatumGetInt64(value);
			break;
		case GPUAGG_T_TIMESTAMP:
		case GPUAGG_T_TIMESTAMPTZ:
			c.value.v.i = DatumGetTimestamp(value);
			break;
		case GPUAGG_T_FLOAT4:
			c.value.v.f = DatumGetFloat4(value);
			break;
		case GPUAGG_T_FLOAT8:
			c.value.v.f = DatumGetFloat8(value);
			break;
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
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
		case GPUAGG_T_CODE:		/* no Datum's */
		case GPUAGG_NTYPES:
			break;
	}
	return c;
}
