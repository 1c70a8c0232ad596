/*
 * common.h
 *		Ground shared by every device: fixed-width types, the host/CUDA
 *		function qualifier, value states and status codes.
 *
 * Everything in src/device compiles as C11 and as CUDA C++17 and knows
 * nothing of PostgreSQL: no postgres.h, no palloc, no ereport.  Code here
 * reports with GpuAggStatus and a message, never by throwing.
 */
#ifndef GPUAGG_DEVICE_COMMON_H
#define GPUAGG_DEVICE_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* RARE: of what is seldom called kernels have one copy, which they call */
#ifdef __CUDACC__
#define GPUAGG_HD __host__ __device__
#define GPUAGG_FN static __host__ __device__ __forceinline__
#define GPUAGG_FN_RARE static inline __host__ __device__ __noinline__
#else
#define GPUAGG_HD
#define GPUAGG_FN static inline
#define GPUAGG_FN_RARE static inline
#endif

/* In C as in C++: what every compiler has to lay out alike */
#ifdef __cplusplus
#define GPUAGG_ASSERT_BYTES(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#else
#define GPUAGG_ASSERT_BYTES(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

/* So many bytes up to a multiple of a power of two */
GPUAGG_FN uint64_t
gpuagg_align(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) & ~(to - 1);
}

/* PostgreSQL's page size; compat.h asserts that BLCKSZ agrees. */
#define GPUAGG_PAGE_BYTES 8192
/* Upper bound of line pointers on a page: (8192 - 24) / (24 + 4), rounded up */
#define GPUAGG_MAX_LINES 292
#define GPUAGG_VISIBILITY_BYTES ((GPUAGG_MAX_LINES + 7) / 8)

/*
 * The state that travels with every value.  Zero: a value.  Bit 0: SQL NULL.
 * Any other bit: evaluating it raised an error.  An error is itself a value
 * until something consumes it (a filter, a key, an aggregate), so that CASE,
 * FILTER and WHERE protect what PostgreSQL would never have evaluated.
 * Strict operators OR the states of their arguments: an error wins over NULL,
 * as in PostgreSQL, which evaluates all arguments before it looks for NULLs.
 */
#define GPUAGG_ST_VALUE 0x00
#define GPUAGG_ST_NULL 0x01
#define GPUAGG_ST_INT_RANGE 0x02	/* 22003, integer types */
#define GPUAGG_ST_DIV_ZERO 0x04		/* 22012 */
#define GPUAGG_ST_FLOAT_OVERFLOW 0x08	/* 22003, "value out of range: overflow" */
#define GPUAGG_ST_FLOAT_UNDERFLOW 0x10	/* 22003, "... underflow" */
#define GPUAGG_ST_DATETIME_RANGE 0x20	/* 22008 */
#define GPUAGG_ST_NEEDS_PG 0x40 /* legal, but only PostgreSQL computes it */
#define GPUAGG_ST_IS_ERROR(st) (((st) & ~GPUAGG_ST_NULL) != 0)

typedef enum GpuAggStatus
{
	GPUAGG_OK = 0,
	GPUAGG_VALUE_ERROR,			/* an error value was consumed; detail holds
								 * its GPUAGG_ST_ bits */
	GPUAGG_OUT_OF_MEMORY,		/* the task's or the device's budget is spent */
	GPUAGG_DEVICE_FAULT,		/* the device failed; the task is lost */
	GPUAGG_DEVICE_LOST,			/* sticky: the worker must exit and restart */
	GPUAGG_CORRUPT_PAGE,		/* an offset on a page points outside it */
	GPUAGG_CANCELLED,
	GPUAGG_UNSUPPORTED,			/* a program that this device cannot run */
	GPUAGG_INJECTED,			/* a fault asked for by gpuagg.debug_fault */
	GPUAGG_BUSY,				/* no place on the device within
								 * gpuagg.queue_timeout */
	GPUAGG_REFUSED,				/* a message or a program that there cannot be: an
								 * error of who made it */
	GPUAGG_NOT_SAME				/* a kept page is not what the table has (GpuAggPage.compare) */
} GpuAggStatus;

#define GPUAGG_MESSAGE_BYTES 256

typedef struct GpuAggError
{
	GpuAggStatus status;
	uint32_t	detail;			/* status-specific; see GpuAggStatus */
	char		message[GPUAGG_MESSAGE_BYTES];
} GpuAggError;

#endif							/* GPUAGG_DEVICE_COMMON_H */
