/*
 * service_thread.c
 *		The threads that find, compile, load and unload kernels.
 *
 * They alone talk to the compiler's processes, read and write the disk, and load code
 * onto the card, which may wait for kernels that run; so whatever of these takes
 * long holds up no task that does not wait for it.  What is on disk goes before what
 * must be compiled.
 *
 * The first thread does all of that, by a process that is started with the service.  Those
 * beside it only compile, what has come while it compiles: each has a process until it
 * has had nothing to do for a while, for that takes memory, and a quarter of a second to
 * start.
 *
 * A process that dies or does not answer is replaced when there is something to
 * compile again; the text is tried again after RETRY_NS, for it may not have been its
 * fault.  MAX_DEATHS in a row and there is no compiler any more.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/compile/service_inside.h"
#include "cuda/compile/sha256.h"
#include "device/device.h"

#define MAX_DEATHS 5

/* Starting one reads NVRTC from disk, 100 MB; the setting is about what comes then. */
#define START_MS 30000

#define RETRY_NS UINT64_C(60000000000)

/* The average of compile times follows its last values at this rate. */
#define AVERAGE_OF 4

/* Tasks ask again. */
static void
notify(const GpuAggService *s)
{
	const uint64_t one = 1;

	(void) !write(s->config.event_fd, &one, sizeof(one));
}

/* ----------------------------------------------------------- the process --- */

/* Broken for good; name is the reason. */
static void
service_break(GpuAggService *s, const char *why)
{
	pthread_mutex_lock(&s->lock);
	s->state = GPUAGG_SERVICE_BROKEN;
	snprintf(s->name, sizeof(s->name), "%s", why);
	s->totals.changes++;
	pthread_mutex_unlock(&s->lock);
	notify(s);
}

static void
process_died(GpuAggService *s, const char *why)
{
	uint32_t	deaths;

	pthread_mutex_lock(&s->lock);
	s->totals.restarts++;
	deaths = ++s->deaths;
	pthread_mutex_unlock(&s->lock);
	if (deaths >= MAX_DEATHS)
		service_break(s, why);
}

static void
process_answered(GpuAggService *s)
{
	pthread_mutex_lock(&s->lock);
	s->deaths = 0;
	pthread_mutex_unlock(&s->lock);
}

static bool
is_broken(GpuAggService *s)
{
	bool		broken;

	pthread_mutex_lock(&s->lock);
	broken = s->state == GPUAGG_SERVICE_BROKEN;
	pthread_mutex_unlock(&s->lock);
	return broken;
}

/* The first one; what it says decides whether there is a compiler at all. */
static void
service_start(GpuAggServiceThread *t)
{
	GpuAggService *s = t->service;
	char		why[GPUAGG_COMPILER_BYTES];

	if (!gpuagg_compiler_start(&t->process, START_MS, why, sizeof(why)))
	{
		service_break(s, why);
		return;
	}
	pthread_mutex_lock(&s->lock);
	s->state = GPUAGG_SERVICE_WORKS;
	snprintf(s->name, sizeof(s->name), "%s", t->process.hello.name);
	s->totals.changes++;
	pthread_mutex_unlock(&s->lock);
	notify(s);
}

/* -------------------------------------------------------------- kernels --- */

/* What the machine code of a text depends on, if the thread's process makes it */
static void
key_make(const GpuAggServiceThread *t, const GpuAggCompiledKernel *k,
		 uint8_t key[GPUAGG_KERNEL_KEY_BYTES])
{
	const uint32_t abi = GPUAGG_DEVICE_ABI;
	GpuAggSha256 sha;

	gpuagg_sha256_begin(&sha);
	gpuagg_sha256_add(&sha, t->process.hello.digest, sizeof(t->process.hello.digest));
	gpuagg_sha256_add(&sha, &abi, sizeof(abi));
	gpuagg_sha256_add(&sha, k->text, k->bytes);
	gpuagg_sha256_end(&sha, key);
}

static void
kernel_failed(GpuAggService *s, GpuAggCompiledKernel *k, const char *message, bool for_good)
{
	pthread_mutex_lock(&s->lock);
	if (k->info.message[0] == '\0')
		k->info.news = 1;		/* told once, however often it fails */
	snprintf(k->info.message, sizeof(k->info.message), "%.*s", (int) strcspn(message, "\n"),
			 message);
	k->info.stage = GPUAGG_KERNEL_STAGE_FAILED;
	k->retry_ns = for_good ? 0 : gpuagg_service_now() + RETRY_NS;
	k->busy = false;
	s->totals.failed++;
	s->totals.changes++;
	pthread_mutex_unlock(&s->lock);
	notify(s);
}

