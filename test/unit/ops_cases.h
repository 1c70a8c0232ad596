/*
 * ops_cases.h
 *		Known answers for every instruction, used on the host (ops_test.c)
 *		and on a GPU (ops_test.cu), and the one-instruction programs that
 *		produce them.
 *
 * The answers of strict operators come from PostgreSQL (ops_answers.inc,
 * made by ops_answers.sql); those that no query can show (states of NULL and
 * error arguments, values left to PostgreSQL) are written here.  A test may
 * name another table with -DOPS_ANSWERS='"file"'.  C11 and C++17.
 */
#ifndef GPUAGG_OPS_CASES_H
#define GPUAGG_OPS_CASES_H

#include <math.h>
#include <stdio.h>

#include "device/ops/eval.h"
#include "tap.h"

#ifndef OPS_ANSWERS
#define OPS_ANSWERS "ops_answers.inc"
#endif

typedef struct OpsArg
{
	uint8_t		used;
	uint8_t		cls;			/* GpuAggClass */
	uint8_t		st;
	int64_t		i;
	double		f;
	const char *s;
	uint32_t	len;
} OpsArg;

typedef struct OpsCase
{
	uint16_t	op;
	uint16_t	flags;
	int32_t		imm;
	OpsArg		arg[3];
	OpsArg		want;
	const OpsArg *list;			/* members of an IN list */
	int32_t		nlist;
} OpsCase;

#define OP(name) GPUAGG_OP_##name
#define NONE {0, GPUAGG_CLASS_I64, 0, 0, 0, NULL, 0}
#define I(x) {1, GPUAGG_CLASS_I64, 0, x, 0, NULL, 0}
#define F(x) {1, GPUAGG_CLASS_F64, 0, 0, x, NULL, 0}
#define S(x) {1, GPUAGG_CLASS_BYTES, 0, 0, 0, x, sizeof(x) - 1}
/* A NULL or an error: of class I64 (N, E), F64 or BYTES */
#define N {1, GPUAGG_CLASS_I64, GPUAGG_ST_NULL, 99, 0, NULL, 0}
#define NF {1, GPUAGG_CLASS_F64, GPUAGG_ST_NULL, 0, 99, NULL, 0}
#define NS {1, GPUAGG_CLASS_BYTES, GPUAGG_ST_NULL, 0, 0, NULL, 99}
#define E(bit) {1, GPUAGG_CLASS_I64, GPUAGG_ST_##bit, 99, 0, NULL, 0}
#define ES(bit) {1, GPUAGG_CLASS_BYTES, GPUAGG_ST_##bit, 0, 0, NULL, 99}

static const OpsArg ops_ints[] = {I(INT64_MIN), I(-1), I(3), I(7)};
static const OpsArg ops_many_ints[] = {
	I(-9), I(-7), I(-5), I(-3), I(-1), I(1), I(3), I(5), I(7), I(9), I(11)
};
static const OpsArg ops_doubles[] = {F(-INFINITY), F(0.0), F(1.5), F(NAN)};
static const OpsArg ops_strings[] = {S(""), S("ab"), S("abc"), S("b")};

#define INTS ops_ints, 4
#define MANY ops_many_ints, 11
#define DOUBLES ops_doubles, 4
#define STRINGS ops_strings, 4
#define NO_LIST NULL, 0
#define HAS_NULL GPUAGG_IN_HAS_NULL
#define NEGATED GPUAGG_IN_NEGATED

/* Zones' tables (device/ops/ops_zone.h), as words, which must be aligned */
#define T(x) {1, GPUAGG_CLASS_BYTES, 0, 0, 0, (const char *) &(x), sizeof(x)}
#define UNALIGNED(x) {1, GPUAGG_CLASS_BYTES, 0, 0, 0, (const char *) &(x) + 1, sizeof(x) - 1}
#define HOUR INT64_C(3600000000)

typedef struct OpsZone
{
	GpuAggZoneHead head;
	GpuAggZoneSpan spans[3];
	uint16_t	index[4];
} OpsZone;

/* One hour from 0 on, two from 1000000, until 2000000; slots of 262144 */
static const OpsZone ops_zone = {
	{0, 2000000, 1000000, 2, 2, 18, 0, 0, 0}, {{1000000, HOUR}, {2000000, 2 * HOUR}, {0, 0}}, {0, 1, 0, 0}
};
#define ZONE T(ops_zone)

/*
 * One hour from 0 on, two from 12 days later, one again from 24 days, until 36 days; slots of 12.7
 * days
 */
#define GAP_AT INT64_C(1036800000000)
#define LAP_AT INT64_C(2073600000000)
#define GAP_END INT64_C(3110400000000)
#define GAP_SPANS {{GAP_AT, HOUR}, {LAP_AT, 2 * HOUR}, {GAP_END, HOUR}}
static const OpsZone ops_gap = {{0, GAP_END, GAP_AT, 3, 2, 40, 0, 0, 0}, GAP_SPANS, {0, 2, 0, 0}};
#define GAP T(ops_gap)

