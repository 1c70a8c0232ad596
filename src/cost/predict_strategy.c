/*
 * predict_strategy.c
 *		Which strategy a task gets, by work, program and rates (predict_strategy.h).
 */
#include <math.h>
#include <string.h>

#include "cost/predict_strategy.h"
#include "device/choice/compile_rule.h"
#include "device/choice/local.h"
#include "device/layout.h"
#include "device/ops/ops.h"

static bool
is_nullable(const uint8_t *nullable, uint32_t reg)
{
	return reg < GPUAGG_MAX_REGS && nullable[reg];
}

/* Registers where NULLs come of values: of NULLIF, and what is computed with it */
static void
made_nulls(const GpuAggProgram *p, uint8_t *nullable)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	for (uint32_t i = 0; i < p->ninstrs; i++)
		nullable[ins[i].dst] = ins[i].op == GPUAGG_OP_NULL_IF || is_nullable(nullable, ins[i].a) ||
			is_nullable(nullable, ins[i].b) || is_nullable(nullable, ins[i].c);
}

/*
 * What strategies that keep rows need to know of the program.  Which columns
 * can be NULL is known of keys alone; of kept columns the device looks, and
 * seldom finds one.
 */
static void
input_record(const GpuAggProgram *p, GpuAggStrategyInput *input)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	uint8_t		nullable[GPUAGG_MAX_REGS];
	GpuAggRecord record;

	memset(nullable, !input->resident, sizeof(nullable));
	if (input->resident)
		made_nulls(p, nullable);
	for (int i = 0; i < p->nkeys && !input->resident; i++)
		nullable[keys[i].reg] = !keys[i].notnull;
	if (gpuagg_record_compute(p, nullable, &record))
	{
		input->record_bytes = record.bytes;
		input->local_entry_bytes = gpuagg_local_entry_bytes(p, &record);
		gpuagg_part_rows(p, &record, &input->part_rows);
	}
	else
		input->possible &= ~GPUAGG_STRATEGIES_DEFERRING;
}

/* Of values that keys have, about: seldom do they fill their types. */
#define NARROW_KEY_BITS 24
#define WIDE_KEY_BITS 40

/* What sorting by the keys needs to know of the program */
static void
input_sorting(const GpuAggWork *work, const GpuAggProgram *p, GpuAggStrategyInput *input)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);

	input->counted = input->sort_bits = 0;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		input->counted += t[i].op == GPUAGG_TRANS_COUNT && t[i].arg == GPUAGG_NO_REG &&
			t[i].filter == GPUAGG_NO_REG;
	for (int i = 0; i < p->nkeys; i++)
		input->sort_bits += gpuagg_type_slot_bytes(gpuagg_program_keys(p)[i].type) == 4 ?
			NARROW_KEY_BITS :
			WIDE_KEY_BITS;
	if (work->compiled.numbers > 0)
		input->sort_bits = fmin(input->sort_bits, ceil(log2(work->compiled.numbers + 1)));
}

/* For GpuAggStrategyInput, where 0 means that nobody knows */
static double
or_none(double groups)
{
	return groups > 0 ? groups : -1;
}

void
gpuagg_strategy_input(const GpuAggWork *work, const GpuAggProgram *program,
					  GpuAggStrategyInput *input)
{
	GpuAggCompiledWork compiled;

	gpuagg_compiled_work(&compiled, program);
	input->rows = work->passed;
	input->groups = fmax(work->groups, 1);
	input->entry_bytes = work->entry_bytes;
	input->updates = 1 + work->transitions;
	input->words = 1 + compiled.words;
	/* of blocks' own tables of the kernels that group pages, or interpret */
	input->local_groups = or_none(
		gpuagg_page_local_groups(compiled.entry_bytes, compiled.key_bytes, compiled.locked));
	input_record(program, input);
	input_sorting(work, program, input);
}

/* What the device asks its rule, but for ranges, which the planner has from statistics */
static void
frame_case(const GpuAggWork *work, const GpuAggProgram *program, const GpuAggStrategyInput *input,
		   const GpuAggStrategyRates *rates, GpuAggFrameCase *c)
{
	memset(c, 0, sizeof(*c));
	c->forced = input->forced != GPUAGG_STRATEGY_AUTO;
	c->leaves_out = input->behind_ns > 0;
	c->whole = true;
	c->keyed = program->nkeys > 0;
	c->filtered = program->filter_reg != GPUAGG_NO_REG;
	c->packs = work->compiled.packs;
	c->defers = work->compiled.plain && input->part_rows.fast;
	c->groups = input->groups;
	c->numbers = work->compiled.numbers;
	c->entry_bytes = work->compiled.entry_bytes;
	c->key_bytes = work->compiled.key_bytes;
	c->state_bytes = work->compiled.state_bytes;
	c->unit_shared_bytes = rates->shared_bytes;
}

