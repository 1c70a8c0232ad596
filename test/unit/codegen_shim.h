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

#include "cuda/frame/evaluate.cuh"
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
	pass(const GpuAggFrameArgs &a, const typename P::Columns &k, const typename P::Early &q, typename P::More &m,
		 typename P::Found &found, uint32_t at, uint32_t r, uint32_t *nulls, uint32_t *errors)
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

template <typename P, int KIND>
static void
codegen_rows(const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns, uint32_t at, CodegenRow *out)
{
	typename P::Columns k;
	typename P::Early q;
	typename P::More m;
	typename P::Found found;
	typename P::Late l;
	uint32_t	nulls = 0;

	P::open(columns, k);
	P::early(k, at, q);
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
		Keys<P, KIND>::take(row, a.seed, out);
	}
}

typedef void (*CodegenRows) (const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns, uint32_t at,
							 CodegenRow *out);
#endif

#endif							/* GPUAGG_TEST_CODEGEN_SHIM_H */
