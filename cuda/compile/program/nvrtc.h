/*
 * nvrtc.h
 *		NVRTC, opened at run time.
 */
#ifndef GPUAGG_CUDA_NVRTC_H
#define GPUAGG_CUDA_NVRTC_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GpuAggNvrtcProgram *GpuAggNvrtcHandle;	/* theirs */

typedef struct GpuAggNvrtc
{
	int			major;
	int			minor;
	int			arch;			/* that it compiles for: the card's, or one whose
								 * code that card runs */
	int			(*create) (GpuAggNvrtcHandle *, const char *text, const char *name,
						   int nheaders, const char *const *headers, const char *const *names);
	int			(*compile) (GpuAggNvrtcHandle, int noptions, const char *const *options);
	int			(*code_bytes) (GpuAggNvrtcHandle, size_t *);
	int			(*code) (GpuAggNvrtcHandle, char *);
	int			(*log_bytes) (GpuAggNvrtcHandle, size_t *);
	int			(*log) (GpuAggNvrtcHandle, char *);
	int			(*destroy) (GpuAggNvrtcHandle *);
	const char *(*error) (int);
} GpuAggNvrtc;

/*
 * Opens the library of this path, or without one the newest of NVRTC that a driver
 * of CUDA's major version can follow.  False with the reason in why.
 */
extern bool gpuagg_nvrtc_open(GpuAggNvrtc *nvrtc, const char *path, int driver, int arch,
							  char *why, size_t why_bytes);

#endif							/* GPUAGG_CUDA_NVRTC_H */
