/*
 * cuda_slab_road_test.cu
 *		Slabs read as they lie, on a GPU: device_slab_road_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_slab_road_cases);
}
