/*
 * predict_compiled.c
 *		What kernels take over columns that stay on a GPU, compiled and interpreted.
 *
 * Compiled, with r rows of which s pass, B bytes of memory read a second, A additions
 * to words in shared memory, O integer operations, and U(x) random additions a second in a
 * region of x bytes; words w of an entry, which lie in e sectors, take e / U(x) + (w - e) / U(0):
 *
 *		start + (r early + s' late) / B + (r filter + s ops) * OP_OPS / O + groups
 *
 * where s' are the rows in whose sectors one passes, start is what calibrate() measures
 * (ceiling "compiled") or START_LAUNCHES launches, and groups is
 *
 *		direct		s (atomics + LOOP_ATOMICS loops) / (A ATOMIC_SHARE)
 *		hashed		the same, and s (HASHED_OPS + HASHED_KEY_OPS keys + TEXT_KEY_OPS texts) more
 *					operations
 *		dense		s times the words in the region of all entries, and merging g such into
 *					the task's table
 *		single		s times the words and the entry's head in the task's table, or what
 *					threads wait that bring a new group, if that is longer
 *		kept		what the strategy's formula (device/choice/strategy.c) says, and start once
 *					more, for its own kernels
 *
 * Shares and counts are of an H200: ten shapes of test/bench/compiled.sh over 6 * 10^7
 * rows; another card's are scaled by what is measured there.
 */
#include <math.h>
#include <string.h>

#include "cost/predict_host.h"
#include "cost/predict_rates.h"
#include "device/layout.h"
#include "device/ops/hash.h"
#include "device/ops/instr.h"

/* A kernel's launch, the clearing and merging of its groups, its report */
#define START_LAUNCHES 4.0
#define START_NS 30000.0

/* Steps of grouping kept rows: each begins when the host has seen the counters of the last */
#define KEPT_START_NS 450000.0

/* Integer operations of a simple instruction, with its check and its NULL */
#define OP_OPS 2.1
#define UNIT_INT_OPS 1.2e11		/* where none were measured, a multiprocessor's */

/* Of the additions that a kernel does which does nothing else */
#define ATOMIC_SHARE 0.73

/* A sum of doubles, or an extreme: lanes of a group add up first, and then compare and swap */
#define LOOP_ATOMICS 12.5

/* Sums of moments there: those of numbers and of squares */
#define MOMENT_LOOPS 2.0
#define COMOMENT_LOOPS 9.0

/*
 * A new group is an empty entry that is read, taken and filled, each of which waits for the
 * one before; a single key of 4 bytes fills it as it takes it.  Rows that a warp's lanes have
 * at once wait together, others one after the other: so few rows of many do.  Warps of a
 * multiprocessor that do, and lanes of each.  Where keys are no word, lanes of a warp that all
 * have new groups take longer (6 * 10^7 pairs of int4, nearly all of them different).
 */
#define ADD_LANE_NS 0.14
#define ADD_NS 4500.0
#define ADD_WORD_NS 3400.0
#define SINGLE_WARPS 32.0
#define LANES 32.0

/* Numbered groups in device memory: more than their words, where a count tells which there are */
#define COUNTED_WORDS 0.4

/* and what they take of the cache that columns pass through, in parts of their bytes */
#define DENSE_SPREAD 1.8

/* What a sum of 128 bits in device memory takes more, as its lower half tells what it carries */
#define CARRY_WORDS 0.5

/* Entries of numbered groups, merged: so many at once of a multiprocessor, by turns */
#define MERGE_TURN_NS 36000.0
#define MERGE_THREADS 2048.0

/* Of rows, those that an aggregate's own FILTER lets pass: nobody estimates them. */
#define FILTERED 0.5

#define NUMBER_OPS 2.0			/* of a key whose range numbers the groups */
#define HASHED_OPS 40.0
#define HASHED_KEY_OPS 5.0
#define TEXT_KEY_OPS 175.0		/* a computed string (H200, three texts of a CASE) */

/* Values of a sector of memory: one that passes brings the others along */
#define SECTOR_BYTES 32.0

/* Where the card has not told (an H200's) */
#define MEMORY_RATE 4.3e12
#define ATOMIC_RATE 2.3e12

/*
 * The interpreter, on one multiprocessor that does UNIT_INT_OPS a second; ns of a row, a
 * column, a simple instruction, a key and a transition.  The same ten shapes.
 */
