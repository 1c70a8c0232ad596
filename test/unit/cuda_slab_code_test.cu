/*
 * cuda_slab_code_test.cu
 *		Strings as codes, in slabs and in pages, on a GPU: device_slab_code_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_slab_code_cases);
}
