/*
 * results.c
 *		What the device grouped, and groups to Datums.
 *
 * RESULTS messages are kept as they come (result_store.h), up to the memory that
 * a hash aggregation may use (work_mem * hash_mem_multiplier), the rest in a
 * temporary file.
 *
 * Groups are looked at when they come in (results_judge.c).
 *
 * Values are made as PostgreSQL's final functions make them (result_kinds.h): numeric from
 * the exact integer, an average as numeric_div of sum and count gives it.  They stay
 * until the next group's are made: numbers and strings in their column's emitter,
 * uuids in the row, very long strings and numbers in the caller's memory context.
 */
#include "postgres.h"

#include "device/layout.h"
#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "miscadmin.h"
#include "node/result/results_finals.h"
#include "node/result/results_judge.h"
#include "utils/memutils.h"
#include "utils/uuid.h"

StaticAssertDecl(sizeof(GpuAggStringSlot) == 16, "layout.h counts on it");
StaticAssertDecl(offsetof(GpuAggStringSlot, u) ==
				 offsetof(GpuAggStringSlot, prefix) + 4,
				 "the bytes of a short string lie side by side");
StaticAssertDecl(UUID_LEN == 16, "a uuid fits its key slot");

/* ------------------------------------------------------------ creation --- */

/* Every string slot, whether an output shows it or not */
static void
results_find_strings(GpuAggResults *results, const GpuAggProgram *program)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);
	const GpuAggTransition *trans = gpuagg_program_transitions(program);
	int			max = program->nkeys + program->ntransitions;

	results->strings = palloc((max + 1) * sizeof(uint16));
	results->string_data = palloc0((max + 1) * sizeof(char *));
	for (int i = 0; i < program->nkeys; i++)
	{
		if (gpuagg_key_is_string(keys[i].type))
			gpuagg_results_add_string(results, results->layout.key_off[i]);
	}
	for (int i = 0; i < program->ntransitions; i++)
	{
		if (gpuagg_transition_is_string(trans[i].op))
			gpuagg_results_add_string(results, results->layout.state_off[i]);
	}
}

static void
emitter_init_key(const GpuAggResults *results, const GpuAggProgram *program,
				 const GpuAggOutput *output, GpuAggEmitter *emitter)
{
	const uint32 type = gpuagg_program_keys(program)[output->index].type;

	emitter->type = type;
	emitter->off = results->layout.key_off[output->index];
	emitter->slot_bytes = gpuagg_type_slot_bytes(type);
	emitter->null_bit = UINT32_C(1) << output->index;
	emitter->lookup = output->lookup;
	emitter->column = output->column;
}

static void
emitter_init_state(const GpuAggResults *results, const GpuAggOutput *output, GpuAggEmitter *emitter)
{
	emitter->off = results->layout.state_off[output->index];
	if (output->count_index >= 0)
		emitter->count_off = results->layout.state_off[output->count_index];
	emitter->statistic = output->statistic;
}

static void
emitter_init(GpuAggResults *results, const GpuAggProgram *program,
			 const GpuAggOutput *output, const Expr *expr, GpuAggEmitter *emitter)
{
	memset(emitter, 0, sizeof(*emitter));
	emitter->type = output->type;
	emitter->scale = output->scale;
	emitter->shown = output->shown;
	emitter->string_no = emitter->transition = emitter->counts = -1;
	if (gpuagg_final_is_key(output->final))
		emitter_init_key(results, program, output, emitter);
	else
		emitter_init_state(results, output, emitter);
	if (output->shown_by > 0)
		emitter->shown_off = results->layout.state_off[output->shown_by - 1];
	gpuagg_emitter_take(emitter, output->final);
	results->check |= emitter->judge != NULL;
	gpuagg_emitter_init(results, program, output, expr, emitter);
}

