/*
 * cuda_regroup.cu
 *		Groups of a finished task, grouped once more on the card (cuda/kernel/regroup_table.cu).
 *
 * How many finer groups there are is known when they have been sized, but not how many will
 * be made.  Mostly they are few: tables for as many as are expected are tried first, then
 * larger ones, up to those with room for as many as there are finer ones, as hidden sets have
 * at once.  They are sized in the place of the finer ones.  Without memory for them, or with
 * groups that only the backend can make, the finer ones are returned; where rows were sorted, and
 * the finer ones counted instead (groupby.h), there are none that could be.
 */
#include <stdlib.h>

#include "cuda/columns/cuda_stripe.h"
#include "cuda/kernel/regroup_table.h"
#include "cuda/provider/provider.h"

struct GpuAggCudaRegroup
{
	GpuAggCudaPrepared *prepared;	/* of the groups that are made, as the host has it */
	GpuAggCudaPrepared *device_prepared;	/* of the groups that are made, as the card has it */
	size_t		prepared_bytes;
	GpuAggPinned *staging;
	GpuAggCudaPrepared *hidden; /* of the groups of hidden sets; NULL: there are none */
	GpuAggCudaPrepared *device_hidden;
	size_t		hidden_bytes;
	GpuAggPinned *hidden_staging;
	GpuAggTableRef tables[GPUAGG_REGROUPING_SETS];
	uint64_t	capacity;		/* of each, but of hidden sets and those without keys */
	char	   *heads;			/* of the tables, and the word that tells of failure */
	GpuAggPinned *report;		/* that word */
	GpuAggEvents *events;		/* around the kernels that make them */
	GpuAggResultStrings *strings;	/* of the finer groups, while others have the task's */
	GpuAggTableRef *finer;
	uint32_t	nfiner;
	uint64_t	groups;			/* of the finer ones */
	bool		made;			/* results are the groups that were made */
};

/*
 * Entries of a table that is tried first, at least: sets of few groups are far smaller than what
 * they are made of; and so many times as large is the next one, if it was too small
 */
#define FIRST_CAPACITY ((uint64_t) 8192)
#define NEXT_CAPACITY 64

static size_t
heads_bytes(const GpuAggTask *task)
{
	return gpuagg_cuda_align(task->config.regrouping.nsets * sizeof(GpuAggTableHead) +
							 sizeof(uint32_t));
}

static uint32_t *
failed_word(const GpuAggTask *task)
{
	return (uint32_t *) (task->regroup->heads +
						 task->config.regrouping.nsets * sizeof(GpuAggTableHead));
}

static bool
is_hidden(const GpuAggTask *task, int32_t set)
{
	return gpuagg_regrouping_is_hidden(&task->config.regrouping, set);
}

/* What rows of a set are laid out by */
static const GpuAggCudaPrepared *
prepared_of(const GpuAggTask *task, int32_t set)
{
	if (set == GPUAGG_REGROUPING_FINER)
		return task->prepared;
	return is_hidden(task, set) ? task->regroup->hidden : task->regroup->prepared;
}

static const GpuAggCudaPrepared *
device_prepared_of(const GpuAggTask *task, int32_t set)
{
	return is_hidden(task, set) ? task->regroup->device_hidden : task->regroup->device_prepared;
}

static bool
is_lone(const GpuAggTask *task, uint32_t set)
{
	return task->config.regrouping.sets[set].keys == 0;
}

bool
gpuagg_cuda_regroup_counted(const GpuAggTask *task)
{
	return task->groupby != NULL && gpuagg_cuda_groupby_counted(task->groupby);
}

/* ---------- begin ---------- */

static GpuAggCudaPrepared *
made_prepared(const GpuAggTask *task, bool hidden, size_t *bytes)
{
	const GpuAggRegrouping *wish = &task->config.regrouping;
	GpuAggProgram *program = (GpuAggProgram *) malloc(
		gpuagg_regrouping_program_bytes(wish, hidden));
	GpuAggCudaPrepared *prepared = NULL;

	if (program == NULL)
		return NULL;
	gpuagg_regrouping_program(wish, gpuagg_cuda_program(task->prepared), hidden, program);
	prepared = gpuagg_cuda_prepare(program, bytes);
	free(program);
	return prepared;
}

/* Are these groups that kernels can make?  Strings would need a table's arena. */
static bool
can_make(const GpuAggCudaPrepared *prepared)
{
	return prepared != NULL && !prepared->has_strings &&
		prepared->stride <= GPUAGG_REGROUP_LONE_BYTES;
}

