/*
 * emitters.h
 *		What makes the columns of a group's row, for results.c, which stores groups and hands them
 *		out, results_judge.c, which looks at them as they come, and the kinds of finished values.
 */
#ifndef GPUAGG_NODE_EMITTERS_H
#define GPUAGG_NODE_EMITTERS_H

#include "postgres.h"

#include "device/layout.h"
#include "device/ops/group.h"
#include "ipc/protocol.h"
#include "node/result/intervals.h"
#include "node/result/numerics.h"
#include "node/result/results.h"
#include "node/result/type_datums.h"
#include "utils/timestamp.h"

/* Longer strings are allocated for each group. */
#define GPUAGG_LONG_BYTES 1024

/* Values that lie in the row as Datums are */
typedef enum GpuAggPlain
{
	PLAIN_NO,
	PLAIN_4,					/* Four bytes with a sign. */
	PLAIN_8
} GpuAggPlain;

StaticAssertDecl(sizeof(Datum) == 8, "eight bytes are passed by value");

/* Functions of a kind of finished value (result_kinds.h) */
#define GPUAGG_INIT_ARGS GpuAggResults *results, const GpuAggProgram *program, \
	const GpuAggOutput *output, const Expr *expr, GpuAggEmitter *emitter
#define GPUAGG_EMIT_ARGS const GpuAggResults *results, GpuAggEmitter *emitter, \
	const char *row, bool *isnull
#define GPUAGG_JUDGE_ARGS GpuAggResults *results, const GpuAggEmitter *emitter, const char *row, \
	GpuAggError *error
#define GPUAGG_BESIDE_ARGS const GpuAggResults *results, GpuAggEmitter *emitter, const char *row, \
	const GpuAggLongSum *sum, int64 count, Datum *value

typedef struct GpuAggEmitter GpuAggEmitter;
typedef Datum (*GpuAggEmit) (GPUAGG_EMIT_ARGS);
typedef GpuAggStatus (*GpuAggJudge) (GPUAGG_JUDGE_ARGS);
typedef bool (*GpuAggBeside) (GPUAGG_BESIDE_ARGS);

/* What makes one output column of a group's row */
struct GpuAggEmitter
{
	GpuAggEmit	emit;
	GpuAggJudge judge;			/* NULL: there is nothing to judge. */
	GpuAggBeside beside;		/* NULL: no values are kept beside it. */
	uint8		plain;			/* GpuAggPlain. */
	uint8		type;			/* GpuAggType. */
	uint8		slot_bytes;		/* Bytes of a key's slot. */
	int8		string_no;		/* Place in "strings", or -1. */
	uint16		off;			/* Key slot or state. */
	uint16		count_off;		/* COUNT state beside it; 0: none. */
	uint8		null_count;		/* Up to this count it is NULL. */
	uint8		scale;			/* As GpuAggOutput has it. */
	uint8		shown;			/* As GpuAggOutput has it. */
	uint16		shown_off;		/* State that says what is shown; 0: none. */
	uint32		null_bit;		/* Bit of a key in the head. */

	/* The current group's value; a text form is that of all groups */
	union
	{
		GpuAggNumeric number;
		char		fixed[GPUAGG_TYPE_ROOM];
		GpuAggStringSlot string;	/* Its length is a varlena's header then. */
		Interval	interval;
		GpuAggTextForm text;
	}			room;
	text	   *long_room;		/* Room for strings of up to LONG_BYTES. */

	bool		optional;		/* The value itself tells whether it is NULL. */
	uint8		statistic;		/* GpuAggStatistic. */

	/* KEY_NUMBER */
	uint8		lookup;
	uint16		column;

	/* ORDERED: the result's type */
	bool		typbyval;
	int16		typlen;

	/* Long values beside it (long_values.h) */
	int			transition;		/* The one whose argument they are, or -1: none are kept. */
	int			counts;			/* The transition of the COUNT beside it, or -1. */
	bool		greatest;		/* The greatest of them, if not a sum. */

	/* VARIANCE */
	bool		narrow;			/* The sum has 64 bits. */
	uint16		square_off[GPUAGG_SQUARE_PARTS];	/* 0: none. */
};

