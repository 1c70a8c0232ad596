/*
 * nearby.c
 *		Finds buffers of a scan where those of the blocks before were
 *		(nearby.h).
 *
 * Of a page in shared_buffers, what costs is cache and TLB misses: in the
 * buffer mapping table, the buffer's header and the page's header.  Tables
 * mostly lie in buffers that follow each other, upwards, or downwards where the
 * list of free buffers was refilled by a dropped table, or not quite in order,
 * where several sessions filled it.  So we run along the headers of buffers,
 * remember for a while which blocks we saw there, ask for exactly the buffer
 * where we saw the next block (ReadRecentBuffer checks), and prefetch headers
 * some buffers ahead.  Where that fails again and again we try less often.
 */
#include "postgres.h"

#include "compat.h"
#include "heap/nearby.h"
#include "miscadmin.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* Headers are fetched this many buffers ahead: about 1 us of work. */
#define PREFETCH_BUFFERS 8

/*
 * The next page is looked for in this many further buffers: parallel scans
 * and loads fill buffers alternately.
 */
#define NEARBY_BUFFERS 16

/* Bad guesses in a row after which only every GUESS_PAUSE-th page guesses. */
#define GUESS_PATIENCE 4
#define GUESS_PAUSE 32

void
gpuagg_nearby_init(GpuAggNearby *nearby, Relation rel)
{
	memset(nearby, 0, sizeof(*nearby));
	nearby->rel = rel;
	nearby->frontier = InvalidBuffer;
	nearby->direction = 1;
}

/*
 * The buffer that many steps from another in our direction, or InvalidBuffer
 * beyond the ends of shared_buffers.
 */
static inline Buffer
nearby_step(const GpuAggNearby *nearby, Buffer from, int steps)
{
	Buffer		buffer = from + nearby->direction * steps;

	return buffer >= 1 && buffer <= NBuffers ? buffer : InvalidBuffer;
}

void
gpuagg_nearby_skip(GpuAggNearby *nearby, int64 blocks)
{
	if (nearby->frontier == InvalidBuffer || blocks == 0)
		return;
	nearby->frontier = blocks < 0 ? InvalidBuffer :
		nearby_step(nearby, nearby->frontier, Min(blocks, NBuffers));
}

void
gpuagg_nearby_found(GpuAggNearby *nearby, Buffer buffer)
{
	int			steps = buffer - nearby->frontier;

	if (nearby->frontier != InvalidBuffer && abs(steps) <= GPUAGG_NEARBY_SEEN)
		nearby->direction = steps >= 0 ? 1 : -1;
	nearby->frontier = nearby_step(nearby, buffer, 1);
}

/*
 * A buffer whose header says that it holds this block.  A look without a
 * lock, good for a guess only.
 */
static inline Buffer
nearby_find(GpuAggNearby *nearby, BlockNumber block)
{
	uint32		place = block % GPUAGG_NEARBY_SEEN;

	if (nearby->seen[place].block == block)
		return nearby->seen[place].buffer;
	for (int i = 0; i < NEARBY_BUFFERS && nearby->frontier != InvalidBuffer; i++)
	{
		Buffer		buffer = nearby->frontier;
		BlockNumber there = GetBufferDescriptor(buffer - 1)->tag.blockNum;

		nearby->frontier = nearby_step(nearby, buffer, 1);
		if (there == block)
			return buffer;
		place = there % GPUAGG_NEARBY_SEEN;
		nearby->seen[place].block = there;
		nearby->seen[place].buffer = buffer;
	}
	return InvalidBuffer;
}

/* A buffer to try; InvalidBuffer: none was found, or it is no use trying. */
static inline Buffer
nearby_guess(GpuAggNearby *nearby, BlockNumber block)
{
	if (nearby->bad_guesses >= GUESS_PATIENCE && ++nearby->pause < GUESS_PAUSE)
		return InvalidBuffer;
	nearby->pause = 0;
	return nearby_find(nearby, block);
}

static inline void
nearby_judge(GpuAggNearby *nearby, Buffer guess, bool good)
{
	Buffer		ahead = good ? nearby_step(nearby, guess, PREFETCH_BUFFERS) :
		InvalidBuffer;

	nearby->bad_guesses = good ? 0 : nearby->bad_guesses + 1;
	if (ahead == InvalidBuffer)
		return;
	__builtin_prefetch(GetBufferDescriptor(ahead - 1), 1);
	__builtin_prefetch(BufferBlocks + (Size) (ahead - 1) * BLCKSZ);
}

Buffer
gpuagg_nearby_pin(GpuAggNearby *nearby, BlockNumber block)
{
	Buffer		guess = nearby_guess(nearby, block);
	bool		good = guess != InvalidBuffer &&
		ReadRecentBuffer(GPUAGG_RELATION_FILES(nearby->rel), MAIN_FORKNUM, block,
						 guess);

	nearby_judge(nearby, guess, good);
	return good ? guess : InvalidBuffer;
}
