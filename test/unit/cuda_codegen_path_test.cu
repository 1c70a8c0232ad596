/*
 * cuda_codegen_path_test.cu
 *		Stripes that are read as they lie, on a GPU and through kernels compiled for each
 *		program: device_stripe_path_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_stripe_path_cases, compiler_program());
}
