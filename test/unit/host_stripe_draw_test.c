/*
 * host_stripe_draw_test.c
 *		Draws from stripes, on the host device: device_stripe_draw_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_draw_cases(&host_device);
}
