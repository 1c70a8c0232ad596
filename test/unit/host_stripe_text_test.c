/*
 * host_stripe_text_test.c
 *		Strings in stripes, on the host device: device_stripe_text_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_text_cases(&host_device);
}
