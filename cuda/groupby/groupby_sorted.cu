/*
 * groupby_sorted.cu
 *		Grouping by sorting, its host side: bounds of keys, words, the sort, and rows of groups.
 *
 * What lies between two looks at counters is enqueued at once: bounds; words, their sort and the
 * number of groups; rows of groups and their states.  A sort is one call of CUB's, however long.
 */
#include <math.h>

#include "cuda/groupby/groupby_run.h"
#include "cuda/groupby/groupby_sort.h"
#include "device/ops/ordered_row.h"

/* Low bits that are not set; 0 of a number without any */
static uint32_t
unused_bits(uint64_t used)
{
	uint32_t	bits = 0;

	while (used != 0 && (used >> bits & 1) == 0)
		bits++;
	return bits;
}

/* Bits that a number below or at this has */
static uint32_t
bits_of(uint64_t number)
{
	uint32_t	bits = 0;

	while (number != 0)
	{
		bits++;
		number >>= 1;
	}
	return bits;
}

/* Does a step count all rows?  Sorted words tell how many these are. */
static bool
counts_all(const GpuAggGroupBy *s, const GpuAggTransition *t)
{
	return t->op == GPUAGG_TRANS_COUNT &&
		(!s->args.has_head || (t->filter == GPUAGG_NO_REG && t->arg == GPUAGG_NO_REG));
}

static uint64_t
counted_steps(const GpuAggGroupBy *s)
{
	const GpuAggTransition *trans = gpuagg_program_transitions(s->program);
	uint64_t	counted = 0;

	for (uint32_t i = 0; i < s->program->ntransitions; i++)
		if (counts_all(s, &trans[i]))
			counted |= UINT64_C(1) << i;
	return counted;
}

static uint64_t
all_steps(const GpuAggGroupBy *s)
{
	const uint32_t n = s->program->ntransitions;

	return n < 64 ? (UINT64_C(1) << n) - 1 : ~UINT64_C(0);
}

/* Is there anything that sorted words do not tell? */
static bool
has_states(const GpuAggGroupBy *s)
{
	return s->sort.counted != all_steps(s) || s->sort.left_out != 0;
}

static uint8_t
value_of(const GpuAggGroupBy *s)
{
	if (gpuagg_ordered_asked(&s->config.ordered))
		return s->config.ordered.key;
	return s->config.counted_key > 0 ? (uint8_t) (s->config.counted_key - 1) :
									   GPUAGG_SORT_NO_VALUE;
}

/* What is known before bounds are */
static void
shape_begin(const GpuAggGroupBy *s, GpuAggSortShape *shape)
{
	const GpuAggOrdered *wish = &s->config.ordered;

	memset(shape, 0, sizeof(*shape));
	shape->value = value_of(s);
	shape->wish = *wish;
	shape->counted = counted_steps(s);
	shape->counts_values = shape->value != GPUAGG_SORT_NO_VALUE && !gpuagg_ordered_asked(wish);
	if (!gpuagg_ordered_asked(wish))
		return;
	if ((shape->counted >> wish->count & 1) == 0)
		shape->left_out = 1u << (s->program->nkeys + wish->count);
	shape->counted |= UINT64_C(1) << wish->count;
}

/* ---------- bounds ---------- */

static GpuAggStatus
bounds_launch(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggSortBounds *bounds = &s->device->bounds;

	GROUPBY_CHECK(cudaMemsetAsync(bounds, 0, sizeof(*bounds), s->stream));
	GROUPBY_CHECK(cudaMemsetAsync(bounds->least, 0xFF, sizeof(bounds->least), s->stream));
	GROUPBY_CHECK(cudaMemsetAsync(bounds->low, 0x7F, sizeof(bounds->low), s->stream));
	shape_begin(s, &s->sort);
	GROUPBY_CHECK(gpuagg_cuda_groupby_bounds(&s->args, &s->sort, bounds, s->config.sms,
											 s->stream));
	s->phase = GPUAGG_GROUPBY_PHASE_BOUNDED;
	return gpuagg_groupby_ask(s, error);
}

/* ---------- words ---------- */

