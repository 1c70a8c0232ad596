/*
 * device_slab_table.h
 *		Slabs of the test table (device_table.h): filled while its pages are
 *		grouped, and grouped themselves.
 */
#ifndef GPUAGG_DEVICE_SLAB_TABLE_H
#define GPUAGG_DEVICE_SLAB_TABLE_H

#include "device_oracle.h"
#include "device_table.h"

#define SLABS (OPS->slabs)
#define SLAB_LIMIT (UINT64_C(256) << 20)

/* The place of each page's first line, and of the end */
static uint32_t page_place[ARENA_PAGES + 1];

static inline GpuAggSlab *
slab_create(uint32_t places)
{
	GpuAggSlab *slab = NULL;
	GpuAggError error;

	if (SLABS->create(device, places, &slab, &error) != GPUAGG_OK)
		printf("# create: %s\n", error.message);
	return slab;
}

static inline bool
slab_add(GpuAggSlab *slab, uint32_t attr, uint32_t type)
{
	GpuAggError error;

	return SLABS->add_column(slab, attr, type, NULL, &error) == GPUAGG_OK;
}

/* Columns for all that a program loads */
static inline bool
slab_add_loaded(GpuAggSlab *slab, const TestProgram *p)
{
	bool		good = true;

	for (uint32_t i = 0; i < p->head.nattrs; i++)
		if (p->attrs[i].reg != NONE && SLABS->column_bytes(slab, i) == 0)
			good &= slab_add(slab, i, p->attrs[i].type);
	return good;
}

/* Pages [first, first + n) of the list are to be kept, from a place on. */
static inline uint32_t
keep_pages(GpuAggSlab *slab, uint32_t first, uint32_t n, uint32_t place)
{
	for (uint32_t i = first; i < first + n; i++)
	{
		page_list[i].slab = slab;
		page_list[i].place = page_place[i] = place;
		place += page_list[i].nlines;
	}
	page_place[first + n] = place;
	return place;
}

static inline uint32_t
lines_of(uint32_t first, uint32_t n)
{
	uint32_t	lines = 0;

	for (uint32_t i = first; i < first + n; i++)
		lines += page_list[i].nlines;
	return lines;
}

static inline void
keep_nothing(void)
{
	for (uint32_t i = 0; i < npages; i++)
		page_list[i].slab = NULL;
}

static inline bool
run_resident(Run *run, GpuAggSlab *slab, const GpuAggPlaces *without, uint32_t nwithout)
{
	GpuAggPlaces *copy = calloc(nwithout + 1, sizeof(*copy));
	GpuAggError error = {0};

	if (nwithout > 0)
		memcpy(copy, without, nwithout * sizeof(*copy));
	if (OPS->task_resident(run->task, 77, slab, copy, nwithout, &error) != GPUAGG_OK &&
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

/* Do the slab's rows, but for some, give what the listed pages give? */
static inline bool
slab_gives(const TestProgram *p, GpuAggSlab *slab, const GpuAggPlaces *without,
		   uint32_t nwithout, const GpuAggPage *list, uint32_t n)
{
	Oracle	   *o = oracle_start(p);
	Run			run;
	bool		agree;

	oracle_list(o, list, n);
	if (run_begin(&run, p, &plain_config) &&
		run_resident(&run, slab, without, nwithout) && run_collect(&run, 1))
		run_finish(&run, 4096);
	agree = oracle_agrees(o, &run);
	run_end(&run);
	oracle_end(o);
	return agree;
}

static inline bool
slab_gives_table(const TestProgram *p, GpuAggSlab *slab)
{
	return slab_gives(p, slab, NULL, 0, page_list, npages);
}

#endif							/* GPUAGG_DEVICE_SLAB_TABLE_H */
