/*
 * measure.c
 *		The backend's part of a calibration: how fast it reads memory, what it costs
 *		to feed a page, and how long one of PostgreSQL's cost units is here.
 *
 * The last two on a table of our own, of some MB, that lies in shared_buffers
 * and is all-visible: made, filled with frozen rows, and dropped in the caller's
 * transaction.
 *
 * Cost unit.  PostgreSQL's costs are proportional to time if its parameters
 * suit the machine.  They never quite do: a sequential scan, and hash
 * aggregates of few and of many groups, take different times for one unit.
 * The unit is the geometric mean of these, each the fastest of its runs in
 * one process; and what a row, a value and a group take is kept, too, because
 * a grouping's cost in units says little about how long it takes.  How much longer
 * than the fastest a run takes in the mean is kept beside these: a process alone is
 * at the mercy of its CPU, and a plan is chosen by what it takes in the mean.
 */
#include "postgres.h"

#include <math.h>

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "calibrate/calibrate.h"
#include "calibrate/cpus.h"
#include "cost/predict.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "heap/feed.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "probe/stats.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define SCRATCH "gpuagg.calibration_scratch"

/* Its rows, by effort, and their width on a page (5 columns, header, pointer) */
static const int64 scratch_rows[] = {50000, 500000, 2000000};
#define SCRATCH_ROW_BYTES 56

/* Rows handed over to the table at once */
#define INSERT_ROWS 1000

/* Memory that no cache holds, and how often it is read before and after the turns */
#define READ_BYTES ((Size) 256 << 20)
#define READ_PIECE ((Size) 1 << 20)
#define READS 4

/* Scans of a turn, of which the median counts; of the turns', the fastest */
#define FEED_SCANS 5

/* The reference queries that are told apart */
typedef enum ReferenceQuery
{
	QUERY_SCAN,
	QUERY_FILTER,
	QUERY_FEW,
	QUERY_THOUSAND,
	QUERY_MANY
} ReferenceQuery;

/*
 * Turns, by effort, in each of which the table is fed and each reference query
 * runs, of which the fastest run counts: so many turns, and more until so many
 * seconds have passed, each on the next CPU.  A virtual machine's CPU that
 * shares a core with others is slow for seconds on end (H200: a feed 1.4,
 * PostgreSQL 1.6 times), but not all CPUs at once.
 */
static const int turns[] = {3, 8, 16};
static const double turn_seconds[] = {0, 9, 30};

/* --------------------------------------------------------------- the clock --- */

static double
seconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

/* -------------------------------------------------------------- the table --- */

static void
run_utility(const char *sql)
{
	int			rc = SPI_execute(sql, false, 0);

	if (rc < 0)
		elog(ERROR, "gpuagg: \"%s\" failed: %s", sql, SPI_result_code_string(rc));
}

/* At most an eighth of shared_buffers, so that scans use no ring of buffers */
static int64
table_rows(GpuAggEffort effort)
{
	return Min(scratch_rows[effort],
			   (int64) NBuffers / 8 * (BLCKSZ / SCRATCH_ROW_BYTES));
}

