/*
 * device_race_cases.c
 *		Pages that change while a device reads them, as those of a task whose client
 *		has left may: nothing worse than a wrong answer comes of it.
 *
 * A thread puts other pages in the place of pages, and words of any value into them.
 * What matters is what sanitizers say of it, and that tasks over other pages are right
 * afterwards.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "device_oracle.h"
#include "device_table.h"

#define TASKS 600

static TestPage *good;			/* the pages as they should be */
static atomic_bool stop;

static uint32_t
roll(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return (uint32_t) (*x >> 16);
}

static void *
scribble(void *arg)
{
	const uint32_t n = *(const uint32_t *) arg;
	uint64_t	x = 88172645463325252u;

	while (!atomic_load_explicit(&stop, memory_order_relaxed))
	{
		const uint32_t i = roll(&x) % n;
		const uint32_t word = roll(&x);

		/* mostly whole pages, or tasks end at the first one that is corrupt */
		if (roll(&x) % 8 != 0)
			memcpy(pages[i].bytes, good[roll(&x) % n].bytes, GPUAGG_PAGE_BYTES);
		else
		{
			memcpy(pages[i].bytes + roll(&x) % (GPUAGG_PAGE_BYTES / 4) * 4, &word, 4);
			memcpy(pages[i].bytes, good[i].bytes, GPUAGG_PAGE_BYTES);
		}
	}
	return NULL;
}

/* Two keys, one of them made of a string, and a condition on its length */
static void
program_more_texts(TestProgram *p)
{
	uint16_t	length;

	program_columns(p, WANT(COL_A) | WANT(COL_T) | WANT(COL_C));
	length = program_instr(p, GPUAGG_OP_LENGTH_UTF8, GPUAGG_CLASS_I64, col[COL_T], NONE);
	program_key(p, col[COL_T], GPUAGG_T_BPCHAR);
	program_key(p, col[COL_C], GPUAGG_T_TEXT);
	program_key(p, length, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_SUM_I64, length, NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MAX_BPCHAR, col[COL_T], NONE, GPUAGG_T_BPCHAR);
}

static void
run_any(const TestProgram *p)
{
	Run			run;

	(void) (run_begin(&run, p, &ten_or_less) && run_feed(&run) && run_finish(&run, 65536));
	OPS->task_cancel(run.task);
	run_end(&run);
}

int
device_race_cases(const TestDevice *d)
{
	static TestProgram standard;
	static TestProgram text;
	static TestProgram like;
	pthread_t	thread;

	if (!device_open(d))
		return done_testing();
	table_odd_lines = true;
	table_make(scaled(10000), 3000, 0);
	for (uint32_t i = 0; i < nrows; i++)
		rows[i].natts = i % 17 == 0 ? 2 : 0;
	table_build();
	good = malloc(npages * sizeof(*good));
	memcpy(good, pages, npages * sizeof(*good));
	program_standard(&standard);
	program_texts(&text);
	program_more_texts(&like);
	if (!ok(pthread_create(&thread, NULL, scribble, &npages) == 0, "a thread"))
		return done_testing();
	for (uint32_t i = 0; i < scaled(TASKS); i++)
	{
		run_strategy = (GpuAggStrategy) (i % GPUAGG_NSTRATEGIES);
		run_any(&standard);
		run_any(&text);
		run_any(&like);
	}
	atomic_store(&stop, true);
	(void) pthread_join(thread, NULL);
	run_strategy = GPUAGG_STRATEGY_AUTO;
	ok(true, "tasks over pages that change");

	memcpy(pages, good, npages * sizeof(*good));
	ok(oracle_run(&standard, page_list, npages, &plain_config, 40, 6), "numbers, afterwards");
	ok(oracle_run(&text, page_list, npages, &plain_config, 40, 6), "strings, afterwards");
	is_at_rest("no task has left memory behind");
	free(good);
	table_free();
	device_close();
	return done_testing();
}
