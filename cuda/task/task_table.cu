/*
 * task_table.cu
 *		A task's program on the card, and its group table: where it lies, and how it grows.
 */
#include <stdlib.h>

#include "cuda/task/task.h"

/* Entries of the smallest table: fewer would only grow at once. */
#define TABLE_MIN_ENTRIES ((uint64_t) 1 << 16)

/* The first arena, and what it is for each expected group */
#define ARENA_MIN_BYTES ((size_t) 1 << 20)
#define ARENA_MAX_FIRST ((size_t) 256 << 20)
#define ARENA_GROUP_BYTES 32

/*
 * A group table of so many bytes at most lies behind the program: one allocation, and one
 * copy that brings its empty head along.  What grows beyond leaves it unused.
 */
#define TABLE_WITH_PROGRAM ((size_t) 4 << 20)

/* A warp has a copy of its own at best. */
#define LOCAL_MAX_COPIES (GPUAGG_GROUP_THREADS / 32)

static uint64_t
power_of_two(double n)
{
	uint64_t	p = 1;

	while ((double) p < n && p < (uint64_t) 1 << 40)
		p *= 2;
	return p;
}

static bool
table_alloc(GpuAggTask *task, uint64_t capacity, GpuAggTableRef *table,
			size_t *bytes, GpuAggError *error)
{
	*bytes = capacity * task->prepared->stride;
	table->capacity = capacity;
	table->limit = capacity > 1 ? capacity / 2 : 1;
	table->slots = (char *) gpuagg_cuda_alloc(task, *bytes, task->streams->group, error);
	return table->slots != NULL;
}

/* Does it lie behind the program, and go with that? */
static bool
with_program(const GpuAggTask *task, const void *p)
{
	const char *from = (const char *) task->device_prepared;

	return from != NULL && (const char *) p >= from &&
		(const char *) p < from + task->prepared_bytes;
}

static void
slots_free(GpuAggTask *task, cudaStream_t stream)
{
	if (!with_program(task, task->table.slots))
		gpuagg_cuda_free(task, task->table.slots, task->table_bytes, stream);
}

/* Entries of a task's first table; more groups than rows is nobody's estimate. */
static uint64_t
first_capacity(const GpuAggTask *task, const GpuAggTaskConfig *config)
{
	double		entries = 2 * config->expected_groups;
	uint64_t	capacity;

	if (task->prepared->layout.nkeys == 0)
		return 1;
	if (entries > 2 * config->expected_rows && config->expected_rows > 0)
		entries = 2 * config->expected_rows;
	capacity = power_of_two(entries);
	return capacity < TABLE_MIN_ENTRIES ? TABLE_MIN_ENTRIES : capacity;
}

/* Every entry empty: enqueued */
static void
table_init(GpuAggTask *task, const GpuAggTableRef *table, bool plain)
{
	const uint64_t words = table->capacity * (task->prepared->stride / 8);
	const GpuAggLaunch launch = gpuagg_cuda_launch(&task->device->launches,
												   &gpuagg_cuda_grow_kernels[0], words);

	gpuagg_cuda_table_init(task->device_prepared, table, plain, &launch, task->streams->group);
}

static bool
arena_alloc(GpuAggTask *task, size_t bytes, GpuAggError *error)
{
	GpuAggTableRef *t = &task->table;
	GpuAggArena *full = NULL;
	char	   *data = (char *) gpuagg_cuda_alloc(task, bytes, task->streams->group, error);

	if (data == NULL)
		return false;
	if (t->arena != NULL)
	{
		full = (GpuAggArena *) malloc(sizeof(*full));
		if (full == NULL)
		{
			gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
			gpuagg_cuda_free(task, data, bytes, task->streams->group);
			return false;
		}
		full->data = t->arena;
		full->bytes = t->arena_bytes;
		full->next = task->arenas;
		task->arenas = full;
	}
	t->arena = data;
	t->arena_bytes = bytes;
	return CUDA_OK(task->device,
				   cudaMemsetAsync(&t->head->arena_used, 0, 2 * sizeof(t->head->arena_used),
								   task->streams->group), error);
}

