/*
 * cuda_groupby_test.cu
 *		Grouping in device memory (cuda/groupby/groupby.h) on a GPU: every
 *		strategy against a map of groups on the host, with tables that are too
 *		small, windows and partitions forced on few rows, NULLs, skew,
 *		expressions.  Rows come as decoded batches, and where their shape
 *		allows it, as sources, too.
 *
 * GPUAGG_TEST_SCALE is a percentage of the rows, and of the multiprocessors that
 * work; below 100, tables of partitions are small.  Tools that watch every access
 * take time for each block and each place that it clears.  With GPUAGG_TEST_PART
 * only tests that have it in their names run.
 */
#include <cmath>
#include <map>

#include "cuda_groupby_input.h"

/* ---------- groups ---------- */

/* By the bytes of the keys' words and their NULLs: rows of layout.h */
typedef std::map<std::string, std::vector<uint64_t>> Groups;

static std::string
group_key(const TestProgram &p, const GpuAggLayout &layout, const char *row, uint32_t nulls)
{
	std::string key((const char *) &nulls, 4);

	for (uint32_t i = 0; i < p.head.nkeys; i++)
	{
		const char *slot = row + layout.key_off[i];
		uint64_t	word = 0;

		if (!(nulls >> i & 1))
			memcpy(&word, slot, gpuagg_type_slot_bytes(p.keys[i].type));
		if (!(nulls >> i & 1) && gpuagg_key_class(p.keys[i].type) == GPUAGG_CLASS_F64)
			word = gpuagg_key_word_f64(gpuagg_key_slot_f64(slot));
		key.append((const char *) &word, 8);
	}
	return key;
}

static void
oracle_step(const GpuAggTransition &t, const GpuAggValue *reg, const uint8_t *st, char *state)
{
	if (t.filter != GPUAGG_NO_REG && (st[t.filter] != 0 || reg[t.filter].i == 0))
		return;
	if (t.arg != GPUAGG_NO_REG && st[t.arg] != GPUAGG_ST_VALUE)
		return;
	if (t.op == GPUAGG_TRANS_SUM_F64 || t.op == GPUAGG_TRANS_SUM_F64_AVG ||
		t.op == GPUAGG_TRANS_MIN_F64 || t.op == GPUAGG_TRANS_MAX_F64)
		gpuagg_state_step_f64(t.op, state, reg[t.arg].f);
	else
		gpuagg_state_step_i64(t.op, state, t.arg != GPUAGG_NO_REG ? reg[t.arg].i : 0);
}

static void
load_values(const TestProgram &p, const Input &in, uint64_t row, GpuAggValue *reg, uint8_t *st)
{
	for (uint32_t c = 0; c < p.head.ncolumns; c++)
	{
		const uint32_t bytes = gpuagg_type_slot_bytes(p.types[c]);
		int32_t		narrow;

		st[c] = in.nulls && in.null_bits[c][row / 32] >> (row % 32) & 1;
		memcpy(&reg[c].i, &in.values[c][row * bytes], bytes);
		memcpy(&narrow, &reg[c].i, 4);
		if (bytes == 4)
			reg[c].i = narrow;
	}
}

static Groups
oracle(const TestProgram &p, const Input &in)
{
	GpuAggValue reg[64];
	uint8_t		st[64];
	GpuAggLayout layout;
	Groups		groups;

	gpuagg_layout_compute(&p.head, &layout);
	gpuagg_eval_constants(&p.head, reg, st);
	for (uint64_t row = 0; row < in.n; row++)
	{
		std::vector<uint64_t> fresh(layout.row_bytes / 8, 0);
		char	   *bytes = (char *) fresh.data();
		uint32_t	nulls = 0;

		load_values(p, in, row, reg, st);
		gpuagg_eval(&p.head, 0, p.head.ninstrs, reg, st);
		if (p.head.filter_reg != GPUAGG_NO_REG &&
			(st[p.head.filter_reg] != 0 || reg[p.head.filter_reg].i == 0))
			continue;
		for (uint32_t i = 0; i < p.head.nkeys; i++)
			if (st[p.keys[i].reg] == GPUAGG_ST_NULL)
				nulls |= 1u << i;
			else
				memcpy(bytes + layout.key_off[i], &reg[p.keys[i].reg],
					   gpuagg_type_slot_bytes(p.keys[i].type));
		for (uint32_t i = 0; i < p.head.ntransitions; i++)
			gpuagg_state_init(p.trans[i].op, bytes + layout.state_off[i]);

		std::vector<uint64_t> &group =
			groups.emplace(group_key(p, layout, bytes, nulls), fresh).first->second;

		for (uint32_t i = 0; i < p.head.ntransitions; i++)
			oracle_step(p.trans[i], reg, st, (char *) group.data() + layout.state_off[i]);
	}
	return groups;
}

