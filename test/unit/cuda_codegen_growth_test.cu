/*
 * cuda_codegen_growth_test.cu
 *		Growth, and rows that PostgreSQL evaluated, on a GPU and through kernels compiled for each
 *		program: device_growth_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_growth_cases, compiler_program());
}
