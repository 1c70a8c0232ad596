/*
 * gpuagg_compile.c
 *		The compiler of kernels: a program that reads texts and writes machine code.
 *
 *	gpuagg_compile ARCH DRIVER [LIBRARY]
 *
 * The device worker starts it (compiler.c) and talks to it through its standard
 * input and output (wire.h).  It stays, for NVRTC takes a quarter of a second for
 * the first text of a process and a tenth of that for the next; that first one it
 * has done before the worker sends any.  It ends when its input does, or when the
 * worker does.
 *
 * Whatever becomes of it, a crash, a hang, too much memory, is its own end alone:
 * it keeps no descriptor and no memory of the server, and the worker starts another.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda/compile/program/carried.h"
#include "cuda/compile/program/nvrtc.h"
#include "cuda/compile/sha256.h"
#include "cuda/compile/whole.h"
#include "cuda/compile/wire.h"

/* Address space, of which NVRTC's code is a tenth of a GB */
#define MEMORY_BYTES ((rlim_t) 8 << 30)

/* Behind the server's processes */
#define NICENESS 5

#define MAX_CARRIED 256

/* What was standard output */
#define OUT_FD (STDERR_FILENO + 1)

/* Descriptors that are closed one by one where the kernel cannot close a range */
#define OLD_KERNEL_FDS 65536

/*
 * As nvcc is told (cuda/build.mk): no contraction, results are PostgreSQL's bits.
 * Functions without a qualifier are the card's.  Warnings are for us, not for logs.
 */
static const char *const options[] = {
	NULL,						/* --gpu-architecture */
	"--std=c++17", "--fmad=false", "--device-as-default-execution-space", "--device-int128",
	"--disable-warnings"
};

#define NOPTIONS ((int) (sizeof(options) / sizeof(options[0])))

typedef struct GpuAggCompiler
{
	GpuAggNvrtc nvrtc;
	char		arch_option[32];
	int			ncarried;
	const char *names[MAX_CARRIED];
	const char *texts[MAX_CARRIED];
} GpuAggCompiler;

/* ------------------------------------------------------------- process --- */

/* Lets go of the worker; nothing here may fail it. */
static void
process_detach(void)
{
	const struct rlimit memory = {MEMORY_BYTES, MEMORY_BYTES};
	const struct rlimit none = {0, 0};
	int			fd;

	(void) prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	/* what libraries print is no message of ours */
	(void) dup2(STDOUT_FILENO, OUT_FD);
	(void) dup2(STDERR_FILENO, STDOUT_FILENO);
	if (syscall(SYS_close_range, OUT_FD + 1, ~0U, 0) != 0)
		for (fd = OUT_FD + 1; fd < OLD_KERNEL_FDS; fd++)
			close(fd);
	(void) setrlimit(RLIMIT_AS, &memory);
	(void) setrlimit(RLIMIT_CORE, &none);
	(void) setpriority(PRIO_PROCESS, 0, NICENESS);
	if ((fd = open("/proc/self/oom_score_adj", O_WRONLY)) >= 0)
	{
		(void) !write(fd, "1000", 4);
		close(fd);
	}
	(void) !chdir("/");
}

/* ------------------------------------------------------------ compiling --- */

static uint64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C(1000000000) + (uint64_t) t.tv_nsec;
}

/* Machine code, or what there is to say; NULL: no memory */
static char *
compile(const GpuAggCompiler *c, const char *text, bool *compiled, size_t *bytes)
{
	const GpuAggNvrtc *nvrtc = &c->nvrtc;
	GpuAggNvrtcHandle program = NULL;
	const char *with[NOPTIONS];
	char	   *result;
	int			rc;

	memcpy(with, options, sizeof(with));
	with[0] = c->arch_option;
	rc = nvrtc->create(&program, text, "kernel.cu", c->ncarried, c->texts, c->names);
	if (rc == 0)
		rc = nvrtc->compile(program, NOPTIONS, with);
	*compiled = rc == 0 && nvrtc->code_bytes(program, bytes) == 0 && *bytes > 0;
	if (!*compiled && (program == NULL || nvrtc->log_bytes(program, bytes) != 0 || *bytes <= 1))
	{
		*bytes = strlen(nvrtc->error(rc)) + 1;
		result = strdup(nvrtc->error(rc));
	}
	else if ((result = (char *) malloc(*bytes)) != NULL)
		(void) (*compiled ? nvrtc->code : nvrtc->log) (program, result);
	if (program != NULL)
		(void) nvrtc->destroy(&program);
	return result;
}

