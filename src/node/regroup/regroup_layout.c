/*
 * regroup_layout.c
 *		Rows of groups that regrouping makes (regroup_layout.h).
 */
#include "postgres.h"

#include "device/ops/group.h"
#include "node/regroup/regroup_layout.h"

/* A program of nothing but keys and transitions, for its layout */
static GpuAggProgram *
layout_program(int nkeys, int ntransitions, uint64 seed, GpuAggKey **keys,
			   GpuAggTransition **transitions)
{
	Size		keys_off = MAXALIGN(sizeof(GpuAggProgram));
	Size		transitions_off = MAXALIGN(keys_off + nkeys * sizeof(GpuAggKey));
	Size		bytes = MAXALIGN(transitions_off + ntransitions * sizeof(GpuAggTransition));
	GpuAggProgram *program = palloc0(bytes);

	program->bytes = bytes;
	program->hash_seed = seed;
	program->nkeys = nkeys;
	program->ntransitions = ntransitions;
	program->keys_off = keys_off;
	program->transitions_off = transitions_off;
	*keys = (GpuAggKey *) ((char *) program + keys_off);
	*transitions = (GpuAggTransition *) ((char *) program + transitions_off);
	return program;
}

GpuAggProgram *
gpuagg_regroup_program(const GpuAggRegroup *plan, uint64 seed)
{
	GpuAggKey  *keys;
	GpuAggTransition *transitions;
	int			extra = plan->numbered ? 1 + plan->ngroupings : 0;
	GpuAggProgram *program = layout_program(plan->nkeys + extra, plan->nstates, seed, &keys,
											&transitions);

	for (int i = 0; i < plan->nkeys; i++)
	{
		keys[i].type = plan->values[plan->keys[i]].type;
		keys[i].scale = gpuagg_scale(plan->scales[i]);
	}
	for (int i = 0; i < extra; i++)
		keys[plan->nkeys + i].type = GPUAGG_T_INT4;
	for (int i = 0; i < plan->nstates; i++)
	{
		transitions[i].op = plan->states[i].op;
		transitions[i].type = plan->states[i].type;
	}
	return program;
}

GpuAggProgram *
gpuagg_regroup_entered_program(uint8 type, uint64 seed)
{
	GpuAggKey  *keys;
	GpuAggTransition *transitions;
	GpuAggProgram *program = layout_program(2, 0, seed, &keys, &transitions);

	keys[0].type = GPUAGG_T_INT8;
	keys[1].type = type;
	return program;
}

void
gpuagg_regroup_datum(const GpuAggResults *results, uint32 type, const char *row, uint16 off,
			  GpuAggRegroupDatum *d)
{
	const char *slot = row + off;

	if (type == GPUAGG_T_UUID)
		d->v.b = (GpuAggBytes) {slot, 16};
	else if (gpuagg_key_is_string(type))
		d->v.b = gpuagg_results_string(results, row, off);
	else if (gpuagg_key_class(type) == GPUAGG_CLASS_F64)
		d->v.f = gpuagg_key_slot_f64(slot);
	else
		d->v.i = gpuagg_type_slot_bytes(type) == 4 ? *(const int32 *) slot :
			*(const int64 *) slot;
}

/*
 * As gpuagg_string_slot_store(), of zeros, without calls for what is short: the two ends of
 * a string may overlap
 */
static void
store_string(char *slot, GpuAggBytes b)
{
	const uint32 len = (uint32) b.len;
	char	   *to = slot + offsetof(GpuAggStringSlot, prefix);

	if (b.len > GPUAGG_STRING_INLINE || b.len < 4)
	{
		gpuagg_string_slot_store(slot, b);
		return;
	}
	memcpy(slot, &len, sizeof(len));
	if (b.len >= 8)
	{
		memcpy(to, b.data, 8);
		memcpy(to + b.len - 8, b.data + b.len - 8, 8);
		return;
	}
	memcpy(to, b.data, 4);
	memcpy(to + b.len - 4, b.data + b.len - 4, 4);
}

void
gpuagg_regroup_slot(uint32 type, const GpuAggRegroupDatum *d, char *slot)
{
	switch (gpuagg_key_class(type))
	{
		case GPUAGG_CLASS_F64:
			memcpy(slot, &d->v.f, sizeof(double));
			break;
		case GPUAGG_CLASS_BYTES:
			if (gpuagg_key_is_string(type))
				store_string(slot, d->v.b);
			else
				gpuagg_key_store_bytes(type, slot, d->v.b);
			break;
		default:
			gpuagg_key_store_i64(type, slot, d->v.i);
			break;
	}
}
