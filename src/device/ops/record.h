/*
 * record.h
 *		What a row contributes to a group, packed: the form in which rows are
 *		partitioned, or kept for a later pass, once expressions are evaluated.
 *
 * A record is a multiple of 4 bytes, of 8 if a field has 8:
 *		head	only if a key can be NULL, or a transition not entered: bit i,
 *				key i is NULL; bit nkeys + t, the row does not enter
 *				transition t
 *		4-byte fields, then 8-byte ones
 * A field is what a register holds, in the width of a key slot of its type
 * (layout.h): keys first, then arguments.  A register that is used more than
 * once is one field; what counts all rows needs none.  An int4 key and an
 * int4 argument without NULLs are 8 bytes.
 *
 * Programs with strings have no records, nor have those with more keys and
 * transitions than the head has bits.
 */
#ifndef GPUAGG_DEVICE_OPS_RECORD_H
#define GPUAGG_DEVICE_OPS_RECORD_H

#include "device/layout.h"

#define GPUAGG_RECORD_FLAGS 32
#define GPUAGG_RECORD_FIELDS 24
#define GPUAGG_NO_FIELD 0xFF

typedef struct GpuAggRecordField
{
	uint16_t	reg;
	uint16_t	off;			/* in the record */
	uint8_t		bytes;			/* 4 or 8 */
	uint8_t		cls;			/* GpuAggClass */
	uint8_t		pad[2];
} GpuAggRecordField;

typedef struct GpuAggRecord
{
	uint32_t	bytes;
	uint32_t	has_head;
	uint32_t	nfields;
	GpuAggRecordField fields[GPUAGG_RECORD_FIELDS];
	uint8_t		key_field[GPUAGG_MAX_KEYS];
	uint8_t		arg_field[GPUAGG_MAX_TRANSITIONS];	/* number of the argument's field, or
													 * GPUAGG_NO_FIELD */
} GpuAggRecord;

/* The field of a register in the width of that type; 255: no more room */
GPUAGG_FN uint32_t
gpuagg_record_field(GpuAggRecord *record, uint32_t reg, uint32_t type)
{
	const uint32_t bytes = gpuagg_type_slot_bytes(type);
	GpuAggRecordField *f = record->fields;

	for (uint32_t i = 0; i < record->nfields; i++)
		if (f[i].reg == reg && f[i].bytes == bytes)
			return i;
	if (record->nfields == GPUAGG_RECORD_FIELDS)
		return GPUAGG_NO_FIELD;
	f += record->nfields;
	f->reg = (uint16_t) reg;
	f->bytes = (uint8_t) bytes;
	f->cls = (uint8_t) gpuagg_key_class(type);
	return record->nfields++;
}

/* 4-byte fields behind the head, then the others */
GPUAGG_FN void
gpuagg_record_place(GpuAggRecord *record)
{
	uint32_t	off = record->has_head ? 4 : 0;

	for (uint32_t i = 0; i < record->nfields; i++)
		if (record->fields[i].bytes == 4)
		{
			record->fields[i].off = (uint16_t) off;
			off += 4;
		}
	for (uint32_t i = 0; i < record->nfields; i++)
		if (record->fields[i].bytes == 8)
		{
			off = (uint32_t) gpuagg_align(off, 8);
			record->fields[i].off = (uint16_t) off;
			off += 8;
		}
	record->bytes = off;
}

/*
 * nullable[reg]: can this register be other than a value where a row is
 * packed?  (An error that is consumed ends the task, so it is never packed.)
 * False: the program has no records.
 */
GPUAGG_FN bool
gpuagg_record_compute(const GpuAggProgram *p, const uint8_t *nullable,
					  GpuAggRecord *record)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	memset(record, 0, sizeof(*record));
	if (p->select)
		return false;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		if (gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES)
			return false;
		record->has_head |= nullable[keys[i].reg];
		record->key_field[i] = (uint8_t) gpuagg_record_field(record, keys[i].reg, keys[i].type);
		if (record->key_field[i] == GPUAGG_NO_FIELD)
			return false;
	}
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		const GpuAggTransition *t = &trans[i];

		record->arg_field[i] = GPUAGG_NO_FIELD;
		record->has_head |= t->filter != GPUAGG_NO_REG ||
			(t->arg != GPUAGG_NO_REG && nullable[t->arg]);
		if (gpuagg_transition_is_string(t->op))
			return false;
		if (t->arg == GPUAGG_NO_REG || t->op == GPUAGG_TRANS_COUNT)
			continue;
		record->arg_field[i] = (uint8_t) gpuagg_record_field(record, t->arg, t->type);
		if (record->arg_field[i] == GPUAGG_NO_FIELD)
			return false;
	}
	gpuagg_record_place(record);
	return !record->has_head || p->nkeys + p->ntransitions <= GPUAGG_RECORD_FLAGS;
}

/*
 * The record of rows as they come: what can be NULL only the catalogs know, and of
 * keys alone.
 */
GPUAGG_FN bool
gpuagg_record_of_rows(const GpuAggProgram *p, GpuAggRecord *record)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint8_t		nullable[GPUAGG_MAX_REGS];

	memset(nullable, 1, sizeof(nullable));
	for (uint32_t i = 0; i < p->nkeys; i++)
		nullable[keys[i].reg] = !keys[i].notnull;
	return gpuagg_record_compute(p, nullable, record);
}

/* Bytes of the fields alone, side by side without gaps */
GPUAGG_FN uint32_t
gpuagg_record_field_bytes(const GpuAggRecord *record)
{
	uint32_t	bytes = 0;

	for (uint32_t i = 0; i < record->nfields; i++)
		bytes += record->fields[i].bytes;
	return bytes;
}

#endif							/* GPUAGG_DEVICE_OPS_RECORD_H */
