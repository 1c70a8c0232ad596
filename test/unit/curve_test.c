/*
 * curve_test.c
 *		Measured rates between their points (device/choice/curve.h).
 */
#include "device/choice/curve.h"
#include "tap.h"

/* As profiles have them: several rates of a size */
typedef struct Point
{
	double		bytes;
	double		rates[2];
} Point;

static const Point points[] = {
	{1 << 20, {100, 8}},
	{1 << 22, {50, 16}},
	{1 << 28, {20, 22}}
};

static double
at(int rate, int n, double bytes)
{
	return gpuagg_curve_at(&points[0].bytes, &points[0].rates[rate], sizeof(Point), n, bytes);
}

int
main(void)
{
	is_double(at(0, 0, 1 << 22), 0, "no points: nothing is known");
	is_double(at(0, 1, 1), 100, "one point: below it");
	is_double(at(0, 1, 1e12), 100, "... and beyond");
	is_double(at(0, 3, 1 << 20), 100, "at the first point");
	is_double(at(0, 3, 1 << 22), 50, "at one between");
	is_double(at(0, 3, 1 << 28), 20, "at the last");
	is_double(at(0, 3, 0), 100, "of nothing");
	is_double(at(0, 3, 1e15), 20, "beyond the last");
	is_double(at(0, 3, 1 << 21), 75, "half way in the logarithm");
	is_double(at(0, 3, 1 << 24), 40, "a third of the way");
	ok(fabs(at(0, 3, 1 << 26) - 30) < 1e-12, "two thirds");
	is_double(at(1, 3, 1 << 21), 12, "another rate, which rises");
	is_double(at(1, 3, 1 << 25), 19, "... half way to the last point");
	is_double(at(1, 2, 1 << 25), 16, "which was not measured");
	return done_testing();
}
