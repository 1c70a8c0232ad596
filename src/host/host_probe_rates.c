/*
 * host_probe_rates.c
 *		The host's part of measuring its memory hierarchy: rates of threads.
 *
 * A rate is what threads do of one kind of work in a slice of time, a few
 * milliseconds.  Threads wait until all are there, then each repeats a piece
 * of work (some microseconds) and looks at the clock; it divides by its own
 * time, so that it does not matter that some end later.  The session's thread
 * is the first of them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "host/host_probe_rates.h"

/* Events of a piece of work */
#define PIECE 4096

/* Independent accesses in flight: what a core's line fill buffers hold, about */
#define LANES 8

#define BUCKET 128
#define FEED_PAGE 8192
#define PARTITIONS 256
#define KIBIBYTE ((uint64_t) 1 << 10)
#define MEBIBYTE ((uint64_t) 1 << 20)
#define COPY_BYTES (64 * MEBIBYTE)

/* Rows that a thread partitions: more than its caches hold */
#define PARTITION_ROWS ((uint64_t) 1 << 20)

#define MAX_TABLE 1024
#define HANDOVERS 64

typedef struct Crew Crew;

/* One thread of a crew */
typedef struct Worker
{
	Crew	   *crew;
	pthread_t	thread;
	void	   *own;			/* of another file's work */
	char	   *from;			/* its part of the region */
	uint64_t	bytes;
	uint64_t	position;		/* in it, of sequential work */
	uint64_t	random;
	uint64_t	sum;			/* of what was read, so that it is */
	double		rate;
	uint32_t	table[MAX_TABLE];
} Worker;

/* Does a piece of work; returns how many events it was. */
typedef uint64_t (*Work) (Worker *worker);

struct Crew
{
	GpuAggProbe *probe;
	Work		work;
	GpuAggProbeWork other;		/* file's work, if it is that */
	uint32_t	nthreads;
	uint32_t	words;			/* of a pattern; of a table */
	Worker	   *workers;
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool		open;			/* threads may go on */
	bool		abandoned;		/* without working: they are too few */
};

/* Somewhere the compiler cannot leave a sum out of */
static volatile uint64_t probe_sink;

static uint64_t
next_random(Worker *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/* 0 to n - 1 */
static uint64_t
random_below(Worker *w, uint64_t n)
{
	return (uint64_t) ((unsigned __int128) next_random(w) * n >> 64);
}

static uint64_t
load(const char *at)
{
	return *(const volatile uint64_t *) at;
}

/* ---------- kinds of work ---------- */

static uint64_t
read_8(Worker *w)
{
	uint64_t	sum[LANES] = {0};

	for (int i = 0; i < PIECE / LANES; i++)
		for (int lane = 0; lane < LANES; lane++)
			sum[lane] += load(w->from + 8 * random_below(w, w->bytes / 8));
	w->sum += sum[0] + sum[LANES - 1];
	return PIECE;
}

static uint64_t
read_32(Worker *w)
{
	for (int i = 0; i < PIECE; i++)
	{
		const char *at = w->from + 32 * random_below(w, w->bytes / 32);

		w->sum += load(at) + load(at + 8) + load(at + 16) + load(at + 24);
	}
	return PIECE;
}

static uint64_t
atomic_8(Worker *w)
{
	for (int i = 0; i < PIECE; i++)
		__atomic_fetch_add((uint64_t *) (w->from + 8 * random_below(w, w->bytes / 8)),
						   1, __ATOMIC_RELAXED);
	return PIECE;
}

/* The next piece of the worker's part, from its front again at its end */
static char *
next_piece(Worker *w, uint64_t bytes)
{
	if (w->position + bytes > w->bytes)
		w->position = 0;
	w->position += bytes;
	return w->from + w->position - bytes;
}

static uint64_t
sum_words(const char *from, uint64_t bytes)
{
	const uint64_t *words = (const uint64_t *) from;
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < bytes / 8; i++)
		sum += words[i];
	return sum;
}

static uint64_t
read_in_order(Worker *w)
{
	uint64_t	bytes = w->bytes < 64 * KIBIBYTE ? w->bytes : 64 * KIBIBYTE;

	w->sum += sum_words(next_piece(w, bytes), bytes);
	return bytes;
}

/* Pages of a feed: in no order */
static uint64_t
read_pages(Worker *w)
{
	const char *page = w->from + FEED_PAGE * random_below(w, w->bytes / FEED_PAGE);

	w->sum += sum_words(page, FEED_PAGE);
	return FEED_PAGE;
}

