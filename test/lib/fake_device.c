/*
 * fake_device.c
 *		A device provider for tests without a GPU: two "cards", which are the
 *		host device under another name and fail on demand.
 *
 * test/t/009_device.pl builds it.  The file that environment variable
 * GPUAGG_FAKE_DEVICE names is read whenever the provider is asked for, cards
 * are listed, a device is opened or asked what it is like, and a task begins or
 * hands over pages; each line is a word, or a word and a number:
 *
 *		abi				the provider is of another build
 *		no_cards		there are none instead of 2
 *		list			they cannot be listed
 *		open			no card can be opened
 *		open_sleep N	opening takes N seconds
 *		unsupported		no task can begin
 *		fault N			batch number N (from 1) of a task ends in a fault
 *		lost N			... in the loss of the device
 *		memory N		... for want of memory
 *		busy N			groups are at hand only when asked for the N-th time,
 *						which no event tells
 *		hang N			... does not complete, while this line is there
 *		hang_finish		a task is not finished, likewise
 *		every N			a batch completes N milliseconds after the one before
 *		hold			pages are not looked at before this line has gone, but then
 *						they are, whether or not the task was cancelled
 *		registered N	it goes on starting, with N per cent of shared_buffers
 *						registered
 *		no_compiler		there is nothing that compiles kernels
 *		kernel_fails	tasks ask for a kernel that does not compile, besides the one
 *						that is always ready and named by the task's wish
 *		cards N			there are N instead of 2
 *
 * A word may end in ":N": then it is for card N alone.
 *
 * Everything else, gpuagg.debug_fault included, is the host device's; the
 * faults "kernel" and "trap", which that one does not know, are ours.
 */
#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "device/device.h"
#include "fmgr.h"
#include "host/host.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT const GpuAggDeviceOps *gpuagg_device_provider(void);

#define GIGABYTE ((uint64_t) 1 << 30)

/* What our tasks and devices wrap; GpuAggTask and -Device are the host's. */
typedef struct FakeTask
{
	GpuAggTask *inner;
	int			fault_at;		/* batch, from 1; 0: none */
	int			lost_at;
	int			memory_at;
	int			busy;
	int			hang_at;		/* batch, from 1; 0: none */
	bool		hang_finish;
	int			every;
	struct timespec last;		/* when the last batch completed, or the task began */
	struct FakeHeld *held;		/* batches that are held, the last one first */
	int			late;			/* of these, handed over and not completed */
	bool		cancelled;		/* while some were held */
	int			batches;		/* completed */
	uint64_t	pages;
	uint32_t	draw_way;		/* as asked for */
	uint32_t	draw_windows;	/* 0: no draws were made */
} FakeTask;

/* A batch of pages that is held */
typedef struct FakeHeld
{
	struct FakeHeld *next;
	uint64_t	batch_id;
	uint32_t	npages;
	GpuAggPage *pages;
	uint8_t    *bitmaps;
} FakeHeld;

/* one device is open in a process */
static int	ordinal;

/* What it tells of kernels, and how often that has changed */
static GpuAggCompiledInfo kernels[2];
static GpuAggKernelTotals totals;
static bool compiles;

/* The number that follows the word, 1 if none does, 0 without the word */
static int
wanted(const char *word)
{
	const char *path = getenv("GPUAGG_FAKE_DEVICE");
	FILE	   *file = path != NULL ? fopen(path, "r") : NULL;
	char		line[128];
	int			number = 0;

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
	{
		size_t		length = strcspn(line, ": \n");

		if (line[length] == ':')
		{
			if (atoi(line + length + 1) != ordinal)
				continue;
			memmove(line + length, line + length + strcspn(line + length, " \n"),
					strlen(line + length + strcspn(line + length, " \n")) + 1);
		}
		if (length == strlen(word) && strncmp(line, word, length) == 0)
			number = line[length] == ' ' ? atoi(line + length) : 1;
	}
	fclose(file);
	return number;
}

static GpuAggStatus
fail(GpuAggError *error, GpuAggStatus status, const char *message)
{
	error->status = status;
	snprintf(error->message, sizeof(error->message), "fake: %s", message);
	return status;
}

static void
card_fill(GpuAggDeviceInfo *info, int card)
{
	snprintf(info->kind, sizeof(info->kind), "cuda");
	snprintf(info->name, sizeof(info->name), "Fake card %d", card);
	snprintf(info->uuid, sizeof(info->uuid), "GPU-00000000-0000-0000-0000-00000000000%d", card);
	info->ordinal = card;
}

