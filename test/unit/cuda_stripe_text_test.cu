/*
 * cuda_stripe_text_test.cu
 *		Strings in stripes, on a GPU: device_stripe_text_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_text_cases);
}
