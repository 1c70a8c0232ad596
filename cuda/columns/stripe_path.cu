/*
 * stripe_path.cu
 *		Which programs the paths of few groups (stripe_local.cu) and of many
 *		(groupby_sources.cu) are for, and what their kernels need of them.
 */
#include "cuda/columns/resident.h"
#include "device/choice/local.h"
#include "device/ops/ops.h"

/* Blocks with local tables, of a multiprocessor, at most */
#define BLOCKS_PER_SM 2

/* Shared memory of a block that is not ours, at most */
#define BLOCK_OVERHEAD 1024

/* A column whose NULLs matter; false: there are too many */
static bool
use_column(GpuAggStripeRun *run, uint16_t column)
{
	for (uint32_t i = 0; i < run->nused; i++)
		if (run->used[i] == column)
			return true;
	if (run->nused == GPUAGG_STRIPE_USED)
		return false;
	run->used[run->nused++] = column;
	return true;
}

/* Bytes of a column's values in a stripe */
static uint32_t
column_bytes(const GpuAggProgram *p, uint32_t column)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg == column)
			return gpuagg_key_class(attrs[i].type) == GPUAGG_CLASS_BYTES ? 4 :
				gpuagg_type_slot_bytes(attrs[i].type);
	return 0;
}

/* Do fields lie in columns as records have them? */
static bool
fields_are_columns(const GpuAggProgram *p, const GpuAggRecord *record, uint16_t *field_column)
{
	for (uint32_t i = 0; i < record->nfields; i++)
	{
		field_column[i] = record->fields[i].reg;
		if (column_bytes(p, record->fields[i].reg) != record->fields[i].bytes)
			return false;
	}
	return true;
}

/* The key, and whatever is an argument: NULLs of others do not matter. */
static bool
use_columns(const GpuAggProgram *p, GpuAggStripeRun *run)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(p);

	if (!use_column(run, gpuagg_program_keys(p)[0].reg))
		return false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (trans[i].arg != GPUAGG_NO_REG && !use_column(run, trans[i].arg))
			return false;
	return true;
}

/* ---------- filters ---------- */

/* Comparisons in their order, EQ NE LT LE GT GE, as they read from the right */
static uint32_t
mirrored(uint32_t comparison)
{
	static const uint8_t other[] = {0, 1, 4, 5, 2, 3};

	return other[comparison];
}

/* Values for which it holds: x < c is "not c and beyond" */
static void
term_set(GpuAggStripeTerm *term, uint32_t comparison, int64_t c)
{
	static const bool from_least[] = {false, false, false, true, true, false};
	static const bool to_greatest[] = {false, false, true, false, false, true};
	static const bool outside[] = {false, true, true, false, true, false};

	term->low = from_least[comparison] ? INT64_MIN : c;
	term->high = to_greatest[comparison] ? INT64_MAX : c;
	term->outside = outside[comparison];
}

/* Instruction `ins` as a term: a column compared with a constant */
static bool
term_make(const GpuAggProgram *p, const GpuAggInstr *ins, GpuAggStripeTerm *term)
{
	const bool	f64 = ins->op >= GPUAGG_OP_F64_EQ && ins->op <= GPUAGG_OP_F64_GE;
	const bool	swapped = ins->b < p->ncolumns;
	const uint32_t column = swapped ? ins->b : ins->a;
	const uint32_t reg = swapped ? ins->a : ins->b;
	uint32_t	comparison = f64 ? ins->op - GPUAGG_OP_F64_EQ : ins->op - GPUAGG_OP_I64_EQ;
	const GpuAggConst *c;

	if (!f64 && !(ins->op >= GPUAGG_OP_I64_EQ && ins->op <= GPUAGG_OP_I64_GE))
		return false;
	if (column >= p->ncolumns || reg < p->ncolumns || reg >= (uint32_t) p->ncolumns + p->nconsts)
		return false;
	c = &gpuagg_program_consts(p)[reg - p->ncolumns];
	if (c->state != GPUAGG_ST_VALUE)
		return false;
	if (swapped)
		comparison = mirrored(comparison);
	term->column = (uint16_t) column;
	term->f64 = f64;
	term_set(term, comparison, f64 ? gpuagg_cuda_ordered_f64(c->v.f) : c->v.i);
	return true;
}

/* What makes a register true, if it is nothing but comparisons, all of them */
static bool
filter_collect(const GpuAggProgram *p, uint16_t reg, GpuAggStripeFilter *filter)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	const GpuAggInstr *end = ins + p->filter_instrs;

	while (ins < end && ins->dst != reg)
		ins++;
	if (ins == end)
		return false;
	if (ins->op == GPUAGG_OP_AND)
		return filter_collect(p, ins->a, filter) && filter_collect(p, ins->b, filter);
	return filter->n < GPUAGG_STRIPE_TERMS && term_make(p, ins, &filter->terms[filter->n++]);
}

void
gpuagg_cuda_stripe_filter(const GpuAggProgram *p, GpuAggStripeFilter *filter)
{
	filter->n = 0;
	if (p->filter_reg != GPUAGG_NO_REG && !filter_collect(p, p->filter_reg, filter))
		filter->n = 0;
}

/* ---------- the paths ---------- */

bool
gpuagg_cuda_stripe_path(const GpuAggTask *task, bool forced, GpuAggStripePath *path)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	const GpuAggDevice *device = task->device;
	const uint8_t nullable[GPUAGG_MAX_REGS] = {};
	GpuAggGroupByConfig config = {};
	GpuAggRecord record;
	bool		fits;

	memset(path, 0, sizeof(*path));
	if (!gpuagg_local_is_plain(p) || task->prepared->has_strings || task->prepared->hash_window.count > 1 ||
		!gpuagg_record_compute(p, nullable, &record) ||
		!fields_are_columns(p, &record, path->run.field_column) || !use_columns(p, &path->run))
		return false;
	gpuagg_cuda_groupby_args(task->prepared, p, &record, &path->args);
	path->args.prepared = task->device_prepared;
	path->key = gpuagg_local_key_shape(p, &record);
	config.strategy = GPUAGG_GROUPBY_SINGLE;
	config.sm_bytes = device->launches.limits.shared_bytes;
	config.block_bytes = device->launches.block_bytes;
	fits = gpuagg_cuda_groupby_shape(&config, &path->args, path->key, task->config.expected_groups,
									&path->local);
	if (path->key == GPUAGG_KEY_ANY || path->local.bytes > device->launches.block_bytes ||
		(!fits && !forced))
		return false;
	path->blocks = device->sms *
		(path->local.bytes > device->launches.limits.shared_bytes / BLOCKS_PER_SM - BLOCK_OVERHEAD ? 1 : BLOCKS_PER_SM);
	path->open = true;
	return true;
}

bool
gpuagg_cuda_stripe_defers(const GpuAggTask *task, GpuAggStripeDeferral *d)
{
	const GpuAggProgram *p = gpuagg_cuda_program(task->prepared);
	GpuAggSourceShape shape;

	memset(d, 0, sizeof(*d));
	if (task->groupby == NULL || !gpuagg_local_is_plain(p) ||
		!gpuagg_cuda_groupby_takes_sources(task->groupby, &shape) ||
		column_bytes(p, shape.key) != shape.key_bytes ||
		(shape.has_arg && column_bytes(p, shape.arg) != sizeof(uint32_t)) ||
		!use_columns(p, &d->run))
		return false;
	d->key = shape.key;
	d->arg = shape.arg;
	d->open = true;
	return true;
}
