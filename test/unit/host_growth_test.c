/*
 * host_growth_test.c
 *		Tables that grow, on the host device: device_growth_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_growth_cases(&host_device);
}
