/*
 * draw_plan.h
 *		How a device makes random draws of what is resident in its memory: all
 *		at once, or window by window.
 *
 * Pure functions, as strategy.h.
 */
#ifndef GPUAGG_DEVICE_CHOICE_DRAW_PLAN_H
#define GPUAGG_DEVICE_CHOICE_DRAW_PLAN_H

#include "device/choice/strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * X(name, its word in EXPLAIN)
 *
 *	SINGLE		any draw anywhere
 *	PASSES		a pass for each window, by all units; each makes all draws and
 *				reads those within its window (Karnagel et al., Big Data causing Big (TLB) Problems,
 *				section 5.2)
 *	SPATIAL		the same in one pass: units that share a TLB have one window;
 *				each window's units make all draws between them
 */
#define GPUAGG_DRAW_WAY_LIST(X) \
	X(SINGLE, "single-pass") \
	X(PASSES, "multi-pass") \
	X(SPATIAL, "spatial")

typedef enum GpuAggDrawWay
{
#define X(name, word) GPUAGG_DRAW_##name,
	GPUAGG_DRAW_WAY_LIST(X)
#undef X
	GPUAGG_NDRAWWAYS
} GpuAggDrawWay;

/* Of a device profile; 0: not known */
typedef struct GpuAggDrawRates
{
	double		made;			/* draws a second that are made and not read */
	double		cache_bytes;	/* reach of the last cache */
	double		tlb_bytes;		/* reach of the last TLB level */
	double		launch_ns;		/* of a pass */
	uint32_t	groups;			/* of units that share a TLB; 0: not known */
	int			npoints;		/* random reads a second in a region */
	struct
	{
		double		bytes;		/* ascending */
		double		reads;
	}			points[GPUAGG_STRATEGY_POINTS];
} GpuAggDrawRates;

typedef struct GpuAggDrawPlan
{
	GpuAggDrawWay way;
	uint32_t	windows;		/* 1 if single */
	double		predicted_ns[GPUAGG_NDRAWWAYS]; /* negative: not possible */
} GpuAggDrawPlan;

/*
 * Draws a second that are made, of a device that does so many 32-bit integer
 * operations: two products of 64 bits, shifts, and looking at the window
 * (measured: 28.6 on an H200, with 128 windows).
 */
#define GPUAGG_DRAW_OPERATIONS 30

static inline double
gpuagg_draw_made(double int_ops)
{
	return int_ops / GPUAGG_DRAW_OPERATIONS;
}

/* So many windows are the most that any plan has. */
#define GPUAGG_DRAW_WINDOWS 1024

extern void gpuagg_draw_plan(const GpuAggDrawRates *rates, double draws, double bytes,
							 GpuAggDrawPlan *plan);

extern const char *gpuagg_draw_way_name(GpuAggDrawWay way);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_CHOICE_DRAW_PLAN_H */
