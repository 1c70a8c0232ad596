/*
 * value_set_moment.c
 *		Rules of moments: months, zones, bins, fields (value_set.h).
 */
#include "device/ops/value_rules.h"

typedef GpuAggValueSet Set;
__extension__ typedef __int128 Wide;

#define MAY_STRICT (GPUAGG_MAY_NULL | GPUAGG_MAY_ERROR)

/* A table of a zone is asked for a day before a moment, and not for the last two of it. */
#define TABLE_MARGIN (3 * GPUAGG_USECS_PER_DAY)

/* An interval that is wider on each side, as far as there are numbers */
static void
add_wider(Set *s, int64_t low, int64_t high, int64_t by)
{
	gpuagg_set_add(s, low < INT64_MIN + by ? INT64_MIN : low - by);
	gpuagg_set_add(s, high > INT64_MAX - by ? INT64_MAX : high + by);
}

static void
add_open(Set *s, uint32_t op)
{
	s->may |= MAY_STRICT;
	gpuagg_set_add_values(s, op);
}

static bool
are_finite(const Set *a)
{
	return gpuagg_timestamp_in_range(a->low) && gpuagg_timestamp_in_range(a->high);
}

static int64_t
midnight(int64_t moment)
{
	return gpuagg_timestamp_day(moment) * GPUAGG_USECS_PER_DAY;
}

/*
 * The day of the month is at most the last, so a later moment may come earlier on it, but on no
 * earlier day.
 */
static void
set_months(const GpuAggInstr *ins, const Set *const *args, Set *result)
{
	Set			ends = GPUAGG_SET_NOTHING;

	if (!are_finite(args[0]))
	{
		add_open(result, ins->op);
		return;
	}
	gpuagg_set_ends(ins, args, false, &ends);
	if (are_finite(&ends))
	{
		ends.low = midnight(ends.low);
		ends.high = midnight(ends.high) + (GPUAGG_USECS_PER_DAY - 1);
	}
	gpuagg_set_unite(result, &ends);
}

/* No offset is as long as a day. */
static void
set_zoned(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *a, Set *result)
{
	const GpuAggConst *c = gpuagg_const_of(p, ins->b);
	const GpuAggZoneHead *zone = c != NULL ? gpuagg_zone_head(gpuagg_const_bytes(p, c)) : NULL;

	if (!are_finite(a))
	{
		add_open(result, ins->op);
		return;
	}
	if (zone == NULL || a->low < zone->from + TABLE_MARGIN || a->high >= zone->end - TABLE_MARGIN)
		result->may |= GPUAGG_MAY_ERROR;
	add_wider(result, a->low, a->high, GPUAGG_USECS_PER_DAY);
}

/* Months of local times, as days */
static void
set_zoned_month(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *a, Set *result)
{
	Set			local = GPUAGG_SET_NOTHING;
	uint8_t		st = GPUAGG_ST_VALUE;

	if (are_finite(a))
		set_zoned(p, ins, a, &local);
	if (!are_finite(&local))
	{
		add_open(result, ins->op);
		return;
	}
	result->may |= local.may & MAY_STRICT;
	gpuagg_set_add(result, gpuagg_zone_month_day(local.low, &st));
	gpuagg_set_add(result, gpuagg_zone_month_day(local.high, &st));
	if (st != GPUAGG_ST_VALUE)
		result->may |= GPUAGG_MAY_ERROR;
}

/* The origin's bins go on before it, where PostgreSQL has to tell of some. */
Set
gpuagg_set_bins(const Set *a, int64_t stride, int64_t origin)
{
	Set			result = GPUAGG_SET_NOTHING;

	result.may = a->may & MAY_STRICT;
	if (!gpuagg_set_may_value(a))
		return result;
	if (stride <= 0 || !are_finite(a))
	{
		add_open(&result, GPUAGG_OP_DATE_BIN);
		return result;
	}
	for (int i = 0; i < 2; i++)
	{
		const Wide	past = (Wide) (i == 0 ? a->low : a->high) - origin;
		const Wide	beyond = past % stride + (past % stride < 0 ? stride : 0);
		const Wide	begin = past - beyond + origin;

		if (past < 0 || past > INT64_MAX || begin < GPUAGG_TIMESTAMP_MIN)
			result.may |= GPUAGG_MAY_ERROR;
		gpuagg_set_add(&result, begin < INT64_MIN ? INT64_MIN : (int64_t) begin);
	}
	return result;
}

static void
set_bins(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *a, Set *result)
{
	const GpuAggConst *c = gpuagg_const_of(p, ins->b);
	int64_t		bin[2] = {0, 0};	/* stride, origin */
	Set			bins;

	if (c != NULL && c->len == sizeof(bin))
		memcpy(bin, gpuagg_const_bytes(p, c).data, sizeof(bin));
	bins = gpuagg_set_bins(a, bin[0], bin[1]);
	gpuagg_set_unite(result, &bins);
}

/* Before 1970 the quotient is rounded by the size of what is divided, so one may be the next. */
static void
set_epoch(const GpuAggInstr *ins, const Set *const *args, Set *result)
{
	Set			ends = GPUAGG_SET_NOTHING;

	if (args[1]->low != args[1]->high)
	{
		add_open(result, ins->op);
		return;
	}
	gpuagg_set_ends(ins, args, false, &ends);
	result->may |= ends.may;
	if (gpuagg_set_may_value(&ends))
		add_wider(result, ends.low, ends.high, args[0]->low < 0);
}

/* ---------- fields ---------- */

/*
 * A field that comes round again: its values, and what it rises within.  Weeks and days of
 * the week are not in the order of years and of PostgreSQL's weeks.
 */
