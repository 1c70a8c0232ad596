/*
 * pieces.c
 *		Pieces of huge pages, for tables that are each smaller than one.
 *
 * What is left of a block when a piece does not fit goes to the free list of
 * its own size, so that nothing is lost.
 */
#include "host/pieces.h"

#define PIECE_HEAD_BYTES 64

void
gpuagg_pieces_init(GpuAggPieces *pieces, GpuAggMemory *memory)
{
	memset(pieces, 0, sizeof(*pieces));
	pieces->memory = memory;
	pthread_mutex_init(&pieces->lock, NULL);
}

void
gpuagg_pieces_destroy(GpuAggPieces *pieces)
{
	while (pieces->blocks != NULL)
	{
		void	   *block = pieces->blocks;

		memcpy(&pieces->blocks, block, sizeof(void *));
		gpuagg_memory_free(pieces->memory, block, GPUAGG_MEMORY_BLOCK);
	}
	pthread_mutex_destroy(&pieces->lock);
}

/* The size class of a piece; 0: it is none. */
static uint32_t
class_of(size_t bytes)
{
	size_t		cls = (bytes + GPUAGG_PIECE_BYTES - 1) / GPUAGG_PIECE_BYTES;

	return bytes > GPUAGG_PIECE_BYTES / 2 && cls <= GPUAGG_PIECE_SIZES ? (uint32_t) cls : 0;
}

static void
push_free(GpuAggPieces *pieces, void *p, uint32_t cls)
{
	memcpy(p, &pieces->free[cls], sizeof(void *));
	pieces->free[cls] = p;
}

static bool
new_block(GpuAggPieces *pieces)
{
	char	   *block = gpuagg_memory_grow(pieces->memory, GPUAGG_MEMORY_BLOCK);

	if (block == NULL)
		return false;
	if (pieces->left >= GPUAGG_PIECE_BYTES)
		push_free(pieces, pieces->next, (uint32_t) (pieces->left / GPUAGG_PIECE_BYTES));
	memcpy(block, &pieces->blocks, sizeof(void *));
	pieces->blocks = block;
	pieces->next = block + PIECE_HEAD_BYTES;
	pieces->left = GPUAGG_MEMORY_BLOCK - PIECE_HEAD_BYTES;
	return true;
}

static void *
piece_locked(GpuAggPieces *pieces, uint32_t cls)
{
	void	   *p = pieces->free[cls];

	if (p != NULL)
	{
		memcpy(&pieces->free[cls], p, sizeof(void *));
		return p;
	}
	if (pieces->left < cls * GPUAGG_PIECE_BYTES && !new_block(pieces))
		return NULL;
	p = pieces->next;
	pieces->next += cls * GPUAGG_PIECE_BYTES;
	pieces->left -= cls * GPUAGG_PIECE_BYTES;
	return p;
}

void *
gpuagg_pieces_grow(GpuAggPieces *pieces, size_t bytes)
{
	uint32_t	cls = class_of(bytes);
	void	   *p;

	if (cls == 0)
		return gpuagg_memory_grow(pieces->memory, bytes);
	pthread_mutex_lock(&pieces->lock);
	p = piece_locked(pieces, cls);
	pthread_mutex_unlock(&pieces->lock);
	return p;
}

void
gpuagg_pieces_free(GpuAggPieces *pieces, void *p, size_t bytes)
{
	uint32_t	cls = class_of(bytes);

	if (p == NULL)
		return;
	if (cls == 0)
	{
		gpuagg_memory_free(pieces->memory, p, bytes);
		return;
	}
	pthread_mutex_lock(&pieces->lock);
	push_free(pieces, p, cls);
	pthread_mutex_unlock(&pieces->lock);
}
