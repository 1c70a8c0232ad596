/*
 * cuda_value_test.cu
 *		Keys, expressions and sums on a GPU: device_value_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_value_cases);
}
