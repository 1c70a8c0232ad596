/*
 * row_block.c
 *		Rows that PostgreSQL has evaluated, as columns on their way to a device
 *		(row_block.h).
 *
 * A column has a state for each row and, of fixed-width values, 8 bytes in the form that
 * registers have (device/program.h); of strings a length each and their bytes one after the
 * other.  How a Datum becomes such a value is settled once for each column: integers, times
 * and floating point are a move, and all else goes through a function.
 *
 * Memory: the context that the block was made in, but for values in the making, which are
 * in the current one.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "device/ops/eval.h"
#include "device/ops/ops_interval.h"
#include "device/transition.h"
#include "lib/stringinfo.h"
#include "node/row/row_block.h"
#include "planner/value/constant.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

/* No string may take more than this, nor those of a block together */
#define BLOCK_STRING_MAX (256 * 1024 * 1024)

/* How a Datum becomes a value */
typedef enum ColumnWay
{
	WAY_COUNTED,				/* only whether it is NULL matters */
	WAY_BOOL,
	WAY_INT16,
	WAY_INT32,
	WAY_INT64,
	WAY_FLOAT4,
	WAY_FLOAT8,
	WAY_CONVERTED,				/* value_convert() */
	WAY_NONE					/* the type gives no values of the column's class */
} ColumnWay;

typedef struct GpuAggRowColumnMade
{
	GpuAggRowOutput is;
	ColumnWay	way;
	Oid			sqltype;		/* of the expression, domains resolved */
	uint8		type;			/* GpuAggType of that, if known */
	bool		known;
	uint16		source;			/* register of an argument or a key */
	GpuAggBytes enum_table;		/* of one that is an enum's order; else no data */
	uint8		class;			/* GpuAggClass */
	bool		coded;			/* an interval as its code, else as its total */
	GpuAggScale scale;			/* of a numeric, as in a transition */
	uint8	   *states;			/* [room] */
	uint64	   *values;			/* [room]; BYTES: lengths */
	StringInfoData strings;		/* BYTES */
} GpuAggRowColumnMade;

struct GpuAggRowBlock
{
	int			nkeys;
	int			ncolumns;
	GpuAggRowColumnMade *columns;
	uint32		room;			/* rows, at most */
	Size		string_room;	/* time to send when the strings kept take this much */
	uint32		count;
	Size		string_bytes;
	bool		shares;			/* a register is several columns, or only counted */
	StringInfoData msg;
};

/* ------------------------------------------------------------ creation --- */

static void
column_init(GpuAggRowBlock *block, int n, Oid sqltype, uint8 class)
{
	GpuAggRowColumnMade *output = &block->columns[n];

	output->sqltype = getBaseType(sqltype);
	output->known = gpuagg_constant_type(output->sqltype, &output->type);
	output->is = (GpuAggRowOutput) {
		.transition = -1,
		.filter = -1,
		.reg = GPUAGG_NO_REG,
		.numeric = output->sqltype == NUMERICOID
	};
	output->source = GPUAGG_NO_REG;
	output->class = class;
	/* the stored bytes of a column that only regrouping reads */
	if (!output->known && class == GPUAGG_CLASS_BYTES && get_typlen(output->sqltype) == -1)
	{
		output->known = true;
		output->type = GPUAGG_T_TEXT;
	}
	output->states = palloc(block->room);
	output->values = palloc(block->room * sizeof(uint64));
	if (output->class == GPUAGG_CLASS_BYTES)
		initStringInfo(&output->strings);
}

/* -------------------------------------------------------------- values --- */

