/*
 * module.c
 *		What makes gpuagg_cuda.so a library that PostgreSQL loads: the magic
 *		that tells which server it was built for.  The function that gpuagg
 *		looks up in it, gpuagg_device_provider, is in device.cu.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;
