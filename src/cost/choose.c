/*
 * choose.c
 *		Which strategy a grouping gets, and how draws are made.
 *
 * The planner, the executor and EXPLAIN ask here, each at its time: a plan
 * that was made before a setting or the device changed runs as it would be
 * planned now.
 */
#include "postgres.h"

#include "cost/choose.h"
#include "cost/coded.h"
#include "cost/profile.h"
#include "device/batch_memory.h"
#include "device/choice/local.h"
#include "device/layout.h"
#include "host/machine.h"
#include "ipc/kernels_shared.h"
#include "ipc/shmem.h"
#include "settings.h"

static bool
filter_reads(const GpuAggProgram *p, uint16 reg)
{
	const GpuAggInstr *instrs = gpuagg_program_instrs(p);

	for (int i = 0; i < p->filter_instrs; i++)
		if (instrs[i].a == reg || instrs[i].b == reg || instrs[i].c == reg)
			return true;
	return reg == p->filter_reg;
}

/* Attributes up to the last one that the filter reads */
static int
filter_attrs(const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	int			n = p->nattrs;

	while (n > 0 && (attrs[n - 1].reg == GPUAGG_NO_REG || !filter_reads(p, attrs[n - 1].reg)))
		n--;
	return n;
}

void
gpuagg_choose_work(GpuAggWork *work, const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const uint8 nullable[GPUAGG_MAX_REGS] = {0};
	GpuAggLayout layout;
	GpuAggRecord record;

	gpuagg_layout_compute(p, &layout);
	work->attrs = p->nattrs;
	work->filter_attrs = filter_attrs(p);
	work->floating = 0;
	for (int i = 0; i < p->nattrs; i++)
		work->floating += attrs[i].fixed_off < 0;
	work->columns = p->ncolumns;
	work->filter_instrs = p->filter_instrs;
	work->instrs = p->ninstrs - p->filter_instrs;
	work->keys = p->nkeys;
	work->string_keys = 0;
	for (int i = 0; i < p->nkeys; i++)
		work->string_keys += gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES;
	work->transitions = p->ntransitions;
	work->entry_bytes = layout.row_bytes;
	work->field_bytes = gpuagg_record_compute(p, nullable, &record) ?
		gpuagg_record_field_bytes(&record) : 0;
}

/* Lines of a page, where nothing is known as many as it can have */
static double
choose_lines(const GpuAggWork *work)
{
	double		lines = work->page_lines;

	if (lines <= 0 && work->pages > 0)
		lines = Max(work->rows, work->lines) / work->pages;
	return lines > 0 ? Min(lines, GPUAGG_MAX_LINES) : GPUAGG_MAX_LINES;
}

/* The device in question; one that is not open yet has what all have. */
static void
choose_device(int device, bool host, const GpuAggWork *work, const GpuAggProgram *program,
			  GpuAggStrategyInput *input, GpuAggStrategyRates *rates)
{
	const GpuAggRates *profile = &gpuagg_profile_get(device)->rates;
	const double memory = gpuagg_profile_memory();
	const GpuAggDeviceView *view = gpuagg_shmem_look(device);
	GpuAggDeviceInfo info;

	host = host && view->gpu;
	info = host ? view->facts.host : view->facts.info;
	if (memory > 0 && !host)
		info.memory_limit = (uint64) memory;
	input->possible = info.kind[0] != '\0' ? info.strategies :
		GPUAGG_STRATEGIES_ALWAYS;
	if (info.kind[0] != '\0')
		input->memory_bytes =
			gpuagg_batch_leaves(&info, gpuagg_batch_page_bytes(program, choose_lines(work)));
	input->overlapped = profile->gpu && !host;
	if (host)
		memset(rates, 0, sizeof(*rates));
	else
		gpuagg_rates_strategy(profile, rates);
}

static void
choose_input(int device, const GpuAggWork *work, const GpuAggProgram *program, bool host,
			 GpuAggStrategyInput *input, GpuAggStrategyRates *rates)
{
	input->forced = gpuagg_strategy;
	input->scope_bytes = gpuagg_scope_size * 1024.0;
	if (!host)
		gpuagg_predict_behind(&gpuagg_profile_get(device)->rates, work, input);
	input->input_ns = gpuagg_predict_input(&gpuagg_profile_get(device)->rates, work);
	choose_device(device, host, work, program, input, rates);
	gpuagg_strategy_input(work, program, input);
}

