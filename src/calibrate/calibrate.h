/*
 * calibrate.h
 *		What gpuagg.calibrate() measures, and where it goes.
 */
#ifndef GPUAGG_CALIBRATE_CALIBRATE_H
#define GPUAGG_CALIBRATE_CALIBRATE_H

#include "postgres.h"

#include "device/device.h"

typedef enum GpuAggEffort
{
	GPUAGG_EFFORT_LOW,			/* for tests: seconds */
	GPUAGG_EFFORT_NORMAL,
	GPUAGG_EFFORT_HIGH
} GpuAggEffort;

/* A query that tells what a cost unit takes */
typedef struct GpuAggUnitQuery
{
	const char *query;
	double		cost_units;
	double		milliseconds;	/* fastest run */
	double		log_sum;		/* of all runs' milliseconds */
	int			runs;
} GpuAggUnitQuery;

#define GPUAGG_MAX_UNIT_QUERIES 8

/*
 * Beyond such a postgres_slowdown the machine is called busy.  On processors
 * that are shared with others it was 1.04 to 1.32 in eleven runs, then 1.51 on
 * the host of an H100, where feeding pages took 1.4 times as long as measured.
 */
#define GPUAGG_BUSY_SLOWDOWN 1.4

typedef struct GpuAggCalibration
{
	GpuAggEffort effort;
	bool		host;			/* the host device, whatever others there are */
	GpuAggDeviceInfo info;

	/* by the device */
	GpuAggProbeResult result;
	GpuAggCurvePoint *points;
	int			npoints;

	/* by the backend */
	double		feed_page_ns;
	double		round_trip_ns;
	double		cost_unit_ns;
	double		postgres_row_ns;
	double		postgres_value_ns;
	double		postgres_group_ns;
	double		postgres_slowdown;
	double		feeder_start_ns;	/* 0: not known */
	double		feeder_ns;
	double		copy_row_ns;
	double		copy_value_ns;
	int			nqueries;
	GpuAggUnitQuery queries[GPUAGG_MAX_UNIT_QUERIES];
	bool		huge_pages;
	double		seconds;
} GpuAggCalibration;

/*
 * measure.c: what a backend does, on a table that it makes and drops.  Needs
 * SPI, and the right to create tables in schema gpuagg.
 */
extern void gpuagg_measure_backend(GpuAggCalibration *c);

/* parallel.c: what a parallel worker takes; nothing where none can be had */
extern void gpuagg_measure_parallel(GpuAggCalibration *c);

/* blocks.c: what it takes to hand over rows of a plan */
extern void gpuagg_measure_blocks(GpuAggCalibration *c);

/* store.c: if no level of a TLB was found, the longest distance that was looked at; else 0 */
extern uint64 gpuagg_calibration_no_tlb(const GpuAggCalibration *c);

/* store.c: a row of gpuagg.profile and all that belongs to it.  Needs SPI. */
extern int	gpuagg_store_calibration(const GpuAggCalibration *c);

#endif							/* GPUAGG_CALIBRATE_CALIBRATE_H */