/* Doubles as multiples of what the lowest bit of them stands for, if their span is shorter then */
static void
shape_units(GpuAggSortKey *key, const GpuAggSortBounds *bounds, uint32_t i, uint64_t *span)
{
	const int	low = bounds->low[i];
	double		least;
	double		most;

	if (low < -GPUAGG_SORT_EXPONENTS || low > GPUAGG_SORT_EXPONENTS ||
		(bounds->zeros >> i & 1) != 0)
		return;
	least = ldexp(gpuagg_f64_unorder((int64_t) (bounds->least[i] ^ GPUAGG_SORT_SIGN)), -low);
	most = ldexp(gpuagg_f64_unorder((int64_t) (bounds->most[i] ^ GPUAGG_SORT_SIGN)), -low);
	if (fabs(least) >= GPUAGG_SORT_UNITS || fabs(most) >= GPUAGG_SORT_UNITS ||
		(uint64_t) ((int64_t) most - (int64_t) least) >= *span)
		return;
	key->unit = ldexp(1, low);
	key->per_unit = ldexp(1, -low);
	key->unused = 0;
	key->least = (uint64_t) (int64_t) least ^ GPUAGG_SORT_SIGN;
	*span = (uint64_t) ((int64_t) most - (int64_t) least);
}

/*
 * One key; false: its numbers need more than 64 bits, or its -0 would become 0, or, where equal
 * values are counted, would not.
 */
static bool
shape_key(GpuAggSortShape *shape, const GpuAggSortBounds *bounds, uint32_t i, bool f64)
{
	GpuAggSortKey *key = &shape->keys[i];
	const bool	empty = bounds->least[i] > bounds->most[i];
	uint64_t	span;

	key->unused = (uint8_t) unused_bits(bounds->used[i]);
	key->least = empty ? 0 : bounds->least[i] >> key->unused;
	span = empty ? 0 : (bounds->most[i] >> key->unused) - key->least;
	key->unit = key->per_unit = 0;
	if (!empty && f64)
		shape_units(key, bounds, i, &span);
	key->nullable = (bounds->nulls >> i & 1) != 0;
	key->null = key->nullable ? span + 1 : 0;
	key->bits = (uint8_t) bits_of(key->nullable ? key->null : span);
	return !(key->nullable && key->null == 0) &&
		((bounds->zeros >> i & 1) == 0 ||
		 (i == shape->value && shape->wish.nfractions > 0));
}

/* The value lowest, the others above it, the first one highest */
static void
shape_place(GpuAggSortShape *shape, uint32_t nkeys)
{
	shape->bits = shape->value_bits =
		shape->value != GPUAGG_SORT_NO_VALUE ? shape->keys[shape->value].bits : 0;
	for (uint32_t i = nkeys; i-- > 0;)
		if (i != shape->value)
		{
			shape->keys[i].shift = (uint8_t) shape->bits;
			shape->bits += shape->keys[i].bits;
		}
}

/* False: words would be too wide. */
static bool
shape_make(const GpuAggGroupBy *s, GpuAggSortShape *shape)
{
	for (uint32_t i = 0; i < s->program->nkeys; i++)
		if (!shape_key(shape, &s->report->bounds, i, s->args.fields[s->args.key_field[i]].f64))
			return false;
	shape_place(shape, s->program->nkeys);
	shape->word_bytes = shape->bits <= 32 ? 4 : shape->bits <= 64 ? 8 : 16;
	return shape->bits <= 128;
}

/* What sorting takes beside records: words twice, and CUB's */
typedef struct SortMemory
{
	void	   *words[2];
	void	   *cub;
	size_t		cub_bytes;
} SortMemory;

static void
sort_memory_give(GpuAggGroupBy *s, SortMemory *m)
{
	void	   *taken[] = {m->words[0], m->words[1], m->cub};

	for (int i = 0; i < 3; i++)
		if (taken[i] != NULL)
			gpuagg_groupby_give(s, taken[i]);
	memset(m, 0, sizeof(*m));
}

/* False: there is none, or *error tells more. */
static bool
sort_memory_take(GpuAggGroupBy *s, SortMemory *m, GpuAggError *error)
{
	const size_t bytes = s->args.n * s->sort.word_bytes;

	memset(m, 0, sizeof(*m));
	if (gpuagg_cuda_failed(NULL,
						   gpuagg_cuda_groupby_sort_bytes(&s->sort, s->args.n, &m->cub_bytes),
						   "bytes of a sort", __FILE__, __LINE__, error) != GPUAGG_OK)
		return false;
	m->words[0] = gpuagg_groupby_take(s, bytes, error);
	m->words[1] = gpuagg_groupby_take(s, bytes, error);
	m->cub = gpuagg_groupby_take(s, m->cub_bytes, error);
	if (m->words[0] != NULL && m->words[1] != NULL && m->cub != NULL)
		return true;
	sort_memory_give(s, m);
	return false;
}

