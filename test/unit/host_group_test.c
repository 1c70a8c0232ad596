/*
 * host_group_test.c
 *		Grouping on the host device: device_group_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_group_cases(&host_device);
}
