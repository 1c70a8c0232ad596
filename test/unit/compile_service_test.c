/*
 * compile_service_test.c
 *		The compiling of kernels as tasks see it (cuda/compile/service.c), with a fake
 *		compiler (fake_compiler.h) and a loader that counts; and the rule by which it
 *		is done (device/choice/compile_rule.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "cuda/compile/service.h"
#include "device/choice/compile_rule.h"
#include "fake_compiler.h"
#include "tap.h"

#define WAIT_MS 20000
#define SHORT_MS 300
#define IDLE_MS 200
#define MS UINT64_C(1000000)

static GpuAggService *service;
static char folder[64];
static int	event_fd;
static int	loaded;				/* by the loader, and not unloaded */
static int	loads;
static uint32_t processes = 1;

/* ------------------------------------------------------------- the loader --- */

/* Called by the service's threads; read when they have told, or are gone */
static GpuAggStatus
load(void *context, const char *code, size_t bytes, const char *entry,
	 GpuAggLoadedKernel *kernel, GpuAggError *error)
{
	(void) context;
	if (strncmp(code, "code:noload", 11) == 0 || strncmp(code, "code:nomemory", 13) == 0)
	{
		strcpy(error->message, "cannot be loaded");
		error->status = code[7] == 'l' ? GPUAGG_DEVICE_FAULT : GPUAGG_OUT_OF_MEMORY;
		return error->status;
	}
	kernel->library = strndup(code, bytes);
	kernel->registers = (uint32_t) bytes;
	kernel->blocks = (uint32_t) strlen(entry);
	__atomic_add_fetch(&loaded, 1, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&loads, 1, __ATOMIC_SEQ_CST);
	return GPUAGG_OK;
}

static void
unload(void *context, GpuAggLoadedKernel *kernel)
{
	(void) context;
	free(kernel->library);
	kernel->library = NULL;
	__atomic_sub_fetch(&loaded, 1, __ATOMIC_SEQ_CST);
}

/* ------------------------------------------------------------ the service --- */

static void
open_with(const char *how, const char *on_disk, uint64_t wait_ms, uint32_t kernels, uint32_t queued)
{
	const GpuAggServiceConfig config = {
		.compiler = fake_argv(how), .folder = on_disk, .disk_bytes = 1 << 20, .wait_ms = wait_ms,
		.max_kernels = kernels, .max_queued = queued, .event_fd = event_fd,
		.processes = processes, .idle_ms = IDLE_MS,
		.loader.load = load, .loader.unload = unload
	};

	service = gpuagg_service_open(&config);
}

static void
close_now(void)
{
	gpuagg_service_close(service);
}

static uint64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000 + (uint64_t) t.tv_nsec / 1000000;
}

static GpuAggKernelState
ask(const char *text, GpuAggKernelRequest *request)
{
	const GpuAggKernelSource source = {
		.text = text, .bytes = strlen(text), .entry = "k", .shape = text};

	return gpuagg_service_request(service, &source, request);
}

/* Until the event fires, at most a while */
static void
event_wait(void)
{
	struct pollfd fd = {.fd = event_fd, .events = POLLIN};
	uint64_t	count;

	(void) poll(&fd, 1, 50);
	(void) !read(event_fd, &count, sizeof(count));
}

/* Asks as a task does, until there is an answer that is not "wait". */
static GpuAggKernelState
ask_patiently(const char *text, GpuAggKernelRequest *request)
{
	GpuAggKernelState state;

	while ((state = ask(text, request)) == GPUAGG_KERNEL_WAIT)
		event_wait();
	return state;
}

/* The same for a task of its own, with compile = always */
static GpuAggKernelState
always(const char *text)
{
	GpuAggKernelRequest request = {.wish.mode = GPUAGG_COMPILE_ALWAYS};
	GpuAggKernelState state = ask_patiently(text, &request);

	gpuagg_service_release(service, &request);
	return state;
}

