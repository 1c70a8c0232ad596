/*
 * cuda_codes.h
 *		Code tables (device/ops/code_table.h) on the card.
 *
 * A table is a look-up table there with its expression behind it.  It has room for four times the
 * codes that are known when it is made; a kernel fills it up to those that there are, in the
 * dictionary's order of uses (dictionary.cu): before a task reads it, and behind each batch of
 * pages that may have brought strings.  A table of places (device/ops/places.h) is filled when it
 * is made, and has no room for more.
 */
#ifndef GPUAGG_CUDA_COLUMNS_CUDA_CODES_H
#define GPUAGG_CUDA_COLUMNS_CUDA_CODES_H

#include "cuda/columns/cuda_made.h"
#include "cuda/columns/dictionary.h"
#include "device/ops/code_table.h"

struct GpuAggCudaCodeTable
{
	GpuAggCodeTableEntry entry; /* must be first; on the card the expression lies behind the
								 * table */
	GpuAggMade	made;
	GpuAggDictionary *dictionary;
	GpuAggDictionary *texts;	/* of the strings that it makes; NULL: it makes numbers */
	uint32_t	done;			/* what is enqueued has values of all codes below */
	uint32_t   *order;			/* of places: the code at each, on the card */
	uint32_t   *order_here;		/* a copy; NULL: nobody has asked for it yet */
};

/* A kernel that fills a table, as it is launched */
typedef struct GpuAggCodeTableFill
{
	GpuAggDictionaryRef from;
	GpuAggDictionaryRef texts;	/* of what it makes; without a head: it makes numbers */
	char	   *block;
	const GpuAggProgram *expression;
	uint32_t	first;			/* code */
} GpuAggCodeTableFill;

/* Codes from the first one up to `end`, or fewer if there are not so many */
extern void gpuagg_cuda_code_table_fill(const GpuAggCodeTableFill *fill, uint32_t end,
										cudaStream_t stream);

/*
 * places.cu: the codes of the first n strings in order, and their places, into the table that the
 * block is.  memory: so many bytes, that CUB works in
 */
extern cudaError_t gpuagg_cuda_places_bytes(const GpuAggDictionaryRef *dictionary, uint32_t n,
											size_t *bytes);
extern cudaError_t gpuagg_cuda_places_fill(const GpuAggDictionaryRef *dictionary, uint32_t *order,
										   uint32_t n, char *block, void *memory, size_t bytes,
										   cudaStream_t stream);

/* On the card, of a table of places: the code at each */
extern const uint32_t *gpuagg_cuda_code_table_there(const GpuAggMade *table);

#endif							/* GPUAGG_CUDA_COLUMNS_CUDA_CODES_H */
