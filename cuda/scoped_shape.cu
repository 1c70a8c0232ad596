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

/*
 * Rows of an expected group below which groups are sparse (scoped_sparse.cuh);
 * slots that their steps need, the fill at which probes are still few, blocks
 * of a multiprocessor
 */
#define SPARSE_ROWS 16
#define SPARSE_SLOTS 64
#define SPARSE_FILL 0.8
#define SPARSE_BLOCKS 2
#define SPARSE_THREADS 512

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

bool
gpuagg_cuda_scoped_is_fast(const GpuAggScopedArgs *args, GpuAggKeyShape key)
{
	if (key == GPUAGG_KEY_ANY || args->nfields > 2)
		return false;
	for (uint32_t i = 0; i < args->nsteps; i++)
		if (args->steps[i].kind == GPUAGG_LOCAL_STATE ||
			(args->steps[i].field != GPUAGG_NO_FIELD && args->steps[i].field != args->nfields - 1))
			return false;
	return args->nfields < 2 || args->fields[1].bytes == 4;
}

GpuAggFast
gpuagg_cuda_scoped_fast(const GpuAggScopedArgs *args, GpuAggKeyShape key)
{
	const GpuAggRowField *f = args->fields;
	const uint32_t bytes = key == GPUAGG_KEY_I32 ? 4 : 8;

	return gpuagg_cuda_scoped_is_fast(args, key) && args->nfields == 2 &&
		f[0].step == 2 * bytes &&
		f[1].base - f[0].base == args->field_off[1] - args->field_off[0] ?
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
stage_bytes(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args)
{
	return config->strategy == GPUAGG_SCOPED_PARTITIONED ?
		gpuagg_local_stage_bytes(args->row_bytes) : 0;
}

static uint32_t
local_bytes(const GpuAggScopedArgs *args, const GpuAggScopedLocal *local)
{
	const uint32_t keys = (local->slots + 1) * local->key_bytes;
	const uint32_t states = (local->slots + 1) * local->copies * args->local_bytes;

	return (keys + 7) / 8 * 8 + (states + 7) / 8 * 8 + local->threads / 32 * local->stage_bytes;
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

/* As many slots as fit */
static void
most_slots(const GpuAggScopedArgs *args, GpuAggKeyShape key, uint32_t room, GpuAggScopedLocal *local)
{
	room -= 16 + local->threads / 32 * local->stage_bytes;
	local->slots = good_slots(key, room / (local->key_bytes + args->local_bytes) - 1);
}

bool
gpuagg_cuda_scoped_shape(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
						 GpuAggKeyShape key, double groups, GpuAggScopedLocal *local)
{
	const uint32_t half = config->sm_bytes / 2 - BLOCK_OVERHEAD;
	uint32_t	room = config->block_bytes - BLOCK_OVERHEAD;

	local->key_bytes = key == GPUAGG_KEY_I32 ? 4 : 8;
	local->stage_bytes = stage_bytes(config, args);
	local->copies = config->local_copies > 0 ? config->local_copies : 1;
	local->threads = 512;
	local->sparse = GPUAGG_SPARSE_NOT;
	local->words = true;
	for (uint32_t i = 0; i < args->nsteps; i++)
		local->words &= args->steps[i].kind != GPUAGG_LOCAL_STATE;
	if (config->local_slots > 0)
	{
		local->slots = good_slots(key, config->local_slots);
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

/* Rows of one integer key and one int4 argument, few for each group? */
static GpuAggSparse
sparse_kind(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args, GpuAggKeyShape key)
{
	uint32_t	kinds = 0;

	if (config->strategy != GPUAGG_SCOPED_PARTITIONED || args->nfields != 2 ||
		config->expected_groups * SPARSE_ROWS <= (double) args->n ||
		!gpuagg_cuda_scoped_is_fast(args, key) || stage_bytes(config, args) == 0)
		return GPUAGG_SPARSE_NOT;
	for (uint32_t i = 0; i < args->nsteps; i++)
		kinds |= 1u << args->steps[i].kind;
	return args->nsteps == 2 && kinds == (1u << GPUAGG_LOCAL_COUNT | 1u << GPUAGG_LOCAL_SUM) ?
		GPUAGG_SPARSE_PACKED : GPUAGG_SPARSE_WORDS;
}

/* A table of keys and that many bytes a slot, in a fixed share of shared memory */
static void
sparse_table(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
			 GpuAggKeyShape key, uint32_t states, GpuAggScopedLocal *local)
{
	uint32_t	most;

	memset(local, 0, sizeof(*local));
	local->threads = SPARSE_THREADS;
	local->copies = 1;
	local->key_bytes = key == GPUAGG_KEY_I32 ? 4 : 8;
	local->words = true;
	local->stage_bytes = stage_bytes(config, args);
	local->bytes = (config->sm_bytes / SPARSE_BLOCKS - BLOCK_OVERHEAD) / 16 * 16;
	most = (local->bytes - 16 - local->threads / 32 * local->stage_bytes) /
		(local->key_bytes + states) - 1;
	local->slots = good_slots(key, config->local_slots > 0 && config->local_slots < most ?
							  config->local_slots : most);
}

bool
gpuagg_cuda_scoped_sparse(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
						  GpuAggKeyShape key, GpuAggScopedLocal *sparse,
						  GpuAggScopedLocal *dense)
{
	const GpuAggSparse kind = sparse_kind(config, args, key);

	sparse_table(config, args, key, args->local_bytes, dense);
	sparse_table(config, args, key,
				 kind == GPUAGG_SPARSE_PACKED ? 8 : args->local_bytes, sparse);
	if (sparse->slots >= SPARSE_SLOTS)
		sparse->sparse = (uint8_t) kind;
	return sparse->sparse != GPUAGG_SPARSE_NOT;
}

void
gpuagg_cuda_scoped_bits(const GpuAggScopedConfig *config, const GpuAggScopedArgs *args,
						GpuAggKeyShape key, uint32_t *bits)
{
	const uint32_t entry_bytes = (key == GPUAGG_KEY_I32 ? 4 : 8) + args->local_bytes;
	GpuAggScopedLocal sparse;
	GpuAggScopedLocal dense;
	const bool	is_sparse = gpuagg_cuda_scoped_sparse(config, args, key, &sparse, &dense);
	uint32_t	all;

	bits[0] = config->bits[0];
	bits[1] = config->bits[1];
	if (bits[0] > 0)
		return;
	if (is_sparse)
		gpuagg_radix_bits(config->expected_groups, sparse.slots, SPARSE_FILL, SPARSE_FILL, bits);
	else
		gpuagg_radix_bits(config->expected_groups,
						  gpuagg_local_part_slots(config->sm_bytes, entry_bytes, args->row_bytes),
						  GPUAGG_RADIX_FILL, GPUAGG_RADIX_DEAR_FILL, bits);
	/* half of what a partition may have, lest skew makes others of many */
	all = bits[0] + bits[1];
	while (is_sparse && args->n >> all > GPUAGG_SPARSE_MAX_ROWS / 2)
		all++;
	gpuagg_radix_levels(all, bits);
}