/* What gpuagg.kernels shows of one; no shape: it is not there */
static GpuAggCompiledInfo
info_of(const char *text)
{
	GpuAggCompiledInfo infos[16];
	GpuAggKernelTotals totals;
	uint32_t	n = gpuagg_service_tell(service, infos, 16, &totals);

	for (uint32_t i = 0; i < n; i++)
		if (strcmp(infos[i].shape, text) == 0)
			return infos[i];
	memset(&infos[0], 0, sizeof(infos[0]));
	return infos[0];
}

static GpuAggKernelTotals
totals(void)
{
	GpuAggKernelTotals totals;

	(void) gpuagg_service_tell(service, NULL, 0, &totals);
	return totals;
}

static bool
stage_comes(const char *text, GpuAggKernelStage stage)
{
	uint64_t	until = now_ms() + WAIT_MS;

	while (now_ms() < until)
	{
		GpuAggCompiledInfo info = info_of(text);

		if (info.shape[0] != '\0' && info.stage == stage)
			return true;
		event_wait();
	}
	return false;
}

/* The process has said that it works, or does not */
static bool
settles(bool *works, char name[GPUAGG_COMPILER_BYTES])
{
	uint64_t	until = now_ms() + WAIT_MS;

	do
	{
		*works = gpuagg_service_compiler(service, name);
		if (name[0] != '\0')
			return true;
		event_wait();
	} while (now_ms() < until);
	return false;
}

/* --------------------------------------------------------------- the rule --- */

static void
test_rule(void)
{
	GpuAggCompileCase c = {.asked = 1, .compile_ns = 60 * MS, .left_ns = 60 * MS};

	ok(!gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c), "nothing known: not yet");
	c.asked = 2;
	ok(!gpuagg_compile_begins(&c), "asked for again: nor then");
	c.wish.interpreted_ns = 100000;
	c.wish.compiled_ns = 99500;
	ok(!gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c),
	   "some thousand rows, which gain nothing: not compiled");
	c.asked = GPUAGG_COMPILE_ASKED;
	ok(gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c),
	   "asked for very often: compiled, and not waited for");
	c.asked = 1;
	c.wish.interpreted_ns = 30 * MS;
	c.wish.compiled_ns = 10 * MS;
	ok(gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c),
	   "20 ms gained each run: compiled at once, not waited for");
	c.wish.compiled_ns = 29 * MS;
	ok(!gpuagg_compile_begins(&c), "1 ms gained: not compiled at once");
	c.asked = 6;
	ok(gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c),
	   "for the sixth time: compiled, and not waited for");
	c.asked = 1;
	c.wish.interpreted_ns = 500 * MS;
	c.wish.compiled_ns = 0;
	ok(gpuagg_compile_waits(&c), "half a second, of which most is gained: waited for");
	c.waited_ns = 400 * MS;
	ok(!gpuagg_compile_waits(&c), "but no longer than would be gained");
	c.wish.mode = GPUAGG_COMPILE_OFF;
	ok(!gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c), "off");
	c.wish.mode = GPUAGG_COMPILE_ALWAYS;
	ok(gpuagg_compile_begins(&c) && gpuagg_compile_waits(&c), "always");
	c.wish.mode = 77;
	ok(!gpuagg_compile_begins(&c) && !gpuagg_compile_waits(&c),
	   "a wish that is none: not compiled");
}

/* -------------------------------------------------------------- one kernel --- */

