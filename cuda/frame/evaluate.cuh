/*
 * evaluate.cuh
 *		The words that a program's text is written in: how values are taken from
 *		columns, constants and operators, each with its state.
 *
 * Register n is v<n>, of the C type of its class, and s<n>, its state.  Operators
 * are called as device/ops/eval.h does: strict ones answer only for values; of
 * numbers they are total, so they run anyway and their result is put aside.  What
 * can never be NULL or an error has states that the compiler knows, and the tests
 * for them are gone.
 *
 * Compiles for the host, too, where the tests compare it with the interpreter.
 */
#ifndef GPUAGG_CUDA_FRAME_EVALUATE_CUH
#define GPUAGG_CUDA_FRAME_EVALUATE_CUH

#include "cuda/frame/handle.cuh"
#include "cuda/frame/quads.cuh"
#include "cuda/kernel/atomics.h"
#include "device/ops/group.h"

/* ---------- columns ---------- */

GPUAGG_FN GpuAggBytes
frame_string(GpuAggBytes *const *strings, uint32_t code, uint8_t state)
{
	GpuAggBytes none = {NULL, 0};

	return state != GPUAGG_ST_VALUE ? none :
		strings[code / GPUAGG_STRING_BLOCK][code % GPUAGG_STRING_BLOCK];
}

/* Column n of a row: where it is, four rows of it, one of them */
#define GPUAGG_COLUMN(type, n) type p##n; const uint32_t *z##n;
#define GPUAGG_COLUMN_TEXT(type, n) GPUAGG_COLUMN(type, n) GpuAggBytes *const *t##n;
#define GPUAGG_OPEN(n) frame_open(columns[n], first, &k.p##n); k.z##n = columns[n].nulls;
#define GPUAGG_OPEN_TEXT(n) GPUAGG_OPEN(n) k.t##n = columns[n].strings;
#define GPUAGG_QUAD_OF(type, n) type c##n; uint32_t z##n;
#define GPUAGG_LOAD(n) quad_load(k.p##n, at, &q.c##n); q.z##n = quad_nulls(k.p##n, k.z##n, at);
#define GPUAGG_UNPACK(n) quad_unpack(k.p##n, at, &q.c##n);
#define GPUAGG_TAKE(n, type, q) \
	const type v##n = quad_at(q.c##n.v, r); \
	const uint8_t s##n = q.z##n >> r & GPUAGG_ST_NULL;
#define GPUAGG_TAKE_TEXT(n, q) \
	const uint8_t s##n = q.z##n >> r & GPUAGG_ST_NULL; \
	const GpuAggBytes v##n = frame_string(k.t##n, (uint32_t) quad_at(q.c##n.v, r), s##n);

/* The code of a row's string */
#define GPUAGG_CODE(n, q) (uint32_t) quad_at(q.c##n.v, r)

template <typename V, typename Stored, bool NULLS, bool ERRORS>
GPUAGG_FN V
frame_fetch(const GpuAggFrameFetched &c, int64_t row, uint8_t *st)
{
	return gpuagg_lookup_there(NULLS ? c.nulls : NULL, ERRORS ? c.errors : NULL, c.nrows, row, st) ?
		((const Stored *) c.values)[row] : 0;
}

/* ---------- stages of a filter ---------- */

template <uint32_t S>
struct FrameStage
{
};

/* A row that was looked up, for later stages: its number, or, with the highest bit, a state */
#define FRAME_FOUND_STATE 0x80000000u