static bool
make_prepared(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;

	r->prepared = made_prepared(task, false, &r->prepared_bytes);
	if (!can_make(r->prepared))
		return false;
	if (task->config.regrouping.nhidden == 0)
		return true;
	r->hidden = made_prepared(task, true, &r->hidden_bytes);
	return can_make(r->hidden);
}

static uint64_t
capacity_for(uint64_t groups)
{
	uint64_t	capacity = 2;

	while (capacity < 2 * groups)
		capacity *= 2;
	return capacity;
}

static uint64_t
set_capacity(const GpuAggTask *task, uint32_t set)
{
	if (is_lone(task, set))
		return 1;
	return is_hidden(task, (int32_t) set) ? capacity_for(task->regroup->groups) :
		task->regroup->capacity;
}

static bool
table_make(GpuAggTask *task, uint32_t set, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;
	GpuAggTableRef *t = &r->tables[set];
	const uint64_t capacity = set_capacity(task, set);
	const uint64_t bytes = capacity * prepared_of(task, (int32_t) set)->stride;
	const GpuAggLaunch launch = gpuagg_cuda_launch(&task->device->launches,
												   &gpuagg_cuda_grow_kernels[0], bytes / 8);

	t->slots = (char *) gpuagg_cuda_alloc(task, bytes, task->streams->group, error);
	if (t->slots == NULL)
		return false;
	t->capacity = capacity;
	t->limit = capacity;
	t->head = (GpuAggTableHead *) r->heads + set;
	gpuagg_cuda_table_init(device_prepared_of(task, (int32_t) set), t, false, &launch,
						   task->streams->group);
	return true;
}

/* Empty tables of all sets, so large */
static bool
tables_make(GpuAggTask *task, uint64_t capacity, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;

	r->capacity = capacity;
	if (!CUDA_OK(task->device,
				 cudaMemsetAsync(r->heads, 0, heads_bytes(task), task->streams->group), error))
		return false;
	for (uint32_t i = 0; i < task->config.regrouping.nsets; i++)
		if (!table_make(task, i, error))
			return false;
	return CUDA_LAUNCHED(task->device, error);
}

static void
tables_free(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	for (uint32_t i = 0; i < task->config.regrouping.nsets; i++)
		if (r->tables[i].slots != NULL)
			gpuagg_cuda_free(task, r->tables[i].slots,
							 r->tables[i].capacity * prepared_of(task, (int32_t) i)->stride,
							 stream);
	memset(r->tables, 0, sizeof(r->tables));
}

/* Of those whose tables are as large as the groups are expected to be many */
static uint64_t
expected_stride(const GpuAggTask *task)
{
	uint64_t	stride = 0;

	for (uint32_t i = 0; i < task->config.regrouping.nsets; i++)
		if (!is_lone(task, i) && !is_hidden(task, (int32_t) i))
			stride += prepared_of(task, (int32_t) i)->stride;
	return stride;
}

/* Of hidden sets, whose tables have room for as many groups as they are made of */
static uint64_t
hidden_bytes(const GpuAggTask *task)
{
	uint64_t	bytes = 0;

	for (uint32_t i = 0; i < task->config.regrouping.nsets; i++)
		if (!is_lone(task, i) && is_hidden(task, (int32_t) i))
			bytes += set_capacity(task, i) * prepared_of(task, (int32_t) i)->stride;
	return bytes;
}

/* Half of the memory that hidden sets leave is for what comes behind. */
static uint64_t
first_capacity(const GpuAggTask *task)
{
	const double expected = task->config.expected_made;
	const uint64_t most = capacity_for(task->regroup->groups);
	const uint64_t hidden = hidden_bytes(task);
	const uint64_t free_bytes = gpuagg_cuda_memory_left(task);
	const uint64_t left = free_bytes > hidden ? (free_bytes - hidden) / 2 : 0;
	const uint64_t stride = expected_stride(task);
	uint64_t	capacity = FIRST_CAPACITY;

	while (capacity < most && capacity < 2 * expected && 2 * capacity * stride <= left)
		capacity *= 2;
	return capacity < most ? capacity : most;
}

/* If a GPU has no memory for as large ones as are expected, the groups may be fewer. */
static bool
first_tables_make(GpuAggTask *task, GpuAggError *error)
{
	const uint64_t capacity = first_capacity(task);

	if (tables_make(task, capacity, error))
		return true;
	if (error->status != GPUAGG_OUT_OF_MEMORY || capacity <= FIRST_CAPACITY)
		return false;
	memset(error, 0, sizeof(*error));
	tables_free(task);
	return tables_make(task, FIRST_CAPACITY, error);
}