static void
test_always(void)
{
	GpuAggKernelRequest first = {.wish.mode = GPUAGG_COMPILE_ALWAYS};
	GpuAggKernelRequest second = {.wish.mode = GPUAGG_COMPILE_AUTO};
	GpuAggKernelRequest off = {.wish.mode = GPUAGG_COMPILE_OFF};
	GpuAggCompiledInfo info;

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(ask("one", &off) == GPUAGG_KERNEL_OFF && info_of("one").shape[0] == '\0',
	   "off asks nothing");
	ok(ask_patiently("one", &first) == GPUAGG_KERNEL_READY && first.kernel != NULL,
	   "always waits until it is compiled");
	ok(strcmp((char *) first.kernel->loaded.library, "code:one") == 0, "of the text it asked for");
	ok(ask("one", &second) == GPUAGG_KERNEL_READY && second.kernel == first.kernel,
	   "the next has it at once");
	ok(ask("one", &second) == GPUAGG_KERNEL_READY, "asking again gives the same");
	info = info_of("one");
	is_int((long long) info.uses, 2, "each task is a use");
	ok(info.stage == GPUAGG_KERNEL_STAGE_LOADED && info.compile_ns == 5 * MS && !info.from_disk &&
	   info.bytes == strlen("code:one") && info.registers == info.bytes && info.blocks == 1,
	   "what is told of it");
	ok(always("other") == GPUAGG_KERNEL_READY && loaded == 2, "another text is another kernel");
	gpuagg_service_release(service, &first);
	gpuagg_service_release(service, &second);
	gpuagg_service_release(service, &second);
	close_now();
	is_int(loaded, 0, "closing unloads all");
}

static void
test_auto(void)
{
	/* less than looking for it on disk takes, and enough to compile for who asks once more */
	const GpuAggCompileWish some = {.interpreted_ns = 9500000,.compiled_ns = 8 * MS};
	GpuAggKernelRequest first = {.wish = some};
	GpuAggKernelRequest second = {.wish = some};
	GpuAggKernelRequest third = {.wish = some};
	GpuAggKernelRequest small[10] = {0};
	GpuAggKernelRequest dear = {.wish.interpreted_ns = 10000 * MS};
	bool		works;
	bool		waited = false;
	char		name[GPUAGG_COMPILER_BYTES];

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(settles(&works, name) && works && strcmp(name, "fake 1.0") == 0, "the compiler has a name");
	ok(ask("one", &first) == GPUAGG_KERNEL_COMPILING, "auto interprets the first time");
	for (int i = 0; i < 5; i++)
		event_wait();
	ok(ask("one", &first) == GPUAGG_KERNEL_COMPILING &&
	   info_of("one").stage == GPUAGG_KERNEL_STAGE_SEEN && loads == 0,
	   "and does not compile, however often that task asks");
	ok(ask("one", &second) == GPUAGG_KERNEL_COMPILING &&
	   stage_comes("one", GPUAGG_KERNEL_STAGE_LOADED),
	   "the second is interpreted, too, while it is compiled");
	ok(ask("one", &third) == GPUAGG_KERNEL_READY, "the third has it");
	ok(ask_patiently("two", &dear) == GPUAGG_KERNEL_READY,
	   "a task that has much to gain waits the first time");
	for (int i = 0; i < 10; i++)
	{
		small[i].wish.interpreted_ns = 76000;
		small[i].wish.compiled_ns = 75000;
		waited |= ask("three", &small[i]) != GPUAGG_KERNEL_COMPILING;
	}
	for (int i = 0; i < 5; i++)
		event_wait();
	ok(!waited && info_of("three").stage == GPUAGG_KERNEL_STAGE_SEEN && totals().compiled == 2,
	   "ten tasks of some thousand rows: interpreted, and nothing is compiled");
	gpuagg_service_release(service, &third);
	gpuagg_service_release(service, &dear);
	close_now();
}

/* ---------------------------------------------------------------- failures --- */

static void
test_failures(void)
{
	GpuAggCompiledInfo info;

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(always("refuse") == GPUAGG_KERNEL_FAILED && always("refuse") == GPUAGG_KERNEL_FAILED,
	   "what does not compile has failed");
	info = info_of("refuse");
	ok(info.stage == GPUAGG_KERNEL_STAGE_FAILED && info.news &&
	   strcmp(info.message, "line 1: error: refused") == 0, "with the compiler's first line");
	ok(!info_of("refuse").news, "news are told once");
	ok(always("noload") == GPUAGG_KERNEL_FAILED &&
	   strcmp(info_of("noload").message, "cannot be loaded") == 0, "what cannot be loaded, too");
	ok(always("nomemory") == GPUAGG_KERNEL_FAILED, "what finds no memory, too");
	is_int((long long) totals().failed, 3, "and is counted once");
	ok(always("crash") == GPUAGG_KERNEL_FAILED && totals().restarts == 1,
	   "a crash fails its text, and is counted");
	ok(always("fine") == GPUAGG_KERNEL_READY, "the next one is compiled by another process");
	close_now();
}

