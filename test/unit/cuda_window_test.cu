/*
 * cuda_window_test.cu
 *		Windows and strategies, on a GPU: device_window_cases.c
 */
#include "cuda_device.h"

int
main(void)
{
	return cuda_run(device_window_cases);
}
