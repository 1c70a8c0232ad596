/*
 * draw_test.c
 *		Random draws: known answers, that they are uniform, that windows see
 *		each draw once, and how they are planned for which card.
 *
 * The known answers come from an independent implementation (Python's integers,
 * with the published constants of splitmix64).
 */
#include <math.h>

#include "device/choice/draw_plan.h"
#include "device/ops/draw.h"
#include "h200_rates.h"
#include "tap.h"

#define GiB 1073741824.0

/* ---------- the generator ---------- */

static const struct
{
	uint64_t	seed;
	uint64_t	draw;
	uint64_t	bits;
	uint64_t	row_of_1000;
	uint64_t	row_of_3e12;
}			answers[] = {
#include "draw_answers.inc"
};

#define NANSWERS (sizeof(answers) / sizeof(answers[0]))

static void
test_known(void)
{
	bool		good = true;

	for (size_t i = 0; i < NANSWERS; i++)
	{
		const uint64_t key = gpuagg_draw_key(answers[i].seed);
		const GpuAggDraws few = {key, UINT64_MAX, 1000};
		const GpuAggDraws many = {key, UINT64_MAX, UINT64_C(3000000000000)};

		if (gpuagg_draw_bits(key, answers[i].draw) == answers[i].bits &&
			gpuagg_draw_row(&few, answers[i].draw) == answers[i].row_of_1000 &&
			gpuagg_draw_row(&many, answers[i].draw) == answers[i].row_of_3e12)
			continue;
		printf("#   seed %llu, draw %llu: %#llx\n", (unsigned long long) answers[i].seed,
			   (unsigned long long) answers[i].draw,
			   (unsigned long long) gpuagg_draw_bits(key, answers[i].draw));
		good = false;
	}
	ok(good, "draws are the known ones");
	ok(gpuagg_draw_mix(GPUAGG_DRAW_STEP) == UINT64_C(0xe220a8397b1dcdaf),
	   "the finalizer is splitmix64's: its first number for seed 0");
}

/* The 0.001 and 0.999 quantiles of chi-square with 999 degrees: 866.9, 1142.8 */
static void
test_uniform(void)
{
	static uint32_t count[1000];
	bool		good = true;

	for (uint64_t seed = 0; seed < 8; seed++)
	{
		const GpuAggDraws draws = {gpuagg_draw_key(seed), 1000000, 1000};
		double		chi = 0;

		memset(count, 0, sizeof(count));
		for (uint64_t i = 0; i < draws.draws; i++)
			count[gpuagg_draw_row(&draws, i)]++;
		for (int row = 0; row < 1000; row++)
			chi += (count[row] - 1000.0) * (count[row] - 1000.0) / 1000;
		if (chi < 860 || chi > 1150)
		{
			printf("#   seed %llu: chi-square %g\n", (unsigned long long) seed, chi);
			good = false;
		}
	}
	ok(good, "rows are drawn equally often, as chance has it");
}

/* Draws of neighbouring seeds, and neighbouring draws, do not follow each other. */
static void
test_independent(void)
{
	const uint64_t a = gpuagg_draw_key(1);
	const uint64_t b = gpuagg_draw_key(2);
	const int	n = 1000000;
	double		seeds = 0;
	double		draws = 0;

	for (int i = 0; i < n; i++)
	{
		double		x = ldexp((double) gpuagg_draw_bits(a, (uint64_t) i), -64) - 0.5;

		seeds += x * (ldexp((double) gpuagg_draw_bits(b, (uint64_t) i), -64) - 0.5);
		draws += x * (ldexp((double) gpuagg_draw_bits(a, (uint64_t) i + 1), -64) - 0.5);
	}
	/* correlation's standard error is 0.001 */
	ok(fabs(12 * seeds / n) < 0.004, "seeds 1 and 2 are not correlated");
	ok(fabs(12 * draws / n) < 0.004, "neither is a draw with the next one");
}