static void
test_hang(void)
{
	uint64_t	began;

	open_with("works", NULL, SHORT_MS, 8, 8);
	ok(always("hang") != GPUAGG_KERNEL_READY && stage_comes("hang", GPUAGG_KERNEL_STAGE_FAILED),
	   "a compiler that hangs fails its text");
	close_now();

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(ask("hang", &(GpuAggKernelRequest){.wish.mode = GPUAGG_COMPILE_ALWAYS}) ==
			   GPUAGG_KERNEL_WAIT &&
		   stage_comes("hang", GPUAGG_KERNEL_STAGE_QUEUED),
	   "one hangs");
	began = now_ms();
	close_now();
	ok(now_ms() - began < WAIT_MS / 2, "closing does not wait for it");
}

static void
test_broken(void)
{
	bool		works;
	char		name[GPUAGG_COMPILER_BYTES];
	char		text[32];

	open_with("none", NULL, WAIT_MS, 8, 8);
	ok(settles(&works, name) && !works && strcmp(name, "there is none") == 0,
	   "no compiler: the reason is told");
	ok(always("one") == GPUAGG_KERNEL_OFF && totals().failed == 0,
	   "and nothing is compiled or failed");
	close_now();

	open_with("works", NULL, WAIT_MS, 16, 8);
	for (int i = 0; i < 5; i++)
	{
		snprintf(text, sizeof(text), "crash %d", i);
		(void) always(text);
	}
	ok(always("one") == GPUAGG_KERNEL_OFF && settles(&works, name) && !works &&
	   strstr(name, "signal 11") != NULL, "five crashes in a row: there is no compiler any more");
	close_now();
}

/* ------------------------------------------------------------------ bounds --- */

static void
test_memory(void)
{
	GpuAggKernelRequest held = {.wish.mode = GPUAGG_COMPILE_ALWAYS};
	char		text[32];
	bool		all = true;

	open_with("works", NULL, WAIT_MS, 4, 8);
	all = ask_patiently("held", &held) == GPUAGG_KERNEL_READY;
	for (int i = 0; i < 20; i++)
	{
		snprintf(text, sizeof(text), "text %d", i);
		all &= always(text) == GPUAGG_KERNEL_READY;
	}
	ok(all, "more kernels than fit are compiled, one after the other");
	/* the thread may still hold those that it is to unload */
	for (int i = 0; i < 100 && __atomic_load_n(&loaded, __ATOMIC_SEQ_CST) > 4; i++)
		event_wait();
	is_int(__atomic_load_n(&loaded, __ATOMIC_SEQ_CST), 4, "but no more stay");
	ok(strcmp((char *) held.kernel->loaded.library, "code:held") == 0 &&
	   info_of("held").stage == GPUAGG_KERNEL_STAGE_LOADED, "one in use stays");
	ok(info_of("text 19").shape[0] != '\0' && info_of("text 0").shape[0] == '\0',
	   "and those used last");
	gpuagg_service_release(service, &held);
	close_now();
	is_int(loaded, 0, "all are unloaded in the end");
}

static void
test_queue(void)
{
	GpuAggKernelRequest requests[8] = {{.asked_ns = 0}};
	char		text[8][32];
	int			ready = 0;

	open_with("works", NULL, WAIT_MS, 16, 2);
	for (int i = 0; i < 8; i++)
	{
		requests[i].wish.mode = GPUAGG_COMPILE_ALWAYS;
		snprintf(text[i], sizeof(text[i]), "slow %d", i);
		(void) ask(text[i], &requests[i]);
	}
	for (uint64_t until = now_ms() + WAIT_MS; ready < 8 && now_ms() < until;)
	{
		event_wait();
		ready = 0;
		for (int i = 0; i < 8; i++)
			ready += ask(text[i], &requests[i]) == GPUAGG_KERNEL_READY;
	}
	is_int(ready, 8, "a queue that is full delays, and loses nobody who waits");
	ok(totals().refused > 0, "and counts");
	for (int i = 0; i < 8; i++)
		gpuagg_service_release(service, &requests[i]);
	close_now();
}

