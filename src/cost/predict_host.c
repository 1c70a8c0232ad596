/*
 * predict_host.c
 *		How long the host device's threads take for a task.
 *
 * All times in ns, names as in predict.c.  A task wakes its threads for the pages
 * and, if there are keys, once more to merge their tables; whichever of w threads
 * wakes last is waited for, which grows with log2(w):
 *
 *		start	round trip + TASK + (WAKE + MERGE_WAKE) * max(log2(w), ONE_WOKEN)
 *
 * Where a column is wanted, n threads that read at once take for each page, beside PAGE,
 *
 *		READ_SHOWN * max(8192 / thread_read, 8192 * n / memory_read)
 *
 * Threads have tables of their own, for l groups at most.  The groups that come into
 * them, m, are those that w threads' shares of the rows fall into.  If groups are
 * more than l, rows that came too late go on, k = s - m:
 *
 *		single pass		to tables that all share.  A block's rows are sorted by
 *						partition; what a partition's lock, its head and a group's row
 *						were last changed by is mostly another thread's cache
 *		partitioned		into records, and from these into tables that one thread has
 *						alone, in its cache
 *
 *		groups	(m * NEW_GROUP + (g - l) * SHARED_GROUP) / n
 *				+ k * FURTHER / n
 *				single pass: + k * SHARED_ROW / n + k * (RUN / rows of a run + LINE *
 *				log2(n) * lines of a row) / n * (n - 1) / n + k * TOUCHES / read rate of
 *				the tables
 *				partitioned: + k * RECORD / n
 *				+ partitions that get groups * PARTITION, if there are several threads
 *				+ bytes touched for the first time / touch rate
 *
 * The last is the kernel's, which gives one thread of a process pages at a time; what
 * the device keeps for the next task is not touched anew.
 */
#include "cost/predict_host.h"
#include "cost/predict_rates.h"

/*
 * One thread that does INT_OPS a second.  The EPYC that most constants come from did
 * 6.4e9 of late, and groups 1.05e8 rows a second: GROUP_ROWS makes it as slow by these.
 */
#define GROUP_ROWS 1.15e8
#define INT_OPS 7.0e9
#define TASK_NS 140000.0
#define WAKE_NS 105000.0		/* with MERGE_WAKE_NS by small tables, with and without keys */
#define MERGE_WAKE_NS 25000.0	/* threads that slept for a moment */
#define ONE_WOKEN 0.55			/* a single thread: tables of 100 to 900 rows (Xeon) */
#define LINE_NS 1.3				/* of a page, that a sample decides */
#define PAGE_NS 363.0			/* beside reading it */
#define READ_SHOWN 0.6			/* of reading a page, that computing does not hide */
#define FAR_PAGE_NS 210.0		/* more: header and first rows, beyond what a cache keeps */
#define NEAR_BYTES 1.09e8		/* a table of 10^6 rows, of which last caches keep some */
#define POINTERS_NS 100.0		/* with its line pointers alone, where no column is wanted */
#define ROW_NS 1.0
#define FLOATING_NS 1.2			/* behind an attribute of any length */
#define COLUMN_NS 0.7
#define INSTR_NS 0.4
#define GROUP_NS 1.3
#define KEY_NS 2.5
#define STRING_KEY_NS 8.0		/* more: found, hashed byte by byte, compared */
#define TRANSITION_NS 0.4
#define NEW_GROUP_NS 100.0		/* in a thread's table, and merged */
#define SHARED_GROUP_NS 35.0
#define RECORD_NS 21.0			/* written, and added to its group */
#define FURTHER_NS 5.0			/* a row not found in its thread's table: its partition */
#define SHARED_ROW_NS 10.0		/* found in a shared table, and added to its group */
#define TOUCHES 1.3				/* the directory, the row, which is fetched ahead */

/*
 * From one core's cache to another's: the more of them there are, the more often and
 * the farther.  With SHARED_ROW_NS fitted to 188 queries of 16 CPUs of a Xeon and 95 of
 * two cores of an EPYC that have 10^4 to 10^5 groups.
 */
#define SHARED_RUN_NS 280.0		/* lock, table, first row of a run */
#define SHARED_LINE_NS 4.0		/* each line of a row, several under way; of 2 cores */

#define CACHE_LINE_BYTES 64.0

#define PARTITION_NS 1100.0		/* a partition's table, while others want it, too */

/* Memory that stays with the device: blocks, and as much of the C library's */
#define KEPT_BYTES (2.0 * GPUAGG_HOST_FREE_BLOCKS)

/* By its operations, if grouping was not measured */
double
gpuagg_predict_host_slowness(const GpuAggRates *rates)
{
	double		rows = rates->ceiling[GPUAGG_CEILING_GROUP] / rates->units;

	return rows > 0 ? GROUP_ROWS / rows : gpuagg_predict_slowness(rates, INT_OPS);
}

/* Threads that get pages, or rows that are cached, at all */
static double
threads_woken(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		morsels = work->pages / gpuagg_host_morsel_pages(work->lines > 0) +
		work->cached_rows / GPUAGG_HOST_MORSEL_POSITIONS;

	return fmin(rates->units, fmax(1, ceil(morsels)));
}

double
gpuagg_predict_host_start(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		wake = WAKE_NS + (work->keys > 0 ? MERGE_WAKE_NS : 0);

	return rates->round_trip_ns + TASK_NS +
		wake * fmax(log2(threads_woken(rates, work)), ONE_WOKEN);
}

