/*
 * results_finals.c
 *		The table of the kinds of finished values (results_finals.h).
 */
#include "postgres.h"

#include "node/result/result_kinds.h"
#include "node/result/results_finals.h"

#define gpuagg_init_none NULL
#define gpuagg_judge_none NULL

static const GpuAggBeside besides[] = {
	[GPUAGG_BESIDE_NONE] = NULL,
	[GPUAGG_BESIDE_COUNT] = gpuagg_beside_count,
	[GPUAGG_BESIDE_SUM] = gpuagg_beside_sum,
	[GPUAGG_BESIDE_AVERAGE] = gpuagg_beside_average,
	[GPUAGG_BESIDE_EXTREME] = gpuagg_beside_extreme,
	[GPUAGG_BESIDE_VARIANCE] = gpuagg_beside_variance,
	[GPUAGG_BESIDE_PARTIAL] = gpuagg_beside_partial
};

typedef struct GpuAggFinalCalls
{
	void		(*init) (GPUAGG_INIT_ARGS);
	GpuAggEmit	emit;
	GpuAggJudge judge;
} GpuAggFinalCalls;

static const GpuAggFinalCalls calls[] = {
#define X(kind, of, argument, count, order, cost, beside, init, emit, judge) \
	[GPUAGG_FINAL_##kind] = {gpuagg_init_##init, gpuagg_emit_##emit, gpuagg_judge_##judge},
	GPUAGG_FINAL_LIST(X)
#undef X
};

void
gpuagg_emitter_take(GpuAggEmitter *emitter, int final)
{
	emitter->emit = calls[final].emit;
	emitter->judge = calls[final].judge;
	emitter->beside = besides[gpuagg_final_traits(final)->beside];
	emitter->optional = gpuagg_final_traits(final)->count == GPUAGG_COUNT_SELF;
}

void
gpuagg_emitter_init(GPUAGG_INIT_ARGS)
{
	if (calls[output->final].init != NULL)
		calls[output->final].init(results, program, output, expr, emitter);
}
