/*
 * settings.h
 *		The settings.  settings.c defines them.
 */
#ifndef GPUAGG_SETTINGS_H
#define GPUAGG_SETTINGS_H

#include "postgres.h"

#define GPUAGG_NAME "gpuagg"	/* extension, schema and setting prefix */

/* gpuagg.debug_require */
typedef enum GpuAggRequire
{
	GPUAGG_ALLOW,				/* cost decides */
	GPUAGG_PREFER,				/* the device wherever it can be planned */
	GPUAGG_REQUIRE,				/* ERROR if a GROUP BY, aggregate or sampled
								 * scan is planned without the device, or falls
								 * back for any reason but an error that
								 * PostgreSQL raises */
	GPUAGG_FORBID				/* ERROR if one could be planned on it */
} GpuAggRequire;

/*
 * No device's fault: the backend takes an answer for one that found no memory half
 * way.
 */
#define GPUAGG_FAULT_MEMORY_LATE GPUAGG_NFAULTS

/* Nor these: a process that feeds beside the backend raises an ERROR. */
#define GPUAGG_FAULT_FEEDER (GPUAGG_NFAULTS + 1)

/* the backend asks for what the worker refuses. */
#define GPUAGG_FAULT_REFUSED (GPUAGG_NFAULTS + 2)

/* gpuagg.log_fallbacks */
typedef enum GpuAggLogFallbacks
{
	GPUAGG_LOG_OFF,
	GPUAGG_LOG_ERRORS,			/* that a device, its worker, or gpuagg itself is to blame for */
	GPUAGG_LOG_ALL				/* also what only PostgreSQL computes, and errors of values */
} GpuAggLogFallbacks;

/* User settings */
extern bool gpuagg_enable;		/* gpuagg.enable, user */
extern bool gpuagg_fallback;	/* gpuagg.fallback, user: after a device
								 * failure let PostgreSQL's plan answer */
extern int	gpuagg_log_fallbacks;	/* GpuAggLogFallbacks, superuser */
extern int	gpuagg_debug_require;	/* GpuAggRequire, user */
extern int	gpuagg_debug_fault; /* GpuAggFaultStage, or one of those above,
								 * superuser */
extern int	gpuagg_debug_fault_pass;	/* of a scan's tasks, the one that it
										 * strikes; 0: each.  Superuser */
extern int	gpuagg_debug_feeders;	/* processes that feed beside the backend; -1: as
									 * many as pay */
extern int	gpuagg_debug_pack;	/* GpuAggPack: on at once, off not at all */
extern bool gpuagg_debug_compare;	/* pages that are kept are compared with the table */
extern bool gpuagg_debug_wal;	/* what has changed tasks learn from the WAL */
extern int	gpuagg_debug_wait;	/* number of an advisory lock that tasks wait for; 0: none */
typedef enum GpuAggPartsMode
{
	GPUAGG_PARTS_OFF,
	GPUAGG_PARTS_AUTO,			/* where that costs less */
	GPUAGG_PARTS_ALWAYS			/* wherever it can be */
} GpuAggPartsMode;

extern int	gpuagg_debug_parts;	/* GpuAggPartsMode, user: of regrouping */
extern bool gpuagg_debug_regroup;	/* devices may regroup (device/regrouping.h) */

typedef enum GpuAggFiltersMode
{
	GPUAGG_FILTERS_OFF,
	GPUAGG_FILTERS_AUTO,		/* where they are expected to pay */
	GPUAGG_FILTERS_ALWAYS		/* wherever they can be */
} GpuAggFiltersMode;

extern int	gpuagg_debug_filters;	/* GpuAggFiltersMode, user: of look-up tables */
extern double gpuagg_cost_scale;	/* of the device's part of costs */
extern bool gpuagg_learn_costs;	/* of a generic profile: what tasks took scales
								 * predictions */
extern int	gpuagg_strategy;	/* GpuAggStrategy, of grouping */
extern int	gpuagg_scope_size;	/* kB of the table of one pass; 0: from the
								 * device's profile */
/* gpuagg.spread: is a task shared between the GPUs at work? */
typedef enum GpuAggSpreadMode
{
	GPUAGG_SPREAD_AUTO,			/* where that is predicted to be faster */
	GPUAGG_SPREAD_OFF,
	GPUAGG_SPREAD_ALWAYS		/* wherever it can be */
} GpuAggSpreadMode;

extern int	gpuagg_spread;		/* GpuAggSpreadMode, user */
extern bool gpuagg_cache;		/* gpuagg.cache, user: use and fill the column
								 * cache */
extern int	gpuagg_compile;		/* GpuAggCompileMode, user */
extern int	gpuagg_queue_timeout;	/* ms to wait for a place on the device
									 * before PostgreSQL's plan runs instead;
									 * 0: no limit */
extern int	gpuagg_share;		/* of the device, against other roles', while
								 * tasks wait for it; superuser */

/* Server settings (postmaster) */
extern char *gpuagg_device;		/* auto | host | cuda | cuda:N | a list of these |
								 * cuda:all */
extern char *gpuagg_device_provider;	/* library of GPUs, without .so */
extern int	gpuagg_host_threads;	/* 0: all cores */
extern int	gpuagg_device_memory;	/* MB that all tasks may use; 0: 80 %
									 * of a GPU's, for the host device a
									 * quarter of the machine's */
extern int	gpuagg_cache_size;	/* MB of columns that stay on the device
									 * between queries; 0: none, -1: as much
									 * as seems good (cache/cache.c) */
extern bool gpuagg_autoload;	/* gpuagg.autoload, server start */

/* Columns that stay and rest are packed */
typedef enum GpuAggPack
{
	GPUAGG_PACK_AUTO,			/* on; needed of a device that reads plain ones faster */
	GPUAGG_PACK_ON,
	GPUAGG_PACK_NEEDED,			/* where memory is short */
	GPUAGG_PACK_OFF
} GpuAggPack;

extern int	gpuagg_pack;
extern int	gpuagg_kernel_cache_size;	/* MB of compiled kernels on disk; 0: none */
extern int	gpuagg_lookup_memory;	/* MB; of the look-up tables of a query */
extern int	gpuagg_compile_timeout; /* ms that compiling a kernel may take */
extern int	gpuagg_max_tasks;	/* tasks known to a device at once */
extern int	gpuagg_running_tasks;	/* of these, long ones that run at once, and
										 * as many short ones (reload); 0: all */
extern int	gpuagg_watchdog;	/* s without a sign of life after which a task is
								 * given up (reload); 0: never */

/* Cards that can be at work, and that gpuagg.devices can show */
#define GPUAGG_MAX_CARDS 8

/* What gpuagg.device asks for */
typedef struct GpuAggDeviceChoice
{
	bool		gpu;			/* a GPU, if one can be had */
	bool		must;			/* its absence is worth telling */
	bool		all;			/* all cards, in their order */
	int			ndevices;		/* at work, at most: each with a worker of its own */
	int			ordinals[GPUAGG_MAX_CARDS];	/* their cards; -1: the first, or, of all,
											 * whichever comes */
} GpuAggDeviceChoice;

/* False if it is no value of gpuagg.device. */
extern bool gpuagg_device_parse(const char *text, GpuAggDeviceChoice *choice);

/* All of them, while the postmaster loads the module */
/*
 * beyond: is told of a setting that a statement gives another value, by its variable
 * (beyond.h).
 */
extern void gpuagg_settings_define(void (*beyond) (const int *variable, int value));

#endif							/* GPUAGG_SETTINGS_H */