static uint64
double_bits(double d)
{
	uint64		bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static bool
value_bytes(GpuAggRowBlock *block, GpuAggRowColumnMade *output, Datum datum,
			uint64 *len)
{
	if (output->sqltype == UUIDOID)
	{
		*len = UUID_LEN;
		appendBinaryStringInfo(&output->strings, DatumGetPointer(datum),
							   UUID_LEN);
	}
	else if (output->sqltype == NAMEOID)
	{
		*len = strnlen(NameStr(*DatumGetName(datum)), NAMEDATALEN);
		appendBinaryStringInfo(&output->strings, DatumGetPointer(datum), *len);
	}
	else
	{
		struct varlena *text = PG_DETOAST_DATUM_PACKED(datum);

		*len = VARSIZE_ANY_EXHDR(text);
		if (*len > BLOCK_STRING_MAX ||
			output->strings.len + *len > BLOCK_STRING_MAX)
			return false;
		appendBinaryStringInfo(&output->strings, VARDATA_ANY(text), *len);
	}
	block->string_bytes += *len;
	return true;
}

/* A value of a type that is held as a constant of it is */
static bool
value_of_type(GpuAggRowBlock *block, GpuAggRowColumnMade *output, Datum datum, uint64 *value)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	if (!output->known || !gpuagg_constant_fits(output->type, datum))
		return false;
	if (output->class == GPUAGG_CLASS_BYTES)
		return value_bytes(block, output, datum, value);
	*value = (uint64) gpuagg_constant_make(output->type, datum, false).value.v.i;
	if (output->enum_table.data != NULL)
		*value = (uint64) gpuagg_enum_order((int64) *value, output->enum_table, &st);
	return st == GPUAGG_ST_VALUE;
}

/* False: one that devices leave to PostgreSQL */
static bool
interval_convert(const GpuAggRowColumnMade *output, Datum datum, uint64 *value)
{
	const GpuAggBytes bytes = {(const char *) DatumGetIntervalP(datum), sizeof(Interval)};
	uint8		st = GPUAGG_ST_VALUE;

	*value = (uint64) (output->coded ? gpuagg_interval_code(bytes, &st) :
					   gpuagg_interval_total(bytes, &st));
	return st == GPUAGG_ST_VALUE;
}

/*
 * One non-NULL value that is more than moved, as devices hold it.  False: it has no such form.
 */
static bool
value_convert(GpuAggRowBlock *block, GpuAggRowColumnMade *output, Datum datum,
			  uint64 *value)
{
	switch (output->sqltype)
	{
		case INTERVALOID:
			return interval_convert(output, datum, value);
		case NUMERICOID:
			{
				const GpuAggScale scale = output->scale;
				int64		decimal;

				if (gpuagg_scale_is_word(scale) ?
					!gpuagg_numeric_word(datum, scale.digits, &decimal) :
					!gpuagg_numeric_scaled(datum, scale.form == GPUAGG_SCALE_AT_MOST,
										   scale.digits, &decimal))
					return false;
				*value = (uint64) decimal;
				break;
			}
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case UUIDOID:
			return value_bytes(block, output, datum, value);
		default:
			return value_of_type(block, output, datum, value);
	}
	return true;
}

/* Does the SQL type give values of this class? */
static bool
output_is_sound(const GpuAggRowColumnMade *output)
{
	switch (output->sqltype)
	{
		case FLOAT4OID:
		case FLOAT8OID:
			return output->class == GPUAGG_CLASS_F64;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case UUIDOID:
			return output->class == GPUAGG_CLASS_BYTES;
		case INTERVALOID:
			return output->class == GPUAGG_CLASS_I64;
		default:
			return output->class == (output->known ? gpuagg_constant_class(output->type) :
									 GPUAGG_CLASS_I64);
	}
}

static ColumnWay
column_way(const GpuAggRowColumnMade *output)
{
	if (output->is.counted)
		return WAY_COUNTED;
	if (!output_is_sound(output))
		return WAY_NONE;
	switch (output->sqltype)
	{
		case BOOLOID:
			return WAY_BOOL;
		case INT2OID:
			return WAY_INT16;
		case INT4OID:
		case DATEOID:
			return WAY_INT32;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
			return WAY_INT64;
		case FLOAT4OID:
			return WAY_FLOAT4;
		case FLOAT8OID:
			return WAY_FLOAT8;
		default:
			return WAY_CONVERTED;
	}
}