/* The same with one slot for all */
static const OpsZone ops_coarse = {{0, GAP_END, GAP_AT, 3, 1, 63, 0, 0, 0}, GAP_SPANS, {0, 0, 0, 0}};
#define COARSE T(ops_coarse)

/* Tables that nobody made: of no span, of a span that is not there, of more bytes than there are */
static const OpsZone ops_bare = {{0, GAP_END, GAP_AT, 0, 2, 40, 0, 0, 0}, GAP_SPANS, {0, 2, 0, 0}};
static const OpsZone ops_astray = {{0, GAP_END, GAP_AT, 3, 2, 40, 0, 0, 0}, GAP_SPANS, {0, 3, 0, 0}};
static const OpsZone ops_cut = {
	{0, GAP_END, GAP_AT, 3, UINT32_MAX, 40, 0, 0, 0}, GAP_SPANS, {0, 2, 0, 0}};

/* The same from the first moment on; with months, of days that no calendar has; with too few of them */
#define MONTH_CELL (INT64_C(1) << GPUAGG_ZONE_MONTH_SHIFT)
typedef struct OpsMonths
{
	GpuAggZoneHead head;
	GpuAggZoneMonth months[2];
	GpuAggZoneSpan spans[3];
	uint16_t	index[4];
} OpsMonths;
static const OpsZone ops_early = {
	{GPUAGG_TIMESTAMP_MIN, GAP_END, GAP_AT, 3, 2, 40, 0, 0, 0}, GAP_SPANS, {0, 2, 0, 0}};
static const OpsMonths ops_months = {
	{0, GAP_END, GAP_AT, 3, 2, 40, 0, 0, 2},
	{{1000, 5, 7}, {GPUAGG_ZONE_SEVERAL, 0, 0}}, GAP_SPANS, {0, 2, 0, 0}};
static const OpsMonths ops_no_months = {
	{0, GAP_END, GAP_AT, 3, 2, 40, 0, 0, UINT64_MAX}, {{0, 0, 0}, {0, 0, 0}}, GAP_SPANS, {0, 2, 0, 0}};
#define EARLY T(ops_early)
#define MONTHS T(ops_months)
#define FEBRUARY (31 * INT64_C(86400000000) - HOUR)

/*
 * One hour from 2000 on, two from June 2124 on; from 2132 on by the calendar: 2400 is as 2124, 2132
 * as 2104
 */
#define SUMMER_AT INT64_C(3926188800000000)
#define FOREVER_END INT64_C(4165516800000000)
static const OpsZone ops_forever = {{0, FOREVER_END, SUMMER_AT, 2, 2, 43, 1, 0, 0},
									{{SUMMER_AT, HOUR}, {FOREVER_END, 2 * HOUR}, {0, 0}},
									{0, 1, 0, 0}};
#define FOREVER T(ops_forever)

/* An enum's table: -2000 is second, 5 third, 7 first */
#define MOODS S("\x30\xF8\xFF\xFF\1\0\0\0" "\5\0\0\0\2\0\0\0" "\7\0\0\0\0\0\0\0")

/* A list: -5, 7, 9 */
#define LIST S("\xFB\xFF\xFF\xFF\xFF\xFF\xFF\xFF" "\x07\x00\x00\x00\x00\x00\x00\x00" "\x09\x00\x00\x00\x00\x00\x00\x00")
#define BIN S("\x0A\0\0\0\0\0\0\0" "\x03\0\0\0\0\0\0\0")
#define INTERVAL S("\xFD\xFF\xFF\xFF\xFF\xFF\xFF\xFF" "\x02\0\0\0" "\x01\0\0\0")
#define LONG_INTERVAL S("\0\0\0\0\0\0\0\0" "\0\0\0\0" "\xFF\xFF\xFF\x7F")
#define HOURS S("\0\x04\x6B\xF4\x14\0\0\0" "\0\0\0\0" "\0\0\0\0")

