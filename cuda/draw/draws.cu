/*
 * draws.cu
 *		Random draws from stripes (task_draws of device/device.h).
 *
 * What is drawn is gathered into a stripe of the task's own, a position for each
 * draw, which then is input as any other: so programs, strategies and failures
 * are those of stripes.  It is enqueued in the task's stream and nothing waits for
 * the card; the number of rows stays there.
 *
 * Windows are equal parts of the draws' bits, which are equal parts of the rows,
 * so no number of rows is needed for them either.
 */
#include <stdlib.h>

#include "cuda/draw/draws.h"

/* Positions of a stripe are numbered in 32 bits. */
#define MOST_DRAWS (UINT64_C(1) << 31)

typedef struct GpuAggDrawn
{
	GpuAggDrawWay way;
	uint32_t	nwindows;
	char	   *memory;			/* all that follows, and what kernels read */
	size_t		bytes;
	GpuAggPinned *staging;
	GpuAggEvents *events;
	GpuAggStripe	stripe;			/* its columns are of this allocation */
} GpuAggDrawn;

/* What decides how much memory draws need, and where its parts are */
typedef struct DrawShape
{
	uint32_t	nstripes;
	GpuAggDrawRun run;
	size_t		upload;			/* bytes that the host writes */
	char	   *cleared;		/* validity and NULLs */
	size_t		cleared_bytes;
} DrawShape;

/* ---------- memory ---------- */

static bool
is_new_stripe(const GpuAggStripeRange *ranges, uint32_t i)
{
	return i == 0 || ranges[i].stripe != ranges[i - 1].stripe;
}

static void
shape_measure(const GpuAggStripeRange *ranges, uint32_t nranges, uint32_t ncolumns, DrawShape *s)
{
	s->run.nranges = nranges;
	s->run.ncolumns = ncolumns;
	for (uint32_t i = 0; i < nranges; i++)
	{
		s->nstripes += is_new_stripe(ranges, i);
		s->run.nsegments += gpuagg_draw_segments(ranges[i].positions.count);
	}
}

static char *
part(char *base, size_t *at, size_t bytes)
{
	char	   *p = base != NULL ? base + *at : NULL;

	*at += gpuagg_cuda_align(bytes);
	return p;
}

/* What the host writes comes first. */
static size_t
shape_layout(char *base, GpuAggDrawn *drawn, DrawShape *s)
{
	GpuAggDrawRun *run = &s->run;
	GpuAggStripe *stripe = &drawn->stripe;
	size_t		at = 0;

	run->ranges = (GpuAggDrawPositions *) part(base, &at, run->nranges * sizeof(*run->ranges));
	run->sources = (GpuAggDrawSource *) part(
		base, &at, (size_t) s->nstripes * run->ncolumns * sizeof(*run->sources));
	run->targets = (GpuAggDrawTarget *) part(base, &at, run->ncolumns * sizeof(*run->targets));
	run->tiles.windows = (GpuAggDrawWindow *) part(base, &at,
												   drawn->nwindows * sizeof(*run->tiles.windows));
	run->tiles.dealt = (unsigned long long *) part(base, &at,
												   drawn->nwindows * sizeof(*run->tiles.dealt));
	run->tiles.sm_windows = (uint8_t *) part(base, &at, GPUAGG_SPATIAL_UNITS);
	s->upload = at;
	s->cleared = part(base, &at, 0);
	stripe->valid = (uint32_t *) part(base, &at, stripe->valid_bytes);
	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		stripe->columns[i].nulls = (uint32_t *) part(base, &at, stripe->valid_bytes);
	s->cleared_bytes = at - s->upload;
	for (uint32_t i = 0; i < stripe->ncolumns; i++)
		stripe->columns[i].values = part(base, &at, stripe->columns[i].memory_bytes);
	run->index = (GpuAggDrawIndex *) part(base, &at, sizeof(*run->index));
	run->segments = (uint32_t *) part(base, &at, run->nsegments * sizeof(*run->segments));
	run->stretches = (GpuAggDrawStretch *) part(base, &at,
												run->nsegments * sizeof(*run->stretches));
	run->blocks = (uint16_t *) part(
		base, &at, (size_t) run->nsegments * GPUAGG_DRAW_BLOCKS * sizeof(*run->blocks));
	run->valid = stripe->valid;
	return at;
}

