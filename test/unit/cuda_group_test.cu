/*
 * cuda_group_test.cu
 *		Grouping on a GPU: device_group_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_group_cases);
}
