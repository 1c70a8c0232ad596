/*
 * pool.c
 *		The host device's threads.
 *
 * Ready sources form a queue.  A thread takes the first, takes one morsel of
 * its work and, if there is more, puts it at the end again.  Idle threads
 * sleep on one condition variable; as many are woken as there is work.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "host/pool.h"

struct GpuAggPool
{
	pthread_mutex_t lock;
	pthread_cond_t work;
	GpuAggSource *first;		/* ready sources */
	GpuAggSource *last;
	bool		stopping;
	uint32_t	idle;			/* threads asleep */
	uint32_t	numbered;		/* threads that have their number */
	uint32_t	nthreads;
	pthread_t	threads[];
};

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void
push(GpuAggPool *pool, GpuAggSource *source)
{
	source->ready = true;
	source->next = NULL;
	if (pool->first == NULL)
		pool->first = source;
	else
		pool->last->next = source;
	pool->last = source;
}

static GpuAggSource *
pop(GpuAggPool *pool)
{
	GpuAggSource *source = pool->first;

	pool->first = source->next;
	source->ready = false;
	return source;
}

/* One morsel; locked before and after. */
static void
serve(GpuAggPool *pool, uint32_t thread)
{
	GpuAggSource *source = pop(pool);
	GpuAggJob	job = {0};

	if (source->ops->take(source, &job))
		push(pool, source);
	if (source->running++ == 0)
		source->busy_since = now_ns();
	pthread_mutex_unlock(&pool->lock);
	source->ops->run(source, &job, thread);
	pthread_mutex_lock(&pool->lock);
	if (--source->running == 0)
		source->busy_ns += now_ns() - source->busy_since;
	source->ops->done(source, &job);
}

static void *
pool_thread(void *arg)
{
	GpuAggPool *pool = arg;
	uint32_t	thread;

	pthread_mutex_lock(&pool->lock);
	thread = pool->numbered++;
	while (!pool->stopping)
	{
		if (pool->first != NULL)
			serve(pool, thread);
		else
		{
			pool->idle++;
			pthread_cond_wait(&pool->work, &pool->lock);
			pool->idle--;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

GpuAggPool *
gpuagg_pool_create(uint32_t nthreads)
{
	GpuAggPool *pool = calloc(1, sizeof(*pool) + nthreads * sizeof(pthread_t));
	sigset_t	all;
	sigset_t	old;
	bool		ok = true;

	if (pool == NULL)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	/* threads inherit the mask: signals stay with the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (ok && pool->nthreads < nthreads)
	{
		ok = pthread_create(&pool->threads[pool->nthreads], NULL,
							pool_thread, pool) == 0;
		if (ok)
			pool->nthreads++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!ok)
	{
		gpuagg_pool_destroy(pool);
		return NULL;
	}
	return pool;
}

void
gpuagg_pool_destroy(GpuAggPool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->nthreads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->work);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

void
gpuagg_pool_lock(GpuAggPool *pool)
{
	pthread_mutex_lock(&pool->lock);
}

void
gpuagg_pool_unlock(GpuAggPool *pool)
{
	pthread_mutex_unlock(&pool->lock);
}

void
gpuagg_pool_ready(GpuAggPool *pool, GpuAggSource *source, uint32_t njobs)
{
	if (!source->ready)
		push(pool, source);
	if (njobs >= pool->idle && pool->idle > 1)
		pthread_cond_broadcast(&pool->work);
	else
		for (uint32_t i = 0; i < njobs && i < pool->idle; i++)
			pthread_cond_signal(&pool->work);
}

void
gpuagg_pool_withdraw(GpuAggPool *pool, GpuAggSource *source)
{
	GpuAggSource **link = &pool->first;
	GpuAggSource *last = NULL;

	if (!source->ready)
		return;
	while (*link != source)
	{
		last = *link;
		link = &last->next;
	}
	*link = source->next;
	if (pool->last == source)
		pool->last = last;
	source->ready = false;
}

uint64_t
gpuagg_pool_busy_ns(const GpuAggSource *source)
{
	return source->busy_ns +
		(source->running > 0 ? now_ns() - source->busy_since : 0);
}
