/*
 * rows.c
 *		Evaluates single rows for a device with the row plan.
 *
 * The row plan is a SeqScan that never scans.  Its qual decides whether the
 * row counts; its target list, one entry for each output of the program
 * (gpuagg_program_noutputs), is compiled expression by expression instead of
 * as a projection, for two reasons: an aggregate's argument must not be
 * evaluated where its FILTER is not true, and nothing but the qual may be
 * evaluated of a row that does not pass.
 *
 * The tuple is read where it lies; the caller holds the pin.  Values are
 * copied into columns of up to ROWS_MAX rows, then sent as one message.
 * Memory: the query's context, except values in the making, which live in
 * the row plan's per-tuple context.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "device/ops/eval.h"
#include "device/ops/ops_interval.h"
#include "device/transition.h"
#include "executor/executor.h"
#include "ipc/errors.h"
#include "lib/stringinfo.h"
#include "node/rows.h"
#include "nodes/nodeFuncs.h"
#include "planner/constant.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#define ROWS_MAX 1024

/* Send when the strings kept take this much; no string may take more than */
#define ROWS_STRING_BYTES (256 * 1024)
#define ROWS_STRING_MAX (256 * 1024 * 1024)

typedef struct GpuAggRowOutput
{
	ExprState  *expr;
	Oid			sqltype;		/* of the expression, domains resolved */
	uint8		type;			/* GpuAggType of that, if known */
	bool		known;
	uint16		reg;			/* of an argument, or GPUAGG_NO_REG */
	uint16		source;			/* the same, of a key too */
	bool		skipped;		/* in the current row: its FILTER is not true */
	GpuAggBytes enum_table;		/* of one that is an enum's order; else no data */
	uint8		class;			/* GpuAggClass */
	uint8		key_type;		/* GpuAggType of a key */
	int			transition;		/* whose argument it is, or -1 */
	bool		counted;		/* COUNT: only whether it is NULL matters */
	bool		coded;			/* an interval as its code, else as its total */
	uint8		scale;			/* of a numeric, as in a transition */
	int			filter;			/* output that must be true, or -1 */
	uint8	   *states;			/* [ROWS_MAX] */
	uint64	   *values;			/* [ROWS_MAX]; BYTES: lengths */
	StringInfoData strings;		/* BYTES */
} GpuAggRowOutput;

typedef struct GpuAggRowLong
{
	int			transition;
	uint16		reg;
	Datum		value;
} GpuAggRowLong;

struct GpuAggRows
{
	MemoryContext context;
	ScanState  *scan;			/* of the row plan */
	int			noutputs;
	GpuAggRowOutput *outputs;
	int		   *order;			/* filters before what they guard */
	uint32		count;
	Size		string_bytes;
	StringInfoData msg;

	/* numerics of the current row that have no form, and where they go */
	GpuAggLongValues *longs;
	bool		keep;
	int			nlong;
	GpuAggRowLong *row_longs;	/* [noutputs] */
	int			nkeys;
	StringInfoData key;
};

/* ------------------------------------------------------------ creation --- */

static GpuAggRowOutput *
output_init(GpuAggRows *rows, int n, uint8 class)
{
	Plan	   *plan = rows->scan->ps.plan;
	TargetEntry *tle = list_nth_node(TargetEntry, plan->targetlist, n);
	GpuAggRowOutput *output = &rows->outputs[n];

	output->expr = ExecInitExpr(tle->expr, &rows->scan->ps);
	output->sqltype = getBaseType(exprType((Node *) tle->expr));
	output->known = gpuagg_constant_type(output->sqltype, &output->type);
	output->reg = output->source = GPUAGG_NO_REG;
	output->class = class;
	/* the stored bytes of a column that only regrouping reads */
	if (!output->known && class == GPUAGG_CLASS_BYTES && get_typlen(output->sqltype) == -1)
	{
		output->known = true;
		output->type = GPUAGG_T_TEXT;
	}
	output->filter = output->transition = -1;
	output->states = palloc(ROWS_MAX);
	output->values = palloc(ROWS_MAX * sizeof(uint64));
	if (output->class == GPUAGG_CLASS_BYTES)
		initStringInfo(&output->strings);
	return output;
}

