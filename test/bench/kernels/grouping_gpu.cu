/*
 * grouping_gpu.cu
 *		Rows a second of GROUP BY over resident columns, by each strategy of
 *		scoped grouping (cuda/scoped.h), and by CUB's radix sort and
 *		reduce-by-key as a library would do it.
 *
 * usage: grouping_gpu ROUNDS [NAME=VALUE...]
 *		rows=N			10^9
 *		groups=A,B,...	10 to 2 * 10^9; keys are drawn from so many
 *		dists=A,...		uniform zipf1 zipf1.5 half one sorted
 *		keys=4,8		bytes of the key
 *		aggs=2,4		count and sum; and minimum and maximum
 *		strategies=...	auto local single multi copy spatial partitioned cub
 *		windows=N,...	log2 of the windows of multi, copy and spatial
 *		bits=N/M		bits of both levels of partitioned
 *		slots=N copies=N	of tables in shared memory
 *		capacity=N		log2 of the entries of the table
 *		sms=A,B;C,D		groups of multiprocessors that share a TLB, as measured
 *						on this very card (sampling_gpu sms)
 *		check=0			do not compare
 *
 * Of three aggregates or four, the peer's values are a count, a sum and both
 * extremes; else a count and a sum.
 *
 * "auto" is what device/strategy.h chooses with an H200's profile; its detail
 * says so.
 *
 * Kernels are timed by the GPU's clock, from the first launch to the last,
 * host steps between them included; memory is there before.  For each round a
 * line:
 *		strategy dist key aggs groups rows/s detail
 * Before it is timed, a strategy's groups are compared with those of a table
 * indexed by key: their number, and sums over all groups of state words,
 * multiplied by a hash of the key.
 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "cuda/cuda_device.h"
#include "cuda/scoped.h"
#include "test/bench/kernels/bench.cuh"
#include "test/unit/h200_rates.h"

#define THREADS 256
#define WARM_ROUNDS 1

/* ---------- options ---------- */

struct Options
{
	int			rounds = 3;
	uint64_t	rows = 1000000000;
	std::vector<std::string> groups = {"10", "1000", "100000", "10000000", "100000000", "2000000000"};
	std::vector<std::string> dists = {"uniform"};
	std::vector<std::string> keys = {"4"};
	std::vector<std::string> aggs = {"2"};
	std::vector<std::string> strategies = {"auto", "cub"};
	std::vector<std::string> windows = {"2"};
	uint32_t	bits[2] = {0, 0};
	uint32_t	slots = 0;
	uint32_t	copies = 0;
	int			capacity = 0;
	std::string sms;
	bool		compare = true;
};

static Options
parse(int argc, char **argv)
{
	Options		o;

	if (argc < 2 || (o.rounds = atoi(argv[1])) < 0)
	{
		fprintf(stderr, "usage: grouping_gpu ROUNDS [NAME=VALUE...]\n");
		exit(2);
	}
	for (int i = 2; i < argc; i++)
	{
		const char *eq = strchr(argv[i], '=');
		const std::string name(argv[i], eq != NULL ? eq - argv[i] : 0);
		const std::string value(eq != NULL ? eq + 1 : "");

		if (name == "rows")
			o.rows = (uint64_t) atof(value.c_str());
		else if (name == "groups")
			o.groups = split(value, ',');
		else if (name == "dists")
			o.dists = split(value, ',');
		else if (name == "keys")
			o.keys = split(value, ',');
		else if (name == "aggs")
			o.aggs = split(value, ',');
		else if (name == "strategies")
			o.strategies = split(value, ',');
		else if (name == "windows")
			o.windows = split(value, ',');
		else if (name == "bits")
			sscanf(value.c_str(), "%u/%u", &o.bits[0], &o.bits[1]);
		else if (name == "slots")
			o.slots = atoi(value.c_str());
		else if (name == "copies")
			o.copies = atoi(value.c_str());
		else if (name == "capacity")
			o.capacity = atoi(value.c_str());
		else if (name == "sms")
			o.sms = value;
		else if (name == "check")
			o.compare = atoi(value.c_str()) != 0;
		else
		{
			fprintf(stderr, "unknown option \"%s\"\n", argv[i]);
			exit(2);
		}
	}
	return o;
}

