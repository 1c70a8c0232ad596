/*
 * dictionary.h
 *		What the kernels of a dictionary share with its host side.
 *
 * A dictionary is a hash table of codes, open addressing, and for each code its
 * string, in blocks that never move; bytes lie in an arena, likewise.  A slot is
 *		0							empty
 *		GPUAGG_SLOT_LOCKED			a string is being written
 *		tag << 32 | code + 1		half of the hash, and the code
 * Whoever takes an empty slot writes the string, and publishes with release.
 * Nothing is ever removed.
 */
#ifndef GPUAGG_CUDA_COLUMNS_DICTIONARY_H
#define GPUAGG_CUDA_COLUMNS_DICTIONARY_H

#include "cuda/kernel/kernels.h"

#define GPUAGG_SLOT_LOCKED 0xFFFFFFFFull

#define GPUAGG_STRING_BLOCKS (GPUAGG_DICTIONARY_ENTRIES / GPUAGG_STRING_BLOCK)

typedef struct GpuAggDictionaryHead
{
	unsigned long long arena_used;	/* of the block that is being filled */
	uint32_t	entries;		/* more than there is room for, if it is full */
	uint32_t	full;
} GpuAggDictionaryHead;

typedef struct GpuAggDictionaryRef
{
	GpuAggDictionaryHead *head;
	unsigned long long *slots;
	uint64_t	capacity;		/* a power of two */
	GpuAggBytes **strings;		/* blocks */
	char	   *arena;			/* the block that is being filled */
	uint64_t	arena_bytes;
} GpuAggDictionaryRef;

/*
 * Codes of a column's strings.  Where a register is to hold them, the
 * batch's head counts those that there are none for; where rows are but kept,
 * these are not.
 */
extern void gpuagg_cuda_encode_decoded(const GpuAggDictionaryRef *dictionary,
									   const GpuAggCudaPrepared *prepared,
									   const GpuAggDecodedBatch *decoded, uint32_t column,
									   cudaStream_t stream);
extern void gpuagg_cuda_encode_strings(const GpuAggDictionaryRef *dictionary,
									   const GpuAggBytes *strings, uint32_t n, int32_t *codes,
									   cudaStream_t stream);

/* Slots of a smaller table into one that is empty */
extern void gpuagg_cuda_dictionary_move(const unsigned long long *from, uint64_t capacity,
										const GpuAggDictionaryRef *to, cudaStream_t stream);

/* Strings first, first + 1, ...: the strings themselves, and, with starts, their bytes */
extern void gpuagg_cuda_dictionary_list(GpuAggBytes *const *strings, uint32_t first, uint32_t n,
										GpuAggBytes *out, cudaStream_t stream);
extern void gpuagg_cuda_dictionary_gather(const GpuAggBytes *strings, const uint64_t *starts,
										  uint32_t n, char *out, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_COLUMNS_DICTIONARY_H */
