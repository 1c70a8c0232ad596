/*
 * compile_nvrtc_test.c
 *		The program that compiles kernels (cuda/compile/program/): how it ends, what it
 *		holds, and, where NVRTC is installed, that what kernels may include compiles
 *		for the cards in use.  Needs no GPU.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cuda/compile/compiler.h"
#include "compiler_program.h"
#include "tap.h"

#define LONG_MS 120000

/* The newest driver that any NVRTC may belong to */
#define DRIVER "99"

static GpuAggCompilerProcess process;
static char why[128];

static bool
start(const char *arch, const char *library)
{
	static char *argv[5];

	argv[0] = compiler_program();
	argv[1] = (char *) arch;
	argv[2] = (char *) DRIVER;
	argv[3] = (char *) library;
	process.argv = argv;
	return gpuagg_compiler_start(&process, LONG_MS, why, sizeof(why));
}

/* Compiles; what the compiler says of a text that it refuses is printed. */
static bool
compiles(const char *text, double *ms)
{
	uint64_t	compile_ns;
	size_t		bytes;
	char	   *result;
	bool		compiled;

	compiled = gpuagg_compiler_run(&process, text, strlen(text), LONG_MS, &result, &bytes,
								   &compile_ns) == GPUAGG_COMPILER_DONE &&
		bytes > 4 && memcmp(result, "\177ELF", 4) == 0;
	if (!compiled)
		printf("# %.*s\n", (int) strcspn(result, "\n"), result);
	free(result);
	*ms = (double) compile_ns / 1e6;
	return compiled;
}

/* ------------------------------------------------------------ the program --- */

static int
descriptors(pid_t pid)
{
	char		path[64];
	DIR		   *dir;
	int			n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int) pid);
	dir = opendir(path);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
		n += entry->d_name[0] != '.';
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* Its exit code, once it has ended by itself; -1: it has not */
static int
exit_code(void)
{
	int			status = 0;

	if (waitpid(process.pid, &status, 0) != process.pid || !WIFEXITED(status))
		return -1;
	process.pid = 0;
	close(process.from);
	return WEXITSTATUS(status);
}

static void
test_process(void)
{
	const uint64_t nonsense[2] = {1, 2};
	double		ms;

	ok(open("/dev/null", O_RDONLY) > 2 && start("90", NULL), "it starts");
	ok(compiles("extern \"C\" __global__ void k(int *x) { *x = 1; }", &ms), "and compiles");
	is_int(descriptors(process.pid), 4, "it has its pipes and two of /dev/null");
	ok(getpriority(PRIO_PROCESS, (id_t) process.pid) > 0, "it goes behind the server's processes");
	close(process.to);
	is_int(exit_code(), 0, "it ends with its input");
	ok(start("90", NULL) && write(process.to, nonsense, sizeof(nonsense)) == sizeof(nonsense),
	   "it is told nonsense");
	is_int(exit_code(), 0, "and ends");
	close(process.to);
	ok(start("90", NULL) && !compiles("no C++", &ms), "what is no C++ is refused");
	ok(!compiles("#include <vector>", &ms), "so is what includes a header that is not carried");
	ok(compiles("extern \"C\" __global__ void k(int *x) { *x = 1; }", &ms),
	   "then it compiles the next one");
	gpuagg_compiler_stop(&process);
}

/* ------------------------------------------------------------- the headers --- */

/* All operators, so that code is made of each */
static const char operators[] =
"#include \"cuda/compile/program/roots.h\"\n"
"#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n#include <string.h>\n"
"#include <math.h>\n#include <limits.h>\n#include <float.h>\n"
"static_assert(sizeof(int64_t) == 8 && INT64_MAX > 0 && INT64_MIN < 0 && UINT32_MAX > 0, \"\");\n"
"static_assert(INT_MAX == 2147483647 && DBL_MAX > 1e308 && FLT_MAX > 1e38f, \"\");\n"
"extern \"C\" __global__ void k(uint64_t *out)\n{\n"
"#define X(name, signature, function, ...) out[GPUAGG_OP_##name] = (uint64_t) (void *) function;\n"
"	GPUAGG_STRICT_LIST(X)\n}\n";

