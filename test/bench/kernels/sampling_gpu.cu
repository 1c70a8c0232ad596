/*
 * sampling_gpu.cu
 *		Random draws a second of values that are resident in device memory, by
 *		how many bytes they are: figures 1a and 10 of Karnagel et al., Big Data
 *		causing Big (TLB) Problems for this card.
 *
 * usage: sampling_gpu sms [NAME=VALUE...]
 *		prints the numbers of the multiprocessors that share a TLB, group by
 *		group: A,B;C,D
 * usage: sampling_gpu ROUNDS [NAME=VALUE...]
 *		draws=N			2^31, of each measurement
 *		bytes=A,B,...	1 MiB to all that is free, each twice the one before, and
 *						from half of the TLB's reach on in steps of an eighth of it
 *		ways=...		single passes spatial auto gather
 *		gathered=N		2^28, draws of each measurement of gather
 *		scopes=A,B,...	bytes of the windows of passes and spatial
 *		profile=DIR		of the card, its tables as files, for auto and for the TLB's reach
 *		blocks=N ahead=N	blocks a multiprocessor, reads a thread has in flight
 *		seed=N
 *
 * Values are 8 bytes each; a draw's row is device/ops/draw.h's.  Which
 * multiprocessors share a TLB is measured first, by the probe (it is no
 * property of the model but of the card).  Memory is the probe's, too: one
 * allocation, of which every measurement takes the first bytes.
 *
 *		single		any draw anywhere
 *		passes		a launch for each window; draws outside of it are made and
 *					not read
 *		spatial		one launch; each group of multiprocessors that share a TLB
 *					has one window and takes its share of all draws for it
 *		auto		what device/choice/draw_plan.h says
 *		gather		the same ways, as task_draws of queries: rows are numbered, and
 *					draws become a column (lines "gather-single" and so on)
 *
 * Kernels are timed by the GPU's clock, all launches of a measurement together.
 * For each round a line, after one that does not count:
 *		bytes <tab> way <tab> scope <tab> windows <tab> draws/s <tab> predicted
 *		draws/s
 * The sum of what was drawn must be that of the values' formula over the same
 * draws, which reads nothing; a measurement with another sum ends the program,
 * and so do draws that are not those that the host makes.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/draw/draw_kernels.h"
#include "cuda/probe/cuda_probe.h"
#include "device/choice/draw_plan.h"
#include "test/bench/kernels/bench.cuh"

extern "C" {
#include "probe/sharing.h"
}

#define WARM_ROUNDS 1

/* Rows of 32672 pages of 226 */
#define STRIPE_ROWS 7383872

/* Draws that the host makes for comparison */
#define HOST_DRAWS 100000

/* The seconds that finding the groups may take */
#define SHARING_SECONDS 30

/* ---------- options ---------- */

struct Options
{
	int			rounds = 3;
	bool		sms = false;	/* only which of them share a TLB */
	uint64_t	draws = UINT64_C(1) << 31;
	uint64_t	gathered = UINT64_C(1) << 28;
	uint64_t	seed = 42;
	std::vector<uint64_t> bytes;
	std::vector<std::string> ways = {"single", "passes", "spatial", "auto", "gather"};
	std::vector<uint64_t> scopes;
	std::string profile;
	int			blocks = 0;
	int			ahead = 8;
};

static std::vector<uint64_t>
numbers(const std::string &text)
{
	std::vector<uint64_t> all;

	for (const std::string &number : split(text, ','))
		all.push_back((uint64_t) atof(number.c_str()));
	return all;
}