/* ------------------------------------------------ many at once, and kills --- */

#define CLIENTS 64

/* What a client's new shape is called: most compile, some are refused, one crashes */
static const char *
client_text(int i)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s %d", i == 20 ? "crash" : i % 16 == 5 ? "refuse" : "shape", i);
	return text;
}

/* As many new shapes as clients, all asked for before any is there */
static void
test_clients(void)
{
	GpuAggKernelRequest requests[CLIENTS] = {{.asked_ns = 0}};
	GpuAggKernelState states[CLIENTS];
	int			ready = 0;
	int			failed = 0;
	int			waiting = CLIENTS;

	open_with("works", NULL, WAIT_MS, CLIENTS, CLIENTS);
	for (int i = 0; i < CLIENTS; i++)
		requests[i].wish.mode = GPUAGG_COMPILE_ALWAYS;
	for (uint64_t until = now_ms() + WAIT_MS; waiting > 0 && now_ms() < until; event_wait())
	{
		waiting = 0;
		for (int i = 0; i < CLIENTS; i++)
		{
			states[i] = ask(client_text(i), &requests[i]);
			waiting += states[i] == GPUAGG_KERNEL_WAIT || states[i] == GPUAGG_KERNEL_COMPILING;
		}
	}
	for (int i = 0; i < CLIENTS; i++)
	{
		const bool	good = strncmp(client_text(i), "shape", 5) == 0;

		ready += good && states[i] == GPUAGG_KERNEL_READY &&
			strcmp((char *) requests[i].kernel->loaded.library + 5, client_text(i)) == 0;
		failed += !good && states[i] == GPUAGG_KERNEL_FAILED;
		gpuagg_service_release(service, &requests[i]);
	}
	is_int(ready, CLIENTS - 5, "64 new shapes at once: each client has its own kernel");
	is_int(failed, 5, "but those that are refused, or crash the compiler");
	ok(totals().failed == 5 && totals().restarts == 1 && totals().compiled == CLIENTS - 5,
	   "each is counted once");
	close_now();
	is_int(loaded, 0, "and all are unloaded");
}

