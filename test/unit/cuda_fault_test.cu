/*
 * cuda_fault_test.cu
 *		What may go wrong on a GPU: device_fault_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_fault_cases);
}
