/*
 * cuda_slab_test.cu
 *		Columns that stay, on a GPU: device_slab_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_slab_cases);
}