/* The compiler's processes: children of ours; how many, and one of them, or 0 */
static int
compilers(pid_t *found)
{
	DIR		   *dir = opendir("/proc");
	struct dirent *entry;
	int			n = 0;

	*found = 0;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
	{
		char		path[300];
		FILE	   *f;
		int			parent = 0;

		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		f = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
		if (f != NULL && fscanf(f, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == getpid())
		{
			*found = atoi(entry->d_name);
			n++;
		}
		if (f != NULL)
			fclose(f);
	}
	if (dir != NULL)
		closedir(dir);
	return n;
}

static pid_t
compiler_pid(void)
{
	pid_t		pid;

	(void) compilers(&pid);
	return pid;
}

/* Killed from outside while it compiles, as by the kernel that is short of memory */
static void
test_killed(void)
{
	GpuAggKernelRequest request = {.wish.mode = GPUAGG_COMPILE_ALWAYS};
	bool		works;
	char		name[GPUAGG_COMPILER_BYTES];
	GpuAggKernelState state;
	pid_t		pid;

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(settles(&works, name) && works, "a compiler works");
	state = ask("hang", &request);
	ok(stage_comes("hang", GPUAGG_KERNEL_STAGE_QUEUED), "it is given a text");
	/* until it has been taken up */
	usleep(100000);
	pid = compiler_pid();
	ok(state == GPUAGG_KERNEL_WAIT && pid > 0 && kill(pid, SIGKILL) == 0, "and killed");
	ok(ask_patiently("hang", &request) == GPUAGG_KERNEL_FAILED &&
	   strstr(info_of("hang").message, "signal 9") != NULL, "its text has failed, which is told");
	ok(info_of("hang").stage == GPUAGG_KERNEL_STAGE_FAILED && totals().failed == 1 &&
		   totals().restarts == 1,
	   "and counted");
	ok(always("fine") == GPUAGG_KERNEL_READY && compiler_pid() != pid && compiler_pid() > 0,
	   "another one compiles the next");
	pid = compiler_pid();
	ok(kill(pid, SIGKILL) == 0 && always("idle") != GPUAGG_KERNEL_WAIT &&
		   always("next") == GPUAGG_KERNEL_READY,
	   "killed while it waits: at most one text is lost");
	close_now();
	is_int(compiler_pid(), 0, "none is left");
}

#define PROCESSES 3
#define TEXTS 24

/* As always(), of many at once; the most processes that were seen.  False: one is not ready. */
static bool
compile_together(int *most)
{
	GpuAggKernelRequest requests[TEXTS] = {{.asked_ns = 0}};
	char		text[32];
	pid_t		pid;
	int			ready = 0;
	bool		good = true;

	*most = 0;
	for (uint64_t until = now_ms() + WAIT_MS; ready < TEXTS && now_ms() < until; event_wait())
	{
		const int	n = compilers(&pid);

		*most = n > *most ? n : *most;
		ready = 0;
		for (int i = 0; i < TEXTS; i++)
		{
			requests[i].wish.mode = GPUAGG_COMPILE_ALWAYS;
			snprintf(text, sizeof(text), "slow %d", i);
			ready += ask(text, &requests[i]) == GPUAGG_KERNEL_READY;
		}
	}
	for (int i = 0; i < TEXTS; i++)
	{
		snprintf(text, sizeof(text), "code:slow %d", i);
		good &= requests[i].kernel != NULL &&
			strcmp((char *) requests[i].kernel->loaded.library, text) == 0;
		gpuagg_service_release(service, &requests[i]);
	}
	return good && ready == TEXTS;
}

/* What waits is compiled by several processes, of which one stays; all share the disk. */
static void
test_processes(void)
{
	pid_t		pid;
	int			most;

	processes = PROCESSES;
	open_with("works", folder, WAIT_MS, 2 * TEXTS, TEXTS);
	ok(always("alone") == GPUAGG_KERNEL_READY && compilers(&pid) == 1, "one text: one process");
	ok(compile_together(&most), "24 texts at once: each is compiled");
	ok(most > 1 && most <= PROCESSES, "by more than one process, and no more than there may be");
	for (int i = 0; i < 200 && compilers(&pid) > 1; i++)
		event_wait();
	is_int(compilers(&pid), 1, "those beside the first one end when they are idle");
	ok(always("crash") == GPUAGG_KERNEL_FAILED && always("fine") == GPUAGG_KERNEL_READY &&
		   totals().restarts == 1,
	   "a crash is replaced");
	close_now();
	is_int(loaded + compilers(&pid), 0, "nothing is left of any");
	open_with("works", folder, WAIT_MS, 2 * TEXTS, TEXTS);
	ok(compile_together(&most) && totals().compiled == 0 && totals().from_disk == TEXTS,
	   "all are found on disk afterwards");
	close_now();
	open_with("works", NULL, WAIT_MS, 2 * TEXTS, TEXTS);
	for (int i = 0; i < 8; i++)
		(void) ask(i % 2 == 0 ? "hang" : "slow hang",
				   &(GpuAggKernelRequest){.wish.mode = GPUAGG_COMPILE_ALWAYS});
	usleep(100000);
	close_now();
	is_int(compilers(&pid), 0, "closing ends processes that hang");
	processes = 1;
}

/* Tasks of programs leave their number, by which backends find their kernel. */
static void
test_program(void)
{
	GpuAggKernelRequest one = {.wish.mode = GPUAGG_COMPILE_ALWAYS,.wish.program = 7};
	GpuAggKernelRequest other = {.wish.mode = GPUAGG_COMPILE_ALWAYS,.wish.program = 8};
	uint64_t	changes;

	open_with("works", NULL, WAIT_MS, 8, 8);
	ok(ask_patiently("one", &one) == GPUAGG_KERNEL_READY && info_of("one").program == 7,
	   "whose kernel it is");
	changes = totals().changes;
	ok(ask("one", &other) == GPUAGG_KERNEL_READY && info_of("one").program == 8 &&
		   totals().changes > changes,
	   "or another program's, of which the list tells");
	gpuagg_service_release(service, &one);
	gpuagg_service_release(service, &other);
	close_now();
}

/* -------------------------------------------------------------------- disk --- */

static void
files_damage(void)
{
	DIR		   *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
		{
			int			fd = openat(dirfd(dir), entry->d_name, O_WRONLY);

			(void) !pwrite(fd, "?", 1, 90);
			close(fd);
		}
	closedir(dir);
}

/* One that ends early, and one of something else */
static void
files_replace(const char *with, size_t bytes)
{
	DIR		   *dir = opendir(folder);
	struct dirent *entry;

	while ((entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
		{
			int			fd = openat(dirfd(dir), entry->d_name, O_WRONLY);

			if (with == NULL)
				(void) !ftruncate(fd, (off_t) bytes);
			else
				(void) !(ftruncate(fd, 0) == 0 && pwrite(fd, with, bytes, 0) > 0);
			close(fd);
		}
	closedir(dir);
}

static void
test_disk_again(const char *with, size_t bytes, const char *name)
{
	files_replace(with, bytes);
	open_with("works", folder, WAIT_MS, 8, 8);
	ok(always("one") == GPUAGG_KERNEL_READY && !info_of("one").from_disk &&
		   totals().compiled == 1 && totals().failed == 0,
	   name);
	close_now();
	open_with("works", folder, WAIT_MS, 8, 8);
	ok(always("one") == GPUAGG_KERNEL_READY && info_of("one").from_disk, "and replaced");
	close_now();
}

static void
test_disk(void)
{
	GpuAggKernelRequest again = {.asked_ns = 0};

	open_with("works", folder, WAIT_MS, 8, 8);
	ok(always("one") == GPUAGG_KERNEL_READY && !info_of("one").from_disk,
	   "compiled the first time");
	close_now();
	open_with("works", folder, WAIT_MS, 8, 8);
	(void) ask("one", &again);
	ok(stage_comes("one", GPUAGG_KERNEL_STAGE_LOADED) && info_of("one").from_disk &&
	   info_of("one").compile_ns == 5 * MS && totals().compiled == 0,
	   "after a restart found on disk, at the first task that asks");
	close_now();
	files_damage();
	open_with("works", folder, WAIT_MS, 8, 8);
	ok(always("one") == GPUAGG_KERNEL_READY && !info_of("one").from_disk && totals().compiled == 1,
	   "damaged, it is compiled anew");
	close_now();
	open_with("works", folder, WAIT_MS, 8, 8);
	ok(always("one") == GPUAGG_KERNEL_READY && info_of("one").from_disk && totals().from_disk == 1,
	   "and replaced");
	ok(always("two") == GPUAGG_KERNEL_READY && !info_of("two").from_disk, "another is not there");
	close_now();
	test_disk_again(NULL, 60, "cut short, it is compiled anew");
	test_disk_again("\177ELF, but not ours: code that nobody must load", 40, "a foreign file, too");
	test_disk_again("", 1, "one that is empty, too");
}

int
main(int argc, char **argv)
{
	char		command[100];

	if (argc > 2 && strcmp(argv[1], "fake") == 0)
		return fake_compiler(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	snprintf(folder, sizeof(folder), "/tmp/gpuagg_service_test.XXXXXX");
	if (mkdtemp(folder) == NULL)
		return 1;
	event_fd = eventfd(0, EFD_NONBLOCK);
	test_rule();
	test_always();
	loads = 0;
	test_auto();
	test_failures();
	test_hang();
	test_broken();
	test_memory();
	test_queue();
	test_clients();
	test_killed();
	test_processes();
	test_program();
	test_disk();
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	(void) !system(command);
	return done_testing();
}
