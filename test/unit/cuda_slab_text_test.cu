/*
 * cuda_slab_text_test.cu
 *		Strings in slabs, on a GPU: device_slab_text_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_slab_text_cases);
}
