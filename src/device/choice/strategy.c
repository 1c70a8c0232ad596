/*
 * strategy.c
 *		Which strategy of grouping is expected to be fastest.
 *
 * With r rows, g groups, e bytes of an entry, u updates a row (of a GPU: of
 * words, of which moments are several), b bytes of a record, I ns of reading
 * the input once (of resident columns r b / S), and of the profile U(x) random
 * updates a second in a region of x bytes, L updates of local tables and P
 * records of 8 bytes partitioned a second, S bytes streamed a second; times in
 * ns, rates here a ns:
 *
 *		t = 2 g e					bytes of the table, half full
 *		s							bytes of a scope: cache's reach, or the
 *									TLB's, whichever gives the faster passes;
 *									of a CPU, which has neither here, t
 *		block-local		I + r u / L				if t <= local bytes, or as many groups as
 *											the kernel's own tables may have (local.h,
 *											frame_rule.h)
 *		single pass		I + r u / U(t)
 *		multi-pass		p = t / s passes
 *			naive		p I + r u / U(s)	in these three the longer one
 *											instead of the sum, where groups are
 *											updated while input is read
 *			copy		I + r u / U(s) + r b / S (1 + (p - 1) / 2); a GPU, where all
 *								passes read all records: + p r PASS_UPDATES / L
 *		partitioned		I + l r (b / 8) / P + r b / S + r u / L
 *						l levels, until a part of the table is local (a GPU:
 *						gpuagg_part_bits(); a CPU: one, if there are as many
 *						parts as its device wants).  On a GPU u is what parts_updates()
 *						says, rows are read once more to count groups, and written as
 *						records unless they are partitioned as they lie
 *		sorted			I + r (3 b + 2 k w SORT_SHARE) / S + r s SORT_STATE_NS	k digits of words of
 *											w bytes; s states, but counts, which words tell
 *		spatial			I + r b / S w + r u / U(t / w)		if t is beyond the TLB's
 *											reach, and groups of units that share
 *											one are known, for w windows side by
 *											side; of pages, w + 1
 *
 * Multi-pass, copy: each pass reads what is left of the rows, on average half.
 * Spatial: the units of each window read all rows.  What is measured already
 * contains every reach: U falls where a cache or a TLB ends.
 *
 * By capacity: a table that is larger than the memory is made in windows, each
 * of half the memory (growth needs the other half), whatever the strategy in a
 * window is; each reads the input once more.
 */
#include <math.h>

#include "device/choice/curve.h"
#include "device/choice/limits.h"
#include "device/choice/local.h"
#include "device/choice/spatial.h"
#include "device/choice/strategy.h"

/* Of the memory, what a table is planned to take: growing needs two of them */
#define CAPACITY_SHARE 0.5

/* Windows are made somewhat smaller than what fit before: hashes vary. */
#define SPLIT_MARGIN 1.25

/* A split is no more than that at once; it can be repeated. */
#define SPLIT_MOST 64

/*
 * What grouping a GPU's partitions takes, in updates of local tables: of a row that is no
 * pair of words (local.h) finding its group, by one integer or by any keys, and each
 * state; and a group's way out.  Of an H200 and its local updates: nine queries over
 * 2 * 10^7 rows with 10^6 to 2 * 10^7 groups.
 */
#define FIND_UPDATES 30.0
#define FIND_ANY_UPDATES 145.0
#define STATE_UPDATES 18.0
#define GROUP_UPDATES 280.0
#define PAIRS_GROUP_UPDATES 120.0
#define PAIRS_GROUP_MANY_UPDATES 1200.0	/* with many rows, out of tables that have copies */
#define GROUP_WORD_UPDATES 195.0	/* more, of each further word of a state: moments */

/* And of each row in each pass over kept records: its hash, and that it is not the pass's */
#define PASS_UPDATES 47.0

/*
 * Rows are sorted by words of 4, 8 or 16 bytes, by digits of 8 bits.  A digit reads and writes
 * them, at so much less than memory gives (H200: 6 * 10^7 words of 8 bytes in 3.8 ms).
 */
#define SORT_DIGIT_BITS 8.0
#define SORT_SHARE 2.2
#define SORT_GROUP_BYTES 32.0
#define SORT_STATE_NS 0.02		/* of a row's state other than a count, where groups are few */

/*
 * Windows are made for the groups that are expected, a GPU's partitions for those that
 * there are: of partitions' time, what windows may be predicted to take
 */
#define WINDOWS_SHARE 0.7