/* Rows of the device against the groups; each that is found is taken away. */
static bool
take_rows(const TestProgram &p, const char *device, uint64_t n, bool table, Groups &left)
{
	GpuAggLayout layout;
	std::vector<uint64_t> rows;

	gpuagg_layout_compute(&p.head, &layout);
	rows.resize(n * layout.row_bytes / 8 + 1);
	check(
		cudaMemcpyAsync(rows.data(), device, n * layout.row_bytes, cudaMemcpyDeviceToHost, stream),
		"rows");
	check(cudaStreamSynchronize(stream), "rows");
	for (uint64_t i = 0; i < n; i++)
	{
		const char *row = (const char *) rows.data() + i * layout.row_bytes;
		const uint32_t head = *(const uint32_t *) row;
		const uint32_t states = layout.state_off[0];

		if (table && head == 0)
			continue;

		auto		found = left.find(group_key(p, layout, row, head & ~GPUAGG_HEAD_READY));

		if (found == left.end() ||
			memcmp(row + states, (const char *) found->second.data() + states,
				   layout.row_bytes - states) != 0)
		{
			printf("# a group that is %s: head %x, key %x, %s\n",
				   found == left.end() ? "unknown, or there twice" : "wrong", head,
				   *(const uint32_t *) (row + 4), table ? "table" : "written out");
			return false;
		}
		left.erase(found);
	}
	return true;
}

static bool
results_ok(const TestProgram &p, const GpuAggGroupBy *run, Groups left)
{
	const GpuAggTableRef *table = gpuagg_cuda_groupby_table(run);
	const GpuAggGroupByPiece *pieces;
	uint32_t	n;

	pieces = gpuagg_cuda_groupby_pieces(run, &n);
	for (uint32_t i = 0; i < n; i++)
		if (!take_rows(p, pieces[i].rows, pieces[i].groups, false, left))
			return false;
	if (!take_rows(p, table->slots, table->capacity, true, left))
		return false;
	if (!left.empty())
		printf("# %zu groups are missing\n", left.size());
	return left.empty();
}

/* ---------- runs ---------- */

struct Way
{
	const char *name;
	GpuAggGroupByConfig config;
};

