/*
 * host_stripe_pack_test.c
 *		Packed columns, on the host device: device_stripe_pack_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_stripe_pack_cases(&host_device);
}
