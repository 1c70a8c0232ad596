/*
 * host_single_pass_fault_test.c
 *		What may go wrong, on the host device in a single pass: device_fault_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_fault_cases(&host_single_pass);
}
