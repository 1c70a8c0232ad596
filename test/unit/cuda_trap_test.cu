/*
 * cuda_trap_test.cu
 *		not under compute-sanitizer: a kernel traps (device_trap_cases.c), which
 *		is what that tool reports.  A program of its own, because it ends the
 *		GPU's context.
 */
#include "on_cuda.h"

int
main(void)
{
	return cuda_run(device_trap_cases);
}
