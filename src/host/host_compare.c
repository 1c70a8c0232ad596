/*
 * host_compare.c
 *		Pages held against what a stripe keeps of them (host_compare.h).
 *
 * One position after the other, and apart from what fills stripes and reads them: an oracle
 * that shared their loops would share their mistakes.
 */
#include <string.h>

#include "device/transition.h"
#include "host/host_compare.h"
#include "host/host_dictionary.h"

static bool
bit_at(const _Atomic uint64_t *bits, uint32_t i)
{
	return atomic_load_explicit(&bits[i / 64], memory_order_relaxed) >> i % 64 & 1;
}

bool
gpuagg_stripe_is_clear(const GpuAggStripe *stripe, GpuAggPositions positions)
{
	for (uint32_t i = 0; i < positions.count; i++)
		if (bit_at(stripe->valid, positions.first + i))
			return false;
	return true;
}

/* As zones order it */
static int64_t
image(uint32_t cls, int64_t number)
{
	double		d;

	if (cls != GPUAGG_CLASS_F64)
		return number;
	memcpy(&d, &number, sizeof(d));
	return gpuagg_f64_order(d);
}

static const char *
compare_value(const GpuAggStripeColumn *column, uint32_t cls, const GpuAggVector *v, uint32_t row,
			  uint32_t position)
{
	const bool	is_null = !v->clean && v->st[row] != GPUAGG_ST_VALUE;
	const GpuAggZone *zone = &column->zones[position / GPUAGG_ZONE];
	const int64_t kept = gpuagg_column_value(column, position);

	if (is_null != (atomic_load_explicit(&column->has_nulls, memory_order_relaxed) &&
					bit_at(column->nulls, position)))
		return is_null ? "a NULL is kept as a value" : "a value is kept as NULL";
	if (is_null)
		return NULL;
	if (image(cls, kept) < __atomic_load_n(&zone->low, __ATOMIC_RELAXED) ||
		image(cls, kept) > __atomic_load_n(&zone->high, __ATOMIC_RELAXED))
		return "a value is out of its zone's bounds";
	if (cls == GPUAGG_CLASS_BYTES)
	{
		const GpuAggBytes a = gpuagg_dictionary_string(column->dictionary, (int32_t) kept);
		const GpuAggBytes b = v->v.b[row];

		return a.len == b.len && memcmp(a.data, b.data, a.len) == 0 ? NULL : "a string differs";
	}
	return kept == (column->width == 8 ? v->v.i[row] : (int32_t) v->v.i[row]) ? NULL :
		"a value differs";
}

/* Which positions are valid: of the lines that are rows, no others */
static const char *
compare_validity(const GpuAggStripe *stripe, const GpuAggFillRows *rows, uint32_t positions)
{
	uint32_t	row = 0;

	for (uint32_t line = rows->line; line < rows->end; line++)
	{
		const bool	is_row = row < rows->nrows && rows->lines[row] == line;

		row += is_row;
		if (line >= positions ? is_row : is_row != bit_at(stripe->valid, rows->position + line))
			return is_row ? "a row is not kept" : "a row is kept that is not there";
	}
	return NULL;
}

const char *
gpuagg_stripe_compare(const GpuAggStripe *stripe, const GpuAggVectors *vectors,
					  const GpuAggFillRows *rows, uint32_t positions)
{
	const GpuAggProgram *p = vectors->program;
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const uint8_t *classes = gpuagg_program_classes(p);
	const char *wrong = compare_validity(stripe, rows, positions);

	for (uint32_t i = 0; i < p->nattrs && wrong == NULL; i++)
	{
		const GpuAggStripeColumn *column;

		if (attrs[i].reg == GPUAGG_NO_REG)
			continue;
		column = gpuagg_stripe_column(stripe, i);
		if (column == NULL)
			return "a column is not kept";
		for (uint32_t k = 0; k < rows->nrows && wrong == NULL; k++)
			wrong = compare_value(column, classes[attrs[i].reg], &vectors->reg[attrs[i].reg],
								  rows->row + k, rows->position + rows->lines[k]);
	}
	return wrong;
}