static int
fake_list(GpuAggDeviceInfo *cards, int max, GpuAggError *error)
{
	int			n = wanted("no_cards") ? 0 : wanted("cards") ? wanted("cards") : 2;

	if (wanted("list"))
	{
		fail(error, GPUAGG_DEVICE_FAULT, "the driver is too old");
		return -1;
	}
	if (n > max)
		n = max;
	for (int i = 0; i < n; i++)
	{
		card_fill(&cards[i], i);
		cards[i].memory_limit = 10 * GIGABYTE;
	}
	return n;
}

static GpuAggStatus
fake_open(const GpuAggDeviceConfig *config, GpuAggDevice **device,
		  GpuAggError *error)
{
	ordinal = config->ordinal;
	sleep(wanted("open_sleep"));
	if (wanted("open"))
		return fail(error, GPUAGG_OUT_OF_MEMORY, "no memory to open it");
	compiles = !wanted("no_compiler");
	return gpuagg_host_ops.open(config, device, error);
}

static void
fake_info(GpuAggDevice *device, GpuAggDeviceInfo *info)
{
	gpuagg_host_ops.info(device, info);
	card_fill(info, ordinal);
	info->registering = wanted("registered") > 0;
	if (info->registering)
		info->unregistered = 100 - wanted("registered");
	info->link_rate = 50 * GIGABYTE;
	info->unit_shared_bytes = 228 << 10;
	info->block_shared_bytes = 227 << 10;
	info->compiles = compiles;
	snprintf(info->compiler, sizeof(info->compiler), "%s",
			 compiles ? "fake compiler 1.0" : "no fake compiler is installed");
}

/* The kernels that a task asks for */
static void
kernels_ask(const GpuAggCompileWish *wish)
{
	GpuAggCompiledInfo *ready = &kernels[0];
	GpuAggCompiledInfo *failed = &kernels[1];

	if (!compiles || wish->mode == GPUAGG_COMPILE_OFF)
		return;
	totals.changes++;
	totals.compiled += ready->uses == 0;
	snprintf(ready->shape, sizeof(ready->shape), "%s, predicted: %s",
			 wish->mode == GPUAGG_COMPILE_ALWAYS ? "always" : "auto",
			 wish->interpreted_ns > 0 ? "yes" : "no");
	ready->stage = GPUAGG_KERNEL_STAGE_LOADED;
	ready->digest = UINT64_C(0xabcdef);
	ready->compile_ns = 12500000;
	ready->load_ns = 500000;
	ready->uses++;
	ready->bytes = 4096;
	ready->registers = 40;
	ready->blocks = 6;
	ready->block_threads = 1024;
	if (!wanted("kernel_fails") || totals.failed > 0)
		return;
	totals.failed++;
	strcpy(failed->shape, "failing shape");
	strcpy(failed->message, "kernel.cu(1): error: fake");
	failed->stage = GPUAGG_KERNEL_STAGE_FAILED;
	failed->news = 1;
}

static uint32_t
fake_kernels(GpuAggDevice *device, GpuAggCompiledInfo *infos, uint32_t max,
			 GpuAggKernelTotals *now)
{
	uint32_t	n = 0;

	*now = totals;
	for (int i = 0; i < 2 && n < max; i++)
		if (kernels[i].shape[0] != '\0')
		{
			infos[n++] = kernels[i];
			kernels[i].news = 0;
		}
	return n;
}

static GpuAggStatus
fake_begin(GpuAggDevice *device, const GpuAggProgram *program,
		   const GpuAggTaskConfig *config, GpuAggTask **task,
		   GpuAggError *error)
{
	FakeTask   *fake;
	GpuAggStatus status;

	if (wanted("unsupported"))
		return fail(error, GPUAGG_UNSUPPORTED, "too difficult");
	kernels_ask(&config->compile);
	fake = calloc(1, sizeof(FakeTask));
	if (fake == NULL)
		return fail(error, GPUAGG_OUT_OF_MEMORY, "no memory");
	status = gpuagg_host_ops.task_begin(device, program, config, &fake->inner,
										error);
	if (status != GPUAGG_OK)
	{
		free(fake);
		return status;
	}
	fake->fault_at = config->fault == GPUAGG_FAULT_KERNEL ? 1 : wanted("fault");
	fake->lost_at = config->fault == GPUAGG_FAULT_TRAP ? 1 : wanted("lost");
	fake->memory_at = wanted("memory");
	fake->busy = wanted("busy");
	fake->hang_at = wanted("hang");
	fake->hang_finish = wanted("hang_finish") > 0;
	fake->every = wanted("every");
	clock_gettime(CLOCK_MONOTONIC, &fake->last);
	fake->draw_way = config->draw.way;
	if (config->sample.method == GPUAGG_SAMPLE_DRAWS)
		fake->draw_windows = config->draw.windows;
	*task = (GpuAggTask *) fake;
	return GPUAGG_OK;
}

