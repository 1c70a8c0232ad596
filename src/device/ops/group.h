/*
 * group.h
 *		Keys and transition states inside a group's row (layout.h): how a key
 *		is hashed, stored and compared, how a value enters a state and how
 *		two states are merged.  One meaning for every device.
 *
 * Updates of states go through the GPUAGG_UPDATE_ macros (state_update.h).
 *
 * Strings: a slot keeps up to GPUAGG_STRING_INLINE bytes itself and points at
 * longer ones.  Functions here only ever point at the bytes they are given;
 * the tables that keep rows copy them (host/group_table.c).
 */
#ifndef GPUAGG_DEVICE_OPS_GROUP_H
#define GPUAGG_DEVICE_OPS_GROUP_H

#include "device/layout.h"
#include "hash.h"
#include "moment_state.h"
#include "ops_bytes.h"
#include "ops_types.h"

/* avg(float) beyond this is PostgreSQL's: its squares may overflow */
#define GPUAGG_F64_AVG_LIMIT 1e145

/* ---------- keys ---------- */

/* The word that a key is hashed as; equal keys have equal words. */
GPUAGG_FN uint64_t
gpuagg_key_word_f64(double d)
{
	uint64_t	w;

	if (d != d)
		return UINT64_C(0x7FF8000000000000);
	d += 0.0;					/* -0 becomes 0 */
	memcpy(&w, &d, sizeof(w));
	return w;
}

GPUAGG_FN GpuAggBytes
gpuagg_bpchar_trim(GpuAggBytes b)
{
	while (b.len > 0 && b.data[b.len - 1] == ' ')
		b.len--;
	return b;
}

GPUAGG_FN uint64_t
gpuagg_key_word_bytes(uint32_t type, GpuAggBytes b, uint64_t seed)
{
	if (type == GPUAGG_T_BPCHAR)
		b = gpuagg_bpchar_trim(b);
	return gpuagg_hash_bytes(b.data, b.len, seed);
}

/* Integers; 4-byte slots hold what the type's range allows. */
GPUAGG_FN void
gpuagg_key_store_i64(uint32_t type, char *slot, int64_t v)
{
	int32_t		narrow = (int32_t) v;

	if (gpuagg_type_slot_bytes(type) == 4)
		memcpy(slot, &narrow, sizeof(narrow));
	else
		memcpy(slot, &v, sizeof(v));
}

GPUAGG_FN void
gpuagg_string_slot_store(char *slot, GpuAggBytes b)
{
	GpuAggStringSlot s;

	memset(&s, 0, sizeof(s));
	s.len = (uint32_t) b.len;
	if (b.len <= GPUAGG_STRING_INLINE)
	{
		if (b.len > 0)
			memcpy((char *) &s + offsetof(GpuAggStringSlot, prefix), b.data, b.len);
	}
	else
	{
		memcpy(s.prefix, b.data, sizeof(s.prefix));
		s.u.data = b.data;
	}
	memcpy(slot, &s, sizeof(s));
}

/* The slot's string; of an inline one it points into the slot. */
GPUAGG_FN GpuAggBytes
gpuagg_string_slot_bytes(const char *slot)
{
	GpuAggBytes b;
	uint32_t	len;

	memcpy(&len, slot, sizeof(len));
	b.len = len;
	if (len <= GPUAGG_STRING_INLINE)
		b.data = slot + offsetof(GpuAggStringSlot, prefix);
	else
		memcpy(&b.data, slot + offsetof(GpuAggStringSlot, u), sizeof(b.data));
	return b;
}

/* Does the slot point at bytes outside of it? */
GPUAGG_FN bool
gpuagg_string_slot_is_long(const char *slot)
{
	uint32_t	len;

	memcpy(&len, slot, sizeof(len));
	return len > GPUAGG_STRING_INLINE && len != GPUAGG_STRING_NONE;
}

/* Bytes of the slot's string that follow the row in a result message */
GPUAGG_FN uint32_t
gpuagg_string_slot_long_bytes(const char *slot)
{
	uint32_t	len;

	memcpy(&len, slot, sizeof(len));
	return gpuagg_string_slot_is_long(slot) ? len : 0;
}

