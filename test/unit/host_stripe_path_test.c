/*
 * host_stripe_path_test.c
 *		Stripes read as they lie, on the host device: device_stripe_path_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_path_cases(&host_device);
}
