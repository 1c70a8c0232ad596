/*
 * sample_host.c
 *		How many line pointers a second a core decides for TABLESAMPLE
 *		BERNOULLI.
 *
 * usage: sample_host ROUNDS THREADS
 *
 * Two forms take turns, with one thread and with THREADS: has_line is a plain
 * loop over device/ops/sample.h, choose_lines what the host device calls for each
 * page.  No page is read: the decision needs none.  Prints a line for each
 * form and round, after one that does not count:
 *		form <tab> threads <tab> decisions of a thread <tab> decisions a second
 *		and core
 * Without rounds it only compares the forms' samples with PostgreSQL's.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "host/sample_lines.h"
#include "sample_known.h"

/* Of a thread in a round: some tenths of a second */
#define TIMED_PAGES 1000000
#define MAX_THREADS 1024

typedef uint64_t (*DecideFn) (const GpuAggSample *sample, uint32_t block);

typedef struct Work
{
	pthread_barrier_t *start;
	DecideFn	decide;
	uint32_t	first;			/* its first block */
	uint64_t	result;			/* so that nothing is computed in vain */
} Work;

static uint64_t
has_line(const GpuAggSample *sample, uint32_t block)
{
	uint32_t	count = 0;

	for (uint32_t line = 1; line <= KNOWN_LINES; line++)
		count += gpuagg_sample_has_line(sample, block, line);
	return count;
}

static uint64_t
choose_lines(const GpuAggSample *sample, uint32_t block)
{
	GpuAggPage	page = {.nlines = KNOWN_LINES, .block = block};
	uint8_t		chosen[GPUAGG_VISIBILITY_BYTES];

	gpuagg_choose_lines(sample, &page, chosen);
	return chosen[0];
}

static const struct
{
	const char *name;
	DecideFn	decide;
}			forms[] = {{"has_line", has_line}, {"choose_lines", choose_lines}};

#define NFORMS ((int) (sizeof(forms) / sizeof(forms[0])))

static void
tally_line(SampleTally *tally, uint32_t block, uint32_t line, bool chosen)
{
	if (!chosen)
		return;
	tally->count++;
	tally->sum += 1000 * (uint64_t) block + line;
}

static bool
same_tally(const char *form, double percent, const SampleTally *got, const SampleTally *known)
{
	if (got->count == known->count && got->sum == known->sum)
		return true;
	fprintf(stderr, "%s, %g per cent: %llu lines (sum %llu), PostgreSQL has %llu (%llu)\n",
			form, percent, got->count, got->sum, known->count, known->sum);
	return false;
}

static bool
check_known(void)
{
	bool		good = true;

	for (int i = 0; i < SAMPLE_NKNOWN; i++)
	{
		GpuAggSample sample = known_sample(sample_known[i].percent);
		SampleTally by_line = {0, 0};
		SampleTally by_page = {0, 0};

		for (uint32_t block = 0; block < KNOWN_PAGES; block++)
		{
			GpuAggPage	page = {.nlines = KNOWN_LINES, .block = block};
			uint8_t		chosen[GPUAGG_VISIBILITY_BYTES];

			gpuagg_choose_lines(&sample, &page, chosen);
			for (uint32_t line = 1; line <= KNOWN_LINES; line++)
			{
				uint32_t	n = line - 1;

				tally_line(&by_line, block, line,
						   gpuagg_sample_has_line(&sample, block, line));
				tally_line(&by_page, block, line, (chosen[n / 8] >> n % 8 & 1) != 0);
			}
		}
		good &= same_tally("has_line", sample_known[i].percent, &by_line,
						   &sample_known[i].tally);
		good &= same_tally("choose_lines", sample_known[i].percent, &by_page,
						   &sample_known[i].tally);
	}
	return good;
}

static void *
work(void *arg)
{
	Work	   *w = arg;
	const GpuAggSample sample = known_sample(TIMED_PERCENT);
	uint64_t	result = 0;

	pthread_barrier_wait(w->start);
	for (uint32_t i = 0; i < TIMED_PAGES; i++)
		result += w->decide(&sample, w->first + i);
	w->result = result;
	return NULL;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec / 1e9;
}

/* All threads from one start to the last one's end */
static double
time_form(DecideFn decide, int nthreads)
{
	static volatile uint64_t sink;
	static pthread_t threads[MAX_THREADS];
	static Work works[MAX_THREADS];
	pthread_barrier_t start;
	double		began;

	pthread_barrier_init(&start, NULL, (unsigned) nthreads + 1);
	for (int i = 0; i < nthreads; i++)
	{
		works[i] = (Work) {&start, decide, (uint32_t) i * TIMED_PAGES, 0};
		if (pthread_create(&threads[i], NULL, work, &works[i]) != 0)
		{
			fprintf(stderr, "cannot start a thread\n");
			exit(1);
		}
	}
	pthread_barrier_wait(&start);
	began = seconds();
	for (int i = 0; i < nthreads; i++)
	{
		pthread_join(threads[i], NULL);
		sink += works[i].result;
	}
	pthread_barrier_destroy(&start);
	return seconds() - began;
}

static void
time_forms(int round, int nthreads)
{
	const double decisions = (double) TIMED_PAGES * KNOWN_LINES;

	for (int i = 0; i < NFORMS; i++)
	{
		double		took = time_form(forms[i].decide, nthreads);

		if (round > 0)
			printf("%s\t%d\t%.0f\t%.6g\n", forms[i].name, nthreads, decisions,
				   decisions / took);
	}
}

int
main(int argc, char **argv)
{
	int			rounds = argc > 1 ? atoi(argv[1]) : 0;
	int			nthreads = argc > 2 ? atoi(argv[2]) : 1;

	if (argc != 3 || rounds < 0 || nthreads < 1 || nthreads > MAX_THREADS)
	{
		fprintf(stderr, "usage: sample_host ROUNDS THREADS\n");
		return 2;
	}
	if (!check_known())
		return 1;
	for (int round = 0; round <= rounds && rounds > 0; round++)
	{
		time_forms(round, 1);
		if (nthreads > 1)
			time_forms(round, nthreads);
	}
	return 0;
}
