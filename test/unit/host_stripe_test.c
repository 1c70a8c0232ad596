/*
 * host_stripe_test.c
 *		Stripes of the host device: device_stripe_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_cases(&host_device);
}
