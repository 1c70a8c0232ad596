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
 * Values are made as PostgreSQL's final functions make them: numeric from
 * the exact integer, an average as numeric_div of sum and count gives it.  They stay
 * until the next group's are made: numbers and strings in their column's emitter,
 * uuids in the row, very long strings and numbers in the caller's memory context.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "device/layout.h"
#include "device/ops/group.h"
#include "ipc/errors.h"
#include "ipc/protocol.h"
#include "miscadmin.h"
#include "node/result/moments.h"
#include "node/result/intervals.h"
#include "node/result/numerics.h"
#include "node/result/partials.h"
#include "node/regroup/regroup_datum.h"
#include "node/result/results_inside.h"
#include "node/result/type_datums.h"
#include "node/result/variances.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

StaticAssertDecl(sizeof(GpuAggStringSlot) == 16, "layout.h counts on it");
StaticAssertDecl(offsetof(GpuAggStringSlot, u) ==
				 offsetof(GpuAggStringSlot, prefix) + 4,
				 "the bytes of a short string lie side by side");
StaticAssertDecl(UUID_LEN == 16, "a uuid fits its key slot");

/* ------------------------------------------------------------ creation --- */

static int
results_add_string(GpuAggResults *results, uint16 off)
{
	for (int i = 0; i < results->nstrings; i++)
	{
		if (results->strings[i] == off)
			return i;
	}
	results->strings[results->nstrings] = off;
	return results->nstrings++;
}

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
			results_add_string(results, results->layout.key_off[i]);
	}
	for (int i = 0; i < program->ntransitions; i++)
	{
		if (gpuagg_transition_is_string(trans[i].op))
			results_add_string(results, results->layout.state_off[i]);
	}
}

/* How a key lies in its slot */
static GpuAggPlain
plain_key(uint8 type)
{
	switch ((GpuAggType) type)
	{
		case GPUAGG_T_INT2:
		case GPUAGG_T_INT4:
		case GPUAGG_T_DATE:
			return PLAIN_4;
		case GPUAGG_T_INT8:
		case GPUAGG_T_TIMESTAMP:
		case GPUAGG_T_TIMESTAMPTZ:
		case GPUAGG_T_TIME:
		case GPUAGG_T_FLOAT8:
			return PLAIN_8;
		default:
			return PLAIN_NO;
	}
}

/* And an output: states of integers have eight bytes, whatever the type. */
static GpuAggPlain
plain_output(uint8 final, uint8 type)
{
	switch ((GpuAggFinal) final)
	{
		case GPUAGG_FINAL_KEY:
		case GPUAGG_FINAL_KEY_ROW:
			return plain_key(type);
		case GPUAGG_FINAL_COUNT:
		case GPUAGG_FINAL_SUM_INT8:
		case GPUAGG_FINAL_SUM_FLOAT8:
			return PLAIN_8;
		case GPUAGG_FINAL_I64:
			return plain_key(type) != PLAIN_NO ? PLAIN_8 : PLAIN_NO;
		default:
			return PLAIN_NO;
	}
}

static void
emitter_init_variance(const GpuAggLayout *layout, const GpuAggProgram *program,
					  const GpuAggOutput *output, GpuAggEmitter *emitter)
{
	/* a state of one value is one */
	emitter->null_count = output->final == GPUAGG_FINAL_VARIANCE &&
		gpuagg_statistic_is_null(output->statistic, 1);
	emitter->narrow = gpuagg_program_transitions(program)[output->index].op == GPUAGG_TRANS_SUM_I64;
	for (int i = 0; i < GPUAGG_SQUARE_PARTS; i++)
	{
		if (output->squares[i] > 0)
			emitter->square_off[i] = layout->state_off[output->squares[i] - 1];
	}
}

static bool
is_datum(int final)
{
	return final == GPUAGG_FINAL_DATUM || final == GPUAGG_FINAL_DATUM_AVG ||
		final == GPUAGG_FINAL_DATUM_AVG_INTERVAL || final == GPUAGG_FINAL_DATUM_VARIANCE;
}

