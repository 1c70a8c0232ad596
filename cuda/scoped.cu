/*
 * scoped.cu
 *		Scoped grouping, its host side: memory, the order of launches, and what
 *		is done when a table or the room for groups is full.
 *
 * Every launch draws its work from a counter on the device, which stays from
 * launch to launch.  A launch that finds the table full stops drawing; rows
 * and groups that it could not place lie in lists.  Then the table grows, the
 * lists are worked off, and the launch goes on where it stopped.
 */
#include <stdlib.h>

#include "cuda/cuda_device.h"
#include "cuda/scoped.h"

#define MIN_CAPACITY 1024

/* Room for records of chunks, at first */
#define MIN_RECORDS ((uint64_t) 1 << 20)

#define TABLE_THREADS 256
#define TABLE_BLOCKS_PER_SM 8

/* A table grows fourfold up to this size, then twofold */
#define FAST_GROWTH_BYTES ((uint64_t) 1 << 30)

/* Blocks with local tables, of a multiprocessor, at most */
#define BLOCKS_PER_SM 2

/* Rows of a piece of a partition that has several blocks, at least */
#define MIN_SPLIT_ROWS 65536

#define ALIGN(bytes) (((bytes) + 255) & ~(size_t) 255)

typedef enum Phase
{
	PHASE_BEGIN,				/* or chunks are packed */
	PHASE_PACKED,				/* records are being made of columns */
	PHASE_MAIN,					/* the strategy's launch */
	PHASE_BIG,					/* partitions for several blocks */
	PHASE_DONE
} Phase;

typedef struct Block
{
	void	   *p;
	size_t		bytes;
} Block;

#define MAX_BLOCKS 96

struct GpuAggScoped
{
	GpuAggScopedConfig config;
	GpuAggScopedMemory memory;
	GpuAggScopedReport *report;
	cudaStream_t stream;
	const GpuAggPlan *plan;
	const GpuAggProgram *program;
	GpuAggRecord record;
	GpuAggKeyShape key;
	GpuAggScopedArgs args;
	GpuAggScopedLocal local;
	GpuAggPackColumns columns;
	bool		direct;			/* kernels read the columns as they are */
	bool		chunks;			/* rows come in chunks */
	char	   *records;		/* of these */
	uint64_t	max_records;	/* room */
	uint64_t	bound;			/* there are at most that many, those of chunks
								 * under way included */
	bool		all_big;		/* partitions have several blocks each */
	bool		retrying;		/* working off the lists */
	Phase		phase;
	GpuAggScopedReport *device; /* its copy on the card */
	uint32_t	blocks;			/* of kernels with local tables */
	uint64_t	window;
	GpuAggWindows windows;
	char	   *kept;
	GpuAggPartitions parts;
	uint64_t	top[2];			/* the first level's only parent */
	size_t		table_bytes;
	uint64_t	max_waiting;	/* room in the lists */
	uint64_t	max_spilled;
	GpuAggScopedPiece pieces[GPUAGG_SCOPED_PIECES];
	uint32_t	npieces;
	Block		owned[MAX_BLOCKS];
	uint32_t	nowned;
};

#define CHECK(call) \
	do { \
		GpuAggStatus status_ = gpuagg_cuda_failed(NULL, call, #call, __FILE__, __LINE__, s, error); \
		if (status_ != GPUAGG_OK) \
			return status_; \
	} while (0)

/* ---------- memory ---------- */

static void *
take(GpuAggScoped *s, size_t bytes, GpuAggError *error)
{
	void	   *p;

	bytes = ALIGN(bytes > 0 ? bytes : 1);
	if (s->nowned == MAX_BLOCKS)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "more than %d pieces of memory", MAX_BLOCKS);
		return NULL;
	}
	p = s->memory.alloc(s->memory.arg, bytes, s->stream, error);
	if (p != NULL)
	{
		s->owned[s->nowned].p = p;
		s->owned[s->nowned++].bytes = bytes;
	}
	return p;
}