GpuAggResults *
gpuagg_results_create(const GpuAggProgram *program, const GpuAggOutput *outputs,
					  int noutputs, List *tlist, Size limit, MemoryContext parent,
					  ResourceOwner owner)
{
	MemoryContext context = AllocSetContextCreate(parent, "GpuAgg results",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	GpuAggResults *results = palloc0(sizeof(GpuAggResults));

	results->context = context;
	results->store = gpuagg_store_create(context, owner, limit);
	gpuagg_layout_compute(program, &results->layout);
	results_find_strings(results, program);
	results->nemitters = noutputs;
	results->emitters = palloc(Max(1, noutputs) * sizeof(GpuAggEmitter));
	for (int i = 0; i < noutputs; i++)
		emitter_init(results, program, &outputs[i],
					 tlist != NIL ? list_nth_node(TargetEntry, tlist, i)->expr : NULL,
					 &results->emitters[i]);
	MemoryContextSwitchTo(old);
	return results;
}

static void
take_long(GpuAggResults *results, const GpuAggProgram *program, GpuAggLongValues *longs)
{
	results->longs = longs;
	results->nkeys = program->nkeys;
	results->key_types = palloc(Max(1, program->nkeys));
	for (int i = 0; i < program->nkeys; i++)
		results->key_types[i] = gpuagg_program_keys(program)[i].type;
	initStringInfo(&results->long_key);
}

void
gpuagg_results_keep_merged(GpuAggResults *results, const GpuAggProgram *program,
						   const GpuAggOutput *outputs, int noutputs, const int16 *from,
						   int nstates)
{
	MemoryContext old = MemoryContextSwitchTo(results->context);

	take_long(results, program, gpuagg_long_values_create_merged(outputs, noutputs, from, nstates,
																 results->context));
	MemoryContextSwitchTo(old);
}

void
gpuagg_results_keep_long(GpuAggResults *results, const GpuAggProgram *program,
						 const GpuAggOutput *outputs, int noutputs)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(program);
	MemoryContext old = MemoryContextSwitchTo(results->context);

	take_long(results, program, gpuagg_long_values_create(outputs, noutputs, results->context));
	for (int i = 0; i < noutputs; i++)
	{
		if (gpuagg_final_is_key(outputs[i].final) ||
			!gpuagg_long_values_take(results->longs, outputs[i].index))
			continue;
		results->emitters[i].transition = outputs[i].index;
		results->emitters[i].counts = outputs[i].count_index;
		results->emitters[i].greatest = trans[outputs[i].index].op == GPUAGG_TRANS_MAX_I64;
	}
	MemoryContextSwitchTo(old);
}

GpuAggLongValues *
gpuagg_results_long(const GpuAggResults *results)
{
	return results->longs;
}

void
gpuagg_results_move_long(GpuAggResults *from, GpuAggResults *to)
{
	if (from->longs == NULL)
		return;
	to->longs = from->longs;
	from->longs = NULL;
	gpuagg_long_values_move(to->longs, to->context);
}

void
gpuagg_results_number(GpuAggResults *results, const GpuAggLookups *lookups)
{
	results->lookups = lookups;
}

void
gpuagg_results_free(GpuAggResults *results)
{
	gpuagg_store_free(results->store);
	MemoryContextDelete(results->context);
}

/* ------------------------------------------------------------- storing --- */

GpuAggStatus
gpuagg_results_add(GpuAggResults *results, const char *groups, uint32 count,
				   Size bytes, GpuAggError *error)
{
	GpuAggStatus status = gpuagg_results_check(results, groups, count, bytes, error);

	if (status == GPUAGG_OK && count > 0)
		gpuagg_store_add(results->store, groups, count, bytes);
	return status;
}

void
gpuagg_results_mark(GpuAggResults *results, GpuAggStoreMark *mark)
{
	gpuagg_store_mark(results->store, mark);
	mark->beside = results->longs != NULL ? gpuagg_long_values_count(results->longs) : 0;
}

void
gpuagg_results_cut(GpuAggResults *results, const GpuAggStoreMark *mark)
{
	gpuagg_store_cut(results->store, mark);
	if (results->longs != NULL)
		gpuagg_long_values_cut(results->longs, mark->beside);
}

GpuAggStore *
gpuagg_results_store(GpuAggResults *results)
{
	return results->store;
}

void
gpuagg_results_rewind(GpuAggResults *results)
{
	gpuagg_store_rewind(results->store);
	results->left = 0;
}

/* -------------------------------------------------------------- Datums --- */

/* Groups that lie so far ahead are fetched into the processor's caches. */
#define AHEAD_BYTES 1024

static inline Datum
emitter_datum(GPUAGG_EMIT_ARGS)
{
	switch ((GpuAggPlain) emitter->plain)
	{
		case PLAIN_4:
			return Int32GetDatum(*(const int32 *) (row + emitter->off));
		case PLAIN_8:
			return *(const Datum *) (row + emitter->off);
		default:
			return emitter->emit(results, emitter, row, isnull);
	}
}

