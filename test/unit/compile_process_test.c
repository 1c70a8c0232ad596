/*
 * compile_process_test.c
 *		The compiler's process as the device worker sees it (cuda/compile/compiler.c),
 *		with a fake one that crashes, hangs and talks nonsense.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>

#include "cuda/compile/compiler.h"
#include "fake_compiler.h"
#include "tap.h"

#define LONG_MS 20000
#define SHORT_MS 300

static GpuAggCompilerProcess process;
static char why[128];

static bool
start(const char *how, uint64_t wait_ms)
{
	process.argv = fake_argv(how);
	why[0] = '\0';
	return gpuagg_compiler_start(&process, wait_ms, why, sizeof(why));
}

static bool
gone(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}

/* One text; compares what comes of it. */
static bool
runs(const char *text, uint64_t wait_ms, GpuAggCompilerResult want, const char *result_begins)
{
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *result;
	GpuAggCompilerResult got;
	bool		same;

	got = gpuagg_compiler_run(&process, text, strlen(text), wait_ms, &result, &bytes, &compile_ns);
	same = got == want && result != NULL &&
		strncmp(result, result_begins, strlen(result_begins)) == 0;
	if (!same)
		printf("#   got %d, \"%s\"\n", got, result != NULL ? result : "nothing");
	free(result);
	return same;
}

static void
test_hello(void)
{
	ok(!start("none", LONG_MS) && strcmp(why, "there is none") == 0 && process.pid == 0,
	   "who says that it does not work is believed");
	ok(!start("dies", LONG_MS) && strstr(why, "exit code 3") != NULL && process.pid == 0,
	   "who ends at once has not started");
	ok(!start("foreign", LONG_MS) && strstr(why, "another version") != NULL,
	   "another version's is refused");
	ok(!start("silent", SHORT_MS) && strstr(why, "did not answer within 300 ms") != NULL &&
	   process.pid == 0, "who says nothing is waited for no longer than allowed");
	process.argv = fake_argv("works");
	((char **) process.argv)[0] = (char *) "/nonexistent/gpuagg_compile";
	ok(!gpuagg_compiler_start(&process, LONG_MS, why, sizeof(why)) &&
	   strstr(why, "No such file") != NULL, "without the program nothing starts");
}

static void
test_requests(void)
{
	pid_t		pid;

	ok(start("works", LONG_MS) && strcmp(process.hello.name, "fake 1.0") == 0, "it starts");
	pid = process.pid;
	ok(runs("some text", LONG_MS, GPUAGG_COMPILER_DONE, "code:some text"), "compiles");
	ok(runs("refuse", LONG_MS, GPUAGG_COMPILER_REFUSED, FAKE_REFUSAL), "refuses");
	ok(runs("", LONG_MS, GPUAGG_COMPILER_DONE, "code:"), "compiles nothing");
	ok(process.pid == pid, "and is the same process still");
	ok(runs("crash", LONG_MS, GPUAGG_COMPILER_DIED, "the compiler's process ended: signal 11") &&
	   process.pid == 0 && gone(pid), "a crash is told, and leaves no zombie");

	ok(start("works", LONG_MS), "another starts");
	pid = process.pid;
	ok(runs("hang", SHORT_MS, GPUAGG_COMPILER_HUNG, "the compiler did not answer within 300 ms") &&
	   process.pid == 0 && gone(pid), "who hangs is ended");
	ok(start("works", LONG_MS) && runs("garbage", LONG_MS, GPUAGG_COMPILER_DIED, "") &&
	   process.pid == 0, "who talks nonsense is ended");
	ok(start("works", LONG_MS) && runs("x", LONG_MS, GPUAGG_COMPILER_DONE, "code:x"),
	   "and the next one answers its own request");
	pid = process.pid;
	gpuagg_compiler_stop(&process);
	ok(process.pid == 0 && gone(pid), "stopping it ends it");
}

/* Larger than a pipe */
static void
test_large(void)
{
	const size_t bytes = 3 << 20;
	char	   *text = (char *) malloc(bytes + 1);

	memset(text, 'x', bytes);
	text[bytes] = '\0';
	ok(start("works", LONG_MS) && runs(text, LONG_MS, GPUAGG_COMPILER_DONE, "code:xxxx"),
	   "a text larger than a pipe arrives");
	gpuagg_compiler_stop(&process);
	free(text);
}

static void
test_wake(void)
{
	const uint64_t one = 1;
	pid_t		pid;

	ok(start("works", LONG_MS), "it starts");
	pid = process.pid;
	(void) !write(process.wake_fd, &one, sizeof(one));
	ok(runs("hang", LONG_MS, GPUAGG_COMPILER_WOKEN, "stopped") && gone(pid),
	   "who waits for it can be woken, which ends it");
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "fake") == 0)
		return fake_compiler(argv[2]);
	signal(SIGPIPE, SIG_IGN);
	process.wake_fd = eventfd(0, EFD_NONBLOCK);
	test_hello();
	test_requests();
	test_large();
	test_wake();
	return done_testing();
}
