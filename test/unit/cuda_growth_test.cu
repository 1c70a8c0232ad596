/*
 * cuda_growth_test.cu
 *		Tables that grow, on a GPU: device_growth_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_growth_cases);
}
