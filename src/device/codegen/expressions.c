/*
 * expressions.c
 *		Registers of a program as lines of text (cuda/frame/evaluate.cuh has what
 *		they mean).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/ops/eval.h"
#include "device/ops/instr.h"
#include "expressions.h"

/* ---------- text ---------- */

void
gpuagg_writer_init(GpuAggWriter *w, const GpuAggProgram *program, bool packed)
{
	memset(w, 0, sizeof(*w));
	w->program = program;
	w->packed = packed;
	w->nnumbers = program->ncolumns;
	gpuagg_stages_find(program, &w->stages);
}

void
gpuagg_write(GpuAggWriter *w, const char *format,...)
{
	va_list		args;
	int			n;

	va_start(args, format);
	n = vsnprintf(w->text != NULL ? w->text + w->bytes : NULL, w->room - w->bytes, format, args);
	va_end(args);
	if (n < 0 || w->failed)
		w->failed = true;
	else if (w->bytes + (size_t) n + 1 > w->room)
	{
		const size_t room = 2 * (w->bytes + (size_t) n) + 4096;
		char	   *text = realloc(w->text, room);

		if (text == NULL)
		{
			w->failed = true;
			return;
		}
		w->text = text;
		w->room = room;
		va_start(args, format);
		(void) vsnprintf(w->text + w->bytes, w->room - w->bytes, format, args);
		va_end(args);
	}
	if (!w->failed)
		w->bytes += (size_t) n;
}

void
gpuagg_write_begin(GpuAggWriter *w, uint32_t stage)
{
	memset(w->written, 0, sizeof(w->written));
	w->stage = stage;
}

/* ---------- columns ---------- */

bool
gpuagg_write_is_text(const GpuAggWriter *w, uint32_t column)
{
	return gpuagg_program_classes(w->program)[column] == GPUAGG_CLASS_BYTES;
}

const char *
gpuagg_write_quad(const GpuAggWriter *w, uint32_t column)
{
	return gpuagg_program_classes(w->program)[column] == GPUAGG_CLASS_F64 ? "GpuAggQuadF64" :
		gpuagg_column_bytes(w->program, column) == 4 ? "GpuAggQuad32" : "GpuAggQuad64";
}

/* ---------- registers ---------- */

static const char *
class_name(const GpuAggProgram *p, uint16_t reg)
{
	static const char *const names[] = {"int64_t", "double", "GpuAggBytes"};

	return names[gpuagg_program_classes(p)[reg]];
}

uint32_t
gpuagg_write_number(GpuAggWriter *w, uint16_t reg)
{
	if (reg < w->program->ncolumns)
		return reg;
	if (w->number[reg] == 0)
		w->number[reg] = (uint16_t) ++w->nnumbers;
	return w->number[reg];
}

/* ---------- instructions ---------- */

/* Number of a constant among the arguments; NULLs are part of the text. */
static void
write_const(GpuAggWriter *w, uint16_t reg)
{
	static const char fields[] = {'i', 'f', 'b'};
	const GpuAggProgram *p = w->program;
	const uint32_t n = gpuagg_write_number(w, reg);
	GpuAggCodegenArgs *args = &w->args;
	uint32_t	i = 0;

	if (gpuagg_program_consts(p)[reg - p->ncolumns].state != GPUAGG_ST_VALUE)
	{
		gpuagg_write(w, "\t\tGPUAGG_CONST_NULL(%u, %s)\n", n, class_name(p, reg));
		return;
	}
	while (i < args->nconsts && args->consts[i] != reg)
		i++;
	if (i == GPUAGG_CODEGEN_CONSTS)
		w->failed = true;
	else if (i == args->nconsts)
		args->consts[args->nconsts++] = reg;
	gpuagg_write(w, "\t\tGPUAGG_CONST(%u, %s, %c, %u)\n", n, class_name(p, reg),
				 fields[gpuagg_program_classes(p)[reg]], i);
}

const char *
gpuagg_write_loaded(const GpuAggWriter *w, uint32_t column)
{
	const uint32_t stage = w->stages.first[column];

	return stage == 0 ? "q" : stage < w->stages.n ? "m" : "l";
}

static void
write_column(GpuAggWriter *w, uint16_t c)
{
	const char *quad = gpuagg_write_loaded(w, c);

	if (gpuagg_write_is_text(w, c))
		gpuagg_write(w, "\t\tGPUAGG_TAKE_TEXT(%u, %s)\n", c, quad);
	else
		gpuagg_write(w, "\t\tGPUAGG_TAKE(%u, %s, %s)\n", c, class_name(w->program, c), quad);
}

/* IN: its list is an argument */
static void
write_in(GpuAggWriter *w, const GpuAggInstr *ins, const char *name, uint32_t n, uint32_t a)
{
	GpuAggCodegenArgs *args = &w->args;
	const uint16_t at = (uint16_t) (ins - gpuagg_program_instrs(w->program));
	uint32_t	l = 0;

	while (l < args->nlists && args->lists[l] != at)
		l++;
	if (l == args->nlists)
		args->lists[args->nlists++] = at;
	gpuagg_write(w, "\t\tGPUAGG_IMM_LIST(%u, GPUAGG_OP_%s, %u, %u)\n", n, name, ins->flags, l);
	if (ins->op == GPUAGG_OP_IN_BYTES)
		gpuagg_write(w, "\t\tGPUAGG_DO_IN(%u, GPUAGG_FIND_BYTES(%u, %u), %u)\n", n, l, a, a);
	else
		gpuagg_write(w, "\t\tGPUAGG_DO_IN(%u, GPUAGG_FIND(%s, %u, %u), %u)\n", n,
					 ins->op == GPUAGG_OP_IN_I64 ? "gpuagg_find_i64" : "gpuagg_find_f64", l, a, a);
}

