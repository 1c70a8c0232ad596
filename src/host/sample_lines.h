/*
 * sample_lines.h
 *		The lines of a page that a sample has, on the page or where they are kept.
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

/*
 * Of kept lines of a block from `line` on (from 0), at positions `at` on of a bitmap, at most
 * GPUAGG_MAX_LINES: bits of those that belong to the sample are set.
 */
extern void gpuagg_choose_kept(const GpuAggSample *sample, uint32_t block, uint32_t line,
							   uint32_t n, uint64_t *words, uint32_t at);

#endif							/* GPUAGG_HOST_SAMPLE_LINES_H */
