/*
 * host_slab_draw_test.c
 *		Draws from slabs, on the host device: device_slab_draw_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_slab_draw_cases(&host_device);
}
