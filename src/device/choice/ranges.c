/*
 * ranges.c
 *		Ranges of registers: interval arithmetic over the operators for which it is
 *		simple, and that keys are made of.
 */
#include "device/layout.h"
#include "device/ops/instr.h"
#include "ranges.h"

/* Ranges beyond this are of no use, and sums of them would overflow. */
#define WIDEST (INT64_C(1) << 40)

static bool
range_is(GpuAggRange *r, int64_t low, int64_t high)
{
	r->low = low;
	r->high = high;
	return low <= high && low >= -WIDEST && high <= WIDEST;
}

/* Products of the ends; of what is narrow enough not to overflow */
static bool
range_product(const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	const int64_t narrow = INT64_C(1) << 30;
	const int64_t ends[] = {a->low, a->high, b->low, b->high};
	int64_t		low = INT64_MAX;
	int64_t		high = INT64_MIN;

	for (int i = 0; i < 4; i++)
		if (ends[i] < -narrow || ends[i] > narrow)
			return false;
	for (int i = 0; i < 4; i++)
	{
		const int64_t v = ends[i / 2] * ends[2 + i % 2];

		low = v < low ? v : low;
		high = v > high ? v : high;
	}
	return range_is(r, low, high);
}

/* Fields of dates and timestamps: their own ranges, or as the date rises */
static bool
range_extract(const GpuAggInstr *ins, const GpuAggRange *a, GpuAggRange *r)
{
	int64_t		(*extract) (int64_t, uint8_t *, const GpuAggInstr *) =
		ins->op == GPUAGG_OP_DATE_EXTRACT ? gpuagg_date_extract : gpuagg_timestamp_extract;
	uint8_t		st = GPUAGG_ST_VALUE;

	switch (ins->imm)
	{
		case GPUAGG_FIELD_MICROSECOND:
			return range_is(r, 0, 59999999);
		case GPUAGG_FIELD_MINUTE:
			return range_is(r, 0, 59);
		case GPUAGG_FIELD_HOUR:
			return range_is(r, 0, 23);
		case GPUAGG_FIELD_DAY:
			return range_is(r, 1, 31);
		case GPUAGG_FIELD_DOW:
			return range_is(r, 0, 6);
		case GPUAGG_FIELD_ISODOW:
			return range_is(r, 1, 7);
		case GPUAGG_FIELD_DOY:
			return range_is(r, 1, 366);
		case GPUAGG_FIELD_WEEK:
			return range_is(r, 1, 53);
		case GPUAGG_FIELD_MONTH:
			return range_is(r, 1, 12);
		case GPUAGG_FIELD_QUARTER:
			return range_is(r, 1, 4);
		default:
			break;
	}
	return a->low <= a->high &&
		range_is(r, extract(a->low, &st, ins), extract(a->high, &st, ins)) && st == GPUAGG_ST_VALUE;
}

/* x % y is smaller than y, and has the sign of x. */
static bool
range_mod(const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	const int64_t below = (b->high > -b->low ? b->high : -b->low) - 1;

	return below >= 0 && range_is(r, a->low >= 0 ? 0 : -below, a->high <= 0 ? 0 : below);
}

/* A function that rises with its only argument */
static bool
range_rising(const GpuAggInstr *ins, const GpuAggRange *a, GpuAggRange *r)
{
	uint8_t		st = GPUAGG_ST_VALUE;
	int64_t		low = a->low;
	int64_t		high = a->high;

	if (ins->op == GPUAGG_OP_DATE_TRUNC)
	{
		low = gpuagg_date_trunc(low, &st, ins);
		high = gpuagg_date_trunc(high, &st, ins);
	}
	else if (ins->op == GPUAGG_OP_TIMESTAMP_TO_DATE)
	{
		low = gpuagg_timestamp_to_date(low, &st);
		high = gpuagg_timestamp_to_date(high, &st);
	}
	return st == GPUAGG_ST_VALUE && range_is(r, low, high);
}

