/*
 * cuda_codegen_group_test.cu
 *		Grouping of pages, on a GPU and through kernels compiled for each program:
 *		device_group_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_group_cases, compiler_program());
}
