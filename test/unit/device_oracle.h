/*
 * device_oracle.h
 *		What a task must answer, computed row by row on one thread with the
 *		scalar functions of page.h, eval.h and group.h (which have tests with
 *		known answers of their own), and the comparison with what a device
 *		gave.
 *
 * Input must stay where it is until the comparison: strings are not copied.
 */
#ifndef GPUAGG_DEVICE_ORACLE_H
#define GPUAGG_DEVICE_ORACLE_H

#include "device/ops/eval.h"
#include "device/ops/page.h"
#include "device/ops/stages.h"
#include "device_run.h"

#define ORACLE_BUCKETS (1u << 18)
#define ORACLE_MAX_OUTPUTS (GPUAGG_MAX_KEYS + 2 * GPUAGG_MAX_TRANSITIONS)

typedef struct OracleGroup
{
	struct OracleGroup *next;	/* of this bucket */
	char	   *key;			/* oracle_key's bytes */
	uint32_t	key_bytes;
	uint32_t	seen;			/* in the results of which comparison */
	_Alignas(16) char row[];			/* states where the layout has them */
} OracleGroup;

typedef struct Oracle
{
	GpuAggProgram *p;
	GpuAggLayout layout;
	GpuAggSample sample;
	OracleGroup **buckets;
	uint32_t	ngroups;
	uint64_t	scanned;
	uint64_t	passed;
	GpuAggStages stages;
	uint64_t	left[GPUAGG_STAGES - 1];
	uint32_t	errors;			/* states of values consumed that were errors */
	bool		corrupt;
	uint32_t	comparisons;
	GpuAggRowRef *skipped;
	uint32_t	nskipped;
	uint32_t	max_skipped;
	GpuAggValue reg[GPUAGG_MAX_REGS];
	uint8_t		st[GPUAGG_MAX_REGS];
	char		key[1 << 16];
} Oracle;

/* A row's outputs (gpuagg_program_noutputs) */
typedef struct OracleRow
{
	GpuAggValue v[ORACLE_MAX_OUTPUTS];
	uint8_t		st[ORACLE_MAX_OUTPUTS];
} OracleRow;

/* ---------- groups ---------- */

/* Bytes of one key that are equal where the keys are. */
static inline uint32_t
oracle_key_part(char *to, uint32_t type, const GpuAggValue *v, uint8_t st)
{
	uint64_t	word;
	GpuAggBytes b;

	*to++ = (char) st;
	if (st != GPUAGG_ST_VALUE)
		return 1;
	if (gpuagg_key_class(type) == GPUAGG_CLASS_BYTES)
	{
		b = type == GPUAGG_T_BPCHAR ? gpuagg_bpchar_trim(v->b) : v->b;
		memcpy(to, &b.len, 8);
		if (b.len > 0)
			memcpy(to + 8, b.data, b.len);
		return 9 + (uint32_t) b.len;
	}
	word = gpuagg_key_class(type) == GPUAGG_CLASS_F64 ? gpuagg_key_word_f64(v->f) :
		(uint64_t) v->i;
	memcpy(to, &word, 8);
	return 9;
}

/* The group of o->key; added if it is new and that is wanted. */
static inline OracleGroup *
oracle_group(Oracle *o, uint32_t bytes, bool add)
{
	OracleGroup **at = &o->buckets[gpuagg_hash_bytes(o->key, bytes, 1) % ORACLE_BUCKETS];
	const GpuAggTransition *t = gpuagg_program_transitions(o->p);
	OracleGroup *g;

	for (g = *at; g != NULL; g = g->next)
		if (g->key_bytes == bytes && memcmp(g->key, o->key, bytes) == 0)
			return g;
	if (!add)
		return NULL;
	g = calloc(1, sizeof(*g) + o->layout.row_bytes);
	g->key = malloc(bytes + 1);
	memcpy(g->key, o->key, bytes);
	g->key_bytes = bytes;
	g->next = *at;
	*at = g;
	o->ngroups++;
	for (uint32_t i = 0; i < o->p->ntransitions; i++)
		gpuagg_state_init(t[i].op, g->row + o->layout.state_off[i]);
	return g;
}

