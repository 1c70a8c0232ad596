/*
 * codegen_programs.h
 *		Programs at random, for tests of the generator: every operator, columns of
 *		every kind that stripes keep, NULLs, constants of all classes, IN lists.
 */
#ifndef GPUAGG_TEST_CODEGEN_PROGRAMS_H
#define GPUAGG_TEST_CODEGEN_PROGRAMS_H

#include "device_support.h"

/* A program, always the same for a number */
extern void codegen_program_make(uint32_t number, TestProgram *p);

#endif							/* GPUAGG_TEST_CODEGEN_PROGRAMS_H */
