/*
 * groupby_launch.cu
 *		Grouping in device memory: what is launched for each strategy, and the
 *		memory that it needs.
 */
#include "cuda/groupby/groupby_run.h"

#define MIN_CAPACITY 1024

/* Shared memory of a block that partitioning may take */
#define PARTITION_BYTES (160u << 10)

/* Blocks with local tables, of a multiprocessor, at most */
#define BLOCKS_PER_SM 2

/*
 * Parts of what a block has to do: partitions below the first need not be cut,
 * partitions above the second must be.
 */
#define SMALL_SHARE 16
#define LARGE_SHARE 4

/*
 * One of so many groups is expected in the table: in partitions with many rows,
 * or without place in shared memory
 */
#define FEW_ROWS_TABLE 256
#define DENSE_TABLE 16

/* Shared memory of a block that is CUDA's */
#define BLOCK_RESERVED 1024

/* Rows of a piece of a partition that has several blocks, at least */
#define MIN_SPLIT_ROWS 65536

/*
 * Launches of a step, at most: a stream takes some 1000 before it makes the worker wait.
 * Partitions have so many kernels that are cut, in one step.
 */
#define MOST_LAUNCHES 512
#define PARTITION_KERNELS 6

/* ---------- launches ---------- */

uint32_t
gpuagg_groupby_slices(const GpuAggGroupBy *s, uint64_t rows)
{
	const uint64_t most = s->config.slice_rows;
	const uint64_t slices = most == 0 || rows <= most ? 1 : (rows + most - 1) / most;
	const uint32_t limit = s->config.strategy == GPUAGG_GROUPBY_PARTITIONED ?
		MOST_LAUNCHES / PARTITION_KERNELS :
		MOST_LAUNCHES;

	return slices > limit ? limit : (uint32_t) slices;
}

/* Memory of a level but for its records */
static bool
make_level(GpuAggGroupBy *s, uint32_t bits, uint32_t before, const uint64_t *parents,
		   GpuAggPartLevel *level, GpuAggError *error)
{
	const uint32_t nparents = 1u << before;
	const uint64_t n = (uint64_t) nparents << bits;
	const size_t counts = gpuagg_cuda_align(n * 4);
	const size_t places = gpuagg_cuda_align((n + 1) * 8);
	const uint64_t rows = s->sources.end > s->args.n ? s->sources.end : s->args.n;
	const uint64_t from = s->sources.n > nparents ? s->sources.n : nparents;
	const size_t pieces = gpuagg_cuda_align((rows / GPUAGG_PIECE_ROWS + from) *
											sizeof(GpuAggPiece));
	char	   *meta = (char *) gpuagg_groupby_take(s, counts + 2 * places + pieces + 4, error);

	level->hash_window = s->args.table.hash_window;
	level->bits = bits;
	level->before = before;
	level->nparents = nparents;
	level->parents = parents;
	level->slice.at = 0;
	level->slice.of = gpuagg_groupby_slices(s, rows);
	memset(&level->sources, 0, sizeof(level->sources));
	if (before == 0)
		level->sources = s->sources;
	level->counts = (uint32_t *) meta;
	level->starts = (uint64_t *) (meta + counts);
	level->cursors = (unsigned long long *) (meta + counts + places);
	level->pieces = (GpuAggPiece *) (meta + counts + 2 * places);
	level->npieces = (uint32_t *) (meta + counts + 2 * places + pieces);
	return meta != NULL;
}

static GpuAggStatus
count_level(GpuAggGroupBy *s, const GpuAggPartLevel *level, GpuAggError *error)
{
	GROUPBY_CHECK(
		cudaMemsetAsync(level->counts, 0, (size_t) level->nparents * 4 << level->bits, s->stream));
	GROUPBY_CHECK(gpuagg_cuda_groupby_count(&s->args, s->key, level, s->config.sms, s->stream));
	return GPUAGG_OK;
}

/* Rows become records; what kernels read from then on */
static GpuAggStatus
write_level(GpuAggGroupBy *s, GpuAggPartLevel *level, GpuAggError *error)
{
	level->records = (char *) gpuagg_groupby_take(s, s->args.n * s->record.bytes, error);
	if (level->records == NULL)
		return error->status;
	GROUPBY_CHECK(gpuagg_cuda_groupby_write(&s->args, s->key, level, s->config.sms, s->stream));
	gpuagg_cuda_groupby_records(&s->record, level->records, s->args.n, &s->args);
	gpuagg_groupby_batches_read(s);
	return GPUAGG_OK;
}