static Options
parse(int argc, char **argv)
{
	Options		o;

	o.sms = argc > 1 && strcmp(argv[1], "sms") == 0;
	o.rounds = o.sms ? 1 : argc > 1 ? atoi(argv[1]) : 0;
	for (int i = 2; i < argc; i++)
	{
		const char *equal = strchr(argv[i], '=');
		const std::string name(argv[i], equal ? equal - argv[i] : strlen(argv[i]));
		const std::string value = equal ? equal + 1 : "";

		if (name == "draws")
			o.draws = (uint64_t) atof(value.c_str());
		else if (name == "gathered")
			o.gathered = (uint64_t) atof(value.c_str());
		else if (name == "bytes")
			o.bytes = numbers(value);
		else if (name == "ways")
			o.ways = split(value, ',');
		else if (name == "scopes")
			o.scopes = numbers(value);
		else if (name == "profile")
			o.profile = value;
		else if (name == "blocks")
			o.blocks = atoi(value.c_str());
		else if (name == "ahead")
			o.ahead = atoi(value.c_str());
		else if (name == "seed")
			o.seed = (uint64_t) atof(value.c_str());
		else
			o.rounds = 0;
	}
	if (o.rounds > 0)
		return o;
	fprintf(stderr, "usage: sampling_gpu ROUNDS [NAME=VALUE...], see its head\n");
	exit(2);
}

/* ---------- kernels ---------- */

GPUAGG_FN uint64_t
value_of(uint64_t row)
{
	return gpuagg_draw_mix(row ^ UINT64_C(0x5851f42d4c957f2d));
}

static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS)
fill_kernel(unsigned long long *values, uint64_t n)
{
	const uint64_t step = (uint64_t) gridDim.x * GPUAGG_DRAW_THREADS;

	for (uint64_t i = (uint64_t) blockIdx.x * GPUAGG_DRAW_THREADS + threadIdx.x; i < n; i += step)
		values[i] = value_of(i);
}

static __device__ __forceinline__ void
add_up(uint64_t sum, unsigned long long *total)
{
	for (int lanes = 16; lanes > 0; lanes /= 2)
		sum += __shfl_xor_sync(~0u, sum, lanes);
	if (threadIdx.x % 32 == 0)
		atomicAdd(total, (unsigned long long) sum);
}

/* What the sum must be */
static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS)
expect_kernel(const GpuAggDraws draws, unsigned long long *total)
{
	const uint64_t step = (uint64_t) gridDim.x * GPUAGG_DRAW_THREADS;
	uint64_t	sum = 0;

	for (uint64_t i = (uint64_t) blockIdx.x * GPUAGG_DRAW_THREADS + threadIdx.x; i < draws.draws;
		 i += step)
		sum += value_of(gpuagg_draw_row(&draws, i));
	add_up(sum, total);
}

/* Of what was gathered */
static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS)
sum_kernel(const unsigned long long *drawn, uint64_t n, unsigned long long *total)
{
	const uint64_t step = (uint64_t) gridDim.x * GPUAGG_DRAW_THREADS;
	uint64_t	sum = 0;

	for (uint64_t i = (uint64_t) blockIdx.x * GPUAGG_DRAW_THREADS + threadIdx.x; i < n; i += step)
		sum += drawn[i];
	add_up(sum, total);
}

/*
 * For draw_all(): reads what is drawn and adds it up.  __ldcg: a multiprocessor's
 * own cache is not looked up, in which next to nothing would be found.
 */
struct Sum
{
	const unsigned long long *values;
	uint64_t	rows;
	uint64_t	sum;

	template <int AHEAD, typename Turn>
	__device__ __forceinline__ void
	turn(const Turn &turn)
	{
		uint64_t	got[AHEAD];

		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
		{
			uint64_t	bits;

			got[j] = 0;
			if (turn.make(j, bits))
				got[j] = __ldcg(values + gpuagg_draw_scale(bits, rows));
		}
		#pragma unroll
		for (int j = 0; j < AHEAD; j++)
			sum += got[j];
	}
};

template <int AHEAD, bool WINDOWED>
static __global__ void
__launch_bounds__(GPUAGG_DRAW_THREADS)
draw_kernel(const GpuAggDrawTiles tiles, const unsigned long long *values, uint64_t rows,
			unsigned long long *total)
{
	Sum			sum = {values, rows, 0};

	draw_all<AHEAD, WINDOWED>(tiles, sum);
	add_up(sum.sum, total);
}

