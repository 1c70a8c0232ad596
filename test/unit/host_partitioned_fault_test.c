/*
 * host_partitioned_fault_test.c
 *		What may go wrong, on the host device with rows kept by partition:
 *		device_fault_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_fault_cases(&host_partitioned);
}
