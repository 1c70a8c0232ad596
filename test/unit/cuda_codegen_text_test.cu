/*
 * cuda_codegen_text_test.cu
 *		Strings in expressions, on a GPU and through kernels compiled for each
 *		program: device_stripe_text_cases.c
 */
#include "compiler_program.h"
#include "on_cuda.h"

int
main(void)
{
	return cuda_run_with(device_stripe_text_cases, compiler_program());
}