static void
give(GpuAggScoped *s, void *p)
{
	for (uint32_t i = 0; i < s->nowned; i++)
		if (s->owned[i].p == p)
		{
			s->memory.free(s->memory.arg, p, s->owned[i].bytes, s->stream);
			s->owned[i] = s->owned[--s->nowned];
			return;
		}
}

static uint64_t
power_of_two(double n)
{
	uint64_t	p = MIN_CAPACITY;

	while ((double) p < n && p < (uint64_t) 1 << 62)
		p *= 2;
	return p;
}

/* ---------- the table ---------- */

/* Of kernels on tables: as many threads as any card holds */
static GpuAggLaunch
table_launch(const GpuAggScoped *s)
{
	GpuAggLaunch launch = {};

	launch.threads = TABLE_THREADS;
	launch.blocks = (uint64_t) s->config.sms * TABLE_BLOCKS_PER_SM;
	return launch;
}

static GpuAggStatus
make_table(GpuAggScoped *s, uint64_t capacity, GpuAggTableRef *table, GpuAggError *error)
{
	const GpuAggLaunch launch = table_launch(s);

	table->capacity = capacity;
	table->limit = capacity / 2;
	table->head = &s->device->table;
	table->slots = (char *) take(s, capacity * s->plan->stride, error);
	if (table->slots == NULL)
		return error->status;
	gpuagg_cuda_table_init(s->args.plan, table, s->program->nkeys == 0, &launch, s->stream);
	CHECK(cudaGetLastError());
	return GPUAGG_OK;
}

/* Room for `more` groups beyond those that are there */
static GpuAggStatus
grow_table(GpuAggScoped *s, uint64_t more, GpuAggError *error)
{
	const GpuAggTableRef old = s->args.table;
	const GpuAggLaunch launch = table_launch(s);
	uint64_t	capacity = old.capacity *
		(old.capacity * s->plan->stride < FAST_GROWTH_BYTES ? 4 : 2);
	GpuAggStatus status;

	while (capacity / 2 < s->report->table.count + more)
		capacity *= 2;
	status = make_table(s, capacity, &s->args.table, error);
	if (status != GPUAGG_OK)
		return status;
	gpuagg_cuda_table_move(s->args.plan, &old, &s->args.table, &launch, s->stream);
	CHECK(cudaGetLastError());
	give(s, old.slots);
	return GPUAGG_OK;
}

/* Sends what is known of the counters to the card. */
static GpuAggStatus
put_head(GpuAggScoped *s, GpuAggError *error)
{
	CHECK(cudaMemcpyAsync(&s->device->head, &s->report->head, sizeof(s->report->head),
						  cudaMemcpyHostToDevice, s->stream));
	return GPUAGG_OK;
}

static GpuAggStatus
ask_report(GpuAggScoped *s, GpuAggError *error)
{
	CHECK(cudaMemcpyAsync(s->report, s->device, sizeof(*s->report), cudaMemcpyDeviceToHost,
						  s->stream));
	return GPUAGG_BUSY;
}

/* ---------- launches ---------- */

/* Fields are the columns themselves. */
static void
read_columns(GpuAggScoped *s)
{
	s->args.n = s->columns.n;
	for (uint32_t i = 0; i < s->record.nfields; i++)
		s->args.fields[i].base = s->columns.columns[s->record.fields[i].reg].values.base;
	for (uint32_t i = 0; i < s->record.nfields; i++)
		s->args.fields[i].step = s->record.fields[i].bytes;
}