static void
test_edges(void)
{
	ok(gpuagg_draw_scale(UINT64_MAX, 7) == 6 && gpuagg_draw_scale(0, 7) == 0,
	   "the first and the last row");
	ok(gpuagg_draw_scale(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1,
	   "as many rows as there can be");
	ok(gpuagg_draw_scale(UINT64_MAX, 1) == 0, "a single row");
}

/* ---------- windows ---------- */

/* Each draw in the window that its row is in, and in no other */
static bool
windows_agree(uint64_t rows, uint32_t windows)
{
	const GpuAggDraws draws = {gpuagg_draw_key(rows), 20000, rows};

	for (uint32_t w = 0; w < windows; w++)
	{
		const uint64_t from = (uint64_t) ((unsigned __int128) rows * w / windows);
		const uint64_t to = (uint64_t) ((unsigned __int128) rows * (w + 1) / windows);
		const GpuAggDrawWindow window = gpuagg_draw_window(from, to, rows);

		for (uint64_t i = 0; i < draws.draws; i++)
		{
			const uint64_t row = gpuagg_draw_row(&draws, i);

			if (gpuagg_draw_within(&window, gpuagg_draw_bits(draws.key, i)) !=
				(row >= from && row < to))
				return false;
		}
	}
	return true;
}

/* The bits at a window's edges, one by one */
static bool
edges_agree(uint64_t from, uint64_t to, uint64_t rows)
{
	const GpuAggDrawWindow window = gpuagg_draw_window(from, to, rows);
	const uint64_t last = window.first + window.span;

	return gpuagg_draw_scale(window.first, rows) == from &&
		gpuagg_draw_scale(last, rows) == to - 1 &&
		(from == 0 || gpuagg_draw_scale(window.first - 1, rows) == from - 1) &&
		(to == rows || gpuagg_draw_scale(last + 1, rows) == to) &&
		(from > 0 || window.first == 0) && (to < rows || last == UINT64_MAX);
}

static void
test_windows(void)
{
	ok(windows_agree(1000, 1) && windows_agree(1000, 2) && windows_agree(1000, 7),
	   "windows share draws out exactly");
	ok(windows_agree(17179869184, 2) && windows_agree(17179869183, 3),
	   "and those of 128 GiB");
	ok(windows_agree(3, 3), "windows of a single row");
	ok(edges_agree(0, 5, 11) && edges_agree(5, 11, 11) && edges_agree(0, 11, 11) &&
	   edges_agree(3, 4, 7) && edges_agree(0, 1, 1), "edges of windows to the bit");
	ok(edges_agree(UINT64_C(1) << 62, UINT64_C(3) << 62, UINT64_MAX) &&
	   edges_agree(0, UINT64_MAX, UINT64_MAX), "also of all rows that there can be");
}

/* ---------- plans ---------- */

/* As shipped (sql/gpuagg--1.1.sql) */
static GpuAggDrawRates
h200(void)
{
	GpuAggRates rates;
	GpuAggDrawRates draws;

	h200_fill(&rates);
	rates.ceiling[GPUAGG_CEILING_INT_OPS] = 1.6661e13;
	rates.ceiling[GPUAGG_CEILING_LAUNCH] = 7653;
	gpuagg_rates_draws(&rates, &draws);
	draws.cache_bytes = 33554432;
	draws.groups = 24;
	return draws;
}

static void
plans(const GpuAggDrawRates *rates, double bytes, GpuAggDrawWay way, uint32_t windows,
	  const char *name)
{
	GpuAggDrawPlan plan;

	gpuagg_draw_plan(rates, 2e9, bytes, &plan);
	if (ok(plan.way == way && plan.windows == windows, name))
		return;
	printf("#   way %d, %u windows; ns %g %g %g\n", (int) plan.way, plan.windows,
		   plan.predicted_ns[0], plan.predicted_ns[1], plan.predicted_ns[2]);
}

static void
test_plans(void)
{
	GpuAggDrawRates rates = h200();
	GpuAggDrawPlan plan;

	plans(&rates, 1048576, GPUAGG_DRAW_SINGLE, 1, "what the cache holds needs no windows");
	plans(&rates, 128 * 1048576.0, GPUAGG_DRAW_PASSES, 4,
		  "a few windows that the cache holds are worth their passes");
	plans(&rates, 10 * GiB, GPUAGG_DRAW_SINGLE, 1, "nor does what the TLB reaches");
	plans(&rates, 64 * GiB, GPUAGG_DRAW_SINGLE, 1, "up to its last byte");
	plans(&rates, 100 * GiB, GPUAGG_DRAW_SPATIAL, 2, "beyond it windows are spatial");
	plans(&rates, 130 * GiB, GPUAGG_DRAW_SPATIAL, 3, "as many as it takes");
	plans(&rates, 300 * GiB, GPUAGG_DRAW_PASSES, 5, "unless groups do not share them out evenly");
	gpuagg_draw_plan(&rates, 2e9, 128 * GiB, &plan);
	ok(plan.predicted_ns[GPUAGG_DRAW_SINGLE] / plan.predicted_ns[plan.way] > 5.5,
	   "which is expected to be several times as fast");
	plans(&rates, 40 * 64 * GiB, GPUAGG_DRAW_PASSES, 40, "more windows than groups: passes");
	plans(&rates, 100 * 64 * GiB, GPUAGG_DRAW_SINGLE, 1,
		  "so many that making the draws takes longer than reading them");
	rates.groups = 0;
	plans(&rates, 100 * GiB, GPUAGG_DRAW_PASSES, 2, "groups are unknown: passes");
	rates.launch_ns = 1e9;
	plans(&rates, 100 * GiB, GPUAGG_DRAW_SINGLE, 1, "launches that take longer: all at once");
	memset(&rates, 0, sizeof(rates));
	plans(&rates, 100 * GiB, GPUAGG_DRAW_SINGLE, 1, "nothing is known: all at once");
}

/* ---------- what was measured ---------- */

#define FIGURES "test/bench/results/cuda-nvidia-h200/sampling.csv"
#define MAX_FIGURES 512

/* A way, with its windows, and draws a second of it from so many values */
static struct
{
	char		way[32];
	double		values;
	double		rate;
}			figures[MAX_FIGURES];
static int	nfigures;

static void
read_figures(void)
{
	FILE	   *f = fopen(FIGURES, "r");
	char		line[2048];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL && nfigures < MAX_FIGURES)
		nfigures += sscanf(line, "sampling,draws,%31[^,],rate,draws/s,%lf,,%*d,%*f,%lf",
						   figures[nfigures].way, &figures[nfigures].values,
						   &figures[nfigures].rate) == 3 &&
			strcmp(figures[nfigures].way, "auto") != 0;
	if (f != NULL)
		fclose(f);
}

