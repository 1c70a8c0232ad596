/*
 * host_select_test.c
 *		Rows that are selected on the host device: device_select_cases.c
 */
#include "host_device.h"

int
main(void)
{
	return device_select_cases(&host_device);
}
