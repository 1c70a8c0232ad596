/*
 * device_table.h
 *		A test table over many pages of the arena, as plain or as odd as a
 *		heap can be, and programs over it.
 */
#ifndef GPUAGG_DEVICE_TABLE_H
#define GPUAGG_DEVICE_TABLE_H

#include "device_run.h"

/* Columns of the test table: a int4, t text, v int8, d float8, c text */
enum
{
	COL_A, COL_T, COL_V, COL_D, COL_C, NCOLS
};

typedef enum RowToast
{
	NOT_TOASTED, EXTERNAL, COMPRESSED
} RowToast;

typedef struct Row
{
	int32_t		a;
	int64_t		v;
	double		d;
	bool		a_null;
	bool		v_null;
	uint8_t		natts;			/* 0: all of them */
	RowToast	toast;			/* of t */
	char		t[100];
} Row;

static Row *rows;
static uint32_t nrows;
static uint32_t npages;

/* What a device is given, and which row a line holds */
static GpuAggPage page_list[ARENA_PAGES];
static uint8_t page_visibility[ARENA_PAGES][GPUAGG_VISIBILITY_BYTES];
static uint32_t line_row[ARENA_PAGES][GPUAGG_MAX_LINES];

/* Unused, dead and redirected lines among the rows? */
static bool table_odd_lines;

static inline TestValue
row_text(const Row *r, char *buf)
{
	uint32_t	len = (uint32_t) strlen(r->t);

	if (r->toast == EXTERNAL)
		return external_text(buf);
	if (r->toast == COMPRESSED)
		return long_text(buf, r->t, len, 2);
	return len % 3 ? short_text(buf, r->t, len) : long_text(buf, r->t, len, 0);
}

static inline void
page_add_odd_line(TestPage *page)
{
	static const uint8_t flags[] = {0, 2, 3};

	if (page->nlines < 280 && page->upper > GPUAGG_PAGE_HEADER_BYTES + 4 * (page->nlines + 2))
		page_add_line(page, flags[random_next() % 3], random_next() % 4096);
}

static inline void
table_add(uint32_t row)
{
	const Row  *r = &rows[row];
	uint32_t	natts = r->natts == 0 ? NCOLS : r->natts;
	char		t[128];
	char		c[64];
	TestValue	values[NCOLS] = {
		{r->a_null ? NULL : &r->a, 4, 4},
		row_text(r, t),
		{r->v_null ? NULL : &r->v, 8, 8},
		{&r->d, 8, 8},
		short_text(c, "constant", 8)
	};

	while (npages == 0 || !page_add(&pages[npages - 1], values, natts))
		page_init(&pages[npages++]);
	line_row[npages - 1][pages[npages - 1].nlines - 1] = row;
	if (table_odd_lines && random_next() % 8 == 0)
		page_add_odd_line(&pages[npages - 1]);
}

/* Lays the rows out, and lists the pages as wholly visible. */
static inline void
table_build(void)
{
	npages = 0;
	for (uint32_t i = 0; i < nrows; i++)
		table_add(i);
	for (uint32_t i = 0; i < npages; i++)
		page_list[i] = (GpuAggPage) {.page = pages[i].bytes,.nlines = pages[i].nlines,.block = i};
}

/*
 * Bitmaps at random for most pages, also over lines that hold no tuple; a few
 * pages have got lines since their count was read.
 */
static inline void
table_hide_rows(void)
{
	for (uint32_t i = 0; i < npages; i++)
	{
		if (random_next() % 4 == 0)
			continue;
		for (uint32_t k = 0; k < GPUAGG_VISIBILITY_BYTES; k++)
			page_visibility[i][k] = (uint8_t) random_next();
		page_list[i].visibility = page_visibility[i];
		if (random_next() % 8 == 0)
			page_list[i].nlines /= 2;
	}
}

static inline void
row_set_text(Row *r)
{
	snprintf(r->t, sizeof(r->t), r->a % 2 ? "%d" : "%d is a longer string", r->a);
}

/*
 * n rows of about `groups` keys; of ten rows, `skew` have key 3, or rows of
 * one key follow each other, or keys come in turn.
 */
#define CLUSTERED 11
#define IN_TURN 12
static inline void
table_make(uint32_t n, uint32_t groups, uint32_t skew)
{
	free(rows);
	nrows = n;
	rows = calloc(n, sizeof(*rows));
	for (uint32_t i = 0; i < n; i++)
	{
		Row		   *r = &rows[i];

		r->a = (int32_t) (random_next() % groups);
		if (skew == CLUSTERED)
			r->a = (int32_t) ((uint64_t) i * groups / n);
		else if (skew == IN_TURN)
			r->a = (int32_t) (i * UINT64_C(2654435761) % groups);
		else if (i % 10 < skew)
			r->a = 3;
		r->a_null = r->a == 7;
		r->v = (int64_t) random_next();
		r->v_null = r->v % 11 == 0;
		r->d = (double) (r->v % 1000) / 64;
		row_set_text(r);
	}
	table_build();
}

static inline void
table_free(void)
{
	free(rows);
	rows = NULL;
}

/* The whole table in batches of 40 pages, six in flight */
static inline bool
run_feed(Run *run)
{
	return run_list(run, page_list, npages, 40, 6);
}

/* All of it; false with run->error set. */
static inline bool
run_task(Run *run, const TestProgram *p, const GpuAggTaskConfig *config, size_t buffer_bytes)
{
	return run_begin(run, p, config) && run_feed(run) && run_finish(run, buffer_bytes);
}

static inline bool
run_all(Run *run, const TestProgram *p, size_t buffer_bytes)
{
	return run_task(run, p, &plain_config, buffer_bytes);
}

/* ---------- programs ---------- */

static uint16_t col[NCOLS];

static inline void
program_columns(TestProgram *p, uint32_t wanted)
{
	static const uint8_t types[NCOLS] = {GPUAGG_T_INT4, GPUAGG_T_TEXT, GPUAGG_T_INT8,
	GPUAGG_T_FLOAT8, GPUAGG_T_TEXT};

	program_init(p);
	for (int i = 0; i < NCOLS && wanted >> i != 0; i++)
		col[i] = program_attr(p, types[i], wanted >> i & 1);
}

#define WANT(c) (1u << (c))
#define NONE GPUAGG_NO_REG

/* Every kind of number by key a */
static inline void
program_standard(TestProgram *p)
{
	program_columns(p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(p, col[COL_A], GPUAGG_T_INT4);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_COUNT, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_SUM_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
	program_trans(p, GPUAGG_TRANS_MIN_I64, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MAX_F64, col[COL_D], NONE, GPUAGG_T_FLOAT8);
}

/* A text key, a number, and the least and greatest text, which is the key */
static inline void
program_texts(TestProgram *p)
{
	program_columns(p, WANT(COL_T) | WANT(COL_V));
	program_key(p, col[COL_T], GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	program_trans(p, GPUAGG_TRANS_SUM_I128, col[COL_V], NONE, GPUAGG_T_INT8);
	program_trans(p, GPUAGG_TRANS_MIN_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
	program_trans(p, GPUAGG_TRANS_MAX_BYTES, col[COL_T], NONE, GPUAGG_T_TEXT);
}

#endif							/* GPUAGG_DEVICE_TABLE_H */
