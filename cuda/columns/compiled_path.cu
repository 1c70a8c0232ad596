/*
 * compiled_path.cu
 *		Which frame a program over stripes, or pages, is compiled with, and launches
 *		of its kernel.
 */
#include <stdlib.h>

#include "cuda/columns/resident.h"
#include "device/choice/frame_rule.h"
#include "device/ops/regrouping_row.h"

/* What a kernel's arguments take at most, on any card */
static_assert(sizeof(GpuAggFrameArgs) <= 4096, "arguments of a kernel");

/*
 * Bytes of shared memory up to which groups have copies: more take longer to add up
 * than they save.
 */
#define COPIES_BYTES (48 << 10)

/*
 * What a row takes, where the planner has not told: by the interpreter, and each of
 * its instructions; compiled, each byte of a column.  Nanoseconds, of an H200.
 */
#define INTERPRETED_NS 0.05
#define INSTRUCTION_NS 0.01
#define COMPILED_BYTE_NS 4e-4

/* ---------- what fits ---------- */

static double
shared_bytes(const GpuAggTask *task, const GpuAggCompiledPath *path, uint32_t copies_log2)
{
	return gpuagg_frame_shared_bytes(
		path->args.groups, path->frame == GPUAGG_FRAME_HASHED ? task->prepared->states_off : 0,
		path->code.shared_bytes, copies_log2);
}

/* As many copies as are worth it.  False: not even one has room. */
static bool
shared_fits(const GpuAggTask *task, GpuAggCompiledPath *path)
{
	const double unit = task->device->launches.limits.shared_bytes;
	const uint32_t room = path->frame == GPUAGG_FRAME_DIRECT ? gpuagg_frame_most_room(unit) :
															   gpuagg_frame_room(unit);
	uint32_t   *copies = &path->args.copies_log2;

	*copies = 0;
	while (*copies < GPUAGG_FRAME_MAX_COPIES_LOG2 &&
		   shared_bytes(task, path, *copies + 1) <= (COPIES_BYTES < room ? COPIES_BYTES : room))
		++*copies;
	if (shared_bytes(task, path, *copies) > room)
		return false;
	path->shared_bytes = (uint32_t) shared_bytes(task, path, *copies);
	return true;
}

/*
 * Ranges of the columns that keys are made of, of strings their codes'; false: they are not known.
 */
static bool
ranges_find(const GpuAggProgram *p, const GpuAggPendingStripe *pending, uint32_t n,
			GpuAggRange *columns)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	uint8_t		needed[GPUAGG_MAX_REGS] = {};

	for (uint32_t i = 0; i < p->nregs; i++)
		columns[i] = {1, 0};
	for (uint32_t i = 0; i < p->nkeys; i++)
		gpuagg_range_needs(p, gpuagg_program_keys(p)[i].reg, needed);
	for (uint32_t i = 0; i < p->nattrs; i++)
	{
		GpuAggRange *range = &columns[attrs[i].reg];

		if (attrs[i].reg == GPUAGG_NO_REG || !needed[attrs[i].reg] ||
			gpuagg_program_classes(p)[attrs[i].reg] == GPUAGG_CLASS_F64)
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

/* What the codes of a key mean, which is the same for all stripes of a launch; else NULL */
static GpuAggBytes *const *
strings_find(const GpuAggProgram *p, uint16_t reg, const GpuAggPendingStripe *pending, uint32_t n)
{
	GpuAggStripeColumn columns[GPUAGG_MAX_REGS];
	GpuAggBytes *const *strings = NULL;
	GpuAggError error;

	for (uint32_t s = 0; s < n; s++)
	{
		if (!gpuagg_cuda_stripe_columns(pending[s].stripe, p, columns, &error) ||
			(s > 0 && columns[reg].strings != strings))
			return NULL;
		strings = columns[reg].strings;
	}
	return strings;
}

/* Numbers for groups, if all keys have small ranges */
static bool
numbers_find(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n,
			 GpuAggFrameArgs *a)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggRange columns[GPUAGG_MAX_REGS];
	GpuAggKeyRange keys[GPUAGG_CODEGEN_NUMBERED];
	uint64_t	numbers;
	uint64_t	step = 1;

	if (!gpuagg_codegen_numbers(p) || !ranges_find(p, pending, n, columns) ||
		!gpuagg_range_numbers(p, columns, task->prepared->stride, keys, &numbers))
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggKey *key = &gpuagg_program_keys(p)[i];
		const bool	coded = gpuagg_key_class(key->type) == GPUAGG_CLASS_BYTES;

		a->keys[i] = gpuagg_frame_key(keys[i].low, keys[i].high, keys[i].unit, (uint32_t) step);
		if (coded)
			a->keys[i].strings = strings_find(p, key->reg, pending, n);
		if (coded && a->keys[i].strings == NULL)
			return false;
		step *= a->keys[i].extent + 1;
	}
	a->groups = (uint32_t) numbers;
	return true;
}

