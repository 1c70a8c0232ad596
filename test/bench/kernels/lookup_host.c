/*
 * lookup_host.c
 *		How long the host device takes to look a row up and fetch a column of it, on one
 *		core, with and without fetching ahead (host/lookup_fetch.c).
 *
 * usage: lookup_host ROUNDS [ROWS ...]
 *
 * Tables of so many rows with dense keys (bits) and spread ones (slots, and with a filter before
 * them) are looked up in at random, among slots with all keys found and with a tenth.  Both ways
 * take turns; prints a line for each round, after one that does not count:
 *		rows <tab> kind <tab> bytes <tab> share found <tab> ns a probe <tab>
 *			ns without fetching ahead
 * and one for each table: what making it took, a row.
 * Each answer is compared with its key's; without rounds that is all, and the tables are
 * small if none are given.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../unit/device_support.h"
#include "../../unit/random.h"
#include "device/ops/ops.h"
#include "device/ops/ops_lookup.h"
#include "host/vector.h"

#define PROBES (UINT64_C(4) << 20)
#define SPREAD 1000003

typedef struct Kind
{
	const char *name;
	uint64_t	spread;			/* of keys */
	uint64_t	filters;
} Kind;

static const Kind bits = {"bits", 1, 0};
static const Kind slots = {"slots", SPREAD, 0};
static const Kind filter = {"filter", SPREAD, UINT64_MAX};

static TestProgram made;
static GpuAggVectors vectors;
static void *memory;
static GpuAggProgram *program;
static uint16_t found;

static double
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static void
fail(const char *what)
{
	fprintf(stderr, "lookup_host: %s\n", what);
	exit(1);
}

/* A table whose column is the key's number times 3; it goes behind the program. */
static void
table_make(uint64_t nrows, const Kind *kind)
{
	int64_t    *keys = malloc(nrows * sizeof(*keys));
	int64_t    *values = malloc(nrows * sizeof(*values));
	const GpuAggLookupSource columns[] = {{GPUAGG_CLASS_I64, keys, NULL},
										  {GPUAGG_CLASS_I64, values, NULL}};
	const GpuAggLookupRows rows = {nrows, 1, 2, columns, 7, kind->filters, NULL};
	GpuAggConst *slot;
	uint64_t	bytes;
	uint32_t	off;
	double		start;

	if (keys == NULL || values == NULL)
		fail("out of memory");
	for (uint64_t i = 0; i < nrows; i++)
	{
		keys[i] = (int64_t) (i * kind->spread);
		values[i] = (int64_t) (i * 3);
	}
	bytes = gpuagg_lookup_bytes_needed(&rows);
	made.padding = (uint32_t) bytes + 8;
	program = program_pack(&made);
	off = (program->bytes - made.padding + 7) & ~7u;
	memset((char *) program + off, 0, bytes);
	start = now_ns();
	if (!gpuagg_lookup_make(&rows, (char *) program + off, bytes))
		fail("the table cannot be made");
	printf("%llu\t%s\tmade in ns a row\t%.1f\n", (unsigned long long) nrows, kind->name,
		   (now_ns() - start) / (double) nrows);
	slot = (GpuAggConst *) ((char *) program + program->consts_off);
	slot->len = (uint32_t) bytes;
	slot->v.off = off;
	free(keys);
	free(values);
}

static void
program_make(void)
{
	uint16_t	table;
	uint16_t	row;

	program_init(&made);
	program_attr(&made, GPUAGG_T_INT8, true);
	table = program_const_text(&made, "");
	row = program_instr(&made, GPUAGG_OP_LOOKUP, GPUAGG_CLASS_I64, 0, table);
	found = program_instr(&made, GPUAGG_OP_FETCH_I64, GPUAGG_CLASS_I64, row, table);
}

/* ns of a probe, of which there are many blocks; of `in_ten` in ten keys there are rows */
static double
probe(uint64_t nrows, const Kind *kind, uint32_t in_ten, bool ahead)
{
	GpuAggVector *keys = &vectors.reg[0];
	const GpuAggVector *answer = &vectors.reg[found];
	double		ns = 0;

	keys->clean = true;
	for (uint64_t done = 0; done < PROBES; done += GPUAGG_VECTOR_ROWS)
	{
		uint64_t	numbers[GPUAGG_VECTOR_ROWS];
		bool		there[GPUAGG_VECTOR_ROWS];
		double		start;

		for (uint32_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
		{
			numbers[i] = random_next() % nrows;
			there[i] = random_next() % 10 < in_ten;
			keys->v.i[i] = (int64_t) (numbers[i] * kind->spread) + !there[i];
		}
		start = now_ns();
		if (ahead)
			gpuagg_vectors_run(&vectors, 0, program->ninstrs, GPUAGG_VECTOR_ROWS);
		else
			gpuagg_vectors_run_alone(&vectors, 0, program->ninstrs, GPUAGG_VECTOR_ROWS);
		ns += now_ns() - start;
		for (uint32_t i = 0; i < GPUAGG_VECTOR_ROWS; i++)
			if (there[i] != (answer->clean || answer->st[i] == GPUAGG_ST_VALUE) ||
				(there[i] && answer->v.i[i] != (int64_t) (numbers[i] * 3)))
				fail("a wrong row");
	}
	return ns / PROBES;
}

static void
measure(int rounds, uint64_t nrows, const Kind *kind)
{
	program_make();
	table_make(nrows, kind);
	memory = aligned_alloc(64, gpuagg_vectors_bytes(program));
	gpuagg_vectors_init(&vectors, program, memory);
	for (int r = 0; r <= rounds; r++)
		for (uint32_t in_ten = 10; in_ten > 0; in_ten = in_ten > 1 && kind != &bits ? 1 : 0)
		{
			const double with = probe(nrows, kind, in_ten, true);
			const double without = probe(nrows, kind, in_ten, false);

			if (r > 0)
				printf("%llu\t%s\t%u\t%.1f\t%.1f\t%.1f\n", (unsigned long long) nrows, kind->name,
					   gpuagg_program_consts(program)->len, in_ten / 10.0, with, without);
		}
	free(memory);
	free(program);
}

int
main(int argc, char **argv)
{
	const int	rounds = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 2; i < argc || i == 2; i++)
	{
		const uint64_t nrows = i < argc ? strtoull(argv[i], NULL, 10) : 400000;

		measure(rounds, nrows, &bits);
		measure(rounds, nrows, &slots);
		measure(rounds, nrows, &filter);
	}
	return 0;
}
