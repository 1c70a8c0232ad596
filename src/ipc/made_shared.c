/*
 * made_shared.c
 *		Look-up tables that devices have (made_shared.h).
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "ipc/made_shared.h"
#include "ipc/shmem.h"

/* A table that was made for this session */
typedef struct Note
{
	int			device;
	Oid			relid;
	uint64		program;
	uint64		id;
} Note;

static Note notes[32];
static int	next_note;

static GpuAggMadeShared *
shared_of(int device)
{
	return &gpuagg_shared->devices[device].made;
}

void
gpuagg_made_shared_init(GpuAggMadeShared *shared)
{
	for (int i = 0; i < GPUAGG_MADE_ENTRIES; i++)
		pg_atomic_init_u64(&shared->ids[i], 0);
}

void
gpuagg_made_shared_clear(int device)
{
	for (int i = 0; i < GPUAGG_MADE_ENTRIES; i++)
		pg_atomic_write_u64(&shared_of(device)->ids[i], 0);
}

/* The first place of a number is another one's then. */
static void
replace(int device, uint64 old, uint64 new)
{
	GpuAggMadeShared *shared = shared_of(device);

	for (int i = 0; i < GPUAGG_MADE_ENTRIES; i++)
	{
		if (pg_atomic_read_u64(&shared->ids[i]) == old)
		{
			pg_atomic_write_u64(&shared->ids[i], new);
			return;
		}
	}
}

void
gpuagg_made_shared_add(int device, uint64 id)
{
	replace(device, 0, id);
}

void
gpuagg_made_shared_remove(int device, uint64 id)
{
	replace(device, id, 0);
}

bool
gpuagg_made_shared_has(int device, uint64 id)
{
	for (int i = 0; i < GPUAGG_MADE_ENTRIES; i++)
	{
		if (pg_atomic_read_u64(&shared_of(device)->ids[i]) == id)
			return true;
	}
	return false;
}

uint64
gpuagg_made_room(int device)
{
	return gpuagg_shmem_look(device)->facts.info.memory_limit / GPUAGG_MADE_SHARE;
}

static uint64
hash_program(const GpuAggProgram *p)
{
	const Size	seed = offsetof(GpuAggProgram, hash_seed);
	const Size	behind = seed + sizeof(p->hash_seed);
	const uint64 h = hash_bytes_extended((const unsigned char *) p, seed, 0);

	return hash_bytes_extended((const unsigned char *) p + behind, p->bytes - behind, h);
}

void
gpuagg_made_note(int device, Oid relid, const GpuAggProgram *program, uint64 id)
{
	notes[next_note] = (Note) {device, relid, hash_program(program), id};
	next_note = (next_note + 1) % (int) lengthof(notes);
}

bool
gpuagg_made_is_known(int device, Oid relid, const GpuAggProgram *program)
{
	const uint64 hash = hash_program(program);

	for (int i = 0; i < (int) lengthof(notes); i++)
	{
		const Note *n = &notes[i];

		if (n->relid == relid && n->program == hash && n->device == device && n->id != 0 &&
			gpuagg_made_shared_has(n->device, n->id))
			return true;
	}
	return false;
}
