/*
 * block_ring.c
 *		Blocks of rows in shared memory (block_ring.h).
 *
 * The worker copies a block before it looks at it, so that its checks hold.  It may be written
 * anew when its batch is complete, in whatever order that is.
 */
#include "postgres.h"

#include "ipc/block_ring.h"
#include "ipc/segment.h"

struct GpuAggBlockRing
{
	dsm_segment *segment;
	bool		in_flight[GPUAGG_RING_BLOCKS];
	uint64		batches[GPUAGG_RING_BLOCKS];	/* of those */
};

GpuAggBlockRing *
gpuagg_ring_create(void)
{
	dsm_segment *segment = gpuagg_segment_make(NULL, GPUAGG_RING_BLOCKS * GPUAGG_RING_BYTES);
	GpuAggBlockRing *ring;

	if (segment == NULL)
		return NULL;
	ring = palloc0(sizeof(GpuAggBlockRing));
	ring->segment = segment;
	return ring;
}

/* The first block that is free; GPUAGG_RING_BLOCKS: none is */
static int
free_block(const GpuAggBlockRing *ring)
{
	int			i = 0;

	while (i < GPUAGG_RING_BLOCKS && ring->in_flight[i])
		i++;
	return i;
}

char *
gpuagg_ring_room(GpuAggBlockRing *ring)
{
	const int	i = free_block(ring);

	return i == GPUAGG_RING_BLOCKS ? NULL :
		(char *) dsm_segment_address(ring->segment) + (Size) i * GPUAGG_RING_BYTES;
}

GpuAggStatus
gpuagg_ring_send(GpuAggBlockRing *ring, GpuAggClient *client, uint64 batch_id, uint32 count,
				 Size bytes, GpuAggError *error)
{
	const int	i = free_block(ring);
	const GpuAggBlockMsg msg = {
		.msg = {GPUAGG_MSG_BLOCK, count, batch_id},
		.segment = dsm_segment_handle(ring->segment),
		.offset = (uint64) i * GPUAGG_RING_BYTES,
		.bytes = bytes
	};

	Assert(i < GPUAGG_RING_BLOCKS && bytes <= GPUAGG_RING_BYTES);
	ring->in_flight[i] = true;
	ring->batches[i] = batch_id;
	return gpuagg_client_send(client, &msg, sizeof(msg), error);
}

void
gpuagg_ring_done(GpuAggBlockRing *ring, uint64 batch_id)
{
	for (int i = 0; i < GPUAGG_RING_BLOCKS; i++)
		if (ring->in_flight[i] && ring->batches[i] == batch_id)
			ring->in_flight[i] = false;
}

void
gpuagg_ring_end(GpuAggBlockRing *ring)
{
	dsm_detach(ring->segment);
	pfree(ring);
}
