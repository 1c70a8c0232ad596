/*
 * instr.h
 *		What an instruction reads and answers, for who looks at programs without running
 *		them: the traits that stand beside each operator in ops.h.
 */
#ifndef GPUAGG_DEVICE_OPS_INSTR_H
#define GPUAGG_DEVICE_OPS_INSTR_H

#include "device/ops/ops.h"

/*
 * How the values of a result follow from those of the arguments (value_set.c).  The first four
 * do not ask between what the arguments lie.
 */
typedef enum GpuAggRule
{
	GPUAGG_RULE_OPEN,			/* they do not, and NULL or an error may come */
	GPUAGG_RULE_SAFE,			/* they do not, but no NULL and no error comes of values */
	GPUAGG_RULE_DISTINCT,
	GPUAGG_RULE_NULL_TEST,
	GPUAGG_RULE_TEST,			/* IS TRUE and its kin */
	GPUAGG_RULE_AND,
	GPUAGG_RULE_OR,
	GPUAGG_RULE_NOT,
	GPUAGG_RULE_TRUTH,			/* is it another number than 0? */
	GPUAGG_RULE_SELECT,
	GPUAGG_RULE_COALESCE,
	GPUAGG_RULE_NULL_IF,
	GPUAGG_RULE_LIST,			/* is it a member of a list? */
	GPUAGG_RULE_EQ,
	GPUAGG_RULE_NE,
	GPUAGG_RULE_LT,
	GPUAGG_RULE_LE,
	GPUAGG_RULE_GT,
	GPUAGG_RULE_GE,
	/* integers, beyond whose type is an error */
	GPUAGG_RULE_SAME,
	GPUAGG_RULE_SUM,
	GPUAGG_RULE_DIFFERENCE,
	GPUAGG_RULE_PRODUCT,
	GPUAGG_RULE_QUOTIENT,
	GPUAGG_RULE_REMAINDER,
	GPUAGG_RULE_MASK,			/* a & b */
	/* monotone in each argument: what the ends make, or what 0 makes between them */
	GPUAGG_RULE_ENDS,
	GPUAGG_RULE_TURNS,
	GPUAGG_RULE_DATE_ENDS,		/* of arguments that are dates or numbers of days */
	GPUAGG_RULE_MOMENT_ENDS,	/* of a first argument that is a finite moment */
	GPUAGG_RULE_FLOAT_ENDS,		/* of finite numbers */
	GPUAGG_RULE_FLOAT_TURNS,
	GPUAGG_RULE_FLOAT_PRODUCT,
	GPUAGG_RULE_FLOAT_QUOTIENT,
	/* moments */
	GPUAGG_RULE_MONTHS,			/* monotone but for the time of the day */
	GPUAGG_RULE_ZONED,			/* less than a day away */
	GPUAGG_RULE_ZONED_MONTH,	/* the month of what is less than a day away */
	GPUAGG_RULE_BINS,
	GPUAGG_RULE_EPOCH,			/* seconds by a number of them, rounded as numeric is */
	GPUAGG_RULE_FIELD			/* as the field says: rises, or comes round again */
} GpuAggRule;

/* Which values a result can have at all */
typedef enum GpuAggValues
{
	GPUAGG_VALUES_ANY,			/* of any class */
	GPUAGG_VALUES_BOOL,
	GPUAGG_VALUES_INT2,
	GPUAGG_VALUES_INT4,
	GPUAGG_VALUES_INT8,
	GPUAGG_VALUES_LENGTH,		/* of int4 those that are not negative */
	GPUAGG_VALUES_TIME			/* of the day, microseconds */
} GpuAggValues;

/* What an instruction has beside registers */
typedef enum GpuAggTakes
{
	GPUAGG_TAKES_NONE,			/* nothing, or what any number is good for */
	GPUAGG_TAKES_FIELD,			/* imm: a GpuAggField */
	GPUAGG_TAKES_DIGITS,		/* imm: decimals */
	GPUAGG_TAKES_LIST,			/* imm, imm2: constants */
	GPUAGG_TAKES_KEY,			/* the last argument: a look-up table, of which it has the keys */
	GPUAGG_TAKES_COLUMN			/* the last argument: a look-up table; imm: its column */
} GpuAggTakes;

typedef struct GpuAggOpTraits
{
	const char *name;
	const char *classes;		/* letters of arguments, "_", that of the result */
	bool		strict;
	uint8_t		rule;
	uint8_t		values;
	uint8_t		takes;
	bool		is_long;
	float		weight;
} GpuAggOpTraits;

