/*
 * cuda_window_test.cu
 *		Windows and strategies, on a GPU: device_window_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_window_cases);
}
