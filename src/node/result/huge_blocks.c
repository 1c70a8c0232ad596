/*
 * huge_blocks.c
 *		Large blocks of a backend's memory, on huge pages where the system has them.
 *
 * Memory is cleared as it is touched for the first time, which a large result pays in
 * full: on a virtual machine whose faults took 10 us for 4 kB, that was three quarters
 * of the time that handing over 10^7 groups took.  With huge pages it is still a
 * quarter.  So blocks ask for huge pages, and those that are given back stay mapped for
 * the backend's next result, up to SPARE_BYTES and to what one hash table may have.
 * The system may take the pages of such a block whenever it is short of memory
 * (MADV_FREE); those that it has not taken need no clearing.
 *
 * Mapped by us and not by malloc(), huge pages end at the block, and no heap remembers
 * them.
 */
#include "postgres.h"

#include <sys/mman.h>

#include "miscadmin.h"
#include "node/result/huge_blocks.h"

#define SPARE_BYTES ((Size) 256 * 1024 * 1024)
#define SPARE_BLOCKS 32

/* Blocks smaller than this are not worth a spare one, and larger than that no memory context */
#define LEAST_SPARE ((Size) 64 * 1024)
#define MOST_SMALL ((Size) 1024 * 1024)

typedef struct SpareBlock
{
	char	   *data;
	Size		bytes;
} SpareBlock;

static SpareBlock spare[SPARE_BLOCKS];
static int	nspare;
static Size spare_bytes;

/* Aligned to huge pages; NULL: none to be had */
static char *
map_block(Size bytes)
{
	Size		all = bytes + GPUAGG_HUGE_BYTES;
	char	   *p = mmap(NULL, all, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char	   *data;

	if (p == MAP_FAILED)
		return NULL;
	data = (char *) TYPEALIGN(GPUAGG_HUGE_BYTES, p);
	if (data > p)
		munmap(p, data - p);
	if (data - p < GPUAGG_HUGE_BYTES)
		munmap(data + bytes, GPUAGG_HUGE_BYTES - (data - p));
	(void) madvise(data, bytes, MADV_HUGEPAGE); /* advice only */
	return data;
}

/* The smallest that is large enough; -1: none is */
static int
find_spare(Size bytes)
{
	int			found = -1;

	for (int i = 0; i < nspare; i++)
	{
		if (spare[i].bytes >= bytes && (found < 0 || spare[i].bytes < spare[found].bytes))
			found = i;
	}
	return found;
}

char *
gpuagg_huge_alloc(Size *bytes)
{
	int			i = find_spare(*bytes);
	SpareBlock	block;

	if (i < 0)
	{
		*bytes = TYPEALIGN(GPUAGG_HUGE_BYTES, *bytes);
		return map_block(*bytes);
	}
	block = spare[i];
	spare[i] = spare[--nspare];
	spare_bytes -= block.bytes;
	*bytes = block.bytes;
	return block.data;
}

void
gpuagg_huge_free(char *data, Size bytes)
{
	if (nspare == SPARE_BLOCKS ||
		spare_bytes + bytes > Min(SPARE_BYTES, get_hash_memory_limit()) ||
		madvise(data, bytes, MADV_FREE) != 0)
	{
		munmap(data, bytes);
		return;
	}
	spare[nspare++] = (SpareBlock) {data, bytes};
	spare_bytes += bytes;
}

char *
gpuagg_block_alloc(Size *bytes)
{
	if (*bytes > MOST_SMALL || (*bytes >= LEAST_SPARE && find_spare(*bytes) >= 0))
		return gpuagg_huge_alloc(bytes);
	return palloc(*bytes);
}

void
gpuagg_block_free(char *data, Size bytes)
{
	if (bytes >= GPUAGG_HUGE_BYTES)
		gpuagg_huge_free(data, bytes);
	else
		pfree(data);
}