typedef void (*DrawKernel) (const GpuAggDrawTiles, const unsigned long long *, uint64_t,
							unsigned long long *);

static DrawKernel
kernel_for(int ahead, bool groupby)
{
	switch (ahead)
	{
		case 4:
			return groupby ? draw_kernel<4, true> : draw_kernel<4, false>;
		case 16:
			return groupby ? draw_kernel<16, true> : draw_kernel<16, false>;
		default:
			return groupby ? draw_kernel<8, true> : draw_kernel<8, false>;
	}
}

/* ---------- the card ---------- */

/* The values as columns of stripes, and where draws of them go */
struct Table
{
	GpuAggDrawRun run;
	unsigned long long *drawn;
	std::vector<void *> memory;
};

struct Bench
{
	Options		o;
	GpuAggDevice *device;
	GpuAggProbe *probe;
	GpuAggProbeMachine machine;
	GpuAggProbeResult *shared;	/* which units share a TLB */
	GpuAggDrawRates rates;
	uint64_t	reach;			/* of the TLB */
	unsigned long long *values; /* the probe's memory */
	GpuAggDrawWindow *windows;	/* on the card, as what follows */
	uint8_t    *sm_windows;
	unsigned long long *dealt;
	unsigned long long *total;
	Table		table;			/* of the case that gathers */
	cudaEvent_t from;
	cudaEvent_t to;
};