/* ---------- input ---------- */

static __device__ uint64_t
mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

enum Dist
{
	UNIFORM, ZIPF, HALF, ONE, SORTED
};

/* Rank by Zipf's law, by the inverse of its integral; skew s */
static __device__ uint64_t
zipf(double u, double n, double s)
{
	double		x = s == 1 ? exp(u * log(n + 1)) :
		pow(1 + u * (pow(n + 1, 1 - s) - 1), 1 / (1 - s));
	uint64_t	rank = (uint64_t) x;

	return rank < 1 ? 0 : rank > n ? (uint64_t) n - 1 : rank - 1;
}

/* Keys are numbers from 0 to groups - 1, so that a sort needs to look at no more
 * bits than these have. */
template <typename Key>
static __global__ void
make_columns_kernel(Key *keys, int32_t *values, uint64_t n, uint64_t groups, Dist dist, double s)
{
	for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t r = mix(i + 1);
		uint64_t	k = __umul64hi(mix(r), groups);

		if (dist == ZIPF)
			k = zipf((double) (r >> 11) / (double) (1ull << 53), (double) groups, s);
		else if (dist == HALF && r & 1)
			k = 0;
		else if (dist == ONE)
			k = 0;
		else if (dist == SORTED)
			k = (uint64_t) ((double) i * groups / n);
		keys[i] = (Key) k;
		values[i] = (int32_t) (mix(r + 7) >> 32);
	}
}

/* ---------- the program ---------- */

struct Built
{
	GpuAggProgram head;
	GpuAggAttr	attrs[2];
	GpuAggKey	key;
	GpuAggTransition trans[4];
	uint8_t		classes[8];
};

static const uint16_t bench_ops[4] = {GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_I64,
	GPUAGG_TRANS_MIN_I64, GPUAGG_TRANS_MAX_I64};

static Built
build_program(int key_bytes, int naggs)
{
	Built		b;
	GpuAggProgram *p = &b.head;

	memset(&b, 0, sizeof(b));
	p->version = GPUAGG_PROGRAM_VERSION;
	p->bytes = sizeof(b);
	p->hash_seed = UINT64_C(0x1234567890abcdef);
	p->ncolumns = 2;
	p->nregs = 2;
	p->filter_reg = GPUAGG_NO_REG;
	p->nkeys = 1;
	p->ntransitions = (uint16_t) naggs;
	p->attrs_off = offsetof(Built, attrs);
	p->consts_off = p->instrs_off = p->keys_off = offsetof(Built, key);
	p->transitions_off = offsetof(Built, trans);
	p->classes_off = offsetof(Built, classes);
	b.key.reg = 0;
	b.key.type = key_bytes == 4 ? GPUAGG_T_INT4 : GPUAGG_T_INT8;
	for (int i = 0; i < naggs; i++)
	{
		b.trans[i].op = bench_ops[i];
		b.trans[i].arg = i == 0 ? GPUAGG_NO_REG : 1;
		b.trans[i].filter = GPUAGG_NO_REG;
		b.trans[i].type = GPUAGG_T_INT4;
	}
	return b;
}

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
	GpuAggLaunches launches;
	uint32_t	sms;
	uint32_t	sm_bytes;
	uint32_t	block_bytes;
	void	   *keys;
	int32_t    *values;
	GpuAggUnitGroups units;		/* n 0: not known */
	uint8_t    *sm_windows;
	GpuAggPlan *plan;
	GpuAggPlan *device_plan;
	Built		program;
	GpuAggScopedReport *report;
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
make_columns(Case &c)
{
	double		s;
	const Dist	dist = dist_of(c.dist, &s);

	if (c.key_bytes == 4)
		make_columns_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((uint32_t *) c.keys, c.values, c.rows, c.groups, dist, s);
	else
		make_columns_kernel<<<grid(c), THREADS, 0, c.stream>>>
			((uint64_t *) c.keys, c.values, c.rows, c.groups, dist, s);
	check(cudaStreamSynchronize(c.stream), "make_columns");
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

/* ---------- scoped grouping ---------- */

static void *
bench_alloc(void *arg, size_t bytes, cudaStream_t stream, GpuAggError *error)
{
	void	   *p = NULL;
	cudaError_t rc = cudaMallocAsync(&p, bytes, stream);

	(void) arg;
	if (rc == cudaSuccess)
		return p;
	(void) cudaGetLastError();
	gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "%zu bytes: %s", bytes, cudaGetErrorString(rc));
	return NULL;
}

