/*
 * cuda_stripe.h
 *		Columns that stay on the card between tasks (device/stripe.h): stripes and
 *		dictionaries, and how tasks write and read them.
 *
 *	stripe.cu			stripes: memory, columns, what is valid
 *	fill.cu			pages into stripes, behind their decoding
 *	dictionary.h	strings and their codes: dictionary.cu, encode.cu
 *	stripe_sample.cu	samples of lines
 *	pack.cu			columns packed
 *	resident.h		stripes as a task's input: resident.cu, stripe_deferral.cu,
 *					stripe_filter.cu
 *
 * What is done to stripes beside tasks is enqueued in a stream of its own, which
 * tasks wait for.  A task's own streams order what it does; which tasks are at the same
 * positions is the worker's business (GpuAggPage.beside).
 */
#ifndef GPUAGG_CUDA_COLUMNS_CUDA_STRIPE_H
#define GPUAGG_CUDA_COLUMNS_CUDA_STRIPE_H

#include "cuda/groupby/groupby.h"
#include "cuda/task/task.h"
#include "device/choice/ranges.h"

/* Zones on the card, and what of them was last copied */
typedef struct GpuAggStoredZones
{
	GpuAggZone *there;
	GpuAggZone *known;			/* of a column: there, a copy of what is here */
	GpuAggZone *here;
	uint64_t	fills;			/* of the stripe, until then */
	volatile unsigned long long *told;	/* of a column: another number than was heard, once
										 * values have come beyond the bounds here */
	unsigned long long heard;
	uint64_t	copies;			/* that were made of it */
} GpuAggStoredZones;

typedef struct GpuAggStored
{
	uint32_t	attr;
	uint32_t	type;
	uint32_t	bytes;			/* of a value */
	GpuAggDictionary *dictionary;	/* of strings */
	char	   *memory;			/* of all that follows: values or blocks and words, the bitmap of
								 * NULLs, has_nulls, zones */
	size_t		memory_bytes;
	char	   *values;			/* of a packed one the words */
	const GpuAggMiniblock *blocks;	/* NULL: it is plain */
	bool		unpackable;		/* it was looked at, and packing it does not pay */
	uint32_t   *nulls;			/* of a packed one NULL, if none is NULL */
	uint32_t   *has_nulls;		/* 0: none was ever kept */
	GpuAggStoredZones zones;
	GpuAggRange range;			/* of integers */
	uint64_t	ranged;			/* 1 + copies of the zones, when it was taken; 0: never */
} GpuAggStored;

/* Which lines lie where (GpuAggStripeOps.pages): a stripe's, and that of tasks which read it */
typedef struct GpuAggStripePages
{
	uint32_t	refs;
	uint32_t	n;
	size_t		bytes;
	GpuAggStripePage *there;
} GpuAggStripePages;

struct GpuAggStripe
{
	GpuAggDevice *device;
	uint32_t	positions;
	uint32_t	room;			/* positions in whole tiles */
	uint32_t	high_water;			/* positions beyond which nothing was ever kept */
	uint32_t   *valid;			/* zones of rows behind it */
	size_t		valid_bytes;
	uint64_t	fills;			/* so many pages were decoded into it */
	GpuAggStoredZones zones;
	uint32_t	ncolumns;
	GpuAggStored *columns;
	GpuAggStripePages *pages;	/* NULL: not told */
};

extern const GpuAggStripeOps gpuagg_cuda_stripe_ops;

/* ---------- stripe.cu ---------- */

/* Memory of stripes and dictionaries, in the order of the device's stripe stream */
extern void *gpuagg_cuda_stripe_alloc(GpuAggDevice *device, size_t bytes, GpuAggError *error);
extern void gpuagg_cuda_stripe_release(GpuAggDevice *device, void *p, size_t bytes);

/* The stream comes behind all that was done to stripes beside tasks. */
extern bool gpuagg_cuda_stripe_wait(GpuAggTask *task, cudaStream_t stream, GpuAggError *error);

/* Behind whatever was enqueued in the stripe stream */
extern bool gpuagg_cuda_stripe_done(GpuAggDevice *device, GpuAggError *error);

/* At close */
extern void gpuagg_cuda_stripes_close(GpuAggDevice *device);

/*
 * The stripe's columns as a program loads them.  False: it has not all of
 * them; *error tells.
 */
extern bool gpuagg_cuda_stripe_columns(const GpuAggStripe *stripe, const GpuAggProgram *program,
									 GpuAggStripeColumn *columns, GpuAggError *error);

/* A page is decoded into it, up to there. */
static inline void
gpuagg_cuda_stripe_extend(GpuAggStripe *stripe, uint32_t end)
{
	stripe->fills++;
	if (stripe->high_water < end)
		stripe->high_water = end;
}

/*
 * A column's memory behind so many bytes of values: where in it are NULLs, unless it needs none,
 * has_nulls and zones, and, as the result, its end
 */
