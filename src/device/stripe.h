/*
 * stripe.h
 *		Columns of a table that stay on a device between tasks, and the
 *		dictionaries of its strings.
 *
 * A stripe has a number of positions, each for one row.  A position is valid
 * if a row is there; a column has, for each position, a value in the width of
 * a key slot of its type (layout.h: 4 or 8 bytes; float4 as double) and a bit
 * that says NULL.  Strings are 4-byte codes of a dictionary, which many
 * stripes share.  Values that change no more may be packed.
 *
 * Pages of a task are decoded into a stripe besides being grouped, where
 * GpuAggPage names one: line i of the page goes to position + i.  task_resident
 * then lets a later task read a stripe instead of pages.  Which positions hold what
 * block of which table, whether that is still what the table holds, and who
 * may use a stripe when, is cache/cache.c's to know; devices only keep values.
 *
 * All of it is called by the worker's main thread, as everything in device.h.
 * Nothing here waits for the device but dictionary_encode, dictionary_read and
 * code_table_give.  A stripe or dictionary is freed only when no task uses it.
 */
#ifndef GPUAGG_DEVICE_STRIPE_H
#define GPUAGG_DEVICE_STRIPE_H

#include "common.h"
#include "program.h"

typedef struct GpuAggDevice GpuAggDevice;
typedef struct GpuAggStripe GpuAggStripe;
typedef struct GpuAggDictionary GpuAggDictionary;
typedef struct GpuAggMade GpuAggMade;

/* Positions [first, first + count) of a stripe */
typedef struct GpuAggPositions
{
	uint32_t	first;
	uint32_t	count;
} GpuAggPositions;

/* Positions of a stripe among several */
typedef struct GpuAggStripeRange
{
	GpuAggStripe *stripe;
	GpuAggPositions positions;
} GpuAggStripeRange;

/* Lines of a block of the table: line i, from 0, at first + i */
typedef struct GpuAggStripePage
{
	uint32_t	first;
	uint32_t	count;
	uint32_t	block;
} GpuAggStripePage;

/*
 * Zones: so many neighbouring positions, of which a stripe knows the least and
 * the greatest value of each column (src/device/README.md says why so many).
 *
 * low, high: of all values that were ever decoded into the zone, so that what
 *		lies there now is between them: integers as they are, floating-point
 *		numbers by gpuagg_f64_order(), strings by code.  No value: low > high.
 *
 * count: bits that are set among the zone's: NULLs of a column, those of invalid
 *		positions included; rows of the stripe (GPUAGG_ZONE_ROWS).
 */
#define GPUAGG_ZONE_LOG2 16
#define GPUAGG_ZONE (UINT32_C(1) << GPUAGG_ZONE_LOG2)
#define GPUAGG_ZONE_ROWS UINT32_MAX

typedef struct GpuAggZone
{
	int64_t		low;
	int64_t		high;
	uint64_t	count;
} GpuAggZone;

#define GPUAGG_ZONE_EMPTY {INT64_MAX, INT64_MIN, 0}

/* Zones of so many positions */
GPUAGG_FN uint32_t
gpuagg_zones(uint32_t positions)
{
	return (uint32_t) (((uint64_t) positions + GPUAGG_ZONE - 1) >> GPUAGG_ZONE_LOG2);
}

struct GpuAggRowColumn;			/* device.h */

/* Codes of a dictionary: 0 .. n - 1; of a string that it cannot take: */
#define GPUAGG_NO_CODE (-1)

/* Strings beyond which a dictionary takes none: a column has too many. */
#define GPUAGG_DICTIONARY_ENTRIES (UINT32_C(1) << 22)

typedef struct GpuAggDictionaryInfo
{
	uint32_t	entries;
	uint32_t	full;			/* 1: a string was refused; what was decoded with
								 * it is useless */
	uint64_t	bytes;			/* of memory, counted as a stripe's */
} GpuAggDictionaryInfo;

