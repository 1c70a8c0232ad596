/*
 * device_run.h
 *		A device driven through its ops as a worker would: batches in flight,
 *		completions, finish, results.
 *
 * Pages lie in one arena that the device is opened with, because a GPU reads
 * no others.  Everything static here is the including file's own.
 */
#ifndef GPUAGG_DEVICE_RUN_H
#define GPUAGG_DEVICE_RUN_H

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/ops/group.h"
#include "device/ops/ops.h"
#include "device_cases.h"
#include "device_support.h"
#include "random.h"
#include "tap.h"

static TestDevice dut;
static GpuAggDevice *device;
static uint64_t memory_at_rest;

#define OPS (dut.ops)
#ifndef ARENA_PAGES
#define ARENA_PAGES 8192
#endif
#define DEVICE_MEMORY (UINT64_C(4) << 30)

/* All pages of a test: those of a table from the start, others anywhere. */
static TestPage *pages;

/* ---------- the device ---------- */

static inline uint64_t
device_memory_used(void)
{
	GpuAggDeviceInfo info;

	OPS->info(device, &info);
	return info.memory_used;
}

static inline bool
device_open(const TestDevice *d)
{
	GpuAggDeviceConfig config = {.memory_limit = DEVICE_MEMORY};
	GpuAggError error = {0};

	dut = *d;
	pages = mmap(NULL, ARENA_PAGES * sizeof(*pages), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	config.ordinal = dut.ordinal;
	config.threads = dut.threads;
	config.pages = (const char *) pages;
	config.pages_bytes = ARENA_PAGES * sizeof(*pages);
	config.kernels.compiler = dut.compiler;
	config.kernels.wait_ms = 60000;
	if (!ok(pages != MAP_FAILED && OPS->abi == GPUAGG_DEVICE_ABI &&
			OPS->open(&config, &device, &error) == GPUAGG_OK, "open"))
	{
		printf("Bail out! %s\n", error.message);
		return false;
	}
	memory_at_rest = device_memory_used();
	return true;
}

static inline void
device_close(void)
{
	OPS->close(device);
	munmap(pages, ARENA_PAGES * sizeof(*pages));
}

static inline void
is_at_rest(const char *name)
{
	is_int((long long) device_memory_used(), (long long) memory_at_rest, name);
}

/* ---------- the arena and sizes ---------- */

static inline uint32_t
scale_percent(void)
{
	const char *s = getenv("GPUAGG_TEST_SCALE");
	int			percent = s != NULL ? atoi(s) : 100;

	return percent < 1 || percent > 100 ? 100 : (uint32_t) percent;
}

static inline uint32_t
scaled(uint32_t n)
{
	uint32_t	few = n < 500 ? n : 500;
	uint32_t	less = (uint32_t) ((uint64_t) n * scale_percent() / 100);

	return less < few ? few : less;
}

/* ---------- a task ---------- */

typedef struct Run
{
	GpuAggTask *task;
	GpuAggError error;
	GpuAggTaskStats stats;
	uint64_t	scanned;
	uint64_t	passed;
	uint64_t	left[GPUAGG_STAGES - 1];
	GpuAggRowRef *skipped;		/* all that completions listed; page: batch_id
								 * + its index in the batch */
	uint32_t	nskipped;
	char	   *results;		/* all groups */
	size_t		results_bytes;
	size_t		results_room;
	uint32_t	groups;
} Run;

/* Those that ran by a kernel made for them */
static uint32_t runs_compiled;

/* Nothing is expected; ten groups are, however many there will be */
static const GpuAggTaskConfig plain_config;
static const GpuAggTaskConfig ten_or_less = {.expected_groups = 10,.expected_rows = 100};

/* Something may have happened; callers look again whatever it was. */
static inline void
await_event(void)
{
	struct pollfd fd = {OPS->event_fd(device), POLLIN, 0};
	uint64_t	count;

	if (poll(&fd, 1, 100) == 1 && read(fd.fd, &count, sizeof(count)) < 0)
		printf("# event_fd is not readable\n");
}

/* AUTO: what the configuration says; else all tasks are to group like this. */
static GpuAggStrategy run_strategy = GPUAGG_STRATEGY_AUTO;

/* What the device under test does in all tests, unless a test asks for more */
static inline void
device_forces(GpuAggTaskConfig *config)
{
	if (dut.strategy != GPUAGG_STRATEGY_AUTO && !config->forced)
	{
		config->strategy = dut.strategy;
		config->forced = 1;
	}
	if (config->scope_bytes == 0)
		config->scope_bytes = dut.scope_bytes;
	if (dut.compiler != NULL)
		config->compile.mode = GPUAGG_COMPILE_ALWAYS;
}

/* packed: malloc'ed, and the run's from now on */
static inline bool
run_begin_packed(Run *run, GpuAggProgram *packed, const GpuAggTaskConfig *config)
{
	GpuAggTaskConfig forced = *config;

	memset(run, 0, sizeof(*run));
	if (run_strategy == GPUAGG_STRATEGY_AUTO)
		device_forces(&forced);
	else
	{
		forced.strategy = run_strategy;
		forced.forced = 1;
		forced.scope_bytes = 65536; /* many passes over few rows */
		forced.units.n = 24;
		for (uint8_t i = 0; i < 24; i++)
			forced.units.group[i] = i / 3;
	}
	OPS->task_begin(device, packed, &forced, &run->task, &run->error);
	memset(packed, 0x5A, packed->bytes);	/* it has been copied */
	free(packed);
	return run->error.status == GPUAGG_OK;
}

static inline bool
run_begin(Run *run, const TestProgram *p, const GpuAggTaskConfig *config)
{
	return run_begin_packed(run, program_pack(p), config);
}

static inline void
run_completed(Run *run, const GpuAggCompletion *c)
{
	run->scanned += c->rows_scanned;
	run->passed += c->rows_passed;
	for (uint32_t s = 0; s < GPUAGG_STAGES - 1; s++)
		run->left[s] += c->left[s];
	if (c->nlisted > 0)
		run->skipped = realloc(run->skipped, (run->nskipped + c->nlisted) * sizeof(*run->skipped));
	for (uint32_t i = 0; i < c->nlisted; i++)
	{
		run->skipped[run->nskipped] = c->listed[i];
		run->skipped[run->nskipped++].page += (uint32_t) c->batch_id;
	}
	if (c->error.status != GPUAGG_OK && run->error.status == GPUAGG_OK)
		run->error = c->error;
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
		run_completed(run, &c);
	}
	return run->error.status == GPUAGG_OK;
}

