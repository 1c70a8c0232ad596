/*
 * cuda_select_test.cu
 *		Rows that are selected on a GPU: device_select_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_select_cases);
}
