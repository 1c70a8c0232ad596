/*
 * layout.h
 *		Shape of a group: one row of bytes that holds the keys and, beside
 *		them, the transition states.  Used by group tables on every device,
 *		by the result messages and by the client that turns rows into Datums.
 *
 * A row starts with a 4-byte head: bit i is set if key i is NULL (its slot
 * is then zero); bit 31 is the table's own (zero in a result).  4-byte key
 * slots follow at once (so that one int4 key and its head share 8 bytes),
 * then 8- and 16-byte slots and states, 8-byte aligned.  Row size is a
 * multiple of 8.
 *
 * Key slots: I64 types as int32 or int64 by their slot size, F64 as double
 * with its original bits (-0 and NaN as first seen; equality treats them as
 * PostgreSQL does), uuid as its 16 bytes, text and char(n) as a
 * GpuAggStringSlot.
 */
#ifndef GPUAGG_DEVICE_LAYOUT_H
#define GPUAGG_DEVICE_LAYOUT_H

#include "transition.h"

/* Up to 12 bytes stay inside the slot; longer ones live in a table's arena. */
#define GPUAGG_STRING_INLINE 12

typedef struct GpuAggStringSlot
{
	uint32_t	len;
	char		prefix[4];		/* first bytes, zero-padded */
	union
	{
		char		rest[8];	/* len <= 12: bytes 4..11, zero-padded */
		const char *data;		/* len > 12: all bytes.  In a result message:
								 * unused, the bytes follow the row */
	}			u;
} GpuAggStringSlot;

typedef struct GpuAggLayout
{
	uint32_t	row_bytes;
	uint32_t	nkeys;
	uint32_t	ntransitions;
	uint16_t	key_off[GPUAGG_MAX_KEYS];
	uint16_t	state_off[GPUAGG_MAX_TRANSITIONS];
} GpuAggLayout;

/* At most: the head, padded, the widest keys and the widest states */
#define GPUAGG_MAX_ROW_BYTES \
	(8 + 16 * GPUAGG_MAX_KEYS + GPUAGG_MAX_STATE_BYTES * GPUAGG_MAX_TRANSITIONS)

GPUAGG_FN uint32_t
gpuagg_type_slot_bytes(uint32_t type)
{
	static const uint8_t bytes[] = {
#define X(name, cls, pagebytes, slotbytes) slotbytes,
		GPUAGG_TYPE_LIST(X)
#undef X
	};

	return bytes[type];
}

GPUAGG_FN uint32_t
gpuagg_key_class(uint32_t type)
{
	static const uint8_t classes[] = {
#define X(name, cls, pagebytes, slotbytes) GPUAGG_CLASS_##cls,
		GPUAGG_TYPE_LIST(X)
#undef X
	};

	return classes[type];
}

/*
 * Bytes of a column's value where columns lie by themselves: of a string those of its
 * code.  What is no attribute of a table has as many as a register.
 */
GPUAGG_FN uint32_t
gpuagg_column_bytes(const GpuAggProgram *p, uint32_t column)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg == column)
			return gpuagg_key_class(attrs[i].type) == GPUAGG_CLASS_BYTES ? 4 :
				gpuagg_type_slot_bytes(attrs[i].type);
	return gpuagg_program_classes(p)[column] == GPUAGG_CLASS_BYTES ? 4 : 8;
}

GPUAGG_FN uint32_t
gpuagg_transition_bytes(uint32_t op)
{
	static const uint8_t bytes[] = {
#define X(name, statebytes, cls) statebytes,
		GPUAGG_TRANSITION_LIST(X)
#undef X
	};

	return bytes[op];
}

/* Words of a state that a value changes where many threads share it: of moments all */
GPUAGG_FN uint32_t
gpuagg_transition_words(uint32_t op)
{
	return op >= GPUAGG_TRANS_MOMENTS_F64 ? gpuagg_transition_bytes(op) / 8 : 1;
}

/*
 * Bytes of a state in a block's shared memory: a word of 32 bits for what fits
 * (cuda/frame/shared.cuh)
 */
GPUAGG_FN uint32_t
gpuagg_transition_shared_bytes(uint32_t op)
{
	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			return 4;
		case GPUAGG_TRANS_SUM_I128:
			return 12;
		case GPUAGG_TRANS_MOMENTS_F64:
		case GPUAGG_TRANS_COMOMENTS_F64:
		case GPUAGG_TRANS_FIRST_F64:
			return gpuagg_transition_bytes(op);
		default:
			return 8;
	}
}

GPUAGG_FN void
gpuagg_layout_compute(const GpuAggProgram *p, GpuAggLayout *out)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	off = 4;

	memset(out, 0, sizeof(*out));
	out->nkeys = p->nkeys;
	out->ntransitions = p->ntransitions;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		if (gpuagg_type_slot_bytes(keys[i].type) != 4)
			continue;
		out->key_off[i] = (uint16_t) off;
		off += 4;
	}
	off = (uint32_t) gpuagg_align(off, 8);
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		uint32_t	bytes = gpuagg_type_slot_bytes(keys[i].type);

		if (bytes == 4)
			continue;
		out->key_off[i] = (uint16_t) off;
		off += bytes;
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		out->state_off[i] = (uint16_t) off;
		off += gpuagg_transition_bytes(trans[i].op);
	}
	out->row_bytes = off;
}

/* Does this key or state slot hold a GpuAggStringSlot? */
GPUAGG_FN bool
gpuagg_key_is_string(uint32_t type)
{
	return type == GPUAGG_T_TEXT || type == GPUAGG_T_BPCHAR || type == GPUAGG_T_NAME ||
		type == GPUAGG_T_INET;
}

GPUAGG_FN bool
gpuagg_transition_is_string(uint32_t op)
{
	return op >= GPUAGG_TRANS_MIN_BYTES && op <= GPUAGG_TRANS_MAX_INET;
}

/*
 * Bytes of an entry that threads share: behind its row a lock, of those with a string
 * as a state, which takes more than one word to change.
 */
#define GPUAGG_LOCK_BYTES 8

GPUAGG_FN bool
gpuagg_program_has_lock(const GpuAggProgram *p)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	bool		locked = false;

	for (uint32_t i = 0; i < p->ntransitions; i++)
		locked |= gpuagg_transition_is_string(trans[i].op);
	return locked;
}

/*
 * A state that never saw a value must not look like a string to whoever
 * walks the row: an empty MIN/MAX slot is all zero with len UINT32_MAX.
 */
#define GPUAGG_STRING_NONE UINT32_MAX

#endif							/* GPUAGG_DEVICE_LAYOUT_H */
