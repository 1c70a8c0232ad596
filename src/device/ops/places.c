/*
 * places.c
 *		Programs with places of strings (places.h).
 */
#include "device/ops/places.h"

#include "device/ops/lookup_make.h"
#include "device/ops/program_append.h"

/* A least or greatest string of a column's, in the order of bytes */
static bool
is_extreme(const GpuAggProgram *p, const GpuAggTransition *t)
{
	return (t->op == GPUAGG_TRANS_MIN_BYTES || t->op == GPUAGG_TRANS_MAX_BYTES) &&
		t->arg < p->ncolumns;
}

uint16_t
gpuagg_places_column(const GpuAggProgram *p, uint32_t i)
{
	const GpuAggTransition *t = &gpuagg_program_transitions(p)[i];

	return is_extreme(p, t) ? t->arg : GPUAGG_NO_REG;
}

bool
gpuagg_places_possible(const GpuAggProgram *p)
{
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (gpuagg_places_column(p, i) != GPUAGG_NO_REG)
			return true;
	return false;
}

/* Bytes of what a program gets more */
static size_t
more(const GpuAggProgram *p)
{
	const size_t most = p->ntransitions;

	return gpuagg_align((p->ninstrs + most) * sizeof(GpuAggInstr), 8) +
		gpuagg_align(p->nregs + most, 8) + 8;
}

size_t
gpuagg_places_room(const GpuAggProgram *p)
{
	return gpuagg_program_head_bytes(p) + more(p);
}

size_t
gpuagg_places_tables_room(const GpuAggProgram *p)
{
	/* which copies all of these once more */
	return gpuagg_code_tables_room(p) + 2 * more(p);
}

/* The number of places, by column in `of`: registers, from the program's end on */
static uint16_t
plan(const GpuAggProgram *p, uint16_t *of)
{
	const GpuAggTransition *t = gpuagg_program_transitions(p);
	uint16_t	n = 0;

	memset(of, 0xFF, p->ncolumns * sizeof(*of));
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (is_extreme(p, &t[i]) && of[t[i].arg] == GPUAGG_NO_REG)
			of[t[i].arg] = p->nregs + n++;
	return n;
}

static void
add_places(const GpuAggProgram *p, const uint16_t *of, uint16_t n, GpuAggProgram *out)
{
	GpuAggTransition *t = gpuagg_program_at(out, out->transitions_off);
	GpuAggInstr *ins;
	uint8_t    *classes;

	out->instrs_off = gpuagg_program_append(out, NULL, (p->ninstrs + n) * sizeof(*ins));
	ins = gpuagg_program_at(out, out->instrs_off);
	memcpy(ins, gpuagg_program_instrs(p), p->ninstrs * sizeof(*ins));
	out->classes_off = gpuagg_program_append(out, NULL, p->nregs + n);
	classes = gpuagg_program_at(out, out->classes_off);
	memcpy(classes, gpuagg_program_classes(p), p->nregs);
	for (uint16_t column = 0; column < p->ncolumns; column++)
	{
		const uint16_t dst = of[column];

		if (dst == GPUAGG_NO_REG)
			continue;
		classes[dst] = GPUAGG_CLASS_I64;
		ins[p->ninstrs + dst - p->nregs] = (GpuAggInstr) {
			.op = GPUAGG_OP_PLACE,.dst = dst,.a = column,.b = GPUAGG_NO_REG,.c = GPUAGG_NO_REG
		};
	}
	out->ninstrs = p->ninstrs + n;
	out->nregs = p->nregs + n;
	for (uint32_t i = 0; i < p->ntransitions; i++)
		if (is_extreme(p, &t[i]))
		{
			t[i].op = t[i].op == GPUAGG_TRANS_MIN_BYTES ? GPUAGG_TRANS_MIN_I64 :
				GPUAGG_TRANS_MAX_I64;
			t[i].type = GPUAGG_T_INT4;
			t[i].arg = of[t[i].arg];
		}
}

bool
gpuagg_places_use(const GpuAggProgram *p, GpuAggProgram *out, GpuAggProgram *room)
{
	GpuAggCodeExpression found[GPUAGG_CODE_TABLES];
	uint16_t	of[GPUAGG_MAX_REGS];
	const uint16_t n = plan(p, of);
	uint16_t	tables = 0;
	uint32_t	nfound;

	if (n == 0 || p->nregs + n > GPUAGG_MAX_REGS)
		return false;
	memcpy(out, p, gpuagg_program_head_bytes(p));
	out->bytes = (uint32_t) gpuagg_align(gpuagg_program_head_bytes(p), 8);
	add_places(p, of, n, out);
	nfound = gpuagg_code_tables_find(out, found, room);
	for (uint32_t i = 0; i < nfound; i++)
		tables += gpuagg_instr_of(out, found[i].reg)->op == GPUAGG_OP_PLACE;
	return tables == n;
}

void
gpuagg_places_bound(GpuAggLookup *head, uint32_t strings)
{
	GpuAggLookupColumn *column = (GpuAggLookupColumn *) (head + 1);

	head->nrows = strings;
	column->low = 0;
	column->high = (int64_t) strings - 1;
}
