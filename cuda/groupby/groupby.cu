/*
 * groupby.cu
 *		Grouping in device memory, its host side: memory, the order of
 *		launches, and what is done when a table or the room for groups is full.
 *
 * Every launch draws its work from a counter on the device, which stays from
 * launch to launch.  A launch that finds the table full stops drawing; rows
 * and groups that it could not place lie in lists.  Then the table grows, the
 * lists are worked off, and the launch goes on where it stopped.
 */
#include <stdlib.h>

#include "cuda/groupby/groupby_run.h"

/* What a sketch is off by, twice */
#define SKETCH_MARGIN 1.05

/* ---------- going on ---------- */

/* The table was full: a larger one, and the lists again */
static GpuAggStatus
retry(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggGroupByHead *head = &s->report->head;
	const uint64_t npending = head->npending;
	const uint64_t nspilled = head->nspilled;
	uint64_t   *rows = s->args.pending;
	char	   *groups = s->args.spilled;
	GpuAggStatus status = gpuagg_groupby_grow(s, npending + nspilled + s->max_spilled, error);

	head->stop = 0;
	head->npending = 0;
	head->nspilled = 0;
	if (status == GPUAGG_OK)
		status = gpuagg_groupby_put(s, error);
	if (status != GPUAGG_OK || npending + nspilled == 0)
		return status;
	s->args.pending = (uint64_t *) gpuagg_groupby_take(s, s->max_pending * 8, error);
	s->args.spilled = (char *) gpuagg_groupby_take(s, s->max_spilled * s->args.row_bytes, error);
	if (s->args.pending == NULL || s->args.spilled == NULL)
		return error->status;
	s->retrying = true;
	GROUPBY_CHECK(gpuagg_cuda_groupby_pending(&s->args, rows, npending, groups, nspilled,
											  s->config.sms, s->stream));
	gpuagg_groupby_give(s, rows);
	if (groups != NULL)
		gpuagg_groupby_give(s, groups);
	return gpuagg_groupby_ask(s, error);
}

/* No room for groups: more of it, and on */
static GpuAggStatus
next_piece(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggGroupByHead *head = &s->report->head;
	GpuAggStatus status;

	s->pieces[s->npieces - 1].groups = head->groups;
	head->full = 0;
	head->groups = 0;
	status = gpuagg_groupby_add_piece(s, 2.0 * s->pieces[s->npieces - 1].capacity, error);
	if (status == GPUAGG_OK)
		status = gpuagg_groupby_put(s, error);
	return status == GPUAGG_OK ? gpuagg_groupby_launch(s, error) : status;
}

static GpuAggStatus
next_window(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggStatus status;

	s->window++;
	s->report->head.tile = 0;
	status = gpuagg_groupby_put(s, error);
	return status == GPUAGG_OK ? gpuagg_groupby_launch(s, error) : status;
}

/* The launch has come to its end. */
static GpuAggStatus
main_done(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggGroupByHead *head = &s->report->head;
	GpuAggStatus status;

	if (s->config.strategy == GPUAGG_GROUPBY_SINGLE &&
		s->window + 1 < (uint64_t) 1 << s->windows.log2)
		return next_window(s, error);
	if (s->config.strategy == GPUAGG_GROUPBY_PARTITIONED && s->phase == GPUAGG_GROUPBY_PHASE_MAIN)
	{
		s->pieces[s->npieces - 1].groups = head->groups;
		if (head->full)
			return next_piece(s, error);
		if (head->nsplit > 0)
		{
			s->phase = GPUAGG_GROUPBY_PHASE_SPLIT;
			head->tile = 0;
			status = gpuagg_groupby_put(s, error);
			return status == GPUAGG_OK ? gpuagg_groupby_launch(s, error) : status;
		}
	}
	s->phase = GPUAGG_GROUPBY_PHASE_DONE;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_cuda_groupby_step(GpuAggGroupBy *s, GpuAggError *error)
{
	const GpuAggGroupByHead *head = &s->report->head;
	GpuAggStatus status;

	if (head->errors != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_VALUE_ERROR, "a value's error was consumed");
		error->detail = head->errors;
		return GPUAGG_VALUE_ERROR;
	}
	switch (s->phase)
	{
		case GPUAGG_GROUPBY_PHASE_BEGIN:
			return s->sources.list != NULL ? gpuagg_groupby_sources_begin(s, error) :
				gpuagg_groupby_batches_end(s, error);
		case GPUAGG_GROUPBY_PHASE_PACKED:
			s->args.n = head->npacked;
			break;
		case GPUAGG_GROUPBY_PHASE_SKETCHED:
			s->config.expected_groups = SKETCH_MARGIN * head->distinct;
			return gpuagg_groupby_start(s, error);
		case GPUAGG_GROUPBY_PHASE_DONE:
			return GPUAGG_OK;
		default:
			break;
	}
	if (s->config.strategy == GPUAGG_GROUPBY_SORTED)
		return gpuagg_groupby_sorted_step(s, error);
	if (s->phase == GPUAGG_GROUPBY_PHASE_PACKED)
		return gpuagg_groupby_measure(s, error);
	if (head->npending + head->nspilled > 0 || head->stop)
	{
		status = retry(s, error);
		return status == GPUAGG_OK ? gpuagg_groupby_launch(s, error) : status;
	}
	if (s->retrying)
	{
		s->retrying = false;
		return gpuagg_groupby_launch(s, error);
	}
	return main_done(s, error);
}

/* ---------- results and end ---------- */

const GpuAggGroupByPiece *
gpuagg_cuda_groupby_pieces(const GpuAggGroupBy *s, uint32_t *n)
{
	*n = s->npieces;
	return s->pieces;
}

const GpuAggTableRef *
gpuagg_cuda_groupby_table(const GpuAggGroupBy *s)
{
	return &s->args.table;
}

uint64_t
gpuagg_cuda_groupby_found(const GpuAggGroupBy *s)
{
	return s->config.strategy == GPUAGG_GROUPBY_SORTED ? s->report->bounds.words : 0;
}

bool
gpuagg_cuda_groupby_counted(const GpuAggGroupBy *s)
{
	return s->config.strategy == GPUAGG_GROUPBY_SORTED && s->sort.counts_values;
}

GpuAggGroupByStrategy
gpuagg_cuda_groupby_runs(const GpuAggGroupBy *s)
{
	return s->config.strategy;
}

void
gpuagg_cuda_groupby_end(GpuAggGroupBy *s)
{
	if (s == NULL)
		return;
	while (s->nowned > 0)
		gpuagg_groupby_give(s, s->owned[s->nowned - 1].p);
	free(s);
}
