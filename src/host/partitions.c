/*
 * partitions.c
 *		Groups of one task that do not stay in its threads' own tables.
 *
 * The hash space is cut into partitions by the hash's highest bits, each with
 * a table and a lock.  Rows get there in one of two ways:
 *
 *	single pass	A block's rows are sorted by partition, then added at once; so
 *				a lock is taken once per block and partition.  Every row is a
 *				random access to all tables together.
 *	partitioned	Each thread keeps rows as records, by partition, and adds them
 *				when there are many: then a partition's table is fetched into
 *				the thread's L2 cache once for all of them.  Partitions are so
 *				many that the table of each fits there.  What is kept at the
 *				end is aggregated partition by partition, each by one thread.
 *
 * What the first aggregated records show corrects what was expected, either
 * way: how much is kept, and, if tables turn out to be small, whether
 * anything is.
 *
 * Records take memory, but never so much that the tables would want it: there
 * is always room for the groups that all records would become.  A thread that
 * finds no room aggregates what it keeps; a thread for which not even then
 * there is any goes on in a single pass.
 *
 * Locks: a partition's lock guards its table; no thread holds two.  A busy
 * partition is passed over and waited for only when no other is left.
 */
#include <math.h>

#include "host/machine.h"
#include "host/partitions.h"

/*
 * Directories are made for so many times the groups that are expected, so that
 * two fifths of one are in use at most.  Measured: a million groups take a
 * tenth longer with nearly half in use, for more tags lie where they do not
 * belong; with a third at most, three million groups suffer from the size.
 */
#define PARTITION_DIRECTORY_ROOM 1.2

/* An estimate from few rows, or from aggregated records, is no better. */
#define PARTITION_ESTIMATE_ERROR 4
#define PARTITION_LEARNED_ERROR 2

/* Records of a thread before they are aggregated: so many record blocks of every partition */
#define RECORDS_LEAST_BLOCKS 2

/* ---------- how many ---------- */

/* As if rows were drawn at random: how many groups show so many of them? */
static double
estimate_groups(double rows, double groups, double most)
{
	double		all = groups;

	while (all < most && all * (1 - exp(-rows / all)) < groups * 0.999)
		all *= 1.25;
	return all < most ? all : most;
}

static double
most_groups(const GpuAggPartitions *ps, uint64_t rows)
{
	return ps->expected_rows > (double) rows ? ps->expected_rows : (double) rows;
}

static double
tables_bytes(const GpuAggPartitions *ps, double groups)
{
	return gpuagg_host_tables_bytes(groups, ps->prepared->layout.row_bytes);
}

/*
 * Before anything is kept: what was expected, unless rows show far more.
 * Partitions too many cost little, too few are larger than the cache; and few
 * rows, if groups come in runs, show far too few of them.
 */
static double
table_bytes(const GpuAggPartitions *ps, uint64_t rows, uint64_t groups)
{
	double		most = most_groups(ps, rows);
	double		estimate = estimate_groups((double) rows, (double) groups, most);

	if (ps->expected_groups * PARTITION_ESTIMATE_ERROR > estimate)
		estimate = ps->expected_groups < most ? ps->expected_groups : most;
	return tables_bytes(ps, estimate);
}

/* Once records have been aggregated: what they show, unless it is about that. */
static double
learned_bytes(const GpuAggPartitions *ps, uint64_t rows, uint64_t groups)
{
	double		estimate = estimate_groups((double) rows, (double) groups,
										   most_groups(ps, rows));

	if (estimate * PARTITION_LEARNED_ERROR > ps->expected_groups &&
		ps->expected_groups * PARTITION_LEARNED_ERROR > estimate)
		estimate = ps->expected_groups;
	return tables_bytes(ps, estimate);
}

static bool
worth_keeping(const GpuAggPartitions *ps, double tables)
{
	return gpuagg_host_keeps_records(tables, (double) ps->scope_bytes);
}

static void
expect_tables(GpuAggPartitions *ps, double tables)
{
	atomic_store_explicit(&ps->expected_tables,
						  tables < 1e18 ? (uint64_t) tables : (uint64_t) 1e18,
						  memory_order_relaxed);
}