static GpuAggStatus
launch_pack(GpuAggScoped *s, GpuAggError *error)
{
	const uint32_t threads = s->config.sms * GPUAGG_PACK_BLOCKS * GPUAGG_PACK_THREADS;
	const size_t scratch_bytes = gpuagg_cuda_scratch_bytes(s->program, threads);
	char	   *records = (char *) take(s, s->columns.n * s->record.bytes, error);
	char	   *scratch = NULL;

	if (records == NULL)
		return error->status;
	if (scratch_bytes > 0 && (scratch = (char *) take(s, scratch_bytes, error)) == NULL)
		return error->status;
	gpuagg_cuda_scoped_records(&s->record, records, 0, &s->args);
	s->phase = PHASE_PACKED;
	CHECK(gpuagg_cuda_scoped_pack(&s->args, &s->columns, records, scratch,
								  (uint32_t) (scratch_bytes / threads), s->config.sms, s->stream));
	if (scratch != NULL)
		give(s, scratch);
	return ask_report(s, error);
}

/* ---------- chunks ---------- */

/* Room for that many more records; the old ones move along. */
static GpuAggStatus
records_room(GpuAggScoped *s, uint64_t more, GpuAggError *error)
{
	uint64_t	room = s->max_records > 0 ? s->max_records : MIN_RECORDS;
	char	   *old = s->records;

	if (s->bound + more <= s->max_records)
		return GPUAGG_OK;
	while (room < s->bound + more)
		room *= 2;
	s->records = (char *) take(s, room * s->record.bytes, error);
	if (s->records == NULL)
	{
		s->records = old;
		return error->status;
	}
	s->max_records = room;
	if (old == NULL)
		return GPUAGG_OK;
	CHECK(cudaMemcpyAsync(s->records, old, s->bound * s->record.bytes, cudaMemcpyDeviceToDevice,
						  s->stream));
	give(s, old);
	return GPUAGG_OK;
}

/* Where another program with the same keys and transitions has the fields */
static void
field_regs(const GpuAggRecord *record, const GpuAggProgram *p, uint16_t *regs)
{
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (record->arg_field[i] != GPUAGG_NO_FIELD)
			regs[record->arg_field[i]] = gpuagg_program_transitions(p)[i].arg;
	for (uint32_t i = 0; i < p->nkeys; i++)
		regs[record->key_field[i]] = gpuagg_program_keys(p)[i].reg;
}

GpuAggStatus
gpuagg_cuda_scoped_chunk(GpuAggScoped *s, const GpuAggPlan *device_plan,
						 const GpuAggProgram *program, const GpuAggChunk *chunk,
						 char *scratch, uint32_t scratch_stride, uint32_t blocks,
						 GpuAggError *error)
{
	GpuAggPackChunk c = {};

	if (records_room(s, chunk->nrows, error) != GPUAGG_OK)
		return error->status;
	c.plan = device_plan;
	c.chunk = *chunk;
	c.records = s->records;
	field_regs(&s->record, program, c.regs);
	s->bound += chunk->nrows;
	CHECK(gpuagg_cuda_scoped_pack_chunk(&s->args, &c, scratch, scratch_stride, blocks, s->stream));
	return GPUAGG_OK;
}

void
gpuagg_cuda_scoped_settle(GpuAggScoped *s, uint32_t places, uint64_t records)
{
	s->bound -= places - records;
}

/* All chunks are packed: how many records are there? */
static GpuAggStatus
chunks_end(GpuAggScoped *s, GpuAggError *error)
{
	gpuagg_cuda_scoped_records(&s->record, s->records, 0, &s->args);
	s->phase = PHASE_PACKED;
	return ask_report(s, error);
}

/* ---------- launches ---------- */

/* Memory of a level but for its records */
static bool
make_level(GpuAggScoped *s, uint32_t bits, uint32_t before, const uint64_t *parents,
		   GpuAggPartLevel *level, GpuAggError *error)
{
	const uint32_t nparents = 1u << before;
	const uint64_t n = (uint64_t) nparents << bits;
	const size_t counts = ALIGN(n * 4);
	const size_t places = ALIGN((n + 1) * 8);
	char	   *meta = (char *) take(s, counts + 2 * places + (nparents + 1) * 4, error);

	level->scope = s->args.table.scope;
	level->bits = bits;
	level->before = before;
	level->nparents = nparents;
	level->parents = parents;
	level->counts = (uint32_t *) meta;
	level->starts = (uint64_t *) (meta + counts);
	level->cursors = (unsigned long long *) (meta + counts + places);
	level->pieces = (uint32_t *) (meta + counts + 2 * places);
	return meta != NULL;
}

