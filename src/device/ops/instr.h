/*
 * instr.h
 *		What an instruction reads and answers, for who looks at programs without running
 *		them.
 */
#ifndef GPUAGG_DEVICE_OPS_INSTR_H
#define GPUAGG_DEVICE_OPS_INSTR_H

#include "device/ops/eval.h"

/* Comparisons, tests, lists and their like answer 0 or 1. */
GPUAGG_FN bool
gpuagg_op_is_boolean(uint32_t op)
{
	return op == GPUAGG_OP_TO_BOOL || op == GPUAGG_OP_NOT || op == GPUAGG_OP_STARTS_WITH ||
		op == GPUAGG_OP_LIKE || op == GPUAGG_OP_LISTED_I64 || (op >= GPUAGG_OP_I64_EQ && op <= GPUAGG_OP_I64_GE) ||
		(op >= GPUAGG_OP_F64_EQ && op <= GPUAGG_OP_INET_GE) ||
		(op >= GPUAGG_OP_AND && op <= GPUAGG_OP_IS_NOT_FALSE) || op >= GPUAGG_OP_DISTINCT_FROM;
}

/* Argument registers of an instruction; their number */
GPUAGG_FN uint32_t
gpuagg_instr_args(const GpuAggInstr *ins, uint16_t *args)
{
	static const uint8_t arity[] = {
#define X(name, sig, fn) GPUAGG_ARITY_##sig,
		GPUAGG_OP_LIST(X)
#undef X
	};
	uint32_t	n = arity[ins->op];

	switch (ins->op)
	{
		case GPUAGG_OP_SELECT:
		case GPUAGG_OP_DISTINCT_FROM:
			n = 3;
			break;
		case GPUAGG_OP_AND:
		case GPUAGG_OP_OR:
		case GPUAGG_OP_COALESCE:
		case GPUAGG_OP_NULL_IF:
			n = 2;
			break;
		default:
			n = n == 0 ? 1 : n;
			break;
	}
	args[0] = ins->a;
	args[1] = ins->b;
	args[2] = ins->c;
	return n;
}

#endif							/* GPUAGG_DEVICE_OPS_INSTR_H */
