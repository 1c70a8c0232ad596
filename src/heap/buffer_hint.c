/*
 * buffer_hint.c
 *		Finds buffers of a scan where those of the blocks before were
 *		(buffer_hint.h).
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
#include "heap/buffer_hint.h"
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
#define BUFFER_HINT_BUFFERS 16

/* Bad guesses in a row after which only every GUESS_PAUSE-th page guesses. */
#define GUESS_PATIENCE 4
#define GUESS_PAUSE 32

void
gpuagg_buffer_hint_init(GpuAggBufferHints *hints, Relation rel)
{
	memset(hints, 0, sizeof(*hints));
	hints->rel = rel;
	hints->frontier = InvalidBuffer;
	hints->direction = 1;
}

/*
 * The buffer that many steps from another in our direction, or InvalidBuffer
 * beyond the ends of shared_buffers.
 */
static inline Buffer
buffer_hint_step(const GpuAggBufferHints *hints, Buffer from, int steps)
{
	Buffer		buffer = from + hints->direction * steps;

	return buffer >= 1 && buffer <= NBuffers ? buffer : InvalidBuffer;
}

void
gpuagg_buffer_hint_skip(GpuAggBufferHints *hints, int64 blocks)
{
	if (hints->frontier == InvalidBuffer || blocks == 0)
		return;
	hints->frontier = blocks < 0 ? InvalidBuffer :
		buffer_hint_step(hints, hints->frontier, Min(blocks, NBuffers));
}

void
gpuagg_buffer_hint_found(GpuAggBufferHints *hints, Buffer buffer)
{
	int			steps = buffer - hints->frontier;

	if (hints->frontier != InvalidBuffer && abs(steps) <= GPUAGG_BUFFER_HINT_SEEN)
		hints->direction = steps >= 0 ? 1 : -1;
	hints->frontier = buffer_hint_step(hints, buffer, 1);
}

/*
 * A buffer whose header says that it holds this block.  A look without a
 * lock, good for a guess only.
 */
static inline Buffer
buffer_hint_find(GpuAggBufferHints *hints, BlockNumber block)
{
	uint32		slot = block % GPUAGG_BUFFER_HINT_SEEN;

	if (hints->seen[slot].block == block)
		return hints->seen[slot].buffer;
	for (int i = 0; i < BUFFER_HINT_BUFFERS && hints->frontier != InvalidBuffer; i++)
	{
		Buffer		buffer = hints->frontier;
		BlockNumber there = GetBufferDescriptor(buffer - 1)->tag.blockNum;

		hints->frontier = buffer_hint_step(hints, buffer, 1);
		if (there == block)
			return buffer;
		slot = there % GPUAGG_BUFFER_HINT_SEEN;
		hints->seen[slot].block = there;
		hints->seen[slot].buffer = buffer;
	}
	return InvalidBuffer;
}

/* A buffer to try; InvalidBuffer: none was found, or it is no use trying. */
static inline Buffer
buffer_hint_guess(GpuAggBufferHints *hints, BlockNumber block)
{
	if (hints->bad_guesses >= GUESS_PATIENCE && ++hints->pause < GUESS_PAUSE)
		return InvalidBuffer;
	hints->pause = 0;
	return buffer_hint_find(hints, block);
}

static inline void
buffer_hint_check(GpuAggBufferHints *hints, Buffer guess, bool good)
{
	Buffer		ahead = good ? buffer_hint_step(hints, guess, PREFETCH_BUFFERS) :
		InvalidBuffer;

	hints->bad_guesses = good ? 0 : hints->bad_guesses + 1;
	if (ahead == InvalidBuffer)
		return;
	__builtin_prefetch(GetBufferDescriptor(ahead - 1), 1);
	__builtin_prefetch(BufferBlocks + (Size) (ahead - 1) * BLCKSZ);
}

Buffer
gpuagg_buffer_hint_pin(GpuAggBufferHints *hints, BlockNumber block)
{
	Buffer		guess = buffer_hint_guess(hints, block);
	bool		good = guess != InvalidBuffer &&
		ReadRecentBuffer(GPUAGG_RELATION_FILES(hints->rel), MAIN_FORKNUM, block,
						 guess);

	buffer_hint_check(hints, guess, good);
	return good ? guess : InvalidBuffer;
}
