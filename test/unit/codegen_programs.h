/*
 * codegen_programs.h
 *		Programs at random, for tests of the generator: every operator, columns of
 *		every kind that stripes keep, NULLs, constants of all classes, IN lists.
 */
#ifndef GPUAGG_TEST_CODEGEN_PROGRAMS_H
#define GPUAGG_TEST_CODEGEN_PROGRAMS_H

#include "device/codegen/codegen.h"
#include "device_support.h"

/* A program, always the same for a number */
extern void codegen_program_make(uint32_t number, TestProgram *p);

/* That one; or of a fifth of all what evaluated rows of it have; or a fifth select rows */
extern GpuAggProgram *codegen_program_number(uint32_t i);

/* What its rows become: of evaluated ones what those of the program do that they are of */
extern bool codegen_program_record(uint32_t i, GpuAggRecord *record);

/* What a column's values are: of one that is no attribute, what it is used as */
extern uint32_t codegen_column_type(const GpuAggProgram *p, uint32_t c);

#endif							/* GPUAGG_TEST_CODEGEN_PROGRAMS_H */
