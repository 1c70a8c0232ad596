/*
 * bench.cuh
 *		What the programs that time kernels share.
 */
#ifndef GPUAGG_BENCH_CUH
#define GPUAGG_BENCH_CUH

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

static inline void
check(cudaError_t result, const char *what)
{
	if (result == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
	exit(1);
}

/* Of a list as options have it */
static inline std::vector<std::string>
split(const std::string &text, char at)
{
	std::vector<std::string> parts;
	size_t		from = 0;

	for (size_t to; (to = text.find(at, from)) != std::string::npos; from = to + 1)
		parts.push_back(text.substr(from, to - from));
	parts.push_back(text.substr(from));
	return parts;
}

#endif							/* GPUAGG_BENCH_CUH */
