/*
 * sample_lines.h
 *		The lines of a page that a sample has.
 */
#ifndef GPUAGG_HOST_SAMPLE_LINES_H
#define GPUAGG_HOST_SAMPLE_LINES_H

#include "device/device.h"

/*
 * Visible lines of the page that belong to the sample, in the form of a
 * visibility bitmap of GPUAGG_VISIBILITY_BYTES.  Of bits beyond its lines,
 * those of the last byte are 0, others are left alone.
 */
extern void gpuagg_choose_lines(const GpuAggSample *sample, const GpuAggPage *page,
								uint8_t *chosen);

#endif							/* GPUAGG_HOST_SAMPLE_LINES_H */
