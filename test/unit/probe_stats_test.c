/*
 * probe_stats_test.c
 *		Medians, steps in curves, modes.
 */
#include "probe/stats.h"
#include "probe_sim.h"
#include "tap.h"

#define N 48

static SimHierarchy noise = {.random = 42};

/* A curve of N points that rises from `low` to `high` after point `at` */
static void
step_curve(double *y, double low, double high, uint32_t at, double share)
{
	noise.noise = share;
	for (uint32_t i = 0; i < N; i++)
		y[i] = sim_noisy(&noise, i <= at ? low : high);
}

static bool
near(double got, double want, double share)
{
	return fabs(got / want - 1) <= share;
}

static void
test_medians(void)
{
	double		odd[] = {9, 1, 5};
	double		even[] = {8, 2, 4, 100};

	is_double(gpuagg_stat_median(odd, 3), 5, "median of three");
	is_double(gpuagg_stat_median(even, 4), 6, "median of four");
	is_double(gpuagg_stat_median(odd, 1), 9, "median of one");
	is_double(gpuagg_stat_spread(odd, 3), 1.6, "spread");
	is_double(gpuagg_stat_over_least(log(2 * 8 * 4), 3, 2), 2,
			  "the geometric mean is twice the least");
	is_double(gpuagg_stat_over_least(log(7), 1, 7), 1, "of one value it is the least");
	is_double(odd[0], 9, "values stay as they are");
	is_double(gpuagg_stat_deviation(even, 4), 1.4826 * 3, "deviation");
	is_double(gpuagg_stat_sort_median(odd, 3), 5, "median of what it sorts");
	is_double(odd[2], 9, "sorted");
}

static void
test_steps(void)
{
	double		y[N];
	GpuAggStep	step[4];

	step_curve(y, 292, 386, 35, 0);
	is_int(gpuagg_stat_steps(y, N, step, 4), 1, "clean: one step");
	is_int(step[0].low_end, 35, "clean: where");
	is_int(step[0].high_start, 36, "clean: and where to");
	ok(near(step[0].low, 292, 1e-9) && near(step[0].high, 386, 1e-9),
	   "clean: the plateaus");

	step_curve(y, 230, 239, 20, 0.002);
	is_int(gpuagg_stat_steps(y, N, step, 4), 1, "a small step of a still curve");
	is_int(step[0].low_end, 20, "a small step: where");

	step_curve(y, 100, 160, 44, 0);
	is_int(gpuagg_stat_steps(y, N, step, 4), 1, "three points are a plateau");
	step_curve(y, 100, 160, 46, 0);
	is_int(gpuagg_stat_steps(y, N, step, 4), 0, "one is none");
	is_int(gpuagg_stat_steps(y, 5, step, 4), 0, "five points have no step");

	for (uint32_t i = 0; i < N; i++)
		y[i] = i < 10 ? 4 : i < 25 ? 14 : i < 40 ? 50 : 300;
	is_int(gpuagg_stat_steps(y, N, step, 4), 3, "three steps");
	ok(step[0].low_end == 9 && step[1].low_end == 24 && step[2].low_end == 39,
	   "three steps: where");
	is_int(gpuagg_stat_steps(y, N, step, 2), 2, "no more than asked for");
}

static void
test_disturbed(void)
{
	double		y[N];
	GpuAggStep	step[4];
	uint32_t	found = 0;
	uint32_t	right = 0;
	uint32_t	invented = 0;

	for (int i = 0; i < 200; i++)
	{
		step_curve(y, 292, 386, 30, 0.07);
		if (gpuagg_stat_steps(y, N, step, 4) == 1)
		{
			found++;
			right += step[0].low_end >= 28 && step[0].low_end <= 32;
		}
		step_curve(y, 292, 292, 30, 0.15);
		invented += gpuagg_stat_steps(y, N, step, 4);
	}
	ok(found >= 196 && right >= 192, "a step of a third in noise of 7 %");
	ok(invented <= 6, "noise of 15 % has no step");
	printf("#   found %u, right %u of 200; invented %u\n", found, right, invented);

	step_curve(y, 100, 100, 0, 0.01);
	y[7] = 300;
	y[20] = 20;
	y[47] = 250;
	is_int(gpuagg_stat_steps(y, N, step, 4), 0, "outliers");

	for (uint32_t i = 0; i < N; i++)
		y[i] = 100 + 30.0 * i / N;
	is_int(gpuagg_stat_steps(y, N, step, 4), 0, "a slow drift");

	step_curve(y, 100, 150, 30, 0.01);
	for (uint32_t i = 10; i < 16; i++)
		y[i] *= 1.7;
	is_int(gpuagg_stat_steps(y, N, step, 4), 1, "a burst is no step");
	is_int(step[0].low_end, 30, "the step behind a burst");

	step_curve(y, 100, 150, 30, 0.01);
	for (uint32_t i = 0; i < 5; i++)
		y[i] *= 2;
	is_int(gpuagg_stat_steps(y, N, step, 4), 1, "a slow start");
}

static void
test_modes(void)
{
	double		two[] = {1.0, 4.1, 1.1, 5.0, 1.02, 1.05, 6.2};
	double		one[] = {1.0, 1.1, 1.02, 1.05, 1.2, 1.15};
	double		wide[] = {1.0, 1.6, 2.4, 3.5, 5.0, 7.0};
	double		threshold;

	ok(gpuagg_stat_two_modes(two, 7, &threshold), "two modes");
	ok(threshold > 1.1 && threshold < 4.1, "the threshold is between them");
	ok(!gpuagg_stat_two_modes(one, 6, &threshold), "one mode");
	ok(!gpuagg_stat_two_modes(wide, 6, &threshold), "one wide mode");
	ok(!gpuagg_stat_two_modes(one, 1, &threshold), "one value");
}

int
main(void)
{
	test_medians();
	test_steps();
	test_disturbed();
	test_modes();
	return done_testing();
}
