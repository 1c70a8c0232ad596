/*
 * cuda_groupby_input.h
 *		Programs and rows of the tests of grouping in device memory
 *		(cuda_groupby_test.cu).
 */
#ifndef GPUAGG_TEST_CUDA_GROUPBY_INPUT_H
#define GPUAGG_TEST_CUDA_GROUPBY_INPUT_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/core/cuda_device.h"
#include "cuda/groupby/groupby.h"
#include "device/ops/eval.h"
#include "device/ops/group.h"
#include "random.h"
#include "tap.h"

#define FEW 7
#define SOME 900
#define MANY 60000

/* Of a small table, yet enough for partitions of few rows a group */
#define FEW_SLOTS 70

static cudaStream_t stream;
static uint32_t sms;
static const char *part;		/* of names of tests; NULL: all */
static uint32_t part_slots;		/* of a partition's table; 0: as many as fit */
static GpuAggLaunches launches;
static GpuAggGroupByReport *report;
static int	live_blocks;		/* of device memory */
static int	allocs_left;		/* before one fails; negative: none does */

static void
check(cudaError_t rc, const char *what)
{
	if (rc == cudaSuccess)
		return;
	printf("Bail out! %s: %s\n", what, cudaGetErrorString(rc));
	exit(1);
}

static void *
test_alloc(void *arg, size_t bytes, cudaStream_t s, GpuAggError *error)
{
	void	   *p = NULL;

	(void) arg;
	if (allocs_left == 0)
	{
		gpuagg_cuda_error(error, GPUAGG_OUT_OF_MEMORY, "no memory, as the test wants it");
		return NULL;
	}
	allocs_left -= allocs_left > 0;
	check(cudaMallocAsync(&p, bytes, s), "cudaMallocAsync");
	live_blocks++;
	return p;
}

static void
test_free(void *arg, void *p, size_t bytes, cudaStream_t s)
{
	(void) arg;
	(void) bytes;
	live_blocks--;
	check(cudaFreeAsync(p, s), "cudaFreeAsync");
}

/* ---------- programs ---------- */

struct TestProgram
{
	GpuAggProgram head;
	GpuAggConst consts[4];
	GpuAggInstr instrs[8];
	GpuAggKey	keys[4];
	GpuAggTransition trans[16];
	uint8_t		classes[64];
	uint32_t	types[8];		/* of the columns */
};

static TestProgram
program_start(std::vector<uint32_t> types)
{
	TestProgram p = {};

	p.head.version = GPUAGG_PROGRAM_VERSION;
	p.head.bytes = sizeof(p);
	p.head.hash_seed = UINT64_C(0x243f6a8885a308d3);
	p.head.filter_reg = GPUAGG_NO_REG;
	p.head.attrs_off = p.head.consts_off = offsetof(TestProgram, consts);
	p.head.instrs_off = offsetof(TestProgram, instrs);
	p.head.keys_off = offsetof(TestProgram, keys);
	p.head.transitions_off = offsetof(TestProgram, trans);
	p.head.classes_off = offsetof(TestProgram, classes);
	for (uint32_t type : types)
	{
		p.types[p.head.ncolumns++] = type;
		p.classes[p.head.nregs++] = (uint8_t) gpuagg_key_class(type);
	}
	return p;
}

static uint16_t
program_const(TestProgram &p, int64_t v)
{
	GpuAggConst &c = p.consts[p.head.nconsts++];

	c.type = GPUAGG_T_INT4;
	c.v.i = v;
	return p.head.nregs++;
}

static uint16_t
program_instr(TestProgram &p, uint32_t op, uint16_t a, uint16_t b)
{
	GpuAggInstr &ins = p.instrs[p.head.ninstrs++];

	ins.op = (uint16_t) op;
	ins.dst = p.head.nregs;
	ins.a = a;
	ins.b = b;
	return p.head.nregs++;
}

static void
program_key(TestProgram &p, uint16_t reg, uint32_t type)
{
	GpuAggKey  &k = p.keys[p.head.nkeys++];

	k.reg = reg;
	k.type = (uint8_t) type;
}

static void
program_trans(TestProgram &p, uint32_t op, uint16_t arg, uint32_t type,
			  uint16_t filter = GPUAGG_NO_REG)
{
	GpuAggTransition &t = p.trans[p.head.ntransitions++];

	t.op = (uint16_t) op;
	t.arg = arg;
	t.filter = filter;
	t.type = (uint16_t) type;
}

/* One integer key; naggs of count, sum, min, max of an int4 */
static TestProgram
int4_program(int naggs, uint32_t key = GPUAGG_T_INT4)
{
	TestProgram p = program_start({key, GPUAGG_T_INT4});
	const uint32_t ops[4] = {GPUAGG_TRANS_COUNT, GPUAGG_TRANS_SUM_I64, GPUAGG_TRANS_MIN_I64,
	GPUAGG_TRANS_MAX_I64};

	program_key(p, 0, key);
	for (int i = 0; i < naggs; i++)
		program_trans(p, ops[i], i == 0 ? GPUAGG_NO_REG : 1, GPUAGG_T_INT4);
	return p;
}

static TestProgram
int8_program(void)
{
	TestProgram p = program_start({GPUAGG_T_INT8, GPUAGG_T_INT4, GPUAGG_T_INT8});

	program_key(p, 0, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64, 1, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, 2, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, 2, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, 2, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MAX_I64, 1, GPUAGG_T_INT4);
	return p;
}

