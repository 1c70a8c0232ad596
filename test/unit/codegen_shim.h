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

template <typename P, int KIND>
static void
codegen_rows(const GpuAggFrameArgs &a, const GpuAggStripeColumn *columns, uint32_t at, CodegenRow *out)
{
	typename P::Columns k;
	typename P::Early q;
	typename P::Late l;

	P::open(columns, k);
	P::early(k, at, q);
	P::late(k, at, l);
	for (uint32_t r = 0; r < GPUAGG_QUAD; r++, out++)
	{
		typename P::Row row = {};
		Recorder	recorder = {out, 0};

		out->passed = P::passes(a, k, q, r, &out->errors);
		out->ready = out->passed && P::row(a, k, q, l, r, row, &out->errors);
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
