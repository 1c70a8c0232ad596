/*
 * cuda_slab_draw_test.cu
 *		Draws from slabs, on a GPU: device_slab_draw_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_slab_draw_cases);
}