static void
local_choose(GpuAggTask *task, double groups)
{
	const GpuAggCudaPrepared *p = task->prepared;
	GpuAggLocalShape *local = &task->local;

	memset(local, 0, sizeof(*local));
	if (task->forced == GPUAGG_STRATEGY_SINGLE_PASS)
		return;
	local->capacity = gpuagg_page_local_entries(groups, p->layout.nkeys > 0, p->stride,
												p->states_off, p->lock_off != 0,
												task->forced == GPUAGG_STRATEGY_BLOCK_LOCAL);
	if (local->capacity == 0)
		return;
	local->copies = 1;
	while (local->copies < LOCAL_MAX_COPIES &&
		   2 * local->copies * local->capacity * p->stride <= GPUAGG_LOCAL_MAX_BYTES)
		local->copies *= 2;
	local->limit = local->capacity == 1 ? 1 : local->capacity * 3 / 4;
}

void
gpuagg_cuda_task_blocks(GpuAggTask *task)
{
	const GpuAggProgram *program = gpuagg_cuda_program(task->prepared);
	const bool	wide = gpuagg_cuda_scratch_bytes(program, 1) > 0;
	const bool	local = task->local.capacity > 0;
	const GpuAggKernelRef *ref = program->select ? &gpuagg_cuda_select_kernels[wide] :
		&gpuagg_cuda_group_kernels[2 * local + wide];

	task->batch_blocks = gpuagg_cuda_batch_blocks(&task->device->launches, ref,
												  gpuagg_cuda_local_bytes(&task->local,
																		  task->prepared->stride));
}

void
gpuagg_cuda_task_local(GpuAggTask *task, double groups)
{
	local_choose(task, groups);
	gpuagg_cuda_task_blocks(task);
}

/* A table of its own */
static bool
table_begin(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	uint64_t	capacity = first_capacity(task, config);

	task->table.head = (GpuAggTableHead *)
		gpuagg_cuda_alloc(task, sizeof(GpuAggTableHead), task->streams->group, error);
	if (task->table.head == NULL ||
		!CUDA_OK(task->device,
				 cudaMemsetAsync(task->table.head, 0, sizeof(GpuAggTableHead),
								 task->streams->group), error))
		return false;
	/* an estimate that does not fit is no reason not to try */
	while (!table_alloc(task, capacity, &task->table, &task->table_bytes, error))
	{
		if (error->status != GPUAGG_OUT_OF_MEMORY || capacity <= TABLE_MIN_ENTRIES)
			return false;
		capacity /= 2;
	}
	memset(error, 0, sizeof(*error));
	return true;
}

bool
gpuagg_cuda_task_table_begin(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	const bool	plain = task->prepared->layout.nkeys == 0;
	double		arena = config->expected_groups * ARENA_GROUP_BYTES;

	if (arena < (double) ARENA_MIN_BYTES)
		arena = (double) ARENA_MIN_BYTES;
	if (arena > (double) ARENA_MAX_FIRST)
		arena = (double) ARENA_MAX_FIRST;

	task->table.hash_window = config->hash_window;
	if (task->table.head == NULL && !table_begin(task, config, error))
		return false;
	if (task->prepared->has_strings && !arena_alloc(task, (size_t) arena, error))
		return false;
	table_init(task, &task->table, plain);
	if (config->forced)
		task->forced = (GpuAggStrategy) config->strategy;
	gpuagg_cuda_task_local(task, config->expected_groups);
	task->strategy = plain ? "plain" :
		gpuagg_strategy_name(task->local.capacity > 0 ? GPUAGG_STRATEGY_BLOCK_LOCAL :
							 GPUAGG_STRATEGY_SINGLE_PASS);
	return CUDA_LAUNCHED(task->device, error);
}

void
gpuagg_cuda_task_table_free(GpuAggTask *task)
{
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	while (task->arenas != NULL)
	{
		GpuAggArena *arena = task->arenas;

		task->arenas = arena->next;
		gpuagg_cuda_free(task, arena->data, arena->bytes, stream);
		free(arena);
	}
	gpuagg_cuda_free(task, task->table.arena, task->table.arena_bytes, stream);
	slots_free(task, stream);
	if (!with_program(task, task->table.head))
		gpuagg_cuda_free(task, task->table.head, sizeof(GpuAggTableHead), stream);
	memset(&task->table, 0, sizeof(task->table));
	task->table_bytes = 0;
}

/*
 * Room for so many groups, or four times those that are there, if memory
 * allows.  The old table is read, and freed, in the order of the stream.
 */
