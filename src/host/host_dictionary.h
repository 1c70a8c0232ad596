/*
 * host_dictionary.h
 *		Numbers for strings (device/stripe.h), on the host device.
 *
 * Strings lie one after the other in a stretch of addresses that is reserved
 * once, at full length, and gets memory as it is written: so they never move,
 * and whoever has a code may read its string without a lock.  The table that
 * finds codes is read without a lock, too: a slot is written when its string
 * is there, and a table that has become too small stays, for those who may be
 * reading it.  Only who adds strings takes the lock, once for many.
 */
#ifndef GPUAGG_HOST_HOST_DICTIONARY_H
#define GPUAGG_HOST_HOST_DICTIONARY_H

#include <pthread.h>

#include "device/stripe.h"
#include "host/host_memory.h"

/* Where codes are found */
typedef struct GpuAggDictionarySlots
{
	struct GpuAggDictionarySlots *older;	/* smaller, no longer added to */
	uint32_t	mask;			/* slots - 1, a power of two less 1 */
	_Atomic uint64_t slot[];	/* a part of the hash, and the code + 1 */
} GpuAggDictionarySlots;

struct GpuAggDictionary
{
	GpuAggMemory *memory;		/* that of all stripes */
	pthread_mutex_t lock;		/* for all that changes */
	char	   *bytes;
	uint64_t   *starts;			/* of each string in bytes, and of the end */
	size_t		reserved;		/* addresses at bytes */
	uint64_t	charged;		/* of memory for both */
	_Atomic uint32_t entries;
	bool		full;
	_Atomic(GpuAggDictionarySlots *) slots;
	uint64_t	slot_bytes;		/* of these and older ones */
	struct GpuAggCodeTableEntry *tables;	/* host_codes.c's; the main thread's */
};

/*
 * Codes of those among n strings whose state is VALUE (states NULL: of all);
 * of the others 0.  False: there is a string that the dictionary cannot take;
 * its code is GPUAGG_NO_CODE.  May be called by several threads at once.
 */
extern bool gpuagg_dictionary_encode(GpuAggDictionary *dictionary,
									 const GpuAggBytes *strings,
									 const uint8_t *states, uint32_t n,
									 int32_t *codes);

/* The string of a code; the empty string of what is none */
static inline GpuAggBytes
gpuagg_dictionary_string(const GpuAggDictionary *dictionary, int32_t code)
{
	const uint64_t *start = dictionary->starts + code;
	GpuAggBytes b = {dictionary->bytes + start[0], start[1] - start[0]};

	return b;
}

/* One that counts against that memory */
extern GpuAggStatus gpuagg_dictionary_create(GpuAggMemory *memory, GpuAggDictionary **dictionary,
											 GpuAggError *error);

/* For gpuagg_host_stripe_ops; free: of one that has no code table any more */
extern GpuAggStatus gpuagg_host_dictionary_create(GpuAggDevice *device,
												  GpuAggDictionary **dictionary,
												  GpuAggError *error);
extern void gpuagg_host_dictionary_free(GpuAggDictionary *dictionary);
extern void gpuagg_host_dictionary_info(GpuAggDictionary *dictionary,
										GpuAggDictionaryInfo *info);
extern GpuAggStatus gpuagg_host_dictionary_encode(GpuAggDictionary *dictionary,
												  const GpuAggBytes *strings,
												  uint32_t n, int32_t *codes,
												  GpuAggError *error);
extern GpuAggStatus gpuagg_host_dictionary_read(GpuAggDictionary *dictionary,
												GpuAggDictionaryText *text,
												GpuAggError *error);

#endif							/* GPUAGG_HOST_HOST_DICTIONARY_H */
