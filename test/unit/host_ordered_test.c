/*
 * host_ordered_test.c
 *		Rows at places of an order on the host device: device_ordered_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_ordered_cases(&host_device);
}