/* Both levels: the second one's partitions are counted at once, if they fit */
static GpuAggStatus
partition_twice(GpuAggGroupBy *s, const uint32_t *bits, const uint64_t *top,
				const uint64_t **starts, GpuAggError *error)
{
	const bool	at_once = bits[0] + bits[1] <= GPUAGG_COUNT_BITS;
	GpuAggPartLevel first;
	GpuAggPartLevel second;
	GpuAggPartLevel all;
	GpuAggStatus status;

	if (!make_level(s, bits[0], 0, top, &first, error) ||
		!make_level(s, bits[1], bits[0], first.starts, &second, error))
		return error->status;
	if (at_once)
	{
		all = second;
		all.bits = bits[0] + bits[1];
		all.before = 0;
		all.nparents = 1;
		all.parents = top;
		all.sources = s->sources;
		status = count_level(s, &all, error);
		gpuagg_cuda_groupby_coarse(&first, second.starts, bits[1], s->stream);
	}
	else
		status = count_level(s, &first, error);
	if (status == GPUAGG_OK)
		status = write_level(s, &first, error);
	if (status == GPUAGG_OK && !at_once)
		status = count_level(s, &second, error);
	if (status == GPUAGG_OK)
		status = write_level(s, &second, error);
	if (status == GPUAGG_OK)
		gpuagg_groupby_give(s, first.records);
	*starts = second.starts;
	return status;
}

static GpuAggStatus
partition_once(GpuAggGroupBy *s, uint32_t bits, const uint64_t *top, const uint64_t **starts,
			   GpuAggError *error)
{
	GpuAggPartLevel level;
	GpuAggStatus status;

	if (!make_level(s, bits, 0, top, &level, error))
		return error->status;
	status = count_level(s, &level, error);
	*starts = level.starts;
	return status == GPUAGG_OK ? write_level(s, &level, error) : status;
}

/* Room for that many groups, and for those of partitions under way */
GpuAggStatus
gpuagg_groupby_add_piece(GpuAggGroupBy *s, double groups, GpuAggError *error)
{
	GpuAggGroupByPiece *piece = &s->pieces[s->npieces];
	double		room = groups < s->args.n ? groups : (double) s->args.n;

	if (s->npieces == GPUAGG_GROUPBY_PIECES)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "more than %d pieces of groups",
								 GPUAGG_GROUPBY_PIECES);
	piece->capacity = (uint64_t) room +
		(uint64_t) s->dense_blocks *
			(s->few_rows.few_rows ? GPUAGG_FEW_ROWS_BATCH * (s->few_rows.slots + 1) :
									s->dense.slots + 1);
	piece->groups = 0;
	piece->rows = (char *) gpuagg_groupby_take(s, piece->capacity * s->args.row_bytes, error);
	if (piece->rows == NULL)
		return error->status;
	s->npieces++;
	return GPUAGG_OK;
}

static GpuAggStatus
launch_partitions(GpuAggGroupBy *s, GpuAggError *error)
{
	const GpuAggGroupByPiece *piece = &s->pieces[s->npieces - 1];
	const GpuAggDense dense = {piece->rows, piece->capacity};

	const bool	split = s->phase == GPUAGG_GROUPBY_PHASE_SPLIT;

	GROUPBY_CHECK(gpuagg_cuda_groupby_partitions(&s->args, s->key, split ? &s->local : &s->dense,
											   &s->few_rows, &s->parts, split ? NULL : &dense,
											   split ? s->blocks : s->dense_blocks, s->stream));
	return gpuagg_groupby_ask(s, error);
}

static GpuAggStatus
start_partitioned(GpuAggGroupBy *s, GpuAggError *error)
{
	const double expected = s->config.expected_groups;
	uint64_t   *top;
	uint32_t	bits[2];
	uint32_t	n;
	GpuAggStatus status;

	gpuagg_cuda_groupby_bits(&s->config, &s->args, s->key, bits);
	n = 1u << (bits[0] + bits[1]);
	s->parts.n = n;
	s->parts.slice.of = gpuagg_groupby_slices(s, s->args.n);
	s->top[0] = 0;
	s->top[1] = s->args.n;
	top = (uint64_t *) gpuagg_groupby_take(s, sizeof(s->top), error);
	s->parts.split = (uint32_t *) gpuagg_groupby_take(s, n * 8ull, error);
	s->parts.many_rows = s->parts.split + n;
	if (top == NULL || s->parts.split == NULL)
		return error->status;
	GROUPBY_CHECK(cudaMemcpyAsync(top, s->top, sizeof(s->top), cudaMemcpyHostToDevice, s->stream));
	status = bits[1] > 0 ? partition_twice(s, bits, top, &s->parts.starts, error) :
		partition_once(s, bits[0], top, &s->parts.starts, error);
	if (status == GPUAGG_OK)
		status = gpuagg_groupby_add_piece(
			s, s->config.dense_groups > 0 ? (double) s->config.dense_groups : expected * 1.1,
			error);
	if (status != GPUAGG_OK)
		return status;
	return launch_partitions(s, error);
}

