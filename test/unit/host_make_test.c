/*
 * host_make_test.c
 *		Look-up tables made on the host device: device_make_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_make_cases(&host_device);
}
