/*
 * cuda_make_test.cu
 *		Look-up tables made on a GPU: device_make_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_make_cases);
}
