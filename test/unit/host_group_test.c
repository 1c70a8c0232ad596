/*
 * host_group_test.c
 *		Grouping on the host device: device_group_cases.c
 */
#include "host_device.h"

int
main(void)
{
	return device_group_cases(&host_device);
}