/*
 * Bytes of the group at row in a result message: the row, its long strings,
 * all padded to 8.
 */
GPUAGG_FN uint64_t
gpuagg_group_bytes(const GpuAggProgram *p, const GpuAggLayout *layout, const char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint64_t	bytes = layout->row_bytes;

	for (uint32_t i = 0; i < layout->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			bytes += gpuagg_string_slot_long_bytes(row + layout->key_off[i]);
	for (uint32_t i = 0; i < layout->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			bytes += gpuagg_string_slot_long_bytes(row + layout->state_off[i]);
	return gpuagg_align(bytes, 8);
}

GPUAGG_FN void
gpuagg_key_store_bytes(uint32_t type, char *slot, GpuAggBytes b)
{
	if (type == GPUAGG_T_UUID)
		memcpy(slot, b.data, 16);
	else
		gpuagg_string_slot_store(slot, b);
}

GPUAGG_FN double
gpuagg_key_slot_f64(const char *slot)
{
	double		d;

	memcpy(&d, slot, sizeof(d));
	return d;
}

/* Are two slots of one key equal?  Neither is NULL. */
GPUAGG_FN bool
gpuagg_key_slots_equal(uint32_t type, const char *a, const char *b)
{
	switch (type)
	{
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			return gpuagg_key_word_f64(gpuagg_key_slot_f64(a)) ==
				gpuagg_key_word_f64(gpuagg_key_slot_f64(b));
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_NAME:
		case GPUAGG_T_INET:
			{
				GpuAggBytes x = gpuagg_string_slot_bytes(a);
				GpuAggBytes y = gpuagg_string_slot_bytes(b);

				if (type == GPUAGG_T_BPCHAR)
				{
					x = gpuagg_bpchar_trim(x);
					y = gpuagg_bpchar_trim(y);
				}
				return x.len == y.len && gpuagg_memcmp(x.data, y.data, x.len) == 0;
			}
		default:
			return gpuagg_memcmp(a, b, gpuagg_type_slot_bytes(type)) == 0;
	}
}

/* The word that a key in a slot is hashed as */
GPUAGG_FN uint64_t
gpuagg_key_slot_word(uint32_t type, const char *slot, uint64_t seed)
{
	const GpuAggBytes uuid = {slot, 16};

	switch (gpuagg_key_class(type))
	{
		case GPUAGG_CLASS_F64:
			return gpuagg_key_word_f64(gpuagg_key_slot_f64(slot));
		case GPUAGG_CLASS_BYTES:
			return gpuagg_key_word_bytes(type, gpuagg_key_is_string(type) ?
										 gpuagg_string_slot_bytes(slot) : uuid, seed);
		default:
			return gpuagg_type_slot_bytes(type) == 4 ? gpuagg_hash_read4(slot) :
				gpuagg_hash_read8(slot);
	}
}

/* Of the keys of a row; not the hash that a row of a table has come by */
GPUAGG_FN uint64_t
gpuagg_row_hash(const GpuAggProgram *p, const GpuAggLayout *layout, const char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const uint64_t seed = p->hash_seed;
	uint64_t	h = seed;
	uint32_t	nulls;

	memcpy(&nulls, row, sizeof(nulls));
	for (uint32_t i = 0; i < layout->nkeys; i++)
		h = gpuagg_hash_word(h, (nulls >> i & 1) != 0 ? GPUAGG_HASH_NULL :
							 gpuagg_key_slot_word(keys[i].type, row + layout->key_off[i], seed),
							 seed);
	return gpuagg_hash_finish(h);
}

/* ---------- states ---------- */

GPUAGG_FN void
gpuagg_state_init(uint32_t op, char *state)
{
	int64_t		first = 0;
	GpuAggStringSlot none;

	memset(state, 0, gpuagg_transition_bytes(op));
	if (gpuagg_transition_bytes(op) == 0)
		return;
	switch (op)
	{
		case GPUAGG_TRANS_MOMENTS_F64:
		case GPUAGG_TRANS_COMOMENTS_F64:
			gpuagg_moments_init(op, (double *) state);
			return;
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
			/* -0.0: PostgreSQL's sum starts with its first value, even -0; an average adds 0 */
			first = INT64_MIN;
			break;
		case GPUAGG_TRANS_MIN_I64:
		case GPUAGG_TRANS_MIN_F64:
			first = INT64_MAX;
			break;
		case GPUAGG_TRANS_MAX_I64:
		case GPUAGG_TRANS_MAX_F64:
			first = INT64_MIN;
			break;
		case GPUAGG_TRANS_AND_I64:
			first = -1;
			break;
		case GPUAGG_TRANS_MIN_BYTES:
		case GPUAGG_TRANS_MAX_BYTES:
		case GPUAGG_TRANS_MIN_BPCHAR:
		case GPUAGG_TRANS_MAX_BPCHAR:
		case GPUAGG_TRANS_MIN_INET:
		case GPUAGG_TRANS_MAX_INET:
			memset(&none, 0, sizeof(none));
			none.len = GPUAGG_STRING_NONE;
			memcpy(state, &none, sizeof(none));
			return;
		default:
			break;
	}
	memcpy(state, &first, sizeof(first));
}

/* Add a 128-bit number {low, high} to a SUM_I128 state: mostly one update, as little is carried. */
GPUAGG_FN void
gpuagg_state_add_i128(char *state, uint64_t low, uint64_t high)
{
	uint64_t   *word = (uint64_t *) state;
	uint64_t	carry = GPUAGG_UPDATE_ADD_CARRY(word, low);

	if (high + carry != 0)
		GPUAGG_UPDATE_ADD_U64(word + 1, high + carry);
}

/*
 * A value enters a state.  Transitions of integer arguments, and COUNT,
 * which does not look at v; op should be a constant.
 */
GPUAGG_FN void
gpuagg_state_step_i64(uint32_t op, char *state, int64_t v)
{
	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			GPUAGG_UPDATE_ADD_U64((uint64_t *) state, 1);
			break;
		case GPUAGG_TRANS_SUM_I64:
			GPUAGG_UPDATE_ADD_U64((uint64_t *) state, (uint64_t) v);
			break;
		case GPUAGG_TRANS_SUM_I128:
			gpuagg_state_add_i128(state, (uint64_t) v, (uint64_t) (v >> 63));
			break;
		case GPUAGG_TRANS_MIN_I64:
			GPUAGG_UPDATE_MIN_I64((int64_t *) state, v);
			break;
		case GPUAGG_TRANS_MAX_I64:
			GPUAGG_UPDATE_MAX_I64((int64_t *) state, v);
			break;
		case GPUAGG_TRANS_AND_I64:
			GPUAGG_UPDATE_AND_U64((uint64_t *) state, (uint64_t) v);
			break;
		case GPUAGG_TRANS_OR_I64:
			GPUAGG_UPDATE_OR_U64((uint64_t *) state, (uint64_t) v);
			break;
		case GPUAGG_TRANS_XOR_I64:
			GPUAGG_UPDATE_XOR_U64((uint64_t *) state, (uint64_t) v);
			break;
		default:
			break;
	}
}

/* gpuagg_state_step_i64 for doubles; SUM_F64_AVG's guard is gpuagg_f64_needs_pg(). */
GPUAGG_FN void
gpuagg_state_step_f64(uint32_t op, char *state, double v)
{
	switch (op)
	{
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
			GPUAGG_UPDATE_ADD_F64((double *) state, v);
			break;
		case GPUAGG_TRANS_MIN_F64:
			GPUAGG_UPDATE_MIN_I64((int64_t *) state, gpuagg_f64_order(v));
			break;
		case GPUAGG_TRANS_MAX_F64:
			GPUAGG_UPDATE_MAX_I64((int64_t *) state, gpuagg_f64_order(v));
			break;
		default:
			break;
	}
}

/* Must avg(float) of this value be left to PostgreSQL?  See transition.h. */
GPUAGG_FN bool
gpuagg_f64_needs_pg(double v)
{
	double		size = v < 0 ? -v : v;

	return size > GPUAGG_F64_AVG_LIMIT && size - size == 0;
}

/* Does this string replace that one as a MIN or MAX? */
GPUAGG_FN bool
gpuagg_string_prefers(uint32_t op, GpuAggBytes old, GpuAggBytes v)
{
	int			order;

	if (op == GPUAGG_TRANS_MIN_BPCHAR || op == GPUAGG_TRANS_MAX_BPCHAR)
	{
		old = gpuagg_bpchar_trim(old);
		v = gpuagg_bpchar_trim(v);
	}
	order = op == GPUAGG_TRANS_MIN_INET || op == GPUAGG_TRANS_MAX_INET ?
		gpuagg_inet_compare(v, old) : gpuagg_bytes_compare(v, old);
	return op == GPUAGG_TRANS_MIN_BYTES || op == GPUAGG_TRANS_MIN_BPCHAR ||
		op == GPUAGG_TRANS_MIN_INET ? order < 0 : order > 0;
}

/* The one in a state's slot? */
GPUAGG_FN bool
gpuagg_state_prefers(uint32_t op, const char *state, GpuAggBytes v)
{
	const GpuAggBytes old = gpuagg_string_slot_bytes(state);

	return old.len == GPUAGG_STRING_NONE || gpuagg_string_prefers(op, old, v);
}

/*
 * Merge a state into another of the same group.  Not for strings: there the
 * source's string is one more value.  Nor for moments: see below.
 */
GPUAGG_FN void
gpuagg_state_merge(uint32_t op, char *into, const char *from)
{
	uint64_t	word[2];
	double		d;

	switch (op)
	{
		case GPUAGG_TRANS_COUNT:
			memcpy(word, from, 8);
			GPUAGG_UPDATE_ADD_U64((uint64_t *) into, word[0]);
			break;
		case GPUAGG_TRANS_SUM_I128:
			memcpy(word, from, 16);
			gpuagg_state_add_i128(into, word[0], word[1]);
			break;
		case GPUAGG_TRANS_SUM_F64:
		case GPUAGG_TRANS_SUM_F64_AVG:
			memcpy(&d, from, 8);
			GPUAGG_UPDATE_ADD_F64((double *) into, d);
			break;
		case GPUAGG_TRANS_MIN_F64:
			memcpy(word, from, 8);
			GPUAGG_UPDATE_MIN_I64((int64_t *) into, (int64_t) word[0]);
			break;
		case GPUAGG_TRANS_MAX_F64:
			memcpy(word, from, 8);
			GPUAGG_UPDATE_MAX_I64((int64_t *) into, (int64_t) word[0]);
			break;
		default:
			memcpy(word, from, 8);
			gpuagg_state_step_i64(op, into, (int64_t) word[0]);
			break;
	}
}

/* gpuagg_state_merge of moments, too, in the form that threads share */
GPUAGG_FN void
gpuagg_state_merge_shared(uint32_t op, char *into, const char *from)
{
	if (op == GPUAGG_TRANS_MOMENTS_F64 || op == GPUAGG_TRANS_COMOMENTS_F64)
		gpuagg_moments_merge_shared(op, (double *) into, (const double *) from);
	else if (op != GPUAGG_TRANS_FIRST_F64)
		gpuagg_state_merge(op, into, from);
}

/* And in the finished form, where nobody else changes the group meanwhile */
GPUAGG_FN void
gpuagg_state_merge_alone(uint32_t op, char *into, const char *from)
{
	if (op == GPUAGG_TRANS_MOMENTS_F64 || op == GPUAGG_TRANS_COMOMENTS_F64)
		gpuagg_moments_merge(op, (double *) into, (const double *) from);
	else if (op != GPUAGG_TRANS_FIRST_F64)
		gpuagg_state_merge(op, into, from);
}

#endif							/* GPUAGG_DEVICE_OPS_GROUP_H */
