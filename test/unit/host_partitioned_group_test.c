/*
 * host_partitioned_group_test.c
 *		Grouping, on the host device with rows kept by partition: device_group_cases.c
 */
#include "host_device.h"

int
main(void)
{
	return device_group_cases(&host_partitioned);
}