/* What serves where one cannot run */
static const GpuAggStrategy instead_of[GPUAGG_NSTRATEGIES] = {
#define X(name, word, instead) GPUAGG_STRATEGY_##instead,
	GPUAGG_STRATEGY_LIST(X)
#undef X
};

/* Single pass is what every device can do. */
GpuAggStrategy
gpuagg_strategy_possible(GpuAggStrategy strategy, uint32_t possible)
{
	while (strategy != GPUAGG_STRATEGY_AUTO && strategy != GPUAGG_STRATEGY_SINGLE_PASS &&
		   !(possible & GPUAGG_STRATEGY_BIT(strategy)))
		strategy = instead_of[strategy];
	return strategy;
}

/* ---------- times ---------- */

/* Seconds of so many events at a rate; no time where none is known */
static double
seconds(double events, double rate)
{
	return rate > 0 ? events / rate : 0;
}

/* Random updates a second in a region */
static double
updates_at(const GpuAggStrategyRates *rates, double bytes)
{
	return gpuagg_curve_at(&rates->points[0].bytes, &rates->points[0].updates,
						   sizeof(rates->points[0]), rates->npoints, bytes);
}

/* What a row changes */
static double
row_updates(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	return in->words > 0 && rates->threads == 0 ? in->words : in->updates;
}

static double
update_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, double bytes)
{
	return 1e9 * seconds(in->rows * row_updates(rates, in), updates_at(rates, bytes));
}

static double
local_ns(const GpuAggStrategyRates *rates, double updates)
{
	double		rate = rates->local_updates > 0 ? rates->local_updates :
		updates_at(rates, rates->local_bytes);

	return 1e9 * seconds(updates, rate);
}

static double
radix_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	/* a shorter record is placed as one of 8 bytes is */
	return 1e9 * seconds(in->rows * fmax(in->record_bytes, 8) / 8, rates->partition_rows);
}

/*
 * A pair's group on its way out: with few rows a group it has a kernel of its own
 * (groupby_few_rows.cuh).
 */
static double
pairs_group_updates(const GpuAggStrategyInput *in)
{
	return in->groups * GPUAGG_FEW_ROWS_ROWS > in->rows ? PAIRS_GROUP_UPDATES :
														  PAIRS_GROUP_MANY_UPDATES;
}

/* Updates of local tables that partitions take */
static double
parts_updates(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	const GpuAggPartRows *r = &in->part_rows;

	if (rates->shared_bytes <= 0 || in->local_entry_bytes <= 0)
		return in->rows * row_updates(rates, in);
	if (r->fast)
		return in->rows * in->updates + in->groups * pairs_group_updates(in);
	return in->rows *
		((r->key == GPUAGG_KEY_ANY ? FIND_ANY_UPDATES : FIND_UPDATES) +
		 STATE_UPDATES * (row_updates(rates, in) - 1)) +
		in->groups *
		(GROUP_UPDATES + GROUP_WORD_UPDATES * fmax(0, row_updates(rates, in) - in->updates));
}

/* Reading or writing the rows' records once */
static double
stream_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	return 1e9 * seconds(in->rows * in->record_bytes, rates->stream_bytes);
}

static double
input_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	return in->resident ? stream_ns(rates, in) : in->input_ns;
}

static double
partitioned_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, uint32_t levels)
{
	const bool	gpu = rates->shared_bytes > 0 && in->local_entry_bytes > 0;
	const uint32_t more = gpu ? 1 + !(in->plain && in->part_rows.fast) : 0;

	return input_ns(rates, in) + local_ns(rates, parts_updates(rates, in)) +
		levels * radix_ns(rates, in) + (1 + more) * stream_ns(rates, in);
}

static double
sort_word(const GpuAggStrategyInput *in)
{
	return in->sort_bits > 64 ? 16 : in->sort_bits > 32 ? 8 : 4;
}

/*
 * Records are written, and read for their bounds and their words; these are sorted, and rows of
 * groups written.
 */
static double
sorted_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	const double sort = 2 * ceil(in->sort_bits / SORT_DIGIT_BITS) * sort_word(in) * SORT_SHARE;
	const double groups = in->behind_ns > 0 ? in->left : in->groups;

	return input_ns(rates, in) + 3 * stream_ns(rates, in) +
		1e9 * seconds(in->rows * sort + groups * (2 * in->entry_bytes + SORT_GROUP_BYTES),
					  rates->stream_bytes) +
		in->rows * (in->updates - 1 - in->counted) * SORT_STATE_NS;
}