/*
 * Keys, then of each transition its argument and its filter.
 */
static void
outputs_init(GpuAggRows *rows, const GpuAggProgram *program)
{
	const GpuAggKey *keys = gpuagg_program_keys(program);
	const GpuAggTransition *trans = gpuagg_program_transitions(program);
	const uint8_t *classes = gpuagg_program_classes(program);
	int			n = 0;
	int			place = 0;

	for (int i = 0; i < program->nkeys; i++)
	{
		rows->order[place++] = n;
		output_init(rows, n, classes[keys[i].reg])->scale = keys[i].scale;
		rows->outputs[n].source = keys[i].reg;
		rows->outputs[n++].key_type = keys[i].type;
	}
	for (int i = 0; i < program->ntransitions; i++)
	{
		int			arg = trans[i].arg != GPUAGG_NO_REG ? n++ : -1;
		int			filter = trans[i].filter != GPUAGG_NO_REG ? n++ : -1;

		if (filter >= 0)
		{
			rows->order[place++] = filter;
			output_init(rows, filter, GPUAGG_CLASS_I64);
		}
		if (arg >= 0)
		{
			GpuAggRowOutput *output = output_init(rows, arg,
												  classes[trans[i].arg]);

			rows->order[place++] = arg;
			output->scale = trans[i].scale;
			output->reg = output->source = trans[i].arg;
			output->filter = filter;
			output->transition = i;
			output->counted = trans[i].op == GPUAGG_TRANS_COUNT;
			output->coded = trans[i].type == GPUAGG_T_INTERVAL_CODE;
		}
	}
	Assert(place == rows->noutputs);
}

GpuAggRows *
gpuagg_rows_create(Plan *plan, EState *estate, int eflags,
				   const GpuAggProgram *program)
{
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	GpuAggRows *rows = palloc0(sizeof(GpuAggRows));

	rows->context = estate->es_query_cxt;
	rows->noutputs = gpuagg_program_noutputs(program);
	if (list_length(plan->targetlist) != rows->noutputs)
		elog(ERROR, "gpuagg: row plan has %d outputs, program has %d",
			 list_length(plan->targetlist), rows->noutputs);
	rows->outputs = palloc0(Max(1, rows->noutputs) * sizeof(GpuAggRowOutput));
	rows->order = palloc(Max(1, rows->noutputs) * sizeof(int));
	rows->scan = (ScanState *) ExecInitNode(plan, estate, eflags);
	outputs_init(rows, program);
	rows->row_longs = palloc(Max(1, rows->noutputs) * sizeof(GpuAggRowLong));
	rows->nkeys = program->nkeys;
	initStringInfo(&rows->msg);
	initStringInfo(&rows->key);
	MemoryContextSwitchTo(old);
	return rows;
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
gpuagg_rows_bind(GpuAggRows *rows, const GpuAggProgram *program, GpuAggLongValues *longs, bool keep)
{
	rows->longs = longs;
	rows->keep = keep;
	for (int i = 0; i < rows->noutputs; i++)
		rows->outputs[i].enum_table = enum_table(program, rows->outputs[i].reg);
}

/* The rest goes with the query's memory context. */
void
gpuagg_rows_end(GpuAggRows *rows)
{
	ExecEndNode(&rows->scan->ps);
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
value_bytes(GpuAggRows *rows, GpuAggRowOutput *output, Datum datum,
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
		if (*len > ROWS_STRING_MAX ||
			output->strings.len + *len > ROWS_STRING_MAX)
			return false;
		appendBinaryStringInfo(&output->strings, VARDATA_ANY(text), *len);
	}
	rows->string_bytes += *len;
	return true;
}

/* The same of types that are held as a constant of them is */
static bool
value_of_type(GpuAggRows *rows, GpuAggRowOutput *output, Datum datum, uint64 *value)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	if (!output->known || !gpuagg_constant_fits(output->type, datum))
		return false;
	if (output->class == GPUAGG_CLASS_BYTES)
		return value_bytes(rows, output, datum, value);
	*value = (uint64) gpuagg_constant_make(output->type, datum, false).value.v.i;
	if (output->enum_table.data != NULL)
		*value = (uint64) gpuagg_enum_order((int64) *value, output->enum_table, &st);
	return st == GPUAGG_ST_VALUE;
}

