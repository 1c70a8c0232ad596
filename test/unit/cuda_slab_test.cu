/*
 * cuda_slab_test.cu
 *		Columns that stay, on a GPU: device_slab_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_slab_cases);
}