static GpuAggStatus
count_level(GpuAggScoped *s, const GpuAggPartLevel *level, GpuAggError *error)
{
	CHECK(cudaMemsetAsync(level->counts, 0, (size_t) level->nparents * 4 << level->bits, s->stream));
	CHECK(gpuagg_cuda_scoped_count(&s->args, s->key, level, s->config.sms, s->stream));
	return GPUAGG_OK;
}

/* Rows become records; what kernels read from then on */
static GpuAggStatus
write_level(GpuAggScoped *s, GpuAggPartLevel *level, GpuAggError *error)
{
	level->records = (char *) take(s, s->args.n * s->record.bytes, error);
	if (level->records == NULL)
		return error->status;
	CHECK(gpuagg_cuda_scoped_write(&s->args, s->key, level, s->config.sms, s->stream));
	gpuagg_cuda_scoped_records(&s->record, level->records, s->args.n, &s->args);
	if (s->records != NULL)
		give(s, s->records);	/* those of chunks have been read */
	s->records = NULL;
	return GPUAGG_OK;
}

/* Both levels: the second one's partitions are counted at once, if they fit */
static GpuAggStatus
partition_twice(GpuAggScoped *s, const uint32_t *bits, const uint64_t *top,
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
		status = count_level(s, &all, error);
		gpuagg_cuda_scoped_coarse(&first, second.starts, bits[1], s->stream);
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
		give(s, first.records);
	*starts = second.starts;
	return status;
}

static GpuAggStatus
partition_once(GpuAggScoped *s, uint32_t bits, const uint64_t *top, const uint64_t **starts,
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
static GpuAggStatus
add_piece(GpuAggScoped *s, double groups, GpuAggError *error)
{
	GpuAggScopedPiece *piece = &s->pieces[s->npieces];
	double		room = groups < s->args.n ? groups : (double) s->args.n;

	if (s->npieces == GPUAGG_SCOPED_PIECES)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "more than %d pieces of groups",
								 GPUAGG_SCOPED_PIECES);
	piece->capacity = (uint64_t) room + (uint64_t) s->blocks * (s->local.slots + 1);
	piece->groups = 0;
	piece->rows = (char *) take(s, piece->capacity * s->args.row_bytes, error);
	if (piece->rows == NULL)
		return error->status;
	s->npieces++;
	return GPUAGG_OK;
}

static GpuAggStatus
launch_partitions(GpuAggScoped *s, GpuAggError *error)
{
	const GpuAggScopedPiece *piece = &s->pieces[s->npieces - 1];
	const GpuAggDense dense = {piece->rows, piece->capacity};

	CHECK(gpuagg_cuda_scoped_partitions(&s->args, s->key, &s->local, &s->parts,
										s->phase == PHASE_BIG ? NULL : &dense, s->blocks,
										s->stream));
	return ask_report(s, error);
}

