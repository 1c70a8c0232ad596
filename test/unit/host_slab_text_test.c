/*
 * host_slab_text_test.c
 *		Strings in slabs, on the host device: device_slab_text_cases.c
 */
#include "on_host.h"

int
main(void)
{
	return device_slab_text_cases(&host_device);
}