static std::vector<Way>
ways(const uint8_t *sm_windows)
{
	GpuAggGroupByConfig c = {};
	std::vector<Way> all;
	GpuAggGroupByConfig w;

	c.launches = &launches;
	c.sms = sms;
	c.sm_bytes = 228 << 10;
	c.block_bytes = 227 << 10;
	w = c;
	w.strategy = GPUAGG_GROUPBY_SINGLE;
	all.push_back({"single", w});
	w.capacity = 16;
	all.push_back({"single, growing", w});
	w.windows_log2 = 3;
	all.push_back({"multi-pass, growing", w});
	w.capacity = 0;
	w.strategy = GPUAGG_GROUPBY_SPATIAL;
	w.windows_log2 = 1;
	w.sm_windows = sm_windows;
	all.push_back({"spatial", w});
	w.windows_log2 = 3;
	all.push_back({"spatial, windows that are no multiprocessor's own", w});
	w.capacity = 16;
	all.push_back({"spatial, growing", w});
	w.capacity = 0;
	w = c;
	w.strategy = GPUAGG_GROUPBY_PARTITIONED;
	w.local_slots = part_slots;
	all.push_back({"partitioned", w});
	w.bits[0] = 3;
	w.bits[1] = 4;
	w.dense_groups = 1;
	all.push_back({"partitioned twice, little room for groups", w});
	w.local_slots = 20;
	w.capacity = 16;
	all.push_back({"partitioned twice, little room for anything", w});
	w.local_slots = 100;
	all.push_back({"partitioned twice, little room where groups have few rows", w});
	w.bits[0] = 9;
	w.bits[1] = 7;
	w.local_slots = part_slots;
	all.push_back({"partitioned twice, counted twice", w});
	/* several slices, some of them without a piece of rows */
	w.slice_rows = 40000;
	all.push_back({"partitioned twice, counted twice, sliced", w});
	w.bits[0] = 3;
	w.bits[1] = 4;
	w.dense_groups = 1;
	all.push_back({"partitioned twice, little room for groups, sliced", w});
	w.local_slots = 20;
	w.capacity = 16;
	all.push_back({"partitioned twice, little room for anything, sliced", w});
	w.local_slots = 100;
	all.push_back({"partitioned twice, little room where groups have few rows, sliced", w});
	w = c;
	w.slice_rows = 9000;
	w.strategy = GPUAGG_GROUPBY_PARTITIONED;
	w.local_slots = part_slots;
	all.push_back({"partitioned, sliced", w});
	w = c;
	w.strategy = GPUAGG_GROUPBY_SORTED;
	all.push_back({"sorted", w});
	w = c;
	w.slice_rows = 9000;
	w.capacity = 16;
	w.strategy = GPUAGG_GROUPBY_SINGLE;
	all.push_back({"single, growing, sliced", w});
	w.windows_log2 = 3;
	all.push_back({"multi-pass, growing, sliced", w});
	return all;
}

/* One row in so many of sources comes by a decoded batch. */
#define DECODED_EVERY 7

/* Rows of the first source, and of the second one: whole tiles, and an odd number */
static uint64_t
first_source(uint64_t n)
{
	return n / 3 / GPUAGG_WARP_TILE * GPUAGG_WARP_TILE;
}

/* What a run is given, on the device */
struct Given
{
	GpuAggCudaPrepared *prepared;
	GpuAggBatchHead *head;
	GpuAggStripeColumn *columns;
	uint8_t    *valid;			/* of the decoded batch */
	uint32_t   *taken;			/* of the sources */
};

static Given
give(const TestProgram &p, const Input &in, const GpuAggCudaPrepared *prepared,
	 size_t prepared_bytes, bool sources)
{
	const uint64_t room = in.n / GPUAGG_WARP_TILE * GPUAGG_WARP_TILE + 2 * GPUAGG_WARP_TILE;
	std::vector<uint8_t> valid(room, 0);
	std::vector<uint32_t> taken(room / 32, 0);
	Given		g;

	for (uint64_t i = 0; i < in.n; i++)
	{
		valid[i] = !sources || i % DECODED_EVERY == 0;
		taken[i / 32] |= (uint32_t) !valid[i] << (i % 32);
	}
	check(cudaMalloc(&g.prepared, prepared_bytes), "plan");
	check(cudaMemcpy(g.prepared, prepared, prepared_bytes, cudaMemcpyHostToDevice), "plan");
	check(cudaMalloc(&g.head, sizeof(*g.head)), "head");
	check(cudaMemset(g.head, 0, sizeof(*g.head)), "head");
	check(cudaMalloc(&g.columns, p.head.ncolumns * sizeof(*g.columns)), "columns");
	check(cudaMemcpy(g.columns, in.columns.data(), p.head.ncolumns * sizeof(*g.columns),
					 cudaMemcpyHostToDevice), "columns");
	check(cudaMalloc(&g.valid, room), "valid");
	check(cudaMemcpy(g.valid, valid.data(), room, cudaMemcpyHostToDevice), "valid");
	check(cudaMalloc(&g.taken, room / 8), "taken");
	check(cudaMemcpy(g.taken, taken.data(), room / 8, cudaMemcpyHostToDevice), "taken");
	return g;
}

static void
take_back(Given &g)
{
	for (void *p : {(void *) g.prepared, (void *) g.head, (void *) g.columns, (void *) g.valid,
			 (void *) g.taken})
		check(cudaFree(p), "cudaFree");
}