/* From the first half of the part to the second; read and written bytes */
static uint64_t
copy_memory(Worker *w)
{
	uint64_t	half = w->bytes / 2;
	uint64_t	bytes = half < 256 * KIBIBYTE ? half : 256 * KIBIBYTE;

	if (w->position + bytes > half)
		w->position = 0;
	memcpy(w->from + half + w->position, w->from + w->position, bytes);
	w->position += bytes;
	return 2 * bytes;
}

/* A copy as an application counts it */
static uint64_t
copy_once(Worker *w)
{
	return copy_memory(w) / 2;
}

static uint64_t
multiply_add(Worker *w)
{
	uint32_t	values[32];
	uint32_t	factor = (uint32_t) w->random | 1;

	memcpy(values, w->table, sizeof(values));
	for (int i = 0; i < PIECE / 32; i++)
		for (int lane = 0; lane < 32; lane++)
			values[lane] = values[lane] * factor + (uint32_t) i;
	memcpy(w->table, values, sizeof(values));
	return PIECE;
}

static uint64_t
count_in_table(Worker *w)
{
	uint32_t	mask = w->crew->words - 1;

	for (int i = 0; i < PIECE; i++)
		((volatile uint32_t *) w->table)[(uint32_t) (i * 0x9e3779b1u >> 16) & mask] += 1;
	return PIECE;
}

/* One radix pass of (4-byte key, 4-byte value) rows, counting them first */
static uint64_t
partition_rows(Worker *w)
{
	uint64_t	nrows = w->bytes / 16 < PARTITION_ROWS ? w->bytes / 16 : PARTITION_ROWS;
	const uint64_t *rows = (const uint64_t *) w->from;
	uint64_t   *out = (uint64_t *) w->from + nrows;
	uint64_t	place[PARTITIONS] = {0};
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < nrows; i++)
		place[(rows[i] + i) * UINT64_C(0x9e3779b97f4a7c15) >> 56]++;
	for (int p = 0; p < PARTITIONS; p++)
	{
		uint64_t	count = place[p];

		place[p] = sum;
		sum += count;
	}
	for (uint64_t i = 0; i < nrows; i++)
		out[place[(rows[i] + i) * UINT64_C(0x9e3779b97f4a7c15) >> 56]++] = rows[i];
	return nrows;
}

/* Paper 004's patterns: words 0, 3, 7 of a line and 0 of the next */
static uint64_t
read_pattern(Worker *w)
{
	static const uint32_t word[4] = {0, 3, 7, 8};

	for (int i = 0; i < PIECE; i++)
	{
		const char *bucket = w->from + BUCKET * random_below(w, w->bytes / BUCKET);

		for (uint32_t n = 0; n < w->crew->words; n++)
			w->sum += load(bucket + 8 * word[n]);
	}
	return PIECE;
}

static uint64_t
do_other(Worker *w)
{
	return w->crew->other(w->own);
}

/* ---------- crews ---------- */

static void
open_crew(Crew *crew, bool abandoned)
{
	pthread_mutex_lock(&crew->lock);
	crew->open = true;
	crew->abandoned = abandoned;
	pthread_cond_broadcast(&crew->opened);
	pthread_mutex_unlock(&crew->lock);
}