static inline const GpuAggOpTraits *
gpuagg_op_traits(uint32_t op)
{
	enum
	{
		SHORT, LONG
	};
	static const GpuAggOpTraits traits[GPUAGG_NOPS] = {
#define X(name, sig, fn, rule, values, weight, takes, text) \
		{#name, #sig, true, GPUAGG_RULE_##rule, GPUAGG_VALUES_##values, GPUAGG_TAKES_##takes, \
		text, weight},
		GPUAGG_STRICT_LIST(X)
#undef X
#define X(name, sig, classes, rule, values, weight, takes, text) \
		{#name, #classes, false, GPUAGG_RULE_##rule, GPUAGG_VALUES_##values, GPUAGG_TAKES_##takes, \
		text, weight},
		GPUAGG_SPECIAL_LIST(X)
#undef X
	};

	return &traits[op];
}

/* Comparisons, tests, lists and their like answer 0 or 1. */
static inline bool
gpuagg_op_is_boolean(uint32_t op)
{
	return gpuagg_op_traits(op)->values == GPUAGG_VALUES_BOOL;
}

/* A comparison of integers with its arguments exchanged; others as they are */
static inline GpuAggOp
gpuagg_op_commuted(uint32_t op)
{
	switch (op)
	{
		case GPUAGG_OP_I64_LT:
			return GPUAGG_OP_I64_GT;
		case GPUAGG_OP_I64_LE:
			return GPUAGG_OP_I64_GE;
		case GPUAGG_OP_I64_GT:
			return GPUAGG_OP_I64_LT;
		case GPUAGG_OP_I64_GE:
			return GPUAGG_OP_I64_LE;
		default:
			return (GpuAggOp) op;
	}
}

/* Does it find the row of a key? */
static inline bool
gpuagg_looks_up(const GpuAggInstr *ins)
{
	return gpuagg_op_traits(ins->op)->takes == GPUAGG_TAKES_KEY;
}

/* Is it computed by PostgreSQL alone? */
static inline bool
gpuagg_is_called(const GpuAggInstr *ins)
{
	return ins->op >= GPUAGG_OP_CALLED_BOOL && ins->op <= GPUAGG_OP_CALLED_TEXT;
}

/* Does it answer by a code table alone, which has values of the strings that are known? */
static inline bool
gpuagg_is_given(const GpuAggInstr *ins)
{
	return gpuagg_is_called(ins) || ins->op == GPUAGG_OP_PLACE;
}

static inline bool
gpuagg_has_list(const GpuAggInstr *ins)
{
	return gpuagg_op_traits(ins->op)->takes == GPUAGG_TAKES_LIST;
}

/* Argument registers of an instruction; their number */
static inline uint32_t
gpuagg_instr_args(const GpuAggInstr *ins, uint16_t *args)
{
	const char *classes = gpuagg_op_traits(ins->op)->classes;
	uint32_t	n = 0;

	while (classes[n] != '_')
		n++;
	args[0] = ins->a;
	args[1] = ins->b;
	args[2] = ins->c;
	return n;
}

/* The register of the look-up table that an instruction reads; NO_REG: it reads none */
static inline uint16_t
gpuagg_instr_table(const GpuAggInstr *ins)
{
	const uint8_t takes = gpuagg_op_traits(ins->op)->takes;
	uint16_t	args[3];

	return takes == GPUAGG_TAKES_KEY || takes == GPUAGG_TAKES_COLUMN ?
		args[gpuagg_instr_args(ins, args) - 1] : GPUAGG_NO_REG;
}

/* The instruction that a register is of; NULL: a column, a constant */
static inline const GpuAggInstr *
gpuagg_instr_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggInstr *ins = gpuagg_program_instrs(p);

	if (reg < p->ncolumns + p->nconsts)
		return NULL;
	while (ins->dst != reg)
		ins++;
	return ins;
}

/* The constant that a register is, if it is not NULL; else NULL */
static inline const GpuAggConst *
gpuagg_const_of(const GpuAggProgram *p, uint16_t reg)
{
	const GpuAggConst *c = &gpuagg_program_consts(p)[reg - p->ncolumns];

	return reg >= p->ncolumns && reg < p->ncolumns + p->nconsts && c->state == GPUAGG_ST_VALUE ?
		c : NULL;
}

#endif							/* GPUAGG_DEVICE_OPS_INSTR_H */
