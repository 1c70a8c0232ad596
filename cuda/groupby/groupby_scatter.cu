/*
 * groupby_scatter.cu
 *		Radix partitioning: rows are written as records to their partitions.
 *
 * A block orders a tile of records by partition in shared memory and writes it from
 * there, so that neighbours write to neighbouring addresses; where a tile's rows go in
 * each partition is drawn from the partition's cursor.  Rows of a partition are in no
 * order.
 *
 * Lanes with the same partition would take turns at its counter.  Where two
 * neighbours have the same one, as in sorted or skewed rows, its lanes count
 * together.
 */
#include "cuda/groupby/groupby_partition.cuh"

/*
 * Threads of a multiprocessor's blocks that write.  More rows a thread than they
 * have registers for would be kept in local memory, whose traffic adds to what
 * the partitions take.
 */
#define SCATTER_THREADS 1024
#define PART_MASK ((1u << GPUAGG_MAX_PARTITION_BITS) - 1)

/* ---------- counting ---------- */

/*
 * Counts a row of each lane that has one; what its partition's count was
 * before, for this lane.
 */
static __device__ __forceinline__ uint32_t
count_row(uint32_t *counts, uint32_t part, bool row)
{
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t mine = row ? part : ALL_LANES - lane;
	const uint32_t next = __shfl_down_sync(ALL_LANES, mine, 1);
	const uint32_t pairs = __ballot_sync(ALL_LANES, mine == next) & 0x7FFFFFFFu;
	uint32_t	same;
	uint32_t	before = 0;

	if (pairs == 0)
		return row ? atomicAdd(&counts[part], 1u) : 0;
	same = __ballot_sync(ALL_LANES, mine == __shfl_sync(ALL_LANES, mine, __ffs(pairs) - 1));
	if (!(same >> lane & 1))
		before = row ? atomicAdd(&counts[part], 1u) : 0;
	else if (lane == (uint32_t) __ffs(same) - 1)
		before = atomicAdd(&counts[part], (uint32_t) __popc(same));
	if (same >> lane & 1)
		before = __shfl_sync(same, before, __ffs(same) - 1) + __popc(same & ((1u << lane) - 1));
	return before;
}

/*
 * Counts the rows of a block, up to ROWS a thread.  What their partitions'
 * counts were before is put above their partitions' bits.
 */