/* False with the reason */
static bool
kernel_load(GpuAggService *s, GpuAggCompiledKernel *k, const char *code, size_t bytes,
			uint64_t compile_ns, bool from_disk, GpuAggError *error)
{
	GpuAggLoadedKernel loaded = {0};
	uint64_t	began = gpuagg_service_now();
	uint64_t	load_ns;

	memset(error, 0, sizeof(*error));
	if (s->config.loader.load(s->config.loader.context, code, bytes, k->entry, &loaded,
							  error) != GPUAGG_OK)
		return false;
	load_ns = gpuagg_service_now() - began;
	pthread_mutex_lock(&s->lock);
	k->loaded = loaded;
	k->info.stage = GPUAGG_KERNEL_STAGE_LOADED;
	k->info.message[0] = '\0';
	k->info.from_disk = from_disk;
	k->info.compile_ns = compile_ns;
	k->info.load_ns = load_ns;
	k->info.bytes = bytes;
	k->info.registers = loaded.registers;
	k->info.shared_bytes = loaded.shared_bytes;
	k->info.local_bytes = loaded.local_bytes;
	k->info.block_threads = loaded.block_threads;
	k->info.blocks = loaded.blocks;
	k->busy = false;
	if (from_disk)
		s->totals.from_disk++;
	else
	{
		s->totals.compiled++;
		s->compile_ns = (s->compile_ns * (AVERAGE_OF - 1) + compile_ns + load_ns) / AVERAGE_OF;
	}
	s->totals.changes++;
	pthread_mutex_unlock(&s->lock);
	notify(s);
	return true;
}

/* Not on disk: it is compiled if somebody wants that and there is who does. */
static void
kernel_missed(GpuAggService *s, GpuAggCompiledKernel *k)
{
	pthread_mutex_lock(&s->lock);
	k->looked_up = true;
	k->busy = k->wanted && s->state == GPUAGG_SERVICE_WORKS &&
		s->compiles.n < s->config.max_queued;
	k->info.stage = GPUAGG_KERNEL_STAGE_SEEN;
	if (k->busy)
	{
		k->info.stage = GPUAGG_KERNEL_STAGE_QUEUED;
		gpuagg_service_push(&s->compiles, k);
		s->totals.changes++;
	}
	pthread_mutex_unlock(&s->lock);
	notify(s);
}

/* What is on disk and cannot be loaded is compiled anew, and replaced. */
static void
kernel_look_up(GpuAggServiceThread *t, GpuAggCompiledKernel *k)
{
	GpuAggService *s = t->service;
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	GpuAggError error;
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *code = NULL;

	key_make(t, k, key);
	if (!is_broken(s))			/* else the key is none */
	{
		pthread_mutex_lock(&s->disk_lock);
		code = gpuagg_kernel_disk_load(&s->disk, key, &bytes, &compile_ns);
		pthread_mutex_unlock(&s->disk_lock);
	}
	if (code == NULL || !kernel_load(s, k, code, bytes, compile_ns, true, &error))
		kernel_missed(s, k);
	free(code);
}

static void
kernel_compiled(GpuAggServiceThread *t, GpuAggCompiledKernel *k, const char *code, size_t bytes,
				uint64_t compile_ns)
{
	GpuAggService *s = t->service;
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	GpuAggError error;

	key_make(t, k, key);
	if (kernel_load(s, k, code, bytes, compile_ns, false, &error))
	{
		pthread_mutex_lock(&s->disk_lock);
		gpuagg_kernel_disk_store(&s->disk, key, code, bytes, compile_ns);
		pthread_mutex_unlock(&s->disk_lock);
	}
	else
		kernel_failed(s, k, error.message, error.status != GPUAGG_OUT_OF_MEMORY);
}

