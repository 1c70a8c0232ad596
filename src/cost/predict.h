/*
 * predict.h
 *		How long a task takes on a device of a given profile.
 *
 * Pure functions without PostgreSQL, for the planner, for EXPLAIN, and for
 * unit tests.
 */
#ifndef GPUAGG_COST_PREDICT_H
#define GPUAGG_COST_PREDICT_H

#include "cost/predict_compiled.h"
#include "device/choice/strategy.h"
#include "device/device.h"

/*
 * PostgreSQL was measured grouping by one key with two aggregates, which are three
 * values of a row, into so many groups where these are many (calibrate/measure.c).
 */
#define GPUAGG_MEASURED_VALUES 3
#define GPUAGG_MEASURED_GROUPS 100000

/*
 * What was measured of a device: gpuagg.profile and the tables behind it,
 * units as there.  0: not known.
 */
typedef struct GpuAggRates
{
	bool		gpu;
	int			units;			/* multiprocessors; threads of the host */
	double		feed_page_ns;
	double		round_trip_ns;
	double		cost_unit_ns;
	double		postgres_row_ns;
	double		postgres_value_ns;
	double		postgres_group_ns;
	double		postgres_slowdown;
	double		feeder_start_ns;	/* until a parallel worker is at work */
	double		feeder_ns;		/* what a leader pays for a parallel worker */
	double		copy_row_ns;	/* a row of a plan on its way to the device; 0: not measured */
	double		copy_value_ns;	/* a value of a plan's row on its way there; 0: not measured */
	double		learned;		/* tasks take so many times what the rest says; 0 counts as 1 */

	/* not measured: gpuagg_host_part_bytes(); what a GPU tells (GpuAggDeviceInfo) */
	double		part_bytes;
	double		unit_shared_bytes;
	double		block_shared_bytes;

	double		ceiling[GPUAGG_NCEILINGS];
	int			nlevels;
	GpuAggLevel levels[GPUAGG_MAX_LEVELS];	/* by kind, then level */
	GpuAggUnitGroups tlb_groups;
	int			npoints;
	struct
	{
		double		bytes;
		double		rate[GPUAGG_NRANDOMS];
	}			points[GPUAGG_MAX_RANDOM_POINTS];	/* bytes ascending */
} GpuAggRates;

/* A task, as far as its time depends on it */
typedef struct GpuAggWork
{
	double		pages;			/* that are fed */
	double		read_ns;		/* reading those that shared_buffers cannot hold */
	double		page_lines;		/* lines of one; 0: as pages and rows say */
	double		checked_rows;	/* rows on fed pages that are not all-visible */
	double		checked_pages;	/* fed pages that are not all-visible */
	double		compared_pages;	/* whose LSNs are compared with those of kept pages */
	double		gaps;			/* pages that are fed, but not the one before */
	int			feeders;		/* processes that may hand over pages beside the backend */
	double		kept_pages;		/* whose columns the device has, which somebody looks after */
	double		drawn_pages;	/* of which a sample of pages draws */
	double		lines;			/* that a sample decides one by one */
	double		sampled;		/* of these, those of a sample of lines: kernels meet them all */
	double		draw_ns;		/* making draws, of all of a GPU */
	double		rows;			/* of the table, or its sample */
	double		cached_rows;	/* of these, that need not be decoded */
	double		passed;			/* that pass the filter */
	double		groups;
	double		left_out;		/* of these, that are not returned */
	double		made;			/* groups that are made of them; 0: they are returned as
								 * they are */
	bool		regrouped;		/* the device makes and returns the made groups; else the backend
								 * does */
	bool		counted;		/* sorted rows tell all that it makes */
	bool		ordered;		/* the device sorts the groups, and returns few of them */
	double		entries;		/* of the tables in which the backend makes groups */
	double		computed;		/* values that the backend computes of each group */
	double		word_sorts;		/* sorted integers in memory, each as often as it is compared */
	double		value_sorts;	/* sorted tuples, each as often as it is compared */
	double		long_sorts;		/* sorted tuples with a value that they only point to, each as
								 * often */
	double		reads;			/* the groups are read so often */
	double		output_bytes;	/* of a group, as it is sent */
	double		numeric_outputs;	/* of a group, that become numerics */
	double		averages;		/* of a group, that divide numerics */
	double		variances;		/* of a group, that PostgreSQL's numerics make */
	double		strings;		/* that follow a group */
	double		string_bytes;	/* of the strings that follow a group */
	double		outputs;		/* of a group, of no other kind */
	double		chosen;			/* rows that a backend forms (GpuSample) */
	double		chosen_pages;	/* that they lie on */

	/* of the program */
	double		attrs;			/* crossed */
	double		filter_attrs;	/* of these, crossed for the filter */
	double		floating;		/* of these, whose place varies */
	double		columns;		/* loaded */
	double		filter_instrs;	/* run for all rows */
	double		instrs;			/* run for those that pass */
	double		keys;
	double		string_keys;	/* of these */
	double		transitions;
	double		entry_bytes;	/* of a group in a table */
	double		field_bytes;	/* of a row's keys and arguments, if it is kept (record.h) */
	double		passes;			/* over the pages, one for each window of the
								 * hash space; 0 counts as 1 */
	GpuAggCompiledWork compiled;	/* of a GPU's cached rows */
} GpuAggWork;