static GpuAggStatus
words_launch(GpuAggGroupBy *s, SortMemory *m, GpuAggError *error)
{
	GROUPBY_CHECK(gpuagg_cuda_groupby_words(&s->args, &s->sort, m->words[0], s->config.sms,
											s->stream));
	if (!has_states(s))
		gpuagg_groupby_batches_read(s);
	GROUPBY_CHECK(gpuagg_cuda_groupby_sort(&s->sort, s->args.n, m->words, m->cub, m->cub_bytes,
										   &s->sorted.words, s->stream));
	m->words[s->sorted.words == m->words[0] ? 0 : 1] = NULL;
	sort_memory_give(s, m);
	GROUPBY_CHECK(gpuagg_cuda_groupby_count_sorted(&s->sort, s->sorted.words, s->args.n,
												   &s->device->bounds, s->config.sms, s->stream));
	s->phase = GPUAGG_GROUPBY_PHASE_SORTED;
	return gpuagg_groupby_ask(s, error);
}

/* ---------- rows of groups ---------- */

/* Where words begin that differ above so many bits; there are n of them. */
static GpuAggStatus
starts_list(GpuAggGroupBy *s, uint32_t bits, uint64_t n, const uint32_t **list, GpuAggError *error)
{
	uint32_t   *starts = (uint32_t *) gpuagg_groupby_take(s, n * sizeof(uint32_t), error);
	size_t		bytes;
	char	   *memory;

	if (starts == NULL)
		return error->status;
	*list = starts;
	GROUPBY_CHECK(gpuagg_cuda_groupby_starts_bytes(&s->sort, s->args.n, bits, &bytes));
	bytes = gpuagg_cuda_align(bytes);
	memory = (char *) gpuagg_groupby_take(s, bytes + sizeof(uint64_t), error);
	if (memory == NULL)
		return error->status;
	GROUPBY_CHECK(gpuagg_cuda_groupby_starts(&s->sort, s->sorted.words, s->args.n, bits, memory,
											 bytes, starts, (uint64_t *) (memory + bytes),
											 s->stream));
	gpuagg_groupby_give(s, memory);
	return GPUAGG_OK;
}

/* Where runs of equal words tell of values: those; of a mode the groups' votes, too */
static bool
has_runs(const GpuAggGroupBy *s)
{
	return s->sort.counts_values || s->sort.wish.mode != GPUAGG_MODE_NONE;
}

static GpuAggStatus
runs_launch(GpuAggGroupBy *s, GpuAggError *error)
{
	const size_t bytes = s->sorted.ngroups * sizeof(uint64_t);
	GpuAggStatus status;

	s->sorted.nruns = s->report->bounds.words;
	status = starts_list(s, 0, s->sorted.nruns, &s->sorted.runs, error);
	if (status != GPUAGG_OK || s->sort.counts_values)
		return status;
	s->sorted.modes = (uint64_t *) gpuagg_groupby_take(s, bytes, error);
	if (s->sorted.modes == NULL)
		return error->status;
	GROUPBY_CHECK(cudaMemsetAsync(s->sorted.modes, 0, bytes, s->stream));
	GROUPBY_CHECK(gpuagg_cuda_groupby_sorted_modes(&s->sort, &s->sorted, s->args.n, s->config.sms,
												   s->stream));
	return GPUAGG_OK;
}

/* Rows that all groups become, at most */
static uint64_t
most_rows(const GpuAggGroupBy *s)
{
	const uint64_t of_group = gpuagg_ordered_asked(&s->sort.wish) ?
		gpuagg_ordered_pieces(&s->sort.wish) :
		1;
	const uint64_t groups = s->sorted.ngroups;

	return groups > s->args.n / of_group ? s->args.n : groups * of_group;
}

static bool
rows_memory(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggGroupByPiece *piece = &s->pieces[s->npieces];

	piece->capacity = most_rows(s);
	piece->groups = 0;
	piece->rows = s->sorted.rows = (char *) gpuagg_groupby_take(
		s, piece->capacity * s->args.row_bytes, error);
	if (s->sorted.rows == NULL)
		return false;
	s->npieces++;
	return true;
}

