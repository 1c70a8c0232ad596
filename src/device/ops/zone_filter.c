/*
 * zone_filter.c
 *		What a program's filter says of all rows of a zone (zone_filter.h).
 *
 * Zones after each other are often alike in what the filter asks: a key that is looked up
 * lies anywhere, a column of few values between the same two.  Then the verdict is the same.
 */
#include "device/ops/zone_filter.h"

typedef GpuAggValueSet Set;

/* -0 and 0, which zones tell apart, are the same. */
static int64_t
image_of(int64_t v, uint32_t cls)
{
	return cls == GPUAGG_CLASS_F64 ? gpuagg_set_image(gpuagg_f64_unorder(v)) : v;
}

static Set
set_column(const GpuAggZone *zone, uint32_t cls)
{
	Set			s = GPUAGG_SET_NOTHING;

	if (zone->count > 0)
		s.may = GPUAGG_MAY_NULL;
	if (zone->low > zone->high)
		return s;
	if (cls == GPUAGG_CLASS_BYTES)
		gpuagg_set_add_any(&s);
	else
	{
		gpuagg_set_add(&s, image_of(zone->low, cls));
		gpuagg_set_add(&s, image_of(zone->high, cls));
	}
	return s;
}

/* Takes in what a zone knows of a column; false: it is what the zone before knew. */
static bool
column_changes(GpuAggZoneFilter *filter, uint32_t column, const GpuAggZone *zone, uint32_t cls)
{
	Set		   *old = &filter->set[column];
	Set			s = set_column(zone, cls);

	if (gpuagg_set_may_value(&s) && !filter->ranges[column])
		gpuagg_set_add_any(&s);
	if (s.may == old->may && s.low == old->low && s.high == old->high)
		return false;
	*old = s;
	return true;
}

void
gpuagg_zone_filter_init(GpuAggZoneFilter *filter, const GpuAggProgram *p)
{
	const GpuAggConst *consts = gpuagg_program_consts(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	filter->program = p;
	gpuagg_set_logic_init(&filter->logic);
	filter->known = false;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		filter->uses[i] = filter->ranges[i] = i == p->filter_reg;
	for (uint32_t i = 0; i < p->nconsts; i++)
		filter->set[p->ncolumns + i] = gpuagg_set_constant(&consts[i], classes[p->ncolumns + i]);
	for (uint32_t i = 0; p->filter_reg != GPUAGG_NO_REG && i < p->filter_instrs; i++)
	{
		uint16_t	args[3];
		const uint32_t n = gpuagg_instr_args(&instrs[i], args);

		for (uint32_t k = 0; k < n; k++)
			if (args[k] < p->ncolumns)
			{
				filter->uses[args[k]] = true;
				filter->ranges[args[k]] |= gpuagg_rule_asks(gpuagg_op_traits(instrs[i].op)->rule);
			}
	}
}

static GpuAggVerdict
verdict_of(const Set *result)
{
	if (result->may & GPUAGG_MAY_ERROR)
		return GPUAGG_VERDICT_MAYBE;
	if (!gpuagg_set_may_true(result))
		return GPUAGG_VERDICT_NONE;
	return gpuagg_set_may_false(result) || (result->may & GPUAGG_MAY_NULL) ?
		GPUAGG_VERDICT_MAYBE : GPUAGG_VERDICT_ALL;
}

GpuAggVerdict
gpuagg_zone_filter(GpuAggZoneFilter *filter, const GpuAggZone *const *columns)
{
	const GpuAggProgram *p = filter->program;
	const uint8_t *classes = gpuagg_program_classes(p);
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);
	bool		known = filter->known;

	if (p->filter_reg == GPUAGG_NO_REG)
		return GPUAGG_VERDICT_ALL;
	for (uint32_t i = 0; i < p->ncolumns; i++)
		if (filter->uses[i] && column_changes(filter, i, columns[i], classes[i]))
			known = false;
	if (known)
		return filter->verdict;
	for (uint32_t i = 0; i < p->filter_instrs; i++)
		filter->set[instrs[i].dst] = gpuagg_set_result(&filter->logic, p, &instrs[i], filter->set);
	filter->verdict = verdict_of(&filter->set[p->filter_reg]);
	filter->known = true;
	return filter->verdict;
}
