/*
 * lookup_gpu.cu
 *		How many rows a second a GPU looks up in tables of slots, by the size of the table: in
 *		one pass, in a pass for each of several windows of slots, and behind a Bloom filter.
 *
 * usage: lookup_gpu ROUNDS [NAME=VALUE...]
 *		tables=A,B,...	MiB of slots, half full (64 to 131072; what has no room is left out)
 *		windows=A,...	1: one pass (1,2,4,8)
 *		filters=0,1		1: with a filter of 8 to 16 bits a key, asked first (0,1)
 *		shares=A,...	parts of the probes that have a row (1,0.1)
 *		probes=N		keys that are looked up (268435456), a column of 8 bytes
 *
 * A slot is 8 bytes, as those of ops_lookup.h, and hashed as there, so a probe reads one sector
 * nearly always; a pass reads the whole column of keys, and looks up those whose slot lies in its
 * window.  Filters are those of look-up tables (lookup_filter.h).  For each round, after one
 * that does not count, a line by the card's clock:
 *		MiB <tab> windows <tab> filter's MiB, 0: none <tab> share <tab> probes a second
 * The number of rows that were found, and the sum of their keys, are compared with what the column
 * of keys says; without rounds that is all, and the tables are small if none are given.  Without a
 * GPU it says so and prints nothing.
 */
#include <algorithm>
#include <cstdint>

#include "device/ops/hash.h"
#include "device/ops/lookup_filter.h"
#include "test/bench/kernels/bench.cuh"

#define THREADS 256
#define SEED UINT64_C(0x243f6a8885a308d3)
/* What other memory of the card is left free */
#define SPARE_BYTES (UINT64_C(1) << 30)

struct Table
{
	uint64_t   *slots;			/* key + 1; 0: empty */
	uint64_t	nslots;
	uint64_t	nkeys;			/* 0 to that less one */
	uint64_t   *filter;			/* words, or NULL */
	uint64_t	words;			/* a power of two */
};

struct Tally
{
	unsigned long long count;
	unsigned long long sum;
};

static __device__ uint64_t
hash_of(uint64_t key)
{
	return gpuagg_hash_finish(gpuagg_hash_word(SEED, key, SEED));
}

/* The first slot: any number of slots, each as likely */
static __device__ uint64_t
slot_of(const Table &t, uint64_t hash)
{
	return __umul64hi(hash, t.nslots);
}

static __global__ void
__launch_bounds__(THREADS)
make_kernel(const Table t)
{
	for (uint64_t key = blockIdx.x * (uint64_t) THREADS + threadIdx.x; key < t.nkeys;
		 key += (uint64_t) gridDim.x * THREADS)
	{
		const uint64_t hash = hash_of(key);
		uint64_t	at = slot_of(t, hash);

		while (atomicCAS((unsigned long long *) &t.slots[at], 0ULL, (unsigned long long) key + 1) !=
			   0)
			at = at + 1 < t.nslots ? at + 1 : 0;
		if (t.filter != NULL)
			gpuagg_filter_add(t.filter, t.words, hash);
	}
}

/* Keys of which so many parts in 2^32 are in the table; what they ought to find */
static __global__ void
__launch_bounds__(THREADS)
keys_kernel(uint64_t nkeys, uint64_t share, uint64_t *keys, uint64_t n, Tally *tally)
{
	unsigned long long count = 0;
	unsigned long long sum = 0;

	for (uint64_t i = blockIdx.x * (uint64_t) THREADS + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * THREADS)
	{
		const uint64_t random = gpuagg_hash_finish(gpuagg_hash_word(~SEED, i, SEED));
		const bool	there = (random & 0xFFFFFFFF) < share;

		keys[i] = __umul64hi(random, nkeys) + (there ? 0 : nkeys);
		count += there;
		sum += there ? keys[i] : 0;
	}
	atomicAdd(&tally->count, count);
	atomicAdd(&tally->sum, sum);
}