/*
 * Hands over one batch of pages.  The array and its bitmaps are overwritten
 * at once: the device has its own copies.
 */
static inline bool
run_pages(Run *run, uint64_t batch_id, const GpuAggPage *list, uint32_t n)
{
	GpuAggPage *copy = malloc(n * sizeof(*copy));
	uint8_t		(*bits)[GPUAGG_VISIBILITY_BYTES] = malloc(n * sizeof(*bits));
	GpuAggError error = {0};

	for (uint32_t i = 0; i < n; i++)
	{
		copy[i] = list[i];
		if (list[i].visibility == NULL)
			continue;
		memcpy(bits[i], list[i].visibility, sizeof(*bits));
		copy[i].visibility = bits[i];
	}
	if (OPS->task_pages(run->task, batch_id, copy, n, &error) != GPUAGG_OK &&
		run->error.status == GPUAGG_OK)
		run->error = error;
	memset(copy, 0xFF, n * sizeof(*copy));
	memset(bits, 0xFF, n * sizeof(*bits));
	free(copy);
	free(bits);
	return error.status == GPUAGG_OK;
}

/*
 * All pages of a list, several batches in flight.  A batch's id is the
 * number of its first page.
 */
static inline bool
run_list(Run *run, const GpuAggPage *list, uint32_t n, uint32_t batch, uint32_t most)
{
	uint32_t	in_flight = 0;

	for (uint32_t first = 0; first < n; first += batch)
	{
		if (!run_pages(run, first, list + first, n - first < batch ? n - first : batch))
			break;
		if (++in_flight == most)
		{
			run_collect(run, 1);
			in_flight--;
		}
	}
	return run_collect(run, in_flight);
}

static inline void
run_keep(Run *run, const char *buffer, size_t used, uint32_t n)
{
	if (run->results_bytes + used > run->results_room)
	{
		run->results_room = 2 * (run->results_bytes + used);
		run->results = realloc(run->results, run->results_room);
	}
	memcpy(run->results + run->results_bytes, buffer, used);
	run->results_bytes += used;
	run->groups += n;
}

/* Collects all groups through a buffer of the given size. */
static inline bool
run_finish(Run *run, size_t buffer_bytes)
{
	char	   *buffer;

	while (!OPS->task_finish(run->task, &run->error))
		await_event();
	OPS->task_stats(run->task, &run->stats);
	runs_compiled += run->stats.compiled;
	if (run->error.status != GPUAGG_OK)
		return false;
	buffer = malloc(buffer_bytes);
	for (;;)
	{
		size_t		used = 0;
		uint32_t	n = OPS->task_results(run->task, buffer, buffer_bytes, &used, &run->error);

		if (n > 0)
			run_keep(run, buffer, used, n);
		else if (run->error.status == GPUAGG_BUSY)
			await_event();
		else if (run->error.status == GPUAGG_OUT_OF_MEMORY && used > buffer_bytes)
		{
			buffer_bytes = used;
			buffer = realloc(buffer, buffer_bytes);
		}
		else
			break;
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
			await_event();
		OPS->task_end(run->task);
	}
	free(run->results);
	free(run->skipped);
	memset(run, 0, sizeof(*run));
}

/* ---------- results ---------- */

/* Steps over a result group; strings[i] are its long strings in order. */
static inline const char *
group_next(const char *at, const GpuAggLayout *layout, const GpuAggKey *keys,
		   const GpuAggTransition *trans, const char **strings)
{
	const char *data = at + layout->row_bytes;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < layout->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type) &&
			gpuagg_string_slot_is_long(at + layout->key_off[i]))
		{
			strings[n++] = data;
			data += gpuagg_string_slot_bytes(at + layout->key_off[i]).len;
		}
	for (uint32_t i = 0; i < layout->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op) &&
			gpuagg_string_slot_is_long(at + layout->state_off[i]))
		{
			strings[n++] = data;
			data += gpuagg_string_slot_bytes(at + layout->state_off[i]).len;
		}
	return at + ((size_t) (data - at) + 7) / 8 * 8;
}

#endif							/* GPUAGG_DEVICE_RUN_H */