/* Passes of one scope each */
static double
passes_of(double table, double scope)
{
	return scope > 0 && table > scope ? ceil(table / scope) : 1;
}

/* Rows are grouped as they are read. */
static double
streamed_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, double passes,
			double update)
{
	const double input = passes * input_ns(rates, in);

	return in->overlapped && !in->resident ? fmax(input, update) : input + update;
}

static double
naive_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
		 double table, double scope)
{
	return streamed_ns(rates, in, passes_of(table, scope),
					   update_ns(rates, in, fmin(table, scope)));
}

static double
copy_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
		double table, double scope)
{
	const double passes = passes_of(table, scope);
	const double reads = 1 + (passes - 1) / 2;
	const double looks = rates->shared_bytes > 0 ? passes * in->rows * PASS_UPDATES : 0;

	return input_ns(rates, in) + update_ns(rates, in, fmin(table, scope)) +
		reads * stream_ns(rates, in) + (looks > 0 ? local_ns(rates, looks) : 0);
}

/* Where groups are not known, units do without (and only if asked to). */
static uint32_t
spatial_windows(const GpuAggStrategyRates *rates, double table, double scope)
{
	return 1u << gpuagg_spatial_log2(table, scope, rates->tlb_groups > 0 ?
									 rates->tlb_groups : GPUAGG_SPATIAL_UNKNOWN);
}

static double
spatial_ns(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, double table)
{
	const uint32_t windows = spatial_windows(rates, table, rates->tlb_bytes);
	const uint32_t reads = in->resident ? windows - 1 : windows + 1;

	return input_ns(rates, in) + reads * stream_ns(rates, in) +
		update_ns(rates, in, table / windows);
}

/* ---------- scopes ---------- */

/*
 * The scope of passes: what is asked for, else of the reaches the one that
 * gives the faster passes; the table where neither helps.
 */
static double
choose_scope(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
			 double table)
{
	double		scope = table;
	const double reaches[] = {rates->tlb_bytes, rates->cache_bytes};

	if (in->scope_bytes > 0)
		return in->scope_bytes;
	for (int i = 0; i < 2; i++)
		if (reaches[i] > 0 && reaches[i] < table &&
			naive_ns(rates, in, table, reaches[i]) < naive_ns(rates, in, table, scope))
			scope = reaches[i];
	return scope;
}

/* The host device looks at this, not at what is predicted. */
static bool
parts_pay(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in)
{
	const double part = in->scope_bytes > 0 ? in->scope_bytes : rates->part_bytes;

	return rates->part_bytes <= 0 ||
		gpuagg_host_keeps_records(gpuagg_host_tables_bytes(in->groups, in->entry_bytes), part);
}

static void
choose_radix(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
			 GpuAggStrategyChoice *c)
{
	const double part = in->scope_bytes > 0 ? in->scope_bytes : rates->part_bytes;

	if (rates->shared_bytes > 0 && in->local_entry_bytes > 0)
		gpuagg_part_bits(&in->part_rows, (uint32_t) rates->shared_bytes,
						 (uint32_t) in->local_entry_bytes, (uint32_t) in->entry_bytes,
						 in->rows, in->groups, 0, c->radix_bits);
	else
		c->radix_bits[0] = gpuagg_host_partition_bits(
			rates->threads, part > 0 ? gpuagg_host_tables_bytes(in->groups, in->entry_bytes) : 0,
			part);
}

/* May each block or thread have all groups in a table of its own? */
static bool
fits_local(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, double table)
{
	if (rates->threads > 0)
		return in->groups <= gpuagg_host_local_groups(in->entry_bytes);
	if (in->local_groups != 0 && rates->local_bytes > 0)
		return in->groups <= in->local_groups;
	return table <= rates->local_bytes;
}

/*
 * Where that leaves few groups, or they are only counted: other states are changed at random.
 * Columns that are partitioned as they lie are sooner.
 */
static bool
may_sort(const GpuAggStrategyInput *in)
{
	return in->sort_bits <= 2 * 64 &&
		(in->behind_ns > 0 || (in->updates - 1 <= in->counted && !in->part_rows.fast));
}

/* ---------- the choice ---------- */