/* ---------- what the kernels read ---------- */

static bool
is_packed(const GpuAggStripe *stripe, const GpuAggStripe *like)
{
	for (uint32_t c = 0; c < like->ncolumns; c++)
		if (gpuagg_cuda_stripe_stored(stripe, like->columns[c].attr)->blocks != NULL)
			return true;
	return false;
}

static void
stage_stripe(const GpuAggStripe *stripe, const GpuAggStripe *like, GpuAggDrawSource *sources)
{
	for (uint32_t c = 0; c < like->ncolumns; c++)
	{
		const GpuAggStored *stored = gpuagg_cuda_stripe_stored(stripe, like->columns[c].attr);

		sources[c].values = stored->values;
		sources[c].blocks = stored->blocks;
		sources[c].nulls = stored->nulls;
		sources[c].has_nulls = stored->has_nulls;
	}
}

static void
stage_ranges(const GpuAggStripeRange *ranges, const GpuAggStripe *like, const GpuAggDrawRun *run,
			 GpuAggDrawPositions *positions, GpuAggDrawSource *sources)
{
	uint32_t	stripes = 0;
	uint32_t	segment = 0;

	for (uint32_t i = 0; i < run->nranges; i++)
	{
		if (is_new_stripe(ranges, i))
			stage_stripe(ranges[i].stripe, like, sources + (size_t) stripes++ * run->ncolumns);
		positions[i].valid = ranges[i].stripe->valid;
		positions[i].positions = ranges[i].positions;
		positions[i].stripe = stripes - 1;
		positions[i].segment = segment;
		segment += gpuagg_draw_segments(ranges[i].positions.count);
	}
}

/* Writes what is uploaded to `here`, as it is laid out there. */
static void
stage(const GpuAggTask *task, const GpuAggStripeRange *ranges, const DrawShape *s)
{
	const GpuAggDrawn *drawn = task->drawn;
	const GpuAggDrawRun *run = &s->run;
	char	   *here = drawn->staging->data;
#define HERE(type, there) ((type *) (here + ((const char *) (there) - drawn->memory)))
	GpuAggDrawTarget *targets = HERE(GpuAggDrawTarget, run->targets);
	GpuAggDrawWindow *windows = HERE(GpuAggDrawWindow, run->tiles.windows);

	memset(here, 0, s->upload);
	stage_ranges(ranges, &drawn->stripe, run, HERE(GpuAggDrawPositions, run->ranges),
				 HERE(GpuAggDrawSource, run->sources));
	for (uint32_t c = 0; c < run->ncolumns; c++)
	{
		targets[c].values = drawn->stripe.columns[c].values;
		targets[c].nulls = drawn->stripe.columns[c].nulls;
		targets[c].bytes = drawn->stripe.columns[c].bytes;
	}
	for (uint32_t w = 0; w < drawn->nwindows; w++)
		windows[w] = gpuagg_draw_window(w, w + 1, drawn->nwindows);
	gpuagg_spatial_windows(&task->config.units, drawn->nwindows <= GPUAGG_SPATIAL_UNITS ?
						   drawn->nwindows : 1, HERE(uint8_t, run->tiles.sm_windows));
#undef HERE
}

/* ---------- the task's stripe ---------- */

