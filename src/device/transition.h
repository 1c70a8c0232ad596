/*
 * transition.h
 *		Aggregate transitions: the primitive states that every device keeps
 *		for a group, how a value enters one and how two are merged.
 *
 *		X(name, state bytes, argument class)
 *
 * Aggregates of SQL are built from these (planner/catalogue/aggregates.def): avg(int4)
 * is SUM_I64 and COUNT of the same argument, and the planner merges equal
 * transitions, and lets some serve for others (planner/lower/lower_share.c).  "No value yet" is not
 * a state: whoever needs to tell an empty sum or minimum from a real one asks for a COUNT beside
 * it.
 *
 *	COUNT		rows whose argument is not NULL; all rows without an argument
 *	SUM_I64		two's complement 64-bit, as PostgreSQL's sum(int2|int4)
 *	SUM_I128	exact, as PostgreSQL's sum(int8): {uint64 low, int64 high}
 *	SUM_F64		double.  Infinite from finite inputs: the client notices (see
 *				node/result/results.c) and lets PostgreSQL decide
 *	SUM_F64_AVG the same for avg(float), and for a sum beside it: an argument with
 *				|x| > 1e145, finite, consumes GPUAGG_ST_NEEDS_PG, because PostgreSQL
 *				also keeps the sum of squares there and may report its overflow
 *	MIN/MAX_I64	initial INT64_MAX / INT64_MIN
 *	MIN/MAX_F64	NaN is the greatest; kept as gpuagg_f64_order() (int64)
 *	MIN/MAX_BYTES	memcmp order; 16-byte slot as a key's (layout.h)
 *	MIN/MAX_BPCHAR	the same, ignoring trailing blanks
 *	MIN/MAX_INET	the same, in the order of networks (ops_types.h)
 *	AND/OR/XOR_I64	initial -1 / 0 / 0; bool_and, bool_or, bit_and, ...
 *	MOMENTS_F64	N, sum, and sum of squares around the mean, doubles: {N, Sx, Sxx},
 *				as PostgreSQL's float8_accum, and a word of the device's
 *	FIRST_F64	no state: the first argument, y, of the transition behind it, which
 *				is COMOMENTS_F64 and has the same filter
 *	COMOMENTS_F64	the same of two arguments, of which both must be there, as in
 *				float8_regr_accum: {N, Sx, Sxx, Sy, Syy, Sxy}, and two such words
 *
 * A value changes several words of moments at once, and each by the others, so a row of
 * moments must be one thread's.  A device whose threads share rows keeps them in a form
 * that its threads can add to, with a shift in the last words, and finishes them before
 * groups leave it (ops/moment_state.h).  The limit of SUM_F64_AVG holds for their arguments,
 * too.
 */
#ifndef GPUAGG_DEVICE_TRANSITION_H
#define GPUAGG_DEVICE_TRANSITION_H

#include "program.h"

#define GPUAGG_TRANSITION_LIST(X) \
	X(COUNT, 8, I64) \
	X(SUM_I64, 8, I64) \
	X(SUM_I128, 16, I64) \
	X(SUM_F64, 8, F64) \
	X(SUM_F64_AVG, 8, F64) \
	X(MIN_I64, 8, I64) \
	X(MAX_I64, 8, I64) \
	X(MIN_F64, 8, F64) \
	X(MAX_F64, 8, F64) \
	X(MIN_BYTES, 16, BYTES) \
	X(MAX_BYTES, 16, BYTES) \
	X(MIN_BPCHAR, 16, BYTES) \
	X(MAX_BPCHAR, 16, BYTES) \
	X(MIN_INET, 16, BYTES) \
	X(MAX_INET, 16, BYTES) \
	X(AND_I64, 8, I64) \
	X(OR_I64, 8, I64) \
	X(XOR_I64, 8, I64) \
	X(MOMENTS_F64, 32, F64) \
	X(FIRST_F64, 0, F64) \
	X(COMOMENTS_F64, 64, F64)

/* Bytes of a state, at most */
#define GPUAGG_MAX_STATE_BYTES 64

typedef enum GpuAggTransOp
{
#define X(name, bytes, cls) GPUAGG_TRANS_##name,
	GPUAGG_TRANSITION_LIST(X)
#undef X
	GPUAGG_NTRANSITIONS
} GpuAggTransOp;

/* Does PostgreSQL also keep squares of the argument, which may overflow? */
GPUAGG_FN bool
gpuagg_transition_squares(uint32_t op)
{
	return op == GPUAGG_TRANS_SUM_F64_AVG || op >= GPUAGG_TRANS_MOMENTS_F64;
}

/* Does a program want moments? */
GPUAGG_FN bool
gpuagg_program_has_moments(const GpuAggProgram *p)
{
	bool		found = false;

	for (uint32_t i = 0; i < p->ntransitions; i++)
		found |= gpuagg_program_transitions(p)[i].op >= GPUAGG_TRANS_MOMENTS_F64;
	return found;
}

/*
 * Order-preserving image of a double in int64 (NaN above +infinity, all NaNs
 * alike, -0 just below 0), and its inverse.
 */
GPUAGG_FN int64_t
gpuagg_f64_order(double d)
{
	int64_t		i;

	if (d != d)
		return INT64_MAX;
	memcpy(&i, &d, sizeof(i));
	return i >= 0 ? i : (int64_t) (~(uint64_t) i ^ UINT64_C(0x8000000000000000));
}

GPUAGG_FN double
gpuagg_f64_unorder(int64_t o)
{
	double		d;
	int64_t		i = o >= 0 ? o : (int64_t) (~((uint64_t) o ^ UINT64_C(0x8000000000000000)));

	if (o == INT64_MAX)
		i = INT64_C(0x7FF8000000000000);
	memcpy(&d, &i, sizeof(d));
	return d;
}

#endif							/* GPUAGG_DEVICE_TRANSITION_H */