static void
hold(FakeTask *fake, uint64_t batch_id, const GpuAggPage *pages, uint32_t npages)
{
	FakeHeld   *held = malloc(sizeof(FakeHeld));

	held->next = fake->held;
	held->batch_id = batch_id;
	held->npages = npages;
	held->pages = malloc(npages * sizeof(GpuAggPage));
	held->bitmaps = malloc((size_t) npages * GPUAGG_VISIBILITY_BYTES);
	memcpy(held->pages, pages, npages * sizeof(GpuAggPage));
	for (uint32_t i = 0; i < npages; i++)
	{
		uint8_t    *bitmap = held->bitmaps + (size_t) i * GPUAGG_VISIBILITY_BYTES;

		if (pages[i].visibility == NULL)
			continue;
		memcpy(bitmap, pages[i].visibility, GPUAGG_VISIBILITY_BYTES);
		held->pages[i].visibility = bitmap;
	}
	fake->held = held;
}

/* Hands over what was held, if it need not be held any more. */
static void
unhold(FakeTask *fake)
{
	GpuAggError error;

	while (fake->held != NULL && !wanted("hold"))
	{
		FakeHeld   *held = fake->held;

		fake->held = held->next;
		fake->late += gpuagg_host_ops.task_pages(fake->inner, held->batch_id, held->pages,
												 held->npages, &error) == GPUAGG_OK;
		free(held->pages);
		free(held->bitmaps);
		free(held);
	}
}

static GpuAggStatus
fake_pages(GpuAggTask *task, uint64_t batch_id, const GpuAggPage *pages,
		   uint32_t npages, GpuAggError *error)
{
	FakeTask   *fake = (FakeTask *) task;

	fake->pages += npages;
	if (wanted("hold"))
	{
		hold(fake, batch_id, pages, npages);
		return GPUAGG_OK;
	}
	return gpuagg_host_ops.task_pages(fake->inner, batch_id, pages, npages,
									  error);
}

static GpuAggStatus
fake_rows(GpuAggTask *task, uint64_t batch_id, const GpuAggRowColumn *columns,
		  uint32_t nrows, GpuAggError *error)
{
	return gpuagg_host_ops.task_rows(((FakeTask *) task)->inner, batch_id,
									 columns, nrows, error);
}

static GpuAggStatus
fake_resident(GpuAggTask *task, uint64_t batch_id, GpuAggStripe *stripe,
			  const GpuAggPositions *without, uint32_t nwithout, GpuAggError *error)
{
	return gpuagg_host_ops.task_resident(((FakeTask *) task)->inner, batch_id,
										 stripe, without, nwithout, error);
}

static GpuAggStatus
fake_draws(GpuAggTask *task, uint64_t batch_id, const GpuAggStripeRange *ranges,
		   uint32_t nranges, GpuAggError *error)
{
	return gpuagg_host_ops.task_draws(((FakeTask *) task)->inner, batch_id,
									  ranges, nranges, error);
}

static bool
batch_hangs(const FakeTask *fake)
{
	return fake->batches + 1 == fake->hang_at && wanted("hang");
}

static bool
finish_hangs(const FakeTask *fake)
{
	return fake->hang_finish && wanted("hang_finish");
}

static bool
too_early(const FakeTask *fake)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - fake->last.tv_sec) * 1000 +
		(now.tv_nsec - fake->last.tv_nsec) / 1000000 < fake->every;
}

