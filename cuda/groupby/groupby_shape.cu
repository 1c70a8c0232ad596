/*
 * groupby_shape.cu
 *		What grouping in device memory derives from a program, before anything
 *		runs: the fields and steps of its rows, tables in shared memory,
 *		partitions.
 */
#include "cuda/groupby/groupby.h"

#define BLOCK_OVERHEAD GPUAGG_LOCAL_OVERHEAD

/* Fill of local tables at which runs of used slots are still short */
#define GOOD_FILL 0.15
#define MAX_FILL GPUAGG_LOCAL_MAX_FILL

/* Whole states first: they are 8 bytes aligned. */
static void
place_states(GpuAggGroupByArgs *args, bool whole)
{
	for (uint32_t i = 0; i < args->nsteps; i++)
	{
		GpuAggStep *step = &args->steps[i];

		if ((step->kind == GPUAGG_LOCAL_STATE) != whole)
			continue;
		step->local_off = (uint16_t) args->local_bytes;
		args->local_bytes += step->bytes;
	}
}

void
gpuagg_cuda_groupby_args(const GpuAggCudaPrepared *prepared, const GpuAggProgram *program,
						const GpuAggRecord *record, GpuAggGroupByArgs *args)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(program);

	memset(args, 0, sizeof(*args));
	args->seed = program->hash_seed;
	args->nkeys = program->nkeys;
	args->nsteps = program->ntransitions;
	args->row_bytes = prepared->stride;
	args->record_bytes = record->bytes;
	gpuagg_part_rows(program, record, &args->kind);
	args->has_head = record->has_head;
	args->nfields = record->nfields;
	for (uint32_t i = 0; i < record->nfields; i++)
	{
		args->fields[i].bytes = record->fields[i].bytes;
		args->fields[i].f64 = record->fields[i].cls == GPUAGG_CLASS_F64;
		args->field_off[i] = record->fields[i].off;
		args->field_reg[i] = record->fields[i].reg;
	}
	for (uint32_t i = 0; i < program->nkeys; i++)
	{
		args->key_field[i] = record->key_field[i];
		args->key_off[i] = prepared->layout.key_off[i];
	}
	for (uint32_t i = 0; i < program->ntransitions; i++)
	{
		GpuAggStep *step = &args->steps[i];
		const GpuAggLocalKind kind = gpuagg_local_kind_of(record, trans, i);

		step->op = (uint8_t) trans[i].op;
		step->field = record->arg_field[i];
		step->off = prepared->layout.state_off[i];
		step->kind = (uint8_t) kind;
		step->bytes = (uint8_t) gpuagg_local_state_bytes(kind, trans[i].op);
	}
	place_states(args, true);
	place_states(args, false);
}

GpuAggFast
gpuagg_cuda_groupby_fast(const GpuAggGroupByArgs *args, GpuAggKeyShape key)
{
	const GpuAggRowField *f = args->fields;
	const uint32_t bytes = key == GPUAGG_KEY_I32 ? 4 : 8;

	return args->kind.pairs &&
		f[0].step == 2 * bytes &&
		f[1].base - f[0].base == args->field_off[1] - args->field_off[0] ?
		GPUAGG_FAST_PAIRS : GPUAGG_FAST_NOT;
}

void
gpuagg_cuda_groupby_records(const GpuAggRecord *record, const char *records, uint64_t n,
						   GpuAggGroupByArgs *args)
{
	args->n = n;
	args->flags.base = records;
	args->flags.step = record->bytes;
	for (uint32_t i = 0; i < record->nfields; i++)
	{
		args->fields[i].base = records + record->fields[i].off;
		args->fields[i].step = record->bytes;
	}
}

static uint32_t
stage_bytes(const GpuAggGroupByConfig *config, const GpuAggGroupByArgs *args)
{
	return config->strategy == GPUAGG_GROUPBY_PARTITIONED ?
		gpuagg_local_stage_bytes(args->row_bytes) : 0;
}

static uint32_t
local_bytes(const GpuAggGroupByArgs *args, const GpuAggGroupByLocal *local)
{
	const uint32_t keys = (local->slots + 1) * local->key_bytes;
	const uint32_t states = (local->slots + 1) * local->copies * args->local_bytes;

	return (keys + 7) / 8 * 8 + (states + 7) / 8 * 8 + local->threads / 32 * local->stage_bytes;
}