/* False: one that devices leave to PostgreSQL */
static bool
interval_convert(const GpuAggRowOutput *output, Datum datum, uint64 *value)
{
	const GpuAggBytes bytes = {(const char *) DatumGetIntervalP(datum), sizeof(Interval)};
	uint8		st = GPUAGG_ST_VALUE;

	*value = (uint64) (output->coded ? gpuagg_interval_code(bytes, &st) :
					   gpuagg_interval_total(bytes, &st));
	return st == GPUAGG_ST_VALUE;
}

/*
 * One non-NULL value, as devices hold it.  False: it has no such form.
 */
static bool
value_convert(GpuAggRows *rows, GpuAggRowOutput *output, Datum datum,
			  uint64 *value)
{
	switch (output->sqltype)
	{
		case BOOLOID:
			*value = DatumGetBool(datum);
			break;
		case INT2OID:
			*value = (uint64) (int64) DatumGetInt16(datum);
			break;
		case INT4OID:
			*value = (uint64) (int64) DatumGetInt32(datum);
			break;
		case DATEOID:
			*value = (uint64) (int64) DatumGetDateADT(datum);
			break;
		case INT8OID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case TIMEOID:
			*value = (uint64) DatumGetInt64(datum);
			break;
		case INTERVALOID:
			return interval_convert(output, datum, value);
		case NUMERICOID:
			{
				const int	scale = output->scale & ~(GPUAGG_SCALE_AT_MOST | GPUAGG_SCALE_WORD);
				int64		decimal;

				if ((output->scale & GPUAGG_SCALE_WORD) != 0 ?
					!gpuagg_numeric_word(datum, scale, &decimal) :
					!gpuagg_numeric_scaled(datum, (output->scale & GPUAGG_SCALE_AT_MOST) != 0,
										   scale, &decimal))
					return false;
				*value = (uint64) decimal;
				break;
			}
		case FLOAT4OID:
			*value = double_bits(DatumGetFloat4(datum));
			break;
		case FLOAT8OID:
			*value = double_bits(DatumGetFloat8(datum));
			break;
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case UUIDOID:
			return value_bytes(rows, output, datum, value);
		default:
			return value_of_type(rows, output, datum, value);
	}
	return true;
}

/* Does the SQL type give values of this class? */
static bool
output_is_sound(const GpuAggRowOutput *output)
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

/* ---------------------------------------------------------------- rows --- */

/* The value is not for the device, but for its group; false: it must be the device's. */
static bool
put_aside(GpuAggRows *rows, const GpuAggRowOutput *output, Datum datum)
{
	if (rows->longs == NULL || output->transition < 0 || output->sqltype != NUMERICOID ||
		!gpuagg_long_values_take(rows->longs, output->transition))
		return false;
	rows->row_longs[rows->nlong].transition = output->transition;
	rows->row_longs[rows->nlong].reg = output->reg;
	rows->row_longs[rows->nlong++].value = datum;
	return true;
}

static bool
output_evaluate(GpuAggRows *rows, GpuAggRowOutput *output,
				ExprContext *econtext)
{
	uint32		row = rows->count;
	uint64		value = 0;
	bool		isnull = true;
	Datum		datum = (Datum) 0;

	output->skipped = false;
	if (output->filter >= 0)
	{
		GpuAggRowOutput *filter = &rows->outputs[output->filter];

		output->skipped = filter->states[row] != GPUAGG_ST_VALUE || filter->values[row] == 0;
	}
	if (!output->skipped)
		datum = ExecEvalExprSwitchContext(output->expr, econtext, &isnull);

	if (!isnull && !output->counted)
	{
		MemoryContext old =
			MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
		bool		fits = output_is_sound(output) &&
			value_convert(rows, output, datum, &value);

		MemoryContextSwitchTo(old);
		if (!fits && !put_aside(rows, output, datum))
			return false;
		isnull = !fits;
	}
	output->states[row] = isnull ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	output->values[row] = value;
	return true;
}

