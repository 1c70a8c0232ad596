/*
 * grouping_gpu.cu
 *		Rows a second of GROUP BY over columns that stay on a GPU, by whole tasks
 *		as the worker runs them, from begin until groups are ready to be returned;
 *		and by CUB's radix sort and reduce-by-key as a library would do it.
 *
 * usage: grouping_gpu ROUNDS [NAME=VALUE...]
 *		rows=N			10^9
 *		groups=A,B,...	10 to 2 * 10^9; keys are drawn from so many
 *		dists=A,...		uniform zipf1 zipf1.5 half one sorted
 *		keys=4,8		bytes of the key
 *		aggs=2,4		count and sum; and minimum and maximum
 *		strategies=...	auto local single copy spatial partitioned cub
 *		windows=N,...	log2 of the windows of copy and spatial
 *		capacity=N		log2 of the entries of the table, as far as it is for
 *						the expected groups to say
 *		sms=A,B;C,D		groups of multiprocessors that share a TLB, as measured
 *						on this very card (sampling_gpu sms)
 *		check=0			do not compare
 *
 * Of three aggregates or four, the peer's values are a count, a sum and both
 * extremes; else a count and a sum.
 *
 * "auto" is what device/choice/strategy.h chooses with an H200's profile, as
 * planning does; its detail says so.  The columns lie in stripes of as many
 * rows as those of a narrow table; kernels write them here, where queries
 * decode pages.
 *
 * For each round a line:
 *		strategy dist key aggs groups rows/s kernels detail
 * rows/s by the time of the whole task, or of CUB's by the GPU's clock with its
 * memory there before; kernels: rows/s by the GPU's clock alone.  Before it is
 * timed, a strategy's groups are compared with those of a table indexed by key:
 * their number, and sums over all groups of state words, multiplied by a hash
 * of the key.
 */
#include <chrono>
#include <cmath>

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "device/choice/local.h"
#include "test/bench/kernels/grouping_input.cuh"
#include "test/unit/h200_rates.h"

/* ---------- comparing ---------- */

#define DIGEST_WORDS 6			/* groups, keys' hashes, four states */
struct Digest
{
	unsigned long long word[DIGEST_WORDS];
};

static __device__ void
add_digest(Digest *d, unsigned long long *mine)
{
	for (int i = 0; i < DIGEST_WORDS; i++)
		if (mine[i] != 0)
			atomicAdd(&d->word[i], mine[i]);
}

/* Of rows of layout.h: written out, or of a table, whose empty heads are 0 */
static __global__ void
digest_rows_kernel(const char *rows, uint64_t n, GpuAggLayout layout, uint32_t stride,
				   bool table, int key_bytes, Digest *digest)
{
	unsigned long long mine[DIGEST_WORDS] = {0};

	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
	{
		const char *row = rows + i * stride;
		uint64_t	key;
		uint64_t	h;

		if (table && *(const uint32_t *) row == 0)
			continue;
		key = key_bytes == 4 ? *(const uint32_t *) (row + layout.key_off[0]) :
			*(const uint64_t *) (row + layout.key_off[0]);
		h = mix(key + 5) | 1;
		mine[0]++;
		mine[1] += h;
		for (uint32_t t = 0; t < layout.ntransitions; t++)
			mine[2 + t] += h * *(const uint64_t *) (row + layout.state_off[t]);
	}
	add_digest(digest, mine);
}

static __global__ void
fill_kernel(int32_t *p, uint64_t n, int32_t v)
{
	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
		p[i] = v;
}

/* The reference: states indexed by the key */
template <typename Key>
static __global__ void
reference_kernel(const Key *keys, const int32_t *values, uint64_t n, int naggs,
				 unsigned long long *count, unsigned long long *sum, int32_t *least,
				 int32_t *most)
{
	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t k = (uint64_t) keys[i];

		atomicAdd(&count[k], 1ull);
		atomicAdd(&sum[k], (unsigned long long) (long long) values[i]);
		if (naggs < 3)
			continue;
		atomicMin(&least[k], values[i]);
		atomicMax(&most[k], values[i]);
	}
}

