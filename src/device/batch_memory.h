/*
 * batch_memory.h
 *		What batches of pages take of a device's memory, where their rows become
 *		columns there (GpuAggDeviceInfo.decodes): how many pages a batch should
 *		have, and what is left for groups.
 *
 * cuda/provider/batch_input.cu allocates a decoded batch so; the planner and the
 * executor reckon with it.
 */
#ifndef GPUAGG_DEVICE_BATCH_MEMORY_H
#define GPUAGG_DEVICE_BATCH_MEMORY_H

#include "device.h"

/* Batches in flight take at most this part of the memory, or they are smaller. */
#define GPUAGG_BATCH_SHARE 4

/* Launching smaller ones costs more than it saves (cuda/provider/device.cu: BATCH_PAGES). */
#define GPUAGG_BATCH_LEAST_PAGES 32

/* Of each page: where it is, and what of it is visible */
#define GPUAGG_DECODED_REF_BYTES 40
#define GPUAGG_BATCH_PAGE_BYTES (GPUAGG_DECODED_REF_BYTES + GPUAGG_VISIBILITY_BYTES)

/* Words of a row of a column: a string on a page has a pointer, a length and its code. */
#define GPUAGG_DECODED_STRING_WORDS 3

/*
 * Words of a row of each column, and of all of them; strings: whether some
 * point into a copy of their page.
 */
GPUAGG_FN uint32_t
gpuagg_batch_words(const GpuAggProgram *p, uint8_t *words, bool *strings)
{
	const uint8_t *classes = gpuagg_program_classes(p);
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	uint32_t	all = 0;

	*strings = false;
	for (uint32_t c = 0; c < p->ncolumns; c++)
		words[c] = classes[c] == GPUAGG_CLASS_BYTES ? 2 : 1;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG &&
			gpuagg_key_class(attrs[i].type) == GPUAGG_CLASS_BYTES)
			words[attrs[i].reg] = GPUAGG_DECODED_STRING_WORDS;
	for (uint32_t c = 0; c < p->ncolumns; c++)
	{
		all += words[c];
		*strings |= words[c] > 1;
	}
	return all;
}

/* Of each row: its flag and its place in the list; of each column a state and a value */
GPUAGG_FN uint64_t
gpuagg_batch_row_bytes(uint32_t ncolumns, uint32_t nwords)
{
	return 1 + sizeof(GpuAggRowRef) + ncolumns + 8 * (uint64_t) nwords;
}

/* Bytes of a page with so many lines; of strings with a copy of it */
GPUAGG_FN double
gpuagg_batch_page_bytes(const GpuAggProgram *p, double lines)
{
	uint8_t		words[GPUAGG_MAX_REGS];
	bool		strings;
	const uint32_t nwords = gpuagg_batch_words(p, words, &strings);

	return lines * (double) gpuagg_batch_row_bytes(p->ncolumns, nwords) +
		GPUAGG_BATCH_PAGE_BYTES + (strings ? GPUAGG_PAGE_BYTES : 0);
}

/* A batch, of pages or of rows that PostgreSQL evaluated */
typedef struct GpuAggBatchSizes
{
	bool		rows;			/* of rows */
	bool		copies;			/* strings point into copies of pages */
	uint32_t	npages;
	uint32_t	nbitmaps;
	uint32_t	nrows;
	uint32_t	ncolumns;
	uint32_t	nwords;
	uint64_t	head_bytes;		/* of counters */
	uint64_t	stripe_bytes;		/* of where pages are kept */
	uint64_t	heap_bytes;		/* of strings of evaluated rows */
	uint64_t	spill_bytes;	/* of groups that found no place */
} GpuAggBatchSizes;

/* Where in its memory what begins */
typedef struct GpuAggBatchLayout
{
	uint64_t	head;
	uint64_t	refs;
	uint64_t	bitmaps;
	uint64_t	stripes;
	uint64_t	valid;
	uint64_t	states;
	uint64_t	words;
	uint64_t	heap;
	uint64_t	pages;
	uint64_t	skipped;
	uint64_t	spill;
	uint64_t	upload;			/* so many bytes, from the start, come from the host */
	uint64_t	bytes;
} GpuAggBatchLayout;

/* Each part begins where cudaMalloc() would have it. */
#define GPUAGG_DECODED_ALIGN 256

GPUAGG_FN uint64_t
gpuagg_batch_part(uint64_t *at, uint64_t bytes)
{
	const uint64_t part = *at;

	*at += gpuagg_align(bytes, GPUAGG_DECODED_ALIGN);
	return part;
}

GPUAGG_FN void
gpuagg_batch_layout(const GpuAggBatchSizes *s, GpuAggBatchLayout *l)
{
	const uint64_t nrows = s->nrows;
	uint64_t	at = 0;

	l->head = gpuagg_batch_part(&at, s->head_bytes);
	l->refs = gpuagg_batch_part(&at, (uint64_t) s->npages * GPUAGG_DECODED_REF_BYTES);
	l->bitmaps = gpuagg_batch_part(&at, (uint64_t) s->nbitmaps * GPUAGG_VISIBILITY_BYTES);
	l->stripes = gpuagg_batch_part(&at, s->stripe_bytes);
	l->upload = at;
	l->valid = gpuagg_batch_part(&at, nrows);
	l->states = gpuagg_batch_part(&at, nrows * s->ncolumns);
	l->words = gpuagg_batch_part(&at, nrows * s->nwords * sizeof(uint64_t));
	l->heap = gpuagg_batch_part(&at, s->heap_bytes);
	if (s->rows)
		l->upload = at;
	l->pages = gpuagg_batch_part(&at, s->copies ? (uint64_t) s->npages * GPUAGG_PAGE_BYTES : 0);
	l->skipped = gpuagg_batch_part(&at, s->rows ? 0 : nrows * sizeof(GpuAggRowRef));
	l->spill = gpuagg_batch_part(&at, s->spill_bytes);
	l->bytes = at;
}

/* Pages of a batch on that device, as many as it likes if memory allows */
GPUAGG_FN uint32_t
gpuagg_batch_pages(const GpuAggDeviceInfo *info, double page_bytes)
{
	double		pages;

	if (!info->decodes || info->memory_limit == 0 || info->batches_ahead == 0)
		return info->batch_pages;
	pages = (double) info->memory_limit / GPUAGG_BATCH_SHARE / info->batches_ahead / page_bytes;
	if (pages >= info->batch_pages)
		return info->batch_pages;
	return pages > GPUAGG_BATCH_LEAST_PAGES ? (uint32_t) pages : GPUAGG_BATCH_LEAST_PAGES;
}

/* What all batches in flight leave of the memory limit; 0 stays 0: no limit */
GPUAGG_FN double
gpuagg_batch_leaves(const GpuAggDeviceInfo *info, double page_bytes)
{
	const double batches = info->decodes ? (double) info->batches_ahead *
		gpuagg_batch_pages(info, page_bytes) * page_bytes : 0;
	const double limit = (double) info->memory_limit;

	/* some batches are larger than planned: this is the least */
	return limit - batches > limit / GPUAGG_BATCH_SHARE ? limit - batches :
		limit / GPUAGG_BATCH_SHARE;
}

#endif							/* GPUAGG_DEVICE_BATCH_MEMORY_H */
