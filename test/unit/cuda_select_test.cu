/*
 * cuda_select_test.cu
 *		Rows that are selected on a GPU: device_select_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_select_cases);
}
