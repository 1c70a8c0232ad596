/*
 * cuda_fault_test.cu
 *		What may go wrong on a GPU: device_fault_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_fault_cases);
}
