/*
 * host_stripe_called_test.c
 *		Strings as codes, in stripes and in pages, on the host device:
 *		device_stripe_called_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_called_cases(&host_device);
}
