/*
 * host_slab_test.c
 *		Slabs of the host device: device_slab_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_slab_cases(&host_device);
}