static void
emitter_init(GpuAggResults *results, const GpuAggProgram *program,
			 const GpuAggOutput *output, const Expr *expr, GpuAggEmitter *emitter)
{
	const GpuAggLayout *layout = &results->layout;
	bool		string;

	memset(emitter, 0, sizeof(*emitter));
	emitter->final = output->final;
	emitter->type = output->type;
	emitter->scale = output->scale;
	emitter->shown = output->shown;
	emitter->string_no = emitter->transition = emitter->counts = -1;
	if (gpuagg_final_is_key(output->final))
	{
		uint32		type = gpuagg_program_keys(program)[output->index].type;

		emitter->type = type;
		emitter->off = layout->key_off[output->index];
		emitter->slot_bytes = gpuagg_type_slot_bytes(type);
		emitter->null_bit = UINT32_C(1) << output->index;
		if (output->shown_by > 0)
			emitter->shown_off = layout->state_off[output->shown_by - 1];
		string = gpuagg_key_is_string(type);
		if (output->final == GPUAGG_FINAL_KEY_TEXT)
			gpuagg_text_form(&emitter->room.text, expr, type == GPUAGG_T_DATE);
		results->check |= output->final == GPUAGG_FINAL_KEY_DATE_TZ ||
			output->final == GPUAGG_FINAL_KEY_TEXT || output->final == GPUAGG_FINAL_KEY_NUMBER;
		emitter->lookup = output->lookup;
		emitter->column = output->column;
	}
	else
	{
		emitter->off = layout->state_off[output->index];
		if (output->count_index >= 0)
			emitter->count_off = layout->state_off[output->count_index];
		if (output->final == GPUAGG_FINAL_VARIANCE ||
			output->final == GPUAGG_FINAL_PARTIAL_VARIANCE ||
			output->final == GPUAGG_FINAL_PARTIAL_SQUARES ||
			output->final == GPUAGG_FINAL_DATUM_VARIANCE)
			emitter_init_variance(layout, program, output, emitter);
		string = output->final == GPUAGG_FINAL_BYTES;
		if (is_datum(output->final))
			get_typlenbyval(exprType((const Node *) expr), &emitter->typlen, &emitter->typbyval);
		if (output->final == GPUAGG_FINAL_SUM_FLOAT4 ||
			output->final == GPUAGG_FINAL_SUM_FLOAT8 ||
			output->final == GPUAGG_FINAL_AVG_FLOAT ||
			output->final == GPUAGG_FINAL_MOMENTS ||
			output->final == GPUAGG_FINAL_PARTIAL_MOMENTS ||
			output->final == GPUAGG_FINAL_SUM_MONEY ||
			output->final == GPUAGG_FINAL_SUM_INTERVAL ||
			output->final == GPUAGG_FINAL_AVG_INTERVAL)
			results->check = true;
		emitter->statistic = output->statistic;
		emitter->optional = output->final == GPUAGG_FINAL_MOMENTS || is_datum(output->final);
	}
	if (output->shown_by > 0)
		emitter->shown_off = layout->state_off[output->shown_by - 1];
	emitter->plain = plain_output(emitter->final, emitter->type);
	if (!string)
		return;
	emitter->string_no = results_add_string(results, emitter->off);
	emitter->long_room = palloc(VARHDRSZ + GPUAGG_LONG_BYTES);
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
						   const GpuAggOutput *outputs, int noutputs, const int16 *from, int nstates)
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

static inline bool
fits_int64(uint64 low, int64 high)
{
	return high == ((int64) low >> 63);
}

/* Decimals that a numeric of this row shows */
static int
decimals_shown(const GpuAggEmitter *emitter, const char *row)
{
	return emitter->shown_off == 0 ? emitter->shown :
		(int) *(const int64 *) (row + emitter->shown_off);
}

/* The integer as the decimal that it stands for */
static Datum
decimal_datum(GpuAggEmitter *emitter, uint64 low, int64 high, const char *row)
{
	const int	shown = decimals_shown(emitter, row);

	if (emitter->scale == 0 && shown == 0 && fits_int64(low, high))
		return gpuagg_numeric_integer((int64) low, &emitter->room.number);
	return gpuagg_numeric_decimal_datum(low, high, emitter->scale, shown, &emitter->room.number);
}

static Datum
long_string_datum(GpuAggEmitter *emitter, const char *data, uint32 len)
{
	text	   *room = emitter->long_room;

	if (len > GPUAGG_LONG_BYTES)
		return PointerGetDatum(cstring_to_text_with_len(data, len));
	SET_VARSIZE(room, VARHDRSZ + len);
	memcpy(VARDATA(room), data, len);
	return PointerGetDatum(room);
}

/* Text of a slot: a short one's bytes follow the header already */
static Datum
string_datum(const GpuAggResults *results, GpuAggEmitter *emitter,
			 const GpuAggStringSlot *slot)
{
	GpuAggStringSlot *room = &emitter->room.string;

	if (slot->len > GPUAGG_STRING_INLINE)
		return long_string_datum(emitter, results->string_data[emitter->string_no], slot->len);
	*room = *slot;
	SET_VARSIZE(room, VARHDRSZ + slot->len);
	return PointerGetDatum(room);
}

