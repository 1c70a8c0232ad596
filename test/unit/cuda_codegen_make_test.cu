/*
 * cuda_codegen_make_test.cu
 *		Look-up tables made on a GPU, of rows that compiled kernels select:
 *		device_make_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_make_cases, compiler_program());
}
