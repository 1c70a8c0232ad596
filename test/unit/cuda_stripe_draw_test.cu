/*
 * cuda_stripe_draw_test.cu
 *		Draws from stripes, on a GPU: device_stripe_draw_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_draw_cases);
}
