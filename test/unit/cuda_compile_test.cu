/*
 * cuda_compile_test.cu
 *		Kernels compiled for queries, on a GPU: a text that calls our operators is
 *		compiled, loaded and launched, found on disk by the next device, and compiled
 *		anew where the file is damaged.  cuda/compile/ without a GPU:
 *		compile_*_test.c.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda/compile/compile.h"
#include "cuda/core/cuda_device.h"
#include "device/ops/ops_int.h"
#include "compiler_program.h"
#include "tap.h"

extern "C" const GpuAggDeviceOps *gpuagg_device_provider(void);

#define N 4096
#define POLLS 1200				/* of 50 ms */

/* More than a block may have without having asked */
#define SHARED_BYTES (96 << 10)

static const char text[] =
"#include \"device/ops/eval.h\"\n"
"extern \"C\" __global__ void add(const int64_t *a, const int64_t *b, int64_t *sum, uint8_t *st)\n"
"{\n"
"	extern __shared__ int64_t through[];\n"
"	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
"	uint8_t raised = 0;\n"
"	through[threadIdx.x] = gpuagg_int8_add(a[i], b[i], &raised);\n"
"	__syncthreads();\n"
"	sum[i] = through[threadIdx.x];\n"
"	st[i] = raised;\n"
"}\n";

static const GpuAggDeviceOps *ops;
static GpuAggDevice *device;
static char folder[64];
static char *pages;

/* ------------------------------------------------------------ the device --- */

static bool
device_begin(int ordinal)
{
	GpuAggDeviceConfig config = {};
	GpuAggError error = {};

	config.ordinal = ordinal;
	config.memory_limit = (uint64_t) 1 << 30;
	config.pages = pages;
	config.pages_bytes = 1 << 20;
	config.kernels.compiler = compiler_program();
	config.kernels.folder = folder;
	config.kernels.disk_bytes = 16 << 20;
	config.kernels.wait_ms = 60000;
	if (ops->open(&config, &device, &error) == GPUAGG_OK)
		return true;
	printf("# %s\n", error.message);
	return false;
}

static void
event_wait(void)
{
	struct pollfd fd = {ops->event_fd(device), POLLIN, 0};
	uint64_t	count;

	(void) poll(&fd, 1, 50);
	(void) !read(fd.fd, &count, sizeof(count));
}

/* What compiles, once it is known */
static bool
compiles(char name[GPUAGG_COMPILER_BYTES])
{
	GpuAggDeviceInfo info = {};

	for (int i = 0; i < POLLS && info.compiler[0] == '\0'; i++)
	{
		event_wait();
		ops->info(device, &info);
	}
	memcpy(name, info.compiler, GPUAGG_COMPILER_BYTES);
	return info.compiles && info.compiler[0] != '\0';
}

static GpuAggKernelState
ask(const char *what, GpuAggKernelRequest *request)
{
	const GpuAggKernelSource source = {what, strlen(what), "add", "two columns, added"};
	GpuAggKernelState state = GPUAGG_KERNEL_WAIT;

	request->wish.mode = GPUAGG_COMPILE_ALWAYS;
	for (int i = 0; i < POLLS && state == GPUAGG_KERNEL_WAIT; i++)
	{
		state = gpuagg_compile_request(device, &source, request);
		if (state == GPUAGG_KERNEL_WAIT)
			event_wait();
	}
	return state;
}

static GpuAggCompiledInfo
info_get(GpuAggKernelTotals *totals)
{
	GpuAggCompiledInfo infos[4] = {};

	(void) ops->kernels(device, infos, 4, totals);
	return infos[0];
}

/* -------------------------------------------------------------- launching --- */

/* Some overflow, some not */
static int64_t
argument(uint32_t i, bool second)
{
	int64_t		value = (int64_t) (UINT64_C(0x9e3779b97f4a7c15) * (2 * i + second + 1));

	return i % 3 == 0 ? value : value >> 20;
}

static bool
same_as_host(const int64_t *sum, const uint8_t *st)
{
	uint32_t	raised = 0;

	for (uint32_t i = 0; i < N; i++)
	{
		uint8_t		want_st = 0;
		int64_t		want = gpuagg_int8_add(argument(i, false), argument(i, true), &want_st);

		if (sum[i] != want || st[i] != want_st)
			return false;
		raised += want_st != 0;
	}
	return raised > 0 && raised < N;
}

static bool
launches(const GpuAggCompiledKernel *kernel, size_t shared)
{
	int64_t    *a,
			   *b,
			   *sum;
	uint8_t    *st;
	void	   *args[] = {&a, &b, &sum, &st};
	GpuAggError error = {};
	bool		good;

	if (cudaMallocManaged(&a, N * sizeof(*a)) != cudaSuccess ||
		cudaMallocManaged(&b, N * sizeof(*b)) != cudaSuccess ||
		cudaMallocManaged(&sum, N * sizeof(*sum)) != cudaSuccess ||
		cudaMallocManaged(&st, N) != cudaSuccess)
		return false;
	for (uint32_t i = 0; i < N; i++)
	{
		a[i] = argument(i, false);
		b[i] = argument(i, true);
	}
	good = gpuagg_compile_launch(device, kernel, dim3(N / 256), dim3(256), shared, args, 0,
								 &error) &&
		cudaDeviceSynchronize() == cudaSuccess && same_as_host(sum, st);
	if (error.status != GPUAGG_OK)
		printf("# %s\n", error.message);
	cudaFree(a);
	cudaFree(b);
	cudaFree(sum);
	cudaFree(st);
	return good;
}

