/*
 * cuda_stripe_test.cu
 *		Columns that stay, on a GPU: device_stripe_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_cases);
}