/* What bounds a task */
typedef enum GpuAggBound
{
	GPUAGG_BOUND_FEED,			/* the backend that pins pages */
	GPUAGG_BOUND_LINK,			/* pages over the bus; host: reading them */
	GPUAGG_BOUND_COMPUTE,		/* decoding, expressions, hashing */
	GPUAGG_BOUND_CACHE,			/* groups within the last cache */
	GPUAGG_BOUND_MEMORY,		/* beyond it */
	GPUAGG_BOUND_EMIT,			/* groups into rows */
	GPUAGG_BOUND_START			/* announcing the task */
} GpuAggBound;

/* Times in ns */
typedef struct GpuAggPrediction
{
	double		start;			/* round trip, and compiling that is waited for */
	double		feed;
	double		reads;			/* in it, pages on their way to shared_buffers */
	double		link;
	double		kernel;			/* all else on the device */
	double		emit;			/* groups, from the device to tuples */
	double		startup;		/* until the first group can be returned */
	double		total;
	double		learned;		/* rates', which all stages but start and emit have in them */
	double		pages;			/* that are fed, of one pass */
	double		page_feed;		/* handing over one of them, if it need not be read in */
	double		page_touch;		/* of one, what a process takes that has never touched it before */

	/* of a GPU, all rows cached: its kernels, by the interpreter and compiled; 0: not */
	double		interpreted;
	double		compiled;
	GpuAggBound bound;
} GpuAggPrediction;

#ifdef __cplusplus
extern "C" {
#endif

extern void gpuagg_predict(const GpuAggRates *rates, const GpuAggWork *work,
						   GpuAggPrediction *prediction);

/* startup, had nothing been learned of the rates; ns */
extern double gpuagg_predict_unlearned(const GpuAggPrediction *prediction);

/*
 * PostgreSQL's own work for the task: one process, a scan of work's pages and a hash aggregate; ns
 */
extern double gpuagg_predict_postgres(const GpuAggRates *rates,
									  const GpuAggWork *work);

/* Reading the pages once, up to where rows are grouped; ns */
extern double gpuagg_predict_input(const GpuAggRates *rates,
								   const GpuAggWork *work);

/*
 * What follows of each group where rows are not sorted, which would leave few: it is returned
 * (device/ordered.h), or the device regroups it (device/regrouping.h).  Sets behind_ns and left.
 */
extern void gpuagg_predict_behind(const GpuAggRates *rates, const GpuAggWork *work,
								  GpuAggStrategyInput *input);

/* So many rows of a plan, of so many values each, into columns; ns */
extern double gpuagg_predict_copy(const GpuAggRates *rates, double rows, double values);

/* What strategies of grouping differ by */
extern void gpuagg_rates_strategy(const GpuAggRates *rates,
								  GpuAggStrategyRates *strategy);

/* And ways of making draws; of a CPU nothing, which has but one */
extern void gpuagg_rates_draws(const GpuAggRates *rates, GpuAggDrawRates *draws);

/*
 * How many processes, at most so many, should hand over so many pages beside the backend,
 * which has taken page_ns for one so far (0: has handed over none): each further one must save more
 * than it costs, by a twentieth of the whole.  Of the prediction, which may be of more pages, it
 * takes what handing over one takes, and what bounds a task beside that.  None of the host device,
 * whose threads have all cores, and none where it is not known what they cost.  Where so many
 * others do (GPUAGG_FEEDERS_ENOUGH) the backend only passes on what they read: while it read a
 * batch, they would wait for it.
 */
#define GPUAGG_FEEDERS_ENOUGH 4

extern int gpuagg_predict_feeders(const GpuAggRates *rates, const GpuAggPrediction *prediction,
								  double pages, double page_ns, int most);

extern const char *gpuagg_bound_name(GpuAggBound bound);

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_COST_PREDICT_H */
