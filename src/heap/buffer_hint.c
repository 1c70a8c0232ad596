/*
 * buffer_hint.c
 *		Finds buffers of a scan where those of the blocks before were
 *		(buffer_hint.h).
 *
 * Of a page in shared_buffers, what costs is cache and TLB misses: in the
 * buffer mapping table, the buffer's header and the page's header.  Tables
 * mostly lie in buffers that follow each other, upwards, or downwards where the
 * list of free buffers was refilled by a dropped table, or not quite in order,
 * where several sessions filled it, or with those of other tables between them,
 * where sessions filled these at the same time.  So we run along the headers of
 * buffers, remember for a while which of the relation's blocks we saw there, and
 * ask for exactly the buffer where we saw the next block (ReadRecentBuffer
 * checks).  We run some blocks ahead and fetch their headers and pages into the
 * caches, several at once; how far that is in buffers tells the gap from one to
 * the next.  Where guesses fail again and again we try less often.
 */
#include "postgres.h"

#include "compat.h"
#include "heap/buffer_hint.h"
#include "miscadmin.h"
#include "storage/buf_internals.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

/* Blocks that are fetched ahead: about 1 us of work */
#define AHEAD_BLOCKS 8

/*
 * The next block is looked for in this many further buffers: parallel scans and
 * loads fill buffers alternately.
 */
#define BUFFER_HINT_BUFFERS 128

/* Headers that are looked at ahead for each block are at most twice the gap, and these. */
#define AHEAD_LEAST 2

/* Headers are fetched into the caches so far before they are looked at. */
#define HEADERS_AHEAD 48

#define GAP_ONE 8				/* a gap of one buffer */
#define GAP_NEAR (2 * GAP_ONE)	/* pages share what the processor knows of their addresses */

/* Bad guesses in a row after which only every GUESS_PAUSE-th page guesses. */
#define GUESS_PATIENCE 4
#define GUESS_PAUSE 32

