/*
 * service_thread.c
 *		The thread that finds, compiles, loads and unloads kernels.
 *
 * It alone talks to the compiler's process, reads and writes the disk, and loads
 * code onto the card, which may wait for kernels that run; so whatever of these takes
 * long holds up no task that does not wait for it.  What is on disk goes before what
 * must be compiled.
 *
 * A process that dies or does not answer is replaced when there is something to
 * compile again; the text is tried again after RETRY_NS, for it may not have been its
 * fault.  MAX_DEATHS in a row and there is no compiler any more.
 */
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
	pthread_mutex_lock(&s->lock);
	s->totals.restarts++;
	pthread_mutex_unlock(&s->lock);
	if (++s->deaths >= MAX_DEATHS)
		service_break(s, why);
}

/* The first one; what it says decides whether there is a compiler at all. */
static void
service_start(GpuAggService *s)
{
	char		why[GPUAGG_COMPILER_BYTES];

	if (!gpuagg_compiler_start(&s->process, START_MS, why, sizeof(why)))
	{
		service_break(s, why);
		return;
	}
	pthread_mutex_lock(&s->lock);
	s->state = GPUAGG_SERVICE_WORKS;
	snprintf(s->name, sizeof(s->name), "%s", s->process.hello.name);
	s->totals.changes++;
	pthread_mutex_unlock(&s->lock);
	notify(s);
}

/* -------------------------------------------------------------- kernels --- */

/* What the machine code of a text depends on */
static void
key_make(const GpuAggService *s, const GpuAggCompiledKernel *k, uint8_t key[GPUAGG_KERNEL_KEY_BYTES])
{
	const uint32_t abi = GPUAGG_DEVICE_ABI;
	GpuAggSha256 sha;

	gpuagg_sha256_begin(&sha);
	gpuagg_sha256_add(&sha, s->process.hello.digest, sizeof(s->process.hello.digest));
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
	snprintf(k->info.message, sizeof(k->info.message), "%.*s", (int) strcspn(message, "\n"), message);
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
kernel_look_up(GpuAggService *s, GpuAggCompiledKernel *k)
{
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	GpuAggError error;
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *code = NULL;

	key_make(s, k, key);
	if (s->state == GPUAGG_SERVICE_WORKS)	/* else the key is none */
		code = gpuagg_kernel_disk_load(&s->disk, key, &bytes, &compile_ns);
	if (code == NULL || !kernel_load(s, k, code, bytes, compile_ns, true, &error))
		kernel_missed(s, k);
	free(code);
}

static void
kernel_compiled(GpuAggService *s, GpuAggCompiledKernel *k, const char *code, size_t bytes,
				uint64_t compile_ns)
{
	uint8_t		key[GPUAGG_KERNEL_KEY_BYTES];
	GpuAggError error;

	key_make(s, k, key);
	if (kernel_load(s, k, code, bytes, compile_ns, false, &error))
		gpuagg_kernel_disk_store(&s->disk, key, code, bytes, compile_ns);
	else
		kernel_failed(s, k, error.message, error.status != GPUAGG_OUT_OF_MEMORY);
}

static void
kernel_compile(GpuAggService *s, GpuAggCompiledKernel *k)
{
	char		why[GPUAGG_COMPILER_BYTES];
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *result = NULL;

	if (s->state == GPUAGG_SERVICE_BROKEN)
	{
		kernel_missed(s, k);	/* queued before that */
		return;
	}
	if (s->process.pid == 0 &&
		!gpuagg_compiler_start(&s->process, START_MS, why, sizeof(why)))
	{
		process_died(s, why);
		kernel_failed(s, k, why, false);
		return;
	}
	switch (gpuagg_compiler_run(&s->process, k->text, k->bytes, s->config.wait_ms, &result,
								&bytes, &compile_ns))
	{
		case GPUAGG_COMPILER_DONE:
			s->deaths = 0;
			kernel_compiled(s, k, result, bytes, compile_ns);
			break;
		case GPUAGG_COMPILER_REFUSED:
			s->deaths = 0;
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

/* One piece of work; called and left with the lock.  False: there is none. */
static bool
work(GpuAggService *s)
{
	GpuAggCompiledKernel *k;

	if ((k = pop(&s->unloads)) != NULL)
	{
		pthread_mutex_unlock(&s->lock);
		if (k->loaded.library != NULL)
			s->config.loader.unload(s->config.loader.context, &k->loaded);
		gpuagg_kernel_free(k);
	}
	else if ((k = pop(&s->lookups)) != NULL)
	{
		pthread_mutex_unlock(&s->lock);
		kernel_look_up(s, k);
	}
	else if ((k = pop(&s->compiles)) != NULL)
	{
		s->compiling = 1;
		pthread_mutex_unlock(&s->lock);
		kernel_compile(s, k);
	}
	else
		return false;
	pthread_mutex_lock(&s->lock);
	s->compiling = 0;
	return true;
}

void *
gpuagg_service_main(void *arg)
{
	GpuAggService *s = (GpuAggService *) arg;

	service_start(s);
	pthread_mutex_lock(&s->lock);
	while (!s->stop)
		if (!work(s))
			pthread_cond_wait(&s->work, &s->lock);
	pthread_mutex_unlock(&s->lock);
	gpuagg_compiler_stop(&s->process);
	return NULL;
}
