/*
 * host_answer.c
 *		Which groups of a finished task are wanted.
 *
 * Each thread keeps the words (answer_row.h) of the first groups that it has seen: when
 * there are twice as many as are wanted, the later half goes, and what comes after
 * those that stay is not looked at any more.  So nearly every group is turned down by
 * its first word.  At the end the first of all threads' are the answer.
 *
 * If the last word is the group's position, these are the very groups that are
 * wanted.  Else, and where strings may be cut, groups may be equal to the last one, and
 * all that come up to it are returned, by another look at each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_answer.h"
#include "host/host_dictionary.h"

/* Looked for are no more than so many: beyond, all groups are returned. */
#define ANSWER_MOST 65536

/* Words are thrown away in lots of at least so many groups. */
#define ANSWER_LEAST_LOT 512

static bool
is_searched(const GpuAggHostAnswer *a)
{
	return a->plan.nwords > 0 && a->plan.first > 0 && a->plan.first <= ANSWER_MOST;
}

/* Groups that a thread keeps before it throws some away */
static size_t
lot(const GpuAggHostAnswer *a)
{
	return 2 * a->plan.first > ANSWER_LEAST_LOT ? 2 * (size_t) a->plan.first : ANSWER_LEAST_LOT;
}

static size_t
lot_bytes(const GpuAggHostAnswer *a)
{
	return lot(a) * a->plan.nwords * sizeof(uint64_t);
}

bool
gpuagg_host_answer_init(GpuAggHostAnswer *a, const GpuAggAnswer *answer,
						const GpuAggProgram *program, GpuAggMemory *memory,
						uint32_t threads)
{
	memset(a, 0, sizeof(*a));
	a->memory = memory;
	a->threads = threads;
	if (gpuagg_answer_wants_all(answer))
		return true;
	gpuagg_answer_plan(answer, program, &a->plan);
	if (!is_searched(a))
		return true;
	a->candidates = gpuagg_memory_alloc(memory, threads * sizeof(GpuAggCandidates));
	if (a->candidates != NULL)
		memset(a->candidates, 0, threads * sizeof(GpuAggCandidates));
	return a->candidates != NULL;
}

void
gpuagg_host_answer_free(GpuAggHostAnswer *a)
{
	for (uint32_t i = 0; a->candidates != NULL && i < a->threads; i++)
		if (a->candidates[i].words != NULL)
			gpuagg_memory_free(a->memory, a->candidates[i].words, lot_bytes(a));
	if (a->positions != NULL)
		gpuagg_memory_free(a->memory, a->positions, a->plan.first * sizeof(uint64_t));
	if (a->candidates != NULL)
		gpuagg_memory_free(a->memory, a->candidates, a->threads * sizeof(GpuAggCandidates));
	a->candidates = NULL;
	a->positions = NULL;
}

void
gpuagg_host_answer_all(GpuAggHostAnswer *a)
{
	gpuagg_host_answer_free(a);
	memset(&a->plan, 0, sizeof(a->plan));
}

bool
gpuagg_host_answer_looks(const GpuAggHostAnswer *a)
{
	return a->candidates != NULL || a->plan.nsums > 0;
}

void
gpuagg_host_answer_begin(GpuAggHostAnswer *a, GpuAggDictionary *const *dictionaries)
{
	for (uint32_t i = 0; i < a->plan.ntexts; i++)
	{
		const GpuAggDictionary *d = dictionaries[a->plan.text_columns[i]];

		a->plan.texts[i].starts = d->starts;
		a->plan.texts[i].bytes = d->bytes;
	}
}

/* ---------- the first of many ---------- */

static int
compare_words(const uint64_t *x, const uint64_t *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void
swap_words(uint64_t *x, uint64_t *y, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t v = x[i];

		x[i] = y[i];
		y[i] = v;
	}
}

/* Hoare's partition around the middle one: [low, j] are no greater than what follows. */
static size_t
partition(uint64_t *words, size_t low, size_t high, uint32_t nwords)
{
	uint64_t	pivot[GPUAGG_ANSWER_WORDS];
	size_t		i = low;
	size_t		j = high;

	memcpy(pivot, words + (low + (high - low) / 2) * nwords, nwords * sizeof(uint64_t));
	for (;; i++, j--)
	{
		while (compare_words(words + i * nwords, pivot, nwords) < 0)
			i++;
		while (compare_words(words + j * nwords, pivot, nwords) > 0)
			j--;
		if (i >= j)
			return j;
		swap_words(words + i * nwords, words + j * nwords, nwords);
	}
}

/* The first k of n groups come to the front, the last of them as number k. */
static void
select_first(uint64_t *words, size_t n, size_t k, uint32_t nwords)
{
	size_t		low = 0;
	size_t		high = n - 1;

	while (low < high)
	{
		const size_t j = partition(words, low, high, nwords);

		if (k - 1 <= j)
			high = j;
		else
			low = j + 1;
	}
}

/* ---------- a thread's ---------- */

