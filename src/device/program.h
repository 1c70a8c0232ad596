/*
 * program.h
 *		The typed register program that a query is lowered to, as any device
 *		runs it.
 *
 * A program says how to turn one heap tuple into zero or one contribution to
 * a group: which attributes to load, which instructions to run, which
 * registers are the filter, the group keys and the aggregate inputs, and
 * which transitions to apply.  One that only selects rows ends with its filter.
 * It is one contiguous block without pointers
 * (arrays follow the header at byte offsets), so it can be kept in a plan,
 * sent through a queue and copied to a GPU as it is.
 *
 * Registers hold 8-byte values (int64 or double) or byte strings, each with
 * a state (common.h).  Register numbers are assigned in this order and each
 * is written once:
 *		[0, ncolumns)							loaded attributes
 *		[ncolumns, ncolumns + nconsts)			constants
 *		[ncolumns + nconsts, nregs)				instruction results
 * Constants that form an IN list take constant (and register) numbers too.
 *
 * Value classes:
 *		I64		bool, int2, int4, int8, date, timestamp, timestamptz, time, and
 *				numeric: the value times 10^scale, where the scale is known
 *				when the program is made; other types as numbers in their
 *				order (ops/load_types.h)
 *		F64		float8, and float4 held exactly as a double
 *		BYTES	text, varchar, bytea, char(n), uuid, name, inet, bit, interval: pointer
 *				and length, no header
 */
#ifndef GPUAGG_DEVICE_PROGRAM_H
#define GPUAGG_DEVICE_PROGRAM_H

#include "common.h"

#define GPUAGG_PROGRAM_VERSION 3
#define GPUAGG_MAX_REGS 512
#define GPUAGG_MAX_KEYS 31
#define GPUAGG_MAX_TRANSITIONS 64
#define GPUAGG_NO_REG 0xFFFF

/* Stages of a filter, at most (ops/stages.h) */
#define GPUAGG_STAGES 8

/* Decimals that 64 bits have room for */
#define GPUAGG_MAX_SCALE 18

/*
 * A numeric whose number of decimals varies by row lies with it in one word: an
 * integer, and in the lowest bits the decimals that PostgreSQL shows.  Such words of
 * integers of one scale are in the order of the values.
 */
#define GPUAGG_WORD_BITS 5
#define GPUAGG_WORD_DECIMALS 31

/* What a numeric is, times 10^digits */
typedef enum GpuAggScaleForm
{
	GPUAGG_SCALE_EXACT = 0,		/* an integer: each value has these decimals */
	GPUAGG_SCALE_WORD = 2,		/* a word: of a column its own decimals, else those of a word of
								 * such an integer */
	GPUAGG_SCALE_FITS = 3,		/* a column's own, in a word, if it is such an integer, too */
	GPUAGG_SCALE_AT_MOST = 4,	/* an integer: values of PostgreSQL's have these or fewer */

	/* columns of look-up tables alone (planner/plan/plan.h) */
	GPUAGG_SCALE_FLOOR = 5,		/* the largest integer that is not greater */
	GPUAGG_SCALE_BELOW = 6,		/* the largest one that is less */
	GPUAGG_SCALE_NUMBERED = 7	/* of a string: its number */
} GpuAggScaleForm;

/* A byte, of which all bits are used */
typedef struct GpuAggScale
{
	uint8_t		digits:5;		/* decimals */
	uint8_t		form:3;			/* GpuAggScaleForm */
} GpuAggScale;

GPUAGG_FN GpuAggScale
gpuagg_scale_as(GpuAggScaleForm form, uint32_t digits)
{
	GpuAggScale scale;

	scale.digits = (uint8_t) (digits & 31);
	scale.form = (uint8_t) form;
	return scale;
}

/* Of integers: each value has so many decimals. */
GPUAGG_FN GpuAggScale
gpuagg_scale(uint32_t digits)
{
	return gpuagg_scale_as(GPUAGG_SCALE_EXACT, digits);
}

GPUAGG_FN bool
gpuagg_scale_same(GpuAggScale a, GpuAggScale b)
{
	return a.digits == b.digits && a.form == b.form;
}

GPUAGG_FN bool
gpuagg_scale_is_word(GpuAggScale scale)
{
	return scale.form == GPUAGG_SCALE_WORD || scale.form == GPUAGG_SCALE_FITS;
}

typedef enum GpuAggClass
{
	GPUAGG_CLASS_I64,
	GPUAGG_CLASS_F64,
	GPUAGG_CLASS_BYTES
} GpuAggClass;