static void
fail(const char *what, const GpuAggError *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

static void
find_groups(Bench &b)
{
	static const volatile int cancel = 0;
	GpuAggError error = {};
	GpuAggProbeSession session = {};

	b.shared = (GpuAggProbeResult *) calloc(1, sizeof(*b.shared));
	session.ops = &gpuagg_cuda_probe_ops;
	session.probe = b.probe;
	session.machine = b.machine;
	session.cancel = &cancel;
	session.result = b.shared;
	session.error = &error;
	session.stage = "TLB sharing";
	session.deadline = gpuagg_probe_now() + SHARING_SECONDS;
	if (gpuagg_sharing_probe(&session, b.reach) != GPUAGG_OK)
		fail("TLB sharing", &error);
	b.rates.groups = b.shared->ngroups;
	fprintf(stderr, "%u multiprocessors in %u groups that share a TLB of %.0f GiB\n",
			b.machine.units, b.rates.groups, (double) b.reach / (double) GPUAGG_GIB);
}

static void
print_groups(const Bench &b)
{
	for (uint32_t group = 0; group < b.rates.groups; group++)
	{
		const char *sep = group > 0 ? ";" : "";

		for (uint32_t unit = 0; unit < b.machine.units; unit++)
			if (b.shared->group[unit] == group)
			{
				printf("%s%u", sep, (unsigned) b.probe->smid[unit]);
				sep = ",";
			}
	}
	printf("\n");
}

static void
open_card(Bench &b)
{
	static const volatile int cancel = 0;
	const GpuAggProbeLimits limits = {SHARING_SECONDS, 1, 0};
	GpuAggError error = {};

	b.device = (GpuAggDevice *) calloc(1, sizeof(*b.device));
	if (gpuagg_cuda_probe_ops.begin(b.device, &limits, &cancel, &b.probe, &b.machine,
									&error) != GPUAGG_OK)
		fail("memory", &error);
	b.values = (unsigned long long *) b.probe->memory;
	check(cudaMalloc(&b.windows, GPUAGG_DRAW_WINDOWS * sizeof(*b.windows)), "windows");
	check(cudaMalloc(&b.sm_windows, GPUAGG_SPATIAL_UNITS), "windows");
	check(cudaMalloc(&b.dealt, GPUAGG_DRAW_WINDOWS * sizeof(*b.dealt)), "tiles");
	check(cudaMalloc(&b.total, sizeof(*b.total)), "total");
	check(cudaEventCreate(&b.from), "event");
	check(cudaEventCreate(&b.to), "event");
}

/* ---------- the profile ---------- */

/* Lines of a CSV without quotes, as columns; none if there is no such file */
static std::vector<std::vector<std::string>>
read_csv(const std::string &path)
{
	std::vector<std::vector<std::string>> lines;
	char		line[4096];
	FILE	   *file = fopen(path.c_str(), "r");

	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		lines.push_back(split(std::string(line, strcspn(line, "\r\n")), ','));
	if (file != NULL)
		fclose(file);
	return lines;
}

static int
column(const std::vector<std::string> &head, const char *name)
{
	return (int) (std::find(head.begin(), head.end(), name) - head.begin());
}

/* Reaches of the last levels, random reads, and how fast draws are made */
static void
read_profile(Bench &b)
{
	const auto	levels = read_csv(b.o.profile + "/memory_level.csv");
	const auto	points = read_csv(b.o.profile + "/random_access.csv");
	const auto	ceilings = read_csv(b.o.profile + "/ceiling.csv");

	for (size_t i = 1; i < levels.size(); i++)
	{
		const double reach = atof(levels[i][column(levels[0], "reach_bytes")].c_str());
		const std::string &kind = levels[i][column(levels[0], "kind")];

		if (kind == "tlb")
			b.rates.tlb_bytes = reach;
		else if (kind == "cache")
			b.rates.cache_bytes = reach;
	}
	for (size_t i = 1; i < points.size() && b.rates.npoints < GPUAGG_STRATEGY_POINTS; i++)
	{
		auto	   &point = b.rates.points[b.rates.npoints++];

		point.bytes = atof(points[i][column(points[0], "region_bytes")].c_str());
		point.reads = atof(points[i][column(points[0], "read8_per_second")].c_str());
	}
	for (size_t i = 1; i < ceilings.size(); i++)
	{
		const std::string &name = ceilings[i][column(ceilings[0], "name")];

		if (name == "int_ops")
			b.rates.made = gpuagg_draw_made(
				atof(ceilings[i][column(ceilings[0], "per_second")].c_str()));
		else if (name == "launch")
			b.rates.launch_ns = atof(ceilings[i][column(ceilings[0], "ns")].c_str());
	}
	b.reach = b.rates.tlb_bytes > 0 ? (uint64_t) b.rates.tlb_bytes : 64 * GPUAGG_GIB;
}

/* ---------- measurements ---------- */

struct Case
{
	uint64_t	bytes;
	GpuAggDraws draws;
	uint64_t	expected;
	bool		gather;
};

static uint64_t
take_total(Bench &b)
{
	unsigned long long total;

	check(cudaMemcpy(&total, b.total, sizeof(total), cudaMemcpyDeviceToHost), "draw_kernel");
	return total;
}

/* Windows of a way, as task_draws has them */
static void
set_windows(Bench &b, GpuAggDrawWay way, uint32_t windows)
{
	std::vector<GpuAggDrawWindow> all;
	GpuAggUnitGroups groups = {};
	uint8_t		sm_windows[GPUAGG_SPATIAL_UNITS];

	for (uint32_t w = 0; w < windows; w++)
		all.push_back(gpuagg_draw_window(w, w + 1, windows));
	check(cudaMemcpy(b.windows, all.data(), windows * sizeof(all[0]), cudaMemcpyHostToDevice),
		  "windows");
	if (way != GPUAGG_DRAW_SPATIAL)
		return;
	for (uint32_t unit = 0; unit < b.machine.units; unit++)
	{
		const uint32_t smid = b.probe->smid[unit];

		groups.group[smid] = (uint8_t) b.shared->group[unit];
		groups.n = std::max(groups.n, smid + 1);
	}
	gpuagg_spatial_windows(&groups, windows, sm_windows);
	check(cudaMemcpy(b.sm_windows, sm_windows, sizeof(sm_windows), cudaMemcpyHostToDevice),
		  "windows");
}

/* Draws are read and added up. */
static void
launch_sums(Bench &b, const Case &c, const GpuAggDrawTiles &all)
{
	const DrawKernel kernel = kernel_for(b.o.ahead, all.nwindows > 1);
	const uint32_t launches = all.sm_windows != NULL ? 1 : all.nwindows;
	GpuAggDrawTiles tiles = all;
	int			blocks = b.o.blocks;

	if (blocks == 0)
		check(
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, GPUAGG_DRAW_THREADS, 0),
			"occupancy");
	blocks *= b.machine.units;
	tiles.tile = gpuagg_draw_tile(tiles.draws, blocks, b.o.ahead);
	tiles.nwindows /= launches;
	for (uint32_t i = 0; i < launches; i++, tiles.windows++, tiles.dealt++)
		kernel<<<blocks, GPUAGG_DRAW_THREADS>>>(tiles, b.values, c.draws.rows, b.total);
}

