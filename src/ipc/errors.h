/*
 * errors.h
 *		From a device's status to what PostgreSQL does about it: why the
 *		fallback plan runs, or which ERROR is raised instead.
 */
#ifndef GPUAGG_IPC_ERRORS_H
#define GPUAGG_IPC_ERRORS_H

#include "postgres.h"

#include "compat.h"
#include "device/common.h"

/* Why PostgreSQL's plan ran: X(name, word in EXPLAIN) */
#define GPUAGG_FALLBACK_LIST(X) \
	X(NONE, "") \
	X(VALUE, "value") \
	X(MEMORY, "memory") \
	X(DEVICE, "device") \
	X(STARTING, "starting") \
	X(QUEUE, "queue") \
	X(UNSUPPORTED, "unsupported") \
	X(REFUSED, "refused")

typedef enum GpuAggFallback
{
#define X(name, word) GPUAGG_FALLBACK_##name,
	GPUAGG_FALLBACK_LIST(X)
#undef X
} GpuAggFallback;

/* The detail of GPUAGG_DEVICE_LOST, if the device is not there yet */
#define GPUAGG_LOST_STARTING 1

/* Stores a status and a message (printf style). */
extern GpuAggStatus gpuagg_error_set(GpuAggError *error, GpuAggStatus status,
									 uint32 detail, const char *fmt,...) pg_attribute_printf(4, 5);

extern GpuAggFallback gpuagg_error_fallback(const GpuAggError *error);
extern const char *gpuagg_fallback_word(GpuAggFallback reason);

/*
 * Does an expression raise it, by its values?  PostgreSQL would raise it when the value is asked
 * for, if ever.  Not so a cancelled query, a lack of resources, or an error of the system.
 */
extern bool gpuagg_error_is_of_values(int sqlerrcode);

/* Adds to the counter of gpuagg.stat that belongs to the reason. */
extern void gpuagg_fallback_count(GpuAggFallback reason);

/* Tells the server's log of it, as gpuagg.log_fallbacks wants. */
extern void gpuagg_fallback_log(GpuAggFallback reason, const GpuAggError *error);

/* So that one that a device has failed runs again on another device, named in words. */
extern void gpuagg_redone_log(const GpuAggError *error, const char *device);

/*
 * The worker has refused what this backend sent, which is an error of gpuagg's own: LOG, with
 * the statement.  In a build with assertions it ends the process.
 */
extern void gpuagg_error_refused(const GpuAggError *error);

/* gpuagg.fallback = off: ereport(ERROR) with the SQLSTATE of the status. */
pg_noreturn extern void gpuagg_error_raise(const GpuAggError *error);

/* gpuagg.debug_require = require: ERROR, for PostgreSQL's plan answered. */
pg_noreturn extern void gpuagg_error_required(const GpuAggError *error);

#endif							/* GPUAGG_IPC_ERRORS_H */
