/*
 * bell.cu
 *		Telling the worker's event loop that the card has finished something.
 *
 * Behind a batch, a one-thread kernel writes a number to a word of pinned
 * memory, its lane's bell.  A thread looks at the bells every few
 * microseconds while any is to ring, writes to the eventfd when one has, and sleeps
 * while none is to.  It calls neither CUDA nor PostgreSQL.
 *
 * Why not CUDA's host functions: on the H200 machine (a virtual one) each held
 * up its stream for some 200 us, as long as reading 8 MiB of pages takes.
 *
 * The thread is started while all signals are blocked, and stays so.  A bell
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

/* Lanes, that is, tasks at once */
#define MAX_BELLS 1024

/* A sleep between two looks; the timer's slack is made as short */
#define LOOK_NS 10000

/* Bells lie in cache lines of their own. */
#define BELL_BYTES 64

struct GpuAggBells
{
	pthread_t	thread;
	pthread_mutex_t mutex;		/* guards all but what the card writes */
	pthread_cond_t wanted;
	bool		stop;
	int			event_fd;
	char	   *words;			/* pinned */
	uint32_t	n;
	GpuAggBell	bell[MAX_BELLS];
};

static __global__ void
ring_bell_kernel(volatile uint32_t *bell, uint32_t number)
{
	*bell = number;
}

/* Has any rung since the last look?  *waiting: is any still to ring? */
static bool
bells_look(GpuAggBells *b, bool *waiting)
{
	bool		rung = false;

	*waiting = false;
	for (uint32_t i = 0; i < b->n; i++)
	{
		GpuAggBell *bell = &b->bell[i];
		uint32_t	number;

		if (bell->heard == bell->wanted)
			continue;
		number = *bell->rung;
		rung |= number != bell->heard;
		bell->heard = number;
		*waiting |= number != bell->wanted;
	}
	return rung;
}

static void *
bells_listen(void *arg)
{
	GpuAggBells *b = (GpuAggBells *) arg;
	const struct timespec pause = {0, LOOK_NS};
	const uint64_t one = 1;
	bool		stop = false;

	(void) prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while (!stop)
	{
		bool		waiting;
		bool		rung;

		pthread_mutex_lock(&b->mutex);
		rung = bells_look(b, &waiting);
		while (!rung && !waiting && !b->stop)
		{
			pthread_cond_wait(&b->wanted, &b->mutex);
			rung = bells_look(b, &waiting);
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

GpuAggBells *
gpuagg_cuda_bells_open(int event_fd, GpuAggError *error)
{
	GpuAggBells *b = (GpuAggBells *) calloc(1, sizeof(*b));

	if (b == NULL)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "out of memory");
		return NULL;
	}
	b->event_fd = event_fd;
	if (!CUDA_OK(NULL, cudaHostAlloc((void **) &b->words, MAX_BELLS * BELL_BYTES,
										   cudaHostAllocMapped), error))
	{
		free(b);
		return NULL;
	}
	memset(b->words, 0, MAX_BELLS * BELL_BYTES);
	pthread_mutex_init(&b->mutex, NULL);
	pthread_cond_init(&b->wanted, NULL);
	if (pthread_create(&b->thread, NULL, bells_listen, b) != 0)
	{
		gpuagg_cuda_error(error, GPUAGG_DEVICE_FAULT, "a thread could not be started");
		(void) cudaFreeHost(b->words);
		free(b);
		return NULL;
	}
	return b;
}

void
gpuagg_cuda_bells_close(GpuAggBells *b)
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

GpuAggBell *
gpuagg_cuda_bell(GpuAggDevice *device, GpuAggError *error)
{
	GpuAggBells *b = device->bells;
	GpuAggBell *bell = NULL;

	pthread_mutex_lock(&b->mutex);
	if (b->n < MAX_BELLS)
	{
		bell = &b->bell[b->n];
		bell->rung = (volatile uint32_t *) (b->words + b->n * BELL_BYTES);
		b->n++;
	}
	pthread_mutex_unlock(&b->mutex);
	if (bell == NULL)
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "too many tasks on the device");
	return bell;
}

bool
gpuagg_cuda_notify(GpuAggTask *task, GpuAggError *error)
{
	GpuAggBells *b = task->device->bells;
	GpuAggBell *bell = task->lane->bell;
	uint32_t	number;

	pthread_mutex_lock(&b->mutex);
	number = ++bell->wanted;
	pthread_cond_signal(&b->wanted);
	pthread_mutex_unlock(&b->mutex);
	ring_bell_kernel<<<1, 1, 0, task->lane->group>>>(bell->rung, number);
	if (CUDA_LAUNCHED(task->device, error))
		return true;
	pthread_mutex_lock(&b->mutex);
	bell->wanted--;
	pthread_mutex_unlock(&b->mutex);
	return false;
}