extern size_t gpuagg_cuda_stored_layout(const GpuAggStripe *stripe, size_t values, bool nulls,
										GpuAggStored *stored);

/* As kernels have it, but for the strings of codes */
extern void gpuagg_cuda_stored_column(const GpuAggStored *stored, GpuAggStripeColumn *column);

/* What is stored of an attribute, or NULL */
extern const GpuAggStored *gpuagg_cuda_stripe_stored(const GpuAggStripe *stripe, uint32_t attr);

/*
 * The range of an integer column's values, or of codes, by its zones: whatever
 * task_resident may read is in it.  waits: for a copy of the zones, if zones() has not
 * been called since pages came.  False: it is not known.
 */
extern bool gpuagg_cuda_column_range(GpuAggStripe *stripe, uint32_t attr, bool waits,
									 GpuAggRange *range);

/* ---------- stripe_sample.cu ---------- */

/* GpuAggStripeOps.pages */
extern GpuAggStatus gpuagg_cuda_stripe_pages(GpuAggStripe *stripe, const GpuAggStripePage *pages,
											 uint32_t npages, GpuAggError *error);

/* Nobody's any more, of one holder; NULL is fine. */
extern void gpuagg_cuda_pages_release(GpuAggDevice *device, GpuAggStripePages *pages);

/*
 * Of a stripe's positions below `positions` those that are valid, and of which the sample has the
 * line, are added to a bitmap, in a stream that comes behind the stripe stream.
 */
extern bool gpuagg_cuda_stripe_sample(const GpuAggStripe *stripe, const GpuAggStripePages *pages,
									  uint32_t positions, const GpuAggSample *sample,
									  uint32_t *taken, cudaStream_t stream, GpuAggError *error);

/* ---------- rearrange.cu ---------- */

/* GpuAggStripeOps.rearrange */
extern GpuAggStatus gpuagg_cuda_rearrange(GpuAggStripe *to, const GpuAggStripeRange *ranges,
										  uint32_t nranges, GpuAggError *error);

/* ---------- pack.cu ---------- */

/* GpuAggStripeOps.pack */
extern GpuAggStatus gpuagg_cuda_pack(GpuAggStripe *stripe, uint32_t attr,
									 const GpuAggPositions *live, uint32_t nlive,
									 GpuAggError *error);

/* ---------- dictionary.cu ---------- */

extern GpuAggStatus gpuagg_cuda_dictionary_create(GpuAggDevice *device,
												  GpuAggDictionary **dictionary,
												  GpuAggError *error);
extern void gpuagg_cuda_dictionary_free(GpuAggDictionary *dictionary);
extern void gpuagg_cuda_dictionary_info(GpuAggDictionary *dictionary, GpuAggDictionaryInfo *info);
extern GpuAggStatus gpuagg_cuda_dictionary_encode(GpuAggDictionary *dictionary,
												  const GpuAggBytes *strings, uint32_t n,
												  int32_t *codes, GpuAggError *error);
extern GpuAggStatus gpuagg_cuda_dictionary_read(GpuAggDictionary *dictionary,
												GpuAggDictionaryText *text, GpuAggError *error);

/*
 * Behind decoding: codes of the strings of a batch that its task wants, or a
 * stripe that keeps it.
 */
extern bool gpuagg_cuda_encode_columns(GpuAggTask *task, GpuAggBatch *batch, cudaStream_t stream,
									   GpuAggError *error);

/* Blocks of strings, as kernels find them */
extern GpuAggBytes *const *gpuagg_cuda_dictionary_strings(const GpuAggDictionary *dictionary);

/* What the stream does from now on finds all strings that were added till now. */
extern bool gpuagg_cuda_dictionary_follow(const GpuAggDictionary *dictionary, cudaStream_t stream,
										  GpuAggError *error);

/* What the stream has done with it comes before what others do. */
extern bool gpuagg_cuda_dictionary_used(GpuAggDictionary *dictionary, cudaStream_t stream,
										GpuAggError *error);

/* Strings that there may be, what is under way included; that there are in any case */
extern uint64_t gpuagg_cuda_dictionary_bound(GpuAggDictionary *dictionary);
extern uint64_t gpuagg_cuda_dictionary_known(GpuAggDictionary *dictionary);

/* It, as kernels find it; its code tables, used last first */
extern const struct GpuAggDictionaryRef *
			gpuagg_cuda_dictionary_ref(const GpuAggDictionary *dictionary);
extern struct GpuAggCodeTableEntry **gpuagg_cuda_dictionary_tables(GpuAggDictionary *dictionary);
extern GpuAggDevice *gpuagg_cuda_dictionary_device(const GpuAggDictionary *dictionary);

/*
 * Around a kernel, in a stream, that adds strings to a dictionary to which such kernels add so many
 * in all.  Their bytes stay where they are.  begin: UNSUPPORTED if there is no room for them.
 */
