/*
 * completion_flag.cu
 *		Telling the worker's event loop that the card has finished something.
 *
 * Behind a batch, a one-thread kernel writes a number to a word of pinned
 * memory, its stream pair's completion flag.  A thread looks at the completion
 * flags every few microseconds while any is to be written, writes to the
 * eventfd when one was, and sleeps while none is to.  It calls neither CUDA
 * nor PostgreSQL.
 *
 * Why not CUDA's host functions: on the H200 machine (a virtual one) each held
 * up its stream for some 200 us, as long as reading 8 MiB of pages takes.
 *
 * The thread is started while all signals are blocked, and stays so.  A
 * completion flag that a lost card never writes keeps it looking until the
 * process ends, which a lost card makes soon.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cuda/core/cuda_device.h"

/* Stream pairs, that is, tasks at once */
#define MAX_COMPLETION_FLAGS 1024

/* A sleep between two looks; the timer's slack is made as short */
#define LOOK_NS 10000

/* Completion flags lie in cache lines of their own. */
#define COMPLETION_FLAG_BYTES 64

struct GpuAggCompletionFlags
{
	pthread_t	thread;
	pthread_mutex_t mutex;		/* guards all but what the card writes */
	pthread_cond_t wanted;
	bool		stop;
	int			event_fd;
	char	   *words;			/* pinned */
	uint32_t	n;
	GpuAggCompletionFlag	completion_flag[MAX_COMPLETION_FLAGS];
};

static __global__ void
set_completion_flag_kernel(volatile uint32_t *completion_flag, uint32_t number)
{
	*completion_flag = number;
}

/* Was any written since the last look?  *waiting: is any still to be? */
static bool
completion_flags_look(GpuAggCompletionFlags *flags, bool *waiting)
{
	bool		written = false;

	*waiting = false;
	for (uint32_t i = 0; i < flags->n; i++)
	{
		GpuAggCompletionFlag *completion_flag = &flags->completion_flag[i];
		uint32_t	number;

		if (completion_flag->heard == completion_flag->wanted)
			continue;
		number = *completion_flag->written;
		written |= number != completion_flag->heard;
		completion_flag->heard = number;
		*waiting |= number != completion_flag->wanted;
	}
	return written;
}

static void *
completion_flags_listen(void *arg)
{
	GpuAggCompletionFlags *flags = (GpuAggCompletionFlags *) arg;
	const struct timespec pause = {0, LOOK_NS};
	const uint64_t one = 1;
	bool		stop = false;

	(void) prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while (!stop)
	{
		bool		waiting;
		bool		written;

		pthread_mutex_lock(&flags->mutex);
		written = completion_flags_look(flags, &waiting);
		while (!written && !waiting && !flags->stop)
		{
			pthread_cond_wait(&flags->wanted, &flags->mutex);
			written = completion_flags_look(flags, &waiting);
		}
		stop = flags->stop;
		pthread_mutex_unlock(&flags->mutex);

		/* fails only where the counter is full, that is, readable */
		if (written && write(flags->event_fd, &one, sizeof(one)) < 0 && errno == EBADF)
			break;
		if (waiting)
			(void) nanosleep(&pause, NULL);
	}
	return NULL;
}

GpuAggCompletionFlags *
gpuagg_cuda_completion_flags_open(int event_fd, GpuAggError *error)
{
	GpuAggCompletionFlags *flags = (GpuAggCompletionFlags *) calloc(1, sizeof(*flags));

	if (flags == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	flags->event_fd = event_fd;
	if (!CUDA_OK(NULL,
				 cudaHostAlloc((void **) &flags->words,
							   MAX_COMPLETION_FLAGS * COMPLETION_FLAG_BYTES, cudaHostAllocMapped),
				 error))
	{
		free(flags);
		return NULL;
	}
	memset(flags->words, 0, MAX_COMPLETION_FLAGS * COMPLETION_FLAG_BYTES);
	pthread_mutex_init(&flags->mutex, NULL);
	pthread_cond_init(&flags->wanted, NULL);
	if (pthread_create(&flags->thread, NULL, completion_flags_listen, flags) != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "a thread could not be started");
		(void) cudaFreeHost(flags->words);
		free(flags);
		return NULL;
	}
	return flags;
}

void
gpuagg_cuda_completion_flags_close(GpuAggCompletionFlags *flags)
{
	if (flags == NULL)
		return;
	pthread_mutex_lock(&flags->mutex);
	flags->stop = true;
	pthread_cond_signal(&flags->wanted);
	pthread_mutex_unlock(&flags->mutex);
	(void) pthread_join(flags->thread, NULL);
	pthread_mutex_destroy(&flags->mutex);
	pthread_cond_destroy(&flags->wanted);
	(void) cudaFreeHost(flags->words);
	free(flags);
}

GpuAggCompletionFlag *
gpuagg_cuda_completion_flag(GpuAggDevice *device, GpuAggError *error)
{
	GpuAggCompletionFlags *flags = device->completion_flags;
	GpuAggCompletionFlag *completion_flag = NULL;

	pthread_mutex_lock(&flags->mutex);
	if (flags->n < MAX_COMPLETION_FLAGS)
	{
		completion_flag = &flags->completion_flag[flags->n];
		completion_flag->written = (volatile uint32_t *) (flags->words +
														  flags->n * COMPLETION_FLAG_BYTES);
		flags->n++;
	}
	pthread_mutex_unlock(&flags->mutex);
	if (completion_flag == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "too many tasks on the device");
	return completion_flag;
}

bool
gpuagg_cuda_notify(GpuAggDevice *device, GpuAggStreamPair *streams, GpuAggError *error)
{
	GpuAggCompletionFlags *flags = device->completion_flags;
	GpuAggCompletionFlag *completion_flag = streams->completion_flag;
	uint32_t	number;

	pthread_mutex_lock(&flags->mutex);
	number = ++completion_flag->wanted;
	pthread_cond_signal(&flags->wanted);
	pthread_mutex_unlock(&flags->mutex);
	set_completion_flag_kernel<<<1, 1, 0, streams->group>>>(completion_flag->written, number);
	if (CUDA_LAUNCHED(device, error))
		return true;
	pthread_mutex_lock(&flags->mutex);
	completion_flag->wanted--;
	pthread_mutex_unlock(&flags->mutex);
	return false;
}
