/*
 * spatial.h
 *		Windows for the units of a device, by the groups of them that share a
 *		TLB (Karnagel et al., Big Data causing Big (TLB) Problems, section
 *		3.3): each group has one window, so that what a TLB has to reach is a
 *		part of the table.
 */
#ifndef GPUAGG_DEVICE_CHOICE_SPATIAL_H
#define GPUAGG_DEVICE_CHOICE_SPATIAL_H

#include "device/common.h"

/* Units that are told apart; groups are numbered from 0 */
#define GPUAGG_SPATIAL_UNITS 256

/* Groups that are taken for there, where none are known */
#define GPUAGG_SPATIAL_UNKNOWN 16

/* Which units share a TLB; n 0: not known.  Those beyond n are like unit 0. */
typedef struct GpuAggUnitGroups
{
	uint32_t	n;
	uint8_t		group[GPUAGG_SPATIAL_UNITS];
} GpuAggUnitGroups;

GPUAGG_FN uint32_t
gpuagg_spatial_ngroups(const GpuAggUnitGroups *g)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		n = g->group[i] >= n ? g->group[i] + 1u : n;
	return n;
}

/*
 * log2 of the windows that a table should have: so many that one is no more
 * than a scope, but no more than there are groups to have them.
 */
GPUAGG_FN uint32_t
gpuagg_spatial_log2(double table_bytes, double scope_bytes, uint32_t ngroups)
{
	uint32_t	log2 = 0;

	while (scope_bytes > 0 && table_bytes > scope_bytes && 2u << log2 <= ngroups)
	{
		table_bytes /= 2;
		log2++;
	}
	return log2;
}

/*
 * The window of each unit, by its number: those of a group have the same one,
 * and windows have as many units as can be.  Where groups are not known, units
 * take turns.
 */
GPUAGG_FN void
gpuagg_spatial_windows(const GpuAggUnitGroups *g, uint32_t nwindows, uint8_t *windows)
{
	uint32_t	size[GPUAGG_SPATIAL_UNITS] = {0};
	uint32_t	load[GPUAGG_SPATIAL_UNITS] = {0};
	uint8_t		window[GPUAGG_SPATIAL_UNITS] = {0};

	for (uint32_t i = 0; i < g->n; i++)
		size[g->group[i]]++;
	/* the largest group that is left to the window that has the fewest units */
	for (uint32_t turn = 0; turn < GPUAGG_SPATIAL_UNITS; turn++)
	{
		uint32_t	most = 0;
		uint32_t	least = 0;

		for (uint32_t i = 1; i < GPUAGG_SPATIAL_UNITS; i++)
			most = size[i] > size[most] ? i : most;
		for (uint32_t w = 1; w < nwindows; w++)
			least = load[w] < load[least] ? w : least;
		if (size[most] == 0)
			break;
		window[most] = (uint8_t) least;
		load[least] += size[most];
		size[most] = 0;
	}
	for (uint32_t i = 0; i < GPUAGG_SPATIAL_UNITS; i++)
		windows[i] = g->n == 0 ? (uint8_t) (i % nwindows) :
			window[g->group[i < g->n ? i : 0]];
}

#endif							/* GPUAGG_DEVICE_CHOICE_SPATIAL_H */