void
gpuagg_choose(int device, const GpuAggWork *work, const GpuAggProgram *program, bool host,
			  GpuAggStrategyChoice *choice)
{
	GpuAggStrategyInput input = {0};
	GpuAggStrategyRates rates;

	memset(choice, 0, sizeof(*choice));
	choice->passes = choice->kept_passes = choice->windows = 1;
	if (program->select || program->nkeys == 0)
		return;
	choose_input(device, work, program, host, &input, &rates);
	gpuagg_strategy_choose(&rates, &input, choice);
}

/* Is it compiled, or could it be? */
static GpuAggCompiledState
choose_compiled(int device, const GpuAggWork *work, const GpuAggProgram *program, bool host)
{
	const GpuAggDeviceView *view = gpuagg_shmem_look(device);

	if (gpuagg_compile == GPUAGG_COMPILE_OFF || host || !view->gpu || !view->facts.info.compiles ||
		!work->compiled.possible)
		return GPUAGG_COMPILED_NOT;
	return gpuagg_kernels_ready(device, gpuagg_compiled_program(program)) ?
		GPUAGG_COMPILED_READY : GPUAGG_COMPILED_NEW;
}

void
gpuagg_choose_resident(int device, GpuAggWork *work, const GpuAggProgram *program, bool host,
					   GpuAggResidentChoice *out)
{
	GpuAggStrategyInput input = {.resident = true};
	GpuAggStrategyRates rates;
	uint16		of[GPUAGG_MAX_REGS];
	GpuAggProgram *p = gpuagg_coded_program(program, of);

	out->strategy = out->runs = out->interpreted = GPUAGG_STRATEGY_AUTO;
	gpuagg_compiled_work(&work->compiled, p);
	work->compiled.state = choose_compiled(device, work, program, host);
	work->compiled.always = gpuagg_compile == GPUAGG_COMPILE_ALWAYS;
	work->compiled.frame = GPUAGG_FRAME_PLAIN;
	work->compiled.strategy = GPUAGG_STRATEGY_AUTO;
	work->compiled.kept_ns = 0;
	if (!program->select && program->nkeys > 0)
	{
		input.plain = gpuagg_local_is_plain(p);
		choose_input(device, work, p, host, &input, &rates);
		gpuagg_resident_choose(&gpuagg_profile_get(device)->rates, &rates, &input, p, work, out);
	}
	pfree(p);
}

/* Bytes of a row of the columns that are loaded, as stripes have them */
static double
choose_row_bytes(const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	double		bytes = 0;

	for (int i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			bytes += gpuagg_key_class(attrs[i].type) == GPUAGG_CLASS_BYTES ? sizeof(int32) :
				gpuagg_type_slot_bytes(attrs[i].type);
	return bytes;
}

void
gpuagg_choose_draws(int device, const GpuAggProgram *program, double draws, double rows,
					bool host, GpuAggDrawPlan *plan)
{
	GpuAggDrawRates rates = {0};

	if (!host)
		gpuagg_rates_draws(&gpuagg_profile_get(device)->rates, &rates);
	gpuagg_draw_plan(&rates, Max(draws, 1), Max(rows, 1) * Max(choose_row_bytes(program), 1),
					 plan);
}

uint64
gpuagg_choose_filters(int device, const GpuAggProbing *probing, uint64 slots)
{
	const GpuAggRates *rates = &gpuagg_profile_get(device)->rates;
	GpuAggProbing now = *probing;

	if (gpuagg_debug_filters != GPUAGG_FILTERS_AUTO)
		return gpuagg_debug_filters == GPUAGG_FILTERS_ALWAYS ? slots : 0;
	/* the host may have more or fewer threads than when it was measured */
	if (!rates->gpu)
		now.probes *= (double) rates->units /
			(gpuagg_host_threads > 0 ? gpuagg_host_threads : gpuagg_host_cpus());
	return gpuagg_predict_filters(rates, &now, slots);
}