struct GpuAggResults
{
	MemoryContext context;
	GpuAggLayout layout;
	GpuAggStore *store;

	int			nemitters;
	GpuAggEmitter *emitters;
	int			nstrings;		/* Slots that may have bytes after the row. */
	uint16	   *strings;		/* Offsets of these slots, in order. */
	const char **string_data;	/* Where the current group's bytes are. */
	bool		check;			/* Groups must be looked at. */
	int32	   *days;
	const GpuAggLookups *lookups;	/* They have the strings that are numbered. */

	/* Values that no device has a form of, or NULL; and their groups' keys */
	GpuAggLongValues *longs;
	int			nkeys;
	uint8	   *key_types;
	StringInfoData long_key;

	/* Reading: the current message and what is left of it */
	const char *at;
	uint32		left;
};

/*
 * Finds the long strings of the group at row and returns where the next
 * group starts.  The strings follow the row without gaps, and all together
 * are padded to 8 bytes.
 */
static inline const char *
gpuagg_results_walk(const GpuAggResults *results, const char *row)
{
	const char *data = row + results->layout.row_bytes;

	for (int i = 0; i < results->nstrings; i++)
	{
		uint32		len;

		memcpy(&len, row + results->strings[i], sizeof(len));
		if (len <= GPUAGG_STRING_INLINE || len == GPUAGG_STRING_NONE)
			continue;
		results->string_data[i] = data;
		data += len;
	}
	return row + GPUAGG_ALIGN8((Size) (data - row));
}

/* Is the output NULL because there were no values? */
static inline bool
gpuagg_emitter_is_empty(const GpuAggEmitter *emitter, const char *row)
{
	return emitter->count_off != 0 &&
		*(const int64 *) (row + emitter->count_off) <= emitter->null_count;
}

/* The strings of a key that is a number */
static inline const GpuAggNumbered *
gpuagg_emitter_strings(const GpuAggResults *results, const GpuAggEmitter *emitter)
{
	return gpuagg_lookups_numbered(results->lookups, emitter->lookup, emitter->column);
}

/* The string in a slot of the current group's row */
static inline GpuAggBytes
gpuagg_emitter_string(const GpuAggResults *results, const char *row, uint16 off)
{
	GpuAggBytes bytes = gpuagg_string_slot_bytes(row + off);

	if (!gpuagg_string_slot_is_long(row + off))
		return bytes;
	for (int i = 0; i < results->nstrings; i++)
		if (results->strings[i] == off)
			bytes.data = results->string_data[i];
	return bytes;
}

/* The place of a slot in results->strings, which has room for it */
extern int	gpuagg_results_add_string(GpuAggResults *results, uint16 off);

/* ---------- what kinds share ---------- */

/* How a value of the type lies in a key's slot */
extern GpuAggPlain gpuagg_plain_key(uint8 type);

/* Room for a string, of an emitter of strings */
extern void gpuagg_init_string(GpuAggResults *results, GpuAggEmitter *emitter);

/* Text of a slot */
extern Datum gpuagg_string_datum(const GpuAggResults *results, GpuAggEmitter *emitter,
								 const GpuAggStringSlot *slot);

/* An integer by the emitter's type, where it is not plain */
extern Datum gpuagg_i64_datum(GpuAggEmitter *emitter, int64 v, const char *row);
extern Datum gpuagg_f64_datum(uint8 type, double v);

/* An integer of 128 bits as the decimal that it stands for */
extern Datum gpuagg_decimal_datum(GpuAggEmitter *emitter, uint64 low, int64 high, const char *row);

/* Decimals that a numeric of this row shows */
static inline int
gpuagg_decimals_shown(const GpuAggEmitter *emitter, const char *row)
{
	return emitter->shown_off == 0 ? emitter->shown :
		(int) *(const int64 *) (row + emitter->shown_off);
}

static inline bool
gpuagg_fits_int64(uint64 low, int64 high)
{
	return high == ((int64) low >> 63);
}

/* The COUNT beside it */
static inline int64
gpuagg_emitter_count(const GpuAggEmitter *emitter, const char *row)
{
	return *(const int64 *) (row + emitter->count_off);
}

#endif							/* GPUAGG_NODE_EMITTERS_H */