static void
bench_free(void *arg, void *p, size_t bytes, cudaStream_t stream)
{
	(void) arg;
	(void) bytes;
	check(cudaFreeAsync(p, stream), "cudaFreeAsync");
}

/* Of so many keys, drawn so often, these appear. */
static double
expected_groups(const Case &c)
{
	return (double) c.groups * -expm1(-(double) c.rows / (double) c.groups);
}

/* As a task over resident columns would choose */
static GpuAggStrategyChoice
choose(const Case &c)
{
	const uint8_t nullable[GPUAGG_MAX_REGS] = {};
	GpuAggStrategyRates rates;
	GpuAggStrategyInput in = {};
	GpuAggStrategyChoice choice;
	GpuAggRecord record;

	h200_rates(&rates);
	rates.tlb_groups = gpuagg_spatial_ngroups(&c.units);
	rates.shared_bytes = c.sm_bytes;
	rates.block_bytes = c.block_bytes;
	(void) gpuagg_record_compute(&c.program.head, nullable, &record);
	in.possible = ~UINT32_C(0);
	in.rows = (double) c.rows;
	in.groups = expected_groups(c);
	in.entry_bytes = c.plan->stride;
	in.record_bytes = record.bytes;
	in.local_entry_bytes = gpuagg_local_entry_bytes(&c.program.head, &record);
	in.updates = 1 + c.naggs;
	in.resident = true;
	gpuagg_strategy_choose(&rates, &in, &choice);
	return choice;
}

/* The name of a choice, as options have it; *windows: log2 */
static std::string
chosen_name(const GpuAggStrategyChoice &choice, uint32_t *windows)
{
	/* of these, at most one is more than 1 */
	const uint32_t all = choice.passes * choice.kept_passes * choice.windows;

	for (*windows = 0; 1u << *windows < all; ++*windows)
		;
	switch (choice.strategy)
	{
		case GPUAGG_STRATEGY_BLOCK_LOCAL:
			return "local";
		case GPUAGG_STRATEGY_PARTITIONED:
			return "partitioned";
		case GPUAGG_STRATEGY_MULTI_PASS_NAIVE:
			return "multi";
		case GPUAGG_STRATEGY_MULTI_PASS_COPY:
			return "copy";
		case GPUAGG_STRATEGY_SPATIAL:
			return "spatial";
		default:
			return "single";
	}
}

static GpuAggScopedConfig
configure(const Case &c, const std::string &strategy, uint32_t windows)
{
	GpuAggScopedConfig config;

	memset(&config, 0, sizeof(config));
	config.expected_groups = expected_groups(c);
	config.launches = &c.launches;
	config.sms = c.sms;
	config.sm_bytes = c.sm_bytes;
	config.block_bytes = c.block_bytes;
	config.capacity = c.o->capacity > 0 ? (uint64_t) 1 << c.o->capacity : 0;
	config.bits[0] = c.o->bits[0];
	config.bits[1] = c.o->bits[1];
	config.local_slots = c.o->slots;
	config.local_copies = c.o->copies;
	if (strategy == "local")
		config.strategy = GPUAGG_SCOPED_LOCAL;
	else if (strategy == "partitioned")
		config.strategy = GPUAGG_SCOPED_PARTITIONED;
	else
		config.strategy = strategy == "spatial" ? GPUAGG_SCOPED_SPATIAL : GPUAGG_SCOPED_SINGLE;
	if (strategy == "multi" || strategy == "copy" || strategy == "spatial")
		config.windows_log2 = windows;
	config.keep_rows = strategy == "copy";
	config.sm_windows = c.sm_windows;
	return config;
}