/* What cannot be kept to is not forced. */
static GpuAggStrategy
forced_strategy(const GpuAggPartitions *ps, const GpuAggTaskConfig *config)
{
	if (!config->forced)
		return GPUAGG_STRATEGY_AUTO;
	switch (config->strategy)
	{
		case GPUAGG_STRATEGY_BLOCK_LOCAL:
		case GPUAGG_STRATEGY_SINGLE_PASS:
			return (GpuAggStrategy) config->strategy;
		case GPUAGG_STRATEGY_PARTITIONED:
			return ps->records.possible ? GPUAGG_STRATEGY_PARTITIONED :
				GPUAGG_STRATEGY_SINGLE_PASS;
		default:
			return GPUAGG_STRATEGY_AUTO;
	}
}

void
gpuagg_partitions_init(GpuAggPartitions *ps, const GpuAggPrepared *prepared,
					   GpuAggMemory *memory, uint32_t threads,
					   const GpuAggTaskConfig *config)
{
	memset(ps, 0, sizeof(*ps));
	ps->prepared = prepared;
	ps->memory = memory;
	ps->threads = threads;
	ps->scope_bytes = config->scope_bytes > 0 ? config->scope_bytes : gpuagg_host_part_bytes();
	ps->expected_groups = config->expected_groups;
	ps->expected_rows = config->expected_rows;
	pthread_mutex_init(&ps->lock, NULL);
	gpuagg_pieces_init(&ps->pieces, memory);
	atomic_init(&ps->all, NULL);
	atomic_init(&ps->record_bytes, 0);
	atomic_init(&ps->keeps_records, false);
	atomic_init(&ps->expected_tables, 0);
	atomic_init(&ps->learned, false);
	gpuagg_record_layout_columns(&ps->records, prepared);
	ps->forced = forced_strategy(ps, config);
}

/* Are records kept, and how many partitions are there? */
static void
choose(GpuAggPartitions *ps, uint64_t rows, uint64_t groups)
{
	double		tables = table_bytes(ps, rows, groups);

	expect_tables(ps, tables);
	ps->partitioned = ps->forced == GPUAGG_STRATEGY_PARTITIONED ||
		(ps->forced == GPUAGG_STRATEGY_AUTO && ps->records.possible &&
		 worth_keeping(ps, tables));
	atomic_store_explicit(&ps->keeps_records, ps->partitioned, memory_order_relaxed);
	ps->bits = ps->partitioned ?
		gpuagg_host_partition_bits(ps->threads, tables, (double) ps->scope_bytes) :
		gpuagg_host_single_pass_bits(ps->threads);
	gpuagg_record_layout_blocks(&ps->records, ps->bits, ps->threads, ps->scope_bytes);
}

static bool
make_locked(GpuAggPartitions *ps, uint64_t rows, uint64_t groups)
{
	GpuAggPartition *all;

	choose(ps, rows, groups);
	all = gpuagg_memory_alloc(ps->memory, sizeof(*all) << ps->bits);
	if (all == NULL)
		return false;
	for (uint32_t i = 0; i < 1u << ps->bits; i++)
	{
		pthread_mutex_init(&all[i].lock, NULL);
		all[i].rows = 0;
		gpuagg_table_init(&all[i].table, ps->prepared, ps->memory,
						  ps->partitioned ? &ps->pieces : NULL, false);
	}
	atomic_store_explicit(&ps->all, all, memory_order_release);
	return true;
}

bool
gpuagg_partitions_make(GpuAggPartitions *ps, uint64_t rows, uint64_t groups)
{
	bool		made;

	if (gpuagg_partitions(ps) != NULL)
		return true;
	pthread_mutex_lock(&ps->lock);
	made = gpuagg_partitions(ps) != NULL || make_locked(ps, rows, groups);
	pthread_mutex_unlock(&ps->lock);
	return made;
}

void
gpuagg_partitions_free(GpuAggPartitions *ps)
{
	GpuAggPartition *all = gpuagg_partitions(ps);

	for (uint32_t i = 0; all != NULL && i < 1u << ps->bits; i++)
	{
		gpuagg_table_clear(&all[i].table);
		pthread_mutex_destroy(&all[i].lock);
	}
	gpuagg_memory_free(ps->memory, all, sizeof(*all) << ps->bits);
	gpuagg_pieces_destroy(&ps->pieces);
	pthread_mutex_destroy(&ps->lock);
}