static bool
is_deferring(GpuAggStrategy strategy)
{
	return (GPUAGG_STRATEGY_BIT(strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;
}

/* What grouping rows takes where they are kept */
static double
kept_ns(const GpuAggStrategyChoice *choice, GpuAggStrategy strategy)
{
	return is_deferring(strategy) ? fmax(choice->predicted_ns[strategy], 0) : 0;
}

/* All that a card does by one of the strategies */
static double
card_ns(const GpuAggRates *card, const GpuAggStrategyChoice *choice, GpuAggStrategy strategy,
		GpuAggFrameCase *frame, GpuAggWork *work)
{
	GpuAggCompiledWork *c = &work->compiled;

	frame->strategy = c->strategy = strategy;
	c->kept_ns = kept_ns(choice, strategy);
	if (c->state == GPUAGG_COMPILED_NOT)
		return gpuagg_predict_interpreted(card, work);
	if (!gpuagg_frame_choose(frame, &c->frame))
		c->frame = GPUAGG_FRAME_SELECTED;	/* nothing need run before rows are grouped */
	return gpuagg_predict_compiled(card, work);
}

/* By which rows are grouped soonest that are kept */
static GpuAggStrategy
kept_best(const GpuAggStrategyInput *input, const GpuAggStrategyChoice *choice)
{
	const double sorted = choice->predicted_ns[GPUAGG_STRATEGY_SORTED];
	const double parts = choice->predicted_ns[GPUAGG_STRATEGY_PARTITIONED];

	return sorted >= 0 && input->behind_ns <= 0 && (parts < 0 || sorted < parts) ?
		GPUAGG_STRATEGY_SORTED :
		GPUAGG_STRATEGY_PARTITIONED;
}

/*
 * Rows of a card that would be grouped as they are read, or kept for their groups: which is
 * sooner?  Rates of strategies know neither of numbers in place of keys nor of what
 * evaluating rows and writing records takes.  Where rows are kept without a kernel of the
 * query's, one has to save what compiling it takes.
 */
static GpuAggStrategy
read_or_kept(const GpuAggRates *card, const GpuAggStrategyRates *rates,
			 const GpuAggStrategyInput *input, const GpuAggStrategyChoice *choice,
			 GpuAggFrameCase *frame, GpuAggWork *work)
{
	const GpuAggStrategy within = choice->within;
	const GpuAggStrategy kept = is_deferring(within) ? within : kept_best(input, choice);
	const GpuAggCompiledWork *c = &work->compiled;
	/* what no kernel is made for: the interpreter beside columns that are grouped as they lie */
	const bool	as_they_lie = c->state == GPUAGG_COMPILED_NOT && frame->defers && !frame->filtered;
	const GpuAggStrategy read = within == GPUAGG_STRATEGY_BLOCK_LOCAL && as_they_lie ?
		within :
		GPUAGG_STRATEGY_SINGLE_PASS;
	GpuAggFrame needed;
	double		ns;
	double		kept_whole;

	if (rates->shared_bytes <= 0 || frame->forced || choice->by_capacity ||
		choice->predicted_ns[kept] < 0 || (within != kept && within != read))
		return within;
	ns = card_ns(card, choice, read, frame, work);
	kept_whole = card_ns(card, choice, kept, frame, work);
	if (kept == GPUAGG_STRATEGY_SORTED && input->behind_ns > 0)
		return gpuagg_strategy_sorting_pays(input, kept_whole, ns) ? kept : read;
	if (c->state == GPUAGG_COMPILED_NEW && !c->always && !gpuagg_frame_choose(frame, &needed))
		ns += (double) GPUAGG_COMPILE_FIRST_NS / GPUAGG_COMPILE_RUNS;
	return kept_whole < ns ? kept : read;
}

void
gpuagg_resident_choose(const GpuAggRates *card, const GpuAggStrategyRates *rates,
					   GpuAggStrategyInput *input, const GpuAggProgram *program, GpuAggWork *work,
					   GpuAggResidentChoice *out)
{
	GpuAggCompiledWork *compiled = &work->compiled;
	GpuAggStrategyChoice choice;
	GpuAggFrameCase frame;

	const bool	page_local = input->groups <= input->local_groups || rates->threads > 0;

	input->entry_bytes = compiled->entry_bytes;
	frame_case(work, program, input, rates, &frame);
	if (compiled->state != GPUAGG_COMPILED_NOT)
		input->local_groups = or_none(gpuagg_frame_local_groups(&frame));
	/* passes are tasks, and those of pages */
	input->possible &= ~GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE);
	gpuagg_strategy_choose(rates, input, &choice);
	choice.within = read_or_kept(card, rates, input, &choice, &frame, work);
	out->strategy = out->runs = out->interpreted = compiled->strategy = frame.strategy =
		choice.within;
	if (choice.within == GPUAGG_STRATEGY_BLOCK_LOCAL && !page_local)
		out->interpreted = GPUAGG_STRATEGY_SINGLE_PASS;
	else if (choice.within == GPUAGG_STRATEGY_SINGLE_PASS && page_local && rates->threads == 0 &&
			 !frame.forced)
		out->interpreted = GPUAGG_STRATEGY_BLOCK_LOCAL;
	compiled->kept_ns = kept_ns(&choice, choice.within);
	if (compiled->state == GPUAGG_COMPILED_NOT)
		return;
	if (gpuagg_frame_choose(&frame, &compiled->frame))
		out->runs = gpuagg_frame_runs(compiled->frame, choice.within);
	else
		compiled->state = GPUAGG_COMPILED_NOT;	/* nothing need be compiled */
}
