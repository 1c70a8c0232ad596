/*
 * sha256.h
 *		SHA-256 (FIPS 180-4): names of compiled kernels, and whether their files
 *		are whole.
 */
#ifndef GPUAGG_CUDA_COMPILE_SHA256_H
#define GPUAGG_CUDA_COMPILE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct GpuAggSha256
{
	uint32_t	state[8];
	uint64_t	bytes;
	uint8_t		block[64];
} GpuAggSha256;

extern void gpuagg_sha256_begin(GpuAggSha256 *sha);
extern void gpuagg_sha256_add(GpuAggSha256 *sha, const void *data, size_t bytes);
extern void gpuagg_sha256_end(GpuAggSha256 *sha, uint8_t digest[32]);

#endif							/* GPUAGG_CUDA_COMPILE_SHA256_H */