/* Of a way from so many values, 0: was not measured; NULL: of the best one */
static double
measured(const char *way, double values)
{
	double		best = 0;

	for (int i = 0; i < nfigures; i++)
		if (figures[i].values == values && (way == NULL || strcmp(figures[i].way, way) == 0))
			best = fmax(best, figures[i].rate);
	return best;
}

/* As queries plan: without windows that a cache holds */
static void
test_figures(void)
{
	static const char *const names[] = {"single", "passes", "spatial"};
	GpuAggDrawRates rates = h200();
	double		worst = 1;
	int			sizes = 0;

	rates.cache_bytes = 0;
	read_figures();
	for (int i = 0; i < nfigures; i++)
	{
		const double values = figures[i].values;
		GpuAggDrawPlan plan;
		char		way[32];

		if (strcmp(figures[i].way, "single") != 0)
			continue;
		gpuagg_draw_plan(&rates, 2e9, 8 * values, &plan);
		if (plan.way == GPUAGG_DRAW_SINGLE)
			snprintf(way, sizeof(way), "single");
		else
			snprintf(way, sizeof(way), "%s %u", names[plan.way], plan.windows);
		sizes++;
		if (measured(way, values) < 0.95 * measured(NULL, values))
			printf("#   %g values: %s\n", values, way);
		worst = fmin(worst, measured(way, values) / measured(NULL, values));
	}
	ok(sizes > 20, "sizes that were measured");
	ok(worst > 0.95, "what is planned is as fast as the best way that was measured");
}

int
main(void)
{
	test_known();
	test_uniform();
	test_independent();
	test_edges();
	test_windows();
	test_plans();
	test_figures();
	return done_testing();
}