template <bool FILTER>
static __global__ void
__launch_bounds__(THREADS) probe_kernel(const Table t, const uint64_t *keys, uint64_t n,
										uint64_t from, uint64_t to, Tally *tally)
{
	unsigned long long count = 0;
	unsigned long long sum = 0;

	for (uint64_t i = blockIdx.x * (uint64_t) THREADS + threadIdx.x; i < n;
		 i += (uint64_t) gridDim.x * THREADS)
	{
		const uint64_t key = keys[i];
		const uint64_t hash = hash_of(key);
		uint64_t	at = slot_of(t, hash);
		uint64_t	slot;

		if (at < from || at >= to)
			continue;
		if (FILTER && !gpuagg_filter_has(t.filter, t.words, hash))
			continue;
		while ((slot = t.slots[at]) != 0 && slot != key + 1)
			at = at + 1 < t.nslots ? at + 1 : 0;
		count += slot != 0;
		sum += slot != 0 ? key : 0;
	}
	for (int step = 16; step > 0; step /= 2)
	{
		count += __shfl_down_sync(~0u, count, step);
		sum += __shfl_down_sync(~0u, sum, step);
	}
	if (threadIdx.x % 32 == 0 && count > 0)
	{
		atomicAdd(&tally->count, count);
		atomicAdd(&tally->sum, sum);
	}
}

static int	nblocks;

static void
probe(const Table &t, const uint64_t *keys, uint64_t n, uint64_t windows, bool filter, Tally *tally)
{
	for (uint64_t w = 0; w < windows; w++)
	{
		const uint64_t from = t.nslots / windows * w;
		const uint64_t to = w + 1 < windows ? t.nslots / windows * (w + 1) : t.nslots;

		if (filter)
			probe_kernel<true><<<nblocks, THREADS>>>(t, keys, n, from, to, tally);
		else
			probe_kernel<false><<<nblocks, THREADS>>>(t, keys, n, from, to, tally);
	}
	check(cudaGetLastError(), "probe_kernel");
}

static Tally
read_tally(const Tally *tally)
{
	Tally		host;

	check(cudaMemcpy(&host, tally, sizeof(host), cudaMemcpyDeviceToHost), "kernel");
	return host;
}

/* Seconds of one way, whose answers are compared */
static double
time_way(const Table &t, const uint64_t *keys, uint64_t n, uint64_t windows, bool filter,
		 const Tally &right, Tally *tally)
{
	cudaEvent_t begin;
	cudaEvent_t end;
	float		ms;

	check(cudaMemset(tally, 0, sizeof(*tally)), "cudaMemset");
	check(cudaEventCreate(&begin), "cudaEventCreate");
	check(cudaEventCreate(&end), "cudaEventCreate");
	check(cudaEventRecord(begin), "cudaEventRecord");
	probe(t, keys, n, windows, filter, tally);
	check(cudaEventRecord(end), "cudaEventRecord");
	check(cudaEventSynchronize(end), "probe_kernel");
	check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
	check(cudaEventDestroy(begin), "cudaEventDestroy");
	check(cudaEventDestroy(end), "cudaEventDestroy");

	const Tally	found = read_tally(tally);

	if (found.count == right.count && found.sum == right.sum)
		return ms / 1000;
	fprintf(stderr, "lookup_gpu: %llu rows found (sum %llu), there are %llu (%llu)\n", found.count,
			found.sum, right.count, right.sum);
	exit(1);
}

struct Options
{
	int			rounds;
	std::vector<std::string> tables = {"64",	"256",	 "1024",  "4096",
									   "32768", "65536", "98304", "122880"};
	std::vector<std::string> windows = {"1", "2", "4", "8"};
	std::vector<std::string> filters = {"0", "1"};
	std::vector<std::string> shares = {"1", "0.1"};
	uint64_t	probes = UINT64_C(1) << 28;
};

static void
usage(void)
{
	fprintf(stderr, "usage: lookup_gpu ROUNDS [NAME=VALUE...]\n");
	exit(2);
}

