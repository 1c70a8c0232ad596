/*
 * sql_types.h
 *		Lists of SQL types as rows of the catalogue have them: (TEXT, INT4).
 */
#ifndef GPUAGG_PLANNER_SQL_TYPES_H
#define GPUAGG_PLANNER_SQL_TYPES_H

#define GPUAGG_SQL_TYPES0()
#define GPUAGG_SQL_TYPES1(a) a##OID
#define GPUAGG_SQL_TYPES2(a, b) a##OID, b##OID
#define GPUAGG_SQL_TYPES3(a, b, c) a##OID, b##OID, c##OID
#define GPUAGG_SQL_TYPES4(a, b, c, d) a##OID, b##OID, c##OID, d##OID
#define GPUAGG_SQL_SIXTH(a, b, c, d, e, sixth, ...) sixth

/* Their OIDs, and their number */
#define GPUAGG_SQL_TYPES(...) \
	GPUAGG_SQL_SIXTH(0, ##__VA_ARGS__, GPUAGG_SQL_TYPES4, GPUAGG_SQL_TYPES3, GPUAGG_SQL_TYPES2, \
					 GPUAGG_SQL_TYPES1, GPUAGG_SQL_TYPES0)(__VA_ARGS__)
#define GPUAGG_SQL_COUNT(...) lengthof(((Oid[]) {GPUAGG_SQL_TYPES(__VA_ARGS__)}))

#endif							/* GPUAGG_PLANNER_SQL_TYPES_H */