/* Integers that are not plain */
static Datum
i64_datum(GpuAggEmitter *emitter, int64 v, const char *row)
{
	Interval   *interval = gpuagg_interval_fill(emitter->type, v, &emitter->room.interval);

	if (interval != NULL)
		return IntervalPGetDatum(interval);
	switch ((GpuAggType) emitter->type)
	{
		case GPUAGG_T_BOOL:
			return BoolGetDatum(v != 0);
		case GPUAGG_T_NUMERIC:
			return decimal_datum(emitter, (uint64) v, v >> 63, row);
		default:
			return gpuagg_type_datum(emitter->type, v, emitter->room.fixed);
	}
}

/* A name is filled up with zeros. */
static Datum
name_datum(const GpuAggResults *results, GpuAggEmitter *emitter, const char *slot)
{
	const GpuAggBytes b = gpuagg_string_slot_bytes(slot);
	char	   *room = (char *) emitter->long_room;

	memset(room, 0, NAMEDATALEN);
	memcpy(room, b.len > GPUAGG_STRING_INLINE ? results->string_data[emitter->string_no] : b.data,
		   Min(b.len, NAMEDATALEN));
	return PointerGetDatum(room);
}

static Datum
f64_datum(uint8 type, double v)
{
	return type == GPUAGG_T_FLOAT4 ? Float4GetDatum((float4) v) :
		Float8GetDatum(v);
}

static Datum
key_datum(const GpuAggResults *results, GpuAggEmitter *emitter,
		  const char *slot, const char *row)
{
	switch ((GpuAggType) emitter->type)
	{
		case GPUAGG_T_NAME:
			return name_datum(results, emitter, slot);
		case GPUAGG_T_TEXT:
		case GPUAGG_T_BPCHAR:
		case GPUAGG_T_INET:
			return string_datum(results, emitter, (const GpuAggStringSlot *) slot);
		case GPUAGG_T_UUID:
			return PointerGetDatum(slot);
		case GPUAGG_T_FLOAT4:
		case GPUAGG_T_FLOAT8:
			return f64_datum(emitter->type, *(const double *) slot);
		default:
			return i64_datum(emitter, emitter->slot_bytes == 4 ?
							 *(const int32 *) slot : *(const int64 *) slot, row);
	}
}

static Datum
average_datum(GpuAggEmitter *emitter, uint64 low, int64 high, const char *row)
{
	const int64 count = *(const int64 *) (row + emitter->count_off);

	const int	shown = decimals_shown(emitter, row);

	if (emitter->scale == 0 && shown == 0 && fits_int64(low, high))
		return gpuagg_numeric_average((int64) low, count, &emitter->room.number);
	return gpuagg_numeric_decimal_average(low, high, emitter->scale, shown, count,
										  &emitter->room.number);
}

/* State of a sum or an average of integers or numerics, for PostgreSQL to combine with others */
static Datum
emit_partial(GpuAggEmitter *emitter, const char *row)
{
	const int64 *i64 = (const int64 *) (row + emitter->off);
	const int64 count = *(const int64 *) (row + emitter->count_off);

	if (emitter->final == GPUAGG_FINAL_PARTIAL_PAIR)
		return gpuagg_partial_pair(count, *i64);
	if (emitter->final == GPUAGG_FINAL_PARTIAL_INT8)
		return gpuagg_partial_int8(count, (GpuAggWide) {.low = i64[0],.high = i64[1]},
								   GPUAGG_INT128_STATES ? (Datum) 0 :
								   decimal_datum(emitter, (uint64) i64[0], i64[1], row));
	return gpuagg_partial_numeric(count, decimal_datum(emitter, (uint64) i64[0], i64[1], row),
								  decimals_shown(emitter, row));
}

