/*
 * compiled_path.cu
 *		Which frame a program over stripes is compiled with, and launches of its
 *		kernel.
 */
#include <stdlib.h>

#include "cuda/columns/resident.h"

/* What a kernel's arguments take at most, on any card */
static_assert(sizeof(GpuAggFrameArgs) <= 4096, "arguments of a kernel");

/* Blocks of a multiprocessor with groups in shared memory, and what is not ours of it */
#define SHARED_BLOCKS 2
#define BLOCK_OVERHEAD 2048

/*
 * Bytes of shared memory up to which groups have copies: more take longer to add up
 * than they save.
 */
#define COPIES_BYTES (48 << 10)

/* Entries for numbers stay in the card's cache. */
#define DENSE_BYTES (UINT64_C(32) << 20)

/*
 * What a row takes, where the planner has not told: by the interpreter, and each of
 * its instructions; compiled, each byte of a column.  Nanoseconds, of an H200.
 */
#define INTERPRETED_NS 0.05
#define INSTRUCTION_NS 0.01
#define COMPILED_BYTE_NS 4e-4

/* ---------- what fits ---------- */

static uint32_t
shared_bytes(const GpuAggTask *task, const GpuAggCompiledPath *path, uint32_t copies_log2)
{
	const uint64_t groups = path->args.groups;
	const uint64_t keys = path->frame == GPUAGG_FRAME_HASHED ? groups * task->prepared->states_off : 0;
	const uint64_t bytes = keys + (((groups << copies_log2) + 1) & ~UINT64_C(1)) * path->code.shared_bytes;

	return bytes < UINT32_MAX ? (uint32_t) bytes : UINT32_MAX;
}

/* As many copies as are worth it.  False: not even one has room. */
static bool
shared_fits(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	const uint32_t room = task->device->launches.limits.shared_bytes / SHARED_BLOCKS - BLOCK_OVERHEAD;
	uint32_t   *copies = &path->args.copies_log2;

	*copies = 0;
	while (*copies < GPUAGG_FRAME_MAX_COPIES_LOG2 &&
		   shared_bytes(task, path, *copies + 1) <= (COPIES_BYTES < room ? COPIES_BYTES : room))
		++*copies;
	path->shared_bytes = shared_bytes(task, path, *copies);
	return path->shared_bytes <= room;
}

/* Ranges of the columns that keys are made of; false: they are not known. */
static bool
ranges_find(const GpuAggProgram *p, const GpuAggPendingStripe *pending, uint32_t n, GpuAggRange *columns)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	uint8_t		needed[GPUAGG_MAX_REGS] = {};

	for (uint32_t i = 0; i < p->nkeys; i++)
		gpuagg_range_needs(p, gpuagg_program_keys(p)[i].reg, needed);
	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		GpuAggRange *range = &columns[attrs[i].reg];

		if (attrs[i].reg == GPUAGG_NO_REG || !needed[attrs[i].reg] ||
			gpuagg_program_classes(p)[attrs[i].reg] != GPUAGG_CLASS_I64)
			continue;
		range->low = INT64_MAX;
		range->high = INT64_MIN;
		for (uint32_t s = 0; s < n; s++)
		{
			GpuAggRange r;

			if (!gpuagg_cuda_column_range(pending[s].stripe, i, true, &r))
				return false;
			range->low = r.low < range->low ? r.low : range->low;
			range->high = r.high > range->high ? r.high : range->high;
		}
	}
	return true;
}

/* Numbers for groups, if all keys have small ranges */
static bool
numbers_find(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n, GpuAggFrameArgs *a)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggRange columns[GPUAGG_MAX_REGS];
	uint64_t	numbers = 1;

	if (!gpuagg_codegen_numbers(p) || !ranges_find(p, pending, n, columns))
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		GpuAggRange r;

		if (!gpuagg_range_register(p, gpuagg_program_keys(p)[i].reg, columns, &r) ||
			(uint64_t) r.high - (uint64_t) r.low >= DENSE_BYTES)
			return false;
		a->keys[i].base = r.low;
		a->keys[i].extent = (uint64_t) r.high - (uint64_t) r.low + 1;
		a->keys[i].step = (uint32_t) numbers;
		numbers *= a->keys[i].extent + 1;
		if (numbers * task->prepared->stride > DENSE_BYTES)
			return false;
	}
	a->groups = (uint32_t) numbers;
	return true;
}

static bool
is_numbered(const GpuAggCompiledPath *path)
{
	return path->frame == GPUAGG_FRAME_DIRECT || path->frame == GPUAGG_FRAME_DENSE;
}

/* Slots of a block's table for so many groups; 0: too many */
static uint32_t
hashed_slots(double groups)
{
	uint32_t	slots = 64;

	while (slots < 2 * groups && slots < 1u << 20)
		slots *= 2;
	return slots < 1u << 20 ? slots : 0;
}

/* ---------- the frame ---------- */

/* The text of a frame; path->code.text NULL: no memory */
static void
frame_take(const GpuAggTask *task, GpuAggFrame frame, GpuAggCompiledPath *path)
{
	free(path->code.text);
	path->frame = frame;
	gpuagg_codegen_kernel(gpuagg_cuda_program(task->prepared), frame, &path->code);
}