/* Rows from which on a sketch of them takes less than it saves where groups are others */
#define SKETCH_ROWS (UINT64_C(1) << 22)

/* Who names a table's size, or partitions', has reasons. */
static bool
is_sketched(const GpuAggGroupBy *s)
{
	const GpuAggGroupByConfig *c = &s->config;

	return c->strategy == GPUAGG_GROUPBY_PARTITIONED &&
		s->args.n >= (c->sketch_rows > 0 ? c->sketch_rows : SKETCH_ROWS) && c->capacity == 0 &&
		c->dense_groups == 0 && c->local_slots == 0 && c->bits[0] == 0;
}

GpuAggStatus
gpuagg_groupby_measure(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggPartLevel level;
	uint64_t   *top;

	if (!is_sketched(s))
		return gpuagg_groupby_start(s, error);
	s->phase = GPUAGG_GROUPBY_PHASE_SKETCHED;
	s->top[0] = 0;
	s->top[1] = s->args.n;
	top = (uint64_t *) gpuagg_groupby_take(s, sizeof(s->top), error);
	if (top == NULL || !make_level(s, 1, 0, top, &level, error))
		return error->status;
	level.counts = (uint32_t *) gpuagg_groupby_take(s, GPUAGG_SKETCH_BYTES, error);
	if (level.counts == NULL)
		return error->status;
	GROUPBY_CHECK(cudaMemcpyAsync(top, s->top, sizeof(s->top), cudaMemcpyHostToDevice, s->stream));
	GROUPBY_CHECK(cudaMemsetAsync(level.counts, 0, GPUAGG_SKETCH_BYTES, s->stream));
	GROUPBY_CHECK(gpuagg_cuda_groupby_sketch(&s->args, s->key, &level, s->config.sms, s->stream));
	gpuagg_groupby_give(s, level.counts);
	return gpuagg_groupby_ask(s, error);
}

static GpuAggStatus
launch_single(GpuAggGroupBy *s, GpuAggError *error)
{
	const uint64_t tiles = (s->args.n + GPUAGG_WARP_TILE - 1) / GPUAGG_WARP_TILE;
	GpuAggWindows w = s->windows;
	/* with windows side by side each has a count of tiles of its own */
	GpuAggSlice slice = {0, w.sm_windows != NULL ? 1 : gpuagg_groupby_slices(s, s->args.n)};

	w.window = (uint32_t) s->window;
	for (; slice.at < slice.of; slice.at++)
	{
		w.end_tile = gpuagg_slice_end(slice, tiles);
		GROUPBY_CHECK(gpuagg_cuda_groupby_single(&s->args, s->key, &w, s->config.sms, s->stream));
	}
	return gpuagg_groupby_ask(s, error);
}

static GpuAggStatus
start_single(GpuAggGroupBy *s, GpuAggError *error)
{
	const size_t tiles = sizeof(unsigned long long) << s->config.windows_log2;

	s->windows.log2 = s->config.windows_log2;
	if (s->config.strategy == GPUAGG_GROUPBY_SPATIAL)
	{
		s->windows.sm_windows = s->config.sm_windows;
		s->windows.tiles = (unsigned long long *) gpuagg_groupby_take(s, tiles, error);
		if (s->windows.tiles == NULL)
			return error->status;
		GROUPBY_CHECK(cudaMemsetAsync(s->windows.tiles, 0, tiles, s->stream));
	}
	return launch_single(s, error);
}

GpuAggStatus
gpuagg_groupby_launch(GpuAggGroupBy *s, GpuAggError *error)
{
	switch (s->config.strategy)
	{
		case GPUAGG_GROUPBY_PARTITIONED:
			return launch_partitions(s, error);
		default:
			return launch_single(s, error);
	}
}

/* ---------- the beginning ---------- */

static uint64_t
power_of_two(double n)
{
	uint64_t	p = MIN_CAPACITY;

	while ((double) p < n && p < (uint64_t) 1 << 62)
		p *= 2;
	return p;
}

/* Rows that may be under way when a table is found to be full */
static uint64_t
pending_room(GpuAggGroupBy *s)
{
	uint64_t	rows = (uint64_t) s->config.sms * GPUAGG_SM_WARPS * GPUAGG_WARP_TILE;

	if (s->config.strategy == GPUAGG_GROUPBY_PARTITIONED)
		rows = s->dense_blocks * s->parts.split_rows;
	return rows < s->args.n ? rows : s->args.n;
}

