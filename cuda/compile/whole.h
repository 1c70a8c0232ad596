/*
 * whole.h
 *		Reading and writing all of so many bytes: of files, and of the pipes between
 *		the worker and its compiler.
 */
#ifndef GPUAGG_CUDA_WHOLE_H
#define GPUAGG_CUDA_WHOLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

/* False at the end of the file, or of an error */
static inline bool
gpuagg_read_whole(int fd, void *data, size_t bytes)
{
	for (size_t got = 0; got < bytes;)
	{
		ssize_t		n = read(fd, (char *) data + got, bytes - got);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		got += n > 0 ? (size_t) n : 0;
	}
	return true;
}

static inline bool
gpuagg_write_whole(int fd, const void *data, size_t bytes)
{
	for (size_t put = 0; put < bytes;)
	{
		ssize_t		n = write(fd, (const char *) data + put, bytes - put);

		if (n < 0 && errno != EINTR)
			return false;
		put += n > 0 ? (size_t) n : 0;
	}
	return true;
}

#endif							/* GPUAGG_CUDA_WHOLE_H */