static bool
is_numbered(const GpuAggCompiledPath *path)
{
	return path->frame == GPUAGG_FRAME_DIRECT || path->frame == GPUAGG_FRAME_DENSE;
}

/* Entries that a launch may leave: of no keys one, if the group's strings need a lock */
static uint32_t
entries_of(const GpuAggTask *task, const GpuAggCompiledPath *path)
{
	const bool	entry = is_numbered(path) ||
		(path->frame == GPUAGG_FRAME_PLAIN && task->prepared->lock_off != 0);

	return path->frame == GPUAGG_FRAME_HASHED ? path->blocks * path->args.groups :
		entry								  ? path->args.groups :
												0;
}

/* ---------- the frame ---------- */

/* Of pages, a hash table of a block has room for so many times the groups that are expected. */
#define PAGE_GROUPS 4

/*
 * Of pages: room for groups that are expected, or, once that was found wrong, there are;
 * more of it up to what the interpreter's tables of a block have, for estimates are
 * rough, but not all, for fewer groups have more copies.  At most what fits: others go to
 * the task's table, until a block's are given up (provider/complete.cu).
 */
static double
page_groups(const GpuAggTask *task, const GpuAggFrameCase *c)
{
	const double expected = task->local_settled ? (double) task->groups :
												  task->config.expected_groups;
	const double most = gpuagg_frame_local_groups(c);
	double		groups = task->local.limit;

	if (expected > groups)
		groups = expected;
	else if (expected > 0 && PAGE_GROUPS * expected < groups)
		groups = PAGE_GROUPS * expected;
	return groups < most ? groups : most;
}

/* What the rule (device/choice/frame_rule.h) asks of a task; numbers: 0 if not known */
static GpuAggFrameCase
frame_case(const GpuAggTask *task, const GpuAggPathCase *of, uint32_t numbers)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const bool	pages = of->n == 0;
	GpuAggStripeDeferral deferral;
	GpuAggFrameCase c = {};

	c.strategy = of->strategy;
	c.forced = pages || task->config.forced || task->forced != GPUAGG_STRATEGY_AUTO;
	c.leaves_out = gpuagg_ordered_asked(&task->config.ordered) ||
		gpuagg_regrouping_counted_key(&task->config.regrouping, p) >= 0;
	c.kept = of->kept;
	c.whole = task->prepared->hash_window.count <= 1;
	c.keyed = p->nkeys > 0;
	c.filtered = p->filter_reg != GPUAGG_NO_REG;
	c.packs = gpuagg_codegen_packs(p);
	c.defers = !pages && c.keyed && gpuagg_cuda_stripe_defers(task, &deferral);
	c.groups = task->config.expected_groups;
	c.numbers = numbers;
	c.entry_bytes = task->prepared->stride;
	c.key_bytes = task->prepared->states_off;
	c.state_bytes = gpuagg_codegen_shared_bytes(p);
	c.unit_shared_bytes = task->device->launches.limits.shared_bytes;
	if (pages)
		c.groups = page_groups(task, &c);
	return c;
}