static bool
compare(const Case &c, const GpuAggScoped *run, const char *what)
{
	const GpuAggScopedPiece *pieces;
	const GpuAggTableRef *table = gpuagg_cuda_scoped_table(run);
	uint32_t	n;
	Digest	   *digest;
	Digest		got;

	check(cudaMallocAsync(&digest, sizeof(*digest), c.stream), "digest");
	check(cudaMemsetAsync(digest, 0, sizeof(*digest), c.stream), "digest");
	pieces = gpuagg_cuda_scoped_pieces(run, &n);
	for (uint32_t i = 0; i < n; i++)
		digest_rows_kernel<<<grid(c), THREADS, 0, c.stream>>>
			(pieces[i].rows, pieces[i].groups, c.plan->layout, c.plan->stride, false,
			 c.key_bytes, digest);
	digest_rows_kernel<<<grid(c), THREADS, 0, c.stream>>>
		(table->slots, table->capacity, c.plan->layout, c.plan->stride, true, c.key_bytes, digest);
	got = read_digest(digest, c.stream);
	check(cudaFreeAsync(digest, c.stream), "digest");
	for (int i = 0; i < 2 + c.naggs; i++)
		if (got.word[i] != c.expected.word[i])
		{
			fprintf(stderr, "%s %s %llu groups: word %d is %llx, not %llx (%llu groups, not %llu)\n",
					what, c.dist.c_str(), (unsigned long long) c.groups, i, got.word[i],
					c.expected.word[i], got.word[0], c.expected.word[0]);
			return false;
		}
	return true;
}

/* One run; its time in ms, or negative: failed */
static float
run_once(const Case &c, const GpuAggScopedConfig &config, const char *what, bool verify,
		 uint64_t *misses)
{
	const GpuAggScopedMemory memory = {bench_alloc, bench_free, NULL};
	const GpuAggColumn columns[2] = {
		{c.keys, NULL, (uint32_t) (c.key_bytes == 4 ? GPUAGG_T_INT4 : GPUAGG_T_INT8)},
	{c.values, NULL, GPUAGG_T_INT4}};
	const GpuAggColumns all = {c.rows, columns};
	GpuAggScoped *run;
	GpuAggError error = {};
	GpuAggStatus status;
	cudaEvent_t begin;
	cudaEvent_t end;
	float		ms = -1;

	check(cudaEventCreate(&begin), "event");
	check(cudaEventCreate(&end), "event");
	status = gpuagg_cuda_scoped_begin(&config, c.plan, c.device_plan, &all, &memory, c.report,
									  c.stream, &run, &error);
	check(cudaStreamSynchronize(c.stream), what);
	check(cudaEventRecord(begin, c.stream), "event");
	while (status == GPUAGG_OK || status == GPUAGG_BUSY)
	{
		status = gpuagg_cuda_scoped_step(run, &error);
		if (status != GPUAGG_BUSY)
			break;
		check(cudaEventRecord(end, c.stream), "event");
		check(cudaStreamSynchronize(c.stream), what);
	}
	if (status == GPUAGG_OK)
	{
		check(cudaEventElapsedTime(&ms, begin, end), "event");
		*misses = gpuagg_cuda_scoped_misses(run);
		if (verify && c.has_expected && !compare(c, run, what))
			exit(1);
	}
	else
		fprintf(stderr, "%s %llu groups: %s\n", what, (unsigned long long) c.groups, error.message);
	gpuagg_cuda_scoped_end(run);
	check(cudaStreamSynchronize(c.stream), what);
	check(cudaEventDestroy(begin), "event");
	check(cudaEventDestroy(end), "event");
	return ms;
}

static void
print_rate(const Case &c, const std::string &what, float ms, const std::string &detail)
{
	printf("%s\t%s\t%d\t%d\t%llu\t%.4g\t%s\n", what.c_str(), c.dist.c_str(), c.key_bytes,
		   c.naggs, (unsigned long long) c.groups, (double) c.rows / (ms / 1e3), detail.c_str());
	fflush(stdout);
}