static inline Oracle *
oracle_start(const TestProgram *p)
{
	Oracle	   *o = calloc(1, sizeof(*o));

	o->p = program_pack(p);
	o->buckets = calloc(ORACLE_BUCKETS, sizeof(*o->buckets));
	gpuagg_layout_compute(o->p, &o->layout);
	gpuagg_eval_constants(o->p, o->reg, o->st);
	gpuagg_stages_find(o->p, &o->stages);
	if (o->p->nkeys == 0 && !o->p->select)
		oracle_group(o, 0, true);
	return o;
}

static inline void
oracle_end(Oracle *o)
{
	for (uint32_t i = 0; i < ORACLE_BUCKETS; i++)
		for (OracleGroup *g = o->buckets[i]; g != NULL;)
		{
			OracleGroup *next = g->next;

			free(g->key);
			free(g);
			g = next;
		}
	free(o->buckets);
	free(o->skipped);
	free(o->p);
	free(o);
}

/* ---------- rows ---------- */

/* Is it a value?  An error is noted: it has been consumed. */
static inline bool
oracle_consume(Oracle *o, uint8_t st)
{
	if (GPUAGG_ST_IS_ERROR(st))
		o->errors |= st & ~(uint32_t) GPUAGG_ST_NULL;
	return st == GPUAGG_ST_VALUE;
}

/* first: the other argument of moments of two */
static inline void
oracle_step(Oracle *o, const GpuAggTransition *t, char *state, const GpuAggValue *first,
			const GpuAggValue *v)
{
	if (gpuagg_transition_is_string(t->op))
	{
		if (gpuagg_state_prefers(t->op, state, v->b))
			gpuagg_string_slot_store(state, v->b);
	}
	else if (t->op >= GPUAGG_TRANS_SUM_F64 && t->op <= GPUAGG_TRANS_SUM_F64_AVG)
	{
		if (t->op == GPUAGG_TRANS_SUM_F64_AVG && gpuagg_f64_needs_pg(v->f))
			o->errors |= GPUAGG_ST_NEEDS_PG;
		gpuagg_state_step_f64(t->op, state, v->f);
	}
	else if (t->op >= GPUAGG_TRANS_MOMENTS_F64)
	{
		if (gpuagg_f64_needs_pg(v->f))
			o->errors |= GPUAGG_ST_NEEDS_PG;
		if (t->op == GPUAGG_TRANS_MOMENTS_F64)
			gpuagg_moments_step((double *) state, v->f);
		else if (t->op == GPUAGG_TRANS_COMOMENTS_F64)
			gpuagg_comoments_step((double *) state, first->f, v->f);
	}
	else if (t->op == GPUAGG_TRANS_MIN_F64 || t->op == GPUAGG_TRANS_MAX_F64)
		gpuagg_state_step_f64(t->op, state, v->f);
	else
		gpuagg_state_step_i64(t->op, state, v->i);
}

static inline void
oracle_row(Oracle *o, const OracleRow *r)
{
	const GpuAggKey *keys = gpuagg_program_keys(o->p);
	const GpuAggTransition *t = gpuagg_program_transitions(o->p);
	uint32_t	bytes = 0;
	uint32_t	out;
	uint32_t	first = 0;
	OracleGroup *g;

	o->passed++;
	for (out = 0; out < o->p->nkeys; out++)
	{
		oracle_consume(o, r->st[out]);
		bytes += oracle_key_part(o->key + bytes, keys[out].type, &r->v[out], r->st[out]);
	}
	g = oracle_group(o, bytes, true);
	for (uint32_t i = 0; i < o->p->ntransitions; i++)
	{
		uint32_t	arg = out;
		bool		enters = true;

		out += t[i].arg != GPUAGG_NO_REG;
		if (t[i].filter != GPUAGG_NO_REG)
		{
			enters = oracle_consume(o, r->st[out]) && r->v[out].i != 0;
			out++;
		}
		if (enters && t[i].arg != GPUAGG_NO_REG)
			enters = oracle_consume(o, r->st[arg]);
		if (enters && t[i].op == GPUAGG_TRANS_COMOMENTS_F64)
			enters = oracle_consume(o, r->st[first]);
		if (enters)
			oracle_step(o, &t[i], g->row + o->layout.state_off[i], &r->v[first], &r->v[arg]);
		first = arg;
	}
}

