/*
 * cuda_lookup_test.cu
 *		Look-up tables on a GPU: device_lookup_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_lookup_cases);
}
