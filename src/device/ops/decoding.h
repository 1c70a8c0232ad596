/*
 * decoding.h
 *		A group whose strings are codes, or places of least and greatest ones, gets them back
 *		(encode.h, places.h): functions over one group, which the host and kernels share.
 */
#ifndef GPUAGG_DEVICE_OPS_DECODING_H
#define GPUAGG_DEVICE_OPS_DECODING_H

#include <stddef.h>

#include "device/stripe.h"
#include "group.h"

/* What it takes to give groups their strings back */
typedef struct GpuAggEncoding
{
	const GpuAggProgram *from;	/* the program as it was */
	const GpuAggProgram *to;	/* the program as it is now */
	GpuAggLayout from_layout;
	GpuAggLayout to_layout;
	const GpuAggDictionaryText *texts;	/* by register of `to` */
} GpuAggEncoding;

/* Does key i become a string again? */
GPUAGG_FN bool
gpuagg_decode_is_code(const GpuAggEncoding *e, uint32_t i)
{
	return gpuagg_program_keys(e->to)[i].type == GPUAGG_T_CODE &&
		gpuagg_program_keys(e->from)[i].type != GPUAGG_T_CODE;
}

GPUAGG_FN const GpuAggDictionaryText *
gpuagg_decode_text(const GpuAggEncoding *e, uint32_t i)
{
	return &e->texts[gpuagg_program_keys(e->to)[i].reg];
}

/* The code of key i; false: the dictionary has no such code. */
GPUAGG_FN bool
gpuagg_decode_code(const GpuAggEncoding *e, const char *row, uint32_t i, int32_t *code)
{
	memcpy(code, row + e->to_layout.key_off[i], sizeof(*code));
	return *code >= 0 && (uint32_t) *code < gpuagg_decode_text(e, i)->entries;
}

GPUAGG_FN bool
gpuagg_decode_is_null(const char *row, uint32_t i)
{
	uint32_t	head;

	memcpy(&head, row, sizeof(head));
	return (head >> i & 1) != 0;
}

/* The string of a code that is in the dictionary */
GPUAGG_FN GpuAggBytes
gpuagg_decode_text_string(const GpuAggDictionaryText *text, uint32_t code)
{
	GpuAggBytes b;

	if (text->order != NULL)
		code = text->order[code];
	if (text->blocks != NULL)
		return text->blocks[code / GPUAGG_STRING_BLOCK][code % GPUAGG_STRING_BLOCK];
	b.data = text->bytes + text->starts[code];
	b.len = text->starts[code + 1] - text->starts[code];
	return b;
}

GPUAGG_FN bool
gpuagg_decode_string(const GpuAggEncoding *e, const char *row, uint32_t i, GpuAggBytes *b)
{
	const GpuAggDictionaryText *text = gpuagg_decode_text(e, i);
	int32_t		code;

	if (!gpuagg_decode_code(e, row, i, &code))
		return false;
	*b = gpuagg_decode_text_string(text, (uint32_t) code);
	return gpuagg_program_keys(e->from)[i].type != GPUAGG_T_UUID || b->len == 16;
}

/* Is the state of transition i a place, which becomes a string again? */
GPUAGG_FN bool
gpuagg_decode_is_place(const GpuAggEncoding *e, uint32_t i)
{
	return gpuagg_transition_is_string(gpuagg_program_transitions(e->from)[i].op) &&
		!gpuagg_transition_is_string(gpuagg_program_transitions(e->to)[i].op);
}

/* Its string, of length GPUAGG_STRING_NONE without one; false: there is no such place. */
GPUAGG_FN bool
gpuagg_decode_place(const GpuAggEncoding *e, const char *row, uint32_t i, GpuAggBytes *b)
{
	const GpuAggDictionaryText *text = &e->texts[gpuagg_program_transitions(e->to)[i].arg];
	int64_t		place;

	memcpy(&place, row + e->to_layout.state_off[i], sizeof(place));
	b->data = NULL;
	b->len = GPUAGG_STRING_NONE;
	if (place == INT64_MIN || place == INT64_MAX)
		return true;
	if (place < 0 || place >= (int64_t) text->entries)
		return false;
	*b = gpuagg_decode_text_string(text, (uint32_t) place);
	return true;
}

/*
 * Bytes that the group at `row`, of program `to`, takes in a result message in the
 * form of program `from`.  0: its codes are not in the dictionaries.
 */