static __global__ void
digest_reference_kernel(uint64_t groups, int naggs, const unsigned long long *count,
						const unsigned long long *sum, const int32_t *least,
						const int32_t *most, Digest *digest)
{
	unsigned long long mine[DIGEST_WORDS] = {0};

	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < groups;
		 i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t h = mix(i + 5) | 1;

		if (count[i] == 0)
			continue;
		mine[0]++;
		mine[1] += h;
		mine[2] += h * count[i];
		mine[3] += h * sum[i];
		if (naggs < 3)
			continue;
		mine[4] += h * (uint64_t) (int64_t) least[i];
		mine[5] += h * (uint64_t) (int64_t) most[i];
	}
	add_digest(digest, mine);
}

/* ---------- a case ---------- */

struct Case
{
	const Options *o;
	std::string dist;
	int			key_bytes;
	int			naggs;
	uint64_t	groups;
	uint64_t	rows;
	const GpuAggDeviceOps *ops;
	GpuAggDevice *device;
	uint32_t	sms;
	void	   *keys;			/* side by side, for CUB and to compare; or NULL */
	int32_t    *values;
	std::vector<GpuAggStripe *> stripes;
	GpuAggUnitGroups units;		/* n 0: not known */
	GpuAggLayout layout;
	Built		program;
	cudaStream_t stream;
	Digest		expected;
	bool		has_expected;
};

static int
grid(const Case &c)
{
	return (int) c.sms * 16;
}

static Dist
dist_of(const std::string &name, double *s)
{
	*s = name == "zipf1.5" ? 1.5 : 1.0;
	return name == "uniform" ? UNIFORM : name == "half" ? HALF : name == "one" ? ONE :
		name == "sorted" ? SORTED : ZIPF;
}

static void
check_status(const GpuAggError &error, const char *what)
{
	if (error.status == GPUAGG_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, error.message);
	exit(1);
}

/* So many rows, from number `first` on, at these places */
static void
make_rows(const Case &c, void *keys, int32_t *values, uint64_t first, uint64_t count)
{
	double		s;
	const Dist	dist = dist_of(c.dist, &s);

	if (c.key_bytes == 4)
		make_columns_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((uint32_t *) keys, values, first, count, c.rows, c.groups, dist, s);
	else
		make_columns_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((uint64_t *) keys, values, first, count, c.rows, c.groups, dist, s);
	check(cudaGetLastError(), "make_columns");
}

/* As if a query had filled it */
static GpuAggStripe *
make_stripe(const Case &c, uint64_t first, uint32_t n)
{
	GpuAggError error = {};
	GpuAggStripe *stripe;

	c.ops->stripes->create(c.device, n, &stripe, &error);
	check_status(error, "stripe");
	for (uint32_t i = 0; i < 2; i++)
	{
		c.ops->stripes->add_column(stripe, i, c.program.attrs[i].type, NULL, &error);
		check_status(error, "column");
	}
	check(cudaDeviceSynchronize(), "stripe");
	make_rows(c, stripe->columns[0].memory, (int32_t *) stripe->columns[1].memory, first, n);
	make_valid_kernel<<<grid(c), THREADS, 0, c.stream>>>(stripe->valid, n);
	gpuagg_cuda_stripe_extend(stripe, n);
	return stripe;
}

static void
make_stripes(Case &c)
{
	for (uint64_t first = 0; first < c.rows; first += STRIPE_ROWS)
		c.stripes.push_back(make_stripe(c, first, (uint32_t) std::min((uint64_t) STRIPE_ROWS,
																  c.rows - first)));
	check(cudaStreamSynchronize(c.stream), "stripes");
}

static void
free_stripes(Case &c)
{
	for (GpuAggStripe *stripe : c.stripes)
		c.ops->stripes->free(stripe);
	c.stripes.clear();
}

static Digest
read_digest(const Digest *d, cudaStream_t stream)
{
	Digest		host;

	check(cudaMemcpyAsync(&host, d, sizeof(host), cudaMemcpyDeviceToHost, stream), "digest");
	check(cudaStreamSynchronize(stream), "digest");
	return host;
}

