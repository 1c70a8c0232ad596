/*
 * type_datums.c
 *		Datums of the types that registers hold as numbers of their own making
 *		(type_datums.h).
 */
#include "postgres.h"

#include "device/ops/load_types.h"
#include "node/result/type_datums.h"
#include "utils/date.h"
#include "utils/inet.h"

StaticAssertDecl(offsetof(TimeTzADT, zone) == sizeof(int64) &&
				 GPUAGG_TIMETZ_BYTES <= GPUAGG_TYPE_ROOM, "timetz is a time and a zone");
StaticAssertDecl(sizeof(macaddr) == 6 && sizeof(macaddr8) == 8, "hardware addresses are bytes");
StaticAssertDecl(NAMEDATALEN == GPUAGG_NAME_BYTES, "names have that many bytes");

Datum
gpuagg_type_datum(uint8 type, int64 v, char *room)
{
	switch ((GpuAggType) type)
	{
		case GPUAGG_T_CHAR:
			return CharGetDatum((char) v);
		case GPUAGG_T_LSN:
			return UInt64GetDatum(gpuagg_held_u64(v));
		case GPUAGG_T_MACADDR:
			gpuagg_store_bytes((uint64) v, sizeof(macaddr), room);
			return PointerGetDatum(room);
		case GPUAGG_T_MACADDR8:
			gpuagg_store_bytes(gpuagg_held_u64(v), sizeof(macaddr8), room);
			return PointerGetDatum(room);
		case GPUAGG_T_TIMETZ:
			gpuagg_store_timetz(v, room);
			return PointerGetDatum(room);
		default:				/* OID, ENUM */
			return ObjectIdGetDatum(gpuagg_held_oid(v));
	}
}
