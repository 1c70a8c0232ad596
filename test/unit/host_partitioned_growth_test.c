/*
 * host_partitioned_growth_test.c
 *		Tables that grow, on the host device with rows kept by partition:
 *		device_growth_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_growth_cases(&host_partitioned);
}