/* May the column be without a value of its register that the other one has? */
static bool
lacks_value(const GpuAggRowColumnMade *column, const GpuAggRowColumnMade *other)
{
	return column->source != GPUAGG_NO_REG && column->source == other->source &&
		(column->is.filter >= 0 ||
		 (column->is.counted && !other->is.counted && other->is.transition >= 0));
}

/*
 * Keys, then of each transition its argument and its filter.
 */
static void
columns_init(GpuAggRowBlock *block, const GpuAggProgram *program, const Oid *types)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);
	const GpuAggTransition *trans = gpuagg_program_transitions(program);
	const uint8_t *classes = gpuagg_program_classes(program);
	int			n = 0;

	for (int i = 0; i < program->nkeys; i++, n++)
	{
		column_init(block, n, types[n], classes[keys[i].reg]);
		block->columns[n].scale = keys[i].scale;
		block->columns[n].source = keys[i].reg;
		block->columns[n].is.key_type = keys[i].type;
	}
	for (int i = 0; i < program->ntransitions; i++)
	{
		if (trans[i].arg != GPUAGG_NO_REG)
		{
			GpuAggRowColumnMade *output = &block->columns[n];

			column_init(block, n, types[n], classes[trans[i].arg]);
			output->scale = trans[i].scale;
			output->source = output->is.reg = trans[i].arg;
			output->is.transition = i;
			output->is.filter = trans[i].filter != GPUAGG_NO_REG ? n + 1 : -1;
			output->is.counted = trans[i].op == GPUAGG_TRANS_COUNT;
			output->coded = trans[i].type == GPUAGG_T_INTERVAL_CODE;
			n++;
		}
		if (trans[i].filter != GPUAGG_NO_REG)
		{
			column_init(block, n, types[n], GPUAGG_CLASS_I64);
			n++;
		}
	}
	Assert(n == block->ncolumns);
	for (int i = 0; i < n; i++)
	{
		block->columns[i].way = column_way(&block->columns[i]);
		for (int k = 0; k < n; k++)
			block->shares |= k != i && lacks_value(&block->columns[i], &block->columns[k]);
	}
}

GpuAggRowBlock *
gpuagg_row_block_create(const GpuAggProgram *program, const Oid *types, uint32 room,
						Size string_room)
{
	GpuAggRowBlock *block = palloc0(sizeof(GpuAggRowBlock));

	block->nkeys = program->nkeys;
	block->ncolumns = gpuagg_program_noutputs(program);
	block->columns = palloc0(Max(1, block->ncolumns) * sizeof(GpuAggRowColumnMade));
	block->room = room;
	block->string_room = string_room;
	columns_init(block, program, types);
	initStringInfo(&block->msg);
	return block;
}

/* The table of the enum whose order this register is, if it is one */
static GpuAggBytes
enum_table(const GpuAggProgram *program, uint16 reg)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(program);
	GpuAggBytes none = {NULL, 0};

	for (int i = 0; i < program->ninstrs; i++)
	{
		if (instrs[i].op == GPUAGG_OP_ENUM_ORDER && instrs[i].dst == reg)
			return gpuagg_const_bytes(program, gpuagg_program_consts(program) +
									  instrs[i].b - program->ncolumns);
	}
	return none;
}

void
gpuagg_row_block_bind(GpuAggRowBlock *block, const GpuAggProgram *program)
{
	for (int i = 0; i < block->ncolumns; i++)
		block->columns[i].enum_table = enum_table(program, block->columns[i].is.reg);
}

/* ---------------------------------------------------------------- rows --- */

static inline bool
put_value(GpuAggRowBlock *block, GpuAggRowColumnMade *output, uint32 row, Datum datum, bool isnull)
{
	uint64		value = 0;

	if (isnull)
	{
		output->states[row] = GPUAGG_ST_NULL;
		output->values[row] = 0;
		return true;
	}
	switch (output->way)
	{
		case WAY_COUNTED:
			break;
		case WAY_BOOL:
			value = DatumGetBool(datum);
			break;
		case WAY_INT16:
			value = (uint64) (int64) DatumGetInt16(datum);
			break;
		case WAY_INT32:
			value = (uint64) (int64) DatumGetInt32(datum);
			break;
		case WAY_INT64:
			value = (uint64) DatumGetInt64(datum);
			break;
		case WAY_FLOAT4:
			value = double_bits(DatumGetFloat4(datum));
			break;
		case WAY_FLOAT8:
			value = double_bits(DatumGetFloat8(datum));
			break;
		case WAY_CONVERTED:
			if (!value_convert(block, output, datum, &value))
				return false;
			break;
		case WAY_NONE:
			return false;
	}
	output->states[row] = GPUAGG_ST_VALUE;
	output->values[row] = value;
	return true;
}