template <int ROWS>
static __device__ __forceinline__ void
count_rows(uint32_t *counts, uint32_t *part, uint32_t rows)
{
	const uint32_t next = __shfl_down_sync(ALL_LANES, part[0], 1);
	const uint32_t pairs = __ballot_sync(ALL_LANES, part[0] == next) & 0x7FFFFFFFu;

	if (__all_sync(ALL_LANES, pairs == 0 && rows == ALL_ROWS<ROWS>))
	{
		#pragma unroll
		for (int r = 0; r < ROWS; r++)
			part[r] |= atomicAdd(&counts[part[r]], 1u) << GPUAGG_MAX_PARTITION_BITS;
		return;
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		part[r] |= count_row(counts, part[r], rows >> r & 1) << GPUAGG_MAX_PARTITION_BITS;
}

/* ---------- writing ---------- */

/* What a block orders and writes at once: rows of one parent */
typedef struct Tile
{
	uint32_t	parent;			/* the parent's number, or the source's */
	uint64_t	base;
	uint64_t	end;
} Tile;

/*
 * A thread's rows row, row + blockDim.x, ..., those of `rows`, as records in shared
 * memory, number at[r] there: field by field, so that all rows' loads overlap.
 */
template <int ROWS>
static __device__ __forceinline__ void
stage_field(const GpuAggRowField *f, uint32_t off, uint32_t words, uint64_t row, uint32_t rows,
			const uint32_t *at, uint32_t *staged)
{
	uint32_t	low[ROWS];
	uint32_t	high[ROWS];

	#pragma unroll
	for (int r = 0; r < ROWS; r++)
	{
		const uint32_t *value = (const uint32_t *) (f->base + (row + r * blockDim.x) * f->step);

		low[r] = rows >> r & 1 ? value[0] : 0;
		high[r] = rows >> r & 1 && f->bytes == 8 ? value[1] : 0;
	}
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (rows >> r & 1)
		{
			staged[at[r] * words + off / 4] = low[r];
			if (f->bytes == 8)
				staged[at[r] * words + off / 4 + 1] = high[r];
		}
}

template <int ROWS>
static __device__ __forceinline__ void
stage_records(const GpuAggGroupByArgs &a, uint64_t row, uint32_t rows, const uint32_t *at,
			  uint32_t *staged)
{
	const uint32_t words = a.record_bytes / 4;

	if (a.has_head)
		stage_field<ROWS>(&a.flags, 0, words, row, rows, at, staged);
	for (uint32_t i = 0; i < a.nfields; i++)
		stage_field<ROWS>(&a.fields[i], a.field_off[i], words, row, rows, at, staged);
}

/* Several of a thread's records at once, so that their latencies overlap */
#define WRITE_ROWS 4

template <typename Pair>
static __device__ __forceinline__ void
write_pairs(Pair *out, const Pair *staged, const uint16_t *part_at,
			const unsigned long long *shift, uint32_t n)
{
	uint32_t	i = threadIdx.x;

	for (; i + (WRITE_ROWS - 1) * blockDim.x < n; i += WRITE_ROWS * blockDim.x)
	{
		Pair		pair[WRITE_ROWS];
		unsigned long long to[WRITE_ROWS];

		#pragma unroll
		for (int r = 0; r < WRITE_ROWS; r++)
		{
			pair[r] = staged[i + r * blockDim.x];
			to[r] = shift[part_at[i + r * blockDim.x]];
		}
		#pragma unroll
		for (int r = 0; r < WRITE_ROWS; r++)
			out[to[r] + i + r * blockDim.x] = pair[r];
	}
	for (; i < n; i += blockDim.x)
		out[shift[part_at[i]] + i] = staged[i];
}

/*
 * Writes records of any length, in units of `Unit`.  A unit's record is its number over the units
 * of one: by the reciprocal, which is exact for what a tile has.
 */
template <typename Unit>
static __device__ __forceinline__ void
write_units(Unit *out, const Unit *staged, const uint16_t *part_at, const unsigned long long *shift,
			uint32_t n, uint32_t units)
{
	const uint32_t reciprocal = units == 1 ? 0 : UINT32_MAX / units + 1;
	const uint32_t end = n * units;

	for (uint32_t i = threadIdx.x; i < end; i += WRITE_ROWS * blockDim.x)
	{
		Unit		unit[WRITE_ROWS];
		unsigned long long to[WRITE_ROWS];

		#pragma unroll
		for (int r = 0; r < WRITE_ROWS; r++)
		{
			const uint32_t at = min(i + r * blockDim.x, end - 1);
			const uint32_t record = units == 1 ? at : __umulhi(at, reciprocal);

			unit[r] = staged[at];
			to[r] = shift[part_at[record]] * units + at;
		}
		#pragma unroll
		for (int r = 0; r < WRITE_ROWS; r++)
			if (i + r * blockDim.x < end)
				out[to[r]] = unit[r];
	}
}

/* From shared memory to the partitions: neighbours to neighbouring places */
template <int KEY, int FAST, typename Unit>
static __device__ __forceinline__ void
write_records(const GpuAggGroupByArgs &a, const GpuAggPartLevel &level, const uint32_t *staged,
			  const uint16_t *part_at, const unsigned long long *shift, uint32_t n)
{
	typedef typename FastRow<KEY>::Pair Pair;

	if (FAST != GPUAGG_FAST_NOT)
		write_pairs((Pair *) level.records, (const Pair *) staged, part_at, shift, n);
	else
		write_units((Unit *) level.records, (const Unit *) staged, part_at, shift, n,
					a.record_bytes / sizeof(Unit));
}

/*
 * Tiles of a block, of `rows` rows each: those of all pieces in turn, so that the
 * last ones keep all blocks busy.  The next one's piece is read long before it
 * is looked at.
 */
typedef struct Tiles
{
	uint32_t	rows;
	uint32_t	end;
	uint32_t	next;
	GpuAggPiece piece;			/* of the next one */
} Tiles;

static __device__ __forceinline__ void
read_piece(const GpuAggPartLevel &level, Tiles *t)
{
	if (t->next < t->end)
		t->piece = level.pieces[t->next / (GPUAGG_PIECE_ROWS / t->rows)];
}

static __device__ __forceinline__ Tiles
tiles_start(const GpuAggPartLevel &level, uint32_t rows)
{
	const uint32_t npieces = *level.npieces;
	const uint32_t tiles = GPUAGG_PIECE_ROWS / rows;
	Tiles		t;

	t.rows = rows;
	t.end = (uint32_t) gpuagg_slice_end(level.slice, npieces) * tiles;
	t.next = (uint32_t) gpuagg_slice_first(level.slice, npieces) * tiles + blockIdx.x;
	read_piece(level, &t);
	return t;
}

/* The next tile, if there is one; the piece of the one behind it is to be read. */
static __device__ __forceinline__ bool
tiles_next(const GpuAggPartLevel &level, Tiles *t, Tile *tile)
{
	while (t->next < t->end)
	{
		tile->parent = t->piece.parent;
		tile->base = t->piece.first +
			(uint64_t) (t->next % (GPUAGG_PIECE_ROWS / t->rows)) * t->rows;
		tile->end = min(tile->base + t->rows, t->piece.end);
		t->next += gridDim.x;
		if (tile->base < t->piece.end)
			return true;
		/* a piece's last tiles may have no rows */
		read_piece(level, t);
	}
	return false;
}

/* Partitions whose places a thread draws while it stages its rows */
#define DRAWS 2

/*
 * Places of a tile's `rows` rows in partition p, of those from `at` on in the tile
 */
static __device__ __forceinline__ unsigned long long
draw_places(const GpuAggPartLevel &level, uint32_t parent, uint32_t rows, const uint32_t *counts,
			uint32_t p)
{
	const uint32_t nparts = 1u << level.bits;
	const uint32_t at = counts[p];
	const uint32_t n = (p + 1 < nparts ? counts[p + 1] : rows) - at;

	return n == 0 ? 0 :
		atomicAdd(&level.cursors[(uint64_t) parent * nparts + p], (unsigned long long) n) - at;
}

/*
 * Block-wide: the sum of what the threads before this one have; *all, unless
 * NULL: of all threads.  One barrier, and few registers; there is another
 * barrier before the next call.
 */
static __device__ __forceinline__ uint32_t
sum_before(uint32_t v, uint32_t *all)
{
	__shared__ uint32_t warps[WARP_LANES];
	const uint32_t lane = threadIdx.x % WARP_LANES;
	const uint32_t warp = threadIdx.x / WARP_LANES;
	uint32_t	sum = v;

	#pragma unroll
	for (uint32_t n = 1; n < WARP_LANES; n *= 2)
	{
		const uint32_t before = __shfl_up_sync(ALL_LANES, sum, n);

		sum += lane >= n ? before : 0;
	}
	if (lane == WARP_LANES - 1)
		warps[warp] = sum;
	__syncthreads();
	if (all != NULL)
		*all = all_lanes_add(lane < blockDim.x / WARP_LANES ? warps[lane] : 0);
	return all_lanes_add(lane < warp ? warps[lane] : 0) + sum - v;
}

/*
 * A tile of ROWS rows a thread.  Shared memory: for each partition, from its
 * place here to there; their counts, then their places here; of each record
 * its partition; the records.  Counts are zero before and after.  If FAST, the
 * tile's rows are in registers, and the next one's are when it returns: they
 * are on their way while this one's are written.
 */
template <int KEY, int FAST, int TPB, int ROWS, typename Unit>
static __device__ __forceinline__ bool
scatter_tile(const GpuAggGroupByArgs &a, const GpuAggPartLevel &level, Tiles *tiles, Tile *at_tile,
			 char *shared, typename FastRow<KEY>::Word *key, uint32_t *arg, uint32_t *rows)
{
	const Tile	tile = *at_tile;
	const uint32_t nparts = 1u << level.bits;
	const uint32_t each = (nparts + TPB - 1) / TPB;
	const uint32_t last = min((threadIdx.x + 1) * each, nparts);
	const uint64_t row = tile.base + threadIdx.x;
	const uint32_t mine = *rows;
	const uint32_t parent = parent_of<FAST>(tile.parent);
	unsigned long long *shift = (unsigned long long *) shared;
	uint32_t   *counts = (uint32_t *) (shift + nparts);
	uint16_t   *part_at = (uint16_t *) (counts + nparts);
	uint32_t   *staged = (uint32_t *) (part_at + ROWS * TPB);
	uint32_t	part[ROWS];			/* with its place among its partition's rows */
	unsigned long long drawn[DRAWS];
	uint32_t	n = (uint32_t) (tile.end - tile.base);	/* rows that count */
	uint32_t	sum = 0;
	bool		more;

	read_piece(level, tiles);
	find_parts<KEY, FAST, ROWS>(a, level, row, tile.end, key, part);
	count_rows<ROWS>(counts, part, mine);
	__syncthreads();

	/* a thread has `each` partitions that follow each other */
	for (uint32_t p = threadIdx.x * each; p < last; p++)
		sum += counts[p];
	sum = sum_before(sum, FAST == GPUAGG_FAST_SOURCES ? &n : NULL);
	for (uint32_t p = threadIdx.x * each; p < last; p++)
	{
		const uint32_t here = counts[p];

		counts[p] = sum;
		sum += here;
	}
	__syncthreads();
	#pragma unroll
	for (int i = 0; i < DRAWS; i++)
		if (threadIdx.x + i * TPB < nparts)
			drawn[i] = draw_places(level, parent, n, counts, threadIdx.x + i * TPB);
	for (uint32_t p = threadIdx.x + DRAWS * TPB; p < nparts; p += TPB)
		shift[p] = draw_places(level, parent, n, counts, p);
	#pragma unroll
	for (int r = 0; r < ROWS; r++)
		if (mine >> r & 1)
		{
			const uint32_t p = part[r] & PART_MASK;
			const uint32_t at = counts[p] + (part[r] >> GPUAGG_MAX_PARTITION_BITS);

			part_at[at] = (uint16_t) p;
			if (FAST != GPUAGG_FAST_NOT)
				((typename FastRow<KEY>::Pair *) staged)[at] = pair_make(key[r], arg[r]);
			part[r] = at;
		}
	if (FAST == GPUAGG_FAST_NOT)
		stage_records<ROWS>(a, row, mine, part, staged);
	#pragma unroll
	for (int i = 0; i < DRAWS; i++)
		if (threadIdx.x + i * TPB < nparts)
			shift[threadIdx.x + i * TPB] = drawn[i];
	more = tiles_next(level, tiles, at_tile);
	if (more)
		*rows = load_rows<KEY, FAST, ROWS>(a, level, at_tile->parent, at_tile->base + threadIdx.x,
										   at_tile->end, key, arg);
	__syncthreads();
	for (uint32_t p = threadIdx.x; p < nparts; p += TPB)
		counts[p] = 0;
	write_records<KEY, FAST, Unit>(a, level, staged, part_at, shift, n);
	__syncthreads();
	return more;
}

template <int KEY, int FAST, int TPB, int ROWS, typename Unit>
static __global__ void
__launch_bounds__(TPB, SCATTER_THREADS / TPB)
scatter_parts_kernel(const __grid_constant__ GpuAggGroupByArgs a,
					 const __grid_constant__ GpuAggPartLevel level)
{
	extern __shared__ uint4 shared_quads[];
	uint32_t   *counts = (uint32_t *) ((unsigned long long *) shared_quads + (1u << level.bits));
	Tiles		tiles = tiles_start(level, ROWS * TPB);
	typename FastRow<KEY>::Word key[ROWS];
	uint32_t	arg[ROWS];
	uint32_t	rows = 0;
	Tile		tile;
	bool		more;

	for (uint32_t p = threadIdx.x; p < 1u << level.bits; p += TPB)
		counts[p] = 0;
	__syncthreads();
	more = tiles_next(level, &tiles, &tile);
	if (more)
		rows = load_rows<KEY, FAST, ROWS>(a, level, tile.parent, tile.base + threadIdx.x, tile.end,
										  key, arg);
	while (more)
		more = scatter_tile<KEY, FAST, TPB, ROWS, Unit>(a, level, &tiles, &tile,
														(char *) shared_quads, key, arg, &rows);
}

/* ---------- launches ---------- */

/* Bits from which on tiles are larger, lest their runs become short */
#define WIDE_BITS 9

template <int KEY, int FAST, int TPB, int ROWS, typename Unit = uint32_t>
static cudaError_t
launch_scatter(const GpuAggGroupByArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			   cudaStream_t stream)
{
	const int	bytes = (int) ((12u << level->bits) + ROWS * TPB * (2 + a->record_bytes));
	GpuAggPartLevel part = *level;
	cudaError_t rc = cudaFuncSetAttribute(scatter_parts_kernel<KEY, FAST, TPB, ROWS, Unit>,
										  cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

	if (rc != cudaSuccess)
		return rc;
	for (; part.slice.at < part.slice.of; part.slice.at++)
		scatter_parts_kernel<KEY, FAST, TPB, ROWS, Unit>
			<<<sms *(SCATTER_THREADS / TPB), TPB, bytes, stream>>>(*a, part);
	return cudaGetLastError();
}

/* Tiles fill a multiprocessor's shared memory, with as many blocks as do. */
template <int KEY, int FAST>
static cudaError_t
launch_writes(const GpuAggGroupByArgs *a, const GpuAggPartLevel *level, uint32_t sms,
			  cudaStream_t stream)
{
	return level->bits < WIDE_BITS ?
		launch_scatter<KEY, FAST, 512, 8>(a, level, sms, stream) :
		launch_scatter<KEY, FAST, 1024, 8>(a, level, sms, stream);
}

/* Launches the writes of records of any length, with tiles as launch_writes has them. */
template <typename Unit>
static cudaError_t
launch_record_writes(const GpuAggGroupByArgs *a, const GpuAggPartLevel *level, uint32_t sms,
					 cudaStream_t stream)
{
	if (a->record_bytes <= 16)
		return launch_scatter<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT, 512, 8, Unit>(a, level, sms, stream);
	if (a->record_bytes <= 36)
		return launch_scatter<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT, 512, 4, Unit>(a, level, sms, stream);
	if (a->record_bytes <= 64)
		return launch_scatter<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT, 512, 2, Unit>(a, level, sms, stream);
	return launch_scatter<GPUAGG_KEY_ANY, GPUAGG_FAST_NOT, 512, 1, Unit>(a, level, sms, stream);
}

template <int KEY>
static cudaError_t
launch_fast_writes(const GpuAggGroupByArgs *a, GpuAggFast fast, const GpuAggPartLevel *level,
				   uint32_t sms, cudaStream_t stream)
{
	return fast == GPUAGG_FAST_SOURCES ?
		launch_writes<KEY, GPUAGG_FAST_SOURCES>(a, level, sms, stream) :
		launch_writes<KEY, GPUAGG_FAST_PAIRS>(a, level, sms, stream);
}

cudaError_t
gpuagg_cuda_groupby_write(const GpuAggGroupByArgs *a, GpuAggKeyShape key,
						 const GpuAggPartLevel *level, uint32_t sms, cudaStream_t stream)
{
	/* a key alone has a shorter record */
	const GpuAggFast fast = a->nfields == 2 ? level_fast(a, key, level) : GPUAGG_FAST_NOT;
	const cudaError_t rc = gpuagg_cuda_groupby_cut(level, stream);

	if (rc != cudaSuccess)
		return rc;
	if (key == GPUAGG_KEY_I32 && fast != GPUAGG_FAST_NOT)
		return launch_fast_writes<GPUAGG_KEY_I32>(a, fast, level, sms, stream);
	if (fast != GPUAGG_FAST_NOT)
		return launch_fast_writes<GPUAGG_KEY_I64>(a, fast, level, sms, stream);
	return a->record_bytes % 16 == 0 ? launch_record_writes<uint4>(a, level, sms, stream) :
		a->record_bytes % 8 == 0 ? launch_record_writes<uint2>(a, level, sms, stream) :
		launch_record_writes<uint32_t>(a, level, sms, stream);
}