static GpuAggStatus
table_grow(GpuAggTask *task, uint64_t count, uint64_t groups, GpuAggError *error)
{
	const uint64_t least = power_of_two(2.0 * (double) groups);
	uint64_t	capacity = power_of_two(8.0 * (double) count);
	GpuAggTableRef next = task->table;
	GpuAggLaunch launch;
	size_t		bytes;

	if (capacity < least)
		capacity = least;
	while (!table_alloc(task, capacity, &next, &bytes, error))
	{
		if (error->status != GPUAGG_OUT_OF_MEMORY || capacity <= least)
			return error->status;
		capacity /= 2;
	}
	memset(error, 0, sizeof(*error));
	table_init(task, &next, false);
	launch = gpuagg_cuda_launch(&task->device->launches, &gpuagg_cuda_grow_kernels[1],
								task->table.capacity);
	gpuagg_cuda_table_move(task->device_prepared, &task->table, &next, &launch,
						   task->streams->group);
	slots_free(task, task->streams->group);
	task->table = next;
	task->table_bytes = bytes;
	return CUDA_LAUNCHED(task->device, error) ? GPUAGG_OK : error->status;
}

GpuAggStatus
gpuagg_cuda_task_grow(GpuAggTask *task, const GpuAggTableHead *head, uint64_t more,
					  GpuAggError *error)
{
	const size_t need = (size_t) head->arena_need;

	task->generation++;
	if (need > 0)
	{
		size_t		bytes = 2 * task->table.arena_bytes;

		if (!arena_alloc(task, bytes > 4 * need ? bytes : 4 * need, error))
			return error->status;
	}

	/* strings alone may have been the reason */
	if (need > 0 && head->count < task->table.limit)
		return GPUAGG_OK;
	return table_grow(task, head->count, head->count + more, error);
}

/* ---------- the program ---------- */

/* Rows are kept from the start: there is no table. */
static bool
defers(const GpuAggTaskConfig *config)
{
	return config->strategy < GPUAGG_NSTRATEGIES &&
		(GPUAGG_STRATEGY_BIT(config->strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;
}

/* The program, and behind it a small table with an empty head.  False, without an error: not so. */
static bool
upload_with_table(GpuAggTask *task, const GpuAggTaskConfig *config, GpuAggError *error)
{
	const size_t program = task->prepared_bytes;
	const size_t head = gpuagg_cuda_align(program);
	const size_t upload = head + sizeof(GpuAggTableHead);
	const uint64_t capacity = first_capacity(task, config);
	const size_t slots = gpuagg_cuda_align(upload);
	char	   *there;

	if (gpuagg_cuda_program(task->prepared)->select || defers(config) ||
		upload > GPUAGG_CUDA_STAGED_MOST || capacity > TABLE_WITH_PROGRAM / task->prepared->stride)
		return false;
	there = (char *) gpuagg_cuda_alloc(task, slots + capacity * task->prepared->stride,
									   task->streams->group, error);
	if (there == NULL)
	{
		if (error->status == GPUAGG_OUT_OF_MEMORY)
			memset(error, 0, sizeof(*error));
		return false;
	}
	/* from here on it is the task's, whatever happens */
	task->device_prepared = (GpuAggCudaPrepared *) there;
	task->prepared_bytes = slots + capacity * task->prepared->stride;
	task->prepared_staging = gpuagg_cuda_pin(task->device, upload, error);
	if (task->prepared_staging == NULL)
		return false;
	memcpy(task->prepared_staging->data, task->prepared, program);
	memset(task->prepared_staging->data + program, 0, upload - program);
	if (!CUDA_OK(task->device, cudaMemcpyAsync(there, task->prepared_staging->data, upload,
											  cudaMemcpyHostToDevice, task->streams->group), error))
		return false;
	task->table.head = (GpuAggTableHead *) (there + head);
	task->table.slots = there + slots;
	task->table.capacity = capacity;
	task->table.limit = capacity > 1 ? capacity / 2 : 1;
	return true;
}

bool
gpuagg_cuda_task_program_upload(GpuAggTask *task, const GpuAggTaskConfig *config,
								GpuAggError *error)
{
	if (upload_with_table(task, config, error))
		return true;
	if (error->status != GPUAGG_OK)
		return false;
	task->device_prepared = gpuagg_cuda_task_upload(task, task->prepared, task->prepared_bytes,
												&task->prepared_staging, error);
	return task->device_prepared != NULL;
}