/* Strings of one block, where they lie in blocks */
#define GPUAGG_STRING_BLOCK_LOG2 16
#define GPUAGG_STRING_BLOCK (1u << GPUAGG_STRING_BLOCK_LOG2)

/*
 * A dictionary as the host reads it: string i is bytes[starts[i]] on, up to
 * starts[i + 1].  As kernels do: blocks[i / GPUAGG_STRING_BLOCK][i %
 * GPUAGG_STRING_BLOCK].  In another order, whose entries those of the text are: string order[i].
 */
typedef struct GpuAggDictionaryText
{
	uint32_t	entries;
	const uint64_t *starts;		/* entries + 1 */
	const char *bytes;
	GpuAggBytes *const *blocks; /* NULL: as the host */
	const uint32_t *order;		/* NULL: by code */
} GpuAggDictionaryText;

typedef struct GpuAggStripeOps
{
	/*
	 * A stripe with no column and no valid position.  OUT_OF_MEMORY: over the
	 * limit below, or the device has none.
	 */
	GpuAggStatus (*create) (GpuAggDevice *device, uint32_t positions,
							GpuAggStripe **stripe, GpuAggError *error);
	void		(*free) (GpuAggStripe *stripe);

	/*
	 * Room for an attribute (its index in GpuAggProgram.attrs, 0-based) of a
	 * type on the page; dictionary: that of strings.  Values are undefined
	 * until pages are decoded into it.
	 */
	GpuAggStatus (*add_column) (GpuAggStripe *stripe, uint32_t attr, uint32_t type,
								GpuAggDictionary *dictionary, GpuAggError *error);
	void		(*drop_column) (GpuAggStripe *stripe, uint32_t attr);

	/*
	 * Which lines of the table lie where, for samples of lines: in the order of positions, none
	 * twice; copied.  It holds until the next call, and if that fails no more; tasks that were
	 * given the stripe before go on with what had been told by then.
	 */
	GpuAggStatus (*pages) (GpuAggStripe *stripe, const GpuAggStripePage *pages, uint32_t npages,
						   GpuAggError *error);

	/*
	 * Zones of an attribute's column, or GPUAGG_ZONE_ROWS: gpuagg_zones(positions)
	 * of them, valid until the stripe changes.  Waits, but is cheap if no page was decoded
	 * since the last time; without counts, which need not be right then, if none of these has
	 * widened a bound.  busy: tasks may be decoding pages into it now.  Then values that
	 * were there before are between the bounds, counts are right of zones into which nobody
	 * decodes, and the next call looks again.
	 */
	GpuAggStatus (*zones) (GpuAggStripe *stripe, uint32_t attr, bool counts, bool busy,
						   const GpuAggZone **zones, GpuAggError *error);

	/*
	 * What all zones of a column make together, at any time, without waiting:
	 * each position that task_resident may read is covered; its count need not be right.
	 * False: not known, for what was decoded since zones() was called, or while it was,
	 * may lie outside.
	 */
	bool		(*range) (const GpuAggStripe *stripe, uint32_t attr, GpuAggZone *range);

	/* Bytes of a stripe's columns, validity and pages; of one column */
	uint64_t	(*bytes) (const GpuAggStripe *stripe);
	uint64_t	(*column_bytes) (const GpuAggStripe *stripe, uint32_t attr);

	/* column_bytes of one that is packed, before it was; of others the same */
	uint64_t	(*plain_bytes) (const GpuAggStripe *stripe, uint32_t attr);

	/*
	 * Bytes that all stripes and dictionaries may take (0, until it is set:
	 * none), and take now
	 */
	void		(*limit) (GpuAggDevice *device, uint64_t bytes);
	uint64_t	(*used) (GpuAggDevice *device);

	/*
	 * Dictionaries only grow.  encode: codes of strings, which are added if
	 * they are not there; waits.  read: all strings so far, as the host sees
	 * them; valid until the next call of any of these; waits, but is cheap if
	 * none has come since the last time.
	 */
	GpuAggStatus (*dictionary_create) (GpuAggDevice *device,
									   GpuAggDictionary **dictionary,
									   GpuAggError *error);
	void		(*dictionary_free) (GpuAggDictionary *dictionary);
	void		(*dictionary_info) (GpuAggDictionary *dictionary,
									GpuAggDictionaryInfo *info);
	GpuAggStatus (*dictionary_encode) (GpuAggDictionary *dictionary,
									   const GpuAggBytes *strings, uint32_t n,
									   int32_t *codes, GpuAggError *error);
	GpuAggStatus (*dictionary_read) (GpuAggDictionary *dictionary,
									 GpuAggDictionaryText *text,
									 GpuAggError *error);

	/*
	 * The code table (ops/code_table.h) of an expression, its program by itself, over a
	 * dictionary's strings, made if nobody has asked for it before.  A task that has it among the
	 * tables of its config finds a value for each code that it meets, but for those beyond the
	 * rows of its head: there may be none of strings that came later.  It is the caller's until it
	 * leaves it; then the dictionary keeps it for a while.  One of places (ops/places.h) is of the
	 * strings that are known by then.  NULL: there are none.
	 */
	GpuAggStatus (*code_table) (GpuAggDictionary *dictionary,
								const GpuAggProgram *expression,
								GpuAggMade **table, GpuAggError *error);
	void		(*code_table_leave) (GpuAggMade *table);

	/*
	 * Of a table whose values are given (ops/code_table.h): how many codes have some, from 0 on,
	 * and those of the next n codes: states VALUE, NULL or NEEDS_PG.  Waits.  A task that has it
	 * fails at a code that has none, with VALUE_ERROR and NEEDS_PG.
	 */
	uint64_t	(*code_table_given) (const GpuAggMade *table);
	GpuAggStatus (*code_table_give) (GpuAggMade *table, const struct GpuAggRowColumn *values,
									 uint32_t n, GpuAggError *error);

	/* Those of a dictionary that nobody has go; was there any? */
	bool		(*code_tables_drop) (GpuAggDictionary *dictionary);

	/* The dictionary of the strings that it makes, which lives as long; NULL: it makes numbers. */
	GpuAggDictionary *(*code_table_texts) (GpuAggMade *table);

	/* Of a table of places (ops/places.h): the code at each, as long as its rows.  Waits. */
	const uint32_t *(*code_table_order) (GpuAggMade *table, GpuAggError *error);

	/* Strings beyond which to put them in order takes too long for what is gained by it */
	uint32_t	ordered;

	/*
	 * Into a stripe that has its columns, and nothing of which was ever kept: positions of other
	 * stripes of the device, one range behind the other.  Its zones are what these rows give.
	 * Nobody decodes into what is read, but where nothing is used.
	 */
	GpuAggStatus (*rearrange) (GpuAggStripe *to, const GpuAggStripeRange *ranges, uint32_t nranges,
							   GpuAggError *error);

	/*
	 * A column's values are packed (ops/packed.h), if that saves memory: its column_bytes are fewer
	 * then.  live: the positions that are read from now on, in order; of others, to which nothing
	 * may ever have been written, values may become anything.  Of a stripe that nobody uses;
	 * nothing is decoded into a packed column any more.  NULL: the device packs none.  The stripe
	 * is as it was after an error.
	 */
	GpuAggStatus (*pack) (GpuAggStripe *stripe, uint32_t attr, const GpuAggPositions *live,
						  uint32_t nlive, GpuAggError *error);

	/* Does task_results write strings for codes (GpuAggTaskConfig.codes)? */
	bool		results;

	bool		compares;		/* does it know GpuAggPage.compare? */

	bool		packed_slower;	/* does reading packed columns take longer than plain ones? */
} GpuAggStripeOps;

#endif							/* GPUAGG_DEVICE_STRIPE_H */
