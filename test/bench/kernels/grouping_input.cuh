/*
 * grouping_input.cuh
 *		What grouping_gpu.cu is asked for, the columns that it groups, and the program.
 */
#ifndef GPUAGG_BENCH_GROUPING_INPUT_CUH
#define GPUAGG_BENCH_GROUPING_INPUT_CUH

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/columns/cuda_stripe.h"
#include "test/bench/kernels/bench.cuh"

extern "C" const GpuAggDeviceOps *gpuagg_device_provider(void);

#define THREADS 256
#define WARM_ROUNDS 1

/* Rows of a stripe: a decoded batch of a table with 185 rows a page */
#define STRIPE_ROWS ((uint32_t) 6000000)

/* Shared memory with pages, which the device wants and nobody reads */
#define PAGES_BYTES ((size_t) 16 << 20)

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

/*
 * Rows first, first + 1, ... of n.  Keys are numbers from 0 to groups - 1, so that
 * a sort needs to look at no more bits than these have.
 */
template <typename Key>
static __global__ void
make_columns_kernel(Key *keys, int32_t *values, uint64_t first, uint64_t count, uint64_t n,
					uint64_t groups, Dist dist, double s)
{
	for (uint64_t at = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; at < count;
		 at += (uint64_t) gridDim.x * blockDim.x)
	{
		const uint64_t i = first + at;
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
		keys[at] = (Key) k;
		values[at] = (int32_t) (mix(r + 7) >> 32);
	}
}

/* The first n bits */
static __global__ void
make_valid_kernel(uint32_t *valid, uint32_t n)
{
	const uint32_t words = (n + 31) / 32;

	for (uint32_t w = blockIdx.x * blockDim.x + threadIdx.x; w < words; w += gridDim.x * blockDim.x)
		valid[w] = w < n / 32 ? 0xFFFFFFFFu : (1u << n % 32) - 1;
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
	p->nattrs = 2;
	p->ncolumns = 2;
	p->nregs = 2;
	p->filter_reg = GPUAGG_NO_REG;
	p->nkeys = 1;
	p->ntransitions = (uint16_t) naggs;
	for (uint16_t i = 0; i < 2; i++)
	{
		const bool	wide = i == 0 && key_bytes == 8;

		b.attrs[i].attlen = wide ? 8 : 4;
		b.attrs[i].align = wide ? 8 : 4;
		b.attrs[i].type = wide ? GPUAGG_T_INT8 : GPUAGG_T_INT4;
		b.attrs[i].reg = i;
		b.attrs[i].missing_const = GPUAGG_NO_REG;
		b.attrs[i].fixed_off = i == 0 ? 0 : key_bytes;
	}
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

#endif							/* GPUAGG_BENCH_GROUPING_INPUT_CUH */
