/*
 * cuda_codegen_lookup_test.cu
 *		Look-up tables on a GPU and in kernels compiled for each program:
 *		device_lookup_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_lookup_cases, compiler_program());
}
