/*
 * host_support.h
 *		A test table of many pages, and the host device driven through its
 *		ops as a worker would: batches in flight, completions, finish,
 *		results.  The table and the device are the including file's own.
 */
#ifndef GPUAGG_HOST_SUPPORT_H
#define GPUAGG_HOST_SUPPORT_H

#include <poll.h>
#include <unistd.h>

#include "device/group.h"
#include "device/ops.h"
#include "device_support.h"
#include "tap.h"

#define OPS (&gpuagg_host_ops)

/* Columns of the test table: a int4, t text, v int8, d float8, c text */
enum
{
	COL_A, COL_T, COL_V, COL_D, COL_C, NCOLS
};

typedef struct Row
{
	int32_t		a;
	int64_t		v;
	double		d;
	bool		a_null;
	bool		v_null;
	char		t[40];
} Row;

static Row *rows;
static uint32_t nrows;
static TestPage *pages;
static uint32_t npages;

static GpuAggDevice *device;

/* ---------- the table ---------- */

static inline uint64_t
random_next(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static inline void
table_add(const Row *r)
{
	char		t[64];
	char		c[64];
	uint32_t	len = (uint32_t) strlen(r->t);
	TestValue	values[NCOLS] = {
		{r->a_null ? NULL : &r->a, 4, 4},
		len % 3 ? short_text(t, r->t, len) : long_text(t, r->t, len, 0),
		{r->v_null ? NULL : &r->v, 8, 8},
		{&r->d, 8, 8},
		short_text(c, "constant", 8)
	};

	if (npages > 0 && page_add(&pages[npages - 1], values, NCOLS))
		return;
	page_init(&pages[npages++]);
	page_add(&pages[npages - 1], values, NCOLS);
}

/*
 * n rows of about `groups` keys; of ten rows, `skew` have key 3, or rows of
 * one key follow each other.
 */
#define CLUSTERED 11
static inline void
table_make(uint32_t n, uint32_t groups, uint32_t skew)
{
	free(rows);
	free(pages);
	nrows = n;
	npages = 0;
	rows = calloc(n, sizeof(*rows));
	pages = aligned_alloc(64, (n / 60 + 2) * sizeof(*pages));
	for (uint32_t i = 0; i < n; i++)
	{
		Row		   *r = &rows[i];

		r->a = (int32_t) (random_next() % groups);
		if (skew == CLUSTERED)
			r->a = (int32_t) ((uint64_t) i * groups / n);
		else if (i % 10 < skew)
			r->a = 3;
		r->a_null = r->a == 7;
		r->v = (int64_t) random_next();
		r->v_null = r->v % 11 == 0;
		r->d = (double) (r->v % 1000) / 64;
		snprintf(r->t, sizeof(r->t), r->a % 2 ? "%d" : "%d is a longer string", r->a);
		table_add(r);
	}
}

/* ---------- driving the device ---------- */

static inline void
await_event(void)
{
	struct pollfd fd = {OPS->event_fd(device), POLLIN, 0};
	uint64_t	count;

	if (poll(&fd, 1, 20000) == 1 && read(fd.fd, &count, sizeof(count)) < 0)
		printf("# event_fd is not readable\n");
}

typedef struct Run
{
	GpuAggTask *task;
	GpuAggError error;
	GpuAggTaskStats stats;
	uint64_t	scanned;
	uint64_t	passed;
	uint64_t	skipped;
	GpuAggRowRef last_skipped;
	char	   *results;		/* all groups */
	size_t		results_bytes;
	size_t		results_room;
	uint32_t	groups;
} Run;

static inline bool
run_begin(Run *run, const TestProgram *p, const GpuAggTaskConfig *config)
{
	memset(run, 0, sizeof(*run));
	return OPS->task_begin(device, &p->head, config, &run->task, &run->error) == GPUAGG_OK;
}

/* Waits until n batches have completed; false if one of them failed. */
static inline bool
run_collect(Run *run, uint32_t n)
{
	while (n > 0)
	{
		GpuAggCompletion c;

		if (!OPS->task_poll(run->task, &c))
		{
			await_event();
			continue;
		}
		n--;
		run->scanned += c.rows_scanned;
		run->passed += c.rows_passed;
		run->skipped += c.nskipped;
		if (c.nskipped > 0)
			run->last_skipped = c.skipped[c.nskipped - 1];
		if (c.error.status != GPUAGG_OK && run->error.status == GPUAGG_OK)
			run->error = c.error;
	}
	return run->error.status == GPUAGG_OK;
}

/* The whole table in batches of 40 pages, six in flight */
static inline bool
run_feed(Run *run)
{
	uint32_t	in_flight = 0;

	for (uint32_t first = 0; first < npages; first += 40)
	{
		GpuAggPage	batch[40];
		uint32_t	n = npages - first < 40 ? npages - first : 40;

		for (uint32_t i = 0; i < n; i++)
			batch[i] = (GpuAggPage) {pages[first + i].bytes, NULL, pages[first + i].nlines};
		if (OPS->task_pages(run->task, first, batch, n, &run->error) != GPUAGG_OK)
			break;
		if (++in_flight == 6)
			run_collect(run, in_flight-- - 5);
	}
	return run_collect(run, in_flight);
}

/* Collects all groups through a buffer of the given size. */
static inline bool
run_finish(Run *run, size_t buffer_bytes)
{
	char	   *buffer;

	while (!OPS->task_finish(run->task, &run->error))
		await_event();
	OPS->task_stats(run->task, &run->stats);
	if (run->error.status != GPUAGG_OK)
		return false;
	buffer = malloc(buffer_bytes);
	for (;;)
	{
		size_t		used;
		uint32_t	n = OPS->task_results(run->task, buffer, buffer_bytes, &used, &run->error);

		if (n == 0 && run->error.status == GPUAGG_OUT_OF_MEMORY && used > buffer_bytes)
		{
			buffer_bytes = used;
			buffer = realloc(buffer, buffer_bytes);
			continue;
		}
		if (n == 0)
			break;
		if (run->results_bytes + used > run->results_room)
		{
			run->results_room = 2 * (run->results_bytes + used);
			run->results = realloc(run->results, run->results_room);
		}
		memcpy(run->results + run->results_bytes, buffer, used);
		run->results_bytes += used;
		run->groups += n;
	}
	free(buffer);
	return run->error.status == GPUAGG_OK;
}

static inline void
run_end(Run *run)
{
	if (run->task != NULL)
	{
		while (!OPS->task_idle(run->task))
			usleep(100);
		OPS->task_end(run->task);
	}
	free(run->results);
}

static const GpuAggTaskConfig plain_config;

/* All of it; false with run->error set. */
static inline bool
run_all(Run *run, const TestProgram *p, size_t buffer_bytes)
{
	return run_begin(run, p, &plain_config) && run_feed(run) && run_finish(run, buffer_bytes);
}

/* Steps over a result group; strings[i] are its long strings in order. */
static inline const char *
group_next(const char *at, const GpuAggLayout *layout, const TestProgram *p,
		   const char **strings)
{
	const char *data = at + layout->row_bytes;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < layout->nkeys; i++)
		if (gpuagg_key_is_string(p->keys[i].type) &&
			gpuagg_string_slot_is_long(at + layout->key_off[i]))
		{
			strings[n++] = data;
			data += gpuagg_string_slot_bytes(at + layout->key_off[i]).len;
		}
	for (uint32_t i = 0; i < layout->ntransitions; i++)
		if (gpuagg_transition_is_string(p->trans[i].op) &&
			gpuagg_string_slot_is_long(at + layout->state_off[i]))
		{
			strings[n++] = data;
			data += gpuagg_string_slot_bytes(at + layout->state_off[i]).len;
		}
	return at + ((size_t) (data - at) + 7) / 8 * 8;
}

/* ---------- programs ---------- */

static uint16_t col[NCOLS];

static inline void
program_columns(TestProgram *p, uint32_t wanted)
{
	static const uint8_t types[NCOLS] = {GPUAGG_T_INT4, GPUAGG_T_TEXT, GPUAGG_T_INT8,
	GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};

	program_init(p);
	for (int i = 0; i < NCOLS && wanted >> i != 0; i++)
		col[i] = program_attr(p, types[i], wanted >> i & 1);
}

#define WANT(c) (1u << (c))
#define NONE GPUAGG_NO_REG

static inline void
program_standard(TestProgram *p)
{
	program_columns(p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MAX_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
}

static inline bool
host_open(int threads)
{
	GpuAggDeviceConfig config = {.threads = threads};
	GpuAggError error;

	return OPS->open(&config, &device, &error) == GPUAGG_OK;
}

static inline void
host_close(void)
{
	OPS->close(device);
	free(rows);
	free(pages);
}

#endif							/* GPUAGG_HOST_SUPPORT_H */
