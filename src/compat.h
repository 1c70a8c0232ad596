/*
 * compat.h
 *		Every difference between PostgreSQL versions 15 to 18, and what the
 *		build assumes of the server.  No PG_VERSION_NUM test stands elsewhere.
 */
#ifndef GPUAGG_COMPAT_H
#define GPUAGG_COMPAT_H

#include "postgres.h"

#include "device/common.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "gpuagg supports PostgreSQL 15 to 18"
#endif

StaticAssertDecl(BLCKSZ == GPUAGG_PAGE_BYTES,
				 "gpuagg needs PostgreSQL's default block size");

#endif							/* GPUAGG_COMPAT_H */
