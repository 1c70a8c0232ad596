/*
 * cuda_answer_test.cu
 *		Groups that are wanted, on a GPU: device_answer_cases.c
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_answer_cases);
}