static void
make_reference(Case &c)
{
	unsigned long long *count;
	unsigned long long *sum;
	int32_t    *least = NULL;
	int32_t    *most = NULL;
	Digest	   *digest;

	check(cudaMallocAsync(&count, c.groups * 8, c.stream), "reference");
	check(cudaMallocAsync(&sum, c.groups * 8, c.stream), "reference");
	check(cudaMallocAsync(&digest, sizeof(*digest), c.stream), "reference");
	check(cudaMemsetAsync(count, 0, c.groups * 8, c.stream), "reference");
	check(cudaMemsetAsync(sum, 0, c.groups * 8, c.stream), "reference");
	check(cudaMemsetAsync(digest, 0, sizeof(*digest), c.stream), "reference");
	if (c.naggs > 2)
	{
		check(cudaMallocAsync(&least, c.groups * 4, c.stream), "reference");
		check(cudaMallocAsync(&most, c.groups * 4, c.stream), "reference");
		fill_kernel<<<grid(c), THREADS, 0, c.stream>>>(least, c.groups, INT32_MAX);
		fill_kernel<<<grid(c), THREADS, 0, c.stream>>>(most, c.groups, INT32_MIN);
	}
	if (c.key_bytes == 4)
	{
		reference_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((const uint32_t *) c.keys, c.values, c.rows, c.naggs, count, sum, least, most);
		digest_reference_kernel<<<grid(c), THREADS, 0, c.stream>>>
			(c.groups, c.naggs, count, sum, least, most, digest);
	}
	else
	{
		reference_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((const uint64_t *) c.keys, c.values, c.rows, c.naggs, count, sum, least, most);
		digest_reference_kernel<<<grid(c), THREADS, 0, c.stream>>>
			(c.groups, c.naggs, count, sum, least, most, digest);
	}
	c.expected = read_digest(digest, c.stream);
	c.has_expected = true;
	for (void *p : {(void *) count, (void *) sum, (void *) least, (void *) most, (void *) digest})
		if (p != NULL)
			check(cudaFreeAsync(p, c.stream), "reference");
}

/* ---------- tasks ---------- */

/* Of so many keys, drawn so often, these appear. */
static double
expected_groups(const Case &c)
{
	if (c.o->capacity > 0)
		/* a table for 2.5 times as many, up to a power of two */
		return 0.39 * (double) ((uint64_t) 1 << c.o->capacity);
	return (double) c.groups * -expm1(-(double) c.rows / (double) c.groups);
}

/* As gpuagg_choose_resident() does */
static GpuAggStrategy
choose(const Case &c)
{
	const uint8_t nullable[GPUAGG_MAX_REGS] = {};
	GpuAggStrategyRates rates;
	GpuAggStrategyInput in = {};
	GpuAggStrategyChoice choice;
	GpuAggRecord record;

	h200_rates(&rates);
	rates.tlb_groups = gpuagg_spatial_ngroups(&c.units);
	(void) gpuagg_record_compute(&c.program.head, nullable, &record);
	in.possible = ~GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE);
	in.rows = (double) c.rows;
	in.groups = expected_groups(c);
	in.entry_bytes = c.layout.row_bytes;
	in.record_bytes = record.bytes;
	in.local_entry_bytes = gpuagg_local_entry_bytes(&c.program.head, &record);
	gpuagg_part_rows(&c.program.head, &record, &in.part_rows);
	in.updates = 1 + c.naggs;
	in.resident = true;
	in.plain = gpuagg_local_is_plain(&c.program.head);
	in.local_groups = gpuagg_page_local_groups(c.layout.row_bytes, c.layout.state_off[0], false);
	gpuagg_strategy_choose(&rates, &in, &choice);
	return choice.within;
}

static GpuAggStrategy
named_strategy(const std::string &name)
{
	return name == "local" ? GPUAGG_STRATEGY_BLOCK_LOCAL :
		name == "partitioned" ? GPUAGG_STRATEGY_PARTITIONED :
		name == "copy" ? GPUAGG_STRATEGY_MULTI_PASS_COPY :
		name == "spatial" ? GPUAGG_STRATEGY_SPATIAL : GPUAGG_STRATEGY_SINGLE_PASS;
}

/* windows: log2 */
static GpuAggTaskConfig
configure(const Case &c, const std::string &strategy, uint32_t windows)
{
	GpuAggTaskConfig config;

	memset(&config, 0, sizeof(config));
	config.expected_groups = expected_groups(c);
	config.expected_rows = (double) c.rows;
	config.units = c.units;
	if (strategy == "auto")
	{
		config.strategy = GPUAGG_STRATEGY_SINGLE_PASS;
		config.resident_strategy = choose(c);
		return config;
	}
	config.strategy = named_strategy(strategy);
	config.forced = 1;
	/* rounded up, for what is less than a window's part makes twice as many */
	config.scope_bytes = (uint64_t) ceil(2 * config.expected_groups * c.layout.row_bytes /
										 (double) (1u << windows));
	return config;
}

