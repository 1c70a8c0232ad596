/*
 * carried.h
 *		Texts of headers that kernels may include, inside this program: made by
 *		"carry" from what roots.h and the frames include.
 */
#ifndef GPUAGG_CUDA_CARRIED_H
#define GPUAGG_CUDA_CARRIED_H

typedef struct GpuAggCarried
{
	const char *name;			/* as an #include line has it */
	const char *text;			/* ends with a zero */
} GpuAggCarried;

/* Each name once (NVRTC crashes otherwise); the last one is NULL. */
extern const GpuAggCarried gpuagg_carried[];

#endif							/* GPUAGG_CUDA_CARRIED_H */