/* Draws become a column, as those of a query do; the sum is not timed. */
static void
launch_gather(Bench &b, const GpuAggDrawTiles &tiles)
{
	GpuAggDrawRun run = b.table.run;

	run.tiles = tiles;
	gpuagg_cuda_draw_index(&run, 0);
	gpuagg_cuda_draw_gather(&run, b.machine.units, 0);
}

static float
time_once(Bench &b, const Case &c, GpuAggDrawWay way, uint32_t windows)
{
	GpuAggDrawTiles tiles = {
		c.draws.key, c.draws.draws, 0, windows, b.windows,
		way == GPUAGG_DRAW_SPATIAL ? b.sm_windows : NULL, b.dealt
	};
	float		ms;

	check(cudaMemset(b.dealt, 0, GPUAGG_DRAW_WINDOWS * sizeof(*b.dealt)), "tiles");
	check(cudaMemset(b.total, 0, sizeof(*b.total)), "total");
	check(cudaEventRecord(b.from), "event");
	if (c.gather)
		launch_gather(b, tiles);
	else
		launch_sums(b, c, tiles);
	check(cudaEventRecord(b.to), "event");
	check(cudaGetLastError(), "draw_kernel");
	if (c.gather)
		sum_kernel<<<8 * b.machine.units, GPUAGG_DRAW_THREADS>>>(b.table.drawn, c.draws.draws,
																 b.total);
	check(cudaEventSynchronize(b.to), "draw_kernel");
	check(cudaEventElapsedTime(&ms, b.from, b.to), "event");
	return ms;
}

static void
time_way(Bench &b, const Case &c, const char *name, GpuAggDrawWay way, uint32_t windows,
		 double predicted_ns)
{
	set_windows(b, way, windows);
	for (int round = 0; round < WARM_ROUNDS + b.o.rounds; round++)
	{
		const float ms = time_once(b, c, way, windows);

		if (take_total(b) != c.expected)
		{
			fprintf(stderr, "%s, %u windows of %llu bytes: not the sum of the draws\n", name,
					windows, (unsigned long long) c.bytes);
			exit(1);
		}
		if (round >= WARM_ROUNDS)
			printf("%llu\t%s\t%llu\t%u\t%.6g\t%.6g\n", (unsigned long long) c.bytes, name,
				   (unsigned long long) (c.bytes / windows), windows,
				   (double) c.draws.draws * 1e3 / ms,
				   predicted_ns > 0 ? (double) c.draws.draws * 1e9 / predicted_ns : 0);
	}
	fflush(stdout);
}

/* Of each scope that splits this many bytes */
static void
time_scopes(Bench &b, const Case &c, GpuAggDrawWay way, const char *name)
{
	for (uint64_t scope : b.o.scopes)
	{
		const uint64_t windows = (c.bytes + scope - 1) / scope;

		if (windows < 2 || windows > GPUAGG_DRAW_WINDOWS ||
			(way == GPUAGG_DRAW_SPATIAL && windows > b.rates.groups))
			continue;
		time_way(b, c, name, way, (uint32_t) windows, 0);
	}
}