/* ---------- pages ---------- */

static inline void
oracle_load(Oracle *o, const GpuAggAttr *a, GpuAggFetch fetch, const char *value, uint32_t len)
{
	GpuAggValue *v = &o->reg[a->reg];

	o->st[a->reg] = GPUAGG_ST_VALUE;
	if (fetch == GPUAGG_FETCH_MISSING && a->missing_const != GPUAGG_NO_REG)
	{
		*v = o->reg[a->missing_const];
		o->st[a->reg] = o->st[a->missing_const];
	}
	else if (fetch != GPUAGG_FETCH_VALUE)
		o->st[a->reg] = GPUAGG_ST_NULL;
	else if (test_type_class[a->type] == GPUAGG_CLASS_BYTES)
		v->b = (GpuAggBytes) {value, len};
	else if (test_type_class[a->type] == GPUAGG_CLASS_F64)
		v->f = gpuagg_load_f64(a->type, value);
	else
		v->i = gpuagg_load_i64(a->type, value);
}

/* Loads the columns of a tuple; VALUE unless it is toasted or corrupt. */
static inline GpuAggFetch
oracle_decode(Oracle *o, const GpuAggTuple *tuple)
{
	const GpuAggAttr *attrs = gpuagg_program_attrs(o->p);
	uint32_t	off = 0;

	for (uint32_t i = 0; i < o->p->nattrs; i++)
	{
		const char *value = NULL;
		uint32_t	len = 0;
		GpuAggFetch fetch = gpuagg_tuple_attr(tuple, &attrs[i], i, &off, &value, &len);

		if (fetch == GPUAGG_FETCH_CORRUPT ||
			(fetch == GPUAGG_FETCH_TOASTED && attrs[i].reg != GPUAGG_NO_REG))
			return fetch;
		if (attrs[i].reg != GPUAGG_NO_REG)
			oracle_load(o, &attrs[i], fetch, value, len);
	}
	return GPUAGG_FETCH_VALUE;
}

/* Runs the program over the loaded columns; false if the row does not pass. */
static inline bool
oracle_eval(Oracle *o, OracleRow *r)
{
	const GpuAggProgram *p = o->p;
	const GpuAggKey *keys = gpuagg_program_keys(p);
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint16_t	regs[ORACLE_MAX_OUTPUTS];
	uint32_t	n = 0;

	gpuagg_eval(p, 0, p->filter_instrs, o->reg, o->st);
	for (uint32_t s = 0; s + 1 < o->stages.n; s++)
		o->left[s] += gpuagg_stage_leaves(o->reg[o->stages.reg[s]].i, o->st[o->stages.reg[s]]);
	if (p->filter_reg != GPUAGG_NO_REG &&
		(!oracle_consume(o, o->st[p->filter_reg]) || o->reg[p->filter_reg].i == 0))
		return false;
	gpuagg_eval(p, p->filter_instrs, p->ninstrs, o->reg, o->st);
	for (uint32_t i = 0; i < p->nkeys; i++)
		regs[n++] = keys[i].reg;
	for (uint32_t i = 0; i < p->ntransitions; i++)
	{
		if (t[i].arg != GPUAGG_NO_REG)
			regs[n++] = t[i].arg;
		if (t[i].filter != GPUAGG_NO_REG)
			regs[n++] = t[i].filter;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		r->v[i] = o->reg[regs[i]];
		r->st[i] = o->st[regs[i]];
	}
	return true;
}

static inline void
oracle_skip(Oracle *o, uint32_t page, uint32_t line)
{
	if (o->nskipped == o->max_skipped)
	{
		o->max_skipped = o->max_skipped == 0 ? 64 : o->max_skipped * 2;
		o->skipped = realloc(o->skipped, o->max_skipped * sizeof(*o->skipped));
	}
	o->skipped[o->nskipped++] = (GpuAggRowRef) {page, line};
}

