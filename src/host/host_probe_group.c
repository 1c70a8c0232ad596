/*
 * host_probe_group.c
 *		The host's part of measuring its memory hierarchy: rows that threads group
 *		with the code that tasks run (host_scan.h), on pages that their caches hold.
 *
 * What a task takes beside memory is scaled by this.  Integer operations alone
 * do not tell: on two of a Xeon's 16 CPUs queries came to 0.55 to 1.05 times what
 * its multiplications said, in three runs, and two other CPUs did a tenth more of
 * these and grouped a quarter more rows.
 *
 * The table is (k int4, v int4, x float8), the query SELECT k, count(*),
 * sum(v) FROM it GROUP BY k; no more groups than a first cache holds.
 */
#include <stdlib.h>
#include <string.h>

#include "device/ops/page.h"
#include "host/host_probe_group.h"
#include "host/host_probe_rates.h"
#include "host/host_scan.h"

#define NGROUPS 500
#define NPAGES 16				/* of a thread: an eighth to a quarter of an L2 cache */

/* A tuple: its header, then 4 + 4 + 8 bytes */
#define HEADER_BYTES 24
#define TUPLE_BYTES (HEADER_BYTES + 16)
#define NATTRS 3
#define LINES ((GPUAGG_PAGE_BYTES - GPUAGG_PAGE_HEADER_BYTES) / \
			   (TUPLE_BYTES + sizeof(GpuAggLinePointer)))

/* Arrays of programs are 8-byte aligned. */
static const struct
{
	GpuAggProgram program;
	_Alignas(8) GpuAggAttr attrs[2];
	_Alignas(8) GpuAggKey key;
	_Alignas(8) GpuAggTransition transitions[2];
	_Alignas(8) uint8_t classes[2];
}			query = {
	.program = {
		.version = GPUAGG_PROGRAM_VERSION,
		.bytes = sizeof(query),
		.hash_seed = UINT64_C(0x243f6a8885a308d3),
		.nattrs = 2,
		.ncolumns = 2,
		.filter_reg = GPUAGG_NO_REG,
		.nkeys = 1,
		.ntransitions = 2,
		.nregs = 2,
		.attrs_off = offsetof(typeof(query), attrs),
		.consts_off = sizeof(query),
		.instrs_off = sizeof(query),
		.keys_off = offsetof(typeof(query), key),
		.transitions_off = offsetof(typeof(query), transitions),
		.classes_off = offsetof(typeof(query), classes)
	},
	.attrs = {
		{.attlen = 4, .align = 4, .type = GPUAGG_T_INT4, .reg = 0,
		.missing_const = GPUAGG_NO_REG, .fixed_off = 0},
		{.attlen = 4, .align = 4, .type = GPUAGG_T_INT4, .reg = 1,
		.missing_const = GPUAGG_NO_REG, .fixed_off = 4}
	},
	.key = {.reg = 0, .type = GPUAGG_T_INT4},
	.transitions = {
		{.op = GPUAGG_TRANS_COUNT, .arg = GPUAGG_NO_REG, .filter = GPUAGG_NO_REG,
		.type = GPUAGG_T_INT8},
		{.op = GPUAGG_TRANS_SUM_I64, .arg = 1, .filter = GPUAGG_NO_REG, .type = GPUAGG_T_INT4}
	},
	.classes = {GPUAGG_CLASS_I64, GPUAGG_CLASS_I64}
};

/* Of the session */
typedef struct Table
{
	GpuAggMemory memory;
	GpuAggPrepared *prepared;
	GpuAggGroups groups;
	char	   *pages;			/* of all threads, one after the other */
	uint32_t	nthreads;
} Table;

/* Of a thread */
typedef struct Part
{
	GpuAggScanner *scanner;
	GpuAggPage	pages[NPAGES];
} Part;

/* ---------- the table ---------- */

static void
fill_tuple(char *tuple, uint32_t row)
{
	const uint16_t natts = NATTRS;
	const uint16_t infomask = 0x0900;	/* inserted by one that committed */
	const uint32_t key = (row * UINT32_C(0x9e3779b1) >> 16) % NGROUPS;
	const uint32_t value = row % 1000;

	memset(tuple, 0, TUPLE_BYTES);
	memcpy(tuple + GPUAGG_TUPLE_INFOMASK2, &natts, sizeof(natts));
	memcpy(tuple + GPUAGG_TUPLE_INFOMASK, &infomask, sizeof(infomask));
	tuple[GPUAGG_TUPLE_HOFF] = HEADER_BYTES;
	memcpy(tuple + HEADER_BYTES, &key, sizeof(key));
	memcpy(tuple + HEADER_BYTES + sizeof(key), &value, sizeof(value));
}