static uint64_t
expect(Bench &b, const GpuAggDraws &draws)
{
	check(cudaMemset(b.total, 0, sizeof(*b.total)), "total");
	expect_kernel<<<8 * b.machine.units, GPUAGG_DRAW_THREADS>>>(draws, b.total);
	check(cudaGetLastError(), "expect_kernel");
	return take_total(b);
}

/* The card's draws are the host's. */
static void
check_draws(Bench &b, uint64_t rows)
{
	const GpuAggDraws draws = {gpuagg_draw_key(b.o.seed), HOST_DRAWS, rows};
	uint64_t	sum = 0;

	for (uint64_t i = 0; i < draws.draws; i++)
		sum += value_of(gpuagg_draw_row(&draws, i));
	if (sum == expect(b, draws))
		return;
	fprintf(stderr, "of %llu rows the card draws others than the host\n",
			(unsigned long long) rows);
	exit(1);
}

/* ---------- as queries draw ---------- */

template <typename T>
static T *
upload(Bench &b, const std::vector<T> &all)
{
	void	   *there;

	check(cudaMalloc(&there, all.size() * sizeof(T)), "table");
	check(cudaMemcpy(there, all.data(), all.size() * sizeof(T), cudaMemcpyHostToDevice), "table");
	b.table.memory.push_back(there);
	return (T *) there;
}

template <typename T>
static T *
cleared(Bench &b, uint64_t n, int byte)
{
	void	   *there;

	check(cudaMalloc(&there, n * sizeof(T)), "table");
	check(cudaMemset(there, byte, n * sizeof(T)), "table");
	b.table.memory.push_back(there);
	return (T *) there;
}

/*
 * The values as a column of stripes, each of as many rows as a decoded batch
 * of the cache has, all of which share two bitmaps, that memory be the
 * values'; what is drawn lies at the memory's end.
 */
static void
make_table(Bench &b, uint64_t rows)
{
	const uint32_t words = STRIPE_ROWS / 32 + 1;
	const uint32_t *valid = cleared<uint32_t>(b, words, 0xFF);
	const uint32_t *nulls = cleared<uint32_t>(b, words, 0);
	const uint32_t *has_nulls = cleared<uint32_t>(b, 1, 0);
	std::vector<GpuAggDrawPositions> ranges;
	std::vector<GpuAggDrawSource> sources;
	GpuAggDrawRun run = {};

	for (uint64_t row = 0; row < rows; row += STRIPE_ROWS)
	{
		const uint32_t positions = (uint32_t) std::min<uint64_t>(rows - row, STRIPE_ROWS);

		ranges.push_back({valid, {0, positions}, (uint32_t) ranges.size(), run.nsegments});
		sources.push_back({(const char *) (b.values + row), NULL, nulls, has_nulls});
		run.nsegments += gpuagg_draw_segments(positions);
	}
	b.table.drawn = b.values + b.probe->bytes / 8 - b.o.gathered;
	run.nranges = (uint32_t) ranges.size();
	run.ncolumns = 1;
	run.ranges = upload(b, ranges);
	run.sources = upload(b, sources);
	run.targets = upload(b, std::vector<GpuAggDrawTarget>{{
		(char *) b.table.drawn, cleared<uint32_t>(b, b.o.gathered / 32 + 1, 0), 8, 0}});
	run.valid = cleared<uint32_t>(b, b.o.gathered / 32 + 1, 0);
	run.index = cleared<GpuAggDrawIndex>(b, 1, 0);
	run.segments = cleared<uint32_t>(b, run.nsegments, 0);
	run.stretches = cleared<GpuAggDrawStretch>(b, run.nsegments, 0);
	run.blocks = cleared<uint16_t>(b, (uint64_t) run.nsegments * GPUAGG_DRAW_BLOCKS, 0);
	b.table.run = run;
}

/* What was at the memory's end comes back. */
static void
free_table(Bench &b)
{
	for (void *there : b.table.memory)
		check(cudaFree(there), "table");
	b.table.memory.clear();
	fill_kernel<<<8 * b.machine.units, GPUAGG_DRAW_THREADS>>>(b.values, b.probe->bytes / 8);
	check(cudaGetLastError(), "fill_kernel");
}