/* ------------------------------------------------------------------ cases --- */

static void
test_first(void)
{
	GpuAggKernelRequest request = {};
	GpuAggKernelTotals totals;
	GpuAggCompiledInfo info;

	ok(ask(text, &request) == GPUAGG_KERNEL_READY, "a text that calls our operators is compiled");
	info = info_get(&totals);
	printf("# compiled in %.1f ms, loaded in %.2f ms, %u registers, %u blocks\n",
		   (double) info.compile_ns / 1e6, (double) info.load_ns / 1e6, info.registers,
		   info.blocks);
	ok(totals.compiled == 1 && info.stage == GPUAGG_KERNEL_STAGE_LOADED && !info.from_disk &&
	   info.registers > 0 && info.blocks > 0 && info.block_threads >= 256 && info.bytes > 0 &&
	   info.uses == 1, "what is told of it");
	if (request.kernel != NULL)
	{
		ok(launches(request.kernel, 256 * sizeof(int64_t)), "it computes what the host does");
		ok(gpuagg_compile_blocks(request.kernel, 256, 0) == info.blocks &&
		   gpuagg_compile_blocks(request.kernel, 256, 48 << 10) < info.blocks,
		   "its occupancy is known");
		ok(device->compiler != NULL && (device->launches.block_bytes < SHARED_BYTES ||
										launches(request.kernel, SHARED_BYTES)),
		   "it may have all the shared memory of a block");
	}
	gpuagg_compile_release(device, &request);
	ok(request.kernel == NULL, "it is released");
}

static void
test_failing(void)
{
	GpuAggKernelRequest bad = {};
	GpuAggKernelRequest other = {};
	GpuAggKernelTotals totals;

	ok(ask("this is no text of a kernel", &bad) == GPUAGG_KERNEL_FAILED &&
	   strstr(info_get(&totals).message, "error") != NULL, "no C++: it has failed, and says why");
	ok(ask("extern \"C\" __global__ void another_name() {}", &other) == GPUAGG_KERNEL_FAILED,
	   "a kernel of another name cannot be loaded");
	ok(!device->lost, "the device is none the worse");
}

static void
test_again(const char *what, bool from_disk)
{
	GpuAggKernelRequest request = {};
	GpuAggKernelTotals totals;

	ok(ask(text, &request) == GPUAGG_KERNEL_READY &&
	   info_get(&totals).from_disk == (uint32_t) from_disk, what);
	printf("# %s: loaded in %.2f ms\n", from_disk ? "from disk" : "compiled",
		   (double) info_get(&totals).load_ns / 1e6);
	ok(request.kernel != NULL && launches(request.kernel, 256 * sizeof(int64_t)),
	   "and it computes");
	gpuagg_compile_release(device, &request);
}

static void
files_damage(void)
{
	DIR		   *dir = opendir(folder);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.')
		{
			int			fd = openat(dirfd(dir), entry->d_name, O_RDWR);

			(void) !pwrite(fd, "damage", 6, 1000);
			close(fd);
		}
	if (dir != NULL)
		closedir(dir);
}

static void
test_all(int ordinal)
{
	char		name[GPUAGG_COMPILER_BYTES];

	ok(device_begin(ordinal), "the device opens");
	if (!compiles(name))
	{
		printf("# no kernels are compiled here: %s\n", name);
		ok(strstr(name, "NVRTC") != NULL || strstr(name, "nvrtc") != NULL, "and it says why");
		ops->close(device);
		return;
	}
	printf("# %s\n", name);
	test_first();
	test_failing();
	ops->close(device);
	ok(device_begin(ordinal), "the device opens again");
	test_again("the kernel is on disk", true);
	ops->close(device);
	files_damage();
	ok(device_begin(ordinal), "and again, with a damaged file");
	test_again("it is compiled anew", false);
	ops->close(device);
	ok(device_begin(ordinal), "and again");
	test_again("the file was replaced", true);
	ops->close(device);
}

int
main(void)
{
	GpuAggDeviceInfo cards[16];
	GpuAggError error = {};
	char		command[100];
	int			n;

	ops = gpuagg_device_provider();
	n = ops->list(cards, 16, &error);
	if (n <= 0)
	{
		printf("1..0 # SKIP no GPU %s\n", error.message);
		return 0;
	}
	printf("# %s\n", cards[0].name);
	snprintf(folder, sizeof(folder), "/tmp/gpuagg_compile_test.XXXXXX");
	if (mkdtemp(folder) == NULL || posix_memalign((void **) &pages, 1 << 16, 1 << 20) != 0)
		return 1;
	memset(pages, 0, 1 << 20);
	test_all(cards[0].ordinal);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	(void) !system(command);
	return done_testing();
}