/* How rows find their groups, for states other than counts */
static bool
places_memory(GpuAggGroupBy *s, GpuAggError *error)
{
	const uint64_t groups = s->sorted.ngroups;

	if (!has_states(s))
		return true;
	s->sorted.firsts = gpuagg_groupby_take(s, groups * s->sort.word_bytes, error);
	s->sorted.places = (uint64_t *) gpuagg_groupby_take(s, groups * sizeof(uint64_t), error);
	if (s->sort.left_out != 0)
		s->sorted.null_places = (uint64_t *) gpuagg_groupby_take(s, groups * sizeof(uint64_t),
																 error);
	return s->sorted.firsts != NULL && s->sorted.places != NULL &&
		(s->sort.left_out == 0 || s->sorted.null_places != NULL);
}

/* Rows enter the states of their groups; records are read for the last time. */
static GpuAggStatus
states_launch(GpuAggGroupBy *s, GpuAggError *error)
{
	GROUPBY_CHECK(gpuagg_cuda_groupby_sorted_states(
		&s->args, &s->sort, &s->sorted, s->prepared->stride - s->prepared->states_off,
		s->config.sms, s->stream));
	gpuagg_groupby_batches_read(s);
	gpuagg_groupby_give(s, s->sorted.firsts);
	gpuagg_groupby_give(s, s->sorted.places);
	if (s->sorted.null_places != NULL)
		gpuagg_groupby_give(s, s->sorted.null_places);
	return GPUAGG_OK;
}

static GpuAggStatus
rows_launch(GpuAggGroupBy *s, GpuAggError *error)
{
	GpuAggStatus status;

	s->sorted.ngroups = s->report->bounds.groups;
	status = starts_list(s, s->sort.value_bits, s->sorted.ngroups, &s->sorted.starts, error);
	if (status == GPUAGG_OK && has_runs(s))
		status = runs_launch(s, error);
	if (status != GPUAGG_OK)
		return status;
	s->report->head.groups = 0;
	status = gpuagg_groupby_put(s, error);
	if (status != GPUAGG_OK)
		return status;
	if (!rows_memory(s, error) || !places_memory(s, error))
		return error->status;
	GROUPBY_CHECK(gpuagg_cuda_groupby_sorted_rows(&s->args, &s->sort, &s->sorted, s->config.sms,
												  s->stream));
	gpuagg_groupby_give(s, (void *) s->sorted.words);
	gpuagg_groupby_give(s, (void *) s->sorted.starts);
	if (has_runs(s))
		gpuagg_groupby_give(s, (void *) s->sorted.runs);
	if (s->sorted.modes != NULL)
		gpuagg_groupby_give(s, s->sorted.modes);
	if (has_states(s))
		status = states_launch(s, error);
	if (status != GPUAGG_OK)
		return status;
	s->phase = GPUAGG_GROUPBY_PHASE_MAIN;
	return gpuagg_groupby_ask(s, error);
}

/* ---------- what is next ---------- */

/* Rows are grouped in partitions instead. */
static GpuAggStatus
not_sorted(GpuAggGroupBy *s, GpuAggError *error)
{
	s->config.strategy = GPUAGG_GROUPBY_PARTITIONED;
	return gpuagg_groupby_measure(s, error);
}

/* Words are too wide, or there is no memory for them: records are there still. */
static GpuAggStatus
words_begin(GpuAggGroupBy *s, GpuAggError *error)
{
	SortMemory	memory;

	if (!shape_make(s, &s->sort))
		return not_sorted(s, error);
	if (sort_memory_take(s, &memory, error))
		return words_launch(s, &memory, error);
	if (error->status != GPUAGG_OUT_OF_MEMORY)
		return error->status;
	memset(error, 0, sizeof(*error));
	return not_sorted(s, error);
}

GpuAggStatus
gpuagg_groupby_sorted_step(GpuAggGroupBy *s, GpuAggError *error)
{
	switch (s->phase)
	{
		case GPUAGG_GROUPBY_PHASE_PACKED:
			/* starts are numbers of 32 bits */
			if (s->args.n == 0 || s->args.n > UINT32_MAX)
				return not_sorted(s, error);
			return bounds_launch(s, error);
		case GPUAGG_GROUPBY_PHASE_BOUNDED:
			return words_begin(s, error);
		case GPUAGG_GROUPBY_PHASE_SORTED:
			return rows_launch(s, error);
		default:
			s->pieces[s->npieces - 1].groups = s->report->head.groups;
			s->phase = GPUAGG_GROUPBY_PHASE_DONE;
			return GPUAGG_OK;
	}
}