extern bool gpuagg_cuda_dictionary_add_begin(GpuAggDictionary *dictionary, uint64_t strings,
											 cudaStream_t stream, GpuAggError *error);
extern bool gpuagg_cuda_dictionary_add_end(GpuAggDictionary *dictionary, cudaStream_t stream,
										   GpuAggError *error);

/* Memory that counts as the dictionary's */
extern void *gpuagg_cuda_dictionary_alloc(GpuAggDictionary *dictionary, size_t bytes,
										  GpuAggError *error);
extern void gpuagg_cuda_dictionary_release(GpuAggDictionary *dictionary, void *p, size_t bytes);

/* ---------- cuda_codes.cu ---------- */

/* GpuAggStripeOps.code_table and its kin; of a dictionary that goes */
extern GpuAggStatus gpuagg_cuda_code_table(GpuAggDictionary *dictionary,
										   const GpuAggProgram *expression, GpuAggMade **table,
										   GpuAggError *error);
extern void gpuagg_cuda_code_table_leave(GpuAggMade *table);
extern uint64_t gpuagg_cuda_code_table_given(const GpuAggMade *table);
extern GpuAggStatus gpuagg_cuda_code_table_give(GpuAggMade *table, const GpuAggRowColumn *values,
												uint32_t n, GpuAggError *error);
extern bool gpuagg_cuda_code_tables_drop(GpuAggDictionary *dictionary);
extern GpuAggDictionary *gpuagg_cuda_code_table_texts(GpuAggMade *table);
extern const uint32_t *gpuagg_cuda_code_table_order(GpuAggMade *table, GpuAggError *error);
extern void gpuagg_cuda_code_tables_free(GpuAggDictionary *dictionary);

/* Bytes of the strings that a dictionary's tables make */
extern uint64_t gpuagg_cuda_code_tables_text_bytes(GpuAggDictionary *dictionary);

/*
 * A task's code tables, among those that take the places of constants, and their values of all
 * codes that are there.  complete: behind what may have brought strings to a dictionary; NULL: to
 * any.
 */
extern bool gpuagg_cuda_code_tables_begin(GpuAggTask *task, const GpuAggMadeTables *tables,
										  GpuAggError *error);
extern bool gpuagg_cuda_code_tables_complete(GpuAggTask *task, const GpuAggDictionary *dictionary,
											 cudaStream_t stream, GpuAggError *error);

/* ---------- strings.cu ---------- */

/*
 * Results with strings for codes (strings.cu).  begin: `results` is what the task's
 * program was.  follow: before groups are sized.
 */
extern bool gpuagg_cuda_strings_begin(GpuAggTask *task, const GpuAggTaskConfig *config,
									  GpuAggError *error);

/*
 * As gpuagg_cuda_strings_begin, of groups that are made of the task's, as this prepared program has
 * them
 */
extern bool gpuagg_cuda_strings_make(GpuAggTask *task, const GpuAggProgram *results,
									 GpuAggMade *const *places,
									 const GpuAggCudaPrepared *device_prepared,
									 const GpuAggCudaPrepared *prepared, GpuAggError *error);
extern bool gpuagg_cuda_strings_follow(GpuAggTask *task, GpuAggError *error);
extern void gpuagg_cuda_strings_free(GpuAggTask *task);

/* ---------- kernels ---------- */

/* Behind decoding: pages of stripes are kept. */
extern void gpuagg_cuda_fill(const GpuAggCudaPrepared *prepared, const GpuAggDecodedBatch *decoded,
							 uint32_t blocks, cudaStream_t stream);

/* Stripes that are read by one launch */
typedef struct GpuAggStripeRun
{
	const GpuAggStripeInput *inputs;
	uint32_t	n;
	uint32_t	tiles;			/* of all of them */
	GpuAggBatchHead *head;
	uint32_t	nused;			/* columns whose NULLs matter */
	uint16_t	used[GPUAGG_STRIPE_USED];
} GpuAggStripeRun;

/* A flag a position: is it input, or, with leftover, left over?  Input is counted. */
extern void gpuagg_cuda_stripe_flags(const GpuAggStripeInput *input, bool leftover, uint8_t *flags,
								   GpuAggBatchHead *head, uint32_t sms, cudaStream_t stream);

/* What is input, or chosen, and not NULL: bitmaps `leftover`, and counts of all that */
extern void gpuagg_cuda_stripe_take(const GpuAggStripeRun *run, uint32_t sms, cudaStream_t stream);

/* Makes the bitmaps `chosen`, and counts input; scratch for so many threads */
extern uint32_t gpuagg_cuda_stripe_choose_threads(uint32_t sms);
extern void gpuagg_cuda_stripe_choose(const GpuAggCudaPrepared *prepared,
									  const GpuAggStripeRun *run, char *scratch,
									  uint32_t scratch_stride, uint32_t sms, cudaStream_t stream);

#endif							/* GPUAGG_CUDA_COLUMNS_CUDA_STRIPE_H */
