/*
 * ranges.c
 *		Ranges of registers (device/ops/value_set.h), and what numbers follow for groups.
 */
#include "device/layout.h"
#include "device/ops/eval.h"
#include "device/ops/value_set.h"
#include "ranges.h"

/* Factors beyond this are of no use, and products of them would overflow. */
#define WIDEST (INT64_C(1) << 40)

static const GpuAggValueSet anything = {GPUAGG_MAY_VALUE | GPUAGG_MAY_NULL, INT64_MIN, INT64_MAX};

/* ---------- values that are far apart ---------- */

/* Whole seconds since 1970 that a double has; NULL: it is none of an integer */
static const GpuAggInstr *
double_of(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggInstr *wide = ins->op == GPUAGG_OP_TO_TIMESTAMP ? gpuagg_instr_of(p, ins->a) : NULL;

	return wide != NULL && wide->op == GPUAGG_OP_INT_TO_FLOAT8 ? wide : NULL;
}

/* Of a constant that is known; else 1 */
static int64_t
factor_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggConst *c = gpuagg_const_of(p, reg);

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
	const GpuAggConst *c = gpuagg_const_of(p, bin->b);
	int64_t		stride = 1;

	if (c != NULL && c->len >= sizeof(stride))
		memcpy(&stride, gpuagg_const_bytes(p, c).data, sizeof(stride));
	return stride > 0 ? stride : 1;
}

const GpuAggInstr *
gpuagg_range_cut(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = gpuagg_instr_of(p, reg);

	return ins != NULL && ins->op == GPUAGG_OP_TIMESTAMP_TRUNC && gpuagg_cut_unit(ins) > 1 ? ins :
		NULL;
}

int64_t
gpuagg_range_unit(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = gpuagg_instr_of(p, reg);
	const GpuAggInstr *cut;

	if (ins == NULL)
		return 0;
	switch (ins->op)
	{
		case GPUAGG_OP_TIMESTAMP_TRUNC:
			return gpuagg_cut_unit(ins);
		case GPUAGG_OP_INT8_SUB:
			cut = gpuagg_zoned_cut(p, ins, NULL);
			return cut != NULL ? gpuagg_cut_unit(cut) : 0;
		case GPUAGG_OP_DATE_BIN:
			return stride_of(p, ins);
		case GPUAGG_OP_TO_TIMESTAMP:
			return double_of(p, ins) != NULL ?
				times(gpuagg_range_unit(p, double_of(p, ins)->a), 1000000) :
				0;
		default:
			if (gpuagg_op_traits(ins->op)->rule != GPUAGG_RULE_PRODUCT)
				return 0;
			return is_const(p, ins->b) ? times(gpuagg_range_unit(p, ins->a), factor_of(p, ins->b)) :
				is_const(p, ins->a) ? times(gpuagg_range_unit(p, ins->b), factor_of(p, ins->a)) : 0;
	}
}

/* ---------- registers ---------- */

/* Sets of registers, those that were asked for */
typedef struct Sets
{
	const GpuAggProgram *program;
	const GpuAggRange *ranges;
	GpuAggRange passing[GPUAGG_MAX_REGS];	/* what the filter leaves of a column's values */
	GpuAggSetLogic logic;
	bool		known[GPUAGG_MAX_REGS];
	GpuAggValueSet set[GPUAGG_MAX_REGS];
} Sets;

static const GpuAggValueSet *set_of(Sets *sets, uint16_t reg);

/* ---------- what the filter leaves ---------- */

/* Rows that pass have a column op a constant. */
static void
pass_compare(GpuAggRange *passing, uint32_t op, int64_t constant)
{
	GpuAggRange r = {INT64_MIN, INT64_MAX};

	switch (op)
	{
		case GPUAGG_OP_I64_EQ:
			r = (GpuAggRange) {constant, constant};
			break;
		case GPUAGG_OP_I64_LT:
			r.high = constant - (constant > INT64_MIN);
			break;
		case GPUAGG_OP_I64_LE:
			r.high = constant;
			break;
		case GPUAGG_OP_I64_GT:
			r.low = constant + (constant < INT64_MAX);
			break;
		case GPUAGG_OP_I64_GE:
			r.low = constant;
			break;
		default:
			break;
	}
	passing->low = r.low > passing->low ? r.low : passing->low;
	passing->high = r.high < passing->high ? r.high : passing->high;
}