#define INTERPRETED_ROW_NS 5.0
#define INTERPRETED_LINE_NS 4.5	/* of a sample, chosen or not (H200, 6e7 lines, 1 %) */
#define INTERPRETED_COLUMN_NS 1.0
#define INTERPRETED_OP_NS 1.6
#define INTERPRETED_KEY_NS 4.0
#define INTERPRETED_TRANSITION_NS 2.0

/* ---------- programs ---------- */

/* Simple instructions that one is worth; a list's members are looked at by bisection. */
static double
op_weight(const GpuAggInstr *ins)
{
	const double weight = gpuagg_op_traits(ins->op)->weight;

	return gpuagg_has_list(ins) ? weight * log2(2.0 + ins->imm2) : weight;
}

/* Does the filter, which has the first instructions, read a column? */
static bool
filter_reads(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	if (p->filter_reg == GPUAGG_NO_REG)
		return true;			/* all rows pass: all columns are read at once */
	for (uint32_t i = 0; i < p->filter_instrs; i++)
		if (ins[i].a == reg || ins[i].b == reg || ins[i].c == reg)
			return true;
	return reg == p->filter_reg;
}

/* Of strings the numbers are read. */
static void
work_columns(GpuAggCompiledWork *work, const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);

	work->early_bytes = work->late_bytes = 0;
	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			*(filter_reads(p, attrs[i].reg) ? &work->early_bytes : &work->late_bytes) +=
				gpuagg_key_class(attrs[i].type) == GPUAGG_CLASS_BYTES ?
				4 :
				gpuagg_type_slot_bytes(attrs[i].type);
}

/* Of a column there are codes. */
static double
computed_texts(const GpuAggProgram *p)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	double		texts = 0;

	for (uint32_t i = 0; i < p->nkeys; i++)
		texts += keys[i].reg >= p->ncolumns &&
			gpuagg_key_class(keys[i].type) == GPUAGG_CLASS_BYTES;
	return texts;
}

static void
work_instrs(GpuAggCompiledWork *work, const GpuAggProgram *p)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	work->texts = computed_texts(p);
	work->filter_ops = work->ops = 0;
	for (uint32_t i = 0; i < p->ninstrs; i++)
		*(i < p->filter_instrs ? &work->filter_ops : &work->ops) += op_weight(&ins[i]);
}

/* Loops of a state in shared memory */
static double
state_loops(uint32_t op)
{
	switch (op)
	{
		case GPUAGG_TRANS_MOMENTS_F64:
			return MOMENT_LOOPS;
		case GPUAGG_TRANS_COMOMENTS_F64:
			return COMOMENT_LOOPS;
		default:
			return 1;
	}
}

/* What a block has of a group (device/codegen/codegen.c), and what a row does to it */
static void
work_states(GpuAggCompiledWork *work, const GpuAggProgram *p)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	bool		all = false;

	work->counted = false;
	work->atomics = work->loops = work->words = 0;
	work->state_bytes = 0;
	work->locked = false;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		work->words += (gpuagg_transition_words(t[i].op) +
						(t[i].op == GPUAGG_TRANS_SUM_I128 ? CARRY_WORDS : 0)) *
			(t[i].filter == GPUAGG_NO_REG ? 1 : FILTERED);
		work->locked |= gpuagg_transition_is_string(t[i].op);
		work->state_bytes += gpuagg_transition_shared_bytes(t[i].op);
		if (t[i].op == GPUAGG_TRANS_COUNT || t[i].op == GPUAGG_TRANS_SUM_I64 ||
			t[i].op == GPUAGG_TRANS_SUM_I128)
			work->atomics += t[i].filter == GPUAGG_NO_REG ? 1 : FILTERED;
		else
			work->loops += state_loops(t[i].op) * (t[i].filter == GPUAGG_NO_REG ? 1 : FILTERED);
		work->counted |= t[i].op == GPUAGG_TRANS_COUNT && t[i].filter == GPUAGG_NO_REG;
		all |= t[i].op == GPUAGG_TRANS_COUNT && t[i].filter == GPUAGG_NO_REG &&
			t[i].arg == GPUAGG_NO_REG;
	}
	/* rows that no count has counted are counted beside: of count(x), those with NULL */
	if (p->nkeys > 0 && !work->counted)
		work->atomics++;
	if (p->nkeys > 0 && !all)
		work->state_bytes += 4;
}

