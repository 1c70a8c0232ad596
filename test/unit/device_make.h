/*
 * device_make.h
 *		Look-up tables that a device makes of the test table's stripes, and programs that look rows
 *		up in them: what device_make_cases.c and device_fold_cases.c share.
 */
#ifndef DEVICE_MAKE_H
#define DEVICE_MAKE_H

#include "device_stripe_table.h"

#define MADE (OPS->made)

/* The columns of some pages' rows as they are */
static inline GpuAggStripe *
stripe_of_pages(uint32_t first, uint32_t n)
{
	static TestProgram p;
	GpuAggStripe *stripe;

	program_columns(&p, WANT(COL_A) | WANT(COL_V) | WANT(COL_D));
	program_key(&p, col[COL_A], GPUAGG_T_INT4);
	program_trans(&p, GPUAGG_TRANS_COUNT, NONE, NONE, 0);
	stripe = stripe_create(lines_of(first, n));
	ok(stripe != NULL && stripe_add_loaded(stripe, &p), "columns of a table");
	keep_nothing();
	keep_pages(stripe, first, n, 0);
	ok(table_kept(&p), "are kept");
	return stripe;
}

static inline GpuAggStripe *
stripe_of_rows(void)
{
	return stripe_of_pages(0, npages);
}

/*
 * The table that the program makes of n stripes, at once or one behind the other; NULL: the task
 * failed, as run->error tells
 */
static inline GpuAggMade *
run_making(Run *run, const TestProgram *p, const GpuAggTaskConfig *config,
		   GpuAggStripe *const *stripes, uint32_t n, bool by_turns)
{
	GpuAggMade *made = NULL;
	GpuAggError error;
	bool		good = run_begin(run, p, config);

	for (uint32_t i = 0; i < n; i++)
		good = good && run_resident(run, stripes[i], NULL, 0) && (!by_turns || run_collect(run, 1));
	if (good && run_collect(run, by_turns ? 0 : n))
	{
		while (!OPS->task_finish(run->task, &run->error))
			await_event();
		if (run->error.status == GPUAGG_OK)
			(void) MADE->take(run->task, &made, &run->error);
	}
	error = run->error;
	run_end(run);
	run->error = error;
	return made;
}

/* The header as a constant, as programs name the table */
static inline uint16_t
const_made(TestProgram *p, const GpuAggMade *made)
{
	const GpuAggLookup *head = MADE->head(made);
	const uint32_t bytes = (uint32_t) gpuagg_lookup_head_bytes(head);
	const uint16_t reg = program_const_i64(p, GPUAGG_T_TEXT, 0);
	GpuAggConst *c = &p->consts[p->head.nconsts - 1];
	GpuAggLookup *here = (GpuAggLookup *) (p->tables + p->table_bytes);

	memcpy(here, head, bytes);
	here->made = 1;
	c->len = bytes;
	c->v.off = offsetof(TestProgram, tables) + p->table_bytes;
	p->table_bytes += bytes;
	return reg;
}

static inline uint16_t
fetch(TestProgram *p, uint32_t op, uint16_t row, uint16_t table, int32_t column)
{
	p->instrs[p->head.ninstrs].imm = column;
	return program_instr(p, op, op == GPUAGG_OP_FETCH_F64 ? GPUAGG_CLASS_F64 : GPUAGG_CLASS_I64,
						 row, table);
}

static inline bool
run_over(Run *run, const TestProgram *p, const GpuAggTaskConfig *config, GpuAggStripe *stripe)
{
	return run_begin(run, p, config) && run_resident(run, stripe, NULL, 0) && run_collect(run, 1) &&
		run_finish(run, 4096);
}

#endif							/* DEVICE_MAKE_H */