/* Groups in shared memory or in the cache, by number */
static bool
frame_numbered(const GpuAggTask *task, bool local, bool single, const GpuAggPendingStripe *pending, uint32_t n,
			   GpuAggCompiledPath *path)
{
	if (!numbers_find(task, pending, n, &path->args))
		return false;
	frame_take(task, GPUAGG_FRAME_DIRECT, path);
	if (local && shared_fits(task, path))
		return true;
	path->shared_bytes = 0;
	frame_take(task, GPUAGG_FRAME_DENSE, path);
	return single;
}

static bool
frame_hashed(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	path->args.groups = hashed_slots(task->config.expected_groups);
	frame_take(task, GPUAGG_FRAME_HASHED, path);
	return path->args.groups > 0 && shared_fits(task, path);
}

/*
 * Rows are kept: what passes, if columns are then read as they lie, which without a
 * filter needs no kernel; records of all others.
 */
static bool
frame_kept(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggStripeDeferral deferral;

	path->shared_bytes = 0;
	if (gpuagg_cuda_stripe_defers(task, &deferral))
	{
		if (p->filter_reg != GPUAGG_NO_REG)
			frame_take(task, GPUAGG_FRAME_SELECTED, path);
		return p->filter_reg != GPUAGG_NO_REG;
	}
	if (!gpuagg_codegen_packs(p))
		return false;
	frame_take(task, GPUAGG_FRAME_PACKED, path);
	return true;
}

/* Rows without records go to the task's table, too, if there is room for one. */
static bool
frame_single(const GpuAggTask *task, bool keeps, GpuAggCompiledPath *path)
{
	const double bytes = 4 * task->config.expected_groups * task->prepared->stride;
	const double limit = (double) (task->memory_limit > 0 ? task->memory_limit : task->device->memory_limit);

	if (keeps && (gpuagg_codegen_packs(gpuagg_cuda_program(task->prepared)) || bytes > limit / 2))
		return false;
	path->shared_bytes = 0;
	frame_take(task, GPUAGG_FRAME_SINGLE, path);
	return true;
}

/*
 * Numbers first; then a table in shared memory; then what the strategy says.  A
 * strategy that is forced is not left, nor one that has kept rows.
 */