static bool
await_crew(Crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (!crew->open)
		pthread_cond_wait(&crew->opened, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	return !crew->abandoned;
}

static void *
run_worker(void *argument)
{
	Worker	   *w = argument;
	GpuAggProbe *probe = w->crew->probe;
	uint64_t	events = 0;
	double		start;
	double		now;

	if (!await_crew(w->crew))
		return NULL;
	start = gpuagg_host_probe_now();
	do
	{
		events += w->crew->work(w);
		now = gpuagg_host_probe_now();
	}
	while (now - start < probe->slice && !*probe->cancel);
	w->rate = (double) events / (now - start);
	probe_sink = w->sum;
	return NULL;
}

/* The worker's part of the region, or all of it */
static void
equip(Worker *w, uint32_t number, GpuAggProbeRegion *region, uint64_t bytes, bool apart)
{
	uint64_t	part = apart ? bytes / w->crew->nthreads : bytes;

	part -= part % FEED_PAGE;
	w->from = region->base + (apart ? number * part : 0);
	w->bytes = part;
	w->random = UINT64_C(0x9e3779b97f4a7c15) * (number + 1);
}

/* Runs the crew; its threads take no signals. */
static GpuAggStatus
run_crew(Crew *crew, double *rate, GpuAggError *error)
{
	sigset_t	all;
	sigset_t	before;
	uint32_t	started = 1;
	bool		complete;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < crew->nthreads &&
		   pthread_create(&crew->workers[started].thread, NULL, run_worker,
						  &crew->workers[started]) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	complete = started == crew->nthreads;
	open_crew(crew, !complete);
	run_worker(&crew->workers[0]);
	*rate = 0;
	for (uint32_t i = 0; i < started; i++)
	{
		if (i > 0)
			pthread_join(crew->workers[i].thread, NULL);
		*rate += crew->workers[i].rate;
	}
	if (!complete)
		return gpuagg_host_probe_failed(error, GPUAGG_OUT_OF_MEMORY, "no more threads");
	return *crew->probe->cancel ?
		gpuagg_host_probe_failed(error, GPUAGG_CANCELLED, "cancelled") : GPUAGG_OK;
}

/* Workers of a crew, to be given what they work on */
static GpuAggStatus
gather_crew(Crew *crew, GpuAggError *error)
{
	crew->workers = calloc(crew->nthreads, sizeof(Worker));
	if (crew->workers == NULL)
		return gpuagg_host_probe_failed(error, GPUAGG_OUT_OF_MEMORY, "no memory");
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->opened, NULL);
	for (uint32_t i = 0; i < crew->nthreads; i++)
		crew->workers[i].crew = crew;
	return GPUAGG_OK;
}

static void
dismiss_crew(Crew *crew)
{
	pthread_cond_destroy(&crew->opened);
	pthread_mutex_destroy(&crew->lock);
	free(crew->workers);
}

/* Events a second of nthreads that do `work` in `bytes` of the region */
static GpuAggStatus
measure(GpuAggProbe *probe, Work work, uint32_t nthreads, uint32_t words,
		GpuAggProbeRegion *region, uint64_t bytes, bool apart, double *rate,
		GpuAggError *error)
{
	Crew		crew = {
		.probe = probe, .work = work, .nthreads = nthreads, .words = words
	};
	GpuAggStatus status = gpuagg_host_probe_touch(probe, region, bytes, error);

	if (status == GPUAGG_OK)
		status = gather_crew(&crew, error);
	if (status != GPUAGG_OK)
		return status;
	for (uint32_t i = 0; i < nthreads; i++)
		equip(&crew.workers[i], i, region, bytes, apart);
	if (crew.workers[0].bytes == 0)
		status = gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED,
										  "too little memory for its threads");
	else
		status = run_crew(&crew, rate, error);
	dismiss_crew(&crew);
	return status;
}

GpuAggStatus
gpuagg_host_probe_work(GpuAggProbe *probe, GpuAggProbeWork work, void *owns,
					   size_t own_bytes, double *rate, GpuAggError *error)
{
	Crew		crew = {
		.probe = probe, .work = do_other, .other = work, .nthreads = probe->machine.units
	};
	GpuAggStatus status = gather_crew(&crew, error);

	if (status != GPUAGG_OK)
		return status;
	for (uint32_t i = 0; i < crew.nthreads; i++)
		crew.workers[i].own = (char *) owns + i * own_bytes;
	status = run_crew(&crew, rate, error);
	dismiss_crew(&crew);
	return status;
}

/* ---------- operations ---------- */

GpuAggStatus
gpuagg_host_probe_random(GpuAggProbe *probe, GpuAggRandomKind kind, uint64_t bytes,
						 double *rate, GpuAggError *error)
{
	static const Work works[GPUAGG_NRANDOMS] = {read_8, read_32, atomic_8};

	return measure(probe, works[kind], probe->machine.units, 0,
				   gpuagg_host_probe_region(probe), bytes, false, rate, error);
}

GpuAggStatus
gpuagg_host_probe_pattern(GpuAggProbe *probe, uint32_t words, uint64_t bytes,
						  bool huge, double *ns, GpuAggError *error)
{
	double		rate = 0;
	GpuAggStatus status = measure(probe, read_pattern, 1, words,
								  huge ? &probe->huge : &probe->small, bytes,
								  false, &rate, error);

	if (status == GPUAGG_OK)
		*ns = 1e9 / rate;
	return status;
}

GpuAggStatus
gpuagg_host_probe_threads(GpuAggProbe *probe, uint32_t threads, double *rate,
						  GpuAggError *error)
{
	return measure(probe, read_8, threads, 0, gpuagg_host_probe_region(probe),
				   probe->machine.bytes, false, rate, error);
}