/* The key of the group that the row belongs to */
static void
row_key(GpuAggRows *rows)
{
	resetStringInfo(&rows->key);
	for (int i = 0; i < rows->nkeys; i++)
	{
		const GpuAggRowOutput *output = &rows->outputs[i];
		const uint64 value = output->values[rows->count];

		if (output->states[rows->count] != GPUAGG_ST_VALUE)
			gpuagg_long_key_null(&rows->key);
		else if (output->class == GPUAGG_CLASS_BYTES)
		{
			const GpuAggBytes bytes = {output->strings.data + output->strings.len - value,
			(uint32) value};

			gpuagg_long_key_bytes(&rows->key, output->key_type, bytes);
		}
		else
			gpuagg_long_key_number(&rows->key, output->key_type, value);
	}
}

/*
 * Where a FILTER is not true its argument has not been evaluated.  A device may keep one
 * value for all that is the same register, so it must be the one that another output has;
 * best one that is not only counted.
 */
static void
row_share_values(GpuAggRows *rows)
{
	const uint32 row = rows->count;

	for (int i = 0; i < rows->noutputs; i++)
	{
		GpuAggRowOutput *output = &rows->outputs[i];
		const GpuAggRowOutput *from = NULL;

		if (!output->skipped || output->class == GPUAGG_CLASS_BYTES)
			continue;
		for (int k = 0; k < rows->noutputs; k++)
		{
			const GpuAggRowOutput *other = &rows->outputs[k];

			if (other->source == output->source && !other->skipped &&
				(from == NULL || from->counted))
				from = other;
		}
		if (from == NULL)
			continue;
		output->states[row] = from->states[row];
		output->values[row] = from->values[row];
	}
}

/* What is NULL as one argument is NULL where it is counted, too; false: it may not be. */
static bool
row_counts_aside(GpuAggRows *rows)
{
	const int	n = rows->nlong;

	for (int i = 0; i < rows->noutputs && n > 0; i++)
	{
		GpuAggRowOutput *output = &rows->outputs[i];
		int			k = 0;

		while (k < n && rows->row_longs[k].reg != output->reg)
			k++;
		if (k == n || !output->counted || output->states[rows->count] != GPUAGG_ST_VALUE)
			continue;
		if (!put_aside(rows, output, rows->row_longs[k].value))
			return false;
		output->states[rows->count] = GPUAGG_ST_NULL;
	}
	return true;
}

/* The row's values that have been put aside, to their group; false: there are too many. */
static bool
row_keep_long(GpuAggRows *rows)
{
	bool		kept = true;

	if (rows->nlong == 0 || !rows->keep)
		return true;
	row_key(rows);
	for (int i = 0; i < rows->nlong; i++)
		kept &= gpuagg_long_values_add(rows->longs, &rows->key, rows->row_longs[i].transition,
									   rows->row_longs[i].value);
	return kept;
}

/* The tuple in the scan slot */
static GpuAggStatus
row_evaluate(GpuAggRows *rows, ExprContext *econtext, GpuAggError *error)
{
	bool		fits = true;

	if (rows->scan->ps.qual != NULL && !ExecQual(rows->scan->ps.qual, econtext))
		return GPUAGG_OK;
	rows->nlong = 0;
	for (int i = 0; i < rows->noutputs; i++)
		fits = fits && output_evaluate(rows, &rows->outputs[rows->order[i]], econtext);
	if (fits)
		row_share_values(rows);
	if (!fits || !row_counts_aside(rows))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"a value has no form that devices know");
	if (!row_keep_long(rows))
		return gpuagg_error_set(error, GPUAGG_VALUE_ERROR, GPUAGG_ST_NEEDS_PG,
								"too many numerics have no form that devices know");
	rows->count++;
	return GPUAGG_OK;
}

