/*
 * cuda_regroup_test.cu
 *		Groups made of finer ones on a GPU: device_regroup_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_regroup_cases);
}