/* Gone, or dead and left to whoever adopts it */
static bool
dead(pid_t pid)
{
	char		path[64];
	char		line[64] = "";
	FILE	   *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
	file = fopen(path, "r");
	if (file == NULL)
		return true;
	(void) !fgets(line, sizeof(line), file);
	fclose(file);
	return strstr(line, ") Z ") != NULL;
}

/* Starts one as a worker does, gives it something to do, and tells its number. */
static void
worker_run(int tell)
{
	const GpuAggWireRequest request = {GPUAGG_WIRE_MAGIC, sizeof(operators) - 1};

	if (!start("90", NULL) || write(process.to, &request, sizeof(request)) < 0 ||
		write(process.to, operators, sizeof(operators) - 1) < 0 ||
		write(tell, &process.pid, sizeof(process.pid)) < 0)
		_exit(1);
	for (;;)
		pause();
}

static void
test_orphan(void)
{
	pid_t		pid = 0;
	pid_t		worker;
	int			pipes[2];
	bool		ended = false;

	if (pipe(pipes) != 0 || (worker = fork()) < 0)
		return;
	if (worker == 0)
		worker_run(pipes[1]);
	close(pipes[1]);
	ok(read(pipes[0], &pid, sizeof(pid)) == sizeof(pid), "a worker's compiler runs");
	close(pipes[0]);
	kill(worker, SIGKILL);
	waitpid(worker, NULL, 0);
	for (int i = 0; i < 2000 && !ended; i++)
	{
		ended = pid != 0 && dead(pid);
		usleep(ended ? 0 : 10000);
	}
	ok(ended, "the worker is killed while it compiles, and it ends");
}

static void
test_headers(const char *arch)
{
	char		text[512];
	double		ms;
	DIR		   *dir = opendir("cuda/frame");

	ok(start(arch, NULL), arch);
	ok(compiles(operators, &ms), "all operators compile");
	printf("# sm_%s: all operators, each called by address, in %.0f ms\n", arch, ms);
	ok(compiles("#include \"device/ops/ops.h\"\n"
				"extern \"C\" __global__ void k(uint64_t *out) { *out = sizeof(GpuAggBytes); }\n",
				&ms),
	   "a kernel that includes them and uses none compiles");
	printf("# sm_%s: %.0f ms\n", arch, ms);
	for (struct dirent *entry; dir != NULL && (entry = readdir(dir)) != NULL;)
	{
		if (strstr(entry->d_name, ".cuh") == NULL)
			continue;
		snprintf(text, sizeof(text), "#include \"cuda/frame/%s\"\n"
				 "extern \"C\" __global__ void k(int *x) { *x = 1; }\n", entry->d_name);
		ok(compiles(text, &ms), entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	gpuagg_compiler_stop(&process);
}

int
main(void)
{
	static const char *const archs[] = {"80", "90", "100", "120"};

	signal(SIGPIPE, SIG_IGN);
	process.wake_fd = eventfd(0, EFD_NONBLOCK);
	ok(!start("90", "/nonexistent/libnvrtc.so") && strstr(why, "libnvrtc") != NULL,
	   "without NVRTC it says so");
	if (!start("90", NULL))
	{
		printf("# skipped the rest: %s\n", why);
		return done_testing();
	}
	printf("# %s\n", process.hello.name);
	gpuagg_compiler_stop(&process);
	ok(!start("20", NULL) && strstr(why, "knows no sm_20") != NULL,
	   "a card that NVRTC does not know");
	test_process();
	test_orphan();
	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++)
		test_headers(archs[i]);
	return done_testing();
}