void
gpuagg_compiled_work(GpuAggCompiledWork *work, const GpuAggProgram *p)
{
	GpuAggLayout layout;
	GpuAggRecord record;

	gpuagg_layout_compute(p, &layout);
	work_columns(work, p);
	work_instrs(work, p);
	work_states(work, p);
	work->entry_bytes = layout.row_bytes + (work->locked ? 8 : 0);
	work->key_bytes = p->ntransitions > 0 ? layout.state_off[0] : layout.row_bytes;
	work->possible = !p->select;
	work->packs = p->nkeys > 0 && gpuagg_record_of_rows(p, &record);
	work->plain = gpuagg_local_is_plain(p);
}

/* Values of constants are none of a kernel's: their classes are. */
uint64_t
gpuagg_compiled_program(const GpuAggProgram *p)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(p);
	const struct
	{
		const void *data;
		size_t		bytes;
	}			parts[] = {
		{gpuagg_program_instrs(p), p->ninstrs * sizeof(GpuAggInstr)},
		{gpuagg_program_keys(p), p->nkeys * sizeof(GpuAggKey)},
		{gpuagg_program_transitions(p), p->ntransitions * sizeof(GpuAggTransition)},
		{gpuagg_program_classes(p), p->nregs},
	};
	uint64_t	h = gpuagg_hash_word(p->filter_reg, p->ncolumns, p->ninstrs);

	for (uint32_t i = 0; i < p->nattrs; i++)
		if (attrs[i].reg != GPUAGG_NO_REG)
			h = gpuagg_hash_word(h, (uint64_t) attrs[i].type << 32 | attrs[i].reg,
								 (uint64_t) attrs[i].scale.form << 5 | attrs[i].scale.digits);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		h = gpuagg_hash_bytes(parts[i].data, parts[i].bytes, h);
	h = gpuagg_hash_finish(h);
	return h != 0 ? h : 1;
}

/* ---------- rates ---------- */

static double
or_else(double rate, double unknown)
{
	return rate > 0 ? rate : unknown;
}

double
gpuagg_predict_kernel_start(const GpuAggRates *rates)
{
	return or_else(rates->ceiling[GPUAGG_CEILING_COMPILED],
				   or_else(START_LAUNCHES * rates->ceiling[GPUAGG_CEILING_LAUNCH], START_NS));
}

static double
ops_ns(const GpuAggRates *rates, double ops)
{
	return ops * OP_OPS /
		or_else(rates->ceiling[GPUAGG_CEILING_INT_OPS], UNIT_INT_OPS * fmax(1, rates->units)) * 1e9;
}

static double
read_ns(const GpuAggRates *rates, double bytes)
{
	return bytes / or_else(rates->ceiling[GPUAGG_CEILING_MEMORY_READ], MEMORY_RATE) * 1e9;
}

static double
random_ns(const GpuAggRates *rates, double updates, double bytes)
{
	const double rate = gpuagg_rates_random(rates, GPUAGG_RANDOM_ATOMIC8, bytes);

	return rate > 0 ? updates / rate * 1e9 : 0;
}

/* ---------- kernels ---------- */

static bool
keeps(const GpuAggWork *work)
{
	return (GPUAGG_STRATEGY_BIT(work->compiled.strategy) & GPUAGG_STRATEGIES_DEFERRING) != 0;
}

/* Rows of whose sectors something is read */
static double
late_rows(const GpuAggWork *work)
{
	const double share = work->rows > 0 ? fmin(1, work->passed / work->rows) : 0;

	return work->rows * -expm1(SECTOR_BYTES / sizeof(uint32_t) * log1p(-fmin(share, 1 - 1e-9)));
}

/* Groups in shared memory */
static double
local_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	const GpuAggCompiledWork *c = &work->compiled;

	return work->passed * (c->atomics + LOOP_ATOMICS * c->loops) /
		(ATOMIC_SHARE * or_else(rates->ceiling[GPUAGG_CEILING_LOCAL_ATOMICS_32], ATOMIC_RATE)) *
		1e9;
}

/*
 * Of the words that a row changes, the first of each sector brings it into the cache, where the
 * others are changed.
 */
static double
entry_ns(const GpuAggRates *rates, const GpuAggWork *work, double rows, double words, double bytes)
{
	const double first = fmin(words,
							  (work->compiled.entry_bytes - sizeof(uint64_t)) / SECTOR_BYTES + 1);

	return random_ns(rates, rows * first, bytes) + random_ns(rates, rows * (words - first), 0);
}

/* Keys that are no word are read where a head is taken already. */
static double
keys_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	return work->compiled.key_bytes == 8 ?
		0 :
		random_ns(rates, work->passed, gpuagg_predict_table_bytes(work));
}