/* Two keys, and every kind of state */
static TestProgram
mixed_program(void)
{
	TestProgram p = program_start({GPUAGG_T_INT4, GPUAGG_T_INT4, GPUAGG_T_FLOAT8, GPUAGG_T_FLOAT8,
	GPUAGG_T_INT8});

	program_key(p, 0, GPUAGG_T_INT4);
	program_key(p, 2, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, 1, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_SUM_I64, 1, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_MIN_I64, 1, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_SUM_F64, 3, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64_AVG, 3, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MIN_F64, 3, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MAX_F64, 3, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_AND_I64, 4, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_OR_I64, 4, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_XOR_I64, 4, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, 4, GPUAGG_T_INT8);
	return p;
}

/* WHERE v > 0 GROUP BY k # 1, sum(v # 1) FILTER (WHERE v < 10^9); op: or + */
static TestProgram
computed_program(uint32_t op = GPUAGG_OP_INT_XOR)
{
	TestProgram p = program_start({GPUAGG_T_INT4, GPUAGG_T_INT4});
	const uint16_t zero = program_const(p, 0);
	const uint16_t one = program_const(p, 1);
	const uint16_t limit = program_const(p, 1000000000);
	uint16_t	less;

	p.head.filter_reg = program_instr(p, GPUAGG_OP_I64_GT, 1, zero);
	p.head.filter_instrs = p.head.ninstrs;
	program_key(p, program_instr(p, op, 0, one), GPUAGG_T_INT4);
	less = program_instr(p, GPUAGG_OP_I64_LT, 1, limit);
	program_trans(p, GPUAGG_TRANS_COUNT, GPUAGG_NO_REG, GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_SUM_I64, program_instr(p, op, 1, one),
				  GPUAGG_T_INT4, less);
	return p;
}

/* ---------- rows ---------- */

enum Dist
{
	UNIFORM, HALF, ONE, SORTED
};

struct Input
{
	uint64_t	n;
	bool		nulls;
	std::vector<std::vector<char>> values;	/* of each column */
	std::vector<std::vector<uint32_t>> null_bits;
	std::vector<GpuAggStripeColumn> columns;	/* with whole tiles, on the device */
};

static void
put_value(Input &in, uint32_t c, uint32_t type, uint64_t key)
{
	const uint64_t r = random_next();
	int64_t		i = c == 0 ? (int64_t) key : (int64_t) r;
	double		d = c == 2 ? (double) (int64_t) (r % 5) - 2 : (double) (int64_t) (r % 2001) - 1000;

	/* keys that tables in shared memory use as "empty", and extremes */
	if (c == 0 && key == 3)
		i = gpuagg_type_slot_bytes(type) == 4 ? INT32_MIN : INT64_MIN;
	if (c == 0 && key == 4)
		i = gpuagg_type_slot_bytes(type) == 4 ? INT32_MAX : -1;
	if (c == 2 && r % 7 == 0)
		d = r & 64 ? -0.0 : 0.0 / 0.0 * (r & 128 ? 1 : -1);
	if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
		memcpy(&i, &d, 8);
	for (uint32_t b = 0; b < gpuagg_type_slot_bytes(type); b++)
		in.values[c].push_back((char) (i >> (8 * b)));
}

static Input
make_input(const TestProgram &p, uint64_t n, uint64_t groups, Dist dist, bool nulls)
{
	Input		in;

	in.n = n;
	in.nulls = nulls;
	in.values.resize(p.head.ncolumns);
	in.null_bits.resize(p.head.ncolumns);
	for (uint64_t i = 0; i < n; i++)
	{
		uint64_t	key = random_next() % groups;

		if (dist == ONE || (dist == HALF && random_next() & 1))
			key = 1;
		if (dist == SORTED)
			key = i * groups / n;
		for (uint32_t c = 0; c < p.head.ncolumns; c++)
		{
			put_value(in, c, p.types[c], key);
			if (i % 32 == 0)
				in.null_bits[c].push_back(0);
			if (nulls && random_next() % 5 == 0)
				in.null_bits[c][i / 32] |= 1u << (i % 32);
		}
	}
	for (uint32_t c = 0; c < p.head.ncolumns; c++)
	{
		const uint64_t room = n / GPUAGG_WARP_TILE * GPUAGG_WARP_TILE + GPUAGG_WARP_TILE;
		GpuAggStripeColumn column = {};

		column.bytes = gpuagg_type_slot_bytes(p.types[c]);
		check(cudaMalloc(&column.values, room * column.bytes), "cudaMalloc");
		check(cudaMalloc(&column.nulls, room / 8), "cudaMalloc");
		check(cudaMemset(column.values, 0xA5, room * column.bytes), "cudaMemset");
		check(cudaMemset(column.nulls, 0, room / 8), "cudaMemset");
		check(cudaMemcpy(column.values, in.values[c].data(), in.values[c].size(),
						 cudaMemcpyHostToDevice), "cudaMemcpy");
		check(cudaMemcpy(column.nulls, in.null_bits[c].data(), in.null_bits[c].size() * 4,
						 cudaMemcpyHostToDevice), "cudaMemcpy");
		in.columns.push_back(column);
	}
	return in;
}

static void
free_input(Input &in)
{
	for (GpuAggStripeColumn &column : in.columns)
	{
		check(cudaFree(column.values), "cudaFree");
		check(cudaFree(column.nulls), "cudaFree");
	}
}

#endif							/* GPUAGG_TEST_CUDA_GROUPBY_INPUT_H */