/* One request; false: no more will come. */
static bool
serve(const GpuAggCompiler *c)
{
	GpuAggWireRequest request;
	GpuAggWireReply reply = {.magic = GPUAGG_WIRE_MAGIC};
	uint64_t	began;
	bool		compiled;
	size_t		bytes;
	char	   *text;
	char	   *result;
	bool		sent;

	if (!gpuagg_read_whole(STDIN_FILENO, &request, sizeof(request)) ||
		request.magic != GPUAGG_WIRE_MAGIC || request.bytes > GPUAGG_WIRE_MAX ||
		(text = (char *) malloc(request.bytes + 1)) == NULL)
		return false;
	text[request.bytes] = '\0';
	if (!gpuagg_read_whole(STDIN_FILENO, text, request.bytes))
		return false;
	began = now_ns();
	result = compile(c, text, &compiled, &bytes);
	free(text);
	if (result == NULL)
		return false;
	reply.compiled = compiled;
	reply.bytes = bytes;
	reply.compile_ns = now_ns() - began;
	sent = gpuagg_write_whole(OUT_FD, &reply, sizeof(reply)) &&
		gpuagg_write_whole(OUT_FD, result, bytes);
	free(result);
	return sent;
}

/* ---------------------------------------------------------------- start --- */

/* All but the text that decides on the machine code */
static void
digest_make(const GpuAggCompiler *c, uint8_t digest[GPUAGG_DIGEST_BYTES])
{
	const int32_t version[2] = {c->nvrtc.major, c->nvrtc.minor};
	GpuAggSha256 sha;

	gpuagg_sha256_begin(&sha);
	gpuagg_sha256_add(&sha, version, sizeof(version));
	gpuagg_sha256_add(&sha, c->arch_option, sizeof(c->arch_option));
	for (int i = 1; i < NOPTIONS; i++)
		gpuagg_sha256_add(&sha, options[i], strlen(options[i]) + 1);
	for (int i = 0; i < c->ncarried; i++)
	{
		gpuagg_sha256_add(&sha, c->names[i], strlen(c->names[i]) + 1);
		gpuagg_sha256_add(&sha, c->texts[i], strlen(c->texts[i]) + 1);
	}
	gpuagg_sha256_end(&sha, digest);
}

static bool
start(GpuAggCompiler *c, int argc, char **argv, GpuAggWireHello *hello)
{
	int			arch = argc > 2 ? atoi(argv[1]) : 0;
	int			driver = argc > 2 ? atoi(argv[2]) : 0;

	if (!gpuagg_nvrtc_open(&c->nvrtc, argc > 3 ? argv[3] : NULL, driver, arch,
						   hello->name, sizeof(hello->name)))
		return false;
	snprintf(c->arch_option, sizeof(c->arch_option), "--gpu-architecture=sm_%d", c->nvrtc.arch);
	for (const GpuAggCarried *from = gpuagg_carried; from->name != NULL; from++)
	{
		if (c->ncarried == MAX_CARRIED)
			abort();
		c->names[c->ncarried] = from->name;
		c->texts[c->ncarried++] = from->text;
	}
	digest_make(c, hello->digest);
	hello->works = 1;
	hello->arch = (uint32_t) c->nvrtc.arch;
	snprintf(hello->name, sizeof(hello->name), "NVRTC %d.%d, sm_%d", c->nvrtc.major,
			 c->nvrtc.minor, c->nvrtc.arch);
	return true;
}

/* What is slow only once */
static void
warm_up(const GpuAggCompiler *c)
{
	bool		compiled;
	size_t		bytes;

	free(compile(c, "#include \"device/ops/ops.h\"\n"
				 "extern \"C\" __global__ void warm(int *x) { *x = 1; }\n", &compiled, &bytes));
}

int
main(int argc, char **argv)
{
	static GpuAggCompiler c;
	GpuAggWireHello hello = {.magic = GPUAGG_WIRE_MAGIC};
	bool		works;

	process_detach();
	works = start(&c, argc, argv, &hello);
	if (!gpuagg_write_whole(OUT_FD, &hello, sizeof(hello)) || !works)
		return 1;
	warm_up(&c);
	while (serve(&c))
		;
	return 0;
}
