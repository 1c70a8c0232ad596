/*
 * ranges.c
 *		Ranges of registers: interval arithmetic over the operators for which it is
 *		simple, and that keys are made of.
 */
#include "device/layout.h"
#include "device/ops/instr.h"
#include "device/ops/ops_zone.h"
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

/* Microseconds need not be narrow, for what is made of them is, or they are far apart. */
static bool
range_moments(GpuAggRange *r, int64_t low, int64_t high, uint8_t st)
{
	r->low = low;
	r->high = high;
	return low <= high && st == GPUAGG_ST_VALUE;
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
	if (a->low > a->high)
		return false;
	r->low = extract(a->low, &st, ins);
	r->high = extract(a->high, &st, ins);
	return st == GPUAGG_ST_VALUE &&
		(ins->imm == GPUAGG_FIELD_EPOCH ? r->low <= r->high : range_is(r, r->low, r->high));
}

/* x % y is smaller than y, and has the sign of x. */
static bool
range_mod(const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	const int64_t below = (b->high > -b->low ? b->high : -b->low) - 1;

	return below >= 0 && range_is(r, a->low >= 0 ? 0 : -below, a->high <= 0 ? 0 : below);
}

static int64_t
rising(const GpuAggInstr *ins, int64_t v, uint8_t *st)
{
	switch (ins->op)
	{
		case GPUAGG_OP_DATE_TRUNC:
			return gpuagg_date_trunc(v, st, ins);
		case GPUAGG_OP_TIMESTAMP_TO_DATE:
			return gpuagg_timestamp_to_date(v, st);
		case GPUAGG_OP_DECIMAL_ROUND:
			return gpuagg_decimal_round(v, st, ins);
		case GPUAGG_OP_DECIMAL_TRUNC:
			return gpuagg_decimal_trunc(v, st, ins);
		case GPUAGG_OP_DECIMAL_FLOOR:
			return gpuagg_decimal_floor(v, st, ins);
		case GPUAGG_OP_DECIMAL_CEIL:
			return gpuagg_decimal_ceil(v, st, ins);
		default:
			return v;
	}
}

/* floor(a / 10^6 / b), which rises */
static bool
range_quotient(const GpuAggRange *a, int64_t b, GpuAggRange *r)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	return range_is(r, gpuagg_epoch_quotient(a->low, b, &st), gpuagg_epoch_quotient(a->high, b, &st)) &&
		st == GPUAGG_ST_VALUE;
}

/* A function that rises with its only argument */
static bool
range_rising(const GpuAggInstr *ins, const GpuAggRange *a, GpuAggRange *r)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	return range_is(r, rising(ins, a->low, &st), rising(ins, a->high, &st)) && st == GPUAGG_ST_VALUE;
}

/* Moments in a zone: no offset is as long as a day. */
static bool
range_zone(const GpuAggRange *a, GpuAggRange *r)
{
	return gpuagg_timestamp_in_range(a->low) && gpuagg_timestamp_in_range(a->high) &&
		range_moments(r, a->low - GPUAGG_USECS_PER_DAY, a->high + GPUAGG_USECS_PER_DAY, GPUAGG_ST_VALUE);
}

/* Infinities are not cut. */
static bool
range_cut(const GpuAggInstr *ins, const GpuAggRange *a, GpuAggRange *r)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	return gpuagg_timestamp_in_range(a->low) && gpuagg_timestamp_in_range(a->high) &&
		range_moments(r, gpuagg_timestamp_trunc(a->low, &st, ins), gpuagg_timestamp_trunc(a->high, &st, ins), st);
}

static bool
range_union(const GpuAggRange *a, const GpuAggRange *b, GpuAggRange *r)
{
	return range_is(r, a->low < b->low ? a->low : b->low, a->high > b->high ? a->high : b->high);
}

/* Whole seconds since 1970 as moments */
static bool
range_seconds(const GpuAggRange *a, GpuAggRange *r)
{
	uint8_t		st = GPUAGG_ST_VALUE;

	return range_moments(r, gpuagg_to_timestamp((double) a->low, &st), gpuagg_to_timestamp((double) a->high, &st), st);
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
		case GPUAGG_OP_DECIMAL_ROUND:
		case GPUAGG_OP_DECIMAL_TRUNC:
		case GPUAGG_OP_DECIMAL_FLOOR:
		case GPUAGG_OP_DECIMAL_CEIL:
			return range_rising(ins, a, r);
		case GPUAGG_OP_TIMESTAMP_TRUNC:
			return range_cut(ins, a, r);
		case GPUAGG_OP_EPOCH_QUOTIENT:
			return b->low == b->high && range_quotient(a, b->low, r);
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

/* ---------- values that are far apart ---------- */

/* The instruction that a register is of; NULL: a column, a constant */
static const GpuAggInstr *
instr_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	if (reg < p->ncolumns + p->nconsts)
		return NULL;
	while (ins->dst != reg)
		ins++;
	return ins;
}

