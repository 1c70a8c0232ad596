/*
 * record_layout.c
 *		Where things are in a record, and how many records a record block holds.
 */
#include "host/records.h"

/*
 * What the record blocks that are being filled should not exceed, together and by
 * thread, there in scopes; rows in a record block, at least.
 */
#define RECORD_FILLING_BYTES ((size_t) 64 << 20)
#define RECORD_FILLING_SCOPES 24
#define RECORD_BLOCK_ROWS 32

/* The column of a register; a new one if need be. */
static uint8_t
column_of(GpuAggRecordLayout *l, uint32_t reg, uint32_t transition, bool is_filter)
{
	GpuAggRecordColumn *column = l->columns;

	while (column < l->columns + l->ncolumns &&
		   (column->reg != reg || column->is_filter != is_filter))
		column++;
	if (column == l->columns + l->ncolumns)
	{
		l->ncolumns++;
		column->reg = (uint16_t) reg;
		column->transition = (uint8_t) transition;
		column->is_filter = is_filter;
	}
	return (uint8_t) (column - l->columns);
}

/* Integers of 4 bytes and less are kept as such. */
static uint32_t
value_width(uint32_t type)
{
	return gpuagg_key_class(type) == GPUAGG_CLASS_I64 && gpuagg_type_slot_bytes(type) == 4 ?
		sizeof(int32_t) : sizeof(int64_t);
}

static bool
all_narrow(const GpuAggRecordLayout *l)
{
	bool		narrow = true;

	for (uint32_t c = 0; c < l->ncolumns; c++)
		narrow &= l->columns[c].width == sizeof(int32_t) && !l->columns[c].is_filter;
	return narrow;
}

static void
layout_form(const GpuAggRecordLayout *l, GpuAggRecordForm *f, bool has_states)
{
	const GpuAggLayout *layout = &l->prepared->layout;
	const GpuAggKey *keys = gpuagg_program_keys(l->prepared->program);
	uint32_t	values = 0;
	uint32_t	end = 0;

	memset(f, 0, sizeof(*f));
	f->has_states = has_states;
	f->image_first = has_states || layout->nkeys == 0 ? 0 : l->prepared->key_bytes;
	for (uint32_t i = 0; i < layout->nkeys; i++)
	{
		const uint32_t off = layout->key_off[i];
		const uint32_t behind = off + gpuagg_type_slot_bytes(keys[i].type);

		f->image_first = off < f->image_first ? off : f->image_first;
		end = behind > end ? behind : end;
	}
	for (uint32_t c = 0; c < l->ncolumns; c++)
		values += l->columns[c].width;
	f->image_bytes = end - f->image_first;
	f->values_off = GPUAGG_HOST_RECORD_HASH + f->image_bytes;
	f->states_off = f->values_off + values;
	f->row_bytes = f->states_off + (has_states ? l->ncolumns : 0);
	f->narrow = !has_states && l->prepared->key_mode == GPUAGG_KEYS_WORD &&
		all_narrow(l) && l->ncolumns <= GPUAGG_RECORD_NARROW_COLUMNS;
	f->stage_rows = f->narrow ? GPUAGG_RECORD_NARROW_STAGE : gpuagg_host_stage_rows(f->row_bytes);
	f->row_bytes = gpuagg_host_record_bytes(f->row_bytes - GPUAGG_HOST_RECORD_HASH);
}

void
gpuagg_record_layout_columns(GpuAggRecordLayout *l, const GpuAggPrepared *prepared)
{
	const GpuAggProgram *p = prepared->program;
	const GpuAggTransition *trans = gpuagg_program_transitions(p);
	uint32_t	off = 0;

	memset(l, 0, sizeof(*l));
	l->prepared = prepared;
	l->possible = !prepared->long_keys;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		GpuAggRecordColumn *column;
		uint32_t	width;

		l->arg_column[i] = l->filter_column[i] = GPUAGG_NO_COLUMN;
		if (trans[i].filter != GPUAGG_NO_REG)
		{
			l->filter_column[i] = column_of(l, trans[i].filter, i, true);
			l->columns[l->filter_column[i]].width = sizeof(int32_t);
		}
		if (trans[i].arg == GPUAGG_NO_REG)
			continue;
		l->arg_column[i] = column_of(l, trans[i].arg, i, false);
		column = &l->columns[l->arg_column[i]];
		width = value_width(trans[i].type);
		if (gpuagg_transition_is_string(trans[i].op))
			l->possible = false;
		else if (trans[i].op != GPUAGG_TRANS_COUNT && width > column->width)
			column->width = width;
	}
	for (uint32_t c = 0; c < l->ncolumns; c++)
	{
		l->columns[c].off = off;
		off += l->columns[c].width;
	}
	layout_form(l, &l->compact, false);
	layout_form(l, &l->whole, true);
}

static void
layout_record_blocks(GpuAggRecordForm *f, uint32_t partition_bits, size_t most)
{
	f->record_block_rows = GPUAGG_VECTOR_ROWS;
	while (f->record_block_rows > RECORD_BLOCK_ROWS &&
		   ((size_t) f->record_block_rows * f->row_bytes << partition_bits) > most)
		f->record_block_rows /= 2;
	f->record_block_bytes = GPUAGG_RECORD_HEAD_BYTES + f->record_block_rows * f->row_bytes;
	/* an odd number of lines, so that record blocks do not share their cache sets */
	f->record_block_bytes |= GPUAGG_RECORD_LINE_BYTES;
}

void
gpuagg_record_layout_blocks(GpuAggRecordLayout *l, uint32_t partition_bits,
							uint32_t threads, size_t scope_bytes)
{
	size_t		most = RECORD_FILLING_BYTES / threads;

	if (most / RECORD_FILLING_SCOPES > scope_bytes)
		most = RECORD_FILLING_SCOPES * scope_bytes;
	l->partition_bits = partition_bits;
	layout_record_blocks(&l->compact, partition_bits, most);
	layout_record_blocks(&l->whole, partition_bits, most);
}