static bool
fake_poll(GpuAggTask *task, GpuAggCompletion *completion)
{
	FakeTask   *fake = (FakeTask *) task;

	unhold(fake);
	if (batch_hangs(fake) || too_early(fake) ||
		!gpuagg_host_ops.task_poll(fake->inner, completion))
		return false;
	fake->late -= fake->late > 0;
	fake->batches++;
	clock_gettime(CLOCK_MONOTONIC, &fake->last);
	if (fake->batches == fake->fault_at)
		fail(&completion->error, GPUAGG_DEVICE_FAULT, "a kernel failed");
	if (fake->batches == fake->lost_at)
		fail(&completion->error, GPUAGG_DEVICE_LOST, "fell off the bus");
	if (fake->batches == fake->memory_at)
		fail(&completion->error, GPUAGG_OUT_OF_MEMORY, "no memory to grow");
	return true;
}

static bool
fake_finish(GpuAggTask *task, GpuAggError *error)
{
	FakeTask   *fake = (FakeTask *) task;

	return !finish_hangs(fake) && gpuagg_host_ops.task_finish(fake->inner, error);
}

static uint32_t
fake_results(GpuAggTask *task, char *buffer, size_t size, size_t *used,
			 GpuAggError *error)
{
	FakeTask   *fake = (FakeTask *) task;

	if (fake->busy > 1)
	{
		fake->busy--;
		*used = 0;
		fail(error, GPUAGG_BUSY, "not yet");
		return 0;
	}
	return gpuagg_host_ops.task_results(fake->inner, buffer, size, used,
										error);
}

static void
fake_stats(GpuAggTask *task, GpuAggTaskStats *stats)
{
	FakeTask   *fake = (FakeTask *) task;

	gpuagg_host_ops.task_stats(fake->inner, stats);
	stats->transfer_ns = 1000000;
	stats->decode_ns = fake->pages * 400;	/* 8192 bytes in 400 ns */
	stats->kernel_ns = 3000000;
	stats->link_bytes = fake->pages * GPUAGG_PAGE_BYTES;
	stats->draw_way = fake->draw_way;
	stats->draw_windows = fake->draw_windows;
}

static void
fake_cancel(GpuAggTask *task)
{
	FakeTask   *fake = (FakeTask *) task;

	fake->cancelled = fake->held != NULL || fake->late > 0;
	if (!fake->cancelled)
		gpuagg_host_ops.task_cancel(fake->inner);
}

/* A cancelled task whose pages were held looks at all of them first. */
static bool
fake_idle(GpuAggTask *task)
{
	FakeTask   *fake = (FakeTask *) task;
	GpuAggCompletion completion;

	if (batch_hangs(fake) || finish_hangs(fake))
		return false;
	if (fake->cancelled)
	{
		unhold(fake);
		while (fake->late > 0 && gpuagg_host_ops.task_poll(fake->inner, &completion))
			fake->late--;
		if (fake->held != NULL || fake->late > 0)
			return false;
		gpuagg_host_ops.task_cancel(fake->inner);
	}
	return gpuagg_host_ops.task_idle(fake->inner);
}

static void
fake_end(GpuAggTask *task)
{
	gpuagg_host_ops.task_end(((FakeTask *) task)->inner);
	free(task);
}

static GpuAggStatus
fake_take(GpuAggTask *task, GpuAggMade **made, GpuAggError *error)
{
	return gpuagg_host_ops.made->take(((FakeTask *) task)->inner, made, error);
}

const GpuAggDeviceOps *
gpuagg_device_provider(void)
{
	static GpuAggDeviceOps ops;
	static GpuAggMadeOps made;

	made = *gpuagg_host_ops.made;
	made.take = fake_take;

	ops = gpuagg_host_ops;
	ops.abi = wanted("abi") ? GPUAGG_DEVICE_ABI + 1 : GPUAGG_DEVICE_ABI;
	ops.kind = "cuda";
	ops.list = fake_list;
	ops.open = fake_open;
	ops.info = fake_info;
	ops.task_begin = fake_begin;
	ops.task_pages = fake_pages;
	ops.task_rows = fake_rows;
	ops.task_resident = fake_resident;
	ops.task_draws = fake_draws;
	ops.task_poll = fake_poll;
	ops.task_finish = fake_finish;
	ops.task_results = fake_results;
	ops.task_stats = fake_stats;
	ops.task_cancel = fake_cancel;
	ops.task_idle = fake_idle;
	ops.task_end = fake_end;
	ops.made = &made;
	ops.kernels = fake_kernels;
	return &ops;
}