static GpuAggStatus
start_partitioned(GpuAggScoped *s, GpuAggError *error)
{
	const double expected = s->config.expected_groups;
	uint64_t   *top;
	uint32_t	bits[2];
	uint32_t	n;
	GpuAggStatus status;

	gpuagg_cuda_scoped_bits(&s->config, &s->args, s->key, bits);
	n = 1u << (bits[0] + bits[1]);
	s->top[0] = 0;
	s->top[1] = s->args.n;
	top = (uint64_t *) take(s, sizeof(s->top), error);
	s->parts.big = (uint32_t *) take(s, n * 4ull, error);
	if (top == NULL || s->parts.big == NULL)
		return error->status;
	CHECK(cudaMemcpyAsync(top, s->top, sizeof(s->top), cudaMemcpyHostToDevice, s->stream));
	status = bits[1] > 0 ? partition_twice(s, bits, top, &s->parts.starts, error) :
		partition_once(s, bits[0], top, &s->parts.starts, error);
	if (status == GPUAGG_OK)
		status = add_piece(s, s->config.dense_groups > 0 ? (double) s->config.dense_groups :
						   expected * 1.1, error);
	if (status != GPUAGG_OK)
		return status;
	s->parts.n = n;
	return launch_partitions(s, error);
}

static GpuAggStatus
launch_single(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggWindows w = s->windows;

	w.window = (uint32_t) s->window;
	w.kept = s->window == 0 ? s->kept : NULL;
	CHECK(gpuagg_cuda_scoped_single(&s->args, s->key, &w, s->config.sms, s->stream));
	return ask_report(s, error);
}

static GpuAggStatus
start_single(GpuAggScoped *s, GpuAggError *error)
{
	const size_t tiles = sizeof(unsigned long long) << s->config.windows_log2;

	s->windows.log2 = s->config.windows_log2;
	if (s->config.strategy == GPUAGG_SCOPED_SPATIAL)
	{
		s->windows.sm_windows = s->config.sm_windows;
		s->windows.tiles = (unsigned long long *) take(s, tiles, error);
		if (s->windows.tiles == NULL)
			return error->status;
		CHECK(cudaMemsetAsync(s->windows.tiles, 0, tiles, s->stream));
	}
	else if (s->config.keep_rows && s->windows.log2 > 0 &&
			 (s->kept = (char *) take(s, s->args.n * s->record.bytes, error)) == NULL)
		return error->status;
	return launch_single(s, error);
}

static GpuAggStatus
launch_main(GpuAggScoped *s, GpuAggError *error)
{
	switch (s->config.strategy)
	{
		case GPUAGG_SCOPED_LOCAL:
			CHECK(gpuagg_cuda_scoped_local(&s->args, s->key, &s->local, s->blocks, s->stream));
			return ask_report(s, error);
		case GPUAGG_SCOPED_PARTITIONED:
			return launch_partitions(s, error);
		default:
			return launch_single(s, error);
	}
}

/* ---------- beginning ---------- */

/* Rows that may be under way when a table is found to be full */
static uint64_t
waiting_room(GpuAggScoped *s)
{
	uint64_t	rows = (uint64_t) s->config.sms * GPUAGG_SM_WARPS * GPUAGG_WARP_TILE;

	if (s->config.strategy == GPUAGG_SCOPED_PARTITIONED)
		rows = s->blocks * s->parts.split_rows;
	return rows < s->args.n ? rows : s->args.n;
}

static GpuAggStatus
prepare_local(GpuAggScoped *s, GpuAggError *error)
{
	const bool	partitioned = s->config.strategy == GPUAGG_SCOPED_PARTITIONED;
	double		groups = s->config.expected_groups;
	uint32_t	bits[2];

	if (partitioned)
	{
		gpuagg_cuda_scoped_bits(&s->config, &s->args, s->key, bits);
		groups /= (double) (1u << (bits[0] + bits[1]));
		s->parts.split_rows = 2 * (s->args.n >> (bits[0] + bits[1]));
		if (s->parts.split_rows > s->args.n / (4 * BLOCKS_PER_SM * s->config.sms))
			s->parts.split_rows = s->args.n / (4 * BLOCKS_PER_SM * s->config.sms);
		s->all_big = s->parts.split_rows < s->args.n >> (bits[0] + bits[1]);
		if (s->parts.split_rows < MIN_SPLIT_ROWS)
			s->parts.split_rows = MIN_SPLIT_ROWS;
	}
	else if (s->config.strategy != GPUAGG_SCOPED_LOCAL)
		return GPUAGG_OK;

	/* too many groups are no failure: rows go where there is room */
	(void) gpuagg_cuda_scoped_shape(&s->config, &s->args, s->key, groups, &s->local);
	if (s->local.bytes > s->config.block_bytes)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "no room for tables in shared memory");
	s->blocks = s->config.sms * (s->local.bytes > s->config.sm_bytes / BLOCKS_PER_SM - 1024 ? 1 : BLOCKS_PER_SM);
	s->max_spilled = (uint64_t) s->blocks * (s->local.slots + 1);
	s->args.spilled = (char *) take(s, s->max_spilled * s->args.row_bytes, error);
	return s->args.spilled != NULL ? GPUAGG_OK : error->status;
}

