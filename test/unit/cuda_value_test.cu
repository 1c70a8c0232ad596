/*
 * cuda_value_test.cu
 *		Keys, expressions and sums on a GPU: device_value_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_value_cases);
}
