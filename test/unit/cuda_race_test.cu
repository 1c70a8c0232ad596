/*
 * cuda_race_test.cu
 *		Pages that change while they are read: device_race_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_race_cases);
}
