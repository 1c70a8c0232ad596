/*
 * regroup_value.c
 *		Values of one of a device's groups, from which others are made (regroup_value.h): keys, and
 *		expressions over them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "node/regroup/regroup_datum.h"
#include "node/regroup/regroup_value.h"
#include "planner/value/constant.h"
#include "utils/memutils.h"

/* A value of a type that devices know */
static void
take_constant(uint8 type, Datum datum, GpuAggRegroupDatum *d)
{
	const struct varlena *v;
	GpuAggConstant c;

	if (d->isnull)
		return;
	if (type == GPUAGG_T_TEXT)	/* what most are, at once */
	{
		v = PG_DETOAST_DATUM_PACKED(datum);
		d->v.b = (GpuAggBytes) {VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v)};
		return;
	}
	c = gpuagg_constant_make(type, datum, false);
	if (gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
		d->v.b = (GpuAggBytes) {c.bytes, c.value.len};
	else if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
		d->v.f = c.value.v.f;
	else
		d->v.i = c.value.v.i;
}

/* A string that an expression has given back as it came: the next group's takes its place */
static void
keep_string(GpuAggRegroupWork *r, GpuAggRegroupDatum *d)
{
	if (r->batch.most > 1 && gpuagg_results_passing(r->groups, d->v.b.data))
		d->v.b.data = memcpy(palloc(d->v.b.len), d->v.b.data, d->v.b.len);
}

/* An expression's value; what it points to lasts until the next batch. */
static void
compute(GpuAggRegroupWork *r, int n, GpuAggRegroupDatum *d)
{
	const GpuAggRegroupValue *value = &r->plan->values[n];
	MemoryContext old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);
	Datum		datum = ExecEvalExpr(r->states[value->number], r->econtext, &d->isnull);

	d->datum = datum;
	if (value->form == GPUAGG_REGROUP_CONSTANT)
		take_constant(value->type, datum, d);
	else if (!d->isnull)
		d->v.b = value->form == GPUAGG_REGROUP_EQUAL ?
			gpuagg_equal_values_number(r->equals[n], datum) : gpuagg_datum_form(value, datum);
	if (!d->isnull && gpuagg_key_class(value->type) == GPUAGG_CLASS_BYTES)
		keep_string(r, d);
	MemoryContextSwitchTo(old);
}

const GpuAggRegroupDatum *
gpuagg_regroup_compute(GpuAggRegroupWork *r, int n, const char *row)
{
	const GpuAggRegroupValue *value = &r->plan->values[n];
	GpuAggRegroupDatum *d = &r->values[n];

	r->loaded |= UINT64CONST(1) << n;
	if (value->computed)
	{
		compute(r, n, d);
		return d;
	}
	d->isnull = gpuagg_regroup_is_null(row, value->number);
	if (!d->isnull)
		gpuagg_regroup_datum(r->groups, value->type, row, r->from.key_off[value->number], d);
	return d;
}

/* The tuple that expressions read */
static void
load_tuple(GpuAggRegroupWork *r, const char *row)
{
	MemoryContext old = MemoryContextSwitchTo(r->econtext->ecxt_per_tuple_memory);

	gpuagg_results_emit(r->groups, row, r->read_values, r->read_nulls);
	MemoryContextSwitchTo(old);
	for (int i = 0; i < r->nread && r->slot != NULL; i++)
	{
		if (r->read[i] == 0)
			continue;
		r->slot->tts_values[r->read[i] - 1] = r->read_values[i];
		r->slot->tts_isnull[r->read[i] - 1] = r->read_nulls[i];
	}
}

bool
gpuagg_regroup_passes(GpuAggRegroupWork *r, const char *row)
{
	r->loaded = 0;
	if (r->computed != NIL || r->ordered != NULL)
		load_tuple(r, row);
	for (int i = 0; i < r->plan->nfilters; i++)
		if (!gpuagg_regroup_is_true(r, r->plan->filters[i], row))
			return false;
	return true;
}

bool
gpuagg_regroup_is_shown(const GpuAggRegroup *plan, const GpuAggRegroupState *s, int set)
{
	return !s->absent &&
		(s->key == GPUAGG_REGROUP_NONE || (plan->sets[set].keys >> s->key & 1) != 0);
}

bool
gpuagg_regroup_has_state(GpuAggRegroupWork *r, const GpuAggRegroupState *s, const char *row)
{
	return s->output == GPUAGG_REGROUP_NONE && gpuagg_regroup_is_shown(r->plan, s, r->set) &&
		gpuagg_regroup_passes_filter(r, s, row);
}