static void
await_event(const Case &c)
{
	struct pollfd fd = {c.ops->event_fd(c.device), POLLIN, 0};
	uint64_t	count;

	if (poll(&fd, 1, 100) == 1 && read(fd.fd, &count, sizeof(count)) < 0)
		return;
}

/* All stripes, until groups are ready to be returned; false: *error */
static bool
task_input(const Case &c, GpuAggTask *task, GpuAggError *error)
{
	size_t		n = 0;

	for (GpuAggStripe *stripe : c.stripes)
		if (c.ops->task_resident(task, n++, stripe, NULL, 0, error) != GPUAGG_OK)
			return false;
	while (n > 0)
	{
		GpuAggCompletion done;

		if (!c.ops->task_poll(task, &done))
		{
			await_event(c);
			continue;
		}
		*error = done.error;
		if (error->status != GPUAGG_OK)
			return false;
		n--;
	}
	while (!c.ops->task_finish(task, error))
		await_event(c);
	return error->status == GPUAGG_OK;
}

/* Where the task's groups lie, against the reference */
static bool
compare(const Case &c, const GpuAggTask *task, const char *what)
{
	const uint32_t stride = task->prepared->stride;
	Digest	   *digest;
	Digest		got;

	check(cudaMallocAsync(&digest, sizeof(*digest), c.stream), "digest");
	check(cudaMemsetAsync(digest, 0, sizeof(*digest), c.stream), "digest");
	for (uint32_t i = 0; i < task->ntables; i++)
		digest_rows_kernel<<<grid(c), THREADS, 0, c.stream>>>
			(task->tables[i].slots, task->tables[i].capacity, c.layout, stride,
			 !task->tables[i].dense, c.key_bytes, digest);
	got = read_digest(digest, c.stream);
	check(cudaFreeAsync(digest, c.stream), "digest");
	for (int i = 0; i < 2 + c.naggs; i++)
		if (got.word[i] != c.expected.word[i])
		{
			fprintf(stderr,
					"%s %s %llu groups: word %d is %llx, not %llx (%llu groups, not %llu)\n", what,
					c.dist.c_str(), (unsigned long long) c.groups, i, got.word[i],
					c.expected.word[i], got.word[0], c.expected.word[0]);
			return false;
		}
	return true;
}

struct Timing
{
	double		seconds;		/* negative: it failed */
	double		kernel_seconds;
	std::string strategy;		/* that it ended up with */
};

typedef std::chrono::steady_clock Clock;

static Timing
run_once(const Case &c, const GpuAggTaskConfig &config, const char *what, bool verify)
{
	Timing		t = {-1, 0, ""};
	GpuAggTask *task;
	GpuAggTaskStats stats;
	GpuAggError error = {};
	const Clock::time_point from = Clock::now();

	c.ops->task_begin(c.device, &c.program.head, &config, &task, &error);
	check_status(error, what);
	if (task_input(c, task, &error))
	{
		t.seconds = std::chrono::duration<double>(Clock::now() - from).count();
		c.ops->task_stats(task, &stats);
		t.kernel_seconds = (double) stats.kernel_ns / 1e9;
		t.strategy = stats.strategy;
		if (verify && c.has_expected && !compare(c, task, what))
			exit(1);
	}
	else
		fprintf(stderr, "%s %llu groups: %s\n", what, (unsigned long long) c.groups, error.message);
	while (!c.ops->task_idle(task))
		await_event(c);
	c.ops->task_end(task);
	return t;
}

static void
print_rate(const Case &c, const std::string &what, double seconds, double kernel_seconds,
		   const std::string &detail)
{
	printf("%s\t%s\t%d\t%d\t%llu\t%.4g\t%.4g\t%s\n", what.c_str(), c.dist.c_str(),
		   c.key_bytes, c.naggs, (unsigned long long) c.groups, (double) c.rows / seconds,
		   (double) c.rows / kernel_seconds, detail.c_str());
	fflush(stdout);
}

static void
time_task(const Case &c, const std::string &strategy, uint32_t windows)
{
	const GpuAggTaskConfig config = configure(c, strategy, windows);
	const std::string name = strategy + (windows > 0 ? std::to_string(1 << windows) : "");

	for (int round = 0; round < WARM_ROUNDS + c.o->rounds; round++)
	{
		const Timing t = run_once(c, config, name.c_str(), round == 0);

		if (t.seconds < 0)
			return;
		if (round >= WARM_ROUNDS)
			print_rate(c, name, t.seconds, t.kernel_seconds, t.strategy);
	}
}

