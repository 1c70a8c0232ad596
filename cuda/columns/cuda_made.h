/*
 * cuda_made.h
 *		Look-up tables that are made on the card of the columns of stripes
 *		(device/made.h).
 *
 * Stripes of such a task are deferred (resident.h): only which rows count is found out
 * when they come.  When the input has ended their keys and columns are read as they lie.
 * How many rows there are is known by then, and between what bounds a key is from the
 * zones; so the table is laid out here, and filled there.
 *
 * Where the key is a string, how many different ones there are, and how long all are, has
 * to be counted before (device/ops/lookup_fill.h): two times of going there and back.
 */
#ifndef GPUAGG_CUDA_COLUMNS_CUDA_MADE_H
#define GPUAGG_CUDA_COLUMNS_CUDA_MADE_H

#include "cuda/columns/resident.h"
#include "device/ops/lookup_fill.h"
#include "device/ops/lookup_fold.h"
#include "device/ops/lookup_make.h"

struct GpuAggMade
{
	GpuAggDevice *device;
	char	   *block;			/* on the card */
	size_t		bytes;
	GpuAggLookup *head;			/* here: with its columns */
	GpuAggCudaCodeTable *codes; /* of which it is a part; NULL: it is a table of rows */
};

/* What kernels count, on the card */
typedef struct GpuAggMakingReport
{
	uint32_t	nrows;
	uint32_t	repeated;		/* 0: no row has the keys of another one */
	uint32_t	outside;		/* rows whose key is beyond the bounds */
	uint32_t	pad;
	uint64_t	strings;		/* bytes of the key's */
	uint32_t	nulls[GPUAGG_MAX_KEYS + 1];	/* of each of the table's columns */
	long long	low[GPUAGG_MAX_KEYS];	/* of integers */
	long long	high[GPUAGG_MAX_KEYS];
} GpuAggMakingReport;

/* A column that a word of the table's keys is made of */
typedef struct GpuAggMakingKey
{
	const char *helper;			/* the table that has its values' numbers; NULL: they are
								 * themselves */
	GpuAggDictionaryText text;	/* blocks NULL: it is no string */
	uint16_t	from;			/* column of the stripe */
} GpuAggMakingKey;

/* Two columns at most: halves of the word, or one that is all of it */
typedef struct GpuAggMakingWord
{
	GpuAggMakingKey parts[2];
	uint32_t	nparts;
} GpuAggMakingWord;

/* A table that is being filled, as kernels know it */
typedef struct GpuAggMakingTable
{
	char	   *block;			/* NULL: codes are counted, it is not laid out yet */
	GpuAggMakingReport *report;
	GpuAggLookupCodes codes;	/* whose bits number rows: codes of the key, or the keys of a
								 * table of bits; without them rows are numbered as they come */
	uint64_t	strings;		/* where the key's begin in the table */
	uint32_t	ncolumns;
	uint32_t	nwords;			/* the first columns, which are made of others; 0: none is */
	GpuAggMakingWord words[GPUAGG_LOOKUP_MAX_KEYS];
	uint16_t	key;			/* the key's column of the stripe, where bits number rows */
	uint16_t	from[GPUAGG_MAX_KEYS];	/* for each of the table's columns, its column of the
										 * stripe */
	GpuAggFoldColumn columns[GPUAGG_MAX_KEYS];	/* where they lie in the table, and what rows of a
												 * key become */
	bool		folds;			/* is any of them folded? */
} GpuAggMakingTable;

typedef enum GpuAggMakingStage
{
	GPUAGG_MAKING_WAITS,		/* for the end of input */
	GPUAGG_MAKING_COUNTS,		/* strings of the key */
	GPUAGG_MAKING_FILLS
} GpuAggMakingStage;

typedef struct GpuAggMaking
{
	GpuAggMakeWish wish;
	GpuAggMakingStage stage;
	GpuAggDictionary *dictionary;	/* of the key; NULL: it is no string */
	int64_t		first;			/* bounds of the first key, or of its codes */
	int64_t		last;
	bool		unknown;		/* there are none */
	GpuAggLookupCodes codes;	/* that rows have, of a string */
	size_t		codes_bytes;
	uint64_t	strings;		/* where they begin in the table */
	uint64_t	passed;			/* rows that it is made of, at most */
	GpuAggMade *made;
	GpuAggMakingReport *report;	/* on the card */
	GpuAggPinned *staging;		/* what goes up, then what comes back */
	GpuAggEvents *events;
} GpuAggMaking;

extern const GpuAggMadeOps gpuagg_cuda_made_ops;

/* If the config wishes one: sets task->making. */
extern bool gpuagg_cuda_making_begin(GpuAggTask *task, const GpuAggTaskConfig *config,
									 GpuAggError *error);

/* Which of the columns' NULLs matter: those of the table's keys */
extern void gpuagg_cuda_making_defers(const GpuAggTask *task, GpuAggStripeDeferral *deferral);

/* Before stripes are enqueued */
extern void gpuagg_cuda_making_note(GpuAggTask *task, const GpuAggPendingStripe *pending,
									uint32_t n);

/*
 * All input is there.  False: not done yet, call again when event_fd fires.  True: *error
 * tells.
 */
extern bool gpuagg_cuda_making_finish(GpuAggTask *task, GpuAggError *error);
extern void gpuagg_cuda_making_free(GpuAggTask *task);

/* Tables that lie on the card take the places of constants of the program there. */
extern bool gpuagg_cuda_made_attach(GpuAggTask *task, const GpuAggMadeTables *tables,
									GpuAggError *error);

/* ---------- made_kernels.cu ---------- */

/* Bits of the keys, or codes, of a stripe's rows */
extern void gpuagg_cuda_made_bits(const GpuAggMakingTable *table, const GpuAggStripeInput *input,
								  uint32_t sms, cudaStream_t stream);

/* How many bits, and of strings how many bytes, there are before each word; and of all */
extern void gpuagg_cuda_made_before(const GpuAggMakingTable *table, uint32_t sms,
									cudaStream_t stream);

/* Folded columns of so many rows, before the first value */
extern void gpuagg_cuda_made_folds(const GpuAggMakingTable *table, uint32_t nrows, uint32_t sms,
								   cudaStream_t stream);

/* A stripe's rows into the table's columns, but for a key that is a string */
extern void gpuagg_cuda_made_rows(const GpuAggMakingTable *table, const GpuAggStripeInput *input,
								  uint32_t sms, cudaStream_t stream);

/* The strings of all codes that rows have, as their rows' keys */
extern void gpuagg_cuda_made_strings(const GpuAggMakingTable *table, uint32_t sms,
									 cudaStream_t stream);

/* Slots of so many rows */
extern void gpuagg_cuda_made_slots(const GpuAggMakingTable *table, uint32_t nrows, uint32_t sms,
								   cudaStream_t stream);

#endif							/* GPUAGG_CUDA_COLUMNS_CUDA_MADE_H */
