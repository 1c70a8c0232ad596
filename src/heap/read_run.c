/*
 * read_run.c
 *		Blocks that follow each other, read by one request (read_run.h).
 *
 * The requests below PostgreSQL's read streams, which themselves do not suit the feed: a
 * stream decides by itself how many buffers of the ring it pins ahead, while batches that
 * devices read hold others of it.  Here the caller knows how many there is room for.
 */
#include "postgres.h"

#include "compat.h"
#include "heap/read_run.h"
#include "utils/rel.h"

#ifdef GPUAGG_HAS_READ_BUFFERS

uint32
gpuagg_read_run_most(void)
{
	return Max(1, Min(io_combine_limit, GPUAGG_READ_RUN));
}

/*
 * A request ends early behind a block that is in shared_buffers.  What of the rest it has
 * pinned by then is in the array, where the next one looks for it (18).
 */
void
gpuagg_read_run(GpuAggReadRun *run, BlockNumber first, uint32 n, BufferAccessStrategy strategy)
{
	ReadBuffersOperation operation = {
		.rel = run->rel,
		.smgr = RelationGetSmgr(run->rel),
		.forknum = MAIN_FORKNUM,
		.strategy = strategy,
		GPUAGG_READ_BUFFERS_KEPT(run->rel)
	};

	run->reads++;
	memset(run->buffers, 0, sizeof(run->buffers));
	for (uint32 done = 0; done < n;)
	{
		int			count = (int) (n - done);

		if (StartReadBuffers(&operation, run->buffers + done, first + done, &count,
							 GPUAGG_READ_BUFFERS_FLAGS))
			WaitReadBuffers(&operation);
		done += (uint32) count;
	}
	run->n = n;
	run->taken = 0;
}

#else

uint32
gpuagg_read_run_most(void)
{
	return 1;
}

void
gpuagg_read_run(GpuAggReadRun *run, BlockNumber first, uint32 n, BufferAccessStrategy strategy)
{
	Assert(n == 1);
	run->reads++;
	run->buffers[0] = ReadBufferExtended(run->rel, MAIN_FORKNUM, first, RBM_NORMAL, strategy);
	run->n = n;
	run->taken = 0;
}

#endif

Buffer
gpuagg_read_run_take(GpuAggReadRun *run)
{
	return gpuagg_read_run_left(run) > 0 ? run->buffers[run->taken++] : InvalidBuffer;
}

void
gpuagg_read_run_drop(GpuAggReadRun *run)
{
	Buffer		buffer;

	while ((buffer = gpuagg_read_run_take(run)) != InvalidBuffer)
		ReleaseBuffer(buffer);
}
