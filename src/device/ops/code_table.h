/*
 * code_table.h
 *		Expressions over the strings of one column as tables by their codes: a dictionary
 *		(stripe.h) keeps with each of its strings what LIKE, length() or a comparison makes
 *		of it, so that a row costs one load where it cost a look at its bytes.
 *
 * A code table is a look-up table (ops_lookup.h) whose rows are codes: nothing finds them,
 * and its one column is what the expression is.  What its strings are not known to make (an error,
 * or a value of NULL) is no such expression.
 *
 * An expression that only PostgreSQL computes is an instruction, CALLED, of a column and a name.
 * It is a code table by itself, whose values (NULLs and errors among them) are given by who can
 * compute them, from code 0 on: its rows are the codes that have some.  So has a table of places
 * (places.h), which the device makes.
 *
 * Pure functions over programs.
 */
#ifndef GPUAGG_DEVICE_OPS_CODE_TABLE_H
#define GPUAGG_DEVICE_OPS_CODE_TABLE_H

#include "device/layout.h"
#include "eval.h"
#include "instr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Expressions of a program that become tables, at most; tables that a dictionary keeps, unless more
 * are in use; registers that an expression may need */
#define GPUAGG_CODE_TABLES 16
#define GPUAGG_CODE_TABLES_KEPT 16
#define GPUAGG_CODE_TABLE_REGS 64

/* The number of every code table in place of a made table's (GpuAggLookup.made) */
#define GPUAGG_CODE_TABLE_MADE UINT64_MAX

/* An expression of a program */
typedef struct GpuAggCodeExpression
{
	uint16_t	reg;			/* what it is */
	uint16_t	column;			/* whose strings it is of */
} GpuAggCodeExpression;

/*
 * The expressions of a program that may be code tables: as large as can be, of columns that
 * can be codes (encode.h) once the tables are used.  `room` has gpuagg_code_tables_room().
 * Returns their number.
 */
extern uint32_t gpuagg_code_tables_find(const GpuAggProgram *p, GpuAggCodeExpression *found,
										GpuAggProgram *room);

/*
 * One of them by itself: a program of one column, whose key 0 is the expression.  Equal
 * ones are equal byte by byte.  `out` has gpuagg_code_tables_room().
 */
extern void gpuagg_code_table_program(const GpuAggProgram *p, const GpuAggCodeExpression *e,
									  GpuAggProgram *out);

/*
 * A program gets tables in the place of n expressions.  `out` begins as its copy, in a block
 * with room for gpuagg_code_tables_more() behind.  heads: of each its header and column; NULL:
 * constants that are NULL, for who asks for no more.  The number of the first one's constant,
 * which the others follow.
 */
extern uint32_t gpuagg_code_tables_use(const GpuAggProgram *p, const GpuAggCodeExpression *e,
									   uint32_t n, const GpuAggLookup *const *heads,
									   GpuAggProgram *out);

/* What a program gets more by that; a program without look-up tables, and that */
extern size_t gpuagg_code_tables_more(const GpuAggProgram *p);
extern size_t gpuagg_code_tables_room(const GpuAggProgram *p);

/* Is the expression of that program a string?  Its table then has codes of another dictionary. */
static inline bool
gpuagg_code_table_is_text(const GpuAggProgram *expression)
{
	return gpuagg_key_class(gpuagg_program_keys(expression)[0].type) == GPUAGG_CLASS_BYTES;
}

/* Is it one that only PostgreSQL computes?  Its values are given. */
static inline bool
gpuagg_code_table_is_called(const GpuAggProgram *expression)
{
	return gpuagg_is_called(
		gpuagg_instr_of(expression, gpuagg_program_keys(expression)[0].reg));
}

/* Has it values of some codes alone?  A task fails at the others. */
static inline bool
gpuagg_code_table_is_given(const GpuAggProgram *expression)
{
	return gpuagg_is_given(
		gpuagg_instr_of(expression, gpuagg_program_keys(expression)[0].reg));
}

/*
 * Instructions of a program that only PostgreSQL computes: their number; are all of them to be code
 * tables?  `room` has gpuagg_code_tables_room().
 */
extern uint32_t gpuagg_called_count(const GpuAggProgram *p);
extern bool gpuagg_called_have_tables(const GpuAggProgram *p, GpuAggProgram *room);