void
gpuagg_buffer_hint_init(GpuAggBufferHints *hints, Relation rel)
{
	memset(hints, 0, sizeof(*hints));
	hints->rel = rel;
	hints->last = InvalidBuffer;
	hints->frontier = InvalidBuffer;
	hints->direction = 1;
	hints->gap = GAP_ONE;
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

static inline bool
buffer_hint_near(const GpuAggBufferHints *hints)
{
	return hints->gap <= GAP_NEAR;
}

/* The frontier is there at least: what lies before is seen already, or not wanted. */
static void
buffer_hint_move(GpuAggBufferHints *hints, Buffer to)
{
	if (to == InvalidBuffer || hints->frontier == InvalidBuffer ||
		(to - hints->frontier) * hints->direction > 0)
	{
		hints->frontier = to;
		hints->passed = 0;
	}
}

void
gpuagg_buffer_hint_skip(GpuAggBufferHints *hints, int64 blocks)
{
	if (hints->last == InvalidBuffer || blocks == 0)
		return;
	if (blocks < 0)
	{
		hints->frontier = hints->last = InvalidBuffer;
		return;
	}
	hints->skipped = Min(hints->skipped + blocks, NBuffers);
	buffer_hint_move(hints, buffer_hint_step(hints, hints->last, 1 + (int) hints->skipped));
}

void
gpuagg_buffer_hint_found(GpuAggBufferHints *hints, Buffer buffer)
{
	int			steps = buffer - hints->last;

	if (hints->last != InvalidBuffer && abs(steps) <= BUFFER_HINT_BUFFERS)
		hints->direction = steps >= 0 ? 1 : -1;
	hints->last = buffer;
	hints->frontier = buffer_hint_step(hints, buffer, 1);
	hints->passed = 0;
}

/*
 * Looks at the header at the frontier.  A look without a lock, good for a guess only.
 * The block that it says, if it is the relation's.
 */
static inline BlockNumber
buffer_hint_look(GpuAggBufferHints *hints)
{
	Buffer		buffer = hints->frontier;
	BufferDesc *desc = GetBufferDescriptor(buffer - 1);
	BlockNumber there;
	uint32		slot;

	hints->frontier = buffer_hint_step(hints, buffer, 1);
	hints->passed++;
	if (!buffer_hint_near(hints))
		__builtin_prefetch(desc + hints->direction * HEADERS_AHEAD);
	if (!GPUAGG_TAG_IS_OF(desc->tag, hints->rel))
		return InvalidBlockNumber;
	there = desc->tag.blockNum;
	slot = there % GPUAGG_BUFFER_HINT_SEEN;
	hints->seen[slot].block = there;
	hints->seen[slot].buffer = buffer;
	hints->newest = there;
	hints->gap = (hints->gap * 3 + Min(hints->passed, BUFFER_HINT_BUFFERS) * GAP_ONE) / 4;
	hints->passed = 0;
	return there;
}

/* A buffer whose header said that it holds this block */
static inline Buffer
buffer_hint_find(GpuAggBufferHints *hints, BlockNumber block)
{
	uint32		slot = block % GPUAGG_BUFFER_HINT_SEEN;

	if (hints->seen[slot].buffer != InvalidBuffer && hints->seen[slot].block == block)
		return hints->seen[slot].buffer;
	for (int i = 0; i < BUFFER_HINT_BUFFERS && hints->frontier != InvalidBuffer; i++)
		if (buffer_hint_look(hints) == block)
			return hints->seen[slot].buffer;
	return InvalidBuffer;
}

/*
 * Fetches headers and pages together.  Of pages far from each other each needs its own walk
 * of page tables, on virtual machines two, for which processors drop a prefetch, or wait
 * before they go on.  A load is never dropped, and walks for several overlap.
 */
static inline void
buffer_hint_fetch(const Buffer *buffers, uint32 n, bool near)
{
	for (uint32 i = 0; i < n; i++)
	{
		const char *page = BufferBlocks + (Size) (buffers[i] - 1) * BLCKSZ;

		if (near)
			__builtin_prefetch(page);
		else
			(void) *(const volatile char *) page;
	}
	for (uint32 i = 0; i < n; i++)
		__builtin_prefetch(GetBufferDescriptor(buffers[i] - 1), 1);
}

/*
 * Looks for blocks that are to be read soon: if they lie near each other for the next one
 * each time, else for several from time to time.  Of blocks that are not read one after the
 * other those ahead are not wanted.
 */
static inline void
buffer_hint_look_ahead(GpuAggBufferHints *hints, BlockNumber block)
{
	bool		near = buffer_hint_near(hints);
	uint32		enough = near ? AHEAD_BLOCKS : AHEAD_BLOCKS / 2;
	uint32		wanted = near ? 1 : AHEAD_BLOCKS;
	uint32		most = wanted * (AHEAD_LEAST + 2 * hints->gap / GAP_ONE);
	Buffer		found[AHEAD_BLOCKS];
	uint32		n = 0;

	if (hints->skipped > 0 || (hints->newest > block && hints->newest - block >= enough))
		return;
	for (uint32 i = 0; i < most && n < wanted && hints->frontier != InvalidBuffer; i++)
	{
		Buffer		buffer = hints->frontier;

		if (buffer_hint_look(hints) != InvalidBlockNumber)
			found[n++] = buffer;
	}
	buffer_hint_fetch(found, n, near);
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

Buffer
gpuagg_buffer_hint_pin(GpuAggBufferHints *hints, BlockNumber block)
{
	Buffer		guess = buffer_hint_guess(hints, block);
	bool		good = guess != InvalidBuffer &&
		ReadRecentBuffer(GPUAGG_RELATION_FILES(hints->rel), MAIN_FORKNUM, block,
						 guess);

	if (good)
	{
		hints->last = guess;
		hints->good++;
		hints->bad_guesses = 0;
		buffer_hint_look_ahead(hints, block);
	}
	else
		hints->bad_guesses++;
	hints->skipped = 0;
	return good ? guess : InvalidBuffer;
}