static const OpsCase ops_cases[] = {
#include OPS_ANSWERS

	/* left to PostgreSQL */
	{OP(DATE_EXTRACT), 0, GPUAGG_FIELD_YEAR, {I(INT32_MAX), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(DATE_EXTRACT), 0, GPUAGG_FIELD_YEAR, {I(INT32_MIN), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(DATE_EXTRACT), 0, GPUAGG_FIELD_HOUR, {I(0), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TIMESTAMP_EXTRACT), 0, GPUAGG_FIELD_HOUR, {I(INT64_MAX), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TIMESTAMP_EXTRACT), 0, GPUAGG_FIELD_YEAR, {I(INT64_MIN), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TIMESTAMP_EXTRACT), 0, GPUAGG_FIELD_SECOND, {I(0), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TIMESTAMP_TRUNC), 0, GPUAGG_FIELD_DOW, {I(0), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(DATE_TRUNC), 0, GPUAGG_FIELD_ISOYEAR, {I(0), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(LIKE), 0, 1, {S("abc"), S("a\\bc"), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(LIKE), 0, 1, {S("abc"), S("%\\c"), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(LIKE), 0, 1, {S("abc"), S("b\\c"), NONE}, I(0), NO_LIST},
	{OP(LIKE), 0, 0, {S("\xe9\xe9"), S("__"), NONE}, I(1), NO_LIST},
	{OP(LIKE), 0, 1, {S("a\0b"), S("a_b"), NONE}, I(1), NO_LIST},

	{OP(ENUM_ORDER), 0, 0, {I(-2000), MOODS, NONE}, I((INT64_C(1) << 32) + 4294965296), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {I(5), MOODS, NONE}, I((INT64_C(2) << 32) + 5), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {I(7), MOODS, NONE}, I(7), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {I(6), MOODS, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {I(8), MOODS, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {I(5), S(""), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ENUM_ORDER), 0, 0, {N, MOODS, NONE}, N, NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(0), ZONE, NONE}, I(3600000000), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(999999), ZONE, NONE}, I(3600999999), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(1000000), ZONE, NONE}, I(7201000000), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(1999999), ZONE, NONE}, I(7201999999), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(2000000), ZONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(-1), ZONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(5), S(""), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(INT64_MAX), ZONE, NONE}, I(INT64_MAX), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(INT64_MIN), ZONE, NONE}, I(INT64_MIN), NO_LIST},
	/* on both sides of changes within a slot, of slots, and behind the last */
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT - 1), GAP, NONE}, I(GAP_AT - 1 + HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), GAP, NONE}, I(GAP_AT + 2 * HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(LAP_AT - 1), GAP, NONE}, I(LAP_AT - 1 + 2 * HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(LAP_AT), GAP, NONE}, I(LAP_AT + HOUR), NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(GAP_AT + (INT64_C(1) << 40) - 1), GAP, NONE},
	 I(GAP_AT + (INT64_C(1) << 40) - 1 + HOUR),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(GAP_AT + (INT64_C(1) << 40)), GAP, NONE},
	 I(GAP_AT + (INT64_C(1) << 40) + HOUR),
	 NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_END - 1), GAP, NONE}, I(GAP_END - 1 + HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_END), GAP, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(0), COARSE, NONE}, I(HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(LAP_AT - 1), COARSE, NONE}, I(LAP_AT - 1 + 2 * HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_END - 1), COARSE, NONE}, I(GAP_END - 1 + HOUR), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), T(ops_bare), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_END - 1), T(ops_astray), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), T(ops_cut), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), T(ops_gap.head), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), UNALIGNED(ops_gap), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(INT64_MAX), T(ops_bare), NONE}, I(INT64_MAX), NO_LIST},
	/* months: of the table's cells, and where it has none, or two in one */
	{OP(ZONE_MONTH), 0, 0, {I(0), MONTHS, NONE}, I(5), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(999), MONTHS, NONE}, I(5), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(1000), MONTHS, NONE}, I(7), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(MONTH_CELL - 1), MONTHS, NONE}, I(7), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(MONTH_CELL), MONTHS, NONE}, I(0), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(FEBRUARY), MONTHS, NONE}, I(31), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(-1), MONTHS, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(GAP_END), MONTHS, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(INT64_MAX), MONTHS, NONE}, I(INT32_MAX), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(INT64_MIN), MONTHS, NONE}, I(INT32_MIN), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {N, MONTHS, NONE}, N, NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(0), GAP, NONE}, I(0), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(FEBRUARY - 1), GAP, NONE}, I(0), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(FEBRUARY), GAP, NONE}, I(31), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(0), S(""), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(INT64_MAX), S(""), NONE}, I(INT32_MAX), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(0), UNALIGNED(ops_months), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(0), T(ops_no_months), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(0), T(ops_months.head), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(GAP_AT), MONTHS, NONE}, I(GAP_AT + 2 * HOUR), NO_LIST},
	{OP(ZONE_MONTH), 0, 0, {I(GPUAGG_TIMESTAMP_MIN), EARLY, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_MONTH),
	 0,
	 0,
	 {I(GPUAGG_TIMESTAMP_MIN + 8 * INT64_C(86400000000)), EARLY, NONE},
	 I(GPUAGG_DATE_MIN + 7),
	 NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(GAP_AT), T(ops_bare), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(GAP_AT + 2 * LAP_AT / 3), COARSE, NONE},
	 I(GAP_AT + 2 * LAP_AT / 3 - HOUR),
	 NO_LIST},

	/* local times: before, in the overlap or gap that a change makes, and after it */
	{OP(ZONE_UTC), 0, 0, {I(GAP_AT + 3599999999), GAP, NONE}, I(GAP_AT - 1), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(GAP_AT + 3600000000), GAP, NONE}, I(GAP_AT), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(GAP_AT + 7199999999), GAP, NONE}, I(GAP_AT + 3599999999), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(GAP_AT + 7200000000), GAP, NONE}, I(GAP_AT), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(LAP_AT + 3599999999), GAP, NONE}, I(LAP_AT - 3600000001), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(LAP_AT + 3600000000), GAP, NONE}, I(LAP_AT), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(LAP_AT + 7200000000), GAP, NONE}, I(LAP_AT + 3600000000), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(0), GAP, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(GAP_END - 1), GAP, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(INT64_MAX), GAP, NONE}, I(INT64_MAX), NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(INT64_MIN), GAP, NONE}, I(INT64_MIN), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(-5), LIST, NONE}, I(1), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(9), LIST, NONE}, I(1), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(8), LIST, NONE}, I(0), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(INT64_MIN), LIST, NONE}, I(0), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(INT64_MAX), LIST, NONE}, I(0), NO_LIST},
	{OP(LISTED_I64), 0, 0, {I(0), S(""), NONE}, I(0), NO_LIST},
	/* behind the end, where summer time goes on */
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(4165516799999999)), FOREVER, NONE},
	 I(INT64_C(4165523999999999)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(4165516800000000)), FOREVER, NONE},
	 I(INT64_C(4165520400000000)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(4197139200000000)), FOREVER, NONE},
	 I(INT64_C(4197142800000000)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(4233772800000005)), FOREVER, NONE},
	 I(INT64_C(4233776400000005)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(12635913599999999)), FOREVER, NONE},
	 I(INT64_C(12635917199999999)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(12635913600000000)), FOREVER, NONE},
	 I(INT64_C(12635920800000000)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(252455615999999999)), FOREVER, NONE},
	 I(INT64_C(252455619599999999)),
	 NO_LIST},
	{OP(ZONE_LOCAL),
	 0,
	 0,
	 {I(INT64_C(9223371158399999999)), FOREVER, NONE},
	 I(INT64_C(9223371165599999999)),
	 NO_LIST},
	{OP(ZONE_LOCAL), 0, 0, {I(INT64_C(9223371158400000000)), FOREVER, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(12635917199999999)), FOREVER, NONE},
	 I(INT64_C(12635913599999999)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(12635919000000000)), FOREVER, NONE},
	 I(INT64_C(12635915400000000)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(12635920800000000)), FOREVER, NONE},
	 I(INT64_C(12635913600000000)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(4165257600000000)), FOREVER, NONE},
	 I(INT64_C(4165250400000000)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(4165430400000000)), FOREVER, NONE},
	 I(INT64_C(4165423200000000)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(4165516800000000)), FOREVER, NONE},
	 I(INT64_C(4165513200000000)),
	 NO_LIST},
	{OP(ZONE_UTC),
	 0,
	 0,
	 {I(INT64_C(4212777600000000)), FOREVER, NONE},
	 I(INT64_C(4212774000000000)),
	 NO_LIST},
	{OP(ZONE_UTC), 0, 0, {I(INT64_C(9223371158400000000)), FOREVER, NONE}, E(NEEDS_PG), NO_LIST},

	{OP(TIMESTAMP_DIFF),
	 0,
	 0,
	 {I(INT64_C(9223371331199999999)), I(INT64_C(-211813488000000000)), NONE},
	 E(NEEDS_PG),
	 NO_LIST},
	{OP(TIMESTAMP_TIME), 0, 0, {I(INT64_MAX), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TIMESTAMP_ADD_DAYS), 0, 0, {I(0), I(INT64_MAX), NONE}, E(DATETIME_RANGE), NO_LIST},
	{OP(TIMESTAMP_ADD_MONTHS), 0, 0, {I(0), I(INT64_MIN), NONE}, E(DATETIME_RANGE), NO_LIST},
	{OP(EPOCH_QUOTIENT), 0, 0, {I(5), I(0), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(EPOCH_QUOTIENT), 0, 0, {I(INT64_MIN), I(1), NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TO_TIMESTAMP), 0, 0, {F(NAN), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(TO_TIMESTAMP), 0, 0, {F(9224318016000.0), NONE, NONE}, E(NEEDS_PG), NO_LIST},
	/* stride 10, origin 3 */
	{OP(DATE_BIN), 0, 0, {I(12), BIN, NONE}, I(3), NO_LIST},
	{OP(DATE_BIN), 0, 0, {I(13), BIN, NONE}, I(13), NO_LIST},
	{OP(DATE_BIN), 0, 0, {I(2), BIN, NONE}, I(-7), NO_LIST},
	{OP(DATE_BIN), 0, 0, {I(-7), BIN, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(DATE_BIN), 0, 0, {I(INT64_MAX), BIN, NONE}, I(INT64_MAX), NO_LIST},
	{OP(DATE_BIN), 0, 0, {I(5), S(""), NONE}, E(NEEDS_PG), NO_LIST},
	/* one month, two days and three microseconds less; 25 hours */
	{OP(INTERVAL_MONTHS), 0, 0, {INTERVAL, NONE, NONE}, I(1), NO_LIST},
	{OP(INTERVAL_DAYS), 0, 0, {INTERVAL, NONE, NONE}, I(2), NO_LIST},
	{OP(INTERVAL_TIME), 0, 0, {INTERVAL, NONE, NONE}, I(-3), NO_LIST},
	{OP(INTERVAL_TOTAL), 0, 0, {INTERVAL, NONE, NONE}, I(32 * INT64_C(86400000000) - 3), NO_LIST},
	{OP(INTERVAL_TOTAL), 0, 0, {LONG_INTERVAL, NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(INTERVAL_CODE), 0, 0, {INTERVAL, NONE, NONE}, E(NEEDS_PG), NO_LIST},
	{OP(INTERVAL_CODE), 0, 0, {HOURS, NONE, NONE}, I(INT64_C(90000000000) * 4096 + 2049), NO_LIST},
	{OP(INTERVAL_CODE), 0, 0, {LONG_INTERVAL, NONE, NONE}, E(NEEDS_PG), NO_LIST},

	{OP(AND), 0, 0, {I(1), I(1), NONE}, I(1), NO_LIST},
	{OP(AND), 0, 0, {I(1), I(0), NONE}, I(0), NO_LIST},
	{OP(AND), 0, 0, {I(0), I(1), NONE}, I(0), NO_LIST},
	{OP(AND), 0, 0, {N, I(1), NONE}, N, NO_LIST},
	{OP(AND), 0, 0, {N, I(0), NONE}, I(0), NO_LIST},
	{OP(AND), 0, 0, {I(1), N, NONE}, N, NO_LIST},
	{OP(AND), 0, 0, {I(0), N, NONE}, I(0), NO_LIST},
	{OP(AND), 0, 0, {N, N, NONE}, N, NO_LIST},
	{OP(AND), 0, 0, {I(0), E(DIV_ZERO), NONE}, I(0), NO_LIST},
	{OP(AND), 0, 0, {I(1), E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(AND), 0, 0, {N, E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(AND), 0, 0, {E(INT_RANGE), I(0), NONE}, E(INT_RANGE), NO_LIST},
	{OP(AND), 0, 0, {E(INT_RANGE), E(DIV_ZERO), NONE}, E(INT_RANGE), NO_LIST},
	{OP(OR), 0, 0, {I(0), I(0), NONE}, I(0), NO_LIST},
	{OP(OR), 0, 0, {I(0), I(1), NONE}, I(1), NO_LIST},
	{OP(OR), 0, 0, {I(1), I(0), NONE}, I(1), NO_LIST},
	{OP(OR), 0, 0, {N, I(0), NONE}, N, NO_LIST},
	{OP(OR), 0, 0, {N, I(1), NONE}, I(1), NO_LIST},
	{OP(OR), 0, 0, {I(0), N, NONE}, N, NO_LIST},
	{OP(OR), 0, 0, {I(1), N, NONE}, I(1), NO_LIST},
	{OP(OR), 0, 0, {I(1), E(DIV_ZERO), NONE}, I(1), NO_LIST},
	{OP(OR), 0, 0, {I(0), E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(OR), 0, 0, {N, E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(OR), 0, 0, {E(INT_RANGE), I(1), NONE}, E(INT_RANGE), NO_LIST},

	{OP(IS_NULL), 0, 0, {I(0), NONE, NONE}, I(0), NO_LIST},
	{OP(IS_NULL), 0, 0, {N, NONE, NONE}, I(1), NO_LIST},
	{OP(IS_NULL), 0, 0, {E(DIV_ZERO), NONE, NONE}, E(DIV_ZERO), NO_LIST},
	{OP(IS_NOT_NULL), 0, 0, {S("x"), NONE, NONE}, I(1), NO_LIST},
	{OP(IS_NOT_NULL), 0, 0, {NS, NONE, NONE}, I(0), NO_LIST},
	{OP(IS_TRUE), 0, 0, {I(1), NONE, NONE}, I(1), NO_LIST},
	{OP(IS_TRUE), 0, 0, {I(0), NONE, NONE}, I(0), NO_LIST},
	{OP(IS_TRUE), 0, 0, {N, NONE, NONE}, I(0), NO_LIST},
	{OP(IS_TRUE), 0, 0, {E(DIV_ZERO), NONE, NONE}, E(DIV_ZERO), NO_LIST},
	{OP(IS_NOT_TRUE), 0, 0, {I(1), NONE, NONE}, I(0), NO_LIST},
	{OP(IS_NOT_TRUE), 0, 0, {I(0), NONE, NONE}, I(1), NO_LIST},
	{OP(IS_NOT_TRUE), 0, 0, {N, NONE, NONE}, I(1), NO_LIST},
	{OP(IS_FALSE), 0, 0, {I(1), NONE, NONE}, I(0), NO_LIST},
	{OP(IS_FALSE), 0, 0, {I(0), NONE, NONE}, I(1), NO_LIST},
	{OP(IS_FALSE), 0, 0, {N, NONE, NONE}, I(0), NO_LIST},
	{OP(IS_NOT_FALSE), 0, 0, {I(1), NONE, NONE}, I(1), NO_LIST},
	{OP(IS_NOT_FALSE), 0, 0, {I(0), NONE, NONE}, I(0), NO_LIST},
	{OP(IS_NOT_FALSE), 0, 0, {N, NONE, NONE}, I(1), NO_LIST},

	{OP(SELECT), 0, 0, {I(1), I(5), I(6)}, I(5), NO_LIST},
	{OP(SELECT), 0, 0, {I(0), I(5), I(6)}, I(6), NO_LIST},
	{OP(SELECT), 0, 0, {N, I(5), I(6)}, I(6), NO_LIST},
	{OP(SELECT), 0, 0, {I(1), I(5), E(DIV_ZERO)}, I(5), NO_LIST},
	{OP(SELECT), 0, 0, {I(0), I(5), E(DIV_ZERO)}, E(DIV_ZERO), NO_LIST},
	{OP(SELECT), 0, 0, {I(1), N, I(6)}, N, NO_LIST},
	{OP(SELECT), 0, 0, {E(INT_RANGE), I(5), I(6)}, E(INT_RANGE), NO_LIST},
	{OP(SELECT), 0, 0, {I(1), F(-0.0), F(6)}, F(-0.0), NO_LIST},
	{OP(SELECT), 0, 0, {I(0), NF, F(6)}, F(6), NO_LIST},
	{OP(SELECT), 0, 0, {I(0), S("x"), S("yz")}, S("yz"), NO_LIST},
	{OP(SELECT), 0, 0, {I(1), S("x"), NS}, S("x"), NO_LIST},

	{OP(COALESCE), 0, 0, {I(5), I(6), NONE}, I(5), NO_LIST},
	{OP(COALESCE), 0, 0, {N, I(6), NONE}, I(6), NO_LIST},
	{OP(COALESCE), 0, 0, {I(5), E(DIV_ZERO), NONE}, I(5), NO_LIST},
	{OP(COALESCE), 0, 0, {N, E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(COALESCE), 0, 0, {E(INT_RANGE), I(6), NONE}, E(INT_RANGE), NO_LIST},
	{OP(COALESCE), 0, 0, {N, N, NONE}, N, NO_LIST},
	{OP(COALESCE), 0, 0, {NF, F(2.5), NONE}, F(2.5), NO_LIST},
	{OP(COALESCE), 0, 0, {NS, S("x"), NONE}, S("x"), NO_LIST},
	{OP(COALESCE), 0, 0, {S("y"), NS, NONE}, S("y"), NO_LIST},

	{OP(NULL_IF), 0, 0, {I(5), I(1), NONE}, N, NO_LIST},
	{OP(NULL_IF), 0, 0, {I(5), I(0), NONE}, I(5), NO_LIST},
	{OP(NULL_IF), 0, 0, {I(5), N, NONE}, I(5), NO_LIST},
	{OP(NULL_IF), 0, 0, {N, N, NONE}, N, NO_LIST},
	{OP(NULL_IF), 0, 0, {I(5), E(DIV_ZERO), NONE}, E(DIV_ZERO), NO_LIST},
	{OP(NULL_IF), 0, 0, {F(5), I(0), NONE}, F(5), NO_LIST},
	{OP(NULL_IF), 0, 0, {S("x"), I(0), NONE}, S("x"), NO_LIST},
	{OP(NULL_IF), 0, 0, {NS, N, NONE}, NS, NO_LIST},

	{OP(DISTINCT_FROM), 0, 0, {I(5), I(1), I(5)}, I(0), NO_LIST},
	{OP(DISTINCT_FROM), 0, 0, {I(5), I(0), I(6)}, I(1), NO_LIST},
	{OP(DISTINCT_FROM), 0, 0, {N, N, I(6)}, I(1), NO_LIST},
	{OP(DISTINCT_FROM), 0, 0, {N, N, N}, I(0), NO_LIST},
	{OP(DISTINCT_FROM), 0, 0, {E(DIV_ZERO), E(DIV_ZERO), I(6)}, E(DIV_ZERO), NO_LIST},
	{OP(DISTINCT_FROM), 0, 0, {S("a"), N, NS}, I(1), NO_LIST},

	{OP(IN_I64), 0, 0, {I(3), NONE, NONE}, I(1), INTS},
	{OP(IN_I64), 0, 0, {I(INT64_MIN), NONE, NONE}, I(1), INTS},
	{OP(IN_I64), 0, 0, {I(8), NONE, NONE}, I(0), INTS},
	{OP(IN_I64), 0, 0, {N, NONE, NONE}, N, INTS},
	{OP(IN_I64), 0, 0, {E(DIV_ZERO), NONE, NONE}, E(DIV_ZERO), INTS},
	{OP(IN_I64), HAS_NULL, 0, {I(7), NONE, NONE}, I(1), INTS},
	{OP(IN_I64), HAS_NULL, 0, {I(8), NONE, NONE}, N, INTS},
	{OP(IN_I64), HAS_NULL, 0, {N, NONE, NONE}, N, INTS},
	{OP(IN_I64), NEGATED, 0, {I(-1), NONE, NONE}, I(0), INTS},
	{OP(IN_I64), NEGATED, 0, {I(8), NONE, NONE}, I(1), INTS},
	{OP(IN_I64), NEGATED | HAS_NULL, 0, {I(-1), NONE, NONE}, I(0), INTS},
	{OP(IN_I64), NEGATED | HAS_NULL, 0, {I(8), NONE, NONE}, N, INTS},
	{OP(IN_I64), 0, 0, {I(-9), NONE, NONE}, I(1), MANY},
	{OP(IN_I64), 0, 0, {I(11), NONE, NONE}, I(1), MANY},
	{OP(IN_I64), 0, 0, {I(12), NONE, NONE}, I(0), MANY},
	{OP(IN_I64), 0, 0, {I(-10), NONE, NONE}, I(0), MANY},
	{OP(IN_I64), 0, 0, {I(2), NONE, NONE}, I(0), MANY},
	{OP(IN_I64), 0, 0, {I(2), NONE, NONE}, I(0), NO_LIST},
	{OP(IN_I64), 0, 0, {N, NONE, NONE}, N, NO_LIST},
	{OP(IN_I64), NEGATED, 0, {I(2), NONE, NONE}, I(1), NO_LIST},
	{OP(IN_I64), NEGATED, 0, {N, NONE, NONE}, N, NO_LIST},
	{OP(IN_I64), HAS_NULL, 0, {I(2), NONE, NONE}, N, NO_LIST},
	{OP(IN_F64), 0, 0, {F(-0.0), NONE, NONE}, I(1), DOUBLES},
	{OP(IN_F64), 0, 0, {F(NAN), NONE, NONE}, I(1), DOUBLES},
	{OP(IN_F64), 0, 0, {F(-INFINITY), NONE, NONE}, I(1), DOUBLES},
	{OP(IN_F64), 0, 0, {F(INFINITY), NONE, NONE}, I(0), DOUBLES},
	{OP(IN_F64), NEGATED, 0, {F(INFINITY), NONE, NONE}, I(1), DOUBLES},
	{OP(IN_F64), 0, 0, {NF, NONE, NONE}, N, DOUBLES},
	{OP(IN_BYTES), 0, 0, {S(""), NONE, NONE}, I(1), STRINGS},
	{OP(IN_BYTES), 0, 0, {S("abc"), NONE, NONE}, I(1), STRINGS},
	{OP(IN_BYTES), 0, 0, {S("abcd"), NONE, NONE}, I(0), STRINGS},
	{OP(IN_BYTES), 0, 0, {S("a"), NONE, NONE}, I(0), STRINGS},
	{OP(IN_BYTES), 0, 0, {NS, NONE, NONE}, N, STRINGS},
	{OP(IN_BYTES), 0, 0, {ES(NEEDS_PG), NONE, NONE}, E(NEEDS_PG), STRINGS},
	{OP(IN_BYTES), HAS_NULL, 0, {S("c"), NONE, NONE}, N, STRINGS},
};

#define OPS_NCASES ((int) (sizeof(ops_cases) / sizeof(ops_cases[0])))
#define OPS_PROGRAM_BYTES 1024

static const char *const ops_names[] = {
#define X(name, sig, fn, ...) #name,
	GPUAGG_OP_LIST(X)
#undef X
};

static const char *const ops_signatures[] = {
#define X(name, sig, fn, ...) #sig,
	GPUAGG_OP_LIST(X)
#undef X
};

static inline bool
ops_is_strict(uint32_t op)
{
	return strcmp(ops_signatures[op], "SPECIAL") != 0;
}

/*
 * Has it cases here?  Not those whose argument is a look-up table: lookup_test.c; nor what no device
 * computes: device_stripe_called_cases.c, device_stripe_code_cases.c
 */
static inline bool
ops_has_cases(uint32_t op)
{
	return op < GPUAGG_OP_LOOKUP || op > GPUAGG_OP_PLACE;
}

/* Class of an instruction's result */
static inline uint8_t
ops_result_class(const OpsCase *c)
{
	const char *result = strchr(ops_signatures[c->op], '_');

	if (!ops_is_strict(c->op))
		return c->op == GPUAGG_OP_SELECT ? c->arg[1].cls :
			c->op == GPUAGG_OP_COALESCE || c->op == GPUAGG_OP_NULL_IF ?
			c->arg[0].cls : (uint8_t) GPUAGG_CLASS_I64;
	return result[1] == 'B' ? GPUAGG_CLASS_BYTES :
		result[1] == 'F' ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_I64;
}

/*
 * The program of a case, in a zeroed, 8-byte aligned block of
 * OPS_PROGRAM_BYTES: columns 0 .. 2 are its arguments, the list follows as
 * constants, the last register is the result.
 */
static inline GpuAggProgram *
ops_build(const OpsCase *c, void *memory)
{
	GpuAggProgram *p = (GpuAggProgram *) memory;
	GpuAggConst *consts;
	GpuAggInstr *ins;
	uint8_t    *classes;
	uint32_t	off = (sizeof(*p) + 7) & ~7u;

	p->version = GPUAGG_PROGRAM_VERSION;
	p->ncolumns = 3;
	p->nconsts = (uint16_t) c->nlist;
	p->ninstrs = 1;
	p->nregs = (uint16_t) (4 + c->nlist);
	p->filter_reg = GPUAGG_NO_REG;
	p->attrs_off = p->keys_off = p->transitions_off = off;
	p->instrs_off = off;
	ins = (GpuAggInstr *) ((char *) memory + off);
	p->consts_off = off + ((sizeof(GpuAggInstr) + 7) & ~7u);
	consts = (GpuAggConst *) ((char *) memory + p->consts_off);
	p->classes_off = p->consts_off + (uint32_t) c->nlist * sizeof(GpuAggConst);
	classes = (uint8_t *) memory + p->classes_off;
	off = p->classes_off + p->nregs;
	for (int i = 0; i < c->nlist; i++)
	{
		const OpsArg *m = &c->list[i];

		classes[3 + i] = m->cls;
		if (m->cls == GPUAGG_CLASS_I64)
			consts[i].v.i = m->i;
		else if (m->cls == GPUAGG_CLASS_F64)
			consts[i].v.f = m->f;
		else
		{
			consts[i].v.off = off;
			consts[i].len = m->len;
			memcpy((char *) memory + off, m->s, m->len);
			off += m->len;
		}
	}
	for (int i = 0; i < 3; i++)
		classes[i] = c->arg[i].cls;
	classes[p->nregs - 1] = ops_result_class(c);
	ins->op = c->op;
	ins->dst = (uint16_t) (p->nregs - 1);
	ins->b = 1;
	ins->c = 2;
	ins->flags = c->flags;
	ins->imm = c->list != NULL ? 0 : c->imm;
	ins->imm2 = c->nlist;
	p->bytes = off;
	return p;
}

/* Is this the wanted answer?  bytes points to the string on this machine. */
static inline bool
ops_same(const OpsCase *c, GpuAggValue got, uint8_t st, const char *bytes)
{
	if (st != c->want.st)
		return false;
	if (st != GPUAGG_ST_VALUE)
		return true;
	switch (ops_result_class(c))
	{
		case GPUAGG_CLASS_F64:
			return tap_same_double(got.f, c->want.f);
		case GPUAGG_CLASS_BYTES:
			return got.b.len == c->want.len &&
				memcmp(bytes, c->want.s, got.b.len) == 0;
		default:
			return got.i == c->want.i;
	}
}

static inline void
ops_print_arg(const char *label, const OpsArg *a)
{
	if (!a->used)
		return;
	if (a->st != GPUAGG_ST_VALUE)
		printf("# %s state %#x\n", label, a->st);
	else if (a->cls == GPUAGG_CLASS_F64)
		printf("# %s %.17g\n", label, a->f);
	else if (a->cls == GPUAGG_CLASS_BYTES)
		printf("# %s \"%.*s\"\n", label, (int) a->len, a->s);
	else
		printf("# %s %lld\n", label, (long long) a->i);
}

/* Explains a failed case as TAP diagnostics. */
static inline void
ops_explain(const OpsCase *c, GpuAggValue got, uint8_t st)
{
	printf("# %s flags %d imm %d\n", ops_names[c->op], c->flags, c->imm);
	for (int i = 0; i < 3; i++)
		ops_print_arg("argument", &c->arg[i]);
	ops_print_arg("want", &c->want);
	printf("# got state %#x, as integer %lld, as double %.17g\n", st,
		   (long long) got.i, got.f);
}

#endif							/* GPUAGG_OPS_CASES_H */
