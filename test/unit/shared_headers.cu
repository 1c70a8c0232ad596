/*
 * shared_headers.cu
 *		Proof that every header which host and GPU share is CUDA C++17:
 *
 *		nvcc -c -std=c++17 -arch=sm_75 -fmad=false -Werror all-warnings \
 *			-Xcompiler -Wall,-Wextra -I src test/unit/shared_headers.cu
 *
 * A header can parse and still not work in device code, so the kernel uses
 * what each of them offers.
 */
#include "device/choice/draw_plan.h"
#include "device/common.h"
#include "device/device.h"
#include "device/layout.h"
#include "device/ops/draw.h"
#include "device/ops/eval.h"
#include "device/ops/group.h"
#include "device/ops/hash.h"
#include "device/ops/ops.h"
#include "device/ops/ops_bytes.h"
#include "device/ops/ops_datetime.h"
#include "device/ops/ops_float.h"
#include "device/ops/ops_int.h"
#include "device/ops/ops_interval.h"
#include "device/ops/ops_zone.h"
#include "device/ops/page.h"
#include "device/ops/sample.h"
#include "device/program.h"
#include "device/transition.h"

/* One thread per program: registers and states of MAX_REGS each */
__global__ void
shared_headers_kernel(const GpuAggProgram *program, GpuAggValue *regs,
					  uint8_t *states, GpuAggLayout *layout, int64_t *order)
{
	uint32_t	t = blockIdx.x * blockDim.x + threadIdx.x;
	GpuAggValue *reg = regs + (size_t) t * GPUAGG_MAX_REGS;
	uint8_t    *st = states + (size_t) t * GPUAGG_MAX_REGS;

	gpuagg_eval_constants(program, reg, st);
	gpuagg_eval(program, 0, program->ninstrs, reg, st);
	order[t] = gpuagg_f64_order(gpuagg_f64_unorder(reg[0].i));
	if (t == 0)
		gpuagg_layout_compute(program, layout);
	if (gpuagg_key_is_string(gpuagg_program_keys(program)->type) ||
		gpuagg_transition_is_string(gpuagg_program_transitions(program)->op))
		order[t] += gpuagg_program_noutputs(program);
}

/* One thread per page: its first key, hashed, stored and counted */
__global__ void
shared_page_kernel(const GpuAggProgram *program, const char *pages,
				   char *states, uint64_t *hashes)
{
	uint32_t	t = blockIdx.x * blockDim.x + threadIdx.x;
	const char *page = pages + (size_t) t * GPUAGG_PAGE_BYTES;
	const GpuAggAttr *attr = gpuagg_program_attrs(program);
	char	   *state = states + (size_t) t * 3 * sizeof(GpuAggStringSlot);
	char	   *key = state + 2 * sizeof(GpuAggStringSlot);
	GpuAggTuple tuple;
	GpuAggBytes bytes = {NULL, 0};
	uint32_t	off = 0;
	uint32_t	len;

	if (!gpuagg_page_line_visible(NULL, 0) ||
		gpuagg_page_tuple(page, 0, &tuple) != GPUAGG_LINE_TUPLE ||
		gpuagg_tuple_attr(&tuple, attr, 0, &off, &bytes.data, &len) !=
		GPUAGG_FETCH_VALUE)
		return;
	bytes.len = len;
	gpuagg_key_store_bytes(attr->type, key, bytes);
	hashes[t] = gpuagg_hash_finish(gpuagg_key_word_bytes(attr->type, bytes,
														 program->hash_seed));
	for (uint32_t op = 0; op < GPUAGG_TRANS_MOMENTS_F64; op++)
	{
		gpuagg_state_init(op, state);
		if (op < GPUAGG_TRANS_MIN_BYTES || op > GPUAGG_TRANS_MAX_INET)
			gpuagg_state_step_i64(op, state,
								  gpuagg_load_i64(attr->type, bytes.data));
		gpuagg_state_merge(op, state + sizeof(GpuAggStringSlot), state);
	}
	hashes[t] += gpuagg_key_slots_equal(attr->type, key, state);
}

/* One thread per line pointer: is it in the sample? */
__global__ void
shared_sample_kernel(const GpuAggSample sample, uint32_t block, uint8_t *chosen)
{
	uint32_t	line = blockIdx.x * blockDim.x + threadIdx.x;

	chosen[line] = sample.method == GPUAGG_SAMPLE_SYSTEM ?
		gpuagg_sample_has_block(&sample, block) :
		!gpuagg_sample_of_lines(&sample) || gpuagg_sample_has_line(&sample, block, line + 1);
}

/* One thread per draw: its row, and whether that is in a window */
__global__ void
shared_draw_kernel(const GpuAggDraws draws, const GpuAggDrawWindow window, uint64_t *rows)
{
	uint64_t	draw = blockIdx.x * blockDim.x + threadIdx.x;

	rows[draw] = gpuagg_draw_within(&window, gpuagg_draw_bits(draws.key, draw)) ?
		gpuagg_draw_row(&draws, draw) : draws.rows;
}
