/*
 * cuda_slab_road_test.cu
 *		Slabs read as they lie, on a GPU: device_slab_road_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_slab_road_cases);
}
