/*
 * host_slab_road_test.c
 *		Slabs read as they lie, on the host device: device_slab_road_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_slab_road_cases(&host_device);
}