/* Are rows only selected, by the filter? */
static bool
selects(const GpuAggTask *task)
{
	return task->making != NULL || gpuagg_cuda_program(task->prepared)->select;
}

/* Has any of these stripes a column packed that a program loads? */
static bool
any_packed(const GpuAggProgram *p, const GpuAggPendingStripe *pending, uint32_t n)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t s = 0; s < n; s++)
		for (uint32_t i = 0; i < p->nattrs; i++)
		{
			const GpuAggStored *stored = attrs[i].reg == GPUAGG_NO_REG ? NULL :
				gpuagg_cuda_stripe_stored(pending[s].stripe, i);

			if (stored != NULL && stored->blocks != NULL)
				return true;
		}
	return false;
}

/* False: there is no frame. */
static bool
frame_find(const GpuAggTask *task, const GpuAggPathCase *of, GpuAggCompiledPath *path)
{
	GpuAggFrameCase c;
	bool		numbered;

	path->frame = GPUAGG_FRAME_SELECTED;
	if (selects(task))
		return gpuagg_cuda_program(of->prepared)->filter_reg != GPUAGG_NO_REG;
	numbered = !of->kept && of->n > 0 && numbers_find(task, of->pending, of->n, &path->args);
	c = frame_case(task, of, numbered ? path->args.groups : 0);
	if (!gpuagg_frame_choose(&c, &path->frame))
		return false;
	if (path->frame == GPUAGG_FRAME_HASHED)
		path->args.groups = gpuagg_frame_slots(c.groups);
	else if (path->frame == GPUAGG_FRAME_PLAIN)
		path->args.groups = 1;
	return true;
}

/* False: none fits, or there is no memory for its text. */
static bool
frame_choose(const GpuAggTask *task, const GpuAggPathCase *of, GpuAggCompiledPath *path)
{
	GpuAggRecord record;
	bool		packs;

	if (!frame_find(task, of, path))
		return false;
	/* whoever's rows they are, records are the task's */
	packs = path->frame == GPUAGG_FRAME_PACKED &&
		gpuagg_record_of_rows(gpuagg_cuda_program(task->prepared), &record);
	gpuagg_codegen_kernel_again(gpuagg_cuda_program(of->prepared), packs ? &record : NULL,
								path->packed, path->frame, &path->code);
	return path->code.text != NULL &&
		((path->frame != GPUAGG_FRAME_DIRECT && path->frame != GPUAGG_FRAME_HASHED) ||
		 shared_fits(task, path));
}

/* Literals and lists, where the kernel finds them */
static void
args_fill(const GpuAggTask *task, const GpuAggPathCase *of, GpuAggCompiledPath *path)
{
	const GpuAggProgram *p = gpuagg_cuda_program(of->prepared);
	const GpuAggProgram *there = (const GpuAggProgram *) ((const char *) of->there +
														  of->prepared->program_off);
	const GpuAggConst *consts = (const GpuAggConst *) ((const char *) there + p->consts_off);
	const GpuAggCodegenArgs *from = &path->code.args;
	GpuAggFrameArgs *a = &path->args;

	a->program = there;
	a->seed = p->hash_seed;
	a->hash_window = of->prepared->hash_window;
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

/*
 * Is it worth it?  As the planner predicts, or roughly.  Pages, and rows that PostgreSQL
 * evaluates, come more slowly than they are interpreted, so none waits for what compiling
 * saves.
 */
static void
wish_fill(const GpuAggTask *task, bool pages, GpuAggCompileWish *wish)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const double rows = task->config.expected_rows;

	*wish = task->config.compile;
	if (pages)
		wish->interpreted_ns = wish->compiled_ns = 0;
	if (pages)
		return;
	if (wish->interpreted_ns > 0 || rows <= 0)
		return;
	wish->interpreted_ns = (uint64_t) (rows * (INTERPRETED_NS + INSTRUCTION_NS * p->ninstrs));
	wish->compiled_ns = (uint64_t) (rows * COMPILED_BYTE_NS * 8 * p->ncolumns);
}