static GpuAggStatus
start_main(GpuAggScoped *s, GpuAggError *error)
{
	double		groups = s->config.expected_groups;
	GpuAggStatus status;

	s->phase = PHASE_MAIN;
	s->report->head.npacked = 0;
	status = put_head(s, error);
	if (status == GPUAGG_OK)
		status = prepare_local(s, error);
	if (status != GPUAGG_OK)
		return status;
	/* of small partitions, only what does not fit shared memory */
	if (s->config.strategy == GPUAGG_SCOPED_PARTITIONED && !s->all_big)
		groups /= 16;
	s->max_waiting = waiting_room(s);
	s->args.waiting = (uint64_t *) take(s, s->max_waiting * 8, error);
	if (s->args.waiting == NULL)
		return error->status;
	status = make_table(s, s->config.capacity > 0 ? s->config.capacity : power_of_two(2.5 * groups),
						&s->args.table, error);
	if (status != GPUAGG_OK)
		return status;
	if (s->config.strategy == GPUAGG_SCOPED_PARTITIONED)
		return start_partitioned(s, error);
	if (s->config.strategy == GPUAGG_SCOPED_LOCAL)
		return launch_main(s, error);
	return start_single(s, error);
}

/* A column that a program reads: where it can be NULL */
static void
note_nullable(const GpuAggProgram *p, const GpuAggColumns *columns, uint8_t *nullable)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);

	/* what is computed may always be NULL; errors never get this far */
	memset(nullable, 1, p->nregs);
	for (uint32_t i = 0; i < p->ncolumns; i++)
		nullable[i] = columns->columns[i].nulls != NULL;
	for (uint32_t i = 0; i < p->nconsts; i++)
		nullable[p->ncolumns + i] = consts[i].state != GPUAGG_ST_VALUE;
}

/* Of chunks only the catalogs know, and of keys alone. */
static void
note_keys(const GpuAggProgram *p, uint8_t *nullable)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);

	memset(nullable, 1, p->nregs);
	for (uint32_t i = 0; i < p->nkeys; i++)
		nullable[keys[i].reg] = !keys[i].notnull;
}

/* Nothing to compute, to leave out or to refuse: columns are the fields. */
static bool
is_direct(const GpuAggScoped *s)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(s->program);

	if (s->record.has_head || s->program->filter_reg != GPUAGG_NO_REG)
		return false;
	for (uint32_t i = 0; i < s->record.nfields; i++)
		if (s->record.fields[i].reg >= s->program->ncolumns)
			return false;
	for (uint32_t i = 0; i < s->program->ntransitions; i++)
		if (trans[i].op == GPUAGG_TRANS_SUM_F64_AVG)
			return false;
	return true;
}

static bool
take_columns(GpuAggScoped *s, const GpuAggColumns *columns)
{
	s->columns.n = columns->n;
	for (uint32_t i = 0; i < s->program->ncolumns; i++)
	{
		const GpuAggColumn *from = &columns->columns[i];
		GpuAggPackColumn *to = &s->columns.columns[i];

		if (gpuagg_key_class(from->type) == GPUAGG_CLASS_BYTES)
			return false;
		to->nulls = from->nulls;
		to->values.base = (const char *) from->values;
		to->values.bytes = (uint8_t) gpuagg_type_slot_bytes(from->type);
		to->values.step = to->values.bytes;
	}
	return true;
}

