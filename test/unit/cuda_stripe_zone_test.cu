/*
 * cuda_stripe_zone_test.cu
 *		Zones of stripes, on a GPU: device_stripe_zone_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_zone_cases);
}