static void
kernel_compile(GpuAggServiceThread *t, GpuAggCompiledKernel *k)
{
	GpuAggService *s = t->service;
	char		why[GPUAGG_COMPILER_BYTES];
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *result = NULL;

	if (is_broken(s))
	{
		kernel_missed(s, k);	/* queued before that */
		return;
	}
	if (t->process.pid == 0 &&
		!gpuagg_compiler_start(&t->process, START_MS, why, sizeof(why)))
	{
		process_died(s, why);
		kernel_failed(s, k, why, false);
		return;
	}
	switch (gpuagg_compiler_run(&t->process, k->text, k->bytes, s->config.wait_ms, &result,
								&bytes, &compile_ns))
	{
		case GPUAGG_COMPILER_DONE:
			process_answered(s);
			kernel_compiled(t, k, result, bytes, compile_ns);
			break;
		case GPUAGG_COMPILER_REFUSED:
			process_answered(s);
			kernel_failed(s, k, result, true);
			break;
		default:
			process_died(s, result != NULL ? result : "out of memory");
			kernel_failed(s, k, result != NULL ? result : "out of memory", false);
	}
	free(result);
}

/* -------------------------------------------------------------- the loop --- */

static GpuAggCompiledKernel *
pop(GpuAggKernelList *list)
{
	GpuAggCompiledKernel *k = list->first;

	if (k == NULL)
		return NULL;
	list->first = k->next;
	if (list->first == NULL)
		list->last = NULL;
	list->n--;
	return k;
}

/* One text; called and left with the lock. */
static void
compile_next(GpuAggServiceThread *t)
{
	GpuAggService *s = t->service;
	GpuAggCompiledKernel *k = pop(&s->compiles);

	s->compiling++;
	/* those beside look for more of them when one more is being compiled */
	if (s->compiles.n > 0)
		pthread_cond_broadcast(&s->work);
	pthread_mutex_unlock(&s->lock);
	kernel_compile(t, k);
	pthread_mutex_lock(&s->lock);
	s->compiling--;
}

/* One piece of work; called and left with the lock.  False: there is none. */
static bool
work(GpuAggServiceThread *t)
{
	GpuAggService *s = t->service;
	GpuAggCompiledKernel *k;

	if (s->unloads.first == NULL && s->lookups.first == NULL)
	{
		if (s->compiles.first == NULL)
			return false;
		compile_next(t);
		return true;
	}
	if ((k = pop(&s->unloads)) != NULL)
	{
		pthread_mutex_unlock(&s->lock);
		if (k->loaded.library != NULL)
			s->config.loader.unload(s->config.loader.context, &k->loaded);
		gpuagg_kernel_free(k);
	}
	else
	{
		k = pop(&s->lookups);
		pthread_mutex_unlock(&s->lock);
		kernel_look_up(t, k);
	}
	pthread_mutex_lock(&s->lock);
	return true;
}

void *
gpuagg_service_main(void *arg)
{
	GpuAggServiceThread *t = (GpuAggServiceThread *) arg;
	GpuAggService *s = t->service;

	service_start(t);
	pthread_mutex_lock(&s->lock);
	while (!s->stop)
		if (!work(t))
			pthread_cond_wait(&s->work, &s->lock);
	pthread_mutex_unlock(&s->lock);
	gpuagg_compiler_stop(&t->process);
	return NULL;
}

/* Until there is something to do, or, with a process, for a while; false: for nothing */
static bool
beside_wait(GpuAggServiceThread *t)
{
	GpuAggService *s = t->service;
	const uint64_t until = gpuagg_service_now() + s->config.idle_ms * UINT64_C(1000000);
	const struct timespec at = {(time_t) (until / 1000000000), (long) (until % 1000000000)};

	while (!s->stop && (s->compiles.first == NULL || s->compiling < t->number))
		if (t->process.pid == 0)
			pthread_cond_wait(&s->work, &s->lock);
		else if (pthread_cond_timedwait(&s->work, &s->lock, &at) == ETIMEDOUT)
			return false;
	return true;
}

void *
gpuagg_service_beside(void *arg)
{
	GpuAggServiceThread *t = (GpuAggServiceThread *) arg;
	GpuAggService *s = t->service;

	pthread_mutex_lock(&s->lock);
	while (!s->stop)
		if (!beside_wait(t))
		{
			pthread_mutex_unlock(&s->lock);
			gpuagg_compiler_stop(&t->process);
			pthread_mutex_lock(&s->lock);
		}
		else if (!s->stop)
			compile_next(t);
	pthread_mutex_unlock(&s->lock);
	gpuagg_compiler_stop(&t->process);
	return NULL;
}