/* Rows are drawn of all these: a column's values are those of one of them. */
static bool
drawn_range(const GpuAggStripeRange *ranges, uint32_t nranges, uint32_t attr, GpuAggRange *range)
{
	bool		known = true;

	range->low = INT64_MAX;
	range->high = INT64_MIN;
	for (uint32_t i = 0; known && i < nranges; i++)
	{
		GpuAggRange r;

		if (!is_new_stripe(ranges, i))
			continue;
		known = gpuagg_cuda_column_range(ranges[i].stripe, attr, false, &r);
		if (known && r.low < range->low)
			range->low = r.low;
		if (known && r.high > range->high)
			range->high = r.high;
	}
	return known;
}

/* With the columns that the program loads, in the order of their attributes */
static void
drawn_columns(const GpuAggProgram *p, const GpuAggStripeRange *ranges, uint32_t nranges,
			  GpuAggStripe *stripe)
{
	const GpuAggStripe *like = ranges[0].stripe;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
		{
			GpuAggStored *column = &stripe->columns[stripe->ncolumns++];

			*column = *gpuagg_cuda_stripe_stored(like, i);
			column->memory = NULL;
			column->memory_bytes = (size_t) stripe->room * column->bytes;
			column->blocks = NULL;
			memset(&column->zones, 0, sizeof(column->zones));
			column->ranged = drawn_range(ranges, nranges, i, &column->range) ? 1 + stripe->fills :
																			   0;
		}
}

/* Spatial windows need to know which multiprocessors share a TLB. */
static void
drawn_windows(const GpuAggTaskConfig *config, GpuAggDrawn *drawn)
{
	drawn->nwindows = config->draw.windows > 1 ? config->draw.windows : 1;
	drawn->way = drawn->nwindows == 1 ? GPUAGG_DRAW_SINGLE :
		config->draw.way == GPUAGG_DRAW_SPATIAL && config->units.n > 0 &&
		drawn->nwindows <= GPUAGG_SPATIAL_UNITS ? GPUAGG_DRAW_SPATIAL : GPUAGG_DRAW_PASSES;
}

static GpuAggDrawn *
drawn_make(const GpuAggTask *task, const GpuAggStripeRange *ranges, uint32_t nranges,
		   uint32_t positions)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggDrawn *drawn = (GpuAggDrawn *) calloc(
		1, sizeof(*drawn) + p->ncolumns * sizeof(GpuAggStored));
	GpuAggStripe *stripe;

	if (drawn == NULL)
		return NULL;
	stripe = &drawn->stripe;
	stripe->device = task->device;
	stripe->positions = stripe->high_water = positions;
	stripe->room = (positions + GPUAGG_STRIPE_TILE - 1) / GPUAGG_STRIPE_TILE * GPUAGG_STRIPE_TILE;
	stripe->valid_bytes = gpuagg_cuda_align(stripe->room / 8);
	stripe->columns = (GpuAggStored *) (drawn + 1);
	drawn_columns(p, ranges, nranges, stripe);
	drawn_windows(&task->config, drawn);
	return drawn;
}

static bool
drawn_alloc(GpuAggTask *task, DrawShape *s, GpuAggError *error)
{
	GpuAggDrawn *drawn = task->drawn;

	drawn->bytes = shape_layout(NULL, drawn, s);
	drawn->memory = (char *) gpuagg_cuda_alloc(task, drawn->bytes, task->streams->group, error);
	if (drawn->memory == NULL)
		return false;
	drawn->staging = gpuagg_cuda_pin(task->device, s->upload, error);
	drawn->events = gpuagg_cuda_events(task->device, error);
	if (drawn->staging == NULL || drawn->events == NULL)
		return false;
	(void) shape_layout(drawn->memory, drawn, s);
	return true;
}