static bool
memory_make(GpuAggTask *task, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;
	cudaStream_t stream = task->streams->group;

	r->device_prepared = gpuagg_cuda_task_upload(task, r->prepared, r->prepared_bytes, &r->staging,
												 error);
	r->heads = (char *) gpuagg_cuda_alloc(task, heads_bytes(task), stream, error);
	r->report = gpuagg_cuda_pin(task->device, sizeof(uint32_t), error);
	r->events = gpuagg_cuda_events(task->device, error);
	if (r->hidden != NULL)
		r->device_hidden = gpuagg_cuda_task_upload(task, r->hidden, r->hidden_bytes,
												   &r->hidden_staging, error);
	return r->device_prepared != NULL && (r->hidden == NULL || r->device_hidden != NULL) &&
		r->heads != NULL && r->report != NULL && r->events != NULL &&
		first_tables_make(task, error);
}

/* ---------- grouping ---------- */

static void
set_launch(GpuAggTask *task, uint32_t set)
{
	GpuAggCudaRegroup *r = task->regroup;
	const GpuAggRegrouping *wish = &task->config.regrouping;
	const int32_t parent = wish->sets[set].parent;
	const bool	finer = parent == GPUAGG_REGROUPING_FINER;
	GpuAggCudaRegrouping launch = {};

	launch.made = device_prepared_of(task, set);
	launch.failed = failed_word(task);
	launch.from_stride = prepared_of(task, parent)->stride;
	launch.to = r->tables[set];
	gpuagg_regrouping_plan(wish, set, gpuagg_cuda_program(task->prepared),
						   gpuagg_cuda_program(r->prepared),
						   r->hidden != NULL ? gpuagg_cuda_program(r->hidden) : NULL, &launch.plan);
	if (finer && gpuagg_cuda_regroup_counted(task))
		gpuagg_regrouping_counted(&launch.plan);
	if (is_lone(task, set) && !wish->grouped)
		gpuagg_cuda_regroup_lone_group(&launch, task->streams->group);
	for (uint32_t i = 0; i < (finer ? r->nfiner : 1); i++)
	{
		launch.from = finer ? r->finer[i] : r->tables[parent];
		gpuagg_cuda_regroup(&launch, is_lone(task, set), prepared_of(task, set)->stride,
							prepared_of(task, set)->states_off,
							task->device->launches.sms * GPUAGG_REGROUP_BLOCKS,
							task->streams->group);
	}
}

