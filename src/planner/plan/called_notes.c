/*
 * called_notes.c
 *		What a session knows of expressions that only PostgreSQL computes (called_notes.h).
 *
 * Notes tell what is worth a try, and nothing depends on them, so there are few, and names are
 * told apart by a hash.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "planner/plan/called_notes.h"
#include "utils/timestamp.h"

#define NOTES 64

/* A task that has failed is tried again after so long, ms. */
#define REFUSED_MS 60000

typedef struct Note
{
	Oid			relid;
	uint64		name;			/* a hash of it */
	GpuAggCalledNote note;
	TimestampTz at;
} Note;

static Note notes[NOTES];
static int	next_note;

static uint64
hash_of(const char *name, Size length)
{
	return hash_bytes_extended((const unsigned char *) name, length, 0);
}

static Note *
find(Oid relid, uint64 name)
{
	for (int i = 0; i < NOTES; i++)
		if (notes[i].relid == relid && notes[i].name == name)
			return &notes[i];
	return NULL;
}

GpuAggCalledNote
gpuagg_called_noted(Oid relid, const char *name, Size length)
{
	const Note *found = find(relid, hash_of(name, length));

	if (found == NULL || (found->note == GPUAGG_CALLED_REFUSED &&
						  TimestampDifferenceExceeds(found->at, GetCurrentTimestamp(), REFUSED_MS)))
		return GPUAGG_CALLED_UNKNOWN;
	return found->note;
}

void
gpuagg_called_note(Oid relid, const char *name, Size length, GpuAggCalledNote note)
{
	const uint64 hash = hash_of(name, length);
	Note	   *found = find(relid, hash);

	if (found == NULL)
	{
		found = &notes[next_note];
		next_note = (next_note + 1) % NOTES;
	}
	*found = (Note) {.relid = relid,.name = hash,.note = note,.at = GetCurrentTimestamp()};
}
