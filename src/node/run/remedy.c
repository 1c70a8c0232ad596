/*
 * remedy.c
 *		What is tried when a task has failed (remedy.h).
 *
 * A failure of the GPU is no failure of the host device.  A value, a full queue or a page that is
 * corrupt is the same on every device.  Draws are made of kept columns only, which one device
 * has: they are left to PostgreSQL at once.
 */
#include "node/run/remedy.h"

/* Might the host device do what the GPU could not? */
static bool
is_of_gpu(GpuAggStatus status, const GpuAggTried *tried)
{
	return tried->on_gpu && !tried->draws &&
		(status == GPUAGG_DEVICE_FAULT || status == GPUAGG_DEVICE_LOST ||
		 status == GPUAGG_OUT_OF_MEMORY || status == GPUAGG_UNSUPPORTED);
}

/* Might another GPU?  Also where the worker went before it had taken the task */
static bool
is_of_card(GpuAggStatus status, const GpuAggTried *tried)
{
	return status != GPUAGG_UNSUPPORTED && !tried->draws &&
		(status == GPUAGG_DEVICE_LOST || is_of_gpu(status, tried));
}

/* Of tables that several cards share: alone it may find a slot, memory, or more ways. */
static GpuAggRemedy
of_shared_tables(GpuAggStatus status, uint32_t detail)
{
	return status == GPUAGG_CORRUPT_PAGE ||
		(status == GPUAGG_VALUE_ERROR && (detail & GPUAGG_ST_NEEDS_PG) == 0) ?
		GPUAGG_REMEDY_NONE : GPUAGG_REMEDY_ALONE;
}

/* A value that devices have no form of can be left to the row plan. */
static GpuAggRemedy
of_value(uint32_t detail, const GpuAggTried *tried)
{
	const bool	left = (detail & GPUAGG_ST_NEEDS_PG) != 0;

	if (left && tried->limitable && !tried->met_long)
		return GPUAGG_REMEDY_LIMITED;
	/* no device knows which groups are wanted, if it does not have all values */
	if ((left || tried->limited) && tried->met_long && !tried->all_groups)
		return GPUAGG_REMEDY_ALL_GROUPS;
	return GPUAGG_REMEDY_NONE;
}

/* Without the strings of one device, as codes, it can do nothing. */
static GpuAggRemedy
of_called(GpuAggStatus status, uint32_t detail, const GpuAggTried *tried)
{
	return status == GPUAGG_VALUE_ERROR && (detail & GPUAGG_ST_NEEDS_PG) != 0 &&
		!tried->all_called ? GPUAGG_REMEDY_CALLED : GPUAGG_REMEDY_NONE;
}

GpuAggRemedy
gpuagg_remedy(GpuAggStatus status, uint32_t detail, const GpuAggTried *tried)
{
	if (status == GPUAGG_OK || tried->on_host)
		return GPUAGG_REMEDY_NONE;
	if (tried->called)
		return of_called(status, detail, tried);
	if (tried->together && !is_of_card(status, tried))
		return of_shared_tables(status, detail);
	if (status == GPUAGG_VALUE_ERROR)
		return of_value(detail, tried);
	if (status == GPUAGG_UNSUPPORTED && tried->cached && !tried->draws)
		return (detail & GPUAGG_ST_NEEDS_PG) != 0 && !tried->again ? GPUAGG_REMEDY_AGAIN :
			GPUAGG_REMEDY_UNCACHED;
	if (is_of_card(status, tried) && tried->other_gpu)
		return GPUAGG_REMEDY_OTHER_GPU;
	if (is_of_gpu(status, tried))
		return GPUAGG_REMEDY_HOST;
	/* tables that the device had made are not there any more */
	return status == GPUAGG_UNSUPPORTED && tried->tables_there ?
		GPUAGG_REMEDY_TABLES_HERE : GPUAGG_REMEDY_NONE;
}