static Options
read_options(int argc, char **argv)
{
	Options		o;

	if (argc < 2)
		usage();
	o.rounds = atoi(argv[1]);
	if (o.rounds == 0)
	{
		o.tables = {"1", "64"};
		o.probes = UINT64_C(1) << 22;
	}
	for (int i = 2; i < argc; i++)
	{
		const std::vector<std::string> parts = split(argv[i], '=');

		if (parts.size() != 2)
			usage();
		if (parts[0] == "tables")
			o.tables = split(parts[1], ',');
		else if (parts[0] == "windows")
			o.windows = split(parts[1], ',');
		else if (parts[0] == "filters")
			o.filters = split(parts[1], ',');
		else if (parts[0] == "shares")
			o.shares = split(parts[1], ',');
		else if (parts[0] == "probes")
			o.probes = strtoull(parts[1].c_str(), NULL, 10);
		else
			usage();
	}
	return o;
}

/* False: the card has no room for it. */
static bool
table_make(Table *t, uint64_t mib, bool filter)
{
	size_t		left;
	size_t		all;

	t->nslots = (mib << 20) / sizeof(uint64_t);
	t->nkeys = t->nslots / 2;
	t->filter = NULL;
	t->words = 1;
	while (filter && t->words * 8 < t->nkeys)
		t->words *= 2;
	check(cudaMemGetInfo(&left, &all), "cudaMemGetInfo");
	if (t->nslots * 8 + (filter ? t->words * 8 : 0) + SPARE_BYTES > left)
		return false;
	check(cudaMalloc(&t->slots, t->nslots * 8), "cudaMalloc");
	check(cudaMemset(t->slots, 0, t->nslots * 8), "cudaMemset");
	if (filter)
	{
		check(cudaMalloc(&t->filter, t->words * 8), "cudaMalloc");
		check(cudaMemset(t->filter, 0, t->words * 8), "cudaMemset");
	}
	make_kernel<<<nblocks, THREADS>>>(*t);
	check(cudaDeviceSynchronize(), "make_kernel");
	return true;
}

/* All ways take turns. */
static void
measure_share(const Options &o, const Table &t, double share, uint64_t *keys, Tally *tally)
{
	check(cudaMemset(tally, 0, sizeof(*tally)), "cudaMemset");
	keys_kernel<<<nblocks, THREADS>>>(t.nkeys, (uint64_t) (share * 4294967296.0), keys, o.probes,
									  tally);
	check(cudaGetLastError(), "keys_kernel");

	const Tally	right = read_tally(tally);

	for (int r = 0; r <= o.rounds; r++)
		for (const std::string &windows : o.windows)
			for (const std::string &filter : o.filters)
			{
				const bool	filters = filter != "0";
				const double s = time_way(t, keys, o.probes, std::max(1, atoi(windows.c_str())),
										  filters, right, tally);

				if (r > 0)
					printf("%llu\t%s\t%llu\t%g\t%.4g\n", (unsigned long long) (t.nslots >> 17),
						   windows.c_str(),
						   filters ? (unsigned long long) (t.words * 8 >> 20) : 0ULL, share,
						   o.probes / s);
			}
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	const Options o = read_options(argc, argv);
	cudaDeviceProp card;
	uint64_t   *keys;
	Tally	   *tally;
	bool		filters = false;
	int			devices = 0;

	if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
	{
		fprintf(stderr, "lookup_gpu: no GPU\n");
		return 0;
	}
	check(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
	nblocks = card.multiProcessorCount * (card.maxThreadsPerMultiProcessor / THREADS);
	for (const std::string &filter : o.filters)
		filters |= filter != "0";
	check(cudaMalloc(&keys, o.probes * sizeof(*keys)), "cudaMalloc");
	check(cudaMalloc(&tally, sizeof(*tally)), "cudaMalloc");
	for (const std::string &mib : o.tables)
	{
		Table		t;

		if (!table_make(&t, strtoull(mib.c_str(), NULL, 10), filters))
		{
			fprintf(stderr, "lookup_gpu: no room for %s MiB\n", mib.c_str());
			continue;
		}
		for (const std::string &share : o.shares)
			measure_share(o, t, atof(share.c_str()), keys, tally);
		check(cudaFree(t.slots), "cudaFree");
		check(cudaFree(t.filter), "cudaFree");
	}
	check(cudaFree(keys), "cudaFree");
	check(cudaFree(tally), "cudaFree");
	return 0;
}