static void
predict_all(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
			GpuAggStrategyChoice *c)
{
	double	   *ns = c->predicted_ns;
	const double t = c->table_bytes;

	ns[GPUAGG_STRATEGY_AUTO] = -1;
	ns[GPUAGG_STRATEGY_BLOCK_LOCAL] = streamed_ns(
		rates, in, 1, local_ns(rates, in->rows * row_updates(rates, in)));
	ns[GPUAGG_STRATEGY_SINGLE_PASS] = streamed_ns(rates, in, 1, update_ns(rates, in, t));
	ns[GPUAGG_STRATEGY_MULTI_PASS_NAIVE] = naive_ns(rates, in, t, c->scope_bytes);
	ns[GPUAGG_STRATEGY_MULTI_PASS_COPY] = copy_ns(rates, in, t, c->scope_bytes);
	ns[GPUAGG_STRATEGY_PARTITIONED] = partitioned_ns(rates, in, c->radix_bits[1] > 0 ? 2 : 1);
	ns[GPUAGG_STRATEGY_SPATIAL] = spatial_ns(rates, in, t);
	ns[GPUAGG_STRATEGY_SORTED] = sorted_ns(rates, in);
	if (!fits_local(rates, in, t))
		ns[GPUAGG_STRATEGY_BLOCK_LOCAL] = -1;
	if (!parts_pay(rates, in))
		ns[GPUAGG_STRATEGY_PARTITIONED] = -1;
	if (!may_sort(in))
		ns[GPUAGG_STRATEGY_SORTED] = -1;
	if (rates->tlb_bytes <= 0 || t <= rates->tlb_bytes || rates->tlb_groups < 2)
		ns[GPUAGG_STRATEGY_SPATIAL] = -1;
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		if (s != GPUAGG_STRATEGY_SINGLE_PASS && !(in->possible & GPUAGG_STRATEGY_BIT(s)))
			ns[s] = -1;
}

/* Windows that are not far better than a GPU's partitions */
static bool
is_rash(const GpuAggStrategyRates *rates, const double *ns, int s)
{
	return s == GPUAGG_STRATEGY_MULTI_PASS_COPY && rates->shared_bytes > 0 &&
		ns[GPUAGG_STRATEGY_PARTITIONED] >= 0 &&
		ns[s] > WINDOWS_SHARE * ns[GPUAGG_STRATEGY_PARTITIONED];
}

bool
gpuagg_strategy_sorting_pays(const GpuAggStrategyInput *in, double sorted, double other)
{
	return in->behind_ns > 0 && sorted >= 0 && sorted < other + in->groups * in->behind_ns;
}

/* Less than any other, and what is left to do behind that? */
static bool
sorting_pays(const GpuAggStrategyInput *in, const double *ns)
{
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		if (s != GPUAGG_STRATEGY_SORTED && ns[s] >= 0 &&
			!gpuagg_strategy_sorting_pays(in, ns[GPUAGG_STRATEGY_SORTED], ns[s]))
			return false;
	return in->behind_ns > 0;
}

/* What leaves few groups has been compared with all others already. */
static bool
may_win(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, const double *ns, int s)
{
	return ns[s] >= 0 && !is_rash(rates, ns, s) &&
		(s != GPUAGG_STRATEGY_SORTED || in->behind_ns <= 0);
}

/*
 * Of equal ones the simpler, which comes first.  A GPU that groups pages has few groups
 * in tables of its blocks, whatever these are predicted to take.
 */
static GpuAggStrategy
fastest(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, const double *ns)
{
	GpuAggStrategy best = GPUAGG_STRATEGY_SINGLE_PASS;

	if (sorting_pays(in, ns))
		return GPUAGG_STRATEGY_SORTED;
	if (rates->threads == 0 && !in->resident && ns[GPUAGG_STRATEGY_BLOCK_LOCAL] >= 0)
		return GPUAGG_STRATEGY_BLOCK_LOCAL;
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		if (may_win(rates, in, ns, s) &&
			(ns[s] < ns[best] ||
			 (s == GPUAGG_STRATEGY_BLOCK_LOCAL && ns[s] <= ns[best])))
			best = (GpuAggStrategy) s;
	return best;
}

/*
 * Rounded up, by at most a third, so that windows can be joined: a number that
 * can be halved again and again, for estimates of groups are often too high.
 */
static double
joinable(double windows)
{
	double		unit = exp2(floor(log2(fmax(windows / 3, 1))));

	return ceil(windows / unit) * unit;
}