static bool
draw(GpuAggTask *task, DrawShape *s, GpuAggError *error)
{
	GpuAggDevice *device = task->device;
	cudaStream_t stream = task->streams->group;
	GpuAggDrawn *drawn = task->drawn;
	GpuAggDrawRun *run = &s->run;

	run->tiles.key = gpuagg_draw_key(task->config.sample.seed);
	run->tiles.draws = task->config.sample.cutoff;
	run->tiles.nwindows = drawn->nwindows;
	if (drawn->way != GPUAGG_DRAW_SPATIAL)
		run->tiles.sm_windows = NULL;
	if (!gpuagg_cuda_stripe_wait(task, stream, error) ||
		!gpuagg_cuda_code_tables_complete(task, NULL, stream, error) ||
		!CUDA_OK(device, cudaEventRecord(drawn->events->group, stream), error) ||
		!CUDA_OK(device, cudaMemcpyAsync(drawn->memory, drawn->staging->data, s->upload,
											   cudaMemcpyHostToDevice, stream), error) ||
		!CUDA_OK(device, cudaMemsetAsync(s->cleared, 0, s->cleared_bytes, stream), error))
		return false;
	gpuagg_cuda_draw_index(run, stream);
	gpuagg_cuda_draw_gather(run, device->sms, stream);
	return CUDA_LAUNCHED(device, error) &&
		CUDA_OK(device, cudaEventRecord(drawn->events->done, stream), error);
}

static bool
draw_into_stripe(GpuAggTask *task, const GpuAggStripeRange *ranges, uint32_t nranges,
			   GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	DrawShape	s = {};

	task->drawn = drawn_make(task, ranges, nranges, (uint32_t) task->config.sample.cutoff);
	if (task->drawn == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return false;
	}
	shape_measure(ranges, nranges, p->ncolumns, &s);
	if (!drawn_alloc(task, &s, error))
		return false;
	stage(task, ranges, &s);
	for (uint32_t i = 0; i < nranges && !s.run.packed; i++)
		s.run.packed = is_new_stripe(ranges, i) &&
			is_packed(ranges[i].stripe, &task->drawn->stripe);
	return draw(task, &s, error);
}

/* ---------- the task ---------- */

GpuAggStatus
gpuagg_cuda_task_draws(GpuAggTask *task, uint64_t batch_id, const GpuAggStripeRange *ranges,
					   uint32_t nranges, GpuAggError *error)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggStripeColumn columns[GPUAGG_MAX_REGS];

	memset(error, 0, sizeof(*error));
	for (uint32_t i = 0; i < nranges; i++)
		if (is_new_stripe(ranges, i) &&
			!gpuagg_cuda_stripe_columns(ranges[i].stripe, p, columns, error))
			return error->status;
	if (nranges == 0 || p->ncolumns == 0 || task->config.sample.cutoff >= MOST_DRAWS ||
		task->drawn != NULL)
		return gpuagg_cuda_error(error, GPUAGG_UNSUPPORTED, "draws of no column, or too many");
	if (!draw_into_stripe(task, ranges, nranges, error))
	{
		/* so that PostgreSQL draws, which needs no such memory */
		if (error->status == GPUAGG_OUT_OF_MEMORY)
			error->status = GPUAGG_UNSUPPORTED;
		return error->status;
	}
	return gpuagg_cuda_task_resident(task, batch_id, &task->drawn->stripe, NULL, 0, error);
}

void
gpuagg_cuda_draws_stats(const GpuAggTask *task, GpuAggTaskStats *stats)
{
	const GpuAggDrawn *drawn = task->drawn;

	if (drawn == NULL || drawn->events == NULL ||
		cudaEventQuery(drawn->events->done) != cudaSuccess)
		return;
	stats->draw_way = drawn->way;
	stats->draw_windows = drawn->nwindows;
	stats->kernel_ns += gpuagg_cuda_elapsed(drawn->events->group, drawn->events->done);
}

void
gpuagg_cuda_draws_free(GpuAggTask *task)
{
	GpuAggDrawn *drawn = task->drawn;

	if (drawn == NULL)
		return;
	gpuagg_cuda_free(task, drawn->memory, drawn->bytes, task->streams->group);
	gpuagg_cuda_unpin(task->device, drawn->staging);
	if (drawn->events != NULL)
		gpuagg_cuda_events_free(task->device, drawn->events);
	free(drawn);
	task->drawn = NULL;
}