/* Rows of a decoded batch; of others the sources have those */
static GpuAggStatus
add_decoded(const TestProgram &p, const Input &in, const Given &g, GpuAggGroupBy *run,
		  GpuAggError *error)
{
	GpuAggDecodedBatch decoded = {};
	GpuAggBatchHead head;
	GpuAggStatus status;

	decoded.head = g.head;
	decoded.nrows = (uint32_t) in.n;
	decoded.valid = g.valid;
	decoded.resident = g.columns;
	status = gpuagg_cuda_groupby_decoded(run, g.prepared, &p.head, &decoded, NULL, 0, sms * 8,
										 error);
	if (status != GPUAGG_OK)
		return status;
	check(cudaMemcpyAsync(&head, g.head, sizeof(head), cudaMemcpyDeviceToHost, stream), "head");
	check(cudaStreamSynchronize(stream), "decoded batch");
	gpuagg_cuda_groupby_settle(run, decoded.nrows, head.nkept, head.nnulls);
	/* of a batch that is a batch's error */
	return head.errors != 0 ? GPUAGG_VALUE_ERROR : GPUAGG_OK;
}

static GpuAggStatus
add_sources(const Input &in, const Given &g, const GpuAggSourceShape &shape, GpuAggGroupBy *run,
			GpuAggError *error)
{
	const uint64_t starts[3] = {0, first_source(in.n), in.n};
	const uint64_t ndecoded = (in.n + DECODED_EVERY - 1) / DECODED_EVERY;
	GpuAggSource sources[2] = {};
	uint64_t	rows[2];

	for (int i = 0; i < 2; i++)
	{
		sources[i].key = (uint64_t) (in.columns[shape.key].values + starts[i] * shape.key_bytes);
		sources[i].arg = (uint64_t) (in.columns[shape.arg].values + starts[i] * 4);
		sources[i].taken = (uint64_t) (g.taken + starts[i] / 32);
		rows[i] = starts[i + 1] - starts[i];
	}
	/* without an argument, values do not matter: anything will do */
	return gpuagg_cuda_groupby_sources(run, sources, rows, 2, in.n - ndecoded, error);
}

/* Sources are not what this program's rows can be: *skip */
static GpuAggStatus
run_way(const TestProgram &p, const Input &in, const GpuAggGroupByConfig &config,
		bool sources, const Groups *expected, bool *same, bool *skip)
{
	const GpuAggGroupByMemory memory = {test_alloc, test_free, NULL};
	size_t		bytes;
	GpuAggCudaPrepared *prepared = gpuagg_cuda_prepare(&p.head, &bytes);
	Given		g = give(p, in, prepared, bytes, sources);
	GpuAggGroupBy *run;
	GpuAggSourceShape shape;
	GpuAggError error = {};
	GpuAggStatus status;

	*skip = false;
	status = gpuagg_cuda_groupby_open(&config, prepared, g.prepared, &memory, report, stream, &run,
									  &error);
	check(cudaStreamSynchronize(stream), "open");
	if (status == GPUAGG_OK && sources)
		*skip = !gpuagg_cuda_groupby_takes_sources(prepared, &shape);
	if (status == GPUAGG_OK && !*skip)
		status = add_decoded(p, in, g, run, &error);
	if (status == GPUAGG_OK && sources && !*skip)
		status = add_sources(in, g, shape, run, &error);
	check(cudaStreamSynchronize(stream), "input");
	if (status == GPUAGG_OK && !*skip)
		while ((status = gpuagg_cuda_groupby_step(run, &error)) == GPUAGG_BUSY)
			check(cudaStreamSynchronize(stream), "step");
	if (status == GPUAGG_OK && expected != NULL && !*skip)
		*same = results_ok(p, run, *expected);
	else if (status != GPUAGG_OK && expected != NULL)
		printf("# %s\n", error.message);
	gpuagg_cuda_groupby_end(run);
	check(cudaStreamSynchronize(stream), "end");
	take_back(g);
	free(prepared);
	return status;
}