typedef struct Field
{
	uint8_t		field;
	uint8_t		within;
	int32_t		low;
	int32_t		high;
} Field;

static const Field fields[] = {
	{GPUAGG_FIELD_MICROSECOND, GPUAGG_FIELD_MINUTE, 0, 59999999},
	{GPUAGG_FIELD_MINUTE, GPUAGG_FIELD_HOUR, 0, 59},
	{GPUAGG_FIELD_HOUR, GPUAGG_FIELD_DAY, 0, 23},
	{GPUAGG_FIELD_DAY, GPUAGG_FIELD_MONTH, 1, 31},
	{GPUAGG_FIELD_DOW, GPUAGG_FIELD_DAY, 0, 6},
	{GPUAGG_FIELD_ISODOW, GPUAGG_FIELD_WEEK, 1, 7},
	{GPUAGG_FIELD_DOY, GPUAGG_FIELD_YEAR, 1, 366},
	{GPUAGG_FIELD_WEEK, GPUAGG_FIELD_WEEK, 1, 53},
	{GPUAGG_FIELD_MONTH, GPUAGG_FIELD_YEAR, 1, 12},
	{GPUAGG_FIELD_QUARTER, GPUAGG_FIELD_YEAR, 1, 4}
};

/* NULL: years and longer count on and on, as seconds do */
static const Field *
field_of(int32_t field)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].field == field)
			return &fields[i];
	return NULL;
}

/* Do both ends lie in the same month, or what the field rises within? */
static bool
is_within(const GpuAggInstr *ins, const Field *field, const Set *a)
{
	const GpuAggInstr cut = {.op = ins->op == GPUAGG_OP_DATE_EXTRACT ? GPUAGG_OP_DATE_TRUNC :
	GPUAGG_OP_TIMESTAMP_TRUNC,.imm = field->within};
	uint8_t		st[2];

	return gpuagg_set_apply(&cut, &a->low, &st[0]) == gpuagg_set_apply(&cut, &a->high, &st[1]) &&
		st[0] == GPUAGG_ST_VALUE && st[1] == GPUAGG_ST_VALUE;
}

static void
set_field(const GpuAggInstr *ins, const Set *const *args, Set *result)
{
	const Field *field = field_of(ins->imm);
	Set			ends = GPUAGG_SET_NOTHING;

	gpuagg_set_ends(ins, args, false, &ends);
	result->may |= ends.may;
	if ((ends.may & GPUAGG_MAY_ERROR) == 0 && (field == NULL || is_within(ins, field, args[0])))
	{
		gpuagg_set_add(result, ends.low);
		gpuagg_set_add(result, ends.high);
	}
	else if (field != NULL)
	{
		gpuagg_set_add(result, field->low);
		gpuagg_set_add(result, field->high);
	}
	else
		gpuagg_set_add_values(result, ins->op);
}

/* ---------- moments cut in a zone ---------- */

static bool
is_op(const GpuAggInstr *ins, uint32_t op)
{
	return ins != NULL && ins->op == op;
}

/* What makes the first or second argument of such an operator; NULL: nothing, or it is another */
static const GpuAggInstr *
made_by(const GpuAggProgram *p, const GpuAggInstr *ins, uint32_t op, bool first)
{
	return is_op(ins, op) ? gpuagg_instr_of(p, first ? ins->a : ins->b) : NULL;
}

int64_t
gpuagg_cut_unit(const GpuAggInstr *cut)
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

const GpuAggInstr *
gpuagg_zoned_cut(const GpuAggProgram *p, const GpuAggInstr *ins, const GpuAggInstr **local)
{
	const GpuAggInstr *cut = made_by(p, ins, GPUAGG_OP_INT8_SUB, true);
	const GpuAggInstr *offset = made_by(p, ins, GPUAGG_OP_INT8_SUB, false);
	const GpuAggInstr *zoned = made_by(p, cut, GPUAGG_OP_TIMESTAMP_TRUNC, true);

	if (!is_op(offset, GPUAGG_OP_INT8_SUB) || !is_op(zoned, GPUAGG_OP_ZONE_LOCAL) ||
		offset->a != cut->a || offset->b != zoned->a || gpuagg_cut_unit(cut) == 0)
		return NULL;
	if (local != NULL)
		*local = zoned;
	return cut;
}

/* A moment cut in a zone lies less than what it is cut to before the moment. */
static void
set_zoned_cut(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *sets, Set *result)
{
	const GpuAggInstr *local;
	const int64_t unit = gpuagg_cut_unit(gpuagg_zoned_cut(p, ins, &local));
	const Set  *moment = &sets[local->a];

	gpuagg_set_add(result, moment->low < INT64_MIN + unit ? INT64_MIN : moment->low - unit);
	gpuagg_set_add(result, moment->high);
}

/* ---------- all ---------- */

void
gpuagg_set_moment(const GpuAggProgram *p, const GpuAggInstr *ins, const Set *const *args,
				  const Set *sets, Set *result)
{
	switch (gpuagg_op_traits(ins->op)->rule)
	{
		case GPUAGG_RULE_MONTHS:
			set_months(ins, args, result);
			break;
		case GPUAGG_RULE_ZONED:
			set_zoned(p, ins, args[0], result);
			break;
		case GPUAGG_RULE_ZONED_MONTH:
			set_zoned_month(p, ins, args[0], result);
			break;
		case GPUAGG_RULE_BINS:
			set_bins(p, ins, args[0], result);
			break;
		case GPUAGG_RULE_EPOCH:
			set_epoch(ins, args, result);
			break;
		case GPUAGG_RULE_FIELD:
			set_field(ins, args, result);
			break;
		default:
			set_zoned_cut(p, ins, sets, result);
			break;
	}
}
