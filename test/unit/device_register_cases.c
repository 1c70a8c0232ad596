/*
 * device_register_cases.c
 *		A device takes tasks before all of shared_buffers is registered: pages of
 *		every part of it give the same answers all the time, and it gets ready.
 *
 * shared_buffers are so large that a card needs a moment for them.  The host device,
 * which registers nothing, is ready at once.
 */
#define ARENA_PAGES (160 * 1024)	/* 1.25 GiB */

#include "device_oracle.h"
#include "device_table.h"

/* Answers looked for while it registers, at most */
#define MOST_LOOKS 10000

/* The pages of the table, which lie at the arena's start, from its start to its end */
static void
table_spread(void)
{
	const uint32_t step = (ARENA_PAGES - 1) / (npages - 1);

	for (uint32_t i = npages; i-- > 1;)
	{
		const uint32_t to = i == npages - 1 ? ARENA_PAGES - 1 : i * step;

		memcpy(pages[to].bytes, pages[i].bytes, GPUAGG_PAGE_BYTES);
		page_list[i].page = pages[to].bytes;
	}
}

static bool
answers(void)
{
	static TestProgram p;

	program_standard(&p);
	return oracle_run(&p, page_list, npages, &plain_config, 40, 6);
}

static bool
texts(void)
{
	static TestProgram p;

	program_texts(&p);
	return oracle_run(&p, page_list, npages, &plain_config, 40, 6);
}

static void
test_until_ready(void)
{
	GpuAggDeviceInfo info;
	uint32_t	before = 100;
	bool		good = true;
	bool		falls = true;
	uint32_t	n = 0;

	do
	{
		OPS->info(device, &info);
		falls = falls && info.unregistered <= before;
		before = info.unregistered;
		good = good && answers();
		n++;
	} while (info.registering && good && n < MOST_LOOKS);
	printf("# ready after %u answers\n", n);
	ok(good, "answers while it registers");
	ok(falls, "progress");
	ok(!info.registering, "it comes to an end");
	OPS->info(device, &info);
	is_int(info.unregistered, 0, "all is registered");
}

int
device_register_cases(const TestDevice *d)
{
	if (!device_open(d))
		return done_testing();
	table_make(20000, 100, 0);
	table_spread();
	ok(answers(), "the first answer");
	ok(texts(), "of strings");
	test_until_ready();
	ok(answers(), "an answer at the end");
	ok(texts(), "of strings");
	is_at_rest("no task has left memory behind");
	device_close();

	/* not to its end */
	if (!device_open(d))
		return done_testing();
	ok(true, "opened again");
	device_close();
	table_free();
	return done_testing();
}