/*
 * One of them by itself as a program over the columns of the table, whose key 0 it is; and what
 * only reads the column's strings in its place.  `out` has gpuagg_code_tables_room().
 */
extern void gpuagg_called_program(const GpuAggProgram *p, const GpuAggInstr *ins,
								  GpuAggProgram *out);
extern void gpuagg_called_read_program(const GpuAggProgram *p, const GpuAggInstr *ins,
									   GpuAggProgram *out);

/* The register that an instruction reads a code table into, by the table's constant */
extern uint16_t gpuagg_code_table_register(const GpuAggProgram *p, uint32_t constant);

/*
 * How the table of an expression (a program of gpuagg_code_table_program) lies that has
 * room for so many codes: *head, and its column behind it.
 */
extern void gpuagg_code_table_lay_out(const GpuAggProgram *expression, uint32_t codes,
									  GpuAggLookup *head);

/* ---------- the tables of a dictionary ---------- */

/* What a device's structure of one begins with; in a list, used last first */
typedef struct GpuAggCodeTableEntry
{
	struct GpuAggCodeTableEntry *next;
	GpuAggProgram *expression;
	uint64_t	codes;			/* that it has room for */
	uint32_t	users;
} GpuAggCodeTableEntry;

/* Out of the list, a table of the expression with room for so many codes; NULL: there is none */
extern GpuAggCodeTableEntry *gpuagg_code_table_take(GpuAggCodeTableEntry **list,
													const GpuAggProgram *expression,
													uint64_t codes);

/* Into the list again, or for the first time, for one more user */
extern void gpuagg_code_table_add(GpuAggCodeTableEntry **list, GpuAggCodeTableEntry *table);

/* Out of the list, one of the expression with room for fewer codes, which nobody has; NULL: none */
extern GpuAggCodeTableEntry *gpuagg_code_table_outgrown(GpuAggCodeTableEntry **list,
														const GpuAggProgram *expression,
														uint64_t codes);

/* Out of the list, one that nobody has, beyond so many that were used later; NULL: there is none */
extern GpuAggCodeTableEntry *gpuagg_code_table_spare(GpuAggCodeTableEntry **list, uint32_t kept);

/* The column of the code table that an instruction reads; NULL: it reads none */
static inline const GpuAggLookupColumn *
gpuagg_code_table_read(const GpuAggProgram *p, const GpuAggInstr *ins)
{
	const bool	fetches = ins->op == GPUAGG_OP_FETCH_I64 || ins->op == GPUAGG_OP_FETCH_F64;
	const GpuAggConst *c = fetches ? gpuagg_const_of(p, ins->b) : NULL;
	const GpuAggLookup *t = c != NULL ? gpuagg_lookup_of(gpuagg_const_bytes(p, c)) : NULL;

	return t != NULL && t->made == GPUAGG_CODE_TABLE_MADE ? gpuagg_lookup_column(t, 0) : NULL;
}

/* ---------- what a code's string makes ---------- */

/* The value of a string, by its own registers; its state is VALUE or NULL. */
GPUAGG_FN GpuAggValue
gpuagg_code_table_value(const GpuAggProgram *expression, GpuAggBytes string, GpuAggValue *reg,
						uint8_t *st, uint8_t *state)
{
	const uint16_t out = gpuagg_program_keys(expression)[0].reg;

	reg[0].b = string;
	st[0] = GPUAGG_ST_VALUE;
	gpuagg_eval(expression, 0, expression->ninstrs, reg, st);
	*state = st[out];
	return reg[out];
}

/* A value that is no NULL, of a string its code, to its place in the table */
GPUAGG_FN void
gpuagg_code_table_put(const GpuAggLookup *head, char *block, uint32_t code, GpuAggValue v)
{
	const GpuAggLookupColumn *column = (const GpuAggLookupColumn *) (head + 1);

	if (column->width == 4)
		((int32_t *) (block + column->values))[code] = (int32_t) v.i;
	else
		((int64_t *) (block + column->values))[code] = v.i;
}

#ifdef __cplusplus
}
#endif

#endif							/* GPUAGG_DEVICE_OPS_CODE_TABLE_H */
