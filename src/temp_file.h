/*
 * temp_file.h
 *		Temporary files of what a query keeps from one call to the next.
 */
#ifndef GPUAGG_TEMP_FILE_H
#define GPUAGG_TEMP_FILE_H

#include "postgres.h"

#include "storage/buffile.h"
#include "utils/resowner.h"

/*
 * A file in one of temp_tablespaces, to be closed with BufFileClose(), or by the
 * end of its owner after an error; its buffer is in the context.
 */
extern BufFile *gpuagg_temp_file(MemoryContext context, ResourceOwner owner);

#endif							/* GPUAGG_TEMP_FILE_H */
