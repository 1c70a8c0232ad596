/*
 * cuda_ordered_test.cu
 *		Rows at places of an order on a GPU: device_ordered_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_ordered_cases);
}