/* ---------- the peer ---------- */

/* A count and a sum, as one value that CUB reduces */
struct Pair
{
	unsigned long long sum;
	unsigned long long count;
};

/* The same, and the least and the greatest */
struct Four
{
	unsigned long long sum;
	unsigned long long count;
	int32_t		least;
	int32_t		most;
};

template <typename State>
struct ToState
{
	__host__ __device__ State
	operator() (int32_t v) const
	{
		if constexpr (sizeof(State) == sizeof(Four))
			return {(unsigned long long) (long long) v, 1, v, v};
		else
			return {(unsigned long long) (long long) v, 1};
	}
};

struct AddStates
{
	__host__ __device__ Pair
	operator() (const Pair &a, const Pair &b) const
	{
		return {a.sum + b.sum, a.count + b.count};
	}

	__host__ __device__ Four
	operator() (const Four &a, const Four &b) const
	{
		return {a.sum + b.sum, a.count + b.count, a.least < b.least ? a.least : b.least,
			a.most > b.most ? a.most : b.most};
	}
};

template <typename Key, typename State>
static void
time_cub(const Case &c)
{
	const uint64_t room = c.groups < c.rows ? c.groups : c.rows;
	int			bits = 1;
	Key		   *keys;
	int32_t    *values;
	Key		   *unique;
	State	   *states;
	uint64_t   *nruns;
	void	   *scratch = NULL;
	size_t		sort_bytes = 0;
	size_t		reduce_bytes = 0;
	cudaEvent_t begin;
	cudaEvent_t end;

	while (c.groups >> bits != 0)
		bits++;
	check(cudaMallocAsync(&keys, c.rows * sizeof(Key), c.stream), "cub");
	check(cudaMallocAsync(&values, c.rows * 4, c.stream), "cub");
	check(cudaMallocAsync(&unique, room * sizeof(Key), c.stream), "cub");
	check(cudaMallocAsync(&states, room * sizeof(State), c.stream), "cub");
	check(cudaMallocAsync(&nruns, 8, c.stream), "cub");

	auto		in = thrust::make_transform_iterator((const int32_t *) values, ToState<State>());

	check(cub::DeviceRadixSort::SortPairs(NULL, sort_bytes, (const Key *) c.keys, keys,
										  (const int32_t *) c.values, values, (int) c.rows, 0,
										  bits, c.stream), "cub");
	check(cub::DeviceReduce::ReduceByKey(NULL, reduce_bytes, keys, unique, in, states, nruns,
										 AddStates(), (int) c.rows, c.stream), "cub");
	check(cudaMallocAsync(&scratch, max(sort_bytes, reduce_bytes), c.stream), "cub");
	check(cudaEventCreate(&begin), "event");
	check(cudaEventCreate(&end), "event");
	for (int round = 0; round < WARM_ROUNDS + c.o->rounds; round++)
	{
		float		ms;
		uint64_t	n;

		check(cudaEventRecord(begin, c.stream), "event");
		check(cub::DeviceRadixSort::SortPairs(scratch, sort_bytes, (const Key *) c.keys, keys,
											  (const int32_t *) c.values, values, (int) c.rows,
											  0, bits, c.stream), "cub");
		check(cub::DeviceReduce::ReduceByKey(scratch, reduce_bytes, keys, unique, in, states,
											 nruns, AddStates(), (int) c.rows, c.stream), "cub");
		check(cudaEventRecord(end, c.stream), "event");
		check(cudaMemcpyAsync(&n, nruns, 8, cudaMemcpyDeviceToHost, c.stream), "cub");
		check(cudaStreamSynchronize(c.stream), "cub");
		check(cudaEventElapsedTime(&ms, begin, end), "event");
		if (c.has_expected && n != c.expected.word[0])
		{
			fprintf(stderr, "cub found %llu groups\n", (unsigned long long) n);
			exit(1);
		}
		if (round >= WARM_ROUNDS)
			print_rate(c, "cub", ms / 1e3, ms / 1e3, "its memory was there before");
	}
	for (void *p : {(void *) keys, (void *) values, (void *) unique, (void *) states,
					(void *) nruns, scratch})
		check(cudaFreeAsync(p, c.stream), "cub");
}

template <typename Key>
static void
time_peer(const Case &c)
{
	if (c.naggs > 2)
		time_cub<Key, Four>(c);
	else
		time_cub<Key, Pair>(c);
}