/* Groups in all tables, and rows that they have come of */
static uint64_t
count_groups(GpuAggPartitions *ps, uint64_t *rows)
{
	GpuAggPartition *all = gpuagg_partitions(ps);
	uint64_t	groups = 0;

	*rows = 0;
	for (uint32_t i = 0; all != NULL && i < 1u << ps->bits; i++)
	{
		pthread_mutex_lock(&all[i].lock);
		groups += all[i].table.nrows;
		*rows += all[i].rows;
		pthread_mutex_unlock(&all[i].lock);
	}
	return groups;
}

uint64_t
gpuagg_partitions_groups(GpuAggPartitions *ps)
{
	uint64_t	rows;

	return count_groups(ps, &rows);
}

void
gpuagg_spiller_init(GpuAggSpiller *spiller, GpuAggPartitions *ps, uint32_t thread)
{
	memset(spiller, 0, sizeof(*spiller));
	spiller->partitions = ps;
	spiller->thread = thread;
	for (uint32_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
		spiller->all[i] = (uint16_t) i;
}

void
gpuagg_spiller_free(GpuAggSpiller *spiller)
{
	gpuagg_records_free(spiller->records);
	gpuagg_record_view_free(spiller->view, spiller->partitions->memory);
	spiller->records = NULL;
	spiller->view = NULL;
}

/* ---------- single pass ---------- */

/* Locked. */
static GpuAggStatus
spill_to(GpuAggSpiller *spiller, GpuAggPartition *part, const GpuAggSpill *spill,
		 const uint16_t *sel, uint32_t n, GpuAggError *error)
{
	GpuAggTable *t = &part->table;

	part->rows += n;
	if (!gpuagg_table_reserve(t, n) ||
		!gpuagg_table_find(t, &spill->block, sel, n, spiller->rows))
		return gpuagg_memory_error(t->memory, error);
	if (spill->in != NULL)
		return gpuagg_update_rows(t, spill->in, sel, spiller->rows, n, error);
	return gpuagg_update_merge(t, spill->block.images, sel, spiller->rows, n, error);
}

/* The partition that a thread visits first. */
static uint32_t
first_partition(const GpuAggSpiller *spiller)
{
	const uint32_t nparts = 1u << spiller->partitions->bits;

	return (uint32_t) ((uint64_t) spiller->thread * nparts / 3 % nparts);
}

/*
 * Sorted by partition by counting; visited from the thread's own one on, free
 * ones first.
 */
GpuAggStatus
gpuagg_spill_rows(GpuAggSpiller *spiller, const GpuAggSpill *spill,
				  const uint16_t *sel, uint32_t n, GpuAggError *error)
{
	GpuAggPartitions *ps = spiller->partitions;
	GpuAggPartition *all = gpuagg_partitions(ps);
	const uint32_t shift = 64 - ps->bits;
	const uint32_t nparts = 1u << ps->bits;
	const uint32_t first = first_partition(spiller);
	uint16_t	start[(1 << GPUAGG_HOST_MOST_BITS) + 1];
	uint16_t	busy[1 << GPUAGG_HOST_MOST_BITS];
	uint32_t	nbusy = 0;
	uint16_t   *order = spiller->order;
	GpuAggStatus status = GPUAGG_OK;

	memset(start, 0, (nparts + 1) * sizeof(*start));
	for (uint32_t k = 0; k < n; k++)
		start[(spill->block.hashes[sel[k]] >> shift) + 1]++;
	for (uint32_t p = 0; p < nparts; p++)
		start[p + 1] += start[p];
	for (uint32_t k = 0; k < n; k++)
		order[start[spill->block.hashes[sel[k]] >> shift]++] = sel[k];
	/* now start[p] is the end of p; the start is the end of p - 1 */
	for (uint32_t visit = 0; visit < nparts + nbusy && status == GPUAGG_OK; visit++)
	{
		uint32_t	p = visit < nparts ? (first + visit) % nparts : busy[visit - nparts];
		uint32_t	next = (p + 1) % nparts;
		uint32_t	from = p == 0 ? 0 : start[p - 1];
		uint32_t	count = start[p] - from;
		GpuAggPartition *part = &all[p];

		if (count == 0)
			continue;
		gpuagg_table_prefetch(&all[next].table, &spill->block,
							  order + (next == 0 ? 0 : start[p]),
							  start[next] - (next == 0 ? 0 : start[p]));
		if (visit >= nparts)
			pthread_mutex_lock(&part->lock);
		else if (pthread_mutex_trylock(&part->lock) != 0)
		{
			busy[nbusy++] = (uint16_t) p;
			continue;
		}
		status = spill_to(spiller, part, spill, order + from, count, error);
		pthread_mutex_unlock(&part->lock);
	}
	return status;
}

/* ---------- partitioned ---------- */

static uint64_t
expected_tables(const GpuAggPartitions *ps)
{
	return atomic_load_explicit(&ps->expected_tables, memory_order_relaxed);
}

/*
 * A directory of about the size it will have, so that it need not grow step by
 * step; but not for more groups than records become, if other threads have as
 * many.
 */
static bool
expect_groups(const GpuAggPartitions *ps, GpuAggTable *t, const GpuAggRecords *r,
			  uint32_t partition)
{
	double		groups = (double) expected_tables(ps) / (double) (1u << ps->bits) /
		tables_bytes(ps, 1);
	double		most = (double) t->nrows +
		(double) gpuagg_records_count(r, partition) * ps->threads;

	if (groups > most)
		groups = most;
	return gpuagg_table_expect(t, (uint32_t) (groups * PARTITION_DIRECTORY_ROOM));
}

/* Locked. */
static GpuAggStatus
aggregate_records(GpuAggSpiller *spiller, uint32_t partition,
				  const GpuAggRecords *records, GpuAggError *error)
{
	GpuAggPartition *part = &gpuagg_partitions(spiller->partitions)[partition];
	GpuAggTable *t = &part->table;
	GpuAggRecordCursor cursor = {0};
	GpuAggRecordView *view = spiller->view;

	if (view == NULL)
		view = spiller->view = gpuagg_record_view_create(records->layout, t->memory);
	if (view == NULL || !expect_groups(spiller->partitions, t, records, partition))
		return gpuagg_memory_error(t->memory, error);
	while (gpuagg_records_read(records, partition, &cursor, view))
	{
		GpuAggSpill spill = {view->block, &view->in};

		gpuagg_table_prefetch(t, &view->block, spiller->all, view->n);
		if (spill_to(spiller, part, &spill, spiller->all, view->n, error) != GPUAGG_OK)
			return error->status;
	}
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_partition_aggregate(GpuAggSpiller *spiller, uint32_t partition,
						   const GpuAggRecords *records, GpuAggError *error)
{
	GpuAggPartition *part = &gpuagg_partitions(spiller->partitions)[partition];
	GpuAggStatus status;

	pthread_mutex_lock(&part->lock);
	status = aggregate_records(spiller, partition, records, error);
	pthread_mutex_unlock(&part->lock);
	return status;
}

/* Aggregate what this thread keeps, free partitions first. */
static GpuAggStatus
aggregate_own(GpuAggSpiller *spiller, GpuAggError *error)
{
	GpuAggPartitions *ps = spiller->partitions;
	GpuAggPartition *all = gpuagg_partitions(ps);
	const uint32_t nparts = 1u << ps->bits;
	const uint32_t first = first_partition(spiller);
	GpuAggRecords *r = spiller->records;
	GpuAggStatus status = GPUAGG_OK;

	for (uint32_t visit = 0; visit < 2 * nparts && status == GPUAGG_OK; visit++)
	{
		uint32_t	p = (first + visit) % nparts;

		if (gpuagg_records_count(r, p) == 0)
			continue;
		if (visit >= nparts)
			pthread_mutex_lock(&all[p].lock);
		else if (pthread_mutex_trylock(&all[p].lock) != 0)
			continue;
		status = aggregate_records(spiller, p, r, error);
		pthread_mutex_unlock(&all[p].lock);
		gpuagg_records_drop(r, p);
	}
	return status;
}

/*
 * Records have been aggregated: how large will tables be?  If small, they need
 * no records, but with very many partitions single pass is no better.
 */
static void
learn(GpuAggPartitions *ps)
{
	uint64_t	rows;
	const uint64_t groups = count_groups(ps, &rows);
	const double tables = learned_bytes(ps, rows, groups);

	expect_tables(ps, tables);
	atomic_store_explicit(&ps->learned, true, memory_order_relaxed);
	if (ps->forced == GPUAGG_STRATEGY_AUTO && ps->bits <= GPUAGG_HOST_SINGLE_PASS_BITS &&
		!worth_keeping(ps, tables))
		atomic_store_explicit(&ps->keeps_records, false, memory_order_relaxed);
}

/*
 * How much a thread's records may take, now that it keeps none: in
 * proportion to the tables, at first as little as is worthwhile, for the tables may
 * be smaller than expected; and with room for what all records become.  Each
 * byte of them may become `growth` bytes of tables.  0: not even a record block of
 * every partition, which is not worth it.
 */
static uint64_t
records_most(const GpuAggPartitions *ps, const GpuAggRecords *r)
{
	const uint64_t growth = 1 + (ps->prepared->layout.row_bytes + 2 * GPUAGG_HOST_DIRECTORY_BYTES) /
		ps->records.compact.row_bytes;
	uint64_t	all = atomic_load_explicit(&ps->record_bytes, memory_order_relaxed);
	uint64_t	used = atomic_load_explicit(&ps->memory->used, memory_order_relaxed);
	uint64_t	left = gpuagg_memory_left(ps->memory);
	uint64_t	others = all - r->bytes;
	uint64_t	record_blocks = (uint64_t) r->form->record_block_bytes << ps->bits;
	uint64_t	tables = used > all ? used - all : 0;
	uint64_t	wanted = 0;
	uint64_t	fits;

	if (tables < expected_tables(ps))
		tables = expected_tables(ps);
	if (atomic_load_explicit(&ps->learned, memory_order_relaxed))
		wanted = tables * GPUAGG_HOST_RECORDS_TO_TABLES / ps->threads;
	if (wanted < GPUAGG_HOST_RECORDS_SCOPES * ps->scope_bytes)
		wanted = GPUAGG_HOST_RECORDS_SCOPES * ps->scope_bytes;
	if (wanted < RECORDS_LEAST_BLOCKS * record_blocks)
		wanted = RECORDS_LEAST_BLOCKS * record_blocks;
	wanted += GPUAGG_MEMORY_BLOCK;
	/* left + own records = more + growth * (others + more), at most */
	left += r->bytes;
	fits = left > growth * others ? (left - growth * others) / (growth + 1) / ps->threads : 0;
	if (fits < record_blocks + GPUAGG_MEMORY_BLOCK)
		return 0;
	return wanted < fits ? wanted : fits;
}

/* Make room for records; those that are kept are aggregated. */
static GpuAggStatus
make_room(GpuAggSpiller *spiller, GpuAggError *error)
{
	GpuAggPartitions *ps = spiller->partitions;
	GpuAggRecords *r = spiller->records;

	if (r == NULL)
		r = spiller->records = gpuagg_records_create(&ps->records, ps->memory,
													 &ps->record_bytes);
	if (r == NULL)
		return GPUAGG_OK;
	if (r->kept > 0)
	{
		if (aggregate_own(spiller, error) != GPUAGG_OK)
			return error->status;
		learn(ps);
	}
	r->bytes_most = gpuagg_partitions_keep(ps) ? records_most(ps, r) : 0;
	if (r->bytes > r->bytes_most)
		gpuagg_records_release(r);
	return GPUAGG_OK;
}

/* Nothing is kept any more: what has been is aggregated. */
static GpuAggStatus
leave_records(GpuAggSpiller *spiller, GpuAggError *error)
{
	if (spiller->records == NULL)
		return GPUAGG_OK;
	if (aggregate_own(spiller, error) != GPUAGG_OK)
		return error->status;
	gpuagg_spiller_free(spiller);
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_spill_records(GpuAggSpiller *spiller, const GpuAggSpill *spill,
					 const uint16_t *sel, uint32_t n, GpuAggError *error)
{
	uint32_t	kept = 0;

	if (!gpuagg_partitions_keep(spiller->partitions))
	{
		if (leave_records(spiller, error) != GPUAGG_OK)
			return error->status;
		return gpuagg_spill_rows(spiller, spill, sel, n, error);
	}
	if (spiller->records != NULL)
		kept = gpuagg_records_add(spiller->records, &spill->block, spill->in, sel, n);
	if (kept == n)
		return GPUAGG_OK;
	if (make_room(spiller, error) != GPUAGG_OK)
		return error->status;
	if (spiller->records != NULL)
		kept += gpuagg_records_add(spiller->records, &spill->block, spill->in, sel + kept,
								   n - kept);
	if (kept == n)
		return GPUAGG_OK;
	return gpuagg_spill_rows(spiller, spill, sel + kept, n - kept, error);
}