const char *
gpuagg_results_row(GpuAggResults *results)
{
	const char *row;

	while (results->left == 0)
	{
		results->at = gpuagg_store_next(results->store, &results->left);
		if (results->at == NULL)
			return NULL;
	}
	row = results->at;
	results->at = gpuagg_results_walk(results, row);
	results->left--;
	__builtin_prefetch(row + AHEAD_BYTES);
	return row;
}

uint32
gpuagg_results_beside(const GpuAggResults *results)
{
	return results->left;
}

StringInfo
gpuagg_results_long_key(GpuAggResults *results, const char *row, bool made)
{
	StringInfo	key = &results->long_key;
	uint32		head;

	memcpy(&head, row, sizeof(head));
	resetStringInfo(key);
	for (int i = 0; i < results->nkeys; i++)
	{
		const uint16 off = results->layout.key_off[i];
		const uint8 type = results->key_types[i];
		const GpuAggBytes uuid = {row + off, UUID_LEN};

		if ((head & (UINT32_C(1) << i)) != 0)
			gpuagg_long_key_null(key);
		else if (gpuagg_key_is_string(type))
			gpuagg_long_key_bytes(key, type, made ? gpuagg_string_slot_bytes(row + off) :
								  gpuagg_emitter_string(results, row, off));
		else if (type == GPUAGG_T_UUID)
			gpuagg_long_key_bytes(key, type, uuid);
		else
			gpuagg_long_key_number(key, type, gpuagg_type_slot_bytes(type) == 4 ?
								   (uint64) (int64) *(const int32 *) (row + off) :
								   *(const uint64 *) (row + off));
	}
	return key;
}

/* Those of the current group and this transition; NULL: none */
static const GpuAggLongSum *
long_sum(const GpuAggResults *results, int transition)
{
	return transition < 0 ? NULL :
		gpuagg_long_values_of(results->longs, &results->long_key, transition);
}

/* False: it is NULL. */
static bool
emit_with_long(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row, Datum *value)
{
	const GpuAggLongSum *sum = long_sum(results, emitter->transition);
	const GpuAggLongSum *counted = long_sum(results, emitter->counts);
	int64		count = emitter->count_off == 0 ? 0 : *(const int64 *) (row + emitter->count_off);
	bool		isnull = false;

	*value = (Datum) 0;
	if (counted != NULL)
		count += counted->count;
	if (sum != NULL)
		return emitter->beside(results, emitter, row, sum, count, value);
	if (gpuagg_emitter_is_empty(emitter, row))
		return false;
	*value = emitter_datum(results, emitter, row, &isnull);
	return !isnull;
}

void
gpuagg_results_emit(GpuAggResults *results, const char *row, Datum *values, bool *isnull)
{
	const bool	longs = results->longs != NULL && gpuagg_long_values_count(results->longs) > 0;
	uint32		head;

	memcpy(&head, row, sizeof(head));
	if (longs)
		(void) gpuagg_results_long_key(results, row, false);
	for (int i = 0; i < results->nemitters; i++)
	{
		GpuAggEmitter *emitter = &results->emitters[i];

		if (longs && emitter->transition >= 0 && !emitter->optional)
		{
			isnull[i] = !emit_with_long(results, emitter, row, &values[i]);
			continue;
		}
		isnull[i] = (head & emitter->null_bit) != 0 ||
			(!emitter->optional && gpuagg_emitter_is_empty(emitter, row));
		values[i] = isnull[i] ? (Datum) 0 : emitter_datum(results, emitter, row, &isnull[i]);
	}
}

bool
gpuagg_results_next(GpuAggResults *results, Datum *values, bool *isnull)
{
	const char *row = gpuagg_results_row(results);

	if (row == NULL)
		return false;
	gpuagg_results_emit(results, row, values, isnull);
	return true;
}

GpuAggBytes
gpuagg_results_string(const GpuAggResults *results, const char *row, uint16 off)
{
	return gpuagg_emitter_string(results, row, off);
}

bool
gpuagg_results_passing(const GpuAggResults *results, const char *data)
{
	const char *emitters = (const char *) results->emitters;

	if (data >= emitters && data < emitters + results->nemitters * sizeof(GpuAggEmitter))
		return true;
	for (int i = 0; i < results->nemitters; i++)
	{
		const char *room = (const char *) results->emitters[i].long_room;

		if (room != NULL && data >= room && data <= room + VARHDRSZ + GPUAGG_LONG_BYTES)
			return true;
	}
	return false;
}
