/*
 * cuda_fold_test.cu
 *		Look-up tables that a GPU makes of several rows of a key: device_fold_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_fold_cases);
}
