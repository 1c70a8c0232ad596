/*
 * host_memory_test.c
 *		Memory that the host device's threads free stays theirs: a task like the
 *		one before asks the kernel for next to no pages.
 */
#include <sys/resource.h>

#include "device_table.h"
#include "host/host.h"

#define TASKS 9
#define GROUPS 60000

/* With a real cache's size: such groups lie in tables that threads share. */
static const TestDevice large_cache = {
	.ops = &gpuagg_host_ops,
	.threads = 3,
};

/* A page for each table that grows is nothing; the tables are some MB. */
#define FEW_FAULTS 200

/* The C library's memory is what is tested, not the one that checks it. */
#ifdef __SANITIZE_ADDRESS__
static const bool checked = true;
#else
static const bool checked = false;
#endif

static long
faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

/* Groups are counted, not kept: memory of the test's own would be counted, too. */
static uint32_t
count_groups(Run *run)
{
	static char buffer[65536];
	uint32_t	groups = 0;
	uint32_t	n;

	while (!OPS->task_finish(run->task, &run->error))
		await_event();
	do
	{
		size_t		used = 0;

		n = OPS->task_results(run->task, buffer, sizeof(buffer), &used, &run->error);
		groups += n;
	} while (n > 0);
	return groups;
}

static long
task_faults(const TestProgram *p)
{
	long		before = faults();
	Run			run;

	if (run_begin(&run, p, &plain_config) && run_feed(&run))
		is_int(count_groups(&run), GROUPS, "all groups");
	run_end(&run);
	return faults() - before;
}

int
main(void)
{
	static TestProgram p;
	long		least = 0;

	if (checked)
	{
		ok(true, "not with another C library's memory # SKIP");
		return done_testing();
	}
	if (!device_open(&large_cache))
		return done_testing();
	table_make(GROUPS, GROUPS, IN_TURN);
	program_standard(&p);
	for (int i = 0; i < TASKS; i++)
	{
		long		n = task_faults(&p);

		/* threads share the pages differently each time */
		if (i == 0 || n < least)
			least = n;
	}
	ok(least < FEW_FAULTS, "a task has the memory of the one before");
	printf("# %ld page faults\n", least);
	table_free();
	device_close();
	return done_testing();
}