/* A word that goes from one thread to another and back */
typedef struct Handover
{
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t	turn;			/* even: the session's, odd: the other's */
} Handover;

static void
take_turns(Handover *h, uint32_t mine)
{
	pthread_mutex_lock(&h->lock);
	for (uint32_t i = 0; i < HANDOVERS; i++)
	{
		while (h->turn % 2 != mine)
			pthread_cond_wait(&h->changed, &h->lock);
		h->turn++;
		pthread_cond_signal(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
}

static void *
answer(void *argument)
{
	take_turns(argument, 1);
	return NULL;
}

/* ns of waking a sleeping thread and being woken by it */
static GpuAggStatus
measure_handover(double *ns, GpuAggError *error)
{
	Handover	h = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
	sigset_t	all;
	sigset_t	before;
	pthread_t	other;
	double		start;
	bool		created;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	created = pthread_create(&other, NULL, answer, &h) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!created)
		return gpuagg_host_probe_failed(error, GPUAGG_OUT_OF_MEMORY, "no more threads");
	start = gpuagg_host_probe_now();
	take_turns(&h, 0);
	pthread_join(other, NULL);
	*ns = (gpuagg_host_probe_now() - start) * 1e9 / HANDOVERS;
	return GPUAGG_OK;
}

static uint64_t
at_most(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

GpuAggStatus
gpuagg_host_probe_rate_ceiling(GpuAggProbe *probe, GpuAggCeiling ceiling, double *value,
							   GpuAggError *error)
{
	uint32_t	units = probe->machine.units;
	uint64_t	all = probe->machine.bytes;
	uint64_t	cache = probe->machine.cache_bytes != 0 ?
		probe->machine.cache_bytes / 4 : MEBIBYTE;
	GpuAggProbeRegion *region = gpuagg_host_probe_region(probe);

	switch (ceiling)
	{
		case GPUAGG_CEILING_MEMORY_READ:
			return measure(probe, read_in_order, units, 0, region, all, true,
						   value, error);
		case GPUAGG_CEILING_MEMORY_COPY:
			return measure(probe, copy_memory, units, 0, region, all, true,
						   value, error);
		case GPUAGG_CEILING_CACHE_READ:
			return measure(probe, read_in_order, units, 0, region,
						   at_most(cache, all), true, value, error);
		case GPUAGG_CEILING_INT_OPS:
			return measure(probe, multiply_add, units, 0, region, MEBIBYTE,
						   false, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_1:
			return measure(probe, count_in_table, units, 1, region, MEBIBYTE,
						   false, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_32:
			return measure(probe, count_in_table, units, 32, region, MEBIBYTE,
						   false, value, error);
		case GPUAGG_CEILING_LOCAL_ATOMICS_1024:
			return measure(probe, count_in_table, units, 1024, region, MEBIBYTE,
						   false, value, error);
		case GPUAGG_CEILING_PARTITION:
			return measure(probe, partition_rows, units, 0, region,
						   at_most(all, 16 * PARTITION_ROWS * units), true,
						   value, error);
		case GPUAGG_CEILING_COPY_IN:
		case GPUAGG_CEILING_COPY_OUT:
			return measure(probe, copy_once, 1, 0, region,
						   at_most(all, 2 * COPY_BYTES), false, value, error);
		case GPUAGG_CEILING_ZERO_COPY_IN:
			return measure(probe, read_pages, units, 0, &probe->small, all,
						   false, value, error);
		case GPUAGG_CEILING_LAUNCH:
			return measure_handover(value, error);
		case GPUAGG_CEILING_THREAD_READ:
			return measure(probe, read_in_order, 1, 0, region, all, false,
						   value, error);
		case GPUAGG_CEILING_GROUP:	/* host_probe.c asks others for these */
		case GPUAGG_CEILING_TOUCH:
		case GPUAGG_CEILING_TOUCH_HUGE:
		case GPUAGG_CEILING_ZERO_COPY_OUT:
		case GPUAGG_CEILING_TOUCH_PINNED_HOST:
		case GPUAGG_CEILING_TOUCH_PINNED_DEVICE:
		case GPUAGG_CEILING_TOUCH_MANAGED_HOST:
		case GPUAGG_CEILING_TOUCH_MANAGED_DEVICE:
		case GPUAGG_CEILING_HOST_READ:	/* by a backend */
		case GPUAGG_CEILING_COMPILED:
		case GPUAGG_NCEILINGS:
			break;
	}
	return gpuagg_host_probe_failed(error, GPUAGG_UNSUPPORTED, "no such ceiling");
}