/* ---------- all of it ---------- */

/* What CUB took goes back to the card: the device has a pool of its own. */
static void
trim_pool(void)
{
	cudaMemPool_t pool;

	check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
	check(cudaMemPoolTrimTo(pool, 0), "pool");
}

/* Does anything read columns that lie side by side? */
static bool
wants_columns(const Case &c)
{
	bool		wants = c.o->compare;

	for (const std::string &strategy : c.o->strategies)
		wants |= strategy == "cub";
	return wants;
}

static void
run_peer(Case &c)
{
	if (c.key_bytes == 4)
		time_peer<uint32_t>(c);
	else
		time_peer<uint64_t>(c);
}

static void
run_case(Case &c)
{
	c.program = build_program(c.key_bytes, c.naggs);
	gpuagg_layout_compute(&c.program.head, &c.layout);
	c.has_expected = false;
	if (wants_columns(c))
	{
		check(cudaMallocAsync(&c.keys, c.rows * c.key_bytes, c.stream), "keys");
		check(cudaMallocAsync(&c.values, c.rows * 4, c.stream), "values");
		make_rows(c, c.keys, c.values, 0, c.rows);
		if (c.o->compare)
			make_reference(c);
		for (const std::string &strategy : c.o->strategies)
			if (strategy == "cub")
				run_peer(c);
		check(cudaFreeAsync(c.keys, c.stream), "keys");
		check(cudaFreeAsync(c.values, c.stream), "values");
		check(cudaStreamSynchronize(c.stream), "case");
		trim_pool();
	}
	make_stripes(c);
	for (const std::string &strategy : c.o->strategies)
	{
		const bool	windowed = strategy == "copy" || strategy == "spatial";

		for (const std::string &w : windowed ? c.o->windows : std::vector<std::string>{"0"})
			if (strategy != "cub")
				time_task(c, strategy, (uint32_t) atoi(w.c_str()));
	}
	free_stripes(c);
}

/* Groups of multiprocessors, as the option names them */
static GpuAggUnitGroups
unit_groups(const Options &o)
{
	GpuAggUnitGroups units = {};
	uint8_t		i = 0;

	if (o.sms.empty())
		return units;
	for (const std::string &group : split(o.sms, ';'))
	{
		for (const std::string &sm : split(group, ','))
		{
			const uint32_t unit = (uint32_t) atoi(sm.c_str());

			if (unit >= GPUAGG_SPATIAL_UNITS)
				continue;
			units.group[unit] = i;
			units.n = units.n > unit ? units.n : unit + 1;
		}
		i++;
	}
	return units;
}

/* All of the card's memory, for stripes and tasks alike */
static bool
open_device(Case &c)
{
	GpuAggDeviceInfo cards[16];
	GpuAggDeviceConfig config = {};
	GpuAggError error = {};
	void	   *pages;

	c.ops = gpuagg_device_provider();
	if (c.ops->list(cards, 16, &error) <= 0)
		return false;
	pages = mmap(NULL, PAGES_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	config.ordinal = cards[0].ordinal;
	config.memory_limit = cards[0].memory_limit;
	config.pages = (const char *) pages;
	config.pages_bytes = PAGES_BYTES;
	c.ops->open(&config, &c.device, &error);
	check_status(error, "open");
	c.ops->stripes->limit(c.device, cards[0].memory_limit);
	return true;
}

int
main(int argc, char **argv)
{
	const Options o = parse(argc, argv);
	cudaDeviceProp card;
	cudaMemPool_t pool;
	uint64_t	keep = UINT64_MAX;
	Case		c = {};

	if (!open_device(c))
	{
		fprintf(stderr, "no GPU\n");
		return 0;
	}
	check(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
	check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
	check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "pool");
	check(cudaStreamCreate(&c.stream), "stream");
	c.o = &o;
	c.rows = o.rows;
	c.sms = card.multiProcessorCount;
	c.units = unit_groups(o);
	for (const std::string &key : o.keys)
		for (const std::string &aggs : o.aggs)
			for (const std::string &dist : o.dists)
				for (const std::string &groups : o.groups)
				{
					c.key_bytes = atoi(key.c_str());
					c.naggs = atoi(aggs.c_str());
					c.dist = dist;
					c.groups = (uint64_t) atof(groups.c_str());
					run_case(c);
				}
	c.ops->close(c.device);
	return 0;
}
