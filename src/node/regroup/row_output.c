/*
 * row_output.c
 *		Groups that regrouping has made, as messages of a device (row_output.h).
 *
 * Rows without long strings are a message as they lie in their block.  Long strings follow
 * their row, as in a device's messages.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "node/regroup/row_output.h"

#define MESSAGE_BYTES (64 * 1024)
#define ROWS_AT_ONCE 1024

/* Slots of rows that may have bytes behind the row */
typedef struct StringSlots
{
	int			n;
	uint16		off[GPUAGG_MAX_KEYS + GPUAGG_MAX_TRANSITIONS];
} StringSlots;

static void
find_strings(const GpuAggProgram *program, const GpuAggLayout *layout, StringSlots *slots)
{
	slots->n = 0;
	for (int i = 0; i < program->nkeys; i++)
		if (gpuagg_key_is_string(gpuagg_program_keys(program)[i].type))
			slots->off[slots->n++] = layout->key_off[i];
	for (int i = 0; i < program->ntransitions; i++)
		if (gpuagg_transition_is_string(gpuagg_program_transitions(program)[i].op))
			slots->off[slots->n++] = layout->state_off[i];
}

static Size
long_bytes(const StringSlots *slots, const char *row)
{
	Size		bytes = 0;

	for (int i = 0; i < slots->n; i++)
		bytes += gpuagg_string_slot_long_bytes(row + slots->off[i]);
	return bytes;
}

static bool
has_long(const StringSlots *slots, const char *rows, uint32 count, Size row_bytes)
{
	for (uint32 i = 0; i < count; i++)
		for (int j = 0; j < slots->n; j++)
			if (gpuagg_string_slot_is_long(rows + i * row_bytes + slots->off[j]))
				return true;
	return false;
}

/* A row, and its long strings behind it, all padded to 8 */
static void
append_row(const StringSlots *slots, StringInfo message, const char *row, Size row_bytes)
{
	const Size	bytes = row_bytes + long_bytes(slots, row);
	const Size	padded = TYPEALIGN(8, bytes);
	char	   *to;

	enlargeStringInfo(message, (int) padded);
	to = message->data + message->len;
	memcpy(to, row, row_bytes);
	memset(to + bytes, 0, padded - bytes);
	to += row_bytes;
	for (int i = 0; i < slots->n; i++)
	{
		const GpuAggBytes b = gpuagg_string_slot_bytes(row + slots->off[i]);

		if (!gpuagg_string_slot_is_long(row + slots->off[i]))
			continue;
		memcpy(to, b.data, b.len);
		to += b.len;
	}
	message->len += (int) padded;
}

/* Rows that lie side by side, with their strings, as messages */
static GpuAggStatus
add_rows(const StringSlots *slots, Size row_bytes, GpuAggResults *results, const char *rows,
		 uint32 count, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;
	uint32		first = 0;
	StringInfoData message;

	initStringInfo(&message);
	for (uint32 i = 0; i < count && status == GPUAGG_OK; i++)
	{
		append_row(slots, &message, rows + i * row_bytes, row_bytes);
		if (message.len < MESSAGE_BYTES && i + 1 < count)
			continue;
		status = gpuagg_results_add(results, message.data, i + 1 - first, message.len, error);
		first = i + 1;
		resetStringInfo(&message);
	}
	pfree(message.data);
	return status;
}

/* Adds rows as they lie, where no string is long. */
static GpuAggStatus
add_block(const StringSlots *slots, Size row_bytes, GpuAggResults *results, const char *rows,
		  uint32 count, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;

	if (slots->n == 0)
		return gpuagg_results_add(results, rows, count, count * row_bytes, error);
	for (uint32 n; count > 0 && status == GPUAGG_OK; rows += n * row_bytes, count -= n)
	{
		n = Min(count, ROWS_AT_ONCE);
		status = has_long(slots, rows, n, row_bytes) ?
			add_rows(slots, row_bytes, results, rows, n, error) :
			gpuagg_results_add(results, rows, n, n * row_bytes, error);
	}
	return status;
}

GpuAggStatus
gpuagg_row_output(const GpuAggRowTable *table, const GpuAggProgram *program,
					  GpuAggResults *results, uint64 *total, GpuAggError *error)
{
	const GpuAggLayout *layout = gpuagg_row_table_layout(table);
	StringSlots slots;
	GpuAggStatus status = GPUAGG_OK;
	const char *rows;
	uint32		count;
	int			at = 0;

	find_strings(program, layout, &slots);
	while (status == GPUAGG_OK &&
		   (rows = gpuagg_row_table_rows(table, &at, &count)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		status = add_block(&slots, layout->row_bytes, results, rows, count, error);
		*total += count;
	}
	return status;
}