static bool
frame_choose(const GpuAggTask *task, GpuAggStrategy strategy, bool kept, const GpuAggPendingStripe *pending,
			 uint32_t n, GpuAggCompiledPath *path)
{
	const bool	keeps = (GPUAGG_STRATEGY_BIT(strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;
	const bool	forced = task->config.forced || task->forced != GPUAGG_STRATEGY_AUTO;
	const bool	local = !forced || strategy == GPUAGG_STRATEGY_BLOCK_LOCAL;
	const bool	single = !forced || strategy == GPUAGG_STRATEGY_SINGLE_PASS;
	const bool	whole = task->prepared->hash_window.count <= 1;

	if (kept)
		return frame_kept(task, path);
	if (gpuagg_cuda_program(task->prepared)->nkeys == 0)
	{
		frame_take(task, GPUAGG_FRAME_PLAIN, path);
		return true;
	}
	if (whole && (local || single) && frame_numbered(task, local, single, pending, n, path))
		return true;
	if (keeps && frame_kept(task, path))
		return true;
	if (whole && local && !keeps && frame_hashed(task, path))
		return true;
	return single && frame_single(task, keeps, path);
}

/* Literals and lists, where the kernel finds them */
static void
args_fill(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggProgram *there = (const GpuAggProgram *) ((const char *) task->device_prepared +
														  task->prepared->program_off);
	const GpuAggConst *consts = (const GpuAggConst *) ((const char *) there + p->consts_off);
	const GpuAggCodegenArgs *from = &path->code.args;
	GpuAggFrameArgs *a = &path->args;

	a->program = there;
	a->seed = p->hash_seed;
	a->hash_window = task->prepared->hash_window;
	gpuagg_frame_tables(p, from, (const char *) there, task->made_at, a);
	for (uint32_t i = 0; i < from->nconsts; i++)
	{
		const uint32_t k = from->consts[i] - p->ncolumns;
		const GpuAggConst *c = &gpuagg_program_consts(p)[k];

		if (task->made_at != NULL && task->made_at[k] != NULL)
			a->consts[i].b = {task->made_at[k], gpuagg_lookup_of(gpuagg_const_bytes(p, c))->bytes};
		else if (gpuagg_program_classes(p)[from->consts[i]] == GPUAGG_CLASS_BYTES)
			a->consts[i].b = {(const char *) there + c->v.off, c->len};
		else
			a->consts[i].i = c->v.i;
	}
	for (uint32_t i = 0; i < from->nlists; i++)
	{
		const GpuAggInstr *ins = &gpuagg_program_instrs(p)[from->lists[i]];

		a->lists[i].members = consts + ins->imm;
		a->lists[i].n = ins->imm2;
	}
}

/* Is it worth it?  As the planner predicts, or roughly */
static void
wish_fill(const GpuAggTask *task, GpuAggCompileWish *wish)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const double rows = task->config.expected_rows;

	*wish = task->config.compile;
	if (wish->interpreted_ns > 0 || rows <= 0)
		return;
	wish->interpreted_ns = (uint64_t) (rows * (INTERPRETED_NS + INSTRUCTION_NS * p->ninstrs));
	wish->compiled_ns = (uint64_t) (rows * COMPILED_BYTE_NS * 8 * p->ncolumns);
}

void
gpuagg_cuda_compiled_choose(const GpuAggTask *task, GpuAggStrategy strategy, bool kept,
							const GpuAggPendingStripe *pending, uint32_t n, GpuAggCompiledPath *path)
{
	const char *reason;

	memset(path, 0, sizeof(*path));
	if (task->device->compiler == NULL || task->making != NULL || task->config.compile.mode == GPUAGG_COMPILE_OFF ||
		!gpuagg_codegen_takes(gpuagg_cuda_program(task->prepared), &reason))
		return;
	path->open = frame_choose(task, strategy, kept, pending, n, path) && path->code.text != NULL;
	wish_fill(task, &path->request.wish);
	if (path->open)
		args_fill(task, path);
}

/* ---------- the kernel ---------- */

/* Blocks that run at once, and what they may leave */
static void
blocks_choose(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	const uint32_t blocks = gpuagg_compile_blocks(path->request.kernel, GPUAGG_FRAME_THREADS, path->shared_bytes);

	path->blocks = task->device->sms * (blocks > 0 ? blocks : 1);
	path->nentries = path->frame == GPUAGG_FRAME_HASHED ? path->blocks * path->args.groups :
		is_numbered(path) ? path->args.groups : 0;
}

bool
gpuagg_cuda_compiled_prepare(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n,
							 GpuAggCompiledPath *path)
{
	if (is_numbered(path) && !numbers_find(task, pending, n, &path->args))
		return false;
	if (path->frame == GPUAGG_FRAME_DIRECT && !shared_fits(task, path))
		return false;
	blocks_choose(task, path);
	return true;
}

bool
gpuagg_cuda_compiled_keeps(const GpuAggCompiledPath *path)
{
	return path->frame == GPUAGG_FRAME_PACKED || path->frame == GPUAGG_FRAME_SELECTED;
}

GpuAggKernelState
gpuagg_cuda_compiled_ask(GpuAggTask *task, GpuAggCompiledPath *path)
{
	const GpuAggKernelSource source = {path->code.text, path->code.bytes, GPUAGG_CODEGEN_ENTRY, path->code.shape};
	const GpuAggKernelState state = gpuagg_compile_request(task->device, &source, &path->request);

	if (state == GPUAGG_KERNEL_FAILED || state == GPUAGG_KERNEL_OFF)
		path->refused = true;
	return state;
}

static bool
launch(GpuAggTask *task, GpuAggCompiledPath *path, GpuAggFrameArgs *args, GpuAggError *error)
{
	void	   *list[] = {args};

	args->table = task->table;
	return gpuagg_compile_launch(task->device, path->request.kernel, dim3(path->blocks),
								 dim3(GPUAGG_FRAME_THREADS), path->shared_bytes, list, task->streams->group,
								 error);
}

bool
gpuagg_cuda_compiled_launch(GpuAggTask *task, GpuAggCompiledPath *path, GpuAggFrameArgs *args,
							GpuAggTableHead *entries_head, GpuAggError *error)
{
	cudaStream_t stream = task->streams->group;
	GpuAggTableRef entries = {};

	if (path->nentries > 0)
	{
		const GpuAggLaunch init = gpuagg_cuda_launch(&task->device->launches, &gpuagg_cuda_grow_kernels[0],
													 (uint64_t) path->nentries * (task->prepared->stride / 8));

		entries.slots = args->entries;
		entries.capacity = path->nentries;
		entries.head = entries_head;
		gpuagg_cuda_table_init(task->device_prepared, &entries, false, &init, stream);
		if (!CUDA_OK(task->device, cudaMemsetAsync(args->nentries, 0, sizeof(uint32_t), stream), error))
			return false;
	}
	if (!launch(task, path, args, error))
		return false;
	if (path->nentries > 0)
		gpuagg_cuda_numbered_merge(task->device_prepared, args, is_numbered(path),
								   gpuagg_codegen_counted(gpuagg_cuda_program(task->prepared)),
								   task->device->sms, stream);
	return CUDA_LAUNCHED(task->device, error);
}

bool
gpuagg_cuda_compiled_repeats(const GpuAggCompiledPath *path)
{
	return path->frame == GPUAGG_FRAME_SINGLE;
}

bool
gpuagg_cuda_compiled_again(GpuAggTask *task, GpuAggCompiledPath *path, GpuAggFrameArgs *args,
						   GpuAggError *error)
{
	args->again = 1;
	return launch(task, path, args, error);
}

void
gpuagg_cuda_compiled_free(GpuAggDevice *device, GpuAggCompiledPath *path)
{
	gpuagg_compile_release(device, &path->request);
	free(path->code.text);
}
