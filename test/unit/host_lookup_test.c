/*
 * host_lookup_test.c
 *		Look-up tables on the host device: device_lookup_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_lookup_cases(&host_device);
}
