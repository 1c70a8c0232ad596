/*
 * cuda_codegen_select_test.cu
 *		Selecting rows of pages, on a GPU and through kernels compiled for each program:
 *		device_select_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_select_cases, compiler_program());
}
