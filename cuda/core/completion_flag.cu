/*
 * completion_flag.cu
 *		Telling the worker's event loop that the card has finished something.
 *
 * Behind a batch, a one-thread kernel writes a number to a word of pinned
 * memory, its stream pair's completion flag.  A thread looks at the completion flags every few
 * microseconds while any is to ring, writes to the eventfd when one has, and sleeps
 * while none is to.  It calls neither CUDA nor PostgreSQL.
 *
 * Why not CUDA's host functions: on the H200 machine (a virtual one) each held
 * up its stream for some 200 us, as long as reading 8 MiB of pages takes.
 *
 * The thread is started while all signals are blocked, and stays so.  A completion flag
 * that a lost card will never ring keeps it looking until the process ends,
 * which a lost card makes soon.
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

/* Has any rung since the last look?  *waiting: is any still to ring? */
static bool
completion_flags_look(GpuAggCompletionFlags *b, bool *waiting)
{
	bool		rung = false;

	*waiting = false;
	for (uint32_t i = 0; i < b->n; i++)
	{
		GpuAggCompletionFlag *completion_flag = &b->completion_flag[i];
		uint32_t	number;

		if (completion_flag->heard == completion_flag->wanted)
			continue;
		number = *completion_flag->written;
		rung |= number != completion_flag->heard;
		completion_flag->heard = number;
		*waiting |= number != completion_flag->wanted;
	}
	return rung;
}

static void *
completion_flags_listen(void *arg)
{
	GpuAggCompletionFlags *b = (GpuAggCompletionFlags *) arg;
	const struct timespec pause = {0, LOOK_NS};
	const uint64_t one = 1;
	bool		stop = false;

	(void) prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while (!stop)
	{
		bool		waiting;
		bool		rung;

		pthread_mutex_lock(&b->mutex);
		rung = completion_flags_look(b, &waiting);
		while (!rung && !waiting && !b->stop)
		{
			pthread_cond_wait(&b->wanted, &b->mutex);
			rung = completion_flags_look(b, &waiting);
		}
		stop = b->stop;
		pthread_mutex_unlock(&b->mutex);

		/* fails only where the counter is full, that is, readable */
		if (rung && write(b->event_fd, &one, sizeof(one)) < 0 && errno == EBADF)
			break;
		if (waiting)
			(void) nanosleep(&pause, NULL);
	}
	return NULL;
}

GpuAggCompletionFlags *
gpuagg_cuda_completion_flags_open(int event_fd, GpuAggError *error)
{
	GpuAggCompletionFlags *b = (GpuAggCompletionFlags *) calloc(1, sizeof(*b));

	if (b == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	b->event_fd = event_fd;
	if (!CUDA_OK(NULL, cudaHostAlloc((void **) &b->words, MAX_COMPLETION_FLAGS * COMPLETION_FLAG_BYTES,
										   cudaHostAllocMapped), error))
	{
		free(b);
		return NULL;
	}
	memset(b->words, 0, MAX_COMPLETION_FLAGS * COMPLETION_FLAG_BYTES);
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->wanted, NULL);
	if (pthread_create(&b->thread, NULL, completion_flags_listen, b) != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "a thread could not be started");
		(void) cudaFreeHost(b->words);
		free(b);
		return NULL;
	}
	return b;
}

void
gpuagg_cuda_completion_flags_close(GpuAggCompletionFlags *b)
{
	if (b == NULL)
		return;
	pthread_mutex_lock(&b->mutex);
	b->stop = true;
	pthread_cond_signal(&b->wanted);
	pthread_mutex_unlock(&b->mutex);
	(void) pthread_join(b->thread, NULL);
	pthread_mutex_destroy(&b->mutex);
	pthread_cond_destroy(&b->wanted);
	(void) cudaFreeHost(b->words);
	free(b);
}

GpuAggCompletionFlag *
gpuagg_cuda_completion_flag(GpuAggDevice *device, GpuAggError *error)
{
	GpuAggCompletionFlags *b = device->completion_flags;
	GpuAggCompletionFlag *completion_flag = NULL;

	pthread_mutex_lock(&b->mutex);
	if (b->n < MAX_COMPLETION_FLAGS)
	{
		completion_flag = &b->completion_flag[b->n];
		completion_flag->written = (volatile uint32_t *) (b->words + b->n * COMPLETION_FLAG_BYTES);
		b->n++;
	}
	pthread_mutex_unlock(&b->mutex);
	if (completion_flag == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "too many tasks on the device");
	return completion_flag;
}

bool
gpuagg_cuda_notify(GpuAggTask *task, GpuAggError *error)
{
	GpuAggCompletionFlags *b = task->device->completion_flags;
	GpuAggCompletionFlag *completion_flag = task->streams->completion_flag;
	uint32_t	number;

	pthread_mutex_lock(&b->mutex);
	number = ++completion_flag->wanted;
	pthread_cond_signal(&b->wanted);
	pthread_mutex_unlock(&b->mutex);
	set_completion_flag_kernel<<<1, 1, 0, task->streams->group>>>(completion_flag->written, number);
	if (CUDA_LAUNCHED(task->device, error))
		return true;
	pthread_mutex_lock(&b->mutex);
	completion_flag->wanted--;
	pthread_mutex_unlock(&b->mutex);
	return false;
}