static double
table_ns(const GpuAggRates *rates, const GpuAggWork *work, double rows)
{
	return entry_ns(rates, work, rows, 1 + work->compiled.words, gpuagg_predict_table_bytes(work));
}

/*
 * What warps wait for new groups in the task's table.  A lane has four rows, which enter one
 * after the other, each with those of the other lanes.
 */
static double
add_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	const double share = work->rows > 0 ? fmin(1, work->passed / work->rows) : 0;
	const double fresh = work->passed > 0 ? fmin(1, work->groups / work->passed) : 0;
	const double some = 1 - pow(1 - share * fresh, LANES);
	/* head and key are a word (cuda/frame/single.cuh) */
	const bool	word = work->compiled.key_bytes == 8;

	return work->rows / LANES * some / (SINGLE_WARPS * fmax(1, rates->units)) *
		(word ? ADD_WORD_NS : ADD_NS) + (word ? 0 : work->groups * ADD_LANE_NS);
}

static double
merge_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	return (1 + work->groups / (MERGE_THREADS * fmax(1, rates->units))) * MERGE_TURN_NS;
}

static double
groups_ns(const GpuAggRates *rates, const GpuAggWork *work)
{
	const GpuAggCompiledWork *c = &work->compiled;

	switch (c->frame)
	{
		case GPUAGG_FRAME_PLAIN:
			return ops_ns(rates, work->passed * work->transitions);
		case GPUAGG_FRAME_DIRECT:
			return local_ns(rates, work) + ops_ns(rates, work->passed * NUMBER_OPS * work->keys);
		case GPUAGG_FRAME_HASHED:
			return local_ns(rates, work) +
				ops_ns(rates, work->passed * (HASHED_OPS + HASHED_KEY_OPS * work->keys +
											  TEXT_KEY_OPS * c->texts));
		case GPUAGG_FRAME_DENSE:
			return entry_ns(rates, work, work->passed, c->words + (c->counted ? COUNTED_WORDS : 1),
							DENSE_SPREAD * c->numbers * c->entry_bytes) +
				read_ns(rates, 2 * c->numbers * c->entry_bytes) +
				fmax(table_ns(rates, work, work->groups), merge_ns(rates, work));
		case GPUAGG_FRAME_SINGLE:
			return fmax(table_ns(rates, work, work->passed) + keys_ns(rates, work),
						add_ns(rates, work)) +
				/* the table is cleared, and read through for its groups */
				read_ns(rates, 2 * gpuagg_predict_table_bytes(work)) +
				ops_ns(rates, work->passed * HASHED_OPS);
		default:
			return c->kept_ns + KEPT_START_NS;
	}
}

double
gpuagg_predict_compiled(const GpuAggRates *rates, const GpuAggWork *work)
{
	const GpuAggCompiledWork *c = &work->compiled;

	return gpuagg_predict_kernel_start(rates) + groups_ns(rates, work) +
		read_ns(rates, work->rows * c->early_bytes + late_rows(work) * c->late_bytes) +
		ops_ns(rates, work->rows * c->filter_ops + work->passed * c->ops);
}

/*
 * Rows of columns that partitioning reads as they lie are never interpreted; groups of
 * others are in blocks' own tables where these may have so many (device/choice/local.h),
 * else in the task's.
 */
double
gpuagg_predict_interpreted(const GpuAggRates *rates, const GpuAggWork *work)
{
	const GpuAggCompiledWork *c = &work->compiled;
	const double scale = gpuagg_predict_slowness(rates, UNIT_INT_OPS) / fmax(1, rates->units);
	double		row = INTERPRETED_ROW_NS + INTERPRETED_COLUMN_NS * work->columns +
		INTERPRETED_OP_NS * c->filter_ops;
	double		pass = INTERPRETED_OP_NS * c->ops + INTERPRETED_KEY_NS * work->keys +
		INTERPRETED_TRANSITION_NS * work->transitions;
	bool		deferred = keeps(work) && c->plain;
	double		ns = gpuagg_predict_kernel_start(rates);

	ns += work->sampled * INTERPRETED_LINE_NS * scale;
	if (!deferred || c->filter_ops > 0)
		ns += (work->rows * row + (deferred ? 0 : work->passed * pass)) * scale;
	if (keeps(work))
		return ns + c->kept_ns + KEPT_START_NS;
	if (work->keys > 0 &&
		work->groups > gpuagg_page_local_groups(c->entry_bytes, c->key_bytes, c->locked))
		return ns + table_ns(rates, work, work->passed);
	return ns;
}