/*
 * Types that a device distinguishes.
 *		X(name, class, bytes on the page (-1 varlena), bytes of a key slot)
 */
#define GPUAGG_TYPE_LIST(X) \
	X(BOOL, I64, 1, 4) \
	X(INT2, I64, 2, 4) \
	X(INT4, I64, 4, 4) \
	X(INT8, I64, 8, 8) \
	X(FLOAT4, F64, 4, 8) \
	X(FLOAT8, F64, 8, 8) \
	X(DATE, I64, 4, 4) \
	X(TIMESTAMP, I64, 8, 8) \
	X(TIMESTAMPTZ, I64, 8, 8) \
	X(TEXT, BYTES, -1, 16)		/* also varchar, bytea */ \
	X(BPCHAR, BYTES, -1, 16)	/* equality ignores trailing blanks */ \
	X(UUID, BYTES, 16, 16) \
	X(NUMERIC, I64, -1, 8)		/* a decimal of known scale */ \
	X(CODE, I64, 0, 4)			/* a string's number in a dictionary (stripe.h) */ \
	X(OID, I64, 4, 4)			/* held less 2^31 */ \
	X(ENUM, I64, 4, 4)			/* the oid of its value, held so: in no order */ \
	X(CHAR, I64, 1, 4)			/* "char": an unsigned byte */ \
	X(LSN, I64, 8, 8)			/* also xid8: held less 2^63 */ \
	X(MACADDR, I64, 6, 8) \
	X(MACADDR8, I64, 8, 8)		/* held less 2^63 */ \
	X(TIMETZ, I64, 12, 8)		/* moment and zone (ops/load_types.h) */ \
	X(NAME, BYTES, 64, 16) \
	X(INET, BYTES, -1, 16)		/* also bit: equal where bytes are, in no order of them */ \
	X(TIME, I64, 8, 8) \
	X(INTERVAL, BYTES, 16, 16)	/* as on the page; no key and no state */ \
	X(SPAN, I64, 0, 8)			/* an interval of days and less (ops_interval.h) */ \
	X(INTERVAL_CODE, I64, 0, 8)	/* a short interval of any form (ops_interval.h) */

typedef enum GpuAggType
{
#define X(name, cls, pagebytes, slotbytes) GPUAGG_T_##name,
	GPUAGG_TYPE_LIST(X)
#undef X
	GPUAGG_NTYPES
} GpuAggType;

/* A byte string in a register: never NUL-terminated, not owned. */
typedef struct GpuAggBytes
{
	const char *data;
	uint64_t	len;
} GpuAggBytes;

/*
 * One attribute of the table, from the first to the last one needed.  All of
 * them are walked; those with reg != GPUAGG_NO_REG are loaded.
 */
typedef struct GpuAggAttr
{
	int16_t		attlen;			/* as pg_attribute: > 0, -1 or -2 */
	uint8_t		align;			/* 1, 2, 4 or 8 */
	uint8_t		type;			/* GpuAggType; meaningful if loaded */
	uint16_t	reg;			/* register, or GPUAGG_NO_REG */
	uint16_t	missing_const;	/* register of the constant for tuples that
								 * end before this attribute, or
								 * GPUAGG_NO_REG: NULL */
	int32_t		fixed_off;		/* offset from the tuple's data start when the
								 * tuple has no NULLs; -1 if it varies */
	GpuAggScale scale;			/* NUMERIC: EXACT, WORD or FITS */
	uint8_t		pad[3];
} GpuAggAttr;

typedef struct GpuAggConst
{
	uint8_t		type;			/* GpuAggType */
	uint8_t		state;			/* GPUAGG_ST_VALUE or GPUAGG_ST_NULL */
	uint16_t	runtime;		/* 1: filled in when execution starts */
	uint32_t	len;			/* BYTES: length */
	union
	{
		int64_t		i;
		double		f;
		uint64_t	off;		/* BYTES: offset from the program's start */
	}			v;
} GpuAggConst;

typedef struct GpuAggInstr
{
	uint16_t	op;				/* GpuAggOp, ops.h */
	uint16_t	dst;
	uint16_t	a;				/* argument registers */
	uint16_t	b;
	uint16_t	c;
	uint16_t	flags;
	int32_t		imm;			/* meaning depends on op */
	int32_t		imm2;
} GpuAggInstr;

