/*
 * placement.h
 *		Which of several devices a task is given to.
 *
 * Pure functions without PostgreSQL.  Whole tasks go to the device where they are
 * predicted to be finished first: behind what waits there, and with the columns that it
 * has.  So a table's columns stay on one device, until others have so much less to do
 * that reading the table there is faster.  Where tasks only wait for a while each time,
 * the waiting is added up (ipc/regrets.h): once it is as much as reading the table on
 * another device takes, one is sent there, and the columns are on both from then on.
 */
#ifndef GPUAGG_COST_PLACEMENT_H
#define GPUAGG_COST_PLACEMENT_H

/* What a device offers; times in ns */
typedef struct GpuAggOfferedDevice
{
	int			usable;			/* 0: not now */
	double		queue_ns;		/* until what was given to it is done */
	double		run_ns;			/* the task, with the columns that it has */
	double		kept_ns;		/* the task, if it had all of its columns */
	double		held;			/* the part of the table that it has */
	double		known;			/* the part of the table of which it has any columns */
	double		room;			/* bytes that its columns may still take */
} GpuAggOfferedDevice;

/*
 * The device where the task is finished first; of those alike the one that has most of
 * the table, then the one that has other columns of it, which later tasks read beside these,
 * then the one with most room, then the first.  -1: none is usable.
 */
extern int	gpuagg_placement_first(const GpuAggOfferedDevice *devices, int n);

/*
 * The device where it would be, had all of them the table; *gain_ns is how much sooner
 * than on `first`, *cost_ns what reading the table there takes more.  -1: no other.
 */
extern int	gpuagg_placement_wanted(const GpuAggOfferedDevice *devices, int n, int first,
									double *gain_ns, double *cost_ns);

/* What a task takes besides its parts, if several devices share it */
typedef struct GpuAggSpreadCosts
{
	double		round_trip_ns;	/* of each task */
	double		group_ns;		/* of a group that a part returns, to be merged */
	double		groups;			/* of each part */
	double		left;			/* merged ones that one device would not return */
} GpuAggSpreadCosts;

/* A part of it on one of the devices; times in ns */
typedef struct GpuAggOfferedPart
{
	double		queue_ns;
	double		run_ns;			/* with the columns that the device has of the part */
	double		kept_ns;		/* if the device had all columns of the part */
	double		feed_ns;		/* of run_ns, the backend that hands over pages */
	double		held;			/* the part of the whole table that it has */
	double		room;
} GpuAggOfferedPart;

/*
 * What n devices offer together, each of which takes a part.  One backend feeds them all,
 * so what must be read is fed one after the other.  Not usable: where a device has more to do
 * than its part, tasks wait for it, and whole tasks keep the devices as busy.
 */
extern void gpuagg_placement_spread(const GpuAggOfferedPart *parts, int n,
									const GpuAggSpreadCosts *costs, GpuAggOfferedDevice *offer);

/*
 * Is a task over columns that no device has to be spread, so that they all get some?  If
 * that takes hardly longer than on the best device, and much less once they are there.
 */
extern int	gpuagg_placement_spread_first(const GpuAggOfferedDevice *one,
										  const GpuAggOfferedDevice *spread);

#endif							/* GPUAGG_COST_PLACEMENT_H */