/* The row has passed the filter of a program that selects rows. */
static inline void
oracle_select(Oracle *o, uint32_t page, uint32_t line)
{
	o->passed++;
	oracle_skip(o, page, line | GPUAGG_ROW_PASSED);
}

static inline void
oracle_page(Oracle *o, const GpuAggPage *page, uint32_t number)
{
	static OracleRow r;

	if (!gpuagg_page_nlines_ok(page->nlines))
	{
		o->corrupt = true;
		return;
	}
	for (uint32_t line = 0; line < page->nlines; line++)
	{
		GpuAggTuple tuple;
		GpuAggLine	kind;
		GpuAggFetch fetch;

		if (!gpuagg_page_line_visible(page->visibility, line))
			continue;
		if (o->sample.method == GPUAGG_SAMPLE_BERNOULLI &&
			!gpuagg_sample_has_line(&o->sample, page->block, line + 1))
			continue;
		kind = gpuagg_page_tuple(page->page, line, &tuple);
		if (kind == GPUAGG_LINE_NONE)
			continue;
		fetch = kind == GPUAGG_LINE_CORRUPT ? GPUAGG_FETCH_CORRUPT : oracle_decode(o, &tuple);
		o->scanned++;
		if (fetch == GPUAGG_FETCH_CORRUPT)
			o->corrupt = true;
		else if (fetch == GPUAGG_FETCH_TOASTED)
			oracle_skip(o, number, line + 1);
		else if (oracle_eval(o, &r))
		{
			if (o->p->select)
				oracle_select(o, number, line + 1);
			else
				oracle_row(o, &r);
		}
	}
}

static inline void
oracle_list(Oracle *o, const GpuAggPage *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		oracle_page(o, &list[i], i);
}

/* ---------- comparison ---------- */