void
gpuagg_cuda_compiled_choose(const GpuAggTask *task, const GpuAggPathCase *of,
							GpuAggCompiledPath *path)
{
	const char *reason;

	memset(path, 0, sizeof(*path));
	/* pages of a table that is made are only kept */
	if (task->device->compiler == NULL || (task->making != NULL && of->n == 0) ||
		task->config.compile.mode == GPUAGG_COMPILE_OFF ||
		!gpuagg_codegen_takes(gpuagg_cuda_program(of->prepared), &reason))
		return;
	path->packed = any_packed(gpuagg_cuda_program(of->prepared), of->pending, of->n);
	path->open = frame_choose(task, of, path);
	wish_fill(task, of->n == 0, &path->request.wish);
	if (path->open)
		args_fill(task, of, path);
}

/* ---------- the kernel ---------- */

/* Blocks that run at once, but those without a granule, and what they may leave */
static void
blocks_choose(const GpuAggTask *task, uint32_t threads, uint64_t granules, GpuAggCompiledPath *path)
{
	const uint32_t blocks = gpuagg_compile_blocks(path->request.kernel, threads,
												  path->shared_bytes);
	const uint64_t useful = (granules * 32 + threads - 1) / threads;

	path->threads = threads;
	path->blocks = task->device->sms * (blocks > 0 ? blocks : 1);
	if (path->blocks > useful)
		path->blocks = (uint32_t) useful;
	path->nentries = entries_of(task, path);
}

/* Rows of pages are few: without groups of a block, more multiprocessors have some. */
void
gpuagg_cuda_compiled_rows(const GpuAggTask *task, uint32_t nrows, GpuAggCompiledPath *path)
{
	const uint64_t granules = ((uint64_t) nrows + GPUAGG_FRAME_GRANULE - 1) / GPUAGG_FRAME_GRANULE;

	blocks_choose(
		task, path->frame == GPUAGG_FRAME_HASHED ? path->code.threads : GPUAGG_FRAME_FEW_THREADS,
		granules, path);
}

bool
gpuagg_cuda_compiled_prepare(const GpuAggTask *task, const GpuAggPendingStripe *pending, uint32_t n,
							 GpuAggCompiledPath *path)
{
	if ((!path->packed && any_packed(gpuagg_cuda_program(task->prepared), pending, n)) ||
		(is_numbered(path) && !numbers_find(task, pending, n, &path->args)))
		return false;
	if (path->frame == GPUAGG_FRAME_DIRECT && !shared_fits(task, path))
		return false;
	blocks_choose(task, path->code.threads, UINT32_MAX, path);
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
	const GpuAggKernelSource source = {path->code.text, path->code.bytes, GPUAGG_CODEGEN_ENTRY,
									   path->code.shape};
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
								 dim3(path->threads), path->shared_bytes, list,
								 task->streams->group, error);
}

void
gpuagg_cuda_compiled_entries(GpuAggTask *task, const GpuAggCompiledPath *path,
							 const GpuAggFrameArgs *args, GpuAggTableHead *head,
							 cudaStream_t stream)
{
	GpuAggTableRef entries = {};
	GpuAggLaunch init;

	if (path->nentries == 0)
		return;
	init = gpuagg_cuda_launch(&task->device->launches, &gpuagg_cuda_grow_kernels[0],
							  (uint64_t) path->nentries * (task->prepared->stride / 8));
	entries.slots = args->entries;
	entries.capacity = path->nentries;
	entries.head = head;
	gpuagg_cuda_table_init(task->device_prepared, &entries, false, &init, stream);
}

bool
gpuagg_cuda_compiled_launch(GpuAggTask *task, GpuAggCompiledPath *path, GpuAggFrameArgs *args,
							GpuAggError *error)
{
	if (!launch(task, path, args, error))
		return false;
	if (path->nentries > 0)
		gpuagg_cuda_numbered_merge(task->device_prepared, args, path->frame != GPUAGG_FRAME_HASHED,
								   gpuagg_codegen_counted(gpuagg_cuda_program(task->prepared)),
								   path->nentries, task->device->sms, task->streams->group);
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
