/*
 * prepared_program.cu
 *		A program and what kernels derive from it, as one block of bytes that
 *		is uploaded once a task.
 */
#include <stdlib.h>

#include "cuda/kernel/kernels.h"
#include "cuda/core/cuda_device.h"
#include "device/batch_memory.h"
#include "device/ops/group.h"
#include "device/ops/stages.h"

/*
 * A string of a page may be wanted as its code (GpuAggTaskConfig.codes),
 * or, where the page is kept in a stripe, beside it.
 */
static void
prepare_columns(GpuAggCudaPrepared *prepared, const GpuAggProgram *p)
{
	const uint8_t *classes = gpuagg_program_classes(p);
	uint8_t		words[GPUAGG_MAX_REGS];
	bool		has_bytes;
	uint32_t	at = 0;

	memset(prepared->string_words, 0xFF, sizeof(prepared->string_words));
	memset(prepared->code_words, 0xFF, sizeof(prepared->code_words));
	prepared->nwords = gpuagg_batch_words(p, words, &has_bytes);
	prepared->has_bytes = has_bytes;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		prepared->column_words[c] = (uint16_t) at;
		if (words[c] == GPUAGG_DECODED_STRING_WORDS)
		{
			prepared->string_words[c] = (uint16_t) at;
			prepared->code_words[c] = (uint16_t) (at + 2);
			if (classes[c] != GPUAGG_CLASS_BYTES)
				prepared->column_words[c] = prepared->code_words[c];
		}
		at += words[c];
	}
}

static void
prepare_groups(GpuAggCudaPrepared *prepared, const GpuAggProgram *p)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	const bool	locked = gpuagg_program_has_lock(p);

	gpuagg_layout_compute(p, &prepared->layout);
	prepared->states_off = p->ntransitions > 0 ? prepared->layout.state_off[0] :
		prepared->layout.row_bytes;
	for (uint32_t i = 0; i < p->nkeys; i++)
		prepared->has_strings |= gpuagg_key_is_string(keys[i].type);
	for (uint32_t i = 0; i < p->ntransitions; i++)
		gpuagg_state_init(trans[i].op, prepared->init_row + prepared->layout.state_off[i]);
	prepared->has_strings |= locked;
	prepared->has_moments = gpuagg_program_has_moments(p);
	prepared->lock_off = locked ? prepared->layout.row_bytes : 0;
	prepared->stride = prepared->layout.row_bytes + (locked ? GPUAGG_LOCK_BYTES : 0);
}

static void
prepare_filter(GpuAggCudaPrepared *prepared, const GpuAggProgram *p)
{
	GpuAggStages stages;

	if (p->filter_reg == GPUAGG_NO_REG)
		return;
	gpuagg_stages_find(p, &stages);
	prepared->nstages = stages.n;
	memcpy(prepared->stage_reg, stages.reg, sizeof(prepared->stage_reg));
	memcpy(prepared->stage_end, stages.end, sizeof(prepared->stage_end));
}

GpuAggCudaPrepared *
gpuagg_cuda_prepare(const GpuAggProgram *program, size_t *bytes)
{
	const size_t head = gpuagg_align(sizeof(GpuAggCudaPrepared), 16);
	GpuAggCudaPrepared *prepared = (GpuAggCudaPrepared *) calloc(1, head + program->bytes);

	*bytes = head + program->bytes;
	if (prepared == NULL)
		return NULL;
	prepared->program_off = (uint32_t) head;
	memcpy((char *) prepared + head, program, program->bytes);
	prepare_columns(prepared, program);
	prepare_groups(prepared, program);
	prepare_filter(prepared, program);
	return prepared;
}