/* All but where the rows come from; nullable[register] */
static GpuAggStatus
scoped_make(const GpuAggScopedConfig *config, const GpuAggPlan *plan,
			const GpuAggPlan *device_plan, const uint8_t *nullable,
			const GpuAggScopedMemory *memory, GpuAggScopedReport *report,
			cudaStream_t stream, GpuAggScoped *s, GpuAggError *error)
{
	s->config = *config;
	s->memory = *memory;
	s->report = report;
	s->stream = stream;
	s->plan = plan;
	s->program = gpuagg_cuda_program(plan);
	memset(report, 0, sizeof(*report));
	if (!gpuagg_record_compute(s->program, nullable, &s->record))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "rows have no records");
	gpuagg_cuda_scoped_args(plan, s->program, &s->record, &s->args);
	s->args.plan = device_plan;
	s->args.table.scope = plan->scope;
	s->key = gpuagg_cuda_scoped_key(s->program, &s->record);
	s->device = (GpuAggScopedReport *) take(s, sizeof(*s->device), error);
	if (s->device == NULL)
		return error->status;
	s->args.head = &s->device->head;
	CHECK(cudaMemsetAsync(s->device, 0, sizeof(*s->device), stream));
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_scoped_begin(const GpuAggScopedConfig *config, const GpuAggPlan *plan,
						 const GpuAggPlan *device_plan, const GpuAggColumns *columns,
						 const GpuAggScopedMemory *memory, GpuAggScopedReport *report,
						 cudaStream_t stream, GpuAggScoped **scoped, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(plan);
	uint8_t		nullable[GPUAGG_MAX_REGS];
	GpuAggScoped *s = (GpuAggScoped *) calloc(1, sizeof(*s));
	GpuAggStatus status;

	*scoped = s;
	if (s == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	s->program = p;
	if (p->ncolumns > GPUAGG_PACK_COLUMNS || !take_columns(s, columns))
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "strings, or too many columns");
	note_nullable(p, columns, nullable);
	status = scoped_make(config, plan, device_plan, nullable, memory, report, stream, s, error);
	s->direct = status == GPUAGG_OK && is_direct(s);
	return status;
}

GpuAggStatus
gpuagg_cuda_scoped_open(const GpuAggScopedConfig *config, const GpuAggPlan *plan,
						const GpuAggPlan *device_plan, const GpuAggScopedMemory *memory,
						GpuAggScopedReport *report, cudaStream_t stream,
						GpuAggScoped **scoped, GpuAggError *error)
{
	uint8_t		nullable[GPUAGG_MAX_REGS];
	GpuAggScoped *s = (GpuAggScoped *) calloc(1, sizeof(*s));

	*scoped = s;
	if (s == NULL)
		return gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
	s->chunks = true;
	note_keys(gpuagg_cuda_program(plan), nullable);
	return scoped_make(config, plan, device_plan, nullable, memory, report, stream, s, error);
}

/* ---------- going on ---------- */

/* The table was full: a larger one, and the lists again */
static GpuAggStatus
retry(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	const uint64_t nwaiting = head->nwaiting;
	const uint64_t nspilled = head->nspilled;
	uint64_t   *rows = s->args.waiting;
	char	   *groups = s->args.spilled;
	GpuAggStatus status = grow_table(s, nwaiting + nspilled + s->max_spilled, error);

	head->stop = 0;
	head->nwaiting = 0;
	head->nspilled = 0;
	if (status == GPUAGG_OK)
		status = put_head(s, error);
	if (status != GPUAGG_OK || nwaiting + nspilled == 0)
		return status;
	s->args.waiting = (uint64_t *) take(s, s->max_waiting * 8, error);
	s->args.spilled = (char *) take(s, s->max_spilled * s->args.row_bytes, error);
	if (s->args.waiting == NULL || s->args.spilled == NULL)
		return error->status;
	s->retrying = true;
	CHECK(gpuagg_cuda_scoped_waiting(&s->args, rows, nwaiting, groups, nspilled, s->config.sms,
									 s->stream));
	give(s, rows);
	if (groups != NULL)
		give(s, groups);
	return ask_report(s, error);
}

