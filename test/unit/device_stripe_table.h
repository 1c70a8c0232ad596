/*
 * device_stripe_table.h
 *		Stripes of the test table (device_table.h): filled while its pages are
 *		grouped, and grouped themselves.
 */
#ifndef GPUAGG_DEVICE_STRIPE_TABLE_H
#define GPUAGG_DEVICE_STRIPE_TABLE_H

#include "device_oracle.h"
#include "device_table.h"

#define STRIPES (OPS->stripes)
#define STRIPE_LIMIT (UINT64_C(256) << 20)

/* The position of each page's first line, and of the end */
static uint32_t page_position[ARENA_PAGES + 1];

static inline GpuAggStripe *
stripe_create(uint32_t positions)
{
	GpuAggStripe *stripe = NULL;
	GpuAggError error;

	if (STRIPES->create(device, positions, &stripe, &error) != GPUAGG_OK)
		printf("# create: %s\n", error.message);
	return stripe;
}

static inline bool
stripe_add(GpuAggStripe *stripe, uint32_t attr, uint32_t type)
{
	GpuAggError error;

	return STRIPES->add_column(stripe, attr, type, NULL, &error) == GPUAGG_OK;
}

/* Columns for all that a program loads */
static inline bool
stripe_add_loaded(GpuAggStripe *stripe, const TestProgram *p)
{
	bool		good = true;

	for (uint32_t i = 0; i < p->head.nattrs; i++)
		if (p->attrs[i].reg != NONE && STRIPES->column_bytes(stripe, i) == 0)
			good &= stripe_add(stripe, i, p->attrs[i].type);
	return good;
}

/* Pages [first, first + n) of the list are to be kept, from a position on. */
static inline uint32_t
keep_pages(GpuAggStripe *stripe, uint32_t first, uint32_t n, uint32_t position)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		page_list[i].stripe = stripe;
		page_list[i].position = page_position[i] = position;
		page_list[i].positions = page_list[i].nlines;
		position += page_list[i].nlines;
	}
	page_position[first + n] = position;
	return position;
}

static inline uint32_t
lines_of(uint32_t first, uint32_t n)
{
	uint32_t	lines = 0;

	for (uint32_t i = first; i < first + n; i++)
		lines += page_list[i].nlines;
	return lines;
}

/* Of pages of the table, in turn a line less, half of them, or none are left; they keep their positions. */
static inline void
lines_leave(uint32_t first, uint32_t n)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		const uint32_t nlines = page_list[i].positions;

		page_list[i].nlines = i % 3 == 0 ? nlines - 1 : i % 3 == 1 ? nlines / 2 : 0;
	}
}

/* They are back. */
static inline void
lines_return(void)
{
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].nlines = page_list[i].positions;
}

static inline void
keep_nothing(void)
{
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].stripe = NULL;
}

static inline bool
run_resident(Run *run, GpuAggStripe *stripe, const GpuAggPositions *without, uint32_t nwithout)
{
	GpuAggPositions *copy = calloc(nwithout + 1, sizeof(*copy));
	GpuAggError error = {0};

	if (nwithout > 0)
		memcpy(copy, without, nwithout * sizeof(*copy));
	if (OPS->task_resident(run->task, 77, stripe, copy, nwithout, &error) != GPUAGG_OK &&
		run->error.status == GPUAGG_OK)
		run->error = error;
	memset(copy, 0xFF, (nwithout + 1) * sizeof(*copy));
	free(copy);
	return error.status == GPUAGG_OK;
}

/* The table grouped as it is kept */
static inline bool
table_kept(const TestProgram *p)
{
	return oracle_run(p, page_list, npages, &plain_config, 40, 6);
}

/* Do the stripe's rows, but for some, give what the listed pages give? */
static inline bool
stripe_gives(const TestProgram *p, GpuAggStripe *stripe, const GpuAggPositions *without,
		   uint32_t nwithout, const GpuAggPage *list, uint32_t n)
{
	Oracle	   *o = oracle_start(p);
	Run			run;
	bool		agree;

	oracle_list(o, list, n);
	if (run_begin(&run, p, &plain_config) &&
		run_resident(&run, stripe, without, nwithout) && run_collect(&run, 1))
		run_finish(&run, 4096);
	agree = oracle_agrees(o, &run);
	run_end(&run);
	oracle_end(o);
	return agree;
}

static inline bool
stripe_gives_table(const TestProgram *p, GpuAggStripe *stripe)
{
	return stripe_gives(p, stripe, NULL, 0, page_list, npages);
}

/* By which strategy a stripe is grouped, where kernels are compiled for it */
static inline void
stripe_is_compiled(const TestProgram *p, GpuAggStripe *stripe, const char *strategy)
{
	Run			run;

	if (dut.compiler == NULL || strategy == NULL)
		return;
	if (run_begin(&run, p, &plain_config) && run_resident(&run, stripe, NULL, 0) &&
		run_collect(&run, 1))
		run_finish(&run, 4096);
	is_int(run.stats.compiled, 1, "... by a kernel of its own");
	ok(run.stats.strategy != NULL && strcmp(run.stats.strategy, strategy) == 0,
	   "... that groups so");
	run_end(&run);
}

#endif							/* GPUAGG_DEVICE_STRIPE_TABLE_H */
