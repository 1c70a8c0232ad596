/*
 * predict_shapes.h
 *		What tests of compiled kernels share: the shapes of test/bench/compiled.sh as
 *		programs, what they took on an H200, and that card's choice of a strategy.
 */
#ifndef GPUAGG_TEST_PREDICT_SHAPES_H
#define GPUAGG_TEST_PREDICT_SHAPES_H

#include "cost/predict_strategy.h"
#include "device_support.h"

#define ROWS 6e7
#define NONE GPUAGG_NO_REG

typedef enum Shape
{
	SUM, KEY_COUNT, KEY_SUM, TWO_KEYS, FILTER, Q11, MONTH, CASE, FLOAT, MILLION, NSHAPES
} Shape;

/* What was measured, ms, compiled and not; of the rows those that pass; the keys' numbers */
typedef struct ShapeMeasured
{
	const char *name;
	double		ms;
	double		interpreted;
	double		share;
	double		groups;
	double		numbers;
} ShapeMeasured;

/*
 * Figures: test/bench/compiled.sh on an H200, 6 * 10^7 rows, kernels by the card's clock
 * (test/bench/results/cuda-nvidia-h200/compiled.csv)
 */
extern const ShapeMeasured shapes_measured[NSHAPES];

/* An H200's rates, with what its kernels' prediction needs */
extern GpuAggRates shapes_card(void);

extern void shape_make(Shape shape, TestProgram *p);

/* Parts of programs: a column beside a number; both conditions; sum and count, as sum() has them */
extern uint16_t shape_compare(TestProgram *p, uint32_t op, uint16_t column, int64_t with);
extern uint16_t shape_both(TestProgram *p, uint16_t a, uint16_t b);
extern void shape_sum(TestProgram *p, uint16_t reg, uint32_t op, uint32_t type);

/* Over kept columns, by a kernel that is there */
extern void shape_work(const GpuAggProgram *p, double rows, double share, double groups,
					   double numbers, GpuAggWork *work);

/*
 * Program and work of a shape with so many groups, or as it was measured; the program is the
 * caller's to free.
 */
extern GpuAggProgram *shape_grouped(Shape shape, double groups, double numbers, GpuAggWork *work);
extern GpuAggProgram *shape_measured(Shape shape, GpuAggWork *work);

extern GpuAggResidentChoice shape_choose(const GpuAggRates *rates, const GpuAggProgram *p,
										 GpuAggWork *work);

#endif							/* GPUAGG_TEST_PREDICT_SHAPES_H */