static bool
candidates_alloc(GpuAggHostAnswer *a, GpuAggCandidates *c)
{
	if (c->words == NULL)
		c->words = gpuagg_memory_alloc(a->memory, lot_bytes(a));
	if (c->words == NULL)
		atomic_store(&a->all, true);
	return c->words != NULL;
}

/* The group's words behind the others'; false: it comes after the bound. */
static bool
candidate_words(const GpuAggHostAnswer *a, const GpuAggCandidates *c, const char *row,
				uint64_t position, uint64_t *words)
{
	bool		open = c->full;	/* equal to the bound so far */

	for (uint32_t i = 0; i < a->plan.nwords; i++)
	{
		words[i] = gpuagg_answer_word(&a->plan, i, row, position);
		if (open && words[i] > c->bound[i])
			return false;
		open = open && words[i] == c->bound[i];
	}
	return true;
}

static void
candidates_cut(const GpuAggHostAnswer *a, GpuAggCandidates *c)
{
	const uint32_t nwords = a->plan.nwords;
	const size_t first = (size_t) a->plan.first;

	select_first(c->words, c->n, first, nwords);
	memcpy(c->bound, c->words + (first - 1) * nwords, nwords * sizeof(uint64_t));
	c->full = true;
	c->n = first;
}

static void
candidate_add(const GpuAggHostAnswer *a, GpuAggCandidates *c, const char *row,
			  uint64_t position)
{
	if (!candidate_words(a, c, row, position, c->words + c->n * a->plan.nwords))
		return;
	c->n++;
	if (c->n == lot(a))
		candidates_cut(a, c);
}

bool
gpuagg_host_answer_table(GpuAggHostAnswer *a, uint32_t thread, uint32_t table,
						 const GpuAggTable *t, const GpuAggRegroupingPlan *plan, char *made,
						 GpuAggError *error)
{
	GpuAggCandidates *c = a->candidates != NULL ? &a->candidates[thread] : NULL;
	const bool	search = c != NULL && candidates_alloc(a, c);

	for (uint32_t i = 0; i < t->nrows; i++)
	{
		const char *row = gpuagg_table_row(t, i);

		if (plan != NULL)
		{
			gpuagg_regrouping_row(plan, row, made);
			row = made;
		}
		if (!gpuagg_answer_finite(&a->plan, row))
		{
			error->status = GPUAGG_VALUE_ERROR;
			error->detail = GPUAGG_ST_NEEDS_PG;
			snprintf(error->message, sizeof(error->message),
					 "a floating-point sum is not finite");
			return false;
		}
		if (search && gpuagg_answer_passes(&a->plan, row))
			candidate_add(a, c, row, gpuagg_host_position(table, i));
	}
	return true;
}

/* ---------- all threads' ---------- */

static size_t
count_candidates(const GpuAggHostAnswer *a)
{
	size_t		n = 0;

	for (uint32_t i = 0; i < a->threads; i++)
		n += a->candidates[i].n;
	return n;
}

static int
compare_positions(const void *x, const void *y)
{
	const uint64_t p = *(const uint64_t *) x;
	const uint64_t q = *(const uint64_t *) y;

	return p < q ? -1 : p > q;
}

/* Are words so that no two groups have the same?  Strings that are cut may be. */
static bool
has_positions(const GpuAggHostAnswer *a)
{
	return a->plan.words[a->plan.nwords - 1].part == GPUAGG_WORD_POSITION && a->plan.ncuts == 0;
}

/* n groups, as words, are the answer. */
static void
settle_positions(GpuAggHostAnswer *a, const uint64_t *words, size_t n)
{
	a->positions = gpuagg_memory_alloc(a->memory, a->plan.first * sizeof(uint64_t));
	if (a->positions == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		a->positions[i] = words[(i + 1) * a->plan.nwords - 1];
	a->npositions = n;
	qsort(a->positions, n, sizeof(uint64_t), compare_positions);
}

void
gpuagg_host_answer_settle(GpuAggHostAnswer *a)
{
	const uint32_t nwords = a->plan.nwords;
	const size_t group = nwords * sizeof(uint64_t);
	const size_t n = a->candidates != NULL && !atomic_load(&a->all) ? count_candidates(a) : 0;
	const size_t first = n < a->plan.first ? n : (size_t) a->plan.first;
	uint64_t   *words;
	size_t		at = 0;

	if (n == 0)
		return;
	words = gpuagg_memory_alloc(a->memory, n * group);
	if (words == NULL)
		return;
	for (uint32_t i = 0; i < a->threads; i++)
	{
		const GpuAggCandidates *c = &a->candidates[i];

		if (c->n > 0)
			memcpy(words + at * nwords, c->words, c->n * group);
		at += c->n;
	}
	select_first(words, n, first, nwords);
	if (has_positions(a))
		settle_positions(a, words, first);
	else if (first == a->plan.first)
	{
		memcpy(a->last, words + (first - 1) * nwords, group);
		a->bounded = true;
	}
	gpuagg_memory_free(a->memory, words, n * group);
}