static inline int
row_ref_compare(const void *a, const void *b)
{
	const GpuAggRowRef *x = a;
	const GpuAggRowRef *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* The same rows, each exactly once? */
static inline bool
oracle_skipped_agree(const Oracle *o, Run *run)
{
	if (run->nskipped != o->nskipped || run->nskipped == 0)
		return run->nskipped == o->nskipped;
	qsort(run->skipped, run->nskipped, sizeof(*run->skipped), row_ref_compare);
	qsort(o->skipped, o->nskipped, sizeof(*o->skipped), row_ref_compare);
	return memcmp(run->skipped, o->skipped, run->nskipped * sizeof(*run->skipped)) == 0;
}

/* A string of a result: in its slot, or the next of those behind the row */
static inline GpuAggBytes
oracle_string(const char *slot, const char ***strings)
{
	GpuAggBytes b = gpuagg_string_slot_bytes(slot);

	if (gpuagg_string_slot_is_long(slot))
		b.data = *(*strings)++;
	return b;
}

/* Is the slot as layout.h says, up to the pointer of a long string? */
static inline bool
oracle_slot_tidy(const char *slot, GpuAggBytes b)
{
	char		want[sizeof(GpuAggStringSlot)];

	gpuagg_string_slot_store(want, b);
	return memcmp(slot, want, b.len <= GPUAGG_STRING_INLINE ? sizeof(want) :
				  offsetof(GpuAggStringSlot, u)) == 0;
}

/* A result's key i as a value; false if its slot is not as it should be. */
static inline bool
oracle_result_key(const Oracle *o, const char *at, uint32_t i, const char ***strings,
				  GpuAggValue *v, uint8_t *st)
{
	static const char zeros[16];
	uint32_t	type = gpuagg_program_keys(o->p)[i].type;
	uint32_t	bytes = gpuagg_type_slot_bytes(type);
	const char *slot = at + o->layout.key_off[i];
	uint32_t	head;
	int32_t		narrow;

	memcpy(&head, at, sizeof(head));
	*st = head >> i & 1 ? GPUAGG_ST_NULL : GPUAGG_ST_VALUE;
	if (*st == GPUAGG_ST_NULL)
		return memcmp(slot, zeros, bytes) == 0;
	if (gpuagg_key_is_string(type))
	{
		v->b = oracle_string(slot, strings);
		return oracle_slot_tidy(slot, v->b);
	}
	if (type == GPUAGG_T_UUID)
		v->b = (GpuAggBytes) {slot, 16};
	else if (bytes == 4)
	{
		memcpy(&narrow, slot, 4);
		v->i = narrow;
	}
	else
		memcpy(v, slot, 8);
	return true;
}

static inline OracleGroup *
oracle_result_group(Oracle *o, const char *at, const char ***strings)
{
	const GpuAggKey *keys = gpuagg_program_keys(o->p);
	uint32_t	bytes = 0;
	uint32_t	head;

	memcpy(&head, at, sizeof(head));
	if (head >> o->p->nkeys != 0)
		return NULL;
	for (uint32_t i = 0; i < o->p->nkeys; i++)
	{
		GpuAggValue v = {0};
		uint8_t		st;

		if (!oracle_result_key(o, at, i, strings, &v, &st))
			return NULL;
		bytes += oracle_key_part(o->key + bytes, keys[i].type, &v, st);
	}
	return oracle_group(o, bytes, false);
}

/*
 * They depend on the order of the rows by some roundings of 2^-53; the sum of products
 * by those of what it is made of, however small it is itself.
 */
static inline bool
oracle_moments_agree(const char *want, const char *got, uint32_t bytes)
{
	double		x[8];
	double		y[8];
	bool		agree = true;

	memcpy(x, want, bytes);
	memcpy(y, got, bytes);
	for (uint32_t i = 0; i < bytes / sizeof(*x); i++)
	{
		const double size = i == 5 ? x[2] + x[4] : x[i] < 0 ? -x[i] : x[i];

		if (tap_same_double(x[i], y[i]) ||
			(x[i] - y[i] <= 1e-9 * size && y[i] - x[i] <= 1e-9 * size))
			continue;
		printf("# word %u of moments of %g rows: %.17g, should be %.17g\n", i, x[0], y[i], x[i]);
		agree = false;
	}
	return agree;
}

static inline bool
oracle_state_agrees(const GpuAggTransition *t, const char *want, const char *got,
					const char ***strings)
{
	GpuAggBytes x;
	GpuAggBytes y;
	double		sums[2];

	if (t->op == GPUAGG_TRANS_SUM_F64 || t->op == GPUAGG_TRANS_SUM_F64_AVG)
	{
		memcpy(&sums[0], want, 8);
		memcpy(&sums[1], got, 8);
		return tap_same_double(sums[0], sums[1]);
	}
	if (t->op >= GPUAGG_TRANS_MOMENTS_F64)
		return oracle_moments_agree(want, got, gpuagg_transition_bytes(t->op));
	if (!gpuagg_transition_is_string(t->op))
		return memcmp(want, got, gpuagg_transition_bytes(t->op)) == 0;
	x = gpuagg_string_slot_bytes(want);
	y = gpuagg_string_slot_bytes(got);
	if (x.len == GPUAGG_STRING_NONE || y.len == GPUAGG_STRING_NONE)
		return x.len == y.len;
	y = oracle_string(got, strings);
	if (!oracle_slot_tidy(got, y))
		return false;
	if (t->op == GPUAGG_TRANS_MIN_BPCHAR || t->op == GPUAGG_TRANS_MAX_BPCHAR)
	{
		x = gpuagg_bpchar_trim(x);
		y = gpuagg_bpchar_trim(y);
	}
	return x.len == y.len && (x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
}

/* The group at `at`; says what is wrong with it. */
static inline bool
oracle_group_agrees(Oracle *o, const char *at, const char **strings)
{
	const GpuAggTransition *t = gpuagg_program_transitions(o->p);
	OracleGroup *g = oracle_result_group(o, at, &strings);

	if (g == NULL || g->seen == o->comparisons)
	{
		printf("# a group that %s\n", g == NULL ? "should not be there" : "came twice");
		return false;
	}
	g->seen = o->comparisons;
	for (uint32_t i = 0; i < o->p->ntransitions; i++)
		if (!oracle_state_agrees(&t[i], g->row + o->layout.state_off[i],
								 at + o->layout.state_off[i], &strings))
		{
			printf("# transition %u, operation %u, differs\n", i, t[i].op);
			return false;
		}
	return true;
}

static inline bool
oracle_groups_agree(Oracle *o, const Run *run)
{
	const char *at = run->results;
	const char *strings[GPUAGG_MAX_KEYS + GPUAGG_MAX_TRANSITIONS];

	o->comparisons++;
	for (uint32_t n = 0; n < run->groups; n++)
	{
		const char *next = group_next(at, &o->layout, gpuagg_program_keys(o->p),
									  gpuagg_program_transitions(o->p), strings);

		if (next > run->results + run->results_bytes || !oracle_group_agrees(o, at, strings))
			return false;
		at = next;
	}
	if (run->groups == o->ngroups && at == run->results + run->results_bytes)
		return true;
	printf("# %u groups, should be %u\n", run->groups, o->ngroups);
	return false;
}

/* Which statuses may a device give? */
static inline bool
oracle_status_agrees(const Oracle *o, const GpuAggError *error)
{
	if (error->status == GPUAGG_CORRUPT_PAGE)
		return o->corrupt;
	if (error->status == GPUAGG_VALUE_ERROR)
		return error->detail != 0 && (error->detail & ~o->errors) == 0;
	return error->status == GPUAGG_OK && !o->corrupt && o->errors == 0;
}

/* Is this run, finished or failed, what it should be? */
static inline bool
oracle_agrees(Oracle *o, Run *run)
{
	if (!oracle_status_agrees(o, &run->error))
	{
		printf("# status %d, detail %u, \"%s\"; corrupt: %d, errors: %u\n", run->error.status,
			   run->error.detail, run->error.message, o->corrupt, o->errors);
		return false;
	}
	if (run->error.status != GPUAGG_OK)
		return true;
	if (run->scanned != o->scanned || run->passed != o->passed)
	{
		printf("# rows scanned %llu of %llu, passed %llu of %llu\n",
			   (unsigned long long) run->scanned, (unsigned long long) o->scanned,
			   (unsigned long long) run->passed, (unsigned long long) o->passed);
		return false;
	}
	if (memcmp(run->left, o->left, sizeof(o->left)) != 0)
	{
		printf("# rows left by the first stages: %llu of %llu, %llu of %llu\n",
			   (unsigned long long) run->left[0], (unsigned long long) o->left[0],
			   (unsigned long long) run->left[1], (unsigned long long) o->left[1]);
		return false;
	}
	if (!oracle_skipped_agree(o, run))
	{
		printf("# rows listed: %u, should be %u\n", run->nskipped, o->nskipped);
		return false;
	}
	return oracle_groups_agree(o, run);
}

/* A task over a list of pages that the oracle has seen, compared */
static inline bool
oracle_compare(Oracle *o, const TestProgram *p, const GpuAggPage *list, uint32_t n,
			   const GpuAggTaskConfig *config, uint32_t batch, uint32_t in_flight)
{
	Run			run;
	bool		agree;

	if (run_begin(&run, p, config) && run_list(&run, list, n, batch, in_flight))
		run_finish(&run, 4096);
	agree = oracle_agrees(o, &run);
	run_end(&run);
	return agree;
}

static inline bool
oracle_run(const TestProgram *p, const GpuAggPage *list, uint32_t n,
		   const GpuAggTaskConfig *config, uint32_t batch, uint32_t in_flight)
{
	Oracle	   *o = oracle_start(p);
	bool		agree;

	o->sample = config->sample;
	oracle_list(o, list, n);
	agree = oracle_compare(o, p, list, n, config, batch, in_flight);
	oracle_end(o);
	return agree;
}

#endif							/* GPUAGG_DEVICE_ORACLE_H */
