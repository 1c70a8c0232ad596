/*
 * scoped_shape.cu
 *		What scoped grouping derives from a program, before anything runs: the
 *		fields and steps of its rows, tables in shared memory, partitions.
 */
#include "cuda/scoped.h"

#define BLOCK_OVERHEAD GPUAGG_LOCAL_OVERHEAD

/* Fill of local tables at which runs of used slots are still short */
#define GOOD_FILL 0.15
#define MAX_FILL GPUAGG_LOCAL_MAX_FILL

/* Whole states first: they are 8 bytes aligned. */
static void
place_states(GpuAggScopedArgs *args, bool whole)
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
gpuagg_cuda_scoped_args(const GpuAggPlan *plan, const GpuAggProgram *program,
						const GpuAggRecord *record, GpuAggScopedArgs *args)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(program);

	memset(args, 0, sizeof(*args));
	args->seed = program->hash_seed;
	args->nkeys = program->nkeys;
	args->nsteps = program->ntransitions;
	args->row_bytes = plan->stride;
	args->record_bytes = record->bytes;
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
		args->key_off[i] = plan->layout.key_off[i];
	}
	for (uint32_t i = 0; i < program->ntransitions; i++)
	{
		GpuAggStep *step = &args->steps[i];
		const GpuAggLocalKind kind = gpuagg_local_kind_of(record, trans, i);

		step->op = (uint8_t) trans[i].op;
		step->field = record->arg_field[i];
		step->off = plan->layout.state_off[i];
		step->kind = (uint8_t) kind;
		step->bytes = (uint8_t) gpuagg_local_state_bytes(kind, trans[i].op);
	}
	place_states(args, true);
	place_states(args, false);
}

GpuAggKeyShape
gpuagg_cuda_scoped_key(const GpuAggProgram *program, const GpuAggRecord *record)
{
	if (program->nkeys != 1 || record->has_head || record->fields[0].cls != GPUAGG_CLASS_I64)
		return GPUAGG_KEY_ANY;
	return gpuagg_local_key_is_word(program, record) ? GPUAGG_KEY_I32 : GPUAGG_KEY_I64;
}

GpuAggFast
gpuagg_cuda_scoped_fast(const GpuAggScopedArgs *args, GpuAggKeyShape key)
{
	const GpuAggRowField *f = args->fields;

	if (key != GPUAGG_KEY_I32 || args->nfields > 2)
		return GPUAGG_FAST_NOT;
	for (uint32_t i = 0; i < args->nsteps; i++)
		if (args->steps[i].kind == GPUAGG_LOCAL_STATE ||
			(args->steps[i].field != GPUAGG_NO_FIELD && args->steps[i].field != args->nfields - 1))
			return GPUAGG_FAST_NOT;
	if (args->nfields == 2 && f[1].bytes != 4)
		return GPUAGG_FAST_NOT;
	if (f[0].step == 4 && f[args->nfields - 1].step == 4)
		return GPUAGG_FAST_COLUMNS;
	return args->nfields == 2 && f[0].step == 8 && f[1].base == f[0].base + 4 ?
		GPUAGG_FAST_PAIRS : GPUAGG_FAST_NOT;
}

void
gpuagg_cuda_scoped_records(const GpuAggRecord *record, const char *records, uint64_t n,
						   GpuAggScopedArgs *args)
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
local_bytes(const GpuAggScopedArgs *args, const GpuAggScopedLocal *local)
{
	const uint32_t keys = (local->slots + 1) * local->key_bytes;

	return (keys + 7) / 8 * 8 + (local->slots + 1) * local->copies * args->local_bytes;
}

/*
 * At most so many slots: a prime number of buckets, or of slots, lest a key's
 * steps come back to where they began before they have been everywhere
 */
static uint32_t
good_slots(GpuAggKeyShape key, uint32_t max)
{
	const uint32_t each = key == GPUAGG_KEY_I32 ? GPUAGG_BUCKET_SLOTS : 1;
	uint32_t	n = max / each > 3 ? max / each : 3;

	for (;; n--)
	{
		uint32_t	i = 2;

		while (i * i <= n && n % i != 0)
			i++;
		if (i * i > n)
			return n * each;
	}
}

bool
gpuagg_cuda_scoped_shape(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
						 GpuAggKeyShape key, double groups, GpuAggScopedLocal *local)
{
	const uint32_t half = config->sm_bytes / 2 - BLOCK_OVERHEAD;
	uint32_t	room;

	local->key_bytes = key == GPUAGG_KEY_I32 ? 4 : 8;
	local->copies = config->local_copies > 0 ? config->local_copies : 1;
	local->threads = 512;
	if (config->local_slots > 0)
	{
		local->slots = good_slots(key, config->local_slots);
		local->bytes = local_bytes(args, local);
		return local->bytes <= config->block_bytes - BLOCK_OVERHEAD;
	}
	room = (half < config->block_bytes - BLOCK_OVERHEAD ? half : config->block_bytes - BLOCK_OVERHEAD);
	local->slots = good_slots(key, (room - 8) / (local->key_bytes + args->local_bytes) - 1);
	if (groups > MAX_FILL * local->slots)
	{
		/* one block a multiprocessor, where that is more */
		room = config->block_bytes - BLOCK_OVERHEAD;
		local->threads = 1024;
		local->slots = good_slots(key, (room - 8) / (local->key_bytes + args->local_bytes) - 1);
	}
	else if (groups < GOOD_FILL * local->slots)
	{
		local->slots = good_slots(key, groups / GOOD_FILL < 32 ? 32 : (uint32_t) (groups / GOOD_FILL));
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

void
gpuagg_cuda_scoped_bits(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
						GpuAggKeyShape key, uint32_t *bits)
{
	const uint32_t entry_bytes = (key == GPUAGG_KEY_I32 ? 4 : 8) + args->local_bytes;

	bits[0] = config->bits[0];
	bits[1] = config->bits[1];
	if (bits[0] == 0)
		gpuagg_radix_bits(config->expected_groups,
						  gpuagg_local_part_slots(config->sm_bytes, entry_bytes),
						  GPUAGG_RADIX_FILL, GPUAGG_RADIX_DEAR_FILL, bits);
}
