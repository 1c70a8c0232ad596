/*
 * cuda_stripe_pack_test.cu
 *		Packed columns, on a GPU: device_stripe_pack_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_stripe_pack_cases);
}