/* What the rows of a key are in a look-up table that has one of them (made.h) */
typedef enum GpuAggFold
{
	GPUAGG_FOLD_NONE,			/* any row's value: they are alike, or nobody minds */
	GPUAGG_FOLD_COUNT,			/* how many values there are */
	GPUAGG_FOLD_SUM,
	GPUAGG_FOLD_LEAST,
	GPUAGG_FOLD_GREATEST,
	GPUAGG_NFOLDS
} GpuAggFold;

typedef struct GpuAggKey
{
	uint16_t	reg;
	uint8_t		type;			/* GpuAggType */
	uint8_t		notnull;		/* never NULL */
	GpuAggScale scale;			/* NUMERIC: as a transition's */
	uint8_t		fold;			/* GpuAggFold, of a program that makes a look-up table */
} GpuAggKey;

typedef struct GpuAggTransition
{
	uint16_t	op;				/* GpuAggTransOp, transition.h */
	uint16_t	arg;			/* register, or GPUAGG_NO_REG: count(*) */
	uint16_t	filter;			/* boolean register, or GPUAGG_NO_REG */
	uint8_t		type;			/* GpuAggType of the argument */
	GpuAggScale scale;			/* NUMERIC: for PostgreSQL's rows, EXACT, AT_MOST or WORD */
} GpuAggTransition;

GPUAGG_ASSERT_BYTES(GpuAggScale, 1);
GPUAGG_ASSERT_BYTES(GpuAggAttr, 16);
GPUAGG_ASSERT_BYTES(GpuAggKey, 6);
GPUAGG_ASSERT_BYTES(GpuAggTransition, 8);

/*
 * Instructions [0, filter_instrs) compute the filter; the rest compute keys
 * and arguments and need run only for rows that pass.
 */
typedef struct GpuAggProgram
{
	uint32_t	version;
	uint32_t	bytes;			/* of the whole block */
	uint64_t	hash_seed;		/* set at execution; against chosen keys */
	uint16_t	nattrs;			/* attributes walked */
	uint16_t	ncolumns;		/* attributes loaded */
	uint16_t	nconsts;
	uint16_t	ninstrs;
	uint16_t	filter_instrs;
	uint16_t	filter_reg;		/* boolean register, or GPUAGG_NO_REG */
	uint16_t	nkeys;
	uint16_t	ntransitions;
	uint16_t	nregs;
	uint8_t		utf8;			/* 1: text is UTF-8; 0: one byte a character */
	uint8_t		select;			/* 1: rows that pass the filter are listed, not
								 * grouped; no keys, no transitions, and no
								 * instructions behind the filter's */
	uint8_t		pad[4];
	uint32_t	attrs_off;
	uint32_t	consts_off;
	uint32_t	instrs_off;
	uint32_t	keys_off;
	uint32_t	transitions_off;
	uint32_t	classes_off;	/* uint8_t[nregs]: GpuAggClass */
	/* arrays and constant bytes follow */
} GpuAggProgram;

#define GPUAGG_PROGRAM_ARRAY(fn, type, field) \
GPUAGG_FN const type * \
fn(const GpuAggProgram *p) \
{ \
	return (const type *) ((const char *) p + p->field); \
}
GPUAGG_PROGRAM_ARRAY(gpuagg_program_attrs, GpuAggAttr, attrs_off)
GPUAGG_PROGRAM_ARRAY(gpuagg_program_consts, GpuAggConst, consts_off)
GPUAGG_PROGRAM_ARRAY(gpuagg_program_instrs, GpuAggInstr, instrs_off)
GPUAGG_PROGRAM_ARRAY(gpuagg_program_keys, GpuAggKey, keys_off)
GPUAGG_PROGRAM_ARRAY(gpuagg_program_transitions, GpuAggTransition, transitions_off)
GPUAGG_PROGRAM_ARRAY(gpuagg_program_classes, uint8_t, classes_off)

/*
 * Outputs: what a row contributes once expressions are evaluated.  Keys come
 * first, then for each transition its argument (if any) and its filter (if
 * any).  Rows that PostgreSQL evaluated (GpuAggRowBatch) carry exactly these
 * values, in this order; the planner's row plan has this target list.
 */
GPUAGG_FN uint32_t
gpuagg_program_noutputs(const GpuAggProgram *p)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint32_t	n = p->nkeys;

	for (uint32_t i = 0; i < p->ntransitions; i++)
		n += (t[i].arg != GPUAGG_NO_REG) + (t[i].filter != GPUAGG_NO_REG);
	return n;
}

#endif							/* GPUAGG_DEVICE_PROGRAM_H */