/* Bytes of the shared tables of a pass */
static double
shared_bytes(const GpuAggWork *work)
{
	return gpuagg_host_tables_bytes(work->groups / gpuagg_predict_passes(work), work->entry_bytes);
}

static bool
keeps_records(const GpuAggRates *rates, const GpuAggWork *work)
{
	return gpuagg_host_keeps_records(shared_bytes(work), rates->part_bytes);
}

/* Partitions of a single pass that so many rows or groups fall into */
static double
partitions_hit(const GpuAggRates *rates, double n)
{
	double		partitions = 1u << gpuagg_host_single_pass_bits((uint32_t) rates->units);

	return partitions * (1 - exp(-n / partitions));
}

/* Rows of a block that meet in one partition */
static double
run_rows(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		block = fmax(1, GPUAGG_VECTOR_ROWS * work->passed / fmax(1, work->rows));

	return block / partitions_hit(rates, block);
}

/* A row that its thread's table does not take; of all threads together */
static double
spilled_row(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		reads = gpuagg_rates_random(rates, GPUAGG_RANDOM_READ32,
											gpuagg_predict_table_bytes(work));
	double		others = (rates->units - 1.0) / rates->units;
	double		line = SHARED_LINE_NS * log2(rates->units);
	double		slow = gpuagg_predict_host_slowness(rates);
	double		ns = (FURTHER_NS + SHARED_ROW_NS) * slow +
		others * (SHARED_RUN_NS / run_rows(rates, work) +
				  line * work->entry_bytes / CACHE_LINE_BYTES);

	if (keeps_records(rates, work))
		return (FURTHER_NS + RECORD_NS) * slow;
	return reads > 0 ? ns + TOUCHES * rates->units / reads * 1e9 : ns;
}

/*
 * First touch of a task's memory, beyond what the device has at hand.  Records
 * are limited to what tables take, but each thread may have a scope for each part.
 */
static double
touch(const GpuAggRates *rates, const GpuAggWork *work, double made, double spilled)
{
	double		rate = rates->ceiling[GPUAGG_CEILING_TOUCH_HUGE];
	double		records = spilled * gpuagg_host_record_bytes((uint32_t) work->field_bytes);
	double		most = GPUAGG_HOST_RECORDS_SCOPES * rates->part_bytes * rates->units;
	double		bytes = made * (work->entry_bytes + GPUAGG_HOST_LOCAL_EXTRA) + shared_bytes(work);

	if (keeps_records(rates, work))
		bytes += fmin(records, fmax(most, shared_bytes(work)));
	if (rate <= 0)
		rate = rates->ceiling[GPUAGG_CEILING_TOUCH];
	return rate > 0 ? fmax(0, bytes - KEPT_BYTES) / rate * 1e9 : 0;
}

/* Group tables */
static double
groups_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		local = fmin(work->groups, gpuagg_host_local_groups(work->entry_bytes));
	double		tables = local * threads_woken(rates, work);
	double		made = tables * (1 - exp(-work->passed / tables));
	double		spilled = work->groups > local ? fmax(0, work->passed - made) : 0;
	double		merged = rates->units > 1 ? partitions_hit(rates, work->groups) : 0;
	double		ns;

	if (work->groups <= 0)
		return 0;
	ns = (made * NEW_GROUP_NS + (work->groups - local) * SHARED_GROUP_NS) *
		gpuagg_predict_host_slowness(rates) + spilled * spilled_row(rates, work);
	return ns / rates->units + merged * PARTITION_NS + touch(rates, work, made, spilled);
}

/*
 * Reading a page while all threads read: their share of what memory gives, which on
 * many cores is less than one alone gets (Xeon, 16: 6.8 and 11.8 GB/s).
 */
static double
page_read_ns(const GpuAggRates *rates)
{
	double		share = rates->ceiling[GPUAGG_CEILING_MEMORY_READ] / rates->units;
	double		alone = gpuagg_predict_read(rates, GPUAGG_PAGE_BYTES);

	return READ_SHOWN * (share > 0 ? fmax(alone, GPUAGG_PAGE_BYTES / share * 1e9) : alone);
}

/* Looking at pages, beside reading them; at no row where no column is wanted */
static double
pages_ns(const GpuAggWork *work)
{
	double		far = fmax(0, work->pages - NEAR_BYTES / GPUAGG_PAGE_BYTES);

	return work->columns > 0 ? work->pages * PAGE_NS + far * FAR_PAGE_NS :
		work->pages * POINTERS_NS;
}

double
gpuagg_predict_host_kernel(const GpuAggRates *rates, const GpuAggWork *work)
{
	double		passes = gpuagg_predict_passes(work);
	double		read = work->columns > 0 ? page_read_ns(rates) : 0;
	double		row = ROW_NS + FLOATING_NS * work->floating +
		COLUMN_NS * work->columns + INSTR_NS * work->filter_instrs;
	double		hash = work->keys > 0 ?
		GROUP_NS + KEY_NS * work->keys + STRING_KEY_NS * work->string_keys : 0;
	double		pass = INSTR_NS * work->instrs + TRANSITION_NS * work->transitions;

	return (passes * (pages_ns(work) + work->lines * LINE_NS + work->rows * row -
					  work->cached_rows * (ROW_NS + FLOATING_NS * work->floating) +
					  work->passed * hash) +
			work->passed * pass) * gpuagg_predict_host_slowness(rates) / rates->units +
		passes * work->pages * read / rates->units + groups_ns(rates, work);
}