/*
 * Which partitions are left to several blocks: those twice as large as the
 * average one, if they keep a block busy for some time; all, if there are so
 * few that blocks would have nothing to do.
 */
static void
split_partitions(GpuAggGroupBy *s, uint64_t average)
{
	const uint64_t share = s->args.n / (BLOCKS_PER_SM * s->config.sms);
	uint64_t	rows = 2 * average;

	if (rows < share / SMALL_SHARE)
		rows = share / SMALL_SHARE;
	if (rows > share / LARGE_SHARE)
		rows = share / LARGE_SHARE;
	s->all_split = rows < average;
	s->parts.split_rows = rows < MIN_SPLIT_ROWS ? MIN_SPLIT_ROWS : rows;
}

/* Blocks of a multiprocessor with such tables */
static uint32_t
local_blocks(const GpuAggGroupBy *s, const GpuAggGroupByLocal *local)
{
	const uint32_t room = s->config.sm_bytes / (local->bytes + BLOCK_RESERVED);

	return s->config.sms * (room < 1 ? 1 : room < BLOCKS_PER_SM ? room : BLOCKS_PER_SM);
}

/* What partitions look like, and the tables for them */
static GpuAggStatus
prepare_partitions(GpuAggGroupBy *s, double *groups, GpuAggError *error)
{
	uint32_t	bits[2];
	uint32_t	all;

	if (s->config.block_bytes < PARTITION_BYTES)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED,
								 "too little shared memory for partitions");
	gpuagg_cuda_groupby_bits(&s->config, &s->args, s->key, bits);
	all = bits[0] + bits[1];
	*groups /= (double) (1u << all);
	(void) gpuagg_cuda_groupby_few_rows(&s->config, &s->args, s->key, &s->few_rows, &s->dense);
	split_partitions(s, s->args.n >> all);
	return GPUAGG_OK;
}

static GpuAggStatus
prepare_local(GpuAggGroupBy *s, GpuAggError *error)
{
	double		groups = s->config.expected_groups;
	GpuAggStatus status;

	if (s->config.strategy != GPUAGG_GROUPBY_PARTITIONED)
		return GPUAGG_OK;
	status = prepare_partitions(s, &groups, error);
	if (status != GPUAGG_OK)
		return status;

	/* too many groups are no failure: rows go where there is room */
	(void) gpuagg_cuda_groupby_shape(&s->config, &s->args, s->key, groups, &s->local);
	if (!s->few_rows.few_rows)
		s->dense = s->local;
	if (s->local.bytes > s->config.block_bytes || s->dense.bytes > s->config.block_bytes)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "no room for tables in shared memory");
	s->blocks = local_blocks(s, &s->local);
	s->dense_blocks = local_blocks(s, &s->dense);
	s->max_spilled = (uint64_t) s->blocks * (s->local.slots + 1);
	s->args.spilled = (char *) gpuagg_groupby_take(s, s->max_spilled * s->args.row_bytes, error);
	return s->args.spilled != NULL ? GPUAGG_OK : error->status;
}

GpuAggStatus
gpuagg_groupby_start(GpuAggGroupBy *s, GpuAggError *error)
{
	double		groups = s->config.expected_groups;
	GpuAggStatus status;

	s->phase = GPUAGG_GROUPBY_PHASE_MAIN;
	s->report->head.npacked = 0;
	status = gpuagg_groupby_put(s, error);
	if (status == GPUAGG_OK)
		status = prepare_local(s, error);
	if (status != GPUAGG_OK)
		return status;
	/* of small partitions, only what does not fit shared memory */
	if (s->config.strategy == GPUAGG_GROUPBY_PARTITIONED && !s->all_split)
		groups /= s->few_rows.few_rows ? FEW_ROWS_TABLE : DENSE_TABLE;
	s->max_pending = pending_room(s);
	s->args.pending = (uint64_t *) gpuagg_groupby_take(s, s->max_pending * 8, error);
	if (s->args.pending == NULL)
		return error->status;
	/* partitions with many rows are ranges of hashes */
	s->args.table.mixed = s->config.strategy == GPUAGG_GROUPBY_PARTITIONED;
	status = gpuagg_groupby_table(
		s, s->config.capacity > 0 ? s->config.capacity : power_of_two(2.5 * groups), &s->args.table,
		error);
	if (status != GPUAGG_OK)
		return status;
	return s->config.strategy == GPUAGG_GROUPBY_PARTITIONED ? start_partitioned(s, error) :
		start_single(s, error);
}
