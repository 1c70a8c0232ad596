/*
 * takes.c
 *		Which programs are text, and in which frames.
 */
#include "device/ops/eval.h"
#include "device/ops/instr.h"
#include "device/ops/record.h"
#include "expressions.h"

/* Instructions beyond which a text takes too long to compile */
#define MAX_INSTRS 256

/* Constants in IN lists are none of a text's. */
static bool
counts_fit(const GpuAggProgram *p)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	uint32_t	members = 0;
	uint32_t	lists = 0;

	for (uint32_t i = 0; i < p->ninstrs; i++)
		if (gpuagg_has_list(&ins[i]))
		{
			members += (uint32_t) ins[i].imm2;
			lists++;
		}
	return lists <= GPUAGG_CODEGEN_LISTS && p->ninstrs <= MAX_INSTRS &&
		p->nconsts <= GPUAGG_CODEGEN_CONSTS + members;
}

/* Rows of a look-up table whose strings are looked through, at most */
#define LOOKED_THROUGH (UINT64_C(1) << 20)

/* Is a string of a look-up table's column too long? */
static bool
fetched_fits(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[ins->b - p->ncolumns];
	const GpuAggLookupColumn *column;
	const GpuAggLookup *t;
	bool		fits = true;

	if (c->state != GPUAGG_ST_VALUE || c->len < GPUAGG_CODEGEN_STRING)
		return true;
	t = gpuagg_lookup_of(gpuagg_const_bytes(p, c));
	column = gpuagg_lookup_column(t, (uint32_t) ins->imm);
	if (t->nrows > LOOKED_THROUGH)
		return false;
	for (uint64_t row = 0; fits && row < t->nrows; row++)
		fits = gpuagg_lookup_string(t, column, row).len < GPUAGG_CODEGEN_STRING;
	return fits;
}

/*
 * Have strings that the program brings a handle, if one may be a minimum or maximum
 * (cuda/frame/handle.cuh)?  Those of pages are short enough.
 */
static bool
strings_fit(const GpuAggProgram *p)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);
	uint8_t		tables[GPUAGG_MAX_REGS] = {0};
	bool		fit = true;

	if (!gpuagg_program_has_lock(p))
		return true;
	for (uint32_t i = 0; i < p->ninstrs; i++)
	{
		if (ins[i].op == GPUAGG_OP_FETCH_BYTES)
			fit &= fetched_fits(p, &ins[i]);
		if (gpuagg_instr_table(&ins[i]) != GPUAGG_NO_REG)
			tables[gpuagg_instr_table(&ins[i])] = 1;
	}
	for (uint32_t i = 0; i < p->nconsts; i++)
	{
		const GpuAggConst *c = &gpuagg_program_consts(p)[i];

		fit &= gpuagg_program_classes(p)[p->ncolumns + i] != GPUAGG_CLASS_BYTES ||
			tables[p->ncolumns + i] || c->state != GPUAGG_ST_VALUE ||
			c->len < GPUAGG_CODEGEN_STRING;
	}
	return fit;
}

bool
gpuagg_codegen_takes(const GpuAggProgram *p, const char **reason)
{
	*reason = p->select && p->filter_reg == GPUAGG_NO_REG ? "all rows are selected" :
		!counts_fit(p) ? "the program is too long" :
		!strings_fit(p) ? "a string is too long" : NULL;
	return *reason == NULL;
}

bool
gpuagg_codegen_numbers(const GpuAggProgram *p)
{
	const GpuAggKey *keys = gpuagg_program_keys(p);
	bool		all = p->nkeys > 0 && p->nkeys <= GPUAGG_CODEGEN_NUMBERED;

	for (uint32_t i = 0; i < p->nkeys; i++)
		all = all && (gpuagg_key_is_integer(&keys[i]) || gpuagg_key_is_coded(p, &keys[i]));
	return all;
}

bool
gpuagg_codegen_packs(const GpuAggProgram *p)
{
	GpuAggRecord record;

	return p->nkeys > 0 && gpuagg_record_of_rows(p, &record);
}