static void
fill_slot(TupleTableSlot *slot, int64 row)
{
	ExecClearTuple(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		slot->tts_isnull[i] = false;
	/* a prime, so that neighbours are no neighbours */
	slot->tts_values[0] = Int32GetDatum((int32) (row * 2654435761 % 10));
	slot->tts_values[1] = Int32GetDatum((int32) (row * 2654435761 % 1000));
	slot->tts_values[2] = Int32GetDatum((int32) (row * 2654435761 % GPUAGG_MEASURED_GROUPS));
	slot->tts_values[3] = Int32GetDatum((int32) (row % 1000));
	slot->tts_values[4] = Float8GetDatum((double) row);
	ExecStoreVirtualTuple(slot);
}

/* Frozen rows in pages marked all-visible at once, as COPY FREEZE has them */
static void
fill_table(Relation rel, int64 rows)
{
	BulkInsertState bistate = GetBulkInsertState();
	TupleTableSlot *slots[INSERT_ROWS];

	for (int i = 0; i < INSERT_ROWS; i++)
		slots[i] = MakeSingleTupleTableSlot(RelationGetDescr(rel),
											table_slot_callbacks(rel));
	for (int64 row = 0; row < rows; row += INSERT_ROWS)
	{
		int			n = (int) Min(INSERT_ROWS, rows - row);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
			fill_slot(slots[i], row + i);
		table_multi_insert(rel, slots, n, GetCurrentCommandId(true),
						   TABLE_INSERT_FROZEN, bistate);
	}
	for (int i = 0; i < INSERT_ROWS; i++)
		ExecDropSingleTupleTableSlot(slots[i]);
	table_finish_bulk_insert(rel, TABLE_INSERT_FROZEN);
	FreeBulkInsertState(bistate);
}

static void
make_table(GpuAggEffort effort)
{
	Relation	rel;
	Oid			relid;

	run_utility("CREATE UNLOGGED TABLE " SCRATCH
				" (k10 int4, k1000 int4, k100000 int4, v int4, x float8)"
				" WITH (autovacuum_enabled = off)");
	relid = DatumGetObjectId(DirectFunctionCall1(to_regclass,
												 CStringGetTextDatum(SCRATCH)));
	rel = table_open(relid, AccessExclusiveLock);
	fill_table(rel, table_rows(effort));
	table_close(rel, NoLock);
	CommandCounterIncrement();
	run_utility("ANALYZE " SCRATCH);
}

/* -------------------------------------------------------------- the memory --- */

/* Somewhere the compiler cannot leave a sum out of */
static volatile uint64 read_sink;

/* Bytes a second */
static double
read_once(const uint64 *words)
{
	instr_time	start;
	double		seconds;
	uint64		sum = 0;

	INSTR_TIME_SET_CURRENT(start);
	for (Size at = 0; at < READ_BYTES; at += READ_PIECE)
	{
		CHECK_FOR_INTERRUPTS();
		for (Size i = 0; i < READ_PIECE / sizeof(uint64); i++)
			sum += words[at / sizeof(uint64) + i];
	}
	read_sink = sum;
	seconds = seconds_since(start);
	return READ_BYTES / Max(seconds, 1e-9);
}

/*
 * How fast a backend reads.  A device knows its own memory; what a backend feeds to
 * it and gets from it lies in the host's.
 */
static void
run_reads(double *rates)
{
	uint64	   *words = MemoryContextAllocHuge(CurrentMemoryContext, READ_BYTES);

	/* not zeros: untouched pages of these would all be the same one */
	memset(words, 1, READ_BYTES);
	for (int i = 0; i < READS; i++)
		rates[i] = read_once(words);
	pfree(words);
}

/* --------------------------------------------------------------- the feed --- */

/* Feeds all pages to nobody; ns a page. */
static double
feed_once(const GpuAggCalibration *c, Relation rel)
{
	GpuAggSampleTaken sample = {0};
	GpuAggFeed *feed;
	GpuAggError error = {0};
	uint64		sent = 0;
	uint64		released = 0;
	uint64		pages;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	feed = gpuagg_feed_begin(rel, GetActiveSnapshot(),
							 RelationGetNumberOfBlocks(rel), &sample, NULL,
							 false, c->info.batch_pages, c->info.batches_ahead);
	while (gpuagg_feed_more(feed))
	{
		const GpuAggMsg *msg;
		Size		bytes;

		while (!gpuagg_feed_has_room(feed, 0))
			(void) gpuagg_feed_release(feed, released++);
		if (gpuagg_feed_next(feed, sent, &msg, &bytes, &error) != GPUAGG_OK)
			elog(ERROR, "gpuagg: %s", error.message);
		sent += msg != NULL;
	}
	pages = gpuagg_feed_pages(feed);
	gpuagg_feed_end(feed);
	return seconds_since(start) * 1e9 / Max(pages, 1);
}

/* A turn's scans, in ns a page, after one that maps pages into this process */
static double
run_feed(const GpuAggCalibration *c)
{
	double		ns[FEED_SCANS];
	Oid			relid = DatumGetObjectId(DirectFunctionCall1(to_regclass,
															 CStringGetTextDatum(SCRATCH)));
	Relation	rel = table_open(relid, AccessShareLock);

	PushActiveSnapshot(GetTransactionSnapshot());
	(void) feed_once(c, rel);
	for (int i = 0; i < FEED_SCANS; i++)
		ns[i] = feed_once(c, rel);
	PopActiveSnapshot();
	table_close(rel, AccessShareLock);
	return gpuagg_stat_median(ns, FEED_SCANS);
}

/* -------------------------------------------------- compiled kernels --- */

/*
 * A table that each database has, frozen by initdb.  The scratch table's columns would not
 * stay on a device: what a transaction has made may be forgotten with it.
 */
#define COMPILED_TABLE "information_schema.sql_sizing"
#define COMPILED_QUERY \
	"SELECT sizing_id, pg_catalog.sum(supported_value) FROM " COMPILED_TABLE " GROUP BY sizing_id"

/* Runs of it, of which the first ones fill and compile */
#define COMPILED_WARM 3
#define COMPILED_RUNS 15

/* The number behind the first occurrence of a name in EXPLAIN's JSON */
static double
json_number(const char *json, const char *name)
{
	const char *at = strstr(json, name);

	return at == NULL ? 0 : atof(at + strlen(name));
}

static void
set_option(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

/*
 * Few rows in cached columns: what a kernel takes beside its rows (predict_compiled.c), ns
 * by the card's clock.  0: it was not compiled, or the columns do not stay.
 */
static double
compiled_once(void)
{
	char	   *json;
	double		ms;

	run_utility("EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) " COMPILED_QUERY);
	json = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	SPI_freetuptable(SPI_tuptable);
	ms = strstr(json, "\"Compiled\": true") != NULL ? json_number(json, "\"Kernel Time\": ") : 0;
	pfree(json);
	return ms * 1e6;
}

static void
measure_compiled(GpuAggCalibration *c)
{
	double		ns[COMPILED_RUNS];
	int			nest = NewGUCNestLevel();
	int			n = 0;

	set_option("gpuagg.enable", "on");
	set_option("gpuagg.cache", "on");
	set_option("gpuagg.debug_require", "prefer");
	set_option("gpuagg.compile", "always");
	set_option("gpuagg.strategy", "auto");
	for (int i = 0; i < COMPILED_WARM + COMPILED_RUNS; i++)
	{
		double		took = compiled_once();

		CHECK_FOR_INTERRUPTS();
		if (i >= COMPILED_WARM && took > 0)
			ns[n++] = took;
	}
	AtEOXact_GUC(true, nest);
	if (n < COMPILED_RUNS)
		return;
	c->result.ceiling[GPUAGG_CEILING_COMPILED] = gpuagg_stat_median(ns, n);
	c->result.ceiling_spread[GPUAGG_CEILING_COMPILED] = gpuagg_stat_spread(ns, n);
}

/* warm: the run does not count */
static void
run_query(GpuAggUnitQuery *q, bool warm)
{
	char	   *sql = psprintf("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) %s",
							   q->query);
	char	   *json;
	double		ms;

	run_utility(sql);
	json = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	SPI_freetuptable(SPI_tuptable);
	q->cost_units = json_number(json, "\"Total Cost\": ");
	ms = json_number(json, "\"Execution Time\": ");
	if (!warm)
	{
		q->milliseconds = q->runs == 0 ? ms : Min(q->milliseconds, ms);
		q->log_sum += log(ms);
		q->runs++;
	}
	pfree(json);
	pfree(sql);
}

/*
 * What rows, values and groups take, from the differences of the reference
 * queries; of noise that makes one of them vanish, a nanosecond is left.
 */
static void
measure_postgres(GpuAggCalibration *c)
{
	double		rows = (double) table_rows(c->effort);
	double		scan = c->queries[QUERY_SCAN].milliseconds * 1e6;
	double		few = c->queries[QUERY_FEW].milliseconds * 1e6;
	double		many = c->queries[QUERY_MANY].milliseconds * 1e6;

	c->postgres_row_ns = Max(1, scan / rows);
	c->postgres_value_ns = Max(1, (few - scan) / rows / GPUAGG_MEASURED_VALUES);
	c->postgres_group_ns = Max(1, (many - few) / Min(rows, GPUAGG_MEASURED_GROUPS));
}

/* What a run takes in the mean, in times of the fastest; the mean of the queries */
static double
slowdown(const GpuAggCalibration *c)
{
	double		logs = 0;

	for (int i = 0; i < c->nqueries; i++)
	{
		const GpuAggUnitQuery *q = &c->queries[i];

		logs += log(gpuagg_stat_over_least(q->log_sum, q->runs, q->milliseconds));
	}
	return exp(logs / c->nqueries);
}

/* The mean unit of the reference queries */
static double
cost_unit(const GpuAggCalibration *c)
{
	double		logs = 0;

	for (int i = 0; i < c->nqueries; i++)
		logs += log(c->queries[i].milliseconds * 1e6 / c->queries[i].cost_units);
	return exp(logs / c->nqueries);
}

/* All turns, before which each query runs once that only warms */
static void
measure_turns(GpuAggCalibration *c, const GpuAggCpus *cpus)
{
	/* in the order of ReferenceQuery */
	static const char *const queries[] = {
		"SELECT pg_catalog.count(*) FROM " SCRATCH,
		"SELECT pg_catalog.sum(v) FROM " SCRATCH " WHERE v < 900",
		"SELECT k10, pg_catalog.count(*), pg_catalog.sum(v) FROM " SCRATCH " GROUP BY k10",
		"SELECT k1000, pg_catalog.count(*), pg_catalog.sum(v) FROM " SCRATCH " GROUP BY k1000",
		"SELECT k100000, pg_catalog.count(*), pg_catalog.sum(v) FROM " SCRATCH " GROUP BY k100000"
	};
	instr_time	start;

	StaticAssertStmt(lengthof(queries) <= GPUAGG_MAX_UNIT_QUERIES,
					 "queries fit the calibration");
	c->nqueries = lengthof(queries);
	for (int i = 0; i < c->nqueries; i++)
		c->queries[i].query = queries[i];
	INSTR_TIME_SET_CURRENT(start);
	for (int i = 0; i < c->nqueries; i++)
		run_query(&c->queries[i], true);
	for (int n = 0; n < turns[c->effort] || seconds_since(start) < turn_seconds[c->effort]; n++)
	{
		double		feed_ns;

		gpuagg_cpus_move(cpus, n);
		for (int i = 0; i < c->nqueries; i++)
			run_query(&c->queries[i], false);
		feed_ns = run_feed(c);
		c->feed_page_ns = n == 0 ? feed_ns : Min(c->feed_page_ns, feed_ns);
	}
	c->cost_unit_ns = cost_unit(c);
	c->postgres_slowdown = slowdown(c);
}

/* With PostgreSQL's own plans, of one process */
static void
measure_table(GpuAggCalibration *c)
{
	int			nest = NewGUCNestLevel();
	GpuAggCpus	cpus;

	set_option("gpuagg.enable", "off");
	set_option("max_parallel_workers_per_gather", "0");
	set_option("jit", "off");
	set_option("work_mem", "256MB");
	gpuagg_cpus_remember(&cpus);
	PG_TRY();
	{
		measure_turns(c, &cpus);
	}
	PG_FINALLY();
	{
		gpuagg_cpus_restore(&cpus);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest);
	measure_postgres(c);
}

/* ------------------------------------------------------------ huge pages --- */

/* What the kernel says of the mapping that shared_buffers lie in */
static bool
buffers_huge(void)
{
	FILE	   *file = fopen("/proc/self/smaps", "r");
	char		line[1024];
	bool		ours = false;
	bool		huge = false;

	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		unsigned long start;
		unsigned long end;
		unsigned long kb;

		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			ours = (uintptr_t) BufferBlocks >= start &&
				(uintptr_t) BufferBlocks < end;
		else if (ours && sscanf(line, "KernelPageSize: %lu", &kb) == 1)
			huge = kb > 4;
	}
	fclose(file);
	return huge;
}

void
gpuagg_measure_backend(GpuAggCalibration *c)
{
	double		reads[2 * READS];

	run_reads(reads);
	gpuagg_measure_parallel(c);
	gpuagg_measure_blocks(c);
	make_table(c->effort);
	measure_table(c);
	run_utility("DROP TABLE " SCRATCH);
	if (c->info.compiles && OidIsValid(DatumGetObjectId(DirectFunctionCall1(to_regclass,
															CStringGetTextDatum(COMPILED_TABLE)))))
		measure_compiled(c);
	run_reads(reads + READS);
	c->result.ceiling[GPUAGG_CEILING_HOST_READ] = gpuagg_stat_median(reads, 2 * READS);
	c->result.ceiling_spread[GPUAGG_CEILING_HOST_READ] =
		gpuagg_stat_spread(reads, 2 * READS);
	c->huge_pages = buffers_huge();
}
