/*
 * host_select_test.c
 *		Rows that are selected on the host device: device_select_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_select_cases(&host_device);
}
