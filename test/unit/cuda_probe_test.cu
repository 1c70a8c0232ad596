/*
 * cuda_probe_test.cu
 *		Measuring a GPU's memory hierarchy, by the operations that the drivers
 *		use: what any card must show, within loose bounds, and that memory,
 *		limits and cancelling are as promised.
 *
 * Upper bounds of rates are physical ones (lanes times clock); a loop that the
 * compiler threw away would be beyond them.
 *
 * With GPUAGG_PROBE_PRINT=1 it also prints tables, for people: chases, random
 * accesses, slowdowns of multiprocessor 0 by each other, ceilings, kernels.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda_probe_help.h"

/* ---------- the kernels' own answers ---------- */

/* Every element once, and back; each within its stride */
static bool
chain_is_whole(uint64_t stride, uint64_t count, bool shuffle)
{
	GpuAggChain chain = {NULL, stride, count, 0};
	uint64_t	bytes = stride * count;
	char	   *copy = (char *) malloc(bytes);
	bool	   *seen = (bool *) calloc(count, sizeof(bool));
	uint64_t	at;
	uint64_t	visited = 0;
	bool		good;

	for (chain.bits = shuffle ? 1 : 0; shuffle && (count - 1) >> chain.bits > 0; chain.bits++)
		;
	good = cudaMalloc((void **) &chain.start, bytes) == cudaSuccess &&
		cudaMemset(chain.start, 0, bytes) == cudaSuccess;
	if (good)
	{
		/* in two pieces, as long chains are written */
		gpuagg_cuda_probe_chain(&chain, 0, count / 2, NULL);
		gpuagg_cuda_probe_chain(&chain, count / 2, count - count / 2, NULL);
		good = cudaMemcpy(copy, chain.start, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
	}
	at = (uint64_t) (gpuagg_cuda_probe_chain_start(&chain) - chain.start);
	while (good && at + 8 <= bytes && !seen[at / stride])
	{
		seen[at / stride] = true;
		visited++;
		at = *(uint64_t *) (copy + at) - (uint64_t) chain.start;
	}
	good = good && visited == count &&
		at == (uint64_t) (gpuagg_cuda_probe_chain_start(&chain) - chain.start);
	(void) cudaFree(chain.start);
	free(copy);
	free(seen);
	return good;
}

static void
test_chains(void)
{
	ok(chain_is_whole(8, 1000, false), "a chain in order visits all elements");
	ok(chain_is_whole(8, 1000, true), "a shuffled one, too");
	ok(chain_is_whole(256, 4096, true), "2^12 elements");
	ok(chain_is_whole(4096, 513, true), "2^9 + 1");
	ok(chain_is_whole(128, 2, true) && chain_is_whole(512, 3, true), "two and three");
}

/* Rows are ordered by the key's lowest byte, and all are there. */
static bool
partition_is_right(const GpuAggPartition *p, uint32_t n)
{
	uint32_t   *keys = (uint32_t *) malloc(n * sizeof(uint32_t));
	uint32_t   *out_keys = (uint32_t *) malloc(n * sizeof(uint32_t));
	uint32_t   *rows = (uint32_t *) malloc(n * sizeof(uint32_t));
	bool	   *seen = (bool *) calloc(n, sizeof(bool));
	bool		good;

	for (uint32_t i = 0; i < n; i++)
	{
		keys[i] = i * 2654435761u >> 7;
		rows[i] = i;
	}
	good = cudaMemcpy((void *) p->keys, keys, n * 4, cudaMemcpyHostToDevice) == cudaSuccess &&
		cudaMemcpy((void *) p->values, rows, n * 4, cudaMemcpyHostToDevice) == cudaSuccess &&
		gpuagg_cuda_probe_partition(p, NULL) == cudaSuccess &&
		cudaMemcpy(out_keys, p->out_keys, n * 4, cudaMemcpyDeviceToHost) == cudaSuccess &&
		cudaMemcpy(rows, p->out_values, n * 4, cudaMemcpyDeviceToHost) == cudaSuccess;
	for (uint32_t i = 0; good && i < n; i++)
	{
		good = rows[i] < n && !seen[rows[i]] && keys[rows[i]] == out_keys[i] &&
			(i == 0 || out_keys[i - 1] % GPUAGG_PARTITIONS <= out_keys[i] % GPUAGG_PARTITIONS);
		if (good)
			seen[rows[i]] = true;
	}
	free(keys);
	free(out_keys);
	free(rows);
	free(seen);
	return good;
}

static void
test_partition(void)
{
	const uint64_t bytes = 4 * MiB;
	GpuAggPartition p;
	char	   *memory = NULL;

	if (!ok(cudaMalloc((void **) &memory, bytes) == cudaSuccess, "memory"))
		return;
	ok(!gpuagg_cuda_probe_partition_layout(memory, 1000, 100, &p), "no partitioning in 1000 bytes");
	if (ok(gpuagg_cuda_probe_partition_layout(memory, bytes, 20, &p) && p.tiles == 20,
		   "20 tiles in 4 MB"))
		ok(partition_is_right(&p, 20 * GPUAGG_PARTITION_TILE), "rows are partitioned");
	ok(gpuagg_cuda_probe_partition_layout(memory, bytes, 1000, &p) && p.tiles < 40,
	   "no more tiles than there is room for");
	(void) cudaFree(memory);
}

/* ---------- begin and end ---------- */

static void
test_memory(void)
{
	const uint64_t limit = slow_tool ? 32 * MiB : 512 * MiB;
	GpuAggError error = {};
	uint64_t	before;
	uint64_t	during;
	uint64_t	after;

	if (!is_status(begin(1, limit, &error), GPUAGG_OK, &error, "begin"))
		return;
	OPS->end(probe);

	/* once more, for the first time may have made CUDA take something for good */
	before = free_memory();
	if (!is_status(begin(1, limit, &error), GPUAGG_OK, &error, "begin again"))
		return;
	during = free_memory();
	ok(machine.bytes > 0 && machine.bytes <= limit, "the limit of memory is held");
	ok(before - during <= limit + 8 * MiB, "by what is taken, too");
	OPS->end(probe);
	after = free_memory();
	if (!ok(after + 8 * MiB >= before, "end gives all back"))
		printf("#   %llu bytes are missing\n", (unsigned long long) (before - after));

	is_status(begin(1, MiB, &error), GPUAGG_OUT_OF_MEMORY, &error, "1 MB is not enough");
	ok(probe == NULL && error.message[0] != '\0', "no session, and a message");
	is_status(begin(0, 0, &error), GPUAGG_OUT_OF_MEMORY, &error, "nor is a share of nothing");
	cancel = 1;
	is_status(begin(1, limit, &error), GPUAGG_CANCELLED, &error, "begin when cancelled");
	cancel = 0;
	ok(free_memory() + 8 * MiB >= before, "failed begins leave nothing");
}

/* More than there is: nearly all of it is found. */
static void
test_search(void)
{
	const uint64_t before = free_memory();
	GpuAggError error = {};
	GpuAggProbe p = {};

	p.cancel = &cancel;
	if (ok(gpuagg_cuda_probe_take(&p, 2 * before / (2 * MiB) * 2 * MiB, &error) &&
		   error.status == GPUAGG_OK, "the search for memory finds some"))
		ok(p.bytes > before / 10 * 9, "nearly all") ||
			printf("#   %llu of %llu bytes\n", (unsigned long long) p.bytes,
				   (unsigned long long) before);
	else
		printf("#   %s\n", error.message);
	(void) cudaFree(p.memory);
	ok(free_memory() + 8 * MiB >= before, "and leaves nothing");
}

static void *
cancel_soon(void *arg)
{
	(void) arg;
	usleep(200000);
	cancel = 1;
	return NULL;
}

static void
test_cancel(void)
{
	GpuAggChase chase = chase_of(256, machine.bytes / 256 < 65536 ? machine.bytes / 256 : 65536, 0);
	GpuAggChaseTime took;
	GpuAggError error = {};
	pthread_t	thread;
	double		start = now();
	double		rate;

	chase.rounds = 1000000;		/* hours */
	if (!ok(pthread_create(&thread, NULL, cancel_soon, NULL) == 0, "a thread"))
		return;
	is_status(OPS->chase(probe, &chase, &took, &error), GPUAGG_CANCELLED, &error,
			  "a long chase is cancelled");
	pthread_join(thread, NULL);
	ok(slow_tool || now() - start < 1, "within a second");
	is_status(OPS->random(probe, GPUAGG_RANDOM_READ8, MiB, &rate, &error), GPUAGG_CANCELLED,
			  &error, "random when cancelled");
	is_status(OPS->pair(probe, 0, 0, 0, 0, MiB, &rate, &error), GPUAGG_CANCELLED,
			  &error, "pair when cancelled");
	for (int i = 0; i < GPUAGG_NCEILINGS; i++)
		if (OPS->ceiling(probe, (GpuAggCeiling) i, &rate, &error) != GPUAGG_CANCELLED)
			ok(false, ceiling_names[i]);
	cancel = 0;
	is_status(OPS->random(probe, GPUAGG_RANDOM_READ8, MiB, &rate, &error), GPUAGG_OK,
			  &error, "and not when no longer");
}

/* ---------- what a card tells of itself ---------- */

static void
test_machine(void)
{
	GpuAggKernelInfo kernel;
	GpuAggKernelNeed need = {};
	uint32_t	n = 0;
	bool		sound = true;
	bool		modelled = true;

	ok(machine.units > 0 && machine.units <= GPUAGG_MAX_UNITS, "multiprocessors");
	is_int(machine.warp, 32, "threads of a warp");
	ok(machine.bytes < machine.total_bytes && machine.cache_bytes > 0, "memory and cache");
	ok(machine.clock_ghz > 0.1 && machine.clock_ghz < 5, "clock");
	OPS->unit_limits(probe, &unit_limits);
	ok(unit_limits.warps * unit_limits.warp_threads == unit_limits.threads &&
	   unit_limits.blocks >= 16 && unit_limits.registers >= 65536 &&
	   unit_limits.shared_bytes >= 65536 && unit_limits.block_threads == 1024,
	   "limits of a multiprocessor");
	for (; OPS->kernel(probe, n, &kernel); n++)
	{
		const uint32_t threads = kernel.blocks_per_unit * kernel.threads;

		sound = sound && kernel.name[0] != '\0' && kernel.registers > 0 &&
			kernel.blocks_per_unit > 0 && kernel.blocks_per_unit <= unit_limits.blocks &&
			threads <= unit_limits.threads &&
			(uint64_t) threads * kernel.registers <= unit_limits.registers &&
			kernel.blocks_per_unit * (kernel.shared_bytes + kernel.dynamic_bytes) <=
			unit_limits.shared_bytes;
		need.registers = kernel.registers;
		need.shared_bytes = kernel.shared_bytes + kernel.dynamic_bytes;
		if (gpuagg_occupancy(&unit_limits, &need, kernel.threads).blocks !=
			kernel.blocks_per_unit)
		{
			printf("#   %s: model %u, runtime %u\n", kernel.name,
				   gpuagg_occupancy(&unit_limits, &need, kernel.threads).blocks,
				   kernel.blocks_per_unit);
			modelled = false;
		}
		if (!sound)
			printf("#   %s\n", kernel.name);
	}
	is_int(n, 14, "kernels");
	ok(sound, "kernels fit the limits");
	ok(modelled, "as many blocks of each as the runtime says by the occupancy model, too");
}

/* ---------- measurements ---------- */

static double
chase_cycles(const GpuAggChase *chase, const char *name)
{
	GpuAggChaseTime took;
	GpuAggError error = {};

	is_status(OPS->chase(probe, chase, &took, &error), GPUAGG_OK, &error, name);
	is_rate(took.cycles, "cycles of", name);
	is_rate(took.ns, "ns of", name);
	is_at_most(took.cycles, 1.5 * machine.clock_ghz, took.ns, "cycles and ns agree");
	is_at_most(took.ns * machine.clock_ghz, 1.5, took.cycles, "both ways");
	return took.cycles;
}

static void
test_chase(void)
{
	const uint64_t far_count = 2 * machine.cache_bytes / 128;
	GpuAggChase near = chase_of(256, 4096, 0);
	GpuAggChase own = chase_of(128, 64, machine.units - 1);
	double		cycles = chase_cycles(&near, "a chase in the cache");

	if (256 * far_count <= machine.bytes)
	{
		GpuAggChase far = chase_of(256, far_count, 0);

		far.rounds = 1;
		is_at_most(cycles * 1.2, 1, chase_cycles(&far, "a chase in memory"),
				   "the cache is faster than memory");
	}
	own.rounds = 100;
	cycles = chase_cycles(&own, "a chase past the multiprocessor's own cache");
	own.own_cache = 1;
	is_at_most(chase_cycles(&own, "a chase through it") * 1.5, 1, cycles,
			   "a multiprocessor's own cache is faster");
	own.shuffle = 0;
	own.start = MiB;
	chase_cycles(&own, "a chase in order, elsewhere");
	own.align = 2 * MiB;
	chase_cycles(&own, "an aligned one");
}

static void
chase_is_refused(GpuAggChase chase, const char *name)
{
	GpuAggChaseTime took;
	GpuAggError error = {};

	is_status(OPS->chase(probe, &chase, &took, &error), GPUAGG_UNSUPPORTED, &error, name);
}

static void
test_refusals(void)
{
	GpuAggChase beyond = chase_of(4096, machine.bytes / 4096, 0);
	GpuAggError error = {};
	double		rate;

	chase_is_refused(chase_of(24, 100, 0), "a stride of 24 bytes");
	chase_is_refused(chase_of(4, 100, 0), "a stride of 4 bytes");
	chase_is_refused(chase_of(256, 1, 0), "a chain of one");
	chase_is_refused(chase_of(256, 16, machine.units), "a unit too many");
	chase_is_refused(chase_of(4096, UINT64_MAX / 2048, 0), "a chain that wraps around");
	beyond.start = 4096;
	chase_is_refused(beyond, "a chain beyond the end");
	beyond.start = 0;
	beyond.align = machine.bytes + MiB;
	chase_is_refused(beyond, "a chain aligned to no power of two");
	beyond.align = (uint64_t) 1 << 62;
	chase_is_refused(beyond, "a chain aligned to what is beyond the end");
	is_status(OPS->random(probe, GPUAGG_RANDOM_READ8, machine.bytes + 8, &rate, &error),
			  GPUAGG_UNSUPPORTED, &error, "a region beyond the end");
	is_status(OPS->pair(probe, 0, machine.units, 0, 0, MiB, &rate, &error),
			  GPUAGG_UNSUPPORTED, &error, "a pair with a unit too many");
	is_status(OPS->pair(probe, 0, 1, 0, machine.bytes - 4096, MiB, &rate, &error),
			  GPUAGG_UNSUPPORTED, &error, "a pair beyond the end");
	is_status(OPS->ceiling(probe, GPUAGG_NCEILINGS, &rate, &error), GPUAGG_UNSUPPORTED,
			  &error, "a ceiling too many");
	ok(OPS->pattern == NULL && OPS->threads == NULL, "the host's own are not here");
}

/* A multiprocessor where no block comes to run */
static void
test_absent_unit(void)
{
	const uint16_t smid = probe->smid[0];
	const GpuAggChase chase = chase_of(256, 16, 0);
	GpuAggChaseTime took;
	GpuAggError error = {};
	double		rate;

	probe->smid[0] = GPUAGG_MAX_SMIDS - 1;
	is_status(OPS->chase(probe, &chase, &took, &error), GPUAGG_BUSY, &error,
			  "a chase that finds no place");
	is_status(OPS->pair(probe, 0, 0, 0, 0, MiB, &rate, &error), GPUAGG_BUSY, &error,
			  "a pair that finds none");
	if (machine.units > 1)
		is_status(OPS->pair(probe, 1, 0, 0, 0, MiB, &rate, &error), GPUAGG_BUSY, &error,
				  "a pair of which one finds none");
	is_status(OPS->ceiling(probe, GPUAGG_CEILING_THREAD_READ, &rate, &error), GPUAGG_BUSY,
			  &error, "a lone reader that finds none");
	probe->smid[0] = smid;
}

static double
random_rate(GpuAggRandomKind kind, uint64_t bytes)
{
	GpuAggError error = {};
	double		rate = 0;

	if (OPS->random(probe, kind, bytes, &rate, &error) != GPUAGG_OK)
		printf("# %s\n", error.message);
	return rate;
}

/* Lanes times clock: nothing is faster than one event of each thread a cycle. */
static double
lanes(void)
{
	return machine.units * 128.0 * machine.clock_ghz * 1e9;
}

static void
test_random(void)
{
	for (int kind = 0; kind < GPUAGG_NRANDOMS; kind++)
	{
		const double near = random_rate((GpuAggRandomKind) kind, MiB);
		const double far = random_rate((GpuAggRandomKind) kind, machine.bytes);

		is_rate(near, random_names[kind], "in 1 MB");
		is_rate(far, random_names[kind], "in all memory");
		is_at_most(far, 1.25, near, "a small region is not slower");
		is_at_most(near, 0.25, lanes(), "random accesses are made");
	}
}

static double
pair_rate(uint32_t unit, uint32_t other, uint64_t window)
{
	GpuAggError error = {};
	double		rate = 0;

	if (OPS->pair(probe, unit, other, 0, (machine.bytes - window) / 4096 * 4096, window,
				  &rate, &error) != GPUAGG_OK)
		printf("# %s\n", error.message);
	return rate;
}

static void
test_pair(void)
{
	const uint64_t window = machine.bytes / 4;
	const double alone = pair_rate(0, 0, window);
	const double again = pair_rate(0, 0, window);
	const double together = machine.units > 1 ? pair_rate(0, 1, window) : alone;
	const double last = pair_rate(machine.units - 1, 0, window);

	is_rate(alone, "reads of", "a multiprocessor alone");
	is_rate(together, "reads of", "one beside another");
	is_rate(last, "reads of", "the last one beside the first");
	is_at_most(alone, 1.3, again, "alone twice is the same");
	is_at_most(again, 1.3, alone, "both ways");
	is_at_most(together, 1.3, alone, "company does not help");
	is_at_most(alone, 0.5 / machine.units, lanes(), "reads are made");
}

static void
test_ceilings(void)
{
	double		c[GPUAGG_NCEILINGS];

	for (int i = 0; i < GPUAGG_NCEILINGS; i++)
	{
		GpuAggError error = {};

		GpuAggStatus status;

		c[i] = 0;
		status = OPS->ceiling(probe, (GpuAggCeiling) i, &c[i], &error);
		if (i == GPUAGG_CEILING_TOUCH_HUGE || i == GPUAGG_CEILING_HOST_READ ||
			i == GPUAGG_CEILING_GROUP || i == GPUAGG_CEILING_COMPILED ||
			(status == GPUAGG_UNSUPPORTED && i >= GPUAGG_CEILING_TOUCH_MANAGED_HOST))
		{
			is_status(status, GPUAGG_UNSUPPORTED, &error, ceiling_names[i]);
			continue;
		}
		is_status(status, GPUAGG_OK, &error, ceiling_names[i]);
		is_rate(c[i], "ceiling", ceiling_names[i]);
	}
	is_at_most(c[GPUAGG_CEILING_MEMORY_READ], 2, c[GPUAGG_CEILING_MEMORY_COPY],
			   "reading is not far from copying");
	is_at_most(c[GPUAGG_CEILING_MEMORY_COPY], 2, c[GPUAGG_CEILING_MEMORY_READ],
			   "nor copying from reading");
	is_at_most(c[GPUAGG_CEILING_MEMORY_READ], 1.2, c[GPUAGG_CEILING_CACHE_READ],
			   "the cache is not slower");
	is_at_most(c[GPUAGG_CEILING_CACHE_READ], 1.2, lanes(), "reads of the cache are made");
	is_at_most(c[GPUAGG_CEILING_THREAD_READ], 1, c[GPUAGG_CEILING_MEMORY_READ],
			   "one multiprocessor is not faster than all");
	is_at_most(c[GPUAGG_CEILING_THREAD_READ], 1.2 / machine.units, lanes(), "and does read");
	is_at_most(c[GPUAGG_CEILING_INT_OPS], 1.2, lanes(), "integers are computed");
	is_at_most(c[GPUAGG_CEILING_LOCAL_ATOMICS_1], 0.3, lanes(), "atomics are done to one address");
	is_at_most(c[GPUAGG_CEILING_LOCAL_ATOMICS_1024], 0.3, lanes(), "and to many");
	is_at_most(20 * c[GPUAGG_CEILING_PARTITION], 1.2, c[GPUAGG_CEILING_CACHE_READ],
			   "a row's 20 bytes are moved");
	is_at_most(c[GPUAGG_CEILING_ZERO_COPY_IN], 1.2, c[GPUAGG_CEILING_COPY_IN],
			   "zero copy in is not faster");
	is_at_most(c[GPUAGG_CEILING_ZERO_COPY_OUT], 1.2, c[GPUAGG_CEILING_COPY_OUT], "nor out");
	is_at_most(c[GPUAGG_CEILING_TOUCH], 1, c[GPUAGG_CEILING_CACHE_READ],
			   "memory that is touched first is written");
	is_at_most(c[GPUAGG_CEILING_TOUCH_PINNED_DEVICE], 1.2, c[GPUAGG_CEILING_COPY_OUT],
			   "pinned memory is not touched faster than the link is");
	ok(slow_tool || (c[GPUAGG_CEILING_LAUNCH] > 500 && c[GPUAGG_CEILING_LAUNCH] < 1e7),
	   "a launch takes microseconds");
}

/* ---------- plain copies, and a plain read ---------- */

#define PLAIN_BYTES (512 * MiB)
#define PLAIN_MOVES 8
#define PLAIN_REPEATS 5
#define PLAIN_READ_THREADS 256
#define PLAIN_READ_AHEAD 8

typedef cudaError_t (*PlainMove) (void *to, const void *from);

static cudaError_t
plain_within(void *to, const void *from)
{
	return cudaMemcpyAsync(to, from, PLAIN_BYTES, cudaMemcpyDeviceToDevice, NULL);
}

static cudaError_t
plain_in(void *to, const void *from)
{
	return cudaMemcpyAsync(to, from, PLAIN_BYTES, cudaMemcpyHostToDevice, NULL);
}

static cudaError_t
plain_out(void *to, const void *from)
{
	return cudaMemcpyAsync(to, from, PLAIN_BYTES, cudaMemcpyDeviceToHost, NULL);
}

/* Each word once, in blocks that do no more; a copy would also have to write. */
static __global__ void
plain_read_kernel(const uint4 *from, uint64_t stride, uint4 *to)
{
	const uint64_t at = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;
	uint4		sum = {0, 0, 0, 0};

#pragma unroll
	for (uint64_t i = 0; i < PLAIN_READ_AHEAD; i++)
	{
		const uint4 word = from[at + i * stride];

		sum.x ^= word.x;
		sum.y ^= word.y;
		sum.z ^= word.z;
		sum.w ^= word.w;
	}
	/* never, but the compiler cannot know */
	if ((sum.x & sum.y & sum.z & sum.w) == 0x5eed5eed)
		*to = sum;
}

static cudaError_t
plain_read(void *to, const void *from)
{
	const uint64_t threads = PLAIN_BYTES / sizeof(uint4) / PLAIN_READ_AHEAD;

	plain_read_kernel<<<(unsigned int) (threads / PLAIN_READ_THREADS), PLAIN_READ_THREADS>>>(
		(const uint4 *) from, threads, (uint4 *) to);
	return cudaGetLastError();
}

/* Bytes moved a second, by events around some moves; 0: an error */
static double
plain_rate(void *to, const void *from, PlainMove move)
{
	cudaEvent_t begun;
	cudaEvent_t ended;
	float		ms = 0;
	bool		good = cudaEventCreate(&begun) == cudaSuccess &&
		cudaEventCreate(&ended) == cudaSuccess;

	for (int i = 0; good && i <= PLAIN_MOVES; i++)	/* the first one warms up */
	{
		good = i != 1 || cudaEventRecord(begun) == cudaSuccess;
		good = good && move(to, from) == cudaSuccess;
	}
	good = good && cudaEventRecord(ended) == cudaSuccess &&
		cudaEventSynchronize(ended) == cudaSuccess &&
		cudaEventElapsedTime(&ms, begun, ended) == cudaSuccess && ms > 0;
	(void) cudaEventDestroy(begun);
	(void) cudaEventDestroy(ended);
	return good ? (double) PLAIN_BYTES * PLAIN_MOVES * 1e3 / ms : 0;
}

static double
middle(double *values)
{
	for (int i = 1; i < PLAIN_REPEATS; i++)
		for (int j = i; j > 0 && values[j - 1] > values[j]; j--)
		{
			const double value = values[j];

			values[j] = values[j - 1];
			values[j - 1] = value;
		}
	return values[PLAIN_REPEATS / 2];
}

/* A ceiling against a plain copy or read, measured in turn, in memory of its own */
static void
is_like_plain(GpuAggCeiling ceiling, double counted, void *to, const void *from,
			  PlainMove move)
{
	double		plain[PLAIN_REPEATS];
	double		probed[PLAIN_REPEATS] = {0};
	GpuAggError error = {};
	char		line[128];
	double		ratio;

	for (int i = 0; i < PLAIN_REPEATS; i++)
	{
		plain[i] = counted * plain_rate(to, from, move);
		(void) OPS->ceiling(probe, ceiling, &probed[i], &error);
	}
	ratio = middle(probed) / middle(plain);
	snprintf(line, sizeof(line), "%s is within 5 %% of a plain one", ceiling_names[ceiling]);
	ok(ratio > 0.95 && ratio < 1.05, line);
	printf("# %s %.5g, a plain one %.5g bytes a second: %.3f\n", ceiling_names[ceiling],
		   middle(probed), middle(plain), ratio);
}

static void
test_plain_copies(void)
{
	char	   *memory = NULL;
	char	   *pinned = NULL;

	if (slow_tool)
		return;
	if (ok(cudaMalloc((void **) &memory, 2 * PLAIN_BYTES) == cudaSuccess &&
		   cudaHostAlloc((void **) &pinned, PLAIN_BYTES, cudaHostAllocDefault) == cudaSuccess,
		   "memory of a plain copy"))
	{
		gpuagg_cuda_probe_fill(memory, 2 * PLAIN_BYTES, NULL);
		memset(pinned, 1, PLAIN_BYTES);
		is_like_plain(GPUAGG_CEILING_MEMORY_COPY, 2, memory + PLAIN_BYTES, memory,
					  plain_within);
		is_like_plain(GPUAGG_CEILING_MEMORY_READ, 1, memory + PLAIN_BYTES, memory, plain_read);
		is_like_plain(GPUAGG_CEILING_COPY_IN, 1, memory, pinned, plain_in);
		is_like_plain(GPUAGG_CEILING_COPY_OUT, 1, pinned, memory, plain_out);
	}
	(void) cudaFree(memory);
	(void) cudaFreeHost(pinned);
}

/* ---------- tables ---------- */

static void
print_chases(void)
{
	static const uint64_t strides[] = {2 * MiB, 16 * MiB, 32 * MiB, 64 * MiB};

	printf("# chase: stride MiB, elements, region GiB, cycles, ns\n");
	for (int s = 0; s < 4; s++)
		for (uint64_t octave = 16; octave * strides[s] <= machine.bytes; octave *= 2)
			for (uint64_t n = octave; n < 2 * octave && n * strides[s] <= machine.bytes;
				 n += octave / 8)
			{
				const GpuAggChase chase = chase_of(strides[s], n, 0);
				GpuAggChaseTime took = {0, 0};
				GpuAggError error = {};

				if (OPS->chase(probe, &chase, &took, &error) != GPUAGG_OK)
					printf("# %s\n", error.message);
				printf("#   %3llu %6llu %8.3f %7.1f %7.1f\n",
					   (unsigned long long) (strides[s] / MiB), (unsigned long long) n,
					   (double) (n * strides[s]) / (double) GiB, took.cycles, took.ns);
			}
}

static void
print_random(void)
{
	printf("# random accesses, G/s: region MiB, read 8, read 32, atomic 8\n");
	for (uint64_t octave = MiB; octave <= machine.bytes; octave *= 2)
		for (uint64_t bytes = octave; bytes < 2 * octave; bytes += octave / 2)
		{
			const uint64_t all = machine.bytes / 4096 * 4096;
			const uint64_t region = bytes < all ? bytes : all;

			printf("#   %8.1f", (double) region / (double) MiB);
			for (int kind = 0; kind < GPUAGG_NRANDOMS; kind++)
				printf(" %7.2f", random_rate((GpuAggRandomKind) kind, region) / 1e9);
			printf("\n");
			if (region == all)
				break;
		}
}

static void
print_pairs(void)
{
	const uint64_t window = machine.bytes >= 112 * GiB ? 56 * GiB : machine.bytes / 8192 * 4096;
	const double alone = pair_rate(0, 0, window);

	printf(
		"# multiprocessor 0 alone, windows of %.1f GiB: %.1f M reads/s; slowed down by each\n#  ",
		(double) window / (double) GiB, alone / 1e6);
	for (uint32_t unit = 1; unit < machine.units; unit++)
		printf(" %u:%.2f", unit, alone / pair_rate(0, unit, window));
	printf("\n");
}

static void
print_ceilings(void)
{
	for (int i = 0; i < GPUAGG_NCEILINGS; i++)
	{
		GpuAggError error = {};
		double		v[3] = {0, 0, 0};

		for (int j = 0; j < 3; j++)
			(void) OPS->ceiling(probe, (GpuAggCeiling) i, &v[j], &error);
		printf("# %-20s %12.5g %12.5g %12.5g %s\n", ceiling_names[i], v[0], v[1], v[2],
			   ceiling_units[i]);
	}
}

static void
print_kernels(void)
{
	const GpuAggUnitLimits *l = &unit_limits;
	GpuAggKernelInfo k;

	printf("# unit: threads %u, blocks %u, warps %u, registers %u, shared %u + %u a block\n",
		   l->threads, l->blocks, l->warps, l->registers, l->shared_bytes, l->shared_reserved);
	for (uint32_t n = 0; OPS->kernel(probe, n, &k); n++)
		printf("# kernel %-30s threads %4u, registers %3u, shared %5u + %5u, blocks %u\n",
			   k.name, k.threads, k.registers, k.shared_bytes, k.dynamic_bytes, k.blocks_per_unit);
}

static void
print_all(void)
{
	print_ceilings();
	print_kernels();
	print_random();
	print_chases();
	print_pairs();
}

/* ---------- main ---------- */

static void
test_session(void)
{
	const double start = now();
	GpuAggError error = {};

	if (!is_status(begin(1, slow_tool ? 64 * MiB : 0, &error), GPUAGG_OK, &error,
				   "begin with all memory"))
		return;
	printf("# begin took %.2f s: %.1f of %.1f GiB, %u units, %.3f GHz, cache %.1f MiB\n",
		   now() - start, (double) machine.bytes / (double) GiB,
		   (double) machine.total_bytes / (double) GiB, machine.units, machine.clock_ghz,
		   (double) machine.cache_bytes / (double) MiB);
	test_machine();
	test_chase();
	test_refusals();
	test_absent_unit();
	test_random();
	test_pair();
	test_ceilings();
	test_plain_copies();
	test_cancel();
	printf("# tests took %.2f s\n", now() - start);
	if (getenv("GPUAGG_PROBE_PRINT") != NULL)
		print_all();
	OPS->end(probe);
}

static int
probe_cases(const TestDevice *test)
{
	GpuAggDeviceConfig config = {};
	GpuAggError error = {};
	const char *scale = getenv("GPUAGG_TEST_SCALE");
	void	   *pages = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE,
							 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t	before;

	slow_tool = scale != NULL && atoi(scale) < 100;
	config.ordinal = test->ordinal;
	config.memory_limit = GiB;
	config.pages = (const char *) pages;
	config.pages_bytes = PAGES_BYTES;
	if (!ok(pages != MAP_FAILED, "pages") ||
		!is_status(test->ops->open(&config, &device, &error), GPUAGG_OK, &error, "open"))
		return done_testing();
	test_chains();
	test_partition();
	test_memory();
	if (!slow_tool)
		test_search();
	before = free_memory();
	test_session();
	ok(free_memory() + 64 * MiB >= before, "the session leaves nothing behind");
	test->ops->close(device);
	munmap(pages, PAGES_BYTES);
	return done_testing();
}

int
main(void)
{
	return cuda_run(probe_cases);
}