/* A condition that holds for all rows that pass */
static void
pass_condition(Sets *sets, uint16_t reg)
{
	const GpuAggProgram *p = sets->program;
	const GpuAggInstr *ins = gpuagg_instr_of(p, reg);
	const GpuAggConst *c;

	if (ins == NULL)
		return;
	if (ins->op == GPUAGG_OP_AND)
	{
		pass_condition(sets, ins->a);
		pass_condition(sets, ins->b);
		return;
	}
	if (ins->a < p->ncolumns && (c = gpuagg_const_of(p, ins->b)) != NULL)
		pass_compare(&sets->passing[ins->a], ins->op, c->v.i);
	else if (ins->b < p->ncolumns && (c = gpuagg_const_of(p, ins->a)) != NULL)
		pass_compare(&sets->passing[ins->b], gpuagg_op_commuted(ins->op), c->v.i);
}

static void
pass_all(Sets *sets)
{
	const GpuAggProgram *p = sets->program;

	for (uint32_t i = 0; i < p->ncolumns; i++)
		sets->passing[i] = (GpuAggRange) {INT64_MIN, INT64_MAX};
	if (p->filter_reg != GPUAGG_NO_REG)
		pass_condition(sets, p->filter_reg);
}

/* ---------- sets ---------- */

/* NULL may come of all: statistics and zones do not tell. */
static GpuAggValueSet
set_range(int64_t low, int64_t high)
{
	return low > high ? anything :
		(GpuAggValueSet) {GPUAGG_MAY_VALUE | GPUAGG_MAY_NULL, low, high};
}

/* Of a column, in rows that pass; where none does, as if all did */
static GpuAggValueSet
set_column(const Sets *sets, uint16_t reg)
{
	const GpuAggRange *all = &sets->ranges[reg];
	const GpuAggRange *passing = &sets->passing[reg];
	const int64_t low = passing->low > all->low ? passing->low : all->low;
	const int64_t high = passing->high < all->high ? passing->high : all->high;

	return all->low > all->high || low > high ? set_range(all->low, all->high) :
												set_range(low, high);
}

/* A look-up table knows what its columns have; of one that is not made yet, who asks does. */
static GpuAggValueSet
set_fetched(const Sets *sets, const GpuAggInstr *ins)
{
	const GpuAggConst *c = gpuagg_const_of(sets->program, ins->b);
	const GpuAggLookupColumn *column;

	if (c == NULL)
		return set_range(sets->ranges[ins->dst].low, sets->ranges[ins->dst].high);
	column = gpuagg_lookup_column(gpuagg_lookup_of(gpuagg_const_bytes(sets->program, c)),
								  (uint32_t) ins->imm);
	return set_range(column->low, column->high);
}

/*
 * Hours of a zone, as moments: those of the offset that it has where the moments end, which
 * most zones have but for whole hours since local mean time.  A table that is not there yet:
 * as of UTC.
 */
static GpuAggValueSet
set_zoned(Sets *sets, const GpuAggInstr *cut, const GpuAggInstr *local)
{
	const GpuAggProgram *p = sets->program;
	const GpuAggConst *c = gpuagg_const_of(p, local->b);
	const GpuAggValueSet *moment = set_of(sets, local->a);
	uint8_t		st = GPUAGG_ST_VALUE;
	int64_t		offset = 0;
	int64_t		low;
	int64_t		high;

	if (!gpuagg_timestamp_in_range(moment->low) || !gpuagg_timestamp_in_range(moment->high))
		return anything;
	if (c != NULL)
		offset = gpuagg_zone_local(moment->high, gpuagg_const_bytes(p, c), &st) - moment->high;
	low = gpuagg_timestamp_trunc(moment->low + offset, &st, cut);
	high = gpuagg_timestamp_trunc(moment->high + offset, &st, cut);
	return st == GPUAGG_ST_VALUE ? set_range(low - offset, high - offset) : anything;
}

