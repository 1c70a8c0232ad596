/*
 * row_output.c
 *		Groups that regrouping has made, as messages of a device (row_output.h).
 *
 * Rows without strings are a message as they lie in their block.  Long strings follow
 * their row, as in a device's messages.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "node/row_output.h"

#define MESSAGE_BYTES (64 * 1024)

/* The long string in a slot, behind the row that it belongs to */
static void
append_string(StringInfo message, const char *slot)
{
	if (gpuagg_string_slot_is_long(slot))
	{
		GpuAggBytes b = gpuagg_string_slot_bytes(slot);

		appendBinaryStringInfo(message, b.data, (int) b.len);
	}
}

static void
append_row(const GpuAggProgram *program, const GpuAggLayout *layout, StringInfo message,
		   const char *row)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);
	const GpuAggTransition *trans = gpuagg_program_transitions(program);

	appendBinaryStringInfo(message, row, layout->row_bytes);
	for (uint32 i = 0; i < layout->nkeys; i++)
		if (gpuagg_key_is_string(keys[i].type))
			append_string(message, row + layout->key_off[i]);
	for (uint32 i = 0; i < layout->ntransitions; i++)
		if (gpuagg_transition_is_string(trans[i].op))
			append_string(message, row + layout->state_off[i]);
	while (message->len % 8 != 0)
		appendStringInfoChar(message, '\0');
}

/* Rows that lie side by side, with their strings, as messages */
static GpuAggStatus
add_rows(const GpuAggProgram *program, const GpuAggLayout *layout, GpuAggResults *results,
		 const char *rows, uint32 count, GpuAggError *error)
{
	GpuAggStatus status = GPUAGG_OK;
	uint32		first = 0;
	StringInfoData message;

	initStringInfo(&message);
	for (uint32 i = 0; i < count && status == GPUAGG_OK; i++)
	{
		append_row(program, layout, &message, rows + (Size) i * layout->row_bytes);
		if (message.len < MESSAGE_BYTES && i + 1 < count)
			continue;
		status = gpuagg_results_add(results, message.data, i + 1 - first, message.len, error);
		first = i + 1;
		resetStringInfo(&message);
	}
	pfree(message.data);
	return status;
}

static bool
has_strings(const GpuAggProgram *program)
{
	for (int i = 0; i < program->nkeys; i++)
		if (gpuagg_key_is_string(gpuagg_program_keys(program)[i].type))
			return true;
	for (int i = 0; i < program->ntransitions; i++)
		if (gpuagg_transition_is_string(gpuagg_program_transitions(program)[i].op))
			return true;
	return false;
}

GpuAggStatus
gpuagg_row_output(const GpuAggRowTable *table, const GpuAggProgram *program,
					  GpuAggResults *results, uint64 *total, GpuAggError *error)
{
	const GpuAggLayout *layout = gpuagg_row_table_layout(table);
	bool		strings = has_strings(program);
	GpuAggStatus status = GPUAGG_OK;
	const char *rows;
	uint32		count;
	int			at = 0;

	while (status == GPUAGG_OK &&
		   (rows = gpuagg_row_table_rows(table, &at, &count)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		status = strings ? add_rows(program, layout, results, rows, count, error) :
			gpuagg_results_add(results, rows, count, (Size) count * layout->row_bytes, error);
		*total += count;
	}
	return status;
}