static bool
is_skipped(const GpuAggRowBlock *block, const GpuAggRowColumnMade *output)
{
	return output->is.filter >= 0 && !gpuagg_row_block_is_true(block, output->is.filter);
}

/*
 * Where a FILTER is not true its argument has not been evaluated, and of one that is counted
 * only whether it is NULL is known.  A device may keep one value for all that is the same
 * register, so it must be the one that another column has; best one that is not only counted.
 */
static void
share_values(GpuAggRowBlock *block)
{
	const uint32 row = block->count;

	for (int i = 0; i < block->ncolumns; i++)
	{
		GpuAggRowColumnMade *output = &block->columns[i];
		const GpuAggRowColumnMade *from = NULL;

		const bool	skipped = is_skipped(block, output);

		if (output->class == GPUAGG_CLASS_BYTES || !(skipped || output->is.counted))
			continue;
		for (int k = 0; k < block->ncolumns; k++)
		{
			const GpuAggRowColumnMade *other = &block->columns[k];

			if ((skipped ? other->source == output->source : lacks_value(output, other)) &&
				!is_skipped(block, other) && (from == NULL || from->is.counted))
				from = other;
		}
		if (from == NULL)
			continue;
		output->states[row] = from->states[row];
		output->values[row] = from->values[row];
	}
}

bool
gpuagg_row_block_put(GpuAggRowBlock *block, int n, Datum datum, bool isnull)
{
	return put_value(block, &block->columns[n], block->count, datum, isnull);
}

int
gpuagg_row_block_put_all(GpuAggRowBlock *block, int from, const Datum *values, const bool *isnull)
{
	const int	n = block->ncolumns;
	const uint32 row = block->count;
	int			i = from;

	while (i < n && put_value(block, &block->columns[i], row, values[i], isnull[i]))
		i++;
	return i;
}

int
gpuagg_row_block_noutputs(const GpuAggRowBlock *block)
{
	return block->ncolumns;
}

int
gpuagg_row_block_nkeys(const GpuAggRowBlock *block)
{
	return block->nkeys;
}

const GpuAggRowOutput *
gpuagg_row_block_output(const GpuAggRowBlock *block, int n)
{
	return &block->columns[n].is;
}

bool
gpuagg_row_block_is_true(const GpuAggRowBlock *block, int n)
{
	const GpuAggRowColumnMade *output = &block->columns[n];

	return output->states[block->count] == GPUAGG_ST_VALUE && output->values[block->count] != 0;
}

bool
gpuagg_row_block_value(const GpuAggRowBlock *block, int n, uint64 *bits, GpuAggBytes *bytes)
{
	const GpuAggRowColumnMade *output = &block->columns[n];

	*bits = output->values[block->count];
	bytes->data = NULL;
	if (output->class == GPUAGG_CLASS_BYTES)
	{
		bytes->len = (uint32) *bits;
		bytes->data = output->strings.data + output->strings.len - bytes->len;
	}
	return output->states[block->count] == GPUAGG_ST_VALUE;
}

bool
gpuagg_row_block_converts(const GpuAggRowBlock *block)
{
	for (int i = 0; i < block->ncolumns; i++)
		if (block->columns[i].way == WAY_CONVERTED)
			return true;
	return false;
}

void
gpuagg_row_block_next(GpuAggRowBlock *block)
{
	if (block->shares)
		share_values(block);
	block->count++;
}