static void
run_gather(Bench &b, uint64_t bytes)
{
	Case		c = {bytes, {gpuagg_draw_key(b.o.seed), b.o.gathered, bytes / 8}, 0, true};
	GpuAggDrawRates rates = b.rates;
	GpuAggDrawPlan prepared;

	/* as gpuagg_rates_draws() */
	rates.cache_bytes = 0;
	if (bytes + 8 * b.o.gathered > b.probe->bytes)
		return;
	c.expected = expect(b, c.draws);
	gpuagg_draw_plan(&rates, (double) c.draws.draws, (double) bytes, &prepared);
	make_table(b, c.draws.rows);
	time_way(b, c, "gather-single", GPUAGG_DRAW_SINGLE, 1, 0);
	time_scopes(b, c, GPUAGG_DRAW_PASSES, "gather-passes");
	time_scopes(b, c, GPUAGG_DRAW_SPATIAL, "gather-spatial");
	time_way(b, c, "gather-auto", prepared.way, prepared.windows,
			 prepared.predicted_ns[prepared.way]);
	free_table(b);
}

static void
run_case(Bench &b, uint64_t bytes)
{
	Case		c = {bytes, {gpuagg_draw_key(b.o.seed), b.o.draws, bytes / 8}, 0, false};
	GpuAggDrawPlan prepared;

	check_draws(b, c.draws.rows);
	c.expected = expect(b, c.draws);
	gpuagg_draw_plan(&b.rates, (double) c.draws.draws, (double) bytes, &prepared);
	for (const std::string &way : b.o.ways)
		if (way == "single")
			time_way(b, c, "single", GPUAGG_DRAW_SINGLE, 1, 0);
		else if (way == "passes")
			time_scopes(b, c, GPUAGG_DRAW_PASSES, "passes");
		else if (way == "spatial")
			time_scopes(b, c, GPUAGG_DRAW_SPATIAL, "spatial");
		else if (way == "auto")
			time_way(b, c, "auto", prepared.way, prepared.windows,
					 prepared.predicted_ns[prepared.way]);
		else if (way == "gather")
			run_gather(b, bytes);
}

/* Steps are finer where the TLB ends. */
static std::vector<uint64_t>
all_sizes(const Bench &b)
{
	const uint64_t most = b.probe->bytes / GPUAGG_GIB * GPUAGG_GIB;
	std::vector<uint64_t> sizes;

	for (uint64_t bytes = GPUAGG_MIB; bytes <= b.reach / 2 && bytes < most; bytes *= 2)
		sizes.push_back(bytes);
	for (uint64_t bytes = b.reach / 2 + b.reach / 8; bytes < most; bytes += b.reach / 8)
		sizes.push_back(bytes);
	sizes.push_back(most);
	return sizes;
}

int
main(int argc, char **argv)
{
	Bench		b = {};
	int			cards = 0;

	if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0)
	{
		fprintf(stderr, "no GPU\n");
		return 0;
	}
	b.o = parse(argc, argv);
	open_card(b);
	read_profile(b);
	find_groups(b);
	if (b.o.sms)
	{
		print_groups(b);
		gpuagg_cuda_probe_ops.end(b.probe);
		return 0;
	}
	if (b.o.bytes.empty())
		b.o.bytes = all_sizes(b);
	if (b.o.scopes.empty())
		b.o.scopes = {b.reach, b.reach / 2, b.reach / 8, b.reach / 64};
	fill_kernel<<<8 * b.machine.units, GPUAGG_DRAW_THREADS>>>(b.values, b.probe->bytes / 8);
	check(cudaGetLastError(), "fill_kernel");
	for (uint64_t bytes : b.o.bytes)
		if (bytes <= b.probe->bytes)
			run_case(b, bytes);
	gpuagg_cuda_probe_ops.end(b.probe);
	return 0;
}