static void
all_ways(const char *what, const TestProgram &p, uint64_t n, uint64_t groups, Dist dist,
		 bool nulls, const uint8_t *sm_windows)
{
	Input		in = make_input(p, n, groups, dist, nulls);
	const Groups expected = oracle(p, in);

	for (Way way : ways(sm_windows))
		for (int sources = 0; sources < (nulls || p.head.filter_reg != GPUAGG_NO_REG ? 1 : 2);
			 sources++)
		{
			char		name[200];
			bool		same = false;
			bool		skip;
			GpuAggStatus status;

			snprintf(name, sizeof(name), "%s: %s%s", what, way.name, sources ? ", sources" : "");
			if (part != NULL && strstr(name, part) == NULL)
				continue;
			way.config.expected_groups = (double) groups;
			status = run_way(p, in, way.config, sources != 0, &expected, &same, &skip);
			if (!skip)
				ok(status == GPUAGG_OK && same, name);
		}
	free_input(in);
}

/* Memory that is refused at every point; nothing stays behind */
static void
test_no_memory(const TestProgram &p, bool sources, uint64_t n, const uint8_t *sm_windows)
{
	Input		in = make_input(p, n, SOME, UNIFORM, !sources);
	bool		clean = true;
	bool		ended = true;
	bool		skip;

	for (const Way &way : ways(sm_windows))
	{
		GpuAggStatus status = GPUAGG_OUT_OF_MEMORY;

		for (int left = 0; left < 64 && status != GPUAGG_OK; left++)
		{
			allocs_left = left;
			status = run_way(p, in, way.config, sources, NULL, NULL, &skip);
			clean &= status == GPUAGG_OK || status == GPUAGG_OUT_OF_MEMORY;
			clean &= live_blocks == 0;
		}
		ended &= status == GPUAGG_OK && !skip;
	}
	allocs_left = -1;
	ok(clean, "no memory is a status, and all that was taken is given back");
	ok(ended, "with enough of it, runs succeed");
	free_input(in);
}

static void
test_errors(void)
{
	TestProgram p = computed_program(GPUAGG_OP_INT4_ADD);
	Input		in = make_input(p, 1000, SOME, UNIFORM, false);
	GpuAggGroupByConfig config = ways(NULL)[0].config;
	bool		skip;

	/* k + 1 where k is the largest int4 */
	for (uint32_t i = 0; i < 1000; i++)
		((int32_t *) in.values[0].data())[i] = INT32_MAX;
	check(cudaMemcpy(in.columns[0].values, in.values[0].data(), in.values[0].size(),
					 cudaMemcpyHostToDevice), "cudaMemcpy");
	config.expected_groups = 1;
	is_int(run_way(p, in, config, false, NULL, NULL, &skip), GPUAGG_VALUE_ERROR,
		   "an error that is consumed");
	p.keys[0].type = GPUAGG_T_TEXT;
	is_int(run_way(p, in, config, false, NULL, NULL, &skip), GPUAGG_UNSUPPORTED,
		   "keys that are strings");
	free_input(in);
}

/* Far more groups than expected, or fewer: partitions are made for those that there are */
static void
test_sketch(const TestProgram &p, bool sources, uint64_t n, uint64_t groups, double expect,
			const char *name)
{
	Input		in = make_input(p, n, groups, UNIFORM, false);
	const Groups expected = oracle(p, in);
	GpuAggGroupByConfig config = ways(NULL)[0].config;
	bool		same = false;
	bool		skip;

	config.strategy = GPUAGG_GROUPBY_PARTITIONED;
	config.expected_groups = expect;
	config.sketch_rows = 1;
	config.slice_rows = n / 3;
	config.local_slots = 0;
	is_int(run_way(p, in, config, sources, &expected, &same, &skip), GPUAGG_OK, name);
	ok(same && !skip, name);
	ok(fabs(report->head.distinct - (double) expected.size()) <= 0.1 * expected.size() + 1 &&
	   report->head.misses == 0, name);
	free_input(in);
}

static const uint8_t *
two_windows(void)
{
	const GpuAggUnitGroups unknown = {};
	uint8_t		windows[GPUAGG_SPATIAL_UNITS];
	uint8_t    *device;

	gpuagg_spatial_windows(&unknown, 2, windows);
	check(cudaMalloc(&device, sizeof(windows)), "windows");
	check(cudaMemcpy(device, windows, sizeof(windows), cudaMemcpyHostToDevice), "windows");
	return device;
}