/* As many slots as fit */
static void
most_slots(const GpuAggGroupByArgs *args, GpuAggKeyShape key, uint32_t room,
		   GpuAggGroupByLocal *local)
{
	room -= 16 + local->threads / 32 * local->stage_bytes;
	local->slots = gpuagg_local_good_slots(key, room / (local->key_bytes + args->local_bytes) - 1);
}

bool
gpuagg_cuda_groupby_shape(const GpuAggGroupByConfig *config, const GpuAggGroupByArgs *args,
						 GpuAggKeyShape key, double groups, GpuAggGroupByLocal *local)
{
	const uint32_t half = config->sm_bytes / 2 - BLOCK_OVERHEAD;
	uint32_t	room = config->block_bytes - BLOCK_OVERHEAD;

	local->key_bytes = key == GPUAGG_KEY_I32 ? 4 : 8;
	local->stage_bytes = stage_bytes(config, args);
	local->copies = config->local_copies > 0 ? config->local_copies : 1;
	local->threads = 512;
	local->few_rows = GPUAGG_FEW_ROWS_NOT;
	local->words = true;
	for (uint32_t i = 0; i < args->nsteps; i++)
		local->words &= args->steps[i].kind != GPUAGG_LOCAL_STATE;
	if (config->local_slots > 0)
	{
		local->slots = gpuagg_local_good_slots(key, config->local_slots);
		local->bytes = local_bytes(args, local);
		return local->bytes <= room;
	}
	room = half < room ? half : room;
	most_slots(args, key, room, local);
	if (groups > MAX_FILL * local->slots)
	{
		/* one block a multiprocessor, where that is more */
		room = config->block_bytes - BLOCK_OVERHEAD;
		local->threads = 1024;
		most_slots(args, key, room, local);
	}
	else if (groups < GOOD_FILL * local->slots)
	{
		local->slots = gpuagg_local_good_slots(
			key, groups / GOOD_FILL < 32 ? 32 : (uint32_t) (groups / GOOD_FILL));
		while (config->local_copies == 0 && local->copies < 32)
		{
			local->copies *= 2;
			if (local_bytes(args, local) <= room)
				continue;
			local->copies /= 2;
			break;
		}
	}
	local->bytes = local_bytes(args, local);
	return groups <= MAX_FILL * local->slots;
}

/* A table of keys and that many bytes a slot, in a fixed share of shared memory */
static void
few_rows_table(const GpuAggGroupByConfig *config, const GpuAggGroupByArgs *args,
			 GpuAggKeyShape key, uint32_t states, GpuAggGroupByLocal *local)
{
	memset(local, 0, sizeof(*local));
	local->threads = GPUAGG_FEW_ROWS_THREADS;
	local->copies = 1;
	local->key_bytes = gpuagg_local_key_bytes(key);
	local->words = true;
	local->stage_bytes = stage_bytes(config, args);
	local->bytes = gpuagg_few_rows_bytes(config->sm_bytes);
	local->slots = gpuagg_few_rows_slots(key, config->sm_bytes, states, local->stage_bytes,
									   config->local_slots);
}

bool
gpuagg_cuda_groupby_few_rows(const GpuAggGroupByConfig *config, const GpuAggGroupByArgs *args,
						  GpuAggKeyShape key, GpuAggGroupByLocal *few_rows,
						  GpuAggGroupByLocal *dense)
{
	const GpuAggFewRows kind = gpuagg_few_rows_kind(&args->kind, config->sm_bytes,
												 args->local_bytes, args->row_bytes,
												 (double) args->n, config->expected_groups,
												 config->local_slots);

	few_rows_table(config, args, key, args->local_bytes, dense);
	few_rows_table(config, args, key, gpuagg_few_rows_state_bytes(kind, args->local_bytes),
				   few_rows);
	few_rows->few_rows = (uint8_t) kind;
	return kind != GPUAGG_FEW_ROWS_NOT;
}

void
gpuagg_cuda_groupby_bits(const GpuAggGroupByConfig *config, const GpuAggGroupByArgs *args,
						GpuAggKeyShape key, uint32_t *bits)
{
	bits[0] = config->bits[0];
	bits[1] = config->bits[1];
	if (bits[0] == 0)
		gpuagg_part_bits(&args->kind, config->sm_bytes,
						 gpuagg_local_key_bytes(key) + args->local_bytes, args->row_bytes,
						 (double) args->n, config->expected_groups, config->local_slots, bits);
}
