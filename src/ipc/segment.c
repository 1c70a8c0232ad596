/*
 * segment.c
 *		Dynamic shared memory segments (segment.h).
 *
 * Making one and attaching to one may raise errors: /dev/shm may be full, or small, as
 * in containers.  Nobody has to fail for that, so they are caught.  What an attempt has
 * taken goes with a resource owner of its own.
 */
#include "postgres.h"

#include "ipc/segment.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

/* An owner for an attempt; it has no locks. */
static ResourceOwner
owner_create(void)
{
	return ResourceOwnerCreate(NULL, "gpuagg segment");
}

static void
owner_release(ResourceOwner owner)
{
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, true);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, true);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, true);
	ResourceOwnerDelete(owner);
}

/* A new segment of so many bytes, or, 0, the one of that handle; NULL: neither */
static dsm_segment *
segment_open(Size bytes, dsm_handle handle, ResourceOwner owner)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner before = CurrentResourceOwner;
	dsm_segment *volatile seg = NULL;

	PG_TRY();
	{
		CurrentResourceOwner = owner;
		seg = bytes > 0 ? dsm_create(bytes, DSM_CREATE_NULL_IF_MAXSEGMENTS) : dsm_attach(handle);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
		seg = NULL;
	}
	PG_END_TRY();
	CurrentResourceOwner = before;
	return seg;
}

dsm_segment *
gpuagg_segment_make(const void *data, Size bytes)
{
	ResourceOwner owner = owner_create();
	dsm_segment *seg = segment_open(bytes, 0, owner);

	if (seg != NULL)
	{
		if (data != NULL)
			memcpy(dsm_segment_address(seg), data, bytes);
		/* from that owner to the current one */
		dsm_pin_mapping(seg);
		dsm_unpin_mapping(seg);
	}
	owner_release(owner);
	return seg;
}

void *
gpuagg_segment_copy(dsm_handle handle, Size offset, Size bytes, MemoryContext context)
{
	ResourceOwner owner = owner_create();
	dsm_segment *seg = segment_open(0, handle, owner);
	void	   *copy = NULL;

	if (seg != NULL && offset <= dsm_segment_map_length(seg) &&
		bytes <= dsm_segment_map_length(seg) - offset)
		copy = MemoryContextAllocExtended(context, bytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (copy != NULL)
		memcpy(copy, (char *) dsm_segment_address(seg) + offset, bytes);
	owner_release(owner);
	return copy;
}
