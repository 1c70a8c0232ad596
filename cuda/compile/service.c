/*
 * service.c
 *		The compiling of kernels, as tasks see it: finding a text, deciding what is
 *		done for it, telling of all.
 *
 * A kernel's way: seen (first asked for; looked for on disk at once) - queued, when
 * the rule says that it pays (device/choice/compile_rule.h) - loaded or failed.  Of
 * those that nobody uses, the ones used longest ago go to make room.  More than
 * max_queued at once are not compiled: who asks again later, finds room.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cuda/compile/service_inside.h"
#include "device/choice/compile_rule.h"

uint64_t
gpuagg_service_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C(1000000000) + (uint64_t) t.tv_nsec;
}

void
gpuagg_service_push(GpuAggKernelList *list, GpuAggCompiledKernel *kernel)
{
	kernel->next = NULL;
	*(list->last != NULL ? &list->last->next : &list->first) = kernel;
	list->last = kernel;
	list->n++;
}

/* ------------------------------------------------------- opening, closing --- */

/* What opening has made, without the thread */
static void
service_free(GpuAggService *s)
{
	gpuagg_kernel_disk_close(&s->disk);
	if (s->config.event_fd >= 0)
		close(s->config.event_fd);
	if (s->wake_fd >= 0)
		close(s->wake_fd);
	pthread_cond_destroy(&s->work);
	pthread_mutex_destroy(&s->disk_lock);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* Times of `work` are gpuagg_service_now()'s. */
static void
locks_init(GpuAggService *s)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->disk_lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->work, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* As many as there may be processes; false: not even the first. */
static bool
threads_start(GpuAggService *s)
{
	uint32_t	n = s->config.processes > 0 ? s->config.processes : 1;

	if (n > GPUAGG_SERVICE_THREADS)
		n = GPUAGG_SERVICE_THREADS;
	while (s->nthreads < n)
	{
		GpuAggServiceThread *t = &s->threads[s->nthreads];

		t->service = s;
		t->number = s->nthreads;
		t->process.argv = s->config.compiler;
		t->process.wake_fd = s->wake_fd;
		if (pthread_create(&t->thread, NULL,
						   t->number == 0 ? gpuagg_service_main : gpuagg_service_beside, t) != 0)
			break;
		s->nthreads++;
	}
	return s->nthreads > 0;
}

GpuAggService *
gpuagg_service_open(const GpuAggServiceConfig *config)
{
	GpuAggService *s = (GpuAggService *) calloc(1, sizeof(*s));

	if (s == NULL)
		return NULL;
	s->config = *config;
	s->config.event_fd = fcntl(config->event_fd, F_DUPFD_CLOEXEC, 0);
	s->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	s->compile_ns = GPUAGG_COMPILE_FIRST_NS;
	gpuagg_kernel_disk_open(&s->disk, config->folder, config->disk_bytes);
	locks_init(s);
	if (s->config.event_fd >= 0 && s->wake_fd >= 0 && threads_start(s))
		return s;
	service_free(s);
	return NULL;
}

static void
kernel_drop(GpuAggService *s, GpuAggCompiledKernel *k)
{
	if (k->loaded.library != NULL)
		s->config.loader.unload(s->config.loader.context, &k->loaded);
	gpuagg_kernel_free(k);
}

void
gpuagg_service_close(GpuAggService *s)
{
	const uint64_t one = 1;
	GpuAggCompiledKernel *k;

	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	(void) !write(s->wake_fd, &one, sizeof(one));
	for (uint32_t i = 0; i < s->nthreads; i++)
		pthread_join(s->threads[i].thread, NULL);
	for (k = s->table.newest; k != NULL; k = k->older)
		k->busy = false;
	while ((k = gpuagg_kernel_evict(&s->table)) != NULL)
		kernel_drop(s, k);
	while ((k = s->unloads.first) != NULL)
	{
		s->unloads.first = k->next;
		kernel_drop(s, k);
	}
	service_free(s);
}

/* ---------------------------------------------------------------- asking --- */

/* Room for one more, as far as kernels are not in use */
static bool
room_make(GpuAggService *s)
{
	while (s->table.n >= s->config.max_kernels)
	{
		GpuAggCompiledKernel *k = gpuagg_kernel_evict(&s->table);

		if (k == NULL)
			return false;
		gpuagg_service_push(&s->unloads, k);
		pthread_cond_broadcast(&s->work);
	}
	return true;
}

static GpuAggCompiledKernel *
kernel_get(GpuAggService *s, const GpuAggKernelSource *source)
{
	GpuAggCompiledKernel *k = gpuagg_kernel_find(&s->table, source);

	if (k != NULL)
		return k;
	k = room_make(s) ? gpuagg_kernel_add(&s->table, source) : NULL;
	if (k == NULL)
		s->totals.refused++;
	else
		s->totals.changes++;
	return k;
}

/* True unless too many wait already */
static bool
enqueue(GpuAggService *s, GpuAggCompiledKernel *k)
{
	if (k->busy)
		return true;
	if (k->looked_up && s->compiles.n >= s->config.max_queued)
	{
		s->totals.refused++;
		return false;
	}
	gpuagg_service_push(k->looked_up ? &s->compiles : &s->lookups, k);
	k->busy = true;
	if (k->looked_up)
	{
		k->info.stage = GPUAGG_KERNEL_STAGE_QUEUED;
		s->totals.changes++;
	}
	pthread_cond_broadcast(&s->work);
	return true;
}

static uint64_t
left_ns(const GpuAggService *s, const GpuAggCompiledKernel *k)
{
	const uint32_t turns = (s->compiles.n + s->compiling + s->nthreads - 1) / s->nthreads;

	return k->looked_up ? s->compile_ns * turns : GPUAGG_COMPILE_LOOKUP_NS;
}

/* Of one that is neither loaded nor failed */
static GpuAggKernelState
advance(GpuAggService *s, GpuAggCompiledKernel *k, const GpuAggKernelRequest *request)
{
	GpuAggCompileCase c = {
		.wish = request->wish,
		.asked = k->asked,
		.waited_ns = gpuagg_service_now() - request->asked_ns,
		.compile_ns = s->compile_ns
	};
	bool		always = request->wish.mode == GPUAGG_COMPILE_ALWAYS;
	bool		queued = k->busy;

	if (s->state == GPUAGG_SERVICE_BROKEN)
		return GPUAGG_KERNEL_OFF;
	k->wanted |= gpuagg_compile_begins(&c);
	if (!k->looked_up || k->wanted)
		queued = enqueue(s, k);
	c.left_ns = left_ns(s, k);
	if (s->state == GPUAGG_SERVICE_WORKS || always)
		if ((queued || always) && gpuagg_compile_waits(&c) &&
			c.waited_ns < s->config.wait_ms * UINT64_C(1000000))
			return GPUAGG_KERNEL_WAIT;
	return GPUAGG_KERNEL_COMPILING;
}

/* Whose it is, for those that predict: the list is told anew if that is another one. */
static void
program_note(GpuAggService *s, GpuAggCompiledKernel *k, uint64_t program)
{
	if (program == 0 || k->info.program == program)
		return;
	k->info.program = program;
	s->totals.changes++;
}

static GpuAggKernelState
ask(GpuAggService *s, GpuAggCompiledKernel *k, GpuAggKernelRequest *request)
{
	if (request->asked_ns == 0)
	{
		request->asked_ns = gpuagg_service_now();
		k->asked++;
		program_note(s, k, request->wish.program);
	}
	if (k->info.stage == GPUAGG_KERNEL_STAGE_FAILED)
	{
		if (k->retry_ns == 0 || gpuagg_service_now() < k->retry_ns)
			return GPUAGG_KERNEL_FAILED;
		k->info.stage = GPUAGG_KERNEL_STAGE_SEEN;
	}
	if (k->info.stage != GPUAGG_KERNEL_STAGE_LOADED)
		return advance(s, k, request);
	k->pins++;
	k->info.uses++;
	request->kernel = k;
	return GPUAGG_KERNEL_READY;
}

GpuAggKernelState
gpuagg_service_request(GpuAggService *s, const GpuAggKernelSource *source,
					   GpuAggKernelRequest *request)
{
	GpuAggKernelState state = GPUAGG_KERNEL_COMPILING;
	GpuAggCompiledKernel *k;

	if (request->wish.mode == GPUAGG_COMPILE_OFF)
		return GPUAGG_KERNEL_OFF;
	if (request->kernel != NULL)
		return GPUAGG_KERNEL_READY;
	pthread_mutex_lock(&s->lock);
	k = kernel_get(s, source);
	if (k != NULL)
		state = ask(s, k, request);
	pthread_mutex_unlock(&s->lock);
	return state;
}

void
gpuagg_service_release(GpuAggService *s, GpuAggKernelRequest *request)
{
	if (request->kernel == NULL)
		return;
	pthread_mutex_lock(&s->lock);
	request->kernel->pins--;
	pthread_mutex_unlock(&s->lock);
	request->kernel = NULL;
}

/* --------------------------------------------------------------- telling --- */

uint32_t
gpuagg_service_tell(GpuAggService *s, GpuAggCompiledInfo *infos, uint32_t max,
					GpuAggKernelTotals *totals)
{
	uint32_t	n = 0;

	pthread_mutex_lock(&s->lock);
	*totals = s->totals;
	for (GpuAggCompiledKernel *k = s->table.newest; k != NULL && n < max; k = k->older)
	{
		infos[n++] = k->info;
		k->info.news = 0;
	}
	pthread_mutex_unlock(&s->lock);
	return n;
}

bool
gpuagg_service_compiler(GpuAggService *s, char name[GPUAGG_COMPILER_BYTES])
{
	bool		works;

	pthread_mutex_lock(&s->lock);
	memcpy(name, s->name, GPUAGG_COMPILER_BYTES);
	works = s->state != GPUAGG_SERVICE_BROKEN;
	pthread_mutex_unlock(&s->lock);
	return works;
}
