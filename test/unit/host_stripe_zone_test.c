/*
 * host_stripe_zone_test.c
 *		Zones of stripes, on the host device: device_stripe_zone_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_zone_cases(&host_device);
}
