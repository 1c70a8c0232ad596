/*
 * lookup_text.c
 *		Look-ups as text.  A table's kind, and how a column lies in it, are part of the
 *		text; where they lie is an argument.  What finds no room among the arguments,
 *		and tables of slots, are read through their headers.
 */
#include "device/ops/eval.h"
#include "expressions.h"

/* The table that a register is; NULL: it is NULL */
static const GpuAggLookup *
table_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[reg - p->ncolumns];

	return c->state == GPUAGG_ST_VALUE ? gpuagg_lookup_of(gpuagg_const_bytes(p, c)) : NULL;
}

/* Number of a table of bits among the arguments; false: there is no room. */
static bool
table_number(GpuAggCodegenArgs *args, uint16_t reg, uint32_t *n)
{
	for (*n = 0; *n < args->ntables; ++*n)
		if (args->tables[*n] == reg)
			return true;
	if (*n == GPUAGG_CODEGEN_TABLES)
		return false;
	args->tables[args->ntables++] = reg;
	return true;
}

static bool
column_number(GpuAggCodegenArgs *args, const GpuAggInstr *ins, uint32_t *n)
{
	for (*n = 0; *n < args->nfetched; ++*n)
		if (args->fetched[*n].table == ins->b && args->fetched[*n].column == (uint32_t) ins->imm)
			return true;
	if (*n == GPUAGG_CODEGEN_FETCHED)
		return false;
	args->fetched[args->nfetched].table = ins->b;
	args->fetched[args->nfetched++].column = (uint32_t) ins->imm;
	return true;
}

static bool
write_bits(GpuAggWriter *w, const GpuAggInstr *ins, const GpuAggLookup *t)
{
	uint32_t	n;

	if (t->kind != GPUAGG_LOOKUP_DIRECT || !table_number(&w->args, ins->b, &n))
		return false;
	gpuagg_write_register(w, ins->a);
	gpuagg_write(w, "\t\tGPUAGG_DO_LOOKUP_BITS(%u, %u, %u)\n", gpuagg_write_number(w, ins->dst),
				 gpuagg_write_number(w, ins->a), n);
	return true;
}

static bool
write_fetch(GpuAggWriter *w, const GpuAggInstr *ins, const GpuAggLookup *t)
{
	const GpuAggLookupColumn *c = gpuagg_lookup_column(t, (uint32_t) ins->imm);
	const char *type = ins->op == GPUAGG_OP_FETCH_F64 ? "double" : "int64_t";
	uint32_t	n;

	if (!column_number(&w->args, ins, &n))
		return false;
	gpuagg_write_register(w, ins->a);
	gpuagg_write(w, "\t\tGPUAGG_DO_FETCH%s(%u, %s, %s, %u, %u)\n",
				 c->errors != 0 ? "_ERRORS" : c->nulls != 0 ? "_NULLS" : "",
				 gpuagg_write_number(w, ins->dst), type, c->width == 4 ? "int32_t" : type,
				 gpuagg_write_number(w, ins->a), n);
	return true;
}

bool
gpuagg_write_lookup(GpuAggWriter *w, const GpuAggInstr *ins)
{
	const GpuAggLookup *t;

	if (ins->op != GPUAGG_OP_LOOKUP && ins->op != GPUAGG_OP_FETCH_I64 &&
		ins->op != GPUAGG_OP_FETCH_F64)
		return false;
	t = table_of(w->program, ins->b);
	if (t == NULL)
		return false;
	return ins->op == GPUAGG_OP_LOOKUP ? write_bits(w, ins, t) : write_fetch(w, ins, t);
}

bool
gpuagg_lookup_is_short(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggLookup *t;

	if (ins->op == GPUAGG_OP_FETCH_I64 || ins->op == GPUAGG_OP_FETCH_F64)
		return true;
	if (ins->op != GPUAGG_OP_LOOKUP)
		return false;
	t = table_of(p, ins->b);
	return t == NULL || t->kind == GPUAGG_LOOKUP_DIRECT;
}