GpuAggStatus
gpuagg_rows_add(GpuAggRows *rows, Relation rel, Buffer buffer,
				OffsetNumber line, GpuAggError *error)
{
	TupleTableSlot *slot = rows->scan->ss_ScanTupleSlot;
	ExprContext *econtext = rows->scan->ps.ps_ExprContext;
	Page		page = BufferGetPage(buffer);
	HeapTupleData tuple;
	ItemId		lp;
	GpuAggStatus status;

	Assert(!gpuagg_rows_full(rows));
	if (line < FirstOffsetNumber || line > PageGetMaxOffsetNumber(page) ||
		!ItemIdIsNormal(lp = PageGetItemId(page, line)) ||
		ItemIdGetLength(lp) < SizeofHeapTupleHeader ||
		ItemIdGetOffset(lp) + ItemIdGetLength(lp) > BLCKSZ)
		return gpuagg_error_set(error, GPUAGG_DEVICE_FAULT, 0,
								"the device asked for line %u of block %u, which is no tuple",
								line, BufferGetBlockNumber(buffer));
	tuple.t_tableOid = RelationGetRelid(rel);
	tuple.t_data = (HeapTupleHeader) PageGetItem(page, lp);
	tuple.t_len = ItemIdGetLength(lp);
	ItemPointerSet(&tuple.t_self, BufferGetBlockNumber(buffer), line);

	ResetExprContext(econtext);
	ExecStoreBufferHeapTuple(&tuple, slot, buffer);
	econtext->ecxt_scantuple = slot;
	status = row_evaluate(rows, econtext, error);
	ExecClearTuple(slot);
	return status;
}

uint32
gpuagg_rows_pending(const GpuAggRows *rows)
{
	return rows->count;
}

bool
gpuagg_rows_full(const GpuAggRows *rows)
{
	return rows->count >= ROWS_MAX || rows->string_bytes >= ROWS_STRING_BYTES;
}

void
gpuagg_rows_reset(GpuAggRows *rows)
{
	rows->count = 0;
	rows->string_bytes = 0;
	for (int i = 0; i < rows->noutputs; i++)
	{
		if (rows->outputs[i].class == GPUAGG_CLASS_BYTES)
			resetStringInfo(&rows->outputs[i].strings);
	}
}

/* ------------------------------------------------------------- message --- */

static void
msg_append(StringInfo msg, const void *data, Size bytes)
{
	static const char zeros[8] = {0};

	appendBinaryStringInfo(msg, data, bytes);
	appendBinaryStringInfo(msg, zeros, GPUAGG_ALIGN8(bytes) - bytes);
}

const GpuAggMsg *
gpuagg_rows_message(GpuAggRows *rows, uint64 batch_id, Size *bytes)
{
	GpuAggMsg	head = {GPUAGG_MSG_ROWS, rows->count, batch_id};

	resetStringInfo(&rows->msg);
	msg_append(&rows->msg, &head, sizeof(head));
	for (int i = 0; i < rows->noutputs; i++)
	{
		GpuAggRowOutput *output = &rows->outputs[i];

		msg_append(&rows->msg, output->states, rows->count);
		if (output->class != GPUAGG_CLASS_BYTES)
		{
			msg_append(&rows->msg, output->values,
					   rows->count * sizeof(uint64));
			continue;
		}
		for (uint32 row = 0; row < rows->count; row++)
		{
			uint32		len = (uint32) output->values[row];

			appendBinaryStringInfo(&rows->msg, (const char *) &len,
								   sizeof(len));
		}
		if (rows->count % 2 != 0)
			appendBinaryStringInfo(&rows->msg, "\0\0\0\0", sizeof(uint32));
		msg_append(&rows->msg, output->strings.data, output->strings.len);
	}
	gpuagg_rows_reset(rows);
	*bytes = rows->msg.len;
	return (const GpuAggMsg *) rows->msg.data;
}