/* A constant that is known; else NULL */
static const GpuAggConst *
const_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[reg - p->ncolumns];

	return reg >= p->ncolumns && reg < p->ncolumns + p->nconsts && c->state == GPUAGG_ST_VALUE ? c : NULL;
}

static bool
is_op(const GpuAggInstr *ins, uint32_t op)
{
	return ins != NULL && ins->op == op;
}

/* What a moment is cut to; 0: to days or more */
static int64_t
field_unit(const GpuAggInstr *cut)
{
	switch (cut->imm)
	{
		case GPUAGG_FIELD_MICROSECOND:
			return 1;
		case GPUAGG_FIELD_MILLISECOND:
			return 1000;
		case GPUAGG_FIELD_SECOND:
			return 1000000;
		case GPUAGG_FIELD_MINUTE:
			return 60000000;
		case GPUAGG_FIELD_HOUR:
			return INT64_C(3600000000);
		default:
			return 0;
	}
}

/*
 * Is it date_trunc(unit below a day, timestamptz), which is the local time cut, less the moment's
 * offset (planner/lower/lower_zone.c)?  Then what is cut; else NULL.
 */
static const GpuAggInstr *
zoned_cut(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggInstr *cut = is_op(ins, GPUAGG_OP_INT8_SUB) ? instr_of(p, ins->a) : NULL;
	const GpuAggInstr *offset = is_op(cut, GPUAGG_OP_TIMESTAMP_TRUNC) ? instr_of(p, ins->b) : NULL;
	const GpuAggInstr *local = is_op(offset, GPUAGG_OP_INT8_SUB) ? instr_of(p, cut->a) : NULL;

	return is_op(local, GPUAGG_OP_ZONE_LOCAL) && offset->a == cut->a && offset->b == local->a && field_unit(cut) > 0 ?
		cut : NULL;
}

/*
 * Hours of a zone, as moments: those of the offset that it has where the moments end, which most zones
 * have but for whole hours since local mean time.  A table that is not there yet: as of UTC.
 */
static bool
range_zoned(const GpuAggProgram *p, const GpuAggInstr *cut, const GpuAggRange *a, GpuAggRange *r)
{
	const GpuAggConst *c = const_of(p, instr_of(p, cut->a)->b);
	uint8_t		st = GPUAGG_ST_VALUE;
	int64_t		offset = 0;
	GpuAggRange local;

	if (c != NULL)
		offset = gpuagg_zone_local(a->high, gpuagg_const_bytes(p, c), &st) - a->high;
	if (st != GPUAGG_ST_VALUE || !range_zone(a, &local))
		return false;
	local = (GpuAggRange) {a->low + offset, a->high + offset};
	return range_cut(cut, &local, r) && range_moments(r, r->low - offset, r->high - offset, st);
}

/* Whole seconds since 1970 that a double has; NULL: it is none of an integer */
static const GpuAggInstr *
double_of(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggInstr *wide = is_op(ins, GPUAGG_OP_TO_TIMESTAMP) ? instr_of(p, ins->a) : NULL;

	return is_op(wide, GPUAGG_OP_INT_TO_FLOAT8) ? wide : NULL;
}

/* Of a constant that is known; else 1 */
static int64_t
factor_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggConst *c = const_of(p, reg);

	return c != NULL && c->v.i != 0 && c->v.i >= -WIDEST && c->v.i <= WIDEST ?
		c->v.i < 0 ? -c->v.i : c->v.i : 1;
}

static int64_t
times(int64_t unit, int64_t factor)
{
	return unit == 0 ? factor : unit > WIDEST / factor ? 1 : unit * factor;
}

static bool
is_const(const GpuAggProgram *p, uint16_t reg)
{
	return reg >= p->ncolumns && reg < p->ncolumns + p->nconsts;
}

static int64_t
stride_of(const GpuAggProgram *p, const GpuAggInstr *bin)
{
	const GpuAggConst *c = const_of(p, bin->b);
	int64_t		stride = 1;

	if (c != NULL && c->len >= sizeof(stride))
		memcpy(&stride, gpuagg_const_bytes(p, c).data, sizeof(stride));
	return stride > 0 ? stride : 1;
}