/* Inputs that kernels without detours take, with a key of either width */
static void
test_fast_paths(uint64_t n, uint32_t type, const char *name, const uint8_t *sm_windows)
{
	static const struct
	{
		const char *what;
		int			naggs;
		uint64_t	groups;		/* 0: as many as rows */
		Dist		dist;
	}			cases[] = {
		{"few groups", 2, FEW, UNIFORM},
		{"some groups", 4, SOME, UNIFORM},
		{"many groups", 4, MANY, UNIFORM},
		{"count and sum of many groups", 2, MANY, UNIFORM},
		{"count and sum, half of one key", 2, MANY, HALF},
		{"count and sum, one key", 2, MANY, ONE},
		{"count and sum, sorted", 2, MANY, SORTED},
		{"count and sum, as many groups as rows", 2, 0, SORTED},
		{"count alone", 1, SOME, UNIFORM},
		{"half of one key", 4, MANY, HALF},
		{"one key", 4, MANY, ONE},
		{"sorted", 4, SOME, SORTED}
	};

	for (const auto &c : cases)
		all_ways((std::string(name) + ", " + c.what).c_str(), int4_program(c.naggs, type), n,
				 c.groups > 0 ? c.groups : n, c.dist, false, sm_windows);
}

int
main(void)
{
	const char *scale = getenv("GPUAGG_TEST_SCALE");
	const uint64_t percent = scale != NULL ? strtoull(scale, NULL, 10) : 100;
	const uint64_t n = 300000 * percent / 100;
	int			cards = 0;
	const uint8_t *sm_windows;
	cudaDeviceProp card;
	GpuAggError error = {};

	if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0)
	{
		printf("1..0 # SKIP no GPU\n");
		return 0;
	}
	check(cudaGetDeviceProperties(&card, 0), "cudaGetDeviceProperties");
	if (card.sharedMemPerBlockOptin < 227 << 10)
	{
		printf("1..0 # SKIP the test's tables want 227 kB of shared memory\n");
		return 0;
	}
	part = getenv("GPUAGG_TEST_PART");
	part_slots = percent < 100 ? FEW_SLOTS : 0;
	sms = (uint32_t) ((card.multiProcessorCount * percent + 99) / 100);
	if (!gpuagg_cuda_launches_open(&launches, &card, &error))
	{
		printf("Bail out! %s\n", error.message);
		return 1;
	}
	allocs_left = -1;
	check(cudaStreamCreate(&stream), "cudaStreamCreate");
	check(cudaMallocHost(&report, sizeof(*report)), "cudaMallocHost");
	sm_windows = two_windows();
	test_fast_paths(n, GPUAGG_T_INT4, "int4", sm_windows);
	test_fast_paths(n, GPUAGG_T_INT8, "int8", sm_windows);
	all_ways("int4, one row", int4_program(2), 1, FEW, UNIFORM, false, sm_windows);
	all_ways("int4, no rows", int4_program(2), 0, FEW, UNIFORM, false, sm_windows);
	all_ways("wide int8", int8_program(), n, MANY, UNIFORM, false, sm_windows);
	all_ways("wide int8, half of one key", int8_program(), n, SOME, HALF, false, sm_windows);
	all_ways("wide int8, NULLs", int8_program(), n, SOME, UNIFORM, true, sm_windows);
	all_ways("two keys", mixed_program(), n, SOME, UNIFORM, false, sm_windows);
	all_ways("two keys, NULLs", mixed_program(), n, SOME, HALF, true, sm_windows);
	all_ways("computed", computed_program(), n, SOME, UNIFORM, false, sm_windows);
	all_ways("computed, NULLs", computed_program(), n, MANY, UNIFORM, true, sm_windows);
	if (part == NULL)
	{
		test_sketch(computed_program(), false, n, n, 10, "a computed key, ten groups expected");
		test_sketch(mixed_program(), false, n, n / 4, 10, "two keys, ten groups expected");
		test_sketch(int4_program(2), true, n, n, 10, "columns, ten groups expected");
		test_sketch(int4_program(2), true, n, FEW, 1e6, "columns, a million groups expected");
		test_no_memory(computed_program(), false, n / 10, sm_windows);
		test_no_memory(int4_program(2), true, n / 10, sm_windows);
		test_errors();
	}
	return done_testing();
}