GPUAGG_FN uint64_t
gpuagg_decode_bytes(const GpuAggEncoding *e, const char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(e->from);
	const GpuAggTransition *trans = gpuagg_program_transitions(e->from);
	uint64_t	bytes = e->from_layout.row_bytes;

	for (uint32_t i = 0; i < e->from->nkeys; i++)
	{
		GpuAggBytes b;

		if (!gpuagg_decode_is_code(e, i))
		{
			if (gpuagg_key_is_string(keys[i].type))
				bytes += gpuagg_string_slot_long_bytes(row + e->to_layout.key_off[i]);
			continue;
		}
		if (gpuagg_decode_is_null(row, i))
			continue;
		if (!gpuagg_decode_string(e, row, i, &b))
			return 0;
		if (gpuagg_key_is_string(keys[i].type) && b.len > GPUAGG_STRING_INLINE)
			bytes += b.len;
	}
	for (uint32_t i = 0; i < e->from->ntransitions; i++)
	{
		GpuAggBytes b;

		if (gpuagg_decode_is_place(e, i))
		{
			if (!gpuagg_decode_place(e, row, i, &b))
				return 0;
			if (b.len > GPUAGG_STRING_INLINE && b.len != GPUAGG_STRING_NONE)
				bytes += b.len;
		}
		else if (gpuagg_transition_is_string(trans[i].op))
			bytes += gpuagg_string_slot_long_bytes(row + e->to_layout.state_off[i]);
	}
	return gpuagg_align(bytes, 8);
}

/* The bytes of a long string go to *end, its slot's pointer away. */
GPUAGG_FN void
gpuagg_decode_put_long(const char *data, uint32_t len, char *slot, char **end)
{
	memset(slot + offsetof(GpuAggStringSlot, u), 0, sizeof(data));
	for (uint32_t i = 0; i < len; i++)
		(*end)[i] = data[i];
	*end += len;
}

/*
 * A slot as it is.  Its long string lies at *data, behind the row; or, where that
 * is NULL, where the slot says.
 */
GPUAGG_FN void
gpuagg_decode_copy_slot(const char *from, uint32_t bytes, bool string, char *slot,
						const char **data, char **end)
{
	uint32_t	len = string ? gpuagg_string_slot_long_bytes(from) : 0;

	memcpy(slot, from, bytes);
	if (len == 0)
		return;
	gpuagg_decode_put_long(*data != NULL ? *data : gpuagg_string_slot_bytes(from).data, len,
						   slot, end);
	if (*data != NULL)
		*data += len;
}

/* A string's slot; its bytes, if it is long, go to *end. */
GPUAGG_FN void
gpuagg_decode_put_string(GpuAggBytes b, char *slot, char **end)
{
	const uint32_t none = GPUAGG_STRING_NONE;

	if (b.len == GPUAGG_STRING_NONE)
	{
		memcpy(slot, &none, sizeof(none));
		return;
	}
	gpuagg_string_slot_store(slot, b);
	if (b.len > GPUAGG_STRING_INLINE)
		gpuagg_decode_put_long(b.data, (uint32_t) b.len, slot, end);
}

/*
 * Writes the group at `row` in that form.  data: its long strings, as they lie
 * behind it in a result message; NULL: where the slots say.
 */
GPUAGG_FN void
gpuagg_decode_group(const GpuAggEncoding *e, const char *row, const char *data, char *to)
{
	const GpuAggKey *keys = gpuagg_program_keys(e->from);
	const GpuAggTransition *trans = gpuagg_program_transitions(e->from);
	char	   *end = to + e->from_layout.row_bytes;

	memset(to, 0, e->from_layout.row_bytes);
	memcpy(to, row, sizeof(uint32_t));
	for (uint32_t i = 0; i < e->from->nkeys; i++)
	{
		const bool	string = gpuagg_key_is_string(keys[i].type);
		char	   *slot = to + e->from_layout.key_off[i];
		GpuAggBytes b;

		if (!gpuagg_decode_is_code(e, i))
			gpuagg_decode_copy_slot(row + e->to_layout.key_off[i],
									gpuagg_type_slot_bytes(keys[i].type), string, slot,
									&data, &end);
		else if (!gpuagg_decode_is_null(row, i) && gpuagg_decode_string(e, row, i, &b))
		{
			if (string)
				gpuagg_decode_put_string(b, slot, &end);
			else
				gpuagg_key_store_bytes(keys[i].type, slot, b);
		}
	}
	for (uint32_t i = 0; i < e->from->ntransitions; i++)
	{
		char	   *slot = to + e->from_layout.state_off[i];
		GpuAggBytes b;

		if (!gpuagg_decode_is_place(e, i))
			gpuagg_decode_copy_slot(row + e->to_layout.state_off[i],
									gpuagg_transition_bytes(trans[i].op),
									gpuagg_transition_is_string(trans[i].op), slot, &data, &end);
		else if (gpuagg_decode_place(e, row, i, &b))
			gpuagg_decode_put_string(b, slot, &end);
	}
	while ((end - to) % 8 != 0)
		*end++ = 0;
}

#endif							/* GPUAGG_DEVICE_OPS_DECODING_H */
