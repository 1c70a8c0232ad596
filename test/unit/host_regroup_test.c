/*
 * host_regroup_test.c
 *		Groups made of finer ones on the host device: device_regroup_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_regroup_cases(&host_device);
}