/* Groups over codes get their strings by the programs of those that are made. */
static bool
strings_make(GpuAggTask *task, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;
	GpuAggProgram *program;
	bool		ok;

	if (task->strings == NULL)
		return true;
	program = (GpuAggProgram *) malloc(
		gpuagg_regrouping_program_bytes(&task->config.regrouping, false));
	if (program == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	gpuagg_regrouping_program(&task->config.regrouping, task->strings->program, false, program);
	r->strings = task->strings;
	task->strings = NULL;
	ok = gpuagg_cuda_strings_make(task, program, NULL, r->device_prepared, r->prepared, error);
	free(program);
	return ok;
}

static void
strings_back(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;

	if (r->strings == NULL)
		return;
	gpuagg_cuda_strings_free(task);
	task->strings = r->strings;
	r->strings = NULL;
}

static bool
launch_all(GpuAggTask *task, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;
	cudaStream_t stream = task->streams->group;

	if (!CUDA_OK(task->device, cudaEventRecord(r->events->group, stream), error))
		return false;
	for (uint32_t i = task->config.regrouping.nsets; i-- > 0;)
		set_launch(task, i);
	return CUDA_LAUNCHED(task->device, error) &&
		CUDA_OK(task->device, cudaEventRecord(r->events->grouped, stream), error) &&
		CUDA_OK(task->device, cudaMemcpyAsync(r->report->data, failed_word(task), sizeof(uint32_t),
											  cudaMemcpyDeviceToHost, stream), error);
}

/* Frees all but what tells of it. */
static void
memory_free(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;
	cudaStream_t stream = task->streams != NULL ? task->streams->group : NULL;

	tables_free(task);
	gpuagg_cuda_free(task, r->heads, heads_bytes(task), stream);
	gpuagg_cuda_free(task, r->device_prepared, r->prepared_bytes, stream);
	gpuagg_cuda_free(task, r->device_hidden, r->hidden_bytes, stream);
	r->heads = NULL;
	r->device_prepared = r->device_hidden = NULL;
}

/* The finer groups are returned; false: what failed is not memory, or they are no groups. */
static bool
give_up(GpuAggTask *task, GpuAggError *error)
{
	strings_back(task);
	memory_free(task);
	if (error->status != GPUAGG_OUT_OF_MEMORY || gpuagg_cuda_regroup_counted(task))
		return false;
	memset(error, 0, sizeof(*error));
	return true;
}

/* What is made is the backend's to make; false: it cannot. */
static bool
not_made(const GpuAggTask *task, GpuAggError *error)
{
	if (!gpuagg_cuda_regroup_counted(task))
		return true;
	gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	return false;
}

bool
gpuagg_cuda_regroup_launch(GpuAggTask *task, bool *launched, GpuAggError *error)
{
	GpuAggCudaRegroup *r;

	*launched = false;
	if (task->config.regrouping.nsets == 0 || task->regroup != NULL || task->making != NULL)
		return true;
	r = task->regroup = (GpuAggCudaRegroup *) calloc(1, sizeof(*r));
	if (r == NULL)
		return not_made(task, error);
	r->groups = task->groups;
	r->finer = task->tables;
	r->nfiner = task->ntables;
	if (!make_prepared(task))
		return not_made(task, error);
	if (!memory_make(task, error) || !strings_make(task, error) || !launch_all(task, error))
		return give_up(task, error);
	task->tables = r->tables;
	task->ntables = gpuagg_regrouping_returned(&task->config.regrouping);
	r->made = true;
	*launched = true;
	return true;
}

/* The finer groups are the task's again. */
static void
finer_back(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;

	r->made = false;
	task->tables = r->finer;
	task->ntables = r->nfiner;
}

/* Hidden sets are made again each time, and have all groups at once. */
static uint64_t
next_capacity(const GpuAggTask *task, uint64_t most)
{
	const uint64_t capacity = task->regroup->capacity;

	return task->config.regrouping.nhidden == 0 && capacity < most / NEXT_CAPACITY ?
		capacity * NEXT_CAPACITY :
		most;
}

/* Larger tables than those that were too small; as large as may be needed only where they fit */
static bool
next_tables_make(GpuAggTask *task, uint64_t most, GpuAggError *error)
{
	const uint64_t larger = task->regroup->capacity * NEXT_CAPACITY;
	const uint64_t next = next_capacity(task, most);

	if (tables_make(task, next, error))
		return true;
	if (error->status != GPUAGG_OUT_OF_MEMORY || larger >= next)
		return false;
	memset(error, 0, sizeof(*error));
	tables_free(task);
	return tables_make(task, larger, error);
}

bool
gpuagg_cuda_regroup_made(GpuAggTask *task, bool *again, GpuAggError *error)
{
	GpuAggCudaRegroup *r = task->regroup;
	const uint64_t most = r != NULL ? capacity_for(r->groups) : 0;
	uint32_t	failed;

	*again = false;
	if (r == NULL || !r->made)
		return true;
	task->stats.kernel_ns += gpuagg_cuda_elapsed(r->events->group, r->events->grouped);
	memcpy(&failed, r->report->data, sizeof(failed));
	if (failed == 0)
		return true;
	*again = true;
	tables_free(task);
	if (r->capacity < most)
	{
		if (next_tables_make(task, most, error) && launch_all(task, error))
			return true;
		finer_back(task);
		return give_up(task, error);
	}
	finer_back(task);
	strings_back(task);
	memory_free(task);
	return not_made(task, error);
}

bool
gpuagg_cuda_regrouped(const GpuAggTask *task)
{
	return task->regroup != NULL && task->regroup->made;
}

uint64_t
gpuagg_cuda_regroup_finer(const GpuAggTask *task)
{
	return gpuagg_cuda_regrouped(task) ? task->regroup->groups : task->groups;
}

const GpuAggCudaPrepared *
gpuagg_cuda_returned(const GpuAggTask *task, const GpuAggCudaPrepared **there)
{
	if (!gpuagg_cuda_regrouped(task))
	{
		*there = task->device_prepared;
		return task->prepared;
	}
	*there = task->regroup->device_prepared;
	return task->regroup->prepared;
}

void
gpuagg_cuda_regroup_free(GpuAggTask *task)
{
	GpuAggCudaRegroup *r = task->regroup;

	if (r == NULL)
		return;
	strings_back(task);
	memory_free(task);
	gpuagg_cuda_unpin(task->device, r->staging);
	gpuagg_cuda_unpin(task->device, r->hidden_staging);
	gpuagg_cuda_unpin(task->device, r->report);
	gpuagg_cuda_events_free(task->device, r->events);
	free(r->hidden);
	free(r->prepared);
	free(r);
	task->regroup = NULL;
}