/* A value that is not plain */
static Datum
emit(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row)
{
	const char *slot = row + emitter->off;
	const int64 *i64 = (const int64 *) slot;

	switch ((GpuAggFinal) emitter->final)
	{
		case GPUAGG_FINAL_KEY:
		case GPUAGG_FINAL_KEY_ROW:
			return key_datum(results, emitter, slot, row);
		case GPUAGG_FINAL_KEY_DATE_TZ:
			return DirectFunctionCall1(date_timestamptz, DateADTGetDatum(*(const int32 *) slot));
		case GPUAGG_FINAL_KEY_DAY:
			return DirectFunctionCall1(date_timestamp, DateADTGetDatum(*(const int32 *) slot));
		case GPUAGG_FINAL_SUM_NUMERIC:
			return decimal_datum(emitter, (uint64) i64[0], i64[1], row);
		case GPUAGG_FINAL_SUM_FLOAT4:
			return Float4GetDatum((float4) *(const double *) slot);
		case GPUAGG_FINAL_AVG_INT:
			return gpuagg_numeric_average(*i64, *(const int64 *) (row + emitter->count_off),
										  &emitter->room.number);
		case GPUAGG_FINAL_AVG_NUMERIC:
			return average_datum(emitter, (uint64) i64[0], i64[1], row);
		case GPUAGG_FINAL_AVG_FLOAT:
			/* PostgreSQL adds to 0, of which -0 makes 0 */
			return Float8GetDatum((*(const double *) slot + 0.0) /
								  *(const int64 *) (row + emitter->count_off));
		case GPUAGG_FINAL_I64:
			return i64_datum(emitter, *i64, row);
		case GPUAGG_FINAL_SUM_MONEY:
			return Int64GetDatum(*i64 + *(const int64 *) (row + emitter->shown_off));
		case GPUAGG_FINAL_ENUM:
			return gpuagg_type_datum(GPUAGG_T_ENUM, gpuagg_enum_value(*i64), emitter->room.fixed);
		case GPUAGG_FINAL_F64_ORDER:
			return f64_datum(emitter->type, gpuagg_f64_unorder(*i64));
		case GPUAGG_FINAL_BYTES:
			return string_datum(results, emitter, (const GpuAggStringSlot *) slot);
		case GPUAGG_FINAL_VARIANCE:
		case GPUAGG_FINAL_PARTIAL_VARIANCE:
		case GPUAGG_FINAL_PARTIAL_SQUARES:
			return gpuagg_emit_variance(emitter, row);
		case GPUAGG_FINAL_PARTIAL_MOMENTS:
			return gpuagg_moments_state(emitter->statistic, (const double *) slot);
		case GPUAGG_FINAL_KEY_INTERVAL:
			return IntervalPGetDatum(gpuagg_interval_fill(GPUAGG_T_INTERVAL_CODE,
														  *(const int64 *) (row + emitter->shown_off),
														  &emitter->room.interval));
		case GPUAGG_FINAL_KEY_TEXT:
			return gpuagg_text_of_key(&emitter->room.text, slot);
		case GPUAGG_FINAL_KEY_NUMBER:
			return gpuagg_numbered_datum(gpuagg_emitter_strings(results, emitter), *(const int32 *) slot);
		case GPUAGG_FINAL_SUM_INTERVAL:
			return gpuagg_interval_sum(slot, emitter->scale, &emitter->room.interval);
		case GPUAGG_FINAL_AVG_INTERVAL:
			return gpuagg_interval_average(slot, emitter->scale,
										   *(const int64 *) (row + emitter->count_off),
										   &emitter->room.interval);
		case GPUAGG_FINAL_KEY_FLOAT4:
			return Float4GetDatum((float4) *(const double *) slot);
		case GPUAGG_FINAL_KEY_WORD:
		case GPUAGG_FINAL_WORD:
			return gpuagg_numeric_decimal_datum((uint64) (*i64 >> GPUAGG_WORD_BITS), *i64 >> 63,
												emitter->scale, *i64 & GPUAGG_WORD_DECIMALS,
												&emitter->room.number);
		case GPUAGG_FINAL_PARTIAL_PAIR:
		case GPUAGG_FINAL_PARTIAL_INT8:
		case GPUAGG_FINAL_PARTIAL_NUMERIC:
			return emit_partial(emitter, row);
		case GPUAGG_FINAL_MOMENTS:	/* emit_optional() */
		case GPUAGG_FINAL_DATUM:
		case GPUAGG_FINAL_DATUM_AVG:
		case GPUAGG_FINAL_DATUM_AVG_INTERVAL:
		case GPUAGG_FINAL_DATUM_VARIANCE:
		case GPUAGG_FINAL_COUNT:
		case GPUAGG_FINAL_SUM_INT8:
		case GPUAGG_FINAL_SUM_FLOAT8:
			break;				/* plain */
	}
	pg_unreachable();
}

/* Groups that lie so far ahead are fetched into the processor's caches. */
#define AHEAD_BYTES 1024