static void
write_special(GpuAggWriter *w, const GpuAggInstr *ins, const char *name, const uint32_t *r)
{
	const char *type = class_name(w->program, ins->dst);
	const uint32_t n = gpuagg_write_number(w, ins->dst);

	switch (ins->op)
	{
		case GPUAGG_OP_AND:
		case GPUAGG_OP_OR:
			gpuagg_write(w, "\t\tGPUAGG_DO_%s(%u, %u, %u)\n", name, n, r[0], r[1]);
			break;
		case GPUAGG_OP_SELECT:
			gpuagg_write(w, "\t\tGPUAGG_DO_SELECT(%u, %s, %u, %u, %u)\n", n, type, r[0], r[1],
						 r[2]);
			break;
		case GPUAGG_OP_COALESCE:
		case GPUAGG_OP_NULL_IF:
			gpuagg_write(w, "\t\tGPUAGG_DO_%s(%u, %s, %u, %u)\n", name, n, type, r[0], r[1]);
			break;
		case GPUAGG_OP_DISTINCT_FROM:
			gpuagg_write(w, "\t\tGPUAGG_DO_DISTINCT(%u, %u, %u, %u)\n", n, r[0], r[1], r[2]);
			break;
		case GPUAGG_OP_IN_I64:
		case GPUAGG_OP_IN_F64:
		case GPUAGG_OP_IN_BYTES:
			write_in(w, ins, name, n, r[0]);
			break;
		default:
			if (gpuagg_program_classes(w->program)[ins->a] == GPUAGG_CLASS_I64)
				gpuagg_write(w, "\t\tGPUAGG_DO_TEST(%u, GPUAGG_OP_%s, v%u, %u)\n", n, name, r[0],
							 r[0]);
			else
				gpuagg_write(w, "\t\tGPUAGG_DO_TEST(%u, GPUAGG_OP_%s, 0, %u)\n", n, name, r[0]);
			break;
	}
}

/* One instruction, whose arguments are numbers r of the text */
static void
write_instr(GpuAggWriter *w, const GpuAggInstr *ins, const uint32_t *r, uint32_t arity)
{
	static const char *const functions[] = {
#define X(name, sig, fn, ...) #fn,
		GPUAGG_STRICT_LIST(X)
#undef X
	};
	const GpuAggOpTraits *traits = gpuagg_op_traits(ins->op);
	const uint32_t n = gpuagg_write_number(w, ins->dst);

	if (!traits->strict)
	{
		write_special(w, ins, traits->name, r);
		return;
	}
	if (strstr(traits->classes, "_IMM") != NULL)
		gpuagg_write(w, "\t\tGPUAGG_IMM(%u, GPUAGG_OP_%s, %u, %d)\n", n, traits->name, ins->flags,
					 ins->imm);
	gpuagg_write(w, "\t\tGPUAGG_DO_%s(%u, %s", traits->classes, n, functions[ins->op]);
	for (uint32_t i = 0; i < arity; i++)
		gpuagg_write(w, ", %u", r[i]);
	gpuagg_write(w, ")\n");
}

/* What an earlier stage has found of a row: the filter so far, or a row that it looked up */
static bool
write_found(GpuAggWriter *w, const GpuAggInstr *ins)
{
	const GpuAggStages *s = &w->stages;
	const uint16_t reg = ins->dst;

	if (w->stage > 0 && w->stage < s->n && reg == s->reg[w->stage - 1] &&
		gpuagg_op_is_boolean(ins->op))
		gpuagg_write(w, "\t\tGPUAGG_SO_FAR(%u)\n", gpuagg_write_number(w, reg));
	else if (s->kept[reg] && s->first[reg] < w->stage)
		gpuagg_write(w, "\t\tGPUAGG_KEPT(%u)\n", gpuagg_write_number(w, reg));
	else
		return false;
	return true;
}

void
gpuagg_write_register(GpuAggWriter *w, uint16_t reg)
{
	const GpuAggProgram *p = w->program;
	const GpuAggInstr *ins;
	uint16_t	args[3];
	uint32_t	numbers[3];
	uint32_t	n;

	if (w->written[reg])
		return;
	w->written[reg] = 1;
	if (reg < p->ncolumns)
	{
		write_column(w, reg);
		return;
	}
	if (reg < p->ncolumns + p->nconsts)
	{
		write_const(w, reg);
		return;
	}
	ins = gpuagg_instr_of(p, reg);
	if (write_found(w, ins) || gpuagg_write_lookup(w, ins))
		return;
	n = gpuagg_instr_args(ins, args);
	for (uint32_t i = 0; i < n; i++)
	{
		gpuagg_write_register(w, args[i]);
		numbers[i] = gpuagg_write_number(w, args[i]);
	}
	write_instr(w, ins, numbers, n);
}

const char *
gpuagg_write_transition(uint32_t op)
{
	static const char *const names[] = {
#define X(name, bytes, cls) "GPUAGG_TRANS_" #name,
		GPUAGG_TRANSITION_LIST(X)
#undef X
	};

	return names[op];
}
