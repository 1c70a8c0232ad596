/*
 * limits.h
 *		Sizes and limits of our own making, which a device works by and its cost is
 *		predicted by: both ask here.
 *
 * What a card has (shared memory, for instance) is not here: the device tells it
 * (GpuAggDeviceInfo).
 */
#ifndef GPUAGG_DEVICE_CHOICE_LIMITS_H
#define GPUAGG_DEVICE_CHOICE_LIMITS_H

#include "device/common.h"

/* ---------- the host device ---------- */

/*
 * Rows of a block, for which expressions are evaluated at once: a few
 * registers of this many 8-byte values stay in the L1 and L2 caches.
 */
#define GPUAGG_VECTOR_ROWS 1024

/*
 * Bytes of a thread's own table: rows, hashes and directory.  What current server
 * cores have of L2 cache; measured, twice as much is no worse.
 */
#define GPUAGG_HOST_LOCAL_BYTES (UINT64_C(1) << 20)

/* Beside its row, of a group there: its hash and hits, two to four directory entries */
#define GPUAGG_HOST_LOCAL_EXTRA (12 + 4 * sizeof(uint64_t))

/* Groups of so many bytes that a table of so many bytes has room for; two blocks fit. */
GPUAGG_FN uint32_t
gpuagg_host_local_rows(uint32_t row_bytes, uint64_t bytes)
{
	const uint32_t rows = (uint32_t) (bytes / (row_bytes + GPUAGG_HOST_LOCAL_EXTRA));

	return rows < 2 * GPUAGG_VECTOR_ROWS ? 2 * GPUAGG_VECTOR_ROWS : rows;
}

/* Groups that such a table of full size holds: a whole block of new ones must still fit. */
GPUAGG_FN double
gpuagg_host_local_groups(double row_bytes)
{
	return (double) gpuagg_host_local_rows((uint32_t) row_bytes, GPUAGG_HOST_LOCAL_BYTES) -
		GPUAGG_VECTOR_ROWS;
}

/* Beside its row, of a group in a table of a partition: two to four directory entries */
#define GPUAGG_HOST_DIRECTORY_BYTES (3 * sizeof(uint64_t))

/* Bytes of the tables of all partitions */
GPUAGG_FN double
gpuagg_host_tables_bytes(double groups, double row_bytes)
{
	return groups * (row_bytes + (double) GPUAGG_HOST_DIRECTORY_BYTES);
}

/*
 * Tables of so many scopes are worth keeping records for.  Measured: below,
 * they lie in the next cache, and writing records costs what it saves.
 */
#define GPUAGG_HOST_WORTHWHILE_SCOPES 32

GPUAGG_FN bool
gpuagg_host_keeps_records(double tables, double scope_bytes)
{
	return tables > scope_bytes * GPUAGG_HOST_WORTHWHILE_SCOPES;
}

/* 16 partitions a thread make it rare that two want the same one. */
#define GPUAGG_HOST_PARTITIONS_PER_THREAD 16
#define GPUAGG_HOST_LEAST_BITS 4

/*
 * In a single pass, more than 256 make runs of a block's rows too short.
 * More than 1024 ways to go need more cache lines than an L2 cache has for
 * them, and record blocks become too short.
 */
#define GPUAGG_HOST_SINGLE_PASS_BITS 8
#define GPUAGG_HOST_MOST_BITS 10

/*
 * A partition's table, in scopes.  Measured: with tables of one scope, half of
 * an L2 cache, ten million groups took a quarter longer, for there are twice as
 * many partitions to write records to; and so many that a single pass
 * suffered, when far fewer groups came than had been expected.
 */
#define GPUAGG_HOST_TABLE_SCOPES 2

/* Bits of the hash that say the partition, of a single pass */
GPUAGG_FN uint32_t
gpuagg_host_single_pass_bits(uint32_t threads)
{
	uint32_t	bits = GPUAGG_HOST_LEAST_BITS;

	while (bits < GPUAGG_HOST_SINGLE_PASS_BITS &&
		   1u << bits < GPUAGG_HOST_PARTITIONS_PER_THREAD * threads)
		bits++;
	return bits;
}

/* And where records are kept: as many more as tables of so many bytes want */
GPUAGG_FN uint32_t
gpuagg_host_partition_bits(uint32_t threads, double tables, double scope_bytes)
{
	uint32_t	bits = gpuagg_host_single_pass_bits(threads);

	while (bits < GPUAGG_HOST_MOST_BITS &&
		   GPUAGG_HOST_TABLE_SCOPES * scope_bytes * (double) (1u << bits) < tables)
		bits++;
	return bits;
}

/*
 * Records of a thread before they are aggregated: so many scopes at least, and
 * so many times the tables' bytes, which aggregating reads and writes as a
 * whole.  Measured: with as many bytes of records as of tables, a million
 * groups took a tenth longer than with four times as many, and with sixteen
 * times no less.
 */
#define GPUAGG_HOST_RECORDS_SCOPES 32
#define GPUAGG_HOST_RECORDS_TO_TABLES 4

/* Rows that a thread gathers for a partition: so many times their bytes are whole cache lines. */
GPUAGG_FN uint32_t
gpuagg_host_stage_rows(uint32_t row_bytes)
{
	return row_bytes <= 32 ? 16 : row_bytes <= 64 ? 8 : 4;
}

/* Bytes of a record whose fields take so many: half of the hash comes before them. */
#define GPUAGG_HOST_RECORD_HASH 4

GPUAGG_FN uint32_t
gpuagg_host_record_bytes(uint32_t fields)
{
	const uint32_t bytes = GPUAGG_HOST_RECORD_HASH + fields;

	return (uint32_t) gpuagg_align(bytes, 64 / gpuagg_host_stage_rows(bytes));
}

/*
 * Work is taken in morsels of so many pages or rows: long against taking
 * one (a microsecond), short against the pages of a batch, of which all
 * threads want some.  Pages of which a sample leaves few rows are little work
 * each, and the thread looks ahead only within its morsel.
 */
#define GPUAGG_HOST_MORSEL_PAGES 16
#define GPUAGG_HOST_MORSEL_SAMPLED 64
#define GPUAGG_HOST_MORSEL_ROWS 16384

GPUAGG_FN uint32_t
gpuagg_host_morsel_pages(bool sampled)
{
	return sampled ? GPUAGG_HOST_MORSEL_SAMPLED : GPUAGG_HOST_MORSEL_PAGES;
}

/* Positions of a stripe, whole blocks of vectors: some 0.2 ms of work */
#define GPUAGG_HOST_MORSEL_POSITIONS (64 * GPUAGG_VECTOR_ROWS)

/* Free blocks that it keeps for the next task; its threads keep as much. */
#define GPUAGG_HOST_FREE_BLOCKS (UINT64_C(256) << 20)

/* ---------- GPUs ---------- */

/*
 * Block-local tables of the kernels that group pages take at most this much shared
 * memory: with their counts less than the 48 kB that a block may have on any card.
 */
#define GPUAGG_LOCAL_MAX_BYTES (UINT32_C(47) << 10)

#endif							/* GPUAGG_DEVICE_CHOICE_LIMITS_H */