#define GPUAGG_FOUND(n) uint32_t f##n[GPUAGG_QUAD];
#define GPUAGG_KEEP(n) \
	quad_put(found.f##n, r, s##n == GPUAGG_ST_VALUE ? (uint32_t) v##n & ~FRAME_FOUND_STATE : \
			 FRAME_FOUND_STATE | s##n);
#define GPUAGG_KEPT(n) \
	const int64_t v##n = quad_at(found.f##n, r); \
	const uint8_t s##n = v##n & FRAME_FOUND_STATE ? (uint8_t) v##n : GPUAGG_ST_VALUE;

/* The filter of a row that is left is true, or NULL. */
#define GPUAGG_SO_FAR(n) \
	const int64_t v##n = 1; \
	const uint8_t s##n = *nulls >> r & GPUAGG_ST_NULL;

/* ---------- constants ---------- */

#define GPUAGG_CONST(n, type, field, i) \
	const type v##n = a.consts[i].field; \
	const uint8_t s##n = GPUAGG_ST_VALUE;
#define GPUAGG_CONST_NULL(n, type) \
	const type v##n = {}; \
	const uint8_t s##n = GPUAGG_ST_NULL;

/* ---------- strict operators ---------- */

/* Of numbers */
#define GPUAGG_TOTAL(n, type, state, call) \
	type v##n; \
	uint8_t s##n = (uint8_t) (state); \
	{ \
		uint8_t e = GPUAGG_ST_VALUE; \
		v##n = call; \
		if (s##n == GPUAGG_ST_VALUE) \
			s##n = e; \
	}

/* Of strings, which may point anywhere unless all are values */
#define GPUAGG_GUARDED(n, type, state, call) \
	type v##n = {}; \
	uint8_t s##n = (uint8_t) (state); \
	if (s##n == GPUAGG_ST_VALUE) \
	{ \
		uint8_t e = GPUAGG_ST_VALUE; \
		v##n = call; \
		s##n = e; \
	}

#define GPUAGG_DO_I_I(n, fn, x) GPUAGG_TOTAL(n, int64_t, s##x, fn(v##x, &e))
#define GPUAGG_DO_II_I(n, fn, x, y) GPUAGG_TOTAL(n, int64_t, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_FF_I(n, fn, x, y) GPUAGG_TOTAL(n, int64_t, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_FF_F(n, fn, x, y) GPUAGG_TOTAL(n, double, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_F_F(n, fn, x) GPUAGG_TOTAL(n, double, s##x, fn(v##x, &e))
#define GPUAGG_DO_I_F(n, fn, x) GPUAGG_TOTAL(n, double, s##x, fn(v##x, &e))
#define GPUAGG_DO_F_I(n, fn, x) GPUAGG_TOTAL(n, int64_t, s##x, fn(v##x, &e))
#define GPUAGG_DO_I_I_IMM(n, fn, x) GPUAGG_TOTAL(n, int64_t, s##x, fn(v##x, &e, &i##n))
#define GPUAGG_DO_BB_I(n, fn, x, y) GPUAGG_GUARDED(n, int64_t, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_BB_F(n, fn, x, y) GPUAGG_GUARDED(n, double, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_BB_B(n, fn, x, y) \
	GPUAGG_GUARDED(n, GpuAggBytes, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_IB_I(n, fn, x, y) GPUAGG_GUARDED(n, int64_t, s##x | s##y, fn(v##x, v##y, &e))
#define GPUAGG_DO_B_I(n, fn, x) GPUAGG_GUARDED(n, int64_t, s##x, fn(v##x, &e))
#define GPUAGG_DO_B_B(n, fn, x) GPUAGG_GUARDED(n, GpuAggBytes, s##x, fn(v##x, &e))
#define GPUAGG_DO_BI_B_IMM(n, fn, x, y) \
	GPUAGG_GUARDED(n, GpuAggBytes, s##x | s##y, fn(v##x, v##y, &e, &i##n))
#define GPUAGG_DO_BII_B_IMM(n, fn, x, y, z) \
	GPUAGG_GUARDED(n, GpuAggBytes, s##x | s##y | s##z, fn(v##x, v##y, v##z, &e, &i##n))
#define GPUAGG_DO_BB_I_IMM(n, fn, x, y) \
	GPUAGG_GUARDED(n, int64_t, s##x | s##y, fn(v##x, v##y, &e, &i##n))
#define GPUAGG_DO_IIB_I(n, fn, x, y, z) \
	GPUAGG_GUARDED(n, int64_t, s##x | s##y | s##z, fn(v##x, v##y, v##z, &e))
#define GPUAGG_DO_IB_I_IMM(n, fn, x, y) \
	GPUAGG_GUARDED(n, int64_t, s##x | s##y, fn(v##x, v##y, &e, &i##n))
#define GPUAGG_DO_IB_F_IMM(n, fn, x, y) \
	GPUAGG_GUARDED(n, double, s##x | s##y, fn(v##x, v##y, &e, &i##n))
#define GPUAGG_DO_IB_B_IMM(n, fn, x, y) \
	GPUAGG_GUARDED(n, GpuAggBytes, s##x | s##y, fn(v##x, v##y, &e, &i##n))

/* Look-ups that the text knows the place of: the row of key x in table t; of row x column c */
#define GPUAGG_DO_LOOKUP_BITS(n, x, t) \
	GPUAGG_GUARDED(n, int64_t, s##x, \
				   gpuagg_lookup_bit(a.tables[t].bits, a.tables[t].first, a.tables[t].span, \
									 v##x, &e))
#define GPUAGG_DO_FETCH(n, type, stored, x, c) \
	GPUAGG_GUARDED(n, type, s##x, (frame_fetch<type, stored, false, false>(a.fetched[c], v##x, &e)))
#define GPUAGG_DO_FETCH_NULLS(n, type, stored, x, c) \
	GPUAGG_GUARDED(n, type, s##x, (frame_fetch<type, stored, true, false>(a.fetched[c], v##x, &e)))
#define GPUAGG_DO_FETCH_ERRORS(n, type, stored, x, c) \
	GPUAGG_GUARDED(n, type, s##x, (frame_fetch<type, stored, true, true>(a.fetched[c], v##x, &e)))

/* What of an instruction such operators look at, and IN lists */
#define GPUAGG_IMM(n, op, flags, imm) \
	const GpuAggInstr i##n = {op, 0, 0, 0, 0, flags, imm, 0};
#define GPUAGG_IMM_LIST(d, op, flags, l) \
	const GpuAggInstr i##d = {op, 0, 0, 0, 0, flags, 0, (int32_t) a.lists[l].n};

/* ---------- the others ---------- */

#define GPUAGG_DO_AND(n, x, y) \
	uint8_t s##n; \
	const int64_t v##n = gpuagg_eval_and(v##x, s##x, v##y, s##y, &s##n);
#define GPUAGG_DO_OR(n, x, y) \
	uint8_t s##n; \
	const int64_t v##n = gpuagg_eval_or(v##x, s##x, v##y, s##y, &s##n);
#define GPUAGG_DO_TEST(n, op, value, x) \
	uint8_t s##n; \
	const int64_t v##n = gpuagg_eval_test(op, value, s##x, &s##n);
#define GPUAGG_DO_SELECT(n, type, x, y, z) \
	uint8_t s##n; \
	const int c##n = gpuagg_eval_choose(GPUAGG_OP_SELECT, s##x == GPUAGG_ST_VALUE && v##x, \
										s##x, 0, s##y, s##z, &s##n); \
	const type v##n = c##n == 1 ? v##y : v##z;
#define GPUAGG_DO_COALESCE(n, type, x, y) \
	uint8_t s##n; \
	const int c##n = gpuagg_eval_choose(GPUAGG_OP_COALESCE, 0, s##x, 0, s##y, 0, &s##n); \
	const type v##n = c##n == 1 ? v##y : v##x;
#define GPUAGG_DO_NULL_IF(n, type, x, y) \
	uint8_t s##n; \
	(void) gpuagg_eval_choose(GPUAGG_OP_NULL_IF, 0, s##x, v##y, s##y, 0, &s##n); \
	const type v##n = v##x;
#define GPUAGG_DO_DISTINCT(n, x, y, z) \
	uint8_t s##n; \
	const int64_t v##n = gpuagg_eval_distinct(s##x, v##y, s##y, s##z, &s##n);
#define GPUAGG_DO_IN(n, find, x) \
	uint8_t s##n; \
	const int64_t v##n = gpuagg_eval_in(s##x == GPUAGG_ST_VALUE && find, s##x, &i##n, &s##n);
#define GPUAGG_FIND(fn, l, x) fn(a.lists[l].members, (int32_t) a.lists[l].n, v##x)
#define GPUAGG_FIND_BYTES(l, x) \
	gpuagg_find_bytes(a.program, a.lists[l].members, (int32_t) a.lists[l].n, v##x)

/* ---------- what a row is for ---------- */

/* An error that is consumed here ends the task. */
GPUAGG_FN bool
frame_consume(uint8_t state, uint32_t *errors)
{
	*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
	return state == GPUAGG_ST_VALUE;
}

GPUAGG_FN bool
frame_passes(int64_t value, uint8_t state, uint32_t *errors)
{
	return frame_consume(state, errors) && value != 0;
}

/* Behind a stage that is not the last: may the filter still be true, or an error? */
GPUAGG_FN bool
frame_is_left(int64_t value, uint8_t state, uint32_t r, uint32_t *nulls, uint32_t *errors)
{
	*errors |= state & ~(uint32_t) GPUAGG_ST_NULL;
	*nulls = (*nulls & ~(1u << r)) | (uint32_t) (state & GPUAGG_ST_NULL) << r;
	return state == GPUAGG_ST_NULL || (state == GPUAGG_ST_VALUE && value != 0);
}

/* A double that only PostgreSQL averages does not enter. */
GPUAGG_FN bool
frame_averages(double value, uint32_t *errors)
{
	if (!gpuagg_f64_needs_pg(value))
		return true;
	*errors |= GPUAGG_ST_NEEDS_PG;
	return false;
}

/* A string that has no handle does not enter: PostgreSQL's. */
GPUAGG_FN bool
frame_holds(GpuAggBytes value, uint32_t *errors)
{
	if (frame_has_handle(value))
		return true;
	*errors |= GPUAGG_ST_NEEDS_PG;
	return false;
}

/* What enters moments of two */
typedef struct FramePair
{
	double		y;
	double		x;
} FramePair;

/* Keys of a row that are not in shared memory yet */
GPUAGG_FN uint64_t
frame_key_word(double d)
{
	return gpuagg_key_word_f64(d);
}

GPUAGG_FN uint64_t
frame_key_word(int64_t i)
{
	return (uint64_t) i;
}

/* A string as a key's slot, which points to where it lies; NULL is nothing. */
GPUAGG_FN void
frame_key_store(uint32_t type, char *slot, GpuAggBytes b, bool null)
{
	if (null)
		memset(slot, 0, sizeof(GpuAggStringSlot));
	else
		gpuagg_key_store_bytes(type, slot, b);
}

GPUAGG_FN bool
frame_key_equal(uint32_t type, const char *slot, GpuAggBytes b)
{
	GpuAggBytes there = {slot, 16};

	if (type != GPUAGG_T_UUID)
		there = gpuagg_string_slot_bytes(slot);
	if (type == GPUAGG_T_BPCHAR)
	{
		b = gpuagg_bpchar_trim(b);
		there = gpuagg_bpchar_trim(there);
	}
	return b.len == there.len && gpuagg_memcmp(b.data, there.data, b.len) == 0;
}

#endif							/* GPUAGG_CUDA_FRAME_EVALUATE_CUH */
