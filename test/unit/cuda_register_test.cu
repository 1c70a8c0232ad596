/*
 * cuda_register_test.cu
 *		Tasks while shared_buffers are being registered: device_register_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_register_cases);
}
