/*
 * cuda_codegen_called_test.cu
 *		Strings as codes, on a GPU and through kernels compiled for each
 *		program: device_stripe_called_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_stripe_called_cases, compiler_program());
}