static inline Datum
emitter_datum(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row)
{
	switch ((GpuAggPlain) emitter->plain)
	{
		case PLAIN_4:
			return Int32GetDatum(*(const int32 *) (row + emitter->off));
		case PLAIN_8:
			return *(const Datum *) (row + emitter->off);
		default:
			return emit(results, emitter, row);
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

/* What tells by itself whether it is NULL; false: it is */
static bool
emit_optional(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row, Datum *value)
{
	GpuAggBytes b;
	int64		count = 0;

	if (emitter->final == GPUAGG_FINAL_MOMENTS)
		return gpuagg_moments_datum(emitter->statistic, (const double *) (row + emitter->off),
									value);
	b = gpuagg_results_string(results, row, emitter->off);
	if (b.len == GPUAGG_STRING_NONE)
		return false;
	if (emitter->count_off != 0)
		memcpy(&count, row + emitter->count_off, sizeof(count));
	switch ((GpuAggFinal) emitter->final)
	{
		case GPUAGG_FINAL_DATUM_AVG:
			*value = gpuagg_datum_average(b, count);
			return true;
		case GPUAGG_FINAL_DATUM_AVG_INTERVAL:
			*value = gpuagg_datum_average_interval(b, count);
			return true;
		case GPUAGG_FINAL_DATUM_VARIANCE:
			if (gpuagg_statistic_is_null(emitter->statistic, count))
				return false;
			*value = gpuagg_variance_of(emitter->statistic, count, gpuagg_bytes_datum(b, -1, false),
										gpuagg_bytes_datum(gpuagg_results_string(results, row,
																				 emitter->square_off[0]),
														   -1, false));
			return true;
		default:
			*value = gpuagg_bytes_datum(b, emitter->typlen, emitter->typbyval);
			return true;
	}
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
								  gpuagg_results_string(results, row, off));
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

/* The device's value and those beside it together, of so many in all */
static Datum
with_long(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row,
		  const GpuAggLongSum *sum, int64 count)
{
	const int64 *slot = (const int64 *) (row + emitter->off);
	Datum		value;

	switch ((GpuAggFinal) emitter->final)
	{
		case GPUAGG_FINAL_COUNT:
			return Int64GetDatum(*slot + sum->count);
		case GPUAGG_FINAL_SUM_NUMERIC:
			return DirectFunctionCall2(numeric_add, emit(results, emitter, row), sum->sum);
		case GPUAGG_FINAL_AVG_NUMERIC:
			value = DirectFunctionCall2(numeric_add, decimal_datum(emitter, (uint64) slot[0], slot[1], row),
										sum->sum);
			return DirectFunctionCall2(numeric_div, value, NumericGetDatum(int64_to_numeric(count)));
		case GPUAGG_FINAL_PARTIAL_NUMERIC:
			value = DirectFunctionCall2(numeric_add, decimal_datum(emitter, (uint64) slot[0], slot[1], row),
										sum->sum);
			return gpuagg_partial_numeric_any(count, value);
		case GPUAGG_FINAL_VARIANCE:
			return gpuagg_emit_variance_beside(emitter, row, sum, count);
		default:
			if (count == sum->count)	/* the device has none */
				return emitter->greatest ? sum->greatest : sum->least;
			value = emit(results, emitter, row);
			return emitter->greatest ? DirectFunctionCall2(numeric_larger, value, sum->greatest) :
				DirectFunctionCall2(numeric_smaller, value, sum->least);
	}
}

/* False: it is NULL. */
static bool
emit_with_long(const GpuAggResults *results, GpuAggEmitter *emitter, const char *row, Datum *value)
{
	const GpuAggLongSum *sum = long_sum(results, emitter->transition);
	const GpuAggLongSum *counted = long_sum(results, emitter->counts);
	int64		count = emitter->count_off == 0 ? 0 : *(const int64 *) (row + emitter->count_off);

	*value = (Datum) 0;
	if (counted != NULL)
		count += counted->count;
	if (sum != NULL && emitter->final == GPUAGG_FINAL_VARIANCE &&
		gpuagg_statistic_is_null(emitter->statistic, count))
		return false;
	if (sum != NULL)
		*value = with_long(results, emitter, row, sum, count);
	else if (gpuagg_emitter_is_empty(emitter, row))
		return false;
	else
		*value = emitter_datum(results, emitter, row);
	return true;
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

		if (emitter->optional)
		{
			isnull[i] = !emit_optional(results, emitter, row, &values[i]);
			continue;
		}
		if (longs && emitter->transition >= 0)
		{
			isnull[i] = !emit_with_long(results, emitter, row, &values[i]);
			continue;
		}
		isnull[i] = (head & emitter->null_bit) != 0 ||
			gpuagg_emitter_is_empty(emitter, row);
		values[i] = isnull[i] ? (Datum) 0 : emitter_datum(results, emitter, row);
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
	GpuAggBytes bytes = gpuagg_string_slot_bytes(row + off);

	if (!gpuagg_string_slot_is_long(row + off))
		return bytes;
	for (int i = 0; i < results->nstrings; i++)
		if (results->strings[i] == off)
			bytes.data = results->string_data[i];
	return bytes;
}
