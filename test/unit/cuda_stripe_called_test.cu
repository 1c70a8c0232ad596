/*
 * cuda_stripe_called_test.cu
 *		Strings as codes, in stripes and in pages, on a GPU:
 *		device_stripe_called_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_called_cases);
}