/* No room for groups: more of it, and on */
static GpuAggStatus
next_piece(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	s->pieces[s->npieces - 1].groups = head->groups;
	head->full = 0;
	head->groups = 0;
	status = add_piece(s, 2.0 * s->pieces[s->npieces - 1].capacity, error);
	if (status == GPUAGG_OK)
		status = put_head(s, error);
	return status == GPUAGG_OK ? launch_partitions(s, error) : status;
}

static GpuAggStatus
next_window(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggStatus status;

	if (s->kept != NULL && s->window == 0)
		gpuagg_cuda_scoped_records(&s->record, s->kept, s->report->head.npacked, &s->args);
	s->window++;
	s->report->head.tile = 0;
	status = put_head(s, error);
	return status == GPUAGG_OK ? launch_single(s, error) : status;
}

/* The launch has come to its end. */
static GpuAggStatus
main_done(GpuAggScoped *s, GpuAggError *error)
{
	GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	if (s->config.strategy == GPUAGG_SCOPED_SINGLE && s->window + 1 < (uint64_t) 1 << s->windows.log2)
		return next_window(s, error);
	if (s->config.strategy == GPUAGG_SCOPED_PARTITIONED && s->phase == PHASE_MAIN)
	{
		s->pieces[s->npieces - 1].groups = head->groups;
		if (head->full)
			return next_piece(s, error);
		if (head->nbig > 0)
		{
			s->phase = PHASE_BIG;
			head->tile = 0;
			status = put_head(s, error);
			return status == GPUAGG_OK ? launch_partitions(s, error) : status;
		}
	}
	s->phase = PHASE_DONE;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_scoped_step(GpuAggScoped *s, GpuAggError *error)
{
	const GpuAggScopedHead *head = &s->report->head;
	GpuAggStatus status;

	if (head->errors != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR, "a value's error was consumed");
		error->detail = head->errors;
		return GPUAGG_VALUE_ERROR;
	}
	switch (s->phase)
	{
		case PHASE_BEGIN:
			if (s->chunks)
				return chunks_end(s, error);
			if (!s->direct)
				return launch_pack(s, error);
			read_columns(s);
			return start_main(s, error);
		case PHASE_PACKED:
			s->args.n = head->npacked;
			return start_main(s, error);
		case PHASE_DONE:
			return GPUAGG_OK;
		default:
			break;
	}
	if (head->nwaiting + head->nspilled > 0 || head->stop)
	{
		status = retry(s, error);
		return status == GPUAGG_OK ? launch_main(s, error) : status;
	}
	if (s->retrying)
	{
		s->retrying = false;
		return launch_main(s, error);
	}
	return main_done(s, error);
}

/* ---------- results and end ---------- */

const GpuAggScopedPiece *
gpuagg_cuda_scoped_pieces(const GpuAggScoped *s, uint32_t *n)
{
	*n = s->npieces;
	return s->pieces;
}

const GpuAggTableRef *
gpuagg_cuda_scoped_table(const GpuAggScoped *s)
{
	return &s->args.table;
}

uint64_t
gpuagg_cuda_scoped_misses(const GpuAggScoped *s)
{
	return s->report->head.misses;
}

void
gpuagg_cuda_scoped_end(GpuAggScoped *s)
{
	if (s == NULL)
		return;
	while (s->nowned > 0)
		give(s, s->owned[s->nowned - 1].p);
	free(s);
}
