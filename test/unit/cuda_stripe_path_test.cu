/*
 * cuda_stripe_path_test.cu
 *		Stripes read as they lie, on a GPU: device_stripe_path_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_path_cases);
}
