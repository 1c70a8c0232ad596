/*
 * sorted_draws.c
 *		Random draws in the order of their rows (sorted_draws.h).
 *
 * As draws can be made again, those that memory cannot hold are not stored:
 * rows are cut into windows, and for each window all draws are made and those
 * within it kept and sorted (the multi-pass of Karnagel et al., Big Data
 * causing Big (TLB) Problems, section 5.2, for another reason).  Making a draw
 * and looking at its window takes about 2 ns, so a million draws in 4 MB take
 * 3 windows and some ms; writing them to a file and reading it again would
 * take longer up to some 10^8 draws.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "tablesample/sorted_draws.h"

#define ST_SORT sort_rows
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Memory's share that windows are planned to fill: numbers of draws vary. */
#define FILL 0.9

#define LEAST_ROOM 1024

/* Draws made between looks for an interrupt */
#define DRAWS_AT_ONCE 65536

struct GpuAggSortedDraws
{
	GpuAggDraws draws;
	uint64		windows;
	uint64		window;			/* the next one */
	uint64	   *rows;			/* drawn in the one before, sorted */
	Size		room;
	Size		n;
	Size		at;
};

/* Of windows of one row each it is enough to know how many draws there are. */
static inline bool
counts_only(const GpuAggSortedDraws *sorted)
{
	return sorted->windows == sorted->draws.rows;
}

GpuAggSortedDraws *
gpuagg_sorted_draws_create(const GpuAggDraws *draws, Size memory)
{
	GpuAggSortedDraws *sorted = palloc0(sizeof(GpuAggSortedDraws));
	double		fit = FILL * Max(memory / sizeof(uint64), LEAST_ROOM);

	sorted->draws = *draws;
	if (draws->draws == 0 || draws->rows == 0)
		return sorted;
	sorted->windows = Min((uint64) (draws->draws / fit) + 1, draws->rows);
	if (counts_only(sorted))
		return sorted;
	sorted->room = Max((Size) Min(draws->draws, fit / FILL), LEAST_ROOM);
	sorted->rows = MemoryContextAllocHuge(CurrentMemoryContext,
										  sorted->room * sizeof(uint64));
	return sorted;
}

void
gpuagg_sorted_draws_free(GpuAggSortedDraws *sorted)
{
	if (sorted->rows != NULL)
		pfree(sorted->rows);
	pfree(sorted);
}

/* Row of `rows` at which a window begins */
static uint64
window_start(const GpuAggSortedDraws *sorted, uint64 window)
{
	return (uint64) ((unsigned __int128) sorted->draws.rows * window / sorted->windows);
}

static void
keep_row(GpuAggSortedDraws *sorted, uint64 row)
{
	if (counts_only(sorted))
	{
		sorted->n++;
		return;
	}
	/* far more than expected are in this window: hardly ever, but a few rows' are */
	if (sorted->n == sorted->room)
	{
		sorted->room *= 2;
		sorted->rows = repalloc_huge(sorted->rows, sorted->room * sizeof(uint64));
	}
	sorted->rows[sorted->n++] = row;
}

static void
draw_window(GpuAggSortedDraws *sorted)
{
	const GpuAggDraws draws = sorted->draws;
	const GpuAggDrawWindow window =
		gpuagg_draw_window(window_start(sorted, sorted->window),
						   window_start(sorted, sorted->window + 1), draws.rows);

	sorted->n = sorted->at = 0;
	for (uint64 first = 0; first < draws.draws; first += DRAWS_AT_ONCE)
	{
		uint64		end = Min(first + DRAWS_AT_ONCE, draws.draws);

		CHECK_FOR_INTERRUPTS();
		for (uint64 draw = first; draw < end; draw++)
		{
			uint64		bits = gpuagg_draw_bits(draws.key, draw);

			if (gpuagg_draw_within(&window, bits))
				keep_row(sorted, gpuagg_draw_scale(bits, draws.rows));
		}
	}
	if (!counts_only(sorted))
		sort_rows(sorted->rows, sorted->n);
	sorted->window++;
}

bool
gpuagg_sorted_draws_next(GpuAggSortedDraws *sorted, uint64 *row)
{
	while (sorted->at == sorted->n)
	{
		if (sorted->window == sorted->windows)
			return false;
		draw_window(sorted);
	}
	*row = counts_only(sorted) ? window_start(sorted, sorted->window - 1) :
		sorted->rows[sorted->at];
	sorted->at++;
	return true;
}