/* Windows that bound the table of each by the memory */
static void
fit_memory(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
		   GpuAggStrategyChoice *c)
{
	double		pass = c->table_bytes / c->passes;
	double		windows;

	if (in->memory_bytes <= 0 || pass <= in->memory_bytes ||
		c->strategy == GPUAGG_STRATEGY_SORTED ||
		!(in->possible & GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_MULTI_PASS_NAIVE)))
		return;
	windows = ceil(c->table_bytes / (in->memory_bytes * CAPACITY_SHARE));
	windows = fmin(joinable(windows), GPUAGG_MAX_HASH_WINDOWS);
	for (int s = 1; s < GPUAGG_NSTRATEGIES; s++)
		if (c->predicted_ns[s] >= 0)
			c->predicted_ns[s] += (windows - c->passes) * input_ns(rates, in);
	c->strategy = GPUAGG_STRATEGY_MULTI_PASS_NAIVE;
	c->passes = (uint32_t) windows;
	c->by_capacity = true;
	c->scope_bytes = c->table_bytes / windows;
}

/* Of what has been chosen: how many passes or windows, and of what size */
static void
choose_passes(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
			  GpuAggStrategyChoice *c)
{
	const uint32_t passes = (uint32_t) fmin(passes_of(c->table_bytes, c->scope_bytes),
											GPUAGG_MAX_HASH_WINDOWS);
	const double scope = in->scope_bytes > 0 ? in->scope_bytes : rates->tlb_bytes;

	switch (c->strategy)
	{
		case GPUAGG_STRATEGY_MULTI_PASS_COPY:
			c->kept_passes = passes;
			break;
		case GPUAGG_STRATEGY_MULTI_PASS_NAIVE:
			/* a device that would choose by itself does so in each pass */
			c->passes = passes;
			c->within = GPUAGG_STRATEGY_AUTO;
			break;
		case GPUAGG_STRATEGY_SPATIAL:
			c->windows = spatial_windows(rates, c->table_bytes, scope);
			c->scope_bytes = c->table_bytes / c->windows;
			break;
		default:
			c->scope_bytes = c->table_bytes;
			break;
	}
}

/*
 * Records, words twice, and rows of groups: without room for them there would be windows, each with
 * all its groups.
 */
static bool
sorting_fits(const GpuAggStrategyInput *in)
{
	const double rows_bytes = (in->behind_ns > 0 ? in->left : in->groups) * in->entry_bytes;

	return in->memory_bytes <= 0 ||
		in->rows * (in->record_bytes + 2 * sort_word(in)) + rows_bytes <= in->memory_bytes;
}

static void
choose(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in, GpuAggStrategyChoice *c)
{
	GpuAggStrategy forced = gpuagg_strategy_possible(in->forced, in->possible);

	memset(c, 0, sizeof(*c));
	c->table_bytes = fmax(2 * in->groups * in->entry_bytes, in->entry_bytes);
	c->scope_bytes = choose_scope(rates, in, c->table_bytes);
	choose_radix(rates, in, c);
	predict_all(rates, in, c);
	c->strategy = forced != GPUAGG_STRATEGY_AUTO ? forced : fastest(rates, in, c->predicted_ns);
	c->within = c->strategy;
	c->passes = c->kept_passes = c->windows = 1;
	choose_passes(rates, in, c);
	fit_memory(rates, in, c);
}

void
gpuagg_strategy_choose(const GpuAggStrategyRates *rates, const GpuAggStrategyInput *in,
					   GpuAggStrategyChoice *c)
{
	GpuAggStrategyInput fitting = *in;

	if (!sorting_fits(in))
	{
		fitting.possible &= ~GPUAGG_STRATEGY_BIT(GPUAGG_STRATEGY_SORTED);
		fitting.behind_ns = 0;
	}
	choose(rates, &fitting, c);
}

/* ---------- while a task runs ---------- */

/*
 * Rows that hit d groups at random leave d (1 - exp(-rows / d)) found; solved
 * for d by bisection.  Groups that come in order have all rows ahead of them
 * to come: then too few are expected, and what is decided by it is decided
 * again.
 */
double
gpuagg_strategy_extrapolate(double rows, double seen, double total)
{
	double		low = seen;
	double		high = seen * 1e6;

	if (seen <= 0 || total <= rows)
		return seen;
	/* nearly all rows bring a new group: so will the others */
	if (seen >= rows * 0.999999)
		return total * fmin(seen / rows, 1);
	for (int i = 0; i < 100; i++)
	{
		double		d = (low + high) / 2;

		if (-d * expm1(-rows / d) < seen)
			low = d;
		else
			high = d;
	}
	return fmin(-low * expm1(-total / low), total);
}

uint32_t
gpuagg_strategy_split(double fit, double groups)
{
	double		k = fit > 0 ? ceil(groups * SPLIT_MARGIN / fit) : 2;

	return (uint32_t) joinable(fmax(2, fmin(k, SPLIT_MOST)));
}
