/*
 * compiler_program.h
 *		Where tests find the program that compiles kernels: as built here, or, on a GPU
 *		machine, beside them.
 */
#ifndef GPUAGG_COMPILER_PROGRAM_H
#define GPUAGG_COMPILER_PROGRAM_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline char *
compiler_program(void)
{
	static char path[4096] = "build/cuda/gpuagg_compile";
	char		self[2048];
	ssize_t		n;

	if (access(path, X_OK) == 0)
		return path;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = '\0';
	if (strrchr(self, '/') != NULL)
		*strrchr(self, '/') = '\0';
	snprintf(path, sizeof(path), "%s/gpuagg_compile", self);
	return path;
}

#endif							/* GPUAGG_COMPILER_PROGRAM_H */
