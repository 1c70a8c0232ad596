/*
 * cuda_slab_text_test.cu
 *		Strings in slabs, on a GPU: device_slab_text_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_slab_text_cases);
}