/* Tuples from the end of the page, as PostgreSQL lays them */
static void
fill_page(char *page, uint32_t number)
{
	for (uint32_t line = 0; line < LINES; line++)
	{
		GpuAggLinePointer lp = {
			.off = GPUAGG_PAGE_BYTES - (line + 1) * TUPLE_BYTES,
			.flags = GPUAGG_LP_NORMAL, .len = TUPLE_BYTES
		};

		fill_tuple(page + lp.off, number * LINES + line);
		memcpy(page + GPUAGG_PAGE_HEADER_BYTES + line * sizeof(lp), &lp, sizeof(lp));
	}
}

static size_t
table_pages_bytes(const Table *t)
{
	return (size_t) t->nthreads * NPAGES * GPUAGG_PAGE_BYTES;
}

static GpuAggStatus
table_create(Table *t, uint32_t nthreads, GpuAggError *error)
{
	const GpuAggTaskConfig config = {.expected_groups = NGROUPS};

	memset(t, 0, sizeof(*t));
	t->nthreads = nthreads;
	gpuagg_memory_init(&t->memory, NULL, 0);
	t->prepared = gpuagg_prepared_create(&query.program, NULL, &t->memory, error);
	if (t->prepared == NULL)
		return error->status;
	gpuagg_groups_init(&t->groups, t->prepared, &t->memory, (int) nthreads, &config);
	t->pages = gpuagg_memory_alloc(&t->memory, table_pages_bytes(t));
	if (t->pages == NULL)
		return gpuagg_memory_error(&t->memory, error);
	for (uint32_t i = 0; i < nthreads * NPAGES; i++)
		fill_page(t->pages + (size_t) i * GPUAGG_PAGE_BYTES, i);
	return GPUAGG_OK;
}

static void
table_free(Table *t)
{
	if (t->prepared == NULL)
		return;
	gpuagg_memory_free(&t->memory, t->pages, table_pages_bytes(t));
	gpuagg_groups_free(&t->groups);
	gpuagg_prepared_free(t->prepared, &t->memory);
}

/* ---------- the work ---------- */

/* All of a thread's pages once; rows */
static uint64_t
group_pages(void *own)
{
	static const atomic_bool never = false;
	Part	   *part = own;
	GpuAggScanResult result = {0};

	gpuagg_scanner_pages(part->scanner, part->pages, 0, NPAGES, &never, &result);
	free(result.listed);
	return result.rows_passed;
}

static bool
part_create(Part *part, Table *t, uint32_t thread)
{
	const char *page = t->pages + (size_t) thread * NPAGES * GPUAGG_PAGE_BYTES;

	part->scanner = gpuagg_scanner_create(&t->groups, t->prepared, NULL, &t->memory, thread);
	for (uint32_t i = 0; i < NPAGES; i++)
		part->pages[i] = (GpuAggPage)
	{
		.page = page + (size_t) i * GPUAGG_PAGE_BYTES, .nlines = LINES, .block = i
	};
	if (part->scanner == NULL)
		return false;
	(void) group_pages(part);	/* groups are there before it counts */
	return true;
}

GpuAggStatus
gpuagg_host_probe_group(GpuAggProbe *probe, double *rate, GpuAggError *error)
{
	uint32_t	nthreads = probe->machine.units;
	Part	   *parts = calloc(nthreads, sizeof(Part));
	Table		t;
	GpuAggStatus status = table_create(&t, nthreads, error);
	bool		complete = parts != NULL;

	for (uint32_t i = 0; i < nthreads && complete && status == GPUAGG_OK; i++)
		complete = part_create(&parts[i], &t, i);
	if (status == GPUAGG_OK)
		status = complete ?
			gpuagg_host_probe_work(probe, group_pages, parts, sizeof(Part), rate, error) :
			gpuagg_host_probe_failed(error, GPUAGG_OUT_OF_MEMORY, "no memory");
	for (uint32_t i = 0; i < nthreads && parts != NULL; i++)
		gpuagg_scanner_free(parts[i].scanner);
	free(parts);
	table_free(&t);
	return status;
}
