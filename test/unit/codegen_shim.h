/*
 * codegen_shim.h
 *		Programs' texts as C++ of the host: what they mean, row by row, for
 *		codegen_test.c, which writes a file that includes this and has it compiled.
 */
#ifndef GPUAGG_TEST_CODEGEN_SHIM_H
#define GPUAGG_TEST_CODEGEN_SHIM_H

#include "codegen_row.h"

#ifdef __cplusplus
#define __host__
#define __device__
#define __forceinline__ inline

#include "cuda/frame/held.cuh"
#include "cuda/frame/number.cuh"

/* Transitions in their order: does the row enter, and with what? */
struct Recorder
{
	CodegenRow *row;
	uint32_t	n;

	template <uint32_t OP, uint32_t OFF, typename V>
	void
	step(bool enters, V v)
	{
		row->enters[n] = enters;
		memcpy(&row->values[n++], &v, sizeof(v));
	}

	template <uint32_t OP, uint32_t OFF>
	void
	step(bool enters, GpuAggBytes v)
	{
		row->enters[n] = enters;
		row->values[n++] = enters ? gpuagg_hash_bytes(v.data, v.len, CODEGEN_STRING_SEED) : 0;
	}

	template <uint32_t OP, uint32_t OFF>
	void
	step(bool enters, FramePair v)
	{
		memcpy(&row->firsts[n], &v.y, sizeof(v.y));
		step<OP, OFF>(enters, v.x);
	}
};

/* States that are held, as a group's */
struct StatesOut
{
	const FrameHeld *held;
	char		(*to)[GPUAGG_MAX_STATE_BYTES];

	template <uint32_t OP, uint32_t I, uint32_t OFF, uint32_t STATE_OFF>
	void
	state(void)
	{
		gpuagg_state_init(OP, *to);
		if (!frame_is_string(OP))
			gpuagg_state_merge_shared(OP, *to, (const char *) &held[I]);
		else if (held[I].low != FRAME_NO_STRING)
			gpuagg_string_slot_store(*to, frame_handle_string(held[I].low));
		to++;
	}
};

/* Rows enter what one thread holds, and, by turns, what each of two does. */
template <typename P>
struct Threads
{
	FrameRegisters<P> one;
	FrameRegisters<P> two[2];

	void
	begin(void)
	{
		P::hold(one);
		P::hold(two[0]);
		P::hold(two[1]);
	}

	void
	enter(const typename P::Row &row, uint32_t n)
	{
		(void) one.enter(row);
		(void) two[n % 2].enter(row);
	}

	void
	end(CodegenStates *states)
	{
		FrameJoin<P> join = {two[0], two[1]};
		StatesOut	alone = {one.held, states->one};
		StatesOut	joined = {two[0].held, states->joined};

		P::hold(join);
		P::states(alone);
		P::states(joined);
	}
};

/* What of a program's rows there is to be told */
enum
{
	CODEGEN_PLAIN, CODEGEN_KEYS, CODEGEN_RECORDS
};

template <typename P, int KIND>
struct Records
{
	static void
	take(const typename P::Row &row, CodegenRow *out)
	{
		static_assert(P::RECORD_BYTES <= sizeof(out->record), "a record has room");
		P::record(row, out->record);
	}
};

template <typename P>
struct Records<P, CODEGEN_KEYS>
{
	static void
	take(const typename P::Row &, CodegenRow *)
	{
	}
};

/* The number of a row's group, of programs that have them */
template <typename P, bool NUMBERED>
struct Numbers
{
	static void
	take(const GpuAggFrameArgs &a, const typename P::Row &row, CodegenRow *out)
	{
		out->numbered = P::number(a, row, &out->number);
	}
};

template <typename P>
struct Numbers<P, false>
{
	static void
	take(const GpuAggFrameArgs &, const typename P::Row &, CodegenRow *)
	{
	}
};

template <typename P, int KIND>
struct Keys
{
	static void
	take(const typename P::Row &row, uint64_t seed, CodegenRow *out)
	{
		out->nulls = P::nulls(row);
		out->hash = P::hash(row, seed);
		P::store(row, out->entry);
		out->equal = P::equal(row, out->entry);
		Records<P, KIND>::take(row, out);
	}
};

template <typename P>
struct Keys<P, CODEGEN_PLAIN>
{
	static void
	take(const typename P::Row &, uint64_t, CodegenRow *)
	{
	}
};

/* A row through the stages of its filter from S on, as walk.cuh has it */
template <typename P, uint32_t S>
struct Stages
{
	static bool
	pass(const GpuAggFrameArgs &a, const typename P::Columns &k, const typename P::Early &q,
		 typename P::More &m, typename P::Found &found, uint32_t at, uint32_t r, uint32_t *nulls,
		 uint32_t *errors)
	{
		if constexpr (S > 0)
			P::more(k, at, m, FrameStage<S>());
		if (!P::passes(a, k, q, m, found, r, nulls, errors, FrameStage<S>()))
			return false;
		if constexpr (S + 1 < P::STAGES)
			return Stages<P, S + 1>::pass(a, k, q, m, found, at, r, nulls, errors);
		return true;
	}
};

template <typename P, int KIND, bool NUMBERED>
static void
codegen_quad(const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns, uint32_t at,
			 CodegenRow *out, Threads<P> &threads)
{
	typename P::Columns k;
	typename P::Early q;
	typename P::More m;
	typename P::Found found;
	typename P::Late l;
	uint32_t	nulls = 0;

	P::open(columns, at / GPUAGG_FRAME_GRANULE * GPUAGG_FRAME_GRANULE, k);
	P::early(k, at, q);
	P::unpack(k, at, q);
	P::late(k, at, l);
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++, out++)
	{
		typename P::Row row = {};
		Recorder	recorder = {out, 0};

		out->passed = Stages<P, 0>::pass(a, k, q, m, found, at, r, &nulls, &out->errors);
		out->ready = out->passed && P::row(a, k, q, m, found, l, r, row, &out->errors);
		if (!out->ready)
			continue;
		P::step(recorder, row);
		threads.enter(row, r);
		Keys<P, KIND>::take(row, a.seed, out);
		Numbers<P, NUMBERED>::take(a, row, out);
	}
}

template <typename P, int KIND, bool NUMBERED>
static void
codegen_rows(const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns, uint32_t first,
			 uint32_t nrows, CodegenRow *out, CodegenStates *states)
{
	static Threads<P> threads;

	threads.begin();
	for (uint32_t at = 0; at < nrows; at += GPUAGG_QUAD)
		codegen_quad<P, KIND, NUMBERED>(a, columns, first + at, out + at, threads);
	threads.end(states);
}

typedef void (*CodegenRows)(const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns,
							uint32_t first, uint32_t nrows, CodegenRow *out,
							CodegenStates *states);
#endif

#endif							/* GPUAGG_TEST_CODEGEN_SHIM_H */