/* Bins of moments, where the stride and origin are known */
static bool
range_bins(const GpuAggProgram *p, const GpuAggInstr *ins, const GpuAggRange *a, GpuAggRange *r)
{
	const GpuAggConst *c = const_of(p, ins->b);
	uint8_t		st = GPUAGG_ST_VALUE;
	GpuAggBytes bin;

	if (c == NULL || !gpuagg_timestamp_in_range(a->low) || !gpuagg_timestamp_in_range(a->high))
		return false;
	bin = gpuagg_const_bytes(p, c);
	return range_moments(r, gpuagg_date_bin(a->low, bin, &st), gpuagg_date_bin(a->high, bin, &st), st);
}

/* Of those that are told by more than ranges of arguments.  False: *known says nothing. */
static bool
range_apart(const GpuAggProgram *p, const GpuAggInstr *ins, const GpuAggRange *ranges, GpuAggRange *range, bool *known)
{
	const GpuAggInstr *cut = zoned_cut(p, ins);
	const GpuAggInstr *seconds = double_of(p, ins);
	GpuAggRange a;

	if (cut == NULL && seconds == NULL && ins->op != GPUAGG_OP_DATE_BIN)
		return false;
	*known = gpuagg_range_register(p, cut != NULL ? instr_of(p, cut->a)->a : seconds != NULL ? seconds->a : ins->a,
								   ranges, &a) &&
		(cut != NULL ? range_zoned(p, cut, &a, range) : seconds != NULL ? range_seconds(&a, range) :
		 range_bins(p, ins, &a, range));
	return true;
}

int64_t
gpuagg_range_unit(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = instr_of(p, reg);

	if (ins == NULL)
		return 0;
	switch (ins->op)
	{
		case GPUAGG_OP_TIMESTAMP_TRUNC:
			return field_unit(ins);
		case GPUAGG_OP_INT8_SUB:
			return zoned_cut(p, ins) != NULL ? field_unit(zoned_cut(p, ins)) : 0;
		case GPUAGG_OP_DATE_BIN:
			return stride_of(p, ins);
		case GPUAGG_OP_TO_TIMESTAMP:
			return double_of(p, ins) != NULL ? times(gpuagg_range_unit(p, double_of(p, ins)->a), 1000000) : 0;
		case GPUAGG_OP_INT2_MUL:
		case GPUAGG_OP_INT4_MUL:
		case GPUAGG_OP_INT8_MUL:
			return is_const(p, ins->b) ? times(gpuagg_range_unit(p, ins->a), factor_of(p, ins->b)) :
				is_const(p, ins->a) ? times(gpuagg_range_unit(p, ins->b), factor_of(p, ins->a)) : 0;
		default:
			return 0;
	}
}

/* ---------- registers ---------- */

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
	const GpuAggInstr *ins = instr_of(p, reg);
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
	if (gpuagg_op_is_boolean(ins->op))
		return range_is(range, 0, 1);
	if (ins->op == GPUAGG_OP_FETCH_I64)
		return range_fetched(p, ins, ranges, range);
	if (range_apart(p, ins, ranges, range, &known))
		return known;
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
	const GpuAggInstr *ins = instr_of(p, reg);
	uint16_t	args[3];
	uint32_t	n;

	if (reg < p->ncolumns)
		columns[reg] = 1;
	if (ins == NULL || gpuagg_op_is_boolean(ins->op) || ins->op == GPUAGG_OP_FETCH_I64)
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
					 GpuAggKeyRange *keys, uint64_t *numbers)
{
	*numbers = 1;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggKey *key = &gpuagg_program_keys(p)[i];
		const int64_t unit = gpuagg_range_unit(p, key->reg);
		GpuAggRange range;
		uint64_t	extent;

		if (!range_key(p, key, ranges, &range))
			return false;
		keys[i] = (GpuAggKeyRange) {range.low, range.high, unit > 0 ? unit : 1};
		extent = ((uint64_t) range.high - (uint64_t) range.low) / (uint64_t) keys[i].unit;
		if (extent >= GPUAGG_NUMBERED_BYTES)
			return false;
		*numbers *= extent + 2;
		if ((double) *numbers * entry_bytes > (double) GPUAGG_NUMBERED_BYTES)
			return false;
	}
	return p->nkeys > 0;
}