/* Moments in a zone: no offset is as long as a day.  They need not be narrow, for what is made of them is. */
static bool
range_zone(const GpuAggRange *a, GpuAggRange *r)
{
	if (!gpuagg_timestamp_in_range(a->low) || !gpuagg_timestamp_in_range(a->high))
		return false;
	r->low = a->low - GPUAGG_USECS_PER_DAY;
	r->high = a->high + GPUAGG_USECS_PER_DAY;
	return a->low <= a->high;
}

static bool
range_union(const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	return range_is(r, a->low < b->low ? a->low : b->low, a->high > b->high ? a->high : b->high);
}

/* a, b: of arguments, where the operator looks at them */
static bool
range_instr(const GpuAggInstr *ins, const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	switch (ins->op)
	{
		case GPUAGG_OP_INT2_ADD:
		case GPUAGG_OP_INT4_ADD:
		case GPUAGG_OP_INT8_ADD:
		case GPUAGG_OP_DATE_ADD:
			return range_is(r, a->low + b->low, a->high + b->high);
		case GPUAGG_OP_INT2_SUB:
		case GPUAGG_OP_INT4_SUB:
		case GPUAGG_OP_INT8_SUB:
		case GPUAGG_OP_DATE_SUB:
		case GPUAGG_OP_DATE_DIFF:
			return range_is(r, a->low - b->high, a->high - b->low);
		case GPUAGG_OP_INT2_MUL:
		case GPUAGG_OP_INT4_MUL:
		case GPUAGG_OP_INT8_MUL:
			return range_product(a, b, r);
		case GPUAGG_OP_INT2_DIV:
		case GPUAGG_OP_INT4_DIV:
		case GPUAGG_OP_INT8_DIV:
			return b->low == b->high && b->low > 0 && range_is(r, a->low / b->low, a->high / b->low);
		case GPUAGG_OP_INT_MOD:
			return range_mod(a, b, r);
		case GPUAGG_OP_INT_AND:
			return b->low >= 0 && range_is(r, 0, b->high);
		case GPUAGG_OP_TO_INT2:
		case GPUAGG_OP_TO_INT4:
		case GPUAGG_OP_DATE_TRUNC:
		case GPUAGG_OP_TIMESTAMP_TO_DATE:
			return range_rising(ins, a, r);
		case GPUAGG_OP_ZONE_LOCAL:
		case GPUAGG_OP_ZONE_UTC:
			return range_zone(a, r);
		case GPUAGG_OP_DATE_EXTRACT:
		case GPUAGG_OP_TIMESTAMP_EXTRACT:
			return range_extract(ins, a, r);
		case GPUAGG_OP_I64_MIN:
		case GPUAGG_OP_I64_MAX:
		case GPUAGG_OP_COALESCE:
			return range_union(a, b, r);
		default:
			return false;
	}
}

static bool
is_extract(uint32_t op)
{
	return op == GPUAGG_OP_DATE_EXTRACT || op == GPUAGG_OP_TIMESTAMP_EXTRACT;
}

/* Of these the other argument is a table. */
static bool
is_zoned(uint32_t op)
{
	return op == GPUAGG_OP_ZONE_LOCAL || op == GPUAGG_OP_ZONE_UTC;
}

/* A look-up table knows what its columns have; of one that is not made yet, who asks does. */
static bool
range_fetched(const GpuAggProgram *p, const GpuAggInstr *ins, const GpuAggRange *ranges, GpuAggRange *r)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[ins->b - p->ncolumns];
	const GpuAggLookupColumn *column;

	if (c->state != GPUAGG_ST_VALUE)
		return range_is(r, ranges[ins->dst].low, ranges[ins->dst].high);
	column = gpuagg_lookup_column(gpuagg_lookup_of(gpuagg_const_bytes(p, c)), (uint32_t) ins->imm);
	return range_is(r, column->low, column->high);
}