void
gpuagg_row_block_undo(GpuAggRowBlock *block)
{
	for (int i = 0; i < block->ncolumns; i++)
	{
		GpuAggRowColumnMade *output = &block->columns[i];

		if (output->class != GPUAGG_CLASS_BYTES || output->states[block->count] != GPUAGG_ST_VALUE)
			continue;
		output->strings.len -= (int) output->values[block->count];
		block->string_bytes -= output->values[block->count];
	}
}

bool
gpuagg_row_block_is_beyond(const GpuAggRowBlock *block, int n, Datum datum)
{
	const GpuAggRowColumnMade *output = &block->columns[n];
	int64		decimal;

	return output->is.numeric && output->way == WAY_CONVERTED &&
		!gpuagg_scale_is_word(output->scale) &&
		!gpuagg_numeric_scaled(datum, true, output->scale.digits, &decimal);
}

GpuAggStatus
gpuagg_row_block_unfit(GpuAggError *error)
{
	return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
							"a value has no form that devices know");
}

uint32
gpuagg_row_block_count(const GpuAggRowBlock *block)
{
	return block->count;
}

bool
gpuagg_row_block_full(const GpuAggRowBlock *block)
{
	return block->count >= block->room || block->string_bytes >= block->string_room;
}

void
gpuagg_row_block_reset(GpuAggRowBlock *block)
{
	block->count = 0;
	block->string_bytes = 0;
	for (int i = 0; i < block->ncolumns; i++)
	{
		if (block->columns[i].class == GPUAGG_CLASS_BYTES)
			resetStringInfo(&block->columns[i].strings);
	}
}

/* ------------------------------------------------------------- message --- */

static char *
write_padded(char *to, const void *data, Size bytes)
{
	const Size	padded = GPUAGG_ALIGN8(bytes);

	if (bytes > 0)
		memcpy(to, data, bytes);
	memset(to + bytes, 0, padded - bytes);
	return to + padded;
}

static char *
write_lengths(char *to, const uint64 *values, uint32 count)
{
	uint32	   *lengths = (uint32 *) to;

	for (uint32 row = 0; row < count; row++)
		lengths[row] = (uint32) values[row];
	if (count % 2 != 0)
		lengths[count] = 0;
	return to + GPUAGG_ALIGN8(count * sizeof(uint32));
}

Size
gpuagg_row_block_bytes(const GpuAggRowBlock *block)
{
	const Size	count = block->count;
	Size		bytes = 0;

	for (int i = 0; i < block->ncolumns; i++)
	{
		bytes += GPUAGG_ALIGN8(count);
		if (block->columns[i].class != GPUAGG_CLASS_BYTES)
			bytes += count * sizeof(uint64);
		else
			bytes += GPUAGG_ALIGN8(count * sizeof(uint32)) +
				GPUAGG_ALIGN8((Size) block->columns[i].strings.len);
	}
	return bytes;
}

void
gpuagg_row_block_write(GpuAggRowBlock *block, char *to)
{
	for (int i = 0; i < block->ncolumns; i++)
	{
		const GpuAggRowColumnMade *output = &block->columns[i];

		to = write_padded(to, output->states, block->count);
		if (output->class != GPUAGG_CLASS_BYTES)
		{
			to = write_padded(to, output->values, block->count * sizeof(uint64));
			continue;
		}
		to = write_lengths(to, output->values, block->count);
		to = write_padded(to, output->strings.data, output->strings.len);
	}
	gpuagg_row_block_reset(block);
}

const GpuAggMsg *
gpuagg_row_block_message(GpuAggRowBlock *block, uint64 batch_id, Size *bytes)
{
	const GpuAggMsg head = {GPUAGG_MSG_ROWS, block->count, batch_id};

	*bytes = sizeof(head) + gpuagg_row_block_bytes(block);
	resetStringInfo(&block->msg);
	enlargeStringInfo(&block->msg, *bytes);
	memcpy(block->msg.data, &head, sizeof(head));
	gpuagg_row_block_write(block, block->msg.data + sizeof(head));
	return (const GpuAggMsg *) block->msg.data;
}