static GpuAggValueSet
set_instr(Sets *sets, const GpuAggInstr *ins)
{
	const GpuAggInstr *local;
	const GpuAggInstr *cut = gpuagg_zoned_cut(sets->program, ins, &local);
	uint16_t	args[3];
	uint32_t	n;

	/* gpuagg_range_needs() does not ask for what these are made of */
	if (gpuagg_op_is_boolean(ins->op))
		return set_range(0, 1);
	if (ins->op == GPUAGG_OP_FETCH_I64)
		return set_fetched(sets, ins);
	if (cut != NULL)
		return set_zoned(sets, cut, local);
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = 0; i < n; i++)
		(void) set_of(sets, args[i]);
	return gpuagg_set_result(&sets->logic, sets->program, ins, sets->set);
}

/* A constant that is NULL may be one that is not known yet. */
static const GpuAggValueSet *
set_of(Sets *sets, uint16_t reg)
{
	const GpuAggProgram *p = sets->program;
	const uint32_t cls = gpuagg_program_classes(p)[reg];
	const GpuAggConst *c = gpuagg_const_of(p, reg);
	GpuAggValueSet *set = &sets->set[reg];

	if (sets->known[reg])
		return set;
	sets->known[reg] = true;
	if (reg >= p->ncolumns + p->nconsts)
		*set = set_instr(sets, gpuagg_instr_of(p, reg));
	else if (reg >= p->ncolumns)
		*set = c != NULL ? gpuagg_set_constant(c, cls) : anything;
	else if (cls == GPUAGG_CLASS_I64)
		*set = set_column(sets, reg);
	else
		*set = anything;
	return set;
}

void
gpuagg_range_needs(const GpuAggProgram *p, uint16_t reg, uint8_t *columns)
{
	const GpuAggInstr *ins = gpuagg_instr_of(p, reg);
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
range_key(Sets *sets, const GpuAggKey *key, GpuAggRange *range)
{
	const GpuAggValueSet *set;

	if (gpuagg_key_class(key->type) == GPUAGG_CLASS_BYTES)
	{
		if (key->reg >= sets->program->ncolumns)
			return false;
		*range = sets->ranges[key->reg];
		return range->low >= 0 && range->low <= range->high;
	}
	set = set_of(sets, key->reg);
	*range = (GpuAggRange) {set->low, set->high};
	return gpuagg_program_classes(sets->program)[key->reg] == GPUAGG_CLASS_I64 &&
		gpuagg_set_may_value(set);
}

bool
gpuagg_range_numbers(const GpuAggProgram *p, const GpuAggRange *ranges, double entry_bytes,
					 GpuAggKeyRange *keys, uint64_t *numbers)
{
	Sets		sets;

	sets.program = p;
	sets.ranges = ranges;
	pass_all(&sets);
	gpuagg_set_logic_init(&sets.logic);
	memset(sets.known, 0, sizeof(sets.known));
	*numbers = 1;
	for (uint32_t i = 0; i < p->nkeys; i++)
	{
		const GpuAggKey *key = &gpuagg_program_keys(p)[i];
		const int64_t unit = gpuagg_range_unit(p, key->reg);
		GpuAggRange range;
		uint64_t	extent;

		if (!range_key(&sets, key, &range))
			return false;
		keys[i] = (GpuAggKeyRange) {range.low, range.high, unit > 0 ? unit : 1};
		/* kernels may number what is cut before it is cut */
		if (gpuagg_range_cut(p, key->reg) != NULL && range.low % keys[i].unit != 0)
			return false;
		extent = ((uint64_t) range.high - (uint64_t) range.low) / (uint64_t) keys[i].unit;
		if (extent >= GPUAGG_NUMBERED_BYTES)
			return false;
		*numbers *= extent + 2;
		if ((double) *numbers * entry_bytes > (double) GPUAGG_NUMBERED_BYTES)
			return false;
	}
	return p->nkeys > 0;
}