/* All that follows from an extraction's field does not need the argument's range. */
static bool
range_argument(const GpuAggProgram *p, uint16_t reg, const GpuAggRange *ranges, GpuAggRange *range)
{
	if (gpuagg_range_register(p, reg, ranges, range))
		return true;
	range->low = 1;
	range->high = 0;
	return false;
}

bool
gpuagg_range_register(const GpuAggProgram *p, uint16_t reg, const GpuAggRange *ranges, GpuAggRange *range)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	uint16_t	args[3];
	GpuAggRange r[3];
	uint32_t	n;
	bool		known;

	if (gpuagg_program_classes(p)[reg] != GPUAGG_CLASS_I64)
		return false;
	if (reg < p->ncolumns)
	{
		*range = ranges[reg];
		return range->low <= range->high;
	}
	if (reg < p->ncolumns + p->nconsts)
	{
		const GpuAggConst *c = &gpuagg_program_consts(p)[reg - p->ncolumns];

		return c->state == GPUAGG_ST_VALUE && range_is(range, c->v.i, c->v.i);
	}
	while (ins->dst != reg)
		ins++;
	if (gpuagg_op_is_boolean(ins->op))
		return range_is(range, 0, 1);
	if (ins->op == GPUAGG_OP_FETCH_I64)
		return range_fetched(p, ins, ranges, range);
	n = gpuagg_instr_args(ins, args);
	if (is_zoned(ins->op))
		n = 1;
	known = true;
	for (uint32_t i = ins->op == GPUAGG_OP_SELECT ? 1 : 0; i < n; i++)
		known &= range_argument(p, args[i], ranges, &r[i]);
	if (ins->op == GPUAGG_OP_SELECT)
		return known && range_union(&r[1], &r[2], range);
	if (ins->op == GPUAGG_OP_NULL_IF)
	{
		*range = r[0];
		return range->low <= range->high;
	}
	if (!known && !is_extract(ins->op))
		return false;
	return range_instr(ins, &r[0], &r[n > 1 ? 1 : 0], range);
}

void
gpuagg_range_needs(const GpuAggProgram *p, uint16_t reg, uint8_t *columns)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	uint16_t	args[3];
	uint32_t	n;

	if (reg < p->ncolumns)
		columns[reg] = 1;
	if (reg < p->ncolumns + p->nconsts)
		return;
	while (ins->dst != reg)
		ins++;
	if (gpuagg_op_is_boolean(ins->op) || ins->op == GPUAGG_OP_FETCH_I64)
		return;
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = ins->op == GPUAGG_OP_SELECT ? 1 : 0; i < n; i++)
		gpuagg_range_needs(p, args[i], columns);
}

/* Of a string's column, that of its codes */
static bool
range_key(const GpuAggProgram *p, const GpuAggKey *key, const GpuAggRange *ranges, GpuAggRange *range)
{
	if (gpuagg_key_class(key->type) != GPUAGG_CLASS_BYTES)
		return gpuagg_range_register(p, key->reg, ranges, range);
	if (key->reg >= p->ncolumns)
		return false;
	*range = ranges[key->reg];
	return range->low >= 0 && range->low <= range->high;
}

bool
gpuagg_range_numbers(const GpuAggProgram *p, const GpuAggRange *ranges, double entry_bytes,
					 GpuAggRange *keys, uint64_t *numbers)
{
	*numbers = 1;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		uint64_t	extent;

		if (!range_key(p, &gpuagg_program_keys(p)[i], ranges, &keys[i]))
			return false;
		extent = (uint64_t) keys[i].high - (uint64_t) keys[i].low;
		if (extent >= GPUAGG_NUMBERED_BYTES)
			return false;
		*numbers *= extent + 2;
		if ((double) *numbers * entry_bytes > (double) GPUAGG_NUMBERED_BYTES)
			return false;
	}
	return p->nkeys > 0;
}