/* The windows of multiprocessors, for one case after the other */
static void
set_sm_windows(const Case &c, uint32_t log2)
{
	uint8_t		windows[GPUAGG_SPATIAL_UNITS];

	gpuagg_spatial_windows(&c.units, 1u << log2, windows);
	check(cudaMemcpyAsync(c.sm_windows, windows, sizeof(windows), cudaMemcpyHostToDevice,
						  c.stream), "sm windows");
	check(cudaStreamSynchronize(c.stream), "sm windows");
}

static void
time_scoped(const Case &c, const std::string &strategy, uint32_t windows)
{
	const bool	chosen = strategy == "auto";
	const std::string what = chosen ? chosen_name(choose(c), &windows) : strategy;
	const GpuAggScopedConfig config = configure(c, what, windows);
	const std::string runs = what + (config.windows_log2 > 0 ? std::to_string(1 << windows) : "");
	const std::string name = chosen ? strategy : runs;

	set_sm_windows(c, config.windows_log2);
	for (int round = 0; round < WARM_ROUNDS + c.o->rounds; round++)
	{
		uint64_t	misses = 0;
		const float ms = run_once(c, config, name.c_str(), round == 0, &misses);

		if (ms < 0)
			return;
		if (round >= WARM_ROUNDS)
			print_rate(c, name, ms, std::to_string(misses) + (chosen ? ", " + runs : ""));
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
			print_rate(c, "cub", ms, "0");
	}
	for (void *p : {(void *) keys, (void *) values, (void *) unique, (void *) states, (void *) nruns, scratch})
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

static void
run_case(Case &c)
{
	size_t		bytes;

	check(cudaMallocAsync(&c.keys, c.rows * c.key_bytes, c.stream), "keys");
	check(cudaMallocAsync(&c.values, c.rows * 4, c.stream), "values");
	make_columns(c);
	c.program = build_program(c.key_bytes, c.naggs);
	c.plan = gpuagg_cuda_plan(&c.program.head, &bytes);
	check(cudaMallocAsync(&c.device_plan, bytes, c.stream), "plan");
	check(cudaMemcpyAsync(c.device_plan, c.plan, bytes, cudaMemcpyHostToDevice, c.stream), "plan");
	c.has_expected = false;
	if (c.o->compare)
		make_reference(c);
	for (const std::string &strategy : c.o->strategies)
	{
		const bool	windowed = strategy == "multi" || strategy == "copy" || strategy == "spatial";

		if (strategy == "cub" && c.key_bytes == 4)
			time_peer<uint32_t>(c);
		else if (strategy == "cub")
			time_peer<uint64_t>(c);
		else if (!windowed)
			time_scoped(c, strategy, 0);
		else
			for (const std::string &w : c.o->windows)
				time_scoped(c, strategy, (uint32_t) atoi(w.c_str()));
	}
	check(cudaFreeAsync(c.keys, c.stream), "keys");
	check(cudaFreeAsync(c.values, c.stream), "values");
	check(cudaFreeAsync(c.device_plan, c.stream), "plan");
	check(cudaStreamSynchronize(c.stream), "case");
	free(c.plan);
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

int
main(int argc, char **argv)
{
	const Options o = parse(argc, argv);
	int			cards = 0;
	cudaDeviceProp card;
	cudaMemPool_t pool;
	uint64_t	keep = UINT64_MAX;
	GpuAggError error = {};
	Case		c = {};

	if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0)
	{
		fprintf(stderr, "no GPU\n");
		return 0;
	}
	check(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
	check(cudaDeviceGetDefaultMemPool(&pool, 0), "pool");
	check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "pool");
	check(cudaStreamCreate(&c.stream), "stream");
	check(cudaMallocHost(&c.report, sizeof(*c.report)), "report");
	c.o = &o;
	c.rows = o.rows;
	if (!gpuagg_cuda_launches_open(&c.launches, &card, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return 1;
	}
	c.sms = card.multiProcessorCount;
	c.sm_bytes = (uint32_t) card.sharedMemPerMultiprocessor;
	c.block_bytes = (uint32_t) card.sharedMemPerBlockOptin;
	c.units = unit_groups(o);
	check(cudaMalloc(&c.sm_windows, GPUAGG_SPATIAL_UNITS), "sm windows");
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
	return 0;
}
